# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: tables, full states, folders, the page, statics, modes, checks."""
import fcntl
import json
import math
import os
import zipfile

import kit
import numpy
import pytest
import torsor

CANTILEVER = {"torsor": 1, "sections": {"bar": {"shape": "circle", "radius": 0.01, "E": 2e11, "nu": 0.3, "density": 7800}},
              "bodies": [{"name": "beam", "type": "beam", "section": "bar", "elements": 4, "position": [0, 0, 0], "end": [1, 0, 0]}],
              "joints": [{"name": "clamp", "type": "weld", "a": "ground", "b": "beam.start"}],
              "forces": [{"name": "load", "type": "force", "at": "beam.end", "force": [0, 0, -10]}],
              "output": {"signals": ["beam.end.position"]}}
EI = 2e11 * math.pi / 4 * 0.01 ** 4


def short():
    return torsor.parse(kit.TOP, set={"simulation.duration": 0.05}).model()


def test_results_are_mappings():
    result = short().simulate()
    assert list(result)[:2] == ["t", "top.position.x"] and len(result) == 17 and "top" in result and "bottom" not in result
    assert result["top"].shape == (51, 6) and result["top.position"].shape == (51, 3) and result["energy.total"].shape == (51,)
    assert result.units["pivot.force.x"] == "N" and result.summary.energy_initial == result["energy.total"][0]
    assert "pivot.force.x" in result._repr_html_()


def test_pandas():
    pytest.importorskip("pandas", reason="Debian package python3-pandas")
    result = short().simulate()
    table = result.to_pandas()
    assert table.index.name == "t" and numpy.array_equal(table["top.position.z"], result["top.position.z"])
    assert table.attrs["units"]["top.position.z"] == "m"


def test_xarray():
    pytest.importorskip("xarray", reason="Debian package python3-xarray")
    result = short().simulate(full=True)
    data = result.to_xarray()
    assert numpy.array_equal(data.position.sel(node="top", xyz="z"), result["top.position.z"])
    assert data.position.dims == ("time", "node", "xyz") and data.energy.sel(energy_part="total")[0] == result["energy.total"][0]
    assert data.attrs["scene_hash"] == result.scene.hash and data["top.position.x"].attrs["units"] == "m"
    assert numpy.array_equal(data.output.sel(element_output="pivot.force.y"), result["pivot.force.y"])


def test_folders(tmp_path):
    result = short().simulate(full=True)
    result.save(tmp_path / "a")
    again = torsor.open_result(tmp_path / "a")
    assert numpy.array_equal(again.table, result.table) and again.names == result.names and again.units == dict(result.units)
    assert numpy.array_equal(again.frames["position"], result.frames["position"])
    assert again.summary.steps == result.summary.steps
    kit.command("compare", tmp_path / "a", tmp_path / "a/trajectory.csv")
    kit.command("run", tmp_path / "a/scene.json", "--full", "-o", tmp_path / "b", "-q")
    for name in "trajectory.csv", "scene.json", "state.nc":
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    # A shorter run in the same folder takes its files away.
    (tmp_path / "a/report.html").write_text("old")
    short().simulate().save(tmp_path / "a")
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["scene.json", "summary.json", "trajectory.csv"]


