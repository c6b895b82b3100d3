"""The law in T of two arms, for every T: prices of the static potential in closed form, and their sum."""

from __future__ import annotations

from math import log
from typing import Any

from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.section_3_game_law import DRAWN, FACTS, NOTATION, one_text, shown_below
from dpbandits.reference.claims.model import Real
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_3_game_law_two_arms import ALWAYS, PER_LOG

proves = Proofs(page)

PRICES = """Let N = n+1 and D(y) = E (2 - e^-y). In `ou24/theorem-3/law/potential`, let c = 1/T and b_n = lam B_n. Here
B_n is 27/4 for N <= 6, 7/4 + 15/(4N) for larger N up to M, and (A ln(T/N) + 15/4)/N for N beyond M. Moreover A = 1 +
lam + (4/3) sqrt(r/N) and r = 2 ln(11T/3). M is the least integer above r, or 7 for T <= 6. *Bounds on y:* x is at most
sqrt(N), and q/p rises with x and with s. So y is at most its value at x = sqrt(N) and s = 1/sqrt(N). This value is at
most 1.16 for N <= 6, and at most 1.13 for N >= 7 because h (h - x) <= 1. By (ii), N y^2 <= 2 ln(1/p). So N p y^2 <= 2 p
ln(1/p) <= 3/4, and p <= e^(-N y^2/2)."""
RIGHT = """*Order R, q <= 1/2:* let z = lam (E + 2p E^2). As 2pE = 2q E' <= E', z is at most lam D(y). By (iii), e^(-lam
y - b) <= 1 - z + lam c/p is enough. If z <= lam c/p, b = 0 is enough. Otherwise 1 - z + lam c/p >= (1-z) e^(lam c/p).
For N <= 6, the inequality e^(-27 lam/4) <= 1 - lam D(1.16) holds at lam = 1/5, and by convexity for smaller lam. For N
>= 7, let w = 2 lam p E^2/(1-z), which is at most 15 lam/(4N). Then 1 - z >= (1 - lam E) e^(-w), and -ln(1 - lam E) <=
lam (y + (1+lam) y^2/2 + 2 y^3/3). So b/lam = (1+lam) y^2/2 + 2 y^3/3 + 15/(4N) - c/p is enough. For N up to M, y <=
1.13 makes this b/lam at most 7/4 + 15/(4N). For N beyond M, b = 0 is enough if c/p > 11/3, because D(1.13) < 11/3.
Otherwise N y^2 <= 2 ln(1/p) <= r, so the first two terms of b/lam are at most A y^2/2 <= A ln(1/p)/N. Moreover, A
ln(1/p) - cN/p <= A (ln(A/(cN)) - 1) <= A ln(T/N), as A <= 2.54 < e."""
LEFT = """*Order L, q <= 1/2:* let u = lam E' (1 - 2q E') and v = lam c/q. Then e^(lam y - b) <= 1+u+v is enough. If
1+u+v >= e^(lam y), b = 0 is enough. Otherwise ln(1+u+v) >= u - u^2/2 + v e^(-lam y). So b/lam = (1+lam) y^2/2 + 2p E y
- e^(-(1+lam) y) c/p is enough, which is at most 27/4 for N <= 6. For N >= 7, 2p E y is at most 14/(5N). The other two
terms of b/lam are together at most (1+lam) y^2/2 <= 0.77. For N beyond M, these two terms are together at most (1+lam)
(ln(T/N) + ln(1+lam) + (1+lam) y - 1)/N <= ((1+lam) ln(T/N) + 0.65)/N. *Case q > 1/2:* here x < s, and by (iv) the two
powers of the condition sum to at most 1 + 0.64 lam/N at b = 0. The first power is at least 0.099, or 0.2 for N >= 7,
and b multiplies this power by e^-b. This factor is small enough, because 0.099 (1 - e^(-27 lam/4)) >= 0.32 lam, and 0.2
(1 - e^(-15 lam/(4N))) >= 0.64 lam/N."""
SUM = f"""*The sum of the B_n:* let B be the sum of B_1 to B_(T-1). The bounds 1/N <= ln(N/(N-1)), ln(T/N)/N <=
(ln^2(T/(N-1)) - ln^2(T/N))/2 and N^-1.5 <= 2/sqrt(N-1) - 2/sqrt(N) bound B for T >= 7. These bounds give B <= 135/4 +
(7/4) (M-6) + (15/4) ln(T/6) + (1+lam) l'^2/2 + (8/3) l', where l' = ln(T/M) <= l - ln 7 and M <= r + 1. So B is at most
(1+lam) l^2/2 + {PER_LOG} l + 19.6. For T <= 6, B <= (27/4) (T-1), which is not larger. The claimed eps is at least B
plus three further numbers: c (T-1) <= 1, ln(1/delta)/lam, and ln lam - (1 + 1/lam) ln(1+lam) <= ln(1/5) - 1 < -2.6."""
LAW = """Let l = ln T >= 25, and use `ou24/theorem-3/law/two-arms/every-T` with lam = 1/sqrt(l). For delta >= T^-A, the
eps l^2/2 + (A + 1/2) l^1.5 + 8l + 18 is enough, which is (1/2 + o(1)) l^2."""


