# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of rollup: arcs of a circle."""

from mpmath import cos, mp, mpf, pi, sin

from cantilever import Beam, loads
from common import EPS, axes, load_scene, reference_error, write_csv, write_sidecar

COLUMNS = ["t", *Beam.ends("strip"), *axes("clamp.moment"), *axes("strip.section_moment[0]")]


def rows(beam, parts, digits):
    """Angle of the end from 0 to 4 pi."""
    mp.dps = digits
    out = []
    for part in parts:
        moment = 4 * pi * mpf(beam.leg.stiffness[5, 5]) / beam.length * mpf(part)
        angle = 4 * pi * mpf(part)
        x, y = (beam.length * sin(angle) / angle, beam.length * (1 - cos(angle)) / angle) if part else (mpf(beam.length), mpf(0))
        turn = [cos(angle / 2), mpf(0), mpf(0), sin(angle / 2)]
        out.append([part, x, y, mpf(0), *turn, mpf(0), mpf(0), -moment, mpf(0), mpf(0), moment])
    return out


def main():
    scene = load_scene("rollup")
    beam = Beam(scene, scene["bodies"][0])
    exact, check = (rows(beam, loads(scene), digits) for digits in (40, 60))
    error = reference_error(COLUMNS, exact, check)
    # the elements are exact.  Rounded lengths of 1 are strains of n eps in an element: forces of EA n eps on levers of L, which
    # bend the strip by L/EI; ten of these for the elements and Newton's last step
    moment = 10 * float(beam.leg.stiffness[0, 0]) * beam.elements * EPS * beam.length
    turn = moment * beam.length / float(beam.leg.stiffness[5, 5])
    allowed = {"position": turn * beam.length, "quaternion": turn, "moment": moment, "section_moment[0]": moment}
    write_csv("rollup", COLUMNS, exact)
    write_sidecar(
        "rollup",
        {
            "title": scene["title"],
            "source": "closed form; J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116, example 7.1",
            "units": "SI; t is the load: the end has turned by half a turn at 1/4, a turn at 1/2, two turns at 1",
            "method": "closed form, 40 digits, checked with 60",
            "error": error,
            "tolerance": {
                signal: {
                    "value": float(f"{allowed[signal.rsplit('.', 1)[1]]:.2e}"),
                    "basis": f"round-off: the elements are exact; 10 x EA n eps L = {moment:.1e} N m, and what it bends",
                }
                for signal in error
            },
            "made_by": "tools/references/rollup.py",
        },
    )


if __name__ == "__main__":
    main()
