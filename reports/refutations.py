"""The numbers behind refutations: by how much a privacy guarantee is violated, for which values of a variable, what
holds at the same point, and counterexamples to check by hand. No side effects.

A certificate may come from an untrusted source. So a command line for checking by hand contains only formulas that were
parsed as arithmetic and written again from their trees, and valid numbers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from itertools import groupby
from math import inf, isclose, log, sqrt
from statistics import NormalDist
from typing import NamedTuple, TypeGuard

from markupsafe import Markup

from dpbandits.reference.claims import formula_trees
from dpbandits.reference.claims.codec import found_in
from dpbandits.reference.claims.findings import INPUT_DIGITS, Bound, Instance, PrivacyFound, Side
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Reading, Verdict
from dpbandits.reference.claims.records import (
    Certificate,
    Entry,
    FormulaCertificate,
    StepCertificate,
    of_event,
    of_formula,
    of_step,
)
from dpbandits.reference.claims.text import printed_name
from dpbandits.reference.curves import Approximate, Gaussian
from dpbandits.reports import lines, mathml
from dpbandits.reports.tally import meant_by_authors
from dpbandits.reports.words import format_number, rounded_safely, shorten_text

NUMBER_PATTERN = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?|-?\d+/\d+", re.ASCII)
SIDE_DIGITS = 6  # of a side's value
CALCULATOR_TOLERANCE = 1e-6  # a calculator's value, relative to the certified one
HELD = {"<=": "≤", "<": "<", "==": "="}
SHOULD = {"<=": "should be at most", "<": "should be below", "==": "should equal"}
ONE_SIDE_WORDS = "one side"
MAX_COMMAND_CHARACTERS = 900  # characters of a line that somebody types in
NEEDED = {"ncdf": "ncdf = lambda x: erfc(-x / sqrt(2)) / 2", "maximum": "maximum = max", "minimum": "minimum = min"}


class Counterexample(NamedTuple):
    """The data with which a reader can re-check a refutation by hand.

    point: the variables as mathematics, with their values. left, right: the names and values of the two sides. words:
    the claim and the actual result. command: a shell line; empty if doubles cannot show the violation. letters: the
    definitions of abbreviations in the sides.
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


def counterexample(certificate: Certificate) -> Counterexample | None:
    """Returns the counterexample in a certificate of a formula or a step.
    None for another kind of certificate, or for an invalid one."""
    try:
        if of_formula(certificate):
            return formula_counterexample(certificate)
        return step_counterexample(certificate) if of_step(certificate) else None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        return None


def formula_counterexample(certificate: FormulaCertificate) -> Counterexample | None:
    """Returns the counterexample in a formula's certificate: the point at which it fails, with both sides there.
    None if a side is no formula."""
    typeset = lines.typeset_sides(certificate["left"], certificate["right"])
    if typeset is None:
        return None
    left, right, letters = typeset
    point = tuple((mathml.inline(str(name)), str(value)) for name, value in certificate["variables"].items())
    values = distinguishable_values(certificate["left_enclosure"], certificate["right_enclosure"])
    relation = str(certificate["relation"])
    within = f" up to {certificate['within']}" if str(certificate["within"]) != "0" else ""
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
        formula_command(certificate),
        letters,
    )


