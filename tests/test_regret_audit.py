"""The statistical judge of regret: limits that hold, bounds judged as they should be; the paper's experiments."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from dpbandits import QUICK, Bernoulli, Pulls, Seeded, Verdict, play
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.runs import joint_key, joint_policy, side_by_side
from dpbandits.audit.regret.bounds import bound_finding, judge_regret
from dpbandits.audit.statistics.expectation import (
    mean_limits_by_anderson,
    mean_method,
    quantity_range,
    tail_error_by_massart,
)
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.bandits.quantities import (
    ERROR_PROBABILITY,
    PSEUDO_REGRET,
    REGRET,
    SIMPLE_REGRET,
    Runs,
    pseudo_regret,
)
from dpbandits.reference.claims.findings import BoundedMean, RegretFound
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import AtLeast, AtMost, Claim, Ordering, Source
from dpbandits.reference.claims.text import regret_item
from dpbandits.reference.papers.ou24 import REPAIRED, ModifiedThompsonSampling, ThompsonSampling
from dpbandits.reference.papers.ou24.claims import EXPERIMENTS
from dpbandits.reference.papers.ou24.experiments import (
    BERNOULLI,
    BEST_AT_1,
    CANDIDATES,
    ETAS,
    GRID,
    HORIZON,
    PLAIN,
    different_minimisers,
    named,
    settings,
    tuned,
)
from dpbandits.reference.papers.ou24.experiments_sections_4_and_6 import HEADLINES
from dpbandits.reference.papers.ou24.quantities import LATER_REGRET, PREPULL_REGRET
from dpbandits.reference.papers.sajed19 import DPSE

SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right
RUN = Run(replace(QUICK, regret_runs=60, experiment_runs=10), seed=0, level=1e-6)
EASY = Bernoulli((0.9, 0.1))


def test_equal_values_have_the_limit_of_the_inequality():
    """All runs at v: P(X >= x) is at least 1 - sqrt(log(1/level)/(2n)) up to v, and that is all that is known."""
    shift = sqrt(np.log(1 / 0.01) / (2 * 50))
    limits = mean_limits_by_anderson(np.full(50, 3.0), 0.0, 10.0, 0.01)
    assert limits.mean == 3.0
    assert limits.low == pytest.approx(3.0 * (1 - shift), rel=1e-12)
    assert limits.high == pytest.approx(3.0 + 7.0 * shift, rel=1e-12)


def test_few_runs_say_nothing():
    limits = mean_limits_by_anderson(np.array([1.0]), 0.0, 2.0, 1e-9)
    assert (limits.low, limits.high) == (0.0, 2.0)


def test_the_limits_miss_no_more_often_than_allowed():
    generator, audits = np.random.default_rng(0), 2_000
    values = generator.binomial(1, 0.3, (audits, 50)).astype(float)
    found = [mean_limits_by_anderson(row, 0.0, 1.0, 0.05) for row in values]
    allowed = stats.binom.ppf(1 - SURE, audits, 0.05)
    assert sum(each.low > 0.3 for each in found) <= allowed
    assert sum(each.high < 0.3 for each in found) <= allowed


@pytest.mark.parametrize("level", [0.5, 0.6, 1.0])
def test_beyond_one_half_the_inequality_says_little(level):
    """Massart's constant is proved up to 1/2; there sqrt(log 2/(2n)) is all that may be subtracted."""
    known = sqrt(np.log(2) / 100) if level == 0.5 else 1.0
    assert tail_error_by_massart(50, level) == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("value", [-1.0, 11.0, np.nan, np.inf])
def test_a_value_out_of_its_range_is_an_error(value):
    with pytest.raises(ValueError, match=rf"run 1 has the result {value}, but the range of this quantity is \[0, 10\]"):
        mean_limits_by_anderson(np.array([5.0, value, 5.0]), 0.0, 10.0, 0.01)


def test_rounding_is_no_error_and_no_runs_are():
    limits = mean_limits_by_anderson(np.array([-1e-12, 10 + 1e-12]), 0.0, 10.0, 0.6)
    assert (limits.low, limits.high) == (0.0, 10.0)
    with pytest.raises(ValueError, match="at least one run"):
        mean_limits_by_anderson(np.array([]), 0.0, 10.0, 0.01)


def test_limits_are_one_sided_each_at_the_level():
    """Of a coin: the lower limit is the share of heads minus the allowance, the upper one plus."""
    heads = np.array([1.0] * 30 + [0.0] * 70)
    limits = mean_limits_by_anderson(heads, 0.0, 1.0, 0.01)
    shift = sqrt(np.log(100) / 200)
    assert limits == pytest.approx((0.3, 0.3 - shift, 0.3 + shift), rel=1e-12)


