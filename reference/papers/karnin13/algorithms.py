"""Karnin, Koren, Somekh: Almost Optimal Exploration in Multi-Armed Bandits (ICML 2013).

Sequential Halving, which is not private: the best arm with a fixed budget. The algorithm is from a secondary source:
the paper's text was not at hand. Of equal means the lower index is kept; lines are numbered as follows.

     1  S_0 <- all K arms
     2  for r = 0, ..., ceil(log2 K) - 1:
     3      pull every arm of S_r floor(T/(|S_r| ceil(log2 K))) times; their means are of these rewards alone
     4      S_{r+1} <- the ceil(|S_r|/2) arms of S_r with the largest means
     5  the answer is the arm that is left
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law, Pulls, certain


class State(NamedTuple):
    """What Sequential Halving remembers between phases; one step is one phase."""

    phase: Ints  # (trials,): r, the phases that have ended
    active: NDArray[np.bool_]  # (trials, arms): S_r of the last phase
    total: Array  # (trials, arms): the sums of the last phase


@dataclass(frozen=True)
class SequentialHalving:
    """Sequential Halving. arms: K >= 2. horizon: T >= K ceil(log2 K), so that every phase pulls each of its arms."""

    answers: ClassVar[bool] = True
    arms: int
    horizon: int

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 2)
        at_least("T (horizon)", self.horizon, self.arms * self.phases)

    @property
    def phases(self) -> int:
        """ceil(log2 K)."""
        return (self.arms - 1).bit_length()

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        return State(np.zeros(trials, dtype=np.int64), np.ones(shape, dtype=np.bool_), np.zeros(shape))  # line 1

    def kept(self, state: State) -> NDArray[np.bool_]:
        """Line 4: the arms of the next phase; all of them before the first."""
        many = np.where(state.phase > 0, (state.active.sum(axis=1) + 1) // 2, self.arms)
        # All arms of a phase are pulled equally often: their sums are in the order of their means.
        order = np.argsort(np.where(state.active, -state.total, np.inf), axis=1, kind="stable")
        place = np.argsort(order, axis=1)
        return np.asarray(place < many[:, None])

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return self.next(t, state)

    def next(self, t: int, state: State) -> Pulls:
        """The pulls of step t, which are deterministic."""
        kept = self.kept(state)
        many = kept.sum(axis=1)
        pulls = kept * (self.horizon // (many * self.phases))[:, None]  # line 3
        answer = Pulls.answer(kept.argmax(axis=1), self.arms).counts  # line 5
        return Pulls(np.where((many == 1)[:, None], answer, pulls))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        return State(state.phase + 1, self.kept(state), np.array(sums))

    def law(self, t: int, state: State) -> Law:
        """The law of a deterministic step."""
        return certain(self.next(t, state))


PRINTED: Callable[..., Any] = SequentialHalving
