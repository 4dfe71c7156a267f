#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a wheel of the Python package with the library and every library that it needs: pip installs it, and nothing else is to be
installed but cffi and numpy.

    tools/wheel.py LIBTORSOR.so.0 FOLDER          needs patchelf
"""
import base64
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import bundle  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/torsor"
# The glibc of Debian 12, the oldest one that the libraries are for.
TAG = "py3-none-manylinux_2_36_x86_64"


def metadata(version):
    text = (ROOT / "python/pyproject.toml").read_text()
    needs = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", text, re.M).group(1))
    lines = ["Metadata-Version: 2.1", "Name: torsor", f"Version: {version}", "License: GPL-3.0-or-later",
             "Summary: Flexible multibody dynamics on Lie groups", "Requires-Python: >=3.10",
             *(f"Requires-Dist: {need}" for need in needs)]
    return "\n".join(lines) + "\n"


def members(library, version):
    """Names and contents of all files but the list of them."""
    info = f"torsor-{version}.dist-info"
    for file in sorted(PACKAGE.iterdir()):
        if file.suffix in (".py", ".pyi", ".h", ".typed"):
            yield f"torsor/{file.name}", file.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        libraries, named = pathlib.Path(folder) / "libraries", pathlib.Path(folder) / "libtorsor.so.0"
        shutil.copyfile(library, named)
        bundle.bundle(named, libraries)
        for file in sorted(libraries.iterdir()):
            if file.suffix == ".copyright":
                yield f"{info}/licenses/{file.name}", file.read_bytes()
            else:
                yield f"torsor/libraries/{file.name}", file.read_bytes()
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield f"{info}/METADATA", metadata(version).encode()
    yield f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: torsor\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()


def write(library, folder):
    version = re.search(r'VERSION = "(.*)"', (PACKAGE / "_version.py").read_text()).group(1)
    wheel = pathlib.Path(folder) / f"torsor-{version}-{TAG}.whl"
    record = f"torsor-{version}.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        lines = []
        for name, data in members(library, version):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        archive.writestr(zipfile.ZipInfo(record), "".join(lines) + f"{record},,\n")
    print(wheel)


if __name__ == "__main__":
    write(*sys.argv[1:3])