def step_counterexample(certificate: StepCertificate) -> Counterexample | None:
    """The counterexample in a step's certificate.
    Two inputs, the noise, the event, and its probability on one input against e^eps times that on the other, plus
    delta. None if doubles do not show the violation."""
    variables = floats(certificate["variables"])
    eps, delta = (formula_trees.value(str(each), variables) for each in (certificate["eps"], certificate["delta"]))
    chance, other = certificate["left_probability"], certificate["right_probability"]
    if eps is None or delta is None or None in (midpoint(chance), midpoint(other)):
        return None
    ends = [formula_trees.evaluated(parse_or_refuse(f"exp({eps!r}) * {float(end)!r} + {delta!r}"), {}) for end in other]
    if not float(chance[0]) > ends[1]:
        return None  # doubles do not show it
    noise = "standard deviations" if certificate["noise"] == "gaussian" else "scales"
    event = ", ".join(str(int(place)) for place in certificate["event"])
    given = (
        (
            "answers",
            f"({counted_values(certificate['left'])}) or, for a neighbour, ({counted_values(certificate['right'])})",
        ),
        (f"{certificate['noise']} noise of {noise}", f"({counted_values(certificate['scales'])})"),
        ("event", f"query {event} wins (counted from 0)"),
        ("ε", format_number(eps, 7)),
        ("δ", format_number(delta, 7)),
    )
    point = tuple((Markup.escape(name), value) for name, value in given)
    sides = Markup("the chance of the event on the first input"), Markup("e<sup>ε</sup> times the other chance, plus δ")
    values = distinguishable_values(chance, [repr(end) for end in ends])
    words = f"So the claim says {values[0]} ≤ {values[1]}, which is false."
    command = two_query_command(certificate, eps, delta, float(chance[0]), ends[1])
    return Counterexample(point, ONE_SIDE_WORDS, sides[0], values[0], SHOULD["<="], sides[1], values[1], words, command)


# -- lines for a calculator ----------------------------------------------------------------------------------


def formula_command(certificate: FormulaCertificate) -> str:
    """A shell command that prints both sides of a formula; "" if doubles do not show the violation."""
    trees = [parse_or_refuse(str(side)) for side in (certificate["left"], certificate["right"])]
    variables = floats(certificate["variables"])
    shown = [formula_trees.value(ast.unparse(tree), variables) for tree in trees]
    certified = [midpoint(ends) for ends in (certificate["left_enclosure"], certificate["right_enclosure"])]
    pairs = list(zip(shown, certified, strict=True))
    if any(x is None or y is None or not isclose(x, y, rel_tol=CALCULATOR_TOLERANCE) for x, y in pairs):
        return ""
    left, right = (float(value) for value in shown if value is not None)
    broken = {"<=": left > right, "<": left >= right, "==": left != right}[str(certificate["relation"])]
    given = ""
    if variables:
        given = f"{', '.join(variables)} = {', '.join(str(certificate['variables'][name]) for name in variables)}"
    return calculator_command(trees, given) if broken and not isclose(left, right, rel_tol=CALCULATOR_TOLERANCE) else ""


def two_query_command(certificate: StepCertificate, eps: float, delta: float, one: float, bound: float) -> str:
    """A shell command for two queries with normal noise and the event that the first one wins; "" for other steps."""
    if certificate["noise"] != "gaussian" or len(certificate["scales"]) != 2 or certificate["event"] != [0]:
        return ""
    scales, *answers = (
        [require_number_text(value) for value in values]
        for values in (certificate["scales"], certificate["left"], certificate["right"])
    )
    spread = "sqrt({}**2 + {}**2)".format(*scales)
    chances = ["ncdf(({} - {}) / ".format(*values) + spread + ")" for values in answers]
    sources = [chances[0], f"exp({eps!r}) * {chances[1]} + {delta!r}"]
    values = [formula_trees.value(source, {}) for source in sources]
    if any(
        x is None or not isclose(x, y, rel_tol=CALCULATOR_TOLERANCE) for x, y in zip(values, (one, bound), strict=True)
    ):
        return ""
    return calculator_command([parse_or_refuse(source) for source in sources], "") if one > bound else ""


def calculator_command(trees: Sequence[ast.expr], given: str) -> str:
    """A shell command that prints these formulas with Python; "" if it would be too long.
    given: an assignment of the variables."""
    used = set[str]().union(*map(formula_trees.names, trees))
    steps = [
        "from math import *",
        *(text for name, text in NEEDED.items() if name in used),
        *([given] if given else []),
    ]
    shown = f"print({', '.join(map(ast.unparse, trees))})"
    made = f"python3 -c '{'; '.join([*steps, shown])}'"
    return made if len(made) <= MAX_COMMAND_CHARACTERS else ""


