"""Equalities of products of powers: each that is told is one, and its neighbours are not."""

from __future__ import annotations

from typing import Any

import pytest

from dpbandits.proofs_checks.algebra.powers import equal_powers
from dpbandits.reference.ledger import Real, Whole

OVER = {"x": Real(0, 9), "y": Real(0, 9), "n": Whole(1)}

EQUAL: dict[str, tuple[Any, Any]] = {
    "square": (lambda m, x: x**2, lambda m, x: x * x),
    "cube of a sum": (lambda m, x: (x + 1) ** 3, lambda m, x: x * x * x + 3 * x * x + 3 * x + 1),
    "power of an exponential": (lambda m, x: m.exp(x) ** 3, lambda m, x: m.exp(3 * x)),
    "power of a root": (lambda m, x: m.sqrt(x) ** 4, lambda m, x: x * x),
    "product under a root": (lambda m, x, y: m.sqrt(x * y), lambda m, x, y: m.sqrt(x) * m.sqrt(y)),
    "exponentials": (lambda m, x, y: m.exp(x) / m.exp(y), lambda m, x, y: m.exp(x - y)),
    "a quotient turned round": (lambda m, x: 2 / m.exp(x), lambda m, x: m.exp(-x) * 2),
    "a quotient of sums": (lambda m, x: 1 / (1 / x - 1), lambda m, x: x / (1 - x)),
    "logarithm": (lambda m, x, y: m.log(x**2 * y), lambda m, x, y: 2 * m.log(x) + m.log(y)),
    "logarithm of a sum": (lambda m, x: m.log(2 + x - 1), lambda m, x: m.log(1 + x)),
    "exponential of a logarithm": (lambda m, n: m.exp(m.log(n) / 2), lambda m, n: m.sqrt(n)),
    "difference": (lambda m, x: 3 - (x - 1), lambda m, x: -x + 4),
}
OTHER: dict[str, tuple[Any, Any]] = {
    "a power and its exponent": (lambda m, x: x**2, lambda m, x: m.number(2)),
    "an exponential's power and its exponent": (lambda m, x: m.exp(x) ** 2, lambda m, x: m.number(2)),
    "square and cube": (lambda m, x: x**2, lambda m, x: x**3),
    "root and square": (lambda m, x: m.sqrt(x), lambda m, x: x * x),
    "root and number": (lambda m, x: m.sqrt(x), lambda m, x: x),
    "exponentials": (lambda m, x, y: m.exp(x) / m.exp(y), lambda m, x, y: m.exp(x + y)),
    "product and quotient": (lambda m, x, y: m.sqrt(x) * m.sqrt(y), lambda m, x, y: m.sqrt(x) / m.sqrt(y)),
    "sign": (lambda m, x: 3 - x, lambda m, x: x - 3),
    "a sum of powers": (lambda m, x: m.exp(x) + 1, lambda m, x: m.exp(x) + 1),  # true, and beyond this algebra
    "the log of a factor that may be negative": (
        lambda m, x: m.log((x - 1) * (x - 1)), lambda m, x: 2 * m.log(x - 1),
    ),
}  # fmt: skip


def same(pair: tuple[Any, Any]) -> bool:
    names = pair[0].__code__.co_varnames[1:]
    return equal_powers(*pair, {name: OVER[name] for name in names})


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_told(name: str) -> None:
    assert same(EQUAL[name])


@pytest.mark.parametrize("name", OTHER)
def test_what_is_not_is_never_told(name: str) -> None:
    assert not same(OTHER[name])
