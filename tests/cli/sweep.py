#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies: torsor sweep.  Designs and reductions against closed forms, the same table from any number of processes and after
any interruption, failures as rows, messages."""
import csv
import json
import math
import os
import pathlib
import random
import signal
import struct
import subprocess
import tempfile
import time
import unittest

TORSOR = os.environ["TORSOR"]
DATA = pathlib.Path(os.environ["TORSOR_DATA"])

# Its positions are what the study says.
POINT = {
    "torsor": 1, "parameters": {"x1": 0, "x2": 0, "x3": 0},
    "bodies": [{"name": "ball", "type": "point_mass", "mass": 1, "position": ["x1", "x2", "x3"]}],
    "simulation": {"step": 1, "duration": 1, "method": "explicit"}, "output": {"signals": ["ball.position"]},
}
# Thrown upwards with the speed w: z = w t - 5 t^2, which all methods integrate exactly.
THROWN = {
    "torsor": 1, "gravity": [0, 0, -10], "parameters": {"w": 4, "m": 1, "step": 0.01},
    "inputs": {"push": {"value": 0, "unit": "N"}},
    "bodies": [{"name": "ball", "type": "point_mass", "mass": "m", "velocity": [0, 0, "w"]}],
    "forces": [{"name": "rocket", "type": "force", "at": "ball", "force": [1, 0, 0], "scale": "push"}],
    "events": [{"name": "apex", "when": "ball.velocity.z"}],
    "simulation": {"step": "step", "duration": 1, "method": "explicit"}, "output": {"step": 0.01, "signals": ["ball.position"]},
}
UNIT = {name: {"path": f"parameters.{name}", "from": 0, "to": 1} for name in ("x1", "x2", "x3")}


class Study(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def write(self, study, scene=None):
        (self.folder / "scene.json").write_text(json.dumps(scene or POINT))
        (self.folder / "study.json").write_text(json.dumps({"torsor_study": 1, "scene": "scene.json", **study}, indent=1))

    def run_study(self, *arguments, out="out"):
        return subprocess.run([TORSOR, "sweep", self.folder / "study.json", "-o", self.folder / out, *arguments],
                              capture_output=True, text=True, timeout=300, check=False)

    def sweep(self, study, *arguments, scene=None, out="out", code=0):
        self.write(study, scene)
        done = self.run_study("--json", *arguments, out=out)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return self.table(out)

    def table(self, out="out", name="table.csv"):
        with open(self.folder / out / name, newline="") as file:
            return list(csv.DictReader(file))

    def column(self, rows, name):
        return [float(row[name]) if row[name] else math.nan for row in rows]

    def summary(self, out="out"):
        return json.loads((self.folder / out / "summary.json").read_text())


class Designs(Study):
    OUTPUT = {"outputs": {"y": {"final": "ball.position.x"}}}

    def points(self, vary, design, **more):
        rows = self.sweep({"vary": vary, "design": design, **self.OUTPUT, **more}, "--new")
        return [self.column(rows, name) for name in vary]

    def test_grid(self):
        vary = {"x1": {"path": "parameters.x1", "values": [3, 1]},
                "x2": {"path": "parameters.x2", "from": 1, "to": 100, "count": 3, "scale": "log"},
                "x3": {"path": "parameters.x3", "from": "-pi", "to": "pi", "count": 2}}
        rows = self.sweep({"vary": vary, "outputs": {"y": {"final": "ball.position.x + ball.position.y"}}})
        self.assertEqual([float(r["x1"]) for r in rows], [3] * 6 + [1] * 6)
        self.assertEqual([float(r["x2"]) for r in rows], [1, 1, 10, 10, 100, 100] * 2)
        self.assertEqual([float(r["x3"]) for r in rows], [-math.pi, math.pi] * 6)
        self.assertEqual([float(r["y"]) for r in rows], [float(r["x1"]) + float(r["x2"]) for r in rows])
        self.assertEqual([r["sample"] for r in rows], [str(k) for k in range(12)])

    def test_list_and_single(self):
        vary = {name: {"path": f"parameters.{name}"} for name in ("x1", "x2")}
        points = [[1, 2], [3, 4.5], [1, 2]]
        found = self.points(vary, {"kind": "list", "points": points})
        self.assertEqual(list(map(list, zip(*found))), points)
        (self.folder / "points.csv").write_text("x2,note,x1\n2,0,1\n4.5,7,3\n\n")
        found = self.points(vary, {"kind": "list", "points": "points.csv"})
        self.assertEqual(found, [[1, 3], [2, 4.5]])
        vary = {"x1": {"path": "parameters.x1", "values": [1, 2], "nominal": 0},
                "x2": {"path": "parameters.x2", "values": [5], "nominal": 4}}
        self.assertEqual(self.points(vary, {"kind": "one_at_a_time"}), [[0, 1, 2, 0], [4, 4, 4, 5]])

    def test_latin_hypercube(self):
        """One value in each of the N strata of every dimension; a random order in each."""
        found = self.points(UNIT, {"kind": "latin_hypercube", "samples": 50, "seed": 7})
        for values in found:
            self.assertEqual(sorted(int(50 * v) for v in values), list(range(50)))
        self.assertNotEqual([int(50 * v) for v in found[0]], [int(50 * v) for v in found[1]])

    def test_sobol_points(self):
        """The first sixteen points of the sequence in two dimensions, moved by the shift of the seed: sample 0 is the shift."""
        known = [(0, 0), (.5, .5), (.75, .25), (.25, .75), (.375, .375), (.875, .875), (.625, .125), (.125, .625),
                 (.1875, .3125), (.6875, .8125), (.9375, .0625), (.4375, .5625), (.3125, .1875), (.8125, .6875),
                 (.5625, .4375), (.0625, .9375)]
        vary = {name: UNIT[name] for name in ("x1", "x2")}
        found = self.points(vary, {"kind": "sobol", "samples": 16, "seed": 5})
        for dimension, values in enumerate(found):
            moved = [(v - values[0]) % 1 for v in values]
            for have, want in zip(moved, known):
                self.assertLess(abs((have - want[dimension] + .5) % 1 - .5), 1e-15)
        shifts = self.points(vary, {"kind": "sobol", "samples": 8, "replicates": 2, "seed": 5})
        self.assertEqual(shifts[0][0::2], found[0][:8])
        self.assertNotEqual(shifts[0][1::2], found[0][:8])

    def test_longer(self):
        """A sample does not depend on how many there are, nor on the order."""
        for kind in "monte_carlo", "sobol":
            short = self.points(UNIT, {"kind": kind, "samples": 20, "seed": 1})
            long = self.points(UNIT, {"kind": kind, "samples": 40, "seed": 1, "order": "shuffle"})
            self.assertEqual([column[:20] for column in long], short)
            self.assertNotEqual(self.points(UNIT, {"kind": kind, "samples": 20, "seed": 2}), short)

    def test_distributions(self):
        """The N values of a Latin hypercube are in the N parts of the distribution: their ranks are those of closed forms to half a
        part and rounding."""
        def normal(x):
            return .5 * math.erfc(-x / math.sqrt(2))

        cut = normal(1) - normal(-2)
        laws = {
            "uniform": ([2, 6], lambda x: (x - 2) / 4),
            "normal": ({"mean": 3, "sd": 2}, lambda x: normal((x - 3) / 2)),
            "lognormal": ({"mean": 3, "sd": 2}, lambda x: normal((math.log(x) - math.log(3) + .5 * math.log(13 / 9)) / math.sqrt(math.log(13 / 9)))),
            "triangular": ([1, 2, 4], lambda x: (x - 1) ** 2 / 3 if x < 2 else 1 - (4 - x) ** 2 / 6),
            "exponential": ({"mean": 5}, lambda x: 1 - math.exp(-x / 5)),
            "weibull": ({"scale": 2, "shape": 1.5}, lambda x: 1 - math.exp(-(x / 2) ** 1.5)),
            "beta": ({"a": 2, "b": 3, "from": 1, "to": 3}, lambda x: sum(math.comb(4, j) * ((x - 1) / 2) ** j * ((3 - x) / 2) ** (4 - j) for j in (2, 3, 4))),
            "normal within": ({"mean": 0, "sd": 1}, lambda x: (normal(x) - normal(-2)) / cut),
        }
        n, worst = 200, 0
        for name, (parameters, below) in laws.items():
            law = {name.split()[0]: parameters, **({"within": [-2, 1]} if "within" in name else {})}
            vary = {"x1": {"path": "parameters.x1", "distribution": law}}
            found = sorted(self.points(vary, {"kind": "latin_hypercube", "samples": n, "seed": 3})[0])
            off = max(abs(n * below(x) - k - .5) for k, x in enumerate(found))
            worst = max(worst, off)
            self.assertLess(off, .5 + 1e-9, name)
        print(f"distributions: ranks off by {worst:.6f} of a part (bound 0.5)")
        vary = {"x1": {"path": "parameters.x1", "distribution": {"discrete": {"values": [1, 2, 7], "weights": [1, 1, 2]}}}}
        found = self.points(vary, {"kind": "latin_hypercube", "samples": 40, "seed": 3})[0]
        self.assertEqual([found.count(x) for x in (1, 2, 7)], [10, 10, 20])

    def test_correlation(self):
        """The normal copula: the correlation of two normal values is the one that is given, to three standard errors of an
        estimate from N points, (1 - r^2)/sqrt(N)."""
        normal = {"normal": {"mean": 0, "sd": 1}}
        vary = {name: {"path": f"parameters.{name}", "distribution": normal} for name in ("x1", "x2")}
        n, r = 1000, 0.6
        self.points(vary, {"kind": "monte_carlo", "samples": n, "seed": 3}, correlation=[["x1", "x2", r]])
        found = self.summary()["outputs"]["y"]["correlation"]
        print(f"correlation {found[1]:.4f} of {r}")
        self.assertAlmostEqual(found[0], 1, 12)
        self.assertLess(abs(found[1] - r), 3 * (1 - r * r) / math.sqrt(n))


class Reductions(Study):
    def reduce(self, outputs, vary=None, scene=None, **more):
        vary = vary or {"w": {"path": "parameters.w", "values": [4]}}
        rows = self.sweep({"vary": vary, "outputs": outputs, **more}, "--new", scene=scene or THROWN)
        return {name: self.column(rows, name) for name in outputs}

    def test_closed_forms(self):
        """z = 4 t - 5 t^2 with rows of h = 0.01 s, which are on the parabola to the bits that 100 steps round."""
        h = .01
        want = {
            "final": -1, "initial": 0, "min": -1, "max": 0.8, "abs_max": 1, "range": 1.8, "t_min": 1, "t_max": 0.4,
            # Of the trapezoidal rule over a polynomial: the integral and h^2/12 times the difference of the slopes.
            "mean": 2 - 5 / 3 + h * h / 12 * (-10), "integral": 2 - 5 / 3 + h * h / 12 * (-10),
        }
        outputs = {"z_" + word: {word: "ball.position.z"} for word in want}
        found = self.reduce(outputs)
        for word, value in want.items():
            self.assertAlmostEqual(found["z_" + word][0], value, delta=1e-13, msg=word)

    def test_peaks_between_rows(self):
        """The vertex of a parabola is that of the parabola: 0.45 at 0.3 s and a bit, with rows of 0.01 s."""
        w = 3.0123
        found = self.reduce({"rows": {"max": "ball.position.z"}, "top": {"max": "ball.position.z", "peak": "parabola"},
                             "when": {"t_max": "ball.position.z", "peak": "parabola"}, "deep": {"min": "-ball.position.z", "peak": "parabola"}},
                            {"w": {"path": "parameters.w", "values": [w]}})
        self.assertAlmostEqual(found["top"][0], w * w / 20, delta=1e-13)
        self.assertAlmostEqual(found["deep"][0], -w * w / 20, delta=1e-13)
        self.assertAlmostEqual(found["when"][0], w / 10, delta=1e-12)  # values round by 1e-16, the slope of w/10 is 1e-3 at a row
        self.assertTrue(1e-7 < w * w / 20 - found["rows"][0] < 10 * .005 ** 2 / 2)

    def test_windows(self):
        """Times may be expressions of the varied values, and lie between rows."""
        found = self.reduce({"a": {"mean": "t", "from": "w/10", "to": "w/10 + 0.2"}, "b": {"rms": "2", "from": "0.333"},
                             "c": {"max": "t", "to": 0.505}, "d": {"std": "t", "to": 1}, "e": {"integral": "1", "from": 0.123, "to": 0.987},
                             "f": {"min": "t", "from": "w"}, "g": {"of": "2*a + w"}, "h": {"mean": "t", "from": 0.4, "to": 0.3}})
        self.assertAlmostEqual(found["a"][0], 0.5, delta=1e-14)
        self.assertEqual(found["b"][0], 2)
        self.assertAlmostEqual(found["c"][0], 0.5, delta=1e-15)
        # mean square of t by trapezia of the squares: 1/3 + h^2/6, less the square of 1/2
        self.assertAlmostEqual(found["d"][0], math.sqrt(1 / 12 + 1e-4 / 6), delta=1e-14)
        self.assertAlmostEqual(found["e"][0], 0.864, delta=1e-14)
        self.assertTrue(math.isnan(found["f"][0]) and math.isnan(found["h"][0]))
        self.assertAlmostEqual(found["g"][0], 5, delta=1e-13)

    def test_times(self):
        """Zeros are found within steps, and values at any time are those of the method's interpolation: exact for a parabola."""
        w = 3.37
        z = "ball.position.z - 0.4"
        up, down = (w - math.sqrt(w * w - 8)) / 10, (w + math.sqrt(w * w - 8)) / 10
        outputs = {
            "up": {"time_of": z}, "down": {"time_of": z, "which": "last"}, "second": {"time_of": z, "which": 2},
            "third": {"time_of": z, "which": 3}, "falling": {"time_of": z, "direction": "falling"},
            "count": {"count_of": z}, "rising": {"count_of": z, "direction": "rising"}, "late": {"count_of": z, "from": 0.3},
            "apex": {"time_of": "apex"}, "apexes": {"count_of": "apex"}, "never": {"time_of": "ball.position.z - 100"},
            "here": {"value": "ball.position.z", "at": 0.12345}, "there": {"value": "ball.velocity.z", "at": "w/10"},
            "beyond": {"value": "t", "at": 1.5}, "end": {"value": "ball.position.z", "at": 1}, "start": {"value": "t", "at": 0},
        }
        found = self.reduce(outputs, {"w": {"path": "parameters.w", "values": [w]}})
        want = {"up": up, "down": down, "second": down, "falling": down, "count": 2, "rising": 1, "late": 1, "apex": w / 10, "apexes": 1,
                "here": w * .12345 - 5 * .12345 ** 2, "there": 0, "end": w - 5, "start": 0}
        for name, value in want.items():
            self.assertAlmostEqual(found[name][0], value, delta=2e-14, msg=name)
        for name in "third", "never", "beyond":
            self.assertTrue(math.isnan(found[name][0]), name)
        self.assertEqual(self.table()[0]["status"], "nan")

    def test_spectrum(self):
        """Two tones, ten lines apart: frequencies within 1/10 of a line, which is 1 Hz; the Hann window leaks 1/d^3 of the other."""
        signal = "3*sin(2*pi*12.3*t) + 1.5*cos(2*pi*22.45*t) + 7"
        scene = {**THROWN, "parameters": {**THROWN["parameters"], "step": 1e-3}, "output": {"step": 1e-3, "signals": ["ball.position"]}}
        found = self.reduce({"f": {"fft_peak": signal}, "a": {"fft_amplitude": signal}, "g": {"fft_peak": signal, "band": [18, 30]},
                             "b": {"fft_amplitude": signal, "band": [18, 30]}, "none": {"fft_peak": signal, "band": [900, 901]}}, scene=scene)
        print(f"spectrum: {found['f'][0]:.4f} Hz of 12.3, {found['g'][0]:.4f} Hz of 22.45; {found['a'][0]:.4f} of 3, {found['b'][0]:.4f} of 1.5")
        self.assertLess(abs(found["f"][0] - 12.3), .1)
        self.assertLess(abs(found["g"][0] - 22.45), .1)
        self.assertLess(abs(found["a"][0] / 3 - 1), .02)
        self.assertLess(abs(found["b"][0] / 1.5 - 1), .02)
        self.assertTrue(math.isnan(found["none"][0]))

    def test_settle_and_summary(self):
        found = self.reduce({"s": {"settle": "1 + exp(-10*t)", "within": 0.1}, "at_once": {"settle": "5", "within": 0.01},
                             "steps": {"summary": "steps"}, "reached": {"summary": "t"}})
        # 1 + e^(-10 t) = 1.1 (1 + e^(-10)); the line between two rows is off by f'' h^2/8 / f' = 10 h^2/8
        exact = -math.log(.1 + 1.1 * math.exp(-10)) / 10
        self.assertLess(abs(found["s"][0] - exact), 10 * 1e-4 / 8)
        self.assertEqual((found["at_once"], found["steps"], found["reached"]), ([0], [100], [1]))

    def test_inputs(self):
        """An input gets the value; a list of paths gets it everywhere."""
        vary = {"F": {"input": "push", "values": [0, 2, 6]}}
        found = self.reduce({"x": {"final": "ball.position.x"}}, vary)
        for have, want in zip(found["x"], (0, 1, 3)):
            self.assertAlmostEqual(have, want, delta=1e-14)
        vary = {"both": {"path": ["parameters.w", "parameters.m"], "values": [2, 4]}}
        found = self.reduce({"z": {"final": "ball.position.z"}, "p": {"initial": "energy.kinetic"}}, vary)
        for w, z, p in zip((2, 4), found["z"], found["p"]):
            self.assertAlmostEqual(z, w - 5, delta=1e-13)
            self.assertAlmostEqual(p, w * w * w / 2, delta=1e-13)

    def test_reuse(self):
        """Where inputs alone vary the model is built once: the rows are the same to the byte as with a model for each sample, also
        behind samples that failed, with the equilibrium, a controller with memory, events, and in either order."""
        scene = {"torsor": 1, "gravity": [0, 0, -10], "inputs": {"push": {"value": 0, "unit": "N"}, "goal": {"value": 0, "unit": "m"}},
                 "bodies": [{"name": "ball", "type": "point_mass", "mass": 1}],
                 "forces": [{"name": "sag", "type": "spring_damper", "a": {"body": "ground", "position": [0, 0, 3]}, "b": "ball", "stiffness": 50, "damping": 0.5, "length": 2.5},
                            {"name": "rocket", "type": "force", "at": "ball", "force": [1, 0, 0], "scale": "push"},
                            {"name": "hand", "type": "force", "at": "ball", "force": [0, 1, 0], "scale": "lift"}],
                 "controllers": [{"name": "lift", "type": "pid", "period": 0.02, "input": "goal - ball.position.y", "kp": 30, "ki": 5, "kd": 2}],
                 "events": [{"name": "right", "when": "ball.position.x - 0.05"}],
                 "simulation": {"step": 0.01, "duration": 0.5, "initial": "equilibrium"}, "output": {"step": 0.05}}
        study = {"vary": {"F": {"input": "push", "values": [0, 1, 1e300, 2, 1]}, "y": {"input": "goal", "values": [0, 0.1]}}, "allow_failed": 9,
                 "outputs": {"x": {"final": "ball.position.x"}, "y_end": {"final": "ball.position.y"}, "when": {"time_of": "right"}, "n": {"summary": "newton_iterations"}}}
        tables = []
        for reuse in {"reuse": "never"}, {}, {"design": {"kind": "grid", "order": "shuffle"}}:
            rows = self.sweep({**study, **reuse}, "--new", "-j", "1", scene=scene)
            tables.append((self.folder / "out/table.csv").read_bytes())
        statuses = [row["status"] for row in rows]
        self.assertEqual((statuses[4:6], statuses.count("failed")), (["failed"] * 2, 2), statuses)
        self.assertEqual(len({(row["x"], row["y_end"]) for row in rows}), 7)  # the values matter: 3 x 2 and what failed
        self.assertEqual(tables[1], tables[0])
        self.assertEqual(tables[2], tables[0])

    def test_equals_run(self):
        """Rows are those of `torsor run`, to the bit."""
        study = json.loads((DATA / "studies/heavy_top_spin.json").read_text())
        scene = DATA / "scenes/heavy_top.json"
        study.update(scene=str(scene), plots=[], design={"kind": "list", "points": [[15, 150], [12, 90]]},
                     outputs={"z": {"min": "top.position.z"}, "x": {"final": "top.position.x"}, "force": {"max": "pivot.force.z"}})
        rows = self.sweep(study)
        for row in rows:
            out = self.folder / "run"
            subprocess.run([TORSOR, "run", scene, "-q", "-o", out, "--set", "simulation.step=1e-3", "--set", "simulation.duration=1", "--set",
                            f"bodies.top.mass={row['mass']}", "--set", f"bodies.top.angular_velocity[1]={row['spin']}", "--set",
                            'output.signals=["top.position", "pivot.force"]'], check=True, timeout=60)
            with open(out / "trajectory.csv", newline="") as file:
                rows_of_run = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(file)]
            self.assertEqual(float(row["z"]), min(r["top.position.z"] for r in rows_of_run))
            self.assertEqual(float(row["x"]), rows_of_run[-1]["top.position.x"])
            self.assertEqual(float(row["force"]), max(r["pivot.force.z"] for r in rows_of_run))


