"""A statement with its free variables: the inequality, its value at one exact point, and which variables are
integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from dpbandits.proofs_checks.formulas.counterexample_search import relative_slack
from dpbandits.proofs_checks.formulas.domains import Axis
from dpbandits.proofs_checks.formulas.evaluation_cost import OperationCount, TooLong
from dpbandits.proofs_checks.formulas.integer_operands import with_integer_operands
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text, exact_as_printed, reject_rounded_double
from dpbandits.proofs_checks.vocabularies.exact_points import as_interval, is_certainly_at_most, rational_vocabulary
from dpbandits.proofs_checks.vocabularies.intervals import Defined, Interval
from dpbandits.reference.arithmetic.vocabulary import Number, Sides, Vocabulary, doubles
from dpbandits.reference.bandits.noise import Array, Flags
from dpbandits.reference.claims.findings import Assigned
from dpbandits.reference.claims.model import Formula, Identity, Inequality, Side
from dpbandits.reference.claims.text import point_in_words

NO_COUNTS: frozenset[str] = frozenset()
TOO_LONG = 1_500_000  # operations of one evaluation: refused
SMALL_COUNTS, MOST_COUNTS = 40, 150  # formulas that count with n take time proportional to n
LARGE_COUNTS = (50, 100, 200, 500, 1000, 2000)


class Statement:
    """An Inequality or Identity with its non-numeric variables filled in: left <= right demands."""

    def __init__(self, says: Inequality | Identity, fixed: Mapping[str, object], counts: frozenset[str] = NO_COUNTS):
        """Stores a statement in which some variables have fixed values. counts: those that are Python integers."""
        self.says = says
        self.fixed = fixed
        self.counts = counts  # the fixed variables that are whole numbers to count with
        self.strict = says.strict
        self.within = Fraction(exact_as_printed(says.within))

    def all_variables(self, m: Vocabulary, variables: Mapping[str, Number]) -> dict[str, Number]:
        """Returns the values of all variables of the formulas: the given ones and the fixed ones.
        Fixed integers may be used as Python integers."""
        return {**with_integer_operands(m, self.fixed, self.counts), **variables}

    def sides(self, m: Vocabulary, variables: Mapping[str, Number]) -> Sides:
        """The values (left, right) of the two sides of the statement, at these values of the variables."""
        return evaluate_both_sides(self.says.left, self.says.right, m, self.all_variables(m, variables))

    def demands(self, m: Vocabulary, variables: Mapping[str, Number]) -> list[Sides]:
        """The inequalities left <= right which the statement demands, as pairs of values."""
        left, right = self.sides(m, variables)
        if self.says.sign != "==":
            return [(left, right)]
        within = m.number(self.within)
        return [(left, right + within), (right, left + within)]

    def given(self, m: Vocabulary, variables: Mapping[str, Number]) -> list[Sides]:
        """The values of the left and the right side of every precondition left <= right."""
        every = self.all_variables(m, variables)
        return [evaluate_both_sides(p, q, m, every) for p, q in self.says.given]

    def slack(self, variables: Mapping[str, Array]) -> tuple[Array, Flags]:
        """Returns the relative slack at each point, and whether the preconditions hold, in doubles.
        The slack is negative where the statement fails."""
        holds: Flags = np.array(True)
        for p, q in self.given(doubles, variables):
            holds = holds & np.less_equal(p, q)
        return relative_slack(self.demands(doubles, variables)), holds


def evaluate_both_sides(left: Formula, right: Formula, m: Vocabulary, variables: Mapping[str, Number]) -> Sides:
    """Evaluates two formulas, and returns (left, right). A function that returns both is called once."""
    if isinstance(left, Side) and right == Side(left.function, 1) and left.place == 0:
        first, second = left.function(m, **variables)
        return first, second
    return left(m, **variables), right(m, **variables)


@dataclass(frozen=True)
class ExactEvaluation:
    """A statement at one exact point. slack: relative, the smallest over its demands, to about 15 digits."""

    point: Mapping[str, Fraction]
    applies: bool | None  # None: the preconditions cannot be decided
    violated: bool
    holds: bool
    undefined: bool
    slack: float


def at_point(statement: Statement, point: Mapping[str, Fraction]) -> ExactEvaluation:
    """The evaluation of the statement at one exact point, in rational and 50-digit interval arithmetic."""
    variables = {name: rational_vocabulary.number(value) for name, value in point.items()}
    applies: bool | None = True
    for p, q in statement.given(rational_vocabulary, variables):
        if is_certainly_at_most(q, p, strictly=True) or undefined_everywhere(p) or undefined_everywhere(q):
            return ExactEvaluation(point, False, False, True, False, float("inf"))
        applies = applies if is_certainly_at_most(p, q) else None
    violated, holds, undefined, slack = False, True, False, float("inf")
    for left, right in statement.demands(rational_vocabulary, variables):
        undefined |= undefined_everywhere(left) or undefined_everywhere(right)
        violated |= is_certainly_at_most(right, left, strictly=not statement.strict)
        holds &= is_certainly_at_most(left, right, strictly=statement.strict)
        if not undefined:
            slack = min(slack, relative_gap(as_interval(left), as_interval(right)))
    return ExactEvaluation(point, applies, violated and applies is True, holds, undefined, slack)


def undefined_everywhere(value: object) -> bool:
    """Whether the value is certainly undefined."""
    return as_interval(value).defined == Defined.NOWHERE


def relative_gap(left: Interval, right: Interval) -> float:
    """An approximation of (right - left)/(|left| + |right|) for display, from enclosures of both sides."""
    size, gap = abs(left) + abs(right), right - left
    if size.low == size.high == 0:
        return 0.0
    low, high = (gap / size).bounds
    if not np.isfinite(low) or not np.isfinite(high):
        return float("inf")
    return low / 2 + high / 2 if high - low < 0.01 else 0.0  # 0.0: rounding hides it, even at 50 digits


def point_as_data(point: Mapping[str, Fraction], fixed: Mapping[str, object] | None = None) -> tuple[Assigned, ...]:
    """A point of a formula's domain as findings store it. fixed: the non-numeric variables."""
    digits = {name: 40 if value.denominator == 1 else 12 for name, value in point.items()}  # 2^53 + 1 is not 2^53
    numbers = [Assigned(name, decimal_text(value, digits[name])) for name, value in point.items()]
    return (*numbers, *(Assigned(name, str(value)) for name, value in (fixed or {}).items()))


