#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are ended from outside and go on: by kill -9 at any moment, by signals, in other folders, for longer.

TORSOR is the path of the command, TORSOR_DATA that of data/, TORSOR_KILLS how many runs are killed (10)."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
SCENES = Path(os.environ["TORSOR_DATA"]).resolve() / "scenes"
KILLS = int(os.environ.get("TORSOR_KILLS", "10"))
OFTEN = ["--checkpoint", "0.01"]

# Half a second of work each: constant steps, controlled ones between the rows, events, redundant rows, all methods.
CASES = [
    ["heavy_top", "simulation.duration=40"],
    ["latch", "simulation.step=1e-4", 'output={"step": 0.02, "full": {"every": 3}}'],
    ["heavy_top_se3", 'simulation={"method": "radau", "step": 1e-3, "duration": 2}'],
    ["heavy_top", 'simulation={"formulation": "ggl", "step": 0.02, "duration": 6, "max_halvings": 20, '
     '"accuracy": {"position": 1e-3, "rotation": 1e-3}}', 'output={"step": 2e-3}'],
    ["triple_pendulum", 'simulation={"method": "soi2", "step": 1e-3, "duration": 10}'],
    ["door", "simulation.duration=60", 'output={"every": 10, "full": true}'],
    ["triple_pendulum", 'simulation={"method": "hht_odae", "hht": -0.1, "step": 1e-3, "duration": 10}'],
    ["heavy_top", 'simulation={"method": "rattle", "step": 1e-3, "duration": 20}'],
    ["chain", "simulation.duration=1"],
]


def torsor(*arguments):
    """Run the command; the result has code, out and err."""
    done = subprocess.run([TORSOR, *map(str, arguments)], capture_output=True, text=True, timeout=240)
    done.code, done.out, done.err = done.returncode, done.stdout, done.stderr
    return done


def changes(case):
    return [word for change in case[1:] for word in ("--set", change)]


def files_of(folder):
    """Names of what a run has left."""
    return sorted(file.name for file in folder.iterdir())


def numbers_of(folder):
    """The summary without its times."""
    summary = json.loads((folder / "summary.json").read_text())
    return {key: value for key, value in summary.items() if not key.endswith("seconds")}


class ResumeCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-resume-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def expect(self, done, code, *words):
        self.assertEqual(done.code, code, f"stdout: {done.out}\nstderr: {done.err}")
        for word in words:
            self.assertIn(word, done.err)
        return done

    def run_whole(self, case, name="whole"):
        """A run without a break."""
        folder = self.folder / name
        self.expect(torsor("run", SCENES / f"{case[0]}.json", "-q", "-o", folder, *changes(case)), 0)
        return folder

    def expect_same(self, whole, other, longer=False):
        """`longer`: the duration has changed, on which it depends where errors are looked at: some estimates differ."""
        left_out = {"error_estimate"} if longer else set()
        found, expected = ({k: v for k, v in numbers_of(folder).items() if k not in left_out} for folder in (other, whole))
        self.assertEqual(found, expected)
        for name in ["scene.json", "trajectory.csv", "state.nc"]:
            if (whole / name).exists():
                self.assertEqual((whole / name).read_bytes(), (other / name).read_bytes(), name)

    def start(self, *arguments):
        return subprocess.Popen([TORSOR, "run", *map(str, arguments)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def wait_for(self, file, process):
        """Until it is there."""
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end and process.poll() is None:
            time.sleep(0.002)
        self.assertTrue(file.exists(), f"{file} does not appear")


class KillTest(ResumeCase):
    """kill -9 at random moments, once or more often: the bytes are those of a run without a break."""

    def expect_readable(self, folder):
        """Whole rows; the last one may be cut, as the system may be in the middle of it."""
        file = folder / "trajectory.csv"
        rows = file.read_text().split("\n") if file.exists() else []
        for row in rows[1:-1]:
            self.assertEqual(row.count(","), rows[0].count(","))
            [float(field) for field in row.split(",")]

    def break_run(self, case, moments):
        """How often it went on."""
        out, resumed = self.folder / "broken", 0
        shutil.rmtree(out, ignore_errors=True)
        arguments = [SCENES / f"{case[0]}.json", "-q", "-o", out, *changes(case)]
        for moment in moments:
            process = self.start(*arguments, *OFTEN)
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.kill()
            process.wait()
            if out.exists():
                self.expect_readable(out)
            if (out / "checkpoint").exists():
                arguments = ["--resume", out, "-q"]
                resumed += 1
        self.expect(torsor("run", *arguments), 0)
        return resumed

    def test_kills(self):
        dice = random.Random(1)
        wholes, seconds, resumed = [], [], 0
        for i, case in enumerate(CASES):
            begin = time.monotonic()
            wholes.append(self.run_whole(case, f"whole{i}"))
            seconds.append(time.monotonic() - begin)
        kills = 0
        while kills < KILLS:
            i = kills % len(CASES)
            moments = [dice.uniform(0, seconds[i]) for _ in range(1 + dice.randrange(2))]
            resumed += self.break_run(CASES[i], moments)
            kills += len(moments)
            self.expect_same(wholes[i], self.folder / "broken")
        print(f"{kills} runs killed, {resumed} of them went on from a checkpoint", flush=True)
        self.assertGreater(resumed, 0)


class SignalTest(ResumeCase):
    """SIGINT and SIGTERM finish the step and leave a checkpoint, whatever the time."""

    def test_signals(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            out = self.folder / number.name
            # The step is so small that it does not end by itself.
            process = self.start(SCENES / "latch.json", "-q", "-o", out, "--set", "simulation.step=1e-6")
            self.wait_for(out / "trajectory.csv", process)
            time.sleep(0.05)
            process.send_signal(number)
            self.assertEqual(process.wait(60), code)
            summary = json.loads((out / "summary.json").read_text())
            self.assertEqual(summary["status"], "INTERRUPTED")
            last = (out / "trajectory.csv").read_text().splitlines()[-1]
            self.assertEqual(float(last.split(",")[0]), summary["t"])
            self.assertEqual(files_of(out), ["checkpoint", "scene.json", "summary.json", "trajectory.csv"])

    def test_goes_on(self):
        """The row at the interruption, which is none of the output times, is gone again."""
        case = ["heavy_top", "simulation.duration=200", "output.every=17"]
        whole, out = self.run_whole(case), self.folder / "out"
        process = self.start(SCENES / "heavy_top.json", "-q", "-o", out, *changes(case))
        self.wait_for(out / "trajectory.csv", process)
        time.sleep(0.1)
        process.terminate()
        self.assertEqual(process.wait(60), 143)
        self.expect(torsor("run", "--resume", out, "-q"), 0)
        self.expect_same(whole, out)


class FolderTest(ResumeCase):
    case = ["latch", "simulation.step=1e-3"]

    def cut_run(self, name="cut"):
        """A run that was killed when it had a checkpoint."""
        folder = self.folder / name
        process = self.start(SCENES / "latch.json", "-q", "-o", folder, *OFTEN, "--set",
                             "simulation.step=1e-4")
        self.wait_for(folder / "checkpoint", process)
        process.kill()
        process.wait()
        return folder

    def test_done_run(self):
        """There is a checkpoint near the end; going on from it gives the same end."""
        whole = self.run_whole(["heavy_top"])
        self.expect(torsor("run", SCENES / "heavy_top.json", "-q", "-o", self.folder / "again"), 0)
        self.expect(torsor("run", "--resume", self.folder / "again", "-q"), 0)
        self.expect_same(whole, self.folder / "again")

    def test_longer(self):
        whole = self.run_whole(["heavy_top", "simulation.duration=1.5", "output.every=7"])
        brief = self.run_whole(["heavy_top", "output.every=7"], "brief")
        self.expect(torsor("run", "--resume", brief, "-q", "--set", "simulation.duration=1.5"), 0)
        self.expect_same(whole, brief, longer=True)
        self.expect(torsor("run", "--resume", brief, "-q", "--set", "simulation.duration=1.2"), 2,
                    "the duration is 1.2 s", "longer")
        self.expect_same(whole, brief, longer=True)

    def test_other_folder(self):
        """The first one stays; neither knows where it is."""
        case = ["latch", "simulation.step=1e-4"]
        whole, cut = self.run_whole(case), self.cut_run()
        before = {file.name: file.read_bytes() for file in cut.iterdir()}
        moved = self.folder / "a" / "b"
        moved.parent.mkdir()
        cut.rename(moved)
        other = self.folder / "c" / "d"
        self.expect(torsor("run", "--resume", moved, "-o", other, "-q"), 0)
        self.assertEqual(before, {file.name: file.read_bytes() for file in moved.iterdir()})
        self.expect_same(whole, other)
        self.assertNotIn(str(self.folder).encode(), (other / "checkpoint").read_bytes())
        self.expect(torsor("run", "--resume", other, "-q"), 0)
        self.expect_same(whole, other)
        # the same folder by another name
        self.expect(torsor("run", "--resume", moved, "-o", moved / ".", "-q"), 0)
        self.expect_same(whole, moved)

    def test_none_wanted(self):
        for options in [["--checkpoint", "0"], ["--set", "output.checkpoint=0"]]:
            out = self.folder / "none"
            self.expect(torsor("run", SCENES / "heavy_top.json", "-q", "-o", out, *options), 0)
            self.assertFalse((out / "checkpoint").exists())
            self.expect(torsor("run", "--resume", out), 5, "no checkpoint", "beginning")
        self.expect(torsor("run", SCENES / "heavy_top.json", "-o", out, "--set", "output.checkpoint=-1"), 3,
                    "output.checkpoint", "0 or greater")
        self.expect(torsor("run", SCENES / "heavy_top.json", "-o", out, "--checkpoint", "never"), 2, "never")

    def test_new_run_has_no_old_checkpoint(self):
        cut = self.cut_run()
        self.expect(torsor("run", SCENES / "heavy_top.json", "-q", "-o", cut, "--checkpoint", "0"), 0)
        self.assertFalse((cut / "checkpoint").exists())

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed (Debian: strace)")
    def test_waits_for_the_disk(self):
        """Checkpoints of the timer are on the disk before the run goes on; that of a short run need not be."""
        def syncs(duration, *options):
            trace = self.folder / "trace"
            done = subprocess.run(["strace", "-f", "-o", trace, "-e", "trace=fsync,fdatasync", TORSOR, "run",
                                   SCENES / "heavy_top.json", "-q", "-o", self.folder / "out",
                                   "--set", f"simulation.duration={duration}", *options], capture_output=True, text=True)
            if "ptrace" in done.stderr:
                self.skipTest("strace may not trace here")
            self.assertEqual(done.returncode, 0, done.stderr)
            return len([line for line in trace.read_text().splitlines() if "sync(" in line])

        self.assertEqual(syncs(0.02), 0)
        self.assertTrue((self.folder / "out" / "checkpoint").exists())
        self.assertGreaterEqual(syncs(20, "--checkpoint", "0.001"), 3)  # rows, checkpoint, folder

    def test_unwritable_checkpoint(self):
        """The run is worth more."""
        whole, out = self.run_whole(["heavy_top"]), self.folder / "out"
        (out / "checkpoint.tmp").mkdir(parents=True)
        done = torsor("run", SCENES / "heavy_top.json", "-o", out, "--checkpoint", "0.001")
        self.expect(done, 0, "no checkpoint at t = ")
        self.assertEqual(done.err.count("no checkpoint"), 1)
        self.expect_same(whole, out)

    def refuse(self, cut, code, *words, options=()):
        """And leave everything as it is."""
        before = {file.name: file.read_bytes() for file in cut.iterdir()}
        self.expect(torsor("run", "--resume", cut, *options), code, *words)
        self.assertEqual(before, {file.name: file.read_bytes() for file in cut.iterdir()})

    def test_refusals(self):
        good = self.cut_run()

        def copy():
            cut = self.folder / "damaged"
            shutil.rmtree(cut, ignore_errors=True)
            shutil.copytree(good, cut)
            return cut

        self.refuse(copy(), 2, "simulation.step", "simulation.duration only",
                    options=["--set", "simulation.step=1"])
        self.refuse(copy(), 2, "one argument too many", options=[SCENES / "latch.json"])
        self.expect(torsor("run", "--resume", self.folder / "nowhere"), 5, "there is no folder or file", "nowhere")
        self.expect(torsor("run"), 2, "the command needs one more argument")
        cut = copy()
        scene = json.loads((cut / "scene.json").read_text())
        scene["bodies"][0]["mass"] = 7
        (cut / "scene.json").write_text(json.dumps(scene))
        self.refuse(cut, 3, "scene.json", "it was changed", "simulation.duration")
        cut = copy()
        (cut / "scene.json").write_text("{")
        self.refuse(cut, 3, "scene.json:1:")
        cut = copy()
        (cut / "checkpoint").unlink()
        self.refuse(cut, 5, "no checkpoint")
        cut = copy()
        whole = (cut / "checkpoint").read_bytes()
        for damaged, word in [(whole[:-1], "has too few or too many bytes"), (whole[:20], "is no checkpoint"), (b"", "is no checkpoint"),
                              (whole[:3000] + bytes([whole[3000] ^ 1]) + whole[3001:], "checksum"),
                              (whole.replace(b"0.1.0", b"0.0.9", 1), "torsor 0.0.9")]:
            (cut / "checkpoint").write_bytes(damaged)
            self.refuse(cut, 5, "checkpoint", word)
        cut = copy()
        rows = (cut / "trajectory.csv").read_bytes()
        last = json.loads(self.expect(torsor("run", "--resume", copy(), "--json"), 0).out)
        self.assertEqual(last["status"], "OK")
        cut = copy()
        for damaged in [b"", rows[:100], rows.replace(b"axle", b"axis", 1), rows.replace(b"\n", b" ")]:
            (cut / "trajectory.csv").write_bytes(damaged)
            self.refuse(cut, 5, "trajectory.csv", "is not the file of the checkpoint")
        (cut / "trajectory.csv").unlink()
        self.refuse(cut, 5, "trajectory.csv", "No such file")

    def test_full_states(self):
        """state.nc goes on, too, in any folder; one that was changed is refused."""
        case = ["latch", "simulation.step=1e-4", 'output={"every": 20, "full": {"every": 3}}']
        whole, cut, other = self.run_whole(case), self.folder / "cut", self.folder / "other"
        process = self.start(SCENES / "latch.json", "-q", "-o", cut, *OFTEN, *changes(case))
        self.wait_for(cut / "checkpoint", process)
        process.kill()
        process.wait()
        states = (cut / "state.nc").read_bytes()
        for damaged in [b"", states[:40], b"x" + states[1:]]:
            (cut / "state.nc").write_bytes(damaged)
            self.refuse(cut, 5, "state.nc", "is not the file of the checkpoint")
        (cut / "state.nc").write_bytes(states)
        self.expect(torsor("run", "--resume", cut, "-o", other, "-q"), 0)
        self.expect_same(whole, other)
        self.expect(torsor("run", "--resume", cut, "-q"), 0)
        self.expect_same(whole, cut)
        # asked for by an option, which the scene knows nothing of
        for name, options in [("asked", []), ("gone on", OFTEN)]:
            self.expect(torsor("run", SCENES / "heavy_top.json", "--full", "-q", "-o", self.folder / name,
                               *options), 0)
        self.expect(torsor("run", "--resume", self.folder / "gone on", "-q"), 0)
        self.expect_same(self.folder / "asked", self.folder / "gone on")

    def test_json(self):
        error = json.loads(self.expect(torsor("run", "--resume", self.folder, "--json"), 5).out)["error"]
        self.assertEqual(error["status"], "FILE")
        cut = self.cut_run()
        summary = json.loads(self.expect(torsor("run", "--resume", cut, "--json"), 0).out)
        self.assertEqual((summary["status"], summary["scene"], len(summary["events"])), ("OK", "latch", 4))


if __name__ == "__main__":
    unittest.main()
