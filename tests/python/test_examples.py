# SPDX-License-Identifier: GPL-3.0-or-later
"""The gallery runs: each example asserts what it shows, and draws where matplotlib is there."""
import runpy
import sys
import warnings

import kit
import pytest
import torsor

GALLERY = sorted((kit.SOURCE / "examples/python").glob("*.py"))


def words(picture):
    """Arguments of an example: the name of a picture where that can be drawn."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    return [str(picture)]


@pytest.mark.parametrize("example", GALLERY, ids=lambda e: e.stem)
def test_example(example, tmp_path, monkeypatch, capsys):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(example), *words(picture)])
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", torsor.TorsorWarning)
        runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out and (len(sys.argv) == 1 or picture.stat().st_size > 1000)


def test_there_are_ten():
    assert len(GALLERY) >= 10
