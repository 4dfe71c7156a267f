#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The harness of bench measures its scenes, and compares with what it measured before.  No times are judged.

Environment: BENCH_SCENES (the program).
"""
import csv
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["BENCH_SCENES"]
# A scene with closed loops, stabilised rows, rows that depend on each other, a beam.
CASES = ["slider_crank", "top_SE3_ggl", "door", "rope_SE3_4"]


def bench(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.history = pathlib.Path(folder.name) / "history.csv"

    def measure(self, *words):
        code, lines, reported = bench("--repeats", "1", "--history", str(self.history), *words)
        self.assertEqual((code, reported), (0, ""))
        return lines[2:]

    def rows(self):
        with open(self.history, newline="") as file:
            return list(csv.DictReader(file))

    def test_figures(self):
        lines = self.measure(*CASES)
        self.assertEqual({line.split()[0] for line in lines}, set(CASES))
        for row in self.rows():
            with self.subTest(row["case"]):
                value = {key: float(row[key]) for key in list(row)[4:]}
                for key, number in value.items():
                    self.assertGreaterEqual(number, 0, key)
                    self.assertLess(number, float("inf"), key)
                self.assertGreater(value["newton_per_step"], 1)
                # the row is rounded to 4 digits
                cost = value["us_per_step"] / (value["klu_refactor_us"] + value["klu_solve_us"])
                self.assertAlmostEqual(cost / value["ratio"], 1, delta=2e-3)
                self.assertAlmostEqual(value["us_per_part"] * value["parts"] / value["us_per_step"], 1, delta=2e-3)

    def test_matrix(self):
        """Unknowns: a slider-crank of 4 bodies with 24 velocities and 22 rows, a top of 6 and twice 3."""
        self.measure("slider_crank", "top_SE3_ggl")
        self.assertEqual({row["case"]: int(row["unknowns"]) for row in self.rows()},
                         {"slider_crank": 24 + 22, "top_SE3_ggl": 6 + 2 * 3})

    def test_comparison(self):
        first = self.measure("door", "--note", "first")
        self.assertEqual(first[0].split()[-2:], ["-", "-"])
        text = self.history.read_text()
        cost = self.rows()[0]["us_per_step"]
        # what took a second per step is now faster by 100 %, as printed
        self.history.write_text(text.replace(f",{cost},", ",1e6,", 1))
        second = self.measure("door")
        self.assertEqual(second[0].split()[-2:], ["-100%", "-100%"])
        self.assertEqual([row["note"] for row in self.rows()], ["first", ""])

    def test_words(self):
        every = bench("--list")[1]
        self.assertEqual(bench("--list", "chain_spherical_10")[1], ["chain_spherical_10"])
        self.assertEqual(bench("--list", "chain")[1], [name for name in every if "chain" in name])
        self.assertEqual(len(every), len(set(every)))


if __name__ == "__main__":
    unittest.main()
