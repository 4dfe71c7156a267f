# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms: galpha.py with more joints, forces and redundant rows, and reduced equations of motion.

Mechanism measures the error of the method for scenes that galpha.py alone does not read: prismatic and universal
joints, force and spring_damper, bodies with an orientation, redundant rows (a maximal independent set of rows at the
start is kept, which leaves the motion as it is). OneFreedom is the reference's side and shares nothing with it: the
positions as functions of one coordinate and the projected equation of motion.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import qr

import galpha
from common import MATHS, reference_error, write_csv, write_sidecar
from galpha import GROUND, cross, skew

DEPENDENT = 1e-9  # diagonal of R relative to the largest below which a row is redundant


class Joint(galpha.Joint):
    """Rows of points (d along an axis e of a) and cosines (e of a against f of b)."""

    def __init__(self, spec, bodies, value, frames):
        self.name, self.type = spec["name"], spec["type"]
        self.a, self.pa = self._marker(spec["a"], bodies, value)
        self.b, self.pb = self._marker(spec["b"], bodies, value)
        to_b = frames[self.b].T @ (np.eye(3) if self.a is None else frames[self.a])
        self.points, self.cosines = list(np.eye(3)), []
        if self.type in ("revolute", "prismatic"):
            n = np.array(value(spec.get("axis", [0, 0, 1])))
            self.n = n / np.linalg.norm(n)
            t1 = cross(self.n, np.eye(3)[np.argmin(abs(self.n))])
            self.t1 = t1 / np.linalg.norm(t1)
            self.t2 = cross(self.n, self.t1)
            self.cosines = [(t, to_b @ self.n) for t in (self.t1, self.t2)]
        if self.type == "prismatic":
            self.points = [self.t1, self.t2]
            self.cosines.append((self.t2, to_b @ self.t1))
        elif self.type == "universal":
            arm_a, arm_b = (np.array(value(spec[key])) for key in ("axis_a", "axis_b"))
            self.cosines = [(arm_a / np.linalg.norm(arm_a), arm_b / np.linalg.norm(arm_b))]
        elif self.type not in ("revolute", "spherical"):
            raise ValueError(self.type)
        self.size = len(self.points) + len(self.cosines)

    def evaluate(self, A, B):
        d = B.x + B.R @ self.pb - A.x - A.R @ self.pa
        dd = B.xd + B.R @ cross(B.w, self.pb) - A.xd - A.R @ cross(A.w, self.pa)
        ddd = B.xdd + B.R @ cross(B.w, cross(B.w, self.pb)) - A.xdd - A.R @ cross(A.w, cross(A.w, self.pa))
        phi, rows_a, rows_b, curvature = [], [], [], []
        for e in self.points:
            u = A.R @ e
            phi.append(u @ d)
            rows_a.append(np.concatenate((-u, u @ A.R @ skew(self.pa) + cross(e, A.R.T @ d))))
            rows_b.append(np.concatenate((u, -u @ B.R @ skew(self.pb))))
            curvature.append(
                u @ ddd + 2 * (A.R @ cross(A.w, e)) @ dd + (A.R @ cross(A.w, cross(A.w, e))) @ d
            )
        for e, f in self.cosines:
            u, w = A.R @ e, B.R @ f
            phi.append(u @ w)
            rows_a.append(np.concatenate((np.zeros(3), cross(e, A.R.T @ w))))
            rows_b.append(np.concatenate((np.zeros(3), cross(f, B.R.T @ u))))
            curvature.append(
                (A.R @ cross(A.w, cross(A.w, e))) @ w
                + 2 * (A.R @ cross(A.w, e)) @ (B.R @ cross(B.w, f))
                + u @ (B.R @ cross(B.w, cross(B.w, f)))
            )
        return np.array(phi), np.array(rows_a), np.array(rows_b), np.array(curvature)

    def force(self, A, lam):
        """Force on b in inertial axes."""
        return -A.R @ sum(e * c for e, c in zip(self.points, lam))


class Force:
    def __init__(self, spec, bodies, value):
        self.type = spec["type"]
        ends = ("at",) if self.type == "force" else ("a", "b")
        self.ends = [Joint._marker(spec[end], bodies, value) for end in ends]
        if self.type == "force":
            self.given = [np.array(value(spec.get(key, [0, 0, 0]))) for key in ("force", "moment")]
        elif self.type == "spring_damper":
            self.k, self.c, self.length = (value(spec.get(key, 0)) for key in ("stiffness", "damping", "length"))
        else:
            raise ValueError(self.type)

    def _line(self, motions):
        (x, v), (y, w) = (
            (s.x + s.R @ p, s.xd + s.R @ cross(s.w, p))
            for s, p in ((GROUND if i is None else motions[i], p) for i, p in self.ends)
        )
        length = np.linalg.norm(y - x)
        n = (y - x) / length
        return length - self.length, n @ (w - v), n

    def wrenches(self, motions):
        """(body, force in inertial axes, moment about the body's origin in body axes)."""
        if self.type == "force":
            (i, p), s = self.ends[0], motions[self.ends[0][0]]
            return [(i, self.given[0], s.R.T @ self.given[1] + cross(p, s.R.T @ self.given[0]))]
        stretch, rate, n = self._line(motions)
        pull = (self.k * stretch + self.c * rate) * n
        return [
            (i, sign * pull, cross(p, motions[i].R.T @ (sign * pull)))
            for sign, (i, p) in zip((1, -1), self.ends)
            if i is not None
        ]

    def energy(self, motions):
        return 0.0 if self.type == "force" else self.k * self._line(motions)[0] ** 2 / 2


