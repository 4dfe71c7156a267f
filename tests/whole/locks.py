#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events that lock, weld, release and break: motions against answers that are computed apart from the engine, runs that go on, and what is said
about wrong ones.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import json
import math
import subprocess
import unittest

from case_kit import TORSOR, Result, rotation, scale, turn
from words import WordsTest

BOTH = ["R3xSO3", "SE3"]


def gauss(f, a, b, pieces=40):
    """The integral of a smooth function: the rule of three points in each piece."""
    h, total = (b - a) / pieces, 0.0
    for k in range(pieces):
        m = a + (k + 0.5) * h
        for x, w in [(-math.sqrt(0.6), 5 / 18), (0, 8 / 18), (math.sqrt(0.6), 5 / 18)]:
            total += w * h * f(m + x * h / 2)
    return total


def times(result, name):
    return [e["t"] for e in result.summary["events"] if e["name"] == name]


def lost(result, name):
    return [e.get("energy_lost") for e in result.summary["events"] if e["name"] == name]


def accurate(duration, method="radau", tolerance=1e-10):
    """Settings with errors far below what is compared."""
    if method in ("explicit", "auto"):
        return {"method": method, "duration": duration, "accuracy": {"position": tolerance, "rotation": tolerance}}
    return {"method": method, "step": 5e-3, "duration": duration}


# ---- a latch -------------------------------------------------------------------------------------

MASS, INERTIA, LENGTH, CENTRES = (2.0, 1.0), (0.3, 0.1), 1.0, (0.5, 0.4)
LATCH = [{"name": "latch", "when": "elbow.angle - 1", "direction": "rising", "action": {"lock": ["elbow"]}}]


def arm(simulation, group="R3xSO3", events=LATCH, signals=(), **more):
    """Two rods on hinges with parallel axes, without weight, at rates 1 and 3."""
    return {"torsor": 1, "group": group, "gravity": [0, 0, 0],
            "bodies": [{"name": "one", "type": "rigid_body", "mass": MASS[0], "inertia": [0.1, 0.3, INERTIA[0]]},
                       {"name": "two", "type": "rigid_body", "mass": MASS[1], "inertia": [0.05, 0.1, INERTIA[1]]}],
            "joints": [{"name": "base", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": {"body": "one", "position": [-0.5, 0, 0]},
                        "start": {"rate": 1}},
                       {"name": "elbow", "type": "revolute", "axis": [0, 0, 1], "a": {"body": "one", "position": [0.5, 0, 0]},
                        "b": {"body": "two", "position": [-0.4, 0, 0]}, "start": {"angle": 0.5, "rate": 3}}],
            "events": events, "simulation": simulation,
            "output": {"step": 0.01, "signals": ["base.angle", "base.rate", "elbow.angle", "elbow.rate", "elbow_angle_lock.effort", "energy", *signals]}, **more}


class Arm:
    """The same by its conserved momentum H and energy E: A w + B e = H for the rates w, e, with coefficients that depend on the elbow's angle."""

    def __init__(self):
        self.H = self.coefficients(0.5)[0] + 3 * self.coefficients(0.5)[1]
        A, B, C = self.coefficients(0.5)
        self.E = (A + 6 * B + 9 * C) / 2

    @staticmethod
    def coefficients(angle):
        (m1, m2), (j1, j2), (c1, c2) = MASS, INERTIA, CENTRES
        C = j2 + m2 * c2 * c2
        B = C + m2 * LENGTH * c2 * math.cos(angle)
        return j1 + m1 * c1 * c1 + m2 * LENGTH**2 + m2 * LENGTH * c2 * math.cos(angle) + B, B, C

    def rate(self, angle):
        """Of the elbow."""
        A, B, C = self.coefficients(angle)
        return math.sqrt((self.E - self.H**2 / (2 * A)) / ((C - B * B / A) / 2))

    def time(self, angle):
        return gauss(lambda x: 1 / self.rate(x), 0.5, angle)

    def locked(self, angle):
        """The rate of both as one, the energy that is lost, and the moment in the elbow."""
        A = self.coefficients(angle)[0]
        w = self.H / A
        return w, self.E - self.H**2 / (2 * A), MASS[1] * LENGTH * CENTRES[1] * math.sin(angle) * w * w


