"""Theorem 2: an event of some ten rounds that no small eps has, and two arms that cost more than the regret printed."""

from __future__ import annotations

from itertools import pairwise
from math import log, log2, sqrt

from scipy.special import log_ndtr, ndtr

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, checked_step
from dpbandits.proofs_checks.papers.tossou18.lower_bounds import all_exceeded, exceeded
from dpbandits.reference.claims.findings import below, nearest, table_item
from dpbandits.reference.claims.model import Claim, Finding, Real, Verdict
from dpbandits.reference.papers.tossou18 import variance, with_more_variance
from dpbandits.reference.papers.tossou18.page import page
from dpbandits.reference.papers.tossou18.theorem_2 import EXCEEDED_AT, EXCEEDED_EPS

proves = Proofs(page)

WAITED = """Let there be two arms and V = ln^2(T)/eps. On the left all rewards are 0. On the right the first reward of
arm 0 is 1. Consider the event 'arm 0 in round 1, then arm 1 in N rounds'. On the left this event has probability P =
2^{-N-1}, because all means are 0. On the right the sample of arm 0 has mean 1/2 and variance V/2, and the sample of arm
1 in the m-th of these rounds has mean 0 and variance V/m. So arm 1 is pulled in the m-th round with probability
Phi(-a_m), where a_m = 1/(2 sqrt(V/2 + V/m)) is at least a = 1/sqrt(6 V). As ln(1/Phi(-.)) is convex with slope
sqrt(2/pi) at 0, ln((1/2)/Phi(-a_m)) is at least a sqrt(2/pi). So the event has probability Q <= P exp(-a sqrt(2/pi) N)
on the right. Hence (C eps, C T^-4)-DP requires C eps >= ln((P - C T^-4)/Q) >= ln(1 - C T^-4/P) + a sqrt(2/pi) N. Let N
be the largest number with 2^{-N-1} >= C T^-4 ln T. Then N ln 2 >= 4 ln T - ln(4 C ln T) and C T^-4/P <= 1/ln T, and N +
1 <= T for large T. As a = sqrt(eps/6)/ln T, the right side tends to 4/(ln(2) sqrt(3 pi)) sqrt(eps) >= 1.87 sqrt(eps) as
T grows with eps fixed. So C >= 1.87/sqrt(eps), and no C works for all eps: if eps < 3.4/C^2, (C eps, C T^-4)-DP fails
for all large T."""
COST = """Let V = ln^2(T)/eps. Of two arms, one always pays D and the other always 0. Whatever the past is, in round t
the running means are at most D apart, in favour of the better arm. The difference of the samples has variance V
(1/(n_1+1) + 1/(n_2+1)) >= 4 V/(t+1) >= 4 V/(T+1). So the worse arm is pulled with probability at least Phi(-D
sqrt(T+1)/(2 sqrt(V))) in every round. With D = 1.5 sqrt(V/(T+1)), which is at most 1 for large T, the regret is at
least T D Phi(-3/4) >= 0.33 sqrt(V T) = 0.33 ln(T) sqrt(T/eps). Divided by the claimed ln^2(T)/eps + sqrt(2 T ln 2),
this lower bound exceeds every constant as T grows, for every eps."""
WAITING = Reduction(
    " ".join(WAITED.split()),
    (
        enclosure_step(
            "4/(ln(2) sqrt(3 pi)) >= 1.87",
            lambda m: m.number("1.87") * m.log(m.number(2)) * m.sqrt(3 * m.pi),
            lambda m: m.number(4),
            {},
        ),
    ),
)
COSTS = Reduction(
    " ".join(COST.split()),
    (
        enclosure_step(
            "1.5 Phi(-3/4) sqrt(T/(T+1)) >= 0.33 for T >= 19: with x = 1/(T+1)",
            lambda m, x: m.number("0.33"),
            lambda m, x: m.number("1.5") * m.ncdf(-m.number("0.75")) * m.sqrt(1 - x),
            {"x": Real(0, 0.05, closed=True)},
        ),
    ),
)
HORIZONS = 10**3, 10**6, 10**12
WANTED = 1.0, 0.1, 0.01, 0.001


def shown(horizon: int, eps: float) -> float:
    """The eps that the event certainly shows at delta = T^-4, with the number of rounds that shows most of it."""
    spread, delta, loss, best = variance(horizon, eps), horizon**-4.0, 0.0, 0.0
    for waited in range(1, int(4 * log2(horizon)) + 1):
        loss -= log(2) + float(log_ndtr(-0.5 / sqrt(spread / 2 + spread / waited)))
        chance = 0.5 ** (waited + 1)
        if chance > delta:
            best = max(best, loss + log(1 - delta / chance))
    return best


def waited() -> tuple[bool, Evidence]:
    """The event's own numbers: the factor over eps rises as eps falls, at every horizon."""
    factors = [[shown(horizon, eps) / eps for eps in WANTED] for horizon in HORIZONS]
    rows = [[horizon, *row] for horizon, row in zip(HORIZONS, factors, strict=True)]
    columns = ["T", *(nearest(f"eps = {eps:g}") for eps in WANTED)]
    title = "What the event shows at delta = T^-4, as a multiple of the eps that is claimed"
    rising = all(less < more for row in factors for less, more in pairwise(row))
    return rising and factors[-1][-1] > 10, table_item(title, columns, rows)


proves("theorem-2/privacy")(lemma_by_argument(WAITING, waited, verdict=Verdict.REFUTED))


@proves("theorem-2/privacy/without-o")
def without_o(claim: Claim, effort: Effort, seed: int) -> Finding:
    """For each of these eps the released arms lose more than eps."""
    horizon = EXCEEDED_AT
    policies = [(eps, with_more_variance(2, horizon, eps)) for eps in EXCEEDED_EPS]
    return all_exceeded(claim, [exceeded(policy, f"eps = {eps:g}", horizon**-4.0, eps) for eps, policy in policies])


def cost() -> tuple[bool, Evidence]:
    """What the two arms cost at least, over what is claimed, at eps = 1."""
    rows = []
    for T in (10**4, 10**6, 10**12, 10**18):
        V = variance(T, 1.0)
        gap = 1.5 * sqrt(V / (T + 1))
        least = T * gap * float(ndtr(-gap * sqrt(T + 1) / (2 * sqrt(V))))
        claimed = V + sqrt(2 * T * log(2))
        rows.append([T, gap, least, claimed, least / claimed])
    title = "Two arms at eps = 1: the regret is at least"
    columns = [
        "T",
        nearest("gap"),
        below("regret, at least"),
        nearest("ln^2 T/eps + sqrt(2 T ln 2)"),
        nearest("multiple"),
    ]
    multiples = [float(row[-1]) for row in rows]
    rises = all(less < more for less, more in pairwise(multiples))
    return multiples[0] > 1 and rises, table_item(title, columns, rows)


REGRET = lemma_by_argument(COSTS, cost, verdict=Verdict.REFUTED)

proves("theorem-2/regret", "abstract/regret")(REGRET)

ANY_LEVEL = f"""The variance is T/mu^2, times 1/(n + 1) for a sample of an arm with n pulls. pulls_gdp holds the
promise of every event of the list of all pulls of a run, for every eps, neighbours of either relation r and rewards in
[0, 1]. {INTEGRALS}"""

proves("abstract/any-level")(checked_step(__file__, "any_level", ANY_LEVEL))
