# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of catenary: Irvine, Cable Structures (1981), section 2.3, and the error of a chain of straight springs."""

import numpy as np
from common import load_scene, mp, mpf, write_csv, write_sidecar

SIGNALS = ("rope@0.5.position", "left.force")


def place(p, H, V, s):
    """x and z at the unstrained length s; H, V: what the rope pulls with at its start, along x and down."""
    w = p["m"] * p["g"]
    end = V - w * s
    x = H * s / p["EA"] + H / w * (mp.asinh(V / H) - mp.asinh(end / H))
    z = -s / p["EA"] * (V - w * s / 2) - H / w * (mp.sqrt(1 + (V / H) ** 2) - mp.sqrt(1 + (end / H) ** 2))
    return x, z


def exact(p):
    def off(H, V):
        x, z = place(p, H, V, p["L"])
        return [x - p["span"], z - p["rise"]]

    H, V = mp.findroot(off, (50, 60))
    x, z = place(p, H, V, p["L"] / 2)
    return [x, mpf(0), z, -H, mpf(0), V]


def chain(p, n):
    """The same of n springs with their masses at their ends, by Newton in the inner points."""
    piece, k = p["L"] / n, p["EA"] * n / p["L"]
    t = np.linspace(0, 1, n + 1)
    x = np.column_stack([p["span"] * t, p["rise"] * t - 16 * t * (1 - t)])  # hangs too low: in tension
    weight = np.array([0, -p["m"] * p["g"] * piece])
    for _ in range(100):
        r, K = np.zeros((n + 1, 2)), np.zeros((2 * n + 2, 2 * n + 2))
        for i in range(n):
            d = x[i + 1] - x[i]
            length = np.hypot(*d)
            e = d / length
            N = k * (length - piece)
            r[i] -= N * e
            r[i + 1] += N * e
            own = k * np.outer(e, e) + N / length * (np.eye(2) - np.outer(e, e))
            at = slice(2 * i, 2 * i + 4)
            K[at, at] += np.block([[own, -own], [-own, own]])
        r -= weight
        step = np.linalg.solve(K[2:-2, 2:-2], -r[1:-1].ravel()).reshape(-1, 2)
        x[1:-1] += step * min(1, 0.2 / np.abs(step).max())
        if np.abs(step).max() < 1e-13:
            break
    d = x[1] - x[0]
    force = -k * (np.hypot(*d) - piece) * d / np.hypot(*d) - weight / 2
    return [x[n // 2, 0], 0, x[n // 2, 1], force[0], 0, force[1]]


def main():
    scene = load_scene("catenary")
    p = {key: mpf(str(value)) for key, value in scene["parameters"].items()}
    p["g"] = mpf(str(-scene["gravity"][2]))
    rough = {key: float(value) for key, value in p.items()}
    row, n = exact(p), scene["parameters"]["n"]
    columns = ["t"] + [f"{signal}.{axis}" for signal in ("rope[16].position", "left.force") for axis in "xyz"]
    write_csv("catenary", columns, [[mpf(1)] + row])
    errors = [[max(abs(a - b) for a, b in zip(chain(rough, m)[i : i + 3], row[i : i + 3])) for i in (0, 3)] for m in (n, 2 * n)]
    tolerance = {}
    for signal, coarse, fine in zip(("rope[16].position", "left.force"), *errors):
        order = float(mp.log(coarse / fine, 2))
        assert 1.95 < order < 2.05, order
        basis = f"1.5 x {float(coarse):.2e}, the error of {n} springs by catenary.py (order {order:.2f})"
        tolerance[signal] = {"value": float(f"{1.5 * float(coarse):.2e}"), "basis": basis}
    write_sidecar(
        "catenary",
        {
            "title": scene["title"],
            "source": "closed form: the elastic catenary, Irvine 1981",
            "units": "SI",
            "method": "closed form, 40 digits; the mesh's error by a chain of springs",
            "error": {signal: 1.2e-14 for signal in tolerance},
            "tolerance": tolerance,
            "made_by": "tools/references/catenary.py",
        },
    )


if __name__ == "__main__":
    main()
