# SPDX-License-Identifier: GPL-3.0-or-later
"""The same bars and linkages from a micrometre to a thousand kilometres, with gravity of their size: similar motions, in similar
words.  No part of the library may compare a length, a velocity or a force with a bare number."""

import math
import re
import unittest

from case_kit import Result

SIZES = [1e-6, 1e-3, 1, 1e3, 1e6]
STEP, DURATION = 1e-3, 2
# Newton's iteration ends within 1e-10 of the accelerations in each step, and the double pendulum may enlarge errors by a hundred in its two seconds.
SAME = 1e-10 * DURATION / STEP * 100
# What a second may add to errors is asked for: two of them, whatever the size.
ACCURACY = 1e-6
CONTROLLED = ACCURACY * DURATION
# Without a step the largest part of the way that errors may be, by both runs.
CHOSEN = 2 * 3e-3
METHODS = {"default": {"step": STEP}, "index 3": {"step": STEP, "formulation": "index3"}, "SOI2": {"step": STEP, "method": "soi2"},
           "HHT": {"step": STEP, "method": "hht_odae"}, "RATTLE": {"step": STEP, "method": "rattle"}, "Radau": {"step": STEP, "method": "radau"},
           "explicit": {"step": STEP, "method": "explicit"},
           "controlled": {"step": STEP}, "no step": {}}


def bar(name, begin, end):
    """Of 1 kg, between two points of the plane."""
    length = math.dist(begin, end)
    return {"name": name, "begin": begin, "length": length, "center": [(a + b) / 2 for a, b in zip(begin, end)],
            "angle": math.atan2(end[1] - begin[1], end[0] - begin[0])}


def place(element, point, s):
    """The marker at a point of the plane."""
    if element is None:
        return {"body": "ground", "position": [point[0] * s, point[1] * s, 0]}
    x, y = (p - c for p, c in zip(point, element["center"]))
    c, d = math.cos(element["angle"]), math.sin(element["angle"])
    return {"body": element["name"], "position": [(c * x + d * y) * s, (c * y - d * x) * s, 0]}


def scene(s, bars, joints, **simulation):
    """Bars (1 kg) and joints (type, point, bar or None for the ground, bar) of size s."""
    bodies = [{"name": b["name"], "type": "rigid_body", "mass": 1,
               "inertia": [1e-3 * s * s, b["length"] ** 2 / 12 * s * s, b["length"] ** 2 / 12 * s * s],
               "position": [b["center"][0] * s, b["center"][1] * s, 0], "orientation": {"rotation_vector": [0, 0, b["angle"]]}} for b in bars]
    hinges = [{"name": f"j{i}", "type": kind, "a": place(a, point, s), "b": place(b, point, s)}
              for i, (kind, point, a, b) in enumerate(joints)]
    return {"torsor": 1, "gravity": [0, -9.81 * s, 0], "bodies": bodies, "joints": hinges,
            "simulation": {"duration": DURATION, **simulation}, "output": {"signals": ["a.position"]}}


def pendulum():
    a = bar("a", (0, 0), (1, 0))
    return [a], [("revolute", (0, 0), None, a)]


def double_pendulum():
    a, b = bar("a", (0, 0), (1, 0)), bar("b", (1, 0), (2, 0))
    return [a, b], [("revolute", (0, 0), None, a), ("revolute", (1, 0), a, b)]


def four_bar(last):
    """Crank 1 m, coupler 2 m, rocker 1.5 m, ground 2 m; with a `last` joint that leaves it in space, or holds it in the plane again."""
    length, along = math.sqrt(5), 6.75 / (2 * math.sqrt(5))
    across = math.sqrt(4 - along * along)
    c = (along * 2 / length + across / length, 1 - along / length + across * 2 / length)
    a, b, d = bar("a", (0, 0), (0, 1)), bar("b", (0, 1), c), bar("d", c, (2, 0))
    return [a, b, d], [("revolute", (0, 0), None, a), ("revolute", (0, 1), a, b), ("spherical", c, b, d), (last, (2, 0), None, d)]


MODELS = {"pendulum": pendulum(), "double pendulum": double_pendulum(), "four-bar": four_bar("cylindrical"),
          "redundant four-bar": four_bar("revolute")}


def words(got):
    """Warnings without numbers, and without the one that asks whether gravity is in mm/s^2."""
    return [re.sub(r"[-+.\de]*\d", "#", text) for text in got.warnings if not text.startswith("gravity is")]


class Sizes(unittest.TestCase):
    def check(self, method, model):
        settings, (bars, joints), want = METHODS[method], MODELS[model], None
        bound = {"controlled": CONTROLLED, "no step": CHOSEN}.get(method, SAME)
        worst = 0
        for s in sorted(SIZES, key=lambda s: abs(math.log(s))):
            more = {"accuracy": {"position": ACCURACY * s, "rotation": ACCURACY}} if method == "controlled" else {}
            got = Result(scene(s, bars, joints, **settings, **more))
            found = got.code, words(got)
            if s == 1:
                want, last = found, [got[f"a.position.{x}"][-1] for x in "xy"]
            self.assertEqual(found, want, (s, got.said))
            self.assertEqual(got.code, 0, got.said)
            worst = max(worst, *(abs(got[f"a.position.{x}"][-1] / s - y) for x, y in zip("xy", last)))
        print(f"  {model}, {method}: off by {worst:.1e} of {bound:.1e}")
        self.assertLessEqual(worst, bound)

    def test_motions(self):
        for model in MODELS:
            for method in METHODS:
                if method == "HHT" and model.startswith("redundant"):
                    continue  # which it refuses
                with self.subTest(model=model, method=method):
                    self.check(method, model)

    def test_rests(self):
        """A linkage whose crank a spring holds, with independent rows and dependent ones: statics and frequencies are those of 1 m."""
        for model in ("four-bar", "redundant four-bar"):
            want = None
            for s in sorted(SIZES, key=lambda s: abs(math.log(s))):
                what = scene(s, *MODELS[model])
                what["forces"] = [{"name": "spring", "type": "coordinate_spring", "coordinate": "j0.angle", "stiffness": 30 * s * s}]
                rest, modes = Result(what, "statics"), Result(what, "modes", "--about", "equilibrium")
                self.assertEqual((rest.code, modes.code), (0, 0), rest.said + modes.said)
                found = [rest[f"a.position.{x}"][-1] / s for x in "xy"] + modes["frequency_hz"]
                want = want or found
                off = max(abs(a - b) for a, b in zip(found, want))
                print(f"  {model}, {s:g} m: off by {off:.1e}")
                self.assertEqual(len(found), len(want))
                self.assertLessEqual(off, 1e-8)  # the tolerance of statics, 1e-10, and what the root of a small eigenvalue makes of rounding


if __name__ == "__main__":
    unittest.main()
