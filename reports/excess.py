"""How far a promise of privacy is broken: eps or mu, promised against certified, at one delta; for which values of a
variable; and what holds at the same place. All of it is read off the evidence of findings. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from math import inf, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from dpbandits.reference.claims.codec import found_in
from dpbandits.reference.claims.findings import Bound, Instance, PrivacyFound, Side
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Verdict
from dpbandits.reference.curves import Gaussian
from dpbandits.reports import expressions
from dpbandits.reports.counterexamples import floats
from dpbandits.reports.tally import Finding, meant_by_authors
from dpbandits.reports.words import format_number, shorten_text, toward

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
                made += of_certificate(item["certificate"], finding.get("view") == "arms")
            except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError):
                continue  # of another kind, or not as it should be
    yield from (each for each in made if each.promised < each.certified < inf)


def of_instances(finding: Finding) -> dict[str, PrivacyExcess]:
    """Of the refuted instances, by name, what is certified where it exceeds what is promised at the same place."""
    made = {}
    for each in instances_of(finding):
        ways = [(each.law.low, each.law.claimed)] if each.law else []
        ways += [(each.sampled.certified, each.sampled.claimed)] if each.sampled else []
        found = [
            PrivacyExcess(low.unit, claimed, low.value, low.at, place_of(each))
            for low, claimed in ways
            if low.value is not None and claimed is not None and is_told(low)
        ]
        if found and each.verdict == Verdict.REFUTED:
            made[each.name] = max(found, key=lambda excess: excess.amount)
    return made


def instances_of(finding: Finding) -> tuple[Instance, ...]:
    """All instances that an audit examined; none for a finding about anything but privacy."""
    found = found_in(finding)
    return found.instances if isinstance(found, PrivacyFound) else ()


def is_told(bound: Bound) -> bool:
    """Whether a sentence about the bound says all: a mu, or an eps and its delta."""
    return bound.unit == "mu" or (bound.unit == "eps" and bound.at is not None)


def place_of(instance: Instance) -> str:
    """An instance in a few words: of single steps how many arms there are."""
    return shorten_text(instance.name, MAX_PLACE) if instance.arms is None else f"{instance.arms} arms"


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
    every: list[tuple[float, float, str, str]] = []
    for item in (item for finding in findings for item in finding["evidence"] if "fails" in item):
        name, low, high = (item["fails"][part] for part in ("variable", "low", "high"))
        for row in item["rows"]:
            if max(low, high) < len(row) and all(map(is_number_cell, (row[low], row[high]))):
                ends = rounded(row[low], Side.ABOVE, 3), rounded(row[high], Side.BELOW, 3)
                settings = zip((column["name"] for column in item["columns"][:low]), row, strict=False)
                told = [f"{cell} arms" if head == "arms" else f"{head} = {cell}" for head, cell in settings]
                every.append((*ends, name, shorten_text(", ".join(told), MAX_PLACE)))
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
        (broken[each.name], each.promise.unit, each.promise.value, each.promise.at)
        for other in repairs
        for each in instances_of(other)
        if each.name in broken and each.promise is not None and each.promise.value is not None
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


def is_number_cell(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def gaussian_eps(mu: float, delta: float) -> float:
    """An eps, next to the least one, at which mu-GDP is (eps, delta)-DP."""
    low, high = 0.0, mu * mu / 2 + mu * sqrt(2 * log(1 / delta))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(Gaussian(mu).delta_at(middle)) > delta else (low, middle)
    return high
