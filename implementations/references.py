"""Reference policies that the table needs and that belong to no page, with the laws of their releases.

All of them pull one arm in each step. `counted` policies remember the number of pulls and the sum of rewards of every
arm; their law is a function of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import scipy.special
from scipy.optimize import brentq

from dpbandits import Contexts, Pulls, Stream, Table
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling, LinUCB
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.policy import one_arm
from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy, softmax
from dpbandits.reference.bandits.release_laws.ties import largest
from dpbandits.reference.bandits.release_laws.winners import winner
from dpbandits.reference.bandits.ridge_regression import after_rewards, no_rewards_yet, predictions
from dpbandits.reference.curves import Gaussian
from dpbandits.reference.papers import ou24

FEATURES = 2  # of every arm, where there are contexts
TIE = 1e-9  # scores that differ by less are equal up to rounding
BISECTIONS = 60
NODES = 200


def drawn(law: Any, t: int, noise: Any) -> Pulls:
    """One arm in each state, drawn from a law that pulls one arm."""
    above = np.cumsum(law.chance, axis=1)[:, :-1] <= noise.uniform("arm", t, (1,))
    return Pulls.one(above.sum(axis=1), law.chance.shape[1])


class Counts(NamedTuple):
    """What is known of every arm, (trials, arms) each.

    pulls: how often it was pulled. total, squares: the sum of its rewards, and of their squares. later,
    later_squares: the same without its first reward.
    """

    pulls: Any
    total: Any
    squares: Any
    later: Any
    later_squares: Any


@dataclass(frozen=True)
class Counted:
    """A policy whose law is a function of the counts. law_of: (t, counts) to a law."""

    arms: int
    horizon: int
    law_of: Callable[[int, Counts], Any]

    def init(self, trials: int) -> Counts:
        none = np.zeros((trials, self.arms))
        return Counts(none.astype(np.int64), none, none, none, none)

    def act(self, t: int, state: Counts, noise: Any) -> Pulls:
        return drawn(self.law(t, state), t, noise)

    def learn(self, t: int, state: Counts, pulls: Pulls, sums: Any, noise: Any) -> Counts:
        later = sums * (state.pulls > 0)
        return Counts(
            state.pulls + pulls.counts, state.total + sums, state.squares + sums * sums,
            state.later + later, state.later_squares + later * later,
        )  # fmt: skip

    def law(self, t: int, state: Counts) -> Any:
        return self.law_of(t, state)


def counted(law_of: Callable[[int, Counts], Any]) -> Callable[[int, int], Counted]:
    """(arms, horizon) to the policy with this law."""
    return lambda arms, horizon: Counted(arms, horizon, law_of)


def means(counts: Counts, unpulled: float = 0.0) -> Any:
    """The mean reward of every arm, (trials, arms). unpulled: what an arm without rewards has."""
    return np.where(counts.pulls > 0, counts.total / np.maximum(counts.pulls, 1), unpulled)


def every_arm_first(law_of: Callable[[int, Counts], Any]) -> Callable[[int, int], Counted]:
    """(arms, horizon) to the policy that pulls every arm once, in any order, and then has this law."""

    def law(t: int, counts: Counts) -> Any:
        new = counts.pulls == 0
        return largest(new.astype(float), "any") if new.any() else law_of(t, counts)

    return counted(law)


def after_every_arm(index: Callable[[int, Counts], Any]) -> Callable[[int, int], Counted]:
    """The same, and then pulls the arm with the largest index; any of those that tie."""
    return every_arm_first(lambda t, counts: largest(index(t, counts), "any"))


# -- indices: (t, counts) to scores, t counted from 1, so that t - 1 rewards are known ------------------------------


def ucb1(exploration: float = 2.0, clock: int = -1) -> Callable[[int, Counts], Any]:
    """mean + sqrt(exploration log(t + clock)/n); Auer et al. (2002) have exploration 2 and the t - 1 rewards so far."""
    return lambda t, counts: means(counts) + np.sqrt(exploration * np.log(t + clock) / counts.pulls)


def ucb_tuned(t: int, counts: Counts) -> Any:
    """UCB1-Tuned (Auer et al. 2002, section 4): mean + sqrt(log(n)/n_j min(1/4, V_j))."""
    return means(counts) + tuned_bonus(t, counts, counts.squares / counts.pulls - means(counts) ** 2)


def tuned_bonus(t: int, counts: Counts, variance: Any) -> Any:
    """sqrt(log(n)/n_j min(1/4, variance_j + sqrt(2 log(n)/n_j))), with the n = t - 1 rewards so far."""
    log = np.log(t - 1)
    return np.sqrt(log / counts.pulls * np.minimum(0.25, variance + np.sqrt(2 * log / counts.pulls)))


def moss_anytime(t: int, counts: Counts) -> Any:
    """MOSS with the t - 1 rewards so far for the horizon: mean + sqrt(max(0, log((t - 1)/(K n)))/n)."""
    return moss(t - 1)(t, counts)


def moss(horizon: int) -> Callable[[int, Counts], Any]:
    """MOSS (Audibert and Bubeck 2009): mean + sqrt(max(0, log(T/(K n)))/n)."""
    return lambda t, counts: (
        means(counts)
        + np.sqrt(np.maximum(0.0, np.log(horizon / (counts.pulls.shape[1] * counts.pulls))) / counts.pulls)
    )


def kl_ucb(budget: Callable[[int], float]) -> Callable[[int, Counts], Any]:
    """KL-UCB (Garivier and Cappe 2011) for Bernoulli rewards: the largest q with n kl(mean, q) <= budget(t)."""

    def index(t: int, counts: Counts) -> Any:
        mean, most = means(counts), budget(t) / np.maximum(counts.pulls, 1)
        low, high = mean, np.ones(mean.shape)
        for _ in range(BISECTIONS):
            q = (low + high) / 2
            inside = scipy.special.rel_entr(mean, q) + scipy.special.rel_entr(1 - mean, 1 - q) <= most
            low, high = np.where(inside, q, low), np.where(inside, high, q)
        return low

    return index


def bayes_ucb(t: int, counts: Counts) -> Any:
    """Bayes-UCB (Kaufmann et al. 2012) with c = 0: the quantile 1 - 1/t of Beta(1 + s, 1 + f)."""
    failed = counts.pulls - counts.total
    return scipy.special.betaincinv(1 + counts.total, 1 + failed, 1 - 1 / t)


# -- laws ------------------------------------------------------------------------------------------------------------


def greedy_with(epsilon: float, score: Callable[[Counts], Any] = means, ties: str = "shared") -> Any:
    """Epsilon-greedy on these scores. ties: who is the best of equal arms; libraries differ, and papers leave it
    open."""
    return lambda t, counts: epsilon_greedy(score(counts), epsilon, ties)


def softmax_of_means(temperature: float) -> Any:
    """Boltzmann exploration of the mean rewards; an arm without rewards has the mean 0."""
    return lambda t, counts: softmax(means(counts), temperature)


def largest_gamma(shapes: Any) -> Any:
    """The probability that each of independent Gamma(shape, 1) variables is the largest, (states, arms): that of the
    largest coordinate of a Dirichlet sample.

    Integrates the product of the other distribution functions over the quantiles u = v^3 of one variable; nodes are
    denser near 0, where these functions are steep.
    """
    nodes, weight = np.polynomial.legendre.leggauss(NODES)
    v = (nodes + 1) / 2
    density, chance = 1.5 * weight * v**2, np.zeros(shapes.shape)
    rows, state = np.unique(shapes, axis=0, return_inverse=True)
    for arm in range(shapes.shape[1]):
        x = scipy.special.gammaincinv(rows[:, arm, None], v**3)
        others = np.delete(rows, arm, axis=1)
        below = np.prod([scipy.special.gammainc(each[:, None], x) for each in others.T], axis=0)
        chance[:, arm] = (density * below).sum(axis=1)[state.ravel()]
    return chance / chance.sum(axis=1, keepdims=True)


class Weights(NamedTuple):
    """log: (trials, arms), the logarithm of EXP3's weights. pulls: how often each arm was pulled."""

    log: Any
    pulls: Any


