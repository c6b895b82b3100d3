"""Writes a policy's decision tree, with the moves of the noise, as a certificate of the kind "alignment", which
`proofs_checks.checker.alignment` verifies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import isinf

from dpbandits.proofs_checks.alignment.branches import Decision
from dpbandits.proofs_checks.alignment.forms import Form, Symbol
from dpbandits.proofs_checks.alignment.traced_runs import Leaf, Tree
from dpbandits.reference.claims.records import Certificate

Trail = tuple[int, ...]  # the outcomes of the decisions that lead to a node


def tree_certificate(tree: Tree, claim: str, bound: Fraction) -> Certificate | None:
    """The certificate of a decision tree with the noise's moves on each path; None if not all leaves are stored.
    claim: the id of the certified claim. bound: eps, or mu squared."""
    if len(tree.leaves) < tree.paths:
        return None
    forms: dict[tuple[Hashable, ...], int] = {}
    nodes, root = decision_nodes(
        [leaf.decisions for leaf in tree.leaves], lambda form: forms.setdefault(form_as_row(form), len(forms))
    )
    return {
        "type": "alignment",
        "claim": claim,
        "noise": tree.noise,
        "bound": str(bound),
        "arms": int(tree.policy.arms),
        "horizon": int(tree.policy.horizon),
        "symbols": [symbol_row(symbol) for symbol in tree.table.symbols],
        "forms": [list(form) for form in forms],
        "nodes": nodes,
        "leaves": [leaf_item(leaf) for leaf in tree.leaves],
        "root": root,
    }


def decision_nodes(
    paths: Sequence[Sequence[Decision]], form_number: Callable[[Form], int]
) -> tuple[list[dict[str, object]], int]:
    """The nodes of the decision tree that these paths form, and the number of its root.
    Negative numbers are leaves: -1 is the first path, -2 the second. form_number: gives the number of a form in the
    certificate."""
    trails: dict[Trail, Decision] = {}
    for decisions in paths:
        for place, decision in enumerate(decisions):
            trails.setdefault(outcomes_of(decisions[:place]), decision)
    numbers = {each: number for number, each in enumerate(trails)}
    places = numbers | {outcomes_of(decisions): -1 - number for number, decisions in enumerate(paths)}
    nodes = [
        {
            "forms": [form_number(form) for form in decision.forms],
            "strict": decision.strict,
            "next": next_places(here, decision, places),
        }
        for here, decision in trails.items()
    ]
    return nodes, 0 if nodes else -1


def outcomes_of(decisions: Sequence[Decision]) -> Trail:
    """The outcomes of these decisions as a tuple, which identifies a node of the decision tree."""
    return tuple(decision.taken for decision in decisions)


def next_places(here: Trail, decision: Decision, places: dict[Trail, int]) -> list[int | None]:
    """The node or leaf of the decision tree after each outcome of a decision, None for an impossible outcome.
    Impossible outcomes of a finite draw are left out."""
    if not decision.forms:
        return [places[(*here, outcome)] for outcome in decision.possible]
    outcomes = 2 if len(decision.forms) == 1 else len(decision.forms)
    return [places[(*here, outcome)] if outcome in decision.possible else None for outcome in range(outcomes)]


def form_as_row(form: Form) -> tuple[Hashable, ...]:
    """A linear form as a tuple (constant, symbol, coefficient, symbol, coefficient, ...), with numbers as text."""
    row: list[int | str] = [str(form.constant)]
    for number, value in sorted(form.coefficients.items()):
        row += [number, str(value)]
    return tuple(row)


def symbol_row(symbol: Symbol) -> list[str]:
    """The entry of a symbol in the certificate: its kind, range and sensitivity, and for a geometric draw its rate."""
    row = [symbol.kind, end_as_text(symbol.low), end_as_text(symbol.high), str(symbol.sensitivity)]
    if symbol.kind == "geometric":
        row.append(str(symbol.rate))
    return [*row, "two-valued"] if symbol.two_valued else row


def end_as_text(value: Fraction | float) -> str:
    """The end of a range as text; "inf" or "-inf" if it is infinite."""
    return ("inf" if value > 0 else "-inf") if isinf(value) else str(value)


def leaf_item(leaf: Leaf) -> dict[str, object]:
    """The entry of a leaf (a whole run) in the certificate: its releases, and the moves for each changed reward."""
    moves: list[list[object]] = []
    for (reward, sign), move in leaf.moves.items():
        if move.shifts:
            moves.append(
                [reward, sign, *(each for draw, amount in move.shifts.items() for each in (draw, str(amount)))]
            )
    return {"released": [list(step) for step in leaf.released], "moves": moves}
