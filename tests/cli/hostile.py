#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that somebody else chose: columns of a table, units, titles, files and folders.  Whatever they are, no
program that reads an output of ours obeys them, and they are shown as they are.

TORSOR is the path of the command, TORSOR_DATA that of data/."""

import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

TORSOR = os.environ["TORSOR"]
DATA = Path(os.environ["TORSOR_DATA"]).resolve()
TOP = DATA / "scenes" / "heavy_top.json"
BUNDLE = "<html><body><!--torsor-data--><script>1</script></body></html>\n"

TOUCH = "touch PWNED"
NAMES = [
    # ends of lines, after which gnuplot would read a command
    f'x\nsystem("{TOUCH}")\n', f'x\rsystem("{TOUCH}")\r', f"x'\n!{TOUCH}\n'", f"\n!{TOUCH}\n", "x\n\n\nEOD\n", "EOD", "EOD\nEOD",
    f"x\x0bsystem('{TOUCH}')", f"x\x0csystem('{TOUCH}')", f"x\x85system('{TOUCH}')", f"x\u2028system('{TOUCH}')",
    # quotes that end the string
    f"' ; system('{TOUCH}') ; '", f"''' ; system('{TOUCH}')", f'" ; system("{TOUCH}") ; "', "'", "''", "'''", '"',
    f"\\' ; system('{TOUCH}') #", "\\", "x\\", "\\\\", f"x\\\n!{TOUCH}", f"', '< {TOUCH}' title '",
    # what a shell or gnuplot puts in place of words
    f"`{TOUCH}`", f"'`{TOUCH}`'", f"$({TOUCH})", f"<{TOUCH}", f"|{TOUCH}", f"!{TOUCH}", "@GPVAL_VERSION", "'@ARG0'",
    "$c0", "${HOME}", "%s%n%d", "%.9999f", "x # y", "{/*3 big}", "a_b^c", "{}", "}", "{", "~a{b}", "&{x}", ";", ",",
    # marks of pages and of XML
    f"<script>{TOUCH}</script>", "</script><script>1</script>", "<!--", "-->", "]]>", "&amp;", "&#60;", "&lt;b&gt;",
    "<svg onload=1>", "'><b>", '"><b>',
    # control characters, and what is no text
    "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "x\x7fy", "\t", "\u202egnp.x", "\ufeffx", "ünïcödé 物理 🙂", "x" * 500,
    "é" * 100,
]
ODD_BYTES = [b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"x\xc0\xaey"]
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def picture(character):
    if ord(character) < 0x20:
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "\u2421"
    return "\ufffd"


def shown(name):
    """Return the part of a name that people see; a drawing has a space of no width in what XML forbids."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]",
                  lambda match: picture(match[0]), name).replace("]]>", "]]\u200b>")


def cell(name):
    return '"' + name.replace('"', '""') + '"'


class HostileTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="torsor-hostile-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def torsor(self, *arguments, code=0, **options):
        done = subprocess.run([TORSOR, *arguments], capture_output=True, timeout=120, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(list(self.folder.rglob("PWNED")), [], arguments)
        return done

    def table(self, names, file="table.csv"):
        """A table with two rows and these columns; its path."""
        header = ",".join(["t", *map(cell, names)])
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{header}\n0{',1' * len(names)}\n1{',2' * len(names)}\n".encode())
        return path

    def texts(self, file):
        """Words of a drawing, which is XML that others can read."""
        return [" ".join("".join(e.itertext()).split(" ")) for e in xml.parse(file).iter() if e.tag.endswith("text")]


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class DrawingTest(HostileTest):
    def expect_text(self, words, file, name):
        texts = [text.strip() for text in self.texts(file)]
        self.assertIn(words.strip(), texts, f"{name!r} in {texts}")

    def test_columns(self):
        for name in NAMES:
            with self.subTest(name=name):
                done = self.torsor("plot", self.table([name]), "-o", "z.svg")
                self.assertEqual(done.stderr, b"")
                # A panel has the name of its signal, without a component
                panel = re.sub(r"(?s)(.)(\.[^.]*|\[.*)?$", r"\1", name)
                if name == panel:
                    self.expect_text(shown(name), self.folder / "z.svg", name)

    def test_many_at_once(self):
        names = [f"{name}{i}" for i, name in enumerate(NAMES)]
        for end in ["svg", "png", "pdf"]:
            chosen = names[::4] if end != "svg" else names
            done = self.torsor("plot", self.table(chosen), "-o", f"z.{end}", "-q")
            self.assertNotRegex(done.stderr.decode(), "line [0-9]+:")

    def test_bytes_that_are_no_text(self):
        for odd in ODD_BYTES:
            (self.folder / "table.csv").write_bytes(b"t," + odd + b"\n0,1\n1,2\n")
            self.torsor("plot", "table.csv", "-o", "z.svg")
            self.assertTrue(any("\ufffd" in text for text in self.texts(self.folder / "z.svg")))

    def test_units(self):
        result = self.folder / "result"
        for name in NAMES[::3]:
            with self.subTest(unit=name):
                self.table(["force"], "result/trajectory.csv")
                (result / "summary.json").write_text(json.dumps({"signals": [{"signal": "force", "unit": name}]}))
                done = self.torsor("plot", "result", "-o", "z.svg")
                self.assertEqual(done.stderr, b"")
                self.assertTrue(any(text.startswith("force") for text in self.texts(self.folder / "z.svg")))

    def test_names_of_files(self):
        """They label the curves of several results, and name the drawing."""
        for name in NAMES[::3]:
            if "/" in name or len(name.encode()) > 200 or name in ("\\",):
                continue
            with self.subTest(file=name):
                one = self.table(["force"], f"results/{name}.csv")
                other = self.table(["force"], "results/other.csv")
                drawing = self.folder / f"{name}.svg"
                done = self.torsor("plot", one, other, "-s", "force", "-o", drawing, "--reference", other)
                self.assertEqual(done.stderr, b"")
                self.assertFalse(CONTROL.search(done.stdout.decode()), done.stdout)
                self.expect_text(shown(f"{name}.csv"), drawing, name)
                shutil.rmtree(self.folder / "results")
                drawing.unlink()


class MessageTest(HostileTest):
    """A terminal obeys control characters: none of a name is left in messages."""

    def check(self, done):
        for stream in (done.stdout, done.stderr):
            words = stream.decode()
            self.assertFalse(CONTROL.search(words), words)

    def test_messages(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.check(self.torsor("plot", self.table([name]), "-s", "nothing", code=2))
                self.check(self.torsor("compare", self.table([name]), self.table([name])))
                if len(name.encode()) < 200:
                    self.check(self.torsor("check", f"./{name}", code=5))
                    self.check(self.torsor("describe", f"no{name}", code=2))
                    self.check(self.torsor(f"no{name}", code=2))

    def test_titles(self):
        scene = json.loads(TOP.read_text())
        for name in NAMES:
            with self.subTest(title=name):
                (self.folder / "scene.json").write_text(json.dumps({**scene, "title": name}))
                self.check(self.torsor("check", "scene.json"))

    def test_names_of_folders(self):
        for name in NAMES:
            if "/" in name or len(name.encode()) > 200:
                continue
            with self.subTest(folder=name):
                shutil.copy(TOP, self.folder / f"{name}.json")
                done = self.torsor("run", f"./{name}.json", "--set", "simulation.duration=0.01")
                self.check(done)
                summary = json.loads((self.folder / "out" / name / "summary.json").read_text())
                self.assertEqual(summary["scene"], name)


class DocumentTest(HostileTest):
    """JSON documents, CSV tables and pages are read back by their own rules."""

    def test_json_answers(self):
        for name in NAMES:
            with self.subTest(name=name):
                done = self.torsor("compare", self.table([name]), self.table([name]), "--json")
                signal = json.loads(done.stdout.decode())["signals"][0]["signal"]
                self.assertTrue(name.startswith(signal.rstrip("\ufffd")), signal)
        for odd in ODD_BYTES:
            (self.folder / "table.csv").write_bytes(b"t," + odd + b"\n0,1\n1,2\n")
            done = self.torsor("compare", "table.csv", "table.csv", "--json")
            self.assertIn("\ufffd", json.loads(done.stdout.decode())["signals"][0]["signal"])

    def test_pages(self):
        bundle = self.folder / "bundle.html"
        bundle.write_text(BUNDLE)
        environment = {**os.environ, "TORSOR_REPORT": str(bundle)}
        for name in NAMES + ["<!--torsor-data-->"]:
            with self.subTest(name=name):
                self.table([name], "result/trajectory.csv")
                (self.folder / "result" / "summary.json").write_text(
                    json.dumps({"signals": [{"signal": name, "unit": name}], "title": name, "warnings": [name]}))
                self.torsor("report", "result", "-o", "page.html", env=environment)
                page = (self.folder / "page.html").read_text()
                pattern = (r'(?s)<html><body><script type="application/json" id="torsor-head">([^<]*)</script>\n'
                           r'<script type="text/plain" id="torsor-block-0">[A-Za-z0-9+/=]*</script>'
                           r"<script>1</script></body></html>\n")
                head = json.loads(re.fullmatch(pattern, page)[1])
                self.assertEqual(head["results"][0]["table"]["columns"][1]["name"], name)

    def test_tables(self):
        """A scene whose file has such a name: titles and names in state.nc and beside it."""
        scene = json.loads(TOP.read_text())
        for name in ['x,"y', "x\ny", "</script>", "\x1b[2J"]:
            (self.folder / "scene.json").write_text(json.dumps({**scene, "title": name}))
            self.torsor("run", "scene.json", "-o", "out", "--full", "--set", "simulation.duration=0.01")
            self.assertIn(json.dumps(name)[1:-1].encode(), (self.folder / "out" / "state.nc").read_bytes())
            self.torsor("export", "out", "--vtk")
            for file in (self.folder / "out" / "vtk").glob("*.pvd"):
                xml.parse(file)
            done = self.torsor("converge", "scene.json", "--steps", "2e-3,1e-3", "--csv", "c.csv", "--columns", "d.csv",
                               "--set", "simulation.duration=0.02", "--set", "output.every=10", "-q")
            self.assertEqual(done.stdout, b"")
            for file in ["c.csv", "d.csv"]:
                with open(self.folder / file, newline="") as table:
                    rows = list(csv.reader(table))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])})


if __name__ == "__main__":
    unittest.main()
