#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU of the time loop that each method takes to reach an error of positions, beside a yardstick written for just that: the tables below
"Work at equal error" of docs/performance.md.

usage: equal_error.py [--rounds N] [--yardstick PROGRAM] [CASE...]      $TORSOR names the command (default: torsor)
       equal_error.py --frames PROGRAM [--rounds N]

Every method runs with a ladder of steps or accuracies; its errors are the largest distances of one body from its known places at the multiples
of 0.1 s up to 1 s, its times the least of N rounds, in each of which all runs, those of the yardstick among them, come in another order: clocks of
shared machines are slow for seconds to minutes.  The time for an error lies on the straight line, in logarithms, between the two points around it
on the lower edge of all points.  The yardstick (bench_yardstick_aba) has coordinates of joints, articulated bodies and GSL's method of order 8(7).

With --frames: an iteration of the statics of frames in space, beside an assembly, a factorisation and a solution by bench_yardstick_frame, which
has linear elements, shared nodes and CHOLMOD."""

import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEED = ROOT / "tests" / "analysis" / "dynamics" / "speed"
KNOWN = json.loads((SPEED / "positions.json").read_text())
ERRORS = [1e-3, 1e-5, 1e-7]
STEPS = [0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5]
ACCURACIES = [10.0 ** -k for k in range(1, 10)]
TOLERANCES = [10.0 ** -k for k in range(1, 11)]
LONGEST = 0.25  # s of CPU: finer settings of the same method are left out


@dataclass
class Case:
    scene: Path
    body: str
    yardstick: tuple = ()
    changes: tuple = ()
    known: str = ""  # in positions.json; "" = from a run of the explicit method at 1e-12


CASES = {
    "arm of 6 hinges": Case(SPEED / "arm.json", "b5", ("arm", "6"), known="arm"),
    "ball chain 10": Case(ROOT / "data/scenes/chain.json", "link9", ("ball", "10"), known="ball10"),
    "hinge chain 10": Case(ROOT / "bench/revolute_chain.json", "link9", ("revolute", "10"), known="rev10"),
    "ball chain 100": Case(ROOT / "data/scenes/chain.json", "link99", ("ball", "100"), ("parameters.n=100",)),
    "hinge chain 100": Case(ROOT / "bench/revolute_chain.json", "link99", ("revolute", "100"), ("parameters.n=100",)),
    "double pendulum": Case(ROOT / "data/scenes/double_pendulum.json", "rod_2", known="dp"),
    "four-bar": Case(SPEED / "four_bar.json", "rocker", known="fourbar"),
    "heavy top": Case(ROOT / "data/scenes/heavy_top.json", "top", known="top"),
}

# Label: settings, and whether an accuracy takes the place of the step.
METHODS = {
    "index 3": ({"formulation": "index3"}, False), "default": ({}, False), "default, controlled": ({}, True), "soi2": ({"method": "soi2"}, False),
    "rattle": ({"method": "rattle"}, False), "hht_odae": ({"method": "hht_odae"}, False), "radau": ({"method": "radau"}, True),
    "explicit 8": ({"method": "explicit"}, True), "explicit 5": ({"method": "explicit", "order": 5}, True), "auto": ({"method": "auto"}, True)}
YARDSTICK = "yardstick"


def settings_of(method, size):
    settings, controlled = METHODS[method]
    if not controlled:
        return {"duration": 1, "step": size, **settings}
    return {"duration": 1, "step": 0.1, "max_halvings": 30, "accuracy": {"position": size, "rotation": size}, **settings}


def run(case, simulation):
    """CPU seconds of the time loop and positions at the rows; None where the run ends early."""
    with tempfile.TemporaryDirectory() as folder:
        output = {"step": 0.1, "signals": [f"{case.body}.position"]}
        changes = [f"simulation={json.dumps(simulation)}", f"output={json.dumps(output)}", *case.changes]
        done = subprocess.run([os.environ.get("TORSOR", "torsor"), "run", case.scene, "-o", folder, "-q",
                               *(word for change in changes for word in ("--set", change))], capture_output=True, text=True)
        if done.returncode:
            return None
        rows = list(csv.reader((Path(folder) / "trajectory.csv").read_text().splitlines()))[1:]
        return json.loads((Path(folder) / "summary.json").read_text())["cpu_seconds"], [[float(x) for x in row[1:4]] for row in rows]


def run_yardstick(program, case, tolerance):
    done = subprocess.run([program, *case.yardstick, "1", f"{tolerance:g}"], capture_output=True, text=True, check=True)
    number = [float(x) for x in done.stdout.split()]
    return number[1] / 1e3, [number[4 + 3 * i:7 + 3 * i] for i in range(11)]


def error_of(places, known):
    return max(math.dist(a, b) for a, b in zip(places, known, strict=True))


def points(case):
    for method, (_, controlled) in METHODS.items():
        for size in ACCURACIES if controlled else STEPS:
            yield method, size
    if case.yardstick:
        for tolerance in TOLERANCES:
            yield YARDSTICK, tolerance


def measure(case, rounds, program):
    """Method: its points (error, least CPU seconds)."""
    known = KNOWN[case.known]["position"] if case.known else run(case, settings_of("explicit 8", 1e-12))[1]
    left, found, orders = [p for p in points(case) if program or p[0] != YARDSTICK], {}, random.Random(1)
    for number in range(rounds):
        order = left[:] if number == 0 else orders.sample(left, len(left))
        for method, size in order:
            if (method, size) not in left:
                continue
            got = run_yardstick(program, case, size) if method == YARDSTICK else run(case, settings_of(method, size))
            if not got:
                left.remove((method, size))
                continue
            time, error = got[0], error_of(got[1], known)
            found[method, size] = (error, min(time, found.get((method, size), (0, time))[1]))
            if number == 0 and time > LONGEST:
                left = [p for p in left if p[0] != method or p[1] >= size]
    return {method: [point for (name, _), point in found.items() if name == method] for method in [*METHODS, YARDSTICK]}


def time_for(error, line):
    """Seconds on the lower edge: of all points with that error or less, and between them and those with larger ones."""
    best = min((t for e, t in line if e <= error), default=math.inf)
    for e1, t1 in line:
        for e0, t0 in line:
            if 0 < e1 < error < e0 and t0 < t1:
                part = math.log(e0 / error) / math.log(e0 / e1)
                best = min(best, math.exp(math.log(t0) + part * math.log(t1 / t0)))
    return best


def show(name, lines):
    """One row a method: ms for each error, and their ratio to the yardstick's or, where there is none, to the least."""
    yard = [time_for(error, lines[YARDSTICK]) for error in ERRORS]
    least = [min(time_for(error, line) for method, line in lines.items() if method != YARDSTICK) for error in ERRORS]
    beside = [y if math.isfinite(y) else t for y, t in zip(yard, least)]
    for method, line in lines.items():
        times = [time_for(error, line) for error in ERRORS]
        if not line:
            continue
        cells = ["—" if math.isinf(t) else f"{1e3 * t:.3g} ({t / b:.2g})" for t, b in zip(times, beside)]
        print(f"| {name} | {method} | " + " | ".join(cells) + " |", flush=True)


