"""Formulas of findings: read and never executed, shortened, given values and names; and counterexamples' numbers."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from dpbandits.reference.claims import abbreviations, formula_trees
from dpbandits.reference.claims.formula_trees import (
    MAX_FORMULA_CHARACTERS,
    MAX_FORMULA_DEPTH,
    parse_formula,
    simplify_formula,
    size,
    value,
)
from dpbandits.reports import site
from dpbandits.reports.refutations import (
    distinguishable_values,
    enclosure_text,
    formula_command,
    midpoint,
    quotient_as_float,
)


def tree_of(source: str) -> ast.expr:
    tree = parse_formula(source)
    assert tree is not None
    return tree


# -- reading -----------------------------------------------------------------------------------------------------


def test_formulas_are_read_up_to_a_length_and_a_depth() -> None:
    long = "1" * (MAX_FORMULA_CHARACTERS - 4)
    assert parse_formula(f"{long[:50]} + x".ljust(MAX_FORMULA_CHARACTERS)) is not None
    assert parse_formula(f"{long[:50]} + x".ljust(MAX_FORMULA_CHARACTERS + 1)) is None
    # A negation in a negation: the name at the bottom, and what it is loaded by, are the last two.
    deepest = next(n for n in range(200) if parse_formula("-" * n + "x") is None)
    assert deepest == MAX_FORMULA_DEPTH
    assert parse_formula("-" * (MAX_FORMULA_DEPTH - 1) + "x") is not None


@pytest.mark.parametrize(
    "source",
    ["x y", "x\n+ y", "(x +\n y)", "'text'", "1j", "True", "f(x=1)", "f.g(x)", "x[0]", "x if y else z", "lambda: 1",
     "x % 2", "x // 2", "[x]", "not x", "+x", "x != y", "é", "x and y", "f(*x)"],
)  # fmt: skip
def test_what_is_no_arithmetic_is_no_formula(source: str) -> None:
    assert parse_formula(source) is None


def test_a_number_keeps_its_text() -> None:
    tree = tree_of(" 1e-05 + 0.10")
    assert [node.kind for node in ast.walk(tree) if isinstance(node, ast.Constant)] == ["1e-05", "0.10"]


@pytest.mark.parametrize(
    ("source", "short"),
    [
        ("x * x * x", "x ** 3"),
        ("x * x", "x * x"),
        ("y * x * x * x * z", "y * x ** 3 * z"),
        ("x * x * y * x", "x * x * y * x"),  # three in a row are meant
        ("1 * x", "x"),
        ("1 * 1 * 1", "1 ** 3"),
        ("1 * x * x * x", "x ** 3"),
        ("x * 1", "x * 1"),
        ("2 * x", "2 * x"),
        ("0 + x", "x"),
        ("x + 0", "x + 0"),
        ("0 - x", "0 - x"),
        ("minimum(minimum(x, y), z)", "minimum(x, y, z)"),
        ("minimum(maximum(x, y), minimum(z, w))", "minimum(maximum(x, y), z, w)"),
        ("maximum(0 + x, maximum(1 * y, 2))", "maximum(x, y, 2)"),
        ("exp(0 + y * y * y) / (1 * z)", "exp(y ** 3) / z"),
        ("(x * x * x) * (x * x)", "x ** 3 * (x * x)"),
    ],
)
def test_formulas_are_written_shorter(source: str, short: str) -> None:
    tree = tree_of(source)
    assert ast.unparse(simplify_formula(tree)) == short
    assert ast.unparse(tree) == ast.unparse(tree_of(source))  # the original stays as it was


def test_the_size_of_a_formula_counts_its_names_numbers_and_operations() -> None:
    assert size(tree_of("x")) == 1
    assert size(tree_of("x + 2 * y")) == 5
    assert size(tree_of("exp(x)")) == 3
    assert size(tree_of("-x")) == 2


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("7 - 2 - 1", 4), ("2 * 3 + 8 / 4", 8), ("2 ** 3", 8), ("-x + 5", 2), ("x / 2", 1.5), ("pi", 3.141592653589793),
        ("exp(0) + sqrt(9) + log(1)", 4), ("ncdf(0)", 0.5), ("ncdf(1.959963984540054)", 0.975),
        ("floor(2.5) * 10 + ceil(2.5)", 23), ("minimum(3, x - 1, 7)", 2), ("maximum(1, 5, 4)", 5),
        ("1 / 0", None), ("log(-1)", None), ("y", None), ("unknown(1)", None), ("x <= 3", None), ("exp(10000)", None),
        ("x +", None), ("(-8) ** 0.5", None),
    ],
)  # fmt: skip
def test_the_value_of_a_formula_in_doubles(source: str, wanted: float | None) -> None:
    found = value(source, {"x": 3.0})
    assert found is None if wanted is None else found == pytest.approx(wanted, rel=1e-12, abs=0)


# -- names for parts ---------------------------------------------------------------------------------------------


def shaped(source: str) -> abbreviations.PartShape:
    return abbreviations.Shapes().of(tree_of(source))


def test_the_shape_of_a_part() -> None:
    """Its numbers in their order, with their signs and their own text; and how many nodes it has."""
    assert shaped("x * 0.10 + exp(-2) - 1e-5")[1:] == (("0.10", "-2", "1e-5"), 10)
    shapes = abbreviations.Shapes()
    one, other, third = (shapes.of(tree_of(each)) for each in ("x + 2 * y", "x + 3.5 * y", "x + 2 / y"))
    assert one.shape == other.shape != third.shape
    assert shapes.of(tree_of("y + 2 * x")).shape != one.shape
    assert (one.size, other.numbers) == (5, ("3.5",))


def test_which_part_saves_most() -> None:
    """So many nodes for every time that it stands there again; what is light, or stands once, saves nothing."""
    light, heavy, heavier = "exp(x + y + z)", "exp(x + y + z + w)", "exp(x + y + z + w + v)"
    assert (size(tree_of(light)), size(tree_of(heavy)), size(tree_of(heavier))) == (7, 9, 11)
    assert abbreviations.HEAVY == 8

    def found(*sources: str) -> str | None:
        part = abbreviations.heaviest([tree_of(each) for each in sources], abbreviations.Shapes())
        return None if part is None else ast.unparse(part)

    assert found(light, light, light) is None
    assert found(heavy, heavier) is None
    assert found(heavy, heavy, heavier) == heavy
    assert found(heavy, heavy, heavier, heavier) == heavier
    assert found(heavy, heavy, heavy, heavier, heavier) == heavy  # 18 against 11
    heaviest = "exp(x + y + z + w + v + u + t)"
    assert found(heavy, heavy, heavy, heaviest, heaviest) == heavy  # 18 against 15


@pytest.mark.parametrize(
    ("sources", "many"),
    [
        (["exp({} + x * y * z)"] * 3, 3),
        (["exp({} + x * y * z)"] * 2, None),  # two are too few
        (["exp(x + y + {})"] * 3, None),  # and small ones are no shorter as a function
        (["{} * log(x + y * z / w)"] * 4, None),  # multiples of one thing
    ],
)
def test_parts_that_are_alike_but_for_a_number(sources: list[str], many: int | None) -> None:
    trees = [tree_of(each.format(place + 2)) for place, each in enumerate(sources)]
    found = abbreviations.likeness(trees, abbreviations.Shapes())
    assert (found and len(found.members)) == many
    if found:
        assert sorted(found.members) == [("2",), ("3",), ("4",)]
        assert ast.unparse(found.body(["k"])) == "exp(k + x * y * z)"


def test_which_function_saves_most() -> None:
    """Four of nine nodes save three times six, three of eleven save twice eight: a call has three nodes, of which one
    is the number that stood there before."""
    some = [f"exp({k} + x + y + z)" for k in range(4)] + [f"log({k} + x + y + z + w)" for k in range(3)]
    found = abbreviations.likeness([tree_of(each) for each in some], abbreviations.Shapes())
    assert found is not None
    assert ast.unparse(found.body(["k"])) == "exp(k + x + y + z)"


def test_numbers_that_move_together_are_one_variable() -> None:
    part = "exp({0} + x * y * z + {1} * sqrt({0} + 7))"
    trees = [tree_of(part.format(k, 0.5 + k)) for k in (2, 5, 3)]
    found = abbreviations.likeness(trees, abbreviations.Shapes())
    assert found is not None
    assert dict(found.open) == {0: 0, 1: 1, 2: 0}
    assert list(abbreviations.new_variables(found, {"k", "x"})) == [
        "m",
        "y",
    ]  # a letter for whole numbers, and one for others
    assert ast.unparse(found.body(["m", "y"])) == part.format("m", "y")
    called = found.call("F", ["w"])(abbreviations.Shapes().of(trees[1]), trees[1])
    assert ast.unparse(called) == "F(5, 5.5, w)"


# -- counterexamples' numbers ------------------------------------------------------------------------------------


def test_the_middle_of_an_enclosure() -> None:
    assert midpoint(["1", "2"]) == 1.5
    assert midpoint(["-inf", "2"]) is midpoint(["1", "inf"]) is None
    assert enclosure_text(["0.12345678901", "0.12345678902"]) == "0.123457"
    assert enclosure_text(["0.00642089424459", "0.00645082627435"]) == "0.00642089 to 0.00645083"  # rounded outwards
    assert enclosure_text(["0.1", "inf"]) == "0.1 to inf"
    assert enclosure_text(["-1", "1"]) == "-1 to 1"  # a zero that is none
    assert enclosure_text(["0", "0"]) == "0"
    assert distinguishable_values(["1.00000000000001", "1.00000000000002"], ["1", "1"]) == [
        "1.00000000000001 to 1.00000000000002",
        "1",
    ]
    assert distinguishable_values(["1", "1"], ["1", "1"]) == ["1", "1"]
    assert quotient_as_float("3/4") == 0.75
    assert quotient_as_float("-1e-3") == -0.001


def formula(**other: Any) -> dict[str, Any]:
    made = {"left": "x * 2", "right": "3", "relation": "<=", "variables": {"x": "2"}}
    return made | {"left_enclosure": ["4", "4"], "right_enclosure": ["3", "3"]} | other


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, True),
        ({"relation": "<"}, True),
        ({"relation": "=="}, True),
        ({"right": "5", "right_enclosure": ["5", "5"]}, False),  # it holds
        ({"right": "5", "right_enclosure": ["5", "5"], "relation": "=="}, True),
        ({"left_enclosure": ["4.000003", "4.000003"]}, True),  # nearly what was certified
        ({"left_enclosure": ["4.00001", "4.00001"]}, False),
        ({"right_enclosure": ["3", "inf"]}, False),
        ({"right": "3.999997", "right_enclosure": ["3.999997"] * 2}, False),  # too close for a calculator
        ({"right": "3.99999", "right_enclosure": ["3.99999"] * 2}, True),
        ({"right": "y", "right_enclosure": ["3", "3"]}, False),
    ],
)
def test_a_line_for_a_calculator_shows_the_violation_or_there_is_none(changes: dict[str, Any], shown: bool) -> None:
    line = formula_command(formula(**changes))
    assert bool(line) is shown
    if not changes:
        assert line == "python3 -c 'from math import *; x = 2; print(x * 2, 3)'"


def test_a_line_that_somebody_types_has_an_end() -> None:
    """At most 900 characters."""
    sides = ["3" + " + 0 * 1000000000" * 49 + " + 0 * 1" + "0" * digits for digits in range(20)]
    lengths = [len(formula_command(formula(right=side))) for side in sides]
    shown = lengths.index(900) + 1
    assert 1 < shown < 20
    assert lengths == [*range(901 - shown, 901), *[0] * (20 - shown)]


# -- pages -------------------------------------------------------------------------------------------------------


def test_room_counts_what_takes_room() -> None:
    plain: dict[str, Any] = {"id": "12345", "parts": [{"left": "123"}], "evidence": []}
    assert site.html_size(plain) == 1800 + 2 * 5 + 7 * 3
    assert site.html_size(plain | {"id": "x^_sqrt"}) == 1800 + 2 * 7 + 70 * 3 + 7 * 3
    curves = {"kind": "profile", "claimed": [1, 2], "exact_low": [], "exact_high": [1], "resolved": [1], "points": [3]}
    lines = {"kind": "lines", "series": [{"points": [1, 2]}, {"points": [3]}]}
    regret = {"kind": "regret", "rows": [{}] * 2}
    table = {"kind": "table", "rows": [["ab", 1.5], ["x_1", ""]]}
    other = {"kind": "text", "text": "a^b"}
    assert site.html_size(plain | {"evidence": [curves]}) == site.html_size(plain) + 15_000 + 8 * 5
    assert site.html_size(plain | {"evidence": [lines]}) == site.html_size(plain) + 15_000 + 8 * 3
    assert site.html_size(plain | {"evidence": [regret]}) == site.html_size(plain) + 15_000 + 250 * 2
    assert site.html_size(plain | {"evidence": [table]}) == site.html_size(plain) + 600 + 4 * 20 + (2 + 3 + 3) + 70
    assert site.html_size(plain | {"evidence": [other]}) == site.html_size(plain) + 2500 + len(str(other)) + 70


def test_a_symbol_is_copied_with_its_own_lists() -> None:
    call = tree_of("f(x, y)")
    made = formula_trees.copied(call)
    assert isinstance(made, ast.Call)
    assert isinstance(call, ast.Call)
    made.args.pop()
    assert ast.unparse(call) == "f(x, y)"
