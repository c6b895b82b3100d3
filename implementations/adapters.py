"""Implementations that install from the Python package index, a few lines of adapter each, and what each claims to be.

The names of the libraries' own classes stand here as their documentation has them. Nothing of them is copied.
"""

from __future__ import annotations

import importlib
import random
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special

from dpbandits import Contexts, Policy, Stream, from_loop, from_object
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.linear_bandits import DisjointLinearThompsonSampling
from dpbandits.reference.papers import agrawal13, ou24

GAUSSIAN, BETA = ou24.ThompsonSampling, beta_thompson.ThompsonSampling
LINEAR, DISJOINT = agrawal13.LinearThompsonSampling, DisjointLinearThompsonSampling
FEATURES = 2  # of every arm, where there are contexts


@dataclass(frozen=True)
class Implementation:
    """A policy of a library. claims: in its own documentation's words, shortly. page: the policy that this is.

    differs: why it is known not to follow the page's law, "" where it does; a known failure is strict, and where the
    law that it has `instead` is known, it has to follow that.
    """

    library: str
    name: str
    claims: str
    page: Callable[[int, int], Any]
    make: Callable[[int, int], Policy]
    differs: str = ""
    instead: Callable[[int, int], Any] | None = None  # a policy with the law that `differs` describes, if there is one
    trials: int = 2_000  # in each environment; fewer of what takes milliseconds for a decision
    environments: Callable[[int, int], Any] | None = None  # what it is played on, where it sees contexts


def everywhere(number: int) -> None:
    """Seeds the generators of the whole process."""
    random.seed(number)
    np.random.seed(number % 2**32)  # noqa: NPY002


# -- SMPyBandits -----------------------------------------------------------------------------------------------------


def smpybandits(posterior: str, used: bool = False) -> Callable[[int, int], Policy]:
    """used: the object has played another game before, and `startGame` was called."""
    scipy.special.btdtri = scipy.special.betaincinv  # which newer versions of scipy no longer have
    policies = importlib.import_module("SMPyBandits.Policies")
    posteriors = importlib.import_module("SMPyBandits.Policies.Posterior")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            policy = policies.Thompson(arms, posterior=getattr(posteriors, posterior))
            policy.startGame()
            for arm in range(arms if used else 0):
                policy.getReward(arm, 1.0)
            if used:
                policy.startGame()
            return policy

        return from_object(
            new, lambda p: int(p.choice()), lambda p, arm, paid: p.getReward(arm, paid), arms, horizon, everywhere
        )

    return make


# -- river -----------------------------------------------------------------------------------------------------------


def river(distribution: str) -> Callable[[int, int], Policy]:
    bandit, proba = importlib.import_module("river.bandit"), importlib.import_module("river.proba")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            return bandit.ThompsonSampling(reward_obj=getattr(proba, distribution)(), seed=int(rng.integers(2**32)))

        return from_object(new, lambda p: p.pull(range(arms)), lambda p, arm, paid: p.update(arm, paid), arms, horizon)

    return make


# -- mabwiser --------------------------------------------------------------------------------------------------------


def mabwiser(arms: int, horizon: int) -> Policy:
    mab = importlib.import_module("mabwiser.mab")

    def new(rng: Any) -> Any:
        policy = mab.MAB(list(range(arms)), mab.LearningPolicy.ThompsonSampling(), seed=int(rng.integers(2**31)))
        policy._is_initial_fit = True  # its public way to begin asks for rewards first
        return policy

    def update(policy: Any, arm: int, paid: float) -> None:
        policy.partial_fit([arm], [int(paid)])

    return from_object(new, lambda p: p.predict(), update, arms, horizon)


def mabwiser_linear(alpha: float, ridge: float) -> Callable[[int, int], Policy]:
    """Of one context a round, which all arms share."""
    mab = importlib.import_module("mabwiser.mab")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            learning = mab.LearningPolicy.LinTS(alpha=alpha, l2_lambda=ridge)
            policy = mab.MAB(list(range(arms)), learning, seed=int(rng.integers(2**31)))
            policy._imp.num_features = FEATURES  # what `fit` does, which asks for rewards first
            for model in policy._imp.arm_to_model.values():
                model.init(num_features=FEATURES)
            policy._is_initial_fit = True
            return policy

        def select(policy: Any, features: Any) -> int:
            return int(policy.predict([features[0].tolist()]))

        def update(policy: Any, arm: int, paid: float, features: Any) -> None:
            policy.partial_fit([arm], [paid], [features[0].tolist()])

        return from_object(new, select, update, arms, horizon, contexts=FEATURES)

    return make


# -- coba ------------------------------------------------------------------------------------------------------------


