"""Theorems of Rocq by the threshold game for two arms: which corners lie around the coins of its rounds, and the eps.

From the choices of a ceiling (`thompson.ceiling`) the file's numbers are computed, with the same whole numbers as the
kernel computes (`game_numbers.v`, `game_polygon.v`): so that corners lie on its lines and not below. None of it is
trusted: the kernel checks the corners, and computes all values (`game_run.v`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from mpmath import ceil, exp, floor, mpf, npdf, workprec

from dpbandits.proofs_checks.checker.ceilings.rounds import tangent_positions
from dpbandits.proofs_checks.rocq.instances import PROPOSED_BITS, TABLE_UNIT, TABLED, number, phi_bounds, table_text
from dpbandits.reference.bandits.noise import Array

STEP_UNIT, CHANCE_UNIT, EXP_UNIT = 1 << 20, 1 << 58, 1 << 60  # of shifts and thresholds, of chances, of slopes
PLACE = STEP_UNIT // 64  # between places of the table of Phi
FARTHEST = 384  # no tangents beyond, in 1/64: Phi is tabled up to there
SLACK, ROUNDINGS = 1e-6, 2.0**-54  # what doubles propose lies below delta by this share, and by that in each round
EPS_PARTS = 1000  # the eps of a theorem is a multiple of 1/EPS_PARTS
LARGEST_GAME_EPS = 80


class Shape(NamedTuple):
    """Corners around the coins of rounds with one number of pulls. shift, high, low: in 1/STEP_UNIT. drift: of the grid
    in a round, in 1/STEP_UNIT. corners: (place of the tangent to the next corner, p, q), chances in 1/CHANCE_UNIT."""

    shift: int
    high: int
    low: int
    drift: int
    corners: tuple[tuple[int, int, int], ...]


class Side(NamedTuple):
    """One side of the change. ratio: of the grid, in 1/STEP_UNIT. rounds: the shapes of a round by pulls, 1 first, the
    last round first."""

    ratio: int
    below: int
    above: int
    rounds: tuple[tuple[Shape, ...], ...]


class GameTheorem(NamedTuple):
    """What is to be proved: `horizon` rounds, two arms, variance 1, neighbours of one relation. last: from so many pulls
    on nothing bounds the means."""

    horizon: int
    relation: str
    last: int
    eps: Fraction
    delta: Fraction
    right: Side
    left: Side


# -- numbers of the kernel -----------------------------------------------------------------------------------------


@cache
def normal_entries() -> tuple[tuple[int, int, int, int], ...]:
    """Phi at k/64 from below and above, and the density, in 1/TABLE_UNIT: `normal_entries.v` proves them."""
    with workprec(PROPOSED_BITS):
        return tuple((*phi_bounds(k), *density_bounds(k)) for k in range(TABLED + 1))


def density_bounds(k: int) -> tuple[int, int]:
    at = npdf(mpf(k) / 64) * TABLE_UNIT
    return int(floor(at)) - 1, int(ceil(at)) + 1


def entry_at(k: int) -> tuple[int, int, int, int]:
    entries = normal_entries()
    if abs(k) >= len(entries):
        return 0, TABLE_UNIT, 0, TABLE_UNIT
    low, high, least, most = entries[abs(k)]
    return (low, high, least, most) if k >= 0 else (TABLE_UNIT - high, TABLE_UNIT - low, least, most)


def phi_up(y: int) -> int:
    if abs(y) > 7 * STEP_UNIT:
        return TABLE_UNIT
    k, h = divmod(y, PLACE)
    _, high, _, most = entry_at(k)
    u = k * h
    return high + 1 + most * h * (10 * (1 << 52) - 5 * u * (1 << 26) + 4 * u * u) // (10 << 72)


def phi_down(y: int) -> int:
    if abs(y) > 7 * STEP_UNIT:
        return 0
    k, h = divmod(y, PLACE)
    low, _, least, _ = entry_at(k)
    return low + least * h * ((1 << 27) - k * h - 8192) // (1 << 47)


def squared(x: int, up: int) -> int:
    for _ in range(26):
        x = x * x // EXP_UNIT + up
    return x


class Line(NamedTuple):
    """A tangent as the kernel computes it: from above."""

    place: int
    height: int
    up: int
    down: int
    base: int

    def at(self, p: int) -> int:
        """The least q that the kernel finds above the line at p."""
        return self.height + (self.up if p >= self.base else self.down) * (p - self.base) // EXP_UNIT + 1

    def meeting(self, other: Line) -> int:
        """The p where two lines of different slopes cross, nearly."""
        mine, theirs = (each.height * EXP_UNIT - each.up * each.base for each in (self, other))
        return (mine - theirs) // (other.up - self.up)

    def reaching(self, q: int) -> int:
        """The p where the line is at q, nearly."""
        return self.base + (q - self.height) * EXP_UNIT // self.up


@cache
def line_of(shift: int, place: int) -> Line:
    a = 2 * shift * place * PLACE - shift * shift
    up, down = squared(EXP_UNIT + a // 128 + 2 + a * a // (1 << 73), 1), squared(EXP_UNIT + a // 128, 0)
    return Line(place, phi_up(shift - place * PLACE) * 1024, up, down, phi_down(-place * PLACE) * 1024)


def root_up(numerator: int, denominator: int) -> int:
    """The square root in 1/STEP_UNIT, rounded up."""
    at = isqrt(numerator * STEP_UNIT * STEP_UNIT // denominator)
    return at + (at * at * denominator < numerator * STEP_UNIT * STEP_UNIT)


# -- corners -------------------------------------------------------------------------------------------------------


def shape_of(total: int, n: int, free: bool, near: tuple[int, int], width: int, drift: float) -> Shape:
    """Corners for the rounds after at most `total` pulls, n of them of the changed arm; free: n or more."""
    rest = total - n
    shift = root_up(rest + 1, (n + 1) * (total + 2))
    high = root_up(rest * rest * (n + 1), (rest + 1) * (total + 2))
    low = root_up(n * n * (rest + 1), (n + 1) * (total + 2))
    first, top = (0, CHANCE_UNIT) if free else (phi_down(-high) * 1024, min(phi_up(low) * 1024, CHANCE_UNIT))
    ends = (-FARTHEST, FARTHEST) if free else (-(-(shift - low) // PLACE), high // PLACE)
    inner = [x for x in tangent_positions(near, width) if ends[0] < x < ends[1]]
    places = sorted({max(min(x, FARTHEST), -FARTHEST) for x in (*inner, *ends)}, reverse=True)
    lines = [line_of(shift, x) for x in places]
    meetings = [max(one.meeting(other), first) for one, other in pairwise(lines)]
    found = [(lines[0].place, first, max(lines[0].at(first), 0))]
    for (one, other), p in zip(pairwise(lines), meetings, strict=True):
        if found[-1][1] <= p and one.at(p) < top:
            found.append((other.place, p, max(one.at(p), other.at(p))))
    last = line_of(shift, found[-1][0])
    end = min(max(last.reaching(top), found[-1][1]), top)
    found.append((0, end, max(top, min(last.at(end), CHANCE_UNIT))))
    found.append((0, top, top))
    return Shape(shift, high, low, round(drift * STEP_UNIT), tuple((x, p, min(q, CHANCE_UNIT)) for x, p, q in found))


def side_of(horizon: int, choices: Mapping[str, Any]) -> Side:
    rounds, spans, shapes = [], list(choices["spans"]), {}
    for total in range(horizon - 1, 0, -1):
        if spans and total <= spans[0]["top"]:
            span, shapes = spans.pop(0), {}
        found = []
        for n in range(1, min(choices["last"], total) + 1):
            if n not in shapes:
                low, high, drift = span["rows"][min(n, len(span["rows"])) - 1]
                free = n == choices["last"]
                shapes[n] = shape_of(span["top"], n, free, (low, high), choices["width"], float(drift))
            found.append(shapes[n])
        rounds.append(tuple(found))
    return Side(round(float(choices["ratio"]) * STEP_UNIT), choices["above"], choices["below"], tuple(rounds))


def first_high(total: int) -> int:
    """How far thresholds go for an arm without pulls after `total` rounds, in 1/STEP_UNIT."""
    return root_up(total * total, (total + 1) * (total + 2))


def first_chance(total: int) -> int:
    return phi_down(-first_high(total)) * 1024


# -- what comes out, in doubles ------------------------------------------------------------------------------------


class Played:
    """The values of a side by rounds left and pulls, each on its grid of ratios."""

    def __init__(self, side: Side, last: int, rises: bool) -> None:
        self.step, self.below = np.log(side.ratio / STEP_UNIT), side.below
        places = np.arange(-side.below, side.above + 1)
        end = np.maximum(1 - np.exp(self.step * places), 0)
        self.rows: list[list[tuple[float, Array]]] = [[(0.0, end)] * last]
        for shapes in side.rounds:
            self.rows.append([self.best(shape, n, last, rises) for n, shape in enumerate(shapes, 1)])

    def best(self, shape: Shape, n: int, last: int, rises: bool) -> tuple[float, Array]:
        before = self.rows[-1]
        same, more = before[n - 1], before[n - 1 if n == last else n]
        here = same[0] + np.log(shape.drift / STEP_UNIT)
        here -= self.step * np.trunc(here / self.step)
        first = shape.corners[0][1]
        found = np.zeros_like(same[1])
        for p, q in [(first, first), *(each[1:] for each in shape.corners)]:
            x, y = (p / CHANCE_UNIT, q / CHANCE_UNIT) if rises else (q / CHANCE_UNIT, p / CHANCE_UNIT)
            found = np.maximum(found, self.moved(more, here, x, y) + self.moved(same, here, 1 - x, 1 - y))
        return here, found

    def moved(self, row: tuple[float, Array], here: float, p: float, q: float) -> Array:
        theta, values = row
        size = values.size
        if p <= 0:
            return np.zeros(size)
        at = (np.log(q / p) + here - theta) / self.step if q > 0 else -2.0 * size
        o = int(np.clip(np.floor(at), -size - 1, size))
        share = np.clip(np.expm1(self.step * (at - o)) / np.expm1(self.step), 0, 1)
        wide = np.concatenate([np.ones(size + 1), values, np.full(size + 2, values[-1])])
        first = size + 1 + o
        return np.asarray(p * ((1 - share) * wide[first : first + size] + share * wide[first + 1 : first + 1 + size]))

    def worth(self, left: int, n: int, eps: float) -> float:
        theta, values = self.rows[left][n - 1]
        at = (eps - theta) / self.step + self.below
        o = int(np.floor(at))
        if o < 0 or o + 1 >= values.size:
            return 1.0 if o < 0 else float(values[-1])
        share = np.expm1(self.step * (at - o)) / np.expm1(self.step)
        return float((1 - share) * values[o] + share * values[o + 1])


def waited_and_worst(
    horizon: int, last: int, right: Side, sides: tuple[Played, Played], eps: float
) -> tuple[float, float]:
    """What the kernel will find for relations "pull" and "round"."""
    waits, worst = [0.0] * (last + 1), 0.0
    for left in range(horizon):
        total = horizon - left - 1
        values = [max(each.worth(left, n, eps) for each in sides) for n in range(1, len(sides[0].rows[left]) + 1)]
        worst = max([worst, *values])
        started = [0.0, *(max(one, other) for one, other in zip(values, waits[1:], strict=False))]
        corners = [each.corners for each in (right.rounds[left] if total else ())]
        ends = [(first_chance(total), CHANCE_UNIT // 2), *((each[0][1], each[-1][2]) for each in corners)]
        waits = [
            max(a * started[min(n + 1, last)] + (CHANCE_UNIT - a) * waits[n] for a in each) / CHANCE_UNIT
            for n, each in enumerate(ends)
        ]
    return waits[0], worst


def game_theorem(horizon: int, relation: str, delta: Fraction, games: Sequence[Mapping[str, Any]]) -> GameTheorem:
    """The theorem with the least eps in 1/EPS_PARTS that doubles find at delta. games: of a ceiling. ValueError where
    there is none."""
    last = min(horizon, *(int(each["last"]) for each in games))
    right, left = (side_of(horizon, {**each, "last": last}) for each in sorted(games, key=rises, reverse=True))
    sides = Played(right, last, True), Played(left, last, False)
    enough = float(delta) * (1 - SLACK) - horizon * ROUNDINGS

    def shown(parts: int) -> float:
        found = waited_and_worst(horizon, last, right, sides, parts / EPS_PARTS)
        return found[relation == "round"]

    low, high = 0, LARGEST_GAME_EPS * EPS_PARTS
    if shown(high) > enough:
        raise ValueError(f"delta = {float(delta):g} is too little for a theorem about the game of {horizon} rounds")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) <= enough else (middle, high)
    return GameTheorem(horizon, relation, last, Fraction(high, EPS_PARTS), delta, right, left)


def rises(choices: Mapping[str, Any]) -> bool:
    return bool(choices["higher"] == "right")


# -- as Rocq reads it ----------------------------------------------------------------------------------------------


def corner_text(corner: tuple[int, int, int]) -> str:
    return f"({corner[0]},{corner[1]},{corner[2]})"


def shape_text(shape: Shape) -> str:
    first, *others = map(corner_text, shape.corners)
    return f"Build_shape {shape.shift} {shape.high} {shape.low} {shape.drift} {first} [{';'.join(others)}]"


def side_text(name: str, side: Side) -> str:
    """The shapes by name, each once."""
    lines: list[str] = []
    names: dict[int, str] = {}
    rounds = []
    for shapes in side.rounds:
        for shape in shapes:
            if id(shape) not in names:
                names[id(shape)] = f"{name}_{len(names)}"
                lines.append(f"Definition {names[id(shape)]} : shape := ({shape_text(shape)})%bigZ.")
        rounds.append(f"[{'; '.join(names[id(shape)] for shape in shapes)}]")
    lines.append(
        f"Definition {name} := Build_choices {side.ratio}%bigZ {side.below} {side.above} [{'; '.join(rounds)}]."
    )
    return "\n".join(lines)


def entries_text(table: str) -> str:
    """The table of Phi and the density as one list, and that it is right. table: what the file with the lemmas is
    called."""
    lines = ["From Coq Require Import Reals Lra List ZArith.", "From Bignums Require Import BigZ."]
    lines += ["From Coquelicot Require Import Coquelicot.", "From Interval Require Import Tactic."]
    lines += ["From Dpbandits Require Import normal normal_steps game_numbers.", table]
    lines += ["Import ListNotations.", "Open Scope R_scope."]
    entries, proof = normal_entries(), "(no_entry _)"
    for k, (low, high, least, most) in enumerate(entries):
        lines += [
            f"Lemma density_{k} : {least} / {TABLE_UNIT} <= density ({k} / 64) <= {most} / {TABLE_UNIT}.",
            "Proof. unfold density. interval with (i_prec 70). Qed.",
            f"Definition entry_{k} : entry := ({low}, {high}, {least}, {most})%bigZ.",
            f"Lemma entry_{k}_good : good_entry (IZR {k} / 64) entry_{k}.",
            f"Proof. apply entry_good; [exact Phi_{k}|exact density_{k}|reflexivity]. Qed.",
        ]
    for k in reversed(range(len(entries))):
        proof = f"(next_entry {k} _ _ entry_{k}_good {proof})"
    return "\n".join(
        [
            *lines,
            f"Definition normal_entries : list entry := [{'; '.join(f'entry_{k}' for k in range(len(entries)))}].",
            "Lemma entries_good : tabled 0 normal_entries.",
            f"Proof. exact {proof}. Qed.",
            "",
        ]
    )


def game_text(theorem: GameTheorem, entries: str) -> str:
    """The theorem `thompson_private_here`. entries: what the table's file is called."""
    with workprec(PROPOSED_BITS):
        e = int(floor(exp(mpf(theorem.eps.numerator) / theorem.eps.denominator) * CHANCE_UNIT * (1 - mpf(2) ** -60)))
    highs = [first_high(total) for total in range(theorem.horizon - 1, 0, -1)]
    eps, delta, pull = number(theorem.eps), number(theorem.delta), theorem.relation == "pull"
    limit = int(theorem.delta * CHANCE_UNIT)
    units = (limit, CHANCE_UNIT) if pull else (CHANCE_UNIT, limit)
    deltas = f"{delta} 1" if pull else f"1 {delta}"
    about = f"normal_entries {theorem.horizon} {theorem.last} most_likely highs right left {units[0]}%uint63 {units[1]}%uint63"
    arms = "bool_dec both_arms (thompson 1)"
    return "\n".join(
        [
            "From Coq Require Import Reals Lra List ZArith Bool Uint63.",
            "From Bignums Require Import BigZ.",
            "From Interval Require Import Tactic.",
            "From Dpbandits Require Import normal moments coins rewards thompson game game_rows game_numbers game_polygon "
            "game_table game_run.",
            entries,
            "Import ListNotations.",
            "Open Scope R_scope.",
            side_text("right", theorem.right),
            side_text("left", theorem.left),
            f"Definition highs : list bigZ := [{'; '.join(map(str, highs))}]%bigZ.",
            f"Definition most_likely : bigZ := {e}%bigZ.",
            f"Lemma computed : game_within {about} = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
            f"Lemma below_exp : in58 most_likely <= exp {eps}.",
            f"Proof. unfold in58. change (real most_likely) with {e}. interval with (i_prec 120). Qed.",
            f"Theorem thompson_private_here : private {arms} {theorem.relation} {eps} {delta} {theorem.horizon}.",
            "Proof.",
            f"apply (two_arms_game normal_entries {theorem.horizon} {theorem.last} {eps} {deltas} most_likely highs right left",
            f"  {units[0]}%uint63 {units[1]}%uint63);",
            "  [exact entries_good|lra|exact below_exp| | |exact computed].",
            *(f"- unfold val. change (Uint63.to_Z {each}) with {each}%Z. lra." for each in units),
            "Qed.",
            "",
        ]
    )


def write_game(theorem: GameTheorem, folder: Path) -> Path:
    """The theorem's file in this folder, beside the tables that it needs."""
    required = f"From Dpbandits.{folder.name} Require Import"
    for name, text in (
        ("normal_table", table_text),
        ("normal_entries", lambda: entries_text(f"{required} normal_table.")),
    ):
        if not (file := folder / f"{name}.v").exists():
            file.write_text(text(), encoding="utf-8")
    written = game_text(theorem, f"{required} normal_entries.")
    file = folder / f"game_{theorem.horizon}_{crc32(written.encode()):08x}.v"
    file.write_text(written, encoding="utf-8")
    return file
