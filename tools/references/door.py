# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of door: a pendulum about the hinges' axis, whose load they share by least norm."""

import numpy as np
from scipy.integrate import solve_ivp

import reduced
from common import axes, load_scene, output_times

COLUMNS = (
    ["t", "upper.angle", "upper.rate"]
    + [c for hinge in ("upper", "lower") for s in ("force", "moment") for c in axes(f"{hinge}.{s}")]
    + ["energy.total"]
)
M, WIDTH, APART, START = 30.0, 0.9, 0.8, 1.4
GRAVITY = 9.81 * np.array([np.sin(np.pi / 36), 0, -np.cos(np.pi / 36)])
SPUN, ABOUT_AXIS = M * WIDTH**2 / 12, M * WIDTH**2 / 3


def acceleration(angle, _):
    return -M * GRAVITY[0] * WIDTH / 2 * np.sin(angle) / ABOUT_AXIS


def row(t, angle, rate, second):
    """Two hinges at +-a on the axis n.  Load F at the middle and moment T there, both of what the joint applies.

    F1 = F/2 + s, F2 = F/2 - s, M1 = M2 = P with 2 P + 2 a n x s = T and |s|^2 + |P|^2 least:
    n x s = a T/(2 (1 + a^2)), P = T/(2 (1 + a^2)).
    """
    arm = WIDTH / 2 * np.array([np.cos(angle), np.sin(angle), 0])
    across = np.array([-arm[1], arm[0], 0])
    F = M * (across * second - arm * rate**2 - GRAVITY)
    T = np.cross(arm, F)
    T[2] += SPUN * second
    P = T * [1, 1, 0] / (2 * (1 + APART**2))
    s = APART * np.array([P[1], -P[0], 0])
    energy = ABOUT_AXIS * rate**2 / 2 - M * GRAVITY @ arm
    return [t, angle, rate, *(F / 2 + s), *P, *(F / 2 - s), *P, energy]


def table(times, tolerance):
    grid = [float(t) for t in times]
    right = lambda _, y: [y[1], acceleration(*y)]
    flow = solve_ivp(right, (0, grid[-1]), [START, 0.0], "DOP853", grid, rtol=tolerance, atol=tolerance)
    return [row(t, q, v, acceleration(q, v)) for t, (q, v) in zip(grid, flow.y.T)]


def main():
    scene = load_scene("door")
    times = output_times(scene)
    rows, check = table(times, 2.3e-14), table(times, 1e-12)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    print(f"door: energy {energy:.1e}")
    assert energy < 1e-12
    march = lambda rho, h, steps: reduced.free(lambda _, q, v: acceleration(q, v), START, 0.0, rho, h, steps)
    reduced.sidecar(
        "door",
        "door.py",
        scene["title"],
        "reactions of two hinges on one axis: five redundant rows",
        "equation of motion of the angle, DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; energy constant "
        f"within {energy:.0e} J; the hinges' shares of least norm in closed form",
        COLUMNS,
        rows,
        check,
        reduced.tables(scene, march, lambda *s: dict(zip(COLUMNS, row(*s)))),
    )


if __name__ == "__main__":
    main()
