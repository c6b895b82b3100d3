"""The statistical judge of privacy: its scores are right, true claims survive, false ones and wrong laws do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import sqrt

import numpy as np
import pytest
from lottery import Lottery
from mutants import Silent
from scipy.stats import binom

from dpbandits import (
    QUICK,
    Approximate,
    Gaussian,
    GaussianNoisyMax,
    Pair,
    Pulls,
    ReportNoisyMax,
    Seeded,
    Step,
    Table,
    Verdict,
    flipped,
)
from dpbandits.audit.judges.effort import PROFILES, RISK, Run, run_over
from dpbandits.audit.play.transcripts import BLOCK, simulate_transcripts, stacked, step_counts, transcripts_of_arms
from dpbandits.audit.privacy.goodness import misfit
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio, probabilities
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts as enumerated
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.claims.model import Claim, Inequality, Ordering, Private, Source, Unjudged
from dpbandits.reference.curves import Family
from dpbandits.reference.papers.ou24 import PRINTED, ModifiedThompsonSampling, ThompsonSampling, single_step

SURE = 1e-6  # how improbable a failure of a statistical test here is, if the code is right
SMALL = replace(QUICK, trials=6_000, steps=120_000, pair_tries=2)
RUN = Run(SMALL, seed=0, level=1e-6)


def claim(curve, relation="pull", view="arms", subject=ThompsonSampling, params=({},)):
    says = Private(relation, view, curve)
    return Claim(
        "test/claim", Source("test", "here", "text"), says, subject=subject, params=params, expect=Verdict.CONSISTENT
    )


def gdp(mu):
    return lambda subject: Gaussian(mu)


def test_larger_profiles_audit_more_instances_at_the_same_level() -> None:
    """What quick leaves out, its finding says; the share of the error probability is that of all instances."""
    short, long = ({"arms": 2, "horizon": 2},), ({"arms": 2, "horizon": 3}, {"arms": 3, "horizon": 2})
    some = replace(claim(gdp(2.0), params=short), more_params=long)
    every = replace(some, params=(*short, *long), more_params=())
    assert run_over([some], QUICK, 0) == run_over([every], QUICK, 0)
    few, more = (
        judge_private(some, replace(RUN, profile=replace(SMALL, all_instances=each))) for each in (False, True)
    )
    assert [len(found.body.instances) for found in (few, more)] == [1, 3]
    texts = [[item["text"] for item in found.evidence if item["kind"] == "text"] for found in (few, more)]
    assert texts == [
        ["The profile quick checks 1 of the 3 instances of this claim. The profiles ci and deep check all."],
        [],
    ]
    assert more == judge_private(every, replace(RUN, profile=replace(SMALL, all_instances=True)))
    assert [profile.name for profile in PROFILES.values() if profile.all_instances] == ["ci", "deep"]


class Constant(Silent):
    def act(self, t, state, noise):
        return Pulls.one(np.zeros(noise.trials, dtype=int), self.arms)


@dataclass(frozen=True)
class Quiet(ThompsonSampling):
    """Draws with half of the deviation that its law speaks of."""

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation / 2 * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)


# -- scores ------------------------------------------------------------------------------------------------------


def naive_ratio(policy, pair, arms):
    """log P_right/P_left of one transcript, step by step, for one trial at a time."""
    logs = []
    for table in pair.environments():
        state, made, log, noise = policy.init(1), np.zeros((1, policy.arms), int), 0.0, Seeded(0, 1)
        for step, arm in enumerate(arms, start=1):
            law = policy.law(step, state)
            log += float(np.log(law.chance[0, arm]))
            pulls = Pulls(law.counts[:, arm])
            sums = table.draw(step, made, pulls.counts, None, noise)
            state, made = policy.learn(step, state, pulls, sums, noise), made + pulls.counts
        logs.append(log)
    return logs[1] - logs[0]


def rough_pair(relation, arms, rounds):
    rewards = np.random.default_rng(7).random((arms, rounds))
    return flipped(relation, rewards, 0, 0, 1 - round(rewards[0, 0]))


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(
    "policy",
    [
        ThompsonSampling(2, 7),
        ThompsonSampling(3, 6),
        ModifiedThompsonSampling(2, 9, prepulls=2, variance=3.0),
        PRINTED(arms=2, horizon=8, prepulls=1, variance=0.5),
    ],
    ids=str,
)
@pytest.mark.first(2)
def test_the_likelihood_ratio_is_the_naive_one(policy, relation):
    pair = rough_pair(relation, policy.arms, policy.horizon)
    seen = simulate_transcripts(policy, pair.environments()[0], 40, seed=3)
    naive = [naive_ratio(policy, pair, row) for row in seen.arms]
    # Sums of rewards in another order, and 9 digits of them as keys on streams.
    assert log_likelihood_ratio(policy, pair, seen) == pytest.approx(naive, abs=1e-7)


def test_transcripts_are_a_prefix_of_more_transcripts():
    policy, table = ThompsonSampling(2, 5), Table(np.full((2, 5), 0.5))
    few, more = (simulate_transcripts(policy, table, trials, seed=1).arms for trials in (BLOCK, BLOCK + 500))
    assert (more[:BLOCK] == few).all()
    assert (simulate_transcripts(policy, table, 100, seed=1).arms == few[:100]).all()


# -- goodness of fit ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_right_law_is_doubted_no_more_often_than_allowed():
    policy, audits = ThompsonSampling(2, 6), 200
    pair = rough_pair("pull", 2, 6)
    seen = (simulate_transcripts(policy, pair.environments()[0], 300, seed) for seed in range(audits))
    doubts = sum(misfit(policy, pair, each, 0.05) is not None for each in seen)
    assert doubts <= binom.ppf(1 - SURE, audits, 0.05)


def test_half_the_noise_does_not_fit():
    policy, pair = Quiet(2, 6), rough_pair("pull", 2, 6)
    seen = simulate_transcripts(policy, pair.environments()[0], 4_000, seed=0)
    found = misfit(policy, pair, seen, 1e-6)
    assert found is not None
    assert found.chance < 1e-6


def test_a_law_is_no_law_for_other_block_sizes():
    policy = ModifiedThompsonSampling(2, 8, prepulls=2)
    pair = Pair("pull", np.zeros((2, 8)), np.zeros((2, 8)))
    seen = simulate_transcripts(ThompsonSampling(2, 8), pair.environments()[0], 10, seed=0)
    found = misfit(policy, pair, seen, 1e-6)
    assert found is not None
    assert (found.where, found.declared, found.chance) == ("step 1, in the same state", 0.0, 0.0)
    assert np.isnan(log_likelihood_ratio(policy, pair, seen)).all()


# -- verdicts on policies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("longest", [5, pytest.param(9, marks=pytest.mark.thorough)])
def test_a_true_claim_survives_with_exact_numbers_and_a_resolution(longest):
    params = ({"arms": 2, "horizon": 2}, {"arms": 2, "horizon": longest}, {"arms": 3, "horizon": 4})
    finding = judge_private(claim(lambda policy: Gaussian(sqrt((policy.horizon - 1) / 2)), params=params), RUN)
    assert finding.verdict == Verdict.CONSISTENT
    table = next(item for item in finding.evidence if item["kind"] == "table")
    assert len(table["rows"]) == 3
    for row in table["rows"]:
        _, _, claimed, _, low, high, shown, _, _, caught, _, _ = row
        assert shown <= high + 1e-9  # samples cannot certify more than is true
        assert low <= high <= claimed < caught
    assert "probability 0.9" in finding.resolution


def test_a_false_claim_is_refuted_exactly_from_samples_and_with_a_certificate():
    finding = judge_private(claim(gdp(0.2), params=({"arms": 2, "horizon": 5},)), RUN)
    assert finding.verdict == Verdict.REFUTED
    assert "exact computation: " in finding.summary
    assert "samples certify" in finding.summary
    certificate = finding.evidence[-1]["certificate"]
    assert certificate["type"] == "release"
    assert verify(certificate).ok


@pytest.mark.thorough
def test_a_users_policy_without_a_law_is_refuted_by_behaviour_alone():
    finding = judge_private(claim(gdp(0.2)), RUN, subject=Silent(ThompsonSampling(2, 5)))
    assert finding.verdict == Verdict.REFUTED
    assert "exact computation: " not in finding.summary


def test_a_law_that_the_behaviour_does_not_follow_is_refuted_in_so_many_words():
    finding = judge_private(claim(gdp(50.0)), RUN, subject=Quiet(2, 6))
    assert finding.verdict == Verdict.REFUTED
    assert "does not follow its declared law" in finding.summary


@pytest.mark.thorough
def test_a_release_that_reveals_everything_is_refuted():
    class Raw(ThompsonSampling):
        """Plays arm 1 exactly if arm 0 has paid; says so in its law."""

        def law(self, t, state):
            first = (state.total[:, :1] > 0.5).astype(float)
            return np.concatenate([1 - first, first], axis=1)

        def act(self, t, state, noise):
            return Pulls.one((state.total[:, 0] > 0.5).astype(int), 2)

    assert judge_private(claim(gdp(3.0)), RUN, subject=Raw(2, 4)).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_streams_are_audited_by_samples():
    finding = judge_private(claim(gdp(0.3), relation="round", params=({"arms": 2, "horizon": 12},)), RUN)
    assert finding.verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_streams_are_judged_by_their_law_as_well():
    """mu is 1.049 on the pair that the search finds; samples alone show 0.71, and would let 1 pass."""
    finding = judge_private(claim(gdp(1.0), relation="round", params=({"arms": 2, "horizon": 8},)), RUN)
    assert finding.verdict == Verdict.REFUTED
    assert "above the claimed 1" in finding.summary
    assert "more than the claimed" not in finding.summary
    certificate = finding.evidence[-1]["certificate"]
    assert certificate["relation"] == "round"
    assert verify(certificate).ok


@pytest.mark.planted
@pytest.mark.parametrize("relation", ["pull", "round"])
def test_a_policy_of_blocks_is_judged_by_its_law(relation):
    finding = judge_private(claim(gdp(3.0), relation=relation), RUN, subject=Lottery(8))
    assert finding.verdict == Verdict.CONSISTENT
    assert "exact computation: " in finding.summary
    finding = judge_private(claim(gdp(3.0), relation=relation), RUN, subject=Lottery(8, bias=0.1))
    assert finding.verdict == Verdict.REFUTED
    assert "does not follow its declared law" in finding.summary


def test_the_likelihood_ratio_of_blocks_that_end_at_different_steps():
    policy, pair = Lottery(7), flipped("pull", np.linspace(0, 1, 14).reshape(2, 7), 1, 0, 0.0)
    listed = enumerated(policy, pair)
    ratios = {
        tuple(map(tuple, one)): q - p for one, p, q in zip(listed.released.tolist(), *np.log(listed[1:3]), strict=True)
    }
    seen = simulate_transcripts(policy, pair.environments()[1], 400, seed=2)
    found = log_likelihood_ratio(policy, pair, seen)
    assert {3, 4, 5, 6} <= set((seen.sizes > 0).sum(axis=1).tolist())
    steps = listed.released.shape[1]
    for one, ratio in zip(step_counts(seen, 2).tolist(), found, strict=True):
        padded = one + [[0, 0]] * (steps - len(one))
        assert ratio == pytest.approx(ratios[tuple(map(tuple, padded))], abs=1e-9)


def test_a_release_that_the_law_excludes_is_a_misfit_at_once():
    """One run in 500 releases what its state never offers: no statistics is needed."""
    policy, pair = Lottery(7), flipped("pull", np.ones((2, 7)), 1, 0, 0.0)
    seen = simulate_transcripts(policy, pair.environments()[0], 500, seed=2)
    assert misfit(policy, pair, seen, 1e-9) is None
    seen.counts[77, 1] = [3, 3]
    found = misfit(policy, pair, seen, 1e-9)
    assert found is not None
    where = "step 2, in the same state"
    assert (found.where, found.release, found.declared, found.chance) == (where, "the pulls [3, 3]", 0.0, 0.0)
    assert np.isnan(log_likelihood_ratio(policy, pair, seen)).nonzero()[0].tolist() == [77]


@pytest.mark.parametrize(
    ("subject", "curve", "verdict"),
    [
        (ThompsonSampling(2, 1), gdp(0.5), Verdict.CONSISTENT),  # round 1 reads no reward, and its law says so
        (Constant(ThompsonSampling(2, 6)), gdp(0.5), Verdict.NOT_EXERCISED),  # nothing varies
        (Silent(ThompsonSampling(2, 6)), gdp(50.0), Verdict.NOT_EXERCISED),  # no sample could refute it
        (ThompsonSampling(2, 6), lambda policy: None, Verdict.NOT_APPLICABLE),
    ],
)
def test_an_audit_that_could_not_fail_says_so(subject, curve, verdict):
    assert judge_private(claim(curve), RUN, subject=subject).verdict == verdict


@pytest.mark.thorough
def test_findings_repeat_and_depend_on_the_seed():
    first, again, other = (
        judge_private(claim(gdp(1.0)), replace(RUN, seed=seed), subject=Silent(ThompsonSampling(2, 3)))
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.thorough
def test_all_samples_of_theta_reveal_more_than_the_arms_and_keep_the_claim():
    """The proof's view: sqrt(T/2) holds; at half of it, samples refute it."""
    params = ({"arms": 2, "horizon": 4},)
    kept = claim(lambda policy: Gaussian(sqrt(policy.horizon / 2)), view="samples", params=params)
    broken = claim(lambda policy: Gaussian(sqrt(policy.horizon / 2) / 3), view="samples", params=params)
    assert judge_private(kept, RUN).verdict == Verdict.CONSISTENT
    assert judge_private(broken, RUN).verdict == Verdict.REFUTED


