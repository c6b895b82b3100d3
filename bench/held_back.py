"""Policies that are held back: no part of the search, of alignment or of replay was chosen by what it does on them.

The broken ones claim eps = 1 and have a true eps of at least 1.25, all within twelve pulls. How they leak differs:
late, after rare histories, in one arm, by the kind of the noise, by its scale, in decisions, in the law of a fresh
choice. Each has a witness: a pair of neighbouring tables and a beginning of the pulls, whose probabilities on both
sides are computed without samples, by quadrature or by the law. Their log-ratio is a lower bound on the true eps. The
private ones are tight, or nearly so, and look like the broken ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np
from late_leaks import Decision, Sums, best_mean
from numpy.typing import NDArray
from scipy import stats
from scipy.signal import fftconvolve

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array

CLAIM, LEAST = 1.0, 1.25
STEP, REACH = 1 / 16, 24.0  # of the grid on which sums are followed: its spacing, and its largest value
Scale = Callable[[int, Sums, int], Any]  # of the noise of a reward that arrives in step t, (trials, arms)
Choice = Callable[[int, Sums, int], Array]  # the probability of every arm, (trials, arms)


def unit(t: int, memory: Sums, horizon: int) -> Any:
    return 1.0


def none_yet(arms: int, trials: int = 1) -> Sums:
    none = np.zeros((trials, arms))
    return Sums(none.astype(np.int64), none, none, none)


# -- noise at arrival --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ArrivalNoise:
    """Each reward gets noise when it arrives; after one pull each, the arm with the largest index is pulled.

    kind: of the noise: "laplace", "normal", "uniform" (on [-1, 1]), "one-sided" (exponential), "student" (3 degrees of
    freedom), or "response": the reward is replaced by 0 or 1, the likelier one with odds e^scale. scale: of the noise.
    clip: at how many scales it is clipped. skips: the probability that a reward gets none. decide: the indices.
    """

    arms: int
    horizon: int
    kind: str = "laplace"
    scale: Scale = unit
    clip: float = inf
    skips: float = 0.0
    decide: Decision = best_mean
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> Sums:
        return none_yet(self.arms, trials)

    def act(self, t: int, state: Sums, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(state.raw), t - 1), self.arms)
        return Pulls.one(self.indices(t, state).argmax(axis=1), self.arms)

    def indices(self, t: int, state: Sums) -> Array:
        return self.decide(t, state, state.noisy / np.maximum(state.pulls, 1), self.horizon)

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Array, noise: Noise) -> Sums:
        pulled, scale = pulls.counts > 0, np.broadcast_to(self.scale(t, state, self.horizon), sums.shape)
        if self.kind == "response":
            lie = 1 / (1 + np.exp(scale))
            value = np.where(noise.uniform("response", t, (self.arms,)) < lie + (1 - 2 * lie) * sums, 1.0, 0.0)
        else:
            drawn = self.drawn(noise, t)
            drawn = drawn if self.clip == inf else np.clip(drawn, -self.clip, self.clip)
            if self.skips:
                drawn = drawn * (noise.uniform("skips", t, (self.arms,)) >= self.skips)
            value = sums + scale * drawn
        return Sums(
            state.pulls + pulls.counts,
            state.raw + sums,
            state.noisy + np.where(pulled, value, 0.0),
            np.where(pulled, sums, state.last),
        )

    def drawn(self, noise: Noise, t: int) -> Any:
        """Noise of scale 1."""
        if self.kind == "student":
            four = noise.normal("reward", t, (self.arms, 4))
            return four[..., 0] / np.sqrt((four[..., 1:] ** 2).mean(axis=2))
        if self.kind == "uniform":
            return 2 * noise.uniform("reward", t, (self.arms,)) - 1
        drawn = getattr(noise, "laplace" if self.kind == "one-sided" else self.kind)("reward", t, (self.arms,))
        return np.abs(drawn) if self.kind == "one-sided" else drawn


LAWS: dict[str, Any] = {
    "laplace": stats.laplace,
    "normal": stats.norm,
    "uniform": stats.uniform(-1, 2),
    "one-sided": stats.expon,
    "student": stats.t(3),
}


def kernel(policy: ArrivalNoise, reward: float, scale: float) -> Array:
    """The probabilities of what a reward adds to its arm's noisy sum, at all multiples of STEP from -REACH to REACH."""
    places = np.arange(-round(REACH / STEP), round(REACH / STEP) + 1)
    made = np.zeros(len(places))
    if policy.kind == "response":
        lie = 1 / (1 + np.exp(scale))
        one = lie + (1 - 2 * lie) * reward
        made[places == 0], made[places == round(1 / STEP)] = 1 - one, one
        return made
    atom = np.where(places == round(reward / STEP), 1.0, 0.0)
    if scale <= 0:
        return atom
    ends = (np.append(places, places[-1] + 1) - 0.5) * STEP - reward
    below = LAWS[policy.kind].cdf(ends / scale)
    below = np.where(ends < -policy.clip * scale, 0.0, np.where(ends >= policy.clip * scale, 1.0, below))
    return np.asarray(policy.skips * atom + (1 - policy.skips) * np.diff(below))


