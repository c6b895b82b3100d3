"""The outcomes of the comparisons that a policy makes along a run, and which of these outcomes are possible.

A run is a path through a decision tree: each comparison of linear forms is a node, and its branches are the outcomes
that contradict neither the path so far nor the ranges of rewards and uniform draws. `Paths` follows every path, one
after another; `Numbers` follows the path that drawn numbers take.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import NamedTuple

from dpbandits.proofs_checks.alignment.forms import CONTINUOUS, WHOLE, Form, NotLinear, Symbol, policy_line

Key = tuple[tuple[int, Fraction], ...]  # a form without its constant, whose first coefficient is 1
COMPARED_DRAWS = (*CONTINUOUS, *WHOLE)  # whose thresholds are recorded


class Condition(NamedTuple):
    """form > 0 if strict, otherwise form >= 0."""

    form: Form
    strict: bool

    @property
    def always(self) -> bool:
        """Whether the form contains no symbol and its constant satisfies the condition, so that it always holds."""
        constant = self.form.constant
        return not self.form.coefficients and (constant > 0 or (not self.strict and constant == 0))


def conditions_left(conditions: Sequence[Condition]) -> list[Condition] | None:
    """The conditions that depend on draws or rewards; None if a condition without symbols is false."""
    if not all(each.always for each in conditions if not each.form.coefficients):
        return None
    return [each for each in conditions if each.form.coefficients]


def outcomes_of_sign(form: Form, strict: bool) -> list[list[Condition] | None]:
    """Returns the conditions under which a form is above 0, and those under which it is not.
    They are two lists; "at least 0" replaces "above 0" if not strict. None replaces a list if the constant alone
    excludes this outcome."""
    return [conditions_left([Condition(form, strict)]), conditions_left([Condition(-form, not strict)])]


def outcomes_of_largest(forms: Sequence[Form]) -> list[list[Condition] | None]:
    """For each form, the conditions under which it is the largest, or the first of several equal largest ones.
    None if the constants alone exclude this."""
    return [
        conditions_left(
            [Condition(form - other, place < winner) for place, other in enumerate(forms) if place != winner]
        )
        for winner, form in enumerate(forms)
    ]


class Decision(NamedTuple):
    """A comparison of forms with several outcomes. forms: one form, which is above 0 (or at least 0 if not strict) or
    not; or several, of which one is the largest; or none, for a finite draw. possible: the outcomes that are possible
    after the path so far; one of them is taken."""

    forms: tuple[Form, ...]
    strict: bool
    possible: tuple[int, ...]
    taken: int


class Comparison(NamedTuple):
    """The form `key` lies above the threshold, or below it if `above` is False. line: of the policy."""

    key: Key
    above: bool
    threshold: Fraction
    line: str


class Interval(NamedTuple):
    """The interval that contains a form. An open end does not belong to it."""

    low: Fraction | float = -inf
    high: Fraction | float = inf
    low_open: bool = True
    high_open: bool = True

    def cut(self, above: bool, threshold: Fraction, strict: bool) -> Interval | None:
        """The part of this interval that lies above the threshold (below it if not `above`).
        None if that part is empty."""
        low, high, low_open, high_open = self
        if above:
            if threshold > low or (threshold == low and strict):
                low, low_open = threshold, strict if threshold > low else True
        elif threshold < high or (threshold == high and strict):
            high, high_open = threshold, strict if threshold < high else True
        return (
            None
            if low > high or (low == high and (low_open or high_open))
            else Interval(low, high, low_open, high_open)
        )


class Impossible(Exception):
    """No outcome of a comparison is possible: no run leads here."""


def range_of(key: Key, symbols: Sequence[Symbol]) -> Interval:
    """The interval of values that a linear form can take, computed from the ranges of its symbols."""
    low: Fraction | float = Fraction(0)
    high: Fraction | float = Fraction(0)
    for number, value in key:
        symbol = symbols[number]
        one, other = (symbol.low, symbol.high) if value == 1 else (value * symbol.low, value * symbol.high)
        low, high = (low + one, high + other) if value > 0 else (low + other, high + one)
    return Interval(low, high, False, False)


def normalized(condition: Condition, symbols: Sequence[Symbol]) -> tuple[Key, bool, Fraction, bool]:
    """A condition as (key, above, threshold, strict): the form with coefficients `key` is above or below the threshold.
    The first coefficient of the form is 1."""
    form = condition.form
    assert isinstance(form.constant, Fraction)
    leading = form.coefficients[min(form.coefficients)]
    strict = condition.strict or any(symbols[number].kind in CONTINUOUS for number in form.coefficients)
    terms = sorted(form.coefficients.items())
    if leading == 1:
        return tuple(terms), True, -form.constant, strict
    if leading == -1:
        return tuple([(number, -value) for number, value in terms]), False, form.constant, strict
    return tuple([(number, value / leading) for number, value in terms]), leading > 0, -form.constant / leading, strict


class Outcome(NamedTuple):
    """A possible outcome: its index among all, the intervals that it narrows, and its comparisons."""

    place: int
    intervals: dict[Key, Interval]
    comparisons: tuple[Comparison, ...]


@dataclass
class SymbolTable:
    """The symbols of all runs, by number."""

    symbols: list[Symbol] = field(default_factory=list)
    numbers: dict[Symbol, int] = field(default_factory=dict)

    def number_of(self, symbol: Symbol) -> int:
        """The index of a symbol in this table; a symbol that is not in the table yet gets the next index."""
        number = self.numbers.setdefault(symbol, len(self.symbols))
        if number == len(self.symbols):
            self.symbols.append(symbol)
        return number


class Point(NamedTuple):
    """A point of the tree of runs: the interval of each compared form, the comparisons that led there, and the
    decisions."""

    intervals: dict[Key, Interval]
    comparisons: tuple[Comparison, ...]
    decisions: tuple[Decision, ...]

    def after(self, decision: Decision, outcome: Outcome) -> Point:
        """The point of the decision tree that an outcome of a decision leads to.
        If only one outcome was possible, its comparison is not stored, because every neighbour has the same outcome;
        nor is a decision about at most two forms."""
        certain = len(decision.possible) == 1
        return Point(
            {**self.intervals, **outcome.intervals},
            self.comparisons if certain else (*self.comparisons, *outcome.comparisons),
            self.decisions if certain and len(decision.forms) <= 2 else (*self.decisions, decision),
        )


ROOT = Point({}, (), ())
NOT_REPEATED = (
    "the same run takes another path when it is repeated, so the policy keeps state outside the state that it is given"
)
DECISION = 5  # the effort of a comparison
MOST_DECISIONS = 500  # in one step: code that draws until something happens may never end


@dataclass
class Paths:
    """Follows one path, by a plan of decisions; decisions beyond the plan take the first possible outcome.

    All forms of a search share one `Paths`, which is reset for each path. plan: for each comparison with more than one
    possible outcome, the index of the one that is taken, and their number.
    """

    table: SymbolTable
    point: Point = ROOT
    plan: list[tuple[int, int]] = field(default_factory=list)
    decided: int = 0
    finite: dict[Symbol, int] = field(default_factory=dict)
    effort: int = 0  # of all comparisons, in units of some five microseconds
    thresholds: dict[Symbol, set[Fraction]] = field(default_factory=dict)  # with which single draws are compared

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols of all runs, by number."""
        return self.table.symbols

    def number_of(self, symbol: Symbol) -> int:
        """The index of a symbol in the symbol table of all runs; a new symbol gets the next index."""
        return self.table.number_of(symbol)

    def begin(self, point: Point, plan: list[tuple[int, int]]) -> None:
        """Starts a run at a point of the tree. plan: the outcomes of the next comparisons and draws, see the class."""
        self.point, self.plan, self.decided = point, plan, 0

    def positive(self, form: Form, strict: bool) -> bool:
        """Whether this path takes the outcome form > 0 (form >= 0 if not strict)."""
        return self.choose((form,), strict, outcomes_of_sign(form, strict)) == 0

    def largest(self, forms: Sequence[Form]) -> int:
        """The index of the form that is the largest on this path."""
        return self.choose(tuple(forms), False, outcomes_of_largest(forms))

    def drawn(self, symbol: Symbol) -> int:
        """The outcome of a finite draw on this path.
        All outcomes are tried, path by path, because the draw is independent of rewards and other noise. Within one
        path, the outcome stays the same."""
        key = ((-1 - self.finite.setdefault(symbol, len(self.finite)), Fraction(1)),)
        if key in self.point.intervals:
            return int(self.point.intervals[key].low)
        taken = self.choose((), False, [None if weight == 0 else () for weight in symbol.weights])
        outcome = Interval(Fraction(taken), Fraction(taken), False, False)
        self.point = self.point._replace(intervals={**self.point.intervals, key: outcome})
        return taken

    def choose(self, forms: tuple[Form, ...], strict: bool, outcomes: Sequence[Sequence[Condition] | None]) -> int:
        """The index of the outcome that this path takes at a comparison or draw.
        The planned one, or the first possible one. outcomes: the conditions of each, None for an impossible one. Raises
        Impossible if none is possible."""
        self.effort += DECISION + len(self.point.intervals) // 4
        possible = self.possible(outcomes)
        if not possible:
            raise Impossible
        taken: Outcome = possible[0]
        if len(possible) > 1:
            if self.decided == MOST_DECISIONS:
                raise NotLinear(
                    f"a step has more than {MOST_DECISIONS} comparisons or draws with undetermined "
                    f"outcomes, at {policy_line()}"
                )
            if self.decided == len(self.plan):
                self.plan.append((0, len(possible)))
            chosen, many = self.plan[self.decided]
            if many != len(possible):
                raise NotLinear(
                    f"a repetition of the same run takes a different path through the code, at {policy_line()}"
                )
            taken = possible[chosen]
            self.decided += 1
        decision = Decision(forms, strict, tuple(outcome.place for outcome in possible), taken.place)
        self.point = self.point.after(decision, taken)
        return taken.place

    def possible(self, outcomes: Sequence[Sequence[Condition] | None]) -> list[Outcome]:
        """The outcomes of a comparison that contradict neither the path so far nor the ranges of the symbols.
        outcomes: as of `choose`."""
        tried = [self.outcome(place, conditions) for place, conditions in enumerate(outcomes) if conditions is not None]
        return [outcome for outcome in tried if outcome is not None]

    def outcome(self, place: int, conditions: Sequence[Condition]) -> Outcome | None:
        """Returns outcome number `place` of a comparison, with the intervals to which it restricts linear forms.
        None if it contradicts the path or the ranges."""
        narrowed: dict[Key, Interval] = {}
        compared, line = [], policy_line()
        for condition in conditions:
            key, above, threshold, strict = normalized(condition, self.symbols)
            if len(key) == 1 and (symbol := self.symbols[key[0][0]]).kind in COMPARED_DRAWS:
                self.thresholds.setdefault(symbol, set()).add(threshold)
            now = narrowed.get(key) or self.point.intervals.get(key) or range_of(key, self.symbols)
            after = now.cut(above, threshold, strict)
            if after is None:
                return None
            narrowed[key] = after
            compared.append(Comparison(key, above, threshold, line))
        return Outcome(place, narrowed, tuple(compared))

    def next_plan(self) -> list[tuple[int, int]] | None:
        """The plan of the next path in depth-first order; None after the last path.
        Raises NotLinear if the run made fewer decisions than planned."""
        if self.decided < len(self.plan):
            raise NotLinear(NOT_REPEATED)
        plan = self.plan[: self.decided]
        while plan and plan[-1][0] + 1 == plan[-1][1]:
            plan.pop()
        return [*plan[:-1], (plan[-1][0] + 1, plan[-1][1])] if plan else None


