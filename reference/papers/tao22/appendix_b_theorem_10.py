"""Appendix B: Theorem 10 and its proof, the lower bound for two arms."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import ALL_ALGORITHMS, ONE_INSTANCE, POSITIVE, SHARE, V

chapter = page.chapter("Appendix B: Theorems 10 and 5")
THEOREM_10_SAYS = source(
    "Theorem 10",
    "There exists a heavy-tailed two-armed bandit problem with arm 2 being sub-optimal, u <= 1 in (2), and Delta = "
    "mu_1 - mu_2 in (0, 1/5). Such that for any eps-DP algorithm A with expected regret at most T^{3/4} for "
    "sufficiently large number of rounds T, we have R_T >= Omega((log T/eps) (1/Delta)^{1/v}).",
)
FIFTH = Real(0, 0.2)  # Delta
TWO_ARMS = {"gap": FIFTH, "v": V}
THEOREM_10 = "Proof of Theorem 10"


def gamma_of(m: Vocabulary, gap: Number, v: Number) -> Number:
    """gamma = (5 Delta)^{1/v}."""
    return m.power(5 * gap, 1 / v)


def half(m: Vocabulary, gap: Number, v: Number) -> Number:
    """gamma^{1+v}/2, the probability that arm 1 pays."""
    return m.power(gamma_of(m, gap, v), 1 + v) / 2


def moment(m: Vocabulary, gap: Number, v: Number, probability: Number) -> Number:
    """E|X|^{1+v} where X = 1/gamma with this probability and else 0."""
    return probability / m.power(gamma_of(m, gap, v), 1 + v)


def powers(m: Vocabulary, gap: Number, v: Number) -> Number:
    """gamma^{1+v} = 5 Delta gamma, in which all probabilities are simple multiples of Delta gamma."""
    return 5 * gap * gamma_of(m, gap, v)


@chapter.identity(
    "theorem-10/gamma",
    source(
        THEOREM_10,
        "Let gamma = (5 Delta)^{1/v}. Consider the instance P-bar where the distribution of arm 1 is nu_1 = (1 - "
        "gamma^{1+v}/2) delta_0 + (gamma^{1+v}/2) delta_{1/gamma}",
    ),
    over=TWO_ARMS,
    expect=Verdict.PROVED,
    reading=Reading.OURS,
)
def theorem_10_gamma(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The formula is gamma^{1+v} = 5 Delta gamma. So the probabilities that arm 2 pays, under nu_2 and nu'_2, are (5/2
    - 1) Delta gamma and (5/2 + 1) Delta gamma."""
    return m.power(gamma_of(m, gap, v), 1 + v), powers(m, gap, v)


