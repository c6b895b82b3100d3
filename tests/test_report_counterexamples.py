"""Counterexamples of noisy maxima, as a page tells them and as a line for a calculator; and what a matrix says."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from scipy.special import ndtr

from dpbandits import Finding, Verdict
from dpbandits.proofs_checks.formulas.certificates import step_certificate
from dpbandits.proofs_checks.formulas.reductions import add_evidence
from dpbandits.reference.claims.formula_trees import Runs
from dpbandits.reference.claims.model import Claim, Inequality, Real, Source
from dpbandits.reports.figures import matrix
from dpbandits.reports.glossary import read_as
from dpbandits.reports.refutations import (
    Counterexample,
    counted_values,
    counterexample,
    floats,
    quotient_as_float,
    require_number_text,
)
from dpbandits.reports.words import DASH, format_number

LEFT, RIGHT, SCALES = ["1.5", "0.25"], ["0.5", "0.25"], ["0.75", "1"]  # leads of 1.25 and 0.25, deviation 1.25


def step(**changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "claim": "test/claim", "noise": "gaussian", "scales": SCALES, "left": LEFT, "right": RIGHT,
        "sensitivities": ["1", "1"], "event": [0], "eps": "log(1 / share)", "delta": "0.0625",
        "variables": {"share": "9/10"},
    }  # fmt: skip
    return step_certificate(**given | changes)


def told(certificate: dict[str, Any]) -> Counterexample:
    found = counterexample(certificate)
    assert found is not None
    return found


def test_a_noisy_maximum_is_told_with_its_inputs_and_both_chances() -> None:
    found = told(step())
    left, right = float(ndtr(1.0)), float(ndtr(0.2)) / 0.9 + 0.0625
    assert [value for _, value in found.point] == [
        "(1.5, 0.25) or, for a neighbour, (0.5, 0.25)", "(0.75, 1)", "query 0 wins (counted from 0)",
        format_number(-math.log(0.9), 7), "0.0625",
    ]  # fmt: skip
    assert [name for name, _ in found.point] == ["answers", "gaussian noise of standard deviations", "event", "ε", "δ"]
    assert found.words == f"So the claim says {found.left_value} ≤ {found.right_value}, which is false."
    assert (found.left_value, found.right_value) == (format_number(left, 6), format_number(right, 6))
    assert told(step(noise="laplace", eps="0")).point[1][0] == "laplace noise of scales"


def test_the_line_of_a_noisy_maximum_computes_both_chances() -> None:
    command = told(step()).command
    space: dict[str, Any] = {}
    exec(command.removeprefix("python3 -c '").removesuffix("'").replace("print(", "found = ("), space)
    assert space["found"] == pytest.approx((ndtr(1.0), ndtr(0.2) / 0.9 + 0.0625), rel=1e-12, abs=0)
    assert "ncdf = lambda" in command
    assert "maximum" not in command


@pytest.mark.parametrize(
    "changes",
    [
        {"noise": "laplace", "eps": "0"},
        {"event": [1], "left": ["0.5", "1.25"], "right": ["0.5", "0.25"]},
        {"left": [*LEFT, "-50"], "right": [*RIGHT, "-50"], "scales": [*SCALES, "1"], "sensitivities": ["1"] * 3},
    ],
)
def test_other_noise_other_winners_and_more_queries_have_no_line(changes: dict[str, Any]) -> None:
    found = told(step(**changes))
    assert float(found.left_value.partition(" ")[0]) > 0.5
    assert found.command == ""


def test_a_line_agrees_with_what_was_certified_to_a_millionth() -> None:
    made = step()
    for side, (low, high) in (("left", made["left_probability"]), ("right", made["right_probability"])):
        for share, fine in ((1 + 5e-7, True), (1 - 5e-7, True), (1 + 3e-6, False), (1 - 3e-6, False)):
            ends = [str(float(end) * share) for end in (low, high)]
            assert bool(told(made | {f"{side}_probability": ends}).command) == fine


def test_a_noisy_maximum_that_doubles_do_not_show_is_not_told() -> None:
    """Nor one with an eps or a chance that is no number; a violation is one of the stored ends that are apart."""
    made = step()
    assert counterexample(made | {"eps": "1"}) is None
    assert counterexample(made | {"delta": "1 / (share - share)"}) is None
    assert counterexample(made | {"left_probability": ["0.5", "inf"]}) is None
    assert counterexample(made | {"right_probability": ["-inf", "0.5"]}) is None
    even = made | {"eps": "0", "delta": "0.25", "variables": {}, "right_probability": ["0.4", "0.5"]}
    for low, is_told in (("0.75", False), ("0.7500001", True), ("0.7499999", False)):
        assert (counterexample(even | {"left_probability": [low, "0.9"]}) is not None) == is_told
    assert counterexample({"type": "run"}) is None
    assert counterexample({}) is None


@pytest.mark.parametrize("name", ["x.y", "1x", "exp", "ncdf", "", "é", "x y", "_x", "_"])
def test_what_is_no_variable_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no variable"):
        floats({"x": "1", name: "2"})
    assert floats({"x": "1/4", "y_2": "-2e1"}) == {"x": 0.25, "y_2": -20.0}


@pytest.mark.parametrize("text", ["1.", ".5", "1e", "1/-2", "+1", "1 ", "0x1", "inf", "1/2/3", "", "١"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no number"):
        require_number_text(text)
    for fine in ("-1.50", "2e-3", "1E+5", "-7/3", 4):
        assert require_number_text(fine) == str(fine)
    assert quotient_as_float("7") == 7


@pytest.mark.parametrize(("count", "said"), [(3, "0, 0, 0, 1"), (4, "4 times 0, 1")])
def test_more_than_three_of_the_same_are_counted(count: int, said: str) -> None:
    assert counted_values([0] * count + [1]) == said


# -- matrices, products, readings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ("F(1) * F(2) * F(3)", "F(1) * F(2) * F(3)"),  # too few
        ("F(1) * F(2) * F(3) * F(4)", "product(k, 1, 4, F(k))"),
        ("x * F(2) * F(3) * F(4) * F(5) * F(6) * y", "x * product(k, 2, 6, F(k)) * y"),
        ("F(2) * F(3) * F(4) * F(5) * F(7) * F(8)", "product(k, 2, 5, F(k)) * F(7) * F(8)"),
        ("F(9) * F(1) * F(2) * F(3) * F(4)", "F(9) * product(k, 1, 4, F(k))"),
        ("F(4) * F(3) * F(2) * F(1)", "F(4) * F(3) * F(2) * F(1)"),
        ("G(1) * G(2) * G(3) * G(4)", "G(1) * G(2) * G(3) * G(4)"),
        ("F(1) * F(2) * F(3) * F(4) * F(1) * F(2) * F(3) * F(4)", "product(k, 1, 4, F(k)) * product(k, 1, 4, F(k))"),
        ("1 + F(1) * F(2) * F(3) * F(4)", "1 + product(k, 1, 4, F(k))"),
        ("F(1) + F(2) + F(3) + F(4)", "F(1) + F(2) + F(3) + F(4)"),
    ],
)
def test_so_many_values_of_a_function_in_a_row_are_a_product(source: str, made: str) -> None:
    tree = ast.parse(source, mode="eval").body
    assert ast.unparse(Runs("F", "k").visit(tree)) == made


def test_how_a_statement_is_read() -> None:
    for reading, scope, said in (
        ("printed", "", "as printed"), ("ours", "", "as a statement of ours"), ("repaired", "", "repaired"),
        ("to the letter", "one table", "to the letter: one table"), ("printed", "K = 2", "as printed: K = 2"),
    ):  # fmt: skip
        assert read_as({"reading": reading, "scope": scope}) == said


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (None, 4, DASH), (True, 4, "yes"), (False, 4, "no"), ("word", 4, "word"), (0.0, 4, "0"), (7, 4, "7"),
        (0.0001, 4, "0.0001"), (0.00012345, 3, "0.000123"), (123456.0, 4, "123\u202f456"), (0.99996, 4, "1"),
        (1e6, 4, "10⁶"), (1.5e6, 4, "1.5\u202f×\u202f10⁶"), (2.5e-5, 4, "2.5\u202f×\u202f10⁻⁵"),
        (-1e-5, 4, "\N{MINUS SIGN}10⁻⁵"), (1234567.0, 7, "1\u202f234\u202f567"), (-1234.0, 4, "\N{MINUS SIGN}1234"),
        (12345, 4, "12\u202f345"), (999999.6, 6, "10⁶"), (1.0, 1, "1"),
    ],
)  # fmt: skip
def test_a_number_for_a_reader(value: Any, digits: int, said: str) -> None:
    assert format_number(value, digits) == said


def test_evidence_stands_behind_what_a_lemma_has_found() -> None:
    claim = Claim(
        "test/claim", Source("test", "here", "so"), Inequality(lambda m, x: x, lambda m, x: x + 1, {"x": Real(0, 1)}),
        Verdict.PROVED,
    )  # fmt: skip
    asked: list[Any] = []

    def lemma(*given: Any) -> Finding:
        asked.append(given)
        return Finding(claim.id, Verdict.ARGUED, "because", ({"kind": "first"},))

    found = add_evidence(lambda about: ({"kind": about.id}, {"kind": "last"}), lemma)(claim, None, 7)  # type: ignore[arg-type]
    assert [item["kind"] for item in found.evidence] == ["first", "test/claim", "last"]
    assert (found.verdict, asked) == (Verdict.ARGUED, [(claim, None, 7)])


def test_a_matrix_says_where_which_column_fails() -> None:
    item = {
        "of": "claim",
        "names": ["a", "b", "c"],
        "columns": ["x", "y"],
        "cells": [["", "T = 3"], ["", ""], ["1", "2"]],
    }
    found = matrix(item, "name")
    assert found.words == "1: x; 2: y. In these rows all holds: b."
    assert [each.name for each in found.columns] == ["claim", "fails", "at"]
    assert found.rows == (("a", "2: y", "T = 3"), ("c", "1: x", "1"), ("c", "2: y", "2"))
    fails = matrix(item | {"cells": [["1", ""]] * 3}, "name")
    assert fails.words == "1: x; 2: y. In no row does all hold."
    holds = matrix(item | {"cells": [["", ""]] * 3}, "name")
    assert holds.words.endswith("all holds: a; b; c.")
    assert (holds.columns, holds.rows) == ((), ())
    for empty in ("names", "columns"):
        assert matrix(item | {empty: [], "cells": []}, "name").words == "The matrix is empty."