class Still(Study):
    BEAM = {
        "torsor": 1, "parameters": {"P": 0, "h": 0.01},
        "sections": {"s": {"shape": "rectangle", "width": 0.01, "height": "h", "E": 2e11, "nu": 0.3, "density": 7800}},
        "bodies": [{"name": "beam", "type": "beam", "section": "s", "elements": 8, "position": [0, 0, 0], "end": [1, 0, 0]}],
        "joints": [{"name": "clamp", "type": "weld", "a": "ground", "b": "beam.start"}],
        "forces": [{"name": "tip", "type": "force", "at": "beam.end", "force": [0, 0, "P"]}],
        "statics": {"steps": 2}, "output": {"signals": ["beam.end.position"]}}

    def test_statics(self):
        """Tip deflection P l^3/(3 E I), and that of shear, which is E/(4 G k) (h/l)^2 = 8e-5 of it; large deflections begin at (w/l)^2."""
        rows = self.sweep({"analysis": "statics", "vary": {"P": {"path": "parameters.P", "values": [.01, .1]}},
                           "outputs": {"tip": {"final": "beam.end.position.z"}, "half": {"mean": "t"},
                                       "load": {"max": "t"}, "stiff": {"of": "P/tip"}}}, scene=self.BEAM)
        for row in rows:
            self.assertLess(abs(float(row["stiff"]) / 500 - 1), 1e-4)
            self.assertEqual((float(row["load"]), float(row["half"])), (1, .5))

    def test_modes(self):
        """A cantilever's lowest pair of frequencies, by Euler and Bernoulli; shear and rotary inertia take 1e-4 of a first mode with
        h/l = 1/100.  Twice the height doubles that of bending in its plane."""
        rows = self.sweep({"analysis": "modes", "vary": {"h": {"path": "parameters.h", "values": [.01, .02]}},
                           "outputs": {"f": {"frequency": 1, "unit": "Hz"}, "g": {"frequency": 2}, "d": {"damping": 1}, "ratio": {"of": "g/f"}}}, scene=self.BEAM)
        want = 1.8751041 ** 2 / (2 * math.pi) * math.sqrt(2e11 * .01 ** 2 / 12 / 7800)
        print(f"modes: {rows[0]['f']} of {want:.6f} Hz, ratio {rows[1]['ratio']}")
        for row in rows:
            self.assertLess(abs(float(row["f"]) / want - 1), 3e-4)
            self.assertLess(abs(float(row["d"])), 1e-6)
        self.assertLess(abs(float(rows[1]["ratio"]) / 2 - 1), 1e-3)
        rows = self.sweep({"analysis": "modes", "vary": {"h": {"path": "parameters.h", "values": [.01]}}, "outputs": {"f": {"frequency": 500}}}, "--new", scene=self.BEAM)
        self.assertEqual(rows[0]["status"], "nan")


