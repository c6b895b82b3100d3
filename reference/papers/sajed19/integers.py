"""DP-SE in whole numbers: the sums of bits, discrete Laplace noise drawn exactly, and a whole width.

Of `algorithms.DPSE`, line 7 alone is another one: the noise of an epoch's sums is discrete, of scale 1/eps, which keeps
eps-DP because a reward moves one sum by 1 at most. Lines 10 and 11 then compare whole numbers, for

    best - mu_a > 2 h + 2 c    is    best - S_a > floor(R (2 h + 2 c)),    S_a the noisy sum of R rewards.

So no release depends on how a real number is rounded: the law below is that of the program. With a rational `ratio` of
the noise, in the place of e^-eps, its chances are fractions (`rationals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from scipy.special import logsumexp

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import normalize_numeric_fields
from dpbandits.reference.bandits.noise import Array, Noise
from dpbandits.reference.bandits.policy import Ints, Law, Pulls
from dpbandits.reference.bandits.release_laws.selections import Chances, subsets
from dpbandits.reference.bandits.whole_noise import MAX_PART, Some, below, discrete_laplace, heads, signed, words_at
from dpbandits.reference.papers.sajed19 import formulas as f
from dpbandits.reference.papers.sajed19.algorithms import DPSE, Epoch, Sets, State, law_of_kept_sets

FAR_OUT = 40.0  # scales beyond all sums; each further value of the best has e^(-1/scale) of the chance, or less
ROUNDED_CHANCES = 2.0**-49  # of a logarithm's size and of 1, for every arm: a few roundings


@dataclass(frozen=True)
class IntegerDPSE:
    """DP-SE in whole numbers; its parameters are those of `DPSE`. Rewards are 0 or 1.

    eps: a fraction of whole numbers up to 2^20, as 0.5 and 0.375 are, and 0.1 is not. ratio: in its place, r of noise
    with P(z) proportional to r^|z|, a Fraction between 0 and 1 or its two whole numbers up to 2^20, which keeps
    ln(1/r)-DP; eps is that, rounded, and only says how many rewards an epoch takes. Raises ValueError for others.
    """

    arms: int
    horizon: int
    eps: float = 1.0
    beta: float | None = None
    constants: f.Constants = f.CONSTANTS
    ratio: Fraction | tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.ratio is not None:
            over, under = whole_parts(self.ratio)
            object.__setattr__(self, "ratio", (over, under))
            object.__setattr__(self, "eps", -float(el.log(over / under)))
        normalize_numeric_fields(self)
        object.__setattr__(self, "constants", f.Constants(*self.constants))  # a list of them, as JSON has it
        real, parts = self.real, Fraction(self.eps)
        if self.ratio is None and max(parts.numerator, parts.denominator) > MAX_PART:
            raise ValueError(
                f"eps is {real.eps}, which is the fraction {parts} as a double; give a fraction of integers "
                "up to 2^20, such as 0.5"
            )

    @cached_property
    def real(self) -> DPSE:
        """The page's own policy, from which everything but the noise is."""
        return DPSE(self.arms, self.horizon, self.eps, self.beta, self.constants)

    @property
    def reward_range(self) -> frozenset[float]:
        """The only rewards for which the policy is defined."""
        return frozenset({0.0, 1.0})

    @property
    def exact_ratio(self) -> Fraction:
        """The ratio, where it is rational. Raises ValueError where it is e^-eps."""
        if self.ratio is None:
            raise ValueError(
                "e^-eps is not a fraction, so probabilities are not rational; give IntegerDPSE a ratio=, such "
                "as Fraction(3, 5)"
            )
        return Fraction(*whole_parts(self.ratio))

    @property
    def draws_words(self) -> bool:
        """Its noise is random bits, words of `whole_noise.WORD_BITS`: a tape of it holds them exactly."""
        return True

    def init(self, trials: int) -> State:
        return self.real.init(trials)

    def numbers(self, epoch: Any, active: Any) -> Epoch:
        return self.real.numbers(epoch, active)

    def block(self, state: State, kept: Sets) -> Pulls:
        return self.real.block(state, kept)

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        return self.block(state, self.kept(t, state, noise))

    def width(self, epoch: Any, active: Any) -> Ints:
        """floor(R (2 h + 2 c)) of an epoch e >= 1; what broadcasts."""
        rounds, _, width = self.numbers(epoch, active)
        return np.floor(np.minimum(rounds * width, 2.0**53)).astype(np.int64)

    def kept(self, t: int, state: State, noise: Noise) -> Sets:
        """The arms that remain in S after the epoch whose sums the state holds."""
        judged = (state.epoch > 0) & (state.active.sum(axis=1) > 1)
        if not judged.any():
            return state.active
        width = self.width(np.maximum(state.epoch, 1), state.active.sum(axis=1))[:, None]
        noisy = state.total.astype(np.int64) + self.drawn(noise, t)
        best = np.where(state.active, noisy, noisy.min(axis=1, keepdims=True)).max(axis=1, keepdims=True)
        return np.asarray(state.active & ((best - noisy <= width) | ~judged[:, None]))

    def drawn(self, noise: Noise, t: int) -> Ints:
        """The noise of the sums, (trials, arms)."""
        if self.ratio is None:
            return discrete_laplace(noise, "sum", t, (self.arms,), 1 / Fraction(self.eps))
        return discrete_laplace_of_ratio(noise, "sum", t, (self.arms,), self.exact_ratio)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        if ((sums != np.rint(sums)) | (sums < 0) | (sums > pulls.counts)).any():
            raise ValueError(
                f"step {t}: a reward is neither 0 nor 1; round rewards, or replace each by a Bernoulli draw with "
                "this mean"
            )
        return self.real.learn(t, state, pulls, sums, noise)

    def survival(self, epoch: int, means: Any) -> Chances:
        """The exact law of which of |S| >= 2 active arms are left after epoch e. means: (m, |S|), of its rewards."""
        active = np.shape(means)[1]
        sums = np.rint(np.asarray(means) * self.numbers(epoch, active).rounds).astype(np.int64)
        sets, width, scale = subsets(active, 1, active), int(self.width(epoch, active)), 1 / self.eps
        each, back = np.unique(sums, axis=0, return_inverse=True)
        logs = log_survival(each, width, scale, sets)[back.reshape(-1)]
        far = np.ptp(sums, axis=1) + width + 2 * FAR_OUT * scale
        error = active * ROUNDED_CHANCES * (1 + far / scale)
        return Chances(sets, logs, np.broadcast_to(error[:, None], logs.shape))

    def law(self, t: int, state: State) -> Law:
        """The exact law of step t's release: an outcome for every set of arms, chance 0 for those that cannot be kept.
        Raises NoLaw for more arms than have their sets listed."""
        return law_of_kept_sets(self, state)


