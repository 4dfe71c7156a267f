#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits and optimisations: torsor fit, torsor optimise."""
import csv
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

TORSOR = os.environ["TORSOR"]

# A rod upright on a hinge with spring and damper, released from the horizontal: J a'' = m g l sin a - k a - c a'.
ROD = {
    "torsor": 1, "gravity": [0, 0, -9.81], "parameters": {"k": 30, "c": 0.2, "m": 2},
    "bodies": [{"name": "rod", "type": "rigid_body", "mass": "m", "inertia": [0.2, 0.2, 0.002]}],
    "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "ground", "b": {"body": "rod", "position": [0, 0, -0.5]},
                "start": {"angle": "90 deg"}}],
    "forces": [{"name": "spring", "type": "coordinate_spring", "coordinate": "hinge.angle", "stiffness": "k", "damping": "c"}],
    "simulation": {"step": 2e-3, "duration": 2}, "output": {"step": 0.02, "signals": ["hinge.angle"]},
}
VARY = {"k": {"path": "parameters.k", "unit": "N m/rad", "start": 20, "scale": 10, "from": 1, "to": 100},
        "c": {"path": "parameters.c", "unit": "N m s/rad", "start": 0.5, "scale": 0.1, "from": 0}}
DATA = {"file": "measured.csv", "signals": {"hinge.angle": {"sigma": 1e-3}}}
POINT = {
    "torsor": 1, "parameters": {"x": 0, "y": 0}, "bodies": [{"name": "ball", "type": "point_mass", "mass": 1}],
    "simulation": {"step": 1, "duration": 1, "method": "explicit"}, "output": {"signals": ["ball.position"]},
}
PLANE = {"x": {"path": "parameters.x", "start": -1, "scale": 0.5}, "y": {"path": "parameters.y", "start": 1.5, "scale": 0.5}}
NOTHING = {"end": {"final": "t"}}


def integrate(k, c, times, step=2e-3):
    """Angles of the rod by Runge and Kutta's method of order 4, whose error is below 1e-9 here."""
    def rate(a, w):
        return w, (2 * 9.81 * .5 * math.sin(a) - k * a - c * w) / .7
    a, w, found = math.pi / 2, 0., []
    for n in range(round(times[-1] / step) + 1):
        if n % round(times[0] / step) == 0 and n:
            found.append(a)
        p = rate(a, w)
        q = rate(a + step / 2 * p[0], w + step / 2 * p[1])
        r = rate(a + step / 2 * q[0], w + step / 2 * q[1])
        s = rate(a + step * r[0], w + step * r[1])
        a += step / 6 * (p[0] + 2 * q[0] + 2 * r[0] + s[0])
        w += step / 6 * (p[1] + 2 * q[1] + 2 * r[1] + s[1])
    return found


def cramer_rao(k=30, c=.2, sigma=1e-3):
    """The least standard errors of k and c and their correlation, from derivatives of another code."""
    times = [.02 * n for n in range(1, 101)]
    dk = [(b - a) / 2e-3 for a, b in zip(integrate(k - 1e-3, c, times), integrate(k + 1e-3, c, times))]
    dc = [(b - a) / 2e-4 for a, b in zip(integrate(k, c - 1e-4, times), integrate(k, c + 1e-4, times))]
    kk, kc, cc = (sum(a * b for a, b in zip(u, v)) / sigma ** 2 for u, v in ((dk, dk), (dk, dc), (dc, dc)))
    det = kk * cc - kc * kc
    return math.sqrt(cc / det), math.sqrt(kk / det), -kc / math.sqrt(kk * cc)


