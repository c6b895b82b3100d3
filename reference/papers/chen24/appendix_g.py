"""Lemmas A.3 and A.4 as they are used, and Lemmas G.2 to G.4 with the proof of Theorem 4.2, step by step."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Appendix G")
LEMMA_A_1 = page.source(
    "Lemma A.1, (25), (26)",
    "Then, for all epsilon > 0, P(S_n - E[S_n] >= epsilon) <= exp(-2 epsilon^2/(sum_{i=1}^n (b_i - a_i)^2))",
)
LEMMA_A_3 = page.source(
    "Lemma A.3",
    "the random variable sum_{i=1}^n a_i X_i is (tau^2, b)-sub-exponential, where tau^2 = sum_{i=1}^n a_i^2 tau_i^2 "
    "and b = max_i b_i |a_i|",
)
LEMMA_A_4 = page.source(
    "Lemma A.4, (28)",
    "P(X - E[X] >= epsilon) <= exp(-epsilon^2/(2 tau^2)) [for] 0 <= epsilon <= tau^2/b, exp(-epsilon/(2 b)) [for] "
    "epsilon > tau^2/b",
)
EQ_55 = page.source(
    "Lemma G.2, (55)",
    "<= 2 exp(-(Delta_j^2/16) ceil(T'/(M (d_Q^2 ∧ s_p)))) + 2 exp(-(eps Delta_j/16) ceil(T'/(M (d_Q^2 ∧ s_p)))) for "
    "all T' sufficiently large",
)
LEMMA_G_3 = page.source(
    "Lemma G.3, (69)",
    "it holds when T' is sufficiently large [...] <= 2 lambda (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) "
    "Delta_{(g_0)}^2) + exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(g_0)} eps))",
)
LEMMA_G_4 = page.source(
    "Lemma G.4, (71)",
    "<= 6 (exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_{(s_{p+2}+1)}^2) + exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
    "Delta_{(s_{p+2}+1)}))",
)
EQ_74 = page.source(
    "(74), second line",
    "<= 2 M_1 lambda (exp(-T'/(64 M H_BAI)) + exp(-T'/(64 M H_pri))) <= 4 M_1 lambda exp(-T'/(64 M H))",
)
EQ_75 = page.source(
    "(75), third and fourth line",
    "<= sum_{p=M_1+1}^M 6 (exp(-(T'/(16 M (4 s_{p+2} + 4))) Delta_{(s_{p+2}+1)}^2) + ...) = sum_{i in {s_{p+2}+1 : p "
    "in {M_1+1, ..., M}}} 6 (exp(-(T'/(64 M i)) Delta_{(i)}^2) + ...)",
)
POSITIVE = Real(0, inf)


@chapter.inequality(
    "lemma-a.1/variance",
    LEMMA_A_1,
    over={"q": Real(0, 1, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The second derivative of log E exp(s X), X in [0, 1], is the variance of a variable in [0, 1], at most q (1 "
    "- q) with its mean q. So log E exp(s (X - E X)) <= s^2/8: Hoeffding's lemma.",
)
def lemma_a_1_variance(m: Vocabulary, q: Number) -> Sides:
    """As a formula: q (1 - q) <= 1/4."""
    return q * (1 - q), m.number(1) / 4


@chapter.identity(
    "lemma-a.1/exponent",
    LEMMA_A_1,
    over={"x": POSITIVE, "ranges": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="ranges: sum of (b_i - a_i)^2.",
)
def lemma_a_1_exponent(m: Vocabulary, x: Number, ranges: Number) -> Sides:
    """As a formula: the exponent s^2 ranges/8 - s x at s = 4 x/ranges is the printed one."""
    s = 4 * x / ranges
    return s * s * ranges / 8 - s * x, -2 * x * x / ranges


chapter.add(
    "lemma-a.1",
    LEMMA_A_1,
    Stated("(25), and (26), for independent random variables in [a_i, b_i]"),
    scope="For every n, all ranges and epsilon > 0.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.1/variance", "chen24/lemma-a.1/exponent"),
)


@chapter.inequality(
    "lemma-a.3/share",
    LEMMA_A_3,
    over={"share": Real(0, 1), "b": POSITIVE, "a": POSITIVE, "more": Real(0, inf, closed=True)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="share = |lambda| max_i b_i |a_i| < 1, max = b |a| + more: each factor's own condition |lambda a_i| < 1/b_i.",
)
def lemma_a_3_share(m: Vocabulary, share: Number, b: Number, a: Number, more: Number) -> Sides:
    """As a formula: |lambda a| b <= 1."""
    return share / (b * a + more) * a * b, m.number(1)


chapter.add(
    "lemma-a.3",
    LEMMA_A_3,
    Stated("linear combinations of independent, zero-mean sub-exponential random variables are sub-exponential"),
    scope="With the parameters of the lemma, in the sense of Definition A.2.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.3/share",),
)


@chapter.identity(
    "lemma-a.4/small",
    LEMMA_A_4,
    over={"x": POSITIVE, "tau": POSITIVE},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="lambda = x/tau^2 < 1/b where x < tau^2/b; at the end, by continuity.",
)
def lemma_a_4_small(m: Vocabulary, x: Number, tau: Number) -> Sides:
    """As a formula: lambda^2 tau^2/2 - lambda x there is -x^2/(2 tau^2)."""
    at = x / tau**2
    return at * at * tau**2 / 2 - at * x, -x * x / (2 * tau**2)


@chapter.inequality(
    "lemma-a.4/large",
    LEMMA_A_4,
    over={"x": POSITIVE, "b": POSITIVE, "share": Real(0, 1)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="tau^2 = share b x: x > tau^2/b. lambda tends to 1/b. Times 2 b/x.",
)
def lemma_a_4_large(m: Vocabulary, x: Number, b: Number, share: Number) -> Sides:
    """As a formula: tau^2/(2 b^2) - x/b <= -x/(2 b)."""
    return share * b * x / b**2 * b / x - 2, -m.number(1)


chapter.add(
    "lemma-a.4",
    LEMMA_A_4,
    Stated("(28) for every sub-exponential random variable"),
    scope="In the sense of Definition A.2, by which its mean is 0: (27) near lambda = 0, on both sides.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-a.4/small", "chen24/lemma-a.4/large"),
)


@chapter.inequality(
    "lemma-g.2/sub-exponential",
    page.source(
        "Lemma G.2, after (58)",
        "are (tau^2, b) sub-exponential, where tau = b = 2/(ceil(T'/(M |Q|)) eps)",
    ),
    over={"u": Real(0, 0.25, closed=True)},
    expect=Verdict.PROVED,
    note="u = (lambda b)^2 for a Laplace variable of scale b, whose moment generating function is 1/(1 - u); |lambda| "
    "< 1/(2b) is u < 1/4. So tau = b' = 2b are parameters in the sense of Definition A.2.",
)
def sub_exponential(m: Vocabulary, u: Number) -> Sides:
    """As a formula: 1/(1 - u) <= exp(2 u), which is exp(lambda^2 tau^2/2) with tau = 2b, on the range of Definition
    A.2."""
    return m.exp(-2 * u), 1 - u


@chapter.inequality(
    "lemma-g.2/57",
    page.source("Lemma G.2, (57)", "= exp(-(1/4) ceil(T'/(M |Q|)) Delta_j^2)"),
    over={"n": Whole(1), "gap": Real(0, 1)},
    expect=Verdict.PROVED,
    note="Lemma A.1 (lemma-a.1) for 2n rewards of range 1 and a deviation of n gap/2.",
)
def eq_57(m: Vocabulary, n: Number, gap: Number) -> Sides:
    """As a formula: the exponent of (57), with Lemma A.1's on the right."""
    return n * gap**2 / 4, 2 * (n * gap / 2) ** 2 / (2 * n)


