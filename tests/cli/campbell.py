#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes followed over a value of the scene: torsor modes --sweep."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

SHAFT = {
    "torsor": 1,
    "parameters": {"n": 8, "W": 0},
    "sections": {"round": {"stiffness": [1e6, 2e5, 2e5, 300, 400, 400], "inertia": [2, 2, 2, 4e-3, 2e-3, 2e-3]}},
    "bodies": [{"name": "shaft", "type": "beam", "section": "round", "elements": "n", "length": 1,
                "velocity": [0, 0, 0], "angular_velocity": ["W", 0, 0]}],
    "joints": [{"name": "left", "type": "spherical", "a": "ground", "b": "shaft.start"},
               {"name": "right", "type": "point_on_line", "axis": [1, 0, 0],
                "a": {"body": "ground", "position": [1, 0, 0]}, "b": "shaft.end"}],
}

# Two masses on springs of their own: one frequency stays, the other passes it.
CROSSING = {
    "torsor": 1,
    "parameters": {"k": 50},
    "bodies": [{"name": "stays", "type": "point_mass", "mass": 1}, {"name": "moves", "type": "point_mass", "mass": 1}],
    "joints": [{"name": "x", "type": "point_on_line", "axis": [1, 0, 0], "a": "ground", "b": "stays"},
               {"name": "y", "type": "point_on_line", "axis": [0, 1, 0], "a": "ground", "b": "moves"}],
    "forces": [{"name": "one", "type": "coordinate_spring", "coordinate": "x.travel", "stiffness": 100},
               {"name": "other", "type": "coordinate_spring", "coordinate": "y.travel", "stiffness": "k"}],
}

# On one line, with a weak spring between them.
COUPLED = json.loads(json.dumps(CROSSING))
COUPLED["joints"][1]["axis"] = [1, 0, 0]
COUPLED["bodies"][1]["position"] = [1, 0, 0]
COUPLED["forces"][1]["rest"] = 1
COUPLED["forces"].append({"name": "both", "type": "spring_damper", "a": "stays", "b": "moves", "stiffness": 2, "length": 1})


def shaft_root(mode, rate, forwards):
    """Of the simply supported Timoshenko shaft, rad/s: EI 400, GA 2e5, mass 2, rotary inertia 2e-3, polar 4e-3."""
    b = mode * math.pi
    mu = math.copysign(b * b * math.sqrt(200), 1 if forwards else -1)
    for _ in range(60):
        p, q = 2e5 * b * b - 2 * mu * mu, 400 * b * b + 2e5 - 2e-3 * mu * mu + 4e-3 * rate * mu
        mu -= (p * q - (2e5 * b) ** 2) / (-4 * mu * q + p * (-4e-3 * mu + 4e-3 * rate))
    return abs(mu)


