"""Pairs of neighbouring inputs. The constructor raises ValueError unless the two sides are neighbours under the given
relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.environments import Stream, Table
from dpbandits.reference.bandits.noise import Array, Ints
from dpbandits.reference.bandits.reward_ranges import Range, checked_range, checked_rewards, checked_table
from dpbandits.reference.bandits.reward_rows import checked_lengths, columns_of, length_of

SIDES = ("left", "right")  # of a pair, in this order
# Of tables, and what neighbours differ in at most one of
RELATIONS = {"pull": "entries", "round": "rounds", "reward": "rounds", "user": "rounds"}
OF_CONTEXTS = ("pull", "reward", "user")  # where there are contexts


@dataclass(frozen=True, eq=False)
class Pair:
    """Two reward tables (arms, length) that are neighbours.

    relation: what differs between the two tables. "pull" means at most one entry (arm, n-th pull of this arm). "round"
    means at most one column, the reward vector of one round (Definition 1 of ou24, in which the stream has one reward
    per round, and Definition 2.1 of hu25, in which a whole reward vector changes). With contexts, each round is a user.
    "reward" then means at most one column, with equal contexts, and "user" means at most one column and the context of
    the same round. lengths: None, or for run-length encoded tables (arms, runs) the length of each run, (runs,); the
    changed reward must be a run of length 1. low, high: the range of the rewards. contexts: None, or the `Contexts` of
    both sides; for "user" also two of them, (left, right). Raises ValueError if the sides are not neighbours, or if a
    reward is outside the range.
    """

    relation: str
    left: Array
    right: Array
    lengths: Ints | None = None
    low: float = 0.0
    high: float = 1.0
    contexts: Contexts | tuple[Contexts, Contexts] | None = None

    def __post_init__(self) -> None:
        """Replaces both tables by checked read-only copies. Raises ValueError unless they are neighbours."""
        if not isinstance(self.relation, str) or self.relation not in RELATIONS:
            raise ValueError(f"pair: relation is {self.relation!r}; choose one of {', '.join(map(repr, RELATIONS))}")
        checked_range("pair: (low, high)", (self.low, self.high))
        object.__setattr__(self, "left", checked_rewards(self.left, "left table", self.low, self.high))
        object.__setattr__(self, "right", checked_rewards(self.right, "right table", self.low, self.high))
        if self.left.ndim != 2 or self.left.shape != self.right.shape:
            raise ValueError(
                f"pair: the reward tables have shapes {self.left.shape} and {self.right.shape}; both must have the "
                "same shape (arms, length)"
            )
        object.__setattr__(self, "lengths", checked_lengths(self.lengths, self.left.shape[1], "pair"))
        differ = self.left != self.right
        if self.lengths is not None and (long := differ.any(axis=0) & (self.lengths > 1)).any():
            column = int(long.argmax())
            raise ValueError(
                f"pair: the reward tables differ in an entry that represents {self.lengths[column]} equal rewards, but "
                "neighbours differ in one reward; give the changed reward a column of its own, with length 1"
            )
        many = int(differ.sum() if self.relation == "pull" else differ.any(axis=0).sum())
        if many > 1:
            what = RELATIONS[self.relation]
            raise ValueError(f"pair: the reward tables differ in {many} {what}; neighbours differ in at most one")
        self.check_contexts()

    def check_contexts(self) -> None:
        """Raises ValueError unless the contexts fit the relation and the numbers of arms and rounds."""
        if self.contexts is None:
            if self.relation in ("reward", "user"):
                raise ValueError(
                    f"pair: relation {self.relation!r} needs contexts; give contexts=Contexts(features), or "
                    "use relation 'round', which has none"
                )
            return
        if self.relation not in OF_CONTEXTS:
            raise ValueError(
                "pair: with contexts, relation 'round' does not determine whether the context of the "
                "changed round changes too; use 'reward' (the context stays the same) or 'user' (it may "
                "change)"
            )
        for side in (sides := self.both_contexts):
            if not isinstance(side, Contexts):
                raise TypeError(
                    f"pair: contexts is {side!r:.80}; give Contexts(features), or for relation 'user' a tuple of "
                    "two of them"
                )
            if side.features.shape[1] != len(self.left) or side.rounds < self.length:
                raise ValueError(
                    f"pair: the contexts have arms = {side.features.shape[1]} and rounds = {side.rounds}, "
                    f"but the reward tables have arms = {len(self.left)} and length {self.length}; give contexts "
                    "for the same arms and rounds"
                )
        place = sides[0].place_apart(sides[1])
        if place is not None and self.relation != "user":
            raise ValueError(
                f"pair: the contexts of round {place + 1} differ, which is allowed only for relation 'user'"
            )
        if place is not None and self.spot is not None and self.spot[1] != place:
            raise ValueError(
                f"pair: the contexts differ in round {place + 1}, but the rewards differ in round {self.spot[1] + 1}; "
                "a user belongs to one round, so contexts and rewards must differ in the same round"
            )

    @property
    def both_contexts(self) -> tuple[Any, Any]:
        """The contexts of the left side and of the right side; None without contexts."""
        left, right = self.contexts if isinstance(self.contexts, tuple) else (self.contexts, self.contexts)
        return left, right

    def environments(self) -> tuple[Table | Stream, Table | Stream]:
        """Both sides of the pair as environments: tables for relation "pull", otherwise streams."""
        kind = Table if self.relation == "pull" else Stream
        sides = zip((self.left, self.right), self.both_contexts, strict=True)
        left, right = (kind(side, self.lengths, self.low, self.high, seen) for side, seen in sides)
        return left, right

    @property
    def range(self) -> Range:
        """The range of the rewards, (low, high)."""
        return Range(self.low, self.high)

    def swapped(self) -> Pair:
        """The pair with its left and right sides exchanged."""
        contexts = self.contexts[::-1] if isinstance(self.contexts, tuple) else self.contexts
        return Pair(self.relation, self.right, self.left, self.lengths, self.low, self.high, contexts)

    @property
    def length(self) -> int:
        """The number of rewards of each arm."""
        return length_of(self.left, self.lengths)

    @property
    def spot(self) -> tuple[int, int] | None:
        """The arm and the position (both from 0) of the first reward that differs between the sides.
        If only a context differs, the arm and the place of this context; None if the sides are equal."""
        spots = np.argwhere(self.left != self.right)
        if not len(spots):
            place = None if self.relation != "user" else self.both_contexts[0].place_apart(self.both_contexts[1])
            return None if place is None else (0, place)
        arm, column = (int(part) for part in spots[0])
        return arm, column if self.lengths is None else int(self.lengths[:column].sum())

    @property
    def changed_round(self) -> int:
        """The round, from 1, in which the sides differ. Raises ValueError if there is none."""
        if self.relation == "pull":
            raise ValueError(
                "relation 'pull' changes a pull and not a round, so no round can be left out in the view of all other "
                "users; use relation 'user' or 'round'"
            )
        if self.spot is None:
            raise ValueError("the two sides of the pair are equal, so there is no changed round to leave out")
        return self.spot[1] + 1

    def column(self, place: int) -> int:
        """The index of the column, in both tables, that contains each arm's reward at this place, counted from 0."""
        return int(columns_of(self.lengths, place))

    def parted(self, *places: int) -> Pair:
        """parted(place, ...): the pair with its runs of equal rewards split at these positions.
        The pair itself if it is not run-length encoded, or if runs end at all of these places."""
        if self.lengths is None:
            return self
        inside = np.array([place for place in places if place > 0], dtype=np.int64)
        ends = np.union1d(np.cumsum(self.lengths), inside[inside < self.length])
        if len(ends) == len(self.lengths):
            return self
        column = columns_of(self.lengths, ends - 1)
        left, right = self.left[:, column], self.right[:, column]
        return Pair(self.relation, left, right, np.diff(ends, prepend=0), self.low, self.high, self.contexts)


