# SPDX-License-Identifier: GPL-3.0-or-later
"""One free rigid body under loads (forces.py): Newton-Euler with a quaternion, by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from common import axes
from galpha import cross


class State:
    """Return the part of a state (x, quaternion, v, w) on which loads depend."""

    def __init__(self, y):
        self.x, self.xd, self.w = y[:3], y[7:10], y[10:]
        self.R = Rotation.from_quat(y[3:7]).as_matrix()


class RigidBody:
    def __init__(self, scene, loads, value):
        body = scene["bodies"][0]
        self.m, self.J, self.name = value(body["mass"]), np.array(value(body["inertia"])), body["name"]
        self.g, self.loads = np.array(value(scene["gravity"])), loads
        turn = Rotation.from_rotvec(value(body.get("orientation", {}).get("rotation_vector", [0, 0, 0])))
        position, velocity, spin = (value(body[key]) for key in ("position", "velocity", "angular_velocity"))
        self.start = np.concatenate((position, turn.as_quat(), velocity, spin))

    def rates(self, t, y):
        s, force, moment = State(y), self.m * self.g, np.zeros(3)
        for load in self.loads:
            for _, f, m in load.wrenches([s], t):
                force, moment = force + f, moment + m
        q, w = y[3:7], s.w
        turn = np.concatenate((q[3] * w + cross(q[:3], w), [-q[:3] @ w])) / 2
        return np.concatenate((s.xd, turn, force / self.m, (moment - cross(w, self.J * w)) / self.J))

    def signals(self, t, y):
        s, out = State(y), {"t": t}
        for signal, vector in (("position", s.x), ("velocity", s.xd), ("angular_velocity", s.w)):
            out.update(zip(axes(f"{self.name}.{signal}"), vector))
        out.update(zip(axes(f"{self.name}.rotation_vector"), Rotation.from_matrix(s.R).as_rotvec()))
        out["energy.total"] = self.m * (s.xd @ s.xd / 2 - self.g @ s.x) + self.J @ s.w**2 / 2
        for load in self.loads:
            out["energy.total"] += load.energy([s])
            out.update(load.signals([s], t))
        return out

    def solve(self, columns, times, tolerance, max_step=np.inf):
        flow = solve_ivp(
            self.rates, (0, times[-1]), self.start, "DOP853", times, rtol=tolerance, atol=tolerance / 10, max_step=max_step
        )
        rows = [self.signals(t, y) for t, y in zip(times, flow.y.T)]
        return [[row[c] for c in columns] for row in rows]
