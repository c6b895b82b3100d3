"""How the privacy loss of Thompson sampling grows with T: claims of ours, next to the paper's Theorem 3."""

from __future__ import annotations

from dpbandits.reference.claims.model import Reading, Source, Stated, Verdict
from dpbandits.reference.papers.ou24.page import page

chapter = page.chapter("Theorem 3, the law in T")
SOURCE = Source("ou24", "Theorem 3, the law in T", "is (eps, delta(eps))-DP for all eps >= 0")
ORDER, SLOPE, GAIN = 0.4, 2.5, 2.09  # lam, 1/lam, and what -ln w(lam)/lam is at least
THOUSAND, ENOUGH = 1000, 56.25  # T and eps of the theorem of Rocq
HUNDRED, ANY_ENOUGH = 100, 31.0  # and of those for any number of arms
ANY_ENOUGH_THOUSAND = 69.3
LEAST, MOST = 3, 10**7  # T of the explicit bound

chapter.add(
    "theorem-3/law/potential",
    SOURCE,
    Stated(
        "let p and q be the probabilities, on the two inputs, that a round pulls the changed arm after n of its pulls. "
        "Suppose that lam > 0, c >= 0 and b_n >= 0 satisfy e^(-b_n) p^(1+lam) q^(-lam) + (1-p)^(1+lam) (1-q)^(-lam) <= "
        "e^(lam c) for all such p and q. Suppose that a second choice of lam, c and b_n satisfies the same inequality "
        "with p and q exchanged. For each of the two choices, compute the number c (T-1) + (b + ln(1/delta) + lam ln "
        "lam - (1+lam) ln(1+lam))/lam, where b is the sum of b_1 to b_(T-1). Then (eps, delta)-DP holds if eps is the "
        "larger of the two numbers"
    ),
    scope="If lam, c and (b_n) satisfy the one-round inequality, a run of T rounds is (eps, delta)-DP, under both "
    "adjacency relations. One version of the inequality is for two arms, and another version is for any number "
    "of arms. Each of the two directions (P against Q, and Q against P) has its own lam, c and b_n.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/game/bound",),
    note="A certificate consists of a pair (lam, c) for each of the two directions. `dpbandits verify` computes the "
    "b_n.",
)
chapter.add(
    "theorem-3/law/potential/modified",
    SOURCE,
    Stated(
        "let the variance be v > 0, and let each of K >= 2 arms have B >= 0 pre-pulls. Let m = max(B, 1), and suppose "
        "that R = T - max(B K, 1) is at least 1. Let both choices of lam, c and b_n be as in "
        "`ou24/theorem-3/law/potential`, for the probabilities at this v, and for n >= m. For each of the two choices, "
        "compute the number c R + (b + ln(1/delta) + lam ln lam - (1+lam) ln(1+lam))/lam, where b is the sum of b_m to "
        "b_(m+R-1). Then (eps, delta)-DP holds if eps is the larger of the two numbers"
    ),
    scope="The claim is `ou24/theorem-3/law/potential` for Algorithm 2, for both neighbouring relations and any "
    "number of arms. Fewer rounds follow the pre-pulls, and with more variance the probabilities p and q are closer.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="Theorem 4 bounds the same loss by the loss of a Gaussian mechanism. With v = 1 and B = 0 the claim is "
    "`ou24/theorem-3/law/potential`.",
)
chapter.add(
    "theorem-3/law/late-pulls",
    SOURCE,
    Stated(
        "let n >= 99, 0 < c < 1/e and 0 < lam <= 1/2. Let Y = sqrt(4 ln(1/c)/(n+1)), and suppose that lam (e^Y - 1) "
        "e^Y <= 1/2 and c e^(2Y) max(1, Y) <= 1/4. Let A = e^Y + lam e^(4Y)/(1 - lam (e^Y - 1) e^Y). Then b_n = lam (A "
        "max(0, ln(A/(c (n+1))) - 1 + 2 lam Y) + 1.5 e^(4Y))/(n+1) is enough, and b_n = 0 is enough for n + 1 > 3 "
        "e^(4Y + 2 lam Y)/c"
    ),
    scope="The claim gives the term b_n of a late pull in closed form, about lam ln(1/(c n))/n. This b_n is valid "
    "for any number of arms and in both directions.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
)
chapter.add(
    "theorem-3/law/two-arms/explicit",
    SOURCE,
    Stated(
        f"for two arms, {LEAST} <= T <= {MOST} and every 0 < delta < 1, (eps, delta)-DP holds with eps = ln^2(T)/2 + "
        f"{SLOPE:g} ln(1/delta) - {GAIN:g}"
    ),
    scope="The bound is about the released arms of Algorithm 1 with rewards in [0, 1], for neighbours of either "
    "relation. At delta = 1e-6, eps rounded up is 56.4 for T = 1000, 74.9 for T = 10 000 and 127.9 for T = 10^6.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="The eps is computed with the static potential at the single Renyi order 1.4, on intervals of T that cover "
    "the whole range. A Rocq theorem proves the whole statement, from the drawn samples to the number.",
)
chapter.add(
    "theorem-3/law/thousand",
    SOURCE,
    Stated(f"for two arms and T = {THOUSAND}, if one pull changes, the released arms are ({ENOUGH:g}, 1e-6)-DP"),
    scope="The claim covers tables with rewards in [0, 1] and all events of the released arms. Theorem 3 gives 355. "
    "The threshold game gives a smaller eps (`ou24/theorem-3/game/thousand`). For two arms, Rocq's kernel can also "
    "compute that eps.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="A Rocq theorem proves the whole statement, from the drawn samples to the numerical value of eps. The "
    "kernel needs two minutes, so only the deep profile and `make proofs` run it.",
    related=("ou24/theorem-3/game/thousand",),
)
chapter.add(
    "theorem-3/law/thousand/round",
    SOURCE,
    Stated(
        f"for two arms and T = {THOUSAND}, if all rewards of a round change, the released arms are ({ENOUGH:g}, "
        "1e-6)-DP"
    ),
    scope="The claim is `ou24/theorem-3/law/thousand` for tables that contain each arm's reward in each round.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    related=("ou24/theorem-3/law/thousand",),
)
chapter.add(
    "theorem-3/law/hundred",
    SOURCE,
    Stated(
        f"for any number of arms and T = {HUNDRED}, if one pull or one round changes, the released arms are "
        f"({ANY_ENOUGH:g}, "
        "1e-6)-DP"
    ),
    scope="The claim covers rewards in [0, 1], both kinds of tables, and all events of the released arms. The "
    "threshold game gives a smaller eps, which Rocq's kernel can also compute (`dpbandits privacy thompson --rocq`).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="A Rocq theorem proves the whole statement, from the drawn samples to the numerical value of eps, for any "
    "finite number of arms. Only the deep profile and `make proofs` run the kernel on it.",
)
chapter.add(
    "theorem-3/law/thousand/any-arms",
    SOURCE,
    Stated(
        f"for any number of arms and T = {THOUSAND}, if one pull or one round changes, the released arms are "
        f"({ANY_ENOUGH_THOUSAND:g}, 1e-6)-DP"
    ),
    scope="The claim covers rewards in [0, 1], both kinds of tables, and all events of the released arms. Theorem 3 "
    "gives 355. The threshold game gives a smaller eps: the theorem that `dpbandits privacy thompson --horizon 1000 "
    "--delta 1e-6 --rocq` writes states 58.104, and Rocq's kernel accepts it.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="A Rocq theorem proves the whole statement, from the drawn samples to the numerical value of eps, for any "
    "finite number of arms. Only the deep profile and `make proofs` run the kernel on it.",
    related=("ou24/theorem-3/law/thousand",),
)
chapter.add(
    "theorem-3/law/any-arms",
    SOURCE,
    Stated(
        "for T >= 9 and any number of arms, (eps, delta)-DP holds with eps = (4 ln(1/delta) + 11.2) e^sqrt(ln T) + "
        "ln^2 T + 2 ln^1.5 T + 19.5 ln T"
    ),
    scope="The bound grows more slowly than any power of T, for neighbours of either relation. Like this bound, the "
    "value of the threshold game grows like exp((1 + o(1)) sqrt(ln T)), which is faster than any power of ln T "
    "(`ou24/theorem-3/game/growth`).",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential",),
    note="The exponent is sharp, but the constants are not: at practical T, the bound is about ten times the true eps.",
    related=("ou24/theorem-3/game/growth",),
)
chapter.add(
    "theorem-3/law/given-arms",
    SOURCE,
    Stated(
        "for 2 <= K <= T arms, and for delta >= T^-A with a fixed A, let R = K ln^2 T. Then (eps, delta)-DP holds with "
        "eps = (1/2 + o(1)) ln^2 T + (4 ln(2/delta) + 10 + o(1)) e^sqrt(ln R), uniformly in K, as T grows"
    ),
    scope="The rate for two arms also holds for every fixed number of arms: the additional term depends on K, but "
    "hardly on T.",
    reading=Reading.OURS,
    expect=Verdict.ARGUED,
    follows=("ou24/theorem-3/law/potential", "ou24/theorem-3/law/late-pulls", "ou24/theorem-3/law/any-arms"),
    note="The claim is an upper bound. We do not show that three or more arms attain the factor 1/2.",
)
