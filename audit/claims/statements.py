"""What a claim says: formulas traced, curves by their numbers at every instance. In one line of text, and in parts.

A part is plain data: words, or a formula, a variable's range or a condition as source text over the vocabulary, so
that whoever shows it can typeset it; the line is the same parts, one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from dpbandits.audit.claims.spelling import spelt
from dpbandits.proofs_checks.vocabulary.expressions import text
from dpbandits.reference.curves import Approximate, Family, Gaussian, Renyi
from dpbandits.reference.ledger import (
    AtLeast,
    AtMost,
    Claim,
    Condition,
    Domain,
    Formula,
    Identity,
    Inequality,
    OneOf,
    Ordering,
    Private,
    Real,
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

Part = dict[str, str]  # kind: words, expression, range; or formula, where: with left, sign and right


def statement(claim: Claim, subject: Any = None) -> str:
    """The claim's statement; with a subject, what it says about this one instead of the claim's own."""
    return line(parts(claim, subject))


def parts(claim: Claim, subject: Any = None) -> list[Part]:
    """The statement in parts, for readers who can see formulas typeset."""
    says = claim.says
    if isinstance(says, Private):
        return private(says, claim, subject)
    if isinstance(says, Inequality):
        return formula(says.left, "<" if says.strict else "<=", says.right, "", says.over, says.given)
    if isinstance(says, Identity):
        within = f"up to {says.within:g}" if says.within else ""
        return formula(says.left, "=", says.right, within, says.over, says.given)
    if isinstance(says, AtMost | AtLeast):
        return [words(bounded(says, claim, subject))]
    if isinstance(says, Ordering):
        pairs = [f"{smaller} < {larger}" for smaller, larger in says.pairs]
        of = "of one run" if says.averaged == 1 else f"averaged over {says.averaged} runs"
        return [words(f"{says.quantity} {of}, in most repetitions: {shortened(pairs, '; ')}")]
    return [words(f"no formula: {one_line(says.because if isinstance(says, Unjudged) else says.words)}")]


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


def private(says: Private, claim: Claim, subject: Any) -> list[Part]:
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


def bounded(says: AtMost | AtLeast, claim: Claim, subject: Any) -> str:
    sign = "<=" if isinstance(says, AtMost) else ">="

    def promise(made: Any, environment: Any) -> tuple[Part, ...]:
        bound = says.bound(made, environment)
        return (words("nothing (a precondition is false)" if bound is None else f"{sign} {bound:.6g}"),)

    groups, who = promises(promise, claim, subject)
    return f"expected {says.quantity} {' | '.join(line(list(made)) + about for made, about in groups)}{who}"


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
    if isinstance(curve, Gaussian):
        return [words(f"{curve.mu:.6g}-GDP")]
    if isinstance(curve, Approximate):
        return [words(f"({curve.eps:.6g}, {curve.delta:.6g})-DP")]
    if isinstance(curve, Family):
        eps = written(lambda: curve.eps(text, text.variable("delta")), "eps(delta)")
        over = {"kind": "range", "text": f"{curve.low:.6g} <= delta <= {curve.high:.6g}"}
        return [words("(eps, delta)-DP with"), compared("formula", "eps", "=", eps), over]
    if isinstance(curve, Renyi):
        gamma = written(lambda: curve.gamma(text, text.variable("alpha")), "gamma(alpha)")
        over = {"kind": "range", "text": f"{curve.low:.6g} < alpha <= {curve.high:.6g}"}
        return [words("(alpha,"), {"kind": "expression", "text": gamma}, words(")-RDP"), over]
    raise TypeError(f"{curve!r} is no curve of dpbandits.reference.curves")


def for_each(instances: list[str]) -> str:
    return f" for {shortened(instances, '; ')}" if instances else ""


def shortened(parts: list[str], separator: str) -> str:
    more = [f"and {len(parts) - SHOWN} more"] if len(parts) > SHOWN else []
    return separator.join(parts[:SHOWN] + more)


# -- formulas ------------------------------------------------------------------------------------------------


def formula(
    left: Formula, sign: str, right: Formula, within: str, over: Domain, given: tuple[Condition, ...]
) -> list[Part]:
    names = tuple(over)
    body = compared("formula", traced(left, names, "left"), sign, traced(right, names, "right"))
    ranges: list[Part] = [{"kind": "range", "text": range_text(name, values)} for name, values in over.items()]
    wheres = [compared("where", traced(low, names), "<=", traced(high, names)) for low, high in given]
    return [body, *([words(within)] if within else []), *ranges, *wheres]


def traced(expression: Formula, names: tuple[str, ...], side: str = "f") -> str:
    """The formula as an expression. One that needs the values themselves (a sum up to n) shows its name."""
    name = getattr(expression, "__name__", "<lambda>").replace("<lambda>", side)
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
