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

WEAK = 0.1  # rows kept before stay while their smallest singular value is above this part of a fresh choice's
DEPENDENT = 1e-9  # diagonal of R relative to the largest below which a row is redundant


def rowwise(a, b):
    """Cross products of the rows."""
    return a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]


def _rates(rows, R, turn):
    """Directions fixed to a body in inertial axes, their first and second rates."""
    return rows @ R.T, rows @ turn.T @ R.T, rows @ (turn @ turn).T @ R.T


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
        self.points = np.array(self.points)
        self.e, self.f = (np.array([pair[i] for pair in self.cosines]).reshape(-1, 3) for i in (0, 1))
        self.size = len(self.points) + len(self.cosines)

    def evaluate(self, A, B):
        d = B.x + B.R @ self.pb - A.x - A.R @ self.pa
        dd = B.xd + B.R @ cross(B.w, self.pb) - A.xd - A.R @ cross(A.w, self.pa)
        ddd = B.xdd + B.R @ cross(B.w, cross(B.w, self.pb)) - A.xdd - A.R @ cross(A.w, cross(A.w, self.pa))
        turn_a, turn_b = skew(A.w), skew(B.w)
        # rows: the directions of the points and of the cosines, their rates and second rates, in inertial axes
        (u, ud, udd), (e, ed, edd) = (_rates(x, A.R, turn_a) for x in (self.points, self.e))
        f, fd, fdd = _rates(self.f, B.R, turn_b)
        none = np.zeros_like(e)
        phi = np.concatenate((u @ d, np.sum(e * f, axis=1)))
        JA = np.vstack(
            (np.hstack((-u, self.points @ (skew(self.pa) + skew(A.R.T @ d)))), np.hstack((none, rowwise(self.e, f @ A.R))))
        )
        JB = np.vstack((np.hstack((u, -u @ B.R @ skew(self.pb))), np.hstack((none, rowwise(self.f, e @ B.R)))))
        turned = np.sum(edd * f + 2 * ed * fd + e * fdd, axis=1)
        return phi, JA, JB, np.concatenate((u @ ddd + 2 * ud @ dd + udd @ d, turned))

    def force(self, A, lam):
        """Force on b in inertial axes."""
        return -A.R @ (lam[: len(self.points)] @ self.points)


class Rod(galpha.Joint):
    """Squared distance."""

    def force(self, A, lam):
        return -lam[0] * self.way

    def evaluate(self, A, B):
        self.way = B.x + B.R @ self.pb - A.x - A.R @ self.pa
        return super().evaluate(A, B)


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
        self.joints = [
            Rod(spec, self.bodies, value) if spec["type"] == "distance" else Joint(spec, self.bodies, value, frames)
            for spec in scene["joints"]
        ]
        self.loads = [Force(spec, self.bodies, value) for spec in scene.get("forces", [])]
        self.rows = self.m = sum(j.size for j in self.joints)
        self.keep = np.arange(self.rows)
        self.select(*self.start())

    def select(self, nodes, v):
        """Keeps a maximal independent set of rows; says whether it is another one than before."""
        before, self.keep = self.keep, np.arange(self.rows)
        B = self.constraints(self.motions(nodes, v, np.zeros(self.n)))[1]
        _, R, order = qr(B.T, mode="economic", pivoting=True)
        size = abs(np.diag(R))
        self.keep = np.sort(order[: int(np.sum(size > DEPENDENT * size[0]))])
        if len(before) == len(self.keep):
            now, best = (np.linalg.svd(B[rows], compute_uv=False)[-1] for rows in (before, self.keep))
            if now > WEAK * best:
                self.keep = before
        self.m = len(self.keep)
        return not np.array_equal(before, self.keep)

    def start(self):
        nodes = [(b.x0.astype(float), p) for b, p in zip(self.bodies, self.quaternions)]
        return nodes, np.concatenate([b.velocity(galpha.rotation(p)) for b, p in zip(self.bodies, self.quaternions)])

    def constraints(self, motions):
        kept, self.m = self.m, self.rows
        phi, B, curvature = super().constraints(motions)
        self.m = kept
        return phi[self.keep], B[self.keep], curvature[self.keep]

    def saddle(self, nodes, v):
        """As galpha.py has it, whose mass matrix is a difference of forces without loads."""
        loads, self.loads = self.loads, []
        S, f, B = super().saddle(nodes, v)
        self.loads = loads
        f[: self.n] = -self.forces(self.motions(nodes, v, np.zeros(self.n)))
        return S, f, B

    def forces(self, motions):
        r = super().forces(motions)
        for load in self.loads:
            for i, force, moment in load.wrenches(motions):
                r[self.bodies[i].dof] -= self.bodies[i].project(np.concatenate((force, moment)), motions[i].R)
        return r

    def recorder(self):
        return Recorder(self)


class Method(galpha.GeneralizedAlpha):
    def step(self):
        """A step with independent rows: those of the start may become dependent later, where others are not."""
        system = self.system
        if isinstance(system, Mechanism) and system.m < system.rows and system.select(self.nodes, self.v):
            self.lam = system.accelerations(self.nodes, self.v)[1]
            self.matrix = None
        super().step()


