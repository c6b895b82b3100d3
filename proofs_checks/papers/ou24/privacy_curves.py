"""Numbers and pictures for the privacy claims: what the figures show, and where a printed statement holds.

All in doubles, for reading; what is proved or refuted is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, expm1, log, sqrt
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import log_ndtr, ndtr

from dpbandits.reference.ledger import Claim

Item = Mapping[str, Any]
DELTAS = tuple(float(delta) for delta in np.geomspace(1e-10, 0.5, 60))


def gdp_delta(eps: float, mu: float) -> float:
    """The profile of mu-GDP, without overflow for large eps."""
    return float(ndtr(mu / 2 - eps / mu) - exp(eps + log_ndtr(-eps / mu - mu / 2)))


def gdp_eps(delta: float, mu: float) -> float:
    """The eps of mu-GDP at delta."""
    if gdp_delta(0.0, mu) <= delta:
        return 0.0
    most = mu * mu / 2 + mu * sqrt(2 * log(1 / delta))
    return float(brentq(lambda eps: log(max(gdp_delta(eps, mu), 1e-300) / delta), 0.0, most, xtol=1e-12))


def renyi_eps(delta: float, rounds: int) -> float:
    """Theorem 8 at the best order."""
    return rounds / 4 + sqrt(rounds * log(1 / delta))


def standard_eps(delta: float, rounds: int, arms: int) -> float:
    """Corollary 1 at the best split of delta."""

    def total(share: float) -> float:
        step = sqrt(log((arms - 1) * rounds / (2 * share * delta)) / 8)
        slack = sqrt(2 * rounds * log(1 / ((1 - share) * delta)))
        return step * slack + rounds * step * expm1(step)

    return float(minimize_scalar(total, bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}).fun)


def line(label: str, points: list[list[float]], style: str = "claimed") -> dict[str, Any]:
    return {"label": label, "points": points, "style": style}


def curve(label: str, eps_at: Any, style: str = "claimed") -> dict[str, Any]:
    return line(label, [[delta, float(eps_at(delta))] for delta in DELTAS], style)


def lines(title: str, series: list[dict[str, Any]]) -> Item:
    return {
        "kind": "lines",
        "title": title,
        "x": "delta",
        "y": "eps",
        "log_x": True,
        "log_y": False,
        "series": series,
    }


def table(title: str, columns: list[str], rows: list[list[Any]]) -> Item:
    return {"kind": "table", "title": title, "columns": columns, "rows": rows}


# -- Figure 1 ----------------------------------------------------------------------------------------------------

FACTORS = (1, 2, 4, 8, 16)


def figure_1(claim: Claim) -> tuple[Item, ...]:
    rounds = 1000
    pictures = [
        lines(
            f"Figure 1, {name}: Theorem 4 at T = 1000",
            [
                curve(f"{letter} = {factor - shift}", lambda d, f=factor: gdp_eps(d, sqrt(rounds / f)))
                for factor in FACTORS
            ],
        )
        for name, letter, shift in (("top", "b", 1), ("bottom", "c", 0))
    ]
    rows = [
        [
            factor,
            sqrt(rounds / factor),
            gdp_eps(1e-6, sqrt(rounds / factor)),
            gdp_eps(1e-6, sqrt((rounds - 1) / (2 * factor))),
            gdp_eps(1e-6, sqrt((rounds - 2 * (factor - 1)) / factor)) if factor > 1 else None,
        ]
        for factor in FACTORS
    ]
    columns = ["c(b+1)", "Theorem 4's mu", "eps at delta = 1e-6", "sharp, b = 0", "sharp, c = 1, two arms"]
    return (*pictures, table("T = 1000 (Theorem 3 for standard sampling: the second row)", columns, rows))


# -- Appendix C.1 ------------------------------------------------------------------------------------------------


def lemma_12_map(claim: Claim) -> tuple[Item, ...]:
    """Up to which eps the printed lemma holds, for some delta."""
    rows = []
    for delta in (0.49, 0.4, 0.3, 0.2, 0.1, 0.01, 1e-3, 1e-6, 1e-9):
        root = sqrt(log(1 / (2 * delta)))
        last = float(brentq(lambda eps, r=root, d=delta: gdp_delta(eps, 2 * eps / r) - d, 1e-9, 50.0, xtol=1e-14))
        rows.append([delta, last, 2 * last / root, gdp_delta(1.0, 2 / root) / delta])
    columns = ["delta", "holds up to eps", "that is, up to a shift of", "true delta over printed delta at eps = 1"]
    return (table("Where the printed lemma holds (d = 1, largest shift)", columns, rows),)


def first_arm_wins(total: float, others: int, pulls: int, paid: float) -> float:
    """P(arm 1 wins): pulled once, paid `total`; the others pulled `pulls` times each, paid so much on average."""
    mean, spread = paid * pulls / (pulls + 1), 1 / sqrt(pulls + 1)

    def density(x: float) -> float:
        return exp(-x * x / 2 + others * float(log_ndtr((total / 2 + x * sqrt(0.5) - mean) / spread)))

    return float(quad(density, -9, 9, points=[0.0, 2.0, 4.0], epsabs=0, epsrel=1e-9, limit=200)[0]) / sqrt(2 * np.pi)


def theorem_7_ranges(claim: Claim) -> tuple[Item, ...]:
    """The range of delta in which Theorem 7 fails for states where all other arms look alike."""
    rows = []
    for arms in (2, 3, 10, 30, 100):
        states = [
            (first_arm_wins(1, arms - 1, pulls, paid), first_arm_wins(0, arms - 1, pulls, paid), pulls)
            for pulls in (0, 1, 2, 5, 20, 100, 10**6)
            for paid in (0.4, 0.65, 1.0)
        ]
        deltas = 10.0 ** -np.arange(0.5, 14, 0.01)
        step = np.sqrt(np.log((arms - 1) / (2 * deltas)) / 8)
        shown = np.max([p - np.exp(step) * q - deltas for p, q, _ in states], axis=0)
        failing = deltas[shown > 0]
        ratio, pulls = max((log(p / q), pulls) for p, q, pulls in states)
        rows.append([arms, float(failing.min()), float(failing.max()), ratio, pulls])
    columns = ["arms", "fails from delta =", "to delta =", "log of the largest ratio", "pulls of the others there"]
    return (table("Theorem 7: one arm pulled once (reward 1 or 0), the others all alike", columns, rows),)


def corollary_1_margins(claim: Claim) -> tuple[Item, ...]:
    """The largest share of the promised delta_TS that Lemma 3 leaves possible (N = 2)."""
    step = np.linspace(1e-6, 2, 2001)[:, None]
    log_slack = np.concatenate([np.linspace(1e-6, 6, 600), np.linspace(6, 60, 200)])[None, :]
    rows = []
    for rounds in (1, 2, 3, 5, 10, 20, 50, 100):
        mu = sqrt(rounds / 2)
        promised = rounds / 2 * np.exp(-8 * step**2) + np.exp(-log_slack)
        total = step * np.sqrt(2 * rounds * log_slack) + rounds * step * np.expm1(step)
        with np.errstate(over="ignore"):
            delta = ndtr(mu / 2 - total / mu) - np.exp(total + log_ndtr(-total / mu - mu / 2))
        share = np.where(promised < 1, delta / promised, 0)
        rows.append([rounds, float(share.max())])
    return (table("Corollary 1 at N = 2: GDP's delta over delta_TS, at most", ["T", "share"], rows),)


# -- Appendix C.3, D ---------------------------------------------------------------------------------------------


def figure_4(claim: Claim) -> tuple[Item, ...]:
    rounds, mu = 1000, sqrt(500)
    gdp = curve("GDP (Theorem 3)", lambda delta: gdp_eps(delta, mu))
    renyi = curve("RDP (Theorem 8, best order)", lambda delta: renyi_eps(delta, rounds))
    pictures = [
        lines(
            f"Figure 4 (arXiv: 6): T = 1000, N = {arms}",
            [
                gdp,
                renyi,
                curve(
                    "standard DP (Corollary 1, best split)",
                    lambda delta, n=arms: standard_eps(delta, rounds, n),
                ),
            ],
        )
        for arms in (2, 10)
    ]
    pictures.append(lines("arXiv, Figure 7: GDP and RDP only (any N)", [gdp, renyi]))
    rows = []
    for delta in (0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-10):
        one, two = gdp_eps(delta, mu), renyi_eps(delta, rounds)
        rows.append([delta, one, two, two - one, two / one, *(standard_eps(delta, rounds, n) / one for n in (2, 10))])
    columns = ["delta", "GDP", "RDP", "RDP - GDP", "RDP/GDP", "standard/GDP, N = 2", "standard/GDP, N = 10"]
    return (*pictures, table("eps at T = 1000", columns, rows))


def three_epsilons(claim: Claim) -> tuple[Item, ...]:
    rows = [
        [f"{mu}-GDP", printed, gdp_eps(1e-6, mu), gdp_delta(printed, mu)]
        for mu, printed in ((1, 4.88), (5, 35.57), (10, 96.71))
    ]
    return (table("delta = 1e-6", ["privacy", "printed eps", "eps", "delta at the printed eps"], rows),)
