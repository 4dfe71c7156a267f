# SPDX-License-Identifier: GPL-3.0-or-later
"""Small generalised-alpha integrator, index-3 form, written apart from the engine.

Arnold, Bruls and Cardona, Numer. Math. 129 (2015): method eq. (9), Chung-Hulbert parameters eq. (52), perturbed
starting values eqs. (56) and (57). It reads the shipped scenes and measures the error that the method itself makes at a
scene's step, from which the tolerances of data/reference are derived; paper_numbers.py compares it with the paper.

Equations are written in inertial velocities and body angular velocities; an SE(3) node is mapped onto them.
"""

import math

import numpy as np

from common import load_scene, signal_of

MANY = 60  # unknowns from which the iteration matrix is that of the accelerations: the rest of it is O(h)
DIFFERENCE = 1e-7  # forward difference of the iteration matrix: affects the rate of Newton only


def skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def quaternion_exp(w):
    half = math.sqrt(w @ w) / 2
    s = 0.5 * np.sinc(half / math.pi)
    return np.array([math.cos(half), s * w[0], s * w[1], s * w[2]])


def quaternion_product(p, q):
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])))


def rotation(p):
    s = skew(p[1:])
    return np.eye(3) + 2 * p[0] * s + 2 * s @ s


def translation_exp(u, w):
    """T_so3(w)^T u."""
    t2 = w @ w
    t = math.sqrt(t2)
    half = t / 2
    b = 0.5 * np.sinc(half / math.pi) ** 2
    c = (t - math.sin(t)) / (t2 * t) if t > 0.1 else 1 / 6 - t2 / 120 + t2 * t2 / 5040 - t2**3 / 362880
    wu = cross(w, u)
    return u + b * wu + c * cross(w, wu)


class Motion:
    """Motion of one body: x, R, x', W, x'', W'."""

    def __init__(self, x, R, xd, w, xdd, wd):
        self.x, self.R, self.xd, self.w, self.xdd, self.wd = x, R, xd, w, xdd, wd


GROUND = Motion(*(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)))


class Body:
    def __init__(self, spec, group, value, start):
        self.name = spec["name"]
        self.group = "R3" if spec["type"] == "point_mass" else spec.get("group", group)
        self.mass = value(spec["mass"])
        inertia = np.array(value(spec.get("inertia", [0, 0, 0])))
        self.J = np.diag(inertia) if inertia.ndim == 1 else inertia
        self.c = np.array(value(spec.get("center_of_mass", [0, 0, 0])))
        self.x0 = np.array(value(spec["position"]))
        self.xd0 = np.array(value(spec["velocity"])) if "velocity" in spec else None
        self.w0 = np.array(value(spec.get("angular_velocity", [0, 0, 0])))
        self.dof = slice(start, start + (3 if self.group == "R3" else 6))

    def plus(self, node, dq):
        x, p = node
        if self.group == "R3":
            return x + dq, p
        u, w = dq[:3], dq[3:]
        step = u if self.group == "R3xSO3" else rotation(p) @ translation_exp(u, w)
        turned = quaternion_product(p, quaternion_exp(w))
        return x + step, turned / math.sqrt(turned @ turned)

    def motion(self, node, v, a):
        x, p = node
        if self.group == "R3":
            return Motion(x, np.eye(3), v, np.zeros(3), a, np.zeros(3))
        R = rotation(p)
        if self.group == "R3xSO3":
            return Motion(x, R, v[:3], v[3:], a[:3], a[3:])
        return Motion(x, R, R @ v[:3], v[3:], R @ (a[:3] + cross(v[3:], v[:3])), a[3:])

    def project(self, J, R):
        """Columns of a Jacobian (or wrench row) from (inertial, body) to the group's velocities."""
        if self.group == "R3":
            return J[..., :3]
        if self.group == "R3xSO3":
            return J
        return np.concatenate((J[..., :3] @ R, J[..., 3:]), axis=-1)

    def residual(self, s, gravity):
        """M v' + g as (force inertial, moment about the node in body axes)."""
        arm = cross(s.wd, self.c) + cross(s.w, cross(s.w, self.c))
        force = self.mass * (s.xdd - gravity + s.R @ arm)
        moment = self.J @ s.wd + cross(s.w, self.J @ s.w) + cross(self.c, s.R.T @ force)
        return np.concatenate((force, moment))

    def bracket(self, v, a):
        """[v, a] of the group."""
        if self.group == "R3":
            return np.zeros(3)
        turn = cross(v[3:], a[3:])
        if self.group == "R3xSO3":
            return np.concatenate((np.zeros(3), turn))
        return np.concatenate((cross(v[3:], a[:3]) + cross(v[:3], a[3:]), turn))

    def velocity(self, R):
        """Group velocity at the start from the inertial one."""
        if self.group == "R3":
            return self.xd0
        return np.concatenate((R.T @ self.xd0 if self.group == "SE3" else self.xd0, self.w0))


