# SPDX-License-Identifier: GPL-3.0-or-later
"""Results: rows of signals over time, with full states where they were kept."""
from __future__ import annotations

import csv
import fcntl
import html
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping as AbstractMapping
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

import numpy

from ._c import encode, ffi, lib, text
from .errors import ArgumentError, FileError, Status, check, new_error
from .values import Array

if TYPE_CHECKING:
    from .analyses import Summary
    from .registry import PathLike
    from .scene import Layout, Scene, Signal, Signals

# Files that a run leaves, and that another one replaces or takes away.
_FILES = ("trajectory.csv", "state.nc", "summary.json", "scene.json", "checkpoint", "report.html", "modes.csv", "unknowns.csv")
_UNITS = {"position": "m", "velocity": "m s-1", "angular_velocity": "rad s-1", "acceleration": "m s-2",
          "angular_acceleration": "rad s-2", "energy": "J", "momentum": "kg m s-1", "angular_momentum": "kg m2 s-1"}


class Result(AbstractMapping[str, Array]):
    """Rows of signals over time.

    ``result["t"]`` [n] (s; of statics: the load), ``result["top.position.x"]`` [n], ``result["top.position"]`` [n x 3] and
    ``result["top"]``, all columns below the name.  ``table`` [n x signals] has all, ``names`` their names, ``units`` their units.
    ``summary`` says how the run went, ``events`` has name, time (s) and whether the function rose.  Where full states were kept
    ``frames`` has their fields, as "position" [n x nodes x 3] (docs/results.md), ``frame_names`` the names along their axes.
    """

    t: Array
    table: Array

    def __init__(self, t: Array, table: Array, signals: "Sequence[Signal]", *, summary: "Summary",
                 scene: "Optional[Scene]" = None, chosen: "Optional[Signals]" = None,
                 events: Sequence[tuple[str, float, bool]] = (), warnings: Sequence[str] = ()) -> None:
        self.t, self.table, self.summary, self.scene = t, table, summary, scene
        self.names = [signal.name for signal in signals]
        self.units: Mapping[str, str] = {signal.name: signal.unit for signal in signals}
        self.events, self.warnings = list(events), list(warnings)
        self.abscissa = "t"
        self.frames: dict[str, Array] = {}
        self.frame_names: Mapping[str, list[str]] = {}
        self._signals = chosen
        self._layout: "Optional[Layout]" = None
        self._states: Optional[Array] = None

    def _put_frames(self, layout: "Layout", states: Array) -> None:
        self._layout, self._states = layout, states
        self.frames, self.frame_names = layout.split(states), layout.names()

    def _columns(self, name: str) -> list[int]:
        return [i for i, column in enumerate(self.names) if column == name or column.startswith(name + ".")
                or column.startswith(name + "[")]

    def __getitem__(self, name: str) -> Array:
        if name in ("t", self.abscissa):
            return self.t
        if name in self.units:
            return self.table[:, self.names.index(name)]
        columns = self._columns(name)
        if not columns:
            raise KeyError(name)
        return self.table[:, columns]

    def __iter__(self) -> Iterator[str]:
        yield "t"
        yield from self.names

    def __len__(self) -> int:
        return 1 + len(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in ("t", self.abscissa) or bool(self._columns(name)))

    # ---- for other packages

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: one column per signal, the index is t (s); ``attrs["units"]`` has the units."""
        import pandas
        table = pandas.DataFrame(self.table, columns=self.names, index=pandas.Index(self.t, name=self.abscissa))
        table.attrs["units"] = dict(self.units)
        return table

    def to_xarray(self) -> Any:
        """An xarray.Dataset over the coordinate time (s): each signal, and the full states where they were kept, over the
        coordinates node, row, joint_coordinate, element_output by their names: ``states.position.sel(node="hub")``.  Attributes
        have units and the hash of the scene."""
        import xarray
        time = "time" if self.abscissa == "t" else self.abscissa
        data: dict[str, Any] = {name: (time, self.table[:, i], {"units": self.units[name]}) for i, name in enumerate(self.names)}
        coordinates: dict[str, Any] = {time: (time, self.t, {"units": "s"} if time == "time" else {})}
        if self._layout is not None and self._states is not None:
            used: set[str] = set()
            for field in self._layout.present():
                name = text(lib.torsor_field_name(field))
                axes = self._layout.axes(field)
                used.update(axes)
                data[name] = ((time, *axes), self.frames[name], {"units": _UNITS[name]} if name in _UNITS else {})
            coordinates.update({axis: names for axis, names in self._layout.names().items() if axis in used})
        attributes = {"scene_hash": self.scene.hash, "title": self.scene.title} if self.scene else {}
        return xarray.Dataset(data, coords=coordinates, attrs=attributes)

    def to_csv(self, file: "PathLike") -> None:
        """Write the rows as ``torsor run`` does: a header, then numbers that read as the same ones again."""
        with open(file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["t", *self.names])
            for t, row in zip(self.t, self.table):
                writer.writerow([format(x, ".17g") for x in (t, *row)])

    # ---- folders and pages

    def save(self, folder: "PathLike", *, report: bool = False) -> None:
        """Write trajectory.csv, summary.json, scene.json and, with full states, state.nc: what ``torsor run`` writes.

        A folder whose scene.json no run has left, and one that another process writes to, are refused: FileError.
        """
        if self.scene is None or self._signals is None or self.summary.c is None:
            raise ArgumentError("only results of simulations of this process can be saved", status=Status.ARGUMENT)
        place = pathlib.Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._take(place, descriptor)
            self._write(place)
        finally:
            os.close(descriptor)
        if report:
            _command("report", str(place), "-o", str(place / "report.html"))

    def _take(self, place: pathlib.Path, descriptor: int) -> None:
        """Lock the folder until the descriptor is closed, and take away what an older run left."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError(f'another process writes to the folder "{place}"', status=Status.FILE, file=str(place)) from None
        if (place / "scene.json").exists() and not any((place / name).exists() for name in ("trajectory.csv", "summary.json")):
            raise FileError(f'"{place / "scene.json"}" is not a result: no results are beside it', status=Status.FILE,
                            hint="give another folder, or remove or rename that file", file=str(place / "scene.json"))
        own = text(lib.torsor_scene_file(self.scene._handle.pointer, 0)) if self.scene else ""
        if own and pathlib.Path(own).exists() and os.path.samefile(pathlib.Path(own).parent, place):
            raise FileError(f'the results would replace files in the folder of the scene, "{place}"', status=Status.FILE,
                            hint="give another folder: results have one of their own", file=str(place))
        for file in [place / name for name in _FILES] + [*place.glob("mode_[0-9][0-9][0-9].csv"), *place.glob("[MCKBZG].mtx")]:
            file.unlink(missing_ok=True)

    def _write(self, place: pathlib.Path) -> None:
        assert self.scene is not None and self._signals is not None
        error, info = new_error(), ffi.new("torsor_result_info *")
        scene: Any = self.scene._handle.pointer
        info.scene, info.title, info.hash = (f(scene) for f in (lib.torsor_scene_name, lib.torsor_scene_title, lib.torsor_scene_hash))
        info.canonical = lib.torsor_scene_canonical(scene)
        message, signals = ffi.new("char[]", b"success"), self._signals._handle.pointer
        info.message, info.signals, info.simulation = message, signals, lib.torsor_scene_simulation(scene)
        lines = [ffi.new("char[]", encode(line)) for line in self.warnings]
        array = ffi.new("const char *[]", lines)
        info.warning, info.warnings = array, len(lines)
        self.to_csv(place / "trajectory.csv")
        (place / "scene.json").write_text(self.scene.to_json() + "\n")
        if self._layout is not None:
            self._write_states(place / "state.nc", info)
        check(lib.torsor_summary_write(encode(place / "summary.json"), self.summary.c, info, error), error)

    def _write_states(self, file: pathlib.Path, info: Any) -> None:
        assert self._layout is not None and self._states is not None
        recording = ffi.new("torsor_recording *", lib.torsor_recording_default())
        recording.full, recording.fields = True, self._layout.fields
        out, error, frame = ffi.new("torsor_netcdf **"), new_error(), ffi.new("torsor_frame *")
        check(lib.torsor_netcdf_create(out, encode(file), self._layout.pointer, recording, info, error), error)
        status = 0
        for state in numpy.ascontiguousarray(self._states):
            lib.torsor_frame_lay(frame, self._layout.pointer, self._layout.fields, ffi.cast("double *", state.ctypes.data))
            status = status or lib.torsor_netcdf_write(out[0], frame)
        closed = lib.torsor_netcdf_close(out[0], error)
        check(status or closed, error)

    def plot(self, *signals: str, ax: Any = None) -> Any:
        """Draw signals over t with matplotlib, into `ax` or a new figure; the axes, which are returned."""
        import matplotlib.pyplot
        axes = ax if ax is not None else matplotlib.pyplot.subplots()[1]
        units = set()
        for column in [c for name in signals or self.names[:1] for c in self._columns(name)]:
            axes.plot(self.t, self.table[:, column], label=self.names[column])
            units.add(self.units[self.names[column]])
        axes.set_xlabel("t in s" if self.abscissa == "t" else self.abscissa)
        if len(units) == 1 and (unit := units.pop()):
            axes.set_ylabel(f"in {unit}")
        axes.legend()
        return axes

    def report(self) -> "Report":
        """The page of ``torsor report`` with its 3D view and plots; the command has to be on the path."""
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder, report=True)
            return Report((pathlib.Path(folder) / "report.html").read_text())

    def __repr__(self) -> str:
        return f"<torsor.Result {len(self.t)} rows of {len(self.names)} signals>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(self.units[name])}</td><td>{column[0]:.6g}</td>"
                       f"<td>{column[-1]:.6g}</td><td>{column.min():.6g}</td><td>{column.max():.6g}</td></tr>"
                       for name, column in zip(self.names, self.table.T) if len(column))
        heads = "".join(f"<th>{word}</th>" for word in ("signal", "unit", "first", "last", "least", "largest"))
        return f"<table><tr>{heads}</tr>{rows}</table>"


