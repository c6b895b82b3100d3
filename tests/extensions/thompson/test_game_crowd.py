"""Attacks with any number of arms, under either relation: never above the truth, and not far below."""

from __future__ import annotations

from collections import defaultdict
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import ndtr
from test_game import law

from dpbandits import Pair, Sampler, flipped
from dpbandits.extensions.thompson.attack import attack
from dpbandits.extensions.thompson.bound import certified_curve
from dpbandits.extensions.thompson.many_arm_attack import (
    LEAST_MASS,
    MIN_ROUND_CHANCE,
    UNITS_PER_REWARD,
    ManyArmState,
    many_arm_attack,
    next_round,
    sorted_rivals,
)
from dpbandits.extensions.thompson.worst_coins import followable, pair_of_coins, search_worst_coins

EPS = (0.0, 0.3, 1.0, 2.0)


@pytest.mark.parametrize(("arms", "horizon", "relation", "alike"), [
    (2, 6, "pull", True), (2, 6, "round", True), (3, 5, "pull", True), (3, 5, "round", True), (3, 4, "pull", False),
    (4, 4, "round", True),
])  # fmt: skip
@pytest.mark.first(3)
def test_the_exact_law_of_all_transcripts(arms: int, horizon: int, relation: str, alike: bool) -> None:
    """One way of the privacy profile, from the probability of every single transcript."""
    sampler = Sampler(horizon, arms, variance=0.7)
    generator = np.random.Generator(np.random.Philox(3))
    left = np.round(generator.random((arms, horizon)) * 8) / 8
    left[1:] = left[1] if alike else left[1:]
    left[0, 0] = 0
    pair = flipped(relation, left, 0, 0, 1.0)
    exact = law(sampler, np.stack([pair.left, pair.right]), relation)
    found = many_arm_attack(sampler, pair, horizon, 0.002, (-9.0, 9.0))
    for eps in EPS:
        truth = np.maximum(exact[0] - np.exp(eps) * exact[1], 0).sum()
        assert truth * (1 - 1e-3) - 1e-9 <= found.delta(eps) <= truth + 1e-9


@pytest.mark.parametrize(("relation", "levels"), [("pull", 3), ("round", 9)])
def test_one_round_of_a_crowd_state_by_state_and_cell_by_cell(relation: str, levels: int) -> None:
    """What falls below the window is left out, what rises above it counts in its last cell, and both of its ends are
    inside; masses up to LEAST_MASS, chances below LEAST_MOVE and pulls beyond the levels are left out."""
    step, least, cells, c, t = 0.5, -1.0, 5, 0.7, 2
    counts = np.array([[2, 1], [3, 1], [1, 3], [0, 4]])
    left = np.array([[256, 512], [0, 128], [64, 3000], [0, 4096]])
    right = left + np.array([[1024, 0], [1024, 0], [1024, 0], [0, 20_000]])  # far: below LEAST_MOVE
    masses = np.zeros((2, 4, cells))
    for state in range(4):
        for cell in range(cells):
            masses[:, state, cell] = 0.01 * (1 + state + cell) * np.array([np.exp(least + step * cell), 1.0])
    masses[:, 1, 2] = LEAST_MASS, LEAST_MASS
    masses[:, 1, 3] = 2 * LEAST_MASS, LEAST_MASS / 8
    tables = [np.array([[0, 64, 128, 32], [512, 512, 512, 512]]), np.array([[1024, 64, 128, 32], [512, 512, 512, 512]])]
    wanted: defaultdict[tuple[int, ...], list[list[float]]] = defaultdict(lambda: [[0.0] * cells, [0.0] * cells])
    rare = 0
    for state, (n, m) in enumerate(counts.tolist()):
        sides = (left[state].tolist(), right[state].tolist())
        deviation = sqrt(c / (n + 1) + c / (m + 1))
        for arm in (0, 1):
            chances = [
                float(ndtr((1 - 2 * arm) * (x / (n + 1) - y / (m + 1)) / UNITS_PER_REWARD / deviation))
                for x, y in sides
            ]
            place = (n, m)[arm] if relation == "pull" else t
            paid = [int(table[arm, min(place, 3)]) for table in tables]
            after = [n + (arm == 0), m + (arm == 1)]
            totals = [[x + pay * (arm == 0), y + pay * (arm == 1)] for (x, y), pay in zip(sides, paid, strict=True)]
            rare += min(chances) < MIN_ROUND_CHANCE
            if after[0] > levels or min(chances) < MIN_ROUND_CHANCE:
                continue
            row = wanted[(*after, *totals[0], *totals[1])]
            for cell in range(cells):
                arriving = [float(side[state, cell]) * chance for side, chance in zip(masses, chances, strict=True)]
                label = min(round((log(arriving[0] / arriving[1]) - least) / step), cells - 1)
                if label >= 0 and masses[0, state, cell] > LEAST_MASS:
                    for side in (0, 1):
                        row[side][label] += arriving[side]
    assert rare == 1
    assert any(row[0][0] > 0 for row in wanted.values())  # something lies at either end
    assert any(row[0][-1] > 0 for row in wanted.values())
    found = next_round(
        ManyArmState(counts, left, right, masses),
        Sampler(9, 2, variance=c),
        relation,
        t,
        tables,
        True,
        levels,
        step,
        least,
    )
    states = [tuple(row) for row in np.hstack([found.counts, found.left, found.right]).tolist()]
    assert set(states) >= set(wanted)
    assert len(states) == len(set(states))
    for place, after_ in enumerate(states):  # nothing stands where nothing is wanted
        assert found.masses[:, place] == pytest.approx(np.array(wanted[after_]), rel=1e-12, abs=0)


