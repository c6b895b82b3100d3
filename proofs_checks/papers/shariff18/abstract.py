"""Why standard privacy costs linear regret, and why private linear UCB is jointly private."""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    equality_step,
    inequality_step,
    lemma_by_argument,
)
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.shariff18.calibration import MATRICES, MODEL
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.shariff18.page import page

proves = Proofs(page)

STANDARD = """Two arms, one feature, theta = g > 0: rewards have the mean g x. A round shows x = (1, 0) or (0, 1). Take
round t, and fix what the others show. Let p be the chance of the worse arm where the round shows (1, 0), and q where it
shows (0, 1). (eps, delta)-DP of the arm released in this round, of which one user's contexts and rewards change, says 1
- p <= e^eps q + delta and 1 - q <= e^eps p + delta: the better arm of one is the worse one of the other. Added up, p +
q >= 2 (1 - delta)/(1 + e^eps). So where every round shows one of the two by the toss of a fair coin, the worse arm is
pulled with chance at least (1 - delta)/(1 + e^eps) in every round, whatever is known of the past and of theta, and the
expected regret is at least T g times this; some sequence of rounds has at least the mean over all."""
PUT_TOGETHER = Reduction(
    " ".join(STANDARD.split()),
    (
        equality_step(
            "(1 - d - e q - p) + (1 - d - e p - q) = 2 (1 - d) - (1 + e) (p + q)",
            lambda m, d, e, p, q: (1 - d - e * q - p) + (1 - d - e * p - q),
            lambda m, d, e, p, q: 2 * (1 - d) - (1 + e) * (p + q),
            "d",
            "e",
            "p",
            "q",
        ),
    ),
)
JOINT = f"""{MATRICES} So all of them are mu-GDP with mu = eps/(4 l), l = ln(4/delta), and (eps, d)-DP with d = Phi(mu/2
- eps/mu) - e^eps Phi(-mu/2 - eps/mu) <= Phi(eps/(8 l) - 4 l). For eps <= 16 l^2 this is at most Phi(-2 l) <= e^(-2
l^2)/2, and as l > ln 4 > 1/2 that is at most e^-l/2 = delta/8."""
KEPT = Reduction(
    " ".join(JOINT.split()),
    (
        inequality_step(
            "l <= 2 l^2 for l >= 1/2",
            lambda m, l: l,  # noqa: E741
            lambda m, l: 2 * l * l,  # noqa: E741
            {"l": Real(0.5, inf, closed=True)},
        ),
        enclosure_step("1/2 <= ln 4", lambda m: m.number("0.5"), lambda m: m.log(m.number(4)), {}),
    ),
)

proves("abstract/standard")(lemma_by_argument(PUT_TOGETHER))
proves("abstract/joint")(machine_checked(__file__, "abstract_joint", MODEL)(lemma_by_argument(KEPT)))
