"""Randomness alignment of objects and loops: proofs, and attempts to obtain one for what is not private."""

from __future__ import annotations

import copy
import random
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import numpy as np
import pytest

from dpbandits import Contexts, audit_policy, check_policy, from_loop, from_object
from dpbandits.extensions.conformance.battery import run_all
from dpbandits.papers.azize22 import AdaPUCB
from dpbandits.proofs_checks.alignment.bounds import Alignment, Outcome, alignment_bound
from dpbandits.proofs_checks.alignment.forms import NotLinear
from dpbandits.proofs_checks.alignment.single_runs import Past
from dpbandits.proofs_checks.checker.verification import verify


def policy(kind: Any, arms: int = 2, horizon: int = 4, **more: Any) -> Any:
    return from_object(kind, kind.select, kind.update, arms, horizon, **more)


def bound(kind: Any, **more: Any) -> Alignment:
    return alignment_bound(policy(kind, **more))


class Local:
    """Every reward gets Laplace noise of scale 1; sums in arrays."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.total, self.pulls = np.zeros(2), np.zeros(2)

    def noisy(self, reward: float) -> Any:
        return reward + self.rng.laplace()

    def select(self) -> int:
        with np.errstate(all="ignore"):
            return int(np.where(self.pulls == 0, np.inf, self.total / self.pulls).argmax())

    def update(self, arm: int, reward: float) -> None:
        self.total[arm] += self.noisy(reward)
        self.pulls[arm] += 1


class InLists(Local):
    """Keeps every noisy reward, and takes means."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.kept: list[list[Any]] = [[], []]

    def select(self) -> int:
        if not all(self.kept):
            return 0 if not self.kept[0] else 1
        scores = np.zeros(2)
        for arm, values in enumerate(self.kept):
            scores[arm] = np.mean(values)
        return int(np.argmax(scores))

    def update(self, arm: int, reward: float) -> None:
        self.kept[arm].append(self.noisy(reward))


class InClosures(Local):
    """Keeps its state where no copy of the object reaches it."""

    def __init__(self, rng: np.random.Generator) -> None:
        total, pulls = {0: 0.0, 1: 0.0}, [0, 0]

        def add(arm: int, reward: float) -> None:
            total[arm], pulls[arm] = total[arm] + reward + rng.laplace(), pulls[arm] + 1

        self.add, self.best = add, lambda: max((0, 1), key=lambda arm: total[arm] / max(pulls[arm], 1))

    def select(self) -> int:
        return int(self.best())

    def update(self, arm: int, reward: float) -> None:
        self.add(arm, reward)


@dataclass
class InDataclass(Local):
    rng: np.random.Generator
    total: Any = field(default_factory=lambda: np.zeros(2))
    pulls: Any = field(default_factory=lambda: np.zeros(2, dtype=int))


class Explores(Local):
    def select(self) -> int:
        return int(self.rng.integers(2)) if self.rng.random() < 0.1 else super().select()


class BreaksTies(Local):
    """Takes the first of the best arms in a random order."""

    def select(self) -> int:
        order = self.rng.permutation(2)
        return int(max(order, key=lambda arm: self.total[arm]))


@pytest.mark.first(4)
@pytest.mark.parametrize("kind", [Local, InLists, InClosures, InDataclass, Explores, BreaksTies])
def test_an_object_that_adds_noise_to_every_reward_is_proved(kind: Any) -> None:
    horizon = 3 if kind in (Explores, BreaksTies) else 4  # a coin in each step doubles the runs
    finding = audit_policy(policy(kind, horizon=horizon), eps=1.0)
    assert finding.verdict == "PROVED", finding.evidence
    assert "for all reward tables: randomness alignment proves eps <= 1 (" in finding.summary
    (certificate,) = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    assert verify(certificate).ok


class WithNormal(Local):
    def noisy(self, reward: float) -> Any:
        return self.rng.normal(reward, 2.0)


class WithWhole(Local):
    """Two-sided geometric noise with the ratio exp(-1)."""

    def noisy(self, reward: float) -> Any:
        return reward + self.rng.geometric(1 - np.exp(-1)) - self.rng.geometric(1 - np.exp(-1))


