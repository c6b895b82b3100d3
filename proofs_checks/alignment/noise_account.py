"""Computes, for single runs, which draws protect which reward: the distance by which the noise must move so that the
run on a neighbouring table makes the same pulls.

A run on numbers is recorded: its draws are symbols with drawn values, and these values decide every comparison. Then
one reward is changed, and the policy runs again with the recorded outcomes, so its state follows from the changed
reward and the same outcomes. On both sides, each compared number is a linear form in the draws. If the noise is the
same, the two forms differ by a constant. The cost of the reward is that of the cheapest move of the draws under which
every comparison of the changed run has the recorded outcome: eps for Laplace noise, mu squared for normal noise.

Unlike `bounds`, this module follows single runs instead of all runs, and rewards are numbers: a policy may use rewards
in ways that are not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import inf, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from dpbandits.proofs_checks.alignment.bounds import raised_on_symbols
from dpbandits.proofs_checks.alignment.branches import (
    Comparison,
    Condition,
    Impossible,
    Interval,
    Key,
    Numbers,
    Outcome,
    Paths,
    Point,
    SymbolTable,
    outcomes_of_largest,
    outcomes_of_sign,
)
from dpbandits.proofs_checks.alignment.crossings import Crossing, HalfSpace, WholeDraws, crossings
from dpbandits.proofs_checks.alignment.forms import (
    MOVABLE,
    Form,
    NotLinear,
    Symbol,
    array_of,
    lifted_state,
    policy_line,
    rational,
)
from dpbandits.proofs_checks.alignment.moves import Moves
from dpbandits.proofs_checks.alignment.runs_on_numbers import Drawn, SameDraws
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun, SingleRuns
from dpbandits.proofs_checks.alignment.traced_runs import TracedNoise, released_in_step
from dpbandits.reference.bandits.adjacency import Pair, flipped
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.environments import Stream, Table
from dpbandits.reference.bandits.noise import Array, Ints, Noise, Once, draw_of_kind, frozen
from dpbandits.reference.bandits.passing import copy_state
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.reward_ranges import nearest_payable

CHANGED = Symbol("reward", ("the changed reward",), Fraction(0), Fraction(1), Fraction(1), two_valued=True)
SAME_NOISE = Fraction(1, 10**9)  # relative: coefficients that differ by less differ by rounding
SAME_COST = Fraction(1, 10**6)  # relative: costs that differ by less may be equal, as HiGHS solves up to 1e-7
SAME_VALUE = Fraction(1, 2**44)  # relative: constants of noisy values that differ by less differ by rounding
MOST_STEPS = 1200  # traced, half a millisecond each
MOST_FAILING = 4  # runs with a reward that costs too much, after which the search ends
MOST_TRIED = 60  # comparisons of a run: if there are more, it is cheaper to find those that the cost depends on
# Of runs that accuse a reward, with the same draws, and of their steps together: a coin of the policy's own may fall
# alike often
LEAST_REPEATS, REPEATED_STEPS = 24, 300
LEAST_RUNS = 3  # that fit into the steps, however long a run is: of a long one some rewards are changed
# Paths of a changed run through other outcomes, and their comparisons. If there are more, nothing is said of the reward
MOST_PATHS, MOST_COMPARISONS = 200, 4000
UNEVEN = 997  # so many parts of the range, so that sums of different rewards are seldom equal
Environment = Table | Stream
Item = TypeVar("Item")


class NotFollowed(Exception):
    """The method cannot tell what protects the rewards of this policy. The message says why."""


class OtherWay(Exception):
    """The changed run does not repeat the recorded one. The message says what it does otherwise, and where."""


class Hidden(Exception):
    """Noise may hide a changed reward in a way that is not followed. The message says why."""


OWN_RANDOMNESS = (
    "the policy has randomness of its own: with the same draws it does something else, so its noise cannot be "
    "followed; draw from `noise` alone (an object or a loop: from its `rng`)"
)


# -- a recorded run, and the same with a changed reward ----------------------------------------------------------------


class Decided(NamedTuple):
    """A comparison of a run. forms: one, which is above 0 (strict) or not, or several, of which one is the largest.
    taken: the outcome. line: of the policy. step: of the run."""

    forms: tuple[Form, ...]
    strict: bool
    taken: int
    line: str
    step: int


class OutcomeSide(NamedTuple):
    """A part of what an outcome says: that a form is above 0 (or not), strictly or not (as of `Decided`), and which
    other outcome of the comparison this excludes."""

    form: Form
    above: bool
    strict: bool
    excluded: int


@dataclass
class NearPaths(Paths):
    """Follows all paths of a changed run, those near the recorded run first. preferred: the outcome that the next
    comparison has on the first path. compared: how many comparisons were made."""

    preferred: int = 0
    compared: int = 0

    def nearest(self, recorded: Decided | None, by_values: int) -> NearPaths:
        """Prefers the outcome of a recorded comparison, or the outcome by the values of the draws if it is None.
        Returns these paths."""
        self.preferred = by_values if recorded is None else recorded.taken
        self.compared += 1
        return self

    def possible(self, outcomes: Sequence[Sequence[Condition] | None]) -> list[Outcome]:
        """The possible outcomes of a comparison, the preferred one first."""
        return sorted(super().possible(outcomes), key=lambda outcome: outcome.place != self.preferred)


@dataclass
class FrozenOutcomes(Numbers):
    """Decides comparisons by the values of draws, and records the outcomes; or repeats recorded outcomes.

    decided: the comparisons so far. due: the recorded ones, where they are repeated. paths: decides the comparisons
    instead, if any outcome is allowed; otherwise None. step: of the run. astray: the line of the first comparison that
    was not recorded so; "" for none.
    """

    decided: list[Decided] = field(default_factory=list)
    due: list[Decided] | None = None
    paths: NearPaths | None = None
    step: int = 0
    astray: str = ""

    def positive(self, form: Form, strict: bool) -> bool:
        """Whether the outcome of this comparison is form > 0 (form >= 0 if not strict)."""
        taken = 0 if super().positive(form, strict) else 1
        if self.paths is not None:
            taken = 0 if self.paths.nearest(self.recorded((form,)), taken).positive(form, strict) else 1
        return self.outcome((form,), strict, taken) == 0

    def drawn(self, symbol: Symbol) -> int:
        """Raises NotLinear: the account does not support draws with finitely many values."""
        raise NotLinear(
            f"this check traces the noise of single runs and does not support draws with finitely many values, "
            f"at {policy_line()}"
        )

    def largest(self, forms: Sequence[Form]) -> int:
        """The index of the form that is the largest by this comparison's outcome."""
        if all(form.coefficients == forms[0].coefficients for form in forms):  # no noise decides
            return max(range(len(forms)), key=lambda place: forms[place].constant)
        taken = super().largest(forms)
        if self.paths is not None:
            taken = self.paths.nearest(self.recorded(forms), taken).largest(forms)
        return self.outcome(tuple(forms), False, taken)

    def recorded(self, forms: Sequence[Form]) -> Decided | None:
        """The comparison that was recorded in this place, where outcomes are repeated; None if it is another one."""
        place = len(self.decided)
        recorded = self.due[place] if self.due is not None and place < len(self.due) else None
        same = recorded is not None and recorded.line == policy_line() and len(recorded.forms) == len(forms)
        return recorded if same else None

    def outcome(self, forms: tuple[Form, ...], strict: bool, taken: int) -> int:
        """Returns the index of a comparison's outcome, and records it. It is the recorded outcome while outcomes are
        repeated. taken: the outcome at the values of the draws, or on a path."""
        line = policy_line()
        if self.due is not None:
            recorded = self.recorded(forms)
            if recorded is None:
                self.astray = self.astray or line
                if self.paths is None:
                    raise OtherWay(f"the runs on the two neighbouring inputs take different branches at {line}")
            elif self.paths is None:
                taken = recorded.taken
        self.decided.append(Decided(forms, strict, taken, line, self.step))
        return taken

    @contextmanager
    def repeating(self, first: int, paths: NearPaths | None = None) -> Iterator[None]:
        """A context manager in which comparisons repeat their recorded outcomes, from comparison number `first` on.
        paths: as of the class. Afterwards `decided` is again the list of recorded comparisons."""
        recorded = self.decided
        self.due, self.decided, self.astray, self.paths = recorded, recorded[:first], "", paths
        try:
            yield
        finally:
            self.due, self.decided, self.astray, self.paths = None, recorded, "", None


