#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Studies on a real Slurm of two nodes, which are both this machine: a worker is killed, a node drained, all jobs are cancelled."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

MISSING = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
if MISSING or os.getuid() != 0:
    print("skipped: needs root and the Debian packages slurmctld slurmd slurm-client munge")
    sys.exit(77)

TORSOR = os.environ["TORSOR"]
HERE = pathlib.Path(__file__).resolve().parent
SCENE = {
    "torsor": 1, "gravity": [0, 0, -10], "parameters": {"w": 4},
    "bodies": [{"name": "ball", "type": "point_mass", "mass": 1, "velocity": [0, 0, "w"]}],
    "simulation": {"step": 2e-5, "duration": 1, "method": "explicit"}, "output": {"step": 0.01, "signals": ["ball.position"]},
}
SAMPLES = 200
STUDY = {"torsor_study": 1, "scene": "scene.json", "vary": {"w": {"path": "parameters.w", "from": 1, "to": 4, "count": SAMPLES}},
         "outputs": {"top": {"max": "ball.position.z"}}}


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.folder.chmod(0o755)
        (cls.folder / "scene.json").write_text(json.dumps(SCENE))
        (cls.folder / "study.json").write_text(json.dumps(STUDY))
        os.environ["PATH"] += ":/usr/sbin"
        os.environ["SLURM_CONF"] = str(cls.folder / "slurm/slurm.conf")
        subprocess.run(["bash", HERE / "slurm_local.sh", "start", cls.folder / "slurm"], check=True, timeout=100, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        cls.run_study("--new", "-j", "2", "-q", out="local")
        cls.want = (cls.folder / "local/table.csv").read_bytes()

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["bash", HERE / "slurm_local.sh", "stop", cls.folder / "slurm"], check=False, timeout=60, stdout=subprocess.DEVNULL)
        time.sleep(2)
        cls.scratch.cleanup()

    @classmethod
    def run_study(cls, *words, out="out"):
        done = subprocess.run([TORSOR, "sweep", cls.folder / "study.json", "-o", cls.folder / out, *words], capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def queue(self):
        return subprocess.run(["squeue", "-h"], capture_output=True, text=True, check=True).stdout

    def wait(self, most=180):
        end = time.monotonic() + most
        while self.queue():
            self.assertLess(time.monotonic(), end, self.queue())
            time.sleep(.5)

    def done(self, out):
        return json.loads(self.run_study("--status", "--json", out=out))["ok"]

    def wait_for_rows(self, out, count):
        for _ in range(600):
            if self.done(out) >= count:
                return
            time.sleep(.1)
        self.fail("no rows come")

    def check(self, out):
        """Nothing is lost, and nothing was done twice."""
        self.assertEqual((self.folder / out / "table.csv").read_bytes(), self.want)
        hashes = [line.split(",")[1] for file in (self.folder / out / "rows").iterdir() for line in file.read_text().splitlines() if ",ok," in line]
        self.assertEqual(len(set(hashes)), SAMPLES)
        self.assertEqual(len(hashes), SAMPLES)

    def test_array(self):
        answer = json.loads(self.run_study("--engine", "slurm", "-j", "4", "--json", out="array"))
        self.assertEqual((answer["workers"], answer["samples"]), (4, SAMPLES))
        self.wait()
        self.check("array")

    def test_broken(self):
        """A worker is killed and a node drained; what they leave is done by a second array."""
        self.run_study("--engine", "slurm", "-j", "4", out="broken")
        self.wait_for_rows("broken", 10)
        mark = f"{self.folder}/broken"
        for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = place.read_bytes()
            except OSError:
                continue
            if mark.encode() in words and b"--worker" in words and not words.startswith(b"/bin/sh"):
                os.kill(int(place.parent.name), 9)
                break
        subprocess.run(["scontrol", "update", "nodename=n2", "state=drain", "reason=test"], check=True)
        self.wait()
        left = SAMPLES - self.done("broken")
        subprocess.run(["scontrol", "update", "nodename=n2", "state=resume"], check=True)
        print(f"{left} samples were left")
        self.assertGreater(left, 0)
        answer = json.loads(self.run_study("--resume", "--engine", "slurm", "-j", "2", "--json", out="broken"))
        self.assertEqual(answer["samples"], left)
        self.wait()
        self.check("broken")

    def test_cancelled(self):
        self.run_study("--engine", "slurm", "-j", "2", out="cancelled")
        self.wait_for_rows("cancelled", 10)
        subprocess.run(["scancel", "-u", "root"], check=True)
        self.wait()
        self.assertLess(self.done("cancelled"), SAMPLES)
        self.run_study("--resume", "-q", "-j", "2", out="cancelled")
        self.check("cancelled")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
