# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of double_wishbone: the lower arm's angle, the closure in closed form."""

import numpy as np

from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, constant, cos, matrix, sidecar, sin, sqrt, tables, turning, vector

COLUMNS = ["t", "lower_front.angle", "lower_front.rate", "upper_front.angle"] + [
    c
    for s in ("upright.position", "upright.velocity", "upright.angular_velocity", "lower_ball.force", "upper_ball.force", "tie_rod.force")
    for c in axes(s)
]
PIVOT, TOP = np.array([0, 0.3, 0.2]), np.array([0, 0.4, 0.5])
LOWER, UPPER = 0.4, 0.27  # arms from their axes
LOW_X, UP_X = 0.01, -0.02  # balls before the axle
RACK = np.array([0.13, 0.33, 0.24])
ROD = np.sqrt(0.01**2 + 0.36**2 + 0.02**2)
# balls and tie rod in the upright
LOW, UP, TIE = np.array([0.01, -0.08, -0.13]), np.array([-0.02, -0.11, 0.17]), np.array([0.12, -0.09, -0.07])
UPRIGHT = (28.0, np.diag([0.6, 0.9, 0.6]))
ARMS = ((4.0, np.diag([0.05, 0.03, 0.07]), 0.2), (2.5, np.diag([0.02, 0.02, 0.04]), 0.14))
STRUT = np.array([0, 0.42, 0.7])
AT, STIFFNESS, DAMPING, LENGTH = 0.3, 36000.0, 1500.0, 0.54
GRAVITY = np.array([0, 0, -9.81])
KINGPIN = UP - LOW
AXIS = KINGPIN / np.linalg.norm(KINGPIN)
REACH = (TIE - LOW) @ AXIS
SIDE = np.linalg.norm(TIE - LOW - REACH * AXIS)
SIDEWAYS = (TIE - LOW - REACH * AXIS) / SIDE
FRAME = np.column_stack((AXIS, SIDEWAYS, np.cross(AXIS, SIDEWAYS)))


def cross(a, b):
    return Jet(
        np.cross(a.v, b.v),
        np.cross(a.d, b.v) + np.cross(a.v, b.d),
        np.cross(a.dd, b.v) + 2 * np.cross(a.d, b.d) + np.cross(a.v, b.dd),
    )


def upper(q):
    """Direction of the upper arm in its plane: two circles."""
    y, z = PIVOT[1] + LOWER * cos(q) - TOP[1], PIVOT[2] + LOWER * sin(q) - TOP[2]
    square = y * y + z * z
    gap = sqrt(square)
    apart = KINGPIN @ KINGPIN - (UP_X - LOW_X) ** 2
    along = (UPPER**2 - apart + square) / (2 * gap)
    across = sqrt(UPPER**2 - along * along)
    return (along * y - across * z) / gap / UPPER, (along * z + across * y) / gap / UPPER


def upright(q):
    """Rotation and place of the upright, tips of the arms."""
    low = constant(PIVOT) + vector(LOW_X, LOWER * cos(q), LOWER * sin(q))
    c, s = upper(q)
    up = constant(TOP) + vector(UP_X, UPPER * c, UPPER * s)
    axis = (up - low) / np.linalg.norm(KINGPIN)
    # the tie's end low + REACH axis + SIDE e keeps its distance from the rack; e is normal to the axis
    w = low + REACH * axis - constant(RACK)
    share = (ROD**2 - w @ w - SIDE**2) / (2 * SIDE)
    flat = w - (w @ axis) * axis
    size = sqrt(flat @ flat)
    f = flat / size
    part = share / size
    e = part * f + BRANCH * sqrt(1.0 - part * part) * cross(axis, f)
    R = matrix((axis, e, cross(axis, e))) @ constant(FRAME.T)
    return R, low - R @ constant(LOW), low, up


