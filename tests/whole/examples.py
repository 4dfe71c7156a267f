#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs what examples/ holds and compares it with solutions that owe nothing to the library.

Environment: TORSOR (the command), TORSOR_EXAMPLES (folder of the built examples), TORSOR_DATA.
"""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILT = pathlib.Path(os.environ["TORSOR_EXAMPLES"])
DATA = pathlib.Path(os.environ.get("TORSOR_DATA", SOURCE / "data"))
EPS = 2.220446049250313e-16
GRAVITY = 9.81


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def simulate(name, *words):
    """Rows of the trajectory of examples/NAME.json with its plug-in, as dictionaries."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(os.environ["TORSOR"], "run", "-q", "--plugin", BUILT / f"{name}_joint.so", "-o",
                   folder, *words, SOURCE / "examples" / f"{name}.json")
        assert done.returncode == 0, done.stderr
        with open(os.path.join(folder, "trajectory.csv"), newline="") as file:
            return [{key: float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]


def largest_error(rows, exact, *columns):
    """Largest distance of the columns from those of exact(t), a dictionary."""
    return max(math.dist([row[c] for c in columns], [exact(row["t"])[c] for c in columns])
               for row in rows)


class Example(unittest.TestCase):
    def second_order(self, label, coarse, fine):
        """The error of half the step is a quarter, up to the next term of the series: at the steps
        of these scenes h times a frequency is below 0.05, so 10 % is generous."""
        print(f"  {label}: error {coarse:.3g}, at half the step {fine:.3g}, ratio {coarse / fine:.3f}")
        self.assertGreater(coarse / fine, 3.6)
        self.assertLess(coarse / fine, 4.4)


class Sleeve(Example):
    """Along the rod: free fall with g sin(slope).  About it: a pendulum, integrated here."""
    SLOPE, MASS, ARM, SPIN = math.pi / 6, 2, 0.1, 12
    INERTIA = (0.05 * math.cos(SLOPE) ** 2 + 0.04 * math.sin(SLOPE) ** 2) + MASS * ARM ** 2

    def acceleration(self, angle):
        return (-self.MASS * GRAVITY * self.ARM * math.cos(self.SLOPE) * math.cos(angle)
                / self.INERTIA)

    def pendulum(self, end, steps):
        """(angle, rate) at `steps` + 1 times by the Runge-Kutta method of order 4; 40 steps of 0.25 ms
        an output time leave an error of about (14/s 0.25 ms)^4 = 1e-10 a second."""
        state, table, inner = (0.0, self.SPIN), [], 40
        h = end / steps / inner
        for n in range(steps + 1):
            table.append(state)
            for _ in range(inner):
                stages = []
                for c in (0, 0.5, 0.5, 1):
                    moved = [s + c * h * k for s, k in zip(state, stages[-1] if stages else (0, 0))]
                    stages.append((moved[1], self.acceleration(moved[0])))
                state = tuple(s + h / 6 * (a + 2 * b + 2 * c + d)
                              for s, a, b, c, d in zip(state, *stages))
        return table

    def exact(self, t):
        angle, rate = self.table[round(t / 0.01)]
        turning, sin, cos = self.acceleration(angle), math.sin(self.SLOPE), math.cos(self.SLOPE)
        # Centre of mass: along the rod n, and in the plane of y and n x y about it.
        along = GRAVITY * sin
        y = self.ARM * (-rate ** 2 * math.cos(angle) - turning * math.sin(angle))
        w = self.ARM * (-rate ** 2 * math.sin(angle) + turning * math.cos(angle))
        return {"rod.travel": along * t * t / 2, "rod.angle": angle, "rod.rate": rate,
                "rod.force.x": self.MASS * (along * cos + w * sin),
                "rod.force.y": self.MASS * y,
                "rod.force.z": self.MASS * (-along * sin + w * cos + GRAVITY)}

    def test_sleeve(self):
        self.table = self.pendulum(2, 200)
        coarse = simulate("sleeve")
        fine = simulate("sleeve", "--set", "simulation.step=5e-4", "--set", "output.every=20")
        self.assertEqual(len(coarse), 201)
        self.assertEqual(len(fine), 201)
        # The method is exact for a constant acceleration: a rounding of the position a step is left.
        travel, bound = largest_error(coarse, self.exact, "rod.travel"), 2000 * EPS * 2 * GRAVITY
        print(f"  travel: error {travel:.3g}, bound {bound:.3g}")
        self.assertLess(travel, bound)
        self.assertGreater(max(row["rod.angle"] for row in coarse), 3 * 2 * math.pi)
        for columns in ("rod.angle",), ("rod.rate",), ("rod.force.x", "rod.force.y", "rod.force.z"):
            self.second_order(columns[0], largest_error(coarse, self.exact, *columns),
                              largest_error(fine, self.exact, *columns))


class Helix(Example):
    """The slope of the wire is the same everywhere: all is in closed form."""
    RADIUS, RISE, MASS = 0.5, 2 / (2 * math.pi), 0.1

    def exact(self, t):
        r, k = self.RADIUS, self.RISE
        turning = -GRAVITY * k / (r * r + k * k)
        angle, rate = turning * t * t / 2, turning * t
        sin, cos = math.sin(angle), math.cos(angle)
        return {"wire.travel": angle * math.hypot(r, k),
                "bead.position.x": r * cos, "bead.position.y": r * sin, "bead.position.z": k * angle,
                "wire.force.x": self.MASS * r * (-rate ** 2 * cos - turning * sin),
                "wire.force.y": self.MASS * r * (-rate ** 2 * sin + turning * cos),
                "wire.force.z": self.MASS * (k * turning + GRAVITY)}

    def test_helix(self):
        coarse = simulate("helix", "--set", "simulation.step=2e-3", "--set", "output.every=5")
        fine = simulate("helix")
        self.assertEqual(len(coarse), 101)
        self.assertEqual(len(fine), 101)
        for columns in (("wire.travel",), ("bead.position.x", "bead.position.y", "bead.position.z"),
                        ("wire.force.x", "wire.force.y", "wire.force.z")):
            self.second_order(columns[0], largest_error(coarse, self.exact, *columns),
                              largest_error(fine, self.exact, *columns))


class HeavyTop(Example):
    COLUMNS = "top.position.z", "pivot.force.z"

    def rows(self, *words):
        done = run(BUILT / "heavy_top", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], ["t", *self.COLUMNS])
        self.assertEqual(len(lines), 13)
        return [dict(zip(("t", *self.COLUMNS), map(float, line))) for line in lines[1:-1]]

    def test_heavy_top(self):
        """Against the reference in closed form and Taylor series that verifies the shipped scene."""
        reference = {}
        with open(DATA / "reference" / "heavy_top.csv", newline="") as file:
            for row in csv.DictReader(file):
                reference[round(float(row["t"]), 6)] = {c: float(row[c]) for c in self.COLUMNS}
        exact = lambda t: reference[round(t, 6)]
        allowed = json.loads((DATA / "reference" / "heavy_top.json").read_text())["tolerance"]
        coarse = self.rows()
        fine = self.rows("simulation.step=5e-4", "output.every=200")
        for column in self.COLUMNS:
            error = largest_error(coarse, exact, column)
            self.assertLess(error, allowed[column.rsplit(".", 1)[0]]["value"])
            self.second_order(column, error, largest_error(fine, exact, column))

    def test_errors(self):
        done = run(BUILT / "heavy_top", "bodies.top.mass=-1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("must be greater than 0", done.stderr)


class PendulumProblem(Example):
    def test_orders(self):
        """Order 2 within 0.1; the reference at an eighth of the last step adds 0.02."""
        done = run(BUILT / "pendulum_problem")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual([line[0] for line in lines if len(line) == 1], ["index3", "ggl"])
        last = [line for line in lines if line[0] == "400"]
        self.assertEqual(len(last), 2)
        for _, _, order_q, _, order_lambda in last:
            print(f"  orders of q and lambda: {order_q}, {order_lambda}")
            self.assertAlmostEqual(float(order_q), 2, delta=0.1)
            self.assertAlmostEqual(float(order_lambda), 2, delta=0.1)


def integrate(rates, state, t0, t1, steps):
    """The classical method of Runge and Kutta, of order 4; every state on the way."""
    h = (t1 - t0) / steps
    way = [state]
    for n in range(steps):
        t = t0 + n * h
        a = rates(t, state)
        b = rates(t + h / 2, [x + h / 2 * y for x, y in zip(state, a)])
        c = rates(t + h / 2, [x + h / 2 * y for x, y in zip(state, b)])
        d = rates(t + h, [x + h * y for x, y in zip(state, c)])
        state = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(state, a, b, c, d)]
        way.append(state)
    return way


