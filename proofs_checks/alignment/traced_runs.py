"""All runs of a policy, as paths through a tree of comparisons, and the privacy cost of a changed reward on each path.

A policy is run with linear forms instead of noise and rewards. Its pulls in a step depend on the outcomes of
comparisons; every possible outcome is followed, to the end of the horizon. On each path, and for every reward that the
policy has seen, the cheapest move of the noise is computed that changes the outcome of no comparison (see `moves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from dpbandits.proofs_checks.alignment.branches import (
    ROOT,
    Comparison,
    Decision,
    Impossible,
    Interval,
    Key,
    Paths,
    Point,
    SymbolTable,
)
from dpbandits.proofs_checks.alignment.executed_code import Codes, Executed, new_code_record, recorded
from dpbandits.proofs_checks.alignment.forms import (
    MOVABLE,
    Form,
    FormArray,
    NotLinear,
    Run,
    Symbol,
    array_of,
    draw_symbol,
    lifted_state,
    policy_line,
    rational,
)
from dpbandits.proofs_checks.alignment.idle_decisions import Path, Released, paths_without_idle
from dpbandits.proofs_checks.alignment.moves import STILL, Move, Moves, integer_part_of_move, keeps
from dpbandits.proofs_checks.alignment.single_runs import SingleRuns
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Once, frozen
from dpbandits.reference.bandits.passing import Pulls, State, checked_pulls, copy_state, cut_to_horizon
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers
from dpbandits.reference.bandits.reward_ranges import reward_range, reward_values

STEP = 200  # the effort of a step of a policy
RESTART, REPEATED_STEP = 60, 30  # and of code that plays the steps before it again
KINDS = tuple(MOVABLE)  # of noise that moves


def step_effort(policy: Policy, step: int) -> int:
    """The effort of tracing one step, in units of some five microseconds."""
    return RESTART + REPEATED_STEP * step if isinstance(policy, SingleRuns) else STEP


class NoBound(Exception):
    """Raised if a reward is compared without noise that could compensate for its change."""


class TooLong(Exception):
    """Raised if the tree of runs is larger than the effort allows."""


class TracedNoise(ByKind):
    """Noise whose draws are symbols. One address is one symbol, in whatever step it is used."""

    def __init__(self, run: Run) -> None:
        """Noise whose draws are symbols of the run."""
        self.run = run

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Any:
        """Draws as symbols, (1, *shape); 0 for entries that `where` marks as not needed."""
        drawn = symbols_drawn(kind, site, index, shape, where)

        def form(place: tuple[int, ...]) -> Form:
            """The entry at this index: its draw as a form, or 0."""
            return Form(self.run, {self.run.number_of(drawn[place]): Fraction(1)} if place in drawn else {})

        return frozen(array_of((1, *shape), form))

    def single(self, symbol: Symbol) -> Form | int:
        """The draw of this symbol, for code that draws from a generator.
        A linear form, or the outcome of a finite draw."""
        if symbol.kind == "finite":
            return self.run.drawn(symbol)
        return Form(self.run, {self.run.number_of(symbol): Fraction(1)})


def symbols_drawn(
    kind: str, site: str, index: int, shape: tuple[int, ...], where: Any
) -> dict[tuple[int, ...], Symbol]:
    """The symbols of the needed draws: {index in an array (1, *shape): symbol}.
    A stream is drawn for the needed entries in order, and the same address may be used for other entries in another
    step, so the name of a draw contains its number in the stream."""
    every = (1, *shape)
    needed = (
        product(*map(range, every))
        if where is True
        else map(tuple, np.argwhere(np.broadcast_to(np.asarray(where, dtype=bool), every)).tolist())
    )
    return {place: draw_symbol(kind, (site, int(index), shape, rank)) for rank, place in enumerate(needed)}


class Step(NamedTuple):
    """The result of a step: the state after it, the release, how much of the horizon it uses (all of it for an answer),
    the rewards of each arm, (1, arms), the symbols of these rewards, and the executed instructions."""

    state: State
    released: tuple[int, ...]
    used: int
    sums: FormArray
    rewards: tuple[int, ...]
    executed: Executed = ()


@dataclass(frozen=True)
class Tracer:
    """Plays steps of a policy with forms.

    run: decides the outcomes of comparisons. contexts: those of the policy. values: the possible values of rewards, one
    of which the run chooses; none for rewards that are symbols. codes: records the executed code; None for no record.
    """

    policy: Policy
    run: Run
    contexts: Contexts | None = None
    values: tuple[Fraction, ...] = ()
    codes: Codes | None = None

    @cached_property
    def range(self) -> tuple[Fraction, Fraction]:
        """The lower and the upper end of the reward range, as fractions."""
        low, high = reward_range(self.policy)
        return rational(float(low)), rational(float(high))

    @cached_property
    def two_valued(self) -> bool:
        """Whether each reward is one of exactly two values, the ends of the range."""
        values = reward_values(self.policy)
        return values is not None and len(values) == 2

    @property
    def end(self) -> int:
        """The length of a run: its number of pulls, plus one for a policy that gives an answer."""
        return int(self.policy.horizon) + answers(self.policy)

    def first_state(self) -> State:
        """The state before the first step, with forms in place of real numbers."""
        return lifted_state(self.run, self.policy.init(1))

    def step(self, step: int, state: State, used: int) -> Step:
        """Plays step `step` of the policy with symbols; the run decides its comparisons.
        used: the part of the horizon that is used up."""
        once, refused = Once(TracedNoise(self.run), 1, step), len(NotLinear.made)
        seen = seen_in(self.contexts, step)
        with recorded(self.codes) as recording:
            released, pulls, spent = released_in_step(self.policy, step, state, used, once, *seen)
            sums, rewards = self.paid_sums(step, pulls)
            new = lifted_state(self.run, self.policy.learn(step, state, pulls, sums, once, *seen))
        if len(NotLinear.made) > refused:
            raise NotLinear(
                f"the policy catches the exception that dpbandits raised while tracing it: {NotLinear.made[refused]}"
            )
        return Step(new, released, spent, sums, rewards, recording.result())

    def paid_sums(self, step: int, pulls: Pulls) -> tuple[FormArray, tuple[int, ...]]:
        """Returns the sum of each arm's rewards in a step, (1, arms): one symbol for each pulled arm.
        The second result contains the numbers of these symbols.

        One changed entry of the table of rewards is one reward of one of these sums, so a sum moves by at most the
        length of the range, however many rewards it contains. Truncated rewards are 0.
        """
        rewards = []
        bound = np.broadcast_to(
            inf if pulls.bound is None else np.asarray(pulls.bound, dtype=float), pulls.counts.shape
        )

        def paid(place: tuple[int, ...]) -> Form:
            """The sum of one arm's rewards: 0 if it is not pulled, else a symbol or the value that the run chooses."""
            many = int(pulls.counts[place])
            if not many:
                return Form(self.run, {})
            if self.values:
                return Form(self.run, {}, self.chosen_value(step, place[1], many, float(bound[place])))
            low, high = truncated_range(*self.range, float(bound[place]))
            two = self.two_valued and (low, high) == self.range
            symbol = Symbol("reward", (step, place[1]), many * low, many * high, high - low, two_valued=two)
            rewards.append(self.run.number_of(symbol))
            return Form(self.run, {rewards[-1]: Fraction(1)})

        sums = array_of(pulls.counts.shape, paid)
        sums.flags.writeable = False  # as in every run
        return sums, tuple(rewards)

    def chosen_value(self, step: int, arm: int, pulls: int, bound: float) -> Fraction:
        """The value of an arm's reward that the run takes on its path, among finitely many values.
        pulls: the arm's pulls in this step."""
        if pulls > 1 or bound < inf:
            raise NotLinear(
                "rewards with finitely many values are supported only without truncation, and with at most one pull of "
                "an arm in a step"
            )
        return self.values[self.run.drawn(Symbol("paid", (step, arm), weights=(1.0,) * len(self.values)))]


