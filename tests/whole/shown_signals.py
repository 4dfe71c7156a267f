#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that are expressions in others, and units in which results show them.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import json
import math
import subprocess
import unittest

from case_kit import TORSOR, Result
from words import EPS, WordsTest

SIGNALS = {"power": {"value": "motor.effort*hinge.rate", "unit": "W"},
           "load": {"value": "norm(hinge.force.x, hinge.force.y, hinge.force.z)", "unit": "N"},
           "a_ratio": "signals.load/(m*9.81)", "clock": "2*t + n", "done": {"value": "motor.work + 2*impulse.z", "unit": "J"}, "two": 2, "comment": "free"}


def swing(signals=SIGNALS, chosen=("signals", "motor.effort", "hinge", "hinge.force", "motor.work", "impulse.z", "rod.position", "energy", "hinge.moment"), group="R3xSO3", duration=1, **more):
    """A rod on a hinge that a motor drives."""
    output = {"step": 0.1, "signals": list(chosen), **more.pop("output", {})}
    return {"torsor": 1, "gravity": [0, 0, -9.81], "group": group, "parameters": {"m": 2}, "inputs": {"n": 3},
            "functions": {"norm": {"arguments": ["x", "y", "z"], "value": "sqrt(x^2 + y^2 + z^2)"}},
            "bodies": [{"name": "rod", "type": "rigid_body", "mass": "m", "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0]}],
            "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "ground", "b": {"body": "rod", "position": [-1, 0, 0]}}],
            "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "hinge.angle", "effort": "sin(3*t)"}],
            "signals": signals, "simulation": {"step": 0.01, "duration": duration}, "output": output, **more}


class Derived(WordsTest):
    def test_values(self):
        """They are what they are made of: rounding of the same operations, on both groups and for all kinds of methods; work and impulses
        that they alone ask for are summed up."""
        for group in ["R3xSO3", "SE3"]:
            for method in ["generalized_alpha", "radau", "explicit"]:
                scene = swing(group=group)
                scene["simulation"]["method"] = method
                got = Result(scene)
                self.assertEqual(got.code, 0, got.said)
                alone = Result(dict(scene, output={"step": 0.1, "signals": ["signals"]}))
                for i, t in enumerate(got["t"]):
                    force = math.hypot(*(got[f"hinge.force.{a}"][i] for a in "xyz"))
                    for name, want in [("power", got["motor.effort"][i] * got["hinge.rate"][i]), ("load", force), ("a_ratio", force / (2 * 9.81)), ("clock", 2 * t + 3),
                                       ("done", got["motor.work"][i] + 2 * got["impulse.z"][i]), ("two", 2)]:
                        self.assertLessEqual(abs(got[f"signals.{name}"][i] - want), 8 * EPS * (1 + abs(want)), name)
                        self.assertEqual(got[f"signals.{name}"][i], alone[f"signals.{name}"][i], name)
        self.assertGreater(max(got["signals.done"]), 0.1)

    def test_uses(self):
        """Events, sampled controllers, statistics and statics take them as any signal; the units are those that were given."""
        scene = swing(events=[{"name": "heavy", "when": "signals.load - 25", "direction": "rising", "action": {"set": {"n": "signals.a_ratio"}}}],
                      controllers=[{"name": "seen", "type": "sampled", "period": 0.1, "value": "signals.load"}])
        scene["output"]["statistics"] = ["signals.load"]
        scene["output"]["signals"].append("inputs.seen")
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual([e["name"] for e in got.summary["events"]], ["heavy"])
        # at the event the ratio is 25 N over the weight, to the rounding of its time times the slope of the load, some 150 N/s
        self.near(got["signals.clock"][-1] - 2 * got["t"][-1], 25 / (2 * 9.81), 1e-9, "set by the event")
        self.assertEqual(got.summary["statistics"][0]["max"], max(got["signals.load"]))
        self.near(got["inputs.seen"][5], got["signals.load"][4], 1e-12, "sampled")
        units = {s["signal"]: s["unit"] for s in got.summary["signals"]}
        self.assertEqual([units[f"signals.{n}"] for n in ["power", "load", "a_ratio"]], ["W", "N", ""])
        listed = self.make().run(scene, "check")
        self.assertEqual(listed.returncode, 0, listed.stderr)

    def test_goes_on(self):
        """Columns do not depend on the order in the file, which is another one in scene.json of a run; nor do those of inputs."""
        self.resumes(swing(duration=1), 0.5, 1)
        self.resumes(dict(swing(duration=1, chosen=["inputs", "signals"]), inputs={"n": 3, "b": 2, "a": 1}), 0.5, 1)
        # nor is the order lost in which an event sets inputs: the second one sees the first
        counts = {"name": "count", "when": "sin(20*t)", "action": {"set": {"n": "n + 1", "a": "2*n"}}}
        self.resumes(dict(swing(duration=1, chosen=["inputs"]), inputs={"n": 3, "b": 2, "a": 1}, events=[counts]), 0.5, 1)
        self.assertGreater(self.folder.columns()["inputs.a"][-1], 12)

    def test_wrong(self):
        for signals, message, hint in [({"a b": "t"}, '"a b" cannot be the name of a signal', "letters"),
                                       ({"p": "hinge.angel"}, 'there is no signal "hinge.angel"', "hinge.angle"),
                                       ({"p": "hinge.force"}, '"hinge.force" stands for 3 signals', "hinge.force.x"),
                                       ({"p": "signals.q"}, 'uses "signals.q", and no such one is before it', ""),
                                       ({"p": "signals.p"}, "in a circle", "do without"), ({"p": "signals.q", "q": "1 + signals.z", "z": "signals.p"}, '"z" and "p" use each other in a circle', ""),
                                       ({"p": {"unit": "W"}}, "is missing: the expression of the signal", "motor.effort"),
                                       ({"p": {"value": "t", "units": "s"}}, 'unknown key "units"', '"unit"'),
                                       ({"p": {"value": "t", "unit": 3}}, "must be", ""), ({"p": [1, 2]}, "signals.p", ""), ({"p": "hinge.rate*"}, "signals.p", ""),
                                       (["t"], "an object {...}", "")]:
            with self.subTest(signals=signals):
                for verb in ["run", "check"]:
                    self.refused(self.make().run(swing(signals), verb), message, hint)


class Units(WordsTest):
    def test_shown(self):
        """Each column is that in SI units times the factor, with its unit; everything else of the run is the same."""
        si = Result(swing())
        got = Result(swing(output={"units": ["deg", "mm", "kN", "kJ"]}))
        self.assertEqual(got.code, 0, got.said)
        units = {s["signal"]: s["unit"] for s in got.summary["signals"]}
        for name, unit, factor in [("hinge.angle", "deg", 180 / math.pi), ("hinge.rate", "deg/s", 180 / math.pi), ("rod.position.x", "mm", 1e3), ("hinge.force.x", "kN", 1e-3),
                                   ("hinge.moment.x", "kN mm", 1), ("energy.total", "kJ", 1e-3), ("motor.work", "kJ", 1e-3), ("signals.load", "kN", 1e-3), ("signals.power", "W", 1),
                                   ("impulse.z", "kg mm/s", 1e3), ("signals.a_ratio", "", 1)]:
            self.assertEqual(units[name], unit)
            for a, b in zip(si[name], got[name]):
                self.assertLessEqual(abs(a * factor - b), 4 * EPS * abs(b), name)
        for key in ["steps", "newton_iterations", "max_phi", "energy", "error_estimate"]:
            self.assertEqual(si.summary[key], got.summary[key], key)
        whole = Result(swing(output={"units": ["rpm", "N/mm^2", "cm"]}))
        self.assertEqual({s["signal"]: s["unit"] for s in whole.summary["signals"]}["hinge.rate"], "rpm")
        self.near(whole["hinge.rate"][5], si["hinge.rate"][5] * 30 / math.pi, 1e-12 * abs(whole["hinge.rate"][5]), "rpm")

    def test_statistics(self):
        """Statistics are those of the rows as they are shown, events remain in SI units."""
        scene = swing(output={"units": ["deg"], "statistics": ["hinge.angle"]}, events=[{"name": "half", "when": "hinge.angle - 0.5"}])
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual(got.summary["statistics"][0]["final"], got["hinge.angle"][-1])
        self.assertEqual(got.summary["events"][0]["name"], "half")
        self.assertGreater(max(map(abs, got["hinge.angle"])), 20)

    def test_goes_on(self):
        self.resumes(swing(duration=1, output={"units": ["deg", "mm"]}), 0.5, 1)

    def test_statics(self):
        folder = self.make()
        hanging = {"torsor": 1, "gravity": [0, 0, -10], "bodies": [{"name": "m", "type": "point_mass", "mass": 1}], "statics": {},
                   "forces": [{"name": "k", "type": "spring_damper", "a": "ground", "b": "m", "stiffness": 1e3, "directions": "axes"}],
                   "output": {"signals": ["m.position"], "units": ["mm"]}}
        hanging["bodies"][0]["position"] = [0, 0, -0.1]
        hanging["forces"][0] = {"name": "k", "type": "spring_damper", "a": "ground", "b": "m", "stiffness": 1e3, "length": 0.1}
        (folder.path / "scene.json").write_text(json.dumps(hanging))
        done = subprocess.run([TORSOR, "statics", "scene.json", "-o", "out"], cwd=folder.path, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.near(folder.columns()["m.position.z"][-1], -110, 1e-6, "hangs by 110 mm")

    def test_wrong(self):
        for units, message, hint in [(["foot"], '"foot" is no unit in which signals can be shown', '"deg"'), (["%"], '"%" is no unit', ""), ([""], "is no unit", ""),
                                     (["mm", "m"], '"mm" and "m" measure the same', "leave one"), ("deg", "the units, an array", ""), ([3], "must be", "")]:
            with self.subTest(units=units):
                self.refused(self.make().run(swing(output={"units": units}), "check"), message, hint)


if __name__ == "__main__":
    unittest.main()
