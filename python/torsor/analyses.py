# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyses of a model by one call: simulation, statics, modes, checks."""
from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy

from ._c import encode, ffi, lib, text
from .errors import ArgumentError, Status, TorsorWarning, check, keep, new_error
from .result import Result
from .values import Array

if TYPE_CHECKING:
    from .scene import Counts, Model, Scene, Signals


@dataclass(frozen=True)
class Summary:
    """How a run went.  Times in s, energies in J, ``max_phi`` in the units of the constraint rows; NaN: not known."""

    status: str = "OK"
    t: float = math.nan
    events: int = 0
    stopped_by: str = ""
    steps: int = 0
    rejected_steps: int = 0
    newton_iterations: int = 0
    factorizations: int = 0
    residual_evaluations: int = 0
    smallest_step: float = math.nan
    largest_step: float = math.nan
    cpu_seconds: float = math.nan
    wall_seconds: float = math.nan
    max_phi: float = math.nan
    max_phi_velocity: float = math.nan
    error_estimate: float = math.nan
    energy_initial: float = math.nan
    energy_final: float = math.nan
    energy_max_drift: float = math.nan
    energy_supplied: float = math.nan
    energy_dissipated: float = math.nan
    energy_max_balance: float = math.nan
    c: Any = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, s: Any) -> "Summary":
        """From a torsor_summary, of which a copy is kept for files."""
        copy = ffi.new("torsor_summary *", s)
        return cls(status=text(lib.torsor_status_name(s.status)), t=s.t, events=s.events,
                   stopped_by="" if s.stopped_by == ffi.NULL else text(s.stopped_by.name),
                   **{f.name: getattr(s.counters, f.name) for f in fields(cls) if hasattr(s.counters, f.name)},
                   **{name: getattr(s, name) for name in _NUMBERS}, c=copy)


_NUMBERS = ("cpu_seconds", "wall_seconds", "max_phi", "max_phi_velocity", "error_estimate", "energy_initial", "energy_final",
            "energy_max_drift", "energy_supplied", "energy_dissipated", "energy_max_balance")


def scene_simulation(scene: "Scene") -> tuple[Any, Any]:
    """A copy of the simulation of a scene, and what must live as long as it."""
    out = ffi.new("torsor_simulation *")
    given = lib.torsor_scene_simulation(scene._handle.pointer)
    lib.torsor_simulation_fit(out, ffi.sizeof("torsor_simulation"), ffi.sizeof("torsor_settings"), given)
    return out, scene


def fill_simulation(simulation: Any, settings: Mapping[str, float]) -> None:
    """Put step, atol, rtol, max_iterations and duration into a simulation; ArgumentError for other names."""
    for name, value in settings.items():
        if name == "duration":
            simulation.duration = value
        elif name in ("step", "atol", "rtol", "max_iterations"):
            setattr(simulation.settings, name, value)
        else:
            raise ArgumentError(f'there is no setting "{name}"', hint="step, atol, rtol, max_iterations and duration can be set; "
                                "others belong to the scene: torsor.load(file, set={\"simulation.method\": ..})")