# -- side by side ------------------------------------------------------------------------------------------------


def test_policies_that_differ_in_numbers_are_played_as_one():
    policies = tuple(REPAIRED(arms=2, horizon=60, prepulls=b, variance=c) for b, c in ((0, 1.0), (3, 2.0), (30, 1.0)))
    joint = joint_policy(policies, np.repeat([0, 1, 2], 4)).joint
    assert joint.prepulls[:, 0].tolist() == [0] * 4 + [3] * 4 + [30] * 4
    played = side_by_side(policies, EASY, 4, seed=0)
    for policy, runs in zip(policies, played, strict=True):
        assert (runs.pulls.sum(axis=1) == 60).all()
        assert (runs.pulls >= policy.prepulls).all()
    assert (played[2].pulls == 30).all()


def test_only_policies_that_say_so_get_columns():
    """DP-SE's formulas do not broadcast over columns: it would fail, or play another policy."""
    gentle, rough = DPSE(2, 500, eps=1.0), DPSE(2, 500, eps=0.1)
    apart = side_by_side((gentle, rough), EASY, 3, seed=0)
    for place, policy in enumerate((gentle, rough)):
        alone = play(policy, EASY, Seeded(0, 3, place), 3)
        assert np.array_equal(apart[place].pulls, alone.pulls)


def test_playing_side_by_side_changes_no_law():
    policies = tuple(REPAIRED(arms=2, horizon=40, prepulls=b, variance=2.0) for b in (0, 4))
    together = side_by_side(policies, EASY, 400, seed=0)
    for place, policy in enumerate(policies):
        alone = side_by_side((policy,), EASY, 400, seed=1)[0]
        both = [pseudo_regret(policy, EASY, runs) for runs in (together[place], alone)]
        assert stats.ks_2samp(*both, method="exact").pvalue > SURE


def test_policies_of_different_kinds_are_played_apart():
    policies = (ThompsonSampling(2, 10), REPAIRED(arms=2, horizon=10))
    assert [runs.pulls.sum() for runs in side_by_side(policies, EASY, 3, seed=0)] == [30, 30]


# -- bounds ------------------------------------------------------------------------------------------------------


def bounded(kind, bound, quantity=PSEUDO_REGRET, environment=EASY):
    return Claim(
        "test/bound",
        Source("test", "here", "text"),
        kind(quantity, lambda policy, environment: bound),
        subject=ThompsonSampling,
        params=({"arms": 2, "horizon": 50, "environment": environment},),
        expect=Verdict.CONSISTENT,
    )


@pytest.mark.parametrize("runs", [60, 61, 67])
def test_a_finding_never_states_a_limit_that_is_stronger_than_what_is_certified(runs: int) -> None:
    """Lower limits are stored and told rounded down, upper ones up."""
    run = replace(RUN, profile=replace(QUICK, regret_runs=runs))
    for kind in (AtMost, AtLeast):
        claim = bounded(kind, 7.0)
        finding = judge_regret(claim, run)
        (found,) = finding.body.instances
        policy = ThompsonSampling(2, 50)
        played = side_by_side((policy,), EASY, runs, address(run.seed, claim.id, found.name))[0]
        low, high = quantity_range(PSEUDO_REGRET, policy, EASY)
        method = mean_method(PSEUDO_REGRET)
        limits = method.limits(PSEUDO_REGRET.of(policy, EASY, played), low, high, run.level)
        assert 0 < limits.low - found.low < 1e-5 * limits.low or limits.low == found.low == 0
        assert 0 < found.high - limits.high < 1e-5 * limits.high
        end, limit = ("lower", found.low) if kind is AtMost else ("upper", found.high)
        assert f"The certified {end} bound on the expectation is {limit:.6g}, and the claimed " in finding.summary


@pytest.mark.parametrize(
    ("kind", "bound", "verdict"),
    [
        (AtMost, 0.3, Verdict.REFUTED),  # the first round alone costs 0.4 on average
        (AtMost, 25.0, Verdict.CONSISTENT),
        (AtMost, 39.9, Verdict.NOT_EXERCISED),  # 60 runs at 40 would certify no more than 40 (1 - 0.34)
        (AtMost, 40.0, Verdict.NOT_EXERCISED),  # T max gap = 50 * 0.8: trivial
        (AtMost, np.inf, Verdict.NOT_EXERCISED),
        (AtMost, None, Verdict.NOT_APPLICABLE),
        (AtLeast, 35.0, Verdict.REFUTED),
        (AtLeast, 0.0, Verdict.NOT_EXERCISED),
        (AtLeast, 41.0, Verdict.REFUTED),  # above T max gap: no policy has so much regret
        (AtLeast, 1000.0, Verdict.REFUTED),
    ],
)
def test_bounds(kind, bound, verdict):
    finding = judge_regret(bounded(kind, bound), RUN)
    assert finding.verdict == verdict, finding
    trivial = bound is not None and (bound >= 40 if kind is AtMost else bound <= 0)
    assert ("trivially" in finding.summary) == trivial


