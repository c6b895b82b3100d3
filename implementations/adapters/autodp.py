"""autodp, an accountant for compositions of mechanisms."""

from __future__ import annotations

import importlib

from comparisons import by_numbers
from references import gaussian_delta, gaussian_eps, laplace_eps
from rows import Result, Row

LIBRARY = "autodp"
DELTAS = (1e-8, 1e-5, 1e-2)
TOLERANCE = 1e-12  # of delta in the calibrator


def gaussian() -> Result:
    kind = importlib.import_module("autodp.mechanism_zoo").ExactGaussianMechanism
    computed = {
        f"sigma = {sigma:g}, delta = {delta:g}": (kind(sigma).get_approxDP(delta), gaussian_eps(sigma, delta))
        for sigma in (0.5, 1.0, 4.0)
        for delta in DELTAS
    }
    return by_numbers(computed, 1e-6, "eps of Gaussian noise")


def laplace() -> Result:
    kind = importlib.import_module("autodp.mechanism_zoo").LaplaceMechanism
    computed = {
        f"b = {b:g}, delta = {delta:g}": (kind(b).get_approxDP(delta), laplace_eps(b, delta))
        for b in (0.5, 1.0, 4.0)
        for delta in DELTAS
    }
    return by_numbers(computed, 1e-6, "upper bound on eps of Laplace noise", "above")


def calibrated() -> Result:
    """The delta at the library's standard deviation. It bisects until delta is right up to 1e-12, as documented."""
    calibrate = importlib.import_module("autodp.calibrator_zoo").ana_gaussian_calibrator()
    kind = importlib.import_module("autodp.mechanism_zoo").ExactGaussianMechanism
    computed = {}
    for eps in (0.1, 1.0, 5.0):
        for delta in DELTAS:
            sigma = calibrate(kind, eps, delta, name="calibrated").params["sigma"]
            computed[f"eps = {eps:g}, delta = {delta:g}"] = (gaussian_delta(sigma, eps), delta)
    return by_numbers(computed, TOLERANCE / min(DELTAS), "exact delta at the calibrated standard deviation")


ROWS = (
    Row("ExactGaussianMechanism", "eps of Gaussian noise at a delta, exactly", "exact privacy profile", gaussian),
    Row("LaplaceMechanism", "an upper bound on eps of Laplace noise at a delta, from Renyi DP", "exact privacy profile",
        laplace),
    Row("ana_gaussian_calibrator", "the analytic Gaussian mechanism of Balle and Wang (2018), delta up to 1e-12",
        "exact privacy profile", calibrated),
)  # fmt: skip
