# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of lee_frame: limit points of a plane rod with a corner between two hinges."""

import math

import numpy as np
from numpy.polynomial import chebyshev

import rod
from cantilever import LOOSER, CLOSE, valued
from common import axes, load_scene, reference_error, write_csv, write_sidecar
from rod import Leg, newton, shoot
from rod_mesh import RodMesh, halves

COLUMNS = ["t", "load.factor", *axes("girder[4].position")]
DOWN = (math.sqrt(0.5), 0, 0, -math.sqrt(0.5))  # a quarter turn about -z
WIDE, POINTS = 0.6, 10  # around a limit
# u near the limits, and forces and angle at the first hinge and part of the load to start Newton's method from
STARTS = ((26.9, (-0.176, -0.711, 0.657, 0.929)), (90.2, (-0.264, -0.242, -1.357, -0.473)))
PUBLISHED = 18532  # the first limit by 10 quadratic elements of Simo and Vu-Quoc


class Frame:
    def __init__(self):
        self.scene = load_scene("lee_frame")
        known = self.scene["parameters"]
        stiffness = valued(self.scene["sections"]["bar"]["stiffness"], known)
        self.L, self.P, self.n = known["L"], known["P"], known["n"]
        self.legs = [
            Leg(self.L, stiffness),
            Leg(self.L / 5, stiffness, turned=DOWN, force=(0, -self.P, 0)),
            Leg(4 * self.L / 5, stiffness),
        ]

    def start(self, x):
        """States of the first hinge: forces and the angle there, and the part of the load."""
        y = np.zeros((len(x), 13))
        angle = math.pi / 2 + x[:, 2]
        y[:, 3], y[:, 6] = np.cos(angle / 2), np.sin(angle / 2)
        y[:, 7:9] = self.P * x[:, :2]
        return y

    def miss(self, x, u):
        first, loaded, last = shoot(self.legs, self.start(x), x[:, 3], [[1], [1], [1]])
        end, at = last[-1], loaded[-1]
        off = (end[:, :2] - self.L) / self.L
        return np.column_stack((off, end[:, 12] / (self.P * self.L), (at[:, 0] - self.L / 5 - u) / self.L))

    def at(self, u, x):
        """Forces, angle and part at the horizontal displacement u of the load."""
        return newton(lambda y: self.miss(y, u), x, np.ones(4))

    def mesh(self, u, x, n):
        """Part and place of the load in the scene's mesh at the same u."""
        elements = [n, n // 5, 4 * n // 5]
        states = shoot(self.legs, self.start(x[None]), x[3:], halves(elements))
        free = np.ones((sum(elements) + 1, 6), bool)
        free[0, :3] = free[-1, :3] = False
        mesh = RodMesh(self.legs, elements, free)
        node = n + n // 5
        held = (node, np.array([1.0, 0, 0]), self.L / 5 + u)
        r, _, part = mesh.settle([s[:, 0] for s in states], x[3], held)
        return part, r[node]

    def place(self, u, x):
        at = shoot(self.legs, self.start(x[None]), x[3:], [[1], [1], [1]])[1][-1][0]
        return x[3], at[:3]


def windows(frame):
    """Rods at Chebyshev's points around both limits: (middle, [(u, x)])."""
    out = []
    for middle, x in STARTS:
        found, x = [], np.array(x)
        for u in middle + WIDE * chebyshev.chebpts1(POINTS):
            x = frame.at(u, x)
            found.append((u, x))
        out.append((middle, found))
    return out


def limit(middle, found):
    """The limit of a polynomial through (part, place) at Chebyshev's points."""
    fit = lambda values: chebyshev.chebfit(chebyshev.chebpts1(POINTS), values, POINTS - 1)
    parts, ys = fit([part for part, _ in found]), fit([r[1] for _, r in found])
    z = min((z.real for z in chebyshev.chebroots(chebyshev.chebder(parts)) if abs(z.imag) < 1e-9), key=abs)
    assert abs(z) < 1
    return [chebyshev.chebval(z, parts), 24 + middle + WIDE * z, chebyshev.chebval(z, ys), 0.0]


def rows(frame, found, n=None):
    """Of the rod, or of a mesh."""
    answer = frame.place if n is None else lambda u, x: frame.mesh(u, x, n)
    return [[k + 1.0, *limit(middle, [answer(u, x) for u, x in points])] for k, (middle, points) in enumerate(found)]


def errors(rows, other):
    a, b = np.array(rows)[:, 1:], np.array(other)[:, 1:]
    return {"load.factor": np.abs(a - b)[:, 0].max(), "girder[4].position": np.linalg.norm((a - b)[:, 1:], axis=1).max()}


def main():
    frame = Frame()
    found = windows(frame)
    exact = rows(frame, found)
    for row in exact:
        print([frame.P * row[1], *row[2:]])
    assert abs(frame.P * exact[0][1] / PUBLISHED - 1) < 1e-3
    rod.TOLERANCE = LOOSER
    error = reference_error(COLUMNS, exact, rows(frame, windows(frame)))
    rod.TOLERANCE = CLOSE
    # the load is flat at its limit: what Newton's tolerance of 1e-10 and round-off in the determinant, some 1e-12, leave of it
    # moves the place by the square root
    flat = frame.L * 1e-5
    fine, coarse = (errors(rows(frame, found, n), exact) for n in (frame.n, frame.n // 2))
    tolerance = {}
    for signal, e in fine.items():
        order = math.log2(coarse[signal] / e)
        print(f"{signal}: mesh {e:.3g}, order {order:.3f}, reference {error[signal]:.1e}")
        assert 1.9 < order < 4.5
        more = flat if signal.endswith("position") else 0
        tolerance[signal] = {
            "value": float(f"{1.5 * e + error[signal] + more:.2e}"),
            "basis": f"1.5 x {e:.2e}, the error of {frame.n} elements a leg by rod_mesh.py (order {order:.2f}), + {error[signal]:.0e} of the "
            "reference" + (f", + {flat:.1e}, as far as the load is flat" if more else ""),
        }
    write_csv("lee_frame", COLUMNS, exact)
    write_sidecar(
        "lee_frame",
        {
            "title": frame.scene["title"],
            "source": "S. L. Lee, F. S. Manuel, E. C. Rossow, J. Eng. Mech. Div. ASCE 94 (1968) 527-547; J. C. Simo, L. Vu-Quoc, Comput. Methods "
            f"Appl. Mech. Eng. 58 (1986) 79-116, example 7.3: first limit at {PUBLISHED} (10 quadratic elements), here within 0.1 per cent",
            "units": "SI with cm for m; t is the number of the limit point",
            "method": "strong form of the rod by shooting (DOP853 at 3e-14, Newton's method) at given displacements, limits of a polynomial "
            "through 10 of them, compared with 1e-11",
            "error": error,
            "tolerance": tolerance,
            "made_by": "tools/references/lee_frame.py",
        },
    )


if __name__ == "__main__":
    main()
