#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example for Octave runs, and its rows are those of one run, to the bit.  Skipped where Octave is not there.

Environment: TORSOR, TORSOR_DATA."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TORSOR, DATA = os.environ["TORSOR"], pathlib.Path(os.environ["TORSOR_DATA"])
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/octave/heavy_top.m"


def main():
    octave = shutil.which("octave-cli")
    if not octave:
        print("install Debian package octave")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        scene = DATA / "scenes/heavy_top.json"
        done = subprocess.run([octave, "--norc", EXAMPLE, scene, folder / "pieces"], capture_output=True, text=True, timeout=300, check=False)
        print(done.stdout, done.stderr)
        if done.returncode:
            return 1
        subprocess.run([TORSOR, "run", "-q", scene, "-o", folder / "whole"], check=True)
        with open(folder / "whole/trajectory.csv", newline="") as file:
            last = list(csv.DictReader(file))[-1]
        want = [float(last[f"top.position.{axis}"]) for axis in "xyz"]
        found = [float(word) for word in done.stdout.split("last ")[1].split()]
        print(f"last row {found}, of one run {want}")
        return found != want


if __name__ == "__main__":
    sys.exit(main())
