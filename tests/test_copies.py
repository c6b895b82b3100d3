"""Policies that ignore the randomness that they are given: their runs are copies, and certify nothing."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from dpbandits import (
    QUICK,
    Gaussian,
    Table,
    audit_policy,
    check_policy,
    flipped,
    follows_law,
    from_loop,
    from_object,
    from_program,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.pipeline import AuditedInstance, Choice
from dpbandits.audit.privacy.released_runs import ReleasedRuns
from dpbandits.audit.statistics.copies import copies_remark
from dpbandits.papers.auer02 import UCB1
from dpbandits.papers.ou24 import ThompsonSampling
from dpbandits.reference.bandits.policy import Pulls, one_arm
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import Private, Verdict

FEW = replace(QUICK, trials=100)
COPIES = "were the same run"
SHAPE = {"arms": 2, "horizon": 4}


class NoisyGreedy:
    """Pulls the arm with the larger mean of noisy rewards. eps = 1."""

    def __init__(self, rng):
        self.rng, self.pulls, self.total = rng, [0, 0], [0.0, 0.0]

    def select(self):
        return self.pulls.index(0) if 0 in self.pulls else int(np.argmax(np.divide(self.total, self.pulls)))

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.total[arm] += reward + self.rng.laplace()


class Greedy(NoisyGreedy):
    """The same without noise."""

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.total[arm] += reward


def objects(make=NoisyGreedy, kind=NoisyGreedy, **more):
    return from_object(make, kind.select, kind.update, **SHAPE, **more)


def seeded_once(rng):
    return NoisyGreedy(np.random.default_rng(1))


def loop_seeded_once(pull, rng):
    agent = NoisyGreedy(np.random.default_rng(1))
    while True:
        arm = agent.select()
        agent.update(arm, pull(arm))


class NativeGreedy:
    """A policy of the protocol that draws nothing, and declares no law. It stays with the first arm while it pays."""

    arms, horizon = 2, 3

    def init(self, trials):
        return np.zeros((trials, 2))

    def act(self, t, state, noise):
        return Pulls.one(state.argmax(axis=1), 2)

    def learn(self, t, state, pulls, sums, noise):
        return state + sums - 0.5 * pulls.counts


class DeclaredGreedy(NativeGreedy):
    """The same, and says that it draws nothing."""

    deterministic = True


class NativeLateGreedy(NativeGreedy):
    """Never pulls the second arm."""

    def act(self, t, state, noise):
        return Pulls.one(np.zeros(len(state), dtype=int), 2)


PROGRAM = """
import json, random, sys
for line in sys.stdin:
    said = json.loads(line)
    if said["do"] == "init":
        rngs = [random.Random(1) for _ in said["seeds"]]
        total = [[0.0, 0.0] for _ in rngs]
        print(json.dumps({"done": True}), flush=True)
    elif said["do"] == "act":
        print(json.dumps({"arms": [int(a[1] > a[0]) for a in total]}), flush=True)
    else:
        for k, (arm, reward) in enumerate(zip(said["arms"], said["rewards"])):
            total[k][arm] += reward - 0.5 + rngs[k].gauss(0, 0.1)
        print(json.dumps({"done": True}), flush=True)
