# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes in the making."""
from __future__ import annotations

import inspect
import json
import pathlib
from collections.abc import MutableMapping
from typing import Any, Callable, Iterator, Mapping, NoReturn, Optional, Sequence, Union

import numpy

from ._c import Handle, encode, ffi, lib, text, texts
from ._types import Types
from .errors import ArgumentError, check, fail, new_error
from .registry import PathLike, Registry, TypeInfo, registry as usual
from .scene import Scene
from .values import Marker, Rotation, Value, Vector, to_json

_LISTS = {"body": "bodies", "joint": "joints", "force": "forces"}
# Signature of a callable in place of a parameter of this kind.
_SIGNATURES = {"function": "function", "control": "function", "characteristic": "characteristic"}


class Item(MutableMapping[str, Value]):
    """An object of a draft: ``item["axis"] = (0, 1, 0)``, ``item["section"]["E"] = 2e11``, ``del item["axis"]``.

    What is read are the values as they would stand in a scene file.  SceneError where a key or value is refused.
    """

    def __init__(self, draft: "Draft", pointer: Any, path: tuple[str, ...], info: Optional[TypeInfo] = None) -> None:
        self._draft, self._pointer, self._path, self._info = draft, pointer, path, info

    @property
    def name(self) -> str:
        """Name of the element, or key of the object."""
        return self._path[-1]

    def _tree(self) -> Any:
        tree: Any = self._draft._tree()
        for key in self._path:
            if isinstance(tree, list):
                tree = next(entry for entry in tree if entry.get("name") == key)
            else:
                tree = tree.get(key, {})
        return tree

    def __getitem__(self, key: str) -> Any:
        value = self._tree()[key]
        if isinstance(value, dict):
            at = lib.torsor_item_at(self._pointer, encode(key))
            if at == ffi.NULL:
                self._draft._raise()
            return Item(self._draft, at, (*self._path, key))
        return value

    def at(self, key: str) -> "Item":
        """The object at `key`, made where it is missing."""
        pointer = lib.torsor_item_at(self._pointer, encode(key))
        if pointer == ffi.NULL:
            self._draft._raise()
        return Item(self._draft, pointer, (*self._path, key))

    def __setitem__(self, key: str, value: Value) -> None:
        if self._set(key, value):
            self._draft._raise()

    def _set(self, key: str, value: Value) -> int:
        p, word = self._pointer, encode(key)
        if isinstance(value, (bool, numpy.bool_)):
            return int(lib.torsor_set_bool(p, word, bool(value)))
        if isinstance(value, (int, float, numpy.integer, numpy.floating)):
            return int(lib.torsor_set_number(p, word, float(value)))
        if isinstance(value, str):
            return int(lib.torsor_set_text(p, word, value.encode()))
        if callable(value) and not isinstance(value, Rotation):
            return self._set_function(key, value)
        if value is None:
            return int(lib.torsor_unset(p, word))
        try:
            return int(lib.torsor_set_json(p, word, to_json(value).encode()))
        except ValueError as error:
            raise ArgumentError(f"{'.'.join(self._path)}.{key}: {error}", parameter=key) from None

    def _set_function(self, key: str, function: Callable[..., Any]) -> int:
        """Bind a function by a name made of item and key; controls get it as a named function of the scene."""
        parameter = self._info.parameters.get(key) if self._info else None
        signature: Any = "function"
        if parameter is not None:
            signature = parameter.choices[0] if parameter.kind == "callback" else _SIGNATURES.get(parameter.kind)
            if signature is None:
                raise TypeError(f'"{key}" is a {parameter.kind}: a function of Python cannot stand for it')
        name = self._draft._registry._bind_new(f"{self.name}_{key}", function, signature)
        if parameter is None or parameter.kind != "control":
            return int(lib.torsor_set_callback(self._pointer, encode(key), encode(name)))
        self._draft._top("functions")[name] = {"callback": name}
        return int(lib.torsor_set_text(self._pointer, encode(key), encode(name)))

    def __delitem__(self, key: str) -> None:
        if key not in self._tree():
            raise KeyError(key)
        check(lib.torsor_unset(self._pointer, encode(key)), new_error())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree())

    def __len__(self) -> int:
        return len(self._tree())

    def __repr__(self) -> str:
        return f"<torsor.Item {'.'.join(self._path)}>"


