"""How values are written: for readers, and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any


def spelt(instance: Mapping[str, Any]) -> str:
    """The instance as a short text."""
    return ", ".join(f"{name}={value_text(value)}" for name, value in instance.items()) or "the subject"


def value_text(value: Any, number: Callable[[float], str] = "{:.6g}".format) -> str:
    """A value as a short text. number: how a float is written; `repr` for one that can be typed in again."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, tuple | list):
        each = (value_text(one, number) for one in value)
        alike = [(text, len(list(group))) for text, group in groupby(each)]
        parts = (", ".join([text] * count) if count < 4 else f"{count} times {text}" for text, count in alike)
        return f"({', '.join(parts)})"
    return str(value)