class _Recorder:
    """The hooks of an analysis: rows, full states, events and warnings."""

    def __init__(self, model: "Model", signals: "Signals", rows: int, full: bool, progress: bool, threads: int) -> None:
        self.columns, self.count = len(signals), 0
        self.table = numpy.zeros((max(rows, 16), 1 + self.columns))
        self.frames: list[Array] = []
        self.events: list[tuple[str, float, bool]] = []
        self.warnings: list[str] = []
        self.layout = model._layout(int(lib.TORSOR_FIELDS_USUAL)) if full else None
        self.progress, self.shown = progress, 0.0
        self.hooks = ffi.new("torsor_hooks *")
        self.hooks.size, self.hooks.threads = ffi.sizeof("torsor_hooks"), threads
        self.kept = [self._put(name, call) for name, call in self._calls().items()]
        if full:
            recording = lib.torsor_recording_default()
            recording.full, recording.every, recording.fields = True, 1, int(lib.TORSOR_FIELDS_USUAL)
            self.hooks.recording = recording

    def _calls(self) -> dict[str, tuple[str, Any]]:
        calls: dict[str, tuple[str, Any]] = {
                 "record": ("torsor_status(void *, double, const double *, int)", self.record),
                 "event": ("torsor_status(void *, const torsor_occurrence *)", self.event),
                 "warn": ("void(void *, const char *)", self.warn),
                 "stop": ("bool(void *)", lambda _: False)}
        if self.layout is not None:
            calls["frame"] = ("torsor_status(void *, const torsor_frame *)", self.frame)
        return calls

    def _put(self, name: str, call: tuple[str, Any]) -> Any:
        # An interrupt that comes while Python runs is kept, and the analysis ends after this step.
        end = True if name == "stop" else int(Status.INTERRUPTED)

        def failed(kind: Any, value: Any, trace: Any) -> Any:
            keep(value)
            return end
        made = ffi.callback(call[0], call[1], onerror=failed)
        setattr(self.hooks, name, made)
        return made

    def record(self, _: Any, t: float, values: Any, count: int) -> int:
        if self.count == len(self.table):
            self.table = numpy.concatenate([self.table, numpy.zeros_like(self.table)])
        row = self.table[self.count]
        row[0] = t
        if count:
            row[1:] = numpy.frombuffer(ffi.buffer(values, 8 * count))
        self.count += 1
        if self.progress:
            self.show(t)
        return 0

    def show(self, t: float) -> None:
        if t >= self.shown:
            print(f"\rt = {t:.6g} s", end="", file=sys.stderr, flush=True)
            self.shown = t + 0.01 * max(t, 1e-9)

    def frame(self, _: Any, frame: Any) -> int:
        self.frames.append(numpy.frombuffer(ffi.buffer(frame.value, 8 * frame.size)).copy())
        return 0

    def event(self, _: Any, occurrence: Any) -> int:
        self.events.append((text(occurrence.event.name), occurrence.t, occurrence.rising))
        return 0

    def warn(self, _: Any, message: Any) -> None:
        self.warnings.append(text(message))

    def result(self, model: "Model", signals: "Signals", summary: Any) -> Result:
        for line in self.warnings:
            warnings.warn(line, TorsorWarning, stacklevel=4)
        rows = self.table[:self.count]
        out = Result(rows[:, 0].copy(), rows[:, 1:].copy(), list(signals), summary=summary, scene=model.scene, chosen=signals,
                     events=self.events, warnings=self.warnings)
        if self.layout is not None:
            out._put_frames(self.layout, numpy.array(self.frames))
        return out


def simulate(model: "Model", signals: "Signals", full: bool, progress: bool, threads: int) -> Result:
    """The whole simulation of a scene, see Model.simulate."""
    asked, kept = scene_simulation(model.scene)
    simulation, error = ffi.new("torsor_simulation *"), new_error()
    simulation.size, simulation.settings.size = ffi.sizeof("torsor_simulation"), ffi.sizeof("torsor_settings")
    choice, summary = ffi.new("torsor_choice *"), ffi.new("torsor_summary *")
    first = ffi.new("torsor_hooks *")
    first.size, first.threads = ffi.sizeof("torsor_hooks"), threads
    p = model._handle.pointer
    model.scene._locate(lib.torsor_choose_steps(simulation, choice, p, asked, first, error), error)
    recorder = _Recorder(model, signals, lib.torsor_simulation_rows(simulation), full, progress, threads)
    lib.torsor_choice_tell(choice, simulation, p, recorder.hooks)
    status = lib.torsor_simulate(summary, p, simulation, signals._handle.pointer, recorder.hooks, error)
    if progress:
        print(file=sys.stderr)
    model.scene._locate(status, error)
    if not math.isnan(choice.error):
        summary.error_estimate = choice.error
    del kept
    return recorder.result(model, signals, Summary.of(summary[0]))


