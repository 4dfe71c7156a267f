# SPDX-License-Identifier: GPL-3.0-or-later
"""Torsor: flexible multibody dynamics on Lie groups.

    >>> import torsor
    >>> result = torsor.load("data/scenes/heavy_top.json").simulate()
    >>> result["top.position"][-1]

Units are SI.  Arrays are numpy arrays of float64.  docs/python.md has the whole story.
"""
from . import lie
from ._c import lib as _lib, text as _text
from ._version import VERSION as __version__
from .analyses import Check, Difference, Mode, Modes, Summary, compare, method_names
from .draft import Draft, Item
from .errors import (ArgumentError, FileError, InconsistentError, Interrupted, OutOfMemory, PluginError, SceneError, Status,
                     StepError, TorsorError, TorsorWarning)
from .linear import Linear
from .registry import Parameter, Registry, TypeInfo, registry
from .result import Report, Result, open_result
from .run import Run, State
from .scene import Counts, Input, Model, Scene, Signal, Signals, load, parse
from .tools import export_fmu, verify
from .values import Marker, Rotation, Value, Vector

__all__ = ["ArgumentError", "Check", "Counts", "Difference", "Draft", "FileError", "InconsistentError", "Input", "Interrupted",
           "Item", "Linear", "Marker", "Mode", "Model", "Modes", "OutOfMemory", "Parameter", "PluginError", "Registry", "Report", "Result",
           "Rotation", "Run", "Scene", "SceneError", "Signal", "Signals", "State", "Status", "StepError", "Summary", "TorsorError",
           "TorsorWarning", "TypeInfo", "Value", "Vector", "__version__", "compare", "export_fmu", "lie", "load", "method_names",
           "open_result", "parse", "registry", "verify", "version"]


def version() -> str:
    """Version of the library that is loaded."""
    return _text(_lib.torsor_version())
