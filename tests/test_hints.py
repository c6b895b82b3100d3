"""A page's hints at bad neighbours: looked at first, checked, and bought by nobody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tournament import Tournament

from dpbandits import QUICK, Approximate, Pair, Pulls, Verdict, audit_policy, flipped, from_object
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.search.pairs import MAX_HINTS, WRITTEN_OUT, candidates, checked_hints
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.sajed19 import DPSE

RUN = Run(replace(QUICK, trials=2_000, pair_tries=1), seed=1, level=1e-6)
LONG = 40_000


@dataclass(frozen=True)
class Vault:
    """Pulls one arm to the end and shows the sum if it is exactly `secret`: no ordinary table betrays it."""

    secret: float = 7.0 + 2.0**-7
    horizon: int = 20
    arms: int = 2
    deterministic: bool = True

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        if t == 1:
            return Pulls(np.tile([self.horizon - 2, 0], (len(state), 1)))
        return Pulls.one((state == self.secret).astype(int), 2)

    def learn(self, t, state, pulls, sums, noise):
        return state + sums[:, 0]


def claim(pairs=None, eps=1.0) -> Claim:
    private = Private("pull", "arms", lambda policy: Approximate(eps, 0.0), pairs)
    return Claim("toy/hints", Source("toy", "here", ""), private, Verdict.CONSISTENT)


def at_seven(policy) -> list[Pair]:
    table = np.zeros((2, policy.horizon))
    table[0, :7], table[0, 7] = 1, 2.0**-7
    return [flipped("pull", table, 0, 6, 0.0)]


def test_a_hint_brings_to_light_what_no_candidate_shows():
    blind = judge_private(claim(), RUN, Vault())
    assert blind.verdict is Verdict.NOT_EXERCISED
    seen = judge_private(claim(at_seven), RUN, Vault())
    assert seen.verdict is Verdict.REFUTED
    assert judge_private(claim(at_seven), RUN, Vault(secret=3.5)).verdict is not Verdict.REFUTED


@pytest.mark.thorough
def test_a_hint_that_shows_nothing_hides_nothing():
    """Beside a pair on which nothing differs, the others are looked at as ever."""
    leaky = Tournament(arms=2, horizon=6, shrunk=0.4)

    def nothing(policy):
        table = np.zeros((2, 6))
        return [Pair("pull", table, table), *[flipped("pull", table + 0.5, 0, 0, 0.5 + 1e-9)] * (MAX_HINTS - 1)]

    assert judge_private(claim(nothing), RUN, leaky).verdict is Verdict.REFUTED
    right = judge_private(claim(nothing), RUN, Tournament(arms=2, horizon=6))
    assert right.verdict is not Verdict.REFUTED


def test_hints_take_the_form_of_the_candidates():
    short, long = Vault(horizon=6), Vault(horizon=LONG)
    lengths = np.array([3, 1, 2])
    runs = Pair("pull", np.array([[1.0, 0, 0], [0, 0, 0]]), np.array([[1.0, 1, 0], [0, 0, 0]]), lengths)
    (written,) = checked_hints(short, claim(lambda _: [runs]).says)
    assert written.lengths is None
    assert written.left[0].tolist() == [1, 1, 1, 0, 0, 0]
    assert written.right[0].tolist() == [1, 1, 1, 1, 0, 0]
    table = np.zeros((2, LONG))
    table[0, :9] = 1
    (packed,) = checked_hints(long, claim(lambda _: [flipped("pull", table, 0, 20, 1.0)]).says)
    assert packed.lengths.tolist() == [9, 11, 1, LONG - 21]
    assert packed.spot == (0, 20)
    assert len({pair.length for pair in [packed, *candidates(long, "pull")]}) == 1


def test_the_longest_tables_that_are_written_out():
    for horizon in (WRITTEN_OUT, WRITTEN_OUT + 1):
        pair = flipped("pull", np.zeros((2, 2)), 0, 3, 1.0, [2, horizon - 2])
        for given in (pair, Pair("pull", *(np.repeat(side, pair.lengths, axis=1) for side in (pair.left, pair.right)))):
            (found,) = checked_hints(Vault(horizon=horizon), claim(lambda _, given=given: [given]).says)
            assert (found.lengths is None) == (horizon == WRITTEN_OUT)
            assert (found.length, found.spot) == (horizon, (0, 3))
            assert found.column(4) == found.column(3) + 1


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        (lambda p: [np.zeros((2, 20))], TypeError, "hint 0 for Vault has type ndarray; give a Pair"),
        (lambda p: at_seven(p) * (MAX_HINTS + 1), ValueError, "pairs has length 9; give at most 8"),
        (
            lambda p: [Pair("round", np.zeros((2, 20)), np.zeros((2, 20)))],
            ValueError,
            "relation 'round', arms = 2 and length 20; the claim needs",
        ),
        (lambda p: at_seven(Vault(horizon=19)), ValueError, "length 19; the claim needs"),
        (lambda p: [flipped("pull", np.zeros((2, 20)), 0, 0, 2.0, None, 0.0, 2.0)], ValueError, r"outside \[0, 1\]"),
    ],
)
def test_what_is_no_hint_is_an_error(pairs, error, words):
    with pytest.raises(error, match=words):
        judge_private(claim(pairs), RUN, Vault())


def test_a_hint_has_only_rewards_that_the_policy_accepts():
    """A leak that only an impossible reward sets off refutes no claim."""

    class Binary(Vault):
        reward_range = frozenset({0.0, 1.0})

    impossible, possible = (flipped("pull", np.zeros((2, 20)), 0, 7, value) for value in (0.5, 1.0))
    assert len(checked_hints(Binary(), claim(lambda _: [possible]).says)) == 1
    with pytest.raises(
        ValueError, match=r"hint 0 for Binary has the reward 0\.5; the policy accepts only the rewards \{0"
    ):
        checked_hints(Binary(), claim(lambda _: [impossible]).says)


@dataclass(frozen=True)
class Lawless:
    """DP-SE with so much of its noise, and without a word about its law."""

    share: float
    horizon: int = 8_000
    arms: int = 2

    @property
    def right(self):
        return DPSE(self.arms, self.horizon, eps=1.0)

    @property
    def eps(self):
        return self.right.eps

    def numbers(self, epoch, active):
        return self.right.numbers(epoch, active)

    def init(self, trials):
        return self.right.init(trials)

    def act(self, t, state, noise):
        return self.right.act(t, state, Fainter(noise, self.share))

    def learn(self, t, state, pulls, sums, noise):
        return self.right.learn(t, state, pulls, sums, noise)


@dataclass(frozen=True)
class Fainter:
    noise: Any
    share: float

    def laplace(self, site, index, shape=()):
        return self.share * self.noise.laplace(site, index, shape)


@pytest.mark.thorough
def test_dp_se_is_pressed_where_an_arm_is_about_to_go():
    """A quarter of the noise: seen in samples on the tables that the page hints at (that DP-SE itself is not refuted
    there, its own tests say)."""
    found = judge_private(ledger().by_id["sajed19/privacy"], RUN, Lawless(0.25))
    assert found.verdict is Verdict.REFUTED, found.summary


class LateWithoutNoise:
    """Follows noisy means; from an arm's fourth pull on, somebody forgot the noise."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.pulls, self.sums = rng, [0, 0], [0.0, 0.0]

    def select(self) -> int:
        if not all(self.pulls):
            return int(self.pulls[0] > 0)
        return int(self.sums[1] / self.pulls[1] > self.sums[0] / self.pulls[0])

    def update(self, arm: int, reward: float) -> None:
        self.pulls[arm] += 1
        self.sums[arm] += reward + (self.rng.laplace() if self.pulls[arm] < 4 else 0.0)


@pytest.mark.planted
def test_a_hint_is_looked_at_as_closely_as_what_was_found() -> None:
    """An event of one run in twenty, by which eps is 1.9: the first looks at a hundred pairs see nothing of it."""
    table = np.ones((2, 8))
    table[0, 3], table[1] = 0, 0.5
    policy = from_object(LateWithoutNoise, LateWithoutNoise.select, LateWithoutNoise.update, arms=2, horizon=8)
    assert audit_policy(policy, eps=1.0, pairs=[flipped("pull", table, 0, 3, 1.0)]).verdict is Verdict.REFUTED
