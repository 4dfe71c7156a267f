# SPDX-License-Identifier: GPL-3.0-or-later
"""A force by a function of Python: a magnet at the origin pulls a pendulum's bob with m/r^4."""
import sys

import numpy
import torsor

STRENGTH = 0.05  # N m^4


def magnet(t, p, R, V):
    """Force on the bob, in its axes, from its position p in the axes of the ground and its rotation R."""
    r = numpy.sqrt(p @ p)
    if r < 0.01:
        raise ValueError("the bob is within 1 cm of the magnet")
    return R.T @ (-STRENGTH / r**5 * p)


types = torsor.Registry()
types.bind("magnet", magnet, "law")
d = torsor.Draft(gravity=(0, 0, -9.81), registry=types)
d.rigid_body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(0.5, 0, 0.3), velocity=(0, 0.4, 0))
d.spherical("string", a=torsor.Marker("ground", (0, 0, 1.2)), b=torsor.Marker("bob", (-0.5, 0, 0.9)))
d.add("user_force", "pull", a="ground", b="bob", law="magnet")
d.simulation(step=1e-3, duration=1)
result = d.scene().model().simulate(signals=["bob.position", "pull.force"])
print(result["bob.position"][-1], result["pull.force"][-1])

r = numpy.linalg.norm(result["bob.position"], axis=1)
assert abs(numpy.linalg.norm(result["pull.force"], axis=1) * r**4 / STRENGTH - 1).max() < 1e-12
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(*result["bob.position"][:, :2].T)
    axes.set_xlabel("x in m")
    axes.set_ylabel("y in m")
    figure.savefig(sys.argv[1])
