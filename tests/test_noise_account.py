"""The account of draws in single runs: missing, small, reused and shared noise is named, right policies cost their
claim, and what cannot be followed is said."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from aligned_policies import Catches, LocalNoise, State
from late_leaks import (
    NoisyGreedy,
    Sums,
    clipped_at,
    laplace,
    less_for_large_sums,
    public_drift,
    reused,
    shared,
    shrinking,
    uniform,
    without_noise_from,
)
from leaks import DoublingUCB
from scipy.integrate import quad

from dpbandits import Pulls, audit_policy, from_object
from dpbandits.extensions.conformance.frozen import replay
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.papers.sajed19 import DPSE
from dpbandits.proofs_checks.alignment.bounds import alignment_bound
from dpbandits.proofs_checks.alignment.branches import SymbolTable
from dpbandits.proofs_checks.alignment.compared_values import log_density, loss_of_values, silent_directions
from dpbandits.proofs_checks.alignment.forms import Form
from dpbandits.proofs_checks.alignment.noise_account import (
    MOST_STEPS,
    AccountedRun,
    Compared,
    Fault,
    FrozenOutcomes,
    NoiseAccount,
    NotFollowed,
    forms_of,
    holds,
    minimal_subset,
    noise_account,
)
from dpbandits.reference.bandits.adjacency import Pair

CLAIM = {"laplace": Fraction(1), "normal": Fraction(1)}
SIZES = (1.0, 1.0, 4.0)
STEPS = 300  # traced, of right policies; some 0.2 seconds


def tables(arms: int, horizon: int, relation: str = "pull", many: int = 30, high: float = 1.0) -> list[Pair]:
    """Tables of zeros and ones."""
    draws = np.random.default_rng(7)
    return [Pair(relation, table, table, None, 0.0, high)
            for table in high * draws.integers(0, 2, (many, arms, horizon))]  # fmt: skip


def account_of(policy: Any, relation: str = "pull", limits: Any = CLAIM, steps: int = STEPS) -> NoiseAccount:
    return noise_account(policy, tables(policy.arms, policy.horizon, relation), 3, limits, SIZES, steps)


@pytest.mark.parametrize(
    ("rule", "horizon", "fault", "words"),
    [
        (without_noise_from(4), 8, Fault.MISSING, "no draw is added in its step"),
        (shrinking, 6, Fault.SMALL, "its step adds a draw of scale"),
        (clipped_at(2.0), 8, None, ""),
        (reused, 6, Fault.REUSED, "is also added in step"),
        (shared, 6, Fault.SHARED, "is also added in step"),
    ],
    ids=["forgotten from the 4th pull on", "shrinking", "clipped", "reused", "shared between arms"],
)
def test_every_kind_of_leak_is_named_with_line_and_field(
    rule: Any, horizon: int, fault: Fault | None, words: str
) -> None:
    found = account_of(NoisyGreedy(2, horizon, rule), steps=MOST_STEPS)
    assert found.failing
    named = [each for each in found.failing if fault is None or each.fault is fault]
    assert named, [(each.fault, each.words) for each in found.failing]
    each = named[0]
    assert each.cost is None or each.cost > 1
    assert words in each.words
    assert each.otherwise or each.line.startswith("late_leaks.py:")
    assert each.reward.step < each.step <= horizon
    assert {"noisy", "raw"} <= {name for name, _ in each.fields} or each.otherwise


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "policy",
    [NoisyGreedy(2, 8, without_noise_from(4)), LocalNoise(2, 8, forgets=3)],
    ids=["from the fourth pull", "from the third pull"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_noise_that_is_forgotten_late_is_found_with_the_usual_effort(policy: Any, seed: int) -> None:
    """One run in thirty shows it: runs that go as earlier ones did are not accounted for again."""
    assert replay(policy, seed=seed, limits=CLAIM).verdict == "REFUTED"


def test_a_reward_without_noise_is_the_one_that_the_policy_forgot() -> None:
    """The fourth reward of an arm, and no earlier one."""
    for each in account_of(NoisyGreedy(2, 8, without_noise_from(4)), steps=MOST_STEPS).failing:
        if each.fault is Fault.MISSING:
            assert each.pair is not None
            arm, place = each.pair.spot or (-1, -1)
            assert (arm, place >= 3) == (each.reward.arm, True)


@pytest.mark.thorough
def test_of_the_state_only_what_differs_is_named() -> None:
    """The last reward of an arm, where the changed one is the last, and not where a later one was paid."""
    named = {frozenset(each.fields) for each in account_of(NoisyGreedy(2, 8, reused), steps=MOST_STEPS).failing}
    sums = {("noisy", True), ("raw", False)}
    assert named == {frozenset(sums), frozenset({*sums, ("last", False)})}


@dataclass(frozen=True)
class TreeSums(NoisyGreedy):
    """Each sum has the noise of the nodes of a binary tree: a draw is a part of many sums. levels: of the tree, each of
    which a reward is in once; scale: of a draw, the levels unless given."""

    scale: float = 0.0

    @property
    def levels(self) -> int:
        return int(np.log2(self.horizon)) + 1

    def learn(self, t: int, state: Sums, pulls: Pulls, sums: Any, noise: Any) -> Sums:
        made, raw = state.pulls + pulls.counts, state.raw + sums
        nodes = noise.laplace("nodes", 0, (self.arms, self.levels, self.horizon + 1))
        level = np.arange(self.levels)
        used = (made[:, :, None] >> level) & 1  # a node of this level is in the sum
        node = made[:, :, None] >> level
        drawn = np.take_along_axis(nodes, node[..., None], axis=3)[..., 0] * used
        return Sums(made, raw, raw + (self.scale or self.levels) * drawn.sum(axis=2), state.last)


@dataclass(frozen=True)
class HalvesRewards(LocalNoise):
    """Does with rewards what is not linear, and adds enough noise."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return super().learn(t, state, pulls, np.where(sums > 0.5, sums**2, sums / 2), noise)


