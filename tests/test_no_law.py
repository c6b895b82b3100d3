"""A law that cannot be evaluated in some state: no crash of whoever asks, and no verdict without evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpbandits import (
    QUICK,
    Approximate,
    Policy,
    Pulls,
    ReportNoisyMax,
    Seeded,
    Step,
    Table,
    Verdict,
    audit_policy,
    follows_law,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.black_box import DrawnMechanism, without_law
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.single_rounds import History, NextArm, UnknownArm, round_of
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.policy import HasLaw, LawfulMechanism
from dpbandits.reference.bandits.protocol import demand_policy
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, argmax, survivors, top
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.chen24 import dp_bai
from dpbandits.reference.papers.chen24.algorithms.fans import combined
from dpbandits.reference.papers.chen24.observed import Observed
from dpbandits.reference.papers.ou24 import ThompsonSampling

FEW = replace(QUICK, trials=3_000, pair_tries=2)


@dataclass(frozen=True)
class Unsaid(ThompsonSampling):
    """Thompson sampling whose law is not to be had once both arms have paid as much as this."""

    paid: float = 0.0

    def law(self, t, state):
        if (state.total.min(axis=1) >= self.paid).any():
            raise NoLaw("both have paid: too much for this law")
        return super().law(t, state)


@dataclass(frozen=True)
class Shrunk(Unsaid):
    """The same with hardly any noise."""

    def act(self, t, state, noise):
        mean, scale = self.posterior(t, state)
        theta = mean + 0.05 * scale * noise.normal("theta", t, (self.arms,))
        return Pulls.one(theta.argmax(axis=1), self.arms)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: top(NORMAL, np.zeros((1, 20)), 1.0, 9),
        lambda: top(NORMAL, np.zeros((1, 20)), 1.0, 9, among=np.ones((1, 20), dtype=bool)),
        lambda: survivors(LAPLACE, np.zeros((1, 13)), 1.0, 1.0),
        lambda: survivors(LAPLACE, [[0.0, 1.0]], 1.0, 1e9),
        lambda: argmax(LAPLACE, [[0.0, 1.0]], [1.0, 1e-6]),
        lambda: argmax(NORMAL, [[0.0, 1e200]], 1.0),
        lambda: combined(LAPLACE, np.eye(5), np.zeros((1, 5)), 2),
        lambda: combined(LAPLACE, np.eye(3), [[0.0, 0.0, 1e200]], 2),
        lambda: combined(NORMAL, np.eye(3), [[0.0, 0.0, 1e7]], 2),
        lambda: argmax_law([[0.0, 0.0, 1.0]], [[1.0, 1.0, 1e-9]]),
    ],
)
def test_what_is_beyond_a_law_s_reach_is_told_from_what_is_wrong(ask):
    with pytest.raises(NoLaw):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: top(NORMAL, np.zeros((1, 3)), 1.0, 3),
        lambda: survivors(LAPLACE, [[0.0, np.nan]], 1.0, 1.0),
        lambda: combined(LAPLACE, np.eye(3), np.zeros((1, 2)), 2),
    ],
)
def test_what_is_wrong_is_no_lack_of_a_law(ask):
    with pytest.raises(
        ValueError,
        match=r"must be smaller than K|must be finite|must have shapes \(arms, d\)",
    ) as raised:
        ask()
    assert not isinstance(raised.value, NoLaw)


def test_no_law_in_the_first_step_is_no_fault_of_the_protocol():
    demand_policy(Unsaid(2, 3))


def test_a_policy_is_played_as_it_is():
    policy = dp_bai(np.eye(3), 60, 1.0)
    assert isinstance(policy, HasLaw)
    same = without_law(policy)
    assert isinstance(same, Policy)
    assert not isinstance(same, HasLaw)
    assert not hasattr(same, "law")
    assert same.answers
    assert same.plan == policy.plan
    assert repr(same) == repr(policy)


def test_rounds_and_mechanisms_are_drawn_from_as_they_are():
    """A round keeps its history, and releases what it did; of either nobody asks the law any more."""
    history = History((0, 1, 1), (1, 1, 1), (0.0, 1.0, 0.5), (1.0, 1.0, 0.5))
    known = NextArm(ThompsonSampling(2, 9), (1, 2), 4, history)
    step = round_of(known, (0.0, 1.5), (1.0, 1.5))
    unknown = without_law(step)
    assert unknown.mechanism == UnknownArm(known.policy, known.pulls, known.t, known.history)
    assert unknown[1:] == step[1:]
    for values in (step.left, step.right):
        released = [each.mechanism.release(values, Seeded(1, 50)) for each in (step, unknown)]
        assert np.array_equal(*released)
    noisy = Step(ReportNoisyMax(1.0), (0.0, 0.5), (1.0, 0.5), (1.0, 1.0))
    drawn = without_law(noisy)
    assert drawn == noisy._replace(mechanism=DrawnMechanism(noisy.mechanism))
    assert isinstance(noisy.mechanism, LawfulMechanism)
    for each in (unknown, drawn, without_law(unknown)):
        assert not isinstance(each.mechanism, LawfulMechanism)
    released = [each.mechanism.release(np.array(noisy.left), Seeded(2, 50)) for each in (noisy, drawn)]
    assert np.array_equal(*released)


# -- conformance -----------------------------------------------------------------------------------------------------

SAID = {"one arm pays": Table(np.array([[1.0] * 4, [0.0] * 4]))}
BOTH = {**SAID, "both pay": Table(np.ones((2, 4)))}


def test_states_without_a_law_are_no_evidence_of_conformance():
    reference = Unsaid(2, 4, paid=1.0)
    assert follows_law(ThompsonSampling(2, 4), reference, SAID, trials=400).verdict is Verdict.CONSISTENT
    for places in (BOTH, {"both pay": BOTH["both pay"]}):
        finding = follows_law(ThompsonSampling(2, 4), reference, places, trials=400)
        assert finding.verdict is Verdict.NOT_APPLICABLE
        assert finding.summary.startswith("both pay: both have paid")


def test_what_other_environments_refute_stays_refuted():
    assert follows_law(Shrunk(2, 4), Unsaid(2, 4, paid=1.0), BOTH, trials=400).verdict is Verdict.REFUTED


# -- privacy ---------------------------------------------------------------------------------------------------------


@pytest.mark.planted
def test_samples_decide_where_the_law_is_silent():
    right, wrong = (audit_policy(each(2, 2), eps=2.0, trials=1_000) for each in (Unsaid, Shrunk))
    assert (right.verdict, wrong.verdict) == (Verdict.CONSISTENT, Verdict.REFUTED)
    for found in (right, wrong):
        assert "its law cannot be evaluated (both have paid: too much for this law), so only samples" in found.summary


@pytest.mark.thorough
def test_a_law_that_is_said_wherever_it_is_asked_for_is_used():
    found = audit_policy(Unsaid(2, 2, paid=9.0), eps=3.0, trials=500)
    assert "exact computation: " in found.summary
    assert "cannot be evaluated" not in found.summary


@pytest.mark.thorough
def test_single_rounds_as_well():
    right, wrong = (audit_policy(each(2, 4), mu=0.8, relation="history", trials=1_000) for each in (Unsaid, Shrunk))
    assert (right.verdict, wrong.verdict) == (Verdict.CONSISTENT, Verdict.REFUTED)
    for found in (right, wrong):
        assert "Its law cannot be evaluated (both have paid" in found.summary


def test_a_one_shot_mechanism_as_well():
    @dataclass(frozen=True)
    class Larger:
        scale: float

        def law(self, values):
            raise NoLaw("nobody knows")

        def release(self, values, noise):
            return (values + self.scale * noise.laplace("noise", 0, (2,))).argmax(axis=1)

    for scale, verdict in ((2.0, Verdict.CONSISTENT), (0.1, Verdict.REFUTED)):
        claim = Claim(
            "own/step",
            Source("own", "step", "one query moves by 1"),
            Private("query", "arms", lambda step: Approximate(1.0, 0.0)),
            Verdict.CONSISTENT,
        )
        found = judge_private(claim, Run(FEW, 0, 1e-3), Step(Larger(scale), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
        assert found.verdict is verdict
        assert "nobody knows" in found.summary


def test_what_can_neither_be_said_nor_played_is_not_exercised():
    features = np.random.default_rng(0).normal(size=(20, 20))
    observer = Observed(dp_bai(features, 400, 1.0))
    found = audit_policy(observer, eps=1.0, trials=1_000)
    assert found.verdict is Verdict.NOT_EXERCISED
    assert "its law cannot be evaluated, and it cannot be played" in found.summary