class Moment(NamedTuple):
    """Where a run is before a step. used: of its horizon. made: the pulls of each arm, (1, arms). decided: how many
    comparisons were made."""

    step: int
    state: Any
    used: int
    made: Ints
    decided: int = 0


class Played(NamedTuple):
    """A step: what it releases, the pulls of each arm, (1, arms), and the moment after it."""

    released: tuple[int, ...]
    counts: Ints
    after: Moment


def first_moment(policy: Any, state: Any) -> Moment:
    """The moment before the first step: no pulls made, none of the horizon used."""
    return Moment(1, state, 0, np.zeros((1, policy.arms), dtype=np.int64))


def steps_from(
    policy: Any, environment: Environment, noise: Noise, run: FrozenOutcomes | None, now: Moment
) -> Iterator[Played]:
    """Yields the steps of a run from the moment `now` on.
    run: the run in whose forms the noise is expressed; None for a run on numbers."""
    end = int(policy.horizon) + answers(policy)
    while now.used < end:
        refused, state = len(NotLinear.made), copy_state(now.state)  # which the policy may write to
        once = Once(noise, 1, now.step)
        if run is not None:
            run.step = now.step
        released, pulls, spent = released_in_step(policy, now.step, state, now.used, once)
        sums: Any = environment.draw(now.step, now.made, pulls.counts, pulls.bound, noise)
        if run is not None:
            sums = constants_of(run, sums)
        state = policy.learn(now.step, state, pulls, sums, once)
        decided = 0
        if run is not None:
            state, decided = lifted_state(run, state), len(run.decided)
            if run.astray and run.paths is None:  # and the policy caught the error
                raise OtherWay(f"the runs on the two neighbouring inputs take different branches at {run.astray}")
        if len(NotLinear.made) > refused:
            raise NotFollowed(
                f"the policy catches the exception that dpbandits raised while tracing it: {NotLinear.made[refused]}"
            )
        now = Moment(now.step + 1, state, now.used + spent, now.made + pulls.counts, decided)
        yield Played(released, np.asarray(pulls.counts), now)


def constants_of(run: FrozenOutcomes, sums: Any) -> Any:
    """An array of numbers as a read-only array of constant linear forms of the run."""
    return frozen(array_of(sums.shape, lambda place: Form(run, {}, rational(float(sums[place])))))


# -- what protects a reward --------------------------------------------------------------------------------------------


def exceeds_limit(cost: Fraction, limit: Fraction | None) -> bool:
    """Whether the cost exceeds the limit by more than rounding; never without a limit."""
    return limit is not None and cost > limit * (1 + SAME_NOISE)


class Reward(NamedTuple):
    """A reward of a run: the step and the arm that paid it, counted from 1 and from 0."""

    step: int
    arm: int


class Fault(StrEnum):
    """What may be wrong with the noise of a reward that costs too much."""

    MISSING = "missing"  # no draw is added to the state in its step
    REUSED = "reused"  # a draw of its step is added again in another step with this arm
    SHARED = "shared"  # a draw of its step is added again in a step with another arm
    SMALL = "small"  # the draws of its step have smaller scales than those of other steps
    TOO_LITTLE = "too little"  # the draws of its step are as large as others, and the compared value moves by more