@chapter.identity(
    "lemma-g.2/summands",
    page.source(
        "Lemma G.2, before (57); Lemma J.1, before (116)",
        "<= P(sum_{s=N_{j,T_p}}^{N_{j,T_p} + ceil(T'/(M |Q|))} [...] >= (Delta_j/2) ceil(T'/(M |Q|)) [...])",
    ),
    over={"n": Whole(1)},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="And these are rewards of phase p + 1. The sums of (64), from N_(T_(p-1)) + 1 on, are right.",
)
def summands(m: Vocabulary, n: Number) -> Sides:
    """To the letter, the sums for s = N_{T_p} to N_{T_p} + n have as many terms as the phase has pulls, n."""
    return n + 1, n


@chapter.inequality(
    "lemma-g.2/59",
    page.source("Lemma G.2, (59)", "= exp(-ceil(T'/(M |Q|)) eps Delta_j/8)"),
    over={"u": POSITIVE},
    expect=Verdict.PROVED,
    note="Exactly, and for every T': the tail of a difference of two Laplace variables at u scales is e^{-u} (2 + "
    "u)/4. u = n eps gap/2; the printed bound is e^{-u/4}.",
)
def eq_59(m: Vocabulary, u: Number) -> Sides:
    """As a formula: (59) times e^u, with the exact tail on the left; T' need not be large."""
    return (2 + u) / 4, m.exp(3 * u / 4)


