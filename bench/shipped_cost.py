#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instructions of every shipped scene by two builds.

usage: shipped_cost.py -b COMMAND [-d FOLDER] [-s SECONDS] [-m RATIO] [NAME...]     $TORSOR names the command (default: torsor)

Each scene is run by both commands under valgrind, which counts instructions: they do not depend on what else the machine does.
Scenes that take longer than a few hundredths of a second are run for the first part of their duration alone, the same in both;
what is done once is counted apart, by a run of one step, and not compared.  Scenes that one of the two cannot run are named.
  -b, --before COMMAND   the command of the other build
  -d, --data FOLDER      the scenes of the other build, where it cannot read these
  -s, --seconds S        CPU time of a run without valgrind, which takes 50 times as long (0.05)
  -m, --most RATIO       exit code 1 where a scene takes more than this times the instructions of before"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from default_cost import count

SCENES = Path(__file__).resolve().parent.parent / "data" / "scenes"
ONCE = 1e-9  # parts of the duration: one step


class Failed(Exception):
    pass


def arguments(command, scene, folder, part):
    """The part ends at a row, or at the end of a step."""
    what = json.loads(scene.read_text())
    parts = [command, "run", str(scene), "-q", "-o", folder, "--checkpoint=0"]
    duration, row = what["simulation"]["duration"], what.get("output", {}).get("step", what["simulation"].get("step"))
    if part == 1 or not all(isinstance(x, (int, float)) for x in (duration, row)):
        return parts + (["--set", f"simulation.duration={ONCE}"] if part == ONCE else [])
    value = duration * part if part == ONCE else row * max(1, round(part * duration / row))
    return parts + ["--set", f"simulation.duration={value:.12g}"]


def seconds(command, scene, folder, part):
    done = subprocess.run(arguments(command, scene, folder, part), capture_output=True, text=True, timeout=300)
    summary = Path(folder) / "summary.json"
    if done.returncode or not summary.exists():
        raise Failed(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}")
    found = json.loads(summary.read_text())
    return found["cpu_seconds"], found["steps"]


def choose_part(commands, scenes, folder, most):
    """The part of the duration that takes both at most that time."""
    part = 1
    for command, scene in zip(commands, scenes):
        taken, _ = seconds(command, scene, folder, part)
        if taken > most:
            part *= max(most / taken, 1e-4)
    return part


def instructions(command, scene, folder, part):
    """Of the steps, and of what is done once."""
    _, steps = seconds(command, scene, folder, part)
    once = count(arguments(command, scene, folder, ONCE))
    return count(arguments(command, scene, folder, part)) - once, once, steps


def compare(name, commands, folders, most, work):
    scenes = [folder / f"{name}.json" for folder in folders]
    if not all(scene.exists() for scene in scenes):
        raise Failed("is not there before")
    if "simulation" not in json.loads(scenes[0].read_text()):
        raise Failed("has no motion")
    part = choose_part(commands, scenes, work, most)
    (now, once, steps), (then, once_then, steps_then) = (instructions(c, s, work, part) for c, s in zip(commands, scenes))
    ratio = now / then if then > 0 else float("nan")
    print(f"{name:32s} {part:7.3g} {steps:6d} {steps_then:6d} {now * 1e-6:9.2f} {then * 1e-6:9.2f} {ratio:6.3f} {once / once_then:6.3f}", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-b", "--before", required=True)
    parser.add_argument("-d", "--data", type=Path, default=SCENES)
    parser.add_argument("-s", "--seconds", type=float, default=0.05)
    parser.add_argument("-m", "--most", type=float)
    parser.add_argument("names", nargs="*")
    o = parser.parse_args()
    commands = [os.environ.get("TORSOR", "torsor"), o.before]
    print(f"{'scene':32s} {'part':>7s} {'steps':>6s} {'before':>6s} {'10^6':>9s} {'before':>9s} {'ratio':>6s} {'once':>6s}")
    ratios = {}
    with tempfile.TemporaryDirectory() as work:
        for name in o.names or sorted(path.stem for path in SCENES.glob("*.json")):
            try:
                ratios[name] = compare(name, commands, [SCENES, o.data], o.seconds, work)
            except (Failed, subprocess.TimeoutExpired) as why:
                print(f"{name:32s} {why}", flush=True)
    over = [name for name, ratio in ratios.items() if o.most and ratio > o.most]
    if ratios:
        print(f"{len(ratios)} scenes, median {statistics.median(ratios.values()):.3f}, most {max(ratios.values()):.3f}"
              + (f", more than {o.most:g}: {', '.join(over)}" if over else ""))
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
