"""Interval arithmetic that also tracks where a formula is defined.

An `Interval` [low, high] encloses the values that a formula takes at those points of a box at which it is defined;
`defined` states whether it is defined everywhere in the box, possibly somewhere, or nowhere. So log([-1, 1]) is [-inf,
0], defined possibly, and 1/[0, 0] is the whole line, defined nowhere: no information, never a wrong enclosure.

The arithmetic is Arb's. A ball (midpoint and radius) is used at single points only: the ends of an interval are exact
binary numbers, and an operation evaluates balls at the ends, or at the corners, and takes the lowest and the highest
numbers in them. So exact results stay exact, and monotone functions lose nothing. All values are real: an infinite end
means that there is no bound, so 0 times [0, inf] is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from math import floor, inf, log2
from typing import Any

from flint import arb, ctx, fmpq

from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_fraction
from dpbandits.proofs_checks.vocabularies.operators import operator_methods, raises_type_error
from dpbandits.proofs_checks.vocabularies.rounded_doubles import double_above, double_below

Ends = tuple[arb, arb]  # two exact numbers or infinities, the lower first; neither is -inf above, nor inf below
ARB_ZERO, ARB_ONE, ARB_HALF, INF, NEG_INF = arb(0), arb(1), arb(0.5), arb("inf"), arb("-inf")
MAX_WRITTEN_EXPONENT = 2**20  # the largest binary exponent of an end that is written as a rational


def negate_end(end: arb) -> arb:
    """The exact number -end, without the rounding of Arb's own minus sign."""
    return end.neg(exact=True)


def end_parts(end: arb) -> tuple[int, int] | str:
    """The end as a pair (m, e) for m 2^e, or as the name of an infinity; arb(...) makes the end from either."""
    if not end.is_finite():
        return "inf" if end > 0 else "-inf"
    man, exp = end.man_exp()
    return int(man), int(exp)


def rational_below(end: arb, max_exponent: int = MAX_WRITTEN_EXPONENT) -> Fraction | float:
    """The end as an exact fraction, or an infinite float.
    Beyond 2^+-max_exponent it is rounded down, because writing out a rational would take megabytes."""
    if not end.is_finite():
        return inf if end > 0 else -inf
    man, exp = map(int, end.man_exp())
    size = exp + man.bit_length()
    if abs(size) <= max_exponent or not man:
        return Fraction(man << exp) if exp >= 0 else Fraction(man, 1 << -exp)
    if size > 0:
        return Fraction(2) ** max_exponent if man > 0 else -inf
    return Fraction(0) if man > 0 else -Fraction(1, 2**max_exponent)


def monotone_ends(low: arb, high: arb) -> Ends:
    """The interval from the lowest number of the ball `low` to the highest number of the ball `high`.
    It has Arb's current precision."""
    return NEG_INF if low.is_nan() else low.lower(), INF if high.is_nan() else high.upper()


def hull_of_balls(balls: list[arb]) -> Ends:
    """The smallest interval around all balls, in Arb's current precision."""
    if any(ball.is_nan() for ball in balls):
        return NEG_INF, INF
    return min([ball.lower() for ball in balls]), max([ball.upper() for ball in balls])


def lower_sum(x: arb, y: arb) -> arb:
    """A lower bound on x + y. A ball loses the sign of a small summand, but 1 + e^-1000 is at least 1."""
    return max((x + y).lower(), x if y >= 0 else NEG_INF, y if x >= 0 else NEG_INF)


def corner_product(x: arb, y: arb) -> arb:
    """The product x y of two ends. An infinity means arbitrarily large numbers, so 0 times infinity is 0."""
    return ARB_ZERO if x == 0 or y == 0 else x * y


def corner_quotient(x: arb, y: arb, side: arb) -> arb:
    """The quotient x/y of two ends.
    For two infinities, x/y takes any value of one sign; those near 0 and infinity also occur for adjacent ends, so 0
    suffices here. side: the sign of infinity for y = 0."""
    if y == 0:
        return corner_product(x, side)
    return x / y if y.is_finite() else ARB_ZERO