"""


@pytest.fixture
def fixed_program(tmp_path):
    file = tmp_path / "fixed.py"
    file.write_text(PROGRAM)
    return lambda **more: from_program([sys.executable, str(file)], **SHAPE, **more)


@pytest.mark.parametrize(
    "policy",
    [
        objects(seeded_once),
        pytest.param(objects(Greedy, Greedy), marks=pytest.mark.thorough),
        pytest.param(from_loop(loop_seeded_once, **SHAPE), marks=pytest.mark.thorough),
        NativeGreedy(),
    ],
    ids=["object with a fixed seed", "object without noise", "loop", "policy"],
)
def test_equal_runs_of_unused_randomness_certify_nothing(policy):
    found = audit_policy(policy, eps=1.0, trials=200)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert COPIES in found.summary
    assert "deterministic=True" in found.summary
    assert "1e-09" not in found.summary


def test_a_program_that_ignores_its_seeds_certifies_nothing(fixed_program):
    found = audit_policy(fixed_program(), eps=1.0, trials=1000)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert "the `seeds` that init passes to the program have no effect" in found.summary


@pytest.mark.parametrize("how", [{"sequential": True}, {"relation": "history"}])
def test_no_other_way_to_count_counts_copies(how):
    found = audit_policy(NativeGreedy(), eps=1.0, trials=200, **how)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert COPIES in found.summary


@pytest.mark.thorough
def test_the_same_wrapper_with_its_generator_is_proved():
    found = audit_policy(objects(), eps=1.0, trials=1000)
    assert found.verdict is Verdict.PROVED
    quiet = objects(Quiet, Quiet)
    assert audit_policy(quiet, eps=1.0, trials=1000).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "policy",
    [DeclaredGreedy(), UCB1(**SHAPE)],
    ids=["declared", "by its law"],
)
def test_a_deterministic_policy_is_refuted_without_samples(policy):
    found = audit_policy(policy, eps=1.0, trials=200)
    assert found.verdict is Verdict.REFUTED
    assert isinstance(found.body, PrivacyFound)
    chosen = found.body.instances[found.body.hardest]
    assert chosen.sampled is None
    assert chosen.law.refutes
    assert chosen.law.low.value > 100


class Stubborn(Greedy):
    """Pulls arm 0, whatever it pays."""

    def select(self):
        return 0


def test_a_deterministic_policy_that_releases_the_same_is_not_refuted():
    """All its runs are copies of one; but on the two sides they have to differ."""
    assert audit_policy(objects(Stubborn, Stubborn, deterministic=True), eps=1.0, trials=200).verdict == "NOT_EXERCISED"
    policy, pair = objects(Greedy, Greedy, deterministic=True), flipped("pull", np.zeros((2, 4)), 1, 0, 1.0)
    instance = AuditedInstance("own/it", "it", Gaussian(1.0), Run(FEW, 0, 1e-9))
    target = ReleasedRuns(policy, Private("pull", "arms", lambda _: instance.curve), instance)
    left, right = target.play(pair, 9, "audit")
    assert target.are_certain(pair, (left, right))
    assert not target.are_certain(pair, (left, left))


class Counted(Greedy):
    """Counts the runs."""

    runs = 0

    def __init__(self, rng):
        super().__init__(rng)
        type(self).runs += 1


def test_few_runs_decide_about_a_deterministic_policy():
    """The number of runs with which a violation would be certified is not played."""
    policy = objects(Counted, Counted, deterministic=True)
    instance = AuditedInstance("own/it", "it", Gaussian(1.0), Run(replace(FEW, trials=50_000), 0, 1e-9))
    target = ReleasedRuns(policy, Private("pull", "arms", lambda _: instance.curve), instance)
    pair = flipped("pull", np.zeros((2, 4)), 1, 0, 1.0)
    assert target.uses_no_randomness(pair)
    before = Counted.runs
    drawn = target.draw(Choice(pair, certain=True))
    assert drawn.certain
    assert Counted.runs - before < 300


class SeldomOther(Greedy):
    """Pulls another arm than the best one in one of 2000 steps, and says that it is deterministic."""

    def __init__(self, rng):
        super().__init__(rng)
        self.rng = rng

    def select(self):
        arm = super().select()
        return arm if self.rng.random() < 0.9995 else 1 - arm


def test_seldom_randomness_in_a_deterministic_policy_is_no_exact_result():
    """Sixty-four equal runs do not show that all runs are equal: the policy's eps is finite."""
    found = audit_policy(objects(SeldomOther, SeldomOther, deterministic=True), eps=1.0, trials=2000)
    assert found.verdict is Verdict.REFUTED
    assert "samples certify eps >=" in found.summary
    assert "exact computation" not in found.summary


def test_randomness_in_a_deterministic_policy_is_said():
    found = audit_policy(objects(deterministic=True), eps=1.0, trials=200)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert "says deterministic=True" in found.summary


def test_deterministic_is_a_flag_and_leaves_nothing_to_a_sequential_audit():
    with pytest.raises(ValueError, match="deterministic is 1; it must be True or False"):
        objects(deterministic=1)
    with pytest.raises(ValueError, match="one run on each side decides"):
        audit_policy(objects(Greedy, Greedy, deterministic=True), eps=1.0, sequential=True)


def test_the_battery_says_copies_where_the_page_uses_randomness():
    found = {check.name: check.judge() for check in check_policy(NativeGreedy(), ThompsonSampling(2, 3), FEW)
             if check.name in ("repeats", "page law", "regret")}  # fmt: skip
    assert {each.verdict for each in found.values()} == {Verdict.NOT_APPLICABLE}
    assert all(COPIES in each.summary for each in found.values())


def test_a_release_that_the_law_excludes_refutes_also_a_copy():
    assert follows_law(NativeLateGreedy(), UCB1(2, 3), trials=20).verdict is Verdict.REFUTED


class Quiet(NoisyGreedy):
    """A twentieth of the noise."""

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.total[arm] += reward + 0.05 * self.rng.laplace()


class StatesALaw(NativeGreedy):
    """States that some of its steps are fair coins, and that the others pull this arm for certain."""

    def __init__(self, coins, arm=0):
        self.coins, self.arm = coins, arm

    def law(self, t, state):
        return one_arm(np.tile([0.5, 0.5] if t in self.coins else np.eye(2)[self.arm], (len(state), 1)))


@pytest.mark.parametrize(
    ("policy", "are_copies"),
    [
        (StatesALaw(()), False),
        (StatesALaw((), arm=1), True),
        *((StatesALaw(coins), True) for coins in [(1,), (3,)]),
    ],
)
def test_equal_runs_are_no_copies_only_if_the_law_makes_each_step_of_them_certain(policy, are_copies):
    remark = copies_remark(policy, Table(np.ones((2, 3))), 0)
    assert (COPIES in remark) == are_copies
