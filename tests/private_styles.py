"""Private policies and leaking twins whose code does more with noise than linear arithmetic.

Randomness alignment follows few of them. Each class says in one line why it is 1-DP for one changed reward (relation
"pull"), or how it leaks. A policy for one comparison pulls each arm in turn, and then the arm that it prefers.
"""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from dpbandits import Noise, Pulls, from_object
from dpbandits.reference.bandits.noise import Array

Noisy = Any  # an array with noise, while it is followed


def quotient(noise: Noise, site: str, t: int, shape: tuple[int, ...] = ()) -> Noisy:
    """A Laplace draw of scale 1: the logarithm of a quotient of two uniform draws."""
    return np.log(noise.uniform(f"{site}, upper", t, shape)) - np.log(noise.uniform(f"{site}, lower", t, shape))


class Paid(NamedTuple):
    total: Array
    last: Array
    kept: Array


@dataclass(frozen=True)
class TwoArms:
    """Pulls arms 0 and 1 in turn for `turns` steps, then the one that `prefers` says, (trials,) integers. scale: the
    factor of the noise, in some of the policies."""

    turns: int = 2
    arms: int = 2
    horizon: int = 3
    scale: float = 1.0

    def init(self, trials: int) -> Any:
        none = np.zeros((trials, self.arms))
        return Paid(none, none, none)

    def act(self, t: int, state: Any, noise: Noise) -> Pulls:
        if t <= self.turns:
            return Pulls.one(np.full(len(state[0]), (t - 1) % 2), self.arms)
        return Pulls.one(np.asarray(self.prefers(t, state, noise)).astype(np.int64), self.arms)

    def prefers(self, t: int, state: Any, noise: Noise) -> Any:
        raise NotImplementedError

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        return Paid(state.total + sums, sums, state.kept)


# -- private -----------------------------------------------------------------------------------------------------------


class OneNoisySum(TwoArms):
    """One comparison, of a difference of sensitivity 1, to which Laplace noise of scale 1 is added."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        drawn = self.scale * quotient(noise, "sum", t)
        return np.stack([state.total[:, 0] + drawn, state.total[:, 1]], axis=1).argmax(axis=1)


class OneNoisySumWhere(TwoArms):
    """The same with np.where, and fancy indexing of the arms."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        drawn = self.scale * quotient(noise, "sum", t, (2,))
        noisy = np.where(np.arange(2) == 0, state.total + drawn, state.total)
        return np.argsort(-np.asarray(noisy)[:, [1, 0]], axis=1)[:, 0] == 1


class ByQuantile(TwoArms):
    """The same with normal noise of deviation 4, from scipy's quantile function: (1/4)-GDP."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        drawn = 4 * special.ndtri(noise.uniform("sum", t))
        return np.array([drawn + state.total[:, 0], state.total[:, 1]]).argmax(axis=0)


class FirstOfTwo(TwoArms):
    """The first reward of an arm gets Laplace noise, the second is added later: one noisy sum of each arm, rounded."""

    turns: int = 4

    def __init__(self) -> None:
        super().__init__(4, 2, 6)

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Paid:
        total = np.array(state.total)
        if t <= 4:
            total += sums + quotient(noise, "first", t, (2,)) * (pulls.counts * (t <= 2))
        return Paid(total, sums, state.kept)

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        levels = np.floor(4 * state.total).astype(np.int64)
        return levels[:, 1] > levels[:, 0]


class DrawnBefore(TwoArms):
    """The noise of both sums is drawn in the first step, before arm 1 has paid anything."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Paid:
        drawn = self.scale * quotient(noise, "both", t, (2,)) * (t == 1)
        total = np.asarray(state.total + sums + drawn) if t == 1 else state.total + sums
        return Paid(total, sums, state.kept)

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        keys = [[f"{value:+012.6f}" for value in row] for row in state.total + 500]
        return [max(range(2), key=row.__getitem__) for row in keys]


