# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of kapitza_pendulum: the rod's angle by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp

from common import axes, evaluate, load_scene, output_times
from mechanism import MATHS, sidecar, tables

COLUMNS = (
    ["t", "hinge.angle", "hinge.rate"]
    + [c for s in ("rod.position", "shaker.force") for c in axes(s)]
    + ["energy.total"]
)


class Shaken:
    """(J + m l^2) b'' = m l (g + y'') sin b with the angle b from upright and the pivot's height y = A cos(w t)."""

    def __init__(self, scene):
        known = {k: float(evaluate(str(v), MATHS)) for k, v in scene["parameters"].items()}
        self.m, self.l, self.J, self.A, self.w, self.lean = (known[k] for k in ("m", "half", "J", "A", "w", "lean"))
        self.carriage, self.g = scene["bodies"][0]["mass"], -scene["gravity"][1]

    def pivot(self, t):
        c, s = self.A * np.cos(self.w * t), self.A * np.sin(self.w * t)
        return c, -self.w * s, -self.w**2 * c

    def second(self, t, b):
        return self.m * self.l * (self.g + self.pivot(t)[2]) * np.sin(b) / (self.J + self.m * self.l**2)

    def solve(self, times, tolerance):
        ode = lambda t, y: [y[1], self.second(t, y[0])]
        y = solve_ivp(ode, (0, times[-1]), [self.lean, 0], "DOP853", times, rtol=tolerance, atol=tolerance, max_step=0.1 / self.w).y
        return [[t, *self.signals(t, b, db, self.second(t, b))] for t, b, db in zip(times, *y)]

    def signals(self, t, b, db, ddb):
        m, l, (y, dy, ddy) = self.m, self.l, self.pivot(t)
        s, c = np.sin(b), np.cos(b)
        velocity = np.array([-l * c * db, dy - l * s * db])
        second = np.array([l * (s * db**2 - c * ddb), ddy - l * (c * db**2 + s * ddb)])
        push = [m * second[0], m * second[1] + self.carriage * ddy + (m + self.carriage) * self.g]
        energy = (m * velocity @ velocity + self.J * db**2 + self.carriage * dy**2) / 2
        energy += self.g * (m * (y + l * c) + self.carriage * y)
        return [np.pi / 2 + b, db, -l * s, y + l * c, 0, *push, 0, energy]


class Bodies:
    """Carriage (x, y), rod (x, y, angle from upright) and the time, a mass that nothing acts on.

    Rows: the carriage's place, where the time stands, and the pin.
    """

    n, m = 6, 4

    def __init__(self, scene):
        self.ode = o = Shaken(scene)
        self.mass = np.array([o.carriage, o.carriage, o.m, o.m, o.J, 1.0])
        self.load = -self.mass * o.g * [0, 1, 0, 1, 0, 0]

    def start(self):
        o = self.ode
        return np.array([0, o.A, -o.l * np.sin(o.lean), o.A + o.l * np.cos(o.lean), o.lean, 0]), np.array([0, 0, 0, 0, 0, 1.0])

    def plus(self, q, dq):
        return q + dq

    def bracket(self, v, a):
        return np.zeros(6)

    def rows(self, q):
        l, s, c = self.ode.l, np.sin(q[4]), np.cos(q[4])
        phi = np.array([q[0], q[1] - self.ode.pivot(q[5])[0], q[2] - q[0] + l * s, q[3] - q[1] - l * c])
        B = np.zeros((4, 6))
        B[0, 0] = B[1, 1] = B[2, 2] = B[3, 3] = 1
        B[2, 0] = B[3, 1] = -1
        B[2, 4], B[3, 4] = l * c, l * s
        return phi, B

    def residual(self, q, v, a, lam):
        phi, B = self.rows(q)
        return self.mass * a - self.load + B.T @ lam, phi

    def saddle(self, q, v):
        _, B = self.rows(q)
        l, s, c = self.ode.l, np.sin(q[4]), np.cos(q[4])
        hidden = np.array([0, -self.ode.pivot(q[5])[2], -l * s * v[4] ** 2, l * c * v[4] ** 2])
        S = np.block([[np.diag(self.mass), B.T], [B, np.zeros((4, 4))]])
        return S, np.append(self.load, -hidden), B

    def accelerations(self, q, v):
        S, f, _ = self.saddle(q, v)
        x = np.linalg.solve(S, f)
        return x[:6], x[6:]

    def recorder(self):
        return lambda q, v, a, lam: self.signals(q, v, lam)

    def signals(self, q, v, lam):
        energy = self.mass[:5] @ v[:5] ** 2 / 2 - self.load @ q
        values = [np.pi / 2 + q[4], v[4], q[2], q[3], 0, -lam[0], -lam[1], 0, energy]
        return dict(zip(COLUMNS[1:], values))


def main():
    scene = load_scene("kapitza_pendulum")
    times = [float(t) for t in output_times(scene)]
    rows, check = (Shaken(scene).solve(times, tolerance) for tolerance in (1e-13, 1e-12))
    sidecar(
        "kapitza_pendulum",
        "kapitza_pendulum.py",
        "Kapitza's pendulum",
        "equation of motion of the rod's angle with the pivot's acceleration",
        "DOP853 at 1e-13, checked with 1e-12",
        COLUMNS,
        rows,
        check,
        tables(scene, Bodies),
    )


if __name__ == "__main__":
    main()
