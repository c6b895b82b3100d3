"""Algorithms 3 and 4: private robust successive elimination, central and local.

log is natural; lines are numbered as in the paper. Algorithm 3, DPRSE:

     2  S <- all arms; tau <- 0
     5  while |S| > 1: tau <- tau + 1
     7      D <- 2^-tau
     8      R <- ceil(u^{1/v} 24^{(1+v)/v} log(4 |S| tau^2/beta)/(eps D^{(1+v)/v}) + 1)
     9      B <- (u R eps/log(4 |S| tau^2/beta))^{1/(1+v)}
    10      pull every arm of S R times, in turns; count a reward x as 0 if |x| > B
    19      mu_a <- the mean of these R numbers + Lap(2 B/(R eps)), for every a in S
    21      err <- u^{1/(1+v)} (log(4 |S| tau^2/beta)/(R eps))^{v/(1+v)}
    23      remove a from S if max mu - mu_a > 12 err
    28  pull the arm that is left until T

Algorithm 4 has other constants, and its users add the noise themselves, to every reward.

An epoch is one step. Its truncated sums wait in the state until `act` has drawn the noise, removed arms and chosen
the next epoch: so what `learn` does is certain, and no reward outlives the step after its epoch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import (
    at_least,
    is_number,
    normalize_numeric_fields,
    positive,
    require_callable,
)
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.noisy_values import Moving, Noisy, Shifts
from dpbandits.reference.bandits.policy import Ints, Pulls
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.algorithms.laplace_sums import laplace_sum
from dpbandits.reference.papers.tao22.algorithms.parameters import checked_moments, each_once

Flags = NDArray[np.bool_]


class State(NamedTuple):
    """The state of Algorithms 3 and 4 between epochs."""

    epoch: Ints  # (trials,): tau of the epoch that has ended; 0 before the first
    active: Flags  # (trials, arms): S of that epoch
    sums: Array  # (trials, arms): its truncated rewards, added up. SECRET
    used: Ints  # (trials,): t


class Epoch(NamedTuple):
    """The numbers of an epoch, each (trials, 1)."""

    length: Array  # R_tau, in floating point: it may exceed every integer type
    bound: Array  # B_tau
    err: Array  # err_tau


@dataclass(frozen=True)
class Elimination:
    """What Algorithms 3 and 4 share; `DPRSE` and `LDPRSE` make them.

    arms: K >= 1. horizon: T >= 3. eps > 0. v: in (0, 1]. u > 0. beta: in (0, 1), 1/T where it is None.
    The rest is the algorithm: log(m, S, tau, beta), length, bound and err as in `formulas`, the base of D_tau =
    base^-tau, cut (an arm goes when it is more than cut * err below the best), and local: whether every reward gets
    noise of its own, or the mean.
    An epoch that the horizon cuts short plays its rounds over S in index order as far as they go; it releases and
    removes nothing, which the pseudo-code does not say.
    """

    arms: int
    horizon: int
    eps: float  # line 1
    v: float  # line 1
    u: float  # line 1
    beta: float | None
    log: Callable[..., Any] = field(repr=False)
    length: Callable[..., Any] = field(repr=False)
    bound: Callable[..., Any] = field(repr=False)
    err: Callable[..., Any] = field(repr=False)
    base: float
    cut: float
    local: bool

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 3)
        positive("eps", self.eps)
        checked_moments(self.v, self.u)
        if self.beta is not None and not (is_number(self.beta) and 0 < self.beta < 1):
            raise ValueError(f"beta is {self.beta!r}; it must lie strictly between 0 and 1, or be None for 1/T")
        for name in ("log", "length", "bound", "err"):
            require_callable(name, getattr(self, name))
        with np.errstate(all="ignore"):
            small = doubles.power(self.u, (2 if self.local else 1) / self.v)
            large = self.length(doubles, 1.0, self.v, 1.0, 1.0, 1.0)
        # Where the power of u is 1 or more, an infinite R_tau is longer than any run.
        if not (small >= 1 or (small > 0 and np.isfinite(large))):
            raise ValueError(
                f"v is {self.v} and u is {self.u}; the factors of R_tau in line 8 are then {small:.3g} (the "
                f"power of u) and {large:.3g}, outside the range of doubles; give a larger v"
            )

    @property
    def risk(self) -> float:
        """beta."""
        return 1 / self.horizon if self.beta is None else self.beta

    @property
    def reward_range(self) -> tuple[float, float]:
        """Where neighbours are looked for: between the largest B_tau of the epochs that a run begins and its negative,
        while all arms are active. Rewards may be any numbers."""
        reach = max(float(epoch.bound[0, 0]) for epoch in self.epochs())
        return (-reach, reach) if np.isfinite(reach) else (-1.0, 1.0)  # then the first epoch does not end

    def epochs(self) -> list[Epoch]:
        """The epochs that begin within the horizon, while all arms are active."""
        found: list[Epoch] = []
        while sum(self.arms * float(each.length[0, 0]) for each in found) < self.horizon:
            found.append(self.numbers(np.array([len(found) + 1]), np.ones((1, self.arms), dtype=bool)))
        return found

    def numbers(self, tau: Any, active: Any) -> Epoch:
        """Lines 7 to 9 and 21, for the epochs tau (trials,) with the arms `active` (trials, arms)."""
        found, which = each_once(np.asarray(tau) * (self.arms + 1) + how_many(active))
        epochs, many = np.divmod(found[:, None], self.arms + 1)
        given = self.eps, self.v, self.u
        with np.errstate(over="ignore", divide="ignore"):  # R_tau may be infinite, and err_tau then 0
            log = self.log(doubles, np.maximum(many, 1.0), epochs.astype(np.float64), self.risk)
            length = np.ceil(self.length(doubles, *given, log, self.base**-epochs))  # lines 7 and 8
            bound = self.bound(doubles, *given, log, length)  # line 9
            err = self.err(doubles, *given, log, length)  # line 21
        return Epoch(length[which], bound[which], err[which])

    def init(self, trials: int) -> State:
        shape = (trials, self.arms)
        whole = np.zeros(trials, dtype=np.int64)
        return State(whole, np.ones(shape, dtype=bool), np.zeros(shape), whole)  # lines 2 and 3

    def spread(self, now: Epoch) -> Array:
        """The scale of the Laplace noise of a mean (Algorithm 3, line 18) or of a message (Algorithm 4, line 16)."""
        scale = 2 * now.bound / self.eps
        return np.asarray(scale if self.local else scale / now.length)

    def noisy(self, t: int, state: State) -> Noisy:
        """Algorithm 3, line 18: the noisy means of the epoch that has ended; scale 0 where none is taken.

        Raises ValueError for Algorithm 4, whose means are no Laplace values.
        """
        if self.local:
            raise ValueError(
                "Algorithm 4: this policy draws each mean directly, as a sum of R Laplace variables, and sends no "
                "single messages; audit `Messages` of this policy, which sends them"
            )
        now = self.numbers(np.maximum(state.epoch, 1), state.active)
        taken = self.ended(state) & (state.used < self.horizon)
        with np.errstate(invalid="ignore"):
            return Noisy(
                "laplace",
                "mean",
                state.sums / now.length,
                np.where(state.active & taken[:, None], self.spread(now), 0.0),
            )

    def shifts(self, pair: Pair) -> Shifts | None:
        """How far the noisy means move, or in Algorithm 4 the messages, where a reward of the first epoch is changed,
        which every run plays and ends: that mean alone, or that message; nothing, where one arm is left alone from the
        beginning. None for later rewards, for their arm may be gone by then."""
        first, spot = self.epochs()[0], pair.spot
        length, bound = float(first.length[0, 0]), float(first.bound[0, 0])
        if pair.relation != "pull" or spot is None or spot[1] >= length or self.arms * length >= self.horizon:
            return None
        left, right = (float(side[spot[0], pair.column(spot[1])]) for side in (pair.left, pair.right))
        moved, scale = abs(left * (abs(left) <= bound) - right * (abs(right) <= bound)), float(self.spread(first)[0, 0])
        if not (moved and scale and self.arms > 1):
            return Shifts("laplace", (), ())
        place, divisor = ((spot[1], spot[1] + 1), 1.0) if self.local else ((0, int(length)), length)
        made = Moving(spot[0], *place, divisor, scale, bound)
        return Shifts("laplace", (moved / divisor / scale,), (made,))

    def means(self, t: int, state: State, now: Epoch, noise: Noise) -> Array:
        """Lines 16, 18 and 19: the noisy means of the epoch that has ended, (trials, arms)."""
        if not self.local:
            return np.asarray(state.sums / now.length + self.spread(now) * noise.laplace("mean", t, (self.arms,)))
        fresh = laplace_sum(t, np.broadcast_to(now.length, state.sums.shape), noise)
        return np.asarray((state.sums + self.spread(now) * fresh) / now.length)

    def ended(self, state: State) -> Flags:
        """Where an epoch has ended, and there is something to remove, (trials,)."""
        return np.asarray((state.epoch > 0) & (how_many(state.active) > 1))

    def stays(self, active: Flags, means: Array, now: Epoch) -> Flags:
        """Lines 20 to 24: the arms that stay, by the noisy means of those that are active, (trials, arms)."""
        means = np.where(active, means, -np.inf)
        return np.asarray(active & ~(means.max(axis=1, keepdims=True) - means > self.cut * now.err))

    def survivors(self, t: int, state: State, noise: Noise) -> Flags:
        """Lines 18 to 26: who is left, (trials, arms)."""
        ended = self.ended(state)
        if not ended.any():
            return state.active
        now = self.numbers(np.maximum(state.epoch, 1), state.active)
        with np.errstate(invalid="ignore"):  # an infinite R_tau belongs to an epoch that the horizon has cut
            stays = self.stays(state.active, self.means(t, state, now, noise), now)
        return np.where(ended[:, None], stays, state.active)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        active = self.survivors(t, state, noise)
        next_up = self.numbers(state.epoch + 1, active)  # line 5
        left = (self.horizon - state.used)[:, None]
        many = how_many(active)[:, None]
        alone = many == 1  # lines 27 and 28
        fits = ~alone & (next_up.length * many <= left)
        whole = np.where(fits, next_up.length, 0).astype(np.int64)  # lines 10 to 17
        counts = np.where(active, np.where(fits, whole, in_turns(left, active)), 0)
        return Pulls(counts, np.where(alone, np.inf, next_up.bound))  # line 15

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        finite_sums(t, sums)
        pulled = pulls.counts > 0
        played = np.asarray(pulled.any(axis=1))
        return State(
            epoch=state.epoch + played,
            active=np.where(played[:, None], pulled, state.active),
            sums=np.where(played[:, None], sums, state.sums),
            used=state.used + per_trial(pulls.counts),
        )


def how_many(active: Flags) -> Ints:
    """The active arms, (trials,)."""
    return per_trial(active.astype(np.int64))


def finite_sums(t: int, sums: Array) -> None:
    """ValueError unless the rewards of step t add up to numbers."""
    if not np.isfinite(sums).all():
        raise ValueError(f"step {t}: the sum of rewards is {sums[~np.isfinite(sums)][0]}; every reward must be finite")


def in_turns(left: Ints, active: Flags) -> Ints:
    """The last `left` pulls (trials, 1) of a run, in rounds over the active arms in index order, (trials, arms)."""
    many = how_many(active)[:, None]
    place: Ints = np.cumsum(active, axis=1, dtype=np.int64) - active
    return np.asarray(np.where(active, left // many + (place < left % many), 0))


def DPRSE(arms: int, horizon: int, eps: float, v: float, u: float, beta: float | None = None) -> Elimination:
    """Algorithm 3, DP Robust Successive Elimination."""
    return Elimination(
        arms, horizon, eps, v, u, beta, f.log_3, f.length_3, f.threshold_3, f.err_3, base=2.0, cut=12.0, local=False
    )


def LDPRSE(
    arms: int,
    horizon: int,
    eps: float,
    v: float,
    u: float,
    beta: float | None = None,
    err: Callable[..., Any] = f.printed_err_4,
) -> Elimination:
    """Algorithm 4, LDP Robust Successive Elimination.

    Decisions: err, what R_tau has in line 21: R_tau itself in print, sqrt(R_tau) in the proof (`formulas.err_4`).
    Line 23 compares mu-tilde, which the algorithm never defines: mu-bar is read, the mean of the users' reports.
    """
    return Elimination(
        arms, horizon, eps, v, u, beta, f.log_4, f.length_4, f.threshold_4, err, base=4.0, cut=14.0, local=True
    )


def repaired_ldprse(**parameters: Any) -> Elimination:
    """Algorithm 4 with the root of the proof in line 21."""
    return LDPRSE(**parameters, err=f.err_4)


PRINTED: Callable[..., Any] = LDPRSE
REPAIRED: Callable[..., Any] = repaired_ldprse
