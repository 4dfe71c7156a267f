# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of scenes: rotations and markers, and their forms as JSON."""
from __future__ import annotations

import json
import math
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy
from numpy.typing import ArrayLike, NDArray

Array = NDArray[numpy.float64]
Vector = Union[Sequence[float], Array]


class Rotation:
    """A rotation from the axes of a body or marker to those around it.

    ``quaternion``: unit quaternion w, x, y, z [4].
    """

    __slots__ = ("quaternion",)
    quaternion: tuple[float, float, float, float]

    def __init__(self, w: float, x: float, y: float, z: float) -> None:
        length = math.sqrt(w * w + x * x + y * y + z * z)
        if not (math.isfinite(length) and length > 0):
            raise ValueError("a quaternion has four finite numbers that are not all 0")
        self.quaternion = (w / length, x / length, y / length, z / length)

    @classmethod
    def about(cls, axis: Vector, angle: float) -> "Rotation":
        """Rotation about `axis` [3], of any length but 0, by `angle` (rad)."""
        n = numpy.asarray(axis, float)
        length = float(numpy.linalg.norm(n))
        if n.shape != (3,) or not length > 0:
            raise ValueError("an axis has three numbers that are not all 0")
        n = math.sin(angle / 2) / length * n
        return cls(math.cos(angle / 2), *n.tolist())

    @classmethod
    def from_vector(cls, vector: Vector) -> "Rotation":
        """Rotation about `vector` [3] by its length (rad)."""
        from . import lie
        return cls(*lie.rotation_vector_to_quaternion(vector).tolist())

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> "Rotation":
        """Rotation with the matrix [3 x 3] whose columns are the axes of the body seen from around it."""
        from . import lie
        return cls(*lie.matrix_to_quaternion(matrix).tolist())

    def matrix(self) -> Array:
        """Its matrix [3 x 3]."""
        from . import lie
        return lie.quaternion_to_matrix(self.quaternion)

    def __repr__(self) -> str:
        return "Rotation({}, {}, {}, {})".format(*self.quaternion)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rotation) and self.quaternion == other.quaternion

    def __hash__(self) -> int:
        return hash(self.quaternion)


class Marker(NamedTuple):
    """A point of a body: its name or "ground", the position in its frame (m), and axes of its own where these are given."""

    body: str
    position: Vector = (0, 0, 0)
    orientation: Optional[Rotation] = None


Value = Union[float, int, bool, str, Sequence[Any], Mapping[str, Any], Marker, Rotation, Array, Callable[..., Any], None]


def plain(value: Any) -> Any:
    """The value as numbers, texts, lists and dictionaries of JSON."""
    if isinstance(value, Marker):
        out: dict[str, Any] = {"body": value.body, "position": plain(value.position)}
        if value.orientation is not None:
            out["orientation"] = plain(value.orientation)
        return out
    if isinstance(value, Rotation):
        return {"quaternion": list(value.quaternion)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def to_json(value: Any) -> str:
    """The value as a text of JSON; ValueError where a number is not finite."""
    return json.dumps(plain(value), allow_nan=False)