@pytest.mark.parametrize(
    "policy",
    [
        LocalNoise(2, 8),
        LocalNoise(3, 6),
        LocalNoise(2, 8, kind="normal"),
        TreeSums(2, 8),
        NoisyGreedy(2, 8, public_drift),
        DoublingUCB(2, 8),
        AdaPUCB(2, 16, 1.0),
        DPSE(2, 20_000, 1.0),
        HalvesRewards(2, 6),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_right_policies_are_not_accused(policy: Any) -> None:
    found = account_of(policy)
    assert not found.failing
    assert 0 < found.value <= 1
    assert found.rewards >= 20


@pytest.mark.parametrize(
    ("question", "tells"),
    [
        (lambda raw: raw > -1, False),
        (lambda raw: raw < -1, False),
        (lambda raw: raw >= 0, False),
        (lambda raw: raw < 0, False),
        (lambda raw: raw > 0, True),
        (lambda raw: raw <= 0, True),
    ],
    ids=["> -1", "< -1", ">= 0", "< 0", "> 0", "<= 0"],
)
def test_raw_sums_may_be_asked_what_is_known_of_any(question: Any, tells: bool) -> None:
    """Neither answer of such a question needs noise; of one that tells sums apart, none makes up for a reward."""

    def decide(t: int, memory: Sums, means: Any, horizon: int) -> Any:
        return np.where(question(memory.raw), means, means - 5)

    assert bool(account_of(NoisyGreedy(2, 5, decide=decide)).failing) is tells


def test_rewards_of_rounds_are_changed_where_they_are_paid() -> None:
    found = account_of(LocalNoise(2, 6, scale=0.5), "round", {})
    assert found.value == 2


@pytest.mark.thorough
def test_a_tree_with_too_little_noise_is_accused() -> None:
    found = account_of(TreeSums(2, 8, scale=1.0))
    assert found.failing
    assert 1 < found.value <= 4


@pytest.mark.first(1)
@pytest.mark.parametrize("policy", [LocalNoise(2, 6, reuses=True), LocalNoise(2, 6, shrinks=0.5), LocalNoise(3, 5)])
def test_no_run_costs_more_than_the_bound_over_all_runs(policy: Any) -> None:
    found, bound = account_of(policy, limits={}), alignment_bound(policy)
    assert found.worst is not None
    assert found.worst.cost is None or bound.cost >= found.worst.cost


def test_noise_whose_scale_depends_on_rewards_is_too_little_for_later_ones() -> None:
    """Two scales need not be a fault, so only rewards whose own noise has the smaller scale are named."""
    failing = account_of(NoisyGreedy(2, 8, less_for_large_sums)).failing
    assert failing
    assert {each.cost for each in failing} == {3}


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (NoisyGreedy(2, 6, uniform), "a comparison depends on uniform noise, which is not supported"),
        (Catches(2, 3), "the policy catches the exception that dpbandits raised while tracing it"),
        (NoisyGreedy(2, 6, lambda noise, t, memory, horizon: np.round(laplace(noise, t, memory, horizon))), "rint"),
    ],
)
def test_what_is_not_followed_is_said(policy: Any, why: str) -> None:
    with pytest.raises(NotFollowed, match=why):
        account_of(policy)


