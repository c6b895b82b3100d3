"""Our own proof of Lemma 8, whose printed proof is broken: E[1/p] - 1 <= 71, and <= 4/y for many pulls.

n = b + k rewards of arm 1, with mean mu and sum S; Q = 1 - Phi; h = 1/Q, which is convex and increasing, because
Phi is log-concave. p = Q(z), z = ((n+1)(mu - Delta/3) - S)/sqrt(c(n+1)).

First branch. z and 0 are at most the positive part of ((n+1) mu - S)/sqrt(n+1) (Delta -> 0, and c = 1 where z > 0).
- n = 0: z <= 1, so that 1/p < h(1).
- n >= 1, few: the bound is convex in every reward, so that rewards 0 and 1 with the same mean are worst: S is
  binomial. For mu in [low, high], replace (n+1) mu by (n+1) high, and S by a binomial with mean n low, which is
  stochastically smaller: both only raise the bound.
- n >= 1, many: D = n mu - S has P(D >= d) <= exp(-2d^2/n) (Hoeffding), and z <= (1 + D)/sqrt(n+1). So, with a =
  1/sqrt(n+1), z <= a + X where P(X >= x) <= exp(-2x^2) for x >= 0, and with k = h - 1
    E k(z) <= F(a), F(v) = k(v) + integral over x >= 0 of h'(v+x) exp(-2x^2), which increases in v.

Second branch, n + 1 >= 72c log(y)/Delta^2, y >= 4. Put s = sqrt(8 log y). Now z <= X - w with w = s - 1/(3s), so that
w^2 >= s^2 - 2/3 and E k(z) <= F(-w). For w > 0: k(-w) <= 2 Q(w) <= exp(-w^2/2); for x <= w, h' = phi/Q^2 <= 4 phi,
which gives at most (4/sqrt 5) exp(-2w^2/5); and for x = u + w > w, exp(-2x^2) <= exp(-2w^2 - 2u^2), which gives
J exp(-2w^2) with J = integral of h'(u) exp(-2u^2) from 0, J = F(0) - 1. As y = exp(s^2/8),
  y E k(z) <= exp(1/3 - 3s^2/8) + (4/sqrt 5) exp(4/15 - 11 s^2/40) + J exp(4/3 - 15 s^2/8),
which falls in s, and is largest at y = 4.

The sum over all n >= 0, without a logarithm. With N = n + 1 and q = Delta^2/(9c) in (0, 1/9], z <= X + 1/sqrt(N) -
sqrt(qN), so the sum is at most S(q) = 5.303 + sum over N >= 2 of F(1/sqrt(N) - sqrt(qN)), which falls in q: on a
range of q, q S(q) is at most its upper end times S(its lower end). For q <= QUICK_FROM, the N < 64 give at most
62 F(1/sqrt 2), and the others (N >= 64) at most the integral of F(1/8 - sqrt(u)) over u >= 0, divided by q.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import comb, inf, nextafter
from typing import Any

import numpy as np

from dpbandits.proofs_checks.formulas.algebra.identities import are_identical
from dpbandits.proofs_checks.formulas.algebra.polynomials import as_ratio, ratios
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.theorems import EXPECTATIONS, INDEPENDENCE, checked_step, machine_checked
from dpbandits.proofs_checks.papers.ou24.appendix_b_1_lemma_8_values import (
    FIRST_POINTS,
    SECOND_POINTS,
    SUM_POINTS,
    exact_table,
)
from dpbandits.proofs_checks.papers.ou24.points import search
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes
from dpbandits.proofs_checks.vocabularies.intervals import Interval, Intervals, certainly_at_most
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import above, nearest, table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Formula, Inequality, Verdict, established
from dpbandits.reference.claims.records import text_item
from dpbandits.reference.papers.ou24.appendix_b_1_lemma_8 import chapter
from dpbandits.reference.papers.ou24.page import page

proves = Proofs(page)
LEDGER: Mapping[str, Claim] = {claim.id: claim for claim in chapter.claims}
FEW = 24  # up to so many rewards, binomial sums
BLOCKS = 32  # a power of two, so that the ends of the blocks are doubles
CELLS = 32  # per unit of the integral's range
RANGE = 8  # of the integral; the rest is bounded by a series
GRID = 128  # F is tabulated in steps of 1/GRID
ROUNDING = 1e-10  # relative, for sums of at most 2^19 positive doubles: 2^19 2^-53 < 6e-11
PROOF = text_item(__doc__ or "")
m = Intervals(25)
COINS = f"""binomial_term is P(S = k) for the sum S of n rewards that are 1 with probability mu and otherwise 0,
Binomial.C n k the binomial coefficient, and Phi(-z) is p at S = k, as normal samples with the mean S/(n+1) and the
variance c/(n+1) exceed mu - gap/3 with this probability. So the sum of Phi(z)/Phi(-z) is E[1/p] - 1, over the claim's
whole domain. This first part is the claim's formula, for Bernoulli rewards. The second part is the same bound for all
rewards X 0, X 1, ... that are independent, in [0, 1] and with the mean mu; above_midpoint is p. {EXPECTATIONS}
{INDEPENDENCE}"""
SUM_SAYS = f"""X 0, X 1, ... are the rewards of arm 1, independent, in [0, 1] and with the mean mu; arm 1 has read the
first b + k of them after its k-th pull that is not a pre-pull. above_midpoint is p_{{i, tau_k + 1}}: the probability
that a normal sample with the mean (sum of n rewards)/(n + 1) and the variance c/(n + 1) exceeds mu - gap/3, n = b + k.
rounds is T - bN, and L - 1 < x <= L says that L is the ceiling of x. {EXPECTATIONS} {INDEPENDENCE}"""


def span_of_doubles(values: Any) -> Span:
    """Doubles as spans of no width."""
    values = np.asarray(values, dtype=np.float64)
    shut = np.zeros(values.shape, dtype=bool)
    return Span(values, values, shut, shut, np.full(values.shape, 2, dtype=np.int8))


def inverse_tail(x: Any) -> Any:
    """h(x) = 1/Q(x)."""
    return 1 / boxes.ncdf(-x)


def excess_above(v: Array) -> Array:
    """Numbers above F(v), elementwise, for multiples v <= 1 of 1/GRID (so that v + x is exact in doubles).

    On a cell h' rises and exp(-2x^2) falls, so (Chebyshev) the integral of their product is at most h's difference
    times the mean of the exponential, sqrt(pi/2) (Q(2x) - Q(2x'))/(x' - x). Beyond RANGE, cells of length 1 from
    t_j = 1 + RANGE + j: h(t) <= sqrt(2 pi) (t + 1/t) exp(t^2/2), since Q(t) >= phi(t) t/(1+t^2). Their terms
    exp(t_{j+1}^2/2 - 2 (RANGE + j)^2) fall by more than exp(-20) from one to the next.
    """
    steps = np.arange(RANGE * CELLS + 1) / CELLS
    h = inverse_tail(span_of_doubles(v[:, None] + steps))
    tails = boxes.ncdf(-2 * span_of_doubles(steps))
    mass = np.nextafter(tails.high[:-1] - tails.low[1:], inf)
    weight = (span_of_doubles(mass) * boxes.sqrt(boxes.pi / 2) * CELLS).high
    body = np.nextafter(h.high[:, 1:] - h.low[:, :-1], inf) @ weight * (1 + ROUNDING)
    t = m.number(RANGE + 2)
    rest = 2 * m.sqrt(2 * m.pi) * (t + 1 / t) * m.exp(t**2 / 2 - 2 * RANGE**2)
    return np.asarray(h.high[:, 0] - 1 + body + rest.bounds[1]) * (1 + ROUNDING)


def excess_at(v: float) -> Interval:
    """A number above F(v), v <= 1: F at the next grid point."""
    return m.number(float(excess_above(np.array([np.ceil(v * GRID) / GRID]))[0]))


@lru_cache(maxsize=1)
def first_bounds() -> tuple[tuple[str, Interval], ...]:
    """Bounds for E[1/p] - 1 in the three cases of the first branch."""
    none = 1 / m.ncdf(-1) - 1
    few = max(few_bound(n) for n in range(1, FEW + 1)) - 1
    many = excess_at((FEW + 2) ** -0.5)
    return (
        ("no reward: 1/Q(1) - 1", none),
        (f"1 to {FEW} rewards: binomial sums over {BLOCKS} ranges of mu", m.number(few)),
        (f"more than {FEW} rewards: Hoeffding", many),
    )


def few_bound(n: int) -> float:
    """A number above E[1/p] for n >= 1 rewards, whatever mu, gap and c are."""
    low, high = span_of_doubles(np.arange(BLOCKS) / BLOCKS), span_of_doubles(np.arange(1, BLOCKS + 1) / BLOCKS)
    total: Any = span_of_doubles(np.zeros(BLOCKS))
    for k in range(n + 1):
        z = boxes.maximum(((n + 1) * high - k) / boxes.sqrt(n + 1), 0)
        total = total + comb(n, k) * low**k * (1 - low) ** (n - k) * inverse_tail(z)
    return float(total.high.max())


@proves("lemma-8/first/sharp")
def first_branch(claim: Claim, effort: Effort, seed: int) -> Finding:
    """E[1/p] - 1 <= a number: the proof above, and the exact values at many points."""
    found = search(claim, FIRST_POINTS)
    if found.verdict is Verdict.REFUTED or not same_statement(claim):
        return found
    limit = coefficient(claim, lambda m, **variables: m.number(1))
    printed = printed_number(limit)
    rows = [[what, printed, bound.bounds[1]] for what, bound in first_bounds()]
    evidence = (
        table_item(
            "Upper bounds for E[1/p] - 1 (rounded up)",
            ["case", above("claimed: at most"), above("proved: at most")],
            rows,
        ),
        exact_table(printed),
        *found.evidence,
    )
    if limit is not None and all(certainly_at_most(bound, limit) for _, bound in first_bounds()):
        worst = max(bound.bounds[1] for _, bound in first_bounds())
        summary = f"E[1/p] - 1 is at most {worst:.5f}, by a proof that differs from the paper's proof."
        return established(claim.id, summary, (*evidence, PROOF), Basis.WORDS, Basis.INTERVALS)
    return Finding(claim.id, Verdict.CONSISTENT, found.summary, evidence, found.resolution)


proves("lemma-8/first")(machine_checked(__file__, "lemma_8_first", COINS)(first_branch))


def second_bound() -> Interval:
    """A number above y E[1/p] - y, for y >= 4."""
    square = 8 * m.log(4)
    return (
        m.exp(m.number("1/3") - 3 * square / 8)
        + 4 / m.sqrt(5) * m.exp(m.number("4/15") - 11 * square / 40)
        + (excess_at(0) - 1) * m.exp(m.number("4/3") - 15 * square / 8)
    )


@proves("lemma-8/second")
@machine_checked(__file__, "lemma_8_second", COINS)
def second_branch(claim: Claim, effort: Effort, seed: int) -> Finding:
    """E[1/p] - 1 <= a number/y in the lemma's range: the proof above, and the exact values at some points."""
    found = search(claim, SECOND_POINTS)
    if found.verdict is Verdict.REFUTED or not same_statement(claim):
        return found
    limit = coefficient(claim, lambda m, y, **variables: 1 / y)
    bound = second_bound()
    rows = [["y (E[1/p] - 1), y >= 4", printed_number(limit), bound.bounds[1]]]
    evidence = (
        table_item("Upper bound (rounded up)", ["quantity", above("claimed: at most"), above("proved: at most")], rows),
        *found.evidence,
    )
    if limit is not None and certainly_at_most(bound, limit):
        summary = f"E[1/p] - 1 is at most {bound.bounds[1]:.4f}/y, by a proof that differs from the paper's proof."
        return established(claim.id, summary, (*evidence, PROOF), Basis.WORDS, Basis.INTERVALS)
    return Finding(claim.id, Verdict.CONSISTENT, found.summary, evidence, found.resolution)


proves("eq-8/second-step/repaired")(checked_step(__file__, "eq_8_second_step", SUM_SAYS))


# -- the sum over all numbers of pulls ---------------------------------------------------------------------------

LOWEST = -14  # of F's table: F(v) <= 4 exp(-2v^2/5) < 1e-33 below
NOTHING = 1e-25  # more than all that lies below adds to q S(q)
QUICK_FROM = 1e-3  # q below this are bounded together
LADDER = ((0.03, 1.02), (0.005, 1.1), (QUICK_FROM, 1.3))  # down to this q, in steps of this factor


@lru_cache(maxsize=1)
def excess_table() -> tuple[Array, Array]:
    """Grid points v from LOWEST to 3/4, and numbers above F(v) there."""
    v = np.arange(LOWEST * GRID, 3 * GRID // 4 + 1) / GRID
    return v, np.concatenate([excess_above(part) for part in np.array_split(v, 16)])


def looked_up(v: Array) -> Array:
    """Numbers above F(v), by the grid point above; 0 below the table, see NOTHING."""
    grid, values = excess_table()
    place = np.floor((v - LOWEST) * GRID).astype(int) + 1
    return np.where(place < 1, 0.0, values[np.clip(place, 0, len(grid) - 1)])


def summed_from(q: float) -> float:
    """A number above S(q) without what NOTHING covers."""
    N = np.arange(2, int((1 - LOWEST) ** 2 / q) + 2, dtype=np.float64)
    return FIRST + float(looked_up(1 / np.sqrt(N) - np.sqrt(q * N)).sum()) * (1 + ROUNDING)


FIRST = 5.303  # above E[1/p] - 1 for n = 0, see first_bounds


@lru_cache(maxsize=1)
def summed_bounds() -> tuple[tuple[float, float, float], ...]:
    """(low, high, a number above 9 q S(q) for low <= q <= high); the ranges cover (0, 1/9]."""
    rows, high = [], nextafter(1 / 9, 1)
    for end, factor in LADDER:
        while high > end:
            low = high / factor
            rows.append((low, high, 9 * (high * summed_from(low) + NOTHING)))
            high = low
    grid, values = excess_table()
    near = grid <= 0.125
    squares = (0.125 - grid[near]) ** 2
    integral = float(values[near][1:] @ (squares[:-1] - squares[1:])) * (1 + ROUNDING)
    worst = high * (FIRST + 62 * excess_at(2**-0.5).bounds[1]) + integral + NOTHING
    return (*rows, (0.0, high, 9 * worst))


@proves("lemma-8/summed")
def summed(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The sum of E[1/p] - 1 over n is at most a number times c/Delta^2: the proof above, and some exact sums."""
    found = search(claim, SUM_POINTS)
    if found.verdict is Verdict.REFUTED or not same_statement(claim):
        return found
    limit = coefficient(claim, lambda m, c, gap, **variables: c / gap**2)
    bounds = summed_bounds()
    shown = (bounds[0], bounds[len(bounds) // 2], bounds[-1])
    rows = [[low, high, printed_number(limit), bound] for low, high, bound in shown]
    columns = [
        nearest("Delta^2/(9c) from"),
        nearest("to"),
        above("Delta^2/c times the sum, claimed: at most"),
        above("proved: at most"),
    ]
    evidence = (table_item(f"Three of {len(bounds)} ranges", columns, rows), *found.evidence)
    worst = max(bound for _, _, bound in bounds)
    if limit is not None and certainly_at_most(m.number(worst), limit):
        summary = f"The sum is at most {worst:.4f} c/Delta^2."
        return established(claim.id, summary, (*evidence, PROOF), Basis.WORDS, Basis.INTERVALS)
    return Finding(claim.id, Verdict.CONSISTENT, found.summary, evidence, found.resolution)


def coefficient(claim: Claim, shape: Formula) -> Interval | None:
    """The number K where the claim's right side is K shape, else None. shape: 1 where all variables are 1."""
    says = claim.says
    assert isinstance(says, Inequality)
    try:
        at_one = as_ratio(says.right(ratios, **{name: as_ratio(1) for name in says.over}))
        scale = at_one.top[()] / at_one.bottom[()]
        same = are_identical(says.right, lambda m, **given: m.number(scale) * shape(m, **given), tuple(says.over))
    except TypeError:
        return None
    return m.number(scale) if same else None


def printed_number(limit: Interval | None) -> float | None:
    """The claimed number as tables show it; None where the claim has another shape."""
    return None if limit is None else limit.bounds[1]


def same_statement(claim: Claim) -> bool:
    """Whether the claim is about the ledger's quantity under the ledger's conditions; only its limit may differ."""
    says, ledger = claim.says, LEDGER[claim.id].says
    assert isinstance(says, Inequality)
    assert isinstance(ledger, Inequality)
    return (says.left, says.over, says.given) == (ledger.left, ledger.over, ledger.given)
