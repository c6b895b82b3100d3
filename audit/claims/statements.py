"""What a claim says: formulas traced, curves by their numbers at every instance. In one line of text, and in parts.

A part is plain data: words, or a formula, a variable's range or a condition as source text over the vocabulary, so
that whoever shows it can typeset it; the line is the same parts, one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from math import inf, prod
from typing import Any

from dpbandits.audit.claims.spelling import spelt
from dpbandits.proofs_checks.vocabulary.expressions import text
from dpbandits.reference.curves import derived
from dpbandits.reference.curves.curve import Part
from dpbandits.reference.ledger import (
    AtLeast,
    AtMost,
    Claim,
    Consequence,
    Formula,
    Identity,
    Inequality,
    OneOf,
    Ordering,
    Private,
    Real,
    Side,
    Stated,
    Statement,
    Unjudged,
)

VIEWS = {"arms": "released arms", "samples": "all sampled values"}
RELATIONS = {
    "pull": "one reward of the table changed",
    "round": "one round's rewards changed",
    "history": "one reward of the history changed",
    "query": "one query's value changed",
    "queries": "every query's value changed",
}
SHOWN = 4  # so many instances are written out
POINTS = 8  # values of a formula's variables that are written one by one, at most


def statement(claim: Claim, subject: Any = None) -> str:
    """The claim's statement; with a subject, what it says about this one instead of the claim's own."""
    return line(parts(claim, subject))


def parts(claim: Claim, subject: Any = None) -> list[Part]:
    """The statement in parts, for readers who can see formulas typeset."""
    return PARTS[type(claim.says)](claim, subject)


def words(text: str) -> Part:
    return {"kind": "words", "text": text}


def compared(kind: str, left: str, sign: str, right: str) -> Part:
    return {"kind": kind, "left": left, "sign": sign, "right": right}


def line(parts: list[Part]) -> str:
    """The parts in one line: ranges behind a "for", conditions behind a "where"."""
    out = ""
    before = ""
    for part in parts:
        kind = part["kind"]
        said = part["text"] if "text" in part else f"{part['left']} {part['sign']} {part['right']}"
        joint = {("range", "range"): ", ", ("where", "where"): " and "}.get((before, kind))
        if joint is None:
            joint = {"range": " for ", "where": ", where "}.get(kind, "" if said.startswith(")") else " ")
        out += (joint if out else joint.lstrip(" ,")) + said
        before = kind
    return out


def one_line(words: str) -> str:
    return " ".join(words.split())


# -- promises about subjects ---------------------------------------------------------------------------------


def private(claim: Claim, subject: Any) -> list[Part]:
    says: Private = claim.says  # type: ignore[assignment]
    head = f"{VIEWS.get(says.view, says.view)}, {RELATIONS.get(says.relation, says.relation)}:"

    def promise(made: Any, environment: Any) -> tuple[Part, ...]:
        return tuple(curve_parts(says.curve(made)))

    groups, who = promises(promise, claim, subject)
    found = [words(head)]
    for place, (made, about) in enumerate(groups):
        found += [words("|")] * bool(place) + list(made) + [words(about.strip())] * bool(about)
    return joined(found + [words(who.strip())] * bool(who))


def joined(parts: list[Part]) -> list[Part]:
    """The same parts, words that stand side by side as one."""
    out: list[Part] = []
    for part in parts:
        if out and out[-1]["kind"] == part["kind"] == "words":
            out[-1] = words(f"{out[-1]['text']} {part['text']}")
        else:
            out.append(part)
    return out


def bounded(claim: Claim, subject: Any) -> list[Part]:
    says: AtMost | AtLeast = claim.says  # type: ignore[assignment]

    def promise(made: Any, environment: Any) -> tuple[Part, ...]:
        bound = says.bound(made, environment)
        return (words("nothing (a precondition is false)" if bound is None else f"{says.sign} {bound:.6g}"),)

    groups, who = promises(promise, claim, subject)
    told = " | ".join(line(list(made)) + about for made, about in groups)
    return [words(f"expected {says.quantity} {told}{who}")]


def ordered(claim: Claim, subject: Any) -> list[Part]:
    says: Ordering = claim.says  # type: ignore[assignment]
    pairs = [f"{smaller} < {larger}" for smaller, larger in says.pairs]
    of = "of one run" if says.averaged == 1 else f"averaged over {says.averaged} runs"
    return [words(f"{says.quantity} {of}, in most repetitions: {shortened(pairs, '; ')}")]


def unwritten(told: str) -> list[Part]:
    return [words(f"no formula: {one_line(told)}")]


Promise = tuple[Part, ...]


def promises(
    promise: Callable[[Any, Any], Promise], claim: Claim, subject: Any
) -> tuple[list[tuple[Promise, str]], str]:
    """What is promised, with the instances that it is promised of, and the subject if it is not the claim's own."""
    groups: dict[str, tuple[Promise, dict[str, None]]] = {}
    for instance in claim.params or ({},):
        environment = instance.get("environment")
        parameters = {name: value for name, value in instance.items() if name != "environment"}
        shown = instance
        if subject is not None:
            shown = {"environment": environment} if environment is not None else {}
        try:
            made = claim.subject(**parameters) if subject is None and claim.subject else subject
            said = promise(made, environment)
        except ValueError as error:
            said = (words(f"nothing ({one_line(str(error))})"),)
        groups.setdefault(line(list(said)), (said, {}))[1][spelt(shown) if shown else ""] = None
    who = "" if subject is None else f" [{one_line(repr(subject))}]"
    found = [(said, for_each([about for about in abouts if about])) for said, abouts in groups.values()]
    more: list[tuple[Promise, str]] = [((words(f"and {len(found) - SHOWN} more"),), "")] if len(found) > SHOWN else []
    return found[:SHOWN] + more, who


