"""The checker of ceilings: recomputes that Thompson sampling is private enough, trusting nothing that says so.

This one file can be copied anywhere: it needs the standard library, and imports nothing of this project. A ceiling
says that Thompson sampling with Gaussian priors (two arms, or any number) is (eps, delta)-private in a run of so many
rounds, for neighbours that differ in one pull or in one round. Beside that it holds choices, which make the bound
sharp, and of which none has to be right: the grid of likelihood ratios, where tangents are drawn, how the grid moves,
and from which pull count on a further pull counts no more.

What is believed, and proved in words in docs/explanation/threshold_game.md: delta is at most the value of the threshold
game; its value V(P, Q) is convex, homogeneous, at most P, grows with P and falls with Q; between two tangents a concave
curve lies below their crossing; where nothing bounds the thresholds, V falls with the pull count and with the round.
What is checked, by computing all of it: in every state and at every ratio of the grid, the kept value is at least what
each corner of a polygon around all coins leads to. So the table of values is computed here and comes from nobody. All
of it is whole numbers: masses on the left, weights and values are rounded up, masses on the right down; Phi and exp
have error bounds that are stated where they are computed.

A row is the value of one state, V(1, Q) at Q = theta R^(below - i), i = 0, 1, ...: one whole number with a cell for
each i, so that a row times a weight, a shift, or the larger of two rows is a few operations on numbers of some 10 000
digits. What is above the grid counts as 1; what is below it as its lowest value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

POINT = 320  # bits after the point of numbers on the way
UNIT = 1 << POINT
VALUE = 62  # bits of a kept value: 1 is 2^VALUE
WEIGHT = 60  # bits of a weight
WIDE = VALUE + WEIGHT + 4  # of a cell: weights add up to little more than 2, and the highest bit is for comparisons
PART = 64  # thresholds are multiples of 1/PART
FIRST, LAST = -8 * PART, 9 * PART  # no tangents beyond
NEAREST, DEGREE = 16, 24  # Phi is expanded around multiples of 1/NEAREST, up to this power
FAR = 12  # beyond FAR deviations, Phi is between 0 and what it is there, or above 1 minus that
OFF = 1 << POINT - 160  # Phi is good to so much
LARGEST = {"horizon": 3000, "cells": 6000, "levels": 400}
REACH = 150  # a grid reaches from likelihood ratios of at least e^-REACH to at most e^REACH
EFFORT = 2e10  # what a ceiling may take, in units of PACE: about half an hour
PACE = 1e-7  # seconds; measured, with each of what follows, on one core of 2024: only the time that is said hangs on it
CORNER = 1000  # of one corner: Phi and an exponential, and divisions at 320 bits
COIN = 400  # of a coin in a state, beside a unit for each cell
STATE, FOLDS = 1000, 12  # of a state, and how often its ratio is moved by one of the grid: log(4)/log(ratio) times
WAITING = 4  # a state before the changed reward takes as much as so many coins
NUMBER = re.compile(r"\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,2})?|\d{1,40}/\d{1,40}", re.ASCII)


class Rejected(Exception):
    """The ceiling is not shown; the message says where and why."""


class Verification(NamedTuple):
    """What the checker found. ok: the ceiling holds, if the game does. lines: what was computed, or what is wrong."""

    ok: bool
    lines: tuple[str, ...]


class Sampler(NamedTuple):
    """Algorithms 1 and 2 of ou24. two: two arms, else any number of them. prepulls: b of every arm. variance: c."""

    horizon: int
    two: bool
    prepulls: int
    variance: Fraction

    @property
    def first(self) -> int:
        """The smallest pull count with a changed reward in the mean."""
        return max(self.prepulls, 1)

    @property
    def begin(self) -> int:
        """The pulls before the first round in which an arm's mean can differ."""
        return max(2 * self.prepulls, 1)


