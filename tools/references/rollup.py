# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of rollup: arcs of a circle."""

from mpmath import cos, mp, mpf, pi, sin

from cantilever import Beam, loads, write_rounded
from common import axes, load_scene

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
    write_rounded(
        "rollup",
        "closed form; J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116, example 7.1",
        "SI; t is the load: the end has turned by half a turn at 1/4, a turn at 1/2, two turns at 1",
        COLUMNS,
        lambda digits: rows(beam, loads(scene), digits),
        EA=float(beam.leg.stiffness[0, 0]),
        EI=float(beam.leg.stiffness[5, 5]),
        length=beam.length,
        n=beam.elements,
    )


if __name__ == "__main__":
    main()
