"""Appendix G: single steps that branch and bound leaves open, ceilings most of them; and what Lemma G.3 says of the
printed indices."""

from __future__ import annotations

from math import inf
from typing import Any

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, Step, never_less, reduced
from dpbandits.proofs_checks.papers.chen24.evidence import one_line, refuted, table
from dpbandits.reference.ledger import Claim, Finding, Real, Verdict, Whole
from dpbandits.reference.papers.chen24 import appendix_g as claims
from dpbandits.reference.papers.chen24.parameters import PRINTED, REPAIRED, phases, quarter

AT_LEAST = never_less(
    "x <= x + rest with 0 <= rest, the definition of a ceiling",
    lambda m, x, rest: x,
    lambda m, x, rest: x + rest,
    {"x": Real(0, inf), "rest": Real(0, 1, closed=True)},
)
EQ_64 = Reduction(
    "ceil(y/d - 1) <= y/d, as a ceiling is less than its argument + 1; and y/d <= ceil(y)/d.", (AT_LEAST,)
)
G_3_E = Reduction("x <= ceil(x) for x = (h + 1)/lambda.", (AT_LEAST,))
EQ_74 = Reduction("x <= ceil(x) for x = d^2/4, times 4.", (AT_LEAST,))


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

# -- Lemma G.3, as printed -------------------------------------------------------------------------------------------


def first_stage_loses(claim: Claim, effort: Effort, seed: int) -> Finding:
    """Printed indices: the last phase of the first stage keeps g_1 = ceil(g_0/2) arms, and with g_0 >= 4 the arms of
    rank 2 to g_1 + 1 may be as good as the best one, up to gaps as small as one likes, while Delta_(g_0) stays. Of
    these g_1 + 1 arms one goes for certain; of symmetric ones it is the best one with a chance near 1/(g_1 + 1), for
    any T, once the gaps are small enough, while (69) tends to 0 with T."""
    rows = []
    for arms, d in ((10, 4), (20, 4), (100, 6)):
        plan = phases(arms, d, PRINTED)
        g_0, kept = min(arms, -(-d * d // 4)), plan.sizes[plan.first_stage]
        rows.append([arms, d, plan.first_stage, plan.sizes[plan.first_stage - 1], g_0, kept, kept + 1 < g_0])
    columns = ["K", "d", "M_1", "s_(M_1)", "g_0", "s_(M_1 + 1)", "g_1 + 1 < g_0"]
    evidence = (table("What the last phase of the first stage keeps, as printed", columns, rows),)
    if all(row[-1] for row in rows):
        return refuted(claim, one_line(first_stage_loses), evidence)
    return Finding(claim.id, Verdict.CONSISTENT, "it keeps g_0 arms", evidence)


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
    "chen24/lemma-g.2/64": reduced(EQ_64, claims.eq_64),
    "chen24/lemma-g.3/printed": first_stage_loses,
    "chen24/lemma-g.3/last-phase": last_phase,
    "chen24/lemma-g.3/e": reduced(G_3_E, claims.lemma_g_3_e),
    "chen24/lemma-g.4/d": reduced(G_4_D, claims.lemma_g_4_d),
    "chen24/eq-74/larger-d": reduced(EQ_74, claims.eq_74_larger_d),
    "chen24/eq-75": reduced(EQ_75, claims.eq_75),
}