def test_other_noise_of_objects_has_the_bound_of_its_kind() -> None:
    assert audit_policy(policy(WithNormal), mu=0.5).verdict == "PROVED"
    assert audit_policy(policy(WithWhole, reward_range={0.0, 1.0}), eps=1.0).verdict == "PROVED"


def noisy_loop(pull: Any, rng: np.random.Generator) -> None:
    total, pulls = np.zeros(2), np.zeros(2)
    arms = [0, 1]
    while True:
        arm = arms.pop(0) if arms else int(np.argmax(total / pulls))
        total[arm] += pull(arm) + rng.laplace(scale=0.5)
        pulls[arm] += 1


def test_a_loop_is_proved() -> None:
    assert audit_policy(from_loop(noisy_loop, arms=2, horizon=5), eps=2.0).verdict == "PROVED"
    assert alignment_bound(from_loop(noisy_loop, arms=2, horizon=5)).cost == 2


def test_an_answer_is_a_release() -> None:
    """Without its noise, the recommendation alone reads rewards in the clear."""

    class Recommends(Local):
        clear = False

        def select(self) -> int:
            return int(self.pulls.sum()) % 2

        def update(self, arm: int, reward: float) -> None:
            self.total[arm] += reward if self.clear else self.noisy(reward)
            self.pulls[arm] += 1

        def answer(self) -> int:
            return int(self.total.argmax() if self.rng.laplace() < 9 else 0)

    class InTheClear(Recommends):
        clear = True

    assert bound(Recommends, answer=Recommends.answer).cost == 1
    assert bound(InTheClear, answer=Recommends.answer).outcome is Outcome.NO_BOUND


class Linear:
    """Ridge regression on noisy rewards."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.gram, self.sums = rng, np.eye(2), np.zeros(2)

    def select(self, features: Any) -> int:
        return int(np.argmax(features @ (np.linalg.inv(self.gram) @ self.sums)))

    def update(self, arm: int, reward: float, features: Any) -> None:
        self.gram = self.gram + np.outer(features[arm], features[arm])
        self.sums = self.sums + features[arm] * (reward + self.rng.laplace(0, 2))


def test_an_object_with_known_contexts_is_proved_for_these() -> None:
    features = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.5, -0.5]]])
    linear = policy(Linear, horizon=3, contexts=2)
    finding = audit_policy(linear, eps=0.5, contexts=Contexts(features), relation="reward")
    assert finding.verdict == "PROVED", finding.evidence
    assert alignment_bound(linear).outcome is Outcome.NOT_LINEAR


# -- what is not private -----------------------------------------------------------------------------------------------


class Forgets(Local):
    """No noise from an arm's second pull on."""

    def noisy(self, reward: float) -> Any:
        return super().noisy(reward) if self.pulls.min() < 1 else reward


class Reuses(Local):
    """The same noise for all rewards."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.noise = rng.laplace()

    def noisy(self, reward: float) -> Any:
        return reward + self.noise


class TooLittle(Local):
    def noisy(self, reward: float) -> Any:
        return reward + 0.99 * self.rng.laplace()


class OwnGenerator(Local):
    def noisy(self, reward: float) -> Any:
        self.rng.laplace()
        return reward + np.random.default_rng().laplace()


class FixedSeed(Local):
    """Everybody knows this noise."""

    def noisy(self, reward: float) -> Any:
        self.rng.laplace()
        return reward + np.random.default_rng(0).laplace()


class WholeProcess(Local):
    def noisy(self, reward: float) -> Any:
        self.rng.laplace()
        return reward + random.gauss(0, 1)


class Spied(Local):
    """Looks at its noise before it draws it."""

    def noisy(self, reward: float) -> Any:
        return reward + self.rng.laplace() - copy.deepcopy(self.rng).laplace()


class Shares(Local):
    """A class attribute remembers the rewards of all runs."""

    seen: list[Any] = []  # noqa: RUF012

    def select(self) -> int:
        return int(len(self.seen) % 2) if len(self.seen) > 40 else super().select()

    def update(self, arm: int, reward: float) -> None:
        self.seen.append(arm)
        super().update(arm, reward)


class Hides(Local):
    """Reads its first reward in the clear where floats are floats."""

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        if self.pulls.sum() == 1:
            try:
                self.first = f"{reward:.3f}" > "0.5"
            except Exception:
                self.first = False

    def select(self) -> int:
        return int(self.first) if self.pulls.sum() == 3 else super().select()


class Views(Local):
    """Reads its sums through a view that was taken when they were 0."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.clear = np.zeros(2)
        self.window = self.clear[:1]

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        self.clear[arm] += reward

    def select(self) -> int:
        return int(self.window[0] > 0.5) if self.pulls.sum() == 3 else super().select()


