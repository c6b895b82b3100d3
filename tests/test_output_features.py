"""The classifier of outputs and its features against twins by hand: ratios, a regression, and which score is chosen."""

from __future__ import annotations

from functools import partial
from math import log
from typing import Any

import numpy as np
import pytest

from dpbandits import Approximate, Gaussian
from dpbandits.audit.privacy.scores import output_features
from dpbandits.audit.privacy.scores.classifier import (
    CODES,
    Candidate,
    Feature,
    RatioTable,
    candidates,
    cautious_excess,
    choose_score,
    ends_apart,
    logistic,
)
from dpbandits.audit.privacy.scores.output_features import (
    NONFINITE_SCORE,
    finite_scores,
    learnt_scores,
    rare_atoms,
    split_missing,
    whole_output,
)
from dpbandits.audit.statistics.events import Event, plan_tests_by_scores
from dpbandits.audit.statistics.region import excess_over_region, planned_region, probability_upper_limit
from dpbandits.reference.bandits.noise import Array


def sides(trials: int, columns: int = 1, shift: float = 1.0) -> tuple[Array, Array]:
    generator = np.random.default_rng(trials + columns)
    left, right = generator.normal(size=(2, trials, columns))
    right[:, 0] += shift
    return left, right


def test_bins_are_even_and_each_counts_one_more() -> None:
    left, right = (side[:, 0] for side in sides(301))
    found = RatioTable.of(left, right, 8)
    pooled = np.sort(np.concatenate([left, right]))
    assert found.cuts.tolist() == [pooled[round(k / 8 * 601)] for k in range(1, 8)]
    for probe in (-9.0, 0.2, float(found.cuts[3]), 9.0):
        inside = [sum(int(edge <= probe) for edge in found.cuts)] * 2
        counts = [
            sum(sum(int(edge <= value) for edge in found.cuts) == inside[0] for value in side) for side in (left, right)
        ]
        wanted = log((counts[1] + 1) / (301 + 8)) - log((counts[0] + 1) / (301 + 8))
        assert found(np.array([probe])) == pytest.approx([wanted])


def test_codes_are_bins_of_their_own_and_new_ones_say_nothing() -> None:
    left, right = np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0, 1.0, 1.0, 3.0])
    table = RatioTable.of(left, right, CODES)
    wanted = [log(each) - log(1.5) for each in (2 / 3, 5 / 2, 1 / 2, 2 / 1)]
    assert table(np.array([0.0, 1.0, 2.0, 3.0, 9.0])) == pytest.approx([*wanted, 0.0])
    assert table.only(np.array([False, True, False, True]))(np.arange(4.0)) == pytest.approx(
        [0, wanted[1], 0, wanted[3]]
    )
    none = table.only(np.zeros(4, dtype=bool))
    assert none(np.arange(3.0)).tolist() == [0, 0, 0]


def test_equal_rows_have_one_code_and_others_another() -> None:
    rows = np.random.default_rng(3).integers(0, 3, (500, 3)).astype(float)
    codes = whole_output(rows)[:, 0]
    same_rows = (rows[:, None] == rows[None]).all(axis=2)
    assert np.array_equal(codes[:, None] == codes[None], same_rows)
    assert same_rows.sum() > 2 * len(rows)
    assert len(set(whole_output(np.array([[0.0, 1.0], [1.0, 0.0], [np.nan, 0.0], [np.inf, 0.0]]))[:, 0])) == 4


def test_rare_outputs_that_came_again_have_a_score_of_their_own_and_frequent_ones_none() -> None:
    left, right = sides(400)
    assert rare_atoms(left, right) is None  # none came again
    right[:5] = 7.0
    score = rare_atoms(left, right)
    assert score is not None
    assert score(np.array([[7.0], [left[0, 0]], [8.0]])) == pytest.approx([log(6), 0, 0])
    assert rare_atoms(left.round(), right.round()) is None


def test_what_is_no_number_is_an_event_for_the_side_where_it_came_more_often() -> None:
    nan, inf = np.nan, np.inf
    left = np.array([[0.0], [1.0], [nan], [inf], [inf], [-inf]])
    right = np.array([[0.5], [1.5], [nan], [nan], [inf], [-inf]])
    first, *_ = learnt_scores(left, right)
    assert first.name == "the output"
    assert first.score(np.array([[nan], [inf], [-inf], [0.25]])).tolist() == [
        NONFINITE_SCORE,
        -NONFINITE_SCORE,
        0.0,
        0.25,
    ]
    two = list(finite_scores(np.zeros((1, 1)), np.zeros((5, 1))))
    assert [each.name for each in two] == ["whether the output is a number"]
    assert len(list(finite_scores(np.zeros((2, 1)), np.zeros((2, 1))))) == 6


