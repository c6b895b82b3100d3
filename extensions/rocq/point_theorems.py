"""Writes certificates of kind "formula" as Rocq theorems: an inequality, or an equation, is false for certain numbers.

The theorem contains the numbers and formulas of the certificate and the conditions for them to be defined; other fields
are not used. `formulas.v` has the definitions, and `decisions.v` the decision procedure.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from fractions import Fraction
from math import ceil, erfc, exp, floor, log, pi, sqrt
from typing import Any, NamedTuple

from dpbandits.reference.claims.records import Certificate

SECONDS_AT_POINT = 900  # that the kernel may look for a proof
LONGEST_NUMBER = 6000  # bits of a numerator or a denominator
HIGHEST_POWER = 1000
HEADER_AT_POINT = """From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Raux.
From Interval Require Import Tactic.
From Dpbandits Require Import normal formulas noisy_maximum decisions.
Open Scope R_scope.
"""
READABLE = re.compile(r"[\w .,+*/()-]+", re.ASCII)
DECIMAL = re.compile(r"\d+(\.\d*)?(e[+-]?\d{1,4})?", re.ASCII)
NUMBER = re.compile(rf"-?{DECIMAL.pattern}|-?\d+/\d*[1-9]\d*", re.ASCII)
NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
OF_ONE = {"exp": "exp", "log": "ln", "sqrt": "sqrt", "ncdf": "Phi", "floor": "floor", "ceil": "ceil"}
OF_MANY = {"maximum": "Rmax", "minimum": "Rmin"}
# How tightly Coq binds: what an operand may be without parentheses, and what the whole is then.
ATOM, CALL, POWER, NEGATIVE, PRODUCT, SUM, WHOLE = 0, 10, 29, 35, 40, 50, 69
OPERATORS = {
    ast.Add: ("+", SUM, SUM, SUM - 1),
    ast.Sub: ("-", SUM, SUM, SUM - 1),
    ast.Mult: ("*", PRODUCT, PRODUCT, PRODUCT - 1),
    ast.Div: ("/", PRODUCT, PRODUCT, PRODUCT - 1),
}
# What operators and functions are worth, exactly or in doubles.
IN_DOUBLES: Mapping[Any, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda base, exponent: float(base) ** float(exponent),
    **{"exp": exp, "log": log, "sqrt": sqrt, "ncdf": lambda x: erfc(-x / sqrt(2)) / 2, "floor": floor, "ceil": ceil},
    **{"maximum": max, "minimum": min},
}


EXACT_FUNCTIONS = ("floor", "ceil", "maximum", "minimum")  # exact values of exact arguments


Value = Fraction | float | None


class NotTranslated(ValueError):
    """Raised, with the reason, for an object without a translation into a theorem."""


class Spelled(NamedTuple):
    """A formula in Rocq's syntax, and the precedence of its outermost operator."""

    text: str
    binds: int

    def within(self, level: int) -> str:
        """The text, in parentheses if the place where it is inserted requires them.
        level: the precedence of that place."""
        return self.text if self.binds <= level else f"({self.text})"


