# SPDX-License-Identifier: GPL-3.0-or-later
"""A heavy top in ten lines: a scene by calls, the whole simulation, its rows."""
import sys

import torsor

d = torsor.Draft(gravity=(0, 0, -9.81))
d.rigid_body("top", mass=15, inertia=(0.234375, 0.46875, 0.234375), position=(0, 1, 0), angular_velocity=(0, 150, -4.61538))
d.spherical("pivot", a="ground", b=torsor.Marker("top", (0, -1, 0)))
d.simulation(step=1e-3, duration=1)
d.output("top.position", "pivot.force", "energy")
result = d.scene().model().simulate()
print(result["top.position"][-1], f"energy drifts by {result.summary.energy_max_drift:.2g} J")

assert result.summary.energy_max_drift < 1e-4 * abs(result.summary.energy_initial)
if len(sys.argv) > 1:
    result.plot("top.position").figure.savefig(sys.argv[1])