def whole_parts(ratio: Any) -> tuple[int, int]:
    """Numerator and denominator. Raises ValueError for no fraction between 0 and 1 of whole numbers up to MAX_PART."""
    try:
        exact = ratio if isinstance(ratio, Fraction) else Fraction(*ratio)
    except (TypeError, ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not (0 < exact < 1 and exact.denominator <= MAX_PART):
        raise ValueError(
            f"ratio is {ratio!r}; it must be a Fraction between 0 and 1 of integers up to 2^20, such as Fraction(3, 5)"
        )
    return exact.numerator, exact.denominator


def log_survival(sums: Ints, width: int, scale: float, sets: Sets) -> Array:
    """log chance that each of these sets is kept, (m, sets), for the noise-free sums (m, arms): added up over the value
    of the best, and over the first arm that has it."""
    beyond, least = ceil(FAR_OUT * scale), sums.min(axis=1)[:, None, None]
    best = least + np.arange(-beyond, int(np.ptp(sums, axis=1).max()) + width + beyond + 1)[:, None]
    z = best - sums[:, None]  # of the noise, (m, values, arms)
    at, under = log_chances_between(z, z, scale), log_chances_between(-np.inf, z - width - 1, scale)
    first = log_chances_between(z - width, z, scale)
    before = log_chances_between(z - width, z - 1, scale) if width else np.full(z.shape, -np.inf)
    found = []
    for kept in sets:
        inside = np.flatnonzero(kept)
        terms = [
            at[..., arm] + before[..., inside[:place]].sum(axis=-1) + first[..., inside[place + 1 :]].sum(axis=-1)
            for place, arm in enumerate(inside)
        ]
        found.append(logsumexp(logsumexp(terms, axis=0) + under[..., ~kept].sum(axis=-1), axis=1))
    return np.stack(found, axis=1)


# -- the noise --------------------------------------------------------------------------------------------------------


def discrete_laplace_of_ratio(noise: Noise, site: str, index: int, shape: tuple[int, ...], ratio: Fraction) -> Ints:
    """Draws with P(z) = (1 - r)/(1 + r) r^|z| for a rational r, 0 < r < 1, (trials, *shape): coins that show 1 with
    chance r are tossed until one shows 0. Raises ValueError for another ratio, or a denominator above MAX_PART."""
    if not (0 < ratio < 1 and ratio.denominator <= MAX_PART):
        raise ValueError(f"ratio is {ratio}; it must be a fraction between 0 and 1 of integers up to 2^20, such as 3/5")
    words, most = words_at(noise, site, index, shape), ratio.denominator

    def sized(at: str, left: Some) -> tuple[Ints, Some]:
        return heads(lambda turn, run: below(words, f"{at} turn {turn}", most, run) < ratio.numerator, left), left

    return signed(words, " sign", sized)


def log_chances_between(low: Any, high: Any, scale: float) -> Array:
    """log P(low <= z <= high) of discrete Laplace noise, for whole numbers, low <= high; all but for infinite ends, in
    sums of positive terms, so that no digits cancel. What broadcasts."""
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    low, high = np.where(low > 0, low, -high), np.where(low > 0, high, -low)  # symmetric: now high >= 0, or low > 0
    all_log = np.asarray(-el.log1p(el.exp(np.asarray(-1 / scale))))  # -log(1 + q)

    def lost(steps: Any) -> Array:
        """1 - q^steps."""
        return np.asarray(-el.expm1(-np.asarray(steps) / scale))

    one_side = -np.maximum(low, 0.0) / scale + el.log(np.maximum(lost(np.maximum(high - low + 1, 1.0)), 5e-324))
    across = lost(np.maximum(high + 1, 1.0)) + el.exp(np.asarray(-1 / scale)) * lost(np.maximum(-low, 0.0))
    return np.asarray(all_log + np.where(low > 0, one_side, el.log(across)))