class PointSpeller:
    """Writes formulas in Rocq's syntax. values: of the variables that have one. names: the Rocq name of each variable.
    conditions: conditions for all of the formulas to be defined."""

    def __init__(self, values: Mapping[str, Fraction], names: Mapping[str, Spelled] | None = None):
        """Prepares to write formulas at a point. names: the text for each variable, by default its name."""
        self.values = values
        self.names = names if names is not None else {each: Spelled(primed(each), ATOM) for each in values}
        self.conditions: dict[str, None] = {}

    def let_definitions(self) -> list[str]:
        """Returns the values of the variables as `let` definitions in Rocq's syntax."""
        return [f"let {primed(each)} := {spelled_number(value).text} in" for each, value in self.values.items()]

    def side(self, source: str) -> str:
        """A formula in Rocq's syntax, without parentheses around it, as one side of a comparison."""
        try:
            return self.spelled(parsed(source), source).within(WHOLE)
        except RecursionError:
            raise NotTranslated("a formula is nested too deeply to be translated to Rocq") from None

    def spelled(self, node: ast.expr, source: str) -> Spelled:
        """The formula with this syntax tree, in Rocq's syntax."""
        match node:
            case ast.Constant():
                return spelled_number(written_number(node, source))
            case ast.Name(id="pi"):
                return Spelled("PI", ATOM)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Spelled(f"- {self.spelled(operand, source).within(NEGATIVE)}", NEGATIVE)
            case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
                return self.power(base, exponent, source)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                sign, whole, before, after = OPERATORS[type(op)]
                divisor = self.spelled(right, source)
                if sign == "/":
                    self.record_condition(right, divisor, "{} <> 0")
                return Spelled(f"{self.spelled(left, source).within(before)} {sign} {divisor.within(after)}", whole)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self.call(name, arguments, source)
        raise NotTranslated(f"{type(node).__name__} is not arithmetic")

    def call(self, name: str, arguments: list[ast.expr], source: str) -> Spelled:
        """A call of a function in Rocq's syntax; the conditions for it to be defined are recorded."""
        given = [self.spelled(each, source) for each in arguments]
        if name in OF_ONE and len(given) == 1:
            if name == "log":
                self.record_condition(arguments[0], given[0], "0 < {}")
            if name == "sqrt":
                self.record_condition(arguments[0], given[0], "0 <= {}")
            return Spelled(f"{OF_ONE[name]} {given[0].within(ATOM)}", CALL)
        if name in OF_MANY and given:
            found = given[0]
            for each in given[1:]:
                found = Spelled(f"{OF_MANY[name]} {found.within(ATOM)} {each.within(ATOM)}", CALL)
            return found
        raise NotTranslated(f"the function {name} (number of arguments: {len(given)}) cannot be translated to Rocq")

    def power(self, base: ast.expr, exponent: ast.expr, source: str) -> Spelled:
        """A power in Rocq's syntax; an exponent that is no integer requires a positive base."""
        raised, times = self.spelled(base, source), self.spelled(exponent, source)
        n = value_of(exponent, source, self.values)
        if not isinstance(n, Fraction) or n.denominator != 1:
            self.conditions[f"0 < {raised.within(WHOLE)}"] = None
            return Spelled(f"Rpower {raised.within(ATOM)} {times.within(ATOM)}", CALL)
        if abs(n) > HIGHEST_POWER:
            raise NotTranslated(f"the exponent {n} is too large; at most {HIGHEST_POWER} can be translated to Rocq")
        if not isinstance(exponent, ast.Constant):
            self.conditions[f"{times.within(WHOLE)} = {spelled_number(n).text}"] = None
        powered = Spelled(f"{raised.within(POWER)} ^ {abs(n)}", POWER + 1)
        if n >= 0:
            return powered
        self.record_condition(base, raised, "{} <> 0")
        return Spelled(f"/ {powered.within(NEGATIVE)}", NEGATIVE)

    def record_condition(self, node: ast.expr, operand: Spelled, condition: str) -> None:
        """Records that Rocq has to prove this condition, so that the formula is defined.
        Unnecessary for a positive number."""
        if not (isinstance(node, ast.Constant) and node.value):
            self.conditions[condition.format(operand.within(WHOLE))] = None


def theorem_at_point(certificate: Certificate, name: str, opposite: bool = False) -> str:
    """Returns a certificate's statement, or its opposite, as a Rocq theorem called `name`, with its proof.
    It says that all sides are defined, the preconditions hold, and the comparison is false. The text follows
    HEADER_AT_POINT. opposite: whether to state instead that all sides are defined and the comparison is true. Raises
    NotTranslated."""
    values = {name: read_number(text) for name, text in certificate["variables"].items()}
    speller = PointSpeller(values)
    given = [f"{speller.side(left)} <= {speller.side(right)}" for left, right in certificate["given"]]
    left, right = speller.side(certificate["left"]), speller.side(certificate["right"])
    compared = comparison(left, certificate["relation"], right, read_number(certificate["within"]))
    concluded = [*speller.conditions, *([compared] if opposite else [*given, f"~ {compared}"])]
    lets = [f"  {line}" for line in speller.let_definitions()]
    stated = "\n".join([f"Theorem {name} :", *lets, "  " + " /\\\n  ".join(concluded) + "."])
    return f"{stated}\nProof. Timeout {SECONDS_AT_POINT} settle. Qed.\n"


