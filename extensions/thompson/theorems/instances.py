"""Writes Rocq theorems with specific numbers: Thompson sampling with two arms, or with any number of arms, is
(eps, delta)-private in T rounds.

In the static potential (`thompson.v`, `arms.v`), each round has prices. They determine the corners of a polygon that
contains all possible probabilities of a pull, and the price of each pull. None of these numbers is trusted: the kernel
computes (`priced_levels.v`) that the corners lie above the tangents, that the prices cover each corner, and the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, isqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from mpmath import exp, floor, log, mpf, ncdf, workprec

PLACES_PER_UNIT = 64  # thresholds and shifts are multiples of 1/64
FAR = 352  # beyond 5.5 thresholds are paid for by tails
CORNER_UNIT, WORTH_UNIT = 1 << 44, 10**6
PROPOSED_BITS = 200  # bits of what is proposed
LIFTED = mpf(2) ** -37  # so far above tangents corners are put, times 1 + their slope
EPS_UNIT = 100  # the eps of a theorem is a multiple of 1/100
PAID = mpf(10) ** -9  # so much of its price a corner leaves over, for the width of the kernel's intervals
SPACING = 600, 8, 36  # of tangents, in 1/64: 600 over the shift in 1/64, within these ends


class Prices(NamedTuple):
    """The numbers of a theorem: `horizon` rounds, variance 1, either relation. order: lam, of Renyi order 1 + lam.
    price: of a round, times lam. two: whether for two arms, or for any number."""

    horizon: int
    order: Fraction
    price: Fraction
    delta: Fraction
    two: bool = True


class PaidLevel(NamedTuple):
    """Rounds after `first` to `last` pulls of the changed arm, or after any larger number. shift: the largest, and far:
    the largest threshold, in 1/64. tangents: at which -x they touch, in 1/64. corners: in 1/CORNER_UNIT. worth: what a
    pull is worth, in millionths."""

    first: int
    last: int | None
    shift: int
    far: int
    tangents: tuple[int, ...]
    corners: tuple[tuple[int, int], ...]
    worth: int


def levels_of(prices: Prices) -> list[PaidLevel]:
    """Returns ranges of pull counts (levels) that cover all rounds, in order; the last one has no end.
    Raises ValueError for prices that are too small."""
    with workprec(PROPOSED_BITS):
        found: list[PaidLevel] = []
        while not found or found[-1].last is not None:
            first = 1 if not found else (found[-1].last or 0) + 1
            found.append(level_from(first, prices))
        return found


def level_from(first: int, prices: Prices) -> PaidLevel:
    """Returns the range of pull counts (level) that begins at `first`, with its polygon and price of a pull.
    It contains the corners of its polygon and the price of a pull."""
    shift = isqrt(PLACES_PER_UNIT * PLACES_PER_UNIT // (first + 1))
    shift += shift * shift * (first + 1) < PLACES_PER_UNIT * PLACES_PER_UNIT
    narrower = shift - (1 if first < 14 else 2)
    last = max(first, (PLACES_PER_UNIT * PLACES_PER_UNIT - 1) // max(narrower, 1) ** 2 - 1)
    reached = isqrt((last + 1) * PLACES_PER_UNIT * PLACES_PER_UNIT - 1) + 1
    far = min(reached, FAR) if prices.two else FAR
    tangents, corners = corners_around(shift, far)
    worth = price_of_pull(prices, corners)
    if worth == 0:
        tangents, corners = corners_around(shift, FAR)
        if price_of_pull(prices, corners) == 0:
            return PaidLevel(first, None, shift, FAR, tangents, corners, 0)
    return PaidLevel(first, last, shift, far, tangents, corners, worth)


def corners_around(shift: int, far: int) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Returns the tangents to the curve of coins, by their thresholds, and the corners of a polygon above the curve.
    They range from before the coin of the threshold `far` to beyond that of -far."""
    over, least, most = SPACING
    count = ceil(2 * far / max(least, min(most, over // shift)))
    tangents = tuple(round((2 * i + 1) * far / count) - far for i in range(count))
    lines = [tangent(shift, each) for each in tangents]
    low = int(floor(ncdf(mpf(-far) / PLACES_PER_UNIT) * CORNER_UNIT * (1 - mpf(2) ** -12))) - 1
    high = CORNER_UNIT - int(floor(ncdf(mpf(-far) / PLACES_PER_UNIT) * CORNER_UNIT * (1 - mpf(2) ** -10)))
    between = [int(floor((b - d) / (c - a) * CORNER_UNIT)) for (a, b), (c, d) in pairwise(lines)]
    places = [low, *between, high]
    beside = [lines[:1], *([one, other] for one, other in pairwise(lines)), lines[-1:]]
    return tangents, tuple((p, height_above(p, at)) for p, at in zip(places, beside, strict=True))


def tangent(shift: int, place: int) -> tuple[mpf, mpf]:
    """The slope of the tangent at the threshold -place/64, and its value q at p = 0."""
    s, x = mpf(shift) / PLACES_PER_UNIT, -mpf(place) / PLACES_PER_UNIT
    slope = exp(s * x - s * s / 2)
    return slope, ncdf(s - x) - slope * ncdf(-x)


def height_above(p: int, lines: list[tuple[mpf, mpf]]) -> int:
    """A height, in units of 1/CORNER_UNIT, clearly above all of these lines at p."""
    above = max(slope * p / CORNER_UNIT + height + (1 + slope) * LIFTED for slope, height in lines)
    return int(floor(above * CORNER_UNIT)) + 1


def price_of_pull(prices: Prices, corners: tuple[tuple[int, int], ...]) -> int:
    """Returns the smallest price of a pull (in millionths) that satisfies the potential's inequality at each corner.
    The price is in millionths. The inequality must hold at (p, q) and also at (q, p). Raises ValueError if the price of
    a round is too small."""
    lam, most, least = as_mpf(prices.order), exp(as_mpf(prices.price)) * (1 - PAID), mpf(0)

    def power_product(x: mpf, y: mpf) -> mpf:
        """x (x/y)^lam, for the order lam of the potential."""
        return x * exp(lam * (log(x) - log(y)))

    for corner in corners:
        p, q = (mpf(each) / CORNER_UNIT for each in corner)
        for one, other in ((p, q), (q, p)):
            left = most - power_product(1 - one, 1 - other)
            if left <= 0:
                raise ValueError(
                    f"the price {prices.price} of a round is too low at order {prices.order}; give a larger price"
                )
            least = max(least, log(power_product(one, other) / left))
    return ceil(least * WORTH_UNIT + mpf(1) / 100) if least > 0 else 0


def as_mpf(fraction: Fraction) -> mpf:
    """A fraction as an mpmath number, rounded to the working precision."""
    return mpf(fraction.numerator) / fraction.denominator


def total_price(levels: Sequence[PaidLevel]) -> int:
    """The sum of the prices of all pulls on all levels except the last one, in units of 1/WORTH_UNIT."""
    return sum(each.worth * (each.last - each.first + 1) for each in levels if each.last is not None)


def certified_eps(prices: Prices, levels: Sequence[PaidLevel]) -> Fraction:
    """Returns the eps that the theorem with these prices states, rounded up to a multiple of 1/EPS_UNIT."""
    with workprec(PROPOSED_BITS):
        lam = as_mpf(prices.order)
        loss = (prices.horizon - 1) * as_mpf(prices.price) + mpf(total_price(levels)) / WORTH_UNIT
        share = lam * log(lam / (1 + lam)) - log(1 + lam)
        return Fraction(ceil(EPS_UNIT * (share + loss - log(as_mpf(prices.delta))) / lam + mpf(1) / 1000), EPS_UNIT)


# -- as Rocq reads it ----------------------------------------------------------------------------------------------


def number(value: Fraction) -> str:
    """A fraction in Rocq's syntax."""
    return f"({value.numerator} / {value.denominator})" if value >= 0 else f"(- {number(-value)})"


def level_text(level: PaidLevel) -> str:
    """One level as a term in Rocq's syntax."""
    last = "None" if level.last is None else f"(Some {level.last})"
    tangents = "; ".join(map(str, level.tangents))
    corners = "; ".join(f"({p}, {q})" for p, q in level.corners)
    about = f"{level.first} {last} {level.shift} {level.far}"
    return f"Build_level {about} [{tangents}] [{corners}] {level.worth}"


def pair(fraction: Fraction) -> str:
    """A fraction as a pair of integers in Rocq's syntax."""
    return f"({fraction.numerator}, {fraction.denominator})"


def instance_text(prices: Prices, levels: Sequence[PaidLevel]) -> str:
    """Returns the Rocq text of the theorem `thompson_private_here` with its proof by computation."""
    eps = certified_eps(prices, levels)
    about = f"{number(eps)} {number(prices.delta)} {prices.horizon}"
    kind = "two_arms" if prices.two else "any_arms"
    private = "thompson_private" if prices.two else "any_arms_private"
    fractions = " ".join(map(pair, (prices.order, prices.price, eps, prices.delta)))
    return "\n".join(
        [
            "From Coq Require Import Reals List ZArith Bool.",
            "From Dpbandits Require Import moments rewards thompson arms thompson_samples drawn_thompson.",
            "From Dpbandits Require Import normal_series priced_levels drawn_witnesses satisfiable.",
            "Import ListNotations.",
            "Open Scope R_scope.",
            "Definition levels_here : list level := [",
            ";\n".join(map(level_text, levels)),
            "]%Z.",
            f"Definition run_here := Build_priced_run {str(prices.two).lower()} {prices.horizon}%nat",
            f"  {fractions}%Z levels_here.".replace(") (", ")%Z ("),
            "Lemma computed : run_right run_here = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
            f"Theorem thompson_private_here : {private} 1 {about}.",
            f"Proof. exact ({kind}_run run_here computed eq_refl). Qed.",
            "Lemma thompson_private_here_witness : satisfiable thompson_private_here.",
            f"Proof. exact {kind}_witness. Qed.",
            "",
        ]
    )


def write_instance(prices: Prices, folder: Path) -> Path:
    """Writes the Rocq file of a theorem with these prices, and returns the file.
    Raises ValueError for prices that are too small."""
    file = folder / f"thompson_{prices.horizon}_{crc32(repr(prices).encode()):08x}.v"
    file.write_text(instance_text(prices, levels_of(prices)), encoding="utf-8")
    return file