def statics(model: "Model", signals: "Signals", full: bool, settings: Mapping[str, float]) -> Result:
    """Equilibria of a scene, see Model.statics."""
    chosen = ffi.new("torsor_statics *")
    lib.torsor_statics_fit(chosen, ffi.sizeof("torsor_statics"), lib.torsor_scene_statics(model.scene._handle.pointer))
    for name, value in settings.items():
        if name not in ("until", "steps", "arc", "points", "tolerance", "max_iterations"):
            raise ArgumentError(f'there is no setting "{name}"', hint="until, steps, arc, points, tolerance, max_iterations")
        setattr(chosen, name, value)
    recorder = _Recorder(model, signals, 64, full, False, 1)
    summary, error = ffi.new("torsor_statics_summary *"), new_error()
    solver = lib.torsor_scene_simulation(model.scene._handle.pointer).linear_solver
    status = lib.torsor_statics_run(summary, model._handle.pointer, chosen, solver, signals._handle.pointer, recorder.hooks, error)
    model.scene._locate(status, error)
    result = recorder.result(model, signals, Summary(t=summary.load, newton_iterations=summary.counters.newton_iterations,
                                                     max_phi=summary.max_phi, energy_initial=summary.energy_initial,
                                                     energy_final=summary.energy_final, cpu_seconds=summary.cpu_seconds))
    result.abscissa = "load"
    return result


@dataclass(frozen=True)
class Mode:
    """A mode: ``kind`` is "rigid", "oscillation" or "real", ``eigenvalue`` in 1/s, ``frequency`` in Hz; ``damping`` is the ratio.

    ``effective_mass`` [6]: kg along x, y, z and kg m^2 about them.  ``shape`` [nodes x 6], complex: translation (m) and rotation
    (rad) of each node, inertial axes.
    """

    kind: str
    unstable: bool
    eigenvalue: complex
    frequency: float
    damping: float
    effective_mass: Array
    shape: "numpy.ndarray[Any, numpy.dtype[numpy.complex128]]"


class Modes(list):  # type: ignore[type-arg]
    """Modes, those of the lowest magnitude first.

    ``nodes``: names of the bodies of the nodes; ``positions`` [nodes x 3] (m); ``matrices``: M, C, K, B, .. as dense arrays of
    the linearised system M e'' + C e' + K e + B^T lambda = 0, B e = 0, where they were asked for.
    """

    nodes: list[str]
    positions: Array
    matrices: dict[str, Array]

    @property
    def frequencies(self) -> Array:
        """Frequencies [modes], Hz."""
        return numpy.array([mode.frequency for mode in self])


def _xyz(v: Any) -> list[float]:
    return [v.x, v.y, v.z]


def _shape(m: Any, i: int) -> Any:
    rows = [m.amplitude[i * m.nodes + k] for k in range(m.nodes)]
    return numpy.array([[complex(r, j) for r, j in zip(_xyz(a.translation_re) + _xyz(a.rotation_re),
                                                       _xyz(a.translation_im) + _xyz(a.rotation_im))] for a in rows])


def _dense(matrix: Any) -> Array:
    out = numpy.zeros((matrix.rows, matrix.columns))
    for k in range(matrix.count):
        out[matrix.row[k], matrix.column[k]] = matrix.value[k]
    return out