class LastIsAdded(TwoArms):
    """Noise is added to the older rewards of arm 0, and then its last reward: one noisy sum; arm 1 has its own."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__(4, 2, 5, scale)

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Paid:
        return Paid(state.total + sums * (t <= 2), np.where(pulls.counts > 0, sums, state.last), state.kept)

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        older = np.array(state.total + self.scale * quotient(noise, "older", t, (2,)))
        return np.ma.masked_array(older + state.last, mask=np.zeros(older.shape, dtype=bool)).argmax(axis=1)


class Residuals(TwoArms):
    """Explores where the noise of arm 0 exceeds 1, which it finds by subtracting the sum; else the noisy sums decide.
    A move of arm 1's noise, of scale 2, makes up for a change of either sum, and changes no exploration."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        noisy = np.asarray(state.total + 2 * quotient(noise, "sums", t, (2,)))
        drawn = noisy - state.total
        return np.where(np.round(drawn[:, 0], 6) > 1, np.round(drawn[:, 1], 6) > 0, noisy[:, 1] > noisy[:, 0])


class InTexts(TwoArms):
    """A noisy sum of each arm in a dictionary with texts as keys and Decimals as values, compared once."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        noisy = np.asarray(state.total + sums + quotient(noise, "sum", t, (2,)) * pulls.counts)
        return Paid(noisy, sums, state.kept)

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        found = []
        for row in state.total:
            named = {f"arm {arm}": Decimal(repr(float(value))) for arm, value in enumerate(row)}
            try:
                found.append(int(max(named, key=lambda name: named[name]).removeprefix("arm ")))
            except ValueError:
                found.append(0)
        return found


def knocked_out(values: list[float], arms: list[int]) -> int:
    """The arm with the largest value, by a tournament."""
    if len(arms) == 1:
        return arms[0]
    half = len(arms) // 2
    left, right = knocked_out(values, arms[:half]), knocked_out(values, arms[half:])
    return left if Fraction(values[left]) >= Fraction(values[right]) else right


class Tournament(TwoArms):
    """Arm 0's noisy sum, arm 1's sum: one comparison, by recursion, in fractions."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        drawn = quotient(noise, "sum", t)
        rows = zip(*(np.asarray(each).tolist() for each in (state.total[:, 0] + drawn, state.total[:, 1])), strict=True)
        return [knocked_out(list(row), [0, 1]) for row in rows]


class Batches(TwoArms):
    """All noise is drawn in the first step and used up step by step: one Laplace draw for each reward."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        kept = noise.laplace("all", 1, (2, 2)) if t == 1 else state.kept
        total = np.asarray(state.total + sums + kept[:, :, (t - 1) % 2] * pulls.counts)
        return Paid(total, sums, np.asarray(kept))

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        return np.lexsort((np.arange(2) * np.ones(state.total.shape), state.total), axis=1)[:, -1]


class Clipped(TwoArms):
    """Laplace noise, clipped to [-5, 5], plus the sum of arm 0, is compared with 1/2: as without clipping."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        bounded = np.minimum(np.maximum(quotient(noise, "sum", t), -5), 5)
        return np.where(np.asarray(bounded + state.total[:, 0]) > 0.5, 0, 1)


class Lazily(TwoArms):
    """The noise of arm 0 is drawn when it is needed first, and kept; arm 1 is compared without noise, once."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        memo: dict[int, Noisy] = {}

        def noisy(arm: int) -> Noisy:
            if arm not in memo:
                memo[arm] = state.total[:, arm] + (quotient(noise, "lazy", t) if arm == 0 else 0)
            return memo[arm]

        return sum(1 * (noisy(1) > noisy(0)) for _ in range(1))


class Doubled(TwoArms):
    """The exponential mechanism for two arms, scores of sensitivity 1: by the logistic function of their difference."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        logit = -np.log(1 / noise.uniform("choice", t) - 1)
        return state.total[:, 1] + logit > state.total[:, 0]


class Threshold(TwoArms):
    """A noisy threshold: arm 0's reward plus Laplace noise of scale 1, with which arm 1's reward is compared once."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        drawn = quotient(noise, "threshold", t, (2,))
        kept = np.asarray(sums + drawn) if t == 1 else state.kept
        return Paid(state.total + sums, sums, kept)

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        return np.searchsorted([0.0], (state.total[:, 1] - state.kept[:, 0]))


class Subsampled(TwoArms):
    """Tells with probability 1/2 whether arm 1's sum is larger by d > 0, and otherwise whether d plus Laplace noise of
    scale 1 is positive. Arm 1 has probability 1 - exp(-d)/4 for d > 0 and exp(d)/4 otherwise: eps = ln(3 e) < 2.1."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        noisy = noise.uniform("noisy", t) < 0.5
        return np.asarray(state.total[:, 1] - state.total[:, 0] + noise.laplace("sum", t) * noisy > 0)