class Mechanism(galpha.System):
    def __init__(self, scene):
        scene = {**scene, "parameters": {**MATHS, **scene.get("parameters", {})}}
        value = galpha.reader(scene["parameters"])
        super().__init__({**scene, "joints": []})
        turns = [np.array(value(s.get("orientation", {}).get("rotation_vector", [0, 0, 0]))) for s in scene["bodies"]]
        self.quaternions = [galpha.quaternion_exp(w) for w in turns]
        frames = [galpha.rotation(p) for p in self.quaternions]
        self.joints = [Joint(spec, self.bodies, value, frames) for spec in scene["joints"]]
        self.loads = [Force(spec, self.bodies, value) for spec in scene.get("forces", [])]
        self.rows = self.m = sum(j.size for j in self.joints)
        self.keep = np.arange(self.rows)
        self.keep = self._independent()
        self.m = len(self.keep)

    def _independent(self):
        nodes, v = self.start()
        B = self.constraints(self.motions(nodes, v, np.zeros(self.n)))[1]
        _, R, order = qr(B.T, mode="economic", pivoting=True)
        size = abs(np.diag(R))
        return np.sort(order[: int(np.sum(size > DEPENDENT * size[0]))])

    def start(self):
        nodes = [(b.x0.astype(float), p) for b, p in zip(self.bodies, self.quaternions)]
        return nodes, np.concatenate([b.velocity(galpha.rotation(p)) for b, p in zip(self.bodies, self.quaternions)])

    def constraints(self, motions):
        kept, self.m = self.m, self.rows
        phi, B, curvature = super().constraints(motions)
        self.m = kept
        return phi[self.keep], B[self.keep], curvature[self.keep]

    def forces(self, motions):
        r = super().forces(motions)
        for load in self.loads:
            for i, force, moment in load.wrenches(motions):
                r[self.bodies[i].dof] -= self.bodies[i].project(np.concatenate((force, moment)), motions[i].R)
        return r


class Recorder(galpha.Recorder):
    """Joint forces only where no row is redundant: they are not unique otherwise."""

    def __call__(self, nodes, v, vd, lam):
        system = self.system
        full = np.zeros(system.rows)
        full[system.keep] = lam
        out = super().__call__(nodes, v, vd, full)
        motions = system.motions(nodes, v, vd)
        out["energy.total"] += sum(load.energy(motions) for load in system.loads)
        return out

    def _joint(self, out, joint, A, B, lam):
        if len(self.system.keep) == self.system.rows:
            out.update(zip((f"{joint.name}.force.{c}" for c in "xyz"), joint.force(A, lam)))
        if joint.type == "revolute":
            to_a = A.R.T @ B.R
            _, f = joint.cosines[0]
            angle = np.arctan2(*self._sine_cosine(joint, to_a))
            last = self.angles.get(joint.name, 0.0)
            angle += 2 * np.pi * round((last - angle) / (2 * np.pi))
            out[f"{joint.name}.angle"] = self.angles[joint.name] = angle
            out[f"{joint.name}.rate"] = (B.R @ f) @ (B.R @ B.w - A.R @ A.w)

    @staticmethod
    def _sine_cosine(joint, to_a):
        e = to_a @ joint.t1
        return e @ joint.t2, e @ joint.t1


def simulate(scene, refine):
    """Signals at the output times, with the scene's step divided by `refine`."""
    options = scene["simulation"]
    h, every = options["step"] / refine, scene["output"]["every"] * refine
    system = Mechanism(scene)
    method = galpha.GeneralizedAlpha(system, options["rho_inf"], h)
    method.start(options["start"])
    record = Recorder(system)
    table = [record(method.nodes, method.v, method.vd, method.lam)]
    for n in range(1, round(options["duration"] / h) + 1):
        method.step()
        row = record(method.nodes, method.v, method.vd, method.lam)
        if n % every == 0:
            table.append(row)
    return table


def tables(scene):
    """Signals at the scene's step and at half of it."""
    return [simulate(scene, refine) for refine in (1, 2)]


