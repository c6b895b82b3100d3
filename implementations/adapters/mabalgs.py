"""mabalgs. Rewards are 0 or 1; an object is told of the ones, and counts pulls when it selects."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from comparisons import FEW, by_law
from references import FirstFailureForgotten, after_every_arm, binary_rewards, ucb_tuned
from rows import Row

from adapters import seed_everything
from dpbandits import Policy, from_object
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.papers import auer02

LIBRARY = "mabalgs"


def policy(name: str) -> Callable[[int, int], Policy]:
    algs = importlib.import_module("mab.algs")

    def update(made: Any, arm: int, paid: float) -> None:
        if paid:
            made.reward(arm)

    return lambda arms, horizon: from_object(
        lambda rng: getattr(algs, name)(arms), lambda made: int(made.select()[0]), update, arms, horizon,
        seed_everything,
    )  # fmt: skip


ROWS = (
    Row(
        "ThompsomSampling", "Thompson sampling with Beta posteriors", "bernoulli.ThompsonSampling",
        lambda: by_law(policy("ThompsomSampling"), beta_thompson.ThompsonSampling, FirstFailureForgotten),
        "for an arm with s successes and f failures, the sample is drawn from Beta(1 + s, max(1, f)), so the first "
        "failure of an arm changes nothing. No prior has these posteriors, because by Bayes' rule a failure "
        "multiplies the density at p by 1 - p",
        'the README: "Thompson Sampling is fully Bayesian: it generates a bandit configuration (i.e. a vector of '
        'expected rewards) from a posterior distribution"',
        "users with few rewards for each arm. An arm that failed once is treated like an arm that was never tried",
        script="mabalgs_thompson.py",
    ),
    Row(
        "UCB1", "UCB1", "auer02.UCB1",
        lambda: by_law(policy("UCB1"), auer02.UCB1, horizon=12, trials=FEW, environments=binary_rewards),
    ),
    Row(
        "UCBTuned", "UCB1-Tuned", "exact index of UCB1-Tuned",
        lambda: by_law(
            policy("UCBTuned"), after_every_arm(ucb_tuned), horizon=12, trials=FEW, environments=binary_rewards
        ),
    ),
)  # fmt: skip