def truncated_range(low: Fraction, high: Fraction, bound: float) -> tuple[Fraction, Fraction]:
    """The range of a truncated reward: it counts as 0 if its absolute value exceeds the bound."""
    if bound >= max(-low, high):
        return low, high
    cut = rational(bound)
    return min(Fraction(0), max(low, -cut)), max(Fraction(0), min(high, cut))


def seen_in(contexts: Contexts | None, step: int, trials: int = 1) -> tuple[Array, ...]:
    """The features that a policy sees in a step, (trials, arms, d), as its further arguments; none without contexts."""
    return () if contexts is None else (contexts.seen(step, trials),)


def released_in_step(
    policy: Policy, step: int, state: State, used: int, once: Once, *seen: Array
) -> tuple[tuple[int, ...], Pulls, int]:
    """The policy's release in a step, the pulls in it, and how much of the horizon they use. Answers count as no pulls.
    In a batch of equal trials the release is that of the first one. Raises NotLinear if the release of another trial
    differs from it."""
    last, trials = answers(policy), once.trials
    checked = checked_pulls(step, policy.act(step, state, once, *seen), (trials, policy.arms), last)
    pulls, spent = cut_to_horizon(checked, np.full(trials, policy.horizon + last - used), last)
    if not spent.any():
        raise NotLinear(f"step {step} pulls no arm, at {policy_line()}")
    if (pulls.counts != pulls.counts[:1]).any():
        raise NotLinear(f"step {step}: a batch of {trials} identical trials has different releases")
    released = tuple(int(each) for each in pulls.counts[0])
    return released, pulls._replace(counts=pulls_without_answers(pulls.counts)), int(spent[0])


