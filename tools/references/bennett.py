# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of bennett: closure in closed form, tan(th1/2) tan(th2/2) constant."""

import numpy as np

from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, constant, cos, matrix, sidecar, sin, tables, turning, vector

COLUMNS = (
    ["t", "hinge_1.angle", "hinge_1.rate"]
    + [c for s in ("link_2.position", "link_2.velocity", "link_3.position", "link_3.angular_velocity") for c in axes(s)]
    + ["energy.total"]
)


def about_z(c, s):
    return matrix([vector(c, s, 0.0), vector(-s, c, 0.0), vector(0.0, 0.0, 1.0)])


def about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return constant([[1, 0, 0], [0, c, -s], [0, s, c]])


class Linkage:
    """Links a, b, a move on a link b: turns th1, th2, th3 = -th1, th4 = -th2 in Denavit and Hartenberg's convention."""

    def __init__(self, parameters):
        p = parameters
        self.lengths, self.twists = (p["a"], p["b"], p["a"]), (p["al"], p["be"], p["al"])
        self.k = np.sin((p["be"] + p["al"]) / 2) / np.sin((p["be"] - p["al"]) / 2)
        self.mass = [p["rho"] * length for length in self.lengths]

    def chain(self, q):
        """Frames of the links, ends of the links."""
        half_s, half_c = sin(q * 0.5), cos(q * 0.5)
        over = 1.0 / (half_s * half_s + self.k**2 * half_c * half_c)
        c2 = (half_s * half_s - self.k**2 * half_c * half_c) * over
        s2 = 2 * self.k * half_s * half_c * over
        turns = ((cos(q), sin(q)), (c2, s2), (cos(q), -sin(q)))
        R, point = constant(np.eye(3)), vector(0.0, 0.0, 0.0)
        frames, points = [], [point]
        for (c, s), length, twist in zip(turns, self.lengths, self.twists):
            R = R @ about_z(c, s)
            frames.append(R)
            point = point + R @ constant([length, 0, 0])
            points.append(point)
            R = R @ about_x(twist)
        return frames, points, R

    def parts(self, q):
        frames, points, _ = self.chain(q)
        return [
            Part(m, np.diag([m * l**2 / 1200, m * l**2 / 12, m * l**2 / 12]), (a + b) * 0.5, turning(R))
            for m, l, R, a, b in zip(self.mass, self.lengths, frames, points, points[1:])
        ]

    def closure(self, q, parameters):
        """How far the last point and axis are from their places on the ground."""
        _, points, R = self.chain(Jet(q))
        axis = np.array([0, np.sin(parameters["be"]), np.cos(parameters["be"])])
        return max(np.abs(points[-1].v - [-parameters["b"], 0, 0]).max(), np.abs(R.v[:, 2] - axis).max())


def table(linkage, model, times, start, tolerance):
    rows = []
    for t, (q, rate) in zip(times, model.solve(start, 0.0, times, tolerance)):
        _, second, third = linkage.parts(Jet(q, 1.0))
        rows.append(
            [float(t), q, rate, *second.c.v, *(second.c.d * rate), *third.c.v, *(third.W * rate), model.energy(q, rate)]
        )
    return rows


def main():
    scene = load_scene("bennett")
    p, times = scene["parameters"], output_times(scene)
    linkage = Linkage(p)
    model = OneFreedom(linkage.parts, scene["gravity"])
    rows, check = table(linkage, model, times, p["th1"], 2.3e-14), table(linkage, model, times, p["th1"], 1e-12)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    closed = max(linkage.closure(r[1], p) for r in rows)
    place = [np.abs(part.c.v - np.array(body["position"])).max() for part, body in zip(linkage.parts(Jet(p["th1"])), scene["bodies"])]
    print(f"bennett: energy {energy:.1e}, closure {closed:.1e}, scene {max(place):.1e}")
    assert energy < 1e-11 and closed < 1e-14 and max(place) < 1e-15
    sidecar(
        "bennett",
        "bennett.py",
        "Bennett linkage",
        "Torsor's own case",
        "equation of motion of the first angle; closure in closed form, tan(th1/2) tan(th2/2) = sin((be + al)/2)/sin((be - al)/2), "
        f"holds to {closed:.0e}; DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; energy constant within {energy:.0e} J",
        COLUMNS,
        rows,
        check,
        tables(scene),
    )


if __name__ == "__main__":
    main()
