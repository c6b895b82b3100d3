"""What keeps an object from being a policy is told at once, before anything is played."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from elimination import Elimination

from dpbandits import (
    QUICK,
    Bernoulli,
    Pulls,
    Seeded,
    Verdict,
    audit_policy,
    check_policies,
    check_policy,
    fits_law,
    flipped,
    follows_law,
    from_loop,
    from_object,
    play,
    replay,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.runner import dispatch
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.protocol import complaint_text, protocol_faults
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling

LEMMA_3 = ledger().by_id["ou24/lemma-3"]


class Sequential:
    """What a library for one trial looks like."""

    def select(self) -> int:
        return 0


class Half(Sequential):
    arms = 0
    horizon = 2.5
    init = 3

    def act(self, state: Any) -> None:
        return None

    def law(self, t: int, state: Any) -> None:
        return None


def test_a_class_that_plays_one_run_is_sent_to_from_object():
    class Bandit:
        def __init__(self, rng):
            pass

        def select(self):
            return 0

    (fault,) = protocol_faults(Bandit)
    assert fault == "Bandit is a class whose objects play one run; wrap it with dpbandits.from_object (see below)"
    assert "dpbandits.from_object(make, select, update" in complaint_text(Bandit, (fault,))


@pytest.mark.parametrize(
    "policy",
    [
        ThompsonSampling(2, 3),
        ModifiedThompsonSampling(3, 8, 2),
        DPTSUCB(2, 9, 0.5),
        Elimination(3, 60),
        DPTSUCB(1, 3, 0.0),
    ],
)
def test_policies_have_no_faults(policy):
    assert protocol_faults(policy) == ()


def test_everything_that_is_missing_is_said_at_once():
    assert [fault.split(";")[0] for fault in protocol_faults(Sequential())] == [
        "arms is missing",
        "horizon is missing",
        "init(trials) is missing",
        "act(t, state, noise) is missing",
        "learn(t, state, pulls, sums, noise) is missing",
    ]


def test_everything_of_a_wrong_form_is_said_at_once():
    assert protocol_faults(Half()) == (
        "arms is 0; it must be an integer of at least 1",
        "horizon is 2.5; it must be an integer of at least 1",
        "init is 3; it must be a method, init(trials)",
        "act(state: 'Any') -> 'None' does not take the arguments of act(t, state, noise)",
        "learn(t, state, pulls, sums, noise) is missing; it must return the state after step t",
    )


def test_a_class_is_no_instance():
    assert protocol_faults(ThompsonSampling) == (
        "ThompsonSampling is a class; give an instance of it, such as ThompsonSampling(arms=2, horizon=3)",
    )


def but(**methods: Any) -> Any:
    return type("Changed", (ThompsonSampling,), methods)(2, 3)


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        (
            but(init=lambda self, trials: np.zeros((1, 2))),
            "init returned a state that contains an array of shape (1, 2), but trials = 2",
        ),
        (
            but(act=lambda self, *_: np.zeros(2, int)),
            "step 1: act returned an array of shape (2,); it must return Pulls",
        ),
        (but(act=lambda self, *_: None), "step 1: act returned NoneType; it must return Pulls.one(arm, 2)"),
        (
            but(act=lambda self, *_: Pulls(np.ones((1, 2), int))),
            "step 1: act returned pull counts of shape (1, 2)",
        ),
        (
            but(act=lambda self, t, state, noise: noise.normal("x", t, (2,)).sort()),
            "step 1: act modifies an array that it received",
        ),
        (
            but(learn=lambda self, t, state, pulls, sums, noise: sums.fill(0)),
            "step 1: learn modifies an array that it received (assignment destination is read-only); pulls, sums",
        ),
        (but(learn=lambda self, t, state, *_: state._replace(pulls=[[0, 0]] * 2)), "step 1: learn returned a state"),
        (ThompsonSampling(2, 2**70), "horizon is 1180591620717411303424; it must be at most 9223372036854775807"),
        (but(learn=lambda self, *_: None), "step 1: learn returned None; it must return the new state"),
        (
            but(learn=lambda self, *_: np.zeros((3, 2))),
            "step 1: learn returned a state that contains an array of shape (3, 2), but trials = 2",
        ),
        (but(law=lambda self, *_: np.ones((2, 2))), "Changed.law, step 1, state 0: the sum of the probabilities is 2"),
        (
            but(law=lambda self, *_: Law(np.eye(2)[None], np.ones((2, 2)))),
            "Changed.law, step 1: counts have shape (1, 2, 2)",
        ),
    ],
)
def test_what_the_first_step_returns_is_looked_at(policy, fault):
    (said,) = protocol_faults(policy)
    assert said.startswith(fault)


ODD = (None, 1.5, "x", [1, 1], np.array([1, 2]), object())
MADE = {
    "from_object: make": lambda odd: from_object(odd, len, len, arms=2, horizon=3),
    "from_object: select": lambda odd: from_object(len, odd, len, arms=2, horizon=3),
    "from_loop: run": lambda odd: from_loop(odd, arms=2, horizon=3),
    "check_policies: make": lambda odd: check_policies(odd, ThompsonSampling),
    "profile is": lambda odd: check_policy(ThompsonSampling(2, 3), ThompsonSampling(2, 3), profile=odd),
    "play: policy": lambda odd: play(odd, Bernoulli((0.5, 0.5)), Seeded(0, 2), 2),
    "play: environment": lambda odd: play(ThompsonSampling(2, 3), odd, Seeded(0, 2), 2),
    "play: noise": lambda odd: play(ThompsonSampling(2, 3), Bernoulli((0.5, 0.5)), odd, 2),
    "log is": lambda odd: fits_law(odd, ThompsonSampling(2, 3)),
    "relation": lambda odd: audit_policy(ThompsonSampling(2, 3), eps=1.0, relation=odd),
    "view": lambda odd: audit_policy(ThompsonSampling(2, 3), eps=1.0, view=odd),
    "seed = ": lambda odd: audit_policy(ThompsonSampling(2, 3), eps=1.0, seed=odd),
    "pair: relation is": lambda odd: flipped(odd, np.zeros((2, 3)), 0, 0, 1.0),
    "pair: arm": lambda odd: flipped("pull", np.zeros((2, 3)), odd, 0, 1.0),
}


@pytest.mark.parametrize("name", MADE)
def test_every_front_names_what_it_cannot_use(name):
    """The value, its place and a remedy; for whatever is odd."""
    for odd in ODD:
        with pytest.raises((TypeError, ValueError)) as raised:
            MADE[name](odd)
        assert name in str(raised.value), (odd, raised.value)
        assert re.search("must be|give |choose |know ", str(raised.value))


def test_a_policy_s_own_errors_are_passed_on():
    with pytest.raises(ZeroDivisionError):
        protocol_faults(but(act=lambda self, *_: 1 // 0))


@pytest.mark.parametrize(
    "ask",
    [
        lambda policy: dispatch.judge_subject(LEMMA_3, Run(QUICK, 0, 1e-6), policy),
        lambda policy: follows_law(policy, ThompsonSampling(2, 3)),
        lambda policy: follows_law(ThompsonSampling(2, 3), policy),
        lambda policy: replay(policy, ThompsonSampling(2, 3)),
        lambda policy: replay(ThompsonSampling(2, 3), policy),
    ],
)
def test_every_judge_of_a_policy_asks_first(ask):
    said = r"(?s)^Sequential does not have all that a policy needs.*- arms is missing.*- learn\(.*is missing"
    with pytest.raises(TypeError, match=said):
        ask(Sequential())


class Unknown(DPTSUCB):
    """Somebody's own, of which no page's proofs know a law."""


def test_a_reference_without_a_law_cannot_be_followed():
    policy = Unknown(2, 9, 0.5)
    finding = follows_law(policy, policy, trials=50)
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "Unknown says no law: it would have to offer law(t, state)" in finding.summary
    assert "`replay` needs none" in finding.summary


@pytest.mark.parametrize("level", [float("nan"), 0, 1, 2, -1e-6, "x", None])
def test_levels_are_probabilities(level):
    with pytest.raises(ValueError, match=r"level is .*; it must lie strictly between 0 and 1"):
        follows_law(ThompsonSampling(2, 3), ThompsonSampling(2, 3), level=level)


@pytest.mark.parametrize("check", [follows_law, replay])
@pytest.mark.parametrize("trials", [0, -1, 2.5, None])
def test_trials_are_counted(check, trials):
    with pytest.raises(ValueError, match=r"trials is .*integer of at least 1"):
        check(ThompsonSampling(2, 3), ThompsonSampling(2, 3), trials=trials)


def test_a_replayed_policy_s_own_errors_are_not_verdicts():
    with pytest.raises(KeyError, match="mine"):
        replay(
            but(act=lambda self, t, *_: {}["mine"] if t == 2 else Pulls.one(np.zeros(len(_[0].pulls), int), 2)),
            ThompsonSampling(2, 3),
        )
