"""MABWiser, by Fidelity Investments."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import FEW, SEED, by_law, by_outputs
from references import (
    FEATURES,
    WideBeforeRewards,
    after_every_arm,
    counted,
    greedy_with,
    largest_gamma,
    random_features,
    ucb1,
)
from rows import Result, Row

from adapters import pulls_every_arm
from dpbandits import Policy, from_object
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling, LinUCB
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.release_laws.explorations import softmax

LIBRARY = "mabwiser"
SEEDS = 2**31
SOME, PREDICTIONS = 300, 12_000  # runs: a decision takes a millisecond
REWARDS = [0.8, 0.3, 0.1]  # of three arms, one each
DISJOINT = DisjointLinearThompsonSampling


def policy(learning: str, **parameters: Any) -> Callable[[int, int], Policy]:
    """A policy without contexts, before any reward. `fit` asks for rewards first; its flag is set instead."""
    mab = importlib.import_module("mabwiser.mab")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            kind = getattr(mab.LearningPolicy, learning)(**parameters)
            made = mab.MAB(list(range(arms)), kind, seed=int(rng.integers(SEEDS)))
            made._is_initial_fit = True
            return made

        return from_object(new, lambda p: p.predict(), lambda p, arm, paid: p.partial_fit([arm], [paid]), arms, horizon)

    return make


def fitted(learning: str, **parameters: Any) -> Callable[[int, int], Policy]:
    """The same after one pull of each arm, as the documentation has it: `fit` comes before `predict`."""
    mab = importlib.import_module("mabwiser.mab")

    def new(arms: int, rng: Any) -> Any:
        kind = getattr(mab.LearningPolicy, learning)(**parameters)
        return mab.MAB(list(range(arms)), kind, seed=int(rng.integers(SEEDS)))

    return pulls_every_arm(new, lambda p: p.predict(), lambda p, arm, paid: p.partial_fit([arm], [paid]))


def linear(learning: str, ridge: float, **parameters: Any) -> Callable[[int, int], Policy]:
    """A linear policy. One context in a round, which all arms share; models are initialised as `fit` does it."""
    mab = importlib.import_module("mabwiser.mab")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            kind = getattr(mab.LearningPolicy, learning)(l2_lambda=ridge, **parameters)
            made = mab.MAB(list(range(arms)), kind, seed=int(rng.integers(SEEDS)))
            made._imp.num_features = FEATURES
            for model in made._imp.arm_to_model.values():
                model.init(num_features=FEATURES)
            made._is_initial_fit = True
            return made

        def select(made: Any, features: Any) -> int:
            return int(made.predict([features[0].tolist()]))

        def update(made: Any, arm: int, paid: float, features: Any) -> None:
            made.partial_fit([arm], [paid], [features[0].tolist()])

        return from_object(new, select, update, arms, horizon, contexts=FEATURES)

    return make


def after_three_rewards(learning: str, chances: Any, **parameters: Any) -> Result:
    """The arms that a policy predicts after one reward of each arm, and with which probabilities it should."""
    mab = importlib.import_module("mabwiser.mab")
    made = mab.MAB([0, 1, 2], getattr(mab.LearningPolicy, learning)(**parameters), seed=SEED)
    made.fit([0, 1, 2], REWARDS)
    return by_outputs(lambda rng: made.predict(), chances, largest_gamma(chances[None])[0], trials=PREDICTIONS)


class WideUCB(LinUCB):
    """LinUCB whose matrix of an arm without rewards is ridge I instead of I/ridge."""

    def index(self, state: Any, seen: Any) -> Any:
        start = self.ridge * np.eye(self.contexts)
        never = (state.gram == start).all(axis=(2, 3), keepdims=True)
        return super().index(state._replace(gram=np.where(never, start / self.ridge**2, state.gram)), seen)


DIRICHLET = (
    "the policy draws a sample from Dirichlet(p), where p is the vector of documented probabilities, and pulls the arm "
    "with the largest coordinate. An arm is therefore not pulled with its probability in p, unless all entries of p "
    "are equal"
)
PROPENSITIES = (
    "users who take P(arm) as the probability that an arm is pulled, for example in off-policy evaluation. After the "
    "rewards 0.8, 0.3 and 0.1 of three arms, the best arm is pulled with probability {} instead of {}"
)
UNPULLED = (
    "users who change l2_lambda from its default 1. An arm without rewards, for example an arm that was added later, "
    "has lambda times the documented {0}. After the first reward of an arm, the {0} is as documented"
)
ROWS = (
    Row(
        "LearningPolicy.ThompsonSampling", "Thompson sampling with Beta posteriors", "bernoulli.ThompsonSampling",
        lambda: by_law(policy("ThompsonSampling"), beta_thompson.ThompsonSampling, trials=SOME),
    ),
    Row(
        "LearningPolicy.UCB1(alpha=1)", "mean + alpha sqrt(2 log(N)/n); one pull of each arm first",
        "auer02.UCB1", lambda: by_law(fitted("UCB1", alpha=1), after_every_arm(ucb1()), horizon=12, trials=FEW),
    ),
    Row(
        "LearningPolicy.EpsilonGreedy(epsilon=0.3)", "the best mean with probability 1 - epsilon, else a random arm",
        "exact law of epsilon-greedy",
        lambda: by_law(policy("EpsilonGreedy", epsilon=0.3), counted(greedy_with(0.3, ties="any")), trials=SOME),
    ),
    Row(
        "LearningPolicy.Softmax(tau=0.5)", "P(arm) proportional to exp(mean/tau)", "exact law of softmax",
        lambda: after_three_rewards("Softmax", softmax(np.array([REWARDS]), 0.5).chance[0], tau=0.5),
        DIRICHLET,
        'the documentation: "This policy selects each arm with a probability proportionate to its average reward", '
        "followed by the softmax formula for P(arm)",
        PROPENSITIES.format("0.65", "0.62"), script="mabwiser_softmax.py",
    ),
    Row(
        "LearningPolicy.Popularity", "P(arm) = mean of the arm/sum of the means", "exact law of the shares of means",
        lambda: after_three_rewards("Popularity", np.array(REWARDS) / sum(REWARDS)),
        DIRICHLET,
        'the documentation: "The probability of selection is calculated as: P(arm) = mu_i/sum(mu)"',
        PROPENSITIES.format("0.70", "0.67"), script="mabwiser_popularity.py",
    ),
    Row(
        "LearningPolicy.LinTS(alpha=0.5)", "a ridge regression for each arm, covariance alpha^2 A^-1",
        "contextual.DisjointLinearThompsonSampling",
        lambda: by_law(
            linear("LinTS", 1.0, alpha=0.5), lambda *size: DISJOINT(*size, FEATURES, 0.5),
            trials=100, environments=random_features(shared=True),
        ),
    ),
    Row(
        "LearningPolicy.LinTS(alpha=0.1, l2_lambda=4)", "covariance alpha^2 (X'X + lambda I)^-1",
        "contextual.DisjointLinearThompsonSampling",
        lambda: by_law(
            linear("LinTS", 4.0, alpha=0.1), lambda *size: DISJOINT(*size, FEATURES, 0.1, 4.0),
            lambda *size: WideBeforeRewards(*size, FEATURES, 0.1, 4.0),
            trials=200, environments=random_features(shared=True),
        ),
        "the coefficients of an arm without rewards have the covariance alpha^2 lambda I instead of alpha^2 I/lambda",
        "the documentation, which states that the coefficients have the covariance alpha^2 (x_i'x_i + lambda I_d)^-1",
        UNPULLED.format("standard deviation"),
        script="mabwiser_lints.py",
    ),
    Row(
        "LearningPolicy.LinUCB(alpha=1)", "x'beta + alpha sqrt(x'(X'X + lambda I)^-1 x), lambda = 1",
        "contextual.LinUCB",
        lambda: by_law(
            linear("LinUCB", 1.0, alpha=1.0), lambda *size: LinUCB(*size, FEATURES), horizon=12, trials=FEW,
            environments=random_features(shared=True, sequences=1),
        ),
    ),
    Row(
        "LearningPolicy.LinUCB(alpha=1, l2_lambda=4)", "x'beta + alpha sqrt(x'(X'X + lambda I)^-1 x), lambda = 4",
        "contextual.LinUCB",
        lambda: by_law(
            linear("LinUCB", 4.0, alpha=1.0), lambda *size: LinUCB(*size, FEATURES, 1.0, 4.0),
            lambda *size: WideUCB(*size, FEATURES, 1.0, 4.0),
            horizon=12, trials=FEW, environments=random_features(shared=True, sequences=1),
        ),
        "for an arm without rewards, the code uses the matrix lambda I instead of I/lambda, so the bonus of the arm is "
        "lambda times too large",
        "the documentation, which states that the bonus is alpha times the square root of a quadratic form with the "
        "matrix (x_i'x_i + lambda I_d)^-1. A comment in the code describes the matrix A_inv as \"(XtX + l2_lambda * "
        "I_d)^-1\"",
        UNPULLED.format("bonus"),
        script="mabwiser_linucb.py",
    ),
)  # fmt: skip
