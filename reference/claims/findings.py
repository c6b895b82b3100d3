"""The data of a finding besides its verdict: certified numbers with the side on which the truth lies, and the results
for a guarantee. Sentences (`text`) and pictures are made from this data; no code parses sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from math import isfinite
from typing import Any


class Side(StrEnum):
    """On which side of the truth a number lies, and so which way it may be rounded."""

    BELOW = "below"  # a lower bound: rounded down
    ABOVE = "above"  # an upper bound: rounded up
    NEAREST = "nearest"  # an estimate, or a value of a formula: rounded to the nearest
    EXACT = "exact"  # words, counts and settings: not rounded in what is stored


ROUNDING = {
    Side.BELOW: ROUND_FLOOR,
    Side.ABOVE: ROUND_CEILING,
    Side.NEAREST: ROUND_HALF_EVEN,
    Side.EXACT: ROUND_HALF_EVEN,
}


STORED_DIGITS = 6  # significant digits of a number in a finding


def rounded(value: float, side: Side, digits: int = STORED_DIGITS) -> float:
    """The number with so many significant digits, toward its side: a bound is never rounded into a stronger one. One
    that is written with so many digits stays, so that to round it again changes nothing."""
    if float(f"{value:.{digits - 1}e}") == value:
        return value + 0.0
    return float(Context(digits, ROUNDING[side]).create_decimal(Decimal(value))) + 0.0


def stored(value: float | None, side: Side = Side.NEAREST) -> float | None:
    """The number as a finding holds it; None for none, and for one that is not finite."""
    return None if value is None or not isfinite(value) else rounded(float(value), side)


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and the side of the numbers below it."""

    name: str
    side: Side = Side.EXACT


def below(name: str) -> Column:
    """A column of certified lower bounds."""
    return Column(name, Side.BELOW)


def above(name: str) -> Column:
    """A column of certified upper bounds."""
    return Column(name, Side.ABOVE)


def nearest(name: str) -> Column:
    """A column of estimates, or of values of a formula."""
    return Column(name, Side.NEAREST)


def columns_of(heads: Iterable[object]) -> tuple[Column, ...]:
    """The columns. heads: columns, and headings alone for words, counts and settings."""
    return tuple(head if isinstance(head, Column) else Column(str(head)) for head in heads)


@dataclass(frozen=True)
class FailingRange:
    """Which columns of a table say where a statement fails, a setting a row: from `low` to `high` of a variable, for
    the settings in the columns before `low`."""

    variable: str
    low: int
    high: int


Item = dict[str, Any]  # a piece of evidence, as JSON: a table, a plot or a certificate


def table_item(
    title: str, columns: Iterable[object], rows: Iterable[Sequence[object]], fails: FailingRange | None = None
) -> Item:
    """A table as evidence of a finding. columns: as `columns_of` takes them. rows: a cell for each column: text, a
    number, a truth value or None. fails: where it says for which values a statement fails."""
    heads = [asdict(column) for column in columns_of(columns)]
    made = {"kind": "table", "title": title, "columns": heads, "rows": [list(row) for row in rows]}
    return made if fails is None else made | {"fails": asdict(fails)}


@dataclass(frozen=True)
class VariableRange:
    """The values that a variable of a formula may have. low, high: None where there is no end. whole: whether they are
    whole numbers. values: where it is one of a few."""

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    values: tuple[float, ...] = ()


# -- what was found, by kind of statement ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """A certified number. value: None where it is not finite. side: of the truth. unit: what the number is called, such
    as "eps" or "mu". at: the delta, or the order of a divergence, that it belongs to, which `place` names; None where
    the number says it all. method: what certifies it, a basis of the ledger. risk: the probability that it is wrong; 0
    for what is certain."""

    value: float | None
    side: Side
    unit: str
    at: float | None = None
    place: str = ""
    method: str = ""
    risk: float = 0.0


@dataclass(frozen=True)
class Promise:
    """A promise of privacy. name: such as "(1, 1e-06)-DP". unit: of its number. value, at: the number, and its delta or
    order, at the place that was examined; None where the promise is a curve and no place was."""

    name: str
    unit: str
    value: float | None = None
    at: float | None = None


@dataclass(frozen=True)
class Enclosure:
    """The number between two bounds, and what is claimed of it at the same place."""

    low: Bound
    high: Bound
    claimed: float | None
    refutes: bool


@dataclass(frozen=True)
class Sampled:
    """What samples certify. certified: the lower bound. claimed: at the same place. trials: fresh ones, on either side.
    drawn_at: the inputs, where they are not the instance's; stopped: after how many trials an audit that stops by
    itself did so, in words; learnt: whether the score was learnt from other trials, by_law: whether it is the subject's
    own law's."""

    certified: Bound
    claimed: float | None
    refutes: bool
    trials: int
    drawn_at: str = ""
    stopped: str = ""
    learnt: bool = False
    by_law: bool = False


