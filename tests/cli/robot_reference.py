# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse dynamics of robots straight from their URDF files, by Newton's and Euler's equations of every link, in plain Python: apart
from the engine and from the importer.  Nothing is merged here: links that are fixed to others have equations of their own."""

import math
import xml.etree.ElementTree as ElementTree

GRAVITY = (0.0, 0.0, -9.81)


def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def scale(s, a):
    return [s * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def apply(A, v):
    return [dot(row, v) for row in A]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transpose(A):
    return [list(row) for row in zip(*A)]


def unit(a):
    return scale(1 / math.sqrt(dot(a, a)), a)


def rotation(axis, angle):
    x, y, z = unit(axis)
    c, s = math.cos(angle), math.sin(angle)
    t = 1 - c
    return [[t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c]]


def numbers(node, key, default):
    return [float(word) for word in node.get(key, default).split()] if node is not None else [float(w) for w in default.split()]


def pose(node):
    roll, pitch, yaw = numbers(node, "rpy", "0 0 0")
    turn = product(rotation([0, 0, 1], yaw), product(rotation([0, 1, 0], pitch), rotation([1, 0, 0], roll)))
    return numbers(node, "xyz", "0 0 0"), turn


class Joint:
    def __init__(self, node):
        self.name, self.kind = node.get("name"), node.get("type")
        self.parent, self.child = node.find("parent").get("link"), node.find("child").get("link")
        self.place, self.turn = pose(node.find("origin"))
        axis = node.find("axis")
        self.axis = unit(numbers(axis, "xyz", "1 0 0")) if axis is not None else [1, 0, 0]
        limit, mimic = node.find("limit"), node.find("mimic")
        self.limits = None
        if limit is not None and self.kind in ("revolute", "prismatic"):
            self.limits = float(limit.get("lower", 0)), float(limit.get("upper", 0))
        self.mimic = None
        if mimic is not None:
            self.mimic = mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
        self.moves = self.kind in ("revolute", "continuous", "prismatic")
        self.slides = self.kind == "prismatic"


class Robot:
    """The tree of a file, and the points that joints closing loops hold together."""

    def __init__(self, file):
        root = ElementTree.parse(file).getroot()
        self.mass = {}
        for link in root.findall("link"):
            inertial = link.find("inertial")
            self.mass[link.get("name")] = None
            if inertial is None:
                continue
            center, turn = pose(inertial.find("origin"))
            j = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
            J = [[j["ixx"], j["ixy"], j["ixz"]], [j["ixy"], j["iyy"], j["iyz"]], [j["ixz"], j["iyz"], j["izz"]]]
            self.mass[link.get("name")] = float(inertial.find("mass").get("value")), center, product(product(turn, J), transpose(turn))
        self.joints, self.loops, held = [], [], set()
        for joint in map(Joint, root.findall("joint")):
            if joint.child in held:  # a second joint of a link closes a loop, in the origin of that link
                self.loops.append((joint.parent, joint.place, joint.child, [0, 0, 0]))
                continue
            held.add(joint.child)
            self.joints.append(joint)
        for node in root.findall("loop_joint"):
            one, two = node.find("link1"), node.find("link2")
            self.loops.append((one.get("link"), numbers(one, "xyz", "0 0 0"), two.get("link"), numbers(two, "xyz", "0 0 0")))
        self.root = next(link for link in self.mass if link not in held)
        known, ordered = {self.root}, []
        while len(ordered) < len(self.joints):  # parents first
            for joint in self.joints:
                if joint.parent in known and joint.child not in known:
                    known.add(joint.child)
                    ordered.append(joint)
        self.joints = ordered
        self.moving = [j for j in self.joints if j.moves]

    def motion(self, q, v, a, base=None):
        """Of each link: rotation, place, angular velocity, velocity, angular acceleration, acceleration.  `base` is that of the root."""
        zero = [0.0, 0.0, 0.0]
        links = {self.root: base or ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], zero, zero, zero, zero, zero)}
        self.axes = {}
        for joint in self.joints:
            R, x, w, u, e, b = links[joint.parent]
            arm = apply(R, joint.place)
            frame = product(R, joint.turn)
            axis = apply(frame, joint.axis)
            x1 = add(x, arm)
            u1 = add(u, cross(w, arm))
            b1 = add(b, cross(e, arm), cross(w, cross(w, arm)))
            w1, e1 = w, e
            value, rate, second = (s.get(joint.name, 0.0) for s in (q, v, a))
            if joint.moves and joint.slides:
                way = scale(value, axis)
                x1 = add(x1, way)
                u1 = add(u1, cross(w, way), scale(rate, axis))
                b1 = add(b1, cross(e, way), cross(w, cross(w, way)), scale(2 * rate, cross(w, axis)), scale(second, axis))
            elif joint.moves:
                frame = product(frame, rotation(joint.axis, value))
                w1 = add(w, scale(rate, axis))
                e1 = add(e, scale(second, axis), scale(rate, cross(w, axis)))
            links[joint.child] = frame, x1, w1, u1, e1, b1
            self.axes[joint.name] = axis, x1
        return links

    def loads(self, links):
        """Of each link with mass: where its centre is, and the force and moment about it that its motion needs beyond gravity's."""
        found = {}
        for name, (R, x, w, _, e, b) in links.items():
            if not self.mass[name]:
                continue
            mass, center, J = self.mass[name]
            c = apply(R, center)
            inertia = product(product(R, J), transpose(R))
            acceleration = add(b, cross(e, c), cross(w, cross(w, c)), scale(-1, GRAVITY))
            found[name] = add(x, c), scale(mass, acceleration), add(apply(inertia, e), cross(w, apply(inertia, w)))
        return found

    def efforts(self, q, v, a, base=None):
        """Efforts of all joints that move, and the force and moment about the root's origin, as if no loop were closed."""
        links = self.motion(q, v, a, base)
        loads = self.loads(links)
        below = {name: {name} for name in self.mass}
        for joint in reversed(self.joints):
            below[joint.parent] |= below[joint.child]
        efforts = {}
        for joint in self.moving:
            axis, point = self.axes[joint.name]
            total = 0.0
            for name in below[joint.child]:
                if name in loads:
                    c, force, moment = loads[name]
                    about = add(moment, cross(add(c, scale(-1, point)), force))
                    total += dot(axis, force if joint.slides else about)
            efforts[joint.name] = total
        at = links[self.root][1]
        wrench = [0.0] * 6
        for c, force, moment in loads.values():
            about = add(moment, cross(add(c, scale(-1, at)), force))
            wrench = add(wrench, force + about)
        return efforts, wrench

    def gaps(self, q, v, a):
        """How far the loops are open, the rate of that and its second derivative."""
        links = self.motion(q, v, a)
        out = [], [], []
        for one, p, two, r in self.loops:
            ends = []
            for name, point in ((one, p), (two, r)):
                R, x, w, u, e, b = links[name]
                arm = apply(R, point)
                ends.append((add(x, arm), add(u, cross(w, arm)), add(b, cross(e, arm), cross(w, cross(w, arm)))))
            for k in range(3):
                out[k].extend(add(ends[0][k], scale(-1, ends[1][k])))
        return out


