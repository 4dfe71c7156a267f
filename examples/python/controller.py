# SPDX-License-Identifier: GPL-3.0-or-later
"""A sampled controller outside of the model: signals in, an input out, ten thousand steps of a pole on a cart."""
import sys

import numpy
import torsor

d = torsor.Draft(gravity=(0, 0, -9.81))
d.rigid_body("cart", mass=1, inertia=(0.1, 0.1, 0.1))
d.rigid_body("pole", mass=0.1, inertia=(0.01, 0.01, 1e-4), orientation=torsor.Rotation.about((0, 1, 0), 0.1),
             position=(0.5 * numpy.sin(0.1), 0, 0.5 * numpy.cos(0.1)))
d.prismatic("slide", a="ground", b="cart", axis=(1, 0, 0))
d.revolute("hinge", a="cart", b=torsor.Marker("pole", (0, 0, -0.5)), axis=(0, 1, 0), axis_b=(0, 1, 0))
d.angle_sensor("lean", a="ground", b="pole", axis=(0, 1, 0))
d.input("push", 0, "N", "force on the cart")
d.coordinate_force("motor", coordinate="slide.travel", effort="push")
d.simulation(step=1e-3, duration=10)

H, integral, rows = 0.01, 0.0, []
with d.scene().run(signals=["slide.travel", "slide.speed", "lean.angle", "lean.rate"]) as run:
    for k in range(1000):
        x, dx, angle, rate = run.values
        integral += H * x
        run.inputs["push"] = 40 * angle + 9 * rate + x + 2.5 * dx + 0.05 * integral
        run.advance((k + 1) * H)
        rows.append(run.values.copy())
rows = numpy.array(rows)
print(f"after 10 s the pole leans by {rows[-1, 2]:.2g} rad, the cart is {rows[-1, 0]:.3f} m off")

assert abs(rows[-1, 2]) < 1e-2 and abs(rows[:, 2]).max() < 0.12
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(H * numpy.arange(1, 1001), rows[:, [0, 2]], label=["travel in m", "lean in rad"])
    axes.set_xlabel("t in s")
    axes.legend()
    figure.savefig(sys.argv[1])