class Draft(Types):
    """A scene in the making: elements and settings are added, changed, and checked at once as far as they stand alone.

    Each element type is a method: ``d.revolute("hinge", a="ground", b="arm", axis=(0, 1, 0))``.  ``gravity`` in m/s^2.
    """

    def __init__(self, *, gravity: Vector = (0, 0, 0), title: str = "", registry: Registry = usual) -> None:
        out, error = ffi.new("torsor_draft **"), new_error()
        check(lib.torsor_draft_create(out, registry._handle.pointer, error), error)
        self._begin(out[0], registry)
        if any(gravity):
            self._top("scene")["gravity"] = gravity
        if title:
            self._top("scene")["title"] = title

    def _begin(self, pointer: Any, registry: Registry) -> None:
        self._handle = Handle(pointer, lib.torsor_draft_destroy, registry._handle)
        self._registry, self._infos = registry, registry.types

    @classmethod
    def _open(cls, scene: Scene) -> "Draft":
        out, error = ffi.new("torsor_draft **"), new_error()
        check(lib.torsor_draft_open(out, scene._handle.pointer, error), error)
        draft = cls.__new__(cls)
        draft._begin(out[0], scene._registry)
        return draft

    def _raise(self) -> NoReturn:
        """Raise the first error of the draft, which is then forgotten."""
        p = self._handle.pointer
        error, found = new_error(), lib.torsor_draft_error(p)
        if found == ffi.NULL:
            raise ArgumentError("the item stands for a value that was replaced or removed")
        ffi.memmove(error, found, ffi.sizeof("torsor_error"))
        lib.torsor_draft_clear_error(p)
        fail(error.status, error)

    def _tree(self) -> Any:
        return json.loads(self.to_json())

    def _top(self, key: str) -> Item:
        pointer = lib.torsor_draft_item(self._handle.pointer, encode(key))
        if pointer == ffi.NULL:
            self._raise()
        return Item(self, pointer, () if key == "scene" else (key,))

    # ---- elements

    def add(self, type: str, name: str, /, **parameters: Value) -> Item:
        """Add a body, joint or force; ``torsor.registry.types[type]`` describes its parameters.

        A function of Python can stand for a function of time or a characteristic.  SceneError.
        """
        pointer = lib.torsor_element_new(self._handle.pointer, encode(type), encode(name))
        if pointer == ffi.NULL:
            self._raise()
        if type not in self._infos:
            self._infos = self._registry.types
        info = self._infos[type]
        item = Item(self, pointer, (_LISTS[info.kind], name), info)
        for key, value in parameters.items():
            if value is not None:
                item[key] = value
        return item

    def __getattr__(self, type: str) -> Callable[..., Item]:
        if type.startswith("_") or type not in self._registry.types:
            raise AttributeError(type)
        return adder(self, self._registry.types[type])

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._registry.types})

    def __getitem__(self, name: str) -> Item:
        """The element of that name.  KeyError."""
        pointer = lib.torsor_draft_find(self._handle.pointer, encode(name))
        if pointer == ffi.NULL:
            lib.torsor_draft_clear_error(self._handle.pointer)
            raise KeyError(name)
        tree = self._tree()
        for key in _LISTS.values():
            for entry in tree.get(key, []):
                if entry.get("name") == name:
                    return Item(self, pointer, (key, name), self._registry.types.get(entry["type"]))
        raise KeyError(name)

    # ---- everything else

    def section(self, name: str, /, **values: Value) -> Item:
        """A section of beams or shells under a name."""
        item = self._top("sections").at(name)
        for key, value in values.items():
            item[key] = value
        return item

    def function(self, name: str, value: Value) -> None:
        """A function of time under a name: a number, an expression, an object, or a function of Python."""
        item = self._top("functions")
        if callable(value):
            item[name] = {"callback": self._registry._bind_new(name, value, "function")}
        else:
            item[name] = value

    def input(self, name: str, value: float = 0, unit: str = "", doc: str = "", *, min: Optional[float] = None,
              max: Optional[float] = None) -> None:
        """An input, which `Run.inputs` changes, within `min` and `max`."""
        given = {"unit": unit or None, "doc": doc or None, "min": min, "max": max}
        entry: dict[str, Any] = {"value": value, **{key: word for key, word in given.items() if word is not None}}
        self._top("inputs")[name] = entry

    def parameter(self, name: str, value: Union[float, str]) -> None:
        """A named number, or an expression of others."""
        self._top("parameters")[name] = value

    def _append(self, key: str, entry: Mapping[str, Any]) -> None:
        self._top("scene")[key] = [*self._tree().get(key, []), entry]

    def controller(self, name: str, function: Callable[[float, Any], Any], *, period: float, reads: Sequence[str] = (),
                   writes: Sequence[str] = (), offset: float = 0,
                   state: "Optional[numpy.ndarray[Any, numpy.dtype[numpy.float64]]]" = None) -> None:
        """A sampled controller: at `offset` + n `period` (s) ``function(t, read)`` gives values of the inputs `writes` from those of
        the signals `reads`.  ``state``: see `Registry.bind`."""
        bound = self._registry._bind_new(name, function, "controller", state, (len(reads), len(writes)))
        entry = {"name": name, "callback": bound, "period": period, "reads": list(reads), "writes": list(writes)}
        self._append("controllers", {**entry, **({"offset": offset} if offset else {})})

    def event(self, name: str, when: str, *, action: Any = "log", direction: str = "both") -> None:
        """An event: `when`, an expression of signals, changes its sign.  ``action``: "log", "stop" or {"on": [..], "off": [..]}."""
        self._append("events", {"name": name, "when": when, "action": action, "direction": direction})

    def simulation(self, **settings: Value) -> None:
        """Settings of the simulation: step (s), duration (s), method, accuracy, ..."""
        item = self._top("simulation")
        for key, value in settings.items():
            item[key] = value

    def output(self, *signals: str, every: Optional[int] = None, step: Optional[float] = None) -> None:
        """The signals of the rows, every so many steps or at multiples of `step` (s)."""
        item = self._top("output")
        if signals:
            array, kept = texts(signals)
            if lib.torsor_set_texts(item._pointer, b"signals", array, len(kept)):
                self._raise()
        for key, value in (("every", every), ("step", step)):
            if value is not None:
                item[key] = value

    def scene(self) -> Scene:
        """Check everything, and make a scene that does not depend on the draft any more.  SceneError."""
        out, error = ffi.new("torsor_scene **"), new_error()
        check(lib.torsor_draft_scene(out, self._handle.pointer, error), error)
        return Scene(out[0], self._registry)

    def to_json(self, indent: Optional[int] = 2) -> str:
        """The text of a scene file, whether or not it is complete.  Functions of Python are in it by their names."""
        out, error = ffi.new("char **"), new_error()
        check(lib.torsor_draft_text(out, self._handle.pointer, error), error)
        try:
            written = text(out[0])
        finally:
            lib.torsor_text_free(out[0])
        return written if indent is not None else json.dumps(json.loads(written))

    def save(self, file: PathLike) -> None:
        """Write it to a scene file."""
        pathlib.Path(file).write_text(self.to_json())


def adder(draft: Draft, info: TypeInfo) -> Callable[..., Item]:
    """The method that adds elements of a type."""
    def add(name: str, /, **parameters: Value) -> Item:
        return draft.add(info.name, name, **parameters)
    add.__name__ = add.__qualname__ = info.name
    lines = [f"    {p.key}: {p.kind}{f', {p.unit}' if p.unit else ''}: {p.doc}" for p in info.parameters.values()]
    add.__doc__ = "\n".join([info.title[:1].upper() + info.title[1:] + ".", "", info.doc, "", "Parameters:", *lines])
    add.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter("name", inspect.Parameter.POSITIONAL_ONLY),
        *(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in info.parameters)])
    return add
