# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs coupled by a spring between them, each with steps of its own; they meet every H seconds, with errors of order 2 in H."""
import sys

import numpy
import torsor

K, GAP = 10.0, 0.3  # N/m; m between the blocks without a force
OMEGA = numpy.sqrt(K / 1 + K / 2)


def block(mass):
    d = torsor.Draft()
    d.input("pull", 0, "N")
    d.rigid_body("block", mass=mass, inertia=(1, 1, 1))
    d.prismatic("rail", a="ground", b="block", axis=(1, 0, 0))
    d.coordinate_force("spring", coordinate="rail.travel", effort="pull")
    d.simulation(step=1e-3, duration=2)
    return d.scene().run(signals=["rail.travel", "rail.speed"], open_end=True)


def largest_error(H):
    worst = 0.0
    with block(1) as a, block(2) as b:
        for i in range(round(2 / H) + 1):
            (x, dx), (y, dy) = a.values, b.values
            stretch = GAP * (numpy.cos(OMEGA * i * H) - 1)
            worst = max(worst, abs(x + 2 * stretch / 3), abs(y - stretch / 3))
            force, rate = K * (GAP + y - x), K * (dy - dx)
            a.set_input("pull", force, rate)
            b.set_input("pull", -force, -rate)
            a.advance((i + 1) * H)
            b.advance((i + 1) * H)
    return worst


steps = [0.02, 0.01, 0.005]
errors = [largest_error(H) for H in steps]
orders = numpy.log2(numpy.array(errors[:-1]) / errors[1:])
print("errors", *(f"{e:.2e}" for e in errors), "m, orders", *(f"{o:.2f}" for o in orders))

assert orders.min() > 1.9
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.loglog(steps, errors, "o-")
    axes.set_xlabel("H in s")
    axes.set_ylabel("error in m")
    figure.savefig(sys.argv[1])
