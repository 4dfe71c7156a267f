#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes, each the smallest that shows one fault, against answers that are known apart from the engine.

COVERED names what other tests hold of the same kinds.  TORSOR is the path of the command, TORSOR_DATA that of data/."""

import math
import re
import unittest
from pathlib import Path

from case_kit import Result, Spline, rotation, runge_kutta, scale, scene, turn, turned

TESTS = Path(__file__).resolve().parent.parent

# What is not asked of a scene here, as another test asks it: the file, and the test in it.
COVERED = {
    "commands in names, units and paths of files that are drawn": ("cli/hostile.py", "test_many_at_once"),
    "closed standard streams": ("cli/files.py", "test_closed_streams"),
    "two runs into one folder": ("cli/files.py", "test_two_runs"),
    "an output that would replace the scene": ("cli/files.py", "test_scene"),
    "outputs that are links": ("cli/files.py", "test_links"),
    "a byte order mark": ("scene/scene_bad.c", "bom"),
    "allocations that fail in report": ("cli/cli_memory.py", "test_report"),
    "SIGTERM while a scene is set up": ("cli/cli.py", "test_interrupt_before_the_first_step"),
    "tables without rows": ("results/empty_results.py", "test_table_without_rows"),
    "states without frames": ("results/empty_results.py", "test_states_without_frames"),
    "a plug-in whose prepare fails": ("results/empty_results.py", "test_prepare"),
    "radau on bennett, bricard and gear_train": ("analysis/dynamics/method_scenes.c", "redundant_rows_last"),
    "every method on every kind of row": ("analysis/dynamics/method_rows.c", "every_method_on_every_row"),
    "rest with every method": ("analysis/dynamics/method_rows.c", "rest_stays"),
    "sign of products of inertia": ("elements/inertia_products.c", "products"),
}


TURNS = [[0, 0, 1], [0.3, -1.1, 0.7], [2, 0.1, -0.4], [-1, 1, 1]]


class CaseTest(unittest.TestCase):
    def run_case(self, what, verb="run", *options, code=0, warnings=0):
        """The result, after its exit code, or one of several, and the number of its warnings."""
        got = Result(what if isinstance(what, dict) else scene(what), verb, *options)
        self.assertIn(got.code, code if isinstance(code, tuple) else (code,), got.said)
        if warnings is not None:
            self.assertEqual(len(got.warnings), warnings, got.said)
        return got

    def near(self, got, want, tolerance, what=""):
        print(f"  {self.id().split('.')[-1]} {what}: {got:.12g} for {want:.12g}, off by {abs(got - want):.2g} of {tolerance:.2g}")
        self.assertLessEqual(abs(got - want), tolerance, what)

    def all_near(self, got, want, tolerance, what=""):
        """The largest difference of two lists of numbers."""
        self.assertEqual(len(got), len(want))
        self.near(max((abs(a - b) for a, b in zip(got, want)), default=0.0), 0, tolerance, what)


# ---- drives that stop, start, jump ------------------------------------------------------------


def trapezoid(t):
    if t < 0.2:
        return 0.5 * t * t, t, 1
    if t < 0.4:
        return 0.02 + 0.2 * (t - 0.2), 0.2, 0
    if t < 0.6:
        return 0.06 + 0.2 * (t - 0.4) - 0.5 * (t - 0.4) ** 2, 0.6 - t, -1
    return 0.08, 0, 0


def cosine(t):
    w = 2 * math.pi
    return (0.05 * (1 - math.cos(w * t)), 0.05 * w * math.sin(w * t), 0.05 * w * w * math.cos(w * t)) if t < 0.5 else (0.1, 0, 0)


def quintic(t):
    u = 2 * t
    if t >= 0.5:
        return 0.1, 0, 0
    return (0.1 * (10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5), 0.2 * (30 * u ** 2 - 60 * u ** 3 + 30 * u ** 4),
            0.4 * (60 * u - 180 * u ** 2 + 120 * u ** 3))


def late(t):
    return (0.5 * (t - 0.5) ** 2, t - 0.5, 1) if t > 0.5 else (0, 0, 0)


def steffen(t):
    """The slope of the first two rows at the start, which is Steffen's simplest choice, and 0 from 0.5 s on."""
    u = 2 * t
    if t >= 0.5:
        return 0.1, 0, 0
    return 0.1 * (u + u ** 2 - u ** 3), 0.2 * (1 + 2 * u - 3 * u ** 2), 0.4 * (2 - 6 * u)


SLIDERS = {"slider_trapezoid_index3": (trapezoid, [0.2, 0.4, 0.6]), "slider_trapezoid_ggl": (trapezoid, [0.2, 0.4, 0.6]),
           "slider_stop_cos_ggl": (cosine, [0.5]), "slider_stop_quintic_ggl": (quintic, [0.5]), "slider_start_late_ggl": (late, [0.5]),
           "slider_monotone_table_ends": (steffen, [0.5]), "slider_motion_ggl": (cosine, [0.5])}
METHODS = [{}, {"formulation": "index3"}, {"formulation": "ggl", "rho_inf": 0.5}, {"method": "soi2", "formulation": None},
           {"method": "hht_odae", "formulation": None}, {"method": "rattle", "formulation": None}, {"method": "radau", "formulation": None},
           {"accuracy": {"position": 1e-6, "rotation": 1e-6}}]


