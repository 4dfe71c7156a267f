# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of table: the centre on an ellipse, a quarter of the weight on every foot."""

import numpy as np

import reduced
from common import axes, load_scene, output_times

FEET = [f"foot{i}.force" for i in range(4)]
COLUMNS = ["t"] + [c for s in ("table.position", "table.velocity", *FEET) for c in axes(s)] + ["energy.total"]
M, K, HEIGHT, G, SPIN, J = 24.0, 150.0, 0.7, 9.81, 0.7, 4.0
PLACE, VELOCITY = 0.5 + 0.1j, 0.3 + 1.0j
RTOL = 1e-8  # of Newton's iteration: bounds the error of a multiplier


def row(t, place, velocity, _=0.0):
    energy = M * abs(velocity) ** 2 / 2 + K * abs(place) ** 2 / 2 + J * SPIN**2 / 2 + M * G * HEIGHT
    return [t, place.real, place.imag, HEIGHT, velocity.real, velocity.imag, 0] + 4 * [0, 0, M * G / 4] + [energy]


def solution(times):
    w = np.sqrt(K / M)
    for t in times:
        c, s = np.cos(w * t), np.sin(w * t)
        yield row(t, PLACE * c + VELOCITY / w * s, VELOCITY * c - PLACE * w * s)


def main():
    scene = load_scene("table")
    rows = list(solution([float(t) for t in output_times(scene)]))
    march = lambda rho, h, steps: reduced.free(lambda _, q, v: -K / M * q, PLACE, VELOCITY, rho, h, steps)
    share = {"value": RTOL * M * G / 4, "basis": "rtol = 1e-8 of the Newton iteration times a quarter of the weight"}
    reduced.sidecar(
        "table",
        "table.py",
        scene["title"],
        "reactions of four supports of a rigid body: one redundant row",
        "closed form: harmonic oscillation of the centre of mass; the feet's forces alike by symmetry and least norm",
        COLUMNS,
        rows,
        rows,
        reduced.tables(scene, march, lambda *s: dict(zip(COLUMNS, row(*s)))),
        "",
        "SI",
        {foot: share for foot in FEET},
    )


if __name__ == "__main__":
    main()