def test_draws_of_the_policys_own_are_not_followed() -> None:
    class Own(LocalNoise):
        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            drawn = np.random.default_rng().laplace(size=state.total.shape)
            noise.laplace("reward", t, (self.arms,))
            return state._replace(pulls=state.pulls + pulls.counts, total=state.total + sums + 3 * drawn)

    with pytest.raises(NotFollowed):
        account_of(Own(2, 8))


def test_a_run_repeats_itself_at_no_cost_on_the_same_table() -> None:
    (table,) = tables(2, 6, many=1)
    run = AccountedRun(NoisyGreedy(2, 6, shrinking), table, np.random.default_rng(1))
    for reward in run.rewards():
        object.__setattr__(run, "changed_pair", lambda _: table)
        assert run.account(reward).cost == 0


def test_a_policy_that_does_not_use_its_rewards_costs_nothing() -> None:
    assert account_of(NoisyGreedy(2, 6, decide=lambda t, memory, means, horizon: 0 * means)).value == 0


# -- noise that is compared by itself ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class SignAndSize(LocalNoise):
    """Laplace noise made of a sign and a size: on each path the sign is fixed, so that the draw can move one way."""

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        size = np.abs(noise.laplace("size", t, (self.arms,)))
        drawn = np.where(noise.laplace("sign", t, (self.arms,)) > 0, size, -size)
        return state._replace(pulls=state.pulls + pulls.counts, total=state.total + sums + pulls.counts * drawn)


def test_a_sign_that_is_drawn_by_itself_is_no_fault() -> None:
    policy = SignAndSize(2, 5)
    assert not account_of(policy).failing
    assert loss_of_values(policy, tables(2, 5), 3, 1.0, STEPS) is None


class Responses:
    """Randomised response: pulls the arm with the largest mean of the answers `answer(rng, reward)`."""

    def __init__(self, rng: Any, answer: Any) -> None:
        self.rng, self.answer, self.said = rng, answer, [list[float](), list[float]()]

    def select(self) -> int:
        return max((0, 1), key=lambda arm: np.mean(self.said[arm]) if self.said[arm] else np.inf)

    def update(self, arm: int, reward: float) -> None:
        self.said[arm].append(self.answer(self.rng, reward))


def size_of_draw(rng: Any, reward: float) -> float:
    return float((reward > 0.5) != (abs(rng.laplace()) < 0.25))


def two_signs(rng: Any, reward: float) -> float:
    return float((reward > 0.5) != (rng.laplace() > 0 and rng.laplace() > 0))


def place_of_largest(rng: Any, reward: float) -> float:
    return float((reward > 0.5) != (int(np.argmax(rng.laplace(size=3))) == 0))


def rate_by_reward(rng: Any, reward: float) -> float:
    return float(rng.exponential() / (1 + reward) > 1)


def coin_of_each_reward(rng: Any, reward: float) -> float:
    if reward > 0.5:
        return float(rng.laplace() < 0.5)
    return float(rng.laplace() > 0.5)


@pytest.mark.parametrize("answer", [size_of_draw, two_signs, place_of_largest, coin_of_each_reward])
def test_a_coin_of_noise_may_hide_a_reward(answer: Any) -> None:
    def make(rng: Any) -> Responses:
        return Responses(rng, answer)

    policy = from_object(make, Responses.select, Responses.update, arms=2, horizon=3)
    with pytest.raises(NotFollowed, match=r"like a coin, may hide a reward, at test_noise_account\.py"):
        account_of(policy, steps=50)


def rare_order(rng: Any, reward: float) -> float:
    drawn = rng.laplace(size=5)
    return float((reward > 0.5) != bool((np.diff(drawn) > 0).all() and drawn[0] > 0.5))


def undone_by_reward(rng: Any, reward: float) -> float:
    """The noise of a comparison with noise, which has one law whatever the reward is."""
    return float((reward + rng.laplace() > 0.5) != (reward > 0.5))


