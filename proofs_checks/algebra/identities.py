"""Exact identities between formulas with roots, exponentials and Phi: algebra over atoms.

sqrt(x), exp(x), log(x) and Phi(x) become new variables, one for each different argument; (sqrt(x))^2 is x again.
ceil(x) is x + r and floor(x) is x - r, with a new variable r in [0, 1] for each different argument.
Two formulas that are then the same quotient of polynomials are equal wherever both are defined. The converse does
not hold: e^x e^-x is not seen to be 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from dpbandits.proofs_checks.algebra.polynomials import (
    PI,
    Polynomial,
    Ratio,
    constant,
    multiplied,
    ratio,
    swept,
    variable,
)
from dpbandits.reference.ledger import Domain, Formula, OneOf, Real


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
        return self.atom("exp", x)

    def log(self, x: Any) -> Ratio:
        return self.atom("log", x)

    def ncdf(self, x: Any) -> Ratio:
        return self.atom("ncdf", x)

    def ceil(self, x: Any) -> Ratio:
        return ratio(x) + self.atom("ceil", x)

    def floor(self, x: Any) -> Ratio:
        return ratio(x) - self.atom("floor", x)

    @property
    def rests(self) -> dict[str, Real]:
        """What ceilings add, and what floors take: their variables, each with its range."""
        return {name: Real(0, 1, closed=True) for function, _, name in self.known if function in ("ceil", "floor")}

    def atom(self, function: str, x: Any) -> Ratio:
        """The variable that stands for function(x); the same one for every way to write x."""
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
    one = constant(ratio(1).top[()])
    return Ratio(kept, one) + Ratio(multiplied(taken, argument.top), argument.bottom)


def identical(left: Formula, right: Formula, names: tuple[str, ...]) -> bool:
    """Whether the two formulas are certainly equal wherever both are defined. TypeError for other vocabulary."""
    m = Atoms()
    given = {name: variable(name) for name in names}
    return m.equal(ratio(left(m, **given)), ratio(right(m, **given)))


def at_most(left: Formula, right: Formula, over: Domain, strict: bool = False) -> bool:
    """Whether left <= right (left < right) is certain on the whole domain, ends included, by algebra alone.

    The difference, or where both sides are plainly not negative the difference of the squares, must be free of
    atoms (but for what ceilings add and floors take) and have no negative coefficient once every variable sweeps its
    range (see `polynomials.swept`). So inequalities between single roots and quotients can be shown up to equality.
    False says nothing.
    """
    m = Atoms()
    given = {name: variable(name) for name in over}
    a, b = m.reduced(ratio(left(m, **given))), m.reduced(ratio(right(m, **given)))
    gaps = [m.reduced(b - a)]
    if plainly_positive(a, over) and plainly_positive(b, over):
        gaps.append(m.reduced(b * b - a * a))
    return any(sure(gap, {**over, **m.rests}, strict) for gap in gaps)


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


def sure(gap: Ratio, over: Domain, strict: bool) -> bool:
    """Whether the gap is >= 0 (> 0) wherever the variables in it are in their ranges."""
    names = {name for part in (gap.top, gap.bottom) for powers in part for name, _ in powers}
    if not names <= set(over) or (strict and not all(endless(over[name]) for name in names)):
        return False
    try:
        points = swept({name: over[name] for name in sorted(names)})
    except TypeError:
        return False
    return all(settled(substituted(gap, point), strict) for point in points)


def endless(values: Any) -> bool:
    """Whether a range has no upper end. (A sweep reaches a finite low end only in the limit: no strictness.)"""
    return not isinstance(values, OneOf) and values.high in (None, inf)


def settled(gap: Ratio, strict: bool) -> bool:
    return gap.never_negative() and (not strict or () in gap.top)


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