# The lower end of exp is not followed beyond, nor is a power taken for a whole one.
MAX_FOLLOWED_EXPONENT = arb(2.0**64)
GUARD = 64  # bits more for powers and Phi, which multiply relative errors by the exponent, up to 2^64 for x^2/2


class Defined(IntEnum):
    """Where a formula is known to be defined in a box: everywhere, possibly somewhere, or nowhere."""

    NOWHERE = 0
    PERHAPS = 1
    EVERYWHERE = 2


# -- operations ------------------------------------------------------------------------------------------------

BinaryOperation = Callable[["Interval", "Interval", Defined], "Interval"]


def interval_operation(operation: BinaryOperation, a: object, b: object) -> Interval:
    """The result of a binary operation on two intervals, or on an interval and a number.
    It has the precision of the (first) interval."""
    try:
        if isinstance(a, Interval):
            p, q = a, b if isinstance(b, Interval) else interval_of_number(exact_fraction(b), a.prec)
        else:
            assert isinstance(b, Interval)
            p, q = interval_of_number(exact_fraction(a), b.prec), b
    except TypeError:
        return NotImplemented  # type: ignore[no-any-return]
    before, ctx.prec = ctx.prec, p.prec  # as ctx.workprec does, which takes longer than a sum
    try:
        return operation(p, q, min(p.defined, q.defined))
    finally:
        ctx.prec = before


def interval_sum(a: Interval, b: Interval, defined: Defined) -> Interval:
    """The smallest known interval that contains all sums."""
    high = lower_sum(negate_end(a.ends[1]), negate_end(b.ends[1]))
    return a.with_((lower_sum(a.ends[0], b.ends[0]), negate_end(high)), defined)


def interval_product(a: Interval, b: Interval, defined: Defined) -> Interval:
    """The smallest known interval that contains all products."""
    if a.ends[0] >= 0 and b.ends[0] >= 0:  # two corners instead of four
        return a.with_(
            monotone_ends(corner_product(a.ends[0], b.ends[0]), corner_product(a.ends[1], b.ends[1])), defined
        )
    return a.with_(hull_of_balls([corner_product(x, y) for x in a.ends for y in b.ends]), defined)


def interval_quotient(a: Interval, b: Interval, defined: Defined) -> Interval:
    """An interval that contains all quotients by divisors other than 0."""
    low, high = b.ends
    if low == high == 0:
        return undefined_interval(a.prec)
    if low <= 0 <= high:
        defined = min(defined, Defined.PERHAPS)
    if low < 0 < high:
        return a.with_((NEG_INF, INF), defined)
    if a.ends[0] >= 0 and low > 0:
        return a.with_(monotone_ends(corner_quotient(a.ends[0], high, INF), a.ends[1] / low), defined)
    side = INF if high > 0 else NEG_INF  # of 1/y for small y
    return a.with_(hull_of_balls([corner_quotient(x, y, side) for x in a.ends for y in b.ends]), defined)


def interval_power(base: Interval, exponent: Interval, defined: Defined) -> Interval:
    """The enclosure of base ** exponent.
    Integer powers of any base (except 0 to a negative power), real powers of base >= 0."""
    (low, high), (least, most) = base.ends, exponent.ends
    if least == most and negate_end(MAX_FOLLOWED_EXPONENT) <= least <= MAX_FOLLOWED_EXPONENT and least.is_integer():
        return interval_whole_power(base, int(least.unique_fmpz() or 0), defined)
    if low < 0 and (most == INF or floor(exponent.high) >= exponent.low):
        return base.with_((NEG_INF, INF), min(defined, Defined.PERHAPS))  # a whole power of a negative one, perhaps
    if high < 0:
        return undefined_interval(base.prec)
    # 0 to a positive power is 0; below 0 there is nothing; 0 to a power <= 0 is left open.
    if low < 0 or (low == 0 and least <= 0):
        defined = min(defined, Defined.PERHAPS)
    if low <= 0 and least <= 0:
        return base.with_((ARB_ZERO, INF), defined)
    with ctx.extraprec(GUARD):  # monotone in the base, and in the exponent: the extremes lie at corners
        ends = hull_of_balls([x**y if x != 1 else ARB_ONE for x in (max(ARB_ZERO, low), high) for y in exponent.ends])
    return base.with_((max(ARB_ZERO, ends[0]), ends[1]), defined)