def curve_parts(curve: Any) -> list[Part]:
    """A curve's promise: "0.5-GDP", "(1, 1e-06)-DP", or a family with its formula; None promises nothing."""
    if curve is None:
        return [words("nothing (a precondition is false)")]
    if not hasattr(curve, "points"):
        raise TypeError(f"{curve!r} is no curve, as those of dpbandits.pages are: it has no `points`")
    return list(derived.parts(curve, curve_formula))


def curve_formula(formula: Formula, variable: str, name: str) -> str:
    """A curve's formula as source text, or its name where it needs the values themselves."""
    return written(lambda: formula(text, text.variable(variable)), f"{name}({variable})")


def for_each(instances: list[str]) -> str:
    return f" for {shortened(instances, '; ')}" if instances else ""


def shortened(parts: list[str], separator: str) -> str:
    more = [f"and {len(parts) - SHOWN} more"] if len(parts) > SHOWN else []
    return separator.join(parts[:SHOWN] + more)


# -- formulas ------------------------------------------------------------------------------------------------


def formula(claim: Claim, subject: Any) -> list[Part]:
    says: Inequality | Identity = claim.says  # type: ignore[assignment]
    names = tuple(says.over)
    sign = says.sign.replace("==", "=")
    sides = traced(says.left, names, "left"), traced(says.right, names, "right")
    if sides == (f"left({', '.join(names)})", f"right({', '.join(names)})") and (each := instances(says)):
        return each
    body = compared("formula", sides[0], sign, sides[1])
    ranges: list[Part] = [{"kind": "range", "text": range_text(name, values)} for name, values in says.over.items()]
    wheres = [compared("where", traced(low, names), "<=", traced(high, names)) for low, high in says.given]
    return [body, *([words(f"up to {says.within:g}")] if says.within else []), *ranges, *wheres]


def instances(says: Inequality | Identity) -> list[Part]:
    """A formula that needs the values themselves, at each of them, where they are few; else empty."""
    axes = [each.values for each in says.over.values() if isinstance(each, OneOf)]
    if len(axes) < len(says.over) or says.given or prod(map(len, axes)) > POINTS:
        return []
    found: list[Part] = []
    for values in product(*axes):
        point = dict(zip(says.over, values, strict=True))
        left, right = (written(partial(side, text, **point), "") for side in (says.left, says.right))
        if not (left and right):
            return []
        found += [words("|")] * bool(found) + [compared("formula", left, says.sign.replace("==", "="), right)]
        found += [{"kind": "range", "text": f"{name} in {{{value}}}"} for name, value in point.items()]
    return found


def traced(expression: Formula, names: tuple[str, ...], side: str = "f") -> str:
    """The formula as an expression. One that needs the values themselves (a sum up to n) shows its name, or its side
    where one function says both."""
    name = side if isinstance(expression, Side) and side != "f" else getattr(expression, "__name__", "<lambda>")
    name = name.replace("<lambda>", side)
    variables = {name: text.variable(name) for name in names}
    return written(lambda: expression(text, **variables), f"{name}({', '.join(names)})")


def written(trace: Callable[[], Any], otherwise: str) -> str:
    try:
        return text.source(trace())
    except TypeError:
        return otherwise


def range_text(name: str, values: Any) -> str:
    """How a variable ranges: "eps > 0", "0 < delta < 1", "integer n >= 1", "c in {1, 2}"."""
    if isinstance(values, OneOf):
        return f"{name} in {{{', '.join(map(str, values.values))}}}"
    low, high = values.low, inf if values.high is None else values.high
    if isinstance(values, Real):
        less = "<=" if values.closed else "<"
        kind = ""
    else:
        less, kind = "<=", "integer "
    more = less.replace("<", ">")
    if low == -inf and high == inf:
        return f"real {name}"
    if high == inf:
        return f"{kind}{name} {more} {low:g}"
    if low == -inf:
        return f"{kind}{name} {less} {high:g}"
    return f"{kind}{low:g} {less} {name} {less} {high:g}"


# How each kind is written: one row a kind.
PARTS: Mapping[type[Statement], Callable[[Claim, Any], list[Part]]] = {
    Private: private,
    Inequality: formula,
    Identity: formula,
    AtMost: bounded,
    AtLeast: bounded,
    Ordering: ordered,
    Unjudged: lambda claim, subject: unwritten(claim.says.because),  # type: ignore[union-attr]
    Consequence: lambda claim, subject: unwritten(claim.says.words),  # type: ignore[union-attr]
    Stated: lambda claim, subject: unwritten(claim.says.words),  # type: ignore[union-attr]
}
