"""Algorithm 4 user by user: every message is a noisy number of its own, as whoever collects them sees it.

A step is one round over S. Its truncated rewards wait in the state until the next step has made messages of them; an
arm that is left alone sends none. `LDPRSE` has the same law and draws the noise of a whole epoch at once, for long
horizons; here it is the messages that count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array, Noise, again
from dpbandits.reference.bandits.noisy_values import Noisy, Shifts
from dpbandits.reference.bandits.policy import Ints, OfSameShape, Pulls
from dpbandits.reference.papers.tao22.algorithms.elimination import (
    LDPRSE,
    Elimination,
    Epoch,
    Flags,
    finite_sums,
    how_many,
)


class State(NamedTuple):
    """The state between the rounds of an epoch."""

    epoch: Ints  # (trials,): tau
    rounds: Ints  # (trials,): of this epoch, as many as have been played
    active: Flags  # (trials, arms): S
    rewards: Array  # (trials, arms): of the last round, truncated. SECRET
    messages: Array  # (trials, arms): of the rounds of this epoch before the last, added up
    used: Ints  # (trials,): t


@dataclass(frozen=True)
class Messages(OfSameShape):
    """Algorithm 4, a round a step. policy: an `LDPRSE`, with either line 21; ValueError for another."""

    policy: Elimination

    def __post_init__(self) -> None:
        if not (isinstance(self.policy, Elimination) and self.policy.local):
            raise ValueError(
                f"policy is {self.policy!r}; it must be an LDPRSE (Algorithm 4), the policy that sends messages"
            )

    @property
    def reward_range(self) -> tuple[float, float]:
        return self.policy.reward_range

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        zero, nothing = np.zeros(trials, dtype=np.int64), np.zeros(shape)
        return State(zero + 1, zero, np.ones(shape, dtype=bool), nothing, nothing, zero)

    def sent(self, state: State) -> Flags:
        """Whose message is due: one of every active arm, (trials, arms)."""
        return np.asarray(state.active & (state.rounds > 0)[:, None])

    def noisy(self, t: int, state: State) -> Noisy:
        """Line 16: the messages of the last round."""
        return self.reports(state, self.policy.numbers(state.epoch, state.active))

    def reports(self, state: State, now: Epoch) -> Noisy:
        """The messages, where the numbers of the epoch are known."""
        scale = np.where(self.sent(state), self.policy.spread(now), 0.0)
        return Noisy("laplace", "report", state.rewards, scale)

    def shifts(self, pair: Pair) -> Shifts | None:
        """How far the messages move; all of the first epoch are sent where a step comes after it."""
        return self.policy.shifts(pair)

    def heard(self, t: int, state: State, now: Epoch, noise: Noise) -> Array:
        """The messages of this epoch, added up, (trials, arms)."""
        said = self.reports(state, now)
        report = said.centre + said.scale * noise.laplace(said.site, t, (self.arms,))
        return np.asarray(state.messages + np.where(self.sent(state), report, 0.0))

    def collected(self, t: int, state: State, noise: Noise) -> State:
        """The state after the messages of the last round, and after lines 18 to 26 and 5 where it was an epoch's."""
        now = self.policy.numbers(state.epoch, state.active)
        heard = self.heard(t, state, now, noise)
        ended = state.rounds[:, None] >= now.length
        if not ended.any():
            return state._replace(messages=heard)
        stays = self.policy.stays(state.active, heard / now.length, now)  # lines 19 to 24
        return state._replace(
            epoch=state.epoch + ended[:, 0],
            rounds=np.where(ended[:, 0], 0, state.rounds),
            active=np.where(ended, stays, state.active),
            messages=np.where(ended, 0.0, heard),
        )

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        after = self.collected(t, state, noise)
        alone = how_many(after.active)[:, None] == 1  # lines 27 and 28
        left = np.maximum(self.horizon - after.used, 0)[:, None]
        counts = np.where(after.active, np.where(alone, left, np.minimum(left, 1)), 0)
        return Pulls(counts, np.where(alone, np.inf, self.policy.numbers(after.epoch, after.active).bound))  # line 15

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        finite_sums(t, sums)
        after = self.collected(t, state, again(noise))
        pulled = per_trial(pulls.counts)
        several = (how_many(after.active) > 1) & (pulled > 0)
        return after._replace(
            rounds=after.rounds + several,
            rewards=np.where(several[:, None], sums, 0.0),
            used=after.used + pulled,
        )


def messages(**parameters: Any) -> Messages:
    """The messages of Algorithm 4 as it is printed."""
    return Messages(LDPRSE(**parameters))
