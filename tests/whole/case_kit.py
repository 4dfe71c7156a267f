# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers shared by tests of single scenes: the command $TORSOR on a scene, its rows and words, and answers that are computed apart from it."""

import bisect
import csv
import json
import math
import os
import re
import subprocess
import tempfile
from pathlib import Path

CASES = Path(__file__).resolve().parent / "cases"
TORSOR = os.environ.get("TORSOR", "torsor")


def scene(name, **settings):
    """The scene of that case, with settings of its simulation changed; None takes a key away."""
    found = json.loads((CASES / f"{name}.json").read_text())
    simulation = found.setdefault("simulation", {}) if settings else {}
    for key, value in settings.items():
        if value is None:
            simulation.pop(key, None)
        else:
            simulation[key] = value
    return found


class Result:
    """Exit code, words, rows by column and the summary of one command on one scene."""

    def __init__(self, what, verb="run", *options):
        with tempfile.TemporaryDirectory(prefix="case") as text:
            folder = Path(text)
            (folder / "scene.json").write_text(json.dumps(what))
            output = [] if verb == "check" else ["-o", folder / "out"]
            done = subprocess.run([TORSOR, verb, folder / "scene.json", *output, *options], capture_output=True, text=True, timeout=600)
            self.code, self.said, self.answer = done.returncode, done.stderr, done.stdout
            self.warnings = re.findall(r"torsor: warning: (.*)", done.stderr)
            self.columns = self._columns(folder / "out" / ("modes.csv" if verb == "modes" else "trajectory.csv"))
            summary = folder / "out" / "summary.json"
            self.summary = json.loads(summary.read_text()) if summary.exists() else {}

    @staticmethod
    def _columns(path):
        if not path.exists():
            return {}
        with open(path, newline="") as file:
            head, *rows = csv.reader(file)
        columns = zip(*rows) if rows else [[] for _ in head]
        return {name: [float(x) if re.match(r"[-+.\dni]", x) else x for x in column] for name, column in zip(head, columns)}

    def __getitem__(self, column):
        return self.columns[column]

    def at(self, column, t):
        times = self["t"]
        return self[column][min(range(len(times)), key=lambda i: abs(times[i] - t))]

    def vector(self, name, row=-1):
        return [self[f"{name}.{axis}"][row] for axis in "xyz"]

    def vectors(self, name):
        return list(zip(*(self[f"{name}.{axis}"] for axis in "xyz")))


# ---- answers ----------------------------------------------------------------------------------


def runge_kutta(rates, state, duration, steps, each=1):
    """Rows (t, state) of the classical method of order 4, one in `each` steps."""
    h, rows = duration / steps, [(0.0, list(state))]
    moved = lambda s, k, part: [x + part * h * y for x, y in zip(s, k)]  # noqa: E731
    for n in range(steps):
        t = n * h
        k1 = rates(t, state)
        k2 = rates(t + h / 2, moved(state, k1, 0.5))
        k3 = rates(t + h / 2, moved(state, k2, 0.5))
        k4 = rates(t + h, moved(state, k3, 1))
        state = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
        if (n + 1) % each == 0:
            rows.append((t + h, list(state)))
    return rows


class Spline:
    """The natural cubic spline through points, or straight lines: value, first and second derivative; beyond the ends its value stays."""

    def __init__(self, points, straight=False):
        self.x, self.y = [p[0] for p in points], [p[1] for p in points]
        self.bend = [0.0] * len(points) if straight else self._natural()

    def _natural(self):
        n, x, y = len(self.x), self.x, self.y
        upper, right = [0.0] * n, [0.0] * n
        for i in range(1, n - 1):
            a, b = x[i] - x[i - 1], x[i + 1] - x[i]
            pivot = 2 * (a + b) - a * upper[i - 1]
            upper[i] = b / pivot
            right[i] = (6 * ((y[i + 1] - y[i]) / b - (y[i] - y[i - 1]) / a) - a * right[i - 1]) / pivot
        bend = [0.0] * n
        for i in range(n - 2, 0, -1):
            bend[i] = right[i] - upper[i] * bend[i + 1]
        return bend

    def __call__(self, t):
        if t < self.x[0] or t >= self.x[-1]:
            return self.y[0 if t < self.x[0] else -1], 0.0, 0.0
        i = min(bisect.bisect_right(self.x, t), len(self.x) - 1) - 1
        h = self.x[i + 1] - self.x[i]
        a, b = (self.x[i + 1] - t) / h, (t - self.x[i]) / h
        m, n = self.bend[i], self.bend[i + 1]
        value = a * self.y[i] + b * self.y[i + 1] + h * h / 6 * ((a ** 3 - a) * m + (b ** 3 - b) * n)
        rate = (self.y[i + 1] - self.y[i]) / h + h / 6 * ((3 * b * b - 1) * n - (3 * a * a - 1) * m)
        return value, rate, a * m + b * n


