"""What a policy with a law does with a few rewards alone, or in a few places: its law says it, and the audit asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from mutants import Broken, Known, Memory

from dpbandits import QUICK, Finding, Gaussian, Noise, Pair, Pulls, Verdict, flipped
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.search.between import (
    interior_rewards_by_law,
    marks_by_law,
    rows_apart,
    rows_between,
    rows_of_places,
    rows_of_values,
    values_between,
)
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.claims.model import Basis, Claim, Private, Source

RUN = Run(replace(QUICK, trials=2_500, steps=10**6, pair_tries=2), seed=0, level=1e-6)


def judged(policy: Any, mu: float, effort: int = 3_000, view: str = "arms", relation: str = "pull") -> Finding:
    says = Private(relation, view, lambda _: Gaussian(mu))
    claim = Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT)
    run = replace(RUN, profile=replace(RUN.profile, pair_effort=effort))
    return judge_private(claim, run, subject=policy)


def credited(arms: int, horizon: int, credit: Callable[[Array], Array] = lambda sums: sums) -> Known:
    """Algorithm 1 that takes rewards for others, and whose law says so."""
    return Known(Broken(arms, horizon, credit=credit))


def only_037(sums: Array) -> Array:
    return np.where(sums == 0.37, 5.0, sums)


def above_09(sums: Array) -> Array:
    return np.where((sums > 0.9) & (sums < 1), 5.0, sums)


@pytest.mark.planted
@pytest.mark.parametrize(
    ("arms", "horizon", "effort", "credit"), [(2, 12, 0, above_09), (2, 16, 3_000, only_037), (3, 5, 3_000, above_09)]
)
def test_a_law_that_takes_a_few_rewards_for_more_is_refuted(
    arms: int, horizon: int, effort: int, credit: Callable[[Array], Array]
) -> None:
    """With as many tries as the profile has, and with none for the lattice."""
    finding = judged(credited(arms, horizon, credit), (horizon / 2) ** 0.5, effort)
    assert finding.verdict is Verdict.REFUTED
    assert Basis.EXACT_LAW in finding.rests_on


@pytest.mark.thorough
def test_the_same_policy_that_takes_rewards_as_they_are_stands() -> None:
    assert judged(credited(2, 12), 6**0.5).verdict is Verdict.CONSISTENT


@dataclass(frozen=True)
class Sampling(Broken):
    """Algorithm 1 with less noise for an arm whose total is at least a number and below another, and that says so."""

    odd: tuple[float, float] = (2.0, 2.0)

    def posterior(self, t: int, memory: Memory) -> tuple[Array, Array]:
        here = (memory.total >= self.odd[0]) & (memory.total < self.odd[1])
        return self.mean(self, memory), self.deviation(self, memory) * np.where(here, 0.2, 1.0)

    def act(self, t: int, memory: Memory, noise: Noise) -> Pulls:
        mean, deviation = self.posterior(t, memory)
        return Pulls.one(self.choose(mean, deviation, self.draw(noise, t, self.arms)), self.arms)


@pytest.mark.planted
@pytest.mark.parametrize("relation", ["pull", "round"])
def test_what_is_sampled_after_a_few_rewards_is_seen(relation: str) -> None:
    """All that is sampled is weighed by its exact likelihood: so are rewards between the ends."""
    for odd in ((0.365, 0.375), (0.9, 0.999)):
        assert judged(Sampling(2, 5, odd=odd), 1.7, view="samples", relation=relation).verdict is Verdict.REFUTED
    assert judged(Sampling(2, 5), 1.7, view="samples", relation=relation).verdict is Verdict.CONSISTENT


@dataclass(frozen=True)
class Seldom:
    """Pulls either arm with chance 1/2, but after a reward of 0.37, if that is the arm's n-th, arm 1 with 0.52."""

    horizon: int
    nth: int
    arms: int = 2

    def init(self, trials: int) -> Memory:
        none = np.zeros((trials, 2), dtype=np.int64)
        return Memory(none, np.zeros((trials, 1)), none)

    def act(self, t: int, state: Memory, noise: Noise) -> Pulls:
        return Pulls.one(noise.uniform("arm", t) < self.chance(state)[:, 1], 2)

    def learn(self, t: int, state: Memory, pulls: Pulls, sums: Array, noise: Noise) -> Memory:
        made = state.pulls + pulls.counts
        seen = ((sums == 0.37) & (made == self.nth) & (pulls.counts > 0)).any(axis=1)
        return Memory(made, seen[:, None].astype(float), state.last)

    def chance(self, state: Memory) -> Array:
        more = 0.5 + 0.02 * state.total[:, 0]
        return np.stack([1 - more, more], axis=1)

    def law(self, t: int, state: Memory) -> Law:
        return one_arm(self.chance(state))


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.thorough
def test_by_the_law_a_run_that_meets_a_small_leak_shows_it(nth: int) -> None:
    """One release of a hundred differs: it would take thousands of runs of every pair to see that without the law."""
    finding = judged(Seldom(6, nth), 0.02)
    assert finding.verdict is Verdict.REFUTED
    assert finding.rests_on == (Basis.EXACT_LAW,)
    odd = interior_rewards_by_law(Seldom(6, nth), "pull", 3)
    assert odd[0].spot is not None
    assert 0.37 in odd[0].left
    assert odd[0].spot[1] == nth - 1


