# SPDX-License-Identifier: GPL-3.0-or-later
"""An equilibrium of the mesh of two-node beam elements: the same elements written apart from the engine (maps of se(3)
by their power series, derivatives by complex steps, stresses by element_order.py), Newton's method from the rod's own equilibrium.  Against the rod
this is the error of the mesh alone.

Newton's method is that of the mixed form, whose stress resultants are unknowns of their own: the geometric stiffness takes those that
the last step foresaw (D. Magisano, L. Leonetti, G. Garcea, Comput. Methods Appl. Mech. Eng. 313 (2017) 986-1005).  It converges
where those of the strains, large for stiff axes, do not."""

import numpy as np
from scipy.sparse import bmat, coo_matrix
from scipy.sparse.linalg import spsolve

from beam import back, times, turn
from beam_mesh import logarithm, skew, tangent
from element_order import Stresses

STEP = 1e-30


def transpose(A):
    return np.swapaxes(A, -1, -2)


def pull(F, d):
    """T(d)^-T F and its derivative by d."""
    value = np.linalg.solve(transpose(tangent(d)), F[..., None])[..., 0]
    moved = d[:, None, :] + 1j * STEP * np.eye(6)
    columns = np.linalg.solve(transpose(tangent(moved)), np.broadcast_to(F[:, None, :, None], moved.shape + (1,)))[..., 0].imag / STEP
    return value, transpose(columns)


def blocks(turned):
    """6 x 6 rotations by R^T."""
    R = np.stack([turn(turned, np.broadcast_to(e, turned.shape[:-1] + (3,))) for e in np.eye(3)], -1)
    A = np.zeros(R.shape[:-2] + (6, 6))
    A[..., :3, :3] = A[..., 3:, 3:] = transpose(R)
    return A


def halves(elements):
    """Fractions of each leg at the nodes and half-way between them."""
    return [np.arange(2 * n + 1) / (2 * n) for n in elements]


