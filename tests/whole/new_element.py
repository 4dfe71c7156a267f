#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new element type needs no more than what CONTRIBUTING.md says: its worked example, done in a copy of the pages, leaves
nothing missing.  The type comes from the plug-in of the example, so that nothing has to be built.

Environment: TORSOR (the command), TORSOR_EXAMPLES (the folder of built plug-ins), TORSOR_DATA.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TORSOR_DATA"]).resolve().parent
PLUGIN = pathlib.Path(os.environ["TORSOR_EXAMPLES"]) / "sleeve_joint.so"
GUIDE = (SOURCE / "CONTRIBUTING.md").read_text()
COPIED = ["README.md", "CONTRIBUTING.md", "docs", "data", "examples", "src/elements", "include", "tools"]


class NewElement(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name in COPIED:
            copy = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            copy(SOURCE / name, self.root / name)

    def tearDown(self):
        self.folder.cleanup()

    def missing(self, *words):
        asked = subprocess.run([sys.executable, self.root / "tools/renew.py", "--root", self.root, "--plugin", PLUGIN, *words],
                               capture_output=True, text=True)
        self.assertEqual(asked.stderr, "")
        return [] if asked.returncode == 0 else asked.stdout.splitlines()

    def steps(self, lines):
        return sorted({int(step) for line in lines for step in re.findall(r"\(step (\d)", line)})

    def test_worked_example(self):
        lines = self.missing("--check")
        print("", *lines, sep="\n  ")
        self.assertEqual(self.steps(lines), [3, 4, 5])
        self.assertEqual(len(lines), 5)
        example = re.search(r"^```sh element\n(.*?)^```", GUIDE, re.M | re.S).group(1)
        subprocess.run(["sh", "-eu", "-c", example], cwd=self.root, check=True)
        self.assertIn("'joint_sleeve',", (self.root / "src/elements/meson.build").read_text())
        self.assertEqual(self.steps(self.missing()), [5])
        page = (self.root / "docs/scene.md").read_text()
        self.assertIn("| `sleeve` | 4 | `axis` | `travel`, `speed`, `angle`, `rate` |\n", page)
        for kind in "csv", "json":
            (self.root / f"data/reference/sleeve.{kind}").write_text("{}")
        self.assertEqual(self.steps(self.missing("--check")), [6])
        benchmarks = self.root / "docs/benchmarks.md"
        benchmarks.write_text(benchmarks.read_text() + "| `sleeve` |\n")
        self.assertEqual(self.missing("--check"), [])

    def test_source_compiles(self):
        """The file of the worked example defines the table under the name of the list, and is complete C."""
        example = re.search(r"^```sh element\n(.*?)^```", GUIDE, re.M | re.S).group(1)
        subprocess.run(["sh", "-eu", "-c", example], cwd=self.root, check=True)
        user = self.root / "user.c"
        user.write_text('#include <torsor/element.h>\nextern const torsor_element_type joint_sleeve;\n'
                        "#include \"src/elements/joint_sleeve.c\"\n")
        compiler = os.environ.get("CC", "cc").split()
        subprocess.run([*compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{self.root}/include", user],
                       check=True)

    def test_a_change_is_noticed(self):
        """Pages and schema that do not say what the tables say."""
        self.missing()
        page = self.root / "docs/scene.md"
        page.write_text(page.read_text().replace("| `sleeve` |", "| `slave` |"))
        lines = self.missing("--check")
        self.assertTrue(any('no row for the joint "sleeve"' in line for line in lines), lines)
        self.assertTrue(any('row for "slave", which is no type' in line for line in lines), lines)


if __name__ == "__main__":
    unittest.main()
