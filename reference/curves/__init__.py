"""What can be promised about privacy? Trade-off curves, a file each, and the formulas of privacy that pages share.

A page that promises what none of these says brings a curve of its own: a frozen dataclass with the methods of
`curves.curve.Curve`. Nothing else has to know of it.
"""

from dpbandits.reference.curves.approximate import Approximate
from dpbandits.reference.curves.concentrated import Concentrated
from dpbandits.reference.curves.curve import Curve
from dpbandits.reference.curves.family import Family
from dpbandits.reference.curves.formulas import (
    advanced_composition,
    composed,
    eps_from_renyi,
    gaussian_delta,
    gaussian_renyi,
    renyi_delta,
    threshold_delta,
)
from dpbandits.reference.curves.gaussian import Gaussian
from dpbandits.reference.curves.renyi import Renyi

__all__ = [
    "Approximate",
    "Concentrated",
    "Curve",
    "Family",
    "Gaussian",
    "Renyi",
    "advanced_composition",
    "composed",
    "eps_from_renyi",
    "gaussian_delta",
    "gaussian_renyi",
    "renyi_delta",
    "threshold_delta",
]
