# SPDX-License-Identifier: GPL-3.0-or-later
"""Eight runs of one model in eight threads, each with a mass of its own: Python waits for none of them."""
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import torsor

model = torsor.parse({
    "torsor": 1, "gravity": [0, 0, -9.81],
    "bodies": [{"name": "top", "type": "rigid_body", "mass": 15, "inertia": [0.234375, 0.46875, 0.234375], "position": [0, 1, 0],
                "angular_velocity": [0, 150, -4.61538]}],
    "joints": [{"name": "pivot", "type": "spherical", "a": "ground", "b": {"body": "top", "position": [0, -1, 0]}}],
    "simulation": {"step": 1e-4, "duration": 0.5}}).model()
times = numpy.arange(501) * 1e-3


def fall(mass):
    with model.run(signals=["top.position"]) as run:
        run.parameters["top.mass"] = mass
        return run.record(times)["top.position"][:, 2]


masses = numpy.linspace(10, 17, 8)
start = time.perf_counter()
one_by_one = [fall(mass) for mass in masses]
middle = time.perf_counter()
with ThreadPoolExecutor(8) as pool:
    at_once = list(pool.map(fall, masses))
end = time.perf_counter()
print(f"one by one {middle - start:.3f} s, at once {end - middle:.3f} s")

assert all(numpy.array_equal(a, b) for a, b in zip(one_by_one, at_once))
if len(sys.argv) > 1:
    import matplotlib.pyplot
    figure, axes = matplotlib.pyplot.subplots()
    axes.plot(times, numpy.transpose(at_once), label=[f"{mass:g} kg" for mass in masses])
    axes.set_xlabel("t in s")
    axes.set_ylabel("z in m")
    axes.legend()
    figure.savefig(sys.argv[1])