@pytest.mark.parametrize("relation", ["history", "query"])
def test_a_promise_of_a_single_step_is_not_of_a_policy(relation):
    with pytest.raises(ValueError, match=f"horizon=3.*{relation!r} is about a single step.*make the subject a Step"):
        judge_private(claim(gdp(1.0), relation, params=({"arms": 2, "horizon": 3},)), RUN)


def test_a_claim_without_a_subject_is_an_error():
    with pytest.raises(ValueError, match="needs a subject"):
        judge_private(claim(gdp(1.0), subject=None), RUN)


def test_a_claim_of_another_kind_is_an_error():
    other = replace(claim(gdp(1.0)), says=Unjudged("nobody knows"))
    with pytest.raises(
        TypeError, match="the statement has type Unjudged, but judge_private checks only statements of type Private"
    ):
        judge_private(other, RUN)


# -- verdicts on one-shot mechanisms -----------------------------------------------------------------------------

WORST = {"pulls": (1, 10**8), "left": (1.0, 5e7), "right": (0.0, 5e7)}


@pytest.mark.planted
def test_a_tight_step_alarms_no_more_often_than_allowed():
    """All noisy values of a step with n_j = 1 are exactly sqrt(1/2)-GDP: the claim is attained, at a level of 5 %."""
    tight, audits = claim(gdp(sqrt(0.5)), "history", "samples", single_step, (WORST,)), 100
    runs = (Run(replace(SMALL, trials=2_000), seed, 0.05) for seed in range(audits))
    alarms = sum(judge_private(tight, run).verdict == Verdict.REFUTED for run in runs)
    assert alarms <= binom.ppf(1 - SURE, audits, 0.05)


