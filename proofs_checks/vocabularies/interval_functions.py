"""Functions of intervals, each monotone, so that its values at the ends enclose all others; and comparisons."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, ctx

from dpbandits.proofs_checks.vocabularies.arb_ends import ARB_HALF, ARB_ONE, ARB_ZERO, NEG_INF, increasing
from dpbandits.proofs_checks.vocabularies.intervals import GUARD, MAX_FOLLOWED_EXPONENT, Defined, Interval, nothing

GAMMA_TAIL_START = arb(-100)  # below, Phi is the incomplete gamma function, which keeps its digits; erfc loses them


def certainly_less(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and left lies strictly below right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and left.ends[1] < right.ends[0]


def certainly_at_most(left: Interval, right: Interval) -> bool:
    """Whether both are defined everywhere, and no value of left exceeds one of right."""
    sure = left.defined == right.defined == Defined.EVERYWHERE
    return sure and left.ends[1] <= right.ends[0]


def exp(x: Interval) -> Interval:
    low, high = x.ends
    with ctx.workprec(x.prec):
        least, most = increasing(min(low, MAX_FOLLOWED_EXPONENT).exp(), high.exp())
    return x.with_((max(ARB_ZERO, least), most), x.defined)


def log(x: Interval) -> Interval:
    low, high = x.ends
    if high <= 0:
        return nothing(x.prec)
    with ctx.workprec(x.prec):
        ends = increasing(low.log() if low > 0 else NEG_INF, high.log())
    return x.with_(ends, x.defined if low > 0 else min(x.defined, Defined.PERHAPS))


def sqrt(x: Interval) -> Interval:
    low, high = x.ends
    if high < 0:
        return nothing(x.prec)
    with ctx.workprec(x.prec):
        ends = increasing(max(ARB_ZERO, low).sqrt(), high.sqrt())
    return x.with_(ends, x.defined if low >= 0 else min(x.defined, Defined.PERHAPS))


def ncdf(x: Interval) -> Interval:
    """Phi(x) to about `prec` bits, relative to Phi(x) where x < 0."""
    with ctx.workprec(x.prec + GUARD):
        low, high = increasing(*map(phi, x.ends))
    return x.with_((max(ARB_ZERO, low), min(ARB_ONE, high)), x.defined)


def phi(x: arb) -> arb:
    """Phi(x) = erfc(-x/sqrt(2))/2 = Gamma(1/2, x^2/2)/(2 Gamma(1/2)), the latter for x < 0."""
    return (x * x / 2).gamma_upper(ARB_HALF, 1) / 2 if x < GAMMA_TAIL_START else (-x / arb(2).sqrt()).erfc() / 2


def stepped(x: Interval, rounding: Callable[[arb], arb]) -> Interval:
    """floor or ceil, which are monotone: end by end."""
    with ctx.workprec(x.prec):
        return x.with_(increasing(*(rounding(end) if end.is_finite() else end for end in x.ends)), x.defined)


def larger_interval(a: Interval, b: Interval) -> Interval:
    """The maximum, end by end: never Python's max of two intervals, which would compare them as if numbers."""
    low, high = (max(x, y) for x, y in zip(a.ends, b.ends, strict=True))
    return a.with_((low, high), min(a.defined, b.defined))