def doubled(m: Any, y: Any) -> Any:
    """D(y)."""
    return (m.exp(y) - 1) * (2 - m.exp(-y))


def slope(m: Any, y: Any) -> Any:
    """g(y)."""
    return 1 + y / 2 + m.number("0.228") * y**2


STEPS = (
    enclosure_step(
        "y <= 1.16 at x = sqrt(N), s = 1/sqrt(N), for 2 <= N <= 6",
        lambda m, N: m.log(m.ncdf(1 / m.sqrt(N) - m.sqrt(N)) / m.ncdf(-m.sqrt(N))),
        lambda m, N: m.number("1.16"),
        {"N": Real(2, 6, closed=True)},
    ),
    enclosure_step(
        "e^-1.35 <= 1 - D(1.16)/5",
        lambda m: m.exp(-m.number("1.35")),
        lambda m: 1 - doubled(m, m.number("1.16")) / 5,
        {},
    ),
    enclosure_step(
        "E <= y g(y), g(y) = 1 + y/2 + 0.228 y^2, for 0.3 <= y <= 1.13; below as e^0.3/6 <= 0.228",
        lambda m, y: m.exp(y) - 1,
        lambda m, y: y * slope(m, y),
        {"y": Real(0.3, 1.13, closed=True)},
    ),
    enclosure_step(
        "g/5 + (329/375) y g + 1 + 0.456 y + y (1/2 + 0.228 y)^2 <= 329/75 for 0 <= y <= 1.13: so lam g^2/(2 (1 - lam "
        "y g)) <= lam/2 + (329/750) y, which bounds -ln(1 - lam E), as -ln(1 - z) <= z + z^2/(2 (1-z)) at z = lam y g",
        lambda m, y: (
            slope(m, y) / 5
            + m.number(329) / 375 * y * slope(m, y)
            + 1
            + m.number("0.456") * y
            + y * (m.number("0.5") + m.number("0.228") * y) ** 2
        ),
        lambda m, y: m.number(329) / 75,
        {"y": Real(0, 1.13, closed=True)},
    ),
    enclosure_step(
        "(3/2) g^2 <= (15/4) (1 - D/5) for 0 <= y <= 0.55: w, by N p y^2 <= 3/4",
        lambda m, y: m.number("1.5") * slope(m, y) ** 2,
        lambda m, y: m.number("3.75") * (1 - doubled(m, y) / 5),
        {"y": Real(0, 0.55, closed=True)},
    ),
    enclosure_step(
        "14 e^(-7 y^2/2) E^2 <= (15/4) (1 - D/5) for 0.55 <= y <= 1.13: w, as N e^(-N y^2/2) falls from N = 7 on",
        lambda m, y: 14 * m.exp(-m.number("3.5") * y**2) * (m.exp(y) - 1) ** 2,
        lambda m, y: m.number("3.75") * (1 - doubled(m, y) / 5),
        {"y": Real(0.55, 1.13, closed=True)},
    ),
)


def every_horizon_eps(length: float, delta: float, lam: float = 0.2) -> float:
    """The claim's eps. length: ln T."""
    return (1 + lam) / 2 * length**2 + PER_LOG * length + log(1 / delta) / lam + ALWAYS


SAYS = f"""pulls_private is the claim's (eps, delta)-DP, for either relation r; two arms, no pre-pulls ([]), variance
1. every_T_loss is the formula, and the theorem holds for every eps from there on. {DRAWN}"""
proves("theorem-3/law/two-arms/every-T")(
    machine_checked(__file__, "every_T", SAYS)(
        lemma_by_argument(
            Reduction(one_text(NOTATION, FACTS, PRICES, RIGHT, LEFT, SUM), STEPS),
            lambda: shown_below((10, 100), every_horizon_eps, 2),
        )
    )
)
MODIFIED = """Use the b_n of `ou24/theorem-3/law/two-arms/every-T` in `ou24/theorem-3/law/potential/modified`. For v >=
1, shifts and thresholds are at most those for v = 1, so every coin for v is a coin for v = 1. The sum of the b_n runs
over R pull counts from m on. As m >= 1 and m + R <= T, these counts are among 1, ..., T-1. Moreover, c R <= 1."""
MODIFIED_SAYS = f"""`first` has the pre-pulls, B of each arm (prepulled), whose rewards are kept, or forgotten where
`kept` is false. rounds_after is T - max(2B, 1), at least 1. every_T_loss is the formula. {DRAWN} The pre-pulls are
among them."""
proves("theorem-3/law/two-arms/every-T/modified")(
    machine_checked(__file__, "every_T_modified", MODIFIED_SAYS)(lemma_by_argument(Reduction(one_text(MODIFIED), ())))
)
LAW_SAYS = f"""A is a, and the o(1) is any eta > 0, from some T on that depends on a and eta alone: it holds for all
delta >= T^-a at once. Two arms, no pre-pulls ([]), variance 1, either relation r. {DRAWN}"""
proves("theorem-3/law/two-arms")(
    machine_checked(__file__, "two_arms_law", LAW_SAYS)(lemma_by_argument(Reduction(one_text(LAW), ())))
)
