# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of spaghetti_3d: spectral elements, and what the scene's mesh makes of it."""

import math

import numpy as np

from beam import Structure, back, straight, turn
from beam_mesh import Mesh
from common import axes, load_scene, output_times, reference_error, write_csv, write_sidecar

COLUMNS = ["t"] + axes("rope.start.position") + axes("rope.end.position") + axes("rope.end.velocity") + ["energy.total"]


class Case:
    def __init__(self):
        self.scene = load_scene("spaghetti_3d")
        self.body, self.force = self.scene["bodies"][0], self.scene["forces"][0]
        self.section = self.scene["sections"]["rope"]
        self.pulse = np.array(self.scene["functions"]["pulse"]["table"])
        self.kinks = list(self.pulse[1:, 0])
        self.times = [float(t) for t in output_times(self.scene)]
        self.start, self.end = (np.array(self.body[k], float) for k in ("position", "end"))
        self.length = np.linalg.norm(self.end - self.start)

    def load(self, t):
        """Force and moment, inertial axes."""
        s = np.interp(t, self.pulse[:, 0], self.pulse[:, 1])
        return s * np.array(self.force["force"]), s * np.array(self.force["moment"])

    def spectral(self, elements, degree):
        x = (self.end - self.start) / self.length
        z = np.array([0, 0, 1.0])
        frame = np.array([x, np.cross(z, x), z]).T
        rope = Structure([straight(self.start, frame, self.length, elements, self.section["stiffness"], self.section["inertia"])], degree)

        def load(t, F, T, q):
            force, moment = self.load(t)
            F[0] += force
            T[0] += back(q[0], moment)

        rows = []
        for t, y in zip(self.times, rope.run(self.times, load, self.kinks)):
            r, q, v, w = rope.split(y)
            rows.append([t, *r[0], *r[-1], *v[-1], sum(rope.energy(y))])
        return rows

    def mesh(self, n):
        x = (self.end - self.start) / self.length
        half = math.atan2(x[1], x[0]) / 2
        r = np.array([self.start + (self.end - self.start) * i / n for i in range(n + 1)])
        q = np.tile([math.cos(half), 0, 0, math.sin(half)], (n + 1, 1))
        rope = Mesh(r, q, [self.length / n] * n, self.section["stiffness"], self.section["inertia"])

        def load(t, f, q):
            force, moment = self.load(t)
            f[0, :3] += back(q[0], force)
            f[0, 3:] += back(q[0], moment)

        return [[t, *r[0], *r[-1], *v[-1]] for t, (r, v) in zip(self.times, rope.run(self.times, load, self.kinks))]


def errors(rows, other):
    """Largest difference per signal."""
    a, b = np.array([row[:10] for row in rows]), np.array([row[:10] for row in other])
    off = np.abs(a - b).max(axis=0)
    names = ("rope.start.position", "rope.end.position", "rope.end.velocity")
    return {name: float(off[1 + 3 * i : 4 + 3 * i].max()) for i, name in enumerate(names)}


def main():
    case = Case()
    rows, check = case.spectral(8, 4), case.spectral(8, 3)
    error = reference_error(COLUMNS, rows, check)
    print(error)
    n = case.scene["parameters"]["n"]
    coarse, fine = errors(case.mesh(n // 2), rows), errors(case.mesh(n), rows)
    tolerance = {}
    for signal, e in fine.items():
        order = math.log2(coarse[signal] / e)
        print(f"  {signal:24} e(n/2) {coarse[signal]:.3e}  e(n) {e:.3e}  order {order:.2f}")
        assert 1.7 < order < 2.3, "not of second order: the error is no basis for a tolerance"
        tolerance[signal] = {
            "value": float(f"{1.5 * e + error[signal]:.2e}"),
            "basis": f"1.5 x {e:.2e}, the error of {n} elements by beam_mesh.py (order {order:.2f}), which leaves room for the much "
            f"smaller one of the step, + {error[signal]:.0e} of the reference",
        }
    write_csv("spaghetti_3d", COLUMNS[:-1], [row[:-1] for row in rows])
    error.pop("energy.total")
    write_sidecar(
        "spaghetti_3d",
        {
            "title": "Flying spaghetti in space",
            "source": "J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 66 (1988) 125-161, example 3.4; section inertia 10, 10, 10",
            "units": "SI",
            "method": "spectral elements with nodal quaternions (8 of degree 4), lumped inertia, DOP853 at a relative tolerance of 1e-9; "
            "compared with degree 3",
            "error": error,
            "tolerance": tolerance,
            "made_by": "tools/references/spaghetti.py",
        },
    )


if __name__ == "__main__":
    main()