class Masked(Local):
    """Picks rewards by a mask that noise decides, and compares them in the clear."""

    def update(self, arm: int, reward: float) -> None:
        self.total[arm] += np.where(self.rng.laplace() > 0, np.array([reward]), np.array([0.0]))[0]
        self.pulls[arm] += 1


class ClipsNoise(Local):
    def noisy(self, reward: float) -> Any:
        return reward + np.clip(self.rng.laplace(), -0.1, 0.1)


class OneOfHundredSeeds(Local):
    """Noise of which there are a hundred sequences."""

    def noisy(self, reward: float) -> Any:
        return reward + np.random.default_rng(self.rng.integers(100)).laplace()


class RarelyClear(Local):
    """No noise with a probability of 3e-6."""

    def noisy(self, reward: float) -> Any:
        drawn = self.rng.laplace()
        return reward if drawn > 12 else reward + drawn


class Unthreaded(Local):
    """Catches a refusal in another thread."""

    def noisy(self, reward: float) -> Any:
        found: list[Any] = []

        def work() -> None:
            try:
                found.append(float(reward))
            except Exception:
                found.append(reward + self.rng.laplace())

        thread = Thread(target=work)
        thread.start()
        thread.join()
        return found[0]


class ScaledBySecret(Local):
    def noisy(self, reward: float) -> Any:
        return reward + (2 - reward) * self.rng.laplace()


class Sorts(Local):
    """The rank of a reward in the clear."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.kept: list[Any] = []

    def update(self, arm: int, reward: float) -> None:
        super().update(arm, reward)
        self.kept.append(reward)

    def select(self) -> int:
        return int(sorted(self.kept)[0] == self.kept[0]) if len(self.kept) == 3 else super().select()


BROKEN = [Forgets, Reuses, TooLittle, OwnGenerator, FixedSeed, WholeProcess, Spied, Shares, Hides, Views, Masked,
          ClipsNoise, OneOfHundredSeeds, RarelyClear, Unthreaded, ScaledBySecret, Sorts]  # fmt: skip


@pytest.mark.first(7)
@pytest.mark.parametrize("kind", BROKEN)
def test_an_object_that_is_not_private_is_not_proved(kind: Any) -> None:
    for horizon in (4, 5):
        found = bound(kind, horizon=horizon)
        assert found.outcome is not Outcome.BOUND or found.cost > 1


def test_code_that_draws_from_the_whole_process_is_not_traced() -> None:
    found = alignment_bound(policy(Local, seed=np.random.seed))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "global generator" in found.reason


def test_an_object_that_hangs_is_given_up() -> None:
    class Hangs(Local):
        def select(self) -> int:
            while True:
                pass

    before = np.zeros
    found = alignment_bound(policy(Hangs, patience=0.2))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "0.2 s" in found.reason or "instructions in a step" in found.reason
    assert np.zeros is before


def test_numpys_functions_are_its_own_again_after_an_error() -> None:
    before = np.zeros, np.array
    bound(Hides)
    assert (np.zeros, np.array) == before


# -- where it is reported ----------------------------------------------------------------------------------------------


def test_a_check_proves_a_pages_promise_of_an_object() -> None:
    checks = [each for each in check_policy(policy(Local), AdaPUCB(2, 4, 1.0)) if "/" in each.name]
    found = [each.finding for each in run_all(checks)]
    assert found
    assert any(each.verdict == "PROVED" and "for all reward tables" in each.summary for each in found)


def test_no_replay_asks_code_that_draws_from_the_whole_process() -> None:
    """Objects and loops: a proof that plays a single run again would not see its draws."""

    def loop(bandit: Any, rng: np.random.Generator) -> None:
        bandit.pull(0)

    for code in (policy(Local, seed=np.random.seed), from_loop(loop, 2, 4, seed=np.random.seed)):
        with pytest.raises(NotLinear, match="global generator"):
            code.arm_after(Past((0,), (1.0,), ()), np.random.default_rng(0), nullcontext())
