# SPDX-License-Identifier: GPL-3.0-or-later
"""References of shells: a strip as a rod that bends in a plane, a plate by Navier's series."""

import json

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from common import ROOT, load_scene


def write(name, columns, rows, sidecar):
    folder = ROOT / "data" / "reference"
    lines = [",".join(columns)] + [",".join(f"{value:.17g}" for value in row) for row in rows]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    (folder / f"{name}.json").write_text(json.dumps({**sidecar, "made_by": "tools/references/shells.py"}, indent=2) + "\n")


def axes(signal, names="xyz"):
    return [f"{signal}.{name}" for name in names]


# ---- a strip: Reissner's rod with the forces N = P sin, Q = P cos of a dead force P across its end ---------------------


def strip_end(P, L, EA, GA, EI):
    """Slope and place of the end: theta' = M/EI, M' = N gamma - Q (1 + eps), M(L) = 0, by shooting for M(0)."""

    def slopes(_, y):
        theta, M = y[:2]
        N, Q = P * np.sin(theta), P * np.cos(theta)
        stretch, gamma = 1 + N / EA, Q / GA
        return [M / EI, N * gamma - Q * stretch, stretch * np.cos(theta) - gamma * np.sin(theta),
                stretch * np.sin(theta) + gamma * np.cos(theta)]

    def shoot(M0):
        return solve_ivp(slopes, (0, L), [0, M0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]

    if P == 0:
        return 0.0, L, 0.0
    M0 = brentq(lambda m: shoot(m)[1], 0, P * L, xtol=1e-13, rtol=1e-15)
    theta, _, x, z = shoot(M0)
    return theta, x, z


def strip():
    scene = load_scene("shell_cantilever")
    body, force = scene["bodies"][0], scene["parameters"]["P"]
    L, b, h, E = body["length"], body["width"], body["thickness"], body["E"]
    steps, rows = scene["statics"]["steps"], []
    for k in range(steps + 1):
        theta, x, z = strip_end(force * k / steps, L, E * b * h, 5 / 6 * E / 2 * b * h, E * b * h**3 / 12)
        rows.append([k / steps, x, 0, z, np.cos(theta / 2), 0, -np.sin(theta / 2), 0])
    place, turn = "strip.edge_x1.start.position", "strip.edge_x1.start.quaternion"
    # Meshes of 16, 32 and 64 elements of another program with the same element (NumPy): the largest errors along the path
    # are those at the end, where the differences have the ratio 4.3.
    meshes = np.array([[3.292965342463182, 6.704695941473625], [3.2905203479277487, 6.701290955957949], [3.2899122246997337, 6.700441686583078]])
    limit = meshes[2] + (meshes[2] - meshes[1]) / 3
    mesh = np.hypot(*(meshes[0] - limit))
    # A slope of the end changes as the places do, over the part of the strip behind it that bends, more than a half.
    basis = f"1.5 x {mesh:.2e}, the error of 16 elements by meshes of 16, 32 and 64 in another program"
    write("shell_cantilever", ["t", *axes(place), *axes(turn, "wxyz")], rows, {
        "title": scene["title"],
        "source": "K. Y. Sze, X. H. Liu, S. H. Lo, Finite Elem. Anal. Des. 40 (2004) 1551-1569, 3.1; published: -U = 3.286, W = 6.698 at the end",
        "units": "SI; t is the load",
        "method": "a plane rod with extension and shear by shooting (DOP853 at 1e-13)",
        "error": {place: 1e-10, turn: 1e-11},
        "tolerance": {place: {"value": float(f"{1.5 * mesh:.3g}"), "basis": basis},
                      turn: {"value": float(f"{1.5 * mesh / 5:.3g}"), "basis": basis + ", over half of the length"}},
    })


# ---- a plate: w = sum q_mn/(D k^4) (1 + D k^2/(kappa G h)) sin sin ------------------------------------------------------


def plate():
    scene = load_scene("pressed_plate")
    body, p = scene["bodies"][0], scene["parameters"]["p"]
    a, b, h, E, nu = (body[key] for key in ("length", "width", "thickness", "E", "nu"))
    D, shear = E * h**3 / 12 / (1 - nu**2), 5 / 6 * E / 2 / (1 + nu) * h
    odd = np.arange(1, 4000, 2)
    m, n = odd[:, None], odd[None, :]
    k2 = (m * np.pi / a) ** 2 + (n * np.pi / b) ** 2
    terms = 16 * p / np.pi**2 / (m * n) / (D * k2**2) * (1 + D * k2 / shear) * np.sin(m * np.pi / 2) * np.sin(n * np.pi / 2)
    w = float(terms.sum())
    steps, place = scene["statics"]["steps"], "plate[8][8].position"
    rows = [[k / steps, a / 2, b / 2, w * k / steps] for k in range(steps + 1)]
    # The pressure follows the plate, and membrane forces add (w/h)^2 of the deflection, 1e-6; terms that are left out: 1e-9.
    mesh = w * 2 * (62.224 / 61.992 - 1)
    write("pressed_plate", ["t", *axes(place)], rows, {
        "title": scene["title"],
        "source": "S. P. Timoshenko, S. Woinowsky-Krieger, Theory of Plates and Shells, 30: Navier's series; shear by Reissner and Mindlin",
        "units": "SI; t is the load",
        "method": "Navier's series with shear deformation",
        "error": {place: float(f"{w * 1e-6:.2g}")},
        "tolerance": {place: {"value": float(f"{mesh:.3g}"),
                              "basis": "twice 0.37 %, the error of the first frequency with 20 x 16 elements in another program (62.224 for 61.992 Hz): "
                                       "the deflection goes with its square, and higher terms are small"}},
    })


if __name__ == "__main__":
    strip()
    plate()
