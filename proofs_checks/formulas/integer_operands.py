"""Integer variables of formulas, which behave like Python integers, so that a formula can use range(n), comb(n, k) or
means[arm]."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from fractions import Fraction
from math import inf
from numbers import Rational
from typing import SupportsIndex

from dpbandits.proofs_checks.formulas.evaluation_cost import TooLong
from dpbandits.proofs_checks.vocabularies.operators import BinaryOperator, operator_methods
from dpbandits.reference.arithmetic.vocabulary import Number, Vocabulary, doubles

MAX_POWER_BITS = 10_000_000  # bits of a power


def operate_on_counts(operation: BinaryOperator, a: Number, b: Number) -> Number:
    """The result of an arithmetic operation on one or two integer operands.
    An integer operand if the result is an integer, otherwise a number of the vocabulary m."""
    m = (a if isinstance(a, IntegerOperand) else b).m
    a, b = count_as_int(a), count_as_int(b)
    if isinstance(a, int) and isinstance(b, int):
        exact = integer_result(operation, a, b)
        if exact is not None:
            return IntegerOperand(exact.numerator, m) if exact.denominator == 1 else m.number(exact)
    if operation is operator.pow and isinstance(b, int):
        return (m.number(a) if isinstance(a, int | float | Fraction) and -inf < a < inf else a) ** b
    return operation(context_number(m, a), context_number(m, b))


def comparison_method(operation: BinaryOperator) -> BinaryOperator:
    """Returns a comparison method for integer operands, made from a function such as operator.lt."""
    return lambda self, other: operation(self.value, count_as_int(other))


class IntegerOperand:
    """An integer that belongs to a context m. Python uses it like an int."""

    __slots__ = ("m", "value")
    __array_ufunc__ = None  # arrays leave it to us how they meet

    def __init__(self, value: SupportsIndex, m: Vocabulary) -> None:
        """Stores an integer as an operand of formulas over the vocabulary m."""
        self.value, self.m = operator.index(value), m

    def __index__(self) -> int:
        """The value as a Python integer."""
        return self.value

    def __float__(self) -> float:
        """Raises TypeError: the integer must not become a rounded double."""
        raise TypeError(
            f"{self.value} must stay an integer, but the formula converts it to a double, as math.sqrt(n) "
            "does; write m.sqrt(n), m.exp(n), m.log(n) and so on"
        )

    @property
    def numerator(self) -> int:
        """The value itself."""
        return self.value

    @property
    def denominator(self) -> int:
        """1, because the value is an integer."""
        return 1

    def __repr__(self) -> str:
        """The integer's text, such as "3"."""
        return repr(self.value)

    def __hash__(self) -> int:
        """The hash of the integer."""
        return hash(self.value)

    def __bool__(self) -> bool:
        """Whether the value is not 0."""
        return self.value != 0

    __eq__, __ne__ = comparison_method(operator.eq), comparison_method(operator.ne)
    __lt__, __le__, __gt__, __ge__ = map(comparison_method, (operator.lt, operator.le, operator.gt, operator.ge))

    def __neg__(self) -> IntegerOperand:
        """The integer operand -self."""
        return IntegerOperand(-self.value, self.m)

    def __pos__(self) -> IntegerOperand:
        """The integer operand itself, unchanged."""
        return self

    def __abs__(self) -> IntegerOperand:
        """The integer operand with the absolute value."""
        return IntegerOperand(abs(self.value), self.m)

    __add__, __radd__ = operator_methods(operate_on_counts, operator.add)
    __sub__, __rsub__ = operator_methods(operate_on_counts, operator.sub)
    __mul__, __rmul__ = operator_methods(operate_on_counts, operator.mul)
    __floordiv__, __rfloordiv__ = operator_methods(operate_on_counts, operator.floordiv)
    __mod__, __rmod__ = operator_methods(operate_on_counts, operator.mod)
    __truediv__, __rtruediv__ = operator_methods(operate_on_counts, operator.truediv)
    __pow__, __rpow__ = operator_methods(operate_on_counts, operator.pow)


Rational.register(IntegerOperand)  # fractions raise to a power that is one exactly, and to any other as floats


def with_integer_operands(m: Vocabulary, fixed: Mapping[str, Number], counts: Collection[str]) -> dict[str, Number]:
    """The fixed variables, with those named in `counts` as integer operands of the vocabulary m.
    In doubles they stay as they are."""
    return {
        name: IntegerOperand(value, m) if name in counts and m is not doubles else value
        for name, value in fixed.items()
    }


def integer_result(operation: BinaryOperator, a: int, b: int) -> Fraction | None:
    """The exact result of an operation on two integers.
    None for division by 0 and for negative powers, which the vocabulary has to decide. Raises TooLong for powers that
    would take minutes and gigabytes."""
    if operation is operator.pow and b > 0 and a.bit_length() * b > MAX_POWER_BITS:
        raise TooLong(f"the integer {a}**{b} has more than {MAX_POWER_BITS} bits, too many to compute")
    if operation is operator.truediv:
        return Fraction(a, b) if b != 0 else None
    return None if operation is operator.pow and b < 0 else Fraction(operation(a, b))


def count_as_int(value: Number) -> Number:
    """The int of an integer operand; any other value unchanged."""
    return value.value if isinstance(value, IntegerOperand) else value


def context_number(m: Vocabulary, value: Number) -> Number:
    """Converts an int to a number of the vocabulary m; returns any other value unchanged."""
    return m.number(value) if isinstance(value, int) else value
