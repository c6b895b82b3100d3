"""Lemma D.3: how likely a sub-optimal arm is pulled, compared with arm 1."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, checked_step
from dpbandits.reference.papers.hu25.page import page

proves = Proofs(page)

SAYS = f"""P is the law of round t given a history, theta a the score of arm a in this round, and one is arm 1. fresh
says whether T_1(t) holds, which the history decides: then the score of arm 1 is the sample, theta_{{1,n_1(t-1)}}. Two
events are independent by hypothesis: that the sample is at most z, and that all other scores are. Algorithm 1 draws
its samples independently, given the history. z is mu_i + 0.5 Delta_i, which is mu_1 - 0.5 Delta_i. p is P(sample > z),
which is positive by hypothesis, as it is for a normal sample. i_t is any arm with a largest score, whatever breaks
ties. {EXPECTATIONS}"""
proves("lemma-d.3")(checked_step(__file__, "lemma_d_3", SAYS))

EPOCHS = """Before the first round, arm i was pulled once, and epoch 0 is this pull. After m pulls the mean is that
of the last full epoch: epoch s has 2^s pulls, and its mean is that of its own 2^s rewards. X 0, X 1, ... are the
rewards of arm i in the order of its pulls. omega t indicates that arm i is pulled in round t and that the event of the
lemma fails. n_i(t-1) >= L_i is not required, so the bound holds for every L_i, printed or repaired. rounds is T - K
or any other number up to T, and the constant of O(1/Delta_i^2) is e. That the events are measurable is a
hypothesis."""
D_1_SAYS = f"""{EPOCHS} Delta_i is in (0, 1], and alpha in [0, 1]. draws s h are the samples around the mean of epoch s,
at most phi; the score theta t is one of them, such as a fresh one or the largest, or 0, with which the maximum begins.
A sample exceeds its mean by more than far standard deviations with probability Phi(-far): this alone is used of normal
samples. {EXPECTATIONS}"""
D_2_SAYS = f"""{EPOCHS} The rewards of an epoch are independent, in [0, 1] and with the mean mu. {EXPECTATIONS}
{INDEPENDENCE}"""
proves("lemma-d.1")(checked_step(__file__, "lemma_d_1", D_1_SAYS))
proves("lemma-d.2")(checked_step(__file__, "lemma_d_2", D_2_SAYS))
