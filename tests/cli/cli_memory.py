#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb with the n-th allocation failing, once or from then on: it says so and leaves nothing wrong.

TORSOR is the path of the command, TORSOR_DATA that of data/, FAILING_MEMORY_LIBRARY that of failing_memory.so;
FAILING_MEMORY_EVERY=1 tries all allocations, else the first ones and a growing distance between the others."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
LIBRARY = os.environ["FAILING_MEMORY_LIBRARY"]
STRIDE = float(os.environ.get("FAILING_MEMORY_EVERY", "1.1"))
TOP = DATA / "scenes" / "heavy_top.json"
SHORT = ["--set", "simulation.duration=0.02"]
BUNDLE = "<html><body><!--torsor-data--></body></html>\n"


class MemoryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = Path(tempfile.mkdtemp(prefix="torsor-memory-"))
        (cls.base / "page.html").write_text(BUNDLE)
        cls.environment = {**os.environ, "TORSOR_REPORT": str(cls.base / "page.html")}
        for scene, verb in [(TOP, "run"), (DATA / "scenes" / "whipple_modes.json", "modes")]:
            short = SHORT + ["--full"] if verb == "run" else []
            subprocess.run([TORSOR, verb, scene, "-q", "-o", cls.base / verb, *short], check=True, timeout=60,
                           env=cls.environment)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base, ignore_errors=True)

    def call(self, folder, arguments, n=0, from_then_on=False):
        """Exit code, answers, and whether an allocation failed."""
        reported = folder.parent / "reported"
        reported.unlink(missing_ok=True)
        environment = {**self.environment, "LD_PRELOAD": LIBRARY, "FAILING_MEMORY": str(n),
                       "FAILING_MEMORY_REPORTED": str(reported)}
        if from_then_on:
            environment["FAILING_MEMORY_ALL"] = "1"
        done = subprocess.run([TORSOR, *map(str, arguments)], cwd=folder, env=environment, timeout=30,
                              capture_output=True, check=False)
        return done, reported.exists()

    @staticmethod
    def contents(folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def check_files(self, name, found, right, arguments):
        """Whole, or the beginning of rows: never something else."""
        if name.endswith(".tmp") or name.endswith("checkpoint"):
            return
        self.assertIn(name, right, arguments)
        if name.endswith("summary.json"):
            json.loads(found)
        elif name.endswith(".pvd"):  # of the states that there are
            self.assertLessEqual(set(found.splitlines()), set(right[name].splitlines()), arguments)
        elif name.endswith(("trajectory.csv", "state.nc")):
            self.assertTrue(found == b"" or name.endswith(".nc") or right[name].startswith(found), arguments)
        elif name.endswith("report.html"):  # of what a run left that failed, too
            self.assertTrue(found.startswith(b"<html>") and found.endswith(b"</html>\n"), arguments)
        elif name.endswith(("c.csv", "d.csv")):  # with times of the processor in them
            self.assertEqual(len(found.splitlines()), len(right[name].splitlines()), arguments)
            self.assertTrue(found.endswith(b"\n"))
        else:
            self.assertEqual(found, right[name], (name, arguments))

    def exhaust(self, *arguments, codes=(0,), words=(b"out of memory", b"memory")):
        work = self.base / "work" / "here"
        shutil.rmtree(work.parent, ignore_errors=True)
        work.mkdir(parents=True)
        done, _ = self.call(work, arguments)
        self.assertIn(done.returncode, codes, done)
        right, answer = self.contents(work), done.stdout
        tried = survived = 0
        for from_then_on in (False, True):
            n = 1.0
            while True:
                shutil.rmtree(work)
                work.mkdir()
                where = (arguments, int(n), from_then_on)
                done, failed = self.call(work, arguments, int(n), from_then_on)
                for name, found in self.contents(work).items():
                    self.check_files(name, found, right, where)
                if not failed:
                    break
                tried += 1
                self.assertIn(done.returncode, (*codes, 5), (where, done))
                if done.returncode == 5:
                    self.assertTrue(any(word in done.stderr + done.stdout for word in words), (where, done))
                else:
                    survived += 1
                    self.assertEqual(set(self.contents(work)), set(right), where)
                    if arguments[0] not in ("run", "statics", "converge"):  # they tell times
                        self.assertEqual(done.stdout, answer, (where, done.stderr))
                n = max(n + 1, n * STRIDE)
        print(f"{' '.join(map(str, arguments[:2]))}: {int(n) - 1} allocations, {tried} of them failed, "
              f"{survived} done without")

    def test_generated_texts(self):
        for verb in [["list"], ["list", "signals", TOP], ["describe", "revolute"], ["schema"], ["manual"],
                     ["completion"]]:
            self.exhaust(*verb)

    def test_import(self):
        robots = Path(__file__).resolve().with_name("robots")
        self.exhaust("import", robots / "palletizer.urdf", "--fixed", "-o", "robot.json")
        self.exhaust("import", robots / "z1.urdf", "-o", "robot.json", "--json")

    def test_check(self):
        self.exhaust("check", TOP)
        self.exhaust("check", DATA / "scenes" / "engine_mount.json", "--json")

    def test_compare(self):
        self.exhaust("compare", self.base / "run", self.base / "run")
        self.exhaust("compare", self.base / "run", DATA / "reference" / "heavy_top.csv", codes=(0, 1, 2))

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_plot(self):
        self.exhaust("plot", self.base / "run", "-s", "top.position,energy", "--reference",
                     DATA / "reference" / "heavy_top.csv", "--script")
        self.exhaust("plot", self.base / "run", "-s", "energy.total", "-o", "z.svg", "-q",
                     words=(b"memory", b"temporary file", b"gnuplot"))

    def test_report(self):
        self.exhaust("report", self.base / "run", "-o", "page.html")
        self.exhaust("report", self.base / "run", self.base / "modes", "--reference",
                     DATA / "reference" / "heavy_top.csv", "-o", "page.html")
        self.exhaust("report", self.base / "run", "-s", "top.position", "-o", "page.html")

    def test_export(self):
        self.exhaust("export", self.base / "run", "--vtk", "-o", "vtk")

    def test_converge(self):
        self.exhaust("converge", TOP, *SHORT, "--set", "output.every=10", "--steps", "2e-3,1e-3", "--csv", "c.csv",
                     "--columns", "d.csv", "--json", words=(b"memory",))

    def test_run(self):
        self.exhaust("run", TOP, *SHORT, "--full", "--report", "-o", "out")

    def test_modes(self):
        self.exhaust("modes", DATA / "scenes" / "whipple_modes.json", "--matrices", "-o", "out")

    def test_statics(self):
        self.exhaust("statics", DATA / "scenes" / "elastica.json", "-o", "out")


if __name__ == "__main__":
    unittest.main()
