#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure the cost of the default method beside index 3, at equal steps.

usage: default_cost.py [-r N] [-i] [-b COMMAND] [NAME...]      $TORSOR names the command (default: torsor)

Each case is run by the default method and by index 3, in turns; the least CPU times of the steps count.
  -r, --repeats N        runs of each setting (5)
  -i, --instructions     also instructions within the steps, by valgrind: they do not depend on what else the machine does
  -b, --before COMMAND   the command of an earlier release, which is run in the same turns"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX3 = ["formulation=index3", "rho_inf=0.9", "start=perturbed"]
GGL = ["formulation=ggl", "rho_inf=0.9", "start=perturbed"]
DEFAULT = ["formulation=ggl", "rho_inf=0.8", "start=damped"]

# Name: scene, what is changed there.
CASES = {
    "heavy_top": ("data/scenes/heavy_top.json", []),
    "heavy_top_se3": ("data/scenes/heavy_top_se3.json", []),
    "chain_10": ("data/scenes/chain.json", []),
    "chain_200": ("data/scenes/chain.json", ["parameters.n=200", "simulation.duration=0.2"]),
    "revolute_chain_10": ("bench/revolute_chain.json", []),
    "revolute_chain_100": ("bench/revolute_chain.json", ["parameters.n=100", "simulation.duration=0.1"]),
    "slider_crank": ("data/scenes/slider_crank_spring.json", []),
    "rotating_beam": ("data/scenes/rotating_beam.json", []),
    "right_angle": ("data/scenes/right_angle_cantilever.json", []),
    "spaghetti": ("data/scenes/spaghetti_3d.json", []),
    "cantilever_64": ("bench/cantilever.json", ["parameters.n=64", "simulation.duration=0.2"]),
    "hubs": ("bench/hubs.json", ["parameters.n=30", "simulation.duration=0.1"]),
    "four_bar_40": ("data/scenes/four_bar_chain_40.json", ["simulation.duration=1"]),
    "folding_screen": ("bench/folding_screen.json", []),
    "door": ("data/scenes/door.json", []),
    "contact_stiff": ("bench/chain_on_floor.json", []),
}
LEAST = "simulation.duration=1e-9"  # one step, and all that is done once


class Setting:
    def __init__(self, title, command, settings):
        self.title, self.command, self.settings = title, command, settings

    def arguments(self, case, folder):
        scene, changes = CASES[case]
        sets = changes + ["simulation." + s for s in self.settings]
        parts = [self.command, "run", str(ROOT / scene), "-q", "-o", folder, "--checkpoint=0"]
        return parts + [part for s in sets for part in ("--set", s)]


def run(arguments, folder):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return json.loads((Path(folder) / "summary.json").read_text())


def measure(case, settings, repeats, folder):
    """Summaries of the least times; what is not to be had is left out."""
    best = {}
    for _ in range(repeats):
        for s in settings:
            now = run(s.arguments(case, folder), folder)
            if s not in best or now["cpu_seconds"] < best[s]["cpu_seconds"]:
                best[s] = now
    return best


def count(arguments):
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(tool + arguments, capture_output=True, text=True)
    found = re.search(r"Collected *: *(\d+)", done.stderr)
    if not found:
        sys.exit(done.stderr)
    return int(found.group(1))


def instructions(case, setting, folder):
    arguments = setting.arguments(case, folder)
    return count(arguments) - count(arguments + ["--set", LEAST])


def print_row(case, settings, figures, base, unit):
    cells = [f"{figures[s] * unit:9.2f}" for s in settings]
    ratios = [f"{figures[settings[a]] / figures[settings[b]]:7.2f}" for a, b in base]
    print(f"{case:20s}", *cells, *ratios, sep=" ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-r", "--repeats", type=int, default=5)
    parser.add_argument("-i", "--instructions", action="store_true")
    parser.add_argument("-b", "--before")
    parser.add_argument("names", nargs="*", choices=[[], *CASES])
    o = parser.parse_args()
    command = os.environ.get("TORSOR", "torsor")
    settings = [Setting("default", command, DEFAULT), Setting("index3", command, INDEX3)]
    pairs = [(0, 1)]
    if o.before:
        settings += [Setting("before_ggl", o.before, GGL), Setting("before_index3", o.before, INDEX3)]
        pairs += [(0, 3), (1, 3)]
    names = [s.title for s in settings]
    ratios = [f"{names[a]}/{names[b]}" for a, b in pairs]
    print("case", *names, *ratios)
    with tempfile.TemporaryDirectory() as folder:
        for case in o.names or CASES:
            found = measure(case, settings, o.repeats, folder) if o.repeats else {}
            if found:
                cpu = {s: f["cpu_seconds"] for s, f in found.items()}
                print_row(case, settings, cpu, pairs, 1e3)
                per = [f"{f['newton_iterations'] / f['steps']:.2f}/{f['factorizations'] / f['steps']:.3f}/{f['steps']}"
                       for f in (found[s] for s in settings)]
                print(f"{'':20s}", *per)
            if o.instructions:
                counted = {s: instructions(case, s, folder) for s in settings}
                print_row(case + " (i)", settings, counted, pairs, 1e-6)


if __name__ == "__main__":
    main()
