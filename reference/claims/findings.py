"""The data of a finding besides its verdict: certified numbers, each with the side on which the true value lies, and
the results for a guarantee. Sentences (`text`) and pictures are made from this data; no code parses sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from math import isfinite

from dpbandits.reference.claims.records import Cell, ColumnRecord, Table


class Side(StrEnum):
    """The side of the truth on which a number lies, which determines its direction of rounding."""

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
INPUT_DIGITS = 12  # of an input that a reader may type in: all digits but those that doubles add


def rounded(value: float, side: Side, digits: int = STORED_DIGITS) -> float:
    """The number rounded to this many significant digits: down, up or to nearest, as `side` says.
    A bound is never rounded to a stronger one. A number that has no more digits is unchanged, so rounding twice has no
    further effect."""
    if float(f"{value:.{digits - 1}e}") == value:
        return value + 0.0
    return float(Context(digits, ROUNDING[side]).create_decimal(Decimal(value))) + 0.0


def stored(value: float | None, side: Side = Side.NEAREST) -> float | None:
    """The number, rounded as findings store it. Returns None for None, inf and nan."""
    return None if value is None or not isfinite(value) else rounded(float(value), side)


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and the side of the numbers below it."""

    name: str
    side: Side = Side.EXACT


def below(name: str) -> Column:
    """A table column with this name for certified lower bounds, which are rounded down."""
    return Column(name, Side.BELOW)


def above(name: str) -> Column:
    """A table column with this name for certified upper bounds, which are rounded up."""
    return Column(name, Side.ABOVE)


def nearest(name: str) -> Column:
    """A table column with this name for estimates or formula values, which are rounded to nearest."""
    return Column(name, Side.NEAREST)


def columns_of(heads: Iterable[object]) -> tuple[Column, ...]:
    """The columns of a table. heads: columns, or plain headings for words, counts and settings."""
    return tuple(head if isinstance(head, Column) else Column(str(head)) for head in heads)


@dataclass(frozen=True)
class FailingRange:
    """The columns of a table that state where a claim fails, one row for each setting: from `low` to `high` of a
    variable, for the settings in the columns before `low`."""

    variable: str
    low: int
    high: int


def table_item(
    title: str, columns: Iterable[object], rows: Iterable[Sequence[Cell]], fails: FailingRange | None = None
) -> Table:
    """A table as evidence of a finding. columns: as `columns_of` takes them.
    rows: a cell for each column: text, a number, a truth value or None. fails: the columns that state for which values
    a claim fails."""
    heads: list[ColumnRecord] = [{"name": column.name, "side": column.side} for column in columns_of(columns)]
    made: Table = {"kind": "table", "title": title, "columns": heads, "rows": [list(row) for row in rows]}
    if fails is not None:
        made["fails"] = {"variable": fails.variable, "low": fails.low, "high": fails.high}
    return made


@dataclass(frozen=True)
class VariableRange:
    """The possible values of a variable of a formula. low, high: None if unbounded. whole: whether they are integers.
    values: the choices of a variable with few values."""

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    values: tuple[float, ...] = ()