# ---- the same scene in other axes and units ------------------------------------------------------


def multiplied(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def turned(matrix, vector):
    return [sum(x * y for x, y in zip(row, vector)) for row in matrix]


def number(value):
    """A number, or one of the words "30 deg" and "pi" that scenes have in place of it."""
    if isinstance(value, str):
        return eval(value.replace(" deg", "*pi/180"), {"__builtins__": {}}, {"pi": math.pi, "sqrt": math.sqrt})
    return value


def rotation(vector):
    """The matrix of a rotation vector."""
    angle = math.sqrt(sum(x * x for x in vector))
    if angle == 0:
        return [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    x, y, z = (c / angle for c in vector)
    k = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    square = multiplied(k, k)
    return [[(i == j) + math.sin(angle) * k[i][j] + (1 - math.cos(angle)) * square[i][j] for j in range(3)] for i in range(3)]


def matrix_of(orientation):
    if orientation is None:
        return rotation([0, 0, 0])
    if "matrix" in orientation:
        return orientation["matrix"]
    if "rotation_vector" in orientation:
        return rotation([number(x) for x in orientation["rotation_vector"]])
    w, x, y, z = orientation["quaternion"]
    half = math.atan2(math.sqrt(x * x + y * y + z * z), w)
    length = math.sqrt(x * x + y * y + z * z)
    return rotation([2 * half * c / length if length else 0 for c in (x, y, z)])


def turn_marker(marker, by):
    """A marker on the ground turns with the scene; one on a body goes with the body."""
    if marker == "ground":
        return {"body": "ground", "orientation": {"matrix": by}}
    if isinstance(marker, dict) and marker.get("body") == "ground":
        out = {**marker, "orientation": {"matrix": multiplied(by, matrix_of(marker.get("orientation")))}}
        if "position" in marker:
            out["position"] = turned(by, [number(x) for x in marker["position"]])
        return out
    return marker


def turn(what, by):
    """The whole scene, gravity and all, turned by a matrix."""
    out = json.loads(json.dumps(what))
    for holder, keys in [(out, ["gravity"])] + [(body, ["position", "velocity", "end"]) for body in out["bodies"]]:
        for key in keys:
            if key in holder:
                holder[key] = turned(by, [number(x) for x in holder[key]])
    for body in out["bodies"]:
        if body["type"] == "point_mass":
            continue
        if body["type"] == "beam" and ("end" in body or "curve" in body):
            raise NotImplementedError("beams by end or curve")
        body["orientation"] = {"matrix": multiplied(by, matrix_of(body.get("orientation")))}
    for element in out.get("joints", []) + out.get("forces", []):
        for key in ("a", "b", "at"):
            if key in element:
                element[key] = turn_marker(element[key], by)
        if element["type"] == "force":
            element["force"] = turned(by, [number(x) for x in element["force"]])
    return out


# Dimensions of a scene's keys: exponents of length, mass and time.
DIMENSIONS = {"gravity": (1, 0, -2), "mass": (0, 1, 0), "inertia": (2, 1, 0), "position": (1, 0, 0), "velocity": (1, 0, -1),
              "angular_velocity": (0, 0, -1), "center_of_mass": (1, 0, 0), "force": (1, 1, -2), "step": (0, 0, 1), "duration": (0, 0, 1),
              "length": (1, 0, 0), "rotational_stiffness": (2, 1, -2), "rotational_damping": (2, 1, -1), "stiffness": (0, 1, -2),
              "damping": (0, 1, -1), "radius": (1, 0, 0), "points": (1, 0, 0)}


def scaled_value(value, factor):
    if isinstance(value, list):
        return [scaled_value(x, factor) for x in value]
    return number(value) * factor


def scale(what, length=1.0, mass=1.0, time=1.0):
    """The scene in other units, which changes none of its ratios.  Drives and expressions are the caller's."""
    def visit(node):
        if isinstance(node, list):
            return [visit(x) for x in node]
        if not isinstance(node, dict):
            return node
        out = {}
        for key, value in node.items():
            if key in DIMENSIONS and not isinstance(value, dict):
                a, b, c = DIMENSIONS[key]
                out[key] = scaled_value(value, length ** a * mass ** b * time ** c)
            else:
                out[key] = visit(value)
        return out
    return visit(what)
