"""What a changed round does to the noisy p-sums: a Gaussian mechanism, from above, and for large eps from below."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, equality_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.reference.papers.shariff18 import formulas as f
from dpbandits.reference.papers.shariff18.page import page

proves = Proofs(page)

# What other chapters begin with: to where all p-sums are mu-GDP.
MATRICES = """The arm of a round is a function of its contexts and of the noisy p-sums that are complete. Suppose that
these p-sums are released to everybody. Then the arms of all rounds except the changed one are functions of the p-sums
and of unchanged contexts. So by the billboard lemma (Hsu, Huang, Roth, Roughgarden and Wu 2014), it is enough to bound
the privacy loss of the p-sums. Take two runs that differ in the contexts and rewards of round s, and in which the noisy
p-sums were the same so far. The pulls of the two runs are the same before and after round s. All rounds except s add
the same matrix v v' on both inputs. Round s adds v v' on one input and w w' on the other, with |v|^2, |w|^2 <= L^2. The
matrix D = v v' - w w' has the squared Frobenius norm |v|^4 + |w|^4 - 2 (v'w)^2 <= 2 L^4. Round s is in one p-sum of
each size, at most m. The noise of a p-sum is (Z + Z')/sqrt 2. The entries of this noise on and above the diagonal are
independent, with variance 2 sigma^2 on the diagonal and sigma^2 above it. So a p-sum that shifts by D is a Gaussian
mechanism, whatever was released before. The mechanism has mu^2 = sum_i D_ii^2/(2 sigma^2) + sum_{i < j} D_ij^2/sigma^2
= |D|^2/(2 sigma^2) <= L^4/sigma^2. By Corollary 3.3 of Dong, Roth and Su (2022), the squared parameters of at most m
such p-sums add up to m L^4/sigma^2 = (eps/(4 ln(4/delta)))^2."""
LARGE = """Let T = 2^(m-1), so that the first round is in m p-sums. Let the vector of features and reward of the first
round be v = (1, 0, ..., 0, 1) or w = (-1, 0, ..., 0, 1). Then v'w = 0, and D = v v' - w w' has the squared norm 2 L^4
with L^2 = 2. Given all other rounds, the p-sums are a Gaussian mechanism with mu = eps/(4 l) exactly, l = ln(4/delta).
At eps = 64 l^2, mu is 16 l, and the smallest delta is Phi(8 l - 4 l) - e^(64 l^2) Phi(-8 l - 4 l). This delta is at
least Phi(4 l) - e^(64 l^2 - 72 l^2)/2, which increases with l and is above 0.99 at l = ln 4."""
WHOLE = Reduction(
    " ".join(MATRICES.split()),
    (
        equality_step(
            "m L^4/sigma^2 = mu^2",
            lambda m, nodes, length, risk, eps: nodes * length**2 / f.noise_variance(m, nodes, length, risk, eps),
            lambda m, nodes, length, risk, eps: f.gaussian_privacy(m, risk, eps) ** 2,
            "nodes",
            "length",
            "risk",
            "eps",
        ),
    ),
)
TOO_LITTLE = Reduction(
    " ".join(LARGE.split()),
    (
        enclosure_step(
            "0.99 <= Phi(4 ln 4) - e^(-8 ln(4)^2)/2",
            lambda m: m.number("0.99"),
            lambda m: m.ncdf(4 * m.log(m.number(4))) - m.exp(-8 * m.log(m.number(4)) ** 2) / 2,
            {},
        ),
    ),
)

MODEL = f"""others_chance draws the noisy p-sums of all rounds in turn, the numbers on and below the diagonal, which (Z
+ Z')/sqrt 2 makes independent, of variance 2 sigma^2 on it and sigma^2 below; p_sum is the sum of the last 2^level
rounds, which this round completes. x n is what user n brings, contexts and rewards; arm is line 7 and vector the
pulled context with its reward, of size d + 1, any functions of x n and of all noisy p-sums of the rounds before, with
vectors of squared length L^2 = most or less. An event is about the arms of all rounds but s. {INTEGRALS}"""
SAYS = f"gaussian_delta(mu, e) for every e is mu-GDP. {MODEL}"

proves("calibration/gaussian")(machine_checked(__file__, "calibration_gaussian", SAYS)(lemma_by_argument(WHOLE)))
proves("calibration/large")(lemma_by_argument(TOO_LITTLE))
