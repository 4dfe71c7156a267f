# SPDX-License-Identifier: GPL-3.0-or-later
"""A run: one simulation that goes on, and is looked at, changed, saved and restored."""
from __future__ import annotations

import math
from collections.abc import MutableMapping
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy
from numpy.typing import ArrayLike

from ._c import Handle, encode, ffi, lib, text
from .analyses import Summary, fill_simulation, scene_simulation
from .errors import ArgumentError, check, fail, new_error
from .result import Result
from .scene import Model, Signals, field_bits
from .values import Array

State = bytes
"""A saved state: bytes of this kind of machine and this version of the library."""

_step, _values = lib.torsor_run_step, lib.torsor_run_values
# Times between two looks at interrupts while a run records.
_BLOCK = 256


class _Memory:
    """Numbers of the library as an array that cannot be written; the array keeps their owner."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, pointer: Any, count: int, owner: Handle) -> None:
        address = int(ffi.cast("uintptr_t", pointer)) if count else 0
        self.__array_interface__ = {"data": (address, True), "shape": (count,), "typestr": "<f8", "version": 3}
        self.owner = Handle(None, None, owner)


def _view(view: Any, owner: Handle) -> Array:
    return numpy.asarray(_Memory(view.value, view.count, owner)) if view.count else numpy.empty(0)


class _Inputs(MutableMapping[str, float]):
    """Values of the inputs of a run, by their names."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._index = {entry.name: i for i, entry in enumerate(run.model.inputs)}

    def __getitem__(self, name: str) -> float:
        return float(lib.torsor_run_input(self._run._open(), self._index[name]))

    def __setitem__(self, name: str, value: float) -> None:
        run = self._run
        status = lib.torsor_run_set_input(run._open(), self._index[name], value, run._error)
        if status:
            fail(status, run._error)

    def __delitem__(self, name: str) -> None:
        raise TypeError("an input cannot be removed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


class _Parameters:
    """Numbers of the elements of a run, by paths as "spring.stiffness" and "rod.inertia.xy"."""

    def __init__(self, run: "Run") -> None:
        self._run = run

    def __getitem__(self, path: str) -> float:
        value = float(lib.torsor_run_parameter(self._run._open(), encode(path)))
        if math.isnan(value):
            raise KeyError(path)
        return value

    def __setitem__(self, path: str, value: Union[float, ArrayLike]) -> None:
        numbers = numpy.ascontiguousarray(value, float)
        run = self._run
        if numbers.ndim == 0:
            status = lib.torsor_run_set_parameter(run._open(), encode(path), float(numbers), run._error)
        else:
            status = lib.torsor_run_set_parameter_values(run._open(), encode(path), _doubles(numbers), numbers.size, run._error)
        check(status, run._error)


def _doubles(array: Any) -> Any:
    return ffi.cast("double *", array.ctypes.data)


class Run:
    """One simulation; one thread at a time uses it, while others use other runs of the same model.

    It stands at time `t`: everything that is read is what it is there.  It closes itself at the end of a ``with``, or when it is
    forgotten; arrays that it gave keep what they show.
    """

    model: Model
    signals: Signals
    _error: Any

    def __init__(self, model: Model, signals: Signals, threads: int, open_end: bool, settings: dict[str, float]) -> None:
        simulation, kept = scene_simulation(model.scene)
        fill_simulation(simulation, settings)
        options = ffi.new("torsor_run_options *")
        options.size, options.threads, options.open_end = ffi.sizeof("torsor_run_options"), threads, open_end
        options.signals = signals._handle.pointer
        out, self._error = ffi.new("torsor_run **"), new_error()
        model.scene._locate(lib.torsor_run_create(out, model._handle.pointer, simulation, options, self._error), self._error)
        del kept
        self._handle: Optional[Handle] = Handle(out[0], lib.torsor_run_destroy, model._handle, signals._handle)
        self._p: Any = out[0]
        self.model, self.signals = model, signals
        self._columns = signals._handle.pointer
        self._row = numpy.zeros(len(signals))
        self._row_pointer = _doubles(self._row)
        self._row_view = self._row.view()
        self._row_view.flags.writeable = False
        self._named: dict[str, tuple[Signals, bool]] = {}
        self._q: Optional[Array] = None
        self._v: Optional[Array] = None
        self._a: Optional[Array] = None
        self._lam: Optional[Array] = None
        self._inputs, self._parameters = _Inputs(self), _Parameters(self)

    def _open(self) -> Any:
        if self._p is None:
            raise ValueError("the run is closed")
        return self._p

    def close(self) -> None:
        """Give it up; more than once is fine.  Everything but reading arrays that it gave is a ValueError from then on."""
        self._p = self._q = self._v = self._a = self._lam = None
        if self._handle is not None:
            self._handle.release()
            self._handle = None

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- going on

    def step(self, n: int = 1) -> None:
        """Take n steps and stand at the end of the last one, or at an event in it.  StepError, ArgumentError where it is finished."""
        p = self._p
        if p is None:
            raise ValueError("the run is closed")
        status = _step(p, self._error) if n else 0
        while not status and n > 1:
            status, n = _step(p, self._error), n - 1
        if status:
            self._fail(status)

    def advance(self, t: float) -> None:
        """Stand at time t (s), inside the last step or at its end: steps do not depend on where one looks.  StepError."""
        status = lib.torsor_run_advance(self._open(), t, self._error)
        if status:
            self._fail(status)

    def end_at(self, t: float) -> None:
        """Advance with a last step that ends at t (s)."""
        status = lib.torsor_run_end_at(self._open(), t, self._error)
        if status:
            self._fail(status)

    def set_step(self, step: float) -> None:
        """Steps of (under step-size control: at most) `step` (s) from here on; the motion begins anew at `t`."""
        self._check(lib.torsor_run_set_step(self._open(), step, self._error))

    def _fail(self, status: int) -> None:
        lib.torsor_scene_locate(self.model.scene._handle.pointer, self._error)
        fail(status, self._error)

    def _check(self, status: int) -> None:
        if status:
            fail(status, self._error)

    def record(self, times: ArrayLike, *, signals: Optional[Sequence[str]] = None) -> Result:
        """Go through times [n] (s) that ascend, in a loop of the library; rows of the chosen signals there."""
        chosen = self.signals if signals is None else self.model.choose(signals)
        at = numpy.ascontiguousarray(times, float)
        if at.ndim != 1:
            raise ArgumentError("times are a list of numbers")
        rows = numpy.zeros((len(at), len(chosen)))
        for first in range(0, len(at), _BLOCK):
            count = min(_BLOCK, len(at) - first)
            status = lib.torsor_run_record(self._open(), chosen._handle.pointer, _doubles(at[first:]), count, _doubles(rows[first:]),
                                           self._error)
            if status:
                self._fail(status)
        return Result(at.copy(), rows, list(chosen), summary=self.summary, scene=self.model.scene, chosen=chosen)

    # ---- the state

    @property
    def t(self) -> float:
        """Time at which it stands, s."""
        return float(lib.torsor_run_time(self._open()))

    @property
    def step_end(self) -> float:
        """End of the last step, s: `t` or later."""
        return float(lib.torsor_run_step_end(self._open()))

    @property
    def finished(self) -> bool:
        """Is the duration over, or has an event stopped it?"""
        return bool(lib.torsor_run_finished(self._open()))

    def _array(self, ask: Callable[[Any], Any]) -> Array:
        view = ask(self._open())
        assert self._handle is not None
        return _view(view, self._handle)

    @property
    def q(self) -> Array:
        """Configuration [nq]: positions (m) and quaternions w, x, y, z of the nodes.  It follows the run and cannot be written."""
        if self._q is None:
            self._q = self._array(lib.torsor_run_q)
        return self._q

    @property
    def v(self) -> Array:
        """Velocities [nv] in the units of the nodes: m/s, rad/s.  It follows the run and cannot be written."""
        if self._v is None:
            self._v = self._array(lib.torsor_run_v)
        return self._v

    @property
    def a(self) -> Array:
        """Derivatives of the velocities [nv]: m/s^2, rad/s^2.  It follows the run and cannot be written."""
        if self._a is None:
            self._a = self._array(lib.torsor_run_a)
        return self._a

    @property
    def lam(self) -> Array:
        """Multipliers [nl] of the constraint rows.  It follows the run and cannot be written."""
        if self._lam is None:
            self._lam = self._array(lib.torsor_run_lambda)
        return self._lam

    @property
    def values(self) -> Array:
        """The chosen signals [n] at `t`: always the same array, which is brought up to date by asking for it."""
        p = self._p
        if p is None:
            raise ValueError("the run is closed")
        status = _values(p, self._columns, self._row_pointer, self._error)
        if status:
            self._fail(status)
        return self._row_view

    def read(self, signals: Optional[Signals] = None, out: Optional[Array] = None) -> Array:
        """The chosen signals at `t`, or others (`Model.choose`), in `out` [n] of float64 or in a new array."""
        chosen = self.signals if signals is None else signals
        if out is None:
            out = numpy.empty(len(chosen))
        elif out.dtype != numpy.float64 or out.shape != (len(chosen),) or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out is an array of {len(chosen)} float64, one after the other, that can be written")
        self._check(lib.torsor_run_values(self._open(), chosen._handle.pointer, _doubles(out), self._error))
        return out

    def __getitem__(self, name: str) -> Union[float, Array]:
        """One signal: a number ("hinge.angle", "top.position.x") or an array ("top.position" [3]).  KeyError."""
        found = self._named.get(name)
        if found is None:
            try:
                signals = self.model.choose([name])
            except ArgumentError as error:
                raise KeyError(str(error)) from None
            except ValueError as error:
                raise KeyError(str(error)) from None
            found = self._named[name] = (signals, len(signals) == 1 and signals[0].name == name)
        row = self.read(found[0])
        return float(row[0]) if found[1] else row

    def frame(self, fields: Optional[Sequence[str]] = None) -> dict[str, Array]:
        """Fields of the full state at `t`, as "position" [nodes x 3]; docs/results.md has their names, units and axes."""
        bits = field_bits(fields)
        layout = self.model._layout(bits)
        values = numpy.empty(layout.size)
        self._check(lib.torsor_run_frame(self._open(), layout.pointer, bits, _doubles(values), self._error))
        return layout.split(values)

    @property
    def summary(self) -> Summary:
        """Counters, residuals and energies up to now."""
        return Summary.of(lib.torsor_run_summary(self._open())[0])

    @property
    def events(self) -> list[tuple[str, float, bool]]:
        """Events of the last call that moved it: name, time (s), and whether the function rose."""
        out = ffi.new("const torsor_occurrence **")
        count = lib.torsor_run_occurrences(self._open(), out)
        return [(text(out[0][i].event.name), out[0][i].t, out[0][i].rising) for i in range(count)]

    @property
    def losses(self) -> list[float]:
        """Energy (J) that joints took as each of `events` switched them on; nan where it switched none."""
        out = ffi.new("const torsor_occurrence **")
        count = lib.torsor_run_occurrences(self._open(), out)
        return [out[0][i].lost for i in range(count)]

    @property
    def warnings(self) -> list[str]:
        """Lines for the user that have come up since they were last asked for."""
        out = []
        while (line := lib.torsor_run_warning(self._open())) != ffi.NULL:
            out.append(text(line))
        return out

    # ---- changes

    @property
    def inputs(self) -> MutableMapping[str, float]:
        """Values of the inputs in their units: ``run.inputs["push"] = 3`` from now on."""
        return self._inputs

    def set_input(self, name: str, value: float, rate: float = 0, second: float = 0) -> None:
        """From now on the input is value + rate (t - now) + second (t - now)^2/2.  KeyError, ArgumentError."""
        i = self._inputs._index[name]
        self._check(lib.torsor_run_set_input_rate(self._open(), i, value, rate, second, self._error))

    @property
    def parameters(self) -> _Parameters:
        """Numbers of elements: ``run.parameters["spring.stiffness"] = 2e4`` from now on, in the unit of the parameter; all numbers
        of a vector or matrix from an array.  KeyError, ArgumentError."""
        return self._parameters

    def set_state(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None) -> None:
        """Go on at `t` from q [nq] and v [nv], moved onto the constraints; what is left out stays.  InconsistentError."""
        arrays = [numpy.array(now if given is None else given, float) for given, now in ((q, self.q), (v, self.v))]
        for array, now in zip(arrays, (self.q, self.v)):
            if array.shape != now.shape:
                raise ArgumentError(f"{len(now)} numbers are needed, not {array.shape}")
        self._check(lib.torsor_run_set_state(self._open(), _doubles(arrays[0]), _doubles(arrays[1]), self._error))

    def save(self) -> State:
        """All that moves, as bytes, for this and other processes with the same scene, settings and signals."""
        size = ffi.new("size_t *")
        self._check(lib.torsor_run_save(self._open(), ffi.NULL, 0, size, self._error))
        data = bytearray(size[0])
        self._check(lib.torsor_run_save(self._open(), ffi.from_buffer(data), len(data), size, self._error))
        return bytes(data)

    def restore(self, state: State) -> None:
        """Go on from a saved state, to the bit.  FileError where it does not fit."""
        self._check(lib.torsor_run_restore(self._open(), ffi.from_buffer(state), len(state), self._error))

    def __repr__(self) -> str:
        return "<torsor.Run closed>" if self._p is None else f"<torsor.Run at {self.t:g} s>"
