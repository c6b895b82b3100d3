"""Finite noise on merged states, for real rewards: bounds that are the exact eps, and uses of rewards without one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log, prod
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Noise, Pulls, audit_policy
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome
from dpbandits.proofs_checks.alignment.finite_runs import finite_certificate
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound
from dpbandits.proofs_checks.checker.verification import verify

Chance = Callable[[Any], Any]


class State(NamedTuple):
    arm: Any
    reward: Any
    ones: Any


@dataclass(frozen=True)
class Stays:
    """The same arm again with the probability `chance(last reward)`; draws uniform numbers alone."""

    chance: Chance
    horizon: int = 4
    arms: int = 2
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> State:
        return State(np.zeros(trials, dtype=np.int64), np.zeros(trials), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t == 1:
            return Pulls.one(state.arm, 2)
        stays = noise.uniform("stay", t) < self.chance(state.reward)
        return Pulls.one(np.where(stays, state.arm, 1 - state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        return State(pulls.counts[:, 1], sums.sum(axis=1), state.ones)


def probability(policy: Stays, pulled: tuple[int, ...], table: np.ndarray) -> float:
    """That a policy that stays or leaves makes these pulls."""
    count, last, parts = [0, 0], 0.0, []
    for t, arm in enumerate(pulled):
        if t:
            chance = float(policy.chance(np.array([last]))[0])
            parts.append(chance if arm == pulled[t - 1] else 1 - chance)
        elif arm:
            return 0.0
        last = float(table[arm, count[arm]])
        count[arm] += 1
    return prod(parts)


def win(odds: float) -> Chance:
    return lambda reward: np.where(reward > 0.5, odds, 1.0) / (1 + odds)


def linear(reward: Any) -> Any:
    return 0.2 + 0.6 * reward


def three_levels(reward: Any) -> Any:
    return np.where(reward >= 0.75, 0.6, np.where(reward > 0.25, 0.5, 0.3))


def found_for(chance: Chance, horizon: int = 4) -> Alignment:
    return bound_on_runs_or_states(Stays(chance, horizon))


@pytest.mark.parametrize(
    ("chance", "eps"), [(win(np.e), 1.0), (win(4.0), log(4)), (linear, log(4)), (three_levels, log(2))]
)
def test_the_bound_is_the_exact_eps(chance: Chance, eps: float) -> None:
    """At random real rewards no sequence of pulls loses more, and at some rewards one loses as much."""
    found = found_for(chance)
    assert found.outcome is Outcome.BOUND
    assert found.eps == pytest.approx(eps, rel=1e-9)
    assert found.finite is not None
    assert verify(finite_certificate(found.finite, "own/Stays", found.cost)).ok
    generator, largest = np.random.default_rng(0), 0.0
    for _ in range(60):
        table = generator.choice([0.0, 0.25, 0.5, 0.75, 1.0, generator.random()], (2, 4))
        other = table.copy()
        other[generator.integers(2), generator.integers(2)] = generator.choice([0.0, 1.0, generator.random()])
        for pulled in product((0, 1), repeat=4):
            one, two = (probability(Stays(chance), pulled, each) for each in (table, other))
            if one:
                largest = max(largest, abs(log(one / two)))
    assert largest <= found.eps * (1 + 1e-9)
    assert largest == pytest.approx(eps, rel=1e-6)


def test_forged_probabilities_and_bounds_are_rejected() -> None:
    found = found_for(win(np.e))
    assert found.finite is not None
    certificate: dict[str, Any] = finite_certificate(found.finite, "own/Stays", found.cost)
    smaller, other = deepcopy(certificate), deepcopy(certificate)
    smaller["bound"] = "99/100"
    for node in other["nodes"]:
        if node["kind"] == "draw" and Fraction(node["weights"][0]) > Fraction(1, 2):
            node["weights"] = ["4/5", "1/5"]
    no_values = certificate | {"values": []}
    no_values["nodes"] = [node | ({"next": []} if node["kind"] == "reward" else {}) for node in certificate["nodes"]]
    for forged in (smaller, other, no_values):
        assert not verify(forged).ok


def test_long_runs_are_proved() -> None:
    finding = audit_policy(Stays(win(np.e), 12), eps=1.0)
    assert finding.verdict == "PROVED"
    assert "for all reward tables" in finding.summary


def for_certain(reward: Any) -> Any:
    return np.where(reward > 0.5, 1.0, 0.0)


def test_declared_values_are_those_that_are_followed() -> None:
    """Without any value nothing would be compared, and every policy would have a bound."""
    found = merged_bound(Stays(linear, reward_range=frozenset((0.0, 1.0))), whole_runs=True)
    assert found.finite is not None
    assert set(found.finite.values) == {0, 1}
    assert found.eps == pytest.approx(log(4), rel=1e-9)
    for values in ((0.0, 1.0), frozenset((0.0, 1.0))):
        assert merged_bound(Stays(for_certain, reward_range=values), whole_runs=True).outcome is not Outcome.BOUND


def exactly_a_half(reward: Any) -> Any:
    """Where the reward is 1/2, the arm says so for certain."""
    return np.where((reward >= 0.5) & (reward <= 0.5), 2.0, 0.5)


def both(reward: Any) -> Any:
    return np.where(reward > 0.5, 0.5, 0.2 + 0.5 * reward)


def too_steep(reward: Any) -> Any:
    return 2 * reward - 0.5


@pytest.mark.parametrize("chance", [exactly_a_half, both, too_steep], ids=lambda each: each.__name__)
def test_other_uses_of_a_reward_have_no_bound(chance: Chance) -> None:
    assert found_for(chance).outcome is not Outcome.BOUND


def test_a_release_after_the_last_used_reward_counts() -> None:
    assert found_for(win(np.e), horizon=2).eps == pytest.approx(1.0, rel=1e-9)


class StoresHalf(Stays):
    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        return State(pulls.counts[:, 1], 1.0 - 0.5 * sums.sum(axis=1), state.ones)


def half(stored: Any) -> Any:
    return linear(2.0 * (1.0 - stored))


def half_a_threshold(stored: Any) -> Any:
    return np.where(stored < 0.75, np.e, 1.0) / (1 + np.e)


@pytest.mark.parametrize(("chance", "eps"), [(half, log(4)), (half_a_threshold, 1.0)])
def test_a_linear_function_of_a_reward_may_be_stored(chance: Chance, eps: float) -> None:
    assert bound_on_runs_or_states(StoresHalf(chance)).eps == pytest.approx(eps, rel=1e-9)


class Sums(Stays):
    """The probability depends on two rewards."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        return State(pulls.counts[:, 1], 0.5 * (state.reward + sums.sum(axis=1)), state.ones)