def shown_point(point: Mapping[str, Fraction], fixed: Mapping[str, object] | None = None) -> str:
    """The point in words for a reader. fixed: the non-numeric variables."""
    return point_in_words(point_as_data(point, fixed))


def count_operations(statement: Statement, axes: list[Axis]) -> int:
    """The number of operations in one evaluation of the statement; TOO_LONG + 1 if it exceeds TOO_LONG.
    Raises TypeError for a formula that contains rounded doubles, or tests values for equality."""
    tally = OperationCount(TOO_LONG)
    variables = {axis.name: tally.token for axis in axes}
    try:
        pairs = [*statement.given(tally, variables), *statement.demands(tally, variables)]
    except TooLong:
        return TOO_LONG + 1
    for side in (side for pair in pairs for side in pair):
        reject_rounded_double(side)
    return tally.operations


# -- whole numbers to count with -----------------------------------------------------------------------------------


def counting_axes(statement: Statement, axes: list[Axis]) -> list[Axis]:
    """Returns the integer variables that the formulas need as Python integers, for example in range(n).
    For example in range(n), comb(n, k) or a list's index. No variables if a symbolic number can replace them."""
    tally = OperationCount(TOO_LONG)
    variables = {axis.name: tally.token for axis in axes}
    try:
        statement.given(tally, variables)
        statement.demands(tally, variables)
    except TooLong:
        return []
    except TypeError:
        whole = [axis for axis in axes if axis.whole or all(value.denominator == 1 for value in axis.values)]
        whole = [axis for axis in whole if axis.whole or axis.values]
        if not whole:
            raise
        return whole
    return []


def counting_values(axes: list[Axis], rng: np.random.Generator) -> tuple[list[dict[str, int]], bool]:
    """Integer values to try for the counting variables, and whether these are all values of the domain.
    Every combination if there are few, otherwise small ones and random ones."""
    ranges = []
    complete = True
    for axis in axes:
        values = [int(value) for value in axis.values]
        if not values:
            first = int(axis.low)
            last = min(axis.high, first + SMALL_COUNTS)
            complete &= last == axis.high
            values = [*range(first, int(last) + 1), *(n for n in LARGE_COUNTS if last < n <= axis.high)]
        ranges.append(values)
    total = int(np.prod([float(len(values)) for values in ranges]))
    names = [axis.name for axis in axes]
    if total <= MOST_COUNTS:
        return [dict(zip(names, choice, strict=True)) for choice in product(*ranges)], complete
    few = [values[: max(2, int(MOST_COUNTS ** (1 / len(axes)) / 2))] for values in ranges]
    picked = set(product(*few))
    while len(picked) < MOST_COUNTS:
        picked.add(tuple(values[int(rng.integers(len(values)))] for values in ranges))
    return [dict(zip(names, choice, strict=True)) for choice in sorted(picked)], False
