# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of slider_crank_spring: the crank's angle and the sprung mass."""

import numpy as np
from scipy.integrate import solve_ivp

from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, cos, planar, sidecar, sin, sqrt, tables

COLUMNS = (
    ["t", "pivot.angle", "pivot.rate"]
    + [c for s in ("slider.position", "slider.velocity", "mass.position", "mass.velocity", "pivot.force", "pin.force") for c in axes(s)]
    + ["energy.total"]
)
L1, L2, M1, M2, M3, M4, K, TORQUE = 0.3, 0.6, 0.36, 0.15, 0.1, 0.7, 1000.0, 1.0
# crank angle and displacement of the mass at t = 1 s: another formulation with 10 coordinates in extended precision
KNOWN = (7.414624985538759, 0.6004431372840047)


def geometry(q):
    """Sine and cosine of the rod's angle, position of the slider."""
    s = -(L1 / L2) * sin(q)
    c = sqrt(1.0 - s * s)
    return s, c, L1 * cos(q) + L2 * c


def parts(q):
    s, c, x = geometry(q)
    angle = s.map(np.arcsin(s.v), 1 / c.v, s.v / c.v**3)
    return [
        Part.flat(M1, M1 * L1**2 / 12, planar(L1 / 2 * cos(q), L1 / 2 * sin(q)), q),
        Part.flat(M2, M2 * L2**2 / 12, planar(L1 * cos(q) + L2 / 2 * c, L1 / 2 * sin(q)), angle),
        Part(M3, np.zeros((3, 3)), planar(x, 0.0)),
    ]


def model(stretch):
    return OneFreedom(parts, [0, 0, 0], lambda q, _: TORQUE + K * stretch * geometry(Jet(q, 1.0))[2].d)


def rates(_, y):
    """y: angle, position of the mass less the free length, their rates."""
    stretch = y[1] - geometry(Jet(y[0]))[2].v
    return [y[2], y[3], model(stretch).acceleration(y[0], y[2]), -K * stretch / M4]


def forces(q, rate, acceleration, stretch):
    """Force of the pivot on the crank and of the pin on the rod."""
    crank, rod, slider = parts(Jet(q, 1.0))
    second = [p.c.dd * rate**2 + p.c.d * acceleration for p in (crank, rod, slider)]
    turn = M2 * L2**2 / 12 * (rod.W[2] * acceleration + rod.Wd[2] * rate**2)
    s, c, _ = geometry(Jet(q))
    # the slider takes wrist_x from the rod; moments about the rod's centre give the rest
    wrist_x = M3 * second[2][0] - K * stretch
    pin_x, total_y = M2 * second[1][0] + wrist_x, M2 * second[1][1]
    # rod: pin at -L2/2 (c, s), the reaction (-wrist_x, w_y) at +L2/2 (c, s), pin_y + w_y = total_y
    lever = 2 * turn / L2
    difference = (lever - s.v * (pin_x + wrist_x)) / c.v
    pin_y = (total_y - difference) / 2
    pivot = M1 * second[0][:2] + [pin_x, pin_y]
    return [*pivot, 0, pin_x, pin_y, 0]


def table(times, free, tolerance):
    grid = [float(t) for t in times]
    start = [np.pi / 2, geometry(Jet(np.pi / 2))[2].v, 0, 0]
    flow = solve_ivp(rates, (0, grid[-1]), start, "DOP853", grid, rtol=tolerance, atol=tolerance)
    rows = []
    for t, (q, x4, rate, v4) in zip(grid, flow.y.T):
        x = geometry(Jet(q, 1.0))[2]
        stretch = x4 - x.v
        acceleration = model(stretch).acceleration(q, rate)
        energy = model(0).energy(q, rate) + M4 * v4**2 / 2 + K * stretch**2 / 2
        rows.append(
            [t, q, rate, x.v, 0, 0, x.d * rate, 0, 0, x4 + free, 0, 0, v4, 0, 0]
            + [*forces(q, rate, acceleration, stretch), energy]
        )
    return rows


def main():
    scene = load_scene("slider_crank_spring")
    times, free = output_times(scene), scene["parameters"]["l0"]
    rows, check = table(times, free, 2.3e-14), table(times, free, 1e-12)
    balance = max(abs(r[-1] - TORQUE * (r[1] - rows[0][1])) for r in rows)
    known = max(abs(rows[-1][1] - KNOWN[0]), abs(rows[-1][9] - free - KNOWN[1]))
    print(f"slider_crank_spring: energy less work {balance:.1e}, known values {known:.1e}")
    assert balance < 1e-11 and known < 1e-10
    sidecar(
        "slider_crank_spring",
        "slider_crank_spring.py",
        "Slider-crank with a sprung mass",
        "Arnold and Bruls, Multibody System Dynamics 18 (2007) 185-202, section 5.1",
        "equations of motion of the crank's angle and of the mass, DOP853 at a relative tolerance of 2.3e-14, compared with "
        f"1e-12; energy less the torque's work within {balance:.0e} J; angle and displacement at 1 s of another formulation, "
        f"10 coordinates in extended precision, within {known:.0e}",
        COLUMNS,
        rows,
        check,
        tables(scene),
    )


if __name__ == "__main__":
    main()
