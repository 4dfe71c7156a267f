# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of beams, rigid bodies and joints written apart from the engine: the same equations on the same mesh.

All nodes move by body twists V and all equations are wrenches in the nodes' axes.  The maps of se(3) are polynomials of ad with
coefficients from power series; what moves along with a node (rates of the interpolation, curvature of constraints) comes
from complex steps, matrices for Newton's iteration from differences.  flexible_time.py solves these equations."""

import math
import re
from fractions import Fraction

import numpy as np

from common import MATHS
from element_order import Stresses

POINTS = (0.5 - 0.5 / math.sqrt(3), 0.5 + 0.5 / math.sqrt(3))
LARGEST = 2.0  # rad within an element: the series below are good to 1e-16 there
STEP = 1e-30  # complex
DIFFERENCE = 1e-7

# ---- maps of se(3) ------------------------------------------------------------------------------


def bernoulli(count):
    """B_k/k!, B_1 = -1/2."""
    b = [Fraction(1)]
    for k in range(1, count):
        b.append(-sum(b[j] / math.factorial(k + 1 - j) for j in range(k)))
    return b


def reduced(series, terms):
    """sum series[k] ad^k as ad + .. ad^4 with coefficients in x = |w|^2, by ad^5 = -2 x ad^3 - x^2 ad."""
    power = [[Fraction(0)] * terms for _ in range(4)]  # of ad^k in ad, .., ad^4
    power[0][0] = Fraction(1)
    total = [[Fraction(0)] * terms for _ in range(4)]
    up = lambda c, n: [Fraction(0)] * n + c[: terms - n]
    for k in range(1, len(series)):
        for j in range(4):
            total[j] = [a + series[k] * b for a, b in zip(total[j], power[j])]
        last = power[3]
        power = [[-a for a in up(last, 2)], power[0], [a - 2 * b for a, b in zip(power[1], up(last, 1))], power[2]]
    return np.array([[float(a) for a in c] for c in total]).T


SERIES = 18
TAN = reduced([Fraction((-1) ** k, math.factorial(k + 1)) for k in range(40)], SERIES)
TANINV = reduced([(-1) ** k * b for k, b in enumerate(bernoulli(46))], SERIES + 3)
LOG = np.array([float(b) * (-1) ** k for k, b in enumerate(bernoulli(46)[2::2])])[:, None]  # of w~^2 in T^-1 on so(3)


def polynomials(c, x):
    """Values [.., k] of the polynomials with the coefficients c [terms, k]."""
    powers = np.empty(x.shape + (len(c),), x.dtype)
    powers[..., 0], powers[..., 1:] = 1, x[..., None]
    return np.cumprod(powers, axis=-1) @ c


def skew(v):
    out = np.zeros(v.shape + (3,), v.dtype)
    out[..., 0, 1], out[..., 0, 2] = -v[..., 2], v[..., 1]
    out[..., 1, 0], out[..., 1, 2] = v[..., 2], -v[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -v[..., 1], v[..., 0]
    return out


def ad(h):
    out = np.zeros(h.shape + (6,), h.dtype)
    out[..., :3, :3] = out[..., 3:, 3:] = skew(h[..., 3:])
    out[..., :3, 3:] = skew(h[..., :3])
    return out


def mul(A, v):
    return (A @ v[..., None])[..., 0]


def tmul(A, v):
    return mul(np.swapaxes(A, -1, -2), v)


def adjoint_inverse(R, p):
    """Twists seen from the frame (R, p)."""
    out = np.zeros(R.shape[:-2] + (6, 6), np.result_type(R, p))
    Rt = np.swapaxes(R, -1, -2)
    out[..., :3, :3] = out[..., 3:, 3:] = Rt
    out[..., :3, 3:] = -Rt @ skew(p)
    return out


class Map:
    """T or T^-1 of a twist, or of its multiple."""

    def __init__(self, A, x, coefficients):
        self.A, self.c = A, polynomials(coefficients, x)

    def __call__(self, v, transposed=False):
        A = np.swapaxes(self.A, -1, -2) if transposed else self.A
        total, power = v, v
        for k in range(4):
            power = mul(A, power)
            total = total + self.c[..., k, None] * power
        return total


def tan(h):
    return Map(ad(h), (h[..., 3:] ** 2).sum(-1), TAN)


def taninv(h):
    return Map(ad(h), (h[..., 3:] ** 2).sum(-1), TANINV)


def rotation(w):
    """exp of rotation vectors."""
    t = np.sqrt((w * w).sum(-1))[..., None, None]
    W = skew(w)
    return np.eye(3) + np.sinc(t / math.pi) * W + 0.5 * np.sinc(t / (2 * math.pi)) ** 2 * (W @ W)


def exp_map(h):
    """Rotation and translation of exp(h)."""
    return rotation(h[..., 3:]), tan(h * np.array([0, 0, 0, 1.0, 1, 1]))(h * np.array([1.0, 1, 1, 0, 0, 0]), True)[..., :3]


def log_map(R, p):
    axis = np.stack((R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]), -1) / 2
    sine = np.sqrt((axis * axis).sum(-1))
    angle = np.arctan2(sine, (np.trace(R, axis1=-2, axis2=-1) - 1) / 2)
    w = axis * np.where(sine > 1e-4, angle / np.where(sine > 0, sine, 1), 1 + sine**2 / 6)[..., None]
    assert np.all(angle < LARGEST), "an element turns too much in itself"
    once = np.cross(w, p)
    u = p - once / 2 + polynomials(LOG, (w * w).sum(-1)) * np.cross(w, once)
    return np.concatenate((u, w), -1)


