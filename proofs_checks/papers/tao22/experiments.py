"""Section 6: from which horizon on the printed constants let anything happen, as a table beside the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dpbandits.proofs_checks.judge.reductions import Lemma, shown
from dpbandits.reference.ledger import Claim
from dpbandits.reference.papers.tao22.section_6 import first_epoch_3, first_epoch_4
from dpbandits.reference.vocabulary import doubles

SETTINGS = (("DPRSE", first_epoch_3, (0.5, 1.0)), ("LDPRSE", first_epoch_4, (5.0, 10.0, 20.0)))


def first_horizon(pulls: Callable[..., Any], v: float, eps: float) -> float:
    """The T at which the first epoch of five arms takes exactly T pulls: below it, nothing is ever removed."""
    return float(
        np.exp(brentq(lambda log_t: np.log(pulls(doubles, v, eps, np.exp(log_t))) - log_t, np.log(10.0), np.log(1e30)))
    )


def lengths() -> Mapping[str, Any]:
    """How much of a run its first epoch is, against the horizon: from 1 on, nothing is ever removed."""
    horizons = [10.0 ** (k / 2) for k in range(6, 37)]
    lines = [
        {
            "label": f"{name}, v = {v}, eps = {eps:g}",
            "style": "exact" if name == "DPRSE" else "other",
            "points": [[T, float(pulls(doubles, v, eps, T)) / T] for T in horizons],
        }
        for name, pulls, all_eps in SETTINGS
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


def first_horizons(claim: Claim) -> tuple[Mapping[str, Any], ...]:
    rows = [
        [name, v, eps, first_horizon(pulls, v, eps)]
        for name, pulls, all_eps in SETTINGS
        for v in (0.5, 0.9)
        for eps in all_eps
    ]
    columns = ["algorithm", "v", "eps", "nothing is removed below T ="]
    return (
        {
            "kind": "table",
            "title": "The first epoch, beta = 1/T, five arms, S_1 to S_3",
            "columns": columns,
            "rows": rows,
        },
        lengths(),
    )


LEMMAS: Mapping[str, Lemma] = {
    name: shown(first_horizons)
    for name in (
        "tao22/figure-1/first-epoch/v-0.5",
        "tao22/figure-1/first-epoch/v-0.9",
        "tao22/figure-2/first-epoch",
    )
}
