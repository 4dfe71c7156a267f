# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command does, called from Python: TORSOR names it, else it is looked for on the path."""
from __future__ import annotations

import json
from typing import Any

from .result import _command


def verify(*names: str) -> list[dict[str, Any]]:
    """Run shipped benchmarks (all: no name) against their references: what ``torsor verify --json`` answers.  FileError."""
    answer: Any = json.loads(_command("verify", "--json", *names))
    return list(answer) if isinstance(answer, list) else [answer]
