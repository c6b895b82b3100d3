"""Parses expressions in certificates, without executing them, and evaluates them with intervals. Any operation that is
not on the list is rejected."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .intervals import (
    ExactOrInterval,
    Interval,
    as_interval,
    checked_magnitude,
    checked_quotient,
    interval_exp,
    interval_log,
    interval_maximum,
    interval_minimum,
    interval_sqrt,
    real_power,
    rounded_down,
    rounded_up,
    work,
)
from .normal import normal_distribution
from .untrusted import Fields, Rejected, bit_count, pay_for_operation, read_decimal, spend_effort

MAX_EXPRESSION_SIZE = 20_000  # characters of an expression, and bits of exact numbers
NESTED = 500  # operations within operations
LITERAL = re.compile(r"\d+(\.\d*)?(e[+-]?\d{1,5})?", re.ASCII)
# No comment, no new line, nothing that looks like another character; and no literal runs into a name.
TOKEN = re.compile(r" *(\d+(\.\d*)?(e[+-]?\d{1,5})?(?![A-Za-z0-9_.])|[A-Za-z][A-Za-z0-9_]*|\*\*|[-+*/(),]) *", re.ASCII)
FUNCTIONS: dict[str, tuple[Callable[..., Interval], int | None]] = {
    "exp": (interval_exp, 1),
    "log": (interval_log, 1),
    "sqrt": (interval_sqrt, 1),
    "ncdf": (normal_distribution, 1),
    "floor": (rounded_down, 1),
    "ceil": (rounded_up, 1),
    "maximum": (interval_maximum, None),
    "minimum": (interval_minimum, None),
}
EXACTLY: dict[str, Callable[..., Any]] = {"maximum": max, "minimum": min, "floor": math.floor, "ceil": math.ceil}


class Evaluator:
    """Evaluates the syntax tree of an expression; operations that are not on the list are rejected."""

    def __init__(self, variables: Mapping[str, Fraction]):
        """Prepares the evaluation of expressions in these variables."""
        self.variables = variables
        self.used: set[str] = set()

    def value(self, source: str, place: str) -> ExactOrInterval:
        """The value of an expression, exact where no function needs an interval.
        Raises Rejected, with the place in the certificate, for one that is not allowed."""
        try:
            return self.node(parse_expression(source), source)
        except Rejected as wrong:
            raise Rejected(f"{place}: {wrong}") from None

    def node(self, node: ast.AST, source: str, depth: int = 0) -> ExactOrInterval:
        """The value of a node of the syntax tree."""
        spend_effort(1)
        if depth > NESTED:
            raise Rejected(f"the expression is nested more than {NESTED} levels deep; split long sums into groups")
        value: ExactOrInterval
        match node:
            case ast.Constant():
                # The source is one line of ASCII, so that columns are characters.
                written = source[node.col_offset : node.end_col_offset]
                if type(node.value) not in (int, float) or not LITERAL.fullmatch(written):
                    raise Rejected(f"{written[:60]!r} is not a decimal number such as 0.1")
                value = read_decimal(re.sub(r"\.(?=e|$)", "", written), "literal")
            case ast.Name(id="pi"):
                value = +work.pi
            case ast.Name(id=name):
                if name not in self.variables:
                    raise Rejected(f"the name {name!r} is not listed in the field variables of the certificate")
                self.used.add(name)
                value = self.variables[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = -self.node(operand, source, depth + 1)
            case ast.BinOp(left=left, op=op, right=right):
                value = self.operation(op, self.node(left, source, depth + 1), self.node(right, source, depth + 1))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                function, arity = FUNCTIONS[name]
                if not arguments or (arity is not None and len(arguments) != arity):
                    raise Rejected(
                        f"{name}: the number of arguments is {len(arguments)}; it must be {arity or 'at least one'}"
                    )
                values = [self.node(argument, source, depth + 1) for argument in arguments]
                if name in EXACTLY and all(isinstance(each, Fraction) for each in values):
                    pay_for_operation(*values)
                    value = Fraction(EXACTLY[name](*values))
                else:
                    value = function(*map(as_interval, values))
            case _:
                raise Rejected(f"{type(node).__name__} is not part of the expression language")
        return checked_magnitude(value)

    def operation(self, op: ast.operator, a: ExactOrInterval, b: ExactOrInterval) -> ExactOrInterval:
        """The result of an operation: exact between rational numbers while they are short, otherwise an interval."""
        exactly = isinstance(a, Fraction) and isinstance(b, Fraction) and pay_for_operation(a, b) <= MAX_EXPRESSION_SIZE
        if not exactly:
            a, b = as_interval(a), as_interval(b)
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a / b if exactly and b != 0 else checked_quotient(as_interval(a), as_interval(b))
            case ast.Pow():
                if (
                    exactly
                    and b.denominator == 1
                    and bit_count(a) * abs(b) <= MAX_EXPRESSION_SIZE
                    and (a != 0 or b >= 0)
                ):
                    return Fraction(a ** int(b))
                return real_power(as_interval(a), as_interval(b))
        raise Rejected(f"the operator {type(op).__name__} is not part of the expression language")


def parse_expression(source: str) -> ast.AST:
    """The syntax tree of an expression.
    Python's parser only receives its tokens: so there are no comments, lines, strings, or characters that the parser
    would normalise to others."""
    if len(source) > MAX_EXPRESSION_SIZE:
        raise Rejected(f"the expression has more than {MAX_EXPRESSION_SIZE} characters")
    place = 0
    while place < len(source):
        token = TOKEN.match(source, place)
        if not token:
            raise Rejected(f"{source[place : place + 40]!a} is not arithmetic")
        place = token.end()
    source = source.strip(" ")
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise Rejected(f"{source[:60]!r} is not an expression, or is nested too deeply") from None


def evaluator(certificate: Fields) -> Evaluator:
    """The evaluator of a certificate's expressions, with its variables.
    Raises Rejected for names with another meaning."""
    values = {name: read_decimal(text, f"variables/{name}") for name, text in certificate["variables"].items()}
    for name in values:
        if name in FUNCTIONS or name == "pi":
            raise Rejected(f"variables/{name}: this name has another meaning in expressions; choose another name")
    return Evaluator(values)


def require_all_used(walker: Evaluator) -> None:
    """Raises Rejected if some variable of the certificate occurs in no evaluated expression."""
    unused = sorted(set(walker.variables) - walker.used)
    if unused:
        raise Rejected(f"variables/{unused[0]}: no expression uses this variable")
