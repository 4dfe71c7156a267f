# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery runs: each example asserts what it shows, and draws where matplotlib is there."""
import os
import subprocess
import sys

import kit
import pytest

GALLERY = sorted((kit.SOURCE / "examples/python").glob("*.py"))


def drawn():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("example", GALLERY, ids=lambda e: e.stem)
def test_example(example, tmp_path):
    picture = tmp_path / "picture.png"
    words = [picture] if drawn() else []
    done = subprocess.run([sys.executable, example, *words], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0 and "TorsorWarning" not in done.stderr, done.stderr
    assert done.stdout and (not words or picture.stat().st_size > 1000)
    print(done.stdout)


def test_there_are_ten():
    assert len(GALLERY) >= 10
