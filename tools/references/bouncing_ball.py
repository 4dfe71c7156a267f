# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of bouncing_ball: free flights in closed form, blows by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp

import forces
from common import axes, load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t", *axes("ball.position"), *axes("ball.velocity"), "energy.total"]


class Floor(forces.Load):
    def __init__(self, scene):
        spec = scene["forces"][0]
        self.r, self.m = scene["parameters"]["r"], scene["parameters"]["m"]
        self.k, self.n, self.b = spec["stiffness"], spec["exponent"], spec["dissipation"]

    def push(self, z, v):
        depth = self.r - z
        return self.k * depth**self.n * max(0.0, 1 - self.b * v) if depth > 0 else 0.0

    def wrenches(self, motions, _):
        return [(0, np.array([0, 0, self.push(motions[0].x[2], motions[0].xd[2])]), np.zeros(3))]

    def stored(self, z):
        return self.k * max(0.0, self.r - z) ** (self.n + 1) / (self.n + 1)

    def energy(self, motions):
        return self.stored(motions[0].x[2])


class Ball:
    """Flight after flight: pieces (start, end, state at t)."""

    def __init__(self, floor, g, height, end, tolerance):
        self.floor, self.g, self.tolerance = floor, g, tolerance
        self.pieces, t, z, v = [], 0.0, height, 0.0
        while t < end:
            touch = t + (v + np.sqrt(v * v + 2 * g * (z - floor.r))) / g
            self.pieces.append((touch, self.flight(t, z, v)))
            t, v = touch, v - g * (touch - t)
            t, v = self.blow(t, v)
            z = floor.r

    def flight(self, t0, z, v):
        return lambda t: (z + v * (t - t0) - self.g * (t - t0) ** 2 / 2, v - self.g * (t - t0))

    def blow(self, t, v):
        floor = self.floor
        leave = lambda t, y: floor.r - y[0]
        leave.terminal, leave.direction = True, -1
        rates = lambda t, y: [y[1], floor.push(*y) / floor.m - self.g]
        tolerance = self.tolerance
        out = solve_ivp(
            rates, (t, t + 1), [floor.r, v], "DOP853", rtol=tolerance, atol=1e-3 * tolerance, events=leave, dense_output=True
        )
        self.pieces.append((out.t_events[0][-1], out.sol))
        return out.t_events[0][-1], out.y_events[0][-1][1]

    def __call__(self, t):
        return next(piece(t) for end, piece in self.pieces if t <= end)


def restitution(floor, v):
    """Speed after a blow without gravity: v/b - ln(1 + b v)/b^2 is the same at both ends."""
    b = floor.b
    level = v / b - np.log1p(b * v) / b**2
    u = v
    for _ in range(100):
        u -= (-u / b - np.log1p(-b * u) / b**2 - level) / (-1 / b + 1 / (b * (1 - b * u)))
    return u


def main():
    scene = load_scene("bouncing_ball")
    floor, g = Floor(scene), -scene["gravity"][2]
    times = [float(t) for t in output_times(scene)]

    def table(tolerance):
        ball, rows = Ball(floor, g, scene["bodies"][0]["position"][2], times[-1], tolerance), []
        for t in times:
            z, v = ball(t)
            rows.append([t, 0, 0, z, 0, 0, v, floor.m * (v * v / 2 + g * z) + floor.stored(z)])
        return rows

    light = Ball(floor, 0.0 + 1e-300, 0.0, 0.0, 1e-13)
    light.g = 0.0
    after = light.blow(0.0, -2.0)[1]
    assert abs(after - restitution(floor, 2.0)) < 1e-10, "a blow without gravity"
    sidecar(
        "bouncing_ball",
        "bouncing_ball.py",
        "Ball that bounces on a floor with dissipation",
        "Hunt and Crossley, Journal of Applied Mechanics 42 (1975) 440-445: the law of the contact",
        "flights in closed form, blows by DOP853 at 1e-13 from touch to lift-off, checked with 1e-12; the blow against its "
        "first integral without gravity",
        COLUMNS,
        table(1e-13),
        table(1e-12),
        forces.tables(scene, lambda s: forces.Free(s, [floor])),
    )


if __name__ == "__main__":
    main()
