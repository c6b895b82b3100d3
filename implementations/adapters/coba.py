"""coba, a research package for contextual bandits. Every learner has the seed 1 by default: here each has its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import FEW, by_law
from references import (
    FEATURES,
    SharedLinUCB,
    after_every_arm,
    counted,
    greedy_with,
    random_features,
    tuned_bonus,
    ucb_tuned,
)
from rows import Row

from dpbandits import Policy, from_object
from dpbandits.reference.papers import agrawal13

LIBRARY = "coba"
SEEDS = 2**31


def policy(name: str, **parameters: Any) -> Callable[[int, int], Policy]:
    """A learner without contexts; the actions are the numbers of the arms."""
    coba = importlib.import_module("coba")

    def make(arms: int, horizon: int) -> Policy:
        actions = list(range(arms))
        return from_object(
            lambda rng: getattr(coba, name)(seed=int(rng.integers(SEEDS)), **parameters),
            lambda p: int(p.predict(None, actions)[0]),
            lambda p, arm, paid: p.learn(None, arm, paid, 1.0),
            arms, horizon,
        )  # fmt: skip

    return make


def linear(name: str, **parameters: Any) -> Callable[[int, int], Policy]:
    """A linear learner with the actions' own features, initialised as its first `predict` does it."""
    coba = importlib.import_module("coba")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            learner = getattr(coba, name)(features=["a"], seed=int(rng.integers(SEEDS)), **parameters)
            learner._initialize([], (0.0,) * FEATURES)
            if hasattr(learner, "_nrng"):
                learner._nrng = np.random.default_rng(int(rng.integers(SEEDS)))
            return learner

        def select(learner: Any, features: Any) -> int:
            actions = [tuple(each) for each in features.tolist()]
            return actions.index(tuple(learner.predict(None, actions)[0]))

        def update(learner: Any, arm: int, paid: float, features: Any) -> None:
            learner.learn(None, tuple(features[arm].tolist()), paid, 1.0)

        return from_object(new, select, update, arms, horizon, contexts=FEATURES)

    return make


def first_reward_dropped(t: int, counts: Any) -> Any:
    """UCB1-Tuned where mean and variance of an arm are those of its rewards without the first one."""
    later = counts.pulls - 1
    mean = np.where(later > 0, counts.later / np.maximum(later, 1), counts.total)
    centred = counts.later_squares - later * mean**2
    variance = np.where(later > 1, centred / np.maximum(later - 1, 1), np.nan)
    bonus = np.sqrt(np.log(t - 1) / counts.pulls * 0.25)  # min(1/4, nan) is 1/4 there
    return mean + np.where(later > 1, tuned_bonus(t, counts, np.nan_to_num(variance)), bonus)


ROWS = (
    Row(
        "BanditEpsilonLearner(epsilon=0.3)", "the greedy action with probability 1 - epsilon, else a random one",
        "exact law of epsilon-greedy",
        lambda: by_law(policy("BanditEpsilonLearner", epsilon=0.3), counted(greedy_with(0.3))),
    ),
    Row(
        "BanditUCBLearner", "UCB1-Tuned (Auer et al. 2002, section 4)", "exact index of UCB1-Tuned",
        lambda: by_law(
            policy("BanditUCBLearner"), after_every_arm(ucb_tuned), after_every_arm(first_reward_dropped),
            horizon=12, trials=FEW,
        ),
        "the mean of an action omits its first reward, because the update divides by the number of earlier rewards. "
        "The second reward therefore replaces the first. The variance also omits the first reward, and has the "
        "denominator n - 1",
        'the class documentation: "This algorithm is an implementation of Auer et al. (2002) UCB1-Tuned algorithm". In '
        "section 4 of Auer et al. (2002), mean and variance are computed from all rewards of the arm",
        "users who take this learner as a baseline. The mean of n rewards in [0, 1] is wrong by up to 1/n. For "
        "example, the mean is 0 instead of 1/2 after the rewards 1 and 0",
        script="coba_ucb.py",
    ),
    Row(
        "LinTSLearner(v=0.25)", "Agrawal and Goyal (2013), with v^2 called v", "agrawal13.LinearThompsonSampling",
        lambda: by_law(
            linear("LinTSLearner", v=0.25), lambda *size: agrawal13.LinearThompsonSampling(*size, FEATURES, 0.5),
            trials=500, environments=random_features(shared=False),
        ),
    ),
    Row(
        "LinUCBLearner(alpha=1)", "Chu et al. (2011): one regression for all actions, x'theta + alpha sqrt(x'A^-1 x)",
        "exact index of LinUCB with one regression",
        lambda: by_law(
            linear("LinUCBLearner", alpha=1), lambda *size: SharedLinUCB(*size, FEATURES),
            horizon=12, trials=FEW, environments=random_features(shared=False, sequences=1),
        ),
    ),
)  # fmt: skip
