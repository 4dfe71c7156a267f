#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian packages: each file that is installed belongs to one of them, and what they say follows the build files.

Arguments: the sources, the build folder."""
import fnmatch
import json
import pathlib
import re
import sys
import unittest

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
DEBIAN = SOURCE / "debian"


def patterns(file):
    return [line.split()[0] for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]


def belongs(path, pattern):
    """Debhelper's patterns: a folder stands for all in it."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(fnmatch.fnmatch(a, b) for a, b in zip(parts, wanted))


class Packaging(unittest.TestCase):
    def stanzas(self):
        text = (DEBIAN / "control").read_text()
        return [dict(re.findall(r"^([A-Za-z-]+): *((?:.*)(?:\n .*)*)", part, re.M)) for part in text.split("\n\n")]

    def test_files(self):
        """Each installed file is in exactly one package, or in none by name; no pattern is in vain."""
        info = json.loads((BUILD / "meson-info/intro-installed.json").read_text())
        options = {o["name"]: o["value"] for o in json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())}
        prefix = options["prefix"].rstrip("/") + "/"
        files = set()
        for place in info.values():
            path = place.removeprefix(prefix)
            files.add("usr/" + path.replace("local/lib", "lib"))
        files = {re.sub(r"^usr/lib/python3[^/]*/", "usr/lib/python3/", f).replace("site-packages", "dist-packages") for f in files}
        sources = {f.name: patterns(f) for f in [*DEBIAN.glob("*.install"), DEBIAN / "not-installed"]}
        used = set()
        for file in sorted(files):
            found = [(name, p) for name, all_of in sources.items() for p in all_of if belongs(file, p) or belongs(file + "/x", p)]
            used.update(p for _, p in found)
            self.assertEqual(len({name for name, _ in found}), 1, (file, found))
        # The link without a version is made beside the library and is not in meson's list.
        idle = {p for all_of in sources.values() for p in all_of} - used - {"usr/lib/*/libtorsor.so"}
        if not any("/python3/" in f for f in files):  # a build without the module
            idle -= set(sources["python3-torsor.install"])
        self.assertEqual(idle, set())
        print(f"  {len(files)} installed paths in {len(sources) - 1} packages")

    def test_control(self):
        """Names, versions and what a build needs are those of meson.build and of torsor.sh."""
        source, *packages = self.stanzas()
        version = re.search(r"version: '([^']+)'", (SOURCE / "meson.build").read_text())[1]
        self.assertRegex((DEBIAN / "changelog").read_text(), rf"^torsor \({re.escape(version)}-\d+\) ")
        names = {p["Package"] for p in packages}
        for file in DEBIAN.glob("*.*"):
            if file.suffix in (".install", ".docs", ".examples"):
                self.assertIn(file.stem, names)
        needs = set(re.search(r'^build_packages="([^"]+)"', (SOURCE / "torsor.sh").read_text(), re.M)[1].split())
        asked = {re.split(r"[ (]", word.strip())[0] for word in source["Build-Depends"].split(",")}
        self.assertEqual(needs - asked - {"gcc", "g++", "libc6-dev", "ninja-build"}, set())  # these come with build-essential and meson
        soname = re.search(r"soversion: '?(\d+)", (SOURCE / "src/meson.build").read_text())
        self.assertIn(f"libtorsor{soname[1] if soname else 0}", names)
        for package in packages:
            self.assertTrue(package["Description"].split("\n")[0].strip(), package["Package"])
            self.assertLess(max(map(len, package["Description"].split("\n"))), 81)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
