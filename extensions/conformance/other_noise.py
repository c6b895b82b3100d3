"""Whether noise may hide a reward, for policies whose draws cannot be followed one by one.

A run is repeated up to one step on both tables, with the same pulls and thousands of other draws, some of which are far
from usual. If each side can then release what the other side releases, noise may hide the reward in which the tables
differ. If one side never makes a release that is common on the other side, noise does not hide the reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.audit.play.many import TableBatch, both_tables
from dpbandits.audit.privacy.scores.values import release_of_step
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import seen_by
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Ints, Noise, Once, Seeded, address, draw_of_kind
from dpbandits.reference.bandits.passing import Pulls, checked_sums
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers

TRIES = 2000  # of usual draws, and as many of draws that may be far from usual
COMMON = 0.1  # the least share of the tries of a common release; a claim's delta is smaller
FAR = 1e12  # the factor of far draws without bounds; uniform draws are at this fraction of their range from an end
LARGEST_UNIFORM = 1 - 2.0**-53  # the largest double below 1


@dataclass(frozen=True)
class FarNoise(ByKind):
    """Noise of which about half of the draws are far from usual, each with its own direction."""

    noise: Seeded

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The draws of the wrapped noise at this address, some of them moved far away."""
        drawn = draw_of_kind(self.noise, kind, site, index, shape, where)
        choice = self.noise.uniform(f"far: {site}", index, (1, *shape))[:, 0]
        if kind == "uniform":
            near_one = np.minimum(1 - (1 - drawn) / FAR, LARGEST_UNIFORM)
            return np.where(choice < 0.25, drawn / FAR, np.where(choice >= 0.75, near_one, drawn))
        return np.where(choice < 0.5, drawn, drawn * FAR)


def other_noise_hides(policy: Policy, pair: Pair, before: Sequence[Pulls], seed: int) -> bool:
    """Whether noise may hide the reward in which the tables of a pair differ, in the step that follows these pulls.
    False if one side never makes a release, with any noise, that the other side makes in a share COMMON of its runs.
    before: the pulls of the earlier steps of a run, each with one row."""
    usual = Seeded(address(seed, "other noise"), TRIES)
    noises = usual, FarNoise(Seeded(address(seed, "far noise"), TRIES))
    sides = [table.playing(np.zeros(TRIES, dtype=np.int64)) for table in both_tables([pair])]
    released = [[release_after(policy, side, before, noise) for noise in noises] for side in sides]
    for own, other in (released, released[::-1]):
        rows, tries = np.unique(own[0], axis=0, return_counts=True)
        common = {tuple(row) for row in rows[tries >= COMMON * TRIES].tolist()}
        if not common <= {tuple(row) for row in np.concatenate(other).tolist()}:
            return False
    return True


def release_after(policy: Policy, table: TableBatch, before: Sequence[Pulls], noise: Noise) -> Ints:
    """The release of the step that follows these pulls, in TRIES runs on this table, (TRIES, arms).
    Every run makes these pulls, whatever the policy prefers."""
    state = policy.init(TRIES)
    made: Ints = np.zeros((TRIES, policy.arms), dtype=np.int64)
    left: Ints = np.full(TRIES, policy.horizon + answers(policy))
    for step in range(1, len(before) + 2):
        once, seen = Once(noise, TRIES, step), seen_by(policy, table, step, TRIES)
        pulls, _ = release_of_step(policy, step, state, once, left, *seen)
        if step > len(before):
            break
        counts, bound = before[step - 1]
        paid = Pulls(np.repeat(pulls_without_answers(counts), TRIES, axis=0), bound)
        sums = checked_sums(step, table.draw(step, made, paid.counts, bound, noise), made.shape)
        state = policy.learn(step, state, paid, sums, once, *seen)
        made, left = made + paid.counts, left - paid.counts.sum(axis=1)
    return pulls.counts
