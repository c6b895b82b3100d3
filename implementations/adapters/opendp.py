"""OpenDP. It draws from the generator of the operating system, so no result can be repeated exactly."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from comparisons import by_audit, by_outputs, by_share
from references import discrete_laplace, permute_and_flip
from rows import Result, Row

LIBRARY = "opendp"
KEYS = 200_000
SCALE, SCORES = 2.0, [0.0, 1.0, 3.0]
UPSTREAM = "https://github.com/opendp/opendp/issues/2922"


def prelude() -> Any:
    library = importlib.import_module("opendp.prelude")
    library.enable_features("contrib")
    return library


def integers(dp: Any) -> Any:
    return dp.atom_domain(T=int), dp.absolute_distance(T=int)


def laplace() -> Result:
    dp = prelude()
    measure = integers(dp) >> dp.m.then_laplace(scale=SCALE)
    return by_outputs(lambda rng: int(np.clip(measure(0), -4, 4)) + 4, discrete_laplace(SCALE, 4))


def gaussian() -> Result:
    """rho-zCDP at sensitivity 1: the library's own map gives rho, and the audit tests the law by mu = sqrt(2 rho)."""
    dp = prelude()
    measure = integers(dp) >> dp.m.then_gaussian(scale=1.0)

    def outputs(value: int, trials: int, seed: int) -> Any:
        return np.array([measure(value) for _ in range(trials)], dtype=float)

    return by_audit(outputs, 0, 1, mu=float(np.sqrt(2 * measure.map(1))), trials=20_000)


def selection(name: str, *measure: str) -> Result:
    """The index of the largest noisy score, with the scale 2: permute-and-flip, in another order of the draws."""
    dp = prelude()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    select = space >> getattr(dp.m, name)(*(getattr(dp, each)() for each in measure), scale=SCALE)
    return by_outputs(lambda rng: int(select(SCORES)), permute_and_flip(np.array(SCORES) / SCALE))


def laplace_threshold() -> Result:
    """One record more adds one key with count 1. Only with it can that key be released: (eps, delta)-DP allows this
    with probability delta at most. All keys have independent noise, so one call shows many trials."""
    dp = prelude()
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    measure = dp.t.make_count_by(*space) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    delta = measure.map(1)[1]
    released = measure([str(each) for each in range(KEYS)])
    return by_share(len(released), KEYS, delta, "a key that one record adds is released")


def gaussian_threshold() -> Result:
    """The same for the other measure: delta-approximate rho-zCDP, too, allows an event that is impossible on one side
    with probability delta at most on the other."""
    dp = prelude()
    counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    measure = (counts, dp.l02inf_distance(dp.absolute_distance(T=int))) >> dp.m.then_gaussian_threshold(
        scale=2.0, threshold=5
    )
    delta = measure.map((1, 1, 1))[1]
    released = measure({str(each): 1 for each in range(KEYS)})
    return by_share(len(released), KEYS, delta, "a key that one record adds is released")


KEPT = (
    "counts equal to the threshold are released, as documented, but the privacy map computes delta as if they were "
    "not: from the probability that a noisy count exceeds the threshold. An integer count can also equal the "
    "threshold, so delta is too small"
)
KEPT_GAUSSIAN = (
    "counts equal to the threshold are released, but the privacy map computes delta from the tail of the continuous "
    "normal distribution. This tail bounds the probability that a noisy count exceeds the threshold. An integer count "
    "can also equal the threshold, so delta is too small"
)
SUBJECTS = (
    "people whose record is the only record with its key. In this example, such a key is revealed with a probability "
    "of {} times the stated delta{}. The error occurs only with integer counts"
)
ROWS = (
    Row(
        "m.then_laplace(scale=2), integers", "discrete Laplace noise",
        "exact law of discrete Laplace noise with scale 2", laplace,
    ),
    Row("m.then_gaussian(scale=1), integers", "discrete Gaussian noise: (1/2)-zCDP", "1-GDP", gaussian),
    Row(
        "m.then_noisy_max(max_divergence, scale=2)", "permute-and-flip of McKenna and Sheldon (2020)",
        "exact law, by enumeration of all orders",
        lambda: selection("then_noisy_max", "max_divergence"),
    ),
    Row(
        "m.then_report_noisy_max_gumbel(scale=2)",
        "McKenna and Sheldon (2020), as then_noisy_max, which replaces it; its noise is exponential, not Gumbel",
        "exact law, by enumeration of all orders",
        lambda: selection("then_report_noisy_max_gumbel"),
    ),
    Row(
        "m.then_laplace_threshold(scale=1, threshold=5), integers",
        "(eps, delta)-DP at symmetric distance 1; privacy map: eps = 1, delta = 0.004926",
        "delta of the privacy map",
        laplace_threshold, KEPT,
        "the stated guarantee: the privacy map gives delta = 0.004926 at distance 1. The documentation of threshold "
        'says "Exclude counts that are less than this minimum value"',
        SUBJECTS.format("2.7", " (in general e^(1/scale) times)"),
        script="opendp_laplace_threshold.py", upstream=UPSTREAM,
    ),
    Row(
        "m.then_gaussian_threshold(scale=2, threshold=5), integers",
        "delta-approximate rho-zCDP at distance (1, 1, 1); delta from the privacy map",
        "delta of the privacy map",
        gaussian_threshold, KEPT_GAUSSIAN,
        "the stated guarantee: the privacy map gives delta = 0.02275 at distance (1, 1, 1)", SUBJECTS.format("1.7", ""),
        script="opendp_gaussian_threshold.py", upstream=UPSTREAM,
    ),
)  # fmt: skip
