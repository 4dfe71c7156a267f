#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Result files from outside: NetCDF read by other programs, sizes announced before, disks that are full, folders
that cannot be written or vanish, programs that are killed.

TORSOR is the path of the command, TORSOR_DATA that of data/, TORSOR_KILLS the number of kills."""

import csv
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kit"))
from result_kit import States, full_device, killed, whole_rows  # noqa: E402

TORSOR = os.environ["TORSOR"]
SCENES = Path(os.environ["TORSOR_DATA"]).resolve() / "scenes"
KILLS = int(os.environ.get("TORSOR_KILLS", "6"))
TOP = SCENES / "heavy_top.json"


def say(text):
    print(text, file=sys.stderr)


def torsor(*arguments, program=TORSOR, **options):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          check=False, **options)


def python_with(module):
    """A Python that has the module: Debian's packages are those of /usr/bin/python3."""
    for program in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([program, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            return program
    return None


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-files-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.out = self.folder / "out"
        self.state = self.out / "state.nc"
        self.trajectory = self.out / "trajectory.csv"

    def run_scene(self, scene, *arguments, code=0, **options):
        done = torsor("run", scene, "-o", self.out, *arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self):
        with open(self.trajectory, encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
        return {name: [float(row[i]) for row in rows] for i, name in enumerate(names)}

    def expect_error(self, done, *words):
        self.assertEqual(done.returncode, 5, done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)


class ReadersTest(FilesTest):
    """Return the contents of state.nc as programs other than the writer read them."""

    GOVERNOR = SCENES / "flyball_governor.json"

    def make(self):
        self.run_scene(self.GOVERNOR, "--full", "--set", "simulation.duration=0.2", "--set", "output.every=5",
                       "--set", 'output.signals=["shaft.position", "right.position", "bearing.force", "energy"]')
        return self.rows()

    def test_specification(self):
        """By a reader that was written from the format's specification."""
        rows = self.make()
        states = States(self.state)
        self.assertEqual(states.counted, len(rows["t"]))
        self.assertEqual(len(states.data), states.head + states.counted * states.record)
        self.assertEqual(states.attributes["Conventions"], "CF-1.8")
        self.assertEqual(states.attributes["scene"] + "\n", (self.out / "scene.json").read_text())
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual(states.attributes["scene_hash"], summary["scene_hash"])
        self.assertEqual(json.loads(states.attributes["settings"]), summary["settings"])
        self.assertEqual(states.attributes["method"], summary["method"])
        nodes, outputs, parts = (states.texts(name) for name in ("node_name", "output_name", "energy_name"))
        compared = 0
        for record in range(states.counted):
            self.assertEqual(states.numbers("time", record)[0], rows["t"][record])
            position, output = states.numbers("position", record), states.numbers("output", record)
            energy = states.numbers("energy", record)
            for name, column in rows.items():
                owner, _, component = name.rpartition(".")
                if name in outputs:
                    self.assertEqual(output[outputs.index(name)], column[record], name)
                elif owner.endswith(".position") and owner[:-len(".position")] in nodes:
                    place = 3 * nodes.index(owner[:-len(".position")]) + "xyz".index(component)
                    self.assertEqual(position[place], column[record], name)
                elif owner == "energy" and component in parts:
                    self.assertEqual(energy[parts.index(component)], column[record], name)
                else:
                    continue
                compared += 1
        self.assertGreater(compared, 4 * states.counted)

    def test_ncdump(self):
        if not shutil.which("ncdump"):
            self.skipTest("ncdump is not there (Debian package netcdf-bin)")
        self.make()
        done = subprocess.run(["ncdump", "-h", self.state], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in ("time = UNLIMITED ; // (", "double position(time, node, xyz) ;",
                     'angular_velocity:axes = "body" ;', 'node_group:flag_meanings = "R3 SO3 R3xSO3 SE3" ;',
                     ':Conventions = "CF-1.8" ;'):
            self.assertIn(line, done.stdout)
        kind = subprocess.run(["ncdump", "-k", self.state], capture_output=True, text=True, check=False)
        self.assertEqual(kind.stdout.strip(), "64-bit offset")

    def read_with(self, module, code, package):
        program = python_with(module)
        if not program:
            self.skipTest(f"Python's {module} is not there (Debian package {package})")
        rows = self.make()
        done = subprocess.run([program, "-c", code, self.state], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["t"], rows["t"])
        self.assertEqual(answer["energy"], rows["energy.total"])
        self.assertEqual(answer["names"], States(self.state).texts("node_name"))

    def test_scipy(self):
        self.read_with("scipy.io", """
import json, sys
from scipy.io import netcdf_file
with netcdf_file(sys.argv[1], mmap=False) as f:
    names = [b"".join(row).rstrip(b"\\0").decode() for row in f.variables["node_name"][:]]
    print(json.dumps({"t": f.variables["time"][:].tolist(), "names": names,
                      "energy": f.variables["energy"][:, 3].tolist()}))
""", "python3-scipy")

    def test_netcdf4(self):
        self.read_with("netCDF4", """
import json, sys, netCDF4
f = netCDF4.Dataset(sys.argv[1])
assert f["position"].units == "m" and f["position"].axes == "inertial"
print(json.dumps({"t": f["time"][:].tolist(), "names": f["node_name"][:].tolist(),
                  "energy": f["energy"][:, 3].tolist()}))
""", "python3-netcdf4")

    def test_xarray(self):
        self.read_with("xarray", """
import json, sys, xarray
f = xarray.open_dataset(sys.argv[1])
assert f.position.dims == ("time", "node", "xyz")
for name in f.node_name.values:
    at = list(f.node_name.values).index(name)
    assert (f.position.sel(node=name, xyz="z") == f.position[:, at, 2]).all()
assert (f.energy.sel(energy_part="total") == f.energy[:, 3]).all()
assert list(f.element_output.values) == list(f.output_name.values) and list(f.row.values) == list(f.row_name.values)
print(json.dumps({"t": f.time.values.tolist(), "names": [str(n) for n in f.node_name.values],
                  "energy": f.energy[:, 3].values.tolist()}))
""", "python3-xarray")

    def test_statics(self):
        done = torsor("statics", SCENES / "catenary.json", "--full", "-o", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        states = States(self.state)
        rows = self.rows()
        self.assertEqual([states.numbers("load", i)[0] for i in range(states.counted)], rows["t"])
        self.assertEqual(states.attributes["analysis"], "statics")

    def test_same_bytes(self):
        self.make()
        first = self.state.read_bytes()
        self.make()
        self.assertEqual(self.state.read_bytes(), first)

    def test_channels(self):
        self.run_scene(TOP, "--set", 'output.full={"every": 4, "channels": ["energy", "residual"]}',
                       "--set", "simulation.duration=0.1")
        states = States(self.state)
        rows = self.rows()["t"]
        self.assertEqual({name for name in states.variables if states.is_record(name)},
                         {"time", "energy", "residual"})
        self.assertEqual([states.numbers("time", i)[0] for i in range(states.counted)],
                         [t for i, t in enumerate(rows) if i % 4 == 0 or i == len(rows) - 1])

    def test_not_wanted(self):
        self.run_scene(TOP, "--full", "--set", "simulation.duration=0.01")
        self.assertTrue(self.state.exists())
        self.run_scene(TOP, "--set", "simulation.duration=0.01")
        self.assertFalse(self.state.exists(), "states of another run stand beside the new trajectory")

    def test_wrong_words(self):
        for full, words in [('"yes"', ["full"]), ('{"channels": ["positions"]}', ["positions", "position"]),
                            ('{"channels": []}', ["names no channel"]), ('{"every": 0}', ["every"])]:
            done = torsor("check", TOP, "--set", f"output.full={full}")
            self.assertEqual(done.returncode, 3, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)
        done = torsor("check", TOP, "--set", "output.sync=-1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("0 or greater", done.stderr)


class SizeTest(FilesTest):
    def test_sizes_are_known_before(self):
        for scene, settings in [("heavy_top", ["simulation.duration=0.3"]),
                                ("rotating_shaft", ["simulation.duration=0.05"]),
                                ("timoshenko_modes", ['simulation={"step": 1e-4, "duration": 1e-2, "start": "plain"}',
                                                      "gravity=[0, 3, -9]", "parameters.n=4",
                                                      'output={"full": {"channels": ["stress", "energy"]}}']),
                                ("chain", ["parameters.n=40", "simulation.duration=0.3"]),
                                ("flyball_governor", ["output.full={\"every\": 7}", "simulation.duration=1"])]:
            changes = [word for setting in settings for word in ("--set", setting)]
            check = torsor("check", SCENES / f"{scene}.json", "--json", *changes)
            self.assertEqual(check.returncode, 0, check.stderr)
            reported = json.loads(check.stdout)["output"]
            self.run_scene(SCENES / f"{scene}.json", "--full", *changes)
            state, trajectory = self.state.stat().st_size, self.trajectory.stat().st_size
            say(f"  {scene}: state.nc {reported['state_bytes']} B reported, {state} found; trajectory.csv about "
                f"{reported['trajectory_bytes']} reported, {trajectory} found")
            self.assertEqual(reported["state_bytes"], state)
            self.assertEqual(reported["states"], States(self.state).counted)
            self.assertEqual(reported["rows"], len(self.rows()["t"]))
            # numbers of 1 to 24 letters
            self.assertLess(abs(trajectory / reported["trajectory_bytes"] - 1), 0.6)

    def test_disk_that_lacks_it(self):
        """More than any disk has: nothing is begun, and what was there is left."""
        self.run_scene(TOP, "--set", "simulation.duration=0.01")
        before = {file.name: file.read_bytes() for file in self.out.iterdir()}
        long = ["--set", "simulation.step=1e-4", "--set", "simulation.duration=1e7"]
        for full in ([], ["--full"]):
            done = self.run_scene(TOP, *long, *full, code=5)
            self.expect_error(done, self.out, "need about", "the disk has only", "hint:", "every", "-o")
            self.assertRegex(done.stderr, r"need about [\d.]+ TB")
            self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir()}, before)
        self.assertIn("channels", done.stderr)

    def test_event_may_end_it(self):
        scene = json.loads(TOP.read_text())
        scene["events"] = [{"name": "end", "when": "t - 0.01", "action": "stop"}]
        file = self.folder / "scene.json"
        file.write_text(json.dumps(scene))
        done = self.run_scene(file, "--set", "simulation.step=1e-4", "--set", "simulation.duration=1e7")
        self.assertIn("unless an event ends the run before", done.stderr)


class FailureTest(FilesTest):
    LONG = ["--set", "simulation.duration=1e4", "--set", "output.every=1"]

    def check_whole(self, least=1):
        """Both files have whole rows and nothing else."""
        self.assertEqual(self.trajectory.read_bytes(), whole_rows(self.trajectory))
        states = States(self.state)
        self.assertEqual(len(states.data), states.head + states.counted * states.record)
        for i in (0, states.counted - 1):
            self.assertAlmostEqual(states.numbers("time", i)[0], i * 1e-3, delta=1e-12)
        self.assertGreaterEqual(states.counted, least)

    def limit(self, size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def test_quota(self):
        """A file that may not grow any more: an error, not a signal.  The larger file meets it first."""
        for file, signals in [(self.trajectory, "top"), (self.state, "energy.total")]:
            done = self.run_scene(TOP, *self.LONG, "--full", "--set", f'output.signals=["{signals}"]',
                                  code=5, preexec_fn=self.limit(300000))
            self.expect_error(done, file, "File too large")
            self.check_whole(500)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual(summary["status"], "FILE")

    def test_full_device(self):
        for name in ("trajectory.csv", "state.nc", "scene.json"):
            with self.subTest(name):
                shutil.rmtree(self.out, ignore_errors=True)
                self.out.mkdir()
                full_device(self, self.out / name)
                done = torsor("run", TOP, "--full", "-o", self.out)
                if name == "scene.json":  # replaced as a whole, whatever it was
                    self.assertEqual(done.returncode, 0, done.stderr)
                else:
                    self.expect_error(done, self.out / name)

    def test_small_disk(self):
        """A disk of a megabyte that fills up in the middle."""
        self.out.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.out], capture_output=True,
                check=False).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.out], check=False)
        done = self.run_scene(TOP, *self.LONG, "--full", code=5)
        self.expect_error(done, "need about", "MB", "the disk has only 1.05 MB")
        scene = json.loads(TOP.read_text())
        scene["events"] = [{"name": "end", "when": "t - 1e3", "action": "stop"}]
        (self.folder / "scene.json").write_text(json.dumps(scene))
        done = self.run_scene(self.folder / "scene.json", *self.LONG, "--full", code=5)
        self.expect_error(done, "No space left")
        self.check_whole(500)

    def test_pipes(self):
        self.out.mkdir()
        for name in ("trajectory.csv", "state.nc"):
            os.mkfifo(self.out / name)
            done = torsor("run", TOP, "--full", "-o", self.out)
            self.expect_error(done, self.out / name, "start a program that reads the pipe first")
            for file in (self.trajectory, self.state):
                file.unlink(missing_ok=True)

    def test_pipe_with_a_reader(self):
        """The trajectory may go into a pipe; a reader that leaves is an error."""
        self.out.mkdir()
        os.mkfifo(self.trajectory)
        got = []

        def read(size):
            with open(self.trajectory, "rb") as pipe:
                got.append(pipe.read(size))

        for size, code in [(-1, 0), (1000, 5)]:
            reader = threading.Thread(target=read, args=(size,))
            reader.start()
            time.sleep(0.3)  # it must be there before
            done = self.run_scene(TOP, "--set", "output.every=1", code=code)
            reader.join()
        self.assertIn("Broken pipe", done.stderr)
        self.assertEqual(len(got[0].splitlines()), 1002)

    def test_read_only_folder(self):
        """Existing files are left; the check comes before anything is changed."""
        self.run_scene(TOP, "--set", "simulation.duration=0.01", "--full")
        before = {file.name: file.read_bytes() for file in self.out.iterdir()}
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        # nobody may have no way to where these are
        nobody["program"] = shutil.copy(TORSOR, self.folder)
        top = shutil.copy(TOP, self.folder)
        self.out.chmod(0o555)
        self.addCleanup(self.out.chmod, 0o755)
        self.expect_error(self.run_scene(top, code=5, **nobody), self.out, "write into the folder")
        self.out.chmod(0o777)
        for file in self.out.iterdir():
            file.chmod(0o666)
        self.state.chmod(0o444)
        self.expect_error(self.run_scene(top, "--full", code=5, **nobody), self.state, "denied")
        self.assertEqual({file.name: file.read_bytes() for file in self.out.iterdir()}, before)
        self.expect_error(torsor("run", TOP, "-o", "/proc/nothing"), "/proc/nothing")

    def test_vanished_folder(self):
        """The files are written to the end, but nobody will find them: that is reported."""
        with subprocess.Popen([TORSOR, "run", TOP, "-o", self.out, *self.LONG, "--full"],
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            while not self.state.exists():
                time.sleep(0.01)
            time.sleep(0.2)
            shutil.rmtree(self.out)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5, err)
        self.assertIn("summary.json", err)
        self.assertIn("No such file or directory", err)
        self.assertEqual(out, "")

    def test_failed_computation(self):
        """A run that fails leaves whole files."""
        failing = ["--set", "simulation.step=0.1", "--set", "simulation.max_halvings=0", "--set",
                   "output.every=1", "--full"]
        self.run_scene(TOP, *failing, code=4)
        states = States(self.state)
        self.assertEqual(states.counted, len(self.rows()["t"]))
        self.assertEqual(len(states.data), states.head + states.counted * states.record)


class KilledTest(FilesTest):
    """SIGKILL, at moments that nobody chose."""

    def test_any_moment(self):
        self.check_any_moment(TOP, [], 8, 0.25, 2 * KILLS, 10)

    def test_any_moment_of_long_states(self):
        """Those of 300 links, which a thread of its own writes."""
        self.check_any_moment(SCENES / "chain.json", ["--set", "parameters.n=300"], 0.3, 1.2, KILLS, 1)

    def check_any_moment(self, scene, changes, duration, most, kills, least):
        """Rows are written as fast as they come.  What is left is the beginning of what an uninterrupted run
        writes, to the last bit."""
        settings = [*changes, "--full", "--set", "output.sync=0", "--set", "output.every=1"]
        self.run_scene(scene, *settings, "--set", f"simulation.duration={duration}")
        whole = States(self.state)
        records, rows = whole.records(), self.trajectory.read_bytes()
        command = [TORSOR, "run", scene, "-o", self.out, *settings, "--set", "simulation.duration=100"]
        # as many as fit RELAY_BYTES, within 2 and 64
        on_the_way = max(2, min(64, 2**21 // whole.record)) if changes else 0
        longest = empty = ahead = 0
        for _ in killed(list(map(str, command)), self.state, 0, most, kills):
            try:
                left = States(self.state)
            except (ValueError, AssertionError) as error:
                self.assertEqual(self.state.stat().st_size, 0, error)  # before the header was written
                empty += 1
                continue
            self.assertEqual(left.record, whole.record)
            compared = min(len(left.records()), len(records))
            self.assertEqual(left.records()[:compared], records[:compared])
            text = whole_rows(self.trajectory) if self.trajectory.exists() else b""
            if text:  # it is made after the other
                compared = min(len(text), len(rows))
                self.assertEqual(text[:compared], rows[:compared])
                # a row is in the trajectory first, then its state, after those on their way to the thread
                ahead = max(ahead, text.count(b"\n") - 1 - left.counted)
                self.assertIn(text.count(b"\n") - 1 - left.counted, range(0, on_the_way + 2))
            longest = max(longest, left.counted)
        say(f"  {kills} kills: {empty} before the header, up to {longest} states, rows up to {ahead} ahead of states, "
            f"at most {on_the_way + 1}")
        self.assertGreaterEqual(longest, least)

    def test_no_older_than_sync(self):
        """Few small rows, so that nothing but the clock writes them: rows that are older than `sync` are there.
        Events tell when a time was reached."""
        sync, slack = 0.1, 0.4  # the slack is for a machine with other things to do
        scene = json.loads((SCENES / "chain.json").read_text())
        scene["parameters"]["n"] = 60
        scene["events"] = [{"name": "tick", "when": "sin(2*pi*t/0.004)", "direction": "rising", "action": "log"}]
        scene["simulation"].update(step=1e-4, duration=1e3)  # the chain gets wild after some 5 s, which are not reached
        scene["output"] = {"every": 40, "signals": ["energy.total"], "sync": sync,
                           "full": {"channels": ["energy"]}}
        file = self.folder / "scene.json"
        file.write_text(json.dumps(scene))
        command = list(map(str, [TORSOR, "run", file, "-o", self.out, "-v"]))
        worst = 0
        for at, lines in killed(command, self.state, 0.8, 1.4, KILLS, seed=2):
            ticks = [(when, float(t)) for when, line in lines for t in re.findall(r"tick.* t = (\S+)\s", line)]
            reached = [t for when, t in ticks if when < at - sync - slack]
            states = States(self.state)
            rows = whole_rows(self.trajectory).splitlines()
            self.assertGreater(len(reached), 0, "nothing was reported in time")
            for last in (states.numbers("time", states.counted - 1)[0], float(rows[-1].split(b",")[0])):
                self.assertGreaterEqual(last, reached[-1])
                lost = [when for when, t in ticks if t > last]
                worst = max(worst, at - min(lost, default=at))
            self.assertLess(len(states.data), 60000, "the buffer was full")
        say(f"  {KILLS} kills: rows lost in the end were up to {worst:.2f} s old, sync is {sync} s")


if __name__ == "__main__":
    unittest.main(verbosity=2)
