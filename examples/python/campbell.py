# SPDX-License-Identifier: GPL-3.0-or-later
"""A Campbell diagram: frequencies of a gyroscope on a soft hinge over its speed."""
import sys

import numpy
import torsor

J, SPIN, K = 0.02, 0.03, 50.0  # kg m^2 across and along the axis, N m/rad


def rotor(speed):
    """A disc whose axis, z, tilts against two springs; its spin is seen in the frame of the steady motion."""
    d = torsor.Draft()
    d.rigid_body("frame", mass=1, inertia=(1e-6, 1e-6, 1e-6))
    d.rigid_body("disc", mass=1, inertia=(J, J, SPIN), angular_velocity=(0, 0, speed))
    d.universal("tilt", a="ground", b="frame", axis_a=(1, 0, 0), axis_b=(0, 1, 0))
    d.revolute("bearing", a="frame", b="disc", axis=(0, 0, 1))
    d.coordinate_spring("spring_a", coordinate="tilt.angle_a", stiffness=K)
    d.coordinate_spring("spring_b", coordinate="tilt.angle_b", stiffness=K)
    return d.scene().model()


speeds = numpy.linspace(0, 60, 7)
rows = []
for speed in speeds:
    modes = rotor(speed).modes(4)
    found = sorted(mode.frequency for mode in modes if mode.kind == "oscillation" and mode.frequency > 0.1)
    # J w^2 -+ SPIN speed w - K = 0
    gyro = SPIN * speed / (2 * J)
    expected = [(numpy.sqrt(gyro**2 + K / J) + sign * gyro) / (2 * numpy.pi) for sign in (-1, 1)]
    print(f"{speed:5.1f} rad/s: {found[0]:.4f} Hz, {found[-1]:.4f} Hz; by the formula {expected[0]:.4f}, {expected[1]:.4f}")
    # The frame's inertia, 5e-5 of the disc's, is not in the formula.
    assert abs(numpy.array([found[0], found[-1]]) / expected - 1).max() < 1e-4
    rows.append([found[0], found[-1]])

if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(speeds, rows, "o-")
    axes.set_xlabel("speed in rad/s")
    axes.set_ylabel("frequency in Hz")
    figure.savefig(sys.argv[1])
