# SPDX-License-Identifier: GPL-3.0-or-later
"""References of four_bar_3d and driven_four_bar: closure of the linkage in closed form, forces by Newton's and Euler's laws."""

import numpy as np

import reduced
from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, cos, planar, sidecar, sin, sqrt, tables

FREE = (
    ["t", "A.angle", "A.rate"]
    + axes("coupler.position")
    + ["D.angle", "D.rate"]
    + [c for joint in "ABCD" for c in axes(f"{joint}.force")]
    + ["energy.total"]
)
DRIVEN = (
    ["t"]
    + [c for s in ("coupler.position", "coupler.velocity") for c in axes(s)]
    + ["D.angle", "D.rate", "motor.effort"]
    + [c for joint in "AD" for c in axes(f"{joint}.force")]
)
A, B, C, D = 0.3, 0.9, 0.7, 0.8
MASSES = (0.6, 1.8, 1.4)
LENGTHS = (A, B, C)
GRAVITY = np.array([0, -9.81, 0])
SPIN = 4.0
START = np.pi / 2
RTOL = 1e-8  # of Newton's iteration: bounds the error of an acceleration


def heading(c, s):
    """Angle of a unit vector."""
    return Jet(np.arctan2(s.v, c.v), c.v * s.d - s.v * c.d, c.v * s.dd - s.v * c.dd)


def places(q):
    """Ends of crank and rocker, angles of coupler and rocker."""
    bx, by = A * cos(q), A * sin(q)
    ux, uy = D - bx, -by
    square = ux * ux + uy * uy
    diagonal = sqrt(square)
    along = (B**2 - C**2 + square) / (2 * diagonal)
    across = sqrt(B**2 - along * along)
    cx = bx + (along * ux - across * uy) / diagonal
    cy = by + (along * uy + across * ux) / diagonal
    return (bx, by), (cx, cy), heading((cx - bx) / B, (cy - by) / B), heading((cx - D) / C, cy / C)


def parts(q):
    (bx, by), (cx, cy), coupler, rocker = places(q)
    centres = (planar(bx / 2, by / 2), planar((bx + cx) / 2, (by + cy) / 2), planar((cx + D) / 2, cy / 2))
    return [
        Part.flat(m, m * length**2 / 12, centre, angle)
        for m, length, centre, angle in zip(MASSES, LENGTHS, centres, (q, coupler, rocker))
    ]


MODEL = OneFreedom(parts, GRAVITY)


def forces(q, rates):
    """Forces of A, B, C, D on crank, coupler, rocker, rocker and the motor's moment; `rates`: x'', y'', angle'' per body."""
    (bx, by), (cx, cy), _, _ = places(Jet(q))
    tips = {"A": (0.0, 0.0), "B": (bx.v, by.v), "C": (cx.v, cy.v), "D": (D, 0.0)}
    pulls = {"A": (None, 0), "B": (0, 1), "C": (1, 2), "D": (None, 2)}
    S, right = np.zeros((9, 9)), np.zeros(9)
    for i, p in enumerate(parts(Jet(q, 1.0))):
        right[3 * i : 3 * i + 3] = p.mass * (rates[i][0] - GRAVITY[0]), p.mass * (rates[i][1] - GRAVITY[1]), p.J[2, 2] * rates[i][2]
        for k, (joint, bodies) in enumerate(pulls.items()):
            for sign, body in zip((-1, 1), bodies):
                if body == i:
                    x, y = tips[joint] - p.c.v[:2]
                    S[3 * i : 3 * i + 3, 2 * k : 2 * k + 2] += sign * np.array([[1, 0], [0, 1], [-y, x]])
    S[2, 8] = 1
    found = np.linalg.solve(S, right)
    return {joint: [*found[2 * k : 2 * k + 2], 0] for k, joint in enumerate(pulls)}, found[8]


def spread(q, rate, second):
    """x, y, angle of the bodies, their rates and second rates, each 3 x 3."""
    angles = [Jet(q, 1.0), *places(Jet(q, 1.0))[2:]]
    jets = [(p.c, angle) for p, angle in zip(parts(Jet(q, 1.0)), angles)]
    value = np.array([[*c.v[:2], a.v] for c, a in jets])
    first = np.array([[*c.d[:2], a.d] for c, a in jets])
    curve = np.array([[*c.dd[:2], a.dd] for c, a in jets])
    return value, first * rate, first * second + curve * rate**2


