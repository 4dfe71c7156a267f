#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The architecture holds: which room may include which, which symbols leave the library, which calls
the library never makes.

usage: tests/whole/architecture.py SOURCE_ROOT [--cc CC] [--shared LIB.so] [--static LIB.a]
"""

import argparse
import collections
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import circles  # noqa: E402

# Room -> rooms that it may include.  base is below everything; public headers are in a room of their
# own, see PUBLIC.
MODEL = {"assembly/model", "elements", "liegroup", "base"}
BELOW = MODEL | {"assembly", "assembly/solver", "integrator"}
OBSERVED = BELOW | {"analysis/observe", "analysis/start"}
ANALYSIS = {"analysis/observe", "analysis/start", "analysis/eigen", "analysis/statics", "analysis/modes",
            "analysis/linear", "analysis/periodic", "analysis/dynamics", "analysis/reduce"}
ROOMS = {
    "base": set(),
    "liegroup": {"base"},
    "elements": {"liegroup", "base"},
    "assembly/model": {"elements", "liegroup", "base"},
    "assembly/solver": MODEL,
    "assembly": MODEL | {"assembly/solver"},
    "integrator": {"base"},
    "analysis/observe": BELOW,
    "analysis/start": BELOW,
    "analysis/eigen": OBSERVED,
    "analysis/statics": OBSERVED | {"analysis/eigen"},
    "analysis/reduce": {"analysis/eigen", "assembly/solver", "liegroup", "base"},
    "analysis/modes": OBSERVED | {"analysis/eigen", "analysis/statics"},
    "analysis/linear": OBSERVED | {"analysis/eigen", "analysis/modes"},
    "analysis/periodic": OBSERVED | {"analysis/eigen", "analysis/dynamics"},
    "analysis/dynamics": OBSERVED | {"analysis/eigen", "analysis/statics", "analysis/modes"},
    "scene": MODEL | ANALYSIS | {"assembly"},
    "results": ANALYSIS | {"base"},
    "problems": {"integrator", "liegroup", "base"},
    "robots": {"liegroup", "base"},
    "cli": ANALYSIS | {"problems", "robots", "scene", "results", "fmu", "base"},
    "fmu": ANALYSIS | {"scene", "base"},
}


def top(room):
    """Public headers speak for a room as a whole."""
    return room.split("/")[0]


def may_use(room):
    """Rooms that one may include, or all of its inner rooms together."""
    return set().union(*(ROOMS[name] for name in ROOMS if name == room or top(name) == room))


def room_of(path):
    """Room of a file or an include: the folder below src/, with its rooms within."""
    parts = path.split("/")
    inner = "/".join(parts[:2])
    return inner if len(parts) > 2 and inner in ROOMS else parts[0]

# Public header -> the room that it speaks for.
PUBLIC = {
    "base.h": "base",
    "timing.h": "base",
    "lie.h": "liegroup",
    "element.h": "elements",
    "joint.h": "elements",
    "curve.h": "elements",
    "path.h": "elements",
    "mesh.h": "elements",
    "solid.h": "elements",
    "section.h": "elements",
    "force.h": "elements",
    "callback.h": "elements",
    "model.h": "assembly",
    "integrator.h": "integrator",
    "frame.h": "analysis",
    "analysis.h": "analysis",
    "geometry.h": "analysis",
    "linear.h": "analysis",
    "periodic.h": "analysis",
    "modes.h": "analysis",
    "run.h": "analysis",
    "statics.h": "analysis",
    "scene.h": "scene",
    "draft.h": "scene",
    "result.h": "results",
    "torsor.h": "cli",
}

# The assembly implements the problem that the integrator sees.
PUBLIC_ALSO = {"assembly": {"integrator"}}

# Include pattern -> the rooms that may use it.
THIRD_PARTY = {
    r"(klu|umfpack|cholmod|amd|btf|colamd|SuiteSparse\w*)\.h": {"assembly"},
    r"arpack\.h": {"analysis"},
    r"(cjson/)?cJSON\.h": {"scene", "cli"},
    r"xxhash\.h": {"scene", "results", "cli"},
    r"zlib\.h": {"results"},
    r"expat\.h": {"robots"},
    r"argp\.h": {"cli"},
    r"nlopt\.h": {"cli"},
    r"dlfcn\.h": {"elements"},
    r"signal\.h": {"cli"},
}

# The library never prints, never exits, never reads what it was not given.
FORBIDDEN_CALLS = {
    "printf", "puts", "putchar", "perror", "vprintf", "exit", "_exit", "_Exit", "quick_exit", "abort",
    "stdout", "stderr", "stdin", "__printf_chk", "__vprintf_chk", "getenv", "secure_getenv", "system",
    "rand", "srand", "setlocale", "signal", "sigaction", "gets", "strtok", "atexit",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


class Findings:
    def __init__(self):
        self.lines = []
        self.checks = 0

    def check(self, holds, message):
        self.checks += 1
        if not holds:
            self.lines.append(message)


def public_room(name):
    """Room of <torsor/name>; the files of lie/ belong to liegroup."""
    return "liegroup" if name.startswith("lie/") else PUBLIC.get(name)


def includes_of(file):
    text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    return INCLUDE.findall(text)


def check_include(found, where, room, quote, target, local_folders):
    """One #include of a file that belongs to `room`."""
    for pattern, rooms in THIRD_PARTY.items():
        if re.fullmatch(pattern, target):
            found.check(bool({room, top(room)} & rooms), f"{where}: {room} may not include <{target}>")
            return
    if target.startswith("torsor/"):
        other = public_room(target[len("torsor/"):])
        found.check(other is not None, f"{where}: <{target}> belongs to no room")
        allowed = {top(other) for other in {room} | may_use(room) | PUBLIC_ALSO.get(top(room), set())}
        found.check(other in allowed or room == "cli",
                    f"{where}: {room} may not include <{target}>, which speaks for {other}")
        return
    if quote == "<":
        return
    if "/" in target:
        other = room_of(target)
        found.check(other in ROOMS, f'{where}: "{target}" is in no room')
        found.check(other == room or other in ROOMS[room],
                    f'{where}: {room} may not include "{target}"')
    else:
        found.check(target in local_folders or target == "element_list.h",
                    f'{where}: "{target}" is not beside it')


