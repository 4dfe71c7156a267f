#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files for ParaView: read by this test and, where Debian's python3-vtk9 is installed, by VTK itself.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import csv
import json
import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

TORSOR = os.environ["TORSOR"]
SCENES = Path(os.environ["TORSOR_DATA"]).resolve() / "scenes"
READER = Path(__file__).resolve().with_name("read_vtk.py")
SINGLE = 2.0**-24  # unit round-off of coordinates
TYPES = {"Float32": ("f", 4), "Int32": ("i", 4), "UInt8": ("B", 1)}


class Vtp:
    """A file as the format's description has it."""

    def __init__(self, file):
        content = Path(file).read_bytes()
        head, self.data = content.split(b'<AppendedData encoding="raw">\n_', 1)
        self.data, tail = self.data.rsplit(b"\n</AppendedData>", 1)
        root = ElementTree.fromstring(head + b"</VTKFile>")
        assert root.attrib["byte_order"] == "LittleEndian" and root.attrib["header_type"] == "UInt64"
        piece = root.find("PolyData/Piece")
        self.points = self.array(piece.find("Points/DataArray"))
        assert len(self.points) == int(piece.attrib["NumberOfPoints"])
        self.verts, self.lines, self.polys = (self.cells(piece, kind) for kind in ("Verts", "Lines", "Polys"))
        self.point_data = {a.attrib["Name"]: self.array(a) for a in piece.find("PointData")}
        self.cell_data = {a.attrib["Name"]: self.array(a) for a in piece.find("CellData")}
        self.fields = {}
        for field in root.find("PolyData/FieldData"):
            numbers = field.text.split()
            if field.attrib["type"] == "String":
                text = bytes(int(x) for x in numbers).decode()
                self.fields[field.attrib["Name"]] = text.split("\0")[:-1]
            else:
                self.fields[field.attrib["Name"]] = [float(x) for x in numbers]

    def array(self, element):
        kind, size = TYPES[element.attrib["type"]]
        n = int(element.attrib["NumberOfComponents"])
        at = int(element.attrib["offset"])
        (length,) = struct.unpack_from("<Q", self.data, at)
        flat = struct.unpack_from(f"<{length // size}{kind}", self.data, at + 8)
        return [flat[i:i + n] for i in range(0, len(flat), n)]

    def cells(self, piece, kind):
        part = piece.find(kind)
        if part is None:
            assert piece.attrib[f"NumberOf{kind}"] == "0"
            return []
        connectivity, offsets = ([x for (x,) in self.array(a)] for a in part)
        assert len(offsets) == int(piece.attrib[f"NumberOf{kind}"])
        return [list(connectivity[a:b]) for a, b in zip([0, *offsets], offsets)]

    def volume(self, polys):
        """Of what the polygons enclose, outside on their left turns."""
        total = 0.0
        for poly in polys:
            a, *rest = (self.points[i] for i in poly)
            for b, c in zip(rest, rest[1:]):
                total += sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3)) / 6
        return total


def rotated(q, v):
    """R v of the quaternion w x y z."""
    w, x, y, z = q
    u = (x, y, z)
    cross = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
    twice = [u[i - 2] * cross[i - 1] - u[i - 1] * cross[i - 2] for i in range(3)]
    return [v[i] + 2 * (w * cross[i] + twice[i]) for i in range(3)]


