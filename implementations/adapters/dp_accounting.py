"""dp-accounting, Google's accountant."""

from __future__ import annotations

import importlib

from comparisons import by_numbers
from references import gaussian_eps, laplace_delta, smallest_sigma
from rows import Result, Row

LIBRARY = "dp-accounting"
DELTAS, EPSILONS = (1e-8, 1e-5, 1e-2), (0.0, 0.25, 0.9)


def gaussian() -> Result:
    library = importlib.import_module("dp_accounting")
    computed = {}
    for delta in DELTAS:
        for sigma in (0.5, 1.0, 4.0):
            found = library.get_epsilon_gaussian(sigma, delta)
            computed[f"eps at sigma = {sigma:g}, delta = {delta:g}"] = (found, gaussian_eps(sigma, delta))
        for eps in (0.1, 1.0, 5.0):
            found = library.get_sigma_gaussian(eps, delta)
            computed[f"sigma at eps = {eps:g}, delta = {delta:g}"] = (found, smallest_sigma(eps, delta))
    return by_numbers(computed, 1e-6, "eps and standard deviation of Gaussian noise")


def loss_distribution() -> Result:
    library = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    computed = {}
    for b in (1.0, 2.0):
        found = library.from_laplace_mechanism(b, value_discretization_interval=1e-3)
        for eps in EPSILONS:
            if (exact := laplace_delta(b, eps)) > 0:
                computed[f"b = {b:g}, eps = {eps:g}"] = (found.get_delta_for_epsilon(eps), exact)
    return by_numbers(computed, 1e-9, "upper bound on delta of Laplace noise", "above")


ROWS = (
    Row("get_epsilon_gaussian, get_sigma_gaussian", "eps and sigma of Gaussian noise, exactly", "exact privacy profile",
        gaussian),
    Row("pld.from_laplace_mechanism", "an upper bound on delta, from a discretized privacy loss distribution",
        "exact privacy profile", loss_distribution),
)  # fmt: skip
