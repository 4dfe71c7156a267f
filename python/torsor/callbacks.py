# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of Python as callbacks of the library.

An exception must not leave a callback: it is kept for the call of the library that fails by it, whose message has its text.
"""
from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional

import numpy

from ._c import encode, ffi, lib
from .errors import Status, keep

# Step of the differences of an effort, relative to its argument: the error of central differences is least there.
_DIFFERENCE = 6e-6


class Callback(NamedTuple):
    """A torsor_callback, and what must live as long as it may be called."""

    c: Any
    kept: tuple[Any, ...]


def _complain(now: Any, name: str, exception: BaseException) -> int:
    keep(exception)
    said = f"{name}: {type(exception).__name__}: {exception}".encode("utf-8", "replace")[:300]
    return int(lib.torsor_callback_fail(now, Status.PLUGIN, b"%s", ffi.new("char[]", said)))


def _array(pointer: Any, *shape: int) -> Any:
    """A copy of numbers of the library."""
    count = math.prod(shape)
    return numpy.frombuffer(ffi.buffer(pointer, 8 * count), float).reshape(shape).copy()


def _vector(v: Any) -> Any:
    return _array(ffi.addressof(v), 3)


def _numbers(value: Any, counts: tuple[int, ...], what: str) -> list[float]:
    out = numpy.asarray(value, float).ravel().tolist()
    if len(out) not in counts:
        raise TypeError(f"{what}: {' or '.join(map(str, counts))} numbers are needed, not {len(out)}")
    return out


def _law(name: str, function: Callable[..., Any]) -> Any:
    @ffi.callback("torsor_status(void *, const torsor_relative_in *, torsor_law_out *)")  # type: ignore[misc]
    def call(_: Any, at: Any, out: Any) -> int:
        try:
            w = _numbers(function(at.now.t, _vector(at.p), _array(at.R.m, 3, 3), _array(ffi.addressof(at.V), 6)), (3, 6),
                         "a force, or a force and a moment")
            out.w.lin = w[:3]
            if len(w) == 6:
                out.w.ang = w[3:]
            return 0
        except BaseException as exception:
            return _complain(at.now, name, exception)
    return call


def _differences(function: Callable[..., Any], t: float, c: float, rate: float) -> tuple[float, float]:
    h, k = _DIFFERENCE * max(1.0, abs(c)), _DIFFERENCE * max(1.0, abs(rate))
    return ((float(function(t, c + h, rate)) - float(function(t, c - h, rate))) / (2 * h),
            (float(function(t, c, rate + k)) - float(function(t, c, rate - k))) / (2 * k))


def _effort(name: str, function: Callable[..., Any]) -> Any:
    @ffi.callback("torsor_status(void *, const torsor_now *, double, double, torsor_effort_out *)")  # type: ignore[misc]
    def call(_: Any, now: Any, c: float, rate: float, out: Any) -> int:
        try:
            value = function(now.t, c, rate)
            if isinstance(value, (float, int)):
                out.Q = value
                out.dQ_dc, out.dQ_drate = _differences(function, now.t, c, rate)
            else:
                out.Q, out.dQ_dc, out.dQ_drate = _numbers(value, (3,), "an effort with its derivatives by c and by rate")
            return 0
        except BaseException as exception:
            return _complain(now, name, exception)
    return call


def _rows(name: str, function: Callable[..., Any]) -> Any:
    @ffi.callback("torsor_status(void *, const torsor_relative_in *, torsor_relative_out *)")  # type: ignore[misc]
    def call(_: Any, at: Any, out: Any) -> int:
        try:
            value = function(at.now.t, _vector(at.p), _array(at.R.m, 3, 3))
            parts = value if isinstance(value, tuple) and len(value) == 3 and numpy.ndim(value[0]) == 1 else (value,)
            for to, part in zip((out.phi, out.phi_t, out.phi_tt), parts):
                numbers = numpy.atleast_1d(numpy.asarray(part, float)).tolist()
                for i, number in enumerate(numbers):
                    to[i] = number
            return 0
        except BaseException as exception:
            return _complain(at.now, name, exception)
    return call


def _function(name: str, function: Callable[..., Any]) -> Any:
    @ffi.callback("double(void *, const torsor_now *, double *, double *)")  # type: ignore[misc]
    def call(_: Any, now: Any, rate: Any, second: Any) -> float:
        try:
            value = function(now.t)
            alone = isinstance(value, (float, int))
            if alone and (rate != ffi.NULL or second != ffi.NULL):
                raise TypeError("its derivatives are needed: return (value, rate, second)")
            numbers = [float(value)] if alone else _numbers(value, (3,), "a value with its first two derivatives")
            if rate != ffi.NULL:
                rate[0] = numbers[1]
            if second != ffi.NULL:
                second[0] = numbers[2]
            return numbers[0]
        except BaseException as exception:
            _complain(now, name, exception)
            return math.nan
    return call


def _characteristic(name: str, function: Callable[..., Any]) -> Any:
    @ffi.callback("double(void *, const torsor_now *, double, double *, double *)")  # type: ignore[misc]
    def call(_: Any, now: Any, x: float, slope: Any, integral: Any) -> float:
        try:
            numbers = _numbers(function(x), (3,), "a value with its slope and its integral")
            if slope != ffi.NULL:
                slope[0] = numbers[1]
            if integral != ffi.NULL:
                integral[0] = numbers[2]
            return numbers[0]
        except BaseException as exception:
            _complain(now, name, exception)
            return math.nan
    return call


def _controller(name: str, function: Callable[..., Any], reads: int, writes: int) -> Any:
    @ffi.callback("torsor_status(void *, double, const double *, double *)")  # type: ignore[misc]
    def call(_: Any, t: float, read: Any, write: Any) -> int:
        try:
            values = _numbers(function(t, _array(read, reads)), (writes,), "values of the inputs that it writes")
            write[0:writes] = values
            return 0
        except BaseException as exception:
            keep(exception)
            return int(Status.PLUGIN)
    return call


_MAKERS = {"law": _law, "effort": _effort, "rows": _rows, "function": _function, "characteristic": _characteristic}


def make(name: str, function: Callable[..., Any], signature: str, threads: bool, state: Optional[Any],
         counts: Optional[tuple[int, int]]) -> Callback:
    """The callback of a function; `counts`: how many numbers a controller reads and writes."""
    if not callable(function):
        raise TypeError(f"{name} is to be bound to a function, not to {type(function).__name__}")
    if signature == "controller":
        if counts is None:
            raise TypeError("a controller is bound with counts, how many signals it reads and how many inputs it writes")
        call = _controller(name, function, *counts)
    elif signature in _MAKERS:
        call = _MAKERS[signature](name, function)
    else:
        call = ffi.callback("void(void)", lambda: None)  # the library refuses the signature by its name
    word = ffi.new("char[]", encode(signature))
    c = ffi.new("torsor_callback *")
    c.size, c.signature, c.call, c.threads = ffi.sizeof("torsor_callback"), word, ffi.cast("void(*)(void)", call), threads
    if state is not None:
        if state.dtype != numpy.float64 or not state.flags.c_contiguous or not state.flags.writeable:
            raise TypeError("the state of a controller is an array of float64 that can be written")
        c.data, c.state = ffi.cast("void *", state.ctypes.data), state.nbytes
    return Callback(c, (call, word, state, function))
