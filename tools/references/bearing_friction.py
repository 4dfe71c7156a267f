# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of bearing_friction: one angle by DOP853; the friction depends on the reaction, so on the acceleration."""

import numpy as np
from scipy.integrate import solve_ivp

from common import axes, evaluate, load_scene, output_times
from mechanism import MATHS, Planar, PlanarRecorder, sidecar, tables

COLUMNS = (
    ["t", "bearing.angle", "bearing.rate"]
    + [c for s in ("rod.position", "bearing.force") for c in axes(s)]
    + ["rub.effort", "energy.total"]
)
CONVERGED = 1e-15  # relative, of a fixed point that contracts by about coefficient x radius / arm


def law(scene):
    rub = scene["forces"][0]
    return float(rub["coefficient"]) * float(rub["radius"]), float(rub["rate_width"])


def rub(arm, width, force, rate):
    return -arm * np.linalg.norm(force) * np.tanh(rate / width)


class Pendulum:
    """Angle from the x axis about the pivot; equations of motion written out by hand."""

    def __init__(self, scene):
        known = {k: float(v) for k, v in scene["parameters"].items()}
        self.m, self.l, self.g = known["m"], known["arm"], -scene["gravity"][1]
        self.J = scene["bodies"][0]["inertia"][2] + self.m * self.l**2
        self.arm, self.width = law(scene)

    def force(self, angle, rate, second):
        """Return the force and moment of the bearing on the rod."""
        out, turned = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        return self.m * (self.l * (second * turned - rate**2 * out) + np.array([0, self.g]))

    def acceleration(self, angle, rate):
        drive = -self.m * self.g * self.l * np.cos(angle)
        second = drive / self.J
        for _ in range(100):
            effort = rub(self.arm, self.width, self.force(angle, rate, second), rate)
            before, second = second, (drive + effort) / self.J
            if abs(second - before) <= CONVERGED * (1 + abs(second)):
                return second, effort
        raise ArithmeticError("the friction does not settle")

    def solve(self, times, tolerance):
        ode = lambda t, y: [y[1], self.acceleration(*y)[0]]
        y = solve_ivp(ode, (0, times[-1]), [0, 0], "DOP853", times, rtol=tolerance, atol=tolerance).y
        rows = []
        for t, angle, rate in zip(times, *y):
            second, effort = self.acceleration(angle, rate)
            x = self.l * np.array([np.cos(angle), np.sin(angle)])
            energy = self.J * rate**2 / 2 + self.m * self.g * x[1]
            rows.append([t, angle, rate, *x, 0, *self.force(angle, rate, second), 0, effort, energy])
        return rows


class RubbedPlanar(Planar):
    """The body in the plane with its multipliers, on which the friction acts."""

    def __init__(self, scene):
        rubless = dict(scene, forces=[])
        super().__init__(rubless)
        self.arm, self.width = law(scene)

    def rub(self, v, lam):
        return np.array([0, 0, rub(self.arm, self.width, lam, v[2])])

    def residual(self, q, v, a, lam):
        r, phi = super().residual(q, v, a, lam)
        return r - self.rub(v, lam), phi

    def accelerations(self, q, v):
        S, f, _ = self.saddle(q, v)
        x = np.linalg.solve(S, f)
        for _ in range(100):
            before, load = x, f.copy()
            load[: self.n] += self.rub(v, x[self.n :])
            x = np.linalg.solve(S, load)
            if np.abs(x - before).max() <= CONVERGED * np.abs(x).max():
                break
        return x[: self.n], x[self.n :]

    def recorder(self):
        return RubbedRecorder(self)


class RubbedRecorder(PlanarRecorder):
    def __call__(self, q, v, vd, lam):
        out = super().__call__(q, v, vd, lam)
        out.update(zip(axes("bearing.force"), (-lam[0], -lam[1], 0.0)))
        out["rub.effort"] = self.system.rub(v, lam)[2]
        return out


def main():
    scene = load_scene("bearing_friction")
    scene["parameters"] = {k: evaluate(str(v), MATHS) for k, v in scene["parameters"].items()}
    times = [float(t) for t in output_times(scene)]
    pendulum = Pendulum(scene)
    rows, check = (pendulum.solve(times, tolerance) for tolerance in (1e-13, 1e-12))
    sidecar(
        "bearing_friction",
        "bearing_friction.py",
        "Pendulum in a dry bearing whose friction follows its force",
        "own equations of motion: angle and, by a fixed point, the friction that depends on the reaction",
        "DOP853 at 1e-13, checked with 1e-12",
        COLUMNS,
        rows,
        check,
        tables(scene, RubbedPlanar),
    )


if __name__ == "__main__":
    main()