class Joint:
    """phi, its Jacobians over (inertial displacement, body rotation) of a and b, and phi'' at zero accelerations."""

    def __init__(self, spec, bodies, value):
        self.name, self.type = spec["name"], spec["type"]
        self.a, self.pa = self._marker(spec["a"], bodies, value)
        self.b, self.pb = self._marker(spec["b"], bodies, value)
        self.size = {"spherical": 3, "revolute": 5, "distance": 1}[self.type]
        if self.type == "distance":
            assert spec["form"] == "squared"
            self.length = value(spec["length"])
        if self.type == "revolute":
            axis = np.array(value(spec["axis"]), dtype=float)
            self.n = axis / math.sqrt(axis @ axis)
            t1 = cross(self.n, np.eye(3)[np.argmin(abs(self.n))])
            self.t1 = t1 / math.sqrt(t1 @ t1)
            self.t2 = cross(self.n, self.t1)

    @staticmethod
    def _marker(spec, bodies, value):
        if isinstance(spec, str):
            spec = {"body": spec}
        index = None if spec["body"] == "ground" else [b.name for b in bodies].index(spec["body"])
        return index, np.array(value(spec.get("position", [0, 0, 0])), dtype=float)

    def evaluate(self, A, B):
        d = B.x + B.R @ self.pb - A.x - A.R @ self.pa
        dd = B.xd + B.R @ cross(B.w, self.pb) - A.xd - A.R @ cross(A.w, self.pa)
        ddd = B.R @ cross(B.w, cross(B.w, self.pb)) - A.R @ cross(A.w, cross(A.w, self.pa)) + B.xdd - A.xdd
        JA = np.hstack((-np.eye(3), A.R @ skew(self.pa)))
        JB = np.hstack((np.eye(3), -B.R @ skew(self.pb)))
        if self.type == "distance":
            return np.array([(d @ d - self.length**2) / 2]), (d @ JA)[None], (d @ JB)[None], np.array([dd @ dd + d @ ddd])
        if self.type == "spherical":
            return d, JA, JB, ddd
        phi, rows_a, rows_b, curvature = list(d), [*JA], [*JB], list(ddd)
        n = B.R @ self.n
        for t in (self.t1, self.t2):
            e = A.R @ t
            phi.append(e @ n)
            rows_a.append(np.concatenate((np.zeros(3), cross(t, A.R.T @ n))))
            rows_b.append(np.concatenate((np.zeros(3), cross(self.n, B.R.T @ e))))
            curvature.append(
                (A.R @ cross(A.w, cross(A.w, t))) @ n
                + 2 * (A.R @ cross(A.w, t)) @ (B.R @ cross(B.w, self.n))
                + e @ (B.R @ cross(B.w, cross(B.w, self.n)))
            )
        return np.array(phi), np.array(rows_a), np.array(rows_b), np.array(curvature)


def reader(parameters):
    """Evaluates the numbers and expressions of a scene."""

    def value(item):
        if isinstance(item, list):
            return [value(i) for i in item]
        if isinstance(item, str):
            return float(eval(item.replace("^", "**"), {"__builtins__": {}}, parameters))
        return float(item)

    return value


