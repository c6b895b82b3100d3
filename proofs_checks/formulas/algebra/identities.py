"""Exact identities and inequalities between formulas with roots, exponentials and Phi: algebra over atoms.

sqrt(x), exp(x), log(x) and Phi(x) become new variables, one for each different argument; (sqrt(x))^2 is x again,
Phi(-x) is 1 - Phi(x), Phi(0) is 1/2, e^(k log x) is x^k for a whole number k, and ceil(x) is x + r with a new variable
r in [0, 1]. Two formulas that are then the same quotient of polynomials are equal wherever both are defined. The
converse does not hold: e^x e^-x is not seen to be 1.

An inequality is a gap that is not negative. Of its atoms only the ranges are used, and four facts: what is given;
x^u <= 1 + u (x - 1) for u in [0, 1] (Bernoulli); c s <= d where (c s)^2 <= d^2, for a root s; and, of variables that
are not negative, b m <= a p + c q where m^2 = p q and b^2 <= 4 a c (the square of a difference).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from dpbandits.proofs_checks.formulas.algebra.polynomials import (
    PI,
    Polynomial,
    Ratio,
    constant_polynomial,
    polynomial_product,
    ratio,
    swept,
    variable,
)
from dpbandits.reference.claims.model import Condition, Domain, Formula, OneOf, Real

NOT_NEGATIVE, UNIT_INTERVAL = Real(0, inf, closed=True), Real(0, 1, closed=True)
# The ranges of atoms; a logarithm's hangs on its argument.
RANGES = {
    "sqrt": NOT_NEGATIVE,
    "exp": NOT_NEGATIVE,
    "ncdf": UNIT_INTERVAL,
    "ceil": UNIT_INTERVAL,
    "floor": UNIT_INTERVAL,
}


class Atoms:
    """The vocabulary on quotients of polynomials whose variables include atoms. One instance per comparison."""

    name = "atoms"

    def __init__(self) -> None:
        self.known: list[tuple[str, Ratio, str]] = []  # (function, argument, the atom's variable)
        self.pi = variable(PI)

    def number(self, value: Any) -> Ratio:
        return ratio(value)

    def sqrt(self, x: Any) -> Ratio:
        return self.atom("sqrt", x)

    def exp(self, x: Any) -> Ratio:
        """e^(k log y + rest) is y^k e^rest, for whole numbers k and a rest without log y."""
        rest, product = cancelled(self.reduced(ratio(x))), ratio(1)
        for function, argument, name in self.known:
            parts = linear_parts(rest, name) if function == "log" else None
            if parts and set(parts[0].top) == set(parts[0].bottom) == {()}:
                share = parts[0].top[()] / parts[0].bottom[()]
                if share.denominator == 1:
                    rest, product = parts[1], product * argument ** int(share)
        return product * self.atom("exp", rest) if rest.top else product

    def log(self, x: Any) -> Ratio:
        return self.atom("log", x)

    def ncdf(self, x: Any) -> Ratio:
        mirrored = -self.reduced(ratio(x))
        if not mirrored.top:
            return ratio(1) / 2
        known = any(each == "ncdf" and self.equal(mirrored, other) for each, other, _ in self.known)
        return 1 - self.atom("ncdf", mirrored) if known else self.atom("ncdf", x)

    def ceil(self, x: Any) -> Ratio:
        return ratio(x) + self.atom("ceil", x)

    def floor(self, x: Any) -> Ratio:
        return ratio(x) - self.atom("floor", x)

    def atom(self, function: str, x: Any) -> Ratio:
        """The variable that stands for function(x), or for what ceil and floor change x by; the same one for every way
        to write x."""
        argument = self.reduced(ratio(x))
        for known, other, name in self.known:
            if known == function and self.equal(argument, other):
                return variable(name)
        name = f"{function}#{len(self.known)}"
        self.known.append((function, argument, name))
        return variable(name)

    def reduced(self, x: Ratio) -> Ratio:
        """x with every square of a root replaced by the root's argument."""
        for function, argument, name in reversed(self.known):
            while function == "sqrt" and max(power_of(name, x.top), power_of(name, x.bottom)) >= 2:
                x = unsquared(name, argument, x.top) / unsquared(name, argument, x.bottom)
        return x

    def equal(self, a: Ratio, b: Ratio) -> bool:
        return not self.reduced(a - b).top