@chapter.inequality(
    "lemma-g.2/55/rewards",
    EQ_55,
    over={"gap": Real(0, 1), "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="y = T'/(M D) = 1 + more, D = min(d_Q^2, s_p): theorem-4.2/pair's first term is at most (55)'s.",
)
def eq_55_rewards(m: Vocabulary, gap: Number, more: Number) -> Sides:
    """As a formula: gap^2 ceil(y)/16 <= gap^2 y/8, with ceil(y) <= y + 1."""
    return gap**2 * (2 + more) / 16, gap**2 * (1 + more) / 8


@chapter.inequality(
    "lemma-g.2/55/noise",
    EQ_55,
    over={"step": POSITIVE, "front": POSITIVE, "more": Real(0, inf, closed=True)},
    expect=Verdict.PROVED,
    note="step = eps gap/16, front = d^2 log(4/3); y = 1 + front/step + more is 'sufficiently large': "
    "theorem-4.2/pair's second term is at most (55)'s.",
)
def eq_55_noise(m: Vocabulary, step: Number, front: Number, more: Number) -> Sides:
    """As a formula: step ceil(y) + front <= 2 step y, with ceil(y) <= y + 1."""
    return step * (2 + more) + 2 * front, 2 * step * (1 + more) + 2 * front


chapter.add(
    "lemma-g.2",
    EQ_55,
    Consequence("both terms of the pairwise bound are at most (55)'s, once T' is large"),
    scope="For every d_Q, the case d_Q = sqrt(s_p) included, which Case 2 counts as Max-Det and the algorithm does "
    "not.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/pair", "chen24/lemma-g.2/55/rewards", "chen24/lemma-g.2/55/noise"),
    by="adding them",
)
chapter.add(
    "lemma-g.4",
    LEMMA_G_4,
    Consequence("expected numbers of arms that beat the best one, Markov's inequality, and (d)"),
    scope="For p > M_1, d_Q^2 where (71) has a d: every reading.",
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.4/d"),
    by="Markov's inequality",
    note="min over Q_sub of the gaps is at least Delta_(s_{p+2}+1), as printed below (72).",
)


@chapter.inequality(
    "lemma-g.2/64",
    page.source("Lemma G.2, (64)", "<= exp(-(1/8) ceil(T'/(M d_Q^2) - 1) Delta_j^2)"),
    over={"y": POSITIVE, "d": Whole(1)},
    expect=Verdict.PROVED,
    note="y = T'/(M d). (64) drops from ceil(y)/d to ceil(y/d - 1).",
)
def eq_64(m: Vocabulary, y: Number, d: Number) -> Sides:
    """ceil(y/d - 1) <= ceil(y)/d."""
    return m.ceil(y / d - 1), m.ceil(y) / d


