"""Released transcripts, simulated in fixed blocks, in the compact form that the scores read.

Only the adversary's view is stored: the released pulls. Trials come in blocks of BLOCK, each with its own noise
address, so that the first k trials do not depend on the number of trials or workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.audit.play.fastest import play_fastest
from dpbandits.proofs_checks.exact.unique_rows import as_words, unique_rows
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import Played
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.recommendations import unit

if TYPE_CHECKING:
    from dpbandits.proofs_checks.exact.follow_transcripts import ReleasedPulls

BLOCK = 8192
SEVERAL_ARMS, NO_ARM = -1, -2  # "arms" of a step that pulled several arms, or none


class Transcripts(NamedTuple):
    """The releases, one row for each trial; trials that ended early are padded with empty steps."""

    arms: NDArray[np.int16]  # (trials, steps), column by column in memory: the pulled arm, or SEVERAL_ARMS, or NO_ARM
    sizes: NDArray[np.int32]  # (trials, steps), likewise: how many pulls the step made in all; -1 where it answered
    counts: NDArray[np.int32]  # (trials, steps, arms); (trials, 0, arms) unless some step pulled several arms

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(self.arms)

    def part(self, start: int, stop: int) -> Transcripts:
        """Returns the transcripts of the trials from start to stop."""
        return Transcripts(self.arms[start:stop], self.sizes[start:stop], self.counts[start:stop])

    def released(self, t: int, offers: object = None) -> ReleasedPulls | None:
        """Returns the releases of all trials in step t, counted from 1; None beyond the last step. offers: not used."""
        if t > self.arms.shape[1]:
            return None
        from dpbandits.proofs_checks.exact.follow_transcripts import ReleasedPulls

        if not self.counts.shape[1]:
            return one_arm_released(self.arms[:, t - 1], self.sizes[:, t - 1], self.counts.shape[2])
        counts = self.counts[:, t - 1].astype(np.int64)
        first, kind = unique_rows([as_words(counts)])
        return ReleasedPulls(kind, counts[first])

    def constant(self) -> bool:
        """Whether all trials have the same releases, so that nothing can be distinguished."""
        return all(bool((values == values[:1]).all()) for values in self)


BothSides = tuple[Transcripts, Transcripts]  # of runs on the left table of a pair, and on the right one


def one_arm_released(arms: NDArray[np.int16], sizes: NDArray[np.int32], many: int) -> ReleasedPulls:
    """Returns the releases of a step in which every trial pulls a single arm, or nothing.
    arms, sizes: the arm of each trial, and how often it is pulled, (trials,). many: the number of arms."""
    from dpbandits.proofs_checks.exact.follow_transcripts import ReleasedPulls

    if len(sizes) and sizes.min() == sizes.max() > 0:
        return ReleasedPulls(arms, sizes[0] * unit(many))
    codes, kind = np.unique(sizes * np.int64(many) + np.maximum(arms, 0), return_inverse=True)
    return ReleasedPulls(kind, (codes // many)[:, None] * unit(many)[codes % many])


def transcripts_of_arms(arms: ArrayLike, many: int, sizes: ArrayLike = 1) -> Transcripts:
    """Returns transcripts of runs that pull one arm in each step.
    arms: the arm that each trial pulls in each step, (trials, steps). sizes: how often it is pulled there. many: the
    number of arms."""
    released = np.asfortranarray(arms, dtype=np.int16)
    pulls = np.asfortranarray(np.broadcast_to(sizes, released.shape), dtype=np.int32)
    return Transcripts(released, pulls, np.zeros((len(released), 0, many), dtype=np.int32))


def simulate_transcripts(
    policy: Policy, environment: Environment, trials: int, seed: int, together: int = BLOCK
) -> Transcripts:
    """Plays `trials` runs of a policy, and returns their transcripts.
    together: the number of runs that are played together; 1 for a policy whose runs may share anything other than their
    noise."""
    blocks, many = [], -(-trials // together)
    for block in range(many):
        size = min(together, trials - block * together)
        noise = Seeded(seed, size, block)
        blocks.append(compact_transcripts(play_fastest(policy, environment, noise, size, batches=many)))
    return stacked(blocks)


def compact_transcripts(played: Played) -> Transcripts:
    """Returns the released pulls of all runs in compact form.
    Only the arm and the number of pulls, if no step pulls several arms."""
    counts = played.released
    named = (counts != 0).astype(np.int64)
    pulled = np.einsum("tsa->ts", named)  # sums over few arms, which numpy's sum does slowly
    arms = np.einsum("tsa,a->ts", named, np.arange(counts.shape[2]))  # the arm itself, where there is one
    if (pulled != 1).any():
        arms = np.where(pulled == 1, arms, np.where(pulled == 0, NO_ARM, SEVERAL_ARMS))
    kept = counts if (pulled > 1).any() else counts[:, :0]
    sizes = np.einsum("tsa->ts", counts)
    return Transcripts(arms.astype(np.int16), sizes.astype(np.int32), kept.astype(np.int32))


def stacked(parts: Sequence[Transcripts]) -> Transcripts:
    """Returns the transcripts of all parts together, in order."""
    trials, arms = sum(part.trials for part in parts), parts[0].counts.shape[2]
    steps = max(part.arms.shape[1] for part in parts)
    several = any(part.counts.shape[1] for part in parts)
    out = Transcripts(
        np.full((trials, steps), NO_ARM, dtype=np.int16, order="F"),
        np.zeros((trials, steps), dtype=np.int32, order="F"),
        np.zeros((trials, steps if several else 0, arms), dtype=np.int32),
    )
    start = 0
    for part in parts:
        rows, own = slice(start, start + part.trials), part.arms.shape[1]
        out.arms[rows, :own], out.sizes[rows, :own] = part.arms, part.sizes
        if several:
            out.counts[rows, :own] = part.counts if part.counts.shape[1] else step_counts(part, arms)
        start += part.trials
    return out


def step_counts(seen: Transcripts, arms: int) -> NDArray[np.int32]:
    """Returns the pull counts of every step, (trials, steps, arms)."""
    if seen.counts.shape[1]:
        return seen.counts
    return np.where(seen.arms[:, :, None] == np.arange(arms), seen.sizes[:, :, None], 0).astype(np.int32)
