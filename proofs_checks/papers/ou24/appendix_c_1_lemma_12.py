"""Appendix C.1, Lemma 12: the classical Gaussian mechanism, and a sharper one."""

from __future__ import annotations

from collections.abc import Mapping
from math import log, sqrt

import scipy  # whose submodules are imported where they are first used

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    equality_step,
    lemma_by_argument,
    reductions_of_chapter,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.ou24.pictures import gdp_delta
from dpbandits.proofs_checks.papers.ou24.section_2 import ATTAINED, PHI, SLOPE, TAIL
from dpbandits.proofs_checks.papers.ou24.shared import with_evidence
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Claim, Real
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24.appendix_c_1_lemma_12 import chapter
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.privacy_formulas import half, tail_shift

proves = Proofs(page)

CLASSICAL = Reduction(
    "By Definition 2 and monotonicity, only the largest shift matters, a = eps/k with k = sqrt(2 log(1.25/delta)). "
    "As eps < 1, delta(eps, a) <= Q(k - eps/(2k)) <= Q(k - 1/(2k)), which is compared with delta = 1.25 exp(-k^2/2). "
    "For k >= 1/sqrt 2 the argument k - 1/(2k) is nonnegative, and Q(k - 1/(2k)) <= exp(-(k - 1/(2k))^2/2)/2 <= "
    "(sqrt(e)/2) exp(-k^2/2). For delta < 1, only the case 0.668 < k < 1/sqrt 2 remains.",
    (
        SLOPE,
        ATTAINED,
        TAIL,
        equality_step(
            "eps/a - a/2 = k - eps/(2k) for a = eps/k",
            lambda m, eps, k: eps / (eps / k) - eps / k / 2,
            lambda m, eps, k: k - eps / (2 * k),
            "eps",
            "k",
        ),
        equality_step(
            "(k - 1/(2k))^2 = k^2 - 1 + 1/(4k^2)",
            lambda m, k: (k - 1 / (2 * k)) ** 2,
            lambda m, k: k**2 - 1 + 1 / (4 * k**2),
            "k",
        ),
        enclosure_step("sqrt(e)/2 <= 1.25", lambda m: m.exp(half(m)) / 2, lambda m: m.number("1.25"), {}),
        enclosure_step(
            "0.668 <= sqrt(2 log 1.25)",
            lambda m: m.number("0.668"),
            lambda m: m.sqrt(2 * m.log(m.number("1.25"))),
            {},
        ),
        enclosure_step(
            "Q(k - 1/(2k)) <= 1.25 exp(-k^2/2) for 0.668 <= k <= 0.708",
            lambda m, k: m.ncdf(1 / (2 * k) - k),
            lambda m, k: m.number("1.25") * m.exp(-k * k / 2),
            {"k": Real(0.668, 0.708, closed=True)},
        ),
    ),
)

EVERY_EPS = Reduction(
    "By Definition 2 and monotonicity, only the largest shift matters. Let a be this shift, so that a^2 + 2az = 2 eps. "
    "Then eps/a - a/2 = z, and delta(eps, a) <= Q(z) <= exp(-z^2/2)/2 = delta.",
    (
        SLOPE,
        ATTAINED,
        TAIL,
        equality_step(
            "a^2 + 2az = 2 eps for a = sqrt(z^2 + 2 eps) - z, z = sqrt(2 log(1/(2 delta)))",
            lambda m, eps, delta: (
                tail_shift(m, eps, delta) ** 2 + 2 * tail_shift(m, eps, delta) * m.sqrt(2 * m.log(1 / (2 * delta)))
            ),
            lambda m, eps, delta: 2 * eps,
            "eps",
            "delta",
        ),
    ),
)


def lemma_12_map(claim: Claim) -> tuple[Item, ...]:
    """Up to which eps the printed lemma holds, for some delta."""
    rows = []
    for delta in (0.49, 0.4, 0.3, 0.2, 0.1, 0.01, 1e-3, 1e-6, 1e-9):
        root = sqrt(log(1 / (2 * delta)))
        last = float(
            scipy.optimize.brentq(lambda eps, r=root, d=delta: gdp_delta(eps, 2 * eps / r) - d, 1e-9, 50.0, xtol=1e-14)
        )
        true = gdp_delta(1.0, 2 / root)
        rows.append([delta, last, 2 * last / root, true, true / delta])
    columns = [
        nearest("printed delta"),
        nearest("holds up to eps"),
        nearest("that is, up to a shift of"),
        nearest("true delta at eps = 1"),
    ]
    columns += [nearest("true/printed")]
    return (table_item("Where the printed lemma holds (d = 1, largest shift)", columns, rows),)


WORDS: Mapping[str, Reduction] = {"lemma-12/classical": CLASSICAL, "lemma-12/every-eps": EVERY_EPS}
decided = with_evidence(reductions_of_chapter(chapter, WORDS), {"lemma-12": lemma_12_map})
SAYS = f"threshold_delta and the shift are the formulas of the claim, over its whole domain. {PHI}"
proves("lemma-12")(decided["lemma-12"])
proves("lemma-12/classical")(machine_checked(__file__, "lemma_12_classical", SAYS)(decided["lemma-12/classical"]))
proves("lemma-12/every-eps")(machine_checked(__file__, "lemma_12_every_eps", SAYS)(decided["lemma-12/every-eps"]))

EVENTS_SAYS = f"""kept_events: Z is drawn coordinate by coordinate, S is any set, and Z - a lies in S where Z lies in
S + a. The shift is the formula of the claim. {INTEGRALS}"""
for name, theorem in (
    ("lemma-12/classical", "lemma_12_classical_events"),
    ("lemma-12/every-eps", "lemma_12_every_eps_events"),
):
    words = (
        "Z lies in S + a if and only if Z - a lies in S. So the lemma compares N(0, I) and N(-a, I), the Gaussian "
        "mechanism with sigma = 1 and ||a||_2 <= ||a||_1 (`ou24/gaussian-mechanism/every-event`). No event separates "
        "these two laws more than a threshold test at the largest shift. "
        f"For threshold tests, `ou24/{name}` states the bound."
    )
    proves(f"{name}/every-event")(
        machine_checked(__file__, theorem, EVENTS_SAYS)(lemma_by_argument(Reduction(words, ())))
    )