class Jet:
    """Value, first and second derivative with respect to one coordinate; arrays of any shape."""

    __array_ufunc__ = None

    def __init__(self, v, d=0.0, dd=0.0):
        self.v, self.d, self.dd = v, d, dd

    @staticmethod
    def of(x):
        return x if isinstance(x, Jet) else Jet(x)

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.dd)

    def __add__(self, other):
        o = Jet.of(other)
        return Jet(self.v + o.v, self.d + o.d, self.dd + o.dd)

    def __sub__(self, other):
        return self + -Jet.of(other)

    def __rsub__(self, other):
        return Jet.of(other) - self

    def __mul__(self, other):
        o = Jet.of(other)
        return Jet(self.v * o.v, self.d * o.v + self.v * o.d, self.dd * o.v + 2 * self.d * o.d + self.v * o.dd)

    def __truediv__(self, other):
        o = Jet.of(other)
        return self * o.map(1 / o.v, -1 / o.v**2, 2 / o.v**3)

    def __rtruediv__(self, other):
        return Jet.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def map(self, f, df, ddf):
        return Jet(f, df * self.d, ddf * self.d**2 + df * self.dd)


def sin(x):
    return x.map(np.sin(x.v), np.cos(x.v), -np.sin(x.v))


def cos(x):
    return x.map(np.cos(x.v), -np.sin(x.v), -np.cos(x.v))


def sqrt(x):
    r = np.sqrt(x.v)
    return x.map(r, 0.5 / r, -0.25 / r**3)


def vector(*components):
    """A vector jet of scalar jets or numbers."""
    c = [Jet.of(x) for x in components]
    return Jet(*(np.array([getattr(x, part) for x in c], dtype=float) for part in ("v", "d", "dd")))


def matrix(columns):
    """A matrix jet of vector jets as columns."""
    c = [Jet.of(x) for x in columns]
    return Jet(*(np.column_stack([np.broadcast_to(getattr(x, p), 3) for x in c]) for p in ("v", "d", "dd")))


def dot(a, b):
    return Jet(a.v @ b.v, a.d @ b.v + a.v @ b.d, a.dd @ b.v + 2 * a.d @ b.d + a.v @ b.dd)


def vee(S):
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def turning(R):
    """W and W' with angular velocity W q' in body axes."""
    return vee(R.v.T @ R.d), vee(R.v.T @ R.dd + R.d.T @ R.d)


class Part:
    """A body at one value of the coordinate: centre of mass, angular velocity per rate (body axes) as jets."""

    def __init__(self, mass, J, centre, turn=(np.zeros(3), np.zeros(3))):
        self.mass, self.J, self.c, (self.W, self.Wd) = mass, np.asarray(J), centre, turn

    def flat(mass, J, centre, angle):
        """Part of a planar mechanism; J about z."""
        z = np.array([0.0, 0, 1])
        return Part(mass, np.diag([0.0, 0, J]), centre, (angle.d * z, angle.dd * z))


class OneFreedom:
    """parts(q): the bodies at q, a jet; gravity; load(t, q, q'): generalised force beside gravity."""

    def __init__(self, parts, gravity, load=lambda q, rate: 0.0):
        self.parts, self.gravity, self.load = parts, np.array(gravity, dtype=float), load

    def at(self, q):
        return self.parts(Jet(q, 1.0, 0.0))

    def acceleration(self, q, rate):
        inertia, right = 0.0, self.load(q, rate)
        for p in self.at(q):
            inertia += p.mass * p.c.d @ p.c.d + p.W @ p.J @ p.W
            right -= p.mass * p.c.d @ (p.c.dd * rate**2 - self.gravity) + p.W @ p.J @ p.Wd * rate**2
        return right / inertia

    def energy(self, q, rate):
        return sum(
            (p.mass * p.c.d @ p.c.d + p.W @ p.J @ p.W) * rate**2 / 2 - p.mass * p.c.v @ self.gravity for p in self.at(q)
        )

    def solve(self, q, rate, times, tolerance):
        """q and q' at the times."""
        grid = [float(t) for t in times]
        flow = solve_ivp(
            lambda _, y: [y[1], self.acceleration(*y)], (0, grid[-1]), [q, rate], "DOP853", grid, rtol=tolerance, atol=tolerance
        )
        return flow.y.T


def planar(x, y):
    return vector(x, y, 0.0)


def sidecar(name, script, title, source, method, columns, rows, check, simulated, note="", units="SI"):
    """Writes data/reference/NAME.csv and NAME.json."""
    error = reference_error(columns, rows, check)
    tolerance = galpha.tolerances(name, columns, rows, error, simulated)
    write_csv(name, columns, rows)
    write_sidecar(
        name,
        {
            "title": title,
            "source": source,
            "units": units,
            "method": method + note,
            "error": error,
            "tolerance": tolerance,
            "made_by": f"tools/references/{script}",
        },
    )
