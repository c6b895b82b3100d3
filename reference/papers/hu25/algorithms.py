"""Hu, Huang, Zhang, Lecuyer, Hegde: Connecting Thompson Sampling and UCB (ICML 2025, PMLR 267).

log is natural. An argmax takes the lowest index. The claims are in `claims`. Algorithm 1, DP-TS-UCB, with the paper's
numbers of lines:

     1  phi <- sqrt(2 pi e) T^{(1 - alpha)/2} ln^{(3 - alpha)/2}(T)
     2  pull every arm once; of every arm i: mu_i <- this reward, n_i <- 1, r_i <- 1, O_i <- 0, h_i <- phi, MAX_i <- 0
     3  for t = K + 1, ..., T:
     5      of every arm i with h_i >= 1:
     6          theta_i ~ N(mu_i, ln^alpha(T)/n_i)
     7          h_i <- h_i - 1, MAX_i <- max(MAX_i, theta_i)
     9      of every other arm i: theta_i <- MAX_i
    12      pull a = argmax theta_i, observe a reward, O_a <- O_a + 1
    13      once O_a = 2^{r_a}:
    14          n_a <- 2^{r_a}, mu_a <- the mean of these n_a rewards
    15          h_a <- phi, MAX_a <- 0
    16          r_a <- r_a + 1, O_a <- 0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import (
    at_least,
    is_number,
    normalize_numeric_fields,
    positive,
    require_callable,
    require_in_closed_interval,
)
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise, again
from dpbandits.reference.bandits.policy import Ints, Law, Pulls, one_arm
from dpbandits.reference.bandits.recommendations import row_argmax
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting, sampled
from dpbandits.reference.bandits.release_laws.winners import winner
from dpbandits.reference.papers.hu25 import formulas as f


def sampling_budget(alpha: Any, horizon: int) -> Any:
    """phi = c_0 T^{(1 - alpha)/2} ln^{(3 - alpha)/2}(T), a real number, for every alpha of an array. Line 1."""
    return f.phi(doubles, float(horizon), alpha)


# -- Algorithm 1: DP-TS-UCB --------------------------------------------------------------------------------------


class State(NamedTuple):
    """What DP-TS-UCB remembers between rounds."""

    mean: Array  # (trials, arms): mu-hat_{i,n_i}, over the last whole epoch only. SECRET
    used: Ints  # (trials, arms): n_i, how many observations this mean is made of
    deviation: Array  # (trials, arms): sqrt(ln^alpha(T)/n_i) of line 6, which changes with n_i alone; 0 where n_i is 0
    epoch: Ints  # (trials, arms): r_i
    left: Array  # (trials, arms): h_i, the rest of the sampling budget
    best: Array  # (trials, arms): MAX_i
    waiting: Ints  # (trials, arms): O_i, observations not yet processed
    pending: Array  # (trials, arms): their sum. SECRET


@dataclass(frozen=True)
class DPTSUCB:
    """Algorithm 1, DP-TS-UCB. arms: K >= 1. horizon: T >= max(K, 3). alpha: in [0, 1].

    Decisions that the print leaves open are fields: budget, what "while h >= 1, h <- h - 1" makes of the real phi
    (floor(phi) draws, whether h starts at phi or at floor(phi)); and floor, what MAX starts from (0 in lines 2
    and 15, though samples can be negative; -inf keeps the true maximum).
    """

    side_by_side: ClassVar[bool] = True
    arms: int
    horizon: int  # line 1
    alpha: float  # line 1
    budget: Callable[[float, int], float] = field(default=sampling_budget, repr=False)  # line 1
    floor: float = 0.0  # lines 2 and 15

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, max(self.arms, 3))
        require_in_closed_interval("alpha", self.alpha, 0, 1)
        require_callable("budget", self.budget)
        if not (is_number(self.phi) and self.phi >= 0):
            raise ValueError(
                f"alpha = {self.alpha} gives the budget phi = {self.phi!r}; phi must be a number of at least 0"
            )
        if not (is_number(self.floor) and self.floor < np.inf):
            raise ValueError(f"floor (the initial value of MAX) is {self.floor!r}; it must be a number, or -inf")

    @property
    def phi(self) -> Any:
        return self.budget(self.alpha, self.horizon)

    @property
    def variance(self) -> Any:
        """ln^alpha(T): the variance of one sample is this over n_i."""
        return f.log_power(doubles, float(self.horizon), self.alpha)

    def init(self, trials: int) -> State:  # line 2; its pulls are the first K steps
        shape = (trials, self.arms)
        return State(
            mean=np.zeros(shape),
            used=np.zeros(shape, dtype=np.int64),
            deviation=np.zeros(shape),
            epoch=np.zeros(shape, dtype=np.int64),
            left=np.full(shape, self.phi, dtype=np.float64),
            best=np.full(shape, self.floor, dtype=np.float64),
            waiting=np.zeros(shape, dtype=np.int64),
            pending=np.zeros(shape),
        )

    def posterior(self, t: int, state: State) -> tuple[Array, Array] | None:
        """Centre and scale of theta_i(t), each (trials, arms); scale 0 where no sample is drawn. None before round
        K + 1. The samples view is what has a positive scale."""
        if t <= self.arms:
            return None
        fresh = self.fresh(t, state)
        return np.where(fresh, state.mean, state.best), np.where(fresh, state.deviation, 0.0)  # lines 6, 9

    def fresh(self, t: int, state: State) -> Any:
        """Line 5: the arms of which a sample is drawn."""
        return state.left >= 1

    def theta(self, t: int, state: State, noise: Noise) -> Array:
        """Lines 4 to 11: theta_i(t), (trials, arms), for t > K."""
        drawn_from = self.posterior(t, state)
        assert drawn_from is not None
        centre, scale = drawn_from
        return centre + scale * noise.normal("theta", t, (self.arms,), where=scale > 0)

    def sampled(self, t: int, state: State, theta: Array) -> State:
        """Line 7 for every arm; where nothing is drawn, theta is MAX itself, and nothing changes."""
        return State(
            *(state.mean, state.used, state.deviation, state.epoch),
            left=state.left - self.fresh(t, state),
            best=np.maximum(state.best, theta),
            waiting=state.waiting,
            pending=state.pending,
        )

    def observed(self, t: int, state: State, counts: Ints, sums: Array) -> State:
        """Line 12 for every arm."""
        return State(
            *(state.mean, state.used, state.deviation, state.epoch, state.left, state.best),
            waiting=state.waiting + counts,
            pending=state.pending + sums,
        )

    def ended(self, t: int, state: State) -> Any:
        """Line 13: the arms whose epoch ends. An epoch 0 of one observation is line 2's initial pull."""
        return state.waiting >= 1 << state.epoch

    def processed(self, t: int, state: State) -> State:
        """Lines 14 to 16 for every arm, as if its epoch ended."""
        used = np.maximum(state.waiting, 1)
        begun: Any = self.phi, self.floor, 0, 0.0  # lines 15, 16
        return State(
            state.pending / used,  # line 14
            used,  # line 14
            np.sqrt(self.variance / used),
            state.epoch + 1,  # line 16
            *begun,
        )

    def informed(self, t: int, state: State, counts: Ints, sums: Array) -> State:
        """Lines 12 to 16 for every arm."""
        state = self.observed(t, state, counts, sums)
        ends = self.ended(t, state)
        if not ends.any():  # as in most rounds
            return state
        after = self.processed(t, state)
        return State(*(np.where(ends, new, old) for new, old in zip(after, state, strict=True)))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(state.mean), t - 1), self.arms)  # line 2: every arm once
        return Pulls.one(row_argmax(self.theta(t, state, noise)), self.arms)  # lines 3 to 12

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if t > self.arms:
            state = self.sampled(t, state, self.theta(t, state, again(noise)))  # the very draws of act
        return self.informed(t, state, pulls.counts, sums)