def test_instances_that_hold_trivially_prove_nothing():
    """Neither alone, nor beside an instance that was played."""
    first = bounded(AtMost, 25.0)
    mixed = replace(
        first, says=AtMost(PSEUDO_REGRET, lambda policy, environment: 25.0 if policy.horizon == 50 else 1e9)
    )
    mixed = replace(mixed, params=(*first.params, {**first.params[0], "horizon": 60}))
    finding = judge_regret(mixed, RUN)
    assert finding.verdict is Verdict.CONSISTENT
    assert "1 of 2 instances hold trivially" in finding.summary


def test_a_realised_regret_has_the_same_mean():
    assert judge_regret(bounded(AtMost, 30.0, REGRET), RUN).verdict in (Verdict.CONSISTENT, Verdict.NOT_EXERCISED)


@pytest.mark.parametrize(
    ("kind", "bound", "verdict"),
    [
        (AtLeast, 0.5, Verdict.CONSISTENT),  # the mean is about 5
        (AtLeast, 39.0, Verdict.REFUTED),
        (AtLeast, 41.0, Verdict.REFUTED),  # T max gap is 40, though a realised regret may reach 45
        (AtLeast, 0.0, Verdict.NOT_EXERCISED),
        (AtMost, 0.5, Verdict.REFUTED),
        (AtMost, 30.0, Verdict.CONSISTENT),
        (AtMost, -1.0, Verdict.REFUTED),
        (AtMost, 40.0, Verdict.NOT_EXERCISED),
    ],
)
def test_bounds_on_the_realised_regret(kind, bound, verdict):
    run = replace(RUN, profile=replace(QUICK, regret_runs=3_000))
    finding = judge_regret(bounded(kind, bound, REGRET), run)
    assert finding.verdict == verdict, finding


class Fixed(NamedTuple):
    """Plays arm 1 in the first `bad` rounds."""

    bad: int
    arms: int = 2
    horizon: int = 50

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        return Pulls.one(np.full(len(state), int(t <= self.bad)), 2)

    def learn(self, t, state, pulls, sums, noise):
        return state


@pytest.mark.thorough
def test_a_bound_that_is_attained_is_not_refuted_by_rounding():
    """All 50 rounds cost 0.8, which is all there is to lose."""
    for bound in (40.0, 40.0 * (1 + 1e-12)):
        assert judge_regret(bounded(AtLeast, bound), RUN, Fixed(50)).verdict != Verdict.REFUTED
    assert judge_regret(bounded(AtLeast, 40.0 * (1 + 1e-6)), RUN, Fixed(50)).verdict == Verdict.REFUTED
    shift = 40 * tail_error_by_massart(60, RUN.level)  # what limits leave open of 60 runs that all come out at an end
    for off, verdict in ((3e-8, Verdict.CONSISTENT), (5e-8, Verdict.REFUTED)):  # of 4e-8, which rounding may be
        assert judge_regret(bounded(AtMost, 40 - shift - off), RUN, Fixed(50)).verdict == verdict
        assert judge_regret(bounded(AtLeast, shift + off), RUN, Fixed(0)).verdict == verdict


@pytest.mark.parametrize(("kind", "bound"), [(AtMost, 12.0), (AtLeast, 20.0)])
@pytest.mark.first(1)
def test_the_resolution_of_a_bound_is_true(kind, bound):
    """Runs that all come out a pull beyond the printed reach refute the bound, a pull before it they do not."""
    claim = bounded(kind, bound)
    (told,) = re.findall(
        r"of every run is (?:above|below) (\S+)\. The error probability", judge_regret(claim, RUN).resolution
    )
    reach = float(told) / 0.8
    inside, beyond = (floor(reach), floor(reach) + 1) if kind is AtMost else (ceil(reach), ceil(reach) - 1)
    assert judge_regret(claim, RUN, Fixed(beyond)).verdict == Verdict.REFUTED
    assert judge_regret(claim, RUN, Fixed(inside)).verdict == Verdict.CONSISTENT