def test_a_tight_step_is_consistent_and_a_little_less_is_refuted():
    for mu, verdict in ((sqrt(0.5), Verdict.CONSISTENT), (0.99 * sqrt(0.5), Verdict.REFUTED)):
        for view in ("arms", "samples"):
            assert judge_private(claim(gdp(mu), "history", view, single_step, (WORST,)), RUN).verdict == verdict


def test_opposite_queries_refute_report_noisy_max_with_a_certificate():
    """Two queries that move against each other: the ratio of tails tends to e^(2 eps)."""
    for right, verdict in (((-1.0, 1.0), Verdict.REFUTED), ((-1.0, 0.0), Verdict.CONSISTENT)):
        step = Step(ReportNoisyMax(1.0), (0.0, 0.0), right, (1.0, 1.0))
        finding = judge_private(claim(lambda step: Approximate(1.0), "query"), RUN, subject=step)
        assert finding.verdict == verdict
        if verdict == Verdict.REFUTED:
            assert verify(certificate_of(finding)).ok


def certificate_of(finding):
    """The one that it carries."""
    (item,) = [item for item in finding.evidence if item["kind"] == "certificate"]
    return item["certificate"]


def test_a_family_is_searched_along_its_whole_curve():
    """eps = sqrt(log(1/(2 delta)))/2 for s = sigma: too small for small delta, where the gap is a few percent."""
    family = Family(lambda m, delta: m.sqrt(m.log(1 / (2 * delta))) / 2, 1e-6, 0.5)
    step = Step(GaussianNoisyMax((1.0, 1e-4)), (1.0, 0.0), (0.0, 0.0), (1.0, 0.0))
    finding = judge_private(claim(lambda step: family, "query"), RUN, subject=step)
    assert finding.verdict == Verdict.REFUTED
    assert verify(certificate_of(finding)).ok


