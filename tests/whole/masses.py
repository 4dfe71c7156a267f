#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses that change in time: against closed forms of the momentum, on both groups, by several methods.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import math
import unittest

from case_kit import Result, rotation, turn
from words import WordsTest

BOTH = ["R3xSO3", "SE3"]
DRY, FUEL, BURN, EXHAUST, G = 20.0, 80.0, 2.0, 2000.0, 9.81


def rocket(method="radau", step=0.5, group="R3xSO3", duration=35, **simulation):
    if simulation:
        settings = {"method": method, "duration": duration, **simulation}
    else:
        settings = {"method": method, "step": step, "duration": duration}
    return {"torsor": 1, "group": group, "gravity": [0, 0, -G],
            "bodies": [{"name": "rocket", "type": "rigid_body", "mass": DRY, "inertia": [5, 5, 1]}],
            "forces": [{"name": "tank", "type": "changing_mass", "at": {"body": "rocket", "position": [0, 0, -0.5]}, "mass": f"{FUEL} - {BURN}*t",
                        "gyration": [0.4, 0.4, 0.1], "velocity": [0, 0, -EXHAUST]}],
            "simulation": settings, "output": {"step": 3.5, "signals": ["rocket.position", "rocket.velocity", "energy", "momentum", "tank"]}}


def climbed(t):
    start = DRY + FUEL
    m = start - BURN * t
    return EXHAUST * (t - m / BURN * math.log(start / m)) - G * t * t / 2, EXHAUST * math.log(start / m) - G * t


