"""Policies that leave nothing to chance: ties, orders of first pulls, margins, and what a disagreement says."""

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpbandits import Table, audit_policy, follows_law, from_object, laws, replay
from dpbandits.extensions.conformance.games import generic_probes
from dpbandits.extensions.contextual.linear_bandits import ExploringRidge, LinUCB
from dpbandits.papers.auer02 import UCB1
from dpbandits.papers.bubeck13 import RobustUCB
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.policy import Pulls
from dpbandits.reference.bandits.release_laws.checked import checked_open
from dpbandits.reference.bandits.release_laws.ties import TIES
from dpbandits.reference.bandits.ridge_regression import predictions
from dpbandits.reference.claims.model import Verdict


@pytest.mark.parametrize(
    ("ties", "share", "left_open"),
    [
        ("shared", [0.5, 0, 0.5], [0, 0, 0]),
        ("first", [1, 0, 0], [0, 0, 0]),
        ("last", [0, 0, 1], [0, 0, 0]),
        ("any", [1, 0, 0], [1, 0, 1]),
    ],
)
def test_who_is_the_best_of_equal_ones(ties, share, left_open):
    law = laws.largest(np.array([[2.0, 1.0, 2.0], [0.0, 3.0, 1.0]]), ties)
    assert law.chance.tolist() == [share, [0, 1, 0]]
    assert law.open.tolist() == [[bool(each) for each in left_open], [False] * 3]
    greedy = laws.epsilon_greedy(np.array([[2.0, 1.0, 2.0]]), 0.3, ties)
    assert greedy.chance[0] == pytest.approx(0.7 * np.array(share) + 0.1)
    gaps = laws.inverse_gap_weighting(np.array([[2.0, 1.0, 2.0]]), 3.0, ties).chance[0]
    assert gaps[1] == pytest.approx(1 / 6)
    assert gaps.sum() == pytest.approx(1)
    assert (gaps[0] == pytest.approx(gaps[2])) == (ties == "shared")


@pytest.mark.parametrize("ties", ["first", "last", "shared"])
def test_where_rounding_decides_any_choice_is_open(ties):
    near = laws.largest(np.array([[1.0, 1.0 + 1e-12, 0.5], [1.0, 1.0 + 1e-6, 0.5]]), ties)
    assert near.open.tolist() == [[True, True, False], [False, False, False]]


def test_an_infinite_score_ties_with_infinite_ones_alone():
    law = laws.largest(np.array([[np.inf, 1e300, np.inf]]), "any")
    assert law.open.tolist() == [[True, False, True]]


def test_what_is_no_rule_for_ties_is_refused():
    with pytest.raises(ValueError, match="ties is 'lowest'; choose one of 'shared', 'first', 'last', 'any'"):
        laws.largest(np.zeros((1, 2)), "lowest")
    with pytest.raises(ValueError, match="largest: a score is nan"):
        laws.largest(np.array([[np.nan, 0.0]]))


def test_arms_are_open_only_where_each_outcome_pulls_its_own_arm():
    law = laws.largest(np.array([[1.0, 1.0, 0.5]]), "any")
    for wrong in (law._replace(counts=law.counts[:, ::-1]), law._replace(counts=2 * law.counts[:, :2])):
        with pytest.raises(ValueError, match="outcome o must pull exactly arm o"):
            checked_open(wrong, wrong.counts, "toy")


# -- an implementation with its own ties and its own order of first pulls ----------------------------------------------


class Mine:
    """UCB1. ties: how it breaks them; order: of the first pulls; bonus: line 2's 2."""

    def __init__(self, rng, arms, ties, order, bonus=2.0):
        self.rng, self.ties, self.bonus = rng, ties, bonus
        self.first = list(range(arms)) if order == "up" else list(range(arms))[::-1]
        if order == "drawn":
            rng.shuffle(self.first)
        self.n, self.s = np.zeros(arms), np.zeros(arms)

    def select(self):
        if self.first:
            return self.first[0]
        index = self.s / self.n + np.sqrt(self.bonus * np.log(self.n.sum()) / self.n)
        best = np.flatnonzero(index == index.max())
        return int(
            {"first": best[0], "last": best[-1]}.get(self.ties) if self.ties != "drawn" else self.rng.choice(best)
        )

    def update(self, arm, reward):
        self.first = [each for each in self.first if each != arm]
        self.n[arm] += 1
        self.s[arm] += reward


def mine(ties, order="up", arms=3, horizon=8, **more):
    return from_object(lambda rng: Mine(rng, arms, ties, order, **more), Mine.select, Mine.update, arms, horizon)


class Downwards(UCB1):
    """UCB1, whose first pulls are from the last arm to the first."""

    def act(self, t, state, noise):
        return (
            Pulls.one(np.full(len(state.pulls), self.arms - t), self.arms)
            if t <= self.arms
            else super().act(t, state, noise)
        )


@pytest.mark.parametrize(
    "policy",
    [
        Downwards(3, 5),
        pytest.param(mine("first", "down", horizon=5), marks=pytest.mark.thorough),
        pytest.param(mine("last", "up", horizon=5), marks=pytest.mark.thorough),
        pytest.param(mine("drawn", "drawn", horizon=5), marks=pytest.mark.thorough),
    ],
    ids=["first-down, all at once", "first-down", "last-up", "drawn-drawn"],
)
def test_ties_and_the_order_of_first_pulls_are_open(policy):
    for check in (follows_law, replay)[: 1 if isinstance(policy, Downwards) else 2]:
        found = check(policy, UCB1(3, 5), trials=5)
        assert found.verdict is Verdict.CONSISTENT
        many = re.match(r"(\d+) decisions in 37 environments .* in (\d+) of them several arms tie", found.summary)
        assert many
        assert int(many[1]) >= 37 * 5
        assert int(many[2]) >= 37 * 2
        assert "smallest distance between the best score and the next is 0." in found.summary


