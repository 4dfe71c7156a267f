# SPDX-License-Identifier: GPL-3.0-or-later
"""References of pendulum_x0_0 and pendulum_x0_02: closed form with Jacobi elliptic functions."""

from mpmath import ellipf, ellipfun, mp, mpf

import galpha
from common import axes, load_scene, output_times, reference_error, write_csv, write_sidecar

COLUMNS = (
    ["t"]
    + [c for s in ("bob.position", "bob.velocity", "bob.acceleration") for c in axes(s)]
    + ["rod.lambda.0", "energy.total"]
)


def solution(scene, times, x0):
    """Rows by sin(theta/2) = k sn(w t + u0), theta from the hanging position, m = l = 1, energy 1/2 - g."""
    g = -mpf(scene["gravity"][1])
    w = mp.sqrt(g)
    m = 1 / (4 * g)
    k = mp.sqrt(m)
    sn, cn = ellipfun("sn"), ellipfun("cn")
    u0 = ellipf(mp.asin(mp.sin(mp.asin(x0) / 2) / k), m)
    rows = []
    for t in times:
        theta = 2 * mp.asin(k * sn(w * t + u0, m=m))
        rate = 2 * k * w * cn(w * t + u0, m=m)
        x, y = mp.sin(theta), -mp.cos(theta)
        tension = rate**2 - g * y
        rows.append(
            [t, x, y, 0, -y * rate, x * rate, 0, -tension * x, -tension * y - g, 0, tension, rate**2 / 2 + g * y]
        )
    return rows


def main():
    for name, x0 in (("pendulum_x0_0", mpf(0)), ("pendulum_x0_02", mpf(2) / 10)):
        scene = load_scene(name)
        times = output_times(scene)
        rows = solution(scene, times, x0)
        energy = max(abs(r[-1] - (mpf(1) / 2 + mpf(scene["gravity"][1]))) for r in rows)
        bob = scene["bodies"][0]
        start = max(abs(a - b) for a, b in zip(rows[0][1:7], bob["position"] + bob["velocity"]))
        print(f"{name}: energy {float(energy):.1e}, start against the scene {float(start):.1e}")
        assert energy < 1e-35 and start < 2e-16
        mp.dps = 60
        check = solution(scene, times, x0)
        mp.dps = 40
        error = reference_error(COLUMNS, rows, check)
        write_csv(name, COLUMNS, rows)
        write_sidecar(
            name,
            {
                "title": f"Mathematical pendulum, x0 = {float(x0):g}",
                "source": "Arnold, Bruls, Cardona, Numer. Math. 129 (2015) 149-179, Example 1",
                "units": "SI; rod.lambda.0 in N/m, the multiplier of (x^2 + y^2 - l^2)/2",
                "method": "closed form with Jacobi elliptic functions, 40 digits, checked with 60; the energy holds to "
                f"{float(energy):.0e}. Agrees with an independent evaluation and two integrations to 1e-15 in position and "
                "velocity and 2e-15 N/m in the multiplier.",
                "error": error,
                "tolerance": galpha.tolerances(name, COLUMNS, rows, error),
                "made_by": "tools/references/pendulum.py",
            },
        )


if __name__ == "__main__":
    main()
