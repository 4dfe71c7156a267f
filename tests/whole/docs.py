#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation holds: its examples run, its links lead somewhere, nothing is left out.

Fenced blocks say by their first line what they are:
  json               a complete scene: checked and run
  json fragment      part of one: must be JSON
  sh run             run by sh -eu, torsor on the path, in a folder with data, examples and include
  text like COMMAND  what COMMAND prints, numbers aside
  c PATH             stands verbatim in the file PATH; so does python PATH
  sh element         the worked example of a new element: run by new_element.py
  sh, text           for the reader only

Environment: TORSOR (the command), TORSOR_DATA.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TORSOR = pathlib.Path(os.environ["TORSOR"]).resolve()
DATA = pathlib.Path(os.environ.get("TORSOR_DATA", SOURCE / "data")).resolve()
PAGES = sorted([SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *(SOURCE / "docs").glob("*.md")])
FENCE = re.compile(r"^```")
# Words of the house that words of the field have replaced: reported, unconstrained, decoupled, ..
RETIRED = ("told", "unheld", "narrowing", "narrowed", "taken up", "worn")


class Block:
    def __init__(self, page, line, kind):
        self.page, self.line, self.kind, self.text = page, line, kind, ""

    def __str__(self):
        return f"{self.page.relative_to(SOURCE)}:{self.line}"


def split(page):
    """Blocks of a page, and its text without them."""
    blocks, prose, open_block = [], [], None
    for number, line in enumerate(page.read_text().splitlines(keepends=True), 1):
        if FENCE.match(line):
            if open_block:
                blocks.append(open_block)
                open_block = None
            else:
                open_block = Block(page, number, line[3:].strip())
        elif open_block:
            open_block.text += line
        else:
            prose.append(line)
    assert open_block is None, f"{page}: a block is not closed"
    return blocks, "".join(prose)


def blocks(kind):
    """Blocks whose first line is `kind` or, when it ends with a blank, begins with it."""
    return [b for page in PAGES for b in split(page)[0]
            if b.kind == kind or (kind.endswith(" ") and b.kind.startswith(kind))]