class Recorder(galpha.Recorder):
    """Joint forces by least norm where rows are redundant."""

    def __call__(self, nodes, v, vd, lam):
        system = self.system
        motions = system.motions(nodes, v, vd)
        full = np.zeros(system.rows)
        full[system.keep] = lam
        if len(system.keep) < system.rows:
            kept, system.keep = system.keep, np.arange(system.rows)
            B = system.constraints(motions)[1]
            system.keep = kept
            full = np.linalg.lstsq(B.T, B.T @ full, DEPENDENT)[0]
        out = super().__call__(nodes, v, vd, full)
        out["energy.total"] += sum(load.energy(motions) for load in system.loads)
        return out

    def _joint(self, out, joint, A, B, lam):
        if isinstance(joint, Rod):
            joint.evaluate(A, B)
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


class Planar:
    """The same bodies, hinges about z and loads in the plane z = 0: x, y and angle per body, the last body is the ground.

    The method's steps are those of the bodies in space, as a rotation about a fixed axis is a sum of angles.
    """

    def __init__(self, scene, locks=()):
        """`locks`: pairs of bodies (or None, the ground) that keep the difference of their angles."""
        space = Mechanism(scene)
        assert all(j.type == "revolute" and abs(j.n[2]) == 1 for j in space.joints)
        self.bodies, self.joints, self.gravity = space.bodies, space.joints, space.gravity[:2]
        self.count = len(self.bodies)
        self.n, self.m = 3 * self.count, 2 * len(self.joints) + len(locks)
        turns = [2 * np.arctan2(p[3], p[0]) for p in space.quaternions]
        self.q0 = np.array([[b.x0[0], b.x0[1], turn] for b, turn in zip(self.bodies, turns)]).ravel()
        self.v0 = np.array([[b.xd0[0], b.xd0[1], b.w0[2]] for b in self.bodies]).ravel()
        names = [b.name for b in self.bodies]
        self.locked = np.zeros((len(locks), self.n))
        for row, pair in zip(self.locked, locks):
            for sign, name in zip((-1, 1), pair):
                if name is not None:
                    row[3 * names.index(name) + 2] = sign
        self.inertia = np.array([[b.mass, b.mass, b.J[2, 2]] for b in self.bodies]).ravel()
        self.springs = [f for f in space.loads if f.type == "spring_damper"]
        self.constant = self.inertia.reshape(-1, 3) * np.append(self.gravity, 0)
        for load in space.loads:
            if load.type == "force":
                (i, at), (force, moment) = load.ends[0], load.given
                assert not at.any()
                self.constant[i] += [force[0], force[1], moment[2]]
        self.ends = [self._marks([getattr(j, k) for j in self.joints], [getattr(j, "p" + k) for j in self.joints]) for k in "ab"]
        self.lines = [self._marks(*zip(*[f.ends[k] for f in self.springs])) for k in (0, 1) if self.springs]

    def _marks(self, bodies, places):
        return np.array([self.count if i is None else i for i in bodies]), np.array(places)[:, :2]

    def _points(self, q, marks):
        """Points, and the arms from the bodies' origins turned by a right angle: the derivative by the angle."""
        x = np.vstack((q.reshape(-1, 3), np.zeros(3)))[marks[0]]
        c, s = np.cos(x[:, 2]), np.sin(x[:, 2])
        arm = np.column_stack((c * marks[1][:, 0] - s * marks[1][:, 1], s * marks[1][:, 0] + c * marks[1][:, 1]))
        return x[:, :2] + arm, np.column_stack((-arm[:, 1], arm[:, 0]))

    def _spring(self, q):
        """Stretch, unit vectors, ends."""
        ends = [self._points(q, marks) for marks in self.lines]
        way = ends[1][0] - ends[0][0]
        length = np.linalg.norm(way, axis=1)
        return length - [f.length for f in self.springs], way / length[:, None], ends

    def loads(self, q):
        out = np.vstack((self.constant, np.zeros(3)))
        if self.springs:
            assert not any(f.c for f in self.springs)
            stretch, n, ends = self._spring(q)
            pull = n * (stretch * [f.k for f in self.springs])[:, None]
            for sign, (bodies, _), (_, turned) in zip((1, -1), self.lines, ends):
                wrench = sign * np.column_stack((pull, np.sum(pull * turned, axis=1)))
                np.add.at(out, bodies, wrench)
        return out[:-1].ravel()

    def constraints(self, q, v):
        """Phi, its Jacobian, and the part of Phi'' that is quadratic in v."""
        B, rates = np.zeros((2 * len(self.joints), self.n + 3)), np.append(v[2::3], 0.0)
        phi, curvature = 0.0, 0.0
        rows = np.arange(len(self.joints))
        for sign, marks in zip((-1, 1), self.ends):
            x, turned = self._points(q, marks)
            phi = phi + sign * x
            arm = np.column_stack((turned[:, 1], -turned[:, 0]))
            curvature = curvature - sign * arm * rates[marks[0]][:, None] ** 2
            for k in (0, 1):
                B[2 * rows + k, 3 * marks[0] + k] += sign
                B[2 * rows + k, 3 * marks[0] + 2] += sign * turned[:, k]
        return (
            np.append(phi.ravel(), self.locked @ (q - self.q0)),
            np.vstack((B[:, : self.n], self.locked)),
            np.append(curvature.ravel(), np.zeros(len(self.locked))),
        )

    def start(self):
        return self.q0.copy(), self.v0.copy()

    def plus(self, q, dq):
        return q + dq

    def bracket(self, v, a):
        return np.zeros(self.n)

    def residual(self, q, v, a, lam):
        phi, B, _ = self.constraints(q, v)
        return self.inertia * a - self.loads(q) + B.T @ lam, phi

    def saddle(self, q, v):
        _, B, curvature = self.constraints(q, v)
        S = np.block([[np.diag(self.inertia), B.T], [B, np.zeros((self.m, self.m))]])
        return S, np.concatenate((self.loads(q), -curvature)), B

    def accelerations(self, q, v):
        S, f, _ = self.saddle(q, v)
        solution = np.linalg.solve(S, f)
        return solution[: self.n], solution[self.n :]

    def recorder(self):
        return PlanarRecorder(self)


