#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of contacts in all commands: equilibria, modes, linear systems and steps of coupled groups against single pairs and closed forms, and runs
that go on.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import copy
import json
import math
import random
import unittest

from case_kit import Result, rotation, turn
from words import WordsTest

BOTH = ["R3xSO3", "SE3"]
LAW = {"stiffness": 1e5, "dissipation": 0.5, "friction": 0.3, "tangential_stiffness": 4e4, "tangential_damping": 10}
RADIUS, MASS, G, SOFT = 0.1, 0.5, 9.81, 3000.0
BALLS = [("low", 0, 0, 0.0999), ("left", -0.16, 0, 0.2195), ("right", 0.16, 0.02, 0.2195), ("top", 0, 0, 0.3393)]


def heap(group, coupled=True, pairs=False, **law):
    """Four balls, three of them in the air, on soft springs and dampers; the contacts as a group or as single pairs."""
    law = {**LAW, **law}
    names = [ball[0] for ball in BALLS]
    scene = {"torsor": 1, "group": group, "gravity": [0, 0, -G], "bodies": [], "forces": [], "output": {"signals": []}}
    for name, x, y, z in BALLS:
        scene["bodies"].append({"name": name, "type": "rigid_body", "mass": MASS, "inertia": [2e-3, 2e-3, 2e-3], "position": [x, y, z],
                                "shape": {"type": "sphere", "radius": RADIUS}})
        scene["forces"].append({"name": f"{name}_spring", "type": "bushing", "a": {"body": "ground", "position": [x, y, z]}, "b": name,
                                "stiffness": [SOFT] * 3, "rotational_stiffness": [SOFT / 1000] * 3, "damping": [1] * 3, "rotational_damping": [1e-3] * 3})
        scene["output"]["signals"].append(f"{name}.position")
    if pairs:
        for i, name in enumerate(names):
            scene["forces"].append({"name": f"under_{name}", "type": "shape_contact", "a": "ground", "plane": True, "b": name, **law})
            for other in names[i + 1:]:
                scene["forces"].append({"name": f"{name}_{other}", "type": "shape_contact", "a": name, "b": other, **law})
    else:
        scene["forces"].append({"name": "all", "type": "contact_group", "between": ["*"], "plane": "ground", **law})
        if coupled:
            scene["forces"][-1]["coupled"] = True
    return scene


def difference(one, other, names):
    return max(abs(a - b) for name in names for a, b in zip(one[name], other[name], strict=True))


POSITIONS = [f"{ball[0]}.position.{axis}" for ball in BALLS for axis in "xyz"]


