# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of whipple_bicycle: the accelerations of the four bodies under all constraints by DOP853.

For small motions they are held against the published linear equations M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 of lean
and steer angle.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import mechanism
from common import MATHS, axes, load_scene, output_times
from galpha import quaternion_product, reader
from rolling import DiscContact, contact_signals

ROADS = {"rear_wheel": ("rear_road", "rR"), "front_wheel": ("front_road", "rF")}
COLUMNS = (
    ["t", *axes("frame.position"), *axes("frame.quaternion", "wxyz"), *axes("frame.velocity")]
    + [*axes("frame.angular_velocity"), "steer.angle", "steer.rate"]
    + [c for road, _ in ROADS.values() for c in contact_signals(road, np.zeros(3), np.zeros(3))]
    + ["energy.total"]
)
# of lean (to the right) and steer angle (to the right)
MASS = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
DAMPING = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
STIFFNESS_0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
STIFFNESS_2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])


class Bicycle(mechanism.Mechanism):
    def __init__(self, scene):
        self.contacts = []
        hinges = [j for j in scene["joints"] if j["type"] == "revolute"]
        super().__init__({**scene, "joints": hinges})
        p, names = reader({**MATHS, **scene["parameters"]}), [b.name for b in self.bodies]
        self.contacts = [
            (names.index(body), road, DiscContact(p(radius), [0, 1, 0])) for body, (road, radius) in ROADS.items()
        ]
        self.m += 3 * len(self.contacts)

    def constraints(self, motions):
        blocks = [super().constraints(motions)]
        for index, _, contact in self.contacts:
            value, J, rate = contact.evaluate(motions[index])
            B = np.zeros((3, self.n))
            B[:, self.bodies[index].dof] = self.bodies[index].project(J, motions[index].R)
            blocks.append((value, B, rate))
        return [np.concatenate(part) for part in zip(*blocks)]

    def saddle(self, nodes, v):
        """The gradient of positions, the last, is zero in the nonholonomic rows."""
        S, f, B = super().saddle(nodes, v)
        held = np.ones(self.m)
        for first in range(self.rows, self.m, 3):
            held[first + 1 : first + 3] = 0
        return S, f, B * held[:, None]

    def recorder(self):
        return Recorder(self)


class Recorder(mechanism.Recorder):
    def __call__(self, nodes, v, vd, lam):
        system = self.system
        out = super().__call__(nodes, v, vd, lam[: system.rows])
        motions = system.motions(nodes, v, vd)
        for k, (index, road, contact) in enumerate(system.contacts):
            s, (push, *rub) = motions[index], -lam[system.rows + 3 * k : system.rows + 3 * k + 3]
            out |= contact_signals(road, s.x + contact.arm(s), [*rub, push])
        return out


class Flow:
    """x, quaternion per body and velocities as one vector; velocities inertial, angular velocities in body axes."""

    def __init__(self, scene):
        self.system = Bicycle(scene)
        self.count = len(self.system.bodies)

    def pack(self, nodes, v):
        return np.concatenate([c for node in nodes for c in node] + [v])

    def unpack(self, y):
        parts = y[: 7 * self.count].reshape(-1, 7)
        return [(c[:3], c[3:] / np.linalg.norm(c[3:])) for c in parts], y[7 * self.count :]

    def rate(self, _, y):
        nodes, v = self.unpack(y)
        parts = v.reshape(-1, 6)
        moving = [
            np.concatenate((w[:3], quaternion_product(p, np.concatenate(([0.0], w[3:]))) / 2)) for (_, p), w in zip(nodes, parts)
        ]
        return np.concatenate([*moving, self.system.accelerations(nodes, v)[0]])

    def solve(self, times, tolerance):
        grid = [float(t) for t in times]
        flow = solve_ivp(self.rate, (0, grid[-1]), self.pack(*self.system.start()), "DOP853", grid, rtol=tolerance, atol=tolerance)
        return [self.unpack(y) for y in flow.y.T]


def table(scene, times, tolerance):
    """Rows, and how far the constraints have been left."""
    flow = Flow(scene)
    record, rows, left = flow.system.recorder(), [], 0.0
    for t, (nodes, v) in zip(times, flow.solve(times, tolerance)):
        vd, lam = flow.system.accelerations(nodes, v)
        row = record(nodes, v, vd, lam)
        rows.append([float(t), *(row[c] for c in COLUMNS[1:])])
        left = max(left, abs(flow.system.constraints(flow.system.motions(nodes, v, vd))[0]).max())
    return rows, left


def linear(speed, rates, times):
    """Lean and steer angle from rest with the given rates, by the published equations; eigenvalues of these."""
    inverse = np.linalg.inv(MASS)
    A = np.block(
        [
            [np.zeros((2, 2)), np.eye(2)],
            [-inverse @ (9.81 * STIFFNESS_0 + speed**2 * STIFFNESS_2), -inverse @ (speed * DAMPING)],
        ]
    )
    return [(expm(A * t) @ [0, 0, *rates])[:2] for t in times], np.linalg.eigvals(A)


def compare_linear(scene, speed, push):
    """Largest difference of lean and steer angle to the linear ones relative to the largest lean."""
    small = {**scene, "parameters": {**scene["parameters"], "v": speed, "push": push}}
    times = np.arange(21) / 10
    rows, _ = table(small, times, 2.3e-14)
    exact, eigenvalues = linear(speed, [push, 0], times)
    at = COLUMNS.index("frame.quaternion.w")
    worst = 0.0
    for row, (lean, steer) in zip(rows, exact):
        w, x, y, z = row[at : at + 4]
        worst = max(worst, abs(np.arcsin(2 * (y * z + w * x)) - lean), abs(-row[COLUMNS.index("steer.angle")] - steer))
    return worst / max(abs(lean) for lean, _ in exact), eigenvalues


def main():
    scene = load_scene("whipple_bicycle")
    times = output_times(scene)
    off, eigenvalues = compare_linear(scene, 5.0, 3e-4)
    weave = max(eigenvalues, key=lambda e: e.imag)
    print(f"whipple_bicycle: small motion {off:.1e}, weave at 5 m/s {weave:.14f}")
    assert off < 1e-6 and abs(weave - (-0.77534188219585 + 4.46486771378823j)) < 1e-12
    (rows, left), (check, _) = table(scene, times, 2.3e-14), table(scene, times, 1e-12)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    print(f"whipple_bicycle: energy {energy:.1e}, constraints {left:.1e}")
    assert energy < 1e-9 and left < 1e-10
    mechanism.sidecar(
        "whipple_bicycle",
        "whipple_bicycle.py",
        "Bicycle without a rider's hands",
        "Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982: the benchmark bicycle",
        "accelerations of the four bodies under all constraints, DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; "
        f"constraints kept within {left:.0e}, energy constant within {energy:.0e} J; at 5 m/s and a push of 3e-4 rad/s lean and "
        f"steer angle are within {off:.0e} of the published linear equations",
        COLUMNS,
        rows,
        check,
        mechanism.tables(scene, Bicycle),
    )


if __name__ == "__main__":
    main()
