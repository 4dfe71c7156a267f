# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometrically exact beams by spectral elements: nodal positions and quaternions at Gauss-Lobatto points, quaternions
interpolated as they are and normalised in between, lumped inertia, Gauss-Legendre for the elastic energy, DOP853 in time.

Every node carries the rotation from the unstrained state, so that beams that meet share a node whatever the angle between
them.  Strains: R0^T (R^T r' - r0') and R0^T kappa with kappa = 2 vec(p* p')/|p|^2 of the interpolated quaternion p."""

import math

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp


def lobatto(p):
    """Points and weights on [-1, 1]."""
    inner = legendre.Legendre.basis(p).deriv().roots()
    x = np.concatenate(([-1.0], np.sort(inner.real), [1.0]))
    return x, 2 / (p * (p + 1) * legendre.legval(x, [0] * p + [1]) ** 2)


def lagrange(nodes, x):
    """Values and slopes [len(x), len(nodes)] of the Lagrange polynomials."""
    n = len(nodes)
    value = np.array([[np.prod([(a - nodes[k]) / (nodes[i] - nodes[k]) for k in range(n) if k != i]) for i in range(n)] for a in x])
    # exact for polynomials of the degree: derivative matrix of the nodes applied to the values
    c = np.array([np.prod([nodes[i] - nodes[k] for k in range(n) if k != i]) for i in range(n)])
    D = np.array([[0 if i == j else c[i] / (c[j] * (nodes[i] - nodes[j])) for j in range(n)] for i in range(n)])
    D[np.diag_indices(n)] = -D.sum(axis=1)
    return value, value @ D


def times(a, b):
    """Quaternion products."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate((aw * bw - (av * bv).sum(-1, keepdims=True), aw * bv + bw * av + np.cross(av, bv)), axis=-1)


def conjugate(a):
    return a * np.array([1.0, -1, -1, -1])


def pure(v):
    return np.concatenate((np.zeros(v.shape[:-1] + (1,)), v), axis=-1)


def turn(q, v):
    """R v for quaternions of any length."""
    w, u = q[..., :1], q[..., 1:]
    n = (q * q).sum(-1, keepdims=True)
    return v + 2 * (w * np.cross(u, v) + np.cross(u, np.cross(u, v))) / n


def back(q, v):
    return turn(conjugate(q), v)


class Leg:
    """A beam from node to node: axis(s) and frame(s) of the unstrained state, K(s) and M(s) of the section."""

    def __init__(self, length, elements, start, frame, K, M):
        self.length, self.elements, self.start, self.frame, self.K, self.M = length, elements, start, frame, K, M


def straight(start, frame, length, elements, K, M):
    """A prismatic one: frame has the section's axes as columns."""
    start, frame = np.array(start, float), np.array(frame, float)
    K = np.diag(K) if np.ndim(K) == 1 else np.array(K, float)
    M = np.diag(M) if np.ndim(M) == 1 else np.array(M, float)
    return Leg(length, elements, lambda s: start + s * frame[:, 0], lambda s: frame, lambda s: K, lambda s: M)


class Structure:
    """Legs end to end.  `held`: the first node has q(t) and moves no more; `gravity` in inertial axes."""

    def __init__(self, legs, p, held=None, gravity=(0, 0, 0)):
        self.held = held
        x, w = lobatto(p)
        g, gw = legendre.leggauss(p + 2)
        self.N, dN = lagrange(x, g)
        count = sum(leg.elements for leg in legs) * p + 1
        inertia = np.zeros((count, 6, 6))
        self.r0 = np.zeros((count, 3))
        self.first, slopes, weights, R0, r0s, K = [], [], [], [], [], []
        node = 0
        for leg in legs:
            h = leg.length / leg.elements
            for e in range(leg.elements):
                at = lambda y: (e + (y + 1) / 2) * h
                for i in range(p + 1):
                    self.r0[node + i] = leg.start(at(x[i]))
                    turned = np.kron(np.eye(2), leg.frame(at(x[i])))
                    inertia[node + i] += w[i] * h / 2 * turned @ leg.M(at(x[i])) @ turned.T
                self.first.append(node)
                slopes.append(dN * 2 / h)
                weights.append(gw * h / 2)
                R0.append([leg.frame(at(y)) for y in g])
                r0s.append([leg.frame(at(y))[:, 0] for y in g])
                K.append([leg.K(at(y)) for y in g])
                node += p
        self.index = np.array(self.first)[:, None] + np.arange(p + 1)
        self.dN, self.w, self.R0, self.r0s, self.K = map(np.array, (slopes, weights, R0, r0s, K))
        self.count, self.gravity = count, np.array(gravity, float)
        self.mass = inertia[:, 0, 0].copy()
        self.offset = np.stack((inertia[:, 5, 1], inertia[:, 3, 2], inertia[:, 4, 0]), axis=1)  # m c of m c~
        self.J = inertia[:, 3:, 3:].copy()
        self.inertia = inertia
        self.balanced = not np.any(np.abs(self.offset) > 0)
        if self.balanced:
            self.Jinv = np.linalg.inv(self.J)
        self.legs = legs

    # state: r [n, 3], q [n, 4], v [n, 3] inertial, w [n, 3] in the axes of q

    def start(self, velocity=None):
        q = np.zeros((self.count, 4))
        q[:, 0] = 1
        v = np.zeros((self.count, 3)) if velocity is None else np.array([velocity(r)[0] for r in self.r0])
        w = np.zeros((self.count, 3)) if velocity is None else np.array([velocity(r)[1] for r in self.r0])
        return np.concatenate((self.r0.ravel(), q.ravel(), v.ravel(), w.ravel()))

    def split(self, y):
        n = self.count
        return y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4), y[7 * n : 10 * n].reshape(n, 3), y[10 * n :].reshape(n, 3)

    def strains(self, r, q):
        R, Q = r[self.index], q[self.index]
        p = np.einsum("gi,eik->egk", self.N, Q)
        dp, dr = np.einsum("egi,eik->egk", self.dN, Q), np.einsum("egi,eik->egk", self.dN, R)
        n2 = (p * p).sum(-1, keepdims=True)
        kappa = 2 * times(conjugate(p), dp)[..., 1:] / n2
        along = back(p, dr)
        local = np.concatenate(
            (np.einsum("egji,egj->egi", self.R0, along - self.r0s), np.einsum("egji,egj->egi", self.R0, kappa)), axis=-1
        )
        return p, dp, n2, kappa, along, local

    def inner(self, r, q):
        """Forces in inertial axes and moments in the nodes' axes that the strains apply to the nodes, and the energy."""
        p, dp, n2, kappa, along, local = self.strains(r, q)
        stress = np.einsum("egij,egj->egi", self.K, local)
        energy = np.einsum("eg,egi,egi->", self.w, local, stress) / 2
        n = np.einsum("egij,egj->egi", self.R0, stress[..., :3])
        m = np.einsum("egij,egj->egi", self.R0, stress[..., 3:])
        turning = np.cross(n, along)
        by_slope = 2 * times(p, pure(m)) / n2
        by_value = 2 * (times(p, pure(turning)) - times(dp, pure(m)) - (kappa * m).sum(-1, keepdims=True) * p) / n2
        w = self.w[..., None]
        G = np.einsum("gi,egk->eik", self.N, w * by_value) + np.einsum("egi,egk->eik", self.dN, w * by_slope)
        F = np.einsum("egi,egk->eik", self.dN, w * turn(p, n))
        force, four = np.zeros((self.count, 3)), np.zeros((self.count, 4))
        np.add.at(force, self.index, F)
        np.add.at(four, self.index, G)
        return -force, -0.5 * times(conjugate(q), four)[..., 1:], energy

    def rates(self, t, y, load):
        r, q, v, w = self.split(y)
        if self.held is not None:
            q, w = q.copy(), w.copy()
            q[0], w[0] = self.held(t)
        F, T, _ = self.inner(r, q)
        if load is not None:
            load(t, F, T, q)
        if self.balanced:
            F += self.mass[:, None] * self.gravity
            a = F / self.mass[:, None]
            dw = np.einsum("nij,nj->ni", self.Jinv, T - np.cross(w, np.einsum("nij,nj->ni", self.J, w)))
        else:
            # in the node's axes: m a + w' x mc + w x (w x mc) = R^T F + m g, J w' + mc x a + w x J w = T + mc x g
            c = self.offset
            f = back(q, F) - np.cross(w, np.cross(w, c))
            m = T - np.cross(w, np.einsum("nij,nj->ni", self.J, w))
            x = np.linalg.solve(self.inertia, np.concatenate((f, m), axis=1)[..., None])[..., 0]
            a, dw = turn(q, x[:, :3]) + self.gravity, x[:, 3:]
        dq = 0.5 * times(q, pure(w))
        dr = v.copy()
        if self.held is not None:
            dr[0], dq[0], a[0], dw[0] = 0, 0, 0, 0
        return np.concatenate((dr.ravel(), dq.ravel(), a.ravel(), dw.ravel()))

    def energy(self, y):
        r, q, v, w = self.split(y)
        u = back(q, v)
        both = np.concatenate((u, w), axis=1)
        kinetic = np.einsum("ni,nij,nj->", both, self.inertia, both) / 2
        weight = -(self.mass[:, None] * r + turn(q, self.offset)) @ self.gravity
        return kinetic, weight.sum(), self.inner(r, q)[2]

    def run(self, times_out, load=None, kinks=(), velocity=None, rtol=1e-9, atol=1e-9):
        """States at the output times; the load has kinks at the times `kinks`."""
        y, t, out = self.start(velocity), 0.0, []
        ends = sorted({*[k for k in kinks if 0 < k < times_out[-1]], times_out[-1]})
        for end in ends:
            inside = [x for x in times_out if t <= x < end or x == end == times_out[-1]]
            done = solve_ivp(
                lambda s, z: self.rates(s, z, load), (t, end), y, "DOP853", rtol=rtol, atol=atol,
                t_eval=sorted({*inside, end}),
            )
            assert done.success, done.message
            for k, x in enumerate(done.t):
                if x in inside:
                    z = done.y[:, k].copy()
                    if self.held is not None:
                        q, w = self.held(x)
                        z[3 * self.count : 3 * self.count + 4] = q
                        z[10 * self.count : 10 * self.count + 3] = w
                    out.append(z)
            y, t = done.y[:, -1].copy(), end
        return out


def about_z(angle, rate):
    return np.array([math.cos(angle / 2), 0, 0, math.sin(angle / 2)]), np.array([0, 0, rate])