class Coupled(WordsTest):
    def done(self, scene, verb="run", *options):
        got = Result(scene, verb, *options)
        self.assertEqual(got.code, 0, got.said + got.answer[:400])
        return got

    def test_statics(self):
        """Both solve the same equations to the tolerance of statics, 1e-10 of lengths of 0.1 m; they differ by the order in which sums are made."""
        for group in BOTH:
            one, all_ = self.done(heap(group, pairs=True), "statics"), self.done(heap(group), "statics")
            self.near(difference(one, all_, POSITIONS), 0, 1e-10, f"{group}: positions, m")

    def test_column(self):
        """Balls on each other without friction: the depths under the weights of those above, which springs bear a part of.  With the sinking s_i of
        ball i, k (s_(i+1) - s_i + d_i)^n - k (s_i - s_(i-1) + d_(i-1))^n + m g - c s_i = 0: solved here by bisection over s of the lowest."""
        scene = heap("SE3", friction=0, static_friction=None, tangential_stiffness=None, tangential_damping=None)
        for part in ("static_friction", "tangential_stiffness", "tangential_damping"):
            del scene["forces"][-1][part]
        for i, (body, spring) in enumerate(zip(scene["bodies"], scene["forces"], strict=False)):
            place = [0, 0, RADIUS + 2 * RADIUS * i]
            body["position"] = spring["a"]["position"] = place
        scene["forces"][-1]["margin"] = 0.05
        got = self.done(scene, "statics")

        def balance(lowest):
            """The sinking of all balls by that of the lowest, and what pushes the highest from above."""
            sinks, push = [lowest], LAW["stiffness"] * lowest**1.5
            for i in range(4):
                push = push - MASS * G + SOFT * sinks[i]  # push of the ball above on this one
                if push <= 0:
                    return sinks, push
                sinks.append(sinks[i] + (push / LAW["stiffness"]) ** (1 / 1.5))
            return sinks, push

        low, high = 0.0, 0.01
        for _ in range(200):
            middle = (low + high) / 2
            sinks, push = balance(middle)
            # What is left above the highest ball is 0: more of it, the lowest is too deep.
            low, high = (low, middle) if len(sinks) > 4 or (len(sinks) == 4 and push > 0) else (middle, high)
        sinks = balance((low + high) / 2)[0]
        self.assertGreaterEqual(len(sinks), 4)
        for i, ball in enumerate(BALLS):
            self.near(got[f"{ball[0]}.position.z"][-1], RADIUS * (1 + 2 * i) - sinks[i], 1e-9, f"height of ball {i}, m")

    def test_modes(self):
        """Frequencies about the equilibrium are those of single pairs, to the accuracy of eigenvalues and of the equilibrium, 1e-10 of 0.1 m, which
        changes a stiffness 1.5 k d^(1/2), d = 1e-4 m, by 1e-7 of it at most."""
        for group in BOTH:
            one, all_ = (self.done(scene, "modes", "--about", "equilibrium", "--number", "20") for scene in (heap(group, pairs=True), heap(group)))
            name = next(column for column in one.columns if column.startswith("frequency"))
            off = max(abs(a / b - 1) for a, b in zip(one[name], all_[name], strict=True))
            self.near(off, 0, 1e-7, f"{group}: {len(one[name])} frequencies, relative")

    def test_start_at_equilibrium(self):
        """A run from the equilibrium stays there: friction and all."""
        scene = heap("SE3")
        scene["simulation"] = {"step": 1e-3, "duration": 0.2, "initial": "equilibrium"}
        got = self.done(scene)
        self.near(max(abs(got[name][-1] - got[name][0]) for name in POSITIONS), 0, 1e-9, "moved, m")

    def test_steps(self):
        """Motions of coupled groups are those of pairs, step by step with the same count of iterations; those of groups with the stiffness of each body
        by itself need more where the step is long."""
        counts = []
        for scene in (heap("SE3", pairs=True), heap("SE3"), heap("SE3", coupled=False)):
            scene["simulation"] = {"step": 4e-3, "duration": 0.4}
            got = self.done(scene)
            counts.append((got, got.summary["newton_iterations"]))
        self.near(difference(counts[0][0], counts[1][0], POSITIONS), 0, 1e-7, "positions, m")
        print(f"  iterations: {[count for _, count in counts]}")
        self.assertLessEqual(abs(counts[0][1] - counts[1][1]), 0.02 * counts[0][1])
        self.assertGreater(counts[2][1], 1.2 * counts[1][1])

    def test_linear(self):
        """The linear system is that of single pairs, with the bound of the frequencies."""
        answers = []
        for pairs in (True, False):
            scene = heap("SE3", pairs=pairs)
            scene["forces"].append({"name": "push", "type": "force", "at": "top", "force": [0, 0, 1], "scale": "u"})
            scene["inputs"] = {"u": 0}
            scene["linear"] = {"inputs": ["u"], "outputs": ["low.position.z"]}
            got = self.done(scene, "linearise", "--about", "equilibrium", "--json")
            answers.append(json.loads(got.answer))
        for name in "ABC":
            one, all_ = ([x for row in answer[name] for x in row] for answer in answers)
            off = max(abs(a - b) for a, b in zip(one, all_, strict=True)) / max(map(abs, one))
            self.near(off, 0, 1e-7, f"{name} of {len(one)} numbers, relative")

    def test_turned(self):
        by = rotation([0.4, -0.3, 0.9])
        scene = heap("SE3")
        tilted = turn(scene, by)
        tilted["forces"][-1]["plane"] = {"body": "ground", "orientation": {"matrix": by}}
        plain, other = self.done(scene, "statics"), self.done(tilted, "statics")
        for ball in BALLS:
            for axis in range(3):
                want = sum(by[axis][k] * plain[f"{ball[0]}.position.{'xyz'[k]}"][-1] for k in range(3))
                self.assertLessEqual(abs(other[f"{ball[0]}.position.{'xyz'[axis]}"][-1] - want), 1e-9)

    def test_refused(self):
        done = Result(heap("SE3", coupled=False), "statics")
        self.assertEqual(done.code, 3, done.said)
        self.assertIn('"all" has no place in statics', done.said)
        self.assertIn('"coupled": true', done.said)
        many = {"torsor": 1, "bodies": [{"name": "b${i}", "repeat": 201, "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1], "position": ["i", 0, 0],
                                         "shape": {"type": "sphere", "radius": 0.1}}],
                "forces": [{"name": "all", "type": "contact_group", "between": ["b*"], "stiffness": 1e4, "coupled": True}],
                "simulation": {"step": 1e-3, "duration": 1}}
        done = Result(many, "check")
        self.assertEqual(done.code, 3, done.said)
        self.assertIn("couples more than 200 bodies", done.said)


