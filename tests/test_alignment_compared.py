"""Comparisons of several rewards that finite draws answer: bounds against exact laws, certificates, and forged ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import held_back
import held_back_second

from dpbandits import Pulls, Verdict, audit_policy
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome
from dpbandits.proofs_checks.alignment.compared_sums import ComparedSums
from dpbandits.proofs_checks.alignment.finite_runs import finite_certificate
from dpbandits.proofs_checks.alignment.merged_bounds import bound_on_runs_or_states, merged_bound
from dpbandits.proofs_checks.checker.verification import verify

TRUTH = exp(1) / (1 + exp(1))


class Asked(NamedTuple):
    sums: Any  # (trials, arms)
    answer: Any  # (trials,)


@dataclass(frozen=True)
class Asks:
    """Pulls its arms in turn, and answers questions about the sums of their rewards; then pulls the last answer.

    questions: by the number of the step after which each is asked. truth: how likely the right answer is. clears:
    whether the sums begin again at 0 after a question.
    """

    questions: dict[int, Callable[[Any], Any]]
    horizon: int = 5
    truth: float = TRUTH
    clears: bool = True
    arms: int = 2

    def init(self, trials: int) -> Asked:
        return Asked(np.zeros((trials, 2)), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: Asked, noise: Any) -> Pulls:
        return Pulls.one(np.full(len(state.answer), t % 2) if t <= min(self.questions) else state.answer, self.arms)

    def learn(self, t: int, state: Asked, pulls: Pulls, sums: Any, noise: Any) -> Asked:
        total = state.sums + sums
        if t not in self.questions:
            return Asked(total, state.answer)
        right = np.asarray(self.questions[t](total)).astype(np.int64)
        answer = np.where(noise.uniform("answer", t) < self.truth, right, 1 - right)
        return Asked(total * 0 if self.clears else total, answer)


def larger(total: Any) -> Any:
    return total[:, 1] > total[:, 0]


def far_apart(total: Any) -> Any:
    return (total[:, 1] > total[:, 0] + 0.5) | (total[:, 0] > total[:, 1] + 0.5)


def above_one(total: Any) -> Any:
    return total.sum(axis=1) > 1


# -- bounds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy",
    [
        Asks({4: larger}),
        Asks({4: lambda total: total.argmax(axis=1)}),
        Asks({4: far_apart}),  # two comparisons of the same rewards, one after the other
        Asks({2: larger, 4: above_one}),  # each about rewards of its own
    ],
)
def test_a_randomised_answer_has_the_logarithm_of_its_odds(policy: Asks) -> None:
    found = merged_bound(policy, whole_runs=True)
    assert (found.outcome, found.cost, found.reason) == (Outcome.BOUND, 1, "")
    assert isinstance(found.finite, ComparedSums)


@pytest.mark.parametrize(
    "policy",
    [
        Asks({2: larger, 4: above_one}, clears=False),  # the first rewards are compared again, after a release
        Asks({4: larger}, truth=1.0),
        Asks({4: lambda total: total[:, 1] - total[:, 0]}),  # a number, not an answer
    ],
)
def test_what_an_answer_does_not_protect_has_no_bound(policy: Asks) -> None:
    assert merged_bound(policy, whole_runs=True).outcome is not Outcome.BOUND


@pytest.mark.parametrize(
    "policy",
    [
        held_back_second.PRIVATE_POLICIES["one choice at the end"],
        held_back.PRIVATE_POLICIES["odds of e in the last step"],
        held_back.PRIVATE_POLICIES["one private choice"],
    ],
)
def test_policies_that_were_held_back_are_proved(policy: Any) -> None:
    assert audit_policy(policy, eps=1.0).verdict is Verdict.PROVED


class Chained(NamedTuple):
    first: Any  # (trials,): whether the first reward is large
    answer: Any


class LaterQuestionDepends:
    """The first reward decides, without being answered itself, what is asked about the second one."""

    arms, horizon = 2, 4

    def init(self, trials: int) -> Chained:
        return Chained(np.zeros(trials, dtype=bool), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: Chained, noise: Any) -> Pulls:
        return Pulls.one(state.answer, self.arms)

    def learn(self, t: int, state: Chained, pulls: Pulls, sums: Any, noise: Any) -> Chained:
        reward, drawn = sums.sum(axis=1), noise.uniform("answer", t)
        if t == 1:
            large = np.asarray(reward > 0.5)
            return Chained(large, np.where(np.asarray(drawn < np.where(large, TRUTH, 1 - TRUTH)), 1, 0))
        if t == 2:
            right = np.where(state.first, np.asarray(reward > 0.5), np.asarray(reward > 0.75)).astype(np.int64)
            return Chained(state.first, np.where(np.asarray(drawn < TRUTH), right, 1 - right))
        return state


def test_later_questions_about_the_same_reward_are_told_apart() -> None:
    """With equal trees after both questions, the bound would be 1. The first reward costs 2: by its own answer, and by
    the answer to what is asked about a second reward of 0.6."""
    found = merged_bound(LaterQuestionDepends(), whole_runs=True)  # type: ignore[arg-type]
    assert found.outcome is not Outcome.BOUND


# -- exact laws --------------------------------------------------------------------------------------------------------

CELLS = 10  # of the unit interval: all probabilities below are multiples of 1/10


class Cells:
    """Noise of which every uniform draw takes each of CELLS values, in all combinations."""

    def __init__(self, draws: int) -> None:
        grid = np.indices((CELLS,) * draws).reshape(draws, -1) if draws else np.zeros((0, 1))
        self.columns, self.trials, self.asked = (grid + 0.5) / CELLS, grid.shape[1], dict[Any, int]()

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Any:
        return self.columns[self.asked.setdefault((site, index), len(self.asked))]


class RandomQuestions(Asks):
    """Three registers of rewards, with random weights. After some steps, one or two random comparisons of registers are
    answered by a draw whose probability depends on how many hold."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        object.__setattr__(self, "horizon", 4)

    def choices(self, *place: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *place])

    def init(self, trials: int) -> Asked:
        return Asked(np.zeros((trials, 3)), np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: Asked, noise: Any) -> Pulls:
        return Pulls.one(state.answer if self.choices(0, t).random() < 0.7 else 0 * state.answer, 2)

    def learn(self, t: int, state: Asked, pulls: Pulls, sums: Any, noise: Any) -> Asked:
        drawn = self.choices(1, t)
        paid = sums.sum(axis=1)[:, None] * drawn.choice((1.0, 0.0, -1.0), 3)
        total = state.sums * drawn.choice((1.0, 1.0, 0.5, 0.0), 3) + paid
        if drawn.random() < 0.4 or t == 4:
            return Asked(total, state.answer)
        many = 0 * state.answer
        for _ in range(int(drawn.integers(1, 3))):
            holds = total @ drawn.choice((-1.0, 0.0, 1.0), 3) > drawn.choice((0.25, 0.5))
            many = many + np.asarray(holds).astype(np.int64)
        answer = noise.uniform("answer", t) < drawn.choice((0.2, 0.3, 0.4, 0.6, 0.7), 3)[many]
        return Asked(total * drawn.integers(2), np.asarray(answer).astype(np.int64))

    def law(self, rewards: tuple[float, ...], noise: Cells) -> Any:
        """The probabilities of all sequences of pulls, for the rewards of the steps."""
        state, code = self.init(noise.trials), np.zeros(noise.trials, dtype=np.int64)
        for t in range(1, self.horizon + 1):
            pulls = self.act(t, state, noise)
            code = 2 * code + pulls.counts.argmax(axis=1)
            state = self.learn(t, state, pulls, pulls.counts * (*rewards, 0.0)[t - 1], noise)
        return np.bincount(code, minlength=2**self.horizon) / noise.trials


