# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that rolls on a plane: galpha.py with nonholonomic rows, and the equations of motion of a disc.

Rolling measures the error of the method: rows in inertial axes, the first one holonomic. Disc is the reference's side:
Newton and Euler's equations with the contact force eliminated, three angular velocities.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp

import galpha
from common import MATHS, axes
from galpha import cross, quaternion_exp, quaternion_product, rotation, skew

UP = np.array([0.0, 0, 1])


def down(d, dd=np.zeros(3), ddd=np.zeros(3)):
    """Unit vector from the centre of a disc with axis d to its lowest point, and its rate; sine of the angle of d with
    the vertical with two rates."""
    c, cd, cdd = d[2], dd[2], ddd[2]
    s = math.sqrt(d[0] ** 2 + d[1] ** 2)
    sd = -c * cd / s
    sdd = -(c * cdd + cd * cd + sd * sd) / s
    way, rate = (c * d - UP) / s, (cd * d + c * dd) / s
    return way, rate - way * sd / s, s, sd, sdd


class DiscContact:
    """Sharp edge of radius r about `axis` (of the body) on z = 0."""

    def __init__(self, radius, axis):
        self.r, self.axis = radius, np.array(axis, dtype=float)

    def arm(self, s):
        return self.r * down(s.R @ self.axis)[0]

    def evaluate(self, s):
        """phi and k; Jacobian over (inertial velocity, body angular velocity); their rates without accelerations."""
        W, d = s.R @ s.w, s.R @ self.axis
        dd = cross(W, d)
        way, rate, sine, sd, sdd = down(d, dd, cross(W, dd) + cross(s.R @ s.wd, d))
        arm = self.r * way
        slip = s.xd + cross(W, arm)
        value = np.concatenate(([s.x[2] - self.r * sine], slip[:2]))
        J = np.hstack((np.eye(3), -skew(arm) @ s.R))[[2, 0, 1]]
        change = s.xdd + cross(s.R @ s.wd, arm) + cross(W, self.r * rate)
        return value, J, np.concatenate(([s.xdd[2] - self.r * sdd], change[:2]))


class SphereContact:
    """Sphere on z = 0, which turns about the z axis."""

    def __init__(self, radius, rate):
        self.r, self.turn = radius, rate * UP

    def arm(self, s):
        return -self.r * UP

    def evaluate(self, s):
        arm, W = -self.r * UP, s.R @ s.w
        slip = s.xd + cross(W, arm) - cross(self.turn, s.x)
        J = np.hstack((np.eye(3), -skew(arm) @ s.R))[[2, 0, 1]]
        change = s.xdd + cross(s.R @ s.wd, arm) - cross(self.turn, s.xd)
        return np.concatenate(([s.x[2] - self.r], slip[:2])), J, np.concatenate(([s.xdd[2]], change[:2]))


def initial(spec, value):
    """Position, quaternion, body angular velocity of a body of a scene."""
    p = np.array([1.0, 0, 0, 0])
    turn = spec.get("orientation", {"euler": "", "angles": []})
    for axis, angle in zip(turn["euler"], value(turn["angles"])):
        p = quaternion_product(p, quaternion_exp(angle * np.eye(3)["xyz".index(axis)]))
    w = spec["angular_velocity"]
    w = np.array(value(w)) if isinstance(w, list) else rotation(p).T @ value(w["value"])
    return np.array(value(spec["position"])), p, w


class Rolling(galpha.System):
    """One body and its contact by the joint `joint`; `velocity` of the body's origin at the start."""

    def __init__(self, scene, name, contact, velocity, joint):
        value = galpha.reader({**MATHS, **scene["parameters"]})
        spec = next(b for b in scene["bodies"] if b["name"] == name)
        x, self.turned, w = initial(spec, value)
        body = {key: spec[key] for key in ("name", "type", "mass", "inertia")}
        body |= {"position": list(x), "velocity": list(velocity), "angular_velocity": list(w)}
        super().__init__({**scene, "parameters": {**MATHS, **scene["parameters"]}, "bodies": [body], "joints": []})
        self.contact, self.joint, self.m = contact, joint, 3

    def recorder(self):
        return Recorder(self)

    def start(self):
        body = self.bodies[0]
        return [(body.x0, self.turned)], body.velocity(rotation(self.turned))

    def constraints(self, motions):
        value, J, rate = self.contact.evaluate(motions[0])
        return value, self.bodies[0].project(J, motions[0].R), rate

    def saddle(self, nodes, v):
        """As galpha.py has it; the gradient of positions, the last, is zero in the nonholonomic rows."""
        S, f, B = super().saddle(nodes, v)
        return S, f, B * np.array([[1.0], [0], [0]])