def test_the_bound_of_a_users_policy():
    finding = judge_regret(bounded(AtMost, 0.3), RUN, subject=REPAIRED(arms=2, horizon=50, prepulls=10))
    assert finding.verdict == Verdict.REFUTED


def test_errors_name_what_is_missing():
    with pytest.raises(ValueError, match="environment"):
        judge_regret(replace(bounded(AtMost, 1.0), params=({"arms": 2, "horizon": 5},)), RUN)
    with pytest.raises(
        TypeError,
        match="the statement has type Private, but judge_regret checks only statements of type AtMost or AtLeast",
    ):
        judge_regret(ledger().by_id["ou24/lemma-3"], RUN)


def test_a_bound_without_a_policy_is_an_error() -> None:
    nobody = replace(bounded(AtMost, 1.0), subject=None, params=({"environment": EASY},))
    with pytest.raises(ValueError, match=r"a bound on regret needs a subject \(a policy\); give subject= to the claim"):
        judge_regret(nobody, RUN)
    assert judge_regret(nobody, RUN, ThompsonSampling(2, 50)).verdict is Verdict.REFUTED


def test_a_claim_without_instances_has_nothing_to_play() -> None:
    found = judge_regret(replace(bounded(AtMost, 1.0), params=()), RUN)
    assert (found.verdict, found.summary) == (Verdict.UNSUPPORTED, "the claim has no instances to play")
    for bounds in (AtMost, AtLeast):
        with pytest.raises(TypeError, match="the quantity is 'loss'; give a Quantity"):
            bounds("loss", lambda policy, environment: 1.0)
    with pytest.raises(ValueError, match="the range of 'regret of the pre-pulls' is unknown"):
        judge_regret(bounded(AtMost, 1.0, PREPULL_REGRET), RUN)


# -- quantities --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [np.nan, -np.inf])
def test_a_bound_that_is_no_number_is_an_error_and_no_verdict(bound):
    with pytest.raises(ValueError, match=rf"the bound is {bound}; it must be a finite number"):
        judge_regret(bounded(AtMost, bound), RUN)


def test_where_a_quantity_must_lie():
    """T = 50 at means 0.9 and 0.1: rewards in [0, 1], so the realised regret lies in 45 - [0, 50]."""
    policy = ThompsonSampling(2, 50)
    assert quantity_range(REGRET, policy, EASY) == pytest.approx((-5.0, 45.0), rel=1e-12)
    assert quantity_range(PSEUDO_REGRET, policy, EASY) == pytest.approx((0.0, 40.0), rel=1e-12)


def test_the_quantities_of_a_run():
    policy = REPAIRED(arms=2, horizon=50, prepulls=10)
    runs = Runs(np.array([[30, 20], [40, 10]]), np.array([[27.0, 2.0], [30.0, 5.0]]), np.array([0, 1]))
    expected = {
        PSEUDO_REGRET: [16.0, 8.0],
        REGRET: [16.0, 10.0],
        PREPULL_REGRET: [8.0, 8.0],
        LATER_REGRET: [8 / 30, 0.0],
        ERROR_PROBABILITY: [0.0, 1.0],
        SIMPLE_REGRET: [0.0, 0.8],
    }
    for quantity, values in expected.items():
        assert quantity.of(policy, EASY, runs) == pytest.approx(values, rel=1e-12), quantity
    assert LATER_REGRET.of(policy, EASY, runs)[1] == 0.0  # exactly: a tie must be one


