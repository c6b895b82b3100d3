"""Shariff, Sheffet: Differentially Private Contextual Linear Bandits (NeurIPS 2018).

Linear UCB by noisy Gram matrices, whose noise is Gaussian. The abstract is public; the algorithm and its constants are
from a secondary source, two versions of one public implementation, which agree on what stands here; the paper's
theorems were not at hand. A round is v = (x, r), the context that was pulled and its reward, of length L at most, L^2 =
2 for contexts and rewards of length at most 1. log is natural, but for line 1; an argmax takes the lowest index.

     1  m <- ceil(log2 T) + 1: the p-sums of the tree that a round is in, at most
     2  sigma^2 <- 16 m L^4 ln(4/delta)^2/eps^2
     3  Y <- sqrt(2 m) sigma (4 sqrt d + 2 ln(2 T/alpha))
     4  for every round t:
     5      M <- the noisy p-sums of the rounds before t, added up, and 2 Y I
     6      V, u <- M's first d rows and columns, and what stands beside them in the last column
     7      play argmax x . V^-1 u + beta sqrt(x . V^-1 x), and observe r
     8      add v v' to the tree; to the p-sum that this completes, (Z + Z')/sqrt 2 with Z_ij ~ N(0, sigma^2)

The implementation adds 2 Y I to every p-sum; Y bounds the noise of all, so that it is added once here. beta is a number
there, and a field here. Where V is not positive definite, which Y makes as improbable as alpha, arm 0 is played: a
choice of ours, and no matter to privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import at_least, normalize_numeric_fields, positive, require_in_open_interval
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.ridge_regression import Ridge, predictions
from dpbandits.reference.papers.shariff18 import formulas as f

SQUARED_LENGTH = 2.0  # L^2: a context of length at most 1, and a reward in [0, 1]


class Tree(NamedTuple):
    """The p-sums that make up the rounds so far, one for each binary digit of their number; those of others are 0."""

    exact: Array  # (trials, digits, d + 1, d + 1). SECRET
    noisy: Array  # (trials, digits, d + 1, d + 1)


@dataclass(frozen=True)
class PrivateLinUCB:
    """Linear UCB that sees noisy Gram matrices alone. arms: K >= 1. horizon: T >= 1. contexts: d >= 1. eps: > 0. delta,
    alpha: in (0, 1), what privacy may miss, and the risk that a matrix is not positive definite. beta: > 0.

    For contexts of length at most 1, and rewards in [0, 1].
    """

    arms: int
    horizon: int
    contexts: int
    eps: float = 1.0
    delta: float = 1e-6
    alpha: float = 0.01
    beta: float = 1.0

    def __post_init__(self) -> None:
        normalize_numeric_fields(self)
        at_least("K (arms)", self.arms, 1)
        at_least("T (horizon)", self.horizon, 1)
        at_least("d (contexts)", self.contexts, 1)
        positive("eps", self.eps)
        require_in_open_interval("delta", self.delta, 0, 1)
        require_in_open_interval("alpha", self.alpha, 0, 1)
        positive("beta", self.beta)

    @property
    def nodes(self) -> int:
        """m. Line 1."""
        return (self.horizon - 1).bit_length() + 1

    @property
    def sigma(self) -> float:
        """Line 2."""
        log_risk = el.log(4 / self.delta)
        return float(np.sqrt(f.noise_variance(doubles, self.nodes, SQUARED_LENGTH, log_risk, self.eps)))

    @property
    def shift(self) -> float:
        """2 Y. Line 3."""
        in_sigmas = 4 * np.sqrt(self.contexts) + 2 * el.log(2 * self.horizon / self.alpha)
        return float(2 * np.sqrt(2 * self.nodes) * self.sigma * in_sigmas)

    def init(self, trials: int) -> Tree:
        size = self.contexts + 1
        none = np.zeros((trials, self.horizon.bit_length(), size, size))
        return Tree(none, none)

    def act(self, t: int, state: Tree, noise: Noise, seen: Array) -> Pulls:
        d = self.contexts
        matrix = state.noisy.sum(axis=1) + self.shift * np.eye(d + 1)  # line 5
        mean, width = predictions(Ridge(matrix[:, :d, :d], matrix[:, :d, d]), seen)  # line 6
        index = mean + self.beta * width
        return Pulls.one(np.where(np.isnan(index), -np.inf, index).argmax(axis=1), self.arms)  # line 7

    def learn(self, t: int, state: Tree, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> Tree:
        size, digit = self.contexts + 1, (t & -t).bit_length() - 1
        context = (pulls.counts[..., None] * seen).sum(axis=1)
        row = np.concatenate([context, sums.sum(axis=1, keepdims=True)], axis=1)
        draws = self.sigma * noise.normal("Z", t, (size, size))
        exact, noisy = state.exact.copy(), state.noisy.copy()
        total = exact[:, :digit].sum(axis=1) + row[:, :, None] * row[:, None, :]  # line 8
        exact[:, :digit], noisy[:, :digit] = 0.0, 0.0
        exact[:, digit] = total
        noisy[:, digit] = total + (draws + draws.transpose(0, 2, 1)) / np.sqrt(2)
        return Tree(exact, noisy)
