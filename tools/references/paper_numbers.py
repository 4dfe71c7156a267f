# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints numbers of Arnold, Bruls, Cardona, Numer. Math. 129 (2015) from galpha.py: it shows that galpha.py is right."""

import numpy as np
from mpmath import mpf

import galpha
import heavy_top
import pendulum
from common import load_scene
from taylor import FixedPointBody, trajectory


def pendulum_numbers():
    print("pendulum, rho_inf 0.9: max |e_lambda| on [0, 2]")
    for name, x0, paper in (
        ("pendulum_x0_02", mpf(2) / 10, {"plain": "2.48e-1 1.23e-1", "perturbed": "3.99e-3 9.96e-4"}),
        ("pendulum_x0_0", mpf(0), {"perturbed": "3.95e-3 9.85e-4 (bounds)"}),
    ):
        scene = load_scene(name)
        for start, printed in paper.items():
            found = []
            for h in ("0.02", "0.01"):
                times = [n * mpf(h) for n in range(int(2 / mpf(h)) + 1)]
                rows = pendulum.solution(scene, times, x0)
                table = galpha.simulate(scene, start=start, step=float(h), every=1)
                found.append(galpha.errors(pendulum.COLUMNS, rows, table)["rod.lambda"])
            print(f"  {name} {start:9} h = 2e-2, 1e-2: {found[0]:.3e} {found[1]:.3e}   paper {printed}")


def heavy_top_numbers():
    print("heavy top, R3xSO3, h = 1e-3: transient of |e_lambda| on [0, 0.1], then maxima of norms at multiples of 0.01 s")
    scene = load_scene("heavy_top")
    top = scene["bodies"][0]
    body = FixedPointBody(heavy_top.pivot_inertia(top), heavy_top.ARM, top["mass"], -scene["gravity"][2])
    start = [mpf(c) for c in [1, 0, 0, 0] + top["angular_velocity"]]

    def exact(times):
        states = trajectory(body, start, times, "0.01", 32)
        rows = [heavy_top.row(body, scene, t, s) for t, s in zip(times, states)]
        return [dict(zip(heavy_top.COLUMNS, map(float, r))) for r in rows]

    def norms(reference, table, signal):
        return [np.linalg.norm([e[f"{signal}.{c}"] - g[f"{signal}.{c}"] for c in "xyz"]) for e, g in zip(reference, table)]

    fine = exact([n * mpf("0.001") for n in range(101)])
    for rho, printed in ((0.9, "about 15"), (0.6, "about 4")):
        for kind in ("plain", "perturbed"):
            error = norms(fine, galpha.simulate(scene, start=kind, every=1, duration=0.1, rho=rho), "pivot.force")
            peak = int(np.argmax(error))
            note = f"   paper: peak at step {printed}" if kind == "plain" else ""
            print(f"  rho_inf {rho} {kind:9} largest {error[peak]:8.3f} N at step {peak}{note}")
    rows = exact([n * mpf("0.01") for n in range(101)])
    for refine in (1, 2):
        table = galpha.simulate(scene, refine)
        found = [f"{s} {max(norms(rows, table, s)[50:]):.5e}" for s in ("top.position", "top.velocity", "pivot.force")]
        print(f"  rho_inf 0.9 perturbed h = {1e-3 / refine:g}, t in [0.5, 1]:", ", ".join(found))


if __name__ == "__main__":
    pendulum_numbers()
    heavy_top_numbers()
