"""Writes a graph of merged states as a certificate of the kind "alignment-states", which
`proofs_checks.checker.merged_alignment` verifies."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import Followed, Node, Transition
from dpbandits.proofs_checks.alignment.tree_certificate import decision_nodes, end_as_text, symbol_row

Item = TypeVar("Item", bound=Hashable)


@dataclass
class Shared:
    """The rows that states share, each stored once. In a certificate the symbols of a step begin with its unknowns: one
    place earlier than in `merged_steps`, where DIFFERENCE is the first."""

    symbols: dict[tuple[str, ...], int] = field(default_factory=dict)
    forms: dict[tuple[Hashable, ...], int] = field(default_factory=dict)
    moves: dict[tuple[Hashable, ...], int] = field(default_factory=dict)

    def form(self, terms: Iterable[tuple[int, Fraction]], constant: Fraction | float) -> int:
        """The index of a linear form in the certificate's list of forms, to which a new form is added."""
        coefficients = [part for number, value in sorted(terms) for part in (number - 1, str(value))]
        return index_in(self.forms, (str(constant), *coefficients))

    def move(self, followed: Followed) -> int:
        """The index of a move of the noise in the certificate's list of moves, to which a new move is added."""
        shifts = sorted(followed.move.shifts.items())
        return index_in(self.moves, tuple([part for draw, amount in shifts for part in (draw - 1, str(amount))]))


def index_in(known: dict[Item, int], item: Item) -> int:
    """The index of an item in `known`; a new item is added with the next index."""
    return known.setdefault(item, len(known))


def merged_certificate(merged: MergedStates, claim: str, bound: Fraction) -> dict[str, object]:
    """The certificate of a graph of merged states, with the moves of the noise and the losses.
    claim: the id of the certified claim. bound: eps, or mu squared."""
    shared = Shared()
    states = [state_item(node, shared, merged) for node in merged.nodes]
    return {
        "type": "alignment-states",
        "claim": claim,
        "noise": merged.noise,
        "bound": str(bound),
        "arms": int(merged.policy.arms),
        "horizon": int(merged.policy.horizon),
        "symbols": [list(row) for row in shared.symbols],
        "forms": [list(row) for row in shared.forms],
        "moves": [list(row) for row in shared.moves],
        "states": states,
    }


def state_item(node: Node, shared: Shared, merged: MergedStates) -> dict[str, object]:
    """The entry of one state in the certificate: its decision tree, transitions, moves and losses."""
    nodes, root = decision_nodes(
        [transition.decisions for transition in node.transitions],
        lambda form: shared.form(form.coefficients.items(), form.constant),
    )
    symbols = node.table.symbols[1:] if node.transitions else []
    unknowns = [("unknown", end_as_text(each.low), end_as_text(each.high), "0") for each in node.place.unknowns]
    rows = [tuple(symbol_row(symbol._replace(two_valued=False))) for symbol in symbols[len(unknowns) :]]
    changes = [
        [change.transition, change.reward - 1, change.sign, shared.move(followed)]
        for change, followed in node.changes.items()
        if followed.move.shifts
    ]
    return {
        "step": node.place.step,
        "unknowns": len(unknowns),
        "symbols": [index_in(shared.symbols, row) for row in [*unknowns, *rows]],
        "nodes": nodes,
        "root": root,
        "ways": [
            transition_item(transition, following, shared)
            for transition, following in zip(node.transitions, node.next, strict=True)
        ],
        "changes": changes,
        "differences": [
            {
                "apart": [part for number, amount in differences for part in (number - 1, str(amount))],
                "loss": str(node.losses[differences]),
                "moves": [shared.move(followed) for followed in transitions],
            }
            for differences, transitions in node.followed.items()
        ],
    }


def transition_item(transition: Transition, following: int, shared: Shared) -> dict[str, object]:
    """The entry of one transition in the certificate: the release, the number of the next state and its unknowns."""
    unknowns = [shared.form(row.terms, row.constant) for row in transition.unknowns]
    return {"released": list(transition.released), "next": following, "unknowns": unknowns}
