"""Exact identities between formulas with roots, exponentials and Phi, by polynomial algebra.

sqrt(x), exp(x), log(x) and Phi(x) become new variables (atoms), one for each different argument; (sqrt(x))^2 is x
again, Phi(-x) is 1 - Phi(x), Phi(0) is 1/2, e^(k log x) is x^k for an integer k, and ceil(x) is x + r with a new
variable r in [0, 1]. Two formulas that become the same quotient of polynomials are equal wherever both are defined. The
converse does not hold: e^x e^-x is not recognised as 1.
"""

from __future__ import annotations

from math import inf

from dpbandits.proofs_checks.formulas.algebra.polynomials import (
    PI,
    Polynomial,
    Ratio,
    as_ratio,
    constant_polynomial,
    polynomial_product,
    variable_ratio,
)
from dpbandits.reference.claims.model import Domain, Formula, OneOf, Real, Whole


class Atoms:
    """The vocabulary on quotients of polynomials whose variables include atoms. One instance per comparison."""

    def __init__(self) -> None:
        """Prepares an algebra in which no function value has a variable (atom) yet."""
        self.known: list[tuple[str, Ratio, str]] = []  # (function, argument, the atom's variable)
        self.pi = variable_ratio(PI)

    def number(self, value: object) -> Ratio:
        """The number as a quotient of polynomials, exactly."""
        return as_ratio(value)

    def sqrt(self, x: object) -> Ratio:
        """sqrt(x), as the variable (atom) that stands for it."""
        return self.atom("sqrt", x)

    def exp(self, x: object) -> Ratio:
        """e^x. A summand k log y of x, with an integer k, becomes the factor y^k."""
        rest, product = cancel_common_variables(self.reduced(as_ratio(x))), as_ratio(1)
        for function, argument, name in self.known:
            parts = linear_parts(rest, name) if function == "log" else None
            if parts and set(parts[0].top) == set(parts[0].bottom) == {()}:
                share = parts[0].top[()] / parts[0].bottom[()]
                if share.denominator == 1:
                    rest, product = parts[1], product * argument ** int(share)
        return product * self.atom("exp", rest) if rest.top else product

    def log(self, x: object) -> Ratio:
        """The natural logarithm of x, as the variable (atom) that stands for it."""
        return self.atom("log", x)

    def power(self, base: object, exponent: object) -> Ratio:
        """base ** exponent, computed as exp(exponent log(base))."""
        return self.exp(as_ratio(exponent) * self.log(base))

    def ncdf(self, x: object) -> Ratio:
        """Phi(x), the normal distribution function; Phi(-x) is written as 1 - Phi(x) where Phi(x) occurs already."""
        mirrored = -self.reduced(as_ratio(x))
        if not mirrored.top:
            return as_ratio(1) / 2
        known = any(each == "ncdf" and self.equal(mirrored, other) for each, other, _ in self.known)
        return 1 - self.atom("ncdf", mirrored) if known else self.atom("ncdf", x)

    def ceil(self, x: object) -> Ratio:
        """ceil(x), as x plus the variable (atom) that stands for ceil(x) - x."""
        return as_ratio(x) + self.atom("ceil", x)

    def floor(self, x: object) -> Ratio:
        """floor(x), as x minus the variable (atom) that stands for x - floor(x)."""
        return as_ratio(x) - self.atom("floor", x)

    def atom(self, function: str, x: object) -> Ratio:
        """The new variable (atom) that stands for function(x).
        For "ceil" and "floor", for ceil(x) - x and x - floor(x). Arguments that are equal as formulas have the same
        atom."""
        argument = self.reduced(as_ratio(x))
        for known, other, name in self.known:
            if known == function and self.equal(argument, other):
                return variable_ratio(name)
        name = f"{function}#{len(self.known)}"
        self.known.append((function, argument, name))
        return variable_ratio(name)

    def reduced(self, x: Ratio) -> Ratio:
        """Replaces every square of a square root in the quotient x by the root's argument."""
        for function, argument, name in reversed(self.known):
            while function == "sqrt" and max(power_of(name, x.top), power_of(name, x.bottom)) >= 2:
                x = replace_square(name, argument, x.top) / replace_square(name, argument, x.bottom)
        return x

    def equal(self, a: Ratio, b: Ratio) -> bool:
        """Whether two quotients are equal after the squares of roots have been replaced."""
        return not self.reduced(a - b).top


