"""Tests whether trials are independent, that is, whether each trial depends on its own row of noise alone.

Error counts are binomial only if trials are independent. So the same noise must give the same release again; the first
rows of a batch must equal those of a smaller batch; and rotating the rows of the noise must rotate the releases. A few
trials detect most mistakes; a policy written for this purpose could evade these tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from dpbandits.reference.bandits.environments import Environment, Table
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Ints, Seeded, address, draw_of_kind
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.reward_ranges import nearest_payable, reward_range


class TrialFault(StrEnum):
    """What a probe may find wrong with trials; the value is the sentence that findings print."""

    OWN_RANDOMNESS = (
        "the policy has randomness of its own, or remembers earlier runs: with the same noise it releases something "
        "else, so that the same seed does not repeat this finding; draw from `noise` alone (an object or a loop from "
        "its `rng`, a program by `seeds`), and begin every run anew"
    )
    DEPENDENT_TRIALS = (
        "the trials of a batch are not independent: what one releases changes with the others' noise or with their "
        "number, so that error counts are not binomial; let every row use its own row of `noise` (a program: "
        "draw for run k from a generator that `seeds[k]` starts)"
    )


PLAYED_SINGLY = f"{TrialFault.OWN_RANDOMNESS}. Lest runs share a draw, few were played, one at a time"
MAX_PROBED_STEPS = 20_000  # trials times steps that a probe plays, about
MAX_PROBE_TRIALS, MIN_PROBE_TRIALS = 512, 16  # trials
REPEATS = 12  # of few trials with the same noise: a coin of their own that all trials share may fall alike once
# More ways to pass the noise round, of few trials: a coin that all share falls alike every other time
EXTRA_ROTATIONS = 7
SMALLER = (1, 2, 3, 5, 8, 12)  # batches in which the first trials must be those of a large one
ALONE = 12  # few trials whose first trial is played alone as well: code for all trials at once differs in some of them
# Steps on either side that runs of a policy with randomness of its own take, about: some seconds
MAX_SINGLE_STEPS = 40_000
MAX_PROBED_HORIZON = 300  # of whole runs, in audits of sampled values and of single rounds


@dataclass(frozen=True)
class RotatedNoise(ByKind):
    """Noise with its rows rotated: row i has the draws of row i - by of `noise`."""

    noise: Any
    by: int = 1

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.noise.trials)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """Returns the draws of the underlying noise, rotated: trial i gets the draw of trial i - by."""
        some = where if where is True else np.roll(where, -self.by, axis=0)
        return np.roll(draw_of_kind(self.noise, kind, site, index, shape, some), self.by, axis=0)


def constant_table(policy: Policy) -> Table:
    """Returns a table in which every reward is the middle of the policy's range, or the nearest accepted reward."""
    rewards = reward_range(policy)
    middle = nearest_payable(policy, np.full((policy.arms, 1), rewards.at(0.5)))
    return Table(middle, np.array([policy.horizon]), *rewards)


def probe(policy: Policy, environment: Environment, seed: int) -> TrialFault | None:
    """Returns the fault of a policy's trials, such as randomness of their own; None if none was found.

    environment: a table or a stream with fixed rewards. seed: of the noise of these few runs.
    """

    def released(noise: Any) -> Ints:
        """Plays the policy with the given noise, and returns the released pulls of all trials."""
        return play(policy, environment, noise, noise.trials).released

    return trial_fault(
        released, seed, max(MIN_PROBE_TRIALS, min(MAX_PROBE_TRIALS, MAX_PROBED_STEPS // max(1, policy.horizon)))
    )


def trial_fault(released: Callable[[Any], np.ndarray], seed: int, trials: int = MAX_PROBE_TRIALS) -> TrialFault | None:
    """Returns the fault of a release's trials, such as randomness of their own; None if none was found.
    released: a function of noise that returns an array with one row for each trial."""
    noise = Seeded(address(seed, "probe"), trials)
    seen = released(noise)
    if not np.array_equal(seen, released(noise)):
        return TrialFault.OWN_RANDOMNESS
    few = Seeded(noise.seed, min(MIN_PROBE_TRIALS, trials))
    again = [released(few) for _ in range(REPEATS)]
    if len({each.tobytes() for each in again}) > 1:
        return TrialFault.OWN_RANDOMNESS
    fewer = [released(Seeded(noise.seed, size)) for size in (*SMALLER, trials // 3) if size < trials]
    # Runs that all end earlier are recorded for fewer steps.
    same = all(same_rows(seen[: len(each)], each) for each in fewer)
    same = same and same_rows(np.roll(seen, 1, axis=0), released(RotatedNoise(noise)))
    blocks = [Seeded(noise.seed, few.trials, block) for block in range(1, 1 + ALONE)]
    same = same and all(same_rows(released(each)[:1], released(replace(each, trials=1))) for each in blocks)
    rounds = range(2, min(few.trials, EXTRA_ROTATIONS + 2))
    same = same and all(same_rows(np.roll(again[0], by, axis=0), released(RotatedNoise(few, by))) for by in rounds)
    return None if same else TrialFault.DEPENDENT_TRIALS


def same_rows(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two releases are equal, except for final steps without releases."""
    if one.ndim < 2 or one.shape[1] == other.shape[1]:
        return bool(np.array_equal(one, other))
    longer, shorter = (one, other) if one.shape[1] > other.shape[1] else (other, one)
    steps = shorter.shape[1]
    return bool(np.array_equal(longer[:, :steps], shorter) and not longer[:, steps:].any())
