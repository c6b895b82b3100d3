"""The argument, for several papers, that Gaussian differential privacy is (eps, delta(eps))-DP for every eps."""

from __future__ import annotations

from dpbandits.proofs_checks.formulas.reductions import Reduction

SAYS = """test is any set of tests that holds the opposite of each: all events, or all randomized tests. gdp is the
trade-off of the claim, dp is (eps, delta)-DP of the two laws in both orders, and gaussian_delta is delta(eps). Phi is
1/2 and the integral of the normal density from 0 on."""


def equivalence(thresholds: str, attained: str) -> Reduction:
    """thresholds, attained: the page's claims that delta(eps) bounds all thresholds, and is attained by one."""
    words = f"""Let a and b be the probabilities with which a test rejects under P and Q. Suppose that a <= Phi(t)
    implies b <= Phi(t + eta). Then b <= e^eps Phi(t) + delta(eps) by {thresholds}. Because t can be chosen so that
    Phi(t) is arbitrarily close to a, b <= e^eps a + delta(eps). The opposite test, which rejects with probabilities 1 -
    a and 1 - b, gives the bound with P and Q exchanged. Conversely, if t <= -eta/2, there is an eps whose best
    threshold ({attained}) is -t. For this eps, e^eps Phi(t) + delta(eps) = Phi(t + eta). For t > -eta/2, apply the same
    argument to the opposite test with P and Q exchanged."""
    return Reduction(" ".join(words.split()), ())
