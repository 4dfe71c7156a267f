# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of swinging_atwood: length and angle of the swinging part by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp

from common import axes, evaluate, load_scene, output_times
from mechanism import MATHS, sidecar, tables

COLUMNS = (
    ["t"]
    + [c for s in ("bob.position", "bob.velocity", "weight.position") for c in axes(s)]
    + ["rope.effort", "energy.total"]
)


def read(scene):
    known = {k: float(evaluate(str(v), MATHS)) for k, v in scene["parameters"].items()}
    weight = scene["bodies"][1]["position"]
    return known["M"], known["m"], known["r"], known["swing"], weight, -scene["gravity"][1]


class Polar:
    """(M + m) r'' = m r a'^2 + g (m cos a - M), r a'' = -2 r' a' - g sin a, the angle a from below."""

    def __init__(self, scene):
        self.M, self.m, self.r, self.swing, self.weight, self.g = read(scene)

    def second(self, r, a, dr, da):
        pull = self.m * r * da**2 + self.g * (self.m * np.cos(a) - self.M)
        return pull / (self.M + self.m), -(2 * dr * da + self.g * np.sin(a)) / r

    def solve(self, times, tolerance):
        ode = lambda t, y: [*y[2:], *self.second(*y)]
        y = solve_ivp(ode, (0, times[-1]), [self.r, self.swing, 0, 0], "DOP853", times, rtol=tolerance, atol=tolerance).y
        return [self.row(t, *state) for t, state in zip(times, y.T)]

    def row(self, t, r, a, dr, da):
        s, c = np.sin(a), np.cos(a)
        height = self.weight[1] + r - self.r
        ddr = self.second(r, a, dr, da)[0]
        energy = (self.M * dr**2 + self.m * (dr**2 + (r * da) ** 2)) / 2 + self.g * (self.M * height - self.m * r * c)
        velocity = [dr * s + r * da * c, -dr * c + r * da * s, 0]
        # the rope pulls the weight up by M (g + r'') and the bob back by as much
        return [t, r * s, -r * c, 0, *velocity, self.weight[0], height, 0, -self.M * (self.g + ddr), energy]


class Rope:
    """x and y of the bob and y of the weight with the rope's length kept."""

    n, m = 3, 1

    def __init__(self, scene):
        self.polar = p = Polar(scene)
        self.mass = np.array([p.m, p.m, p.M])
        self.load = -self.mass * p.g * [0, 1, 1]

    def start(self):
        p = self.polar
        self.length = p.r - p.weight[1]
        return np.array([p.r * np.sin(p.swing), -p.r * np.cos(p.swing), p.weight[1]]), np.zeros(3)

    def plus(self, q, dq):
        return q + dq

    def bracket(self, v, a):
        return np.zeros(3)

    def gradient(self, q):
        r = np.hypot(q[0], q[1])
        return r, np.array([[q[0] / r, q[1] / r, -1.0]])

    def residual(self, q, v, a, lam):
        r, B = self.gradient(q)
        return self.mass * a - self.load + B[0] * lam[0], np.array([r - q[2] - self.length])

    def saddle(self, q, v):
        r, B = self.gradient(q)
        turning = (v[0] ** 2 + v[1] ** 2 - (B[0, :2] @ v[:2]) ** 2) / r
        S = np.block([[np.diag(self.mass), B.T], [B, np.zeros((1, 1))]])
        return S, np.append(self.load, -turning), B

    def accelerations(self, q, v):
        S, f, _ = self.saddle(q, v)
        x = np.linalg.solve(S, f)
        return x[:3], x[3:]

    def recorder(self):
        return lambda q, v, a, lam: self.signals(q, v, lam)

    def signals(self, q, v, lam):
        p = self.polar
        energy = self.mass @ v**2 / 2 - self.load @ q
        values = [q[0], q[1], 0, v[0], v[1], 0, p.weight[0], q[2], 0, -lam[0], energy]
        return dict(zip(COLUMNS[1:], values))


def main():
    scene = load_scene("swinging_atwood")
    times = [float(t) for t in output_times(scene)]
    rows, check = (Polar(scene).solve(times, tolerance) for tolerance in (1e-13, 1e-12))
    sidecar(
        "swinging_atwood",
        "swinging_atwood.py",
        "Swinging Atwood's machine",
        "equations of motion in polar coordinates (Tufillaro, Abbott, Griffiths, Am. J. Phys. 52, 1984)",
        "DOP853 at 1e-13, checked with 1e-12",
        COLUMNS,
        rows,
        check,
        tables(scene, Rope),
    )


if __name__ == "__main__":
    main()
