"""Tables and pictures of Section 6, which decide nothing: the first epochs, and regret against the horizon."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy  # whose submodules are imported where they are first used

from dpbandits.proofs_checks.formulas.reductions import Evidence
from dpbandits.proofs_checks.papers.tao22.horizons import SETTINGS, central, gaps, local, optimistic
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import Side, nearest, table_item
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import Cell, Item, SeriesRecord
from dpbandits.reference.papers.tao22.arms import S_3
from dpbandits.reference.papers.tao22.section_6 import first_epoch_3, first_epoch_4

FIRST_EPOCHS = (("DPRSE", first_epoch_3, (0.5, 1.0)), ("LDPRSE", first_epoch_4, (5.0, 10.0, 20.0)))
SEEN: list[float] = [10.0 ** (k / 2) for k in range(6, 33)]  # the horizons of the figures


def first_horizon(pulls: Callable[..., Any], v: float, eps: float) -> float:
    """The T at which the first epoch of five arms takes exactly T pulls: below it, nothing is ever removed."""
    return float(
        np.exp(
            scipy.optimize.brentq(
                lambda log_t: np.log(pulls(doubles, v, eps, np.exp(log_t))) - log_t, np.log(10.0), np.log(1e30)
            )
        )
    )


def lengths() -> Item:
    """How much of a run its first epoch is, against the horizon: from 1 on, nothing is ever removed."""
    horizons = [10.0 ** (k / 2) for k in range(6, 37)]
    lines: list[SeriesRecord] = [
        {
            "label": f"{name}, v = {v}, eps = {eps:g}",
            "style": "exact" if name == "DPRSE" else "other",
            "points": [[T, float(pulls(doubles, v, eps, T)) / T] for T in horizons],
        }
        for name, pulls, all_eps in FIRST_EPOCHS
        for v in (0.5, 0.9)
        for eps in (all_eps[0], all_eps[-1])
    ]
    return {
        "kind": "lines",
        "title": "The first epoch as a share of the run: nothing is removed above 1",
        "x": "T",
        "y": "pulls of the first epoch over T",
        "log_x": True,
        "log_y": True,
        "series": lines,
    }


def first_horizons(claim: Claim) -> tuple[Item, ...]:
    rows: list[list[Cell]] = [
        [name, v, eps, first_horizon(pulls, v, eps)]
        for name, pulls, all_eps in FIRST_EPOCHS
        for v in (0.5, 0.9)
        for eps in all_eps
    ]
    columns = ["algorithm", "v", nearest("eps"), nearest("nothing is removed below T =")]
    return (
        table_item("The first epoch, beta = 1/T, five arms, S_1 to S_3", columns, rows),
        lengths(),
    )


def series(label: str, style: str, side: Side, value: Callable[[float], float]) -> SeriesRecord:
    points = [[T, value(T)] for T in SEEN]
    return {"label": label, "style": style, "side": side, "points": [point for point in points if point[1] > 0]}


def picture(title: str, lines: list[SeriesRecord]) -> tuple[bool, Evidence]:
    """It decides nothing."""
    return True, {
        "kind": "lines",
        "title": title,
        "x": "T",
        "y": "regret",
        "log_x": True,
        "log_y": True,
        "series": lines,
    }


def against_horizon(name: str, v: float) -> tuple[bool, Evidence]:
    """Figures 1, 3 and 4 over horizons, at eps = 1."""
    means = SETTINGS[name]
    lines = [
        series("round robin", "other", Side.NEAREST, lambda T: T * float(np.mean(gaps(means)))),
        series("DPRSE, at most", "claimed", Side.ABOVE, lambda T: central(means, T, 1.0, v).high),
        series("DPRSE, at least", "exact", Side.BELOW, lambda T: central(means, T, 1.0, v).low),
        series("DPRUCB, at least", "certified", Side.BELOW, lambda T: optimistic(means, T, 1.0, v)),
    ]
    return picture(f"Regret with the printed constants, {name}, eps = 1, v = {v}", lines)


def local_against_horizon(v: float) -> tuple[bool, Evidence]:
    """Figure 2 over horizons, S_3."""
    lines = [series("round robin", "other", Side.NEAREST, lambda T: T * float(np.mean(gaps(S_3))))]
    for eps in (5.0, 20.0):
        bounds = partial(local, S_3, eps=eps, v=v)
        lines += [
            series(f"eps = {eps:g}, at most", "claimed", Side.ABOVE, lambda T, of=bounds: of(T).high),  # type: ignore[misc]
            series(f"eps = {eps:g}, at least", "exact", Side.BELOW, lambda T, of=bounds: of(T).low),  # type: ignore[misc]
        ]
    return picture(f"Regret of LDPRSE with the printed constants and the proof's root, S_3, v = {v}", lines)
