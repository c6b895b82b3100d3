"""Runs single steps of a policy from merged states, in which every noisy or secret number is an unknown.

States that differ only in how their noisy and secret numbers were computed become one state: every such number is
replaced by an unknown, of which only the range is kept. Constants, counts, flags and the step are unchanged. This is
sound because a policy reads only the values of a state, not how they were computed:
docs/explanation/randomness_alignment.md, Theorem 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
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
    SymbolTable,
    range_of,
)
from dpbandits.proofs_checks.alignment.executed_code import Executed, new_code_record
from dpbandits.proofs_checks.alignment.forms import Form, FormArray, NotLinear, Run, Symbol, policy_line
from dpbandits.proofs_checks.alignment.hidden_state import objection_to_memory, stored_values
from dpbandits.proofs_checks.alignment.moves import Move
from dpbandits.proofs_checks.alignment.traced_runs import STEP, TooLong, Tracer
from dpbandits.reference.bandits.passing import State
from dpbandits.reference.bandits.policy import Policy

PLAIN = (bool, int, float, str, bytes, type(None), Fraction)  # of which nothing but the value can be read
FOLLOWED = ("laplace", "normal", "uniform", "reward", "unknown")  # the kinds of symbols
CHECKED_RUNS, CHECKED_STEPS = 4, 60  # after how many runs of how many steps stored values are compared
STEP_SYMBOLS = 2**20  # more than one run of one step has
DIFFERENCE = Symbol("reward", ("difference",), Fraction(0), Fraction(0), Fraction(1))  # what two neighbours differ by


class Unknown(NamedTuple):
    """A number of a state of which only the range is known."""

    low: Fraction | float
    high: Fraction | float


class Known(NamedTuple):
    """A number of a state that is the same in all runs that lead there; inf and -inf are numbers."""

    value: Fraction | float


Number = Known | Unknown
Skeleton = tuple[Any, ...]  # what a state is made of besides its real numbers: its kind, and what belongs to it


class Place(NamedTuple):
    """What a policy can read in a state, and when: equal places are one place of the graph.

    used: what the runs so far have used up of the horizon. skeleton: the state without its real numbers. numbers:
    these.
    """

    step: int
    used: int
    skeleton: Skeleton
    numbers: tuple[Number, ...]

    @property
    def unknowns(self) -> list[Unknown]:
        """The ranges of those numbers of the state that differ between the merged runs."""
        return [number for number in self.numbers if isinstance(number, Unknown)]


class Row(NamedTuple):
    """A linear form in the symbols of a step, by their numbers in this step."""

    terms: tuple[tuple[int, Fraction], ...]
    constant: Fraction = Fraction(0)


class Transition(NamedTuple):
    """One way in which a step can go.

    released: what the adversary sees. decisions: the comparisons that decide it, in their order. comparisons: their
    outcomes, of those with more than one. rewards: the symbols of what arms paid. following: the place that it leads
    to. unknowns: what the unknowns of this place are, in the symbols of the step. intervals: where each compared form
    lies. executed: what the policy executes.
    """

    released: tuple[int, ...]
    decisions: tuple[Decision, ...]
    comparisons: tuple[Comparison, ...]
    rewards: tuple[int, ...]
    following: Place
    unknowns: tuple[Row, ...]
    intervals: tuple[tuple[Key, Interval], ...]
    executed: Executed


Differences = tuple[tuple[int, Fraction], ...]  # of the unknowns of a state that differ: their symbol, by how much


class Followed(NamedTuple):
    """What becomes of differences along a transition: the move of the fresh noise, and the differences after it."""

    move: Move
    after: Differences


class Change(NamedTuple):
    """A reward that is changed in a transition of a step. sign: of the change."""

    transition: int
    reward: int
    sign: int


@dataclass
class Node:
    """A merged state. table: the symbols of its step. transitions: of its step, none at the end. changes: what
    becomes of each change of a reward of its step. followed: of each difference with which it can be reached,
    transition by transition. losses: what may still be lost from there on."""

    place: Place
    table: SymbolTable = field(default_factory=SymbolTable)
    transitions: list[Transition] = field(default_factory=list)
    next: list[int] = field(default_factory=list)
    changes: dict[Change, Followed] = field(default_factory=dict)
    followed: dict[Differences, list[Followed]] = field(default_factory=dict)
    losses: dict[Differences, Fraction] = field(default_factory=dict)


# -- states and their places -------------------------------------------------------------------------------------------


def dismantled(state: State, numbers: list[Any], seen: dict[int, int] | None = None) -> Skeleton:
    """The skeleton of a state: its structure without its real numbers, which are appended to `numbers`.
    `rebuilt` makes the state from both. Raises NotLinear for a part in which a policy could keep something that is not
    seen here. seen: the arrays so far, by identity; one that occurs again is the same array in a state that is
    rebuilt."""
    seen = {} if seen is None else seen
    if isinstance(state, tuple):
        if getattr(state, "__dict__", None):
            raise NotLinear(
                f"the state has type {type(state).__name__}, a tuple with additional attributes, which is not supported"
            )
        return ("tuple", type(state), tuple([dismantled(part, numbers, seen) for part in state]))
    if isinstance(state, np.ndarray):
        if id(state) in seen:
            return ("again", seen[id(state)])
        seen[id(state)] = len(seen)
    if isinstance(state, Form):
        numbers.append(state)
        return ("form",)
    forms = isinstance(state, FormArray) and state.dtype == object
    if forms or (type(state) is np.ndarray and state.dtype == np.float64):
        numbers += state.view(np.ndarray).ravel().tolist()
        return ("forms", state.shape, state.flags.writeable)
    if type(state) in (np.ndarray, FormArray) and state.dtype.kind in "biuUS" and state.dtype.metadata is None:
        return ("array", state.shape, state.flags.writeable, state.dtype.str, state.tobytes())
    if type(state) in PLAIN or (isinstance(state, np.generic) and type(state).__module__ == "numpy"):
        return ("value", type(state), repr(state), state)
    raise NotLinear(f"the state has a part of type {type(state).__name__}; only arrays and numbers can be merged")


def rebuilt(skeleton: Skeleton, numbers: Iterator[Any], filled: Callable[[np.ndarray], np.ndarray]) -> State:
    """The state with this skeleton and these real numbers, which are forms or plain numbers.
    filled: converts an array of them, with dtype object, to an array of the state."""
    arrays = list[np.ndarray]()

    def part_of_state(skeleton: Skeleton) -> State:
        """The part of the state with this skeleton."""
        kind = skeleton[0]
        if kind == "tuple":
            parts = [part_of_state(part) for part in skeleton[2]]
            return skeleton[1](*parts) if hasattr(skeleton[1], "_fields") else tuple(parts)
        if kind == "form":
            return next(numbers)
        if kind == "again":
            return arrays[skeleton[1]]
        if kind == "forms":
            array = np.empty(skeleton[1], dtype=object)
            for place in np.ndindex(skeleton[1]):
                array[place] = next(numbers)
            arrays.append(filled(array))
        elif kind == "array":
            arrays.append(np.frombuffer(skeleton[4], dtype=skeleton[3]).reshape(skeleton[1]).copy())
        else:
            return skeleton[3]
        arrays[-1].flags.writeable = skeleton[2]
        return arrays[-1]

    return part_of_state(skeleton)


def array_of_forms(array: np.ndarray) -> np.ndarray:
    """The array, viewed as an array of linear forms."""
    return array.view(FormArray)


def is_known(form: Form) -> bool:
    """Whether a form has the same value for all draws: it contains no symbol, or its constant is infinite."""
    return not form.coefficients or isinstance(form.constant, float)


def range_of_form(form: Form, symbols: Sequence[Symbol]) -> Unknown:
    """The range of values that a linear form can take, from the ranges of its symbols."""
    low, high, _, _ = range_of(tuple(form.coefficients.items()), symbols)
    assert isinstance(form.constant, Fraction)
    return Unknown(
        form.constant + low if isinstance(low, Fraction) else -inf,
        form.constant + high if isinstance(high, Fraction) else inf,
    )


# -- the symbols of a step ---------------------------------------------------------------------------------------------


class IssuedSymbols(list[Symbol]):
    """The symbols of one run of one step, by their numbers. A number of any other run is refused: a policy that shows
    one keeps values outside of its state.

    table: of the place from which the step starts, the same for all of its runs. run: counts all runs; the numbers of
    its symbols are those of the table, and run times STEP_SYMBOLS more.
    """

    def __init__(self) -> None:
        """Starts without any symbol."""
        super().__init__()
        self.table, self.run = SymbolTable(), 0

    def local(self, number: int) -> int:
        """The index, in the current step's symbol table, of a symbol that was issued with this number.
        Raises NotLinear for another run's number."""
        run, place = divmod(number, STEP_SYMBOLS)
        if run != self.run:
            raise NotLinear(
                f"a noisy or secret value that is stored outside the state is used at {policy_line()}; store it in the "
                "state"
            )
        return place

    def __getitem__(self, number: int) -> Symbol:  # type: ignore[override]
        """The symbol that was issued with this number."""
        return self.table.symbols[self.local(number)]

    def row(self, form: Form) -> Row:
        """A form's terms and constant, with the symbol numbers of the current step's table."""
        assert isinstance(form.constant, Fraction)
        terms = sorted((self.local(number), value) for number, value in form.coefficients.items())
        return Row(tuple(terms), form.constant)


