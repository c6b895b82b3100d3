"""Random candidates for the search: batches of pairs of neighbouring reward tables, and mutations of revealing pairs.

A proposal is a table of one of several random kinds in which one reward (or one round's rewards, or its context) is
changed. Half of the proposals take the possible changes (arm, place) in turn, so that no place is left out; the other
half prefer early places. A quarter of all change one reward at an early place to or from one of many values strictly
inside the reward range, because a policy may treat 0.37, or every reward above 0.9, differently.

Until they enter a batch, tables hold fractions of the reward range, 0 for its low end and 1 for its high end. All draws
are from one generator, in a fixed order: the same seed gives the same proposals on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.privacy.search.pairs import (
    WRITTEN_OUT,
    changed_arms,
    context_patterns,
    in_units,
    lengths_of_runs,
    no_features,
)
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, context_norm
from dpbandits.reference.bandits.noise import Array, Flags, Ints
from dpbandits.reference.bandits.policy import HasLaw, Policy, PullsInAdvance
from dpbandits.reference.bandits.reward_ranges import Range, nearest_payable, reward_range, reward_values
from dpbandits.reference.bandits.reward_rows import columns_of

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the reward range that tables hold often
LEVELS_FOR_LAWS = (0.0, 0.5, 1.0)  # an exact law is followed through all sums of rewards, which few levels keep few
BETWEEN = (1e-9, 1e-3, 1 / 3, 0.5 - 2.0**-53, 0.5 + 2.0**-52, 2 / 3, 1 - 1e-3, 1 - 1e-9)  # and all hundredths
EARLY_PLACES = 4  # places whose reward goes through the values between the ends
SWEEP_EVERY, SWEEP_STRIDE = 4, 37  # so many proposals have one that goes through these values, in such steps
# The kinds of random tables, see `drawn_tables`
TABLES = ("a value for each reward", "uniform", "ascending or descending", "zeros and ones", "a level for each arm",
          "levels that switch once")  # fmt: skip
TO_OTHER_END, BETWEEN_ENDS = 0.6, 0.8  # a changed reward goes to the other end, from end to end, or to any value
LATE_SHARE = 0.3  # of the places that are drawn are uniform; the others are log-uniform
MAX_TABLE_NUMBERS = 2**23  # of all proposals together, rewards and features: 64 MB on either side
MAX_TAKEN_IN_TURN = 0.25  # so many changes, as a share of the proposals, are taken in turn; else all are drawn


# -- many pairs as arrays ----------------------------------------------------------------------------------------


class PairContexts(NamedTuple):
    """The contexts of a batch. features: (pairs, columns, arms, d), or (1, columns, arms, d) if all pairs have the
    same. lengths: of the runs of equal contexts, or None. changed: None, or the features of the changed round on the
    right side, (pairs, arms, d)."""

    features: Array
    lengths: Ints | None = None
    changed: Array | None = None

    def of(self, pair: int) -> Array:
        """Returns the features of one pair, or those that all pairs share. pair: its index."""
        return np.asarray(self.features[pair if len(self.features) > 1 else 0])

    def take(self, index: Ints | Flags | slice | list[int]) -> PairContexts:
        """Returns the contexts of the pairs that `index` (indices, a mask or a slice) selects."""
        features = self.features[index] if len(self.features) > 1 else self.features
        return PairContexts(features, self.lengths, None if self.changed is None else self.changed[index])


class FeaturesOfTables(NamedTuple):
    """The features that trial i sees: those of table which[i]; in the table's `round`, the `changed` ones if there are
    any."""

    contexts: PairContexts
    round: Ints  # (tables,), from 0
    changed: Array | None
    which: Ints

    def seen(self, t: int, trials: int) -> Array:
        """Returns the features that each trial sees in round t, counted from 1: (trials, arms, d)."""
        here = self.contexts.features[:, int(columns_of(self.contexts.lengths, t - 1))]
        if self.changed is not None:
            here = np.where((self.round == t - 1)[:, None, None], self.changed, here)
        return np.asarray(here[self.which] if len(here) > 1 else np.broadcast_to(here[0], (trials, *here.shape[1:])))


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Many neighbouring pairs of one relation. left, right: the tables, (pairs, arms, columns), rewards. arm, column:
    of the change in each pair, (pairs,). lengths: None, or that of each column's run, (columns,)."""

    relation: str
    left: Array
    right: Array
    arm: Ints
    column: Ints
    lengths: Ints | None
    rewards: Range
    contexts: PairContexts | None = None

    def __len__(self) -> int:
        """The number of pairs in the batch."""
        return len(self.left)

    @property
    def place(self) -> Ints:
        """The changed pull or round of each pair, (pairs,), from 0."""
        if self.lengths is None:
            return self.column
        return np.asarray((np.cumsum(self.lengths) - self.lengths)[self.column])

    def take(self, index: Ints | Flags | slice | list[int]) -> PairBatch:
        """Returns the batch of the pairs that `index` (indices, a mask or a slice) selects."""
        contexts = None if self.contexts is None else self.contexts.take(index)
        return replace(
            self,
            left=self.left[index],
            right=self.right[index],
            arm=self.arm[index],
            column=self.column[index],
            contexts=contexts,
        )

    def pair(self, number: int) -> Pair:
        """Returns one pair of the batch as a `Pair`, which checks that its sides are neighbours. number: its index."""
        left, right = self.left[number], self.right[number]
        contexts: Contexts | tuple[Contexts, Contexts] | None = None
        if self.contexts is not None:
            contexts = shared = Contexts(self.contexts.of(number), self.contexts.lengths)
            if self.relation == "user" and self.contexts.changed is not None:
                place = int(self.place[number])
                parted = shared.parted(place)
                contexts = (parted, parted.changed(place, self.contexts.changed[number]))
        return Pair(self.relation, left, right, self.lengths, *self.rewards, contexts)

    def pairs(self) -> list[Pair]:
        """All pairs of the batch, each as a `Pair`."""
        return [self.pair(number) for number in range(len(self))]

    def tables(self) -> tuple[TableBatch, TableBatch]:
        """Two batches of tables, each to be played in one run: all left tables, and all right ones."""
        which, found = np.arange(len(self)), []
        for side, table in enumerate((self.left, self.right)):
            seen: Any = None
            if self.contexts is not None:
                seen = FeaturesOfTables(self.contexts, self.place, self.contexts.changed if side else None, which)
            found.append(TableBatch(self.relation, table, which, self.lengths, seen))
        return found[0], found[1]

    def differing(self) -> PairBatch:
        """Returns the batch of those pairs whose sides differ."""
        differ = (self.left != self.right).any(axis=(1, 2))
        if self.contexts is not None and self.contexts.changed is not None:
            here = np.stack([self.contexts.of(k)[self.context_column(k)] for k in range(len(self))])
            differ |= (here != self.contexts.changed).any(axis=(1, 2))
        return self.take(differ)

    def context_column(self, number: int) -> int:
        """The column of the pair's features that contains the changed round."""
        assert self.contexts is not None
        return int(columns_of(self.contexts.lengths, int(self.place[number])))


