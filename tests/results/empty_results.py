#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results without rows, states or numbers, and plug-ins that fail without a word: each is reported.

TORSOR is the path of the command, TORSOR_DATA that of data/, FAULTY_PLUGIN that of faulty_plugin.so."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kit"))
from result_kit import States  # noqa: E402

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
TOP = DATA / "scenes" / "heavy_top.json"
BUNDLE = "<html><body><!--torsor-data--></body></html>\n"


class ToldTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-empty-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bundle").mkdir()
        (self.folder / "bundle" / "page.html").write_text(BUNDLE)
        self.environment = {**os.environ, "TORSOR_REPORT": str(self.folder / "bundle" / "page.html")}

    def torsor(self, *arguments, code=0):
        done = subprocess.run([TORSOR, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              cwd=self.folder, env=self.environment, check=False)
        self.assertEqual(done.returncode, code, done)
        return done

    def refused(self, *arguments, code=5, words=()):
        done = self.torsor(*arguments, code=code)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse(list(self.folder.glob("*.svg")) + list(self.folder.glob("*.html")), "something was written")


class EmptyTest(ToldTest):
    def test_table_without_rows(self):
        empty, full = self.folder / "empty.csv", self.folder / "full.csv"
        full.write_text("t,x\n0,1\n1,2\n")
        for header in ["t,x\n", "t,x", "t\n"]:
            empty.write_text(header)
            for verb in [["plot", empty], ["plot", full, empty, "-s", "x"], ["report", empty], ["report", full, empty],
                         ["compare", empty, full], ["report", full, "--reference", empty],
                         ["plot", full, "-s", "x", "--reference", empty]]:
                with self.subTest(header=header, verb=verb):
                    self.refused(*verb, words=["empty.csv", "no rows"])
            self.refused("compare", full, empty, code=5, words=["empty.csv", "no rows"])

    def test_run_that_ended_before_its_first_row(self):
        self.torsor("run", TOP, "-q", "-o", "out", "--full", "--set", "simulation.duration=0.01")
        trajectory = self.folder / "out" / "trajectory.csv"
        trajectory.write_text(trajectory.read_text().splitlines()[0] + "\n")
        for verb in ["plot", "report"]:
            self.refused(verb, "out", words=["trajectory.csv", "no rows"])

    def test_states_without_frames(self):
        self.torsor("run", TOP, "-q", "-o", "out", "--full", "--set", "simulation.duration=0.01")
        file = self.folder / "out" / "state.nc"
        states = States(file)
        data = bytearray(states.data[:states.head])
        data[4:8] = struct.pack(">I", 0)  # records, as its header counts them
        file.write_bytes(data)
        self.refused("export", "out", "--vtk", words=["state.nc", "no states"])
        self.assertFalse((self.folder / "out" / "vtk").exists())
        self.torsor("report", "out")

    def test_numbers_that_are_none(self):
        """A table with them is refused by place; among full states they are left out of what is seen."""
        table = self.folder / "table.csv"
        for word in ["nan", "inf", "-inf", "NaN", "1e999", ""]:
            table.write_text(f"t,x,y\n0,1,{word}\n1,2,{word}\n")
            for verb in [["plot", table], ["report", table], ["compare", table, table]]:
                self.refused(*verb, words=["table.csv:2:5", '"y"', "not a finite number"])
        self.torsor("run", TOP, "-q", "-o", "out", "--full", "--set", "simulation.duration=0.01")
        file = self.folder / "out" / "state.nc"
        states = States(file)
        for number in [float("nan"), float("inf")]:
            data = bytearray(states.data)
            for name, (_, kind, place) in states.variables.items():
                if states.is_record(name) and kind == 6 and name != "time":
                    for record in range(states.counted):
                        at = place + record * states.record
                        data[at:at + 8 * states.count(name)] = struct.pack(">d", number) * states.count(name)
            file.write_bytes(data)
            self.torsor("export", "out", "--vtk")
            self.torsor("report", "out")
            page = (self.folder / "out" / "report.html").read_text()
            head = page.split('id="torsor-head">')[1].split("</script>")[0]
            json.loads(head, parse_constant=lambda word: self.fail(f"{word} is no JSON"))


class PluginTest(ToldTest):
    def write(self, **values):
        scene = {"torsor": 1, "bodies": [{"name": "m", "type": "point_mass", "mass": 1}],
                 "forces": [{"name": "f", "type": "faulty", "a": "ground", "b": "m", **values}], "simulation": {"step": 0.1, "duration": 0.2}}
        (self.folder / "scene.json").write_text(json.dumps(scene, indent=1))

    def test_prepare(self):
        plugin = ["--plugin", os.environ["FAULTY_PLUGIN"]]
        self.write()
        self.torsor("check", "scene.json", *plugin)
        for status in [1, 2, 3, 6, 77]:
            self.write(prepared=status)
            for verb in [["check", "scene.json"], ["run", "scene.json"], ["statics", "scene.json"],
                         ["modes", "scene.json"]]:
                done = self.torsor(*verb, *plugin, code=5)
                for word in ["scene.json:", "forces[0]", '"faulty"', "prepare", f"returns {status} "]:
                    self.assertIn(word, done.stderr)
        for status, code in [(-1, 3), (-2, 3), (-3, 5), (-6, 3), (-7, 5)]:
            self.write(prepared=status)
            done = self.torsor("check", "scene.json", *plugin, code=code)
            for word in ["scene.json:", "forces[0]", '"faulty"', "without a message"]:
                self.assertIn(word, done.stderr)

    def test_evaluation(self):
        """Nothing that a force returns is a wrong use of the command, and all of it is reported."""
        plugin = ["--plugin", os.environ["FAULTY_PLUGIN"]]
        out_of_range = 4  # refused where the scene begins
        for status in [1, out_of_range, 99, -2, -5]:
            self.write(evaluated=status)
            done = self.torsor("run", "scene.json", "-o", "out", *plugin, code=3 if status == out_of_range else 4)
            self.assertIn("torsor: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