def program(name, *words):
    done = run(BUILT / name, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", text)]


class Runs(unittest.TestCase):
    """Programs that lead a run, beside motions that are integrated here.  Their steps of 1e-3 s leave errors of about (h w)^2/12 of the
    motion in each oscillation, w = 4 rad/s: 2e-6 of it; bounds are ten times that, of numbers that the programs print."""

    def pendulum(self, torque):
        # 2 kg at 0.5 m, 0.2 kg m^2 about the centre
        return lambda t, x: [x[1], (torque(t) - 2 * GRAVITY * 0.5 * math.sin(x[0])) / 0.7]

    def test_threads(self):
        for line in program("threads").splitlines():
            torque, largest = numbers(line)
            way = integrate(self.pendulum(lambda t: torque), [0, 0], 0, 0.501, 501)
            way += integrate(self.pendulum(lambda t: 0), way[-1], 0.501, 2, 1499)
            want = max(abs(x[0]) for x in way)
            print(f"  {torque} N m: {largest:.9f} rad, off by {largest - want:.2g}")
            self.assertAlmostEqual(largest, want, delta=2e-5 * want)

    def test_checkpoint(self):
        _, found = numbers(program("checkpoint"))[:2]
        start = integrate(self.pendulum(lambda t: 0), [0, 3], 0, 1, 1000)[-1]

        def over(torque):
            way = integrate(self.pendulum(lambda t: torque), start, 0, 0.4, 400)
            way += integrate(self.pendulum(lambda t: 0), way[-1], 0.4, 2, 1600)
            return any(abs(x[0]) > math.pi for x in way)

        low, high = 0, 60
        while high - low > 1e-5:
            middle = (low + high) / 2
            low, high = (low, middle) if over(middle) else (middle, high)
        print(f"  over the top from {found} N m on, {high:.4f} by integration here")
        self.assertAlmostEqual(found, high, delta=2e-3)

    def test_controller(self):
        # cart 1 kg; pole 0.1 kg, centre at 0.5 m, 0.0083 kg m^2: M (x'', a'') = forces
        M, m, l, J = 1, 0.1, 0.5, 0.0083
        state = [0, 0, 0.1, 0]  # travel, speed, angle, rate
        want = {}
        for i in range(300):
            if i % 50 == 0:
                want[round(i * 0.01, 1)] = (state[2], state[0])
            push = 40 * state[2] + 9 * state[3] + state[0] + 2.5 * state[1]

            def rates(t, y):
                s, c = math.sin(y[2]), math.cos(y[2])
                a, b, d = M + m, m * l * c, J + m * l * l
                f, g = push + m * l * s * y[3] ** 2, m * GRAVITY * l * s
                determinant = a * d - b * b
                return [y[1], (d * f - b * g) / determinant, y[3], (a * g - b * f) / determinant]
            state = integrate(rates, state, 0, 0.01, 10)[-1]
        for line in program("controller").splitlines():
            t, angle, travel = numbers(line)
            print(f"  t = {t}: off by {angle - want[t][0]:.2g} rad, {travel - want[t][1]:.2g} m")
            self.assertAlmostEqual(angle, want[t][0], delta=2e-5)
            self.assertAlmostEqual(travel, want[t][1], delta=2e-5)

    def test_cosimulation(self):
        lines = program("cosimulation").splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines[1:]:
            print(" ", line)
            self.assertAlmostEqual(numbers(line)[-1], 2, delta=0.1)

    def test_hello(self):
        angle = numbers(program("hello"))[0]
        want = integrate(self.pendulum(lambda t: 0), [0, 3], 0, 2, 2000)[-1][0]
        print(f"  C++: {angle} rad, off by {angle - want:.2g}")
        self.assertAlmostEqual(angle, want, delta=2e-5)

    def test_pendulum(self):
        angle = numbers(program("pendulum"))[0]
        self.assertEqual(angle, numbers(program("hello"))[0])
        lines = (SOURCE / "examples/pendulum.c").read_text().splitlines()
        print(f"  {angle} rad; {len(lines)} lines")

    def test_optimise(self):
        """T = 4 sqrt(I/(m g L)) K(sin(a/2)) at a = pi/2, K by the arithmetic-geometric mean."""
        length, period = numbers(program("optimise"))
        a, b = 1, math.cos(math.pi / 4)
        while abs(a - b) > EPS:
            a, b = (a + b) / 2, math.sqrt(a * b)
        exact = 4 * math.sqrt((length ** 2 + 1e-3) / (GRAVITY * length)) * math.pi / 2 / a
        print(f"  L = {length} m: {period} s, exact {exact:.6f}")
        self.assertAlmostEqual(exact, 2, delta=2e-5)

    def test_user_force(self):
        """A point on a sphere of radius L about the hook, under gravity and the magnet; the small body turns with the string."""
        hook, start, L2 = [0, 0, 1.2], [0.5, 0, 0.3], 0.25 + 0.81
        mass, J, strength = 1, 0.01, 0.05

        def acceleration(t, y):
            p, v = y[:3], y[3:]
            r = math.sqrt(sum(x * x for x in p))
            f = [-strength * x / r ** 5 for x in p]
            f[2] -= mass * GRAVITY
            n = [a - b for a, b in zip(p, hook)]
            # inertia about the hook in all directions across the string: m L^2 + J
            share = mass * L2 / (mass * L2 + J)
            along = sum(a * b for a, b in zip(f, n)) / L2
            speed = sum(x * x for x in v)
            return v + [share * (a - along * b) / mass - speed * b / L2 for a, b in zip(f, n)]

        state, want = start + [0, 0.4, 0], {0.0: start[:2]}
        for i in range(5):
            state = integrate(acceleration, state, 0, 0.2, 400)[-1]
            want[round(0.2 * (i + 1), 1)] = state[:2]
        for line in program("user_force").splitlines():
            t, x, y = numbers(line)[:3]
            off = max(abs(x - want[t][0]), abs(y - want[t][1]))
            print(f"  t = {t}: off by {off:.2g} m")
            self.assertLess(off, 2e-5)

    def test_user_joint(self):
        """Through the lowest point with the energy of the fall; the end of a step is within h v^2/(2 curvature) of it."""
        lowest, speed = numbers(program("user_joint"))
        print(f"  lowest {lowest}, speed {speed}, {math.sqrt(2 * GRAVITY):.6f} by the energy")
        self.assertAlmostEqual(lowest, -1, delta=2e-6)
        self.assertAlmostEqual(abs(speed), math.sqrt(2 * GRAVITY), delta=1e-4)

    def test_plugin_of_callbacks(self):
        scene = {"torsor": 1, "gravity": [0, 0, -9.81], "bodies": [
            {"name": "bead", "type": "rigid_body", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [2, 0, 0]}],
            "joints": [{"name": "wire", "type": "user_joint", "a": "ground", "b": "bead", "constraint": "ellipse", "rows": 2}],
            "simulation": {"step": 1e-3, "duration": 0.1}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bead.json"
            path.write_text(json.dumps(scene))
            done = run(os.environ["TORSOR"], "run", "-q", "--plugin", BUILT / "user_joint_plugin.so", "-o", folder + "/out", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            without = run(os.environ["TORSOR"], "run", "-q", "-o", folder + "/out2", path)
            self.assertEqual(without.returncode, 3)
            print(" ", without.stderr.strip())
            self.assertIn("--plugin", without.stderr)
            described = run(os.environ["TORSOR"], "describe", "--plugin", BUILT / "user_joint_plugin.so", "user_joint")
            self.assertIn("constraint", described.stdout)

    def test_pendulum_json(self):
        scene = DATA / "scenes" / "cart_pendulum.json"
        rows = [numbers(line) for line in program("pendulum_json", scene).splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            done = run(os.environ["TORSOR"], "run", "-q", "-o", folder, "--set", "output.every=50", scene)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "trajectory.csv"), newline="") as file:
                want = {round(float(r["t"]), 1): float(r["hinge.angle"]) for r in csv.DictReader(file)}
        self.assertGreaterEqual(len(rows), 40)
        for t, angle in rows:
            self.assertAlmostEqual(angle, want[t], delta=1e-14)
        wrong = run(BUILT / "pendulum_json", scene, "hinge.angel")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("hinge.angle", wrong.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