PRINTED: Callable[..., Any] = DPTSUCB


def with_true_maximum(**parameters: Any) -> DPTSUCB:
    """MAX starts from minus infinity, as the text's max over the drawn samples does."""
    return replace(DPTSUCB(**parameters), floor=-np.inf)


REPAIRED: Callable[..., Any] = with_true_maximum


# -- TS-Gaussian and M-TS-Gaussian as this paper quotes them -------------------------------------------------------


class Totals(NamedTuple):
    """What the quoted algorithms remember."""

    pulls: Ints  # (trials, arms): n_i
    total: Array  # (trials, arms). SECRET


@dataclass(frozen=True)
class QuotedThompsonSampling:
    """TS-Gaussian and M-TS-Gaussian as Section 3 quotes them: theta_i ~ N(S_i/n_i, c/n_i), no prior count.

    They are not ou24's algorithms, which divide by n_i + 1. first: how often each arm is pulled at the start, once
    for TS-Gaussian; for M-TS-Gaussian b times, or b + 1 times if TS-Gaussian's pull comes before. variance: c > 0.
    """

    arms: int
    horizon: int
    first: int = 1
    variance: float = 1.0

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        positive("c (variance)", self.variance)
        at_least("b (first: the variance c/n of an arm never pulled is undefined)", self.first, 1)
        if self.first * self.arms > self.horizon:
            raise ValueError(
                f"b K = {self.first} * {self.arms} first pulls exceed T = {self.horizon}; give a smaller first "
                "(b) or a larger horizon (T)"
            )

    def init(self, trials: int) -> Totals:
        return Totals(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def act(self, t: int, state: Totals, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls(self.first * Pulls.one(np.full(len(state.pulls), t - 1), self.arms).counts)
        spread = self.variance / state.pulls
        theta = state.total / state.pulls + np.sqrt(spread) * noise.normal("theta", t, (self.arms,))
        return Pulls.one(row_argmax(theta), self.arms)

    def learn(self, t: int, state: Totals, pulls: Pulls, sums: Array, noise: Noise) -> Totals:
        return Totals(state.pulls + pulls.counts, state.total + sums)

    def law(self, t: int, state: Totals) -> Law:
        """The exact law of step t's arm; certain in the first K steps."""
        if t <= self.arms:
            return one_arm(Pulls.one(np.full(len(state.pulls), t - 1), self.arms).counts, self.first)
        return winner(state.total / state.pulls, np.sqrt(self.variance / state.pulls))

    def selecting(self, t: int, state: Totals) -> Selecting | None:
        """The step's samples, for a certificate."""
        pulls = state.pulls[0]
        return sampled(pulls, pulls, np.sqrt(self.variance / pulls)) if t > self.arms else None


TS_GAUSSIAN: Callable[..., Any] = QuotedThompsonSampling
M_TS_GAUSSIAN: Callable[..., Any] = QuotedThompsonSampling
