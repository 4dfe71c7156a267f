#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Expressions, functions with arguments and tables of scenes: values against Python's, motions against answers that are computed apart from the
engine, and what is said about wrong ones.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import json
import math
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

from case_kit import TORSOR, Result, Spline, runge_kutta

EPS = 2.0**-52


class Folder:
    """A folder with files, and the command in it."""

    def __init__(self, **files):
        self.temporary = tempfile.TemporaryDirectory(prefix="words")
        self.path = Path(self.temporary.name)
        for name, text in files.items():
            (self.path / name.replace("_csv", ".csv")).write_text(text)

    def run(self, what, verb="run"):
        (self.path / "scene.json").write_text(json.dumps(what))
        output = ["-o", "out"] if verb == "run" else []
        return subprocess.run([TORSOR, verb, "scene.json", *output], cwd=self.path, capture_output=True, text=True, timeout=120)

    def columns(self):
        return Result._columns(self.path / "out" / "trajectory.csv")


class WordsTest(unittest.TestCase):
    folder = None

    def tearDown(self):
        if self.folder:
            self.folder.temporary.cleanup()

    def make(self, **files):
        """A new folder in place of the one before."""
        self.tearDown()
        self.folder = Folder(**files)
        return self.folder

    def near(self, got, want, tolerance, what=""):
        print(f"  {self.id().split('.')[-1]} {what}: {got:.12g} for {want:.12g}, off by {abs(got - want):.2g} of {tolerance:.2g}")
        self.assertLessEqual(abs(got - want), tolerance, what)

    def resumes(self, scene, first, end):
        """A run to `first` that goes on to `end`, the duration of the scene, has the same bytes."""
        self.assertEqual(scene["simulation"]["duration"], end)
        folder = self.make()
        self.assertEqual(folder.run(scene).returncode, 0)
        whole = (folder.path / "out/trajectory.csv").read_bytes()
        for path in (folder.path / "out").iterdir():
            path.unlink()
        shorter = {**scene, "simulation": {**scene["simulation"], "duration": first}}
        self.assertEqual(folder.run(shorter).returncode, 0)
        done = subprocess.run([TORSOR, "run", "--resume", "out", "--set", f"simulation.duration={end}"], cwd=folder.path, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((folder.path / "out/trajectory.csv").read_bytes(), whole)

    def refused(self, done, message, hint="", code=3):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertIn(hint, done.stderr)


# ---- values -------------------------------------------------------------------------------------


def power(a, b):
    return a**b if a > 0 or b == int(b) else float("nan")


class Expression:
    """A random expression in p and q as a scene writes it, and as Python does."""

    def __init__(self, rng, depth):
        self.rng = rng
        self.text, self.python = self.all(depth)

    def leaf(self):
        word = self.rng.choice(["p", "q", "e", "pi", "{:.3g}".format(self.rng.uniform(0.2, 3)), "1e-1", ".5", "30 deg"])
        return word, {"e": "math.e", "pi": "math.pi", "30 deg": "(30*math.pi/180)"}.get(word, word)

    def all(self, depth):
        if depth == 0:
            return self.leaf()
        kind, a, b = self.rng.randrange(9), self.all(depth - 1), self.all(depth - 1)
        if kind < 3:
            operator = "+-*"[kind]
            return f"{a[0]} {operator} ({b[0]})", f"{a[1]} {operator} ({b[1]})"
        if kind == 3:
            return f"({a[0]})/(2 + ({b[0]})^2)", f"(({a[1]})/(2 + ({b[1]})**2))"
        if kind == 4:
            word = self.rng.choice(["sin", "cos", "atan", "tanh", "asinh", "abs", "floor", "ceil"])
            python = {"abs": "abs", "asinh": "math.asinh"}.get(word, f"math.{word}")
            return f"{word}({a[0]})", f"{python}({a[1]})"
        if kind == 5:
            word = self.rng.choice(["min", "max"])
            return f"{word}({a[0]}, {b[0]}, 1)", f"{word}({a[1]}, {b[1]}, 1)"
        if kind == 6:
            return f"(({a[0]}) < ({b[0]}) ? 2 : {a[0]})", f"(2 if ({a[1]}) < ({b[1]}) else {a[1]})"
        if kind == 7:
            return f"-(1 + abs({a[0]}))^1.5", f"(-(1 + abs({a[1]}))**1.5)"
        return f"atan2({a[0]}, 3)", f"math.atan2({a[1]}, 3)"


class Values(WordsTest):
    def test_values(self):
        """Numbers of a scene are those that Python makes of the same text, up to the rounding of its operations."""
        rng, p, q = random.Random(20261130), 0.7, -1.3
        expressions = [Expression(rng, rng.randrange(1, 5)) for _ in range(1500)]
        folder = self.make()
        bodies = [{"name": f"b{i}", "type": "point_mass", "mass": 1, "position": [x.text, 0, 0]} for i, x in enumerate(expressions)]
        done = folder.run({"torsor": 1, "parameters": {"p": p, "q": q}, "bodies": bodies, "simulation": {"step": 1, "duration": 0},
                           "output": {"signals": [f"b{i}.position.x" for i in range(len(bodies))]}})
        self.assertEqual(done.returncode, 0, done.stderr)
        worst, columns = 0.0, folder.columns()
        for i, x in enumerate(expressions):
            want = eval(x.python, {"math": math, "p": p, "q": q})
            # some 60 roundings of values that may be larger than the result
            off = abs(columns[f"b{i}.position.x"][0] - want) / (100 + abs(want))
            self.assertLessEqual(off, 1e-6, x.text)
            worst = max(worst, off)
        self.near(worst, 0, 60 * EPS, "worst of 1500 expressions")

    def test_names(self):
        """A parameter may be called e, t or max; functions with arguments and tables give numbers, too."""
        folder = self.make()
        done = folder.run({"torsor": 1, "parameters": {"e": 2, "t": 3, "max": 5, "x": 7},
                           "functions": {"area": {"arguments": ["x", "y"], "value": "x*y/2 + e"}, "twice": {"arguments": ["x"], "value": "2*area(x, 1)"},
                                         "steps": {"table": [[0, 1], [1, 3], [2, 2]], "interpolation": "linear"}},
                           "bodies": [{"name": "b", "type": "point_mass", "mass": "area(2, 4)", "position": ["e + t + max(max, x)", "twice(3)", "steps(1.5)"]}],
                           "simulation": {"step": 1, "duration": 0}, "output": {"signals": ["b.position"]}})
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = folder.columns()
        self.assertEqual([columns[f"b.position.{axis}"][0] for axis in "xyz"], [12, 7, 2.5])


# ---- motions ------------------------------------------------------------------------------------

STIFFNESS = [[0, 50], [1, 80], [2, 30], [3, 60], [5, 40], [10, 50]]


def rotor(effort, step, functions, inertia=0.5, rate=0.01, duration=10, every=1):
    return {"torsor": 1, "functions": functions,
            "bodies": [{"name": "arm", "type": "rigid_body", "mass": 1, "inertia": [inertia, inertia, inertia], "angular_velocity": [0, 0, rate]}],
            "joints": [{"name": "hinge", "type": "revolute", "a": "ground", "b": "arm"}],
            "forces": [{"name": "k", "type": "coordinate_force", "coordinate": "hinge.angle", "effort": effort}],
            "simulation": {"method": "generalized_alpha", "step": step, "duration": duration}, "output": {"every": every, "signals": ["hinge.angle"]}}


class Motions(WordsTest):
    def order(self, make, reference, steps, what):
        """Errors at the end fall by 4 as the step is halved."""
        errors = [abs(Result(make(h))["hinge.angle"][-1] - reference) for h in steps]
        print(f"  {what}: errors {errors[0]:.3g}, {errors[1]:.3g}")
        self.near(errors[0] / errors[1], 4, 0.3, what)

    def test_parametric(self):
        """Vibration with a stiffness from a table of the time, as a factor and from a file: the order of the method."""
        spline = Spline(STIFFNESS, straight=True)
        want = runge_kutta(lambda t, s: [s[1], -spline(t)[0] / 0.5 * s[0]], [0.0, 0.01], 10, 20000)[-1][1][0]
        table = {"kt": {"table": STIFFNESS, "interpolation": "linear"}}
        for effort in ["-kt*hinge.angle", "-kt(t)*hinge.angle"]:
            self.order(lambda h: rotor(effort, h, table), want, [4e-3, 2e-3], effort)

    def test_file(self):
        """The same rows from a file, in other units, in the fourth and second of five columns, give the same bytes."""
        rows = "# measured\n\n" + "a,k [N mm],b,time [ms],c\n" + "".join(f"1,{1000 * y},2,{1000 * x},3\n" for x, y in STIFFNESS)
        folder = self.make(k_csv=rows)
        made = {}
        for name, table in {"rows": {"table": STIFFNESS, "interpolation": "linear"},
                            "file": {"table": "k.csv", "columns": ["time", "k"], "interpolation": "linear"}}.items():
            done = folder.run(rotor("-kt(t)*hinge.angle", 1e-2, {"kt": table}, duration=2))
            self.assertEqual(done.returncode, 0, done.stderr)
            made[name] = (folder.path / "out/trajectory.csv").read_bytes(), (folder.path / "out/scene.json").read_bytes()
        self.assertEqual(made["rows"], made["file"])

    def test_map(self):
        """A stiffness over angle and time from a file of thousands of rows; the spline's error is below 1e-9 beside the method's of 1e-7."""
        k = lambda q, t: 20 + 8 * math.sin(q) * math.cos(0.7 * t)  # noqa: E731
        rows = "angle [deg];time;k\n" + "".join(f"{q};{t / 10};{k(q * math.pi / 180, t / 10):.15g}\n" for q in range(-100, 101, 2) for t in range(0, 61))
        folder = self.make(map_csv=rows)
        want = runge_kutta(lambda t, s: [s[1], -2 * k(s[0], t) * s[0]], [0.0, 4.0], 5, 20000)[-1][1][0]
        errors = []
        for h in [4e-3, 2e-3]:
            done = folder.run(rotor("-map(hinge.angle, t)*hinge.angle", h, {"map": {"table": "map.csv"}}, rate=4, duration=5))
            self.assertEqual(done.returncode, 0, done.stderr)
            errors.append(abs(folder.columns()["hinge.angle"][-1] - want))
        print(f"  map: errors {errors[0]:.3g}, {errors[1]:.3g}")
        self.near(errors[0] / errors[1], 4, 0.3, "map")

    def test_many_signals(self):
        """Thirty variables in one expression, of one body: the sum of what ten springs and dampers do."""
        springs = [f"{1 + i % 3}*hinge.angle + {0.01 * i}*hinge.rate" for i in range(10)]
        made = [rotor(f"-({' + '.join(springs)})", 1e-2, {}, duration=2),
                rotor(f"-({sum(1 + i % 3 for i in range(10))}*hinge.angle + {sum(0.01 * i for i in range(10))}*hinge.rate)", 1e-2, {}, duration=2)]
        a, b = (Result(x)["hinge.angle"] for x in made)
        self.near(max(abs(x - y) for x, y in zip(a, b)), 0, 200 * 2 * 20 * EPS, "springs in one expression")

    def test_bodies(self):
        """A drag that reads a body's velocity, v' = -c v with v0 = 2: x = 2 (1 - exp(-c t))/c; a field that reads its position, and a spin that
        reads its own rate."""
        scene = {"torsor": 1,
                 "bodies": [{"name": "ball", "type": "point_mass", "mass": 2, "velocity": [2, 0, 0]},
                            {"name": "bead", "type": "point_mass", "mass": 2, "position": [0, 1, 0]},
                            {"name": "top", "type": "rigid_body", "mass": 1, "inertia": [0.5, 0.5, 0.5], "angular_velocity": [0, 0, 3]}],
                 "forces": [{"name": "drag", "type": "force", "at": "ball", "force": [1, 0, 0], "scale": "-3*ball.velocity.x"},
                            {"name": "field", "type": "force", "at": "bead", "force": [0, 1, 0], "scale": "-8*bead.position.y"},
                            {"name": "brake", "type": "force", "at": "top", "moment": [0, 0, 1], "axes": "body", "scale": "-0.4*top.angular_velocity.z"}],
                 "simulation": {"method": "radau", "step": 0.02, "duration": 1}, "output": {"signals": ["ball.position", "bead.position", "top.angular_velocity"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        # order 5, errors h^5 of scales of 1 s and values of 3
        self.near(got["ball.position.x"][-1], 2 * (1 - math.exp(-1.5)) / 1.5, 3 * 0.02**5, "drag")
        self.near(got["bead.position.y"][-1], math.cos(2), 3 * 0.02**5 * 32, "field")
        self.near(got["top.angular_velocity.z"][-1], 3 * math.exp(-0.8), 3 * 0.02**5, "spin")


class Signals(WordsTest):
    def test_inertial(self):
        """A body that is turned by 90 degrees about x spins about its own z: inertial -y; a free gyroscope's inertial angular momentum stays."""
        scene = {"torsor": 1, "bodies": [{"name": "b", "type": "rigid_body", "mass": 1, "inertia": [1, 2, 3], "orientation": {"rotation_vector": [math.pi / 2, 0, 0]},
                                          "angular_velocity": [0.3, -0.2, 4]}],
                 "simulation": {"method": "radau", "step": 0.01, "duration": 1},
                 "output": {"signals": ["b.angular_velocity_inertial", "b.angular_velocity", "b.quaternion", "angular_momentum"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        for axis, want in zip("xyz", [0.3, -4, -0.2]):
            self.near(got[f"b.angular_velocity_inertial.{axis}"][0], want, 8 * 4 * EPS, axis)
        w, x, y, z = (got[f"b.quaternion.{c}"][-1] for c in "wxyz")
        v = got.vector("b.angular_velocity")
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        for axis, row in zip("xyz", rows):
            self.near(got[f"b.angular_velocity_inertial.{axis}"][-1], sum(a * b for a, b in zip(row, v)), 20 * 4 * EPS, axis)


# ---- kinks and jumps ----------------------------------------------------------------------------


def ball(scale, step, duration=1.0, speed=0.0, method="generalized_alpha", functions=None, **settings):
    return {"torsor": 1, "functions": functions or {}, "bodies": [{"name": "b", "type": "point_mass", "mass": 1, "velocity": [speed, 0, 0]}],
            "joints": [{"name": "p", "type": "sensor", "a": "ground", "b": "b"}],
            "forces": [{"name": "f", "type": "force", "at": "b", "force": [1, 0, 0], "scale": scale}],
            "simulation": {"method": method, "step": step, "duration": duration, **settings}, "output": {"signals": ["b.position.x", "b.velocity.x"]}}


def parabolas(pieces, x=0.0, v=0.0):
    """Position and speed after pieces (duration, acceleration)."""
    for t, a in pieces:
        x, v = x + v * t + a * t * t / 2, v + a * t
    return x, v


class Kinks(WordsTest):
    METHODS = ["generalized_alpha", "radau", "soi2", "explicit", "rattle", "hht_odae"]

    def check(self, scale, want, methods, step=0.02, speed=0.0, **more):
        """Between jumps accelerations are constant, which all these methods integrate to rounding: of 100 steps, values up to 5."""
        for method in methods:
            settings = {"formulation": "index3"} if method == "generalized_alpha" else {}
            got = Result(ball(scale, step, speed=speed, method=method, **settings, **more))
            self.assertEqual(got.code, 0, got.said)
            for i, name in enumerate(["b.position.x", "b.velocity.x"]):
                self.near(got[name][-1], want[i], 100 * 5 * 2 * EPS, f"{scale} {method} {name}")
            self.assertEqual(got.summary["events"], [], "kinks are not reported")

    def test_time(self):
        self.check("t > 0.31371 ? 5 : 0", parabolas([(0.31371, 0), (0.68629, 5)]), self.METHODS)
        self.check("5*floor((t + 0.05)/0.3)", parabolas([(0.25, 0), (0.3, 5), (0.3, 10), (0.15, 15)]), self.METHODS)
        self.check("mod(t + 0.05, 0.4) < 0.13 ? 4 : -2", parabolas([(0.08, 4), (0.27, -2), (0.13, 4), (0.27, -2), (0.13, 4), (0.12, -2)]), self.METHODS)
        self.check("2*step(t)", parabolas([(0.37, 0), (0.63, 2)]), self.METHODS, functions={"step": {"arguments": ["s"], "value": "s < 0.37 ? 0 : 1"}})

    def test_place(self):
        """Thrown at 1.1 m/s beyond 0.2 m it is pulled back by 5 m/s^2 and returns."""
        self.check("p.x > 0.2 ? -5 : 0", parabolas([(0.2 / 1.1, 0), (0.44, -5), (1 - 0.2 / 1.1 - 0.44, 0)], v=1.1), self.METHODS[:4], speed=1.1)

    def test_order(self):
        """Two springs of different stiffness on two sides: half periods of pi/2 and pi/3, error of the method's order; and abs, min, max."""
        for scale in ["p.x > 0 ? -4*p.x : -9*p.x", "-4*max(p.x, 0) - 9*min(p.x, 0)", "-6.5*p.x + 2.5*abs(p.x)"]:
            t = 10 - math.floor(10 / (math.pi * 5 / 6)) * math.pi * 5 / 6
            want = math.sin(2 * t) if t < math.pi / 2 else -2 / 3 * math.sin(3 * (t - math.pi / 2))
            errors = [abs(Result(ball(scale, h, duration=10, speed=2, method="radau"))["b.position.x"][-1] - want) for h in [0.05, 0.025]]
            print(f"  {scale}: errors {errors[0]:.3g}, {errors[1]:.3g}")
            # order 5 up to and across the kinks; without their times errors are of order 3
            self.assertLess(errors[1], errors[0] / 24)

    def test_resume(self):
        """A run that goes on from its checkpoint gives the same bytes."""
        scene = ball("p.x > 0 ? -4*p.x : -9*p.x + abs(p.x_speed)", 0.01, duration=4, speed=2)
        folder = self.make()
        self.assertEqual(folder.run(scene).returncode, 0)
        whole = (folder.path / "out/trajectory.csv").read_bytes()
        for path in (folder.path / "out").iterdir():
            path.unlink()
        for duration, more in [(1.57, []), (4, ["--resume", "out", "--set", "simulation.duration=4"])]:
            scene["simulation"]["duration"] = duration
            (folder.path / "scene.json").write_text(json.dumps(scene))
            done = subprocess.run([TORSOR, "run", *(more or ["scene.json", "-o", "out"])], cwd=folder.path, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((folder.path / "out/trajectory.csv").read_bytes(), whole)

    def test_slides(self):
        """A jump along which a motion would slide is no trap: friction that is regularised stays at rest, and a run ends."""
        got = Result(ball("-3*max(-1, min(1, 1e3*p.x_speed)) + 1", 0.01, speed=0.5))
        self.assertEqual(got.code, 0, got.said)
        self.near(got["b.velocity.x"][-1], 1 / 3e3, 1e-9, "creep")


# ---- wrong uses ---------------------------------------------------------------------------------


class Wrong(WordsTest):
    def test_files(self):
        """Faults of a file are found with their lines."""
        cases = [
            ("t,y\n0,1\n0.5,2\n0.5,3\n", {}, "k.csv:4:", "lines 3 and 4 both have 0.5 in the first column"),
            ("t,y\n0,1\n2,2\n1,3\n", {}, "k.csv:4:", "must increase, but 1 follows 2 of line 3"),
            ("t,y\n0,1\n1,\n2,3\n", {}, "k.csv:3:", "a row has no value in column 2"),
            ("t,y\n0,1\n1\n2,3\n", {}, "k.csv:3:", "a row has no value in column 2"),
            ("t,y\n0,1\n1,2 N\n2,3\n", {}, "k.csv:3:", "column 2 is no number, but \"2 N\""),
            ("t;y\n0;1,5\n1;2\n2;3\n", {}, "k.csv:2:", "numbers have a decimal point"),
            ("t,y [lbf]\n0,1\n1,2\n2,3\n", {}, "k.csv:1:", "the unit \"lbf\" of a column is not known"),
            ("t,y,z,w\n0,1,2,3\n", {}, "k.csv:1:", "has 4 columns: name two of them"),
            ("t,y\n0,1\n1,2\n2,3\n", {"columns": ["t", "Y"]}, "k.csv:1:", "has no column \"Y\""),
            ("0,1\n1,2\n2,3\n", {"columns": ["t", "y"]}, "k.csv:1:", "has no names of columns"),
            ("t,y\n0,1\n1,2\n2,3\n", {"columns": ["t"]}, "scene.json:1:", "must name two columns"),
            ("t,y\n0,1\n1,2\n2,3\n", {"units": ["s"]}, "scene.json:1:", "has 1 units for 2 columns"),
            ("t,y\n0,1\n1,2\n2,3\n", {"units": ["s", "furlong"]}, "scene.json:1:", "the unit \"furlong\" is not known"),
            ("t,y\n0,1\n1,2\n", {}, "scene.json:1:", "cubic interpolation needs at least 3 rows"),
            ("t,y\n0,nan\n1,2\n2,2\n", {}, "k.csv:2:", "is no number"),
            ("", {}, "k.csv", "is empty"),
            ("x,y,z\n0,0,1\n0,1,2\n1,0,3\n", {"interpolation": "linear"}, "scene.json:1:", "the table has no row for x = 1, y = 1"),
            ("x,y,z\n0,0,1\n0,1,2\n1,0,3\n1,1,3\n1,1,4\n", {"interpolation": "linear"}, "scene.json:1:", "two rows for x = 1, y = 1"),
        ]
        for text, more, place, message in cases:
            with self.subTest(message):
                done = self.make(k_csv=text).run(rotor("-1*hinge.angle", 1e-2, {"k": {"table": "k.csv", **more}}), "check")
                self.refused(done, message)
                self.assertIn(place, done.stderr)
        done = self.make().run(rotor("-1*hinge.angle", 1e-2, {"k": {"table": "none.csv"}}), "check")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.csv", done.stderr)

    def test_functions(self):
        """Functions that are called wrongly, use each other in a circle, or grow without end."""
        double = {f"d{i}": {"arguments": ["x"], "value": f"d{i - 1}(x) + d{i - 1}(x)" if i else "x"} for i in range(40)}
        cases = [
            ({"f": {"arguments": ["x", "y"], "value": "x*y"}}, "f(hinge.angle)", "has 2 arguments, but is given 1", "write f(x, y)"),
            ({"f": {"arguments": ["x"], "value": "x"}}, "f*hinge.angle", "a function without arguments", "write its argument"),
            ({"f": {"arguments": ["x"], "value": "x"}}, "f", "has arguments, but is given none", "write f(x)"),
            ({"kt": {"table": STIFFNESS}}, "-kg(t)*hinge.angle", "there is no function \"kg\"", "did you mean \"kt\"?"),
            ({"f": {"arguments": ["x"], "value": "g(x)"}, "g": {"arguments": ["x"], "value": "1 + f(x)"}}, "1", "uses itself", "not in a circle"),
            ({"f": "g + 1", "g": "2*f"}, "1", "uses itself", ""),
            ({"f": {"arguments": ["x"], "value": "x*y"}}, "1", "there is no parameter \"y\"", ""),
            ({"f": {"arguments": ["x"], "value": "x*t"}}, "1", "there is no parameter \"t\"", "take it as an argument"),
            ({"f": {"arguments": ["x"], "value": "x*hinge.angle"}}, "1", "\"hinge.angle\" cannot be used here", "as arguments"),
            ({"f": {"arguments": [], "value": "1"}}, "1", "must have 1 to 16 names", ""),
            ({"f": {"arguments": ["x", "x"], "value": "1"}}, "1", "two arguments are called \"x\"", ""),
            ({"f": {"arguments": ["2x"], "value": "1"}}, "1", "cannot be the name of an argument", ""),
            ({"f": {"arguments": ["x"]}}, "1", "is missing", ""),
            ({"f": {"arguments": ["x"], "value": "x", "rate": 1}}, "1", "unknown key \"rate\"", ""),
            ({"max": {"arguments": ["x"], "value": "x"}}, "1", "\"max\" is taken", ""),
            ({"f": {"table": [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]]}}, "1", "cubic interpolation needs at least 4 values of x and of y", "linear"),
            ({"f": {"table": [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4], [5, 5, 5], [6, 6, 6], [7, 7, 7]]}}, "1", "crossings", "every x"),
            ({"f": {"table": [[0, 0], [1, 1], [2, 2]], "columns": ["a", "b"]}}, "1", "belongs to a table from a file", ""),
            ({}, "-1*hinge.angel", "there is no joint coordinate \"hinge.angel\"", "hinge.angle"),
            ({}, "-1*arm.position.w", "there is no joint coordinate", "ball.velocity.x"),
            (double, "d39(hinge.angle)", "is too long", "table"),
        ]
        for functions, effort, message, hint in cases:
            with self.subTest(message):
                self.refused(self.make().run(rotor(effort, 1e-2, functions), "check"), message, hint)


if __name__ == "__main__":
    unittest.main()
