"""Section 4.3's ES(pi, n, iota) around any policy of the protocol. (`histories` has it for exact chances.)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.checks import at_least
from dpbandits.reference.noise import Array, Noise
from dpbandits.reference.policy import Ints, Policy, Pulls


class Stopped(NamedTuple):
    """The inner state (of no meaning where a trial has stopped), iota's pulls, and who has stopped."""

    inner: Any
    made: Ints  # (trials,): N_{iota, t}
    over: NDArray[np.bool_]  # (trials,)


@dataclass(frozen=True)
class EarlyStopping:
    """As `policy` while arm iota was pulled fewer than n times, then the auxiliary arm for ever. policy: any, with K
    arms. The auxiliary arm is the last one, number K; the environment has to pay 0 for it. A block of pulls is cut
    behind the n-th pull of iota, in arm order, as `play` cuts it at the horizon.
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

    def init(self, trials: int) -> Stopped:
        over = np.full(trials, self.n == 0)
        return Stopped(self.policy.init(trials), np.zeros(trials, dtype=np.int64), over)

    def act(self, t: int, state: Stopped, noise: Noise) -> Pulls:
        asked = self.policy.act(t, state.inner, noise)
        counts = np.zeros((len(state.over), self.arms), dtype=np.int64)
        room = self.n - state.made
        full = asked.counts[:, self.iota] >= room
        counts[:, :-1] = asked.counts
        counts[full, self.iota] = room[full]
        counts[full, self.iota + 1 :] = 0
        counts[state.over] = 0
        counts[state.over | full, -1] = self.horizon  # `play` cuts what does not fit
        bound = asked.bound
        if bound is not None:
            bound = np.concatenate([np.broadcast_to(bound, asked.counts.shape), np.zeros((len(counts), 1))], axis=1)
        return Pulls(counts, bound)

    def learn(self, t: int, state: Stopped, pulls: Pulls, sums: Array, noise: Noise) -> Stopped:
        bound = pulls.bound[:, :-1] if np.ndim(pulls.bound) == 2 else pulls.bound
        inner = self.policy.learn(t, state.inner, Pulls(pulls.counts[:, :-1], bound), sums[:, :-1], noise)
        made = state.made + pulls.counts[:, self.iota]
        return Stopped(inner, made, state.over | (made >= self.n))
