# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method on scenes with kinks, noise, stiffness, change points and coarse steps: right, or reported.  The default method with smaller
and larger steps, too; all of them with the argument `all`."""

import functools
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import hazards  # noqa: E402

METHODS = list(hazards.METHODS)
CONSTANT = [method for method in METHODS if len(hazards.factors_of(method)) > 1]
ALL = sys.argv[1:2] == ["all"]

# Trial runs of these take some seconds each: with `all` only.
DEAR = {"light_jerk_h_omega_100", "light_jerk_h_omega_10000", "redundant_free_four_bar"}


@functools.cache
def matrix(method, factor):
    names = [name for name in hazards.index() if ALL or method != "no step" or name not in DEAR]
    return {name: hazards.run(name, hazards.METHODS[method], factor) for name in names}


# Warnings are none of an error below this part, however wide the limit of the scene.
LEAST = 4e-3


class Hazards(unittest.TestCase):
    def check(self, methods, factor):
        for method in methods:
            for name, cell in matrix(method, factor).items():
                with self.subTest(name, method=method, factor=factor):
                    self.assertIn(cell.verdict, ("right", "reported", "warned"), f"error {cell.error:.2g}: {cell.said}")
                    if cell.verdict == "warned" and method == "default":
                        self.assertGreater(cell.error, LEAST, cell.said)
            counts = (f"{sum(c.verdict == v for c in matrix(method, factor).values())} {v}" for v in hazards.VERDICTS)
            print(f"  {method}, steps x {factor:g}:", ", ".join(counts))

    def test_steps_as_they_are(self):
        self.check(METHODS, 1)

    def test_half_the_steps(self):
        self.check(CONSTANT if ALL else ["default"], 0.5)

    def test_three_times_the_steps(self):
        self.check(CONSTANT if ALL else ["default"], 3)

    def test_rows_at_ends_of_three_times_longer_steps(self):
        """Rows that shorten no step: what is between them, such as the noise of a table, is not met."""
        for name, cell in hazards.matrix("default", 3, ends=True).items():
            with self.subTest(name):
                self.assertNotEqual(cell.verdict, "WRONG", f"error {cell.error:.2g}: {cell.said}")

    def test_page(self):
        """Verdicts on the page are those of this program."""
        lines = [line.strip("| ").split(" | ") for line in hazards.PAGE.read_text().splitlines() if line.startswith("| `")]
        self.assertEqual({line[0].strip("`") for line in lines}, set(hazards.index()))
        for name, *cells in lines:
            for method, text in zip(METHODS, cells, strict=True):
                if name.strip("`") not in matrix(method, 1):
                    continue
                verdict = text.split(",")[0] if "," in text else "right"
                self.assertEqual(matrix(method, 1)[name.strip("`")].verdict, verdict, (name, method))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
