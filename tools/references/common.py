# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the scripts that make data/reference: scenes, multiprecision rotations, files."""

import json
import math
import re
from pathlib import Path

from mpmath import mp, mpf

ROOT = Path(__file__).resolve().parents[2]
EPS = 2.0**-52

MATHS = {name: getattr(math, name) for name in ("pi", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp")}

mp.dps = 40


def load_scene(name):
    """The scene with its parameters evaluated and its repeated elements written out."""
    scene = json.loads((ROOT / "data" / "scenes" / f"{name}.json").read_text())
    known = {}
    for key, item in scene.get("parameters", {}).items():
        known[key] = evaluate(item, known) if isinstance(item, str) else item
    scene["parameters"] = known
    for kind in ("bodies", "joints", "forces"):
        scene[kind] = [element for item in scene.get(kind, []) for element in written_out(item, known)]
    return scene


def evaluate(text, known):
    """Value of an expression whose names are all in `known`."""
    return eval(text.replace("^", "**"), {"__builtins__": {}, **MATHS}, known)


def written_out(item, known):
    """The elements that an object stands for: names with numbers, expressions with the index replaced."""
    if "repeat" not in item:
        return [item]
    count, index = item["repeat"], item.get("index", "i")
    count = round(evaluate(count, known)) if isinstance(count, str) else count
    return [at_index(item, {**known, index: i}, index) for i in range(count)]


def at_index(item, known, index):
    if isinstance(item, dict):
        return {k: at_index(v, known, index) for k, v in item.items() if k not in ("repeat", "index")}
    if isinstance(item, list):
        return [at_index(v, known, index) for v in item]
    if not isinstance(item, str):
        return item
    if "${" in item:
        return re.sub(r"\$\{([^}]*)\}", lambda found: str(round(evaluate(found[1], known))), item)
    return evaluate(item, known) if re.search(rf"\b{index}\b", item) else item


def output_times(scene):
    """Output times of a scene as exact multiples of its step."""
    step = mpf(repr(scene["simulation"]["step"]))
    every = scene["output"]["every"]
    steps = int(mp.nint(scene["simulation"]["duration"] / step))
    return [n * step for n in range(0, steps + 1, every)]


def cross(a, b):
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def rotate(q, v):
    """R(q) v for a unit quaternion (w, x, y, z), body to inertial."""
    t = [2 * c for c in cross(q[1:], v)]
    u = cross(q[1:], t)
    return [v[i] + q[0] * t[i] + u[i] for i in range(3)]


def axes(signal, names="xyz"):
    return [f"{signal}.{c}" for c in names]


def signal_of(column):
    """Signal name of a column: top.position.x -> top.position, hinge.angle -> hinge.angle."""
    return re.sub(r"\.([wxyz]|\d+)$", "", column)


def max_by_signal(columns, values):
    """Largest value per signal from one value per column."""
    out = {}
    for column, value in zip(columns, values):
        if column != "t":
            out[signal_of(column)] = max(out.get(signal_of(column), 0.0), float(value))
    return out


def peak(rows):
    """Largest magnitude per column."""
    return [max(abs(row[j]) for row in rows) for j in range(len(rows[0]))]


def difference(rows, other):
    """Largest absolute difference per column of two tables."""
    return [max(abs(a[j] - b[j]) for a, b in zip(rows, other)) for j in range(len(rows[0]))]


def reference_error(columns, rows, check):
    """Error estimate per signal: difference to the check table plus the rounding to double."""
    total = [d + EPS / 2 * p for d, p in zip(difference(rows, check), peak(rows))]
    return {signal: float(f"{e:.1e}") for signal, e in max_by_signal(columns, total).items()}


def write_csv(name, columns, rows):
    lines = [",".join(columns)]
    lines += [",".join(f"{float(value):.17g}" for value in row) for row in rows]
    path = ROOT / "data" / "reference" / f"{name}.csv"
    path.write_text("\n".join(lines) + "\n")


def write_sidecar(name, sidecar):
    path = ROOT / "data" / "reference" / f"{name}.json"
    path.write_text(json.dumps(sidecar, indent=2) + "\n")
