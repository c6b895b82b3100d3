"""Sections 4.1 and 4.2: the privacy of DP-BAI, the hardness terms, Theorem 4.2."""

from __future__ import annotations

from math import inf

from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary
from dpbandits.reference.claims.model import Consequence, Reading, Real, Stated, Verdict, Whole
from dpbandits.reference.curves import Approximate
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai
from dpbandits.reference.papers.chen24.instances import FOUR_PHASES, LINE, PLANE, UNITS
from dpbandits.reference.papers.chen24.observed import Observed, observed_dp_bai
from dpbandits.reference.papers.chen24.page import page

chapter = page.chapter("Sections 4.1 and 4.2")
PROPOSITION_4_1 = page.source(
    "Proposition 4.1, Appendix F",
    "The DP-BAI policy with privacy and budget parameters (eps, T) satisfies the eps-DP constraint",
    statement="Proposition 4.1",
)
HARDNESS = page.source(
    "Section 4.1, (15)",
    "while H_BAI quantifies the difficulty of fixed-budget BAI without privacy constraints, H_pri accounts for the "
    "eps-DP constraint",
)
THEOREM_4_2 = page.source(
    "Theorem 4.2, (16), (74) to (76)",
    "For all sufficiently large T, the error probability of Pi_DP-BAI with budget T and privacy parameter eps "
    "satisfies [...] <= exp(-T'/(65 M H))",
    statement="Theorem 4.2",
)


