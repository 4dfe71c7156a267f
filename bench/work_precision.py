#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error against CPU time of all methods: docs/figures/work_precision.csv and a figure for each problem (gnuplot).

usage: work_precision.py [--plot-only] [NAME...]      $TORSOR names the command (default: torsor)

With names, only these problems and methods are measured again.
Every point is a run of `torsor converge` at one step size, or under step-size control at one accuracy, against the
scene's reference; errors are the largest over the output times, times the least of ROUNDS runs, in
each of which the points come in another order: clocks of shared machines are slow for seconds to minutes."""

import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs" / "figures"
TABLE = FIGURES / "work_precision.csv"
ROUNDS = 8


@dataclass
class Problem:
    name: str  # of a test problem, or of a scene
    title: str
    file: str  # of the scene, "" = a test problem
    duration: float
    spacing: float  # of the output times, s
    position: str
    rotation: str  # an angle, an angular velocity or a quaternion; "" = none
    rotation_title: str
    steps: list
    controlled: dict = field(default_factory=lambda: {"position": 1, "rotation": 1})  # in parts of the accuracy


@dataclass
class Method:
    label: str
    settings: dict
    controlled: bool = False
    coarser: int = 1  # its steps are these times as large: of higher order


# A method is one line.
METHODS = [
    Method("default", {}),
    Method("index 3", {"formulation": "index3", "rho_inf": 0.9, "start": "perturbed"}),
    Method("GGL", {"formulation": "ggl", "rho_inf": 0.9, "start": "perturbed"}),
    Method("SOI2", {"method": "soi2", "rho_inf": 0.9}),
    Method("HHT-α ODAE", {"method": "hht_odae"}),
    Method("Radau IIA", {"method": "radau"}, coarser=5),
    Method("RATTLE", {"method": "rattle"}),
    Method("default, controlled", {}, controlled=True),
    Method("GGL, controlled", {"formulation": "ggl", "rho_inf": 0.9, "start": "perturbed"}, controlled=True),
    Method("SOI2, controlled", {"method": "soi2", "rho_inf": 0.9}, controlled=True),
    Method("explicit 8", {"method": "explicit"}, controlled=True),
    Method("explicit 5", {"method": "explicit", "order": 5}, controlled=True),
    Method("auto", {"method": "auto"}, controlled=True),
]

TURN = "rotation, rad"
PROBLEMS = [
    Problem("heavy_top", "heavy top, R3xSO3", "data/scenes/heavy_top.json", 1, 0.01, "top.position", "top.quaternion", TURN,
            [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5]),
    Problem("heavy_top_se3", "heavy top, SE3", "data/scenes/heavy_top_se3.json", 1, 0.01, "top.position", "top.quaternion", TURN,
            [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5]),
    Problem("impacts", "ball that bounces on a stiff spring", "bench/impacts.json", 3, 0.05, "ball.position", "ball.velocity",
            "velocity, m/s", [1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5], {"position": 1, "velocity": 1e4}),
    Problem("slider_crank_spring", "slider-crank with a sprung mass (closed loop)",
            "data/scenes/slider_crank_spring.json", 1, 0.01, "slider.position", "pivot.angle", TURN,
            [5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]),
    Problem("chain", "chain of 10 links", "data/scenes/chain.json", 1, 0.01, "link9.position",
            "link9.angular_velocity", "angular velocity, rad/s", [5e-3, 2e-3, 1e-3, 5e-4, 2e-4]),
    Problem("stiff_pendulum", "bar on a stiff torsional spring", "data/scenes/stiff_pendulum.json", 4, 0.04,
            "bar.position", "hinge.angle", TURN, [2e-2, 1e-2, 4e-3, 2e-3, 1e-3, 4e-4]),
    Problem("heavy-top", "heavy top, R3xSO3, equations by hand", "", 1, 0.01, "position", "rotation", TURN,
            [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5]),
    Problem("heavy-top-se3", "heavy top, SE3, equations by hand", "", 1, 0.01, "position", "rotation", TURN,
            [2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5]),
]
ACCURACIES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]


def impacts(file):
    """The closed form: free flights of period 2 sqrt(2 h/g) and half swings of the spring."""
    g, w, height = 9.81, 1000.0, 1.0
    speed, rest = math.sqrt(2 * g * height), g / w**2
    phase = math.atan2(speed / w, rest)
    fall, contact = math.sqrt(2 * height / g), 2 * (math.pi - phase) / w
    rows = ["t,ball.position.x,ball.position.y,ball.position.z,ball.velocity.x,ball.velocity.y,ball.velocity.z"]
    for n in range(61):
        t = n * 0.05
        s = math.fmod(t + fall, 2 * fall + contact)  # since the last leap
        if s < 2 * fall:
            x, v = speed * s - g * s * s / 2, speed - g * s
        else:
            size, angle = math.hypot(rest, speed / w), w * (s - 2 * fall) + phase
            x, v = size * math.cos(angle) - rest, -w * size * math.sin(angle)
        rows.append(f"{t!r},0,0,{x!r},0,0,{v!r}")
    file.write_text("\n".join(rows) + "\n")


def reference_of(problem, folder):
    if problem.name != "impacts":
        return str(ROOT / "data" / "reference" / f"{problem.name}.json")
    file = folder / "impacts.csv"
    impacts(file)
    return str(file)


def command_of(problem, settings, step, folder):
    command = [os.environ.get("TORSOR", "torsor"), "converge", "-q", "--json", "--steps", f"{step:.17g}"]
    if problem.file:
        simulation = {"step": step, "duration": problem.duration} | settings
        output = json.dumps({"every": round(problem.spacing / step), "signals": [problem.position, problem.rotation]})
        return command + [str(ROOT / problem.file), "--set", f"simulation={json.dumps(simulation)}", "--set", f"output={output}",
                          "--reference", reference_of(problem, folder)]
    changes = [f"simulation.{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in settings.items()]
    return command + ["--problem", problem.name, *(word for change in changes for word in ("--set", change))]


def run(problem, settings, step):
    """(CPU seconds, error of the position, error of the rotation), or None where the run ends early."""
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(command_of(problem, settings, step, Path(folder)), capture_output=True, text=True)
    if answer.returncode == 4:
        return None
    answer = json.loads(answer.stdout)
    if "error" in answer:  # a method that does not take the problem
        print(f"{problem.name}, {settings}: {answer['error']['message']}", file=sys.stderr)
        return None
    errors = {s["signal"]: s["errors"][0] for s in answer["signals"]}
    position, turn = errors[problem.position], errors[problem.rotation]
    if position is None:
        return None
    if problem.rotation.endswith("quaternion") or not problem.file:
        turn *= 2  # of unit quaternions that are close: half of the angle between them
    return answer["cpu_seconds"][0], position, turn


def points_of(problem, method):
    """(size, settings, step) of each point of a line: its size is the step or the accuracy."""
    for size in ACCURACIES if method.controlled else [h * method.coarser for h in problem.steps]:
        settings, step = dict(method.settings), size
        if method.controlled:
            step = problem.spacing
            settings |= {"accuracy": {kind: part * size for kind, part in problem.controlled.items()}, "max_halvings": 30}
        if abs(problem.spacing / step - round(problem.spacing / step)) < 1e-9:
            yield size, settings, step


def read_table():
    if not TABLE.exists():
        return []
    with TABLE.open() as file:
        return list(csv.reader(file))[1:]


def write_table(rows):
    order = [(problem.name, method.label) for problem in PROBLEMS for method in METHODS]
    rows = sorted((row for row in rows if (row[0], row[1]) in order), key=lambda row: (order.index((row[0], row[1])), -float(row[2])))
    with TABLE.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerows([["problem", "method", "step or accuracy", "cpu ms", "position, m", "rotation"], *rows])


def chosen(name, names, among):
    """Is it named, or none of its kind?"""
    return name in names or not any(other in names for other in among)


def measure(names):
    FIGURES.mkdir(exist_ok=True)
    lines = [(problem, method) for problem in PROBLEMS for method in METHODS
             if chosen(problem.name, names, [p.name for p in PROBLEMS]) and chosen(method.label, names, [m.label for m in METHODS])]
    points = {(problem.name, method.label, f"{size:g}"): (problem, settings, step)
              for problem, method in lines for size, settings, step in points_of(problem, method)}
    found, orders = {}, random.Random(1)
    for _ in range(ROUNDS):
        for key, point in orders.sample(sorted(points.items(), key=lambda item: item[0]), len(points)):
            if answer := run(*point):
                found[key] = min(answer, found.get(key, answer))
            else:
                del points[key]
    named = {(problem.name, method.label) for problem, method in lines}
    write_table([row for row in read_table() if (row[0], row[1]) not in named] +
                [[*key, f"{1e3 * time:.3g}", f"{position:.3g}", f"{turn:.3g}"] for key, (time, position, turn) in found.items()])


# Largest errors on [0, 1] and CPU time (ms) that others measured on the heavy top: source, position, rotation.
PEERS = {
    "MBDyn DIRK54": [(20, 1.1e-5, 1.1e-3), (25, 7.5e-7, 1.2e-4), (67, 8.2e-8, 1.3e-5)],
    "MBDyn ms 0.6": [(7.8, 6.8e-5, 1.6e-1), (57, 6.1e-7, 1.7e-3)],
    "gena, index 3": [(2.9, 7.3e-3, 1.3e-2)],
    "Exudyn, index 3": [(8.2, 7.5e-4, None), (77, 9.1e-6, None)],
}

STYLE = """set terminal svg size 1000,460 font 'sans-serif,13' background rgb 'white'
set datafile separator ','
set encoding utf8
set logscale xy
set format y '10^{%T}'
set grid lc rgb '#e4e4e4' lt 1
set border 3 lc rgb '#888888'
set tics nomirror
set xlabel 'CPU time, ms'
set key outside right top Left reverse samplen 2
"""
COLOURS = ["#1f5fa8", "#c4461d", "#2a8c4a", "#8a5cb8", "#7fb2e5", "#e8a27f", "#b58900", "#444444", "#d33682", "#6c71c4",
           "#008b8b", "#5fc9c9", "#000000"]


def plot(problem, rows):
    """Two panels: position and rotation."""
    methods = [m.label for m in METHODS if any(row[1] == m.label for row in rows)]
    data, curves = [], [[], []]
    name = problem.name if problem.file else problem.name.replace("-", "_") + "_by_hand"
    top = problem.name.startswith("heavy")
    for i, label in enumerate(methods + (list(PEERS) if top else [])):
        if label in methods:
            points = [(row[3], row[4], row[5]) for row in rows if row[1] == label]
        else:
            points = [tuple("" if x is None else x for x in point) for point in PEERS[label]]
        data.append(f"$d{i} << EOD\n" + "\n".join(",".join(map(str, point)) for point in points) + "\nEOD")
        dash = "dt 2 pt 6" if label not in methods else "pt 7"
        look = f"linespoints {dash} ps 0.6 lc rgb '{COLOURS[i % len(COLOURS)]}' title '{label}'"
        for side in (0, 1):
            missing = not any(point[side + 1] for point in points)
            curves[side].append(f"keyentry with {look}" if missing else f"$d{i} using 1:{side + 2} with {look}")
    file = FIGURES / f"work_precision_{name}.svg"
    script = data + [STYLE, f"set output '{file}'", f"set multiplot title '{problem.title}'"]
    script += ["set origin 0,0", "set size 0.4,0.94", "set lmargin 10", "unset key"]
    script += ["set ylabel 'error of the position, m'", "plot " + ", ".join(curves[0])]
    script += ["set origin 0.4,0", "set size 0.6,0.94", "set key"]
    script += [f"set ylabel 'error of the {problem.rotation_title}'", "plot " + ", ".join(curves[1]), "unset multiplot"]
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main():
    if "--plot-only" not in sys.argv:
        measure(sys.argv[1:])
    for problem in PROBLEMS:
        rows = [row for row in read_table() if row[0] == problem.name]
        if rows:
            plot(problem, rows)


if __name__ == "__main__":
    main()
