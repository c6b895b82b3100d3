"""Counterexamples from certificates: the point, both sides with their values, and a line for a calculator.

A certificate may come from anybody. What is put into a command line is a formula that was read as arithmetic and is
written anew from its tree, and numbers that look like numbers; nothing else of the certificate's text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from itertools import groupby
from math import isclose
from typing import Any, NamedTuple

from markupsafe import Markup

from dpbandits.reports import expressions, lines, mathml
from dpbandits.reports.words import format_number

NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?|-?\d+/\d+", re.ASCII)
SIDE_DIGITS = 9  # of a side's value
CALCULATOR_TOLERANCE = 1e-6  # a calculator's value, relative to the certified one
HELD = {"<=": "≤", "<": "<", "==": "="}
SHOULD = {"<=": "should be at most", "<": "should be below", "==": "should equal"}
ONE_SIDE_WORDS = "one side"
MAX_COMMAND_CHARACTERS = 900  # characters of a line that somebody types in
NEEDED = {"ncdf": "ncdf = lambda x: erfc(-x / sqrt(2)) / 2", "maximum": "maximum = max", "minimum": "minimum = min"}


class Counterexample(NamedTuple):
    """What a reader needs to re-check a refutation by hand.

    point: the variables as mathematics, with their values. left, right: the two sides; the names of them and their
    values. words: what was claimed and what is the case. command: a shell line; empty where doubles cannot show it.
    letters: what letters of the sides stand for.
    """

    point: tuple[tuple[Markup, str], ...]
    left_name: str
    left: Markup
    left_value: str
    right_name: str
    right: Markup
    right_value: str
    words: str
    command: str
    letters: tuple[tuple[Markup, Markup], ...] = ()


def counterexample(certificate: Mapping[str, Any]) -> Counterexample | None:
    """Of a formula's or a step's certificate; None for another kind, or one that is not as it should be."""
    makers = {"formula": of_formula, "step": of_step}
    try:
        maker = makers.get(certificate["type"])
        return maker(certificate) if maker else None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        return None


def of_formula(made: Mapping[str, Any]) -> Counterexample | None:
    typeset = lines.sides(made["left"], made["right"])
    if typeset is None:
        return None
    left, right, letters = typeset
    point = tuple((mathml.inline(str(name)), str(value)) for name, value in made["variables"].items())
    values = distinguishable_values(made["left_enclosure"], made["right_enclosure"])
    relation = str(made["relation"])
    within = f" up to {made['within']}" if str(made["within"]) != "0" else ""
    words = f"So the claim says {values[0]} {HELD[relation]} {values[1]}{within}, which is false."
    return Counterexample(
        point,
        ONE_SIDE_WORDS,
        left,
        values[0],
        SHOULD[relation],
        right,
        values[1],
        words,
        formula_command(made),
        letters,
    )


def of_step(made: Mapping[str, Any]) -> Counterexample | None:
    """Two inputs, the noise, the event: a chance on one input, against e^eps times that on the other, plus delta."""
    variables = floats(made["variables"])
    eps, delta = (expressions.value(str(made[part]), variables) for part in ("eps", "delta"))
    chance, other = made["left_probability"], made["right_probability"]
    if eps is None or delta is None or None in (middle(chance), middle(other)):
        return None
    ends = [expressions.evaluated(parse_or_refuse(f"exp({eps!r}) * {float(end)!r} + {delta!r}"), {}) for end in other]
    if not float(chance[0]) > ends[1]:
        return None  # doubles do not show it
    noise = "standard deviations" if made["noise"] == "gaussian" else "scales"
    event = ", ".join(str(int(place)) for place in made["event"])
    given = (
        ("answers", f"({counted_values(made['left'])}) or, for a neighbour, ({counted_values(made['right'])})"),
        (f"{made['noise']} noise of {noise}", f"({counted_values(made['scales'])})"),
        ("event", f"query {event} wins (counted from 0)"),
        ("ε", format_number(eps, 7)),
        ("δ", format_number(delta, 7)),
    )
    point = tuple((Markup.escape(name), value) for name, value in given)
    sides = Markup("the chance of the event on the first input"), Markup("e<sup>ε</sup> times the other chance, plus δ")
    values = distinguishable_values(chance, [repr(end) for end in ends])
    words = f"So the claim says {values[0]} ≤ {values[1]}, which is false."
    command = of_two(made, eps, delta, float(chance[0]), ends[1])
    return Counterexample(point, ONE_SIDE_WORDS, sides[0], values[0], SHOULD["<="], sides[1], values[1], words, command)


# -- lines for a calculator --------------------------------------------------------------------------------------


def formula_command(made: Mapping[str, Any]) -> str:
    """A line that prints both sides of a formula; empty where doubles do not show the violation."""
    trees = [parse_or_refuse(str(made[side])) for side in ("left", "right")]
    variables = floats(made["variables"])
    shown = [expressions.value(ast.unparse(tree), variables) for tree in trees]
    certified = [middle(made[f"{side}_enclosure"]) for side in ("left", "right")]
    pairs = list(zip(shown, certified, strict=True))
    if any(x is None or y is None or not isclose(x, y, rel_tol=CALCULATOR_TOLERANCE) for x, y in pairs):
        return ""
    left, right = (float(value) for value in shown if value is not None)
    broken = {"<=": left > right, "<": left >= right, "==": left != right}[str(made["relation"])]
    given = ""
    if variables:
        given = f"{', '.join(variables)} = {', '.join(str(made['variables'][name]) for name in variables)}"
    return calculator_command(trees, given) if broken and not isclose(left, right, rel_tol=CALCULATOR_TOLERANCE) else ""


def of_two(made: Mapping[str, Any], eps: float, delta: float, one: float, bound: float) -> str:
    """The line for two queries with normal noise, of which the first wins."""
    if made["noise"] != "gaussian" or len(made["scales"]) != 2 or made["event"] != [0]:
        return ""
    numbers = {part: [require_number_text(value) for value in made[part]] for part in ("left", "right", "scales")}
    spread = "sqrt({}**2 + {}**2)".format(*numbers["scales"])
    chances = ["ncdf(({} - {}) / ".format(*numbers[side]) + spread + ")" for side in ("left", "right")]
    sources = [chances[0], f"exp({eps!r}) * {chances[1]} + {delta!r}"]
    values = [expressions.value(source, {}) for source in sources]
    if any(
        x is None or not isclose(x, y, rel_tol=CALCULATOR_TOLERANCE) for x, y in zip(values, (one, bound), strict=True)
    ):
        return ""
    return calculator_command([parse_or_refuse(source) for source in sources], "") if one > bound else ""


def calculator_command(trees: Sequence[ast.expr], given: str) -> str:
    used = set[str]().union(*map(expressions.names, trees))
    steps = [
        "from math import *",
        *(text for name, text in NEEDED.items() if name in used),
        *([given] if given else []),
    ]
    shown = f"print({', '.join(map(ast.unparse, trees))})"
    made = f"python3 -c '{'; '.join([*steps, shown])}'"
    return made if len(made) <= MAX_COMMAND_CHARACTERS else ""


# -- numbers -----------------------------------------------------------------------------------------------------


def parse_or_refuse(source: str) -> ast.expr:
    tree = expressions.parse_formula(source)
    if tree is None:
        raise ValueError("no formula")
    return tree


def require_number_text(text: Any) -> str:
    if not NUMBER_PATTERN.fullmatch(str(text)):
        raise ValueError("no number")
    return str(text)


def floats(variables: Mapping[str, Any]) -> dict[str, float]:
    """The variables in doubles. Raises ValueError for a name or a number that is none."""
    if not all(
        re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and name not in expressions.FUNCTIONS for name in variables
    ):
        raise ValueError("no variable")
    return {name: quotient_as_float(require_number_text(value)) for name, value in variables.items()}


def quotient_as_float(text: str) -> float:
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def middle(ends: Sequence[Any]) -> float | None:
    """A number of the enclosure in doubles; None where it has an infinite end."""
    low, high = (float(end) for end in ends)
    return (low + high) / 2 if abs(low) < float("inf") and abs(high) < float("inf") else None


def distinguishable_values(left: Sequence[Any], right: Sequence[Any]) -> list[str]:
    """Two numbers by their enclosures, with all digits where fewer would be the same for both."""
    values = [enclosure_text(left), enclosure_text(right)]
    if values[0] != values[1] or list(left) == list(right):
        return values
    return [" to ".join(dict.fromkeys(map(str, ends))) for ends in (left, right)]


def enclosure_text(ends: Sequence[Any]) -> str:
    """The number, where its enclosure leaves no doubt about the digits; or else the enclosure, rounded outwards."""
    value = middle(ends)
    if value is None or (value == 0 and set(ends) != {"0"}):
        return f"{ends[0]} to {ends[1]}"
    low, high = (format_number(float(end), SIDE_DIGITS) for end in ends)
    if low == high:
        return low
    outwards = (
        Context(SIDE_DIGITS, side).create_decimal(end)
        for end, side in zip(ends, (ROUND_FLOOR, ROUND_CEILING), strict=True)
    )
    return " to ".join(format_number(float(end), SIDE_DIGITS) for end in outwards)


def counted_values(values: Sequence[Any]) -> str:
    """The values, where many in a row are the same by their number: "1, 499 times 0"."""
    told: list[str] = []
    for value, same in groupby(map(str, values)):
        count = len(list(same))
        told += [f"{count} times {value}"] if count > 3 else [value] * count
    return ", ".join(told)