class Compared(NamedTuple):
    """A comparison on both sides. row: the coefficients of the draws, and of `CHANGED` by how much the form differs.
    constant: of a form without draws, on the changed side; None with draws. above: the outcome. place: among the
    comparisons of the run. excluded: the outcome of the comparison that this one excludes."""

    row: tuple[tuple[int, Fraction], ...]
    change: Fraction
    constant: Fraction | None
    above: bool
    strict: bool
    line: str
    step: int
    place: int
    excluded: int


class Account(NamedTuple):
    """What protects one reward in one run.

    noise: the kind of the draws, "" where no draw decides anything. cost: eps, or mu squared, of the whole run; None
    where no move of the noise makes up for the change. otherwise: what the changed run does otherwise with the same
    outcomes, "" for nothing. hidden: why nothing can be said of this reward, "" if something can. step, line: where the
    cost is reached first, or where it goes otherwise. fault, words: what is wrong with the noise, and that in words.
    fields: of the state that differ there, each with whether noise is in it. pair: the tables of both sides.
    """

    reward: Reward
    noise: str = ""
    cost: Fraction | None = Fraction(0)
    otherwise: str = ""
    hidden: str = ""
    step: int = 0
    line: str = ""
    fault: Fault | None = None
    words: str = ""
    fields: tuple[tuple[str, bool], ...] = ()
    pair: Pair | None = None

    def fails(self, limit: Fraction | None) -> bool:
        """Whether the cost of this reward exceeds the limit, or no move of the noise compensates for its change."""
        return self.cost is None or exceeds_limit(self.cost, limit)

    @property
    def rank(self) -> tuple[bool, bool, Fraction]:
        """A sort key: the more severe a changed reward, the larger.
        Changes that can be compensated are ordered by their cost."""
        return bool(self.otherwise), self.cost is None, self.cost or Fraction(0)


class ChangedPath(NamedTuple):
    """A path of a changed run. same: whether it has the recorded releases. line: of its first comparison with several
    outcomes. draws: the numbers of the draws that it compares."""

    same: bool
    line: str
    draws: frozenset[int]


