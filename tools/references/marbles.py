# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of marbles: spheres that slide until they roll, in closed form."""

from common import axes, load_scene, reference_error, write_csv, write_sidecar

MARBLES = (0, 2, 4)
COLUMNS = ["t", *(c for i in MARBLES for c in axes(f"marble{i}.velocity")), "marbles.touching"]
G, RADIUS, MASS, STIFFNESS, FRICTION = 9.81, 0.01, 0.01, 1e6, 0.3
MOMENT = 0.4 * MASS * RADIUS**2


def solution(times):
    """The friction acts half way into the depth d, so that m v lever + J w stays: v = v0/(1 + J/(m lever^2))."""
    lever = RADIUS - (MASS * G / STIFFNESS) ** (2 / 3) / 2
    slower = 1 / (1 + MOMENT / (MASS * lever**2))
    return [[t, *(x for i in MARBLES for x in ((1 + 0.5 * i) * (slower if t > 0 else 1), 0, 0)), 5] for t in times]


def main():
    scene = load_scene("marbles")
    times = [0.0, scene["simulation"]["duration"]]
    rows = solution(times)
    slipping = 3 * 2 / 7 / (FRICTION * G)
    assert slipping < times[-1], slipping
    swing = {"value": 3e-8, "basis": "tolerance of the iteration, 1e-8 of 3 m/s; the swing of the friction's spring has died out, exp(-36)"}
    write_csv("marbles", COLUMNS, rows)
    write_sidecar(
        "marbles",
        {
            "title": scene["title"],
            "source": "momentum and angular momentum of a sphere that comes to roll",
            "units": "SI",
            "method": "closed form",
            "error": reference_error(COLUMNS, rows, rows),
            "tolerance": {**{f"marble{i}.velocity": swing for i in MARBLES}, "marbles.touching": {"value": 1e-12, "basis": "a count"}},
            "made_by": "tools/references/marbles.py",
        },
    )


if __name__ == "__main__":
    main()
