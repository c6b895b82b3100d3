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

STANDARD = """Let there be two arms, one feature and theta = g > 0, so rewards have the mean g x. The contexts of a
round are x = (1, 0) or (0, 1). Take round t, and fix the contexts of the other rounds. Let p be the probability of the
worse arm if the contexts of round t are (1, 0), and let q be this probability if they are (0, 1). If one user's
contexts and rewards change, the arm released in this round is (eps, delta)-DP. So 1 - p <= e^eps q + delta and 1 - q <=
e^eps p + delta, because the better arm for one context is the worse arm for the other. The sum of both inequalities
gives p + q >= 2 (1 - delta)/(1 + e^eps). Suppose that the contexts of every round are chosen by a fair coin. Then every
round pulls the worse arm with probability at least (1 - delta)/(1 + e^eps), whatever the policy knows of the past and
of theta. So the expected regret is at least T g times this probability. Some sequence of contexts has at least the
average regret."""
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
JOINT = f"""{MATRICES} So all p-sums together are mu-GDP with mu = eps/(4 l) and l = ln(4/delta). Hence all p-sums
together are (eps, d)-DP with d = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) <= Phi(eps/(8 l) - 4 l). For eps <= 16
l^2, d is at most Phi(-2 l) <= e^(-2 l^2)/2. As l > ln 4 > 1/2, this bound is at most e^-l/2 = delta/8."""
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

STANDARD_SAYS = """M u z is the probability with which the policy pulls the arms z for the users u, where a user is a
context and the rewards of both arms; the policy may even know all users in advance. all_arms_private is (eps, delta)-DP
of all T arms together if the context and the rewards of one user change. On the contexts `better`, each round's better
arm pays g and the other one 0. arm_lists are the 2^T lists of T arms. eps is any number, and of the gap only g > 0 is
used."""
proves("abstract/standard")(
    machine_checked(__file__, "abstract_standard", STANDARD_SAYS)(lemma_by_argument(PUT_TOGETHER))
)
proves("abstract/joint")(machine_checked(__file__, "abstract_joint", MODEL)(lemma_by_argument(KEPT)))
