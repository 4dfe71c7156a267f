#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Large frames and nets whose matrices sparse solvers without blocks do not end with.

Time is compared with that of a small frame in the same run, memory is counted by the system."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

TORSOR = os.environ["TORSOR"]
TUBE = {"shape": "tube", "radius": 0.05, "thickness": 0.005, "E": 2.1e11, "nu": 0.3,
        "density": 7850}


def beam(name, start, end, elements):
    return {"name": name, "type": "beam", "section": "tube", "elements": elements,
            "position": start, "end": end}


def corner(name, at):
    return {"name": name, "type": "rigid_body", "mass": 1, "inertia": [1e-3] * 3, "position": at}


def weld(name, turn, end, at=None, body="ground"):
    a = {"body": body, "orientation": {"rotation_vector": turn}}
    if at:
        a["position"] = at
    return {"name": name, "type": "weld", "a": a, "b": end}


def weld_all(members, held, elements):
    """Beams between pairs of grid points, and what they are welded to: corners or the ground."""
    turns = {0: [0, 0, 0], 1: [0, 0, "pi/2"], 2: [0, "-pi/2", 0]}
    bodies, joints, corners = [], [], {}
    for number, (start, end) in enumerate(members):
        axis = [a != b for a, b in zip(start, end)].index(True)
        name = f"b{number}"
        bodies.append(beam(name, list(start), list(end), elements))
        for place, tip in ((start, "start"), (end, "end")):
            joint = f"w{number}_{tip}"
            if held(place):
                joints.append(weld(joint, turns[axis], f"{name}.{tip}", list(place)))
                continue
            if place not in corners:
                corners[place] = f"n{len(corners)}"
                bodies.append(corner(corners[place], list(place)))
            joints.append(weld(joint, turns[axis], f"{name}.{tip}", body=corners[place]))
    return bodies, joints


def scene(bodies, joints, gravity, **more):
    return {"torsor": 1, "gravity": [0, 0, -gravity], "sections": {"tube": TUBE},
            "bodies": bodies, "joints": joints, "output": {"signals": ["energy"]}, **more}


def space_frame(bays, floors, elements):
    grid = [(3.0 * i, 3.0 * j, 3.0 * k) for k in range(floors + 1) for j in range(bays + 1)
            for i in range(bays + 1)]
    members = []
    for x, y, z in grid:
        if z < 3.0 * floors:
            members.append(((x, y, z), (x, y, z + 3)))
        if z > 0 and x < 3.0 * bays:
            members.append(((x, y, z), (x + 3, y, z)))
        if z > 0 and y < 3.0 * bays:
            members.append(((x, y, z), (x, y + 3, z)))
    bodies, joints = weld_all(members, lambda place: place[2] == 0, elements)
    return scene(bodies, joints, 9.81, statics={"steps": 1}), len(members) * elements


def cantilever_net(fields):
    """A flat net, welded to a wall along x = 0."""
    members = []
    for i in range(fields + 1):
        for j in range(fields + 1):
            if i < fields:
                members.append(((float(i), float(j), 0.0), (i + 1.0, float(j), 0.0)))
            if j < fields and i > 0:
                members.append(((float(i), float(j), 0.0), (float(i), j + 1.0, 0.0)))
    bodies, joints = weld_all(members, lambda place: place[0] == 0, 2)
    return scene(bodies, joints, 9.81, statics={"steps": 1}), 2 * len(members)


def run(verb, what, folder, *options):
    """CPU time, s, and largest memory, MB, of the command."""
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(what, file)
    out = os.path.join(folder, "out")
    process = subprocess.Popen([TORSOR, verb, "-q", "-o", out, *options, path])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise AssertionError(f"{verb} ended with status {status}")
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    return usage.ru_utime, usage.ru_maxrss / 1024, summary


class Nets(unittest.TestCase):
    """All of them are static, or begin so."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_scene(self, verb, what, *options):
        return run(verb, what, self.folder.name, *options)

    def test_frames_in_space(self):
        """Work per element: 1,200 operations an unknown with 1,950 elements, 5,300 with 10,560, and
        what is linear beside it: at most 4.4 times as much, and half of that again for the caches.
        The factors take 8 bytes each."""
        small, count = space_frame(4, 6, 5)
        small_time, small_memory, _ = self.run_scene("statics", small)
        large, many = space_frame(7, 12, 5)
        time, memory, summary = self.run_scene("statics", large)
        ratio = time / many / (small_time / count)
        print(f"{count} elements: {small_time:.2f} s, {small_memory:.0f} MB; {many}: {time:.2f} s, "
              f"{memory:.0f} MB; {ratio:.2f} of the time an element")
        self.assertEqual((count, many), (1950, 10560))
        self.assertEqual(summary["status"], "OK")
        self.assertLess(memory, 300)
        self.assertLess(ratio, 6.6)

    def test_far_from_equilibrium(self):
        """A net of 30 m that its weight bends far: Newton's iteration meets singular matrices, and
        shortens its steps.  A hundred iterations of twice the elements of the small frame are 100
        times the work of its three, ten times set-up and output included."""
        small, _ = space_frame(4, 6, 5)
        small_time, _, _ = self.run_scene("statics", small)
        net, count = cantilever_net(30)
        time, memory, summary = self.run_scene("statics", net)
        print(f"{count} elements, {summary['newton_iterations']} iterations: "
              f"{time / small_time:.1f} times the small frame, {memory:.0f} MB")
        self.assertEqual(summary["status"], "OK")
        self.assertLess(memory, 300)
        self.assertLess(time / small_time, 100)

    def test_modes_of_a_frame(self):
        """Twenty modes: two factorisations and some 150 solutions, which cost less than a hundredth
        of a factorisation's operations each, beside statics' own three."""
        frame, _ = space_frame(4, 6, 5)
        time, _, _ = self.run_scene("statics", frame)
        modes_time, memory, _ = self.run_scene("modes", frame, "-n", "20", "--about", "equilibrium")
        print(f"20 modes: {modes_time / time:.1f} times the equilibrium, {memory:.0f} MB")
        self.assertLess(memory, 150)
        self.assertLess(modes_time / time, 12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[1:], verbosity=2)
