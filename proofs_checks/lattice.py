"""The lattice of pull counts: what a policy can know after a number of steps, step by step.

On a pull-indexed pair of tables the state of a policy is a function of its pull counts, because the reward
sums are prefix sums of the table. Transcripts that meet in the same counts have the same future.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference import argmax_law
from dpbandits.reference.environments import Table
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded
from dpbandits.reference.policy import HasLaw, Ints, Pulls

LAW_ERROR = 1e-11  # the relative error of a law's probabilities that the exact engine accounts for: see `laws`


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
        return Layer(zero, self.policy.init(1), self.policy.init(1))

    def advance(self, t: int, size: int, layer: Layer) -> tuple[Moves, Layer]:
        """One step of `size` pulls from every state of a layer."""
        policy = self.policy
        left, right = (law_of(policy, t, state) for state in (layer.left, layer.right))
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
        pulls = Pulls(size * Pulls.one(arm, self.policy.arms).counts)
        noise = Seeded(0, len(source))  # tables use none of it, and a policy with a law needs none to learn
        sides = (
            self.policy.learn(t, rows(state, source), pulls, table.draw(t, before, pulls.counts, None, noise), noise)
            for table, state in ((self.left, layer.left), (self.right, layer.right))
        )
        return Layer(before + pulls.counts, *sides)


def sizes(policy: HasLaw) -> Iterator[tuple[int, int]]:
    """(t, how many pulls step t makes) until the horizon is used up."""
    t, left = 0, policy.horizon
    while left > 0:
        t += 1
        size = min(policy.size(t), left)
        if size < 1:
            raise ValueError(f"{policy}: step {t} makes {size} pulls; every step must make at least one")
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


def law_of(policy: HasLaw, t: int, state: Any) -> Array:
    """The policy's law, (states, arms), if it can be as exact as the engine takes it to be; ValueError otherwise."""
    return checked(f"{policy}: law({t}, state)", policy.law(t, state))


def checked(what: str, law: Any) -> Array:
    """Probabilities in the last axis: none negative, and a sum that is 1 up to the errors that are accounted for.

    A larger error would become a part of bounds that are called certified. ValueError says what is wrong."""
    law = np.asarray(law, dtype=np.float64)
    if not (law >= 0).all():
        worst = law[~(law >= 0)][0]
        raise ValueError(f"{what} holds {worst}; probabilities are at least 0, and a difference may round below it")
    sums = law.sum(axis=-1)
    arms = law.shape[-1]
    tolerance = LAW_ERROR + (arms * argmax_law.ERROR if arms > 2 else 0.0)
    if (np.abs(sums - 1) > tolerance).any():
        worst = float(np.ravel(sums)[np.abs(sums - 1).argmax()])
        raise ValueError(f"{what} sums to 1 {worst - 1:+.3g}; the exact engine accounts for {tolerance:.2g} at most")
    return np.asarray(law)


def rows(state: Any, index: Any) -> Any:
    """The chosen rows of a policy's State (arrays, or tuples of them)."""
    if isinstance(state, tuple):
        parts = [rows(part, index) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state[index]


def kept(layer: Layer, index: Any) -> Layer:
    """The layer with only the chosen states."""
    return Layer(layer.counts[index], rows(layer.left, index), rows(layer.right, index))