class Report:
    """A page of results as a text of HTML; a notebook shows it in a frame of its own."""

    def __init__(self, page: str) -> None:
        self.page = page

    def save(self, file: "PathLike") -> None:
        """Write it to a file."""
        pathlib.Path(file).write_text(self.page)

    def _repr_html_(self) -> str:
        return f'<iframe style="width: 100%; height: 700px; border: 0" srcdoc="{html.escape(self.page)}"></iframe>'


def _command(*words: str) -> str:
    """Output of the command; TORSOR names it, else it is looked for on the path.  FileError where it is not found or fails."""
    program = os.environ.get("TORSOR") or shutil.which("torsor")
    if not program:
        raise FileError("the command torsor is not on the path", status=Status.FILE, hint="TORSOR can name it")
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise FileError((done.stderr or done.stdout).strip(), status=Status.FILE)
    return done.stdout


def open_result(folder: "PathLike") -> Result:
    """The results that ``torsor run`` or `Result.save` left in a folder: rows, units, summary, full states.  FileError."""
    from .analyses import Summary
    from .scene import Signal
    place = pathlib.Path(folder)
    table, error = ffi.new("torsor_table *"), new_error()
    check(lib.torsor_csv_read(table, encode(place / "trajectory.csv"), error), error)
    try:
        names = [text(table.name[i]) for i in range(table.columns)]
        count = table.rows * table.columns
        values = numpy.frombuffer(ffi.buffer(table.value, 8 * count)).reshape(table.rows, table.columns).copy() if count \
            else numpy.zeros((0, table.columns))
    finally:
        lib.torsor_table_destroy(table)
    summary_file = place / "summary.json"
    said: dict[str, Any] = json.loads(summary_file.read_text()) if summary_file.exists() else {}
    units = _units(summary_file) if said else {}
    known = {f: said[f] for f in Summary.__dataclass_fields__ if f in said and isinstance(said[f], (int, float, str))}
    result = Result(values[:, 0], values[:, 1:], [Signal(name, units.get(name, "")) for name in names[1:]], summary=Summary(**known))
    if (place / "state.nc").exists():
        _read_states(result, place / "state.nc")
    return result


