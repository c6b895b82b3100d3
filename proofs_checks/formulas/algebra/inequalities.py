"""Proves inequalities between formulas with roots, exponentials and Phi exactly: the difference of the sides has no
negative coefficients. The module is built on `identities`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from dpbandits.proofs_checks.formulas.algebra.identities import (
    Atoms,
    cancel_common_variables,
    is_clearly_nonnegative,
    linear_parts,
    range_low,
)
from dpbandits.proofs_checks.formulas.algebra.polynomials import (
    PI,
    Polynomial,
    Ratio,
    as_ratio,
    substitute_ranges,
    variable_ratio,
)
from dpbandits.reference.claims.model import Condition, Domain, Formula, OneOf, Real, Whole

NOT_NEGATIVE, UNIT_INTERVAL = Real(0, inf, closed=True), Real(0, 1, closed=True)
# The ranges of atoms; a logarithm's hangs on its argument.
RANGES = {
    "sqrt": NOT_NEGATIVE,
    "exp": NOT_NEGATIVE,
    "ncdf": UNIT_INTERVAL,
    "ceil": UNIT_INTERVAL,
    "floor": UNIT_INTERVAL,
}


def is_provably_at_most(
    left: Formula, right: Formula, over: Domain, strict: bool = False, given: Sequence[Condition] = ()
) -> bool:
    """Whether exact algebra proves left <= right on the whole domain, ends included (left < right if strict).
    The inequality need hold only at points that satisfy the conditions `given`.

    The difference is examined; if both sides are clearly nonnegative, also the difference of the squares, and lower
    bounds on it (see `gap_lower_bounds`). It must have no negative coefficient after every variable and atom
    is substituted by its range (see `polynomials.substitute_ranges`), except those that squares of differences
    compensate. False says nothing.
    """
    m = Atoms()
    named = {name: variable_ratio(name) for name in over}
    a, b = m.reduced(as_ratio(left(m, **named))), m.reduced(as_ratio(right(m, **named)))
    gaps = [m.reduced(b - a)]
    if is_clearly_nonnegative(a, over) and is_clearly_nonnegative(b, over):
        gaps.append(m.reduced(b * b - a * a))
    if any(is_certainly_nonnegative(gap, over, strict) for gap in gaps):
        return True
    if strict:
        return False
    known = [m.reduced(as_ratio(more(m, **named)) - as_ratio(less(m, **named))) for less, more in given]
    ranges = ranges_with_atoms(m, over)
    # A square shows where its variables sweep all that is not negative: from 1 on it falls into pieces.
    wider = [
        {**ranges, name: NOT_NEGATIVE}
        for name, values in over.items()
        if range_low(values) > 0 and has_no_upper_end(values)
    ]
    least = [m.reduced(gap) for gap in gap_lower_bounds(m, gaps[0], known, ranges)]
    return any(is_certainly_nonnegative(gap, every, False) for gap in least for every in (ranges, *wider))


def ranges_with_atoms(m: Atoms, over: Domain) -> Domain:
    """The ranges of all variables and atoms, for example [0, inf) for the atom log(x) if x >= 1."""
    ranges = {**over, PI: Real(3, 4)}
    for function, argument, name in m.known:
        if function in RANGES:
            ranges[name] = RANGES[function]
        elif function == "log" and is_certainly_nonnegative(argument - 1, ranges, False):
            ranges[name] = NOT_NEGATIVE
    return ranges


def gap_lower_bounds(m: Atoms, gap: Ratio, known: Sequence[Ratio], ranges: Domain) -> Iterator[Ratio]:
    """Yields the gap and then lower bounds on it; if one of them is nonnegative, the gap is nonnegative.
    known: expressions that are nonnegative."""
    yield gap
    for each in known:
        gap = eliminate_known(gap, each)
        yield gap
    for function, exponent, name in m.known:
        parts = linear_parts(gap, name) if function == "exp" else None
        bound = bernoulli_bound(exponent, m, ranges) if parts else None
        if parts and bound is not None and is_certainly_nonnegative(-parts[0], ranges, False):
            gap = parts[0] * bound + parts[1]
            yield gap
    for function, argument, name in m.known:
        parts = linear_parts(gap, name) if function == "sqrt" else None
        if (
            parts
            and is_certainly_nonnegative(-parts[0], ranges, False)
            and is_certainly_nonnegative(m.reduced(parts[1]), ranges, False)
        ):
            yield parts[1] * parts[1] - parts[0] * parts[0] * argument


def eliminate_known(gap: Ratio, known: Ratio) -> Ratio:
    """The gap minus a nonnegative multiple of `known`, so that a variable is eliminated.
    Both must be linear in that variable; the gap itself is returned if the multiple would be negative. known: a
    nonnegative expression."""
    if set(gap.bottom) == set(known.bottom) == {()}:
        for powers, value in known.top.items():
            share = gap.top.get(powers, 0) / value * known.bottom[()] / gap.bottom[()]
            if len(powers) == 1 and powers[0][1] == 1 and share > 0:
                return gap - known * share
    return gap


def bernoulli_bound(exponent: Ratio, m: Atoms, ranges: Domain) -> Ratio | None:
    """The upper bound 1 + u (x - 1) on e^exponent = x^u, for u in [0, 1]; None if the exponent has another form."""
    exponent = cancel_common_variables(exponent)
    for function, argument, name in m.known:
        parts = linear_parts(exponent, name) if function == "log" else None
        if (
            parts
            and not parts[1].top
            and is_certainly_nonnegative(parts[0], ranges, False)
            and is_certainly_nonnegative(1 - parts[0], ranges, False)
        ):
            return 1 + parts[0] * (argument - 1)
    return None


def is_certainly_nonnegative(gap: Ratio, over: Domain, strict: bool) -> bool:
    """Whether the quotient `gap` is certainly >= 0 (> 0 if strict), wherever its variables are in their ranges."""
    if not gap.names <= set(over) or (strict and not all(has_no_upper_end(over[name]) for name in gap.names)):
        return False
    try:
        points = substitute_ranges({name: over[name] for name in sorted(gap.names)})
    except TypeError:
        return False
    return all(has_settled_sign(substitute(gap, point), strict) for point in points)


def has_no_upper_end(values: Real | Whole | OneOf) -> bool:
    """Whether a range has no upper end.
    (The substitution reaches a finite low end only in the limit, so that end does not affect strictness.)"""
    return not isinstance(values, OneOf) and values.high in (None, inf)


def has_settled_sign(gap: Ratio, strict: bool) -> bool:
    """Whether the coefficients alone show that the quotient is never negative (if strict, always positive)."""
    if strict:
        return gap.never_negative() and () in gap.top
    sign = 1 if min(gap.bottom.values()) >= 0 else -1
    return all(sign * value >= 0 for value in gap.bottom.values()) and is_balanced(
        {powers: sign * value for powers, value in gap.top.items()}
    )


def is_balanced(polynomial: Polynomial) -> bool:
    """Whether positive terms outweigh every negative term, so that the polynomial is never negative.
    Its variables are nonnegative. For each negative term b m, two positive terms a p and c q, used for no other term,
    must have m^2 = p q and b^2 <= 4 a c: then a p + c q - |b| m is at least the square of sqrt(a p) - sqrt(c q)."""
    spare = {powers: value for powers, value in polynomial.items() if value > 0}
    for middle, value in polynomial.items():
        if value > 0:
            continue
        square = {name: 2 * power for name, power in middle}
        for first in spare:
            rest = {name: square.get(name, 0) - dict(first).get(name, 0) for name in {*square, *dict(first)}}
            other = tuple(sorted((name, power) for name, power in rest.items() if power))
            if other != first and other in spare and value**2 <= 4 * spare[first] * spare[other]:
                del spare[first], spare[other]
                break
        else:
            return False
    return True


def substitute(x: Ratio, values: Mapping[str, Ratio]) -> Ratio:
    """The quotient x with its variables replaced by these values."""

    def evaluated(polynomial: Polynomial) -> Ratio:
        """The value of the polynomial, a quotient, if its variables have the given values."""
        total = as_ratio(0)
        for powers, value in polynomial.items():
            term = as_ratio(value)
            for name, power in powers:
                term = term * values[name] ** power
            total = total + term
        return total

    return evaluated(x.top) / evaluated(x.bottom)
