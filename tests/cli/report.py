#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of results as data: what torsor report puts into the page's bundle, read back.

TORSOR is the path of the command, TORSOR_DATA that of data/.  The bundle is a short one of this test, so that
neither node nor a browser is needed."""

import base64
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
TOP = DATA / "scenes" / "heavy_top.json"
BUNDLE = "<html><body><!--torsor-data--><script>1</script></body></html>\n"
SINGLE = 2.0**-24  # unit round-off of what is stored


class Page:
    """The data of a page: its head, and the arrays that the head names."""

    def __init__(self, file):
        self.text = Path(file).read_text()
        begin, rest = self.text.split('<script type="application/json" id="torsor-head">')
        head, rest = rest.split("</script>", 1)
        block = re.fullmatch(r'\s*<script type="text/plain" id="torsor-block-0">([A-Za-z0-9+/=]*)</script>(.*)', rest, re.S)
        self.outside = begin + block[2]
        self.head = json.loads(head)
        self.bytes = zlib.decompress(base64.b64decode(block[1], validate=True))
        assert len(self.bytes) == self.head["blocks"][0]["bytes"]
        self.results = self.head["results"]

    def part(self, array, size):
        return self.bytes[array["offset"]:array["offset"] + size]

    def numbers(self, index):
        array = self.head["arrays"][index]
        count = array["count"]
        if array["kind"] == "f64":
            return list(struct.unpack(f"<{count}d", self.part(array, 8 * count)))
        assert array["kind"] == "f32", array
        return [array["shift"] + x for x in struct.unpack(f"<{count}f", self.part(array, 4 * count))]

    def codes(self, index):
        """Series of a q16 array and their steps."""
        array = self.head["arrays"][index]
        series, count = array["series"], array["count"]
        low_high = self.part(array, 2 * series * count)
        pairs = self.numbers(array["range"]) if "range" in array else [array["low"], array["scale"]] * series
        out = []
        for s in range(series):
            value = slope = 0
            row = []
            for k in range(count):
                zigzag = low_high[s * count + k] | low_high[(series + s) * count + k] << 8
                change = (zigzag >> 1) ^ -(zigzag & 1)
                if k:
                    slope += change
                value = (value + (slope if k else change)) & 0xFFFF
                row.append(pairs[2 * s] + pairs[2 * s + 1] * value)
            out.append(row)
        return out, pairs[1::2]

    def file(self, name, result=0):
        array = self.head["arrays"][self.results[result]["files"][name]]
        assert array["kind"] == "text"
        return self.part(array, array["count"]).decode()


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-report-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bundle = self.folder / "bundle.html"
        self.bundle.write_text(BUNDLE)

    def torsor(self, *words, code=0, **environment):
        done = subprocess.run([TORSOR, *map(str, words)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "TORSOR_REPORT": str(self.bundle), **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_top(self, name="top", *more):
        folder = self.folder / name
        self.torsor("run", "-q", TOP, "-o", folder, "--set", "simulation.duration=0.1", *more)
        return folder

    def report(self, *words):
        self.torsor("report", *words, "-o", self.folder / "page.html")
        return Page(self.folder / "page.html")

    def test_trajectory(self):
        folder = self.run_top()
        page = self.report(folder)
        self.assertEqual(page.outside, BUNDLE.replace("<!--torsor-data-->", ""))
        rows = list(csv.DictReader((folder / "trajectory.csv").read_text().splitlines()))
        table = page.results[0]["table"]
        self.assertEqual((table["rows"], table["every"]), (len(rows), 1))
        self.assertEqual([c["name"] for c in table["columns"]], list(rows[0]))
        worst = 0
        for column in table["columns"]:
            wanted = [float(row[column["name"]]) for row in rows]
            given = page.numbers(column["array"])
            change = max(abs(x - wanted[0]) for x in wanted)
            # one rounding of the change to single precision, some of sums of size max |x| to double
            bound = 0 if column["name"] == "t" else SINGLE * change + 4e-16 * max(map(abs, wanted))
            error = max(abs(x - y) for x, y in zip(given, wanted))
            self.assertLessEqual(error, bound, column["name"])
            worst = max(worst, error / bound if bound else 0)
        units = {c["name"]: c["unit"] for c in table["columns"]}
        self.assertEqual((units["top.velocity.x"], units["pivot.force.x"]), ("m/s", "N"))
        print(f"trajectory: largest error {worst:.2f} of the bound")

    def test_files(self):
        folder = self.run_top()
        (folder / "convergence.csv").write_text("signal,step,error,order,cpu_seconds\ntop,1e-3,1e-5,,0.1\n")
        page = self.report(folder)
        for name in ("summary.json", "convergence.csv"):
            self.assertEqual(page.file(name), (folder / name).read_text())
        self.assertEqual(json.loads(page.file("summary.json"))["warnings"], [])

    def test_motion(self):
        """Frames of state.nc are those of the trajectory, to half a step of the codes."""
        folder = self.run_top("full", "--full")
        page = self.report(folder)
        motion = page.results[0]["motion"]
        rows = list(csv.DictReader((folder / "trajectory.csv").read_text().splitlines()))
        self.assertEqual(page.numbers(motion["time"]), [float(row["t"]) for row in rows])
        self.assertEqual((motion["names"], motion["every"]), (["top"], 1))
        vectors = [(v["name"], v["kind"]) for v in motion["vectors"]]
        names = [f"top.position.{c}" for c in "xyz"] + [f"{n}.{k}.{c}" for n, k in vectors for c in "xyz"]
        self.assertIn("pivot.force.x", names)
        series, steps = page.codes(motion["position"])
        for name, row, step in zip(names, series, steps):
            if name not in rows[0]:
                continue
            error = max(abs(x - float(r[name])) for x, r in zip(row, rows))
            # half a step, and the rounding of the numbers around
            self.assertLessEqual(error, 0.5 * step + 1e-15 * max(map(abs, row)), name)
        turns, steps = page.codes(motion["quaternion"])
        step = steps[0]
        for k, row in enumerate(rows):
            given = [turns[i][k] for i in range(4)]
            wanted = [float(row[f"top.quaternion.{c}"]) for c in "wxyz"]
            sign = -1 if sum(a * b for a, b in zip(given, wanted)) < 0 else 1
            self.assertLessEqual(max(abs(sign * a - b) for a, b in zip(given, wanted)), 0.5 * step + 1e-15)
        # the same rotation with the other sign is no jump
        states = (folder / "state.nc").read_bytes()
        one = struct.pack(">4d", *(float(rows[5][f"top.quaternion.{c}"]) for c in "wxyz"))
        self.assertEqual(states.count(one), 1)
        (folder / "state.nc").write_bytes(states.replace(one, bytes(b ^ 0x80 * (i % 8 == 0) for i, b in enumerate(one))))
        self.assertEqual(self.report(folder).codes(motion["quaternion"]), (turns, steps))
        geometry = motion["geometry"]
        self.assertEqual({(s["name"], s["node"]) for s in geometry["solids"]}, {("top", 0)})
        self.assertEqual([(l["name"], l["symbol"], [m["node"] for m in l["markers"]]) for l in geometry["links"]],
                         [("pivot", "ball", [-1, 0])])
        self.assertEqual(geometry["up"], [0, 0, 1])

    def series(self, page, result=0):
        """Signals of full states: values, step of their codes, unit, by name."""
        out = {}
        for part in page.results[result]["motion"]["series"]:
            array = page.head["arrays"][part["names"]]
            names = page.part(array, array["count"]).decode().splitlines()
            values, steps = page.codes(part["array"])
            self.assertEqual(len(names), len(values))
            for line, row, step in zip(names, values, steps):
                name, unit = line.split("\t")
                self.assertNotIn(name, out)
                out[name] = (row, step, unit)
        return out

    def test_states_as_signals(self):
        """Every number of the states has the name, the unit and the values of the signal."""
        scene = self.folder / "scene.json"
        scene.write_text(json.dumps({**json.loads(TOP.read_text()), "output": {
            "every": 10, "signals": ["top", "pivot", "energy", "momentum", "angular_momentum"], "full": {"channels": [
                "position", "quaternion", "velocity", "angular_velocity", "acceleration", "angular_acceleration",
                "multiplier", "output", "energy", "momentum", "angular_momentum", "residual", "residual_rate"]}}}))
        self.torsor("run", "-q", scene, "-o", self.folder / "all", "--set", "simulation.duration=0.1")
        page = self.report(self.folder / "all")
        reported = json.loads((self.folder / "all" / "summary.json").read_text())["signals"]
        units = {signal["signal"]: signal["unit"] for signal in reported}
        rows = list(csv.DictReader((self.folder / "all" / "trajectory.csv").read_text().splitlines()))
        series = self.series(page)
        self.assertEqual(len(series), 3 + 4 + 3 * 4 + 3 + 6 + 4 + 3 + 3 + 3 + 3)
        for name, (values, step, unit) in series.items():
            if "quaternion" in name:
                continue  # of either sign
            self.assertEqual(unit, units[name], name)
            for row, value in zip(rows, values):
                self.assertLessEqual(abs(value - float(row[name])), 0.5 * step * (1 + 1e-9) + 1e-300, name)

    def test_chosen_signals_of_states(self):
        folder = self.run_top("full", "--full")
        page = self.report(folder, "-s", "top.velocity,pivot.lambda.1,pivot.force.x")
        there = {f"top.position.{c}" for c in "xyz"} | {f"top.quaternion.{c}" for c in "wxyz"}
        there |= {f"pivot.{kind}.{c}" for kind in ("force", "moment") for c in "xyz"}
        self.assertEqual(set(self.series(page)), there | {f"top.velocity.{c}" for c in "xyz"} | {"pivot.lambda.1"})
        done = self.torsor("report", folder, "-s", "top.veloc", code=2)
        self.assertIn('state.nc: there is no signal "top.veloc"', done.stderr)
        done = self.torsor("report", self.run_top("plain"), "-s", "top.velocity", code=5)
        self.assertIn("there is no state.nc", done.stderr)

    def test_states_without_places(self):
        folder = self.run_top("energies", "--set", 'output={"full": {"channels": ["energy"]}}')
        page = self.report(folder)
        self.assertEqual(set(self.series(page)), {f"energy.{part}" for part in ("kinetic", "potential", "elastic", "total")})
        self.assertNotIn("position", page.results[0]["motion"])
        self.assertIn("no 3D view", page.results[0]["notices"][0])

    def test_geometry_without_frames(self):
        page = self.report(self.run_top())
        self.assertEqual(sorted(page.results[0]["motion"]), ["geometry", "names"])
        folder = self.run_top("broken")
        (folder / "scene.json").write_text("{")
        page = self.report(folder)
        self.assertEqual(page.results[0]["motion"], {})
        self.assertIn("stand-ins", page.results[0]["notices"][0])

    def test_beams(self):
        scene = {"torsor": 1, "sections": {"pipe": {"shape": "tube", "radius": 0.02, "thickness": 0.002, "E": 2e11, "nu": 0.3, "density": 7850}},
                 "bodies": [{"name": "arm", "type": "beam", "section": "pipe", "elements": 3, "length": 1}],
                 "joints": [{"name": "root", "type": "weld", "a": "ground", "b": "arm.start"}],
                 "simulation": {"step": 1e-3, "duration": 1e-2}}
        file = self.folder / "arm.json"
        file.write_text(json.dumps(scene))
        self.torsor("run", "-q", "--full", file, "-o", self.folder / "arm")
        motion = self.report(self.folder / "arm").results[0]["motion"]
        (beam,) = motion["geometry"]["beams"]
        self.assertEqual((beam["name"], beam["framed"], [motion["names"][i] for i in beam["nodes"]]),
                         ("arm", True, [f"arm[{i}]" for i in range(4)]))
        for key, radius in (("outlines", 0.02), ("holes", 0.018)):
            (loop,) = beam[key]
            for y, z in loop:
                self.assertAlmostEqual(y * y + z * z, radius * radius, delta=1e-6 * radius * radius)
        self.assertEqual(motion["geometry"]["bodies"], [{"name": "arm", "node": beam["nodes"][-1]}])

    def test_warnings_are_kept(self):
        reported = self.torsor("run", DATA / "scenes" / "bennett.json", "-o", self.folder / "b",
                           "--set", "simulation.duration=0.1").stderr
        reported = [line.split("warning: ", 1)[1] for line in reported.splitlines() if "warning: " in line]
        self.assertTrue(reported)
        self.assertEqual(json.loads((self.folder / "b" / "summary.json").read_text())["warnings"], reported)

    def test_nothing_ends_the_element(self):
        """Text of others must not become markup."""
        name = "</script><script>alert(1)</script><!--"
        folder = self.run_top()
        table = (folder / "trajectory.csv").read_text().replace("t,top.position.x", f't,"{name}"', 1)
        (folder / "trajectory.csv").write_text(table)
        page = self.report(folder)
        self.assertEqual(page.results[0]["table"]["columns"][1]["name"], name)
        self.assertNotIn("alert(1)</script>", page.text)
        self.assertEqual(page.text.count("<!--"), 0)

    def test_several_and_reference(self):
        one, two = self.run_top("one"), self.run_top("two", "--set", "simulation.step=5e-4", "--set", "output.every=20")
        page = self.report(one, two, "--reference", DATA / "reference" / "heavy_top.csv")
        self.assertEqual([(r["label"], r["reference"]) for r in page.results],
                         [("one", False), ("two", False), ("reference", True)])
        alone = self.report(two / "trajectory.csv")
        self.assertEqual(alone.results[0]["label"], "trajectory.csv")

    def test_long_trajectory_is_thinned(self):
        rows = 700000  # 3 columns, room for 2e6 numbers
        file = self.folder / "long.csv"
        with file.open("w") as out:
            out.write("t,a,b\n")
            out.writelines(f"{i},{i % 7},1\n" for i in range(rows))
        page = self.report(file)
        table = page.results[0]["table"]
        self.assertEqual((table["every"], table["rows"]), (2, rows // 2))
        t, a, _ = (page.numbers(column["array"]) for column in table["columns"])
        # a comparison by unittest would look for the difference for minutes
        self.assertTrue(t == [float(i) for i in range(0, rows, 2)], t[:5])
        self.assertTrue(a == [float(i % 7) for i in range(0, rows, 2)], a[:5])

    def test_modes(self):
        folder = self.folder / "modes"
        scene = {"torsor": 1, "bodies": [{"name": "ball", "type": "point_mass", "mass": 1}],
                 "forces": [{"name": "spring", "type": "spring_damper", "a": {"body": "ground", "position": [1, 0, 0]},
                             "b": "ball", "stiffness": 10, "length": 1}]}
        file = self.folder / "ball.json"
        file.write_text(json.dumps(scene))
        self.torsor("modes", "-q", file, "-o", folder)
        page = self.report(folder)
        self.assertNotIn("table", page.results[0])
        self.assertEqual(page.file("mode_001.csv"), (folder / "mode_001.csv").read_text())

    def make_study(self, *words, **more):
        (self.folder / "swing.json").write_text(json.dumps({
            "torsor": 1, "gravity": [0, 0, -9.81], "parameters": {"l": 1},
            "bodies": [{"name": "bob", "type": "rigid_body", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": ["l", 0, 0]}],
            "joints": [{"name": "pivot", "type": "revolute", "a": "ground", "axis": [0, 1, 0], "b": {"body": "bob", "position": ["-l", 0, 0]}}],
            "simulation": {"step": 0.01, "duration": 0.3}, "output": {"step": 0.1}}))
        (self.folder / "lengths.json").write_text(json.dumps({
            "torsor_study": 1, "scene": "swing.json", "vary": {"l": {"path": "parameters.l", "from": 1, "to": 2, "count": 5}},
            "outputs": {"low": {"min": "bob.position.z"}}, **more}))
        self.torsor("sweep", self.folder / "lengths.json", "-o", self.folder / "study", "-q", *words)
        return self.folder / "study"

    def test_study(self):
        """The page of a study: its files as they are, and the samples that it keeps, with their whole motion."""
        folder = self.make_study("--keep", "3,1")
        page = self.report(folder)
        files = page.head["study"]["files"]
        for name in "study.json", "table.csv", "summary.json":
            array = page.head["arrays"][files[name]]
            self.assertEqual(page.part(array, array["count"]).decode(), (folder / name).read_text())
        self.assertEqual([r["label"] for r in page.results], ["sample 1", "sample 3"])
        self.assertEqual([json.loads(page.file("sample.json", i))["sample"] for i in (0, 1)], [1, 3])
        for result in page.results:
            self.assertEqual(len(page.numbers(result["motion"]["time"])), 4)
            self.assertIn("position", result["motion"])
        self.assertEqual(self.torsor("report", folder).stdout, f"{folder}/report.html\n")
        self.torsor("sweep", self.folder / "lengths.json", "-o", folder, "-q", "--new")
        self.assertFalse((folder / "report.html").exists())
        self.assertEqual(self.report(folder).results, [])

    def test_many_kept(self):
        """A page has room for 24 samples and says how many it has not."""
        folder = self.make_study(vary={"l": {"path": "parameters.l", "from": 1, "to": 2, "count": 26}}, keep="all")
        page = self.report(folder)
        self.assertEqual((len(page.results), page.head["study"]["left_out"]), (24, 2))

    def test_wrong_study(self):
        folder, top = self.make_study("--keep", "2"), self.run_top()
        for words in (folder, top), (top, folder), (folder, "--reference", top / "trajectory.csv"):
            self.assertIn("has a page of its own", self.torsor("report", *words, code=2).stderr)
        self.assertEqual(len(self.report(top, folder / "samples/000002").results), 2)
        self.assertIn("would replace", self.torsor("report", folder, "-o", folder / "table.csv", code=2).stderr)
        (folder / "table.csv").unlink()
        self.assertIn("--collect", self.torsor("report", folder, code=5).stderr)

    def test_same_bytes(self):
        folder = self.run_top()
        self.assertEqual(self.report(folder).text, self.report(folder).text)

    def test_answers(self):
        folder = self.run_top()
        self.assertEqual(self.torsor("report", folder).stdout, f"{folder}/report.html\n")
        self.assertEqual(json.loads(self.torsor("report", folder, "--json").stdout), {"report": f"{folder}/report.html"})
        self.assertEqual(self.torsor("report", "-q", folder).stdout, "")

    def test_run_with_report(self):
        folder = self.folder / "both"
        done = self.torsor("run", TOP, "-o", folder, "--report", "--set", "simulation.duration=0.1")
        self.assertIn(f"{folder}/report.html", done.stdout)
        self.assertEqual(Page(folder / "report.html").results[0]["label"], "both")
        failing = ["--set", "simulation.step=0.1", "--set", "simulation.max_halvings=0", "--set", "output.every=1"]
        self.torsor("run", TOP, "-o", self.folder / "failed", "--report", *failing, code=4)
        page = Page(self.folder / "failed" / "report.html")
        self.assertNotEqual(json.loads(page.file("summary.json"))["status"], "OK")

    def test_open(self):
        folder, programs = self.run_top(), self.folder / "bin"
        programs.mkdir()
        opener = programs / "xdg-open"
        opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {self.folder}/opened\n')
        opener.chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        self.torsor("report", folder, "--open", PATH=path)
        self.assertEqual((self.folder / "opened").read_text(), f"{folder}/report.html")
        opener.write_text("#!/bin/sh\nexit 3\n")
        done = self.torsor("report", folder, "--open", code=5, PATH=path)
        self.assertIn("the page is written", done.stderr)

    def test_without_bundle(self):
        folder = self.run_top()
        for words in (["report", folder], ["run", TOP, "-o", self.folder / "none", "--report"]):
            done = self.torsor(*words, code=5, TORSOR_REPORT="/no/such.html")
            self.assertIn("apt install nodejs npm", done.stderr)
        self.assertFalse((self.folder / "none").exists(), "the run begins although its page cannot be made")
        self.bundle.write_text("<html></html>")
        self.assertIn("no mark at which to insert the data", self.torsor("report", folder, code=5).stderr)

    def test_wrong_results(self):
        self.torsor("report", code=2)
        self.assertIn("/no/such", self.torsor("report", "/no/such", code=5).stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("trajectory.csv", self.torsor("report", self.folder / "empty", code=5).stderr)
        self.assertFalse((self.folder / "empty" / "report.html").exists())
        folder = self.run_top()
        (folder / "report.html").mkdir()
        self.assertIn("report.html", self.torsor("report", folder, code=5).stderr)


if __name__ == "__main__":
    unittest.main()
