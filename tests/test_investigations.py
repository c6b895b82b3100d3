"""What one investigation of a formula gives: without variables, on arrays, and where only single points are left."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbandits.proofs_checks.formulas.branch_and_bound import Proof
from dpbandits.proofs_checks.formulas.domains import axes_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import NOT_TRIED, investigate_part, same_text, simplest_violation
from dpbandits.proofs_checks.formulas.statement import Statement, at_point
from dpbandits.proofs_checks.vocabularies.exact_points import as_interval, rational_vocabulary
from dpbandits.reference.claims.model import Identity, Inequality, OneOf, Real

EFFORT = Effort(points=200, rounds=2, boxes=64, exact=8)


def number(value: Any) -> Any:
    return lambda m, **_: m.number(value)


def investigated(says: Any, effort: Effort = EFFORT) -> Any:
    axes, _ = axes_of(says.over)
    return investigate_part(Statement(says, {}), axes, effort, np.random.default_rng(0))


def settled(applied: bool, undefined: float = 0.0, closed: float = 1.0) -> Proof:
    return Proof(closed, undefined, 1, bool(closed), True, applied=applied)


PERHAPS = (lambda m: m.exp(m.log(m.number(2))), number(2))  # equal, which no enclosure shows
NEVER = (number(2), number(1))


@pytest.mark.parametrize(
    ("left", "given", "proof", "kinds"),
    [
        (number(1), (), settled(True), "tightest"),
        (number(1), (NEVER,), settled(False), ""),
        (number(4), (), settled(True, closed=0), "bad tightest"),
        (number(4), (NEVER,), settled(False), ""),
        (number(4), (PERHAPS,), settled(True, closed=0), "tightest"),
        (number(1), (PERHAPS,), settled(True), "tightest"),
        (lambda m: m.log(m.number(-1)), (), settled(True, 1, 0), "undefined"),
    ],
)
def test_without_variables_a_point_is_all_there_is(left: Any, given: Any, proof: Proof, kinds: str) -> None:
    """left <= 3: one box, of which all is shown or nothing."""
    found = investigated(Inequality(left, number(3), {}, given))
    assert (found.proof, found.seen, found.same_text, found.because) == (proof, None, False, "")
    for kind, what in (("bad", found.bad), ("tightest", found.tightest), ("undefined", found.undefined)):
        assert bool(what) == (kind in kinds.split()), kind


def test_only_an_identity_has_the_same_text_on_both_sides() -> None:
    over = {"x": Real(0, 1)}
    one, other = (lambda m, x: m.exp(x) + 1), (lambda m, x: 1 + m.exp(x))
    axes, _ = axes_of(over)
    assert same_text(Statement(Identity(one, one, over), {}), axes)
    assert not same_text(Statement(Identity(one, other, over), {}), axes)
    assert not same_text(Statement(Identity(lambda m, x: m.nothing(x), one, over), {}), axes)
    little = Effort(points=20, rounds=0, boxes=0, exact=1)
    assert investigated(Identity(one, one, over), little).same_text
    assert not investigated(Inequality(one, one, over), little).same_text
    assert not investigated(Inequality(number(3), number(3), {})).same_text
    assert investigated(Identity(number(3), number(3), {})).same_text


def test_a_violation_ends_the_investigation_with_the_simplest_and_the_worst() -> None:
    """x <= 1/2 on [0, 1]: worst at 1, nothing is proved any more."""
    found = investigated(Inequality(lambda m, x: x, number("0.5"), {"x": Real(0, 1, closed=True)}))
    assert found.proof == NOT_TRIED == Proof(0.0, 0.0, 0, complete=False, but_points=False)
    assert found.bad[0].point == {"x": 1}
    assert 2 <= len(found.bad) <= 5
    assert [exact.slack for exact in found.bad[1:]] == sorted(exact.slack for exact in found.bad[1:])
    assert found.bad[1].point == {"x": 1}
    assert found.bad[1].slack == pytest.approx((0.5 - 1) / (1 + 0.5), rel=1e-12)
    assert found.tightest == found.bad[1]


@pytest.mark.parametrize("others", [(), (Fraction(1, 5),)])
@pytest.mark.parametrize(("right", "complete", "bad"), [("1/3", True, False), ("0.3", False, True)])
def test_points_that_boxes_leave_open_are_decided_exactly(
    right: str, complete: bool, bad: bool, others: tuple[Fraction, ...]
) -> None:
    """One third is no double, so that its box shows nothing; the point itself does, also that the statement applies."""
    says = Inequality(lambda m, x: x, number(right), {"x": OneOf((Fraction(1, 3), *others))})
    found = investigated(says)
    assert (found.proof.complete, bool(found.bad)) == (complete, bad)
    if complete:
        assert (found.proof.closed, found.proof.points, found.proof.applied) == (1, (), True)


THIRD = Fraction(1, 3)


@pytest.mark.parametrize("values", [(THIRD, 2), (2, THIRD), (THIRD, 1, 2), (THIRD,), (2,)])
def test_every_point_that_boxes_leave_open_has_to_be_decided(values: tuple[Any, ...]) -> None:
    """At 1/3 both sides are 0; beyond, the left one is more by e^-1000000, which 50 digits neither show nor exclude."""
    says = Inequality(lambda m, x: (1 + m.exp(m.number(-(10**6))) * (3 * x - 1)) - 1, number(0), {"x": OneOf(values)})
    found = investigated(says)
    assert not found.bad
    assert found.proof.complete == (values == (THIRD,))


def test_what_arrays_cannot_do_is_looked_at_point_by_point() -> None:
    looked = set()

    def one_by_one(m: Any, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            raise ValueError("no")
        if m is rational_vocabulary:
            looked.add(x)
        return x

    found = investigated(Inequality(one_by_one, number(2), {"x": Real(0, 1)}))
    assert found.because == "the formula cannot be evaluated on arrays (ValueError: no)"
    assert (len(looked), found.seen) == (EFFORT.exact, None)
    assert all(as_interval(x).low > 0 and as_interval(x).high < 1 for x in looked)
    assert found.proof.complete


def test_the_simplest_violation_is_clear_and_short() -> None:
    """x y <= 1/10: among clear violations, by a hundredth of both sides, the one of fewest digits, then shorter still;
    where none is clear, the worst one."""
    over = {"x": Real(0, 1), "y": Real(0, 9)}
    statement = Statement(Inequality(lambda m, x, y: x * y, number("0.1"), over), {})
    axes, _ = axes_of(over)
    places = (("0.98765", "8.7654"), ("0.512", "4.013"), ("0.5", "0.201"))
    bad = [at_point(statement, {"x": Fraction(x), "y": Fraction(y)}) for x, y in places]
    assert all(exact.violated for exact in bad)
    assert simplest_violation(statement, bad, axes).point == {"x": Fraction(1, 2), "y": 4}
    assert simplest_violation(statement, bad[2:], axes).point == {"x": Fraction(1, 2), "y": Fraction("0.201")}