class Sliders(CaseTest):
    """1 kg on a slider: its force is its acceleration."""

    def check(self, what, law, corners):
        got = self.run_case(what)
        rows = [i for i, t in enumerate(got["t"]) if all(abs(t - c) > 1e-9 for c in corners)]
        force = got["m.force.x" if "m.force.x" in got.columns else "m.effort"]
        # the method has no say in these, but Newton's iteration stops at 1e-8 and rounding errors of 1e-16/h^2 remain
        self.all_near([force[i] for i in rows], [law(got["t"][i])[2] for i in rows], 1e-8, "force")
        if "r.travel" in got.columns:
            self.all_near(got["r.travel"], [law(t)[0] for t in got["t"]], 1e-10, "travel")

    def test_as_they_are(self):
        for name, (law, corners) in SLIDERS.items():
            with self.subTest(name):
                self.check(scene(name), law, corners)

    def test_other_methods_and_steps(self):
        for name, (law, corners) in SLIDERS.items():
            for settings in METHODS:
                duration = scene(name)["simulation"]["duration"]
                for parts in (400, 800, 1600, 613):  # of which the last has no corner at the end of a step
                    with self.subTest(name, **settings, parts=parts):
                        self.check(scene(name, **settings, step=duration / parts), law, corners)


# ---- a car on a rough road ----------------------------------------------------------------------


def quarter_car(road, duration, rows, substeps, stops=()):
    """Rows (t, base, its speed, mass, its speed, spring force, drive force) by Runge-Kutta from knot to knot."""
    def force(t, s):
        base, rate, _ = road(t)
        return -20000 * (s[0] - base) - 1500 * (s[1] - rate)

    state, out, t = [0.0, 0.0], [], 0.0
    for n in range(rows + 1):
        base, rate, second = road(t)
        pull = force(t, state)
        out.append((t, base, rate, state[0], state[1], pull, 20 * second + pull))
        if n < rows:
            start, h = t, duration / rows  # road is smooth within the rows, its ends taken from within
            inner = lambda u, s: [s[1], force(min(max(start + u, start + 1e-12 * h), start + h * (1 - 1e-12)), s) / 300]  # noqa: E731
            state = runge_kutta(inner, state, h, substeps)[-1][1]
            t = (n + 1) * h
    return out


def doubled(what):
    """Every joint twice, so that half of the rows are redundant."""
    again = [{**joint, "name": joint["name"] + "_again"} for joint in what["joints"] if joint["type"] != "drive"]
    return {**what, "joints": what["joints"] + again}


class Redundant(CaseTest):
    """Joints that constrain a motion twice do so in any axes."""

    def check(self, name, vector, **settings):
        what = scene(name, **settings)
        want, got = Result(what), self.run_case(turn(doubled(what), rotation(vector)), warnings=1)
        self.assertIn("redundant", got.warnings[0])
        for column in ("r.travel", "m.effort", "h.angle", "h.rate"):
            if column in want.columns:  # Newton's rtol of 1e-8 of the largest, and what it leaves of 0
                largest = max(abs(x) for x in want[column])
                self.all_near(got[column], want[column], 1e-6 * largest + 1e-12, column)

    def test_joints_twice(self):
        for name in ("slider_trapezoid_ggl", "slider_stop_cos_ggl", "slider_start_late_ggl", "perturbed_start_stiff_damper"):
            for settings in ({}, {"formulation": "index3"}, {"method": "radau", "formulation": None}):
                if name.startswith("perturbed") and settings.get("formulation"):
                    continue  # reported to be no solution
                for vector in TURNS:
                    with self.subTest(name, **settings, vector=vector):
                        self.check(name, vector, **settings)

    def test_small_joints_twice(self):
        """Multipliers of least norm, though moments of inertia are 1e-10 of masses."""
        for method in ("soi2", "radau"):
            with self.subTest(method):
                got = self.run_case(doubled(scene("two_bars_of_a_tenth_mm", method=method)), warnings=1)
                want = self.run_case(scene("two_bars_of_a_tenth_mm", method=method))
                self.all_near(got["l1.position.z"], want["l1.position.z"], 1e-6 * 2e-4)
                force, half = got["p0.force.z"], [x / 2 for x in want["p0.force.z"]]  # shared by two
                self.all_near(force, half, 1e-5 * max(abs(x) for x in half))


