# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes and models."""
from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence, Union, overload

import numpy
from numpy.typing import ArrayLike

from . import analyses
from ._c import Handle, encode, ffi, lib, text, texts
from .errors import check, new_error
from .registry import PathLike, Registry, registry as usual
from .result import axis_names
from .values import to_json

if TYPE_CHECKING:
    from .analyses import Check, Modes
    from .draft import Draft
    from .linear import Linear
    from .result import Result
    from .run import Run


class Signal(NamedTuple):
    """A number of a model over time: its name, as ``top.position.x``, and its unit, "" where it has none."""

    name: str
    unit: str


class Input(NamedTuple):
    """An input of a model: ``value`` is the one that runs begin with, ``min`` and ``max`` bound what it may be."""

    name: str
    unit: str
    doc: str
    value: float
    min: float = -math.inf
    max: float = math.inf


@dataclass(frozen=True)
class Counts:
    """How large a model is: numbers in q [coordinates] and v [velocities], and rows of constraints."""

    bodies: int
    joints: int
    forces: int
    elements: int
    nodes: int
    coordinates: int
    velocities: int
    holonomic: int
    nonholonomic: int

    @property
    def rows(self) -> int:
        """All rows of constraints: numbers in lambda."""
        return self.holonomic + self.nonholonomic


class Signals(AbstractSequence[Signal]):
    """Chosen signals of a model, in columns."""

    def __init__(self, model: "Model", names: Sequence[str]) -> None:
        out, error, index = ffi.new("torsor_signals **"), new_error(), ffi.new("int *")
        array, kept = texts(list(names))
        status = lib.torsor_signals_create(out, model._handle.pointer, array, len(kept), index, error)
        check(status, error)
        self._handle = Handle(out[0], lib.torsor_signals_destroy, model._handle)
        p = self._handle.pointer
        self._list = tuple(Signal(text(lib.torsor_signals_name(p, i)), text(lib.torsor_signals_unit(p, i)))
                           for i in range(lib.torsor_signals_count(p)))

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [s.name for s in self._list]

    @property
    def units(self) -> list[str]:
        """The columns' units, "" where there is none."""
        return [s.unit for s in self._list]

    def column(self, name: str) -> int:
        """The column of the signal of that full name; KeyError."""
        for i, signal in enumerate(self._list):
            if signal.name == name:
                return i
        raise KeyError(name)

    @overload
    def __getitem__(self, i: int) -> Signal: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Signal]: ...
    def __getitem__(self, i: Union[int, slice]) -> Union[Signal, Sequence[Signal]]:
        return self._list[i]

    def __len__(self) -> int:
        return len(self._list)

    def __repr__(self) -> str:
        return f"Signals({self.names})"


def _changes(changes: Mapping[str, Any]) -> list[str]:
    return [f"{path}={value if isinstance(value, str) else to_json(value)}" for path, value in changes.items()]


def load(file: PathLike, *, set: Mapping[str, Any] = {}, registry: Registry = usual) -> "Scene":
    """Read a scene file.  ``set`` has changes made before anything is interpreted: {"simulation.step": 1e-4}.

    SceneError with file, path, line, column and hint; FileError.
    """
    out, error = ffi.new("torsor_scene **"), new_error()
    array, kept = texts(_changes(set))
    check(lib.torsor_scene_load(out, encode(file), registry._handle.pointer, array, len(kept), error), error)
    return Scene(out[0], registry)


def parse(text: Union[str, Mapping[str, Any]], *, name: str = "scene", set: Mapping[str, Any] = {},
          registry: Registry = usual) -> "Scene":
    """Read a scene from a text of JSON, or from dictionaries and lists.  SceneError as of `load`; messages call it ``name``."""
    out, error = ffi.new("torsor_scene **"), new_error()
    array, kept = texts(_changes(set))
    data = (text if isinstance(text, str) else to_json(text)).encode()
    check(lib.torsor_scene_parse(out, data, len(data), encode(name), registry._handle.pointer, array, len(kept), error), error)
    return Scene(out[0], registry)


