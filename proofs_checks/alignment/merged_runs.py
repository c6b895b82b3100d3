"""Finds the cheapest moves of the noise that compensate a changed reward, for whole runs through a graph of merged
states, one run after another.

On merged states, the noise moves in the step in which it is drawn, after the change of a reward. If the graph without
idle decisions has few runs, the cheapest moves are found for whole runs, as for the runs of a policy: a noisy
threshold, for example, may move because of a reward that is paid later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpbandits.proofs_checks.alignment.branches import DECISION, ROOT, Comparison, Interval, Key, Point, range_of
from dpbandits.proofs_checks.alignment.forms import Form, Symbol
from dpbandits.proofs_checks.alignment.idle_decisions import Path, Released, paths_without_idle, possible_outcomes
from dpbandits.proofs_checks.alignment.merged_steps import Node
from dpbandits.proofs_checks.alignment.traced_runs import TooLong, TracedPath, Tree

Forms = dict[int, Form]  # of the symbols of a step, by their numbers, in the symbols of the run


def number_of_runs(nodes: Sequence[Node]) -> int:
    """The number of paths from the first state to an end of the graph. nodes: each state before its successors."""
    runs = [1] * len(nodes)
    for number in reversed(range(len(nodes))):
        if nodes[number].transitions:
            runs[number] = sum(runs[after] for after in nodes[number].next)
    return runs[0]


@dataclass
class RunsOfStates(Tree):
    """The search over the runs through a graph. nodes: its states, the first one first."""

    nodes: Sequence[Node] = ()
    whole: list[Path[Released]] = field(default_factory=list)

    def search(self) -> None:
        """Builds all runs through the graph, and finds for each run the cheapest moves of the noise.
        Raises NoBound and TooLong."""
        self.codes = None  # a run through the graph is not executed
        self.follow_state(self.nodes[0], (), Path((), (), (), ()), ROOT)
        paths = paths_without_idle([(path.released, path.decisions) for path in self.whole], self.run) or self.whole
        self.moves_without_idle(paths)
        self.traced = [
            TracedPath(
                path.released,
                ((),) * len(path.released),
                intervals_of(path.comparisons, self.table.symbols),
                (),
                leaf.moves,
            )
            for path, leaf in zip(paths, self.leaves, strict=True)
        ]

    def follow_state(self, node: Node, unknowns: tuple[Form, ...], before: Path[Released], point: Point) -> None:
        """Extends a run by all continuations from a state, and adds the complete runs to `whole`.
        unknowns: the state's unknowns as forms of the run. before: the run up to this state.
        """
        if not node.transitions:
            self.whole.append(before._replace(decisions=point.decisions, comparisons=point.comparisons))
            return
        forms = dict(enumerate(unknowns, start=1))
        for number, symbol in enumerate(node.table.symbols):
            if number > len(unknowns):
                forms[number] = Form(self.run, {self.table.number_of(symbol): Fraction(1)})
        self.follow_step(node, [*range(len(node.transitions))], 0, forms, before, point)

    def follow_step(
        self, node: Node, group: Sequence[int], depth: int, forms: Forms, before: Path[Released], point: Point
    ) -> None:
        """Extends a run by the transitions `group` of a state, and then by all continuations after them.
        These agree in their first `depth` decisions."""
        transition = node.transitions[group[0]]
        if len(transition.decisions) == depth:
            after = tuple(substituted(row.terms, row.constant, forms, self) for row in transition.unknowns)
            shown = before._replace(released=(*before.released, transition.released))
            self.follow_state(self.nodes[node.next[group[0]]], after, shown, point)
            return
        decision = transition.decisions[depth]
        compared = tuple(substituted(form.coefficients.items(), form.constant, forms, self) for form in decision.forms)
        self.run.begin(point, [])
        self.effort += DECISION + len(point.intervals) // 4
        if self.effort > self.most_effort:
            raise TooLong
        possible = possible_outcomes(decision._replace(forms=compared), self.run)
        for outcome, taken in possible.items():
            following = [number for number in group if node.transitions[number].decisions[depth].taken == outcome]
            here = point.after(decision._replace(forms=compared, possible=tuple(possible), taken=outcome), taken)
            decided = len(here.decisions) > len(point.decisions)
            made = (*before.made, len(here.comparisons)) if decided else before.made
            self.follow_step(node, following, depth + 1, forms, before._replace(made=made), here)


def substituted(terms: Iterable[tuple[int, Fraction]], constant: Fraction | float, forms: Forms, tree: Tree) -> Form:
    """A linear form in the symbols of one step, rewritten in the symbols of the whole run.
    forms: each symbol of the step as a form of the run."""
    found = Form(tree.run, {}, constant)
    for number, factor in terms:
        found = found + factor * forms[number]
    return found


def intervals_of(comparisons: Sequence[Comparison], symbols: Sequence[Symbol]) -> dict[Key, Interval]:
    """For each compared form, the open interval to which all of its comparisons restrict it."""
    found: dict[Key, Interval] = {}
    for key, above, threshold, _ in comparisons:
        cut = (found.get(key) or range_of(key, symbols)).cut(above, threshold, True)
        assert cut is not None  # the outcomes of a path exclude no other one
        found[key] = cut
    return found
