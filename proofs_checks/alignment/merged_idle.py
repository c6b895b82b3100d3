"""Simplifies a graph of merged states: removes comparisons, and numbers of a state, on which no later release depends.

The states are considered from the end of the run backwards. A decision of a step is idle if the same follows whatever
its outcome is: the same decisions, release and next state, with the same unknowns. An unknown is dead if no decision
contains it, nor any unknown of the next states that is not dead. States that agree in everything else become one state:
docs/explanation/randomness_alignment.md, "Idle decisions of merged states".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.branches import Key, Paths, SymbolTable
from dpbandits.proofs_checks.alignment.forms import Form
from dpbandits.proofs_checks.alignment.idle_decisions import Path, paths_without_idle
from dpbandits.proofs_checks.alignment.merged_steps import Node, Place, Row, Transition

Description = tuple[Hashable, ...]


class Leaf(NamedTuple):
    """What follows the decisions of a step: the release, the number of the next state in `Shorter.nodes`, and its
    unknowns."""

    released: tuple[int, ...]
    next: int
    unknowns: tuple[Row, ...]


def without_idle(nodes: Sequence[Node]) -> list[Node]:
    """The same graph without comparisons that no pull depends on, and without unknowns that are never used."""
    shorter = Shorter(nodes)
    for number in reversed(range(len(nodes))):
        shorter.add_state(number)
    return shorter.reached()


@dataclass(frozen=True)
class Shorter:
    """The shorter graph, from its last states on. nodes: so far. numbers: of each state of the long graph, that in
    the shorter one. live: its unknowns that are not dead. known: the states by what they do."""

    long: Sequence[Node]
    nodes: list[Node] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    live: dict[int, list[int]] = field(default_factory=dict)
    known: dict[Description, int] = field(default_factory=dict)

    def add_state(self, number: int) -> None:
        """Adds state `number` of the long graph to the shorter one.
        All states that follow it must have been added before."""
        node = self.long[number]
        ends = [
            Leaf(each.released, self.numbers[after], tuple([each.unknowns[place - 1] for place in self.live[after]]))
            for each, after in zip(node.transitions, node.next, strict=True)
        ]
        every = list(zip(ends, [each.decisions for each in node.transitions], strict=True))
        paths: Iterable[Path[Leaf]] | None = paths_without_idle(every, Paths(node.table)) if len(every) > 1 else None
        if paths is None:
            made = [each.comparisons for each in node.transitions]
            paths = [Path(*each, known, ()) for each, known in zip(every, made, strict=True)]
        paths = list(paths)
        used = {
            symbol
            for path in paths
            for terms in [
                *(form.coefficients for decision in path.decisions for form in decision.forms),
                *(dict(row.terms) for row in path.released.unknowns),
            ]
            for symbol in terms
        }
        symbols = node.table.symbols
        self.live[number] = sorted(each for each in used if symbols[each].kind == "unknown")
        others = sorted(each for each in used if symbols[each].kind != "unknown")
        unknowns = tuple(node.place.unknowns[place - 1] for place in self.live[number])
        places = {each: place for place, each in enumerate([0, *self.live[number], *others])}
        table = SymbolTable()
        for symbol in [0, *self.live[number]] if node.transitions else []:
            table.number_of(symbols[symbol] if not symbol else symbols[symbol]._replace(name=(places[symbol] - 1,)))
        for symbol in others:
            table.number_of(symbols[symbol])
        place = Place(node.place.step, node.place.used, (), unknowns)
        following = [path.released.next for path in paths]
        lines = {each.key: each.line for transition in node.transitions for each in transition.comparisons}
        transitions = [renumbered(path, places, self.nodes[path.released.next].place, lines, table) for path in paths]
        description = (
            place.step,
            unknowns,
            tuple(table.symbols),
            tuple(map(as_comparable, transitions)),
            tuple(following),
        )
        if description not in self.known:
            self.known[description] = len(self.nodes)
            self.nodes.append(Node(place, table, transitions, following))
        self.numbers[number] = self.known[description]

    def reached(self) -> list[Node]:
        """The states that can be reached from the first state, each before its successors."""
        reached = {self.numbers[0]}
        for number in reversed(range(len(self.nodes))):  # states were added after those that follow them
            if number in reached:
                reached.update(self.nodes[number].next)
        order = sorted(reached, reverse=True)
        found = {number: place for place, number in enumerate(order)}
        nodes = [self.nodes[number] for number in order]
        for node in nodes:
            node.next = [found[after] for after in node.next]
        return nodes


def renumbered(
    path: Path[Leaf], places: dict[int, int], following: Place, lines: dict[Key, str], table: SymbolTable
) -> Transition:
    """A transition along a path, written with the symbol numbers of `table`.
    places: the new number of each symbol. lines: the policy's line at which each form is compared."""

    def form(old_form: Form) -> Form:
        """The linear form `old_form` with the new symbol numbers."""
        return Form(
            old_form.run, {places[number]: value for number, value in old_form.coefficients.items()}, old_form.constant
        )

    def terms(pairs: Iterable[tuple[int, Fraction]]) -> tuple[tuple[int, Fraction], ...]:
        """The pairs (symbol, coefficient) with the new symbol numbers."""
        return tuple([(places[number], value) for number, value in pairs])

    decisions = tuple(each._replace(forms=tuple(map(form, each.forms))) for each in path.decisions)
    comparisons = tuple(each._replace(key=terms(each.key), line=lines[each.key]) for each in path.comparisons)
    unknowns = tuple(Row(tuple(sorted(terms(row.terms))), row.constant) for row in path.released.unknowns)
    seen = {number for each in comparisons for number, _ in each.key} | {
        number for row in unknowns for number, _ in row.terms
    }
    rewards = tuple(sorted(number for number in seen if table.symbols[number].kind == "reward"))
    return Transition(path.released.released, decisions, comparisons, rewards, following, unknowns, (), ())


def as_comparable(transition: Transition) -> Description:
    """The release, the decisions and the next state's unknowns of a transition, as a tuple that can be compared."""
    decisions = [
        (tuple([(tuple(sorted(form.coefficients.items())), form.constant) for form in each.forms]), *each[1:])
        for each in transition.decisions
    ]
    return (transition.released, tuple(decisions), transition.unknowns)
