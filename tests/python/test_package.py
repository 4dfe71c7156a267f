# SPDX-License-Identifier: GPL-3.0-or-later
"""The package agrees with the public headers and the element types, has types and docstrings, and exports what its page names."""
import importlib.util
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest
import torsor
from kit import SOURCE
from torsor._c import ffi, lib

PACKAGE = pathlib.Path(torsor.__file__).parent


def test_declarations_are_those_of_the_headers():
    subprocess.run([sys.executable, str(SOURCE / "tools/python_abi.py"), "--check"], check=True)


def test_all_functions_are_in_the_library():
    text = (PACKAGE / "_abi.h").read_text()
    names = set(re.findall(r"\b(torsor_\w+)\s*\((?!\*)", text)) - {"torsor_status"}
    missing = [name for name in names if not hasattr(lib, name)]
    assert len(names) > 200 and not missing


def test_structs_have_the_layout_of_c(tmp_path):
    """A compiler and cffi lay out the structs of the interface alike."""
    text = (PACKAGE / "_abi.h").read_text()
    names = [name for name in sorted(set(re.findall(r"\} (\w+);", text))) if ffi.typeof(name).kind == "struct"]
    lines = "".join(f'printf("{name} %zu\\n", sizeof({name}));' for name in names)
    (tmp_path / "sizes.c").write_text("#include <stdio.h>\n#include <torsor/torsor.h>\nint main(void) {" + lines + "}\n")
    subprocess.run(["cc", "-std=c17", f"-I{SOURCE / 'include'}", "-D_GNU_SOURCE", "-o", tmp_path / "sizes", tmp_path / "sizes.c",
                    "-lm"], check=True)
    printed = subprocess.run([tmp_path / "sizes"], capture_output=True, text=True, check=True).stdout.split()
    sizes = dict(zip(printed[::2], map(int, printed[1::2])))
    assert len(names) > 60
    assert {name: ffi.sizeof(name) for name in names} == sizes


def test_stubs_are_fresh():
    done = subprocess.run([sys.executable, "-m", "torsor.stubs", "--check"])
    assert done.returncode == 0, "run python -m torsor.stubs"


def public():
    for name in torsor.__all__:
        thing = getattr(torsor, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value
    for name in torsor.lie.__all__:
        yield f"lie.{name}", getattr(torsor.lie, name)


def test_every_public_name_has_a_docstring():
    aliases = {"State", "Value", "Vector", "__version__", "registry"}
    lacking = [name for name, thing in public() if name not in aliases and not inspect.getdoc(thing)]
    assert not lacking
    assert len(list(public())) > 120


def test_versions_agree():
    assert torsor.__version__ == torsor.version()


def test_statuses_are_those_of_the_library():
    for status in torsor.Status:
        assert ffi.string(lib.torsor_status_name(int(status))).decode() == status.name


def test_only_one_module_imports_cffi():
    users = [m.name for m in pkgutil.iter_modules([str(PACKAGE)])
             if re.search(r"^\s*(import|from) cffi", (PACKAGE / f"{m.name}.py").read_text(), re.M)]
    assert users == ["_c"]


def test_types():
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("needs Debian package mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", SOURCE / "python/pyproject.toml", "--cache-dir", os.devnull,
                           PACKAGE], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_a_library_of_another_version_is_refused(tmp_path):
    library = tmp_path / "libtorsor.so.0"
    (tmp_path / "other.c").write_text('const char *torsor_version(void) { return "0.7.3"; }')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "other.c"], check=True)
    done = subprocess.run([sys.executable, "-c", "import torsor"], env={**os.environ, "TORSOR_LIBRARY": str(library)},
                          capture_output=True, text=True)
    assert done.returncode == 1 and "0.7.3" in done.stderr and torsor.__version__ in done.stderr
    done = subprocess.run([sys.executable, "-c", "import torsor"], env={**os.environ, "TORSOR_LIBRARY": "/nowhere.so"},
                          capture_output=True, text=True)
    assert done.returncode == 1 and "TORSOR_LIBRARY" in done.stderr