def modes(model: "Model", n: int, about: str, matrices: bool) -> Modes:
    """Modes of a model, see Model.modes."""
    words = {"initial": lib.TORSOR_ABOUT_INITIAL, "equilibrium": lib.TORSOR_ABOUT_EQUILIBRIUM, "steady": lib.TORSOR_ABOUT_STEADY}
    if about not in words:
        raise ArgumentError(f'modes are about one of {", ".join(words)}, not "{about}"')
    settings = ffi.new("torsor_modes_settings *")
    settings.size, settings.count, settings.fewer = ffi.sizeof("torsor_modes_settings"), n, True
    settings.about, settings.matrices = words[about], matrices
    settings.equilibrium = lib.torsor_scene_statics(model.scene._handle.pointer)
    recorder = _Recorder(model, model.choose(None), 16, False, False, 1)
    found, error = ffi.new("torsor_modes **"), new_error()
    model.scene._locate(lib.torsor_modes_find(found, model._handle.pointer, settings, recorder.hooks, error), error)
    m, kinds = found[0], ("rigid", "oscillation", "real")
    try:
        out = Modes(Mode(kinds[e.kind], e.unstable, complex(e.re, e.im), e.frequency_hz, e.damping_ratio,
                         numpy.array(list(e.effective_mass)), _shape(m, i))
                    for i, e in enumerate(m.mode[k] for k in range(m.count)))
        out.nodes = [text(m.node[k].body) for k in range(m.nodes)]
        out.positions = numpy.array([_xyz(m.node[k].x) for k in range(m.nodes)])
        out.matrices = {name: _dense(m.matrix[i]) for i, name in enumerate("MCKBZG") if m.matrix[i].rows} if matrices else {}
    finally:
        lib.torsor_modes_destroy(m)
    return out


@dataclass(frozen=True)
class Check:
    """Numbers that a check counts: ``mobility`` is velocities less the rank of the constraints; ``redundant`` names rows that repeat
    others, as "hinge[3]"."""

    counts: "Counts"
    gruebler: int
    mobility: int
    rank: int
    redundant: list[str]
    warnings: list[str]


def check_model(model: "Model") -> Check:
    """Counts and rank of a model, see Model.check."""
    c, error = ffi.new("torsor_check *"), new_error()
    model.scene._locate(lib.torsor_check_model(c, model._handle.pointer, error), error)
    try:
        rows = [c.redundant[i] for i in range(c.redundant_count)]
        names = [f"{text(lib.torsor_model_element_name(model._handle.pointer, r.element))}[{r.row}]" for r in rows]
        return Check(model.counts, c.gruebler, c.mobility, c.rank, names, [text(c.warnings[i]) for i in range(c.warning_count)])
    finally:
        lib.torsor_check_destroy(c)


def method_names() -> list[str]:
    """Names of the integration methods."""
    out, i = [], 0
    while (name := lib.torsor_method_name(i)) != ffi.NULL:
        out.append(text(name))
        i += 1
    return out


def _encode_table(names: list[str], values: Array) -> tuple[Any, list[Any]]:
    """A torsor_table, and what must live as long as it."""
    table = ffi.new("torsor_table *")
    flat = numpy.ascontiguousarray(values, float)
    words = [ffi.new("char[]", encode(name)) for name in names]
    array = ffi.new("char *[]", words)
    table.columns, table.rows, table.name = len(names), len(flat), array
    table.value = ffi.cast("double *", flat.ctypes.data)
    return table, [flat, words, array]


@dataclass(frozen=True)
class Difference:
    """The worst difference of a signal: its size, its time (s), what was allowed there."""

    signal: str
    max_error: float
    at: float
    tolerance: float
    holds: bool


def compare(result: Result, reference: Result, *, rtol: float = 0, atol: float = 0,
            signals: Optional[list[str]] = None) -> list[Difference]:
    """Differences of two results at the times of the reference, |difference| <= atol + rtol |reference|, components together.

    ``signals`` selects; None: all of the reference.  ArgumentError where a signal or a time is missing.
    """
    from ._c import texts
    tables = [_encode_table(["t", *r.names], numpy.column_stack([r.t, r.table])) for r in (result, reference)]
    out, count, error, fallback = ffi.new("torsor_difference **"), ffi.new("int *"), new_error(), ffi.new("torsor_tolerance *")
    fallback.atol, fallback.rtol = atol, rtol
    array, kept = texts(signals or [])
    status = lib.torsor_compare(out, count, tables[0][0], tables[1][0], array, len(kept), ffi.NULL, 0, fallback, error)
    check(status, error)
    try:
        return [Difference(text(d.signal), d.max_error, d.at, d.tolerance, d.holds) for d in (out[0][i] for i in range(count[0]))]
    finally:
        lib.torsor_text_free(ffi.cast("char *", out[0]))