class Choices(NamedTuple):
    """What makes a bound sharp, and may be anything. higher: the side where the changed arm pays more. ratio, below,
    above: of the grid. last: from this pull count on, a further pull counts no more. width: between tangents. spans:
    (top, rows): rounds up to `top`, down to the next one's, with (from, to, drift) for each pull count; the last one
    given serves for all beyond."""

    higher: str
    ratio: Fraction
    below: int
    above: int
    last: int
    width: int
    spans: tuple[tuple[int, tuple[tuple[int, int, Fraction], ...]], ...]


def verify(ceiling: Any) -> Verification:
    """Check a ceiling. Never raises for a bad one."""
    try:
        sampler, relation, games, eps, delta = understood(ceiling)
        found = max(grid.at(row, eps) for grid, row in (start(sampler, relation, choices) for choices in games))
    except Rejected as wrong:
        return Verification(False, (str(wrong),))
    except Exception as error:  # nothing has been shown, so it is rejected; that it was our fault is said
        return Verification(False, (f"the checker failed at it ({type(error).__name__}: {str(error)[:200]!a})",))
    who = f"Gaussian Thompson sampling, {'two arms' if sampler.two else 'any number of arms'}, {sampler.horizon} rounds"
    lines = (
        f"{who}, b = {sampler.prepulls}, c = {sampler.variance}; one {relation} changed",
        f"the threshold game is worth at most {above(found, 6)} at eps = {above(eps, 9)}",
    )
    if found > delta:
        return Verification(False, (f"not shown: {lines[1]}, more than delta = {float(delta):.6g}",))
    return Verification(
        True, (*lines, f"so that it is ({above(eps, 9)}, {above(delta, 6)})-private, if the game bounds")
    )


def above(value: Fraction, digits: int) -> str:
    """The least number of so many digits that is no less: what was shown of the value is true of nothing smaller."""
    least = Context(digits, ROUND_CEILING).divide(Decimal(value.numerator), Decimal(value.denominator))
    short = f"{float(least):.{digits}g}"
    return short if Decimal(short) == least else str(least)  # beyond the range of doubles


# -- what is said ----------------------------------------------------------------------------------------------------


