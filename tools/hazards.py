# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the hazard scenes of tests/whole/hazards with every method and writes docs/hazards.md, by the command that $TORSOR names
(default: torsor).  tests/whole/hazards.py holds the methods and the page against this.  `--ends FACTOR` shows in place of the page what rows at the
ends of really larger steps show, `--controlled [NAME...]` how large errors of controlled steps are beside the `accuracy`.

A cell is `right` (all columns within their limits), `reported` (they are not, but the run failed or a warning says so), `warned` (right,
but a warning says that it is not), or `WRONG` (neither right nor reported)."""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "whole" / "hazards"
PAGE = ROOT / "docs" / "hazards.md"
METHODS = {"default": {}, "index 3": {"formulation": "index3"}, "SOI2": {"method": "soi2"},
           "HHT for ODAEs": {"method": "hht_odae"}, "RATTLE": {"method": "rattle"}, "Radau IIA": {"method": "radau"},
           "explicit": {"method": "explicit", "accuracy": {"position": 1e-6, "rotation": 1e-6}},
           "auto": {"method": "auto", "accuracy": {"position": 1e-6, "rotation": 1e-6}},
           "auto, long steps": {"method": "auto", "accuracy": {"position": 1e-6, "rotation": 1e-6}, "step": "long"},
           "no step": {"step": None}}
FACTORS = [1, 0.5, 3]
LARGEST_STEPS = 20  # the largest step of error control in parts of the duration
ASKED = [1e-3, 1e-4, 1e-5]
VERDICTS = ["right", "reported", "warned", "WRONG"]

# Words that tell nothing of the answer: of a step that was halved, of rows that are redundant, of what is only noted.
HARMLESS = re.compile(r"halved the step|redundan|moved|changed by up to|depends on the reactions|impulse|kink|note:|will jump|further warnings are left out")


@dataclass
class Cell:
    verdict: str
    error: float  # the largest in parts of the largest exact value of the column, or of the vector that it is a component of
    said: str


def share_scales(columns):
    """Components of one vector have the scale of the largest of them: how the frame lies must not matter."""
    vectors = {}
    for column in columns:
        name, _, axis = column.rpartition(".")
        vectors.setdefault(name if axis in ("x", "y", "z") else column, []).append(column)
    for group in vectors.values():
        scale = max(columns[column]["scale"] for column in group)
        for column in group:
            columns[column]["scale"] = scale


def index():
    """Name: limits and scales of the columns, whether an impulse is to be reported."""
    entries = json.loads((FOLDER / "index.json").read_text())
    found = {name: entry for name, entry in entries.items() if (FOLDER / f"{name}.json").exists()}
    for entry in found.values():
        share_scales(entry["columns"])
    return found


def rows(path):
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    return lines[0], [[float(x) for x in line] for line in lines[1:]]


def column_errors(name, columns, folder, ends=False):
    """The largest error of each column, and whether all rows of the answer were there; with `ends` some rows will do."""
    head, want = rows(FOLDER / f"{name}.csv")
    try:
        got_head, got = rows(folder / "trajectory.csv")
    except OSError:
        return {column: float("inf") for column in columns}, False
    place = {column: i for i, column in enumerate(got_head)}
    errors, complete, at, met = {column: 0.0 for column in columns}, True, 0, 0
    for row in want:
        near = 1e-9 * max(1, abs(row[0])) if row[0] > 1e-3 else 1e-6 * row[0] + 1e-12
        while at < len(got) and got[at][0] < row[0] - near:
            at += 1
        if at == len(got) or abs(got[at][0] - row[0]) > near:
            complete = ends
            continue
        met += 1
        for i, column in enumerate(head[1:], 1):
            error = abs(got[at][place[column]] - row[i]) / columns[column]["scale"]
            errors[column] = max(errors[column], float("inf") if error != error else error)
    return errors, complete and met > 0


def scene_of(name, settings, factor, ends=False):
    """The scene with those settings and steps of `factor` times the size, rows at the same times, which shortens steps that are too long
    for them; with `ends` at the ends of all steps, which are as long as that."""
    scene = json.loads((FOLDER / f"{name}.json").read_text())
    simulation = scene["simulation"]
    step = simulation["step"]
    if ends:
        simulation["step"] *= factor
        simulation["duration"] = simulation["step"] * max(4, math.floor(simulation["duration"] / simulation["step"] + 1e-9))
        scene["output"] = {"every": 1, "signals": scene["output"]["signals"]}
    elif "accuracy" in settings:
        settings = {**settings, "accuracy": {kind: factor * size for kind, size in settings["accuracy"].items()}}
    elif factor != 1:
        every = scene["output"].pop("every", 1)
        scene["output"]["step"] = simulation["step"] * every
        simulation["step"] = simulation["duration"] / max(4, round(simulation["duration"] / (simulation["step"] * factor)))
    simulation.update(settings)
    if simulation["step"] == "long":  # that error control takes whatever steps it likes
        simulation.update({"step": simulation["duration"] / LARGEST_STEPS, "max_halvings": 26})
        every = scene["output"].pop("every", 1)
        scene["output"].setdefault("step", step * every)
    if simulation["step"] is None:  # it is chosen by trial runs; rows where the answer has them
        every = scene["output"].pop("every", 1)
        scene["output"].setdefault("step", step * every)
        del simulation["step"]
    return scene


def run(name, settings, factor=1, entry=None, ends=False):
    entry = entry or index()[name]
    with tempfile.TemporaryDirectory(prefix="hazard") as text:
        folder = Path(text)
        (folder / "in.json").write_text(json.dumps(scene_of(name, settings, factor, ends)))
        done = subprocess.run([os.environ.get("TORSOR", "torsor"), "run", folder / "in.json", "-o", folder / "out",
                               "--progress=never"], capture_output=True, text=True, timeout=600)
        errors, complete = column_errors(name, entry["columns"], folder / "out", ends)
    warnings = re.findall(r"torsor: warning: (.*)", done.stderr)
    serious = [w for w in warnings if not HARMLESS.search(w)]
    impulse = [w for w in warnings if re.search("impulse|kink", w)]
    branches = any("in more than one way" in w for w in warnings)  # says nothing against a motion that is the exact one
    right = done.returncode == 0 and complete and all(errors[c] <= entry["columns"][c]["limit"] for c in errors)
    reported = done.returncode != 0 or bool(serious) or (branches and not right) or (entry["must_tell"] and bool(impulse))
    said = (serious or impulse or done.stderr.splitlines() or [""])[0]
    if entry["must_tell"]:
        verdict = "reported" if reported else "WRONG"
    else:
        verdict = ("warned" if reported else "right") if right else "reported" if reported else "WRONG"
    return Cell(verdict, max(errors.values()), said)






def kind_of(column):
    """Return the errors that `accuracy` allows there, or None without it."""
    quantity = re.sub(r"\.[wxyz]$", "", column).rpartition(".")[2]
    return {"position": "position", "travel": "position", "length": "position", "angle": "rotation", "quaternion": "rotation"}.get(quantity)


def controlled(name, entry, asked, *options):
    """Verdict and the largest error of positions and rotations in parts of what is asked for, `asked` of the motion over the duration."""
    scene = scene_of(name, {}, 1)
    simulation, columns = scene["simulation"], entry["columns"]
    duration = simulation["duration"]
    size = {kind: max((c["scale"] for column, c in columns.items() if kind_of(column) == kind), default=0) for kind in ("position", "rotation")}
    if not any(size.values()):
        return None
    every = scene["output"].pop("every", 1)
    settings = {"step": duration / LARGEST_STEPS, "max_halvings": 26,
                "accuracy": {kind: asked * (of or 1) / duration for kind, of in size.items()}}
    scene["output"].setdefault("step", simulation["step"] * every)
    with tempfile.TemporaryDirectory(prefix="hazard") as text:
        folder = Path(text)
        (folder / "in.json").write_text(json.dumps({**scene, "simulation": {**simulation, **settings}}))
        done = subprocess.run([os.environ.get("TORSOR", "torsor"), "run", folder / "in.json", "-o", folder / "out", "--progress=never", *options],
                              capture_output=True, text=True, timeout=600)
        errors, complete = column_errors(name, columns, folder / "out")
    part = max((error * columns[column]["scale"] / (asked * size[kind_of(column)]) for column, error in errors.items() if kind_of(column)), default=0)
    reported = done.returncode != 0 or any(not HARMLESS.search(w) for w in re.findall(r"torsor: warning: (.*)", done.stderr))
    return Controlled(part, reported, complete and done.returncode == 0, done.stdout, done.stderr)


@dataclass
class Controlled:
    part: float  # the error in parts of what was asked for
    reported: bool
    complete: bool
    summary: str
    said: str


def show_controlled(names):
    """Errors of controlled steps beside what they were asked for, as docs/work_precision.md has them, of all or of these hazards."""
    for name, entry in index().items():
        if names and name not in names:
            continue
        found = [controlled(name, entry, asked) for asked in ASKED]
        if found[0]:
            cells = [("reported, " if c.reported else "") + (f"{c.part:.2g}" if c.complete else "ended") for c in found]
            print(f"| `{name}` | " + " | ".join(cells) + " |", flush=True)


def matrix(method, factor, ends=False):
    return {name: run(name, METHODS[method], factor, entry, ends) for name, entry in index().items()}


def factors_of(method):
    """Factors on the step or, under error control, on the accuracy; trial runs choose both."""
    return [1] if METHODS[method].get("step", 1) is None else FACTORS


def show(factor):
    """List what is not right with every method, rows at the ends of really larger steps."""
    for method in METHODS:
        if factor not in factors_of(method) and len(factors_of(method)) == 1:
            continue
        found = matrix(method, factor, ends=True)
        print(method, *(f"{v} {sum(c.verdict == v for c in found.values())}" for v in VERDICTS))
        for name, cell in found.items():
            if cell.verdict in ("warned", "WRONG"):
                print(" ", name, cell.verdict, f"{cell.error:.2g}", cell.said[:100])


def page():
    cells = {(method, factor): matrix(method, factor) for method in METHODS for factor in factors_of(method)}
    out = ["# Hazards", "",
           "Scenes that integrators fail at without a word, with exact answers: drives that stop or jump, noisy tables, stiff springs and dampers,",
           "change points, redundant rows, coarse steps, sizes from 1e-5 m to 1e4 m (`tests/whole/hazards/`). `tools/hazards.py` writes this page;",
           "`tests/whole/hazards.py` holds every method against it.", "",
           "`right`: every column within its limit, 1 % of positions and velocities and 2 % of forces for most. `reported`: not within, but the run ended",
           "with the reason or a warning says so; all impulses are. `warned`: within the limit, which is wide for scenes that are coarse by intent, and",
           "reported nevertheless. `WRONG`: neither right nor reported.", "",
           "`explicit` and `auto` have an `accuracy` of 1e-6 and at most the steps of the scene, in `auto, long steps` a 20th of the duration; there the factor is one",
           "on the accuracy.", "",
           "| method | step or accuracy | right | reported | warned | WRONG |", "|---|---|---|---|---|---|"]
    for (method, factor), found in cells.items():
        count = {v: sum(c.verdict == v for c in found.values()) for v in VERDICTS}
        out.append(f"| {method} | x {factor:g} | " + " | ".join(str(n) for n in count.values()) + " |")
    out += ["", "## Cells", "", "At the step of the scene; the largest error in parts of the largest value of the column, or of the vector that it is a component of.", "",
            "| hazard | " + " | ".join(METHODS) + " |", "|---|" + "---|" * len(METHODS)]
    for name in index():
        row = [cells[method, 1][name] for method in METHODS]
        out.append(f"| `{name}` | " + " | ".join(f"{c.verdict}, {c.error:.0e}" if c.verdict != "right" else f"{c.error:.0e}"
                                                 for c in row) + " |")
    PAGE.write_text("\n".join(out) + "\n")
    for key, found in cells.items():
        for name, cell in found.items():
            if cell.verdict in ("warned", "WRONG"):
                print(*key, name, cell.verdict, f"{cell.error:.2g}", cell.said[:100], file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ends"]:
        show(float(sys.argv[2]))
    elif sys.argv[1:2] == ["--controlled"]:
        show_controlled(sys.argv[2:])
    else:
        page()