def branch():
    """Sign that gives the position of the start."""
    global BRANCH
    for BRANCH in (1.0, -1.0):
        R, x, _, _ = upright(Jet(0.0, 1.0))
        if np.abs(R.v - np.eye(3)).max() < 1e-9:
            return
    raise ArithmeticError("the start is on no branch")


def parts(q):
    R, x, _, _ = upright(q)
    c, s = upper(q)
    # unit vectors turn about x at c s' - s c'
    turn = (c.v * s.d - s.v * c.d, c.v * s.dd - s.v * c.dd)
    (m1, J1, r1), (m2, J2, r2) = ARMS
    n = np.array([1.0, 0, 0])
    return [
        Part(m1, J1, constant(PIVOT) + r1 * vector(0.0, cos(q), sin(q)), (q.d * n, q.dd * n)),
        Part(m2, J2, constant(TOP) + r2 * vector(0.0, c, s), (turn[0] * n, turn[1] * n)),
        Part(*UPRIGHT, x, turning(R)),
    ]


def strut(q):
    way = constant(PIVOT - STRUT) + AT * vector(0.0, cos(q), sin(q))
    return sqrt(way @ way)


def load(q, rate):
    length = strut(Jet(q, 1.0))
    return -(STIFFNESS * (length.v - LENGTH) + DAMPING * length.d * rate) * length.d


MODEL = OneFreedom(parts, GRAVITY, load)


def forces(q, rate, second):
    """Lower ball, upper ball and tie rod on the upright: its six equations and the upper arm's about its axis."""
    jet = Jet(q, 1.0)
    R, x, low, up = (part.v for part in upright(jet))
    _, arm, wheel = parts(jet)
    mass, J = UPRIGHT
    push = mass * (wheel.c.dd * rate**2 + wheel.c.d * second - GRAVITY)
    w = wheel.W * rate
    turn = R @ (J @ (wheel.W * second + wheel.Wd * rate**2) + np.cross(w, J @ w))
    tie = x + R @ TIE
    line = (tie - RACK) / ROD
    S = np.zeros((7, 7))
    S[:3, :3] = S[:3, 3:6] = np.eye(3)
    S[:3, 6] = line
    for k, e in enumerate(np.eye(3)):
        S[3:6, k], S[3:6, 3 + k] = np.cross(low - x, e), np.cross(up - x, e)
    S[3:6, 6] = np.cross(tie - x, line)
    m2, J2, _ = ARMS[1]
    lever = arm.c.v - TOP
    inertia = np.cross(lever, m2 * (arm.c.dd * rate**2 + arm.c.d * second - GRAVITY))[0]
    inertia += J2[0, 0] * (arm.W[0] * second + arm.Wd[0] * rate**2)
    S[6, 3:6] = np.cross([1.0, 0, 0], up - TOP)  # x of (up - TOP) x F
    found = np.linalg.solve(S, np.concatenate((push, turn, [-inertia])))
    return [*found[:6], *found[6] * line]


def table(times, tolerance):
    rows = []
    for t, (q, rate) in zip(times, MODEL.solve(0.0, 0.0, times, tolerance)):
        jet = Jet(q, 1.0)
        R, x, _, _ = upright(jet)
        c, s = upper(jet)
        rows.append(
            [float(t), q, rate, np.arctan2(s.v, c.v), *x.v, *x.d * rate, *turning(R)[0] * rate]
            + forces(q, rate, MODEL.acceleration(q, rate))
        )
    return rows


def main():
    branch()
    scene = load_scene("double_wishbone")
    times = output_times(scene)
    rows, check = table(times, 2.3e-14), table(times, 1e-12)
    sidecar(
        "double_wishbone",
        "double_wishbone.py",
        scene["title"],
        "a car's suspension with two bushes on each arm: ten redundant rows",
        "equation of motion of the lower arm's angle, the closure in closed form (two circles, then the tie rod's angle about "
        "the kingpin), DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; forces by Newton's and Euler's laws",
        COLUMNS,
        rows,
        check,
        tables(scene),
    )


if __name__ == "__main__":
    main()
