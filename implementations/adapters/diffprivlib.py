"""diffprivlib, by IBM."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from comparisons import by_audit, by_numbers, by_outputs
from references import discrete_laplace, permute_and_flip, smallest_sigma
from rows import Result, Row

from dpbandits.reference.bandits.release_laws.explorations import softmax

LIBRARY = "diffprivlib"
UTILITY = [0.0, 1.0, 3.0]
ACCURATE = 1e-6


def mechanism(name: str, **parameters: Any) -> Any:
    return getattr(importlib.import_module("diffprivlib.mechanisms"), name)(**parameters)


def follows(
    chances: Any, name: str, value: Any = None, output: Callable[[Any], int] = int, **parameters: Any
) -> Result:
    """Whether a mechanism has these probabilities of its outputs."""

    def draw(rng: Any) -> int:
        each = mechanism(name, random_state=int(rng.integers(2**31)), **parameters)
        return output(each.randomise(value) if value is not None else each.randomise())

    return by_outputs(draw, chances)


def noisy(name: str, **parameters: Any) -> Callable[[Any, int, int], Any]:
    """A mechanism with numbers for outputs, for an audit."""

    def outputs(value: Any, trials: int, seed: int) -> Any:
        each = mechanism(name, random_state=seed % 2**32, **parameters)
        return np.array([each.randomise(value) for _ in range(trials)], dtype=float)

    return outputs


def sigmas() -> Result:
    computed = {}
    for eps in (0.1, 1.0, 5.0):
        for delta in (1e-8, 1e-3):
            each = mechanism("GaussianAnalytic", epsilon=eps, delta=delta, sensitivity=1.0)
            computed[f"eps = {eps:g}, delta = {delta:g}"] = (each._scale, smallest_sigma(eps, delta))
    return by_numbers(computed, ACCURATE, "standard deviation for sensitivity 1")


ROWS = (
    Row(
        "mechanisms.Laplace(epsilon=1, sensitivity=1)", "the Laplace mechanism: eps-DP", "(1, 0)-DP",
        lambda: by_audit(noisy("Laplace", epsilon=1.0, sensitivity=1.0), 0.0, 1.0, eps=1.0),
    ),
    Row(
        "mechanisms.LaplaceBoundedDomain(epsilon=1, sensitivity=1, lower=0, upper=2)",
        "the bounded Laplace mechanism of Holohan et al. (2020): eps-DP", "(1, 0)-DP",
        lambda: by_audit(
            noisy("LaplaceBoundedDomain", epsilon=1.0, sensitivity=1.0, lower=0.0, upper=2.0), 0.0, 1.0, eps=1.0,
            trials=10_000,
        ),
    ),
    Row(
        "mechanisms.Geometric(epsilon=1, sensitivity=2)", "the geometric mechanism of Ghosh et al. (2009)",
        "exact law of discrete Laplace noise with scale 2",
        lambda: follows(
            discrete_laplace(2.0, 4), "Geometric", 0, lambda z: int(np.clip(z, -4, 4)) + 4, epsilon=1.0, sensitivity=2
        ),
    ),
    Row(
        "mechanisms.Exponential(epsilon=1, sensitivity=1)", "the exponential mechanism of McSherry and Talwar (2007)",
        "exact law, proportional to exp(eps utility/(2 sensitivity))",
        lambda: follows(
            softmax([UTILITY], 2.0).chance[0], "Exponential", epsilon=1.0, sensitivity=1.0, utility=UTILITY
        ),
    ),
    Row(
        "mechanisms.PermuteAndFlip(epsilon=1, sensitivity=1)", "permute-and-flip of McKenna and Sheldon (2020)",
        "exact law, by enumeration of all orders",
        lambda: follows(
            permute_and_flip(np.array(UTILITY) / 2), "PermuteAndFlip", epsilon=1.0, sensitivity=1.0, utility=UTILITY
        ),
    ),
    Row(
        "mechanisms.GaussianAnalytic", "the analytic Gaussian mechanism of Balle and Wang (2018)",
        "smallest standard deviation, from the exact privacy profile", sigmas,
    ),
)  # fmt: skip
