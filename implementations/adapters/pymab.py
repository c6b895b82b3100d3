"""pymab."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from comparisons import FEW, by_law
from references import Exp3, after_every_arm, binary_rewards, counted, kl_ucb, moss, softmax_of_means, ucb1
from rows import Row

from dpbandits import Policy, from_object
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.papers import ou24

LIBRARY = "pymab"
DECISIONS = 12


def policy(name: str, **parameters: Any) -> Callable[[int, int], Policy]:
    kind = getattr(importlib.import_module("pymab.policies"), name)

    class Agent:
        def __init__(self, arms: int, rng: Any) -> None:
            self.rng, self.inner = rng, kind(n_arms=arms, **parameters)

        def select(self) -> int:
            return int(self.inner.select_action(rng=self.rng))

        def update(self, arm: int, paid: float) -> None:
            self.inner.update(action=arm, reward=paid)

    return lambda arms, horizon: from_object(partial(Agent, arms), Agent.select, Agent.update, arms, horizon)


def kl_budget(t: int) -> float:
    """log(n) + 3 log(log(n)) of the n = t - 1 rewards so far; log(log(n)) is at least 0, as in the library."""
    n = max(t - 1, 2)
    return float(np.log(n) + 3 * np.log(max(np.log(max(n, 3)), 1.0)))


ROWS = (
    Row(
        "BernoulliThompsonSamplingPolicy", "Thompson sampling with Beta-Bernoulli posteriors",
        "bernoulli.ThompsonSampling",
        lambda: by_law(policy("BernoulliThompsonSamplingPolicy"), beta_thompson.ThompsonSampling),
    ),
    Row(
        "GaussianThompsonSamplingPolicy", "Thompson sampling, Gaussian rewards with known variance, prior N(0, 1)",
        "ou24.ThompsonSampling",
        lambda: by_law(policy("GaussianThompsonSamplingPolicy"), ou24.ThompsonSampling),
    ),
    Row(
        "UCBPolicy(c=2)", "UCB1 for sub-Gaussian rewards, with the logarithm of the number of the next step",
        "exact index of UCB1 with log(t)",
        lambda: by_law(policy("UCBPolicy", c=2.0), after_every_arm(ucb1(2.0, clock=0)), horizon=DECISIONS, trials=FEW),
    ),
    Row(
        "KLUCBPolicy(c=3)", "KL-UCB for Bernoulli rewards, log(n) + 3 log(log(n))", "exact index of KL-UCB",
        lambda: by_law(
            policy("KLUCBPolicy", tolerance=1e-12, max_iterations=60), after_every_arm(kl_ucb(kl_budget)),
            horizon=DECISIONS, trials=FEW, environments=binary_rewards,
        ),
    ),
    Row(
        "MOSSPolicy(horizon=12)", "MOSS: the minimax optimal strategy in the stochastic case", "exact index of MOSS",
        lambda: by_law(
            policy("MOSSPolicy", horizon=DECISIONS), after_every_arm(moss(DECISIONS)), horizon=DECISIONS, trials=FEW
        ),
    ),
    Row(
        "SoftmaxPolicy(temperature=0.5)", "a softmax of the estimated values", "exact law of softmax",
        lambda: by_law(policy("SoftmaxPolicy", temperature=0.5), counted(softmax_of_means(0.5))),
    ),
    Row(
        "EXP3Policy(gamma=0.3)", "EXP3 for rewards in [0, 1]", "exact law of EXP3",
        lambda: by_law(policy("EXP3Policy", gamma=0.3), partial(Exp3, gamma=0.3)),
    ),
)  # fmt: skip