class Latch(WordsTest):
    def test_latch(self):
        """Velocities after locking follow from the angular momentum: all methods, both groups."""
        want, at = Arm(), Arm().time(1.0)
        rate, loss, moment = want.locked(1.0)
        for group in BOTH:
            for method in ["radau", "explicit", "auto", "generalized_alpha", "index3", "soi2", "hht_odae", "rattle"]:
                simulation = accurate(0.6, "generalized_alpha" if method == "index3" else method)
                if method == "index3":
                    simulation["formulation"] = "index3"
                exact = method in ("radau", "explicit", "auto")
                if not exact:
                    simulation["step"] = 1e-3
                got = Result(arm(simulation, group))
                self.assertEqual(got.code, 0, got.said)
                # errors of the second order: h^2 times rates of some 10/s, cubed
                tolerance = 1e-9 if exact else 1e-5
                self.near(times(got, "latch")[0], at, tolerance, f"{method} {group} time")
                self.near(lost(got, "latch")[0], loss, 10 * tolerance, "loss")
                self.near(got["base.rate"][-1], rate, 10 * tolerance, "rate")
                self.near(got["elbow.angle"][-1], 1, 1e-9, "angle")
                self.near(got["elbow.rate"][-1], 0, 1e-9, "elbow")
                self.near(abs(got["elbow_angle_lock.effort"][-1]), moment, 100 * tolerance, "moment")
                self.near(max(map(abs, got["energy.balance"])), 0, 10 * tolerance, "balance")
                self.near(got["energy.dissipated"][-1], loss, 10 * tolerance, "dissipated")

    def test_impulse_from_outside(self):
        """Momenta change by `impulse` also where a lock, a weld to the ground, or a body with a fixed origin takes some at once."""
        momenta = ["momentum", "angular_momentum", "impulse", "angular_impulse"]
        flying = {"torsor": 1, "gravity": [0, 0, -10],
                  "bodies": [{"name": "one", "type": "rigid_body", "mass": 2, "inertia": [0.3, 0.2, 0.1], "center_of_mass": [0.1, 0, 0.2], "position": [1, 2, 3],
                              "orientation": {"rotation_vector": [0.4, -1, 0.3]}, "velocity": [3, 1, 2], "angular_velocity": [1, 2, -3]}],
                  "events": [{"name": "catch", "when": "t - 0.3", "action": {"weld": [{"name": "grip", "a": "ground", "b": {"body": "one", "position": [1, 0, 0]}}]}}]}
        turning = {"torsor": 1, "gravity": [0, 0, -10],
                   "bodies": [{"name": "one", "type": "rigid_body", "group": "SO3", "mass": 2, "inertia": [0.3, 0.2, 0.1], "center_of_mass": [0.5, 0, 0], "angular_velocity": [0, 3, 1]},
                              {"name": "two", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [1, 0, 0.2]}],
                   "events": [{"name": "catch", "when": "t - 0.1", "action": {"weld": [{"name": "grip", "a": "one", "b": "two"}]}}]}
        for group in BOTH:
            for what, scene, name in [("latch", arm(accurate(0.6), group, signals=momenta), "latch"), ("caught in flight", flying, "catch"), ("fixed origin", turning, "catch")]:
                if what != "latch":
                    scene = dict(scene, group=group, simulation=accurate(0.5), output={"step": 0.01, "signals": momenta})
                got = Result(scene)
                self.assertEqual(got.code, 0, got.said)
                self.assertEqual(len(times(got, name)), 1)
                largest = off = 0
                for kind in ["", "angular_"]:
                    for axis in "xyz":
                        p, j = got[f"{kind}momentum.{axis}"], got[f"{kind}impulse.{axis}"]
                        largest = max(largest, *map(abs, p))
                        off = max(off, *(abs(a - p[0] - b + j[0]) for a, b in zip(p, j)))
                # radau's impulses are Lobatto's rule of order 6 in steps of 5 ms at rates of some 10/s: (0.05)^6, and rounding of the impact, 1e-12
                print(f"  impulse of {what}, {group}: off by {off:.1e} of {largest:.3g}")
                self.assertGreater(largest, 1)
                self.assertLess(off, 1e-8 * largest, f"{what} {group}")

    def test_step_control(self):
        want = Arm()
        simulation = {"duration": 0.6, "accuracy": {"position": 1e-6, "rotation": 1e-6}}
        got = Result(arm(simulation))
        self.assertEqual(got.code, 0, got.said)
        self.near(got["base.rate"][-1], want.locked(1.0)[0], 1e-5, "rate")

    def test_again(self):
        """A latch that is released is armed anew once its expression has left zero; it counts its occurrences."""
        events = [{"name": "latch", "when": "elbow.angle - 1", "direction": "rising", "action": {"lock": ["elbow"]}, "times": 2},
                  {"name": "open", "when": "t - 0.5", "action": {"release": ["elbow.angle"]}},
                  {"name": "push", "when": "t - 0.7", "action": {"on": ["spring"]}},
                  {"name": "open again", "when": "t - 2", "action": {"release": ["elbow"]}}]
        scene = arm({"method": "radau", "step": 2e-3, "duration": 5}, events=events)
        scene["forces"] = [{"name": "spring", "type": "coordinate_spring", "coordinate": "elbow.angle", "stiffness": 20, "rest": 1.3, "active": False}]
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual([e["name"] for e in got.summary["events"]], ["latch", "open", "push", "latch", "open again"])
        self.near(got.at("elbow.angle", 0.49), 1, 1e-11, "locked")
        self.assertLess(got.at("elbow.angle", 0.69), 0.9)
        self.near(got.at("elbow.angle", 1.99), 1, 1e-11, "locked again")
        self.assertGreater(max(got["elbow.angle"][-200:]), 1.01)
        self.near(max(map(abs, got["energy.balance"])), 0, 1e-9, "balance")

    def test_resume(self):
        """A run that goes on while something is locked has the same bytes."""
        for method in ["generalized_alpha", "radau", "soi2", "rattle"]:
            scene = arm(accurate(0.6, method), signals=["elbow_angle_lock.work"])
            folder = self.make()
            self.assertEqual(folder.run(scene).returncode, 0)
            whole = (folder.path / "out/trajectory.csv").read_bytes()
            events = json.loads((folder.path / "out/summary.json").read_text())["events"]
            for path in (folder.path / "out").iterdir():
                path.unlink()
            scene["simulation"]["duration"] = 0.4
            self.assertEqual(folder.run(scene).returncode, 0)
            done = subprocess.run([TORSOR, "run", "--resume", "out", "--set", "simulation.duration=0.6"], cwd=folder.path, capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((folder.path / "out/trajectory.csv").read_bytes(), whole)
            self.assertEqual(json.loads((folder.path / "out/summary.json").read_text())["events"], events)

    def test_resume_explicit(self):
        """Explicit steps depend on the duration; a run that goes on has the same motion."""
        scene = arm(accurate(0.6, "explicit", 1e-9))
        whole = Result(scene)
        folder = self.make()
        scene["simulation"]["duration"] = 0.4
        self.assertEqual(folder.run(scene).returncode, 0)
        done = subprocess.run([TORSOR, "run", "--resume", "out", "--set", "simulation.duration=0.6"], cwd=folder.path, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.near(folder.columns()["base.rate"][-1], whole["base.rate"][-1], 1e-9, "rate")
        self.near(folder.columns()["elbow.angle"][-1], 1, 1e-11, "angle")

    def test_other_verbs(self):
        """`check` counts what acts at the start; modes and linear analyses leave out what does not."""
        scene = arm(accurate(0.6))
        got = Result(scene, "check", "--json")
        self.assertEqual(got.code, 0, got.said)
        answer = json.loads(got.answer)
        self.assertEqual(answer["mobility"], 2)
        self.assertEqual(answer["redundant"], [])


# ---- loops -----------------------------------------------------------------------------------------


class FourBar:
    """A crank, a rod and a rocker in a vertical plane, with weight."""

    A, D, RODS, MASSES = (0.0, 0.0), (1.0, 0.0), (0.3, 0.9, 0.6), (1.0, 2.0, 1.5)

    def points(self, angle):
        """B and C for an angle of the crank."""
        l1, l2, l3 = self.RODS
        B = (l1 * math.cos(angle), l1 * math.sin(angle))
        dx, dz = self.D[0] - B[0], self.D[1] - B[1]
        d = math.hypot(dx, dz)
        a = (l2 * l2 - l3 * l3 + d * d) / (2 * d)
        h = math.sqrt(l2 * l2 - a * a)
        return B, (B[0] + (a * dx - h * dz) / d, B[1] + (a * dz + h * dx) / d)

    def potential(self, angle):
        B, C = self.points(angle)
        ends = [(self.A, B), (B, C), (C, self.D)]
        return sum(9.81 * m * (p[1] + q[1]) / 2 for m, (p, q) in zip(self.MASSES, ends))

    def scene(self, kinds, simulation, group="R3xSO3", events=()):
        B, C = self.points(1.0)
        ends = [(self.A, B), (B, C), (C, self.D)]
        bodies = []
        for name, m, l, (p, q) in zip(["crank", "rod", "rocker"], self.MASSES, self.RODS, ends):
            bodies.append({"name": name, "type": "rigid_body", "mass": m, "inertia": [1e-3, m * l * l / 12, m * l * l / 12],
                           "position": [(p[0] + q[0]) / 2, 0, (p[1] + q[1]) / 2],
                           "orientation": {"rotation_vector": [0, -math.atan2(q[1] - p[1], q[0] - p[0]), 0]}})
        at = lambda body, side: {"body": body, "position": [side * dict(zip(["crank", "rod", "rocker"], self.RODS))[body] / 2, 0, 0]}  # noqa: E731
        sides = [("ground", at("crank", -1)), (at("crank", 1), at("rod", -1)), (at("rod", 1), at("rocker", -1)),
                 ({"body": "ground", "position": [1, 0, 0]}, at("rocker", 1))]
        joints = []
        for i, (kind, (a, b)) in enumerate(zip(kinds, sides)):
            axes = {"revolute": {"axis": [0, -1, 0]}, "universal": {"axis_a": [0, 1, 0], "axis_b": [0, 0, 1]}, "spherical": {}}[kind]
            joints.append({"name": f"j{i + 1}", "type": kind, "a": a, "b": b, **axes})
        return {"torsor": 1, "group": group, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "events": list(events),
                "simulation": simulation, "output": {"step": 0.01, "signals": ["j1.angle", "j1.rate", "j1_angle_lock.effort", "energy"]}}


class Loops(WordsTest):
    EVENTS = [{"name": "latch", "when": "t - 0.3", "action": {"lock": ["j1"]}}, {"name": "free", "when": "t - 0.5", "action": {"release": ["j1"]}}]

    def test_loop(self):
        """A locked loop stands still: the loss is all kinetic energy, the lock's moment the slope of the potential.  Redundant rows change nothing."""
        bar = FourBar()
        for kinds in [["revolute"] * 4, ["revolute", "universal", "spherical", "revolute"]]:
            for method in ["radau", "generalized_alpha", "explicit"]:
                for group in BOTH:
                    got = Result(bar.scene(kinds, {**accurate(1.0, method), **({} if method == "explicit" else {"step": 1e-3})}, group, self.EVENTS))
                    self.assertEqual(got.code, 0, got.said)
                    exact = method != "generalized_alpha"
                    at = got.at("j1.angle", 0.4)
                    start = bar.potential(1.0)
                    # the energy before is conserved, up to the method's error
                    self.near(lost(got, "latch")[0], start - bar.potential(at), 1e-9 if exact else 2e-3, f"{method} {group} {len(set(kinds))} loss")
                    h = 1e-4  # errors of fourth order, and of rounding over h
                    slope = (8 * (bar.potential(at + h) - bar.potential(at - h)) - bar.potential(at + 2 * h) + bar.potential(at - 2 * h)) / (12 * h)
                    self.near(got.at("j1_angle_lock.effort", 0.4), slope, 1e-7, "moment")
                    self.near(got.at("j1.rate", 0.4), 0, 1e-11, "rate")
                    self.near(max(map(abs, got["energy.balance"])), 0, 1e-9 if exact else 2e-3, "balance")
                    self.assertNotEqual(got["j1.angle"][-1], at)

    def test_turned_and_scaled(self):
        """The scene in other axes, and in mm, t and s: the same motion."""
        scene = lambda: FourBar().scene(["revolute"] * 4, accurate(0.8), events=self.EVENTS)  # noqa: E731
        plain = Result(scene())
        for name, what, factor in [("turned", turn(scene(), rotation([0.3, -0.7, 0.5])), 1), ("scaled", scale(scene(), length=1e3, mass=1e-3), 1e3)]:
            found = Result(what)
            self.assertEqual(found.code, 0, found.said)
            self.near(found["j1.angle"][-1], plain["j1.angle"][-1], 1e-9, name)
            self.near(lost(found, "latch")[0], factor * lost(plain, "latch")[0], factor * 1e-9, "loss")

    def test_over_constrained(self):
        """Two joints of a loop are locked: rows become redundant, and are again none after the release; `hht_odae` says why it cannot go on."""
        events = [{"name": "both", "when": "t - 0.3", "action": {"lock": ["j1", "j4"]}}, {"name": "one", "when": "t - 0.4", "action": {"release": ["j4"]}},
                  {"name": "free", "when": "t - 0.5", "action": {"release": ["j1"]}}]
        kinds = ["revolute", "universal", "spherical", "revolute"]
        bar = FourBar()
        got = Result(bar.scene(kinds, accurate(0.8), events=events))
        self.assertEqual(got.code, 0, got.said)
        self.assertTrue(any("from the event at t = 0.3 s on 1 of 19 constraint rows" in w for w in got.warnings), got.warnings)
        once = Result(bar.scene(kinds, accurate(0.8), events=self.EVENTS))
        self.near(got["j1.angle"][-1], once["j1.angle"][-1], 1e-9, "motion after the release")
        refused = Result(bar.scene(kinds, {"method": "hht_odae", "step": 1e-3, "duration": 0.8}, events=events))
        self.assertNotEqual(refused.code, 0)
        self.assertIn("needs constraint rows that do not depend on each other", refused.said)


# ---- a clutch --------------------------------------------------------------------------------------


class Clutch(WordsTest):
    def test_clutch(self):
        """Two rotors, one driven: the clutch slips with its moment M until both are equally fast, then sticks, and slips again beyond its holding moment."""
        I, J, M, drive, hold = 0.2, 0.3, 4.0, 1.0, 6.0
        events = [{"name": "stick", "when": "clutch.rate", "direction": "rising", "action": [{"off": ["slip"]}, {"lock": ["clutch"]}]},
                  {"name": "slide", "when": "abs(clutch_angle_lock.effort) - hold", "direction": "rising", "action": {"release": ["clutch"], "on": ["back"]}}]
        for group in BOTH:
            scene = {"torsor": 1, "group": group, "parameters": {"hold": hold}, "gravity": [0, 0, 0],
                     "bodies": [{"name": "engine", "type": "rigid_body", "mass": 1, "inertia": [0.2, 0.2, I]},
                                {"name": "load", "type": "rigid_body", "mass": 1, "inertia": [0.2, 0.2, J]}],
                     "joints": [{"name": "shaft", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": "engine", "start": {"rate": 20}},
                                {"name": "clutch", "type": "revolute", "axis": [0, 0, 1], "a": "engine", "b": "load", "start": {"rate": -20}}],
                     "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "shaft.angle", "effort": f"t < 1.5 ? {drive} : {drive} - 12*(t - 1.5)"},
                                {"name": "slip", "type": "coordinate_force", "coordinate": "clutch.angle", "effort": str(M)},
                                {"name": "back", "type": "coordinate_force", "coordinate": "clutch.angle", "effort": str(-M), "active": False}],
                     "events": events, "simulation": accurate(4.0),
                     "output": {"step": 0.01, "signals": ["shaft.rate", "clutch.rate", "clutch_angle_lock.effort", "energy"]}}
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            # I w' = drive - M, J v' = M
            stick = 20 / (M / J - (drive - M) / I)
            common = M / J * stick
            self.near(times(got, "stick")[0], stick, 1e-9, f"{group} sticks")
            self.near(lost(got, "stick")[0], 0, 1e-9, "nothing is lost")
            self.near(got.at("shaft.rate", 1.4), common + drive / (I + J) * (1.4 - stick), 1e-9, "together")
            # the clutch drives the load: effort J drive(t)/(I + J) = hold, in magnitude
            slide = 1.5 + (drive + hold * (I + J) / J) / 12
            self.near(times(got, "slide")[0], slide, 1e-9, "slides")
            s = slide - 1.5
            both = common + drive / (I + J) * (slide - stick) - 6 * s * s / (I + J)
            rest = 4.0 - slide
            load = both - M / J * rest
            engine = both + ((drive - 12 * s + M) * rest - 6 * rest * rest) / I
            self.near(got["clutch.rate"][-1], load - engine, 1e-8, "slides on")


# ---- a robot's axis ----------------------------------------------------------------------------------


class Axis(WordsTest):
    def test_bang_coast_bang(self):
        """An axis with a geared motor of limited torque and speed goes to its goal in the shortest time, where a brake locks it: closed forms."""
        J, rotor, gear, torque, fastest, goal = 0.6, 2e-4, 50, 0.4, 2.5, 1.9
        a = gear * torque / (J + gear**2 * rotor)
        events = [{"name": "coast", "when": "axis.rate - fastest", "direction": "rising", "action": {"set": {"u": 0}}},
                  {"name": "brake", "when": "axis.angle - (goal - fastest^2/(2*a))", "direction": "rising", "action": {"set": {"u": -torque}}},
                  {"name": "there", "when": "axis.rate", "direction": "falling", "action": [{"set": {"u": 0}}, {"lock": ["axis"]}]}]
        for group in BOTH:
            for method in ["radau", "generalized_alpha"]:
                scene = {"torsor": 1, "group": group, "gravity": [0, 0, 0], "parameters": {"fastest": fastest, "goal": goal, "a": a}, "inputs": {"u": torque},
                         "bodies": [{"name": "arm", "type": "rigid_body", "mass": 1, "inertia": [0.5, 0.5, J]},
                                    {"name": "motor", "type": "rigid_body", "mass": 0.1, "inertia": [rotor, rotor, rotor], "position": [0, 0, -0.2]}],
                         "joints": [{"name": "axis", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": "arm"},
                                    {"name": "shaft", "type": "revolute", "axis": [0, 0, 1], "a": {"body": "ground", "position": [0, 0, -0.2]}, "b": "motor"},
                                    {"name": "gear", "type": "coupling", "first": "shaft.angle", "second": "axis.angle", "ratio": -gear}],
                         "forces": [{"name": "drive", "type": "coordinate_force", "coordinate": "shaft.angle", "effort": "u"}],
                         "events": events, "simulation": {"method": method, "step": 5e-3, "duration": 1.5},
                         "output": {"step": 0.05, "signals": ["axis.angle", "axis.rate", "shaft.angle", "energy"]}}
                got = Result(scene)
                self.assertEqual(got.code, 0, got.said)
                self.near(times(got, "coast")[0], fastest / a, 1e-9, f"{method} {group}")
                self.near(times(got, "brake")[0], goal / fastest, 1e-9, "brakes")
                self.near(times(got, "there")[0], goal / fastest + fastest / a, 1e-7, "there")  # the rate is zero to rounding over a
                self.near(got["axis.angle"][-1], goal, 1e-9, "goal")
                self.near(got["shaft.angle"][-1], gear * goal, 1e-7, "motor")
                self.near(lost(got, "there")[0], 0, 1e-12, "nothing is lost")
                self.near(max(map(abs, got["energy.balance"])), 0, 1e-9, "balance")


# ---- a gripper ---------------------------------------------------------------------------------------


class Gripper(WordsTest):
    @staticmethod
    def scene(simulation, group="R3xSO3"):
        """A carriage of 3 kg takes a box of 2 kg from a table, and puts it down on another one."""
        events = [{"name": "pick", "when": "slide.travel - 1", "direction": "rising",
                   "action": {"weld": [{"name": "grip", "a": {"body": "carriage", "position": [0, 0, -0.2]}, "b": "box"}], "off": ["table"]}},
                  {"name": "place", "when": "slide.travel - 2", "direction": "rising",
                   "action": {"release": ["grip"], "weld": [{"name": "shelf", "a": "ground", "b": "box"}]}}]
        return {"torsor": 1, "group": group, "gravity": [0, 0, -9.81],
                "bodies": [{"name": "carriage", "type": "rigid_body", "mass": 3, "inertia": [0.2, 0.2, 0.2]},
                           {"name": "box", "type": "rigid_body", "mass": 2, "inertia": [0.02, 0.03, 0.04], "position": [1.1, 0.3, -0.5],
                            "orientation": {"rotation_vector": [0.3, -0.5, 1.1]}}],
                "joints": [{"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "a": "ground", "b": "carriage", "start": {"speed": 2}},
                           {"name": "table", "type": "clamp", "a": "ground", "b": "box"}],
                "events": events, "simulation": simulation,
                "output": {"step": 0.01, "signals": ["slide.travel", "slide.speed", "box.position", "box.quaternion", "grip.force", "slide.moment", "energy"]}}

    def test_gripper(self):
        for group in BOTH:
            for method in ["radau", "generalized_alpha", "rattle"]:
                got = Result(self.scene({"method": method, "step": 5e-3, "duration": 2.0}, group))
                self.assertEqual(got.code, 0, got.said)
                v = 3 * 2 / 5
                self.near(times(got, "pick")[0], 0.5, 1e-9, f"{method} {group} picks")
                self.near(times(got, "place")[0], 0.5 + 1 / v, 1e-9, "places")
                self.near(lost(got, "pick")[0], 0.5 * 3 * 4 - 0.5 * 5 * v * v, 1e-9, "loss of the pick")
                self.near(lost(got, "place")[0], 0.5 * 2 * v * v, 1e-9, "loss of the place")
                self.near(got["slide.speed"][-1], v, 1e-9, "goes on")
                self.near(got["box.position.x"][-1], 2.1, 1e-9, "box")
                for axis, want in zip("yz", [0.3, -0.5]):
                    self.near(got[f"box.position.{axis}"][-1], want, 1e-11, "box")
                for part in "wxyz":
                    self.near(got[f"box.quaternion.{part}"][-1], got[f"box.quaternion.{part}"][0], 1e-11, "its orientation")
                self.near(got.at("grip.force.z", 1.0), 2 * 9.81, 1e-8, "weight in the grip")
                # the box hangs 0.1 m ahead and 0.3 m beside: moment on the carriage about its origin
                self.near(got.at("slide.moment.y", 1.0), -0.1 * 2 * 9.81, 1e-8, "moment")
                self.near(got.at("slide.moment.x", 1.0), 0.3 * 2 * 9.81, 1e-8, "moment")
                self.near(max(map(abs, got["energy.balance"])), 0, 1e-8, "balance")

    def test_point(self):
        """Of a point mass a weld keeps the position."""
        scene = self.scene(accurate(2.0))
        scene["bodies"][1] = {"name": "box", "type": "point_mass", "mass": 2, "position": [1.1, 0.3, -0.5]}
        scene["output"]["signals"] = ["slide.speed", "box.position"]
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.near(got["slide.speed"][-1], 1.2, 1e-9, "goes on")
        self.near(got["box.position.x"][-1], 2.1, 1e-9, "box")


# ---- breaking ----------------------------------------------------------------------------------------


class Breaks(WordsTest):
    def test_spring(self):
        """A spring that breaks at a force: time of a harmonic motion, then a straight one."""
        m, k, v, limit = 2.0, 50.0, 3.0, 20.0
        w = math.sqrt(k / m)
        scene = {"torsor": 1, "bodies": [{"name": "ball", "type": "point_mass", "mass": m, "position": [1, 0, 0], "velocity": [v, 0, 0]}],
                 "forces": [{"name": "spring", "type": "spring_damper", "a": "ground", "b": "ball", "stiffness": k, "length": 1}],
                 "events": [{"name": "snap", "break": "spring", "limits": {"force": limit}}],
                 "simulation": accurate(1.0), "output": {"step": 0.1, "signals": ["ball.position.x", "ball.velocity.x", "spring.force.x", "energy"]}}
        at = math.asin(limit * w / (k * v)) / w
        speed = v * math.cos(w * at)
        for method in ["radau", "explicit"]:
            scene["simulation"] = accurate(1.0, method)
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            self.near(times(got, "snap")[0], at, 1e-9, method)
            self.near(got["ball.velocity.x"][-1], speed, 1e-9, "speed")
            self.near(got["spring.force.x"][-1], 0, 0, "no force")
            self.near(max(map(abs, got["energy.balance"])), 0, 1e-9, "balance")

    def test_hinge(self):
        """A rod falls from the horizontal until its hinge breaks: the reaction follows from the angle, and the time from a quadrature."""
        m, l, inertia, g = 1.5, 0.4, 0.1, 9.81
        J = inertia + m * l * l

        def rate(q):
            return math.sqrt(2 * m * g * l * math.sin(q) / J)

        def force(q):
            along = m * g * math.sin(q) + m * l * rate(q)**2
            across = m * g * math.cos(q) - m * l * m * g * l * math.cos(q) / J
            return math.hypot(along, across)

        limit, low, high = 20.0, 0.1, math.pi / 2
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if force(middle) < limit else (low, middle)
        # the substitution q = x^2 takes the singularity at rest away
        at = gauss(lambda x: 2 * x / rate(x * x), 0.0, math.sqrt(low), 400)
        for group in BOTH:
            scene = {"torsor": 1, "group": group, "gravity": [0, 0, -g],
                     "bodies": [{"name": "rod", "type": "rigid_body", "mass": m, "inertia": [inertia] * 3, "position": [l, 0, 0]}],
                     "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "ground", "b": {"body": "rod", "position": [-l, 0, 0]}}],
                     "events": [{"name": "snap", "break": "hinge", "limits": {"force": limit, "moment": 1e3}}],
                     "simulation": accurate(0.8), "output": {"step": 0.1, "signals": ["rod.position", "rod.angular_velocity", "hinge.force", "energy"]}}
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            self.near(times(got, "snap")[0], at, 1e-9, f"{group} snaps")
            fall, w = 0.8 - at, rate(low)
            self.near(got["rod.angular_velocity.y"][-1], w, 1e-8, "turns on")
            self.near(got["rod.position.x"][-1], l * math.cos(low) - l * w * math.sin(low) * fall, 1e-8, "flies")
            self.near(got["rod.position.z"][-1], -l * math.sin(low) - l * w * math.cos(low) * fall - g / 2 * fall**2, 1e-8, "flies")
            self.near(got["hinge.force.x"][-1], 0, 0, "no force")
            self.near(max(map(abs, got["energy.balance"])), 0, 1e-9, "balance")

    def test_at_once(self):
        """An element that is overloaded at the start breaks there; one that an impulse overloads breaks after it."""
        scene = {"torsor": 1, "gravity": [0, 0, -10], "bodies": [{"name": "ball", "type": "point_mass", "mass": 1}],
                 "joints": [{"name": "hook", "type": "spherical", "a": "ground", "b": "ball"}],
                 "events": [{"name": "snap", "break": "hook", "limits": {"force": 9}}],
                 "simulation": accurate(1.0), "output": {"step": 0.1, "signals": ["ball.position.z"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.near(times(got, "snap")[0], 0, 0, "time")
        self.near(got["ball.position.z"][-1], -5, 1e-9, "falls")
        events = [*LATCH, {"name": "snap", "break": "elbow_angle_lock", "limits": {"effort": Arm().locked(1.0)[2] / 2}}]
        got = Result(arm(accurate(0.6), events=events))
        self.assertEqual(got.code, 0, got.said)
        self.near(times(got, "snap")[0], times(got, "latch")[0], 1e-12, "at once")


# ---- balls, and joints that are switched --------------------------------------------------------------


class Others(WordsTest):
    def test_ball(self):
        """A ball joint that is locked: the body stops, and the loss is all that it had."""
        scene = {"torsor": 1, "gravity": [0, 0, 0], "bodies": [{"name": "top", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.2, 0.3],
                                                                "position": [0.3, 0, 0.2], "angular_velocity": [1, -2, 3]}],
                 "joints": [{"name": "ball", "type": "spherical", "a": "ground", "b": {"body": "top", "position": [-0.3, 0, -0.2]}}],
                 "events": [{"name": "stop", "when": "t - 0.4", "action": {"lock": ["ball"]}}, {"name": "go", "when": "t - 0.6", "action": {"release": ["ball"]}}],
                 "simulation": accurate(1.0), "output": {"step": 0.1, "signals": ["top.angular_velocity", "energy"]}}
        for group in BOTH:
            got = Result({**scene, "group": group})
            self.assertEqual(got.code, 0, got.said)
            self.near(lost(got, "stop")[0], got["energy.kinetic"][0], 1e-10, group)
            self.near(got["energy.kinetic"][-1], 0, 1e-20, "at rest")

    def test_drive(self):
        """A drive of velocities that is switched on sets its speed by an impulse, whose work it supplies; off, the motion goes on."""
        for method in ["radau", "generalized_alpha"]:
            scene = {"torsor": 1, "gravity": [0, 0, 0], "bodies": [{"name": "disc", "type": "rigid_body", "mass": 1, "inertia": [0.3, 0.3, 0.5]}],
                     "joints": [{"name": "axle", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": "disc", "start": {"rate": 1}},
                                {"name": "motor", "type": "velocity_drive", "coordinate": "axle.angle", "rate": "3", "active": False}],
                     "events": [{"name": "start", "when": "t - 0.5", "action": {"on": ["motor"]}}, {"name": "end", "when": "t - 1", "action": {"off": ["motor"]}}],
                     "simulation": {"method": method, "step": 0.01, "duration": 1.5}, "output": {"signals": ["axle.angle", "axle.rate", "energy", "motor.work"]}}
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            self.near(got["axle.angle"][-1], 0.5 + 3, 1e-9, method)
            self.near(got["motor.work"][-1], 0.25 * (9 - 1), 1e-9, "work")
            self.near(max(map(abs, got["energy.balance"])), 0, 1e-9, "balance")

    def test_joint_that_does_not_fit(self):
        scene = arm(accurate(1.0), events=[{"name": "away", "when": "t - 0.2", "action": {"off": ["elbow"]}},
                                           {"name": "back", "when": "t - 0.6", "action": {"on": ["elbow"]}}])
        scene["output"]["signals"] = ["base.rate"]
        got = Result(scene)
        self.assertNotEqual(got.code, 0)
        self.assertIn('event "back" cannot switch revolute "elbow" on at t = 0.6 s', got.said)
        self.assertIn("keeps the place", got.said)


# ---- wrong ones -----------------------------------------------------------------------------------------


class Wrong(WordsTest):
    def test_messages(self):
        one = lambda action, **more: [{"name": "e", "when": "t - 0.1", "action": action, **more}]  # noqa: E731
        cases = [
            (one({"lock": ["elbo"]}), 'there is no joint "elbo"', 'did you mean "elbow"?'),
            (one({"lock": ["elbow.angel"]}), 'there is no joint "elbow.angel"', 'did you mean "elbow.angle"?'),
            (one({"lock": ["one"]}), '"one" is a rigid_body, not a joint', "lock a joint"),
            (one({"lock": "elbow"}), "names of joints", ""),
            (one({"lock": [3]}), "must be a text", ""),
            (one({"release": ["elbow"]}), 'no event locks "elbow"', "only what an event locks or welds can be released"),
            (one({"release": ["grip"]}), 'there is no joint "grip"', ""),
            (one({"weld": [{"name": "grip", "a": "one", "b": "one"}]}), "both markers on the same body", "let it connect two bodies"),
            (one({"weld": [{"a": "one", "b": "two"}]}), "is missing", ""),
            (one({"weld": [{"name": "grip", "a": "one"}]}), "is missing", ""),
            (one({"weld": [{"name": "grip", "a": "one", "b": "twoo"}]}), 'there is no body "twoo"', 'did you mean "two"?'),
            (one({"weld": [{"name": "base", "a": "one", "b": "two"}]}), 'there are two elements called "base"', "rename"),
            (one({"weld": ["base"]}), 'there is no clamp and no weld of an event called "base"', ""),
            (one({"weld": [{"name": "grip", "a": "one", "b": "two", "keep": "pose"}]}), 'unknown key "keep"', ""),
            (one({"lock": ["elbow"], "release": ["elbow"]}), 'switches "elbow_angle_lock" on and off at once', ""),
            (one({"lok": ["elbow"]}), 'unknown key "lok"', '"lock"'),
            (one({"on": ["one"]}), '"one" is a rigid_body, and only forces and joints can be switched', ""),
            (one({"off": ["elbw"]}), 'there is no force and no joint "elbw"', 'did you mean "elbow"?'),
            (one({}), "switches nothing", ""),
            (one([{"lock": ["elbow"]}, 3]), "must be an action, an object", ""),
            ([{"name": "e", "break": "elbow"}], "is missing: what breaks needs a limit", '"limits": {"force": 500}'),
            ([{"name": "e", "break": "elbow", "limits": {}}], "what breaks needs a limit", '"force"'),
            ([{"name": "e", "break": "elbow", "limits": 5}], "what breaks needs a limit", '"force"'),
            ([{"name": "e", "break": "elbow", "limits": {"tension": 5}}], 'a revolute has no signal "tension"', '"force", "moment"'),
            ([{"name": "e", "break": "elbow", "limits": {"force": 0}}], "a limit must be greater than 0, but is 0", ""),
            ([{"name": "e", "break": "elbov", "limits": {"force": 1}}], 'there is no force and no joint "elbov"', 'did you mean "elbow"?'),
            ([{"name": "e", "break": "elbow", "limits": {"force": 1}, "when": "t - 1"}], "what breaks does so where a limit is exceeded", "another condition"),
            ([{"name": "e", "limits": {"force": 1}, "when": "t - 1"}], 'has "limits", but no "break"', "names what breaks"),
        ]
        for events, message, hint in cases:
            scene = arm(accurate(0.2), events=events)
            scene["output"]["signals"] = ["base.rate"]
            with self.subTest(events=events):
                got = Result(scene, "check")
                self.assertEqual(got.code, 3, got.said)
                self.assertIn(message, got.said)
                self.assertIn(hint, got.said)
                self.assertIn("scene.json:1:", got.said)
        print(f"  {len(cases)} messages")

    def test_not_lockable(self):
        scene = arm(accurate(0.2), events=[{"name": "e", "when": "t - 0.1", "action": {"lock": ["hold"]}}])
        scene["joints"].append({"name": "hold", "type": "distance", "a": "ground", "b": "two"})
        scene["output"]["signals"] = ["base.rate"]
        got = Result(scene, "check")
        self.assertEqual(got.code, 3)
        self.assertIn('"hold" is a distance, which has no coordinates to lock', got.said)
        self.assertIn("weld its two bodies", got.said)


if __name__ == "__main__":
    unittest.main()