def sources_in(folder):
    return sorted(file for file in folder.rglob("*") if file.suffix in (".c", ".h", ".cpp"))


def check_sources(found, root):
    for file in sources_in(root / "src"):
        where = file.relative_to(root)
        room = room_of(str(where.relative_to("src")))
        found.check(room in ROOMS, f"{where}: the folder is not a room of the architecture")
        if room not in ROOMS:
            continue
        beside = {f.name for f in file.parent.iterdir()}
        for quote, target in includes_of(file):
            check_include(found, where, room, quote, target, beside)


def check_public_headers(found, root):
    for file in sorted((root / "include" / "torsor").rglob("*.h")):
        where = file.relative_to(root)
        name = str(file.relative_to(root / "include" / "torsor"))
        room = public_room(name)
        found.check(room is not None, f"{where}: a public header that belongs to no room")
        if room is None:
            continue
        for quote, target in includes_of(file):
            found.check(quote == "<", f'{where}: public headers include by <...>, not "{target}"')
            check_include(found, where, room, quote, target, set())


def compile_alone(root, cc, language, standard, header):
    with tempfile.NamedTemporaryFile("w", suffix=".c" if language == "c" else ".cpp") as source:
        source.write(f"#include <{header}>\n")
        source.flush()
        command = shlex.split(cc) + [
            "-x", language, f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra",
            # compound literals are an extension of C++, which leave members out
            *(["-pedantic"] if language == "c" else ["-Wno-missing-field-initializers"]),
            "-Werror", "-I", str(root / "include"), source.name]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def check_headers_alone(found, root, cc):
    for file in sorted((root / "include" / "torsor").rglob("*.h")):
        header = str(file.relative_to(root / "include"))
        result = compile_alone(root, cc, "c", "c17", header)
        found.check(result.returncode == 0, f"{header} does not compile alone:\n{result.stderr}")
        result = compile_alone(root, cc, "c++", "c++17", header)
        found.check(result.returncode == 0, f"{header} does not compile in C++:\n{result.stderr}")


def symbols(arguments, library):
    result = subprocess.run(["nm", *arguments, str(library)], capture_output=True, text=True,
                            check=True)
    return [line.split() for line in result.stdout.splitlines()]


def check_exports(found, library):
    names = [fields[-1].split("@")[0] for fields in symbols(["-D", "--defined-only"], library)
             if fields and fields[-2] != "A"]
    for name in names:
        found.check(name.startswith("torsor_"), f"{library.name} exports {name}")
    found.check(len(names) > 20, f"{library.name} exports hardly anything")