def flipped(
    relation: str,
    rewards: ArrayLike,
    arm: int,
    index: int,
    value: float,
    lengths: Any = None,
    low: float = 0.0,
    high: float = 1.0,
    contexts: Any = None,
) -> Pair:
    """Makes a pair of a reward table and its neighbour, in which the reward at [arm, index] (both from 0) is `value`.
    lengths: the lengths of runs, if the table is run-length encoded; the index then counts rewards, not runs. low,
    high: the range of the rewards. contexts: as for a `Pair`."""
    left = checked_table(rewards, "left table", low, high)
    if (new := reals("pair: the value", value)).ndim:
        raise ValueError(f"pair: the value is {value!r}; it must be a single number")
    for name, place in (("arm", arm), ("index", index)):
        if isinstance(place, bool) or not isinstance(place, int | np.integer):
            raise ValueError(
                f"pair: {name} is {place!r}; it must be an integer of at least 0, because arms and rewards are counted "
                "from 0"
            )
    length = left.shape[1]
    if lengths is not None:
        whole = Pair(relation, left, left, lengths, low, high, contexts)
        length, whole = whole.length, whole.parted(index, index + 1)
        left, lengths = whole.left, whole.lengths
    if not (0 <= arm < len(left) and 0 <= index < length):
        raise ValueError(
            f"pair: there is no reward at [{arm}, {index}]; the reward table has arms 0 to {len(left) - 1} and rewards "
            f"0 to {length - 1}"
        )
    right = left.copy()
    right[arm, int(columns_of(lengths, index))] = new
    return Pair(relation, left, right, lengths, low, high, contexts)