# -- numbers -------------------------------------------------------------------------------------------------


def parse_or_refuse(source: str) -> ast.expr:
    """The syntax tree of a formula. Raises ValueError if the text is not a formula."""
    tree = formula_trees.parse_formula(source)
    if tree is None:
        raise ValueError("no formula")
    return tree


def require_number_text(text: object) -> str:
    """The text, if it is a number. Raises ValueError otherwise."""
    if not NUMBER_PATTERN.fullmatch(str(text)):
        raise ValueError("no number")
    return str(text)


def is_variable(name: str) -> bool:
    """Whether a formula may have a variable of this name: ASCII, beginning with a letter, and not a function's."""
    return name.isascii() and name.isidentifier() and name[0].isalpha() and name not in formula_trees.FUNCTIONS


def floats(variables: Mapping[str, object]) -> dict[str, float]:
    """Converts the values of the variables to doubles. Raises ValueError for an invalid name or number."""
    if not all(is_variable(name) for name in variables):
        raise ValueError("no variable")
    return {name: quotient_as_float(require_number_text(value)) for name, value in variables.items()}


def quotient_as_float(text: str) -> float:
    """The value of a number or quotient such as "1/3" in doubles."""
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def midpoint(ends: Sequence[str]) -> float | None:
    """Returns the midpoint of an enclosure in doubles; None if the enclosure has an infinite end."""
    low, high = (float(end) for end in ends)
    return (low + high) / 2 if abs(low) < float("inf") and abs(high) < float("inf") else None