class Leaf(NamedTuple):
    """A whole run: its releases step by step, its decisions, and the move for each reward and direction."""

    released: tuple[tuple[int, ...], ...]
    decisions: tuple[Decision, ...]
    moves: dict[tuple[int, int], Move]


class TracedPath(NamedTuple):
    """A whole run that runs on numbers have to repeat.

    released, executed: step by step. intervals: of each compared form. finite: the outcomes of finite draws. moves: as
    for `Leaf`.
    """

    released: tuple[tuple[int, ...], ...]
    executed: tuple[Executed, ...]
    intervals: Mapping[Key, Interval]
    finite: tuple[tuple[Symbol, int], ...]
    moves: Mapping[tuple[int, int], Move]


NO_MOVES: Mapping[tuple[int, int], Move] = MappingProxyType({})


def traced_path(
    run: Paths,
    point: Point,
    released: tuple[tuple[int, ...], ...],
    executed: tuple[Executed, ...],
    moves: Mapping[tuple[int, int], Move] = NO_MOVES,
) -> TracedPath:
    """The path of a whole run, made from the last point that the run reaches in the tree."""
    keys = {symbol: ((-1 - number, Fraction(1)),) for symbol, number in run.finite.items()}
    finite = [(symbol, int(point.intervals[key].low)) for symbol, key in keys.items() if key in point.intervals]
    return TracedPath(released, executed, point.intervals, tuple(finite), moves)


class Worst(NamedTuple):
    """The most expensive change: the reward, and the line at which it is compared, "" if no line compares it."""

    reward: Symbol
    line: str


