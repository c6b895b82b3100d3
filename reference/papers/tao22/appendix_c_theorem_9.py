"""Appendix C: Theorem 9 and its proof, a lower bound for the worst instance."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, ONE_INSTANCE, POSITIVE, V

chapter = page.chapter("Appendix C: Theorems 11, 8 and 9")
THEOREM_9 = source(
    "Theorem 9 (LDP Instance-independent Lower Bound)",
    "There exists a heavy-tailed K-armed bandit instance with the (1+v)-th bounded moment of each reward distribution "
    "is bounded by 1. Moreover, if T is large enough, for any the eps-LDP algorithm A with eps in (0, 1], the "
    "expected regret must satisfy R_T >= Omega((K/eps^2)^{v/(1+v)} T^{1/(1+v)}).",
    statement="Theorem 9",
)
TAKING = source(
    "Proof of Theorem 9",
    "Taking Delta = (K/(T eps^2))^{v/(1+v)}, we get the result E[R^A_{T,P-bar_1}] >= Omega(T^{1/(1+v)} "
    "(K/eps^2)^{v/(1+v)}).",
)
CHOICE = {"K": POSITIVE, "T": POSITIVE, "eps": POSITIVE, "v": V}


def chosen(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Number:
    """Delta = (K/(T eps^2))^{v/(1+v)}."""
    return m.power(K / (T * eps * eps), v / (1 + v))


@chapter.identity(
    "theorem-9/exponent",
    TAKING,
    over=CHOICE,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the exponent in the proof's bound is a constant times K/(K-1).",
)
def theorem_9_exponent(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Sides:
    """The claim is that with this Delta, eps^2 T Delta^{(1+v)/v} = K in the exponent of the bound."""
    return eps * eps * T * m.power(chosen(m, K, T, eps, v), (1 + v) / v), K


@chapter.identity(
    "theorem-9/rate",
    TAKING,
    over=CHOICE,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The proof bounds the sum of the regrets on P_1 and P_i, and so the larger of the two regrets. The paper "
    "prints P_1 only.",
)
def theorem_9_rate(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Sides:
    """The bound is a constant multiple of T Delta, and T Delta = T^{1/(1+v)} (K/eps^2)^{v/(1+v)}."""
    right = m.power(T, 1 / (1 + v)) * m.power(K / (eps * eps), v / (1 + v))
    return T * chosen(m, K, T, eps, v), right


@chapter.identity(
    "theorem-9/raised/exponent",
    TAKING,
    over=CHOICE,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def theorem_9_raised_exponent(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Sides:
    """With the larger Delta = (K/(T eps^2))^{v/(2(1+v))}, eps^2 T Delta^{2(1+v)/v} = K."""
    gap = m.power(K / (T * eps * eps), v / (2 * (1 + v)))
    return eps * eps * T * m.power(gap, 2 * (1 + v) / v), K


@chapter.identity(
    "theorem-9/raised/rate",
    TAKING,
    over=CHOICE,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
)
def theorem_9_raised_rate(m: Vocabulary, K: Number, T: Number, eps: Number, v: Number) -> Sides:
    """The formula is T Delta = (K/eps^2)^q T^{1-q} with q = v/(2(1+v)), for the larger Delta = (K/(T eps^2))^q."""
    q = v / (2 * (1 + v))
    return T * m.power(K / (T * eps * eps), q), m.power(K / (eps * eps), q) * m.power(T, 1 - q)


chapter.add(
    "theorem-9/raised",
    THEOREM_9,
    Consequence(
        "for every eps-LDP algorithm and every T > 25^{(1+v)/v} K/eps^2 there is an instance with R_T >= c "
        "(K/eps^2)^q T^{1-q}"
    ),
    scope="The claim is for eps in (0, 1], with q = v/(2(1+v)) and c = e^{-32 25^{1/v}}/8.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=(
        "tao22/lemma-15/sharp",
        "tao22/theorem-10/mean-1",
        "tao22/theorem-10/mean-2",
        "tao22/theorem-10/mean-2/changed",
        "tao22/theorem-10/moment-2/changed",
        "tao22/theorem-11/total-variation",
        "tao22/theorem-11/eq-28/repaired",
        "tao22/theorem-9/raised/exponent",
        "tao22/theorem-9/raised/rate",
    ),
    by="a bound on the KL divergence of the two runs",
    cites="the inequality of Bretagnolle and Huber",
    note="The argument is that of Theorem 9 with the sharper Lemma 15. Some arm i is pulled at most T/(K-1) times in "
    "expectation. The sum of both regrets is at least (T Delta/4) e^{-KL}, where KL <= 4 eps^2 (T/(K-1)) 4 25^{1/v} "
    "Delta^{2(1+v)/v} = 16 25^{1/v} K/(K-1). At v = 1 the bound is of order T^{3/4} in place of T^{1/2}. Algorithm 4 "
    "has this order up to logarithms, by `tao22/lemma-13/repaired` and two groups of arms as in Theorem 4.",
    related=("tao22/lemma-13/repaired",),
)

chapter.add(
    "theorem-9",
    THEOREM_9,
    Consequence(
        "for every eps-LDP algorithm and large T there is an instance with R_T >= Omega((K/eps^2)^{v/(1+v)} "
        "T^{1/(1+v)})"
    ),
    scope="The instance depends on the algorithm and on T, as in the proof. The constant may depend on v.",
    expect=Verdict.ARGUED,
    follows=("tao22/theorem-9/raised",),
    by="because (K/(T eps^2))^{v/(2(1+v))} >= (K/(T eps^2))^{v/(1+v)} for large T",
)

chapter.add(
    "theorem-9/letter",
    THEOREM_9,
    Stated("there is one instance on which every eps-LDP algorithm has regret of this order, for large T"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: `tao22/theorem-9`.",
    related=("tao22/theorem-9",),
)
