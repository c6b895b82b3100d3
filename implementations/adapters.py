"""Implementations that install from the Python package index, a few lines of adapter each, and what each claims to be.

The names of the libraries' own classes stand here as their documentation has them. Nothing of them is copied.
"""

from __future__ import annotations

import importlib
import random
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.special

from dpbandits import Contexts, Policy, Pulls, Stream, from_loop, from_object
from dpbandits.extensions.contextual.linear_bandits import DisjointLinearThompsonSampling, LinUCB
from dpbandits.reference.bandits import beta_thompson
from dpbandits.reference.bandits.policy import one_arm
from dpbandits.reference.bandits.release_laws.explorations import softmax
from dpbandits.reference.bandits.release_laws.winners import winner
from dpbandits.reference.bandits.ridge_regression import predictions
from dpbandits.reference.papers import agrawal13, ou24

GAUSSIAN, BETA = ou24.ThompsonSampling, beta_thompson.ThompsonSampling
LINEAR, DISJOINT = agrawal13.LinearThompsonSampling, DisjointLinearThompsonSampling
FEATURES = 2  # of every arm, where there are contexts
TIE = 1e-9  # between indices that differ by rounding alone
ALL_BUT_CERTAIN, FAR = 1e-4, 1e3  # of a deviation, where there is none; and what never wins, below


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


def river_linear(arms: int, horizon: int) -> Policy:
    """Of one context a round, which all arms share."""
    bandit = importlib.import_module("river.bandit")

    def new(rng: Any) -> Any:
        return bandit.LinUCBDisjoint(seed=int(rng.integers(2**32)))

    def shared(features: Any) -> dict[int, float]:
        return dict(enumerate(features[0].tolist()))

    def update(policy: Any, arm: int, paid: float, features: Any) -> None:
        policy.update(arm, shared(features), paid)

    return from_object(
        new, lambda p, features: p.pull(range(arms), context=shared(features)), update, arms, horizon, contexts=FEATURES
    )


# -- contextualbandits -----------------------------------------------------------------------------------------------


def contextualbandits(v_sq: float) -> Callable[[int, int], Policy]:
    """Of one context a round, which all arms share."""
    online = importlib.import_module("contextualbandits.online")

    def make(arms: int, horizon: int) -> Policy:
        def new(rng: Any) -> Any:
            return online.LinTS(arms, fit_intercept=False, v_sq=v_sq, random_state=int(rng.integers(2**31)))

        def update(policy: Any, arm: int, paid: float, features: Any) -> None:
            policy.partial_fit(features[:1], np.array([arm]), np.array([paid]))

        return from_object(
            new, lambda p, features: int(p.predict(features[:1])[0]), update, arms, horizon, contexts=FEATURES
        )

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


# -- vowpalwabbit ----------------------------------------------------------------------------------------------------

LEARNER = "--quiet --noconstant -b 10"  # with few weights: there are many of them side by side
SINGLE_PRECISION = 1e-6  # of its scores and chances


def lines(features: Any, arm: int = -1, paid: float = 0.0, chance: float = 1.0) -> list[str]:
    """A round in its text format, with the cost of the arm that was pulled."""
    label = {arm: f"0:{-paid}:{chance} "}
    return [
        f"{label.get(k, '')}| {' '.join(f'{place}:{value}' for place, value in enumerate(row, 1))}"
        for k, row in enumerate(np.asarray(features).tolist())
    ]


def vowpalwabbit(explore: str) -> Callable[[int, int], Policy]:
    """It names a chance for each arm; who uses it draws."""
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


class Rounds(NamedTuple):
    """The rounds so far, (trials, horizon, ...); the rest are zeros."""

    seen: Any
    arm: Any
    paid: Any
    chance: Any


@dataclass(frozen=True)
class ExploringItsScores:
    """A formula of exploration on the scores that vowpalwabbit has by itself, `--cb_adf`, after the same rounds."""

    arms: int
    horizon: int
    explore: Callable[[Any], Any]
    contexts: int = FEATURES

    def init(self, trials: int) -> Rounds:
        none = np.zeros((trials, self.horizon))
        return Rounds(np.zeros((trials, self.horizon, self.arms, FEATURES)), none.astype(int), none, none)

    def act(self, t: int, state: Rounds, noise: Any, seen: Any) -> Pulls:
        above = np.cumsum(self.law(t, state, seen).chance, axis=1)[:, :-1] <= noise.uniform("arm", t, (1,))
        return Pulls.one(above.sum(axis=1), self.arms)

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


class TiesAtRandom(LinUCB):
    """LinUCB, whose paper leaves ties open. extra: what the deviation's square has besides that of the mean."""

    extra = 0.0

    def law(self, t: int, state: Any, seen: Any) -> Any:
        mean, width = predictions(state, seen)
        index = mean + self.alpha * np.sqrt(self.extra + width * width)
        best = index >= index.max(axis=1, keepdims=True) - TIE
        return one_arm(best / best.sum(axis=1, keepdims=True))


class OfNextReward(TiesAtRandom):
    """The deviation of the arm's next reward, whose own variance is 1."""

    extra = 1.0


