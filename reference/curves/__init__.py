"""Privacy curves, one module for each kind of guarantee, and conversions between guarantees.

A page that needs another guarantee defines its own curve: a frozen dataclass with the methods of `curves.curve.Curve`.
No other code has to know of it.
"""

from dpbandits.reference.curves.approximate import Approximate
from dpbandits.reference.curves.conversions import (
    advanced_composition,
    compose_gdp,
    eps_from_renyi,
    gaussian_delta,
    gaussian_renyi,
    renyi_delta,
    threshold_delta,
)
from dpbandits.reference.curves.curve import Curve
from dpbandits.reference.curves.family import Family
from dpbandits.reference.curves.gaussian import Gaussian
from dpbandits.reference.curves.renyi import Concentrated, Renyi

__all__ = [
    "Approximate",
    "Concentrated",
    "Curve",
    "Family",
    "Gaussian",
    "Renyi",
    "advanced_composition",
    "compose_gdp",
    "eps_from_renyi",
    "gaussian_delta",
    "gaussian_renyi",
    "renyi_delta",
    "threshold_delta",
]