@dataclass(frozen=True)
class Power:
    """The smallest violation by mechanisms of one kind that the samples would have detected. violation: its number.
    called: what such a mechanism keeps exactly, such as "0.5-GDP". mechanism: the kind, such as "Laplace". probability:
    of detection."""

    violation: Bound
    called: str
    mechanism: str
    probability: float


@dataclass(frozen=True)
class Instance:
    """The audit of one instance. name: its parameters; empty for a subject that was given in place
    of the claim's own. arms: of a single step with pull counts, how many. judged_at:
    the inputs that decided, where they are not its own. promise: None where a precondition is false. wrong: behaviour
    that contradicts the declared law. idle: why nothing was tested. remarks: what else limits the test. search: how the
    pair of inputs was found."""

    name: str
    verdict: str
    promise: Promise | None
    arms: int | None = None
    judged_at: str = ""
    law: Enclosure | None = None
    sampled: Sampled | None = None
    power: tuple[Power, ...] = ()
    wrong: str = ""
    idle: str = ""
    remarks: tuple[str, ...] = ()
    search: str = ""


@dataclass(frozen=True)
class Stretch:
    """Equal rewards of a table. place: which pulls or rounds, and on which side where the sides differ. rewards: of
    each arm, as text to 12 digits; of a context its features."""

    place: str
    rewards: tuple[str, ...]


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring tables of rewards. relation: what is counted, such as "pull"."""

    relation: str
    arms: int
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True)
class Event:
    """An event that tells the neighbours apart. left, right: how often it came about. runs: on either side. certified:
    what that shows."""

    left: float
    right: float
    runs: int
    certified: Bound


@dataclass(frozen=True)
class Beginning:
    """How often transcripts began so on either side."""

    released: str
    left: float
    right: float


@dataclass(frozen=True)
class Beginnings:
    """The beginnings of transcripts, all of one length, that tell the neighbours apart best; frequencies in so many
    runs, by which nothing is certified."""

    length: int
    runs: int
    every: tuple[Beginning, ...]


@dataclass(frozen=True)
class PrivacyFound:
    """The audits of all instances of a promise of privacy. hardest: the place of the instance that decides, which the
    neighbours, the event and the beginnings belong to."""

    instances: tuple[Instance, ...]
    hardest: int = 0
    neighbours: Neighbours | None = None
    event: Event | None = None
    beginnings: Beginnings | None = None
    kind: str = "privacy"


@dataclass(frozen=True)
class LabelPart:
    """A part of a setting's label. name, value: of a parameter; empty and None for other parts."""

    text: str
    name: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Setting:
    """A setting of an experiment: the mean over its repetitions, and the standard deviation of one. parts: those of its
    label, where they are known."""

    label: str
    average: float
    spread: float
    repetitions: int
    parts: tuple[LabelPart, ...] = ()


@dataclass(frozen=True)
class Order:
    """A comparison of two settings. as_claimed, reversed, tied: how many repetitions came out so. difference: larger
    minus smaller, on average. certified: "as claimed", "other way round" or "undecided"."""

    smaller: str
    larger: str
    as_claimed: int
    reversed: int
    tied: int
    difference: float
    certified: str


@dataclass(frozen=True)
class OrderFound:
    """Which of two settings has the smaller quantity in most repetitions. averaged: runs of a repetition. needed: how
    many repetitions certify an order, at this risk each. detectable: the share of all repetitions with which an order
    is certified with this probability."""

    quantity: str
    averaged: int
    repetitions: int
    needed: int
    risk: float
    detectable: float
    probability: float
    settings: tuple[Setting, ...]
    orders: tuple[Order, ...]
    kind: str = "order"


@dataclass(frozen=True)
class CheckFound:
    """An implementation against the law of a policy. log10_evidence: against the law; None where it is not refuted.
    runs: in an environment; steps: of the longest run. one_step, every_step: by how much a chance of about one half
    would have to be off in one step of all runs, or in all steps, to be detected with this probability; None where no
    chance can be off by so much."""

    log10_evidence: float | None = None
    runs: int = 0
    steps: int = 0
    one_step: float | None = None
    every_step: float | None = None
    probability: float = 0.0
    kind: str = "check"


@dataclass(frozen=True)
class Assigned:
    """The value of a variable of a formula, as text: all digits of a whole number, 12 of another, or a choice."""

    name: str
    value: str


