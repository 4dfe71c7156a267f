# SPDX-License-Identifier: GPL-3.0-or-later
"""Drafts, the messages of scenes that are wrong, and functions of Python inside models."""
import json
import math
import os
import signal
import threading

import kit
import numpy
import pytest
import torsor
from torsor import Marker, Rotation


def top():
    d = torsor.Draft(gravity=(0, 0, -9.81))
    d.rigid_body("top", mass=15, inertia=(0.234375, 0.46875, 0.234375), position=(0, 1, 0), angular_velocity=(0, 150, -4.61538))
    d.spherical("pivot", a="ground", b=Marker("top", (0, -1, 0)))
    d.simulation(step=1e-3, duration=1)
    d.output("top.position", "top.velocity", "pivot.force", "energy")
    return d


@pytest.mark.parametrize("scene", kit.SCENES, ids=lambda s: s.stem)
def test_scenes_survive_a_draft(scene):
    first = torsor.load(scene)
    again = first.draft().scene()
    assert again.hash == first.hash
    assert torsor.parse(first.draft().to_json()).hash == first.hash
    assert torsor.parse(json.loads(first.to_json())).hash == first.hash


def test_calls_make_the_scene_of_the_text():
    assert top().scene().hash == torsor.parse(kit.TOP).hash


def test_items_are_read_and_changed():
    d = top()
    assert d["pivot"]["b"]["position"] == [0, -1, 0] and dict(d["top"])["mass"] == 15
    d["top"]["mass"] = 3
    d["top"]["orientation"] = Rotation.about((0, 0, 2), math.pi / 2)
    d["pivot"]["b"] = Marker("top", numpy.array([0, -1.0, 0]), Rotation(1, 0, 0, 0))
    del d["top"]["orientation"]
    assert "orientation" not in d["top"] and d["top"]["mass"] == 3 and len(d["pivot"]) == 4
    with pytest.raises(KeyError):
        d["bottom"]
    with pytest.raises(KeyError):
        del d["top"]["orientation"]
    assert "rigid_body" in dir(d) and "mass" in d.rigid_body.__doc__
    with pytest.raises(AttributeError):
        d.rigid_boddy
    d.parameter("m", 4)
    d.parameter("twice", "2*m")
    d["top"]["mass"] = "twice"
    d.section("bar", shape="circle", radius=0.05, E=2e11, G=8e10, density=7800)
    d.input("push", 0, "N", "a push")
    d.function("ramp", "t")
    d.event("low", "top.position.z + 0.5", action="stop")
    tree = json.loads(d.to_json())
    assert tree["inputs"]["push"]["doc"] == "a push" and tree["events"][0]["name"] == "low"
    assert d.scene().run().parameters["top.mass"] == 8


BAD = [
    ({"torsor": 1, "bodies": [{"name": "a", "type": "rigid_boddy"}]}, "bodies[0].type", "rigid_body"),
    ({"torsor": 1, "bodies": [{"name": "a", "type": "rigid_body", "mass": -1, "inertia": [1, 1, 1]}]}, "bodies[0].mass", ""),
    ({"torsor": 1, "bodies": [{"name": "a", "type": "rigid_body", "mass": 1, "inertia": [1, 1, 1], "color": 1}]}, "bodies[0].color", ""),
    ({"torsor": 1, "joints": [{"name": "j", "type": "weld", "a": "ground", "b": "nobody"}]}, "joints[0].b", ""),
    ({"torsor": 1, "simulation": {"stp": 1}}, "simulation.stp", "step"),
    ({"torsor": 1, "parameters": {"a": "b"}}, "parameters.a", ""),
]


@pytest.mark.parametrize("scene,path,hint", BAD, ids=lambda x: x if isinstance(x, str) else "")
def test_errors_name_the_place(scene, path, hint):
    text = json.dumps(scene, indent=1)
    with pytest.raises(torsor.SceneError) as caught:
        torsor.parse(text, name="bad.json").model()
    e = caught.value
    assert e.path == path and e.status is torsor.Status.SCENE and hint in e.hint and e.line > 1 and e.column >= 1
    assert e.message in str(e) and f"{e.line}:{e.column}" in str(e) and isinstance(e, ValueError)


def test_other_errors(tmp_path):
    with pytest.raises(torsor.FileError):
        torsor.load(tmp_path / "nothing.json")
    with pytest.raises(OSError):
        torsor.load(tmp_path / "nothing.json")
    with pytest.raises(torsor.TorsorError):
        torsor.Registry([tmp_path / "nothing.so"])
    with pytest.raises(torsor.SceneError) as caught:
        top().revolute("h", a="ground", b="top", axs=(0, 1, 0))
    assert "axis" in caught.value.hint and caught.value.element == "h"
    d = top()
    for wrong in (lambda: d.simulation(step=math.nan), lambda: d.rigid_body("b", inertia=(math.inf, 1, 1)),
                  lambda: d.rigid_body("top", mass=1), lambda: d.rigid_body("a b"), lambda: d.add("rigid_boddy", "c")):
        with pytest.raises((torsor.SceneError, torsor.ArgumentError)):
            wrong()
            d.scene()
    apart = json.loads(json.dumps(kit.TOP))
    apart["joints"][0]["b"]["position"] = [0, -1.2, 0]
    with pytest.raises(torsor.InconsistentError) as caught:
        torsor.parse(apart).run()
    assert caught.value.element == "pivot" and caught.value.path
    for make in (lambda: Rotation(0, 0, 0, 0), lambda: Rotation.about((0, 0, 0), 1)):
        with pytest.raises(ValueError):
            make()


# ---- functions of Python ------------------------------------------------------------------------


def swing(registry, **motor):
    d = torsor.Draft(registry=registry)
    d.rigid_body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
    d.revolute("hinge", a="ground", b=Marker("bob", (0, 0, 1)), axis=(0, 1, 0))
    for type, parameters in motor.items():
        d.add(type, "motor", **parameters)
    d.simulation(step=1e-3, duration=0.5)
    return d


def test_functions_of_time_are_those_of_expressions():
    registry = torsor.Registry()
    mine = swing(registry, coordinate_force=dict(coordinate="hinge.angle", effort=lambda t: math.sin(3 * t)))
    theirs = swing(registry, coordinate_force=dict(coordinate="hinge.angle", effort="sin(3*t)"))
    tree = json.loads(mine.to_json())
    assert tree["forces"][0]["effort"] == "motor_effort" and tree["functions"]["motor_effort"] == {"callback": "motor_effort"}
    results = [d.scene().model().simulate(signals=["hinge"]).table for d in (mine, theirs)]
    # The same force; muParser's sine is the library's, up to a rounding.
    assert abs(results[0] - results[1]).max() < 1e-12


def test_forces_and_joints():
    """A spring about a hinge by three kinds of functions, and a hinge by rows, against the shipped elements."""
    registry = torsor.Registry()
    k, c = 5.0, 0.2
    def run(**motor):
        d = swing(registry, **motor)
        d["bob"]["angular_velocity"] = (0, 2, 0)
        d["bob"]["velocity"] = (-2, 0, 0)
        return d.scene().model().simulate(signals=["hinge.angle"]).table
    expected = run(coordinate_spring=dict(coordinate="hinge.angle", stiffness=k, damping=c))
    registry.bind("muscle", lambda t, angle, rate: -k * angle - c * rate, "effort")
    registry.bind("muscle_slopes", lambda t, angle, rate: (-k * angle - c * rate, -k, -c), "effort")
    for name in "muscle", "muscle_slopes":
        found = run(user_effort=dict(coordinate="hinge.angle", effort=name))
        # Newton's tolerance is 1e-8 of the increments, 500 steps of up to 2e-3 rad; the differences change the iterates by less.
        assert abs(found - expected).max() < 1e-8, name
    def law(t, p, R, V):
        angle = math.atan2(R[0, 2], R[0, 0])
        return (0, 0, 0, 0, -k * angle - c * V[4], 0)
    registry.bind("wrench", law, "law")
    found = run(user_force=dict(a="ground", b="bob", law="wrench"))
    assert abs(found - expected).max() < 1e-7


