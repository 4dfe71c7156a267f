# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions: one for each kind of failure, with the words of the command."""
from __future__ import annotations

import enum
import math
import threading
from typing import Any, NoReturn, Optional

from ._c import ffi, lib, text


class Status(enum.IntEnum):
    """Statuses of the library (torsor/base.h)."""

    OK = 0
    NEWTON = 1
    NONFINITE = 2
    SINGULAR = 3
    DOMAIN = 4
    TURN = 5
    ACCURACY = 6
    SCENE = -1
    ARGUMENT = -2
    MEMORY = -3
    FILE = -4
    STEP = -5
    INCONSISTENT = -6
    PLUGIN = -7
    INTERRUPTED = -8
    MISMATCH = -9


class TorsorError(Exception):
    """A failure of the library.

    ``message`` and ``hint`` say what is wrong and what would be right; ``file``, ``path`` (as ``bodies[0].mass``), ``line`` and
    ``column`` (from 1; 0: not known) say where in the scene; ``element`` and ``parameter`` are names, "" where there are none;
    ``t`` is the time (s) at which a simulation failed, else NaN.  ``str`` of it has all of this.
    """

    status: Status
    message: str
    hint: str
    file: str
    path: str
    line: int
    column: int
    element: str
    parameter: str
    t: float

    def __init__(self, message: str = "", *, status: Status = Status.ARGUMENT, hint: str = "", file: str = "", path: str = "",
                 line: int = 0, column: int = 0, element: str = "", parameter: str = "", t: float = math.nan,
                 whole: Optional[str] = None) -> None:
        super().__init__(message if whole is None else whole)
        self.status, self.message, self.hint = status, message, hint
        self.file, self.path, self.line, self.column = file, path, line, column
        self.element, self.parameter, self.t = element, parameter, t


class SceneError(TorsorError, ValueError):
    """A scene is invalid."""


class ArgumentError(TorsorError, ValueError):
    """An argument is out of range, or of no use at this time."""


class InconsistentError(TorsorError, ValueError):
    """Initial values contradict the constraints."""


class StepError(TorsorError, ArithmeticError):
    """The computation could not go on; the run stands at the end of its last accepted step."""


class FileError(TorsorError, OSError):
    """A file cannot be read or written, or does not fit."""


class PluginError(TorsorError):
    """A plug-in cannot be used."""


class OutOfMemory(TorsorError, MemoryError):
    """Memory is short."""


class Interrupted(TorsorError, KeyboardInterrupt):
    """An interrupt ended the computation."""


class TorsorWarning(UserWarning):
    """A remark of the library on a model or a run."""


_KINDS: dict[Status, type[TorsorError]] = {
    Status.SCENE: SceneError, Status.ARGUMENT: ArgumentError, Status.MEMORY: OutOfMemory, Status.FILE: FileError,
    Status.STEP: StepError, Status.INCONSISTENT: InconsistentError, Status.PLUGIN: PluginError,
    Status.INTERRUPTED: Interrupted, Status.MISMATCH: TorsorError,
}

# The exception that a callback of this thread has raised, and that the library knows by its text alone.
_pending = threading.local()


def keep(exception: BaseException) -> None:
    """Remember the exception of a callback until the call that led to it has failed."""
    _pending.exception = exception


def taken() -> Optional[BaseException]:
    """The exception that a callback has raised since the last call of this, and no more after that."""
    exception = getattr(_pending, "exception", None)
    _pending.exception = None
    return exception


def new_error() -> Any:
    """An empty torsor_error."""
    return ffi.new("torsor_error *")


def words(error: Any) -> str:
    """The whole text of a torsor_error: place, message, hint."""
    room = ffi.new("char[]", 2048)
    lib.torsor_error_text(room, 2048, error)
    return text(room).rstrip("\n")


def fail(status: int, error: Any) -> NoReturn:
    """Raise what `status`, not 0, and `error` say, with the exception of a callback as its cause.

    An interrupt or exit that a callback was met by is raised itself.
    """
    cause = taken()
    if cause is not None and not isinstance(cause, Exception):
        raise cause
    kind = _KINDS.get(Status(status), StepError) if status in Status._value2member_map_ else TorsorError
    raise kind(text(error.message), status=Status(status), hint=text(error.hint), file=text(error.file), path=text(error.path),
               line=error.line, column=error.column, element=text(error.element), parameter=text(error.parameter), t=error.t,
               whole=words(error)) from cause


def check(status: int, error: Any) -> None:
    """Raise where `status` is not 0."""
    if status:
        fail(status, error)
