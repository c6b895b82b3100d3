"""Converts a certified curve delta(eps) to a dominating privacy loss distribution, which accountants can compose.

A falling convex function h of e^eps with h >= (1 - e^eps)_+ is the profile of one pair of laws; where it lies above the
profiles of a mechanism on all neighbours, that pair may stand for the mechanism in every composition (Zhu, Dong and
Wang, 2022). delta(eps) is such a function for eps >= 0, for both orders of the neighbours; P over Q at -eps is

    1 - e^-eps + e^-eps delta(eps)

of Q over P. The true h is convex and lies below all these points, so also below their lower hull, which is what is
handed on: the dots that dp_accounting connects (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, 2022).
"""

from __future__ import annotations

from math import ceil, inf, isfinite
from typing import Any

import numpy as np

from dpbandits.extensions.thompson.bound import Upper
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints

SUPPORT_POINTS = 1000  # losses of the distribution, on either side of 0
LEAST_TAIL = 1e-12  # the largest loss is where delta is this small, or as small as the curve gets


def loss_distribution(upper: Upper, interval: float = 1e-4) -> Any:
    """Converts an upper bound on delta(eps) to a `PrivacyLossDistribution` of Google's dp_accounting.
    Such a distribution can be composed with those of other mechanisms.

    upper: of `certified_curve`, `tabled_curve`, `epochs_curve`, or `ThompsonPrivacy.upper`. interval: the
    discretization interval of privacy losses; it must equal the `value_discretization_interval` of the distributions
    with which the result is composed (dp_accounting's default is 1e-4). The result is the same for "add" and "remove",
    and bounds both orders of two neighbouring inputs of the curve's relation. Compose it only with mechanisms for the
    same neighbouring inputs (one changed pull, or one changed round). The result dominates up to the rounding errors of
    doubles. Raises ImportError without dp_accounting (`pip install 'dpbandits[accounting]'`), and ValueError for an
    interval that is not positive.
    """
    if not (isfinite(interval) and interval > 0):
        raise ValueError(f"interval is {interval}; it must be positive and finite, such as 1e-4")
    try:
        from dp_accounting.pld import pld_pmf, privacy_loss_distribution
    except ImportError as error:
        raise ImportError(
            "the package dp_accounting is not installed; run pip install 'dpbandits[accounting]'"
        ) from error
    places, deltas = dominating_points(upper, interval)
    return privacy_loss_distribution.PrivacyLossDistribution(
        pld_pmf.create_pmf_pessimistic_connect_dots(interval, places, deltas)
    )


def dominating_points(upper: Upper, interval: float) -> tuple[Ints, Array]:
    """Returns (places, deltas): the corners of the lower convex hull of the known upper bounds.
    The losses at the corners are places * interval."""
    last = upper.eps(max(LEAST_TAIL, 2 * float(upper.delta(1e9))))
    last = last if last < inf else 1.0
    most = max(ceil(last / interval), 1)
    places = np.unique(np.floor(np.linspace(0, most, min(SUPPORT_POINTS, most) + 1)).astype(np.int64))
    eps: Array = np.asarray(places * interval, dtype=np.float64)
    deltas = upper.delta(eps)
    mirrored = -el.expm1(-eps) + el.exp(-eps) * deltas
    places, deltas = np.append(-places[:0:-1], places), np.append(mirrored[:0:-1], deltas)
    hull = lower_hull(np.asarray(places * interval, dtype=np.float64), np.minimum(deltas, 1.0))
    return places[hull], np.minimum(deltas[hull], 1.0)


def lower_hull(eps: Array, deltas: Array) -> list[int]:
    """Returns the indices of the points that are corners of their lower convex hull, as a function of e^eps.
    eps: increasing."""
    found: list[int] = []
    for c in range(eps.size):
        while len(found) > 1:
            a, b = found[-2:]
            before, after = -el.expm1(eps[a] - eps[b]), el.expm1(eps[c] - eps[b])  # e^eps from a to b, b to c, over e^b
            if (deltas[b] - deltas[a]) * after < (deltas[c] - deltas[b]) * before:
                break
            found.pop()
        found.append(c)
    return found
