"""python-dp (PyDP), the Python interface of Google's library. It draws from a secure generator, without a seed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import by_audit, by_share
from rows import Result, Row

LIBRARY = "python-dp"
EPS, DELTA, TRIALS = 1.0, 0.01, 100_000


def aggregate(name: str, **parameters: Any) -> Callable[[Any, int, int], Any]:
    kind = getattr(importlib.import_module("pydp.algorithms.laplacian"), name)

    def outputs(values: Any, trials: int, seed: int) -> Any:
        return np.array(
            [float(kind(epsilon=EPS, dtype="int", **parameters).quick_result(list(values))) for _ in range(trials)]
        )

    return outputs


def partition(strategy: str) -> Result:
    """How often a partition with one user is kept; without this user it does not exist."""
    selection = importlib.import_module("pydp.algorithms.partition_selection")
    made = getattr(selection, f"create_{strategy}_partition_strategy")(EPS, DELTA, 1)
    kept = sum(made.should_keep(1) for _ in range(TRIALS))
    return by_share(kept, TRIALS, DELTA, "a partition with one user is kept")


ROWS = (
    Row(
        "algorithms.laplacian.Count(epsilon=1)", "a differentially private count: eps-DP", "(1, 0)-DP",
        lambda: by_audit(aggregate("Count"), [1] * 5, [1] * 6, eps=EPS),
    ),
    Row(
        "algorithms.laplacian.BoundedSum(epsilon=1, lower_bound=0, upper_bound=3)",
        "a differentially private sum: eps-DP", "(1, 0)-DP",
        lambda: by_audit(aggregate("BoundedSum", lower_bound=0, upper_bound=3), [1] * 5, [1] * 5 + [3], eps=EPS),
    ),
    Row(
        "partition_selection, Laplace strategy (1, 0.01)", "(eps, delta)-DP selection of partitions", "delta = 0.01",
        lambda: partition("laplace"),
    ),
    Row(
        "partition_selection, truncated geometric strategy (1, 0.01)", "(eps, delta)-DP selection of partitions",
        "delta = 0.01", lambda: partition("truncated_geometric"),
    ),
)  # fmt: skip
