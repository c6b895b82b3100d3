"""Writes the statement of a claim as one line of text, and as a list of parts. Formulas are given as source text, and
curves by their parameters at every instance.

A part is plain data. It contains either words, or the source text of a formula, of a variable's range or of a
condition, so that a report can typeset it. The kind "code" marks a formula whose sides cannot be written down, "claim"
a statement in words, and "or" separates statements about different instances. The line of text consists of the same
parts in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from math import inf, isfinite, prod
from typing import Any, Literal

from dpbandits.audit.claims.formula_lines import texts_in_line
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.claims import model
from dpbandits.reference.claims.findings import LabelPart, VariableRange
from dpbandits.reference.claims.text import (
    counted,
    instance_in_words,
    label_parts,
    list_in_words,
    parts_in_words,
    printed_label,
)
from dpbandits.reference.curves import derived
from dpbandits.reference.curves.curve import FormulaPart, StatementPart, WordsPart, require_curve

CLAIM_PREFIX = "Claim: "  # begins a statement in words
VIEW_WORDS = {
    "arms": "the released arms are",
    "others": "the pulls of all other rounds are",
    "samples": "all sampled values together are",
    "outputs": "the outputs are",
}
RELATION_WORDS = {
    "pull": "If one reward of the table changes",
    "round": "If the rewards of one round change",
    "reward": "If the rewards of one round change, but not the context",
    "user": "If the context and the rewards of one round change",
    "history": "If one reward of the history changes",
    "query": "If the value of one query changes",
    "queries": "If the values of all queries change",
    "two given inputs": "For the two given inputs",
}
NOT_COVERED = "not covered by the claim"
MAX_SHOWN_INSTANCES = 3  # so many instances are written out
MAX_LISTED_VALUES = 8  # values of a formula's variables that are written one by one, at most
OR: StatementPart = {"kind": "or", "text": ";"}  # between the values of a formula
OTHERS: StatementPart = {"kind": "or", "text": ","}  # between the guarantees of several instances
Promise = tuple[StatementPart, ...]
# What is between two kinds of parts on a line; for other kinds before it, what is between any part and this one.
JOINTS = {
    ("", "with"): " with ",
    ("", "range"): " for ",
    ("with", "range"): ", for ",
    ("range", "range"): ", ",
    ("", "where"): ", where ",
    ("where", "where"): " and ",
}


def statement(claim: model.Claim, subject: object = None) -> str:
    """Returns the claim's statement as text, by default about the claim's own subject, otherwise about `subject`."""
    return parts_in_line(statement_parts(claim, subject))


def statement_parts(claim: model.Claim, subject: object = None) -> list[StatementPart]:
    """Returns the claim's statement in parts, so that pages can typeset its formulas."""
    return PARTS[type(claim.says)](claim, subject)


def words_part(text: str) -> WordsPart:
    """A part of a statement that consists of words."""
    return {"kind": "words", "text": text}


def comparison_part(kind: Literal["formula", "code", "where"], left: str, sign: str, right: str) -> FormulaPart:
    """A part of a statement that relates the source texts of two sides by a sign."""
    return {"kind": kind, "left": left, "sign": sign, "right": right}


def parts_in_line(parts: list[StatementPart]) -> str:
    """Joins the parts into one line of text: ranges after "for", conditions after "where".
    Long formulas have names for their sides and repeated parts, defined after "with"."""
    out = ""
    before = ""
    for kind, shown in texts_in_line(parts):
        said = f"{CLAIM_PREFIX}{shown}" if kind == "claim" else shown
        joint = JOINTS.get((before, kind), JOINTS.get(("", kind)))
        if joint is None:
            joint = "" if said.startswith((")", ";", ",")) else " "
        out += (joint if out else joint.lstrip(" ,")) + said
        before = kind
    return out


def one_line(words: str) -> str:
    """The words on one line, separated by single spaces."""
    return " ".join(words.split())


# -- promises about subjects ---------------------------------------------------------------------------------