def understood(ceiling: Any) -> tuple[Sampler, str, tuple[Choices, ...], Fraction, Fraction]:
    """The parts of a ceiling. Raises Rejected for what is not one."""
    policy = entry(ceiling, "policy", Mapping)
    if ceiling.get("type") != "ceiling" or policy.get("name") != "gaussian-thompson":
        raise Rejected('type: want "ceiling", about the policy "gaussian-thompson"')
    arms, relation = ceiling.get("arms"), ceiling.get("relation")
    if arms not in (2, "any") or relation not in ("pull", "round"):
        raise Rejected('arms, relation: want 2 or "any", "pull" or "round"')
    horizon = whole(ceiling.get("horizon"), "horizon", 1, LARGEST["horizon"])
    sampler = Sampler(
        horizon,
        arms == 2,
        whole(policy.get("prepulls"), "policy/prepulls", 0, horizon // 2),
        number(policy.get("variance"), "policy/variance"),
    )
    eps, delta = number(ceiling.get("eps"), "eps"), number(ceiling.get("delta"), "delta")
    if not sampler.variance or not Fraction(1, 100) <= sampler.variance <= 10**6 or eps > 700 or not 0 < delta < 1:
        raise Rejected("variance, eps, delta: want a variance from 0.01 to 10^6, eps at most 700, 0 < delta < 1")
    games = tuple(chosen(game, sampler, f"games/{i}") for i, game in enumerate(entry(ceiling, "games", Sequence)[:2]))
    if sorted(game.higher for game in games) != ["left", "right"]:
        raise Rejected('games: want two, where the changed arm pays more on the "left" and on the "right"')
    effort = sum(work(sampler, game) for game in games)
    if effort > EFFORT:
        raise Rejected(
            f"it takes about {effort * PACE / 60:.0f} minutes to check, and {EFFORT * PACE / 60:.0f} are "
            "allowed: a shorter run, a coarser grid, fewer tangents or longer spans"
        )
    return sampler, relation, games, eps, delta


def work(sampler: Sampler, choices: Choices) -> float:
    """What one game takes at most, in units of PACE, counted before anything is computed: each state, each use of a
    coin in it, and each new corner. No tangent is left out, though some lie beyond what a round allows."""
    cells = choices.below + choices.above + 1
    state = STATE + FOLDS / math.log(choices.ratio) + (WAITING * (COIN + cells) if sampler.two else 0)
    spans, coins, effort = list(choices.spans), [0], 0.0
    for total in range(sampler.horizon - 1, sampler.begin - 1, -1):
        states = max(min(choices.last, total - sampler.prepulls) - sampler.first + 1, 0)
        begins = bool(spans) and total <= spans[0][0]
        if begins:  # coins[k]: those of k pull counts; beyond the last row, each has as many as it
            rows = spans.pop(0)[1]
            coins = [0, *accumulate(len(thresholds((low, high), choices.width)) + 5 for low, high, _ in rows)]
        beyond = max(states - len(coins) + 1, 0)
        used = coins[states - beyond] + beyond * (coins[-1] - coins[-2])
        effort += states * state + used * (COIN + cells) + begins * used * CORNER
    return effort


def chosen(game: Any, sampler: Sampler, place: str) -> Choices:
    ratio = number(entry(game, "ratio", str), f"{place}/ratio")
    below, above = (whole(game.get(side), f"{place}/{side}", 1, LARGEST["cells"]) for side in ("below", "above"))
    last = whole(game.get("last"), f"{place}/last", sampler.first + 1, max(LARGEST["levels"], sampler.first + 1))
    width = whole(game.get("width"), f"{place}/width", 1, PART)
    if not Fraction(1001, 1000) <= ratio <= 2 or below + above > LARGEST["cells"]:
        raise Rejected(f"{place}: want a ratio from 1.001 to 2, and at most {LARGEST['cells']} cells")
    spans = []
    for i, span in enumerate(entry(game, "spans", Sequence)[: LARGEST["horizon"]]):
        at = f"{place}/spans/{i}"
        given = [row for row in entry(span, "rows", Sequence) if isinstance(row, list | tuple) and len(row) == 3]
        rows = [
            (whole(a, at, FIRST, LAST), whole(b, at, FIRST, LAST), number(drift, at))
            for a, b, drift in given[: LARGEST["levels"] + 1]
        ]
        if not rows or any(a > b or not Fraction(1, 4) <= drift <= 4 for a, b, drift in rows):
            raise Rejected(f"{at}: want rows of two thresholds, increasing, and a drift from 1/4 to 4")
        spans.append((whole(span.get("top"), at, 0, sampler.horizon - 1), tuple(rows)))
    tops = [top for top, _ in spans]
    if sampler.horizon > sampler.begin and (
        not tops or tops[0] != sampler.horizon - 1 or tops != sorted(set(tops), reverse=True)
    ):
        raise Rejected(f"{place}/spans: want falling tops, the first of them {sampler.horizon - 1}")
    return Choices(str(game.get("higher")), ratio, below, above, last, width, tuple(spans))


def entry(value: Any, name: str, kind: Any) -> Any:
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind) or (isinstance(found, str) and kind is not str):
        raise Rejected(f"{name}: missing, or of another kind")
    return found


