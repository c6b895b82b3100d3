"""Writes Rocq theorems with specific numbers: Thompson sampling with two arms, or with any number of arms, is
(eps, delta)-private in T rounds.

In the static potential (`thompson.v`, `arms.v`), each round has prices. They determine the corners of a polygon that
contains all possible probabilities of a pull, and the price of each pull. None of these numbers is trusted: the kernel
checks that the corners lie above the tangents, that the prices cover each corner, and the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, isqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from mpmath import erf, exp, floor, log, mpf, ncdf, pi, sqrt, workprec

PLACES_PER_UNIT = 64  # thresholds and shifts are multiples of 1/64
FAR = 352  # beyond 5.5 thresholds are paid for by tails
TABLE_UNIT, CORNER_UNIT, WORTH_UNIT = 1 << 48, 1 << 44, 10**6
PROPOSED_BITS = 200  # bits of what is proposed
LIFTED = mpf(2) ** -37  # so far above tangents corners are put, times 1 + their slope, for the table's width
TABLED = FAR + 46  # up to so many 64ths Phi is tabled: no shift is larger than 1/sqrt(2)
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


def total_price(levels: list[PaidLevel]) -> int:
    """The sum of the prices of all pulls on all levels except the last one, in units of 1/WORTH_UNIT."""
    return sum(each.worth * (each.last - each.first + 1) for each in levels if each.last is not None)


def certified_eps(prices: Prices, levels: list[PaidLevel]) -> Fraction:
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


def grid(place: int) -> str:
    """The fraction place/64 in Rocq's syntax."""
    return parts_of(place, PLACES_PER_UNIT)


def parts_of(parts: int, unit: int) -> str:
    """The fraction parts/unit in Rocq's syntax."""
    return f"({parts} / {unit})" if parts >= 0 else f"(- ({-parts} / {unit}))"


def pair(corner: tuple[int, int]) -> str:
    """A corner (p, q) in Rocq's syntax."""
    return f"({corner[0]} / {CORNER_UNIT}, {corner[1]} / {CORNER_UNIT})"


def tabled(place: int) -> str:
    """The name, in Rocq's syntax, of the lemma that bounds Phi(place/64)."""
    return f"Phi_{place}" if place >= 0 else f"(Phi_below _ _ _ Phi_{-place})"


def table_text(most: int = TABLED) -> str:
    """Rocq text with lemmas that prove bounds on Phi(k/64), for k up to `most`."""
    lines = ["From Coq Require Import Reals Lra.", "From Coquelicot Require Import Coquelicot."]
    lines += ["From Interval Require Import Tactic.", "From Dpbandits Require Import normal normal_steps."]
    lines += ["Open Scope R_scope."]
    with workprec(PROPOSED_BITS):
        for k in range(1, most + 1):
            low, high = area_bounds(k)
            step = f"replace {k} with ({k - 1} + 1) by ring. next area_at_{k - 1}."
            lines.append(f"Lemma area_at_{k} : area_between {k} {low} {high}. Proof. {step} Qed.")
            least, most = phi_bounds(k)
            lines.append(f"Lemma Phi_{k} : Phi_between {grid(k)} {least} {most}. Proof. by_area area_at_{k}. Qed.")
    return "\n".join(lines) + "\n"


def phi_bounds(k: int) -> tuple[int, int]:
    """Bounds on Phi(k/64), in units of the table; k >= 0."""
    middle = TABLE_UNIT // 2
    if k == 0:
        return middle, middle
    (low, high), root = area_bounds(k), sqrt(2 * pi)
    return int(floor(middle + low / root)) - 1, int(floor(middle + high / root)) + 2


def area_bounds(k: int) -> tuple[int, int]:
    """Bounds on the area under exp(-t^2/2) from 0 to k/64, in units of the table, with room for each step's width."""
    area, room = sqrt(pi / 2) * erf(mpf(k) / PLACES_PER_UNIT / sqrt(2)) * TABLE_UNIT, 3 * (k + 1)
    return int(floor(area)) - room, int(floor(area)) + 1 + room


