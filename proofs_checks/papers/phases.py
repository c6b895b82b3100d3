"""The exact law of a policy that eliminates in phases: a chain over sets of active arms, in logarithms.

Such a policy forgets everything at the end of a phase but the set that it releases. So a transcript is a decreasing
chain of sets, its probability a product of the chances of `survival`, and the chances of different phases, given the
sets, are about different rewards. A single changed reward lies in one phase of a transcript; all other factors are the
same on both sides. Pure differential privacy is therefore decided phase by phase: the largest loss of a transcript is
the largest |log P(kept | means) - log P(kept | changed means)| of a phase.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.environments import Stream, Table
from dpbandits.reference.bandits.noise import Array, Seeded
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls
from dpbandits.reference.bandits.release_laws.selections import Chances

Sets = NDArray[np.bool_]

MAX_CHAINS = 2**16  # transcripts


class Eliminates(Policy, Protocol):
    """A policy that eliminates in phases: one step is one phase, and a state holds `epoch`, `active`, `used`, `total`
    (see `papers.sajed19.State`)."""

    def __hash__(self) -> int: ...

    def numbers(self, epoch: Any, active: Any) -> Any:
        """With `rounds`, the pulls of each active arm in this phase."""
        ...

    def block(self, state: Any, kept: Any) -> Pulls:
        """The pulls of the next phase, of the arms that are kept."""
        ...

    def survival(self, epoch: int, means: Any) -> Chances:
        """Which of the active arms are kept after the phase, for their means (m, active)."""
        ...


class Loss(NamedTuple):
    """The loss |log(left/right)| of an outcome, between two certified numbers."""

    low: float
    high: float


# -- one phase -------------------------------------------------------------------------------------------------------


class WorstChange(NamedTuple):
    """Where a phase reveals most. means: of the active arms; arm 0's is changed to `changed`. kept: the outcome."""

    loss: Loss
    means: tuple[float, ...]
    changed: float
    kept: tuple[int, ...]


def near_ends(low: float, high: float, width: float) -> Array:
    """Means worth trying, of rewards between low and high: the ends, and what lies half a width, one or two inside."""
    near = np.clip([0.0, width / 2, width, 2 * width], 0, high - low)
    return np.concatenate([low + near, high - near])


def worst_change(
    survival: Callable[[Array], Chances], active: int, grid: Array, step: float, high: float
) -> WorstChange:
    """The worst that was found: all means of so many active arms on a grid, arm 0's changed by one reward.

    survival: the law of what is kept, for means (m, active). step: by how much one reward moves a mean: up, or down
    where it would exceed `high`. By symmetry arm 0 stands for all, and the others are sorted.
    """
    grid = np.unique(grid)
    others = np.array(list(combinations_with_replacement(grid, active - 1)))
    first = np.repeat(grid, len(others))
    means = np.column_stack([first, np.tile(others, (len(grid), 1))])
    changed = means.copy()
    changed[:, 0] += np.where(first + step <= high, step, -step)
    left, right = survival(means), survival(changed)
    with np.errstate(invalid="ignore"):
        size = np.abs(left.log - right.log)
    size[np.isnan(size)] = 0.0  # impossible on both sides
    off = left.error + right.error
    row, outcome = np.unravel_index(int((size - off).argmax()), size.shape)
    found, about = float(size[row, outcome]), float(off[row, outcome])
    kept = tuple(np.flatnonzero(left.sets[outcome]).tolist())
    loss = Loss(max(0.0, found - about), found + about)
    return WorstChange(loss, tuple(means[row].tolist()), float(changed[row, 0]), kept)


class Phase(NamedTuple):
    """The worst change of a phase: the loss that it shows, in which epoch, from which means, to which mean of the first
    active arm, and which arms are kept then."""

    loss: Loss
    epoch: int
    means: tuple[float, ...]
    changed: float
    kept: tuple[int, ...]


@lru_cache(maxsize=64)  # several claims are about one policy
def worst_phase(policy: Eliminates, epoch: int, active: int) -> Phase:
    """The worst phase that was found, of rewards between 0 and 1."""
    numbers = policy.numbers(epoch, active)
    rounds, width = float(numbers.rounds), float(numbers.width)
    # Multiples of 1/R: rewards of 0 and 1 have such means, and their sums are exact.
    grid = np.round(np.append(near_ends(0, 1, width), 0.5) * rounds) / rounds
    found = worst_change(partial(policy.survival, epoch), active, grid, 1 / rounds, 1.0)
    return Phase(found.loss, epoch, *found[1:])


