# SPDX-License-Identifier: GPL-3.0-or-later
"""Small motions of two-node elements of order 4 in a plane, whose inertia is taken at two Gauss points, written apart from the engine:
degrees of freedom (u, v, angle) of each node, in the axes of its section.  And the eigenvalues of M q'' + G q' + K q = 0."""

import numpy as np
from scipy.linalg import cholesky, eigh, expm, solve_triangular

POINTS, WEIGHTS = (np.sqrt([1 / 3, 1 / 3]) * [-1, 1] + 1) / 2, np.array([0.5, 0.5])  # of inertia


def undamped(K, M):
    """Angular frequencies, rising; those of rigid motions are 0 to rounding.  Inverses, shifted by 1: so the lowest do not have the
    rounding of the highest."""
    inverse = eigh(M, K + M, eigvals_only=True)[::-1]
    return np.sqrt(np.abs(1 / inverse - 1))


def gyroscopic(K, M, G):
    """|mu| of the eigenvalues i mu, rising; G skew or, for motions y + i z, skew-Hermitian, where both signs of mu differ.  The matrix
    is Hermitian: errors are those of rounding of the largest."""
    R = cholesky(M)
    A, H = (solve_triangular(R, solve_triangular(R, X, trans="C").conj().T, trans="C").conj().T for X in (K, G))
    L = cholesky((A + A.conj().T) / 2, lower=True)
    S = np.block([[np.zeros_like(L), L.conj().T], [-L, -H]])
    mu = np.linalg.eigvalsh(1j * (S - S.conj().T) / 2)
    return np.sort(mu[mu > 0] if np.isrealobj(G) else np.abs(mu))


def with_bending(GA, EI, length):
    """Stiffness against the mean shear strain of an element whose moment changes by the force times the length."""
    return 1 / (1 / GA + length**2 / (12 * EI))


def element(length, curvature, stiffness, inertia):
    """K, M and the integral of the angles' product, [6, 6]; stiffness (EA, GA, EI) and inertia (m, m, J) of a length.  The strain is
    constant: q' = A q + strain, which interpolates q as well."""
    A = np.array([[0, curvature, 0], [-curvature, 0, 1], [0, 0, 0]])

    def maps(s):
        whole = expm(np.block([[A * s, np.eye(3) * s], [np.zeros((3, 6))]]))
        return whole[:3, :3], whole[:3, 3:]

    E, F = maps(length)
    B = np.linalg.solve(F, np.hstack([-E, np.eye(3)]))
    EA, GA, EI = stiffness
    K = length * B.T @ np.diag([EA, with_bending(GA, EI, length), EI]) @ B
    M, turned = np.zeros((6, 6)), np.zeros((6, 6))
    for s, weight in zip(POINTS * length, WEIGHTS * length):
        E, F = maps(s)
        N = np.hstack([E, np.zeros((3, 3))]) + F @ B
        M += weight * N.T @ np.diag(inertia) @ N
        turned += weight * np.outer(N[2], N[2])
    return K, M, turned


def assemble(parts, nodes, closed=False):
    """Sum of the elements' matrices, one after the other; where closed, the last one ends at the first node."""
    out = np.zeros((3 * nodes, 3 * nodes))
    for i, part in enumerate(parts):
        at = np.r_[3 * i : 3 * i + 3, 3 * ((i + 1) % nodes if closed else i + 1) + np.arange(3)]
        out[np.ix_(at, at)] += part
    return out


def line(n, length, stiffness, inertia, curvature=0.0, closed=False):
    """K, M and angles' product of n equal elements."""
    parts = element(length / n, curvature, stiffness, inertia)
    return [assemble([part] * n, n if closed else n + 1, closed) for part in parts]


def held(matrices, fixed):
    """The matrices without these degrees of freedom."""
    return [np.delete(np.delete(X, fixed, 0), fixed, 1) for X in matrices]


# ---- a blade that turns --------------------------------------------------------------------


def product(a, b):
    return (np.outer(a, b) + np.outer(b, a)) / 2


def blade_element(blade, r, length, flap):
    """K, M, G of an element that is stretched from r[0] to r[1]: second variations of its energy and of that of the turning frame,
    potential = q.K q/2, kinetic = q'.M q'/2 + q.G q'/2.  The strain is the logarithm of the nodes' relative motion."""
    u1, v1, a1, u2, v2, a2 = np.eye(6)
    stretched, du, dv, turn = r[1] - r[0], u2 - u1, v2 - v1, a2 - a1
    force = blade.EA * (stretched / length - 1)
    q2 = dv - stretched * (a1 + a2) / 2
    Q = product(dv, a1 + a2) / 2 - stretched * (product(a1, a1) + 4 * product(a1, a2) + product(a2, a2)) / 12
    GA = with_bending(blade.GA, blade.EI, length)
    K = (blade.EA * product(du, du) + GA * product(q2, q2) + blade.EI * product(turn, turn)) / length + 2 * force * Q
    M, G = np.zeros((6, 6)), np.zeros((6, 6))
    for s, weight in zip(POINTS, WEIGHTS * length):
        x, y, angle = u1 + s * du, v1 + s * stretched * a1 + s * s * stretched / 2 * turn + s * q2, a1 + s * turn
        along = s * Q - s**3 * stretched / 6 * product(turn, turn) - s * s / 2 * product(turn, q2)
        along -= s * stretched / 2 * product(a1, a1) + product(a1, s * s * stretched / 2 * turn + s * q2)
        M += weight * (blade.m * (product(x, x) + product(y, y)) + blade.J * product(angle, angle))
        K -= weight * blade.m * blade.W**2 * (product(x, x) + 2 * (r[0] + s * stretched) * along)
        if flap:
            K -= weight * blade.W**2 * (blade.polar - blade.J) * product(angle, angle)
        else:
            K -= weight * blade.m * blade.W**2 * product(y, y)
            G += 2 * weight * blade.m * blade.W * (np.outer(y, x) - np.outer(x, y))
    return K, M, G


def blade_radii(blade, n):
    """Steady radii of the nodes: forces of the stretch and those of the turning frame are linear in them."""
    h = 1 / n
    K, M = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    for i in range(n):
        at = np.ix_([i, i + 1], [i, i + 1])
        K[at] += blade.EA / h * np.array([[1, -1], [-1, 1]])
        M[at] += blade.m * h / 6 * np.array([[2, 1], [1, 2]])
    pull = np.zeros(n + 1)
    pull[-1] = blade.EA
    A = K - blade.W**2 * M
    return np.concatenate(([0.0], np.linalg.solve(A[1:, 1:], pull[1:])))


def blade_mesh(blade, n, flap):
    """Angular frequencies of bending in the plane of rotation or, flap, out of it."""
    r = blade_radii(blade, n)
    parts = zip(*(blade_element(blade, r[i : i + 2], 1 / n, flap) for i in range(n)))
    K, M, G = held([assemble(part, n + 1) for part in parts], [0, 1, 2])
    if not flap:
        return gyroscopic(K, M, G)
    K, M = held([K, M], np.arange(0, 3 * n, 3))
    return undamped(K, M)
