"""bayesianbandits."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import by_law
from rows import Row

from dpbandits import Policy, from_object
from dpbandits.reference.papers import ou24

LIBRARY = "bayesianbandits"


def policy(learner: str, **prior: Any) -> Callable[[int, int], Policy]:
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


ROWS = (
    Row(
        "NormalRegressor(alpha=1, beta=1)", "Thompson sampling, posterior of a Gaussian mean", "ou24.ThompsonSampling",
        lambda: by_law(policy("NormalRegressor", alpha=1, beta=1), ou24.ThompsonSampling, trials=200),
    ),
)  # fmt: skip