class System:
    def __init__(self, scene, group=None):
        value = reader(scene.get("parameters", {}))
        self.gravity = np.array(value(scene["gravity"]))
        self.bodies, n = [], 0
        for spec in scene["bodies"]:
            self.bodies.append(Body(spec, group or scene.get("group", "R3xSO3"), value, n))
            n = self.bodies[-1].dof.stop
        self.joints = [Joint(spec, self.bodies, value) for spec in scene.get("joints", [])]
        self.n, self.m = n, sum(j.size for j in self.joints)
        self._complete_velocities()

    def _complete_velocities(self):
        """Velocities left out follow from a joint with the ground or with a body before, or are zero."""
        for i, body in enumerate(self.bodies):
            if body.xd0 is not None:
                continue
            body.xd0 = np.zeros(3)
            for joint in self.joints:
                if joint.b != i:
                    continue
                body.xd0 = -cross(body.w0, joint.pb)
                if joint.a is not None:
                    before = self.bodies[joint.a]
                    body.xd0 += before.xd0 + cross(before.w0, joint.pa)

    def start(self):
        nodes = [(b.x0.astype(float), np.array([1.0, 0, 0, 0])) for b in self.bodies]
        return nodes, np.concatenate([b.velocity(np.eye(3)) for b in self.bodies])

    def plus(self, nodes, dq):
        return [b.plus(s, dq[b.dof]) for b, s in zip(self.bodies, nodes)]

    def motions(self, nodes, v, a):
        return [b.motion(s, v[b.dof], a[b.dof]) for b, s in zip(self.bodies, nodes)]

    def constraints(self, motions):
        phi, B, curvature, row = np.zeros(self.m), np.zeros((self.m, self.n)), np.zeros(self.m), 0
        for joint in self.joints:
            rows = slice(row, row + joint.size)
            row = rows.stop
            A = GROUND if joint.a is None else motions[joint.a]
            phi[rows], JA, JB, curvature[rows] = joint.evaluate(A, motions[joint.b])
            for index, J in ((joint.a, JA), (joint.b, JB)):
                if index is not None:
                    body = self.bodies[index]
                    B[rows, body.dof] += body.project(J, motions[index].R)
        return phi, B, curvature

    def forces(self, motions):
        r = np.zeros(self.n)
        for body, s in zip(self.bodies, motions):
            r[body.dof] = body.project(body.residual(s, self.gravity), s.R)
        return r

    def residual(self, nodes, v, a, lam):
        motions = self.motions(nodes, v, a)
        phi, B, _ = self.constraints(motions)
        return self.forces(motions) + B.T @ lam, phi

    def saddle(self, nodes, v):
        """Matrix of the acceleration equations (7), its right-hand side, and B."""
        zero = np.zeros(self.n)
        motions = self.motions(nodes, v, zero)
        _, B, curvature = self.constraints(motions)
        f = self.forces(motions)
        M = np.zeros((self.n, self.n))
        for body, node, s in zip(self.bodies, nodes, motions):
            for j, e in enumerate(np.eye(body.dof.stop - body.dof.start)):
                moved = body.residual(body.motion(node, v[body.dof], e), self.gravity)
                M[body.dof, body.dof.start + j] = body.project(moved, s.R) - f[body.dof]
        return np.block([[M, B.T], [B, np.zeros((self.m, self.m))]]), np.concatenate((-f, -curvature)), B

    def accelerations(self, nodes, v):
        S, f, _ = self.saddle(nodes, v)
        solution = np.linalg.solve(S, f)
        return solution[: self.n], solution[self.n :]

    def bracket(self, v, a):
        return np.concatenate([b.bracket(v[b.dof], a[b.dof]) for b in self.bodies])