def whole(value: Any, place: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise Rejected(f"{place}: {shown(value)} is no whole number from {least} to {most}")
    return value


def shown(value: Any) -> str:
    """The first characters of a value, in ASCII. Python writes out no whole number of more than 4300 digits."""
    try:
        return ascii(str(value)[:40])
    except (ValueError, RecursionError):
        return f"a value ({type(value).__name__}) that is too long to be written out"


def number(text: Any, place: str) -> Fraction:
    if not isinstance(text, str) or not NUMBER.fullmatch(text):
        raise Rejected(f"{place}: {shown(text)} is no number that is not negative, as a string")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise Rejected(f"{place}: {text[:40]} divides by 0") from None


# -- numbers ---------------------------------------------------------------------------------------------------------


class Ends(NamedTuple):
    """A real number between two whole ones, in units of 2^-POINT."""

    low: int
    high: int

    def minus(self, other: Ends) -> Ends:
        return Ends(self.low - other.high, self.high - other.low)

    def plus(self, other: Ends) -> Ends:
        return Ends(self.low + other.low, self.high + other.high)

    def times(self, other: Ends) -> Ends:
        products = [a * b for a in self for b in other]
        return Ends(min(products) >> POINT, -(-max(products) >> POINT))

    def over(self, other: Ends) -> Ends:
        """Divided by a positive one."""
        if other.low <= 0:
            raise Rejected("two tangents are too close: choose a larger width")
        quotients = [(a << POINT, b) for a in self for b in other]
        return Ends(min(a // b for a, b in quotients), max(-(-a // b) for a, b in quotients))

    def chance(self) -> Ends:
        """The same, known to lie between 0 and 1."""
        return Ends(max(self.low, 0), min(self.high, UNIT))


ZERO, ONE = Ends(0, 0), Ends(UNIT, UNIT)


def exponential(x: Fraction) -> Ends:
    """e^x for |x| < 1024: that of x/2^16 by its series, squared 16 times.

    Each of 40 terms is off by less than 2 units, as |x|/2^16 < 2^-6; what follows them is below (2^-6)^40/40! < 2^-390.
    """
    small = (x.numerator << POINT - 16) // x.denominator
    term, total = UNIT, 0
    for k in range(1, 41):
        total, term = total + term, (term * small >> POINT) // k
    power = Ends(total - 100, total + 100)
    for _ in range(16):
        power = power.times(power)
    return power


def arctangent(n: int) -> Ends:
    """arctan(1/n), n >= 5: less than 80 terms, and n^-2j in each is rounded down by less than 2 units."""
    power, total, j = UNIT // n, 0, 0
    while power:
        total += (-1) ** j * (power // (2 * j + 1))
        power, j = power // (n * n), j + 1
    return Ends(total - 300, total + 300)


@lru_cache(maxsize=1)
def density_at_0() -> Ends:
    """1/sqrt(2 pi), pi by Machin's formula."""
    first, second = arctangent(5), arctangent(239)
    pi = 16 * first.low - 4 * second.high, 16 * first.high - 4 * second.low
    return Ends(*(math.isqrt((UNIT**3) // (2 * each)) + up for each, up in ((pi[1], 0), (pi[0], 1))))


@lru_cache(maxsize=2 * NEAREST * FAR + 2)
def taylor(k: int) -> tuple[int, ...]:
    """The coefficients of Phi around x = k/NEAREST, the highest power first.

    Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/(3 5) + ...) for x >= 0; from x^2/(2j + 1) < 1/2 on the rest is less than the
    last term. The other coefficients are (-1)^(j-1) He_(j-1)(x) phi(x)/j!.
    """
    x = Fraction(k, NEAREST)
    density = exponential(-x * x / 2).times(density_at_0())
    term, total, j = Ends(abs(k) * UNIT // NEAREST, abs(k) * UNIT // NEAREST), ZERO, 0
    while term.high > 1 or 2 * x * x >= 2 * j + 1:
        total, j = total.plus(term), j + 1
        scale = k * k, NEAREST**2 * (2 * j + 1)
        term = Ends(term.low * scale[0] // scale[1], -(-term.high * scale[0] // scale[1]))
    half = density.times(Ends(total.low, total.high + 2))
    found = [
        Ends(UNIT // 2 + half.low, UNIT // 2 + half.high)
        if k >= 0
        else Ends(UNIT // 2 - half.high, UNIT // 2 - half.low)
    ]
    hermite = [Fraction(1), x]
    for power in range(1, DEGREE + 1):
        share = (-1) ** (power - 1) * hermite[power - 1] / math.factorial(power)
        found.append(density.times(Ends(math.floor(share * UNIT), math.ceil(share * UNIT))))
        hermite.append(x * hermite[power] - power * hermite[power - 1])
    if any(each.high - each.low > OFF >> 8 for each in found):
        raise Rejected(f"Phi around {x} is not as precise as it should be")
    return tuple(each.low for each in reversed(found))


def phi(x: int) -> Ends:
    """Phi at x units, by Taylor's series around the nearest multiple of 1/NEAREST.

    |He_(j-1)| phi/j! < 1 by Cramer's bound, so that what follows power DEGREE is below 2^-5(DEGREE+1)/sqrt(DEGREE!);
    that, 24 roundings, and what the coefficients are off by is less than OFF = 2^-160.
    """
    if abs(x) >= FAR * UNIT:
        edge = phi((FAR * UNIT - 1) * (1 if x > 0 else -1))
        return Ends(edge.low, UNIT) if x > 0 else Ends(0, edge.high)
    k = (x * NEAREST + UNIT // 2) // UNIT
    h, value = x - k * UNIT // NEAREST, 0
    for coefficient in taylor(k):
        value = (value * h >> POINT) + coefficient
    return Ends(value - OFF, value + OFF).chance()


def root(square: Fraction) -> int:
    """The square root in units, rounded up."""
    return math.isqrt((square.numerator * UNIT * UNIT) // square.denominator) + 1


# -- the rounds of the game ------------------------------------------------------------------------------------------


class Round(NamedTuple):
    """A round with n pulls of the changed arm: it is pulled with probability Phi(-u) where it pays less, and Phi(-v)
    where it pays more, u - v <= shift, -low <= v <= u <= high. Here are their squares; None: nothing bounds them."""

    shift: Fraction
    low: Fraction | None
    high: Fraction | None

    def within(self, other: Round) -> bool:
        """Whether the other round offers all that this one does."""
        pairs = zip(self, other, strict=True)
        return all(theirs is None or (mine is not None and mine <= theirs) for mine, theirs in pairs)


def rules(sampler: Sampler, n: int, total: int, free: bool) -> Round:
    """The rounds after `total` pulls. free: with two arms, nothing bounds the means."""
    c = sampler.variance
    if not sampler.two:
        return Round(1 / (c * (n + 1)), None, None)
    rest = total - n
    precision = Fraction((n + 1) * (rest + 1), total + 2) / c  # 1/D^2, of theta_1 - theta_0
    shift = precision / (n + 1) ** 2
    if free:
        return Round(shift, None, None)
    return Round(shift, precision * Fraction(n, n + 1) ** 2, precision * Fraction(rest, rest + 1) ** 2)


class Coin(NamedTuple):
    """The chances of a pull: where the changed arm pays less, and where it pays more."""

    p: Ends
    q: Ends


def corners(rule: Round, near: tuple[int, int], width: int) -> list[Coin]:
    """Corners of a polygon around all coins of a round.

    The curve (Phi(-x), Phi(s - x)) is concave, with the tangent of slope e^(sx - s^2/2) at x: so it lies below the
    crossings of neighbouring tangents. Bounded: between the ends of its arc, and of the diagonal. Free: beyond the
    first tangent it lies below and right of (Phi(-x), 1), beyond the last one below (0, Phi(s - x)).
    """
    s = root(rule.shift)
    inner = thresholds(near, width)
    if rule.low is None or rule.high is None:
        xs = [x * UNIT // PART for x in inner]
        ends = [Coin(phi(-xs[0]), ONE), Coin(ZERO, phi(s - xs[-1])), Coin(ZERO, ZERO), Coin(ONE, ONE)]
    else:
        start = s - root(rule.low)
        stop = max(root(rule.high), start)
        gap = UNIT // (4 * PART)
        xs = [start, *(at for x in inner if start + gap < (at := x * UNIT // PART) < stop - gap), stop]
        least, most = phi(-stop), phi(s - start)
        ends = [Coin(least, phi(s - stop)), Coin(phi(-start), most), Coin(least, least), Coin(most, most)]
        if stop - start <= gap:
            xs = [start - gap, stop + gap]
    return ends + crossings(s, xs)


def crossings(s: int, xs: list[int]) -> list[Coin]:
    """Where the tangents at neighbouring thresholds cross."""
    tangents = []
    for x in xs:
        slope = exponential(Fraction(2 * s * x - s * s, 2 * UNIT * UNIT))
        tangents.append((slope, phi(s - x).minus(slope.times(phi(-x)))))
    found = []
    for (slope, at_0), (next_slope, next_at_0) in pairwise(tangents):
        p = at_0.minus(next_at_0).over(next_slope.minus(slope))
        found.append(Coin(p.chance(), at_0.plus(slope.times(p)).chance()))
    return found


def thresholds(near: tuple[int, int], width: int) -> list[int]:
    """Where tangents are drawn, in units of 1/PART: a width apart in `near`, and farther apart away from there."""
    low, high = near
    found = list(range(low, high + 1, width))
    while found[0] > FIRST:
        found.insert(0, found[0] - min(width + (low - found[0]) // 3, PART))
    while found[-1] < LAST:
        found.append(found[-1] + min(width + (found[-1] - high) // 3, PART))
    return found


# -- rows of values --------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """Values at Q = theta R^(below - i), in units of 2^-VALUE: cells of WIDE bits, the lowest one first. theta in units
    of 2^-POINT."""

    cells: int
    theta: int


class Tap(NamedTuple):
    """Cell i becomes first times cell i + k, plus second times the next one; in units of 2^-WEIGHT."""

    k: int
    first: int
    second: int


class Grid:
    """The arithmetic of rows: every operation gives at least what it should."""

    def __init__(self, ratio: Fraction, below: int, above: int) -> None:
        self.ratio, self.below, self.size = ratio, below, below + above + 1
        self.log = math.log(ratio)
        if self.size * self.log > REACH:
            raise Rejected(f"ratio: {self.size} cells reach further than e^{REACH}")
        bits = WIDE * self.size
        self.mask = (1 << bits) - 1
        self.units = self.mask // ((1 << WIDE) - 1)  # 1 in every cell
        self.ones, self.guards = self.units << VALUE, self.units << WIDE - 1
        self.kept = self.units * ((1 << WIDE - WEIGHT) - 1)
        self.powers = {0: UNIT}  # R^k, rounded down
        over, under = ratio.as_integer_ratio()
        for k in range(self.size):
            self.powers[k + 1] = self.powers[k] * over // under
            self.powers[-k - 1] = self.powers[-k] * under // over

    def end(self) -> Row:
        """(1 - Q)_+ at theta = 1."""
        values = [max(UNIT - self.powers[self.below - i], 0) for i in range(self.size)]
        rounded = (-(-value >> POINT - VALUE) for value in values)
        return Row(sum(value << WIDE * i for i, value in enumerate(rounded)), UNIT)

    def tap(self, here: int, there: int, left: int, right: int) -> Tap:
        """An outcome with masses left (at most) and right (at least), from a row with theta `here` to one with `there`.

        V(left, right Q) = left V(1, z R^-i) with z = right here/(left there); z is lowered, and split: z = w R^-k +
        w' R^-(k + 1), w + w' = 1, of which V is at most the chord.
        """
        most, z = self.size, ((right * here) << POINT) // (left * there)
        about = math.floor((POINT * math.log(2) - math.log(z)) / self.log) if z > 0 else most
        k = min(max(about - 1, -most), most)
        while k < most and about > -most - 2 and z * self.powers[k] * self.ratio < UNIT * UNIT:
            k += 1
        if abs(k) == most:  # all of the row is beyond the grid
            return Tap(k, up(left), 0)
        y = min(z * self.powers[k] >> POINT, UNIT)
        share = math.ceil((UNIT - y) / (1 - 1 / self.ratio))
        return Tap(k, up(-(-left * (UNIT - share) >> POINT)), up(-(-left * share >> POINT)))

    def folded(self, theta: int) -> int:
        """About theta times a power of R, between 1/R and R: any theta will do."""
        over, under = self.ratio.as_integer_ratio()
        while theta * under > UNIT * over:
            theta = theta * under // over
        while theta * over < UNIT * under:
            theta = theta * over // under
        return theta

    def at(self, row: Row, eps: Fraction) -> Fraction:
        """The value at Q = e^eps."""
        tap = self.tap(exponential(eps).low, row.theta, UNIT, UNIT)
        place = min(max(self.below + tap.k, 0), self.size - 1)
        if self.below + tap.k + 1 >= self.size:
            return Fraction(1)
        first, second = (
            (row.cells >> WIDE * i) & ((1 << WIDE) - 1) for i in (place, place + 1 if tap.k >= -self.below else place)
        )
        return Fraction(first * tap.first + second * tap.second, 1 << VALUE + WEIGHT)

    def moved(self, row: int, tap: Tap) -> int:
        """The row after a tap, in units of 2^-(VALUE + WEIGHT)."""
        k, first, second = tap
        lowest = row & ((1 << WIDE) - 1)
        if k >= self.size:
            return self.ones * first
        if k <= -self.size:
            return self.units * (lowest * first)
        row |= 1 << WIDE * self.size + VALUE
        sums = (row * first + (row * second >> WIDE)) & self.mask
        if k > 0:
            high = WIDE * (self.size - k)
            return (sums >> WIDE * k) | ((self.ones >> high << high) * (first + second))
        low = WIDE * -k
        return ((sums << low) & self.mask) | ((self.units & ((1 << low) - 1)) * (lowest * (first + second)))

    def larger(self, a: int, b: int) -> int:
        """The larger one in every cell."""
        keep = ((a | self.guards) - b) & self.guards
        return b ^ ((a ^ b) & (keep - (keep >> WIDE - 1)))

    def rounded(self, sums: int) -> int:
        """From units of 2^-(VALUE + WEIGHT) to those of 2^-VALUE, up; and what is above 1 becomes 1."""
        values = (sums + self.units * ((1 << WEIGHT) - 1)) >> WEIGHT & self.kept
        return values ^ self.ones ^ self.larger(values, self.ones)


def up(mass: int) -> int:
    """From units of 2^-POINT to those of 2^-WEIGHT, up."""
    return -(-mass >> POINT - WEIGHT)


# -- the game --------------------------------------------------------------------------------------------------------


def start(sampler: Sampler, relation: str, choices: Choices) -> tuple[Grid, Row]:
    """Upper bounds of the game's value where it starts; `Grid.at` reads them."""
    grid = Grid(choices.ratio, choices.below, choices.above)
    game, waiting = Game(sampler, choices, grid), Waiting(sampler, choices, grid)
    best = grid.end()
    for total in range(sampler.horizon - 1, sampler.begin - 1, -1):
        game.play(total)
        if not sampler.two:
            best = game.rows[sampler.first]
        elif relation == "pull":
            waiting.step(total, game.rows)
        else:  # it may start in any state
            for row in game.rows.values():
                best = Row(grid.larger(best.cells, waiting.moved(row)), UNIT)
    if sampler.two and relation == "pull":
        if sampler.prepulls == 0:
            waiting.step(0, {})
        best = Row(waiting.started[sampler.prepulls], UNIT)
    return grid, best


class Game:
    """Upper bounds of V_N(n), N falling from the horizon: `rows`, by n."""

    def __init__(self, sampler: Sampler, choices: Choices, grid: Grid) -> None:
        self.sampler, self.choices, self.grid = sampler, choices, grid
        end = grid.end()
        self.rows = dict.fromkeys(range(sampler.first, min(choices.last, sampler.horizon) + 1), end)
        self.spans = list(choices.spans)
        self.top, self.near = choices.spans[0] if choices.spans else (0, ())
        self.coins: dict[int, list[Coin]] = {}

    def play(self, total: int) -> None:
        """One round earlier."""
        sampler, choices = self.sampler, self.choices
        if self.spans and total <= self.spans[0][0]:
            (self.top, self.near), self.coins = self.spans.pop(0), {}
        before, self.rows = self.rows, {}
        for n in range(sampler.first, min(choices.last, total - sampler.prepulls) + 1):
            free = n == choices.last  # from there on, a pull leaves n where it is
            self.rows[n] = self.best(total, n, before[n], before[n if free else n + 1], free)

    def best(self, total: int, n: int, same: Row, more: Row, free: bool) -> Row:
        """The best over the coins of a round with n pulls."""
        grid, rule = self.grid, rules(self.sampler, n, self.top, free)
        if not rules(self.sampler, n, total, free).within(rule):
            raise Rejected(f"spans: the round after {total} pulls offers what the one after {self.top} does not")
        low, high, drift = self.near[min(n - self.sampler.first, len(self.near) - 1)]
        if n not in self.coins:
            self.coins[n] = corners(rule, (low, high), self.choices.width)
        theta, best = grid.folded(math.floor(same.theta * drift)), 0
        for coin in self.coins[n]:
            left, right = (coin.p, coin.q) if self.choices.higher == "right" else (coin.q, coin.p)
            outcomes = (more, left.high, right.low), (same, UNIT - left.low, UNIT - right.high)
            sums = 0
            for row, mass, other in outcomes:
                if mass > 0:
                    sums += grid.moved(row.cells, grid.tap(theta, row.theta, mass, other))
            best = grid.larger(best, sums)
        return Row(grid.rounded(best), theta)


class Waiting:
    """Two arms before the changed reward is read: B_N(n), the best of starting with the next pull of the arm, and of
    waiting on, with any chance of a pull that the means allow. `started`: the larger one of B and V."""

    def __init__(self, sampler: Sampler, choices: Choices, grid: Grid) -> None:
        self.sampler, self.last, self.grid = sampler, choices.last, grid
        end = grid.end().cells
        self.values = dict.fromkeys(range(sampler.prepulls, min(choices.last, sampler.horizon) + 1), end)
        self.started = dict(self.values)

    def moved(self, row: Row) -> int:
        """The cells of a row at theta = 1."""
        return self.grid.rounded(self.grid.moved(row.cells, self.grid.tap(UNIT, row.theta, UNIT, UNIT)))

    def step(self, total: int, game: Mapping[int, Row]) -> None:
        """One round earlier."""
        before, started, grid = self.values, self.started, self.grid
        at_1 = {n: self.moved(row) for n, row in game.items()}
        self.values, self.started = {}, {}
        for n in range(self.sampler.prepulls, min(self.last, total - self.sampler.prepulls) + 1):
            if n == self.last:  # from there on, waiting is no better than the free game
                self.values[n] = at_1[n]
            else:
                rule = rules(self.sampler, n, total, False)
                ends = [phi(-root(rule.high or Fraction(0))), phi(root(rule.low or Fraction(0)))]
                sums = (up(a.high) * started[n + 1] + up(UNIT - a.low) * before[n] for a in ends)
                self.values[n] = grid.rounded(grid.larger(*sums))
            self.started[n] = grid.larger(self.values[n], at_1.get(n, 0))