class Engine(Study):
    LONG = {"vary": {"w": {"path": "parameters.w", "from": 1, "to": 4, "count": 40}},
            "set": {"parameters.step": 5e-4, "output.step": 0.05}, "outputs": {"top": {"max": "ball.position.z"}}}

    def rows_done(self, out="out"):
        """Whole rows by hash, over all files."""
        done = {}
        for file in (self.folder / out / "rows").glob("*.csv"):
            for line in file.read_text().split("\n")[:-1]:
                cells = line.split(",")
                if len(cells) > 3:
                    done.setdefault(cells[1], []).append(cells[2])
        return done

    def test_any_number_of_processes(self):
        tables = []
        for jobs in "1", "2", "7":
            self.sweep(self.LONG, "-j", jobs, scene=THROWN, out=jobs)
            tables.append([(self.folder / jobs / name).read_bytes() for name in ("table.csv", "table.nc", "points.csv")])
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(tables[0], tables[2])
        self.write(self.LONG, THROWN)
        for worker in range(3):
            done = self.run_study("--worker", f"{worker}/3", out="workers")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_study("--collect", out="workers").returncode, 0)
        self.assertEqual((self.folder / "workers/table.csv").read_bytes(), tables[0][0])
        self.assertEqual(len(list((self.folder / "workers/rows").iterdir())), 3)

    def test_workers(self):
        """Workers of a launcher, or of a list of commands, share a folder; all begin at the same time."""
        rows = self.sweep(self.LONG, scene=THROWN)
        for kind in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"):
            out = self.folder / kind[0]
            begun = [subprocess.Popen([TORSOR, "sweep", self.folder / "study.json", "-o", out, "-q", "--worker", "auto"],
                                      env={**os.environ, kind[0]: str(rank), kind[1]: "4"}) for rank in range(4)]
            self.assertEqual([process.wait(60) for process in begun], [0] * 4)
            self.assertEqual(self.run_study("--collect", out=out).returncode, 0)
            self.assertEqual(self.table(out), rows)
            self.assertEqual(set(map(len, self.rows_done(out).values())), {1})
        lines = self.run_study("--engine", "print", "-j", "3", "--set", "title=two words", out="it's").stdout
        self.assertEqual(lines.count("\n"), 3)
        path = {**os.environ, "PATH": f"{pathlib.Path(TORSOR).resolve().parent}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run(["sh", "-eu", "-c", lines], check=True, env=path, timeout=60)
        self.assertEqual(self.run_study("--collect", "--set", "title=two words", out="it's").returncode, 0)
        self.assertEqual(self.table("it's"), rows)
        self.assertEqual(self.run_study("--worker", "auto").returncode, 2)

    def test_killed(self):
        """A study that is killed at random moments, and goes on, loses nothing and does nothing twice."""
        self.sweep(self.LONG, scene=THROWN, out="whole")
        want = (self.folder / "whole/table.csv").read_bytes()
        chance = random.Random(4)
        kills = 0
        for attempt in range(40):
            use = "--resume" if attempt else "--new"
            process = subprocess.Popen([TORSOR, "sweep", self.folder / "study.json", "-o", self.folder / "out", "-q", use, "-j", "2"],
                                       start_new_session=True, stderr=subprocess.DEVNULL)
            try:
                process.wait(chance.uniform(0.02, 0.12))
                break
            except subprocess.TimeoutExpired:
                kills += 1
                if chance.random() < .5:
                    os.kill(process.pid, signal.SIGKILL)  # the workers die with it
                else:
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait(20)
        done = self.run_study("--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        print(f"{kills} kills, {sum(map(len, self.rows_done().values()))} rows of 40 samples")
        self.assertGreater(kills, 2)
        self.assertEqual((self.folder / "out/table.csv").read_bytes(), want)
        self.assertEqual(set(map(len, self.rows_done().values())), {1})
        again = self.run_study("--resume", "--json")
        self.assertEqual(json.loads(again.stdout)["done_now"], 0)

    def test_worker_killed(self):
        """A process that somebody kills is replaced, and its sample done by the next one; one that dies by itself is a row."""
        self.write({**self.LONG, "set": {"parameters.step": 2e-5, "output.step": 0.05}, "design": {"kind": "list", "points": [[1], [2]]},
                    "allow_failed": 1}, THROWN)
        for number, status in (signal.SIGKILL, "ok"), (signal.SIGABRT, "crashed"):
            process = subprocess.Popen([TORSOR, "sweep", self.folder / "study.json", "-o", self.folder / "out", "-q", "--new", "-j", "1"])
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            begun = self.folder / "out/rows"
            while not (begun.exists() and list(begun.iterdir()) and children.read_text()):
                time.sleep(.01)
            os.kill(int(children.read_text().split()[0]), number)
            self.assertEqual(process.wait(60), 0)
            self.assertEqual([row["status"] for row in self.table()], [status, "ok"])
        self.assertIn("SIGABRT", self.summary()["not_ok"][0]["message"])

    def test_torn_line(self):
        """A line without its end, and lines of something else, do not count."""
        rows = self.sweep(self.LONG, scene=THROWN)
        file = max((self.folder / "out/rows").iterdir(), key=lambda f: f.stat().st_size)
        lines = file.read_text()
        file.write_text(lines[:-7])
        (file.parent / "strange.csv").write_text("hello\n1,2,3\n1,0123456789abcdef,ok,1,2\n,,,\n\n")
        done = self.run_study("--resume", "--json")
        self.assertEqual(json.loads(done.stdout)["done_now"], 1)
        self.assertEqual(self.table(), rows)

    def test_mismatch(self):
        """Two rows of one sample that differ are found."""
        self.sweep(self.LONG, scene=THROWN)
        file = max((self.folder / "out/rows").iterdir(), key=lambda f: f.stat().st_size)
        cells = next(line for line in file.read_text().split("\n") if line.endswith('""')).split(",")
        cells[5] = repr(float(cells[5]) * (1 + 2e-16))
        (file.parent / "other.csv").write_text(",".join(cells) + "\n")
        done = self.run_study("--collect")
        self.assertEqual(done.returncode, 1)
        self.assertIn("differ", done.stderr)

    def test_grows(self):
        """A study that was made longer goes on; one whose outputs or scene changed begins anew."""
        study = {"vary": UNIT, "design": {"kind": "monte_carlo", "samples": 10}, "outputs": {"y": {"final": "ball.position.x"}}}
        self.write(study)

        def done_now():
            return json.loads(self.run_study("--resume", "--json").stdout)["done_now"]
        self.assertEqual(done_now(), 10)
        study["design"]["samples"] = 25
        self.write(study)
        self.assertEqual(done_now(), 15)
        self.assertEqual(len(self.table()), 25)
        self.write({**study, "title": "another one"})
        self.assertEqual(done_now(), 0)
        self.write(study, {**POINT, "gravity": [0, 0, -1]})
        self.assertEqual(done_now(), 25)
        for output in {"initial": "ball.position.x"}, {"initial": "ball.position.y"}, {"initial": "ball.position.y", "to": 0.5}:
            self.write({**study, "outputs": {"y": output}})
            self.assertEqual(done_now(), 25)

    def test_failures(self):
        """Samples that fail have a row that says why; statistics leave them out."""
        study = {"vary": {"m": {"path": "parameters.m", "values": [1, -1, 2]}}, "outputs": {"top": {"max": "ball.position.z"}}}
        self.write(study, THROWN)
        done = self.run_study()
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, "1 of 3 samples failed, first sample 1: .*mass")
        self.assertEqual([row["status"] for row in self.table()], ["ok", "failed", "ok"])
        self.assertEqual(self.table()[1]["top"], "")
        self.assertEqual(self.summary()["outputs"]["top"]["count"], 2)
        self.assertIn("mass", self.summary()["not_ok"][0]["message"])
        command = self.summary()["not_ok"][0]["command"].replace("torsor", TORSOR, 1) + f" -o '{self.folder}/again'"
        again = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        self.assertEqual((again.returncode, "mass" in again.stderr), (3, True), command)
        self.assertEqual(len(self.rows_done()), 3)
        for word, count in (["--resume"], 1), (["--retry", "failed"], 2):
            self.assertEqual(self.run_study(*word).returncode, 4)
            self.assertEqual(sorted(map(len, self.rows_done().values())), [1, 1, count])
        for allowed, code in (1, 0), (.3, 4), (.4, 0):
            self.write({**study, "allow_failed": allowed}, THROWN)
            self.assertEqual(self.run_study("--collect").returncode, code)

    def test_limits(self):
        """A sample that would take for ever is ended, and the others go on."""
        study = {"vary": {"step": {"path": "parameters.step", "values": [1e-2, 1e-8, 5e-3]}}, "outputs": {"top": {"max": "ball.position.z"}},
                 "set": {"output.step": 1}, "allow_failed": 1}
        for limit, words in ("wall", "wall time"), ("cpu", "processor time"):
            rows = self.sweep({**study, "limits": {limit: .2}}, "--new", scene=THROWN)
            self.assertEqual([row["status"] for row in rows], ["ok", "timeout", "ok"])
            self.assertIn(words, self.summary()["not_ok"][0]["message"])

    def test_interrupted(self):
        """A signal ends the study within a second; what is done is in the table."""
        self.write({**self.LONG, "set": {"parameters.step": 2e-5, "output.step": 0.05}}, THROWN)
        process = subprocess.Popen([TORSOR, "sweep", self.folder / "study.json", "-o", self.folder / "out", "-j", "1"],
                                   stderr=subprocess.PIPE, text=True)
        rows = self.folder / "out/rows"
        while not (rows.exists() and any(f.stat().st_size > 200 for f in rows.iterdir())):
            time.sleep(.02)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=20)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("--resume goes on", error)
        statuses = [row["status"] for row in self.table()]
        self.assertIn("ok", statuses)
        self.assertIn("missing", statuses)

    def test_folders(self):
        self.sweep(self.LONG, "--samples", "2", scene=THROWN)
        done = self.run_study()
        self.assertEqual((done.returncode, "has a study already" in done.stderr), (2, True))
        (self.folder / "full").mkdir()
        (self.folder / "full/letter.txt").write_text("dear")
        self.assertIn("no study", self.run_study(out="full").stderr)
        self.assertEqual(self.run_study(out=".").returncode, 2)
        self.assertEqual(self.run_study("--collect", out="nowhere").returncode, 5)
        self.assertIn("samples: 2 ok", self.run_study("--samples", "2", "--status").stdout)
        kept = subprocess.run([TORSOR, "sweep", self.folder / "out/study.json", "-o", self.folder / "out2", "--samples", "2"], check=False)
        self.assertEqual(kept.returncode, 0)
        self.assertEqual(self.table("out2"), self.table("out"))

    def test_check(self):
        self.write(self.LONG, THROWN)
        done = self.run_study("--check", "--json")
        self.assertAlmostEqual(json.loads(done.stdout)["top"], 0.05, delta=1e-13)
        self.assertFalse((self.folder / "out").exists())
        self.assertIn("40 samples", self.run_study("--dry-run").stdout)

    def test_plot(self):
        """The curves that the study names, over their column, one for each value of another; points of random designs."""
        study = {"vary": {"w": {"path": "parameters.w", "unit": "m/s", "values": [3, 1, 2]}, "m": {"path": "parameters.m", "values": [1, 2]}},
                 "outputs": {"top": {"max": "ball.position.z", "unit": "m"}, "low": {"min": "ball.position.z"}},
                 "plots": [{"x": "w", "y": ["top"], "by": "m"}]}
        self.sweep(study, scene=THROWN)
        script = subprocess.run([TORSOR, "plot", "--script", self.folder / "out"], capture_output=True, text=True, check=True).stdout
        for words in "|w [m/s]", "|top [m]", "|m = 1", "|m = 2":
            self.assertIn(words + "\n", script)
        self.assertNotIn("|low", script)
        curve = script.split("$c0 << EOD\n")[1].split("EOD")[0].split("\n")[:3]
        self.assertEqual([float(row.split()[0]) for row in curve], [1, 2, 3])
        self.assertAlmostEqual(float(curve[2].split()[1]), 0.45, 8)
        chosen = subprocess.run([TORSOR, "plot", "--script", "-s", "low", self.folder / "out"], capture_output=True, text=True, check=True).stdout
        self.assertIn("|low\n", chosen)
        both = subprocess.run([TORSOR, "plot", self.folder / "out", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual((both.returncode, "drawn alone" in both.stderr), (2, True))
        self.sweep({**study, "plots": [], "design": {"kind": "sobol", "samples": 4}}, "--new", scene=THROWN)
        script = subprocess.run([TORSOR, "plot", "--script", self.folder / "out"], capture_output=True, text=True, check=True).stdout
        self.assertIn("with points", script)
        self.assertIn("|low\n", script)

    def test_netcdf(self):
        """table.nc has the numbers of table.csv; classic format, read by hand."""
        rows = self.sweep({**self.LONG, "title": "thrown"}, "--samples", "3", scene=THROWN)
        data = (self.folder / "out/table.nc").read_bytes()
        self.assertEqual(data[:4], b"CDF\x02")
        self.assertEqual(struct.unpack(">i", data[4:8])[0], 3)
        record = len(data) // 3 and 2 * 8 + 4
        for row, at in zip(rows, range(len(data) - 3 * record, len(data), record)):
            self.assertEqual(struct.unpack(">ddi", data[at:at + record]), (float(row["w"]), float(row["top"]), 0))


class Kept(Study):
    """Folders of results of chosen samples."""
    STUDY = {"vary": {"w": {"path": "parameters.w", "unit": "m/s", "from": 1, "to": 4, "count": 4}}, "set": {"parameters.m": 2},
             "outputs": {"low": {"final": "ball.position.z"}}}

    def kept(self, out="out"):
        folder = self.folder / out / "samples"
        return sorted(int(f.name) for f in folder.iterdir()) if folder.is_dir() else []

    def mark(self, sample, out="out"):
        return json.loads((self.folder / out / f"samples/{sample:06}/sample.json").read_text())

    def test_list(self):
        """The folders are those of `torsor run` with the values of the sample: the row is in them to the bit, and the command that
        they name makes the same files."""
        rows = self.sweep({**self.STUDY, "keep": [2, 0]}, scene=THROWN)
        self.assertEqual(self.kept(), [0, 2])
        self.assertEqual(self.summary()["kept"], [0, 2])
        for sample in 0, 2:
            folder = self.folder / f"out/samples/{sample:06}"
            mark = self.mark(sample)
            self.assertEqual((mark["sample"], mark["status"], mark["values"]["w"]), (sample, "ok", float(rows[sample]["w"])))
            self.assertEqual(mark["outputs"]["low"], float(rows[sample]["low"]))
            last = (folder / "trajectory.csv").read_text().split("\n")[-2].split(",")
            self.assertEqual(float(last[3]), float(rows[sample]["low"]))
            command = mark["command"].replace("torsor", TORSOR, 1) + f" -q -o '{self.folder}/alone'"
            subprocess.run(["sh", "-c", command], check=True)
            for name in "trajectory.csv", "scene.json":
                self.assertEqual((self.folder / "alone" / name).read_bytes(), (folder / name).read_bytes())

    def test_later(self):
        """Samples of a study that is done are kept afterwards, without a sample done again; another scene makes their results anew."""
        self.sweep(self.STUDY, scene=THROWN)
        self.assertEqual(self.kept(), [])
        done = self.run_study("--resume", "--json", "--keep", "1,3")
        self.assertEqual((json.loads(done.stdout)["done_now"], self.kept()), (0, [1, 3]))
        file = self.folder / "out/samples/000001/trajectory.csv"
        before = file.stat().st_mtime_ns
        self.run_study("--resume", "--keep", "1")
        self.assertEqual(file.stat().st_mtime_ns, before)
        self.write({**self.STUDY, "keep": "all", "set": {"parameters.m": 3}}, THROWN)
        self.run_study("--resume", "-j", "2")
        self.assertEqual(self.kept(), [0, 1, 2, 3])
        self.assertNotEqual(file.stat().st_mtime_ns, before)
        self.assertIn("parameters.m=3", self.mark(1)["command"])
        self.run_study("--new")
        self.assertEqual(self.kept(), [0, 1, 2, 3])
        self.write(self.STUDY, THROWN)
        self.run_study("--new")
        self.assertEqual(self.kept(), [])

    def test_links(self):
        """A link in the place of a folder goes, and not what it leads to."""
        self.sweep(self.STUDY, scene=THROWN)
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "letter.txt").write_text("dear")
        (self.folder / "out/samples").mkdir()
        (self.folder / "out/samples/000001").symlink_to(mine)
        self.assertEqual(self.run_study("--resume", "--keep", "1").returncode, 0)
        self.assertFalse((self.folder / "out/samples/000001").is_symlink())
        self.assertEqual([f.name for f in mine.iterdir()], ["letter.txt"])

    def test_failed(self):
        """Failed samples leave the results up to there, within the limits of the study; a worker keeps those of its own samples."""
        study = {"vary": {"step": {"path": "parameters.step", "values": [1e-2, 1e-8, -1]}}, "set": {"output.step": 1},
                 "outputs": {"top": {"max": "ball.position.z"}}, "limits": {"wall": .3}, "allow_failed": 2, "keep": "failed"}
        self.sweep(study, scene=THROWN)
        self.assertEqual(self.kept(), [1, 2])
        self.assertEqual([self.mark(k)["status"] for k in (1, 2)], ["timeout", "failed"])
        self.assertIn("wall time", self.mark(1)["message"])
        self.assertTrue((self.folder / "out/samples/000001/scene.json").exists())
        for worker in "0/2", "1/2":
            self.assertEqual(self.run_study("--worker", worker, "--keep", "all", out="shared").returncode, 0)
            self.assertEqual(self.kept("shared"), {"0/2": [0, 2], "1/2": [0, 1, 2]}[worker])

    def test_analyses(self):
        """Results of other analyses are kept as well."""
        vary = {"h": {"path": "parameters.h", "values": [.01, .02]}}
        for analysis, output, file in ("modes", {"frequency": 1}, "modes.csv"), ("statics", {"final": "beam.end.position.z"}, "trajectory.csv"):
            self.sweep({"vary": vary, "analysis": analysis, "keep": [1], "outputs": {"y": output}}, "--new", scene=Still.BEAM)
            self.assertIn(file, [f.name for f in (self.folder / "out/samples/000001").iterdir()])

    def test_again(self):
        """Samples that are done are repeated and compared: a machine that computes something else is found."""
        self.sweep(self.STUDY, scene=THROWN)
        for words, count in ("25%", 1), ("3", 3), ("30", 4), ("100%", 4):
            done = self.run_study("--again", words, "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["done_now"]), (0, count), words)
        file = max((self.folder / "out/rows").iterdir(), key=lambda f: f.stat().st_size)
        other = [line.split(",") for line in file.read_text().split("\n") if line.endswith('""')][0]
        for f in (self.folder / "out/rows").iterdir():
            f.unlink()
        other[5] = repr(float(other[5]) * (1 + 2.3e-16))
        file.write_text(",".join(other) + "\n")
        done = self.run_study("--again", "1")
        self.assertEqual((done.returncode, "differ" in done.stderr), (1, True))

    def test_wrong(self):
        self.write({**self.STUDY, "keep": [1, 4]}, THROWN)
        done = self.run_study()
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"keep\[1\]: there is no sample 4 to keep: the study has 4")
        self.assertFalse((self.folder / "out").exists())
        self.assertEqual(self.run_study("--samples", "2").returncode, 0)
        for keep in "some", [-1], [.5], 3, {"sample": 1}:
            self.write({**self.STUDY, "keep": keep}, THROWN)
            done = self.run_study("--check")
            self.assertEqual((done.returncode, "keep" in done.stderr), (3, True), keep)
        self.write(self.STUDY, THROWN)
        for words in (["--keep", "1,,2"], ["--keep", "none"], ["--keep", "-1"], ["--keep", "9"], ["--again", "0"], ["--again", "1.5"],
                      ["--again", "101%"], ["--again", "%"], ["--again", "some"]):
            self.assertEqual(self.run_study("--resume", *words).returncode, 2, words)


class Indices(Study):
    def test_ishigami(self):
        """Indices of the Ishigami function, a = 7, b = 0.1, against closed values.  The error of the six at N = 4,096 is 4.0e-3 at most over
        32 shifts of the net, and the bound 1e-2; with eight replicates of 128 the standard errors must explain the errors
        (of 1,024 points of one net: 2.3e-2 at most)."""
        exact = {"first_order": (0.3139051911, 0.4424111448, 0), "total": (0.5575888552, 0.4424111448, 0.2436836641)}
        study = {"vary": {n: {"path": f"parameters.{n}", "from": "-pi", "to": "pi"} for n in UNIT}, "outputs": {
            "y": {"of": "sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"}}}
        for samples, replicates, bound in (4096, 1, 1e-2), (128, 8, 4e-2):
            self.sweep({**study, "design": {"kind": "sobol_indices", "samples": samples, "replicates": replicates, "seed": 3}}, "--new")
            found = self.summary()["outputs"]["y"]
            self.assertEqual(found["whole_rows"], samples * replicates)
            for word, values in exact.items():
                errors = [abs(a - b) for a, b in zip(found[word], values)]
                print(f"Ishigami, {replicates} x {samples}: {word} off by {max(errors):.2e} (bound {bound})")
                self.assertLess(max(errors), bound)
                if replicates > 1:  # five standard errors with seven degrees of freedom: one in a thousand
                    for error, deviation in zip(errors, found[word + "_error"]):
                        self.assertLess(error, 5.4 * deviation)
            variance = found["sd"] ** 2
            self.assertLess(abs(variance / 13.8445879407 - 1), 2e-2)

    def test_morris(self):
        """f = 3 x1 + 2 x2 + x1 x2 over all trajectories: mu 3.5 and 2.5, sigma sqrt(5/36).  Effects of x1 are 3 + x2 with x2 one of four
        levels; n trajectories give the means to sigma/sqrt(n), three times.  Of a linear function effects do not vary."""
        n = 300
        self.sweep({"vary": {k: UNIT[k] for k in ("x1", "x2")}, "design": {"kind": "morris", "samples": n, "seed": 2},
                    "outputs": {"y": {"of": "3*x1 + 2*x2 + x1*x2"}, "linear": {"of": "3*x1 - 2*x2"}}})
        found, sigma = self.summary()["outputs"], math.sqrt(5 / 36)
        y = found["y"]
        print(f"Morris: mu {y['mu']}, sigma {y['sigma']} of {sigma:.6f}")
        for have, want in zip(y["mu"] + y["mu_star"], (3.5, 2.5, 3.5, 2.5)):
            self.assertLess(abs(have - want), 3 * sigma / math.sqrt(n))
        for have in y["sigma"]:  # four levels, flat: the standard error of s is below sigma/sqrt(2 n)
            self.assertLess(abs(have - sigma), 3 * sigma / math.sqrt(2 * n))
        for have, want in zip(found["linear"]["mu"] + found["linear"]["mu_star"], (3, -2, 3, 2)):
            self.assertAlmostEqual(have, want, delta=1e-14)
        self.assertLess(max(found["linear"]["sigma"]), 1e-14)

    def test_statistics(self):
        """Of the values 0, 1, .., 20: type 7 quantiles, and the ranks of a curve that ascends."""
        vary = {"x1": {"path": "parameters.x1", "from": 0, "to": 20, "count": 21}}
        self.sweep({"vary": vary, "outputs": {"y": {"of": "x1"}, "z": {"of": "exp(x1)"}, "c": {"of": "5"}}})
        found = self.summary()["outputs"]
        self.assertEqual(found["y"]["quantiles"], [1, 5, 10, 15, 19])
        self.assertAlmostEqual(found["y"]["mean"], 10, 12)
        self.assertAlmostEqual(found["y"]["sd"], math.sqrt(38.5), 12)
        self.assertAlmostEqual(found["z"]["rank_correlation"][0], 1, 12)
        self.assertLess(found["z"]["correlation"][0], .8)
        self.assertIsNone(found["c"]["correlation"][0])


class Messages(Study):
    GOOD = {"vary": {"w": {"path": "parameters.w", "from": 1, "to": 4, "count": 3}}, "outputs": {"top": {"max": "ball.position.z"}}}

    def refuse(self, change, *words, code=3, raw=None):
        study = json.loads(json.dumps(self.GOOD))
        for path, value in change.items():
            holder = study
            *steps, last = path.split("/")
            for step in steps:
                holder = holder.setdefault(step, {})
            holder[last] = value
            if value is None:
                del holder[last]
        self.write(study, THROWN)
        if raw:
            (self.folder / "study.json").write_text(raw)
        done = self.run_study("--check")
        self.assertEqual(done.returncode, code, f"{change}: {done.stdout} {done.stderr}")
        for word in words:
            self.assertIn(word, done.stderr, str(change))
        return done.stderr

    def test_wrong_studies(self):
        self.refuse({}, "study.json:1:", raw='{"torsor_study": 1,, }')
        self.refuse({}, "this is a scene, not a study", raw='{"torsor": 1, "bodies": []}')
        self.refuse({"torsor_study": 2}, "torsor_study", "must be 1, but is 2")
        self.refuse({"outputz": {}}, 'unknown key "outputz"', 'did you mean "outputs"?')
        self.refuse({"scene": "nowhere.json"}, 'there is no scene "nowhere.json"', "beside the study")
        self.refuse({"vary": {}}, "must name values")
        self.refuse({"outputs": None}, "outputs")
        self.refuse({"vary/w/path": "parameters.ww"}, 'no parameter called "ww"', 'did you mean "parameters.w"', "study.json:5:")
        self.refuse({"vary/w/path": "bodies.bal.mass"}, 'did you mean "ball"', "study.json:5:")
        self.refuse({"vary/w/path": "parameters.w=3"}, "is no path")
        self.refuse({"vary/w/count": None}, "needs values for a grid")
        self.refuse({"vary/w/count": 0}, "vary.w.count")
        self.refuse({"vary/w/values": [1]}, "not several")
        self.refuse({"vary/w/from": None}, 'needs "from" and "to"')
        self.refuse({"vary/w/scale": "log", "vary/w/from": -1}, "above 0")
        self.refuse({"vary/t": {"path": "parameters.w", "values": [1]}}, "a meaning of its own")
        self.refuse({"vary/a b": {"path": "parameters.w", "values": [1]}}, "is no name")
        self.refuse({"vary/w/input": "push"}, 'either "path" or "input"')
        self.refuse({"vary/F": {"input": "pull", "values": [1]}}, 'no input called "pull"')
        self.refuse({"set": {"simulation.stepp": 1}}, "stepp", "study.json:18:")
        self.refuse({"set": {"simulation.duration": -1}}, "simulation.duration", "study.json:18:")

    def test_wrong_designs(self):
        self.refuse({"design/kind": "sobl"}, 'did you mean "sobol"')
        self.refuse({"design": {"kind": "sobol"}}, 'needs "samples"')
        self.refuse({"design": {"kind": "grid", "samples": 3}}, "design.samples")
        self.refuse({"design": {"kind": "list"}}, 'needs "points"')
        self.refuse({"design": {"kind": "list", "points": [[1, 2]]}}, "must be 1 numbers", "design.points[0]")
        self.refuse({"design": {"kind": "list", "points": "none.csv"}}, "none.csv", code=5)
        (self.folder / "bad.csv").write_text("w\n1\nx\n")
        self.refuse({"design": {"kind": "list", "points": "bad.csv"}}, "bad.csv:3:")
        (self.folder / "bad.csv").write_text("v\n1\n")
        self.refuse({"design": {"kind": "list", "points": "bad.csv"}}, 'no column "w"')
        self.refuse({"design": {"kind": "morris", "samples": 3, "levels": 5}}, "even number")
        self.refuse({"design": {"kind": "monte_carlo", "samples": 3, "replicates": 2}}, "shifts of Sobol'")
        self.refuse({"design": {"kind": "monte_carlo", "samples": 2000000}}, "more than 1000000 samples")
        law = {"vary/w/count": None, "vary/w/from": None, "vary/w/to": None, "design": {"kind": "monte_carlo", "samples": 3}}
        self.refuse(law, "needs a range or a distribution")
        self.refuse({**law, "vary/w/distribution": {"gauss": {}}}, 'unknown key "gauss"')
        self.refuse({**law, "vary/w/distribution": {"normal": {"mean": 1, "sd": -1}}}, "deviation must be above 0")
        self.refuse({**law, "vary/w/distribution": {"uniform": [2, 1]}}, "below the second")
        self.refuse({**law, "vary/w/distribution": {"uniform": [1, 2], "within": [3, 4]}}, "no value of the distribution")
        self.refuse({**law, "vary/w/distribution": {"discrete": {"values": [1, 2], "weights": [1]}}}, "2 numbers")
        self.refuse({"correlation": [["w", "v", .5]]}, 'no varied value called "v"')

    def test_wrong_outputs(self):
        self.refuse({"outputs/top": {"maxx": "t"}}, 'did you mean "max"')
        self.refuse({"outputs/top": {}}, "must say how")
        self.refuse({"outputs/top/min": "t"}, "one reduction")
        self.refuse({"outputs/top/at": 3}, '"at" does not go with "max"')
        self.refuse({"outputs/top": {"value": "t"}}, 'needs "at"')
        self.refuse({"outputs/top": {"settle": "t"}}, 'needs "within"')
        self.refuse({"outputs/top": {"max": "ball.positon.z"}}, "outputs.top.max", "study.json:14:")
        self.refuse({"outputs/top": {"max": "ball.position"}}, "3 numbers, not one", "ball.position.x")
        self.refuse({"outputs/top": {"max": "2*(ball.position.z"}}, "cannot be read", "study.json:14:")
        self.refuse({"outputs/top": {"max": "t", "from": "ww"}}, "outputs.top.from", 'did you mean "w"')
        self.refuse({"outputs/top": {"of": "late"}, "outputs/late": {"max": "t"}}, "outputs.top.of", "late")
        self.refuse({"outputs/top": {"summary": "cpu_seconds"}}, "does not depend on the machine")
        self.refuse({"outputs/top": {"fft_peak": "t", "band": [3, 2]}}, "ascend")
        self.refuse({"outputs/top": {"frequency": 1}}, 'does not go with the analysis "run"')
        self.refuse({"analysis": "modes"}, '"max" does not go with the analysis "modes"')
        self.refuse({"analysis": "statics", "outputs/top": {"time_of": "t"}}, 'does not go with the analysis "statics"')
        self.refuse({"analysis": "model"}, "analysis", "modes")
        self.refuse({"outputs/w": {"max": "t"}}, "that of a varied value")
        self.refuse({"limits": {"wall": 0}}, "limits.wall")
        self.refuse({"limits": {"time": 1}}, 'unknown key "time"')
        self.refuse({"plots": [{"x": "w", "y": ["topp"]}]}, 'did you mean "top"')
        self.refuse({"allow_failed": -1}, "allow_failed")

    def test_wrong_options(self):
        self.write(self.GOOD, THROWN)
        for words in (["--worker", "3/3"], ["--jobs", "0"], ["--samples", "x"], ["--retry", "all"]):
            self.assertEqual(self.run_study(*words).returncode, 2, words)

    def test_schema(self):
        """The schema says of studies what the command says of them."""
        try:
            import jsonschema
        except ImportError:
            self.skipTest("install Debian package python3-jsonschema")
        schema = json.loads(subprocess.run([TORSOR, "schema", "--study"], capture_output=True, check=True).stdout)
        self.assertEqual(schema, json.loads((DATA / "schema/torsor-study.json").read_text()))
        validator = jsonschema.Draft7Validator(schema)
        for file in sorted((DATA / "studies").glob("*.json")):
            validator.validate(json.loads(file.read_text()))
        good = {"torsor_study": 1, "scene": "scene.json", **self.GOOD}
        validator.validate(good)
        random_design = {"kind": "sobol", "samples": 3}
        wrong = [{"torsor_study": 2}, {"outputz": {}}, {"vary": {}}, {"outputs": {}}, {"design": {"kind": "sobl"}}, {"design": {"kind": "sobol"}},
                 {"design": {"kind": "list"}}, {"design": {**random_design, "points": [[1]]}}, {"allow_failed": -1}, {"limits": {"wall": 0}}, {"keep": "none"}, {"keep": [-1]}, {"keep": 2},
                 {"outputs": {"a b": {"max": "t"}}}, {"outputs": {"a": {"max": "t", "min": "t"}}}, {"outputs": {"a": {"value": "t"}}},
                 {"outputs": {"a": {"settle": "t"}}}, {"outputs": {"a": {"max": 3}}}, {"vary": {"w": {"values": [1]}}},
                 {"vary": {"w": {"path": "parameters.w", "values": []}}}, {"vary": {"w": {"path": "parameters.w", "values": [1], "count": 3}}},
                 {"vary": {"w": {"path": "parameters.w", "distribution": {"normal": {"mean": 1}}}}, "design": random_design},
                 {"vary": {"w": {"path": "parameters.w", "distribution": {"normal": {"mean": 1, "sd": 1}, "uniform": [1, 2]}}}, "design": random_design},
                 {"plots": [{"x": "w"}]}, {"design": {"kind": "morris", "samples": 2, "levels": 3}}, {"scene": ""},
                 {"analysis": "modal"}, {"fit": {"starts": 2}}, {"subject_to": ["w <= 1"]}, {"minimise": "top", "data": {"file": "a.csv", "signals": {"t": {}}}},
                 {"minimise": 3}, {"data": {"file": "a.csv", "signals": {}}}, {"minimise": "top", "fit": {"method": "newton"}}]
        for change in wrong:
            study = {**good, **change}
            self.assertTrue(list(validator.iter_errors(study)), change)
            self.write(study, THROWN)
            self.assertIn(self.run_study("--check").returncode, (3, 5), change)


if __name__ == "__main__":
    unittest.main(verbosity=2)
