"""Section 4.3's ES(pi, n, iota) around any policy of the protocol. (`histories` has it for exact chances.)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import NoLaw, at_least, normalize_numeric_fields
from dpbandits.reference.bandits.noise import Array, ByKind, Noise, again, draw_of_kind
from dpbandits.reference.bandits.passing import state_rows
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answered, answers
from dpbandits.reference.bandits.release_laws.checked import checked_law, in_doubles
from dpbandits.reference.papers.chen24.algorithms.releases import certain


def with_auxiliary(counts: Any) -> Any:
    """Counts with a last column of zeros."""
    return np.concatenate([counts, np.zeros((len(counts), 1), dtype=counts.dtype)], axis=1)


def with_rows(state: Any, index: NDArray[np.intp], part: Any) -> Any:
    """A copy of a policy's state in which these rows are those of another one."""
    if isinstance(state, tuple):
        parts = [with_rows(mine, index, theirs) for mine, theirs in zip(state, part, strict=True)]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    found = np.array(state, dtype=np.result_type(state, part))
    found[index] = part
    return found


@dataclass(frozen=True)
class Some(ByKind):
    """The noise of some trials of a run. noise: that of all."""

    noise: Noise
    chosen: NDArray[np.intp]

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: Any = True) -> Array:
        return draw_of_kind(self.noise, kind, site, index, shape)[self.chosen]


class Stopped(NamedTuple):
    """The inner state (as it was before the n-th pull of iota, once that came), the pulls of iota, of the auxiliary
    arm, and of all, and who has stopped."""

    inner: Any
    made: Ints  # (trials,): N_{iota, t}
    idle: Ints  # (trials,): N_{0, t}
    used: Ints  # (trials,): t
    over: NDArray[np.bool_]  # (trials,)


@dataclass(frozen=True)
class EarlyStopping:
    """Plays like `policy` while arm iota was pulled fewer than n times, then always the auxiliary arm. policy: any,
    with K arms. The auxiliary arm is the last one, number K; the environment has to pay 0 for it. A block of pulls is
    cut behind the n-th pull of iota, in arm order, as `play` cuts it at the horizon. Where the policy recommends an
    arm, so does this one: the auxiliary arm, once that was pulled.
    """

    policy: Policy
    n: int
    iota: int

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
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
        bound = asked.bound
        if bound is not None:
            bound = with_auxiliary(np.broadcast_to(bound, asked.counts.shape))
        return Pulls(self.stopped(state, asked.counts), bound)

    def stopped(self, state: Stopped, asked: Ints) -> Ints:
        """What becomes of the pulls that the policy asks for, (trials, K): (trials, K + 1)."""
        room, counts = self.n - state.made, np.asarray(with_auxiliary(asked), dtype=np.int64)
        full = (asked[:, self.iota] >= room) & ~answered(asked)
        counts[full, self.iota] = room[full]
        counts[full, self.iota + 1 :] = 0
        stopped = state.over & ((state.used < self.horizon) | (state.idle > 0))
        counts[stopped] = 0
        counts[stopped | full, -1] = self.horizon  # `play` cuts what does not fit
        if self.answers:
            ended = stopped & (state.used >= self.horizon)
            last = np.full(len(ended), self.arms - 1)
            counts = np.where(ended[:, None], Pulls.answer(last, self.arms).counts, counts)
        return counts

    def law(self, t: int, state: Stopped) -> Law:
        """The exact law of the next pulls, from the policy's own; NoLaw where it has none."""
        if not isinstance(self.policy, HasLaw):
            name = type(self.policy).__name__
            raise NoLaw(f"ES of {name}: {name} declares no law(t, state), so ES has no law either")
        live = self.heeded(state)
        if not live.size:
            return certain(self.stopped(state, np.zeros((len(state.over), self.arms - 1), dtype=np.int64)))
        inner = in_doubles(checked_law(self.policy, t, state_rows(state.inner, live), live.size))
        many = inner.counts.shape[1]
        chance = np.zeros((len(state.over), many))
        chance[:, 0] = 1.0
        chance[live] = inner.chance
        asked = np.zeros((*chance.shape, self.arms - 1), dtype=np.int64)
        asked[live] = inner.counts
        each = state_rows(state._replace(inner=()), np.repeat(np.arange(len(chance)), many))
        counts = self.stopped(each, asked.reshape(-1, self.arms - 1)).reshape(*chance.shape, self.arms)
        bound = None
        if inner.bound is not None:
            bound = np.full(counts.shape, np.inf)
            bound[live, :, :-1] = inner.bound
        return Law(counts, chance, bound, inner.error, inner.absolute_error)

    def learn(self, t: int, state: Stopped, pulls: Pulls, sums: Array, noise: Noise) -> Stopped:
        made = state.made + pulls.counts[:, self.iota]
        idle, used = state.idle + pulls.counts[:, -1], state.used + pulls.counts.sum(axis=1)
        after = Stopped(state.inner, made, idle, used, state.over | (made >= self.n))
        heeds = self.heeded(after)
        bound = pulls.bound
        if bound is not None:
            bound = np.broadcast_to(bound, pulls.counts.shape)[heeds, :-1]
        seen = Pulls(pulls.counts[heeds, :-1], bound)
        inner = state_rows(state.inner, heeds)
        inner = self.policy.learn(t, inner, seen, sums[heeds, :-1], Some(again(noise), heeds))
        return after._replace(inner=with_rows(state.inner, heeds, inner))

    def heeded(self, state: Stopped) -> NDArray[np.intp]:
        """The trials that still follow `policy`: before the n-th pull of iota, and at the end of a run that never
        pulled the auxiliary arm."""
        return np.flatnonzero(~state.over | ((state.used >= self.horizon) & (state.idle == 0)))
