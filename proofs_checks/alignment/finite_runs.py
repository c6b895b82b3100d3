"""Follows all runs of a policy whose noise has finitely many outcomes: coin flips, random choices, and uniform draws
that are compared with numbers.

No noise is shifted here, in contrast to the other searches of this package. A reward has finitely many values, and
every value and every outcome of a draw is followed, on plain numbers. After a reward the runs form a tree again; a draw
decides between trees. The cost of the reward is the largest logarithm of a ratio of probabilities of one tree, for two
values of the reward. Randomised response, for example, leads to the same two trees for both values.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.branches import (
    NOT_REPEATED,
    ROOT,
    Impossible,
    Interval,
    Paths,
    Point,
    SymbolTable,
)
from dpbandits.proofs_checks.alignment.executed_code import Executed, new_code_record
from dpbandits.proofs_checks.alignment.forms import SIMPLEST, Form, NotLinear, Symbol, policy_line, rational
from dpbandits.proofs_checks.alignment.traced_runs import (
    NoBound,
    TooLong,
    TracedPath,
    Tracer,
    Worst,
    step_effort,
    traced_path,
)
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.passing import State, copy_state
from dpbandits.reference.bandits.policy import Policy

PROBABILITY_ERROR = Fraction(1, 2**40)  # relative: probabilities are doubles, and round numbers such as e/(1 + e)
UNIT = Interval(Fraction(0), Fraction(1), False, False)


def length(interval: Interval) -> Fraction:
    """The length of an interval within [0, 1], which is the probability that a uniform draw lies in it."""
    return Fraction(interval.high) - Fraction(interval.low)


class Event(NamedTuple):
    """A draw or a reward. weights: the probabilities of a draw's outcomes. reward: its step and arm; () for a draw."""

    weights: tuple[Fraction, ...]
    reward: tuple[Hashable, ...]
    taken: int


class Node(NamedTuple):
    """A tree of runs.
    kind: "draw", "reward", "comparison", "release" or "end". label: the release, or the step and arm of the reward, or
    of each compared reward, one after another. weights: of a draw. next: the numbers of the trees that follow, by
    outcome or value. about: the numbers that are compared."""

    kind: str
    label: tuple[Hashable, ...] = ()
    weights: tuple[Fraction, ...] = ()
    next: tuple[int, ...] = ()
    about: Hashable = ()


@dataclass
class FinitePaths(Paths):
    """Follows one path of draws and rewards, and records its events."""

    events: list[Event] = field(default_factory=list)

    def begin(self, point: Point, plan: list[tuple[int, int]]) -> None:
        """Starts a run at a point of the tree, with no events recorded."""
        super().begin(point, plan)
        self.events = []

    def positive(self, form: Form, strict: bool) -> bool:
        """Whether the form is above 0 (at least 0 if not strict) on this path of finite draws.
        The form must be one uniform draw and a constant; its comparison is recorded as an event with an exact
        probability. Other forms raise NotLinear."""
        (number, factor), *others = form.coefficients.items()
        if others or self.symbols[number].kind != "uniform":
            raise NotLinear(
                "a comparison of continuous noise is not supported if rewards have finitely many values, at "
                f"{policy_line()}"
            )
        here = self.point.intervals.get(((number, Fraction(1)),), UNIT)
        assert isinstance(form.constant, Fraction)
        part, decided = here.cut(factor > 0, -form.constant / factor, True), self.decided
        found = super().positive(form, strict)
        if self.decided > decided:
            chance = Fraction(0) if part is None else length(part) / length(here)
            self.events.append(Event((chance, 1 - chance), (), 0 if found else 1))
        return found

    def largest(self, forms: Sequence[Form]) -> int:
        """Always raises NotLinear: the largest of several noisy values has no law on finitely many outcomes."""
        raise NotLinear(
            f"a maximum of continuous noise is not supported if rewards have finitely many values, at {policy_line()}"
        )

    def drawn(self, symbol: Symbol) -> int:
        """The outcome of a finite draw, or the index of a reward's value, on this path; recorded as an event."""
        decided = self.decided
        taken = super().drawn(symbol)
        if symbol.kind == "paid":
            self.events.append(Event((), symbol.name, taken))
        elif self.decided > decided:
            weights = tuple(map(rational, symbol.weights))
            self.events.append(Event(tuple(each / sum(weights) for each in weights), (), taken))
        return taken


class Way(NamedTuple):
    """How a step can go: its events, and the tree that follows them."""

    events: tuple[Event, ...]
    after: int