def beginning(prices: Prices, levels: list[PaidLevel], table: str) -> str:
    """Returns the Rocq text before the theorem `thompson_private_here`.
    table: the line that loads the table's file."""
    worth = [f"  if (n <=? {each.last})%nat then {each.worth} else" for each in levels[:-1]]
    return "\n".join(
        [
            "From Coq Require Import Reals Lra Lia List ZArith Bool.",
            "From Coquelicot Require Import Coquelicot.",
            "From Interval Require Import Tactic.",
            "From Dpbandits Require Import normal moments coins rewards thompson arms thompson_samples drawn_thompson "
            "normal_steps potential drawn_witnesses satisfiable.",
            table,
            "Import ListNotations.",
            "Open Scope R_scope.",
            f"Definition lam : R := {number(prices.order)}.",
            f"Definition price : R := {number(prices.price)}.",
            f"Definition scale : Z := {WORTH_UNIT}.",
            f"Definition last_level : nat := {levels[-1].first}.",
            "Definition worth (n : nat) : Z :=",
            *worth,
            "  0%Z.",
            "Lemma lam_positive : 0 < lam. Proof. unfold lam; lra. Qed.",
            "Lemma price_positive : 0 <= price. Proof. unfold price; lra. Qed.",
            "Lemma price_at_least : 1 <= exp price. Proof. rewrite <- exp_0. apply exp_le, price_positive. Qed.",
            "Lemma worth_positive n : (0 <= worth n)%Z.",
            "Proof.",
            "unfold worth. repeat match goal with |- context [(n <=? ?m)%nat] => destruct (n <=? m)%nat end; lia.",
            "Qed.",
        ]
    )


def level_text(name: int, level: PaidLevel, prices: Prices) -> str:
    """Returns the Rocq text about one level: its corners, and the proof of the potential's inequality at each.
    Its corners, and the proof that the potential's inequality holds at each of them."""
    s, worth = number(Fraction(level.shift, PLACES_PER_UNIT)), parts_of(level.worth, WORTH_UNIT)
    corners = [pair(each) for each in level.corners]
    lines = [
        f"Lemma edge_{name}_{i} : edge {s} {corners[i]} {corners[i + 1]}. "
        f"Proof. edge_check {grid(-place)} {tabled(level.shift + place)} {tabled(place)}. Qed."
        for i, place in enumerate(level.tangents)
    ]
    lines += [
        f"Lemma paid_{name}_{i} : paid lam price {worth} {corner}. Proof. paid_check lam price. Qed."
        for i, corner in enumerate(corners)
    ]
    bounded = f"(n <= {level.last})%nat -> " if level.last else ""
    edges, paid = "Logic.I", "(List.Forall_nil _)"
    for i in reversed(range(len(level.tangents))):
        edges = f"(conj edge_{name}_{i} {edges})"
    for i in reversed(range(len(corners))):
        paid = f"(List.Forall_cons _ paid_{name}_{i} {paid})"
    return "\n".join(
        [
            *lines,
            f"Lemma corners_{name} : good_corners lam (exp price) {worth} {s} {corners[0]} [{'; '.join(corners[1:])}].",
            f"Proof. apply corners_good; [exact {edges}|exact {paid}]. Qed.",
            f"Lemma worth_{name} : 0 <= {worth}. Proof. lra. Qed.",
            f"Lemma level_{name} n s x : ({level.first} <= n)%nat -> {bounded}"
            f"0 <= s <= shift 1 n -> {threshold_range(prices)} n (- x) ->",
            f"  both_at_most lam (exp price) {worth} (Phi (- x)) (Phi (s - x)).",
            "Proof.",
            f"intros N1 {'N2 ' * bool(level.last)}Hs Hx. try unfold within in Hx.",
            f"assert (Hs' : 0 <= s <= {s}) by (split; [lra|]; apply Rle_trans with (shift 1 n); [lra|]; "
            f"apply (shift_at_most n {level.first}); [lia|lra|count_check]).",
            *cases_of_thresholds(name, level, s, worth, prices.order),
        ]
    )


def threshold_range(prices: Prices) -> str:
    """The Rocq term for the range of thresholds: "within 1" for two arms, otherwise "anywhere"."""
    return "within 1" if prices.two else "anywhere"


def cases_of_thresholds(name: int, level: PaidLevel, s: str, worth: str, order: Fraction) -> list[str]:
    """Returns the lines of a Rocq proof that treat near and far thresholds of one level.
    Near thresholds are covered by corners, thresholds beyond them, if there are any, by tails."""
    far, beyond = grid(level.far), f"lam lam_positive (exp price) {worth} {s} {grid(level.far)} s x worth_{name} Hs'"
    near = (
        f"apply (near_coins lam lam_positive (exp price) {worth} {s} (- {far}) {far} _ _ s x worth_{name} "
        f"price_at_least corners_{name}); [end_check {tabled(-level.far)}|end_check {tabled(level.far)}|exact Hs'|lra]."
    )
    if level.far < FAR:
        reached = f"assert (Hr : reach 1 n <= {far}) by (apply (reach_at_most n {level.last}); [lia|lra|count_check])."
        return [reached, f"{near} Qed."]
    one, more = ceil(order * level.shift), ceil((1 + order) * level.shift)
    rare = f"tail_check lam price {tabled(one - level.far)}", f"tail_check lam price {tabled(more - level.far)}"
    seldom = tabled(level.far), tabled(level.far - level.shift), tabled(-level.far)
    return [
        f"destruct (Rle_dec x {far}) as [H1|H1]; [destruct (Rle_dec (- {far}) x) as [H2|H2]|].",
        f"- {near}",
        f"- apply (rare_others {beyond}); [lra|{rare[0]}|second_check lam price {seldom[0]} {seldom[2]}].",
        f"- apply (rare_pulls {beyond}); [lra|second_check lam price {seldom[1]} {seldom[2]}|{rare[1]}]. Qed.",
    ]


