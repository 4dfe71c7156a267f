#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The method "auto": explicit steps where nothing is stiff, those of `explicit`; implicit ones where something is, from the start or
from the middle of a run, and back; what is reported of that; accuracy; work beside that of both methods; wrong use.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
HERE = Path(__file__).resolve().parent
GRIP = json.loads((HERE / "auto" / "grip.json").read_text())
ACCURACY = {"position": 1e-5, "rotation": 1e-5}

# Mechanisms without anything stiff: scene, signals.
CALM = {"arm": (HERE / "speed/arm.json", [f"b{i}.position" for i in range(6)]), "four-bar": (HERE / "speed/four_bar.json", ["rocker.position"]),
        "double pendulum": (DATA / "scenes/double_pendulum.json", ["rod_2.position"]), "top": (DATA / "scenes/heavy_top.json", ["top.position"]),
        "ball chain": (DATA / "scenes/chain.json", ["link9.position"]), "hinge chain": (DATA.parent / "bench/revolute_chain.json", ["link9.position"])}


class Run:
    def __init__(self, scene, simulation=None, output=None):
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(scene, dict):
                (Path(folder) / "scene.json").write_text(json.dumps(scene))
                scene = Path(folder) / "scene.json"
            changes = []
            if simulation is not None:
                changes += ["--set", "simulation=" + json.dumps(simulation)]
            if output is not None:
                changes += ["--set", "output=" + json.dumps(output)]
            done = subprocess.run([TORSOR, "run", scene, "-o", Path(folder) / "out", "-q", *changes], capture_output=True, text=True, timeout=240)
            self.code, self.said = done.returncode, done.stderr
            self.text, self.summary = "", {}
            if (Path(folder) / "out" / "summary.json").exists():
                self.text = (Path(folder) / "out" / "trajectory.csv").read_text()
                self.summary = json.loads((Path(folder) / "out" / "summary.json").read_text())
        self.rows = list(csv.DictReader(self.text.splitlines()))

    def notes(self, words):
        return [w for w in self.summary["warnings"] if words in w]

    def work(self):
        """Evaluations, of which a factorisation with its matrix costs several."""
        return self.summary["residual_evaluations"] + 5 * self.summary["factorizations"]


def apart(a, b, name):
    return max(math.dist([float(x[f"{name}.{i}"]) for i in "xyz"], [float(y[f"{name}.{i}"]) for i in "xyz"])
               for x, y in zip(a.rows, b.rows, strict=True))


def with_method(scene, method, **more):
    return {**scene, "simulation": {**scene["simulation"], "method": method, **more}}


