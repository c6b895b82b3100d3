"""Every mutant is caught, by the check that can catch it and at its failure budget; the right policy passes it.

Conformance (law and replay) has to catch all of them. What breaks privacy must be refuted as a privacy claim too:
in a single round, in the state where the claim is tight, and for the worst bugs over whole runs. Where privacy
stands, the mutant's round must *not* be refuted: an auditor that cries wolf is no auditor.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from mutants import (
    LOUD,
    MANY,
    MUTANTS,
    PLAIN,
    REFERENCE,
    THREE,
    THRESHOLD,
    UNEVEN,
    Broken,
    Known,
    Silent,
    algorithm_2,
    round_after,
)

from dpbandits import QUICK, Gaussian, Policy, Verdict, flipped, follows_law, replay
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.rounds import with_horizon
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.ou24 import PRINTED, ThompsonSampling

BY_NAME = {mutant.name: mutant for mutant in MUTANTS}
RUN = run_over(ledger().claims, QUICK, seed=0)  # the level of one audit of the whole ledger: its failure budget
LEDGER = ledger().by_id
pytestmark = pytest.mark.planted
every = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
references = pytest.mark.parametrize("reference", dict.fromkeys(mutant.reference for mutant in MUTANTS), ids=repr)


def promised_in_a_round(reference):
    """Lemma 2, and for Algorithm 2 what the proof of Lemma 4 says of a round: 1/sqrt(c(b + 1)); without pre-pulls an
    arm whose reward changed was pulled once, so 1/sqrt(2 c)."""
    return 1 / sqrt(reference.variance * (reference.prepulls + 1 if reference.prepulls else 2))


def promised_in_all(reference):
    """Lemma 3 for Algorithm 1 (b = 0, c = 1), else Lemma 4."""
    if reference.prepulls == 0 and reference.variance == 1:
        return sqrt(reference.horizon / 2)
    return sqrt(reference.horizon / (reference.variance * (reference.prepulls + 1)))


def round_verdict(policy, reference, at):
    says = Private("history", "arms", lambda step: Gaussian(promised_in_a_round(reference)))
    return judge_private(replace(LEDGER["ou24/lemma-2"], says=says), RUN, subject=round_after(policy, *at)).verdict


def runs_verdict(policy, reference):
    says = Private("pull", "arms", lambda policy: Gaussian(promised_in_all(reference)))
    return judge_private(replace(LEDGER["ou24/lemma-3"], says=says), RUN, subject=policy).verdict


def test_there_are_enough_mutants_of_enough_kinds():
    assert len(BY_NAME) == len(MUTANTS) >= 12
    assert len({mutant.bug for mutant in MUTANTS}) >= 12
    for mutant in MUTANTS:
        assert isinstance(mutant.policy, Policy)
        assert mutant.privacy.split()[0].rstrip(":") in ("broken", "stands", "unproved")
        assert mutant.privacy.startswith("broken") == (mutant.at is not None)


def test_the_unbroken_parts_are_the_reference():
    for reference in (algorithm_2(horizon=6), algorithm_2(horizon=8, prepulls=2), algorithm_2(horizon=6, variance=4.0)):
        parts = Broken(2, reference.horizon, reference.prepulls, reference.variance)
        assert replay(parts, reference).verdict == Verdict.CONSISTENT
        assert follows_law(Known(parts), reference, trials=5_000).verdict == Verdict.CONSISTENT


@every
def test_conformance_by_law_catches(mutant):
    finding = follows_law(mutant.policy, mutant.reference, level=RUN.level)
    if mutant.name == "one draw for all trials":  # each trial for itself follows the law
        assert finding.verdict == Verdict.NOT_APPLICABLE, finding
        assert "the trials of a batch are not independent" in finding.summary
    else:
        assert finding.verdict == Verdict.REFUTED, finding


@every
def test_conformance_by_replay_catches(mutant):
    assert replay(mutant.policy, mutant.reference).verdict == Verdict.REFUTED


@references
def test_the_right_policy_conforms(reference):
    assert follows_law(reference, reference, level=RUN.level).verdict == Verdict.CONSISTENT
    assert replay(reference, reference).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.at], ids=lambda m: m.name.replace(" ", "-"))
def test_a_broken_round_is_refuted_and_the_right_one_is_not(mutant):
    assert round_verdict(mutant.policy, mutant.reference, mutant.at) == Verdict.REFUTED
    assert round_verdict(mutant.reference, mutant.reference, mutant.at) == Verdict.CONSISTENT


@pytest.mark.parametrize(
    "mutant",
    # Runs that share their noise are no sample, and where nothing is claimed nothing is expected.
    [m for m in MUTANTS if m.reference == REFERENCE and m.privacy.startswith(("broken:", "stands:"))],
    ids=lambda m: m.name.replace(" ", "-"),
)
def test_lemma_2_asked_of_the_policy_finds_the_round_by_itself(mutant):
    """The claim of the ledger, and a policy of which nothing is known: no state has to be pointed out. In a run of 24
    steps, or 60 for the faintest, an arm becomes certain enough for every bug."""
    policy = with_horizon(mutant.policy, REFERENCE.horizon, 60 if mutant.name.startswith("uniform") else 24)
    finding = judge_private(LEDGER["ou24/lemma-2"], RUN, subject=policy)
    assert (finding.verdict == Verdict.REFUTED) == mutant.privacy.startswith("broken"), finding.summary


@pytest.mark.parametrize("name", ["counts one ahead", "Laplace noise"])
def test_a_bug_that_does_no_harm_in_a_short_run_is_a_remark(name):
    """After six rounds no arm is certain enough."""
    finding = judge_private(LEDGER["ou24/lemma-2"], RUN, subject=BY_NAME[name].policy)
    assert finding.verdict == Verdict.CONSISTENT
    assert "A remark, and no part of the verdict" in finding.summary


@pytest.mark.parametrize("silent", [False, True], ids=["law", "silent"])
@pytest.mark.parametrize("name", UNEVEN)
def test_lemma_2_asked_of_the_policy_finds_a_bug_of_some_rounds(name, silent):
    policy = Silent(UNEVEN[name]) if silent else UNEVEN[name]
    assert isinstance(policy, HasLaw) != silent
    assert judge_private(LEDGER["ou24/lemma-2"], RUN, subject=policy).verdict == Verdict.REFUTED


@pytest.mark.parametrize("policy", [THREE, Silent(THREE), LOUD, Silent(LOUD)], ids=["right", "silent", "loud", "both"])
def test_lemma_2_asked_of_a_policy_that_is_as_private_stands(policy):
    assert judge_private(LEDGER["ou24/lemma-2"], RUN, subject=policy).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize("policy", [*UNEVEN.values(), LOUD], ids=[*UNEVEN, "loud"])
def test_conformance_catches_a_bug_of_some_rounds(policy):
    assert follows_law(policy, THREE, level=RUN.level).verdict == Verdict.REFUTED
    finding = replay(policy, THREE)
    assert finding.verdict == Verdict.REFUTED
    assert "says nothing about privacy by itself" in finding.summary


def test_lemma_2_asked_of_the_right_policy_stands():
    assert judge_private(LEDGER["ou24/lemma-2"], RUN, subject=REFERENCE).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize(
    "mutant",
    [m for m in MUTANTS if m.privacy.startswith("stands") and isinstance(m.policy, HasLaw)],
    ids=lambda m: m.name.replace(" ", "-"),
)
def test_a_round_that_keeps_its_promise_is_not_refuted(mutant):
    reference = mutant.reference
    n = max(reference.prepulls, 1)
    for at in (
        THRESHOLD._replace(pulls=(n, MANY)),
        THRESHOLD._replace(pulls=(n, n), left=(0.0, 0.5), right=(1.0, 0.5)),
    ):
        verdict = round_verdict(mutant.policy, reference, at)
        assert verdict in (Verdict.CONSISTENT, Verdict.NOT_EXERCISED)


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.runs], ids=lambda m: m.name.replace(" ", "-"))
def test_broken_runs_are_refuted_and_right_ones_are_not(mutant):
    """The composed bound, which is loose: only what breaks it by a lot is caught here."""
    assert runs_verdict(mutant.policy, mutant.reference) == Verdict.REFUTED
    assert runs_verdict(mutant.reference, mutant.reference) == Verdict.CONSISTENT


@pytest.mark.parametrize("name", ["one draw for all arms", "raw rewards in the first round"])
def test_a_black_box_is_refuted_by_its_behaviour_alone(name):
    """Without a declared law there is neither an exact engine nor a likelihood ratio; samples are enough here."""
    mutant = BY_NAME[name]
    assert not isinstance(mutant.policy.policy, HasLaw)
    assert runs_verdict(mutant.policy.policy, mutant.reference) == Verdict.REFUTED
    right = Broken(2, mutant.reference.horizon, mutant.reference.prepulls, mutant.reference.variance)
    assert runs_verdict(right, mutant.reference) == Verdict.CONSISTENT


def test_a_policy_that_declares_a_law_it_does_not_follow_is_refuted():
    """Half the noise under the reference's own law: the exact engine would believe the law, the judge must not."""

    class Liar(Broken):
        law = staticmethod(ThompsonSampling(2, 6).law)

    liar = Liar(**PLAIN, deviation=lambda policy, memory: 0.5 / (memory.pulls + 1) ** 0.5)
    assert runs_verdict(liar, algorithm_2(horizon=6)) == Verdict.REFUTED
    assert runs_verdict(Liar(**PLAIN), algorithm_2(horizon=6)) == Verdict.CONSISTENT


def test_the_printed_line_7_differs_from_the_repaired_one_only_where_there_are_pre_pulls():
    assert follows_law(PRINTED(arms=2, horizon=6), algorithm_2(horizon=6)).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize("name", ["one draw for all arms", "raw rewards in the first round"])
@pytest.mark.parametrize("others", [0.0, 0.5])
def test_what_is_released_for_certain_is_exactly_accounted_for(name, others):
    """Releases that are impossible on one side: the lattice engine against an enumeration of all transcripts."""
    policy = BY_NAME[name].policy
    pair = flipped("pull", np.full((2, policy.horizon), others), 0, 0, 1.0)
    (low, high), (exact_low, exact_high) = (
        engine(policy, pair).delta(np.array([0.0, 0.5, 2.0, 10.0])) for engine in (exact_profile, enumerated_profile)
    )
    assert (low <= exact_high).all()
    assert (exact_low <= high).all()
    assert (high - low <= 1e-3).all()  # a grid of 0.01 is off by its square times a few moves
