"""Long formulas on a line: names for their sides and for repeated parts, which stand for what the formula contains."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import Any

import pytest

from dpbandits.audit.claims.formula_lines import MAX_PLAIN_CHARACTERS, shortened, texts_in_line
from dpbandits.audit.claims.statements import parts_in_line, statement_parts
from dpbandits.reference.claims.formula_trees import FUNCTIONS
from dpbandits.reference.claims.ledger import ledger

POINT = {"": 0.37, "t": 3.3, "T": 41.0, "delta": 0.05, "lam": 2.5, "N": 5.0, "b": 2.0, "c": 1.5, "n": 4.0}


def comparison(left: str, sign: str, right: str, kind: str = "formula") -> dict[str, str]:
    return {"kind": kind, "left": left, "sign": sign, "right": right}


def value(source: str, defined: list[str]) -> float:
    """The value of a text at POINT, with these definitions of names and functions."""
    known: dict[str, Any] = {**FUNCTIONS, "pi": math.pi}
    for name in set(re.findall(r"[A-Za-z_]\w*", " ".join([source, *defined]))) - set(known):
        known[name] = POINT.get(name, POINT[""])
    for definition in reversed(defined * len(defined)):  # as often as one may need another
        head, _, body = definition.partition(" = ")
        name, _, variables = head.partition("(")
        with suppress(ValueError, ArithmeticError, TypeError):  # needs another, which is not yet known
            known[name] = eval(f"lambda {variables.rstrip(')')}: {body}" if variables else body, known)
    return float(eval(source, known))


def test_a_short_formula_is_unchanged() -> None:
    assert shortened([comparison("x", "<=", "sqrt(x) + 0 + 1 * x")]) == (["x <= sqrt(x) + 0 + 1 * x"], [])
    assert shortened([comparison("f(n) ! 1", "<=", "x" * 90)]) == ([f"f(n) ! 1 <= {'x' * 90}"], [])


def test_long_sides_and_repeated_parts_have_names() -> None:
    long = " + ".join(f"exp(x / {k})" for k in range(2, 9))
    assert shortened([comparison(long, "<=", "delta")]) == (["left <= delta"], [f"left = {long}"])
    assert shortened([comparison("eps", "=", long)]) == ([f"eps = {long}"], [])  # a definition, whose side has a name
    assert shortened([comparison(long, "<=", "left")]) == ([f"{long} <= left"], [])  # a variable has the name
    part = "sqrt(log(1 / (2 * delta)))"
    (line,), defined = shortened([comparison(f"{part} / 2 + {part} * exp({part} - eps)", "<=", f"1 + {part} * eps**2")])
    assert (line, defined) == ("A / 2 + A * exp(A - eps) <= 1 + A * eps**2", [f"A = {part}"])


def test_conditions_share_the_letters_and_keep_their_sides() -> None:
    part = "log(4 * K * t * t / beta)"
    parts = [
        comparison(f"{part} / (2 * {part} + 1)", "<=", f"{part} * exp({part}) / beta"),
        {"kind": "range", "text": "t >= 1"},
        comparison("1", "<=", f"{part} * K", "where"),
        comparison("t", "<=", "K", "where"),
    ]
    assert parts_in_line(parts) == (
        f"A / (2 * A + 1) <= A * exp(A) / beta with A = {part}, for t >= 1, where 1 <= A * K and t <= K"
    )


def test_a_product_of_many_factors_has_one_sign() -> None:
    factors = " * ".join(f"ncdf(-1 / sqrt(1 + 1 / {k}))" for k in range(1, 30))
    assert shortened([comparison(f"1 * {factors}", "<=", "x")])[0] == [
        "product(ncdf(-1 / sqrt(1 + 1 / k)) for k = 1 to 29) <= x"
    ]


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.thorough)])
def test_names_stand_for_what_the_ledgers_formulas_contain(step: int) -> None:
    seen = outside = 0
    for claim in ledger().claims[::step]:
        for part in (part for part in statement_parts(claim) if part["kind"] == "formula"):
            (line,), defined = shortened([part])
            if not defined or "product(" in line + " ".join(defined):
                continue
            left, right = line.split(f" {part['sign']} ")
            for source, short in ((part["left"], left), (part["right"], right)):
                try:
                    wanted = value(source, [])
                except (ValueError, ArithmeticError, TypeError):  # POINT is outside of its domain
                    outside += 1
                    continue
                assert math.isnan(wanted) or math.isclose(value(short, defined), wanted, rel_tol=1e-9), claim.id
                seen += 1
    assert seen > 9 * outside  # most are evaluated


def test_no_side_in_a_line_of_the_ledger_is_long_without_a_name() -> None:
    lengths = [
        len(said)
        for claim in ledger().claims
        for kind, said in texts_in_line(statement_parts(claim))
        if kind == "formula"
    ]
    assert len(lengths) > len(ledger().claims) / 2
    assert max(lengths) <= MAX_PLAIN_CHARACTERS + len(" <= ")
