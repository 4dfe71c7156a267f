# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit: stiffness and damping of a pendulum's spring from its angle, by Gauss and Newton with differences.

scipy.optimize.least_squares would do the same with `residuals`.
"""
import sys

import numpy
import torsor

draft = torsor.Draft(gravity=(0, 0, -9.81))
draft.parameter("k", 20)
draft.parameter("c", 0.5)
draft.rigid_body("rod", mass=2, inertia=(0.2, 0.2, 0.002), position=(0.5, 0, 0))
draft.revolute("hinge", a="ground", b=torsor.Marker("rod", (-0.5, 0, 0)), axis=(0, 1, 0))
draft.coordinate_spring("spring", coordinate="hinge.angle", stiffness="k", damping="c")
draft.simulation(step=2e-3, duration=2)
times = numpy.arange(1, 101) * 0.02


def angle(k, c):
    draft.parameter("k", k)
    draft.parameter("c", c)
    with draft.scene().run() as run:
        return run.record(times, signals=["hinge.angle"])["hinge.angle"]


measured = angle(30, 0.2)


def residuals(p):
    return angle(*p) - measured


p = numpy.array([20, 0.5])
for _ in range(8):
    r = residuals(p)
    J = numpy.column_stack([(residuals(p + h) - r) / h.max() for h in numpy.diag(1e-4 * p)])
    p = p - numpy.linalg.lstsq(J, r, rcond=None)[0]
    print(f"stiffness {p[0]:.9f} N m/rad, damping {p[1]:.9f} N m s/rad, rms {numpy.sqrt((r * r).mean()):.2e} rad")

assert abs(p - (30, 0.2)).max() < 1e-6
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(times, measured, "o", times, angle(*p))
    axes.set_xlabel("t in s")
    axes.set_ylabel("angle in rad")
    figure.savefig(sys.argv[1])