class Scene:
    """A checked description: elements, functions and what to do with them.  Any number of threads may use it."""

    def __init__(self, pointer: Any, registry: Registry) -> None:
        self._handle = Handle(pointer, lib.torsor_scene_destroy, registry._handle)
        self._registry = registry

    @property
    def name(self) -> str:
        """File name without folder and ".json"; "" of a scene by calls."""
        return text(lib.torsor_scene_name(self._handle.pointer))

    @property
    def title(self) -> str:
        """Its title."""
        return text(lib.torsor_scene_title(self._handle.pointer))

    @property
    def hash(self) -> str:
        """32 hexadecimal digits: the same for scenes that say the same."""
        return text(lib.torsor_scene_hash(self._handle.pointer))

    @property
    def simulation(self) -> SimpleNamespace:
        """Step (s; 0: it is chosen by trial runs), duration (s) and method of the simulation."""
        s = lib.torsor_scene_simulation(self._handle.pointer)
        return SimpleNamespace(step=s.settings.step, duration=s.duration, method=text(s.settings.method), every=s.every,
                               output_step=s.output_step)

    def model(self) -> "Model":
        """The model.  SceneError, OutOfMemory."""
        return Model(self)

    def run(self, **options: Any) -> "Run":
        """A run of a new model, see `Model.run`."""
        return self.model().run(**options)

    def simulate(self, **options: Any) -> "Result":
        """The whole simulation of a new model, see `Model.simulate`."""
        return self.model().simulate(**options)

    def draft(self) -> "Draft":
        """A draft of this scene, to change it."""
        from .draft import Draft
        return Draft._open(self)

    def to_json(self) -> str:
        """The canonical text: a scene file of the same hash that needs no other file."""
        return text(lib.torsor_scene_canonical(self._handle.pointer))

    def _signal_names(self) -> list[str]:
        count = ffi.new("int *")
        names = lib.torsor_scene_signals(self._handle.pointer, count)
        return [text(names[i]) for i in range(count[0])]

    def _locate(self, status: int, error: Any) -> None:
        """Raise with the place in the scene where `status` is not 0."""
        if status:
            lib.torsor_scene_locate(self._handle.pointer, error)
        check(status, error)

    def __repr__(self) -> str:
        return f"<torsor.Scene {self.name or self.title!r} {self.hash[:8]}>"

    def _repr_html_(self) -> str:
        tree = json.loads(self.to_json())
        counts = ", ".join(f"{len(tree[key])} {key}" for key in ("bodies", "joints", "forces") if key in tree)
        s = self.simulation
        return (f"<p><b>{html.escape(self.title or self.name)}</b><br>{counts}<br>"
                f"{html.escape(s.method)}, step {s.step:g} s, {s.duration:g} s</p>")


class Model:
    """Bodies, joints and forces, numbered.  Constant: any number of threads and runs may use it."""

    _handle: Handle
    scene: "Scene"

    def __init__(self, scene: Scene) -> None:
        out, error = ffi.new("torsor_model **"), new_error()
        check(lib.torsor_scene_model(out, scene._handle.pointer, error), error)
        self._handle = Handle(out[0], lib.torsor_model_destroy, scene._handle)
        self.scene = scene
        self._layouts: dict[int, Layout] = {}

    def _layout(self, fields: int) -> "Layout":
        """The layout of full states with these fields."""
        if fields not in self._layouts:
            self._layouts[fields] = Layout(self, fields)
        return self._layouts[fields]

    @property
    def counts(self) -> Counts:
        """How large it is."""
        c = lib.torsor_model_count(self._handle.pointer)
        return Counts(c.bodies, c.joints, c.forces, c.elements, c.nodes, c.coordinates, c.velocities, c.holonomic, c.nonholonomic)

    @property
    def signals(self) -> Signals:
        """The signals that the scene chooses, or a sensible choice."""
        return self.choose(None)

    @property
    def inputs(self) -> list[Input]:
        """Its inputs in their order."""
        p = self._handle.pointer
        return [Input(text(lib.torsor_model_input_name(p, i)), text(lib.torsor_model_input_unit(p, i)),
                      text(lib.torsor_model_input_doc(p, i)), lib.torsor_model_input_value(p, i),
                      lib.torsor_model_input_least(p, i), lib.torsor_model_input_largest(p, i))
                for i in range(lib.torsor_model_inputs(p))]

    def choose(self, names: Optional[Sequence[str]]) -> Signals:
        """Signals by their names; a name such as "top" stands for all below it.  None: those of `signals`.  TorsorError."""
        return Signals(self, self.scene._signal_names() if names is None else list(names))

    def run(self, *, signals: Optional[Sequence[str]] = None, threads: int = 1, open_end: bool = False,
            settings: Optional[Mapping[str, float]] = None) -> "Run":
        """A run at time 0.

        ``signals``: the columns of `Run.values`; work and impulses among them are followed from the start.  ``threads``: how many
        may share the work.  With ``open_end`` the duration is no end.  ``settings``: step (s), atol, rtol, duration (s) in place of
        the scene's.  SceneError, InconsistentError, StepError.
        """
        from .run import Run
        return Run(self, self.choose(signals), threads, open_end, dict(settings or {}))

    def simulate(self, *, times: Optional[ArrayLike] = None, signals: Optional[Sequence[str]] = None, full: bool = False,
                 progress: bool = False, threads: int = 1) -> "Result":
        """The whole simulation, to the bit what ``torsor run`` writes; with ``times`` [n] (s) rows at these times instead.

        ``full`` keeps the full states of all rows.  InconsistentError, StepError; an interrupt ends it after a step.
        """
        if times is None:
            return analyses.simulate(self, self.choose(signals), full, progress, threads)
        with self.run(signals=signals, threads=threads) as run:
            return run.record(times)

    def statics(self, *, signals: Optional[Sequence[str]] = None, full: bool = False, **settings: float) -> "Result":
        """Equilibria while the load grows: rows of the chosen signals over the load, called ``t``.

        ``settings``: until, steps, arc, points, tolerance, max_iterations in place of the scene's.
        """
        return analyses.statics(self, self.choose(signals), full, settings)

    def modes(self, n: int = 10, *, about: str = "initial", matrices: bool = False) -> "Modes":
        """The n modes of the lowest magnitude about the "initial" state, the "equilibrium" or a "steady" motion.

        With ``matrices`` those of the linearised system are kept, too.
        """
        return analyses.modes(self, n, about, matrices)

    def linearise(self, inputs: Sequence[str], outputs: Sequence[str], *, states: Sequence[str] = (),
                  about: str = "initial") -> "Linear":
        """State space between inputs ("push", "motor.effort", "spring.stiffness") and outputs, which are signals.

        ``states``: joint coordinates and positions that are to be states; ``about``: the "initial" state, the "equilibrium" or a
        "steady" motion.  SceneError, ArgumentError, InconsistentError.
        """
        from .linear import find
        return find(self, inputs, outputs, states, about)

    def check(self) -> "Check":
        """Counts, mobility and redundant rows.  InconsistentError."""
        return analyses.check_model(self)

    def __repr__(self) -> str:
        c = self.counts
        return f"<torsor.Model {c.bodies} bodies, {c.joints} joints, {c.forces} forces, {c.velocities} velocities>"


