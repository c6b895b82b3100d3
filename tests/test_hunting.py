"""The hunt for a counterexample at its full strength: which points it tries, how it climbs, what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Verdict
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.counterexample_search import (
    KEPT,
    PROPOSALS,
    STARTS,
    SearchResult,
    digit_count,
    exact_points,
    neighbouring_doubles,
    random_points,
    reading_difficulty,
    relative_slack,
    round_to_digits,
    search_counterexample,
    simple_violations,
    special_points,
)
from dpbandits.proofs_checks.formulas.domains import Axis, axes_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.evaluation_cost import OperationCount, TooLong
from dpbandits.proofs_checks.formulas.search_or_prove import points_to_check
from dpbandits.proofs_checks.formulas.statement import LARGE_COUNTS, Statement, at_point, counting_values
from dpbandits.proofs_checks.papers.ou24 import points as listed
from dpbandits.proofs_checks.papers.ou24.points import search
from dpbandits.proofs_checks.papers.parted import concluded, parted
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.claims.model import Basis, Claim, Identity, Inequality, OneOf, Private, Real, Source, Whole
from dpbandits.reference.papers.ou24 import ThompsonSampling

UNIT = Axis("x", Fraction(0), Fraction(1), True)
LINE = Axis("y", -inf, inf, False)


def axis(over: Any, name: str = "x") -> Axis:
    return axes_of({name: over})[0][0]


# -- where ------------------------------------------------------------------------------------------------------------


def near(*wanted: float) -> Any:
    return pytest.approx(sorted(wanted), rel=1e-12, abs=1e-300)


PLAIN = (0, 0.1, 0.2, 0.25, 0.5, 0.9, 1, 1.5, 2, 3, 4, 5, 7, 10, 20, 50, 100, 1000)
FAR = (1e-100, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 1e4, 1e6, 1e9, 1e12, 1e100)


def test_the_points_that_are_tried_first() -> None:
    """Plain numbers, far ones, both ends, and what lies close to them."""
    everywhere = {*PLAIN, *FAR, *(-x for x in (*PLAIN, *FAR))}
    assert axis(Real(-inf, inf)).specials().tolist() == sorted(everywhere)
    shares = (1e-12, 1e-6, 1e-3, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12)
    between = {x for x in everywhere if 2 <= x <= 6} | {2.0, 6.0, *(2 + 4 * share for share in shares)}
    assert axis(Real(2, 6, closed=True)).specials() == near(*between)
    assert axis(Real(2, 6)).specials() == near(*(between - {2.0, 6.0}))
    above = {x for x in everywhere if x >= 3} | {3 + x for x in (*PLAIN, *FAR)}
    assert axis(Real(3, inf, closed=True)).specials().tolist() == sorted(above)
    below = {x for x in everywhere if x <= -3} | {-3 - x for x in (*PLAIN, *FAR)}
    assert axis(Real(-inf, -3, closed=True)).specials().tolist() == sorted(below)
    whole = {x for x in everywhere if x >= 2 and x == int(x)} | {float(round(2 + x)) for x in (*PLAIN, *FAR)}
    assert axis(Whole(2)).specials().tolist() == sorted(whole)
    assert axis(OneOf((0.1, 5, -2))).specials().tolist() == [0.1, 5, -2]


def test_random_points_lie_evenly_and_close_to_either_end() -> None:
    """Of a finite range a third each: even, and down to 1e-12 of the range from the low and the high end."""
    found = axis(Real(2, 6)).sample(np.random.default_rng(0), 6_000)
    assert ((found > 2) & (found < 6)).all()
    thirds = [((found - 2) < 0.04).mean(), ((6 - found) < 0.04).mean(), ((found >= 2.04) & (found <= 5.96)).mean()]
    wanted = [1 / 3 * (10 / 12) + 1 / 300, 1 / 3 * (10 / 12) + 1 / 300, 1 / 3 * 0.98 + 2 / 3 * 2 / 12]
    assert thirds == pytest.approx(wanted, abs=0.03)  # 5 standard deviations
    assert (found - 2).min() < 1e-11
    assert (6 - found).min() < 1e-11


@pytest.mark.parametrize(
    ("over", "sign", "end"), [(Real(3, inf), 1, 3.0), (Real(-inf, 3), -1, 3.0), (Real(-inf, inf), 0, 0)]
)
def test_random_points_of_an_endless_range_have_all_magnitudes(over: Real, sign: int, end: float) -> None:
    """A third up to 10, half from 1e-12 to 1e12, a sixth from 1e-300 to 1e300 away from the end, or from 0."""
    found = axis(over).sample(np.random.default_rng(0), 6_000)
    away = np.abs(found - end)
    assert ((found - end) * sign >= 0).all()
    if not sign:
        assert np.mean(found > 0) == pytest.approx(0.5, abs=0.035)
    assert np.mean(away > 1e13) == pytest.approx(1 / 6 * 287 / 600, abs=0.02)
    assert np.mean((away > 1) & (away < 10)) == pytest.approx(1 / 3 * 0.9 + 1 / 2 / 24 + 1 / 6 / 600, abs=0.03)
    assert np.mean((away > 10) & (away < 1e13)) == pytest.approx(1 / 2 * 11 / 24 + 1 / 6 * 12 / 600, abs=0.03)
    assert away.max() > 1e250


def test_proposals_are_steps_of_either_kind_and_stay_inside() -> None:
    """Three in ten keep the number; the others move in parts of the range, or of the distance from an end."""
    start = np.full(6_000, 2.001)
    found = axis(Real(2, 6)).moved(start, np.random.default_rng(0), 0.1)
    assert ((found > 2) & (found < 6)).all()
    assert np.mean(found == 2.001) == pytest.approx(0.3, abs=0.03)
    close = np.mean((np.abs(found - 2.001) < 5e-4) & (found != 2.001))
    assert close == pytest.approx(0.7 / 3, abs=0.03)  # by a factor of the distance from the low end
    far = 0.7 * 2 / 3 * ndtr(-0.5)  # upwards by half of a tenth of the range, or of the distance from the high end
    assert np.mean(found - 2.001 > 0.2) == pytest.approx(far, abs=0.03)
    whole = axis(Whole(0, 9)).moved(np.full(500, 4.0), np.random.default_rng(0), 0.5)
    assert set(whole.tolist()) <= set(range(10))
    some = axis(OneOf((1, 2, 7))).moved(np.full(3_000, 2.0), np.random.default_rng(0), 0.25)
    assert np.mean(some == 2.0) == pytest.approx(0.75 + 0.25 / 3, abs=0.03)
    assert set(some.tolist()) == {1.0, 2.0, 7.0}


def test_a_distance_from_the_high_end_is_stretched_too() -> None:
    found = axis(Real(2, 6)).moved(np.full(6_000, 5.999), np.random.default_rng(0), 0.1)
    assert np.mean((np.abs(found - 5.999) < 5e-4) & (found != 5.999)) == pytest.approx(0.7 / 3, abs=0.03)
    endless = axis(Real(-inf, inf)).moved(np.full(6_000, 1e6), np.random.default_rng(0), 0.1)
    assert np.mean(np.abs(endless / 1e6 - 1) < 0.5) > 0.99
    assert np.abs(endless - 1e6).max() > 1e5


# -- what is found ----------------------------------------------------------------------------------------------------


def dip(centre: float, depth: float) -> Any:
    """A slack that falls to -depth at the centre, and is negative nowhere else but within 1e-3 of it."""

    def slack(variables: Mapping[str, Any]) -> tuple[Any, Any]:
        x = variables["x"]
        return np.where(
            np.abs(x - centre) < 1e-3, -depth * (1 - np.abs(x - centre) * 1e3), np.abs(x - centre)
        ), x >= 0.0

    return slack


@pytest.mark.parametrize("centre", [0.3141592653589793, 0.7182818284590452, 0.0577215664901532])
def test_the_worst_point_is_climbed_to(centre: float) -> None:
    """Each of forty rounds moves the best twelve by 24 proposals, in steps that shrink by a tenth."""
    found = search_counterexample(dip(centre, 0.5), [UNIT], 200, 40, np.random.default_rng(0))
    assert found.slack[0] < -0.5 * (1 - 1e-2)
    assert abs(found.points[0, 0] - centre) < 1e-5
    assert (np.diff(found.slack) >= 0).all()
    start = search_counterexample(dip(centre, 0.5), [UNIT], 200, 0, np.random.default_rng(0))
    assert start.slack[0] > found.slack[0]
    assert found.applicable - start.applicable == 40 * STARTS * PROPOSALS
    assert (STARTS, PROPOSALS, KEPT) == (12, 24, 256)


def test_half_of_the_points_are_simple_ones() -> None:
    seen: list[Any] = []

    def slack(variables: Mapping[str, Any]) -> tuple[Any, Any]:
        seen.append(np.stack([variables["x"], variables["y"]], axis=1))
        return variables["x"] + 1, variables["y"] > 0

    search_counterexample(slack, [UNIT, LINE], 1_001, 0, np.random.default_rng(0))
    specials = [UNIT.specials(), LINE.specials()]
    plain = np.isin(seen[0][:, 0], specials[0]) & np.isin(seen[0][:, 1], specials[1])
    assert len(seen[0]) - plain.sum() == 501  # 1001 - 500
    assert 300 < plain.sum() <= 500  # some of the 500 are drawn twice


def test_all_combinations_of_simple_points_are_tried_where_they_are_few() -> None:
    some = [axis(OneOf((1, 2, 3))), axis(OneOf((5, 7)), "y")]
    for count, most in ((6, 6), (100, 6), (5, 5)):
        found = special_points(some, count, np.random.default_rng(0))
        assert len(found) == most
        assert {tuple(row) for row in found.tolist()} <= set(product((1, 2, 3), (5, 7)))
        if count >= 6:
            assert len({tuple(row) for row in found.tolist()}) == 6
    assert special_points([], 5, np.random.default_rng(0)).shape == (1, 0)
    assert random_points([], 5, np.random.default_rng(0)).shape == (0, 0)
    nothing = Axis("z", Fraction("0.3000000001"), Fraction("0.3000000002"), False)
    assert special_points([nothing] * 9, 5, np.random.default_rng(0)).shape[1] == 9
    empty = Axis("z", Fraction(1), Fraction(1), False)
    assert special_points([*some, empty], 5, np.random.default_rng(0)).shape == (0, 3)


def test_where_doubles_give_no_number_and_where_nothing_applies() -> None:
    def slack(variables: Mapping[str, Any]) -> tuple[Any, Any]:
        x = variables["x"]
        return np.where(x > 0.9, nan, x - 0.5), x > 0.25

    found = search_counterexample(slack, [UNIT], 400, 3, np.random.default_rng(0))
    assert (found.strange > 0.9).all()
    assert len(found.strange) > 20
    assert (found.points > 0.25).all()
    assert (found.points <= 0.9).all()
    assert found.slack[0] < -0.2
    assert found.applicable < search_counterexample(dip(0.5, 0.5), [UNIT], 400, 3, np.random.default_rng(0)).applicable


def test_points_that_are_easy_to_read_are_kept_beside_the_worst() -> None:
    """A slack that is clearly negative everywhere, most so where a point takes sixteen digits."""
    table = np.array([[0.123456789], [0.5], [1e30], [0.25], [3.0]])
    value = np.array([-0.9, -0.02, -0.5, -0.005, 0.5])
    assert simple_violations(table, value).tolist() == [1, 0, 2]
    assert reading_difficulty(table).tolist() == [digit_count(each) for (each,) in table.tolist()]
    seen = SearchResult(np.array([[0.123456789], [1e30], [0.5], [0.25]]), np.array([-0.9, -0.5, -0.02, 0.1]), table, 5)
    assert [float(each[0]) for each in points_to_check(seen, 2)] == [0.123456789, 1e30, 0.5, 0.123456789]


def test_how_hard_a_number_is_to_read() -> None:
    """Its digits, and half the distance of its exponent from 0."""
    for value, hard in ((5.0, 1), (-0.5, 1.5), (0.25, 2.5), (100.0, 2), (1e-100, 51), (1234.0, 5.5), (0.0, 1)):
        assert digit_count(value) == hard


def test_the_slack_of_a_point_is_the_smallest_of_its_demands() -> None:
    one = np.array([1.0, 0.0, inf, 1.0, -inf, inf, nan, 2.0])
    other = np.array([3.0, 0.0, 1.0, inf, 1.0, inf, 1.0, 1.0])
    wanted = [0.5, nan, -1.0, 1.0, 1.0, nan, nan, -1 / 3]
    with np.errstate(invalid="ignore"):
        assert relative_slack([(one, other)]) == pytest.approx(wanted, nan_ok=True)
    assert relative_slack([(np.array([1.0]), np.array([3.0])), (np.array([1.0]), np.array([1.5]))]) == pytest.approx(
        [0.2]
    )


def test_points_are_exact_and_belong_to_the_domain() -> None:
    assert exact_points(np.array([0.1, 2.0]), [UNIT, axis(Whole(0, 9), "n")]) == {
        "x": Fraction(1, 10),
        "n": Fraction(2),
    }
    assert exact_points(np.array([0.123456]), [UNIT], 2) == {"x": Fraction("0.12")}
    assert exact_points(np.array([0.996]), [Axis("x", Fraction(0), Fraction(1), False)], 2) is None
    assert exact_points(np.array([2.9]), [axis(Whole(0, 9))]) == {"x": Fraction(3)}
    assert exact_points(np.array([24.0]), [axis(Whole(0, 99))], 1) == {"x": Fraction(20)}
    assert exact_points(np.array([0.1]), [axis(OneOf((0.1, 0.2)))]) == {"x": Fraction(1, 10)}
    third = Axis("x", Fraction(1, 3), Fraction(1), True)
    below, above = neighbouring_doubles(Fraction(1, 3))
    assert exact_points(np.array([below]), [third]) == {"x": Fraction(1, 3)}
    assert exact_points(np.array([above]), [third]) == {"x": Fraction(repr(above))}
    assert exact_points(np.array([0.3]), [third]) is None
    assert neighbouring_doubles(inf) == ()
    assert [round_to_digits(2 / 3, digits) for digits in (1, 3)] == [Fraction("0.7"), Fraction("0.667")]
    assert round_to_digits(0.1, 17) == Fraction(1, 10)


# -- effort -----------------------------------------------------------------------------------------------------------


def test_long_formulas_get_fewer_points_and_no_boxes() -> None:
    effort = Effort(8000, 40, 8000, 24)
    assert effort.scaled(150) == effort.scaled(1) == effort
    assert effort.scaled(300) == Effort(4000, 20, 4000, 12)
    assert effort.scaled(1500) == Effort(800, 4, 800, 2)
    assert effort.scaled(1501) == Effort(799, 4, 0, 2)
    assert effort.scaled(10**6) == Effort(20, 0, 0, 1)


def test_the_work_of_a_formula_is_its_operations() -> None:
    for formula, work in (
        (lambda m, x: x + 1, 1),
        (lambda m, x: (2 - x) * x / 3, 3),
        (lambda m, x: -(x**2), 2),
        (lambda m, x: abs(+x), 1),
        (lambda m, x: m.exp(x) + m.log(x) + m.sqrt(x), 3 + 3 + 1 + 2),
        (lambda m, x: m.ncdf(m.number(3)) * m.pi, 41),
        (lambda m, x: m.cosh(x), 1),
    ):
        tally = OperationCount(100)
        formula(tally, tally.token)
        assert tally.operations == work
    tally = OperationCount(2)
    with pytest.raises(TooLong, match="more than 2 operations"):
        sum((tally.token for _ in range(3)), tally.token)
    assert tally.operations == 3
    assert not hasattr(tally, "__array__")  # a protocol of others is no function of the vocabulary


def test_which_values_are_counted_with() -> None:
    """All of them where there are few; else the first 41, some large ones, and of several variables 150 choices."""
    rng = np.random.default_rng(0)
    few, complete = counting_values([axis(Whole(3, 40), "n")], rng)
    assert [each["n"] for each in few] == list(range(3, 41))
    assert complete
    some, complete = counting_values([axis(Whole(3), "n")], rng)
    assert [each["n"] for each in some] == [*range(3, 44), 50, 100, 200, 500, 1000, 2000]
    assert not complete
    capped, complete = counting_values([axis(Whole(0, 500), "n")], rng)
    assert [each["n"] for each in capped] == [*range(41), 50, 100, 200, 500]
    assert not complete
    assert LARGE_COUNTS[-1] == 2000
    for high in (40, 41, 50):  # 41 numbers are few, one more is too many
        found, complete = counting_values([axis(Whole(0, high), "n")], rng)
        assert [each["n"] for each in found] == [*range(41), *([50] if high == 50 else [])]
        assert complete == (high == 40)
    most, complete = counting_values([axis(Whole(1, 10), "n"), axis(Whole(1, 15), "k")], rng)
    assert (len(most), complete) == (150, True)
    five, complete = counting_values([axis(Whole(1, 4), name) for name in "abcde"], rng)
    assert (len(five), complete) == (150, False)
    assert {tuple(each.values()) for each in five} >= set(product((1, 2), repeat=5))
    many, complete = counting_values([axis(Whole(1, 20), "n"), axis(Whole(1, 20), "k")], rng)
    assert len(many) == 150
    assert {(each["n"], each["k"]) for each in many} >= set(product(range(1, 7), repeat=2))
    assert max(each["n"] for each in many) > 17 < max(each["k"] for each in many)
    assert not complete
    assert many == sorted(many, key=lambda each: (each["n"], each["k"]))


# -- points that a page lists -----------------------------------------------------------------------------------------


def claim(says: Any) -> Claim:
    return Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT)


def terms(m: Any, n: int, x: Any) -> Any:
    return sum((x**k for k in range(n)), m.number(0))


OVER = {"n": Whole(1, 9), "x": Real(0, 1)}


def test_listed_points_are_decided_the_tightest_first() -> None:
    says = Inequality(terms, lambda m, n, x: m.number(n), OVER)
    points = [{"n": n, "x": Fraction(k, 10)} for n in (1, 2, 3) for k in (3, 9)]
    found = search(claim(says), points)
    assert found.verdict is Verdict.CONSISTENT
    assert found.summary == "not refuted at 6 points; smallest relative slack 0"
    assert found.resolution == "any violation beyond the rounding of doubles at one of 6 points"
    rows = found.evidence[0]["rows"]
    assert [row[:2] for row in rows] == [["1", "0.3"], ["1", "0.9"], ["2", "0.9"]]
    assert rows[2][2:] == pytest.approx([1.9, 2.0])
    assert [each["name"] for each in found.evidence[0]["columns"]] == ["n", "x", "left", "right"]
    strictly = search(claim(Inequality(terms, lambda m, n, x: m.number(n), OVER, strict=True)), points)
    assert strictly.verdict is Verdict.REFUTED
    assert strictly.summary.startswith("violated at n = 1, x = 0.3: left = 1, right = 1")


def test_whole_numbers_of_listed_points_are_divided_by_exactly() -> None:
    """The double 1/7 is less than one seventh."""
    says = Inequality(lambda m, n, x: x / n, lambda m, n, x: x * (1 / n), OVER)
    found = search(claim(says), [{"n": n, "x": Fraction(1, 4)} for n in (3, 7)])
    assert found.verdict is Verdict.CONSISTENT


def test_a_listed_violation_is_refuted_with_a_certificate() -> None:
    says = Inequality(terms, lambda m, n, x: 1 + 2 * x, OVER)
    found = search(
        claim(says), [{"n": n, "x": Fraction(1, 2)} for n in (1, 2, 4, 3)] + [{"n": 9, "x": Fraction(9, 10)}]
    )
    assert found.verdict is Verdict.REFUTED
    assert found.rests_on == (Basis.INTERVALS,)
    assert found.summary.startswith("violated at n = 9, x = 0.9: left = 6.125")
    assert verify(found.evidence[0]["certificate"]).ok
    raw = search(claim(Inequality(terms, lambda m, n, x: m.number(1), {"n": Whole(1, 9), "x": OneOf((2,))})),
                 [{"n": 3, "x": Fraction(2)}], frozenset({"x"}))  # fmt: skip
    assert raw.verdict is Verdict.REFUTED
    assert raw.evidence == ()


def test_listed_points_where_a_precondition_may_fail_are_left_out() -> None:
    says = Inequality(
        lambda m, x: x, lambda m, x: m.number(1), {"x": Real(0, 9)}, given=((lambda m, x: x, lambda m, x: m.number(2)),)
    )
    found = search(claim(says), [{"x": Fraction(k, 2)} for k in (1, 5, 7)])
    assert found.summary == "not refuted at 1 points; smallest relative slack 0.333"
    assert search(claim(says), [{"x": Fraction(4)}]).verdict is Verdict.NOT_EXERCISED
    assert search(claim(says), [{"x": Fraction(2)}]).verdict is Verdict.REFUTED
    with pytest.raises(TypeError, match="a violated point, not Private"):
        search(claim(Private("pull", "arms", lambda policy: None)), [])


def test_the_relative_slack_of_a_listed_point() -> None:
    for left, right, wanted in ((1, 3, 0.5), (3, 1, -0.5), (0, 0, 0.0), (-1, 1, 1.0)):
        says = Inequality(lambda m, left=left: m.number(left), lambda m, right=right: m.number(right), {})
        assert listed.slack(says, {}, frozenset()) == wanted


# -- a statement at one point -----------------------------------------------------------------------------------------


def test_a_statement_at_one_exact_point() -> None:
    says = Inequality(lambda m, x: x * x, lambda m, x: m.number("0.25"), {"x": Real(0, 9)},
                      given=((lambda m, x: m.number("0.125"), lambda m, x: x),))  # fmt: skip
    for x, applies, violated, slack in (
        ("0.5", True, False, 0.0),
        ("0.25", True, False, 0.6),
        ("0.75", True, True, -5 / 13),
        ("0.0625", False, False, inf),
    ):
        found = at_point(Statement(says, {}), {"x": Fraction(x)})
        assert (found.applies, found.violated, found.undefined) == (applies, violated, False)
        assert found.slack == pytest.approx(slack)
        assert found.holds == (not violated)
    nothing = at_point(Statement(Inequality(lambda m, x: x * x, lambda m, x: x, says.over), {}), {"x": Fraction(0)})
    assert (nothing.holds, nothing.slack) == (True, 0.0)  # 0 <= 0: no share of anything, and no room either
    strict = Statement(Inequality(says.left, says.right, says.over, strict=True), {})
    assert at_point(strict, {"x": Fraction(1, 2)}).violated
    within = Statement(Identity(lambda m, x: x, lambda m, x: m.number(1), says.over, within=0.25), {})
    for x, violated in (("0.75", False), ("1.25", False), ("0.74", True), ("1.26", True)):
        assert at_point(within, {"x": Fraction(x)}).violated == violated


# -- policies without privacy -----------------------------------------------------------------------------------------


class Told(ThompsonSampling):
    """Pulls arm 1 after a reward of 0 and nothing else, so that its second step tells the first reward."""

    def law(self, t: int, state: Any) -> Law:
        paid = state.total[:, 0] > 0
        chance = np.stack([paid, ~paid], axis=1) if t == 2 else np.tile([1.0, 0.0], (len(paid), 1))
        return one_arm(np.asarray(chance, dtype=float), error=0.0, absolute_error=0.0)


def test_what_no_release_has_in_common_is_proved() -> None:
    found = parted(claim(None), Told(2, 2))
    assert found.verdict is Verdict.PROVED
    assert found.rests_on == (Basis.EXACT_LAW,)
    possible = [row[1:] for row in found.evidence[0]["rows"] if row[1] or row[2]]
    assert sorted(possible) == [[0.0, 1.0], [1.0, 0.0]]
    assert parted(claim(None), ThompsonSampling(2, 2)).verdict is Verdict.CONSISTENT


@pytest.mark.parametrize(
    ("right", "error", "absolute_error", "verdict"),
    [
        ([0.0, 0.0, 1.0], 0.0, 0.0, Verdict.PROVED),
        ([0.0, 1e-300, 1.0], 0.0, 0.0, Verdict.CONSISTENT),  # one release of three is possible on both tables
        ([0.0, 0.0, 1.0], 1e-12, 0.0, Verdict.CONSISTENT),
        ([0.0, 0.0, 1.0], 0.0, 1e-300, Verdict.CONSISTENT),
    ],
)
def test_one_release_in_common_or_a_law_that_may_be_wrong_is_enough_for_no_proof(
    right: list[float], error: float, absolute_error: float, verdict: Verdict
) -> None:
    known: Any = SimpleNamespace(
        released=np.zeros((3, 1, 2)),
        left=np.array([0.5, 0.5, 0.0]),
        right=np.array(right),
        error=error,
        absolute_error=absolute_error,
    )
    assert concluded(claim(None), ThompsonSampling(2, 2), known).verdict is verdict
