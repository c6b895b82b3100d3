"""Section 4.3's ES(pi, n, iota) around any policy of the protocol. (`histories` has it for exact chances.)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.answers import answered, answers
from dpbandits.reference.checks import at_least
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Ints, Policy, Pulls


class Stopped(NamedTuple):
    """The inner state (of no meaning once a trial pulls the auxiliary arm), the pulls of iota, of the auxiliary arm,
    and of all, and who has stopped."""

    inner: Any
    made: Ints  # (trials,): N_{iota, t}
    idle: Ints  # (trials,): N_{0, t}
    used: Ints  # (trials,): t
    over: NDArray[np.bool_]  # (trials,)


@dataclass(frozen=True)
class EarlyStopping:
    """As `policy` while arm iota was pulled fewer than n times, then the auxiliary arm for ever. policy: any, with K
    arms. The auxiliary arm is the last one, number K; the environment has to pay 0 for it. A block of pulls is cut
    behind the n-th pull of iota, in arm order, as `play` cuts it at the horizon. Where the policy recommends an arm, so
    does this one: the auxiliary arm, once that was pulled.
    """

    policy: Policy
    n: int
    iota: int

    def __post_init__(self) -> None:
        at_least("n", self.n, 0)
        at_least("iota", self.iota, 0)
        if self.iota >= self.policy.arms:
            raise ValueError(f"iota = {self.iota}; it must be an arm of the policy, 0 to {self.policy.arms - 1}")

    @property
    def arms(self) -> int:
        return self.policy.arms + 1

    @property
    def horizon(self) -> int:
        return self.policy.horizon

    @property
    def answers(self) -> bool:
        return answers(self.policy)

    def init(self, trials: int) -> Stopped:
        none = np.zeros(trials, dtype=np.int64)
        return Stopped(self.policy.init(trials), none, none, none, np.full(trials, self.n == 0))

    def act(self, t: int, state: Stopped, noise: Noise) -> Pulls:
        asked = self.policy.act(t, state.inner, noise)
        counts = np.zeros((len(state.over), self.arms), dtype=np.int64)
        room = self.n - state.made
        full = (asked.counts[:, self.iota] >= room) & ~answered(asked.counts)
        counts[:, :-1] = asked.counts
        counts[full, self.iota] = room[full]
        counts[full, self.iota + 1 :] = 0
        stopped = state.over & ((state.used < self.horizon) | (state.idle > 0))
        counts[stopped] = 0
        counts[stopped | full, -1] = self.horizon  # `play` cuts what does not fit
        if self.answers:
            ended = stopped & (state.used >= self.horizon)
            last = np.full(len(ended), self.arms - 1)
            counts = np.where(ended[:, None], Pulls.answer(last, self.arms).counts, counts)
        bound = asked.bound
        if bound is not None:
            bound = np.concatenate([np.broadcast_to(bound, asked.counts.shape), np.zeros((len(counts), 1))], axis=1)
        return Pulls(counts, bound)

    def learn(self, t: int, state: Stopped, pulls: Pulls, sums: Array, noise: Noise) -> Stopped:
        bound = pulls.bound[:, :-1] if np.ndim(pulls.bound) == 2 else pulls.bound
        inner = self.policy.learn(t, state.inner, Pulls(pulls.counts[:, :-1], bound), sums[:, :-1], noise)
        made = state.made + pulls.counts[:, self.iota]
        idle, used = state.idle + pulls.counts[:, -1], state.used + pulls.counts.sum(axis=1)
        return Stopped(inner, made, idle, used, state.over | (made >= self.n))
