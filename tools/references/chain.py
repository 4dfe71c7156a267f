# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of chain: quaternions and angular velocities of the rods, no constraints, by DOP853."""

import numpy as np
from scipy.integrate import solve_ivp

import galpha
from common import axes, difference, load_scene, max_by_signal, output_times, reference_error, write_csv, write_sidecar


def rowwise_skew(e):
    out = np.zeros((len(e), 3, 3))
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -e[:, 2], e[:, 1], -e[:, 0]
    return out - out.transpose(0, 2, 1)


class Chain:
    """n rods along e_k, angular velocities w_k in inertial axes.

    Centre of rod k: sum_j c[k, j] e_j with c = L before and L/2 at k. d'Alembert's principle for a turn of rod i:
    sum_k m c[k, i] e_i x (a_k - g) + J_i w_i' + w_i x J_i w_i = 0.
    """

    def __init__(self, scene):
        p = scene["parameters"]
        self.n, self.m, self.L = int(p["n"]), p["m"], p["L"]
        self.Ja, self.Jt = p["Jx"], p["Jy"]
        self.g = np.array(scene["gravity"], dtype=float)
        self.c = self.L * (np.tri(self.n, k=-1) + np.eye(self.n) / 2)
        self.S = self.m * self.c.T @ self.c
        self.load = self.m * self.c.sum(axis=0)

    def start(self):
        quaternion = np.tile([1.0, 0, 0, 0], (self.n, 1))
        return np.concatenate((quaternion.ravel(), np.tile([0.0, 0, 1], self.n)))

    def unpack(self, y):
        q = y[: 4 * self.n].reshape(self.n, 4)
        w = y[4 * self.n :].reshape(self.n, 3)
        r = q / np.linalg.norm(q, axis=1)[:, None]
        a, b, c, d = r.T
        e = np.column_stack((a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)))
        return q, w, e

    def accelerations(self, w, e):
        """Angular accelerations, and the directions' second derivatives."""
        n, E = self.n, rowwise_skew(e)
        inward = np.cross(w, np.cross(w, e))
        spin = self.Jt * w + (self.Ja - self.Jt) * np.sum(e * w, axis=1)[:, None] * e
        matrix = -np.einsum("ij,iab,jbc->iajc", self.S, E, E)
        for k in range(n):
            matrix[k, :, k, :] += self.Jt * np.eye(3) + (self.Ja - self.Jt) * np.outer(e[k], e[k])
        right = np.cross(e, self.load[:, None] * self.g - self.S @ inward) - np.cross(w, spin)
        turn = np.linalg.solve(matrix.reshape(3 * n, 3 * n), right.ravel()).reshape(n, 3)
        return turn, np.cross(turn, e) + inward

    def rates(self, _, y):
        q, w, e = self.unpack(y)
        scalar, vector = q[:, :1], q[:, 1:]
        rate = np.hstack((-np.sum(w * vector, axis=1)[:, None], scalar * w + np.cross(w, vector))) / 2
        return np.concatenate((rate.ravel(), self.accelerations(w, e)[0].ravel()))

    def body_axes(self, q, w):
        """R(q)^T w of the last rod."""
        q = q[-1] / np.linalg.norm(q[-1])
        t = 2 * np.cross(-q[1:], w[-1])
        return w[-1] + q[0] * t + np.cross(-q[1:], t)

    def row(self, t, y):
        q, w, e = self.unpack(y)
        _, second = self.accelerations(w, e)
        x, v, a = self.c @ e, self.c @ np.cross(w, e), self.c @ second
        axial = np.sum(e * w, axis=1) ** 2
        turning = (self.Jt * (np.sum(w * w, axis=1) - axial) + self.Ja * axial).sum() / 2
        energy = turning + self.m * (np.sum(v * v) / 2 - (x @ self.g).sum())
        return [float(t), *x[-1], *v[-1], *self.body_axes(q, w), *(self.m * (a - self.g)).sum(axis=0), energy]


def table(chain, times, tolerance):
    grid = [float(t) for t in times]
    flow = solve_ivp(chain.rates, (0, grid[-1]), chain.start(), "DOP853", grid, rtol=tolerance, atol=tolerance)
    return [chain.row(t, y) for t, y in zip(grid, flow.y.T)]


def extrapolated(columns, times, coarse, fine):
    """The same signals from galpha.py's bodies in space at h and h/2: (4 f(h/2) - f(h))/3."""
    return [
        [float(t)] + [(4 * b[c] - a[c]) / 3 for c in columns[1:]] for t, a, b in zip(times, coarse, fine, strict=True)
    ]


def main():
    scene = load_scene("chain")
    chain, times, last = Chain(scene), output_times(scene), f"link{scene['parameters']['n'] - 1}"
    columns = ["t"] + [c for s in ("position", "velocity", "angular_velocity") for c in axes(f"{last}.{s}")]
    columns += axes("pivot.force") + ["energy.total"]
    rows, check = table(chain, times, 2.3e-14), table(chain, times, 1e-12)
    error = reference_error(columns, rows, check)
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    simulated = galpha.tables(scene)
    space = max_by_signal(columns, difference(rows, extrapolated(columns, times, *simulated)))
    print(f"chain: end {rows[-1][1:4]}, energy {energy:.1e}, error {error}, bodies in space {space}")
    assert error[f"{last}.position"] < 1e-10 and energy < 1e-11 and space[f"{last}.position"] < 1e-6
    write_csv("chain", columns, rows)
    write_sidecar(
        "chain",
        {
            "title": "Chain of 10 links",
            "source": "Torsor's own case",
            "units": "SI",
            "method": "quaternions and angular velocities of the rods without constraints, DOP853 at a relative tolerance of "
            f"2.3e-14, compared with 1e-12; energy constant within {energy:.0e} J; galpha.py on the constrained bodies, "
            "extrapolated from h and h/2, differs in the last link's position by "
            f"{space[f'{last}.position']:.0e} m",
            "error": error,
            "tolerance": galpha.tolerances("chain", columns, rows, error, simulated),
            "made_by": "tools/references/chain.py",
        },
    )


if __name__ == "__main__":
    main()
