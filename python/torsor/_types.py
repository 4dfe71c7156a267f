# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of drafts, for whose element types `_types.pyi` has a method each: `python -m torsor.stubs` writes it."""
from __future__ import annotations


class Types:
    """The methods are made by `Draft.__getattr__` from the registry."""
