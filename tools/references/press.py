# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of press: the ram's travel by DOP853, from kink to kink."""

import numpy as np
from scipy.integrate import solve_ivp

import forces
from common import load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t", "rail.travel", "rail.speed", "servo.effort", "pad.effort", "block.effort", "energy.total"]


class Curve:
    """Monotone curve of M. Steffen, Astronomy and Astrophysics 239 (1990) 443-450; straight on outside."""

    def __init__(self, table):
        self.x, self.y = np.array(table, dtype=float).T
        h = np.diff(self.x)
        s = np.diff(self.y) / h
        p = (s[:-1] * h[1:] + s[1:] * h[:-1]) / (h[:-1] + h[1:])
        inner = (np.sign(s[:-1]) + np.sign(s[1:])) * np.minimum(np.minimum(abs(s[:-1]), abs(s[1:])), abs(p) / 2)
        self.slope = np.concatenate(([s[0]], inner, [s[-1]]))  # at the ends the slope of the outer interval

    def _pieces(self, x):
        """Polynomial of the interval around its left point, lowest power first."""
        i = int(np.clip(np.searchsorted(self.x, x) - 1, 0, len(self.x) - 2))
        h, s = self.x[i + 1] - self.x[i], (self.y[i + 1] - self.y[i]) / (self.x[i + 1] - self.x[i])
        a, b = self.slope[i], self.slope[i + 1]
        return i, np.array([self.y[i], a, (3 * s - 2 * a - b) / h, (a + b - 2 * s) / h**2])

    def __call__(self, x):
        for end, outside in ((0, x < self.x[0]), (-1, x > self.x[-1])):
            if outside:
                return self.y[end] + self.slope[end] * (x - self.x[end])
        i, c = self._pieces(x)
        return np.polyval(c[::-1], x - self.x[i])

    def integral(self, x):
        """From 0 to x, both within the table."""
        assert self.x[0] <= x <= self.x[-1]
        return self._primitive(x) - self._primitive(0.0)

    def _primitive(self, x):
        total = 0.0
        for j in range(len(self.x) - 1):
            top = min(x, self.x[j + 1]) - self.x[j]
            if top > 0:
                _, c = self._pieces((self.x[j] + self.x[j + 1]) / 2)
                total += np.polyval(np.append((c / [1, 2, 3, 4])[::-1], 0), top)
        return total


class Press(forces.Load):
    def __init__(self, scene):
        known = scene["parameters"]
        self.m, self.stroke = known["m"], known["stroke"]
        servo, _, block = scene["forces"]
        self.kp, self.kd = servo["kp"], servo["kd"]
        self.k, self.n, self.b = block["stiffness"], block["exponent"], block["dissipation"]
        self.curve = Curve(scene["functions"]["rubber"]["table"])

    def servo(self, t, x, v):
        w, size = 2 * np.pi, self.stroke / 1.4
        return self.kp * (size * (1 - np.cos(w * t)) - x) + self.kd * (size * w * np.sin(w * t) - v)

    def pad(self, x, v):
        return -self.curve(x) - (4 * v + 10 * v * abs(v))

    def block(self, x, v):
        depth = x - self.stroke
        return -self.k * depth**self.n * max(0.0, 1 + self.b * v) if depth > 0 else 0.0

    def efforts(self, t, x, v):
        return [self.servo(t, x, v), self.pad(x, v), self.block(x, v)]

    def stored(self, x):
        return self.curve.integral(x) + self.k * max(0.0, x - self.stroke) ** (self.n + 1) / (self.n + 1)

    def wrenches(self, motions, t):
        return [(0, np.array([sum(self.efforts(t, motions[0].x[0], motions[0].xd[0])), 0, 0]), np.zeros(3))]

    def energy(self, motions):
        return self.stored(motions[0].x[0])

    def signals(self, motions, t):
        x, v = motions[0].x[0], motions[0].xd[0]
        return dict(zip(COLUMNS[1:6], (x, v, *self.efforts(t, x, v))))

    def solve(self, times, tolerance):
        """Piece by piece: a kink of a force ends a piece."""
        rates = lambda t, y: [y[1], sum(self.efforts(t, *y)) / self.m]
        events = [lambda t, y, at=at: y[0] - at for at in [*self.curve.x, self.stroke]] + [lambda t, y: y[1]]
        for event in events:
            event.terminal = True
        t, y, out, nudge = 0.0, [0.0, 0.0], {}, 1e-9
        while t < times[-1]:
            # a short piece without events leaves the kink where the last one ended
            for watch, end in ((None, min(t + nudge, times[-1])), (events, times[-1])):
                if t >= times[-1]:
                    break
                piece = solve_ivp(
                    rates, (t, end), y, "DOP853", rtol=tolerance, atol=1e-2 * tolerance, events=watch, dense_output=True
                )
                for s in times:
                    if t <= s <= piece.t[-1]:
                        out[s] = piece.sol(s)
                t, y = piece.t[-1], piece.y[:, -1]
        return [out[s] for s in times]


def main():
    scene = load_scene("press")
    press = Press(scene)
    times = [float(t) for t in output_times(scene)]

    def table(tolerance):
        return [
            [t, x, v, *press.efforts(t, x, v), press.m * v * v / 2 + press.stored(x)]
            for t, (x, v) in zip(times, press.solve(times, tolerance))
        ]

    rows, check = table(1e-13), table(1e-12)
    assert min(r[5] for r in rows) < -100, "the ram runs into the stop"
    sidecar(
        "press",
        "press.py",
        "Servo press: actuator, spring by table, stop",
        "own equation of motion; curve of M. Steffen, Astronomy and Astrophysics 239 (1990) 443-450",
        "DOP853 at 1e-13 from kink to kink, checked with 1e-12",
        COLUMNS,
        rows,
        check,
        forces.tables(scene, lambda s: forces.Joined(s, [press])),
    )


if __name__ == "__main__":
    main()
