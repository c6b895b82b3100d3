"""Sajed, Sheffet: An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private Stopping Rule (ICML 2019).

DP-SE, private successive elimination. The algorithm is from a secondary source: the paper's text was not at hand, three
public implementations agree on what stands here. log is natural; lines are numbered as follows.

     1  S <- all arms; e <- 0
     2  while |S| > 1:
     3      e <- e + 1; forget all data
     4      Delta <- 2^-e
     5      R <- ceil(max{32 ln(8 |S| e^2/beta)/Delta^2, 8 ln(4 |S| e^2/beta)/(eps Delta)} + 1)
     6      pull every arm of S R times, in turns; mu_a: the mean of these R rewards
     7      mu_a <- mu_a + Lap(1/(eps R))
     8      h <- sqrt(ln(8 |S| e^2/beta)/(2 R))
     9      c <- ln(4 |S| e^2/beta)/(R eps)
    10      best <- max mu_a over S
    11      remove a from S if best - mu_a > 2 h + 2 c
    12  pull the survivor until T
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import (
    NoLaw,
    at_least,
    normalize_numeric_fields,
    positive,
    require_in_open_interval,
)
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.bandits.passing import state_rows
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import Selecting
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, Chances, subsets, survivors
from dpbandits.reference.bandits.release_laws.selections.laws import MAX_LISTED_SETS
from dpbandits.reference.bandits.release_laws.winners import law_from_logarithms
from dpbandits.reference.papers.sajed19 import formulas as f

Sets = NDArray[np.bool_]
PRECISE = 1e15  # so many pulls are counted exactly in doubles
ROUNDED = 8 * 2.0**-53


class State(NamedTuple):
    """The state of DP-SE between two epochs; one step is one epoch. Rewards are kept until the next step only."""

    epoch: Ints  # (trials,): e, 0 before the first
    active: Sets  # (trials, arms): S at the start of this epoch, as it was released
    used: Ints  # (trials,): pulls so far
    total: Array  # (trials, arms): the sums of this epoch. SECRET


class Epoch(NamedTuple):
    """The numbers of an epoch, each of the shape of e and |S|."""

    rounds: Array  # R, integers; inf where no double could count them
    scale: Array  # 1/(eps R)
    width: Array  # 2 h + 2 c


@dataclass(frozen=True)
class DPSE:
    """DP-SE. arms: K >= 1. horizon: T >= 1. eps: > 0. beta: the risk of losing the best arm, in (0, 1); None for 1/T.

    constants: those of lines 5, 8, 9 and 11, which the source leaves in some doubt. Where T ends inside of an epoch,
    its arms have been pulled in turns, and nothing more is released.
    """

    arms: int
    horizon: int
    eps: float = 1.0
    beta: float | None = None
    constants: f.Constants = f.CONSTANTS

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        if self.horizon > PRECISE:
            raise ValueError(
                f"T (horizon) is {self.horizon}; it must be at most {PRECISE:g}, because larger counts are not "
                "exact as doubles"
            )
        positive("eps", self.eps)
        if self.beta is not None:
            require_in_open_interval("beta", self.beta, 0, 1)

    @property
    def risk(self) -> float:
        """beta."""
        return 1 / self.horizon if self.beta is None else self.beta

    def init(self, trials: int) -> State:
        none: Ints = np.zeros(trials, dtype=np.int64)
        return State(none, np.ones((trials, self.arms), dtype=np.bool_), none, np.zeros((trials, self.arms)))  # line 1

    def numbers(self, epoch: Any, active: Any) -> Epoch:
        """Lines 4, 5, 7 to 9 for the epoch e >= 1 with |S| = active; what broadcasts."""
        e, size = np.asarray(epoch, dtype=np.float64), np.asarray(active, dtype=np.float64)
        gap = 0.5**e  # line 4
        with np.errstate(divide="ignore"):
            rounds = np.ceil(f.real_rounds(doubles, size, e, gap, self.eps, self.risk, self.constants))  # line 5
        h = np.sqrt(f.squared_mean_error(doubles, size, e, rounds, self.risk, self.constants))  # line 8
        c = f.noise_error(doubles, size, e, rounds, self.eps, self.risk, self.constants)  # line 9
        return Epoch(rounds, f.noise_scale(doubles, self.eps, rounds), self.constants.widths * (h + c))

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return self.block(state, self.kept(t, state, noise))

    def noisy(self, t: int, state: State) -> Noisy:
        """Line 7: the noisy means of the epoch whose sums the state holds; scale 0 where none is taken."""
        rounds, scale, _ = (
            each[:, None] for each in self.numbers(np.maximum(state.epoch, 1), state.active.sum(axis=1))
        )
        taken = state.active & ((state.epoch > 0) & (state.active.sum(axis=1) > 1))[:, None]
        return Noisy("laplace", "mean", state.total / rounds, np.where(taken, scale, 0.0))

    def kept(self, t: int, state: State, noise: Noise) -> Sets:
        """Lines 7 to 11: what is left of S, for the epoch whose sums the state holds."""
        _, _, width = (each[:, None] for each in self.numbers(np.maximum(state.epoch, 1), state.active.sum(axis=1)))
        means = self.noisy(t, state)
        noisy = means.centre + means.scale * noise.laplace(means.site, t, (self.arms,))  # line 7
        best = np.where(state.active, noisy, -np.inf).max(axis=1, keepdims=True)  # line 10
        return np.asarray(state.active & ((best - noisy <= width) | (state.epoch == 0)[:, None]))  # line 11

    def block(self, state: State, kept: Sets) -> Pulls:
        """Lines 2 to 6 and 12, with S = kept, (trials, arms)."""
        many = kept.sum(axis=1)
        rounds = np.where(many > 1, self.numbers(state.epoch + 1, many).rounds, np.inf)
        left = self.horizon - state.used
        turns, rest = np.divmod(left, many)
        whole = rounds <= turns
        block = np.where(whole, rounds, turns).astype(np.int64)
        first = np.cumsum(kept, axis=1) <= np.where(whole, 0, rest)[:, None]  # T ends inside of this round of turns
        return Pulls(np.where(kept, block[:, None] + first, 0))

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        used = pulls.counts.sum(axis=1)
        active = np.where((used > 0)[:, None], pulls.counts > 0, state.active)  # S, which the pulls show
        return State(state.epoch + 1, active, state.used + used, np.array(sums))  # line 3

    def survival(self, epoch: int, means: Any) -> Chances:
        """The exact law of line 11: which of |S| >= 2 active arms are left after epoch e.

        means: (m, |S|), the means of the epoch's rewards, without noise. Relative error: see `Chances`.
        """
        centres = np.asarray(means, dtype=np.float64)
        _, scale, width = self.numbers(epoch, centres.shape[1])
        units, far = centres / scale, float(width / scale)
        law = survivors(LAPLACE, units, 1.0, far)
        # Means, scale and width are rounded, each number of units by 8 roundings at most; and a centre that moves
        # by so much moves the logarithm of a chance by no more.
        moved = ROUNDED * (np.abs(units).sum(axis=1) + centres.shape[1] * far)
        return law._replace(error=law.error + moved[:, None])

    def selecting(self, t: int, state: State) -> Selecting | None:
        """Line 11, for a certificate."""
        arms = tuple(np.flatnonzero(state.active[0]).tolist())
        if state.epoch[0] == 0 or len(arms) == 1:
            return None
        rounds, scale, width = (float(part) for part in self.numbers(int(state.epoch[0]), len(arms)))
        many = len(arms)
        return Selecting("laplace", "within", width, arms, (int(rounds),) * many, (rounds,) * many, (scale,) * many)

    def law(self, t: int, state: State) -> Law:
        """The exact law of step t's release: an outcome for every set of arms, chance 0 for those that cannot be kept.

        However small a chance is: see `winners.stated`. Raises NoLaw for more arms than have their sets listed
        (`selections.laws.MOST`).
        """
        return law_of_kept_sets(self, state)


def law_of_kept_sets(policy: Any, state: State) -> Law:
    """The law of a step's release from how likely each set of arms is to be kept, for DP-SE with any noise."""
    if 2**policy.arms > MAX_LISTED_SETS:
        raise NoLaw(
            f"with arms = {policy.arms}, {2**policy.arms - 1} sets of arms may be kept; at most "
            f"{MAX_LISTED_SETS} can be listed"
        )
    sets = subsets(policy.arms, 1, policy.arms)
    log, error = np.full((len(state.epoch), len(sets)), -np.inf), np.zeros((len(state.epoch), len(sets)))
    alone = (state.epoch == 0) | (state.active.sum(axis=1) == 1)
    log[alone] = np.where((state.active[alone][:, None] == sets).all(axis=2), 0.0, -np.inf)
    kinds, which = np.unique(np.column_stack([state.epoch, state.active]), axis=0, return_inverse=True)
    for kind, (epoch, *members) in enumerate(kinds):
        at, arms = np.flatnonzero((which.ravel() == kind) & ~alone), np.flatnonzero(members)
        if not len(at):
            continue
        rounds = policy.numbers(epoch, len(arms)).rounds
        found = policy.survival(int(epoch), state.total[at][:, arms] / rounds)
        wide = np.zeros((len(found.sets), policy.arms), dtype=np.bool_)
        wide[:, arms] = found.sets
        places = (wide[:, None] == sets).all(axis=2).argmax(axis=1)
        log[np.ix_(at, places)], error[np.ix_(at, places)] = found.log, found.error
    every = np.repeat(np.arange(len(log)), len(sets))
    counts = policy.block(state_rows(state, every), np.tile(sets, (len(log), 1))).counts
    return law_from_logarithms(counts.reshape(*log.shape, policy.arms), log, error)


PRINTED: Callable[..., Any] = DPSE
