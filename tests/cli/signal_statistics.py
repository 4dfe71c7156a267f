#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Extremes and means of signals in summary.json: against closed forms of a harmonic motion and against the rows, also of a run that goes on.

TORSOR is the path of the command."""

import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "whole"))
from case_kit import TORSOR, Result  # noqa: E402
from words import WordsTest  # noqa: E402

KEYS = ["min", "t_min", "max", "t_max", "mean", "rms", "final"]


def swing(statistics, duration=2.5, step=0.01, signals=("ball.position", "spring.force.x")):
    """x = 1 + sin(2 t): mass 1 on a spring of 4 N/m."""
    return {"torsor": 1, "bodies": [{"name": "ball", "type": "point_mass", "mass": 1, "position": [1, 0, 0], "velocity": [2, 0, 0]}],
            "forces": [{"name": "spring", "type": "spring_damper", "a": {"body": "ground", "position": [-9, 0, 0]}, "b": "ball",
                        "stiffness": 4, "length": 10}],
            "simulation": {"method": "radau", "step": 0.05, "duration": duration},
            "output": {"step": step, "signals": list(signals), "statistics": statistics}}


class Statistics(WordsTest):
    def test_values(self):
        T = 2.5
        got = Result(swing(["ball.position", "spring.force.x"]))
        self.assertEqual(got.code, 0, got.said)
        found = {s.pop("signal"): s for s in got.summary["statistics"]}
        self.assertEqual(sorted(found), ["ball.position.x", "ball.position.y", "ball.position.z", "spring.force.x"])
        x = found["ball.position.x"]
        self.assertEqual(sorted(x), sorted(KEYS))
        mean = 1 + (1 - math.cos(2 * T)) / (2 * T)
        square = 1 + (1 - math.cos(2 * T)) / T + 0.5 - math.sin(4 * T) / (8 * T)
        # straight lines between rows: h^2/12 |x''| of the mean; extremes within half a row: h^2/8 |x''|
        self.near(x["mean"], mean, 4 * 1e-4 / 12, "mean")
        self.near(x["rms"], math.sqrt(square), 4 * 1e-4 / 12, "rms")
        self.near(x["max"], 2, 4 * 1e-4 / 8, "max")
        self.near(x["t_max"], math.pi / 4, 0.005, "at")
        self.near(x["min"], 0, 4 * 1e-4 / 8, "min")
        self.near(x["t_min"], 3 * math.pi / 4, 0.005, "at")
        self.assertEqual(x["final"], got["ball.position.x"][-1])
        self.assertEqual(x["max"], max(got["ball.position.x"]))
        self.assertEqual(found["ball.position.z"], dict.fromkeys(KEYS, 0))
        self.assertNotIn("statistics", Result(swing([])).summary)

    def test_resume(self):
        """A run that goes on has those of the whole."""
        folder = self.make()
        scene = swing(["ball.position.x"])
        self.assertEqual(folder.run(scene).returncode, 0)
        whole = json.loads((folder.path / "out/summary.json").read_text())["statistics"]
        for path in (folder.path / "out").iterdir():
            path.unlink()
        scene["simulation"]["duration"] = 1.5
        self.assertEqual(folder.run(scene).returncode, 0)
        done = subprocess.run([TORSOR, "run", "--resume", "out", "--set", "simulation.duration=2.5"], cwd=folder.path, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((folder.path / "out/summary.json").read_text())["statistics"], whole)

    def test_one_row(self):
        got = Result(swing(["ball"], duration=0))
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual(got.summary["statistics"][0], {"signal": "ball.position.x", "min": 1, "t_min": 0, "max": 1, "t_max": 0, "mean": 1, "rms": 1, "final": 1})

    def test_wrong(self):
        for statistics, message, hint in [(["ball.positio"], '"ball.positio" is no signal of the rows', "ball.position"),
                                          (["ball.position.x", "ball.velocity"], '"ball.velocity" is no signal of the rows', ""),
                                          ("ball", "must be", ""), ([3], "must be", "")]:
            for verb in ["check", "run"]:
                done = self.make().run(swing(statistics), verb)
                self.refused(done, message, hint)
                self.assertIn("output.statistics", done.stderr)


if __name__ == "__main__":
    unittest.main()
