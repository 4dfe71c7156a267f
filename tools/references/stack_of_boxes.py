# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of stack_of_boxes: rigid boxes in equilibrium, in closed form."""

from common import axes, load_scene, output_times, reference_error, write_csv, write_sidecar

FACES = ("floor", "middle", "upper")
COLUMNS = ["t", *(f"{face}.normal_force" for face in FACES), *(c for face in FACES for c in axes(f"{face}.point")), *axes("three.position")]
G, EDGE, HEIGHT, STIFFNESS = 9.81, 0.2, 0.1, 1e8
MASSES = (3, 2, 1)
CENTRES = ((0, 0), (0.03, -0.02), (0.05, 0.04))


def solution(times):
    """Each face carries what is above it, with its centre of pressure below the centre of mass of that."""
    forces, points = [], []
    for level in range(3):
        mass = sum(MASSES[level:])
        forces.append(mass * G)
        points += [sum(m * c[k] for m, c in zip(MASSES[level:], CENTRES[level:])) / mass for k in range(2)] + [level * HEIGHT]
    return [[t, *forces, *points, *CENTRES[2], 2.5 * HEIGHT] for t in times]


def main():
    scene = load_scene("stack_of_boxes")
    rows = solution([float(t) for t in output_times(scene)])
    depth = sum(MASSES) * G / (STIFFNESS * EDGE**2)
    tilt = 2 * 1.2 * depth / EDGE  # an overlap of two thirds of the face: its depth is larger by half, and at its end twice that
    moved = {
        "value": float(f"{tilt * 2.5 * HEIGHT + 2 * depth:.2g}"),
        "basis": f"the boxes enter each other by {depth:.2g} m and, both upper ones together, as much again, and tilt by up to {tilt:.1g} rad over 0.25 m",
    }
    carried = {"value": float(f"{tilt**2 * sum(MASSES) * G:.2g}"), "basis": f"pushes are inclined by that tilt, {tilt:.1g} rad, whose square is left out"}
    write_csv("stack_of_boxes", COLUMNS, rows)
    write_sidecar(
        "stack_of_boxes",
        {
            "title": scene["title"],
            "source": "equilibrium of forces and moments",
            "units": "SI",
            "method": "closed form for rigid boxes",
            "error": reference_error(COLUMNS, rows, rows),
            "tolerance": {**{f"{face}.normal_force": carried for face in FACES}, **{f"{face}.point": moved for face in FACES}, "three.position": moved},
            "made_by": "tools/references/stack_of_boxes.py",
        },
    )


if __name__ == "__main__":
    main()
