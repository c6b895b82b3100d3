"""Appendix C, first part: Theorems 6 and 7. L is log(8|S|tau^2/beta), err that of the proof, with sqrt(R)."""

from __future__ import annotations

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Fault, Harm, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.papers.tao22 import formulas as f
from dpbandits.reference.papers.tao22.page import page, source
from dpbandits.reference.papers.tao22.shared import EPOCH, POSITIVE, SHARE, W, long_enough

chapter = page.chapter("Appendix C: Theorems 6 and 7")
LEMMA_13 = "Proof of Lemma 13"


@chapter.identity(
    "theorem-6/scale",
    source("Algorithm 4, line 16", "x-hat_{a,r} <- x-tilde_{a,r} + Lap(2 B_tau/eps)"),
    over={"B": POSITIVE, "eps": POSITIVE},
    expect=Verdict.PROVED,
    note="Attained, by users who hold B and -B: the randomizer is eps-private and no better, for every B.",
)
def theorem_6_scale(m: Vocabulary, B: Number, eps: Number) -> Sides:
    """As a formula: the width of [-B, B] over the noise's scale is eps."""
    return 2 * B / (2 * B / eps), eps


PROOF_6 = source(
    "Proof of Theorem 6",
    "Since each |x-tilde_{a,r}| is bounded by B_r. Thus, adding noise of Lap(B_r/eps) to x-tilde_{a,r} guarantees "
    "eps-LDP.",
)


chapter.add(
    "theorem-6/range",
    PROOF_6,
    Stated("the loss of the randomizer of line 16, over all pairs of rewards, is at most eps, and eps is attained"),
    expect=Verdict.ARGUED,
)


@chapter.inequality(
    "theorem-6/proof",
    PROOF_6,
    over={"B": POSITIVE, "eps": POSITIVE},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="Lap(2 B/eps) is meant, as in line 16: truncated rewards range over [-B, B].",
)
def theorem_6_proof(m: Vocabulary, B: Number, eps: Number) -> Sides:
    return 2 * B / (B / eps), eps


@chapter.identity(
    "lemma-13/noise",
    source(
        LEMMA_13,
        "Setting delta = beta/(4|S|e^2), we have |sum_{i=1}^{R_tau} Y_{a,i}/R_tau| <= 4 u^{1/(1+v)} "
        "(sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) eps))^{v/(1+v)}.",
    ),
    over=EPOCH,
    expect=Verdict.PROVED,
    note="What Lemma 8 gives with s = 2 B and log(2/delta) = L. (delta = beta/(4|S|e^2) is printed for tau^2.)",
)
def lemma_13_noise(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, R: Number) -> Sides:
    """As a formula: (2 (2 B)/(eps sqrt(R))) sqrt(L) = 4 err."""
    v = 1 / w
    left = 4 * f.threshold_4(m, eps, v, u, L, R) / (eps * m.sqrt(R)) * m.sqrt(L)
    return left, 4 * f.err_4(m, eps, v, u, L, R)


@chapter.identity(
    "lemma-13/bias",
    source(
        LEMMA_13,
        "Taking delta = beta/(8|S|tau^2), we have u/B_tau^v <= u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) "
        "eps))^{v/(1+v)},",
    ),
    over=EPOCH,
    expect=Verdict.PROVED,
)
def lemma_13_bias(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, R: Number) -> Sides:
    """With equality."""
    v = 1 / w
    return u / f.power(m, f.threshold_4(m, eps, v, u, L, R), v), f.err_4(m, eps, v, u, L, R)


DEVIATION = source(
    LEMMA_13,
    "sqrt(2 B_tau^{1-v} u log(delta^{-1})/R_tau) <= sqrt(2 B_tau^{1-v} u log(delta^{-1})/sqrt(R_tau)) "
    "sqrt(sqrt(log(1/delta))/sqrt(R_tau)) <= sqrt(2) u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) "
    "eps))^{v/(1+v)}, where the last inequality is due to the fact that R_tau >= log(8|S|tau^2/beta).",
)


