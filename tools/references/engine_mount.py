# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of engine_mount: Newton-Euler in space by DOP853.

The moment of the bushing follows from its power: with f = K y + C y' - preload the wrench does the work -f . y', so the
moment on b is -T^T f_r where psi' = T w is the rate of the rotation vector.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import forces
from common import MATHS, axes, evaluate, load_scene, output_times
from galpha import cross
from mechanism import sidecar
from press import Curve
from rigid_body import RigidBody

SIGNALS = (
    "engine.position",
    "engine.velocity",
    "engine.rotation_vector",
    "engine.angular_velocity",
    "mount.force",
    "strut.force",
)
COLUMNS = ["t"] + [c for s in SIGNALS for c in axes(s)] + ["energy.total"]


def vector_rate(R, w):
    """Rotation vector of R, its rate for the angular velocity w in body axes, and the matrix between the two."""
    psi = Rotation.from_matrix(R).as_rotvec()
    angle = np.linalg.norm(psi)
    S = np.array([[0, -psi[2], psi[1]], [psi[2], 0, -psi[0]], [-psi[1], psi[0], 0]])
    half = angle / 2
    factor = (1 - half / np.tan(half)) / angle**2 if angle > 1e-3 else 1 / 12 + angle**2 / 720
    T = np.eye(3) + S / 2 + factor * S @ S
    return psi, T @ w, T


class Mount(forces.Load):
    def __init__(self, spec, value):
        self.a, self.b = (np.array(value(spec[k]["position"])) for k in "ab")
        self.K, self.C = (np.array(value(spec[k]), dtype=float) for k in ("stiffness_matrix", "damping_matrix"))
        self.preload = np.array(value(spec["preload"]) + value(spec["rotational_preload"]))

    def evaluate(self, s):
        """Force in inertial axes and moment about the marker in body axes."""
        x, v = forces.point(s, self.b)
        psi, rate, T = vector_rate(s.R, s.w)
        f = self.K @ np.concatenate((x - self.a, psi)) + self.C @ np.concatenate((v, rate)) - self.preload
        return -f[:3], -T.T @ f[3:]

    def wrenches(self, motions, _):
        s = motions[0]
        force, moment = self.evaluate(s)
        return [(0, force, moment + cross(self.b, s.R.T @ force))]

    def energy(self, motions):
        s = motions[0]
        y = np.concatenate((forces.point(s, self.b)[0] - self.a, vector_rate(s.R, s.w)[0]))
        return y @ self.K @ y / 2 - self.preload @ y

    def signals(self, motions, _):
        return dict(zip(axes("mount.force"), self.evaluate(motions[0])[0]))


class Strut(forces.Load):
    def __init__(self, spec, value):
        self.a, self.b = (np.array(value(spec[k]["position"])) for k in "ab")
        self.curve, self.length = Curve(spec["force"]["table"]), np.linalg.norm(self.b - self.a)

    def evaluate(self, s):
        x, v = forces.point(s, self.b)
        length = np.linalg.norm(x - self.a)
        n = (x - self.a) / length
        rate = n @ v
        return -(self.curve(length - self.length) + 6 * rate + 20 * rate**3) * n, length - self.length

    def wrenches(self, motions, _):
        return [forces.at_point(0, motions[0], self.b, self.evaluate(motions[0])[0])]

    def energy(self, motions):
        return self.curve.integral(self.evaluate(motions[0])[1])

    def signals(self, motions, _):
        return dict(zip(axes("strut.force"), self.evaluate(motions[0])[0]))


class Unbalance(forces.Load):
    def __init__(self, spec, value):
        self.at, self.force, self.moment = (np.array(value(v)) for v in (spec["at"]["position"], spec["force"], spec["moment"]))

    def wrenches(self, motions, t):
        scale = np.sin(12 * t)
        return [(0, scale * motions[0].R @ self.force, scale * (self.moment + cross(self.at, self.force)))]

    def signals(self, motions, _):
        s = motions[0]
        return dict(zip(axes("engine.rotation_vector"), Rotation.from_matrix(s.R).as_rotvec()))


def main():
    scene = load_scene("engine_mount")
    known = {k: evaluate(str(v), MATHS) for k, v in scene["parameters"].items()}
    value = forces.galpha.reader(known)
    mount, strut, unbalance = scene["forces"]
    loads = [Mount(mount, value), Strut(strut, value), Unbalance(unbalance, value)]
    engine = RigidBody(scene, loads, value)
    times = [float(t) for t in output_times(scene)]
    # at the points of the table the curve's second derivative jumps: the steps are short enough to see it
    rows, check = (engine.solve(COLUMNS, times, tolerance, 1e-3) for tolerance in (1e-12, 1e-11))
    assert max(np.linalg.norm(r[7:10]) for r in rows) > 0.2, "the rotations are large"
    sidecar(
        "engine_mount",
        "engine_mount.py",
        "Engine on a bushing with coupled stiffness and damping",
        "own Newton-Euler equations with quaternions",
        "DOP853 at 1e-12, checked with 1e-11",
        COLUMNS,
        rows,
        check,
        forces.tables(scene, lambda s: forces.Free(s, loads)),
    )


if __name__ == "__main__":
    main()