def interval_whole_power(base: Interval, n: int, defined: Defined) -> Interval:
    """The enclosure of base ** n for an integer n, by monotonicity on either side of zero."""
    if n < 0:
        return 1 / interval_whole_power(base, -n, defined)
    if n % 2 == 0:
        base = abs(base)
    with ctx.extraprec(GUARD):
        return base.with_(monotone_ends(*(x**n if x >= 0 else -((-x) ** n) for x in base.ends)), defined)


# -- values -----------------------------------------------------------------------------------------------------


class Interval:
    """An enclosure of a formula's values over a box, made by a context: iv.number("0.1"), iv.between(1, 2).

    low, high: exact Fractions or +-inf floats. Arithmetic accepts int, float and Fraction, all read exactly. Intervals
    are not ordered, so `<` raises; use `certainly_less` or `certainly_at_most`.
    """

    __array_ufunc__ = None  # a numpy scalar to the left of an operator gives way to us
    __slots__ = ("defined", "ends", "prec")

    def __init__(self, ends: Ends, prec: int, defined: Defined = Defined.EVERYWHERE):
        """The interval with these ends. prec: bits of precision; defined: whether the formula is defined everywhere."""
        self.ends = ends
        self.prec = prec
        self.defined = defined

    @property
    def low(self) -> Fraction | float:
        """The lower end: an exact fraction, or an infinite float."""
        return rational_below(self.ends[0])

    @property
    def high(self) -> Fraction | float:
        """The upper end: an exact fraction, or an infinite float."""
        return -rational_below(negate_end(self.ends[1]))

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends as doubles, rounded outwards."""
        low, high = rational_below(self.ends[0], 1100), -rational_below(negate_end(self.ends[1]), 1100)
        return (
            double_below(low) if isinstance(low, Fraction) else low,
            double_above(high) if isinstance(high, Fraction) else high,
        )

    @property
    def middle(self) -> float:
        """Some double near the midpoint, for display, not for proofs."""
        low, high = self.bounds
        return low / 2 + high / 2

    def with_(self, ends: Ends, defined: Defined) -> Interval:
        """An interval of the same precision with these ends; the whole line if it is defined nowhere."""
        return Interval(ends, self.prec, defined) if defined else undefined_interval(self.prec)

    __add__, __radd__ = operator_methods(interval_operation, interval_sum)
    __sub__, __rsub__ = operator_methods(interval_operation, lambda a, b, defined: interval_sum(a, -b, defined))
    __mul__, __rmul__ = operator_methods(interval_operation, interval_product)
    __truediv__, __rtruediv__ = operator_methods(interval_operation, interval_quotient)
    __pow__, __rpow__ = operator_methods(interval_operation, interval_power)

    def __neg__(self) -> Interval:
        """The interval [-high, -low]."""
        low, high = self.ends
        return Interval((negate_end(high), negate_end(low)), self.prec, self.defined)

    def __pos__(self) -> Interval:
        """The interval itself, unchanged."""
        return self

    def __abs__(self) -> Interval:
        """The interval of absolute values."""
        mirrored = -self
        high = max(self.ends[1], mirrored.ends[1])
        return Interval((max(ARB_ZERO, self.ends[0], mirrored.ends[0]), high), self.prec, self.defined)

    __bool__ = raises_type_error("an interval is neither true nor false; formulas must not branch on a value")
    __lt__ = __le__ = __gt__ = __ge__ = raises_type_error(
        "intervals are not ordered; formulas have m.maximum, checks certainly_less"
    )

    def __eq__(self, value: object) -> bool:
        """Whether both are intervals with the same ends and the same `defined`."""
        return isinstance(value, Interval) and self.ends == value.ends and self.defined == value.defined

    def __hash__(self) -> int:
        """A hash of the ends and of `defined`."""
        return hash((self.low, self.high, self.defined))

    def __reduce__(self) -> Any:
        """The parts from which pickle restores the interval; see `unpickle_interval`."""
        return unpickle_interval, (*map(end_parts, self.ends), self.prec, self.defined)

    def __repr__(self) -> str:
        """The ends as doubles rounded outwards, and whether the value may be undefined."""
        low, high = self.bounds
        mark = {2: "", 1: ", defined perhaps", 0: ", defined nowhere"}[int(self.defined)]
        return f"Interval({low!r}, {high!r}{mark})"


def unpickle_interval(low: Any, high: Any, prec: int, defined: Defined) -> Interval:
    """An interval from the parts that pickle stores."""
    return Interval((arb(low), arb(high)), prec, defined)


@lru_cache(maxsize=4096)
def interval_of_number(value: Fraction, prec: int) -> Interval:
    """The tightest interval around an exact rational; a single point if it is a binary number."""
    p, q = value.numerator, value.denominator
    if q & (q - 1) == 0:  # exact at any precision
        end = arb((p, 1 - q.bit_length()))
        return Interval((end, end), prec)
    with ctx.workprec(prec):
        ball = arb(fmpq(p, q))
        return Interval(monotone_ends(ball, ball), prec)


def undefined_interval(prec: int) -> Interval:
    """The value of a formula that is defined nowhere: the whole line, no information."""
    return Interval((NEG_INF, INF), prec, Defined.NOWHERE)


GAMMA_TAIL_START = arb(-100)  # below, Phi is the incomplete gamma function, which keeps its digits; erfc loses them


def certainly_less(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and left lies strictly below right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and left.ends[1] < right.ends[0]


def certainly_at_most(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and no value of left exceeds one of right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and left.ends[1] <= right.ends[0]


def ball_ncdf(x: arb) -> arb:
    """Phi(x) for a ball x, as erfc(-x/sqrt(2))/2, for x < 0 as Gamma(1/2, x^2/2)/(2 Gamma(1/2))."""
    return (x * x / 2).gamma_upper(ARB_HALF, 1) / 2 if x < GAMMA_TAIL_START else (-x / arb(2).sqrt()).erfc() / 2


def interval_step_function(x: Interval, rounding: Callable[[arb], arb]) -> Interval:
    """The enclosure of floor(x) or ceil(x), end by end, because both functions increase."""
    with ctx.workprec(x.prec):
        return x.with_(monotone_ends(*(rounding(end) if end.is_finite() else end for end in x.ends)), x.defined)


# -- the vocabulary ------------------------------------------------------------------------------------------------

DIGITS = 50
SPARE = 16  # bits that roundings may cost an interval
WRITTEN_OUT = 16_300  # the largest binary exponent that is written as a decimal


class Intervals:
    """The vocabulary of formulas on intervals, with at least `digits` digits, rounded up to whole words of bits."""

    def __init__(self, digits: int = DIGITS):
        """Prepares interval arithmetic that is accurate to this many decimal digits."""
        self.prec = 64 * (int(digits * log2(10) + SPARE) // 64 + 1)
        with ctx.workprec(self.prec):
            self.pi = Interval(monotone_ends(arb.pi(), arb.pi()), self.prec)

    def number(self, value: object) -> Interval:
        """The tightest enclosure of a number that is read exactly."""
        return interval_of_number(exact_fraction(value), self.prec)

    def between(self, low: object, high: object) -> Interval:
        """The interval [low, high], whose ends are numbers that are read exactly, or infinities.
        Raises ValueError unless low <= high and the interval contains a number."""
        ends = self.end(low, 0), self.end(high, 1)
        if ends[0] > ends[1] or ends[0] == INF or ends[1] == NEG_INF:
            raise ValueError(
                f"between({low!r}, {high!r}): the interval is empty; the lower end must not exceed the upper end"
            )
        return Interval(ends, self.prec)

    def end(self, value: object, side: int) -> arb:
        """The low end (side 0) or the high end (side 1) of the enclosure of a number."""
        if isinstance(value, float) and abs(value) == inf:
            return INF if value > 0 else NEG_INF
        return self.number(value).ends[side]

    def of(self, value: object) -> Interval:
        """The value as an interval; an interval unchanged."""
        return value if isinstance(value, Interval) else self.number(value)

    def exp(self, x: object) -> Interval:
        """The enclosure of e^x."""
        interval = self.of(x)
        low, high = interval.ends
        with ctx.workprec(interval.prec):
            least, most = monotone_ends(min(low, MAX_FOLLOWED_EXPONENT).exp(), high.exp())
        return interval.with_((max(ARB_ZERO, least), most), interval.defined)

    def log(self, x: object) -> Interval:
        """The logarithm, undefined for x <= 0."""
        interval = self.of(x)
        low, high = interval.ends
        if high <= 0:
            return undefined_interval(interval.prec)
        with ctx.workprec(interval.prec):
            ends = monotone_ends(low.log() if low > 0 else NEG_INF, high.log())
        return interval.with_(ends, interval.defined if low > 0 else min(interval.defined, Defined.PERHAPS))

    def sqrt(self, x: object) -> Interval:
        """The square root, undefined below 0."""
        interval = self.of(x)
        low, high = interval.ends
        if high < 0:
            return undefined_interval(interval.prec)
        with ctx.workprec(interval.prec):
            ends = monotone_ends(max(ARB_ZERO, low).sqrt(), high.sqrt())
        return interval.with_(ends, interval.defined if low >= 0 else min(interval.defined, Defined.PERHAPS))

    def power(self, base: object, exponent: object) -> Interval:
        """The enclosure of base ** exponent."""
        return self.of(base) ** self.of(exponent)

    def ncdf(self, x: object) -> Interval:
        """Phi(x) to about `prec` bits, relative to Phi(x) for x < 0."""
        interval = self.of(x)
        with ctx.workprec(interval.prec + GUARD):
            low, high = monotone_ends(*map(ball_ncdf, interval.ends))
        return interval.with_((max(ARB_ZERO, low), min(ARB_ONE, high)), interval.defined)

    def floor(self, x: object) -> Interval:
        """The enclosure of floor(x)."""
        return interval_step_function(self.of(x), arb.floor)

    def ceil(self, x: object) -> Interval:
        """The enclosure of ceil(x)."""
        return interval_step_function(self.of(x), arb.ceil)

    def maximum(self, *values: object) -> Interval:
        """maximum(a, b, ...): an interval that contains the largest of its arguments, computed end by end."""
        given = [self.of(value) for value in values]
        low, high = (max(ends) for ends in zip(*(interval.ends for interval in given), strict=True))
        return given[0].with_((low, high), min(interval.defined for interval in given))

    def minimum(self, *values: object) -> Interval:
        """minimum(a, b, ...): an interval that contains the smallest of its arguments."""
        return -self.maximum(*(-self.of(value) for value in values))

    def enclosure(self, x: object, digits: int = 25) -> list[str]:
        """An interval as text: decimal strings [low, high], rounded outwards to this many digits."""
        x = self.of(x)
        low, high = (rational_below(end, WRITTEN_OUT) for end in (x.ends[0], (-x).ends[0]))
        return [decimal_text(low, digits, up=False), decimal_text(-high, digits, up=True)]


iv = Intervals()