def by_level(levels: Sequence[PaidLevel]) -> list[str]:
    """Returns the lines of a Rocq proof that decide in which level a pull count lies; the last level is left out."""
    last = levels[-1].first
    return [
        f"destruct (Nat.leb_spec n {each.last}) as [L{name}|L{name}]; [replace (n <? {last})%nat with true by "
        f"(symmetry; apply Nat.ltb_lt; lia); apply (level_{name} n s x); try assumption; lia|]."
        for name, each in enumerate(levels[:-1])
    ]


def ending(prices: Prices, levels: list[PaidLevel]) -> str:
    """Returns the Rocq text of the theorem `thompson_private_here` with its proof.
    The sum of all prices, and the bound on eps."""
    last, total = levels[-1].first, total_price(levels)
    left, reach = "left_over scale worth last_level", threshold_range(prices)
    about = f"{number(certified_eps(prices, levels))} {number(prices.delta)} {prices.horizon}"
    if prices.two:
        private, intros, close, witness = "thompson_private", "intros r.", "two_arms_close 1", "two_arms_witness"
    else:
        private, intros = "any_arms_private", "intros A same arms different two all r."
        close, witness = "any_arms_close A same arms 1", "any_arms_witness"
    return "\n".join(
        [
            f"Lemma covered n s x : (1 <= n)%nat -> 0 <= s <= shift 1 n -> {reach} n (- x) ->",
            f"  both_at_most lam (exp price) ({left} n - {left} (S n)) (Phi (- x)) (Phi (s - x)).",
            "Proof.",
            "intros N0 Hs Hx. rewrite left_over_step by reflexivity. unfold worth, scale, last_level.",
            *by_level(levels),
            f"replace (n <? {last})%nat with false by (symmetry; apply Nat.ltb_ge; lia). replace 0 with "
            f"{parts_of(0, WORTH_UNIT)} by field. apply (level_{len(levels) - 1} n s x); try assumption; lia.",
            "Qed.",
            f"Definition here : prices := Build_prices lam price ({left}).",
            f"Lemma enough_here rises : enough (shifted 1 ({reach})) {about} rises here.",
            "Proof.",
            "unfold enough, enough_from, here. cbn [thompson.lam thompson.price thompson.left].",
            "split; [exact lam_positive|split; [exact price_positive|split]].",
            "- intros n. apply left_over_falls; [reflexivity|apply worth_positive].",
            "- split; [|intros n p q [N _] (s & x & Hs & Hx & _ & -> & ->); destruct (covered n s x N Hs Hx); "
            "now destruct rises].",
            f"  replace ({left} 1) with {parts_of(total, WORTH_UNIT)} by (unfold left_over; replace (summed worth 1 "
            f"(last_level - 1)) with {total}%Z by (vm_compute; reflexivity); reflexivity).",
            "  rewrite INR_IZR_INZ. unfold best_share, lam, price. rewrite ln_exp. simpl Z.of_nat.",
            "  interval with (i_prec 60).",
            "Qed.",
            f"Theorem thompson_private_here : {private} 1 {about}.",
            f"Proof. {intros} apply ({close}) with (c := here) (c' := here); try apply enough_here; auto; lra. Qed.",
            "Lemma thompson_private_here_witness : satisfiable thompson_private_here.",
            f"Proof. exact {witness}. Qed.",
            "",
        ]
    )


def write_instance(prices: Prices, folder: Path) -> Path:
    """Writes the Rocq file of a theorem with these prices, and the table that it needs; returns the file.
    Raises ValueError for prices that are too small."""
    levels = levels_of(prices)
    table, file = folder / "normal_table.v", folder / f"thompson_{prices.horizon}_{crc32(repr(prices).encode()):08x}.v"
    if not table.exists():
        table.write_text(table_text(), encoding="utf-8")
    required = f"From Dpbandits.{folder.name} Require Import normal_table."
    parts = [beginning(prices, levels, required), *(level_text(name, each, prices) for name, each in enumerate(levels))]
    file.write_text("\n".join([*parts, ending(prices, levels)]), encoding="utf-8")
    return file
