"""For the tests of tao22: fixed heavy rewards, scalar twins written from the paper's lines, and mutants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log, sqrt

import numpy as np
from scipy.special import gammaincinv

from dpbandits.reference.papers.tao22 import DPRSE, DPRUCB, LDPRSE, Elimination, Randomizer, Tree
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.algorithms.laplace_sums import laplace_sum


@dataclass(frozen=True, eq=False)
class Fixed:
    """Pays rewards[arm, n] for the (n+1)-th pull of an arm, of any size, in every trial."""

    rewards: np.ndarray

    @property
    def arms(self):
        return len(self.rewards)

    def draw(self, t, made, counts, bound, noise):
        bounds = np.broadcast_to(np.inf if bound is None else bound, counts.shape)
        sums = np.zeros(counts.shape)
        for trial, arm in np.ndindex(*counts.shape):
            first = made[trial, arm]
            block = self.rewards[arm, first : first + counts[trial, arm]]
            sums[trial, arm] = block[np.abs(block) <= bounds[trial, arm]].sum()
        return sums


# -- twins ---------------------------------------------------------------------------------------------------------


def tree_twin(items, bounds, eps, lev, draws):
    """Algorithm 2, line by line: the list of S-hat(t)."""
    T = len(items)
    alpha, noisy = [0.0] * (T + 1), [0.0] * (T + 1)  # line 3
    share, out = eps / lev, []  # line 4
    for t in range(1, T + 1):  # line 5
        digits = [(t >> j) & 1 for j in range(T.bit_length())]  # line 6
        i = digits.index(1)  # line 7
        alpha[i] = sum(alpha[:i]) + items[t - 1]  # line 8
        for j in range(i):  # line 9
            alpha[j] = noisy[j] = 0.0  # line 10
        noisy[i] = alpha[i] + 2 * bounds[t - 1] / share * draws[t - 1]  # line 12
        out.append(sum(noisy[j] for j, digit in enumerate(digits) if digit))  # line 13
    return out


def ucb_twin(K, T, eps, v, u, rewards, draw):
    """Algorithm 1, line by line, for one run, with a tree of its own for each arm. draw(t, arm). The pulled arms."""
    seen = [[] for _ in range(K)]  # truncated rewards, bounds and draws of each arm
    arms = []

    def bound(n):
        return (eps * u * n / log(T) ** 1.5) ** (1 / (1 + v))  # line 4

    for t in range(1, T + 1):
        if t <= K:  # lines 5 and 6
            arm = t - 1
        else:
            scores = []
            for a in range(K):  # lines 12 and 13
                n = len(seen[a])
                items, bounds, draws = zip(*seen[a], strict=True)
                width = log(2 * t**4) * log(T) ** (1.5 + 1 / v) / (n * eps)
                scores.append(
                    tree_twin(items, bounds, eps, log(T), draws)[-1] / n
                    + 18 * u ** (1 / (1 + v)) * width ** (v / (1 + v))
                )
            arm = int(np.argmax(scores))
        x, b = rewards[arm, len(seen[arm])], bound(len(seen[arm]) + 1)
        seen[arm].append((x if abs(x) <= b else 0.0, b, draw(t, arm)))  # lines 7 to 9, 14 to 16
        arms.append(arm)
    return arms


def elimination_twin(K, T, eps, v, u, beta, rewards, noise, local, rooted=False):
    """Algorithms 3 and 4, pull by pull, for one run: the blocks. noise(epoch, arm, R): what is added to a sum of R
    truncated rewards, in units of 2 B/eps."""
    S, t, tau, blocks = list(range(K)), 0, 0, []
    pulled = [0] * K
    while len(S) > 1:
        tau += 1  # line 5
        if local:
            L, D = log(8 * len(S) * tau**2 / beta), 4.0**-tau
            R = ceil(u ** (2 / v) * 28 ** (2 * (1 + v) / v) * L / (eps**2 * D ** (2 * (1 + v) / v)) + L)
            B = (u * sqrt(R) * eps / sqrt(L)) ** (1 / (1 + v))
            err = u ** (1 / (1 + v)) * (sqrt(L) / ((sqrt(R) if rooted else R) * eps)) ** (v / (1 + v))
        else:
            L, D = log(4 * len(S) * tau**2 / beta), 2.0**-tau
            R = ceil(u ** (1 / v) * 24 ** ((1 + v) / v) * L / (eps * D ** ((1 + v) / v)) + 1)
            B = (u * R * eps / L) ** (1 / (1 + v))
            err = u ** (1 / (1 + v)) * (L / (R * eps)) ** (v / (1 + v))
        block, sums = [0] * K, [0.0] * K
        for _ in range(R):  # lines 10 to 18
            for a in S:
                if t == T:
                    return [*blocks, block]
                x = rewards[a, pulled[a]]
                sums[a] += x if abs(x) <= B else 0.0
                t, pulled[a], block[a] = t + 1, pulled[a] + 1, block[a] + 1
        blocks.append(block)
        if t == T:
            return blocks
        means = {a: (sums[a] + 2 * B / eps * noise(tau, a, R)) / R for a in S}
        best = max(means.values())
        S = [a for a in S if not best - means[a] > (14 if local else 12) * err]
    return [*blocks, [T - t if a in S else 0 for a in range(K)]]


def laplace_by_parts(recorder, trial):
    """The twin's noise of a local epoch: the sum of R Laplace variables, by the recorded draws."""

    def noise(epoch, arm, R):
        uniform = recorder.values["sum of Laplace: G", epoch + 1][trial, arm]
        return np.sqrt(2 * gammaincinv(R, uniform)) * recorder.values["sum of Laplace: Z", epoch + 1][trial, arm]

    return noise


