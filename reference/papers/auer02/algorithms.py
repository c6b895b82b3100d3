"""Auer, Cesa-Bianchi, Fischer: Finite-time Analysis of the Multiarmed Bandit Problem (Machine Learning 47, 2002).

UCB1, which is not private: the measure of what privacy costs. The algorithm is from a secondary source: the paper's
text was not at hand. log is natural; lines are numbered as follows. The order of the first pulls and the choice among
equal indices are left open: any is right, and the class takes the lowest arm.

     1  pull every arm once
     2  after n pulls in all, pull the arm with the largest x_j + sqrt(2 ln(n)/n_j), x_j the mean of its n_j rewards
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.ties import largest
from dpbandits.reference.papers.auer02 import formulas as f

EXPLORATION = 2.0  # line 2


class State(NamedTuple):
    """What UCB1 remembers."""

    pulls: Ints  # (trials, arms): n_j
    total: Array  # (trials, arms): the sum of arm j's rewards


@dataclass(frozen=True)
class UCB1:
    """UCB1. arms: K >= 1. horizon: T >= 1, which it does not use. exploration: line 2's 2, > 0."""

    side_by_side: ClassVar[bool] = True
    arms: int
    horizon: int
    exploration: float = EXPLORATION

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        positive("line 2's constant (exploration)", self.exploration)

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return Pulls.one(self.index(t, state).argmax(axis=1), self.arms)

    def index(self, t: int, state: State) -> Array:
        """The index of every arm in step t, (trials, arms); inf before the arm's first pull (line 1)."""
        new, pulls = state.pulls == 0, np.maximum(state.pulls, 1)
        if new.all():
            return np.full(new.shape, np.inf)
        squared = f.squared_bonus(doubles, self.exploration, float(t - 1), pulls)
        return np.where(new, np.inf, state.total / pulls + np.sqrt(squared))  # line 2

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(state.pulls + pulls.counts, state.total + sums)

    def law(self, t: int, state: State) -> Law:
        """The arm with the largest index, any of those that tie."""
        return largest(self.index(t, state), ties="any")


PRINTED: Callable[..., Any] = UCB1