@dataclass
class Numbers:
    """Follows the path that given numbers take. values: of every symbol, by its number."""

    table: SymbolTable
    values: Mapping[int, float]

    @property
    def symbols(self) -> list[Symbol]:
        """The symbols of all runs, by number."""
        return self.table.symbols

    def number_of(self, symbol: Symbol) -> int:
        """The index of a symbol in the symbol table of all runs; a new symbol gets the next index."""
        return self.table.number_of(symbol)

    def value_of(self, form: Form) -> float:
        """The value of a linear form at the given values of the symbols."""
        drawn = (float(value) * self.values[number] for number, value in form.coefficients.items())
        return sum(drawn, float(form.constant))

    def outcome_of(self, decision: Decision) -> int:
        """The outcome that a recorded comparison has at the given values of the symbols."""
        if len(decision.forms) > 1:
            return Numbers.largest(self, decision.forms)
        return 0 if Numbers.positive(self, decision.forms[0], decision.strict) else 1

    def positive(self, form: Form, strict: bool) -> bool:
        """Whether form > 0 (form >= 0 if not strict) at the given values."""
        value = self.value_of(form)
        return value > 0 or (not strict and value == 0)

    def drawn(self, symbol: Symbol) -> int:
        """The given outcome of a finite draw."""
        return int(self.values[self.number_of(symbol)])

    def largest(self, forms: Sequence[Form]) -> int:
        """The index of the form that is the largest at the given values, the first of several."""
        values = [self.value_of(form) for form in forms]
        return values.index(max(values))