def torsor(*words):
    done = subprocess.run([TORSOR, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def slugs(page):
    """Anchors that a web page of the text would have."""
    headings = re.findall(r"^#+ (.*)$", split(page)[1], re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def section(name, heading):
    """Text below a heading of docs/NAME up to the next of the same rank."""
    text = split(SOURCE / "docs" / name)[1]
    rank = heading.split(" ")[0]
    start = text.index(heading + "\n") + len(heading)
    end = re.search(rf"^#{{1,{len(rank)}}} ", text[start:], re.M)
    return text[start:start + end.start()] if end else text[start:]


def first_cells(text):
    """Words in backquotes in the first column of the tables."""
    return {word for row in re.findall(r"^\| *(`(?:[^|\\]|\\.)*)\|", text, re.M)
            for word in re.findall(r"`([^`]+)`", row)}


class Sandbox:
    """A folder that looks like the one with the sources, with torsor on the path."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        (path / "data").symlink_to(DATA)
        for name in "examples", "include":
            (path / name).symlink_to(SOURCE / name)
        self.environment = {**os.environ, "TORSOR_DATA": str(DATA),
                            "PATH": f"{TORSOR.parent}{os.pathsep}{os.environ['PATH']}"}
        return self

    def run(self, script):
        return subprocess.run(["sh", "-eu", "-c", script], cwd=self.folder.name, text=True,
                              env=self.environment, capture_output=True)

    def __exit__(self, *ignored):
        self.folder.cleanup()


class Blocks(unittest.TestCase):
    def each(self, kind, least):
        found = blocks(kind)
        self.assertGreaterEqual(len(found), least, f"too few blocks: {kind}")
        return found

    def test_kinds(self):
        for page in PAGES:
            for block in split(page)[0]:
                self.assertRegex(block.kind, r"^(json( fragment)?|sh( run| element)?|text( like .+)?|(c|python) \S+)$",
                                 str(block))

    def test_scenes(self):
        for block in self.each("json", 4):
            with Sandbox() as sandbox:
                pathlib.Path(sandbox.folder.name, "scene.json").write_text(block.text)
                for verb in "check", "run":
                    done = sandbox.run(f"torsor {verb} -q scene.json")
                    self.assertEqual(done.returncode, 0, f"{block}: {done.stderr}")
                    self.assertEqual(done.stderr, "", str(block))

    def test_fragments(self):
        for block in self.each("json fragment", 1):
            json.loads(block.text)

    def test_commands(self):
        for block in self.each("sh run", 4):
            with Sandbox() as sandbox:
                done = sandbox.run(block.text)
                self.assertEqual(done.returncode, 0, f"{block}: {done.stderr}")

    def test_answers(self):
        def shape(text):
            return re.sub(r"\d+(\.\d+)?(e[-+]\d+)?", "#", text)
        for block in self.each("text like ", 1):
            with Sandbox() as sandbox:
                done = sandbox.run(block.kind.removeprefix("text like "))
                self.assertEqual(shape(done.stdout), shape(block.text), str(block))

    def test_code(self):
        for block in self.each("c ", 5) + self.each("python ", 3):
            self.assertIn(block.text, (SOURCE / block.kind.split(" ")[1]).read_text(), str(block))


class Links(unittest.TestCase):
    def test_links(self):
        count = 0
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", split(page)[1]):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, anchor = target.partition("#")
                aim = (page.parent / name).resolve() if name else page
                self.assertTrue(aim.exists(), f"{page.name}: {target}")
                if anchor:
                    self.assertIn(anchor, slugs(aim), f"{page.name}: {target}")
        self.assertGreater(count, 20)


class Complete(unittest.TestCase):
    """Every word that the program knows is in the pages, and the tables name nothing else."""

    def documented(self, words, page, least):
        text = (SOURCE / page).read_text()
        self.assertGreaterEqual(len(words), least)
        for word in sorted(words):
            self.assertRegex(text, rf"`[^`\n]*(?<![\w.-]){re.escape(word)}(?![\w-])[^`\n]*`",
                             f"{page} says nothing of {word}")

    def test_verbs(self):
        verbs = re.findall(r"^  ([a-z]+).*\n {6,}\S", torsor("--help"), re.M)
        self.documented(verbs, "docs/commands.md", 8)
        self.documented(verbs, "README.md", 8)
        options = {option for verb in verbs
                   for option in re.findall(r"^ .*--([a-z-]+)", torsor(verb, "--help"), re.M)}
        self.documented({"--" + option for option in options} - {"--output", "--quiet", "--verbose",
                                                                 "--usage"}, "docs/commands.md", 9)
        table = first_cells((SOURCE / "docs/commands.md").read_text().split("## Exit")[0])
        self.assertEqual({cell.split()[0] for cell in table if cell[0] != "-"}, set(verbs))

    def test_types(self):
        for entry in json.loads(torsor("list", "--json")):
            if entry["kind"] == "method":
                self.documented([entry["type"]], "docs/scene.md", 1)

    def test_element_types(self):
        """Names, rows, schema, scenes and references of element types: each line says what is missing, and where."""
        asked = subprocess.run([sys.executable, SOURCE / "tools/renew.py", "--check"], capture_output=True, text=True)
        self.assertEqual(asked.stderr, "")
        if asked.returncode:
            self.fail("\n" + asked.stdout)

    def test_keys(self):
        schema = json.loads(torsor("schema"))["properties"]
        for heading, keys in (("## The scene", schema),
                              ("## Events", schema["events"]["items"]["properties"]),
                              ("## Simulation", schema["simulation"]["properties"]),
                              ("## Output", schema["output"]["properties"])):
            keys = set(keys) - {"comment"}
            text = section("scene.md", heading)
            if heading == "## Output":
                text = text.split("A signal is")[0]
            self.assertEqual(first_cells(text), keys, heading)

    def test_architecture(self):
        """Files that the page on the architecture names exist, rooms are all there, and the glossary is short."""
        text = (SOURCE / "docs/architecture.md").read_text()
        known = {file.name for room in ("src", "include", "tests", "tools") for file in (SOURCE / room).rglob("*.*")}
        named = {name.split("/")[-1] for name in re.findall(r"[\w/]+\.(?:c|h|py)\b", text)}
        self.assertEqual(named - known, set())
        rooms = set(re.findall(r"^\| `([\w/]+)`", section("architecture.md", "## Rooms"), re.M))
        self.assertEqual(rooms, {str(folder.relative_to(SOURCE / "src")) for folder in (SOURCE / "src").glob("**/*")
                                 if folder.is_dir() and list(folder.glob("*.c"))} | {"base"})
        words = re.findall(r"^\| (?!term|---)", section("architecture.md", "## Glossary"), re.M)
        print(f"  {len(named)} files, {len(words)} words")
        self.assertTrue(30 <= len(words) <= 40, len(words))

    def test_words(self):
        """Words that only this project's authors understand stay out: comments and texts use those of the field."""
        retired = re.compile(r"\b(" + "|".join(RETIRED) + r")\b|(?-i:(?:/\*\*?|//) What\b|\"{3}What\b)", re.I)
        found = [f"{file.relative_to(SOURCE)}:{number}: {line.strip()}"
                 for room in ("src", "include", "docs", "tests", "tools", "bench", "examples") for file in sorted((SOURCE / room).rglob("*"))
                 if file.suffix in (".c", ".h", ".md", ".py") and file != pathlib.Path(__file__).resolve()
                 for number, line in enumerate(file.read_text().splitlines(), 1) if retired.search(line)]
        print(f"  {len(RETIRED)} words")
        self.assertEqual(found, [])

    def test_signals(self):
        names = {entry["signal"] for entry in json.loads(torsor("list", "signals", "--json"))}
        words = {re.sub(r"^<\w+>(\[0\])?\.|(?<=>\.on)\.\w+|\[0\]|\.[xyzw\d]+$", "", name) for name in names}
        words = {part for word in words for part in word.split(".")}
        self.assertGreater(len(words), 15)
        for word in words:
            self.assertRegex(section("scene.md", "## Output"), rf"(?<!\w){word}(?!\w)",
                             f"no signal {word} in scene.md")

    def test_summary(self):
        with Sandbox() as sandbox:
            done = sandbox.run("torsor run --json --set simulation.duration=0.01 "
                               "data/scenes/heavy_top.json")
        summary = json.loads(done.stdout)
        self.documented({*summary, *summary["energy"]}, "docs/scene.md", 20)
        self.documented(summary["settings"].keys() - {"alpha_m", "alpha_f", "beta", "gamma"},
                        "docs/scene.md", 8)


if __name__ == "__main__":
    unittest.main(verbosity=1)
