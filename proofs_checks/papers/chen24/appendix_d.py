"""Appendices D and I: the exact privacy of DP-BAI-Gauss over the whole stated ranges, and its error probability."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    lemma_by_argument,
    lemma_by_reduction,
    one_line,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import tried
from dpbandits.proofs_checks.papers.chen24.losses import Told, normal_phase
from dpbandits.proofs_checks.papers.chen24.sizes import GRID, wrong_index
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.claims.findings import below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Real, Verdict, established
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.chen24 import appendix_d as claims
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

LEVELS = (0.1, 1.0, 3.7, 7.5, 10.0, 30.0, 100.0)
DELTAS = (1e-9, 1e-5, 0.01, 0.5, 0.9)
NAMES = ("two unit vectors", "two on a line", "five in the plane")
BROKEN = {(10.0, 1e-5), (30.0, 1e-9), (7.5, 0.01), (7.5, 0.5)}  # where delta(eps) of the arms is certainly above delta
SMALL = 3.7  # up to here no delta is exceeded by any table tried


@proves("proposition-d.2/told")
def told(
    claim: Claim, effort: Effort, seed: int, *, phase: Callable[[str, float, float], tuple[Any, Told]] = normal_phase
) -> Finding:
    """PROVED where the exact delta is certainly above delta at the named pairs, and nowhere for eps <= SMALL."""
    rows, shares = [], {}
    for eps in LEVELS:
        for delta in DELTAS:
            found: dict[str, Told] = {name: phase(name, eps, delta)[1] for name in NAMES}
            mean = float(gaussian_delta(doubles, eps, eps / np.sqrt(2 * np.log(1.25 / delta))))
            rows.append([eps, delta, *(found[name].low for name in NAMES), mean])
            low, high = max(each.low for each in found.values()), max(each.high for each in found.values())
            shares[eps, delta] = low / delta, high / delta
    columns = [
        nearest("eps"),
        nearest("claimed delta"),
        *(below(f"true at least: {name}") for name in NAMES),
        nearest("of one noisy mean"),
    ]
    evidence = (table_item("delta(eps) of the first phase, on the worst tables tried", columns, rows),)
    quiet, loud = [shares[pair] for pair in shares if pair[0] <= SMALL], [shares[pair] for pair in BROKEN]
    text = f"The exact delta(eps) of the arms is up to {max(low for low, _ in shares.values()):.4g} times delta"
    if max(high for _, high in quiet) <= 1 < min(low for low, _ in loud):
        return established(claim.id, text, evidence, Basis.EXACT_LAW)
    if max(low for low, _ in quiet) > 1 or min(high for _, high in loud) <= 1:
        return Finding(claim.id, Verdict.REFUTED, text, evidence, rests_on=(Basis.EXACT_LAW,))
    return Finding(claim.id, Verdict.CONSISTENT, f"{text}, as far as certified", evidence)


D_2 = Reduction(
    "delta(eps) = Q(s - u) - e^{2 s u} Q(s + u) with u = eps/(2 s). For fixed s, delta(eps) grows with u: its "
    "derivative is 2 e^{2 s u} (phi(s + u) - s Q(s + u)) > 0, as Q(x) < phi(x)/x. So eps = 3.7 is the worst case. "
    "For s up to 4 the bound holds by interval arithmetic. For larger s, delta(eps) is at most Q(s - u) <= phi(s - "
    "u)/(s - u), and phi(s - u) <= e^{1.85} phi(s).",
    (
        enclosure_step(
            "Q(s - 1.85/s) - e^3.7 Q(s + 1.85/s) <= 1.25 e^{-s^2/2} for 0.668 <= s <= 4",
            lambda m, s: m.ncdf(m.number("1.85") / s - s) - m.exp(m.number("3.7")) * m.ncdf(-s - m.number("1.85") / s),
            lambda m, s: m.number("1.25") * m.exp(-s * s / 2),
            {"s": Real(0.668, 4, closed=True)},
        ),
        enclosure_step(
            "e^1.85/(s - 1.85/s) <= 1.25 sqrt(2 pi) for s >= 4",
            lambda m, s: m.exp(m.number("1.85")) / (s - m.number("1.85") / s),
            lambda m, s: m.number("1.25") * m.sqrt(2 * m.pi),
            {"s": Real(4, inf, closed=True)},
        ),
    ),
)

SAYS = """gaussian_delta(mu, eps) is delta(eps) of a Gaussian mechanism, and eps/s its mu, over the claim's whole
domain. At eps = 0 mu is 0, and delta(0) too, as it should be, because 0/0 is 0 in Coq. 37/10 is 3.7, 668/1000 is 0.668
and 125/100 is 1.25. Phi is 1/2 and the integral of the normal density from 0 on."""

proves("proposition-d.2/repaired")(
    machine_checked(__file__, "proposition_d_2_repaired", SAYS)(
        lemma_by_reduction(D_2, claims.proposition_d_2_repaired)
    )
)


TICKS = Reduction(
    "Let g be the private part of DP-BAI-Gauss' exponent, b = T/(H_BAI log d), and h = T/(H log d). DP-BAI-Gauss has "
    "the exponent min(g, b), DP-BAI has h, and h <= b. In row 1, b <= g, so DP-BAI-Gauss has b, the larger exponent, "
    "and the tick. In row 3, g < h, so DP-BAI has the larger exponent and the tick. In row 4, delta = 0, so "
    "DP-BAI-Gauss has no bound, and the tick is at DP-BAI.",
    (),
)

ROWS = """which is one of the rows 1, 3 and 4, condition its condition, with 5/(4 delta) = 1.25/delta.
gauss_exponent is the exponent of Proposition D.3, the smaller of its two parts, and the theorem says that it is the
one that the row prints; bai_exponent is that of DP-BAI. At delta = 0 DP-BAI-Gauss has no bound, so its exponent is
0. The tick is at the larger exponent."""

proves("table-1")(machine_checked(__file__, "table_1", ROWS)(lemma_by_argument(TICKS)))


@proves("proposition-d.3/explicit")
def explicit_normal(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Compared with the proof for DP-BAI, only the noise changes. The noise of the difference has the variance 2
    L (sum c^2)/(eps n)^2, where L = log(1.25/delta). So this noise exceeds gap/2 with probability at most exp(-(gap eps
    n)^2/(16 L sum c^2)). If all arms are pulled, this exponent is (gap eps T'/(M D))^2/(32 L). With a Max-Det
    collection, the exponent is at least (gap eps T')^2/(64 L M^2 d_Q^3), and d_Q^3 <= D^2. With D <= 8 i', both
    exponents are at least (T'/(64 M H_pri sqrt(L)))^2."""
    return tried(claim, one_line(explicit_normal), GRID, wrong_index, "pairs (K, d), all phases of both readings")