@chapter.inequality(
    "lemma-g.2/65",
    page.source(
        "Lemma G.2, (65), (67)",
        "by Lemma A.4, it holds that for T' sufficiently large [...] <= exp(-ceil(T'/(M d_Q)) eps Delta_j/16)",
    ),
    over={"n": Whole(1), "eps": POSITIVE, "gap": Real(0, 1), "alpha": Real(0, 1, closed=True)},
    expect=Verdict.PROVED,
    note="Lemma A.4 (lemma-a.4) at gap/4, with tau^2/b <= gap/4 for T' large: the exponent (gap/4)/(2 b), b = 2 "
    "alpha/(n eps), times alpha. alpha: the largest |alpha_{j, i}|, at most 1 by Lemma G.1; where it is 0 there is no "
    "noise.",
)
def eq_65(m: Vocabulary, n: Number, eps: Number, gap: Number, alpha: Number) -> Sides:
    """As a formula: n eps gap/16 is at most (gap/4)/(4 alpha/(n eps)), times alpha."""
    return alpha * n * eps * gap / 16, gap / 4 * n * eps / 4


@chapter.inequality(
    "lemma-g.2/last",
    page.source(
        "Lemma G.2, last line",
        "<= 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) Delta_j^2) + 2 exp(-(1/16) ceil(T'/(M (d_Q^2 ∧ s_p))) eps "
        "Delta_j)",
    ),
    over={"c": Whole(2)},
    expect=Verdict.PROVED,
    note="c = ceil(T'/(M (d^2 min s_p))); for c = 1 the left exponent is 0, so T' has to exceed M (d^2 min s_p).",
)
def lemma_g_2_last(m: Vocabulary, c: Number) -> Sides:
    """As a formula, for sufficiently large T': c/16 <= (c - 1)/8."""
    return c / 16, (c - 1) / 8


chapter.add(
    "lemma-g.3/last-phase",
    page.source(
        "Lemma G.3, (d)",
        "(d) <= (2 (h_p + 1)/(h_{p+1} + 1)) (...) [...] (d) is obtained from the definition in (7)",
    ),
    Stated("(d): s_{p+1} - g_0 + 1 = h_{p'} + 1 with a fitting index, for every p in [M_1]"),
    scope="At p = M_1, by (7), s_{M_1+1} = g_1: s_{p+1} - g_0 + 1 = ceil(g_0/2) - g_0 + 1, not positive for g_0 >= 2.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    same_error_as="chen24/lemma-g.3/printed",
    note="Markov's inequality divides by it. With the repaired indices s_{M_1+1} = g_0 and the step holds.",
)


chapter.add(
    "lemma-g.3/printed",
    LEMMA_G_3,
    Stated("(69) for p = M_1, once T' is large enough for the instance"),
    scope="Printed indices, (K, d) = (10, 4), (20, 4), (30, 5). Instances on which (69) fails for all large T': "
    "certain rewards, eps = 1, features in general position, ceil(g_0/2) arms with gaps of 1/128, the others of 1/2.",
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.STATEMENT,
    note="(69) speaks of Delta_(g_0) alone, and the phase keeps fewer than g_0 arms, so that smaller gaps decide. The "
    "best arm is out where its noise is below -1/128 and that of the arms behind it is not negative. Lemma J.2 has the "
    "same phase. Theorem 4.2 has another proof.",
)
chapter.add(
    "lemma-g.3/repaired",
    LEMMA_G_3,
    Consequence("s_p - g_0 + 1 = h_{p-1} + 1 for all p <= M_1 + 1, and at most g_0 - 2 other arms are outside Q_sub"),
    scope="Repaired indices, every p in [M_1]. For d = 2, where g_0 = 1 and Delta_(1) = 0, (69) says at most 4 lambda.",
    reading=Reading.REPAIRED,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.2", "chen24/lemma-g.3/e", "chen24/eq-4-8/repaired"),
    by="Markov's inequality",
)