def test_how_far_the_law_tells_apart() -> None:
    """Arm 0 pays 0.37 at its first pull: after it, each step adds one of these logarithms, with the chances of the side
    that is played. Half of the runs have two such steps, a quarter one. No other reward tells."""
    policy = Seldom(3, 1)
    pairs = [flipped("pull", np.full((2, 3), value), 0, 0, 1.0) for value in (0.37, 0.36)]
    mean, nothing = marks_by_law(policy, 5, pairs * 2_000).reshape(-1, 2).mean(axis=0)
    assert nothing == 0
    steps, sides = np.log([0.5 / 0.48, 0.5 / 0.52]), np.array([[0.48, 0.52], [0.5, 0.5]])
    one = sides @ np.abs(steps)
    two = np.einsum("si,sj,ij->s", sides, sides, np.abs(steps[:, None] + steps))
    # Two thousand runs, played with the same noise on either side: a standard deviation of 2.3 per cent.
    assert mean == pytest.approx((two / 2 + one / 4).mean(), rel=0.1)


class Compares(NamedTuple):
    """What a policy may remember, (trials, arms)."""

    pulls: Array
    total: Array


@dataclass(frozen=True)
class Compared:
    """Pulls arms at random, but once, after eight pulls of either, the arm that tells whether raw means differ by 0.2,
    and says so."""

    arms: int = 2
    horizon: int = 19

    def init(self, trials: int) -> Compares:
        return Compares(np.zeros((trials, 2)), np.zeros((trials, 2)))

    def law(self, t: int, state: Compares) -> Law:
        told = (state.total[:, 0] - state.total[:, 1] > 8 * 0.2) * 1.0
        chance = np.where((state.pulls == 8).all(axis=1), told, 0.5)
        return one_arm(np.stack([1 - chance, chance], axis=1), absolute_error=0.0)

    def act(self, t: int, state: Compares, noise: Noise) -> Pulls:
        return Pulls.one((noise.uniform("arm", t) >= self.law(t, state).chance[:, 0]).astype(int), 2)

    def learn(self, t: int, state: Compares, pulls: Pulls, sums: Array, noise: Noise) -> Compares:
        return Compares(state.pulls + pulls.counts, state.total + sums)


@pytest.mark.parametrize("rewards", [(0.0, 1.0), {0.0, 1.0}])
@pytest.mark.thorough
def test_a_law_that_compares_raw_means_is_refuted(rewards: Any) -> None:
    """Candidates' means differ by nothing, a half or one."""
    policy = Compared()
    vars(policy)["reward_range"] = rewards
    assert judged(policy, 3.0).verdict is Verdict.REFUTED


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize("most", [1, 100])
def test_rows_hold_every_pair_once_and_in_a_row_either_the_reward_or_its_place_varies(relation: str, most: int) -> None:
    policy = Broken(2, 5)
    rows, values = rows_between(policy, relation, most, 0), len(values_between(policy, 0))
    of_places, of_values = rows_of_places(policy, relation), rows_of_values(policy, relation, most, 0)
    every = [pair for row in (*of_places, *of_values) for pair in row]
    assert [(pair.left.tolist(), pair.right.tolist()) for row in rows for pair in row] == [
        (pair.left.tolist(), pair.right.tolist()) for pair in every
    ]
    varied = [len({int((pair.left != pair.right).any(axis=0).argmax()) for pair in row}) for row in rows]
    assert varied == [5] * len(of_places) + [1] * len(of_values)
    assert [len(row) for row in rows] == [5] * len(of_places) + [values] * max(1, round(most / values))


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(("most", "spots"), [(1, 1), (3 * 65, 3), (10**4, 8)])
def test_levels_move_apart_from_end_to_end_at_the_beginnings_of_doubling_blocks(
    relation: str, most: int, spots: int
) -> None:
    rows = rows_apart(Broken(3, 8), relation, most)
    assert len(rows) == spots
    for row, (place, arm) in zip(rows, [(p, a) for p in (0, 1, 3, 7) for a in (0, 2)], strict=False):
        levels = np.linspace(0, 1, len(row))
        for pair, level in zip(row, levels, strict=True):
            kept = np.arange(8) != place
            assert (pair.left[arm, kept] == level).all()
            assert (np.delete(pair.left, arm, axis=0)[:, kept] == 1 - level).all()
            assert (pair.left[:, kept] == pair.right[:, kept]).all()
            assert (pair.left[arm, place], pair.right[arm, place]) == (0, 1)


def test_of_few_pairs_the_whole_run_is_weighed_by_its_law() -> None:
    """A reward that changes late in a run is told by the rounds after it, and that of the last round by none."""
    policy = Known(Broken(3, 6))
    half = np.full((3, 6), 0.5)
    pairs = [Pair("round", half, np.where(np.arange(6) == place, 1.0, half)) for place in range(6)]
    marks = marks_by_law(policy, 0, pairs)
    assert (marks[:-1] > 0).all()
    assert marks[-1] == 0
