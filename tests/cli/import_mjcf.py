#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots in MJCF as scenes: the dynamics of robots whose descriptions in URDF have an independent reference, masses of geoms, what
drives and closes, and what is said of files that cannot be carried.

TORSOR is the path of the command."""

import json
import math
import random
import unittest
import xml.etree.ElementTree as ElementTree

import import_robots
from import_robots import ROBOTS, torsor


def numbers(text, count=3):
    return [float(x) for x in (text or "0 " * count).split()]


def words(values):
    return " ".join(repr(x) for x in values)


def quaternion(rpy):
    """Of rotations about x, y and z that do not move along."""
    (cx, cy, cz), (sx, sy, sz) = ([f(a / 2) for a in rpy] for f in (math.cos, math.sin))
    return [cx * cy * cz + sx * sy * sz, sx * cy * cz - cx * sy * sz, cx * sy * cz + sx * cy * sz, cx * cy * sz - sx * sy * cz]


def turned(q, x):
    w, u = q[0], q[1:]
    cross = [u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2], u[0] * x[1] - u[1] * x[0]]
    again = [u[1] * cross[2] - u[2] * cross[1], u[2] * cross[0] - u[0] * cross[2], u[0] * cross[1] - u[1] * cross[0]]
    return [a + 2 * w * b + 2 * c for a, b, c in zip(x, cross, again)]


class FromUrdf:
    """The same robot in MJCF; positions of joints move the frames of bodies by an offset, and `ref` is not 0."""

    def __init__(self, file, rng):
        self.rng, self.robot = rng, ElementTree.parse(file).getroot()
        self.shift = {}
        children = {j.find("child").get("link") for j in self.robot.iter("joint") if j.find("child") is not None}
        self.out = ElementTree.Element("mujoco", model="r")
        ElementTree.SubElement(self.out, "compiler", angle="degree", inertiafromgeom="false")
        default = ElementTree.SubElement(self.out, "default")
        ElementTree.SubElement(default, "joint", limited="true")
        self.equality = ElementTree.SubElement(self.out, "equality")
        world = ElementTree.SubElement(self.out, "worldbody")
        for link in self.robot.findall("link"):
            if link.get("name") not in children:
                self.body(world, link, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], None, [0.0, 0.0, 0.0])

    def body(self, parent, link, x, q, joint, offset):
        """The frame of the body stands `offset` from that of the link, in its axes."""
        name = link.get("name")
        body = ElementTree.SubElement(parent, "body", name="base_" if name == "world" else name, pos=words([a + b for a, b in zip(x, turned(q, offset))]), quat=words(q))
        inertial = link.find("inertial")
        if inertial is not None and float(inertial.find("mass").get("value")) > 0:
            origin, inertia = inertial.find("origin"), inertial.find("inertia")
            at = numbers(origin.get("xyz")) if origin is not None else [0.0] * 3
            rpy = numbers(origin.get("rpy")) if origin is not None else [0.0] * 3
            ElementTree.SubElement(body, "inertial", mass=inertial.find("mass").get("value"), pos=words([a - b for a, b in zip(at, offset)]),
                                   quat=words(quaternion(rpy)),
                                   fullinertia=" ".join(inertia.get(k) or "0" for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")))
        if joint is not None and joint.get("type") != "fixed":
            self.joint(body, joint, offset)
        for j in self.robot.findall("joint"):
            if j.find("parent").get("link") != name:
                continue
            origin = j.find("origin")
            at = numbers(origin.get("xyz")) if origin is not None else [0.0] * 3
            turn = quaternion(numbers(origin.get("rpy"))) if origin is not None else [1.0, 0.0, 0.0, 0.0]
            child = next(k for k in self.robot.findall("link") if k.get("name") == j.find("child").get("link"))
            new = [self.rng.uniform(-0.1, 0.1) for _ in range(3)] if j.get("type") != "fixed" else [0.0] * 3
            self.body(body, child, [a - b for a, b in zip(at, offset)], turn, j, new)

    def joint(self, body, joint, offset):
        slides = joint.get("type") == "prismatic"
        axis, limit, mimic = joint.find("axis"), joint.find("limit"), joint.find("mimic")
        made = ElementTree.SubElement(body, "joint", name=joint.get("name"), type="slide" if slides else "hinge",
                                      axis=axis.get("xyz") if axis is not None else "1 0 0", pos=words([-x for x in offset]))
        unit = 1 if slides else math.pi / 180
        if limit is not None and joint.get("type") != "continuous":
            made.set("range", words([float(limit.get(k) or 0) / unit for k in ("lower", "upper")]))
        else:
            made.set("limited", "false")
        if mimic is not None:
            ElementTree.SubElement(self.equality, "joint", joint1=joint.get("name"), joint2=mimic.get("joint"),
                                   polycoef=words([float(mimic.get("offset") or 0), float(mimic.get("multiplier") or 1), 0.0, 0.0, 0.0]))


class Same(import_robots.Dynamics):
    """Efforts for random accelerations are those of the robot in URDF, whatever frames the file has for its bodies."""

    def scene(self, robot, *options):
        made = FromUrdf(ROBOTS / f"{robot}.urdf", random.Random(robot))
        file, out = self.folder / f"{robot}.xml", self.folder / "scene.json"
        ElementTree.ElementTree(made.out).write(file)
        self.made("import", file, "-o", out, *options)
        return json.loads(out.read_text())

    def test_panda_whose_fingers_mimic_each_other(self):
        self.check("panda", options=["--fixed"])

    def test_ur5e(self):
        self.check("ur5e", options=["--fixed"])

    def test_z1(self):
        self.check("z1", options=["--fixed"])

    test_delta_of_five_loops = test_palletizer_with_a_parallelogram = test_a1_that_nothing_holds = None


class Mjcf(import_robots.Folder):
    def file(self, *lines):
        file = self.folder / "r.xml"
        file.write_text("\n".join(["<mujoco>", *lines, "</mujoco>"]))
        return file

    def notes(self, *lines):
        done = self.made("import", self.file(*lines), "-o", self.folder / "r.json", "--json")
        return {(n["line"], n["note"]) for n in json.loads(done.stdout)["notes"]}, json.loads((self.folder / "r.json").read_text())

    def row(self, *lines, duration=0.0, **scene):
        _, made = self.notes(*lines)
        made["simulation"]["duration"] = duration
        made.update(scene)
        return self.last_row(made)

    def last_row(self, scene):
        file = self.folder / "run.json"
        file.write_text(json.dumps(scene))
        self.made("run", file, "-q", "-o", self.folder / "out", "--progress", "never")
        lines = (self.folder / "out" / "trajectory.csv").read_text().splitlines()
        return dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))

    def refused(self, line, *words_, lines):
        done = torsor("import", self.file(*lines), "-o", self.folder / "r.json")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"r.xml:{line}:", done.stderr)
        for word in words_:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "r.json").exists())


def geom_points(kind, size, count):
    """The fraction of random points of a box around it that are in a geom, and its second moments, both per volume of the box."""
    rng, r, h = random.Random(kind), size[0], size[-1]
    box = {"box": size, "sphere": [r] * 3, "ellipsoid": size, "cylinder": [r, r, h], "capsule": [r, r, h + r]}[kind]
    inside = {"box": lambda x, y, z: True,
              "sphere": lambda x, y, z: x * x + y * y + z * z <= r * r,
              "ellipsoid": lambda x, y, z: sum((a / b)**2 for a, b in zip((x, y, z), size)) <= 1,
              "cylinder": lambda x, y, z: x * x + y * y <= r * r,
              "capsule": lambda x, y, z: x * x + y * y + max(abs(z) - h, 0)**2 <= r * r}[kind]
    sums = [0.0] * 4
    for _ in range(count):
        x, y, z = (rng.uniform(-b, b) for b in box)
        if inside(x, y, z):
            for i, value in enumerate((1, y * y + z * z, x * x + z * z, x * x + y * y)):
                sums[i] += value
    volume = 8 * box[0] * box[1] * box[2]
    return [volume * s / count for s in sums]


class Masses(Mjcf):
    def test_geoms(self):
        """Against random points, of which 40,000 leave 1/200 of the volume times the square root of its parts: 2 % is four times that."""
        for kind, size in (("box", [0.1, 0.2, 0.3]), ("sphere", [0.2]), ("ellipsoid", [0.1, 0.2, 0.3]), ("cylinder", [0.1, 0.3]),
                           ("capsule", [0.1, 0.2])):
            _, scene = self.notes(f'<worldbody><body><freejoint/><geom type="{kind}" size="{words(size)}" density="1"/></body></worldbody>')
            body = scene["bodies"][0]
            expected = geom_points(kind, size, 40000)
            off = max(abs(a / b - 1) for a, b in zip([body["mass"], *body["inertia"]], expected))
            print(f"  {kind}: off by {100 * off:.2g} %")
            self.assertLess(off, 0.02)

    def test_parts_of_a_body(self):
        """Two spheres of 1 kg and 3 kg, 0.4 m apart, turned: 0.4 m^2 (1 kg 3 kg/4 kg) across the line between them."""
        _, scene = self.notes('<worldbody><body axisangle="0 0 1 90"><freejoint/>',
                              '<geom size="0.1" mass="1" pos="0 0.1 0"/><geom size="0.1" mass="3" pos="0 0.5 0" zaxis="1 0 0"/></body></worldbody>')
        body = scene["bodies"][0]
        own = 0.4 * 0.01 * 4
        self.assertAlmostEqual(body["mass"], 4, delta=1e-14)
        for found, expected in zip(body["center_of_mass"], [0, 0.4, 0]):
            self.assertAlmostEqual(found, expected, delta=1e-15)
        moments = body["inertia"]["moments"] if isinstance(body["inertia"], dict) else body["inertia"]
        for found, expected in zip(moments, [own + 0.12, own, own + 0.12]):
            self.assertAlmostEqual(found, expected, delta=1e-15)

    def test_inertial_comes_first_unless_the_compiler_says_so(self):
        body = '<worldbody><body><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><geom size="0.1" mass="5"/></body></worldbody>'
        for compiler, mass in (("", 2), ('<compiler inertiafromgeom="true"/>', 5), ('<compiler inertiafromgeom="false"/>', 2)):
            self.assertEqual(self.notes(compiler, body)[1]["bodies"][0]["mass"], mass)


ARM = '<inertial pos="0 0 -0.5" mass="2" diaginertia="0.2 0.2 0.01"/>'


class Parts(Mjcf):
    def test_defaults_of_classes(self):
        """An element has its own value, that of its class, of the class around its body, and of those around the classes, in this order."""
        _, scene = self.notes('<default><joint damping="1" stiffness="10"/><default class="soft"><joint damping="2"/>',
                              '<default class="softer"><joint damping="3"/></default></default></default>', "<worldbody>",
                              f'<body name="a"><joint name="j1"/>{ARM}</body>',
                              f'<body name="b" childclass="soft"><joint name="j2"/>{ARM}',
                              f'<body name="c"><joint name="j3" class="softer"/>{ARM}<body name="d"><joint name="j4" damping="4"/>{ARM}',
                              f'<body name="e" childclass="main"><joint name="j5"/>{ARM}</body></body></body></body></worldbody>')
        springs = {f["name"]: (f["stiffness"], f["damping"]) for f in scene["forces"]}
        self.assertEqual(springs, {f"j{k}_spring": (10, d) for k, d in zip(range(1, 6), (1, 2, 3, 4, 1))})

    def test_orientations(self):
        """A quarter turn about y in every form but xyaxes, whose second axis is made right: z goes to x by the smallest turn, as with zaxis."""
        for form in ('quat="2 0 2 0"', 'axisangle="0 3 0 90"', 'euler="0 90 0"', 'zaxis="5 0 0"'):
            _, scene = self.notes(f'<worldbody><body {form}><freejoint/><geom size="0.1"/></body></worldbody>')
            for found, expected in zip(scene["bodies"][0]["orientation"]["quaternion"], [math.sqrt(0.5), 0, math.sqrt(0.5), 0]):
                self.assertAlmostEqual(found, expected, delta=1e-15)
        _, scene = self.notes('<compiler angle="radian" eulerseq="ZYX"/>', "<worldbody>",
                              '<body euler="0.3 0.2 0.1"><freejoint/><geom size="0.1"/></body></worldbody>')
        # Z, then Y, then X, about axes that do not move: X(0.1) Y(0.2) Z(0.3)
        expected = quaternion([-0.1, -0.2, -0.3])
        found = scene["bodies"][0]["orientation"]["quaternion"]
        for a, b in zip(found, [expected[0], *(-x for x in expected[1:])]):
            self.assertAlmostEqual(a, b, delta=1e-15)
        _, scene = self.notes("<worldbody>", '<body xyaxes="0 0 -1 0.3 1 0"><freejoint/><geom size="0.1"/></body></worldbody>')
        q = scene["bodies"][0]["orientation"]["quaternion"]
        size = math.hypot(0.3, 1)
        for column, expected in (([1.0, 0, 0], [0, 0, -1]), ([0, 1.0, 0], [0.3 / size, 1 / size, 0])):
            for found, value in zip(turned(q, column), expected):
                self.assertAlmostEqual(found, value, delta=1e-15)

    def test_what_acts_along_joints(self):
        """Efforts of a motor, a servo, a speed and a general actuator, each within its limits, against their formulas by hand."""
        lines = ["<compiler angle='radian'/>", "<worldbody>"]
        lines += [f'<body name="b{k}" pos="{k} 0 0"><joint name="j{k}" axis="0 1 0" ref="0.3"/>{ARM}</body>' for k in range(4)]
        lines += ["</worldbody>", "<actuator>", '<motor name="m" joint="j0" gear="3" ctrlrange="-1 1"/>',
                  '<position name="p" joint="j1" kp="7" kv="0.5" gear="2"/>', '<velocity name="v" joint="j2" kv="4" forcerange="-1.5 1.5"/>',
                  '<general name="g" joint="j3" gainprm="2" biastype="affine" biasprm="0.1 -3 -0.2"/>', "</actuator>"]
        _, scene = self.notes(*lines)
        for k, joint in enumerate(scene["joints"]):
            self.assertAlmostEqual(joint["start"]["angle"], 0.3)
            joint["start"] = {"angle": 0.1 * k, "rate": 0.5}
        for name, value in (("u_m", -2), ("u_p", 0.4), ("u_v", 1), ("u_g", 0.7)):
            scene["inputs"][name]["value"] = value
        scene["simulation"]["duration"] = 0
        scene["output"] = {"signals": [f"{n}_actuator.effort" for n in "mpvg"]}
        row = self.last_row(scene)
        expected = {"m": -3, "p": 2 * (7 * (0.4 - 2 * 0.1) - 0.5 * 2 * 0.5), "v": 1.5, "g": 2 * 0.7 + 0.1 - 3 * 0.3 - 0.2 * 0.5}
        for name, value in expected.items():
            self.assertAlmostEqual(row[f"{name}_actuator.effort"], value, delta=1e-14)

    def test_bodies_stand_where_the_file_has_them(self):
        """Whatever value `ref` gives to the coordinate of that place."""
        for kind, ref in (("hinge", 40), ("slide", 0.3)):
            _, scene = self.notes(f'<worldbody><body name="a" pos="1 2 3" axisangle="1 0 0 90"><joint name="j" type="{kind}" axis="0 1 1" '
                                  f'pos="0.2 0 0.1" ref="{ref}"/>{ARM}</body></worldbody>')
            scene["simulation"]["duration"] = 0
            scene["output"] = {"signals": ["a.position", "a.quaternion", "j"]}
            row = self.last_row(scene)
            self.assertAlmostEqual(row["j.angle" if kind == "hinge" else "j.travel"], math.radians(ref) if kind == "hinge" else ref, delta=1e-14)
            found = [row[f"a.position.{c}"] for c in "xyz"] + [row[f"a.quaternion.{c}"] for c in "wxyz"]
            for value, expected in zip(found, [1, 2, 3, math.sqrt(0.5), math.sqrt(0.5), 0, 0]):
                self.assertAlmostEqual(value, expected, delta=1e-14)

    def test_loops(self):
        """A four-bar of a connect and one of a weld: the rocker of a parallelogram turns as its crank does."""
        bar = '<inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.1 0.1"/>'
        bars = ["<worldbody>", f'<body name="crank" euler="0 0 60"><joint name="a"/>{bar}',
                f'<body name="coupler" pos="1 0 0" euler="0 0 -60"><joint name="b"/>{bar}</body></body>',
                f'<body name="rocker" pos="1 0 0" euler="0 0 60"><joint name="c"/>{bar}', "{}", "</body></worldbody>", "<equality>{}</equality>"]
        stub = '<body name="stub" pos="1 0 0" euler="0 0 -60"><joint name="d"/><inertial pos="0 0 0" mass="0.1" diaginertia="0.01 0.01 0.01"/></body>'
        for inner, equality in (("", '<connect body1="coupler" body2="rocker" anchor="1 0 0"/>'), (stub, '<weld body1="coupler" body2="stub"/>')):
            lines = bars[:4] + [inner] + bars[5:6] + [bars[6].format(equality)]
            _, scene = self.notes(*lines)
            scene["gravity"] = [0, -9.81, 0]
            scene["simulation"] = {"step": 1e-3, "duration": 0.5}
            scene["output"] = {"every": 100, "signals": ["a.angle", "c.angle", "energy"]}
            row = self.last_row(scene)
            print(f"  crank {row['a.angle']:.3f} rad, rocker off by {abs(row['a.angle'] - row['c.angle']):.1e}")
            self.assertGreater(abs(row["a.angle"]), 0.1)
            self.assertLess(abs(row["a.angle"] - row["c.angle"]), 1e-9)

    def test_what_is_not_carried_is_listed(self):
        notes, scene = self.notes('<option timestep="0.01" density="1.2"/>', "<size nkey='1'/>", "<worldbody>",
                                  '<geom type="plane" size="1 1 1"/>', f'<body name="a" gravcomp="1"><joint armature="0.1" range="-90 90"/>{ARM}<body name="b"><joint name="k"/>{ARM}</body>',
                                  '<site name="tip" pos="0 0 -1"/><geom type="mesh" mesh="m"/><geom type="mesh" mesh="n"/><plugin/></body>', "</worldbody>",
                                  '<actuator><muscle joint="k"/><motor tendon="t"/></actuator>', "<tendon/>", "<keyframe/>",
                                  '<equality><joint joint1="k"/><connect body1="a" anchor="0 0 0" active="false"/></equality>')
        self.assertEqual(notes, {
            (2, '"density" of <option> is not carried'), (5, 'body "world": a geom that is a plane or a height field is not carried'),
            (6, 'body "a": its compensation of gravity is not carried'), (6, 'joint "a/joint": its armature 0.1 is not carried'),
            (7, "<plugin> in a body is not carried"), (6, 'body "a": its geoms that are meshes (2) are not carried'), (9, "<muscle> is not carried"),
            (9, "<motor> of something else than a joint is not carried"), (10, "<tendon> is not carried"), (11, "<keyframe> is not carried"),
            (12, 'an equality that holds joint "k" is not carried'), (12, "<connect> is not active, and not carried")})
        self.assertEqual(scene["bodies"][0]["markers"], {"tip": {"position": [0, 0, -1]}})

    def test_wrong_files(self):
        def body(inner, head='<body name="a">'):
            return ["<worldbody>", head, inner, "</body></worldbody>"]

        self.refused(1, "has no body", lines=["<worldbody/>"])
        self.refused(2, "not read", "import the other file", lines=['<include file="x.xml"/>'])
        self.refused(4, "more than one joint", "a body of its own", lines=body(f"<joint/><joint/>{ARM}"))
        self.refused(4, 'no type "hing" of joints', 'did you mean "hinge"?', lines=body(f'<joint type="hing"/>{ARM}'))
        self.refused(4, 'no type "spere" of geoms', 'did you mean "sphere"?', lines=body('<freejoint/><geom type="spere" size="1"/>'))
        self.refused(4, "its axis is zero", lines=body(f'<joint axis="0 0 0"/>{ARM}'))
        self.refused(4, "must rise", lines=body(f'<joint range="1 -1"/>{ARM}'))
        self.refused(4, "must be numbers", lines=body(f'<joint axis="0 0"/>{ARM}'))
        self.refused(4, "needs 2 sizes", lines=body('<freejoint/><geom type="capsule" size="1"/>'))
        self.refused(4, "an <inertial>", lines=body('<freejoint/><geom type="mesh" mesh="m"/>'))
        self.refused(4, 'no class "c"', lines=body(f'<joint class="c"/>{ARM}'))
        self.refused(4, "not below 0", lines=body(f'<joint damping="-1"/>{ARM}'))
        self.refused(4, "gives no direction", lines=body('<freejoint/><geom size="1" quat="0 0 0 0"/>'))
        self.refused(4, "its mass is negative", lines=body('<freejoint/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'))
        self.refused(4, '<inertial> has no attribute "mass"', lines=body('<freejoint/><inertial pos="0 0 0" diaginertia="1 1 1"/>'))
        self.refused(4, 'a body "a" already', lines=body(f'{ARM}<body name="a">{ARM}</body>'))
        self.refused(4, "is free, and stands in another body", lines=body(f'{ARM}<body name="b"><freejoint/>{ARM}</body>'))
        self.refused(2, '"angle" of <compiler> is "grad"', lines=['<compiler angle="grad"/>'])
        self.refused(2, "three of x, y, z", lines=['<compiler eulerseq="xy"/>'])
        self.refused(2, "save the model with MuJoCo", lines=['<compiler coordinate="global"/>'])
        arm = body(f'<joint name="j"/>{ARM}')
        self.refused(6, 'there is no joint "k"', lines=[*arm, '<actuator><motor joint="k"/></actuator>'])
        self.refused(6, "is not known", lines=[*arm, '<actuator><general joint="j" dyntype="filter"/></actuator>'])
        self.refused(6, 'there is no body "b"', lines=[*arm, '<equality><connect body1="b" anchor="0 0 0"/></equality>'])
        self.refused(6, 'no attribute "body1"', lines=[*arm, '<equality><connect anchor="0 0 0"/></equality>'])
        self.refused(6, 'holds body "a" in itself', lines=[*arm, '<equality><weld body1="a" body2="a"/></equality>'])
        self.refused(4, "<frame> makes bodies", "save the model with MuJoCo", lines=body(f'{ARM}<frame pos="0 0 1"><body>{ARM}</body></frame>'))
        self.refused(3, "<replicate> makes bodies", lines=["<worldbody>", f'<replicate count="3"><body>{ARM}</body></replicate></worldbody>'])
        self.refused(3, "moves and has no mass", lines=body(f'<joint/><body name="b"><joint/>{ARM}</body>'))


if __name__ == "__main__":
    unittest.main()