def private_parts(claim: model.Claim, subject: object) -> list[StatementPart]:
    """Returns the parts of a privacy claim's statement: the claimed guarantee of every instance.
    The words for adversary and neighbours come first."""
    says: model.Private = claim.says  # type: ignore[assignment]
    head = f"{RELATION_WORDS[says.relation]}, {VIEW_WORDS[says.view]}"

    def promise(made: object, environment: object) -> tuple[StatementPart, ...]:
        """Returns the guarantee that the claim states for the policy `made`, as parts of a statement."""
        return tuple(curve_parts(says.curve(made)))

    return instances_in_parts(head, promise, claim, subject)


def instances_in_parts(
    head: str, promise: Callable[[Any, Any], Promise], claim: model.Claim, subject: object
) -> list[StatementPart]:
    """Returns the parts of a sentence about several instances: its beginning, and the guarantee of each instance."""
    groups, who = guarantees_of_instances(promise, claim, subject)
    found: list[StatementPart] = [words_part(head)]
    for place, (made, about) in enumerate(groups):
        found += [OTHERS] * bool(place)
        found += [words_part("and")] if 0 < place == len(groups) - 1 else []
        found += [*made, *([words_part(about.strip())] if about else [])]
    return merge_adjacent_words([*found, *([words_part(who.strip())] if who else [])])


def merge_adjacent_words(parts: list[StatementPart]) -> list[StatementPart]:
    """Returns the parts of a statement, with adjacent parts that consist of words merged."""
    out: list[StatementPart] = []
    for part in parts:
        if out and out[-1]["kind"] == part["kind"] == "words":
            out[-1] = words_part(f"{out[-1]['text']} {part['text']}")
        else:
            out.append(part)
    return out


def expected_value_parts(claim: model.Claim, subject: object) -> list[StatementPart]:
    """Returns the parts of a statement that bounds an expectation: the bound in every instance."""
    says: model.AtMost | model.AtLeast = claim.says  # type: ignore[assignment]

    def promise(made: object, environment: object) -> tuple[StatementPart, ...]:
        """Returns the bound in one instance, as parts of a statement."""
        bound = says.bound(made, environment)
        limit = "at most" if isinstance(says, model.AtMost) else "at least"
        said = f"{NOT_COVERED} (a precondition is false)" if bound is None else f"{limit} {bound:.6g}"
        return (words_part(said),)

    return instances_in_parts(f"The expected {says.quantity} is", promise, claim, subject)


def ordering_parts(claim: model.Claim, subject: object) -> list[StatementPart]:
    """Returns the parts of a statement that says which of each pair of settings has the smaller value."""
    says: model.Ordering = claim.says  # type: ignore[assignment]
    labels = [each for pair in says.pairs for label in pair for each in settings_of(label)]
    shared = shared_parts(labels)
    pairs = [f"{setting_value(smaller, shared)} < {setting_value(larger, shared)}" for smaller, larger in says.pairs]
    of, averaged = (" of one run", "") if says.averaged == 1 else ("", f", averaged over {says.averaged} runs")
    said = [
        f"Let R(setting) be the {says.quantity}{of} in this setting{averaged}.",
        f"All settings have {parts_in_words(shared)}." if shared else "",
        f"In most repetitions, {join_first_few(pairs, 'comparison')}",
    ]
    return [words_part(" ".join(filter(None, said)))]


def settings_of(label: str) -> tuple[str, ...]:
    """The labels of the settings that a label names: both of a difference, otherwise the label itself."""
    return tuple(label.settings) if isinstance(label, model.DifferenceLabel) else (label,)


def shared_parts(labels: Sequence[str]) -> tuple[LabelPart, ...]:
    """The parts that all labels share; none unless every label has another part as well."""
    each = [label_parts(label) for label in labels]
    shared = tuple(part for part in each[0] if all(part in parts for parts in each)) if each else ()
    return shared if all(len(parts) > len(shared) for parts in each) else ()


def setting_value(label: str, shared: Sequence[LabelPart] = ()) -> str:
    """The quantity R of a setting, "R(eta = 1, b = 0)", or of a difference of settings, "R(eta = 1) - R(eta = 5)".
    shared: parts of the labels that are left out."""
    named = []
    for each in settings_of(label):
        own = [part for part in label_parts(each) if part not in shared]
        named.append(f"R({parts_in_words(own) or printed_label(each)})")
    return " - ".join(named)


