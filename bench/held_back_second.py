"""A second set of policies that are held back, written before any check was run on them; see bench/held_back.py.

The broken ones claim eps = 1 and have a true eps of at least 1.25, within twelve pulls, two or three arms. The kinds of
faults: noise that is forgotten, shrinks, is clipped, reused or shared; means without noise after an elimination; ties;
counters; rare histories; a privacy budget that is not divided; a wrong sensitivity; answers that compose; a late switch
to greedy choices; state that is carried from arm to arm. Next to them are private policies that look like them.

What makes a broken policy one is its witness: two neighbouring tables, and a beginning of the pulls whose probability
differs by more than a factor of e^1.25. It is computed by the law where every step draws its arm anew, and else from up
to five million runs on either side, by a limit that is wrong with probability 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from typing import Any, NamedTuple

import numpy as np
from held_back import LEAST, Choice, FreshChoice, Witness, multiplied, tables_of
from numpy.typing import NDArray
from scipy.stats import beta

from dpbandits import Noise, Pulls
from dpbandits.audit.play.transcripts import simulate_transcripts
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.bandits.reward_ranges import reward_range

LIMIT_RISK = 1e-6  # of the lower limit of a true eps
BATCH, ENOUGH, LOOKS = 250_000, 500_000, 20  # runs on either side between two looks, at least in all; most looks


class Memory(NamedTuple):
    """What a policy remembers; (trials, arms) but for `streak`."""

    pulls: Ints
    raw: Array  # the sum of the rewards. SECRET
    noisy: Array  # the sum of the rewards with their noise
    last: Array  # the last reward of each arm, 0 before the first. SECRET
    before: Array  # the reward before it, -1 before the second. SECRET
    previous: NDArray[np.bool_]  # the arm of the last step
    streak: Ints  # how often in a row that was pulled, (trials, 1)


# What is added to the noisy sum of a pulled arm; and the indices of the arms: (trials, arms) each.
Value = Callable[[Noise, int, Memory, Array, int], Any]
Decide = Callable[[Noise, int, Memory, int], Array]


def laplace(noise: Noise, t: int, memory: Memory) -> Any:
    return noise.laplace("reward", t, memory.pulls.shape[1:])


def mean(sums: Any, memory: Memory) -> Any:
    return sums / np.maximum(memory.pulls, 1)


def with_noise(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    return rewards + laplace(noise, t, memory)


def best_noisy_mean(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return mean(memory.noisy, memory)


@dataclass(frozen=True)
class Arrival:
    """One pull each, then the arm with the largest index. value: of a reward when it arrives; decide: the indices."""

    arms: int
    horizon: int
    value: Value = with_noise
    decide: Decide = best_noisy_mean
    reward_range: Any = (0.0, 1.0)

    def init(self, trials: int) -> Memory:
        none = np.zeros((trials, self.arms))
        whole = none.astype(np.int64)
        return Memory(whole, none, none, none, none - 1, none.astype(bool), whole[:, :1].copy())

    def act(self, t: int, state: Memory, noise: Noise) -> Pulls:
        if t <= self.arms:
            return Pulls.one(np.full(len(state.raw), t - 1), self.arms)
        return Pulls.one(self.decide(noise, t, state, self.horizon).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        pulled = pulls.counts > 0
        again = (pulled & state.previous).any(axis=1, keepdims=True)
        return Memory(
            state.pulls + pulls.counts,
            state.raw + sums,
            state.noisy + np.where(pulled, self.value(noise, t, state, sums, self.horizon), 0.0),
            np.where(pulled, sums, state.last),
            np.where(pulled, np.where(state.pulls > 0, state.last, -1.0), state.before),
            pulled,
            np.where(again, state.streak + 1, 1),
        )


def scaled(scale: Callable[[int, Memory, int], Any]) -> Value:
    """Laplace noise of this scale."""
    return lambda noise, t, memory, rewards, horizon: rewards + scale(t, memory, horizon) * laplace(noise, t, memory)


# -- forgotten, shrinking, clipped ----------------------------------------------------------------------------------


def second_arm_from_fourth(t: int, memory: Memory, horizon: int) -> Any:
    second = np.arange(memory.pulls.shape[1]) == 1
    return np.where(second & (memory.pulls >= 3), 0.0, 1.0)


def from_fourth(t: int, memory: Memory, horizon: int) -> Any:
    return np.where(memory.pulls >= 3, 0.0, 1.0)


def by_logarithm(t: int, memory: Memory, horizon: int) -> Any:
    return 1 / (1 + np.log2(memory.pulls + 1.0))


def falling_with_time(t: int, memory: Memory, horizon: int) -> Any:
    return 1 - 0.7 * t / horizon


def small_after_two_ones(t: int, memory: Memory, horizon: int) -> Any:
    return np.where(memory.raw >= 2, 0.1, 1.0)


def clipped(scales: float) -> Value:
    def value(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
        return rewards + np.clip(laplace(noise, t, memory), -scales, scales)

    return value


def clipped_values(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """Private: what is made of a noisy reward is as private."""
    return np.clip(rewards + laplace(noise, t, memory), 0.0, 1.0)


def late_clipped(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """From an arm's third pull on, its noise is clipped at one scale."""
    drawn = laplace(noise, t, memory)
    return rewards + np.where(memory.pulls >= 2, np.clip(drawn, -1.0, 1.0), drawn)