def tables_of_phase(policy: Eliminates, phase: Phase) -> Pair:
    """Neighbours of 0 and 1, in runs, on which the first phase, of all arms, has these means: the ones come first.
    Raises ValueError for a later phase, or one of fewer arms: what comes before it hangs on the transcript."""
    if phase.epoch != 1 or len(phase.means) != policy.arms:
        raise ValueError(
            f"the number of arms left in phase {phase.epoch} is {len(phase.means)}; tables can be made only for the "
            "first phase, with all arms"
        )
    rounds = float(policy.numbers(1, policy.arms).rounds)
    ones = np.round(np.array(phase.means) * rounds).astype(np.int64)
    ends = np.union1d(ones[ones > 0], [policy.horizon])
    left = (ends <= ones[:, None]).astype(np.float64)
    more = phase.changed > phase.means[0]
    spot = int(ones[0]) if more else int(ones[0]) - 1
    return flipped("pull", left, 0, spot, 1.0 if more else 0.0, np.diff(ends, prepend=0))


# -- whole runs ------------------------------------------------------------------------------------------------------


class Chains(NamedTuple):
    """All transcripts of a run. released: (transcripts, steps, arms), the pulls of each step; left, right: the
    logarithms of their probabilities; error: how far each logarithm may be off."""

    released: Ints
    left: Array
    right: Array
    error: Array

    @property
    def loss(self) -> Loss:
        """The largest loss of a transcript: the pair's eps at delta 0. A transcript that is impossible on both sides
        has none."""
        with np.errstate(invalid="ignore"):
            size = np.abs(self.left - self.right)
        size[np.isnan(size)] = 0.0
        return Loss(max(0.0, float((size - 2 * self.error).max())), float((size + 2 * self.error).max()))


def chains(policy: Eliminates, pair: Pair, most: int = MAX_CHAINS, unit: float = UNIT_ROUNDOFF) -> Chains:
    """Every transcript on both tables of a pair. unit: the relative error of a rounding. Raises ValueError where there
    are more than `most`."""
    environments = pair.environments()
    states = [policy.init(1), policy.init(1)]
    made: Ints = np.zeros((1, policy.arms), dtype=np.int64)
    logs, error = np.zeros((2, 1)), np.zeros(1)
    record: list[Ints] = []
    t = 0
    while (made.sum(axis=1) < policy.horizon).any():
        t += 1
        source, kept, chance, off = decisions(policy, t, states, made)
        if len(source) > most:
            raise ValueError(f"step {t}: there are more than {most} transcripts; give fewer arms, or a shorter horizon")
        pulls = policy.block(rows_of_state(states[0], source), kept)
        logs = logs[:, source] + chance
        # A transcript that is impossible on both sides stays impossible: its logarithm is no number to round.
        size = np.abs(np.where(np.isfinite(logs), logs, 0.0)).max(axis=0)
        error = error[source] + off + unit * (size + 1)
        before = made[source]
        states = [
            state_after_pulls(policy, t, side, rows_of_state(state, source), before, pulls)
            for side, state in zip(environments, states, strict=True)
        ]
        made = before + pulls.counts
        record = [each[source] for each in record] + [pulls.counts]
    return Chains(np.stack(record, axis=1), logs[0], logs[1], error)


def rows_of_state(state: Any, source: Ints) -> Any:
    """The chosen rows of a state, a NamedTuple of arrays."""
    return type(state)(*(part[source] for part in state))


def state_after_pulls(policy: Eliminates, t: int, side: Table | Stream, state: Any, made: Ints, pulls: Pulls) -> Any:
    noise = Seeded(0, len(made))  # tables use none of it
    return policy.learn(t, state, pulls, side.draw(t, made, pulls.counts, pulls.bound, noise), noise)


Decisions = tuple[Ints, Sets, Array, Array]


def decisions(policy: Eliminates, t: int, states: list[Any], made: Ints) -> Decisions:
    """Every way on from every transcript: its source, the set kept (ways, arms), the logarithm of its chance on both
    sides (2, ways), and how far that may be off (ways,)."""
    active = states[0].active
    done = (made.sum(axis=1) == policy.horizon) | (active.sum(axis=1) == 1) | (t == 1)
    at = np.flatnonzero(done)
    found: list[Decisions] = [(at, active[at], np.zeros((2, len(at))), np.zeros(len(at)))]
    for members in np.unique(active[~done], axis=0):
        at = np.flatnonzero(~done & (active == members).all(axis=1))
        epoch, arms = t - 1, np.flatnonzero(members)
        rounds = policy.numbers(epoch, len(arms)).rounds
        laws = [policy.survival(epoch, state.total[at][:, arms] / rounds) for state in states]
        source, outcome = np.divmod(np.arange(len(at) * len(laws[0].sets)), len(laws[0].sets))
        kept = np.zeros((len(source), policy.arms), dtype=np.bool_)
        kept[:, arms] = laws[0].sets[outcome]
        chance = np.stack([law.log[source, outcome] for law in laws])
        off = np.maximum(*(law.error[source, outcome] for law in laws))
        found.append((at[source], kept, chance, off))
    sources, sets, chances, offs = zip(*found, strict=True)
    return np.concatenate(sources), np.concatenate(sets), np.concatenate(chances, axis=1), np.concatenate(offs)
