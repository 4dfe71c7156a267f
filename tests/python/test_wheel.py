# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel has all that the package needs but cffi and numpy, and its numbers are those of the library that it was made of."""
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

import kit
import pytest

PROGRAM = """
import sys, torsor
result = torsor.load(sys.argv[1]).simulate()
sys.stdout.buffer.write(result.table.tobytes())
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(*sorted(name for name in loaded if "/torsor/" in name), file=sys.stderr)
"""


@pytest.mark.skipif(not shutil.which("patchelf"), reason="needs Debian package patchelf")
def test_wheel(tmp_path):
    subprocess.run([sys.executable, kit.SOURCE / "tools/wheel.py", os.environ["TORSOR_LIBRARY"], tmp_path], check=True)
    wheel, = tmp_path.glob("torsor-*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        record, = (name for name in archive.namelist() if name.endswith("/RECORD"))
        lines = [line.rsplit(",", 2) for line in archive.read(record).decode().splitlines()]
        assert {name for name, _, _ in lines} == set(archive.namelist())
        assert all(len(archive.read(name)) == int(size) for name, _, size in lines if size)
    scene = kit.DATA / "scenes/heavy_top.json"
    alone = {key: value for key, value in os.environ.items() if key != "TORSOR_LIBRARY"}
    rows = [subprocess.run([sys.executable, "-c", PROGRAM, scene], capture_output=True, check=True, env=environment)
            for environment in ({**alone, "PYTHONPATH": str(site)}, os.environ)]
    assert hashlib.sha256(rows[0].stdout).digest() == hashlib.sha256(rows[1].stdout).digest() and len(rows[0].stdout) > 10000
    loaded = rows[0].stderr.decode()
    for name in "libtorsor.so.0", "liblapack-torsor.so.3", "libgsl-torsor.so.27":
        assert name in loaded, loaded