# -- reused, shared, carried from arm to arm --------------------------------------------------------------------------


def one_draw_for_each_arm(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    return rewards + noise.laplace("arm", 0, memory.pulls.shape[1:])


def antithetic(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """Every second draw of an arm is the opposite of the one before."""
    arms = memory.pulls.shape[1]
    value = rewards
    for number in range(0, horizon, 2):
        drawn = noise.laplace("pair", number, (arms,))
        value = value + np.where(memory.pulls == number, drawn, 0.0) - np.where(memory.pulls == number + 1, drawn, 0.0)
    return value


def first_draw_again_from_fourth(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """From the fourth pull on, an arm gets the opposite of its first draw."""
    value, first = rewards, 0.0
    for number in range(4):
        drawn = noise.laplace("pull", number, memory.pulls.shape[1:]) if number < 3 else -first
        value = value + np.where(memory.pulls == number if number < 3 else memory.pulls >= 3, drawn, 0.0)
        first = first if number else drawn
    return value


def last_two_arms_share(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """The n-th pulls of the last two arms have the same draw."""
    arms = memory.pulls.shape[1]
    value = rewards
    for number in range(horizon):
        drawn = noise.laplace("pull", number, (arms,))
        both = np.stack([drawn[..., min(arm, arms - 2)] for arm in range(arms)], axis=-1)
        value = value + np.where(memory.pulls == number, both, 0.0)
    return value


def telescoping(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """The draw of the step before is subtracted again, of whichever arm it was."""
    drawn = noise.laplace("step", t, (1,))
    return rewards + drawn - (noise.laplace("step", t - 1, (1,)) if t > 1 else 0.0)


def last_reward_of_the_other(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """The last reward of an arm counts, without noise, against all other arms."""
    others = memory.last.sum(axis=1, keepdims=True) - memory.last
    return mean(memory.noisy, memory) - 0.8 * others * (memory.pulls >= 2)


def carried_reward(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """A reward of an arm is counted once more for the arm that is pulled after it."""
    before = np.where(memory.previous, memory.last, 0.0).sum(axis=1, keepdims=True)
    return rewards + np.where(memory.previous, 0.0, before) + laplace(noise, t, memory)


# -- ties, counters, rare histories, late greedy choices --------------------------------------------------------------


def ties_by_raw_sums(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """Noisy means are rounded to whole numbers, and equal ones decided by raw means."""
    return np.round(mean(memory.noisy, memory)) + 0.1 * mean(memory.raw, memory)


def ties_by_coin(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return np.round(mean(memory.noisy, memory)) + 0.1 * noise.uniform("coin", t, memory.pulls.shape[1:])


def near_ties(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """Where the noisy means lie within 0.2 of each other, raw sums decide."""
    means = mean(memory.noisy, memory)
    near = means.max(axis=1, keepdims=True) - means.min(axis=1, keepdims=True) < 0.2
    return np.where(near, memory.raw, means)


def responses(odds: float) -> Value:
    """A reward is replaced by 0 or 1, the likelier one with these odds."""

    def value(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
        lie = 1 / (1 + odds)
        drawn = noise.uniform("response", t, memory.pulls.shape[1:])
        return np.where(drawn < lie + (1 - 2 * lie) * rewards, 1.0, 0.0)

    return value


def votes(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return memory.noisy - 0.5 * memory.pulls


def votes_with_raw_ties(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return memory.noisy - 0.5 * memory.pulls + 0.01 * memory.raw


def counter_of_ones(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """The arm with the fewest pulls, in the step after the fourth one of all arms together."""
    ones = memory.raw.sum(axis=1, keepdims=True)
    return np.where(ones == 4, -memory.pulls.astype(float), mean(memory.noisy, memory))


def counter_of_failures(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """An arm that has paid nothing three times is never pulled again."""
    return mean(memory.noisy, memory) - 100.0 * (memory.pulls - memory.raw >= 3)


def counter_of_pulls(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """Private: an arm that was pulled four times has no further pulls before all have been."""
    return mean(memory.noisy, memory) - 100.0 * (memory.pulls >= 4)


def off_after_one_zero(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
    """No noise for the third and later rewards of an arm whose last two were 1 and then 0."""
    rare = (memory.last == 0) & (memory.before == 1)
    return rewards + np.where(rare, 0.0, laplace(noise, t, memory))


def raw_after_streak(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """Raw means after four pulls of the same arm in a row."""
    return np.where(memory.streak == 4, mean(memory.raw, memory), mean(memory.noisy, memory))


def doubled_after_streak(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return np.where(memory.streak == 4, -1.0, 1.0) * mean(memory.noisy, memory)


def raw_for_a_poor_arm(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """The raw mean of an arm whose noisy mean has fallen below -1."""
    means = mean(memory.noisy, memory)
    return np.where(means < -1.0, mean(memory.raw, memory) - 1.0, means)


def raw_in_last_two(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    return mean(memory.raw if t > horizon - 2 else memory.noisy, memory)


def raw_once_sure(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    """Raw means once the noisy ones lie 2 apart."""
    means = mean(memory.noisy, memory)
    sure = means.max(axis=1, keepdims=True) - means.min(axis=1, keepdims=True) > 2.0
    return np.where(sure, mean(memory.raw, memory), means)


def noisy_without_bonus_in_last_two(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
    bonus = 1 / np.sqrt(np.maximum(memory.pulls, 1))
    return mean(memory.noisy, memory) + (0.0 if t > horizon - 2 else bonus)


# -- budgets and sensitivities -------------------------------------------------------------------------------------


def fresh_noise_for_sums(scale: float) -> Decide:
    """All rewards so far, with fresh noise in every step."""

    def decide(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
        return memory.raw + scale * noise.laplace("sum", t, memory.pulls.shape[1:])

    return decide


def tree(scale: float) -> Decide:
    """Prefix sums of an arm's rewards, with noise of this scale for every full block of 1, 2, 4 or 8 of them."""

    def decide(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
        arms = memory.pulls.shape[1]
        sums = memory.raw
        for level in range(4):
            for block in range(horizon >> level):
                ends = block + 1  # of this level, which counts while it is the last full one, and odd
                if ends % 2:
                    here = (memory.pulls >> level) == ends
                    sums = sums + np.where(here, scale * noise.laplace(f"block {level}", block, (arms,)), 0.0)
        return mean(sums, memory)

    return decide


def two_statistics(scale: float) -> Value:
    """A reward and its square, each with noise of this scale."""

    def value(noise: Noise, t: int, memory: Memory, rewards: Array, horizon: int) -> Any:
        drawn = noise.laplace("square", t, memory.pulls.shape[1:])
        return rewards + rewards**2 + scale * (laplace(noise, t, memory) + drawn)

    return value


def weighted(weight: float, scale: float) -> Value:
    """Rewards divided by the probability 1 / weight, with noise of this scale."""
    return lambda noise, t, memory, rewards, horizon: weight * rewards + scale * laplace(noise, t, memory)


def window(divided_by_pulls: bool) -> Decide:
    """The mean of the last two rewards, with fresh noise, of scale 2 / 2 as each is in two means, or of 2 / pulls."""

    def decide(noise: Noise, t: int, memory: Memory, horizon: int) -> Any:
        length = memory.pulls if divided_by_pulls else np.minimum(memory.pulls, 2)
        sums = memory.last + np.maximum(memory.before, 0.0)
        drawn = noise.laplace("window", t, memory.pulls.shape[1:])
        return sums / np.clip(memory.pulls, 1, 2) + 3 * drawn / np.maximum(length, 1)

    return decide


# -- phases ------------------------------------------------------------------------------------------------------------


class Phase(NamedTuple):
    """active: the arms that are left, (trials, arms). sums: of the rewards of this phase; all: of all. SECRET."""

    active: NDArray[np.bool_]
    sums: Array
    all: Array


@dataclass(frozen=True)
class Elimination:
    """Three arms are pulled twice each, and the worst is eliminated; of the other two, pulled twice each, the worse is;
    then the last arm is pulled. Sums have Laplace noise. raw_phase: 2 where the second has none. carried: whether the
    second phase counts the rewards of the first again. scale: of the noise."""

    horizon: int = 12
    raw_phase: int = 0
    carried: bool = False
    scale: float = 1.0
    arms: int = 3

    def init(self, trials: int) -> Phase:
        none = np.zeros((trials, self.arms))
        return Phase(none == 0, none, none)

    def act(self, t: int, state: Phase, noise: Noise) -> Pulls:
        place = (t - 1) % 3 if t <= 6 else (t - 7) % 2 if t <= 10 else 0
        order = np.cumsum(state.active, axis=1) - 1
        return Pulls.one((state.active & (order == place)).argmax(axis=1), self.arms)

    def learn(self, t: int, state: Phase, pulls: Pulls, sums: Array, noise: Noise) -> Phase:
        now, every = state.sums + sums, state.all + sums
        if t not in (6, 10):
            return Phase(state.active, now, every)
        phase = 1 if t == 6 else 2
        value = every if self.carried else now
        if self.raw_phase != phase:
            value = value + self.scale * noise.laplace("phase", phase, (self.arms,))
        worst = np.where(state.active, value, 1e6).argmin(axis=1)
        left = state.active & (np.arange(self.arms) != worst[:, None])
        return Phase(left, 0 * now, every)


class Epoch(NamedTuple):
    """The running epoch: arm (trials,), pulls so far and length; values: the last noisy means, (trials, arms); pulls;
    sum: of the running epoch. SECRET."""

    arm: Ints
    done: Ints
    length: Ints
    values: Array
    pulls: Ints
    sum: Array


@dataclass(frozen=True)
class Epochs:
    """Arms are pulled in epochs, each as long as all earlier pulls of the arm; then the mean of the epoch gets noise,
    and the arm with the best last mean comes next. keep: whether the running sum is not emptied when an arm begins.
    by_all: whether the noise is divided by all pulls of the arm. clip: at how many scales noise is clipped."""

    arms: int
    horizon: int
    keep: bool = False
    by_all: bool = False
    clip: float = inf

    def init(self, trials: int) -> Epoch:
        none, whole = np.zeros((trials, self.arms)), np.zeros(trials, dtype=np.int64)
        return Epoch(whole, whole, whole + 1, none + 100.0 - np.arange(self.arms), none.astype(np.int64), none[:, 0])

    def act(self, t: int, state: Epoch, noise: Noise) -> Pulls:
        return Pulls.one(state.arm, self.arms)

    def learn(self, t: int, state: Epoch, pulls: Pulls, sums: Array, noise: Noise) -> Epoch:
        here = pulls.counts > 0
        total, done = state.sum + sums.sum(axis=1), state.done + 1
        made = state.pulls + pulls.counts
        ends = done == state.length
        count = np.where(here, made, 0).sum(axis=1) if self.by_all else done
        drawn = np.clip(noise.laplace("epoch", t), -self.clip, self.clip)
        value = total / done + drawn / count
        values = np.where(here & ends[:, None], value[:, None], state.values)
        arm = np.where(ends, values.argmax(axis=1), state.arm)
        before = np.where(np.arange(self.arms) == arm[:, None], made, 0).sum(axis=1)
        return Epoch(
            arm,
            np.where(ends, 0, done),
            np.where(ends, np.maximum(before, 1), state.length),
            values,
            made,
            total if self.keep else np.where(ends, 0.0, total),
        )


class Watched(NamedTuple):
    """left: whether the first arm has been left. sum: of its rewards. SECRET."""

    left: NDArray[np.bool_]
    sum: Array


@dataclass(frozen=True)
class SparseVector:
    """The first arm, until its noisy sum exceeds a noisy threshold; then the second. bar: scale of the threshold's
    noise; query: of the sums'. again: whether the threshold gets new noise in every step."""

    horizon: int
    bar: float
    query: float
    level: float = 2.0
    arms: int = 2

    def init(self, trials: int) -> Watched:
        return Watched(np.zeros(trials, dtype=bool), np.zeros(trials))

    def act(self, t: int, state: Watched, noise: Noise) -> Pulls:
        return Pulls.one(state.left.astype(np.int64), self.arms)

    def learn(self, t: int, state: Watched, pulls: Pulls, sums: Array, noise: Noise) -> Watched:
        total = state.sum + sums[:, 0]
        seen = total + self.query * noise.laplace("query", t) > self.level + self.bar * noise.laplace("bar", 0)
        return Watched(state.left | seen, total)


# -- fresh choices -----------------------------------------------------------------------------------------------------


def told_again(odds: float, first: int) -> Choice:
    """From this step on, the last reward of the first arm is told in every step by a new response with these odds."""

    def choice(t: int, memory: Any, horizon: int) -> Array:
        if t < first:
            return np.tile([1.0, 0.0] if t == 1 else [0.0, 1.0], (len(memory.raw), 1))
        second = np.where(memory.last[:, 0] > 0.5, odds, 1.0) / (1 + odds)
        return np.stack([1 - second, second], axis=1)

    return choice


def rising_softmax(factor: float) -> Choice:
    """Weights exp(factor t sum): the temperature falls from step to step."""

    def choice(t: int, memory: Any, horizon: int) -> Array:
        scores = memory.raw * factor * t
        return np.exp(scores - scores.max(axis=1, keepdims=True))

    return choice


def greedy_from(first: int, share: float) -> Choice:
    """Arms in turn, and from this step on the arm with the best raw sum, but for this share of the steps."""

    def choice(t: int, memory: Any, horizon: int) -> Array:
        arms = memory.pulls.shape[1]
        if t < first:
            return np.tile(np.arange(arms) == (t - 1) % arms, (len(memory.raw), 1)).astype(np.float64)
        best = np.arange(arms) == memory.raw.argmax(axis=1)[:, None]
        return np.where(best, 1 - share + share / arms, share / arms)

    return choice


def favours_two_of_four(odds: float) -> Choice:
    """A coin chooses; an arm whose first four rewards sum to 2 and end with 0 is favoured with these odds."""

    def choice(t: int, memory: Any, horizon: int) -> Array:
        return np.where((memory.pulls == 4) & (memory.raw == 2.0) & (memory.last == 0), odds, 1.0)

    return choice


# -- witnesses ---------------------------------------------------------------------------------------------------------


def true_eps(policy: Any, witness: Witness) -> float:
    """A lower bound on the true eps: the log-ratio of the probabilities of the witness's pulls on its two tables, by
    the law; or by runs, wrong with probability LIMIT_RISK."""
    tables = tables_of(policy, witness)
    if isinstance(policy, FreshChoice):
        left, right = (multiplied(policy, table, witness.pulled) for table in tables)
        return abs(log(left / right))
    low, high = reward_range(policy)
    pair = Pair("pull", *tables, None, low, high)
    hits, played, found = [0, 0], 0, 0.0
    for look in range(LOOKS):
        for side, table in enumerate(pair.environments()):
            arms = simulate_transcripts(policy, table, BATCH, 2 * look + side).arms[:, : len(witness.pulled)]
            hits[side] += int((arms == np.array(witness.pulled)).all(axis=1).sum())
        played += BATCH
        found = max(found, *(log_ratio_limit(hits[side], hits[1 - side], played) for side in (0, 1)))
        if found >= LEAST and played >= ENOUGH:
            break
    return found


def log_ratio_limit(more: int, fewer: int, runs: int) -> float:
    """A lower limit of the logarithm of the ratio of two probabilities, by so many hits in the runs of either side."""
    if not more:
        return 0.0
    level = LIMIT_RISK / LOOKS / 4  # of every limit: two limits in either direction, at every look
    low = float(beta.ppf(level, more, runs - more + 1))
    high = float(beta.ppf(1 - level, fewer + 1, runs - fewer))
    return max(0.0, log(low / high))


# -- the set -----------------------------------------------------------------------------------------------------------

BROKEN_POLICIES: dict[str, Any] = {
    "forgotten: the second arm's from its 4th pull on": Arrival(2, 10, scaled(second_arm_from_fourth)),
    "forgotten: from the 4th pull on, three arms": Arrival(3, 12, scaled(from_fourth)),
    "shrinking: by 1 + log n": Arrival(2, 11, scaled(by_logarithm)),
    "shrinking: with time, to 0.3": Arrival(2, 10, scaled(falling_with_time)),
    "shrinking: by logarithm, three arms": Arrival(3, 10, scaled(by_logarithm)),
    "clipped: at 0.8 scales, three arms": Arrival(3, 9, clipped(0.8)),
    "clipped: at one scale from the 3rd pull on": Arrival(2, 10, late_clipped),
    "clipped: noise of epochs": Epochs(2, 10, clip=1.0),
    "reused: one draw for each arm": Arrival(2, 8, one_draw_for_each_arm),
    "reused: opposite draws in turn": Arrival(2, 9, antithetic),
    "reused: the first draw, turned, from the 4th pull on": Arrival(2, 11, first_draw_again_from_fourth),
    "shared: the last two of three arms": Arrival(3, 9, last_two_arms_share),
    "carried: noise of the step before": Arrival(2, 10, telescoping),
    "carried: the last reward of other arms": Arrival(2, 9, decide=last_reward_of_the_other),
    "carried: a reward counted for the next arm": Arrival(2, 8, carried_reward),
    "carried: the sum of an epoch": Epochs(2, 11, keep=True),
    "elimination: raw sums in the second phase": Elimination(raw_phase=2),
    "elimination: the first phase counted again": Elimination(carried=True, scale=0.7),
    "ties: rounded means, raw means": Arrival(2, 8, decide=ties_by_raw_sums),
    "ties: responses, raw sums": Arrival(2, 7, responses(np.e), votes_with_raw_ties),
    "ties: near ties, raw sums": Arrival(2, 10, decide=near_ties),
    "counter: of ones": Arrival(2, 9, decide=counter_of_ones),
    "counter: of failures": Arrival(3, 11, decide=counter_of_failures),
    "counter: a tenth of the noise after two ones": Arrival(2, 10, scaled(small_after_two_ones)),
    "rare: no noise after 1 and 0": Arrival(2, 9, off_after_one_zero),
    "rare: raw means after a streak of four": Arrival(2, 10, decide=raw_after_streak),
    "rare: the raw mean of a poor arm": Arrival(2, 9, decide=raw_for_a_poor_arm),
    "rare: two ones in four pulls": FreshChoice(2, 10, favours_two_of_four(4.0)),
    "budget: fresh noise for sums": Arrival(2, 7, decide=fresh_noise_for_sums(1.0)),
    "budget: fresh noise for sums, scale 2, three arms": Arrival(3, 9, decide=fresh_noise_for_sums(2.0)),
    "budget: a tree with one level's noise": Arrival(2, 9, decide=tree(1.0)),
    "budget: two statistics": Arrival(2, 6, two_statistics(1.0)),
    "sensitivity: rewards from -1 to 1, noise for 1": Arrival(2, 7, reward_range=(-1.0, 1.0)),
    "sensitivity: weighted rewards, noise for 1": Arrival(3, 8, weighted(2.0, 1.0)),
    "sensitivity: noise by all pulls, means of epochs": Epochs(2, 12, by_all=True),
    "sensitivity: a window, noise by all pulls": Arrival(2, 10, decide=window(True)),
    "composition: a threshold with noise, sums without": SparseVector(8, 1.0, 0.0),
    "composition: a threshold and sums with noise for one": SparseVector(9, 0.6, 0.6),
    "composition: responses in every step": FreshChoice(2, 9, told_again(np.e, 5)),
    "composition: softmax that sharpens": FreshChoice(2, 9, rising_softmax(0.12)),
    "greedy: raw means in the last two steps": Arrival(3, 9, decide=raw_in_last_two),
    "greedy: raw means once sure": Arrival(2, 8, decide=raw_once_sure),
    "greedy: two choices at the end": FreshChoice(2, 10, greedy_from(9, 0.54)),
}
PRIVATE_POLICIES: dict[str, Any] = {
    "clipped noisy rewards": Arrival(2, 10, clipped_values),
    "noisy rewards, three arms": Arrival(3, 12),
    "a drift that all know": Arrival(2, 9, lambda noise, t, *about: with_noise(noise, t, *about) + 0.4 * (t % 2)),
    "epochs": Epochs(2, 12),
    "epochs, three arms": Epochs(3, 10),
    "elimination": Elimination(),
    "ties by a coin": Arrival(2, 8, decide=ties_by_coin),
    "responses, votes": Arrival(2, 7, responses(np.e), votes),
    "responses, votes, three arms": Arrival(3, 8, responses(np.e), votes),
    "a counter of pulls": Arrival(3, 11, decide=counter_of_pulls),
    "turned after a streak": Arrival(2, 10, decide=doubled_after_streak),
    "two statistics with half of the budget each": Arrival(2, 6, two_statistics(2.0)),
    "rewards from -1 to 1, noise for 2": Arrival(2, 7, scaled(lambda *_: 2.0), reward_range=(-1.0, 1.0)),
    "weighted rewards, noise for 2": Arrival(3, 8, weighted(2.0, 2.0)),
    "a tree with noise for its levels": Arrival(2, 7, decide=tree(3.0)),
    "a threshold and sums, half of the budget each": SparseVector(9, 2.0, 2.0),
    "no bonus in the last two steps": Arrival(3, 9, decide=noisy_without_bonus_in_last_two),
    "one choice at the end": FreshChoice(2, 10, greedy_from(10, 0.54)),
    "softmax that sharpens within the budget": FreshChoice(2, 6, rising_softmax(0.05)),
}
WITNESSES: dict[str, Witness] = {
    "forgotten: the second arm's from its 4th pull on": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 1, 5, 1.0, (0, 1, 1, 0, 1, 1, 1, 1, 0, 0)
    ),
    "forgotten: from the 4th pull on, three arms": Witness(
        ((0.0,), (1.0,), (1.0,)), 2, 3, 0.0, (0, 1, 2, 1, 1, 2, 2, 2, 1, 1)
    ),
    "shrinking: by 1 + log n": Witness(
        ((1.0, 0.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)), 0, 2, 1.0, (0, 1, 0, 0, 1, 1, 1, 1, 1)
    ),
    "shrinking: with time, to 0.3": Witness(
        ((0.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)), 0, 5, 1.0, (0, 1, 0, 0, 0, 0, 0, 1, 1, 1)
    ),
    "shrinking: by logarithm, three arms": Witness(
        (
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
            (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
        ),
        1,
        2,
        0.0,
        (0, 1, 2, 1, 1, 0, 0, 0, 0, 0),
    ),
    "clipped: at 0.8 scales, three arms": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)),
        0,
        1,
        1.0,
        (0, 1, 2, 0, 2, 2, 2, 2, 2),
    ),
    "clipped: at one scale from the 3rd pull on": Witness(
        ((1.0, 0.0), (0.0,)), 0, 2, 1.0, (0, 1, 0, 0, 1, 1, 1, 1, 1, 1)
    ),
    "clipped: noise of epochs": Witness(
        ((0.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)), 1, 0, 1.0, (0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    ),
    "reused: one draw for each arm": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 0, 1, 1.0, (0, 1, 1, 0, 0)
    ),
    "reused: opposite draws in turn": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (1.0, 0.0)), 0, 0, 0.0, (0, 1, 1, 0, 0)
    ),
    "reused: the first draw, turned, from the 4th pull on": Witness(
        ((1.0, 0.0), (0.0,)), 0, 0, 0.0, (0, 1, 0, 1, 1, 0, 1, 0, 0)
    ),
    "shared: the last two of three arms": Witness(
        ((0.0,), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (1.0,)), 1, 0, 0.0, (0, 1, 2, 1)
    ),
    "carried: noise of the step before": Witness(((0.0,), (1.0,)), 0, 0, 1.0, (0, 1, 1, 1, 1, 1, 1, 1, 0, 1)),
    "carried: the last reward of other arms": Witness(((1.0,), (1.0,)), 0, 4, 0.0, (0, 1, 0, 1, 0, 0, 0, 0, 1)),
    "carried: a reward counted for the next arm": Witness(((1.0,), (0.0,)), 1, 1, 1.0, (0, 1, 1, 0, 1, 1, 1, 1)),
    "carried: the sum of an epoch": Witness(
        ((1.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)), 0, 0, 0.0, (0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0)
    ),
    "elimination: raw sums in the second phase": Witness(
        ((1.0, 0.0), (1.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)),
        2,
        2,
        1.0,
        (0, 1, 2, 0, 1, 2, 1, 2, 1, 2, 1),
    ),
    "elimination: the first phase counted again": Witness(
        (
            (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
            (1.0, 0.0),
        ),
        2,
        0,
        0.0,
        (0, 1, 2, 0, 1, 2, 0, 2, 0, 2, 2),
    ),
    "ties: rounded means, raw means": Witness(((1.0,), (1.0,)), 0, 5, 0.0, (0, 1, 0, 0, 0, 0, 0, 1)),
    "ties: responses, raw sums": Witness(((0.0,), (0.0,)), 1, 0, 1.0, (0, 1, 0, 1)),
    "ties: near ties, raw sums": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 1, 3, 1.0, (0, 1, 1, 1, 1, 0)
    ),
    "counter: of ones": Witness(((0.0,), (1.0,)), 0, 0, 1.0, (0, 1, 1, 1, 1)),
    "counter: of failures": Witness(
        (
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
            (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
            (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
        ),
        1,
        2,
        0.0,
        (0, 1, 2, 1, 1, 1, 1),
    ),
    "counter: a tenth of the noise after two ones": Witness(
        ((1.0,), (0.0,)), 0, 1, 0.0, (0, 1, 0, 0, 1, 1, 1, 1, 1, 1)
    ),
    "rare: no noise after 1 and 0": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)),
        0,
        2,
        0.0,
        (0, 1, 0, 0, 1, 1, 1, 1, 1),
    ),
    "rare: raw means after a streak of four": Witness(((0.0,), (1.0,)), 0, 0, 1.0, (0, 1, 1, 1, 1, 1)),
    "rare: the raw mean of a poor arm": Witness(
        ((0.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)), 1, 0, 1.0, (0, 1, 0, 0, 0, 0, 0, 0, 0)
    ),
    "rare: two ones in four pulls": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 0, 0, 0.0, (0, 1, 0, 0, 0, 1, 1, 1, 1)
    ),
    "budget: fresh noise for sums": Witness(((1.0, 0.0), (0.0,)), 1, 0, 1.0, (0, 1, 1, 1, 1, 1, 1)),
    "budget: fresh noise for sums, scale 2, three arms": Witness(
        ((1.0, 0.0), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0)), 0, 0, 0.0, (0, 1, 2, 0, 0, 0, 0, 0, 0)
    ),
    "budget: a tree with one level's noise": Witness(
        ((1.0, 0.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)), 1, 0, 1.0, (0, 1, 1, 1, 0, 1, 1)
    ),
    "budget: two statistics": Witness(((0.0,), (0.0,)), 1, 1, 1.0, (0, 1, 1, 0, 0, 0)),
    "sensitivity: rewards from -1 to 1, noise for 1": Witness(((-1.0,), (-1.0,)), 1, 0, 1.0, (0, 1, 0, 0, 0, 0, 0)),
    "sensitivity: weighted rewards, noise for 1": Witness(
        ((0.0,), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0,)), 0, 0, 1.0, (0, 1, 2, 0, 2)
    ),
    "sensitivity: noise by all pulls, means of epochs": Witness(
        ((1.0,), (0.0,)), 0, 1, 0.0, (0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1)
    ),
    "sensitivity: a window, noise by all pulls": Witness(((1.0,), (1.0,)), 0, 0, 0.0, (0, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
    "composition: a threshold with noise, sums without": Witness(
        ((1.0, 0.0), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0)), 0, 6, 1.0, (0, 0, 0, 0, 0, 0, 0, 1)
    ),
    "composition: a threshold and sums with noise for one": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (0.0, 1.0)), 0, 1, 1.0, (0, 0, 0, 0, 0, 0)
    ),
    "composition: responses in every step": Witness(
        ((1.0,), (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)), 0, 0, 0.0, (0, 1, 1, 1, 1, 1, 1, 1, 1)
    ),
    "composition: softmax that sharpens": Witness(((0.0,), (0.0,)), 0, 0, 1.0, (1, 0, 1, 1, 1, 1, 1, 1, 1)),
    "greedy: raw means in the last two steps": Witness(
        ((0.0,), (1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0), (1.0,)), 1, 0, 0.0, (0, 1, 2, 2, 2, 2, 2, 2)
    ),
    "greedy: raw means once sure": Witness(
        ((1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0), (1.0, 0.0)), 0, 0, 0.0, (0, 1, 0, 1, 0, 1, 1, 1)
    ),
    "greedy: two choices at the end": Witness(((0.0,), (0.0,)), 1, 0, 1.0, (0, 1, 0, 1, 0, 1, 0, 1, 0, 0)),
}
