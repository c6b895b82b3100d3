"""The decision tree of a policy without decisions on which no pull depends.

A decision is idle if the same tree follows whatever its outcome is: the same decisions about the same forms, and the
same releases. Without it the tree still says, for all draws and rewards, what the policy releases. Fewer comparisons
have to keep their outcomes, so that moves of the noise may cost less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.branches import (
    ROOT,
    Comparison,
    Decision,
    Outcome,
    Paths,
    Point,
    outcomes_of_largest,
    outcomes_of_sign,
)

Released = tuple[tuple[int, ...], ...]


class Path(NamedTuple):
    """A whole run: its releases, the decisions that lead to them, the comparisons of these, and how many comparisons
    there are after each decision."""

    released: Released
    decisions: tuple[Decision, ...]
    comparisons: tuple[Comparison, ...]
    made: tuple[int, ...]


class Branch(NamedTuple):
    """A tree. key: equal for trees that release the same for all draws and rewards, as they decide the same. released:
    by its first run, which is the only one if there is no decision. decision: its first one, whose outcome is left
    open; None at the end of a run. following: the trees after each outcome."""

    key: int
    released: Released
    decision: Decision | None
    following: dict[int, Branch]


class NotExcluded(Exception):
    """An outcome that the policy never takes is no longer excluded by the decisions that are left."""


@dataclass(frozen=True)
class Trees:
    """Makes trees, and numbers equal ones alike. tails: whether decisions are left out only where all runs after them
    release the same."""

    tails: bool = False
    keys: dict[tuple[object, ...], int] = field(default_factory=dict)

    def without_idle(self, paths: Sequence[tuple[Released, tuple[Decision, ...]]], depth: int = 0) -> Branch:
        """The tree of these runs, which agree in their first `depth` decisions, without its idle decisions."""
        released, decisions = paths[0]
        if len(decisions) == depth:
            return Branch(self.key("end", released), released, None, {})
        decision, parts = decisions[depth], dict[int, list[tuple[Released, tuple[Decision, ...]]]]()
        for path in paths:
            parts.setdefault(path[1][depth].taken, []).append(path)
        following = {outcome: self.without_idle(part, depth + 1) for outcome, part in parts.items()}
        first, *others = following.values()
        same = all(other.key == first.key for other in others)
        if same and (first.decision is None or (others and not self.tails)):
            return first
        about = tuple((tuple(sorted(form.coefficients.items())), form.constant) for form in decision.forms)
        draw = 0 if decision.forms else 1 + len(self.keys)  # a finite draw: which one is not stored
        after = tuple((outcome, each.key) for outcome, each in sorted(following.items()))
        return Branch(self.key(about, decision.strict, draw, after), released, decision, following)

    def key(self, *about: object) -> int:
        """A number for this tuple of values; equal tuples get the same number."""
        return self.keys.setdefault(about, len(self.keys))


def paths_without_idle(paths: Sequence[tuple[Released, tuple[Decision, ...]]], run: Paths) -> list[Path] | None:
    """The runs of the tree without idle decisions; None if it has none. run: follows the symbols of the tree.

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


def runs_of(tree: Branch, run: Paths, point: Point, made: tuple[int, ...] = ()) -> Iterator[Path]:
    """The runs of a tree after the decisions before it. made: as of `Path`. Raises NotExcluded."""
    decision = tree.decision
    if decision is None:
        yield Path(tree.released, point.decisions, point.comparisons, made)
        return
    run.begin(point, [])
    possible = possible_outcomes(decision, run)
    if set(possible) != set(tree.following):
        raise NotExcluded
    for outcome, following in tree.following.items():
        taken = possible[outcome]
        here = decision._replace(taken=outcome, possible=tuple(possible))
        compared = taken.comparisons if len(possible) > 1 else ()
        after = Point({**point.intervals, **taken.intervals}, (*point.comparisons, *compared), (*point.decisions, here))
        yield from runs_of(following, run, after, (*made, len(after.comparisons)))


def possible_outcomes(decision: Decision, run: Paths) -> dict[int, Outcome]:
    """The outcomes of a decision that are possible at the point of the run."""
    if not decision.forms:
        return {outcome: Outcome(outcome, {}, ()) for outcome in decision.possible}
    first, *others = decision.forms
    outcomes = outcomes_of_largest(decision.forms) if others else outcomes_of_sign(first, decision.strict)
    return {outcome.place: outcome for outcome in run.possible(outcomes)}
