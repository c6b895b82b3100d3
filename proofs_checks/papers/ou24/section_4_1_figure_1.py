"""Section 4.1: Figure 1, how the privacy of Algorithm 2 changes with b and c."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, sqrt

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    inequality_step,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.pictures import curve, gdp_eps, lines
from dpbandits.proofs_checks.papers.ou24.section_2 import ATTAINED, LARGER, NOT_NEGATIVE, PHI, SLOPE
from dpbandits.proofs_checks.papers.ou24.shared import with_evidence
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Claim, Real, Whole
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24 import section_4_1_figure_1
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import lemma_4_mu

proves = Proofs(page)
MODIFIED_MONOTONE = Reduction(
    "Definition 2 takes a maximum, so delta(eps, mu) increases with mu. And mu decreases as b and c grow.",
    (
        SLOPE,
        ATTAINED,
        inequality_step(
            "sqrt(T/((c + more_c)(b + more_b + 1))) <= sqrt(T/(c(b+1)))",
            lambda m, T, b, c, more_b, more_c: lemma_4_mu(m, T, b + more_b, c + more_c),
            lambda m, T, b, c, more_b, more_c: lemma_4_mu(m, T, b, c),
            {"T": Whole(1), "b": Whole(0), "c": Real(1, inf), "more_b": Whole(0), "more_c": NOT_NEGATIVE},
        ),
    ),
)


def place(m: Vocabulary, x: Number) -> Number:
    """Where the eps with eps/mu - mu/2 = x at mu^2 = 1000 lies after both changes: 0.6 eps at mu^2 = 500."""
    eps = m.sqrt(m.number(1000)) * x + 500
    return m.number("0.6") * eps / m.sqrt(m.number(500)) - m.sqrt(m.number(500)) / 2


DRAMATIC = Reduction(
    "Let mu^2 = 1000 and x = eps/mu - mu/2. Then delta(eps, mu) = Q(x) - e^eps Q(x + mu), and e^eps Q(x + mu) <= "
    "phi(x)/(x + mu) by Mills' inequality. For mu^2 = 500, delta(0.6 eps) is at most Q at the corresponding x.",
    (
        enclosure_step(
            "Q(place) + phi(x)/(x + sqrt(1000)) <= Q(x) for 0 <= x <= 7",
            lambda m, x: m.ncdf(-place(m, x)) + m.exp(-x * x / 2) / m.sqrt(2 * m.pi) / (x + m.sqrt(m.number(1000))),
            lambda m, x: m.ncdf(-x),
            {"x": Real(0, 7, closed=True)},
        ),
        enclosure_step(
            "eps <= 720 is x < 7",
            lambda m: m.number(720),
            lambda m: 7 * m.sqrt(m.number(1000)) + 500,
            {},
        ),
    ),
)
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
    columns = [
        "c(b+1)",
        nearest("Theorem 4's mu"),
        nearest("eps at delta = 1e-6"),
        nearest("sharp, b = 0"),
        nearest("sharp, c = 1, two arms"),
    ]
    return (*pictures, table_item("T = 1000 (Theorem 3 for standard sampling: the second row)", columns, rows))


WORDS: Mapping[str, Reduction] = {"figure-1/monotone": MODIFIED_MONOTONE, "figure-1/dramatic": DRAMATIC}

decided = with_evidence(reductions_of_chapter(section_4_1_figure_1.chapter, WORDS), {"figure-1/monotone": figure_1})
proves("figure-1/monotone")(machine_checked(__file__, "figure_1_monotone", LARGER)(decided["figure-1/monotone"]))
DRAMATIC_SAYS = f"At T = 1000 the formula's mu is sqrt(1000) before and sqrt(500) after. 6/10 is 0.6. {PHI}"
proves("figure-1/dramatic")(machine_checked(__file__, "figure_1_dramatic", DRAMATIC_SAYS)(decided["figure-1/dramatic"]))