def followed(policy: ArrivalNoise, table: Array, pulled: tuple[int, ...], ties: int) -> float:
    """The probability that the pulls of two arms begin so. ties: the arm that wins where indices are equal, which for
    noise with a density is a matter of the grid."""
    axis = np.arange(-round(REACH / STEP), round(REACH / STEP) + 1) * STEP
    density = np.zeros((len(axis), len(axis)))
    density[len(axis) // 2, len(axis) // 2] = 1.0
    memory = none_yet(2)
    for t, arm in enumerate(pulled, start=1):
        if t > 2:
            density = density * chosen(policy, t, memory, axis, arm, ties)
        elif arm != t - 1:
            return 0.0
        reward = float(table[arm, memory.pulls[0, arm]])
        scale = np.broadcast_to(policy.scale(t, memory, policy.horizon), (1, 2))[0, arm]
        adds = kernel(policy, reward, float(scale))
        density = fftconvolve(density, adds[:, None] if arm == 0 else adds[None, :], mode="same")
        memory = remembered(memory, arm, reward)
    return float(np.maximum(density, 0.0).sum())


def chosen(policy: ArrivalNoise, t: int, memory: Sums, axis: Array, arm: int, ties: int) -> NDArray[np.bool_]:
    """For which noisy sums of the two arms this one is pulled, (places, places)."""
    noisy = np.stack(np.broadcast_arrays(axis[:, None], axis[None, :]), axis=-1).reshape(-1, 2)
    every = Sums(*(np.broadcast_to(each, noisy.shape) for each in memory))._replace(noisy=noisy)
    index = policy.indices(t, every)
    first = index[:, 0] > index[:, 1] + 1e-9 if ties else index[:, 0] >= index[:, 1] - 1e-9
    return np.asarray((first if arm == 0 else ~first).reshape(len(axis), len(axis)))


def remembered(memory: Sums, arm: int, reward: float) -> Sums:
    here = np.arange(memory.pulls.shape[1]) == arm
    return Sums(memory.pulls + here, memory.raw + reward * here, memory.noisy, np.where(here, reward, memory.last))


# -- a fresh choice in every step --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FreshChoice:
    """Every step draws its arm anew, with probabilities that depend on the rewards so far."""

    arms: int
    horizon: int
    choice: Choice

    def init(self, trials: int) -> Sums:
        return none_yet(self.arms, trials)

    def act(self, t: int, state: Sums, noise: Noise) -> Pulls:
        below = np.cumsum(self.choice(t, state, self.horizon), axis=1)
        drawn = noise.uniform("arm", t)[:, None] * below[:, -1:]
        return Pulls.one((drawn >= below[:, :-1]).sum(axis=1), self.arms)

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Array, noise: Noise) -> Sums:
        pulled = pulls.counts > 0
        return Sums(state.pulls + pulls.counts, state.raw + sums, state.noisy, np.where(pulled, sums, state.last))