@chapter.identity(
    "lemma-13/deviation",
    DEVIATION,
    over=EPOCH,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="At most sqrt(2) err for eps <= 1 and R >= L, from end to end.",
)
def lemma_13_deviation(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, R: Number) -> Sides:
    """It is sqrt(2 eps) (L/R)^{1/4} err; divided by sqrt(2)."""
    v = 1 / w
    left = m.sqrt(f.power(m, f.threshold_4(m, eps, v, u, L, R), 1 - v) * u * L / R)
    return left, m.sqrt(eps) * f.power(m, L / R, m.number("0.25")) * f.err_4(m, eps, v, u, L, R)


@chapter.inequality(
    "lemma-13/deviation/middle",
    DEVIATION,
    over={"eps": Real(0, 1, closed=True), "L": POSITIVE, "R": POSITIVE},
    where=(long_enough,),
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The first logarithm lacks its root; with it the line holds (tao22/lemma-13/deviation).",
)
def lemma_13_deviation_middle(m: Vocabulary, eps: Number, L: Number, R: Number) -> Sides:
    """Squared and divided by 2 err^2: eps L/sqrt(R) <= 1 where R >= L."""
    return eps * L, m.sqrt(R)


@chapter.identity(
    "lemma-13/range",
    source(
        LEMMA_13,
        "Moreover we have B_tau log(delta^{-1})/(3 R_tau) <= (B_tau sqrt(log(delta^{-1}))/(3 sqrt(R_tau))) "
        "(sqrt(log(delta^{-1}))/sqrt(R_tau)) <= (1/3) u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) "
        "eps))^{v/(1+v)}.",
    ),
    over=EPOCH,
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="At most err/3 for eps <= 1 and R >= L.",
)
def lemma_13_range(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, R: Number) -> Sides:
    """It is (eps/3) sqrt(L/R) err."""
    v = 1 / w
    left = f.threshold_4(m, eps, v, u, L, R) * L / (3 * R)
    return left, eps / 3 * m.sqrt(L / R) * f.err_4(m, eps, v, u, L, R)


SEVEN = source(
    LEMMA_13,
    "Taking union bound yields that with probability at least 1 - 3 beta/(8|S|tau^2), |mu-tilde_a - mu_a| <= 7 "
    "u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) eps))^{v/(1+v)}.",
)


@chapter.inequality(
    "lemma-13/seven",
    SEVEN,
    over={},
    expect=Verdict.PROVED,
    given="eps <= 1, R >= L",
    note="With Lemma 8's 4, which is not proved where R is near L. (23) has = where at most is meant.",
)
def lemma_13_seven(m: Vocabulary) -> Sides:
    """As a formula: 1 + sqrt(2) + 1/3 + 4 <= 7."""
    return 1 + m.sqrt(m.number(2)) + m.number(1) / 3 + 4, m.number(7)


@chapter.inequality(
    "lemma-13/seven/large-R",
    SEVEN,
    over={"r": Real(0, 28**-4.0, closed=True), "eps": Real(0, 1, closed=True)},
    reading=Reading.REPAIRED,
    expect=Verdict.PROVED,
    note="Chernoff's bound with lambda b = sqrt(r): the mean of R Laplace variables of scale b exceeds c b sqrt(r) "
    "with probability at most e^{-R (c r + log(1-r))}, which is e^-L from c = 1 - log(1-r)/r on; 2.01 here, so the "
    "noise is at most 4.02 err. And 6.5 err would do.",
)
def lemma_13_seven_large_r(m: Vocabulary, r: Number, eps: Number) -> Sides:
    """As a formula, where r = L/R <= 28^-4: 1 + sqrt(2 eps) r^{1/4} + (eps/3) sqrt(r) + 4.02 <= 6.5."""
    return 1 + m.sqrt(2 * eps * m.sqrt(r)) + eps / 3 * m.sqrt(r) + m.number("4.02"), m.number("6.5")


@chapter.inequality(
    "lemma-13/union",
    source(
        LEMMA_13,
        "Taking the union for all epochs and arms, we have E holds w.p. 1 - (3 beta/8) sum_{tau >= 1} tau^{-2} >= 1 - "
        "beta.",
    ),
    over={},
    expect=Verdict.PROVED,
    note="Also with both sides of every deviation, 4/8 for 3/8.",
)
def lemma_13_union(m: Vocabulary) -> Sides:
    """As a formula: 4/8 times pi^2/6 is at most 1."""
    return m.pi * m.pi / 12, m.number(1)


