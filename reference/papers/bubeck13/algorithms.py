"""Bubeck, Cesa-Bianchi, Lugosi: Bandits with Heavy Tail (IEEE Transactions on Information Theory 59, 2013).

Robust UCB with the truncated mean, which is not private. The algorithm is from a secondary source: the paper's text was
not at hand; that rewards are truncated at (u s/ln(t^2))^{1/(1+v)} is also what tao22 says of it. log is natural; lines
are numbered as follows. The order of the first pulls and the choice among equal indices are left open: any is right,
and the class takes the lowest arm.

     1  pull every arm once
     2  in round t, of the n_a rewards of arm a so far, count the s-th as 0 if its size exceeds (u s/ln(t^2))^{1/(1+v)}
     3  mu_a <- the sum of the others/n_a
     4  pull the arm with the largest mu_a + 4 u^{1/(1+v)} (ln(t^2)/n_a)^{v/(1+v)}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import (
    at_least,
    normalize_numeric_fields,
    positive,
    require_in_closed_interval,
)
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.ties import largest
from dpbandits.reference.papers.bubeck13 import formulas as f

WIDTH = 4.0  # line 4
SAFE = 1 - 1e-9  # within so much of a threshold a reward is doubtful, lest rounding decide; it errs by some 1e-15


class State(NamedTuple):
    """The state of robust UCB. The threshold of line 2 for the s-th reward falls as t grows. So a reward that the last
    round counts is counted in every round, and only the other rewards are tested again in each round."""

    pulls: Ints  # (trials, arms): n_a
    sure: Array  # (trials, arms): the sum of the rewards that every round counts
    doubtful: Array  # (trials, arms, most): the others, as they came, 0 beyond them
    order: Ints  # (trials, arms, most): the s of each; 0 beyond them


@dataclass(frozen=True)
class RobustUCB:
    """Robust UCB. arms: K >= 1. horizon: T >= 1, which no pull depends on. v in (0, 1], u > 0: E|X|^{1+v} <= u for
    every arm. width: line 4's 4, > 0."""

    arms: int
    horizon: int
    v: float = 1.0
    u: float = 1.0
    width: float = WIDTH

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        require_in_closed_interval("v", self.v, 0, 1)
        positive("v", self.v)
        positive("u", self.u)
        positive("line 4's constant (width)", self.width)

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        none: Any = np.zeros((*shape, 0))
        return State(np.zeros(shape, dtype=np.int64), np.zeros(shape), none, none.astype(np.int64))

    def threshold(self, order: Any, t: int) -> Any:
        """Line 2, for the s-th reward in round t >= 2; none is needed before."""
        return f.threshold(doubles, self.u, self.v, np.maximum(order, 1), float(max(t, 2)))

    def means(self, t: int, state: State) -> Array:
        """Lines 2 and 3: mu_a, (trials, arms); 0 before the first pull."""
        counted = np.where(np.abs(state.doubtful) <= self.threshold(state.order, t), state.doubtful, 0.0)
        # In the order in which they came: a sum's rounding must not depend on how many columns other trials need.
        every = np.concatenate([state.sure[:, :, None], counted], axis=2)
        return np.asarray(np.cumsum(every, axis=2)[:, :, -1] / np.maximum(state.pulls, 1))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(self.index(t, state).argmax(axis=1), self.arms)

    def index(self, t: int, state: State) -> Array:
        """The index of every arm in round t, (trials, arms); inf before the arm's first pull (line 1)."""
        new = state.pulls == 0
        if new.all():
            return np.full(new.shape, np.inf)
        bonus = f.bonus(doubles, self.width, self.u, self.v, np.maximum(state.pulls, 1), float(t))
        return np.where(new, np.inf, self.means(t, state) + bonus)  # line 4

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if (pulls.counts.sum(axis=1) > 1).any():
            raise ValueError(
                f"step {t}: learn received {pulls.counts.sum(axis=1).max()} pulls at once, but robust UCB "
                "truncates single rewards; call it after every pull"
            )
        made = state.pulls + pulls.counts
        sure = np.abs(sums) <= SAFE * self.threshold(made, self.horizon)
        trial, arm = np.nonzero(pulls.counts * ~sure)
        many = np.count_nonzero(state.order[trial, arm], axis=1)
        room = [(0, 0), (0, 0), (0, int((many + 1 > state.order.shape[2]).any()))]
        doubtful, order = np.pad(state.doubtful, room), np.pad(state.order, room)
        doubtful[trial, arm, many], order[trial, arm, many] = sums[trial, arm], made[trial, arm]
        return State(made, state.sure + np.where(sure, sums, 0.0), doubtful, order)

    def law(self, t: int, state: State) -> Law:
        """The arm with the largest index, any of those that tie."""
        return largest(self.index(t, state), ties="any")


PRINTED: Callable[..., Any] = RobustUCB
