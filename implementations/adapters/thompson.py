"""thompson. It owns its loop over a data frame of rewards: here, a frame whose every cell is a pull."""

from __future__ import annotations

import importlib
import types
from typing import Any

import numpy as np
from comparisons import by_law
from rows import Row

from adapters import seed_everything
from dpbandits import Policy, from_loop
from dpbandits.reference.bandits import beta_thompson

LIBRARY = "thompson"


def policy(arms: int, horizon: int) -> Policy:
    library = importlib.import_module("thompson")

    def run(pull: Any, rng: Any) -> None:
        class Cells:
            def __getitem__(self, cell: tuple[int, int]) -> float:
                return float(pull(cell[1]))

        frame = types.SimpleNamespace(shape=(horizon, arms), columns=np.arange(arms), values=Cells())
        library.thompson(frame)

    return from_loop(run, arms, horizon, seed_everything)


ROWS = (
    Row(
        "thompson", "Thompson sampling with Beta posteriors", "bernoulli.ThompsonSampling",
        lambda: by_law(policy, beta_thompson.ThompsonSampling, trials=500),
    ),
)  # fmt: skip
