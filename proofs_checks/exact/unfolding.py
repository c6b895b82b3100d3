"""How many states a walk has, and all of its steps, kept for who goes through it again."""

from __future__ import annotations

from typing import NamedTuple

from dpbandits.proofs_checks.exact.walk import Layer, Moves, Walk

REMEMBERED = 2**18  # moves of a walk that are kept for who goes through it again: their states take some megabytes


class Unfolded(NamedTuple):
    """How many states a walk has after all of its steps; some number above what was asked for where there are more.
    steps: every step's moves and the layer that they lead to, in order; None where these are not known, or more than
    REMEMBERED."""

    states: int
    steps: list[tuple[Moves, Layer]] | None


def unfold_walk(walk: Walk, most: int) -> Unfolded:
    """The walk from its start, as long as it has at most so many states."""
    layer, t, total, ways = walk.start(), 0, 0, 0
    steps: list[tuple[Moves, Layer]] | None = []
    while walk.steps(layer) and total <= most:
        t += 1
        moves, layer = walk.advance(t, layer)
        total, ways = total + len(layer.made), ways + len(moves.source)
        if steps is not None and ways <= REMEMBERED:
            steps.append((moves, layer))
        else:
            steps = None
    return Unfolded(total, steps if total <= most else None)


def count_states(walk: Walk, most: int) -> int:
    """How many states the walk has after all of its steps; some number above `most` where there are more."""
    return unfold_walk(walk, most).states
