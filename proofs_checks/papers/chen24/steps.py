"""Reductions of single steps of the paper's proofs that branch and bound leaves open: ceilings, and equality at
ends."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, Step, encloses, never_less, reduced
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, table
from dpbandits.reference.ledger import Claim, Finding, Real, Verdict, Whole
from dpbandits.reference.papers.chen24 import appendix_d, appendix_g, appendix_h, section_4
from dpbandits.reference.papers.chen24.parameters import PRINTED, REPAIRED, phases, quarter

POSITIVE = Real(0, inf)

# -- ceilings --------------------------------------------------------------------------------------------------------

AT_LEAST = never_less(
    "x <= x + rest with 0 <= rest, the definition of a ceiling",
    lambda m, x, rest: x,
    lambda m, x, rest: x + rest,
    {"x": POSITIVE, "rest": Real(0, 1, closed=True)},
)
EQ_64 = Reduction(
    "ceil(y/d - 1) <= y/d, as a ceiling is less than its argument + 1; and y/d <= ceil(y)/d.", (AT_LEAST,)
)
G_3_E = Reduction("x <= ceil(x) for x = (h + 1)/lambda.", (AT_LEAST,))
EQ_74 = Reduction("x <= ceil(x) for x = d^2/4, times 4.", (AT_LEAST,))
EQ_98 = Reduction(
    "y <= floor(y) + 1 for y = 4 E N, divided by 4.",
    (
        never_less(
            "whole + rest <= whole + 1, the definition of a floor",
            lambda m, whole, rest: whole + rest,
            lambda m, whole, rest: whole + 1,
            {"whole": Whole(0), "rest": Real(0, 1, closed=True)},
        ),
    ),
)


def halved(k: Any, rest: int) -> tuple[Any, Any, Any]:
    """s = 4k + rest, ceil(s/2) and ceil(ceil(s/2)/2)."""
    half = -(-rest // 2)
    return 4 * k + rest, 2 * k + half, k + -(-half // 2)


def of_four(words: str, sides: Any) -> tuple[Step, ...]:
    """One step for each rest of s modulo 4. sides: (s, s', s'') -> (left, right)."""
    return tuple(
        never_less(
            f"s = 4k + {rest}: {words}",
            lambda m, k, rest=rest: sides(*halved(k, rest))[0],
            lambda m, k, rest=rest: sides(*halved(k, rest))[1],
            {"k": Whole(0)},
        )
        for rest in range(4)
    )


G_4_D = Reduction(
    "The ceilings of 4k + r, for r = 0, 1, 2, 3, are polynomials in k.",
    of_four("2 (s - s'') <= 6 (s' - s'' + 1)", lambda a, b, c: (2 * (a - c), 6 * (b - c + 1))),
)
EQ_75 = Reduction(
    "The ceilings of 4k + r, for r = 0, 1, 2, 3, are polynomials in k.",
    of_four("s <= 4 s'' + 4", lambda a, b, c: (a, 4 * c + 4)),
)

# -- other steps -----------------------------------------------------------------------------------------------------

DENSITY = Reduction(
    "|x + z| <= |x| + |z| with z = move/n and |move| <= 1, so n eps (|x + z| - |x|) <= eps |move| <= eps.",
    (
        never_less(
            "eps |move| <= eps",
            lambda m, eps, size: eps * size,
            lambda m, eps, size: eps,
            {"eps": POSITIVE, "size": Real(0, 1, closed=True)},
        ),
    ),
)
CONSTANTS = Reduction(
    "1/64 - 1/65 = 1/4160, and 4160 log c <= x is the condition.",
    (
        never_less(
            "a <= (4160 a + rest)(1/64 - 1/65)",
            lambda m, a, rest: a,
            lambda m, a, rest: (4160 * a + rest) * (m.number(1) / 64 - m.number(1) / 65),
            {"a": POSITIVE, "rest": Real(0, inf, closed=True)},
        ),
    ),
)
AFTER_117 = Reduction(
    "Q(z) <= e^{-z^2/2}/2 for z >= 0: below 0.8 by intervals, beyond by Mill's inequality Q(z) <= phi(z)/z.",
    (
        encloses(
            "Q(z) <= exp(-z^2/2) for 0 <= z <= 0.8",
            lambda m, z: m.ncdf(-z),
            lambda m, z: m.exp(-z * z / 2),
            {"z": Real(0, 0.8, closed=True)},
        ),
        encloses("1/sqrt(2 pi) <= 0.8", lambda m: 1 / m.sqrt(2 * m.pi), lambda m: m.number("0.8"), {}),
    ),
)
D_2 = Reduction(
    "delta(eps) <= Q(z) with z = s - eps/(2 s), which is less than at eps = 1.8, z = s - 0.9/s. Where z >= 0: Q(z) <= "
    "e^{-z^2/2}/2, and z^2 = s^2 - 1.8 + 0.81/s^2 >= s^2 - 1.8, so at most e^{0.9}/2 e^{-s^2/2}. Where z < 0, s < "
    "0.95: by intervals.",
    (
        encloses("e^0.9/2 <= 1.25", lambda m: m.exp(m.number("0.9")) / 2, lambda m: m.number("1.25"), {}),
        encloses(
            "Q(s - 0.9/s) <= 1.25 e^{-s^2/2} for 0.67 <= s <= 0.95",
            lambda m, s: m.ncdf(m.number("0.9") / s - s),
            lambda m, s: m.number("1.25") * m.exp(-s * s / 2),
            {"s": Real(0.67, 0.95, closed=True)},
        ),
    ),
)
EQ_102_D = Reduction(
    "The logarithm increases.",
    (never_less("4 <= K", lambda m, K: m.number(4), lambda m, K: K, {"K": Whole(4)}),),
)


def last_phase(claim: Claim, effort: Effort, seed: int) -> Finding:
    """s_{M_1+1} - g_0 + 1 in both readings."""
    rows, wrong = [], False
    for arms, d in ((10, 3), (20, 4), (100, 5), (10_000, 16)):
        g_0 = min(arms, quarter(d))
        values = []
        for indices in (PRINTED, REPAIRED):
            plan = phases(arms, d, indices)
            values.append(plan.sizes[plan.first_stage] - g_0 + 1)
        rows.append([arms, d, *values])
        wrong = wrong or values[0] < 1
    evidence = (table("s_{M_1+1} - g_0 + 1, which the step divides by", ["K", "d", "printed", "repaired"], rows),)
    if wrong:
        return refuted(claim, "printed: it is not positive, so Markov's inequality says nothing", evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "it is positive in the cases of the table", evidence)


LEMMAS: dict[str, Lemma] = {
    "chen24/proposition-4.1/density": reduced(DENSITY, section_4.proposition_4_1_density),
    "chen24/theorem-4.2/constants": reduced(CONSTANTS, section_4.theorem_4_2_constants),
    "chen24/proposition-d.2/repaired": reduced(D_2, appendix_d.proposition_d_2_repaired),
    "chen24/lemma-j.1/after-117": reduced(AFTER_117, appendix_d.after_117),
    "chen24/lemma-g.2/64": reduced(EQ_64, appendix_g.eq_64),
    "chen24/lemma-g.3/last-phase": last_phase,
    "chen24/lemma-g.3/e": reduced(G_3_E, appendix_g.lemma_g_3_e),
    "chen24/lemma-g.4/d": reduced(G_4_D, appendix_g.lemma_g_4_d),
    "chen24/eq-74/larger-d": reduced(EQ_74, appendix_g.eq_74_larger_d),
    "chen24/eq-75": reduced(EQ_75, appendix_g.eq_75),
    "chen24/eq-98/whole": reduced(EQ_98, appendix_h.eq_98_repaired),
    "chen24/eq-102/d": reduced(EQ_102_D, appendix_h.eq_102_d),
}
