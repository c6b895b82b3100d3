"""Corollary 4.5 and the comparisons with TS-Gaussian and M-TS-Gaussian."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, reductions_of_chapter
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.hu25 import section_4_3_theorem_4_4
from dpbandits.proofs_checks.papers.hu25.section_4_3_theorem_4_4 import attained, sharp
from dpbandits.reference.claims.findings import above, below, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Verdict, established
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.hu25 import DPTSUCB, section_4_3_corollary_4_5
from dpbandits.reference.papers.hu25 import formulas as f
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)


@proves("preview/better-than-ts-gaussian/algorithm")
def less_private(claim: Claim, effort: Effort, seed: int) -> Finding:
    """ARGUED where the released arms of DP-TS-UCB with alpha = 0 provably exceed sqrt(T/2) at T = 10^3 and 10^4, the
    parameter that ou24 proves for its Thompson sampling: there the algorithm itself is less private."""
    rows: list[list[float]] = []
    for T in (10**3, 10**4, 10**5):
        rows.append([T, attained(DPTSUCB(2, T, 0.0)), float(np.sqrt(T / 2)), sharp(DPTSUCB(2, T, 0.0))])
    evidence = (
        table_item(
            "Two arms, alpha = 0",
            ["T", below("no smaller parameter is true"), nearest("TS-Gaussian (ou24)"), above("sharp upper bound")],
            rows,
        ),
        text_item(section_4_3_theorem_4_4.__doc__ or ""),
    )
    worse = [row for row in rows[:2] if row[1] > row[2]]
    if len(worse) < 2:
        return Finding(claim.id, Verdict.CONSISTENT, "not shown at both horizons", evidence)
    longest, low, other, _ = worse[-1]
    summary = (
        f"At T = {longest:g} and alpha = 0, the released arms of DP-TS-UCB are not mu-GDP for any mu < {low:.5g}, by "
        f"the probabilities of one event, which are enclosed by intervals. TS-Gaussian is {other:.5g}-GDP."
    )
    return established(claim.id, summary, evidence, Basis.WORDS, Basis.INTERVALS)


WORDS: Mapping[str, Reduction] = {
    "preview/better-than-ts-gaussian": Reduction(
        "With v = ln T, twice the logarithm of the quotient is ln(4 c_0) + 1.5 ln v - v/2, which decreases for v > 3. "
        "So it is enough to check T = 10^6.",
        (
            enclosure_step(
                "ln(4 c_0) + 1.5 ln v <= v/2 at v = ln 10^6",
                lambda m: m.log(4 * f.c_0(m)) + 3 * m.log(m.log(m.number(10**6))) / 2,
                lambda m: m.log(m.number(10**6)) / 2,
                {},
            ),
            enclosure_step("ln 10^6 > 3", lambda m: m.number(3), lambda m: m.log(m.number(10**6)), {}),
        ),
    ),
    "discussion-4.3/m-ts-log": Reduction(
        "With v = ln T, twice the logarithm of the quotient is ln(2 c_0) + (1 - alpha)(v/2 + 1.5 ln v) + 2 alpha ln v "
        "- v. This logarithm is linear in alpha, so it is enough to check alpha = 0 and alpha = 1. For both alpha, "
        "twice the logarithm decreases for v > 3. So it is enough to check T = 10^6.",
        (
            enclosure_step(
                "alpha = 0: ln(2 c_0) + 1.5 ln v <= v/2 at v = ln 10^6",
                lambda m: m.log(2 * f.c_0(m)) + 3 * m.log(m.log(m.number(10**6))) / 2,
                lambda m: m.log(m.number(10**6)) / 2,
                {},
            ),
            enclosure_step(
                "alpha = 1: ln(2 c_0) + 2 ln v <= v at v = ln 10^6",
                lambda m: m.log(2 * f.c_0(m)) + 2 * m.log(m.log(m.number(10**6))),
                lambda m: m.log(m.number(10**6)),
                {},
            ),
            enclosure_step("ln 10^6 > 3", lambda m: m.number(3), lambda m: m.log(m.number(10**6)), {}),
        ),
    ),
}

SIZES_SAYS = "Both sides are the claim's, over its whole domain; c_0 is sqrt(2 PI exp 1), and Rpower x y is x^y."
THEOREMS = {"preview/better-than-ts-gaussian": "better_than_ts_gaussian", "discussion-4.3/m-ts-log": "m_ts_log"}
in_words = reductions_of_chapter(section_4_3_corollary_4_5.chapter, WORDS)
proves.each(
    {name: machine_checked(__file__, theorem, SIZES_SAYS)(in_words[name]) for name, theorem in THEOREMS.items()}
)

GDP_SAYS = f"""dp_ts_ucb_gdp holds the promise of every event of the list of all pulls of a run of Algorithm 1, for
every eps, neighbours of either relation r and rewards in [0, 1]. {INTEGRALS}"""

proves("corollary-4.5/alpha-1")(checked_step(__file__, "corollary_4_5_alpha_1", GDP_SAYS))
proves("corollary-4.5/alpha-0")(checked_step(__file__, "corollary_4_5_alpha_0", GDP_SAYS))

SAME_ORDER_SAYS = """Both bounds are the printed ones with 1 in the place of each O, and gaps are those of the
suboptimal arms. Each bound is at most 8 times the other one, for T >= 1/gap^4 for all gaps, which holds for fixed
gaps as T grows."""
proves("discussion-4.3/almost-the-same")(checked_step(__file__, "almost_the_same", SAME_ORDER_SAYS))
