# SPDX-License-Identifier: GPL-3.0-or-later
"""Hints of runs and statics are followed: what they say is done to the scene, which then gets on."""

import json
import math
import os
import unittest
from pathlib import Path

import sizes
from case_kit import Result



def body(**more):
    return {"name": "b", "type": "rigid_body", "mass": 1, "inertia": [0.01, 0.02, 0.03], **more}


def scene(bodies, joints=(), forces=(), gravity=(0, 0, 0), **more):
    return {"torsor": 1, "gravity": list(gravity), "bodies": bodies, "joints": list(joints), "forces": list(forces), **more}


def truss(**statics):
    """Two bars in compression under a load that is twice what they bear."""
    def bar(name, x):
        return {"name": name, "type": "spring_damper", "a": {"body": "ground", "position": [x, 0, 0]}, "b": "apex",
                "stiffness": 1000, "length": math.sqrt(1.09)}
    load = {"name": "P", "type": "force", "at": "apex", "force": [0, 0, -20]}
    return scene([{"name": "apex", "type": "point_mass", "mass": 1, "position": [0, 0, 0.3]}],
                 [{"name": "guide", "type": "point_on_line", "axis": [0, 0, 1], "a": "ground", "b": "apex"}],
                 [bar("left", -1), bar("right", 1), load], statics={"steps": 10, **statics}, output={"signals": ["apex.position.z"]})


def dropped(**statics):
    """A body above the ground, which nothing but a soft spring holds."""
    return scene([body(position=[0, 0, 0.5])], [{"name": "r", "type": "prismatic", "axis": [0, 0, 1], "a": "ground", "b": "b"}],
                 [{"name": "c", "type": "contact", "a": "ground", "b": "b", "stiffness": 1e4, "exponent": 1},
                  {"name": "w", "type": "coordinate_spring", "coordinate": "r.travel", "stiffness": 1}],
                 gravity=(0, 0, -9.81), statics={"steps": 1, **statics}, output={"signals": ["b.position"]})


# Below the ground both the spring of 1 N/m and the contact of 10000 N/m bear the weight.
RESTS = -9.81 / 10001


class Statics(unittest.TestCase):
    def check(self, what, hint, follow, *, verb="statics"):
        refused = Result(what, verb)
        self.assertNotEqual(refused.code, 0)
        self.assertIn(hint, refused.said)
        got = Result(follow, verb)
        self.assertEqual(got.code, 0, got.said)
        return got

    def test_points(self):
        """A path that does not meet its last load, and the same by a number of points."""
        got = self.check(truss(method="arc_length", until=1e6), 'give "points"', truss(method="arc_length", until=1e6, points=20))
        self.assertEqual(len(got["apex.position.z"]), 1 + 20 + 2)  # the start, the points and two limits

    def test_arc_length_goes_on(self):
        """Newton's method ends at the limit point, behind which the path meets the load again."""
        got = self.check(truss(), '"method": "arc_length" passes it', truss(method="arc_length"))
        z = got["apex.position.z"][-1]
        self.assertLess(z, -0.3)
        # P = 2 k z (L/l - 1), of forces of 2000 N
        self.assertAlmostEqual(2000 * z * (math.sqrt(1.09) / math.hypot(1, z) - 1), 20, delta=2000 * 64 * 2.2e-16)

    def test_newton_passes_corners(self):
        """The path has a corner where the body meets the ground."""
        got = self.check(dropped(method="arc_length"), '"method": "newton" finds loads beyond it', dropped())
        self.assertAlmostEqual(got["b.position.z"][-1], RESTS, delta=1e-10)  # statics' tolerance, times the size of 1 m

    def test_more_iterations_for_contacts(self):
        def pressed(**statics):
            what = dropped(**statics)
            what["bodies"] = [body(position=[0, 0, -1e-3])]
            what["forces"] = [{"name": "c", "type": "contact", "a": "ground", "b": "b", "stiffness": 1e4, "exponent": 1.5}]
            return what
        got = self.check(pressed(max_iterations=2), 'more "max_iterations" help contacts', pressed(max_iterations=50))
        self.assertAlmostEqual(got["b.position.z"][-1], -(9.81e-4 ** (1 / 1.5)), delta=1e-10)

    def test_how_far_the_load_goes(self):
        """A run that is to start from an equilibrium that there is not; statics tell at which load it ends."""
        what = truss()
        what["simulation"] = {"duration": 1, "step": 1e-2, "initial": "equilibrium"}
        refused = Result(what)
        self.assertNotEqual(refused.code, 0)
        self.assertIn('`torsor statics` follows the load with more "steps" and shows how far it can grow', refused.said)
        got = Result(truss(steps=100), "statics")
        limit = math.sqrt(1.09 ** (1 / 3) - 1)
        load = 2000 * limit * (1.09 ** (1 / 3) - 1) / 20
        self.assertIn("may have reached a limit point", got.said)
        self.assertAlmostEqual(float(got.said.split("beyond load ")[1].split(" ")[0]), load, delta=1e-2 / 2 ** 10)  # steps of 1e-2 are halved ten times at least

    def test_inertia(self):
        """Modes of a body that next to no inertia turns about its axis."""
        def hung(moment):
            arm = [{"name": "s", "type": "spherical", "a": "ground", "b": {"body": "b", "position": [-0.5, 0, 0]}}]
            spring = [{"name": "w", "type": "spring_damper", "a": {"body": "ground", "position": [0.6, 0, 2]},
                       "b": {"body": "b", "position": [0, 0.1, 0]}, "stiffness": 100, "length": 1.8}]
            return scene([body(position=[0.5, 0, 0], inertia=[moment, 1e-3, 1e-3])], arm, spring, gravity=(0, 0, -9.81))
        refused = Result(hung(1e-18), "modes", "--about", "equilibrium")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("give every body inertia in all directions", refused.said)
        got = Result(hung(1e-3), "modes", "--about", "equilibrium")
        self.assertEqual(got.code, 0, got.said)
        self.assertEqual(len(got["frequency_hz"]), 3)