def comparison(left: str, relation: str, right: str, within: Fraction) -> str:
    """The comparison of two formulas in Rocq's syntax. Raises NotTranslated for an invalid tolerance `within`."""
    if within < 0 or (within and relation != "=="):
        raise NotTranslated(
            f"the certificate has within = {within}, which must be {'at least 0' if relation == '==' else '0'} "
            f"for the relation {relation}"
        )
    if relation != "==":
        return f"{left} {relation} {right}"
    return f"Rabs ({left} - ({right})) <= {spelled_number(within).text}" if within else f"{left} = {right}"


def parsed(source: str) -> ast.expr:
    """Returns the syntax tree of a formula. Raises NotTranslated for other text."""
    if not READABLE.fullmatch(source):
        raise NotTranslated(f"{source[:60]!a} is not arithmetic")
    try:
        return ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise NotTranslated(f"{source[:60]!a} is not a formula, or is nested too deeply") from None


def value_of(node: ast.expr, source: str, values: Mapping[str, Fraction]) -> Value:
    """The value of the formula with this syntax tree: exact where possible, otherwise a double; None if undefined.
    Exact if it contains only numbers, variables, + - * /, powers with integer exponents, floor, ceil, maximum and
    minimum; otherwise a double; None if it is undefined, or too large for a double."""
    found: Value = None
    try:
        match node:
            case ast.Constant():
                found = written_number(node, source)
            case ast.Name(id=name):
                found = values.get(name, pi if name == "pi" else None)
            case ast.UnaryOp(op=ast.USub(), operand=operand) if (
                value := value_of(operand, source, values)
            ) is not None:
                found = -value
            case ast.BinOp(left=left, op=op, right=right):
                found = operated(op, value_of(left, source, values), value_of(right, source, values))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                given = [value_of(each, source, values) for each in arguments]
                known = [each for each in given if each is not None]
                value = IN_DOUBLES[name](*known) if len(known) == len(given) else None
                exact = name in EXACT_FUNCTIONS and all(isinstance(each, Fraction) for each in known)
                found = value if value is None else Fraction(value) if exact else float(value)
    except (ArithmeticError, ValueError, KeyError, TypeError):
        return None
    return found


def operated(op: ast.operator, left: Value, right: Value) -> Value:
    """The result of a binary operator, exact if both values are exact; None if a value is undefined.
    The result is exact if both values are exact, for powers only if the exponent is an integer and the numerator and
    denominator of the power have at most LONGEST_NUMBER bits; otherwise a double. None if a value is undefined."""
    if left is None or right is None:
        return None
    if isinstance(op, ast.Pow) and isinstance(left, Fraction) and isinstance(right, Fraction):
        bits = max(left.numerator.bit_length(), left.denominator.bit_length())
        if right.denominator == 1 and abs(right) * bits <= LONGEST_NUMBER:
            return Fraction(left ** int(right))
    found: Fraction | float = IN_DOUBLES[type(op)](left, right)
    return found


def written_number(node: ast.Constant, source: str) -> Fraction:
    """The decimal number at this place, exactly."""
    written = ast.get_source_segment(source.strip(), node) or ""
    if not DECIMAL.fullmatch(written):
        raise NotTranslated(f"{written[:60]!a} is not a decimal number")
    return read_number(written)


def read_number(text: str) -> Fraction:
    """The exact value of a decimal number in a certificate. Raises NotTranslated for other text."""
    if not NUMBER.fullmatch(text):
        raise NotTranslated(f"{text[:60]!a} is not a number")
    value = Fraction(text.replace(".e", "e").removesuffix("."))
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST_NUMBER:
        raise NotTranslated(f"the number {text[:60]} has more than {LONGEST_NUMBER} bits, too many for Rocq's kernel")
    return value


def spelled_number(value: Fraction) -> Spelled:
    """A fraction as text in Rocq's syntax, with the precedence of its operator."""
    if value.denominator == 1:
        return Spelled(f"{value}", ATOM) if value >= 0 else Spelled(f"- {-value}", NEGATIVE)
    sign = "- " if value < 0 else ""
    return Spelled(f"{sign}{abs(value.numerator)} / {value.denominator}", PRODUCT)


def primed(name: str) -> str:
    """The variable's name with a prime, so that it is no keyword of Coq."""
    if not NAME.fullmatch(name):
        raise NotTranslated(f"{name[:60]!a} is not a valid name of a variable")
    return f"{name}'"