def distinguishable_values(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Two enclosed numbers as text, with all digits if fewer digits would be equal for both."""
    values = [enclosure_text(left), enclosure_text(right)]
    if values[0] != values[1] or list(left) == list(right):
        return values
    return [" to ".join(dict.fromkeys(map(str, ends))) for ends in (left, right)]


def enclosure_text(ends: Sequence[str]) -> str:
    """Returns the enclosed number as text if its digits are certain; otherwise the enclosure, rounded outwards."""
    value = midpoint(ends)
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


def input_text(value: object) -> str:
    """Returns a number of a certificate as text.
    Whole numbers and quotients as they are, decimals in up to INPUT_DIGITS digits."""
    text = str(value)
    return format_number(float(text), INPUT_DIGITS) if "." in text and NUMBER_PATTERN.fullmatch(text) else text


def counted_values(values: Sequence[object]) -> str:
    """The values as text, in which runs of equal values are counted: "1, 499 times 0"."""
    told: list[str] = []
    for value, same in groupby(map(input_text, values)):
        count = len(list(same))
        told += [f"{count} times {value}"] if count > 3 else [value] * count
    return ", ".join(told)


# -- how far a promise is broken -----------------------------------------------------------------------------


MAX_GAUSSIAN_MU = 1e3  # beyond it an eps would tell nobody more
MAX_PLACE = 60  # characters of the place in a sentence


class PrivacyExcess(NamedTuple):
    """The excess over a privacy guarantee. unit: "eps" or "mu". certified: a lower bound on the true number. delta: the
    delta for eps; None for a mu. place: the instance or setting. test: the type I error and the power of a test that
    shows the excess, if the evidence states them."""

    unit: str
    promised: float
    certified: float
    delta: float | None
    place: str = ""
    test: tuple[float, float] | None = None

    @property
    def amount(self) -> float:
        """Returns a lower bound on the excess over a guarantee: the certified number minus the claimed one."""
        return self.certified - self.promised

    @property
    def at_delta(self) -> str:
        """The delta of the guarantee as the end of a sentence: " at delta = 1e-6"; "" without a delta."""
        return "" if self.delta is None else f" at delta = {format_number(self.delta)}"

    @property
    def at(self) -> str:
        """The delta and the instance's parameters as the end of a sentence."""
        return self.at_delta + (f" ({self.place})" if self.place else "")

    @property
    def claimed(self) -> Approximate | Gaussian:
        """The claimed guarantee, as (eps, delta)-DP or mu-GDP."""
        return Gaussian(self.promised) if self.delta is None else Approximate(self.promised, self.delta)


def how_far(findings: Sequence[Entry]) -> str:
    """Returns a sentence about by how much, and for which settings, the refuted findings fail.
    "" if the findings contain no such data. Findings on the authors' intended reading come before others. The number is
    the certified one where its distance to the claimed number is largest."""
    refuted = broken_promises(findings)
    found = [excess for each in refuted for excess in excesses(each)]
    worst = max(found, key=lambda each: each.amount, default=None)
    return " ".join(filter(None, [failing_ranges(refuted), worst and excess_in_words(worst)]))


def broken_promises(findings: Sequence[Entry]) -> list[Entry]:
    """Returns the refuted findings; only those on the authors' intended reading, if there are any."""
    return meant_by_authors([each for each in findings if each["verdict"] == Verdict.REFUTED])


def excess_in_words(excess: PrivacyExcess) -> str:
    """Returns a sentence with the certified and the claimed number, with enough digits to distinguish them."""
    for digits in range(4, 10):
        certified, promised = (
            rounded(value, side, digits)
            for value, side in ((excess.certified, Side.BELOW), (excess.promised, Side.ABOVE))
        )
        if certified > promised:
            break
    claimed = format_number(promised, digits)
    shown = with_decimals(format_number(certified, digits), claimed)
    place = "" if excess.delta is None else ","
    return f"Certified: {excess.unit} >= {shown}; claimed: {claimed}{place}{excess.at}."


def with_decimals(text: str, other: str) -> str:
    """Appends zeros to the decimal number until it has as many decimals as `other`."""
    (whole, _, own), (_, _, wanted) = text.partition("."), other.partition(".")
    if not (whole + own + wanted).isdecimal() or len(own) >= len(wanted):
        return text
    return f"{whole}.{own:0<{len(wanted)}}"


def rounded(value: float, side: Side, digits: int) -> float:
    """Rounds the number to the safe side with this many digits; ignores errors of doubles in the twelfth digit."""
    return float(rounded_safely(float(f"{value:.11e}"), side, digits))


# -- from the evidence ---------------------------------------------------------------------------------------


def excesses(finding: Entry) -> Iterator[PrivacyExcess]:
    """Yields by how much each instance exceeds the claimed guarantee.
    Without instances, by how much each certificate does. Instances may contain sharper exact bounds."""
    made = list(instance_excesses(finding).values())
    for item in () if made else finding["evidence"]:
        if item["kind"] == "certificate":
            made += certificate_excesses(item["certificate"], finding.get("view") == "arms")
    yield from (each for each in made if each.promised < each.certified < inf)


def instance_excesses(finding: Entry) -> dict[str, PrivacyExcess]:
    """The certified excess of each refuted instance over the claimed number at the same delta, {name: excess}."""
    made = {}
    for each in instances_of(finding):
        ways = [(each.law.low, each.law.claimed)] if each.law else []
        ways += [(each.sampled.certified, each.sampled.claimed)] if each.sampled else []
        found = [
            PrivacyExcess(low.unit, claimed, low.value, low.at, place_of(each))
            for low, claimed in ways
            if low.value is not None and claimed is not None and fits_one_sentence(low)
        ]
        if found and each.verdict == Verdict.REFUTED:
            made[each.name] = max(found, key=lambda excess: excess.amount)
    return made


def instances_of(finding: Entry) -> tuple[Instance, ...]:
    """Returns all instances that an audit examined; none if the finding is not about privacy."""
    found = found_in(finding)
    return found.instances if isinstance(found, PrivacyFound) else ()


def fits_one_sentence(bound: Bound) -> bool:
    """Whether one sentence can state the whole bound: a mu, or an eps with its delta."""
    return bound.unit == "mu" or (bound.unit == "eps" and bound.at is not None)


def place_of(instance: Instance) -> str:
    """Returns the parameters of an instance as a short text; for a single step, its number of arms."""
    return shorten_text(printed_name(instance), MAX_PLACE) if instance.arms is None else f"{instance.arms} arms"


def certificate_excesses(certificate: Certificate, of_arms: bool) -> list[PrivacyExcess]:
    """Returns the excess over a privacy guarantee that a certificate shows.
    No excess for a certificate about something else, and for an invalid one. of_arms: whether the steps are about
    arms."""
    try:
        # The excess over a guarantee that a valid certificate shows
        variables = floats(certificate["variables"])
        if of_formula(certificate):
            return formula_excesses(certificate, variables)
        place = f"{len(certificate['scales'])} arms" if of_arms and of_step(certificate) else ""
        if not of_event(certificate):
            return []
        eps, delta = (formula_trees.value(str(each), variables) for each in (certificate["eps"], certificate["delta"]))
        if eps is None or delta is None:
            return []
        ends = float(certificate["left_probability"][0]), float(certificate["right_probability"][1])
        return [eps_excess(eps, delta, ends, place)]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
        return []


def eps_excess(eps: float, delta: float, ends: tuple[float, float], place: str) -> PrivacyExcess:
    """The excess over (eps, delta)-DP that an event shows.
    ends: a lower bound on its probability on one input, and an upper bound on the other."""
    power, size = ends
    return PrivacyExcess("eps", eps, log((power - delta) / size), delta, place, (size, power))


def formula_excesses(certificate: FormulaCertificate, variables: Mapping[str, float]) -> list[PrivacyExcess]:
    """The excess over a privacy guarantee that the certificate of a formula shows.
    The formula bounds a probability by e^eps times another plus delta, or the power of a test by what mu allows; none
    for other formulas."""
    if certificate["relation"] != "<=" or str(certificate["within"]) != "0":
        return []
    left, right = (formula_trees.parse_formula(str(side)) for side in (certificate["left"], certificate["right"]))
    others = {name: value for name, value in variables.items() if name not in ("eps", "delta")}
    place = ", ".join(f"{name} = {certificate['variables'][name]}" for name in others)

    def value(node: ast.expr) -> float:
        """Returns the value of a part of the formula at the certificate's point."""
        return formula_trees.evaluated(node, variables)

    match left, right:
        case (ast.BinOp(ast.Call() as chance, ast.Sub(), ast.BinOp(factor, ast.Mult(), other)), ast.expr() as delta) | (
            ast.Call() as chance,
            ast.BinOp(ast.BinOp(factor, ast.Mult(), other), ast.Add(), delta),
        ) if argument_of(chance, "ncdf") and argument_of(other, "ncdf") and (exponent := argument_of(factor, "exp")):
            return [eps_excess(value(exponent), value(delta), (value(chance), value(other)), place)]
        case ast.Call() as chance, ast.BinOp(ast.Call() as other, ast.Add(), delta) if argument_of(
            chance, "ncdf"
        ) and argument_of(other, "ncdf"):  # without a factor: eps is 0
            return [eps_excess(0.0, value(delta), (value(chance), value(other)), place)]
        case ast.expr() as power, ast.expr() as limit if certificate["given"] and (
            allowed := argument_of(limit, "ncdf")
        ):
            size, bound = (formula_trees.parse_formula(str(each)) for each in certificate["given"][0])
            if size is not None and (level := argument_of(bound, "ncdf")):
                normal, mu, test = NormalDist(), value(allowed) - value(level), (value(size), value(power))
                return [PrivacyExcess("mu", mu, normal.inv_cdf(test[1]) - normal.inv_cdf(test[0]), None, test=test)]
    return []


def argument_of(node: ast.expr | None, function: str) -> ast.expr | None:
    """Returns the argument of a call of `function`; None if the node is no such call."""
    match node:
        case ast.Call(ast.Name(name), [made]) if name == function:
            return made
    return None


# -- ranges, and what holds instead --------------------------------------------------------------------------


def failing_ranges(findings: Sequence[Entry]) -> str:
    """Returns a sentence that states for which values of a variable the statement fails.
    It does so for the setting with the smallest value and for that with the largest. "" without tables for several
    settings."""
    every: list[tuple[float, float, str, str]] = []
    for item in (item for finding in findings for item in finding["evidence"]):
        if item["kind"] != "table" or "fails" not in item:
            continue
        low, high = item["fails"]["low"], item["fails"]["high"]
        for row in item["rows"]:
            least, most = (row[low], row[high]) if max(low, high) < len(row) else (None, None)
            if is_number_cell(least) and is_number_cell(most):
                ends = rounded(least, Side.ABOVE, 3), rounded(most, Side.BELOW, 3)
                settings = zip((column["name"] for column in item["columns"][:low]), row, strict=False)
                told = [f"{cell} arms" if head == "arms" else f"{head} = {cell}" for head, cell in settings]
                every.append((*ends, item["fails"]["variable"], shorten_text(", ".join(told), MAX_PLACE)))
    if not every:
        return ""
    extremes = {min(every), max(every, key=lambda each: each[1])}
    shown = [
        f"for {name} from {format_number(a)} to {format_number(b)} ({setting})"
        for a, b, name, setting in dict.fromkeys(each for each in every if each in extremes)
    ]
    return f"False {' and '.join(shown)}."


def holding_there(findings: Sequence[Entry], others: Sequence[Entry]) -> str:
    """Returns a sentence on what a repaired statement guarantees in the instance that a finding violates most.
    "" if no repair was checked there."""
    broken = {name: each for finding in broken_promises(findings) for name, each in instance_excesses(finding).items()}
    repairs = [
        each for each in others if each["reading"] == Reading.REPAIRED and each["verdict"] in ESTABLISHED_VERDICTS
    ]
    kept = [
        (broken[each.name], each.promise.unit, each.promise.value, each.promise.at)
        for other in repairs
        for each in instances_of(other)
        if each.name in broken and each.promise is not None and each.promise.value is not None
    ]
    if not kept:
        return ""
    excess, unit, number, delta = max(kept, key=lambda each: each[0].amount)
    held, promised = (format_number(rounded(each, Side.ABOVE, 4)) for each in (number, excess.promised))
    low = format_number(rounded(excess.certified, Side.BELOW, 4))
    told = f"{unit} = {held} holds"
    if unit == "mu" and excess.delta and excess.delta < 1 and 0 < number < MAX_GAUSSIAN_MU:
        eps = rounded(gaussian_eps(number, excess.delta), Side.ABOVE, 4)
        told = f"eps = {format_number(eps)} holds, implied by {held}-GDP"
    elif unit == "eps" and delta != excess.delta:
        told += f" with delta = {format_number(delta)}"
    claimed = f"{excess.unit} = {promised} is claimed{excess.at} and at least {low} is certified"
    return f"Where {claimed}, {told}."


def is_number_cell(cell: object) -> TypeGuard[float]:
    """Whether the cell is a number."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def gaussian_eps(mu: float, delta: float) -> float:
    """An upper bound, accurate to rounding, on the smallest eps for which mu-GDP implies (eps, delta)-DP."""
    low, high = 0.0, mu * mu / 2 + mu * sqrt(2 * log(1 / delta))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(Gaussian(mu).delta_at(middle)) > delta else (low, middle)
    return high