class Bodies(WordsTest):
    NAMES = ["one", "two", "rod", "last"]
    MASSES = [0.4, 0.5, 0.6, 0.7]
    PULL = [0.5, 0, -G]

    def scene(self, group):
        """Three balls and a rod that fall on each other."""
        out = {"torsor": 1, "group": group, "gravity": self.PULL, "bodies": [], "forces": [], "simulation": {"step": 5e-4, "duration": 0.4},
               "output": {"step": 0.02, "signals": []}}
        for i, name in enumerate(self.NAMES):
            shape = {"type": "capsule", "radius": 0.05, "length": 0.4} if name == "rod" else {"type": "sphere", "radius": 0.08}
            out["bodies"].append({"name": name, "type": "rigid_body", "mass": self.MASSES[i], "inertia": [3e-3, 3e-3, 2e-3],
                                  "position": [0.02 * i, 0.03 * i * i, 0.09 + 0.15 * i], "orientation": {"rotation_vector": [0.3 * i, 0.9, 0]},
                                  "velocity": [0.2 * i, 0, -1], "shape": shape})
        return out

    def grouped(self, group, split, **law):
        scene = self.scene(group)
        scene["forces"].append({"name": "all", "type": "contact_group", "between": self.NAMES[split:], "plane": "ground", **law})
        if split:
            scene["forces"][0]["against"] = self.NAMES[:split]
        scene["output"]["signals"] += ["all.touching", "all.normal_force", "all.on.one", "all.on.two", "all.on.rod", "all.on.last"]
        return scene

    def done(self, scene):
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        return got

    def test_acceleration(self):
        """The force on each body is its mass times the acceleration less gravity.  Steps are solved to 1e-8 of their motion, 2 mm: accelerations to
        1e-8 2e-3 m/(h^2/4), which is 2.2e-4 N on 0.7 kg.  Each pair counts on both of its bodies, the plane's on one."""
        for group in BOTH:
            for split in (0, 2):
                scene = self.grouped(group, split, stiffness=1e5, dissipation=0.5)
                scene["output"]["signals"] += [f"{name}.acceleration" for name in self.NAMES]
                got = self.done(scene)
                off, most, counted = 0, 0, 0
                for row in range(len(got["t"])):
                    for name, mass in zip(self.NAMES, self.MASSES, strict=True):
                        for axis, pull in zip("xyz", self.PULL, strict=True):
                            want = mass * (got[f"{name}.acceleration.{axis}"][row] - pull)
                            off = max(off, abs(got[f"all.on.{name}.force.{axis}"][row] - want))
                            most = max(most, abs(want))
                    counts = sum(got[f"all.on.{name}.count"][row] for name in self.NAMES)
                    self.assertTrue(got["all.touching"][row] <= counts <= 2 * got["all.touching"][row])
                    counted = max(counted, counts - got["all.touching"][row])
                self.near(off, 0, 2.2e-4, f"{group}, {split} bodies in the other list: forces up to {most:.3g} N")
                self.assertGreater(counted, 0)
                self.assertGreater(most, 20)

    def test_friction(self):
        """With friction the forces are sums of those of single pairs, whose motion is that of the coupled group to round-off: 1e-12 of 200 N."""
        scene = self.grouped("SE3", 0, **LAW, coupled=True)
        pairs = self.scene("SE3")
        for i, name in enumerate(self.NAMES):
            for other, own in [("ground", {"plane": True})] + [(self.NAMES[k], {}) for k in range(i)]:
                pairs["forces"].append({"name": f"{other}_{name}", "type": "shape_contact", "a": other, "b": name, **own, **LAW})
                pairs["output"]["signals"] += [f"{other}_{name}.force", f"{other}_{name}.normal_force"]
        one, all_ = self.done(pairs), self.done(scene)
        off = 0
        for row in range(len(one["t"])):
            for i, name in enumerate(self.NAMES):
                before, after = ["ground", *self.NAMES[:i]], self.NAMES[i + 1:]
                for axis in "xyz":
                    want = sum(one[f"{other}_{name}.force.{axis}"][row] for other in before) - sum(one[f"{name}_{other}.force.{axis}"][row] for other in after)
                    off = max(off, abs(all_[f"all.on.{name}.force.{axis}"][row] - want))
                push = sum(one[f"{other}_{name}.normal_force"][row] for other in before) + sum(one[f"{name}_{other}.normal_force"][row] for other in after)
                off = max(off, abs(all_[f"all.on.{name}.push"][row] - push))
        self.near(off, 0, 2e-10, "forces and pushes, N")