# ---- frames ----------------------------------------------------------------------------------

FRAMES = [(3, 3, 3, 5), (4, 4, 5, 5), (6, 6, 8, 5), (8, 8, 10, 5)]  # bays in x and y, floors, elements of a member
TURNS = [[0, 0, 0], [0, 0, "pi/2"], [0, "-pi/2", 0]]


def frame_scene(nx, ny, nz, parts):
    """Corners 3 m apart with a mass of 1 kg, clamped at the ground, and beams between neighbours."""
    tube = {"shape": "tube", "radius": 0.05, "thickness": 0.005, "E": 2.1e11, "nu": 0.3, "density": 7850}
    corners = [(i, j, k) for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    place = {at: [3.0 * x for x in at] for at in corners}
    bodies = [{"name": "n%d_%d_%d" % at, "type": "rigid_body", "mass": 1.0, "inertia": [1e-3] * 3, "position": place[at]} for at in corners if at[2]]
    joints = []
    for at in corners:
        for axis in range(3):
            end = tuple(x + (i == axis) for i, x in enumerate(at))
            if end not in place or (axis < 2 and at[2] == 0):
                continue
            name = f"b{len(joints) // 2}"
            bodies.append({"name": name, "type": "beam", "section": "s", "elements": parts, "position": place[at], "end": place[end]})
            for corner, tip in ((at, "start"), (end, "end")):
                holder = {"body": "n%d_%d_%d" % corner} if corner[2] else {"body": "ground", "position": place[corner]}
                joints.append({"name": f"{name}_{tip}", "type": "weld", "a": {**holder, "orientation": {"rotation_vector": TURNS[axis]}},
                               "b": f"{name}.{tip}"})
    return {"torsor": 1, "gravity": [0, 0, -9.81], "sections": {"s": tube}, "bodies": bodies, "joints": joints, "statics": {"steps": 1},
            "simulation": {"step": 1e-3, "duration": 0.01}, "output": {"signals": ["energy"]}}


def run_frame(size):
    """ms of an iteration, seconds of set-up."""
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "frame.json"
        scene.write_text(json.dumps(frame_scene(*size)))
        subprocess.run([os.environ.get("TORSOR", "torsor"), "statics", scene, "-o", Path(folder) / "out", "-q"], check=True, capture_output=True)
        summary = json.loads((Path(folder) / "out" / "summary.json").read_text())
    return 1e3 * summary["cpu_seconds"] / summary["factorizations"], summary["setup_seconds"]


def show_frames(program, rounds):
    print("| elements | Torsor: set-up, s | an iteration, ms | yardstick: matrix, order, factors, solution, ms | iteration over matrix, factors and solution |")
    print("|---|---|---|---|---|")
    for size in FRAMES:
        own, yard = [], []
        for _ in range(rounds):
            own.append(run_frame(size))
            done = subprocess.run([program, *map(str, size), "1"], capture_output=True, text=True, check=True)
            yard.append([float(x) for x in done.stdout.split()])
        iteration, setup = (min(x[i] for x in own) for i in (0, 1))
        matrix, order, factors, solution = (min(x[i] for x in yard) for i in range(2, 6))
        print(f"| {yard[0][0]:.0f} | {setup:.2f} | {iteration:.3g} | {matrix:.3g}, {order:.3g}, {factors:.3g}, {solution:.2g} | "
              f"{iteration / (matrix + factors + solution):.2g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--yardstick", help="bench_yardstick_aba")
    parser.add_argument("--frames", help="bench_yardstick_frame")
    parser.add_argument("case", nargs="*", help=", ".join(CASES))
    options = parser.parse_args()
    if options.frames:
        return show_frames(options.frames, options.rounds)
    print("| case | method | " + " | ".join(f"{error:.0e} m" for error in ERRORS) + " |")
    print("|---|---|" + "---|" * len(ERRORS))
    for name in options.case or CASES:
        show(name, measure(CASES[name], options.rounds, options.yardstick))


if __name__ == "__main__":
    sys.exit(main())