class AccountedRun:
    """A recorded run on a table, of which every reward can be accounted for.

    policy: one without contexts, that passes its state and draws all randomness from its noise. pair: whose left table
    has the rewards. size: by which Laplace and normal draws are multiplied, so that rare paths are seen as well.
    Raises NotLinear and NotFollowed.
    """

    def __init__(
        self,
        policy: Any,
        pair: Pair,
        generator: np.random.Generator,
        size: float = 1.0,
        recorded: Noise | None = None,
    ) -> None:
        """Plays one run on the left table of the pair, in which the noise is expressed by symbols.
        recorded: the noise whose last trial has the values of the draws; None for draws of the generator."""
        self.policy, self.pair, self.environment = policy, pair, pair.environments()[0]
        self.table = SymbolTable()
        self.changed = self.table.number_of(CHANGED)
        draws = Drawn(self.table, generator, size)
        self.run = FrozenOutcomes(self.table, draws if recorded is None else LastTrial(draws, recorded))
        self.noise = TracedNoise(self.run)
        start = first_moment(policy, lifted_state(self.run, policy.init(1)))
        played = [*steps_from(policy, self.environment, self.noise, self.run, start)]
        self.moments = [start, *(each.after for each in played)]
        self.played, self.decided = played, self.run.decided
        self.kind = self.kind_of_noise()
        self.moves = Moves(self.table.symbols, self.kind)
        self.mattering = dict[tuple[int, int], bool]()
        self.steps_of_paths = 0  # played by `same_releases`

    @property
    def steps(self) -> int:
        """The number of steps of the run."""
        return len(self.played)

    def kind_of_noise(self) -> str:
        """The kind of noise that comparisons depend on: "normal", "laplace", or "" for none.
        "laplace" stands for all kinds whose cost is an eps. Raises NotFollowed if the kinds cannot be combined."""
        numbers = {number for each in self.decided for form in each.forms for number in form.coefficients}
        kinds = sorted({self.table.symbols[number].kind for number in numbers})
        groups = {group for group, members in MOVABLE.items() if not set(kinds).isdisjoint(members)}
        if other := [kind for kind in kinds if not any(kind in members for members in MOVABLE.values())]:
            raise NotFollowed(f"a comparison depends on {other[0]} noise, which is not supported")
        if len(groups) > 1:
            raise NotFollowed(f"comparisons depend on kinds of noise that cannot be combined ({', '.join(kinds)})")
        return next(iter(groups), "")

    def disagreement(self) -> str:
        """A sentence that names the first step whose release on numbers differs from the traced one.
        "" if none does."""
        noise = SameDraws(self.table, self.run.values)
        plain = steps_from(self.policy, self.environment, noise, None, first_moment(self.policy, self.policy.init(1)))
        for place, (traced, real) in enumerate(zip(self.played, plain, strict=False), start=1):
            if traced.released != real.released:
                return (
                    f"step {place} releases {list(real.released)} on numbers, {list(traced.released)} when it is traced"
                )
        return ""

    def has_own_randomness(self, account: Account) -> bool:
        """Whether runs with the same draws differ, on the run's table or after the change of this account."""
        assert account.pair is not None
        start = self.moments[account.reward.step - 1]
        recorded = tuple(each.released for each in self.played[account.reward.step - 1 :])
        repeats = max(LEAST_REPEATS, REPEATED_STEPS // len(recorded))
        left, right = ({self.repeated(each, start) for _ in range(repeats)} for each in account.pair.environments())
        return left != {(recorded, constants(self.decided[start.decided :]), "")} or len(right) > 1

    def repeated(self, environment: Environment, start: Moment) -> tuple[object, ...]:
        """What the policy does from this moment on with the recorded outcomes and the rewards of this environment.
        Its releases, the constants that it compares, and how it leaves the recorded run ("" if it does not)."""
        released, otherwise = list[tuple[int, ...]](), ""
        with self.run.repeating(start.decided):
            try:
                for each in steps_from(self.policy, environment, self.noise, self.run, start):
                    released.append(each.released)
            except OtherWay as other:
                otherwise = str(other)
            return tuple(released), constants(self.run.decided[start.decided :]), otherwise

    def rewards(self) -> list[Reward]:
        """The rewards of the run: one for every arm that is pulled in a step."""
        return [
            Reward(step, int(arm))
            for step, each in enumerate(self.played, start=1)
            for arm in np.flatnonzero(each.counts[0])
        ]

    # -- one changed reward --------------------------------------------------------------------------------------------

    def changed_pair(self, reward: Reward) -> Pair:
        """A pair of neighbouring tables: the run's table, and the same table with one reward changed.
        The first reward that this arm pays in this step becomes the more distant end of the reward range."""
        pair, arm = self.pair, reward.arm
        counts, made = self.played[reward.step - 1].counts[0], self.moments[reward.step - 1].made[0]
        place = int(made[arm] if pair.relation == "pull" else made.sum() + counts[:arm].sum())
        paid = float(pair.left[arm, pair.column(place)])
        other = pair.high if paid < (pair.low + pair.high) / 2 else pair.low
        return flipped(pair.relation, pair.left, arm, place, other, pair.lengths, pair.low, pair.high)

    def is_increase(self, reward: Reward) -> bool:
        """Whether `changed_pair` makes the reward larger."""
        pair = self.changed_pair(reward)
        return bool((pair.right > pair.left).any())

    def account(self, reward: Reward, limit: Fraction | None = None, changed: Pair | None = None) -> Account:
        """Returns the cost of the noise's move that compensates for a change of one reward.
        If the cost exceeds the limit, it also states what is wrong. limit: costs above it are explained; None to
        explain only rewards without a finite cost. changed: the tables with and without the change; None for
        `changed_pair`."""
        pair = changed or self.changed_pair(reward)
        environment = pair.environments()[1]
        start = self.moments[reward.step - 1]
        found = Account(reward, self.kind, pair=pair)
        after = [start]
        try:
            with self.run.repeating(start.decided):
                for each in steps_from(self.policy, environment, self.noise, self.run, start):
                    recorded = self.played[len(after) + reward.step - 2]
                    after.append(each.after)
                    if each.released != recorded.released:
                        pulls = f"{[*recorded.released]} on one input and to {[*each.released]} on its neighbour"
                        raise OtherWay(f"the same noisy values lead to the pulls {pulls}")
                    if each.after.decided != recorded.after.decided:
                        longer = max(self.run.decided, self.decided, key=len)
                        line = longer[min(len(self.run.decided), len(self.decided))].line
                        raise OtherWay(f"the runs on the two neighbouring inputs take different branches at {line}")
                compared = [*self.rows_before(start.decided), *self.compared(start.decided)]
        except Hidden as why:
            return found._replace(hidden=str(why))
        except OtherWay as other:
            step, (fault, words) = self.run.step, self.fault(reward, [])
            if hidden := self.same_releases(reward, environment):
                return found._replace(hidden=hidden)
            fields = self.fields_apart(after[: step - reward.step + 1], reward)
            return found._replace(cost=None, otherwise=str(other), step=step, fault=fault, words=words, fields=fields)
        found = found._replace(cost=self.cost(compared))
        if found.fails(limit) and not self.noise_only_comparisons.isdisjoint(each.place for each in compared):
            compared = [each for each in compared if each.place not in self.noise_only_comparisons]
            found = found._replace(cost=self.cost(compared))
        if found.fails(limit):
            compared, cost = self.counted(compared, limit)
            found = found._replace(cost=cost)
        return self.explained(found, compared, after, limit) if found.fails(limit) else found

    def compared(self, since: int) -> list[Compared]:
        """The comparisons from number `since` on, each with the difference of its form between the two sides.
        Raises Hidden if the noise of a comparison differs between the sides."""
        compared = []
        both = zip(self.decided[since:], self.run.decided[since:], strict=True)
        for place, (recorded, changed) in enumerate(both, start=since):
            for side, other in zip(sides_of(recorded), sides_of(changed), strict=True):
                compared.append(self.compared_forms(side, other.form, recorded, place))
        return compared

    def compared_forms(self, side: OutcomeSide, other: Form, at: Decided, place: int) -> Compared:
        """One comparison, with the difference between its compared forms on the recorded and on the changed side.
        side, other: these forms. at: the recorded comparison. place: its number. Raises Hidden if their draws differ,
        or the scales of their noise. Neither has to be a fault: other draws of the same law protect as much, and what
        other scales tell depends on what is compared."""
        one = side.form
        if one.coefficients != other.coefficients and not same_noise(one, other):
            scales = " and ".join(f"{norm(form):.4g}" for form in (one, other))
            apart = f"has different scales ({scales})" if norms_differ(one, other) else "consists of different draws"
            raise Hidden(
                f"a reward decides which noise is used: it {apart} on the two neighbouring inputs, at {at.line}; this "
                "is not supported"
            )
        before, after = one.constant, other.constant
        assert isinstance(before, Fraction)  # only finite values are compared by a run
        assert isinstance(after, Fraction)
        row = tuple(sorted(one.coefficients.items()))
        change = after - before
        if row and change:
            rounding = max(SAME_NOISE * Fraction(norm(one)), SAME_VALUE * max(abs(before), abs(after)))
            if abs(change) <= rounding:  # such as of the table's sums, which are differences of longer ones
                change = Fraction(0)
        return Compared(row, change, None if row else after, side.above, side.strict, at.line, at.step, place,
                        side.excluded)  # fmt: skip

    def same_releases(self, reward: Reward, environment: Environment) -> str:
        """Why noise may hide a changed reward, as a sentence; "" if no outcomes of the comparisons can.
        They may if the changed run has the recorded releases with some outcomes of the comparisons that follow the
        reward. environment: with the changed reward."""
        try:
            found = next((path for path in self.paths_after(reward, environment) if path.same), None)
        except (Hidden, NotLinear) as why:
            return str(why)
        return "" if found is None else may_hide(found.line)

    def hidden_elsewhere(self, account: Account) -> str:
        """Why noise may hide a reward that costs too much, as a sentence; "" if nothing does.
        It may if the changed run has the recorded releases with other draws, as where fewer draws are rejected."""
        assert account.pair is not None
        start = self.moments[account.reward.step - 1].decided
        usual, others = draws_of(self.decided[start:]), False
        try:
            for path in self.paths_after(account.reward, account.pair.environments()[1]):
                others = others or bool(path.draws - usual)
                if path.same and path.draws != usual:
                    return may_hide(path.line)
        except (Hidden, NotLinear) as why:
            return str(why) if others else ""
        return ""

    def paths_after(self, reward: Reward, environment: Environment) -> Iterator[ChangedPath]:
        """Yields the paths of the changed run through all possible outcomes of the comparisons that follow the reward,
        up to the first release that differs from the recorded one. environment: with the changed reward. Raises Hidden
        after too many, and NotLinear."""
        start, paths = self.moments[reward.step - 1], NearPaths(self.table)
        due = [each.released for each in self.played[reward.step - 1 :]]
        before, plan = self.point_before(start.decided), list[tuple[int, int]]()
        for _ in range(MOST_PATHS):
            paths.begin(before, plan)
            with self.run.repeating(start.decided, paths):
                same = True
                try:
                    steps = steps_from(self.policy, environment, self.noise, self.run, start)
                    for each, recorded in zip(steps, due, strict=False):
                        self.steps_of_paths += 1
                        if not (same := each.released == recorded):
                            break
                except Impossible:
                    same = False
                lines = [*(each.line for each in paths.point.comparisons), self.run.astray]
                draws = draws_of(self.run.decided[start.decided :])
            line = next(filter(None, lines), "an unknown line")
            yield ChangedPath(same, line, draws)
            following = paths.next_plan()
            if following is None:
                return
            if paths.compared > MOST_COMPARISONS:
                break
            plan = following
        raise Hidden(
            "comparisons with noise have too many combinations of outcomes after a reward, which may hide it, from "
            f"{line} on"
        )

    def point_before(self, decided: int) -> Point:
        """The point of the tree of runs after the first `decided` comparisons of this run."""
        paths, intervals = Paths(self.table), dict[Key, Interval]()
        for each in self.decided[:decided]:
            many = len(each.forms) > 1
            outcomes = outcomes_of_largest(each.forms) if many else outcomes_of_sign(each.forms[0], each.strict)
            paths.begin(Point(intervals, (), ()), [])
            outcome = paths.outcome(each.taken, outcomes[each.taken] or ())
            intervals = {**intervals, **(outcome.intervals if outcome is not None else {})}
        return Point(intervals, (), ())

    @cached_property
    def noise_only_comparisons(self) -> frozenset[int]:
        """The numbers of the comparisons that only compare noise, so that rewards do not change them.
        A neighbour may repeat the pulls with other outcomes of these, such as a sign that is drawn apart from its size.
        They are found by running the policy on entirely different rewards, with the same outcomes."""
        generator = np.random.default_rng(0)
        found = [
            self.unchanged_comparisons(generator.integers(0, UNEVEN + 1, self.pair.left.shape) / UNEVEN)
            for _ in range(2)
        ]
        return found[0] & found[1]

    def unchanged_comparisons(self, other_rewards: Array) -> frozenset[int]:
        """The numbers of the comparisons whose constants stay the same under other rewards.
        other_rewards: the other rewards, as fractions of their range. If that run takes a different branch, all
        comparisons of a form with 0."""
        pair = self.pair
        other = nearest_payable(self.policy, pair.range.at(other_rewards))
        elsewhere = Pair(pair.relation, other, other, pair.lengths, pair.low, pair.high).environments()[0]
        try:
            with self.run.repeating(0):
                for _ in steps_from(self.policy, elsewhere, self.noise, self.run, self.moments[0]):
                    pass
                seen = self.run.decided
        except OtherWay:
            return frozenset(place for place, each in enumerate(self.decided) if len(each.forms) == 1)
        return frozenset(
            place
            for place, (one, there) in enumerate(zip(self.decided, seen, strict=False))
            if all(before.constant == after.constant for before, after in zip(one.forms, there.forms, strict=True))
        )

    def pulls_depend_on(self, comparison: Compared) -> bool:
        """Whether the pulls depend on this comparison.
        They do if its other outcome leads to other pulls, wherever the draws can cross to it and keep all other
        outcomes. If not, a neighbour may repeat the pulls with another outcome. True for draws that are whole numbers,
        which are not tried.

        The policy is played on the numbers on both sides. So comparisons of equal or opposite values change their
        outcomes together, what the policy compares further on is not prescribed, and nothing impossible is asked.
        """
        which = comparison.place, comparison.excluded
        if which not in self.mattering:
            self.mattering[which] = self.changes_pulls(self.spaces[which])
        return self.mattering[which]

    def changes_pulls(self, crossed: HalfSpace) -> bool:
        """Whether the pulls change at every crossing of the boundary of this half-space; see `pulls_depend_on`."""
        found = crossings([*self.spaces.values()], crossed, self.run.values, self.table.symbols)
        try:
            first = next(found, None)
        except WholeDraws:
            return True
        return first is not None and all(self.pulls_differ(place) for place in chain([first], found))

    @cached_property
    def spaces(self) -> dict[tuple[int, int], HalfSpace]:
        """The half-space of draws for each comparison and each outcome that it excludes.
        The key is the number of the comparison and the outcome that it excludes."""
        found = {}
        for place, each in enumerate(self.decided):
            for form, above, _, excluded in sides_of(each):
                if form.coefficients:
                    assert isinstance(form.constant, Fraction)  # only finite values are compared by a run
                    found[place, excluded] = HalfSpace(form.coefficients, form.constant, above)
        return found

    def pulls_differ(self, crossing: Crossing) -> bool:
        """Whether the policy has the recorded releases on the inner side of a crossing and other releases beyond it."""
        recorded = [each.released for each in self.played]
        return self.released_with(crossing.inside) == recorded != self.released_with(crossing.beyond)

    def released_with(self, draws: Mapping[int, float]) -> list[tuple[int, ...]]:
        """The policy's releases, step by step, in a run on numbers with these draws instead of the recorded ones."""
        values = Drawn(self.table, np.random.default_rng(0), 1.0)
        values.update(self.run.values)
        values.update(draws)
        noise, start = SameDraws(self.table, values), first_moment(self.policy, self.policy.init(1))
        return [each.released for each in steps_from(self.policy, self.environment, noise, None, start)]

    def counted(self, compared: list[Compared], limit: Fraction | None) -> tuple[list[Compared], Fraction | None]:
        """Returns the comparisons on which the pulls depend, and the cost of the move that keeps their outcomes.
        If there are more than MOST_TRIED, only those that the cost depends on are tried, and those on the same lines,
        until all of these count or the cost is within the limit: the cost of all is then that of comparisons that
        count."""
        cost = self.cost(compared)
        while cost is None or exceeds_limit(cost, limit):
            tried = compared if len(compared) <= MOST_TRIED else self.decisive(compared, cost)
            lines = {each.line for each in tried if each.row and not self.pulls_depend_on(each)}
            if not lines:
                break
            compared = [
                each for each in compared if each.line not in lines or not each.row or self.pulls_depend_on(each)
            ]
            cost = self.cost(compared)
        return compared, cost

    def decisive(self, compared: list[Compared], cost: Fraction | None) -> list[Compared]:
        """A minimal subset of the comparisons that costs as much as all of them."""
        return minimal_subset(compared, lambda some: same_cost(self.cost(some), cost))

    def cost(self, compared: Sequence[Compared]) -> Fraction | None:
        """The cost of the cheapest move of the noise that keeps all these outcomes; None if there is no such move."""
        if any(each.constant is not None and not holds(each) for each in compared):
            return None
        sides = [
            Comparison((*each.row, (self.changed, each.change)) if each.change else each.row, each.above, Fraction(0),
                       each.line)
            for each in compared
            if each.row
        ]  # fmt: skip
        move = self.moves.cheapest(sides, self.changed, Fraction(1))
        return None if move is None else move.cost

    def rows_before(self, decided: int) -> list[Compared]:
        """The first `decided` comparisons, those before the changed reward, which are the same on both sides."""
        return [
            self.compared_forms(side, side.form, each, place)
            for place, each in enumerate(self.decided[:decided])
            for side in sides_of(each)
        ]

    # -- in words ------------------------------------------------------------------------------------------------------

    def explained(
        self, account: Account, compared: Sequence[Compared], after: Sequence[Moment], limit: Fraction | None
    ) -> Account:
        """Returns the account, completed by the comparison at which the cost exceeds the limit.
        It is the first such comparison. The fault of the noise there is added."""
        low, high = 0, len(compared)  # the cost of the first `high` comparisons passes the limit
        while high - low > 1:
            middle = (low + high) // 2
            cost = self.cost(compared[:middle])
            low, high = (low, middle) if cost is None or exceeds_limit(cost, limit) else (middle, high)
        at = compared[high - 1]
        fault, words = self.fault(account.reward, compared[:high])
        moments = after[: max(1, at.step - account.reward.step + 1)]
        return account._replace(
            step=at.step, line=at.line, fault=fault, words=words, fields=self.fields_apart(moments, account.reward)
        )

    def fault(self, reward: Reward, compared: Sequence[Compared]) -> tuple[Fault | None, str]:
        """The fault in the noise that protects a reward (None if it cannot be determined), and the fault in words.
        compared: the comparisons up to the one that shows the fault."""
        own = {step: self.draws_added(step) for step in range(1, self.steps + 1)}
        mine = own[reward.step]
        for step, others in own.items():
            if step != reward.step and (both := sorted(mine.keys() & others.keys())):
                (arm, *_) = np.flatnonzero(self.played[step - 1].counts[0]).tolist() or [reward.arm]
                fault = Fault.REUSED if arm == reward.arm else Fault.SHARED
                return fault, f"the draw {self.draw_text(both[0])} of its step is also added in step {step} (arm {arm})"
        before = {number for each in self.decided[: self.moments[reward.step].decided] if each.step <= reward.step
                  for form in each.forms for number in form.coefficients}  # fmt: skip
        changed = [each for each in compared if each.change]
        fresh = {number for each in changed for number, _ in each.row} - before
        scale = max((abs(value) for value in mine.values()), default=Fraction(0))
        usual = max((abs(value) for others in own.values() for value in others.values()), default=Fraction(0))
        if scale and scale < usual * (1 - SAME_NOISE):
            return Fault.SMALL, f"its step adds a draw of scale {float(scale):.4g}, another step {float(usual):.4g}"
        if not mine and (usual or (compared and not fresh)):
            return Fault.MISSING, "no draw is added in its step"
        if not changed:
            return None, ""
        last = changed[-1]
        noise = max((abs(value) for number, value in last.row if number in (mine or fresh)), default=Fraction(0))
        return Fault.TOO_LITTLE, (
            f"the compared value moves by {float(abs(last.change)):.4g}, and draws that are new in it have scales up "
            f"to {float(noise):.4g}"
        )

    def draws_added(self, step: int) -> dict[int, Fraction]:
        """The draws that a step adds to the state, each with the largest coefficient with which it is added."""
        added: dict[int, Fraction] = {}
        old, new = (forms_of(self.moments[place].state) for place in (step - 1, step))
        for name, entries in new.items():
            for place, form in entries.items():
                there = old.get(name, {}).get(place)
                known = there.coefficients if there is not None else {}
                for number, value in form.coefficients.items():
                    if abs(value) > abs(known.get(number, Fraction(0))) * (1 + SAME_NOISE):
                        more = value - known.get(number, Fraction(0))
                        added[number] = max(added.get(number, Fraction(0)), abs(more))
        return added

    def draw_text(self, number: int) -> str:
        """A draw in words: its kind, site and index."""
        symbol = self.table.symbols[number]
        if len(symbol.name) != 4:  # of a generator
            return f"{symbol.kind} {symbol.name}"
        site, index, shape, rank = symbol.name
        return f"{symbol.kind}({site!r}, {index})" + (f" number {rank}" if shape else "")

    def fields_apart(self, after: Sequence[Moment], reward: Reward) -> tuple[tuple[str, bool], ...]:
        """The fields of the state that differ between the neighbours, each with whether the difference contains noise.
        after: the moments of the changed side; the last one is compared."""
        place = len(after) - 1
        one, other = forms_of(self.moments[reward.step - 1 + place].state), forms_of(after[place].state)
        found = []
        for name, entries in other.items():
            apart = [form for spot, form in entries.items() if differs(one.get(name, {}).get(spot), form)]
            if apart:
                found.append((name, any(form.coefficients for form in apart)))
        return tuple(found)


@dataclass(frozen=True)
class NoiseAccount:
    """What single runs of a policy show. runs, rewards: how many runs, and changed rewards in them. noise: the kind of
    the draws, "" where none decide anything. worst: the account that costs most; None where no reward was paid.
    failing: those that cost more than the limit, or have no cost, the worst first, one of every run."""

    runs: int
    rewards: int
    noise: str
    worst: Account | None
    failing: tuple[Account, ...] = ()

    @property
    def value(self) -> float:
        """The largest cost of compensating for a change of one reward, in eps (in mu for normal noise).
        inf if a reward has no finite cost, 0 if no reward was paid."""
        if self.worst is None:
            return 0.0
        if self.worst.cost is None:
            return inf
        return sqrt(self.worst.cost) if self.noise == "normal" else float(self.worst.cost)


def noise_account(
    policy: Any,
    tables: Sequence[Pair],
    seed: int,
    limits: Mapping[str, Fraction],
    sizes: Sequence[float] = (1.0,),
    most_steps: int = MOST_STEPS,
) -> NoiseAccount:
    """Returns how much noise protects the rewards in runs of the policy, and the least protected reward.
    The runs are on the left tables of these pairs. The search ends when rewards of MOST_FAILING runs cost more than the
    limit, or when `most_steps` steps were traced.

    limits: by the kind of noise, eps or mu squared; no limit for a kind that is left out. sizes: by which draws are
    multiplied, run by run. Other runs than these may cost more. Raises NotFollowed where the policy is not followed.
    """
    if context_dimension(policy):
        raise NotFollowed("the draws of policies with contexts cannot be followed")
    if isinstance(policy, PlaysOneRun):
        policy = SingleRuns(policy)
    generator = np.random.default_rng(seed)
    runs, rewards, steps, noise = 0, 0, 0, ""
    worst: Account | None = None
    failing: list[Account] = []
    hidden = ""
    known = set[tuple[tuple[int, ...], Reward, bool]]()  # what has the same outcomes and change costs the same, usually
    try:
        while steps < most_steps and runs < len(tables) and len(failing) < MOST_FAILING:
            run = AccountedRun(policy, tables[runs], generator, sizes[runs % len(sizes)])
            runs, steps, noise = runs + 1, steps + run.steps, noise or run.kind
            limit, here = limits.get(run.kind), []
            outcomes = tuple(each.taken for each in run.decided)
            every = [each for each in run.rewards() if (outcomes, each, run.is_increase(each)) not in known]
            known |= {(outcomes, each, run.is_increase(each)) for each in every}
            share = max(1, most_steps // LEAST_RUNS // run.steps)
            for number in sorted(generator.permutation(len(every))[:share].tolist()):
                here.append(run.account(every[number], limit))
                rewards, steps = rewards + 1, steps + run.steps - every[number].step + 1
                if steps >= most_steps:
                    break
            hidden = next((each.hidden for each in here if each.hidden), hidden)
            ranked = sorted((each for each in here if not each.hidden), key=lambda found: found.rank, reverse=True)
            while ranked and ranked[0].fails(limit) and not ranked[0].otherwise:
                if not (why := run.hidden_elsewhere(ranked[0])):
                    break
                hidden, ranked = why, ranked[1:]
            top, steps = ranked[0] if ranked else None, steps + run.steps_of_paths
            if (runs == 1 or (top is not None and top.fails(limit))) and (different := run.disagreement()):
                raise NotFollowed(different)
            if top is not None and top.fails(limit):
                if not failing and run.has_own_randomness(top):
                    raise NotFollowed(OWN_RANDOMNESS)
                failing.append(top)
            if top is not None and (worst is None or top.rank > worst.rank):
                worst = top
    except NotLinear as error:
        raise NotFollowed(str(error)) from error
    except NotFollowed:
        raise
    except Exception as error:  # of the policy, which was handed forms in the place of numbers
        raise NotFollowed(raised_on_symbols(error)) from error
    if hidden and not failing:
        raise NotFollowed(hidden)
    failing.sort(key=lambda found: found.rank, reverse=True)
    return NoiseAccount(runs, rewards, noise, worst, tuple(failing))


def may_hide(line: str) -> str:
    """A sentence: a comparison in this line may hide a reward."""
    return f"a comparison with noise, like a coin, may hide a reward, at {line}; this is not supported"


def constants(decided: Sequence[Decided]) -> tuple[Fraction | float, ...]:
    """The constants of all forms in these comparisons."""
    return tuple(form.constant for each in decided for form in each.forms)


def draws_of(decided: Sequence[Decided]) -> frozenset[int]:
    """The numbers of all draws in these comparisons."""
    return frozenset(number for each in decided for form in each.forms for number in form.coefficients)


def hidden_by_draws(policy: Any, pair: Pair, recorded: Noise) -> str:
    """Why noise may hide the reward in which the tables of a pair differ, as a sentence.
    "" if a run on either table shows that it does not. recorded: the noise whose last trial these runs have. Raises
    NotFollowed if the runs cannot be followed."""
    if context_dimension(policy) or isinstance(policy, PlaysOneRun):
        raise NotFollowed("the draws of policies with contexts, and of objects, are not followed in recorded runs")
    why = ""
    for each in (pair, replace(pair, left=pair.right, right=pair.left)):
        try:
            run = AccountedRun(policy, each, np.random.default_rng(0), recorded=recorded)
            (reward,) = [one for one in run.rewards() if run.changed_pair(one).spot == pair.spot]
            found = run.account(reward, changed=each)
        except Exception as error:  # of the policy, which was handed forms in the place of numbers
            raise NotFollowed(str(error)) from error
        if not found.hidden and found.cost is None:
            return ""
        shift = "noise is converted to plain numbers, and a shift of it makes up for a reward that is added later"
        why = why or found.hidden or shift
    return why


class LastTrial(dict[int, float]):
    """The values of the draws in the last trial of a noise."""

    def __init__(self, draws: Drawn, noise: Noise) -> None:
        """Prepares the values. draws: of what the noise does not draw by its site."""
        super().__init__()
        self.draws, self.noise = draws, noise

    def __missing__(self, number: int) -> float:
        """The value of a symbol, stored at its first use."""
        symbol = self.draws.table.symbols[number]
        self[number] = self.draws[number]
        if len(symbol.name) == 4 and hasattr(self.noise, symbol.kind):
            site, index, shape, rank = symbol.name
            self[number] = float(draw_of_kind(self.noise, symbol.kind, site, index, shape)[-1].ravel()[rank])
        return self[number]


def same_cost(a: Fraction | None, b: Fraction | None) -> bool:
    """Whether two costs are equal up to rounding."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= SAME_COST * max(a, b)


def minimal_subset(items: Sequence[Item], enough: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """A subset of the items that is enough, while no smaller part of it is.
    enough: true for all items together, and for whatever contains items for which it is true."""
    needed, rest = list[Item](), items
    while rest and not enough(needed):
        low, high = 0, len(rest)  # the needed ones and the first `high` others are enough
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough([*needed, *rest[:middle]]) else (middle, high)
        needed.append(rest[high - 1])
        rest = rest[: high - 1]
    return needed


def sides_of(comparison: Decided) -> list[OutcomeSide]:
    """The inequalities that a comparison's outcome implies, one for each other outcome that it excludes."""
    if len(comparison.forms) == 1:
        return [OutcomeSide(comparison.forms[0], comparison.taken == 0, comparison.strict, 1 - comparison.taken)]
    top = comparison.forms[comparison.taken]
    return [
        OutcomeSide(top - form, True, place < comparison.taken, place)
        for place, form in enumerate(comparison.forms)
        if place != comparison.taken
    ]


def forms_of(state: Any, name: str = "") -> dict[str, dict[tuple[int, ...], Form]]:
    """The linear forms in a state: {name of a field: {index in the field: form}}.
    A field is named "sums", "sums.noisy", or "state[1]" for a tuple without names. name: the name of the given part; ""
    for the whole state."""
    if isinstance(state, np.ndarray):
        entries = {place: each for place, each in np.ndenumerate(state.view(np.ndarray)) if isinstance(each, Form)}
        return {name or "state": entries} if entries else {}
    if isinstance(state, Form):
        return {name or "state": {(): state}}
    if isinstance(state, tuple) and not hasattr(state, "_fields"):
        parts = {f"{name or 'state'}[{place}]": part for place, part in enumerate(state)}
    else:
        fields = getattr(state, "_fields", None) or sorted(getattr(state, "__dict__", {}))
        parts = {f"{name}.{each}" if name else each: getattr(state, each) for each in fields}
    found: dict[str, dict[tuple[int, ...], Form]] = {}
    for each, part in parts.items():
        found |= forms_of(part, each)
    return found


def differs(left: Form | None, right: Form) -> bool:
    """Whether the first form is missing, or differs from the second one."""
    return left is None or left.constant != right.constant or left.coefficients != right.coefficients


def norm(form: Form) -> float:
    """The Euclidean norm of the form's coefficients."""
    return sqrt(sum((value * value for value in form.coefficients.values()), Fraction(0)))


def norms_differ(a: Form, b: Form) -> bool:
    """Whether the norms of the two forms differ by more than rounding."""
    left, right = norm(a), norm(b)
    return abs(left - right) > SAME_NOISE * max(left, right)


def same_noise(a: Form, b: Form) -> bool:
    """Whether two forms contain the same draws with the same coefficients, up to rounding."""
    left, right = a.coefficients, b.coefficients
    return left.keys() == right.keys() and all(
        abs(value - right[number]) <= SAME_NOISE * abs(value) for number, value in left.items()
    )


def holds(comparison: Compared) -> bool:
    """Whether a comparison without draws has the recorded outcome on the changed side."""
    assert comparison.constant is not None
    positive = comparison.constant > 0 or (not comparison.strict and comparison.constant == 0)
    return positive if comparison.above else not positive