@dataclass
class Tree:
    """The search over all runs of a policy.

    policy: one that passes its state (see `reference.bandits.policy`). noise: the draws that move, "laplace" (and all
    that have a cost in eps) or "normal". contexts: the features for a policy with contexts. most_effort: the limit of
    the search, in units of some five microseconds; the count does not depend on the machine. keep: the number of leaves
    that are stored, for a certificate. pays: whether moves are computed on the way; if not, only for a tree that has
    idle decisions (see `idle_decisions`), after these are left out. traced: all paths. cost: the largest so far: eps
    for Laplace noise, mu squared for normal noise.
    """

    policy: Policy
    noise: str
    most_effort: int
    keep: int = 0
    contexts: Contexts | None = None
    pays: bool = True
    table: SymbolTable = field(default_factory=SymbolTable)
    steps: int = 0
    effort: int = 0
    paths: int = 0
    cost: Fraction = Fraction(0)
    worst: Worst | None = None
    leaves: list[Leaf] = field(default_factory=list)
    traced: list[TracedPath] = field(default_factory=list)
    runs: list[tuple[Released, tuple[Decision, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepares the tracer of the policy's runs, and the search for moves of the chosen kind of noise."""
        self.run, self.codes = Paths(self.table), new_code_record(self.policy)
        self.tracer = Tracer(self.policy, self.run, self.contexts, codes=self.codes)
        self.moves = Moves(self.table.symbols, self.noise)

    def search(self) -> None:
        """Plays every run of the policy on symbols, and finds the cheapest moves of the noise for each reward.
        Raises NoBound, NotLinear and TooLong."""
        self.run.begin(ROOT, [])
        self.follow(1, self.tracer.first_state(), 0, ROOT, {}, (), ())
        paths = paths_without_idle(self.runs, self.run)
        if paths is not None:
            self.moves_without_idle(paths)
        elif not self.pays:
            raise NoBound

    def moves_without_idle(self, paths: Sequence[Path[Released]]) -> None:
        """Finds the moves for the tree without decisions that no pull depends on; keeps them if they cost less."""
        before = self.cost, self.worst
        self.cost, self.worst = Fraction(0), None
        moves: dict[tuple[int, ...], dict[tuple[int, int], Move]] = {}  # by the outcomes up to a decision
        leaves = []
        for released, decisions, comparisons, made in paths:
            compared = {number for each in comparisons for number, _ in each.key}
            rewards = sorted(number for number in compared if self.table.symbols[number].kind == "reward")
            now = {(reward, sign): STILL for reward in rewards for sign in (1, -1)}
            outcomes = tuple(decision.taken for decision in decisions)
            for place, (since, until) in enumerate(pairwise((0, *made)), start=1):
                known, new = moves.get(outcomes[:place], {}), comparisons[since:until]
                for (reward, sign), move in now.items() if new else ():
                    if (reward, sign) not in known:
                        known[reward, sign] = self.paid(reward, sign, move, comparisons[:until], new)
                    now[reward, sign] = known[reward, sign]
                moves[outcomes[:place]] = known
            leaves.append(Leaf(released, decisions, now))
        if self.pays and self.cost >= before[0]:
            self.cost, self.worst = before
            return
        self.leaves, self.paths = leaves[: self.keep], len(leaves)

    def follow(
        self,
        step: int,
        state: State,
        used: int,
        point: Point,
        moves: dict[tuple[int, int], Move],
        released: tuple[tuple[int, ...], ...],
        executed: tuple[Executed, ...],
    ) -> None:
        """Plays all continuations of a run from this state and point, and stores the path and moves of each run.
        moves: the moves for all rewards seen so far, in both directions."""
        if used >= self.tracer.end:
            self.paths += 1
            if len(self.leaves) < self.keep:
                self.leaves.append(Leaf(released, point.decisions, moves))
            self.traced.append(traced_path(self.run, point, released, executed, moves))
            self.runs.append((released, point.decisions))
            return
        for way, after in self.possible_steps(step, state, used, point):
            shown = (*released, way.released)
            now = {**moves, **{(reward, sign): STILL for reward in way.rewards for sign in (1, -1)}}
            new = after.comparisons[len(point.comparisons) :]
            self.effort += len(now) * len(new)
            for (reward, sign), move in now.items() if new and self.pays else ():
                now[reward, sign] = self.paid(reward, sign, move, after.comparisons, new)
            self.follow(step + 1, way.state, used + way.used, after, now, shown, (*executed, way.executed))

    def paid(
        self,
        reward: int,
        sign: int,
        move: Move,
        comparisons: tuple[Comparison, ...],
        new: tuple[Comparison, ...],
    ) -> Move:
        """The noise's move that compensates for a changed reward after the comparisons `new` were added to the path.
        `move`, if it still does, otherwise the cheapest one. new: the comparisons that were added to the path. Raises
        NoBound."""
        change, equal = sign * self.table.symbols[reward].sensitivity, self.noise == "normal"
        still = integer_part_of_move(move, reward, self.table.symbols)
        if keeps(new, move, reward, change, equal) and keeps(new, still, reward, Fraction(0), equal):
            return move
        found = self.moves.cheapest(comparisons, reward, change)
        here = Worst(self.table.symbols[reward], new[-1].line)
        if found is None:
            self.worst = here
            raise NoBound
        if found.cost > self.cost:
            self.cost, self.worst = found.cost, here
        return found

    def possible_steps(self, step: int, state: State, used: int, point: Point) -> Iterator[tuple[Step, Point]]:
        """Yields every possible result of a step from a state, each with the point of the decision tree after it."""
        plan: list[tuple[int, int]] | None = []
        while plan is not None:
            self.steps += 1
            self.effort += step_effort(self.policy, step)
            if self.effort + self.moves.effort + self.run.effort > self.most_effort:
                raise TooLong
            self.run.begin(point, plan)
            try:
                way = self.tracer.step(step, copy_state(state), used)  # which the policy may write to
            except Impossible:
                way = None
            after, plan = self.run.point, self.run.next_plan()
            if way is not None:
                yield way, after