def joined_batches(batches: Sequence[PairBatch]) -> PairBatch:
    """Returns one batch with the pairs of all batches, in order.
    The batches must have the same relation, range, runs and, if contexts do not vary, contexts."""
    first = batches[0]
    if len(batches) == 1:
        return first
    contexts = None
    if first.contexts is not None:
        every = [each.contexts for each in batches if each.contexts is not None]
        shared = all(len(each.features) == 1 for each in every)
        features = (
            first.contexts.features
            if shared
            else np.concatenate(
                [
                    np.broadcast_to(each.features, (len(batch), *each.features.shape[1:]))
                    for each, batch in zip(every, batches, strict=True)
                ]
            )
        )
        changed = [each.changed for each in every if each.changed is not None]
        contexts = PairContexts(features, first.contexts.lengths, np.concatenate(changed) if changed else None)
    return replace(
        first,
        left=np.concatenate([each.left for each in batches]),
        right=np.concatenate([each.right for each in batches]),
        arm=np.concatenate([each.arm for each in batches]),
        column=np.concatenate([each.column for each in batches]),
        contexts=contexts,
    )


def batch_of_pairs(pairs: Sequence[Pair]) -> PairBatch:
    """A batch of the given pairs, which must have the same relation, range, and number of arms and rewards.
    The batch is in runs if all of the pairs are, and then in runs that suit all."""
    ends = np.unique(np.concatenate([run_ends(pair) for pair in pairs])).tolist()
    alike = [pair.parted(*ends) for pair in pairs]
    lengths = alike[0].lengths
    spots = np.array([pair.spot or (0, 0) for pair in alike])
    contexts = None
    if alike[0].contexts is not None:
        both = [pair.both_contexts for pair in alike]
        changed = None
        if alike[0].relation == "user":
            changed = np.stack([right.features_of(int(n)) for (_, right), n in zip(both, spots[:, 1], strict=True)])
        begins = np.arange(alike[0].length) if lengths is None else np.cumsum(lengths) - lengths
        features = [here.features[columns_of(here.lengths, begins)] for here, _ in both]
        same = all(here is both[0][0] for here, _ in both)
        contexts = PairContexts(np.stack(features[:1] if same else features), lengths, changed)
    left, right = np.stack([pair.left for pair in alike]), np.stack([pair.right for pair in alike])
    column = np.asarray(columns_of(lengths, spots[:, 1]))
    return PairBatch(alike[0].relation, left, right, spots[:, 0], column, lengths, alike[0].range, contexts)