class Candidates(WordsTest):
    def test_all_are_found(self):
        """The list at the start has every pair of balls that are nearer than twice the margin, of all sizes and places: counted here one by one."""
        rng = random.Random(5)
        for spread in ((1, 1, 1), (4, 2, 0.1), (0.05, 0.1, 6), (8, 0.01, 0.02)):
            balls = [([rng.uniform(-1, 1) * x for x in spread], rng.choice([0.02, 0.03, 0.15])) for _ in range(150)]
            margin, near = 0.01, 0
            for i, (x, r) in enumerate(balls):
                near += sum(math.dist(x, y) <= r + s + 2 * margin for y, s in balls[:i])
            scene = {"torsor": 1, "bodies": [{"name": f"b{i}", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1], "position": x,
                                              "shape": {"type": "sphere", "radius": r}} for i, (x, r) in enumerate(balls)],
                     "forces": [{"name": "all", "type": "contact_group", "between": ["b*"], "stiffness": 1e-3, "margin": margin, "max_pairs": 12000}],
                     "simulation": {"step": 1e-6, "duration": 1e-6}, "output": {"signals": ["all.candidates"]}}
            got = Result(scene)
            self.assertEqual(got.code, 0, got.said)
            self.near(got["all.candidates"][0], near, 0, f"spread {spread}")


