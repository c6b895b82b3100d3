"""Section 3: lower bounds on the GDP parameter of TS-Gaussian as quoted in this paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import one_line
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.hu25 import section_4_2, section_4_3_corollary_4_5
from dpbandits.proofs_checks.papers.hu25.shared import SLACK, m, quantiles
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.claims.findings import below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

LEAST = "0.7"  # the rate of sqrt(T) that is shown; the limit is 0.741
FROM, LISTED = 50, 200  # the horizons that are shown one by one; beyond, one bound serves all


def never_again(first: int, last: int) -> Iterator[tuple[int, Any, Any]]:
    """(T, log-probability under reward 0, under reward 1) of "arm 0 is not pulled after round 2" for two arms that pay
    0 but for arm 0's one reward, T from first to last, enclosed: formulas.always_other, in logarithms."""
    log_alpha = m.number(0)
    for horizon in range(3, last + 1):
        log_alpha = log_alpha + m.log(m.ncdf(-1 / m.sqrt(1 + 1 / m.number(horizon - 2))))
        if horizon >= first:
            yield horizon, -m.log(m.number(2)) * (horizon - 2), log_alpha


def exceeds(log_power: Any, log_alpha: Any, mu: Any) -> bool:
    """Whether some x has Phi(x) >= alpha and Phi(x + mu) < power, by intervals: then no mu-GDP is possible."""
    y = m.number(float(ndtri_exp(float(log_power.low))) * (1 + SLACK / 100))
    return bool(m.log(m.ncdf(y)).high < log_power.low and log_alpha.high <= m.log(m.ncdf(y - mu)).low)


def beyond(horizon: int, least: str = LEAST) -> bool:
    """The same for every T from this horizon on, k = T - 2 rounds. Reward 0: power 2^-k, above Q(z) with z^2 = 2 k
    ln 2, as Q(z) < e^{-z^2/2}/2. Reward 1: Q(s) with s^2 = 1/(1 + 1/n) is at most Q(1) e^{h (1-s)}, h = phi(1)/Q(1)
    the largest hazard up to 1, and 1 - s <= (1/(n+1))/(1 + sqrt(1/2)), so that the sum over n is at most
    h ln(k+1)/(1 + sqrt(1/2)). With w = z + 0.7 sqrt(k+2) and Q(w) >= phi(w) w/(w^2+1) it is enough that
    -ln Q(1) >= h ln(k+1)/((1 + sqrt(1/2)) k) + w^2/(2k) + ln(w + 1/w)/k + ln(2 pi)/(2k):
    as w/sqrt(k) falls with k, and w > 10, every term on the right falls with k, so one horizon decides."""
    k, one = m.number(horizon - 2), m.number(1)
    tail = m.ncdf(-one)
    hazard = m.exp(-one / 2) / m.sqrt(2 * m.pi) / tail
    w = m.sqrt(2 * k * m.log(m.number(2))) + m.number(least) * m.sqrt(k + 2)
    spent = hazard * m.log(k + 1) / (1 + m.sqrt(one / 2)) + w * w / 2 + m.log(w + 1 / w) + m.log(2 * m.pi) / 2
    return bool(w.low > 10 and (spent / k).high <= (-m.log(tail)).low)


@proves("section-3/ts-gaussian/order")
def least_order(claim: Claim, effort: Effort, seed: int) -> Finding:
    """ARGUED once 0.7 sqrt(T) is shown for every T >= 50."""
    listed = all(
        exceeds(power, alpha, m.number(LEAST) * m.sqrt(m.number(T))) for T, power, alpha in never_again(FROM, LISTED)
    )
    rows = []
    for T in (50, 100, 300, 1000, 10_000):
        found = quantiles(
            -(T - 2) * float(el.log(2)), float(log_ndtr(-1 / np.sqrt(1 + 1 / np.arange(1.0, T - 1))).sum())
        )
        rows.append([T, found, found / float(np.sqrt(T)), float(np.sqrt(T / 2)), float(np.sqrt(T - 2))])
    evidence = (
        table_item(
            "TS-Gaussian as quoted, two arms: one transcript against the printed parameter",
            [
                "T",
                below("no smaller mu is true"),
                below("over sqrt(T)"),
                nearest("printed: sqrt(0.5 T)"),
                nearest("composition: sqrt(T - K)"),
            ],
            rows,
        ),
        text_item(one_line(beyond)),
    )
    if not (listed and beyond(LISTED)):
        return Finding(claim.id, Verdict.CONSISTENT, "0.7 sqrt(T) was not closed by intervals", evidence)
    summary = (
        f"For every T >= {FROM}, TS-Gaussian as quoted is not mu-GDP for any mu < {LEAST} sqrt(T). Interval "
        f"arithmetic shows this for every T up to {LISTED}, and a single bound shows it for all larger T."
    )
    return established(claim.id, summary, evidence, Basis.WORDS, Basis.INTERVALS)


def smaller_order(claim: Claim, effort: Effort, seed: int) -> Finding:
    """REFUTED if the lower bound 0.7 sqrt(T) is shown, because then no parameter is o(sqrt(T))."""
    finding = least_order(claim, effort, seed)
    if finding.verdict is not Verdict.ARGUED:
        return finding
    return replace(finding, verdict=Verdict.REFUTED)


GUARANTEES = section_4_3_corollary_4_5.GDP_SAYS
proves("table-1/dp-ts-ucb")(checked_step(section_4_3_corollary_4_5.__file__, "table_1_dp_ts_ucb", GUARANTEES))
ROWS = f"""The theorem states the table's bound for every alpha in [0, 1], so also for alpha = 0 and alpha = 1. Delta is
at most every gap of a suboptimal arm, and at most 1. K is the number of arms, and the hidden constants are 3600 and
10800. {section_4_2.RUN}"""
proves("table-1/regret-alpha-0", "table-1/regret-alpha-1")(checked_step(section_4_2.__file__, "table_1_regret", ROWS))
