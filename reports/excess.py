"""How far a promise of privacy is broken: eps or mu, promised against certified, at one delta; for which values of a
variable; and what holds at the same place. All of it is read off the evidence of findings. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from dpbandits.reference.claims.findings import Side
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Verdict
from dpbandits.reference.curves import Gaussian
from dpbandits.reports import expressions
from dpbandits.reports.counterexamples import floats
from dpbandits.reports.tally import Finding, meant_by_authors
from dpbandits.reports.words import format_number, shorten_text, toward

# Heads of two columns, side by side: from where to where a statement fails; what stands before them is the setting.
FAILS_FROM, FAILS_TO = re.compile(r"\bfails from (\w+) =$"), re.compile(r"\bup to (\w+) =$")
LABEL = re.compile(r"\([^(),]+, (\d(?:\.\d+)?(?:e-\d{1,3})?)\)-DP", re.ASCII)  # of a claimed curve that is one point
PULLS = re.compile(r"pulls=\(([^()]*)\)")
TIMES = re.compile(r"(\d{1,9}) times ", re.ASCII)
INSTANCES = "Every instance"  # the table of all that an audit looked at; its heads after the unit's:
TEXTS, NUMBERS = ["instance", "claimed"], ("exact, at least", "certified from samples")
MAX_GAUSSIAN_MU = 1e3  # beyond it an eps would tell nobody more
MAX_PLACE = 60  # characters of the place in a sentence


class PrivacyExcess(NamedTuple):
    """unit: "eps" or "mu". certified: a lower bound of what is true. delta: where; None for a mu. place: of what."""

    unit: str
    promised: float
    certified: float
    delta: float | None
    place: str = ""

    @property
    def amount(self) -> float:
        return self.certified - self.promised

    @property
    def at(self) -> str:
        """Where, as the end of a sentence."""
        delta = "" if self.delta is None else f" at delta = {format_number(self.delta)}"
        return delta + (f" ({self.place})" if self.place else "")


def how_far(findings: Sequence[Finding]) -> str:
    """In words, of all refuted findings together, of those about what the authors meant if there are any: where they
    fail, and what is certified where the gap to what is promised is widest; empty where none of it can be read off
    them."""
    refuted = broken_promises(findings)
    found = [excess for each in refuted for excess in excesses(each)]
    worst = max(found, key=lambda each: each.amount, default=None)
    return " ".join(filter(None, [failing_ranges(refuted), worst and excess_in_words(worst)]))


def broken_promises(findings: Sequence[Finding]) -> list[Finding]:
    """The refuted ones, by which nobody is told to be wrong who meant something else."""
    return meant_by_authors([each for each in findings if each["verdict"] == Verdict.REFUTED])


def excess_in_words(excess: PrivacyExcess) -> str:
    """The sentence, with as many digits as tell both numbers apart."""
    for digits in range(4, 10):
        certified, promised = (
            rounded(value, side, digits)
            for value, side in ((excess.certified, Side.BELOW), (excess.promised, Side.ABOVE))
        )
        if certified > promised:
            break
    ends = format_number(certified, digits), format_number(promised, digits)
    return (
        f"At least {excess.unit} {ends[0]} where {ends[1]} is promised{'' if excess.delta is None else ','}{excess.at}."
    )


def rounded(value: float, side: Side, digits: int) -> float:
    """The number to so many digits, down or up; what doubles add in the twelfth digit is none of its own."""
    return float(toward(float(f"{value:.11e}"), side, digits))


# -- from the evidence -------------------------------------------------------------------------------------------


def excesses(finding: Finding) -> Iterator[PrivacyExcess]:
    """What the finding's instances show, which an exact law may have told more sharply; or else its certificates."""
    made = list(of_instances(finding).values())
    for item in () if made else finding["evidence"]:
        if item["kind"] == "certificate":
            try:
                made += of_certificate(item["certificate"], finding["statement"].startswith("released arms"))
            except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
                continue  # of another kind, or not as it should be
    yield from (each for each in made if each.promised < each.certified < inf)


