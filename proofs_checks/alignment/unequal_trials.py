"""Plays different trials in one batch and each of them alone: the releases of a trial must be the same.

The other modules play single trials, or batches of equal trials. In such a batch, code that looks at all trials at
once (such as `flush.all()`) does the same as code that looks at each trial.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbandits.proofs_checks.alignment.runs_on_numbers import SIZES
from dpbandits.proofs_checks.alignment.single_runs import SingleRuns
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Ints, Noise, Reals, Seeded, draw_of_kind, frozen
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.reward_ranges import reward_range, reward_values

MOST_TRIALS, LEAST_TRIALS = 24, 2
STEPS = 200  # of all trials of a batch, about
BATCHES = 3


@dataclass(frozen=True)
class SomeTrials(ByKind):
    """The noise of some trials of a batch. batch: the noise of all trials. Each trial multiplies its Laplace and normal
    draws by a size of its own, so that rare outcomes occur."""

    batch: Seeded
    chosen: slice

    @property
    def trials(self) -> int:
        """The number of chosen trials."""
        return len(self.sizes)

    @property
    def sizes(self) -> Array:
        """The factors by which the Laplace and normal draws of the chosen trials are multiplied, one for each trial."""
        return np.resize(SIZES, self.batch.trials)[self.chosen]

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draws of the chosen trials; 0 where no number is needed."""
        drawn = draw_of_kind(self.batch, kind, site, index, shape)[self.chosen]
        if kind != "uniform":
            drawn = drawn * self.sizes.reshape(-1, *(1,) * len(shape))
        return frozen(np.where(where, drawn, 0.0))


@dataclass(frozen=True)
class RewardsOfTrials:
    """An environment that pays each trial rewards of its own: rewards[k, arm] in every step of trial k. (Rewards that
    differ from step to step would need as many numbers as there are steps.)"""

    rewards: Array
    contexts: Contexts | None = None

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.rewards.shape[1])

    def draw(self, t: int, made: Ints, counts: Ints, bound: Reals | None, noise: Noise) -> Array:
        """The reward sums of `counts` further pulls, (trials, arms), from the given rewards of the trials."""
        counted = self.rewards if bound is None else np.where(np.abs(self.rewards) <= bound, self.rewards, 0.0)
        return frozen(counts * counted)


def first_dependent_trial(policy: Policy, seed: int, steps: int, contexts: Contexts | None = None) -> str:
    """A sentence that names a step whose release depends on the other trials of the batch; "" if none was found.
    steps: the number of steps of the longest run.
    """
    if isinstance(policy, SingleRuns):
        return ""
    trials = max(LEAST_TRIALS, min(MOST_TRIALS, STEPS // max(1, steps)))
    generator = np.random.default_rng(seed)
    for batch in range(BATCHES):
        noise, rewards = Seeded(seed, trials, batch), random_rewards(policy, generator, trials)
        together = released(policy, noise, slice(trials), rewards, contexts)
        for trial in range(trials):
            alone = released(policy, noise, slice(trial, trial + 1), rewards, contexts)[0]
            longest = max(len(alone), together.shape[1])
            one, other = (padded(rows, longest) for rows in (together[trial], alone))
            if differing := np.flatnonzero((one != other).any(axis=1)).tolist():
                at = differing[0]
                return (
                    f"step {1 + at} releases {one[at].tolist()} in a batch of {trials} different trials, and "
                    f"{other[at].tolist()} in the same trial alone, so the trials of a batch are not independent"
                )
    return ""


def random_rewards(policy: Policy, generator: np.random.Generator, trials: int) -> Array:
    """A random reward for each trial and arm, (trials, arms), among those that the policy accepts.
    One of the policy's finitely many rewards, or an end of the range or a number between the ends."""
    (low, high), values, shape = reward_range(policy), reward_values(policy), (trials, policy.arms)
    if values is not None:
        return np.asarray(generator.choice(np.asarray(values, dtype=float), shape))
    return np.clip(generator.uniform(low - (high - low), high + (high - low), shape), low, high)


def released(policy: Policy, noise: Seeded, chosen: slice, rewards: Array, contexts: Contexts | None) -> Ints:
    """The releases of the chosen trials, played together."""
    some = SomeTrials(noise, chosen)
    return play(policy, RewardsOfTrials(rewards[chosen], contexts), some, some.trials).released


def padded(rows: Ints, steps: int) -> Ints:
    """The releases of a run, (steps, arms), with rows of zeros after the run has ended."""
    return np.concatenate([rows, np.zeros((steps - len(rows), rows.shape[1]), dtype=rows.dtype)])
