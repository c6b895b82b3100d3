"""Two hidden values with Laplace noise that are compared repeatedly: the exact probability of the comparisons'
outcomes.

A policy of two arms that holds noisy means in secret, plays the arm of the larger index, and now and then draws one of
the two means anew, shows nothing but comparisons. Let X_0, X_1 be the two means. While both stand, all that is shown
is an interval in which X_0 - X_1 lies. When one of them is drawn anew, the other is known by a function of one
variable alone: the density of it and of all that was shown before. With independent Laplace noise these functions are
sums of c y^p e^(k y) on finitely many intervals, and stay so: they are multiplied, shifted and integrated exactly. The
ends of the intervals are rational; the coefficients are balls of python-flint, so that every chance comes with its
own error bound, in every tail.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import comb, inf
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

PRECISION = 1280  # bits: a chance of 1e-300 is what is left of terms of size 1, and is to have 13 digits

ExponentialPolynomial = Mapping[tuple[fmpq, int], arb]  # (rate k, power p) -> coefficient of y^p e^(k y)


class Pieces(NamedTuple):
    """A function of y: parts[i] between ends[i - 1] and ends[i], to the infinities at both sides."""

    ends: tuple[fmpq, ...]
    parts: tuple[ExponentialPolynomial, ...]


class HiddenValue(NamedTuple):
    """A hidden value: a centre, and Laplace noise of this scale."""

    centre: float
    scale: float


class Hidden(NamedTuple):
    """What was shown of the two values. known: the density of the value of arm `known_of`, and of all that was shown
    before the other was drawn; fresh: the other one. X_0 - X_1 lies between low and high."""

    known: Pieces
    known_of: int
    fresh: HiddenValue
    low: float
    high: float


def exact_fmpq(number: float) -> fmpq:
    return fmpq(*number.as_integer_ratio())


# -- sums of y^p e^(k y) -------------------------------------------------------------------------------------------


def sum_of_terms(*terms: ExponentialPolynomial) -> ExponentialPolynomial:
    """Their sum. Left out is what is 0 for certain; what may be 0 counts beside rarer terms."""
    out: dict[tuple[fmpq, int], arb] = {}
    for each in terms:
        for key, value in each.items():
            out[key] = out[key] + value if key in out else value
    return {key: value for key, value in out.items() if not value.is_zero()}


def times(one: ExponentialPolynomial, other: ExponentialPolynomial) -> ExponentialPolynomial:
    products = [{(j + k, p + q): a * b} for (j, p), a in one.items() for (k, q), b in other.items()]
    return sum_of_terms(*products)


def scaled(terms: ExponentialPolynomial, factor: int) -> ExponentialPolynomial:
    return {key: factor * value for key, value in terms.items()}


def translated_terms(terms: ExponentialPolynomial, by: fmpq) -> ExponentialPolynomial:
    """The function at y + by."""
    shift = arb(by)
    return sum_of_terms(
        *(
            {(k, j): a * comb(p, j) * shift ** (p - j) * (arb(k) * shift).exp() for j in range(p + 1)}
            for (k, p), a in terms.items()
        )
    )


def antiderivative(terms: ExponentialPolynomial) -> ExponentialPolynomial:
    out = []
    for (k, p), a in terms.items():
        if k == 0:
            out.append({(k, p + 1): a / (p + 1)})
            continue
        rate = arb(k)
        for j in range(p + 1):
            out.append({(k, p - j): a / rate})
            a = -a * (p - j) / rate
    return sum_of_terms(*out)


def value_at(terms: ExponentialPolynomial, y: fmpq) -> arb:
    place = arb(y)
    return sum((a * place**p * (arb(k) * place).exp() for (k, p), a in terms.items()), start=arb(0))


def constant_terms(value: arb) -> ExponentialPolynomial:
    return {(fmpq(0), 0): value}


# -- functions in pieces -------------------------------------------------------------------------------------------


def translated_pieces(f: Pieces, by: fmpq) -> Pieces:
    """f(y + by)."""
    return Pieces(tuple(end - by for end in f.ends), tuple(translated_terms(part, by) for part in f.parts))


def combine_pieces(functions: Iterable[Pieces], how: Callable[..., ExponentialPolynomial]) -> Pieces:
    """Piece by piece, on the union of all ends. how: `times` or `added`."""
    each = tuple(functions)
    ends = sorted({end for f in each for end in f.ends})
    starts = [None, *ends]  # the piece that begins there
    parts = []
    for start in starts:
        here = [f.parts[0 if start is None else bisect_right(f.ends, start)] for f in each]
        parts.append(how(*here))
    return Pieces(tuple(ends), tuple(parts))


def cumulative(f: Pieces) -> Pieces:
    """The integral of f from -inf to y; f falls off at both sides."""
    parts, before = [], arb(0)
    for i, part in enumerate(f.parts):
        whole = antiderivative(part)
        start = value_at(whole, f.ends[i - 1]) if i else arb(0)  # 0 at -inf, where every rate is positive
        parts.append(sum_of_terms(whole, constant_terms(before - start)))
        if i < len(f.ends):
            before = value_at(parts[-1], f.ends[i])
    return Pieces(f.ends, tuple(parts))


def integral_over_line(f: Pieces) -> arb:
    """The integral of f over all y."""
    if not f.ends:
        return arb(0)
    last = cumulative(f).parts[-1]
    return last.get((fmpq(0), 0), arb(0))  # every other term falls off


@lru_cache(maxsize=4096)
def density(value: HiddenValue) -> Pieces:
    centre, rate = exact_fmpq(value.centre), 1 / exact_fmpq(value.scale)
    half, reach = arb(rate) / 2, arb(rate * centre)
    return Pieces((centre,), ({(rate, 0): half * (-reach).exp()}, {(-rate, 0): half * reach.exp()}))


@lru_cache(maxsize=4096)
def distribution(value: HiddenValue, by: float) -> Pieces:
    """P(X <= y + by); 0 and 1 for infinite `by`."""
    if by in (-inf, inf):
        return Pieces((), (constant_terms(arb(1)) if by > 0 else {},))
    centre, rate = exact_fmpq(value.centre), 1 / exact_fmpq(value.scale)
    reach = arb(rate * centre)
    below = {(rate, 0): (-reach).exp() / 2}
    above = {(fmpq(0), 0): arb(1), (-rate, 0): -reach.exp() / 2}
    return translated_pieces(Pieces((centre,), (below, above)), exact_fmpq(by))


def pieces_difference(one: Pieces, other: Pieces) -> Pieces:
    """one - other."""
    return combine_pieces((one, Pieces(other.ends, tuple(scaled(part, -1) for part in other.parts))), sum_of_terms)


# -- what comparisons show -----------------------------------------------------------------------------------------


def start_hidden(first: HiddenValue, second: HiddenValue) -> Hidden:
    """Both values drawn, nothing shown."""
    with precise():
        return Hidden(density(second), 1, first, -inf, inf)


def restrict_difference(state: Hidden, low: float, high: float) -> Hidden:
    """Adds the observation that X_0 - X_1 lies between low and high."""
    return state._replace(low=max(state.low, low), high=min(state.high, high))


def redraw_value(state: Hidden, arm: int, value: HiddenValue) -> Hidden:
    """Redraws the arm's value; the other value keeps all earlier observations."""
    with precise():
        if arm == state.known_of:
            return Hidden(the_other(state), 1 - arm, value, -inf, inf)
        return Hidden(the_known(state), 1 - arm, value, -inf, inf)


