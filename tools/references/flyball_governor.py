# SPDX-License-Identifier: GPL-3.0-or-later
"""References of flyball_governor and flyball_governor_slow: angle of the rods, height of the slider, turn of the shaft."""

import sys

import numpy as np
from scipy.integrate import solve_ivp

from common import axes, load_scene, output_times
from mechanism import sidecar, tables

COLUMNS = (
    ["t"]
    + [c for s in ("slider.position", "slider.velocity") for c in axes(s)]
    + [f"{hinge}.{c}" for hinge in ("bearing", "right_hinge") for c in ("angle", "rate")]
)
ROD, BALL, SLIDER, SHIFT, GRAVITY = 0.3, 5.0, 3.0, 0.05, 9.81
THIN = ROD * 0.01**2  # a rod's mass times the square of its thickness
MASS = ROD + BALL
ARM = (ROD * 0.5 + BALL) / MASS  # centre of mass from the hinge
ALONG = THIN / 6
ACROSS = (ROD + THIN) / 12 + ROD * (ARM - 0.5) ** 2 + BALL * (1 - ARM) ** 2
FIXED = THIN / 6 + SLIDER * 0.1**2 / 6
STIFFNESS, DAMPING, LENGTH = 8e5, 4e4, 0.5
# slider's height at t = 10 s, by another integration to 8 digits
KNOWN = {"flyball_governor": 0.6196229170612672, "flyball_governor_slow": 0.24916533236952682}


def axial_inertia(alpha):
    """About the shaft's axis, and its derivative."""
    s, c = np.sin(alpha), np.cos(alpha)
    reach = SHIFT + ARM * c
    return (
        FIXED + 2 * (MASS * reach**2 + ALONG * s**2 + ACROSS * c**2),
        2 * (-2 * MASS * reach * ARM * s + 2 * (ALONG - ACROSS) * s * c),
    )


def rates(momentum):
    def right(_, y):
        """y: alpha below the horizontal, slider's height, turn of the shaft, alpha', height'."""
        alpha, height, _, alpha_rate, speed = y
        inertia, slope = axial_inertia(alpha)
        spin = momentum / inertia
        # spring from the slider's face to the middle of the rod
        across, up = np.cos(alpha) / 2, 1 - np.sin(alpha) / 2 - height
        length = np.hypot(across, up)
        by_alpha = (-across * np.sin(alpha) - up * np.cos(alpha)) / (2 * length)
        by_height = -up / length
        tension = STIFFNESS * (length - LENGTH) + DAMPING * (by_alpha * alpha_rate + by_height * speed)
        lift = slope * spin**2 / 2 + 2 * MASS * GRAVITY * ARM * np.cos(alpha) - 2 * tension * by_alpha
        return [
            alpha_rate,
            speed,
            spin,
            lift / (2 * (MASS * ARM**2 + ACROSS)),
            -GRAVITY - 2 * tension * by_height / SLIDER,
        ]

    return right


def table(times, spin, tolerance):
    grid = [float(t) for t in times]
    momentum = axial_inertia(np.pi / 6)[0] * spin
    start = [np.pi / 6, 0.5, 0, 0, 0]
    right = rates(momentum)
    flow = solve_ivp(right, (0, grid[-1]), start, "DOP853", grid, rtol=tolerance, atol=tolerance)
    return [
        [t, 0, 0, height, 0, 0, speed, turn, momentum / axial_inertia(alpha)[0], alpha, alpha_rate]
        for t, (alpha, height, turn, alpha_rate, speed) in zip(grid, flow.y.T)
    ]


def main():
    for name in sys.argv[1:] or KNOWN:
        scene = load_scene(name)
        times, spin = output_times(scene), scene["parameters"]["spin"]
        rows, check = table(times, spin, 1e-12), table(times, spin, 1e-10)
        apart = abs(rows[-1][3] - KNOWN[name])
        print(f"{name}: known value {apart:.1e}")
        assert apart < 1e-7
        sidecar(
            name,
            "flyball_governor.py",
            scene["title"],
            "IFToMM library of computational benchmark problems, A05",
            "Lagrange's equations of the rods' angle and the slider's height, with the angular momentum about the shaft constant; "
            "DOP853 at a relative tolerance of 1e-12, compared with 1e-10; height at 10 s of another integration within "
            f"{apart:.0e} m",
            COLUMNS,
            rows,
            check,
            tables(scene),
        )


if __name__ == "__main__":
    main()
