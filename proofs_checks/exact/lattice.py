"""The lattice of pull counts: what a policy can know after a number of steps, step by step.

On a pull-indexed pair of tables the state of a policy is a function of its pull counts, because the reward
sums are prefix sums of the table. Transcripts that meet in the same counts have the same future.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.environments import Table
from dpbandits.reference.laws import checked_law, checked_size
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded, frozen
from dpbandits.reference.policy import HasLaw, Ints, Pulls, owned


class Layer(NamedTuple):
    """All states that are followed after some number of steps."""

    counts: Ints  # (states, arms): pull counts
    left: Any  # the policy's State on the left table, first axis: states
    right: Any  # the same on the right table


class Moves(NamedTuple):
    """The ways from one layer to the next, sorted by target. Ways of probability 0 on both sides are left
    out.
    """

    source: Ints  # (moves,): index into the old layer
    target: Ints  # (moves,): index into the new layer
    left: Array  # (moves,): probability on the left table
    right: Array  # (moves,): probability on the right table


class Forward(NamedTuple):
    """The policy on both tables of a pair, ready to be stepped."""

    policy: HasLaw
    left: Table
    right: Table

    def start(self) -> Layer:
        zero: Ints = np.zeros((1, self.policy.arms), dtype=np.int64)
        return Layer(zero, *(owned(self.policy.init(1)) for _ in "lr"))

    def advance(self, t: int, size: int, layer: Layer) -> tuple[Moves, Layer]:
        """One step of `size` pulls from every state of a layer."""
        policy = self.policy
        left, right = checked_law(policy, t, layer.left).chance, checked_law(policy, t, layer.right).chance
        source, arm = np.nonzero((left > 0) | (right > 0))
        # All counts of a layer have the same total, so that the last arm's count is redundant.
        places = (policy.horizon + 1.0) ** np.arange(policy.arms - 1)
        if places.size and places[-1] * (policy.horizon + 1) > 2**62:
            raise ValueError(f"{policy.arms} arms and T = {policy.horizon}: too many states for the exact engine")
        digits = np.append(places, 0).astype(np.int64)
        keys = layer.counts[source] @ digits + size * digits[arm]
        _, first, target = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(target, kind="stable")
        moves = Moves(source[order], target[order], left[source, arm][order], right[source, arm][order])
        return moves, self.learn(t, layer, source[first], arm[first], size)

    def learn(self, t: int, layer: Layer, source: Ints, arm: Ints, size: int) -> Layer:
        """The layer that the given arms lead to from the given states."""
        before = layer.counts[source]
        pulls = Pulls(frozen(size * Pulls.one(arm, self.policy.arms).counts))
        noise = Seeded(0, len(source))  # tables use none of it, and a policy with a law needs none to learn
        sides = (
            owned(self.policy.learn(t, rows(state, source), pulls, frozen(paid), noise))
            for state, paid in (
                (layer.left, self.left.draw(t, before, pulls.counts, None, noise)),
                (layer.right, self.right.draw(t, before, pulls.counts, None, noise)),
            )
        )
        return Layer(before + pulls.counts, *sides)


def sizes(policy: HasLaw) -> Iterator[tuple[int, int]]:
    """(t, how many pulls step t makes) until the horizon is used up."""
    t, left = 0, policy.horizon
    while left > 0:
        t += 1
        size = min(checked_size(policy, t), left)
        left -= size
        yield t, size


def forward(policy: HasLaw, pair: Pair) -> Forward:
    """Raises ValueError where the exact engine cannot follow this policy on this pair."""
    if pair.relation != "pull":
        raise ValueError(
            f"the exact engine needs a pull-indexed pair, not {pair.relation!r}: with a time-indexed "
            "stream the reward sums depend on the whole transcript, not on the pull counts"
        )
    if not isinstance(policy, HasLaw):
        raise TypeError(f"{policy} offers no law(t, state) and size(t): the exact engine cannot follow it")
    if pair.left.shape[0] != policy.arms:
        raise ValueError(f"the policy has {policy.arms} arms, the pair {pair.left.shape[0]}: make them equal")
    return Forward(policy, Table(pair.left), Table(pair.right))


def rows(state: Any, index: Any) -> Any:
    """The chosen rows of a policy's State (arrays, or tuples of them)."""
    if isinstance(state, tuple):
        parts = [rows(part, index) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state[index]


def kept(layer: Layer, index: Any) -> Layer:
    """The layer with only the chosen states."""
    return Layer(layer.counts[index], rows(layer.left, index), rows(layer.right, index))
