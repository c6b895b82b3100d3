"""SMPyBandits, by Lilian Besson and others."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.special
from comparisons import FEW, by_law
from references import (
    DeviationForVariance,
    DeviationForVarianceUsed,
    Exp3,
    MeanAndVariance,
    after_every_arm,
    counted,
    greedy_with,
    kl_ucb,
    moss_anytime,
)
from rows import Row

from adapters import seed_everything
from dpbandits import Policy, from_object
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.policy import one_arm
from dpbandits.reference.bandits.release_laws.ties import best_arms
from dpbandits.reference.papers import auer02

LIBRARY = "SMPyBandits"
SOME, LONG = 300, 16  # runs and pulls: with few pulls of an arm, 1/n and 1/sqrt(n) are nearly equal
TOLERANCE = 1e-8  # of klUCB's bisection; the default of 1e-4 may decide between indices that are nearly equal


def policy(name: str, used: bool = False, **parameters: Any) -> Callable[[int, int], Policy]:
    """used: the object has played another game before, and `startGame` was called."""
    scipy.special.btdtri = scipy.special.betaincinv  # which newer versions of scipy no longer have
    policies = importlib.import_module("SMPyBandits.Policies")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            made = getattr(policies, name)(arms, **parameters)
            made.startGame()
            for arm in range(arms if used else 0):
                made.getReward(arm, 1.0)
            if used:
                made.startGame()
            return made

        return from_object(
            new, lambda p: int(p.choice()), lambda p, arm, paid: p.getReward(arm, paid), arms, horizon, seed_everything
        )

    return make


def thompson(posterior: str, used: bool = False) -> Callable[[int, int], Policy]:
    scipy.special.btdtri = scipy.special.betaincinv
    kind = getattr(importlib.import_module("SMPyBandits.Policies.Posterior"), posterior)
    return policy("Thompson", used, posterior=kind)


def never_exploring_the_last(epsilon: float) -> Any:
    """Epsilon-greedy on sums of rewards that explores all arms but the last one."""

    def law(t: int, counts: Any) -> Any:
        best = best_arms(counts.total, "shared").share
        arms = counts.total.shape[1]
        explored = np.append(np.full(arms - 1, 1 / (arms - 1)), 0.0)
        return one_arm((1 - epsilon) * best + epsilon * explored, 1, 1e-12)

    return counted(law)


ROWS = (
    Row(
        "Thompson, Gauss posterior",
        "the posterior N(X/n, 1/n) of the mean after n rewards with the sum X, and N(0, 1) before (in the cited paper, "
        "Agrawal and Goyal (2013), it is N(X/(n + 1), 1/(n + 1)))",
        "exact law with the documented posterior",
        lambda: by_law(thompson("Gauss"), MeanAndVariance, DeviationForVariance, trials=SOME, horizon=LONG),
        "the code passes 1/n to the random generator as the standard deviation, although 1/n is the documented "
        "variance",
        "the documentation of Gauss, which states that the posterior is N(mu, sigma^2) with mu = X/N and sigma^2 = 1/N",
        "users of the Gauss posterior. After n rewards of an arm, the samples of the arm are sqrt(n) times too narrow, "
        "so the policy explores too little and can stay with a worse arm",
        script="smpybandits_gauss.py",
    ),
    Row(
        "Thompson, Gauss posterior, used before", "startGame() resets the policy", "exact law of a new object",
        lambda: by_law(thompson("Gauss", True), DeviationForVariance, DeviationForVarianceUsed),
        "after startGame(), the object still stores the number and the sum of the rewards of the previous game. As "
        "soon as the next reward arrives, the posterior again includes the rewards of the previous game",
        'the documentation of startGame, "Reset the posterior on each arm". The documentation of Gauss.reset says "as '
        'when creating a new Gauss posterior"',
        "users who play several games with one object. In each later game, the policy also uses the rewards of all "
        "earlier games",
        script="smpybandits_start_game.py",
    ),
    Row(
        "Thompson, Beta posterior", "Thompson (1933), flat prior", "bernoulli.ThompsonSampling",
        lambda: by_law(thompson("Beta"), beta_thompson.ThompsonSampling),
    ),
    Row(
        "Thompson, Beta posterior, used before", "startGame() resets the policy", "bernoulli.ThompsonSampling",
        lambda: by_law(thompson("Beta", True), beta_thompson.ThompsonSampling),
    ),
    Row(
        "UCB", "the index X/N + sqrt(2 log(t)/N), t the number of pulls so far", "auer02.UCB1",
        lambda: by_law(policy("UCB"), auer02.UCB1, horizon=12, trials=FEW),
    ),
    Row(
        "klUCB(tolerance=1e-8)", "Garivier and Cappe (2011) with c = 1: the largest q with N kl(mean, q) <= log(t)",
        "exact index of KL-UCB",
        lambda: by_law(
            policy("klUCB", tolerance=TOLERANCE), after_every_arm(kl_ucb(lambda t: np.log(t - 1))),
            horizon=12, trials=FEW,
        ),
    ),
    Row(
        "MOSS", "Audibert and Bubeck (2010): X/N + sqrt(max(0, log(t/(K N))/N))", "exact index of anytime MOSS",
        lambda: by_law(policy("MOSS"), after_every_arm(moss_anytime), horizon=12, trials=FEW),
    ),
    Row(
        "Exp3(gamma=0.3)", "Auer et al. (2002); every arm is pulled once first, in random order", "exact law of EXP3",
        lambda: by_law(policy("Exp3", gamma=0.3), partial(Exp3, gamma=0.3, every_arm_first=True)),
    ),
    Row(
        "EpsilonGreedy(epsilon=0.3)",
        "with probability epsilon a fully uniform exploration, else the largest sum of rewards",
        "exact law of epsilon-greedy",
        lambda: by_law(
            policy("EpsilonGreedy", epsilon=0.3),
            counted(greedy_with(0.3, lambda counts: counts.total)),
            never_exploring_the_last(0.3),
        ),
        "the last arm, K - 1, is never explored, because the arm is drawn with numpy.random.randint(0, K - 1), which "
        "excludes K - 1",
        'the documentation: "a fully uniform random exploration has probability epsilon(t) to happen"',
        "users whose best arm is the last one. The last arm is pulled only while no arm has a larger sum of rewards. "
        "The subclasses with decreasing epsilon have the same fault",
        script="smpybandits_epsilon_greedy.py",
    ),
)  # fmt: skip
