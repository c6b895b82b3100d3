"""Agrawal, Goyal: Thompson Sampling for Contextual Bandits with Linear Payoffs (ICML 2013).

Linear Thompson sampling with one parameter for all arms. The abstract is public; the algorithm is from a secondary
source, somebody's notes on the paper. The statements about privacy are ours. b_i(t) is the context of arm i, B and f
are what is remembered; an argmax takes the lowest index.

     1  B <- I_d, f <- 0_d
     2  for every round t:
     3      mu~ ~ N(B^-1 f, v^2 B^-1)
     4      play a = argmax b_i(t) . mu~, observe r
     5      B <- B + b_a(t) b_a(t)', f <- f + b_a(t) r

v = R sqrt(9 d ln(T/delta)) in the notes, for rewards that are R-sub-Gaussian about b_i(t) . mu, and a regret that holds
with probability 1 - delta; it is a field here, so that other v can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive
from dpbandits.reference.arithmetic.linear import cholesky_factor, solve_lower_triangle
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Law, Pulls
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule
from dpbandits.reference.bandits.release_laws.linear_winner import linear_winner
from dpbandits.reference.bandits.ridge_regression import Ridge, after_rewards, no_rewards_yet


@dataclass(frozen=True)
class LinearThompsonSampling:
    """Algorithm 1. arms: K >= 1. horizon: T >= 1. contexts: d >= 1. scale: v > 0."""

    arms: int
    horizon: int
    contexts: int
    scale: float = 1.0

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        at_least("d (contexts)", self.contexts, 1)
        positive("v (scale)", self.scale)

    @property
    def linear_rule(self) -> LinearRule:
        """For a certificate."""
        return LinearRule("thompson", self.scale, shared=True)

    def init(self, trials: int) -> Ridge:
        return no_rewards_yet(trials, self.contexts)  # line 1

    def act(self, t: int, state: Ridge, noise: Noise, seen: Array) -> Pulls:
        factor = cholesky_factor(state.gram)
        middle = solve_lower_triangle(factor, state.moments) + self.scale * noise.normal("mu", t, (self.contexts,))
        sample = solve_lower_triangle(factor, middle, transposed=True)  # line 3
        return Pulls.one((seen * sample[:, None]).sum(axis=2).argmax(axis=1), self.arms)  # line 4

    def learn(self, t: int, state: Ridge, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> Ridge:
        return after_rewards(state, pulls, sums, seen)  # line 5

    def law(self, t: int, state: Ridge, seen: Array) -> Law:
        """The exact law of lines 3 and 4. `linear_winner` computes it, and documents the contexts without an exact
        law."""
        return linear_winner(seen, state.gram, state.moments, self.scale)