class Recorder(galpha.Recorder):
    def __call__(self, nodes, v, vd, lam):
        out, system = super().__call__(nodes, v, vd, lam), self.system
        s = system.motions(nodes, v, vd)[0]
        return out | contact_signals(system.joint, s.x + system.contact.arm(s), -lam[[1, 2, 0]])


def contact_signals(joint, contact, force):
    """`force`: of the plane on the body."""
    names = axes(f"{joint}.contact") + [f"{joint}.normal_force"] + axes(f"{joint}.friction_force")
    return dict(zip(names, [*contact, force[2], force[0], force[1], 0.0]))


class Disc:
    """Disc with a sharp edge on z = 0 about its axis `axis`, the origin in the centre of mass.

    m x'' = F + m g, J W' + W x J W = rho x F (rho from the centre to the contact) and x' = rho x W.
    """

    def __init__(self, mass, inertia, radius, axis, gravity):
        self.m, self.J, self.r = mass, np.diag(inertia), radius
        self.axis, self.g = np.array(axis, dtype=float), np.array(gravity, dtype=float)

    def motion(self, state):
        """R, W, rho, rho' in inertial axes."""
        R, W = rotation(state[3:7]), rotation(state[3:7]) @ state[7:]
        d = R @ self.axis
        way, rate, *_ = down(d, cross(W, d))
        return R, W, self.r * way, self.r * rate

    def velocity(self, state):
        _, W, rho, _ = self.motion(state)
        return cross(rho, W)

    def force(self, state):
        """W' (body axes) and the force of the plane."""
        R, W, rho, rate = self.motion(state)
        arm, w = skew(rho), state[7:]
        J = R @ self.J @ R.T
        # F = m (rho x W' + rho' x W - g)
        known = self.m * (cross(rate, W) - self.g)
        turn = np.linalg.solve(J - self.m * arm @ arm, cross(rho, known) - R @ cross(w, self.J @ w))
        return R.T @ turn, known + self.m * cross(rho, turn)

    def rate(self, _, state):
        p, w = state[3:7], state[7:]
        turned = quaternion_product(p, np.concatenate(([0.0], w))) / 2
        return np.concatenate((self.velocity(state), turned, self.force(state)[0]))

    def solve(self, start, times, tolerance):
        grid = [float(t) for t in times]
        flow = solve_ivp(self.rate, (0, grid[-1]), start, "DOP853", grid, rtol=tolerance, atol=tolerance)
        states = flow.y.T
        states[:, 3:7] /= np.linalg.norm(states[:, 3:7], axis=1)[:, None]
        return states

    def row(self, name, joint, state):
        """Signals at a state."""
        _, W, rho, _ = self.motion(state)
        v = self.velocity(state)
        energy = self.m * (v @ v / 2 - self.g @ state[:3]) + state[7:] @ self.J @ state[7:] / 2
        names = axes(f"{name}.position") + axes(f"{name}.quaternion", "wxyz") + axes(f"{name}.velocity")
        out = dict(zip(names, [*state[:7], *v]))
        out.update(zip(axes(f"{name}.angular_velocity"), state[7:]))
        return out | contact_signals(joint, state[:3] + rho, self.force(state)[1]) | {"energy.total": energy}


def columns(name, joint):
    return (
        ["t", *axes(f"{name}.position"), *axes(f"{name}.quaternion", "wxyz"), *axes(f"{name}.velocity")]
        + axes(f"{name}.angular_velocity")
        + [*contact_signals(joint, np.zeros(3), np.zeros(3)), "energy.total"]
    )