def check_calls(found, library):
    for fields in symbols(["-A", "-u"], library):
        name = fields[-1].split("@")[0]
        found.check(name not in FORBIDDEN_CALLS, f"{fields[0]} uses {name}")


def below(room):
    """Rooms that one may include, directly or by others."""
    return set().union(ROOMS[room], *(below(other) for other in ROOMS[room]))


def check_circles(found, root, library):
    """No two files of the library use each other, be it by others; and what a file uses is in its room or below."""
    where = {str(file.relative_to(root / "src")).replace("/", "_"): file.relative_to(root / "src") for file in sources_in(root / "src")}
    files = circles.symbols_of(library)
    uses = circles.uses_of(files)
    found.check(len(files) > 100, f"{library.name} has hardly a file")
    for circle in circles.circles(uses):
        found.check(False, f"these files use each other: {', '.join(circle)} (tools/circles.py {library} shows by what)")
    old = sorted(set(files) - set(where))
    if old:
        found.check(False, f"{library} has {', '.join(old)}, which src/ has not: build again")
        return
    for file in uses:
        for other, names in uses[file].items():
            places = [where[name] for name in (file, other)]
            here, there = (room_of(str(place)) for place in places)
            found.check(here == there or there in below(here),
                        f"{places[0]} uses {', '.join(sorted(names))} of {places[1]}, which is no room below")


# ARPACK keeps its state in static variables: a lock lets one thread in at a time.
LOCKS = {"arpack_in_use"}


def check_globals(found, library):
    """No state of the library's own: nothing writable but what the linker relocates."""
    for fields in symbols(["-A", "--defined-only"], library):
        kind, name = fields[-2], fields[-1]
        sanitizer = name.startswith(("__", ".L", "asan.", "ubsan"))
        found.check(kind not in "BbCGgSs" or sanitizer or name in LOCKS, f"{fields[0]} has the variable {name}")


def check_style(found, root):
    for folder in ("src", "include", "tests", "examples", "bench"):
        for file in sources_in(root / folder):
            where = file.relative_to(root)
            lines = file.read_text(encoding="utf-8").split("\n")
            found.check(lines[0] == "/* SPDX-License-Identifier: GPL-3.0-or-later */",
                        f"{where}: the first line is not the licence")
            if "Generated by " in " ".join(lines[1:2]):
                check_generated(found, root, where, " ".join(lines[1:4]))
                continue
            found.check(len(lines) <= 701, f"{where}: {len(lines) - 1} lines, more than 700")
            wide = [f"{number}" for number, line in enumerate(lines, 1) if len(line) > 100]
            found.check(not wide, f"{where}: more than 100 columns in line {', '.join(wide)}")


DECLARATION = re.compile(r"^(?!typedef|static|extern|#)[a-z][\w *]*?\b(\w+)\((?:[^()]|\([^()]*\))*\);", re.MULTILINE)


def without_comments(file):
    return re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def check_readme(found, root):
    """Rows of the tables of README.md are short enough to be read in one breath."""
    for line in (root / "README.md").read_text(encoding="utf-8").split("\n"):
        found.check(not line.startswith("|") or len(line) <= 130, f"README.md: a row of {len(line)} columns: {line[:40]}..")


def check_external(found, root):
    """A function that a header of src/ declares is one that another file than its own asks for."""
    users = collections.defaultdict(set)
    for folder in ("src", "tests", "bench", "examples"):
        for file in sources_in(root / folder):
            if file.suffix != ".h" or folder == "tests":
                for word in set(re.findall(r"\w+", without_comments(file))):
                    users[word].add(file)
    headers = {file: without_comments(file) for file in sources_in(root / "src") if file.suffix == ".h"}
    inner = re.compile(r"\{.*?\n\}|#define(?:[^\n]*\\\n)*[^\n]*", re.DOTALL)  # of inline functions and macros
    inline = {word for text in headers.values() for part in inner.findall(text) for word in re.findall(r"\w+", part)}
    for header, text in headers.items():
        for name in DECLARATION.findall(text):
            used = len(users[name]) > 1 or name in inline
            found.check(used, f"{header.relative_to(root)}: no file but its own asks for {name}: make it static")


