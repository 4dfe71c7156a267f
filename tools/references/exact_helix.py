# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of exact_helix: a rod of constant twist and bend at every load.

The moment along the rod does not change in its axes where it lies along the curvature, as GJ = EI has it, so the curvature is the
load times that of the whole helix, along its axis z: the frames turn by a screw about z.
"""

from mpmath import atan, cos, mp, mpf, pi, sin, sqrt

from cantilever import Beam, loads, write_rounded
from common import axes, load_scene

COLUMNS = ["t", *Beam.ends("rod"), *axes("clamp.moment"), *axes("rod.section_moment[0]")]


def sizes(known):
    """Length, pitch (tangent of the angle to the plane) and bending stiffness."""
    turn = 2 * pi * known["coils"]
    pitch = mpf(known["height"]) / (known["R"] * turn)
    length = sqrt(1 + pitch**2) * known["R"] * turn
    return length, pitch, pi * (length / known["slenderness"] / 2) ** 4 / 4


def times(p, q):
    """Product of quaternions (w, x, y, z)."""
    return [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]


def rows(known, parts, digits):
    """Angle of the end from 0 to 2 pi coils."""
    mp.dps = digits
    length, pitch, EI = sizes(known)
    flat = length / sqrt(1 + pitch**2)
    slope = [cos(atan(pitch) / 2), mpf(0), -sin(atan(pitch) / 2), mpf(0)]
    out = []
    for part in parts:
        angle = 2 * pi * known["coils"] * mpf(part)
        x, y = (flat * sin(angle) / angle, flat * (1 - cos(angle)) / angle) if part else (flat, mpf(0))
        moment = EI * angle / length
        level = moment / sqrt(1 + pitch**2)
        turned = times([cos(angle / 2), mpf(0), mpf(0), sin(angle / 2)], slope)
        out.append([part, x, y - known["R"], flat * pitch, *turned, mpf(0), mpf(0), -moment, pitch * level, mpf(0), level])
    return out


def main():
    scene = load_scene("exact_helix")
    known = scene["parameters"]
    length, _, EI = sizes(known)
    write_rounded(
        "exact_helix",
        "closed form; the rod of an example of cardillo (github.com/cardilloproject), Herrmann 2025: mixed Cosserat rods, helix",
        "SI; t is the load: the end has turned by two turns about z at 1",
        COLUMNS,
        lambda digits: rows(known, loads(scene), digits),
        EA=float(pi * (length / known["slenderness"] / 2) ** 2),
        EI=float(EI),
        length=float(length),
        n=scene["bodies"][0]["elements"],
    )


if __name__ == "__main__":
    main()
