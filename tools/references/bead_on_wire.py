# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of bead_on_wire: the parameter of scipy's periodic spline by DOP853 from knot to knot."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from common import axes, load_scene, output_times
from reduced import Alpha, Track, sidecar, tables

COLUMNS = ["t", "wire.travel", "wire.speed", *axes("bead.position"), "energy.total"]


class Wire:
    """x(u), u along the polygon through the points; x'.x' u'' = x'.(g - x'' u'^2)."""

    def __init__(self, scene):
        points = np.array(scene["joints"][0]["curve"]["points"])
        points = np.vstack((points, points[:1]))
        self.knots = np.append(0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
        self.x = CubicSpline(self.knots, points, bc_type="periodic")
        self.d, self.dd = self.x.derivative(), self.x.derivative(2)
        self.mass, self.gravity = scene["bodies"][0]["mass"], np.array(scene["gravity"])
        self.start = np.linalg.norm(scene["bodies"][0]["velocity"]) / np.linalg.norm(self.d(0))

    def second(self, u, rate, piece=None):
        d, dd = self.d(u), self.dd(u) if piece is None else self.bend(u, piece)
        return d @ (self.gravity - dd * rate**2) / (d @ d)

    def bend(self, u, piece):
        """x'' of one piece, also at its ends and a little beyond."""
        a, b = self.knots[piece : piece + 2]
        return self.dd(a) + (self.dd(b) - self.dd(a)) * (u - a) / (b - a)

    def row(self, t, u, rate, travel):
        u = u % self.knots[-1]
        x, d = self.x(u), self.d(u)
        speed = np.linalg.norm(d) * rate
        energy = self.mass * (speed**2 / 2 - self.gravity @ x)
        return [t, travel, speed, *x, energy]


def trajectory(wire, times, tolerance):
    """Rows at the times; the equation is smooth from knot to knot, and the bead never turns back."""
    y, t, rows, piece, rounds = np.array([0.0, wire.start, 0.0]), 0.0, [], 0, 0
    while len(rows) < len(times):
        end = wire.knots[piece + 1]

        def rates(_, y):
            return [y[1], wire.second(y[0], y[1], piece), np.linalg.norm(wire.d(y[0])) * y[1]]

        def leaves(_, y):
            return y[0] - end

        leaves.terminal, leaves.direction = True, 1
        run = solve_ivp(rates, (t, t + 10), y, "DOP853", rtol=tolerance, atol=tolerance, events=leaves, dense_output=True)
        while len(rows) < len(times) and times[len(rows)] <= run.t[-1]:
            rows.append(wire.row(times[len(rows)], *run.sol(times[len(rows)])))
        t, y, piece = run.t[-1], run.y[:, -1], piece + 1
        if piece == len(wire.knots) - 1:
            piece, rounds, y[0] = 0, rounds + 1, 0.0
    assert rounds >= 2
    return rows


def march(wire, rho, h, steps):
    """The method in space, with the bead on the curve at the end of every step and no force along it there."""
    m = Alpha(rho, h)
    length = wire.knots[-1]

    def motion(u, rate):
        d, dd = wire.d(u % length), wire.dd(u % length)
        return d * rate, d * wire.second(u % length, rate) + dd * rate**2

    u, s = 0.0, 1e-4
    v, vd = motion(u, wire.start)
    bend = wire.second(u, wire.start)
    jerk = sum(k * motion(k * s * wire.start + s * s / 2 * bend, wire.start + k * s * bend)[1] for k in (1, -1)) / (2 * s)
    t0 = wire.d(0) / np.linalg.norm(wire.d(0))
    off = m.off(jerk)
    track, travel = Track(m, v + off - (off @ t0) * t0, vd, jerk), 0.0
    out = [(0.0, u, v, vd, travel)]
    for n in range(1, steps + 1):
        here, du, change = wire.x(u % length), h * (track.v @ track.v) ** 0.5, 1.0
        while abs(change) > 1e-14:
            at = (u + du) % length
            d = wire.d(at)
            change = d @ (track.reach(wire.x(at) - here)[2] - wire.gravity) / (d @ d) * m.beta * h * h * (1 - m.af) / (1 - m.am)
            du -= change
        # length of the curve from u to u + du, through the knots: Simpson's error at this step is below 1e-12
        speeds = [np.linalg.norm(wire.d((u + part * du) % length)) for part in (0, 0.5, 1)]
        travel += du * (speeds[0] + 4 * speeds[1] + speeds[2]) / 6
        track.go(wire.x((u + du) % length) - here)
        u += du
        out.append((n * h, u, track.v, track.vd, travel))
    return out


def signals(wire, t, u, v, vd, travel):
    d, x = wire.d(u % wire.knots[-1]), wire.x(u % wire.knots[-1])
    energy = wire.mass * (v @ v / 2 - wire.gravity @ x)
    return dict(zip(COLUMNS, [t, travel, v @ d / np.linalg.norm(d), *x, energy]))


def main():
    scene = load_scene("bead_on_wire")
    wire = Wire(scene)
    times = [float(t) for t in output_times(scene)]
    rows, check = (trajectory(wire, times, tolerance) for tolerance in (1e-13, 1e-12))
    assert max(abs(row[-1] - rows[0][-1]) for row in rows) < 1e-10, "energy"
    sidecar(
        "bead_on_wire",
        "bead_on_wire.py",
        scene["title"],
        "own equation of motion of the spline's parameter; the reaction is left out: its rate jumps at the points",
        "scipy's periodic spline, DOP853 at 1e-13 from knot to knot, checked with 1e-12 and the energy",
        COLUMNS,
        rows,
        check,
        tables(scene, lambda *a: march(wire, *a), lambda *s: signals(wire, *s)),
        "; the method's error by reduced.py in space",
    )


if __name__ == "__main__":
    main()