class PlanarRecorder:
    def __init__(self, system):
        self.system = system

    def __call__(self, q, v, vd, lam):
        system, out = self.system, {}
        for body, x, w in zip(system.bodies, q.reshape(-1, 3), v.reshape(-1, 3)):
            for signal, at in (("position", x), ("velocity", w)):
                out.update(zip((f"{body.name}.{signal}.{c}" for c in "xyz"), (at[0], at[1], 0.0)))
        turn, rate = np.append(q[2::3], 0.0), np.append(v[2::3], 0.0)
        for joint, a, b in zip(system.joints, system.ends[0][0], system.ends[1][0]):
            out[f"{joint.name}.angle"], out[f"{joint.name}.rate"] = turn[b] - turn[a], rate[b] - rate[a]
        weight = system.inertia.reshape(-1, 3)[:, 0] * (q.reshape(-1, 3)[:, :2] @ system.gravity)
        out["energy.total"] = system.inertia @ v**2 / 2 - weight.sum()
        if system.springs:
            out["energy.total"] += np.sum([f.k for f in system.springs] * system._spring(q)[0] ** 2) / 2
        return out


def simulate(scene, refine, make):
    """Signals at the output times, with the scene's step divided by `refine`; `make`: Mechanism or a kind of Planar."""
    options = scene["simulation"]
    h, every = options["step"] / refine, scene["output"]["every"] * refine
    system = make(scene)
    method = Method(system, options["rho_inf"], h)
    method.start(options["start"])
    record = system.recorder()
    table = [record(*method.shown())]
    for n in range(1, round(options["duration"] / h) + 1):
        method.step()
        row = record(*method.shown())
        if n % every == 0:
            table.append(row)
    return table


def tables(scene, make=Mechanism):
    """Signals at the scene's step and at half of it."""
    return [simulate(scene, refine, make) for refine in (1, 2)]


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

    def __matmul__(self, o):
        return Jet(self.v @ o.v, self.d @ o.v + self.v @ o.d, self.dd @ o.v + 2 * self.d @ o.d + self.v @ o.dd)

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


def constant(x):
    """Jet of an array that does not change."""
    return Jet(np.asarray(x, dtype=float), np.zeros(np.shape(x)), np.zeros(np.shape(x)))


def vector(*components):
    """A vector jet of scalar jets or numbers."""
    c = [Jet.of(x) for x in components]
    return Jet(*(np.array([getattr(x, part) for x in c], dtype=float) for part in ("v", "d", "dd")))


def matrix(columns):
    """A matrix jet of vector jets as columns."""
    c = [Jet.of(x) for x in columns]
    return Jet(*(np.column_stack([np.broadcast_to(getattr(x, p), 3) for x in c]) for p in ("v", "d", "dd")))


def vee(S):
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2


def turning(R):
    """W and W' with angular velocity W q' in body axes."""
    return vee(R.v.T @ R.d), vee(R.v.T @ R.dd + R.d.T @ R.d)


class Part:
    """A body at one value of the coordinate: centre of mass, angular velocity per rate (body axes) as jets."""

    def __init__(self, mass, J, centre, turn=(np.zeros(3), np.zeros(3))):
        self.mass, self.J, self.c, (self.W, self.Wd) = mass, np.asarray(J), centre, turn

    @staticmethod
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


def sidecar(name, script, title, source, method, columns, rows, check, simulated, note="", units="SI", constant=None):
    """Writes data/reference/NAME.csv and NAME.json."""
    error = reference_error(columns, rows, check)
    tolerance = galpha.tolerances(name, columns, rows, error, simulated, constant)
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
