#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the declarations that the Python package hands to cffi, from the public headers.

    tools/python_abi.py [--check] [--cc CC]        python/torsor/_abi.h

The headers are preprocessed, functions that are inline and what the compiler alone reads are left out, and the constants of
enumerations are computed.  With --check nothing is written: the exit code is 1 where the file is not what the headers say.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "python/torsor/_abi.h"
HEAD = "/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* Made from include/torsor by tools/python_abi.py. */\n"
# Headers of the system: cffi knows their types by itself.
SYSTEM = ("math.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "string.h")


def preprocessed(cc):
    """The text of all public headers without what the headers of the system say."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM:
            (pathlib.Path(folder) / name).write_text("")
        done = subprocess.run([*shlex.split(cc), "-E", "-P", "-xc", "-std=c17", "-nostdinc", f"-I{folder}", f"-I{ROOT / 'include'}",
                               "-D__attribute__(x)=", "-"], input="#include <torsor/torsor.h>\n", text=True, capture_output=True,
                              check=True)
    return done.stdout


def end_of_block(text, start):
    """Index behind the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise ValueError("a block is not closed")


def without_inline(text):
    """The text without inline functions and the constants that belong to them."""
    out, at = [], 0
    for found in re.finditer(r"\bstatic (?:inline|const)\b", text):
        if found.start() < at:
            continue
        out.append(text[at:found.start()])
        brace = text.index("{", found.start())
        at = end_of_block(text, brace)
        if text[at:at + 1] == ";":
            at += 1
    return "".join(out) + text[at:]


def constants(body, known):
    """The members of an enumeration with their numbers."""
    out, last = [], -1
    for member in (m.strip() for m in body.split(",")):
        if not member:
            continue
        name, _, value = (part.strip() for part in member.partition("="))
        last = eval(f"({value})", {"__builtins__": {}}, known) if value else last + 1
        known[name] = last
        out.append(f"{name} = {last}")
    return ", ".join(out)


def computed(text):
    """Enumerations with numbers in place of expressions, and arrays whose lengths are numbers."""
    known = {}
    text = re.sub(r"(\benum\b[\w\s]*)\{([^}]*)\}", lambda m: f"{m[1]}{{ {constants(m[2], known)} }}", text)
    return re.sub(r"\[([A-Z]\w*)\]", lambda m: f"[{known[m[1]]}]", text)


def declarations(cc):
    text = computed(without_inline(preprocessed(cc)))
    text = re.sub(r"[ \t\n]+", " ", text)
    depth, lines, line = 0, [], ""
    for c in text:
        depth += {"{": 1, "}": -1}.get(c, 0)
        line += c
        if c == ";" and depth == 0:
            lines.append(line.strip())
            line = ""
    return HEAD + "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cc", default="cc")
    given = parser.parse_args()
    text = declarations(given.cc)
    if not given.check:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit("python/torsor/_abi.h is not what the public headers say: run tools/python_abi.py")


if __name__ == "__main__":
    main()
