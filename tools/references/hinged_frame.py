# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of hinged_frame: the moments at which a hinged right-angle frame leaves its plane."""

import math

import numpy as np
from scipy.optimize import brentq

import rod
from cantilever import CLOSE, LOOSER, tolerances, valued
from common import load_scene, reference_error, write_csv, write_sidecar
from rod import Leg, shoot
from rod_mesh import RodMesh, halves

DOWN = (math.sqrt(0.5), 0, 0, -math.sqrt(0.5))  # a quarter turn about -z
LATERAL = [2, 3, 4]  # u_z, w_x, w_y: no hinge about z lets them go
COLUMNS = ["t", "load.factor"]


def legs_of(scene):
    known = scene["parameters"]
    stiffness = valued(scene["sections"]["strip"]["stiffness"], known)
    return [Leg(known["L"], stiffness), Leg(known["L"], stiffness, turned=DOWN, moment=(0, 0, -1))]


def states(legs, part, x, at=None):
    """From the first hinge, where it stands whatever turn about z, as nothing pulls in the plane; x [batch, 3]: lateral reaction
    n_z and moments m_x, m_y there.  Along the legs m_z = -part."""
    y = np.zeros((len(x), 13))
    y[:, 3], y[:, 9], y[:, 10], y[:, 11], y[:, 12] = 1, x[:, 0], x[:, 1], x[:, 2], -part
    return shoot(legs, y, np.full(len(x), part), at)


def sideways(legs, part):
    """Determinant of what lateral reactions at the first hinge make of the deflection and the tilts at the second one."""
    size = np.array([part / legs[0].length, part, part]) * 3e-5
    x = np.vstack((np.diag(size), -np.diag(size)))
    end = states(legs, part, x)
    w, i, j, k = end[:, 3:7].T
    miss = np.column_stack((end[:, 2] / legs[0].length, 2 * (i * k + w * j), 2 * (j * k - w * i)))
    return np.linalg.det((miss[:3] - miss[3:]) / 6e-5)


def mesh_critical(legs, n, near):
    free = np.ones((2 * n + 1, 6), bool)
    free[0] = False
    free[-1, LATERAL] = False
    mesh = RodMesh(legs, [n, n], free=free)
    f = free.ravel()

    def least(part):
        """Least eigenvalue of the tangent."""
        own = [s[:, 0] for s in states(legs, part, np.zeros((1, 3)), halves([n, n]))]
        r, q, _ = mesh.settle(own, part)
        K = mesh.residual(r, q, part, mesh.stresses(r, q))[1]
        return np.linalg.eigvals(K[f][:, f].toarray()).real.min()

    return brentq(least, 0.99 * near, 1.02 * near, xtol=1e-7)


def main():
    scene = load_scene("hinged_frame")
    legs, n = legs_of(scene), scene["parameters"]["n"]
    stiffness = legs[0].stiffness
    closed = math.pi / legs[0].length * math.sqrt(stiffness[3, 3] * stiffness[4, 4])
    answer = lambda: [[1.0, brentq(lambda p: sideways(legs, p), 0.95 * closed, 1.009 * closed, xtol=1e-10)]]
    rows = answer()
    print(rows, closed)
    # without what it bends in its plane, a part of EI_y/EI_z + GJ/EI_z = 1e-3: pi/L sqrt(EI GJ)
    assert abs(rows[0][1] / closed - 1) < (stiffness[3, 3] + stiffness[4, 4]) / stiffness[5, 5]
    rod.TOLERANCE = LOOSER
    error = reference_error(COLUMNS, rows, answer())
    rod.TOLERANCE = CLOSE
    # differences of 3e-5: their square, and what is integrated to 3e-14
    error = {s: e + 1e-8 * rows[0][1] for s, e in error.items()}
    fine, coarse = ({"load.factor": abs(mesh_critical(legs, k, rows[0][1]) - rows[0][1])} for k in (n, n // 2))
    print(fine, coarse)
    write_csv("hinged_frame", COLUMNS, rows)
    write_sidecar(
        "hinged_frame",
        {
            "title": scene["title"],
            "source": "J. H. Argyris et al., Comput. Methods Appl. Mech. Eng. 20 (1979) 105-155: hinged right-angle frame under end moments; "
            "626 N mm with ten quadratic elements (J. C. Simo, L. Vu-Quoc 1986); pi/L sqrt(EI GJ) = 622.21 N mm",
            "units": "N, mm; t is the number of the critical load",
            "method": "strong form of the rod by shooting (DOP853 at 3e-14), zero of the determinant of lateral reactions, compared with 1e-11",
            "error": error,
            "tolerance": tolerances(["load.factor"], fine, coarse, error, n),
            "made_by": "tools/references/hinged_frame.py",
        },
    )


if __name__ == "__main__":
    main()
