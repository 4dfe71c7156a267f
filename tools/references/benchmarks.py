# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/benchmarks.md from the scenes, the sidecars and runs of the command that $TORSOR names (default: torsor)."""

import json
import math
import os
import subprocess
import tempfile
from pathlib import Path

from common import ROOT

HEAD = """# Benchmarks

Scenes with an independent reference, which `torsor verify` runs and compares, signal by signal; the first of each stands
here with its tolerance (`torsor verify NAME` shows all, and the errors). The energy column is the largest drift over the
run, rounded up, of scenes in which nothing takes or gives energy. Errors and drifts fall with the square of the step, those of
`statics` and of `modes` of beams with the square of the elements' length. Tolerances of the seven
scenes whose steps were made smaller (`heavy_top_se3`, `four_bar_chain`, both governors, `kapitza_pendulum`, both spatial slider-cranks)
follow from the errors at the steps before, by the order: a quarter for half the step.

| scene | what | source | step, s | first signal | tolerance | energy drift, J |
|---|---|---|---|---|---|---|
"""


def up(x):
    """Rounded up to two digits."""
    if x == 0:
        return "0"
    scale = 10.0 ** (math.floor(math.log10(x)) - 1)
    return f"{math.ceil(x / scale - 1e-9) * scale:.2g}"


def command(*arguments):
    done = subprocess.run([os.environ.get("TORSOR", "torsor"), *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def kind(scene, sidecar):
    """The step of a run, or what else is done with the scene."""
    if "modes" in sidecar:
        return "modes"
    return f"{scene['simulation']['step']:g}" if "simulation" in scene else "statics"


def row(path, folder):
    name = path.stem
    scene = json.loads((ROOT / "data" / "scenes" / f"{name}.json").read_text())
    sidecar = json.loads(path.read_text())
    runs = kind(scene, sidecar) not in ("modes", "statics")
    says = command("run", str(ROOT / "data" / "scenes" / f"{name}.json"), "-o", folder) if runs else ""
    drift = json.loads(Path(folder, "summary.json").read_text())["energy"]["max_drift"] if "energy drift" in says else None
    signal, allowed = next(iter(sidecar["tolerance"].items()))
    cells = (
        f"`{name}`",
        sidecar["title"],
        sidecar["source"],
        kind(scene, sidecar),
        signal,
        f"{allowed['value']:.3g}",
        "" if drift is None else up(drift),
    )
    return "| " + " | ".join(cells) + " |"


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(path, folder) for path in sorted((ROOT / "data" / "reference").glob("*.json"))]
    (ROOT / "docs" / "benchmarks.md").write_text(HEAD + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
