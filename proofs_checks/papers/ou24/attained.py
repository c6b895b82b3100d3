"""The exact parameter of Algorithm 1 on the worst tables known, beside what Lemma 3 claims."""

from __future__ import annotations

from math import sqrt

from dpbandits.proofs_checks.judge import Effort
from dpbandits.proofs_checks.laws import exact_profile
from dpbandits.proofs_checks.papers.ou24.reductions import Lemma
from dpbandits.reference.ledger import Claim, Finding, Verdict
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.ou24.privacy_attained import CONSTANT, HORIZONS, LONGER, constant_pair

RATE = 0.4
DELTAS = (1e-3, 1e-6)


def attained(claim: Claim, effort: Effort, seed: int) -> Finding:
    """mu: both certified ends on the all-zero tables. eps: the certified low end of the worst constant pair."""
    mus: list[tuple[float, float]] = []
    rows: list[list[object]] = []
    horizons = (*HORIZONS, *LONGER) if effort.boxes > Effort().boxes else HORIZONS
    for horizon in horizons:
        policy = ALGORITHM_1(arms=2, horizon=horizon)
        low, high = exact_profile(policy, constant_pair("both pay 0", horizon), grid=0.02).mu()
        mus.append((low, high))
        row: list[object] = [horizon, sqrt(horizon / 2), low, high, sqrt(horizon / 2) / low]
        shallow = {
            name: exact_profile(policy, constant_pair(name, horizon), grid=0.02, deep=False) for name in CONSTANT
        }
        for delta in DELTAS:
            worst = max(CONSTANT, key=lambda name: shallow[name].crossing(delta, 0))
            row += [shallow[worst].crossing(delta, 0), worst]
        rows.append(row)
    series = [
        {"label": "claimed: sqrt(T/2)", "style": "claimed", "points": [[T, sqrt(T / 2)] for T in horizons]},
        {"label": "provable: sqrt((T-1)/2)", "style": "other", "points": [[T, sqrt((T - 1) / 2)] for T in horizons]},
        {
            "label": "exact on the worst tables found",
            "style": "exact",
            "points": [[T, low] for T, (low, _) in zip(horizons, mus, strict=True)],
            "low": [low for low, _ in mus],
            "high": [high for _, high in mus],
        },
    ]
    columns = ["T", "claimed mu", "mu at least", "mu at most", "claimed/true"]
    for delta in DELTAS:
        columns += [f"eps at delta = {delta:g}, at least", "on the tables"]
    evidence = (
        {
            "kind": "lines",
            "title": "The GDP parameter of Algorithm 1 with two arms",
            "x": "T",
            "y": "mu",
            "log_x": True,
            "log_y": True,
            "series": series,
        },
        {"kind": "table", "title": "Claimed and true", "columns": columns, "rows": rows},
    )
    rates = [low / sqrt(horizon) for horizon, (low, _) in zip(horizons, mus, strict=True)]
    worst_rate = min(rates)
    if worst_rate >= RATE:
        text = f"mu >= {worst_rate:.4f} sqrt(T) at every T; at T = {horizons[-1]}, mu = {rates[-1]:.4f} sqrt(T)"
        return Finding(claim.id, Verdict.PROVED, text, evidence)
    text = f"only mu >= {worst_rate:.4f} sqrt(T) is certified"
    return Finding(claim.id, Verdict.CONSISTENT, text, evidence)


LEMMAS: dict[str, Lemma] = {"ou24/lemma-3/attained": attained}
