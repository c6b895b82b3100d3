"""Which rounds of a policy are certified: every look's rounds and trials, and the order, against twins by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from mutants import Silent

from dpbandits import QUICK, Approximate, Gaussian, Pulls
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy import rounds as ranking
from dpbandits.audit.privacy.rounds import best_errors, exact_laws, rounds_tried, sampled_counts, worst_rounds
from dpbandits.audit.privacy.single_rounds import History, UnknownArm, round_of
from dpbandits.audit.statistics.region import excess_at_errors, probability_upper_limit
from dpbandits.reference.bandits.noise import address
from dpbandits.reference.curves import Curve
from dpbandits.reference.papers.ou24 import ThompsonSampling

RUN = Run(QUICK, seed=0, level=1e-6)


def likelihood_tests(left: Any, right: Any) -> list[tuple[int, ...]]:
    """The outputs of each likelihood-ratio test, the likeliest on the right first."""
    order = sorted(range(len(left)), key=lambda k: right[k] / left[k])
    return [tuple(order[k:]) for k in range(1, len(order))]


def test_the_errors_of_all_tests_are_sums_of_masses() -> None:
    generator = np.random.default_rng(3)
    left, right, left_mass, right_mass = generator.random((4, 5, 4)) + 0.1
    alpha, beta = best_errors(left, right, left_mass, right_mass)
    for row in range(5):
        every = likelihood_tests(left[row], right[row])
        assert alpha[row] == pytest.approx([sum(left_mass[row, k] for k in test) for test in every])
        rest = [set(range(4)) - set(test) for test in every]
        assert beta[row] == pytest.approx([sum(right_mass[row, k] for k in test) for test in rest])


@pytest.mark.parametrize(
    ("curve", "arms", "horizon", "spread"),
    [(Gaussian(0.3), 3, 7, 6), (Approximate(0.4), 2, 7, 6), (Approximate(0.4), 11, 2, 3)],
)
@pytest.mark.first(1)
def test_by_their_laws_the_four_worst_come_first_and_then_a_spread(
    curve: Curve, arms: int, horizon: int, spread: int
) -> None:
    policy = ThompsonSampling(arms, horizon)
    tried = rounds_tried(policy)
    names, every = list(tried.rounds), list(tried.rounds.values())
    laws = [exact_laws(every, side, arms) for side in (0, 1)]
    said = []
    for left, right in zip(*laws, strict=True):
        errors = [(left[list(test)].sum(), 1 - right[list(test)].sum()) for test in likelihood_tests(left, right)]
        said.append(max(float(excess_at_errors(curve, alpha + 1e-10, beta + 1e-10).amount) for alpha, beta in errors))
    chosen = list(worst_rounds(policy, tried, curve, RUN, "test"))
    worst = [said[names.index(name)] for name in chosen[:4]]
    assert worst == pytest.approx(sorted(said, reverse=True)[:4], abs=1e-9)
    evenly = [names[round(k * (len(names) - 1) / (spread - 1))] for k in range(spread)]
    assert chosen[4:] == [name for name in evenly if name not in chosen[:4]]


class Looks(list[tuple[int, int]]):
    """How many rounds each look was at, and with how many trials; the later round looks worse."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def __call__(self, rounds: list[Any], curve: Curve, trials: int, seed: int) -> Any:
        self.append((len(rounds), trials))
        self.seeds.append(seed)
        return np.array([float(each.left[0]) for each in rounds])


class Place(NamedTuple):
    left: tuple[float, ...]


@pytest.mark.parametrize(
    ("trials", "many", "looks"),
    [
        # An eighth of the rounds, six times as many trials, until the next look would take more than the audit does.
        (20_000, 1_000, [(1_000, 300), (125, 1_800), (15, 10_800)]),
        (200_000, 1_000, [(1_000, 3_000), (125, 18_000), (15, 108_000)]),
        (20_000, 40, [(40, 300), (5, 1_800), (4, 10_800)]),
        (20_000, 16, [(16, 300), (4, 1_800)]),
        (20_000, 4, [(4, 300)]),
        (1_800, 100, [(100, 300), (12, 1_800)]),
        (1_799, 100, [(100, 300)]),
        # No more first looks than 160 times the audit's trials pay: of 300 trials, two sides and two arms here.
        (20_000, 5_000, [(2_666, 300), (333, 1_800), (41, 10_800)]),
    ],
)
def test_each_look_is_at_fewer_rounds_with_more_trials(trials: int, many: int, looks: list[tuple[int, int]]) -> None:
    seen = Looks()
    every: Any = [Place((float(k), 0.0)) for k in range(many)]
    run = replace(RUN, profile=replace(QUICK, trials=trials))
    chosen = ranking.halve_rounds(every, [], Gaussian(1.0), run, 5, seen)
    assert seen == looks
    assert seen.seeds == [address(5, look + 1) for look in range(len(looks))]
    if many <= looks[0][0]:
        assert chosen == list(range(many - 1, many - 5, -1))
    else:
        assert len(set(chosen)) == 4


