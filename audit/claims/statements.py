"""What a claim says, in one line of text: formulas traced, curves by their numbers at every instance."""

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


def statement(claim: Claim, subject: Any = None) -> str:
    """The claim's statement; with a subject, what it says about this one instead of the claim's own."""
    says = claim.says
    if isinstance(says, Private):
        return private(says, claim, subject)
    if isinstance(says, Inequality):
        return formula(f"{{}} {'<' if says.strict else '<='} {{}}", says.left, says.right, says.over, says.given)
    if isinstance(says, Identity):
        within = f" up to {says.within:g}" if says.within else ""
        return formula(f"{{}} = {{}}{within}", says.left, says.right, says.over, says.given)
    if isinstance(says, AtMost | AtLeast):
        return bounded(says, claim, subject)
    if isinstance(says, Ordering):
        pairs = [f"{smaller} < {larger}" for smaller, larger in says.pairs]
        of = "of one run" if says.averaged == 1 else f"averaged over {says.averaged} runs"
        return f"{says.quantity} {of}, in most repetitions: {shortened(pairs, '; ')}"
    return f"no formula: {one_line(says.because if isinstance(says, Unjudged) else says.words)}"


def one_line(words: str) -> str:
    return " ".join(words.split())


# -- promises about subjects ---------------------------------------------------------------------------------


def private(says: Private, claim: Claim, subject: Any) -> str:
    head = f"{VIEWS.get(says.view, says.view)}, {RELATIONS.get(says.relation, says.relation)}"

    def promise(made: Any, environment: Any) -> str:
        return curve_text(says.curve(made))

    return f"{head}: {promises(promise, claim, subject)}"


def bounded(says: AtMost | AtLeast, claim: Claim, subject: Any) -> str:
    sign = "<=" if isinstance(says, AtMost) else ">="

    def promise(made: Any, environment: Any) -> str:
        bound = says.bound(made, environment)
        return "nothing (a precondition is false)" if bound is None else f"{sign} {bound:.6g}"

    return f"expected {says.quantity} {promises(promise, claim, subject)}"


def promises(promise: Callable[[Any, Any], str], claim: Claim, subject: Any) -> str:
    """What is promised about each instance; instances with the same promise together."""
    groups: dict[str, dict[str, None]] = {}
    for instance in claim.params or ({},):
        environment = instance.get("environment")
        parameters = {name: value for name, value in instance.items() if name != "environment"}
        shown = instance
        if subject is not None:
            shown = {"environment": environment} if environment is not None else {}
        try:
            made = claim.subject(**parameters) if subject is None and claim.subject else subject
            text = promise(made, environment)
        except ValueError as error:
            text = f"nothing ({one_line(str(error))})"
        groups.setdefault(text, {})[spelt(shown) if shown else ""] = None
    who = "" if subject is None else f" [{one_line(repr(subject))}]"
    parts = [text + for_each([about for about in abouts if about]) for text, abouts in groups.items()]
    return shortened(parts, " | ") + who


def curve_text(curve: Any) -> str:
    """A curve's promise: "0.5-GDP", "(1, 1e-06)-DP", or a family with its formula; None promises nothing."""
    if curve is None:
        return "nothing (a precondition is false)"
    if isinstance(curve, Gaussian):
        return f"{curve.mu:.6g}-GDP"
    if isinstance(curve, Approximate):
        return f"({curve.eps:.6g}, {curve.delta:.6g})-DP"
    if isinstance(curve, Family):
        eps = written(lambda: curve.eps(text, text.variable("delta")), "eps(delta)")
        return f"(eps, delta)-DP with eps = {eps} for {curve.low:.6g} <= delta <= {curve.high:.6g}"
    if isinstance(curve, Renyi):
        gamma = written(lambda: curve.gamma(text, text.variable("alpha")), "gamma(alpha)")
        return f"(alpha, {gamma})-RDP for {curve.low:.6g} < alpha <= {curve.high:.6g}"
    raise TypeError(f"{curve!r} is no curve of dpbandits.reference.curves")


def for_each(instances: list[str]) -> str:
    return f" for {shortened(instances, '; ')}" if instances else ""


def shortened(parts: list[str], separator: str) -> str:
    more = [f"and {len(parts) - SHOWN} more"] if len(parts) > SHOWN else []
    return separator.join(parts[:SHOWN] + more)


# -- formulas ------------------------------------------------------------------------------------------------


def formula(frame: str, left: Formula, right: Formula, over: Domain, given: tuple[Condition, ...]) -> str:
    names = tuple(over)
    body = frame.format(traced(left, names, "left"), traced(right, names, "right"))
    domain = ", ".join(range_text(name, values) for name, values in over.items())
    where = " and ".join(f"{traced(low, names)} <= {traced(high, names)}" for low, high in given)
    return body + (f" for {domain}" if domain else "") + (f", where {where}" if where else "")


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
