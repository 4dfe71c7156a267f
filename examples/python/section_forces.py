# SPDX-License-Identifier: GPL-3.0-or-later
"""Full states: bending moments along a cantilever that is let go, by the names of its sections."""
import sys

import torsor

d = torsor.Draft(gravity=(0, 0, -9.81))
d.section("bar", shape="rectangle", height=0.02, width=0.02, E=2e11, nu=0.3, density=7800)
d.beam("beam", section="bar", elements=6, position=(0, 0, 0), end=(1, 0, 0))
d.weld("clamp", a="ground", b="beam.start")
d.simulation(accuracy={"position": 1e-4, "rotation": 1e-4}, step=1e-3, duration=0.05)
d.output("beam.end.position", step=1e-3)
result = d.scene().model().simulate(full=True)

names = result.frame_names["element_output"]
columns = [i for i, name in enumerate(names) if name.startswith("beam.section_moment[") and name.endswith(".y")]
moments = result.frames["output"][:, columns]
print(f"{moments.shape[0]} states of {moments.shape[1]} sections, largest moment {abs(moments).max():.2f} N m at the clamp")

# A load that comes at once bends about twice as much as at rest: q l^2/2 at the clamp, less at the middle of the first element.
still = 7800 * 4e-4 * 9.81 / 2
assert 1.2 * still < abs(moments[:, 0]).max() < 2.2 * still and abs(moments).max() == abs(moments[:, 0]).max()
try:
    import xarray  # noqa: F401
except ImportError:
    pass
else:
    states = result.to_xarray()
    tip = states.position.sel(node=states.node[-1], xyz="z")
    assert float(tip[-1]) == result["beam.end.position.z"][-1]
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(result.t, moments, label=[names[i] for i in columns])
    axes.set_xlabel("t in s")
    axes.set_ylabel("moment in N m")
    axes.legend()
    figure.savefig(sys.argv[1])
