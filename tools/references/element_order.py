# SPDX-License-Identifier: GPL-3.0-or-later
"""Inner forces of two-node beam elements of order 4, written apart from the engine: the stress varies along the element as
sigma + xi A(d)^T sigma, A = [[0, p~], [0, kappa~]] with the axis p of the unstrained element and the curvature kappa of the strained
one, and the complementary energy of the two Gauss points, L/2 sigma.C(d) sigma, makes C e = (d - d_0)/L into the energy

    W(d) = max over sigma of  sigma.(d - d_0) - L/2 sigma.C(d) sigma.

Elements of order 2 have C = K^-1, without A."""

import numpy as np

STEP = 1e-30  # complex


def skew(v):
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    return np.stack((np.stack((0 * x, -z, y), -1), np.stack((z, 0 * x, -x), -1), np.stack((-y, x, 0 * x), -1)), -2)


def mul(A, v):
    return (A @ v[..., None])[..., 0]


class Stresses:
    """Of elements of lengths L [n], section stiffnesses K [n, 6, 6], unstrained d_0 [n, 6] and orders [n]."""

    def __init__(self, L, K, d0, order):
        self.L, self.d0, self.order4 = L[:, None], d0, order == 4
        self.F = np.linalg.inv(K)
        self.fixed = np.linalg.inv(self.flexibility(d0))  # what damping has

    def slope(self, d):
        """A [.., 6, 6]."""
        A = np.zeros(d.shape + (6,), d.dtype)
        A[..., :3, 3:] = skew(self.d0[:, :3] / self.L)
        A[..., 3:, 3:] = skew(d[..., 3:] / self.L)
        A[..., ~self.order4, :, :] = 0
        return A

    def flexibility(self, d):
        A = self.slope(d)
        return self.F + (self.L**2 / 12)[..., None] * A @ self.F @ np.swapaxes(A, -1, -2)

    def sigma(self, d):
        """The stress in the middle."""
        return np.linalg.solve(self.flexibility(d), ((d - self.d0) / self.L)[..., None])[..., 0]

    def moved(self, d):
        """d and its six complex steps, in a leading dimension."""
        return d + 1j * STEP * np.eye(6).reshape((6,) + (1,) * (d.ndim - 1) + (6,))

    def generalised(self, d, sigma):
        """s: the derivative of sigma.(d - d_0) - L/2 sigma.C sigma by d."""
        along = mul(np.swapaxes(self.slope(self.moved(d)), -1, -2), sigma)  # of a middle that stays
        rate = (along * mul(self.F, along)).sum(-1).imag / STEP
        return sigma - self.L**3 / 24 * np.moveaxis(rate, 0, -1)

    def matrices(self, d, sigma):
        """C, B = d((d - d_0)/L - C sigma)/dd L and ds/dd with a constant sigma."""
        A, moved = self.slope(d), self.slope(self.moved(d))
        bent = self.L**2 / 12 * mul(moved, mul(self.F, mul(np.swapaxes(moved, -1, -2), sigma)))
        B = np.eye(6) - self.L[..., None] * np.moveaxis(bent.imag / STEP, 0, -1)
        U = np.moveaxis(mul(np.swapaxes(moved, -1, -2), sigma).imag / STEP, 0, -1)  # of A^T sigma, linear in d
        return self.flexibility(d), B, -(self.L**3 / 12)[..., None] * np.swapaxes(U, -1, -2) @ self.F @ U

    def energy(self, d):
        return (self.L[:, 0] / 2 * (self.sigma(d) * (d - self.d0) / self.L).sum(-1)).sum(-1)
