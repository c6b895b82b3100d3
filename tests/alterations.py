"""Every single alteration of a certificate, or of other JSON, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

WORDS = ["laplace", "normal", "uniform", "exponential", "gumbel", "geometric", "reward", "unknown", "two-valued"]
OTHER_WORDS = ["release", "end", "alignment", "alignment-states", "finite", "linear", "ucb", "thompson", "user", "arms"]
NOT_NUMBERS = ("1/0", "0/0", "nan", "inf", "-inf", "", "1e99999", "1e-400", "x", " 1", "١")


def alterations(node: Any) -> Iterator[Any]:
    """Other contents of one place: numbers with the other sign, off by one, a little larger or smaller, or none at
    all; lists with an entry less, twice, or at the place of its neighbour; other types."""
    match node:
        case bool():
            yield from (not node, 0, "true")
        case int():
            yield from (node + 1, node - 1, -node, node + 10**6, str(node), True, None, 10**12)
        case str() if node in ("inf", "-inf"):
            yield from ("0", "1", "-1", "inf" if node == "-inf" else "-inf", *NOT_NUMBERS)
        case str() if readable(node):
            own = Fraction(node)
            changes = (-own, own + 1, own - 1, own / 2, 2 * own, own + Fraction(1, 10**9), own - Fraction(1, 10**9))
            yield from (*map(str, changes), *NOT_NUMBERS, 0, None, [node])
        case str():
            yield from (node[:-1], node.upper(), *WORDS, *OTHER_WORDS, 0, None)
        case list():
            for place in range(len(node)):
                yield [*node[:place], *node[place + 1 :]]
                yield [*node[: place + 1], *node[place:]]
                if place:
                    yield [*node[: place - 1], node[place], node[place - 1], *node[place + 1 :]]
            yield from ([], None, "0", [*node, 0], [*node, None], [*node, "1"])
        case dict():
            yield from ({name: part for name, part in node.items() if name != left} for left in node)
            yield from ({**node, "more": 0}, [], None)
        case None:
            yield from (0, -1, 1, "null")


def readable(text: str) -> bool:
    try:
        return isinstance(Fraction(text), Fraction)
    except (ValueError, ZeroDivisionError):
        return False


def altered(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every place of a certificate, each with all of its alterations."""
    for change in alterations(node):
        if change != node or type(change) is not type(node):
            yield path, change
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield from altered(node[key], f"{path}/{key}" if path else str(key))


def alterations_by_field(certificate: dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
    """All alterations, by the field that they alter: its path without the places in lists."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for path, change in altered(certificate):
        found.setdefault("/".join(key for key in path.split("/") if not key.isdigit()), []).append((path, change))
    return found
