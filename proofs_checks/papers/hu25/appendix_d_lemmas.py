"""Lemma D.3: how likely a sub-optimal arm is pulled, compared with arm 1."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, checked_step
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

SAYS = f"""P is the law of round t given a history, theta a the score of arm a in this round, and one is arm 1. fresh
says whether T_1(t) holds, which the history decides: then the score of arm 1 is the sample, theta_{{1,n_1(t-1)}}. Two
events are independent by hypothesis: that the sample is at most z, and that all other scores are. Algorithm 1 draws
its samples independently, given the history. z is mu_i + 0.5 Delta_i, which is mu_1 - 0.5 Delta_i. p is P(sample > z),
which is positive by hypothesis, as it is for a normal sample. i_t is any arm with a largest score, whatever breaks
ties. {EXPECTATIONS}"""
proves("lemma-d.3")(checked_step(__file__, "lemma_d_3", SAYS))
