# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/orders.md is what the methods do now, and what they do is what is claimed."""

import os
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(os.environ["TORSOR_DATA"]).parent / "tools"))
import orders  # noqa: E402

# Rounding errors differ from one compiler to the next.
ORDER = 0.05
ERROR = 0.02  # and half of the last of two digits, in the page and now

NUMBER = re.compile(r"(-?\d+\.\d\d) \((\d\.\de[-+]\d\d)\)")


def words_of(page):
    return NUMBER.sub("#", page).splitlines()


class Orders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tables = [(table, orders.measure(table)) for table in orders.TABLES]

    def test_claims(self):
        for table, lines in self.tables:
            for label, cells in lines:
                for column, cell in zip(table.columns, cells):
                    with self.subTest(table.title, line=label, column=column):
                        self.assertTrue(cell.holds(), f"{cell.text()}, claimed {cell.claim}")

    def test_page(self):
        fresh, written = orders.page(self.tables), orders.PAGE.read_text()
        self.assertEqual(words_of(fresh), words_of(written), "docs/orders.md is stale: run tools/orders.py")
        worst = [0, 0]
        for now, then in zip(NUMBER.findall(fresh), NUMBER.findall(written)):
            # Where no order is claimed the error is near a zero, and of no size that means anything.
            error = float(then[1])
            differences = [abs(float(now[0]) - float(then[0])), abs(float(now[1]) - error) / error]
            digit = 0.1 * 10 ** float(then[1][4:])
            worst = [max(pair) for pair in zip(worst, differences)]
            self.assertLessEqual(differences[0], ORDER, (now, then))
            self.assertLessEqual(differences[1], ERROR + digit / error, (now, then))
        cells = len(NUMBER.findall(written))
        print(f"  {cells} cells: orders differ by up to {worst[0]:.3f}, errors by up to {100 * worst[1]:.1f} %")


if __name__ == "__main__":
    unittest.main()
