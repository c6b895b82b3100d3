"""The walk over states of random small policies, against a recursion in fractions: blocks and sets of three arms, ends
of different length, answers, truncation, both relations; and laws that are as wrong as they say."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbandits import Pair, Pulls
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts, enumerated_profile
from dpbandits.reference.bandits.policy import Law

EPS = np.linspace(0, 3, 13)
ARMS, KINDS = 3, 5  # of state that a law tells apart
Row = tuple[int, ...]


class State(NamedTuple):
    used: Any  # (trials,)
    heard: Any  # (trials,): four times a mixture of what was paid, a whole number
    quiet: Any  # (trials,): whether the last block was of a single arm


class Drawn(NamedTuple):
    """What a seed makes of a policy: its outcomes, their truncation, and their weights for every kind of state."""

    rows: list[Row]
    bounds: list[float]  # of each arm: one release has one truncation, wherever the horizon cuts it
    weights: np.ndarray  # (kinds, outcomes), whole numbers
    mixture: list[int]


def drawn(seed: int, ends: bool) -> Drawn:
    rng = np.random.default_rng(seed)
    rows: set[Row] = set()
    while len(rows) < 3:
        row = tuple(int(many) for many in rng.choice([0, 1, 2], 3, p=[0.5, 0.35, 0.15]))
        rows |= {row} if any(row) else set()
    answers = [(-1, 0, 0), (0, 0, -1)] if ends else []
    every = [*sorted(rows), *answers]
    weights = rng.integers(1, 12, (KINDS, len(every))) * rng.choice([1, 1, 30], (KINDS, len(every)))
    bounds = rng.choice([np.inf, 0.5], ARMS, p=[0.7, 0.3]).tolist()
    return Drawn(every, bounds, weights, rng.integers(1, 4, ARMS).tolist())


@dataclass(frozen=True)
class Random:
    """A law by the seed. error, blur: what it says of itself; it is as wrong as that, up or down by the outcome."""

    seed: int
    horizon: int
    answers: bool
    error: float = 1e-14
    absolute_error: float = 0.0
    arms: int = ARMS

    def init(self, trials: int) -> State:
        none = np.zeros(trials, dtype=np.int64)
        return State(none, none, np.zeros(trials, dtype=bool))

    def kind(self, heard: Any, quiet: Any) -> Any:
        return (heard + 2 * quiet) % KINDS

    def law(self, t: int, state: State) -> Law:
        plan = drawn(self.seed, self.answers)
        weight = plan.weights[self.kind(state.heard, state.quiet)].astype(float)
        if self.answers:
            over = np.array([min(row) < 0 for row in plan.rows])
            weight = np.where((state.used >= self.horizon)[:, None] & ~over, 0.0, weight)
        chance = weight / weight.sum(axis=1, keepdims=True)
        up = np.where(np.arange(chance.shape[1]) % 2, 1.0, -1.0)
        wrong = np.maximum(chance * (1 + 0.9 * self.error * up) + 0.9 * self.absolute_error * up * (chance > 0), 0.0)
        wrong = np.where(chance < self.absolute_error, 0.0, wrong)  # what is fainter is left out
        shape = (len(chance), len(plan.rows), ARMS)
        bound = np.broadcast_to(np.array(plan.bounds), shape)
        return Law(np.broadcast_to(np.array(plan.rows), shape), wrong, bound, self.error, self.absolute_error)

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        law = self.law(t, state)
        ends = np.cumsum(law.chance, axis=1)[:, :-1]
        chosen = (noise.uniform("release", t)[:, None] > ends).sum(axis=1)
        every = np.arange(len(chosen))
        return Pulls(law.counts[every, chosen], law.bound[every, chosen])

    def learn(self, t: int, state: State, pulls: Any, sums: Any, noise: Any) -> State:
        plan = drawn(self.seed, self.answers)
        heard = state.heard + np.rint(4 * sums @ np.array(plan.mixture)).astype(np.int64)
        return State(state.used + pulls.counts.sum(axis=1), heard, (pulls.counts > 0).sum(axis=1) == 1)


def truth(policy: Random, relation: str, table: list[list[Fraction]]) -> dict[tuple[Row, ...], Fraction]:
    """Every transcript's chance, one reward after another."""
    plan = drawn(policy.seed, policy.answers)
    found: dict[tuple[Row, ...], Fraction] = defaultdict(Fraction)

    def follow(made: list[int], heard: int, quiet: bool, past: tuple[Row, ...], chance: Fraction) -> None:
        left = policy.horizon - sum(made)
        if not left and not policy.answers:
            found[past] += chance
            return
        weights = plan.weights[policy.kind(heard, quiet)].tolist()
        ways = [k for k, row in enumerate(plan.rows) if left or min(row) < 0]
        for k in ways:
            row, share = plan.rows[k], Fraction(weights[k], sum(weights[j] for j in ways))
            if min(row) < 0:
                found[*past, row] += chance * share
                continue
            now, told, rest, pulled = list(made), heard, left, []
            for arm, many in enumerate(row):
                some = min(many, rest)
                rest -= some
                pulled.append(some)
                for _ in range(some):
                    reward = table[arm][now[arm] if relation == "pull" else sum(now)]
                    now[arm] += 1
                    told += int(4 * reward * plan.mixture[arm]) if abs(reward) <= plan.bounds[arm] else 0
            alone = sum(many > 0 for many in pulled) == 1
            follow(now, told, alone, (*past, tuple(pulled)), chance * share)

    follow([0] * ARMS, 0, False, (), Fraction(1))
    return found