@chapter.identity(
    "theorem-10/mean-1",
    source(THEOREM_10, "It is easy to verify that E[nu_1] = (5/2) Delta, u(nu_1) = 1/2 < 1"),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_mean_1(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The mean is 1/gamma times the probability of the value 1/gamma."""
    return half(m, gap, v) / gamma_of(m, gap, v), 5 * gap / 2


@chapter.identity(
    "theorem-10/moment-1",
    source(THEOREM_10, "It is easy to verify that E[nu_1] = (5/2) Delta, u(nu_1) = 1/2 < 1"),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_moment_1(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The moment u is (1/gamma)^{1+v} times the probability of the value 1/gamma."""
    return moment(m, gap, v, half(m, gap, v)), m.number("0.5")


@chapter.identity(
    "theorem-10/mean-2",
    source(THEOREM_10, "and E[nu_2] = (3/2) Delta, u(nu_2) = 3/10 <= 1."),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_mean_2(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The mean is the value 1/gamma times its probability, where gamma^{1+v} = 5 Delta gamma."""
    gamma = gamma_of(m, gap, v)
    return (powers(m, gap, v) / 2 - gap * gamma) / gamma, 3 * gap / 2


@chapter.identity(
    "theorem-10/moment-2",
    source(THEOREM_10, "and E[nu_2] = (3/2) Delta, u(nu_2) = 3/10 <= 1."),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_moment_2(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The moment u is the probability of 1/gamma, divided by gamma^{1+v} = 5 Delta gamma."""
    gamma = gamma_of(m, gap, v)
    return (powers(m, gap, v) / 2 - gap * gamma) / powers(m, gap, v), m.number("0.3")


@chapter.identity(
    "theorem-10/mean-2/changed",
    source(THEOREM_10, "It is also easy to verify that E[nu'_2] = (7/2) Delta, u(nu'_2) = 7/10 <= 1."),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_mean_2_other(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The mean is 1/gamma times the probability of the value 1/gamma."""
    gamma = gamma_of(m, gap, v)
    return (powers(m, gap, v) / 2 + gap * gamma) / gamma, 7 * gap / 2


@chapter.identity(
    "theorem-10/moment-2/changed",
    source(THEOREM_10, "It is also easy to verify that E[nu'_2] = (7/2) Delta, u(nu'_2) = 7/10 <= 1."),
    over=TWO_ARMS,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_moment_2_other(m: Vocabulary, gap: Number, v: Number) -> Sides:
    """The moment u is (1/gamma)^{1+v} times the probability of the value 1/gamma."""
    gamma = gamma_of(m, gap, v)
    return (powers(m, gap, v) / 2 + gap * gamma) / powers(m, gap, v), m.number("0.7")


@chapter.inequality(
    "theorem-10/reasonable",
    source(
        THEOREM_10,
        "Note that since Delta in (0, 1/5), (gamma^{1+v}/2 + Delta gamma) < 1, hence the instance Q-bar is reasonable.",
    ),
    over={"x": SHARE, "v": V},
    strict=True,
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_reasonable(m: Vocabulary, x: Number, v: Number) -> Sides:
    """The formula is gamma^{1+v}/2 + Delta gamma < 1 with gamma = (5 Delta)^{1/v}, in terms of x = 5 Delta."""
    gamma = m.power(x, 1 / v)
    return m.power(gamma, 1 + v) / 2 + x / 5 * gamma, m.number(1)


COUPLED = source(
    THEOREM_10,
    "Formally, using the result of Lemma 12, for sufficiently large T such that T^0.13 > 4/Delta, we have "
    "P_{A,P-bar}(E) <= e^{6 eps t_2 d_TV(nu_2, nu'_2)} P_{A,Q-bar}(E) <= e^{6 eps t_2 2 Delta gamma} (2/(Delta "
    "T^{1/4})) <= e^{(12/100) log T} (2/Delta) T^{-1/4} = T^{-0.13} (2/Delta) < 1/2.",
)


@chapter.identity(
    "theorem-10/exponent",
    COUPLED,
    over={"gap": FIFTH, "v": V, "eps": POSITIVE, "T": Real(3, float("inf"))},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The total variation of nu_2 and nu'_2 is 2 Delta gamma, the difference of the two probabilities.",
)
def theorem_10_exponent(m: Vocabulary, gap: Number, v: Number, eps: Number, T: Number) -> Sides:
    """The formula is 6 eps t_2 2 Delta gamma = (12/100) log T, with t_2 = (log T/(100 eps 5^{1/v}))
    (1/Delta)^{(1+v)/v}."""
    t_2 = m.log(T) / (100 * eps * m.power(m.number(5), 1 / v)) * m.power(gap, -(1 + v) / v)
    return 6 * eps * t_2 * 2 * gap * gamma_of(m, gap, v), m.number("0.12") * m.log(T)


@chapter.identity(
    "theorem-10/rare",
    source(
        THEOREM_10,
        "Recall that R_T^A is at most T^{3/4}, then we can obtain that P_{A,Q-bar}(E) <= 2/(Delta T^{1/4}).",
    ),
    over={"gap": FIFTH, "T": POSITIVE},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
)
def theorem_10_rare(m: Vocabulary, gap: Number, T: Number) -> Sides:
    """The formula is the quotient of T^{3/4} and T Delta/2, because (T Delta/2) P(E) <= T^{3/4}."""
    return m.power(T, m.number("0.75")) / (T * gap / 2), 2 / (gap * m.power(T, m.number("0.25")))


@chapter.identity(
    "theorem-10/half",
    COUPLED,
    over={"gap": FIFTH},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So the probability is less than 1/2 if T^0.13 > 4/Delta.",
)
def theorem_10_half(m: Vocabulary, gap: Number) -> Sides:
    """The formula is the limiting case of the last inequality: T^{-0.13} (2/Delta) = 1/2 if T^0.13 = 4/Delta."""
    return 2 / gap / (4 / gap), m.number("0.5")


chapter.add(
    "theorem-10",
    THEOREM_10_SAYS,
    Consequence("R_T >= (log T/(200 5^{1/v} min(1, eps))) (1/Delta)^{1/v} on the instance of the proof"),
    scope="The claim is about eps-DP algorithms with any eps > 0 whose regret is at most T^{3/4} on both of the "
    "proof's instances. T is so large that T^0.13 > 4/Delta, T^{1/8} > 8/Delta and 2 t_2 <= T.",
    expect=Verdict.ARGUED,
    follows=(
        "tao22/theorem-10/mean-1",
        "tao22/theorem-10/mean-2",
        "tao22/theorem-10/mean-2/changed",
        "tao22/theorem-10/moment-1",
        "tao22/theorem-10/moment-2",
        "tao22/theorem-10/moment-2/changed",
        "tao22/theorem-10/reasonable",
        "tao22/theorem-10/rare",
        "tao22/theorem-10/exponent",
        "tao22/theorem-10/half",
        "tao22/lemma-12/sharp",
        "tao22/lemma-12/small-eps",
        "tao22/lemma-14",
        "tao22/theorem-11/chi-square",
        "tao22/theorem-11/divergence",
        "tao22/theorem-11/constant",
    ),
    by="Lemma 12 for eps <= 1 and a bound on the KL divergence for eps > 1",
    cites="the inequality of Bretagnolle and Huber",
    note="For eps <= 1, the argument is as follows. Let E be the event that arm 2 is pulled at most t_2 times. E "
    "depends only on the first t_2 rewards of arm 2 and on randomness that has the same law in both instances. So an "
    "eps-DP mechanism on t_2 samples decides E, and by Lemma 12, P(E) < 1/2 and E[N_2] >= t_2/2. For eps > 1, and for "
    "any algorithm, the inequality of Bretagnolle and Huber with Lemma 14 gives KL(nu_2||nu'_2) E[N_2] >= log(T^{1/4} "
    "Delta/8) >= log T/8. Here KL(nu_2||nu'_2) <= 4 5^{1/v} Delta^{(1+v)/v}. The paper's own proof works only up to "
    "eps = 2.9, like Lemma 12. (For regret at most T^a with another a < 1, as in the footnote, t_2 needs another "
    "constant in place of 100.)",
)

chapter.add(
    "theorem-10/letter",
    THEOREM_10_SAYS,
    Stated("there is one instance on which every eps-DP algorithm with regret at most T^{3/4} has the regret (20)"),
    scope=ALL_ALGORITHMS,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.QUANTIFIER,
    harm=Harm.NONE,
    same_error_as="tao22/theorem-5/letter",
    note=f"{ONE_INSTANCE}: `tao22/theorem-10`.",
    related=("tao22/theorem-10",),
)
