# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared library and its declarations; nothing else in the package imports cffi.

``lib`` has the functions of the C interface one by one, ``ffi`` makes their arguments.  A ``Handle`` owns an object of the library.
"""
from __future__ import annotations

import os
import pathlib
import threading
from typing import Any, Callable, Optional

import cffi

from ._version import LIBRARY, VERSION

ffi = cffi.FFI()
ffi.cdef((pathlib.Path(__file__).parent / "_abi.h").read_text())

SONAME = "libtorsor.so.0"


def _candidates() -> list[str]:
    """Names of the library in the order in which they are tried."""
    given = os.environ.get("TORSOR_LIBRARY")
    if given:
        return [given]
    beside = pathlib.Path(__file__).parent / "libraries" / SONAME  # of a wheel
    return [*([str(beside)] if beside.exists() else []), *([LIBRARY] if LIBRARY and os.path.exists(LIBRARY) else []), SONAME]


def _open() -> Any:
    failures = []
    for name in _candidates():
        try:
            return ffi.dlopen(name)
        except OSError as failure:
            failures.append(str(failure))
    raise ImportError("the library of Torsor is not found: " + "; ".join(failures)
                      + ".  TORSOR_LIBRARY can name the file libtorsor.so.0")


lib = _open()


def text(pointer: Any) -> str:
    """A text of the library; "" where there is none."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def _check_version() -> None:
    found = text(lib.torsor_version())
    if found.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"this package is for the library of Torsor {VERSION}, and the one that was found is {found}")


_check_version()
_lock = threading.RLock()


class Handle:
    """Owner of an object of the library, which goes when nobody uses it any more.

    Handles that depend on it keep it, in whatever order Python takes them away: a model lives until its last run and the last
    array with that run's numbers have gone.
    """

    __slots__ = ("pointer", "_destroy", "_parents", "_users", "_released", "__weakref__")

    def __init__(self, pointer: Any, destroy: Optional[Callable[[Any], Any]], *parents: "Handle") -> None:
        self.pointer = pointer
        self._destroy = destroy
        self._parents = parents
        self._users = 1
        self._released = False
        with _lock:
            for parent in parents:
                parent._users += 1

    def _drop(self) -> None:
        with _lock:
            self._users -= 1
            last = self._users == 0
        if last:
            if self._destroy is not None:
                self._destroy(self.pointer)
            for parent in self._parents:
                parent._drop()

    def release(self) -> None:
        """Give it up; more than once is fine."""
        with _lock:
            first, self._released = not self._released, True
        if first:
            self._drop()

    def __del__(self) -> None:
        self.release()


def encode(value: "str | os.PathLike[str]") -> bytes:
    """A text or a path as the library reads it."""
    return os.fsencode(value)


def texts(values: "list[str] | tuple[str, ...]") -> tuple[Any, list[Any]]:
    """An array of texts for the library, and what must live as long as it is used."""
    kept = [ffi.new("char[]", value.encode()) for value in values]
    return ffi.new("const char *const[]", kept) if kept else ffi.NULL, kept
