#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes into the pages and the schema what follows from the tables of the element types, and says what is still missing.

    tools/renew.py [--check] [--root FOLDER] [--plugin FILE.so]     TORSOR names the command (default: torsor)

A type that is new gets its row in docs/scene.md and its word in README.md; data/schema/torsor-scene.json is written, and
docs/benchmarks.md where references have come or gone.  Rows that stand keep their words.  With --check nothing is written.  Each
line of the answer is one thing that is missing, with the step of CONTRIBUTING.md, "An element type", that it belongs to.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SECTION = {"body": "bodies", "joint": "joints", "force": "forces"}
HEADING = {"body": "### Bodies", "joint": "### Joints", "force": "### Forces"}
OWN = {"a", "b", "at", "coordinate"}
# Types whose solutions stand in a test in place of a scene with a reference.
TESTED = {"superelement": "tests/elements/superelement.c"}


class Tree:
    """The sources, and a command that knows the types."""

    def __init__(self, root, plugin=None):
        self.root = Path(root)
        self.plugin = ["--plugin", str(plugin)] if plugin else []

    def ask(self, *words):
        done = subprocess.run([os.environ.get("TORSOR", "torsor"), *words, *self.plugin], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def types(self):
        return [entry for entry in json.loads(self.ask("list", "--json")) if entry["kind"] in SECTION]

    def describe(self, name):
        return json.loads(self.ask("describe", name, "--json"))

    def text(self, name):
        return (self.root / name).read_text()

    def scenes(self):
        for file in sorted((self.root / "data/scenes").glob("*.json")):
            scene = json.loads(file.read_text())
            yield file.stem, {element["type"] for key in SECTION.values() for element in scene.get(key, [])}


def words(names):
    return ", ".join(f"`{name}`" for name in names)


def table(page, kind):
    """Beginning and end of the first table below the heading of a kind in docs/scene.md."""
    start = page.index("\n|---", page.index(f"\n{HEADING[kind]}\n")) + 1
    return start, page.index("\n\n", start) + 1


def rows_of(page, kind):
    start, end = table(page, kind)
    return {row.group(1): row.group(0) for row in re.finditer(r"^\| `(\w+)` \|.*$", page[start:end], re.M)}


def count_rows(tree, described):
    """Return what the type's example loses in constraints without the elements of this type; None where others need them."""
    scene = json.loads(described["example"])
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for name in "with", "without":
            path = Path(folder, f"{name}.json")
            path.write_text(json.dumps(scene))
            done = subprocess.run([os.environ.get("TORSOR", "torsor"), "check", "--json", str(path), *tree.plugin],
                                  capture_output=True, text=True)
            if done.returncode:
                return None
            counts.append([json.loads(done.stdout)[key] for key in ("holonomic", "nonholonomic")])
            scene["joints"] = [joint for joint in scene["joints"] if joint["type"] != described["type"]]
    return [a - b for a, b in zip(*counts)]


def row(tree, described):
    """The row of a type in docs/scene.md, from its own table."""
    name, kind = described["type"], described["kind"]
    keys = [parameter["key"] for parameter in described["parameters"]]
    own = words(key for key in keys if key in OWN) or ""
    others = words(key for key in keys if kind == "body" or key not in OWN)
    if kind == "body":
        return f"| `{name}` | {others} |"
    if kind == "force":
        signals = words(signal["signal"] for signal in described["signals"] if "signal" in signal)
        return f"| `{name}` | {own} | {others} | {signals} |"
    counts = count_rows(tree, described)
    rows = "" if counts is None else str(counts[0]) if not counts[1] else f"{counts[0]} and {counts[1]} nonholonomic"
    coordinates = words(word for signal in described["signals"] if "coordinate" in signal
                        for word in (signal["coordinate"], signal["rate"]))
    return re.sub(r"  +", " ", f"| `{name}` | {rows} | {others} | {coordinates} |")


def what_there_is(readme):
    """The table of README.md that names all types, in several rows for each kind."""
    return readme[readme.index("\n## What there is\n"):readme.index("\n## Read on\n")]


def renew_pages(tree):
    page, readme = tree.text("docs/scene.md"), tree.text("README.md")
    for entry in tree.types():
        kind, name = entry["kind"], entry["type"]
        if name not in rows_of(page, kind):
            end = table(page, kind)[1]
            page = page[:end] + row(tree, tree.describe(name)) + "\n" + page[end:]
        if f"`{name}`" not in what_there_is(readme):
            line = re.search(rf"^\| {SECTION[kind]} \| .*$", readme, re.M)
            readme = readme[:line.end() - 2] + f"; `{name}`" + readme[line.end() - 2:]
    (tree.root / "docs/scene.md").write_text(page)
    (tree.root / "README.md").write_text(readme)


def renew(tree):
    (tree.root / "data/schema/torsor-scene.json").write_text(tree.ask("schema"))
    (tree.root / "data/schema/torsor-study.json").write_text(tree.ask("schema", "--study"))
    renew_pages(tree)
    subprocess.run([sys.executable, tree.root / "tools/references/benchmarks.py"], check=True)


def unlisted(tree):
    """References that docs/benchmarks.md does not name."""
    named = set(re.findall(r"^\| `(\w+)` \|", tree.text("docs/benchmarks.md"), re.M))
    return sorted({path.stem for path in (tree.root / "data/reference").glob("*.json")} - named)


def lacking(tree, page, readme, entry):
    """List what a type lacks in the pages."""
    kind, name = entry["kind"], entry["type"]
    if f"`{name}`" not in what_there_is(readme):
        yield f'README.md does not name the {kind} "{name}" (step 3: ./torsor.sh renew)'
    found = rows_of(page, kind).get(name)
    if not found:
        yield f'docs/scene.md has no row for the {kind} "{name}" (step 3: ./torsor.sh renew)'
        return
    for parameter in tree.describe(name)["parameters"]:
        if not re.search(rf"`[^`\n]*(?<![\w.-]){re.escape(parameter['key'])}(?![\w-])[^`\n]*`", page):
            yield f'docs/scene.md says nothing of "{parameter["key"]}" of "{name}": add it to the row of the type (step 3)'


def missing(tree):
    """One line for everything that a type of the command lacks in the tree."""
    page, readme, lines = tree.text("docs/scene.md"), tree.text("README.md"), []
    types = tree.types()
    for entry in types:
        lines += lacking(tree, page, readme, entry)
    known = {entry["type"] for entry in types}
    for kind in SECTION:
        lines += [f'docs/scene.md has a row for "{name}", which is no type: remove it'
                  for name in rows_of(page, kind) if name not in known]
    if tree.ask("schema") != tree.text("data/schema/torsor-scene.json"):
        lines.append("data/schema/torsor-scene.json is not that of the element types (step 3: ./torsor.sh renew)")
    if tree.ask("schema", "--study") != tree.text("data/schema/torsor-study.json"):
        lines.append("data/schema/torsor-study.json is not that of the command (./torsor.sh renew)")
    used, compared = set(), set(TESTED)
    for scene, inside in tree.scenes():
        used |= inside
        if (tree.root / f"data/reference/{scene}.json").exists():
            compared |= inside
    lines += [f'no shipped scene uses "{name}": add data/scenes/NAME.json with an element of this type (step 4)'
              for name in sorted(known - used)]
    lines += [f'no reference is about "{name}": add data/reference/SCENE.csv and SCENE.json to a scene that uses it (step 5)'
              for name in sorted(known - compared)]
    lines += [f'docs/benchmarks.md does not list the reference "{name}" (step 6: ./torsor.sh renew)' for name in unlisted(tree)]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--plugin")
    given = parser.parse_args()
    tree = Tree(given.root, given.plugin)
    if not given.check:
        renew(tree)
    lines = missing(tree)
    print("\n".join(lines) if lines else "nothing is missing")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
