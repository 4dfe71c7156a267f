# SPDX-License-Identifier: GPL-3.0-or-later
"""Python's share of a step, beside the library's own work; bench/python_cost.py measures the times."""
import gc
import json
import sys

import kit
import torsor

STEPS = 100


def calls(action):
    """Calls of functions written in Python and of built-in ones, by name."""
    names = {}

    def note(frame, event, function):
        if event in ("call", "c_call"):
            name = frame.f_code.co_name if event == "call" else function.__name__
            names[name] = names.get(name, 0) + 1

    action()  # the first time makes views that stay
    gc.disable()  # what others leave behind is not collected meanwhile
    sys.setprofile(note)
    for _ in range(STEPS):
        action()
    sys.setprofile(None)
    gc.enable()
    names.pop("setprofile")
    return names


def test_calls(tmp_path):
    """A step, its values and its coordinates take one function in Python each, which calls the library: no object is made and
    no name is looked up by functions of the package."""
    (tmp_path / "top.json").write_text(json.dumps(kit.TOP))
    with torsor.load(tmp_path / "top.json").run(open_end=True, signals=[]) as run:
        found = {"step": calls(run.step), "values": calls(lambda: run.values), "q": calls(lambda: run.q)}
    print(found)
    assert found["step"] == {"step": STEPS}
    assert found["values"] == {"<lambda>": STEPS, "values": STEPS}
    assert found["q"] == {"<lambda>": STEPS, "q": STEPS}
