# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of the mesh of two-node beam elements: the same elements written apart from the engine (maps of se(3) by
their power series, accelerations by complex steps), DOP853 in time.  Against a reference this is the error of the mesh alone."""

import numpy as np
from scipy.integrate import solve_ivp

from beam import back, conjugate, pure, times, turn

POINTS = (0.5 - 0.5 / np.sqrt(3), 0.5 + 0.5 / np.sqrt(3))


def skew(v):
    z = np.zeros(v.shape[:-1], v.dtype)
    x, y, w = v[..., 0], v[..., 1], v[..., 2]
    return np.stack((np.stack((z, -w, y), -1), np.stack((w, z, -x), -1), np.stack((-y, x, z), -1)), -2)


def ad(h):
    U, W = skew(h[..., :3]), skew(h[..., 3:])
    return np.concatenate((np.concatenate((W, U), -1), np.concatenate((0 * W, W), -1)), -2)


def tangent(h, terms=26):
    """T(h) = sum (-ad)^k/(k + 1)!."""
    A = -ad(h)
    total = power = np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)
    for k in range(1, terms):
        power = power @ A / (k + 1)
        total = total + power
    return total


def logarithm(qa, qb, dr):
    """d = log(H_a^-1 H_b); the quaternions may have any length."""
    q = times(conjugate(qa), qb)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    q *= np.sign(q[..., :1])
    half = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    w = q[..., 1:] * np.where(half > 1e-8, 2 * np.arctan2(half, q[..., :1]) / np.where(half > 0, half, 1), 2)
    T = tangent(np.concatenate((0 * w, w), -1))[..., :3, :3]  # x = T^T u
    u = np.linalg.solve(np.swapaxes(T, -1, -2), back(qa, dr)[..., None])[..., 0]
    return np.concatenate((u, w), -1)


class Mesh:
    """A chain of nodes at r [n, 3] with quaternions q [n, 4] of their sections, elements of the given lengths between them."""

    def __init__(self, r, q, lengths, K, M, held=False):
        self.r, self.q, self.held = np.array(r), np.array(q), held
        self.L = np.array(lengths)[:, None]
        self.K, self.M = (np.diag(A) if np.ndim(A) == 1 else np.array(A) for A in (K, M))
        self.d0 = logarithm(self.q[:-1], self.q[1:], self.r[1:] - self.r[:-1])
        self.count = len(self.r)

    def share(self, d, Tinv, s):
        return s * tangent(s * d) @ Tinv

    def forces(self, r, q, V):
        """Mass matrix and what M V' is equal to, less the loads."""
        d = logarithm(q[:-1], q[1:], r[1:] - r[:-1])
        Tinv = np.linalg.inv(tangent(d))
        back_inv = np.linalg.inv(tangent(-d))
        a, b = V[:-1], V[1:]
        rate = (Tinv @ b[..., None] - back_inv @ a[..., None])[..., 0]
        stress = (d - self.d0) / self.L @ self.K.T
        n, count = len(d), self.count
        mass = np.zeros((count, 6, count, 6))
        f = np.zeros((count, 6))
        f[:-1] += (np.swapaxes(back_inv, -1, -2) @ stress[..., None])[..., 0]
        f[1:] -= (np.swapaxes(Tinv, -1, -2) @ stress[..., None])[..., 0]
        step = d + 1e-30j * rate
        step_inv = np.linalg.inv(tangent(step))
        i = np.arange(n)
        for s in POINTS:
            S = self.share(d, Tinv, s)
            along = self.share(step, step_inv, s).imag / 1e-30
            first = np.eye(6) - S
            v = a + (S @ (b - a)[..., None])[..., 0]
            P = v @ self.M.T
            gyro = (along @ (b - a)[..., None])[..., 0] @ self.M.T - (np.swapaxes(ad(v), -1, -2) @ P[..., None])[..., 0]
            w = self.L[..., None] / 2
            for A, k in ((first, 0), (S, 1)):
                At = np.swapaxes(A, -1, -2)
                f[i + k] -= (w * (At @ gyro[..., None]))[..., 0]
                for B, l in ((first, 0), (S, 1)):
                    mass[i + k, :, i + l, :] += w * (At @ self.M @ B)
        return mass.reshape(6 * count, 6 * count), f

    def rates(self, t, y, load):
        n = self.count
        r, q, V = y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4), y[7 * n :].reshape(n, 6)
        mass, f = self.forces(r, q, V)
        if load is not None:
            load(t, f, q)
        A = np.zeros(6 * n)
        k = 6 if self.held else 0
        A[k:] = np.linalg.solve(mass[k:, k:], f.ravel()[k:])
        return np.concatenate((turn(q, V[:, :3]).ravel(), (0.5 * times(q, pure(V[:, 3:]))).ravel(), A))

    def run(self, times_out, load=None, kinks=(), rtol=1e-6, atol=1e-7):
        """Positions [n, 3] and velocities [n, 3] at the output times, from rest."""
        y = np.concatenate((self.r.ravel(), self.q.ravel(), np.zeros(6 * self.count)))
        t, out, n = 0.0, [], self.count
        for end in sorted({*[k for k in kinks if 0 < k < times_out[-1]], times_out[-1]}):
            inside = [x for x in times_out if t <= x < end or x == end == times_out[-1]]
            done = solve_ivp(
                lambda s, z: self.rates(s, z, load), (t, end), y, "DOP853", rtol=rtol, atol=atol, t_eval=sorted({*inside, end})
            )
            assert done.success, done.message
            for k, x in enumerate(done.t):
                if x in inside:
                    z = done.y[:, k]
                    out.append((z[: 3 * n].reshape(n, 3), turn(z[3 * n : 7 * n].reshape(n, 4), z[7 * n :].reshape(n, 6)[:, :3])))
            y, t = done.y[:, -1].copy(), end
        return out
