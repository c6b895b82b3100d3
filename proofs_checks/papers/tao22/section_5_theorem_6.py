"""Section 5: Theorem 6, what a message of Algorithm 4 tells, given all that were sent before."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)

MESSAGE = Reduction(
    "A message is a truncated reward with Laplace noise of scale 2 B/eps, where the epoch's B is computed from "
    "earlier messages. Every user sends one message. For any two rewards of a user, the ratio of the densities of "
    "the message is at most e^eps.",
    (),
)
SAYS = f"""chance is that of an event of the user's message, h are the messages that were sent before, x and y two
rewards of the user, any numbers, and bound is B_tau, any function of h that is positive. {INTEGRALS}"""

proves("theorem-6")(machine_checked(__file__, "theorem_6", SAYS)(lemma_by_argument(MESSAGE)))