def test_folders_that_are_refused(tmp_path):
    result = short().simulate()
    (tmp_path / "scene.json").write_text("{}")
    with pytest.raises(torsor.FileError, match="not a result"):
        result.save(tmp_path)
    assert (tmp_path / "scene.json").read_text() == "{}"
    (tmp_path / "own").mkdir()
    (tmp_path / "own/top.json").write_text(json.dumps(kit.TOP))
    with pytest.raises(torsor.FileError, match="folder of the scene"):
        torsor.load(tmp_path / "own/top.json", set={"simulation.duration": 0.01}).simulate().save(tmp_path / "own")
    (tmp_path / "a").mkdir()
    lock = os.open(tmp_path / "a", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(torsor.FileError, match="another process"):
        result.save(tmp_path / "a")
    os.close(lock)
    # What a link leads to stays as it is.
    (tmp_path / "mine.csv").write_text("mine")
    (tmp_path / "a/trajectory.csv").symlink_to(tmp_path / "mine.csv")
    result.save(tmp_path / "a")
    assert (tmp_path / "mine.csv").read_text() == "mine"
    with pytest.raises(torsor.FileError):
        torsor.open_result(tmp_path / "nowhere")
    with pytest.raises(torsor.ArgumentError):
        torsor.open_result(tmp_path / "a").save(tmp_path / "b")


def test_statics():
    result = torsor.parse(CANTILEVER).model().statics()
    sag = -result["beam.end.position.z"][-1]
    # F l^3/(3 EI), less what shear adds, 1e-3 of it, and large displacements take away, 1e-3 at 2 % of the length.
    assert abs(sag / (10 / (3 * EI)) - 1) < 5e-3
    assert result["load"][-1] == 1
    with pytest.raises(torsor.ArgumentError):
        torsor.parse(CANTILEVER).model().statics(untl=2)


def test_modes():
    model = torsor.parse(CANTILEVER).model()
    modes = model.modes(4, about="equilibrium", matrices=True)
    # Euler and Bernoulli: (1.8751)^2 sqrt(EI/(rho A))/(2 pi); the load and 4 elements of order 4 change it by less than 1 %.
    expected = 1.875104 ** 2 / (2 * math.pi) * math.sqrt(EI / (7800 * math.pi * 1e-4))
    assert abs(modes.frequencies[0] / expected - 1) < 0.01 and len(modes) == 4
    assert modes.matrices["M"].shape == (model.counts.velocities,) * 2 and modes[0].shape.shape == (len(modes.nodes), 6)
    M = modes.matrices["M"]
    assert abs(M - M.T).max() < 1e-12 * abs(M).max()
    with pytest.raises(torsor.ArgumentError):
        model.modes(about="rest")


def test_linearise():
    """A mass on a spring with a damper: x'' + 0.4 x' + 9 x = u/2."""
    scene = {"torsor": 1, "inputs": {"push": {"value": 0, "unit": "N"}},
             "bodies": [{"name": "cart", "type": "rigid_body", "mass": 2, "inertia": [1, 1, 1]}],
             "joints": [{"name": "rail", "type": "prismatic", "a": "ground", "b": "cart", "axis": [1, 0, 0]}],
             "forces": [{"name": "motor", "type": "coordinate_force", "coordinate": "rail.travel", "effort": "push"},
                        {"name": "spring", "type": "coordinate_spring", "coordinate": "rail.travel", "stiffness": 18, "damping": 0.8}]}
    model = torsor.parse(scene).model()
    system = model.linearise(["push"], ["rail.travel"], states=["rail.travel"])
    assert [name for name, _ in system.states] == ["rail.travel", "rail.speed"] and system.inputs == [("push", "N")]
    omega = numpy.array([0.1, 1, 3, 10])
    expected = 0.5 / (9 - omega**2 + 0.4j * omega)
    found = system.response(omega)[:, 0, 0]
    by_matrices = [(system.C @ numpy.linalg.solve(1j * w * numpy.eye(2) - system.A, system.B) + system.D)[0, 0] for w in omega]
    assert abs(found / expected - 1).max() < 1e-12 and abs(by_matrices / expected - 1).max() < 1e-12
    assert abs(abs(system.poles) - 3).max() < 1e-12 and abs(system.poles.real + 0.2).max() < 1e-12
    with pytest.raises(torsor.TorsorError, match="rail.travel"):
        model.linearise(["push"], ["rail.travl"])
    with pytest.raises(torsor.ArgumentError):
        model.linearise(["push"], [], about="rest")


def test_check_and_compare():
    model = short()
    check = model.check()
    assert (check.mobility, check.rank, check.redundant) == (3, 3, []) and check.counts == model.counts and model.counts.rows == 3
    result = model.simulate()
    same = torsor.compare(result, result, atol=0)
    assert same and all(d.holds and d.max_error == 0 for d in same)
    other = torsor.compare(torsor.parse(kit.TOP, set={"simulation.step": 5e-4}).model().simulate(times=result.t), result, rtol=1e-12)
    assert not all(d.holds for d in other)
    assert "explicit" in torsor.method_names() and torsor.version().startswith("0.")


def test_verify():
    answer = torsor.verify("pendulum_x0_0")
    assert "pendulum_x0_0" in json.dumps(answer)


def test_pages(tmp_path):
    if not os.path.exists(os.environ.get("TORSOR_REPORT", "")):
        pytest.skip("the page is not built")
    report = short().simulate(full=True).report()
    page = report._repr_html_()
    assert page.startswith("<iframe") and "700px" in page and "&lt;script" in page
    report.save(tmp_path / "page.html")
    assert "top.position" in (tmp_path / "page.html").read_text()
    scene = torsor.parse({**kit.TOP, "title": "<b>"})
    assert "&lt;b&gt;" in scene._repr_html_()


def test_plots(tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="Debian package python3-matplotlib")
    matplotlib.use("Agg")
    axes = short().simulate().plot("top.position")
    assert [line.get_label() for line in axes.lines] == ["top.position.x", "top.position.y", "top.position.z"]
    assert axes.get_ylabel() == "in m"


def test_fmus(tmp_path):
    answer = torsor.export_fmu(torsor.parse(kit.CART), tmp_path / "cart.fmu", outputs=["hinge.angle"], tunables=["spring.stiffness"],
                               bundle="torsor")
    assert (answer["inputs"], answer["outputs"], answer["parameters"]) == (1, 1, 1) and zipfile.is_zipfile(tmp_path / "cart.fmu")
    with pytest.raises(torsor.FileError, match="hinge.angle"):
        torsor.export_fmu(torsor.parse(kit.CART), tmp_path / "cart.fmu", outputs=["hinge.anle"])
