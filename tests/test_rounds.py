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
from dpbandits.audit.rounds import next_round, telling_rounds
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


def test_a_policy_without_a_law_has_no_known_round():
    with pytest.raises(TypeError, match=r"Elimination has no law.*audit its runs"):
        next_round(Elimination(2, 9), (1, 1), (0.0, 0.0), (1.0, 0.0))


@pytest.mark.parametrize("arms", [2, 3])
def test_the_telling_rounds_come_near_to_what_one_reward_may_do(arms):
    """mu of a threshold test of theta_j: 1/2 against noise of variance 1/2 and, from the others, 1/10001."""
    rounds = telling_rounds(ThompsonSampling(arms, 9))
    expected = 0.5 / np.sqrt(0.5 + 1 / 10_001)
    found = max(step_profile(step).mu()[0] for step in rounds.values())
    # More arms are less certain together, so that the test is a little blunter than with one.
    assert expected - 1e-3 <= found <= np.sqrt(0.5)


def test_a_claim_about_one_step_can_be_asked_of_a_policy():
    claim = next(claim for claim in CLAIMS if claim.id == "ou24/lemma-2")
    run = run_over(CLAIMS, QUICK, seed=0)
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9)).verdict == Verdict.CONSISTENT
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9, ARXIV_27)).verdict == Verdict.REFUTED
    assert judge_private(claim, run, subject=ThompsonSampling(1, 9)).verdict == Verdict.NOT_EXERCISED