def pair(relation: str, seed: int, horizon: int) -> Pair:
    rng = np.random.default_rng(seed)
    left = rng.integers(0, 5, (ARMS, horizon)) / 4
    right = left.copy()
    if relation == "pull":
        right[seed % ARMS, 0] = 1 - round(left[seed % ARMS, 0])
    else:
        right[:, 0] = 1 - np.round(left[:, 0])
    return Pair(relation, left, right)


def exactly(policy: Random, two: Pair) -> tuple[list[Any], list[Fraction], list[Fraction]]:
    sides = [
        truth(policy, two.relation, [[Fraction(x) for x in row] for row in side.tolist()])
        for side in (two.left, two.right)
    ]
    names = sorted({*sides[0], *sides[1]})
    return names, *([side.get(name, Fraction(0)) for name in names] for side in sides)  # type: ignore[return-value]


def curve(left: list[Fraction], right: list[Fraction]) -> np.ndarray:
    """delta(eps), of both directions, (2, eps)."""
    p, q = (np.array([float(x) for x in side]) for side in (left, right))
    return np.array([np.maximum(one - np.exp(EPS)[:, None] * other, 0).sum(axis=1) for one, other in ((p, q), (q, p))])


def between(profile: Any, left: list[Fraction], right: list[Fraction]) -> None:
    """The trade-off curve of the sharpest tests lies between the profile's two, at its own corners and theirs."""
    p, q = (np.array([float(x) for x in side]) for side in (left, right))
    order = np.argsort(np.arctan2(p, q))  # least likely on the left first: these reject it
    alpha, beta = np.append(0.0, np.cumsum(p[order])), 1 - np.append(0.0, np.cumsum(q[order]))
    low, high = (np.array(each).T for each in profile.tradeoff())
    assert (np.interp(alpha, *low) <= beta + 1e-12).all()
    assert (np.interp(high[0], alpha, beta) <= high[1] + 1e-12).all()


SEEDS, RELATIONS = (0, 2, 5, 6, 11), ("pull", "round")
CASES = [(seed, relation, ends) for seed in SEEDS for relation in RELATIONS for ends in (False, True)]


@pytest.mark.parametrize(("seed", "relation", "ends"), CASES)
@pytest.mark.first(3)
def test_random_policies_are_walked_as_by_hand(seed: int, relation: str, ends: bool) -> None:
    policy = Random(seed, 4 + seed % 2, ends)
    two = pair(relation, seed, policy.horizon)
    names, left, right = exactly(policy, two)
    assert sum(left) == sum(right) == 1
    assert not ends or len({len(name) for name in names}) > 1
    found = enumerate_transcripts(policy, two)
    listed = [tuple(tuple(row) for row in one if any(row)) for one in found.released.tolist()]
    assert sorted(listed) == names
    order = [names.index(one) for one in listed]
    np.testing.assert_allclose(found.left, [float(left[k]) for k in order], rtol=1e-12)
    np.testing.assert_allclose(found.right, [float(right[k]) for k in order], rtol=1e-12)
    told = curve(left, right)
    for profile in (exact_profile(policy, two, deep=True), exact_profile(policy, two, deep=False)):
        for side, true in zip((profile, profile.swapped), told, strict=True):
            low, high = side.delta_one_way(EPS)
            assert (low <= true + 1e-12).all()
            assert (true <= high + 1e-12).all()
            assert (high - low <= 5e-3).all()
        between(profile, left, right)
    worst = max(abs(np.log(float(p / q))) for p, q in zip(left, right, strict=True))
    low, high = exact_profile(policy, two, deep=True).eps(0.0)
    assert low - 1e-12 <= worst <= high + 1e-12


@pytest.mark.parametrize(("error", "absolute_error"), [(3e-2, 0.0), (0.0, 1e-8), (1e-2, 1e-10), (0.0, 1e-6)])
@pytest.mark.parametrize(("seed", "relation"), [(2, "pull"), (5, "round"), (6, "pull"), (11, "round")])
@pytest.mark.first(4)
def test_laws_that_are_as_wrong_as_they_say(seed: int, relation: str, error: float, absolute_error: float) -> None:
    """The curves hold the truth, of which the law knows so much and no more; and they would not without its word."""
    ends = bool(seed % 2)
    two = pair(relation, seed, 4)
    _, left, right = exactly(Random(seed, 4, ends), two)
    told = curve(left, right)
    assert told.max() > 0.05
    policy = Random(seed, 4, ends, error, absolute_error)
    profiles = [exact_profile(policy, two, deep=deep) for deep in (True, False)]
    if not absolute_error:
        profiles.append(enumerated_profile(policy, two))
    for profile in profiles:
        assert (profile.step_absolute_error > 0) == (absolute_error > 0)
        for side, true in zip((profile, profile.swapped), told, strict=True):
            low, high = side.delta_one_way(EPS)
            assert (low <= true + 1e-12).all()
            assert (true <= high + 1e-12).all()
        between(profile, left, right)
        if not absolute_error:
            worst = max(abs(np.log(float(p / q))) for p, q in zip(left, right, strict=True))
            low, high = profile.eps(0.0)
            assert low <= worst <= high


def test_a_law_that_is_more_wrong_than_it_says_is_seen_here() -> None:
    """The control of the test above: the same chances, and no word of what they are wrong by."""

    class Silent(Random):
        def law(self, t: int, state: State) -> Law:
            said = super().law(t, state)
            chance = said.chance / said.chance.sum(axis=1, keepdims=True)
            return said._replace(chance=chance, error=1e-14, absolute_error=0.0)

    two = pair("round", 5, 4)
    _, left, right = exactly(Random(5, 4, True), two)
    profile = exact_profile(Silent(5, 4, True, 3e-2), two, deep=True)
    low, high = profile.delta_one_way(EPS)
    true = curve(left, right)[0]
    assert ((true < low - 1e-9) | (true > high + 1e-9)).any()
