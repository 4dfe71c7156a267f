# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of conveyor: two damped oscillators and a given velocity, in closed form."""

import math

from common import axes, load_scene, mp, mpf, output_times
from reduced import Alpha, Track, free, sidecar, tables

COLUMNS = ["t", "table.x", "table.y", "table.angle", "table.rate", *axes("belt.force")]


def oscillator(mass, stiffness, damping, rate, t):
    """From 0 with that rate: value and rate."""
    d = damping / (2 * mass)
    w = mp.sqrt(stiffness / mass - d * d)
    fade, s, c = mp.exp(-d * t), mp.sin(w * t), mp.cos(w * t)
    return rate / w * fade * s, rate * fade * (c - d / w * s)


class Box:
    """Along the belt, across it, and in its angle."""

    def __init__(self, p, maths):
        self.p, self.maths = p, maths

    def belt(self, t):
        """Way, velocity and acceleration along the belt."""
        p, x = self.p, self.p["w"] * t
        return p["v"] * (t - self.maths.sin(x) / p["w"]), p["v"] * (1 - self.maths.cos(x)), p["v"] * p["w"] * self.maths.sin(x)

    def row(self, t, along, across, angle, rate):
        """`along`: way, velocity, acceleration."""
        p = self.p
        pull = p["m"] * along[2] + p["k"] * along[0] + p["c"] * along[1]
        x, y = (mpf(6) / 10, mpf(8) / 10) if self.maths is mp else (0.6, 0.8)
        return [t, x * along[0] - y * across, y * along[0] + x * across, angle, rate, x * pull, y * pull, 0]


def march(box, rho, h, steps):
    """Three numbers; the belt gives the velocity at the end of every step."""
    p = box.p
    across = free(lambda t, q, v: -(p["k"] * q + p["c"] * v) / p["m"], 0.0, 1.0, rho, h, steps)
    angle = free(lambda t, q, v: -(p["turn"] * q + p["rub"] * v) / p["J"], 0.0, 2.0, rho, h, steps)
    m, at = Alpha(rho, h), 0.0
    jerk = (box.belt(h)[2] - box.belt(-h)[2]) / (2 * h)
    track = Track(m, 0.0, 0.0, jerk)
    out = [(0.0, (0.0, 0.0, 0.0), across[0], angle[0])]
    for n in range(1, steps + 1):
        way = (box.belt(n * h)[1] - track.reach(0.0)[1]) * m.beta * h / m.gamma
        track.go(way)
        at += way
        out.append((n * h, (at, track.v, track.vd), across[n], angle[n]))
    return out


def main():
    scene = load_scene("conveyor")
    precise = {key: mpf(str(value)) for key, value in scene["parameters"].items()}
    exact, rough = Box(precise, mp), Box({k: float(v) for k, v in precise.items()}, math)
    p, rows = precise, []
    for t in output_times(scene):
        across, _ = oscillator(p["m"], p["k"], p["c"], mpf(1), t)
        rows.append(exact.row(t, exact.belt(t), across, *oscillator(p["J"], p["turn"], p["rub"], mpf(2), t)))

    def signals(t, along, across, angle):
        return dict(zip(COLUMNS, rough.row(t, along, across[1], angle[1], angle[2])))

    sidecar(
        "conveyor",
        "conveyor.py",
        scene["title"],
        "closed form: a given velocity along the belt, damped oscillators across it and in the angle",
        "closed form, 40 digits",
        COLUMNS,
        rows,
        rows,
        tables(scene, lambda *a: march(rough, *a), signals),
        "; the method's error by reduced.py on the three numbers",
    )


if __name__ == "__main__":
    main()
