# SPDX-License-Identifier: GPL-3.0-or-later
"""Models linearised between inputs and outputs."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy
from numpy.typing import ArrayLike

from ._c import Handle, ffi, lib, text, texts
from .errors import ArgumentError, check, new_error
from .values import Array

if TYPE_CHECKING:
    from .scene import Model


class Linear:
    """The system x' = A x + B u, y = C x + D u of variations about a state.

    ``A`` [states x states], ``B`` [states x inputs], ``C`` [outputs x states], ``D`` [outputs x inputs]; ``poles`` [states], 1/s, by
    magnitude; ``states``, ``inputs``, ``outputs`` are pairs of name and unit.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    poles: "numpy.ndarray[Any, numpy.dtype[numpy.complex128]]"
    states: list[tuple[str, str]]
    inputs: list[tuple[str, str]]
    outputs: list[tuple[str, str]]

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        s = lib.torsor_linear_state_space(handle.pointer)
        self.states, self.inputs, self.outputs = (_channels(list_, count) for list_, count in (
            (s.state, s.states), (s.input, s.inputs), (s.output, s.outputs)))
        self.A, self.B = _matrix(s.A, s.states, s.states), _matrix(s.B, s.states, s.inputs)
        self.C, self.D = _matrix(s.C, s.outputs, s.states), _matrix(s.D, s.outputs, s.inputs)
        self.poles = _matrix(s.pole_re, 1, s.states)[0] + 1j * _matrix(s.pole_im, 1, s.states)[0]

    def response(self, frequencies: ArrayLike) -> "numpy.ndarray[Any, numpy.dtype[numpy.complex128]]":
        """Frequency response [n x outputs x inputs] at s = i omega, for omega [n] in rad/s.  StepError at a pole."""
        omega = numpy.ascontiguousarray(frequencies, float)
        if omega.ndim != 1:
            raise ArgumentError("frequencies are a list of numbers")
        out = numpy.empty((len(omega), len(self.outputs), len(self.inputs)), complex)
        error, at = new_error(), ffi.new("int *")
        status = lib.torsor_linear_response(ffi.cast("double *", out.ctypes.data), self._handle.pointer,
                                            ffi.cast("const double *", omega.ctypes.data), len(omega), at, error)
        check(status, error)
        return out

    def __repr__(self) -> str:
        return f"<torsor.Linear {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def _channels(list_: Any, count: int) -> list[tuple[str, str]]:
    return [(text(list_[i].name), text(list_[i].unit)) for i in range(count)]


def _matrix(pointer: Any, rows: int, columns: int) -> Array:
    if not rows * columns:
        return numpy.zeros((rows, columns))
    return numpy.frombuffer(ffi.buffer(pointer, 8 * rows * columns)).reshape(rows, columns).copy()


def find(model: "Model", inputs: Sequence[str], outputs: Sequence[str], states: Sequence[str], about: str) -> Linear:
    """Linearise a model, see Model.linearise."""
    words = {"initial": lib.TORSOR_ABOUT_INITIAL, "equilibrium": lib.TORSOR_ABOUT_EQUILIBRIUM, "steady": lib.TORSOR_ABOUT_STEADY}
    if about not in words:
        raise ArgumentError(f'a model is linearised about one of {", ".join(words)}, not "{about}"')
    settings = ffi.new("torsor_linear_settings *")
    settings.size, settings.about = ffi.sizeof("torsor_linear_settings"), words[about]
    settings.equilibrium = lib.torsor_scene_statics(model.scene._handle.pointer)
    lists = [texts(list(names)) for names in (inputs, outputs, states)]
    settings.input, settings.inputs = lists[0][0], len(inputs)
    settings.output, settings.outputs = lists[1][0], len(outputs)
    settings.state, settings.states = lists[2][0], len(states)
    out, error = ffi.new("torsor_linear **"), new_error()
    model.scene._locate(lib.torsor_linear_find(out, model._handle.pointer, settings, ffi.NULL, error), error)
    return Linear(Handle(out[0], lib.torsor_linear_destroy, model._handle))
