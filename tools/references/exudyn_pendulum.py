# SPDX-License-Identifier: GPL-3.0-or-later
"""References of exudyn_pendulum (elliptic functions) and exudyn_spring_pendulum (plane position by DOP853)."""

import numpy as np
from mpmath import ellipfun, ellipk, mp, mpf
from scipy.integrate import solve_ivp

import mechanism
import reduced
from common import axes, load_scene, output_times

SPRUNG = ["t"] + [c for s in ("bob.position", "bob.velocity") for c in axes(s)]
RIGID = SPRUNG + axes("rod.force") + ["energy.total"]
M, L, G, K, C = 2.5, 0.8, 9.81, 4e4, 200.0
SOURCE = "Exudyn 1.11, TestModels/modelUnitTests.py, MathematicalPendulumTest"
# height at t = 2 s, other integrations
KNOWN, KNOWN_SPRUNG = -0.0680390608022, -0.071442299998


def rigid(times):
    """sin(theta/2) = k sn(w t + K), theta from the hanging position, k^2 = 1/2: the amplitude is 90 degrees."""
    m, mass, length, gravity = (mpf(repr(x)) for x in (0.5, M, L, G))
    k, w, quarter = mp.sqrt(m), mp.sqrt(gravity / length), ellipk(m)
    sn, cn = ellipfun("sn"), ellipfun("cn")
    rows = []
    for t in times:
        u = w * t + quarter
        theta, rate = 2 * mp.asin(k * sn(u, m=m)), 2 * k * w * cn(u, m=m)
        x, y = mp.sin(theta), -mp.cos(theta)
        tension = mass * (length * rate**2 - gravity * y)
        energy = mass * length * (length * rate**2 / 2 + gravity * y)
        rows.append(
            [t, length * x, length * y, 0, -length * y * rate, length * x * rate, 0, -tension * x, -tension * y, 0, energy]
        )
    return rows


def second(_, z, v):
    """Acceleration of the mass on its spring; the plane as complex numbers."""
    r = abs(z)
    rate = (z.conjugate() * v).real / r
    return -1j * G - (K * (r - L) + C * rate) / M * z / r


def row(t, z, v, _=0.0):
    return [t, z.real, z.imag, 0, v.real, v.imag, 0]


def sprung(times, tolerance):
    grid = [float(t) for t in times]
    right = lambda t, y: [y[1], second(t, *y)]
    flow = solve_ivp(right, (0, grid[-1]), [L + 0j, 0j], "DOP853", grid, rtol=tolerance, atol=tolerance)
    return [row(t, *y) for t, y in zip(grid, flow.y.T)]


def main():
    scene = load_scene("exudyn_pendulum")
    times = output_times(scene)
    rows = rigid(times)
    mp.dps = 60
    check = rigid(times)
    mp.dps = 40
    known = abs(float(rows[-1][2]) - KNOWN)
    print(f"exudyn_pendulum: known value {known:.1e}")
    assert known < 1e-12
    mechanism.sidecar(
        "exudyn_pendulum",
        "exudyn_pendulum.py",
        scene["title"],
        SOURCE,
        "closed form with Jacobi elliptic functions, 40 digits, checked with 60; height at 2 s of another integration within "
        f"{known:.0e} m",
        RIGID,
        rows,
        check,
        mechanism.tables(scene),
    )
    scene = load_scene("exudyn_spring_pendulum")
    times = output_times(scene)
    rows, check = sprung(times, 2.3e-14), sprung(times, 1e-12)
    known = abs(rows[-1][2] - KNOWN_SPRUNG)
    print(f"exudyn_spring_pendulum: known value {known:.1e}")
    assert known < 1e-11
    march = lambda rho, h, steps: reduced.free(second, L + 0j, 0j, rho, h, steps)
    reduced.sidecar(
        "exudyn_spring_pendulum",
        "exudyn_pendulum.py",
        scene["title"],
        SOURCE,
        "equations of motion in the plane, DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; height at 2 s of "
        f"another integration within {known:.0e} m",
        SPRUNG,
        rows,
        check,
        reduced.tables(scene, march, lambda *s: dict(zip(SPRUNG, row(*s)))),
    )


if __name__ == "__main__":
    main()