class RodMesh:
    """Legs of equal elements, `elements` [legs] of them, end to end.  Nodes carry the frame of the leg that ends there.  `free` [nodes, 6]:
    degrees of freedom (u, w) of the node's own axes; `loads`: (node, dead force, dead moment)."""

    def __init__(self, legs, elements, free=None, loads=None, order=4):
        self.nodes = sum(elements) + 1
        ends = np.cumsum(elements)
        self.first = np.arange(self.nodes - 1)
        self.L = np.concatenate([np.full(n, leg.length / n) for leg, n in zip(legs, elements)])
        self.K = np.concatenate([np.broadcast_to(leg.stiffness, (n, 6, 6)) for leg, n in zip(legs, elements)])
        self.d0 = np.concatenate([np.broadcast_to(np.concatenate(([1, 0, 0], leg.curvature)), (n, 6)) for leg, n in zip(legs, elements)]) * self.L[:, None]
        self.inner = Stresses(self.L, self.K, self.d0, np.full(len(self.L), order))
        self.turned = np.tile([1.0, 0, 0, 0], (self.nodes - 1, 1))
        for leg, begin in zip(legs[1:], ends):
            self.turned[begin] = leg.turned
        self.free = np.ones((self.nodes, 6), bool) if free is None else free
        if free is None:
            self.free[0] = False
        self.loads = [(end, leg.force, leg.moment) for leg, end in zip(legs, ends)] if loads is None else loads

    def stresses(self, r, q):
        """Of the elements' own strains."""
        d = logarithm(times(q[:-1], self.turned), q[1:], r[1:] - r[:-1])
        return self.inner.sigma(d)

    def residual(self, r, q, part, stress):
        """Forces and moments on the nodes, less the loads, and their tangent, all in the nodes' axes; and the stress resultants in the
        middle of the elements and how they change with the nodes at both ends: to first order about the unknowns `stress`."""
        A = blocks(self.turned)
        a = times(q[:-1], self.turned)
        d = logarithm(a, q[1:], r[1:] - r[:-1])
        C, B, bent = self.inner.matrices(d, stress)
        s = self.inner.generalised(d, stress)
        P = np.concatenate((-np.linalg.inv(tangent(-d)) @ A, np.linalg.inv(tangent(d))), -1)
        open_strain = (d - self.d0) / self.L[:, None] - np.einsum("eij,ej->ei", C, stress)
        change = np.linalg.solve(C, open_strain[..., None])[..., 0]
        rate = np.linalg.solve(C, B @ P) / self.L[:, None, None]
        F = s + np.einsum("eji,ej->ei", B, change)
        fa, fb = pull(F, -d)[0], pull(F, d)[0]
        Ga, Gb = (pull(s, x)[1] for x in (-d, d))
        material = transpose(P) @ (bent @ P + transpose(B) @ rate)
        tangents = material + np.concatenate((transpose(A) @ Ga, Gb), -2) @ P
        f = np.zeros((self.nodes, 6))
        f[:-1] -= (transpose(A) @ fa[..., None])[..., 0]
        f[1:] += fb
        index = (6 * self.first[:, None] + np.arange(12))[:, :, None]
        rows, columns = np.broadcast_to(index, tangents.shape), np.broadcast_to(transpose(index), tangents.shape)
        rows, columns, values = [rows.ravel()], [columns.ravel()], [tangents.ravel()]
        for node, force, moment in self.loads:
            n, m = back(q[node], part * force), back(q[node], part * moment)
            f[node] -= np.concatenate((n, m))
            block = np.zeros((6, 6))
            block[:3, 3:], block[3:, 3:] = -skew(n), -skew(m)
            i = np.arange(6 * node, 6 * node + 6)
            rows.append(np.repeat(i, 6)), columns.append(np.tile(i, 6)), values.append(block.ravel())
        size = 6 * self.nodes
        K = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (size, size)).tocsc()
        return f.ravel(), K, stress + change, rate

    def move(self, r, q, x):
        """H exp(x)."""
        u, w = x[:, :3], x[:, 3:]
        angle = np.linalg.norm(w, axis=1, keepdims=True)
        half = np.concatenate((np.cos(angle / 2), np.sinc(angle / (2 * np.pi)) * w / 2), axis=1)
        T = tangent(np.concatenate((0 * w, w), 1))[:, :3, :3]
        return r + turn(q, (transpose(T) @ u[..., None])[..., 0]), times(q, half)

    def border(self, f, K, r, q, free, node, direction, value):
        """Newton's step and that of the part."""
        load, along = np.zeros(6 * self.nodes), np.zeros(6 * self.nodes)
        for k, force, moment in self.loads:
            load[6 * k : 6 * k + 6] += np.concatenate((back(q[k], force), back(q[k], moment)))
        along[6 * node : 6 * node + 3] = back(q[node], direction)
        A = bmat([[K[free][:, free], -load[free][:, None]], [along[free][None], None]]).tocsc()
        x = spsolve(A, np.append(-f[free], value - r[node] @ direction))
        return x[:-1], x[-1]

    def settle(self, states, part, held=None):
        """Equilibrium near the rod's states [legs][2 elements + 1, 13], taken at `halves`, and its part of the load.  `held` (node,
        direction, value): the part is an unknown, and the node's position along the direction is given."""
        middles = np.concatenate([s[1::2] for s in states])
        stress = np.concatenate((back(middles[:, 3:7], middles[:, 7:10]), back(middles[:, 3:7], middles[:, 10:])), axis=1)
        nodes = np.concatenate([states[0][:1]] + [s[2::2] for s in states])
        r, q = nodes[:, :3], nodes[:, 3:7]
        free, last = self.free.ravel(), np.inf
        for _ in range(60):
            f, K, now, rate = self.residual(r, q, part, stress)
            x = np.zeros(6 * self.nodes)
            if held is None:
                x[free] = spsolve(K[free][:, free], -f[free])
            else:
                x[free], change = self.border(f, K, r, q, free, *held)
                part += change
            size, x = np.abs(x).max(), x.reshape(-1, 6)
            stress = now + np.einsum("eij,ej->ei", rate, np.concatenate((x[:-1], x[1:]), 1))
            r, q = self.move(r, q, x)
            if size < 1e-13 or (size < 1e-8 and size > last / 2):
                return r, q, part
            last = size
        raise RuntimeError(f"no convergence: {size}")