def test_those_that_must_stay_are_in_every_look_and_the_worst_are_chosen() -> None:
    seen = Looks()
    every: Any = [Place((float(k), 0.0)) for k in range(5_000)]
    assert ranking.halve_rounds(every, [4_999, 0, 1, 2], Gaussian(1.0), RUN, 5, seen)[0] == 4_999
    (first, _), (second, _), (third, _) = seen
    assert 2_666 <= first <= 2_670
    assert second == first // 8 + 3
    assert third == second // 8 + 3


@pytest.mark.parametrize("curve", [Gaussian(0.3), Approximate(0.4), Approximate(0.2, 0.05)], ids=str)
def test_a_look_takes_every_error_at_its_upper_limit(curve: Curve) -> None:
    generator = np.random.default_rng(1)
    counts = [generator.multinomial(300, [0.2, 0.5, 0.3], size=6).astype(float) for _ in range(2)]
    wanted = []
    for left, right in zip(*counts, strict=True):
        errors = [
            (
                probability_upper_limit(left[list(test)].sum(), 300, 0.05),
                probability_upper_limit(300 - right[list(test)].sum(), 300, 0.05),
            )
            for test in likelihood_tests(left + 0.5, right + 0.5)
        ]
        wanted.append(max(float(excess_at_errors(curve, *error).amount) for error in errors))
    assert ranking.excesses_of_counts(counts, curve, 300) == pytest.approx(wanted, abs=1e-9)  # type: ignore[list-item]


class Tilted(NamedTuple):
    """Pulls arm 1 with a chance that is the mean reward, in step `loud` always; draws while it learns, or not."""

    draws: bool = False
    loud: int = 0
    arms: int = 2
    horizon: int = 9

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 2))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        chance = state[:, 0] / np.maximum(state[:, 1], 1)
        return Pulls.one(((noise.uniform("u", t) < chance) | (t == self.loud)).astype(int), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        if self.draws:
            noise.uniform("idle", t)
        return state + np.stack([sums.sum(axis=1), pulls.counts.sum(axis=1)], axis=1)


@pytest.mark.parametrize(("trials", "draws"), [(200, False), (200, True), (70_000, False), (200_000, False)])
def test_every_round_is_played_from_its_own_history(trials: int, draws: bool) -> None:
    """Rounds of two steps in turn, with means of 0, 1/2 and 1: of all trials none, about half and all pull arm 1. Three
    rounds are played at once, or two, or one."""
    policy = Tilted(draws)
    histories = [
        History((0,) * n, (1,) * n, (0.0,) * n, (1.0,) + (0.0,) * (n - 1)) if k % 2 else
        History((1,) * n, (1,) * n, (1.0,) * n, (1.0,) * (n - 1) + (0.0,))
        for k, n in enumerate((1, 2, 1, 2, 2, 1))
    ]  # fmt: skip
    rounds = [
        round_of(UnknownArm(policy, each.counts(2), each.t, each), each.totals(2, 0), each.totals(2, 1))
        for each in histories
    ]
    for side in (0, 1):
        counts = sampled_counts(rounds, side, trials, seed=4)
        assert (counts.sum(axis=1) == trials).all()
        for history, (_, ones) in zip(histories, counts, strict=True):
            mean = sum(history.paid(side)) / len(history.arms)
            few = 5.6 * np.sqrt(trials / 4) * (mean not in (0, 1))  # standard deviations
            assert abs(ones - trials * mean) <= few
    assert not np.array_equal(*(sampled_counts(rounds, 1, trials, seed) for seed in (4, 5)))
    assert np.array_equal(sampled_counts(rounds[:1], 1, trials, seed=4), sampled_counts(rounds, 1, trials, seed=4)[:1])
    assert trials == 200 or len({*counts[[1, 3, 4], 1].tolist()}) == 3  # of equal chances, each with its own draws


def test_rounds_of_a_policy_without_a_law_are_ranked_by_their_looks() -> None:
    seen = Looks()
    policy = Silent(ThompsonSampling(2, 9))
    tried = rounds_tried(policy)
    chosen = worst_rounds(policy, tried, Gaussian(1.0), RUN, "test", seen)
    assert len(chosen) == 4
    assert seen[0] == (len(tried.rounds), 300)
    most = Counter(each.left[0] for each in tried.rounds.values())
    assert next(iter(chosen.values())).left[0] == max(most)
