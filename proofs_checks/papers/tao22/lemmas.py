"""Short proofs: the technical lemmas, their repaired forms, and single steps."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from dpbandits.proofs_checks.algebra.powers import equal_powers
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, Step, encloses, never_less
from dpbandits.proofs_checks.papers.tao22.arguments import argued
from dpbandits.reference.ledger import Basis, Real

POSITIVE = Real(0, inf)
SHARE = Real(0, 1, closed=True)

WORDS: Mapping[str, Reduction] = {
    "tao22/lemma-1": Reduction(
        "Neighbours differ in one entry, which lies in one of the disjoint data sets: all other mechanisms have "
        "the same "
        "law on both sides, so that the densities of their joint outputs have the ratio of that one mechanism.",
        (),
    ),
    "tao22/definition-3": Reduction(
        "The densities at y have the ratio exp(sum (|y_i - f_i(D')| - |y_i - f_i(D)|) eps/Delta), which is at most "
        "exp(eps ||f(D) - f(D')||_1/Delta) <= e^eps by the triangle inequality.",
        (),
    ),
    "tao22/lemma-5": Reduction(
        "2 int_{tb}^inf e^{-x/b}/(2b) dx = e^{-t} for t >= 0.",
        (),
    ),
    "tao22/lemma-10/1": Reduction(
        "x -> |x|^{1+v} is convex, so |a + b|^{1+v} <= 2^v (|a|^{1+v} + |b|^{1+v}) <= 2 (|a|^{1+v} + |b|^{1+v}) at the "
        "middle of 2a and 2b; with a = X, b = -mu, and |mu|^{1+v} <= E|X|^{1+v} by Jensen's inequality.",
        (),
    ),
    "tao22/lemma-10/2": Reduction(
        "As (1), with a = X - mu, b = mu: convexity alone.",
        (),
    ),
    "tao22/lemma-8/repaired": Reduction(
        "E e^{lambda X} = 1/(1 - lambda^2 b^2) for a Laplace variable of scale b. With r = log(2/beta)/n <= 1 and "
        "lambda b = sqrt(r/2), Chernoff's bound for n independent ones is P(|mean| > 2 sqrt(2) b sqrt(r)) <= "
        "2 e^{-n (2 r + log(1 - r/2))} <= 2 e^{-n r} = beta.",
        (
            encloses(
                "-log(1 - r/2) <= r for 0 <= r <= 1",
                lambda m, r: -m.log(1 - r / 2),
                lambda m, r: r,
                {"r": SHARE},
            ),
        ),
    ),
    "tao22/lemma-2/error/repaired": Reduction(
        "S-hat(t) - S(t) is a sum of m <= M independent Laplace variables of scales at most b = 2 B_t M/eps. By "
        "Chernoff's bound with lambda = 1/(b sqrt(2 m)) it exceeds x in size with probability at most 2 (1 - "
        "1/(2 m))^{-m} "
        "e^{-lambda x}, and (1 - 1/(2 m))^m >= 1/2 by Bernoulli's inequality: 4 e^{-lambda x} = delta at x = "
        "b sqrt(2 m) log(4/delta).",
        (
            Step(
                "b sqrt(2 M) = sqrt(2) (2 B_t/eps) M^1.5",
                lambda: equal_powers(
                    lambda m, B, M, eps: 2 * B * M / eps * m.sqrt(2 * M),
                    lambda m, B, M, eps: m.sqrt(m.number(2)) * 2 * B / eps * m.exp(m.number("3/2") * m.log(M)),
                    {"B": POSITIVE, "M": POSITIVE, "eps": POSITIVE},
                ),
                Basis.ALGEBRA,
            ),
        ),
    ),
    "tao22/lemma-11/eq-13/sum": Reduction(
        "x^{-q} falls, so i^{-q} is at most its integral from i - 1 to i; from 0 to n the integral is "
        "n^{1-q}/(1-q), and "
        "1 - v/(1+v) = 1/(1+v).",
        (),
    ),
    "tao22/lemma-12/sharp": Reduction(
        "Exchange the samples one by one: it is enough to bound the ratio for one coordinate, as the mechanism "
        "averaged "
        "over the others is eps-DP in it. Let D = (1-q) C + q A and D' = (1-q) C + q A' with q = d_TV, and let "
        "g0, g1, f1 "
        "be the probabilities of E when the sample comes from C, A', A; g0 = 1 by scaling. Then f1 <= e^eps "
        "min(1, g1), "
        "and P[E]/P'[E] = (1-q+q f1)/(1-q+q g1) is at most 1 + q (e^eps - 1): for g1 <= 1 by the first step, "
        "for g1 >= 1 "
        "by the second. D = 0, D' = 1 with chance q, and randomised response, swapped, attain it.",
        (
            never_less(
                "1 - q + q (1+e) g <= (1 + q e)(1 - q + q g) for g, q in [0, 1], e = e^eps - 1",
                lambda m, g, q, e: 1 - q + q * (1 + e) * g,
                lambda m, g, q, e: (1 + q * e) * (1 - q + q * g),
                {"g": SHARE, "q": SHARE, "e": POSITIVE},
            ),
            never_less(
                "1 - q + q (1+e) <= (1 + q e)(1 + q h) for q in [0, 1], g = 1 + h >= 1",
                lambda m, h, q, e: 1 - q + q * (1 + e),
                lambda m, h, q, e: (1 + q * e) * (1 + q * h),
                {"h": POSITIVE, "q": SHARE, "e": POSITIVE},
            ),
        ),
    ),
}
LEMMAS: Mapping[str, Lemma] = {name: argued(reduction) for name, reduction in WORDS.items()}
