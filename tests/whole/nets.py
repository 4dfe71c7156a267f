#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Large frames and nets whose matrices sparse solvers without blocks do not end with.

Memory is counted by the system.  Times are compared by bench/nets.py."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from net_scenes import TORSOR, cantilever_net, rod_net, run, singular_net, space_frame


class Nets(unittest.TestCase):
    """All of them are static, or begin so."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_scene(self, verb, what, *options):
        return run(verb, what, self.folder.name, *options)

    def test_frames_in_space(self):
        """From 1,950 elements to 10,560: by nested dissection the entries of factors grow by 1.4 an
        element at most, and all else is in proportion to the elements."""
        small, few = space_frame(4, 6, 5)
        _, base, _ = self.run_scene("statics", small)
        large, many = space_frame(7, 12, 5)
        _, memory, summary = self.run_scene("statics", large)
        growth = memory / many / (base / few)
        print(f"{few} elements: {base:.0f} MB, {many}: {memory:.0f} MB; {growth:.2f} of the memory an element")
        self.assertEqual((few, many), (1950, 10560))
        self.assertEqual(summary["status"], "OK")
        self.assertLess(growth, 1.4)

    def last_row(self):
        with open(os.path.join(self.folder.name, "out", "trajectory.csv"), encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if not line.startswith("#")]
        return dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))

    def test_set_up_of_nets_of_rods(self):
        """From 361 loops to 3,025: by nested dissection the entries of factors grow by 1.4 a loop,
        and all else is in proportion to the loops."""
        _, small, _ = self.run_scene("run", rod_net(19, steps=1))
        _, memory, _ = self.run_scene("run", rod_net(55, steps=1))
        growth = memory / small * 19 ** 2 / 55 ** 2
        print(f"361 loops: {small:.0f} MB, 3,025: {memory:.0f} MB; {growth:.2f} of the memory a loop")
        self.assertLess(growth, 1.4)

    def test_orders_of_loops(self):
        """Where rows wait for their own nodes alone, steps end where those with KLU do: within what
        Newton's iteration leaves, 1e-8 of the motion of 2 mm, and its round-off.  The balance of the
        energies is a difference: all are compared with the largest."""
        for formulation in (None, "index3"):
            what = rod_net(19, formulation, 10)
            rows = []
            for solver in ("block", "klu"):
                what["simulation"]["linear_solver"] = solver
                self.run_scene("run", what)
                rows.append(self.last_row())
            blocks, klu = rows
            energy = max(abs(x) for name, x in klu.items() if name.startswith("energy."))
            off = max(abs(blocks[name] - x) / (energy if name.startswith("energy.") else max(1, abs(x)))
                      for name, x in klu.items())
            print(f"{formulation or 'ggl'}: blocks and KLU differ by {off:.2g}")
            self.assertEqual(len(rows[0]), len(rows[1]))
            self.assertLess(off, 1e-9)

    def test_nodes_that_are_singular_alone(self):
        """Without masses the blocks of rods, which hang on springs that keep them from turning about
        their axes, are singular by themselves: equilibria are found with blocks whose rows wait
        for loops, at the place where KLU finds them."""
        heights = []
        for solver in ("block", "klu"):
            self.run_scene("statics", singular_net(19, solver))
            heights.append(self.last_row())
        blocks, klu = heights
        off = max(abs(blocks[name] - x) / max(1, abs(x)) for name, x in klu.items())
        print(f"equilibria by blocks and KLU differ by {off:.2g}")
        self.assertLess(off, 1e-9)

    def test_far_from_equilibrium(self):
        """A net of 30 m that its weight bends far: Newton's iteration meets singular matrices, and
        shortens its steps.  Without them it takes some ten iterations; ten times as many are
        allowed."""
        net, count = cantilever_net(30)
        _, memory, summary = self.run_scene("statics", net)
        iterations = summary["newton_iterations"]
        print(f"{count} elements, {iterations} iterations, {memory:.0f} MB")
        self.assertEqual(summary["status"], "OK")
        self.assertLess(memory, 300)
        self.assertLess(iterations, 100)

    def test_signal_within_a_factorisation(self):
        """KLU does not end with a frame of 6,650 elements within a minute, nor does it look for
        signals: the program ends all the same, within a second on an idle machine."""
        path = os.path.join(self.folder.name, "scene.json")
        frame, _ = space_frame(6, 10, 5)
        frame["simulation"] = {"step": 1e-3, "duration": 1e-3, "linear_solver": "klu"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(frame, file)
        for verb in ("run", "statics", "modes"):
            process = subprocess.Popen([TORSOR, verb, "-q", "-o", os.path.join(self.folder.name, "out"), path],
                                       stderr=subprocess.DEVNULL)
            time.sleep(4)
            begun = process.poll() is None
            process.terminate()
            sent = time.monotonic()
            code = process.wait(timeout=60)
            took = time.monotonic() - sent
            print(f"{verb}: {'ended' if begun else 'was done'} {took:.2f} s after the signal")
            if begun:
                self.assertEqual(code, 128 + signal.SIGTERM)
            self.assertLess(took, 20)  # of the minute and more that is left

    def test_modes_of_a_frame(self):
        """Twenty modes of 1,950 elements take 60 vectors of 13,000 numbers beside the factors."""
        frame, _ = space_frame(4, 6, 5)
        _, memory, _ = self.run_scene("modes", frame, "-n", "20", "--about", "equilibrium")
        print(f"20 modes: {memory:.0f} MB")
        self.assertLess(memory, 150)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:], verbosity=2)
