"""Findings as JSON data and back, by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from dpbandits.reference.claims.findings import Found

Made = TypeVar("Made")


def as_data(node: Any) -> Any:
    """Converts a dataclass and its contents to dictionaries, lists, texts and numbers, as JSON stores them."""
    if is_dataclass(node) and not isinstance(node, type):
        return {each.name: as_data(getattr(node, each.name)) for each in fields(node)}
    if isinstance(node, Enum):
        return node.value
    if isinstance(node, Mapping):
        return {name: as_data(part) for name, part in node.items()}
    return [as_data(part) for part in node] if isinstance(node, list | tuple) else node


def from_data(wanted: type[Made], data: Any) -> Made:
    """The dataclass of type `wanted` from which `as_data` made this data."""
    return decoded(wanted, data)  # type: ignore[no-any-return]


def found_in(entry: Mapping[str, Any]) -> Found | None:
    """Reads the data of a finding from an entry of a findings document; None if the entry contains only words."""
    return decoded(Found | None, entry.get("found"))  # type: ignore[no-any-return]


def decoded(wanted: Any, data: Any) -> Any:
    """The data, as JSON stores it, converted to a value of the type `wanted`."""
    origin, inner = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return None if data is None and NoneType in inner else decoded(one_of(inner, data), data)
    if origin is tuple:
        return tuple(decoded(inner[0], part) for part in data)
    if isinstance(wanted, type) and is_dataclass(wanted):
        if unknown := set(data) - set(hints(wanted)):
            raise KeyError(f"{wanted.__name__} has no field {', '.join(sorted(unknown))}")
        return wanted(**{name: decoded(hint, data[name]) for name, hint in hints(wanted).items()})
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return wanted(data)
    return tuple(decoded(wanted, part) for part in data) if isinstance(data, list) else data


def one_of(types: tuple[Any, ...], data: Any) -> Any:
    """The type, among `types`, of the data: determined by the field `kind`, or the only type that is not None."""
    some = [each for each in types if each is not NoneType]
    kinds: dict[str, Any] = {getattr(each, "kind", ""): each for each in some}
    return kinds[data["kind"]] if len(some) > 1 and is_dataclass(some[0]) else some[0]


@cache
def hints(wanted: type) -> dict[str, Any]:
    """The types of a dataclass's fields, {name of a field: type}."""
    every = get_type_hints(wanted)
    return {each.name: every[each.name] for each in fields(wanted)}
