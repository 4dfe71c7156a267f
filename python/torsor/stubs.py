# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes `_types.pyi`, the methods of drafts by element types, for editors and type checkers: python -m torsor.stubs [--check]"""
from __future__ import annotations

import pathlib
import sys

from .registry import Parameter, Registry

_HINTS = {"number": "float | str", "whole number": "int | str", "true or false": "bool", "word": "str", "vector": "Vector",
          "direction": "Vector", "group": "str", "marker": "str | Marker", "coordinate": "str", "chain": "str", "surface": "str"}
_HEAD = """# SPDX-License-Identifier: GPL-3.0-or-later
# Made from the element types by `python -m torsor.stubs`.
from .draft import Item
from .values import Marker, Value, Vector

class Types:
"""


def _hint(p: Parameter) -> str:
    kind = _HINTS.get(p.kind, "Value")
    return f"{p.key}: {kind}" if p.default is None else f"{p.key}: {kind} | None = None" if kind != "Value" else f"{p.key}: Value = None"


def text() -> str:
    """The text of the file."""
    lines = []
    for name, info in sorted(Registry().types.items()):
        hints = [_hint(p) for p in sorted(info.parameters.values(), key=lambda p: p.default is not None)
                 if p.key.isidentifier() and p.key not in ("from", "lambda")]
        lines.append(f"    def {name}(self, name: str, /, *, {', '.join(hints)}, **more: Value) -> Item:\n"
                     f"        \"\"\"{info.title[:1].upper() + info.title[1:]}.\"\"\"\n")
    return _HEAD + "".join(lines)


def main() -> int:
    """Write the file, or with --check answer 1 where it is not fresh."""
    file = pathlib.Path(__file__).with_name("_types.pyi")
    if "--check" in sys.argv[1:]:
        return 0 if file.exists() and file.read_text() == text() else 1
    file.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