class Chain(WordsTest):
    def test_drum(self):
        """200 links fall on a drum and wind over it.  The scene is its own mirror image: both ends move alike, to what rounding grows to; what is lost is
        dissipated, to the error of the method, 1e-4 of the energy that the fall turns over; no link gets deeper than a quarter of its radius."""
        links, length, radius = 200, 0.05, 0.01
        law = {"stiffness": 1e5, "dissipation": 2, "friction": 0.3, "tangential_stiffness": 5e3, "tangential_damping": 1}
        scene = {"torsor": 1, "gravity": [0, 0, -G],
                 "ground": {"shape": [{"type": "capsule", "radius": 0.3, "length": 1.6, "orientation": {"rotation_vector": ["pi/2", 0, 0]}}]},
                 "bodies": [{"name": "l${i}", "repeat": links, "type": "rigid_body", "mass": 0.05, "inertia": [1.2e-5, 1.2e-5, 2.5e-6],
                             "position": [f"{length}*(i - {(links - 1) / 2})", 0, 0.33], "orientation": {"rotation_vector": [0, "pi/2", 0]},
                             "shape": {"type": "capsule", "radius": radius, "length": length + radius}}],
                 "joints": [{"name": "j${i}", "repeat": links - 1, "type": "spherical", "a": {"body": "l${i}", "position": [0, 0, length / 2]},
                             "b": {"body": "l${i + 1}", "position": [0, 0, -length / 2]}}],
                 "forces": [{"name": "own", "type": "contact_group", "between": ["l*"], **law},
                            {"name": "drum", "type": "contact_group", "between": ["l*"], "against": ["ground"], **law}],
                 "simulation": {"step": 2e-4, "duration": 0.3},
                 "output": {"step": 0.05, "signals": ["drum.touching", "drum.deepest", "energy", "l0.position", f"l{links - 1}.position", "drum.on.l99.push"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.near(got["l0.position.x"][-1] + got[f"l{links - 1}.position.x"][-1], 0, 1e-8, "mirrored, m")
        self.near(got["l0.position.z"][-1] - got[f"l{links - 1}.position.z"][-1], 0, 1e-8, "heights of the ends, m")
        self.near(got["energy.balance"][-1], 0, 1e-4 * got["energy.kinetic"][-1], "balance, J")
        self.assertGreater(max(got["drum.touching"]), 5)
        self.assertGreater(got["energy.dissipated"][-1], 0)
        self.assertGreater(max(got["drum.on.l99.push"]), 0)
        self.near(max(got["drum.deepest"]), 0, radius / 4, "depth, m")


class Resumed(WordsTest):
    def test_resume(self):
        """Balls that fall on each other and roll apart, with blows, sticking and lists that are renewed: the same bytes."""
        bodies = [{"name": "ball${i}", "repeat": 12, "type": "rigid_body", "mass": 0.5, "inertia": [5e-4, 5e-4, 5e-4],
                   "position": ["0.11*mod(i, 2) + 0.003*i", "0.004*i", "0.06 + 0.07*i"], "velocity": [0.1, 0, "-0.1*i"],
                   "shape": {"type": "sphere", "radius": 0.05}}]
        scene = {"torsor": 1, "gravity": [0, 0, -G], "bodies": bodies,
                 "forces": [{"name": "all", "type": "contact_group", "between": ["*"], "plane": "ground", "stiffness": 1e5, "restitution": 0.4,
                             "restitution_at": "each_blow", "friction": 0.5, "tangential_stiffness": 1e4, "tangential_damping": 20}],
                 "simulation": {"step": 5e-4, "duration": 0.6},
                 "output": {"step": 0.02, "signals": ["ball3.position", "ball11.position", "all.touching", "all.candidates", "energy"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.assertGreater(len(set(got["all.candidates"])), 3)  # lists were renewed
        self.assertGreater(max(got["all.touching"]), 3)
        for group in BOTH:
            self.resumes({**copy.deepcopy(scene), "group": group}, 0.22, 0.6)
        coupled = copy.deepcopy(scene)
        coupled["forces"][0]["coupled"] = True
        self.resumes(coupled, 0.22, 0.6)
        self.assertTrue(math.isfinite(got["energy.total"][-1]))


if __name__ == "__main__":
    unittest.main()