def coba(v: float) -> Callable[[int, int], Policy]:
    """Of the actions' own features. Every learner draws with the seed 1, whatever its `seed`: here each has its own."""
    coba = importlib.import_module("coba")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            learner = coba.LinTSLearner(v=v, features=["a"], seed=int(rng.integers(2**31)))
            learner._initialize([], (0.0,) * FEATURES)
            learner._nrng = np.random.default_rng(int(rng.integers(2**31)))
            return learner

        def select(learner: Any, features: Any) -> int:
            actions = [tuple(each) for each in features.tolist()]
            return actions.index(tuple(learner.predict(None, actions)[0]))

        def update(learner: Any, arm: int, paid: float, features: Any) -> None:
            learner.learn(None, tuple(features[arm].tolist()), paid, 1.0)

        return from_object(new, select, update, arms, horizon, contexts=FEATURES)

    return make


# -- mabalgs ---------------------------------------------------------------------------------------------------------


def mabalgs(arms: int, horizon: int) -> Policy:
    algs = importlib.import_module("mab.algs")

    def update(policy: Any, arm: int, paid: float) -> None:
        if paid:
            policy.reward(arm)

    return from_object(
        lambda rng: algs.ThompsomSampling(arms), lambda p: int(p.select()[0]), update, arms, horizon, everywhere
    )


# -- thompson --------------------------------------------------------------------------------------------------------


def thompson_of(arms: int, horizon: int) -> Policy:
    """It owns its loop over a data frame of rewards: here, a frame whose every cell is a pull."""
    library = importlib.import_module("thompson")

    def run(pull: Any, rng: Any) -> None:
        class Cells:
            def __getitem__(self, cell: tuple[int, int]) -> float:
                return float(pull(cell[1]))

        frame = types.SimpleNamespace(shape=(horizon, arms), columns=np.arange(arms), values=Cells())
        library.thompson(frame)

    return from_loop(run, arms, horizon, everywhere)


# -- banditlab -------------------------------------------------------------------------------------------------------


def banditlab(arms: int, horizon: int) -> Policy:
    kind = importlib.import_module(
        "mab_framework.algorithms.non_contextual.noncontextual_ts_bandit"
    ).NonContextualTSBandit

    def update(policy: Any, arm: int, paid: float) -> None:
        policy.update([{"action": arm, "reward": paid, "context": None}])

    return from_object(lambda rng: kind(arms), lambda p: p.select_arm(), update, arms, horizon, everywhere)


# -- bayesianbandits -------------------------------------------------------------------------------------------------


def bayesianbandits(learner: str, **prior: Any) -> Callable[[int, int], Policy]:
    library = importlib.import_module("bayesianbandits")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            each = [library.Arm(arm, learner=getattr(library, learner)(**prior)) for arm in range(arms)]
            return library.Agent(each, library.ThompsonSampling(), random_seed=int(rng.integers(2**32)))

        def select(agent: Any) -> int:
            (arm,) = agent.pull()
            return int(arm)

        def update(agent: Any, arm: int, paid: float) -> None:
            agent.select_for_update(arm).update(np.array([paid]))

        return from_object(new, select, update, arms, horizon)

    return make


# -- what some of them do instead ------------------------------------------------------------------------------------


class AsDeviation(ou24.ThompsonSampling):
    """theta_i ~ N(S_i/n_i, (1/n_i)^2), and N(0, 1) before the first pull."""

    def posterior(self, t: int, state: Any) -> tuple[Any, Any]:
        many = np.maximum(state.pulls, 1)
        return state.total / many, 1.0 / many


class AsDeviationUsed(ou24.ThompsonSampling):
    """The same with one more pull of each arm, which paid 1, remembered from the first update on."""

    def posterior(self, t: int, state: Any) -> tuple[Any, Any]:
        begun, many = state.pulls > 0, state.pulls + 1
        return np.where(begun, (state.total + 1) / many, 0.0), np.where(begun, 1.0 / many, 1.0)


class WideBeforeRewards(DisjointLinearThompsonSampling):
    """An arm without rewards has the covariance alpha^2 ridge I."""

    def law(self, t: int, state: Any, seen: Any) -> Any:
        start = self.ridge * np.eye(self.contexts)
        never = (state.gram == start).all(axis=(2, 3), keepdims=True)
        return super().law(t, state._replace(gram=np.where(never, start / self.ridge**2, state.gram)), seen)


