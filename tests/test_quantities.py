"""Quantities as data: what a page brings, probabilities by exact limits, runs by what they cost."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from dpbandits import QUICK, Bernoulli, Pulls, Verdict
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.regret.bounds import affordable_runs, judge_regret
from dpbandits.audit.regret.orderings import judge_ordering
from dpbandits.audit.statistics.expectation import (
    mean_limits_by_clopper_pearson,
    mean_method,
    refuting_count,
    rounding_of_shares,
)
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.bandits.quantities import (
    ERROR_PROBABILITY,
    PSEUDO_REGRET,
    REGRET,
    SIMPLE_REGRET,
    Quantity,
    Runs,
)
from dpbandits.reference.claims.model import AtLeast, AtMost, Claim, Ordering, Source
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.sajed19 import DPSE

EASY = Bernoulli((0.9, 0.1))
RUN = Run(replace(QUICK, trials=2_000, steps=20_000, regret_runs=60), seed=0, level=1e-6)


@dataclass(frozen=True)
class Guess:
    """Pulls both arms once and recommends the second one with this chance, whatever they paid."""

    chance: float
    horizon: int = 2
    arms: int = 2
    answers: bool = True

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        if t == 1:
            return Pulls(np.ones((len(state), 2), dtype=int))
        return Pulls.answer((noise.uniform("answer", t) < self.chance).astype(int), 2)

    def learn(self, t, state, pulls, sums, noise):
        return state


def bounded(kind, bound, quantity, subject=Guess, **parameters):
    return Claim(
        "test/bound",
        Source("test", "here", "text"),
        kind(quantity, lambda policy, environment: bound),
        subject=subject,
        params=({"environment": EASY, **parameters},),
        expect=Verdict.CONSISTENT,
    )


# -- exact limits ------------------------------------------------------------------------------------------------


def test_limits_of_a_probability_solve_their_equations():
    """P(Binomial(n, low) >= k) = level = P(Binomial(n, high) <= k), and nothing is known beyond the ends."""
    n, level = 30, 1e-4
    for k in (0, 1, 7, 29, 30):
        values = np.arange(n) < k
        limits = mean_limits_by_clopper_pearson(values.astype(float), 0.0, 1.0, level)
        assert limits.mean == pytest.approx(k / n)
        assert limits.low == 0 if k == 0 else stats.binom.sf(k - 1, n, limits.low) == pytest.approx(level, rel=1e-9)
        assert limits.high == 1 if k == n else stats.binom.cdf(k, n, limits.high) == pytest.approx(level, rel=1e-9)


def test_limits_of_two_other_values():
    limits = mean_limits_by_clopper_pearson(np.array([-1.0, 3.0, 3.0]), -1.0, 3.0, 0.1)
    plain = mean_limits_by_clopper_pearson(np.array([0.0, 1.0, 1.0]), 0.0, 1.0, 0.1)
    assert tuple(limits) == pytest.approx([-1 + 4 * each for each in plain])
    with pytest.raises(ValueError, match=r"run 1 has the result 0\.5, but this quantity is always 0 or 1"):
        mean_limits_by_clopper_pearson(np.array([0.0, 0.5]), 0.0, 1.0, 0.1)
    with pytest.raises(ValueError, match="the range of this quantity"):
        mean_limits_by_clopper_pearson(np.array([2.0]), 0.0, 1.0, 0.1)


def test_a_bound_that_a_count_s_limit_attains_is_refuted_by_the_next_one():
    """A limit has to pass the bound, up to rounding, not to come to it."""
    runs, level, low, high = 40, 1e-3, -2.0, 6.0
    for count in (14, 25, 40):
        least, most = (
            mean_limits_by_clopper_pearson(low + 8 * (np.arange(runs) < k), low, high, level)
            for k in (count, 40 - count)
        )
        assert refuting_count(runs, least.low, low, high, level, upper=True) == (count + 1 if count < 40 else None)
        assert refuting_count(runs, least.low * (1 - np.sign(least.low) * 1e-9), low, high, level, upper=True) == count
        assert refuting_count(runs, most.high, low, high, level, upper=False) == (39 - count if count < 40 else None)
        assert (
            refuting_count(runs, most.high * (1 + np.sign(most.high) * 1e-9), low, high, level, upper=False)
            == 40 - count
        )


@pytest.mark.parametrize("bound", [0.0, 1e-9, 0.05, 0.5, 0.999])
@pytest.mark.parametrize("upper", [True, False])
def test_a_true_bound_is_refuted_no_more_often_than_allowed(bound, upper):
    """With the bound attained, the count from which on it is refuted comes up with probability `level` at most; one
    count nearer it would be more."""
    n, level = 40, 1e-3
    count = refuting_count(n, bound, 0.0, 1.0, level, upper)
    coin = stats.binom(n, bound + (rounding_of_shares(bound, 0, 1) if upper else -rounding_of_shares(bound, 0, 1)))
    if upper:
        assert count is not None or coin.sf(n - 1) > level
        assert count is None or (coin.sf(count - 1) <= level and (count == 1 or coin.sf(count - 2) > level))
    else:
        assert (count is None) == (coin.cdf(0) >= level)
        assert count is None or (coin.cdf(count) <= level < coin.cdf(count + 1))


# -- the error probability -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "bound", "chance", "verdict"),
    [
        (AtMost, 0.05, 0.1, Verdict.REFUTED),
        (AtMost, 0.05, 0.05, Verdict.CONSISTENT),  # attained
        (AtMost, 0.05, 0.01, Verdict.CONSISTENT),
        (AtMost, 0.0, 0.01, Verdict.REFUTED),  # a single error refutes
        (AtMost, 0.0, 0.0, Verdict.CONSISTENT),
        (AtMost, 1.0, 1.0, Verdict.NOT_EXERCISED),
        (AtLeast, 0.05, 0.01, Verdict.REFUTED),
        (AtLeast, 0.05, 0.05, Verdict.CONSISTENT),
        (AtLeast, 0.001, 0.0, Verdict.NOT_EXERCISED),  # 2000 runs without an error would not refute it
        (AtLeast, 0.0, 0.0, Verdict.NOT_EXERCISED),
        (AtLeast, 1.0, 0.99, Verdict.REFUTED),
    ],
)
def test_bounds_on_an_error_probability(kind, bound, chance, verdict):
    finding = judge_regret(bounded(kind, bound, ERROR_PROBABILITY, chance=chance), RUN)
    assert finding.verdict is verdict, finding
    if verdict in (Verdict.REFUTED, Verdict.CONSISTENT):
        assert "mean error probability" in finding.summary
        assert finding.evidence[0]["rows"][0]["trials"] == 2000


def test_the_resolution_of_a_probability_is_true():
    """So many errors refute the bound and one less does not; and the probability that is caught is."""
    claim = bounded(AtMost, 0.05, ERROR_PROBABILITY, chance=0.05)
    told = re.search(
        r"in at least (\d+) of 2000 runs\. A true expectation of (\S+) or more would be detected with probability 0.9",
        judge_regret(claim, RUN).resolution,
    )
    assert told is not None
    count, share = int(told[1]), float(told[2])
    assert stats.binom.sf(count - 1, 2000, share) == pytest.approx(0.9, abs=2e-3)
    assert stats.binom.sf(count - 1, 2000, 0.05) <= RUN.level < stats.binom.sf(count - 2, 2000, 0.05)


def test_an_answer_is_wrong_only_where_a_better_arm_exists():
    equal = Bernoulli((0.5, 0.5, 0.2))
    runs = type("R", (), {"answers": np.array([0, 1, 2])})
    assert ERROR_PROBABILITY.of(None, equal, runs).tolist() == [0, 0, 1]
    assert SIMPLE_REGRET.of(None, equal, runs) == pytest.approx([0, 0, 0.3])


def test_a_policy_without_answers_has_no_error_probability():
    with pytest.raises(
        ValueError, match="ThompsonSampling gives no final recommendation in run 0; a policy that recommends"
    ):
        judge_regret(bounded(AtMost, 0.5, ERROR_PROBABILITY, ThompsonSampling, arms=2, horizon=3), RUN)


def test_the_simple_regret_has_a_range():
    assert judge_regret(bounded(AtMost, 0.1, SIMPLE_REGRET, chance=0.9), RUN).verdict is Verdict.REFUTED
    assert judge_regret(bounded(AtMost, 0.8, SIMPLE_REGRET, chance=0.9), RUN).verdict is Verdict.NOT_EXERCISED


# -- what a page brings ----------------------------------------------------------------------------------------------


def second_arm(policy, environment, runs):
    return runs.pulls[:, 1] / runs.pulls.sum(axis=1)


def test_a_quantity_of_ones_own():
    """It needs nothing but its own file: bounds, orderings, texts."""
    share = Quantity("share of the second arm", second_arm, lambda policy, environment: (0.0, 1.0))
    finding = judge_regret(bounded(AtMost, 0.2, share, chance=0.5), RUN)
    assert finding.verdict is Verdict.REFUTED
    assert "the mean share of the second arm of 60 runs is 0.5." in finding.summary
    bare = Quantity("share of the second arm", second_arm)
    with pytest.raises(ValueError, match="the range of 'share of the second arm' is unknown, so no bound"):
        judge_regret(bounded(AtMost, 0.2, bare, chance=0.5), RUN)
    settings = {"guess": (Guess(0.5), EASY), "thompson": (ThompsonSampling(2, 50), EASY)}
    claim = Claim(
        "test/order", Source("test", "here", ""), Ordering(bare, settings, (("guess", "thompson"),)), Verdict.REFUTED
    )
    assert judge_ordering(claim, replace(RUN, level=1e-3)).verdict is Verdict.REFUTED


# -- what a run costs ------------------------------------------------------------------------------------------------


def test_runs_of_a_probability_by_what_they_cost():
    for policy, runs in ((Guess(0.5), 2_000), (ThompsonSampling(2, 100), 200), (ThompsonSampling(2, 400), 60)):
        assert affordable_runs(ERROR_PROBABILITY, policy, EASY, RUN) == runs
        assert affordable_runs(PSEUDO_REGRET, policy, EASY, RUN) == 60


def test_a_given_policy_needs_no_hash():
    class Mine(Guess):
        __hash__ = None  # as of a dataclass that is not frozen

    assert affordable_runs(ERROR_PROBABILITY, Mine(0.5), EASY, RUN) == 2_000


def test_experiments_of_long_horizons_in_few_steps_are_played():
    """T = 1e7 in a handful of epochs, beside a profile that plays 100 000 steps."""
    gentle, rough = DPSE(2, 10**7, eps=1.0), DPSE(2, 10**7, eps=0.001)
    settings = {"1": (gentle, EASY), "0.001": (rough, EASY)}
    claim = Claim(
        "test/order", Source("test", "here", ""), Ordering(PSEUDO_REGRET, settings, (("0.001", "1"),)), Verdict.REFUTED
    )
    found = judge_ordering(claim, replace(RUN, level=1e-6))
    assert found.verdict is Verdict.REFUTED, found.summary
    single = {**settings, "thompson": (ThompsonSampling(2, 10**7), EASY)}
    long = replace(claim, says=replace(claim.says, settings=single))
    small = replace(RUN, profile=replace(RUN.profile, experiment_horizon=300))
    assert "10000000 rounds and takes more than 300 steps" in judge_ordering(long, small).summary


@dataclass(frozen=True)
class Paying:
    """Arms of these means, whose rewards lie in this range."""

    means: tuple[float, ...]
    reward_range: tuple[float, float] = (0.0, 1.0)


def test_regret_by_hand():
    """Gaps 0.5, 0 and 2; what was paid counts for the realised one alone."""
    arms = Paying((1.5, 2.0, 0.0), (-1.0, 3.0))
    runs = Runs(np.array([[1, 0, 3], [2, 5, 0]]), np.array([[1.0, 0.0, -2.0], [3.0, 9.0, 0.0]]), np.array([2, 1]))
    assert PSEUDO_REGRET.of(None, arms, runs).tolist() == [0.5 + 6, 1.0]
    assert REGRET.of(None, arms, runs).tolist() == [2.0 * 4 + 1, 2.0 * 7 - 12]
    assert ERROR_PROBABILITY.of(None, arms, runs).tolist() == [1, 0]
    assert SIMPLE_REGRET.of(None, arms, runs).tolist() == [2, 0]


@pytest.mark.parametrize(
    ("arms", "realised", "pseudo", "gap"),
    [
        (Paying((1.5, 2.0, 0.0), (-1.0, 3.0)), (-7, 21), (0, 14), (0, 2)),  # 2 - 3 and 2 + 1, seven times
        (Paying((0.75, 0.5)), (-1.75, 5.25), (0, 1.75), (0, 0.25)),
        (Paying((1.0, 0.5)), (0, 7), (0, 3.5), (0, 0.5)),
        (Paying((0.0, 0.0)), (-7, 0), (0, 0), (0, 0)),
        (Paying((4.0, 1.0), (2.0, 3.0)), (0, 14), (0, 21), (0, 3)),  # no policy needs to pull at all
        (Paying((1.0, 0.5), (2.0, 3.0)), (-14, 0), (0, 3.5), (0, 0.5)),
    ],
)
def test_what_no_run_leaves(arms, realised, pseudo, gap):
    policy = Guess(0.5, horizon=7)
    assert REGRET.span(policy, arms) == pytest.approx(realised, rel=1e-12, abs=0)
    assert PSEUDO_REGRET.span(policy, arms) == REGRET.means(policy, arms) == pytest.approx(pseudo, rel=1e-12, abs=0)
    assert SIMPLE_REGRET.span(policy, arms) == pytest.approx(gap, rel=1e-12, abs=0)
    assert ERROR_PROBABILITY.span(policy, arms) == (0, 1)


def test_rewards_that_are_rarely_large_refute_no_regret():
    """An arm that pays 10^6 once in 10^6 pulls is the best one, and hardly ever pays: its regret looks like T."""
    rare, policy = TwoPoint((1e6, 1.0), (1e-6, 0.5)), SimpleNamespace(arms=2, horizon=10)
    assert REGRET.span(policy, rare) == pytest.approx((10 - 1e7, 10))
    unpaid = Runs(np.array([[10, 0]] * 999), np.zeros((999, 2)), np.full(999, -1))
    values = REGRET.of(policy, rare, unpaid)
    assert values.min() == 10
    assert mean_method(REGRET).limits(values, *REGRET.span(policy, rare), 1e-6).low < 0
    with pytest.raises(ValueError, match=r"Pareto.reward_range is \(0.5, inf\); it must be .* finite"):
        REGRET.span(policy, Pareto(2.0, (0.5, 1.0)))
    assert PSEUDO_REGRET.span(policy, Pareto(2.0, (0.5, 1.0))) == (0, 10)
