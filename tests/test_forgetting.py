"""The policies that hold noisy means in secret and forget: whole runs have the exact law, privacy is exact, and every
mutant is caught."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fits import LEVEL
from hidden_means import TABLES, fit
from mutants_forgetting import ADAP, LAZY, HalfNoiseAdaP, HalfNoiseLazy

from dpbandits import Verdict, follows_law, replay
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.azize22 import privacy as adap_privacy
from dpbandits.proofs_checks.papers.hidden_means import loss
from dpbandits.proofs_checks.papers.hu21 import privacy as lazy_privacy
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.papers.azize22 import AdaPUCB
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB

# The policy, the rounds of its whole runs, and a mutant of half the noise.
POLICIES = ((AdaPUCB, 12, HalfNoiseAdaP), (AnytimeLazyUCB, 10, HalfNoiseLazy))
# Of its mutants: the claim, its exact judge, and for how many rounds that is asked.
EXACTLY = {
    AdaPUCB: ("azize22/privacy", adap_privacy.private, 6),
    AnytimeLazyUCB: ("hu21/privacy", lazy_privacy.private, 8),
}
both = pytest.mark.parametrize(("policy", "rounds", "half"), POLICIES)
every = pytest.mark.parametrize(
    ("mutant", "policy", "rounds"),
    [(each, *POLICIES[k][:2]) for k, some in enumerate((ADAP, LAZY)) for each in some],
    ids=[each.policy.__name__ for each in (*ADAP, *LAZY)],
)


@both
def test_whole_runs_have_the_exact_law(policy, rounds, half):
    assert fit(policy(2, rounds, 4.0), policy(2, rounds, 4.0)) > LEVEL


@both
@pytest.mark.thorough
def test_conformance_knows_the_law_of_two_arms_and_says_that_it_knows_no_other(policy, rounds, half):
    two, three = policy(2, 6), policy(3, 200)
    assert follows_law(two, two, trials=500).verdict is Verdict.CONSISTENT
    assert follows_law(half(2, 6), two, trials=500).verdict is Verdict.REFUTED
    assert follows_law(three, three, trials=10).verdict is Verdict.NOT_APPLICABLE


@both
def test_the_loss_comes_near_to_eps_and_never_passes_it(policy, rounds, half):
    found = loss(policy(2, rounds, 4.0), (0, 0), 0)
    assert 4 * (1 - 1e-9) < found.low <= found.high < 4 * (1 + 1e-9)
    early = loss(policy(2, 4, 4.0), (0, 0), 0)
    assert early.high < 3.999


@pytest.mark.planted
@every
def test_replay_catches(mutant, policy, rounds):
    assert replay(mutant.policy(3, 200), policy(3, 200), TABLES, trials=100).verdict is Verdict.REFUTED


@pytest.mark.planted
@every
def test_the_law_of_whole_runs_catches(mutant, policy, rounds):
    assert fit(mutant.policy(2, rounds, 4.0), policy(2, rounds, 4.0)) < LEVEL


@pytest.mark.planted
@every
def test_the_exact_judge_refutes_what_breaks_privacy_and_nothing_else(mutant, policy, rounds):
    if mutant.law:
        name, private, horizon = EXACTLY[policy]
        shape = {"arms": 2, "horizon": horizon, "eps": 1.0}
        claim = replace(ledger().by_id[name], subject=mutant.policy, params=(shape,))
        verdict = private(claim, Effort(), 0).verdict
        assert verdict is (Verdict.REFUTED if mutant.privacy.startswith("broken") else Verdict.ARGUED)