def test_which_scores_are_tried() -> None:
    left, right = sides(200)
    every = list(learnt_scores(left, right))
    both = "the output", "its distance from the middle"
    names = [name for each in both for name in (each, f"{each}, turned round", f"the frequencies of {each}")]
    assert [each.name for each in every][:6] == names
    assert [each.name.split(" by ")[0] for each in every[6:]] == ["the frequencies of its remainder"]
    assert [each.learnt for each in every] == [False, False, True, False, False, True, True]
    scores = {each.name: each.score for each in every}
    assert scores["the output, turned round"](left).tolist() == (-left[:, 0]).tolist()
    middle = np.median(np.concatenate([left, right]))
    assert scores["its distance from the middle"](np.array([[3.0], [-4.0]])) == pytest.approx([3 - middle, 4 + middle])
    rounded = left.round(), right.round()  # few different outputs: each is an event of its own
    assert [each.name for each in learnt_scores(*rounded)][-1] == "the frequencies of whole outputs"


def test_which_scores_are_tried_of_rows() -> None:
    one, other = sides(200, 2)
    several = {each.name: each.score for each in learnt_scores(one, other)}
    for view in ("the numbers", "the sorted numbers"):
        assert f"the frequencies of {view}" in several
        assert f"a logistic regression on {view}" in several
    assert "number 1 of the numbers" in several  # the first number moves
    assert "differences of neighbours" in several
    each = [RatioTable.of(one[:, k], other[:, k], 16)(one[:, k]) for k in range(2)]
    assert several["the frequencies of the numbers"](one) == pytest.approx(each[0] + each[1])
    assert several["differences of neighbours"](one) == pytest.approx(one[:, 1] - one[:, 0])


def test_a_features_scores_are_of_what_it_reads() -> None:
    left, right = sides(300)
    doubled = Feature("twice the output", lambda outputs: 2 * outputs, 8, regression=True, itself=True)
    found = {each.name: each.score for each in candidates([doubled], left, right)}
    assert found["twice the output"](left).tolist() == (2 * left[:, 0]).tolist()
    table = RatioTable.of(2 * left[:, 0], 2 * right[:, 0], 8)
    assert found["the frequencies of twice the output"](left) == pytest.approx(table(2 * left[:, 0]))
    weighed = logistic(2 * left, 2 * right, [table])
    assert found["a logistic regression on twice the output"](left) == pytest.approx(weighed(2 * left))


@pytest.mark.parametrize(("columns", "products"), [(2, 1), (6, 15), (7, 0)])
def test_the_regression_is_the_optimum_with_a_ridge_of_one(columns: int, products: int) -> None:
    """Of outputs without their outermost hundredths, their squares, products of up to six of them, and the ratios."""
    left, right = sides(400, columns)
    ratios = [RatioTable.of(left[:, k], right[:, k], 16) for k in range(columns)]
    raw = np.concatenate([left, right])
    low, high = np.quantile(raw, [0.01, 0.99], axis=0)
    x = (np.clip(raw, low, high) - (low + high) / 2) / (high - low)
    pairs = [x[:, i] * x[:, j] for i in range(columns) for j in range(i + 1, columns)] if products else []
    told = np.stack([*x.T, *(x**2).T, *pairs, *(ratio(raw[:, k]) for k, ratio in enumerate(ratios))], axis=1)
    assert told.shape[1] == 3 * columns + products
    told = (told - told.mean(axis=0)) / told.std(axis=0)
    score = logistic(left, right, ratios)(raw)
    weights = np.linalg.lstsq(told, score, rcond=None)[0]
    assert told @ weights == pytest.approx(score, abs=1e-7)  # a linear form in these
    label = np.repeat([0.0, 1.0], 400)
    assert told.T @ (label - 1 / (1 + np.exp(-score))) == pytest.approx(weights, abs=1e-4)


def test_what_an_event_promises_is_cautious() -> None:
    left, right = (side[:, 0] for side in sides(300))
    wrong = int((left >= 0.4).sum()), int((right < 0.4).sum())
    alpha, beta = (probability_upper_limit(each, 300, 0.01) * 5_000 for each in wrong)
    wanted = float(excess_over_region(Gaussian(0.3), planned_region(alpha, beta, 5_000, 1e-4, 0.65)).amount)
    assert cautious_excess(left, right, Event(0.4, 1e-4, 0.65), Gaussian(0.3), 5_000) == pytest.approx(wanted)


