"""The neighbours of an audit: what somebody types in who wants to see for himself."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.claims.spelling import value_text
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.claims.findings import Neighbours, Stretch, table_item

MAX_WRITTEN_STRETCHES = 40  # stretches of equal rewards that are written out
STEPS_TITLE = "The inputs that were judged: answers of the queries, or running means of the arms"
AS_NUMBERS = "the values are judged as real numbers, and the bits in which a program writes them were not looked at"
BY_LAW, BY_SAMPLES = "law", "samples"


class Judged(NamedTuple):
    """What a one-shot mechanism was given where it was judged. by: BY_LAW or BY_SAMPLES. moved: whether the claim's
    own instance has other values, for the claim is about all of them."""

    by: str
    left: tuple[float, ...]
    right: tuple[float, ...]
    moved: bool

    @property
    def place(self) -> str:
        return f"{value_text(self.left)} and {value_text(self.right)}"

    def row(self, label: str) -> list[str]:
        return [label, self.by, *(value_text(side, repr) for side in (self.left, self.right))]


def judged_in_ways(step: Any, own: Any, *ways: str) -> tuple[Judged, ...]:
    """A step as it was judged in these ways. own: the claim's own instance."""
    left, right = (tuple(map(float, side)) for side in (step.left, step.right))
    return tuple(Judged(by, left, right, step is not own) for by in ways)


def table_of_steps(rows: list[list[str]]) -> dict[str, Any] | None:
    """The evidence: the two inputs of every instance, to the last digit; None where there are none."""
    table = table_item(STEPS_TITLE, ["instance", "by", "left", "right"], rows)
    return table if rows else None


def neighbours(pair: Pair) -> Neighbours:
    """The tables: a line for each stretch of equal rewards, two for what is changed. Pull n is the n-th of an arm."""
    many = np.ones(pair.left.shape[1], dtype=int) if pair.lengths is None else np.asarray(pair.lengths)
    ends = np.cumsum(many).tolist()
    changed = None if pair.spot is None else pair.column(pair.spot[1])
    rows: list[list[Any]] = []
    for _, stretch in groupby(range(len(many)), lambda k: (k == changed, *pair.left[:, k].tolist())):
        places = list(stretch)
        first, last = ends[places[0]] - int(many[places[0]]) + 1, ends[places[-1]]
        where = f"{first}" if first == last else f"{first} to {last}"
        for side, table in (("left", pair.left), ("right", pair.right)) if places[0] == changed else (("", pair.left),):
            rewards = [f"{value:.12g}" for value in table[:, places[0]].tolist()]
            rows.append([f"{where}, {side}" if side else where, *rewards])
    if pair.contexts is not None:
        rows += context_rows(pair)
    if len(rows) > MAX_WRITTEN_STRETCHES:
        rows = [*rows[:MAX_WRITTEN_STRETCHES], [f"{len(rows) - MAX_WRITTEN_STRETCHES} more", *["..."] * len(pair.left)]]
    return Neighbours(pair.relation, len(pair.left), tuple(Stretch(place, tuple(each)) for place, *each in rows))


def context_rows(pair: Pair) -> list[list[Any]]:
    """A line for each stretch of equal contexts, two for a user's that changes."""
    before, after = pair.both_contexts
    changed, rows = before.place_apart(after), list[list[Any]]()
    places = range(min(before.rounds, pair.length))
    for _, stretch in groupby(places, lambda k: (k == changed, *before.features_of(k).ravel().tolist())):
        every = list(stretch)
        first, last = every[0] + 1, every[-1] + 1
        where = f"context of round {first}" if first == last else f"contexts of rounds {first} to {last}"
        both = (("left", before), ("right", after)) if every[0] == changed else (("", before),)
        for side, seen in both:
            features = [value_text(tuple(row)) for row in seen.features_of(every[0]).tolist()]
            rows.append([f"{where}, {side}" if side else where, *features])
    return rows
