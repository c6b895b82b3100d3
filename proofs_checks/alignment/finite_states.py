"""Follows all runs of a policy whose noise has finitely many outcomes, for rewards with any real values. The trees of
runs (`finite_runs`) are built from a graph of merged states.

A real-valued reward may be used in two ways: it is compared with constants, or once with a fresh uniform draw, so that
it determines a probability as a linear function. Then finitely many values bound the loss for all of them:
docs/explanation/randomness_alignment.md, "Real rewards".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.branches import DECISION, Interval
from dpbandits.proofs_checks.alignment.finite_runs import UNIT, FiniteTree, Node, length
from dpbandits.proofs_checks.alignment.forms import Form, NotLinear, rational
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.merged_steps import Node as State
from dpbandits.proofs_checks.alignment.traced_runs import TooLong
from dpbandits.reference.bandits.reward_ranges import reward_values

UNUSED, COMPARED, DRAWN = range(3)  # how a reward has been used
USED_AGAIN = "a reward that determines a probability, or is stored twice, is used again, which is not supported"
ONE_REWARD = "the policy uses a number that depends on several rewards, or on continuous noise, which is not supported"


class Carried(NamedTuple):
    """A number that one reward determines: slope * value + constant. use: of the reward so far."""

    value: Fraction
    slope: Fraction = Fraction(1)
    constant: Fraction = Fraction(0)
    use: int = UNUSED

    @property
    def number(self) -> Fraction:
        """The number slope * value + constant that this linear function of a reward has."""
        return self.slope * self.value + self.constant


Numbers = dict[int, Carried]  # of the unknowns and rewards of a step
Intervals = dict[int, Interval]  # in which the uniform draws of a step lie


class Here(NamedTuple):
    """A place in a step. group: the transitions that agree in their first `depth` decisions. shown: whether the release
    has been made. spent: the uniform draws that have been compared with a reward."""

    state: State
    group: Sequence[int]
    depth: int
    numbers: Numbers
    intervals: Intervals
    shown: bool
    spent: frozenset[int] = frozenset()


@dataclass
class FiniteStates(FiniteTree):
    """The search over the states of a graph. merged: whose states have been found."""

    merged: MergedStates | None = None
    thresholds: set[Fraction] = field(default_factory=set)
    known: dict[tuple[int, tuple[Carried, ...]], int] = field(default_factory=dict)
    uses: set[int] = field(default_factory=set)

    def search(self) -> None:
        """Builds the trees of all states, then bounds the loss of every reward in them.
        Raises NoBound, NotLinear and TooLong."""
        assert self.merged is not None
        self.merged.require_draws_of_one_step()
        symbols = [each for node in self.merged.nodes for each in node.table.symbols[1:] if each.kind == "reward"]
        low, high = self.tracer.range
        if {(each.low, each.high, each.sensitivity) for each in symbols} != {(low, high, high - low)}:
            raise NotLinear(
                "the policy uses sums of rewards, truncated rewards, or no reward at all, which is not supported"
            )
        while not self.values or self.values != self.wanted_values():  # until no threshold is new; the effort ends this
            self.values = self.wanted_values()
            self.nodes, self.numbers, self.known, self.spread_of = [], {}, {}, {}
            self.root = self.tree_of_state(0, ())
        if len(self.uses) > 1:
            raise NotLinear(
                "rewards are compared with constants and also determine probabilities; only one of these two uses is "
                "supported"
            )
        for node in self.nodes:
            if node.kind == "reward":
                self.bound_loss(node)

    def wanted_values(self) -> tuple[Fraction, ...]:
        """The finitely many reward values for which the policy is run.
        The largest loss between two of them is the largest between any two rewards, if the policy uses rewards only as
        `self.uses` says."""
        given, (low, high) = reward_values(self.policy), self.tracer.range
        if given is not None:
            return tuple(rational(float(each)) for each in given)
        if COMPARED not in self.uses:
            return low, high
        inside = sorted({low, high, *(each for each in self.thresholds if low < each < high)})
        return tuple(sorted([*inside, *((one + other) / 2 for one, other in pairwise(inside))]))

    def tree_of_state(self, number: int, unknowns: tuple[Carried, ...]) -> int:
        """The index of the tree of all runs that start in this state. unknowns: the values of the state's unknowns."""
        assert self.merged is not None
        state = self.merged.nodes[number]
        if not state.transitions:
            return self.numbered(Node("end"))
        if (number, unknowns) not in self.known:
            group = range(len(state.transitions))
            numbers = dict(enumerate(unknowns, start=1))
            self.known[number, unknowns] = self.tree_of_step(Here(state, group, 0, numbers, {}, False))
        return self.known[number, unknowns]

    def tree_of_step(self, here: Here) -> int:
        """The index of the tree of all runs that continue from this place in a step."""
        self.effort += DECISION
        if self.effort > self.most_effort:
            raise TooLong
        state, group, depth, numbers, *_ = here
        transition = state.transitions[group[0]]
        ends = depth == len(transition.decisions)
        forms = [dict(row.terms) for row in transition.unknowns]
        if not ends:
            forms = [form.coefficients for form in transition.decisions[depth].forms]
        kinds = {number: state.table.symbols[number].kind for form in forms for number in form}
        for number in sorted(kinds):
            if kinds[number] == "reward" and number not in numbers:
                return self.tree_of_reward(here, number)
        if ends:
            return self.released(here, lambda _: self.tree_of_state(state.next[group[0]], self.following(here)))
        decision = transition.decisions[depth]
        if len(decision.forms) != 1:
            raise NotLinear(ONE_REWARD)
        drawn = [number for number in kinds if kinds[number] not in ("reward", "unknown")]
        if drawn:
            return self.tree_of_draw(here, decision.forms[0], drawn)
        return self.tree_of_comparison(here, decision.forms[0], decision.strict)

    def released(self, here: Here, tree: Callable[[Here], int]) -> int:
        """The index of the tree after the step's release.
        If the release has not been made yet, a node for it is put in front. tree: makes the tree from a place."""
        if here.shown:
            return tree(here)
        releases = {here.state.transitions[each].released for each in here.group}
        if len(releases) > 1:
            raise NotLinear("a step uses one of its rewards before its pulls are determined, which is not supported")
        return self.numbered(Node("release", releases.pop(), (), (tree(here._replace(shown=True)),)))

    def tree_of_reward(self, here: Here, number: int) -> int:
        """The index of a tree that begins with the reward of symbol `number`: one branch for each value."""
        label = here.state.table.symbols[number].name

        def every_value(here: Here) -> int:
            """The index of the reward node, with one tree for each value of the reward."""
            following = [
                self.tree_of_step(here._replace(numbers=here.numbers | {number: Carried(value)}))
                for value in self.values
            ]
            return self.numbered(Node("reward", label, (), tuple(following)))

        return self.released(here, every_value)

    def following(self, here: Here) -> tuple[Carried, ...]:
        """The state's unknowns after this step, one for each unknown of the transition.
        Raises NotLinear if one depends on more than one reward, or is used again."""
        found, carried = [], []
        for row in here.state.transitions[here.group[0]].unknowns:
            if len(row.terms) != 1 or row.terms[0][0] not in here.numbers:
                raise NotLinear(ONE_REWARD)
            ((number, factor),) = row.terms
            one = here.numbers[number]
            if one.use == DRAWN or number in carried:
                raise NotLinear(USED_AGAIN)
            carried.append(number)
            found.append(one._replace(slope=factor * one.slope, constant=factor * one.constant + row.constant))
        return tuple(found)

    def after(self, here: Here, outcome: int) -> int:
        """The index of the tree that follows if the next decision has this outcome.
        here: the place of the decision, with the numbers and intervals that hold after it."""
        transitions, depth = here.state.transitions, here.depth
        group = [each for each in here.group if transitions[each].decisions[depth].taken == outcome]
        if not group:
            raise NotLinear("a comparison has an outcome that the graph of merged states does not contain")
        return self.tree_of_step(here._replace(group=group, depth=depth + 1))

    def tree_of_comparison(self, here: Here, form: Form, strict: bool) -> int:
        """The index of the tree after a reward is compared with a constant. The reward's value decides the outcome."""
        if len(form.coefficients) != 1:
            raise NotLinear(ONE_REWARD)
        ((number, factor),) = form.coefficients.items()
        one = here.numbers[number]
        if one.use == DRAWN:
            raise NotLinear(USED_AGAIN)
        assert isinstance(form.constant, Fraction)
        self.thresholds.add(-(form.constant / factor + one.constant) / one.slope)
        value = factor * one.number + form.constant
        above = value > 0 or (value == 0 and not strict)
        numbers = here.numbers | {number: self.with_use(one, COMPARED)}
        return self.after(here._replace(numbers=numbers), 0 if above else 1)

    def tree_of_draw(self, here: Here, form: Form, drawn: Sequence[int]) -> int:
        """The index of a tree whose first node compares a uniform draw with a constant or with a reward."""
        if len(drawn) != 1 or here.state.table.symbols[drawn[0]].kind != "uniform" or len(form.coefficients) > 2:
            raise NotLinear(ONE_REWARD)
        uniform, numbers, spent = drawn[0], here.numbers, here.spent
        interval = here.intervals.get(uniform, UNIT)
        factor, constant = form.coefficients[uniform], form.constant
        assert isinstance(constant, Fraction)
        if uniform in spent:
            raise NotLinear(
                "a uniform draw that was compared with a reward is compared a second time, which is not supported"
            )
        rewards = form.coefficients.keys() - {uniform}
        for number in rewards:
            one = numbers[number]
            if one.use != UNUSED or uniform in here.intervals:  # a draw of which something is known already
                raise NotLinear(USED_AGAIN)
            constant += form.coefficients[number] * one.number
            numbers, spent = numbers | {number: self.with_use(one, DRAWN)}, spent | {uniform}
            if not 0 <= -constant / factor <= 1:
                raise NotLinear("a reward determines a probability below 0 or above 1")
        found = []
        for above in (False, True):
            part = interval.cut(above, -constant / factor, True)
            if part is not None:
                after = here._replace(numbers=numbers, intervals=here.intervals | {uniform: part}, spent=spent)
                found.append((length(part) / length(interval), self.after(after, int(above != (factor > 0)))))
        return self.numbered(Node("draw", (), tuple(weight for weight, _ in found), tuple(tree for _, tree in found)))

    def with_use(self, carried: Carried, use: int) -> Carried:
        """A copy of a carried reward that notes its use (compared or drawn), which is also added to `self.uses`."""
        self.uses.add(use)
        return carried._replace(use=use)