# -- what was found, by kind of statement ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """A certified bound on a number. value: the bound; None if it is not finite. side: whether the bound is below or
    above the true number. unit: the name of the number, such as "eps" or "mu". at: the delta, or the order of a
    divergence, for which the bound holds, named by `place`; None if the number needs neither. method: the basis of the
    certificate, as in the ledger. risk: the probability that the bound is wrong; 0 for a certain bound."""

    value: float | None
    side: Side
    unit: str
    at: float | None = None
    place: str = ""
    method: str = ""
    risk: float = 0.0


@dataclass(frozen=True)
class Promise:
    """A privacy guarantee. name: its name, such as "(1, 1e-06)-DP". unit: the name of its number, such as "eps". value,
    at: the number, and its delta or order, at the examined place; None if the guarantee is a curve and no place was
    examined."""

    name: str
    unit: str
    value: float | None = None
    at: float | None = None


@dataclass(frozen=True)
class Enclosure:
    """The lower and upper bound of a number, and its claimed value at the same place."""

    low: Bound
    high: Bound
    claimed: float | None
    refutes: bool


@dataclass(frozen=True)
class Sampled:
    """The result from samples. certified: the certified lower bound. claimed: the claimed value at the same place.
    trials: the number of trials with each input that certify. drawn_at: the inputs of the samples, if they differ from
    the instance's inputs; stopped: for a sequential audit, the number of trials after which it stopped, in words;
    learnt: whether the score was learned from other trials, by_law: whether the score is computed from the subject's
    own law."""

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
    """The smallest violation by mechanisms of one kind that the samples would have detected. violation: the number of
    this violation, such as its eps. called: the exact guarantee of such a mechanism, such as "0.5-GDP". mechanism: the
    kind of mechanism, such as "Laplace". probability: the probability of detection."""

    violation: Bound
    called: str
    mechanism: str
    probability: float


@dataclass(frozen=True)
class InstanceParameter:
    """A parameter of an instance. name: as in the code. value: a number, a list, or a text. The parameter "environment"
    has the name of a kind of rewards, and is followed by the parameters of these rewards."""

    name: str
    value: int | float | str | tuple[object, ...]


@dataclass(frozen=True)
class Instance:
    """The audit of one instance. name: identifies it among the claim's instances; empty for a given subject that
    replaces the claim's own. arms: the number of arms, for a single step with pull counts. judged_at: the inputs that
    decided, if they are not its own. promise: None if a precondition is false. wrong: behaviour that contradicts the
    declared law. idle: why nothing was tested. remarks: other limits of the test. search: how the pair of inputs was
    found."""

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
    parameters: tuple[InstanceParameter, ...] = ()


@dataclass(frozen=True)
class Stretch:
    """Equal rewards of a table. place: the pulls or rounds, and the side if the sides differ. rewards: of each arm, as
    text to 12 digits; for a context its features. side: "left" or "right" for what differs; empty for what both tables
    share."""

    place: str
    rewards: tuple[str, ...]
    side: str = ""


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring tables of rewards. relation: the unit of places, such as "pull"."""

    relation: str
    arms: int
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True)
class Event:
    """An event that distinguishes the neighbours. left, right: how often the event occurred with each input. runs: the
    number of runs with each input. certified: the certified bound."""

    left: float
    right: float
    runs: int
    certified: Bound


@dataclass(frozen=True)
class Beginning:
    """How often transcripts began in this way with each of the two inputs."""

    released: str
    left: float
    right: float


@dataclass(frozen=True)
class Beginnings:
    """The most distinguishing beginnings of transcripts, all of one length, with their frequencies in this many runs;
    they certify nothing."""

    length: int
    runs: int
    every: tuple[Beginning, ...]


@dataclass(frozen=True)
class PrivacyFound:
    """The audits of all instances of a privacy guarantee. hardest: the index of the deciding instance, to which the
    neighbours, the event and the beginnings belong."""

    instances: tuple[Instance, ...]
    hardest: int = 0
    neighbours: Neighbours | None = None
    event: Event | None = None
    beginnings: Beginnings | None = None
    kind: str = "privacy"


@dataclass(frozen=True)
class LabelPart:
    """A part of a setting's label, or a difference of settings. name, value: of a parameter; empty and None for other
    parts. text: of a parameter as in the label, of other parts as in sentences."""

    text: str
    name: str = ""
    value: float | None = None


@dataclass(frozen=True)
class Setting:
    """A setting of an experiment: the mean over its repetitions, and the standard deviation of one. parts: of its
    label, if known. difference: whether it is a difference of two settings."""

    label: str
    average: float
    spread: float
    repetitions: int
    parts: tuple[LabelPart, ...] = ()
    difference: bool = False


@dataclass(frozen=True)
class Order:
    """A comparison of two settings. as_claimed, reversed, tied: the number of repetitions with this result. difference:
    larger minus smaller, on average. certified: "as claimed", "other way round" or "undecided"."""

    smaller: str
    larger: str
    as_claimed: int
    reversed: int
    tied: int
    difference: float
    certified: str


@dataclass(frozen=True)
class OrderFound:
    """Which of two settings has the smaller quantity in most repetitions. averaged: runs of a repetition. needed: the
    number of repetitions that certify an order, each at this risk. detectable: the fraction of all repetitions in which
    an order must hold to be certified with this probability. figure: the paper's figure, or section, in which such
    results are plotted; empty for none."""

    quantity: str
    averaged: int
    repetitions: int
    needed: int
    risk: float
    detectable: float
    probability: float
    settings: tuple[Setting, ...]
    orders: tuple[Order, ...]
    figure: str = ""
    kind: str = "order"


