"""multi-freq-ldpy, frequency estimation under local differential privacy. numba's generator is seeded inside numba."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import by_audit, by_outputs
from rows import Result, Row

LIBRARY = "multi-freq-ldpy"
VALUES, EPS = 5, 1.0


def client(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"multi_freq_ldpy.pure_frequency_oracles.{module}"), name)


def randomized_response() -> Result:
    draw = client("GRR", "GRR_Client")
    true = np.exp(EPS) / (np.exp(EPS) + VALUES - 1)
    chances = (true, *[(1 - true) / (VALUES - 1)] * (VALUES - 1))
    return by_outputs(lambda rng: int(draw(0, VALUES, EPS)), chances)


def reports(module: str, name: str, *more: Any) -> Callable[[Any, int, int], Any]:
    """Reports of a user with this value, as bits."""
    draw = client(module, name)

    def outputs(value: int, trials: int, seed: int) -> Any:
        return np.array([np.asarray(draw(value, VALUES, EPS, *more), dtype=float) for _ in range(trials)])

    return outputs


def subset_bits() -> Callable[[Any, int, int], Any]:
    draw = client("SS", "SS_Client")

    def outputs(value: int, trials: int, seed: int) -> Any:
        found = np.zeros((trials, VALUES))
        for row in found:
            row[np.asarray(draw(value, VALUES, EPS))] = 1
        return found

    return outputs


ROWS = (
    Row("GRR_Client(k=5, epsilon=1)", "generalized randomized response", "exact law", randomized_response),
    Row(
        "SS_Client(k=5, epsilon=1)", "subset selection: eps-LDP", "(1, 0)-DP",
        lambda: by_audit(subset_bits(), 0, 1, eps=EPS),
    ),
    Row(
        "UE_Client(k=5, epsilon=1, optimal=True)", "optimal unary encoding: eps-LDP", "(1, 0)-DP",
        lambda: by_audit(reports("UE", "UE_Client", True), 0, 1, eps=EPS),
    ),
)  # fmt: skip
