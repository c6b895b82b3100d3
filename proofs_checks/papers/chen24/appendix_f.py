"""Appendices F and I: from products of sets to all sets, without and with delta; the probability of (113)'s gamma^-."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import NamedTuple

from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.proofs import Proofs
from dpbandits.proofs_checks.formulas.reductions import (
    Reduction,
    enclosure_step,
    lemma_by_argument,
    lemma_by_reduction,
    one_line,
)
from dpbandits.proofs_checks.formulas.theorems import INTEGRALS, machine_checked
from dpbandits.proofs_checks.papers.chen24.evidence import refuted, tried
from dpbandits.reference.claims.findings import table_item
from dpbandits.reference.claims.model import Basis, Claim, Finding, Real, established
from dpbandits.reference.papers.chen24 import appendix_f as claims
from dpbandits.reference.papers.chen24.page import page

proves = Proofs(page)

Cell = tuple[int, int]
Chances = Mapping[Cell, Fraction]  # of two coordinates
CASES = 60


class Laws(NamedTuple):
    """P and P' of two coordinates, and e^eps."""

    one: Chances
    other: Chances
    factor: Fraction


def excess(laws: Laws, cells: set[Cell]) -> Fraction:
    """P - e^eps P' of a set."""
    return sum((laws.one[cell] - laws.factor * laws.other[cell] for cell in cells), Fraction(0))


def over_all(laws: Laws) -> Fraction:
    """The largest excess of any set, attained by the union of all cells with positive excess."""
    return excess(laws, {cell for cell in laws.one if excess(laws, {cell}) > 0})


def over_products(laws: Laws) -> Fraction:
    """The largest excess of a product of sets, by listing them; 0 for the empty one."""
    rows, columns = ({cell[k] for cell in laws.one} for k in (0, 1))
    return max(excess(laws, set(product(some, others))) for some in subsets(rows) for others in subsets(columns))


def subsets(values: set[int]) -> list[list[int]]:
    kept = product((False, True), repeat=len(values))
    return [[value for value, keep in zip(sorted(values), bits, strict=True) if keep] for bits in kept]


def random_chances(dice: Random, cells: list[Cell]) -> Chances:
    weights = [dice.randrange(6) for _ in cells]
    weights[0] += not any(weights)
    return {cell: Fraction(weight, sum(weights)) for cell, weight in zip(cells, weights, strict=True)}


def numbered(seed: int) -> Iterator[Laws]:
    """Random laws on grids of 2 to 4 by 2 to 4."""
    for number in range(CASES):
        dice = Random(f"chen24 products {seed} {number}")
        cells = list(product(range(dice.randint(2, 4)), range(dice.randint(2, 4))))
        yield Laws(random_chances(dice, cells), random_chances(dice, cells), Fraction(dice.randint(4, 12), 4))


def wrong_products(laws: Laws, over: Callable[[Laws], Fraction] = over_products) -> str:
    every, some = over_all(laws), over(laws)
    return "" if (every > 0) == (some > 0) else f"P - {laws.factor} P' is {every} of a set, {some} of products"


SETS = """An outcome has n coordinates, each with a sigma-algebra of its own, sets i; n and the coordinates are any.
product_of n X A is the product of the sets A 0, ..., A (n - 1), and measurable_set says that a set is in the
sigma-algebra that the products of measurable sets generate. P and P' are probability measures on it: additive, and
continuous along increasing sets, which together is countable additivity."""


@proves("appendix-f/products")
@machine_checked(__file__, "products_suffice", SETS)
def without_delta(claim: Claim, effort: Effort, seed: int) -> Finding:
    """The intersection of two products of sets is a product, and the complement of a product is a disjoint union of
    finitely many products. So e^eps P' - P, which is nonnegative on products, is nonnegative on their finite unions,
    and by approximation (Caratheodory) on every set of the sigma-algebra that they generate."""
    words = one_line(without_delta)
    return tried(claim, words, numbered(seed), wrong_products, "pairs of laws of two coordinates")


COINS = Laws(
    {(a, b): Fraction(int(a == b), 2) for a, b in product((0, 1), repeat=2)},
    {(a, b): Fraction(1, 4) for a, b in product((0, 1), repeat=2)},
    Fraction(6, 5),
)