def distance(a, b):
    return math.dist(a, b)


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def torsor(self, *arguments, expected=0):
        done = subprocess.run([TORSOR, *map(str, arguments)], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, expected, done.stderr)
        return done

    def run_scene(self, scene, *options, verb="run"):
        self.torsor(verb, scene, "--full", "-q", "-o", "result", *options)
        with open(self.folder / "result" / "trajectory.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        return [{key: float(value) for key, value in row.items()} for row in rows]

    def write_scene(self, **parts):
        scene = {"torsor": 1, "simulation": {"step": 0.01, "duration": 0.05}, **parts}
        (self.folder / "scene.json").write_text(json.dumps(scene))
        return self.folder / "scene.json"

    def export(self, *options):
        self.torsor("export", "result", "--vtk", "-q", *options)
        return self.folder / "result" / "vtk"

    def vector(self, row, name):
        return [row[f"{name}.{c}"] for c in "xyz"]

    def list_of(self, pvd):
        """[(time, part, file)] of a collection; the files are there."""
        found = [(float(d.attrib["timestep"]), d.attrib["part"], d.attrib["file"])
                 for d in ElementTree.parse(pvd).getroot().iter("DataSet")]
        for _, _, file in found:
            self.assertTrue((pvd.parent / file).is_file(), file)
        return found

    def check_vtk(self, files):
        """VTK reads the same as this test."""
        files, python = list(files), Path("/usr/bin/python3")  # Debian's, which has its packages
        done = subprocess.run([python, READER, *files], text=True, capture_output=True) if python.exists() else None
        if not done or done.returncode == 77:
            print("python3-vtk9 is not installed: files are not read by VTK")
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        for file, seen in zip(files, json.loads(done.stdout), strict=True):
            own = Vtp(file)
            self.assertEqual(seen["errors"], 0, done.stderr)
            self.assertEqual([tuple(p) for p in seen["points"]], own.points)
            for kind in ("verts", "lines", "polys"):
                self.assertEqual(seen[kind], getattr(own, kind), kind)
            for kind in ("point_data", "cell_data"):
                self.assertEqual({k: [tuple(x) for x in v] for k, v in seen[kind].items()}, getattr(own, kind))
            self.assertEqual(seen["fields"], own.fields)

    def test_heavy_top(self):
        rows = self.run_scene(SCENES / "heavy_top.json", "--set", "simulation.duration=0.2", "--set", "output.every=20")
        vtk = self.export()
        times = [row["t"] for row in rows]
        self.assertEqual([(t, p) for t, p, _ in self.list_of(vtk / "model.pvd")], [(t, "0") for t in times])
        self.assertEqual([t for t, _, _ in self.list_of(vtk / "forces.pvd")], times)
        first = None
        worst = speed = 0
        for i, row in enumerate(rows):
            body, forces = Vtp(vtk / f"bodies_{i:06d}.vtp"), Vtp(vtk / f"forces_{i:06d}.vtp")
            x, q = self.vector(row, "top.position"), [row[f"top.quaternion.{c}"] for c in "wxyz"]
            back = [q[0], -q[1], -q[2], -q[3]]
            local = [rotated(back, [a - b for a, b in zip(p, x)]) for p in body.points]
            first = first or local
            worst = max(worst, *(distance(a, b) for a, b in zip(local, first, strict=True)))
            v, spin = self.vector(row, "top.velocity"), rotated(q, self.vector(row, "top.angular_velocity"))
            for p, seen in zip(body.points, body.point_data["velocity"]):
                r = [a - b for a, b in zip(p, x)]
                moved = [v[k] + spin[k - 2] * r[k - 1] - spin[k - 1] * r[k - 2] for k in range(3)]
                speed = max(speed, distance(moved, seen))
            self.assertEqual(body.fields["body_names"], ["top"])
            self.assertEqual(body.fields["TimeValue"], [row["t"]])
            self.assertEqual(body.fields["energy"][3], row["energy.total"])
            self.assertEqual(set(body.cell_data["body"]), {(0,)})
            self.assertEqual(forces.fields["names"], ["pivot"])
            force = self.vector(row, "pivot.force")
            self.assertLess(distance(forces.point_data["force"][0], force), 4 * SINGLE * math.hypot(*force))
            # the marker on the top: off by what the pivot is
            self.assertLess(distance(forces.points[0], [0, 0, 0]), 1e-6)
        print(f"heavy_top: points move with the body to {worst:.2g} m, velocities to {speed:.2g} m/s")
        # rounded coordinates up to 2 m, both now and at the start; velocities up to 150/s times as much
        self.assertLess(worst, 2 * 4 * SINGLE * 2)
        self.assertLess(speed, 150 * 2 * 4 * SINGLE * 2)
        self.check_vtk(sorted(vtk.glob("*.vtp"))[:4])

    def test_shapes(self):
        shapes = [{"type": "box", "size": [1, 2, 3]}, {"type": "sphere", "radius": 1},
                  {"type": "ellipsoid", "size": [2, 3, 4]}, {"type": "cylinder", "radius": 1, "length": 3},
                  {"type": "cone", "radius": 1, "from": [1, 0, 0], "to": [1, 3, 0]},
                  {"type": "capsule", "radius": 1, "length": 3}, {"type": "torus", "radius": 2, "tube": 0.5}]
        pi = math.pi
        exact = [6, 4 / 3 * pi, 4 / 3 * pi * 3, 3 * pi, pi, 3 * pi + 4 / 3 * pi, 2 * pi * 2 * pi / 4]
        bodies = [{"name": f"b{i}", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1], "shape": shape}
                  for i, shape in enumerate(shapes)]
        bodies[0]["shape"]["color"] = "#102030"
        scene = self.write_scene(ground={"shape": {"type": "box", "size": [9, 9, 1]}}, bodies=bodies)
        self.run_scene(scene)
        vtk = self.export()
        file = Vtp(vtk / "bodies_000000.vtp")
        self.assertEqual(file.fields["body_names"], [f"b{i}" for i in range(len(shapes))])
        self.assertEqual(file.cell_data["color"][0], (16, 32, 48))
        for i, volume in enumerate(exact):
            polys = [p for p, (body,) in zip(file.polys, file.cell_data["body"], strict=True) if body == i]
            edges = [(a, b) for p in polys for a, b in zip(p, p[1:] + p[:1])]
            self.assertEqual(len(set(edges)), len(edges))
            self.assertEqual({(b, a) for a, b in edges}, set(edges), "the surface is closed")
            part = file.volume(polys) / volume
            # 24 sides of a circle have sin(a)/a = 0.989 of its area, the 12 of a tube 0.955
            self.assertLessEqual(part, 1 + 1e-6, shapes[i])
            self.assertGreater(part, 0.94 if i else 1 - 1e-6, shapes[i])
        ground = Vtp(vtk / "ground.vtp")
        self.assertEqual((len(ground.points), len(ground.polys)), (8, 6))
        self.assertEqual(sum(f == "ground.vtp" for _, _, f in self.list_of(vtk / "model.pvd")), 6)
        self.assertFalse((vtk / "forces.pvd").exists())
        self.check_vtk([vtk / "bodies_000000.vtp", vtk / "bodies_000005.vtp", vtk / "ground.vtp"])

    def test_beam(self):
        section = {"shape": "rectangle", "width": 0.1, "height": 0.2, "E": 1e7, "nu": 0.3, "density": 1000}
        scene = self.write_scene(
            gravity=[0, 0, -9.81],
            bodies=[{"name": "wing", "type": "beam", "section": section, "elements": 3, "end": [2, 0, 0]},
                    {"name": "rope", "type": "cable", "position": [2, 0, 0], "end": [2, 0, -1], "elements": 2,
                     "stiffness": 1e4, "density": 1}],
            joints=[{"name": "root", "type": "weld", "a": "ground", "b": "wing.start"},
                    {"name": "tip", "type": "spherical", "a": "wing.end", "b": "rope.start"}],
            output={"signals": ["wing[0]", "wing[1]", "wing[2]", "wing[3]", "wing.section_force", "wing.section_moment",
                                "rope[1].position", "rope.tension"]})
        rows = self.run_scene(scene)
        vtk = self.export()
        self.assertEqual({p for _, p, _ in self.list_of(vtk / "model.pvd")}, {"1"})
        start = Vtp(vtk / "beams_000000.vtp")
        self.assertEqual(start.fields["beam_names"], ["wing", "rope"])
        wing = [p for p, (b,) in zip(start.polys, start.cell_data["beam"], strict=True) if b == 0]
        self.assertAlmostEqual(start.volume(wing), 0.1 * 0.2 * 2, delta=0.04 * 64 * SINGLE)
        worst = 0
        for i, row in enumerate(rows):
            file = Vtp(vtk / f"beams_{i:06d}.vtp")
            # 5 rings of 4 corners for each of three elements, then 2 rings of 32 for each piece of the rope
            self.assertEqual(len(file.points), 3 * 5 * 4 + 2 * 2 * 32)
            for element in range(3):
                for end in range(2):
                    at = (5 * element + 4 * end) * 4
                    ring = file.points[at:at + 4]
                    middle = [sum(p[k] for p in ring) / 4 for k in range(3)]
                    node = f"wing[{element + end}]"
                    x, q = self.vector(row, f"{node}.position"), [row[f"{node}.quaternion.{c}"] for c in "wxyz"]
                    corner = rotated(q, [0, 0.05, 0.1])
                    worst = max(worst, distance(middle, x),
                                distance(ring[0], [a + b for a, b in zip(x, corner)]))
                for array in ("section_force", "section_moment"):
                    value = self.vector(row, f"wing.{array}[{element}]")
                    for seen in file.point_data[array][20 * element:20 * element + 20]:
                        self.assertLess(distance(seen, value), 4 * SINGLE * math.hypot(*value) + 1e-30)
            rope = file.points[60 + 32:60 + 64]
            middle = [sum(p[k] for p in rope) / 32 for k in range(3)]
            worst = max(worst, distance(middle, self.vector(row, "rope[1].position")))
            self.assertAlmostEqual(file.point_data["section_force"][60][0], row["rope.tension[0]"],
                                   delta=4 * SINGLE * abs(row["rope.tension[0]"]))
        print(f"beam: sections are where the nodes are to {worst:.2g} m")
        self.assertLess(worst, 4 * SINGLE * 2.3)
        self.check_vtk([vtk / "beams_000005.vtp", vtk / "forces_000005.vtp"])

    def test_hollow_beams(self):
        """Tubes and boxes have their holes: a closed surface around the material."""
        steel = {"E": 2e11, "nu": 0.3, "density": 7850}
        circle = 32 / 2 * math.sin(2 * math.pi / 32)  # of its 32 corners, for a radius of 1
        sections = [({"shape": "tube", "radius": 0.1, "thickness": 0.02}, circle * (0.1**2 - 0.08**2)),
                    ({"shape": "box", "width": 0.1, "height": 0.2, "thickness": 0.01}, 0.1 * 0.2 - 0.08 * 0.18)]
        for section, area in sections:
            self.run_scene(self.write_scene(
                bodies=[{"name": "rod", "type": "beam", "section": {**section, **steel}, "elements": 1, "end": [2, 0, 0]}],
                joints=[{"name": "root", "type": "weld", "a": "ground", "b": "rod.start"}], output={"signals": ["rod[1]"]}))
            file = Vtp(self.export() / "beams_000000.vtp")
            self.assertAlmostEqual(file.volume(file.polys), 2 * area, delta=1e-6)
            edges = [(a, b) for p in file.polys for a, b in zip(p, p[1:] + p[:1])]
            self.assertEqual(len(edges), len(set(edges)))
            self.assertEqual(set(edges), {(b, a) for a, b in edges})
            self.check_vtk([self.folder / "result" / "vtk" / "beams_000000.vtp"])

    def test_choice_of_states(self):
        self.run_scene(SCENES / "heavy_top.json", "--set", "simulation.duration=0.1")
        vtk = self.export("--every", "3", "--from", "0.02", "--to", "0.0700001")
        times = [t for t, _, _ in self.list_of(vtk / "model.pvd")]
        self.assertEqual([round(t, 9) for t in times], [0.03, 0.06])
        self.assertEqual(sorted(p.name for p in vtk.glob("bodies*")), ["bodies_000000.vtp", "bodies_000001.vtp"])
        done = self.torsor("export", "result", "--vtk", "--json", "-o", "other")
        self.assertEqual(json.loads(done.stdout), {"folder": "other", "frames": 11})

    def test_statics(self):
        rows = self.run_scene(SCENES / "rollup.json", verb="statics")
        vtk = self.export()
        self.assertEqual([t for t, _, _ in self.list_of(vtk / "model.pvd")], [row["t"] for row in rows])

    def test_superelement(self):
        self.run_scene(SCENES / "reduced_boom.json", "--set", "simulation.duration=0.01")
        vtk = self.export()
        file = Vtp(vtk / "bodies_000000.vtp")
        self.assertTrue(file.lines)
        self.assertEqual(len(file.cell_data["body"]), len(file.lines) + len(file.polys))
        self.check_vtk([vtk / "bodies_000000.vtp"])

    def test_mistakes(self):
        self.torsor("run", SCENES / "heavy_top.json", "-q", "-o", "result", "--set", "simulation.duration=0.01")
        done = self.torsor("export", "result", "--vtk", expected=5)
        self.assertIn('there is no state.nc in "result"', done.stderr)
        self.assertIn("torsor run SCENE --full", done.stderr)
        self.torsor("export", "nowhere", "--vtk", expected=5)
        self.torsor("export", "result", expected=2)
        self.run_scene(SCENES / "heavy_top.json", "--set", "simulation.duration=0.01")
        for wrong in (["--every", "0"], ["--every", "1.5"], ["--from", "x"], ["--from", "5"]):
            self.torsor("export", "result", "--vtk", *wrong, expected=2)
        done = self.torsor("export", "result", "--vtk", "-o", "result/scene.json", expected=5)
        scene = self.folder / "result" / "scene.json"
        scene.write_text(re.sub(r'"mass":15', '"mass":16', scene.read_text()))
        done = self.torsor("export", "result", "--vtk", expected=2)
        self.assertIn("another scene", done.stderr)

    def test_folders_that_are_none(self):
        """Whatever takes results says what is there instead, what lacks, and how to make it."""
        (self.folder / "empty").mkdir()
        (self.folder / "text.txt").write_text("no results")
        verbs = {"trajectory.csv": (["report", "FOLDER"], ["plot", "FOLDER"], ["compare", "FOLDER", "FOLDER"]),
                 "state.nc": (["export", "FOLDER", "--vtk"],), "scene.json": (["run", "--resume", "FOLDER"],)}
        for file, commands in verbs.items():
            for command in commands:
                for folder, words in (("nowhere", 'there is no folder or file "nowhere"'),
                                      ("empty", f'"empty" is not a folder of results: it contains no {file}')):
                    done = self.torsor(*[folder if word == "FOLDER" else word for word in command], expected=5)
                    if "this build has no page for reports" in done.stderr:
                        continue
                    self.assertIn(words, done.stderr)
                    self.assertIn("torsor run SCENE", done.stderr)
                    self.assertIn("has scene.json, trajectory.csv and summary.json", done.stderr)
        for file, command in (("trajectory.csv", ["export", "one", "--vtk"]), ("state.nc", ["plot", "one"]),
                              ("summary.json", ["plot", "one"]), ("modes.csv", ["plot", "one"])):
            shutil.rmtree(self.folder / "one", ignore_errors=True)
            (self.folder / "one").mkdir()
            (self.folder / "one" / file).write_text("")
            self.assertRegex(self.torsor(*command, expected=5).stderr, r'there is no (state.nc|trajectory.csv) in "one"')
        for command in (["plot", SCENES / "door.json"], ["export", "text.txt", "--vtk"]):
            done = self.torsor(*command, expected=5)
            self.assertRegex(done.stderr, "is a (JSON )?file, no")


if __name__ == "__main__":
    unittest.main(verbosity=1)