@dataclass(frozen=True)
class CheckFound:
    """A comparison of an implementation with the law of a policy. log10_evidence: against the law; None if it is not
    refuted. runs: in an environment; steps: of the longest run. one_step, every_step: the error of a probability of
    about one half that would be detected with this probability if it occurs in one step of all runs, or in all steps;
    None if no error is large enough."""

    log10_evidence: float | None = None
    runs: int = 0
    steps: int = 0
    one_step: float | None = None
    every_step: float | None = None
    probability: float = 0.0
    kind: str = "check"


@dataclass(frozen=True)
class Assigned:
    """The value of a variable of a formula, as text: all digits of an integer, 12 of another number, or a choice."""

    name: str
    value: str


@dataclass(frozen=True)
class Violated:
    """A point at which a formula fails in interval arithmetic. certified: whether there is a certificate; then left and
    right are the values of the sides as text, to 8 digits, or their enclosures."""

    point: tuple[Assigned, ...]
    certified: bool
    left: str = ""
    right: str = ""


@dataclass(frozen=True)
class Tightest:
    """The point at which a formula comes closest to failing. slack: right minus left there, relative to the size of the
    sides."""

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
    """The result for an inequality or identity over its domain. relation: "<=", "<" or "==", and within: the tolerance
    of an identity as text, empty for none. proof: None if it is not proved. applies: whether the preconditions hold
    somewhere. boxes: the number of boxes into which the domain was divided. closed, open: the shares of the domain that
    interval arithmetic proved, and did not prove. tried: points at which the formula was evaluated. difference: for an
    identity without tolerance, the largest relative difference of the sides that rounding cannot exclude. undefined_at:
    a point of the domain at which a side is undefined. limited: why the search was limited. combinations: the number of
    choices of the integer variables that were tried; 0 for all of them."""

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
    """The runs that would have refuted a bound on a mean. mean: the threshold if all runs lie beyond it. Or, for a
    quantity with two values, runs: the number of runs at its high end, or more (for a lower bound: or fewer); a true
    value of `detected` leads to such runs with this probability."""

    mean: float | None = None
    runs: int | None = None
    detected: float | None = None
    probability: float = 0.0


@dataclass(frozen=True)
class BoundedMean:
    """The expectation of a quantity at one instance, and its claimed bound. bound: None if a precondition is false, or
    if it is infinite. least, most: bounds on the expectation that hold for every policy; None if there are none. mean:
    the mean over the runs; low, high: certified limits of the expectation; ratio: the ratio of the mean to the bound;
    None if nothing was played. refuting: None if no outcome of this many runs could have refuted the bound."""

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
    parameters: tuple[InstanceParameter, ...] = ()


@dataclass(frozen=True)
class RegretFound:
    """Bounds on the expectation of a quantity, instance by instance. upper: whether they are upper bounds. hardest: the
    index of the instance that is closest to its bound; None if nothing was played. risk: of each instance, the
    probability that its limits are wrong."""

    quantity: str
    upper: bool
    instances: tuple[BoundedMean, ...]
    hardest: int | None
    risk: float
    kind: str = "regret"


@dataclass(frozen=True)
class ArgumentStep:
    """A machine-checked step of an argument. by: a basis of the ledger."""

    words: str
    by: str
    holds: bool


@dataclass(frozen=True)
class ArgumentFound:
    """An argument in words. words: the argument. steps: its machine-checked steps. played: whether runs of the
    algorithm agreed with the argument; None if nothing was played. of_formula: whether it proves a formula. theorem:
    the Rocq theorem that the kernel checked in place of the argument; empty for none."""

    words: str
    steps: tuple[ArgumentStep, ...]
    played: bool | None = None
    of_formula: bool = False
    theorem: str = ""
    kind: str = "argument"

    @property
    def holds(self) -> bool:
        """Whether every step of the argument holds, and no simulation of it contradicted it."""
        return all(step.holds for step in self.steps) and self.played is not False


# What a finding may hold, one type for each kind of statement.
Found = PrivacyFound | OrderFound | CheckFound | FormulaFound | RegretFound | ArgumentFound


@dataclass(frozen=True)
class Needs:
    """The effort that a test would need. profile: the name of a sufficient profile; empty if a larger run of this
    profile is needed."""

    profile: str = ""