def the_known(state: Hidden) -> Pieces:
    """The density of the known value, with the fresh value integrated out."""
    if state.low >= state.high:
        return Pieces((), ({},))
    # X_0 - X_1 in (low, high): a fresh X_0 lies in (y + low, y + high), a fresh X_1 in (y - high, y - low).
    above, below = (state.high, state.low) if state.known_of == 1 else (-state.low, -state.high)
    window = pieces_difference(distribution(state.fresh, above), distribution(state.fresh, below))
    return combine_pieces((state.known, window), times)


def the_other(state: Hidden) -> Pieces:
    """The density of the fresh value, with the known value integrated out."""
    if state.low >= state.high:
        return Pieces((), ({},))
    below, above = (-state.high, -state.low) if state.known_of == 1 else (state.low, state.high)
    mass = cumulative(state.known)
    top = (
        Pieces((), (constant_terms(integral_over_line(state.known)),))
        if above == inf
        else translated_pieces(mass, exact_fmpq(above))
    )
    bottom = Pieces((), ({},)) if below == -inf else translated_pieces(mass, exact_fmpq(below))
    return combine_pieces((density(state.fresh), pieces_difference(top, bottom)), times)


def chance(state: Hidden) -> arb:
    """The probability of all observations, as a ball (an enclosure)."""
    with precise():
        return integral_over_line(the_known(state))


def precise() -> Any:
    """The working precision of this module."""
    return ctx.workprec(PRECISION)
