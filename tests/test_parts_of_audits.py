"""What audits are made of, part by part: what is told of an result, limits, scores, and when two sides are alike."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Approximate, Gaussian, Verdict, flipped
from dpbandits.audit.privacy import certificates as made_certificates
from dpbandits.audit.privacy import evidence
from dpbandits.audit.privacy.mechanism_scores import output_events
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.search import between
from dpbandits.audit.statistics import expectation
from dpbandits.audit.statistics.events import CertifiedTrials
from dpbandits.audit.statistics.region import Excess
from dpbandits.audit.statistics.resolution import Resolution
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.reference.claims.model import Basis
from dpbandits.reference.claims.text import instance_row, is_near
from dpbandits.reference.curves import Family, derived
from dpbandits.reference.curves.curve import Bounds
from dpbandits.reference.papers.ou24 import ThompsonSampling


class Seen(NamedTuple):
    """As much of what trials certified as outcomes look at."""

    excess: Excess
    resolutions: tuple[Any, ...]
    trials: int = 10
    level: float = 1e-9
    stopped: str = ""

    @property
    def resolution(self) -> Any:
        return self.resolutions[0]


class Sees(NamedTuple):
    value: float
    at: float = math.nan
    mechanism: str = "Gaussian"


def seen(shown: float, claimed: float, could: float = 2.0) -> Any:
    return Seen(Excess(shown - claimed, shown, math.nan), (Sees(could),))


EPS = Approximate(1.0, 0.0)
NAMES = {Basis.EXACT_LAW: "law", Basis.SAMPLES: "samples"}


@pytest.mark.parametrize(
    ("result", "verdict", "pressure", "claimed", "near"),
    [
        (Result("x", EPS, seen(0.5, 1.0)), "CONSISTENT", 0.5, 1.0, False),
        (Result("x", EPS, seen(0.9, 1.0)), "CONSISTENT", 0.9, 1.0, True),
        (Result("x", EPS, seen(0.89, 1.0)), "CONSISTENT", 0.89, 1.0, False),
        (Result("x", EPS, seen(0.0, 0.0)), "CONSISTENT", 0.0, 0.0, False),
        (Result("x", EPS, seen(1.0, 1.0)), "CONSISTENT", 1.0, 1.0, True),
        (Result("x", EPS, seen(1.5, 1.0)), "REFUTED", 1.5, 1.0, False),
        (Result("x", EPS, seen(0.5, 1.0, math.inf)), "NOT_EXERCISED", 0.5, 1.0, False),
        (Result("x", EPS, None, Bounds(0.5, 0.9, 1.0, 0.1)), "CONSISTENT", 0.5, 1.0, False),
        (Result("x", EPS, seen(0.95, 1.0), Bounds(0.5, 0.9, 1.0, 0.1)), "CONSISTENT", 0.95, 1.0, False),
        (Result("x", EPS, None, Bounds(1.5, 1.9, 1.0, 0.1)), "REFUTED", 1.5, 1.0, False),
        (Result("x", EPS, None, Bounds(0.0, math.inf, 2.0, 0.1)), "NOT_EXERCISED", 0.0, 2.0, False),
        (Result("x", EPS, None, Bounds(0.0, 3.0, 2.0, 0.1)), "CONSISTENT", 0.0, 2.0, False),
        (Result("x", EPS, seen(0.5, 1.0), wrong="not its law"), "REFUTED", 0.5, 1.0, False),
        (Result("x", EPS, seen(0.95, 1.0), idle="nothing"), "NOT_EXERCISED", 0.95, 1.0, False),
        (Result("x", EPS, seen(1.5, 1.0), unfit="no"), "NOT_APPLICABLE", 1.5, 1.0, False),
        (Result("x", None), "NOT_APPLICABLE", 0.0, None, False),
        (Result("x", EPS), "NOT_EXERCISED", 0.0, 1.0, False),
        (Result("x", Family(lambda m, d: m.log(1 / d), 0.1, 0.5)), "NOT_EXERCISED", 0.0, None, False),
        (Result("x", Gaussian(3.0)), "NOT_EXERCISED", 0.0, 3.0, False),
    ],
)
def test_what_is_told_of_an_outcome(
    result: Result, verdict: str, pressure: float, claimed: float | None, near: bool
) -> None:
    assert result.verdict == Verdict[verdict]
    assert result.pressure == pytest.approx(pressure)
    promised = result.instance.promise
    assert (promised and promised.value) == (None if claimed is None else pytest.approx(claimed))
    assert is_near(result.instance) == near
    names = [NAMES[basis] for basis in result.rests_on]
    wanted = {
        "CONSISTENT": ["law"] * (result.bounds is not None) + ["samples"] * (result.sampled is not None),
        "REFUTED": ["law"] * (result.bounds is not None) + ["samples"] * (result.sampled is not None),
    }
    assert names == wanted.get(verdict, [])


def test_a_refutation_rests_on_what_refutes() -> None:
    both = Result("x", EPS, seen(0.5, 1.0), Bounds(1.5, 1.9, 1.0, 0.1))
    assert [NAMES[basis] for basis in both.rests_on] == ["law"]
    attained = both._replace(sampled=seen(1.0, 1.0))  # which contradicts nothing
    assert [NAMES[basis] for basis in attained.rests_on] == ["law"]
    other = Result("x", EPS, seen(1.5, 1.0), Bounds(0.5, 1.9, 1.0, 0.1))
    assert [NAMES[basis] for basis in other.rests_on] == ["samples"]
    wrong = Result("x", EPS, seen(0.5, 1.0), Bounds(1.5, 1.9, 1.0, 0.1), wrong="not its law")
    assert [NAMES[basis] for basis in wrong.rests_on] == ["law", "samples"]


def test_the_number_that_is_claimed_is_told_where_it_was_looked_at() -> None:
    """By the law where it says something, else by samples; of a curve with many numbers, none where nothing was."""
    many = Family(lambda m, d: m.log(1 / d), 0.1, 0.5)
    bounds = Bounds(0.25, 0.75, 2.5, 0.1)
    for result, number in (
        (Result("x", EPS, seen(0.5, 1.5), bounds), 2.5),
        (Result("x", EPS, seen(0.5, 1.5)), 1.5),
        (Result("x", Gaussian(0.75)), 0.75),
        (Result("x", many), None),
        (Result("x", None), None),
    ):
        assert (result.instance.promise and result.instance.promise.value) == number
    for place, there in (
        (0.05, [0.05, 1.5]),
        (0.1, [None, None]),
    ):  # at another delta than the law, or at the same
        sampled = Seen(Excess(-1.0, 0.5, place), (Sees(3.5),))._asdict() | {"trials": 70, "resolution": Sees(3.5)}
        row = instance_row(Result("x", EPS, SimpleNamespace(**sampled), bounds).instance)  # type: ignore[arg-type]
        assert row == ["x", derived.guarantee_name(EPS), 2.5, 0.1, 0.25, 0.75, 0.5, *there, 3.5, 70, "CONSISTENT"]
    nothing = instance_row(Result("x", None).instance)
    assert nothing == ["x", "not applicable", *[None] * 9, "NOT_APPLICABLE"]


def test_a_profile_is_drawn_beyond_all_that_is_told_of_it() -> None:
    assert evidence.largest_eps(Result("x", Family(lambda m, d: m.log(1 / d), 0.1, 0.5))) == 1
    assert evidence.largest_eps(Result("x", Approximate(0.1, 0.0))) == 1
    assert evidence.largest_eps(Result("x", Approximate(4.0, 0.0))) == 6
    assert evidence.largest_eps(Result("x", EPS, None, Bounds(8.0, 9.0, 1.0, 0.1))) == 12
    assert evidence.largest_eps(Result("x", EPS, None, Bounds(math.inf, math.inf, 6.0, 0.1))) == 9
    assert evidence.largest_eps(Result("x", EPS, seen(2.0, 1.0))) == 3
    assert evidence.largest_eps(Result("x", EPS, seen(math.inf, 1.0))) == 1.5
    assert evidence.largest_eps(Result("x", EPS, seen(400.0, 1.0))) == 50


@pytest.mark.parametrize("curve", [Gaussian(0.5), Approximate(0.5, 1e-3)], ids=str)
def test_what_would_have_been_seen_is_a_trade_off_from_end_to_end(curve: Any) -> None:
    """From never "right" to always "right", falling and no concave piece between; of the first mechanism, and of no
    subject that is refuted."""
    mechanism = next(iter(curve.extremal_mechanisms))
    caught = Resolution(2.0, 1e-3 if derived.parameter_name(curve) == "eps" else math.nan, mechanism)
    unseen = Resolution(math.inf, math.nan, mechanism)
    sampled = CertifiedTrials((), None, Excess(-0.1, 0.4, math.nan), (unseen, caught), 1000, 0.01)  # type: ignore[arg-type]
    alpha, beta = evidence.resolved_errors(Result("x", curve, sampled))
    assert (alpha[0], beta[0], alpha[-1], beta[-1]) == (0, 1, 1, 0)
    assert (np.diff(alpha) >= 0).all()
    assert (np.diff(beta) <= 0).all()
    assert (alpha + beta).min() < 0.7 <= 1 <= (alpha + beta).max()
    profile = evidence.resolved_profile(Result("x", curve, sampled), np.linspace(0, 9, 10))
    for eps, delta in profile:
        every = [1 - b - math.exp(eps) * a for a, b in zip(alpha, beta, strict=True)]
        assert delta == pytest.approx(max(every), rel=1e-12, abs=1e-15)
    assert profile[0][1] > 0.1
    assert (profile[-1][1] < 1e-4) == isinstance(curve, Gaussian)  # the other one has its delta everywhere
    for none in (sampled._replace(resolutions=(unseen,)), sampled._replace(excess=Excess(0.1, 0.6, math.nan))):
        assert [part.size for part in evidence.resolved_errors(Result("x", curve, none))] == [0, 0]


# -- scores and marks --------------------------------------------------------------------------------------------------


def test_an_output_is_halved_at_the_middle_of_the_search_trials() -> None:
    search = np.array(
        [[0.0, 1.0, np.nan], [1.0, 1.0, np.nan], [2.0, 5.0, np.nan], [9.0, 7.0, np.nan], [10.0, 1.0, np.nan]]
    )
    fresh = np.array([[2.0, 1.0, 1.0], [1.9, 1.1, np.nan], [np.inf, 0.9, np.inf], [np.nan, 3.0, 2.0]])
    found = [each.tolist() for each in output_events(search, fresh)]
    assert found == [
        [True, True, False, False],
        [False, False, True, False],  # 3 of 5 are at least 2, 2 of 5 above: as near, so the atom is not in it
        [True, True, True, True],
        [False, True, False, True],  # all are at least 1, 2 of 5 above
        [True, False, False, True],
    ]
    fewer = np.array([[3.0], [3.0], [3.0], [1.0], [2.0]])  # with the atom 3 of 5, without it none
    assert [each.tolist() for each in output_events(fewer, fewer)][1] == [True, True, True, False, False]


def test_marks_stand_out_from_those_beside_them_in_their_row() -> None:
    marks, sizes = np.random.default_rng(0).normal(size=27), (7, 5, 15)
    found, start = between.excess_over_neighbours(marks, sizes), 0
    for size in sizes:
        row = marks[start : start + size]
        for place in range(size):
            beside = [place + k for k in range(-between.COMPARED_NEIGHBOURS, between.COMPARED_NEIGHBOURS + 1) if k]
            mirrored = [row[k if 0 <= k < size else -1 - k if k < 0 else 2 * size - 1 - k] for k in beside]
            assert found[start + place] == pytest.approx(row[place] - sum(mirrored) / 8)
        start += size


# -- limits ------------------------------------------------------------------------------------------------------------


def test_values_lie_in_their_range_up_to_rounding() -> None:
    slack = expectation.rounding_of_sums(0.0, -2.0, 5.0)
    values = np.array([-2 - slack / 2, -2.0, 0.0, 5 + slack / 2])
    assert expectation.require_in_range(values, -2.0, 5.0).tolist() == [-2.0, -2.0, 0.0, 5.0]
    for wrong in (-2 - 2 * slack, 5 + 2 * slack, np.nan, np.inf):
        with pytest.raises(ValueError, match="run 2 has the result"):
            expectation.require_in_range(np.array([0.0, 1.0, wrong]), -2.0, 5.0)
    with pytest.raises(ValueError, match="at least one run"):
        expectation.require_in_range(np.array([]), 0.0, 1.0)


def test_what_rounding_may_add_is_a_share_of_the_larger_end_or_of_one() -> None:
    for low, high, size in ((-2.0, 5.0, 5.0), (-7.0, 3.0, 7.0), (0.0, 0.25, 1.0), (1e6, 2e6, 2e6)):
        for bound in (low, high):
            assert expectation.rounding_of_sums(bound, low, high) == pytest.approx(1e-9 * size, rel=1e-12, abs=0)
    assert expectation.rounding_of_shares(-4.0, 0.0, 1.0) == pytest.approx(4e-12, rel=1e-12, abs=0)


def test_a_bound_at_an_end_of_the_range_is_reached_by_runs_at_that_end() -> None:
    for upper, end in ((True, -3.0), (False, 8.0)):
        assert expectation.refuting_mean_by_anderson(1000, end, -3.0, 8.0, 1e-6, upper) == end
        assert (
            expectation.refuting_mean_by_anderson(1000, end, -3.0, 8.0, 0.6, upper) == math.inf
        )  # of which nothing is known


@pytest.mark.parametrize(("n", "level"), [(10, 0.05), (1000, 1e-6)])
def test_all_runs_beyond_a_value_put_their_mean_beyond_the_bound(n: int, level: float) -> None:
    """A share `tail_error_by_massart` of the probability lies at the worst end of the range, the rest at the value."""
    shift = expectation.tail_error_by_massart(n, level)
    assert 0 < shift == math.sqrt(math.log(1 / level) / (2 * n)) < 1
    for bound in (2.0, 3.0):
        above = expectation.refuting_mean_by_anderson(n, bound, 0.0, 10.0, level, upper=True)
        below = expectation.refuting_mean_by_anderson(n, bound + 5, 0.0, 10.0, level, upper=False)
        assert (1 - shift) * above + shift * 0.0 == pytest.approx(bound)
        assert (1 - shift) * below + shift * 10.0 == pytest.approx(bound + 5)
    assert expectation.refuting_mean_by_anderson(n, 9.99, 0.0, 10.0, level, upper=True) == math.inf
    assert expectation.refuting_mean_by_anderson(n, 0.01, 0.0, 10.0, level, upper=False) == math.inf
    assert expectation.refuting_mean_by_anderson(1, 5.0, 0.0, 10.0, 1e-9, upper=True) == math.inf
    assert expectation.tail_error_by_massart(1, 1e-9) == expectation.tail_error_by_massart(10**9, 0.6) == 1


# -- certificates' numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True])
def test_a_certificate_of_selections_shows_as_few_transcripts_as_will_do(turned: bool) -> None:
    """The likeliest ones by their ratio, on whichever side more is gained, until they gain a hundredth more than delta;
    where not even all of them do, there is none."""
    policy = ThompsonSampling(2, 3)
    pair = flipped("pull", np.array([[0.0] * 3, [1.0, 0.5, 0.5]]), 0, 0, 1.0)
    found, exact = enumerate_transcripts(policy, pair), exact_profile(policy, pair, 0.01, deep=False)
    pair, exact = (pair.swapped(), exact.swapped) if turned else (pair, exact)
    order = np.argsort(-found.left / found.right, kind="stable")
    left, right = np.cumsum(found.left[order]), np.cumsum(found.right[order])
    gained = left - math.exp(0.2) * right
    assert gained.max() > 1.1 * np.maximum(found.right - math.exp(0.2) * found.left, 0).sum()

    def made(delta: float) -> Any:
        return made_certificates.policy_refutation("x", policy, pair, Approximate(0.2, delta), exact, delta)

    for delta in (0.0, 0.06, float(gained.max()) / 1.011):
        many = int((gained > 1.01 * delta).argmax())
        certificate = made(delta)
        assert verify(certificate).ok
        assert float(certificate["left_probability"][0]) == pytest.approx(left[many], rel=1e-9)
        assert float(certificate["right_probability"][0]) == pytest.approx(right[many], rel=1e-9)
    assert made(float(gained.max()) / 1.009) is None


@pytest.mark.first(1)
@pytest.mark.parametrize(("horizon", "eps"), [(9, 1.0), (10, 1.5)])
def test_certificates_of_nine_or_ten_rounds(horizon: int, eps: float) -> None:
    """A delta that is 5 per cent too small is refuted, by far more than 64 transcripts."""
    policy, pair = ThompsonSampling(2, horizon), flipped("pull", np.zeros((2, horizon)), 0, 0, 1.0)
    found = enumerate_transcripts(policy, pair)
    left, right = found.left, found.right
    delta = max(float(np.maximum(0, p - math.exp(eps) * q).sum()) for p, q in ((left, right), (right, left)))
    exact = exact_profile(policy, pair, 0.01, deep=False)
    for claimed, made in ((0.95 * delta, True), (1.01 * delta, False)):
        certificate = made_certificates.policy_refutation("x", policy, pair, Approximate(eps, claimed), exact, claimed)
        assert (certificate is not None and verify(certificate).ok) is made


@pytest.mark.parametrize("eps", ["0", "1", "5/2"])
def test_a_violation_takes_a_share_of_its_event_that_no_rounding_makes(eps: str) -> None:
    """1e-8 of the event's probability on the left at least, compared with that on the right at most."""
    for share, wanted in ((1.1e-8, True), (0.9e-8, False), (-0.5, False)):
        right = (0.5 * (1 - share) - 0.125) / math.exp(float(Fraction(eps)))
        ends = {"left_probability": ["1/2", "9/10"], "right_probability": ["1/100000", str(Fraction(right))]}
        assert made_certificates.is_clear_violation({"eps": eps, "delta": "1/8", "variables": {}, **ends}) is wanted


def test_a_law_that_is_not_that_of_the_selections_makes_no_certificate() -> None:
    """The policy's own chances lie between the ends, or beside them by a millionth."""
    ends = {"left_probability": ["1/4", "1/2"], "right_probability": ["1/1000", "1/500"]}
    for off, close in ((0.9e-6, True), (1.1e-6, False), (-0.1, True)):
        for left, right in (
            (0.25 / (1 + off), 1.5e-3),
            (0.5 / (1 - off), 1.5e-3),
            (0.3, 1e-3 / (1 + off)),
            (0.3, 2e-3 / (1 - off)),
        ):
            assert made_certificates.has_chances(ends, (left, right)) is close