@chapter.inequality(
    "proposition-4.1/density",
    page.source("Eq. (52), third line", "f_Lap(x - mu_z) <= exp(eps) f_Lap(x - mu_{z'})"),
    over={"x": Real(-inf, inf), "move": Real(-1, 1, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="eps times the left side is the log-ratio of two Laplace densities of scale 1/(n eps).",
)
def proposition_4_1_density(m: Vocabulary, x: Number, move: Number) -> Sides:
    """The formula is |x + move| - |x| <= 1 for every x and every change of one reward, in units of 1/n. The outcome is
    at distance x/n from the centre mu_{z'}, and the other centre mu_z differs from mu_{z'} by move/n."""
    return m.maximum(x + move, -x - move) - m.maximum(x, -x), m.number(1)


chapter.add(
    "proposition-4.1",
    PROPOSITION_4_1,
    Stated("the released pulls and the recommendation of DP-BAI are eps-DP if one reward of the table changes"),
    scope="The claim is for every eps > 0, every T with T' >= 1, the printed and the repaired parameters, and every "
    "choice of the collections.",
    expect=Verdict.ARGUED,
    follows=("chen24/proposition-4.1/density",),
    note="The proof of Appendix F has errors in Max-Det phases (`chen24/eq-51`, `chen24/eq-112`). Our proof is "
    "different.",
    related=("chen24/eq-51", "chen24/eq-112"),
)


@chapter.inequality(
    "proposition-4.1/two-arms",
    PROPOSITION_4_1,
    over={"u": Real(0, inf, closed=True), "eps": Real(0, inf)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="With two independent features, there is one phase, which pulls both arms, and the recommendation depends "
    "on a difference of two Laplace variables. One reward changes this difference by at most eps, in units of the "
    "scale 1/(n eps). The privacy loss is below eps and tends to eps for large u.",
)
def proposition_4_1_two_arms(m: Vocabulary, u: Number, eps: Number) -> Sides:
    """The formula is P(X - Y > u) <= e^eps P(X - Y > u + eps) for standard Laplace X and Y and u >= 0, where P(X - Y >
    u) = e^{-u} (2 + u)/4. Both sides are multiplied by e^u."""
    return (2 + u) / 4, (2 + u + eps) / 4


@chapter.private(
    "proposition-4.1/arms",
    PROPOSITION_4_1,
    relation="pull",
    view="arms",
    subject=dp_bai,
    params=(
        {"features": UNITS, "horizon": 30, "eps": 1.0},
        {"features": LINE, "horizon": 20, "eps": 5.0},
        {"features": PLANE, "horizon": 13, "eps": 0.5},
    ),
    expect=Verdict.CONSISTENT,
    note="The privacy loss is computed by the exact law of the policy. The instances have phases that pull all arms. "
    "For features on a line, phases pull one arm, and for features in the plane, two arms.",
)
def proposition_4_1_arms(policy: Elimination) -> Approximate:
    """The claim is that the released pulls and the recommendation are (eps, 0)-DP if one reward of the table
    changes."""
    return Approximate(policy.spread.eps, 0.0)  # type: ignore[attr-defined]


@chapter.private(
    "proposition-4.1/observed",
    PROPOSITION_4_1,
    relation="pull",
    view="arms",
    subject=observed_dp_bai,
    params=({"features": FOUR_PHASES, "horizon": 40, "eps": 1.0},),
    expect=Verdict.CONSISTENT,
    note="Six arms on a line give four phases that pull one arm each, so the releases do not determine which arms "
    "are active. The privacy loss is computed by the exact law of the releases, which tracks the conditional "
    "distribution of the active arms given the releases.",
)
def proposition_4_1_observed(policy: Observed) -> Approximate:
    """The claim is that the released pulls and the recommendation are (eps, 0)-DP if several consecutive phases have a
    Max-Det collection."""
    return Approximate(policy.policy.spread.eps, 0.0)  # type: ignore[attr-defined]


chapter.add(
    "proposition-4.1/attained",
    PROPOSITION_4_1,
    Stated(
        "for nine sets of features, at eps = 0.01, 1 and 100 and on the tables tried, the exact loss of the first "
        "phase does not exceed eps, to nine digits; for eps <= 1 the largest loss is above 0.99999 eps, except for "
        "two unit vectors"
    ),
    scope="The nine sets are: two unit vectors; four unit vectors; two vectors on a line; two opposite vectors; five "
    "vectors in the plane; five vectors of which three are equal; five vectors of which one is 1000 times as long; "
    "five vectors that are almost parallel; twelve vectors around the origin. The means are on a grid, up to 40 "
    "times the noise scale.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="So DP-BAI is not eps'-DP for eps' much below eps, with or without a Max-Det collection. A changed reward is "
    "in one phase only, so the loss of a run is the loss of that phase.",
)


@chapter.inequality(
    "hardness/private",
    HARDNESS,
    over={"i": Whole(2)},
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="The inequality holds for every term of the two maxima, so eps H_pri >= sqrt(2 H_BAI) for all gaps, and "
    "H_pri > sqrt(H_BAI) for eps < 1.",
)
def hardness_private(m: Vocabulary, i: Number) -> Sides:
    """The formula is 2 i/Delta_(i)^2 <= (i/Delta_(i))^2 for i >= 2, multiplied by Delta_(i)^2."""
    return 2 * i, i * i


chapter.add(
    "hardness/h-2",
    page.source(
        "Section 4.1, after (15)",
        "the quantity in (14) specialises to the hardness term “H_2” in Audibert et al., (2010), which is identical to "
        "H_BAI, when K <= d^2 and eps -> +infinity",
    ),
    Stated("for K <= d^2, H_BAI is max_i i/Delta_(i)^2 over all i, with Delta_(1) = Delta_(2), and H_pri tends to 0"),
    scope="In the paper by Audibert, Bubeck and Munos (2010), the gap of the best arm is defined as the gap of the "
    "second best arm.",
    expect=Verdict.ARGUED,
)


chapter.add(
    "theorem-4.2",
    THEOREM_4_2,
    Consequence(
        "the error probability of DP-BAI is at most exp(-T'/(65 M H)) for T' >= 4160 M H log(M K (1 + (4/3)^(d^2)))"
    ),
    scope="The claim is for every d >= 2, with the printed and with the repaired parameters, if the phases fit into "
    "the budget.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/explicit", "chen24/theorem-4.2/constants"),
    by="the last step of (76)",
    note="Our proof differs from that of Appendix G, which has two gaps. The first gap is at d = 2, because "
    "Delta_(ceil(d^2/4)) is then Delta_(1) = 0 (`chen24/eq-74`). The second gap is at phase M_1 with the printed "
    "indices (`chen24/lemma-g.3/printed`).",
    related=("chen24/eq-74", "chen24/lemma-g.3/printed"),
)
chapter.add(
    "theorem-4.2/pair",
    THEOREM_4_2,
    Stated(
        "in a phase in which the best arm is active, arm j is estimated above the best arm with probability at most "
        "exp(-T' Delta_j^2/(8 M D)) + (4/3)^(d^2) exp(-T' eps Delta_j/(8 M D)), where D = min(d_Q^2, s_p)"
    ),
    scope="The claim is for every T. Here d_Q <= d is the rank of the active arms' features, as in (55).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/lemma-g.1",),
    by="a moment generating function for the noise",
    cites="Hoeffding's inequality",
)
chapter.add(
    "theorem-4.2/explicit",
    THEOREM_4_2,
    Stated("the error probability is at most M K (1 + (4/3)^(d^2)) exp(-T'/(64 M H))"),
    scope="The claim is for d >= 2 and every T for which the phases fit into the budget, with the printed and with "
    "the repaired parameters.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2/pair",),
    by="a union bound over arms and phases",
    note="The bound needs neither large T nor the repaired indices.",
)
chapter.add(
    "theorem-4.2/instances",
    THEOREM_4_2,
    Stated("on four instances and for T from 20 to 100 000, the error probability is below (16) and (76)"),
    scope="The arms are Bernoulli arms with gaps of at least 0.25, and eps = 0.1 and 1. The features are independent "
    "vectors, or five vectors in a plane. The bounds on the error probability are certified.",
    reading=Reading.OURS,
    expect=Verdict.PROVED,
    note="In the four instances, (76) is below 1 from T = 1100, 9700, 28 100 and 7200 on, respectively. At these T, "
    "simulations cannot observe errors: the error probabilities are below e^-300, and their exponents are 100 to 700 "
    "times the claimed exponents.",
)
chapter.add(
    "theorem-4.2/runs",
    THEOREM_4_2,
    Stated("the rate of errors in simulated runs agrees with the certified error probabilities"),
    scope="The claim is for T = 20 and the following features: four unit vectors; five vectors in a plane; five "
    "vectors of rank 2 in three dimensions; ten vectors that span three dimensions.",
    reading=Reading.OURS,
    expect=Verdict.CONSISTENT,
)
chapter.add(
    "eq-17",
    page.source("Eq. (17)", "P(I-hat_T != i*(v)) = exp(-Omega(T/(H log d)))"),
    Consequence("the error probability of DP-BAI is exp(-Omega(T/(H log d)))"),
    scope="The claim is for fixed features, as T tends to infinity. Here T' is T minus a constant.",
    expect=Verdict.ARGUED,
    follows=("chen24/theorem-4.2", "chen24/phases/order"),
    by="because M <= ceil(log d) + ceil(log_2 ceil(d^2/4)) + 2 <= 10 log d for d >= 2",
)


@chapter.inequality(
    "theorem-4.2/constants",
    page.source("Eq. (76), last line", "(12 M + 4 M_1 lambda) exp(-T'/(64 M H)) <= exp(-T'/(65 M H))"),
    over={"a": Real(0, inf), "excess": Real(0, inf, closed=True)},
    reading=Reading.STEP,
    expect=Verdict.PROVED,
    note="So every T' of at least 4160 M H log(12 M + 4 M_1 lambda) is sufficiently large, where 4160 = 64 * 65.",
)
def theorem_4_2_constants(m: Vocabulary, a: Number, excess: Number) -> Sides:
    """The formula is the logarithm of the inequality, a - x/64 <= -x/65 with a = log(12 M + 4 M_1 lambda), for x =
    T'/(M H) = 4160 a + excess."""
    return a, (4160 * a + excess) * (m.number(1) / 64 - m.number(1) / 65)
