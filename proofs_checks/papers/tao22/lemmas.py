"""Short proofs: the technical lemmas, their repaired forms, and single steps."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

import numpy as np

from dpbandits.proofs_checks.algebra.powers import equal_powers
from dpbandits.proofs_checks.judge.reductions import Lemma, Reduction, Step, encloses, never_less, same
from dpbandits.proofs_checks.papers.tao22.arguments import argued
from dpbandits.reference.ledger import Basis, Formula, Real
from dpbandits.reference.vocabulary import Number, Vocabulary

POSITIVE = Real(0, inf)
SHARE = Real(0, 1, closed=True)

# -- Lemma 3: the tree's noise at delta = 1/(2 t^4) ----------------------------------------------------------------


def ell(m: Vocabulary, y: Number) -> Number:
    """log(1/delta) = log(2 t^4), y = log t."""
    return m.log(m.number(2)) + 4 * y


def beyond(m: Vocabulary, y: Number) -> Number:
    """The noise bound in units of the largest scale: x = sqrt(log T) ell, at T = t."""
    return m.sqrt(y) * ell(m, y)


def tail_of(factor: Formula, words: str, first: int, last: float) -> Step:
    """log P(sum > x) <= -ell, where the tail is factor(x) e^{-x}, for log first <= log t <= log last."""
    low, high = float(np.nextafter(np.log(first), 0)), float(np.nextafter(np.log(last), inf))
    return encloses(
        words,
        lambda m, y: ell(m, y),
        lambda m, y: beyond(m, y) - m.log(factor(m, beyond(m, y))),
        {"y": Real(low, high, closed=True)},
    )


NOISE_OF_3 = (
    tail_of(lambda m, x: m.number("0.5"), "3 <= t <= 4, n <= 2: one p-sum, e^{-x}/2", 3, 4),
    tail_of(lambda m, x: (2 + x) / 4, "5 <= t <= 8, n <= 6: two, ((2 + x)/4) e^{-x}", 5, 8),
    tail_of(lambda m, x: (8 + 5 * x + x * x) / 16, "9 <= t <= 16, n <= 14: three, ((8 + 5 x + x^2)/16) e^{-x}", 9, 16),
    encloses(
        "17 <= t <= 32, n <= 30: four, by Chernoff's bound at 0.85, e^{-0.85 x} (1 - 0.85^2)^{-4}",
        ell,
        lambda m, y: m.number("0.85") * beyond(m, y) + 4 * m.log(m.number("0.2775")),
        {"y": Real(2.8332, 3.4658, closed=True)},
    ),
    encloses(
        "t >= 33: at most log2 t, by Chernoff's bound at 0.85, which in r = sqrt(log t) is (ell/r^2) (0.85 r - 1) >= "
        "-log(0.2775)/log 2, where ell/r^2 >= 4",
        lambda m, r: -m.log(m.number("0.2775")) / m.log(m.number(2)),
        lambda m, r: 4 * (m.number("0.85") * r - 1),
        {"r": Real(1.8698, inf, closed=True)},
    ),
)
LEMMA_3 = Reduction(
    "One side only: sampling error at most sqrt(2 B^{1-v} u ell/n) + B ell/(3 n) but with probability delta = "
    "1/(2 t^4), by Bernstein's inequality in its sub-gamma form (the moments of x 1_{|x| <= B_i} "
    "are at most those of the bound B_n); bias as in (13), with ell >= 1; and the noise of S-hat, which is a sum of "
    "independent Laplace variables, one for each binary digit 1 of n <= t - 2, of scales at most 2 B_n log T/eps: with "
    "smaller scales and fewer of them the tail is smaller (Anderson's lemma), and x = sqrt(log T) ell is smallest at T "
    "= t. So it is at most 2 B_n ell log^1.5 T/(eps n) but with probability delta. (13) to (16), repaired, add these "
    "up to 18 times the bound's unit.",
    NOISE_OF_3,
)

WORDS: Mapping[str, Reduction] = {
    "tao22/lemma-1": Reduction(
        "Neighbours differ in one entry, which lies in one of the disjoint data sets: all other mechanisms have the "
        "same law on both sides, so that the densities of their joint outputs have the ratio of that one mechanism.",
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
    "tao22/lemma-6": Reduction(
        "With E X = 0 and E X^k <= s M^{k-2} for k >= 2, and k! >= 2 3^{k-2}: E e^{lambda X} is at most 1 + (lambda^2 "
        "s/2) sum (lambda M/3)^{k-2}, which is at most exp(lambda^2 s/(2 (1 - lambda M/3))) for lambda < 3/M. "
        "Chernoff's bound at lambda = t/(s + M t/3) is the lemma: -lambda t + lambda^2 s/(2 (1 - lambda M/3)) = "
        "-(t^2/2)/(s + M t/3).",
        (
            same(
                "the exponent at this lambda",
                lambda m, t, s, M: (
                    t / (s + M * t / 3) * t - (t / (s + M * t / 3)) ** 2 * s / (2 * (1 - t / (s + M * t / 3) * M / 3))
                ),
                lambda m, t, s, M: t * t / 2 / (s + M * t / 3),
                "t",
                "s",
                "M",
            ),
        ),
    ),
    "tao22/lemma-6/sub-gamma": Reduction(
        "log E e^{lambda (X - E X)} <= E e^{lambda X} - 1 - lambda E X, as log y <= y - 1, and this is at most "
        "lambda^2 s/(2 (1 - lambda c)), c = M/3, as in Lemma 6. With q = sqrt(2 r/s), so that r = s q^2/2 and "
        "sqrt(2 s r) = s q, Chernoff's bound at lambda = q/(1 + c q), where 1 - lambda c = 1/(1 + c q), has the "
        "exponent -n r.",
        (
            same(
                "lambda (s q + c s q^2/2) - lambda^2 s (1 + c q)/2 = s q^2/2",
                lambda m, q, s, c: (
                    q / (1 + c * q) * (s * q + c * s * q * q / 2) - (q / (1 + c * q)) ** 2 * s * (1 + c * q) / 2
                ),
                lambda m, q, s, c: s * q * q / 2,
                "q",
                "s",
                "c",
            ),
        ),
    ),
    "tao22/lemma-9": Reduction(
        "A convex function lies above a line that it meets at E X: psi(x) >= psi(E X) + c (x - E X); take "
        "expectations.",
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
        "Chernoff's bound with lambda = 1/(b sqrt(2 m)) it exceeds x in size with probability at most 2 "
        "(1 - 1/(2 m))^{-m} e^{-lambda x}, and (1 - 1/(2 m))^m >= 1/2 by Bernoulli's inequality: 4 e^{-lambda x} = "
        "delta at x = b sqrt(2 m) log(4/delta).",
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
        "x^{-q} falls, so i^{-q} is at most its integral from i - 1 to i; from 0 to n the integral is n^{1-q}/(1-q), "
        "and 1 - v/(1+v) = 1/(1+v).",
        (),
    ),
    "tao22/lemma-12/sharp": Reduction(
        "Exchange the samples one by one: it is enough to bound the ratio for one coordinate, as the mechanism "
        "averaged over the others is eps-DP in it. Let D = (1-q) C + q A and D' = (1-q) C + q A' with q = d_TV, and "
        "let g0, g1, f1 be the probabilities of E when the sample comes from C, A', A; g0 = 1 by scaling. Then f1 <= "
        "e^eps min(1, g1), and P[E]/P'[E] = (1-q+q f1)/(1-q+q g1) is at most 1 + q (e^eps - 1): for g1 <= 1 by the "
        "first step, for g1 >= 1 by the second. D = 0, D' = 1 with chance q, and randomised response, swapped, attain "
        "it.",
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
LEMMAS: Mapping[str, Lemma] = {
    "tao22/lemma-3/small-eps": argued(LEMMA_3),
    **{name: argued(reduction) for name, reduction in WORDS.items()},
}
