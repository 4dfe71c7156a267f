# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of pressure_ring: tension p R per unstrained length, radius R (1 + p R/EA), no bending."""

from common import EPS, load_scene, mp, mpf, write_csv, write_sidecar

SIGNALS = {"ring.end.position": "m", "ring.section_force[3]": "N", "ring.section_moment[3]": "N m"}


def row(p, load):
    tension = load * p["p"] * p["R"]
    end = p["R"] - 2 * p["R"] * (1 + tension / p["EA"])
    return [load, end, 0, 0, tension, 0, 0, 0, 0, 0]


def main():
    scene = load_scene("pressure_ring")
    p = {key: mpf(str(value)) for key, value in scene["parameters"].items()}
    steps = scene["statics"]["steps"]
    columns = ["t"] + [f"{signal}.{axis}" for signal in SIGNALS for axis in "xyz"]
    write_csv("pressure_ring", columns, [row(p, mpf(i) / steps) for i in range(steps + 1)])
    # strains are differences of numbers up to the length of an element over that length
    strain, length = 64 * EPS, float(mp.pi * p["R"])
    size = {"ring.end.position": strain * length, "ring.section_force[3]": strain * float(p["EA"])}
    size["ring.section_moment[3]"] = size["ring.section_force[3]"] * float(p["R"])
    basis = "state of constant strain, exact: 64 round-offs of a strain of 1"
    write_sidecar(
        "pressure_ring",
        {
            "title": scene["title"],
            "source": "closed form: equilibrium of a ring, N = p R",
            "units": "SI",
            "method": "closed form",
            "error": {signal: 2.3e-13 for signal in SIGNALS},
            "tolerance": {s: {"value": float(f"{v:.2e}"), "basis": basis} for s, v in size.items()},
            "made_by": "tools/references/pressure_ring.py",
        },
    )


if __name__ == "__main__":
    main()
