# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method on scenes with kinks, noise, stiffness, change points and coarse steps: right, or reported.  The default method with smaller
and larger steps, too; all of them with the argument `all`."""

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import hazards  # noqa: E402

METHODS = list(hazards.METHODS)
SEVERAL = [method for method in METHODS if len(hazards.factors_of(method)) > 1]
ALL = sys.argv[1:2] == ["all"]

# Trial runs of these, and explicit steps through what is stiff, take some seconds each: with `all` only.
DEAR = {"no step": {"light_jerk_h_omega_100", "light_jerk_h_omega_10000", "redundant_free_four_bar"},
        "auto": {"light_jerk_h_omega_100"}, "auto, long steps": {"light_jerk_h_omega_100"},
        "explicit": {"impact_fine", "damper_1e6", "damper_1e5_event", "damper_grip", "light_h_omega_100", "light_jerk_h_omega_100"}}


@functools.cache
def matrix(method, factor):
    names = [name for name in hazards.index() if ALL or name not in DEAR.get(method, ())]
    return {name: hazards.run(name, hazards.METHODS[method], factor) for name in names}


# Motions through change points that go on in one way or another by rounding: the last digit decides between both ways to be answered.
BY_ROUNDING = {("change_point_hit", "RATTLE"), ("change_point_free", "explicit")}

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
        self.check(SEVERAL if ALL else ["default"], 0.5)

    def test_three_times_the_steps(self):
        self.check(SEVERAL if ALL else ["default"], 3)

    def test_rows_at_ends_of_three_times_longer_steps(self):
        """Rows that shorten no step: what is between them, such as the noise of a table, is not met."""
        for name, cell in hazards.matrix("default", 3, ends=True).items():
            with self.subTest(name):
                self.assertNotEqual(cell.verdict, "WRONG", f"error {cell.error:.2g}: {cell.said}")

    def test_errors_of_controlled_steps(self):
        """Errors of positions and rotations are at most ten times what `accuracy` asks for over the duration."""
        asked, parts = 1e-3, []
        for name, entry in hazards.index().items():
            if name in DEAR["no step"]:
                continue
            found = hazards.controlled(name, entry, asked)
            if not found:
                continue
            parts.append(found.part)
            with self.subTest(name):
                self.assertTrue(found.complete or found.reported)
                self.assertTrue(found.reported or found.part <= 10, found)
        print(f"  controlled steps: errors of up to {max(parts):.2g} times the accuracy, {sum(p < 0.01 for p in parts)} of {len(parts)} below a 100th")

    def test_what_multiplies_errors(self):
        """A linkage that multiplies local errors by some 100: controlled steps say so, and what they ask for leaves errors of what was asked
        for; `--verify-error` reports them, too, from the difference of runs of second order."""
        name, asked = "redundant_free_four_bar", 1e-3
        found = hazards.controlled(name, hazards.index()[name], asked, "--verify-error")
        reported = float(re.search(r"l2\.position +\S+ at t = \S+ s, (\S+) %", found.summary).group(1)) / 100
        said = re.search(r"add up to about (\S+) % of the largest value of l2.position, \S+ times .* ask for (\S+) of it", found.said)
        self.assertTrue(said, found.said)
        estimate, part = float(said.group(1)) / 100, float(said.group(2))
        print(f"  {name}: error {asked * found.part:.2g}, {estimate:.2g} estimated, {reported:.2g} by a second run; ask for {part:g} of {asked:g}")
        self.assertGreater(found.part, 10)
        for measured in (reported, estimate):
            self.assertTrue(1 / 3 < measured / (asked * found.part) < 3)
        better = hazards.controlled(name, hazards.index()[name], part * asked)
        print(f"  {name}: error {part * asked * better.part:.2g} then")
        self.assertLess(part * better.part, 10)

    def test_estimates_and_rounding(self):
        """Steps of three times the size are reported as too coarse for a linkage that multiplies errors at its change points, whatever the
        rounding.  The companion's iteration may leave 2^-14 of its distance in each of 1,666 steps, 0.1 of the error in all; the distance is
        linear in the error to second order, and signals are looked at 50 times: within a half."""
        name = "redundant_free_four_bar"
        entry = hazards.index()[name]
        found = []
        for i in range(6):
            scene = hazards.scene_of(name, {}, 3, ends=True)
            scene["bodies"][0]["mass"] *= 1 + i * 1e-12
            with tempfile.TemporaryDirectory(prefix="hazard") as text:
                folder = Path(text)
                (folder / "in.json").write_text(json.dumps(scene))
                done = subprocess.run([os.environ["TORSOR"], "run", folder / "in.json", "-o", folder / "out", "--progress=never"],
                                      capture_output=True, text=True)
                errors, _ = hazards.column_errors(name, entry["columns"], folder / "out", ends=True)
            said = re.search(r"add up to about (\S+) %", done.stderr)
            self.assertTrue(said, done.stderr)
            found.append((float(said.group(1)) / 100, max(errors.values())))
        print(f"  {name}, masses off by 1e-12:", ", ".join(f"{estimate:.2g} for {error:.2g}" for estimate, error in found))
        for estimate, error in found:
            self.assertLess(abs(estimate / error - 1), 0.5)

    def test_page(self):
        """Verdicts on the page are those of this program."""
        lines = [line.strip("| ").split(" | ") for line in hazards.PAGE.read_text().splitlines() if line.startswith("| `")]
        self.assertEqual({line[0].strip("`") for line in lines}, set(hazards.index()))
        for name, *cells in lines:
            for method, text in zip(METHODS, cells, strict=True):
                if name.strip("`") not in matrix(method, 1) or (name.strip("`"), method) in BY_ROUNDING:
                    continue
                verdict = text.split(",")[0] if "," in text else "right"
                self.assertEqual(matrix(method, 1)[name.strip("`")].verdict, verdict, (name, method))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