class AutoScenes(unittest.TestCase):
    def test_nothing_stiff(self):
        """All steps are those of the explicit method."""
        for name, (scene, signals) in CALM.items():
            for digits in (3, 5, 7):
                simulation = {"duration": 1, "step": 1, "max_halvings": 20, "accuracy": {"position": 10.0**-digits, "rotation": 10.0**-digits}}
                output = {"step": 0.1, "interpolate": True, "signals": signals}
                a, b = (Run(scene, {"method": m, **simulation}, output) for m in ("auto", "explicit"))
                self.assertEqual((a.code, b.code), (0, 0), a.said + b.said)
                with self.subTest(name, digits=digits):
                    print(f"  {name} at 1e-{digits}: {a.summary['steps']} steps, {a.summary['implicit_steps']} implicit")
                    self.assertEqual(a.summary["method_changes"], 0)
                    self.assertEqual(a.summary["warnings"], [])
                    self.assertEqual(a.summary["steps"], b.summary["steps"])
                    # another order of elimination, for the matrices of implicit steps: rounding, which these motions multiply by up to 1e3
                    self.assertLessEqual(max(apart(a, b, signal) for signal in signals), 1e-12)
                    # the trial at the start: 12 stages, the end and its projection
                    self.assertLessEqual(a.summary["factorizations"], b.summary["factorizations"] + 16)

    def test_becomes_stiff_and_back(self):
        """Events set a stiff damper in and take it away: both changes are reported, once each, with the body, and rows lie between the ends of
        steps across both."""
        fine = Run(with_method(GRIP, "radau", accuracy={"position": 1e-10, "rotation": 1e-10}))
        got = {method: Run(with_method(GRIP, method)) for method in ("auto", "radau")}
        auto = got["auto"]
        self.assertEqual(auto.code, 0, auto.said)
        first = auto.notes("note: the method changed from explicit to implicit steps at t = 0.4")
        back = auto.notes("note: the method changed back to explicit steps at t = 0.8")
        self.assertEqual((len(first), len(back), len(auto.summary["warnings"])), (1, 1, 2), auto.summary["warnings"])
        self.assertIn('rigid_body "three"', first[0])
        self.assertEqual(auto.summary["method_changes"], 2)
        self.assertTrue(0 < auto.summary["implicit_steps"] < auto.summary["steps"])
        off = max(apart(auto, fine, f"{body}.position") for body in ("one", "three"))
        works = {method: run.work() for method, run in got.items()}
        print(f"  a grip that comes and goes: off by {off:.1e} m, {auto.summary['steps']} steps, {auto.summary['implicit_steps']} implicit; work {works}")
        # 1e-6 m a second for 1.2 s, which the motion multiplies by less than ten
        self.assertLessEqual(off, 1e-5)
        # Explicit steps through the grip are some 48,000
        self.assertLessEqual(auto.summary["steps"], 1000)

    def test_contact(self):
        """A stiff contact that a body falls into and stays in, without an event."""
        scene = {"torsor": 1, "gravity": [0, 0, -9.81],
                 "bodies": [{"name": "ball", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0.6]},
                            {"name": "arm", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0.5, 0, 0]}],
                 "joints": [{"name": "pin", "type": "revolute", "axis": [0, 1, 0], "a": "ground", "b": {"body": "arm", "position": [-0.5, 0, 0]}}],
                 "forces": [{"name": "floor", "type": "contact", "a": {"body": "ground", "position": [0, 0, 0.5]}, "b": "ball", "radius": 0.05,
                             "stiffness": 1e8, "exponent": 1, "dissipation": 100}],
                 "simulation": {"method": "auto", "step": 0.1, "duration": 1, "max_halvings": 30, "accuracy": {"position": 1e-5, "rotation": 1e-5}},
                 "output": {"step": 0.02, "interpolate": True, "signals": ["ball.position", "arm.position"]}}
        auto, fine = Run(scene), Run(with_method(scene, "radau", accuracy={"position": 1e-9, "rotation": 1e-9}))
        steps = {method: Run(with_method(scene, method)).summary["steps"] for method in ("explicit", "radau")}
        self.assertEqual((auto.code, fine.code), (0, 0), auto.said + fine.said)
        off = max(apart(auto, fine, f"{body}.position") for body in ("ball", "arm"))
        changes = auto.notes("the method changed from explicit to implicit steps")
        print(f"  a ball on a stiff floor: off by {off:.1e} m, {auto.summary['steps']} steps, {auto.summary['implicit_steps']} implicit, alone {steps}; {changes}")
        # explicit steps are many in the contact, implicit ones before it
        self.assertLessEqual(auto.summary["steps"], max(steps.values()))
        self.assertEqual(len(changes), 1)
        self.assertIn('"ball"', changes[0])
        self.assertLessEqual(off, 1e-4)

    def test_stiff_from_the_start(self):
        """Beams: implicit steps from the first one, of which `torsor check` tells, at no more than a fifth above the work of `radau`."""
        scene = DATA / "scenes/composite_cantilever_step.json"
        simulation = {"duration": 0.1, "step": 0.1, "max_halvings": 20, "accuracy": {"position": 1e-4, "rotation": 1e-4}}
        auto, radau = (Run(scene, {"method": m, **simulation}, {"step": 0.1}) for m in ("auto", "radau"))
        self.assertEqual((auto.code, radau.code), (0, 0), auto.said + radau.said)
        print(f"  a beam: {auto.summary['implicit_steps']} of {auto.summary['steps']} steps implicit, work {auto.work()}, of radau {radau.work()}")
        self.assertEqual(len(auto.notes('implicit steps at t = 0 s, as explicit ones would be kept small by beam_node "beam[')), 1)
        self.assertLessEqual(auto.work(), 1.2 * radau.work())
        done = subprocess.run([TORSOR, "check", scene, "--set", "simulation=" + json.dumps({"method": "auto", **simulation})], capture_output=True, text=True)
        self.assertIn('auto, as the scene says; it begins with implicit steps, as explicit ones would be kept small by beam_node "beam[', done.stdout)
        done = subprocess.run([TORSOR, "check", CALM["arm"][0], "--set", "simulation=" + json.dumps({"method": "auto", **simulation})],
                              capture_output=True, text=True)
        self.assertIn("auto, as the scene says; it begins with explicit steps, as nothing is stiff then", done.stdout)

    def test_rows(self):
        """Where all steps end at rows, those of the cheaper method are taken."""
        scene = HERE.parents[1] / "whole/hazards/table_quarter_car.json"
        simulation = {"duration": 1, "step": 2e-3, "accuracy": ACCURACY}
        got = {m: Run(scene, {"method": m, **simulation}, {"every": 1}) for m in ("auto", "radau", "explicit")}
        works = {m: run.work() for m, run in got.items()}
        print(f"  a row at each step: work {works}, {got['auto'].summary['implicit_steps']} of {got['auto'].summary['steps']} steps implicit")
        self.assertLessEqual(works["auto"], 1.3 * min(works.values()))
        self.assertEqual(len(got["auto"].notes("implicit steps, which are the cheaper ones where all end at rows")), 1)

    def test_no_step(self):
        """A scene that names neither step nor accuracy: trial runs choose the accuracy."""
        scene, signals = CALM["double pendulum"]
        fine = Run(scene, {"method": "explicit", "duration": 1, "step": 5e-3}, {"step": 0.1, "signals": signals})
        auto = Run(scene, {"method": "auto", "duration": 1}, {"step": 0.1, "signals": signals})
        self.assertEqual(auto.code, 0, auto.said)
        off = apart(auto, fine, signals[0])
        print(f"  a double pendulum without a step: off by {off:.1e} m, {auto.summary['steps']} steps, accuracy {auto.summary['settings']['accuracy']}")
        self.assertEqual(auto.summary["method"], "auto")
        self.assertGreater(auto.summary["settings"]["accuracy"]["position"], 0)
        # 3e-3 of a way of at most 4 m
        self.assertLessEqual(off, 3e-3 * 4)
        done = subprocess.run([TORSOR, "check", scene, "--set", 'simulation={"method": "auto", "duration": 1}', "--set",
                               'output={"step": 0.1}'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_use(self):
        cases = [({"step": 0.01}, 'the method "auto" chooses between methods by their errors, and no accuracy is given', 'or leave out "step", too'),
                 ({"step": 0.01, "accuracy": ACCURACY, "rho_inf": 0.8}, 'the method "auto" does not know "rho_inf"', "leave it out"),
                 ({"step": 0.01, "accuracy": ACCURACY, "order": 5}, 'the method "auto" does not know "order"', "choose another method"),
                 ({"step": 0.01, "accuracy": ACCURACY, "rtol": 1e-6}, 'the method "auto" does not know "rtol"', "choose another method"),
                 ({"step": 0.01, "accuracy": ACCURACY, "formulation": "ggl"}, 'the method "auto" does not know "formulation"', "choose another")]
        for more, message, hint in cases:
            for verb in ("run", "check"):
                with tempfile.TemporaryDirectory() as folder:
                    options = ["-o", folder, "-q"] if verb == "run" else []
                    done = subprocess.run([TORSOR, verb, CALM["top"][0], *options, "--set",
                                           "simulation=" + json.dumps({"method": "auto", "duration": 0.1, **more})], capture_output=True, text=True)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertIn(hint, done.stderr)


if __name__ == "__main__":
    unittest.main()
