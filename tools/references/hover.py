# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of hover: Newton-Euler in space; the twist about an axis n from the rotation matrix.

With the skew part k of R (k = sin(angle) axis) and c = (1 + trace R)/2: (w, v) = (sqrt(c)..., k/(2 w)), so that
2 atan2(n.v, w) = 2 atan2(n.k, 2 w^2) with 2 w^2 = (1 + trace R)/2.
"""

import numpy as np

import forces
from common import MATHS, axes, evaluate, load_scene, output_times
from mechanism import sidecar
from rigid_body import RigidBody

AXES = {"roll": np.eye(3)[0], "pitch": np.eye(3)[1], "yaw": np.eye(3)[2]}
COLUMNS = (
    ["t", "gps.x", "gps.y", "gps.z", "gps.distance", "gps.x_speed", "gps.distance_speed"]
    + [f"{name}.{c}" for name in AXES for c in ("angle", "rate")]
    + axes("thrust.force")
    + ["energy.total"]
)


def twist(R, w, n):
    """Angle and rate."""

    def parts(A):
        return n @ np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2, np.trace(A) / 2

    turning = R @ np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    (s, c), (ds, dc) = parts(R), parts(turning)
    c += 0.5
    return 2 * np.arctan2(s, c), 2 * (ds * c - s * dc) / (s * s + c * c)


class Pilot(forces.Load):
    def __init__(self, known):
        self.__dict__.update(known)

    def measure(self, s):
        x, v = s.x - [0, 0, self.h], s.xd
        distance = np.sqrt(x @ x)
        out = {"gps.x": x[0], "gps.y": x[1], "gps.z": x[2], "gps.distance": distance}
        out.update({"gps.x_speed": v[0], "gps.y_speed": v[1], "gps.z_speed": v[2], "gps.distance_speed": x @ v / distance})
        for name, n in AXES.items():
            out[f"{name}.angle"], out[f"{name}.rate"] = twist(s.R, s.w, n)
        return out

    def commands(self, s):
        """Thrust and moments in body axes."""
        o = self.measure(s)
        thrust = max(0, self.m * self.g - 8 * o["gps.z"] - 5 * o["gps.z_speed"])
        roll = -self.kt * (o["roll.angle"] - self.tilt * o["gps.y"] - self.damp * o["gps.y_speed"]) - self.ct * o["roll.rate"]
        pitch = -self.kt * (o["pitch.angle"] + self.tilt * o["gps.x"] + self.damp * o["gps.x_speed"]) - self.ct * o["pitch.rate"]
        return thrust, np.array([roll, pitch, -0.05 * np.sin(o["yaw.angle"]) - 0.05 * o["yaw.rate"]])

    def wrenches(self, motions, _):
        s = motions[0]
        thrust, moment = self.commands(s)
        return [(0, thrust * s.R[:, 2], moment)]

    def signals(self, motions, _):
        s = motions[0]
        return {**self.measure(s), **dict(zip(axes("thrust.force"), self.commands(s)[0] * s.R[:, 2]))}


class Wind(forces.Load):
    def __init__(self, spec):
        self.at, self.wind = np.array(spec["at"]["position"]), np.array(spec["wind"], dtype=float)
        self.c = spec["density"] * spec["coefficient"] * spec["area"] / 2

    def wrenches(self, motions, _):
        s = motions[0]
        w = forces.point(s, self.at)[1] - self.wind
        return [forces.at_point(0, s, self.at, -self.c * np.sqrt(w @ w) * w)]


def main():
    scene = load_scene("hover")
    known = {}
    for key, item in scene["parameters"].items():
        known[key] = evaluate(str(item), {**MATHS, **known})
    loads = [Pilot(known), Wind(scene["forces"][4])]
    drone = RigidBody(scene, loads, forces.galpha.reader(known))
    times = [float(t) for t in output_times(scene)]
    sidecar(
        "hover",
        "hover.py",
        "A drone that hovers by what its sensors say",
        "own Newton-Euler equations with quaternions; twist angles from the rotation matrix",
        "DOP853 at 1e-13, checked with 1e-12",
        COLUMNS,
        drone.solve(COLUMNS, times, 1e-13),
        drone.solve(COLUMNS, times, 1e-12),
        forces.tables(scene, lambda s: forces.Free(s, loads)),
    )


if __name__ == "__main__":
    main()