def of_instances(finding: Finding) -> dict[str, PrivacyExcess]:
    """Of the refuted instances, by name, those whose delta is known."""
    pictured = [item for item in finding["evidence"] if item["kind"] in ("profile", "tradeoff")]
    curves = {instance_name(item["title"].rpartition(": ")[0]): item["claimed"] for item in pictured}
    made = {}
    for name, label, unit, promised, row in instance_rows(finding):
        certified = max(row.get(head) or 0.0 for head in NUMBERS)
        delta = None if unit == "mu" else delta_of(label, promised, curves.get(name, ()))
        if row["verdict"] == Verdict.REFUTED and (unit == "mu" or delta is not None):
            made[name] = PrivacyExcess(unit, promised, certified, delta, place_of(name))
    return made


def instance_rows(finding: Finding) -> Iterator[tuple[str, str, str, float, Mapping[str, Any]]]:
    """(name, label of what is claimed, unit, number that is claimed, row) of each instance with a number."""
    for item in finding["evidence"]:
        heads = [each["name"] for each in item["columns"]] if item["kind"] == "table" else []
        if heads[:2] == TEXTS and item["title"] == INSTANCES:
            for cells in item["rows"]:
                row, unit = dict(zip(heads, cells, strict=True)), "mu" if "mu" in heads else "eps"
                numbers = [row.get(unit), *(row.get(head) or 0.0 for head in NUMBERS)]  # a gap certifies nothing
                if all(map(is_number_cell, numbers)) and "verdict" in row:
                    yield instance_name(str(cells[0])), str(cells[1]), unit, float(row[unit]), row


