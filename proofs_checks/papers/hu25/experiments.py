"""Section 5 and Appendix E: the statements of the figures, as formulas."""

from __future__ import annotations

from collections.abc import Mapping

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, reductions_of_chapter
from dpbandits.reference.papers.hu25 import experiments
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

WORDS: Mapping[str, Reduction] = {
    "figure-3b/base": Reduction(
        "ln T and ln ln T increase, so T = 3 decides.",
        (
            enclosure_step(
                "0.69 <= ln 3/2 + 1.5 ln ln 3",
                lambda m: m.number("0.69"),
                lambda m: m.log(m.number(3)) / 2 + 3 * m.log(m.log(m.number(3))) / 2,
                {},
            ),
        ),
    ),
}

proves.each(reductions_of_chapter(experiments.chapter, WORDS))
