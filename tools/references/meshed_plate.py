# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh and reference of meshed_plate: a rectangular plate on hinges under a pressure, by Navier's series."""

from math import pi, sin

from common import ROOT, axes, load_scene, write_csv, write_sidecar

N, A, B = 12, 1.0, 0.8
MIDDLE = "plate[84].position"


def place(i, j):
    """Nodes of a regular mesh, moved by up to a sixth of its elements inside of it and along no side."""
    move = sin(pi * i / N) * sin(pi * j / N) / 6
    return A * (i + move * sin(2.1 * i + j)) / N, B * (j + move * sin(i - 1.7 * j)) / N


def number(i, j):
    return i * (N + 1) + j + 1


def write_mesh():
    """Gmsh 4.1: curves 1 to 4 and the surface 1, all in groups of their own."""
    sides = [[(0, j) for j in range(N + 1)], [(N, j) for j in range(N + 1)], [(i, 0) for i in range(N + 1)], [(i, N) for i in range(N + 1)]]
    nodes = [(i, j) for i in range(N + 1) for j in range(N + 1)]
    middle = number(N // 2, N // 2)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "5"]
    lines += [f'1 {k + 1} "{name}"' for k, name in enumerate(("x0", "x1", "y0", "y1"))] + ['2 5 "sheet"', "$EndPhysicalNames"]
    lines += ["$Entities", "0 4 1 0"]
    lines += [f"{k} 0 0 0 {A} {B} 0 1 {k} 0" for k in (1, 2, 3, 4)] + [f"1 0 0 0 {A} {B} 0 1 5 4 1 4 -2 -3", "$EndEntities"]
    lines += ["$Nodes", f"1 {len(nodes)} 1 {len(nodes)}", f"2 1 0 {len(nodes)}"] + [str(number(*at)) for at in nodes]
    lines += ["{:.12g} {:.12g} 0".format(*((A / 2, B / 2) if number(*at) == middle else place(*at))) for at in nodes] + ["$EndNodes"]
    lines += ["$Elements", f"5 {4 * N + N * N} 1 {4 * N + N * N}"]
    count = 0
    for k, side in enumerate(sides):
        lines.append(f"1 {k + 1} 1 {N}")
        for a, b in zip(side, side[1:]):
            count += 1
            lines.append(f"{count} {number(*a)} {number(*b)}")
    lines.append(f"2 1 3 {N * N}")
    for i in range(N):
        for j in range(N):
            count += 1
            lines.append(f"{count} {number(i, j)} {number(i + 1, j)} {number(i + 1, j + 1)} {number(i, j + 1)}")
    (ROOT / "data" / "scenes" / "meshed_plate.msh").write_text("\n".join(lines + ["$EndElements", ""]))


def deflection(body, p, last):
    h, E, nu = body["thickness"], body["E"], body["nu"]
    D, shear = E * h**3 / 12 / (1 - nu**2), 5 / 6 * E / 2 / (1 + nu) * h
    total = 0.0
    for m in range(1, last, 2):
        for n in range(1, last, 2):
            k2 = (m * pi / A) ** 2 + (n * pi / B) ** 2
            total += 16 * p / pi**2 / (m * n) / (D * k2**2) * (1 + D * k2 / shear) * sin(m * pi / 2) * sin(n * pi / 2)
    return total


def main():
    write_mesh()
    scene = load_scene("meshed_plate")
    p, steps = scene["forces"][0]["pressure"], scene["statics"]["steps"]
    w = deflection(scene["bodies"][0], p, 400)
    write_csv("meshed_plate", ["t", *axes(MIDDLE)], [[k / steps, A / 2, B / 2, w * k / steps] for k in range(steps + 1)])
    error = abs(w - deflection(scene["bodies"][0], p, 200)) + 1e-6 * w
    mesh = 2 * w * (62.224 / 61.992 - 1) * (20 * 16) / N**2
    write_sidecar(
        "meshed_plate",
        {
            "title": scene["title"],
            "source": "S. P. Timoshenko, S. Woinowsky-Krieger, Theory of Plates and Shells, 30: Navier's series; shear by Reissner and Mindlin",
            "units": "SI; t is the load",
            "method": "Navier's series with shear deformation",
            "error": {MIDDLE: float(f"{error:.2g}")},
            "tolerance": {
                MIDDLE: {
                    "value": float(f"{mesh:.3g}"),
                    "basis": "that of pressed_plate, which is twice 0.37 % with 20 x 16 elements, times the area of elements: they are of order 2",
                }
            },
            "made_by": "tools/references/meshed_plate.py",
        },
    )


if __name__ == "__main__":
    main()