class Uniformly(TwoArms):
    """One comparison with uniform noise of width 100: (0, 0.01)-DP."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        return np.stack([state.total[:, 0] + 100 * noise.uniform("sum", t), state.total[:, 1]]).argmin(axis=0)


# -- private objects ---------------------------------------------------------------------------------------------------


class Agent:
    """Pulls both arms once, then the one that `prefers` says. rng: a numpy generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.rewards = rng, list[float]()
        self.start()

    def start(self) -> None: ...

    def select(self) -> int:
        return len(self.rewards) if len(self.rewards) < 2 else int(self.prefers(*self.rewards[:2]))

    def update(self, arm: int, reward: float) -> None:
        self.rewards.append(reward)

    def prefers(self, zero: float, one: float) -> Any:
        raise NotImplementedError


class Chooses(Agent):
    """The exponential mechanism by rng.choice with probabilities; one score of sensitivity 1, eps 1."""

    def prefers(self, zero: float, one: float) -> Any:
        weights = np.exp(np.array([zero, one]) / 2)
        return self.rng.choice(2, p=weights / weights.sum())


class Permutes(Agent):
    """Report noisy max, over a random order of the arms; Laplace noise of scale 1."""

    def prefers(self, zero: float, one: float) -> Any:
        order = self.rng.permutation(2)
        noisy = np.array([zero, one])[order] + self.rng.laplace(size=2)
        return order[noisy.argmax()]


class Alias(Agent):
    """Randomised response by an alias table: arm 1 with probability 0.7 where it paid more, and 0.3 otherwise."""

    def prefers(self, zero: float, one: float) -> Any:
        keep = [0.6, 1.0] if one > zero else [1.0, 0.6]  # of each column; the rest belongs to the other one
        column = int(self.rng.integers(2))
        return column if self.rng.random() < keep[column] else 1 - column


class OfRandom(Agent):
    """Laplace noise from the module random, seeded by the given generator, one noisy difference."""

    def start(self) -> None:
        self.own = random.Random(int(self.rng.integers(2**62)))

    def prefers(self, zero: float, one: float) -> Any:
        return one - zero + self.own.expovariate(1) - self.own.expovariate(1) > 0


class Congruential(Agent):
    """A linear congruential generator of its own, seeded by the given one; Laplace noise by the quantile function."""

    def start(self) -> None:
        self.word = int(self.rng.integers(2**63))

    def drawn(self) -> float:
        self.word = (6364136223846793005 * self.word + 1442695040888963407) % 2**64
        return ((self.word >> 11) + 0.5) / 2**53

    def prefers(self, zero: float, one: float) -> Any:
        u = self.drawn() - 0.5
        return one - zero - np.sign(u) * np.log1p(-2 * abs(u)) > 0


class Yielding(Agent):
    """The noise comes from a Python generator, drawn before any reward is known; one noisy difference."""

    def start(self) -> None:
        self.draws = iter([float(each) for each in self.rng.laplace(size=4)])

    def prefers(self, zero: float, one: float) -> Any:
        return sum((one, -zero, next(self.draws))) > 0


class Secret(Agent):
    """Randomised response with coins of the operating system: 0.7 against 0.3."""

    def prefers(self, zero: float, one: float) -> Any:
        return (one > zero) == (secrets.randbelow(10) < 7)


# -- leaking twins -----------------------------------------------------------------------------------------------------


class ArmOneBare(OneNoisySum):
    """The noise of the comparison is drawn and not added."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        drawn = 0 * quotient(noise, "sum", t)
        return np.stack([state.total[:, 0] + drawn, state.total[:, 1]], axis=1).argmax(axis=1)


class LastStepBare(FirstOfTwo):
    """The first decision has noise, and the second one compares the last rewards."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        if t == 6:
            return state.last.sum(axis=1) > 0.5
        return super().prefers(t, state, noise)


