# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of kepler_orbit: Kepler's equation with 40 digits."""

import numpy as np
from mpmath import cos, findroot, mp, mpf, sin, sqrt

import forces
from common import axes, load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t", *axes("planet.position"), *axes("planet.velocity"), *axes("angular_momentum"), "energy.total"]


class Sun(forces.Load):
    def __init__(self, strength):
        self.strength = strength

    def wrenches(self, motions, _):
        x = motions[0].x
        return [(0, -self.strength * x / np.linalg.norm(x) ** 3, np.zeros(3))]

    def energy(self, motions):
        return -self.strength / np.linalg.norm(motions[0].x)


def table(times, e, m, digits):
    mp.dps = digits
    e, rows = mpf(e), []
    for t in times:
        E = findroot(lambda E: E - e * sin(E) - t, t + e * sin(t))
        b, rate = sqrt(1 - e * e), 1 / (1 - e * cos(E))
        x, v = [cos(E) - e, b * sin(E), 0], [-sin(E) * rate, b * cos(E) * rate, 0]
        rows.append([t, *x, *v, 0, 0, m * b, -mpf(m) / 2])
    return [[mpf(c) for c in row] for row in rows]


def main():
    scene = load_scene("kepler_orbit")
    e, m = scene["parameters"]["ecc"], scene["parameters"]["m"]
    times = output_times(scene)
    rows, check = table(times, e, m, 40), table(times, e, m, 30)
    sidecar(
        "kepler_orbit",
        "kepler_orbit.py",
        "Kepler's ellipse of eccentricity 0.5",
        "Kepler's equation",
        "closed form with 40 digits, checked with 30",
        COLUMNS,
        rows,
        check,
        forces.tables(scene, lambda s: forces.Free(s, [Sun(m)])),
    )


if __name__ == "__main__":
    main()