def _units(file: pathlib.Path) -> dict[str, str]:
    """Units of the columns of a trajectory, by its summary."""
    table, error = ffi.new("torsor_units *"), new_error()
    check(lib.torsor_units_load(table, encode(file), error), error)
    try:
        return {text(table.signal[i].name): text(table.signal[i].unit) for i in range(table.count)}
    finally:
        lib.torsor_units_destroy(table)


def _read_states(result: Result, file: pathlib.Path) -> None:
    """Put the full states of a file into a result."""
    out, error, frame = ffi.new("torsor_states **"), new_error(), ffi.new("const torsor_frame **")
    check(lib.torsor_states_open(out, encode(file), error), error)
    try:
        rows = []
        for i in range(lib.torsor_states_count(out[0])):
            check(lib.torsor_states_read(frame, out[0], i, error), error)
            rows.append(numpy.frombuffer(ffi.buffer(frame[0].value, 8 * frame[0].size)).copy())
        layout = lib.torsor_states_layout(out[0])
        fields = lib.torsor_states_fields(out[0])
        result.frames = split_states(layout, fields, numpy.array(rows))
        result.frame_names = axis_names(layout)
    finally:
        lib.torsor_states_close(out[0])


def axis_names(layout: Any) -> dict[str, list[str]]:
    """Names along the axes of full states, of a torsor_layout."""
    lists = {"node": (layout.node_name, layout.nodes), "row": (layout.row_name, layout.rows),
             "joint_coordinate": (layout.coordinate_name, layout.coordinates),
             "element_output": (layout.output_name, layout.outputs), "section_stress": (layout.stress_name, layout.stresses)}
    return {**{axis: [text(array[i]) for i in range(count)] for axis, (array, count) in lists.items()},
            "energy_part": ["kinetic", "potential", "elastic", "total"], "xyz": list("xyz"), "wxyz": list("wxyz")}


def split_states(layout: Any, fields: int, values: Array) -> dict[str, Array]:
    """Full states [n x size] by fields [n x length of the field], vectors and quaternions on an axis of their own."""
    out, at = {}, 1
    for field in range(lib.TORSOR_FIELDS):
        length = lib.torsor_layout_length(layout, field) if fields >> field & 1 else 0
        if length:
            part = values[:, at:at + length]
            width = 4 if field == lib.TORSOR_FIELD_QUATERNION else 3 if field <= lib.TORSOR_FIELD_ANGULAR_ACCELERATION else 0
            out[text(lib.torsor_field_name(field))] = part.reshape(len(values), -1, width) if width else part
            at += length
    return out