def power_of(name: str, polynomial: Polynomial) -> int:
    return max((dict(powers).get(name, 0) for powers in polynomial), default=0)


def unsquared(name: str, argument: Ratio, polynomial: Polynomial) -> Ratio:
    """The polynomial with name^2 replaced by the argument, once in every monomial that holds it."""
    kept: Polynomial = {}
    taken: Polynomial = {}
    for powers, value in polynomial.items():
        power = dict(powers).get(name, 0)
        if power < 2:
            kept[powers] = value
            continue
        rest = {**dict(powers), name: power - 2}
        taken[tuple(sorted((each, many) for each, many in rest.items() if many))] = value
    one = constant_polynomial(ratio(1).top[()])
    return Ratio(kept, one) + Ratio(polynomial_product(taken, argument.top), argument.bottom)


def identical(left: Formula, right: Formula, names: tuple[str, ...]) -> bool:
    """Whether the two formulas are certainly equal wherever both are defined. TypeError for other vocabulary."""
    m = Atoms()
    given = {name: variable(name) for name in names}
    return m.equal(ratio(left(m, **given)), ratio(right(m, **given)))


def is_provably_at_most(
    left: Formula, right: Formula, over: Domain, strict: bool = False, given: Sequence[Condition] = ()
) -> bool:
    """Whether left <= right (left < right) is certain on the whole domain, ends included, wherever `given` holds.

    The difference, or where both sides are plainly not negative the difference of the squares, or what is left of it
    after one of the facts above, must have no negative coefficient once every variable and atom sweeps its range (see
    `polynomials.swept`), but such as the square of a difference makes up for. False says nothing.
    """
    m = Atoms()
    named = {name: variable(name) for name in over}
    a, b = m.reduced(ratio(left(m, **named))), m.reduced(ratio(right(m, **named)))
    gaps = [m.reduced(b - a)]
    if plainly_positive(a, over) and plainly_positive(b, over):
        gaps.append(m.reduced(b * b - a * a))
    if any(is_certainly_nonnegative(gap, over, strict) for gap in gaps):
        return True
    if strict:
        return False
    known = [m.reduced(ratio(more(m, **named)) - ratio(less(m, **named))) for less, more in given]
    ranges = ranged(m, over)
    # A square shows where its variables sweep all that is not negative: from 1 on it falls into pieces.
    wider = [{**ranges, name: NOT_NEGATIVE} for name, values in over.items() if low_end(values) > 0 and endless(values)]
    least = [m.reduced(gap) for gap in smaller(m, gaps[0], known, ranges)]
    return any(is_certainly_nonnegative(gap, every, False) for gap in least for every in (ranges, *wider))


def ranged(m: Atoms, over: Domain) -> Domain:
    """The ranges of the variables and of the atoms: log(x) is not negative where x >= 1."""
    ranges = {**over, PI: Real(3, 4)}
    for function, argument, name in m.known:
        if function in RANGES:
            ranges[name] = RANGES[function]
        elif function == "log" and is_certainly_nonnegative(argument - 1, ranges, False):
            ranges[name] = NOT_NEGATIVE
    return ranges


def smaller(m: Atoms, gap: Ratio, known: Sequence[Ratio], ranges: Domain) -> Iterator[Ratio]:
    """The gap, and what it cannot be below: where one of these is not negative, it is not, either. known: what is known
    not to be negative.
    """
    yield gap
    for each in known:
        gap = eliminate_known(gap, each)
        yield gap
    for function, exponent, name in m.known:
        parts = linear_parts(gap, name) if function == "exp" else None
        bound = bernoulli(exponent, m, ranges) if parts else None
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
    """The gap less so many times what is not negative that a variable in which both are linear is gone; the gap itself
    where that would take a negative number of times."""
    if set(gap.bottom) == set(known.bottom) == {()}:
        for powers, value in known.top.items():
            share = gap.top.get(powers, 0) / value * known.bottom[()] / gap.bottom[()]
            if len(powers) == 1 and powers[0][1] == 1 and share > 0:
                return gap - known * share
    return gap


