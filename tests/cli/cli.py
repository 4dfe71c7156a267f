#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command from outside: exit codes, streams, files, JSON, signals.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import csv
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kit"))
from result_kit import full_device  # noqa: E402

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
TOP = str(DATA / "scenes" / "heavy_top.json")
DISC = str(DATA / "scenes" / "spinning_disc.json")
VERBS = ["run", "statics", "modes", "linearise", "response", "periodic", "sweep", "fit", "optimise", "check", "compare", "converge", "plot", "report", "export",
         "fmu", "reduce", "verify", "list", "describe", "schema", "import", "manual", "completion"]
SHORT = ["--set", "simulation.duration=0.05"]
# Hours of work, and a row now and then.
ENDLESS = ["--set", "simulation.duration=1e5", "--set", "output.every=100"]
FAILING = ["--set", "simulation.step=0.1", "--set", "simulation.max_halvings=0",
           "--set", "output.every=1"]


def torsor(*arguments, **options):
    """Run the command; the result has code, out and err."""
    done = subprocess.run([TORSOR, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, **options)
    done.code, done.out, done.err = done.returncode, done.stdout, done.stderr
    return done


def read_rows(file):
    """Header and rows of a CSV file whose rows must be whole."""
    content = Path(file).read_bytes()
    assert content.endswith(b"\n"), "the last row is cut off"
    rows = list(csv.reader(content.decode().splitlines()))
    assert all(len(row) == len(rows[0]) for row in rows), "ragged rows"
    return rows[0], [[float(field) for field in row] for row in rows[1:]]


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def expect(self, done, code):
        self.assertEqual(done.code, code, f"stdout: {done.out}\nstderr: {done.err}")
        return done

    def expect_error(self, done, code, *words):
        """Nothing on stdout, a message with the words on stderr."""
        self.expect(done, code)
        self.assertEqual(done.out, "")
        self.assertTrue(done.err.startswith("torsor"), done.err)
        for word in words:
            self.assertIn(word, done.err)

    def expect_json_error(self, done, code, status):
        """The error as a document on stdout, nothing on stderr."""
        self.expect(done, code)
        self.assertEqual(done.err, "")
        error = json.loads(done.out)["error"]
        self.assertEqual(set(error), {"status", "message", "file", "path", "line", "column", "hint"})
        self.assertEqual(error["status"], status)
        self.assertTrue(error["message"])
        return error


class GeneratedTest(CliTest):
    """The manual page and the completion are made from what the verbs say."""

    def test_manual(self):
        page = self.expect(torsor("manual"), 0).out
        plain = page.replace("\\-", "-")
        self.assertTrue(page.startswith(".TH TORSOR 1 "))
        for verb in VERBS:
            self.assertIn(f".SS torsor {verb}", plain)
            for option in re.findall(r"--[a-z]+", torsor(verb, "--help").out):
                self.assertIn(option, plain + "--help --usage --version")
        if shutil.which("man"):
            (self.folder / "torsor.1").write_text(page)
            done = subprocess.run(["man", "--warnings", "-l", str(self.folder / "torsor.1")],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "")

    def complete(self, *words):
        """Return the words that bash would offer in place of the last one."""
        script = self.expect(torsor("completion"), 0).out
        line = " ".join(f"'{word}'" for word in ["torsor", *words])
        script += f"COMP_WORDS=({line})\nCOMP_CWORD={len(words)}\n_torsor\necho ${{COMPREPLY[@]}}\n"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("con"), ["converge"])
        self.assertEqual(self.complete(""), VERBS)
        self.assertEqual(self.complete("converge", "--st"), ["--steps"])
        self.assertEqual(self.complete("run", "--se"), ["--sensitivities", "--set"])
        self.assertEqual(self.complete("describe", "rev"), ["revolute"])
        self.assertEqual(self.complete("list", "j"), ["joints"])
        self.assertEqual(self.complete("run", "--progress", "al"), ["always"])
        self.assertEqual(self.complete("run", "da"), [])  # bash's own, files


class KeptSceneTest(CliTest):
    """scene.json in the folder of results is the scene, whole: changes made, other files put in."""

    def run_again(self, verb, scene, *options):
        """Both folders; the second analysis is of the scene that the first one left, moved away."""
        first, second = self.folder / "first", self.folder / "second"
        kept = self.folder / "elsewhere" / "scene.json"
        kept.parent.mkdir()
        self.expect(torsor(verb, DATA / "scenes" / f"{scene}.json", "-q", "-o", first, *options), 0)
        (first / "scene.json").rename(kept)
        self.expect(torsor(verb, kept, "-q", "-o", second), 0)
        self.assertEqual((second / "scene.json").read_bytes(), kept.read_bytes())
        hashes = [json.loads((f / "summary.json").read_text())["scene_hash"] for f in (first, second)]
        self.assertEqual(hashes[0], hashes[1])
        return first, second

    def test_run(self):
        for scene, *options in [["heavy_top"], ["latch"], ["reduced_boom"], ["variable_hoist"],
                                ["chain", "--set", "parameters.n=7", "--set", "simulation.step=2e-3"]]:
            with self.subTest(scene=scene):
                first, second = self.run_again("run", scene, *options)
                self.assertEqual((first / "trajectory.csv").read_bytes(),
                                 (second / "trajectory.csv").read_bytes())
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def test_includes(self):
        part = {"torsor": 1, "parameters": {"g": 2}, "bodies": [
            {"name": "a${i}", "type": "point_mass", "repeat": 2, "mass": "g + i", "position": ["i", 0, 0]}]}
        whole = {"torsor": 1, "include": ["part.json"], "gravity": [0, 0, "-g"], "comment": "none of this",
                 "simulation": {"step": 0.1, "duration": 0.2}}
        (self.folder / "part.json").write_text(json.dumps(part))
        (self.folder / "whole.json").write_text(json.dumps(whole))
        self.run_again("run", self.folder / "whole", "--set", "parameters.g=3")
        kept = json.loads((self.folder / "elsewhere" / "scene.json").read_text())
        self.assertEqual(kept, {"torsor": 1, "parameters": {"g": 3}, "gravity": whole["gravity"],
                                "bodies": part["bodies"], "simulation": whole["simulation"]})

    def test_statics(self):
        first, second = self.run_again("statics", "right_angle_frame", "--set", "parameters.n=10")
        self.assertEqual((first / "trajectory.csv").read_bytes(), (second / "trajectory.csv").read_bytes())

    def test_modes(self):
        first, second = self.run_again("modes", "reduced_boom")
        self.assertEqual((first / "modes.csv").read_bytes(), (second / "modes.csv").read_bytes())

    def test_refused_file(self):
        """A folder that cannot be written keeps what it has."""
        out = self.folder / "out"
        self.expect(torsor("run", TOP, "-q", "-o", out, *SHORT), 0)
        before = (out / "trajectory.csv").read_bytes()
        (out / "scene.json").unlink()
        (out / "scene.json").mkdir()
        self.expect_error(torsor("run", TOP, "-o", out, *SHORT), 5, "scene.json")
        self.assertEqual((out / "trajectory.csv").read_bytes(), before)


class UsageTest(CliTest):
    def test_help_and_version(self):
        for verb in [[], *[[verb] for verb in VERBS]]:
            done = self.expect(torsor(*verb, "--help"), 0)
            self.assertIn("Usage: torsor", done.out)
            self.assertEqual(done.err, "")
            done = self.expect(torsor(*verb, "--version"), 0)
            self.assertRegex(done.out, r"^torsor \d+\.\d+\.\d+\n$")
        verbs = torsor("--help").out
        for verb in VERBS:
            self.assertIn(f"\n  {verb}", verbs)
            options = torsor(verb, "--help").out
            for option in ["--set", "--plugin", "--threads", "--progress", "--quiet", "--verbose", "--json"]:
                self.assertIn(option, options)

    def test_no_verb(self):
        done = self.expect(torsor(), 2)
        self.assertEqual(done.out, "")
        self.assertIn("Usage: torsor", done.err)
        self.assertIn("converge", done.err)

    def test_unknown_verb(self):
        self.expect_error(torsor("rum", TOP), 2, '"rum"', 'did you mean "run"', "verify")
        self.expect_error(torsor("dynamics", TOP), 2, '"dynamics"', "run, statics, modes, linearise, response")

    def test_unknown_options(self):
        for verb in VERBS:
            self.expect_error(torsor(verb, "--frobnicate"), 2, "--frobnicate")
        self.expect_error(torsor("run", TOP, "--progress", "often"), 2, "auto, always or never")
        for threads in ["0", "-1", "1.5", "two", "33", ""]:
            self.expect_error(torsor("run", TOP, "--threads", threads), 2, "whole number from 1 to 32")

    def test_argument_counts(self):
        for verb in ["run", "check", "converge", "describe"]:
            self.expect_error(torsor(verb), 2, "one more argument", f"usage: torsor {verb}")
            self.expect_error(torsor(verb, "a", "b"), 2, "too many", '"b"')
        self.expect_error(torsor("compare", "a"), 2, "one more argument", "RESULT REFERENCE")
        self.expect_error(torsor("schema", "a"), 2, "too many")
        self.expect_json_error(torsor("check", "--json"), 2, "ARGUMENT")

    def test_answer_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            for verb in [["list"], ["schema"], ["check", TOP], ["describe", "revolute"]]:
                done = subprocess.run([TORSOR, *verb], stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 5)
                self.assertIn("No space left", done.stderr)

    def test_missing_plugin(self):
        self.expect_error(torsor("list", "--plugin", "/no/such.so"), 5, "/no/such.so")
        self.expect_json_error(torsor("list", "--json", "--plugin", "/no/such.so"), 5, "PLUGIN")