@dataclass(frozen=True)
class Exp3:
    """EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002, Figure 1): (1 - gamma) w_a/sum w + gamma/K.

    arms: K. horizon: T. gamma: in (0, 1]. every_arm_first: whether each arm is pulled once first, in random order; the
    rewards count as if these pulls had been drawn from the mixture.
    """

    arms: int
    horizon: int
    gamma: float
    every_arm_first: bool = False

    def init(self, trials: int) -> Weights:
        return Weights(np.zeros((trials, self.arms)), np.zeros((trials, self.arms), dtype=np.int64))

    def act(self, t: int, state: Weights, noise: Any) -> Pulls:
        return drawn(self.law(t, state), t, noise)

    def mixture(self, state: Weights) -> Any:
        return softmax(state.log, 1.0, self.gamma)

    def learn(self, t: int, state: Weights, pulls: Pulls, sums: Any, noise: Any) -> Weights:
        estimate = sums / self.mixture(state).chance
        return Weights(state.log + self.gamma * estimate / self.arms, state.pulls + pulls.counts)

    def law(self, t: int, state: Weights) -> Any:
        new = state.pulls == 0
        if self.every_arm_first and new.any():
            return one_arm(new / new.sum(axis=1, keepdims=True))
        return self.mixture(state)


@dataclass(frozen=True)
class OneChoice:
    """A mechanism with finitely many outputs, as a policy of one step: output a has probability chances[a]."""

    arms: int
    horizon: int
    chances: tuple[float, ...]

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return drawn(self.law(t, state), t, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state

    def law(self, t: int, state: Any) -> Any:
        return one_arm(np.tile(self.chances, (len(state), 1)))


def permute_and_flip(scores: Any) -> Any:
    """The law of permute-and-flip (McKenna and Sheldon 2020). scores: eps utility/(2 sensitivity), (n,). Sums over all
    orders in which the candidates are visited."""
    scores = np.asarray(scores, dtype=np.float64)
    accepts, found = np.exp(scores - scores.max()), np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for each in order:
            found[each] += left * accepts[each]
            left *= 1 - accepts[each]
    return found / len(orders)


@dataclass(frozen=True)
class SharedLinUCB:
    """LinUCB with one regression for all arms (Chu et al. 2011): x_a . theta + alpha sqrt(x_a . A^-1 x_a)."""

    arms: int
    horizon: int
    contexts: int
    alpha: float = 1.0

    def init(self, trials: int) -> Any:
        return no_rewards_yet(trials, self.contexts)

    def act(self, t: int, state: Any, noise: Any, seen: Any) -> Pulls:
        return Pulls.one(self.index(state, seen).argmax(axis=1), self.arms)

    def index(self, state: Any, seen: Any) -> Any:
        mean, width = predictions(state, seen)
        return mean + self.alpha * width

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Any:
        return after_rewards(state, pulls, sums, seen)

    def law(self, t: int, state: Any, seen: Any) -> Any:
        return largest(self.index(state, seen), "any")


class EveryArmFirst(DisjointLinearThompsonSampling):
    """Pulls every arm once, in any order, before it samples."""

    def law(self, t: int, state: Any, seen: Any) -> Any:
        new = (state.gram == self.ridge * np.eye(self.contexts)).all(axis=(2, 3))
        return largest(new.astype(float), "any") if new.any() else super().law(t, state, seen)


# -- what some libraries do instead ----------------------------------------------------------------------------------


class MeanAndVariance(ou24.ThompsonSampling):
    """theta_i ~ N(S_i/n_i, 1/n_i), and N(0, 1) before the first pull: what the documentation of SMPyBandits has."""

    def posterior(self, t: int, state: Any) -> tuple[Any, Any]:
        many = np.maximum(state.pulls, 1)
        return state.total / many, 1.0 / np.sqrt(many)


class DeviationForVariance(ou24.ThompsonSampling):
    """theta_i ~ N(S_i/n_i, (1/n_i)^2), and N(0, 1) before the first pull."""

    def posterior(self, t: int, state: Any) -> tuple[Any, Any]:
        many = np.maximum(state.pulls, 1)
        return state.total / many, 1.0 / many


class DeviationForVarianceUsed(ou24.ThompsonSampling):
    """The same with one more pull of each arm, which paid 1, remembered from the first update on."""

    def posterior(self, t: int, state: Any) -> tuple[Any, Any]:
        begun, many = state.pulls > 0, state.pulls + 1
        return np.where(begun, (state.total + 1) / many, 0.0), np.where(begun, 1.0 / many, 1.0)


class FirstFailureForgotten(beta_thompson.ThompsonSampling):
    """theta_i ~ Beta(1 + S_i, max(1, F_i))."""

    def law(self, t: int, state: Any) -> Any:
        return super().law(t, state._replace(failures=np.maximum(state.failures - 1, 0)))


class WideBeforeRewards(DisjointLinearThompsonSampling):
    """An arm without rewards has the covariance alpha^2 ridge I."""

    def law(self, t: int, state: Any, seen: Any) -> Any:
        start = self.ridge * np.eye(self.contexts)
        never = (state.gram == start).all(axis=(2, 3), keepdims=True)
        return super().law(t, state._replace(gram=np.where(never, start / self.ridge**2, state.gram)), seen)


class TiesAtRandom(LinUCB):
    """LinUCB that draws among equal indices. extra: added to the square of the deviation."""

    extra = 0.0

    def law(self, t: int, state: Any, seen: Any) -> Any:
        mean, width = predictions(state, seen)
        index = mean + self.alpha * np.sqrt(self.extra + width * width)
        best = index >= index.max(axis=1, keepdims=True) - TIE
        return one_arm(best / best.sum(axis=1, keepdims=True))


class OfNextReward(TiesAtRandom):
    """The deviation of the arm's next reward, whose own variance is 1."""

    extra = 1.0


class NotInverted(DisjointLinearThompsonSampling):
    """Covariances v^2 B_a instead of v^2 B_a^-1."""

    def law(self, t: int, state: Any, seen: Any) -> Any:
        mean, spread = predictions(state, seen)[0], np.einsum("tad,tade,tae->ta", seen, state.gram, seen)
        return winner(mean, self.scale * np.sqrt(np.maximum(spread, TIE)))


class CovarianceNotInverted(EveryArmFirst, NotInverted):
    """The same after every arm was pulled once."""


# -- environments with contexts --------------------------------------------------------------------------------------


def same_features(arms: int, horizon: int) -> Any:
    """All arms pay 1/2, and have the same feature in every round."""
    seen = Contexts(np.tile(np.eye(FEATURES)[0], (horizon, arms, 1)))
    return {"all arms pay 1/2": Stream(np.full((arms, horizon), 0.5), contexts=seen)}


def random_features(shared: bool, sequences: int = 1) -> Callable[[int, int], Any]:
    """Rewards in eighths next to contexts; shared: all arms have the features of the first one. sequences: how many
    are drawn."""

    def environments(arms: int, horizon: int) -> Any:
        found = {}
        for k in range(sequences):
            drawn = np.random.default_rng(k)
            features = drawn.integers(-64, 65, (horizon, arms, FEATURES)) / 64
            seen = Contexts(np.repeat(features[:, :1], arms, axis=1) if shared else features)
            paid = drawn.integers(0, 9, (arms, horizon)) / 8
            found[f"rewards in eighths {k}"] = Stream(paid, contexts=seen)
            found[f"all arms pay 1 {k}"] = Stream(np.ones((arms, horizon)), contexts=seen)
        return found

    return environments


def binary_rewards(arms: int, horizon: int) -> Any:
    """Eight tables of rewards 0 and 1, drawn with probabilities that differ between arms and tables."""
    drawn = np.random.default_rng(0)
    tables = (drawn.random((arms, horizon)) < drawn.random((arms, 1)) for _ in range(8))
    return {f"rewards 0 and 1, table {k}": Table(table.astype(float)) for k, table in enumerate(tables)}


# -- exact numbers of mechanisms -------------------------------------------------------------------------------------


def discrete_laplace(scale: float, most: int) -> Any:
    """The law of discrete Laplace noise, P(z) proportional to exp(-|z|/scale), clipped to -most..most."""
    ratio = np.exp(-1 / scale)
    inside = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(1 - most, most))
    tail = ratio**most / (1 + ratio)
    return np.array([tail, *inside, tail])


