"""Exact identities and inequalities between products of real powers, such as T^{(1-alpha)/2} ln^{(3-alpha)/2}(T), by
linear algebra on logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf

from dpbandits.proofs_checks.formulas.algebra.identities import range_high, range_low
from dpbandits.proofs_checks.formulas.algebra.inequalities import NOT_NEGATIVE, is_certainly_nonnegative
from dpbandits.proofs_checks.formulas.algebra.polynomials import PI, Polynomial, Ratio, as_ratio, variable_ratio
from dpbandits.proofs_checks.vocabularies.operators import raises_type_error
from dpbandits.reference.claims.model import Domain, Formula, Real

SMALL_PRIMES = (2, 3, 5, 7, 11, 13)
NOT_POSITIVE = Real(-inf, 0, closed=True)
E_ROUNDED_UP = 2.71828183


@dataclass(frozen=True, eq=False)
class SumOrProduct:
    """A sum (a quotient of polynomials) or, where `sum` is None, a positive product by its logarithm."""

    m: Powers
    sum: Ratio | None
    product: Ratio | None = None

    @property
    def log(self) -> Ratio:
        """The logarithm of this value."""
        return self.product if self.product is not None else self.m.log_of_sum(self.plain)

    @property
    def factor(self) -> Ratio:
        """The logarithm of this value, to be used as a factor. Raises TypeError for a sum that may be negative."""
        if self.sum is not None and not self.m.never_negative(self.sum):
            raise TypeError("a sum that may be negative cannot be a factor of a product of real powers")
        return self.log

    @property
    def plain(self) -> Ratio:
        """The value as a sum. Raises TypeError for a product of powers."""
        if self.sum is None:
            raise TypeError("a sum that contains a product of real powers is not supported")
        return self.sum

    def __add__(self, other: object) -> SumOrProduct:
        """The sum self + other. Raises TypeError if a summand is a product of powers."""
        return SumOrProduct(self.m, self.plain + self.m.value(other).plain)

    def __mul__(self, other: object) -> SumOrProduct:
        """The product self * other: a sum if both factors are sums, otherwise a product of powers."""
        factor = self.m.value(other)
        if self.sum is None or factor.sum is None:
            return SumOrProduct(self.m, None, self.factor + factor.factor)
        return SumOrProduct(self.m, self.sum * factor.sum)

    def __truediv__(self, other: object) -> SumOrProduct:
        """The quotient self / other: a sum if both operands are sums, otherwise a product of powers."""
        factor = self.m.value(other)
        if self.sum is None or factor.sum is None:
            return SumOrProduct(self.m, None, self.factor - factor.factor)
        return SumOrProduct(self.m, self.sum / factor.sum)

    def __pow__(self, power: int) -> SumOrProduct:
        """The value raised to a power: a sum stays a sum, and a product of powers stays a product."""
        if self.sum is not None:
            return SumOrProduct(self.m, self.sum**power)
        return SumOrProduct(self.m, None, self.log * power)

    def __neg__(self) -> SumOrProduct:
        """The sum -self. Raises TypeError for a product of powers."""
        return SumOrProduct(self.m, -self.plain)

    def __sub__(self, other: object) -> SumOrProduct:
        """The sum self - other. Raises TypeError if an operand is a product of powers."""
        return self + -self.m.value(other)

    def __rsub__(self, other: object) -> SumOrProduct:
        """The sum other - self. Raises TypeError if an operand is a product of powers."""
        return self.m.value(other) - self

    def __rtruediv__(self, other: object) -> SumOrProduct:
        """The quotient other / self."""
        return self.m.value(other) / self

    __radd__, __rmul__ = __add__, __mul__

    __eq__ = __ne__ = raises_type_error("products of powers are not compared; formulas must not branch on a value")
    __bool__ = raises_type_error("formulas must not branch on a value")
    __hash__ = None  # type: ignore[assignment]  # nor looked up


class Powers:
    """The vocabulary of products of real powers. One instance per comparison.

    over: the variables' ranges, which determine whether the logarithm of a product may be split. Raises TypeError for
    an expression that is neither a product of powers nor a quotient of polynomials.
    """

    def __init__(self, over: Domain) -> None:
        """Prepares the algebra of powers and logarithms for variables in these ranges."""
        self.over = over
        self.pi = SumOrProduct(self, variable_ratio(PI))
        self.sums: list[tuple[Ratio, str]] = []  # (a sum, the variable that stands for its logarithm)

    def value(self, x: object) -> SumOrProduct:
        """Converts x to a sum or product of powers of this algebra; a number becomes a sum."""
        return x if isinstance(x, SumOrProduct) else SumOrProduct(self, as_ratio(x))

    number = value

    def exp(self, x: object) -> SumOrProduct:
        """e^x as a product of powers. Raises TypeError unless x is a sum."""
        return SumOrProduct(self, None, self.value(x).plain)

    def sqrt(self, x: object) -> SumOrProduct:
        """The square root of x as a product of powers."""
        return SumOrProduct(self, None, self.value(x).log / 2)

    def log(self, x: object) -> SumOrProduct:
        """The natural logarithm of x as a sum."""
        return SumOrProduct(self, self.value(x).log)

    def power(self, base: object, exponent: object) -> SumOrProduct:
        """base ** exponent as a product of powers, computed as exp(exponent log(base))."""
        return self.exp(self.value(exponent) * self.log(base))

    def log_of_sum(self, x: Ratio) -> Ratio:
        """The logarithm of a quotient x: that of its numerator minus that of its denominator."""
        return self.log_of(x.top) - self.log_of(x.bottom)

    def log_of(self, polynomial: Polynomial) -> Ratio:
        """The logarithm of a polynomial.
        For a positive monomial the sum of its factors' logarithms, otherwise a new variable."""
        if len(polynomial) == 1:
            [(powers, value)] = polynomial.items()
            if value > 0 and all(self.positive(name) for name, _ in powers):
                total = self.log_of_number(value)
                for name, power in powers:
                    total = total + variable_ratio(f"ln {name}") * power
                return total
        return self.named(Ratio(polynomial, as_ratio(1).top))

    def log_of_number(self, value: Fraction) -> Ratio:
        """The logarithm of a positive rational as a sum over its small prime factors: ln 24 is 3 ln 2 + ln 3."""
        value, total = Fraction(value), as_ratio(0)
        for prime in SMALL_PRIMES:
            for part, sign in ((value.numerator, 1), (value.denominator, -1)):
                power = prime_multiplicity(prime, part)
                if power:
                    total = total + self.named(as_ratio(prime)) * (sign * power)
                    value /= Fraction(prime) ** (sign * power)
        return total if value == 1 else total + self.named(as_ratio(value))

    def never_negative(self, x: Ratio) -> bool:
        """Whether the sum x is clearly nonnegative: no coefficient and no variable is negative."""
        return x.never_negative() and all(map(self.positive, x.names))

    def positive(self, name: str) -> bool:
        """Whether a variable is positive wherever the formulas are defined; for example, ln x for x >= 1."""
        if name == PI:
            return True
        if name.startswith("ln "):
            return range_low(self.over.get(name[3:]), -1) >= 1
        return range_low(self.over.get(name), -1) >= 0

    def ranges_of_logs(self) -> Domain:
        """The ranges of the variables that stand for logarithms, {name: range}.
        ln x is nonnegative for x >= 1 and nonpositive for x in (0, 1], and ln ln x is nonnegative for x >= e."""
        ranges: dict[str, Real] = {}
        for name, values in self.over.items():
            low, high = range_low(values), range_high(values)
            if low >= 1:
                ranges[f"ln {name}"] = NOT_NEGATIVE
            elif low >= 0 and high <= 1:
                ranges[f"ln {name}"] = NOT_POSITIVE
            if low >= E_ROUNDED_UP:
                ranges[f"ln ln {name}"] = NOT_NEGATIVE
        for value, name in self.sums:
            if set(value.top) == set(value.bottom) == {()}:
                ranges[name] = NOT_NEGATIVE if value.top[()] >= value.bottom[()] else NOT_POSITIVE
        return ranges

    def named(self, x: Ratio) -> Ratio:
        """The variable that stands for the logarithm of the sum x; equal sums have the same variable."""
        for known, name in self.sums:
            if not (known - x).top:
                return variable_ratio(name)
        self.sums.append((x, f"ln#{len(self.sums)}"))
        return variable_ratio(self.sums[-1][1])


