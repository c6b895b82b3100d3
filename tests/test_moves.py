"""How far values move, held against what is declared: what is too small to be seen for certain condemns nobody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dpbandits.audit.scores.moves import CLOSE, SMALL, Due
from dpbandits.audit.scores.values import Undeclared
from dpbandits.reference.neighbours import Pair, flipped
from dpbandits.reference.noise import Array
from dpbandits.reference.noisy import Moving, Noisy, Shifts


def held(declared: Shifts, moves: Sequence[float], pair: Pair | None = None, centre: float = 0.0) -> None:
    """One run whose values move so far, one a step."""
    pair = pair or flipped("pull", [[0.5, 0.5]], 0, 0, 1.0)
    due = Due([declared], np.zeros(1, dtype=np.int64), [pair])
    for step, move in enumerate(moves, 1):
        due.enter(
            *(Noisy("normal", "theta", column(place), column(1.0)) for place in (centre, centre + move)), ONE, step
        )
    due.end()


def column(value: float) -> Array:
    return np.full((1, 1), value)


ONE = np.ones(1, dtype=bool)
TINY, EDGE = 1e-9, 1.5 * CLOSE


@pytest.mark.parametrize(
    ("declared", "moves"),
    [
        ((TINY,), []),  # gone by unseen
        ((TINY,), [TINY]),
        ((TINY, 1.0), [TINY, 1.0]),
        ((1.0, TINY, 0.5), [1.0, 0.5]),
        ((EDGE, 1.0), [EDGE, 1.0]),  # large enough to be seen, small enough not to be
        ((EDGE, 1.0), [0.8 * CLOSE, 1.0]),
        ((TINY, EDGE, 1.0), [TINY, EDGE, 1.0]),
        ((EDGE, EDGE), [EDGE]),
    ],
)
def test_what_moves_by_less_than_can_be_seen_is_passed_by(declared: tuple[float, ...], moves: list[float]) -> None:
    held(Shifts("normal", declared), moves)


@pytest.mark.parametrize(
    ("declared", "moves", "words"),
    [
        ((1.1 * SMALL,), [], "end after 0 values that move, where `shifts` declares 1"),
        ((TINY, 1.0), [TINY], "end after 0 values that move"),
        ((1.0, TINY, 1.0), [1.0], "end after 1 values that move, where `shifts` declares 3"),
        ((TINY,), [1.0], "moves by 1 scales, where `shifts` declares nothing more"),
        ((TINY, 0.5), [1.0], "moves by 1 scales, where `shifts` declares normal 0.5"),
        ((), [2 * SMALL], "declares nothing more"),
        ((EDGE, 1.0), [1.0, EDGE], "declares nothing more"),
        ((1.0,), [1.0 + 3 * CLOSE], "declares normal 1"),
    ],
)
def test_what_moves_otherwise_is_not(declared: tuple[float, ...], moves: list[float], words: str) -> None:
    with pytest.raises(Undeclared, match=words):
        held(Shifts("normal", declared), moves)


def test_a_small_move_is_told_from_the_next_by_what_it_is_made_of() -> None:
    """A reward that moves a mean by a hair moves two others in the same way; the first of them is not seen."""
    hair = 1.5 * CLOSE
    pair = flipped("pull", [[0.5, 0.5, 0.5]], 0, 0, 0.5 + hair)
    made = tuple(Moving(0, 0, pulls, 1.0, 1.0) for pulls in (1, 2))
    sizes = (hair, hair)
    held(Shifts("normal", sizes, made), [hair], pair, centre=1.0)  # the second alone is seen
    with pytest.raises(Undeclared, match="declares nothing more"):
        held(Shifts("normal", sizes, made), [hair], pair, centre=1.5)