@chapter.inequality(
    "lemma-g.3/e",
    page.source("Lemma G.3, (e)", "(e) is obtained from the definition in (6)"),
    over={"h": Whole(0), "ratio": Real(2, inf, closed=True)},
    expect=Verdict.PROVED,
    note="(h_{p-1} + 1)/(h_p + 1) <= lambda by (6).",
)
def lemma_g_3_e(m: Vocabulary, h: Number, ratio: Number) -> Sides:
    """h_p + 1 = ceil((h_{p-1} + 1)/lambda)."""
    return (h + 1) / ratio, m.ceil((h + 1) / ratio)


@chapter.inequality(
    "lemma-g.4/d",
    page.source("Lemma G.4, (d)", "(d) is obtained from the definition in (7)"),
    over={"s": Whole(2)},
    expect=Verdict.PROVED,
    note="By halving: s_{p+1} = ceil(s_p/2), s_{p+2} = ceil(s_{p+1}/2). 5.99 is passed at s = 1602 first: 6 is the "
    "limit.",
)
def lemma_g_4_d(m: Vocabulary, s: Number) -> Sides:
    """2 (s_p - s_{p+2}) <= 6 (s_{p+1} - s_{p+2} + 1)."""
    half = m.ceil(s / 2)
    quarter = m.ceil(half / 2)
    return 2 * (s - quarter), 6 * (half - quarter + 1)


@chapter.inequality(
    "eq-74",
    EQ_74,
    over={"x": Real(0, inf), "H_BAI": Real(1, inf), "H_pri": Real(1, inf)},
    expect=Verdict.REFUTED,
    fault=Fault.EDGE_CASE,
    harm=Harm.PROOF,
    note="For d = 2 the index is ceil(d^2/4) = 1, and Delta_(1) = 0 is the best arm's own gap: the left side is 2. The "
    "hardness terms (15) start with i = 2. Section 5's experiment has d = 2. A union bound over all arms in place of "
    "Lemma G.3 gives the theorem there, since M <= 2 and H >= 2/gap^2. x: T'/M.",
)
def eq_74(m: Vocabulary, x: Number, H_BAI: Number, H_pri: Number) -> Sides:
    """At d = 2, without the factor 2 M_1 lambda: e^0 + e^0 against exp(-T'/(64 M H_BAI)) + exp(-T'/(64 M H_pri))."""
    return m.number(2), m.exp(-x / (64 * H_BAI)) + m.exp(-x / (64 * H_pri))


@chapter.inequality(
    "eq-74/larger-d",
    EQ_74,
    over={"d": Whole(3)},
    expect=Verdict.PROVED,
    note="(1/16) ceil(T'/(M d^2)) Delta^2 >= T' Delta^2/(64 M i) with i = ceil(d^2/4) >= 3.",
)
def eq_74_larger_d(m: Vocabulary, d: Number) -> Sides:
    """d^2 <= 4 ceil(d^2/4), for d >= 3, where 2 <= ceil(d^2/4) <= d^2."""
    return d * d, 4 * m.ceil(d * d / 4)


@chapter.inequality(
    "eq-75",
    EQ_75,
    over={"s": Whole(2)},
    expect=Verdict.PROVED,
    note="More holds: s_p <= 4 s_{p+2}, so 4 s_{p+2} + 4 has room for the index s_{p+2} + 1.",
)
def eq_75(m: Vocabulary, s: Number) -> Sides:
    """s_p <= 4 s_{p+2} + 4, by halving."""
    return s, 4 * m.ceil(m.ceil(s / 2) / 2) + 4


def last_indices(m: Vocabulary) -> Sides:
    """s_{M+2} + 1 and s_{M+1} + 1, with the one arm that is left at the end, s_{M+1} = 1, and s_{M+2} by halving."""
    left = m.number(1)
    return m.ceil(left / 2) + 1, left + 1


@chapter.inequality(
    "eq-75/indices",
    EQ_75,
    over={},
    strict=True,
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The sum over the set of all s_{p+2} + 1 has the index 2 once, that over p has it twice, where M - M_1 >= "
    "2: so their '=' is none. The line after it counts all M - M_1 summands.",
)
def eq_75_indices(m: Vocabulary) -> Sides:
    """The last two summands, p = M - 1 and p = M, have different indices: s_{M+2} + 1 < s_{M+1} + 1."""
    return last_indices(m)
