#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of runs by parameters: against answers that were found without the engine, against differences of whole runs, and what is said of
wrong use.

TORSOR is the path of the command, TORSOR_DATA that of data/.  sensitivity_references.json has the answers."""

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
REFERENCES = json.loads((Path(__file__).resolve().parent / "sensitivity_references.json").read_text())

# Newton's iteration goes on to rounding, which differences of runs would show otherwise.
TIGHT = {"rtol": 1e-13, "atol": 1e-14}
EIGHTH = [4 / 5, -1 / 5, 4 / 105, -1 / 280]


class Rows:
    """The trajectory of a scene."""

    def __init__(self, what, *options, folder=None):
        with tempfile.TemporaryDirectory(prefix="sensitivities") as text:
            place = Path(folder or text)
            (place / "scene.json").write_text(json.dumps(what))
            done = subprocess.run([TORSOR, "run", place / "scene.json", *(() if "-v" in options else ("-q",)), "-o", place / "out", *options], capture_output=True, text=True, timeout=250)
            self.code, self.said = done.returncode, done.stderr
            file = place / "out" / "trajectory.csv"
            rows = list(csv.reader(file.read_text().splitlines())) if file.exists() else [["t"]]
        self.names, self.values = rows[0], [[float(x) for x in row] for row in rows[1:]]

    def column(self, name):
        i = self.names.index(name)
        return [row[i] for row in self.values]

    def derivative(self, signal, parameter):
        return self.column(f"d({signal})/d({parameter})")


def simpson(values, h):
    return h / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))


def number_at(what, name):
    """The place of a parameter or a path in the scene: what holds it, and its key."""
    if name in what.get("parameters", {}):
        return what["parameters"], name
    keys = name.replace("[", ".").replace("]", "").split(".")
    for key in keys[:-1]:
        what = what[int(key)] if key.isdigit() else next(part for part in what if part["name"] == key) if isinstance(what, list) else what[key]
    return what, int(keys[-1]) if keys[-1].isdigit() else keys[-1]


def shipped(name, formulation, group, **simulation):
    what = json.loads((SCENES / f"{name}.json").read_text())
    what["group"] = group
    for body in what["bodies"]:  # the scene is run in another folder
        body.update({key: str(SCENES / value) for key, value in body.items() if str(value).endswith(".mtx")})
    what["simulation"].update(method="generalized_alpha", formulation=formulation, **TIGHT, **simulation)
    return what


def vector_of(name):
    stem, _, last = name.rpartition(".")
    return stem if last in "wxyz" else name


class Sensitivities(unittest.TestCase):
    def good(self, what, *options):
        rows = Rows(what, *options)
        self.assertEqual(rows.code, 0, rows.said)
        return rows

    # ---- answers ------------------------------------------------------------------------------------------------------------------------------

    def extrapolated(self, find, answers, steps, tolerance, what):
        """find(step) and half of it are off by c step^2: the error falls to a quarter, and what is left without that part is of a higher order."""
        coarse, fine = (find(step) for step in steps)
        worst = 0
        for key, answer in answers.items():
            before, now = coarse[key] - answer, fine[key] - answer
            left = abs(4 * fine[key] - coarse[key] - 3 * answer) / 3
            worst = max(worst, left / tolerance(key))
            print(f"  {what} {key}: off by {before:.2e}, {now:.2e}, without order 2 {left:.1e}")
            self.assertLess(abs(now), 0.3 * abs(before) + 2 * tolerance(key), key)
            self.assertLess(left, tolerance(key), key)
        return worst

    def test_slider_crank(self):
        """SUNDIALS: G, the integral of the kinetic energy over 10 s, and dG/dk, dG/dc.  Motions of about 1 rad/s, so that after order 2 about
        h^3 = 1e-7 (of the damped start) is left; Simpson's rule leaves h^4."""
        answers = REFERENCES["slider_crank"]["answers"]
        for formulation in ("index3", "ggl"):
            def find(h):
                what = copy.deepcopy(REFERENCES["slider_crank"]["scene"])
                what["simulation"] = {"method": "generalized_alpha", "formulation": formulation, "step": h, "duration": 10, **TIGHT}
                what["sensitivities"] = ["k", "c"]
                rows = self.good(what)
                signal = "energy.kinetic"
                found = {"G": rows.column(signal), "dG/dk": rows.derivative(signal, "k"), "dG/dc": rows.derivative(signal, "c")}
                return {key: simpson(values, h) for key, values in found.items()}

            self.extrapolated(find, {key: answers[key] for key in ("G", "dG/dk", "dG/dc")}, (0.005, 0.0025), lambda key: 1e-7, f"slider-crank, {formulation},")

    def test_other_methods(self):
        """The slider-crank by Radau IIA and the explicit method, to the digits of the answers that differences keep: 128 times Newton's tolerance of the
        neighbours, 1e-13, in each second of ten, or the tolerance of the steps."""
        answers = REFERENCES["slider_crank"]["answers"]
        for simulation in ({"method": "radau", "step": 0.02}, {"method": "explicit", "step": 0.02, "accuracy": {"position": 1e-9, "rotation": 1e-9}}):
            what = copy.deepcopy(REFERENCES["slider_crank"]["scene"])
            what["simulation"] = {"duration": 10, **simulation}
            what["output"] = {"step": 0.02, "signals": ["energy.kinetic"]}
            what["sensitivities"] = ["k", "c"]
            rows = self.good(what)
            for p in "kc":
                off = simpson(rows.derivative("energy.kinetic", p), 0.02) - answers[f"dG/d{p}"]
                print(f"  slider-crank, {simulation['method']}: dG/d{p} off by {off:.1e}")
                self.assertLess(abs(off), 1e-9)

    def test_caught_ball_precisely(self):
        """The event by methods of order 5 and 8: v^2/h and the stiffness as below, with h^5 = 3e-12, or the tolerance; differences are taken with 1/131072
        of the parameter, and leave 1e-16 of the state over that, 1e-9."""
        reference, names = REFERENCES["caught_ball"], ["z0", "zc", "g", "k", "c"]
        for simulation in ({"method": "radau", "step": 5e-3}, {"method": "explicit", "step": 0.02, "accuracy": {"position": 1e-10}}):
            what = copy.deepcopy(reference["scene"])
            what["simulation"] = {"duration": 1, **simulation}
            what["output"] = {"step": 1, "signals": ["ball.position.z", "ball.velocity.z"]}
            what["sensitivities"] = names
            rows = self.good(what)
            answers = reference["answers"]["derivatives of z, z' by"]
            worst = max(abs(rows.derivative(s, n)[-1] - answers[n][i]) for n in names for i, s in enumerate(("ball.position.z", "ball.velocity.z")))
            print(f"  caught ball, {simulation['method']}: all derivatives to {worst:.1e}")
            self.assertLess(worst, 1e-8)

    def test_heavy_top(self):
        """Position of a fast top against mass, lever arm and spin.  It turns by 0.075 rad in a step of 5e-4 s: of the error there, up to 1.2e-3 (mass),
        0.06 (lever arm), 3e-4 (spin), a part of about (0.075)^2 = 5.6e-3 is of a higher order than 2."""
        answers = REFERENCES["heavy_top"]["answers"]
        what = json.loads((SCENES / "heavy_top.json").read_text())
        what["parameters"] = {"m": 15, "l": 1, "spin": 150}
        what["bodies"][0].update(mass="m", position=[0, "l", 0], angular_velocity=[0, "spin", -4.61538])
        what["joints"][0]["b"]["position"] = [0, "-l", 0]
        what["sensitivities"] = ["m", "l", "spin"]
        what["output"] = {"step": 0.1, "signals": ["top.position"]}
        expected = {}
        for key, name in (("by mass", "m"), ("by lever arm", "l"), ("by spin", "spin")):
            expected.update({(name, axis, t): answers[key][f"{t} s"][i] for t in (0.1, 0.5) for i, axis in enumerate("xyz")})

        for formulation, group in (("index3", "SE3"), ("ggl", "R3xSO3")):
            def find(h):
                what["group"] = group
                what["simulation"] = {"method": "generalized_alpha", "formulation": formulation, "step": h, "duration": 0.5, **TIGHT}
                rows = self.good(what)
                return {key: rows.derivative(f"top.position.{key[1]}", key[0])[round(10 * key[2])] for key in expected}

            self.extrapolated(find, expected, (5e-4, 2.5e-4), lambda key: {"m": 7e-6, "l": 3.4e-4, "spin": 2e-6}[key[0]], f"heavy top, {formulation}, {group},")

    def test_double_pendulum(self):
        """Angles and rates after 1 s against the two lengths: rates of 14 rad/s, h = 1.25e-3: (14 h)^4 of them is 1e-7 of derivatives up to 14."""
        reference = REFERENCES["double_pendulum"]
        signals = ["shoulder.angle", "elbow.angle", "shoulder.rate", "elbow.rate"]
        expected = {(name, signal): reference["answers"][f"by {name}"]["1.0 s"][i] for name in ("L1", "L2") for i, signal in enumerate(signals)}
        for formulation in ("index3", "ggl"):
            def find(h):
                what = copy.deepcopy(reference["scene"])
                what["simulation"] = {"method": "generalized_alpha", "formulation": formulation, "step": h, "duration": 1, **TIGHT}
                what["output"] = {"step": 1, "signals": signals}
                what["sensitivities"] = ["L1", "L2"]
                rows = self.good(what)
                return {key: rows.derivative(key[1], key[0])[-1] for key in expected}

            self.extrapolated(find, expected, (1.25e-3, 6.25e-4), lambda key: 2e-5, f"double pendulum, {formulation},")

    def test_caught_ball(self):
        """An event whose time depends on where the ball begins: state at 1 s.  Stiffness and damping do not move it, and their derivatives are of order
        2.  Those of z0, zc, g are of order 1: a start is off by a multiple of h^2 that depends on the part of a step after the event, and they by its
        derivative.  v^2/h bounds that: 4.4 m/s, 60 N/m."""
        reference = REFERENCES["caught_ball"]
        h, names = 1e-3, ["z0", "zc", "g", "k", "c"]
        for formulation in ("index3", "ggl"):
            what = copy.deepcopy(reference["scene"])
            what["simulation"] = {"method": "generalized_alpha", "formulation": formulation, "step": h, "duration": 1, **TIGHT}
            what["sensitivities"] = names
            rows = self.good(what)
            for name in names:
                bound = 20 * h * h if name in "kc" else 0.1 * h
                for signal, answer in zip(("ball.position.z", "ball.velocity.z"), reference["answers"]["derivatives of z, z' by"][name]):
                    off = rows.derivative(signal, name)[-1] - answer
                    print(f"  caught ball, {formulation}, d({signal})/d({name}): off by {off:.1e}")
                    self.assertLess(abs(off), bound)

    def test_identification(self):
        """Standard deviations of four numbers that were fitted to 60 measured positions, from the derivatives and the root mean square of what is left.
        A spring turns its phase by 387 rad/s: with h = 1e-4 the method is off by (0.039)^2/12 of 116 radians, 1.5e-2, which changes the sums of squares
        of the derivatives less than that."""
        answers, names = REFERENCES["spring_identification"]["answers"], ["k1", "k2", "c1", "c2"]
        what = copy.deepcopy(REFERENCES["spring_identification"]["scene"])
        what["parameters"].update(zip(names, answers["k1, k2, c1, c2"]))
        what["simulation"] = {"method": "generalized_alpha", "step": 1e-4, "duration": 0.3, **TIGHT}
        what["output"] = {"step": 0.005, "signals": ["m1.position.x", "m2.position.x"]}
        what["sensitivities"] = names
        rows = self.good(what)
        J = []
        for name in names:
            x1, x2 = (rows.derivative(f"m{i}.position.x", name) for i in (1, 2))
            J.append([value for i in range(1, 61) for value in (x1[i], 50 * (x2[i] - x1[i]))])
        normal = [[sum(a * b for a, b in zip(p, q)) for q in J] for p in J]
        count, left = len(J[0]), answers["root mean square of what is left"]
        for name, v, answer in zip(names, inverse_diagonal(normal), answers["standard deviations"]):
            deviation = left * math.sqrt(v * count / (count - len(names)))
            print(f"  standard deviation of {name}: {deviation / answer - 1:.1e} off")
            self.assertLess(abs(deviation / answer - 1), 1.5e-2)

    def test_step_control(self):
        """Steps are not differentiated: derivatives converge with the tolerance, as the motion does."""
        answers, errors = REFERENCES["slider_crank"]["answers"], []
        for accuracy in (1e-5, 1e-6):
            what = copy.deepcopy(REFERENCES["slider_crank"]["scene"])
            what["simulation"] = {"formulation": "index3", "step": 0.1, "duration": 10, "accuracy": {"position": accuracy, "rotation": accuracy}, **TIGHT}
            what["output"].update(step=0.01, interpolate=True)
            del what["output"]["every"]
            what["sensitivities"] = ["k", "c"]
            rows = self.good(what)
            errors.append(max(abs(simpson(rows.derivative("energy.kinetic", p), 0.01) - answers[f"dG/d{p}"]) for p in "kc"))
        print(f"  dG/dk, dG/dc off by {errors[0]:.1e}, {errors[1]:.1e} with accuracies 1e-5, 1e-6")
        self.assertLess(errors[1], errors[0] / 4)
        self.assertLess(errors[1], 10 * 1e-6)  # 1 s of motion may add 1e-6 in each of 10

    # ---- whole runs ---------------------------------------------------------------------------------------------------------------------------

    def compare(self, what, parameter, part, tolerance, label):
        """Derivatives of all signals against differences of order 8 of whole runs with a change of `part` of the parameter; in parts of the largest
        derivative of the vector, or of its size over the parameter."""
        holder, key = number_at(what, parameter)
        value = holder[key]
        asked = copy.deepcopy(what)
        asked["sensitivities"] = [parameter]
        rows = self.good(asked)
        change = 2.0 ** round(math.log2(abs(value) * part))
        sums, fixed = None, [True] * len(rows.values)  # rows whose times are those of all runs: an event that stops them is not among them
        for k, weight in enumerate(EIGHTH, 1):
            for sign in (1, -1):
                holder[key] = value + sign * k * change
                near = self.good(what).values
                self.assertEqual(len(near), len(rows.values))
                fixed = [a and row[0] == own[0] for a, row, own in zip(fixed, near, rows.values)]
                sums = sums or [[0] * len(near[0]) for _ in near]
                for total, row in zip(sums, near):
                    for i, x in enumerate(row):
                        total[i] += sign * weight / change * x
        holder[key] = value
        off, size = {}, {}
        for i, name in enumerate(rows.names):
            if f"d({name})/d({parameter})" not in rows.names:
                continue
            found, vector = rows.derivative(name, parameter), vector_of(name)
            off[vector] = max(off.get(vector, 0), max(abs(a - total[i]) for a, total, same in zip(found, sums, fixed) if same))
            size[vector] = max(size.get(vector, 0), max(abs(total[i]) for total in sums), max(abs(x) for x in rows.column(name)) / abs(value))
        worst = max(off, key=lambda vector: off[vector] / (size[vector] or 1))
        part = off[worst] / (size[worst] or 1)
        print(f"  {label}: {part:.1e} in {worst} of {len(off)}")
        self.assertLess(part, tolerance, f"{label}: {worst}")

    # Rounding of positions, 2e-16, moves multipliers of index 3 by it over h^2, 1e-6 s^2 and more, and differences by 128 of it: 3e-8.  The stabilised
    # form and signals without multipliers stay far below.  A rod's axial force has the rounding of positions times its stiffness.
    WHOLE = 3e-8

    def whole(self, name, parameter, duration, part=1 / 128, both=False, tolerance=WHOLE, **simulation):
        cases = [("index3", "R3xSO3"), ("ggl", "SE3")] + ([("index3", "SE3"), ("ggl", "R3xSO3")] if both else [])
        for formulation, group in cases:
            what = shipped(name, formulation, group, duration=duration, **simulation)
            self.compare(what, parameter, part, tolerance, f"{name} by {parameter}, {formulation}, {group}")

    def test_tops(self):
        self.whole("heavy_top", "bodies.top.mass", 0.1, both=True)
        self.whole("rolling_disc", "r", 0.05)

    def test_turns(self):
        """A 128th of a fast spin, of gravity or of a lead is turns away soon: neighbouring motions come nearer."""
        self.whole("heavy_top", "bodies[0].angular_velocity[1]", 0.2, part=2**-12)
        self.whole("gear_train", "g", 0.6, part=2**-12)
        self.whole("screw_press", "pitch", 0.4, part=2**-12)

    def test_loops(self):
        self.whole("driven_four_bar", "mb", 0.25, both=True)
        self.whole("andrews_squeezer", "m1", 0.002, tolerance=1e-6)  # a step of 2e-5 s: velocities have rounding over it
        self.whole("exudyn_slider_crank", "T", 0.1)

    def test_radau(self):
        for name, parameter, duration in (("heavy_top", "bodies.top.mass", 0.05), ("driven_four_bar", "mb", 0.05), ("spaghetti_3d", "forces[0].force[0]", 0.05)):
            for group in ("R3xSO3", "SE3"):
                what = json.loads((SCENES / f"{name}.json").read_text())
                what["group"], what["simulation"] = group, {"method": "radau", "step": what["simulation"]["step"], "duration": duration, **TIGHT}
                self.compare(what, parameter, 1 / 128, self.WHOLE, f"{name} by {parameter}, radau, {group}")

    def test_redundant_rows(self):
        """Bricard's linkage has one row more than it needs, and all rows are regularised."""
        self.whole("bricard", "m", 0.2)

    def test_elements(self):
        self.whole("spaghetti_3d", "forces[0].force[0]", 0.1, both=True)
        self.whole("lateral_buckling", "d", 0.01)
        self.whole("reduced_boom", "bodies[1].mass", 0.05)
        self.whole("bridge_crossing", "bodies.trolley.mass", 0.02, tolerance=1e-5)  # the trolley moves by 1e-5 of what its rounding is a part of

    def test_forces(self):
        self.whole("friction_block", "mu", 0.2)
        self.whole("double_wishbone", "k", 0.1)
        self.whole("hover", "kt", 0.5)
        self.whole("chaplygin_sleigh", "speed", 0.5)

    def test_sticking(self):
        """Boxes that stick on each other, a ball that rolls in a groove, a rope on its drum: springs along the surfaces, which are kept from step to
        step, have derivatives, too."""
        for formulation, group in (("index3", "R3xSO3"), ("ggl", "SE3")):
            boxes = shipped("stack_of_boxes", formulation, group, duration=0.1)
            boxes["gravity"][0] = 0.8
            self.compare(boxes, "kt", 1 / 128, self.WHOLE, f"boxes on a slope by kt, {formulation}, {group}")
        self.whole("ball_in_groove", "m", 0.1)
        for formulation, group in (("index3", "R3xSO3"), ("ggl", "SE3")):  # a ball slides: its spring's end moves with it
            ball = shipped("bouncing_ball", formulation, group, step=5e-4, duration=0.1)
            ball["bodies"][0].update(position=[0, 0, "r - 1e-6"], velocity=[2, 0, 0])
            ball["forces"][0].update(friction=0.3, tangential_stiffness=1e5, tangential_damping=100)
            self.compare(ball, "forces[0].friction", 1 / 128, self.WHOLE, f"ball that slides by friction, {formulation}, {group}")
        self.assertIn("some forces stick and slip", Rows({**shipped("rope_winch", "ggl", "SE3", duration=0.1), "sensitivities": ["m"]}, "-v").said)
        self.whole("rope_winch", "m", 0.3)

    def test_controllers(self):
        """Blocks with states, sampled ones and delays: each neighbouring motion has its own."""
        what = json.loads((SCENES / "double_pendulum.json").read_text())
        blocks = {"-u": {"name": "u", "type": "sampled", "period": 0.01, "value": "5*shoulder.angle + shoulder.rate"},
                  "-5*late": {"name": "late", "type": "delay", "input": "shoulder.angle", "time": 0.05},
                  "5*x": {"state": "x", "rate": "0.3 - shoulder.angle", "initial": 0}}
        for effort, block in blocks.items():
            what["controllers"] = [block]
            what["forces"] = [{"name": "motor", "type": "coordinate_force", "coordinate": "shoulder.angle", "effort": effort}]
            for formulation in ("index3", "ggl"):
                what["simulation"] = {"step": 2e-3, "duration": 0.2, "formulation": formulation, **TIGHT}
                self.compare(what, "m", 1 / 128, self.WHOLE, f"{block.get('type', 'state')}, {formulation}")

    def test_events(self):
        """Times of events move with the parameter; differences that keep them in the same step are smaller, and their rounding larger."""
        self.whole("spaghetti_2d", "forces[0].force[0]", 2.6, part=2**-17)
        self.whole("latch", "J", 6, part=2**-17, tolerance=2e-6)
        self.whole("press", "m", 0.3, part=2**-17)
        what = copy.deepcopy(REFERENCES["caught_ball"]["scene"])
        for formulation in ("index3", "ggl"):
            what["simulation"] = {"method": "generalized_alpha", "formulation": formulation, "step": 2e-3, "duration": 1, **TIGHT}
            what["output"]["every"] = 1
            for parameter in ("z0", "g"):
                self.compare(what, parameter, 2**-17, self.WHOLE, f"caught ball by {parameter}, {formulation}")

    # ---- use ----------------------------------------------------------------------------------------------------------------------------------

    def pendulum(self, **more):
        what = json.loads((SCENES / "double_pendulum.json").read_text())
        what["simulation"]["duration"] = 0.1
        return {**what, **more}

    def test_columns(self):
        """The option is the key of the scene; sums over time have no derivatives; a run without them has the same motion, but for Newton's tolerance."""
        plain, key = self.good(self.pendulum()), self.good(self.pendulum(sensitivities=["m", "bodies.rod_1.mass"]))
        option = self.good(self.pendulum(), "--sensitivities", "m,bodies.rod_1.mass")
        self.assertEqual((option.names, option.values), (key.names, key.values))
        count = len(plain.names)
        self.assertEqual(key.names[:count], plain.names)
        with_derivatives = [name for name in plain.names[1:] if name.split(".")[-1] not in ("supplied", "dissipated", "balance", "work")]
        self.assertEqual(key.names[count:], [f"d({name})/d({p})" for p in ("m", "bodies.rod_1.mass") for name in with_derivatives])
        self.assertLess(max(abs(a - b) for p, q in zip(plain.values, key.values) for a, b in zip(p, q)), 1e-6)

    def test_units(self):
        """The same pendulum in millimetres, tonnes: derivatives have the ratio of the units, to the rounding of numbers with other digits."""
        def scene(metre, kilogram):
            what = self.pendulum(sensitivities=["m", "L"], output={"signals": ["shoulder.angle", "rod_2.position"]})
            what["simulation"] = {"step": 1e-3, "duration": 0.1, **TIGHT}
            what["parameters"] = {"m": kilogram, "L": metre, "width": 0.05 * metre}
            what["gravity"] = [0, -9.81 * metre, 0]
            return self.good(what)

        one, other = scene(1, 1), scene(1000, 1e-3)
        for signal, length in (("shoulder.angle", 0), ("rod_2.position.x", 1)):
            a, b = one.derivative(signal, "L"), [x * 1000 ** (1 - length) for x in other.derivative(signal, "L")]
            self.assertLess(max(abs(p - q) for p, q in zip(a, b)), 1e-9 * max(map(abs, a)))

    def test_going_on(self):
        """A run that goes on from its checkpoint has the bytes of one without a break."""
        with tempfile.TemporaryDirectory(prefix="sensitivities") as text:
            what = self.pendulum(sensitivities=["m", "L"])
            first = Rows(what, folder=text)
            self.assertEqual(first.code, 0, first.said)
            done = subprocess.run([TORSOR, "run", "--resume", Path(text) / "out", "-q", "--set", "simulation.duration=0.2"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            on = (Path(text) / "out" / "trajectory.csv").read_bytes()
            what["simulation"]["duration"] = 0.2
            Rows(what, folder=text)
            self.assertEqual((Path(text) / "out" / "trajectory.csv").read_bytes(), on)

    def test_messages(self):
        def refused(code, what, *words):
            rows = Rows(what)
            self.assertEqual(rows.code, code, rows.said)
            for word in words:
                self.assertIn(word, rows.said)

        refused(3, self.pendulum(sensitivities=["n"]), 'no parameter or number "n"', "sensitivities[0]")
        with tempfile.TemporaryDirectory(prefix="sensitivities") as text:
            (Path(text) / "scene.json").write_text(json.dumps(self.pendulum(sensitivities=["n"])))
            checked = subprocess.run([TORSOR, "check", Path(text) / "scene.json"], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 3)
            self.assertIn('no parameter or number "n"', checked.stderr)
        refused(3, self.pendulum(sensitivities=["m", "bodies"]), "is no number, but an array", "sensitivities[1]")
        refused(3, self.pendulum(sensitivities=["gravity"]), "gravity[0]")
        refused(3, self.pendulum(sensitivities=["gravity[0]"]), "is 0", '"scale": 0.1')
        refused(3, self.pendulum(sensitivities=["m", "m"]), "named twice")
        refused(3, self.pendulum(sensitivities=[{"scale": 1}]), "is missing")
        refused(3, self.pendulum(sensitivities=[{"parameter": "m", "scale": 0}]), "must be greater than 0")
        refused(3, self.pendulum(sensitivities=[{"parameter": "m", "size": 1}]), "size")
        refused(3, self.pendulum(sensitivities=["bodies[0].name"]), "no number")
        refused(3, self.pendulum(sensitivities=[{"parameter": "m", "scale": 200}]), "no model with m = ")
        refused(3, self.pendulum(sensitivities=["bodies[0].position[0]"]), "contradict", "bodies[0].position[0]")
        auto = self.pendulum(sensitivities=["m"])
        auto["simulation"] = {"method": "auto", "step": 1e-2, "duration": 0.1, "accuracy": {"position": 1e-6, "rotation": 1e-6}}
        refused(3, auto, 'not available with the method "auto"', "simulation.method")
        counted = self.pendulum(parameters={"m": 1, "L": 1, "width": 0.05, "n": 2}, sensitivities=["n"])
        counted["bodies"].append({"name": "row${i}", "repeat": "n", "type": "point_mass", "mass": 1})
        refused(3, counted, "no model with n = ", "whole number")
        wide = shipped("heavy_top", "ggl", "SE3")
        wide["controllers"] = [{"name": "u", "type": "sampled", "period": 0.01, "value": "pivot.force.z"}]
        refused(4, {**wide, "sensitivities": ["bodies[0].angular_velocity[1]"]}, "grown so large", '"scale"')


def inverse_diagonal(matrix):
    """The diagonal of the inverse of a symmetric positive matrix, by Gauss and Jordan."""
    n = len(matrix)
    rows = [list(row) + [float(i == k) for k in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n + i] for i in range(n)]


if __name__ == "__main__":
    unittest.main()