@dataclass
class FiniteTree:
    """The search over all runs of a policy. values: the possible values of a reward. most_effort, contexts: as for
    `Tree`. cost: the largest logarithm of a ratio so far."""

    policy: Policy
    values: tuple[Fraction, ...]
    most_effort: int
    contexts: Contexts | None = None
    numbers: dict[Node, int] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)  # all trees, the smaller ones first
    steps: int = 0
    effort: int = 0
    paths: int = 0
    ratio: Fraction = Fraction(1)
    worst: Worst | None = None
    root: int = 0
    traced: list[TracedPath] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepares the search: the tracer of the policy's runs, and an empty record of the trees."""
        self.run, self.codes = FinitePaths(SymbolTable()), new_code_record(self.policy)
        self.tracer = Tracer(self.policy, self.run, self.contexts, self.values, self.codes)
        self.spread_of: dict[int, dict[int, Fraction]] = {}

    @property
    def cost(self) -> Fraction:
        """The bound on eps: the logarithm of the largest probability ratio, or a simple fraction near it.
        The checker allows for the difference between either and the logarithm."""
        found = Fraction(log(self.ratio))
        simple = found.limit_denominator(SIMPLEST)
        return simple if abs(simple - found) <= PROBABILITY_ERROR / 2 else found

    def search(self) -> None:
        """Builds the tree of all runs, then bounds the loss of every reward in it.
        Raises NoBound, NotLinear and TooLong."""
        self.run.begin(ROOT, [])
        self.root = self.tree_after(1, self.tracer.first_state(), 0, ROOT, (), ())
        for node in self.nodes:
            if node.kind == "reward":
                self.bound_loss(node)

    def numbered(self, node: Node) -> int:
        """The index in `nodes` of the tree that begins with this node; a new node is appended.
        A draw whose outcomes all lead to one tree is replaced by that tree."""
        if node.kind == "draw" and len(set(node.next)) == 1:
            return node.next[0]
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def tree_after(
        self,
        step: int,
        state: State,
        used: int,
        point: Point,
        releases: tuple[tuple[int, ...], ...],
        executed: tuple[Executed, ...],
    ) -> int:
        """The index of the tree of all runs that continue from this point.
        releases, executed: the releases and the instructions so far."""
        if used >= self.tracer.end:
            self.paths += 1
            self.traced.append(traced_path(self.run, point, releases, executed))
            return self.numbered(Node("end"))
        before, after = list[Way](), dict[tuple[Event, ...], tuple[tuple[int, ...], list[Way]]]()
        plan: list[tuple[int, int]] | None = []
        while plan is not None:
            self.steps += 1
            self.effort += step_effort(self.policy, step)
            if self.effort + self.run.effort > self.most_effort:
                raise TooLong
            self.run.begin(point, plan)
            try:
                way = self.tracer.step(step, copy_state(state), used)
            except Impossible:
                way = None
            events, here, plan = tuple(self.run.events), self.run.point, self.run.next_plan()
            if way is None:
                continue
            paid = next((place for place, event in enumerate(events) if event.reward), len(events))
            before_next = (*releases, way.released), (*executed, way.executed)
            rest = Way(events[paid:], self.tree_after(step + 1, way.state, used + way.used, here, *before_next))
            released, ways = after.setdefault(events[:paid], (way.released, []))
            if released != way.released:
                raise NotLinear(NOT_REPEATED)
            ways.append(rest)
        for first, (released, ways) in after.items():
            before.append(Way(first, self.numbered(Node("release", released, (), (self.joined(ways),)))))
        return self.joined(before)

    def joined(self, runs: Sequence[Way], place: int = 0) -> int:
        """The index of the tree made of these runs, which have the same events before event number `place`."""
        if len(runs[0].events) == place:
            if len(runs) > 1:
                raise NotLinear(NOT_REPEATED)
            return runs[0].after
        event = runs[0].events[place]
        if any(each.events[place]._replace(taken=0) != event._replace(taken=0) for each in runs):
            raise NotLinear(NOT_REPEATED)
        many = len(self.values) if event.reward else len(event.weights)
        outcomes = [k for k in range(many) if event.reward or event.weights[k]]
        parts = [[each for each in runs if each.events[place].taken == outcome] for outcome in outcomes]
        if not all(parts):
            raise NotLinear(NOT_REPEATED)
        following = tuple(self.joined(part, place + 1) for part in parts)
        if event.reward:
            return self.numbered(Node("reward", event.reward, (), following))
        return self.numbered(Node("draw", (), tuple(event.weights[k] for k in outcomes), following))

    def trees_after_draws(self, number: int) -> dict[int, Fraction]:
        """The trees after the draws with which tree number `number` begins, {index of a tree: its probability}."""
        if number not in self.spread_of:
            node, found = self.nodes[number], dict[int, Fraction]()
            draw = node.kind == "draw"
            for weight, after in zip(node.weights, node.next, strict=True) if draw else ():
                for each, chance in self.trees_after_draws(after).items():
                    found[each] = found.get(each, Fraction(0)) + weight * chance
            self.spread_of[number] = found if draw else {number: Fraction(1)}
        return self.spread_of[number]

    def bound_loss(self, node: Node) -> None:
        """Increases the bound on eps, if necessary, to the largest probability ratio between two values of this reward.
        Raises NoBound if a tree follows only some of the values."""
        symbol = Symbol("reward", node.label[:2])
        laws = [self.trees_after_draws(after) for after in node.next]
        for one in laws:
            for other in laws:
                if one.keys() != other.keys():
                    self.worst = Worst(symbol, "")
                    raise NoBound
                ratio = max(one[each] / other[each] for each in one)
                if ratio > self.ratio:
                    self.ratio, self.worst = ratio, Worst(symbol, "")


def finite_certificate(tree: FiniteTree, claim: str, bound: Fraction) -> dict[str, object]:
    """The trees as a certificate of the kind "finite", which `proofs_checks.checker.finite` verifies.
    claim: the id of the certified claim. bound: eps."""
    return {
        "type": "finite",
        "claim": claim,
        "bound": str(bound),
        "arms": int(tree.policy.arms),
        "horizon": int(tree.policy.horizon),
        "values": [str(value) for value in tree.values],
        "nodes": [
            {
                "kind": node.kind,
                "label": list(node.label),
                "weights": [str(weight) for weight in node.weights],
                "next": list(node.next),
            }
            for node in tree.nodes
        ],
        "root": tree.root,
    }