@pytest.mark.parametrize("answer", [rare_order, undone_by_reward])
def test_rare_coins_and_coins_of_rewards_are_not_accused(answer: Any) -> None:
    def make(rng: Any) -> Responses:
        return Responses(rng, answer)

    policy = from_object(make, Responses.select, Responses.update, arms=2, horizon=3)
    with pytest.raises(NotFollowed, match=r"like a coin, may hide a reward, at test_noise_account\.py"):
        account_of(policy, steps=50)


def one_of_two(rng: Any, reward: float) -> float:
    first, second = rng.laplace(size=2)
    return reward + float(reward > 0.5) * (first - second) + second


def of_own_stock(rng: Any, reward: float) -> float:
    return reward + rng.laplace(size=4)[min(int(4 * reward), 3)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (one_of_two, "consists of different draws"),
        (of_own_stock, "consists of different draws"),
        (rate_by_reward, r"has different scales \(0.5 and 1\)|has different scales \(1 and 0.5\)"),
    ],
)
def test_noise_that_a_reward_chooses_is_not_accused(answer: Any, why: str) -> None:
    def make(rng: Any) -> Responses:
        return Responses(rng, answer)

    policy = from_object(make, Responses.select, Responses.update, arms=2, horizon=3)
    with pytest.raises(NotFollowed, match=f"a reward decides which noise is used: it {why}|{why}"):
        account_of(policy, steps=50)


def truncated(rng: Any, reward: float) -> float:
    """Laplace noise of scale 2, drawn again until the value is in [-2, 3]: at most e^(1/2) e^(1/2)."""
    answer = reward + 2 * rng.laplace()
    while answer < -2 or answer > 3:
        answer = reward + 2 * rng.laplace()
    return answer


def branching(rng: Any, reward: float) -> float:
    """The same mechanism in two lines."""
    if reward > 0.5:
        drawn = rng.laplace()
        return drawn + reward if drawn > 0 else reward + drawn
    drawn = rng.laplace()
    return reward + drawn


@pytest.mark.thorough
@pytest.mark.parametrize("answer", [truncated, branching])
def test_other_paths_with_the_same_releases_are_not_accused(answer: Any) -> None:
    def make(rng: Any) -> Responses:
        return Responses(rng, answer)

    policy = from_object(make, Responses.select, Responses.update, arms=2, horizon=4)
    with suppress(NotFollowed):
        assert not account_of(policy, steps=MOST_STEPS).failing


@pytest.mark.thorough
def test_a_reward_in_the_clear_is_found_among_coins() -> None:
    class Forgets(Responses):
        def update(self, arm: int, reward: float) -> None:
            answered = sum(map(len, self.said)) < 2
            self.said[arm].append(self.answer(self.rng, reward) if answered else 5 * reward)

    def make(rng: Any) -> Forgets:
        return Forgets(rng, two_signs)

    policy = from_object(make, Forgets.select, Forgets.update, arms=2, horizon=4)
    assert {each.reward.step for each in account_of(policy).failing} == {3}