# -- mutants -------------------------------------------------------------------------------------------------------


class CountBefore(DPRUCB):
    """The threshold of the count before the pull."""

    def threshold(self, n):
        with np.errstate(divide="ignore"):
            return super().threshold(n - 1.0)


@dataclass(frozen=True)
class HalfTree(Tree):
    """Sensitivity B for 2 B."""

    def insert(self, sums, item, bound, laplace, where=True):
        return super().insert(sums, item, bound, np.asarray(laplace) / 2, where)


@dataclass(frozen=True)
class Undivided(Tree):
    """Every p-sum gets the whole eps."""

    @property
    def share(self):
        return self.eps


@dataclass(frozen=True)
class KeepingCells(Tree):
    """Line 10 is left out: p-sums stay in their cells and count again."""

    def insert(self, sums, item, bound, laplace, where=True):
        after = super().insert(sums, item, bound, laplace, where)
        keep = np.where(after.exact == 0, sums.exact, after.exact)
        return after._replace(exact=keep)


@dataclass(frozen=True)
class QuietTree(Tree):
    """Noise is drawn at query time: nothing is added to a p-sum when it is made."""

    def insert(self, sums, item, bound, laplace, where=True):
        return super().insert(sums, item, bound, np.zeros_like(laplace), where)


class NoiseAtQuery(DPRUCB):
    """Every query of a tree gets noise of its own, of the size of a p-sum's."""

    @property
    def tree(self):
        return QuietTree(self.horizon, self.eps, self.levels)

    def act(self, t, state, noise):
        asked = state
        if t > self.arms:
            fresh = 2 * self.threshold(state.trees.items) / self.tree.share * noise.laplace("query", t, (self.arms,))
            noisy = state.trees.noisy.copy()
            noisy[..., 0] += fresh
            asked = state._replace(trees=state.trees._replace(noisy=noisy))
        return super().act(t, asked, noise)


@dataclass(frozen=True)
class FrozenS(Elimination):
    """|S| is K for ever. Its privacy stands: |S| enters R and B, which are public, and the noise follows them."""

    def numbers(self, tau, active):
        return super().numbers(tau, np.ones_like(active))


@dataclass(frozen=True)
class QuietBest(Elimination):
    """The largest mean is compared without its noise.

    It breaks privacy from three arms on: a reward of the arm that leads moves its distance from each of the others, and
    only their own noise hides it, K - 1 times eps where all of them go. With two arms the released sets stand, for
    either order of the noisy means one draw takes up the move; but they do not follow from the noisy means.
    """

    def means(self, t, state, now, noise):
        means, plain = super().means(t, state, now, noise), state.sums / now.length
        return np.where(means == means.max(axis=1, keepdims=True), plain, means)


@dataclass(frozen=True)
class NoisyMean(Elimination):
    """One Laplace draw is added to the mean in the place of one to every reward."""

    def means(self, t, state, now, noise):
        fresh = laplace_sum(t, np.ones(state.sums.shape), noise)
        return state.sums / now.length + 2 * now.bound / (now.length * self.eps) * fresh


@dataclass(frozen=True)
class Remembering(Elimination):
    """The sums of earlier epochs are kept."""

    def learn(self, t, state, pulls, sums, noise):
        return super().learn(t, state, pulls, state.sums + sums, noise)


@dataclass(frozen=True)
class SameNoise(Elimination):
    """The noise of the first epoch serves all others."""

    def means(self, t, state, now, noise):
        return super().means(2, state, now, noise)


@dataclass(frozen=True)
class Clipping(Randomizer):
    """Clipping for truncation."""

    def truncated(self, reward):
        return np.clip(reward, -self.bound, self.bound)


def mutated(kind, policy):
    """The policy with another class."""
    return kind(**{name: getattr(policy, name) for name in policy.__dataclass_fields__})


# Epochs of a few to a few thousand pulls, and rewards whose gaps are about where arms go: 12 err in epoch 3 of
# Algorithm 3, 14 err in epoch 2 of Algorithm 4.
SMALL_3 = DPRSE(4, 5000, 1.0, 1.0, 1e-3, beta=0.9)
SMALL_4 = LDPRSE(3, 30_000, 1.0, 1.0, 1e-4, beta=0.9)
ROOTED_4 = replace(SMALL_4, err=f.err_4)
MEANS_3 = (0.10, 0.0385, 0.0375, 0.0)
MEANS_4 = (0.04, 0.039, 0.038)  # line 21 as printed removes far more
ROOTED_MEANS_4 = (0.04, 0.009, 0.012)
