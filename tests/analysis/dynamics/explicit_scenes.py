#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The explicit method on six models whose positions are known: orders, errors in proportion to what is asked for, energy, round-off in the
constraints, and what is reported of stiff models.

TORSOR is the path of the command, TORSOR_DATA that of data/.  speed/positions.json has positions at every tenth of a second from a converged
run of Radau IIA, with which two other programs agree to 1e-8."""

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
HERE = Path(__file__).resolve().parent / "speed"
POSITIONS = json.loads((HERE / "positions.json").read_text())
LINKS = [f"link{i}" for i in range(10)]

# Name: scene, bodies, the one whose positions are known.
MODELS = {"arm": (HERE / "arm.json", [f"b{i}" for i in range(6)], "b5"), "fourbar": (HERE / "four_bar.json", ["crank", "coupler", "rocker"], "rocker"),
          "dp": (DATA / "scenes/double_pendulum.json", ["rod_1", "rod_2"], "rod_2"), "top": (DATA / "scenes/heavy_top.json", ["top"], "top"),
          "top, SE(3)": (DATA / "scenes/heavy_top_se3.json", ["top"], "top"), "ball10": (DATA / "scenes/chain.json", LINKS, "link9"),
          "rev10": (DATA.parent / "bench/revolute_chain.json", LINKS, "link9")}
# Steps at which constant ones have errors of 1e-11 or less.
FINE = {"arm": 2e-3, "fourbar": 2e-3, "dp": 5e-3, "top": 1e-3, "top, SE(3)": 1e-3, "ball10": 2e-3, "rev10": 2e-3}


JUMP = {"torsor": 1, "bodies": [{"name": "b", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
        "joints": [{"name": "r", "type": "prismatic", "axis": [1, 0, 0], "a": "ground", "b": "b"},
                   {"name": "d", "type": "drive", "coordinate": "r.travel", "motion": "w"}],
        "functions": {"w": {"table": [[0, 0], [0.1, 0], [0.2, 0.01], [0.3, 0.03], [0.4, 0.06]], "interpolation": "cubic"}}}


class Result:
    def __init__(self, scene, simulation, output):
        with tempfile.TemporaryDirectory() as folder:
            changes = ["--set", "simulation=" + json.dumps(simulation), "--set", "output=" + json.dumps(output)]
            done = subprocess.run([TORSOR, "run", scene, "-o", folder, "-q", *changes], capture_output=True, text=True, timeout=240)
            self.code, self.said = done.returncode, done.stderr
            self.rows = list(csv.DictReader((Path(folder) / "trajectory.csv").read_text().splitlines()))
            self.summary = json.loads((Path(folder) / "summary.json").read_text())

    def vector(self, row, name, axes):
        return [float(self.rows[row][f"{name}.{axis}"]) for axis in axes]


def run(model, interpolate=False, **simulation):
    scene, bodies, _ = MODELS[model]
    signals = [f"{body}.{what}" for body in bodies for what in ("position", "quaternion")] + ["energy"]
    got = Result(scene, {"method": "explicit", "duration": 1, **simulation}, {"step": 0.1, "interpolate": interpolate, "signals": signals})
    if got.code:
        raise AssertionError(got.said)
    return got


def apart(model, a, b):
    """Largest distances of positions and of turns."""
    place = turn = 0
    for row in range(len(a.rows)):
        for body in MODELS[model][1]:
            place = max(place, math.dist(a.vector(row, f"{body}.position", "xyz"), b.vector(row, f"{body}.position", "xyz")))
            p, q = a.vector(row, f"{body}.quaternion", "wxyz"), b.vector(row, f"{body}.quaternion", "wxyz")
            turn = max(turn, 2 * min(math.dist(p, q), math.dist(p, [-x for x in q])))
    return place, turn


class ExplicitScenes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fine = {model: run(model, step=step) for model, step in FINE.items()}

    def test_positions(self):
        for model, (_, _, body) in MODELS.items():
            known = POSITIONS["top" if model.startswith("top") else model]["position"]
            got = self.fine[model]
            off = max(math.dist(got.vector(row, f"{body}.position", "xyz"), place) for row, place in enumerate(known))
            print(f"  {model}: positions off by {off:.1e} m, Phi {got.summary['max_phi']:.1e}, its rate {got.summary['max_phi_velocity']:.1e}")
            # what the reference is good to
            self.assertLessEqual(off, 1e-9, model)
            self.assertLessEqual(got.summary["max_phi"], 1e-12, model)
            self.assertLessEqual(got.summary["max_phi_velocity"], 1e-12, model)

    def test_orders(self):
        for model, order, step, off in (("dp", 8, 0.05, 4), ("dp", 5, 0.0125, 1), ("fourbar", 8, 0.0125, 4), ("fourbar", 5, 2.5e-3, 1)):
            errors = [apart(model, run(model, step=h, order=order), self.fine[model])[1] for h in (step, step / 2)]
            found = math.log2(errors[0] / errors[1])
            print(f"  {model}, order {order}: {errors[1]:.1e}, order {found:.2f}")
            # loops and pendulums that turn over have larger terms after the first at these steps
            self.assertGreaterEqual(found, order - 0.3, model)
            self.assertLessEqual(found, order + off, model)

    def test_accuracy(self):
        """Errors are 0.01 to 10 times what is asked for, between the ends of steps, too."""
        for model in MODELS:
            parts = []
            for k in range(3, 9):
                accuracy = 10.0 ** -k
                got = run(model, True, step=1, max_halvings=20, accuracy={"position": accuracy, "rotation": accuracy})
                parts.append(max(apart(model, got, self.fine[model])) / accuracy)
                self.assertEqual(got.summary["warnings"], [])
                self.assertLessEqual(got.summary["rejected_steps"], got.summary["steps"] / 2)
            print(f"  {model}: errors from 1e-3 to 1e-8 are", " ".join(f"{part:.2g}" for part in parts), "of that")
            self.assertLessEqual(max(parts), 10, model)
            self.assertGreaterEqual(min(parts), 0.01, model)

    def test_energy(self):
        got = run("arm", step=0.1, accuracy={"position": 1e-6, "rotation": 1e-6})
        print(f"  arm at 1e-6: energy off by {got.summary['energy']['max_drift']:.1e} J, Phi {got.summary['max_phi']:.1e}")
        self.assertLessEqual(got.summary["energy"]["max_drift"], 1e-6)
        self.assertLessEqual(got.summary["max_phi"], 1e-12)

    def test_work(self):
        """The work of dampers is followed as accurately as the motion."""
        got = Result(DATA / "scenes/double_wishbone.json", {"method": "explicit", "duration": 1, "step": 0.1,
                                                            "accuracy": {"position": 1e-6, "rotation": 1e-6}},
                     {"step": 0.1, "interpolate": True, "signals": ["energy.dissipated", "energy.balance"]})
        off, lost = got.summary["energy"]["max_balance"], got.summary["energy"]["dissipated"]
        print(f"  wishbone at 1e-6: {lost:.9f} J dissipated, balance off by {off:.1e} J")
        self.assertLessEqual(off, 1e-6 * lost)

    def test_after_a_jump(self):
        """A table that ends with a slope: the motion begins anew, steps grow again and meet the multiples of `step`."""
        for method in ("explicit", "radau"):
            with tempfile.TemporaryDirectory() as folder:
                scene = Path(folder) / "scene.json"
                scene.write_text(json.dumps(JUMP))
                got = Result(scene, {"method": method, "step": 1e-3, "duration": 0.8, "accuracy": {"position": 1e-6, "rotation": 1e-6}},
                             {"every": 1, "signals": ["r.travel"]})
            self.assertEqual(got.code, 0, got.said)
            self.assertEqual(len(got.rows), 801)
            print(f"  {method}: {got.summary['steps']} steps for 800 rows")
            # the way back from the smallest size, by 1.1 to 2 at a time, and 2 for each row
            self.assertLessEqual(got.summary["steps"], 2 * 800)

    def test_stiff(self):
        """A beam is reported as stiff, by name and with advice."""
        got = Result(DATA / "scenes/composite_cantilever_step.json",
                     {"method": "explicit", "duration": 0.02, "step": 0.02, "accuracy": {"position": 1e-4, "rotation": 1e-4}}, {"step": 0.02})
        print(" ", got.summary["warnings"])
        self.assertTrue(any("stiff for an explicit method, by beam_node \"beam[" in words and "radau" in words for words in got.summary["warnings"]))


if __name__ == "__main__":
    unittest.main()
