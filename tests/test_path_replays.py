"""Runs on numbers along each path of a proof: the points inside paths, and genuine generators with prescribed draws."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from aligned_policies import LocalNoise
from noticing_policies import PROTOCOL, Noticing

from dpbandits.proofs_checks.alignment.bounds import Outcome
from dpbandits.proofs_checks.alignment.branches import Interval, SymbolTable
from dpbandits.proofs_checks.alignment.forms import Symbol, draw_symbol
from dpbandits.proofs_checks.alignment.interior_points import NoPoint, interior_point
from dpbandits.proofs_checks.alignment.merged_bounds import merged_bound
from dpbandits.proofs_checks.alignment.path_replays import PathReplays
from dpbandits.proofs_checks.alignment.prescribed_draws import (
    PrescribingGenerator,
    Tape,
    Unreachable,
    bits_of,
    drawn_by,
    genuine_generator,
)
from dpbandits.proofs_checks.alignment.traced_runs import Tree

# -- draws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("laplace", -35.0, 1e-12),
        ("laplace", 0.25, 1e-12),
        ("laplace", 15.0, 1e-8),
        ("normal", -7.5, 1e-8),
        ("normal", 3.655, 1e-8),
        ("normal", -0.001, 1e-12),
        ("uniform", 0.5, 0),
        ("exponential", 0.001, 1e-12),
        ("exponential", 7.7, 1e-8),
        ("exponential", 12.0, 1e-8),
        ("gumbel", -2.0, 1e-9),
        ("gumbel", 9.0, 1e-9),
    ],
)
def test_a_draw_comes_out_as_prescribed(kind: str, value: float, error: float) -> None:
    assert abs(drawn_by(kind, bits_of(kind, value)) - value) <= error


@pytest.mark.parametrize("kind", ["laplace", "normal", "uniform", "exponential", "gumbel"])
def test_a_draw_takes_all_of_its_bits_and_no_others(kind: str) -> None:
    """Bits that are left over, or missing, are those of another draw."""
    bits = bits_of(kind, 0.5)
    for wrong in ((*bits, bits[0]), bits[:-1], (("uint32", 7),)):
        with pytest.raises(Unreachable):
            drawn_by(kind, wrong)


@pytest.mark.parametrize(("kind", "value"), [("laplace", 37.0), ("normal", -9.0), ("uniform", 1.5), ("gumbel", -4.0)])
def test_draws_that_numpy_never_returns_have_no_bits(kind: str, value: float) -> None:
    with pytest.raises(Unreachable):
        bits_of(kind, value)


def drawn(rng: Any) -> list[Any]:
    """All methods that are followed, one or several draws at a time."""
    kept, array = [5, 6, 7], np.array([1, 2, 3, 4])
    rng.shuffle(kept)
    rng.shuffle(array)
    return [
        rng.laplace(1, [2, 3]), rng.normal(0, 2, size=3), rng.uniform(1, 2), rng.random(2), rng.gumbel(),
        rng.exponential(3), rng.standard_exponential(2), rng.standard_normal(), rng.geometric(0.5, 3),
        rng.geometric(0.05, 2), rng.binomial(1, 0.3, 4), rng.binomial(1, 0.8, 4), rng.binomial(1, 0.0),
        rng.binomial(1, 1.0), rng.integers(7), rng.integers(2, 5, size=3), rng.integers(1, 6, size=2, dtype=np.int8),
        rng.integers(1), rng.choice(3, p=[0.2, 0.3, 0.5]), rng.choice([4, 5, 6], size=4), rng.choice(5),
        rng.choice([4, 4, 6], size=2, replace=False), rng.choice([0.5, 1.5], p=[0.001, 0.999]), rng.permutation(4),
        rng.permutation([9, 8, 7]), kept, array,
    ]  # fmt: skip


def test_every_method_of_a_genuine_generator_draws_what_is_prescribed() -> None:
    numbers = np.random.default_rng(3)

    def single(symbol: Symbol) -> Any:
        if symbol.kind == "finite":
            return int(numbers.choice(len(symbol.weights)))
        return int(numbers.integers(1, 20)) if symbol.kind == "geometric" else float(numbers.random())

    for _ in range(5):
        writing = PrescribingGenerator(single)
        planned = drawn(writing)
        assert writing._prescribed is not None
        tape = Tape(list(writing._prescribed))
        rng = genuine_generator(tape)
        assert (type(rng), type(rng.bit_generator)) == (np.random.Generator, np.random.PCG64)
        found = drawn(rng)
        assert (tape.left, tape.astray) == ([], "")
        for one, other in zip(planned, found, strict=True):
            assert np.allclose(one, other, rtol=1e-9)
            assert type(one) is type(other)
        rng.random()
        assert tape.astray


# -- points ------------------------------------------------------------------------------------------------------------

X, Y, R = (
    draw_symbol("laplace", ("x",)),
    draw_symbol("uniform", ("y",)),
    Symbol("reward", (1, 0), Fraction(0), Fraction(1)),
)
ONE = Fraction(1)


def point(intervals: dict[Any, Interval]) -> dict[int, float] | None:
    return interior_point(intervals, [X, Y, R], {0: 0.3, 1: 0.7, 2: 0.5})


def test_a_point_is_found_far_out_and_in_thin_paths() -> None:
    far = point({((0, ONE), (2, ONE)): Interval(Fraction(20), inf)})
    assert far is not None
    assert far[0] + far[2] > 20
    thin = point({((1, ONE),): Interval(Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**5))})
    assert thin is not None
    assert 0.5 < thin[1] < 0.50001


def test_a_path_without_an_interior_is_known_to_have_none() -> None:
    """x > y + 1 and x < y + 1; and x > 2 y with x < 0."""
    apart = ((0, ONE), (1, -ONE))
    assert point({apart: Interval(ONE, inf), ((0, -ONE), (1, ONE)): Interval(-ONE, inf)}) is None
    assert (
        point({((0, ONE), (1, -2 * ONE)): Interval(Fraction(0), inf), ((0, ONE),): Interval(-inf, Fraction(0))}) is None
    )


def test_a_path_that_is_thinner_than_rounding_is_given_up() -> None:
    with pytest.raises(NoPoint):
        point({((0, ONE), (1, ONE)): Interval(Fraction(3), Fraction(3) + Fraction(1, 10**12))})


# -- replays -----------------------------------------------------------------------------------------------------------


def searched(policy: Any) -> tuple[Tree, PathReplays]:
    tree = Tree(policy, "laplace", 500_000)
    tree.search()
    return tree, PathReplays(policy, SymbolTable([*tree.table.symbols], {**tree.table.numbers}), tree.codes)


def test_every_path_of_a_right_policy_is_repeated() -> None:
    tree, replays = searched(LocalNoise(2, 5))
    assert len(tree.traced) == tree.paths == 8
    generator = np.random.default_rng(0)
    for path in tree.traced:
        here = replays.point_of(path, generator)
        assert here is not None
        assert here.genuine
        assert replays.objection(path, here, tree.codes) == ""
    assert sum(replays.neighbour(path, here, generator) is not None for path in tree.traced) > 0


@dataclass(frozen=True)
class Fives(LocalNoise):
    """Its rewards lie between -5 and 5."""

    @property
    def reward_range(self) -> tuple[float, float]:
        return -5.0, 5.0


def test_rewards_of_neighbours_change_as_far_as_their_range_has_room() -> None:
    tree, replays = searched(Fives(2, 3, scale=10.0))
    generator, changes = np.random.default_rng(0), list[float]()
    for path in [*tree.traced] * 40:
        here = replays.point_of(path, generator)
        assert here is not None
        there = replays.neighbour(path, here, generator)
        for number, symbol in enumerate(tree.table.symbols if there is not None else ()):
            if there is not None and symbol.kind == "reward" and number in there.values:
                assert -5.0 <= there.values[number] <= 5.0
                changes.append(abs(there.values[number] - here.values[number]))
    assert max(changes) == 10.0
    assert sum(0.0 < change < 10.0 for change in changes) >= 5  # as far as there is room


@pytest.mark.parametrize("place", range(8))
def test_a_path_that_releases_something_else_is_noticed(place: int) -> None:
    tree, replays = searched(LocalNoise(2, 5))
    path = tree.traced[place]
    last = tuple(reversed(path.released[-1]))
    tree.traced[place] = path._replace(released=(*path.released[:-1], last))
    assert "step 5 releases" in replays.first_objection(tree.traced, 0)


class Branches(LocalNoise):
    """Branches by a type, and does the same on both branches."""

    def act(self, t: int, state: Any, noise: Any) -> Any:
        if t == self.horizon and isinstance(state.total[0, 0], np.floating):
            t = int(t)
        return super().act(t, state, noise)


def test_a_path_that_executes_something_else_is_noticed() -> None:
    tree, replays = searched(Branches(2, 3))
    objection = replays.first_objection(tree.traced, 0)
    assert objection.startswith(
        "step 3 executes other instructions on numbers than when it is traced, at test_path_replays"
    )


@pytest.mark.parametrize("asks", PROTOCOL.values(), ids=PROTOCOL)
def test_policies_that_notice_symbols_are_refused_on_merged_states(asks: Any) -> None:
    assert merged_bound(Noticing(2, 3, asks=asks)).outcome is Outcome.NOT_LINEAR
