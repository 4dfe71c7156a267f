# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of rolling_coin: steady rolling on a circle in closed form."""

import numpy as np
from mpmath import mp, mpf

from common import load_scene, output_times, rotate
from mechanism import sidecar, tables
from rolling import Disc, DiscContact, Rolling, columns

AXIS = [0, 0, 1]
# spin about the axis less the part of Om along it, of another evaluation
KNOWN_SPIN = "-2.7212687135834104"


def product(p, q):
    return [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + q[0] * p[1] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] + q[0] * p[2] + p[3] * q[1] - p[1] * q[3],
        p[0] * q[3] + q[0] * p[3] + p[1] * q[2] - p[2] * q[1],
    ]


def steady(p):
    """Angular velocity w3 about the axis that goes with Om and be."""
    m, r, g, turn = (mpf(repr(p[key])) for key in ("m", "r", "g", "Om"))
    A, C, be = m * r**2 / 4, m * r**2 / 2, mp.pi / 3
    return m, r, g, A, C, be, turn, (A * turn * mp.cos(be) - m * g * r / (turn * mp.tan(be))) / (C + m * r**2)


def solution(p, times):
    m, r, g, _, _, be, turn, w3 = steady(p)
    spin, around = w3 - turn * mp.cos(be), -r * w3 / turn
    zero, rows = mpf(0), []
    for t in times:
        psi, half = turn * t, turn * t / 2
        c, s = mp.cos(psi), mp.sin(psi)
        q = product([mp.cos(half), zero, zero, mp.sin(half)], [mp.cos(be / 2), zero, mp.sin(be / 2), zero])
        q = product(q, [mp.cos(spin * t / 2), zero, zero, mp.sin(spin * t / 2)])
        up = rotate([q[0], -q[1], -q[2], -q[3]], [zero, zero, mpf(1)])
        w = [turn * up[0], turn * up[1], turn * up[2] + spin]
        contact = around + r * mp.cos(be)
        pull = -m * turn**2 * around
        rows.append(
            [t, around * c, around * s, r * mp.sin(be), *q, -turn * around * s, turn * around * c, zero, *w]
            + [contact * c, contact * s, zero, m * g, pull * c, pull * s, zero]
        )
    return rows


def newton(scene, rows, names):
    """How far the closed form is from Newton and Euler's equations: force, and rate of the angular velocity in the
    axes that turn with Om."""
    p = scene["parameters"]
    disc = Disc(p["m"], [p["A"], p["A"], p["C"]], p["r"], AXIS, [0, 0, -p["g"]])
    worst = 0.0
    for row in rows:
        known = dict(zip(names, map(float, row)))
        state = np.array([float(c) for c in row[1:8] + row[11:14]])
        turn, force = disc.force(state)
        w, spin = state[7:], float(steady(p)[-1]) - p["Om"] * np.cos(np.pi / 3)
        exact = np.array([spin * w[1], -spin * w[0], 0])
        signals = disc.row("coin", "floor", state)
        worst = max(worst, np.abs(turn - exact).max(), abs(force[2] - known["floor.normal_force"]))
        worst = max(worst, max(abs(signals[c] - known[c]) for c in names[1:]))
    return worst


def main():
    scene = load_scene("rolling_coin")
    # no energy: by symmetry its error is of higher order than the method's
    p, times, names = scene["parameters"], output_times(scene), columns("coin", "floor")[:-1]
    rows = solution(p, times)
    mp.dps = 60
    check = solution(p, times)
    mp.dps = 40
    off = newton(scene, rows, names)
    spin = steady(p)[-1] - steady(p)[6] * mp.cos(steady(p)[5])
    known = abs(spin - mpf(KNOWN_SPIN))
    print(f"rolling_coin: Newton and Euler {off:.1e}, known spin {float(known):.1e}")
    assert off < 1e-13 and known < 1e-15
    velocity = [float(c) for c in rows[0][8:11]]
    sidecar(
        "rolling_coin",
        "rolling_coin.py",
        "Coin that rolls on a circle",
        "steady motion of a disc; textbooks",
        "closed form, 40 digits, checked with 60; it satisfies Newton and Euler's equations within "
        f"{off:.0e}, and the spin is within {float(known):.0e} of another evaluation",
        names,
        rows,
        check,
        tables(scene, lambda s: Rolling(s, "coin", DiscContact(p["r"], AXIS), velocity, "floor")),
    )


if __name__ == "__main__":
    main()
