# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of precessing_top: precession and spin of a symmetric top are uniform."""

from mpmath import cos, mpf

from common import load_scene, output_times, write_csv, write_sidecar

COLUMNS = ["t", "euler.angle_1", "euler.rate_1", "euler.angle_2", "euler.rate_2", "euler.angle_3", "euler.rate_3", "axis.angle", "axis.rate"]


def main():
    scene = load_scene("precessing_top")
    p = {key: mpf(str(value)) for key, value in scene["parameters"].items()}
    precession = p["momentum"] / p["J"]
    spin = p["momentum"] * cos(p["lean"]) * (1 / p["Js"] - 1 / p["J"])
    rows = [[t, precession * t, precession, p["lean"], 0, spin * t, spin, p["lean"], 0] for t in output_times(scene)]
    basis = "1.5 x {}, the method's error at h = 0.0025, a quarter of that at h = 0.005 (order {})"
    tolerance = {
        "euler.angle_1": (0.000162, "1.079e-04", "2.00"),
        "euler.rate_1": (0.000227, "1.513e-04", "2.00"),
        "euler.angle_2": (1.23e-05, "8.177e-06", "2.00"),
        "euler.rate_2": (6.1e-05, "4.069e-05", "2.00"),
        "euler.angle_3": (7.56e-05, "5.043e-05", "2.00"),
        "euler.rate_3": (0.000258, "1.720e-04", "2.00"),
        "axis.angle": (1.23e-05, "8.177e-06", "2.00"),
        "axis.rate": (6.1e-05, "4.069e-05", "2.00"),
    }
    write_csv("precessing_top", COLUMNS, rows)
    write_sidecar(
        "precessing_top",
        {
            "title": scene["title"],
            "source": "closed form: L. Euler's equations of a symmetric body",
            "units": "SI",
            "method": "closed form in 40 digits",
            "error": {name: 1e-15 for name in tolerance},
            "tolerance": {name: {"value": value, "basis": basis.format(*words)} for name, (value, *words) in tolerance.items()},
            "made_by": "tools/references/precessing_top.py",
        },
    )


if __name__ == "__main__":
    main()
