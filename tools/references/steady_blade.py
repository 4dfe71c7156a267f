# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of steady_blade: a soft blade across its hub, bent by the rotation, in the plane that turns with the hub.

The rod by shooting from its end: r' = R (1 + N/EA, T/GA), n' = -m W^2 r, angle' = M/EI, M' = -r' x n, with (N, T) = R^T n.  The scene's mesh by
its energy: elements of order 4 between frames, and half of m W^2 r^2 along them."""

import math

import numpy as np
from mode_mesh import with_bending
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from cantilever import valued
from common import axes, load_scene, output_times, write_csv, write_sidecar

COLUMNS = ["t", *axes("blade.end.position")]
CLOSE, LOOSER = 3e-14, 1e-11


class Blade:
    def __init__(self, scene):
        known = scene["parameters"]
        body = next(b for b in scene["bodies"] if b["name"] == "blade")
        stiffness = valued(scene["sections"][body["section"]]["stiffness"], known)
        self.EA, self.GA, self.EI = stiffness[0], stiffness[1], stiffness[5]
        self.mass = valued(scene["sections"][body["section"]]["inertia"], known)[0]
        self.length, self.rate = body["length"], known["W"]
        self.root = np.array([known["R"], 0.0, math.pi / 2])
        self.elements = known["n"]

    def rates(self, _, y):
        x, z, angle, nx, ny, moment = y
        c, s = math.cos(angle), math.sin(angle)
        along, across = 1 + (c * nx + s * ny) / self.EA, (c * ny - s * nx) / self.GA
        dx, dy = c * along - s * across, s * along + c * across
        load = self.mass * self.rate**2
        return [dx, dy, moment / self.EI, -load * x, -load * z, -(dx * ny - dy * nx)]

    def inwards(self, end, tolerance, at=None):
        """States along the blade from that of its end, where no force is."""
        done = solve_ivp(self.rates, (self.length, 0), [*end, 0, 0, 0], "DOP853", t_eval=at, rtol=tolerance, atol=tolerance / 10)
        assert done.success, done.message
        return done.y

    def rod(self, tolerance):
        """Place and angle of the end, followed from slow to whole rates."""
        end, whole = self.root + np.array([0, self.length, 0]), self.rate
        for part in np.linspace(0.1, 1, 10):
            self.rate = part * whole
            end, _, found, message = fsolve(
                lambda x: self.inwards(x, tolerance)[:3, -1] - self.root, end, xtol=100 * tolerance, full_output=True, epsfcn=1e-14
            )
            miss = np.abs(self.inwards(end, tolerance)[:3, -1] - self.root).max()
            assert miss < 1e3 * tolerance, (part, miss, message)
        return end


POINTS, WEIGHTS = np.polynomial.legendre.leggauss(5)
POINTS, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2


def arc(angle):
    """sin(a)/a and (1 - cos a)/a, for complex a, too."""
    near = np.abs(angle) < 1e-3
    safe = np.where(near, 1, angle)
    square = angle**2
    return (
        np.where(near, 1 - square / 6 + square**2 / 120, np.sin(safe) / safe),
        np.where(near, angle / 2 - angle * square / 24, (1 - np.cos(safe)) / safe),
    )


def energy(blade, h, y):
    """Of elements with the frames y [6, ..] (x, y, angle of both ends): elastic, less what the rotation gives."""
    turn = y[5] - y[2]
    c, s = np.cos(y[2]), np.sin(y[2])
    dx, dy = y[3] - y[0], y[4] - y[1]
    local = c * dx + s * dy, c * dy - s * dx
    # the inverse of the tangent map of the plane: both ends on an arc
    a, b = arc(turn)
    size = a * a + b * b
    ux, uy = (a * local[0] + b * local[1]) / size, (a * local[1] - b * local[0]) / size
    GA = with_bending(blade.GA, blade.EI, h)
    elastic = (blade.EA * (ux / h - 1) ** 2 + GA * (uy / h) ** 2 + blade.EI * (turn / h) ** 2) * h / 2
    spin = 0
    for at, weight in zip(POINTS, WEIGHTS):
        a, b = arc(at * turn)
        px, py = at * (a * ux - b * uy), at * (b * ux + a * uy)
        spin += weight * h * ((y[0] + c * px - s * py) ** 2 + (y[1] + s * px + c * py) ** 2)
    return elastic - blade.mass * blade.rate**2 / 2 * spin


def gradient(blade, h, y):
    out = np.empty_like(y)
    for i in range(6):
        moved = y.astype(complex)
        moved[i] += 1e-30j
        out[i] = energy(blade, h, moved).imag / 1e-30
    return out


def mesh(blade, end, n):
    """End of the blade of n elements, by Newton's method from the rod."""
    h = blade.length / n
    x = blade.inwards(end, CLOSE, np.linspace(blade.length, 0, n + 1))[:3, ::-1].T.copy()
    x[0] = blade.root
    for _ in range(30):
        y = np.concatenate((x[:-1], x[1:]), axis=1).T
        force, K = np.zeros(3 * n + 3), np.zeros((3 * n + 3, 3 * n + 3))
        forces = gradient(blade, h, y)
        for j in range(6):
            step = np.zeros((6, 1))
            step[j] = 1e-5
            rows = (gradient(blade, h, y + step) - gradient(blade, h, y - step)) / 2e-5
            for e in range(n):
                K[3 * e : 3 * e + 6, 3 * e + j] += rows[:, e]
        for e in range(n):
            force[3 * e : 3 * e + 6] += forces[:, e]
        change = -np.linalg.solve(K[3:, 3:], force[3:])
        x[1:] += change.reshape(-1, 3)
        if np.abs(change).max() < 1e-10:
            return x[-1, :2]
    raise RuntimeError("the mesh has found no balance")


def rows(blade, end, times):
    """Places of the end, which turns with the hub."""
    turn = [(math.cos(blade.rate * t), math.sin(blade.rate * t)) for t in times]
    return [[t, c * end[0] - s * end[1], s * end[0] + c * end[1], 0.0] for t, (c, s) in zip(times, turn)]


def main():
    scene = load_scene("steady_blade")
    blade = Blade(scene)
    times = [float(t) for t in output_times(scene)]
    end = blade.rod(CLOSE)
    exact = end[:2]
    error = np.abs(end - blade.rod(LOOSER)).max()
    fine, coarse = (np.linalg.norm(mesh(blade, end, n) - exact) for n in (blade.elements, blade.elements // 2))
    order = math.log2(coarse / fine)
    print(f"end {exact[0]:.12g} {exact[1]:.12g}, looser by {error:.2g}; mesh {fine:.3g}, order {order:.3f}")
    assert 1.9 < order < 4.5
    write_csv("steady_blade", COLUMNS, rows(blade, exact, times))
    write_sidecar(
        "steady_blade",
        {
            "title": scene["title"],
            "source": "the rod's equations in the frame that turns with the hub",
            "units": "SI",
            "method": f"strong form of the rod by shooting (DOP853 at {CLOSE:g}), compared with {LOOSER:g}",
            "error": {"blade.end.position": float(f"{error:.1e}")},
            "tolerance": {
                "blade.end.position": {
                    "value": float(f"{1.5 * fine + error:.2e}"),
                    "basis": f"1.5 x {fine:.2e}, the error of {blade.elements} elements by their energy apart from the engine (order {order:.2f}); "
                    "motions of constant twists are the method's own",
                }
            },
            "made_by": "tools/references/steady_blade.py",
        },
    )


if __name__ == "__main__":
    main()
