"""The exact parameter of Algorithm 1 on the worst tables known, beside what Lemma 3 claims."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from dpbandits.proofs_checks.exact.engine import ExactProfile, exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.papers.ou24.section_3_game import theorem_3_eps
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.claims.findings import Side, above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import Item, SeriesRecord
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_3_attained import (
    CONSTANT,
    HORIZONS,
    LONGER,
    STREAMS,
    constant_pair,
    stream_pair,
)

proves = Proofs(page)

RATE = 0.4
STREAM_RATE = 0.42
RARE = 1e-6
DELTAS = (1e-3, 1e-6)
GRID = 0.02
WORST = "both pay 0"  # for mu: among the constant tables


class Measured(NamedTuple):
    """Algorithm 1 with two arms at one horizon.

    low, high: around mu on the tables WORST; high is inf where nothing bounds it. eps: for each of DELTAS a certified
    lower bound, and the tables that show it. common: what tests with both errors above RARE show of mu, and on which.
    """

    horizon: int
    low: float
    high: float
    eps: tuple[tuple[float, str], ...]
    common: tuple[float, str] = (0.0, "none")

    @property
    def rates(self) -> tuple[float, float]:
        """mu/sqrt(T), both ends."""
        return self.low / sqrt(self.horizon), self.high / sqrt(self.horizon)


@proves("lemma-3/attained")
def attained(
    claim: Claim, effort: Effort, seed: int, *, horizons: Sequence[int] = HORIZONS, longer: Sequence[int] = LONGER
) -> Finding:
    """mu: both certified ends on the all-zero tables. eps: the certified low end of the worst constant pair."""
    every = (*horizons, *longer) if effort.boxes > Effort().boxes else horizons
    return concluded(claim, [measured(horizon) for horizon in every])


def measured(horizon: int) -> Measured:
    """One deep pass for mu, which lies in events of probability 2^-T that a shallow pass prunes: it would end at a
    third of mu for T = 500, and with no upper bound at all. eps at DELTAS needs no depth."""
    policy = ALGORITHM_1(arms=2, horizon=horizon)
    deep = exact_profile(policy, constant_pair(WORST, horizon), grid=GRID, deep=True)
    profiles = {WORST: deep} | {
        name: exact_profile(policy, constant_pair(name, horizon), grid=GRID, deep=False)
        for name in CONSTANT
        if name != WORST
    }
    eps = tuple(max((profiles[name].eps_bound(delta, 0), name) for name in CONSTANT) for delta in DELTAS)
    common = max((without_rare(profiles[name]), name) for name in CONSTANT)
    return Measured(horizon, *deep.mu(), eps, common)


def without_rare(profile: ExactProfile) -> float:
    """The largest difference of normal quantiles that a test shows whose errors are both above RARE: no smaller mu is
    true. From the lower pair of measures, whose drift (below 1e-7) is left out."""
    left, right = (side[(profile.lower.left > 0) | (profile.lower.right > 0)] for side in profile.lower)
    with np.errstate(divide="ignore"):
        order = np.argsort(el.log(right) - el.log(left), kind="stable")
    power, error = np.cumsum(left[order]), np.cumsum(right[order])
    seen = (error >= RARE) & (1 - power >= RARE)
    return float((ndtri(power[seen]) - ndtri(error[seen])).max(initial=0.0))


def concluded(claim: Claim, found: list[Measured]) -> Finding:
    """PROVED where mu is at least RATE sqrt(T) at every horizon."""
    evidence = (picture(found), claimed_and_true(found), in_eps(found))
    worst = min(at.rates[0] for at in found)
    every = ", ".join(str(at.horizon) for at in found)
    if worst < RATE:
        text = f"At T = {every}, only mu >= {written(worst)} sqrt(T) is certified."
        return Finding(claim.id, Verdict.CONSISTENT, text, evidence)
    last = found[-1]
    above = f" and at most {written(last.rates[1], up=True)} sqrt(T)" if last.high < inf else ""
    text = (
        f"At T = {every}, mu is at least {written(worst)} sqrt(T). "
        f"At T = {last.horizon}, mu is at least {written(last.rates[0])} sqrt(T){above}."
    )
    return established(claim.id, text, evidence, Basis.EXACT_LAW)


def picture(found: list[Measured]) -> Item:
    """The claimed, the provable and the exact mu over the horizons."""
    exact: SeriesRecord = {
        "label": "exact on the worst tables found",
        "style": "exact",
        "side": Side.BELOW,
        "points": [[at.horizon, at.low] for at in found],
    }
    if all(isfinite(at.high) for at in found):
        exact["low"], exact["high"] = [at.low for at in found], [at.high for at in found]
    series: list[SeriesRecord] = [
        {"label": "claimed: sqrt(T/2)", "style": "claimed", "points": curve(found, 0)},
        {"label": "provable: sqrt((T-1)/2)", "style": "other", "points": curve(found, 1)},
        exact,
        {
            "label": f"shown there by tests with errors above {RARE:g}",
            "style": "certified",
            "side": Side.BELOW,
            "points": [[at.horizon, at.common[0]] for at in found],
        },
    ]
    title = "The GDP parameter of Algorithm 1 with two arms"
    return {"kind": "lines", "title": title, "x": "T", "y": "mu", "log_x": True, "log_y": True, "series": series}


def claimed_and_true(found: list[Measured]) -> Item:
    """A table of mu, a row a horizon."""
    rows = [
        [
            at.horizon,
            sqrt(at.horizon / 2),
            at.low,
            at.high if isfinite(at.high) else "no bound",
            sqrt(at.horizon / 2) / at.low if at.low else "no bound",
            at.common[0],
            at.common[1],
        ]
        for at in found
    ]
    columns = ["T", nearest("claimed mu"), below("mu at least"), above("mu at most"), above("claimed/true, at most")]
    columns += [below(f"mu shown with errors above {RARE:g}"), "on the tables"]
    return table_item("Claimed and true", columns, rows)


def in_eps(found: list[Measured]) -> Item:
    """A table of eps at the deltas of DELTAS, a row a horizon."""
    columns: list[object] = ["T"]
    rows = []
    for delta in DELTAS:
        columns += [nearest(f"delta = {delta:g}: claimed eps"), below("eps at least"), "on the tables"]
    for at in found:
        row: list[Any] = [at.horizon]
        for delta, (eps, name) in zip(DELTAS, at.eps, strict=True):
            row += [theorem_3_eps(at.horizon, delta), eps if isfinite(eps) else "infinite", name]
        rows.append(row)
    return table_item("The same as eps", columns, rows)


def curve(found: list[Measured], less: int) -> list[list[float]]:
    return [[at.horizon, sqrt((at.horizon - less) / 2)] for at in found]


def written(rate: float, up: bool = False) -> str:
    """Four digits that are rounded to the safe side."""
    return decimal_text(Fraction(rate), 4, up=up)


@proves("lemma-3/attained/round")
def attained_on_streams(claim: Claim, effort: Effort, seed: int, *, rate: float = STREAM_RATE) -> Finding:
    """The mu of Algorithm 1 on Definition 1's streams, by listing all transcripts. PROVED where it is at least
    rate sqrt(T)."""
    rows, rates = [], []
    for horizon in STREAMS:
        profile = enumerated_profile(ALGORITHM_1(arms=2, horizon=horizon), stream_pair(horizon))
        low, high = profile.mu()
        rates.append(low / sqrt(horizon))
        rows.append([horizon, sqrt(horizon / 2), low, high, sqrt(horizon / 2) / low, without_rare(profile)])
    columns = ["T", nearest("claimed mu"), below("mu at least"), above("mu at most"), above("claimed/true, at most")]
    columns += [below(f"mu shown with errors above {RARE:g}")]
    evidence = (table_item("Claimed and true on streams", columns, rows),)
    every = ", ".join(map(str, STREAMS))
    shown = f"At T = {every}, mu is at least {written(min(rates))} sqrt(T)."
    if min(rates) < rate:
        return Finding(claim.id, Verdict.CONSISTENT, shown, evidence)
    return established(claim.id, shown, evidence, Basis.EXACT_LAW)
