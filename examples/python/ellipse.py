# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint by a function of Python: a bead slides on an upright ellipse of half axes 1 m and 0.5 m."""
import sys

import torsor

A, B = 1.0, 0.5


def ellipse(t, p, R):
    """Rows that are to be 0: off the plane, off the curve; and the bead does not turn."""
    return p[1], (p[0] / A) ** 2 + (p[2] / B) ** 2 - 1, R[2, 1], R[0, 2], R[1, 0]


types = torsor.Registry()
types.bind("ellipse", ellipse, "rows")
d = torsor.Draft(gravity=(0, 0, -9.81), registry=types)
d.rigid_body("bead", mass=1, inertia=(0.01, 0.01, 0.01), position=(A, 0, 0))
d.add("user_joint", "track", a="ground", b="bead", constraint="ellipse", rows=5, scale=0.5)
d.simulation(step=2e-3, duration=2)
result = d.scene().model().simulate(signals=["bead.position", "energy"])
x, _, z = result["bead.position"].T
print(f"off the curve by {abs((x / A)**2 + (z / B)**2 - 1).max():.1e}, lowest {z.min():.6f} m, "
      f"energy drifts by {result.summary.energy_max_drift:.1e} J")

# Positions meet the rows to Newton's tolerance; from rest at z = 0 the bead comes to the bottom, z = -B, and back to z = 0.
assert abs((x / A) ** 2 + (z / B) ** 2 - 1).max() < 1e-8 and abs(z.min() + B) < 1e-3 and z.max() < 1e-3
if len(sys.argv) > 1:
    result.plot("bead.position").figure.savefig(sys.argv[1])
