# SPDX-License-Identifier: GPL-3.0-or-later
"""Static scenes of beams that are clamped at one end and loaded at the other: the rod's own equilibrium, and what the scene's
mesh makes of it."""

import math

import numpy as np

from common import EPS, axes, evaluate, load_scene, reference_error, signal_of, write_csv, write_sidecar
import rod
from rod import Cantilever, Leg
from rod_mesh import RodMesh, halves

CLOSE, LOOSER = rod.TOLERANCE, 1e-11


def valued(item, known):
    """Numbers in place of expressions."""
    if isinstance(item, list):
        return [valued(x, known) for x in item]
    return evaluate(item, known) if isinstance(item, str) else item


class Beam:
    """One beam of a scene, its clamp and the dead load at its end."""

    def __init__(self, scene, body):
        known = scene["parameters"]
        section = body["section"]
        section = scene["sections"][section] if isinstance(section, str) else section
        self.length = valued(body["length"], known)
        curvature = np.array(valued(body.get("curvature", [0, 0, 0]), known), float)
        curvature[0] += valued(body.get("twist", 0), known) / self.length
        self.place = np.array(valued(body.get("position", [0, 0, 0]), known), float)
        self.elements = int(valued(body["elements"], known))
        self.name, self.order = body["name"], body.get("order", 4)
        self.clamp = next(j["name"] for j in scene["joints"] if j["b"] == f"{self.name}.start")
        loads = [f for f in scene["forces"] if f["at"] == f"{self.name}.end"]
        self.leg = Leg(
            self.length,
            np.array(valued(section["stiffness"], known), float),
            curvature,
            force=sum(np.array(valued(f.get("force", [0, 0, 0]), known), float) for f in loads),
            moment=sum(np.array(valued(f.get("moment", [0, 0, 0]), known), float) for f in loads),
        )
        self.rod = Cantilever([self.leg])

    def row(self, r, q, part):
        """Columns of one load from position and quaternion of the end."""
        moment = -np.cross(r, part * self.leg.force) - part * self.leg.moment
        return [*(self.place + r), *(q / np.linalg.norm(q)), *moment]

    @staticmethod
    def ends(name):
        return axes(f"{name}.end.position") + axes(f"{name}.end.quaternion", "wxyz")

    def columns(self):
        return self.ends(self.name) + axes(f"{self.clamp}.moment")


def loads(scene):
    steps = scene["statics"]["steps"]
    return [i / steps for i in range(steps + 1)]


def rod_rows(beams, parts, starts):
    """Rows of the rods, and for each beam the moments at the clamp; `starts` gives near ones in place of a path."""
    rows, clamps = [[part] for part in parts], []
    for beam in beams:
        clamps.append([np.zeros(3)] * (parts[0] == 0) + beam.rod.path([p for p in parts if p != 0], starts))
        for row, part, m0 in zip(rows, parts, clamps[-1]):
            end = beam.rod.states(m0, part, [[1]])[0][-1]
            row += beam.row(end[:3], end[3:7], part)
    return rows, clamps


def mesh_rows(beams, parts, clamps, n):
    rows = [[part] for part in parts]
    for beam, moments in zip(beams, clamps):
        mesh = RodMesh([beam.leg], [n], order=beam.order)
        for row, part, m0 in zip(rows, parts, moments):
            r, q = mesh.settle(beam.rod.states(m0, part, halves([n])), part)[:2]
            row += beam.row(r[-1], q[-1], part)
    return rows


def norms(columns, rows, other):
    """Largest norm of the difference per signal, as it is compared."""
    out = {}
    for signal in dict.fromkeys(signal_of(c) for c in columns[1:]):
        at = [i for i, c in enumerate(columns) if signal_of(c) == signal]
        sign = lambda a, b: -1 if signal.endswith("quaternion") and a @ b < 0 else 1
        pairs = [(np.array(a)[at], np.array(b)[at]) for a, b in zip(rows, other)]
        out[signal] = max(np.linalg.norm(a - sign(a, b) * b) for a, b in pairs)
    return out


