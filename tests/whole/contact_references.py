#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth contacts against answers for rigid ones and for Hertz's law that were computed apart from the engine.

The bounds are those of the stiffness (the depth d of a contact at rest, and the length mu N/k_t by which what sticks gives way) and of the method.
TORSOR is the path of the command, TORSOR_DATA that of data/."""

import math
import unittest

from case_kit import Result
from words import WordsTest


class References(WordsTest):
    def done(self, scene):
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        return got

    def test_cradle(self):
        """Ten balls in a row, struck by the first: Hertz's law k d^1.5 integrated to 1e-10.  The method has the order 2, so that half the step leaves a
        quarter of the error, and a third of what both differ by."""
        want = [-0.07108501708600852, -0.03027378936455126, -0.015833397156868052, -0.008885695175554728, -0.005126583159386543, -0.0029859781987864116,
                -0.0017376684172685844, 0.0026719549410854472, 0.1473903071999842, 0.9858658664173529]
        names = [f"b{i}.velocity.x" for i in range(10)]
        ends = []
        for h in (2e-4, 1e-4):
            bodies = [{"name": f"b{i}", "type": "rigid_body", "mass": 1, "inertia": [4e-3] * 3, "position": [0.2 * i, 0, 0], "velocity": [1 if i == 0 else 0, 0, 0],
                       "shape": {"type": "sphere", "radius": 0.1}} for i in range(10)]
            got = self.done({"torsor": 1, "bodies": bodies, "forces": [{"name": "all", "type": "contact_group", "between": ["b*"], "stiffness": 1e6}],
                             "simulation": {"method": "generalized_alpha", "step": h, "duration": 0.1}, "output": {"step": 0.1, "signals": names}})
            ends.append([got[name][-1] for name in names])
        off = [max(abs(a - b) for a, b in zip(end, want, strict=True)) for end in ends]
        self.near(off[1], 0, max(abs(a - b) for a, b in zip(*ends, strict=True)) / 2, f"velocities, m/s, with the step; twice the step {off[0]:.2g}")
        self.assertGreater(off[0] / off[1], 3.4)

    def test_tippe_top(self):
        """A top on a ball whose middle is not its centre of mass, which slips: 20 ms at mu = 0.3.  Lengths are off by d and mu N/k_t, spins of 180 rad/s by
        those over the radius."""
        mass, k, spring, radius, spin = 0.006, 1e7, 1e4, 0.015, 180
        depth = (mass * 9.81 / k) ** (2 / 3)
        bound = depth + 0.3 * mass * 9.81 / spring
        want = [-0.0005859802665577042, -8.533240643239857e-06, 0.012006743827828984, 3.1712990489952078, -1.147542724760545, 179.32632669044386]
        got = self.done({"torsor": 1, "gravity": [0, 0, -9.81],
                         "bodies": [{"name": "top", "type": "rigid_body", "mass": mass, "inertia": [8e-7, 8e-7, 7e-7],
                                     "position": [0, 0, 0.012014987504165922 - depth], "orientation": {"rotation_vector": [0.1, 0, 0]},
                                     "angular_velocity": [0, 0, spin]}],
                         "forces": [{"name": "floor", "type": "contact", "a": "ground", "b": {"body": "top", "position": [0, 0, 0.003]}, "normal": [0, 0, 1],
                                     "radius": radius, "stiffness": k, "dissipation": 20, "friction": 0.3, "tangential_stiffness": spring}],
                         "simulation": {"step": 2.5e-5, "duration": 0.02}, "output": {"step": 0.005, "signals": ["top"]}})
        names = [f"top.position.{axis}" for axis in "xyz"] + [f"top.angular_velocity.{axis}" for axis in "xyz"]
        for name, value in zip(names, want, strict=True):
            self.near(got[name][-1], value, bound if "position" in name else spin * bound / radius, name)

    def rod(self, speed, push, k, h):
        """Where the rod is after 0.3 s: way, angle and their rates; `push` is the first normal force."""
        angle = math.pi / 3
        body = {"name": "rod", "type": "rigid_body", "mass": 1, "inertia": [1e-3, 1 / 12, 1 / 12], "velocity": [speed, 0, 0],
                "position": [0.5 * math.cos(angle), 0, 0.5 * math.sin(angle) - (push / k) ** (2 / 3)], "orientation": {"rotation_vector": [0, -angle, 0]}}
        floor = {"name": "floor", "type": "contact", "a": "ground", "b": {"body": "rod", "position": [-0.5, 0, 0]}, "normal": [0, 0, 1], "stiffness": k,
                 "dissipation": 5, "friction": 0.5, "tangential_stiffness": 1e6}
        got = self.done({"torsor": 1, "gravity": [0, 0, -9.81], "bodies": [body], "forces": [floor], "simulation": {"step": h, "duration": 0.3},
                         "output": {"step": 0.3, "signals": ["rod"]}})
        turned = -2 * math.atan2(got["rod.quaternion.y"][-1], got["rod.quaternion.w"][-1])
        return [got["rod.position.x"][-1] - 0.25, turned, got["rod.velocity.x"][-1], -got["rod.angular_velocity.y"][-1]]

    def test_sliding_rod(self):
        """A rod of 1 m whose foot slides, ahead of it or behind.  The depth is as k^(-2/3), so that a tenth of the stiffness has 4.6 times the error:
        what both differ by is a bound, as is what the steps differ by; beside them d and mu N/k_t, of lengths of 1 m and of the rates."""
        for speed, push, want in [(2, 4.088319277313511, [0.5327888824277252, 0.2547152683782065, 1.6267993014476627, -4.539669277734603]),
                                  (-2, 8.914284272982345, [-0.41190109101489036, 0.8264354204655466, -0.8365043862868863, -1.818471029924234])]:
            soft, coarse, fine = self.rod(speed, push, 1e7, 1e-4), self.rod(speed, push, 1e8, 1e-4), self.rod(speed, push, 1e8, 5e-5)
            bound = (push / 1e8) ** (2 / 3) + 0.5 * push / 1e6
            for i, name in enumerate(["way, m", "angle, rad", "speed, m/s", "rate, rad/s"]):
                scale = abs(want[i]) if i > 1 else 1
                self.near(fine[i], want[i], abs(soft[i] - coarse[i]) + abs(coarse[i] - fine[i]) + bound * scale, f"speed {speed}: {name}")

    def test_belt(self):
        """A block on a belt sticks and slips: with D = (mu_s - mu_k) N/k and w^2 = k/m it sticks for 2 D/V and slips for 2/w (pi - atan(D w/V)).  Each of
        the two changes counts from the end of its step, and what sticks gives way by mu N/k_t, which takes the belt mu N/(k_t V)."""
        want, spring, h = 0.7317597860684928, 1e5, 2.5e-4
        block = {"name": "block", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, -1e-5]}
        forces = [{"name": "spring", "type": "bushing", "a": "ground", "b": "block", "stiffness": [100, 0, 0], "rotational_stiffness": [100] * 3},
                  {"name": "grip", "type": "contact", "a": "belt", "b": "block", "normal": [0, 0, 1], "stiffness": 1e6, "exponent": 1, "dissipation": 1,
                   "friction": 0.25, "static_friction": 0.4, "tangential_stiffness": spring, "tangential_damping": 200}]
        got = self.done({"torsor": 1, "gravity": [0, 0, -10], "bodies": [{"name": "belt", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1]}, block],
                         "joints": [{"name": "run", "type": "motion", "a": "ground", "b": "belt", "x": "0.1*t", "y": "0", "z": "0", "axis": [0, 0, 1],
                                     "angle": "0"}],
                         "forces": forces, "simulation": {"step": h, "duration": 2.8}, "output": {"step": 0.001, "signals": ["block.position.x", "block.velocity.x"]}})
        t, v = got["t"], got["block.velocity.x"]
        turns = [t[i] + (t[i + 1] - t[i]) * v[i] / (v[i] - v[i + 1]) for i in range(len(v) - 1) if v[i] > 0 >= v[i + 1]]
        self.assertEqual(len(turns), 4)
        for before, after in zip(turns[1:], turns[2:], strict=False):
            self.near(after - before, want, 2 * h + 4 / (spring * 0.1), "period, s")
        self.near(max(got["block.position.x"]), 0.04302775637731995, 4 / spring + 2 * h * 0.1, "furthest, m")


if __name__ == "__main__":
    unittest.main()
