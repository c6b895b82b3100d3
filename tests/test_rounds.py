"""One round of a policy as a mechanism: the same law and the same draws as the policy itself."""

from __future__ import annotations

import numpy as np
import pytest
from elimination import Elimination
from fits import LEVEL, chi_square
from hypothesis import given
from strategies import states

from dpbandits.audit.privacy import judge_private
from dpbandits.audit.profile import QUICK, run_over
from dpbandits.audit.rounds import next_round, prepared
from dpbandits.audit.spots import rounds_tried, telling_rounds
from dpbandits.proofs_checks.laws import step_profile
from dpbandits.reference.ledger import Verdict
from dpbandits.reference.noise import Seeded
from dpbandits.reference.papers import CLAIMS
from dpbandits.reference.papers.ou24 import ARXIV_27, ModifiedThompsonSampling, ThompsonSampling, single_step


@given(state=states(arms=3))
def test_the_round_of_algorithm_1_is_its_single_step(state):
    pulls, totals = tuple(state.pulls[0].tolist()), tuple(state.total[0].tolist())
    ours = next_round(ThompsonSampling(3, 9), pulls, totals, totals)
    page = single_step(pulls, totals, totals)
    assert ours.left == page.left
    assert ours.sensitivities == page.sensitivities
    # Means are divided and multiplied back: a unit of 1e-16, in deviations of at least 1e-3.
    assert np.abs(ours.mechanism.law(ours.left) - page.mechanism.law(page.left)).max() <= 1e-12


def test_releases_follow_the_law():
    step = next_round(ModifiedThompsonSampling(2, 9, prepulls=1, variance=2.0), (1, 4), (1.0, 2.0), (0.0, 2.0))
    trials = 100_000
    for values in (step.left, step.right):
        released = step.mechanism.release(values, Seeded(1, trials))
        assert chi_square(np.bincount(released, minlength=2), trials * step.mechanism.law(values)) > LEVEL


@pytest.mark.parametrize(
    ("pulls", "left", "right", "message"),
    [
        ((1, 1), (0.0, 1.5), (0.0, 1.0), "left history: arm 1 cannot have total 1.5 after 1 pulls"),
        ((2, 1), (0.0, 0.0), (1.5, 0.0), "differ by more than one reward in one arm"),
        ((2, 1), (0.0, 0.0), (1.0, 1.0), "differ by more than one reward in one arm"),
        ((2,), (0.0,), (1.0,), "1 pull counts, 1 and 1 totals for 2 arms; give one per arm"),
    ],
)
def test_what_is_no_pair_of_histories_is_refused(pulls, left, right, message):
    with pytest.raises(ValueError, match=message):
        next_round(ThompsonSampling(2, 9), pulls, left, right)


def test_a_policy_that_releases_several_arms_at_once_has_no_single_step():
    step = next_round(Elimination(2, 9), (1, 1), (0.0, 0.0), (1.0, 0.0))
    with pytest.raises(TypeError, match=r"Elimination does not release a single arm in step 3: audit its runs"):
        step.mechanism.release(step.left, Seeded(1, 10))


def step_arm(step):
    """The arm whose reward changed."""
    return next(arm for arm in range(len(step.left)) if step.left[arm] != step.right[arm])


@pytest.mark.parametrize("arms", [2, 3])
def test_the_telling_rounds_come_near_to_what_one_reward_may_do(arms):
    """mu of a threshold test of theta_j: 1/2 against noise of variance 1/2 and, from the others, 1/(pulls + 1)."""
    rounds = telling_rounds(ThompsonSampling(arms, 9))
    expected = 0.5 / np.sqrt(0.5 + 1 / (10_001 if arms == 2 else 1_001))
    soonest = [step for step in rounds.values() if step.mechanism.t == 2]  # the law does not depend on the step
    found = max(step_profile(step).mu()[0] for step in soonest)
    # Every arm, and as many pulls and steps as there are rounds after them: n + 1 <= t <= 9.
    states = {(step.mechanism.pulls[step_arm(step)], step.mechanism.t, step_arm(step)) for step in rounds.values()}
    assert states == {(n, t, arm) for n in range(1, 9) for t in range(n + 1, 10) for arm in range(arms)}
    # More arms are less certain together, so that the test is a little blunter than with one.
    assert expected - 1e-3 <= found <= np.sqrt(0.5)


def test_a_claim_about_one_step_can_be_asked_of_a_policy():
    claim = next(claim for claim in CLAIMS if claim.id == "ou24/lemma-2")
    run = run_over(CLAIMS, QUICK, seed=0)
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9)).verdict == Verdict.CONSISTENT
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9, ARXIV_27)).verdict == Verdict.REFUTED
    assert judge_private(claim, run, subject=ThompsonSampling(1, 9)).verdict == Verdict.NOT_EXERCISED


def test_what_was_tried_is_said():
    claim = next(claim for claim in CLAIMS if claim.id == "ou24/lemma-2")
    run = run_over(CLAIMS, QUICK, seed=0)
    finding = judge_private(claim, run, subject=ThompsonSampling(3, 6))
    assert "(arm 0-2, n 1-5, t 2-6)" in finding.summary
    assert "of arm 0-2 (counted from 0), pulled n = 1-5 times. Steps: t = 2-6," in finding.evidence[0]["text"]
    assert finding.resolution.endswith("in the rounds tried, no others")
    wide = rounds_tried(ThompsonSampling(40, 9))
    assert "a spread of 40" in wide.told
    assert "combinations" in wide.told


@pytest.mark.parametrize("policy", [ThompsonSampling(2, 1), ThompsonSampling(1, 9)])
@pytest.mark.parametrize("claim_id", ["ou24/lemma-2", "ou24/lemma-3"])
def test_what_could_not_fail_has_no_resolution(policy, claim_id):
    claim = next(claim for claim in CLAIMS if claim.id == claim_id)
    finding = judge_private(claim, run_over(CLAIMS, QUICK, seed=0), subject=policy)
    assert (finding.verdict, finding.resolution) == (Verdict.NOT_EXERCISED, "")


def test_a_whole_total_stays_whole():
    """A policy that rounds rewards up must not see 1 + 1e-16 as 2."""
    for n in range(1, 200):
        means = np.array([[one / (n + 1) for one in (1.0, n)]])
        assert set(prepared(ThompsonSampling(2, 9), 2, [[n, n]], means).total[0]) == {1.0, float(n)}
