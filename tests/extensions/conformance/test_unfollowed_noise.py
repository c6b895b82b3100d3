"""Policies whose draws cannot be followed one by one: no private one is accused, and no leaking one is proved."""

from __future__ import annotations

from typing import Any

import numpy as np
import private_styles as styles
import pytest
from test_frozen_replay import Plain, seldom

from dpbandits import Approximate, Pulls, Verdict, audit_policy, flipped
from dpbandits.audit.privacy.own_claims import claimed_curve, own_claim
from dpbandits.extensions.conformance.frozen import look_at_own_policy, replay, replay_frozen
from dpbandits.extensions.conformance.other_noise import FAR, FarNoise, other_noise_hides
from dpbandits.reference.bandits.noise import Seeded


def name_of(value: Any) -> str:
    return str(getattr(value, "name", "") or type(value).__name__) if hasattr(value, "act") else ""


@pytest.mark.parametrize(("policy", "claim"), styles.PRIVATE_HERE, ids=name_of)
def test_no_private_policy_is_accused_by_a_replay(policy: Any, claim: dict[str, float]) -> None:
    curve = claimed_curve(claim.get("eps"), claim.get("delta"), claim.get("mu"))
    finding = replay_frozen(policy, curves=[curve])
    assert finding.verdict is not Verdict.REFUTED, finding.summary


@pytest.mark.parametrize("policy", styles.PRIVATE_WITH_LITTLE_NOISE, ids=name_of)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_noise_that_seldom_hides_a_reward_hides_it(policy: Any, seed: int) -> None:
    """Only draws that are far from usual let a reward of 1 be hidden by noise of scale 1/20."""
    finding = replay_frozen(policy, seed=seed, curves=[Approximate(styles.LITTLE)])
    assert finding.verdict is not Verdict.REFUTED, finding.summary


@pytest.mark.parametrize(
    "policy",
    [styles.ArmOneBare(), styles.NoiseOverwritten(), styles.SumsFromResiduals(), styles.BareTournament()],
    ids=name_of,
)
def test_a_reward_that_no_noise_hides_is_found(policy: Any) -> None:
    """Noise is drawn, and even looked at, but has no part in the decision."""
    finding = replay_frozen(policy, curves=[Approximate(1.0)])
    assert finding.verdict is Verdict.REFUTED
    assert "a reward is read in the clear" in finding.summary


class OwnCoins(styles.Agent):
    """Randomised response with odds of 9, by coins that do not come from `rng`."""

    coins = np.random.default_rng(5)

    def prefers(self, zero: float, one: float) -> Any:
        return (one > zero) == (self.coins.random() < 0.9)


class OwnNoise(styles.Agent):
    """Laplace noise of scale 1 that does not come from `rng`, beside a little noise from it."""

    own = np.random.default_rng(5)

    def prefers(self, zero: float, one: float) -> Any:
        return one - zero + 0.001 * self.rng.laplace() + self.own.laplace() > 0


@pytest.mark.parametrize(
    ("kind", "why"), [(OwnCoins, "the policy has randomness of its own"), (OwnNoise, "when it is traced")]
)
def test_randomness_of_its_own_is_no_reward_in_the_clear(kind: type[styles.Agent], why: str) -> None:
    said = [replay_frozen(styles.played(kind), seed=seed, curves=[Approximate(1.0)]) for seed in range(4)]
    assert Verdict.REFUTED not in {each.verdict for each in said}, [each.summary for each in said]
    assert any(why in each.summary for each in said)


@pytest.mark.thorough
@pytest.mark.parametrize(("policy", "claim"), styles.PRIVATE_HERE, ids=name_of)
def test_no_private_policy_is_refuted(policy: Any, claim: dict[str, float]) -> None:
    assert audit_policy(policy, **claim).verdict in (Verdict.PROVED, Verdict.CONSISTENT)


@pytest.mark.thorough
@pytest.mark.parametrize("policy", styles.LEAKING_HERE, ids=name_of)
def test_leaking_policies_are_refuted(policy: Any) -> None:
    assert audit_policy(policy, eps=1.0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("policy", [styles.OneNoisySum(), Plain(seldom)], ids=["one noisy sum", "seldom without noise"])
def test_a_reward_that_noise_may_hide_is_a_pair_for_the_search(policy: Any) -> None:
    found = replay(policy)
    assert "with other noise each of them leads to both pulls" in found.by_scale.unfollowed
    claim = own_claim(policy, eps=1.0, delta=None, mu=None)
    words, pairs = look_at_own_policy(claim, policy, 0)
    assert (words, len(pairs)) == ("", 1)


class InTwoSteps(styles.OneNoisySum):
    """Pulls both arms in one step, with a bound that counts larger rewards as 0."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        if t == 1:
            return Pulls(np.ones((len(state.total), 2), dtype=np.int64), np.full((len(state.total), 2), 0.9))
        return super().act(3, state, noise)


def test_blocks_and_truncated_rewards_are_repeated() -> None:
    finding = replay_frozen(InTwoSteps())
    assert finding.verdict is Verdict.NOT_APPLICABLE
    assert finding.summary.startswith("step 2: the same noisy values lead to different pulls")


def test_far_noise_is_far_in_both_directions() -> None:
    noise = FarNoise(Seeded(3, 4000))
    uniform, normal = (getattr(noise, kind)("draw", 1, (2,)) for kind in ("uniform", "normal"))
    assert uniform.min() >= 0
    assert uniform.max() < 1
    for far in (uniform <= 1 / FAR, uniform >= 1 - 1 / FAR, normal < -FAR / 100, normal > FAR / 100):
        assert 0.15 < far.mean() < 0.35
    usual = (uniform > 1 / FAR) & (uniform < 1 - 1 / FAR)
    assert 0.4 < usual.mean() < 0.6


class Exceeding:
    """Pulls arm 1 if its own reward was 1 and a normal draw exceeds the threshold; otherwise arm 0."""

    arms, horizon = 2, 3

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold

    def init(self, trials: int) -> Any:
        return np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        seen = (state == 1) & (noise.normal("draw", t) > self.threshold)
        return Pulls.one(np.where(t == 1, 1, seen.astype(np.int64)), 2)

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return np.where(t == 1, sums[:, 1], state)


@pytest.mark.parametrize(("threshold", "hides"), [(0.0, False), (1.1, False), (1.5, True), (50.0, True)])
def test_a_release_counts_if_a_tenth_of_usual_draws_leads_to_it(threshold: float, hides: bool) -> None:
    """P(z > 1.1) is 0.14, P(z > 1.5) is 0.07; and a quarter of the far draws is above 50."""
    pair = flipped("pull", np.zeros((2, 3)), 1, 0, 1.0)
    policy, before = Exceeding(threshold), [Pulls(np.array([[0, 1]]))]
    assert other_noise_hides(policy, pair, before, 3) == hides
    assert other_noise_hides(policy, pair.swapped(), before, 3) == hides
