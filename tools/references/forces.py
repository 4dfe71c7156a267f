# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the references of scenes with forces: galpha.py and mechanism.py with loads that scripts write out.

A load has wrenches(motions, t): (body, force in inertial axes, moment about the body's origin in body axes), and
energy(motions) and signals(motions, t).  Nothing here is shared with the references themselves, which solve their own equations.
"""

import numpy as np

import galpha
import mechanism
from common import MATHS
from galpha import cross


class Load:
    def energy(self, motions):
        return 0.0

    def signals(self, motions, t):
        return {}


class Loads:
    """Mixed into a system: the loads at the system's time."""

    def put(self, loads):
        self.own, self.t, self.weightless = loads, 0.0, False

    def forces(self, motions):
        r = super().forces(motions)
        for load in [] if self.weightless else self.own:
            for i, force, moment in load.wrenches(motions, self.t):
                r[self.bodies[i].dof] -= self.bodies[i].project(np.concatenate((force, moment)), motions[i].R)
        return r

    def saddle(self, nodes, v):
        """The mass matrix is a difference of forces without loads."""
        self.weightless = True
        S, f, B = super().saddle(nodes, v)
        self.weightless = False
        f[: self.n] = -self.forces(self.motions(nodes, v, np.zeros(self.n)))
        return S, f, B

    def recorder(self):
        return Recorder(self)


class Free(Loads, galpha.System):
    """Bodies without joints."""

    def __init__(self, scene, loads):
        scene = {**scene, "parameters": {**MATHS, **scene["parameters"]}, "joints": []}
        value = galpha.reader(scene["parameters"])
        turns = [np.array(value(s.get("orientation", {}).get("rotation_vector", [0, 0, 0]))) for s in scene["bodies"]]
        self.quaternions = [galpha.quaternion_exp(w) for w in turns]
        super().__init__(scene)
        self.put(loads)

    start = mechanism.Mechanism.start


class Joined(Loads, mechanism.Mechanism):
    def __init__(self, scene, loads):
        self.put(loads)
        super().__init__({**scene, "forces": []})


class Recorder(mechanism.Recorder):
    def __call__(self, nodes, v, vd, lam):
        system = self.system
        joined = isinstance(system, mechanism.Mechanism)
        out = (super().__call__ if joined else galpha.Recorder.__call__.__get__(self))(nodes, v, vd, lam)
        motions = system.motions(nodes, v, vd)
        for load in system.own:
            out["energy.total"] += load.energy(motions)
            out.update(load.signals(motions, system.t))
        return out


def simulate(scene, refine, make):
    """Signals at the output times, with the scene's step divided by `refine`; make(scene): the system."""
    options = scene["simulation"]
    h, every = options["step"] / refine, scene["output"]["every"] * refine
    system = make(scene)
    method = mechanism.Method(system, options["rho_inf"], h)
    method.start(options["start"])
    record = system.recorder()
    table = [record(*method.shown())]
    for n in range(1, round(options["duration"] / h) + 1):
        system.t = n * h
        method.step()
        if n % every == 0:
            table.append(record(*method.shown()))
    return table


def tables(scene, make):
    """Signals at the scene's step and at half of it."""
    return [simulate(scene, refine, make) for refine in (1, 2)]


def point(motion, p):
    """Position and velocity of a point of a body."""
    return motion.x + motion.R @ p, motion.xd + motion.R @ cross(motion.w, p)


def at_point(i, motion, p, force):
    """Wrench of a force in inertial axes at a point p of body i."""
    return i, force, cross(p, motion.R.T @ force)
