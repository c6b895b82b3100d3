"""Every mutant of DP-TS-UCB is caught at its failure budget; the right policy passes the same checks.

Replay against the reference and the exact law of the released arms have to catch all of them: the law knows nothing
of noise sites or states. Those that break privacy by much are refuted by the audit of all samples as well.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor, sqrt

import numpy as np
import pytest
from fits import LEVEL, chi_square
from mutants_hu25 import MUTANTS, SETTING, Broken

from dpbandits import QUICK, Gaussian, Policy, Seeded, Table, Verdict, follows_law, play, replay
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.proofs_checks.papers.hu25.section_4_3_law import law
from dpbandits.reference.bandits.play import released_arms
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25.shared import Draws

RUN = run_over(ledger().claims, QUICK, seed=0)  # the level of one audit of the whole ledger: its failure budget
CLAIM = ledger().by_id["hu25/theorem-4.4/sharp"]
REFERENCE = DPTSUCB(SETTING["arms"], SETTING["horizon"], SETTING["alpha"], budget=Draws(SETTING["phi"]))
WHOLE = floor(SETTING["phi"])
RIGHT = Broken(**SETTING)
REWARDS = np.array([[1.0, 0.25, 0.5, 0.75, 0.0, 1.0, 0.5], [0.5, 1.0, 0.75, 0.0, 0.25, 0.5, 1.0]])
pytestmark = pytest.mark.planted
every = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))


def fit(policy, trials=100_000):
    """The p-value of the released transcripts under the exact law of the reference."""
    arms = released_arms(play(policy, Table(REWARDS), Seeded(1, trials), trials))[:, 2:]
    cells = arms @ 2 ** np.arange(arms.shape[1])[::-1]
    expected = law(REFERENCE, REWARDS, panels=16, order=8)
    expected[expected < 1e-12] = 0  # impossible, up to quadrature
    return chi_square(np.bincount(cells, minlength=len(expected)), trials * expected)


def samples_verdict(policy, samples=WHOLE, horizon=20):
    """The bound sqrt(samples/ln^alpha T) for all samples, the sharp one at the setting's budget, over 20 rounds."""
    policy = replace(policy, horizon=horizon)
    promised = sqrt(samples / np.log(horizon) ** SETTING["alpha"])
    says = Private("pull", "samples", lambda policy: Gaussian(promised))
    return judge_private(replace(CLAIM, says=says), RUN, subject=policy).verdict


def test_there_are_all_the_mutants_and_each_says_what_it_does():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 8
    for mutant in MUTANTS:
        assert isinstance(mutant.policy, Policy)
        assert mutant.privacy.split(":")[0] in ("broken", "printed stands", "stands")
        assert mutant.shown or not mutant.privacy.startswith("broken")
        assert not (mutant.shown and mutant.privacy.startswith("stands"))


def test_the_right_policies_pass():
    assert replay(RIGHT, REFERENCE).verdict == Verdict.CONSISTENT
    assert fit(RIGHT) > LEVEL
    assert fit(REFERENCE) > LEVEL
    assert follows_law(RIGHT, REFERENCE).verdict == Verdict.CONSISTENT
    assert samples_verdict(REFERENCE) == samples_verdict(RIGHT) == Verdict.CONSISTENT


@every
def test_replay_catches(mutant):
    assert replay(mutant.policy, REFERENCE).verdict == Verdict.REFUTED


@every
def test_the_exact_law_catches(mutant):
    assert fit(mutant.policy) < LEVEL


@every
def test_the_public_law_check_catches(mutant):
    assert follows_law(mutant.policy, REFERENCE).verdict == Verdict.REFUTED


@every
def test_the_audit_of_all_samples_refutes_what_breaks_the_sharp_bound(mutant):
    """Two mutants exceed it by too little for a sample of this size, and only the checks above catch them."""
    verdict = samples_verdict(mutant.policy)
    if mutant.shown:
        assert verdict == Verdict.REFUTED
    else:
        assert verdict in (Verdict.CONSISTENT, Verdict.NOT_EXERCISED)


@every
def test_the_printed_bound_is_refuted_only_where_it_is_broken(mutant):
    verdict = samples_verdict(mutant.policy, samples=2 * SETTING["phi"])
    assert (verdict == Verdict.REFUTED) <= mutant.privacy.startswith("broken")