def linear_parts(gap: Ratio, name: str) -> tuple[Ratio, Ratio] | None:
    """(c, d) with gap = c x + d for the variable of this name; None where it is not linear in it, or without it."""
    if power_of(name, gap.bottom) or power_of(name, gap.top) != 1:
        return None
    kept = {powers: value for powers, value in gap.top.items() if name not in dict(powers)}
    return Ratio(linear_coefficient(gap.top, name), gap.bottom), Ratio(kept, gap.bottom)


def linear_coefficient(polynomial: Polynomial, name: str) -> Polynomial:
    """The monomials that hold the variable once, without it."""
    return {
        tuple(each for each in powers if each[0] != name): value
        for powers, value in polynomial.items()
        if dict(powers).get(name, 0) == 1
    }


def bernoulli(exponent: Ratio, m: Atoms, ranges: Domain) -> Ratio | None:
    """1 + u (x - 1), which x^u = e^exponent cannot exceed for u in [0, 1]; None for what is no such power."""
    exponent = cancelled(exponent)
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


def cancelled(x: Ratio) -> Ratio:
    """x without the variables that all monomials of either part hold."""
    every = [dict(powers) for part in (x.top, x.bottom) for powers in part]
    common = {name: min(each.get(name, 0) for each in every) for name in every[0]}

    def less(polynomial: Polynomial) -> Polynomial:
        rests = (({n: k - common.get(n, 0) for n, k in powers}, value) for powers, value in polynomial.items())
        return {tuple((name, power) for name, power in rest.items() if power): value for rest, value in rests}

    return Ratio(less(x.top), less(x.bottom))


def equal_squares(left: Formula, right: Formula, over: Domain) -> bool:
    """Whether both sides are plainly not negative and have the same square, so that they are equal."""
    m = Atoms()
    given = {name: variable(name) for name in over}
    a, b = m.reduced(ratio(left(m, **given))), m.reduced(ratio(right(m, **given)))
    return plainly_positive(a, over) and plainly_positive(b, over) and m.equal(a * a, b * b)


def plainly_positive(x: Ratio, over: Domain) -> bool:
    """Whether x cannot be negative: no negative coefficient, in atoms and variables that are not negative.
    (A logarithm may be; roots, exponentials and Phi are not.)"""
    names = {name for part in (x.top, x.bottom) for powers in part for name, _ in powers}
    signless = {name for name in names if name.startswith("log#") or low_end(over.get(name)) < 0}
    return x.never_negative() and not signless


def low_end(values: Any) -> float:
    """The low end of a variable's range; atoms (None) start at 0."""
    if values is None:
        return 0.0
    return float(min(values.values) if isinstance(values, OneOf) else values.low)


def is_certainly_nonnegative(gap: Ratio, over: Domain, strict: bool) -> bool:
    """Whether the gap is >= 0 (> 0) wherever the variables in it are in their ranges."""
    names = {name for part in (gap.top, gap.bottom) for powers in part for name, _ in powers}
    if not names <= set(over) or (strict and not all(endless(over[name]) for name in names)):
        return False
    try:
        points = swept({name: over[name] for name in sorted(names)})
    except TypeError:
        return False
    return all(has_settled_sign(substituted(gap, point), strict) for point in points)


def endless(values: Any) -> bool:
    """Whether a range has no upper end. (A sweep reaches a finite low end only in the limit: no strictness.)"""
    return not isinstance(values, OneOf) and values.high in (None, inf)


def has_settled_sign(gap: Ratio, strict: bool) -> bool:
    if strict:
        return gap.never_negative() and () in gap.top
    sign = 1 if min(gap.bottom.values()) >= 0 else -1
    return all(sign * value >= 0 for value in gap.bottom.values()) and balanced(
        {powers: sign * value for powers, value in gap.top.items()}
    )


def balanced(polynomial: Polynomial) -> bool:
    """Whether every negative term b m has two positive ones, of its own, with m^2 = p q and b^2 <= 4 a c: then
    a p + c q - |b| m is at least the square of sqrt(a p) - sqrt(c q), for variables that are not negative."""
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


def substituted(x: Ratio, values: Mapping[str, Ratio]) -> Ratio:
    """x with its variables replaced."""

    def evaluated(polynomial: Polynomial) -> Ratio:
        total = ratio(0)
        for powers, value in polynomial.items():
            term = ratio(value)
            for name, power in powers:
                term = term * values[name] ** power
            total = total + term
        return total

    return evaluated(x.top) / evaluated(x.bottom)
