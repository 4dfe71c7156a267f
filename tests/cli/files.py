#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders that are not as a program would like them: descriptors that are closed, two processes in one folder,
outputs that are inputs, links.  No file of the user's is lost.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
TOP = DATA / "scenes" / "heavy_top.json"
SHORT = ["--set", "simulation.duration=0.05"]
ENDLESS = ["--set", "simulation.duration=1e5", "--set", "output.every=100"]
BUNDLE = "<html><body><!--torsor-data--></body></html>\n"


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-files-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "bundle").mkdir()
        (self.folder / "bundle" / "page.html").write_text(BUNDLE)
        self.environment = {**os.environ, "TORSOR_REPORT": str(self.folder / "bundle" / "page.html")}

    def torsor(self, *arguments, code=0, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": self.environment, **options}
        done = subprocess.run([TORSOR, *map(str, arguments)], text=True, timeout=120, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done)
        return done

    def contents(self):
        """Every file and what it holds, and where links lead."""
        return {str(path): os.readlink(path) if path.is_symlink() else path.read_bytes()
                for path in self.folder.rglob("*") if path.is_symlink() or path.is_file()}

    def refused(self, *arguments, code=2, words="would replace"):
        """Exit code and message of a command that leaves every file as it is."""
        before = self.contents()
        done = self.torsor(*arguments, code=code)
        self.assertIn(words, done.stderr)
        self.assertIn("hint: ", done.stderr)
        self.assertEqual(self.contents(), before)
        return done


class DescriptorTest(FilesTest):
    """A file that is opened must not get the number of a closed standard stream."""

    def test_closed_streams(self):
        self.torsor("run", TOP, "-o", "right", "--full", *SHORT)
        reported = ["run", TOP, "--full", "-v", *SHORT]
        for closed in [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
            with self.subTest(closed=closed):
                def close(numbers=closed):
                    for number in numbers:
                        os.close(number)

                process = subprocess.Popen([TORSOR, *map(str, reported), "-o", "out"], preexec_fn=close,
                                           cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.assertEqual(process.wait(timeout=60), 0)
                for name in ["trajectory.csv", "state.nc", "scene.json"]:
                    self.assertEqual((self.folder / "out" / name).read_bytes(),
                                     (self.folder / "right" / name).read_bytes(), name)
                shutil.rmtree(self.folder / "out")

    def test_answers_of_others(self):
        """With an error, too, nothing goes anywhere else."""
        for arguments in [["check", TOP], ["check", "none.json"], ["list"], ["plot", TOP], ["--help"]]:
            before = self.contents()
            subprocess.run([TORSOR, *map(str, arguments)], cwd=self.folder, timeout=60, check=False,
                           preexec_fn=lambda: os.closerange(0, 3))
            self.assertEqual(self.contents(), before)


class LockTest(FilesTest):
    def start(self, *arguments):
        process = subprocess.Popen([TORSOR, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, file, lines=0):
        end, path = time.monotonic() + 60, self.folder / file
        while not path.exists() or path.read_bytes().count(b"\n") < lines:
            self.assertLess(time.monotonic(), end, f"{file} does not come")
            time.sleep(0.01)

    def test_two_runs(self):
        first = self.start("run", TOP, "-o", "out", *ENDLESS)
        self.wait_for("out/trajectory.csv")
        (self.folder / "link").symlink_to("out")
        for folder in ["out", "./out/", str(self.folder / "out"), "link"]:
            for verb in [["run", TOP], ["run", "--resume", folder], ["statics", DATA / "scenes" / "elastica.json"],
                         ["modes", DATA / "scenes" / "whipple_modes.json"]]:
                with self.subTest(folder=folder, verb=verb[0]):
                    done = self.torsor(*verb, "-o", folder, code=5)
                    self.assertIn(f"process {first.pid} is writing into the folder", done.stderr)
        self.assertIsNone(first.poll())
        # The lock ends with the process, however that ends.
        first.kill()
        first.wait()
        self.torsor("run", TOP, "-o", "out", *SHORT)
        first = self.start("run", TOP, "-o", "out", *ENDLESS)
        time.sleep(0.5)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(timeout=60), 130)
        self.torsor("run", TOP, "-o", "out", *SHORT)

    def test_lock_of_exports(self):
        self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
        first = self.start("run", TOP, "-o", "busy", *ENDLESS)
        self.wait_for("busy/trajectory.csv", 3)  # the header and rows
        done = self.torsor("export", "out", "--vtk", "-o", "busy", code=5)
        self.assertIn(f"process {first.pid} is writing", done.stderr)
        # Reading is no writing.
        self.torsor("plot", "busy", "-s", "energy.total", "-o", "busy.svg")

    def test_many_at_once(self):
        """Of a dozen that begin together those that end well left a whole result, one after the other."""
        processes = [subprocess.Popen([TORSOR, "run", str(TOP), "-o", "out", "--set", f"simulation.step={h}",
                                       "--set", "simulation.duration=0.2"], cwd=self.folder,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                     for h in [1e-3, 5e-4, 2e-4, 1e-4] * 3]
        errors = [process.communicate(timeout=60)[1] for process in processes]
        codes = [process.returncode for process in processes]
        self.assertIn(0, codes)
        for code, error in zip(codes, errors):
            self.assertTrue(code == 0 or (code == 5 and "is writing into the folder" in error), (code, error))
        summary = json.loads((self.folder / "out" / "summary.json").read_text())
        scene = json.loads((self.folder / "out" / "scene.json").read_text())
        self.assertEqual(summary["settings"]["step"], scene["simulation"]["step"])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_one_drawing(self):
        """A gnuplot that takes its time stands for a long drawing."""
        (self.folder / "bin").mkdir()
        slow = self.folder / "bin" / "gnuplot"
        slow.write_text("#!/bin/sh\ntouch started\nwhile ! test -e go; do sleep 0.02; done\necho drawn\n")
        slow.chmod(0o755)
        self.environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        self.torsor("run", TOP, "-o", "out", *SHORT)
        first = self.start("plot", "out", "-s", "energy.total", "-o", "z.svg")
        self.wait_for("started")
        done = self.torsor("plot", "out", "-s", "energy.total", "-o", "z.svg", code=5)
        self.assertIn(f"process {first.pid} is writing the file", done.stderr)
        (self.folder / "go").touch()
        self.assertEqual(first.wait(timeout=60), 0)
        self.assertEqual((self.folder / "z.svg").read_text(), "drawn\n")


class InputTest(FilesTest):
    """No file that is read is written over, by whatever name it goes."""

    def setUp(self):
        super().setUp()
        self.scene = json.loads(TOP.read_text())
        self.own = self.folder / "own"
        self.own.mkdir()

    def write(self, file, scene=None):
        (self.own / file).write_text(json.dumps(scene or self.scene))
        return self.own / file

    def test_scene(self):
        scene = self.write("scene.json")
        (self.folder / "link").symlink_to("own")
        for folder in [self.own, "own", "own/", "./own/.", "link"]:
            self.refused("run", scene, "-o", folder, *SHORT)
            self.refused("modes", scene, "-o", folder)
        self.refused("statics", scene, "-o", self.own)
        # by the other name, too
        self.refused("run", self.folder / "link" / "scene.json", "-o", self.own, *SHORT)

    def test_links_to_the_scene(self):
        scene = self.write("mine.json")
        out = self.folder / "out"
        out.mkdir()
        for name in ["scene.json", "trajectory.csv", "summary.json", "checkpoint", "state.nc", "trajectory.csv.tmp",
                     "scene.json.tmp"]:
            for link in [os.link, os.symlink]:
                link(scene, out / name)
                self.refused("run", scene, "-o", out, "--full", *SHORT)
                (out / name).unlink()

    def test_included_files_and_matrices(self):
        part = {"torsor": 1, "bodies": [{"name": "m", "type": "point_mass", "mass": 1}]}
        whole = {"torsor": 1, "include": ["../out/summary.json"], "simulation": {"step": 0.1, "duration": 0.2}}
        out = self.folder / "out"
        out.mkdir()
        (out / "summary.json").write_text(json.dumps(part))
        self.refused("run", self.write("whole.json", whole), "-o", out)
        boom = json.loads((DATA / "scenes" / "reduced_boom.json").read_text())
        text = json.dumps(boom)
        matrices = sorted(path for path in (DATA / "scenes").rglob("*.mtx") if path.name in text)
        self.assertTrue(matrices)
        for path in matrices:
            relative = path.relative_to(DATA / "scenes")
            (self.own / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.own / relative)
            os.link(self.own / relative, out / "M.mtx")
            (out / "summary.json").unlink(missing_ok=True)
            scene = self.write("boom.json", boom)
            if path == matrices[-1]:
                self.refused("modes", scene, "--matrices", "-o", out)
            (out / "M.mtx").unlink()

    def test_the_folder_of_the_scene(self):
        """Results have a folder of their own, whatever leads to that of the scene."""
        shutil.copy(TOP, self.folder / "top.json")
        shutil.copy(DATA / "scenes" / "elastica.json", self.folder / "elastica.json")
        (self.folder / "sub").mkdir()
        (self.folder / "link").symlink_to(self.folder)
        for scene in "top.json", self.folder / "top.json", "sub/../top.json":
            for folder in ".", self.folder, "sub/..", "link":
                self.refused("run", scene, "-o", folder, words="in the folder of the scene")
        self.refused("modes", "top.json", "-o", ".", words="in the folder of the scene")
        self.refused("statics", "elastica.json", "-o", ".", words="in the folder of the scene")
        self.torsor("run", "top.json", "-o", "sub", *SHORT)
        self.refused("run", "sub/scene.json", "-o", "sub", words="would replace")

    def test_older_results(self):
        """A folder never has files of two scenes, nor a page of older results; what is not a result stays."""
        out = self.folder / "out"
        self.torsor("modes", DATA / "scenes" / "frame_modes.json", "--matrices", "-o", "out")
        self.assertTrue((out / "mode_003.csv").exists() and (out / "K.mtx").exists())
        for name in "notes.txt", "mine.mtx", "mode_x.csv":
            (out / name).write_text("mine")
        (out / "report.html").symlink_to(self.folder / "bundle" / "page.html")
        self.torsor("run", TOP, "--full", "-o", "out", *SHORT)
        files = {"scene.json", "summary.json", "trajectory.csv", "state.nc", "checkpoint"}
        self.assertEqual({p.name for p in out.iterdir()}, files | {"notes.txt", "mine.mtx", "mode_x.csv"})
        self.assertEqual((self.folder / "bundle" / "page.html").read_text(), BUNDLE)
        # Modes of the scene that the rows are of stand beside them; those of another one take their place.
        moved = [DATA / "scenes" / "frame_modes.json", "--set", 'simulation={"step": 1e-3, "duration": 0.05}', "-o", "out"]
        self.torsor("run", *moved)
        (out / "report.html").write_text("old")
        self.torsor("modes", *moved)
        self.assertTrue({"trajectory.csv", "modes.csv"} <= {p.name for p in out.iterdir()})
        self.assertFalse((out / "report.html").exists())
        self.torsor("modes", DATA / "scenes" / "frame_modes.json", "-o", "out")
        self.assertFalse({"trajectory.csv", "state.nc", "report.html"} & {p.name for p in out.iterdir()})

    def test_matrices_of_older_results(self):
        """A matrix that the scene reads is no older result."""
        self.torsor("modes", DATA / "scenes" / "frame_modes.json", "--matrices", "-o", "out")
        scene = json.loads((DATA / "scenes" / "reduced_boom.json").read_text())
        for key in "mass", "stiffness":
            shutil.copy(DATA / "scenes" / f"reduced_boom_{key}.mtx", self.folder / "out" / f"{key[0].upper()}.mtx")
        text = json.dumps(scene).replace("reduced_boom_mass.mtx", "out/M.mtx").replace("reduced_boom_stiffness.mtx", "out/S.mtx")
        (self.folder / "boom.json").write_text(text)
        self.refused("run", "boom.json", "-o", "out")

    def test_somebody_elses_scene(self):
        """A scene.json that no run left stays, also where another scene is run."""
        self.write("scene.json")
        for verb in [["run", TOP], ["modes", TOP], ["statics", DATA / "scenes" / "elastica.json"]]:
            self.refused(*verb, "-o", self.own, words="no results are beside it")
        # that of an earlier run is replaced, even if its results are gone
        self.torsor("run", TOP, "-o", "out", *SHORT)
        self.torsor("run", TOP, "-o", "out", *SHORT)
        for name in ["trajectory.csv", "summary.json", "checkpoint"]:
            (self.folder / "out" / name).unlink()
        self.torsor("run", TOP, "-o", "out", *SHORT)

    def test_plot(self):
        self.torsor("run", TOP, "-o", "out", *SHORT)
        shutil.copy(self.folder / "out" / "trajectory.csv", self.own / "x.svg")
        self.refused("plot", "own/x.svg", "-s", "energy.total", "-o", "own/x.svg")
        os.link(self.own / "x.svg", self.own / "y.svg")
        self.refused("plot", "own/x.svg", "-s", "energy.total", "-o", "own/y.svg")
        os.symlink("x.svg", self.own / "z.svg")
        self.refused("plot", "own/x.svg", "-s", "energy.total", "-o", "own/z.svg")
        self.refused("plot", "out", "-s", "energy.total", "--reference", "own/x.svg", "-o", "own/x.svg")
        for name in ["trajectory.csv", "summary.json"]:
            os.link(self.folder / "out" / name, self.own / f"{name}.svg")
            self.refused("plot", "out", "-s", "energy.total", "-o", f"own/{name}.svg")

    def test_report(self):
        self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
        for name in ["trajectory.csv", "summary.json", "scene.json", "state.nc", "checkpoint"]:
            self.refused("report", "out", "-o", f"out/{name}")
            os.link(self.folder / "out" / name, self.own / "page.html")
            self.refused("report", "out", "-o", "own/page.html")
            (self.own / "page.html").unlink()
        shutil.copy(self.folder / "out" / "trajectory.csv", self.own / "r.csv")
        self.refused("report", "out", "--reference", "own/r.csv", "-o", "own/r.csv")
        self.refused("report", "own/r.csv", "-o", "own/r.csv")
        self.refused("report", "out", "-o", self.environment["TORSOR_REPORT"])
        self.torsor("report", "out")
        self.torsor("report", "out")

    def test_export(self):
        self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
        for name in ["state.nc", "scene.json"]:
            for target in ["model.pvd", "forces_000000.vtp"]:
                os.link(self.folder / "out" / name, self.own / target)
                self.refused("export", "out", "--vtk", "-o", self.own)
                (self.own / target).unlink()

    def test_converge(self):
        scene = self.write("scene.json")
        steps = ["--steps", "2e-3,1e-3", *SHORT]
        for option in ["--csv", "--columns"]:
            self.refused("converge", scene, *steps, option, scene)
            shutil.copy(DATA / "reference" / "heavy_top.csv", self.own / "r.csv")
            self.refused("converge", scene, *steps, option, self.own / "r.csv", "--reference", self.own / "r.csv")
        before = self.contents()
        done = self.torsor("converge", scene, *steps, "--csv", "t.csv", "--columns", "t.csv", code=2)
        self.assertIn("the same file", done.stderr)
        self.assertEqual(self.contents(), before)

    def test_resume(self):
        self.torsor("run", TOP, "-o", "out", *SHORT)
        for name in ["trajectory.csv", "checkpoint", "scene.json"]:
            for target in ["trajectory.csv", "summary.json", "checkpoint"]:
                os.link(self.folder / "out" / name, self.own / target)
                self.refused("run", "--resume", "out", "-o", "own", "--set", "simulation.duration=0.1")
                (self.own / target).unlink()
        self.torsor("run", "--resume", "out", "-o", "own", "--set", "simulation.duration=0.1")
        self.torsor("run", "--resume", "out", "--set", "simulation.duration=0.1")


class LinkTest(FilesTest):
    """A result that is a link is replaced; what it leads to stays."""

    def test_links(self):
        out = self.folder / "out"
        for link in [os.symlink, os.link]:
            for name in ["trajectory.csv", "state.nc", "scene.json", "summary.json", "checkpoint", "trajectory.csv.tmp",
                         "scene.json.tmp", "summary.json.tmp"]:
                with self.subTest(link=link.__name__, name=name):
                    self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
                    precious = self.folder / "precious"
                    precious.write_text("years of work")
                    (out / name).unlink(missing_ok=True)
                    link(precious, out / name)
                    self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
                    if not name.endswith("tmp") or link is os.symlink:
                        self.assertEqual(precious.read_text(), "years of work")
                    if not name.endswith("tmp"):
                        self.assertFalse((out / name).is_symlink())
                        self.assertNotEqual((out / name).read_bytes(), b"years of work")
                    shutil.rmtree(out)

    def test_link_to_nothing(self):
        (self.folder / "out").mkdir()
        (self.folder / "out" / "trajectory.csv").symlink_to(self.folder / "elsewhere")
        self.torsor("run", TOP, "-o", "out", *SHORT)
        self.assertFalse((self.folder / "elsewhere").exists())

    def test_resumed_link(self):
        """A run does not go on in a file that is elsewhere."""
        self.torsor("run", TOP, "-o", "out", *SHORT)
        out = self.folder / "out" / "trajectory.csv"
        out.rename(self.folder / "moved.csv")
        out.symlink_to(self.folder / "moved.csv")
        self.refused("run", "--resume", "out", "--set", "simulation.duration=0.1", code=5, words="trajectory.csv")

    def test_other_outputs(self):
        self.torsor("run", TOP, "-o", "out", "--full", *SHORT)
        precious = self.folder / "precious"
        for name, arguments in [("page.html", ["report", "out", "-o", "page.html"]),
                                ("out/vtk/model.pvd", ["export", "out", "--vtk"]),
                                ("c.csv", ["converge", TOP, "--steps", "2e-3,1e-3", "--csv", "c.csv", *SHORT])]:
            for target in [name, f"{name}.tmp"]:
                precious.write_text("years of work")
                (self.folder / name).parent.mkdir(exist_ok=True)
                (self.folder / name).unlink(missing_ok=True)
                (self.folder / target).symlink_to(precious)
                self.torsor(*arguments)
                self.assertEqual(precious.read_text(), "years of work")


if __name__ == "__main__":
    unittest.main()
