# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of drag_fall: closed forms with 40 digits."""

import numpy as np
from mpmath import cosh, log, mp, mpf, sqrt, tanh

import forces
from common import axes, load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t"] + [
    c
    for s in ("stone.position", "stone.velocity", "balloon.position", "balloon.velocity", "air.force")
    for c in axes(s)
]


class Drag(forces.Load):
    def __init__(self, i, spec):
        self.i, self.wind = i, np.array(spec.get("wind", [0, 0, 0]), dtype=float)
        self.name, self.c = spec["name"], spec["density"] * spec["coefficient"] * spec["area"] / 2

    def force(self, motions):
        w = motions[self.i].xd - self.wind
        return -self.c * np.linalg.norm(w) * w

    def wrenches(self, motions, _):
        return [(self.i, self.force(motions), np.zeros(3))]

    def signals(self, motions, _):
        return dict(zip(axes(f"{self.name}.force"), self.force(motions)))


class Lift(forces.Load):
    def __init__(self, force):
        self.force = np.array([0, 0, force])

    def wrenches(self, motions, _):
        return [(1, self.force, np.zeros(3))]


def factor(spec):
    return mpf(spec["density"]) * mpf(spec["coefficient"]) * mpf(spec["area"]) / 2


def table(scene, times, digits):
    mp.dps = digits
    known, rows = {k: mpf(v) for k, v in scene["parameters"].items()}, []
    g, m, mb = known["g"], known["m"], known["mb"]
    c, b = factor(scene["forces"][0]), factor(scene["forces"][1]) / mb
    vt, wind = sqrt(m * g / c), [mpf(w) for w in scene["forces"][1]["wind"]]
    u = sqrt(sum(w * w for w in wind))
    for t in times:
        z, v = -(vt**2) / g * log(cosh(g * t / vt)), -vt * tanh(g * t / vt)
        behind, speed = log(1 + b * u * t) / b, 1 / (1 + b * u * t)
        x, y = ([w * t - w / u * behind for w in wind], [w * (1 - speed) for w in wind])
        rows.append([t, 0, 0, z, 0, 0, v, *x, *y, 0, 0, c * v * v])
    return [[mpf(a) for a in row] for row in rows]


def main():
    scene = load_scene("drag_fall")
    times = output_times(scene)
    known = scene["parameters"]
    loads = [Drag(i, spec) for i, spec in enumerate(scene["forces"][:2])] + [Lift(known["mb"] * known["g"])]
    sidecar(
        "drag_fall",
        "drag_fall.py",
        "Drag: a stone that falls and a balloon that the wind takes along",
        "v = -vt tanh(g t/vt), vt^2 = m g/c; w - v = u/(1 + c u t/m)",
        "closed form with 40 digits, checked with 30",
        COLUMNS,
        table(scene, times, 40),
        table(scene, times, 30),
        forces.tables(scene, lambda s: forces.Free(s, loads)),
    )


if __name__ == "__main__":
    main()