class QuarterCar(CaseTest):
    def test_noisy_table(self):
        what = scene("quarter_car_noisy_table")
        road = Spline(what["functions"]["road"]["table"])
        want = quarter_car(road, 2, 2000, 2)
        got = self.run_case(what)
        # the base is given: rounding errors of a spline of 3,000 rows; the mass is of order 2, h omega = 0.01: (h omega)^2 of its motion,
        # ten times as the noise adds its own; drive forces are 100 times the spring's
        self.all_near(got["r1.travel"], [w[1] for w in want], 1e-10, "base")
        self.all_near(got["r1.speed"], [w[2] for w in want], 1e-8, "its speed")
        largest = max(abs(w[5]) / 300 for w in want)
        self.all_near(got["mass.acceleration.z"], [w[5] / 300 for w in want], 1e-3 * largest, "acceleration")
        self.all_near(got["act.effort"], [w[6] for w in want], 1e-3 * 300 * largest, "drive force")

    def check_jump(self, name, straight, jumps):
        what = scene(name)
        road = Spline(what["functions"]["road"]["table"], straight)
        want = quarter_car(road, 2, 2000, 4)
        got = self.run_case(what, warnings=None)
        self.assertTrue(any(re.search(r'"act" jumps by .* t = ' + f"{jumps[0]:g} s", w) and "road" in w for w in got.warnings), got.said)
        self.assertTrue(any(w.startswith("an impulse: ") and '"act"' in w for w in got.warnings), got.said)
        rows = [i for i, t in enumerate(got["t"]) if all(abs(t - jump) > 1.5e-3 for jump in jumps)]
        self.all_near([got["r1.travel"][i] for i in rows], [want[i][1] for i in rows], 1e-10, "base")
        # A step that ends beside a jump of the speed takes its damper force, 1500 N s/m, over half a step more or less
        slip = 1500 * 0.5 / 300 * 0.5e-3
        largest = max(abs(w[5]) / 300 for w in want)
        self.all_near([got["mass.acceleration.z"][i] for i in rows], [want[i][5] / 300 for i in rows],
                      1500 / 300 * slip * 2 + 1e-3 * largest, "acceleration")
        self.all_near([got["act.effort"][i] for i in rows], [want[i][6] for i in rows],
                      1500 * slip * 2 + 0.3 * largest, "drive force")

    def test_table_ends_while_moving(self):
        self.check_jump("table_ends_while_moving", False, [0.4])

    def test_table_with_a_kink(self):
        self.check_jump("table_with_a_kink", True, [0.5, 0.9])


# ---- change points, stiff dampers, small models ---------------------------------------------------


class Mechanisms(CaseTest):
    def parallelogram(self, what, share):
        """Weights of 1, 1.5 and 1 kg at 1, 2 and 1 m: 49.05 cos(angle) N m; the rocker goes with the crank."""
        got = self.run_case(what, warnings=None)
        angles = got["P.angle"]
        self.all_near(got["dr.effort"], [49.05 * math.cos(a) for a in angles], share * 49.05, "moment")
        self.all_near([math.remainder(r - a, 2 * math.pi) for r, a in zip(got["R.angle"], angles)], [0] * len(angles), 1e-9, "branch")
        for warning in got.warnings:
            self.assertRegex(warning, "change point|velocities violate")
        self.assertTrue(any("change point" in w for w in got.warnings), got.said)

    def test_parallelogram(self):
        # Both arms lie on one line within the step before and after: reactions there are those of the method, of order 2 in
        # the distance to that point, which is less than 2 pi h = 6e-3 rad: 0.6 % at the most in index 3.
        for name, share in (("step_hits_change_point", 1e-4), ("one_turn_ggl", 1e-4), ("one_turn_index3", 1e-2)):
            with self.subTest(name):
                self.parallelogram(scene(f"parallelogram_{name}"), share)

    def test_parallelogram_in_other_axes(self):
        """No step ends at the change point, and its row is between the ends of one: h^2/8 of second derivatives, 16 of 49."""
        for name in ("step_hits_change_point", "one_turn_ggl"):
            for step in (5e-4, 1e-3, 2e-3):
                for vector in TURNS:
                    with self.subTest(name, step=step, vector=vector):
                        self.parallelogram(turn(scene(f"parallelogram_{name}", step=step), rotation(vector)), 3e-4)

    def test_methods_that_do_not_pass(self):
        """They say what is in the way.  Whether `radau` passes is a matter of rounding: then it is on the right branch, with
        reactions as near as those of index 3."""
        for method in ("radau", "hht_odae"):
            what = scene("parallelogram_step_hits_change_point", method=method)
            got = self.run_case(what, code=(0, 4) if method == "radau" else 4, warnings=None)
            if got.code:
                self.assertRegex(got.said, 'hint: a dead centre is near: .*"R"')
            else:
                self.parallelogram(what, 1e-2)

    def test_perturbed_start_stiff_damper(self):
        got = self.run_case("perturbed_start_stiff_damper")
        # order 2: half the step has a quarter of the error, and 3.006701 is to six digits
        half = self.run_case(scene("perturbed_start_stiff_damper", step=5e-4))
        error = abs(got.at("h.angle", 1) - half.at("h.angle", 1))
        self.near(got.at("h.angle", 1), 3.006701, 2 * 4 / 3 * error + 5e-7, "angle")
        energy = got["energy.total"]
        self.assertLessEqual(max(b - a for a, b in zip(energy, energy[1:])), 1e-4 * max(got["energy.kinetic"]), "energy grows")

    def test_false_alarm_of_energy(self):
        got = self.run_case("false_alarm_of_energy")
        self.near(got["energy.total"][0], 0.045, 1e-12)
        self.near(got["energy.total"][-1], 0.01125, 1e-4 * 0.045)

    def test_radau_dampers(self):
        got = self.run_case("radau_linear_damper")
        self.assertEqual(got.summary["rejected_steps"], 0)
        self.near(got["a.velocity.x"][-1], 0.075, 1e-8)
        got = self.run_case("radau_energy_signal")
        self.near(got["energy.total"][-1], 0.01125, 1e-8)

    def test_gearbox(self):
        got = self.run_case("gearbox_false_warnings")
        inertia = 0.02 + 0.3 / 2.5 ** 2
        self.near(got["h1.angle"][-1], 2 * 2 ** 2 / inertia / 2, 1e-8 * 60)
        self.near(abs(got["gear.effort"][-1]), 2 * (0.3 / 2.5 ** 2) / inertia, 1e-8 * 2)

    def test_radau_redundant_four_bar(self):
        """It runs, redundant rows and all; turned about its own axes by a right angle nothing changes."""
        what = scene("radau_redundant_four_bar", duration=10)
        got = self.run_case(what, warnings=1)
        self.assertIn("redundant", got.warnings[0])
        by = rotation([-math.pi / 2, 0, 0])
        other = self.run_case(turn(what, by), warnings=1)
        for body in ("l1", "l2", "l3"):
            for a, b in zip(got.vectors(f"{body}.position"), other.vectors(f"{body}.position")):
                self.assertLess(max(abs(x - y) for x, y in zip(turned(by, a), b)), 1e-9)

    def test_radau_powers(self):
        """A spring of 1e15 N/m is a rod: the pendulum falls from the horizontal; its rounding errors are 1e15 * 1e-16 m of N."""
        want = runge_kutta(lambda t, s: [s[1], -9.81 * math.cos(s[0])], [0.0, 0.0], 0.1, 100)[-1][1]
        got = self.run_case("radau_powers", warnings=None)
        for warning in got.warnings:
            self.assertRegex(warning, "halved the step")
        self.near(got["m.position.z"][-1], math.sin(want[0]), 1e-9)


