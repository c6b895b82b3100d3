"""What is said about a formula: the verdict follows from all runs together, and every number in it is the right one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from dpbandits import Finding, Verdict
from dpbandits.proofs_checks.formulas.branch_and_bound import Proof
from dpbandits.proofs_checks.formulas.conclusions import (
    WRITABLE,
    Investigation,
    conclude_search,
    refuted_finding,
    short_number,
)
from dpbandits.proofs_checks.formulas.counterexample_search import SearchResult
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.statement import ExactEvaluation, Statement, shown_point
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Identity, Inequality, Real, Source
from dpbandits.reference.claims.text import share

OVER = {"x": Real(0, 1, closed=True)}
BELOW = Inequality(lambda m, x: x, lambda m, x: m.number(2), OVER)
EQUAL = Identity(lambda m, x: x, lambda m, x: m.number(2), OVER)
EFFORT = Effort(points=100, rounds=1, boxes=50, exact=7)
DONE = Proof(1.0, 0.0, 3, complete=True, but_points=True)
HALF = Proof(0.5, 0.0, 4, complete=False, but_points=False)
LIMITED = "Limited search: "


def claim(says: Any) -> Claim:
    return Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT)


def exact(x: str, slack: float) -> ExactEvaluation:
    return ExactEvaluation({"x": Fraction(x)}, True, False, True, False, slack)


def seen(applicable: int) -> SearchResult:
    return SearchResult(np.zeros((0, 1)), np.zeros(0), np.zeros((0, 1)), applicable)


def run(
    proof: Proof, tightest: ExactEvaluation | None = None, applicable: int | None = None, **more: Any
) -> Investigation:
    found = Investigation((), proof, tightest, None if applicable is None else seen(applicable), (), False)
    return replace(found, **more)


def said(finding: Finding) -> list[str]:
    return [each["text"] for each in finding.evidence if each["kind"] == "text"]


# -- not refuted -------------------------------------------------------------------------------------------------------


def test_what_is_proved_in_every_run_is_proved() -> None:
    for count, boxes in ((1, "3 boxes"), (3, "9 boxes")):
        found = conclude_search(claim(BELOW), [run(DONE)] * count, EFFORT, True)
        assert found.verdict is Verdict.PROVED
        assert found.summary == f"Proved by interval arithmetic on the whole domain, divided into {boxes}."
        assert (found.rests_on, found.evidence, found.resolution) == ((Basis.INTERVALS,), (), "")
    whole = conclude_search(claim(BELOW), [run(replace(DONE, boxes=1))], EFFORT, True)
    assert whole.summary.endswith(", without subdividing it.")
    tight = exact("1/2", 0.25)
    for runs, everything in (([run(DONE, tight, 5), run(HALF, tight, 5)], True), ([run(DONE, tight, 5)], False)):
        assert conclude_search(claim(BELOW), runs, EFFORT, everything).verdict is Verdict.CONSISTENT


def test_what_applies_in_no_run_is_not_applicable_and_in_one_run_it_is_proved() -> None:
    never = replace(DONE, applied=False)
    found = conclude_search(claim(BELOW), [run(never), run(never)], EFFORT, True)
    assert (found.verdict, found.summary) == (
        Verdict.NOT_APPLICABLE,
        "no point of the domain satisfies the preconditions",
    )
    assert conclude_search(claim(BELOW), [run(never), run(DONE)], EFFORT, True).verdict is Verdict.PROVED


def test_the_same_expression_in_every_run_is_proved_where_it_is_defined() -> None:
    same = run(HALF, exact("1/2", 0.0), 5, same_text=True)
    found = conclude_search(claim(EQUAL), [same, same], EFFORT, True)
    assert (found.verdict, found.summary) == (Verdict.PROVED, "Both sides are the same expression.")
    assert (found.rests_on, found.evidence) == ((Basis.ALGEBRA,), ())
    undefined = replace(same, undefined=(exact("1/4", inf),))
    for runs, everything in (
        ([same, replace(same, same_text=False)], True),
        ([same], False),
        ([same, undefined], True),
    ):
        assert conclude_search(claim(EQUAL), runs, EFFORT, everything).verdict is Verdict.CONSISTENT


def test_where_nothing_was_looked_at_nothing_was_exercised() -> None:
    found = conclude_search(claim(BELOW), [run(HALF), run(HALF)], EFFORT, True)
    assert (found.verdict, found.resolution) == (Verdict.NOT_EXERCISED, "")
    assert found.summary == "no point was found at which the preconditions hold and the statement is defined"


def test_how_far_it_came_is_said_of_all_runs_together() -> None:
    """The tightest point of any run; the mean of the shares that are proved; the sum of the points."""
    runs = [run(HALF, exact("1/3", 0.125), 300), run(replace(HALF, closed=0.25), exact("3/4", 0.0625), 40), run(DONE)]
    found = conclude_search(claim(BELOW), runs, EFFORT, True)
    proved = 100 * (0.5 + 0.25 + 1) / 3
    assert found.verdict is Verdict.CONSISTENT
    assert found.summary == (
        f"not refuted at 340 points; {proved:.4g} % of the domain proved by interval arithmetic; "
        "smallest relative slack 0.0625 at x = 0.75"
    )
    assert (
        found.resolution == "any violation beyond the rounding of doubles at one of 340 points searched; "
        f"{100 - proved:.4g} % of the domain is open"
    )
    assert found.evidence == (table_item("Where it is tightest", ["x", "relative slack"], [["0.75", "0.0625"]]),)
    third = conclude_search(claim(BELOW), [run(HALF, exact("1/3", 0.125), 300)], EFFORT, True)
    assert third.evidence[0]["rows"] == [["0.333333333333", "0.125"]]  # twelve digits
    whole = conclude_search(claim(BELOW), [run(DONE, exact("1", 0.5), 9)], EFFORT, False)
    assert "; 99.99 % of the domain proved" in whole.summary  # for not all of it was tried
    assert whole.resolution.endswith("; 0.0001 % of the domain is open")
    alone = conclude_search(claim(BELOW), [run(HALF, exact("1", 0.5))], EFFORT, True)
    assert alone.summary.startswith("not refuted at 7 points; 50 % ")  # those that were evaluated exactly


def test_whole_numbers_are_shown_in_full() -> None:
    """Twelve digits of 2^53 + 1 are another number, which need not belong to the domain."""
    assert shown_point({"n": Fraction(2**53 + 1), "x": Fraction(1, 3)}) == "n = 9007199254740993, x = 0.333333333333"


@pytest.mark.parametrize("says", [BELOW, EQUAL])
def test_what_is_violated_and_not_certified_is_said_to_be(says: Any) -> None:
    """No point with a difference is none at which no difference was found."""
    bad = ExactEvaluation({"x": Fraction(1, 4)}, True, True, False, False, -0.5)
    found = conclude_search(claim(says), [run(HALF, bad, 30, bad=(bad,), because="why")], EFFORT, True)
    assert found.verdict is Verdict.CONSISTENT
    assert (found.summary, found.resolution) == (
        "violated at x = 0.25 in intervals, but not certified, so not refuted", ""
    )  # fmt: skip
    assert found.uncertified == {"x": "1/4"}
    assert said(found) == [LIMITED + "why."]


@pytest.mark.parametrize(("within", "about"), [(0.0, "no difference found"), (0.5, "not refuted")])
def test_an_identity_is_told_by_the_difference_that_would_have_been_seen(within: float, about: str) -> None:
    """A slack is of either sign; below 1e-45 nothing is seen with 50 digits."""
    equal = claim(replace(EQUAL, within=within))
    runs = [run(HALF, exact("1/3", slack), 10) for slack in (1e-30, -3e-20, 0.0)]
    found = conclude_search(equal, [*runs, run(HALF)], EFFORT, True)
    assert found.summary.startswith(f"{about} at 30 points; ")
    if not within:
        assert found.summary == "no difference found at 30 points; 50-digit intervals overlap at every point evaluated"
        seen_from = "a relative difference above {} at one of the points evaluated exactly"
        assert found.resolution == seen_from.format("3.0e-20")
        assert conclude_search(equal, runs[2:], EFFORT, True).resolution == seen_from.format("1.0e-45")
        more = [run(HALF, exact("1/3", 3.01e-20), 10)]  # of what would have been seen nothing is rounded off
        assert conclude_search(equal, more, EFFORT, True).resolution == seen_from.format("3.1e-20")
        assert found.evidence == ()


def test_what_was_not_tried_or_not_defined_is_said() -> None:
    first = (replace(exact("1/4", inf), undefined=True), replace(exact("1/8", inf), undefined=True))
    plain = run(HALF, exact("1/3", 0.125), 10)
    assert said(conclude_search(claim(BELOW), [plain, plain], EFFORT, True)) == []
    few = "Of the whole-number variables, 2 combinations were tried, not all."
    assert said(conclude_search(claim(BELOW), [plain, plain], EFFORT, False)) == [few]
    where = "The statement is undefined in part of its domain, for example at x = 0.25."
    assert said(conclude_search(claim(BELOW), [plain, replace(plain, undefined=first)], EFFORT, True)) == [where]
    seeking, proving = replace(plain, because="one"), replace(plain, proof=replace(HALF, because="two"))
    for runs, why in (
        ([plain, seeking, proving], "one"),
        ([plain, proving, seeking], "two"),
        ([replace(proving, because="three")], "three"),
    ):
        assert said(conclude_search(claim(BELOW), runs, EFFORT, True)) == [f"{LIMITED}{why}."]
    assert said(conclude_search(claim(BELOW), [run(HALF, undefined=first, because="so")], EFFORT, False)) == [
        where, f"{LIMITED}so.", "Of the whole-number variables, 1 combinations were tried, not all.",
    ]  # fmt: skip


# -- refuted -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (
            Inequality(lambda m, x: 3 * x, lambda m, x: x + 1, OVER),
            "left = 2.25, right = 1.75, but left <= right is claimed",
        ),
        (
            Inequality(lambda m, x: 3 * x, lambda m, x: x + 1, OVER, strict=True),
            "left = 2.25, right = 1.75, but left < right is claimed",
        ),
        (
            Identity(lambda m, x: 3 * x, lambda m, x: x + 1, OVER),
            "left = 2.25, right = 1.75, but left == right is claimed",
        ),
        (
            Identity(lambda m, x: 3 * x, lambda m, x: x + 1, OVER, within=0.25),
            "left = 2.25, right = 1.75, but left == right within 0.25 is claimed",
        ),
        (
            Inequality(lambda m, x: x, lambda m, x: m.number("1/3"), OVER),
            "left = 0.75, right = 0.33333333, but left <= right is claimed",
        ),
    ],
)  # fmt: skip
def test_a_refutation_says_where_and_by_how_much(says: Any, told: str) -> None:
    found = refuted_finding(claim(says), Statement(says, {}), {"x": Fraction(3, 4)})
    assert isinstance(found, Finding)
    assert (found.verdict, found.rests_on) == (Verdict.REFUTED, (Basis.INTERVALS,))
    assert found.summary == f"violated at x = 0.75: {told}"
    assert [each["kind"] for each in found.evidence] == ["certificate"]


def in_halves(x: Any, many: int) -> Any:
    """The sum of so many terms x, of few levels."""
    return x if many == 1 else in_halves(x, many // 2) + in_halves(x, many - many // 2)


def one_by_one(x: Any, many: int) -> Any:
    """The same, of as many levels as operations."""
    return sum([x] * (many - 1), x)


@pytest.mark.parametrize(
    ("total", "many", "refuted"),
    [
        (in_halves, 3000, True),
        (in_halves, WRITABLE, "the checker of certificates does not follow: schema: "),
        (in_halves, WRITABLE + 1, "with 4001 operations the formula is too long to be written down"),
        (one_by_one, 400, True),
        (one_by_one, 600, "the checker of certificates does not follow: left: the expression is nested more than "),
        (one_by_one, 3000, "no certificate can be written down (RecursionError: "),
    ],
)
def test_formulas_that_cannot_be_written_down_are_no_refutation(total: Any, many: int, refuted: Any) -> None:
    """A sum of so many terms 3/4, and one more, is above 1/2."""
    says = Inequality(lambda m, x: total(x, many) + x, lambda m, x: m.number("0.5"), OVER)
    found = refuted_finding(claim(says), Statement(says, {}), {"x": Fraction(3, 4)})
    assert isinstance(found, Finding) if refuted is True else str(found).startswith(refuted)


def test_enclosures_and_shares_are_shown_briefly() -> None:
    assert short_number(["0.123456789", "0.2"]) == "0.12345679"
    assert short_number(["1", "inf"]) == "[1, inf]"
    assert short_number(["-inf", "1"]) == "[-inf, 1]"
    shares = (-1.0, 0.0, 1e-12, 1e-6, 0.5, 1 / 3, 0.9999, 1 - 1e-12, 1.0, 2.0)
    shown = ("0", "0", "0.0001", "0.0001", "50", "33.33", "99.99", "99.99", "100", "100")
    assert [share(part) for part in shares] == [f"{each} %" for each in shown]
