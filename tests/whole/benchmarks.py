# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/benchmarks.md says what the scenes and the sidecars say, and the energy drifts are those of the runs."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

DATA = Path(os.environ["TORSOR_DATA"])
PAGE = (DATA.parent / "docs" / "benchmarks.md").read_text()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| `")]
SLOW = {"four_bar_chain_40"}  # drifts in proportion to four_bar_chain, and takes as long as all others
EPS = 2.0**-52


class Benchmarks(unittest.TestCase):
    def test_every_reference_is_listed(self):
        stems = sorted(path.stem for path in (DATA / "reference").glob("*.json"))
        self.assertEqual([row[0].strip("`") for row in ROWS], stems)

    def test_rows_say_what_the_files_say(self):
        for name, title, source, step, signal, tolerance, _ in ROWS:
            name = name.strip("`")
            sidecar = json.loads((DATA / "reference" / f"{name}.json").read_text())
            scene = json.loads((DATA / "scenes" / f"{name}.json").read_text())
            self.assertEqual((title, source), (sidecar["title"], sidecar["source"]))
            if "modes" in sidecar:
                self.assertEqual(step, "modes")
            elif "simulation" in scene:
                self.assertEqual(float(step), scene["simulation"]["step"])
            else:
                self.assertEqual(step, "statics")
                self.assertIn("statics", scene)
            self.assertEqual(float(tolerance), float(f"{sidecar['tolerance'][signal]['value']:.3g}"))

    def test_energy_drifts(self):
        for row in ROWS:
            name, stated = row[0].strip("`"), row[-1]
            if not stated or name in SLOW:
                continue
            with tempfile.TemporaryDirectory() as folder, self.subTest(name):
                scene = str(DATA / "scenes" / f"{name}.json")
                subprocess.run([os.environ["TORSOR"], "run", scene, "-o", folder], check=True, capture_output=True)
                summary = json.loads(Path(folder, "summary.json").read_text())
                energy = summary["energy"]
                # one rounding a step; rounded up to two digits, so at most a tenth too large
                noise = EPS * summary["steps"] * max(abs(energy["initial"]), 1)
                print(f"  {name}: {energy['max_drift']:.3g} J, stated {stated}")
                self.assertLessEqual(energy["max_drift"], float(stated) + noise)
                self.assertGreaterEqual(energy["max_drift"], 0.9 * float(stated) - noise)


if __name__ == "__main__":
    unittest.main()