def rounds(shared: bool) -> Callable[[int, int], Any]:
    """Rewards in eighths beside contexts; shared: all arms have those of the first one."""

    def environments(arms: int, horizon: int) -> Any:
        drawn = np.random.default_rng(0)
        features = drawn.integers(-64, 65, (horizon, arms, FEATURES)) / 64
        seen = Contexts(np.repeat(features[:, :1], arms, axis=1) if shared else features)
        paid = drawn.integers(0, 9, (arms, horizon)) / 8
        return {
            "rewards in eighths": Stream(paid, contexts=seen),
            "all arms pay 1": Stream(np.ones((arms, horizon)), contexts=seen),
        }

    return environments


class FailureForgotten(beta_thompson.ThompsonSampling):
    """theta_i ~ Beta(1 + S_i, max(1, F_i))."""

    def law(self, t: int, state: Any) -> Any:
        return super().law(t, state._replace(failures=np.maximum(state.failures - 1, 0)))


DEVIATION = (
    "1/n is handed to the generator as the standard deviation, where the documentation has it as the variance; and the "
    "mean is S/n, where the algorithm that it cites has S/(n + 1)"
)
IMPLEMENTATIONS = (
    Implementation(
        "SMPyBandits", "Thompson, Gauss posterior", "Agrawal and Goyal (2013): N(mean, 1/n)",
        GAUSSIAN, lambda *size: smpybandits("Gauss")(*size), DEVIATION, AsDeviation,
    ),
    Implementation(
        "SMPyBandits", "Thompson, Gauss posterior, used before", "startGame() begins anew",
        GAUSSIAN, lambda *size: smpybandits("Gauss", used=True)(*size),
        f"{DEVIATION}; and startGame() keeps the sums of the game before",
        AsDeviationUsed,
    ),
    Implementation(
        "SMPyBandits", "Thompson, Beta posterior", "Thompson (1933), flat prior",
        BETA, lambda *size: smpybandits("Beta")(*size),
    ),
    Implementation(
        "SMPyBandits", "Thompson, Beta posterior, used before", "startGame() begins anew",
        BETA, lambda *size: smpybandits("Beta", used=True)(*size),
    ),
    Implementation(
        "river", "bandit.ThompsonSampling, proba.Gaussian", "Thompson sampling; any distribution of rewards",
        GAUSSIAN, lambda *size: river("Gaussian")(*size),
        "a reward is sampled from the fitted distribution, not a mean from its posterior, and the fitted deviation is "
        "0 until two rewards differ; this may be meant, and is another policy",
    ),
    Implementation(
        "river", "bandit.ThompsonSampling, proba.Beta", "Thompson sampling; any distribution of rewards",
        BETA, lambda *size: river("Beta")(*size),
    ),
    Implementation(
        "mabwiser", "LearningPolicy.ThompsonSampling", "Thompson sampling with Beta posteriors", BETA, mabwiser,
    ),
    Implementation(
        "mabwiser", "LearningPolicy.LinTS(alpha=0.5)", "a ridge regression for each arm, covariance alpha^2 A^-1",
        lambda *size: DISJOINT(*size, FEATURES, 0.5), lambda *size: mabwiser_linear(0.5, 1.0)(*size),
        trials=100, environments=rounds(shared=True),
    ),
    Implementation(
        "mabwiser", "LearningPolicy.LinTS(alpha=0.1, l2_lambda=4)", "covariance alpha^2 (X'X + lambda I)^-1",
        lambda *size: DISJOINT(*size, FEATURES, 0.1, 4.0), lambda *size: mabwiser_linear(0.1, 4.0)(*size),
        "an arm without rewards has the covariance alpha^2 lambda I, and not alpha^2 I/lambda",
        lambda *size: WideBeforeRewards(*size, FEATURES, 0.1, 4.0),
        trials=200, environments=rounds(shared=True),
    ),
    Implementation(
        "coba", "LinTSLearner(v=0.25)", "Agrawal and Goyal (2013); its v is what is v^2 there",
        lambda *size: LINEAR(*size, FEATURES, 0.5), lambda *size: coba(0.25)(*size),
        trials=500, environments=rounds(shared=False),
    ),
    Implementation(
        "mabalgs", "ThompsomSampling", "Thompson sampling with Beta posteriors",
        BETA, mabalgs, "the first failure of each arm is forgotten: Beta(1 + s, max(1, f))", FailureForgotten,
    ),
    Implementation("thompson", "thompson", "Thompson sampling with Beta posteriors", BETA, thompson_of),
    Implementation(
        "banditlab", "NonContextualTSBandit", "Thompson (1933), Gaussian, prior N(0, 1)", GAUSSIAN, banditlab,
    ),
    Implementation(
        "bayesianbandits", "NormalRegressor(alpha=1, beta=1)", "Thompson sampling, posterior of a Gaussian mean",
        GAUSSIAN, lambda *size: bayesianbandits("NormalRegressor", alpha=1, beta=1)(*size),
        trials=200,
    ),
)  # fmt: skip
