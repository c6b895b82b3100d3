"""The statistical judge of regret: limits that hold, bounds and orderings judged as they should be."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from dpbandits.audit.profile import QUICK, Run
from dpbandits.audit.regret import anderson, judge_ordering, judge_regret, pseudo_regret, welch
from dpbandits.audit.runs import columns, kind, side_by_side
from dpbandits.reference.environments import Bernoulli
from dpbandits.reference.ledger import AtLeast, AtMost, Claim, Ordering, Source, Verdict
from dpbandits.reference.papers.ou24 import REPAIRED, ThompsonSampling
from dpbandits.reference.papers.ou24.experiments import (
    BERNOULLI,
    BEST_AT_1,
    CANDIDATES,
    ETAS,
    EXPERIMENTS,
    GRID,
    HEADLINES,
    HORIZON,
    PLAIN,
    different_minimisers,
    named,
    settings,
    tuned,
)

SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right
RUN = Run(replace(QUICK, regret_runs=60, experiment_runs=10), seed=0, level=1e-6)
EASY = Bernoulli((0.9, 0.1))


def test_equal_values_have_the_limit_of_the_inequality():
    """All runs at v: P(X >= x) is at least 1 - sqrt(log(1/level)/(2n)) up to v, and that is all that is known."""
    shift = sqrt(np.log(1 / 0.01) / (2 * 50))
    limits = anderson(np.full(50, 3.0), 0.0, 10.0, 0.01)
    assert limits.mean == 3.0
    assert limits.low == pytest.approx(3.0 * (1 - shift), rel=1e-12)
    assert limits.high == pytest.approx(3.0 + 7.0 * shift, rel=1e-12)


def test_few_runs_say_nothing():
    limits = anderson(np.array([1.0]), 0.0, 2.0, 1e-9)
    assert (limits.low, limits.high) == (0.0, 2.0)


def test_the_limits_miss_no_more_often_than_allowed():
    generator, audits = np.random.default_rng(0), 2_000
    values = generator.binomial(1, 0.3, (audits, 50)).astype(float)
    found = [anderson(row, 0.0, 1.0, 0.05) for row in values]
    allowed = stats.binom.ppf(1 - SURE, audits, 0.05)
    assert sum(each.low > 0.3 for each in found) <= allowed
    assert sum(each.high < 0.3 for each in found) <= allowed


def test_welch_is_welch():
    generator = np.random.default_rng(1)
    one, other = generator.normal(1, 1, 12), generator.normal(0, 3, 7)
    theirs = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.99)
    ours = welch(one, other, 0.01)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_numbers_without_variance_compare_exactly():
    assert welch(np.full(3, 2.0), np.full(3, 1.0), 1e-9) == (1.0, 1.0, 1.0)


# -- side by side ------------------------------------------------------------------------------------------------


def test_policies_that_differ_in_numbers_are_played_as_one():
    policies = tuple(REPAIRED(arms=2, horizon=60, prepulls=b, variance=c) for b, c in ((0, 1.0), (3, 2.0), (30, 1.0)))
    joint = columns(policies, 4)
    assert joint.prepulls[:, 0].tolist() == [0] * 4 + [3] * 4 + [30] * 4
    played = side_by_side(policies, EASY, 4, seed=0)
    for policy, runs in zip(policies, played, strict=True):
        assert (runs.pulls.sum(axis=1) == 60).all()
        assert (runs.pulls >= policy.prepulls).all()
    assert (played[2].pulls == 30).all()


def test_playing_side_by_side_changes_no_law():
    policies = tuple(REPAIRED(arms=2, horizon=40, prepulls=b, variance=2.0) for b in (0, 4))
    together = side_by_side(policies, EASY, 400, seed=0)
    for place, policy in enumerate(policies):
        alone = side_by_side((policy,), EASY, 400, seed=1)[0]
        limits = welch(pseudo_regret(policy, EASY, together[place]), pseudo_regret(policy, EASY, alone), SURE)
        assert limits.low <= 0 <= limits.high


def test_policies_of_different_kinds_are_played_apart():
    policies = (ThompsonSampling(2, 10), REPAIRED(arms=2, horizon=10))
    assert [runs.pulls.sum() for runs in side_by_side(policies, EASY, 3, seed=0)] == [30, 30]


# -- bounds ------------------------------------------------------------------------------------------------------


def bounded(kind, bound, quantity="pseudo-regret", environment=EASY):
    return Claim(
        "test/bound",
        Source("test", "here", "text"),
        kind(quantity, lambda policy, environment: bound),
        subject=ThompsonSampling,
        params=({"arms": 2, "horizon": 50, "environment": environment},),
    )


@pytest.mark.parametrize(
    ("kind", "bound", "verdict"),
    [
        (AtMost, 0.3, Verdict.REFUTED),  # the first round alone costs 0.4 on average
        (AtMost, 25.0, Verdict.CONSISTENT),
        (AtMost, 39.9, Verdict.NOT_EXERCISED),  # 60 runs at 40 would certify no more than 40 (1 - 0.34)
        (AtMost, 40.0, Verdict.PROVED),  # T max gap = 50 * 0.8
        (AtMost, np.inf, Verdict.PROVED),
        (AtMost, None, Verdict.NOT_APPLICABLE),
        (AtLeast, 35.0, Verdict.REFUTED),
        (AtLeast, 0.0, Verdict.PROVED),
    ],
)
def test_bounds(kind, bound, verdict):
    finding = judge_regret(bounded(kind, bound), RUN)
    assert finding.verdict == verdict, finding
    assert ("trivially" in finding.summary) == (verdict == Verdict.PROVED)


def test_a_realised_regret_has_the_same_mean():
    assert judge_regret(bounded(AtMost, 30.0, "regret"), RUN).verdict in (Verdict.CONSISTENT, Verdict.NOT_EXERCISED)


def test_the_bound_of_a_users_policy():
    finding = judge_regret(bounded(AtMost, 0.3), RUN, subject=REPAIRED(arms=2, horizon=50, prepulls=10))
    assert finding.verdict == Verdict.REFUTED


def test_errors_name_what_is_missing():
    with pytest.raises(ValueError, match="environment"):
        judge_regret(replace(bounded(AtMost, 1.0), params=({"arms": 2, "horizon": 5},)), RUN)
    with pytest.raises(ValueError, match="unknown quantity"):
        judge_ordering(ordering("loss", ("good", "bad")), RUN)


# -- orderings ---------------------------------------------------------------------------------------------------


def ordering(quantity, *pairs):
    settings = {
        "good": (REPAIRED(arms=2, horizon=200, variance=0.5), EASY),
        "bad": (REPAIRED(arms=2, horizon=200, variance=500.0), EASY),
        "same": (REPAIRED(arms=2, horizon=200, variance=500.0), EASY),
    }
    settings["bad minus good"] = ((settings["bad"][0], settings["good"][0]), EASY)
    return Claim("test/order", Source("test", "here", "text"), Ordering(quantity, settings, pairs))


@pytest.mark.parametrize(
    ("pairs", "verdict", "told"),
    [
        ([("good", "bad")], Verdict.CONSISTENT, "1 are certified as claimed"),
        ([("bad", "good")], Verdict.REFUTED, "1 the other way round"),
        ([("bad", "same")], Verdict.CONSISTENT, "1 stay undecided"),
        ([("good", "bad minus good")], Verdict.CONSISTENT, "1 are certified as claimed"),
    ],
)
def test_orderings(pairs, verdict, told):
    finding = judge_ordering(ordering("pseudo-regret", *pairs), RUN)
    assert finding.verdict == verdict
    assert told in finding.summary


def test_orderings_do_not_depend_on_what_was_judged_before():
    wanted = ordering("pseudo-regret", ("good", "bad"))
    first = judge_ordering(wanted, RUN)
    judge_ordering(ordering("regret", ("bad", "good")), RUN)
    assert judge_ordering(wanted, RUN) == first


# -- the paper's experiments -------------------------------------------------------------------------------------


def test_every_setting_has_the_privacy_level_of_lemma_4():
    for eta in ETAS:
        for prepulls in GRID:
            policy = tuned(eta, prepulls)
            assert sqrt(HORIZON / (policy.variance * (prepulls + 1))) == pytest.approx(eta, rel=1e-12)


def test_experiments_name_their_settings():
    assert len({claim.id for claim in EXPERIMENTS}) == len(EXPERIMENTS)
    for claim in EXPERIMENTS:
        if isinstance(claim.says, Ordering):
            assert {label for pair in claim.says.pairs for label in pair} <= set(claim.says.settings)


def test_the_grid_is_sorted_and_holds_the_best_values():
    assert all(low < high for low, high in pairwise(GRID))
    assert {BEST_AT_1, *CANDIDATES} <= set(GRID[1:-1])


def test_the_pairs_of_best_depends_on_eta_imply_the_sentence():
    """Whatever the means are: if all pairs hold, no b has the least regret at eta = 1 and at eta = 5."""
    beaten = {
        eta: {b for b in GRID if any(larger == named(eta, b) for _, larger in different_minimisers())} for eta in ETAS
    }
    assert beaten[1] | beaten[5] == set(GRID)
    assert not beaten[2]


def test_algorithm_2_admits_the_settings_but_for_eta_5_from_4000_on():
    outside = [(eta, b) for eta in ETAS for b in GRID if tuned(eta, b).variance < 1]
    assert outside == [(5, b) for b in GRID if b >= 4000]


def test_algorithm_1_is_played_beside_the_others():
    """As columns of one policy, so that it costs no steps of its own."""
    every = settings(BERNOULLI, {1: 2000})
    alone = [policy for policy, _ in every.values() if not isinstance(policy, tuple)]
    assert len({kind(policy, place) for place, policy in enumerate(alone)}) == 1
    plain = every[PLAIN][0]
    assert (plain.prepulls, plain.variance) == (0, 1.0)


def test_claims_of_one_experiment_share_its_runs():
    for section in ("5.1", "5.2"):
        orderings = [c.says for c in EXPERIMENTS if isinstance(c.says, Ordering) and section in c.id.split("/")]
        assert len({tuple(says.settings.items()) for says in orderings}) == 1


def test_headlines_are_about_the_whole_grid():
    (below,) = (c for c in HEADLINES if c.id == "ou24/section-4/lower-regret/no-setting/5.1")
    assert set(below.says.pairs) == {(PLAIN, named(eta, b)) for eta in ETAS for b in GRID}
