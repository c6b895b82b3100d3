"""What the pictures of this page share: privacy curves by the page's formulas, as items of the findings."""

from __future__ import annotations

from math import exp, expm1, log, sqrt
from typing import Any

import scipy  # whose submodules are imported where they are first used
from scipy.special import log_ndtr, ndtr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.claims.records import Item, SeriesRecord

DELTAS = tuple(float(delta) for delta in el.geometric(1e-10, 0.5, 60))


def gdp_delta(eps: float, mu: float) -> float:
    """The profile of mu-GDP, without overflow for large eps."""
    return float(ndtr(mu / 2 - eps / mu) - exp(eps + log_ndtr(-eps / mu - mu / 2)))


def gdp_eps(delta: float, mu: float) -> float:
    """The eps of mu-GDP at delta."""
    if gdp_delta(0.0, mu) <= delta:
        return 0.0
    most = mu * mu / 2 + mu * sqrt(2 * log(1 / delta))
    return float(scipy.optimize.brentq(lambda eps: log(max(gdp_delta(eps, mu), 1e-300) / delta), 0.0, most, xtol=1e-12))


def renyi_eps(delta: float, rounds: int) -> float:
    """Theorem 8 at the best order."""
    return rounds / 4 + sqrt(rounds * log(1 / delta))


def standard_eps(delta: float, rounds: int, arms: int) -> float:
    """Corollary 1 at the best split of delta."""

    def total(share: float) -> float:
        step = sqrt(log((arms - 1) * rounds / (2 * share * delta)) / 8)
        slack = sqrt(2 * rounds * log(1 / ((1 - share) * delta)))
        return step * slack + rounds * step * expm1(step)

    return float(
        scipy.optimize.minimize_scalar(total, bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}).fun
    )


def line(label: str, points: list[list[float]], style: str = "claimed") -> SeriesRecord:
    return {"label": label, "points": points, "style": style}


def curve(label: str, eps_at: Any, style: str = "claimed") -> SeriesRecord:
    return line(label, [[delta, float(eps_at(delta))] for delta in DELTAS], style)


def lines(title: str, series: list[SeriesRecord]) -> Item:
    return {
        "kind": "lines",
        "title": title,
        "x": "delta",
        "y": "eps",
        "log_x": True,
        "log_y": False,
        "series": series,
    }
