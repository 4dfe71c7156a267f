# SPDX-License-Identifier: GPL-3.0-or-later
"""Element types and functions of Python that scenes may name."""
from __future__ import annotations

import os
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union

import numpy

from . import callbacks
from ._c import Handle, encode, ffi, lib, text
from .errors import OutOfMemory, check, new_error

PathLike = Union[str, "os.PathLike[str]"]
Signature = Literal["law", "effort", "rows", "function", "characteristic", "controller"]
_KINDS = ("body", "joint", "force")
_PARAMETERS = ("number", "whole number", "true or false", "word", "vector", "direction", "inertia", "orientation",
               "angular velocity", "group", "marker", "curve", "6x6 matrix", "list of numbers", "section",
               "table of sections", "function", "characteristic", "control", "coordinate", "chain", "profile", "matrix",
               "frames", "callback", "surface", "layers")


@dataclass(frozen=True)
class Parameter:
    """A parameter of an element type.  ``default`` is a text of JSON, "" where it may be left out, None where it is needed."""

    key: str
    kind: str
    unit: str
    default: Optional[str]
    doc: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class TypeInfo:
    """An element type: ``kind`` is "body", "joint" or "force", ``doc`` has its equations and sources."""

    name: str
    kind: str
    title: str
    doc: str
    parameters: Mapping[str, Parameter]


def _words(list_: Any) -> Iterator[str]:
    i = 0
    while list_ != ffi.NULL and list_[i] != ffi.NULL:
        yield text(list_[i])
        i += 1


def _parameters(first: Any) -> Iterator[Parameter]:
    i = 0
    while first != ffi.NULL and first[i].key != ffi.NULL:
        p = first[i]
        kind = _PARAMETERS[p.kind] if p.kind < len(_PARAMETERS) else "value"
        yield Parameter(text(p.key), kind, text(p.unit), None if p.fallback == ffi.NULL else text(p.fallback), text(p.doc),
                        tuple(_words(p.choices)))
        i += 1


def _info(t: Any) -> TypeInfo:
    parameters = {p.key: p for p in _parameters(t.params)}
    return TypeInfo(text(t.name), _KINDS[t.kind], text(t.title), text(t.doc), MappingProxyType(parameters))


class Registry:
    """The element types and the functions of Python that scenes may name.

    ``plugins`` are shared objects with further types.  A registry is changed by one thread, then used by any number.
    """

    def __init__(self, plugins: Sequence[PathLike] = ()) -> None:
        error = new_error()
        pointer = lib.torsor_registry_create(error)
        if pointer == ffi.NULL:
            raise OutOfMemory("out of memory")
        # Functions that are bound belong to the handle: scenes call them when the object that bound them has gone.
        self._handle = _RegistryHandle(pointer)
        for plugin in plugins:
            self.load(plugin)

    def load(self, plugin: PathLike) -> None:
        """Add the types and callbacks of the shared object `plugin`.  PluginError, FileError."""
        error = new_error()
        check(lib.torsor_registry_load(self._handle.pointer, encode(plugin), error), error)

    def bind(self, name: str, function: Callable[..., Any], signature: Signature, *, threads: bool = False,
             state: "Optional[numpy.ndarray[Any, numpy.dtype[numpy.float64]]]" = None,
             counts: Optional[tuple[int, int]] = None) -> None:
        """Give `function` a name that scenes use: letters, digits and _.

        ======================  ==============================================================================================
        signature               what it gets, and returns
        ======================  ==============================================================================================
        ``law``                 ``(t, p, R, V)``: s, [3] m, [3 x 3], [6] m/s and rad/s: marker b seen from a, the twist in axes
                                of b.  Force (N) [3], or force and moment (N m) [6], on b at its marker, in axes of b
        ``effort``              ``(t, c, rate)``: the coordinate and its rate.  Force along it (N, N m), or that with its
                                derivatives by c and by rate; without them they are found by differences
        ``rows``                ``(t, p, R)``.  The rows [n] that a joint demands to be 0, or these with their first and second
                                derivatives by t at constant p and R
        ``function``            ``(t,)``.  The value, or the value with its first two derivatives, which drives need
        ``characteristic``      ``(x,)``.  The value with its slope and its integral from 0
        ``controller``          ``(t, read)``: values of the signals that it reads.  Values of the inputs that it writes
        ======================  ==============================================================================================

        All but controllers are pure functions of what they get: they are called for steps that are taken back, too.  An array of
        float64, ``state``, in which a controller remembers is part of saved states; each run begins with what it held when its
        model was made.  ``counts`` of a controller: how many signals it reads and how many inputs it writes, as the scene says.
        With ``threads`` runs in several threads may call it at once.  An exception ends the run and is the cause
        of the one that the run raises.
        """
        error = new_error()
        callback = callbacks.make(name, function, signature, threads, state, counts)
        check(lib.torsor_registry_bind(self._handle.pointer, encode(name), callback.c, error), error)
        self._handle.bound[name] = callback

    def _bind_new(self, stem: str, function: Callable[..., Any], signature: Signature,
                  state: "Optional[numpy.ndarray[Any, numpy.dtype[numpy.float64]]]" = None,
                  counts: Optional[tuple[int, int]] = None) -> str:
        """Bind it by a name that is not taken yet, which is returned."""
        stem = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem)
        stem = stem if stem[:1].isalpha() else "f" + stem
        name, i = stem, 1
        while lib.torsor_registry_bound(self._handle.pointer, encode(name)) != ffi.NULL:
            i += 1
            name = f"{stem}_{i}"
        self.bind(name, function, signature, state=state, counts=counts)
        return name

    @property
    def types(self) -> Mapping[str, TypeInfo]:
        """The element types by their names."""
        p = self._handle.pointer
        all_ = [_info(lib.torsor_registry_at(p, i)) for i in range(lib.torsor_registry_count(p))]
        return MappingProxyType({t.name: t for t in all_})

    def schema(self) -> str:
        """JSON schema (draft-07) of scenes with these types."""
        out, error = ffi.new("char **"), new_error()
        check(lib.torsor_schema_text(out, self._handle.pointer, error), error)
        try:
            return text(out[0])
        finally:
            lib.torsor_text_free(out[0])


class _RegistryHandle(Handle):
    __slots__ = ("bound",)

    def __init__(self, pointer: Any) -> None:
        super().__init__(pointer, lib.torsor_registry_destroy)
        self.bound: dict[str, callbacks.Callback] = {}


registry = Registry()
"""The usual registry."""
