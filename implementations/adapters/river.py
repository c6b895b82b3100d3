"""river, the library for online machine learning: its bandit policies."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

from comparisons import FEW, by_law, by_share
from references import (
    FEATURES,
    Exp3,
    OfNextReward,
    TiesAtRandom,
    after_every_arm,
    bayes_ucb,
    binary_rewards,
    counted,
    greedy_with,
    means,
    same_features,
)
from rows import Result, Row

from dpbandits import Policy, from_object
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.release_laws.ties import largest
from dpbandits.reference.papers import auer02

LIBRARY = "river"
SEEDS = 2**32
TRIED, LEARNT = 2_000, 1_000  # decisions, and rewards of each arm before them


def policy(name: str, **parameters: Any) -> Callable[[int, int], Policy]:
    bandit = importlib.import_module("river.bandit")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            return getattr(bandit, name)(**parameters, seed=int(rng.integers(SEEDS)))

        return from_object(
            new, lambda p: p.pull(list(range(arms))), lambda p, arm, paid: p.update(arm, paid), arms, horizon
        )

    return make


def distribution(name: str) -> Any:
    return getattr(importlib.import_module("river.proba"), name)()


def linear(arms: int, horizon: int) -> Policy:
    """LinUCBDisjoint, with one context in a round, which all arms share."""
    bandit = importlib.import_module("river.bandit")

    def shared(features: Any) -> dict[int, float]:
        return dict(enumerate(features[0].tolist()))

    def update(policy: Any, arm: int, paid: float, features: Any) -> None:
        policy.update(arm, shared(features), paid)

    return from_object(
        lambda rng: bandit.LinUCBDisjoint(seed=int(rng.integers(SEEDS))),
        lambda p, features: p.pull(range(arms), context=shared(features)),
        update, arms, horizon, contexts=FEATURES,
    )  # fmt: skip


def share_of_worse_arm() -> Result:
    """How often the worse of two arms is pulled after 1000 rewards of each, with means 1/4 and 3/4.

    Every posterior of a mean, with a prior that puts some weight near these values, has a standard deviation of at
    most 0.03 by then, so that its samples are 10 standard deviations apart. 1e-3 leaves room for odd priors.
    """
    bandit = importlib.import_module("river.bandit")
    worse = 0
    for seed in range(TRIED // 100):
        each = bandit.ThompsonSampling(reward_obj=distribution("Gaussian"), seed=seed)
        for k in range(LEARNT):
            each.update(0, float(k % 4 == 0))
            each.update(1, float(k % 4 != 0))
        worse += sum(each.pull([0, 1]) == 0 for _ in range(100))
    return by_share(
        worse, TRIED, 1e-3, "after 1000 rewards of each arm, with means 1/4 and 3/4, the worse arm is pulled"
    )


ROWS = (
    Row(
        "bandit.ThompsonSampling, proba.Beta", "Thompson sampling, with a Beta distribution for binary rewards",
        "bernoulli.ThompsonSampling",
        lambda: by_law(policy("ThompsonSampling", reward_obj=distribution("Beta")), beta_thompson.ThompsonSampling),
    ),
    Row(
        "bandit.ThompsonSampling, proba.Gaussian",
        "Thompson sampling (Chapelle and Li 2011), with a Gaussian distribution for continuous rewards",
        "any posterior of a mean after 1000 rewards",
        share_of_worse_arm,
        "the policy samples a reward from the fitted distribution instead of a mean from the posterior of the mean. "
        "The spread of the samples therefore does not decrease with the number of rewards. Such samples agree with the "
        'documentation of reward_obj, "A distribution to sample from", but not with the cited algorithm',
        "the only cited reference, Algorithm 1 of Chapelle and Li (2011). In this algorithm, the parameter is drawn "
        "from its posterior, and the arm with the largest expected reward under that parameter is selected. The "
        'documentation says "a Gaussian distribution is meant to be used with continuous rewards"',
        "users with continuous rewards. A constant share of all pulls goes to worse arms, so the regret is linear",
        script="river_gaussian.py",
    ),
    Row(
        "bandit.UCB(delta=1)", "UCB1; the documentation says that delta = 1 is UCB1", "auer02.UCB1",
        lambda: by_law(policy("UCB", delta=1), auer02.UCB1, horizon=12, trials=FEW),
    ),
    Row(
        "bandit.UCB(delta=1), proba.Gaussian", "UCB1; the reward object may be a distribution", "auer02.UCB1",
        lambda: by_law(
            policy("UCB", delta=1, reward_obj=distribution("Gaussian")), auer02.UCB1,
            after_every_arm(lambda t, counts: means(counts)), horizon=12, trials=FEW,
        ),
        "with a distribution as reward object, the index of an arm is the mode of this distribution, without "
        "the confidence bonus, so the policy is greedy",
        'the documentation of reward_obj, "This can be a metric, a statistic, or a distribution". The documentation of '
        'delta says "Setting this to 1 leads to what is called the UCB1 policy"',
        "users who pass a distribution as reward object. An arm whose first rewards are low may never be pulled again",
        script="river_ucb_distribution.py",
    ),
    Row(
        "bandit.BayesUCB", "Kaufmann et al. (2012), flat prior, quantile 1 - 1/t", "exact index of Bayes-UCB",
        lambda: by_law(
            policy("BayesUCB"), counted(lambda t, counts: largest(bayes_ucb(t, counts))), horizon=12, trials=FEW,
            environments=binary_rewards,
        ),
    ),
    Row(
        "bandit.EpsilonGreedy(epsilon=0.3)", "an arm at random with probability epsilon, else the best mean",
        "exact law of epsilon-greedy",
        lambda: by_law(policy("EpsilonGreedy", epsilon=0.3), counted(greedy_with(0.3, ties="any"))),
    ),
    Row(
        "bandit.Exp3(gamma=0.3)", "Auer et al. (2002)", "exact law of EXP3",
        lambda: by_law(policy("Exp3", gamma=0.3), partial(Exp3, gamma=0.3)),
    ),
    Row(
        "bandit.LinUCBDisjoint", "Li et al. (2010), with the posterior of one regression for each arm",
        "contextual.LinUCB",
        lambda: by_law(
            linear, lambda *size: TiesAtRandom(*size, FEATURES), lambda *size: OfNextReward(*size, FEATURES),
            trials=100, environments=same_features,
        ),
        "the index uses the standard deviation of the next reward, sqrt(1/beta + x'S x), from the predictive "
        "distribution. The cited paper uses the standard deviation of the mean, sqrt(x'S x). No parameter of the "
        "policy can undo this difference",
        "line 9 of Algorithm 1 of Li et al. (2010), where the index is theta'x + alpha sqrt(x'A^-1 x). The "
        'documentation says "The posterior distribution is used to compute the upper confidence bound", but does not '
        "state for which quantity",
        "users who expect LinUCB. After n and m pulls of two arms, the bonuses differ by about (1/n - 1/m)/2 instead"
        " of 1/sqrt(n) - 1/sqrt(m), so the policy explores less",
        script="river_linucb.py",
    ),
)  # fmt: skip
