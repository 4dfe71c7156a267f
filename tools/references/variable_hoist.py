# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of variable_hoist: the spindle's rate by DOP853."""

import math

import numpy as np
from scipy.integrate import solve_ivp

from common import evaluate, load_scene, output_times
from reduced import Alpha, Track, sidecar, tables

COLUMNS = ["t", "axle.angle", "axle.rate", "bearing.angle", "bearing.rate", "bearing.travel", "gear.effort", "thread.effort"]


class Hoist:
    """(J2 + m l^2) w' + m g l = r Q and J1 w1' + T + d w1 = Q with w1 = -r w; Q: effort of the gear on the shaft."""

    def __init__(self, scene):
        self.p = p = {key: evaluate(str(value), {}) for key, value in scene["parameters"].items()}
        self.first = p["J_shaft"] + p["J_wheel"]
        self.second = p["J_spindle"] + p["m"] * p["lead"] ** 2
        self.weight = p["m"] * p["g"] * p["lead"]

    def ratio(self, t):
        p = self.p
        return p["r0"] + p["r1"] * math.sin(p["w"] * t), p["r1"] * p["w"] * math.cos(p["w"] * t)

    def accelerations(self, t, w):
        r, change = self.ratio(t)
        push = r * (self.p["T"] - self.first * change * w - self.p["drag"] * r * w) - self.weight
        w_rate = push / (self.second + r * r * self.first)
        return -r * w_rate - change * w, w_rate

    def rates(self, t, y):
        return [-self.ratio(t)[0] * y[2], y[2], self.accelerations(t, y[2])[1]]

    def row(self, t, y, rates=None, accelerations=None):
        w1, w = rates or (-self.ratio(t)[0] * y[2], y[2])
        a1, a = accelerations or self.accelerations(t, y[2])
        p = self.p
        gear = self.first * a1 + p["T"] + p["drag"] * w1
        return [t, y[0], w1, y[1], w, p["lead"] * y[1], gear, p["m"] * (p["lead"] * a + p["g"])]


def march(hoist, rho, h, steps):
    """The method on both angles; the gear holds their rates at the end of every step."""
    m = Alpha(rho, h)
    start = hoist.accelerations(0.0, 0.0)
    # jerk from accelerations one step to either side, as the method starts
    sides = [hoist.accelerations(s, s * start[1]) for s in (h, -h)]
    tracks = [Track(m, 0.0, start[i], (sides[0][i] - sides[1][i]) / (2 * h)) for i in (0, 1)]
    y, out = [0.0, 0.0, 0.0], [(0.0, [0.0, 0.0, 0.0], (0.0, 0.0), start)]
    per_way = m.gamma / (m.beta * h)  # change of a rate with the way

    def ends(t, way):
        """Both ways and what they lead to; the first one has the rate that the gear gives it."""
        second = tracks[1].reach(way)
        wanted = -hoist.ratio(t)[0] * second[1]
        first_way = (wanted - tracks[0].reach(0.0)[1]) / per_way
        return first_way, tracks[0].reach(first_way), second

    for n in range(1, steps + 1):
        t, way, change = n * h, h * tracks[1].v, 1.0
        r = hoist.ratio(t)[0]
        slope = (hoist.second + r * r * hoist.first) * (1 - m.am) / (1 - m.af) / (m.beta * h * h)
        while abs(change) > 1e-15 * (1 + abs(way)):
            _, first, second = ends(t, way)
            gear = hoist.first * first[2] + hoist.p["T"] + hoist.p["drag"] * first[1]
            change = (hoist.second * second[2] + hoist.weight - r * gear) / slope
            way -= change
        first_way = ends(t, way)[0]
        tracks[0].go(first_way)
        tracks[1].go(way)
        y = [y[0] + first_way, y[1] + way, tracks[1].v]
        out.append((t, y, (tracks[0].v, tracks[1].v), (tracks[0].vd, tracks[1].vd)))
    return out


def main():
    scene = load_scene("variable_hoist")
    hoist = Hoist(scene)
    times = [float(t) for t in output_times(scene)]

    def table(tolerance):
        y = solve_ivp(hoist.rates, (0, times[-1]), [0, 0, 0], "DOP853", times, rtol=tolerance, atol=tolerance).y
        return [hoist.row(t, c) for t, c in zip(times, y.T)]

    rows = table(1e-13)
    assert max(abs(np.array(rows)[:, 5])) > 0.1
    sidecar(
        "variable_hoist",
        "variable_hoist.py",
        scene["title"],
        "own equation of motion of the one rate that is free",
        "DOP853 at 1e-13, checked with 1e-12",
        COLUMNS,
        rows,
        table(1e-12),
        tables(scene, lambda *a: march(hoist, *a), lambda *s: dict(zip(COLUMNS, hoist.row(*s)))),
        "; the method's error by reduced.py on both angles",
    )


if __name__ == "__main__":
    main()