def quaternion(R):
    """Of a rotation; its sign is free."""
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    form = np.zeros((4, 4))
    form[0, 0], form[0, 1:], form[1:, 0] = np.trace(R), v, v
    form[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    return np.linalg.eigh(form)[1][:, -1]


# ---- numbers and functions of a scene -------------------------------------------------------------


def choices(text):
    """a ? b : c, also within parentheses, as Python has it."""
    out, depth, begin, marks = "", 0, 0, {}
    for k, c in enumerate(text):
        if c == "(":
            begin = k if depth == 0 else begin
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                out += "(" + choices(text[begin + 1 : k]) + ")"
        elif depth == 0:
            if c in "?:":
                marks.setdefault(c, len(out))
            out += c
    if "?" not in marks:
        return out
    a, b, c = out[: marks["?"]], out[marks["?"] + 1 : marks[":"]], out[marks[":"] + 1 :]
    return f"({b}) if ({a}) else ({c})"


class Reader:
    """Expressions, functions of time (value, rate, second derivative) and places of a scene."""

    def __init__(self, scene):
        self.known = scene.get("parameters", {})
        self.functions = scene.get("functions", {})

    def python(self, text):
        return choices(re.sub(r"(\d) deg", r"\1*pi/180", text).replace("^", "**").replace("&&", " and "))

    def expression(self, text):
        code = compile(self.python(text).strip(), text, "eval")
        return lambda t: float(eval(code, {"__builtins__": {}, **MATHS}, {**self.known, "t": t}))

    def __call__(self, item):
        if isinstance(item, list):
            return np.array([self(i) for i in item])
        return self.expression(item)(0.0) if isinstance(item, str) else float(item)

    def function(self, item):
        """Three functions of t; derivatives that the scene does not give are None."""
        if isinstance(item, str) and item in self.functions:
            item = self.functions[item]
        if isinstance(item, (int, float)):
            return (lambda t: float(item)), (lambda t: 0.0), (lambda t: 0.0)
        if isinstance(item, str):
            return self.expression(item), None, None
        if "table" in item:
            assert item["interpolation"] == "linear"
            rows = np.array([self(row) for row in item["table"]])
            return (lambda t: float(np.interp(t, rows[:, 0], rows[:, 1]))), None, None
        return tuple(self.function(item[k])[0] if k in item else None for k in ("value", "rate", "second"))

    def frame(self, item):
        """Orientation."""
        if item is None:
            return np.eye(3)
        if "euler" in item:
            turns = [rotation(self(angle) * np.eye(3)["xyz".index(axis)]) for axis, angle in zip(item["euler"], item["angles"])]
            return turns[0] @ turns[1] @ turns[2]
        return rotation(self(item["rotation_vector"]))


def toward(x):
    """The smallest rotation from the first axis to x."""
    x = x / np.linalg.norm(x)
    axis = np.cross([1.0, 0, 0], x)
    sine = np.linalg.norm(axis)
    if sine == 0:
        return np.diag([1.0, 1, 1]) if x[0] > 0 else np.diag([-1.0, -1, 1])
    return rotation(axis / sine * math.atan2(sine, x[0]))


def symmetric(item):
    return np.diag(item) if np.ndim(item) == 1 else np.array(item, float)


# ---- joints -----------------------------------------------------------------------------------------


class Joint:
    """Rows along(a, i): a . p, and cosine(a, b): a . R b, of the frame (R, p) of b in a."""

    def __init__(self, spec, place, read, x, R):
        self.name, self.kind = spec["name"], spec["type"]
        (self.a, self.Ca, self.pa), (self.b, self.Cb, self.pb) = place(spec["a"]), place(spec["b"])
        Rr, p = self.relative(x, R)
        n = np.array(read(spec.get("axis", [0, 0, 1])), float)
        n /= np.linalg.norm(n)
        t1 = np.cross(n, np.eye(3)[np.argmin(abs(n))])
        t1 /= np.linalg.norm(t1)
        t2 = np.cross(n, t1)
        across = [t1, t2]
        self.n_b, self.t1, self.t2 = Rr.T @ n, t1, t2
        self.along = {"cylindrical": across, "point_on_line": across}.get(self.kind, list(np.eye(3)))
        self.cosines = {
            "revolute": [(t1, self.n_b), (t2, self.n_b)],
            "cylindrical": [(t1, self.n_b), (t2, self.n_b)],
            "weld": [(t1, self.n_b), (t2, self.n_b), (t1, Rr.T @ t2)],
        }.get(self.kind, [])
        self.drive = None  # three functions of the angle

    @property
    def size(self):
        return len(self.along) + len(self.cosines) + (self.drive is not None)

    def marker(self, x, R, node, C, p):
        return (p, C) if node is None else (x[node] + R[node] @ p, R[node] @ C)

    def relative(self, x, R):
        (xa, Ra), (xb, Rb) = self.marker(x, R, self.a, self.Ca, self.pa), self.marker(x, R, self.b, self.Cb, self.pb)
        return Ra.T @ Rb, Ra.T @ (xb - xa)

    def jacobian(self, Rr):
        J = np.zeros((self.size, 6), Rr.dtype)
        for i, a in enumerate(self.along):
            J[i, :3] = Rr.T @ a
        for i, (a, b) in enumerate(self.cosines, len(self.along)):
            c = Rr.T @ a
            J[i, 3:] = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
        if self.drive:
            J[-1, 3:] = self.n_b
        return J

    def rows(self, x, R):
        """Jacobians on the nodes' twists."""
        Rr, p = self.relative(x, R)
        J = self.jacobian(Rr)
        out = []
        if self.b is not None:
            out.append((self.b, J @ adjoint_inverse(self.Cb, self.pb)))
        if self.a is not None:
            out.append((self.a, -J @ adjoint_inverse(Rr, p) @ adjoint_inverse(self.Ca, self.pa)))
        return out

    def phi(self, x, R, t):
        Rr, p = self.relative(x, R)
        rows = [a @ p for a in self.along] + [a @ Rr @ b for a, b in self.cosines]
        if self.drive:
            off = self.coordinate(Rr) - self.drive[0](t)
            rows.append(off - 2 * math.pi * round(off / (2 * math.pi)))
        return np.array(rows)

    def coordinate(self, Rr):
        """The angle by which the frame of b is turned against that of a about n."""
        e = Rr @ self.t1
        return math.atan2(e @ self.t2, e @ self.t1)

    def given(self, t, derivative):
        out = np.zeros(self.size)
        if self.drive:
            out[-1] = -self.drive[derivative](t)
        return out


# ---- the system ---------------------------------------------------------------------------------------


class System:
    """`nodes` frames x [n, 3], R [n, 3, 3]; twists V and rates A [n, 6]; multipliers [m]."""

    def __init__(self, scene):
        self.read = read = Reader(scene)
        self.gravity = np.array(read(scene.get("gravity", [0, 0, 0])))
        self.sections = scene.get("sections", {})
        self.x, self.R, self.names, self.first, self.count_of = [], [], [], {}, {}
        self.bodies, elements = [], []
        for spec in scene["bodies"]:
            (self.add_beam if spec["type"] == "beam" else self.add_body)(spec, elements)
        self.x, self.R = np.array(self.x), np.array(self.R)
        self.count = len(self.x)
        self.i, self.j = (np.array([e[k] for e in elements], int) for k in (0, 1))
        self.L = np.array([e[2] for e in elements])[:, None]
        self.K, self.M = (np.array([e[k] for e in elements]).reshape(-1, 6, 6) for k in (3, 4))
        self.lag = np.array([e[5] for e in elements])[:, None]
        self.d0 = self.log(self.x, self.R) if len(self.L) else np.zeros((0, 6))
        self.inner = Stresses(self.L[:, 0], self.K, self.d0, np.array([e[6] for e in elements]))
        self.joints = [Joint(s, self.place, read, self.x, self.R) for s in scene["joints"] if s["type"] not in ("drive", "sensor", "angle_sensor")]
        for s in scene["joints"]:
            if s["type"] == "drive":
                joint = next(j for j in self.joints if j.name == s["coordinate"].split(".")[0])
                joint.drive = read.function(s["motion"])
        self.m = sum(j.size for j in self.joints)
        self.loads = {s["name"]: self.load(s) for s in scene["forces"]}
        self.switches = [self.switch(event) for event in scene.get("events", [])]

    def node(self, x, R, name):
        self.x.append(x), self.R.append(R), self.names.append(name)
        return len(self.x) - 1

    def add_body(self, spec, _):
        read = self.read
        node = self.node(read(spec.get("position", [0, 0, 0])), read.frame(spec.get("orientation")), spec["name"])
        m, J, c = read(spec["mass"]), symmetric(read(spec["inertia"])), read(spec.get("center_of_mass", [0, 0, 0]))
        s = skew(np.array(c, float))
        self.bodies.append((node, np.block([[m * np.eye(3), -m * s], [m * s, J - m * s @ s]])))
        self.first[spec["name"]] = node

    def add_beam(self, spec, elements):
        read = self.read
        section = self.sections[spec["section"]] if isinstance(spec["section"], str) else spec["section"]
        K, M = symmetric(read(section["stiffness"])), symmetric(read(section["inertia"]))
        start, n = np.array(read(spec.get("position", [0, 0, 0])), float), round(read(spec["elements"]))
        if "end" in spec:
            along = read(spec["end"]) - start
            length = np.linalg.norm(along)
            R = toward(along) if "orientation" not in spec else read.frame(spec["orientation"])
        else:
            R, length = read.frame(spec.get("orientation")), read(spec["length"])
        lag, order = read(spec.get("damping_factor", 0)), round(read(spec.get("order", 4)))
        self.first[spec["name"]], self.count_of[spec["name"]] = len(self.x), n
        for k in range(n + 1):
            node = self.node(start + R[:, 0] * length * k / n, R, f"{spec['name']}[{k}]")
            if k:
                elements.append((node - 1, node, length / n, K, M, lag, order))

    def index(self, name):
        """Node of "body", "beam.end", "beam[3]", "beam@0.25"."""
        found = re.fullmatch(r"([\w-]+)(?:\.(start|end)|\[(\d+)\]|@([\d.]+))?", name)
        beam, end, number, part = found.groups()
        first, n = self.first[beam], self.count_of.get(beam, 0)
        return first + (n if end == "end" else int(number) if number else round(float(part) * n) if part else 0)

    def place(self, spec):
        spec = {"body": spec} if isinstance(spec, str) else spec
        p, C = np.array(self.read(spec.get("position", [0, 0, 0])), float), self.read.frame(spec.get("orientation"))
        return (None if spec["body"] == "ground" else self.index(spec["body"])), C, p

    def switch(self, event):
        """Time and names of forces that vanish then."""
        time = re.fullmatch(r"t - ([\d.]+)", event["when"])
        return float(time[1]), event["action"]["off"]

    def load(self, spec):
        assert spec["type"] == "force"
        node, C, p = self.place(spec["at"])
        vectors = [np.array(self.read(spec.get(k, [0, 0, 0])), float) for k in ("force", "moment")]
        scale = self.read.function(spec.get("scale", 1))[0]
        return node, p, C, *vectors, scale, spec.get("axes", "inertial") == "body"

    # -- elements

    def log(self, x, R, k=slice(None)):
        Ra = R[..., self.i[k], :, :]
        Rt = np.swapaxes(Ra, -1, -2)
        return log_map(Rt @ R[..., self.j[k], :, :], mul(Rt, x[..., self.j[k], :] - x[..., self.i[k], :]))

    def damping(self, rate):
        return mul(self.inner.fixed, self.lag / self.L * rate)

    def elements(self, d, Va, Vb, Aa, Ab, Ra):
        """Wrenches on both nodes [.., e, 6], as they stand in M A + g = 0, from d of the elements and the motion of their nodes."""
        inverse = taninv(d)
        reverse = taninv(-d)
        rate = inverse(Vb) - reverse(Va)
        stress = self.inner.generalised(d, self.inner.sigma(d)) + self.damping(rate)
        first, second = -reverse(stress, True), inverse(stress, True)
        moved = d + 1j * STEP * rate
        moved_inverse = taninv(moved)
        dV, dA = Vb - Va, Ab - Aa
        along, across = moved_inverse(dV.astype(complex)), inverse(dA)
        for s in POINTS:
            swept = tan(s * moved)(along) * s
            outer = tan(s * d)
            V = Va + swept.real
            A = Aa + outer(across) * s + swept.imag / STEP
            g = mul(np.swapaxes(rotation(s * d[..., 3:]), -1, -2), mul(np.swapaxes(Ra, -1, -2), self.gravity))
            A = A - np.concatenate((g, 0 * g), -1)
            f = self.L / 2 * (mul(self.M, A) - tmul(ad(V), mul(self.M, V)))
            share = s * inverse(outer(f, True), True)
            first, second = first + f - share, second + share
        return first, second

    def rigid(self, R, V, A):
        out = np.zeros(V.shape)
        for node, M in self.bodies:
            g = mul(np.swapaxes(R[..., node, :, :], -1, -2), self.gravity)
            v, a = V[..., node, :], A[..., node, :] - np.concatenate((g, 0 * g), -1)
            out[..., node, :] += mul(M, a) - tmul(ad(v), mul(M, v))
        return out

    def applied(self, t, R):
        out = np.zeros((self.count, 6))
        for node, p, C, force, moment, scale, body in self.loads.values():
            s = scale(t)
            f, m = (s * C @ force, s * C @ moment) if body else (s * R[node].T @ force, s * R[node].T @ moment)
            out[node, :3] += f
            out[node, 3:] += m + np.cross(p, f)
        return out

    def wrench(self, t, x, R, V, A):
        """Residual without multipliers, for a batch of states [k, n, ..] at the times t [k]."""
        out = self.rigid(R, V, A)
        for k, tk in enumerate(t):
            out[k] -= self.applied(tk, R[k])
        if len(self.L):
            d = self.log(x, R)
            i, j = self.i, self.j
            first, second = self.elements(d, V[:, i], V[:, j], A[:, i], A[:, j], R[:, i])
            np.add.at(out, (slice(None), i), first)
            np.add.at(out, (slice(None), j), second)
        return out

    # -- matrices

    def matrices(self, t, x, R, V, A):
        """d wrench / d (A, V, body variations), [6n, 6n] each, by differences of the elements."""
        n = self.count
        out = [np.zeros((n, 6, n, 6)) for _ in range(3)]
        self.matrices_of_nodes(out, t, R, V, A)
        if len(self.L):
            self.matrices_of_elements(out, x, R, V, A)
        return [m.reshape(6 * n, 6 * n) for m in out]

    def matrices_of_nodes(self, out, t, R, V, A):
        for node, M in self.bodies:
            v = V[node]
            P = M @ v
            breve = np.zeros((6, 6))
            breve[:3, 3:] = breve[3:, :3] = skew(P[:3])
            breve[3:, 3:] = skew(P[3:])
            out[0][node, :, node] += M
            out[1][node, :, node] -= breve + ad(v).T @ M
            g = np.zeros((6, 6))
            g[:3, 3:] = skew(R[node].T @ self.gravity)
            out[2][node, :, node] -= M @ g
        for node, p, C, force, moment, scale, body in self.loads.values():
            if body:
                continue
            s = scale(t)
            f, m = s * R[node].T @ force, s * R[node].T @ moment
            turn = skew(f)
            out[2][node, :3, node, 3:] -= turn
            out[2][node, 3:, node, 3:] -= skew(m) + skew(p) @ turn

    def matrices_of_elements(self, out, x, R, V, A):
        i, j, count = self.i, self.j, len(self.L)
        d = self.log(x, R)
        inverse, reverse = taninv(d), taninv(-d)
        base = self.elements(d, V[i], V[j], A[i], A[j], R[i])
        E = np.eye(6)
        zero = np.zeros((37, count, 6))
        dV, dA = [zero.copy(), zero.copy()], [zero.copy(), zero.copy()]
        dd, turned = zero.copy(), np.broadcast_to(R[i], (37, count, 3, 3)).copy()
        scale = DIFFERENCE * max(1.0, np.abs(V).max())
        size = DIFFERENCE * max(1.0, np.abs(A).max())
        for k in range(6):
            for side in (0, 1):
                dA[side][6 * side + k] = size * E[k]
                dV[side][12 + 6 * side + k] = scale * E[k]
            dd[24 + k] = -DIFFERENCE * reverse(np.broadcast_to(E[k], d.shape))
            dd[30 + k] = DIFFERENCE * inverse(np.broadcast_to(E[k], d.shape))
            if k > 2:
                turned[24 + k] = R[i] @ rotation(DIFFERENCE * E[k, 3:])
        moved = self.elements(d + dd, V[i] + dV[0], V[j] + dV[1], A[i] + dA[0], A[j] + dA[1], turned)
        for matrix, begin, h in ((out[0], 0, size), (out[1], 12, scale), (out[2], 24, DIFFERENCE)):
            for row, node in ((0, i), (1, j)):
                change = (moved[row] - base[row]) / h
                for column, other in ((0, i), (1, j)):
                    block = np.moveaxis(change[begin + 6 * column : begin + 6 * column + 6], 0, -1)
                    for e in range(count):
                        matrix[node[e], :, other[e]] += block[e]

    # -- constraints

    def B(self, x, R):
        out, row = np.zeros((self.m, self.count, 6), np.result_type(x, R)), 0
        for joint in self.joints:
            for node, J in joint.rows(x, R):
                out[row : row + joint.size, node] += J
            row += joint.size
        return out.reshape(self.m, 6 * self.count)

    def phi(self, t, x, R):
        return np.concatenate([j.phi(x, R, t) for j in self.joints] + [np.zeros(0)])

    def given(self, t, derivative):
        return np.concatenate([j.given(t, derivative) for j in self.joints] + [np.zeros(0)])

    def curvature(self, t, x, R, V):
        """d/dt (B V + phi_t) at V' = 0."""
        turned = R @ (np.eye(3) + 1j * STEP * skew(V[:, 3:]))
        moved = x + 1j * STEP * mul(R, V[:, :3])
        return (self.B(moved, turned) @ V.ravel()).imag / STEP + self.given(t, 2)

    def multiplier_stiffness(self, x, R, lam):
        """d(B^T lambda) by differences over the body variations of the joints' nodes."""
        n = 6 * self.count
        out, row = np.zeros((n, n)), 0
        for joint in self.joints:
            l = lam[row : row + joint.size]
            row += joint.size
            nodes = [k for k in (joint.a, joint.b) if k is not None]
            for node in nodes:
                for k in range(6):
                    moved, turned = x.astype(complex), R.astype(complex)
                    if k < 3:
                        moved[node] = moved[node] + 1j * STEP * R[node][:, k]
                    else:
                        turned[node] = turned[node] @ (np.eye(3) + 1j * STEP * skew(np.eye(3)[k - 3]))
                    for other, J in joint.rows(moved, turned):
                        out[6 * other : 6 * other + 6, 6 * node + k] += (J.T @ l).imag / STEP
        return out

    def accelerations(self, t, x, R, V):
        """A and multipliers."""
        zero = np.zeros_like(V)
        f = self.wrench([t], x[None], R[None], V[None], zero[None])[0].ravel()
        M, B = self.matrices(t, x, R, V, zero)[0], self.B(x, R)
        S = np.block([[M, B.T], [B, np.zeros((self.m, self.m))]])
        X = np.linalg.solve(S, np.concatenate((-f, -self.curvature(t, x, R, V))))
        # the mass matrix is a difference of a linear function, but rounded: once more
        A, lam = X[: f.size].reshape(V.shape), X[f.size :]
        left = self.wrench([t], x[None], R[None], V[None], A[None])[0].ravel() + B.T @ lam
        X = np.linalg.solve(S, np.concatenate((-left, -self.curvature(t, x, R, V) - B @ A.ravel())))
        return A + X[: f.size].reshape(V.shape), lam + X[f.size :]

    def velocities(self, t, V):
        """The nearest that the constraints allow, in the metric of the masses."""
        x, R = self.x, self.R
        M, B = self.matrices(t, x, R, V, np.zeros_like(V))[0], self.B(x, R)
        S = np.block([[M, B.T], [B, np.zeros((self.m, self.m))]])
        X = np.linalg.solve(S, np.concatenate((np.zeros(len(M)), -(B @ V.ravel() + self.given(t, 1)))))
        return V + X[: len(M)].reshape(V.shape)

    # -- signals

    def energy(self, x, R, V):
        kinetic = potential = elastic = 0.0
        for node, M in self.bodies:
            kinetic += V[node] @ M @ V[node] / 2
            moment = np.array([M[5, 1], M[3, 2], M[4, 0]])
            potential -= (M[0, 0] * x[node] + R[node] @ moment) @ self.gravity
        if len(self.L):
            i, j, d = self.i, self.j, self.log(x, R)
            elastic = float(self.inner.energy(d))
            inverse = taninv(d)
            for s in POINTS:
                v = V[i] + s * tan(s * d)(inverse(V[j] - V[i]))
                kinetic += float((self.L[:, 0] / 4 * (v * mul(self.M, v)).sum(-1)).sum())
                turned, moved = exp_map(s * d)
                at, frame = x[i] + mul(R[i], moved), R[i] @ turned
                moment = np.stack((self.M[:, 5, 1], self.M[:, 3, 2], self.M[:, 4, 0]), -1)
                weight = self.M[:, :1, 0] * at + mul(frame, moment)
                potential -= float((self.L[:, 0] / 2 * (weight @ self.gravity)).sum())
        return {"kinetic": kinetic, "potential": potential, "elastic": elastic, "total": kinetic + potential + elastic}

    def stress(self, x, R, V):
        d = self.log(x, R)
        rate = taninv(d)(V[self.j]) - taninv(-d)(V[self.i])
        return self.inner.sigma(d) + self.damping(rate)

    def record(self, columns, t, x, R, V, A, lam):
        """Values of the columns, named as the engine names them."""
        cache = {}

        def value(column):
            signal, _, axis = column.rpartition(".")
            if signal == "energy":
                return cache.setdefault("energy", self.energy(x, R, V))[axis]
            if signal not in cache:
                cache[signal] = self.vector(signal, cache, x, R, V, A, lam)
            return cache[signal]["wxyz".index(axis) if len(cache[signal]) == 4 else "xyz".index(axis)]

        return [t if c == "t" else value(c) for c in columns]

    def vector(self, signal, cache, x, R, V, A, lam):
        owner, _, what = signal.rpartition(".")
        section = re.fullmatch(r"section_(force|moment)\[(\d+)\]", what)
        if section:
            stress = cache.setdefault("stress", self.stress(x, R, V))
            e = stress[int(np.nonzero(self.i == self.first[owner] + int(section[2]))[0][0])]
            return e[:3] if section[1] == "force" else e[3:]
        joint = next((j for j in self.joints if j.name == owner), None)
        if joint:
            return self.reaction(joint, what, x, R, lam)
        k = self.index(owner)
        return {
            "position": lambda: x[k],
            "velocity": lambda: R[k] @ V[k, :3],
            "acceleration": lambda: R[k] @ (A[k, :3] + np.cross(V[k, 3:], V[k, :3])),
            "angular_velocity": lambda: V[k, 3:],
            "angular_acceleration": lambda: A[k, 3:],
            "quaternion": lambda: quaternion(R[k]),
        }[what]()

    def reaction(self, joint, what, x, R, lam):
        row = sum(j.size for j in self.joints[: self.joints.index(joint)])
        Rr, _ = joint.relative(x, R)
        J, l = joint.jacobian(Rr), lam[row : row + joint.size].copy()
        if joint.drive:
            l[-1] = 0  # its effort is not the joint's
        f = -J.T @ l
        turned = joint.marker(x, R, joint.b, joint.Cb, joint.pb)[1]
        return turned @ (f[:3] if what == "force" else f[3:])