def multiplied(policy: FreshChoice, table: Array, pulled: tuple[int, ...]) -> float:
    """The probability that the pulls begin so."""
    memory, found = none_yet(policy.arms), 1.0
    for t, arm in enumerate(pulled, start=1):
        chances = policy.choice(t, memory, policy.horizon)[0]
        found *= float(chances[arm] / chances.sum())
        memory = remembered(memory, arm, float(table[arm, memory.pulls[0, arm]]))
    return found


# -- witnesses ---------------------------------------------------------------------------------------------------------


class Witness(NamedTuple):
    """What shows that a policy leaks. paid: the rewards of every arm's pulls in order; the last one is repeated to the
    end. arm, place: which reward is changed, to `other`. pulled: a beginning of the pulls."""

    paid: tuple[tuple[float, ...], ...]
    arm: int
    place: int
    other: float
    pulled: tuple[int, ...]


class HeldBack(NamedTuple):
    """A policy and its witness; None for a private one. claim: eps."""

    policy: Any
    witness: Witness | None = None


def tables_of(policy: Any, witness: Witness) -> tuple[Array, Array]:
    rows = [[*row, *(row[-1:] * policy.horizon)][: policy.horizon] for row in witness.paid]
    left = np.array(rows, dtype=np.float64)
    right = left.copy()
    right[witness.arm, witness.place] = witness.other
    return left, right


def probabilities(policy: Any, witness: Witness) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of the witness's pulls on the left and the right table, each between two numbers."""
    sides = []
    for table in tables_of(policy, witness):
        if isinstance(policy, FreshChoice):
            both = (multiplied(policy, table, witness.pulled),) * 2
        else:
            found = [followed(policy, table, witness.pulled, ties) for ties in tie_rules(policy)]
            both = min(found), max(found)
        sides.append(both)
    return sides[0], sides[1]


def tie_rules(policy: ArrivalNoise) -> tuple[int, ...]:
    """How equal indices are decided on the grid: for the first arm, as the policy decides; and where all noise has a
    density, so that only the grid makes them equal, also against it: the truth lies between."""
    atoms = policy.kind == "response" or policy.skips or policy.decide is raw_at_equal_counts
    return (0,) if atoms else (0, 1)


def true_eps(policy: Any, witness: Witness) -> float:
    """A lower bound on the true eps, up to the grid: by the likelier side of the witness."""
    left, right = probabilities(policy, witness)
    both = [(one[0], other[1]) for one, other in ((left, right), (right, left)) if one[0] > 0]
    return max((log(one / other) if other > 0 else inf for one, other in both), default=0.0)


# -- scales, decisions and choices -------------------------------------------------------------------------------------


def before_pull(number: int) -> Scale:
    """No noise from this pull of an arm on."""
    return lambda t, memory, horizon: np.where(memory.pulls + 1 < number, 1.0, 0.0)


def less_in_last_quarter(t: int, memory: Sums, horizon: int) -> Any:
    return 1 / 3 if t > 0.75 * horizon else 1.0


def root_from_third(t: int, memory: Sums, horizon: int) -> Any:
    return np.where(memory.pulls >= 2, 1 / np.sqrt(memory.pulls + 1.0), 1.0)


def decaying(t: int, memory: Sums, horizon: int) -> Any:
    return 0.8 ** (t - 1)


def of_arms(*scales: float) -> Scale:
    return lambda t, memory, horizon: np.array([scales])


def first_arm_forgets(t: int, memory: Sums, horizon: int) -> Any:
    return np.where((np.arange(memory.pulls.shape[1]) == 0) & (memory.pulls >= 2), 0.0, 1.0)


def none_after_two_ones(t: int, memory: Sums, horizon: int) -> Any:
    """No noise for an arm that has paid 1 and nothing else, twice or more."""
    return np.where((memory.pulls >= 2) & (memory.raw == memory.pulls), 0.0, 1.0)


def half_above_two(t: int, memory: Sums, horizon: int) -> Any:
    return np.where(memory.raw >= 2, 0.5, 1.0)