def claim_in_words(words: str) -> list[StatementPart]:
    """Returns the statement of a claim that the paper makes in words alone: one part with these words, on one line."""
    return [{"kind": "claim", "text": one_line(words)}]


def guarantees_of_instances(
    promise: Callable[[Any, Any], Promise], claim: model.Claim, subject: object
) -> tuple[list[tuple[Promise, str]], str]:
    """Returns the claimed guarantees, each with a text that names its instances.
    The second result is a text about the subject, "" for the claim's own."""
    groups: dict[str, tuple[Promise, dict[str, None]]] = {}
    for instance in claim.instances:
        environment = instance.get("environment")
        parameters = {name: value for name, value in instance.items() if name != "environment"}
        shown = instance
        if subject is not None:
            shown = {"environment": environment} if environment is not None else {}
        try:
            made = claim.subject(**parameters) if subject is None and claim.subject else subject
            said = promise(made, environment)
        except ValueError as error:
            said = (words_part(f"{NOT_COVERED} ({one_line(str(error))})"),)
        groups.setdefault(parts_in_line(list(said)), (said, {}))[1][instance_in_words(shown)] = None
    who = "" if subject is None else f" [{one_line(repr(subject))}]"
    named = []
    for said, abouts in groups.values():
        several = [about for about in abouts if about]
        listed = len(groups) > 1 or len(several) > 1
        instances = [f"[{about}]" if listed and ", " in about else about for about in several]
        named.append((said, join_first_few(instances, "instance")))
    found = [(said, f" for {about}" if about else "") for said, about in named]
    if (more := len(found) - MAX_SHOWN_INSTANCES) > 0:
        found = [*found[:MAX_SHOWN_INSTANCES], ((words_part(more_of(more, "claim")),), "")]
    return found, who


def curve_parts(curve: Any) -> list[StatementPart]:
    """The guarantee of a curve: "0.5-GDP", "(1, 1e-06)-DP", or a family with its formula.
    For None: that nothing is guaranteed."""
    if curve is None:
        return [words_part(f"{NOT_COVERED} (a precondition is false)")]
    require_curve(curve)
    return list(derived.statement_parts(curve, curve_formula))


def curve_formula(formula: model.Formula, variable: str, name: str) -> str:
    """Returns a curve's formula as source text; only "name(variable)" if the formula needs the variable's value."""
    return source_or_fallback(lambda: formula(text, text.variable(variable)), f"{name}({variable})")


def join_first_few(parts: Sequence[str], noun: str) -> str:
    """The parts as a list, "a, b and c"; of a long list only the first parts, and how many were left out.
    noun: what the parts are, in the singular."""
    left_out = len(parts) - MAX_SHOWN_INSTANCES
    return list_in_words([*parts[:MAX_SHOWN_INSTANCES], *([more_of(left_out, noun)] if left_out > 0 else [])])


def more_of(count: int, noun: str) -> str:
    """How many were left out, as text: "1 more instance", "7 more comparisons"."""
    return counted(count, f"more {noun}", f"more {noun}s")


# -- formulas ------------------------------------------------------------------------------------------------


def formula_parts(claim: model.Claim, subject: object) -> list[StatementPart]:
    """Returns the parts of a formula's statement: both sides, the ranges of the variables, the preconditions.
    If the formula cannot be traced, the parts are the compared values."""
    says: model.Inequality | model.Identity = claim.says  # type: ignore[assignment]
    names = tuple(says.over)
    sign = says.sign.replace("==", "=")
    sides = formula_source(says.left, names, "left"), formula_source(says.right, names, "right")
    code = sides == (f"left({', '.join(names)})", f"right({', '.join(names)})")
    if code and (each := instance_parts(says)):
        return each
    body = comparison_part("code" if code else "formula", sides[0], sign, sides[1])
    ranges: list[StatementPart] = [
        {"kind": "range", "text": range_text(name, values)} for name, values in says.over.items()
    ]
    wheres = [
        comparison_part("where", formula_source(low, names), "<=", formula_source(high, names))
        for low, high in says.given
    ]
    return [body, *([words_part(f"up to {says.within:g}")] if says.within else []), *ranges, *wheres]


