"""Algorithm 1: DP Robust Upper Confidence Bound.

log is natural, an argmax takes the lowest index; lines are numbered as in the paper.

     2  of every arm a: an empty tree, n_a <- 0
     4  B_n is (eps u n/log^1.5 T)^{1/(1+v)}
     5  for t = 1, ..., T:
     6      for t <= K: pull a = t
    12      for t > K: S_a <- the noisy sum of the tree of every arm a
    13          pull a = argmax S_a/n_a + 18 u^{1/(1+v)} (log(2 t^4) log^{1.5+1/v} T/(n_a eps))^{v/(1+v)}
    14      observe x; n_a <- n_a + 1
    15      x <- 0 if |x| > B_{n_a}
    16      insert x into the tree of a

The tree (Algorithm 2) adds Lap(2 B log T/eps) to every partial sum, where B is the largest B_n of the rewards in it.
The base of log T is open in print; with floor(log2 T) + 1 instead, the noise suffices for every T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, OfSameShape, Pulls
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.algorithms.parameters import checked_moments, each_once
from dpbandits.reference.papers.tao22.algorithms.tree import Sums, Tree, natural_log, whole_levels


class State(NamedTuple):
    """One tree for each arm; its number of items is n_a."""

    trees: Sums  # (trials, arms) streams. SECRET, but for the noisy p-sums


@dataclass(frozen=True)
class DPRUCB:
    """Algorithm 1, DPRUCB. arms: K >= 1. horizon: T >= 3, and at least K. eps > 0. v: in (0, 1]. u > 0.

    Decisions that the print leaves open are fields: levels, what the tree divides eps by (see `tree.Tree`); the
    other logarithms are natural. `learn` takes at most one pull of every arm: a tree cannot learn a block's sum.
    """

    arms: int
    horizon: int  # line 1
    eps: float  # line 1
    v: float  # line 1
    u: float  # line 1
    levels: Callable[[int], float] = field(default=natural_log, repr=False)
    side_by_side: ClassVar[bool] = True

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, max(self.arms, 3))
        positive("eps", self.eps)
        checked_moments(self.v, self.u)
        _ = self.tree
        with np.errstate(all="ignore"):
            widest = self.width(1.0, self.horizon)
        if not np.isfinite(widest):
            raise ValueError(
                f"v is {self.v}, for which log^(1.5 + 1/v) T in line 13 is outside the range of doubles; give a "
                "larger v"
            )

    @property
    def tree(self) -> Tree:
        return Tree(self.horizon, self.eps, self.levels)

    def threshold(self, n: Any) -> Any:
        """B_n. Line 4."""
        return f.threshold_1(doubles, self.eps, self.v, self.u, float(self.horizon), n)

    def width(self, n: Any, t: int) -> Any:
        """18 u^{1/(1+v)} (log(2 t^4) log^{1.5+1/v} T/(n eps))^{v/(1+v)}. Line 13."""
        ell = f.log_2t4(doubles, float(t))
        return 18 * f.width(doubles, self.eps, self.v, self.u, float(self.horizon), n, ell)

    def of_counts(self, function: Callable[..., Any], n: Ints, *others: Any) -> Any:
        """A function of pull counts, (trials, arms)."""
        if any(np.ndim(each) for each in (self.eps, self.v, self.u)):  # a row each of several policies
            return function(n.astype(np.float64), *others)
        counts, which = each_once(n)
        return function(counts.astype(np.float64), *others)[which]

    def init(self, trials: int) -> State:
        return State(self.tree.empty(trials, self.arms))  # lines 2 and 3

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        n = state.trees.items
        bound = self.of_counts(self.threshold, n + 1)  # lines 8 and 15: the count after the pull
        if t <= self.arms:  # lines 5 and 6
            arm = np.full(len(n), t - 1)
        else:
            index = self.tree.query(state.trees) / n + self.of_counts(self.width, n, t)  # line 12
            arm = index.argmax(axis=1)  # line 13
        return Pulls.one(arm, self.arms)._replace(bound=bound)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if pulls.counts.max(initial=0) > 1:
            raise ValueError(
                f"step {t}: learn received {pulls.counts.max()} pulls of an arm at once, but the tree needs "
                "every reward separately; call it after every pull"
            )
        bound = self.of_counts(self.threshold, state.trees.items + 1)
        fresh = noise.laplace("tree", t, (self.arms,))
        return State(self.tree.insert(state.trees, sums, bound, fresh, pulls.counts == 1))  # lines 7 to 9, 14 to 16


@dataclass(frozen=True)
class FullSwing(OfSameShape):
    """Algorithm 1 on rewards in [0, 1] that stand for -B_1 to B_1: all that the first truncation keeps, so that no
    reward is ever truncated. What a reward can tell through the released arms is all there."""

    policy: DPRUCB

    def init(self, trials: int) -> State:
        return self.policy.init(trials)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return self.policy.act(t, state, noise)._replace(bound=None)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        swing = (2 * sums - pulls.counts) * self.policy.threshold(1.0)
        return self.policy.learn(t, state, pulls, swing, noise)


def full_swing(**parameters: Any) -> FullSwing:
    return FullSwing(DPRUCB(**parameters))


PRINTED: Callable[..., Any] = DPRUCB


def with_whole_levels(**parameters: Any) -> DPRUCB:
    """eps is divided by floor(log2 T) + 1."""
    return DPRUCB(**parameters, levels=whole_levels)


REPAIRED: Callable[..., Any] = with_whole_levels
