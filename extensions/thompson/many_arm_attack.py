"""Certified lower bounds on eps for any number of arms and either relation, from an adversary that distinguishes two
tables.

`attack` is faster, but it handles only two arms and one changed pull. Here a state consists of the pull counts and
totals, which are the same on both sides. Transcripts with the same state and nearly the same loss are merged, which is
a post-processing, so the event that is found is a true one; arms that pay alike are interchangeable, and so are put in
order. What leads to more than `levels` pulls of arm 0, has a chance below MIN_ROUND_CHANCE in some round, or a mass
below LEAST_MASS, is left out of the event: it gets no larger.

What "certified" rests on: the chances are those of `argmax_law`, good to its ERROR absolutely (for two arms, to
LAW_ERROR relatively), so relatively to ERROR/MIN_ROUND_CHANCE where they are used; rewards are multiples of
1/UNITS_PER_REWARD, so that totals are exact; a mass is a product of T chances and of sums of positive numbers, 24
roundings a round. Their sum is the drift, as in `attack`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.extensions.thompson.attack import Attack
from dpbandits.extensions.thompson.rules import Sampler, checked_sampler
from dpbandits.proofs_checks.exact.engine import LAW_ERROR
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF as ROUNDOFF
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR, argmax_law

UNITS_PER_REWARD = 1024  # rewards are multiples of 1/UNITS_PER_REWARD
LOSS_STEP = 0.1  # of the losses
MIN_ROUND_CHANCE = 1e-6  # rounds that are less likely are left out,
LEAST_MASS = 1e-17  # and masses below this, far below any delta that is asked for


class ManyArmState(NamedTuple):
    """All states after some rounds, with their probabilities. counts, left, right: (states, arms), pulls and totals on
    either side, totals in units of 1/UNITS_PER_REWARD. masses: (2, states, cells), by state and by loss."""

    counts: Ints
    left: Ints
    right: Ints
    masses: Array


def many_arm_attack(
    sampler: Sampler, pair: Pair, levels: int, step: float = LOSS_STEP, reach: tuple[float, float] = (-12.0, 60.0)
) -> Attack:
    """Returns the certified attack that distinguishes the two tables of `pair`, on as many arms as they have.

    pair: of either relation, rewards in [0, 1]. levels: the largest number of pulls of arm 0 that are followed. reach:
    the range of losses log(left/right) that are distinguished. Raises ValueError for tables shorter than the horizon,
    rewards that are not multiples of 1/UNITS_PER_REWARD, initial pulls (a changed reward among them would need states
    of its own), or no change.
    """
    T = checked_sampler(sampler).horizon
    arms, length = pair.left.shape
    scaled = [np.round(side * UNITS_PER_REWARD).astype(np.int64) for side in (pair.left, pair.right)]
    if sampler.prepulls or arms != sampler.arms or length < T or (pair.left == pair.right).all():
        raise ValueError(
            f"many_arm_attack: the sampler has arms = {sampler.arms}, T = {T} and b = {sampler.prepulls}, "
            f"and the reward tables have shape {arms, length}; the tables must differ and have shape "
            f"({sampler.arms}, at least {T}), and b must be 0"
        )
    if any((one != side * UNITS_PER_REWARD).any() for one, side in zip(scaled, (pair.left, pair.right), strict=True)):
        raise ValueError(f"many_arm_attack: rewards must be multiples of 1/{UNITS_PER_REWARD}")
    alike = all((side[1:] == side[1]).all() for side in scaled)
    cells = round((reach[1] - reach[0]) / step) + 1
    zero: Ints = np.zeros((1, arms), dtype=np.int64)
    state = ManyArmState(zero, zero, zero, np.zeros((2, 1, cells)))
    state.masses[:, 0, round(-reach[0] / step)] = 1.0
    for t in range(T):
        state = next_round(state, sampler, pair.relation, t, scaled, alike, levels, step, reach[0])
    error = LAW_ERROR if arms == 2 else ERROR / (MIN_ROUND_CHANCE - ERROR)
    return Attack(SortedAtoms(MeasurePair(*state.masses.reshape(2, -1))), T * (error + 24 * ROUNDOFF))


def next_round(
    state: ManyArmState, sampler: Sampler, relation: str, t: int, tables: list[Ints], interchangeable: bool,
    levels: int, step: float, min_mass: float,
) -> ManyArmState:  # fmt: skip
    """Returns the possible states and their probabilities after round number t of an attack."""
    counts, left, right, masses = state
    states, arms = counts.shape
    scales = np.sqrt(sampler.variance / (counts + 1))
    chances = [argmax_law(total / UNITS_PER_REWARD / (counts + 1), scales) for total in (left, right)]
    place = counts if relation == "pull" else np.full_like(counts, t)
    paid = [table[np.arange(arms), np.minimum(place, table.shape[1] - 1)] for table in tables]
    ways = []
    for arm in range(arms):
        one = np.arange(arms) == arm
        ways.append(np.stack([counts + one, left + one * paid[0], right + one * paid[1]], axis=1))
    after = np.concatenate(ways)  # (arms * states, 3, arms)
    if interchangeable:
        after[:, :, 1:] = sorted_rivals(after[:, :, 1:])
    kept, target = np.unique(after.reshape(len(after), -1), axis=0, return_inverse=True)
    kept = kept.reshape(-1, 3, arms)
    target = target.reshape(arms, states)
    few = kept[:, 0, 0] <= levels
    number = np.where(few, np.cumsum(few) - 1, -1)
    new = np.zeros((2, int(few.sum()) * masses.shape[2]))
    for arm in range(arms):
        chance = np.stack([side[:, arm] for side in chances])
        used = (chance.min(axis=0) >= MIN_ROUND_CHANCE) & (number[target[arm]] >= 0)
        row, cell = np.nonzero((masses[0] > LEAST_MASS) & used[:, None])
        arriving = masses[:, row, cell] * chance[:, row]
        loss = el.log(arriving[0] / arriving[1])
        label = np.clip(np.rint((loss - min_mass) / step), -1, masses.shape[2] - 1).astype(np.int64)
        inside = label >= 0
        into = number[target[arm]][row[inside]] * masses.shape[2] + label[inside]
        for side in (0, 1):
            new[side] += np.bincount(into, weights=arriving[side][inside], minlength=new.shape[1])
    return ManyArmState(kept[few, 0], kept[few, 1], kept[few, 2], new.reshape(2, -1, masses.shape[2]))


def sorted_rivals(rivals: Ints) -> Ints:
    """Sorts the arms other than arm 0 by pull count and totals within each state, (states, 3, rivals).
    Arms with equal rewards may be exchanged."""
    largest = int(rivals.max(initial=0)) + 1
    code = (rivals[:, 0] * largest + rivals[:, 1]) * largest + rivals[:, 2]
    return np.asarray(np.take_along_axis(rivals, np.argsort(code, axis=1, kind="stable")[:, None, :], axis=2))