@dataclass(frozen=True)
class Violated:
    """A point at which a formula fails in interval arithmetic. certified: whether a certificate says so; then left and
    right are the values of the sides as text, to 8 digits, or their enclosures."""

    point: tuple[Assigned, ...]
    certified: bool
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class Tightest:
    """The point at which a formula comes nearest to failing. slack: by how much it holds there, relative to the size
    of its sides."""

    point: tuple[Assigned, ...]
    slack: float | None


class FormulaProof(StrEnum):
    """How a formula was proved over its whole domain."""

    SUBDIVISION = "interval arithmetic over boxes"
    SAME_TEXT = "the same text"
    SAME_EXPRESSION = "the same expression"
    SAME_SQUARE = "the same square"
    NONNEGATIVE_COEFFICIENTS = "nonnegative coefficients"
    SMALLER_POWERS = "a smaller product of powers"
    SAME_POWERS = "the same product of powers"
    DERIVATIVE = "the sign of the derivative"


@dataclass(frozen=True)
class FormulaFound:
    """What was found of an inequality or identity over its domain. relation: "<=", "<" or "==", and within: the
    tolerance of an identity as text, empty for none. proof: None where it is not proved. applies: whether the
    preconditions hold somewhere. boxes: into which the domain was divided. closed, open: the shares of the domain that
    interval arithmetic proved and left. tried: points at which the formula was evaluated. difference: of an identity
    without tolerance, the largest relative difference of the sides that rounding leaves room for. undefined_at: a point
    of the domain at which a side is not defined. limited: why the search was limited. combinations: how many choices of
    the whole-number variables were tried; 0 for all of them."""

    relation: str
    within: str = ""
    proof: FormulaProof | None = None
    applies: bool = True
    violated: Violated | None = None
    tightest: Tightest | None = None
    difference: float | None = None
    boxes: int = 0
    closed: float = 0.0
    open: float = 1.0
    tried: int = 0
    undefined_at: tuple[Assigned, ...] | None = None
    limited: str = ""
    combinations: int = 0
    kind: str = "formula"


@dataclass(frozen=True)
class Refuting:
    """Which runs would have refuted a bound on a mean. mean: all of them beyond it. Or, of a quantity with two values,
    runs: so many of them at its high end, or more (of a lower bound: or fewer), which a true value of `detected`
    leads to with this probability."""

    mean: float | None = None
    runs: int | None = None
    detected: float | None = None
    probability: float = 0.0


@dataclass(frozen=True)
class BoundedMean:
    """The expectation of a quantity at one instance, beside its bound. bound: None where a precondition is false, and
    where it is infinite. least, most: expectations that no policy can be below or above; None where there are none.
    mean: over the runs; low, high: its certified limits; ratio: of the mean to the bound; None where nothing was
    played. refuting: None where no outcome of so many runs could have refuted the bound."""

    name: str
    verdict: str
    bound: float | None
    least: float | None
    most: float | None
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    ratio: float | None = None
    runs: int = 0
    refuting: Refuting | None = None


@dataclass(frozen=True)
class RegretFound:
    """Bounds on the expectation of a quantity, instance by instance. upper: whether they bound it from above. hardest:
    the place of the instance that comes nearest to its bound; None where nothing was played. risk: of each instance,
    the probability that its limits are wrong."""

    quantity: str
    upper: bool
    instances: tuple[BoundedMean, ...]
    hardest: int | None
    risk: float
    kind: str = "regret"


@dataclass(frozen=True)
class ArgumentStep:
    """A step of an argument that a machine decides. by: a basis of the ledger."""

    words: str
    by: str
    holds: bool


@dataclass(frozen=True)
class ArgumentFound:
    """An argument in words. words: the argument. steps: those of its steps that a machine decides. played: whether what
    was played on the algorithm came out as the argument says; None where nothing was played. of_formula: whether it
    proves a formula. theorem: the theorem of Rocq that the kernel has checked in the argument's place; empty for none.
    """

    words: str
    steps: tuple[ArgumentStep, ...]
    played: bool | None = None
    of_formula: bool = False
    theorem: str = ""
    kind: str = "argument"

    @property
    def holds(self) -> bool:
        """Whether nothing of it failed."""
        return all(step.holds for step in self.steps) and self.played is not False


# What a finding may hold, one type for each kind of statement.
Found = PrivacyFound | OrderFound | CheckFound | FormulaFound | RegretFound | ArgumentFound


@dataclass(frozen=True)
class Needs:
    """What it would take to test something. profile: the name of a profile that does; empty for a larger one than the
    run's."""

    profile: str = ""