@proves("appendix-i/products")
def with_delta(claim: Claim, effort: Effort, seed: int, *, coins: Laws = COINS) -> Finding:
    """Two coins: all sets of their four outcomes."""
    every, some = over_all(coins), over_products(coins)
    rows = [["products of sets", str(some)], ["all sets", str(every)]]
    title = f"The largest P - {coins.factor} P', two coins that agree against independent ones"
    evidence = (table_item(title, ["over", f"P - {coins.factor} P'"], rows),)
    if every > some:
        return refuted(
            claim, f"For all products, delta = {some} is enough. For all sets, delta = {every} is needed.", evidence
        )
    return established(
        claim.id, "the two coins need the same delta for products and for all sets", evidence, Basis.ALGEBRA
    )


EQ_52 = Reduction(
    "The event D'_p is about the phases before p and about the numbers of pulls in phase p. The noisy means of the "
    "phases before p do not contain the changed reward. The numbers of pulls are functions of these noisy means.",
    (),
)

BEFORE = f"""M is p - 1. The model of DP-BAI is that of proposition-4.1: block and each say which arms the next
phase pulls, and how often each, given the noisy means w of the phases so far; estimates of arms that are not pulled
are functions of w too. t and u are the two tables, which differ in reward m + 1 of arm j. event is any condition on
the noisy means of the first M phases, and so on all numbers of pulls up to phase p; pulls_in is N_j^(M). By (48)
phase p is the first one that reads the changed reward, so the event allows at most m pulls of arm j before it.
in_event says that M phases have ended and that the condition holds. {INTEGRALS}"""

proves("eq-52")(machine_checked(__file__, "eq_52", BEFORE)(lemma_by_argument(EQ_52)))

EQ_112 = Reduction(
    "The noisy means of the other pulled arms do not contain the changed reward or its noise, and the pulls of phase "
    "p are a function of the earlier phases. So D'_p has the same probability on both tables, and given D'_p the "
    "noisy mean with the changed reward has the density f(x - mu_x). Given x as well, the estimates of arms that are "
    "not pulled, and everything later, have the same law on both tables.",
    (),
)

proves("eq-112/repaired")(lemma_by_argument(EQ_112))

EQ_113 = Reduction(
    "The left side is Q(z) with z = s - eps/(2 s), which grows with eps, so it is at most its value at z = s - 0.9/s. "
    "If this z >= 0, then Q(z) <= e^{-z^2/2}/2 and z^2 >= s^2 - 1.8, so Q(z) is at most e^{0.9}/2 e^{-s^2/2}. If z < "
    "0, then s < 0.95, and the bound holds by interval arithmetic.",
    (
        enclosure_step("e^0.9/2 <= 1.25", lambda m: m.exp(m.number("0.9")) / 2, lambda m: m.number("1.25"), {}),
        enclosure_step(
            "Q(s - 0.9/s) <= 1.25 e^{-s^2/2} for 0.668 <= s <= 0.95",
            lambda m, s: m.ncdf(m.number("0.9") / s - s),
            lambda m, s: m.number("1.25") * m.exp(-s * s / 2),
            {"s": Real(0.668, 0.95, closed=True)},
        ),
    ),
)

THRESHOLD = """z = s - eps/(2 s) is the threshold, over the claim's whole domain; 18/10 is 1.8, 668/1000 is 0.668 and
125/100 is 1.25. Phi is 1/2 and the integral of the normal density from 0 on."""

proves("eq-113/repaired")(
    machine_checked(__file__, "eq_113_repaired", THRESHOLD)(lemma_by_reduction(EQ_113, claims.eq_113_repaired))
)

GAUSS = """Every reward of the table enters the noisy mean of one arm in one phase, or is not read. Before the phase
that reads the changed reward, both tables give the same law. Condition on all noise except that of the one mean with
this reward. Then the releases are a function of this noisy mean, which is a Gaussian mechanism with mu = eps/s, s^2 = 2
log(1.25/delta). The delta(eps) of this mechanism is at most delta (proposition-d.2/repaired), and averaging over the
other noise preserves this bound."""
THEOREM = f"""gauss_chance draws the noisy means of all phases in turn, each of the next rewards of its arm, with normal
noise of the variance of lines 10 and 16; block, each and recommended are what is computed from them: which arms the
next phase pulls, how often (once at least), and what is recommended, any functions, the algorithm's among them. 37/10
is 3.7 and 125/100 is 1.25; bounded is a table in [0, 1], near pull one reward changed, and an event is any set of pulls
of all phases with a recommendation. {INTEGRALS}"""

proves("proposition-d.2/repaired/policy")(
    machine_checked(__file__, "proposition_d_2_policy", THEOREM)(
        lemma_by_argument(Reduction(" ".join(GAUSS.split()), ()))
    )
)
