#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Periodic motions and their multipliers against answers that were found without the engine, and what is said of wrong use.

TORSOR is the path of the command, TORSOR_DATA that of data/.  periodic_references.json has the answers."""

import copy
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
SCENES = Path(os.environ["TORSOR_DATA"]).resolve() / "scenes"
REFERENCES = json.loads((Path(__file__).resolve().parent / "periodic_references.json").read_text())


class Periodic:
    """The files that the verb makes of one scene."""

    def __init__(self, what, *options):
        with tempfile.TemporaryDirectory(prefix="periodic") as text:
            folder = Path(text)
            (folder / "scene.json").write_text(json.dumps(what, indent=1))
            done = subprocess.run([TORSOR, "periodic", folder / "scene.json", "-o", folder / "out", *options], capture_output=True, text=True, timeout=250)
            self.code, self.said, self.answer = done.returncode, done.stderr, done.stdout
            self.files = {file.name: file.read_text() for file in (folder / "out").glob("*")} if (folder / "out").exists() else {}
        self.summary = json.loads(self.files.get("summary.json", "{}"))
        self.multipliers = [complex(*m) for m in self.summary.get("multipliers", [])]
        self.rows = list(csv.DictReader(self.files.get("trajectory.csv", "").splitlines()))

    def start(self, signal):
        return float(self.rows[0][signal])


def number(value):
    return complex(*value) if isinstance(value, list) else complex(value)


def asked(what, period, parameters=None, **more):
    what = copy.deepcopy(what)
    what["parameters"].update(parameters or {})
    what["periodic"] = {"period": period, **more}
    return what


class PeriodicMotions(unittest.TestCase):
    def good(self, what, *options):
        found = Periodic(what, *options)
        self.assertEqual(found.code, 0, found.said)
        return found

    def same_multipliers(self, what, found, expected, tolerance):
        """Each of those expected is among those found, but for the tolerance."""
        left, worst = list(found), 0
        self.assertEqual(len(found), len(expected))
        for value in map(number, expected):
            nearest = min(left, key=lambda x: abs(x - value))
            left.remove(nearest)
            worst = max(worst, abs(nearest - value))
        print(f"  {what}: multipliers off by {worst:.1e}")
        self.assertLess(worst, tolerance, what)

    # Radau IIA is of order 5.  With 200 steps in a period of these oscillators a step is 0.03 radians of it; motions that change five times as fast
    # within it have errors of (0.15)^6/7200 in each step, 3e-7 in all.  The derivative of the end by the
    # beginning is found by differences with round-off of 1e-10.

    def test_van_der_pol(self):
        """A limit cycle whose period is unknown: period, amplitude, and one multiplier beside that of time."""
        for mu, answer in ((key, REFERENCES["van_der_pol"]["answers"][key]) for key in ("0.2", "1.0")):
            what = asked(REFERENCES["van_der_pol"]["scene"], 6.5, {"mu": float(mu), "x0": 1.8}, period_unknown=True)
            what["simulation"] = {"step": 0.01, "duration": 1}
            found = self.good(what)
            amplitude = max(float(row["s.x"]) for row in found.rows)
            print(f"  mu = {mu}: period off by {found.summary['period'] - answer['period']:.1e}, {found.summary['iterations']} iterations")
            self.assertLess(abs(found.summary["period"] - answer["period"]), 3e-7)
            # rows are 200 in a period: the highest of them is at most (pi/200)^2/2 below the maximum
            self.assertTrue(answer["amplitude"] * (1 - 1.3e-4) < amplitude < answer["amplitude"] * (1 + 1e-7))
            self.same_multipliers(f"mu = {mu}", found.multipliers, [1, answer["multiplier"]], 1e-6)
            self.assertEqual(found.summary["kind"], "stable")

    def test_duffing(self):
        """Three motions of a driven oscillator at one frequency, two of them stable; the third is found from nearby."""
        scene = REFERENCES["duffing"]["scene"]
        for point in REFERENCES["duffing"]["points"]:
            for solution in point["solutions"]:
                near = {"w": point["w"], "x0": round(solution["x(0)"], 1), "v0": round(solution["x'(0)"], 1)}
                found = self.good(asked(scene, "2*pi/w", near))
                self.assertLess(abs(found.start("s.x") - solution["x(0)"]), 3e-7)
                self.assertLess(abs(found.start("s.x_speed") - solution["x'(0)"]), 3e-7)
                self.same_multipliers(f"w = {point['w']}", found.multipliers, solution["multipliers"], 1e-6)
                self.assertEqual(found.summary["kind"] == "stable", solution["stable"])
                if not solution["stable"]:
                    self.assertEqual(found.summary["kind"], "fold")
                    self.assertIn("UNSTABLE", found.answer)

    def test_driven_pendulum(self):
        """A pendulum that is driven far, on both groups: from the state to six digits, near to the doubling of its period."""
        for group in "R3xSO3", "SE3":
            for orbit in REFERENCES["pendulum"]["orbits"][1::2]:
                what = asked(REFERENCES["pendulum"]["scene"], "3*pi", {"F": orbit["F"], "a": round(orbit["angle"], 3), "b": round(orbit["rate"], 3)},
                             steps=300)
                what["group"] = group
                found = self.good(what)
                self.assertLess(abs(found.start("hinge.angle") - orbit["angle"]), 1e-6)
                self.assertLess(abs(found.start("hinge.rate") - orbit["rate"]), 1e-6)
                self.same_multipliers(f"F = {orbit['F']}, {group}", found.multipliers, orbit["multipliers"], 1e-5)

    def test_kapitza(self):
        """A pendulum upright on a shaken pivot, a state that is at rest in the moving frame: two multipliers on the unit circle, or a real one
        outside below the least amplitude.  The step is 0.03 of a period of the drive."""
        what = json.loads((SCENES / "kapitza_pendulum.json").read_text())
        found = self.good(asked(what, "2*pi/w", {"lean": 0.01}, steps=100))
        self.same_multipliers("kapitza", found.multipliers, REFERENCES["kapitza"]["multipliers at A = 0.02"], 1e-7)
        self.assertEqual(found.summary["kind"], "neutral")
        below = self.good(asked(what, "2*pi/w", {"lean": 0.001, "A": 0.009}, steps=100))
        self.assertEqual(below.summary["kind"], "fold")

    def test_three_bladed_rotor(self):
        """Blades on an unequal support, which have no steady motion: ground resonance between 17 and 24 rad/s.  The fastest motion beside
        the turn makes less than one turn of its own in it: 150 steps are of 0.04 radians each."""
        for speed in REFERENCES["three_bladed"]["speeds"][2:3]:
            what = asked(REFERENCES["three_bladed"]["scene"], "2*pi/W", {"W": speed["speed"]}, steps=150)
            found = self.good(what)
            self.same_multipliers(f"{speed['speed']} rad/s", found.multipliers, speed["multipliers"], 2e-7)
            outside = max(abs(number(m)) for m in speed["multipliers"]) > 1
            self.assertEqual(found.summary["kind"], "quasi-periodic" if outside else "stable")

    def test_unequal_shaft(self):
        """A shaft with unequal stiffnesses over a whole turn: the squares of the multipliers over half a turn."""
        for speed in REFERENCES["unequal_shaft"]["speeds"][1:2]:
            for ky, key in zip(REFERENCES["unequal_shaft"]["outer"], ("multipliers", "unequal")):
                what = asked(REFERENCES["unequal_shaft"]["scene"], "2*pi/W", {"W": speed["speed"], "ky": ky}, steps=150)
                found = self.good(what)
                expected = [number(m)**2 for m in speed[key]]
                self.same_multipliers(f"{speed['speed']} rad/s, {key}", found.multipliers, expected, 1e-6)

    # ---- branches ----------------------------------------------------------------------------------

    def branch(self, what, follow):
        found = self.good(what, "--follow", follow)
        rows = list(csv.DictReader(found.files["branch.csv"].splitlines()))
        self.assertEqual((found.summary["points"], found.summary["complete"]), (len(rows), True))
        return found, rows

    def crossing(self, rows, path, at):
        """The parameter where a real multiplier passes `at`: a parabola through three points."""
        found = [(float(row[path]), min((float(row[f"multiplier[{i}].re"]) for i in (1, 2)), key=lambda m: abs(m - at)) - at) for row in rows]
        k = next(k for k in range(1, len(found)) if (found[k][1] > 0) != (found[k - 1][1] > 0))
        points = found[max(k - 2, 0):][:3]
        return sum(p * math.prod(-f / (e - f) for q, f in points if q != p) for p, e in points)

    def test_resonance_curve(self):
        """The branch of the driven oscillator over its frequency, through both folds, from either end: folds against harmonic balance.  Radau's
        order 5 leaves 1e-9 with 200 steps in a period, hence 3e-8 with 100; a fold is where the slope is below 1e-6, which moves it by 1e-12."""
        scene, folds = REFERENCES["duffing"]["scene"], REFERENCES["duffing"]["folds"]
        for follow, near, expected in (("0.8:2.2:0.5", {"w": 0.8, "x0": 0.857, "v0": 0.105}, folds), ("2.2:0.8:0.5", {"w": 2.2, "x0": -0.12, "v0": 0}, folds[::-1])):
            found, rows = self.branch(asked(scene, "2*pi/w", near, steps=100), f"parameters.w={follow}")
            self.assertEqual(len(found.summary["folds"]), 2)
            worst = max(abs(w - e) for w, e in zip(found.summary["folds"], expected))
            print(f"  folds, {follow}: {worst:.1e}, {len(rows)} points")
            self.assertLess(worst, 6e-8)
            self.assertEqual([row["parameters.w"] for row in rows if row["fold"] == "1"], [f"{w:.17g}" for w in found.summary["folds"]])
            at = [k for k, row in enumerate(rows) if row["fold"] == "1"]
            for k in at:  # a multiplier is 1 there, to the slope that is left
                self.assertLess(abs(complex(float(rows[k]["multiplier[1].re"]), float(rows[k]["multiplier[1].im"])) - 1), 1e-5)
            self.assertEqual({row["stability"] for row in rows[at[0] + 1:at[1]]}, {"fold"})
            self.assertEqual({row["stability"] for row in rows[:at[0]] + rows[at[1] + 1:]}, {"stable"})
            # w = 1.5 is passed three times
            passed = sum((float(a["parameters.w"]) > 1.5) != (float(b["parameters.w"]) > 1.5) for a, b in zip(rows, rows[1:]))
            self.assertEqual(passed, 3)
            # the peak of the resonance is the first fold: extremes are those of the rows of a period
            self.assertLess(max(float(row["s.x.max"]) for row in rows) - max(float(rows[k]["s.x.max"]) for k in at), 0.02)

    def test_branch_of_pendulum(self):
        """A large motion on both groups: the branch of symmetric motions goes on where the symmetry breaks, without a fold; on the other one the period
        doubles.  A parabola through points that are 0.005 apart is off by 0.005^3 of what curves the multiplier, which is of the size of 1/0.05^2."""
        scene = REFERENCES["pendulum"]["scene"]
        orbits = {orbit["F"]: orbit for orbit in REFERENCES["pendulum"]["orbits"]}
        for group, F, to, at, key, kind in (("R3xSO3", 1.0, 1.01, 1, "symmetry breaks at", "fold"), ("SE3", 1.06, 1.07, -1, "period doubles at", "flip")):
            what = asked(scene, "3*pi", {"F": F, "a": orbits[F]["angle"], "b": orbits[F]["rate"]}, steps=200)
            what["group"] = group
            found, rows = self.branch(what, f"parameters.F={F}:{to}:0.4")
            self.assertEqual(found.summary["folds"], [])
            self.assertEqual((rows[0]["stability"], rows[-1]["stability"]), ("stable", kind))
            value = self.crossing(rows, "parameters.F", at)
            print(f"  {key}, {group}: {value:.8f} of {REFERENCES['pendulum'][key]:.8f}, {len(rows)} points")
            self.assertLess(abs(value - REFERENCES["pendulum"][key]), 5e-5)

    def test_branch_messages(self):
        scene = asked(REFERENCES["duffing"]["scene"], "2*pi/w", {"w": 0.8, "x0": 0.857, "v0": 0.105}, steps=20)

        def refuse(follow, code, *words, what=scene):
            found = Periodic(what, "--follow", follow)
            self.assertEqual(found.code, code, found.said)
            for word in words:
                self.assertIn(word, found.said)
        for bad in "parameters.w", "parameters.w=1", "parameters.w=1:1", "=1:2", "parameters.w=1:2:0", "parameters.w=1:2:x":
            refuse(bad, 2, f"--follow: \"{bad}\" is no range", "for instance")
        refuse("bodies.mas.mass=0.8:1", 2, "mas", 'did you mean "mass"')
        refuse("parameters.w=0.8:2", 2, "unknown cannot be followed yet", what=asked(REFERENCES["duffing"]["scene"], "2*pi/w", period_unknown=True))
        refuse("parameters.w=0.8:2", 3, "names no period", what=REFERENCES["duffing"]["scene"])
        # a frequency of 0 is passed on the way: what was found before is written
        lost = Periodic(scene, "--follow", "parameters.w=0.8:-1:0.5")
        self.assertNotEqual(lost.code, 0)
        self.assertFalse(lost.summary["complete"])
        self.assertGreater(len(lost.files["branch.csv"].splitlines()), 2)

    # ---- wrong use ---------------------------------------------------------------------------------

    def refused(self, what, code, *words):
        found = Periodic(what)
        self.assertEqual(found.code, code, found.said)
        for word in words:
            self.assertIn(word, found.said)

    def test_messages(self):
        scene = REFERENCES["duffing"]["scene"]
        self.refused(scene, 3, "names no period", "period_unknown")
        self.refused(asked(scene, -1), 3, "periodic.period", "greater than 0")
        self.refused(asked(scene, 1, setle=3), 3, "unknown key", "settle")
        nothing = asked(scene, 1)
        del nothing["periodic"]["period"]
        self.refused(nothing, 3, "is missing: the period")
        # a motion may return after half of the drive's period, but not again
        self.refused(asked(scene, "pi/w", {"w": 0.8, "x0": 0.85, "v0": 0.1}), 2, "but not again", "another period")
        stopping = asked(scene, "2*pi/w")
        stopping["events"] = [{"name": "up", "when": "s.x - 0.01", "action": "stop"}]
        self.refused(stopping, 2, "an event stops the motion", "logged only")
        # a body that drifts never returns, and its neighbours drift alike
        drifting = {"torsor": 1, "parameters": {}, "bodies": [{"name": "m", "type": "point_mass", "mass": 1, "velocity": [1, 0, 0]}]}
        self.refused(asked(drifting, 1), 4, "cannot go on", "period_unknown")

    def test_settling(self):
        """From far away the motion is followed for some periods first."""
        scene = REFERENCES["duffing"]["scene"]
        answer = REFERENCES["duffing"]["points"][0]["solutions"][0]
        found = self.good(asked(scene, "2*pi/w", {"w": 0.8, "x0": 3, "v0": -2}, settle=20))
        self.assertLess(abs(found.start("s.x") - answer["x(0)"]), 3e-7)


if __name__ == "__main__":
    unittest.main(verbosity=1)
