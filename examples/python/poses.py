# SPDX-License-Identifier: GPL-3.0-or-later
"""Lie groups: a thousand poses on the screw between two frames, and the twist that goes through them."""
import sys

import numpy
from torsor import lie

start = lie.se3_exp([0, 0, 0, 0, 0, 0.3])
end = start @ lie.se3_exp([1, 0.5, 0.2, 0.4, -0.2, 2])
screw = lie.se3_log(numpy.linalg.inv(start) @ end)
s = numpy.linspace(0, 1, 1001)
poses = start @ lie.se3_exp(s[:, None] * screw)
back = lie.se3_log(numpy.linalg.inv(start) @ poses)
print(f"{len(poses)} poses, the last one off by {abs(poses[-1] - end).max():.1e}, logarithms by {abs(back - s[:, None] * screw).max():.1e}")

# Along a screw the twist is constant: T(s h) h = h.
assert abs(poses[-1] - end).max() < 1e-14 and abs(lie.se3_tan(s[:, None] * screw) @ screw - screw).max() < 1e-14
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(s, poses[:, :3, 3], label=["x in m", "y in m", "z in m"])
    axes.set_xlabel("part of the way")
    axes.legend()
    figure.savefig(sys.argv[1])