class Ranges(unittest.TestCase):
    """Elements that leave the range where they are defined: what their hints offer is defined there."""

    def check(self, what, hints, *followed, step=0.25, duration=2, **more):
        def run(scene, **simulation):
            return Result({**scene, "simulation": {"step": step, "duration": duration, **simulation}})
        refused = run(what, **more)
        self.assertNotEqual(refused.code, 0)
        for hint in hints:
            self.assertIn(hint, refused.said)
        for other, simulation in followed:
            got = run(other, **simulation)
            self.assertEqual(got.code, 0, got.said)

    def test_spring(self):
        mass = [body(position=[1, 0, 0], velocity=[-1, 0, 0])]

        def spring(**more):
            return {"name": "s", "type": "spring_damper", "a": "ground", "b": "b", **more}
        aside = {"body": "ground", "position": [0, 0.1, 0]}
        self.check(scene(mass, forces=[spring()]), ["takes markers that do not meet", "move a marker", '"length": 0'],
                   (scene(mass, forces=[spring(a=aside)]), {}), (scene(mass, forces=[spring(length=0, stiffness=1)]), {}))

    def test_bushing(self):
        mass = [body(angular_velocity=[0, 0, 2])]

        def bushing(**more):
            return {"name": "m", "type": "bushing", "a": "ground", "b": "b", "stiffness": [100, 100, 100], **more}
        joint = [{"name": "j", "type": "revolute", "a": "ground", "b": "b"}]
        counted = {"name": "t", "type": "coordinate_spring", "coordinate": "j.angle", "stiffness": 0.01}
        self.check(scene(mass, forces=[bushing(rotational_stiffness=[0.01, 0.01, 0.01])]),
                   ["takes rotations of at most 2.8 rad", "without rotational stiffness", "coordinate_spring"],
                   (scene(mass, joint, [bushing(), counted]), {}))

    def test_attraction(self):
        def falls(speed):
            return scene([body(position=[1, 0, 0], velocity=[-1, speed, 0])],
                         forces=[{"name": "g", "type": "attraction", "a": "ground", "b": "b", "strength": 0}])
        self.check(falls(0), ["takes markers that do not meet", "start farther from a straight fall"], (falls(0.3), {}))

    def test_distance(self):
        """A rod without a length is a spherical joint."""
        mass = [body(angular_velocity=[0, 0, 2])]
        joint = {"name": "j", "a": "ground", "b": "b"}
        self.check(scene(mass, [{**joint, "type": "distance"}]), ["use a spherical joint, which keeps two points together"],
                   (scene(mass, [{**joint, "type": "spherical"}]), {}))

    def test_beam(self):
        """A beam whose end is turned by 3 rad."""
        def twisted(*elements):
            count = len(elements)
            section = {"stiffness": [1e4, 5e3, 5e3, 2, 2, 2], "inertia": [1, 1, 1, 0.02, 0.01, 0.01]}
            beams = [{"name": f"s{k}", "type": "beam", "elements": n, "length": 1 / count, "position": [k / count, 0, 0], "section": section}
                     for k, n in enumerate(elements)]
            hinges = [{"name": f"h{k}", "type": "revolute", "axis": [1, 0, 0], "a": f"s{k - 1}.end", "b": f"s{k}.start"} for k in range(1, count)]
            return scene(beams, [{"name": "clamp", "type": "weld", "a": "ground", "b": "s0.start"}, *hinges,
                                 {"name": "j", "type": "revolute", "axis": [1, 0, 0], "a": {"body": "ground", "position": [1, 0, 0]}, "b": f"s{count - 1}.end"},
                                 {"name": "d", "type": "drive", "coordinate": "j.angle", "motion": "1.5*t"}])
        self.check(twisted(1), ["takes rotations of at most 2.8 rad", "give the beam more elements", "join two beams where the rotation is larger"],
                   (twisted(2), {}), (twisted(1, 1), {}))

    def test_cable(self):
        """A rope whose ends are led through each other: they meet within rounding, where it still has a direction."""
        rope = {"name": "rope", "type": "cable", "end": [1, 0, 0], "stiffness": 100, "density": 1, "elements": 1}
        joints = [{"name": "hook", "type": "spherical", "a": "ground", "b": "rope.start"},
                  {"name": "j", "type": "prismatic", "axis": [1, 0, 0], "a": {"body": "ground", "position": [1, 0, 0]}, "b": "b"},
                  {"name": "held", "type": "spherical", "a": "b", "b": "rope.end"}, {"name": "d", "type": "drive", "coordinate": "j.travel", "motion": "-t"}]
        got = Result({**scene([rope, body(position=[1, 0, 0])], joints), "simulation": {"step": 0.25, "duration": 2}, "output": {"signals": ["b.position"]}})
        self.assertEqual(got.code, 0, got.said)
        self.assertAlmostEqual(got["b.position.x"][-1], -1, delta=1e-12)  # a driven row is linear: rounding is left

    def test_curve(self):
        """A bead that comes to the end of its wire."""
        def wire(points, closed=False):
            return scene([{"name": "b", "type": "point_mass", "mass": 1, "position": points[0], "velocity": [1, 0, 0]}],
                         [{"name": "w", "type": "point_on_curve", "a": "ground", "b": "b", "curve": {"points": points, "closed": closed}}])
        ring = [[math.sin(k * math.pi / 12), 1 - math.cos(k * math.pi / 12), 0] for k in range(24)]
        self.check(wire([[0.25 * k, 0, 0] for k in range(5)]),
                   ["takes points within the ends of its curve", "give the curve more points beyond its ends, or close it"],
                   (wire([[0.25 * k, 0, 0] for k in range(13)]), {}), (wire(ring, closed=True), {}))

    def test_shape_contact(self):
        """A capsule that crosses another one: too soft, it comes through to its axis."""
        def crossed(stiffness, exponent=1.5):
            rod = {"shape": {"type": "capsule", "radius": 0.1, "length": 1}}
            across = {"rotation_vector": [math.pi / 2, 0, 0]}
            return scene([body(name="a", position=[0, 0, 0], **rod), body(position=[0.5, 0, 0], orientation=across, velocity=[-1, 0, 0], **rod)],
                         forces=[{"name": "c", "type": "shape_contact", "a": "a", "b": "b", "stiffness": stiffness, "exponent": exponent}])
        self.check(crossed(1e-6), ["overlaps less deep than the radii", "the stiffness is too small for these forces, or the step too large"],
                   (crossed(1e4), {}), step=1e-2, duration=1, max_halvings=2)

    def test_disc_falls(self):
        """A disc that is let go 1.3 rad off the vertical falls flat."""
        def leaning(joints, forces=()):
            disc = {"name": "b", "type": "rigid_body", "mass": 1, "inertia": [0.25, 0.5, 0.25], "position": [0, math.sin(1.3), math.cos(1.3)],
                    "orientation": {"rotation_vector": [-1.3, 0, 0]}}
            return scene([disc], joints, forces, gravity=(0, 0, -9.81))
        road = {"name": "road", "type": "rolling_disc", "radius": 1, "axis": [0, 1, 0], "a": "ground", "b": "b"}
        rim = [{"name": f"c{k}", "type": "contact", "a": "ground", "b": {"body": "b", "position": [math.cos(k * math.pi / 4), 0, math.sin(k * math.pi / 4)]},
                "stiffness": 1e4, "dissipation": 0.5, "friction": 0.5} for k in range(8)]
        self.check(leaning([road]), ["takes discs that do not lie flat", "for a disc that falls flat use a contact in place of the joint"],
                   (leaning([], rim), {}), step=1e-3, duration=0.5)

    def test_disc_nearly_falls(self):
        """The shipped disc comes within 0.05 rad of lying flat: a coarse step leaps there, a finer one goes round."""
        what = json.loads((Path(os.environ["TORSOR_DATA"]) / "scenes" / "rolling_disc.json").read_text())
        self.check({**what, "output": {}}, ["takes discs that do not lie flat", "a smaller step"], (what, {"step": 5e-4}), step=0.05, max_halvings=0)

    def test_superelement(self):
        """A reduced body whose ends are turned by 3 rad against each other."""
        own = [[4000, 0, 0, 0, 0, 0], [0, 1200, 0, 0, 0, 600], [0, 0, 1200, 0, -600, 0], [0, 0, 0, 2, 0, 0], [0, 0, -600, 0, 400, 0], [0, 600, 0, 0, 0, 400]]
        to = [[-4000, 0, 0, 0, 0, 0], [0, -1200, 0, 0, 0, 600], [0, 0, -1200, 0, -600, 0], [0, 0, 0, -2, 0, 0], [0, 0, 600, 0, 200, 0], [0, -600, 0, 0, 0, 200]]
        signs = [1, 1, 1, 1, -1, -1]  # the other end, seen the other way round
        other = [[a * (signs[i] * signs[j] if i != j else 1) for j, a in enumerate(row)] for i, row in enumerate(own)]
        K = [a + b for a, b in zip(own, to)] + [[row[i] for row in to] + other[i] for i in range(6)]
        M = [[(0.5 if i % 6 < 3 else 0.04) if i == j else 0 for j in range(12)] for i in range(12)]

        def link(parts):
            bodies = [{"name": f"s{k}", "type": "superelement", "interfaces": [[0, 0, 0], [1, 0, 0]], "position": [k, 0, 0], "stiffness": K, "mass": M}
                      for k in range(parts)]
            welds = [{"name": f"w{k}", "type": "weld", "a": f"s{k - 1}[1]", "b": f"s{k}[0]"} for k in range(1, parts)]
            return scene(bodies, [{"name": "clamp", "type": "weld", "a": "ground", "b": "s0[0]"}, *welds,
                                  {"name": "j", "type": "cylindrical", "axis": [1, 0, 0], "a": {"body": "ground", "position": [parts, 0, 0]}, "b": f"s{parts - 1}[1]"},
                                  {"name": "d", "type": "drive", "coordinate": "j.angle", "motion": "1.5*t"}])
        self.check(link(1), ["takes rotations of at most 2 rad", "divide the body, or model it by beams"], (link(2), {}))

    def test_smaller_steps_follow_longer(self):
        """A double pendulum that multiplies errors beyond itself: steps of a quarter follow the motion longer, until they are half a metre
        from steps of half their size."""
        motions = [Result(sizes.scene(1, *sizes.MODELS["double pendulum"], step=step, duration=20) | {
            "output": {"signals": ["b.position"], "step": 0.02}}) for step in (4e-3, 2e-3, 1e-3, 5e-4)]
        self.assertRegex(motions[0].said, r"add up to about \S+ % .*; the motion multiplies them, and smaller steps follow it longer")

        def parts(a, b):
            return next(t for t, *places in zip(a["t"], *(m[f"b.position.{x}"] for m in (a, b) for x in "xy")) if
                        math.dist(places[:2], places[2:]) > 0.5)

        coarse, fine = parts(*motions[:2]), parts(*motions[2:])
        print(f"  double pendulum: followed for {coarse:g} s with 4 ms, {fine:g} s with 1 ms")
        self.assertGreater(fine, coarse)


if __name__ == "__main__":
    unittest.main()