def spinner(mass, velocity=None, axes="inertial", group="R3xSO3", method="radau", duration=2, gyration=(0, 0, 0)):
    """A wheel of 0.5 kg m^2 that turns at 3 rad/s, with a bunker at 0.4 m from its axis."""
    force = {"name": "bunker", "type": "changing_mass", "at": {"body": "wheel", "position": [0.4, 0, 0]}, "mass": mass, "axes": axes, "gyration": list(gyration)}
    if velocity is not None:
        force["velocity"] = velocity
    return {"torsor": 1, "group": group, "gravity": [0, 0, 0],
            "bodies": [{"name": "wheel", "type": "rigid_body", "mass": 1, "inertia": [0.3, 0.3, 0.5]}],
            "joints": [{"name": "axle", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": "wheel", "start": {"rate": 3}}], "forces": [force],
            "simulation": {"method": method, "step": 0.02, "duration": duration}, "output": {"signals": ["axle.rate", "energy", "angular_momentum", "bunker"]}}


class Rocket(WordsTest):
    def test_climb(self):
        """Tsiolkovsky's equation: orders of the methods, both groups; error control."""
        z, v = climbed(35)
        for group in BOTH:
            for method, steps, power in [("radau", [1.75, 0.875], 5), ("generalized_alpha", [0.07, 0.035], 2), ("soi2", [0.07, 0.035], 2)]:
                errors = []
                for h in steps:
                    got = Result(rocket(method, h, group))
                    self.assertEqual(got.code, 0, got.said)
                    errors.append(abs(got["rocket.position.z"][-1] - z) / z)
                    self.near(max(map(abs, got["energy.balance"])) / abs(got["energy.total"][-1]), 0, 1e-5, f"{method} {group} balance, of the energy")
                print(f"  {method} {group}: errors {errors}, of the order {math.log2(errors[0] / errors[1]):.2f}")
                self.assertGreater(errors[0] / errors[1], 0.8 * 2**power)
            got = Result(rocket("explicit", group=group, accuracy={"position": 1e-6, "rotation": 1e-9}))
            self.assertEqual(got.code, 0, got.said)
            self.near(got["rocket.velocity.z"][-1], v, 1e-5, "explicit")

    def test_parts(self):
        got = Result(rocket())
        self.near(got["tank.mass"][-1], FUEL - 35 * BURN, 1e-12, "mass")
        self.near(got["tank.force.z"][-1], BURN * EXHAUST, 1e-9, "thrust")
        self.near(got["momentum.z"][-1], (DRY + FUEL - 35 * BURN) * got["rocket.velocity.z"][-1], 1e-7, "momentum of all that is there")
        self.near(got["rocket.position.x"][-1], 0, 1e-9, "straight")

    def test_impulse(self):
        """The impulse from outside is that of the weight and of the jet; what leaves takes the rocket's own velocity along."""
        scene = rocket(duration=7)
        scene["output"]["signals"] = ["impulse", "momentum", "rocket.velocity"]
        got = Result(scene)
        weight = -G * (100 * 7 - BURN * 49 / 2)
        self.near(got["impulse.z"][-1], weight + BURN * EXHAUST * 7, 1e-6, "impulse")

    def test_turned(self):
        plain = Result(rocket())
        by = rotation([0.4, -0.3, 0.9])
        other = Result(turn(rocket(), by))
        self.assertEqual(other.code, 0, other.said)
        got = sum(other[f"rocket.position.{axis}"][-1] * by[k][2] for k, axis in enumerate("xyz"))
        self.near(got, plain["rocket.position.z"][-1], 1e-7, "turned")

    def test_resume(self):
        scene = rocket("generalized_alpha", 0.07)
        self.resumes(scene, 14, 35)


class Turning(WordsTest):
    """Matter that leaves takes its momentum along; matter that comes brings what it has."""

    def test_leaves(self):
        for group in BOTH:
            for gyration in [(0, 0, 0), (0.1, 0.1, 0.3)]:
                got = Result(spinner("2 - t", group=group, duration=1.9, gyration=gyration))
                self.assertEqual(got.code, 0, got.said)
                self.near(got["axle.rate"][-1], 3, 1e-11, f"{group} the rate stays")
                inertia = lambda m: 0.5 + m * (0.16 + gyration[2]**2)  # noqa: E731
                self.near(got["angular_momentum.z"][-1], 3 * inertia(0.1), 1e-10, "momentum")
                self.near(got["energy.kinetic"][-1], 4.5 * inertia(0.1), 1e-10, "energy")
                self.near(max(map(abs, got["energy.balance"])), 0, 1e-10, "balance")

    def test_comes(self):
        """Sand that falls into the bunker without a velocity: the angular momentum stays."""
        for group in BOTH:
            got = Result(spinner("0.1 + t", [0, 0, 0], group=group))
            self.assertEqual(got.code, 0, got.said)
            start = 3 * (0.5 + 0.1 * 0.16)
            self.near(got["axle.rate"][-1], start / (0.5 + 2.1 * 0.16), 1e-9, group)
            self.near(got["angular_momentum.z"][-1], start, 1e-9, "momentum")
            self.near(max(map(abs, got["energy.balance"])), 0, 1e-8, "balance")

    def test_jet(self):
        """A jet along the rim: J w' = R m' u."""
        got = Result(spinner("2 - t", [0, -5, 0], "body", duration=1.9))
        want = 3.0 + 5 * 0.4 / 0.16 * math.log((0.5 + 2 * 0.16) / (0.5 + 0.1 * 0.16))
        self.near(got["axle.rate"][-1], want, 1e-9, "rate")
        self.near(got["bunker.force.x"][0], 0, 1e-12, "along the rim")
        self.near(got["bunker.force.y"][0], 5, 1e-12, "along the rim")

    def test_cart(self):
        """A point mass with a bunker: the momentum stays."""
        scene = {"torsor": 1, "bodies": [{"name": "cart", "type": "point_mass", "mass": 3, "velocity": [2, 0, 0]}],
                 "forces": [{"name": "coal", "type": "changing_mass", "at": "cart", "mass": "t^2", "velocity": [0, 0, 0], "axes": "inertial"}],
                 "simulation": {"method": "radau", "step": 0.05, "duration": 2}, "output": {"signals": ["cart.velocity.x", "momentum.x", "energy"]}}
        got = Result(scene)
        self.assertEqual(got.code, 0, got.said)
        self.near(got["cart.velocity.x"][-1], 6 / 7, 1e-9, "velocity")
        self.near(got["momentum.x"][-1], 6, 1e-8, "momentum")
        small = {**scene, "bodies": [{"name": "cart", "type": "point_mass", "mass": 3e-3, "velocity": [2e3, 0, 0]}],
                 "forces": [{**scene["forces"][0], "mass": "1e-3*t^2"}]}
        self.near(Result(small)["cart.velocity.x"][-1], 6e3 / 7, 1e-6, "in mm and t")


class Wrong(WordsTest):
    def test_messages(self):
        good = rocket()["forces"][0]
        for change, message, hint in [({"at": "ground"}, '"tank" is on the ground, which does not move', "name a body"),
                                      ({"mass": None}, "is missing", ""), ({"gyration": [1, -1, 1]}, "must be 0 or greater", ""),
                                      ({"mas": 3}, 'unknown key "mas"', "mass"), ({"axes": "ground"}, "body", "inertial"),
                                      ({"at": "point", "gyration": [1, 1, 1]}, "has radii of gyration, but is on a point mass", "leave")]:
            scene = rocket()
            scene["bodies"].append({"name": "point", "type": "point_mass", "mass": 1})
            scene["forces"] = [{key: value for key, value in {**good, **change}.items() if value is not None}]
            scene["output"]["signals"] = ["rocket.position"]
            with self.subTest(message):
                self.refused(self.make().run(scene, "check"), message, hint)

    def test_empty(self):
        got = Result(rocket(duration=42))
        self.assertNotEqual(got.code, 0)
        self.assertIn("masses of 0 and more", got.said)
        self.assertIn("end the function at 0", got.said)


if __name__ == "__main__":
    unittest.main()
