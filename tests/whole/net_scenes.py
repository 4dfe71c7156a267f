# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of beams and nets of rods of any size, for the test `nets` and for bench/nets.py."""

import json
import os
import subprocess

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


def ball_chain(links, steps):
    """Links on ball joints, which fall from the horizontal."""
    bodies = [{"name": f"l{i}", "type": "rigid_body", "mass": 0.1, "inertia": [1e-5, 1e-4, 1e-4],
               "position": [0.1 * i + 0.05, 0, 0]} for i in range(links)]
    joints = [{"name": f"j{i}", "type": "spherical",
               "a": {"body": f"l{i - 1}", "position": [0.05, 0, 0]} if i else {"body": "ground"},
               "b": {"body": f"l{i}", "position": [-0.05, 0, 0]}} for i in range(links)]
    return {"torsor": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints,
            "simulation": {"step": 1e-3, "duration": 1e-3 * steps}, "output": {"signals": ["energy"]}}


def rod_net(fields, formulation=None, steps=20, height=None, gravity=9.81):
    """A net of rods between points, with ball joints, whose edge is fixed: it bulges upwards, but
    is level at a height that is given."""
    def high(i, j):
        if height is not None:
            return height
        inside = (1 - (2 * i / fields - 1) ** 2) * (1 - (2 * j / fields - 1) ** 2)
        return 1.5 * inside + 0.1 * (inside > 0) * ((7 * i * i + 13 * j + 5 * i * j) % 11) / 11

    def free(i, j):
        return 0 < i < fields and 0 < j < fields

    bodies, joints = [], []
    for i in range(1, fields):
        for j in range(1, fields):
            bodies.append({"name": f"p{i}_{j}", "type": "point_mass", "mass": 1,
                           "position": [i, j, high(i, j)]})
    for i, j, right in ((i, j, right) for i in range(fields + 1) for j in range(fields + 1)
                        for right in (0, 1)):
        ends = [(i, j), (i + right, j + 1 - right)]
        if max(ends[1]) > fields or not any(free(*end) for end in ends):
            continue
        name = f"r{i}_{j}_{right}"
        half = [right / 2, (1 - right) / 2, (high(*ends[1]) - high(*ends[0])) / 2]
        bodies.append({"name": name, "type": "rigid_body", "mass": 1,
                       "inertia": [0.01 if right else 0.1, 0.1 if right else 0.01, 0.1],
                       "position": [a + b for a, b in zip((i, j, high(i, j)), half)]})
        for end, sign in zip(ends, (-1, 1)):
            a = (f"p{end[0]}_{end[1]}" if free(*end) else
                 {"body": "ground", "position": [*end, high(*end)]})
            joints.append({"name": f"j{name}_{sign + 1}", "type": "spherical", "a": a,
                           "b": {"body": name, "position": [sign * x for x in half]}})
    what = {"torsor": 1, "gravity": [0, 0, -gravity], "bodies": bodies, "joints": joints,
            "simulation": {"step": 1e-3, "duration": 1e-3 * steps},
            "output": {"signals": [f"p{fields // 2}_{fields // 3}.position", "energy"]}}
    if formulation:
        what["simulation"]["formulation"] = formulation
    return what


def singular_net(fields, solver):
    """A net of rods in equilibrium on springs, which alone keep the rods from turning about their axes."""
    what = rod_net(fields)
    what["gravity"] = [0, 0, 1]
    what["statics"] = {"steps": 1}
    what["simulation"]["linear_solver"] = solver
    what["forces"] = [
        {"name": f"s_{rod['name']}", "type": "spring_damper", "stiffness": 100, "length": 0.1,
         "a": {"body": "ground", "position": [*rod["position"][:2], rod["position"][2] + 0.5]},
         "b": {"body": rod["name"], "position": [0, 0, 0.1]}}
        for rod in what["bodies"] if rod["type"] == "rigid_body"]
    return what


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