def tolerances(signals, fine, coarse, error, n):
    """1.5 times the error of the mesh and that of the reference; the mesh must show its order, that of elements of order 4 between 2
    and 4: what is of the size of the extension and shear stays of order 2."""
    out = {}
    for signal in signals:
        order = math.log2(coarse[signal] / fine[signal])
        print(f"{signal}: mesh {fine[signal]:.3g}, order {order:.3f}, reference {error[signal]:.1e}")
        assert 1.9 < order < 4.5, (signal, order)
        out[signal] = {
            "value": float(f"{1.5 * fine[signal] + error[signal]:.2e}"),
            "basis": f"1.5 x {fine[signal]:.2e}, the error of {n} elements by rod_mesh.py (order {order:.2f}), + {error[signal]:.0e} of the reference",
        }
    return out


def near(beam, published, allowed):
    """A check: published places of the end, by load."""

    def check(columns, rows):
        at = columns.index(f"{beam}.end.position.x")
        for row in rows:
            if row[0] in published:
                off = np.abs(np.array(row[at : at + 3]) - published[row[0]]).max()
                print(f"load {row[0]}: {off:.3g} from the published place")
                assert off <= allowed

    return check


def write(name, script, source, exact=None, check=None, starts=None):
    """Reference and sidecar of a scene.  `exact` makes rows in closed form; `check` looks at the rod's."""
    scene = load_scene(name)
    beams = [Beam(scene, body) for body in scene["bodies"]]
    parts, n = loads(scene), beams[0].elements
    columns = ["t"] + [c for beam in beams for c in beam.columns()]
    rods, clamps = rod_rows(beams, parts, starts)
    if check is not None:
        check(columns, rods)
    rod.TOLERANCE = LOOSER
    again = exact(beams[0], parts, 60) if exact else rod_rows(beams, parts, starts)[0]
    rod.TOLERANCE = CLOSE
    rows = exact(beams[0], parts, 40) if exact else rods
    wanted = scene["output"]["signals"]
    error = {s: e for s, e in reference_error(columns, rows, again).items() if s in wanted}
    rows = [[float(x) for x in row] for row in rows]
    fine, coarse = (norms(columns, mesh_rows(beams, parts, clamps, k), rows) for k in (n, n // 2))
    kept = [0] + [i for i, c in enumerate(columns) if signal_of(c) in wanted]
    write_csv(name, [columns[i] for i in kept], [[row[i] for i in kept] for row in rows])
    write_sidecar(
        name,
        {
            "title": scene["title"],
            "source": source,
            "units": "SI; t is the load",
            "method": "closed form, 40 digits, checked with 60"
            if exact
            else "strong form of the rod by shooting (DOP853 at 3e-14, Newton's method), compared with 1e-11",
            "error": error,
            "tolerance": tolerances(wanted, fine, coarse, error, n),
            "made_by": f"tools/references/{script}.py",
        },
    )


def write_rounded(name, source, units, columns, exact, EA, EI, length, n):
    """Reference and sidecar of a scene whose elements are exact; `exact` makes rows with so many digits.  Rounded places, of the
    length's size, are strains of n eps in an element: forces of EA n eps on levers of the length, which bend the beam by L/EI; ten
    of these for the elements and Newton's last step."""
    rows = exact(40)
    error = reference_error(columns, rows, exact(60))
    moment = 10 * EA * n * EPS * length
    turn = moment * length / EI
    allowed = {"position": turn * length, "quaternion": turn, "moment": moment, "section_moment[0]": moment}
    write_csv(name, columns, rows)
    write_sidecar(
        name,
        {
            "title": load_scene(name)["title"],
            "source": source,
            "units": units,
            "method": "closed form, 40 digits, checked with 60",
            "error": error,
            "tolerance": {
                signal: {
                    "value": float(f"{allowed[signal.rsplit('.', 1)[1]]:.2e}"),
                    "basis": f"round-off: the elements are exact; 10 x EA n eps L = {moment:.1e} N m, and what it bends",
                }
                for signal in error
            },
            "made_by": f"tools/references/{name}.py",
        },
    )
