# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of bricard: one angle, closure of the threefold symmetric linkage in closed form."""

import numpy as np

from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, constant, cos, matrix, sidecar, sin, sqrt, tables, turning, vector

COLUMNS = (
    ["t"]
    + [c for s in ("rod_3.position", "rod_3.velocity") for c in axes(s)]
    + ["P1.angle", "P1.rate"]
    + [c for s in ("rod_1.position", "rod_5.position", "rod_5.angular_velocity") for c in axes(s)]
    + ["energy.total"]
)
AXES = "yzxyz"
RODS = np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]], dtype=float)
# P3 of the constrained bodies in space, integrated to about 1e-9
KNOWN = {
    1: (0.27448131926510394, -0.886707938734741, -0.462330002687244),
    5: (0.9999327423022621, -0.9999999977383531, -6.725543593886828e-05),
    10: (0.9997309873043994, -0.9999999638258175, -0.00026897651168542475),
}


def axis_turn(axis, c, s):
    columns = {
        "x": [vector(1.0, 0.0, 0.0), vector(0.0, c, s), vector(0.0, -s, c)],
        "y": [vector(c, 0.0, -s), vector(0.0, 1.0, 0.0), vector(s, 0.0, c)],
        "z": [vector(c, s, 0.0), vector(-s, c, 0.0), vector(0.0, 0.0, 1.0)],
    }
    return matrix(columns[axis])


def turns(q):
    """Rotations of the rods: odd hinges turn by q, even ones by p with (1 + sin q)(1 + sin p) = 1."""
    sq = sin(q)
    sp = 1.0 / (1.0 + sq) - 1.0
    trig = ((cos(q), sq), (sqrt(1.0 - sp * sp), sp))
    R, out = constant(np.eye(3)), []
    for i, axis in enumerate(AXES):
        R = R @ axis_turn(axis, *trig[i % 2])
        out.append(R)
    return out


def chain(q):
    """Rotations, and joints P1..P6."""
    R, points = turns(q), [vector(0.0, 0.0, 0.0)]
    for rotation, rod in zip(R, RODS):
        points.append(points[-1] + rotation @ constant(rod))
    return R, points


def closure(q):
    """How far P6 and the axis x there are from their places on the ground."""
    R, points = chain(Jet(q))
    return max(np.abs(points[-1].v - [0, 0, 1]).max(), np.abs(R[-1].v[:, 0] - [1, 0, 0]).max())


def parts(scene):
    mass, width = scene["parameters"]["m"], scene["parameters"]["w"]
    across, along = mass * (1 + width**2) / 12, mass * width**2 / 6

    def at(q):
        R, points = chain(q)
        return [
            Part(mass, across * np.eye(3) + (along - across) * np.outer(rod, rod), (a + b) * 0.5, turning(rotation))
            for rotation, rod, a, b in zip(R, RODS, points, points[1:])
        ]

    return at


def table(model, times, tolerance):
    rows = []
    for t, (q, rate) in zip(times, model.solve(0.0, 0.0, times, tolerance)):
        R, points = chain(Jet(q, 1.0))
        first, last = ((points[i] + points[i + 1]) * 0.5 for i in (0, 4))
        spin = turning(R[4])[0] * rate
        rows.append(
            [float(t), *points[2].v, *(points[2].d * rate), q, rate, *first.v, *last.v, *spin, model.energy(q, rate)]
        )
    return rows


def main():
    scene = load_scene("bricard")
    grid = output_times(scene)
    model = OneFreedom(parts(scene), scene["gravity"])
    rows, check = table(model, grid, 2.3e-14), table(model, grid, 1e-12)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    closed = max(closure(r[7]) for r in rows)
    known = max(abs(a - b) for t in KNOWN for r in rows if r[0] == t for a, b in zip(r[1:4], KNOWN[t]))
    print(f"bricard: energy {energy:.1e}, closure {closed:.1e}, known values {known:.1e}")
    assert energy < 1e-11 and closed < 1e-14 and known < 1e-8
    sidecar(
        "bricard",
        "bricard.py",
        "Bricard mechanism",
        "IFToMM library of computational benchmark problems, A04",
        "equation of motion of the angle of P1; closure in closed form, (1 + sin q)(1 + sin p) = 1 for the turns of odd and "
        f"even hinges, holds to {closed:.0e}; DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; energy "
        f"constant within {energy:.0e} J; P3 at 1, 5 and 10 s of an integration of the constrained bodies in space, with "
        f"multipliers of least norm, within {known:.0e} m",
        COLUMNS,
        rows,
        check,
        tables(scene),
    )


if __name__ == "__main__":
    main()
