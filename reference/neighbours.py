"""Neighbouring inputs. A pair refuses to exist unless its two sides are neighbours under its relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpbandits.reference.environments import Stream, Table, checked, checked_table
from dpbandits.reference.noise import Array


@dataclass(frozen=True, eq=False)
class Pair:
    """Two reward tables (arms, length) that are neighbours.

    relation: "pull": they differ in at most one entry (arm, n-th pull of this arm);
    "round": they differ in at most one column, the reward vector of one round (Definition 1 of ou24, where the
    stream holds one reward a round, and Definition 2.1 of hu25, where a whole reward vector changes).
    Raises ValueError where the sides are no neighbours, or a reward lies outside [0, 1].
    """

    relation: str
    left: Array
    right: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", checked(self.left, "left table"))
        object.__setattr__(self, "right", checked(self.right, "right table"))
        if self.left.ndim != 2 or self.left.shape != self.right.shape:
            raise ValueError(f"pair: shapes {self.left.shape} and {self.right.shape}; both must be (arms, length)")
        differ = self.left != self.right
        if self.relation == "pull":
            many, what = int(differ.sum()), "entries"
        elif self.relation == "round":
            many, what = int(differ.any(axis=0).sum()), "rounds"
        else:
            raise ValueError(f"pair: unknown relation {self.relation!r}; know 'pull' and 'round'")
        if many > 1:
            raise ValueError(f"pair: the tables differ in {many} {what}; neighbours differ in at most one")

    def environments(self) -> tuple[Table | Stream, Table | Stream]:
        """Both sides as environments to play against."""
        kind = Table if self.relation == "pull" else Stream
        return kind(self.left), kind(self.right)

    def swapped(self) -> Pair:
        return Pair(self.relation, self.right, self.left)


def flipped(relation: str, rewards: Any, arm: int, index: int, value: float) -> Pair:
    """The table and its neighbour with `value` at [arm, index] (0-based)."""
    left = checked_table(rewards, "left table")
    if not (0 <= arm < len(left) and 0 <= index < left.shape[1]):
        raise ValueError(f"pair: no reward at [{arm}, {index}] of a table of shape {left.shape}; both count from 0")
    right = left.copy()
    right[arm, index] = value
    return Pair(relation, left, right)
