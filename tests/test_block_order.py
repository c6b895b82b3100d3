"""The order of the pulls inside of a block: no part of a row, and released row by row where it hangs on rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Pulls, Seeded, audit_policy, flipped, play
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, argmax

N = 3  # pulls of an arm in a block
TURNS = np.array([[[N, 0], [0, N]]])


class State(NamedTuple):
    made: Any  # (trials, 2)
    paid: Any  # (trials, 2): in the first block


@dataclass(frozen=True)
class Ordered:
    """Two blocks of both arms. The second one begins with the arm whose noisy mean was the larger one: an eps-DP choice
    with the whole noise (share 1), and more with less. told: whether it comes arm by arm, or as one row."""

    share: float
    told: bool
    eps: float = 1.0
    arms: int = 2
    horizon: int = 4 * N

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, 2), dtype=np.int64), np.zeros((trials, 2)))

    @property
    def scale(self) -> float:
        """Of the noise of a mean: one reward of one arm moves its mean by 1/N."""
        return self.share / (N * self.eps)

    def first(self, state: State) -> Any:
        """The chance that each arm comes first, (trials, 2)."""
        return argmax(LAPLACE, state.paid / N, self.scale).chance

    def rest(self, state: State) -> Any:
        """What the second block still has to pull."""
        return 2 * N - state.made

    def law(self, t: int, state: State) -> Law:
        many = len(state.made)
        if t == 1 or not self.told:
            return Law(np.full((many, 1, 2), N), np.ones((many, 1)), None, 0.0)
        if t == 2:
            return Law(np.broadcast_to(TURNS, (many, 2, 2)), self.first(state))
        return Law(self.rest(state)[:, None], np.ones((many, 1)), None, 0.0)

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        both = np.full(state.made.shape, N)
        if t == 1 or not self.told:
            return Pulls(both)
        if t == 2:
            noisy = state.paid / N + self.scale * noise.laplace("order", t, (2,))
            return Pulls(TURNS[0][noisy.argmax(axis=1)])
        return Pulls(np.where(state.made.sum(axis=1, keepdims=True) < self.horizon, self.rest(state), 0))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.made + pulls.counts, np.where(t == 1, sums, state.paid))


def pair() -> Any:
    """Arm 0 is behind by so much that one reward counts in full."""
    table = np.zeros((2, 2 * N))
    table[1] = 1.0
    return flipped("pull", table, 0, 0, 1.0)


def test_an_order_that_is_released_costs_what_its_noise_allows() -> None:
    low, high = exact_profile(Ordered(1.0, told=True), pair(), deep=True).eps(0.0)
    assert 0.7 < low <= high <= 1.0
    low, high = exact_profile(Ordered(0.5, told=True), pair(), deep=True).eps(0.0)
    assert 1.5 < low <= high <= 2.0


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_row_holds_no_order(share: float) -> None:
    """As one row, the block tells nothing: an audit of it would be blind to who came first."""
    silent = Ordered(share, told=False)
    assert exact_profile(silent, pair(), deep=True).eps(0.0)[1] < 1e-9
    assert len(enumerate_transcripts(silent, pair()).left) == 1
    rows = play(Ordered(share, told=True), pair().environments()[0], Seeded(0, 50), 50).released
    assert {tuple(row) for row in rows[:, 1].tolist()} == {(N, 0), (0, N)}
    assert (rows.sum(axis=1) == 2 * N).all()


@pytest.mark.planted
def test_an_order_that_leaks_is_caught() -> None:
    """Half of the noise, and nothing else is wrong: the pulls of every block are what they should be."""
    assert audit_policy(Ordered(1.0, told=True), eps=1.0).verdict == "PROVED"
    found = audit_policy(Ordered(0.5, told=True), eps=1.0)
    assert found.verdict == "REFUTED"
    assert audit_policy(Ordered(0.5, told=False), eps=1.0).verdict != "REFUTED"
