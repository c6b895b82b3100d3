"""Linear contextual bandits that belong to no paper here, as most public libraries implement them, with the laws of
their releases.

Li, Chu, Langford and Schapire, A Contextual-Bandit Approach to Personalized News Article Recommendation (WWW 2010),
Algorithm 1, is LinUCB with disjoint linear models. Disjoint Thompson sampling draws each arm's parameter from the
posterior of its own regression, as the libraries have it that cite Agrawal and Goyal (2013), whose Algorithm 1 has one
parameter for all arms. Foster and Rakhlin, Beyond UCB (ICML 2020), have inverse gap weighting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpbandits.reference.arithmetic.checks import NoLaw, at_least, normalize_numeric_fields, positive
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Law, Pulls, certain
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule
from dpbandits.reference.bandits.release_laws.ties import largest
from dpbandits.reference.bandits.release_laws.winners import winner
from dpbandits.reference.bandits.ridge_regression import Ridge, after_rewards, no_rewards_yet, predictions


def check_sizes(policy: DisjointLinearThompsonSampling | LinUCB | ExploringRidge) -> None:
    """Raises ValueError for invalid numbers of arms, rounds or features."""
    normalize_numeric_fields(policy)
    at_least("K (arms)", policy.arms, 1)
    at_least("T (horizon)", policy.horizon, 1)
    at_least("d (contexts)", policy.contexts, 1)


@dataclass(frozen=True)
class DisjointLinearThompsonSampling:
    """The largest of independent samples N(x_a . mu_a, v^2 x_a . B_a^-1 x_a): a linear model for every arm, B_a = ridge
    I before its first pull.

    arms: K >= 1. horizon: T >= 1. contexts: d >= 1. scale: v > 0. ridge: > 0.
    """

    arms: int
    horizon: int
    contexts: int
    scale: float = 1.0
    ridge: float = 1.0

    def __post_init__(self) -> None:
        """Raises ValueError for invalid numbers of arms, rounds or features, or parameters that are not positive."""
        check_sizes(self)
        positive("v (scale)", self.scale)
        positive("ridge", self.ridge)

    @property
    def linear_rule(self) -> LinearRule:
        """The policy's rule, "thompson", with its parameters, as a certificate contains them."""
        return LinearRule("thompson", self.scale, self.ridge)

    def init(self, trials: int) -> Ridge:
        """Returns the state of `trials` runs before the first step: regressions without any observation."""
        return no_rewards_yet(trials, self.arms, self.contexts, ridge=self.ridge)

    def act(self, t: int, state: Ridge, noise: Noise, seen: Array) -> Pulls:
        """Returns the pulls that each trial releases in step t."""
        mean, width = predictions(state, seen)
        sample = mean + self.scale * width * noise.normal("theta", t, (self.arms,))
        return Pulls.one(sample.argmax(axis=1), self.arms)

    def learn(self, t: int, state: Ridge, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> Ridge:
        """Returns the state after the pulls of step t, given the sum of the rewards of each arm."""
        return after_rewards(state, pulls, sums, seen)

    def law(self, t: int, state: Ridge, seen: Array) -> Law:
        """The exact law of the arm that `act` releases. Raises NoLaw if some contexts are 0 and others are not."""
        mean, width = predictions(state, seen)
        if not width.any():
            return certain(Pulls.one(np.zeros(len(mean), dtype=np.int64), self.arms))  # all samples are 0
        if not width.all():
            raise NoLaw(
                "some arms, but not all, have a context of zeros. The samples of such an arm are always 0, and no law "
                "is implemented for this case; audit this policy by samples instead"
            )
        return winner(mean, self.scale * width)


@dataclass(frozen=True)
class LinUCB:
    """The largest x_a . mu_a + alpha sqrt(x_a . B_a^-1 x_a): a linear model for every arm, and no randomness.

    arms: K >= 1. horizon: T >= 1. contexts: d >= 1. alpha: > 0. ridge: > 0.
    """

    arms: int
    horizon: int
    contexts: int
    alpha: float = 1.0
    ridge: float = 1.0

    def __post_init__(self) -> None:
        """Raises ValueError for invalid numbers of arms, rounds or features, or parameters that are not positive."""
        check_sizes(self)
        positive("alpha", self.alpha)
        positive("ridge", self.ridge)

    @property
    def linear_rule(self) -> LinearRule:
        """The policy's rule, "ucb", with its parameters, as a certificate contains them."""
        return LinearRule("ucb", self.alpha, self.ridge)

    def init(self, trials: int) -> Ridge:
        """Returns the state of `trials` runs before the first step: regressions without any observation."""
        return no_rewards_yet(trials, self.arms, self.contexts, ridge=self.ridge)

    def act(self, t: int, state: Ridge, noise: Noise, seen: Array) -> Pulls:
        """Returns the pulls that each trial releases in step t."""
        return Pulls.one(self.index(state, seen).argmax(axis=1), self.arms)

    def index(self, state: Ridge, seen: Array) -> Array:
        """Returns the upper confidence index of every arm, (trials, arms). seen: the features, (trials, arms, d)."""
        mean, width = predictions(state, seen)
        return mean + self.alpha * width

    def learn(self, t: int, state: Ridge, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> Ridge:
        """Returns the state after the pulls of step t, given the sum of the rewards of each arm."""
        return after_rewards(state, pulls, sums, seen)

    def law(self, t: int, state: Ridge, seen: Array) -> Law:
        """The law of a release of the arm with the largest index.
        Arms that tie are all allowed, because the paper breaks ties arbitrarily."""
        return largest(self.index(state, seen), ties="any")


@dataclass(frozen=True)
class ExploringRidge:
    """One ridge regression for all arms, whose predictions are explored by a formula.

    arms: K >= 1. horizon: T >= 1. contexts: d >= 1. explore: the law of the arm from the predictions, (trials, arms),
    such as `partial(epsilon_greedy, epsilon=0.1)`, `partial(softmax, temperature=0.2)` or SquareCB's
    `partial(inverse_gap_weighting, gamma=20)`, of `release_laws.explorations`.
    """

    arms: int
    horizon: int
    contexts: int
    explore: Callable[[Array], Law]

    def __post_init__(self) -> None:
        """Raises ValueError for invalid numbers of arms, rounds or features."""
        check_sizes(self)

    def init(self, trials: int) -> Ridge:
        """Returns the state of `trials` runs before the first step: regressions without any observation."""
        return no_rewards_yet(trials, self.contexts)

    def act(self, t: int, state: Ridge, noise: Noise, seen: Array) -> Pulls:
        """Returns the pulls that each trial releases in step t."""
        chance = self.law(t, state, seen).chance
        above = np.cumsum(chance, axis=1)[:, :-1] <= noise.uniform("arm", t, (1,))
        return Pulls.one(above.sum(axis=1), self.arms)

    def learn(self, t: int, state: Ridge, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> Ridge:
        """Returns the state after the pulls of step t, given the sum of the rewards of each arm."""
        return after_rewards(state, pulls, sums, seen)

    def law(self, t: int, state: Ridge, seen: Array) -> Law:
        """The law of the arm that `act` releases; `explore` computes it from the predicted means."""
        return self.explore(predictions(state, seen)[0])
