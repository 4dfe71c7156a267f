# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes and helpers of the tests of the Python package.  Environment: TORSOR, TORSOR_DATA, TORSOR_LIBRARY."""
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ["TORSOR_DATA"])
SCENES = sorted((DATA / "scenes").glob("*.json"))

TOP = {"torsor": 1, "gravity": [0, 0, -9.81],
       "bodies": [{"name": "top", "type": "rigid_body", "mass": 15, "inertia": [0.234375, 0.46875, 0.234375], "position": [0, 1, 0],
                   "angular_velocity": [0, 150, -4.61538]}],
       "joints": [{"name": "pivot", "type": "spherical", "a": "ground", "b": {"body": "top", "position": [0, -1, 0]}}],
       "simulation": {"step": 1e-3, "duration": 1}, "output": {"signals": ["top.position", "top.velocity", "pivot.force", "energy"]}}

CART = {"torsor": 1, "gravity": [0, 0, -9.81], "inputs": {"push": {"value": 0, "unit": "N", "doc": "force on the cart"}},
        "bodies": [{"name": "cart", "type": "rigid_body", "mass": 1, "inertia": [0.1, 0.1, 0.1]},
                   {"name": "pole", "type": "rigid_body", "mass": 0.1, "inertia": [0.01, 0.01, 1e-4], "position": [0.02, 0, 0.5]}],
        "joints": [{"name": "slide", "type": "prismatic", "a": "ground", "b": "cart", "axis": [1, 0, 0]},
                   {"name": "hinge", "type": "revolute", "a": "cart", "b": {"body": "pole", "position": [-0.02, 0, -0.5]},
                    "axis": [0, 1, 0]}],
        "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "slide.travel", "effort": "push"},
                   {"name": "spring", "type": "coordinate_spring", "coordinate": "hinge.angle", "stiffness": 0.1}],
        "simulation": {"step": 1e-3, "duration": 5}}


def command(*words, **options):
    """Run the command, which has to succeed."""
    done = subprocess.run([os.environ["TORSOR"], *map(str, words)], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout
