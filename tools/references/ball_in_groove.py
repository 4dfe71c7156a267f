# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of ball_in_groove: a ball that rolls without slip on two lines, in closed form."""

from mpmath import cos, findroot, mp, mpf, pi, sin, sqrt

from common import axes, load_scene, output_times, reference_error, write_csv, write_sidecar

COLUMNS = ["t"] + axes("ball.position") + axes("ball.velocity") + ["left.normal_force", "right.normal_force", "left.status"]


def solution(times):
    """The ball's centre is at the height at which both pushes carry its weight; friction acts at the
    middle of the overlaps, whose distance from the axis of rolling is the lever."""
    g, tilt, m, r, rod, half, k = mpf("9.81"), pi / 36, mpf(2), mpf("0.04"), mpf("0.03"), mpf("0.055"), mpf(10) ** 9

    def balance(d):
        reach = r + rod - d
        return 2 * k * d * sqrt(d) * sqrt(reach**2 - half**2) / reach - m * g * cos(tilt)

    d = findroot(balance, mpf("6e-6"))
    reach = r + rod - d
    height, push = sqrt(reach**2 - half**2), k * d * sqrt(d)
    lever = (r - d / 2) * height / reach
    a = g * sin(tilt) / (1 + mpf(2) / 5 * (r / lever) ** 2)
    friction = m * (g * sin(tilt) - a) / 2
    rows = [[t, a * t**2 / 2, 0, height, a * t, 0, 0, push, push, 1] for t in map(mpf, times)]
    return rows, friction


def main():
    scene = load_scene("ball_in_groove")
    times = output_times(scene)
    mp.dps = 30
    rows, friction = solution(times)
    mp.dps = 40
    check, _ = solution(times)
    stretch = float(friction) / 2e6
    written = {
        "ball.position": (
            1.5 * stretch + 6e-9,
            f"1.5 x {stretch:.2g}, the stretch of the springs along the rods, which the rigid ball has not, + 6e-9, what the start is out of balance",
        ),
        "ball.velocity": (
            1e-5,
            "the speed at which that stretch comes to rest, friction/tangential_damping = 1.2e-4 m/s, dies out within 1e-3 of it in the first row",
        ),
        "left.normal_force": (0.02, "1e-3 of it: what the start is out of balance vibrates and dies out"),
        "right.normal_force": (0.02, "1e-3 of it: what the start is out of balance vibrates and dies out"),
        "left.status": (0, "sticks"),
    }
    write_csv("ball_in_groove", COLUMNS, rows)
    write_sidecar(
        "ball_in_groove",
        {
            "title": scene["title"],
            "source": "rolling on two lines: a = g sin(tilt)/(1 + 2/5 (r/lever)^2)",
            "units": "SI",
            "method": "closed form with the depth of both contacts by a root, 30 digits, compared with 40",
            "error": reference_error(COLUMNS, rows, check),
            "tolerance": {s: {"value": float(f"{v:.3g}"), "basis": b} for s, (v, b) in written.items()},
            "made_by": "tools/references/ball_in_groove.py",
        },
    )


if __name__ == "__main__":
    main()
