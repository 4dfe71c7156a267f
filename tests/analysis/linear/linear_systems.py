#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""State spaces and frequency responses of models with known answers, and what is said of wrong use.

TORSOR is the path of the command, TORSOR_DATA that of data/.  linear_references.json has the answers, which were found without the engine."""

import copy
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TORSOR = os.environ["TORSOR"]
SCENES = Path(os.environ["TORSOR_DATA"]).resolve() / "scenes"
REFERENCES = json.loads((Path(__file__).resolve().parent / "linear_references.json").read_text())

# Differences of order 8 have round-off of 1e-13 of the size of what is differenced; solving for accelerations and responses of well-conditioned
# models of a few bodies loses another digit.
ROUND_OFF = 1e-12


class Linear:
    """The files that one verb makes of one scene."""

    def __init__(self, what, verb, *options):
        with tempfile.TemporaryDirectory(prefix="linear") as text:
            folder = Path(text)
            (folder / "scene.json").write_text(json.dumps(what, indent=1))
            done = subprocess.run([TORSOR, verb, folder / "scene.json", "-o", folder / "out", *options], capture_output=True, text=True, timeout=250)
            self.code, self.said, self.answer = done.returncode, done.stderr, done.stdout
            self.files = {file.name: file.read_text() for file in (folder / "out").rglob("*") if file.is_file()}

    def space(self):
        """A, B, C, D and the names of the states."""
        found = json.loads(self.files["linear.json"])
        return [found[key] for key in "ABCD"], [state["name"] for state in found["states"]]

    def poles(self):
        return [complex(*pole) for pole in json.loads(self.files["linear.json"])["poles"]]

    def rows(self):
        """One dictionary a frequency: "output/input" -> complex number."""
        return [{key[:-3]: complex(float(row[key]), float(row[key[:-3] + ".im"])) for key in row if key.endswith(".re")}
                for row in csv.DictReader(self.files["response.csv"].splitlines())]


def number(pair):
    return complex(*pair)


def asked(what, inputs, outputs, omega=None, **more):
    """The scene with what is asked for; omega in rad/s."""
    what = copy.deepcopy(what)
    what["linear"] = {"inputs": inputs, "outputs": outputs, **more}
    if omega is not None:
        what["linear"]["frequencies"] = [w / (2 * math.pi) for w in omega]
    return what


def times(X, Y):
    """The product of two matrices, lists of rows."""
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*Y)] for row in X]


def solve(X, Y):
    """X^-1 Y, by elimination with row exchanges."""
    n = len(X)
    rows = [list(x) + list(y) for x, y in zip(X, Y)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [[x / rows[i][i] for x in rows[i][n:]] for i in range(n)]


def transfer(space, omega):
    """D + C (i omega - A)^-1 B."""
    A, B, C, D = space
    shifted = [[1j * omega * (i == j) - x for j, x in enumerate(row)] for i, row in enumerate(A)]
    return [[d + x for d, x in zip(*lines)] for lines in zip(D, times(C, solve(shifted, B)))]


def flat(values):
    """All numbers of lists in lists."""
    return [x for value in values for x in flat(value)] if isinstance(values, (list, tuple)) else [values]


def pushed(what, name, **force):
    """The scene with an input that scales a force."""
    what = copy.deepcopy(what)
    what.setdefault("inputs", {})[name] = {"value": 0}
    what.setdefault("forces", []).append({"name": f"force_{name}", "type": "force", "scale": name, **force})
    return what


def cart(regulated):
    what = json.loads((SCENES / "cart_pendulum.json").read_text())
    what["parameters"]["tilt"] = 0
    if not regulated:
        what["forces"][0]["effort"] = "0*rail.travel"
    return what


class LinearSystems(unittest.TestCase):
    def good(self, what, verb, *options):
        found = Linear(what, verb, *options)
        self.assertEqual(found.code, 0, found.said)
        return found

    def response(self, what, inputs, outputs, omega, **more):
        return self.good(asked(what, inputs, outputs, omega, **more), "response").rows()

    def near(self, what, found, expected, tolerance):
        """The largest difference, over the largest number expected."""
        found, expected = flat(found), flat(expected)
        self.assertEqual(len(found), len(expected))
        off = max(abs(x - y) for x, y in zip(found, expected)) / max(map(abs, expected))
        print(f"  {what}: {off:.1e}")
        self.assertLess(off, tolerance, what)

    def same_poles(self, what, found, expected, tolerance):
        left = list(found)
        worst = 0
        for pole in expected:
            nearest = min(left, key=lambda x: abs(x - pole))
            left.remove(nearest)
            worst = max(worst, abs(nearest - pole) / max(abs(p) for p in expected))
        print(f"  {what}, poles: {worst:.1e}")
        self.assertLess(worst, tolerance, what)

    def both(self, what, inputs, outputs, omega, **more):
        """The response, which the state space gives as well."""
        rows = self.response(what, inputs, outputs, omega, **more)
        space, _ = self.good(asked(what, inputs, outputs, **more), "linearise").space()
        for row, w in zip(rows, omega):
            direct = [row[f"{y}/{u}"] for y in outputs for u in inputs]
            off = max(abs(x - y) for x, y in zip(direct, flat(transfer(space, w))))
            self.assertLess(off, 1e-9 * max(map(abs, direct)), w)
        return rows

    # ---- answers ----------------------------------------------------------------------------

    def test_cart(self):
        """The cart with its pole: A, B, C, D in closed form, with named states, and the closed loop."""
        expected = REFERENCES["cart"]
        outputs = ["rail.travel", "hinge.angle", "pole.position.x", "pole.acceleration.x", "hinge.force.x"]
        found = self.good(asked(cart(False), ["motor.effort"], outputs), "linearise")
        space, names = found.space()
        self.assertEqual(names, ["rail.travel", "hinge.angle", "rail.speed", "hinge.rate"])
        for matrix, key in zip(space, "ABCD"):
            self.near(f"cart, {key}", matrix, expected[key], ROUND_OFF)
        closed = self.good(asked(cart(True), ["motor.effort"], outputs), "linearise")
        self.same_poles("regulated cart", closed.poles(), [number(p) for p in expected["closed_loop"]], 1e-11)

    def test_both_groups(self):
        """The same cart on SE(3), turned in space: the same matrices."""
        what = cart(False)
        what["group"] = "SE3"
        found, names = self.good(asked(what, ["motor.effort"], ["rail.travel", "pole.acceleration.x"]), "linearise").space()
        expected = [REFERENCES["cart"][key] for key in "ABCD"]
        self.near("SE(3), A", found[0], expected[0], ROUND_OFF)
        self.near("SE(3), B", found[1], expected[1], ROUND_OFF)
        self.near("SE(3), C", found[2], [expected[2][0], expected[2][3]], ROUND_OFF)
        self.near("SE(3), D", found[3], [expected[3][0], expected[3][3]], ROUND_OFF)

    def test_two_masses(self):
        expected = REFERENCES["two_masses"]
        what = pushed(expected["scene"], "push", at="m2", force=[1, 0, 0])
        outputs = ["m1.position.x", "m2.position.x", "m2.acceleration.x"]
        rows = self.both(what, ["push"], outputs, expected["frequencies"])
        for k, name in enumerate(outputs):
            self.near(f"two masses, {name}", [row[f"{name}/push"] for row in rows],
                      [number(t[k]) for t in expected["transfer"]], ROUND_OFF)
        found = self.good(asked(what, ["push"], outputs), "linearise")
        self.same_poles("two masses", found.poles(), [number(p) for p in expected["poles"]], ROUND_OFF)

    def zeros(self, what, inputs, outputs):
        return [complex(*zero) for zero in json.loads(self.good(asked(what, inputs, outputs), "linearise").files["linear.json"])["zeros"]]

    def test_zeros(self):
        """Zeros of the two masses against rational functions; of the cart, whose pole swings with the rail held still: m g c/(J + m c^2) = s^2;
        of a system with more outputs than inputs there are none, of one with a state that no output shows its pole."""
        expected = REFERENCES["two_masses"]
        what = pushed(expected["scene"], "push", at="m2", force=[1, 0, 0])
        for mass in "m1", "m2":
            self.same_poles(f"zeros, {mass}", self.zeros(what, ["push"], [f"{mass}.position.x"]), [number(z) for z in expected["zeros"][mass]], ROUND_OFF)
        self.assertEqual(self.zeros(what, ["push"], ["m1.position.x", "m2.position.x"]), [])
        # the same along another line in space, where numbers that are 0 are round-off
        turned, line = copy.deepcopy(expected["scene"]), [2 / 7, -3 / 7, 6 / 7]
        for joint in turned["joints"]:
            joint["axis"] = line
        for body in turned["bodies"]:
            body["position"] = [body["position"][0] * x for x in line]
        turned = pushed(turned, "push", at="m2", force=line)
        for mass, joint in zip(("m1", "m2"), turned["joints"]):
            self.same_poles(f"zeros, {mass} turned", self.zeros(turned, ["push"], [f"{joint['name']}.travel"]), [number(z) for z in expected["zeros"][mass]], ROUND_OFF)
            self.assertEqual(len(self.zeros(turned, ["push"], [f"{mass}.position.z"])), len(expected["zeros"][mass]))
        rail = {"torsor": 1, "gravity": [0, 0, -9.81],
                "bodies": [{"name": "cart", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1]},
                           {"name": "pole", "type": "rigid_body", "mass": 0.4, "inertia": [0.033, 0.033, 0.001], "position": [0, 0, 0.5]}],
                "joints": [{"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "a": "ground", "b": "cart"},
                           {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "cart", "b": {"body": "pole", "position": [0, 0, -0.5]}}],
                "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "rail.travel", "effort": 0}]}
        pole = math.sqrt(0.4 * 9.81 * 0.5 / (0.033 + 0.4 * 0.25))
        self.same_poles("zeros, cart", self.zeros(rail, ["motor.effort"], ["rail.travel"]), [pole, -pole], ROUND_OFF)
        self.same_poles("zeros, pole", self.zeros(rail, ["motor.effort"], ["hinge.rate"]) + [1], [0, 0, 0, 1], 1e-7)  # a double pole 0 moves by the root of round-off
        # the same in mm, t and s
        small = copy.deepcopy(rail)
        small["gravity"] = [0, 0, -9810]
        for body in small["bodies"]:
            body["mass"] /= 1e3
            body["inertia"] = [1e3 * x for x in body["inertia"]]
        small["bodies"][1]["position"] = [0, 0, 500]
        small["joints"][1]["b"]["position"] = [0, 0, -500]
        self.same_poles("zeros, mm", self.zeros(small, ["motor.effort"], ["rail.travel"]), [pole, -pole], ROUND_OFF)

    def reduced(self, what, states, inputs, outputs, omega):
        found = self.good(asked(what, inputs, outputs, omega, reduce={"states": states}), "linearise")
        part, whole = json.loads(found.files["reduced.json"]), found.space()[0]
        worst = max(abs(x - y) for w in omega for x, y in zip(flat(transfer([part[key] for key in "ABCD"], w)), flat(transfer(whole, w))))
        self.assertAlmostEqual(part["largest_error"], worst, delta=1e-9 * max(worst, part["hankel"][0]))
        self.assertLessEqual(worst, part["bound"] * (1 + 1e-9) + 1e-12 * part["hankel"][0])
        self.assertIn(f"reduced to {len(part['A'])} states", found.answer)
        return part

    def test_reduction(self):
        """Hankel singular values, poles and bound against Lyapunov equations that were solved by another code.  Values are roots of eigenvalues of
        Gramians: they round by 1e-16 of the first value squared over themselves, 1e-12 with what a few systems lose."""
        expected = REFERENCES["two_masses"]
        what = pushed(expected["scene"], "push", at="m2", force=[1, 0, 0])
        part = self.reduced(what, 2, ["push"], ["m1.position.x"], expected["frequencies"])
        self.near("Hankel singular values", part["hankel"], expected["hankel"], ROUND_OFF)
        self.near("bound", [part["bound"]], [expected["bound"]], 1e-11)
        self.same_poles("reduced", [number(p) for p in part["poles"]], [number(p) for p in expected["reduced_poles"]], ROUND_OFF)
        self.assertEqual(part["kept"], 0)
        self.assertEqual([s["name"] for s in part["states"]], ["balanced_1", "balanced_2"])
        whole = self.reduced(what, 4, ["push"], ["m1.position.x", "m2.acceleration.x"], expected["frequencies"])
        self.assertLess(whole["largest_error"], 1e-12 * whole["hankel"][0])

    def test_reduction_keeps(self):
        """Poles that are not stable are kept: those of a body that floats, 0 and 0, with two masses on springs on it."""
        what = copy.deepcopy(REFERENCES["two_masses"]["scene"])
        what["bodies"].append({"name": "raft", "type": "point_mass", "mass": 3, "position": [0, 0, 0]})
        what["joints"].append({"name": "water", "type": "point_on_line", "axis": [1, 0, 0], "a": "ground", "b": "raft"})
        for force in what["forces"]:
            force["a"] = "raft" if force["a"] == "ground" else force["a"]
        part = self.reduced(pushed(what, "push", at="m2", force=[1, 0, 0]), 4, ["push"], ["m1.position.x", "raft.acceleration.x"], [3, 10, 22, 60])
        self.assertEqual((part["kept"], len(part["hankel"]), len(part["A"])), (2, 4, 4))
        self.assertLess(max(abs(number(p)) for p in part["poles"][:2]), 1e-5)  # a double pole: the root of round-off
        few = Linear(asked(pushed(what, "push", at="m2", force=[1, 0, 0]), ["push"], ["m1.position.x"], reduce={"states": 1}), "linearise")
        self.assertEqual(few.code, 3, few.said)
        self.assertIn("2 of the 6 states are not stable and are kept: 1 are too few", few.said)
        self.assertIn("linear.reduce.states", few.said)

    def test_four_bar(self):
        """A loop, whose reaction is an output."""
        expected = REFERENCES["four_bar"]
        outputs = ["pivot.angle", "stand.angle", "stand.force.x", "stand.force.y"]
        rows = self.both(expected["scene"], ["spring.effort"], outputs, expected["frequencies"])
        answers = [[number(a[0]), number(a[2]), number(f[0]), number(f[1])] for a, f in zip(expected["angles"], expected["force"])]
        for k, name in enumerate(outputs):
            self.near(f"four-bar, {name}", [row[f"{name}/spring.effort"] for row in rows], [a[k] for a in answers], 1e-11)
        found = self.good(asked(expected["scene"], ["spring.effort"], outputs, states=["stand.angle"]), "linearise")
        self.assertEqual(found.space()[1], ["stand.angle", "stand.rate"])
        self.same_poles("four-bar", found.poles(), [number(p) for p in expected["poles"]], ROUND_OFF)

    def test_bicycle(self):
        """Nonholonomic rows about a steady motion.  The coefficients of the paper have 14 digits; angles are small rotations, half of which is
        a quaternion's x, with y and z of the paper reversed."""
        expected = REFERENCES["bicycle"]
        what = json.loads((SCENES / "whipple_modes.json").read_text())
        what["inputs"] = {"torque": 0}
        what["forces"] = [{"name": "steering", "type": "coordinate_force", "coordinate": "steer.angle", "effort": "torque"}]
        what = pushed(what, "lean", at="frame", moment=[1, 0, 0])
        omega = expected["frequencies"][1:]
        rows = self.both(what, ["lean", "torque"], ["frame.quaternion.x", "steer.angle"], omega)
        for row, answer in zip(rows, expected["transfer"][1:]):
            found = [[2 * row["frame.quaternion.x/lean"], -2 * row["frame.quaternion.x/torque"]],
                     [-row["steer.angle/lean"], row["steer.angle/torque"]]]
            self.near("bicycle", found, [[number(x) for x in line] for line in answer], 1e-11)
        found = self.good(asked(what, ["lean"], ["steer.angle"]), "linearise")
        self.same_poles("bicycle", [p for p in found.poles() if abs(p) > 1e-3], [number(p) for p in expected["poles"]], 1e-10)

    def test_rotor(self):
        """Forward and backward whirl of a spinning rotor.  The gimbal frame of the scene has a moment of inertia that is 5e-8 of the rotor's: at
        a distance of w from a resonance at p it changes the response by 5e-8 p^2/|w^2 - p^2| and less, here by 4e-5 of it at most."""
        expected = REFERENCES["rotor"]
        what = pushed(expected["scene"], "mx", at="frame", moment=[1, 0, 0])
        what = pushed(what, "my", at="frame", moment=[0, 1, 0])
        pairs = [(w, number(z)) for w, z in zip(expected["frequencies"], expected["whirl"]) if w]
        rows = self.both(what, ["mx", "my"], ["frame.rotation_vector.x", "frame.rotation_vector.y"], [abs(w) for w, _ in pairs], about="steady")
        for row, (w, z) in zip(rows, pairs):
            turn = -1j if w > 0 else 1j  # the moment turns with w
            x, y = (row[f"frame.rotation_vector.{k}/mx"] + turn * row[f"frame.rotation_vector.{k}/my"] for k in "xy")
            self.assertLess(abs(y - turn * x), ROUND_OFF * abs(x))
            self.assertLess(abs((x if w > 0 else x.conjugate()) / z - 1), 4e-5, w)
        found = self.good(asked(what, ["mx"], ["spin.rate"], about="steady"), "linearise")
        self.same_poles("rotor", [p for p in found.poles() if 1 < abs(p) < 1e3], [number(p) for p in expected["eigenvalues"]], 1e-6)

    def test_beam(self):
        """The receptance at the end of a damped cantilever converges to that of the Timoshenko beam; near resonance errors of frequencies are
        multiplied, so that only its order counts there."""
        expected = REFERENCES["beam"]
        what = pushed(expected["scene"], "push", at="beam.end", force=[0, 0, 1])
        errors = []
        for elements in 8, 16, 32:
            what["parameters"]["n"] = elements
            rows = self.response(what, ["push"], ["beam.end.position.z"], expected["frequencies"])
            errors.append([abs(row["beam.end.position.z/push"] / number(r) - 1) for row, r in zip(rows, expected["receptance"])])
            print(f"  {elements} elements: {' '.join(f'{e:.0e}' for e in errors[-1])}")
        self.assertLess(errors[-1][0], 1e-10)  # statics: exact
        for coarse, fine in zip(errors[1][1:], errors[2][1:]):
            self.assertGreater(coarse / fine, 3.5)  # order 2 at least, but for terms of higher order

    # ---- inputs that move ---------------------------------------------------------------------

    def test_shaker(self):
        """A mass on a plate that is moved: with the plate's position u the mass has (k + c s)/(m s^2 + c s + k) u, and the shaker needs M s^2 u
        beside what the spring passes on."""
        m, M, k, c = 2.0, 3.0, 500.0, 4.0
        what = {"torsor": 1,
                "bodies": [{"name": "plate", "type": "rigid_body", "mass": M, "inertia": [1, 1, 1]},
                           {"name": "mass", "type": "rigid_body", "mass": m, "inertia": [1, 1, 1], "position": [1, 0, 0]}],
                "joints": [{"name": "shaker", "type": "motion", "a": "ground", "b": "plate", "x": 0, "y": 0, "z": 0, "angle": 0},
                           {"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "a": "plate", "b": "mass"}],
                "forces": [{"name": "spring", "type": "spring_damper", "a": "plate", "b": "mass", "stiffness": k, "damping": c}]}
        omega = [1.0, 7.0, 15.8, 40.0]
        outputs = ["mass.position.x", "rail.travel", "shaker.force.x"]
        rows = self.response(what, ["shaker.x"], outputs, omega)
        for row, w in zip(rows, omega):
            s = 1j * w
            X = (k + c * s) / (m * s**2 + c * s + k)
            expected = [X, X - 1, M * s**2 - (k + c * s) * (X - 1)]
            self.near(f"shaker at {w}", [row[f"{y}/shaker.x"] for y in outputs], expected, ROUND_OFF)
        space, names = self.good(asked(what, ["shaker.x"], outputs), "linearise").space()
        self.assertEqual(names, ["rail.travel", "rail.speed", "shaker.x", "shaker.x.rate"])
        three, _ = self.good(asked(what, ["shaker.x"], outputs, moving_inputs="triple"), "linearise").space()
        for row, w in zip(rows, omega):
            s = 1j * w
            direct = [[row[f"{y}/shaker.x"]] for y in outputs]
            self.near("by the acceleration", [x * s**2 for x in flat(transfer(space, w))], direct, 1e-10)
            self.near("by all three", times(transfer(three, w), [[1], [s], [s**2]]), direct, 1e-10)

    def test_velocity_drive(self):
        """A pendulum whose rate is given, which is a nonholonomic row: the drive applies I s + m g l/s times the rate."""
        what = {"torsor": 1, "gravity": [0, 0, -9.81],
                "bodies": [{"name": "rod", "type": "rigid_body", "mass": 2, "inertia": [0.3, 0.3, 0.01], "position": [0, 0, -0.7]}],
                "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "ground", "b": {"body": "rod", "position": [0, 0, 0.7]}},
                           {"name": "drive", "type": "velocity_drive", "coordinate": "hinge.angle", "rate": 0}]}
        omega = [0.5, 3.0, 20.0]
        rows = self.response(what, ["drive.rate"], ["hinge.angle", "drive.effort"], omega)
        for row, w in zip(rows, omega):
            s = 1j * w
            self.near("angle", [row["hinge.angle/drive.rate"]], [1 / s], ROUND_OFF)
            self.near("effort", [row["drive.effort/drive.rate"]], [(0.3 + 2 * 0.49) * s + 2 * 9.81 * 0.7 / s], ROUND_OFF)
        space, names = self.good(asked(what, ["drive.rate"], ["hinge.angle", "drive.effort"]), "linearise").space()
        self.assertEqual(names, ["hinge.angle", "drive.rate", "drive.rate.rate"])
        for row, w in zip(rows, omega):
            self.near("space", [x * (1j * w)**2 for x in flat(transfer(space, w))], list(row.values()), 1e-10)

    def test_parameter(self):
        """A number as input: a hanging mass moves by -F/k^2 dk where the stiffness k changes, and by g/k where the mass does."""
        what = {"torsor": 1, "gravity": [0, 0, -9.81], "bodies": [{"name": "m", "type": "point_mass", "mass": 3, "position": [0, 0, -1]}],
                "joints": [{"name": "line", "type": "point_on_line", "axis": [0, 0, 1], "a": "ground", "b": "m"}],
                "forces": [{"name": "spring", "type": "spring_damper", "a": {"position": [0, 0, 9], "body": "ground"}, "b": "m", "stiffness": 400, "damping": 5,
                            "length": 10}]}
        row, = self.response(what, ["spring.stiffness", "m.mass"], ["m.position.z"], [0], about="equilibrium")
        self.near("stiffness", [row["m.position.z/spring.stiffness"]], [3 * 9.81 / 400**2], 1e-10)
        self.near("mass", [row["m.position.z/m.mass"]], [-9.81 / 400], 1e-10)

    def test_controller(self):
        """A loop with an integrator: s^3 + 3 s^2 + 4 s + 2 = (s + 1)(s^2 + 2 s + 2).  The integral of the controller's state, which nothing
        reads, is a state as well, at 0."""
        what = {"torsor": 1, "bodies": [{"name": "m", "type": "point_mass", "mass": 1}],
                "joints": [{"name": "r", "type": "point_on_line", "axis": [1, 0, 0], "a": "ground", "b": "m"}],
                "controllers": [{"state": "z", "rate": "-r.travel"}],
                "forces": [{"name": "f", "type": "coordinate_force", "coordinate": "r.travel", "effort": "2*z - 4*r.travel - 3*r.speed"}]}
        found = self.good(asked(what, ["f.effort"], ["r.travel"]), "linearise")
        self.same_poles("controller", [p for p in found.poles() if abs(p) > 0.5], [-1, -1 + 1j, -1 - 1j], ROUND_OFF)
        row, = self.response(what, ["f.effort"], ["r.travel"], [2.0])
        s = 2j
        self.near("controller", [row["r.travel/f.effort"]], [s / (s**3 + 3 * s**2 + 4 * s + 2)], ROUND_OFF)

    # ---- what a run does ------------------------------------------------------------------------

    def test_run(self):
        """A small step of the effort makes of the four-bar what the state space says: the difference is of second order in the effort, and of
        order 4 in the step of the run by radau (1e-9 here)."""
        what = copy.deepcopy(REFERENCES["four_bar"]["scene"])
        (A, B, C, D), _ = self.good(asked(what, ["spring.effort"], ["pivot.angle", "stand.force.x"]), "linearise").space()
        what["parameters"]["u"] = 1e-4
        what["simulation"] = {"method": "radau", "step": 0.01, "duration": 1}
        what["output"] = {"signals": ["pivot.angle", "stand.force.x"]}
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            results = []
            for u in 1e-4, 0:
                what["parameters"]["u"] = u
                (folder / "scene.json").write_text(json.dumps(what))
                subprocess.run([TORSOR, "run", folder / "scene.json", "-o", folder / "out", "-q"], check=True, timeout=100)
                with open(folder / "out/trajectory.csv", newline="") as file:
                    results.append([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
        # exact for a constant effort: (x, 1)' = [[A, B], [0, 0]] (x, 1), by the exponential over one step of 0.01 s
        big = [row + column for row, column in zip(A, B)] + [[0.0] * (len(A) + 1)]
        step = [[float(i == j) for j in range(len(big))] for i in range(len(big))]
        term = step
        for k in range(1, 20):
            term = [[0.01 * x / k for x in row] for row in times(big, term)]
            step = [[x + y for x, y in zip(*lines)] for lines in zip(step, term)]
        x, worst = [[0.0]] * len(A) + [[1.0]], 0
        for now, base in zip(*results):
            change = [(a - b) / 1e-4 for a, b in zip(now[1:], base[1:])]
            expected = [c[0] + d[0] for c, d in zip(times(C, x[:-1]), D)]
            worst = max([worst] + [abs(a - b) for a, b in zip(change, expected)])
            x = times(step, x)
        print(f"  run: {worst:.1e}")
        self.assertLess(worst, 1e-4)

    def test_redundant_reactions(self):
        """Two hinges on one axis: rows repeat others, and the reactions are those of least norm, as a run reports them."""
        what = {"torsor": 1, "gravity": [0, 0, -9.81], "inputs": {"push": 0},
                "bodies": [{"name": "door", "type": "rigid_body", "mass": 10, "inertia": [1, 1, 1], "position": [0.5, 0, 0]}],
                "joints": [{"name": f"hinge{i}", "type": "revolute", "axis": [0, 0, 1], "a": {"body": "ground", "position": [0, 0, z]},
                            "b": {"body": "door", "position": [-0.5, 0, z]}} for i, z in enumerate([-0.6, 0.8])],
                "forces": [{"name": "spring", "type": "coordinate_spring", "coordinate": "hinge0.angle", "stiffness": 5, "damping": 1},
                           {"name": "weight", "type": "force", "at": "door", "force": [0, 0.3, 1], "scale": "push"}]}
        outputs = [f"hinge{i}.{k}.{axis}" for i in range(2) for k in ("force", "moment") for axis in "xyz"]
        row, = self.response(what, ["push"], outputs, [0])
        found = []
        for push in 1e-3, -1e-3:
            what["inputs"]["push"] = push
            what["statics"] = {"steps": 1}
            what["output"] = {"signals": outputs}
            with tempfile.TemporaryDirectory() as text:
                folder = Path(text)
                (folder / "scene.json").write_text(json.dumps(what))
                subprocess.run([TORSOR, "statics", folder / "scene.json", "-o", folder / "out", "-q"], check=True, timeout=100)
                with open(folder / "out/trajectory.csv", newline="") as file:
                    found.append([float(x) for x in list(csv.reader(file))[-1][1:]])
        expected = [(a - b) / 2e-3 for a, b in zip(*found)]
        # the door turns by 0.03 rad per N, so that differences of second order are off by the square of 3e-5
        self.near("redundant reactions", [row[f"{y}/push"] for y in outputs], expected, 1e-7)

    # ---- files and words --------------------------------------------------------------------------

    def test_files(self):
        found = self.good(asked(cart(False), ["motor.effort"], ["rail.travel"]), "linearise")
        for name in "A.mtx", "B.mtx", "C.mtx", "D.mtx", "states.csv", "inputs.csv", "outputs.csv", "poles.csv", "linear.json", "summary.json", \
                "scene.json", "M.mtx", "K.mtx", "R0.mtx", "H2.mtx", "L.mtx", "unknowns.csv":
            self.assertIn(name, found.files)
        self.assertIn("hinge.angle", found.files["states.csv"])
        self.assertIn("UNSTABLE", found.answer)
        again = self.good(asked(cart(False), ["motor.effort"], ["rail.travel"]), "linearise")
        self.assertEqual(found.files["linear.json"], again.files["linear.json"])
        alone = self.good(asked(cart(False), ["motor.effort"], ["rail.travel"]), "linearise", "--descriptor")
        self.assertNotIn("linear.json", alone.files)

    def test_bode_diagram(self):
        """A response is drawn with amplitude and phase over logarithmic axes, and compared like any result."""
        what = pushed(REFERENCES["two_masses"]["scene"], "push", at="m2", force=[1, 0, 0])
        what = asked(what, ["push"], ["m1.position.x", "m2.position.x"], frequencies={"from": 1, "to": 100, "count": 200})
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            (folder / "scene.json").write_text(json.dumps(what))
            for command in ["response", "scene.json", "-o", "out"], ["compare", "out", "out"]:
                subprocess.run([TORSOR, *command], cwd=folder, check=True, capture_output=True, timeout=100)
            script = subprocess.run([TORSOR, "plot", "out", "--script"], cwd=folder, check=True, capture_output=True, text=True, timeout=100).stdout
        self.assertIn("set logscale x", script)
        self.assertEqual(script.count("\nset logscale y"), 2)
        self.assertIn("m2.position.x/push.phase_deg", script)
        self.assertNotIn("push.re", script)
        self.assertIn("frequency [Hz]", script)

    def test_folders(self):
        """The folder of the scene is refused, and results of another scene are taken away."""
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            for name, what in ("one", cart(False)), ("two", cart(True)):
                (folder / f"{name}.json").write_text(json.dumps(asked(what, ["motor.effort"], ["rail.travel"], [3.0])))

            def call(*words):
                return subprocess.run([TORSOR, *words], cwd=folder, capture_output=True, text=True, timeout=100)
            self.assertEqual(call("linearise", "one.json", "-o", ".").returncode, 2)
            self.assertEqual(call("linearise", "one.json", "-o", "out").returncode, 0)
            self.assertEqual(call("response", "two.json", "-o", "out").returncode, 0)
            self.assertEqual(sorted(file.name for file in (folder / "out").glob("*.*")), ["response.csv", "scene.json", "summary.json"])

    def refused(self, what, words, *, verb="linearise", code=3, **more):
        inputs, outputs = more.pop("inputs", ["motor.effort"]), more.pop("outputs", ["rail.travel"])
        found = Linear(asked(what, inputs, outputs, **more), verb)
        self.assertEqual(found.code, code, found.said)
        for word in words:
            self.assertIn(word, found.said)

    def test_messages(self):
        what = cart(False)
        self.refused(what, ["no element \"moter\"", "linear.inputs[0]", "motor"], inputs=["moter.effort"])
        self.refused(what, ["\"motor.coordinate\" cannot be an input", "\"motor.effort\""], inputs=["motor.coordinate"])
        self.refused(what, ["\"motor.efort\" cannot be an input"], inputs=["motor.efort"])
        self.refused(what, ["no signal \"rail.travl\"", "rail.travel", "linear.outputs[1]"], outputs=["rail.speed", "rail.travl"])
        self.refused(what, ["has no outputs"], outputs=[])
        self.refused(what, ["needs an input"], verb="response", inputs=[])
        self.refused(what, ["\"rail.travl\" cannot be a state", "rail.travel", "linear.states[0]"], states=["rail.travl"])
        self.refused(what, ["depends on them", "2 degrees of freedom"], states=["rail.travel", "cart.position.x"])
        self.refused(what, ["depend on the motion before"], outputs=["motor.work"], code=2)
        self.refused(what, ["must be greater than \"from\""], frequencies={"from": 3, "to": 1})
        self.refused(what, ["logarithmic"], frequencies={"from": 0, "to": 1})
        self.refused(what, ["must be 0 or greater"], frequencies=[1, -2])
        self.refused(what, ["unknown key", "outputs"], output=["x"])
        self.refused(what, ["linear.reduce", "states"], reduce={})
        self.refused(what, ["linear.reduce.states"], reduce={"states": 0})
        self.refused(what, ["linear.reduce"], reduce=3)
        self.refused(what, ["unknown key", "states"], reduce={"state": 3})
        wrong = Linear(asked(what, ["motor.effort"], ["rail.travel"], reduce={"states": 2}), "linearise", "--descriptor")
        self.assertIn("\"reduce\" takes the state space", wrong.said)
        self.refused(what, ["the state space has 4 states, not 9"], reduce={"states": 9})
        self.refused(what, ["singular", "begin above it"], verb="response", code=4, frequencies=[0])
        falling = cart(False)
        falling["parameters"]["tilt"] = 0.3
        self.refused(falling, ["no equilibrium"], code=3)

    def test_idle_input(self):
        """An input that changes nothing is reported, and its columns are 0."""
        what = cart(False)
        what["inputs"] = {"nothing": 1}
        found = self.good(asked(what, ["nothing", "motor.effort"], ["rail.travel"]), "linearise")
        self.assertIn("\"nothing\" changes nothing", found.said)

    def test_outputs_that_turn(self):
        """About a steady motion outputs must be constant as seen from its frames: a place on a spinning rotor in inertial axes is not."""
        what = {"torsor": 1, "inputs": {"push": 0},
                "bodies": [{"name": "hub", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.2], "angular_velocity": [0, 0, 50]},
                           {"name": "bob", "type": "rigid_body", "mass": 0.2, "inertia": [0.01, 0.01, 0.01], "position": [0.5, 0, 0],
                            "velocity": [0, 25, 0], "angular_velocity": [0, 0, 50]}],
                "joints": [{"name": "axle", "type": "revolute", "axis": [0, 0, 1], "a": "ground", "b": "hub"},
                           {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "a": "hub", "b": "bob"}],
                "forces": [{"name": "spring", "type": "coordinate_spring", "coordinate": "slide.travel", "stiffness": 4000, "rest": -0.15}]}
        what = pushed(what, "side", at="bob", force=[1, 0, 0])
        what["forces"].append({"name": "turning", "type": "force", "at": "bob", "force": [1, 0, 0], "axes": "body", "scale": "push"})
        self.good(asked(what, ["push"], ["slide.travel", "axle.rate"], about="steady"), "linearise")
        bad = Linear(asked(what, ["push"], ["bob.position.x"], about="steady"), "linearise")
        self.assertEqual(bad.code, 2, bad.said)
        self.assertIn("\"bob.position.x\" is not constant", bad.said)
        bad = Linear(asked(what, ["side"], ["slide.travel"], about="steady"), "linearise")
        self.assertEqual(bad.code, 2, bad.said)
        self.assertIn("the input \"side\" is not constant", bad.said)

    def test_sizes(self):
        """The same mechanism, a thousand times as small or as large, has the same poles in its own time."""
        poles = {}
        for size in 1e-3, 1, 1e3:
            what = copy.deepcopy(REFERENCES["four_bar"]["scene"])
            text = json.dumps(what).replace("0.9", f"{0.9 * size!r}")
            what = json.loads(text)
            for key in "l1", "l2", "l3":
                what["parameters"][key] *= size
            # similar: lengths s, masses s^3, moments s^4, time sqrt(s)
            for body in what["bodies"]:
                mass = body["mass"]
                body["mass"] = mass * size**3
                body["inertia"] = [f"{size**3!r}*({x})" for x in body["inertia"]]
            what["forces"][0]["effort"] = f"{size**4!r}*(-40*(pivot.angle - 1.2)) - {size**4.5!r}*0.6*pivot.rate + u"
            found = self.good(asked(what, ["spring.effort"], ["pivot.angle"]), "linearise")
            poles[size] = [p * math.sqrt(size) for p in found.poles()]
        self.near("small", poles[1e-3], poles[1], 1e-9)
        self.near("large", poles[1e3], poles[1], 1e-9)


if __name__ == "__main__":
    unittest.main(verbosity=1)
