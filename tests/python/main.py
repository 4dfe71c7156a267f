#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs files of tests of the Python package (all: no name) by pytest; skipped where that, cffi or numpy is missing."""
import pathlib
import sys

try:
    import cffi  # noqa: F401
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing}: install Debian packages python3-cffi, python3-numpy and python3-pytest")
    sys.exit(77)

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER))
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--durations=5", *(sys.argv[1:] or [str(FOLDER)])]))