@chapter.identity(
    "lemma-13/half-gap",
    source(
        LEMMA_13,
        "By the definition of R_tau, We know that 14 u^{1/(1+v)} (sqrt(log(8|S|tau^2/beta))/(sqrt(R_tau) "
        "eps))^{v/(1+v)} <= D_tau/2.",
    ),
    over={"eps": POSITIVE, "w": W, "u": POSITIVE, "L": POSITIVE, "D": POSITIVE},
    expect=Verdict.PROVED,
    note="err falls as R grows, and line 8 adds L. D_tau is 4^-tau in line 7 and 2^-tau in the proof; this "
    "holds for both.",
)
def lemma_13_half_gap(m: Vocabulary, eps: Number, w: Number, u: Number, L: Number, D: Number) -> Sides:
    """14 err = D/2, divided by 14, at R = u^{2/v} 28^{2p} L/(eps^2 D^{2p})."""
    v, p2 = 1 / w, 2 + 2 * w
    R = f.power(m, u, 2 * w) * f.power(m, m.number(28), p2) * L / (eps * eps * f.power(m, D, p2))
    return f.err_4(m, eps, v, u, L, R), D / 28


def d_of(m: Vocabulary, tau: Number) -> Number:
    """D_tau = 4^-tau."""
    return f.power(m, m.number("0.25"), tau)


def squared_below_gap(m: Vocabulary, tau: Number, gap: Number) -> Sides:
    return d_of(m, 2 * tau), gap


@chapter.inequality(
    "lemma-13/first-epoch",
    source(
        LEMMA_13,
        "Lastly, for any fixed sub-optimal arm a, let tau(a) be the first epoch s.t. Delta_a >= D^2_{tau(a)}, implying "
        "D^2_{tau(a)} <= Delta_a < D^2_{tau(a)-1} = 4 D^2_{tau(a)}. For any epoch tau, we have R_{tau+1} >= "
        "4^{-(1+v)/v} R_tau, we have that the total number of pulls of arm a is sum_{tau <= tau(a)} R_tau",
    ),
    over={"gap": SHARE, "tau": Whole(1)},
    where=(squared_below_gap,),
    expect=Verdict.REFUTED,
    fault=Fault.FALSE,
    harm=Harm.GUARANTEE,
    same_error_as="tao22/theorem-7",
    note="Arms with Delta_a >= D_tau are removed, as the paragraph before says; nothing is shown for D_tau^2 <= "
    "Delta_a < D_tau, and they are not (tao22/theorem-7). With the first epoch of Delta_a >= D_tau the sum of R_tau is "
    "of order Delta_a^{-2(1+v)/v}: the exponent of Theorem 7 falls.",
)
def lemma_13_first_epoch(m: Vocabulary, gap: Number, tau: Number) -> Sides:
    """An arm is removed where D <= Delta; the proof takes D^2 <= Delta for it. D = 4^-tau."""
    return d_of(m, tau), gap


@chapter.inequality(
    "lemma-13/geometric",
    source(
        LEMMA_13,
        "sum_{tau <= tau(a)} R_tau <= sum_{tau <= tau(a)} (4^{-(1+v)/v})^{tau - tau(a)} R_{tau(a)} <= R_{tau(a)} "
        "sum_{i >= 0} (4^{-(1+v)/v})^i",
    ),
    over={"w": W},
    reading=Reading.LETTER,
    expect=Verdict.REFUTED,
    fault=Fault.MISPRINT,
    harm=Harm.NONE,
    note="The exponent's sign: tau - tau(a) is not positive, and R_{tau+1} >= 4^{-(1+v)/v} R_tau lacks its sign as "
    "well. With D_tau = 4^-tau of line 7 epochs grow by 16^{(1+v)/v} at least: tao22/lemma-13/repaired.",
)
def lemma_13_geometric(m: Vocabulary, w: Number) -> Sides:
    """tau(a) = 2, divided by R_2: 4^{(1+v)/v} + 1 <= 1/(1 - 4^{-(1+v)/v})."""
    fold = f.power(m, m.number(4), 1 + w)
    return fold + 1, 1 / (1 - 1 / fold)