class Twice(Stays):
    """A response to a reward decides the next step, and the reward itself that after a 1."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        stays = noise.uniform("stay", t) < np.where(state.ones == 1, self.chance(state.reward), 0.5)
        return Pulls.one(np.where(stays, state.arm, 1 - state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        told = noise.uniform("response", t) < self.chance(sums.sum(axis=1))
        return State(pulls.counts[:, 1], sums.sum(axis=1), np.where(told, 1, 0))


class Peeks(Stays):
    """The response to a reward decides; and so does the draw of the response, later."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(np.where(state.ones == 1, state.arm, 1 - state.arm), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        drawn = noise.uniform("response", t)
        told = drawn < self.chance(sums.sum(axis=1))
        return State(pulls.counts[:, 1], sums.sum(axis=1), np.where(told, 1, 0) + np.where(drawn < 0.5, 1, 0))


class TwiceAtOnce(Stays):
    """Whether two responses to one reward agree: as often for 0 as for 1, and more often for 1/2."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(state.ones, 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        chance = self.chance(sums.sum(axis=1))
        told = (noise.uniform("one", t) < chance) & (noise.uniform("other", t) < 1 - chance)
        return State(pulls.counts[:, 1], state.reward, np.where(told, 1, 0))


class StoredTwice(Stays):
    """The same with a reward that is stored in two places."""

    def init(self, trials: int) -> State:
        return State(np.zeros(trials, dtype=np.int64), np.zeros(trials), np.zeros(trials))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        one = noise.uniform("one", t) < self.chance(state.reward)
        return Pulls.one(np.where(one & (noise.uniform("other", t) < 1 - self.chance(state.ones)), 1, 0), 2)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        return State(pulls.counts[:, 1], sums.sum(axis=1), 1.0 * sums.sum(axis=1))


class SameDraw(Stays):
    """All steps use the same draw: if it says to stay and then to leave, the first reward was the larger one."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        stays = noise.uniform("stay", 0) < self.chance(state.reward)
        return Pulls.one(np.where(stays, state.arm, 1 - state.arm), 2)


REMEMBERED: list[int] = []


class Remembers(Stays):
    """Counts its steps outside of its state."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Noise) -> State:
        REMEMBERED.append(t)
        return super().learn(t, state, pulls, sums, noise)


class Mixed(Stays):
    """A coin decides in which of two ways a reward is used."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        limit = np.where(noise.uniform("coin", t) < 0.5, win(2.0)(state.reward), self.chance(state.reward))
        return Pulls.one((noise.uniform("stay", t) < limit).astype(np.int64), 2)


USED_AGAIN = [Sums, Twice, TwiceAtOnce, StoredTwice, SameDraw, Peeks, Remembers, Mixed]


@pytest.mark.first(5)
@pytest.mark.parametrize("kind", USED_AGAIN, ids=lambda each: each.__name__)
def test_rewards_and_draws_that_are_used_again_have_no_bound(kind: type[Stays]) -> None:
    assert bound_on_runs_or_states(kind(linear)).outcome is not Outcome.BOUND


def in_between(reward: Any) -> Any:
    """The two ends of the range are alike, and all rewards between them."""
    return np.where(reward > 0, np.where(reward >= 1, 0.5, 0.9), 0.5)


def test_a_reward_between_the_ends_is_followed_if_all_thresholds_are_ends() -> None:
    found = found_for(in_between)
    assert found.eps == pytest.approx(log(5), rel=1e-9)


class Truncates(Stays):
    """Rewards above 1/2 count as 0."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return super().act(t, state, noise)._replace(bound=0.5)


def from_a_fifth(reward: Any) -> Any:
    return np.where(reward > 0.2, 0.5, 0.9)


def test_truncated_rewards_have_other_values_than_those_that_are_declared() -> None:
    """All declared values are above 1/5, but 0 is not."""
    policy = Truncates(from_a_fifth, reward_range=frozenset((0.3, 0.4, 1.0)))
    assert bound_on_runs_or_states(policy).outcome is not Outcome.BOUND