class CovarianceNotInverted(DisjointLinearThompsonSampling):
    """Covariances v^2 B_a in the place of v^2 B_a^-1; an arm without rewards is worth 0 for certain, and all are alike
    where none has any."""

    def law(self, t: int, state: Any, seen: Any) -> Any:
        never = (state.gram == self.ridge * np.eye(self.contexts)).all(axis=(2, 3))
        mean, spread = predictions(state, seen)[0], np.einsum("tad,tade,tae->ta", seen, state.gram, seen)
        first = never & (np.cumsum(never, axis=1) == 1)  # of those worth 0
        scale = self.scale * np.sqrt(np.maximum(spread, TIE)) * np.where(never, ALL_BUT_CERTAIN, 1.0)
        found = winner(np.where(never & ~first, -FAR, mean * ~never), scale)
        chance = np.where(never.all(axis=1, keepdims=True), 1 / self.arms, found.chance)
        return one_arm(chance, 1, found.error, 2 * ALL_BUT_CERTAIN)


def alike(arms: int, horizon: int) -> Any:
    """All arms pay 1/2, and show the same feature in every round."""
    seen = Contexts(np.tile(np.eye(FEATURES)[0], (horizon, arms, 1)))
    return {"all arms pay 1/2": Stream(np.full((arms, horizon), 0.5), contexts=seen)}


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


IN_ITS_PLACE = (
    "samples have the covariance v_sq (X'X + lambda I), which increases with every reward, instead of its inverse; and "
    "an arm without rewards has the sample 0"
)
DEVIATION = (
    "the generator gets 1/n as the standard deviation, but according to the documentation it is the variance; and the "
    "mean is S/n, but S/(n + 1) in the cited algorithm"
)
IMPLEMENTATIONS = (
    Implementation(
        "SMPyBandits", "Thompson, Gauss posterior", "Agrawal and Goyal (2013): N(mean, 1/n)",
        GAUSSIAN, lambda *size: smpybandits("Gauss")(*size), DEVIATION, AsDeviation,
    ),
    Implementation(
        "SMPyBandits", "Thompson, Gauss posterior, used before", "startGame() resets the policy",
        GAUSSIAN, lambda *size: smpybandits("Gauss", used=True)(*size),
        f"{DEVIATION}; and startGame() keeps the sums of the previous game",
        AsDeviationUsed,
    ),
    Implementation(
        "SMPyBandits", "Thompson, Beta posterior", "Thompson (1933), flat prior",
        BETA, lambda *size: smpybandits("Beta")(*size),
    ),
    Implementation(
        "SMPyBandits", "Thompson, Beta posterior, used before", "startGame() resets the policy",
        BETA, lambda *size: smpybandits("Beta", used=True)(*size),
    ),
    Implementation(
        "river", "bandit.ThompsonSampling, proba.Gaussian", "Thompson sampling; any distribution of rewards",
        GAUSSIAN, lambda *size: river("Gaussian")(*size),
        "the sample is a reward from the fitted distribution instead of a mean from the posterior, and the fitted "
        "deviation is 0 until two rewards differ; this may be intended",
    ),
    Implementation(
        "river", "bandit.ThompsonSampling, proba.Beta", "Thompson sampling; any distribution of rewards",
        BETA, lambda *size: river("Beta")(*size),
    ),
    Implementation(
        "river", "bandit.LinUCBDisjoint", "Li et al. (2010), with the posterior of one regression for each arm",
        lambda *size: TiesAtRandom(*size, FEATURES), river_linear,
        "the index uses the standard deviation of the next reward, sqrt(1/beta + x'S x); the paper uses that of the "
        "mean, sqrt(x'S x). This may be intended",
        lambda *size: OfNextReward(*size, FEATURES),
        trials=100, environments=alike,
    ),
    Implementation(
        "contextualbandits", "LinTS(v_sq=0.25, fit_intercept=False)",
        "Agrawal and Goyal (2013), with one model for each arm; v_sq multiplies the covariance",
        lambda *size: DISJOINT(*size, FEATURES, 0.5), lambda *size: contextualbandits(0.25)(*size),
        IN_ITS_PLACE, lambda *size: CovarianceNotInverted(*size, FEATURES, 0.5),
        trials=100, environments=alike,
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
        "an arm without rewards has the covariance alpha^2 lambda I instead of alpha^2 I/lambda",
        lambda *size: WideBeforeRewards(*size, FEATURES, 0.1, 4.0),
        trials=200, environments=rounds(shared=True),
    ),
    Implementation(
        "vowpalwabbit", "--cb_explore_adf --softmax --lambda 2",
        "softmax exploration of predicted costs with parameter lambda",
        lambda *size: ExploringItsScores(*size, partial(softmax, temperature=0.5)),
        lambda *size: vowpalwabbit("--softmax --lambda 2")(*size),
        trials=100, environments=rounds(shared=False),
    ),
    Implementation(
        "coba", "LinTSLearner(v=0.25)", "Agrawal and Goyal (2013), with v^2 called v",
        lambda *size: LINEAR(*size, FEATURES, 0.5), lambda *size: coba(0.25)(*size),
        trials=500, environments=rounds(shared=False),
    ),
    Implementation(
        "mabalgs", "ThompsomSampling", "Thompson sampling with Beta posteriors",
        BETA, mabalgs, "the first failure of each arm is not counted: Beta(1 + s, max(1, f))", FailureForgotten,
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