def power_of(name: str, polynomial: Polynomial) -> int:
    """The highest power of the variable in the polynomial; 0 if it does not occur."""
    return max((power for powers in polynomial for each, power in powers if each == name), default=0)


def replace_square(name: str, argument: Ratio, polynomial: Polynomial) -> Ratio:
    """The polynomial with name^2 replaced by the argument, once in every monomial that contains it."""
    kept: Polynomial = {}
    taken: Polynomial = {}
    for powers, value in polynomial.items():
        power = dict(powers).get(name, 0)
        if power < 2:
            kept[powers] = value
            continue
        rest = {**dict(powers), name: power - 2}
        taken[tuple(sorted((each, many) for each, many in rest.items() if many))] = value
    one = constant_polynomial(as_ratio(1).top[()])
    return Ratio(kept, one) + Ratio(polynomial_product(taken, argument.top), argument.bottom)


def are_identical(left: Formula, right: Formula, names: tuple[str, ...]) -> bool:
    """Whether the two formulas are certainly equal wherever both are defined. Raises TypeError for other functions."""
    m = Atoms()
    given = {name: variable_ratio(name) for name in names}
    return m.equal(as_ratio(left(m, **given)), as_ratio(right(m, **given)))


def linear_parts(gap: Ratio, name: str) -> tuple[Ratio, Ratio] | None:
    """The pair (c, d) with gap = c x + d, where x is the variable or atom `name`.
    None if the gap is not linear in x or does not contain it."""
    if power_of(name, gap.bottom) or power_of(name, gap.top) != 1:
        return None
    kept = {powers: value for powers, value in gap.top.items() if name not in dict(powers)}
    return Ratio(linear_coefficient(gap.top, name), gap.bottom), Ratio(kept, gap.bottom)


def linear_coefficient(polynomial: Polynomial, name: str) -> Polynomial:
    """The polynomial that multiplies the first power of the variable `name`."""
    return {
        tuple(each for each in powers if each[0] != name): value
        for powers, value in polynomial.items()
        if dict(powers).get(name, 0) == 1
    }


def cancel_common_variables(x: Ratio) -> Ratio:
    """The quotient x, after variables that all monomials of numerator and denominator share are cancelled."""
    every = [dict(powers) for part in (x.top, x.bottom) for powers in part]
    common = {name: min(each.get(name, 0) for each in every) for name in every[0]}

    def without_common_variables(polynomial: Polynomial) -> Polynomial:
        """The polynomial divided by the variables that all terms have in common."""
        rests = (({n: k - common.get(n, 0) for n, k in powers}, value) for powers, value in polynomial.items())
        return {tuple((name, power) for name, power in rest.items() if power): value for rest, value in rests}

    return Ratio(without_common_variables(x.top), without_common_variables(x.bottom))


def equal_squares(left: Formula, right: Formula, over: Domain) -> bool:
    """Whether the two formulas are certainly equal, because both are clearly nonnegative and have the same square."""
    m = Atoms()
    given = {name: variable_ratio(name) for name in over}
    a, b = m.reduced(as_ratio(left(m, **given))), m.reduced(as_ratio(right(m, **given)))
    return is_clearly_nonnegative(a, over) and is_clearly_nonnegative(b, over) and m.equal(a * a, b * b)


def is_clearly_nonnegative(x: Ratio, over: Domain) -> bool:
    """Whether x is clearly nonnegative: it has no negative coefficient, and its atoms and variables are nonnegative.
    (A logarithm may be negative; roots, exponentials and Phi are not.)"""
    signless = {name for name in x.names if name.startswith("log#") or range_low(over.get(name)) < 0}
    return x.never_negative() and not signless


def range_low(values: Real | Whole | OneOf | None, of_none: float = 0.0) -> float:
    """The low end of a variable's range. of_none: the result for a variable without a range, such as an atom."""
    if values is None:
        return of_none
    return float(min(values.values) if isinstance(values, OneOf) else values.low)


def range_high(values: Real | Whole | OneOf) -> float:
    """The high end of a variable's range; inf if it has none."""
    if isinstance(values, OneOf):
        return float(max(values.values))
    return inf if values.high is None else float(values.high)
