"""Section 4.2: Theorem 5, and how little its explicit bound says."""

from __future__ import annotations

from math import log
from typing import Any

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import add_evidence
from dpbandits.proofs_checks.formulas.theorems import checked_step
from dpbandits.proofs_checks.papers.ou24.shared import REGRET_OF_RUNS
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.records import Item
from dpbandits.reference.papers.ou24.experiments import BERNOULLI, EXPONENTIAL
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.regret_formulas import LOG_Y, PLAIN, gaps

proves = Proofs(page)


def informative(claim: Claim) -> tuple[Item, ...]:
    """The bound of equation (10) at the arms of both experiments, b = 0, c = 1, and from which T on it says
    anything."""
    rows: list[list[Any]] = []
    for name, environment in (("5.1", BERNOULLI), ("5.2", EXPONENTIAL)):
        for gap in gaps(environment):
            bound = (PLAIN + LOG_Y * log(1e5 * gap**2)) / gap
            rows.append([name, gap, bound, 1e5 * gap, bound / (1e5 * gap), threshold() / gap**2])
    columns = [
        "section",
        nearest("gap"),
        nearest("equation (10) at T = 1e5"),
        nearest("T gap"),
        nearest("ratio"),
        nearest("says something from T ="),
    ]
    return (table_item("The explicit bound against the trivial one, c = 1, b = 0", columns, rows),)


proves("theorem-5/informative")(add_evidence(informative))


def threshold() -> float:
    """The y beyond which 14 + 5130 log y < y, by fixed-point iteration."""
    y = 1e5
    for _ in range(100):
        y = PLAIN + LOG_Y * log(y)
    return y


for name, theorem in (
    ("problem-dependent", "problem_dependent"),
    ("problem-independent", "problem_independent"),
    ("asymptotic", "asymptotic"),
    ("restated", "restated"),
):
    proves(f"theorem-5/{name}")(checked_step(__file__, theorem, REGRET_OF_RUNS))
