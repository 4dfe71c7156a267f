# SPDX-License-Identifier: GPL-3.0-or-later
"""The published schema, read by a validator that is not ours, says of scenes what the command says of them."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: install Debian package python3-jsonschema")
    sys.exit(77)

DATA = Path(os.environ["TORSOR_DATA"])
SCHEMA = json.loads((DATA / "schema/torsor-scene.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
# Objects whose keys are names that the scene gives.
NAMED = [("parameters",), ("functions",), ("sections",)]
SCENES = {path.stem: json.loads(path.read_text()) for path in sorted((DATA / "scenes").glob("*.json"))}

# Beside what the scenes read.
TEMPORARY = tempfile.TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)
for beside in (DATA / "scenes").iterdir():
    (FOLDER / beside.name).symlink_to(beside.resolve())


def command_takes(scene):
    """Does the command read the scene?  (A scene that it reads may still be impossible.)"""
    file = FOLDER / "changed.json"
    file.write_text(json.dumps(scene))
    ended = subprocess.run([os.environ["TORSOR"], "check", "--json", file], capture_output=True, text=True, timeout=120)
    return ended.returncode != 3 or "error" not in json.loads(ended.stdout)


def places(value, path=(), kind=()):
    """Every member of every object: the path to it, and what is the same for members of one kind."""
    if isinstance(value, dict):
        where = kind + (value["type"],) if isinstance(value.get("type"), str) else kind
        for key, member in value.items():
            here = where + ("*" if path in NAMED else key,)
            yield path + (key,), here
            yield from places(member, path + (key,), here)
    elif isinstance(value, list):
        for i, member in enumerate(value):
            yield from places(member, path + (i,), kind)


def changed(scene, path, change):
    """A copy of the scene whose object that holds `path` is changed."""
    scene = copy.deepcopy(scene)
    holder = scene
    for step in path[:-1]:
        holder = holder[step]
    change(holder, path[-1])
    return scene


def misspell(holder, key):
    holder[key + "q"] = holder.pop(key)


def empty(holder, key):
    holder[key] = None


class Schema(unittest.TestCase):
    def test_schema_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_shipped_scenes_are_valid(self):
        for name, scene in SCENES.items():
            with self.subTest(name):
                self.assertEqual([error.message for error in VALIDATOR.iter_errors(scene)], [])
        print(f"  {len(SCENES)} scenes are valid")

    def test_examples_of_types_are_valid(self):
        listed = subprocess.run([os.environ["TORSOR"], "list", "--json"], capture_output=True, text=True, check=True)
        checked = 0
        for entry in json.loads(listed.stdout):
            reported = subprocess.run([os.environ["TORSOR"], "describe", entry["type"], "--json"], capture_output=True,
                                  text=True)
            if reported.returncode != 0:
                continue
            example = json.loads(json.loads(reported.stdout)["example"])
            with self.subTest(entry["type"]):
                self.assertEqual([error.message for error in VALIDATOR.iter_errors(example)], [])
            checked += 1
        self.assertGreater(checked, 40)
        print(f"  {checked} examples of types are valid")

    def agree(self, change, names):
        """Change one member of each kind; what the validator and the command then say must be the same."""
        seen, refused = set(), 0
        for name, scene in SCENES.items():
            for path, kind in places(scene):
                if kind in seen or "comment" in path or path[-1].startswith(("_", "$")):
                    continue
                if path[:-1] in NAMED and not names:
                    continue
                seen.add(kind)
                bad = changed(scene, path, change)
                taken = VALIDATOR.is_valid(bad)
                refused += not taken
                with self.subTest(name, path=path):
                    self.assertEqual(taken, command_takes(bad), "the schema takes it" if taken else "the command does")
        return len(seen), refused

    def test_misspelt_keys(self):
        total, refused = self.agree(misspell, names=False)
        print(f"  {refused} of {total} kinds of misspelt keys are refused by both")
        self.assertEqual(refused, total)

    def test_nulls(self):
        total, refused = self.agree(empty, names=True)
        print(f"  {refused} of {total} kinds of null values are refused by both")
        self.assertEqual(refused, total)


if __name__ == "__main__":
    unittest.main()
