"""Lemmas 14 and 15 and Theorem 11: the divergence of two runs, and how much of it a private channel leaves."""

from __future__ import annotations

import numpy as np

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, equality_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import ALMOST_SURELY, EXPECTATIONS, checked_step, machine_checked
from dpbandits.proofs_checks.papers.tao22.local_privacy import ALGORITHM, FAMILY, HISTORIES, REGRET, SMALL_REGRET
from dpbandits.proofs_checks.papers.tao22.quantifiers import NO_INSTANCE
from dpbandits.reference.claims.findings import nearest, table_item
from dpbandits.reference.papers.tao22.page import page

proves = Proofs(page)
LEMMA_14 = Reduction(
    "The law of a history is a product of the probabilities of its arms and rewards, each given the history before it "
    "(25). So the logarithm of the ratio of two such laws is a sum over rounds. The expectation of this sum under P_1 "
    "is the sum of the expected divergences of the arm's law and of the reward's law in each round, given the history "
    "before. A round that pulls arm a adds KL(X_a^1||X_a^2), and the expected number of rounds that pull arm a is "
    "E[N_a(T)]. If the algorithm's probabilities are the same in both instances, as in this paper, the first sum is 0. "
    "(The paper prints H_t in this sum, but means the history before a_t.)",
    (),
)

RATIOS = f"""has_divergence P Q r l d says that r is the density of P with respect to Q, that is, E_P f is E_Q f r for
every bounded measurable f, and that the expectation under P of l = ln r is d. So KL(P||Q) = d is finite. Where r is 0,
which has probability 0 under P, l may be any number (l is measurable). histories_have_divergence says the same of the
arms and rewards of T rounds: the theorem says that such a density R exists, and f is there any bounded function whose
averages are measurable (run_measurable), such as every bounded measurable f if the algorithm is measurable. run is E f
by (25): one average after another, over the choice and the reward of each round. choose h a is A(a | h, P_1), choose' h
a is A(a | h, P_2), and h is the history before the choice. The two may be the same. choices_divergence is KL of the
choices after h. It is finite, because choose' h a is positive wherever choose h a is, which is a hypothesis about every
history. On histories of probability 0 under P_1, and after them, choose may be replaced by choose', which does not
change the law of the histories under P_1. pulls_of a is N_a. That the averages exist is a hypothesis (run_integrable,
run_measurable). If all laws are countably additive and the algorithms are measurable, Fubini's theorem says so of all
functions with a finite expectation, outside of an event of probability 0, which Rocq has not checked. {ALMOST_SURELY}
{EXPECTATIONS}"""

proves("lemma-14")(lemma_by_argument(LEMMA_14))
proves("lemma-14/finite")(machine_checked(__file__, "lemma_14", RATIOS)(lemma_by_argument(LEMMA_14)))
CHANNEL = Reduction(
    "A user with the datum x sends the message z with the density q(z|x). This density is at most e^eps times its "
    "infimum over x. With data from P_1 or P_2 the message has the density m_i(z), the average of q(z|x) over P_i. So "
    "|m_1(z) - m_2(z)| is at most the total variation TV of P_1 and P_2 times the difference between the largest and "
    "the smallest q(z|x). The largest and the smallest q(z|x) differ by at most (e^eps - 1) times the smallest, and "
    "both m_i(z) are at least the smallest. As log x <= x - 1, KL(m_1||m_2) is at most the integral of (m_1 - "
    "m_2)^2/m_2, and hence at most (e^eps - 1)^2 TV^2. The channel of a round may depend on the earlier messages, "
    "because the divergences of the rounds add up as in Lemma 14.",
    (),
)
GRID = (0.01, 0.1, 0.3, 0.5, 0.8, 0.99)
SHOWN = (0.1, 0.5, 1.0, 2.0, 4.0)


def randomised_responses() -> tuple[bool, Evidence]:
    """Randomised response to two Bernoulli variables: the divergence of the messages beside the bound."""
    p, q = np.meshgrid(GRID, GRID)
    rows, fits = [], True
    for eps in SHOWN:
        keep = np.exp(eps) / (1 + np.exp(eps))
        left, right = (keep * each + (1 - keep) * (1 - each) for each in (p, q))
        divergence = left * np.log(left / right) + (1 - left) * np.log((1 - left) / (1 - right))
        bound = (np.expm1(eps) * np.abs(p - q)) ** 2
        fits &= bool((divergence <= bound + 1e-15).all())
        share = np.divide(divergence, bound, out=np.zeros_like(bound), where=p != q)
        worst = int(share.argmax())
        rows.append([eps, *(float(each.flat[worst]) for each in (p, q, bound, divergence, share))])
    columns = [
        nearest("eps"),
        nearest("mean"),
        nearest("other mean"),
        nearest("claimed bound"),
        nearest("divergence"),
        nearest("share of the bound, the largest"),
    ]
    return fits, table_item("Randomised response to Bernoulli data", columns, rows)


VARIATION = f"""tv a is any number that is at least the total variation of the laws of arm a, D a and D' a, such as
this distance itself. {HISTORIES} {ALGORITHM}"""
PINSKER = f"""kl a is any number that is at least KL of the laws of arm a, D a and D' a; an arm with infinite KL is left
out if the algorithm never pulls it, and makes the bound infinite otherwise. {HISTORIES} {ALGORITHM}"""

proves("lemma-15/sharp")(
    machine_checked(__file__, "lemma_15_sharp", VARIATION)(lemma_by_argument(CHANNEL, randomised_responses))
)
proves("lemma-15")(checked_step(__file__, "lemma_15", PINSKER))
CHI_SQUARE = Reduction(
    "The bound log x <= x - 1, used in both terms of the divergence p log(p/q) + (1-p) log((1-p)/(1-q)), gives the "
    "right side.",
    (
        equality_step(
            "p (p/q - 1) + (1-p) ((1-p)/(1-q) - 1) = (p - q)^2/(q (1 - q))",
            lambda m, p, q: p * (p / q - 1) + (1 - p) * ((1 - p) / (1 - q) - 1),
            lambda m, p, q: (p - q) ** 2 / (q * (1 - q)),
            "p",
            "q",
        ),
    ),
)

COINS = "coins_divergence p q is KL(Ber(p)||Ber(q)), for p and q strictly between 0 and 1."
proves("theorem-11/chi-square")(machine_checked(__file__, "chi_square", COINS)(lemma_by_argument(CHI_SQUARE)))

proves("theorem-11/letter")(NO_INSTANCE)

TWO_INSTANCES = f"""For every v in (0, 1], every gap = Delta in (0, 1/5) and every eps in (0, 1]. D is the instance
of the proof, D' the other one, in which arm 2 pays more often. {SMALL_REGRET} {FAMILY} {REGRET} {ALGORITHM}"""

proves("theorem-11/raised")(checked_step(__file__, "theorem_11_raised", TWO_INSTANCES))
proves("theorem-11")(checked_step(__file__, "theorem_11", TWO_INSTANCES))
