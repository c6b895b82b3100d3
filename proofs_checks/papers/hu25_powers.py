"""Exact identities between products of real powers, such as T^{(1-alpha)/2} ln^{(3-alpha)/2}(T): algebra of logarithms.

A product is kept as its logarithm, a quotient of polynomials in the variables and in ln x, ln ln x, ...; two products
with the same logarithm are equal. Nothing is ever evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpbandits.proofs_checks.papers.ou24.polynomials import Ratio, ratio, variable
from dpbandits.reference.ledger import Domain, Formula, OneOf


@dataclass(frozen=True)
class Product:
    """A positive number by its logarithm."""

    log: Ratio
    m: Powers

    def __mul__(self, other: Any) -> Product:
        return Product(self.log + self.m.log(other), self.m)

    def __truediv__(self, other: Any) -> Product:
        return Product(self.log - self.m.log(other), self.m)

    def __rtruediv__(self, other: Any) -> Product:
        return Product(self.m.log(other) - self.log, self.m)

    __rmul__ = __mul__


class Powers:
    """The vocabulary on Ratio (sums) and Product (positive products). One instance per comparison.

    over: the variables' ranges, which say of what the logarithm of a product may be split. TypeError for all that
    is neither a product of powers nor a quotient of polynomials.
    """

    name = "powers"

    def __init__(self, over: Domain) -> None:
        self.over = over
        self.pi = variable("pi")
        self.sums: list[tuple[Ratio, str]] = []  # (a sum, the variable that stands for its logarithm)

    def number(self, value: Any) -> Ratio:
        return ratio(value)

    def exp(self, x: Any) -> Product:
        return Product(ratio(x), self)

    def sqrt(self, x: Any) -> Product:
        return Product(self.log(x) / 2, self)

    def log(self, x: Any) -> Ratio:
        """Of a product the sum over its factors; of anything else a new variable."""
        if isinstance(x, Product):
            return x.log
        x = ratio(x)
        total = ratio(0)
        for part, sign in ((x.top, 1), (x.bottom, -1)):
            total = total + sign * self.log_of(part)
        return total

    def log_of(self, polynomial: Any) -> Ratio:
        if len(polynomial) == 1:
            [(powers, value)] = polynomial.items()
            if value > 0 and all(self.positive(name) for name, _ in powers):
                total = ratio(0) if value == 1 else self.named(Ratio({(): value}, ratio(1).top))
                for name, power in powers:
                    total = total + power * variable(f"ln {name}")
                return total
        return self.named(Ratio(polynomial, ratio(1).top))

    def positive(self, name: str) -> bool:
        """Whether a variable is positive wherever the formulas are defined: ln x for x >= 1 is."""
        if name == "pi":
            return True
        if name.startswith("ln "):
            return low_end(self.over.get(name[3:])) >= 1
        return low_end(self.over.get(name)) >= 0

    def named(self, x: Ratio) -> Ratio:
        for known, name in self.sums:
            if not (known - x).top:
                return variable(name)
        self.sums.append((x, f"ln#{len(self.sums)}"))
        return variable(self.sums[-1][1])


def low_end(values: Any) -> float:
    """The low end of a variable's range; -1 for what is no variable of the formula."""
    if values is None:
        return -1.0
    return float(min(values.values) if isinstance(values, OneOf) else values.low)


def equal_powers(left: Formula, right: Formula, over: Domain) -> bool:
    """Whether the two formulas are certainly equal wherever both are defined and their variables lie in `over`.
    False says nothing."""
    m = Powers(over)
    given = {name: variable(name) for name in over}
    try:
        a, b = left(m, **given), right(m, **given)
        if isinstance(a, Product) or isinstance(b, Product):
            return not (m.log(a) - m.log(b)).top
        return not (ratio(a) - ratio(b)).top
    except TypeError:
        return False