@pytest.mark.thorough
def test_another_bonus_is_refuted_and_the_message_names_step_arms_and_scores():
    found = follows_law(mine("first", horizon=6, bonus=0.5), UCB1(3, 6), trials=5)
    assert found.verdict is Verdict.REFUTED
    assert re.search(
        r"run 0, step [4-6]: the policy pulls arm \d \(score [\d.]+\), but the reference pulls arm \d( or \d)*, with "
        r"the scores [\d.]+, [\d.]+, [\d.]+",
        found.summary,
    )


@dataclass(frozen=True)
class Ties:
    """Pulls by the rewards so far, and leaves nothing to chance: the law and the acts break ties as they are told."""

    law_ties: str
    act_ties: str
    arms: int = 3
    horizon: int = 4
    deterministic: bool = True

    def init(self, trials):
        return np.zeros((trials, 3))

    def law(self, t, state):
        return laws.largest(state, self.law_ties)

    def act(self, t, state, noise):
        chance = laws.largest(state, self.act_ties).chance
        above = np.cumsum(chance, axis=1)[:, :-1] <= noise.uniform("ties", t, (1,))
        return Pulls.one(above.sum(axis=1), 3)

    def learn(self, t, state, pulls, sums, noise):
        return state + sums


@pytest.mark.parametrize("said", TIES)
@pytest.mark.parametrize("done", ["first", "last", "shared"])
def test_a_stated_rule_for_ties_is_held_against_the_acts(said, done):
    policy = replace(Ties(said, done), deterministic=False)
    found = follows_law(policy, Ties(said, "first"), {"zeros": Table(np.zeros((3, 4)))}, trials=400)
    assert (found.verdict is Verdict.CONSISTENT) == (said in (done, "any"))
    if said in ("first", "last") and done == {"first": "last", "last": "first"}[said]:
        assert "arms 0, 1, 2 tie" in found.summary


@dataclass(frozen=True)
class Leaking:
    """Arm 0, and then by the first reward: arm 1's score is the reward, and arm 0's is 1; or the other way round."""

    ties: str
    leaks_by_last: bool
    arms: int = 2
    horizon: int = 2

    def init(self, trials):
        return np.zeros((trials, 2))

    def scores(self, t, state):
        told = np.stack([np.ones(len(state)), state.sum(axis=1)], axis=1)
        return np.broadcast_to([1.0, 0.0], state.shape) if t == 1 else told[:, :: 1 if self.leaks_by_last else -1]

    def law(self, t, state):
        return laws.largest(self.scores(t, state), "any")

    def act(self, t, state, noise):
        return Pulls(laws.largest(self.scores(t, state), self.ties).chance.astype(np.int64))

    def learn(self, t, state, pulls, sums, noise):
        return state + sums


@pytest.mark.first(1)
@pytest.mark.parametrize("leaks_by_last", [True, False])
def test_a_choice_among_open_ties_that_the_engine_does_not_make_certifies_nothing(leaks_by_last):
    """Whether the choice leaks that the policy makes, or the one that the exact engine takes: its number is not the
    policy's, and the law is not contradicted."""
    found = audit_policy(Leaking("last", leaks_by_last), eps=1.0, trials=1000)
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert "say in its law how it breaks ties" in found.summary
    first = audit_policy(Leaking("first", leaks_by_last), eps=1.0, trials=1000)
    assert first.verdict is (Verdict.CONSISTENT if leaks_by_last else Verdict.REFUTED)


def test_nor_does_it_in_single_rounds():
    found = audit_policy(Leaking("last", True, horizon=3), eps=1.0, trials=1000, relation="history")
    assert found.verdict is Verdict.NOT_APPLICABLE
    assert "say in its law how it breaks ties" in found.summary


@dataclass(frozen=True)
class Wide(LinUCB):
    """LinUCB whose width lacks its square root."""

    def index(self, state, seen):
        mean, width = predictions(state, seen)
        return mean + self.alpha * width**2


@pytest.mark.thorough
def test_a_wrong_width_shows_on_contexts_with_margins():
    right, wrong = LinUCB(2, 4, 3), Wide(2, 4, 3)
    assert follows_law(right, right, trials=2).verdict is Verdict.CONSISTENT
    drawn = generic_probes(right)
    assert len(drawn) == 32
    found = [follows_law(wrong, right, {name: table}, trials=2).verdict for name, table in drawn.items()]
    assert 3 <= found.count(Verdict.REFUTED) <= 29


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "page",
    [UCB1(2, 6), LinUCB(2, 4, 2), RobustUCB(2, 4), ExploringRidge(2, 4, 2, laws.largest)],
    ids=lambda page: type(page).__name__,
)
def test_pages_follow_their_own_laws(page):
    found = follows_law(page, page, trials=2)
    assert found.verdict is Verdict.CONSISTENT
    assert "decisions in" in found.summary


def test_the_page_pulls_every_arm_once_in_whatever_order_it_is_led():
    page, table = UCB1(3, 3), Table(np.ones((3, 3)))
    assert play(page, table, Seeded(0, 1), 1).released[0].argmax(axis=1).tolist() == [0, 1, 2]
    state = page.learn(1, page.init(1), Pulls.one(np.array([1]), 3), np.array([[0.0, 1.0, 0.0]]), None)
    law = page.law(2, state)
    assert law.open.tolist() == [[True, False, True]]