class Sizes(CaseTest):
    def similar(self, small, signals, length, mass, time, tolerance):
        """Ratios of a scene and of the same one in other units."""
        large = scale(small, length, mass, time)
        a, b = self.run_case(small), self.run_case(large)
        for signal, (x, y, z) in signals.items():
            unit = length ** x * mass ** y * time ** z
            largest = max(max(abs(v) for v in a[signal]), 1e-300)
            self.all_near([u / largest for u in a[signal]], [u / unit / largest for u in b[signal]], tolerance, signal)
        return a

    def test_two_bars_and_worm(self):
        force = (1, 1, -2)
        for name, body in (("two_bars_of_a_tenth_mm", "l1"), ("worm_of_one_mm", "k9")):
            joint = "p0" if name.startswith("two") else "p"
            what = scene(name)
            what.get("parameters", {}).pop("L", None)
            if name.startswith("worm"):
                what = expanded_worm(1e-4)
            signals = {f"{body}.position.x": (1, 0, 0), f"{body}.position.z": (1, 0, 0), f"{joint}.force.z": force}
            for s in (0.1, 10, 1e4, 1e8):  # 10 um to 10 km
                with self.subTest(name, s=s):
                    # Newton's iteration leaves rtol = 1e-8 of accelerations, where it stops depends on atol, which is a length
                    self.similar(what, signals, s, s ** 3, math.sqrt(s), 1e-7)

    def test_winch(self):
        got = self.run_case("winch_small")
        # v^2/d falls with the speed that the method loses, of order 2 in h v/d = 0.01
        self.all_near(got["winch.effort"], [-0.01] * len(got["t"]), 0.01 * 0.01 ** 2, "effort")
        what = scene("winch_small")
        what["joints"][1]["motion"] = 0.0001
        for s in (1e-3, 1e3):
            other = scale(what, s)
            other["joints"][1]["motion"] = repr(1e-4 * s)
            found = self.run_case(other)
            self.all_near([x / s for x in found["winch.effort"]], got["winch.effort"], 1e-8 * 0.01, f"size {s}")

    def test_bead(self):
        """At constant speed the acceleration is across the velocity, and the change of the velocity."""
        got = self.run_case("bead_small")
        velocity, acceleration = got.vectors("bead.velocity"), got.vectors("bead.acceleration")
        self.all_near([math.hypot(*v) for v in velocity], [1e-3] * len(velocity), 1e-9 * 1e-3, "speed")
        largest = max(math.hypot(*a) for a in acceleration)
        self.all_near([sum(x * y for x, y in zip(v, a)) for v, a in zip(velocity, acceleration)], [0] * len(velocity),
                      1e-8 * 1e-3 * largest, "power")
        h = got["t"][1] - got["t"][0]
        third = max(max(abs(acceleration[i + 1][k] - 2 * acceleration[i][k] + acceleration[i - 1][k]) for k in range(3))
                    for i in range(1, len(velocity) - 1))  # h^2 a'', of which central differences are off by a sixth, kinks of a'' by more
        self.all_near([(velocity[i + 1][k] - velocity[i - 1][k]) / (2 * h) for i in range(1, len(velocity) - 1) for k in range(3)],
                      [acceleration[i][k] for i in range(1, len(velocity) - 1) for k in range(3)], third, "acceleration")
        for s in (1e-3, 1e3):
            other = scale(scene("bead_small"), s)
            other["joints"][1]["rate"] = 1e-3 * s
            found = self.run_case(other)
            for axis in "xyz":
                self.all_near([x / s for x in found[f"bead.acceleration.{axis}"]], got[f"bead.acceleration.{axis}"], 1e-9 * largest,
                              f"size {s}")


