"""dpcrpy, continual release of sums."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import by_audit
from rows import Row

LIBRARY = "dpcrpy"
ZEROS = [0.0] * 4
EPS = 1.0


def counter(module: str, name: str, size: int) -> Callable[[Any, int, int], Any]:
    """All prefix sums of a stream of four numbers, with Laplace noise for eps = 1."""
    kind = getattr(importlib.import_module(f"dpcrpy.{module}"), name)
    noise = importlib.import_module("dpcrpy.framework.noiMech").LapNoiMech

    def outputs(stream: Any, trials: int, seed: int) -> Any:
        np.random.seed(seed % 2**32)  # noqa: NPY002
        found = []
        for _ in range(trials):
            each = kind(size, noise(epsilon=EPS))
            found.append([float(each.dpRelease(x)[0]) for x in stream])
        return np.array(found)

    return outputs


def changed(place: int) -> list[float]:
    return [1.0 if k == place else 0.0 for k in range(len(ZEROS))]


ROWS = (
    Row(
        "treeMethods.binMech.BinMech, Laplace noise for eps = 1", "the binary mechanism: eps-DP for one changed number",
        "(1, 0)-DP", lambda: by_audit(counter("treeMethods.binMech", "BinMech", 2), ZEROS, changed(0), eps=EPS),
    ),
    Row(
        "treeMethods.honaker.Honaker, Laplace noise for eps = 1", "Honaker's estimator: eps-DP for one changed number",
        "(1, 0)-DP", lambda: by_audit(counter("treeMethods.honaker", "Honaker", 2), ZEROS, changed(0), eps=EPS),
    ),
    Row(
        "naiveMethods.twoLevel.TwoLevel, Laplace noise for eps = 1", "two levels: eps-DP for one changed number",
        "(1, 0)-DP", lambda: by_audit(counter("naiveMethods.twoLevel", "TwoLevel", 2), ZEROS, changed(0), eps=EPS),
    ),
)  # fmt: skip