# Paths of the tree in comments and documents.
NAMED = re.compile(r"\b(?:src|include|tests|tools|examples|bench|docs)/[\w/.-]*\w\.(?:c|h|cpp|py|mjs|sh|md)\b")
# The joint that the reader of docs/joint_tutorial.md writes.
OF_THE_READER = {"src/elements/joint_sleeve.c"}


def check_generated(found, root, where, heading):
    """A generated file says by its second line which tool of the tree makes it, and by which command."""
    tool = re.search(r"Generated by (\S+)", heading).group(1)
    found.check((root / tool).is_file(), f"{where}: the tool {tool} that generates it is not in the tree")
    found.check(re.search(rf"\S+ {re.escape(tool)}[^>]* > {re.escape(str(where))}", heading),
                f"{where}: its heading has no command `INTERPRETER {tool} > {where}`")


def check_named_paths(found, root):
    """Every path that comments and documents name is a file of the tree."""
    for folder in ("src", "include", "tests", "examples", "bench", "tools", "docs", "."):
        for file in sorted((root / folder).rglob("*") if folder != "." else root.glob("*.md")):
            if file.suffix not in (".c", ".h", ".cpp", ".py", ".sh", ".md", ".mjs") or file.name == "CHANGELOG.md":
                continue
            text = file.read_text(encoding="utf-8")
            for name in sorted(set(NAMED.findall(text)) - OF_THE_READER):
                pattern = re.search(r"NAME|KIND", name) # of files that a reader adds
                found.check(pattern or (root / name).is_file(), f"{file.relative_to(root)} names {name}, which is not in the tree")


# Folders of tests that are no room of src: what tests share, targets of fuzzing, tests of all rooms together, and of the
# package for Python.
TESTS_ALSO = {"kit", "fuzz", "whole", "python"}


def check_tests(found, root):
    """Tests lie in folders with the names of the rooms that they test, and all of them are run."""
    tests = root / "tests"
    flat = {file.name for file in tests.iterdir() if file.is_file()} - {"meson.build"}
    found.check(not flat, f"tests/ has files outside of its rooms: {sorted(flat)}")
    folders = {str(file.parent.relative_to(tests)) for file in tests.rglob("*")
               if file.suffix in (".c", ".py", ".sh", ".mjs") and file.parent != tests}
    for folder in sorted(folders):
        found.check(folder in ROOMS or top(folder) in TESTS_ALSO, f"tests/{folder} is no room of src")
    builds = "".join((root / folder / "meson.build").read_text(encoding="utf-8") for folder in ("tests", "examples", "bench", "python"))
    table = re.search(r"^tests = \{\n(.*?)^\}", builds, re.DOTALL | re.MULTILINE).group(1)
    listed = {room: set(re.findall(r"'(\w+)'", names)) for room, names in re.findall(r"'([\w/]+)': \[(.*?)\]", table, re.DOTALL)}
    for folder in sorted(folders):
        beside = [file for file in (tests / folder).iterdir() if file.is_file()]
        for file in sorted(beside):
            if top(folder) in ("kit", "fuzz") or file.suffix not in (".c", ".py", ".sh", ".mjs"):
                continue
            path = file.relative_to(tests).as_posix()
            helps = file.suffix == ".py" and any(
                file.name in other.read_text(encoding="utf-8") or f"import {file.stem}" in other.read_text(encoding="utf-8")
                or f"from {file.stem} import" in other.read_text(encoding="utf-8") for other in beside if other != file)
            found.check((file.suffix == ".c" and file.stem in listed.get(folder, ())) or path in builds or helps,
                        f"tests/{path}: no meson.build makes a test of it")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--shared", type=pathlib.Path)
    parser.add_argument("--static", type=pathlib.Path)
    options = parser.parse_args()
    found = Findings()
    check_sources(found, options.root)
    check_public_headers(found, options.root)
    check_headers_alone(found, options.root, options.cc)
    check_style(found, options.root)
    check_readme(found, options.root)
    check_external(found, options.root)
    check_named_paths(found, options.root)
    check_tests(found, options.root)
    if options.shared:
        check_exports(found, options.shared)
    if options.static:
        check_calls(found, options.static)
        check_globals(found, options.static)
        check_circles(found, options.root, options.static)
    for line in found.lines:
        print(line)
    print(f"{found.checks} checks, {len(found.lines)} do not hold")
    return 1 if found.lines else 0


if __name__ == "__main__":
    sys.exit(main())