def expanded_worm(length):
    """The worm of that length of a link, its expressions written out."""
    what = scene("worm_of_one_mm")
    link, ball = what["bodies"][0], what["joints"][1]
    del what["parameters"]
    what["bodies"] = [{**{k: v for k, v in link.items() if k != "repeat"}, "name": f"k{i}", "position": [(i + 0.5) * length, 0, 0]}
                      for i in range(10)]
    what["joints"] = [{**what["joints"][0], "b": {"body": "k0", "position": [-length / 2, 0, 0]}}]
    what["joints"] += [{"name": f"j{i}", "type": ball["type"], "a": {"body": f"k{i}", "position": [length / 2, 0, 0]},
                        "b": {"body": f"k{i + 1}", "position": [-length / 2, 0, 0]}} for i in range(9)]
    return what


# ---- branches, guesses, ranges: refused or reported, by name ------------------------------------------


class Words(CaseTest):
    def refused(self, what, code, *words, verb="run"):
        """An error whose words name the element, the place in the file and what to do."""
        got = self.run_case(what, verb, code=code, warnings=None)
        for word in (r"scene\.json:\d+:\d+: ", *words):
            self.assertRegex(got.said, word)
        return got

    def aligned(self, got, body):
        """How far the z axis of that body is from that of the ground."""
        w, x, y, z = (got[f"{body}.quaternion.{c}"][0] for c in "wxyz")
        return math.hypot(2 * (x * z + w * y), 2 * (y * z - w * x), 2 * (x * x + y * y))

    def test_weld_turned_by_180(self):
        what = scene("weld_turned_by_180")
        for verb in ("run", "check"):
            self.refused(what, 3, r"joints\[0\]", 'joint "h"', r"hint: .*guess", verb=verb)
        what["bodies"][0]["placement"] = "guess"  # as the hint says
        got = self.run_case(what, warnings=2)  # that it was turned, and that nothing is left that moves
        self.assertRegex(got.warnings[0], 'body "b" was moved by 0 m and turned by 3.14 rad')
        self.near(abs(got["b.quaternion.w"][0]), 1, 1e-12)

    def test_hinge_antiparallel(self):
        what = scene("hinge_antiparallel")
        got = self.run_case(what, warnings=1)
        self.assertRegex(got.warnings[0], 'body "b" was moved by 0 m and turned by 3.05 rad')
        self.near(self.aligned(got, "b"), 0, 1e-12)
        del what["bodies"][0]["placement"]
        self.refused(what, 3, 'joint "h"|"h"')
        what["bodies"][0]["orientation"]["rotation_vector"][0] = math.pi  # its rows hold there
        self.refused(what, 3, '"h"', "hint: ")

    def test_guess_10_degrees_off(self):
        for verb in ("run", "check"):
            got = self.run_case("guess_10_degrees_off", verb, warnings=None)
            for word in ('"h"', '"b"', "10 degrees", '"axis_b"'):
                self.assertIn(word, got.said + got.answer)
        what = scene("guess_10_degrees_off")
        what["joints"][0]["axis_b"] = [0, 0, 1]
        got = self.run_case(what, warnings=1)
        self.assertRegex(got.warnings[0], "turned by 0.175 rad")
        self.near(math.hypot(*got.vector("b.rotation_vector", 0)), 0, 1e-12)

    def test_bushing_range(self):
        for verb in ("run", "check"):
            self.refused("bushing_range", 3, r"forces\[0\]", '"k"', r"2\.8 rad", "hint: .*(turn a marker|coordinate_spring)", verb=verb)
        # the hint: without rotational stiffness it turns without limit
        what = scene("bushing_range")
        del what["forces"][0]["rotational_stiffness"]
        self.run_case(what)

    def test_points_bear_no_moment(self):
        for joint in ("point_on_plane", "point_on_line"):
            what = scene("point_plane")
            what["joints"][0]["type"] = joint
            for verb in ("run", "check"):
                self.refused(what, 3, r"joints\[0\]\.a", '"p" is a point_mass', "hint: ", verb=verb)

    def test_methods_that_refuse(self):
        self.refused("rattle_damped", 3, "simulation.method", '"rattle"', '"f" has damping', 'hint: .*"generalized_alpha"')
        self.refused("rattle_damped", 3, "simulation.method", verb="check")
        self.refused("hht_redundant", 3, "simulation.method", '"hht_odae"', "depend on each other")
        self.refused("hht_redundant", 3, "simulation.method", verb="check")
        self.run_case(scene("rattle_damped", method="generalized_alpha"))