class Layout:
    """Names of the numbers of full states."""

    def __init__(self, model: Model, fields: int) -> None:
        pointer, error = ffi.new("torsor_layout *"), new_error()
        check(lib.torsor_layout_create(pointer, model._handle.pointer, fields, error), error)
        self._handle = Handle(pointer, lib.torsor_layout_destroy)
        self.pointer, self.fields = pointer, fields
        self.size = lib.torsor_frame_size(pointer, fields)

    def names(self) -> dict[str, list[str]]:
        """Names along the axes of the fields."""
        return axis_names(self.pointer)

    def present(self) -> Iterator[int]:
        """The fields that are there and not empty."""
        for field in range(lib.TORSOR_FIELDS):
            if self.fields >> field & 1 and lib.torsor_layout_length(self.pointer, field):
                yield field

    def axes(self, field: int) -> tuple[str, ...]:
        """Names of the axes of a field."""
        return _AXES[text(lib.torsor_field_name(field))]

    def split(self, values: Any) -> dict[str, Any]:
        """The fields of full states, values [.., size], with the axes of the fields behind those of the states."""
        out, at, sizes = {}, 1, {axis: len(names) for axis, names in self.names().items()}
        for field in self.present():
            length = lib.torsor_layout_length(self.pointer, field)
            name = text(lib.torsor_field_name(field))
            shape = tuple(sizes[axis] for axis in _AXES[name])
            out[name] = numpy.asarray(values)[..., at:at + length].reshape(numpy.shape(values)[:-1] + shape)
            at += length
        return out


_AXES: dict[str, tuple[str, ...]] = {
    "position": ("node", "xyz"), "quaternion": ("node", "wxyz"), "velocity": ("node", "xyz"),
    "angular_velocity": ("node", "xyz"), "acceleration": ("node", "xyz"), "angular_acceleration": ("node", "xyz"),
    "multiplier": ("row",), "coordinate": ("joint_coordinate",), "rate": ("joint_coordinate",),
    "output": ("element_output",), "energy": ("energy_part",), "momentum": ("xyz",), "angular_momentum": ("xyz",),
    "residual": ("row",), "residual_rate": ("row",), "stress": ("section_stress",),
}


def field_bits(fields: Optional[Sequence[str]]) -> int:
    """The set of fields of these names; None: the usual ones.  KeyError."""
    if fields is None:
        return int(lib.TORSOR_FIELDS_USUAL)
    known = {text(lib.torsor_field_name(i)): 1 << i for i in range(lib.TORSOR_FIELDS)}
    bits = 0
    for name in fields:
        bits |= known[name]
    return bits
