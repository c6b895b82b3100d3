"""Algorithm 1 of hu25 (DP-TS-UCB), broken on purpose: one bug each, of the kinds that real code has.

A mutant says what its bug does to the sharp bound, sqrt(floor(phi)/ln^alpha T) for all samples, and by what argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Noise, Pulls, again
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


class Memory(NamedTuple):
    """Algorithm 1's memory, and what broken versions remember beside it. All (trials, arms)."""

    mean: Array
    used: Array
    epoch: Ints
    waiting: Array
    pending: Array
    left: Array
    best: Array
    before: Array  # the sum of the last whole epoch
    pulls: Ints
    total: Array


class Ended(NamedTuple):
    """What is known where an epoch ends."""

    waiting: Array
    pending: Array
    memory: Memory  # with pulls and total up to date


def epoch_mean(ended: Ended) -> tuple[Array, Array]:
    return ended.pending / ended.waiting, ended.waiting


def with_last_epoch(ended: Ended) -> tuple[Array, Array]:
    """This epoch and the one before, half as long, n to match."""
    many = ended.waiting + ended.waiting // 2
    return (ended.pending + ended.memory.before) / many, many


def of_everything(ended: Ended) -> tuple[Array, Array]:
    """The mean of all observations, with line 14's n = 2^r."""
    return ended.memory.total / np.maximum(ended.memory.pulls, 1), ended.waiting


Flags = Any  # boolean (trials, arms)


@dataclass(frozen=True)
class Broken:
    """Algorithm 1 in exchangeable parts; with none exchanged it is right. phi: the budget of line 1."""

    arms: int
    horizon: int
    alpha: float
    phi: float
    rounded: Callable[[float], float] = np.floor
    spread: Callable[[Broken], float] = lambda policy: float(np.log(policy.horizon) ** policy.alpha)
    refilled: Callable[[Flags, Flags], Flags] = lambda ends, pulled: ends
    spent: Callable[[Flags, Flags], Flags] = lambda drawn, pulled: drawn
    forgets: bool = True  # whether MAX starts anew
    averaged: Callable[[Ended], tuple[Array, Array]] = epoch_mean

    @property
    def variance(self) -> float:
        return self.spread(self)

    def init(self, trials: int) -> Memory:
        none = np.zeros((trials, self.arms))
        whole = none.astype(np.int64)
        full = none + self.rounded(self.phi)
        return Memory(none, none, whole, none, none, full, none, none, whole, none)

    def posterior(self, t: int, memory: Memory) -> tuple[Array, Array] | None:
        if t <= self.arms:
            return None
        fresh = memory.left >= 1
        scale = np.sqrt(self.variance / memory.used)
        return np.where(fresh, memory.mean, memory.best), np.where(fresh, scale, 0.0)

    def theta(self, t: int, memory: Memory, noise: Noise) -> Array:
        drawn_from = self.posterior(t, memory)
        assert drawn_from is not None
        return drawn_from[0] + drawn_from[1] * noise.normal("theta", t, (self.arms,))

    def act(self, t: int, memory: Memory, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(memory.used), t - 1), self.arms)
        return Pulls.one(self.theta(t, memory, noise).argmax(axis=1), self.arms)

    def learn(self, t: int, memory: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        pulled = pulls.counts > 0
        left, best = memory.left, memory.best
        if t > self.arms:
            left = left - self.spent(left >= 1, pulled)
            best = np.maximum(best, self.theta(t, memory, again(noise)))
        memory = memory._replace(pulls=memory.pulls + pulls.counts, total=memory.total + sums)
        waiting, pending = memory.waiting + pulls.counts, memory.pending + sums
        ends = waiting >= 2.0**memory.epoch
        with np.errstate(invalid="ignore", divide="ignore"):  # where no epoch ends, the values are not used
            mean, used = self.averaged(Ended(waiting, pending, memory))
        return memory._replace(
            mean=np.where(ends, mean, memory.mean),
            used=np.where(ends, used, memory.used),
            before=np.where(ends, pending, memory.before),
            left=np.where(self.refilled(ends, pulled) | (t <= self.arms), self.rounded(self.phi), left),
            best=np.where(ends & self.forgets, 0.0, best),
            epoch=memory.epoch + ends,
            waiting=np.where(ends, 0, waiting),
            pending=np.where(ends, 0, pending),
        )


class Mutant(NamedTuple):
    """A broken policy. privacy: "broken", "printed stands" (the sharp bound falls, the printed one does not) or
    "stands"; and why. shown: whether the audit of all samples has the power to refute the sharp bound."""

    name: str
    privacy: str
    policy: Broken
    shown: bool = False


SETTING: dict[str, Any] = {"arms": 2, "horizon": 7, "alpha": 1.0, "phi": 1.5}
MUTANTS = (
    Mutant(
        "budget not reset",
        "stands: later epochs only repeat samples, or the 0 that MAX is reset to",
        Broken(**SETTING, refilled=lambda ends, pulled: ends & False),
    ),
    Mutant(
        "budget reset at every pull of the arm",
        "printed stands: this is the budget of the paper's introduction. A mean over 2^r observations lives for "
        "2^{r+1} pulls, so 2^{r+1} floor(phi) samples of 1/(2^r ln^alpha T) each: sqrt(2 floor(phi)/ln^alpha T)",
        Broken(**SETTING, refilled=lambda ends, pulled: pulled),
        shown=True,
    ),
    Mutant(
        "budget reset in every round",
        "broken: no sample is ever saved; up to T - K of them around one mean",
        Broken(**SETTING, refilled=lambda ends, pulled: ends | True),
        shown=True,
    ),
    Mutant(
        "budgets of unpulled arms frozen",
        "broken: an arm that loses draws afresh in every round, up to T - K times around one mean",
        Broken(**SETTING, spent=lambda drawn, pulled: drawn & pulled),
        shown=True,
    ),
    Mutant(
        "observations used in two epochs",
        "printed stands: the first reward costs floor(phi) samples at 1 and as many at 1/3: 4/3 floor(phi), below "
        "2 floor(phi); later ones less",
        Broken(**SETTING, averaged=with_last_epoch),
    ),
    Mutant(
        "mean over all observations",
        "printed stands: a mean over 2^{r+1} - 1 observations with variance ln^alpha(T)/2^r costs "
        "2^r/(2^{r+1} - 1)^2 a sample; over all r that is 1 + 2/9 + 4/49 + ... < 1.4",
        Broken(**SETTING, averaged=of_everything),
    ),
    Mutant(
        "variance without ln^alpha T",
        "broken: every sample is 1-GDP instead of 1/sqrt(ln^alpha T)",
        Broken(**SETTING, spread=lambda policy: 1.0),
        shown=True,
    ),
    Mutant(
        "budget rounded up",
        "printed stands: floor(phi) + 1 <= 2 phi samples, one more than the sharp bound counts",
        Broken(**SETTING, rounded=np.ceil),
        shown=True,
    ),
    Mutant(
        "MAX carried over",
        "stands: MAX is a function of samples that are already counted",
        Broken(**SETTING, forgets=False),
    ),
)