def free_table(times, tolerance):
    rows = []
    for t, (q, rate) in zip(times, MODEL.solve(START, SPIN, times, tolerance)):
        value, first, second = spread(q, rate, MODEL.acceleration(q, rate))
        reactions, motor = forces(q, second)
        assert abs(motor) < 1e-9
        rows.append(
            [float(t), q, rate, value[1][0], value[1][1], 0, value[2][2], first[2][2]]
            + [c for joint in "ABCD" for c in reactions[joint]]
            + [MODEL.energy(q, rate)]
        )
    return rows


def drive(t):
    """The crank's angle and its first two derivatives."""
    x = 2 * SPIN * t
    return START + SPIN * t + 0.1 * np.sin(x), SPIN + 0.2 * SPIN * np.cos(x), -0.4 * SPIN**2 * np.sin(x)


def driven_row(t, value, first, second):
    reactions, motor = forces(drive(t)[0], second)
    return [t, value[1][0], value[1][1], 0, first[1][0], first[1][1], 0, value[2][2], first[2][2], motor, *reactions["A"], *reactions["D"]]


def by_power(t):
    """The motor's moment from the power of inertia and weight."""
    q, rate, second = drive(t)
    _, first, accelerations = spread(q, rate, second)
    power = sum(
        m * (a[:2] - GRAVITY[:2]) @ v[:2] + m * length**2 / 12 * a[2] * v[2]
        for m, length, v, a in zip(MASSES, LENGTHS, first, accelerations)
    )
    return power / rate


def march(rho, h, steps):
    """The method where the drive leaves nothing free: the bodies' places are given."""
    motion = lambda t: spread(*drive(t))
    jerk = (motion(1e-4)[2] - motion(-1e-4)[2]) / 2e-4
    _, first, second = motion(0.0)
    return reduced.given(lambda t: motion(t)[0], (first, second, jerk), rho, h, steps)


def make_free():
    scene = load_scene("four_bar_3d")
    times = output_times(scene)
    rows, check = free_table(times, 2.3e-14), free_table(times, 1e-12)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    print(f"four_bar_3d: energy {energy:.1e}")
    assert energy < 1e-11
    sidecar(
        "four_bar_3d",
        "four_bar.py",
        scene["title"],
        "reactions of an over-constrained linkage: three redundant rows",
        "equation of motion of the crank's angle, the closure in closed form, DOP853 at a relative tolerance of 2.3e-14, "
        f"compared with 1e-12; energy constant within {energy:.0e} J; forces by Newton's and Euler's laws in the plane",
        FREE,
        rows,
        check,
        tables(scene),
    )


def make_driven():
    scene = load_scene("driven_four_bar")
    rows = [driven_row(float(t), *spread(*drive(float(t)))) for t in output_times(scene)]
    power = max(abs(r[9] - by_power(r[0])) for r in rows)
    print(f"driven_four_bar: moment by power {power:.1e}")
    assert power < 1e-12
    # places are given: what is left is Newton's tolerance for accelerations over one step
    fastest = max(np.linalg.norm(spread(*drive(float(t)))[2], axis=1).max() for t in output_times(scene))
    place = {
        "value": float(f"{RTOL * scene['simulation']['step'] ** 2 * fastest:.1e}"),
        "basis": "rtol = 1e-8 of the Newton iteration times h^2 times the largest acceleration",
    }
    check = [[*r[:9], by_power(r[0]), *r[10:]] for r in rows]
    reduced.sidecar(
        "driven_four_bar",
        "four_bar.py",
        scene["title"],
        "inverse dynamics of a linkage",
        "closed form of the linkage and its derivatives; moment and forces by Newton's and Euler's laws, the moment compared "
        f"with the power of inertia and weight: within {power:.0e} N m",
        DRIVEN,
        rows,
        check,
        reduced.tables(scene, march, lambda *s: dict(zip(DRIVEN, driven_row(*s)))),
        "",
        "SI",
        {"coupler.position": place, "D.angle": place},
    )


def main():
    make_free()
    make_driven()


if __name__ == "__main__":
    main()
