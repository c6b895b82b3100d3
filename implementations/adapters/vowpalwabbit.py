"""Vowpal Wabbit: contextual bandits with action-dependent features."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from comparisons import by_law
from references import FEATURES, drawn, random_features
from rows import Row

from dpbandits import Policy, Pulls, from_object
from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy, softmax

LIBRARY = "vowpalwabbit"
LEARNER = "--quiet --noconstant -b 10"  # with few weights: there are many of them side by side
SINGLE_PRECISION = 1e-6  # of its scores and probabilities


def lines(features: Any, arm: int = -1, paid: float = 0.0, chance: float = 1.0) -> list[str]:
    """A round in its text format, with the cost of the arm that was pulled."""
    label = {arm: f"0:{-paid}:{chance} "}
    return [
        f"{label.get(k, '')}| {' '.join(f'{place}:{value}' for place, value in enumerate(row, 1))}"
        for k, row in enumerate(np.asarray(features).tolist())
    ]


def policy(explore: str) -> Callable[[int, int], Policy]:
    """The library names a probability for each arm; the user draws."""
    workspace = importlib.import_module("vowpalwabbit").Workspace

    class Agent:
        def __init__(self, rng: Any) -> None:
            self.rng, self.inner, self.chance = rng, workspace(f"--cb_explore_adf {explore} {LEARNER}"), np.ones(1)

        def select(self, features: Any) -> int:
            self.chance = np.array(self.inner.predict(lines(features)))
            return int(self.rng.choice(len(self.chance), p=self.chance / self.chance.sum()))

        def update(self, arm: int, paid: float, features: Any) -> None:
            self.inner.learn(lines(features, arm, paid, float(self.chance[arm])))

    return partial(from_object, Agent, Agent.select, Agent.update, contexts=FEATURES)


class Rounds(NamedTuple):
    """The rounds so far, (trials, horizon, ...); later entries are zeros."""

    seen: Any
    arm: Any
    paid: Any
    chance: Any


@dataclass(frozen=True)
class ExploringItsScores:
    """A formula of exploration on the scores that the library predicts without exploring, `--cb_adf`, after the same
    rounds."""

    arms: int
    horizon: int
    explore: Callable[[Any], Any]
    contexts: int = FEATURES

    def init(self, trials: int) -> Rounds:
        none = np.zeros((trials, self.horizon))
        return Rounds(np.zeros((trials, self.horizon, self.arms, FEATURES)), none.astype(int), none, none)

    def act(self, t: int, state: Rounds, noise: Any, seen: Any) -> Pulls:
        return drawn(self.law(t, state, seen), t, noise)

    def learn(self, t: int, state: Rounds, pulls: Pulls, sums: Any, noise: Any, seen: Any) -> Rounds:
        arm, after = pulls.counts.argmax(axis=1), Rounds(*(part.copy() for part in state))
        chance = np.take_along_axis(self.law(t, state, seen).chance, arm[:, None], axis=1)[:, 0]
        for part, now in zip(after, (seen, arm, sums.sum(axis=1), chance), strict=True):
            part[:, t - 1] = now
        return after

    def law(self, t: int, state: Rounds, seen: Any) -> Any:
        every = zip(seen, *state, strict=True)
        found = self.explore(np.array([self.scores(t, row, Rounds(*each)) for row, *each in every]))
        return found._replace(error=SINGLE_PRECISION, log=None)

    def scores(self, t: int, seen: Any, past: Rounds) -> Any:
        asked = importlib.import_module("vowpalwabbit").Workspace(f"--cb_adf {LEARNER}")
        for k in range(t - 1):
            asked.learn(lines(past.seen[k], past.arm[k], past.paid[k], past.chance[k]))
        return -np.array(asked.predict(lines(seen)))


ROWS = (
    Row(
        "--cb_explore_adf --softmax --lambda 2", "softmax exploration of predicted costs with parameter lambda",
        "laws.softmax",
        lambda: by_law(
            policy("--softmax --lambda 2"), partial(ExploringItsScores, explore=partial(softmax, temperature=0.5)),
            trials=100, environments=random_features(shared=False),
        ),
    ),
    Row(
        "--cb_explore_adf --epsilon 0.3", "epsilon-greedy exploration of predicted costs", "laws.epsilon_greedy",
        lambda: by_law(
            policy("--epsilon 0.3"),
            partial(ExploringItsScores, explore=partial(epsilon_greedy, epsilon=0.3, ties="shared")),
            trials=100, environments=random_features(shared=False),
        ),
    ),
)  # fmt: skip