def run_ends(pair: Pair) -> Ints:
    """Returns the positions at which stretches of equal rewards or contexts end, on either side of the pair."""
    every = [np.array([pair.length])]
    if pair.lengths is not None:
        every.append(np.cumsum(pair.lengths))
        for side in pair.both_contexts:
            if side is not None:
                ends = np.arange(1, side.rounds + 1) if side.lengths is None else np.cumsum(side.lengths)
                every.append(ends[ends < pair.length])
    return np.concatenate(every)


# -- what may be proposed ----------------------------------------------------------------------------------------


class Space(NamedTuple):
    """The neighbouring tables of one policy. lengths: of the columns, None if each is one reward. single: the columns
    that a change may concern, (n,). levels: the values of tables, as fractions of the range. free: whether tables may
    have other values as well. contexts: those of all pairs, None if they are free or the policy sees none. in_turn:
    whether half of the proposals take the changes in turn; between: whether a quarter go through values strictly inside
    the range. tables: the kinds of random tables."""

    policy: Policy
    relation: str
    lengths: Ints | None
    columns: int
    single: Ints
    levels: tuple[float, ...]
    free: bool
    contexts: Contexts | None
    in_turn: bool = True
    between: bool = True
    tables: tuple[str, ...] = TABLES

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.policy.arms)

    @property
    def dimension(self) -> int:
        """The number of features of an arm; 0 without contexts."""
        return context_dimension(self.policy)

    @property
    def changed_arms(self) -> list[int]:
        """The arms in which proposals change a reward."""
        return changed_arms(self.arms)

    @property
    def most(self) -> int:
        """The largest number of pairs that fit into memory together."""
        features = self.columns * self.arms * self.dimension if self.contexts is None else 0
        return max(8, MAX_TABLE_NUMBERS // (self.columns * self.arms + features))


def space_of(policy: Policy, relation: str, contexts: Contexts | None = None, hints: Sequence[Pair] = ()) -> Space:
    """The search space of a policy.
    hints: pairs that are searched in addition to the proposals; the runs of long tables are split where those of the
    hints are."""
    horizon, lengths = int(policy.horizon), None
    if horizon > WRITTEN_OUT:
        powers = [2**k - 1 for k in range(horizon.bit_length())]
        ahead = [policy.prepulls - 1, policy.prepulls] if isinstance(policy, PullsInAdvance) else []
        places = [*powers, 2, (horizon - 1) // 2, horizon - 2, horizon - 1, *ahead]
        lengths = lengths_of_runs(horizon, sorted({n for n in places if 0 <= n < horizon}))
        ends = np.unique(np.concatenate([np.cumsum(lengths), *(run_ends(hint) for hint in hints)]))
        lengths = np.diff(ends, prepend=0)
    columns = horizon if lengths is None else len(lengths)
    single = np.arange(columns) if lengths is None else np.flatnonzero(lengths == 1)
    lawful = isinstance(policy, HasLaw)
    return Space(
        policy, relation, lengths, columns, single, LEVELS_FOR_LAWS if lawful else LEVELS, not lawful, contexts
    )


def hints_in(space: Space, hints: Sequence[Pair]) -> list[PairBatch]:
    """Returns a batch with the hints, in a form that can be joined with proposals; an empty list for no hints."""
    if not hints:
        return []
    ends = [] if space.lengths is None else np.cumsum(space.lengths).tolist()
    batch = batch_of_pairs([hint.parted(*ends) for hint in hints])
    if batch.contexts is not None and space.contexts is None and len(batch.contexts.features) == 1:
        features = np.repeat(batch.contexts.features, len(batch), axis=0)
        batch = replace(batch, contexts=batch.contexts._replace(features=features))
    return [batch]


def interior_shares(policy: Policy) -> Array:
    """Rewards strictly inside the range, as fractions of it in increasing order, (n,).
    If the policy accepts only a few rewards, all of these except the ends of the range."""
    if (only := reward_values(policy)) is not None:
        return np.asarray(reward_range(policy).share(only[1:-1]), dtype=np.float64)
    return np.unique(np.concatenate([np.arange(1, 100) / 100, BETWEEN]))


def propose(space: Space, rng: np.random.Generator, count: int) -> PairBatch:
    """A batch of `count` random neighbouring pairs, or fewer if some have equal sides or memory is short."""
    count = min(count, space.most)
    left = drawn_tables(space, rng, count)
    arm, column = drawn_places(space, rng, count)
    rows, whole = np.arange(count), np.zeros(count, dtype=bool)
    if space.relation != "pull":
        whole = rng.random(count) < 0.5
    changed = whole[:, None] | (np.arange(space.arms) == arm[:, None])
    ends, other = np.round(rng.random((count, space.arms))), random_rewards(space, rng, (count, space.arms))
    kind = rng.random(count)[:, None]

    through, turn = interior_shares(space.policy), np.arange(count) // SWEEP_EVERY
    sweep = (np.arange(count) % SWEEP_EVERY == 0) & (space.between and len(through) > 0)
    if sweep.any():
        left[sweep & (rng.random(count) < 0.5)] = 0.5
        early = space.single[: min(EARLY_PLACES, len(space.single))]
        column = np.where(sweep, early[turn // len(through) % len(early)], column)
    now = left[rows, :, column]
    to_end = kind < TO_OTHER_END
    old = np.where(to_end | (kind >= BETWEEN_ENDS), now, ends)
    new = np.where(to_end, 1 - np.round(now), np.where(kind < BETWEEN_ENDS, 1 - ends, other))
    if sweep.any():
        swept = through[turn * SWEEP_STRIDE % len(through)][:, None]
        old = np.where(sweep[:, None], swept, old)
        new = np.where(sweep[:, None], np.where(kind < TO_OTHER_END, np.round(swept), 1 - np.round(swept)), new)
    left[rows, :, column] = np.where(changed, old, now)
    right = left.copy()
    right[rows, :, column] = np.where(changed, new, left[rows, :, column])
    contexts = None
    if space.dimension:
        contexts = drawn_contexts(space, rng, count)
        if space.relation == "user":
            here = (rng.random(count) < 1 / 3)[:, None]  # the context alone
            right[rows, :, column] = np.where(here, left[rows, :, column], right[rows, :, column])
            contexts = contexts._replace(changed=changed_features(space, rng, contexts, column))
    return batch_in(space, left, right, arm, column, contexts)


def batch_in(
    space: Space, left: Array, right: Array, arm: Ints, column: Ints, contexts: PairContexts | None
) -> PairBatch:
    """A batch of the pairs with these tables, without pairs whose sides are equal.
    left, right: the tables, as fractions of the reward range."""
    rewards = reward_range(space.policy)
    sides = [np.asarray(nearest_payable(space.policy, rewards.at(side)), dtype=np.float64) for side in (left, right)]
    return PairBatch(space.relation, sides[0], sides[1], arm, column, space.lengths, rewards, contexts).differing()


def random_rewards(space: Space, rng: np.random.Generator, shape: int | tuple[int, ...]) -> Array:
    """Draws random rewards, as fractions of the reward range.
    Mostly one of a few levels, otherwise any multiple of 1/1000, half of them multiples of 1/100."""
    found = np.array(space.levels)[rng.integers(len(space.levels), size=shape)]
    if space.free:
        kind, share = rng.random(shape), rng.random(shape)
        found = np.where(kind < 0.1, in_digits(share, 3), np.where(kind < 0.2, in_digits(share, 2), found))
    return np.asarray(found)


def in_digits(shares: Array, digits: int) -> Array:
    """The fractions (...), rounded to this many decimal digits, so that a reader can type a counterexample by hand."""
    return np.asarray(np.round(shares * 10**digits) / 10**digits)


def drawn_tables(space: Space, rng: np.random.Generator, count: int) -> Array:
    """Random tables (count, arms, columns), as fractions of the range, of the kinds in `space.tables`.
    One value in place of each reward; all rewards uniform, unordered or in ascending or descending order; zeros and
    ones with a probability for each arm; a level for each arm; and levels that switch once."""
    shape, kinds = (count, space.arms, space.columns), rng.integers(len(space.tables), size=count)
    left = np.empty(shape)
    for number, kind in enumerate(space.tables):
        some = np.flatnonzero(kinds == number)
        here = (len(some), *shape[1:])
        if kind == "a value for each reward" or (kind in ("uniform", "ascending or descending") and not space.free):
            left[some] = random_rewards(space, rng, here)
        elif kind == "uniform":
            left[some] = in_digits(rng.random(here), 3)
        elif kind == "ascending or descending":
            rising = np.sort(in_digits(rng.random(here), 3), axis=2)
            left[some] = np.where(rng.random((len(some), 1, 1)) < 0.5, rising, rising[:, :, ::-1])
        elif kind == "zeros and ones":
            left[some] = rng.random(here) < rng.random((len(some), space.arms, 1))
        else:
            level = np.repeat(random_rewards(space, rng, (*here[:2], 1)), space.columns, axis=2)
            if kind == "levels that switch once":
                after = np.arange(space.columns) >= log_uniform(rng, space.columns, here[:2])[:, :, None]
                level = np.where(after, random_rewards(space, rng, (*here[:2], 1)), level)
            left[some] = level
    return left


def log_uniform(rng: np.random.Generator, end: int, shape: int | tuple[int, ...]) -> Ints:
    """Random integers from 0 to end - 1, small ones more often."""
    early = np.floor(el.exp(rng.random(shape) * el.log(end + 1.0))).astype(np.int64) - 1
    late = rng.integers(end, size=shape)
    return np.asarray(np.where(rng.random(shape) < LATE_SHARE, late, np.clip(early, 0, end - 1)))


def drawn_places(space: Space, rng: np.random.Generator, count: int) -> tuple[Ints, Ints]:
    """The arm and the column of the change in each proposal, (count,) each.
    If there are few enough changes, every second proposal takes the next one in a random order of all changes."""
    arm = rng.integers(space.arms, size=count)
    column = space.single[log_uniform(rng, len(space.single), count)]
    every = np.array([(a, c) for c in space.single.tolist() for a in space.changed_arms])
    if space.in_turn and len(every) <= MAX_TAKEN_IN_TURN * count:
        turn = every[rng.permutation(len(every))][np.arange(count) // 2 % len(every)]
        odd = np.arange(count) % 2 == 1
        arm, column = np.where(odd, turn[:, 0], arm), np.where(odd, turn[:, 1], column)
    return arm, column


# -- contexts ----------------------------------------------------------------------------------------------------


def drawn_contexts(space: Space, rng: np.random.Generator, count: int) -> PairContexts:
    """Returns the contexts of `count` pairs: the given contexts, or random ones.
    Random features are of several kinds: the patterns of `context_patterns`, and features drawn for every round and
    arm, for every arm, for every round, or entry by entry from a few levels."""
    if space.contexts is not None:
        return PairContexts(space.contexts.features[None], space.contexts.lengths)
    arms, d, columns, norm = space.arms, space.dimension, space.columns, context_norm(space.policy)
    patterns = list(context_patterns(space.policy).values())
    begins = np.arange(columns) if space.lengths is None else np.cumsum(space.lengths) - space.lengths
    kinds, which = rng.integers(5, size=count), rng.integers(len(patterns), size=count)
    features = np.empty((count, columns, arms, d))
    for kind in range(5):
        some = np.flatnonzero(kinds == kind)
        if kind == 0:
            for k in some:
                pattern = patterns[which[k]]
                features[k] = pattern.features[columns_of(pattern.lengths, begins)]
            continue
        shape = {1: (columns, arms), 2: (1, arms), 3: (columns, 1), 4: (columns, arms)}[kind]
        features[some] = drawn_features(space, rng, (len(some), *shape), kind == 4, norm)
    return PairContexts(features, space.lengths)


def drawn_features(space: Space, rng: np.random.Generator, shape: tuple[int, ...], levels: bool, norm: float) -> Array:
    """Random features (*shape, d) within the norm.
    In any direction with the largest norm, or with entries from a few levels."""
    d = space.dimension
    if levels:
        raw = rng.integers(-2, 3, size=(*shape, d)) / 2
        size = np.sqrt((raw**2).sum(axis=-1, keepdims=True))
        raw = norm * raw / np.maximum(size, 1.0)
    else:
        raw = rng.standard_normal((*shape, d))
        raw = norm * raw / np.maximum(np.sqrt((raw**2).sum(axis=-1, keepdims=True)), 1e-9)
    found = in_units(raw, norm) + 0.0
    return np.where((found == 0).all(axis=-1, keepdims=True), no_features(space.policy), found)


def changed_features(space: Space, rng: np.random.Generator, contexts: PairContexts, column: Ints) -> Array:
    """The features of the changed round on the right side, (pairs, arms, d).
    For one arm or for all, the same, the opposite sign, those of other arms, zeros, half the length, or new ones."""
    many, norm = len(column), context_norm(space.policy)
    place = column if space.lengths is None else (np.cumsum(space.lengths) - space.lengths)[column]
    where = np.asarray(columns_of(contexts.lengths, place))
    here = contexts.features[np.arange(many) if len(contexts.features) > 1 else 0, where]
    kinds = rng.integers(7, size=many)[:, None, None]
    none = np.broadcast_to(no_features(space.policy), here.shape)
    turned = here[:, ::-1]
    others = drawn_features(space, rng, here.shape[:2], False, norm)
    new = np.select(
        [kinds == k for k in range(6)], [here, -here, turned, none, in_units(here / 2, norm) + 0.0, others], others
    )
    one = (rng.random(many) < 0.5)[:, None, None] & (
        np.arange(space.arms) != rng.integers(space.arms, size=many)[:, None]
    )[:, :, None]
    return np.asarray(np.where(one, here, new) + 0.0)


# -- mutations ---------------------------------------------------------------------------------------------------


def mutations(space: Space, batch: PairBatch, parents: Sequence[int], rng: np.random.Generator) -> list[PairBatch]:
    """Returns one mutation of each parent, as batches of one pair.
    parents: indices in the batch. A parent whose mutation has equal sides is left out."""
    found = [mutation(space, batch.take([parent]), rng) for parent in parents]
    return [each for each in found if len(each)]


def mutation(space: Space, single: PairBatch, rng: np.random.Generator) -> PairBatch:
    """Returns a random mutation of the single pair in this batch.
    A reward, a stretch, a row, the changed place or the changed values are drawn again, or the rest of a row is
    inverted. If the contexts, or those of the changed user, may change, half of the mutations change features instead.
    """
    contexts = single.contexts
    if contexts is not None and rng.random() < 0.5 and (space.contexts is None or single.relation == "user"):
        return replace(single, contexts=mutated_contexts(space, single, contexts, rng)).differing()
    left, right = (np.array(single.rewards.share(side[0])) for side in (single.left, single.right))
    arm, column = int(single.arm[0]), int(single.column[0])
    paid, same = right[:, column].copy(), left[:, column] == right[:, column]
    kind, other = int(rng.integers(6)), int(rng.integers(space.arms))
    start = int(log_uniform(rng, space.columns, ()))
    if kind == 0:
        left[other, start] = random_rewards(space, rng, ())
    elif kind == 1:
        left[other, start : start + 1 + int(rng.integers(space.columns - start))] = random_rewards(space, rng, ())
    elif kind == 2:
        left[other] = left[int(rng.integers(space.arms))] if rng.random() < 0.5 else random_rewards(space, rng, ())
    elif kind == 3:
        left[other, start:] = 1 - left[other, start:]
    elif kind == 4:
        at = int(np.searchsorted(space.single, column))
        at = at + int(rng.choice([-1, 1])) if rng.random() < 0.5 else int(log_uniform(rng, len(space.single), ()))
        column = int(space.single[min(max(at, 0), len(space.single) - 1)])
        if rng.random() < 0.5:
            arm = other
        same = np.arange(space.arms) != arm
        paid = np.where(same, left[:, column], 1 - np.round(left[:, column]))
    else:
        paid = np.where(same, paid, random_rewards(space, rng, space.arms))
        if rng.random() < 0.5:
            end = np.round(rng.random())
            left[~same, column], paid = end, np.where(same, paid, 1 - end)
    right = left.copy()
    right[~same, column] = paid[~same]
    return batch_in(space, left[None], right[None], np.array([arm]), np.array([column]), contexts)


def mutated_contexts(space: Space, single: PairBatch, contexts: PairContexts, rng: np.random.Generator) -> PairContexts:
    """Returns the contexts with new features of one arm or of all.
    They change in a stretch of rounds, or on the right side of the changed round."""
    norm = context_norm(space.policy)
    arms: slice | int = slice(None) if rng.random() < 1 / 3 else int(rng.integers(space.arms))
    new = drawn_features(space, rng, (1,), rng.random() < 0.5, norm)[0]
    if contexts.changed is not None and (space.contexts is not None or rng.random() < 0.5):
        changed = contexts.changed.copy()
        changed[0, arms] = new
        return contexts._replace(changed=changed)
    features, start = contexts.features.copy(), int(log_uniform(rng, space.columns, ()))
    features[0, start : start + 1 + int(rng.integers(space.columns - start)), arms] = new
    return contexts._replace(features=features)