class RunTest(CliTest):
    def run_top(self, *arguments, folder="out", **options):
        return torsor("run", TOP, "-o", self.folder / folder, *arguments, **options)

    def test_files_and_streams(self):
        done = self.expect(self.run_top(*SHORT), 0)
        self.assertEqual(done.err, "")
        for word in ["heavy_top: done", "50, 0 rejected", "Newton", "CPU", "phi", "energy", "out/"]:
            self.assertIn(word, done.out)
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["checkpoint", "scene.json", "summary.json", "trajectory.csv"])
        header, rows = read_rows(self.folder / "out" / "trajectory.csv")
        self.assertEqual(header[:4], ["t", "top.position.x", "top.position.y", "top.position.z"])
        self.assertEqual([row[0] for row in rows], [n * 0.01 for n in range(6)])
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        for key in ["status", "message", "version", "scene", "scene_hash", "method", "settings",
                    "steps", "rejected_steps", "newton_iterations", "factorizations",
                    "residual_evaluations", "cpu_seconds", "wall_seconds", "setup_seconds",
                    "max_phi", "max_phi_velocity", "energy"]:
            self.assertIn(key, summary)
        self.assertEqual(set(summary["energy"]), {"initial", "final", "max_drift", "supplied", "dissipated",
                                                  "max_balance"})
        self.assertEqual((summary["status"], summary["scene"]), ("OK", "heavy_top"))
        self.assertEqual((summary["steps"], summary["t"]), (50, 0.05))
        self.assertEqual(summary["settings"]["step"], 1e-3)
        self.assertGreater(summary["setup_seconds"], 0)

    def test_json_is_the_summary(self):
        done = self.expect(self.run_top(*SHORT, "--json"), 0)
        self.assertEqual(done.err, "")
        self.assertEqual(done.out, (self.folder / "out" / "summary.json").read_text())

    def test_profile(self):
        self.expect(self.run_top(*SHORT, folder="plain"), 0)
        done = self.expect(self.run_top(*SHORT, "--profile"), 0)
        plain, summary = (json.loads((self.folder / f / "summary.json").read_text()) for f in ("plain", "out"))
        self.assertEqual(*[(self.folder / f / "trajectory.csv").read_bytes() for f in ("plain", "out")])
        profile = summary.pop("profile")
        self.assertEqual(plain.keys(), summary.keys())
        loop, steps, reading = (profile.pop(key) for key in ("loop", "steps", "reading"))
        self.assertEqual(steps, 50)
        # whole nanoseconds, however they are written
        parts = {name: round(1e9 * part["seconds"]) for name, part in profile.items()}
        self.assertEqual(list(parts), ["residual", "tangent", "factor", "solve", "line_search", "constraints", "powers",
                                       "events", "output", "upkeep", "rest"])
        self.assertEqual(sum(parts.values()), round(1e9 * loop))
        self.assertGreaterEqual(min(parts.values()), 0)
        self.assertLess(0, reading)
        self.assertLessEqual(loop, summary["wall_seconds"] + 1e-9)
        self.assertGreaterEqual(profile["residual"]["calls"], summary["residual_evaluations"])
        self.assertGreaterEqual(profile["factor"]["calls"], summary["factorizations"])
        self.assertEqual(profile["output"]["calls"], 5)
        table = done.out[done.out.index("time loop"):].splitlines()
        self.assertEqual([line.split()[0] for line in table[1:-1]],
                         [name for name, part in profile.items() if part.get("calls", 1)] + ["sum"])
        self.assertIn("reading the clock", table[-1])
        self.assertNotIn("time loop", self.expect(self.run_top(*SHORT, "-q", "--profile"), 0).out)

    def test_quiet(self):
        done = self.expect(self.run_top(*SHORT, "-q"), 0)
        self.assertEqual((done.out, done.err), ("", ""))

    def test_default_folder(self):
        self.expect(torsor("run", TOP, *SHORT, cwd=self.folder), 0)
        self.assertTrue((self.folder / "out" / "heavy_top" / "summary.json").is_file())

    def test_nested_folder(self):
        self.expect(self.run_top(*SHORT, folder="a/b//c/"), 0)
        self.assertTrue((self.folder / "a" / "b" / "c" / "trajectory.csv").is_file())

    def test_same_bytes_twice(self):
        for name in ["one", "two"]:
            self.expect(self.run_top(folder=name), 0)
        one, two = [(self.folder / name / "trajectory.csv").read_bytes() for name in ["one", "two"]]
        self.assertEqual(one, two)

    def test_set(self):
        done = self.expect(self.run_top(*SHORT, "--set", "simulation.step=5e-4", "--set",
                                        'output.signals=["energy.total"]', "--json"), 0)
        self.assertEqual(json.loads(done.out)["steps"], 100)
        header, _ = read_rows(self.folder / "out" / "trajectory.csv")
        self.assertEqual(header, ["t", "energy.total"])

    def test_bad_scenes(self):
        self.expect_error(torsor("run", "/no/such.json"), 5, "/no/such.json", "No such file")
        self.expect_error(self.run_top("--set", "bodies.top.mass=-1"), 3, "bodies[0].mass", "hint:")
        error = self.expect_json_error(
            self.run_top("--json", "--set", 'output.signals=["top.positon"]'), 3, "SCENE")
        self.assertEqual(error["path"], "output.signals[0]")
        self.assertIn("top.position", error["hint"])
        scene = self.folder / "bad.json"
        scene.write_text('{"torsor": 1,\n  "bodies": [{"name": "b", "type": "rigid_bod"}]}\n')
        self.expect_error(torsor("run", scene), 3, f"{scene}:2:", "rigid_body")
        error = self.expect_json_error(torsor("run", scene, "--json"), 3, "SCENE")
        self.assertEqual((error["file"], error["line"]), (str(scene), 2))
        self.assertFalse((self.folder / "out").exists())

    def test_errors_of_the_analysis_have_a_place(self):
        """Errors that only the analysis finds are reported with file, line and element all the same."""
        self.expect_error(self.run_top("--set", "joints.pivot.b.position=[0,-0.9,0]"), 3,
                          "heavy_top.json:", "joints[0]", "pivot", "instead of 0")
        error = self.expect_json_error(
            torsor("check", TOP, "--json", "--set", "bodies.top.velocity=[0,0,1]"), 3, "INCONSISTENT")
        self.assertEqual(error["path"], "joints[0]")
        self.assertGreater(error["line"], 1)

    def test_methods_that_refuse_a_scene(self):
        """`check` finds it, too, both with exit code 3 and a place in the file."""
        point = {"name": "b", "type": "point_mass", "mass": 1, "position": [1, 0, 0], "velocity": [0, 0, 0]}
        body = {"name": "b", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1]}
        damper = {"name": "f", "type": "spring_damper", "a": "ground", "b": "b", "stiffness": 1, "damping": 1,
                  "length": 1}
        knife = {"name": "k", "type": "knife_edge", "a": "ground", "b": "b"}
        pin = {"type": "spherical", "a": "ground", "b": "b"}
        pins = [{"name": "p", **pin}, {"name": "q", **pin}]
        base = {"step": 0.01, "duration": 0.1}
        for words, simulation, parts in [
                ('spring_damper "f" has damping', {"method": "rattle"}, {"bodies": [point], "forces": [damper]}),
                ("is nonholonomic", {"method": "rattle"}, {"bodies": [body], "joints": [knife]}),
                ("constraint rows that do not depend", {"method": "hht_odae"}, {"bodies": [body], "joints": pins}),
                ("reaction", {"method": "hht_odae", "reaction": "midpoint"}, {"bodies": [body], "joints": [knife]}),
                ("violate the stability condition", {"rho_inf": 1}, {"bodies": [body], "joints": pins[:1]}),
        ]:
            scene = self.folder / "scene.json"
            scene.write_text(json.dumps({"torsor": 1, **parts, "simulation": {**base, **simulation}}, indent=1))
            text = scene.read_text().splitlines()
            for verb in ["check", "run"]:
                with self.subTest(words=words, verb=verb):
                    arguments = ["-o", self.folder / "out"] if verb == "run" else []
                    error = self.expect_json_error(torsor(verb, scene, *arguments, "--json", "-q"), 3, "SCENE")
                    self.assertIn(words, error["message"])
                    self.assertEqual(error["file"], str(scene))
                    self.assertTrue(error["path"].startswith("simulation"), error)
                    self.assertIn(error["path"].split(".")[-1], text[error["line"] - 1])
                    self.assertGreater(error["column"], 1)

    def test_events(self):
        """Reported with -v and in the summary; one that stops ends the run well; mistakes have a place."""
        latch, out = str(DATA / "scenes" / "latch.json"), self.folder / "out"
        done = self.expect(torsor("run", latch, "-v", "-o", str(out)), 0)
        self.assertIn('stopped by         "limit"', done.out)
        self.assertIn('event "three turns" at t = 1.5132', done.err)
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual([(e["name"], e["direction"]) for e in summary["events"]],
                         [("three turns", "rising"), ("reversal", "falling"), ("lowest", "rising"),
                          ("limit", "rising")])
        self.assertEqual((summary["status"], summary["t"]), ("OK", summary["events"][-1]["t"]))
        self.assertTrue(summary["message"].startswith('stopped by event "limit" at t = 2.95'))
        last = (out / "trajectory.csv").read_text().splitlines()[-1]
        self.assertEqual(float(last.split(",")[0]), summary["t"])
        when = "events.limit.when=hinge.angle - sqrt(1 - t)"
        done = self.expect_error(torsor("run", latch, "-o", str(out), "--set", when), 4,
                                 'event "limit"', "nan", "t = 1.0")
        self.assertGreater(len((out / "trajectory.csv").read_text().splitlines()), 49)
        self.expect_error(torsor("check", latch, "--set", "events.limit.when=hinge.angel"), 3,
                          "events[3].when", "hinge.angle")

    def test_undamped_methods(self):
        """Refused with constraints, fine without; a first-order method is warned of."""
        self.expect_error(self.run_top("--set", "simulation.rho_inf=1"), 3,
                          "simulation: the parameters violate the stability condition", "alpha_f = 0.5", "rho_inf")
        rotor = str(DATA / "scenes" / "free_rotor.json")
        quick = ["-o", str(self.folder / "out"), "--set", "simulation.duration=0.1"]
        done = self.expect(torsor("run", rotor, *quick, "--set", "simulation.rho_inf=1"), 0)
        self.assertEqual(done.err, "")
        scene = json.loads(Path(rotor).read_text())
        del scene["simulation"]["rho_inf"]
        scene["simulation"]["newmark"] = {"beta": 0.3025, "gamma": 0.6}
        (self.folder / "damped.json").write_text(json.dumps(scene))
        done = self.expect(torsor("run", self.folder / "damped.json", *quick), 0)
        self.assertIn("violate the order condition: gamma = 0.6", done.err)

    def test_failure_keeps_what_there_is(self):
        self.expect_error(self.run_top(*FAILING), 4, "t = 0.1", "pivot", "hint:",
                          f"are in {self.folder}/out/")
        _, rows = read_rows(self.folder / "out" / "trajectory.csv")
        self.assertEqual(len(rows), 1)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertIn("t = 0.1", summary["message"])
        self.assertNotEqual(summary["status"], "OK")
        error = self.expect_json_error(self.run_top(*FAILING, "--json"), 4, summary["status"])
        self.assertEqual(error["message"], summary["message"])

    def test_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        self.expect_error(self.run_top(folder="file/out"), 5, "file/out", "Not a directory")
        self.expect_json_error(self.run_top("--json", folder="file/out"), 5, "FILE")

    def test_folder_without_a_name(self):
        self.expect_error(torsor("run", TOP, "-o", "", *SHORT), 5, "make the folder", "No such file")

    def test_data_that_is_none(self):
        done = torsor("verify", "heavy_top", env={**os.environ, "TORSOR_DATA": str(self.folder)})
        self.expect_error(done, 5, "TORSOR_DATA names no folder with reference/ in it", str(self.folder))

    def test_full_disk(self):
        (self.folder / "out").mkdir()
        full_device(self, self.folder / "out" / "trajectory.csv")
        self.expect_error(self.run_top(), 5, "out/trajectory.csv", "No space left")

    def test_disk_full_in_the_middle(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        done = self.run_top("--set", "output.every=1", preexec_fn=limit, restore_signals=False)
        self.expect_error(done, 5, "out/trajectory.csv", "File too large")
        _, rows = read_rows(self.folder / "out" / "trajectory.csv")
        self.assertGreater(len(rows), 1)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertEqual(summary["status"], "FILE")

    def test_no_old_summary_beside_a_new_trajectory(self):
        self.expect(self.run_top(*SHORT), 0)
        (self.folder / "out" / "trajectory.csv").unlink()
        full_device(self, self.folder / "out" / "trajectory.csv")
        self.expect(self.run_top(*SHORT), 5)
        self.assertFalse((self.folder / "out" / "summary.json").exists())


class EstimateTest(CliTest):
    """Runs that leave the estimate of errors out have the same bytes, and say nothing of coarse steps."""

    def run_both(self, scene, *settings):
        done = []
        for wanted in ("true", "false"):
            words = [word for setting in (*settings, f"simulation.error_estimate={wanted}") for word in ("--set", setting)]
            done.append(self.expect(torsor("run", DATA / "scenes" / scene, "-o", self.folder / wanted, *words), 0))
        with_it, without = ((self.folder / folder / "trajectory.csv").read_bytes() for folder in ("true", "false"))
        self.assertEqual(with_it, without)
        summary = [json.loads((self.folder / folder / "summary.json").read_text()) for folder in ("true", "false")]
        self.assertGreater(summary[0]["error_estimate"], 0)
        self.assertIsNone(summary[1]["error_estimate"])
        self.assertEqual(summary[1]["settings"]["error_estimate"], False)
        return done, summary

    def test_same_bytes(self):
        short = "simulation.duration=0.2"
        for scene, settings in (("chain.json", [short]), ("ball_in_groove.json", [short]),
                                ("chain.json", [short, "simulation.formulation=index3"])):
            with self.subTest(scene, settings=settings):
                self.run_both(scene, *settings)

    def test_coarse_steps(self):
        done, _ = self.run_both("double_pendulum.json", "simulation.step=0.02")
        self.assertIn("errors add up to", done[0].err)
        self.assertNotIn("errors add up to", done[1].err)

    def test_kept_and_wrong(self):
        self.run_both("heavy_top.json", "simulation.duration=0.1")
        kept = json.loads((self.folder / "false" / "scene.json").read_text())
        self.assertIs(kept["simulation"]["error_estimate"], False)
        done = self.expect(torsor("run", TOP, "-o", self.folder / "out", "--set", "simulation.error_estimate=no"), 3)
        self.assertIn("simulation.error_estimate", done.err)


class ProgressTest(CliTest):
    LONG = ["--set", "simulation.duration=1e5", "--set", "output.every=1000"]

    def start(self, *arguments, **options):
        return subprocess.Popen([TORSOR, "run", TOP, "-o", self.folder / "out", *self.LONG,
                                 *arguments], text=True, **options)

    def stop(self, process):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        return out, err

    def test_lines_when_not_a_terminal(self):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = self.start("--progress", "always", **pipes)
        time.sleep(1.5)
        _, err = self.stop(process)
        lines = err.splitlines()
        self.assertGreaterEqual(len(lines), 1)
        self.assertLessEqual(len(lines), 4)
        for line in lines:
            self.assertRegex(line, r"^t = \S+ of 100000 s .*%  \S+ s/s  \d+ steps, 0 rejected"
                                   r"  Newton \d\.\d\d  [\d:]+ left$")
        for arguments in [[], ["--progress", "never"], ["--progress", "auto"]]:
            process = self.start(*arguments, **pipes)
            time.sleep(0.8)
            self.assertEqual(self.stop(process)[1], "")

    def rope(self, lifted):
        """A weight on a rope that is slack soon after the weight is lifted, at that time."""
        scene = {
            "torsor": 1, "gravity": [0, 0, -9.81],
            "bodies": [{"name": "rope", "type": "cable", "end": [0, 0, -2], "stiffness": 1000, "density": 1e-3,
                        "elements": 1, "damping_factor": 0.01},
                       {"name": "weight", "type": "point_mass", "mass": 1, "position": [0, 0, -2]}],
            "joints": [{"name": "hook", "type": "spherical", "a": "ground", "b": "rope.start"},
                       {"name": "knot", "type": "spherical", "a": "rope.end", "b": "weight"}],
            "forces": [{"name": "lift", "type": "force", "at": "weight", "force": [0, 0, 12],
                        "scale": f"t < {lifted} ? 0 : 1"}],
            "simulation": {"step": 1e-3, "duration": 1e5, "initial": "equilibrium"},
            "output": {"every": 10}}
        file = self.folder / "rope.json"
        file.write_text(json.dumps(scene))
        return file

    def read_until(self, stream, pattern):
        """Return the bytes that came from the descriptor until they had the pattern, and the match."""
        written, end = "", time.monotonic() + 30
        while not (match := re.search(pattern, written, re.M)):
            self.assertLess(time.monotonic(), end, written)
            if select.select([stream], [], [], 1)[0]:
                part = os.read(stream, 4096)
                self.assertTrue(part, written)
                written += part.decode()
        return written, match

    SLACK = r'^torsor: warning: cable_element "rope\.element\[0\]" is slack at t = (\S+)\r?\n'

    def test_warnings_come_while_it_runs(self):
        process = subprocess.Popen(
            [TORSOR, "run", self.rope(0.1), "-o", self.folder / "out", "--progress", "always"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        _, slack = self.read_until(process.stderr.fileno(), self.SLACK)
        # cos(w t) = 1 - m g / 12 N, w^2 = 500 N/m / m: 0.062 s after it is lifted, shown by the next row
        self.assertGreater(float(slack[1]), 0.16)
        self.assertLess(float(slack[1]), 0.175)
        _, line = self.read_until(process.stderr.fileno(), r"^t = (\S+) of 100000 s .* left$")
        self.assertGreater(float(line[1]), float(slack[1]))
        self.assertIsNone(process.poll())
        self.stop(process)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertEqual(sum("slack" in warning for warning in summary["warnings"]), 1)

    def test_what_the_whole_run_tells_comes_after_any_number_of_warnings(self):
        """Ten links whose steps are halved more than twenty times and gain energy."""
        out = self.folder / "out"
        done = self.expect(torsor("run", DATA / "scenes" / "chain.json", "-o", out, "--set", "simulation.step=5e-3",
                                  "--set", "simulation.formulation=index3"), 0)
        warnings = json.loads((out / "summary.json").read_text())["warnings"]
        self.assertEqual(len(warnings), 21)
        self.assertEqual([i for i, warning in enumerate(warnings) if "halved the step" not in warning], [20])
        self.assertRegex(warnings[20], r"the energy grew by \S+ J without a supply")
        self.assertIn(warnings[20], done.err)
        self.assertIn("further warnings are left out", done.err)

    def test_warning_begins_a_line_on_a_terminal(self):
        """It comes when there is a line of progress, which stands."""
        short = self.expect(torsor("run", self.rope(1e6), "-o", self.folder / "out", "--json",
                                   "--set", "simulation.duration=5"), 0)
        seconds = json.loads(short.out)["cpu_seconds"]
        terminal, stderr = self.open_terminal(200)
        process = subprocess.Popen(
            [TORSOR, "run", self.rope(1.2 * 5 / seconds), "-o", self.folder / "out"],
            stdout=subprocess.DEVNULL, stderr=stderr, env={**os.environ, "NO_COLOR": "1"})
        self.addCleanup(process.kill)
        os.close(stderr)
        written, _ = self.read_until(terminal, self.SLACK)
        self.assertRegex(written, r"\rt = [^\n]* left *\r?\ntorsor: warning: cable_element")
        self.stop(process)
        os.close(terminal)

    def open_terminal(self, columns):
        try:
            terminal, stderr = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal here: {error}")
        termios.tcsetwinsize(stderr, (24, columns))
        return terminal, stderr

    def on_terminal(self, *arguments, columns):
        """Return the text that a run writes to a terminal."""
        terminal, stderr = self.open_terminal(columns)
        process = self.start(*arguments, stdout=subprocess.DEVNULL, stderr=stderr,
                             env={**os.environ, "NO_COLOR": "1"})
        os.close(stderr)
        time.sleep(1.3)
        self.stop(process)
        written = b""
        while select.select([terminal], [], [], 0)[0]:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            written += part
        os.close(terminal)
        return written

    def test_one_line_on_a_terminal(self):
        for arguments, shown in [([], True), (["-q"], False), (["--progress", "never"], False)]:
            written = self.on_terminal(*arguments, columns=200)
            self.assertEqual(b"\rt = " in written, shown, written)
            self.assertNotIn(b"\x1b", written)

    def test_narrow_terminal(self):
        written = self.on_terminal(columns=40)
        self.assertIn(b"\rt = ", written)
        for line in written.replace(b"\n", b"\r").split(b"\r"):
            self.assertLess(len(line), 40, written)


class InterruptTest(CliTest):
    def test_first_interrupt(self):
        for flag in [[], ["--json"]]:
            process = subprocess.Popen(
                [TORSOR, "run", TOP, "-o", self.folder / "out", *ENDLESS, *flag],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err), (130, ""))
            _, rows = read_rows(self.folder / "out" / "trajectory.csv")
            summary = json.loads((self.folder / "out" / "summary.json").read_text())
            self.assertEqual(summary["status"], "INTERRUPTED")
            self.assertGreater(summary["steps"], 100)
            self.assertEqual(rows[-1][0], summary["t"])
            if flag:
                self.assertEqual(json.loads(out), summary)
            else:
                self.assertIn("interrupted", out)

    def test_interrupt_before_the_first_step(self):
        """While a large scene is read and set up, which takes far longer than a second, the program ends at once."""
        chain = {"torsor": 1, "parameters": {"n": 20000}, "bodies": [
            {"name": "b${i}", "repeat": "n", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1],
             "position": ["i + 0.5", 0, 0]}],
            "joints": [{"name": "first", "type": "revolute", "axis": [0, 1, 0], "a": "ground",
                        "b": {"body": "b0", "position": [-0.5, 0, 0]}},
                       {"name": "j${i}", "repeat": "n - 1", "type": "revolute", "axis": [0, 1, 0],
                        "a": {"body": "b${i}", "position": [0.5, 0, 0]},
                        "b": {"body": "b${i + 1}", "position": [-0.5, 0, 0]}}],
            "simulation": {"step": 1e-3, "duration": 1}, "output": {"signals": ["energy.total"]}}
        scene = self.folder / "chain.json"
        scene.write_text(json.dumps(chain))
        slowest = 0
        for verb in [["run", scene], ["run", scene, "--json"], ["statics", scene], ["modes", scene], ["check", scene],
                     ["converge", scene, "--steps", "1e-3,5e-4"]]:
            for number, wait in [(signal.SIGTERM, 0.2), (signal.SIGINT, 0.7), (signal.SIGTERM, 1.5)]:
                with self.subTest(verb=verb, number=number, wait=wait):
                    process = subprocess.Popen([TORSOR, *map(str, verb)], cwd=self.folder, stdout=subprocess.PIPE,
                                               stderr=subprocess.PIPE, text=True)
                    time.sleep(wait)
                    process.send_signal(number)
                    sent = time.monotonic()
                    out, err = process.communicate(timeout=60)
                    slowest = max(slowest, time.monotonic() - sent)
                    self.assertEqual(list(self.folder.rglob("summary.json")), [])
                    self.assertEqual(out, "")
                    if process.returncode == -number:  # before the program began, on a busy machine
                        self.assertEqual(err, "")
                        continue
                    self.assertEqual(process.returncode, 128 + number, err)
                    self.assertIn("interrupted before there were results", err)
        print(f"a signal during the set-up of 20000 links: ended within {slowest:.2f} s")
        # Nothing is computed then: a second on the busiest machine.
        self.assertLess(slowest, 5 if os.getloadavg()[0] > os.cpu_count() else 1)

    def begin_endless_step(self):
        """A full pipe that nobody empties stands for a step that does not end, as where a library factors a large matrix."""
        (self.folder / "out").mkdir()
        os.mkfifo(self.folder / "out" / "trajectory.csv")
        pipe = os.open(self.folder / "out" / "trajectory.csv", os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(pipe, b" " * 4096)
        os.read(pipe, 4096)  # room for the header row
        process = subprocess.Popen([TORSOR, "run", TOP, "-o", self.folder / "out", *ENDLESS], stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        time.sleep(1)
        return process

    def test_second_interrupt_ends_at_once(self):
        process = self.begin_endless_step()
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_interrupt_within_a_long_step(self):
        """The step may end within a second; then the program does, without a summary."""
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                process = self.begin_endless_step()
                process.send_signal(number)
                sent = time.monotonic()
                _, err = process.communicate(timeout=60)
                took = time.monotonic() - sent
                print(f"a signal within a step that does not end: ended after {took:.2f} s")
                self.assertEqual(process.returncode, 128 + number, err)
                self.assertIn("interrupted within a step that takes long", err)
                self.assertFalse((self.folder / "out" / "summary.json").exists())
                self.assertLess(took, 6 if os.getloadavg()[0] > os.cpu_count() else 1.5)


class StaticsTest(CliTest):
    SCENE = {"torsor": 1, "gravity": [0, 0, -10],
             "bodies": [{"name": "m", "type": "point_mass", "mass": 2, "position": [0, 0, -1]}],
             "forces": [{"name": "s", "type": "spring_damper", "a": "ground", "b": "m", "stiffness": 100}],
             "statics": {"steps": 4}, "output": {"signals": ["m.position.z"]}}

    def statics(self, *arguments, **changes):
        file = self.folder / "scene.json"
        file.write_text(json.dumps({**self.SCENE, **changes}))
        return torsor("statics", file, "-o", self.folder / "out", *arguments)

    def test_files_and_streams(self):
        done = self.expect(self.statics("-q"), 0)
        self.assertEqual((done.out, done.err), ("", ""))
        done = self.expect(self.statics(), 0)
        for word in ["scene: done", "load reached       1", "4, 0 rejected", "stability", "out/"]:
            self.assertIn(word, done.out)
        header, rows = read_rows(self.folder / "out" / "trajectory.csv")
        self.assertEqual(header, ["t", "m.position.z"])
        self.assertEqual([row[0] for row in rows], [0, 0.25, 0.5, 0.75, 1])
        for load, z in rows:
            self.assertAlmostEqual(z, -1 - 0.2 * load, delta=1e-15)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        expected = {"status": "OK", "analysis": "statics", "method": "newton", "load": 1, "rows": 5,
                    "critical": [], "buckling": [], "unstable": 0, "tangent_sign": 1, "steps": 4,
                    "signals": [{"signal": "m.position.z", "unit": "m"}]}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        self.assertEqual(json.loads(self.expect(self.statics("--json"), 0).out)["rows"], 5)

    def test_profile(self):
        self.expect(self.statics(), 0)
        rows = (self.folder / "out" / "trajectory.csv").read_bytes()
        done = self.expect(self.statics("--profile"), 0)
        self.assertEqual((self.folder / "out" / "trajectory.csv").read_bytes(), rows)
        profile = json.loads((self.folder / "out" / "summary.json").read_text())["profile"]
        loop, steps = (profile.pop(key) for key in ("loop", "steps"))
        del profile["reading"]
        self.assertEqual((steps, profile["output"]["calls"], profile["events"]["calls"]), (4, 5, 0))
        self.assertEqual(sum(round(1e9 * part["seconds"]) for part in profile.values()), round(1e9 * loop))
        table = done.out[done.out.index("  path  "):].splitlines()
        self.assertEqual([line.split()[0] for line in table[1:-1]],
                         [name for name, part in profile.items() if part.get("calls", 1)] + ["sum"])

    def test_critical_points_are_reported(self):
        truss = {"gravity": [0, 0, 0], "forces": [
            {"name": "s", "type": "spring_damper", "a": {"body": "ground", "position": [1, 0, 0]}, "b": "m",
             "stiffness": 100},
            {"name": "up", "type": "force", "at": "m", "force": [0, 0, 100]}],
            "joints": [{"name": "guide", "type": "point_on_line", "a": "ground", "b": "m"}],
            "statics": {"method": "arc_length", "buckling": 1}}
        done = self.expect(self.statics(**truss), 0)
        self.assertEqual(done.out.count("limit point"), 2)
        self.assertIn("buckling loads", done.out)
        done = self.expect(self.statics("--set", "statics.method=newton", **truss), 4)
        self.assertIn("no equilibrium is found beyond load", done.err)
        self.assertIn("arc_length", done.err)
        self.assertIn("results up to load = ", done.err)
        self.assertGreater(len(read_rows(self.folder / "out" / "trajectory.csv")[1]), 1)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertEqual(summary["status"], "STEP")

    def test_errors(self):
        free = {"bodies": [{"name": "m", "type": "point_mass", "mass": 2}], "forces": []}
        self.expect_error(self.statics(**free), 4, "scene.json", "body \"m\" is unconstrained")
        self.expect_json_error(self.statics("--json", **free), 4, "STEP")
        self.expect_error(self.statics("--set", "statics.until=0"), 3, "statics.until", "load 0")
        self.expect_error(self.statics("--set", "statics.arc=1"), 3, "statics.arc", "arc_length")
        self.expect_error(self.statics("--set", "statics.step=1"), 3, "steps")
        self.expect_error(torsor("statics"), 2, "the command needs one more argument")


class ModesTest(CliTest):
    SCENE = {"torsor": 1,
             "bodies": [{"name": "m", "type": "point_mass", "mass": 2, "position": [1, 0, 0]}],
             "joints": [{"name": "rail", "type": "point_on_line", "axis": [1, 0, 0], "a": "ground", "b": "m"}],
             "forces": [{"name": "s", "type": "spring_damper", "a": "ground", "b": "m", "stiffness": 50}]}

    def modes(self, *arguments, **changes):
        file = self.folder / "scene.json"
        file.write_text(json.dumps({**self.SCENE, **changes}))
        return torsor("modes", file, "-o", self.folder / "out", *arguments)

    def test_files_and_streams(self):
        (self.folder / "out").mkdir()
        (self.folder / "out" / "mode_002.csv").write_text("of an earlier run")
        done = self.expect(self.modes("-q"), 0)
        self.assertEqual((done.out, done.err), ("", ""))
        done = self.expect(self.modes(), 0)
        for word in ["frequency Hz", "0.79577472", "undamped", "out/"]:
            self.assertIn(word, done.out)
        self.assertEqual(sorted(file.name for file in (self.folder / "out").iterdir()),
                         ["mode_001.csv", "modes.csv", "scene.json", "summary.json"])
        header, row = (self.folder / "out" / "modes.csv").read_text().splitlines()
        self.assertEqual(header.split(",")[:5], ["index", "kind", "unstable", "frequency_hz", "damping_ratio"])
        self.assertEqual(row.split(",")[:3], ["1", "oscillation", "0"])
        header, row = (self.folder / "out" / "mode_001.csv").read_text().splitlines()
        shape = dict(zip(header.split(","), row.split(",")))
        self.assertEqual(shape["node"], "m")

    def read_matrix(self, name):
        """Entries of a Matrix Market file and its size."""
        lines = (self.folder / "out" / name).read_text().splitlines()
        self.assertEqual(lines[0], "%%MatrixMarket matrix coordinate real general")
        numbers = [line.split() for line in lines if not line.startswith("%")]
        rows, columns, count = map(int, numbers[0])
        self.assertEqual(len(numbers), count + 1)
        return (rows, columns), {(int(i), int(j)): float(value) for i, j, value in numbers[1:]}

    def test_matrices(self):
        self.expect(self.modes("-q", "--matrices"), 0)
        self.assertEqual(self.read_matrix("M.mtx"), ((3, 3), {(i, i): 2.0 for i in (1, 2, 3)}))
        self.assertEqual(self.read_matrix("K.mtx")[1][1, 1], 50)
        self.assertEqual(self.read_matrix("C.mtx"), ((3, 3), {}))
        size, B = self.read_matrix("B.mtx")
        self.assertEqual((size, {column for _, column in B}), ((2, 3), {2, 3}))
        self.assertFalse((self.folder / "out" / "Z.mtx").exists())
        rows = list(csv.DictReader((self.folder / "out" / "unknowns.csv").read_text().splitlines()))
        self.assertEqual([row["element"] for row in rows], ["m"] * 3 + ["rail"] * 2)
        self.assertEqual([row["component"] for row in rows[:3]], [f"translation.{x}" for x in "xyz"])
        self.assertEqual({row["unknown"] for row in rows[3:]}, {"holonomic"})

    def test_shape(self):
        self.expect(self.modes("-q"), 0)
        header, row = (self.folder / "out" / "mode_001.csv").read_text().splitlines()
        shape = dict(zip(header.split(","), row.split(",")))
        self.assertAlmostEqual(float(shape["translation_re.x"]), 0.5 ** 0.5, delta=1e-15)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        expected = {"status": "OK", "analysis": "modes", "about": "initial", "solver": "dense",
                    "undamped": True, "constraints": 2, "frame": None}
        self.assertEqual({key: summary[key] for key in expected}, expected)
        modes = json.loads(self.expect(self.modes("--json"), 0).out)
        self.assertEqual(modes, summary["modes"])
        self.assertEqual((modes[0]["index"], modes[0]["kind"]), (1, "oscillation"))
        self.assertAlmostEqual(modes[0]["eigenvalue"][1], 5, delta=1e-14)

    def test_warnings_are_kept(self):
        body = {**self.SCENE["bodies"][0], "position": [1, 0.1, 0], "placement": "guess"}
        spring = {**self.SCENE["forces"][0], "length": 1}
        done = self.expect(self.modes(bodies=[body], forces=[spring]), 0)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertEqual(len(summary["warnings"]), 1)
        self.assertIn('"m" was moved by 0.1 m', summary["warnings"][0])
        self.assertIn(summary["warnings"][0], done.err)
        self.expect(self.modes("-q"), 0)
        self.assertEqual(json.loads((self.folder / "out" / "summary.json").read_text())["warnings"], [])

    def test_state(self):
        falls = {"gravity": [-10, 0, 0]}
        self.expect_error(self.modes(**falls), 3, "no equilibrium", "accelerates by 10 m/s^2", "--about equilibrium")
        self.expect_json_error(self.modes("--json", **falls), 3, "INCONSISTENT")
        self.expect(self.modes("--about", "equilibrium", **falls), 0)
        self.expect(self.modes(simulation={"initial": "equilibrium", "step": 1, "duration": 1}, **falls), 0)

    def test_wrong_use(self):
        self.expect_error(self.modes("-n", "2"), 2, "asks for 2 modes", "only 1")
        self.expect_error(self.modes("-n", "0.5"), 2, "-n")
        self.expect_error(self.modes("--about", "rest"), 2, '"rest"', "equilibrium")
        self.expect_error(self.modes("--solver", "qz"), 2, '"qz"', "sparse")
        self.expect_error(torsor("modes"), 2, "the command needs one more argument")


class ChosenStepsTest(CliTest):
    """Scenes without a step, and the errors of those with one."""

    def scene(self, **simulation):
        scene = json.loads(Path(TOP).read_text())
        scene["simulation"] = {"duration": 0.2, **simulation}
        scene["output"] = {"step": 0.02, "signals": ["top.position"]}
        file = self.folder / "free.json"
        file.write_text(json.dumps(scene))
        return file

    def rows(self, folder):
        return (self.folder / folder / "trajectory.csv").read_bytes()

    def test_scene_that_is_written_needs_no_trials(self):
        done = self.expect(torsor("run", self.scene(), "-o", self.folder / "out", "-v"), 0)
        self.assertRegex(done.err, r"3 trial runs of \d+ steps")
        self.assertIn("error estimate", done.out)
        again = self.expect(torsor("run", self.folder / "out" / "scene.json", "-o", self.folder / "again", "-v"), 0)
        self.assertNotIn("trial", again.err)
        self.assertEqual(self.rows("out"), self.rows("again"))
        simulation = json.loads((self.folder / "out" / "scene.json").read_text())["simulation"]
        self.assertEqual(simulation["step"], 0.2 / 500)
        self.assertGreater(simulation["accuracy"]["position"], 0)
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        self.assertLess(summary["error_estimate"], 3e-3)
        self.assertEqual(summary["settings"]["accuracy"]["position"], simulation["accuracy"]["position"])

    def test_resumed(self):
        file = self.scene()
        self.expect(torsor("run", file, "-o", self.folder / "out"), 0)
        self.expect(torsor("run", "--resume", self.folder / "out", "--set", "simulation.duration=0.3"), 0)
        scene = json.loads((self.folder / "out" / "scene.json").read_text())
        (self.folder / "long.json").write_text(json.dumps(scene))
        self.expect(torsor("run", self.folder / "long.json", "-o", self.folder / "long"), 0)
        self.assertEqual(self.rows("out").count(b"\n"), 17)
        self.assertEqual(self.rows("out").splitlines()[:10], self.rows("long").splitlines()[:10])

    def test_every_counts_steps(self):
        done = torsor("run", self.scene(), "--set", 'output={"every": 2}', "-o", self.folder / "out")
        self.expect_error(done, 3, "output.every", "counts steps", "time between two rows")

    def test_check_says_which_method_and_why(self):
        answer = json.loads(self.expect(torsor("check", self.scene(), "--json"), 0).out)
        self.assertRegex(answer["method"], r"^generalized_alpha, stabilised index 2 \(GGL\), rho_inf 0.8, damped start, as the scene names no other")
        self.assertRegex(answer["steps"], r"^under error control, of 0.0004 s at most.*trial runs")
        out = self.expect(torsor("check", self.scene(step=1e-3, method="radau")), 0).out
        self.assertRegex(out, r"method +radau, as the scene says\n +steps +constant, of 0.001 s\n")
        out = self.expect(torsor("check", self.scene(accuracy={"position": 1e-4}, formulation="index3")), 0).out
        self.assertRegex(out, r"index 3, rho_inf 0.9, perturbed start, as the scene says\n +steps +under error control, of 0.0004 s at most, errors of 0.0001 m a second\n")

    def test_errors_are_verified(self):
        """Halving the step again shows the errors that the first halving estimated, for a method of order 2 to its next order: within a fifth."""
        reported = []
        for step in ["1e-3", "5e-4"]:
            done = self.expect(torsor("run", self.scene(step=float(step)), "-o", self.folder / step, "--verify-error", "--json"), 0)
            verified = json.loads(done.out)["verified"]
            self.assertEqual(verified["by"], "half the step")
            self.assertEqual([s["signal"] for s in verified["signals"]], ["top.position"])
            self.assertAlmostEqual(verified["signals"][0]["largest"], 1, places=9)
            reported.append(verified["signals"][0]["error"])
        print(f"  estimated errors: {reported[0]:.3g} m and, with half the step, {reported[1]:.3g} m")
        self.assertAlmostEqual(reported[0] / reported[1], 4, delta=0.8)
        done = self.expect(torsor("run", self.scene(), "-o", self.folder / "free", "--verify-error"), 0)
        self.assertRegex(done.out, r"errors, by a second run with half the tolerances:\n +top.position  .* % of the largest")


class CheckTest(CliTest):
    def test_counts(self):
        done = self.expect(torsor("check", TOP, "--json"), 0)
        self.assertEqual(done.err, "")
        answer = json.loads(done.out)
        expected = {"bodies": 1, "nodes": 1, "velocities": 6, "holonomic": 3, "nonholonomic": 0,
                    "gruebler": 3, "mobility": 3, "rank": 3, "redundant": [], "warnings": []}
        self.assertEqual({key: answer[key] for key in expected}, expected)
        done = self.expect(torsor("check", TOP), 0)
        for word in ["heavy_top: Fast heavy top", "mobility", "3 holonomic", "none"]:
            self.assertIn(word, done.out)
        self.assertEqual(self.expect(torsor("check", TOP, "-q"), 0).out, "")

    def test_redundant_rows_by_name(self):
        scene = json.loads(Path(TOP).read_text())
        scene["joints"].append({**scene["joints"][0], "name": "again"})
        file = self.folder / "twice.json"
        file.write_text(json.dumps(scene))
        answer = json.loads(self.expect(torsor("check", file, "--json"), 0).out)
        self.assertEqual((answer["rank"], answer["mobility"], answer["gruebler"]), (3, 3, 0))
        self.assertEqual(len(answer["redundant"]), 3)
        for row in answer["redundant"]:
            self.assertIn(row["joint"], ["pivot", "again"])
            self.assertTrue(row["with"])
        self.assertIn("again[", self.expect(torsor("check", file), 0).out)
        done = self.expect(torsor("run", file, "-o", self.folder / "out"), 0)
        self.assertIn('redundant, the first is row 0 of joint "again"', done.err)

    def test_bad_scene(self):
        self.expect_error(torsor("check", "/no/such.json"), 5, "/no/such.json")
        self.expect_error(torsor("check", TOP, "--set", "joints.pivot.a=nothing"), 3, "nothing")
        self.expect_error(torsor("check", TOP, "--set", 'output.signals=["x"]'), 3, "signals[0]")
        self.expect_json_error(torsor("check", TOP, "--set", "bodies=3", "--json"), 3, "SCENE")


class CompareTest(CliTest):
    REFERENCE = DATA / "reference" / "heavy_top.csv"

    def setUp(self):
        super().setUp()
        self.result = self.folder / "out"
        self.expect(torsor("run", TOP, "-o", self.result), 0)

    def test_against_the_reference(self):
        for reference in [self.REFERENCE, self.REFERENCE.with_suffix(".json")]:
            for result in [self.result, self.result / "trajectory.csv"]:
                done = self.expect(torsor("compare", result, reference, "--json"), 0)
                answer = json.loads(done.out)
                self.assertTrue(answer["holds"])
                signals = {entry["signal"]: entry for entry in answer["signals"]}
                self.assertIn("top.quaternion", signals)
                for entry in signals.values():
                    self.assertLessEqual(entry["max_error"], entry["tolerance"])
                    self.assertTrue({"signal", "max_error", "at", "tolerance"} <= set(entry))
        done = self.expect(torsor("compare", self.result, self.REFERENCE), 0)
        self.assertIn("top.position", done.out)
        self.assertEqual(done.err, "")

    def test_tolerances_of_the_command_line(self):
        done = self.expect(torsor("compare", self.result, self.REFERENCE, "--rtol", "1e-12"), 1)
        self.assertIn("NO", done.out)
        self.assertEqual(done.err, "")
        done = self.expect(torsor("compare", self.result, self.REFERENCE, "--atol", "0", "--json"), 1)
        self.assertFalse(json.loads(done.out)["holds"])
        self.expect(torsor("compare", self.result, self.REFERENCE, "--atol", "1e9", "-q"), 0)
        self.assertEqual(torsor("compare", self.result, self.REFERENCE, "--atol=0", "-q").out, "")
        for wrong in ["-1", "x", "nan", ""]:
            self.expect_error(torsor("compare", "a", "b", f"--rtol={wrong}"), 2, "tolerance")

    def test_equal_without_tolerances(self):
        self.expect(torsor("compare", self.result, self.result), 0)
        other = self.folder / "other.csv"
        text = (self.result / "trajectory.csv").read_text().splitlines()
        last = text[-1].split(",")
        last[1] = repr(float(last[1]) * (1 + 2**-52))
        other.write_text("\n".join([*text[:-1], ",".join(last)]) + "\n")
        done = self.expect(torsor("compare", other, self.result, "--json"), 1)
        wrong = [entry for entry in json.loads(done.out)["signals"] if not entry["holds"]]
        self.assertEqual([entry["signal"] for entry in wrong], ["top.position"])
        self.assertEqual(wrong[0]["at"], 1)

    def test_signals(self):
        done = self.expect(torsor("compare", self.result, self.REFERENCE, "--signals",
                                  "top.position,energy", "--json"), 0)
        names = [entry["signal"] for entry in json.loads(done.out)["signals"]]
        self.assertEqual(names, ["top.position", "energy.total"])
        self.expect_error(torsor("compare", self.result, self.REFERENCE, "--signals", "top.positon"),
                          2, "top.positon", "top.position")

    def test_result_that_lacks_something(self):
        short = self.folder / "short"
        self.expect(torsor("run", TOP, "-o", short, *SHORT), 0)
        self.expect_error(torsor("compare", short, self.REFERENCE), 1, "t = 0.06", "ends at t = 0.05")
        self.expect(torsor("run", TOP, "-o", short, "--set", "output.every=20"), 0)
        self.expect_error(torsor("compare", short, self.REFERENCE), 1, "t = 0.01", "output.every")
        self.expect(torsor("run", TOP, "-o", short, "--set", 'output.signals=["energy"]'), 0)
        self.expect_error(torsor("compare", short, self.REFERENCE), 1, "top.position")
        self.expect_json_error(torsor("compare", short, self.REFERENCE, "--json"), 1, "MISMATCH")

    def test_bad_files(self):
        self.expect_error(torsor("compare", "/no/such", self.REFERENCE), 5, "/no/such")
        self.expect_error(torsor("compare", self.result, "/no/such.csv"), 5, "/no/such.csv")
        self.expect_error(torsor("compare", self.folder, self.REFERENCE), 5, "trajectory.csv")
        bad = self.folder / "bad.csv"
        bad.write_text("t,a\n0,1\n1,x\n")
        self.expect_error(torsor("compare", bad, bad), 5, f"{bad}:3:3", '"x"')


class PlotTest(CliTest):
    """The script always, the drawing where gnuplot is installed."""

    def setUp(self):
        super().setUp()
        self.result = self.folder / "top"
        self.expect(torsor("run", TOP, "-o", self.result, *SHORT), 0)

    def script(self, *arguments):
        return self.expect(torsor("plot", self.result, "--script", *arguments), 0).out

    def labels(self, script):
        """Words of axes and curves, which stand behind a bar each."""
        block = re.search(r"^\$label << EOD\n(.*?)^EOD$", script, re.M | re.S)[1]
        self.assertTrue(all(line.startswith("|") for line in block.splitlines()))
        return [line[1:] for line in block.splitlines()]

    def curves(self, script):
        """The data of each curve, as pairs of texts."""
        blocks = re.findall(r"^\$c\d+ << EOD\n(.*?)EOD$", script, re.M | re.S)
        return [[line.split() for line in block.splitlines()] for block in blocks]

    def test_data_and_labels(self):
        names, rows = read_rows(self.result / "trajectory.csv")
        script = self.script("-s", "top.position,energy.kinetic,top.velocity.y")
        wanted = ["top.position.x", "top.position.y", "top.position.z", "energy.kinetic",
                  "top.velocity.y"]
        curves = self.curves(script)
        self.assertEqual(len(curves), len(wanted))
        for name, curve in zip(wanted, curves):
            self.assertEqual(len(curve), len(rows))
            for row, (t, value) in zip(rows, curve):
                self.assertEqual(t, f"{row[0]:.9g}")
                self.assertEqual(value, f"{row[names.index(name)]:.9g}")
        self.assertEqual(self.labels(script), ["top.position [m]", "x", "y", "z", "energy.kinetic [J]",
                                               "top.velocity.y [m/s]"])
        for words in ["'t [s]'", "title $label[4][2:*]", "layout 3,1", "svg"]:
            self.assertIn(words, script)

    def test_a_drift_is_drawn_by_itself(self):
        script = self.script("-s", "energy.total")
        names, rows = read_rows(self.result / "trajectory.csv")
        start = rows[0][names.index("energy.total")]
        self.assertRegex(self.labels(script)[0], r"^energy\.total - 5435\.69\d* \[J\]$")
        values = [float(value) for _, value in self.curves(script)[0]]
        self.assertEqual(values[0], 0)
        self.assertLess(max(map(abs, values)), 1e-3 * start)

    def test_peaks_stay(self):
        """20,001 rows, one of them a spike."""
        file = self.folder / "spike.csv"
        rows = [f"{0.1 * i},{1 if i == 7777 else 0}" for i in range(20001)]
        file.write_text("t,a b's\n" + "\n".join(rows) + "\n")
        script = self.expect(torsor("plot", file, "--script"), 0).out
        curve = self.curves(script)[0]
        self.assertLessEqual(len(curve), 4000)
        self.assertIn(["777.7", "1"], curve)
        self.assertEqual(curve, sorted(curve, key=lambda point: float(point[0])))
        self.assertEqual(self.labels(script), ["a b's"])

    def test_several_results_and_a_reference(self):
        other = self.folder / "se3"
        self.expect(torsor("run", TOP, "-o", other, "--set", "group=SE3", *SHORT), 0)
        script = self.expect(torsor("plot", self.result, other, "-s", "top.position.x", "--script",
                                    "--reference", DATA / "reference" / "heavy_top.csv"), 0).out
        self.assertEqual(len(self.curves(script)), 3)
        self.assertEqual(self.labels(script)[1:], ["top", "se3", "reference"])
        self.assertIn("with points", script)

    def test_usual_choice(self):
        done = self.expect(torsor("plot", self.result, "--script"), 0)
        self.assertIn("layout 6,1", done.out)
        self.assertRegex(done.err, r"\d+ more signals are not drawn: choose with -s")

    def test_wrong_use(self):
        self.expect_error(torsor("plot", self.result, "-s", "top.positon"), 2, "top.positon",
                          'did you mean "top.position')
        self.expect_error(torsor("plot", self.result, "-o", "x.gif"), 2, "x.gif", ".svg, .png or .pdf")
        self.expect_error(torsor("plot"), 2, "one more argument")
        self.expect_error(torsor("plot", "/no/such"), 5, "/no/such")
        empty = self.folder / "empty.csv"
        empty.write_text("t\n0\n")
        self.expect_error(torsor("plot", empty), 2, "no signals")
        path = {**os.environ, "PATH": str(self.folder)}
        self.expect_error(torsor("plot", self.result, "-s", "energy", env=path), 5, "gnuplot", "--script")
        self.assertEqual(list(self.result.glob("plot*")), [])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_drawing(self):
        starts = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
        for end, start in starts.items():
            file = self.folder / f"it's a plot{end}"
            done = self.expect(torsor("plot", self.result, "-s", "top.position,energy", "-o", file,
                                      "--json"), 0)
            self.assertEqual(done.err, "")
            answer = json.loads(done.out)
            self.assertEqual(answer["plot"], str(file))
            self.assertEqual(answer["curves"], 3 + answer["panels"] - 1)
            self.assertTrue(file.read_bytes().startswith(start))
        self.expect(torsor("plot", self.result, "-q"), 0)
        self.assertTrue((self.result / "plot.svg").is_file())
        self.assertEqual(list(self.folder.rglob("*.tmp")), [])
        self.expect_error(torsor("plot", self.result, "-s", "energy", "-o", "/no/such/plot.svg"), 5,
                          "/no/such/plot.svg", "No such file")
        # One row, and values that do not change: gnuplot has nothing to complain about.
        self.expect(torsor("run", TOP, "-o", self.result, "--set", "simulation.duration=0"), 0)
        self.assertEqual(self.expect(torsor("plot", self.result, "-s", "top,energy"), 0).err, "")


class ConvergeTest(CliTest):
    STEPS = ["--steps", "2e-3,1e-3,5e-4"]

    def test_orders(self):
        """Slopes 2 +- 0.1: the method's order, at steps where it is reached."""
        table = self.folder / "table.csv"
        for reference, word in [([], "heavy_top.json"), (["--reference", "fine"], "fine"),
                                (["--reference", DATA / "reference" / "heavy_top.csv"], ".csv")]:
            done = self.expect(torsor("converge", TOP, *self.STEPS, *reference, "--json", "--csv",
                                      table), 0)
            answer = json.loads(done.out)
            self.assertEqual(answer["steps"], [2e-3, 1e-3, 5e-4])
            self.assertIn(word, answer["reference"])
            signals = {entry["signal"]: entry for entry in answer["signals"]}
            for name in ["top.position", "top.quaternion", "pivot.force"]:
                self.assertEqual((len(signals[name]["errors"]), len(signals[name]["orders"])), (3, 2))
                for order in signals[name]["orders"]:
                    self.assertAlmostEqual(order, 2, delta=0.1)
            rows = list(csv.DictReader(table.read_text().splitlines()))
            self.assertEqual(len(rows), 3 * len(signals))
            self.assertEqual(float(rows[0]["error"]), answer["signals"][0]["errors"][0])
            self.assertEqual(rows[0]["order"], "")

    def test_table(self):
        done = self.expect(torsor("converge", TOP, *self.STEPS), 0)
        self.assertIn("order", done.out)
        self.assertIn("top.position", done.out)
        # index 3 is 2 % off with the largest of these steps
        self.assertRegex(done.err, r"^torsor: warning: steps of 0\.002 s are too coarse: [^\n]*\n$")

    def test_common_times_and_signals(self):
        arguments = [*SHORT, "--set", 'output.signals=["top.position", "momentum"]', "--json"]
        answer = json.loads(self.expect(torsor("converge", TOP, *self.STEPS, *arguments), 0).out)
        self.assertEqual([entry["signal"] for entry in answer["signals"]], ["top.position"])

    def test_changed_problem_has_no_shipped_reference(self):
        arguments = [*SHORT, "--set", "bodies.top.mass=3", "--json"]
        answer = json.loads(self.expect(torsor("converge", TOP, *self.STEPS, *arguments), 0).out)
        self.assertEqual(answer["reference"], "fine")

    def test_failing_step_leaves_the_others(self):
        arguments = ["--set", "simulation.max_halvings=0", "--set", "output.every=100"]
        done = self.expect(torsor("converge", TOP, "--steps", "0.1,1e-3", *arguments, "--json"), 0)
        self.assertIn("warning: step 0.1", done.err)
        entry = json.loads(done.out)["signals"][0]
        self.assertIsNone(entry["errors"][0])
        self.assertIsNone(entry["orders"][0])
        self.assertGreater(entry["errors"][1], 0)
        self.expect_error(torsor("converge", TOP, "--steps", "0.1", *arguments), 4, "t = 0.1")

    def test_wrong_steps(self):
        self.expect_error(torsor("converge", "--steps", "1e-3"), 2, "one more argument")
        self.expect_error(torsor("converge", TOP), 2, "--steps")
        for steps in ["x", "1e-3,", "0", "-1e-3", "nan"]:
            self.expect_error(torsor("converge", TOP, f"--steps={steps}"), 2, "not a step size")
        self.expect_error(torsor("converge", TOP, "--steps", "3e-3"), 2, "0.003", "output.every")
        self.expect_json_error(torsor("converge", TOP, "--steps", "3e-3", "--json"), 2, "ARGUMENT")

    def test_problems(self):
        """Every test problem is measured at second order by the default method."""
        names = [p["type"] for p in json.loads(self.expect(torsor("list", "problems", "--json"), 0).out)]
        self.assertIn("heavy-top", names)
        for name in names:
            steps = "1e-3,5e-4,2.5e-4" if name.startswith("heavy") else "5e-3,2.5e-3,1.25e-3"
            answer = json.loads(self.expect(torsor("converge", "--problem", name, "--steps", steps, "--set",
                                                   "simulation.formulation=ggl", "--json"), 0).out)
            for signal in answer["signals"]:
                if name == "rolling-disk":  # of higher order before the steps are small
                    self.assertGreater(signal["orders"][-1], 1.8, msg=f"{name} {signal}")
                elif max(signal["errors"]) > 1e-9:  # what is exact has no order
                    self.assertAlmostEqual(signal["orders"][-1], 2, delta=0.2, msg=f"{name} {signal}")
            plain = self.expect(torsor("converge", "--problem", name, "--steps", steps.split(",")[0]), 0)
            self.assertIn("signal", plain.out)

    def test_parts_of_steps(self):
        """S1's figures: without eq. 15 and 16 the multipliers lose one order where the step changes."""
        run = ["converge", "--problem", "soi2-8", "--steps", "2.5e-3,1.25e-3", "--json", "--set", "simulation.method=soi2",
               "--set", "simulation.multipliers=method", "--set", "simulation.start=perturbed"]
        for correction, orders in [("true", [2, 2, 2, 2, 2]), ("false", [2, 2, 1, 1, 1])]:
            done = self.expect(torsor(*run, "--parts", "1,2", "--set", f"simulation.step_correction={correction}"), 0)
            for signal, order in zip(json.loads(done.out)["signals"], orders):
                self.assertAlmostEqual(signal["orders"][0], order, delta=0.1)
        # One part is no part, but for the rounding of times.
        whole, part = (json.loads(self.expect(torsor(*run, *more), 0).out)["signals"] for more in [[], ["--parts", "3"]])
        for a, b in zip(whole, part):
            self.assertAlmostEqual(a["errors"][1] / b["errors"][1], 1, delta=1e-6)

    def test_errors_from_a_time_on(self):
        """The transient of S4 is over: what is left is of second order."""
        run = ["converge", "--problem", "pendulum-0.2", "--steps", "2.5e-3,1.25e-3", "--json", "--set", "simulation.start=plain",
               "--set", "simulation.formulation=index3", "--set", "simulation.multipliers=method"]
        for more, order in [([], 1), (["--from", "0.9"], 2)]:
            signals = json.loads(self.expect(torsor(*run, *more), 0).out)["signals"]
            multiplier = next(s for s in signals if s["signal"] == "lambda")
            self.assertAlmostEqual(multiplier["orders"][0], order, delta=0.1)

    def test_columns(self):
        table = self.folder / "columns.csv"
        done = self.expect(torsor("converge", "--problem", "pendulum", "--steps", "1e-2,5e-3", "--json", "--columns", table), 0)
        answer = json.loads(done.out)
        rows = list(csv.DictReader(table.read_text().splitlines()))
        self.assertEqual(list(rows[0]), ["step", "cpu_seconds", *(s["signal"] for s in answer["signals"])])
        for k, row in enumerate(rows):
            self.assertEqual(float(row["step"]), answer["steps"][k])
            for signal in answer["signals"]:
                self.assertEqual(float(row[signal["signal"]]), signal["errors"][k])

    def test_problem_errors(self):
        problem = ["converge", "--problem", "pendulum", "--steps", "1e-2,5e-3"]
        self.expect_error(torsor("converge", "--problem", "pendulun", "--steps", "1e-2"), 2, "pendulum")
        self.expect_error(torsor(*problem, TOP), 2, "takes no scene")
        self.expect_error(torsor(*problem, "--reference", "fine"), 2, "has a solution")
        self.expect_error(torsor(*problem[:-1], "1e-2,3e-3"), 2, "not a multiple of the smallest")
        self.expect_error(torsor(*problem, "--parts", "1,-2"), 2, "--parts")
        self.expect_error(torsor(*problem, "--parts", "1,,2"), 2, "--parts")
        self.expect_error(torsor(*problem, "--from", "3"), 2, "past the end")
        self.expect_error(torsor(*problem, "--from", "now"), 2, "not a time")
        self.expect_error(torsor("converge", TOP, *self.STEPS, "--parts", "1,2"), 2, "--parts", "--problem")
        self.expect_error(torsor("converge", TOP, *self.STEPS, "--from", "1"), 2, "--from", "--problem")
        self.expect_error(torsor(*problem, "--set", "simulation.rho_inf=2"), 3, "rho_inf")

    def test_bad_files(self):
        self.expect_error(torsor("converge", "/no/such.json", *self.STEPS), 5, "/no/such.json")
        self.expect_error(torsor("converge", TOP, *self.STEPS, "--reference", "/no/such.csv"), 5,
                          "/no/such.csv")
        other = self.folder / "other.csv"
        other.write_text("t,somebody.position.x\n0,0\n")
        self.expect_error(torsor("converge", TOP, *self.STEPS, "--reference", other), 2, "signal")
        self.expect_error(torsor("converge", TOP, *self.STEPS, "--csv", "/no/such/table.csv"), 5,
                          "/no/such/table.csv")


class VerifyTest(CliTest):
    def test_named_benchmark(self):
        done = self.expect(torsor("verify", "heavy_top", "--json"), 0)
        self.assertEqual(done.err, "")
        entries = json.loads(done.out)
        self.assertIn("top.position", [entry["signal"] for entry in entries])
        for entry in entries:
            self.assertTrue({"scene", "signal", "error", "tolerance", "basis", "holds",
                             "cpu_seconds"} <= set(entry))
            self.assertEqual(entry["scene"], "heavy_top")
            self.assertTrue(entry["basis"])
            self.assertTrue(entry["holds"])
        done = self.expect(torsor("verify", "heavy_top", "pendulum_x0_0"), 0)
        for word in ["scene", "basis", "heavy_top", "pendulum_x0_0", "top.quaternion"]:
            self.assertIn(word, done.out)

    def test_unknown_benchmark(self):
        self.expect_error(torsor("verify", "heavy_topp"), 2, "heavy_topp", '"heavy_top"')

    def copy_data(self, scene="heavy_top"):
        for name in ["scenes", "reference"]:
            (self.folder / name).mkdir()
        for file in [f"scenes/{scene}.json", f"reference/{scene}.json", f"reference/{scene}.csv"]:
            shutil.copy(DATA / file, self.folder / file)
        return {**os.environ, "TORSOR_DATA": str(self.folder)}

    def test_what_does_not_hold(self):
        environment = self.copy_data()
        self.expect(torsor("verify", env=environment), 0)
        done = self.expect(torsor("verify", "--set", "bodies.top.mass=14", env=environment), 1)
        self.assertIn("NO", done.out)
        self.assertEqual(torsor("verify", "-q", "--set", "bodies.top.mass=14", env=environment).out, "")

    def test_benchmark_that_fails(self):
        environment = self.copy_data()
        done = self.expect(torsor("verify", "--json", *FAILING, env=environment), 1)
        entry, = json.loads(done.out)
        self.assertFalse(entry["holds"])
        self.assertIsNone(entry["error"])
        self.assertIn("t = 0.1", entry["message"])
        self.assertIn("t = 0.1", self.expect(torsor("verify", *FAILING, env=environment), 1).out)

    def test_modes(self):
        entries = json.loads(self.expect(torsor("verify", "whipple_modes", "--json"), 0).out)
        self.assertEqual([entry["signal"] for entry in entries],
                         [f"mode[{i}].eigenvalue_{part}" for i in (5, 6, 7) for part in ("re", "im")])
        self.assertTrue(all(entry["holds"] and entry["cpu_seconds"] >= 0 for entry in entries))
        # at another speed all three are others
        done = self.expect(torsor("verify", "whipple_modes", "--json", "--set", "parameters.v=5.000001"), 1)
        wrong = [entry["signal"] for entry in json.loads(done.out) if not entry["holds"]]
        self.assertLessEqual({f"mode[{i}].eigenvalue_re" for i in (5, 6, 7)}, set(wrong))

    def test_modes_about_the_wrong_state(self):
        environment = self.copy_data("rotating_beam_modes_2")
        self.expect(torsor("verify", env=environment), 0)
        sidecar = self.folder / "reference" / "rotating_beam_modes_2.json"
        for change, message in [({"about": "steady", "count": 5}, "mode[6].frequency_hz"),
                                ({"about": "initial", "count": 6}, "no steady motion"),
                                ({"about": "rest", "count": 6}, "modes.about")]:
            sidecar.write_text(json.dumps({**json.loads(sidecar.read_text()), "modes": change}))
            self.assertIn(message, self.expect(torsor("verify", env=environment), 1).out)

    def test_no_data(self):
        environment = {**os.environ, "TORSOR_DATA": str(self.folder)}
        self.expect_error(torsor("verify", env=environment), 5, "TORSOR_DATA", str(self.folder))
        (self.folder / "reference").mkdir()
        self.expect_error(torsor("verify", env=environment), 5, "no references")


class TypesTest(CliTest):
    def test_list(self):
        done = self.expect(torsor("list", "--json"), 0)
        entries = json.loads(done.out)
        types = {entry["type"]: entry for entry in entries}
        self.assertEqual(types["rigid_body"]["kind"], "body")
        self.assertEqual(types["revolute"]["kind"], "joint")
        self.assertEqual(types["generalized_alpha"]["kind"], "method")
        for entry in entries:
            self.assertTrue({"type", "kind", "title"} <= set(entry))
        for topic, kind in [("bodies", "body"), ("joints", "joint"), ("forces", "force"),
                            ("methods", "method")]:
            listed = json.loads(self.expect(torsor("list", topic, "--json"), 0).out)
            self.assertEqual([entry for entry in entries if entry["kind"] == kind], listed)
        self.assertIn("revolute", self.expect(torsor("list", "joints"), 0).out)
        self.assertNotIn("rigid_body", torsor("list", "joints").out)
        self.expect_error(torsor("list", "wings"), 2, "wings", "joints")

    def test_list_signals(self):
        listed = json.loads(self.expect(torsor("list", "signals", "--json"), 0).out)
        names = [entry["signal"] for entry in listed]
        for name in ["<rigid_body>.position.x", "<revolute>.angle", "energy.total", "momentum.z"]:
            self.assertEqual(names.count(name), 1, name)
        listed = json.loads(self.expect(torsor("list", "signals", DISC, "--json"), 0).out)
        units = {entry["signal"]: entry["unit"] for entry in listed}
        self.assertEqual((units["hinge.rate"], units["energy.total"]), ("rad/s", "J"))
        self.assertIn("hinge.angle", self.expect(torsor("list", "signals", DISC), 0).out)
        self.expect_error(torsor("list", "signals", "/no/such.json"), 5, "/no/such.json")
        self.expect_error(torsor("list", "joints", DISC), 2, "list signals")

    def test_describe_every_type(self):
        for entry in json.loads(torsor("list", "--json").out):
            if entry["kind"] == "method":
                continue
            done = self.expect(torsor("describe", entry["type"], "--json"), 0)
            answer = json.loads(done.out)
            self.assertEqual((answer["type"], answer["title"]), (entry["type"], entry["title"]))
            self.assertTrue(answer["parameters"])
            done = self.expect(torsor("describe", entry["type"]), 0)
            for parameter in answer["parameters"]:
                self.assertIn(f"  {parameter['key']} ", done.out)
            example = self.folder / "example.json"
            example.write_text(answer["example"])
            self.expect(torsor("check", example), 0)

    def test_describe_unknown(self):
        self.expect_error(torsor("describe", "revolut"), 2, '"revolut"', '"revolute"')
        self.expect_json_error(torsor("describe", "revolut", "--json"), 2, "ARGUMENT")

    def test_schema(self):
        schema = json.loads(self.expect(torsor("schema"), 0).out)
        self.assertIn("draft-07", schema["$schema"])


if __name__ == "__main__":
    unittest.main()