def exact_eps(policy: RandomQuestions, values: tuple[float, ...]) -> float:
    """The largest loss of a sequence of pulls, for tables whose rewards take these values."""
    noise = Cells(3)
    laws = {rewards: policy.law(rewards, noise) for rewards in product(values, repeat=3)}
    losses = [0.0]
    for one, other in product(laws, repeat=2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            possible = laws[one] > 0
            with np.errstate(divide="ignore"):
                losses.append(float(np.log(laws[one][possible] / laws[other][possible]).max()))
    return max(losses)


@pytest.mark.first(1)
@pytest.mark.parametrize("part", range(2))
def test_no_random_questions_lose_more_than_their_bound(part: int) -> None:
    bounds = 0
    for seed in range(15 * part, 15 * part + 15):
        policy = RandomQuestions(seed)
        found = merged_bound(policy, 50_000, whole_runs=True)
        if found.outcome is Outcome.BOUND and isinstance(found.finite, ComparedSums):
            bounds += found.cost > 0
            assert exact_eps(policy, (0.0, 0.3, 1.0)) <= found.eps + 1e-9
    assert bounds


# -- certificates ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    found: Alignment = bound_on_runs_or_states(Asks({2: larger, 4: above_one}))
    assert found.finite is not None
    made = finite_certificate(found.finite, "own/Asks", found.cost)
    checked = verify(made)
    assert checked.ok, checked.lines
    assert "3 with a comparison of rewards" in checked.lines[0]
    return made


def comparisons(made: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in made["nodes"] if node["kind"] == "comparison"]


def compared_twice(made: dict[str, Any]) -> None:
    """The later question is about a reward of the earlier one."""
    earlier, later = comparisons(made)[-1], comparisons(made)[0]
    later["label"][:2] = earlier["label"][:2]


def listed_twice(made: dict[str, Any]) -> None:
    label = comparisons(made)[0]["label"]
    label += label[:2]


def about_nothing(made: dict[str, Any]) -> None:
    comparisons(made)[0]["label"] = []


def about_half_a_reward(made: dict[str, Any]) -> None:
    comparisons(made)[0]["label"].pop()


def one_outcome(made: dict[str, Any]) -> None:
    del comparisons(made)[0]["next"][1]


def other_trees(made: dict[str, Any]) -> None:
    """One outcome has a certain answer."""
    node = comparisons(made)[0]
    node["next"][0] = made["nodes"][node["next"][0]]["next"][0]


def smaller_bound(made: dict[str, Any]) -> None:
    made["bound"] = "0.999"


def other_odds(made: dict[str, Any]) -> None:
    made["nodes"][comparisons(made)[0]["next"][0]]["weights"] = ["1/20", "19/20"]


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (compared_twice, "each reward may be read or compared only once"),
        (listed_twice, "lists a reward twice"),
        (about_nothing, "do not agree with its kind comparison"),
        (about_half_a_reward, "do not agree with its kind comparison"),
        (one_outcome, "do not agree with its kind comparison"),
        (other_trees, "more probable"),
        (smaller_bound, "more probable"),
        (other_odds, "more probable"),
    ],
)
def test_forged_certificates_are_rejected_and_named(
    certificate: dict[str, Any], forge: Callable[[dict[str, Any]], None], says: str
) -> None:
    forged = deepcopy(certificate)
    forge(forged)
    checked = verify(forged)
    assert not checked.ok
    assert says in checked.lines[0], checked.lines


def test_the_bound_is_the_loss_of_the_answer() -> None:
    assert bound_on_runs_or_states(Asks({4: larger}, truth=0.6)).eps == pytest.approx(log(0.6 / 0.4), abs=1e-12)
