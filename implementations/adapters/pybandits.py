"""PyBandits, by Playtika."""

from __future__ import annotations

import importlib
from typing import Any

from comparisons import by_law
from rows import Row

from dpbandits import Policy, from_object
from dpbandits.reference.bandits import beta_thompson

LIBRARY = "pybandits"


def policy(arms: int, horizon: int) -> Policy:
    """SmabBernoulli before any reward, with the default prior Beta(1, 1)."""
    smab = importlib.import_module("pybandits.smab").SmabBernoulli

    def new(rng: Any) -> Any:
        return smab.cold_start(action_ids={str(arm) for arm in range(arms)}, random_seed=int(rng.integers(2**31)))

    def update(made: Any, arm: int, paid: float) -> None:
        made.update(actions=[str(arm)], rewards=[int(paid)])

    return from_object(new, lambda made: int(made.predict(n_samples=1)[0][0]), update, arms, horizon)


ROWS = (
    Row(
        "SmabBernoulli", "Thompson sampling (Agrawal and Goyal 2012), Beta posteriors", "bernoulli.ThompsonSampling",
        lambda: by_law(policy, beta_thompson.ThompsonSampling, trials=300),
    ),
)  # fmt: skip
