"""Appendix J: the error probability of DP-BAI-Gauss, Lemmas J.1 to J.3."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.appendix_g_theorem_4_2 import last_indices
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix J")
LEMMA_J_1 = page.source(
    "Lemma J.1, (114)",
    "<= 2 exp(-(Delta_j^2/16) ceil(T'/(M (d_Q^2 ∧ s_p)))) + 2 exp(-(eps^2 Delta_j^2/(32 log(1.25/delta))) ceil(T'/(M "
    "(d_Q^2 ∧ s_p)))^2)",
    statement="Lemma J.1",
)
LEMMA_J_2 = page.source(
    "Lemma J.2",
    "<= 2 lambda (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(g_0)}^2) + exp(-(ceil(T'/(M (d_Q^2 ∧ s_p))) "
    "Delta_{(g_0)} eps)^2/(32 log(1.25/delta))))",
)
EQ_128 = page.source(
    "Eqs. (128), third line; (127), second line",
    "<= sum_{i in {s_{p+2}+1 : p in {M_1+1, ..., M}}} 6 (exp(-(T'/(64 M i)) Delta_{(i)}^2) + exp(-((T' eps "
    "Delta_{(i)})/(64 M i sqrt(log(1.25/delta))))^2))",
)
WANTED = 12  # pulls; for fewer of them (114) says nothing
SPLIT = "Each of d = d_Q >= 2 arms is pulled ceil(T'/(M d)) >= n = d (c - 1) + 1 times. "

chapter.add(
    "lemma-j.1",
    LEMMA_J_1,
    Stated("(114) holds for every Q and every j"),
    scope="The claim is for every d_Q >= 1 and every T'. For d_Q = sqrt(s_p) the claim covers both rules, pulling "
    "all arms and pulling a Max-Det collection.",
    expect=Verdict.ARGUED,
    follows=(
        "chen24/lemma-g.1",
        "chen24/lemma-a.1",
        "chen24/lemma-j.1/after-117",
        "chen24/lemma-j.1/few-pulls",
        "chen24/lemma-j.1/rewards",
        "chen24/lemma-j.1/noise",
    ),
    note="Our proof assigns 3/8 of the gap to the error of the rewards and 5/8 to the noise. The paper's division "
    "leads to (123), which is false (`chen24/lemma-j.1/123`).",
    related=("chen24/lemma-j.1/123",),
)


@chapter.inequality(
    "lemma-j.1/few-pulls",
    LEMMA_J_1,
    over={"gap": Real(0, 1, closed=True), "c": Real(0, WANTED - 1, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So (114) holds trivially for c <= 11.",
)
def few_pulls(m: Vocabulary, gap: Number, c: Number) -> Sides:
    """Let c = ceil(T'/(M min(d_Q^2, s_p))) and gap = Delta_j. The claim is that for c <= 11, the first term of (114) is
    at least 1, that is, 1 <= 2 exp(-gap^2 c/16)."""
    return m.number(1), 2 * m.exp(-(gap**2) * c / 16)


@chapter.inequality(
    "lemma-j.1/rewards",
    LEMMA_J_1,
    over={"d": Whole(2), "c": Whole(WANTED)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note=SPLIT + "The right side is Hoeffding's exponent for weights of at most 2/n and a deviation of 3/8 of the gap.",
)
def split_rewards(m: Vocabulary, d: Number, c: Number) -> Sides:
    """The formula is c/16 <= (3/8)^2 n/(2 d), multiplied by 128 d. Here d = d_Q, c = ceil(T'/(M d^2)) and n = d (c - 1)
    + 1."""
    return 8 * d * c, 9 * (d * (c - 1) + 1)


@chapter.inequality(
    "lemma-j.1/noise",
    LEMMA_J_1,
    over={"d": Whole(2), "c": Whole(WANTED)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note=SPLIT + "The right side is the Gaussian exponent for a variance of at most 8 d log(1.25/delta)/(eps n)^2 "
    "and a deviation of 5/8 of the gap.",
)
def split_noise(m: Vocabulary, d: Number, c: Number) -> Sides:
    """The formula is c^2/32 <= (5/8)^2 n^2/(16 d), multiplied by 1024 d. Here d = d_Q, c = ceil(T'/(M d^2)) and n = d
    (c - 1) + 1."""
    return 32 * d * c * c, 25 * (d * (c - 1) + 1) ** 2


@chapter.inequality(
    "lemma-j.1/after-117",
    page.source(
        "Lemma J.1, after (117)",
        "<= exp(-(Delta_j eps ceil(T'/(M |Q|)))^2/(32 log(1.25/delta)))",
        statement="Lemma J.1",
    ),
    over={"z": Real(0, inf, closed=True)},
    formula_only=True,
    expect=Verdict.ARGUED,
    note="Here z is half the gap, divided by the standard deviation of the difference, whose variance is 4 "
    "log(1.25/delta)/(eps n)^2.",
)
def after_117(m: Vocabulary, z: Number) -> Sides:
    """The formula states that the standard normal tail beyond z is at most exp(-z^2/2), where z^2/2 is the printed
    exponent (Delta_j eps n)^2/(32 log(1.25/delta)), n = ceil(T'/(M |Q|))."""
    return m.ncdf(-z), m.exp(-z * z / 2)


@chapter.inequality(
    "lemma-j.1/123",
    page.source(
        "Lemma J.1, (123), first line",
        "<= exp(-(Delta_j eps ceil(T'/(M d_Q)))^2/(32 d_Q log(1.25/delta)))",
        statement="Lemma J.1",
    ),
    over={"z": Real(0, inf, closed=True)},
    expect=Verdict.REFUTED,
    fault=Fault.CONSTANT,
    harm=Harm.PROOF,
    note="The constant 32 d_Q should be 64 d_Q, which gives exp(-z^2/2).\n"
    "The next step still works with an exponent smaller by a factor of d_Q, so the paper's proof works for d_Q "
    ">= 3 and large T'. The lemma holds in all cases (`chen24/lemma-j.1`).",
    related=("chen24/lemma-j.1",),
)
def eq_123(m: Vocabulary, z: Number) -> Sides:
    """The claim is that the standard normal tail beyond z is at most exp(-z^2), the printed exp(-(Delta_j eps n)^2/(32
    d_Q log(1.25/delta))). Here z is Delta_j/4 divided by the standard deviation of the noise. This standard deviation
    is at most sqrt(2 d_Q log(1.25/delta))/(eps n), with equality if all |alpha| = 1."""
    return m.ncdf(-z), m.exp(-z * z)


@chapter.inequality(
    "lemma-j.1/sign",
    page.source(
        "Lemma J.1, after (123)",
        "<= exp((Delta_j eps ceil(T'/(M d_Q^2)))^2/(32 log(1.25/delta)))",
        statement="Lemma J.1",
    ),
    over={"x": Real(0, inf)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The bound of G_4 and the last line of Case 2 lack the minus sign of (123), so these two bounds hold "
    "trivially. The lines after them have the minus sign.",
)
def lemma_j_1_sign(m: Vocabulary, x: Number) -> Sides:
    """The claim is the step after Case 2, which as printed is exp(x) <= exp(-x) with x = (Delta_j eps n)^2/(32
    log(1.25/delta))."""
    return m.exp(x), m.exp(-x)


chapter.add(
    "lemma-j.2/printed",
    LEMMA_J_2,
    Stated("Lemma J.2 holds for p = M_1 and all T' that are large enough for the instance"),
    scope="The claim is for the printed indices and (K, d) = (10, 4), (20, 4), (30, 5). On the following instances the "
    "lemma fails for all large T'. The privacy parameters are eps = 1 and delta = 1/100, the features are in general "
    "position, and Q is a set that earlier phases can leave. There are ceil(g_0/2) arms that pay 1/2, a best arm that "
    "pays 1 with probability 65/128, and other arms that pay 0.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    same_error_as="chen24/lemma-g.3/printed",
    note="As in Lemma G.3 (`chen24/lemma-g.3/printed`), the phase keeps fewer than g_0 arms, so gaps smaller than "
    "Delta_(g_0) matter.\n"
    "The paper means s_(M_1+1) = g_0, and with this index the lemma holds (`chen24/lemma-j.2/repaired`).\n"
    "Proposition D.3 has another proof (`chen24/proposition-d.3/explicit`).",
    related=("chen24/lemma-j.2/repaired", "chen24/proposition-d.3/explicit"),
)
chapter.add(
    "lemma-j.2/repaired",
    LEMMA_J_2,
    Consequence("Lemma J.2 holds for every p in [M_1] and sufficiently large T'"),
    scope="The claim is for the repaired indices. For d = 2, g_0 = 1 and Delta_(1) = 0, so the bound is 4 lambda.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-j.1", "chen24/lemma-g.3/e", "chen24/eq-4-8/repaired"),
    by="Markov's inequality",
    note="The proof uses two facts. With the repaired indices, s_p - g_0 + 1 = h_{p-1} + 1 for all p <= M_1 + 1. At "
    "most g_0 - 2 arms besides the best one are outside Q_sub.",
)
chapter.add(
    "lemma-j.3",
    page.source(
        "Lemma J.3, (125)",
        "<= 6 (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(s_{p+2}+1)}^2) + exp(-(Delta_{(s_{p+2}+1)} eps "
        "ceil(T'/(M (d_Q^2 ∧ s_p))))^2/(32 log(1.25/delta))))",
        statement="Lemma J.3",
    ),
    Consequence("given its active arms Q, the best arm is eliminated in phase p with probability at most (125)"),
    scope="The claim is for p > M_1. The paper's proof begins with 'p in [M_1]', which is a misprint.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-j.1", "chen24/lemma-g.4/d"),
    by="Markov's inequality for the number of arms estimated above the best one",
)


@chapter.inequality(
    "eq-127",
    page.source(
        "Eq. (127), second line",
        "<= 2 M_1 lambda (exp(-T'/(64 M H_BAI)) + exp(-(T'/(64 M H_pri sqrt(log(1.25/delta))))^2))",
    ),
    over={"x": Real(0, inf), "H_BAI": Real(1, inf), "H_pri": Real(1, inf)},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    same_error_as="chen24/eq-74",
    note="For d = 2 the index is ceil(d^2/4) = 1, and Delta_(1) = 0 is the best arm's own gap, as in (74) "
    "(`chen24/eq-74`).\n"
    "The proposition has another proof (`chen24/proposition-d.3/explicit`).",
    related=("chen24/proposition-d.3/explicit",),
)
def eq_127(m: Vocabulary, x: Number, H_BAI: Number, H_pri: Number) -> Sides:
    """The formula is e^0 + e^0 <= exp(-x/(64 H_BAI)) + exp(-(x/(64 H_pri))^2), for d = 2 and without the factor 2 M_1
    lambda. Here x = T'/M, and H_pri stands for H_pri sqrt(log(1.25/delta))."""
    return m.number(2), m.exp(-x / (64 * H_BAI)) + m.exp(-((x / (64 * H_pri)) ** 2))


@chapter.inequality(
    "eq-128",
    EQ_128,
    over={"i": Whole(2), "z": Real(0, inf)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="The constant 64^2 = 4096 could be 512.",
)
def eq_128(m: Vocabulary, i: Number, z: Number) -> Sides:
    """The claim is that the exponent (z/(64 i))^2 of this line is at most the exponent (z/(4 i))^2/32 of the preceding
    line, with z = T' eps Delta_(i)/(M sqrt(log(1.25/delta)))."""
    return (z / (64 * i)) ** 2, (z / (4 * i)) ** 2 / 32


@chapter.inequality(
    "eq-128/indices",
    EQ_128,
    over={},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    same_error_as="chen24/eq-75/indices",
    note="The error is that of (75) (`chen24/eq-75/indices`): for M - M_1 >= 2, the sum over p contains the index 2 "
    "twice, but the sum over the set of all s_{p+2} + 1 contains it once.\n"
    "If eps is so large that the noise terms vanish, the printed '<=' reads 2 x <= x. The next line counts all M - "
    "M_1 summands.",
)
def eq_128_indices(m: Vocabulary) -> Sides:
    """The claim is that the last two summands, p = M - 1 and p = M, have different indices. The formula is s_{M+2} + 1
    < s_{M+1} + 1, where s_{M+1} = 1 and s_{M+2} = ceil(s_{M+1}/2)."""
    return last_indices(m)
