"""Removes idle decisions from a policy's decision tree: comparisons that no pull depends on.

A decision is idle if the same tree follows whatever its outcome is: the same decisions about the same forms, and the
same releases. A comparison of a form with a threshold is also idle if the tree after one outcome becomes that after the
other one where later comparisons of this form follow from it. Without idle decisions the tree still says, for all draws
and rewards, what the policy releases. Fewer comparisons have to keep their outcomes, so that moves of the noise may
cost less.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from dpbandits.proofs_checks.alignment.branches import (
    ROOT,
    Comparison,
    Decision,
    Key,
    Outcome,
    Paths,
    Point,
    outcomes_of_largest,
    outcomes_of_sign,
)

Released = tuple[tuple[int, ...], ...]
End = TypeVar("End", bound=Hashable)  # what a path leads to: the releases of a whole run, or the end of a step


class Path(NamedTuple, Generic[End]):
    """A whole run or a step: what it leads to, the decisions that lead there, the comparisons of these, and how many
    comparisons there are after each decision."""

    released: End
    decisions: tuple[Decision, ...]
    comparisons: tuple[Comparison, ...]
    made: tuple[int, ...]


class Branch(NamedTuple, Generic[End]):
    """A tree. key: equal for trees that release the same for all draws and rewards, as they decide the same. released:
    by its first run, which is the only one if there is no decision. decision: its first one, whose outcome is left
    open; None at the end of a run. following: the trees after each outcome."""

    key: int
    released: End
    decision: Decision | None
    following: dict[int, Branch[End]]


class Side(NamedTuple):
    """A form, as `branches.Key`, lies above a threshold, or below it if `above` is False."""

    key: Key
    above: bool
    threshold: Fraction


def side_of(decision: Decision, outcome: int) -> Side:
    """The side of the threshold on which the compared form lies if the comparison has this outcome."""
    (form,) = decision.forms
    assert isinstance(form.constant, Fraction)
    leading = form.coefficients[min(form.coefficients)]
    key = tuple(sorted((number, value / leading) for number, value in form.coefficients.items()))
    return Side(key, (leading > 0) == (outcome == 0), -form.constant / leading)


def implies(known: Side, side: Side) -> bool:
    """Whether a form on the side `known` of one threshold is also on the side `side` of another threshold.
    It is if both are about the same form and direction, and the second threshold is farther away."""
    if (known.key, known.above) != (side.key, side.above):
        return False
    return known.threshold > side.threshold if known.above else known.threshold < side.threshold


class NotExcluded(Exception):
    """An outcome that the policy never takes is no longer excluded by the decisions that are left."""


@dataclass(frozen=True)
class Trees:
    """Makes trees, and numbers equal ones alike. tails: whether decisions are left out only where all runs after them
    release the same."""

    tails: bool = False
    keys: dict[tuple[object, ...], int] = field(default_factory=dict)

    def without_idle(self, paths: Sequence[tuple[End, tuple[Decision, ...]]], depth: int = 0) -> Branch[End]:
        """The decision tree of these runs, without decisions after which the same tree follows for every outcome.
        The runs agree in their first `depth` decisions."""
        released, decisions = paths[0]
        if len(decisions) == depth:
            return Branch(self.key("end", released), released, None, {})
        decision, parts = decisions[depth], dict[int, list[tuple[End, tuple[Decision, ...]]]]()
        for path in paths:
            parts.setdefault(path[1][depth].taken, []).append(path)
        following = {outcome: self.without_idle(part, depth + 1) for outcome, part in parts.items()}
        first, *others = following.values()
        same = all(other.key == first.key for other in others)
        if same and (first.decision is None or (others and not self.tails)):
            return first
        for outcome, other in ((0, 1), (1, 0)) if len(decision.forms) == 1 and others and not self.tails else ():
            if self.restricted(following[outcome], side_of(decision, other)).key == following[other].key:
                return following[outcome]
        return self.branch(decision, following)

    def branch(self, decision: Decision, following: dict[int, Branch[End]]) -> Branch[End]:
        """The decision tree whose first decision is `decision`. following: the tree after each outcome."""
        about = tuple((tuple(sorted(form.coefficients.items())), form.constant) for form in decision.forms)
        draw = 0 if decision.forms else 1 + len(self.keys)  # a finite draw: which one is not stored
        after = tuple((outcome, each.key) for outcome, each in sorted(following.items()))
        released = next(iter(following.values())).released
        return Branch(self.key(about, decision.strict, draw, after), released, decision, following)

    def restricted(self, tree: Branch[End], side: Side) -> Branch[End]:
        """The tree, restricted to draws and rewards for which a form lies on one side of a threshold.
        Decisions about the same form that this already determines are left out."""
        decision = tree.decision
        if decision is None:
            return tree
        for outcome, following in tree.following.items() if len(decision.forms) == 1 else ():
            if implies(side, side_of(decision, outcome)):
                return self.restricted(following, side)
        kept = {outcome: self.restricted(following, side) for outcome, following in tree.following.items()}
        changed = any(kept[outcome] is not tree.following[outcome] for outcome in kept)
        return self.branch(decision, kept) if changed else tree

    def key(self, *about: object) -> int:
        """A number that identifies this tuple of values; equal tuples get the same number."""
        return self.keys.setdefault(about, len(self.keys))


def paths_without_idle(paths: Sequence[tuple[End, tuple[Decision, ...]]], run: Paths) -> list[Path[End]] | None:
    """The runs of the tree after idle decisions are left out; None if it has none.
    run: follows the symbols of the tree.

    An outcome that the policy never takes must still be excluded by the decisions before it and by the ranges. If
    decisions that are left out are needed for that, only those are left out after which all runs release the same.
    """
    for tails in (False, True):
        try:
            found = list(runs_of(Trees(tails).without_idle(paths), run, ROOT))
        except NotExcluded:
            continue
        except RecursionError:  # of very long runs
            return None
        return found if len(found) < len(paths) else None
    return None


def runs_of(tree: Branch[End], run: Paths, point: Point, counts: tuple[int, ...] = ()) -> Iterator[Path[End]]:
    """Yields the runs of a tree that starts at this point. counts: as `made` of `Path`. Raises NotExcluded."""
    decision = tree.decision
    if decision is None:
        yield Path(tree.released, point.decisions, point.comparisons, counts)
        return
    run.begin(point, [])
    possible = possible_outcomes(decision, run)
    if set(possible) != set(tree.following):
        raise NotExcluded
    for outcome, following in tree.following.items():
        after = point.after(decision._replace(taken=outcome, possible=tuple(possible)), possible[outcome])
        decided = len(after.decisions) > len(point.decisions)
        yield from runs_of(following, run, after, (*counts, len(after.comparisons)) if decided else counts)


def possible_outcomes(decision: Decision, run: Paths) -> dict[int, Outcome]:
    """The outcomes of a decision that are possible at the run's current point, by their index."""
    if not decision.forms:
        return {outcome: Outcome(outcome, {}, ()) for outcome in decision.possible}
    first, *others = decision.forms
    outcomes = outcomes_of_largest(decision.forms) if others else outcomes_of_sign(first, decision.strict)
    return {outcome.place: outcome for outcome in run.possible(outcomes)}