def none_while_the_other_pays_nothing(t: int, memory: Sums, horizon: int) -> Any:
    others = memory.raw.sum(axis=1, keepdims=True) - memory.raw
    return np.where((others == 0) & (memory.pulls >= 1), 0.2, 1.0)


def constant(scale: float) -> Scale:
    return lambda t, memory, horizon: scale


def growing(t: int, memory: Sums, horizon: int) -> Any:
    return 1 + 0.1 * (t - 1)


def last_reward_in_the_last_step(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return means + 1.5 * memory.last * (t == horizon)


def raw_at_equal_counts(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    even = (memory.pulls == memory.pulls[:, :1]).all(axis=1, keepdims=True) & (memory.pulls >= 2)
    return np.where(even, memory.raw / np.maximum(memory.pulls, 1), means)


def raw_mean_besides(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return means + memory.raw / np.maximum(memory.pulls, 1)


def bonus_without_failures(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return means + 2.0 * ((memory.raw == memory.pulls) & (memory.pulls >= 2))


def against_threshold(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    """The first arm while its noisy mean is above 1.5, as it was after its first pull."""
    return np.where(np.arange(means.shape[1]) == 0, means, 1.5)


def clipped_indices(t: int, memory: Sums, means: Array, horizon: int) -> Array:
    return np.clip(means, -0.5, 1.5)


def exploring(share: float) -> Choice:
    """The best raw mean, the first of equal ones, but for this share of the steps."""

    def choice(t: int, memory: Sums, horizon: int) -> Array:
        arms = memory.pulls.shape[1]
        if t <= arms:
            return np.tile(np.arange(arms) == t - 1, (len(memory.raw), 1)).astype(np.float64)
        means = memory.raw / np.maximum(memory.pulls, 1)
        best = np.arange(arms) == means.argmax(axis=1)[:, None]
        return np.where(best, 1 - share + share / arms, share / arms)

    return choice


def softmax(factor: float, means: bool = False) -> Choice:
    """The exponential mechanism on raw sums, or raw means, with weights exp(factor * score)."""

    def choice(t: int, memory: Sums, horizon: int) -> Array:
        scores = memory.raw / np.maximum(memory.pulls, 1) if means else memory.raw
        return np.exp(factor * (scores - scores.max(axis=1, keepdims=True)))

    return choice


def told_first_reward(odds: float, step: int) -> Choice:
    """The first arm until this step, which tells its first reward with these odds; then the same arm again."""

    def choice(t: int, memory: Sums, horizon: int) -> Array:
        if t < step:
            second = np.zeros(len(memory.raw))
        elif t == step:
            second = np.where(memory.raw[:, 0] > (step - 1) / 2, odds, 1.0) / (1 + odds)
        else:
            second = (memory.pulls[:, 1] > 0).astype(np.float64)
        return np.stack([1 - second, second], axis=1)

    return choice


def told_after_three(t: int, memory: Sums, horizon: int) -> Array:
    """A fair coin chooses; but once the first arm has three pulls, all of which paid 1, it is pulled again with odds of
    5, and after other rewards with odds of 1/5."""
    full = memory.pulls[:, 0] == 3
    odds = np.where(full, np.where(memory.raw[:, 0] == 3, 5.0, 0.2), 1.0)
    return np.stack([odds / (1 + odds), 1 / (1 + odds)], axis=1)


def one_private_choice(t: int, memory: Sums, horizon: int) -> Array:
    """One pull each, the better arm with odds e, and then that arm again."""
    arms = memory.pulls.shape[1]
    if t <= arms:
        return np.tile(np.arange(arms) == t - 1, (len(memory.raw), 1)).astype(np.float64)
    if t == arms + 1:
        best = np.arange(arms) == memory.raw.argmax(axis=1)[:, None]
        return np.where(best, np.e, 1.0)
    return np.asarray(memory.pulls == memory.pulls.max(axis=1, keepdims=True)).astype(np.float64)


# -- the set -----------------------------------------------------------------------------------------------------------

BROKEN_POLICIES: dict[str, Any] = {
    "late: no noise from the 5th pull": ArrivalNoise(2, 11, scale=before_pull(5)),
    "late: a third of the noise in the last quarter": ArrivalNoise(2, 12, scale=less_in_last_quarter),
    "late: noise / sqrt(n) from the 3rd pull": ArrivalNoise(2, 12, scale=root_from_third),
    "late: noise decays by 0.8 a step": ArrivalNoise(2, 9, scale=decaying),
    "late: odds of 5 in the last step": FreshChoice(2, 10, told_first_reward(5.0, 10)),
    "one arm: less noise in the second": ArrivalNoise(2, 5, scale=of_arms(1.0, 0.4)),
    "one arm: the first forgets its 3rd reward": ArrivalNoise(2, 7, scale=first_arm_forgets),
    "rare: no noise after two ones": ArrivalNoise(2, 8, scale=none_after_two_ones),
    "rare: half the noise above a sum of 2": ArrivalNoise(2, 9, scale=half_above_two),
    "rare: less noise while the other pays nothing": ArrivalNoise(2, 7, scale=none_while_the_other_pays_nothing),
    "rare: a bonus without failures": ArrivalNoise(2, 7, decide=bonus_without_failures),
    "rare: odds of 5 after three pulls": FreshChoice(2, 8, told_after_three),
    "kind: clipped at 1.5 scales": ArrivalNoise(2, 8, clip=1.5),
    "kind: normal, deviation 0.6": ArrivalNoise(2, 6, kind="normal", scale=constant(0.6)),
    "kind: uniform on [-1.5, 1.5]": ArrivalNoise(2, 6, kind="uniform", scale=constant(1.5)),
    "kind: Student, scale 0.4": ArrivalNoise(2, 6, kind="student", scale=constant(0.4)),
    "kind: one-sided": ArrivalNoise(2, 5, kind="one-sided"),
    "kind: none for a quarter of the rewards": ArrivalNoise(2, 6, skips=0.25),
    "kind: responses with odds e^1.4": ArrivalNoise(2, 5, kind="response", scale=constant(1.4)),
    "scale: too small by 2": ArrivalNoise(2, 5, scale=constant(0.5)),
    "scale: rewards up to 3, noise for 1.5": ArrivalNoise(2, 5, scale=constant(1.5), reward_range=(0.0, 3.0)),
    "decision: the last reward in the last step": ArrivalNoise(2, 6, decide=last_reward_in_the_last_step),
    "decision: raw means at equal counts": ArrivalNoise(2, 7, decide=raw_at_equal_counts),
    "decision: the raw mean besides": ArrivalNoise(2, 5, decide=raw_mean_besides),
    "choice: exploration protects each step": FreshChoice(2, 5, exploring(0.4)),
    "choice: softmax of sums, three arms": FreshChoice(3, 8, softmax(0.4)),
    "choice: softmax of means": FreshChoice(2, 8, softmax(2.0, means=True)),
}
PRIVATE_POLICIES: dict[str, Any] = {
    "noise at arrival": ArrivalNoise(2, 8),
    "noise at arrival, three arms": ArrivalNoise(3, 6),
    "noise that grows": ArrivalNoise(2, 8, scale=growing),
    "rewards up to 3, noise for 3": ArrivalNoise(2, 6, scale=constant(3.0), reward_range=(0.0, 3.0)),
    "responses with odds e": ArrivalNoise(2, 5, kind="response"),
    "responses with odds e, three arms": ArrivalNoise(3, 6, kind="response"),
    "Student, scale 1.2": ArrivalNoise(2, 6, kind="student", scale=constant(1.2)),
    "a threshold beyond the rewards": ArrivalNoise(2, 3, decide=against_threshold),
    "clipped indices": ArrivalNoise(2, 8, decide=clipped_indices),
    "odds of e at once": FreshChoice(2, 6, told_first_reward(np.e, 2)),
    "odds of e in the last step": FreshChoice(2, 10, told_first_reward(np.e, 10)),
    "one private choice": FreshChoice(3, 6, one_private_choice),
    "softmax of sums with eps / (T - 1) a step": FreshChoice(2, 6, softmax(0.2)),
}
WITNESSES: dict[str, Witness] = {
    "late: no noise from the 5th pull": Witness(
        ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)), 0, 5, 1.0, (0, 1, 0, 0, 0, 0, 0, 1)
    ),
    "late: a third of the noise in the last quarter": Witness(
        ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)), 0, 1, 0.0, (0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)
    ),
    "late: noise / sqrt(n) from the 3rd pull": Witness(
        ((0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)), 1, 5, 1.0, (0, 1, 1, 1, 1, 1, 1, 0)
    ),
    "late: noise decays by 0.8 a step": Witness(
        ((0.0, 0.0), (1.0, 1.0, 0.0, 1.0, 0.0, 0.0)), 1, 5, 1.0, (0, 1, 1, 1, 1, 1, 1, 0)
    ),
    "late: odds of 5 in the last step": Witness(
        ((0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0,)), 0, 0, 1.0, (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    ),
    "one arm: less noise in the second": Witness(((0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0)),
    "one arm: the first forgets its 3rd reward": Witness(
        ((1.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)), 0, 4, 1.0, (0, 1, 0, 0, 0, 0, 1)
    ),
    "rare: no noise after two ones": Witness(((1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0)), 1, 2, 0.0, (0, 1, 0, 1, 1, 0, 0)),
    "rare: half the noise above a sum of 2": Witness(
        ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), 1, 1, 0.0, (0, 1, 1, 1, 0, 0, 0, 0, 0)
    ),
    "rare: less noise while the other pays nothing": Witness(
        ((1.0, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)), 1, 0, 1.0, (0, 1, 0, 1, 1, 1, 1)
    ),
    "rare: a bonus without failures": Witness(((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), 1, 2, 0.0, (0, 1, 1, 1, 0, 0)),
    "rare: odds of 5 after three pulls": Witness(
        ((1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.0)), 0, 2, 0.0, (0, 0, 0, 1, 1, 1, 1)
    ),
    "kind: clipped at 1.5 scales": Witness(
        ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0, 0, 0, 0)
    ),
    "kind: normal, deviation 0.6": Witness(((0.0, 0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0, 0)),
    "kind: uniform on [-1.5, 1.5]": Witness(((0.0, 0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0, 0)),
    "kind: Student, scale 0.4": Witness(((1.0, 1.0, 0.0), (1.0, 1.0, 1.0)), 1, 0, 0.0, (0, 1, 1, 0, 0, 1)),
    "kind: one-sided": Witness(((0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0)),
    "kind: none for a quarter of the rewards": Witness(
        ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0)), 0, 0, 1.0, (0, 1, 0, 1, 0, 1)
    ),
    "kind: responses with odds e^1.4": Witness(((1.0, 0.0, 1.0), (1.0, 1.0)), 1, 0, 0.0, (0, 1, 0, 0, 1)),
    "scale: too small by 2": Witness(((0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0)),
    "scale: rewards up to 3, noise for 1.5": Witness(((0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 3.0, (0, 1, 1, 0, 0)),
    "decision: the last reward in the last step": Witness(
        ((1.0, 1.0, 1.0, 1.0), (0.0, 0.0)), 1, 0, 1.0, (0, 1, 0, 0, 0, 1)
    ),
    "decision: raw means at equal counts": Witness(((0.0, 1.0, 1.0), (1.0, 0.0)), 1, 1, 1.0, (0, 1, 0, 1, 0)),
    "decision: the raw mean besides": Witness(((0.0, 0.0, 0.0), (0.0, 0.0)), 1, 1, 1.0, (0, 1, 1, 0, 0)),
    "choice: exploration protects each step": Witness(((1.0, 1.0, 1.0, 1.0), (1.0,)), 0, 0, 0.0, (0, 1, 0, 0, 0)),
    "choice: softmax of sums, three arms": Witness(
        ((0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0), (1.0,), (0.0,)), 0, 0, 1.0, (0, 0, 0, 0, 0, 0, 0, 0)
    ),
    "choice: softmax of means": Witness(((1.0,), (0.0, 1.0, 1.0, 0.0, 1.0, 0.0)), 0, 0, 0.0, (0, 1, 1, 1, 1, 1, 1)),
}