def is_number_cell(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def instance_name(name: str) -> str:
    """The instance's name, without the inputs that the worst was found at."""
    return name.partition(", judged at ")[0]


def delta_of(label: str, eps: float, curve: Sequence[Sequence[float]]) -> float | None:
    """The delta at which this eps is claimed: the label's, or the curve's; None where neither says it."""
    found = LABEL.fullmatch(label)
    return float(found[1]) if found else next((delta for at, delta in curve if at == eps), None)


def place_of(name: str) -> str:
    """An instance in a few words: of single steps how many arms there are."""
    if not (found := PULLS.match(name)):
        return shorten_text(name, MAX_PLACE)
    arms = [TIMES.match(each) for each in found[1].rstrip(",").split(", ")]
    return f"{sum(int(each[1]) if each else 1 for each in arms)} arms"


def of_certificate(made: Mapping[str, Any], of_arms: bool) -> list[PrivacyExcess]:
    """What a certificate shows of a promise. Raises ValueError and others for one that is about something else."""
    variables = floats(made["variables"])
    if made["type"] == "formula":
        return of_formula(made, variables)
    eps, delta = (expressions.value(str(made[part]), variables) for part in ("eps", "delta"))
    if eps is None or delta is None:
        return []
    ends = float(made["left_probability"][0]), float(made["right_probability"][1])
    place = f"{len(made['scales'])} arms" if of_arms and made["type"] == "step" else ""
    return [PrivacyExcess("eps", eps, log((ends[0] - delta) / ends[1]), delta, place)]


def of_formula(made: Mapping[str, Any], variables: Mapping[str, float]) -> list[PrivacyExcess]:
    """Of a formula that says that a chance is at most e^eps times another and delta; or that a test of a certain size
    has at most the power that mu allows."""
    if made["relation"] != "<=" or str(made["within"]) != "0":
        return []
    left, right = (expressions.parse_formula(str(made[side])) for side in ("left", "right"))
    others = {name: value for name, value in variables.items() if name not in ("eps", "delta")}
    place = ", ".join(f"{name} = {made['variables'][name]}" for name in others)

    def value(node: ast.expr) -> float:
        return expressions.evaluated(node, variables)

    match left, right:
        case (ast.BinOp(ast.Call() as chance, ast.Sub(), ast.BinOp(factor, ast.Mult(), other)), ast.expr() as delta) | (
            ast.Call() as chance,
            ast.BinOp(ast.BinOp(factor, ast.Mult(), other), ast.Add(), delta),
        ) if argument_of(chance, "ncdf") and argument_of(other, "ncdf") and (exponent := argument_of(factor, "exp")):
            eps = value(exponent)
            return [PrivacyExcess("eps", eps, log((value(chance) - value(delta)) / value(other)), value(delta), place)]
        case ast.expr() as power, ast.expr() as limit if made["given"] and (allowed := argument_of(limit, "ncdf")):
            size, bound = (expressions.parse_formula(str(each)) for each in made["given"][0])
            if size is not None and (level := argument_of(bound, "ncdf")):
                normal, mu = NormalDist(), value(allowed) - value(level)
                return [PrivacyExcess("mu", mu, normal.inv_cdf(value(power)) - normal.inv_cdf(value(size)), None)]
    return []


def argument_of(node: ast.expr | None, function: str) -> ast.expr | None:
    """The argument of a call of this function; None of anything else."""
    match node:
        case ast.Call(ast.Name(name), [made]) if name == function:
            return made
    return None


# -- ranges, and what holds instead ------------------------------------------------------------------------------


def failing_ranges(findings: Sequence[Finding]) -> str:
    """Where a variable makes the statement fail, by the tables that say it for several settings: the setting that
    reaches lowest, and the one that reaches highest."""
    every = []
    for item in (item for finding in findings for item in finding["evidence"] if item["kind"] == "table"):
        heads = [each["name"] for each in item["columns"]]
        for place, (one, next_one) in enumerate(pairwise(heads)):
            if (found := FAILS_FROM.search(one)) and FAILS_TO.search(next_one):
                for row in item["rows"]:
                    if not all(map(is_number_cell, row[place : place + 2])):
                        continue
                    told = [
                        f"{cell} arms" if head == "arms" else f"{head} = {cell}"
                        for head, cell in zip(heads[:place], row, strict=False)
                    ]
                    ends = rounded(row[place], Side.ABOVE, 3), rounded(row[place + 1], Side.BELOW, 3)
                    every.append((*ends, found[1], shorten_text(", ".join(told), MAX_PLACE)))
    if not every:
        return ""
    low, high = min(every), max(every, key=lambda each: each[1])
    first, *more = (
        f"from {name} = {format_number(a)} to {format_number(b)} ({setting})"
        for a, b, name, setting in dict.fromkeys((low, high))
    )
    return f"False {' and '.join([first, *more])}."


def holding_there(findings: Sequence[Finding], others: Sequence[Finding]) -> str:
    """What a repair is shown to keep at the very place that a finding breaks most; empty where no repair was judged at
    any such place."""
    broken = {name: each for finding in broken_promises(findings) for name, each in of_instances(finding).items()}
    repairs = [each for each in others if each["reading"] == "repaired" and each["verdict"] in ESTABLISHED_VERDICTS]
    kept = [
        (broken[name], unit, number, delta_of(label, number, ()))
        for other in repairs
        for name, label, unit, number, _ in instance_rows(other)
        if name in broken
    ]
    if not kept:
        return ""
    excess, unit, number, delta = max(kept, key=lambda each: each[0].amount)
    held, promised = (format_number(rounded(each, Side.ABOVE, 4)) for each in (number, excess.promised))
    told = f"{unit} = {held} holds"
    if unit == "mu" and excess.delta and excess.delta < 1 and 0 < number < MAX_GAUSSIAN_MU:
        eps = rounded(gaussian_eps(number, excess.delta), Side.ABOVE, 4)
        told = f"eps = {format_number(eps)} holds, by mu = {held}"
    elif unit == "eps" and delta != excess.delta:
        told += f" with delta = {format_number(delta)}"
    return f"Where {excess.unit} = {promised} is promised{excess.at}, {told}."


def gaussian_eps(mu: float, delta: float) -> float:
    """An eps, next to the least one, at which mu-GDP is (eps, delta)-DP."""
    low, high = 0.0, mu * mu / 2 + mu * sqrt(2 * log(1 / delta))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(Gaussian(mu).delta_at(middle)) > delta else (low, middle)
    return high
