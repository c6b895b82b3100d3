"""The picture of where a refuted formula breaks: the variable that shows it, the stretch that fails, and nothing that
the ranges or the preconditions exclude."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpbandits.reference.claims.findings import Side, VariableRange
from dpbandits.reports.crossings import crossing, most_informative_sides, stretches


def made(left: str, right: str, relation: str = "<=", given: tuple[Any, ...] = (), **variables: str) -> dict[str, Any]:
    return {
        "type": "formula",
        "left": left,
        "right": right,
        "relation": relation,
        "within": "0",
        "given": [list(pair) for pair in given],
        "variables": variables,
    }


def failing(certificate: dict[str, Any], *ranges: VariableRange) -> list[tuple[float, float]]:
    sides = most_informative_sides(certificate, ranges)
    assert sides is not None
    return [(float(sides.points[first]), float(sides.points[last])) for first, last in stretches(sides)]


def test_the_shade_ends_where_the_formula_holds_again() -> None:
    ((low, high),) = failing(made("x * x", "x", x="1.5"), VariableRange("x", 0, 2))
    assert 1 < low < 1.02
    assert 1.98 < high <= 2
    first, second = failing(made("x * (1 - x) * (x - 2) * (x - 3)", "0", x="0.6"), VariableRange("x", 0, 4))
    assert 0 < first[0] < 0.03
    assert 0.96 < first[1] < 1
    assert 2 < second[0] < 2.04
    assert 2.96 < second[1] < 3


def test_of_several_variables_the_one_that_breaks_it_is_drawn() -> None:
    """Along a the formula fails everywhere, along b it holds for the larger half, c is in no side."""
    sides = most_informative_sides(
        made("a + 1", "a + b", a="3", b="0.5", c="1"),
        [VariableRange("a", 0, 9), VariableRange("c", 0, 1), VariableRange("b", 0, 2)],
    )
    assert sides is not None
    assert sides.name == "b"
    picture = crossing(
        made("a + 1", "a + b", a="3", b="0.5"), [VariableRange("a", 0, 9), VariableRange("b", 0, 2)], "figure-1"
    )
    assert picture is not None
    assert picture.words.startswith("Both sides against b, at a = 3. The formula fails from ")
    assert [each.name for each in picture.columns] == [
        "b",
        "claimed to be at most the other",
        "claimed to be at least the other",
        "holds",
    ]
    assert {each.side for each in picture.columns} == {Side.EXACT}, "values of doubles are no bounds"
    assert picture.svg.count("var(--certified)") >= 3  # the shade, the dots and the line between them
    assert all(f"var(--{side})" in picture.svg for side in ("exact", "claimed")), "both sides are drawn"


def test_whole_numbers_choices_and_preconditions_are_kept() -> None:
    assert failing(made("1 / n", "0.3", n="2"), VariableRange("n", 1, 9, whole=True)) == [(1, 3)]
    assert failing(made("x", "2", x="10"), VariableRange("x", values=(1, 2, 10, 50))) == [(10, 50)]
    assert failing(made("n", "5", n="7", given=(("n", "8"),)), VariableRange("n", 1, 20, whole=True)) == [(6, 8)]
    sides = most_informative_sides(made("n", "5", n="7", given=(("n", "8"),)), [VariableRange("n", 1, 20, whole=True)])
    assert sides is not None
    assert sides.points.tolist() == list(range(1, 9))
    large = most_informative_sides(made("n", "50", n="1000"), [VariableRange("n", 1, 1e08, whole=True)])
    assert large is not None
    assert large.log
    assert (large.points == large.points.round()).all()


def test_the_counterexample_is_among_the_points_and_fails() -> None:
    for relation, right in (("<=", "0.2"), ("<", "0.3"), ("==", "0.2")):
        sides = most_informative_sides(made("x", right, relation, x="0.3"), [VariableRange("x", 0, 1)])
        assert sides is not None
        assert sides.broken[np.flatnonzero(sides.points == 0.3)].all()
    same = most_informative_sides(made("x + 0.1 - 0.1", "x", "==", x="0.3"), [VariableRange("x", 0, 1)])
    assert same is not None
    assert not same.broken.any()


def test_what_has_no_value_or_runs_away_is_left_out() -> None:
    sides = most_informative_sides(made("1 / log(x)", "1", x="2"), [VariableRange("x", 0, 5)])
    assert sides is not None
    assert np.isfinite(sides.left).all()
    huge = most_informative_sides(made("exp(x * x)", "1", x="1"), [VariableRange("x", 0)])
    assert huge is not None
    assert huge.left.max() <= 1e4 * np.e


@pytest.mark.parametrize(
    "certificate",
    [made("2", "1"), made("x", "1", y="2"), made("x ;", "1", x="2"), made("x", "1", x="two"), {"type": "step"}, {}],
)
def test_what_cannot_be_drawn_has_no_picture(certificate: dict[str, Any]) -> None:
    assert crossing(certificate, [VariableRange("x", 0, 1)], "figure-1") is None