def solve(A, b):
    """Least squares of full column rank by Householder's reflections; b has one column."""
    A, b = [list(row) for row in A], list(b)
    rows, columns = len(A), len(A[0])
    for k in range(columns):
        norm = math.sqrt(sum(A[i][k] ** 2 for i in range(k, rows)))
        u = [0.0] * k + [A[i][k] for i in range(k, rows)]
        u[k] += math.copysign(norm, u[k])
        size = sum(x * x for x in u)
        for j in range(k, columns):
            s = 2 * sum(u[i] * A[i][j] for i in range(k, rows)) / size
            for i in range(k, rows):
                A[i][j] -= s * u[i]
        s = 2 * sum(u[i] * b[i] for i in range(k, rows)) / size
        for i in range(k, rows):
            b[i] -= s * u[i]
    x = [0.0] * columns
    for k in reversed(range(columns)):
        x[k] = (b[k] - sum(A[k][j] * x[j] for j in range(k + 1, columns))) / A[k][k]
    return x


def close(robot, q, v, a, led):
    """Make the joints that motors do not lead close the loops, with their rates and accelerations; returns d q / d (led joints)."""
    free = [j.name for j in robot.moving if j.name not in led]

    def jacobian(names):
        columns = [robot.gaps(q, {name: 1.0}, {})[1] for name in names]
        return transpose(columns)

    for _ in range(30):
        gap = robot.gaps(q, {}, {})[0]
        step = solve(jacobian(free), [-g for g in gap])
        for name, change in zip(free, step):
            q[name] += change
        if max(map(abs, step)) < 1e-15:
            break
    lead = robot.gaps(q, {n: v[n] for n in led}, {})[1]
    v.update(zip(free, solve(jacobian(free), [-g for g in lead])))
    second = robot.gaps(q, v, {n: a[n] for n in led})[2]
    a.update(zip(free, solve(jacobian(free), [-g for g in second])))
    return {n: dict(zip(free, solve(jacobian(free), [-g for g in robot.gaps(q, {n: 1.0}, {})[1]]))) for n in led}