class GeneralizedAlpha:
    def __init__(self, system, rho, h):
        self.system, self.h = system, h
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4
        self.matrix = None

    def start(self, kind):
        system, h = self.system, self.h
        self.nodes, self.v = system.start()
        self.vd, self.lam = system.accelerations(self.nodes, self.v)
        self.a = self.vd.copy()
        if kind == "plain":
            return
        ahead, behind = (
            system.accelerations(
                system.plus(self.nodes, s * self.v + s * s / 2 * self.vd), self.v + s * self.vd
            )[0]
            for s in (h, -h)
        )
        jerk = (ahead - behind) / (2 * h)
        factor = 1 - 6 * self.beta - 3 * (self.am - self.af)
        lq = h**3 / 6 * (factor * jerk + system.bracket(self.v, self.vd) / 2)
        S, _, B = system.saddle(self.nodes, self.v)
        shift = np.linalg.solve(S, np.concatenate((np.zeros(system.n), B @ lq / h)))
        self.v = self.v + shift[: system.n]
        self.a = self.vd + (self.am - self.af) * h * jerk

    def shown(self):
        """Arguments of a recorder: accelerations and multipliers that are shown are those of the motion, eq. (7)."""
        return self.nodes, self.v, *self.system.accelerations(self.nodes, self.v)

    def _state(self, x):
        """Everything at the end of the step from (h Dq, beta h^2 lambda)."""
        h, n = self.h, self.system.n
        dq, lam = x[:n], x[n:] / (self.beta * h * h)
        a = (dq / h - self.v - (0.5 - self.beta) * h * self.a) / (self.beta * h)
        v = self.v + h * ((1 - self.gamma) * self.a + self.gamma * a)
        vd = ((1 - self.am) * a + self.am * self.a - self.af * self.vd) / (1 - self.af)
        return self.system.plus(self.nodes, dq), v, a, vd, lam

    def _residual(self, x):
        nodes, v, _, vd, lam = self._state(x)
        r, phi = self.system.residual(nodes, v, vd, lam)
        return np.concatenate((self.beta * self.h**2 * r, phi))

    def _difference_matrix(self, x, r):
        columns = []
        for j in range(len(x)):
            y = x.copy()
            y[j] += DIFFERENCE
            columns.append((self._residual(y) - r) / DIFFERENCE)
        self.matrix = np.linalg.inv(np.column_stack(columns))

    def _saddle_matrix(self, x):
        nodes, v, *_ = self._state(x)
        S = self.system.saddle(nodes, v)[0]
        n = self.system.n
        S[:n, :n] *= (1 - self.am) / (1 - self.af)
        self.matrix = np.linalg.inv(S)

    def step(self):
        h, n = self.h, self.system.n
        guess = h * self.v + h * h / 2 * self.a
        x = np.concatenate((guess, self.beta * h * h * self.lam))
        last = math.inf
        if len(x) > MANY:
            self._saddle_matrix(x)
        for iteration in range(60):
            r = self._residual(x)
            if self.matrix is None or (iteration in (6, 20) and len(x) <= MANY):
                self._difference_matrix(x, r)
            dx = self.matrix @ r
            x -= dx
            size = np.abs(dx).max()
            if size == 0 or (size < 1e-10 and size > 0.3 * last) or size < 1e-17:
                break
            last = size
        else:
            raise ArithmeticError("Newton does not converge")
        if iteration > 8 and len(x) <= MANY:
            self.matrix = None
        self.nodes, self.v, self.a, self.vd, self.lam = self._state(x)