class Search(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def write(self, study, scene):
        (self.folder / "scene.json").write_text(json.dumps(scene))
        (self.folder / "study.json").write_text(json.dumps({"torsor_study": 1, "scene": "scene.json", **study}, indent=1))

    def measure(self, noise=0., seed=0, **values):
        """Angles of the rod, measured with an error."""
        (self.folder / "true.json").write_text(json.dumps({**ROD, "parameters": {**ROD["parameters"], **values}}))
        subprocess.run([TORSOR, "run", "-q", self.folder / "true.json", "-o", self.folder / "true"], check=True, timeout=60)
        chance = random.Random(seed)
        with open(self.folder / "true/trajectory.csv", newline="") as file:
            rows = list(csv.DictReader(file))[1:]
        self.true = [(row["t"], float(row["hinge.angle"])) for row in rows]
        (self.folder / "measured.csv").write_text("t,hinge.angle\n" + "".join(f"{t},{a + chance.gauss(0, noise) if noise else a!r}\n" for t, a in self.true))

    def call(self, verb, *arguments):
        return subprocess.run([TORSOR, verb, self.folder / "study.json", "-o", self.folder / "out", *arguments],
                              capture_output=True, text=True, timeout=300, check=False)

    def search(self, verb, study, scene, *arguments, code=0):
        self.write(study, scene)
        done = self.call(verb, "--new", "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.words = done.stderr
        return json.loads((self.folder / "out/fit.json").read_text())


class Fit(Search):
    def test_recovers(self):
        """From (20, 0.5) back to (30, 0.2); standard errors and correlation are the Cramer-Rao bound by the derivatives of another code.
        The trajectories differ by 4e-4 rad, which is 1e-3 of the angles' changes, hence 1 %."""
        self.measure()
        found = self.search("fit", {"vary": VARY, "data": DATA}, ROD)
        self.assertTrue(found["converged"])
        self.assertAlmostEqual(found["values"]["k"], 30, delta=1e-6)
        self.assertAlmostEqual(found["values"]["c"], 0.2, delta=1e-6)
        k, c, together = cramer_rao()
        print(f"errors {found['errors']} of {k:.4e}, {c:.4e}; correlation {found['correlation'][0][1]:.4f} of {together:.4f}; {found['runs']} runs")
        self.assertLess(abs(found["errors"]["k"] / k - 1), .01)
        self.assertLess(abs(found["errors"]["c"] / c - 1), .01)
        self.assertLess(abs(found["correlation"][0][1] - together), .01)
        self.assertLess(found["chi_square"], 1e-12)
        self.assertEqual(found["degrees_of_freedom"], 98)
        with open(self.folder / "out/fit.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((self.folder / "out/data.csv").read_text().split("\n")[1].split(",")[1], f"{self.true[0][1]:.17g}")
        self.assertLess(max(abs(float(row["hinge.angle"]) - a) for row, (_, a) in zip(rows, self.true)), 1e-8)

    def test_noise(self):
        """Values scatter by the errors that are given: the squares of 2 x 8 normal numbers add up to 16 within three times sqrt(2 x 16)."""
        total, chi = 0, 0
        for seed in range(8):
            self.measure(1e-3, seed)
            found = self.search("fit", {"vary": VARY, "data": DATA}, ROD)
            zk, zc = ((found["values"][n] - v) / found["errors"][n] for n, v in (("k", 30), ("c", .2)))
            r = found["correlation"][0][1]
            total += (zk * zk - 2 * r * zk * zc + zc * zc) / (1 - r * r)
            chi += found["chi_square"]
        print(f"scatter: {total:.1f} of 16, chi square {chi:.0f} of {8 * 98}")
        self.assertLess(abs(total - 16), 3 * math.sqrt(32))
        self.assertLess(abs(chi - 8 * 98), 3 * math.sqrt(2 * 8 * 98))

    def test_unknown_deviation(self):
        """Without sigma the errors come from the residuals: those of 98 degrees of freedom are off by 1/sqrt(196), times three."""
        self.measure(1e-3, 5)
        found = self.search("fit", {"vary": VARY, "data": {"file": "measured.csv", "signals": {"hinge.angle": {}}}}, ROD)
        k, c, _ = cramer_rao()
        for have, want in (found["errors"]["k"], k), (found["errors"]["c"], c):
            self.assertLess(abs(have / want - 1), 3 / math.sqrt(196))

    def test_bounds(self):
        """A bound that keeps the best value out is where the fit ends; no run is beyond it."""
        self.measure()
        vary = {"k": VARY["k"], "c": {**VARY["c"], "from": 0.25, "to": 0.8}}
        found = self.search("fit", {"vary": vary, "data": DATA}, ROD)
        self.assertAlmostEqual(found["values"]["c"], 0.25, delta=1e-6)
        self.assertGreater(found["chi_square"], 1)
        vary["c"]["from"] = 0.1
        self.assertAlmostEqual(self.search("fit", {"vary": vary, "data": DATA}, ROD)["values"]["c"], 0.2, delta=1e-6)

    def test_several_signals(self):
        """Columns by other names, an expression as a signal."""
        self.measure()
        lines = ["t,a,twice"] + [f"{t},{a!r},{2 * a!r}" for t, a in self.true]
        (self.folder / "measured.csv").write_text("\n".join(lines) + "\n")
        data = {"file": "measured.csv", "signals": {"hinge.angle": {"column": "a"}, "2*hinge.angle": {"column": "twice"}}}
        found = self.search("fit", {"vary": VARY, "data": data, "fit": {"gradient": "forward"}}, ROD)
        self.assertAlmostEqual(found["values"]["k"], 30, delta=1e-5)
        self.assertEqual(found["degrees_of_freedom"], 200 - 2)

    def test_weakest(self):
        """Stiffness, damping and mass moments give the same motion when all are doubled: the fit says so."""
        self.measure()
        vary = {"k": VARY["k"], "scaled": {"path": "parameters.s", "start": 1.5, "scale": 0.3, "from": 0.5, "to": 5}}
        scene = json.loads(json.dumps(ROD))
        scene["parameters"]["s"] = 1
        scene["bodies"][0].update(mass="m*s", inertia=["0.2*s", "0.2*s", "0.002*s"])
        scene["forces"][0]["damping"] = "c*s"
        self.search("fit", {"vary": vary, "data": DATA, "fit": {"max_runs": 200}}, scene)
        self.assertIn("k and scaled cannot be distinguished", self.words)

    def test_resume(self):
        """A fit that was killed finds the runs that it has done; the same values come, to the bit."""
        self.measure(1e-3, 1)
        study = {"vary": VARY, "data": DATA, "set": {"simulation.step": 2e-4}}
        whole = self.search("fit", study, ROD)
        process = subprocess.Popen([TORSOR, "fit", self.folder / "study.json", "-o", self.folder / "out", "--new", "-q"])
        rows = self.folder / "out/rows"
        while not (rows.exists() and sum(f.read_text().count(",ok,") for f in rows.iterdir()) > 8):
            time.sleep(.01)
        process.send_signal(signal.SIGKILL)
        process.wait(20)
        done = self.call("fit", "--resume", "--json")
        found = json.loads(done.stdout)
        self.assertEqual(found["values"], whole["values"])
        self.assertLess(found["runs"], whole["runs"] - 7)
        self.assertEqual(json.loads(self.call("fit", "--resume", "--json", "-j", "1").stdout)["runs"], 0)

    def test_failing_samples(self):
        """A step into values that cannot be run is taken back."""
        self.measure()
        scene = json.loads(json.dumps(ROD))
        scene["forces"][0]["stiffness"] = "29 + sqrt(k - 29)"  # no number below 29
        vary = {"k": {"path": "parameters.k", "start": 36, "scale": 10}}
        found = self.search("fit", {"vary": vary, "data": DATA}, scene)
        self.assertAlmostEqual(found["values"]["k"], 30, delta=1e-5)

    def test_not_converged(self):
        self.measure()
        self.write({"vary": VARY, "data": DATA, "fit": {"max_runs": 4}}, ROD)
        done = self.call("fit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("4 runs are over", done.stderr)
        self.assertFalse(json.loads((self.folder / "out/fit.json").read_text())["converged"])


class Optimise(Search):
    ROSENBROCK = "(1 - x)^2 + 100*(y - x^2)^2"

    def test_methods(self):
        """Rosenbrock's valley, to its end at (1, 1), by methods with and without derivatives.  Central differences of h = 2.3e-4 are off by
        2400 h^2/6 = 2e-5, and the valley's curvature is 0.4: 5e-5.  Exact ones leave what the tolerance does, squared by Newton's steps."""
        for method, gradient, delta in (("bobyqa", None, 1e-5), ("slsqp", "central", 1e-4), ("lbfgs", "central", 1e-4), ("neldermead", None, 1e-5),
                                        ("sbplx", None, 1e-4), ("slsqp", "exact", 1e-5), ("lbfgs", "exact", 1e-5)):
            fit = {"method": method, "max_runs": 5000, "tolerance": 1e-5 if gradient else 1e-9, **({"gradient": gradient} if gradient else {})}
            study = {"vary": PLANE, "outputs": NOTHING, "minimise": self.ROSENBROCK, "fit": fit}
            # the line search of lbfgs ends where derivatives by differences lead no further down, and says that it did not converge
            found = self.search("optimise", study, POINT, code=1 if (method, gradient) == ("lbfgs", "central") else 0)
            for name in "x", "y":
                self.assertAlmostEqual(found["values"][name], 1, delta=delta, msg=method)
            self.assertEqual(found["objective"], found["outputs"]["objective"])

    def test_constraints(self):
        """x + y is least at (-1, -1) on the disc of radius sqrt(2), and at (-0.2, sqrt(2) sin..) with a line through it."""
        for method in None, "slsqp", "isres":
            vary = {n: {**v, "from": -2, "to": 2} for n, v in PLANE.items()}
            fit = {"max_runs": 4000, "tolerance": 1e-7, **({"method": method} if method else {})}
            study = {"vary": vary, "outputs": NOTHING, "minimise": "x + y", "subject_to": ["x^2 + y^2 <= 2"], "fit": fit}
            # ISRES stops by its number of points alone
            found = self.search("optimise", study, POINT, code=1 if method == "isres" else 0)
            self.assertAlmostEqual(found["objective"], -2, delta=1e-2 if method == "isres" else 1e-6, msg=method)
            self.assertLess(found["outputs"]["constraint_1"], 1e-6)
        study.update(subject_to=["x^2 + y^2 <= 2", "x >= -0.2"], fit={"method": "cobyla", "tolerance": 1e-7})
        found = self.search("optimise", study, POINT)
        self.assertAlmostEqual(found["values"]["x"], -0.2, delta=1e-5)
        self.assertAlmostEqual(found["values"]["y"], -math.sqrt(1.96), delta=1e-5)

    def test_many_minima(self):
        """Of the minima of x^2 + y^2 + 2 - 2 cos(6 x) .. the one at 0, from a start in another one."""
        vary = {n: {"path": v["path"], "start": 2.1, "from": -3, "to": 2.5, "scale": 0.2} for n, v in PLANE.items()}
        study = {"vary": vary, "outputs": NOTHING, "minimise": "x^2 + y^2 + 4 - 2*cos(6*x) - 2*cos(6*y)"}
        near = self.search("optimise", study, POINT)
        self.assertGreater(abs(near["values"]["x"]), 1)
        many = self.search("optimise", {**study, "fit": {"starts": 40, "seed": 1}}, POINT)
        self.assertLess(max(abs(v) for v in many["values"].values()), 1e-4)
        found = self.search("optimise", {**study, "fit": {"method": "crs2", "max_runs": 3000, "tolerance": 1e-5}}, POINT)
        self.assertLess(max(abs(v) for v in found["values"].values()), 1e-3)

    def test_absorber(self):
        """Den Hartog's absorber of 1/20 of the mass.  His tuning 1/(1 + mu) makes the two fixed points of all curves as high, sqrt(1 + 2/mu);
        with Brock's damping the peaks are near them.  The least peak is found by another code, too, from the closed form of the
        amplitude; the peak is flat in the damping (its change is of order 2 but for the corner), hence looser bounds there."""
        mu = .05
        scene = {
            "torsor": 1, "parameters": {"mu": mu, "f": 1, "zeta": 0.1}, "inputs": {"push": {"value": 0, "unit": "N"}},
            "bodies": [{"name": "main", "type": "point_mass", "mass": 1}, {"name": "absorber", "type": "point_mass", "mass": "mu"}],
            "joints": [{"name": n, "type": "point_on_line", "axis": [1, 0, 0], "a": "ground", "b": b} for n, b in (("x", "main"), ("y", "absorber"))],
            "forces": [{"name": "base", "type": "coordinate_spring", "coordinate": "x.travel", "stiffness": 1},
                       {"name": "tie", "type": "coordinate_force", "coordinate": "y.travel",
                        "effort": "-mu*f^2*(y.travel - x.travel) - 2*mu*zeta*f*(y.speed - x.speed)"},
                       {"name": "back", "type": "coordinate_force", "coordinate": "x.travel",
                        "effort": "push + mu*f^2*(y.travel - x.travel) + 2*mu*zeta*f*(y.speed - x.speed)"}],
            "simulation": {"step": 0.01, "duration": 1},
            "linear": {"inputs": ["push"], "frequencies": {"from": 0.12, "to": 0.19, "count": 150, "spacing": "linear"}}}
        study = {"analysis": "response", "vary": {"f": {"path": "parameters.f", "start": 1, "from": 0.7, "to": 1.3},
                                                  "zeta": {"path": "parameters.zeta", "start": 0.05, "from": 0, "to": 0.5}},
                 "outputs": {"top": {"max": "main.position.x", "peak": "parabola"}}, "minimise": "top",
                 "fit": {"method": "neldermead", "tolerance": 1e-5}}
        found = self.search("optimise", study, scene)

        def peak(f, zeta):
            def height(g):
                a, b = f * f - g * g, 2 * zeta * f * g
                return math.sqrt((a * a + b * b) / ((a * (1 - g * g) - mu * f * f * g * g) ** 2 + (b * (1 - g * g * (1 + mu))) ** 2))
            return max(height(.75 + .45 * k / 3000) for k in range(3001))
        f, zeta, top = found["values"]["f"], found["values"]["zeta"], found["objective"]
        print(f"absorber: f {f:.6f} of {1 / (1 + mu):.6f}, zeta {zeta:.5f} of {math.sqrt(3 * mu / 8 / (1 + mu)):.5f}, peak {top:.5f}, fixed points {math.sqrt(1 + 2 / mu):.5f}")
        self.assertLess(abs(f * (1 + mu) - 1), 1e-3)
        self.assertLess(abs(zeta / math.sqrt(3 * mu / 8 / (1 + mu)) - 1), .02)
        self.assertGreater(top, math.sqrt(1 + 2 / mu) * (1 - 1e-4))
        self.assertLess(abs(top / peak(f, zeta) - 1), 1e-4)
        for df, dz in (2e-3, 0), (-2e-3, 0), (0, 6e-3), (0, -6e-3):
            self.assertGreater(peak(f + df, zeta + dz), top)


class Gradients(Search):
    """Derivatives of outputs and residuals by sensitivities of runs."""
    OUTPUTS = {
        "final": {"final": "hinge.angle"}, "initial": {"initial": "hinge.angle + k*c"}, "low": {"min": "hinge.angle"},
        "vertex": {"min": "hinge.angle", "peak": "parabola"}, "top": {"max": "hinge.rate", "from": 0.3, "peak": "parabola"},
        "far": {"abs_max": "hinge.rate"}, "range": {"range": "hinge.rate", "to": 1}, "value": {"value": "hinge.force.z", "at": 0.7123},
        "mean": {"mean": "hinge.angle", "from": "T/2", "to": "T"}, "rms": {"rms": "hinge.rate^2 + m", "from": "T/2", "to": "T"},
        "std": {"std": "hinge.angle", "from": 0.1, "to": "T"}, "integral": {"integral": "c*hinge.rate^2", "from": "T/2", "to": "T"},
        "both": {"of": "mean*far + T^2/m"},
    }
    EXTREMES = ["low", "vertex", "top", "far", "range", "both", "objective"]  # of other rows where values differ much
    NEARER = {"T": 0.25}  # no row of output is passed
    VALUES = {"k": 30., "c": 0.2, "m": 2., "T": 1.3137}

    def scene(self, **simulation):
        scene = json.loads(json.dumps(ROD))
        scene["bodies"][0]["mass"] = 2
        scene["bodies"].append({"name": "bob", "type": "point_mass", "mass": 2, "position": [1, 0, 0]})
        scene["joints"].append({"name": "pin", "type": "spherical", "a": {"body": "rod", "position": [0, 0, 0.5]}, "b": "bob"})
        scene["simulation"] |= {"rtol": 1e-12, "atol": 1e-14, **simulation}
        return scene

    def vary(self):
        paths = {"k": "parameters.k", "c": "parameters.c", "m": ["bodies[0].mass", "bodies.bob.mass"], "T": "parameters.T"}
        return {n: {"path": paths[n], "start": v, "scale": 0.3*v} for n, v in self.VALUES.items()}

    def rows(self, derivatives):
        """The last rows of the folder: those of runs, or with derivatives by the values in their order."""
        lines = [line for f in sorted((self.folder / "out/rows").iterdir()) for line in f.read_text().splitlines() if "begun" not in line]
        numbers = [[float(word) for word in next(csv.reader([line]))[5:-1]] for line in lines]
        return numbers[-derivatives:]

    def compare(self, scene, bound):
        scene["parameters"]["T"] = 1
        study = {"vary": self.vary(), "outputs": self.OUTPUTS, "minimise": "final^2 + " + " + ".join(self.OUTPUTS), "fit": {"method": "slsqp", "max_runs": 1}}
        found = self.search("optimise", study, scene, "-j", "1", code=1)
        self.assertEqual(found["differences"], {})
        self.assertEqual((found["runs"], found["derivative_runs"]), (2, 1))
        exact = self.rows(4)
        names = list(self.OUTPUTS) + ["objective"]
        self.assertEqual([len(row) for row in exact], [len(names)] * 4)
        sweep = {"vary": {n: {"path": v["path"]} for n, v in self.vary().items()}, "outputs": {**self.OUTPUTS, "objective": {"of": study["minimise"]}}}
        worst = 0
        for part, chosen in (2 ** -9, [n for n in names if n not in self.EXTREMES]), (2 ** -16, self.EXTREMES):
            want, sizes = self.difference(sweep, scene, part)
            for name in chosen:
                for j, (value, size) in enumerate(self.VALUES.items()):
                    scale = max(abs(want[j][name]), abs(sizes[name]) / size)
                    worst = max(worst, abs(exact[j][names.index(name)] - want[j][name]) / scale * (part * 512))
                    self.assertLess(abs(exact[j][names.index(name)] - want[j][name]), bound * scale / (part * 512),
                                    f"d({name})/d({value}): {exact[j][names.index(name)]!r} of {want[j][name]!r}")
        print(f"derivatives of {len(names)} outputs by 4 values: {worst:.1e}")

    def difference(self, sweep, scene, part):
        """Differences of order 8 of runs, with this part of each value, and the outputs themselves."""
        weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
        points = [{**self.VALUES, n: v * (1 + s * j * part * self.NEARER.get(n, 1))} for n, v in self.VALUES.items() for j in weights for s in (1, -1)]
        self.write({**sweep, "design": {"kind": "list", "points": [list(p.values()) for p in points]}}, scene)
        done = self.call("sweep", "--new", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out/table.csv", newline="") as file:
            table = [{n: float(w) for n, w in row.items() if n not in ("sample", "status")} for row in csv.DictReader(file)]
        return [{n: sum(w * (table[8 * j + 2 * k - 2][n] - table[8 * j + 2 * k - 1][n]) for k, w in weights.items())
                 / (v * part * self.NEARER.get(value, 1)) for n in table[0]} for j, (value, v) in enumerate(self.VALUES.items())], table[0]

    def test_outputs(self):
        """Every kind of output, by a stiffness, a damping, one mass in two bodies and a time that bounds others, against differences of order
        8 of runs: the runs are off by Newton's tolerance, 1e-12, and their differences by 1e-12 512 = 5e-10 of an output over the value.
        Extremes are those of the same rows in a neighbourhood of 1e-4 only, where rounding is 128 times as large."""
        self.compare(self.scene(), 1e-9)

    def test_other_methods(self):
        """The same with runs beside the run: radau."""
        self.compare(self.scene(method="radau", step=0.02), 1e-9)

    def test_fewer_runs(self):
        """A fit by exact derivatives asks for fewer points, and finds the same, whatever the number of processes."""
        self.measure(1e-3, 3)
        found = [self.search("fit", {"vary": VARY, "data": DATA, "fit": fit}, ROD, *more) for fit, more in
                 (({"gradient": "central"}, ()), ({}, ("-j", "1")), ({"gradient": "exact"}, ("-j", "3")))]
        print(f"runs: {found[0]['runs']} by differences, {found[1]['runs']} by derivatives, of which {found[1]['derivative_runs']} have them")
        self.assertLess(found[1]["runs"], found[0]["runs"])
        self.assertEqual(found[0]["derivative_runs"], 0)
        self.assertEqual(found[1], found[2])
        for name, error in found[1]["errors"].items():
            # differences with h = 4.6e-4 of the scale are off by h^2/6 of the third derivatives, which are of the size of the first
            self.assertAlmostEqual(found[0]["values"][name], found[1]["values"][name], delta=1e-4 * error)

    def test_differences_are_said(self):
        """Where there is no derivative, differences are taken by that value alone, and a warning says why."""
        outputs = {"down": {"time_of": "hinge.angle"}, "end": {"final": "hinge.angle"}, "late": {"value": "hinge.angle", "at": "c*2"}}
        fit = {"method": "slsqp", "max_runs": 6}

        def derive(minimise, change=None, vary=None, **more):
            scene = json.loads(json.dumps(ROD))
            if change:
                change(scene)
            found = self.search("optimise", {"vary": vary or VARY, "outputs": outputs, "minimise": minimise, "fit": fit, **more}, scene, code=1)
            for name, why in found["differences"].items():
                self.assertIn(f"derivatives by {name} are differences of runs: {why}", self.words)
            return found["differences"]
        self.assertEqual(derive("end + k/1e3"), {})
        self.assertEqual(derive("down"), dict.fromkeys("kc", '"time_of" of the output down has no derivative'))
        self.assertEqual(derive("late"), {"c": 'the time "at" of the output late moves with c'})

        def loosen(scene):
            scene["simulation"]["rtol"] = "k*1e-9"
        self.assertRegex(derive("end + (c - 0.3)^2", loosen)["k"], "no model with parameters.k.*the simulation itself changes with it")
        self.assertIn("must be 0 or greater", derive("end", vary={**VARY, "c": {**VARY["c"], "start": 1e-6}})["c"])

        def rub(scene):
            scene["forces"].append({"name": "rub", "type": "friction", "coordinate": "hinge.angle", "coulomb": 0.1, "stick_stiffness": 1000, "stick_damping": 1})
        self.assertIn("stick and slip", derive("end", rub)["k"])

        def chosen(scene):
            scene["simulation"] = {"method": "auto", "accuracy": {"position": 1e-6, "rotation": 1e-6}, "duration": 2}
        self.assertIn('not available with the method "auto"', derive("end", chosen)["c"])


class Messages(Search):
    def refuse(self, verb, change, *words, code=3):
        self.measure()
        study = {"vary": json.loads(json.dumps(VARY)), "data": json.loads(json.dumps(DATA))}
        for path, value in change.items():
            holder = study
            *steps, last = path.split("/")
            for step in steps:
                holder = holder[step]
            holder[last] = value
            if value is None:
                del holder[last]
        self.write(study, ROD)
        done = self.call(verb, "--new")
        self.assertEqual(done.returncode, code, f"{change}: {done.stdout} {done.stderr}")
        for word in words:
            self.assertIn(word, done.stderr, str(change))

    def test_fit(self):
        self.refuse("fit", {"data": None, "outputs": NOTHING, "vary/k/count": 3}, 'no "data"', "e.g.")
        self.refuse("optimise", {}, 'nothing to "minimise"', "`torsor fit`")
        self.refuse("fit", {"minimise": "k", "outputs": NOTHING}, "not both")
        self.refuse("fit", {"data/signals": {"hinge.angel": {}}}, 'no column "hinge.angel"', 'did you mean "hinge.angle"')
        self.refuse("fit", {"data/signals": {"hinge.angel": {"column": "hinge.angle"}}}, "hinge.angel", "study.json:")
        self.refuse("fit", {"data/file": "nowhere.csv"}, "nowhere.csv", code=5)
        self.refuse("fit", {"data/signals/hinge.angle": {"sigma": 0}}, "sigma")
        self.refuse("fit", {"vary/k/start": None}, 'needs "start"')
        self.refuse("fit", {"vary/k/start": 100}, 'between "from" and "to"')
        self.refuse("fit", {"fit": {"method": "bobyqa"}}, "levenberg_marquardt, not by bobyqa")
        self.refuse("fit", {"fit": {"methode": "x"}}, 'did you mean "method"')
        self.refuse("fit", {"fit": {"starts": 3}}, 'needs "from" and "to"')
        self.refuse("fit", {"subject_to": ["k <= 3"]}, 'needs "minimise"')
        self.refuse("fit", {"set": {"simulation.duration": 1}}, "reaches all measured times", "--check", code=4)
        (self.folder / "measured.csv").write_text("t,hinge.angle\n1,0\n0.5,1\n")
        self.measure = lambda: None
        self.refuse("fit", {}, "must ascend")

    def test_optimise(self):
        def refuse(change, *words):
            study = {"data": None, "outputs": {"top": {"max": "hinge.angle"}}, "minimise": "top", **change}
            self.refuse("optimise", study, *words)
        refuse({"minimise": "topp"}, 'did you mean "top"', "minimise")
        refuse({"subject_to": ["top"]}, "one inequality", "subject_to[0]")
        refuse({"subject_to": ["top <= 3", "k < c"]}, "subject_to[1]")
        refuse({"subject_to": ["top <= q"]}, "subject_to[0]", "q")
        refuse({"subject_to": ["top <= 3"], "fit": {"method": "bobyqa"}}, 'takes no "subject_to"')
        refuse({"fit": {"method": "crs2"}}, 'needs "from" and "to"')
        refuse({"fit": {"method": "levenberg_marquardt"}}, "is for data")
        refuse({"analysis": "response"}, "response")
        refuse({"analysis": "response", "outputs": {"top": {"time_of": "hinge.angle"}}}, "does not go with the analysis")


if __name__ == "__main__":
    unittest.main(verbosity=2)