def test_arms_that_pay_alike_are_told_apart_by_counts_and_totals_alone() -> None:
    """Their columns in ascending order: first by the count, then by what they paid on the left, and on the right."""
    drawn = np.random.default_rng(0).integers(0, 4, (50, 3, 4))
    drawn[:, 1:] *= 3
    for found, given in zip(sorted_rivals(drawn), drawn, strict=True):
        assert found.T.tolist() == sorted(given.T.tolist())


def test_two_arms_as_the_fast_attack() -> None:
    sampler = Sampler(40, 2)
    pair = flipped("pull", np.array([[0.0] + [0.375] * 39, [0.75] * 40]), 0, 0, 1.0)
    fast, ours = attack(sampler, pair), many_arm_attack(sampler, pair, 40, 0.05)
    for delta in (1e-3, 1e-6):
        assert ours.eps(delta) == pytest.approx(fast.eps(delta), rel=2e-3)


@pytest.mark.thorough
@pytest.mark.parametrize(("sampler", "relation"), [(Sampler(12, 3), "pull"), (Sampler(16, 2), "round")])
def test_a_search_stays_below_the_bound(sampler: Sampler, relation: str) -> None:
    assert followable(sampler)
    bound = certified_curve(sampler, relation, smallest=1e-5).eps(1e-4)
    first, found = (search_worst_coins(sampler, relation, 1e-4, bound, proposals) for proposals in (1, 12))
    assert 0.3 * bound < first.attack.eps(1e-4) < found.attack.eps(1e-4) <= bound
    assert found.words.startswith("other arms pay")
    assert found.pair.relation == relation


def test_tables_of_a_round_differ_in_their_first() -> None:
    pair = pair_of_coins(Sampler(10, 3), "round", (0.75, 0.5, 0.25, 0.5))
    assert pair.left.tolist() == [[0] + [0.5] * 9, *[[0.75] * 5 + [0.25] * 5] * 2]
    assert (pair.right - pair.left).nonzero()[0].tolist() == [0]


def test_what_is_not_followed_is_said() -> None:
    table = np.full((2, 5), 0.5)
    with pytest.raises(ValueError, match=r"many_arm_attack: .* b = 1.*, and b must be 0"):
        many_arm_attack(Sampler(5, 2, 1), flipped("pull", table, 0, 0, 1.0), 5)
    with pytest.raises(ValueError, match="the tables must differ and have shape"):
        many_arm_attack(Sampler(5, 2), Pair("pull", table, table), 5)
    with pytest.raises(ValueError, match="multiples of 1/1024"):
        many_arm_attack(Sampler(5, 2), flipped("pull", table, 0, 0, 0.3), 5)
    assert not followable(Sampler(10, 7))
    assert not followable(Sampler(10, 2, 1))
