"""How far values move, held against what is declared: what is too small to be seen for certain condemns nobody."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits import Gaussian, Pair, flipped
from dpbandits.audit.privacy.scores.moves import MAX_UNSEEN_MOVE, MOVE_TOLERANCE, DeclaredShifts, made_of, worst_shifts
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import Moving, Noisy, Shifts, Undeclared


def held(declared: Shifts, moves: Sequence[float], pair: Pair | None = None, centre: float = 0.0) -> None:
    """One run whose values move so far, one a step."""
    pair = pair or flipped("pull", [[0.5, 0.5]], 0, 0, 1.0)
    due = DeclaredShifts([declared], np.zeros(1, dtype=np.int64), [pair])
    for step, move in enumerate(moves, 1):
        due.enter(
            *(Noisy("normal", "theta", column(place), column(1.0)) for place in (centre, centre + move)), ONE, step
        )
    due.end()


def column(value: float) -> Array:
    return np.full((1, 1), value)


ONE = np.ones(1, dtype=bool)
TINY, EDGE = 1e-9, 1.5 * MOVE_TOLERANCE


@pytest.mark.parametrize(
    ("declared", "moves"),
    [
        ((TINY,), []),  # gone by unseen
        ((TINY,), [TINY]),
        ((TINY, 1.0), [TINY, 1.0]),
        ((1.0, TINY, 0.5), [1.0, 0.5]),
        ((EDGE, 1.0), [EDGE, 1.0]),  # large enough to be seen, small enough not to be
        ((EDGE, 1.0), [0.8 * MOVE_TOLERANCE, 1.0]),
        ((TINY, EDGE, 1.0), [TINY, EDGE, 1.0]),
        ((EDGE, EDGE), [EDGE]),
    ],
)
def test_what_moves_by_less_than_can_be_seen_is_passed_by(declared: tuple[float, ...], moves: list[float]) -> None:
    held(Shifts("normal", declared), moves)


@pytest.mark.parametrize(
    ("declared", "moves", "words"),
    [
        ((1.1 * MAX_UNSEEN_MOVE,), [], "whose centre moves is 0, but `shifts` declares 1"),
        ((TINY, 1.0), [TINY], "whose centre moves is 0,"),
        ((1.0, TINY, 1.0), [1.0], "whose centre moves is 1, but `shifts` declares 3"),
        (
            (TINY,),
            [1.0],
            "differs by 1 times its scale between the two reward tables, but `shifts` declares nothing more",
        ),
        (
            (TINY, 0.5),
            [1.0],
            "differs by 1 times its scale between the two reward tables, but `shifts` declares normal 0.5",
        ),
        ((), [2 * MAX_UNSEEN_MOVE], "declares nothing more"),
        ((EDGE, 1.0), [1.0, EDGE], "declares nothing more"),
        ((1.0,), [1.0 + 3 * MOVE_TOLERANCE], "declares normal 1"),
    ],
)
def test_what_moves_otherwise_is_not(declared: tuple[float, ...], moves: list[float], words: str) -> None:
    with pytest.raises(Undeclared, match=words):
        held(Shifts("normal", declared), moves)


def test_a_small_move_is_told_from_the_next_by_what_it_is_made_of() -> None:
    """A reward that moves a mean by a hair moves two others in the same way; the first of them is not seen."""
    hair = 1.5 * MOVE_TOLERANCE
    pair = flipped("pull", [[0.5, 0.5, 0.5]], 0, 0, 0.5 + hair)
    made = tuple(Moving(0, 0, pulls, 1.0, 1.0) for pulls in (1, 2))
    sizes = (hair, hair)
    held(Shifts("normal", sizes, made), [hair], pair, centre=1.0)  # the second alone is seen
    with pytest.raises(Undeclared, match="declares nothing more"):
        held(Shifts("normal", sizes, made), [hair], pair, centre=1.5)


PAIR = flipped("pull", [[0.5, 0.25], [1.0, 0.0]], 0, 0, 1.0)


def of_runs(values: Any, scales: Any = 1.0, kind: str = "normal") -> Noisy:
    centre = np.array(values, dtype=float)
    return Noisy(kind, "theta", centre, np.zeros_like(centre) + scales)


@pytest.mark.parametrize(("size", "off", "wrong"), [(1.0, 1.9, False), (1.0, 2.1, True), (999.0, 990.0, False),
                                                    (999.0, 1010.0, True)])  # fmt: skip
@pytest.mark.parametrize("way", [1, -1])
def test_a_move_is_what_is_declared_up_to_a_share_of_it_and_of_a_scale(
    size: float, off: float, wrong: bool, way: int
) -> None:
    if wrong:
        with pytest.raises(Undeclared, match=f"but `shifts` declares normal {size:g}"):
            held(Shifts("normal", (size,)), [size + way * off * MOVE_TOLERANCE])
    else:
        held(Shifts("normal", (size,)), [size + way * off * MOVE_TOLERANCE])


def test_a_value_of_another_kind_is_another_move() -> None:
    with pytest.raises(
        Undeclared,
        match=r"step 1, in 1 of 1 runs, the centre of a normal value differs by 1 times .*`shifts` declares laplace 1$",
    ):
        held(Shifts("laplace", (1.0,)), [1.0])


def test_every_run_is_held_against_what_is_declared_of_its_own_pair() -> None:
    """Of the second pair nothing is known; a run that has ended draws what it likes. Two values a step, in order."""
    declared = [Shifts("normal", (1.0, 2.0)), None, Shifts("normal", (3.0,))]
    which, live = np.array([2, 0, 1, 0, 2]), np.array([True, True, True, True, False])
    moves = np.array([[3.0, 0.0], [1.0, 2.0], [9.0, 9.0], [1.0, 2.0], [7.0, 7.0]])

    def due() -> DeclaredShifts:
        return DeclaredShifts(declared, which, [PAIR] * 3)

    one, other = of_runs(np.zeros((5, 2))), of_runs(moves)
    watch = due()
    watch.enter(one, other, live, 1)
    assert watch.made.tolist() == [1, 2, 0, 2, 0]
    with pytest.raises(
        Undeclared, match="in 1 of 5 runs the number of noisy values whose centre moves is 0, but `shifts` declares 1"
    ):
        watch.end()
    for row, found in ((0, "differs by 4 .* declares normal 3"), (3, "differs by 2 .* declares normal 1")):
        wrong = moves.copy()
        wrong[row, 0] += 1
        with pytest.raises(Undeclared, match=f"in step 1, in 1 of 5 runs, the centre of a normal value {found}$"):
            due().enter(one, of_runs(wrong), live, 1)
    for row in range(5):
        scales = np.ones((5, 2))
        scales[row, 1] = 1.5
        if row in (2, 4):
            due().enter(one, of_runs(moves, scales), live, 1)
        else:
            with pytest.raises(Undeclared, match="in step 7 the noise has different scales on the two reward tables"):
                due().enter(one, of_runs(moves, scales), live, 7)


def test_where_nothing_is_drawn_nothing_moves() -> None:
    watch = DeclaredShifts([Shifts("normal", (1.0,))], np.zeros(1, dtype=np.int64), [PAIR])
    watch.enter(of_runs([[np.inf, 0.0]], [[0.0, 1.0]]), of_runs([[7.0, 1.0]], [[0.0, 1.0]]), ONE, 1)
    watch.end()


# Both rewards of arm 0, over an eighth: 0.75 or 1.25 of them, which is 6 or 10, and noise of scale 2.
MADE = Shifts("normal", (2.0,), (Moving(0, 0, 2, 0.125, 2.0),))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("low", "high", "scale", "wrong"),
    [
        (0.0, 0.0, 0.0, False),
        (7.5, 7.5, 0.0, False),  # of 2 + 6 and of 2 + 10
        (8.5, 8.5, 0.0, True),
        (-8.5, -8.5, 0.0, True),
        (7.5, 11.5, 0.0, False),
        (7.5, 12.5, 0.0, True),
        (-3.5, 3.5, 3.5, False),  # of 2 + 2, by the same share
        (-4.5, 4.5, 4.5, True),
        (400.0, 400.0, 0.0, True),
    ],
)
def test_a_value_is_made_of_what_is_declared(low: float, high: float, scale: float, wrong: bool, turned: bool) -> None:
    """Either centre and the scale, up to 1e-7 of itself and of a scale, whichever side is run."""
    assert made_of(MADE, PAIR).tolist() == [[6.0], [10.0], [2.0]]
    assert made_of(MADE, PAIR.swapped()).tolist() == [[6.0], [10.0], [2.0]]
    watch = DeclaredShifts([MADE], np.zeros(1, dtype=np.int64), [PAIR])
    sides = [
        of_runs([[centre]], 2 + scale * MOVE_TOLERANCE)
        for centre in (6 + low * MOVE_TOLERANCE, 10 + high * MOVE_TOLERANCE)
    ]
    one, other = reversed(sides) if turned else sides
    if wrong:
        with pytest.raises(
            Undeclared,
            match=r"according to `shifts` the centres are 6 and 10 and the scale is 2 .in 1 of 1",
        ):
            watch.enter(one, other, ONE, 1)
    else:
        watch.enter(one, other, ONE, 1)
        watch.end()


def test_what_values_are_made_of_is_said_of_each_on_tables() -> None:
    assert made_of(Shifts("normal", (), ()), PAIR).shape == (3, 0)
    for said in (MADE._replace(sizes=(2.0, 2.0)), MADE._replace(made=MADE[2] + MADE[2])):  # type: ignore[operator]
        with pytest.raises(
            ValueError,
            match=r"`made` of length \d and `sizes` of length \d, and the relation is 'pull'. With relation",
        ):
            made_of(said, PAIR)
    with pytest.raises(ValueError, match=r"`made` of length 1 and `sizes` of length 1, and the relation is 'round'"):
        made_of(MADE, flipped("round", [[0.5, 0.25], [1.0, 0.0]], 0, 0, 1.0))


def test_the_worst_of_the_pairs_is_the_one_whose_values_move_most() -> None:
    """Normal values that move by these sizes tell as much as one that moves by the root of their squares' sum."""
    sizes: dict[int, Any] = {0: (0.5,), 1: None, 2: (0.6, 0.8), 3: (0.9,)}
    pairs = [PAIR] * 4
    said = [None if each is None else Shifts("normal", each) for each in sizes.values()]
    asked = iter(said)
    found = worst_shifts(SimpleNamespace(shifts=lambda pair: next(asked)), Gaussian(1.0), pairs)  # type: ignore[arg-type]
    assert found is not None
    assert found[0] == 2
    low, high = found[1].mu()
    assert low <= sqrt(0.36 + 0.64) <= high < low * (1 + 1e-6)
    assert worst_shifts(SimpleNamespace(shifts=lambda pair: None), Gaussian(1.0), pairs) is None  # type: ignore[arg-type]
