"""contextualbandits, by David Cortes. All arms share one context in a round."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from comparisons import FEW, by_law
from references import FEATURES, CovarianceNotInverted, EveryArmFirst, random_features
from rows import Row

from adapters import pulls_every_arm
from dpbandits import Policy, from_object
from dpbandits.extensions.contextual.linear_bandits import LinUCB

LIBRARY = "contextualbandits"
SEEDS = 2**31


def policy(name: str, every_arm: bool = False, **parameters: Any) -> Callable[[int, int], Policy]:
    """A policy of the library. every_arm: whether every arm is pulled once before the library is asked."""
    online = importlib.import_module("contextualbandits.online")

    def make(arms: int, rng: Any) -> Any:
        seed = int(rng.integers(1, SEEDS))
        return getattr(online, name)(arms, fit_intercept=False, random_state=seed, **parameters)

    def select(made: Any, features: Any) -> int:
        return int(made.predict(features[:1])[0])

    def update(made: Any, arm: int, paid: float, features: Any) -> None:
        made.partial_fit(features[:1], np.array([arm]), np.array([paid]))

    if every_arm:
        return pulls_every_arm(make, select, update, FEATURES)
    return lambda arms, horizon: from_object(partial(make, arms), select, update, arms, horizon, contexts=FEATURES)


ROWS = (
    Row(
        'LinTS(v_sq=0.25, fit_intercept=False), sample_from="coef"',
        "Agrawal and Goyal (2013), with one model for each arm; v_sq multiplies the covariance",
        "contextual.DisjointLinearThompsonSampling",
        lambda: by_law(
            policy("LinTS", every_arm=True, v_sq=0.25), lambda *size: EveryArmFirst(*size, FEATURES, 0.5),
            lambda *size: CovarianceNotInverted(*size, FEATURES, 0.5), trials=100, horizon=12,
            environments=random_features(shared=True),
        ),
        "with the default sample_from=\"coef\" and the default method=\"chol\", samples have the covariance v_sq (X'X "
        "+ lambda I) instead of v_sq (X'X + lambda I)^-1. The covariance of the samples therefore increases with every "
        "reward",
        'the documentation of v_sq: "Parameter by which to multiply the covariance matrix (more means higher '
        'variance)". In Algorithm 1 of Agrawal and Goyal (2013), samples have the covariance v^2 B(t)^-1',
        "users of the default settings. The samples of an arm become wider with every reward, so the policy does not "
        "settle on the best arm",
        script="contextualbandits_lints.py",
    ),
    Row(
        'LinTS(v_sq=0.25, fit_intercept=False), sample_from="ci"',
        "Agrawal and Goyal (2013), with one model for each arm; v_sq multiplies the covariance, for each value of "
        "sample_from",
        "contextual.DisjointLinearThompsonSampling",
        lambda: by_law(
            policy("LinTS", every_arm=True, v_sq=0.25, sample_from="ci"),
            lambda *size: EveryArmFirst(*size, FEATURES, 0.5), lambda *size: EveryArmFirst(*size, FEATURES, 0.25),
            trials=300, environments=random_features(shared=True),
        ),
        'with sample_from="ci", v_sq multiplies the standard deviation, so the variance is multiplied by v_sq^2',
        'the documentation of v_sq: "Parameter by which to multiply the covariance matrix (more means higher '
        'variance)". The documentation makes no exception for any value of sample_from',
        "users who lower v_sq, as the documentation recommends. With v_sq = 0.25, samples have half of the "
        "documented standard deviation. With the default v_sq = 1, code and documentation agree",
        script="contextualbandits_lints_ci.py",
    ),
    Row(
        'LinTS(v_sq=1, fit_intercept=False), sample_from="ci"',
        "Agrawal and Goyal (2013), with one model for each arm; with v_sq = 1 standard deviation and variance agree",
        "contextual.DisjointLinearThompsonSampling",
        lambda: by_law(
            policy("LinTS", every_arm=True, v_sq=1.0, sample_from="ci"),
            lambda *size: EveryArmFirst(*size, FEATURES, 1.0),
            trials=300, environments=random_features(shared=True),
        ),
    ),
    Row(
        "LinUCB(alpha=1, fit_intercept=False, ucb_from_empty=True)",
        "Li et al. (2010): x'theta + alpha sqrt(x'A^-1 x), one model for each arm", "contextual.LinUCB",
        lambda: by_law(
            policy("LinUCB", alpha=1.0, ucb_from_empty=True), lambda *size: LinUCB(*size, FEATURES),
            horizon=12, trials=FEW, environments=random_features(shared=True, sequences=1),
        ),
    ),
)  # fmt: skip