def test_rows():
    registry = torsor.Registry()
    registry.bind("pin", lambda t, p, R: p, "rows")
    scene = json.loads(json.dumps(kit.TOP))
    scene["simulation"]["duration"] = 0.2
    expected = torsor.parse(scene).simulate(signals=["top.position"]).table
    scene["joints"][0].update(type="user_joint", constraint="pin", rows=3)
    found = torsor.parse(scene, registry=registry).simulate(signals=["top.position"]).table
    # Jacobians by central differences are off by 1e-10; the tight iteration makes that an error of the step of the same order,
    # which the motion of a fast top multiplies by some tens.
    print(abs(found - expected).max())
    assert abs(found - expected).max() < 1e-6


def test_controllers_and_their_memory():
    registry = torsor.Registry()
    memory = numpy.zeros(1)
    calls = []
    def pid(t, read):
        calls.append(t)
        memory[0] += 0.01 * read[0]
        return [-20 * read[0] - 3 * read[1] - memory[0]]
    d = swing(registry, coordinate_force=dict(coordinate="hinge.angle", effort="u"))
    d.input("u", 0, "N*m")
    d["bob"]["angular_velocity"] = (0, 1, 0)
    d["bob"]["velocity"] = (-1, 0, 0)
    d.controller("pid", pid, period=0.01, reads=["hinge.angle", "hinge.rate"], writes=["u"], state=memory)
    model = d.scene().model()
    with model.run() as run:
        run.advance(0.2)
        state = run.save()
        run.advance(0.5)
        first = run.q.tobytes(), memory[0]
        run.restore(state)
        run.advance(0.5)
        assert (run.q.tobytes(), memory[0]) == first and first[1] > 0
    assert len(calls) >= 50 and calls[:3] == [0, 0.01, 0.02]


@pytest.mark.parametrize("kind", ["law", "effort", "function", "controller", "rows"])
def test_exceptions_in_functions(kind):
    registry = torsor.Registry()
    def broken(t, *more):
        if t > 0.1:
            raise LookupError("the table ends")
        return {"law": (0, 0, 0), "effort": (0, 0, 0), "function": 0.0, "controller": [0.0], "rows": more[0] if more else 0}[kind]
    d = swing(registry)
    if kind == "controller":
        d.input("u")
        d.controller("pid", broken, period=0.01, reads=["hinge.angle"], writes=["u"])
    elif kind == "function":
        d.coordinate_force("motor", coordinate="hinge.angle", effort=broken)
    elif kind == "rows":
        registry.bind("pin", lambda t, p, R: broken(t, 0 * p), "rows")
        d.add("user_joint", "loose", a="ground", b=Marker("bob", (0, 0, 1)), constraint="pin", rows=1)
        with pytest.raises(torsor.TorsorError):
            d.scene().run().advance(0.5)
        return
    else:
        registry.bind("broken", broken, kind)
        element = {"law": ("user_force", dict(a="ground", b="bob", law="broken")),
                   "effort": ("user_effort", dict(coordinate="hinge.angle", effort="broken"))}[kind]
        d.add(element[0], "motor", **element[1])
    with d.scene().run() as run:
        with pytest.raises(torsor.TorsorError) as caught:
            run.advance(0.5)
        assert isinstance(caught.value.__cause__, LookupError) and "the table ends" in str(caught.value.__cause__)
        assert 0.09 < run.t <= 0.11


def test_wrong_functions():
    registry = torsor.Registry()
    for name, function, signature, kind in (("a", 3, "law", TypeError), ("b", len, "lew", torsor.ArgumentError),
                                            ("1", len, "law", torsor.ArgumentError), ("c", len, "controller", TypeError)):
        with pytest.raises(kind):
            registry.bind(name, function, signature)
    registry.bind("law", len, "law")
    with pytest.raises(torsor.ArgumentError, match="already"):
        registry.bind("law", len, "law")
    d = swing(registry)
    with pytest.raises(TypeError, match="cannot stand"):
        d["bob"]["mass"] = lambda t: 1
    d.drive("turn", coordinate="hinge.angle", motion=lambda t: t)
    with pytest.raises(torsor.TorsorError) as caught:
        d.scene().run()
    assert "derivatives are needed" in str(caught.value.__cause__ or caught.value)


def test_an_interrupt_ends_a_simulation():
    scene = torsor.parse(kit.TOP, set={"simulation.duration": 1000})
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        scene.simulate()
    timer.join()
