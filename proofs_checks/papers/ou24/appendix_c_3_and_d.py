"""Appendices C.3 and D: which analysis is tighter, and the epsilons of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Illustration,
    Reduction,
    enclosure_step,
    equality_step,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.appendix_c_2 import log_inverse
from dpbandits.proofs_checks.papers.ou24.pictures import curve, gdp_delta, gdp_eps, lines, renyi_eps, standard_eps
from dpbandits.proofs_checks.papers.ou24.section_2 import PHI, TAIL
from dpbandits.proofs_checks.papers.ou24.shared import with_evidence
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Claim, Real
from dpbandits.reference.claims.records import Cell, Item
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.ou24.appendix_c_3_and_d import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import best_renyi_eps, lemma_3_mu

proves = Proofs(page)

NO_WORSE = Reduction(
    "Let z = eps/mu - mu/2. At the best order, z is sqrt(2 log(1/delta)), so GDP's delta is at most Q(z) <= delta/2.",
    (
        TAIL,
        equality_step(
            "(eps/mu - mu/2)^2 = 2 log(1/delta)",
            lambda m, T, delta: (best_renyi_eps(m, T, delta) / lemma_3_mu(m, T) - lemma_3_mu(m, T) / 2) ** 2,
            lambda m, T, delta: 2 * log_inverse(m, delta),
            "T",
            "delta",
        ),
    ),
)

DEPENDS_ON_N = Reduction(
    "eps_TS increases strictly with the step's eps, which increases strictly with N if its logarithm is positive.",
    (
        enclosure_step(
            "0 < log((N-1)/(2 delta)) already at N = 2 and delta = 0.001",
            lambda m: m.number(1),
            lambda m: m.log(1 / (2 * m.number("0.001"))),
            {},
        ),
    ),
)

ADVANTAGE = Reduction(
    "Let mu^2 = 500, l = -log delta(eps) and R(eps) = mu^2/2 + mu sqrt(2l). As delta' = -e^eps Phi(-eps/mu - mu/2), "
    "the derivative R' is mu e^eps Phi(-eps/mu - mu/2)/(delta sqrt(2l)). If R' <= 1, R(eps) - eps decreases.",
    (
        enclosure_step(
            "mu e^eps Phi(-eps/mu - mu/2) <= delta(eps) sqrt(2 log(1/delta(eps))) for 250 <= eps <= 400",
            lambda m, eps: (
                lemma_3_mu(m, 1000) * m.exp(eps) * m.ncdf(-eps / lemma_3_mu(m, 1000) - lemma_3_mu(m, 1000) / 2)
            ),
            lambda m, eps: (
                gaussian_delta(m, eps, lemma_3_mu(m, 1000))
                * m.sqrt(2 * m.log(1 / gaussian_delta(m, eps, lemma_3_mu(m, 1000))))
            ),
            {"eps": Real(250, 400, closed=True)},
        ),
    ),
)

ADVANTAGE_IN_DELTA = Reduction(
    "With mu^2 = 500, the logarithm of the ratio has the derivative e^eps Phi(-eps/mu - mu/2)/delta(eps) - (eps - "
    "250)/500. If this derivative is nonnegative, the ratio grows.",
    (
        enclosure_step(
            "(eps - 250) delta(eps) <= 500 e^eps Phi(-eps/mu - mu/2) for 250 <= eps <= 400",
            lambda m, eps: (eps - 250) * gaussian_delta(m, eps, lemma_3_mu(m, 1000)),
            lambda m, eps: 500 * m.exp(eps) * m.ncdf(-eps / lemma_3_mu(m, 1000) - lemma_3_mu(m, 1000) / 2),
            {"eps": Real(250, 400, closed=True)},
        ),
    ),
)


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
    columns = [
        "delta",
        nearest("GDP"),
        nearest("RDP"),
        nearest("RDP - GDP"),
        nearest("RDP/GDP"),
        nearest("standard/GDP, N = 2"),
        nearest("standard/GDP, N = 10"),
    ]
    return (*pictures, table_item("eps at T = 1000", columns, rows))


def three_epsilons(claim: Claim) -> tuple[Item, ...]:
    rows: list[list[Cell]] = [
        [f"{mu}-GDP", printed, gdp_eps(1e-6, mu), gdp_delta(printed, mu)]
        for mu, printed in ((1, 4.88), (5, 35.57), (10, 96.71))
    ]
    return (
        table_item(
            "delta = 1e-6",
            ["privacy", nearest("printed eps"), nearest("eps"), nearest("delta at the printed eps")],
            rows,
        ),
    )


WORDS: Mapping[str, Reduction] = {
    "c3/no-worse": NO_WORSE,
    "c3/depends-on-N": DEPENDS_ON_N,
    "c3/when-delta-is-large": ADVANTAGE,
    "c3/when-delta-is-small/in-delta": ADVANTAGE_IN_DELTA,
}
PICTURES: Mapping[str, Illustration] = {
    "c3/significantly-tighter": figure_4,
    "appendix-d/1-gdp/rounded": three_epsilons,
}
NO_WORSE_SAYS = f"The second argument of gaussian_delta(mu, eps) is Theorem 8's eps at the best order. {PHI}"
GROWS_SAYS = """corollary_1_eps is Corollary 1's eps_TS, of T = 1000, N, delta and slack = delta_TS - T delta; 1/1000 is
0.001."""
RATIO_SAYS = f"""The numerators are the claim's exponentials, 1000/4 is 250, and gaussian_delta(sqrt(1/2 1000), eps) is
Theorem 3's delta at T = 1000. The theorem holds for every eps above 250. {PHI}"""
in_words = reductions_of_chapter(chapter, WORDS)
proves.each(
    with_evidence(
        {
            **in_words,
            "c3/no-worse": machine_checked(__file__, "c3_no_worse", NO_WORSE_SAYS)(in_words["c3/no-worse"]),
            "c3/when-delta-is-small/in-delta": machine_checked(__file__, "c3_in_delta", RATIO_SAYS)(
                in_words["c3/when-delta-is-small/in-delta"]
            ),
            "c3/depends-on-N": machine_checked(__file__, "c3_depends_on_N", GROWS_SAYS)(in_words["c3/depends-on-N"]),
        },
        PICTURES,
    )
)
