# SPDX-License-Identifier: GPL-3.0-or-later
"""The default method on scenes with kinks, noise, stiffness, change points and coarse steps: right, or told."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
import hazards  # noqa: E402


class Hazards(unittest.TestCase):
    def check(self, factor):
        for name, entry in hazards.index().items():
            with self.subTest(name, factor=factor):
                cell = hazards.run(name, hazards.METHODS["default"], factor, entry)
                self.assertIn(cell.verdict, ("right", "told", "warned"), f"error {cell.error:.2g}: {cell.said}")
                if cell.verdict == "warned":  # a wide limit, and an error that a warning may speak of
                    self.assertGreater(cell.error, 4e-3, cell.said)

    def test_steps_as_they_are(self):
        self.check(1)

    def test_half_the_steps(self):
        self.check(0.5)

    def test_three_times_the_steps(self):
        self.check(3)

    def test_page(self):
        """Verdicts of the default method on the page are those of this program."""
        cells = dict(re.findall(r"^\| `(\w[^`]*)` \| ([^|]*?) \|", hazards.PAGE.read_text(), re.M))
        self.assertEqual(set(cells), set(hazards.index()))
        for name, text in cells.items():
            verdict = text.split(",")[0] if "," in text else "right"
            self.assertEqual(hazards.run(name, {}).verdict, verdict, name)


if __name__ == "__main__":
    unittest.main()
