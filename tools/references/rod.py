# SPDX-License-Identifier: GPL-3.0-or-later
"""Equilibria of geometrically exact rods as two-point boundary value problems, in the strong form

    r' = R (e1 + Gamma),  R' = R (kappa0 + K)~,  n' = 0,  m' = -r' x n,   (Gamma, K) = C R^T (n, m)

with the 6 x 6 compliance C, by shooting (DOP853, Newton's method).  Legs follow each other with a turn and loads in between."""

import numpy as np
from scipy.integrate import solve_ivp

from beam import back, times, turn

TOLERANCE = 3e-14


class Leg:
    """Length, stiffness (6 or 6 x 6), curvature of the unstrained axis, quaternion of its frame in that of the leg before, and the
    dead force and moment at its end."""

    def __init__(self, length, stiffness, curvature=(0, 0, 0), turned=(1.0, 0, 0, 0), force=(0, 0, 0), moment=(0, 0, 0)):
        stiffness = np.diag(stiffness) if np.ndim(stiffness) == 1 else np.array(stiffness, float)
        self.length, self.stiffness, self.compliance = length, stiffness, np.linalg.inv(stiffness)
        self.curvature, self.turned = np.array(curvature, float), np.array(turned, float)
        self.force, self.moment = np.array(force, float), np.array(moment, float)


def rates(leg, y):
    """y [batch, 13]: r, q, n, m."""
    q, n, m = y[:, 3:7], y[:, 7:10], y[:, 10:]
    local = np.concatenate((back(q, n), back(q, m)), axis=1) @ leg.compliance.T
    tangent = turn(q, local[:, :3] + np.array([1.0, 0, 0]))
    spin = np.concatenate((np.zeros((len(y), 1)), local[:, 3:] + leg.curvature), axis=1)
    return np.concatenate((tangent, times(q, spin) / 2, 0 * n, -np.cross(tangent, n)), axis=1)


def along(leg, y, at):
    """States [len(at), batch, 13] at lengths `at` of a leg that starts with y."""
    shape = y.shape
    done = solve_ivp(
        lambda s, z: rates(leg, z.reshape(shape)).ravel(), (0, leg.length), y.ravel(), "DOP853", t_eval=at, rtol=TOLERANCE, atol=1e-14
    )
    assert done.success, done.message
    return done.y.T.reshape((len(at),) + shape)


def shoot(legs, y, part, at=None):
    """States at the end or, with `at` [legs], lists of those at these fractions of each leg; loads are multiplied by `part` [batch]."""
    out = []
    for k, leg in enumerate(legs):
        y = y.copy()
        if k > 0:
            y[:, 3:7] = times(y[:, 3:7], leg.turned)
        states = along(leg, y, [leg.length * s for s in at[k]] if at is not None else [leg.length])
        y = states[-1].copy()
        out.append(states)
        if k + 1 < len(legs):
            y[:, 7:10] -= np.multiply.outer(part, leg.force)
            y[:, 10:] -= np.multiply.outer(part, leg.moment)
    return y if at is None else out


def newton(miss, x, scale, most=40):
    """Zero of miss([batch, k]) -> [batch, k] near x, in one batch with forward differences of 1e-7 of `scale`."""
    steps = np.diag(1e-7 * scale)
    last = np.inf
    for _ in range(most):
        values = miss(np.vstack((x, x + steps)))
        step = np.linalg.solve(((values[1:] - values[0]) / (1e-7 * scale)[:, None]).T, values[0])
        size = np.abs(step / scale).max()
        if size > 1:
            step /= size
        x = x - step
        if size < 1e-10 or (size < 1e-8 and size > last / 2):
            return x
        last = size
    raise RuntimeError(f"no convergence: {size}")


class Cantilever:
    """A rod clamped with the quaternion q0 at the origin, under the dead loads of its legs' ends."""

    def __init__(self, legs, q0=(1.0, 0, 0, 0)):
        self.legs, self.q0 = legs, np.array(q0, float)
        length = sum(leg.length for leg in legs)
        size = sum(np.linalg.norm(leg.force) * length + np.linalg.norm(leg.moment) for leg in legs)
        self.scale = np.full(3, size)

    def start(self, m0, part):
        y = np.zeros((len(m0), 13))
        y[:, 3:7], y[:, 10:] = self.q0, m0
        y[:, 7:10] = np.multiply.outer(part, sum(leg.force for leg in self.legs))
        return y

    def miss(self, m0, part):
        part = np.full(len(m0), part)
        y = shoot(self.legs, self.start(m0, part), part)
        return y[:, 10:] - np.multiply.outer(part, self.legs[-1].moment)

    def path(self, parts, starts=None):
        """m at the clamp for each part of the load, one from those before or, with `starts`, each from its own."""
        known = [(0.0, np.zeros(3))]
        for at in parts:
            x = known[-1][1]
            if starts is not None:
                x = np.array(starts(at))
            elif len(known) > 2:  # through the last three points
                p, v = zip(*known[-3:])
                x = sum(v[j] * np.prod([(at - p[l]) / (p[j] - p[l]) for l in range(3) if l != j]) for j in range(3))
            known.append((at, newton(lambda m: self.miss(m, at), x, self.scale)))
        return [m for _, m in known[1:]]

    def states(self, m0, part, at):
        """[legs][len(at[leg]), 13]"""
        part = np.array([part])
        return [s[:, 0] for s in shoot(self.legs, self.start(np.array([m0]), part), part, at)]