def test_a_step_that_does_not_follow_its_law_is_refuted():
    class Loud(GaussianNoisyMax):
        def law(self, values: Array) -> Array:
            return argmax_law(np.asarray(values)[None, :], 2 * np.asarray(self.scales)[None, :])[0]

    step = Step(Loud((1.0, 1.0)), (1.0, 0.0), (0.0, 0.0), (1.0, 0.0))
    finding = judge_private(claim(gdp(5.0), "query"), RUN, subject=step)
    assert finding.verdict == Verdict.REFUTED
    assert "does not follow its declared law" in finding.summary


def test_a_step_without_a_law_is_judged_by_samples():
    class Black:
        def release(self, values, noise, index=0):
            return GaussianNoisyMax((1.0, 1.0)).release(values, noise, index)

    step = Step(Black(), (3.0, 0.0), (0.0, 0.0), (3.0, 0.0))
    assert judge_private(claim(gdp(0.5), "query"), RUN, subject=step).verdict == Verdict.REFUTED
    assert judge_private(claim(gdp(3.0), "query"), RUN, subject=step).verdict == Verdict.CONSISTENT


# -- certificates and the budget ---------------------------------------------------------------------------------


def test_enumerated_probabilities_agree_with_the_exact_engine():
    policy = ThompsonSampling(2, 6)
    pair = flipped("pull", np.zeros((2, 6)), 0, 0, 1.0)
    every = transcripts_of_arms(list(product((0, 1), repeat=6)), 2)
    left, right = probabilities(policy, pair, every)
    assert left.sum() == pytest.approx(1.0, abs=1e-12)
    first = ModifiedThompsonSampling(2, 6, prepulls=1)  # pulls arm 0, then arm 1
    certain = probabilities(first, pair, every).reshape(2, 2, 2, -1)
    assert not certain[:, [0, 1, 1], [0, 0, 1]].any()
    assert certain[:, 0, 1].sum(axis=1) == pytest.approx([1.0, 1.0])
    profile = exact_profile(policy, pair, grid=1e-3)
    for eps in (0.0, 0.3, 1.0):
        true = max(np.maximum(0, p - np.exp(eps) * q).sum() for p, q in ((left, right), (right, left)))
        low, high = profile.delta(eps)
        assert low - 1e-12 <= true <= high + 1e-12


def test_the_risk_is_spread_over_the_whole_ledger():
    three = claim(gdp(1.0), params=({"arms": 2, "horizon": 2},) * 3)
    formula = replace(three, says=Inequality(lambda m: 0, lambda m: 1, {}))
    ordering = replace(three, says=Ordering(PSEUDO_REGRET, {}, (("a", "b"), ("b", "c"))), params=())
    assert run_over([three, formula, ordering], QUICK, 0).level == RISK / 5
    for profile in PROFILES.values():
        assert run_over([three, formula, ordering], profile, 0).level == RISK / 5


def test_stacked_transcripts_keep_their_rows():
    pair = Pair("pull", np.zeros((2, 4)), np.zeros((2, 4)))
    parts = [simulate_transcripts(ThompsonSampling(2, rounds), pair.environments()[0], 3, seed=0) for rounds in (2, 4)]
    both = stacked(parts)
    assert both.trials == 6
    assert (both.arms[:3, :2] == parts[0].arms).all()
    assert (both.arms[:3, 2:] < 0).all()
    assert (both.arms[3:] == parts[1].arms).all()
