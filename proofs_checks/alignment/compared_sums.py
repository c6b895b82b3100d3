"""Follows all runs of a policy that compares sums of rewards without noise, and makes a finite draw afterwards.

An example is randomised response to the question which of two arms has the larger sum of rewards. Rewards are any real
numbers, and the trees of runs (`finite_runs`) are built from a graph of merged states. A tree begins with a comparison
instead of a reward: docs/explanation/randomness_alignment.md, "Comparisons of several rewards".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.branches import DECISION, Decision, Interval
from dpbandits.proofs_checks.alignment.finite_runs import UNIT, FiniteTree, Node, length
from dpbandits.proofs_checks.alignment.forms import Form, NotLinear, rational
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import Node as State
from dpbandits.proofs_checks.alignment.traced_runs import TooLong
from dpbandits.reference.bandits.reward_ranges import reward_values

Entry = tuple[int, int]  # a reward: its step and arm
COMPARED_AGAIN = "a reward is compared again after a draw or a release, which is not supported without noise"
REWARDS_ALONE = "the policy compares or stores a number that does not depend on rewards alone, which is not supported"


class Sum(NamedTuple):
    """A number that rewards determine: the sum of factors times rewards, plus a constant. No factor is 0."""

    terms: tuple[tuple[Entry, Fraction], ...]
    constant: Fraction = Fraction(0)


def entries_in(sums: Iterable[Sum]) -> frozenset[Entry]:
    """The rewards that occur in any of these linear combinations of rewards."""
    return frozenset(entry for one in sums for entry, _ in one.terms)


class Here(NamedTuple):
    """A place in a step.
    group: the transitions that agree in their first `depth` decisions. numbers: of the step's unknowns and rewards.
    intervals: in which its uniform draws lie. shown: whether the release has been made. together: the rewards that were
    compared since the last draw or release. before: those that were compared before it."""

    state: State
    group: Sequence[int]
    depth: int
    numbers: dict[int, Sum]
    intervals: dict[int, Interval]
    shown: bool
    together: frozenset[Entry]
    before: frozenset[Entry]

    def closed(self) -> Here:
        """A copy of this place after a draw or a release: no reward that has been compared may be compared again."""
        return self._replace(together=frozenset(), before=self.before | self.together)


@dataclass
class ComparedSums(FiniteTree):
    """The search over the states of a graph. merged: whose states have been found. compared: the rewards that the
    comparison at the start of a tree contains, by the tree's number."""

    merged: MergedStates | None = None
    compared: dict[int, frozenset[Entry]] = field(default_factory=dict)
    known: dict[tuple[int, tuple[Sum, ...], frozenset[Entry], frozenset[Entry]], int] = field(default_factory=dict)

    def search(self) -> None:
        """Builds the trees of all states, then bounds the privacy loss of every comparison in them.
        Raises NoBound, NotLinear and TooLong.
        """
        assert self.merged is not None
        self.merged.require_draws_of_one_step()
        self.values = tuple(rational(float(each)) for each in reward_values(self.policy) or self.tracer.range)
        self.root = self.tree_of_state(0, (), frozenset(), frozenset())
        if not self.compared:
            raise NotLinear("the policy does not compare rewards, or no release depends on a comparison of rewards")
        for number in self.compared:
            self.bound_loss(self.nodes[number])

    def tree_of_state(
        self, number: int, unknowns: tuple[Sum, ...], together: frozenset[Entry], before: frozenset[Entry]
    ) -> int:
        """The index of the tree of all runs that start in this state.
        unknowns: the numbers that the state's unknowns represent. together, before: as of `Here`.
        """
        assert self.merged is not None
        state, stored = self.merged.nodes[number], entries_in(unknowns)
        if not state.transitions:
            return self.numbered(Node("end"))
        key = number, unknowns, together & stored, before & stored
        if key not in self.known:
            numbers = dict(enumerate(unknowns, start=1))
            here = Here(state, range(len(state.transitions)), 0, numbers, {}, False, *key[2:])
            self.known[key] = self.tree_of_step(here)
        return self.known[key]

    def tree_of_step(self, here: Here) -> int:
        """The index of the tree of all runs that continue from the place `here` within a step."""
        self.effort += DECISION
        if self.effort > self.most_effort:
            raise TooLong
        state, transition = here.state, here.state.transitions[here.group[0]]
        if here.depth == len(transition.decisions):
            return self.released(here, self.tree_after_step)
        decision = transition.decisions[here.depth]
        kinds = {number: state.table.symbols[number].kind for form in decision.forms for number in form.coefficients}
        if any(kinds[number] == "reward" and number not in here.numbers for number in kinds):
            return self.released(here, lambda after: self.tree_of_step(with_rewards(after, kinds)))
        if kinds and kinds.keys() <= here.numbers.keys():
            return self.tree_of_comparison(here, decision)
        return self.tree_of_draw(here, decision)

    def released(self, here: Here, tree: Callable[[Here], int]) -> int:
        """The index of the tree that continues after the step's release.
        If the release has not been made yet, a node for it is put in front. tree: makes the tree from a place.
        """
        if here.shown:
            return tree(here)
        releases = {here.state.transitions[each].released for each in here.group}
        if len(releases) > 1:
            raise NotLinear("a step uses one of its rewards before its pulls are determined, which is not supported")
        return self.numbered(Node("release", releases.pop(), (), (tree(here.closed()._replace(shown=True)),)))

    def tree_after_step(self, here: Here) -> int:
        """The index of the tree of all runs that continue after the last decision of a step."""
        transition = here.state.transitions[here.group[0]]
        numbers = [number for row in transition.unknowns for number, _ in row.terms]
        here = with_rewards(here, {number: here.state.table.symbols[number].kind for number in numbers})
        unknowns = tuple(self.sum_of(here, dict(row.terms), row.constant) for row in transition.unknowns)
        return self.tree_of_state(here.state.next[here.group[0]], unknowns, here.together, here.before)

    def sum_of(self, here: Here, coefficients: dict[int, Fraction], constant: Fraction | float) -> Sum:
        """A linear form in the symbols of a step, rewritten as a weighted sum of rewards and a constant.
        Raises NotLinear for a form that contains a draw.
        """
        terms, total = dict[Entry, Fraction](), constant
        for number, factor in coefficients.items():
            if number not in here.numbers:
                raise NotLinear(REWARDS_ALONE)
            total += factor * here.numbers[number].constant
            for entry, value in here.numbers[number].terms:
                terms[entry] = terms.get(entry, Fraction(0)) + factor * value
        assert isinstance(total, Fraction)
        return Sum(tuple(sorted((entry, value) for entry, value in terms.items() if value)), total)

    def after(self, here: Here, outcome: int) -> int:
        """The index of the tree that follows if the next decision at the place `here` has this outcome."""
        group = [each for each in here.group if here.state.transitions[each].decisions[here.depth].taken == outcome]
        if not group:
            raise NotLinear("a comparison has an outcome that the graph of merged states does not contain")
        return self.tree_of_step(here._replace(group=group, depth=here.depth + 1))

    def tree_of_comparison(self, here: Here, decision: Decision) -> int:
        """The index of the tree that begins with a comparison of sums of rewards.
        Comparisons that follow each other without a draw or release between them become one comparison with more
        outcomes.
        """
        sums = tuple(self.sum_of(here, form.coefficients, form.constant) for form in decision.forms)
        compared = entries_in(sums)
        if not compared.isdisjoint(here.before):
            raise NotLinear(COMPARED_AGAIN)
        outcomes = sorted({here.state.transitions[each].decisions[here.depth].taken for each in here.group})
        trees = [self.after(here._replace(together=here.together | compared), outcome) for outcome in outcomes]
        if len(set(trees)) == 1:
            return trees[0]
        following = list[int]()
        for tree in trees:
            following += self.nodes[tree].next if tree in self.compared else [tree]
            compared |= self.compared.get(tree, frozenset())
        label = tuple(part for entry in sorted(compared) for part in entry)
        about = sums, decision.strict, tuple(zip(outcomes, trees, strict=True))
        number = self.numbered(Node("comparison", label, (), tuple(dict.fromkeys(following)), about))
        self.compared[number] = compared
        return number

    def tree_of_draw(self, here: Here, decision: Decision) -> int:
        """The index of a tree whose first node compares a uniform draw with a constant."""
        if len(decision.forms) != 1 or len(decision.forms[0].coefficients) != 1:
            raise NotLinear(REWARDS_ALONE)
        form: Form = decision.forms[0]
        ((uniform, factor),) = form.coefficients.items()
        if here.state.table.symbols[uniform].kind != "uniform":
            raise NotLinear(REWARDS_ALONE)
        assert isinstance(form.constant, Fraction)
        interval, found = here.intervals.get(uniform, UNIT), []
        for above in (False, True):
            part = interval.cut(above, -form.constant / factor, True)
            if part is not None:
                after = here.closed()._replace(intervals=here.intervals | {uniform: part})
                found.append((length(part) / length(interval), self.after(after, int(above != (factor > 0)))))
        return self.numbered(Node("draw", (), tuple(weight for weight, _ in found), tuple(tree for _, tree in found)))


def with_rewards(here: Here, kinds: dict[int, str]) -> Here:
    """A copy of the place in which each symbol with kinds[number] == "reward" stands for that reward."""
    new = {number: here.state.table.symbols[number].name for number in kinds if kinds[number] == "reward"}
    return here._replace(numbers=here.numbers | {number: Sum(((name, Fraction(1)),)) for number, name in new.items()})
