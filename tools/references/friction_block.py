# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of friction_block: separable equation of the speed, time and way as integrals over it."""

import math

from mpmath import cosh, findroot, log, mp, mpf, quad, sinh, sqrt, tanh

import reduced
from common import axes, load_scene, output_times

COLUMNS = ["t"] + axes("block.position") + ["incline.travel", "incline.speed", "friction.effort"]
MASS, MU, WIDTH, G, FIRST = mpf(2), mpf(1) / 4, mpf(1) / 20, mpf("9.81"), mpf(-3)
PULL, GRIP = G / 2, MU * G * sqrt(mpf(3)) / 2  # a and b of v' = a - b tanh(v/w)


def time_of(v):
    """Integral of dv/(a - b tanh(v/w)) from 0."""
    x = v / WIDTH
    return (PULL * v + GRIP * WIDTH * log(cosh(x) - GRIP / PULL * sinh(x))) / (PULL**2 - GRIP**2)


def way_of(v):
    """Integral of v dv/(a - b tanh(v/w)) from 0, in pieces over which tanh is smooth."""
    ends = [mpf(0), *(mpf(k) * WIDTH * (1 if v > 0 else -1) for k in (1, 2, 4, 8, 16, 32) if k * WIDTH < abs(v)), v]
    return quad(lambda u: u / (PULL - GRIP * tanh(u / WIDTH)), ends)


def row(t, travel, speed, _=0):
    return [t, travel, 0, 0, travel, speed, -MASS * GRIP * tanh(speed / WIDTH)]


def solution(times):
    start, begin = time_of(FIRST), way_of(FIRST)
    rows, v = [], FIRST
    for t in times:
        v = findroot(lambda u: time_of(u) - start - t, v + (t > 0) * mpf("0.02"), tol=mpf(10) ** (-2 * mp.dps + 20))
        rows.append(row(t, way_of(v) - begin, v))
    return rows


def main():
    scene = load_scene("friction_block")
    times = output_times(scene)
    mp.dps = 30
    rows = solution(times)
    mp.dps = 40
    check = solution(times)
    a, b, w = (float(x) for x in (PULL, GRIP, WIDTH))
    second = lambda _, q, v: a - b * math.tanh(v / w)
    march = lambda rho, h, steps: reduced.free(second, 0.0, float(FIRST), rho, h, steps)
    reduced.sidecar(
        "friction_block",
        "friction_block.py",
        scene["title"],
        "sliding with smoothed Coulomb friction",
        "closed form of the time as a function of the speed, the way by quadrature over it, 30 digits, compared with 40",
        COLUMNS,
        rows,
        check,
        reduced.tables(scene, march, lambda *s: dict(zip(COLUMNS, map(float, row(*s))))),
    )


if __name__ == "__main__":
    main()
