# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of free_rotor: angular velocity by Jacobi elliptic functions, attitude by Taylor series."""

from mpmath import ellipf, ellipfun, ellipk, mp, mpf

import galpha
from common import axes, cross, load_scene, output_times, reference_error, rotate, write_csv, write_sidecar
from taylor import FixedPointBody, trajectory

COLUMNS = (
    ["t"]
    + axes("rotor.quaternion", "wxyz")
    + axes("rotor.angular_velocity")
    + axes("rotor.angular_acceleration")
    + ["energy.total"]
    + axes("angular_momentum")
)


def closed_form(inertia, start, times):
    """Angular velocities for I1 < I2 < I3, M^2 > 2 T I2 (w1 as cn, w2 as sn, w3 as dn), and the period."""
    i1, i2, i3 = inertia
    energy2 = sum(i * w * w for i, w in zip(inertia, start))
    momentum2 = sum((i * w) ** 2 for i, w in zip(inertia, start))
    assert momentum2 > energy2 * i2 and start[0] > 0 and start[2] > 0
    above, below = momentum2 - energy2 * i1, energy2 * i3 - momentum2
    a1 = mp.sqrt(below / (i1 * (i3 - i1)))
    a2 = mp.sqrt(below / (i2 * (i3 - i2)))
    a3 = mp.sqrt(above / (i3 * (i3 - i1)))
    rate = mp.sqrt((i3 - i2) * above / (i1 * i2 * i3))
    m = (i2 - i1) * below / ((i3 - i2) * above)
    # dw2/dt = (I3 - I1)/I2 w3 w1 > 0 where w1 and w3 are positive: the phase is that of sn
    phase = ellipf(mp.atan2(start[1] / a2, start[0] / a1), m)
    sn, cn, dn = (ellipfun(f) for f in ("sn", "cn", "dn"))
    table = [[a * f(rate * t + phase, m=m) for a, f in ((a1, cn), (a2, sn), (a3, dn))] for t in times]
    return table, 4 * ellipk(m) / rate


def row(body, t, state):
    q, w = state[:4], state[4:]
    spin = [j * c for j, c in zip(body.inertia, w)]
    return [t, *state, *body.angular_acceleration(state), mp.fdot(spin, w) / 2, *rotate(q, spin)]


def main():
    scene = load_scene("free_rotor")
    rotor = scene["bodies"][0]
    times = output_times(scene)
    body = FixedPointBody(rotor["inertia"])
    spin = [mpf(w) for w in rotor["angular_velocity"]]
    start = [mpf(1), mpf(0), mpf(0), mpf(0)] + spin
    rows, check = (
        [row(body, t, s) for t, s in zip(times, trajectory(body, start, times, step, degree))]
        for step, degree in (("0.125", 36), ("0.0625", 32))
    )
    exact, period = closed_form(body.inertia, spin, times)
    velocity = max(abs(r[5 + i] - w[i]) for r, w in zip(rows, exact) for i in range(3))
    momentum = max(abs(r[-3 + i] - rows[0][-3 + i]) for r in rows for i in range(3))
    print(f"free_rotor: closed form {float(velocity):.1e}, momentum {float(momentum):.1e}, period {mp.nstr(period, 15)}")
    assert velocity < 1e-20 and momentum < 1e-20
    error = reference_error(COLUMNS, rows, check)
    write_csv("free_rotor", COLUMNS, rows)
    write_sidecar(
        "free_rotor",
        {
            "title": "Free rotor turning over about its middle axis",
            "source": f"Euler's equations, closed form; the motion's period is {mp.nstr(period, 12)} s",
            "units": "SI",
            "method": "unit quaternion and body angular velocity, Taylor series of degree 36 with 40 digits, step 0.125 s; "
            "checked with degree 32 at half the step, with the closed form of the angular velocity in Jacobi elliptic functions "
            f"(difference {float(velocity):.0e}) and by the angular momentum in inertial axes (constant to {float(momentum):.0e}). "
            "Agrees with an independent evaluation at t = 5, 10, 20 s to 5e-15 in angular velocity.",
            "error": error,
            "tolerance": galpha.tolerances("free_rotor", COLUMNS, rows, error),
            "made_by": "tools/references/free_rotor.py",
        },
    )


if __name__ == "__main__":
    main()
