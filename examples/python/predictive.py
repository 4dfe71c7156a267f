# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictive control: at each sample a run tries forces ahead of its time, goes back, and takes the best one."""
import sys

import torsor

d = torsor.Draft()
d.input("push", 0, "N")
d.rigid_body("cart", mass=1, inertia=(1, 1, 1))
d.prismatic("rail", a="ground", b="cart", axis=(1, 0, 0))
d.coordinate_force("motor", coordinate="rail.travel", effort="push")
d.simulation(step=1e-2, duration=6)

GOAL, H, TRIES = 1.0, 0.1, (-2.0, -1.0, -0.25, 0.0, 0.25, 1.0, 2.0)  # m, s, N


def cost(run, state, force):
    """Distance from the goal and speed half a second on."""
    run.restore(state)
    run.inputs["push"] = force
    run.advance(run.t + H)
    run.inputs["push"] = 0
    run.advance(run.t + 4 * H)
    x, dx = run.values
    return (x + dx - GOAL) ** 2 + 0.05 * dx * dx


with d.scene().run(signals=["rail.travel", "rail.speed"], open_end=True) as run:
    travel = [0.0]
    for k in range(60):
        state = run.save()
        best = min(TRIES, key=lambda force: cost(run, state, force))
        run.restore(state)
        run.inputs["push"] = best
        run.advance((k + 1) * H)
        travel.append(run["rail.travel"])
print(f"after 6 s at {travel[-1]:.3f} m, with {len(state)} bytes of state")

assert abs(travel[-1] - GOAL) < 0.05
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot([H * k for k in range(61)], travel)
    axes.set_xlabel("t in s")
    axes.set_ylabel("travel in m")
    figure.savefig(sys.argv[1])