class Recorder:
    """Signals of interface names at one state after another."""

    def __init__(self, system):
        self.system = system
        self.angles = {}

    def __call__(self, nodes, v, vd, lam):
        system, out = self.system, {}
        motions = system.motions(nodes, v, vd)
        energy, spin = 0.0, np.zeros(3)
        for body, node, s in zip(system.bodies, nodes, motions):
            for signal, vector in (
                ("position", s.x),
                ("velocity", s.xd),
                ("acceleration", s.xdd),
                ("angular_velocity", s.w),
                ("angular_acceleration", s.wd),
            ):
                out.update(zip((f"{body.name}.{signal}.{c}" for c in "xyz"), vector))
            out.update(zip((f"{body.name}.quaternion.{c}" for c in "wxyz"), node[1]))
            centre, speed = s.x + s.R @ body.c, s.xd + s.R @ cross(s.w, body.c)
            energy += body.mass * (speed @ speed / 2 - system.gravity @ centre) + s.w @ body.J @ s.w / 2
            spin += body.mass * cross(centre, speed) + s.R @ body.J @ s.w
        out["energy.total"] = energy
        out.update(zip(("angular_momentum.x", "angular_momentum.y", "angular_momentum.z"), spin))
        row = 0
        for joint in system.joints:
            A = GROUND if joint.a is None else motions[joint.a]
            self._joint(out, joint, A, motions[joint.b], lam[row : row + joint.size])
            row += joint.size
        return out

    def _joint(self, out, joint, A, B, lam):
        for i, c in enumerate(lam):
            out[f"{joint.name}.lambda.{i}"] = c
        if joint.type == "distance":
            return
        out.update(zip((f"{joint.name}.force.{c}" for c in "xyz"), -lam[:3]))
        if joint.type != "revolute":
            return
        J = joint.evaluate(A, B)[2]
        out.update(zip((f"{joint.name}.moment.{c}" for c in "xyz"), -B.R @ (J[3:, 3:].T @ lam[3:])))
        e = B.R @ joint.t1
        angle = math.atan2(e @ (A.R @ joint.t2), e @ (A.R @ joint.t1))
        last = self.angles.get(joint.name, 0.0)
        out[f"{joint.name}.angle"] = self.angles[joint.name] = (
            angle + 2 * math.pi * round((last - angle) / (2 * math.pi))
        )
        out[f"{joint.name}.rate"] = (A.R @ joint.n) @ (B.R @ B.w - A.R @ A.w)


def simulate(scene, refine=1, group=None, start=None, step=None, every=None, duration=None, rho=None):
    """Signals at the output times, with the scene's step divided by `refine`."""
    options = scene["simulation"]
    h = (step or options["step"]) / refine
    every = (every or scene["output"]["every"]) * refine
    count = round((duration or options["duration"]) / h)
    system = System(scene, group)
    method = GeneralizedAlpha(system, rho or options["rho_inf"], h)
    method.start(start or options["start"])
    record = Recorder(system)
    table = [record(*method.shown())]
    for n in range(1, count + 1):
        method.step()
        row = record(*method.shown())
        if n % every == 0:
            table.append(row)
    return table


def errors(columns, rows, table):
    """Largest Euclidean norm of the error per signal, as `torsor compare` measures it; quaternions up to sign."""
    groups = {}
    for column in columns:
        if column != "t":
            groups.setdefault(signal_of(column), []).append(column)
    out = dict.fromkeys(groups, 0.0)
    for row, got in zip(rows, table, strict=True):
        exact = dict(zip(columns, map(float, row)))
        for signal, members in groups.items():
            flips = signal.endswith("quaternion") and sum(exact[c] * got[c] for c in members) < 0
            sign = -1 if flips else 1
            norm = math.sqrt(sum((sign * exact[c] - got[c]) ** 2 for c in members))
            out[signal] = max(out[signal], norm)
    return out


def tables(scene):
    """Signals at the scene's step and at half of it."""
    return [simulate(scene, refine) for refine in (1, 2)]


def tolerances(name, columns, rows, reference, simulated=None, constant=None):
    """Tolerance map of a sidecar from the measured errors at h and h/2, checked to be of second order.

    `simulated`: what `tables` gave, if it is known.  `constant`: tolerances of signals that the method gets without error.
    """
    scene = load_scene(name)
    options = scene["simulation"]
    coarse, fine = (errors(columns, rows, table) for table in simulated or tables(scene))
    out = {}
    for signal, error in coarse.items():
        if signal in (constant or {}):
            assert error < constant[signal]["value"]
            out[signal] = constant[signal]
            continue
        ratio = error / fine[signal]
        print(f"  {name:16} {signal:28} e(h) {error:.3e}  e(h/2) {fine[signal]:.3e}  ratio {ratio:.3f}")
        # a little wide: the first step's transient may fall between the outputs of the halved step
        assert 3.6 < ratio < 4.6, "not of second order: the error is no basis for a tolerance"
        out[signal] = {
            "value": float(f"{1.5 * error + reference[signal]:.2e}"),
            "basis": f"1.5 x {error:.2e}, the method's error at h = {options['step']:g} by galpha.py (order "
            f"{math.log2(ratio):.2f}), + {reference[signal]:.0e} of the reference",
        }
    return out