def prime_multiplicity(prime: int, whole: int) -> int:
    """The multiplicity of the prime in the integer, which is not 0."""
    power = 0
    while whole % prime == 0:
        whole, power = whole // prime, power + 1
    return power


def difference_of_sides(left: Formula, right: Formula, over: Domain, m: Powers) -> Ratio:
    """The difference right - left of two sums, or log(right/left) for two products of powers.
    It is 0 if the sides are equal, and nonnegative if left <= right. Raises TypeError for anything else."""
    given = {name: m.value(variable_ratio(name)) for name in over}
    a, b = m.value(left(m, **given)), m.value(right(m, **given))
    return b.log - a.log if a.sum is None or b.sum is None else b.sum - a.sum


def equal_powers(left: Formula, right: Formula, over: Domain) -> bool:
    """Whether the two formulas are certainly equal wherever both are defined and their variables lie in `over`.
    False means only that this was not shown."""
    try:
        return not difference_of_sides(left, right, over, Powers(over)).top
    except TypeError:
        return False


def powers_at_most(left: Formula, right: Formula, over: Domain) -> bool:
    """Whether left <= right is certain for two products of powers or two sums of logarithms.
    The logarithm of the quotient, or the difference, must have no negative coefficient after every variable and every
    logarithm is substituted by its range. False means only that this was not shown."""
    m = Powers(over)
    try:
        gap = difference_of_sides(left, right, over, m)
        return is_certainly_nonnegative(gap, {**over, **m.ranges_of_logs()}, False)
    except TypeError:
        return False
