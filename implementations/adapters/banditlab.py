"""banditlab."""

from __future__ import annotations

import importlib
from typing import Any

from comparisons import by_law
from rows import Row

from adapters import seed_everything
from dpbandits import Policy, from_object
from dpbandits.reference.papers import ou24

LIBRARY = "banditlab"


def policy(arms: int, horizon: int) -> Policy:
    folder = "mab_framework.algorithms.non_contextual"
    kind = importlib.import_module(f"{folder}.noncontextual_ts_bandit").NonContextualTSBandit

    def update(made: Any, arm: int, paid: float) -> None:
        made.update([{"action": arm, "reward": paid, "context": None}])

    return from_object(lambda rng: kind(arms), lambda made: made.select_arm(), update, arms, horizon, seed_everything)


ROWS = (
    Row(
        "NonContextualTSBandit", "Thompson (1933), Gaussian, prior N(0, 1)", "ou24.ThompsonSampling",
        lambda: by_law(policy, ou24.ThompsonSampling),
    ),
)  # fmt: skip
