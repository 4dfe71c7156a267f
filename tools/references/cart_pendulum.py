# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of cart_pendulum: Lagrange's equations of cart and angle by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_continuous_are

import forces
from common import MATHS, axes, evaluate, load_scene, output_times
from mechanism import sidecar

COLUMNS = ["t", "rail.travel", "rail.speed", "hinge.angle", "hinge.rate", "motor.effort", *axes("pole.position"), "energy.total"]


class Cart:
    def __init__(self, scene):
        known = {}
        for key, item in scene["parameters"].items():
            known[key] = evaluate(str(item), known)
        self.M, self.m, self.l, self.J, self.tilt = (known[k] for k in ("M", "m", "l", "J", "tilt"))
        self.gains, self.g = np.array([known[f"k{i}"] for i in range(1, 5)]), -scene["gravity"][2]

    def effort(self, y):
        return self.gains @ y

    def rates(self, _, y):
        x, v, a, w = y
        s, c, ml = np.sin(a), np.cos(a), self.m * self.l
        matrix = np.array([[self.M + self.m, ml * c], [ml * c, self.J + ml * self.l]])
        second = np.linalg.solve(matrix, [self.effort(y) + ml * w**2 * s, ml * self.g * s])
        return [v, second[0], w, second[1]]

    def row(self, t, y):
        x, v, a, w = y
        s, c = np.sin(a), np.cos(a)
        energy = self.M * v**2 / 2 + self.J * w**2 / 2
        energy += self.m * ((v + self.l * w * c) ** 2 + (self.l * w * s) ** 2) / 2 + self.m * self.g * self.l * c
        return [t, *y, self.effort(y), x + self.l * s, 0, self.l * c, energy]

    def check_gains(self):
        """The scene's gains are the regulator's, rounded."""
        ml = self.m * self.l
        inverse = np.linalg.inv([[self.M + self.m, ml], [ml, self.J + ml * self.l]])
        A, B = np.zeros((4, 4)), np.zeros((4, 1))
        A[0, 1] = A[2, 3] = 1
        A[[1, 3], 2] = inverse @ [0, ml * self.g]
        B[[1, 3], 0] = inverse @ [1, 0]
        P = solve_continuous_are(A, B, np.diag([10.0, 1, 100, 1]), np.array([[0.1]]))
        assert np.allclose(-(B.T @ P / 0.1)[0], self.gains, rtol=5e-3)


class Motor(forces.Load):
    def __init__(self, cart):
        self.cart = cart

    def state(self, motions):
        """Cart and angle; the hinge's axis is y."""
        cart, pole = motions
        angle = np.arctan2(pole.R[0, 2], pole.R[2, 2])
        return np.array([cart.x[0], cart.xd[0], angle, pole.w[1] - cart.w[1]])

    def wrenches(self, motions, _):
        return [(0, np.array([self.cart.effort(self.state(motions)), 0, 0]), np.zeros(3))]

    def signals(self, motions, _):
        y = self.state(motions)
        return {"rail.travel": y[0], "rail.speed": y[1], "motor.effort": self.cart.effort(y)}


def main():
    scene = load_scene("cart_pendulum")
    scene["parameters"] = {k: evaluate(str(v), MATHS) for k, v in scene["parameters"].items()}
    cart = Cart(scene)
    cart.check_gains()
    times = [float(t) for t in output_times(scene)]

    def table(tolerance):
        start = [0, 0, cart.tilt, 0]
        y = solve_ivp(cart.rates, (0, times[-1]), start, "DOP853", times, rtol=tolerance, atol=tolerance).y
        return [cart.row(t, c) for t, c in zip(times, y.T)]

    rows, check = table(1e-13), table(1e-12)
    assert np.abs(rows[-1][1:6]).max() < 0.1, "the pole stands"
    sidecar(
        "cart_pendulum",
        "cart_pendulum.py",
        "Inverted pendulum on a cart, held by state feedback",
        "own equations of motion: cart and angle (Lagrange)",
        "DOP853 at 1e-13, checked with 1e-12; the gains against the Riccati equation",
        COLUMNS,
        rows,
        check,
        forces.tables(scene, lambda s: forces.Joined(s, [Motor(cart)])),
    )


if __name__ == "__main__":
    main()
