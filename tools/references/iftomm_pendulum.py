# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of iftomm_pendulum: closed form with Jacobi elliptic functions."""

from mpmath import ellipfun, ellipk, mp, mpf

import galpha
from common import axes, load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t"] + [c for s in ("bob.position", "bob.velocity") for c in axes(s)] + ["rod.lambda.0", "energy.total"]
# independent evaluation of the closed form, 16 digits
KNOWN = {
    1: ("0.9862917511318753", "-0.1650108531255412"),
    5: ("-0.9423054350437573", "-0.3347543384140006"),
    10: ("-0.2750874625761169", "-0.9614192050991251"),
}


def solution(gravity, times):
    """sin(theta/2) = k sn(w t - K), theta from the hanging position, k^2 = 1/2: the amplitude is 90 degrees."""
    m = mpf(1) / 2
    k, w, quarter = mp.sqrt(m), mp.sqrt(gravity), ellipk(m)
    sn, cn = ellipfun("sn"), ellipfun("cn")
    rows = []
    for t in times:
        u = w * t - quarter
        theta, rate = 2 * mp.asin(k * sn(u, m=m)), 2 * k * w * cn(u, m=m)
        x, y = mp.sin(theta), -mp.cos(theta)
        rows.append([t, x, y, 0, -y * rate, x * rate, 0, rate**2 - gravity * y, rate**2 / 2 + gravity * y])
    return rows


def main():
    scene = load_scene("iftomm_pendulum")
    times, gravity = output_times(scene), -mpf(repr(scene["gravity"][1]))
    rows = solution(gravity, times)
    mp.dps = 60
    check = solution(gravity, times)
    mp.dps = 40
    energy = max(abs(r[-1]) for r in rows)
    known = max(abs(a - mpf(b)) for t in KNOWN for r in rows if r[0] == t for a, b in zip(r[1:3], KNOWN[t]))
    print(f"iftomm_pendulum: energy {float(energy):.1e}, known values {float(known):.1e}")
    assert energy < 1e-35 and known < 1e-15
    sidecar(
        "iftomm_pendulum",
        "iftomm_pendulum.py",
        "Simple pendulum of the IFToMM benchmark library",
        "IFToMM library of computational benchmark problems, A01",
        f"closed form with Jacobi elliptic functions, 40 digits, checked with 60; the energy holds to {float(energy):.0e} J; "
        f"positions at t = 1, 5 and 10 s of another evaluation within {float(known):.0e} m",
        COLUMNS,
        rows,
        check,
        galpha.tables(scene),
        units="SI; rod.lambda.0 in N/m, the multiplier of (x^2 + y^2 - L^2)/2",
    )


if __name__ == "__main__":
    main()
