"""Learnt scores against twins that count with dictionaries and loops, and judges against the definition."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from typing import Any

import numpy as np
import pytest
from elimination import Elimination
from leaks import DoublingUCB

from dpbandits import Approximate, Gaussian, Pair, flipped
from dpbandits.audit.play.transcripts import Transcripts, simulate_transcripts, step_counts
from dpbandits.audit.privacy.scores import contexts, learning
from dpbandits.audit.privacy.scores.learning import (
    CONTEXT_COUNTS,
    LEANS,
    ORDER,
    best_learnt,
    expected_excess,
    learnt_ratio_scores,
)
from dpbandits.audit.statistics.events import MAIN_SHARE
from dpbandits.audit.statistics.region import (
    PLANNED_POINTS,
    excess_over_region,
    planned_region,
    probability_upper_limit,
)
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.curves import Curve
from dpbandits.reference.papers.ou24 import ThompsonSampling

Told = list[tuple[Any, ...]]  # a trial's releases: the pull counts of each step


def seen(policy: Any, pair: Pair, trials: int) -> list[Transcripts]:
    return [simulate_transcripts(policy, table, trials, seed) for seed, table in enumerate(pair.environments())]


def told(side: Transcripts) -> list[Told]:
    return [[tuple(step) for step in run] for run in step_counts(side, side.counts.shape[2]).tolist()]


def context(name: str, run: Told, t: int, arm: int) -> Any:
    """What a context of this name knows before step t, counted from 0."""
    so_far = tuple(sum(step[k] for step in run[:t]) for k in range(len(run[0])))
    last = tuple(run[t - back] if t >= back else None for back in (1, 2, 3))
    return {
        "step": t,
        "changed arm": (t, so_far[arm]),
        "counts": (t, so_far),
        "last": (t, last[:1]),
        "last two": (t, last[:2]),
        "last three": (t, last),
        "counts, last": (t, so_far, last[:1]),
        "counts, last two": (t, so_far, last[:2]),
        "all": (t, tuple(run[:t])),
    }[name]


def cells(runs: list[Told], pair: Pair) -> list[list[int]]:
    """The steps of each run after which the changed reward has been paid."""
    assert pair.spot is not None
    arm, index = pair.spot
    own = [
        [sum(step[arm] if pair.relation == "pull" else sum(step) for step in run[:t]) for t in range(len(run))]
        for run in runs
    ]
    return [[t for t, paid in enumerate(each) if paid > index] for each in own]


def twin(first: list[list[Told]], runs: list[Told], pair: Pair, chain: tuple[str, ...], lean: float) -> list[Array]:
    """The scores of these runs along a chain, learnt from the first ones of either side, after each of its contexts."""
    assert pair.spot is not None
    arm = pair.spot[0]
    told_of = cells(runs, pair)
    ratio = {(k, t): 0.0 for k, steps in enumerate(told_of) for t in steps}
    common = dict.fromkeys(ratio, 0.5)
    out = []
    for name in chain:
        visits, hits = ([Counter(), Counter()] for _ in range(2))
        for side, learn in enumerate(first):
            for run, steps in zip(learn, cells(learn, pair), strict=True):
                for t in steps:
                    where = context(name, run, t, arm)
                    visits[side][where] += 1
                    hits[side][where, run[t]] += 1
        for k, t in ratio:
            where = context(name, runs[k], t, arm)
            here, met = [each[where] for each in visits], [each[where, runs[k][t]] for each in hits]
            common[k, t] = (sum(met) + common[k, t]) / (sum(here) + 1)
            tilt = exp(ratio[k, t] / 2)
            right = (met[1] + lean * common[k, t] * tilt) / (here[1] + lean)
            left = (met[0] + lean * common[k, t] / tilt) / (here[0] + lean)
            ratio[k, t] = log(right / left)
        out.append(np.array([sum(ratio[k, t] for t in steps) for k, steps in enumerate(told_of)]))
    return out


PLAYED = [
    (ThompsonSampling(2, 6), flipped("pull", np.zeros((2, 6)), 1, 1, 1.0)),
    (ThompsonSampling(3, 5), flipped("round", np.zeros((3, 5)), 1, 1, 1.0)),
    (Elimination(3, 24, first=1), flipped("pull", np.zeros((3, 24)), 0, 0, 1.0)),
    (DoublingUCB(2, 14), flipped("round", np.zeros((2, 14)), 1, 2, 1.0)),
]


@pytest.mark.parametrize(("policy", "pair"), PLAYED, ids=str)
@pytest.mark.first(2)
def test_scores_are_the_estimated_ratios_along_every_chain(policy: Any, pair: Pair) -> None:
    first, rest = seen(policy, pair, 40), [side.part(40, 70) for side in seen(policy, pair, 70)]
    found = iter(learnt_ratio_scores(first, rest, pair, (CONTEXT_COUNTS, ORDER), LEANS))
    names = {CONTEXT_COUNTS: (*CONTEXT_COUNTS[:3], "counts, last", "counts, last two", "all"), ORDER: ORDER}
    for chain in (CONTEXT_COUNTS, ORDER):
        for lean in LEANS:
            left, right = (twin([told(s) for s in first], told(side), pair, names[chain], lean) for side in rest)
            for one, other in zip(left, right, strict=True):
                chosen = next(found)
                assert chosen.left == pytest.approx(one, abs=1e-9)
                assert chosen.right == pytest.approx(other, abs=1e-9)
                assert chosen.score(rest[1]) == pytest.approx(other, abs=1e-9)
    assert next(found, None) is None


def test_a_law_is_learnt_from_so_many_steps_at_most() -> None:
    policy, pair = PLAYED[0]
    first, rest = seen(policy, pair, 40), seen(policy, pair, 10)
    (few, *_) = learnt_ratio_scores([side.part(0, 20) for side in first], rest, pair, (CONTEXT_COUNTS,), LEANS)
    (capped, *_) = learnt_ratio_scores(first, rest, pair, (CONTEXT_COUNTS,), LEANS, most_cells=6 * 20)
    assert capped.left.tolist() == few.left.tolist()


def test_what_is_learnt_is_not_judged_where_it_was_learnt() -> None:
    """Three fifths teach, two fifths choose; the best of all scores is kept, the wider gap where promises are equal."""
    policy, pair = PLAYED[0]
    left, right = seen(policy, pair, 50)
    parts = {}

    def learnt_ratio_scores(first: Any, rest: Any, *others: Any) -> Any:
        parts["first"], parts["rest"] = first, rest
        for shift in (0.0, 3.0, 1.0):
            yield learning.Chosen(None, np.zeros(20), np.arange(20.0) % 4 + shift - 2)  # type: ignore[arg-type]

    chosen = best_learnt(left, right, pair, lambda left, right: 1.0, learnt_ratio_scores)
    assert np.array_equal(chosen.right, np.arange(20.0) % 4 + 1)
    for place, (first, rest) in enumerate(zip(parts["first"], parts["rest"], strict=True)):
        assert np.array_equal(first.arms, (left, right)[place].arms[:30])
        assert np.array_equal(rest.arms, (left, right)[place].arms[30:])
    chosen = best_learnt(left, right, pair, lambda left, right: -abs(float(right.mean()) - 0.5), learnt_ratio_scores)
    assert np.array_equal(chosen.right, np.arange(20.0) % 4 - 1)


def test_numbers_take_half_the_memory_of_the_words_that_they_stand_for() -> None:
    """The words are not kept beside them: of ten million cells each kind of context would be a tenth of a gigabyte."""
    policy, pair = PLAYED[0]
    made = [contexts.cells(side, pair) for side in seen(policy, pair, 30)]
    for each, cells in zip(contexts.number_cells(made), made, strict=True):
        assert 2 * each.numbers("counts").nbytes == cells.makers["counts"]().nbytes


@pytest.mark.parametrize("kinds", [1, 7, 300, 4_000])
def test_words_have_the_same_number_where_they_are_the_same(kinds: int) -> None:
    """Also where many of them ask for the same place: numbers in a row, and far apart by powers of two."""
    generator = np.random.default_rng(kinds)
    for names in (np.arange(kinds), np.arange(kinds) * 2**40, generator.integers(0, 2**63, kinds)):
        words = generator.choice(names.astype(np.uint64), 3_000)
        first, number = contexts.number_words(words)
        assert np.array_equal(words[first][number], words)
        assert len(first) == len(set(words.tolist()))
    assert [len(each) for each in contexts.number_words(np.zeros(0, np.uint64))] == [0, 0]


@pytest.mark.parametrize("curve", [Gaussian(0.5), Approximate(0.5), Approximate(1.0, 1e-2)], ids=str)
@pytest.mark.parametrize("trials", [16, 40, 1_000])
def test_a_judge_promises_what_fresh_trials_should_certify(curve: Curve, trials: int) -> None:
    """At the best threshold, with every error at its upper limit at a tenth. Of few trials the table has every count;
    of 1000 it has shares a tenth apart, and straight lines between them are off by some thousandths."""
    generator = np.random.default_rng(trials)
    left, right = generator.normal(size=trials).round(1), (generator.normal(size=trials) + 1.5).round(1)
    fresh, level = 3_000, 1e-6
    wanted = -np.inf
    for cut in np.unique(np.concatenate([left, right])):
        wrong = [
            probability_upper_limit(int((left >= cut).sum()), trials, 0.1),
            probability_upper_limit(int((right < cut).sum()), trials, 0.1),
        ]
        likely_ = planned_region(wrong[0] * fresh, wrong[1] * fresh, fresh, level * MAIN_SHARE, points=PLANNED_POINTS)
        wanted = max(wanted, float(excess_over_region(curve, likely_).amount))
    assert expected_excess(curve, fresh, level)(left, right) == pytest.approx(
        wanted, abs=1e-9 if trials < 100 else 5e-3
    )


def test_a_judge_of_many_scores_looks_at_those_in_the_tails() -> None:
    """What only forty of ten thousand trials show, all of them on the right, is seen: no threshold is skipped there."""
    generator = np.random.default_rng(0)
    left, right = generator.normal(size=10_000), generator.normal(size=10_000)
    right[:40] = 50 + np.arange(40)
    judge = expected_excess(Approximate(0.0), 10_000, 1e-3)
    cut = planned_region(
        probability_upper_limit(0, 10_000, 0.1) * 1e4,
        probability_upper_limit(9_960, 10_000, 0.1) * 1e4,
        10_000,
        1e-3 * MAIN_SHARE,
    )
    assert judge(left, right) >= float(excess_over_region(Approximate(0.0), cut).amount) - 5e-3 > 0.1


def test_words_that_were_never_met_were_met_no_times() -> None:
    known = learning.count_distinct_words(np.array([9, 4], np.uint64), np.array([[1.0, 0.0], [2.0, 3.0]]))
    assert known.of(np.array([4, 5, 9, 10], np.uint64)).tolist() == [[2, 3], [0, 0], [1, 0], [0, 0]]
    none = learning.count_distinct_words(np.zeros(0, np.uint64), np.zeros((0, 2)))
    assert none.of(np.array([4], np.uint64)).tolist() == [[0, 0]]