# -- an adversary who sees the compared values -------------------------------------------------------------------------


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "policy",
    [
        LocalNoise(3, 5),
        TreeSums(2, 4),
        DoublingUCB(2, 8),
        HalvesRewards(2, 6),
        LocalNoise(2, 6),
        LocalNoise(2, 6, scale=2),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_values_of_right_policies_lose_no_more_than_the_claim(policy: Any) -> None:
    assert loss_of_values(policy, tables(policy.arms, policy.horizon), 3, 1.0, STEPS) is None


@pytest.mark.first(1)
@pytest.mark.parametrize("scale", [0.5, 0.8])
def test_values_with_too_little_noise_lose_what_their_scale_says_and_no_more(scale: float) -> None:
    policy = LocalNoise(2, 6, scale=scale)
    found = loss_of_values(policy, tables(2, 6), 3, 1.0)
    assert found is not None
    assert 1 < found.loss <= 1 / scale + 1e-9
    assert loss_of_values(policy, tables(2, 6), 3, 1 / scale, STEPS) is None


@pytest.mark.parametrize("rule", [without_noise_from(4), shrinking, clipped_at(2.0), reused, shared])
def test_values_of_every_kind_of_leak_lose_more(rule: Any) -> None:
    found = loss_of_values(NoisyGreedy(2, 8, rule), tables(2, 8), 3, 1.0)
    assert found is not None
    assert found.loss > 1
    assert found.line.startswith("late_leaks.py:")


@dataclass(frozen=True)
class InTuples(LocalNoise):
    """A state of tuples without names."""

    def init(self, trials: int) -> Any:
        state = super().init(trials)
        return state.pulls, (state.total, state.total)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return super().act(t, State(state[0], state[1][0]), noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        noisy = super().learn(t, State(state[0], state[1][0]), pulls, sums, noise)
        return noisy.pulls, (noisy.total, state[1][1] + sums)


def test_parts_of_tuples_have_names() -> None:
    (each, *_) = account_of(InTuples(2, 5, shrinks=0.5)).failing
    assert each.fields == (("state[1][0]", True), ("state[1][1]", False))


def test_parts_of_equal_names_do_not_hide_each_other() -> None:
    run = FrozenOutcomes(SymbolTable(), {})
    one, other = (Form(run, {}, Fraction(value)) for value in (1, 2))
    state = State((one, 0), State(other, (one,)))
    assert forms_of(state) == {"pulls[0]": {(): one}, "total.pulls": {(): other}, "total.total[0]": {(): one}}


def test_directions_without_a_change_solve_the_equations() -> None:
    rows = [[Fraction(value) for value in row] for row in ((2, 1, 0, 3, 7), (4, 2, 1, 1, 5), (6, 3, 1, 4, 12))]
    found = silent_directions(rows, 4)
    assert len(found) == np.linalg.matrix_rank(found) == 2
    for direction in found:
        assert np.array([row[:4] for row in rows], dtype=float) @ direction == pytest.approx(np.zeros(3), abs=1e-12)
    assert silent_directions(rows[:1], 1) == []


def test_densities_along_a_direction_are_integrals() -> None:
    draws, silent = np.array([0.3, -1.2, 2.0]), np.array([0.5, -1.0, 0.0])
    by_hand, _ = quad(lambda x: np.exp(-np.abs(draws + x * silent).sum()), -60, 60, points=[-0.6, -1.2], limit=200)
    assert log_density(draws, silent) == pytest.approx(np.log(by_hand), abs=1e-7)
    assert log_density(draws, None) == pytest.approx(-3.5, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "horizon", "verdict"), [(shrinking, 6, "REFUTED"), (reused, 6, "REFUTED"), (laplace, 4, "")]
)
def test_an_audit_of_all_samples_refutes_what_values_lose(rule: Any, horizon: int, verdict: str) -> None:
    finding = audit_policy(NoisyGreedy(2, horizon, rule), eps=1.0, view="samples", trials=1000)
    if not verdict:
        assert finding.verdict != "REFUTED"
        return
    assert finding.verdict == verdict
    assert "for an adversary who sees the values that it compares" in finding.summary
    assert [*finding.rests_on] == ["randomness alignment"]


@pytest.mark.parametrize("many", [1, 2, 5])
def test_a_minimal_subset_has_no_part_that_is_enough(many: int) -> None:
    """For everything that one or another set is enough for."""
    sets = [set(some) for size in range(many + 1) for some in combinations(range(many), size)]
    for one, other in product(sets, sets):

        def enough(some: Sequence[int], one: set[int] = one, other: set[int] = other) -> bool:
            return one <= set(some) or other <= set(some)

        found = minimal_subset(range(many), enough)
        assert enough(found)
        assert not any(enough([each for each in found if each != left_out]) for left_out in found)


def test_sums_that_differ_by_rounding_are_no_change_without_noise() -> None:
    """The second and third reward of 0.01 add up to another double after a first one of 1."""
    table = np.array([[0.01] * 8, [0.75] * 8])
    for seed in (4, 6, 10):  # runs in which rounding was once taken for a change that no noise makes up for
        run = AccountedRun(AdaPUCB(2, 8, eps=0.1), Pair("pull", table, table), np.random.default_rng(seed), 4.0)
        costs = [run.account(reward).cost for reward in run.rewards()]
        assert costs
        assert all(cost is not None and cost <= Fraction("0.1") for cost in costs)


@pytest.mark.parametrize(("constant", "strict", "weak"), [(-1, False, False), (0, False, True), (1, True, True)])
def test_a_comparison_without_draws_holds_as_python_compares(constant: int, strict: bool, weak: bool) -> None:
    """strict, weak: whether constant > 0 and constant >= 0."""
    for is_strict, positive in ((True, strict), (False, weak)):
        for above in (True, False):
            compared = Compared((), Fraction(0), Fraction(constant), above, is_strict, "", 1, 0, 0)
            assert holds(compared) == (positive == above)