class NoiseOverwritten(DrawnBefore):
    """The noise of both sums is overwritten by the first reward of arm 1."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Paid:
        new = super().learn(t, state, pulls, sums, noise)
        return new if t == 1 else new._replace(total=new.last * [0, 1] + [0.5, 0])


class QuarterScale(LastIsAdded):
    """Noise of a quarter of the scale."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        older = np.array(state.total + quotient(noise, "older", t, (2,)) / 4)
        return np.ma.masked_array(older + state.last, mask=np.zeros(older.shape, dtype=bool)).argmax(axis=1)


class SumsFromResiduals(Residuals):
    """The noise is subtracted from the noisy sums before they are compared."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        noisy = np.asarray(state.total + 2 * quotient(noise, "sums", t, (2,)))
        drawn = noisy - state.total
        clean = np.round(noisy - drawn, 6)
        return np.where(np.round(drawn[:, 0], 6) > 9, 1, clean[:, 1] > clean[:, 0])


class BareTournament(Tournament):
    """The tournament of the sums without noise, after one with noise that decides nothing."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        super().prefers(t, state, noise)
        return [knocked_out(list(row), [0, 1]) for row in state.total.tolist()]


class ClippedAway(Clipped):
    """The noise is clipped to [-0.1, 0.1], so that it cannot hide a reward."""

    def prefers(self, t: int, state: Paid, noise: Noise) -> Any:
        bounded = np.minimum(np.maximum(quotient(noise, "sum", t), -0.1), 0.1)
        return np.where(np.asarray(bounded + state.total[:, 0]) > 0.5, 0, 1)


class ThresholdTooLow(Threshold):
    """The noise of the threshold is a tenth."""

    def learn(self, t: int, state: Paid, pulls: Pulls, sums: Array, noise: Noise) -> Any:
        drawn = 0.1 * quotient(noise, "threshold", t, (2,))
        kept = np.asarray(sums + drawn) if t == 1 else state.kept
        return Paid(state.total + sums, sums, kept)


class ChoosesBest(Chooses):
    """The exponential mechanism with eight times the allowed eps."""

    def prefers(self, zero: float, one: float) -> Any:
        return super().prefers(8 * zero, 8 * one)


class PermutesBare(Permutes):
    """A random order of the arms, and no noise."""

    def prefers(self, zero: float, one: float) -> Any:
        order = self.rng.permutation(2)
        return order[np.array([zero, one])[order].argmax()]


class YieldingTooLate(Yielding):
    """The draws of the Python generator are used up by the first decision."""

    def prefers(self, zero: float, one: float) -> Any:
        noisy = list(self.draws)
        return one - zero + (sum(noisy) if len(noisy) > 4 else 0) > 0


def played(kind: type[Agent]) -> Any:
    return from_object(kind, kind.select, kind.update, arms=2, horizon=3)


AGENTS = (Chooses, Permutes, Alias, OfRandom, Congruential, Yielding, Secret)
LEAKING_AGENTS = (ChoosesBest, PermutesBare, YieldingTooLate)

# (policy, what it guarantees as keywords of `audit_policy`)
PRIVATE_HERE: tuple[tuple[Any, dict[str, float]], ...] = (
    *((policy, {"eps": 1.0}) for policy in (
        OneNoisySum(), OneNoisySumWhere(), FirstOfTwo(), DrawnBefore(), LastIsAdded(), Residuals(), InTexts(),
        Tournament(), Batches(), Clipped(), Lazily(), Doubled(), Threshold(), *map(played, AGENTS),
    )),
    (ByQuantile(), {"mu": 0.25}),
    (Subsampled(), {"eps": 2.1}),
    (Uniformly(), {"eps": 0.0, "delta": 0.01}),
)  # fmt: skip
LITTLE = 20.0  # with a twentieth of their noise, these policies are 20-DP
PRIVATE_WITH_LITTLE_NOISE: tuple[TwoArms, ...] = tuple(
    kind(scale=1 / LITTLE) for kind in (OneNoisySum, OneNoisySumWhere, DrawnBefore, LastIsAdded)
)
LEAKING_HERE: tuple[Any, ...] = (
    ArmOneBare(), LastStepBare(), NoiseOverwritten(), QuarterScale(), SumsFromResiduals(), BareTournament(),
    ClippedAway(), ThresholdTooLow(), *map(played, LEAKING_AGENTS),
)  # fmt: skip