def gaussian_delta(sigma: float, eps: float) -> float:
    """The smallest delta at which normal noise with sensitivity 1 is (eps, delta)-DP."""
    return float(Gaussian(1 / sigma).delta_at(eps))


def gaussian_eps(sigma: float, delta: float) -> float:
    """The smallest eps at which normal noise with sensitivity 1 is (eps, delta)-DP."""
    return float(brentq(lambda eps: gaussian_delta(sigma, eps) / delta - 1, 0.0, 200.0, xtol=1e-14, rtol=1e-14))


def smallest_sigma(eps: float, delta: float) -> float:
    """The smallest standard deviation at which normal noise with sensitivity 1 is (eps, delta)-DP."""
    return float(brentq(lambda sigma: gaussian_delta(sigma, eps) / delta - 1, 1e-2, 1e3, xtol=1e-14, rtol=1e-14))


def laplace_delta(scale: float, eps: float) -> float:
    """The smallest delta at which Laplace noise with sensitivity 1 is (eps, delta)-DP."""
    return float(max(0.0, 1 - np.exp((eps - 1 / scale) / 2)))


def laplace_eps(scale: float, delta: float) -> float:
    """The smallest eps >= 0 at which Laplace noise with sensitivity 1 is (eps, delta)-DP."""
    return float(max(0.0, 1 / scale + 2 * np.log1p(-delta)))