class Forces(CaseTest):
    def test_bushing_without_rotational_stiffness(self):
        what = scene("bushing_without_rotational_stiffness")
        what["output"]["signals"] += ["s.angular_velocity", "s.quaternion"]
        got = self.run_case(what)
        # Nothing acts: 10 rad for ever.  Twice the acos would lose digits: sine and cosine of the half angle instead
        angle = 10 * got["t"][-1] / 2
        self.near(abs(got["s.quaternion.w"][-1] * math.cos(angle) + got["s.quaternion.z"][-1] * math.sin(angle)), 1, 1e-12)
        self.near(max(abs(x) for name in "xyz" for x in got[f"brg.force.{name}"]), 0, 1e-9)

    def test_bushing_of_a_rod(self):
        """Its markers are turned against each other, which a bushing without rotational stiffness takes no notice of: at rest it stays."""
        for verb in ("check", "run", "modes"):
            self.run_case("bushing_out_of_range", verb)
        got = self.run_case("bushing_out_of_range")
        start = got.vector("rod.position", 0)
        self.all_near(got.vector("rod.position"), start, 1e-12)

    def test_zero_length_spring(self):
        """The pinned body and the free one by Runge-Kutta on rotation matrices in the form of quaternions."""
        what = scene("zero_length_spring")
        want = runge_kutta(two_bodies_on_a_spring, [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1.0, 8000)[-1][1]
        exact = self.run_case({**what, "simulation": {"method": "radau", "step": 1e-3, "duration": 1}})
        self.all_near(exact.vector("b1.position"), want[7:10], 1e-7, "radau")
        # order 2 with the spring's h omega = 0.037: a part of h^2 omega^2/12 of a phase of 37 rad, of 0.3 m of motion
        got = self.run_case(what)
        self.all_near(got.vector("b1.position"), want[7:10], 0.037 ** 2 / 12 * 37 * 0.3 * 2, "usual method")

    def test_friction_holds(self):
        got = self.run_case("equilibrium_on_friction", warnings=1)
        self.assertIn("only friction keeps", got.warnings[0])
        # 30 mm off the middle of 400 mm; the box leans by ((28.2e-6)^(2/3) - (20.8e-6)^(2/3))/0.4 = 4.2e-4 rad, its mass 0.1 m above
        lean = (28.204e-6 ** (2 / 3) - 20.846e-6 ** (2 / 3)) / 0.4 * 0.1
        for name, part in (("c0", 0.5 + (0.03 + lean) / 0.4), ("c2", 0.5 - (0.03 + lean) / 0.4)):
            for row in (0, -1):
                self.near(got[f"{name}.force.z"][row], part * 98.1 / 2, 1e-3, name)
        for vector in TURNS:
            other = self.run_case(turn(scene("equilibrium_on_friction"), rotation(vector)), warnings=1)
            for name in ("c0", "c2"):
                self.near(math.hypot(*other.vector(f"{name}.force")), math.hypot(*got.vector(f"{name}.force")), 1e-9, f"{name}, {vector}")
            # its feet sink in by 0.9 mm and it stays where it was but for what they do before all bear
            moved = math.dist(other.vector("box.position"), turned(rotation(vector), [0, 0, 0.1]))
            self.near(moved, 0.9e-3, 0.1e-3, "moved")


def two_bodies_on_a_spring(_, state):
    """Rates of (quaternion, body rates) of the pinned body, then (position, quaternion, velocity, body rates) of the free one."""
    q, w, x, p, v, u = state[:4], state[4:7], state[7:10], state[10:14], state[14:17], state[17:20]
    here = [a for a in rotate(q, [0.1, 0.5, 0])]
    there = [a + b for a, b in zip(x, rotate(p, [0.1, -0.5, 0]))]
    pull = [1e4 * (a - b) for a, b in zip(here, there)]  # on the free body
    down = [0, 0, -147.15]
    about_pin = cross(here, [b - a for a, b in zip(pull, down)])
    at_end = cross(rotate(p, [0, 1, 0]), down)
    about = [a + b for a, b in zip(cross(rotate(p, [0.1, -0.5, 0]), pull), at_end)]
    return (spin(q, w) + euler(w, rotate_back(q, about_pin)) + v + spin(p, u) + [(a + b) / 15 for a, b in zip(pull, down)]
            + euler(u, rotate_back(p, about)))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotate(q, a):
    """R(q) a = a + 2 w (r x a) + 2 r x (r x a), r the vector part of q."""
    once = cross(q[1:], a)
    twice = cross(q[1:], once)
    return [x + 2 * q[0] * y + 2 * z for x, y, z in zip(a, once, twice)]


def rotate_back(q, a):
    return rotate([q[0], -q[1], -q[2], -q[3]], a)


def spin(q, w):
    across = cross(q[1:], w)
    return [-sum(a * b for a, b in zip(q[1:], w)) / 2] + [(q[0] * a + b) / 2 for a, b in zip(w, across)]


def euler(w, moment, inertia=(15.234375, 0.46875, 15.234375)):
    gyration = cross(w, [i * a for i, a in zip(inertia, w)])
    return [(m - g) / i for m, g, i in zip(moment, gyration, inertia)]


class Inertia(CaseTest):
    def test_cad_inertia_products(self):
        """Free rotation with the matrix as it stands: off-diagonal terms are minus the integrals of x y dm."""
        what = scene("cad_inertia_products")
        inertia = what["bodies"][0]["inertia"]

        def rates(_, w):
            momentum = turned(inertia, w)
            return solve3(inertia, [-a for a in cross(w, momentum)])

        want = runge_kutta(rates, [1.0, 2.0, 3.0], 5, 20000)[-1][1]
        got = self.run_case(what)
        self.all_near(got.vector("b.angular_velocity"), want, 1e-7)


def solve3(a, b):
    columns = list(zip(*a))
    determinant = sum(x * y for x, y in zip(columns[0], cross(columns[1], columns[2])))
    out = []
    for i in range(3):
        c = [b if j == i else columns[j] for j in range(3)]
        out.append(sum(x * y for x, y in zip(c[0], cross(c[1], c[2]))) / determinant)
    return out


# ---- statics and modes ------------------------------------------------------------------------------


def solve(A, b):
    """x of A x = b by elimination; lists."""
    A = [[*row, value] for row, value in zip(A, b)]
    for i in range(len(A)):
        pivot = max(range(i, len(A)), key=lambda k: abs(A[k][i]))
        A[i], A[pivot] = A[pivot], A[i]
        for k in range(i + 1, len(A)):
            part = A[k][i] / A[i][i]
            A[k] = [x - part * y for x, y in zip(A[k], A[i])]
    x = [0.0] * len(A)
    for i in reversed(range(len(A))):
        x[i] = (A[i][-1] - sum(A[i][j] * x[j] for j in range(i + 1, len(A)))) / A[i][i]
    return x


def lifted_end(EI, w, P, length, spans, k):
    """Deflection of the end of Euler and Bernoulli's beam, clamped at its start, with the weight w of a length, a force P up at its end and
    supports of stiffness k between the spans and at the end that only push: slopes and deflections there are exact."""
    h, n = length / spans, 2 * spans + 2
    beam = [[0.0] * n for _ in range(n)]
    load = [0.0] * n
    bending = ((12, 6 * h, -12, 6 * h), (6 * h, 4 * h * h, -6 * h, 2 * h * h), (-12, -6 * h, 12, -6 * h), (6 * h, 2 * h * h, -6 * h, 4 * h * h))
    for e in range(spans):
        for i in range(4):
            load[2 * e + i] -= w * h * (1 / 2, h / 12, 1 / 2, -h / 12)[i]
            for j in range(4):
                beam[2 * e + i][2 * e + j] += EI / h ** 3 * bending[i][j]
    load[n - 2] += P
    touching = set(range(1, spans + 1))
    while True:
        A = [row[2:] for row in beam[2:]]
        for i in touching:
            A[2 * i - 2][2 * i - 2] += k
        x = solve(A, load[2:])
        below = {i for i in range(1, spans + 1) if x[2 * i - 2] < 0}
        if below == touching:
            return x[-2]
        touching = below


class Statics(CaseTest):
    def test_ltb_cantilever(self):
        """Lateral-torsional buckling about the unloaded state 4.0126 sqrt(EI GJ)/l^2 times what pre-buckling deflection of the ends adds."""
        got = self.run_case("ltb_cantilever_buckling", "statics")
        self.assertEqual(got.summary["unstable"], 1)
        linear, critical = {}, {}
        for order in (2, 4):
            for elements in (8, 16, 64):
                what = scene("ltb_cantilever_buckling")
                what["bodies"][0].update(elements=elements, order=order)
                other = self.run_case(what, "statics").summary
                linear[order, elements] = min(x for x in other["buckling"] if x > 0)
                critical[order, elements] = other["critical"][0]["load"]
        # order 2 in the length of elements, and the next order: (1/64 - 1/4096)/(1/256 - 1/4096) = 4.2
        fine = linear[2, 16] - linear[2, 64]
        self.near(linear[2, 8] - linear[2, 64], 4.2 * fine, 0.25 * 4.2 * fine, "order")
        # elements of order 4 leave squares of their moments out of what is linear in the load: their errors are no larger
        limit = linear[2, 64] - fine / 15
        for elements in (8, 16, 64):
            self.near(linear[4, elements], limit, linear[2, elements] - limit, elements)
        # the path has them: a 16th for half the length, and the next order; the limit is that of order 2
        self.near(critical[4, 16], critical[4, 64], 1.5 * (critical[4, 8] - critical[4, 64]) / 16, "order 4")
        self.near(critical[4, 64], critical[2, 64] - (critical[2, 16] - critical[2, 64]) / 15, (critical[2, 16] - critical[2, 64]) / 150)

    def test_turntable_column(self):
        got = self.run_case("turntable_column_buckling", "statics")
        self.near(min(x for x in got.summary["buckling"] if x > 0), 1.0005, 1e-3)

    def test_round_column(self):
        got = self.run_case("round_column_double_bifurcation", "statics")
        euler_part = 0.5  # of the load at which it ends; 20 elements are off by 7 (pi/40)^4/720 of it
        # P/EA = r^2 (pi/2)^2/4 of the column shortens, P/GA = 2.6/0.88 of that shears
        bound = euler_part * (2 * 7 * (math.pi / 40) ** 4 / 720 + (1 + 2.6 / 0.88) * 1e-4 * (math.pi / 2) ** 2 / 4)
        self.assertEqual(got.summary["unstable"], 2)
        self.assertEqual([c["directions"] for c in got.summary["critical"]], [2])
        self.near(got.summary["critical"][0]["load"], euler_part, bound)
        self.all_near(got.summary["buckling"], [euler_part, euler_part], bound)

    def test_contact_with_kink(self):
        """1.5 N lift a beam of 1 N/m off contacts of 1e5 N/m: a metre apart, and eight to a metre, which come near a floor: d = w l^4/(24 E I),
        F = w l/2, l = 3 m; a lifted length that is off by a contact's distance changes d by the square of that alone, by (w l/4 E I) of it."""
        what = scene("statics_contact_with_kink")
        contact = what["forces"][1]
        for each in (1, 8):
            what["bodies"][0]["elements"] = 10 * each
            what["forces"][1:] = [{**contact, "name": f"c{i}", "b": f"b[{i}]"} for i in range(1, 10 * each + 1)]
            got = self.run_case(what, "statics")
            lifted = lifted_end(100.0, 1.0, 1.5, 10.0, 10 * each, 1e5)
            # d is what P l^3/(3 E I) and the weight leave; their levers shorten by the square of the slope; P l/GA is below 1e-6
            self.near(got["b.end.position.z"][-1], lifted, 0.135 * (lifted / 3) ** 2 + 1e-6, each)
        self.near(lifted, 3 ** 4 / (24 * 100), 3 / 400 / 8 ** 2)

    def test_curve_clamp(self):
        what = scene("curve_clamp")
        what["output"] = {"signals": ["b.start.position", "b.end.position"]}
        got = self.run_case(what, "statics")
        # P l^3/(3 E I) of the beam that is nearly straight: 3.007 m along the curve, and steeper by less than 5 %
        stiffness = 2e11 * math.pi / 4 * 0.05 ** 4
        self.near(got["b.end.position.z"][-1] - got["b.end.position.z"][0], -10 * 3 ** 3 / (3 * stiffness), 0.05 * 9.2e-5)
        self.near(got["b.end.position.z"][0], 0.2, 1e-9)

    def test_free_structure_prestressed(self):
        got = self.run_case("free_structure_prestressed", "modes", code=4, warnings=None)
        self.assertRegex(got.said, "is unconstrained")
        self.assertRegex(got.said, "hint: .*--about steady")
        got = self.run_case("free_structure_prestressed", "modes", "--about", "steady", warnings=None)
        frequencies = sorted(got["frequency_hz"])
        rigid = [f for f in frequencies if f < 1e-3]
        self.assertEqual(len(rigid), 6, frequencies[:8])
        self.near(frequencies[6], 35.8, 0.05)

    def test_free_spin(self):
        what = scene("free_spin_is_not_unstable")
        for vector in TURNS:
            other = turn(what, rotation(vector))
            got = self.run_case(other, "modes")
            self.assertEqual(got["unstable"], [0] * len(got["unstable"]))
            self.assertEqual((got["kind"][0], got["eigenvalue_re"][0], got["eigenvalue_im"][0]), ("rigid", 0, 0))
            # k l^2 over the inertia about the ball: 1000 * 0.1^2 over 4.2e-6 + 0.005 * 0.05^2
            self.all_near(got["frequency_hz"][1:3], [math.sqrt(10 / 1.67e-5) / (2 * math.pi)] * 2, 1e-6)


# ---- mixed rows and rest with the methods that failed at them ---------------------------------------


class Methods(CaseTest):
    def test_knife_edges(self):
        """Newton's iteration converges, and radau goes the same way; without forces the kinetic energy stays."""
        for name in ("hht_knife_1", "hht_knife_2", "hht_odae_newton_12", "hht_odae_newton_103"):
            with self.subTest(name):
                got = self.run_case(name, warnings=None)
                self.assertFalse([w for w in got.warnings if "halved" in w])
                other = self.run_case(scene(name, method="radau"), warnings=None)
                body = "b" if "knife" in name else "b2"
                self.all_near(got.vector(f"{body}.position"), other.vector(f"{body}.position"), 1e-9)

    def test_rest_with_every_method(self):
        """Rounding errors are no motion: nothing is reported of accelerations, constraints, jumps, energy or steps."""
        for name in ("rattle_rest", "rattle_newton_0", "rattle_newton_25", "hht_rest", "hht_odae_newton_12", "hht_odae_newton_103"):
            for settings in METHODS:
                if settings.get("method") == "rattle" and name.startswith("hht"):
                    continue  # knows no knife edges
                for factor in (0.1, 1, 4):
                    with self.subTest(name, **settings, factor=factor):
                        what = scene(name, **{"method": None, **settings})
                        what["simulation"]["step"] *= factor
                        self.run_case(turn(what, rotation(TURNS[1])))

    def test_rest(self):
        for name, body in (("hht_rest", "b"), ("rattle_rest", "b"), ("rattle_newton_0", "b0"), ("rattle_newton_25", "b0")):
            with self.subTest(name):
                got = self.run_case(name)
                self.all_near(got.vector(f"{body}.position"), got.vector(f"{body}.position", 0), 1e-12)


class Table(unittest.TestCase):
    def test_tests_that_cover_the_rest(self):
        for what, (file, name) in COVERED.items():
            with self.subTest(what):
                self.assertRegex((TESTS / file).read_text(encoding="utf-8"), name)

    def test_every_scene_is_asked_for(self):
        text = (TESTS / "whole" / "cases.py").read_text()
        for path in sorted((TESTS / "whole" / "cases").glob("*.json")):
            with self.subTest(path.stem):
                self.assertTrue(f'"{path.stem}"' in text or path.stem.startswith("parallelogram"), "no test names it")


if __name__ == "__main__":
    unittest.main()
