"""Linear Thompson sampling: against its lines in numpy, its law against its samples, and its privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

from dpbandits import Seeded, Stream, Verdict, follows_law, play
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling, ExploringRidge, LinUCB
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.joint_privacy import joint_privacy_profile
from dpbandits.proofs_checks.papers.agrawal13.privacy import circling, coins, contradicting, one_reward, reward
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Once
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy, inverse_gap_weighting, softmax
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.agrawal13 import LinearThompsonSampling
from dpbandits.reference.papers.agrawal13.claims import CLAIMS

ROUNDS, ARMS, D, V = 6, 3, 2, 0.7
FEATURES = np.random.default_rng(2).integers(-8, 9, (ROUNDS, ARMS, D)) / 8
REWARDS = np.random.default_rng(3).integers(0, 9, (ARMS, ROUNDS)) / 8
WORLD = Stream(REWARDS, contexts=Contexts(FEATURES))


def test_a_run_is_what_its_lines_say():
    recorder = Recorder(Seeded(1, 10))
    played = play(LinearThompsonSampling(ARMS, ROUNDS, D, V), WORLD, recorder, 10)
    for trial in range(10):
        gram, moments = np.eye(D), np.zeros(D)  # line 1
        for t in range(ROUNDS):
            drawn = recorder.values["mu", t + 1][trial]
            root = np.linalg.inv(np.linalg.cholesky(gram)).T
            sample = np.linalg.solve(gram, moments) + V * root @ drawn  # line 3
            arm = int((FEATURES[t] @ sample).argmax())  # line 4
            assert played.released[trial, t].argmax() == arm
            x = FEATURES[t, arm]
            gram, moments = gram + np.outer(x, x), moments + x * REWARDS[arm, t]  # line 5


def test_where_doubles_decide_between_contexts_the_page_s_own_policy_is_not_refuted():
    policy = LinearThompsonSampling(2, 3, 1)
    near = np.full((3, 2, 1), 0.75) + np.array([[0.0], [2**-50]])
    finding = follows_law(policy, policy, {"near": Stream(np.ones((2, 3)), contexts=Contexts(near))}, trials=3000)
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert "make the contexts equal" in finding.summary


POLICIES = (
    LinearThompsonSampling(ARMS, ROUNDS, D, V),
    DisjointLinearThompsonSampling(ARMS, ROUNDS, D, V),
    LinUCB(ARMS, ROUNDS, D),
    ExploringRidge(ARMS, ROUNDS, D, partial(epsilon_greedy, epsilon=0.2)),
    ExploringRidge(ARMS, ROUNDS, D, partial(softmax, temperature=0.3)),
    ExploringRidge(ARMS, ROUNDS, D, partial(inverse_gap_weighting, gamma=10)),
)


def after(policy, rounds):
    """The state after arms 0, 1, ..., in turns, were pulled in so many rounds, of one trial; and what is seen next."""
    state = policy.init(1)
    for t in range(rounds):
        pulls, seen = Pulls.one(np.array([t % ARMS]), ARMS), FEATURES[None, t]
        state = policy.learn(t + 1, state, pulls, pulls.counts * REWARDS[:, t], Seeded(0, 1), seen)
    return state, FEATURES[None, rounds]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: f"{type(policy).__name__}")
def test_the_law_is_that_of_the_samples(policy):
    state, seen = after(policy, 4)
    law = checked_law(policy, 5, state, 1, seen)
    many = 20_000
    repeated = type(state)(*(np.repeat(part, many, axis=0) for part in state))
    noise = Once(Seeded(4, many), many, 5)
    pulled = policy.act(5, repeated, noise, np.repeat(seen, many, axis=0)).counts.mean(axis=0)
    np.testing.assert_allclose(pulled, law.chance[0] @ law.counts[0], atol=4 / np.sqrt(many) / 2 + 1e-12)


def test_ridge_regression_of_each_arm_is_that_of_its_own_rewards():
    state, _ = after(POLICIES[1], 5)
    for arm in range(ARMS):
        mine = np.arange(5) % ARMS == arm
        x, paid = FEATURES[:5][mine, arm], REWARDS[arm, :5][mine]
        np.testing.assert_array_equal(state.gram[0, arm], np.eye(D) + x.T @ x)
        np.testing.assert_array_equal(state.moments[0, arm], x.T @ paid)


def test_contexts_of_zeros_are_no_samples():
    state, _ = after(POLICIES[1], 3)
    assert POLICIES[1].law(4, state, np.zeros((1, ARMS, D))).chance.tolist() == [[1.0]]
    with pytest.raises(ValueError, match="some arms, but not all, have a context of zeros"):
        POLICIES[1].law(4, state, FEATURES[None, 3] * np.array([[[0.0], [1.0], [1.0]]]))


def test_all_others_see_as_much_as_everybody_where_the_user_s_own_arm_is_certain():
    policy = LinearThompsonSampling(2, 19, 2)
    pair = contradicting(policy)
    assert joint_privacy_profile(policy, pair).mu()[0] == pytest.approx(exact_profile(policy, pair).mu()[0], rel=1e-4)


@dataclass(frozen=True)
class TooQuiet(LinearThompsonSampling):
    """Draws with deviation v^2 where it should be v: a planted error."""

    def law(self, t, state, seen):
        return LinearThompsonSampling(self.arms, self.horizon, self.contexts, self.scale**2).law(t, state, seen)


def test_a_sampler_that_is_too_quiet_is_refuted():
    claim = next(each for each in CLAIMS if each.id == "agrawal13/privacy/reward")
    assert isinstance(claim.says, Private)
    planted = replace(claim, subject=TooQuiet, params=({"arms": 2, "horizon": 6, "contexts": 2, "scale": 0.5},))
    assert reward(planted, None, 0).verdict is Verdict.REFUTED


def test_contexts_of_the_attacks_are_no_longer_than_1():
    policy = LinearThompsonSampling(3, 33, 4)
    for features in (coins(policy), circling(policy), *(each.features for each in contradicting(policy).contexts)):
        assert np.sqrt((features**2).sum(axis=2)).max() <= 1
    assert one_reward(policy, coins(policy)).spot == (0, 0)