def test_every_experiments_quantity_is_one_of_every_policy_that_it_plays():
    """The ledger's orderings: also of those that other papers brought along."""
    asked = {}
    for claim in ledger().claims:
        if isinstance(claim.says, Ordering):
            for policy, environment in claim.says.settings.values():
                for each in policy if isinstance(policy, tuple) else (policy,):
                    asked[claim.says.quantity, type(each), environment] = each
    assert len({policy for _, policy, _ in asked}) >= 9
    for (quantity, _, environment), policy in asked.items():
        even = np.full((3, policy.arms), policy.horizon // policy.arms)
        runs = Runs(even, even / 2, np.zeros(3, dtype=np.int64))
        assert np.isfinite(quantity.of(policy, environment, runs)).all(), (quantity, policy)


def test_no_rounds_after_the_pre_pulls():
    with pytest.raises(ValueError, match="no rounds are left"):
        LATER_REGRET.of(
            REPAIRED(arms=2, horizon=20, prepulls=10), EASY, Runs(np.full((1, 2), 10), np.zeros((1, 2)), np.full(1, -1))
        )


def test_the_same_pulls_give_the_same_number():
    """Wherever they stand among the rows: a matrix product may round rows differently."""
    pulls = np.random.default_rng(0).multinomial(100_000, [0.6, 0.1, 0.1, 0.1, 0.1], 257)
    pulls[1::2] = pulls[0]
    runs = Runs(pulls, np.zeros(pulls.shape), np.full(len(pulls), -1))
    values = pseudo_regret(None, TruncatedExponential((0.1, 1.0, 2.0, 5.0, 10.0)), runs)
    assert len(set(values[1::2])) == 1
    assert values[1] == values[0]


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
    alone = [policy for policy, _ in every.values() if isinstance(policy, ModifiedThompsonSampling)]
    assert len({joint_key(policy, place) for place, policy in enumerate(alone)}) == 1
    plain = every[PLAIN][0]
    assert (plain.prepulls, plain.variance) == (0, 1.0)


def test_claims_of_one_experiment_share_its_runs():
    for section in ("5.1", "5.2"):
        orderings = [c.says for c in EXPERIMENTS if isinstance(c.says, Ordering) and section in c.id.split("/")]
        assert len({tuple(says.settings.items()) for says in orderings}) == 1


@pytest.mark.parametrize("section", ["5.1", "5.2"])
def test_intermediate_b_and_c_are_compared_with_tuning_either_alone(section):
    """b = 0, and at eta = 5 the b whose c is 1; at eta = 1 and 2 that b would take more than T pulls."""
    (wins,) = (c for c in EXPERIMENTS if c.id == f"ou24/{section}/intermediate-wins")
    alone = {eta: round(HORIZON / eta**2) for eta in ETAS}
    assert [eta for eta, b in alone.items() if 5 * b <= HORIZON] == [5]
    assert tuned(5, alone[5]).variance == pytest.approx(1, rel=1e-3)
    others = {named(eta, 0) for eta in ETAS} | {named(5, alone[5])}
    assert others <= {larger for _, larger in wins.says.pairs}


def test_headlines_are_about_the_whole_grid():
    (below,) = (c for c in HEADLINES if c.id == "ou24/section-4/lower-regret/no-setting/5.1")
    assert set(below.says.pairs) == {(PLAIN, named(eta, b)) for eta in ETAS for b in GRID}


def test_the_instance_that_comes_nearest_to_its_bound_is_told() -> None:
    def one(label: str, mean: float) -> BoundedMean:
        return BoundedMean(label, "CONSISTENT", 10.0, 0.0, 99.0, mean, mean - 1, mean + 1, mean / 10, 7)

    far, near = one("far", 3.0), one("near", 8.0)
    for way, hardest in ((AtMost, "near"), (AtLeast, "far")):
        claim = bounded(way, 10.0)
        found = bound_finding(claim, claim.says, [far, near, far], RUN)
        assert found.summary.startswith(f"{hardest}: the mean ")


def test_how_near_an_instance_comes_is_a_share_of_its_own_bound() -> None:
    """3 of 4, 8 of 20, 1 of 1.25 and 2 of nothing; and each row says so."""
    every = [
        BoundedMean(label, "CONSISTENT", bound, 0.0, 99.0, mean, mean - 1, mean + 1, mean / bound if bound else None, 7)
        for label, mean, bound in (("near", 3.0, 4.0), ("far", 8.0, 20.0), ("nearest", 1.0, 1.25), ("zero", 2.0, 0.0))
    ]
    bare = BoundedMean("none", "NOT_APPLICABLE", None, 0.0, 9.0)
    rows = regret_item(RegretFound("regret", True, (*every, bare), 0, 1e-9))["rows"]
    assert [row["ratio"] for row in rows] == [0.75, 0.4, 0.8, None, None]
    assert rows[0] == {
        "label": "near", "mean": 3.0, "low": 2.0, "high": 4.0, "bound": 4.0, "ratio": 0.75, "trials": 7
    }  # fmt: skip
    assert rows[-1] == {**dict.fromkeys(rows[-1]), "label": "none", "trials": 0}
    for way, some, hardest, limit in (
        (AtMost, every[:3], "nearest", "lower bound on the expectation is 0,"),
        (AtLeast, every[:3], "far", "upper bound on the expectation is 9,"),
        (AtMost, every, "zero", "lower bound on the expectation is 1,"),
    ):
        claim = bounded(way, 10.0)
        told = bound_finding(claim, claim.says, some, RUN).summary
        assert told.startswith(f"{hardest}: the mean ")
        assert " of 7 runs is " in told
        assert f"The certified {limit} and the claimed " in told