def test_one_half_learns_and_the_other_one_chooses() -> None:
    """What is learnt keeps the tests of the second half; of what is not, all search trials choose the tests."""
    left, right = sides(401)
    halves: list[Any] = []

    def scores(learnt: bool, one: Array, other: Array) -> Any:
        halves.append((one, other))
        yield Candidate("dull", lambda rows: np.zeros(len(rows)))
        yield Candidate("clever", lambda rows: rows[:, 0], learnt)
        yield Candidate("noise", lambda rows: np.sin(1e3 * rows[:, 0]))

    for learnt, taught in ((True, 200), (False, 0)):
        found = choose_score(left, right, Approximate(0.1), 4_000, 1e-3, partial(scores, learnt))
        assert found.name == "clever"
        assert found.events == plan_tests_by_scores(left[taught:, 0], right[taught:, 0], Approximate(0.1), 4_000, 1e-3)
    assert len(halves) == 2
    assert all(len(one) == len(other) == 200 for one, other in halves)
    assert np.array_equal(halves[0][0], left[:200])
    assert np.array_equal(halves[0][1], right[:200])


def test_what_is_no_number_becomes_the_middle_and_a_kind_beside_it() -> None:
    """Of each column in which something is missing: nan 1, inf 2, -inf 3; the middle of no number is 0."""
    nan, inf = np.nan, np.inf
    split = split_missing(np.array([[1.0, 5.0, nan], [2.0, nan, inf], [4.0, 9.0, nan], [8.0, 6.0, nan]]))
    found = split(np.array([[3.0, 7.0, 1.0], [1.0, nan, nan], [2.0, inf, -inf], [0.5, -inf, inf]]))
    assert found.tolist() == [
        [3.0, 7.0, 1.0, 0, 0],
        [1.0, 6.0, 0.0, 1, 1],
        [2.0, 6.0, 0.0, 2, 3],
        [0.5, 6.0, 0.0, 3, 2],
    ]


# -- digits and tails --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0.1, 1e-6, 2.0**-24, 1e-5 / np.pi, 3e-4])
def test_the_smallest_gap_is_the_grids_step(step: float) -> None:
    """To so many digits that the farthest number's remainder is right, where some lie next to each other."""
    random = np.random.default_rng(7)
    numbers = 1 / 3 + np.rint(random.laplace(size=25_000) / step) * step
    assert output_features.smallest_gap(numbers, 1e-13) / step == pytest.approx(1.0, rel=1e-9)


def test_no_gap_is_none() -> None:
    assert output_features.smallest_gap(np.ones(5), 1e-13) == 0.0
    assert output_features.smallest_gap(1 + np.arange(5) * 1e-15, 1e-13) == 0.0
    assert output_features.grid_steps(np.ones(5), np.ones(5)) == []


def test_steps_are_late_digits() -> None:
    """Of a spread of about 1.3 and 13 digits: from an eighth down, each power of 10 and 16, and either side's gap."""
    left, right = (side[:, 0] for side in sides(2_000))
    found = output_features.grid_steps(left, right)
    assert found[:12] == [10.0**k for k in range(-12, 0)]
    assert found[12:22] == [16.0**k for k in range(-10, 0)]
    assert len(found) == 24
    assert output_features.grid_steps(left / 3e6, right / 3e6)[0] == 1e-19


def test_a_grid_lies_in_the_middle_of_its_parts() -> None:
    values = np.array([0.0, 3e-6, -2e-6, 1e-6 * (1 - 1e-9), 0.5e-6, 1e300, -1e300])
    assert output_features.parts_of_step(values, 1e-6)[:5].tolist() == [0, 0, 0, 0, output_features.PARTS // 2]
    assert (
        (output_features.parts_of_step(values, 1e-6) >= 0)
        & (output_features.parts_of_step(values, 1e-6) < output_features.PARTS)
    ).all()


def test_how_far_apart_tails_are_against_every_cut() -> None:
    left, right = np.array([[0.0, 1, 5], [1, 1, 5], [2, 3, 5], [2, 1, 5]]), np.array([[2.0, 1, 5], [3, 1, 5]])
    for place, found in enumerate(ends_apart(left, right)):
        pooled, most = np.concatenate([left, right])[:, place], 0.0
        for cut in np.unique(pooled)[1:]:
            share = np.mean(pooled < cut)
            gap = abs(np.mean(left[:, place] < cut) - np.mean(right[:, place] < cut))
            most = max(most, gap / np.sqrt(share * (1 - share)))
        assert found == pytest.approx(most)
