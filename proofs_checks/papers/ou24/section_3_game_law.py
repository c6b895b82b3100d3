"""The law in T from above: a static potential of the threshold game, for two arms, any number, and a given one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.extensions.thompson.potential import best_price, powers_of, static_coins, static_moments
from dpbandits.extensions.thompson.rules import Sampler
from dpbandits.extensions.thompson.theorems.carried import machine_checked_instance
from dpbandits.extensions.thompson.theorems.instances import Prices, certified_eps, levels_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import Evidence, Reduction, enclosure_step, lemma_by_argument
from dpbandits.proofs_checks.formulas.theorems import machine_checked
from dpbandits.proofs_checks.papers.ou24.section_3_game import WORDS
from dpbandits.reference.claims.findings import above, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Real, Verdict, established
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reference.papers.ou24.section_3_game_law import (
    ANY_ENOUGH,
    ANY_ENOUGH_THOUSAND,
    ENOUGH,
    GAIN,
    HUNDRED,
    LEAST,
    MOST,
    ORDER,
    SLOPE,
    THOUSAND,
)

proves = Proofs(page)

NOTATION = """Let l = ln T, s = s_n = 1/sqrt(n+1), p = Phi(-x) <= q = Phi(s-x), y = ln(q/p), E = e^y - 1, E' = 1 - e^-y
and h(x) = phi(x)/Phi(-x). A coin is the pair (p, q) of the probabilities of pulling the changed arm on the two inputs.
The order R compares p with q, and the order L compares q with p. In either order, f is the left side of the potential's
condition on b_n."""
FACTS = """(i) The function h is increasing, h' < 1, and h^2 <= 2 ln(1/p). The last inequality holds because 2 ln(1/p) -
h^2 has the derivative 2h (1-h') > 0 and tends to 0 at -inf. (ii) The number y is the integral of h over [x-s, x]. So s
h(x-s) <= y <= s h(x) <= s sqrt(2 ln(1/p)), and h(x) <= h(x-s) + s. (iii) Let lam <= 1. The inequality (1+z)^lam <= 1 +
lam z, where 1+z is (1-p)/(1-q) or its inverse, bounds f in both orders. In the order R, f - 1 <= p (e^(-lam y - b) - 1
+ lam E) + lam (q-p)^2/(1-q). In the order L, f - 1 <= q (e^(lam y - b) - 1 - lam E') + lam (q-p)^2/(1-p). (iv) The
result of a coin is a function of a normal variable that shifts by s. So f <= e^(lam (1+lam) s^2/2) at b = 0."""
POTENTIAL = """The threshold game (`ou24/theorem-3/game/bound`) bounds delta. Let V_N(n, P, Q) be the value of the game
after N rounds with n pulls of the changed arm, from the probabilities P and Q. Let w = lam^lam/(1+lam)^(1+lam), and let
M_N(n) be the exponential of lam c (T-N) plus the sum of b_n to b_(T-1). We claim that V_N(n, P, Q) <= w M_N(n)
P^(1+lam) Q^(-lam). At N = T, M is at least 1, and it is enough that (P - Q)_+ <= w P^(1+lam) Q^(-lam). This inequality
between P and Q holds because (1-t) t^lam is largest at t = lam/(1+lam). For smaller N, let (p, q) be a coin, that is,
the probabilities of pulling the changed arm on the two inputs. Let Z = M_(N+1)(n+1) p^(1+lam) q^(-lam) + M_(N+1)(n)
(1-p)^(1+lam) (1-q)^(-lam). Then V_N(n, P, Q) is at most the maximum of w P^(1+lam) Q^(-lam) Z over all coins. Because
M_(N+1)(n+1) = e^(-b_n) M_(N+1)(n), the condition on b_n gives Z <= e^(lam c) M_(N+1)(n) = M_N(n). M decreases in N and
in n. So the bound w M_1(1) e^(-lam eps), for N = n = P = 1 and Q = e^eps, covers every state in which the changed
reward may first be read. The bound w M_1(1) e^(-lam eps) is at most delta for the claimed eps. Before the changed
reward is read, P = Q, for both neighbouring relations. The argument holds for both directions (P against Q, and Q
against P), each with its own lam, c and b_n. The resulting eps is the larger one. The condition on b_n is convex in (p,
q) and holds for p = q. So the condition also covers rewards that change by less than 1, because the coins of such a
change are mixtures. With any number of arms, the coins are those of all x, and their probabilities decrease with n.
With two arms, only the coins of x <= sqrt(n+1) occur, because the two means differ by at most 1 and the difference of
the two samples has a standard deviation of at least s = 1/sqrt(n+1). The shift s and the bound on x are
largest in the last round."""
MODIFIED = """The proof of `ou24/theorem-3/law/potential` depends on the variance and on the pre-pulls in two places
only. The first place is the start of the game. The second place is the set of coins (p, q), the probabilities of
pulling the changed arm on the two inputs. The arms of the B K pre-pulls depend on no reward. A changed reward among the
pre-pulls has been read after n = B pulls of its arm and N = B K rounds. Any other changed reward is first read at some
n >= m and N >= max(B K, 1). If the pre-pulls' rewards are not used, only this second kind of changed reward matters. M
decreases in N and in n, so M at the first of these states bounds M at all of them. The logarithm of this bound is lam c
R plus the sum of b_m to b_(m+R-1), where R is the number of remaining rounds. The samples of a round are N(S/(n+1),
v/(n+1)). A changed reward shifts the sample of its arm by at most s = 1/sqrt(v (n+1)) standard deviations, and the
coins are (Phi(-x), Phi(s-x)) for all x. With two arms, the coins are those with x <= sqrt((n+1)/v), for two reasons. A
mean lies in [0, 1], and the standard deviation of the difference, sqrt(v/(n+1) + v/(N-n+1)), is at least that of the
arm's own sample. The standard deviation of the difference is smallest in the last round. The shift and the bound on x
are largest in the last round, so it is enough to use their values there. The probabilities of the coins still decrease
with n. No other part of the proof depends on v or B."""
LATE = f"""{NOTATION} {FACTS} Because n >= 99, s is at most 0.1. *Case p < c^2:* here b = 0 suffices. Let z = s sqrt(2
ln(1/p)). For k <= 3/2, both p e^(kz) and z p e^(kz) increase with p in this range, and z = Y at p = c^2. So q <= c^2
e^Y <= c/4. In the order R, (q-p) + (q-p)^2/(1-q) <= 2q <= c. In the order L, q - p <= 1 - p, so f - 1 <= q (e^(lam y) -
1) <= lam q y e^(lam y) <= lam c^2 Y e^(2Y) <= lam c. *Case p >= c^2 and q <= 1/2, order R:* here y <= Y. Let z = lam E
+ 2 lam p E^2 - lam c/p. Any b >= -lam y - ln(1-z) suffices, and b = 0 suffices if z <= 0. If z > 0, then z <= lam E
(1+E) <= lam E e^Y <= 1/2, and so -ln(1-z) <= z + z^2/(2(1-z)). Moreover, E <= y e^y and E - y <= (y^2/2) e^y. So b/lam
= (y^2/2) A + 2p y^2 e^(2Y) - c/p suffices. Because y^2 <= 2 s^2 ln(1/p) and p ln(1/p) <= 1/e, this b/lam is at most s^2
[A ln(1/p) - c (n+1)/p + (4/e) e^(2Y)]. If A >= c (n+1), the maximum of A ln(1/p) - c (n+1)/p over p is A
(ln(A/(c(n+1))) - 1). If A < c (n+1), A ln(1/p) - c (n+1)/p is negative for every p. *Case p >= c^2 and q <= 1/2, order
L:* let u = lam E' (1 - q E'/(1-p)) >= 0 and v = lam c/q. Then e^b >= e^(lam y)/(1+u+v) suffices. If v >= e^(lam Y) - 1,
b = 0 suffices. Otherwise 1+u+v <= 2 e^(lam Y) - 1 <= e^(2 lam Y), and ln(1+u+v) >= u - u^2/2 + v/(1+u+v). So b/lam =
(1+lam) y^2/2 + 2q y^2 - e^(-2 lam Y) c/q suffices. Because ln(1/p) = ln(1/q) + y, this b/lam is at most s^2 [(1+lam)
ln(1/q) - e^(-2 lam Y) c (n+1)/q + 4/e + (3+lam) Y]. The maximum over q is found like the maximum over p, with 1+lam <=
A and 4/e + 3.5 Y <= 1.5 e^(4Y). *Case q > 1/2:* here x < s, and the first of the two powers in f is at least (1 - 1.25
s)/2. By (iv), b = lam (1+lam) s^2 (1+3s) suffices. Because Y >= 2s, (1+lam) (1+3s) is at most 1.5 e^(4Y). *Larger n:*
let C = 1.5 e^(4Y), so that A <= (4/3) C, and let n+1 > 2C e^(2 lam Y)/c. Then every bracket above is negative, as 2
ln(1/p) - 3/p + 1.5 < 0, and the bound of (iv) is at most e^(lam c)."""
ANY = f"""{NOTATION} {FACTS} Let y_n = sqrt(2l/(n+1)), E_n = e^(y_n) - 1, lam = 1/(4 E_1) <= 0.0735 and c = 2
e^sqrt(l)/T. We claim that b_n/lam = E_n - y_n + 4 lam E_n^2 + 19.5 s^2 satisfies the condition of
`ou24/theorem-3/law/potential`. *Order R, p < 1/T:* here b = 0 suffices. The reason is that q <= p e^sqrt(ln(1/p)),
where the right side increases with p. So q <= e^sqrt(l)/T < 1/2, and (q-p) + (q-p)^2/(1-q) <= 2q <= c. *Order R, p >=
1/T and q <= 1/2:* here y <= y_n, 2pE <= 1 and z = lam E (1+2pE) <= 1/2. As -ln(1-z) <= z + z^2, b/lam = (E-y) + 2pE^2 +
4 lam E^2 suffices. Moreover, with v^2 = 2 ln(1/p), p E^2 <= p y^2 e^(2y) <= s^2 v^2 e^(sqrt(2) v - v^2/2) <= 9.72 s^2.
*Order R, q > 1/2:* here x < s, p >= 0.2396 and y <= 0.92, so by (iv) b/lam = 2.6 s^2 suffices. *Order L, q <= 1/T:*
here b = 0 suffices. As q - p <= 1 - p, f - 1 is at most lam q y e^(lam y), where y <= s h(x-s) + s^2 <= sqrt(ln(1/q)) +
1/2. This bound on f - 1 increases with q, so it is at most 1.16 lam (sqrt(l) + 1/2)/T <= lam c. *Order L, 1/T < q <=
1/2:* here y <= y_n + s^2, and b/lam = y^2/2 + 2q y^2 + lam y^2/2 suffices. In the expansion of y^2/2, the term y_n s^2
is at most y_n^3/6 if l >= 3, and at most 1.74 s^2 otherwise. Moreover, 2q y^2 <= 4 s^2 and lam y^2/2 <= lam E_n^2 +
s^2. So b/lam is at most the claimed b_n/lam. *Order L, q > 1/2:* the argument of the order R applies. *The sum of the
b_n:* for k >= 3, the sum of (2/m)^(k/2) over m >= 2 is at most 4.57. So the terms E_n - y_n add up to at most l^2 +
4.57 e^sqrt(l). As E_n <= E_1 y_n/y_1, the terms 4 lam E_n^2 add up to at most sum E_n sqrt(2/(n+1)) <= 2 l^1.5 + 4.57
e^sqrt(l). The terms 19.5 s^2 add up to at most 19.5 l. Finally, c T = 2 e^sqrt(l) and ln(1/delta)/lam <= 4 e^sqrt(l)
ln(1/delta)."""
GIVEN = f"""{NOTATION} {FACTS} Let g, G > 0. Given the past, let M be the largest of the other arms' samples, and let l'
be the number of pulls of the arm with this sample. Except with probability (K-1) Phi(-G), M is at most 1 +
G/sqrt(l'+1), because means are below 1. In the exceptional event, the value V of the game is at most P. Over all
rounds, this event costs d = (T-1) (K-1) Phi(-G) of delta. Otherwise x <= M sqrt(n+1), because the lower mean is at
least 0. Suppose that b_n satisfies the condition for x <= (1+g) sqrt(n+1). Let A and B be the two powers of the
condition. Suppose also that w_l' >= 0, that w_l' = 0 if G/sqrt(l'+1) <= g, and that e^(-b_n) A + e^(-lam w) B <= e^(lam
c) for x <= (1 + G/sqrt(l'+1)) sqrt(n+1). Multiply the potential by exp(lam w_l'), for every other arm and for every l'
from its number of pulls on. If the changed arm is not pulled, the arm with the sample M is pulled, and its factor
exp(lam w_l') drops out. All factors exp(lam w_l') together add (K-1) sum w to eps, at delta - d. Now let lam = 1/(4
(e^sqrt(ln R) - 1)), c = l/T, g = 1 and G^2 = 2 ln(TK/delta) = O(l), so that d <= delta/2. Let b_n = b' + b''. The part
b'' covers the coins with p >= 1/R, or q >= 1/R in the order L. For these coins, take c = w = 0. The part b'' is given
by `ou24/theorem-3/law/any-arms` with R in place of T. The sum of b'' is lam (9.2 e^sqrt(ln R) + l (ln R + 2 sqrt(ln R)
+ 19.5)). The part b' covers the other coins with x <= 2 sqrt(n+1). For n < l^1.5, b' is a constant times lam, as y <=
2.25. For larger n, b' is the b_n of `ou24/theorem-3/law/late-pulls`. The sum of b' is (1/2 + o(1)) lam l^2, as for two
arms. For l' < G^2, w = 5 e^sqrt(ln R)/R covers the remaining coins, for which A + B <= 1 + 2 lam e^sqrt(ln R)/R and B
>= 1/2. The factors with this w add (K-1) G^2 w = O(e^sqrt(ln R)/l) to eps. Moreover, l ln R = o(l^2) + o(e^sqrt(ln R))
uniformly in K."""


def one_text(*parts: str) -> str:
    return " ".join(" ".join(parts).split())


def shown_below(horizons: tuple[int, ...], closed: Any, arms: int | None) -> tuple[bool, Evidence]:
    """The closed form beside the potential's own numbers, at delta = 1e-6."""
    rows = []
    for T in horizons:
        own = max(static_moments(Sampler(T, arms), side).eps(1e-6) for side in ("right", "left"))
        rows.append([T, own, closed(log(T), 1e-6)])
    columns = ["T", above("static potential"), nearest("closed form")]
    table = table_item("eps at delta = 1e-6", columns, rows)
    return all(own <= more for _, own, more in rows), table


def any_arms_closed(length: float, delta: float) -> float:
    root = sqrt(length)
    return (4 * log(1 / delta) + 11.2) * exp(root) + length**2 + 2 * length * root + 19.5 * length


CONSTANTS = (
    enclosure_step(
        "v^2 e^(sqrt(2) v - v^2/2) <= 9.72 for 0 <= v <= 20; it falls beyond",
        lambda m, v: v**2 * m.exp(m.sqrt(m.number(2)) * v - v**2 / 2),
        lambda m, v: m.number("9.72"),
        {"v": Real(0, 20, closed=True)},
    ),
    enclosure_step("Phi(-0.7072) >= 0.2396", lambda m: m.number("0.2396"), lambda m: m.ncdf(-m.number("0.7072")), {}),
    enclosure_step(
        "(v + 0.7072)^2 e^(-v^2/2) <= 2 for 1.177 <= v <= 20; it falls beyond",
        lambda m, v: (v + m.number("0.7072")) ** 2 * m.exp(-(v**2) / 2),
        lambda m, v: m.number(2),
        {"v": Real(1.177, 20, closed=True)},
    ),
    enclosure_step(
        "e^((r + 1/2)/(4 (e^r - 1))) <= 1.16 at r = sqrt(ln 9); it falls with r",
        lambda m: m.exp((m.sqrt(m.log(m.number(9))) + 0.5) / (4 * (m.exp(m.sqrt(m.log(m.number(9)))) - 1))),
        lambda m: m.number("1.16"),
        {},
    ),
    enclosure_step(
        "the sum of (2/m)^1.5 over m >= 2, past 50 at most its integral from 50.5 on, is at most 4.57",
        lambda m: (
            2
            * m.sqrt(m.number(2))
            * (sum(1 / m.sqrt(m.number(k**3)) for k in range(2, 51)) + 2 / m.sqrt(m.number("50.5")))
        ),
        lambda m: m.number("4.57"),
        {},
    ),
)

DRAWN = """pulls_private is (eps, delta)-DP of the list of all pulls of a run whose samples are drawn one after another
(samples_chance, as in the theorem of Lemma 3): for neighbours of the relation r, rewards in [0, 1] and all events. That
such a run pulls each arm with the probability that the potential is about is a theorem too (drawn_pulls;
two_arms_drawn). Chances are Lebesgue's upper integrals, one number after another."""
PAYS = f"""pays holds the conditions on lam, c and b_n for the coins of rounds before T: with two arms round_coin is any
that a run may come to; with any number of them a threshold x is any number, and one reward moves the arm's sample by at
most 1/sqrt(variance (n+1)) deviations. loss is the formula, right and left are the two orders. {DRAWN} The variance is
1 in Algorithm 1."""
proves("theorem-3/law/potential")(
    machine_checked(__file__, "potential", PAYS)(lemma_by_argument(Reduction(one_text(POTENTIAL), ())))
)
PAYS_AFTER = f"""paid_after holds what is asked of lam, c and b_n between m = max(B, 1) and m + R pulls, both orders,
and R >= 1; start is how many pre-pulls there are. prepulled: every arm is pulled B times before the first round, in the
order of `first`, whose rewards are kept, or forgotten where `kept` is false. {DRAWN} The pre-pulls are among them."""
proves("theorem-3/law/potential/modified")(
    machine_checked(__file__, "potential_modified", PAYS_AFTER)(lemma_by_argument(Reduction(one_text(MODIFIED), ())))
)
LATE_SAYS = """late_width is Y, late_share is A and late_b is b_n. pays_both is the condition of
theorem-3/law/potential on b_n for the coin (p, q), and for (q, p). shifted 1 anywhere holds all coins of a round with n
pulls of the changed arm, for any number of arms: a threshold x is any number, and one reward moves the arm's sample by
at most 1/sqrt(n+1) deviations. The coins of two arms are among them (round_coin_shifted)."""
proves("theorem-3/law/late-pulls")(
    machine_checked(__file__, "late_pulls", LATE_SAYS)(lemma_by_argument(Reduction(one_text(LATE), ())))
)
proves("theorem-3/law/any-arms")(
    lemma_by_argument(Reduction(one_text(ANY), CONSTANTS), lambda: shown_below((9, 100, 10_000), any_arms_closed, None))
)
proves("theorem-3/law/given-arms")(lemma_by_argument(Reduction(one_text(GIVEN), ())))


THEOREM = Prices(THOUSAND, Fraction(39, 100), Fraction(31, 10_000), Fraction(1, 10**6))
ANY_THEOREM = Prices(HUNDRED, Fraction(81, 100), Fraction(919, 10_000), Fraction(1, 10**6), two=False)
ANY_THOUSAND = Prices(THOUSAND, Fraction(36, 100), Fraction(908, 100_000), Fraction(1, 10**6), two=False)
SAYS = f"""thompson_private says pulls_private of two arms without pre-pulls, for either relation r. {DRAWN}"""
ANY_SAYS = f"""any_arms_private says pulls_private of any finite list of two arms or more, for either relation r.
{DRAWN}"""


def carried(claim: Claim, prices: Prices, enough: float, own: list[list[Any]], text: str) -> Finding:
    """own: rows of sides and the eps of their best prices."""
    table = table_item("By the best prices", ["higher on the", nearest("eps")], own)
    if max(row[1] for row in own) > enough or certified_eps(prices, levels_of(prices)) > enough:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the potential does not show that much", (table,))
    return established(claim.id, text, (table, WORDS), Basis.WORDS, Basis.DOUBLES)


def by_best_prices(sampler: Sampler) -> list[list[Any]]:
    return [[side, static_moments(sampler, side).eps(1e-6)] for side in ("right", "left")]


@proves("theorem-3/law/thousand")
@machine_checked_instance(THEOREM, SAYS)
def thousand(claim: Claim, effort: Effort, seed: int) -> Finding:
    """`ou24/theorem-3/law/potential` gives the bound, with one pair (lam, c) for each of the two directions (P against
    Q, and Q against P)."""
    return carried(claim, THEOREM, ENOUGH, by_best_prices(Sampler(THOUSAND, 2)), one_text(thousand.__doc__ or ""))


@proves("theorem-3/law/thousand/round")
@machine_checked_instance(THEOREM, SAYS)
def thousand_rounds(claim: Claim, effort: Effort, seed: int) -> Finding:
    """`ou24/theorem-3/law/potential` gives the bound, with one pair (lam, c) for each of the two directions (P against
    Q, and Q against P). The bound also holds if all rewards of one round change: after this round, the mean of only one
    arm differs, because the round reads only one of the changed rewards."""
    return carried(
        claim, THEOREM, ENOUGH, by_best_prices(Sampler(THOUSAND, 2)), one_text(thousand_rounds.__doc__ or "")
    )


@proves("theorem-3/law/hundred")
@machine_checked_instance(ANY_THEOREM, ANY_SAYS)
def hundred(claim: Claim, effort: Effort, seed: int) -> Finding:
    """`ou24/theorem-3/law/potential` gives the bound with one pair (lam, c), whatever the samples of the other arms
    are, and for both neighbouring relations."""
    return carried(claim, ANY_THEOREM, ANY_ENOUGH, by_best_prices(Sampler(HUNDRED)), one_text(hundred.__doc__ or ""))


@proves("theorem-3/law/thousand/any-arms")
@machine_checked_instance(ANY_THOUSAND, ANY_SAYS)
def thousand_of_any_arms(claim: Claim, effort: Effort, seed: int) -> Finding:
    """`ou24/theorem-3/law/potential` gives the bound with one pair (lam, c), whatever the samples of the other arms
    are, and for both neighbouring relations."""
    text = one_text(thousand_of_any_arms.__doc__ or "")
    return carried(claim, ANY_THOUSAND, ANY_ENOUGH_THOUSAND, by_best_prices(Sampler(THOUSAND)), text)


def worth(horizon: int, side: str) -> float:
    """D at ORDER of a run of two arms, at most; the potential of a run bounds all shorter ones."""
    coins = static_coins(Sampler(horizon, 2), side)
    return best_price(*powers_of(coins, ORDER), coins.many, ORDER, horizon - 1)[1] / ORDER


def cells(
    side: str, least: int, most: int, divergence: Callable[[int, str], float] = worth
) -> list[tuple[int, int, float]]:
    """Cells (first T, last T, share of ln^2(first)/2 that is enough at the last one) that cover least to most; the last
    one has a share above 1 where a single T is not shown."""
    found: list[tuple[int, int, float]] = []
    first, share = least, 0.5
    while first <= most:
        length, last, wider = log(first), most, (0.99 / share) ** 0.5
        last = min(most, max(int(exp(min(length * wider, log(most) + 1))), first))
        while (share := divergence(last, side) / (length**2 / 2 * (1 - 1e-12))) > 1 and last > first:
            last = (first + last) // 2
        found.append((first, last, share))
        if share > 1:
            break
        first, share = last + 1, share * (length / log(last)) ** 2
    return found


def computed(
    claim: Claim,
    effort: Effort,
    seed: int,
    *,
    most: int = MOST,
    least_gain: float = GAIN,
    divergence: Callable[[int, str], float] = worth,
) -> Finding:
    """In both directions (P against Q, and Q against P), the Renyi divergence D = D_1.4 is at most ln^2(T)/2. D of a
    run is at least D of every shorter run, because the shorter run is a part of it. So the potential's bound at the
    largest T of an interval holds on the whole interval, and it is at most ln^2(T)/2 at the smallest T of the interval.
    Then eps = D + (ln(1/delta) + ln w)/lam with lam = 0.4, and ln w/lam = ln 0.4 - 3.5 ln 1.4 < -2.09."""
    rows: list[list[Any]] = []
    for side in ("right", "left"):
        found = cells(side, LEAST, most, divergence)
        covered = found[-1][1] if found[-1][2] <= 1 else found[-1][0] - 1
        rows.append([side, len(found), covered, max(share for _, _, share in found)])
    columns = ["the changed arm pays more on the", "cells", "shown up to T =", above("largest share of ln^2(T)/2")]
    table = table_item(f"D at order {1 + ORDER:g}, T from {LEAST}", columns, rows)
    gain = -(np.log(ORDER) - (1 + ORDER) / ORDER * np.log(1 + ORDER))
    text = one_text(computed.__doc__ or "")
    if any(row[2] < most for row in rows) or gain < least_gain + 1e-9 or SLOPE * ORDER != 1:
        return Finding(claim.id, Verdict.UNSUPPORTED, "the potential does not show that much", (table,))
    return established(claim.id, text, (table, WORDS), Basis.WORDS, Basis.DOUBLES)


EXPLICIT = f"""pulls_private is the claim's (eps, delta)-DP, for either relation r; two arms, no pre-pulls ([]), and
variance 1. explicit_loss is the formula, and the theorem holds for every eps from there on. {DRAWN}"""
proves("theorem-3/law/two-arms/explicit")(
    machine_checked(str(Path(__file__).with_name("section_3_game_law_explicit.v")), "explicit_law", EXPLICIT)(computed)
)
