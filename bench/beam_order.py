#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a beam element of higher order pay?  Errors of the two-node element, of its Richardson extrapolation and of
a three-node element in the plane, for a cantilever under a dead force across its end, P L^2/EI = 10.

Both interpolate on SE(2), which is SE(3) in the plane:
  two nodes    strain log(H_a^-1 H_b)/L, constant
  three nodes  H(s) = H_m exp(N_a d_a + N_b d_b), d = log(H_m^-1 H), two Gauss points
The reference is the two-node element with 64, 128 and 256 elements, extrapolated twice.  What they cost is
discussed in docs/theory.md, section "Beams".

    /usr/bin/python3 bench/beam_order.py
"""
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

EA, GA, EI, P, LENGTH = 1e4, 5e3, 1.0, 10.0, 1.0
STEP = 1e-30  # of complex derivatives


def log(h):
    """Of the relative pose (x, y, angle)."""
    x, y, w = h
    half = w / 2
    a = 1 - w * w / 12 - w**4 / 720 - w**6 / 30240 if abs(w) < 0.1 else half / np.tan(half)
    return np.array([a * x + half * y, -half * x + a * y, w])


def relative(a, b):
    c, s = np.cos(a[2]), np.sin(a[2])
    x, y = b[0] - a[0], b[1] - a[1]
    return np.array([c * x + s * y, -s * x + c * y, b[2] - a[2]])


def ad(d):
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [0, 0, 0]])


def tangent(d, rate):
    """exp(-d) d exp(d)[rate] = sum (-ad)^i rate / (i + 1)!"""
    out, term = rate, rate
    for i in range(1, 18):
        term = -(ad(d) @ term) / (i + 1)
        out = out + term
    return out


def stored(strain, length):
    off = strain - np.array([1, 0, 0])
    return length / 2 * (EA * off[0] ** 2 + GA * off[1] ** 2 + EI * off[2] ** 2)


def two_nodes(q, length):
    return stored(log(relative(q[:3], q[3:])) / length, length)


def three_nodes(q, length):
    a, b = log(relative(q[3:6], q[:3])), log(relative(q[3:6], q[6:]))
    energy = 0
    for s in (-1 / np.sqrt(3), 1 / np.sqrt(3)):
        d = s * (s - 1) / 2 * a + s * (s + 1) / 2 * b
        rate = (s - 0.5) * a + (s + 0.5) * b
        energy += stored(tangent(d, rate) * 2 / length, length / 2)
    return energy


def gradient(energy, q, length):
    g = np.empty(len(q))
    for k in range(len(q)):
        z = q.astype(complex)
        z[k] += 1j * STEP
        g[k] = energy(z, length).imag / STEP
    return g


def hessian(energy, q, length, h=1e-5):
    columns = []
    for k in range(len(q)):
        e = np.zeros(len(q))
        e[k] = h
        columns.append((gradient(energy, q + e, length) - gradient(energy, q - e, length)) / (2 * h))
    return np.array(columns).T


def end(elements, order, q=None):
    """Position of the end, and all frames."""
    nodes = elements * order + 1
    energy = two_nodes if order == 1 else three_nodes
    if q is None:
        q = np.zeros((nodes, 3))
        q[:, 0] = np.linspace(0, LENGTH, nodes)
    for load in (np.linspace(0.2, 1, 5) if q[-1, 1] == 0 else [1]):
        for _ in range(40):
            r, rows, columns, values = np.zeros(3 * nodes), [], [], []
            r[-2] -= P * load
            for i in range(elements):
                dofs = np.arange(3 * order * i, 3 * order * (i + 1) + 3)
                own = q.ravel()[dofs]
                r[dofs] += gradient(energy, own, LENGTH / elements)
                rows.append(np.repeat(dofs, len(dofs)))
                columns.append(np.tile(dofs, len(dofs)))
                values.append(hessian(energy, own, LENGTH / elements).ravel())
            K = sp.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))
            dq = sla.spsolve(K[3:, 3:], -r[3:])
            q.ravel()[3:] += dq * min(1, 0.3 / np.abs(dq).max())
            if np.abs(dq).max() < 1e-11:
                break
    return q[-1, :2].copy(), q


def refined(q):
    """Start for twice the elements: frames in between are means, which Newton's iteration mends."""
    out = np.zeros((2 * len(q) - 1, 3))
    out[::2], out[1::2] = q, (q[:-1] + q[1:]) / 2
    return out


def main():
    found, q = {}, None
    for n in (2, 4, 8, 16, 32, 64, 128, 256):
        found[1, n], q = end(n, 1, None if q is None else refined(q))
    fine = (4 * found[1, 256] - found[1, 128]) / 3
    coarse = (4 * found[1, 128] - found[1, 64]) / 3
    reference = fine + (fine - coarse) / 15
    print(f"reference {reference}, within {np.abs(fine - coarse).max() / 15:.1e}")
    q = None
    for n in (1, 2, 4, 8, 16, 32):
        found[2, n], q = end(n, 2, None if q is None else refined(q))
    off = {k: np.abs(v - reference).max() for k, v in found.items()}
    print("nodes  2-node    extrapolated  3-node")
    for n in (2, 4, 8, 16, 32, 64):
        both = np.abs((4 * found[1, n] - found[1, n // 2]) / 3 - reference).max() if n > 2 else np.nan
        print(f"{n + 1:4d}   {off[1, n]:.2e}  {both:.2e}      {off[2, n // 2]:.2e}")


if __name__ == "__main__":
    main()