def variable_ranges(claim: model.Claim) -> tuple[VariableRange, ...]:
    """The ranges of a formula's variables as data; variables with values other than numbers are left out."""
    if not isinstance(claim.says, model.Inequality | model.Identity):
        return ()
    found = []
    for name, values in claim.says.over.items():
        if isinstance(values, model.OneOf):
            if all(isinstance(value, int | float) for value in values.values):
                found.append(VariableRange(name, values=tuple(map(float, values.values))))
        else:
            low, high = (None if end is None or not isfinite(end) else float(end) for end in (values.low, values.high))
            found.append(VariableRange(name, low, high, isinstance(values, model.Whole)))
    return tuple(found)


def instance_parts(formula_claim: model.Inequality | model.Identity) -> list[StatementPart]:
    """Returns a formula's two sides at each combination of its variables' values, as parts of a statement.
    Empty if a variable has a range instead of listed values, if the claim has preconditions, if there are more than
    MAX_LISTED_VALUES combinations, or if a side cannot be written as text."""
    axes = [each.values for each in formula_claim.over.values() if isinstance(each, model.OneOf)]
    if len(axes) < len(formula_claim.over) or formula_claim.given or prod(map(len, axes)) > MAX_LISTED_VALUES:
        return []
    found: list[StatementPart] = []
    for values in product(*axes):
        point = dict(zip(formula_claim.over, values, strict=True))
        left, right = (
            source_or_fallback(partial(side, text, **point), "") for side in (formula_claim.left, formula_claim.right)
        )
        if not (left and right):
            return []
        found += [OR] * bool(found) + [comparison_part("formula", left, formula_claim.sign.replace("==", "="), right)]
        found += [{"kind": "range", "text": f"{name} = {value}"} for name, value in point.items()]
    return found


def formula_source(expression: model.Formula, names: tuple[str, ...], side: str = "f") -> str:
    """Returns the source text of a formula, such as "eps + sqrt(delta)".
    A formula that needs the values of its variables (a sum up to n) has no such text; then its name with its arguments,
    such as f(n, eps), where the name is that of its side if one function computes both sides."""
    name = side if isinstance(expression, model.Side) and side != "f" else getattr(expression, "__name__", "<lambda>")
    name = name.replace("<lambda>", side)
    variables = {name: text.variable(name) for name in names}
    return source_or_fallback(lambda: expression(text, **variables), f"{name}({', '.join(names)})")


def source_or_fallback(trace: Callable[[], Any], otherwise: str) -> str:
    """The source text of a traced formula; `otherwise` if the formula is not made of terms."""
    try:
        return text.source(trace())
    except TypeError:
        return otherwise


def range_text(name: str, values: Any) -> str:
    """The range of a variable as text: "eps > 0", "0 < delta < 1", "integer n >= 1", "c in {1, 2}"."""
    if isinstance(values, model.OneOf):
        return f"{name} in {{{', '.join(map(str, values.values))}}}"
    low, high = values.low, inf if values.high is None else values.high
    kind, closed = "integer ", (True, True)
    if isinstance(values, model.Real):
        kind, closed = "", (values.low_closed, values.high_closed)
    from_low, to_high = ("<=" if end else "<" for end in closed)
    if low == -inf and high == inf:
        return f"real {name}"
    if high == inf:
        return f"{kind}{name} {from_low.replace('<', '>')} {low:g}"
    if low == -inf:
        return f"{kind}{name} {to_high} {high:g}"
    return f"{kind}{low:g} {from_low} {name} {to_high} {high:g}"


# How each kind is written: one row a kind.
PARTS: Mapping[type[model.Statement], Callable[[model.Claim, object], list[StatementPart]]] = {
    model.Private: private_parts,
    model.Inequality: formula_parts,
    model.Identity: formula_parts,
    model.AtMost: expected_value_parts,
    model.AtLeast: expected_value_parts,
    model.Ordering: ordering_parts,
    model.Unjudged: lambda claim, subject: [
        words_part(f"Not checked: {one_line(claim.says.because)}")  # type: ignore[union-attr]
    ],
    model.Consequence: lambda claim, subject: claim_in_words(claim.says.words),  # type: ignore[union-attr]
    model.Stated: lambda claim, subject: claim_in_words(claim.says.words),  # type: ignore[union-attr]
}