@dataclass
class StepSymbols(SymbolTable):
    """Numbers the symbols of one run of one step after another."""

    symbols: IssuedSymbols = field(default_factory=IssuedSymbols)

    def begin(self, table: SymbolTable) -> None:
        """Begins another run of a step; symbols issued in earlier runs become invalid.
        table: the symbols of the step."""
        self.symbols.table = table
        self.symbols.run += 1

    def number_of(self, symbol: Symbol) -> int:
        """A number for this symbol. No symbol of another run of the step has the same.
        Raises NotLinear for a kind of draw that merged states do not support."""
        if symbol.kind not in FOLLOWED:
            raise NotLinear(f"{symbol.kind} draws are not supported with merged states, at {policy_line()}")
        return self.symbols.run * STEP_SYMBOLS + self.symbols.table.number_of(symbol)


@dataclass
class Steps:
    """Runs single steps of a policy in every possible way. most_effort: when to give up, see `traced_runs`. memory: the
    statement that a step has changed values that the policy stores outside of its state; "" if none has."""

    policy: Policy
    most_effort: int
    effort: int = 0
    steps: int = 0

    def __post_init__(self) -> None:
        """Prepares the table of symbols, and the tracer that plays single steps of the policy on symbols."""
        self.table = StepSymbols()
        self.symbols = self.table.symbols
        self.run, self.codes = Paths(self.table), new_code_record(self.policy)
        self.tracer = Tracer(self.policy, self.run, codes=self.codes)
        self.kept, self.checked, self.memory = stored_values(self.policy), Counter[int](), ""

    def first_place(self) -> Place:
        """The place (merged state) from which the first step starts."""
        self.table.begin(SymbolTable())
        self.run.begin(ROOT, [])
        place, _ = self.place_of(1, 0, self.tracer.first_state())
        return place

    def is_last(self, place: Place) -> bool:
        """Whether the run ends in the state at this place."""
        return place.used >= self.tracer.end

    def transitions(self, place: Place) -> tuple[SymbolTable, list[Transition]]:
        """The symbols of the step from a place, and all transitions of the step.
        The first symbol is DIFFERENCE; the unknowns of the place follow in their order."""
        table, found = SymbolTable(), []
        plan: list[tuple[int, int]] | None = []
        while plan is not None:
            self.steps += 1
            self.spend(STEP)
            self.table.begin(table)
            self.run.begin(ROOT, plan)
            with suppress(Impossible):
                found.append(self.transition(place))
            self.check_memory(place.step)
            plan = self.run.next_plan()
        return table, found

    def check_memory(self, step: int) -> None:
        """Checks whether the policy has changed stored values, in the first runs of each step, and notes it in
        `memory`."""
        self.checked[step] += 1
        if self.codes is not None and self.checked[step] <= CHECKED_RUNS and len(self.checked) <= CHECKED_STEPS:
            self.memory = self.memory or objection_to_memory(self.kept, stored_values(self.policy))

    def transition(self, place: Place) -> Transition:
        """The transition that a step of the current run takes from a place (merged state)."""
        step = self.tracer.step(place.step, self.state_at(place), place.used)
        following, unknowns = self.place_of(place.step + 1, place.used + step.used, step.state)
        intervals, comparisons, decisions = self.run.point
        local = self.symbols.local
        return Transition(
            step.released,
            tuple(each._replace(forms=tuple([self.as_local(form) for form in each.forms])) for each in decisions),
            tuple(each._replace(key=tuple([(local(n), value) for n, value in each.key])) for each in comparisons),
            tuple([local(reward) for reward in step.rewards]),
            following,
            tuple([self.symbols.row(form) for form in unknowns]),
            tuple([(tuple([(local(n), value) for n, value in key]), each) for key, each in intervals.items()]),
            step.executed,
        )

    def as_local(self, form: Form) -> Form:
        """The form with the symbol numbers of the current step's table."""
        terms, constant = self.symbols.row(form)
        return Form(self.run, dict(terms), constant)

    def state_at(self, place: Place) -> State:
        """The policy's state at a place (merged state), with a symbol for each unknown number."""
        self.table.number_of(DIFFERENCE)
        return rebuilt(place.skeleton, iter(forms_at(place, self.run)), array_of_forms)

    def place_of(self, step: int, used: int, state: State) -> tuple[Place, list[Form]]:
        """The place (merged state) that represents a state, and the forms that its unknowns stand for."""
        forms: list[Form] = []
        skeleton = dismantled(state, forms)
        numbers: list[Number] = [
            Known(form.constant) if is_known(form) else range_of_form(form, self.symbols) for form in forms
        ]
        return Place(step, used, skeleton, tuple(numbers)), [form for form in forms if not is_known(form)]

    def spend(self, effort: int) -> None:
        """Adds to the effort spent so far. Raises TooLong above the limit."""
        self.effort += effort
        if self.effort > self.most_effort:
            raise TooLong


def forms_at(place: Place, run: Run) -> list[Form]:
    """The real numbers in the state at a place of the graph, as linear forms.
    Constants if known, otherwise symbols for the unknowns."""
    found, unknowns = list[Form](), 0
    for number in place.numbers:
        if isinstance(number, Known):
            found.append(Form(run, {}, number.value))
        else:
            symbol = Symbol("unknown", (unknowns,), number.low, number.high)
            found.append(Form(run, {run.number_of(symbol): Fraction(1)}))
            unknowns += 1
    return found
