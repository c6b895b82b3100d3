"""Formulas as text: a `Term` is a Python expression over the vocabulary, made by evaluating the formula
symbolically.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import NoReturn

from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_fraction
from dpbandits.proofs_checks.vocabularies.operators import operator_methods

# How tightly an operator binds, in Python's order.
SUM_RANK, PRODUCT_RANK, SIGN_RANK, POWER_RANK, ATOM_RANK = 1, 2, 3, 4, 5


def infix_term(sign: str, left: object, right: object) -> Term:
    """The term "left sign right", with parentheses where they are needed.
    The right operand gets parentheses at equal rank, because operators of one rank associate to the left."""
    rank = SUM_RANK if sign in "+-" else PRODUCT_RANK
    a, b = as_term(left), as_term(right)
    return Term(f"{parenthesized(a, rank)} {sign} {parenthesized(b, rank + 1)}", rank)


class Term:
    """An expression as source text, with the binding strength of its outermost operator."""

    __array_ufunc__ = None
    __slots__ = ("binds", "source")

    def __init__(self, source: str, binds: int = ATOM_RANK):
        """A term with this source text. binds: how tightly its outermost operator binds."""
        self.source = source
        self.binds = binds

    def __repr__(self) -> str:
        """The term with its source text, such as Term('x + 1')."""
        return f"Term({self.source!r})"

    def __eq__(self, value: object) -> bool:
        """True for a term with the same source. Raises TypeError otherwise: a formula must not branch on values."""
        if isinstance(value, Term) and self.source == value.source:
            return True
        raise TypeError(
            f"the formula tests {self.source!r} for equality, but a formula must not branch on values; use "
            "m.maximum or m.minimum"
        )

    def __hash__(self) -> int:
        """The hash of the source text."""
        return hash(self.source)

    __add__, __radd__ = operator_methods(infix_term, "+")
    __sub__, __rsub__ = operator_methods(infix_term, "-")
    __mul__, __rmul__ = operator_methods(infix_term, "*")
    __truediv__, __rtruediv__ = operator_methods(infix_term, "/")

    def __pow__(self, other: object) -> Term:
        """The term self ** other."""
        base, exponent = as_term(self), as_term(other)
        return Term(f"{parenthesized(base, ATOM_RANK)}**{parenthesized(exponent, SIGN_RANK)}", POWER_RANK)

    def __rpow__(self, other: object) -> Term:
        """The term other ** self."""
        return as_term(other) ** self

    def __neg__(self) -> Term:
        """The term -self."""
        return Term(f"-{parenthesized(self, POWER_RANK)}", SIGN_RANK)

    def __pos__(self) -> Term:
        """The term itself, unchanged."""
        return self

    def __abs__(self) -> Term:
        """The absolute value, as the term maximum(self, -self)."""
        return call_term("maximum", self, -self)

    def __bool__(self) -> bool:
        """Raises TypeError: a formula must not branch on values."""
        raise TypeError(
            f"the formula uses {self.source!r} as a condition, but a formula must not branch on values; use "
            "m.maximum or m.minimum"
        )

    def unordered(self, other: object) -> bool:
        """Raises TypeError: a formula must not compare values."""
        raise TypeError(
            f"the formula compares {self.source!r}, but a formula must not branch on values; use m.maximum or m.minimum"
        )

    __lt__ = __le__ = __gt__ = __ge__ = unordered


def as_term(value: object) -> Term:
    """The value as a `Term`; a number is written exactly."""
    return value if isinstance(value, Term) else number_term(value)


def number_term(value: object) -> Term:
    """The number as a term: exactly as a decimal if it has one, otherwise as a quotient of integers."""
    exact = exact_fraction(value)
    if exact < 0:
        return -number_term(-exact)
    source, finite = nonnegative_literal(exact)
    return Term(source) if finite else Term(source, PRODUCT_RANK)


@lru_cache(maxsize=4096)
def nonnegative_literal(exact: Fraction) -> tuple[str, bool]:
    """The text of an exact number >= 0, and whether it is a finite decimal.
    Cached, because formulas repeat the same few numbers."""
    rest = exact.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return (
        (decimal_text(exact, digits=1200), True) if rest == 1 else (f"{exact.numerator} / {exact.denominator}", False)
    )


def parenthesized(value: Term, min_binding: int) -> str:
    """The term's source, in parentheses if its outermost operator binds less tightly than `min_binding`."""
    return value.source if value.binds >= min_binding else f"({value.source})"


def call_term(name: str, *arguments: object) -> Term:
    """The source text `name(arguments)` as a term."""
    return Term(f"{name}({', '.join(as_term(argument).source for argument in arguments)})")


def term_writer(name: str) -> Callable[..., Term]:
    """A method of the vocabulary that returns the term of a call of the function `name`."""
    return lambda self, *arguments: call_term(name, *arguments)


class Text:
    """The vocabulary that writes a formula down: text.variable("eps") / 2 has the source "eps / 2"."""

    pi = Term("pi")
    exp, log, sqrt, ncdf, floor, ceil = map(term_writer, ("exp", "log", "sqrt", "ncdf", "floor", "ceil"))
    maximum, minimum = term_writer("maximum"), term_writer("minimum")

    def power(self, base: object, exponent: object) -> Term:
        """The term base ** exponent."""
        written: Term = as_term(base) ** exponent
        return written

    def __getattr__(self, name: str) -> NoReturn:
        """Raises AttributeError: formulas can use only the functions of the vocabulary."""
        known = ", ".join(sorted(each for each in dir(type(self)) if not each.startswith("_")))
        raise AttributeError(f"formulas cannot use m.{name}; the available functions are {known}")

    def number(self, value: object) -> Term:
        """The number as a term, written exactly."""
        return number_term(value)

    def variable(self, name: str) -> Term:
        """The term of a variable with this name."""
        return Term(name)

    def source(self, value: object) -> str:
        """The source text of a formula's value: of a term, or of a plain number."""
        return (value if isinstance(value, Term) else number_term(value)).source


text = Text()
