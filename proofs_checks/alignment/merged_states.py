"""The graph of merged states of a policy, and the largest privacy loss that a changed reward causes after each state.

`merged_steps` defines which states are merged. Here all of them are found, step by step. Then a reward is changed in
every transition of every step, and the change is followed: for each number of a state it is known by how much the two
neighbours differ. In each step, the fresh noise makes the cheapest move that keeps the outcomes of all comparisons and,
if possible, makes the numbers that contain fresh noise equal again. Once all numbers are equal, there is no further
loss. The largest loss from a state on is computed backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpbandits.proofs_checks.alignment.branches import Comparison
from dpbandits.proofs_checks.alignment.forms import CONTINUOUS, NotLinear, Symbol
from dpbandits.proofs_checks.alignment.merged_idle import without_idle
from dpbandits.proofs_checks.alignment.merged_steps import Change, Followed, Node, Place, Steps, Transition
from dpbandits.proofs_checks.alignment.moves import STILL, Move, Moves
from dpbandits.proofs_checks.alignment.traced_runs import NoBound, TooLong, Worst
from dpbandits.reference.bandits.policy import Policy

ANSWER = 4  # the effort of following one difference along one transition, beside what its comparisons cost


@dataclass
class MergedStates:
    """The search over merged states.

    policy, noise, most_effort: as of `traced_runs.Tree`. foresees: whether the search for states gives up as soon as
    the effort would not suffice if every later step took as much as the last one. (Usually later steps reach more
    states, but where arms are eliminated they may reach fewer.) states: all merged states, in the order of their steps.
    nodes: those of the graph without idle decisions, on which differences are followed. cost: the largest loss: eps of
    Laplace noise, mu squared of normal noise. worst: the change that attains it. effort_of_states: what it took to find
    all states; None where they are not all found.
    """

    policy: Policy
    noise: str
    most_effort: int
    foresees: bool = False
    states: list[Node] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    numbers: dict[Place, int] = field(default_factory=dict)
    cost: Fraction = Fraction(0)
    worst: Worst | None = None
    effort_of_states: int | None = None

    def __post_init__(self) -> None:
        """Prepares the tracer of the policy's steps, and the search for moves of the chosen kind of noise."""
        self.steps = Steps(self.policy, self.most_effort)
        self.moves = Moves((), self.noise)

    def with_noise(self, noise: str) -> MergedStates:
        """A search of the same graph in which another kind of noise moves.
        The states found here are reused, because they do not depend on the kind. Call it after this search has
        ended."""
        other = MergedStates(self.policy, noise, self.most_effort, self.foresees)
        other.nodes = [Node(each.place, each.table, each.transitions, each.next) for each in self.nodes]
        other.states, other.numbers, other.effort_of_states = self.states, self.numbers, self.effort_of_states
        other.steps.codes = self.steps.codes
        other.steps.steps, other.steps.effort = self.steps.steps, self.effort_of_states or 0
        return other

    def search(self) -> None:
        """Finds all states of the graph, and sets `cost` to the largest privacy loss of a changed reward.
        Raises NoBound, NotLinear and TooLong."""
        if not self.states:
            self.find_states()
        if self.effort_of_states is None:  # an earlier search for them has ended early
            raise TooLong
        self.require_draws_of_one_step()
        for number, node in enumerate(self.nodes):
            self.change_rewards(number, node)
            self.follow_differences(number, node)
        for node in reversed(self.nodes):
            for differences, transitions in node.followed.items():
                node.losses[differences] = max(
                    (self.loss(node, at, transition) for at, transition in enumerate(transitions)), default=ZERO
                )
        for number, node in enumerate(self.nodes):
            for change, followed in node.changes.items():
                loss = self.loss(node, change.transition, followed)
                if loss > self.cost:
                    self.cost, self.worst = loss, self.worst_change(number, change.transition, change.reward)

    def find_states(self) -> None:
        """Finds all reachable states and the transitions between them."""
        first = self.steps.first_place()
        self.number_of(first)
        step, used, spent = first.step, first.used, 0  # when the latest step began
        for node in self.states:  # which grows meanwhile
            if self.foresees and node.place.step > step:
                steps = (self.policy.horizon - node.place.used) // max(1, node.place.used - used)
                if self.steps.effort + steps * (self.steps.effort - spent) > self.most_effort:
                    raise TooLong
                step, used, spent = node.place.step, node.place.used, self.steps.effort
            if not self.steps.is_last(node.place):
                node.table, node.transitions = self.steps.transitions(node.place)
                node.next = [self.number_of(transition.following) for transition in node.transitions]
        if self.steps.memory:
            raise NotLinear(self.steps.memory)
        self.require_fresh_draws_beside_unknowns()
        self.effort_of_states = self.steps.effort
        self.nodes = without_idle(self.states)

    def require_fresh_draws_beside_unknowns(self) -> None:
        """Raises NotLinear if an unknown is compared with draws of earlier steps alone.
        The unknown may contain these draws. That the two almost surely differ excludes outcomes only if a draw of the
        step itself is compared."""
        first: dict[Symbol, int] = {}
        for node in self.states:  # in the order of their steps
            symbols = node.table.symbols
            for symbol in symbols:
                first.setdefault(symbol, node.place.step)
            old = {n for n, each in enumerate(symbols) if each.kind in CONTINUOUS and first[each] < node.place.step}
            for key, _ in [each for transition in node.transitions for each in transition.intervals] if old else ():
                seen = {number for number, _ in key}
                drawn = {number for number in seen if symbols[number].kind in CONTINUOUS}
                if drawn and drawn <= old and any(symbols[number].kind == "unknown" for number in seen):
                    site = symbols[min(drawn)].name[0]
                    raise NotLinear(
                        f"step {node.place.step} compares a stored number with the draw {site}, which an earlier "
                        "comparison used; this is not supported"
                    )

    def require_draws_of_one_step(self) -> None:
        """Raises NotLinear if two steps use the same draw, because a merged state does not record draws."""
        owners: dict[Symbol, int] = {}
        for node in self.nodes:
            for symbol in node.table.symbols:
                if (
                    symbol.kind not in ("reward", "unknown")
                    and owners.setdefault(symbol, node.place.step) != node.place.step
                ):
                    raise NotLinear(
                        f"steps {owners[symbol]} and {node.place.step} use the same draw, {symbol.name[0]}, which is "
                        "not supported"
                    )

    @property
    def has_noise(self) -> bool:
        """Whether the policy draws noise of the kind that this search moves."""
        return any(symbol.kind == self.noise for node in self.states for symbol in node.table.symbols)

    def number_of(self, place: Place) -> int:
        """The number of the merged state for this place; a new merged state is appended to the graph."""
        if place not in self.numbers:
            self.numbers[place] = len(self.states)
            self.states.append(Node(place))
        return self.numbers[place]

    def loss(self, node: Node, transition: int, followed: Followed) -> Fraction:
        """The privacy loss of a change: the cost of the noise's move in one transition, plus the largest loss after it.
        followed: the move, and the differences after the transition."""
        rest = self.nodes[node.next[transition]].losses[followed.after] if followed.after else ZERO
        return followed.move.cost + rest

    # -- differences ---------------------------------------------------------------------------------------------------

    def change_rewards(self, number: int, node: Node) -> None:
        """Finds the noise's move for each reward of each transition of the node, if it changes upwards or downwards."""
        for at, transition in enumerate(node.transitions):
            for reward in transition.rewards:
                for sign in (1,) if self.noise == "normal" else (1, -1):
                    change = {reward: sign * node.table.symbols[reward].sensitivity}
                    node.changes[Change(at, reward, sign)] = self.follow(number, node, at, change)

    def follow_differences(self, number: int, node: Node) -> None:
        """Finds the noise's moves in all transitions of the node, for every known difference between neighbours."""
        for differences, transitions in node.followed.items():
            transitions += [self.follow(number, node, at, dict(differences)) for at in range(len(node.transitions))]

    def follow(self, number: int, node: Node, at: int, change: dict[int, Fraction]) -> Followed:
        """The noise's move that compensates if symbols differ by `change`, and the differences of the next states.
        at: the number of the transition. Raises NoBound if no move of the step's noise keeps all outcomes."""
        transition = node.transitions[at]
        self.steps.spend(ANSWER + (len(transition.comparisons) + len(transition.unknowns)) // 4)
        before = self.moves.effort
        move = self.move(node.table.symbols, transition, change)
        self.steps.spend(self.moves.effort - before)
        if move is None:
            reward = next(iter(change))
            self.worst = self.worst_change(number, at, reward)
            raise NoBound
        moved = change | move.shifts
        after = [(1 + place, difference(row.terms, moved)) for place, row in enumerate(transition.unknowns)]
        differences = tuple([each for each in after if each[1]])
        if differences:
            self.nodes[node.next[at]].followed.setdefault(differences, [])
        return Followed(move, differences)

    def move(self, symbols: Sequence[Symbol], transition: Transition, change: dict[int, Fraction]) -> Move | None:
        """The cheapest move of the step's noise that keeps all comparisons of a transition; None if there is none.
        A move that also makes all numbers of the next state that contain fresh noise equal for both neighbours is
        preferred, even if it costs more."""
        noisy = [
            row for row in transition.unknowns if any(symbols[number].kind == self.noise for number, _ in row.terms)
        ]
        compared = [each for each in transition.comparisons if difference(each.key, change)]
        if not compared and not any(difference(row.terms, change) for row in noisy):
            return STILL
        self.moves.symbols = symbols
        kept = [
            each._replace(key=self.normalised_coefficients(symbols, each.key, change))
            for each in transition.comparisons
        ]
        same = [
            Comparison(self.normalised_coefficients(symbols, row.terms, change), above, ZERO, "")
            for row in noisy
            for above in BOTH
        ]
        found = self.moves.cheapest([*kept, *same], 0, ONE)
        return found if found is not None or not same else self.moves.cheapest(kept, 0, ONE)

    def normalised_coefficients(
        self, symbols: Sequence[Symbol], terms: Sequence[tuple[int, Fraction]], change: dict[int, Fraction]
    ) -> Any:
        """The coefficients of a compared form for the linear programme that looks for the cheapest move.
        Its difference between the two neighbours as the coefficient of symbol 0 (see `merged_steps.DIFFERENCE`), and
        the draws that move, all divided by the size of the first of these coefficients, so that one programme serves
        many states."""
        apart = difference(terms, change)
        seen = [(0, apart)] if apart else []
        seen += [each for each in terms if symbols[each[0]].kind == self.noise]
        return tuple([(number, value / abs(seen[0][1])) for number, value in seen])

    # -- in words ------------------------------------------------------------------------------------------------------

    def worst_change(self, number: int, transition: int, reward: int) -> Worst:
        """The reward that causes the largest loss (or the first unknown that differs), and its last comparison."""
        node = self.nodes[number]
        comparisons = node.transitions[transition].comparisons
        return Worst(node.table.symbols[reward], comparisons[-1].line if comparisons else "")


ZERO, ONE = Fraction(0), Fraction(1)
BOTH = (True, False)


def difference(terms: Sequence[tuple[int, Fraction]], change: dict[int, Fraction]) -> Fraction:
    """The difference of a linear form between the two neighbours, if each symbol differs by its entry in `change`."""
    return sum((value * change[number] for number, value in terms if number in change), ZERO)