class Campbell(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def torsor(self, scene, *arguments):
        file = self.folder / "scene.json"
        file.write_text(json.dumps(scene))
        return subprocess.run([os.environ["TORSOR"], "modes", file, "-o", self.folder / "out", *arguments],
                              capture_output=True, text=True, timeout=100, check=False)

    def sweep(self, scene, *arguments):
        done = self.torsor(scene, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_whirl(self):
        """Backwards and forwards whirl part: both limits of small elements, second order, against the closed form."""
        found = [self.sweep(SHAFT, "-n", "5", "--about", "steady", "--sweep", "parameters.W=40:400:4", "--orders", "1",
                            "--set", f"parameters.n={n}") for n in (4, 8, 16)]
        rates = found[0]["values"]
        self.assertEqual(rates, [40, 160, 280, 400])
        for b, branch in enumerate(zip(*[f["branches"] for f in found])):
            mode = 1 + b // 2
            frequency = [[2 * math.pi * f for f in mesh["frequency_hz"]] for mesh in branch]
            forwards = b % 2 == 1
            self.assertEqual(frequency[0][-1] > frequency[0][0], forwards)
            for k, rate in enumerate(rates):
                coarse = (4 * frequency[1][k] - frequency[0][k]) / 3
                limit = (4 * frequency[2][k] - frequency[1][k]) / 3
                off = abs(limit - shaft_root(mode, rate, forwards))
                self.assertLessEqual(off, abs(limit - coarse), (b, rate))
        self.assertEqual({c["branch"] for c in found[0]["critical"]}, {1, 2})
        # straight lines over 120 rad/s of a curve whose slope is 1e-2: far below a per cent
        for c in found[2]["critical"]:
            self.assertAlmostEqual(c["value"], shaft_root(1, c["value"], c["branch"] == 2), delta=1e-2 * c["value"])

    def test_crossing(self):
        """Branches keep their shapes where their frequencies change places."""
        found = self.sweep(CROSSING, "--sweep", "parameters.k=50:200:7", "--orders", "0.1")
        moves, stays = found["branches"]
        for k, value in enumerate(found["values"]):
            self.assertAlmostEqual(stays["frequency_hz"][k], 10 / (2 * math.pi), delta=1e-12)
            self.assertAlmostEqual(moves["frequency_hz"][k], math.sqrt(value) / (2 * math.pi), delta=1e-12)
        self.assertGreaterEqual(min(moves["mac"] + stays["mac"]), 1 - 1e-12)
        critical = {c["branch"]: c["value"] for c in found["critical"]}
        # 0.1 k = 10 and 0.1 k = sqrt(k), both at 100, which is a point
        self.assertAlmostEqual(critical[1], 100, delta=1e-9)
        self.assertAlmostEqual(critical[2], 100, delta=1e-9)
        table = (self.folder / "out/campbell.csv").read_text().splitlines()
        self.assertEqual(table[0].split(",")[:3], ["t", "branch_1.frequency_hz", "branch_1.damping_ratio"])
        self.assertEqual(len(table), 8)

    def test_veering(self):
        """Coupled, the frequencies come close and part: branches keep their order, and exchange shapes on the way."""
        found = self.sweep(COUPLED, "--sweep", "parameters.k=80:120:81")
        worst = mac = 0
        turns = [math.atan2(4, k - 100) / 2 for k in found["values"]]
        for i, k in enumerate(found["values"]):
            middle, half = (104 + k) / 2, math.hypot((100 - k) / 2, 2)
            for branch, square in zip(found["branches"], (middle - half, middle + half)):
                worst = max(worst, abs(2 * math.pi * branch["frequency_hz"][i] - math.sqrt(square)))
                turn = turns[i] - turns[i - 1] if i else 0
                mac = max(mac, abs(branch["mac"][i] - math.cos(turn) ** 2))
        print(f"  veering: {worst:.2g} rad/s off sqrt((104 + k)/2 -+ sqrt((100 - k)^2/4 + 4))")
        print(f"  shapes turn by {turns[0] - turns[-1]:.3f} rad, MAC {mac:.2g} off cos^2 of each turn")
        # Round-off of a 2 x 2 problem: of its eigenvalues, over twice the root of the smallest, and of its shapes, over
        # their least distance 4.
        self.assertLess(worst, 8 * 2.3e-16 * 120 / (2 * math.sqrt(80)))
        self.assertLess(mac, 8 * 2.3e-16 * 120 / 4)

    def command(self, *words, code=0):
        bundle = self.folder / "bundle.html"
        bundle.write_text("<html><!--torsor-data--></html>\n")
        done = subprocess.run([os.environ["TORSOR"], *map(str, words)], capture_output=True, text=True, timeout=100, check=False,
                              env={**os.environ, "TORSOR_REPORT": str(bundle)}, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_plot_and_report(self):
        """The frequencies are drawn over the value, which is named, and the page has the table."""
        self.sweep(CROSSING, "--sweep", "parameters.k=50:200:4", "--orders", "0.1")
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual((summary["analysis"], summary["parameter"], summary["scene"]), ("campbell", "parameters.k", "scene"))
        self.assertEqual({c["order"] for c in summary["critical"]}, {0.1})
        script = self.command("plot", "out", "--script").stdout
        labels = [line for line in script.splitlines() if line.startswith("|")]
        self.assertEqual(labels, ["|branch_1.frequency_hz [Hz]", "|branch_2.frequency_hz [Hz]", "|parameters.k"])
        self.assertNotIn("t [s]", script)
        self.assertIn("|branch_2.mac", self.command("plot", "out", "--script", "-s", "branch_2.mac").stdout)
        self.command("report", "out")
        page = (self.folder / "out/report.html").read_text()
        for words in "branch_2.frequency_hz", '"unit": "Hz"', '"rows": 4':
            self.assertIn(words, page)

    def test_labels_of_statics(self):
        """Equilibria are drawn over the load, runs over time."""
        scene = json.loads(json.dumps(CROSSING))
        scene.update({"statics": {"steps": 2}, "simulation": {"step": 0.1, "duration": 0.2}})
        (self.folder / "scene.json").write_text(json.dumps(scene))
        self.command("statics", "scene.json", "-o", "still", "-q")
        script = self.command("plot", "still", "--script").stdout
        self.assertEqual(("|load\n" in script, "t [s]" in script), (True, False))
        self.command("run", "scene.json", "-o", "moves", "-q")
        script = self.command("plot", "moves", "--script").stdout
        self.assertEqual(("|load\n" in script, "t [s]" in script), (False, True))

    def test_folder(self):
        """The folder has the results of one analysis: those of another go, here and there; that of the scene is refused."""
        (self.folder / "scene.json").write_text(json.dumps({**CROSSING, "simulation": {"step": 0.1, "duration": 0.2}}))
        self.command("run", "scene.json", "-o", "out", "-q", "--full")
        self.sweep(CROSSING, "--sweep", "parameters.k=50:200:4")
        self.assertEqual(sorted(f.name for f in (self.folder / "out").iterdir()), ["campbell.csv", "summary.json"])
        (self.folder / "scene.json").write_text(json.dumps({**CROSSING, "simulation": {"step": 0.1, "duration": 0.2}}))
        self.command("run", "scene.json", "-o", "out", "-q")
        self.assertFalse((self.folder / "out/campbell.csv").exists())
        (self.folder / "mine.txt").write_text("mine")
        (self.folder / "out/campbell.csv").symlink_to(self.folder / "mine.txt")
        self.sweep(CROSSING, "--sweep", "parameters.k=50:200:4")
        self.assertEqual((self.folder / "mine.txt").read_text(), "mine")
        self.assertFalse((self.folder / "out/campbell.csv").is_symlink())
        before = sorted(f.name for f in self.folder.iterdir())
        done = self.command("modes", "scene.json", "--sweep", "parameters.k=50:200:4", "-o", ".", code=2)
        self.assertIn("folder of the scene", done.stderr)
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), before)

    def test_doubt(self):
        """Two shapes that mix within one step are reported."""
        done = self.torsor(COUPLED, "--sweep", "parameters.k=50:100:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("smaller steps", done.stderr)

    def test_misuse(self):
        for sweep in ["parameters.k", "parameters.k=1:2", "parameters.k=1:2:1", "=1:2:3", "parameters.k=a:2:3"]:
            done = self.torsor(CROSSING, "--sweep", sweep)
            self.assertEqual(done.returncode, 2, sweep)
            self.assertIn("--sweep", done.stderr)
        done = self.torsor(CROSSING, "--sweep", "parameters.k=1:2:2", "--orders", "0")
        self.assertEqual(done.returncode, 2)
        done = self.torsor(CROSSING, "--sweep", "bodies.ghost.mass=1:2:2")
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
