# SPDX-License-Identifier: GPL-3.0-or-later
"""The command, called from Python: TORSOR names it, else it is looked for on the path."""
from __future__ import annotations

import json
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Optional, Sequence

from .result import _command

if TYPE_CHECKING:
    from .registry import PathLike
    from .scene import Scene


def verify(*names: str) -> list[dict[str, Any]]:
    """Run shipped benchmarks (all: no name) against their references: what ``torsor verify --json`` answers.  FileError."""
    answer: Any = json.loads(_command("verify", "--json", *names))
    return list(answer) if isinstance(answer, list) else [answer]


def export_fmu(scene: "Scene", file: "PathLike", *, version: int = 3, outputs: Optional[Sequence[str]] = None,
               tunables: Optional[Sequence[str]] = None, bundle: Optional[str] = None) -> dict[str, Any]:
    """Write a scene as an FMU of FMI `version` 3 or 2 for co-simulation, as ``torsor fmu`` does: its token and counts.

    ``outputs``: signals (None: those of the scene); ``tunables``: numbers of elements as "spring.stiffness"; ``bundle``: "all"
    libraries or "torsor" alone.  FileError.
    """
    lists = [("--outputs", outputs), ("--tunables", tunables)]
    words = [word for option, names in lists if names for word in (option, ",".join(names))]
    with tempfile.TemporaryDirectory() as folder:
        given = pathlib.Path(folder) / f"{scene.name or 'scene'}.json"
        given.write_text(scene.to_json())
        answer: dict[str, Any] = json.loads(_command("fmu", str(given), "-o", str(file), "--fmi", str(version), "--json", *words,
                                                     *(["--bundle", bundle] if bundle else [])))
    return answer
