#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files of the library use functions of each other, from the symbols of its objects.

usage: tools/circles.py build/src/libtorsor.a

Prints every circle (files each of which uses, directly or by others, something of each other one) with the functions that
its arrows carry.  tests/whole/architecture.py asks that there are none, and that arrows between rooms run one way."""

import collections
import re
import subprocess
import sys


def symbols_of(library):
    """{file: (names that it defines, names that it asks for)}; files are ROOM_NAME.c, as meson calls their objects."""
    listing = subprocess.run(["nm", "-A", str(library)], capture_output=True, text=True, check=True).stdout
    files = collections.defaultdict(lambda: (set(), set()))
    for line in listing.splitlines():
        place, *fields = re.sub(r"^\S*?([^/:\s]+)\.o:\s*", r"\1 ", line).split()
        kind, name = fields[-2], fields[-1]
        if kind in "TDRBV":
            files[place][0].add(name)
        elif kind == "U":
            files[place][1].add(name)
    return files


def uses_of(files):
    """{file: {other file: names that the first uses of the second}}"""
    home = {name: file for file, (defined, _) in files.items() for name in defined}
    uses = {file: collections.defaultdict(set) for file in files}
    for file, (_, asked) in files.items():
        for name in asked:
            if home.get(name, file) != file:
                uses[file][home[name]].add(name)
    return uses


def reached(uses, start):
    seen, stack = set(), [start]
    while stack:
        for other in uses[stack.pop()]:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def circles(uses):
    """Sets of more than one file in which each reaches each other one."""
    reach = {file: reached(uses, file) for file in uses}
    found = {frozenset(other for other in reach[file] if file in reach[other]) for file in uses if file in reach[file]}
    return sorted((sorted(circle) for circle in found), key=lambda circle: (-len(circle), circle))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = symbols_of(sys.argv[1])
    uses = uses_of(files)
    for circle in circles(uses):
        print(f"circle of {len(circle)}: {', '.join(circle)}")
        for file in circle:
            for other in circle:
                if uses[file][other]:
                    print(f"  {file} -> {other}: {', '.join(sorted(uses[file][other]))}")
    print(f"{len(files)} files, {len(circles(uses))} circles")


if __name__ == "__main__":
    main()
