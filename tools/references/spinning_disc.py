# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of spinning_disc: uniform rotation, closed form."""

from mpmath import mp, mpf

import galpha
from common import (
    EPS,
    axes,
    load_scene,
    max_by_signal,
    output_times,
    peak,
    write_csv,
    write_sidecar,
)

COLUMNS = (
    ["t", "hinge.angle", "hinge.rate"]
    + axes("disc.position")
    + axes("disc.quaternion", "wxyz")
    + axes("disc.angular_velocity")
    + axes("hinge.force")
    + axes("hinge.moment")
    + ["energy.total"]
)


def solution(scene, times):
    """Angle w t; force and moment on the disc at the hinge turn with it: -m e w^2 and w x (J w) about the hinge."""
    disc = scene["bodies"][0]
    w, mass = mpf(disc["angular_velocity"][2]), mpf(disc["mass"])
    e, height = mpf(disc["center_of_mass"][0]), mpf(disc["position"][2])
    product = mpf(disc["inertia"][0][2]) - mass * e * height
    energy = (mpf(disc["inertia"][2][2]) + mass * e * e) * w * w / 2
    force, moment = mass * e * w * w, product * w * w
    rows = []
    for t in times:
        angle = w * t
        c, s = mp.cos(angle), mp.sin(angle)
        half = [mp.cos(angle / 2), 0, 0, mp.sin(angle / 2)]
        rows.append(
            [t, angle, w, 0, 0, height, *half, 0, 0, w]
            + [-force * c, -force * s, 0, -moment * s, moment * c, 0, energy]
        )
    return rows


def tolerances(scene, size):
    """The method is exact here: what remains is rounding, at worst one ulp of the rate in every step, all one way."""
    steps = scene["simulation"]["duration"] / scene["simulation"]["step"]
    relative = steps * EPS
    rate = relative * size["hinge.rate"]
    angle = rate * scene["simulation"]["duration"]
    drift = "n eps w, n steps each rounding the rate w the same way"
    turned = f"size {{:.3g}} times the angle's tolerance {angle:.1e}"
    out = {
        "hinge.angle": (angle, f"the rate's tolerance times the duration (rate: {drift})"),
        "hinge.rate": (rate, drift),
        "disc.position": (relative * size["disc.position"], "n eps times the distance 0.1 m"),
        "disc.quaternion": (angle, "the angle's tolerance; a component changes by at most half as much"),
        "disc.angular_velocity": (rate, drift),
        "energy.total": (2 * relative * size["energy.total"], "2 n eps E, as the rate"),
    }
    for signal in ("hinge.force", "hinge.moment"):
        out[signal] = (angle * size[signal], turned.format(size[signal]))
    head = "the method is exact for uniform rotation on either group, rounding remains: "
    return {s: {"value": float(f"{v:.2e}"), "basis": head + text} for s, (v, text) in out.items()}


def main():
    scene = load_scene("spinning_disc")
    rows = solution(scene, output_times(scene))
    size = max_by_signal(COLUMNS, peak(rows))
    error = {signal: float(f"{EPS / 2 * s:.1e}") for signal, s in size.items()}
    tolerance = tolerances(scene, size)
    for group in ("R3xSO3", "SE3"):
        measured = galpha.errors(COLUMNS, rows[:11], galpha.simulate(scene, group=group, duration=1))
        for signal, value in measured.items():
            print(f"  spinning_disc {group:7} {signal:24} {value:.2e} tolerance {tolerance[signal]['value']:.2e}")
            assert value < tolerance[signal]["value"]
    write_csv("spinning_disc", COLUMNS, rows)
    write_sidecar(
        "spinning_disc",
        {
            "title": "Unbalanced disc spinning 1591 turns",
            "source": "closed form",
            "units": "SI",
            "method": "angle w t and the rotating bearing reactions of an unbalanced rotor, 40 digits; tools/references/galpha.py "
            "stays within the tolerances over the first second on both groups",
            "error": error,
            "tolerance": tolerance,
            "made_by": "tools/references/spinning_disc.py",
        },
    )


if __name__ == "__main__":
    main()
