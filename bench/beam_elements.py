#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many elements of beams does an error of the end take, and what time?  Shipped equilibria with elements of order 2 and 4, by
bisection for the least number whose end, at the whole load, is within 1e-3, 1e-4 and 1e-6 of its displacement of that of the rod
in data/reference.  Times are CPU times of the loop over the load steps, least of five runs.

    TORSOR=build/src/cli/torsor TORSOR_DATA=data python3 bench/beam_elements.py
"""
import csv
import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

TORSOR, DATA = os.environ["TORSOR"], Path(os.environ["TORSOR_DATA"])
SCENES = {
    "elastica": "strip", "bend_45": "bend", "princeton_beam": "beam3", "composite_cantilever": "box", "pretwisted_beam": "blade"
}
ERRORS = (1e-3, 1e-4, 1e-6)


def rows(path):
    with open(path) as lines:
        return list(csv.DictReader(lines))


def place(row, body):
    return [float(row[f"{body}.end.position.{axis}"]) for axis in "xyz"]


def solve(name, body, order, n):
    """Place of the end and CPU time of the loop."""
    scene = json.loads((DATA / "scenes" / f"{name}.json").read_text())
    for beam in scene["bodies"]:
        beam.update(elements=n, order=order)
    scene["output"] = {"signals": [f"{body}.end.position"]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.json"
        path.write_text(json.dumps(scene))
        subprocess.run([TORSOR, "statics", "-q", str(path), "-o", f"{folder}/out"], check=True)
        time = json.loads(Path(folder, "out", "summary.json").read_text())["cpu_seconds"]
        return place(rows(Path(folder) / "out" / "trajectory.csv")[-1], body), time


def main():
    print("| scene | order | " + " | ".join(f"{e:g}: elements | ms" for e in ERRORS) + " |")
    for name, body in SCENES.items():
        known = rows(DATA / "reference" / f"{name}.csv")
        end, start = (place(known[k], body) for k in (-1, 0))
        for order in (2, 4):
            error = lambda n: math.dist(solve(name, body, order, n)[0], end) / math.dist(end, start)
            cells, low = [], 0
            for allowed in ERRORS:
                high = max(1, 2 * low)
                while error(high) > allowed:
                    low, high = high, 2 * high
                while high - low > 1:
                    middle = (low + high) // 2
                    low, high = (low, middle) if error(middle) <= allowed else (middle, high)
                least = min(solve(name, body, order, high)[1] for _ in range(5))
                cells += [str(high), f"{1e3 * least:.2g}"]
            print(f"| `{name}` | {order} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
