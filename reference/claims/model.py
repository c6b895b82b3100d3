"""The data types of the ledger: the statement of a paper (Claim), its place (Source), and the result of its check
(Verdict, Finding).

Claims are data: they never contain a verdict. The *expected* verdict, and the reason for it, is part of a claim, so
that a positive control (a printed statement known to be false) makes the run fail when the audit loses the power to
refute it. No code that computes a verdict reads the expected one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal, NamedTuple

from dpbandits.reference.arithmetic.vocabulary import Number, Sides
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.quantities import Quantity, demand_quantity
from dpbandits.reference.claims.findings import Found, Needs
from dpbandits.reference.claims.records import Item


class Verdict(StrEnum):
    """The possible verdicts on a claim."""

    PROVED = "PROVED"  # by machine over the whole stated domain; `rests_on` says on what
    ARGUED = "ARGUED"  # an argument in words carries it, with steps by machine; the words stand in the finding
    CONSISTENT = "CONSISTENT"  # not refuted; carries the resolution of the attempt
    REFUTED = "REFUTED"  # carries a certificate or a certified point
    NOT_APPLICABLE = "NOT_APPLICABLE"  # a precondition is false for this subject
    NOT_EXERCISED = "NOT_EXERCISED"  # the attempt could not have failed, so nothing was tested
    UNSUPPORTED = "UNSUPPORTED"  # no judge for this kind of statement


class Basis(StrEnum):
    """The basis of a verdict. A finding lists all of them, including those of its premises."""

    KERNEL = "machine-checked proof"  # of Rocq, by its kernel
    INTERVALS = "interval arithmetic"
    DOUBLES = "doubles rounded outward"  # by margins that are argued for, which trust scipy's Phi, and log and exp
    ALGEBRA = "exact algebra"
    ALIGNMENT = "randomness alignment"  # moves of the noise that make up for every change, in rational numbers
    EXACT_LAW = "exact law"  # a certified privacy profile, of a law that the subject states
    SAMPLES = "samples"  # with the risk that the run states
    CITED = "cited theorem"  # of another text, not proved here; a claim's `cites` names it
    WORDS = "argument in words"


class Reading(StrEnum):
    """How a sentence was read; the claim's `scope` states what this reading covers."""

    PRINTED = "printed"  # what its authors say, whole, with its qualifiers and preconditions
    QUOTED = "as quoted elsewhere"  # the sentence, or the algorithm it is about, was read in another text: `seen_in`
    STEP = "one step of it"  # a formula, or one step of a proof, that the sentence needs; the sentence says more
    LETTER = "to the letter"  # what stands there, although something else is meant
    REPAIRED = "repaired"  # what it has to be to hold
    OURS = "ours"  # a statement of ours, which the paper does not make


class Fault(StrEnum):
    """The kind of error in a refuted statement."""

    MISPRINT = "misprint"
    EDGE_CASE = "edge case"
    CONSTANT = "wrong constant"
    FACTOR = "missing factor"
    QUANTIFIER = "quantifier"
    DIRECTION = "direction"
    FALSE = "false"


class Harm(StrEnum):
    """The consequences for those who rely on a refuted statement; the worst first."""

    GUARANTEE = "the guarantee that a user relies on fails"
    STATEMENT = "the statement is false as printed, repaired here"
    NUMBER = "a number is off"
    OPEN = "the proof has a gap, and whether the statement holds is open"
    PROOF = "the proof has a gap, the statement stands"
    NONE = "nothing breaks"


ESTABLISHED_VERDICTS = frozenset({Verdict.PROVED, Verdict.ARGUED})  # what others may follow from
HOLDS = ESTABLISHED_VERDICTS | {Verdict.CONSISTENT}
UNTESTED = frozenset(Verdict) - HOLDS - {Verdict.REFUTED}  # nothing was asked that could have failed


class StatementKind(StrEnum):
    """The kinds of numbered statements, the weightiest first."""

    THEOREM = "Theorem"
    COROLLARY = "Corollary"
    PROPOSITION = "Proposition"
    LEMMA = "Lemma"


class Numbered(NamedTuple):
    """A numbered statement of a paper, such as Theorem 7."""

    kind: StatementKind
    number: str

    @property
    def name(self) -> str:
        """The kind and the number as a label, such as "Theorem 7"."""
        return f"{self.kind} {self.number}"


class Source(NamedTuple):
    """Where a statement is printed: the page's name, every printed numbering, and the sentence.

    seen_in: the secondary source that was read instead of the paper, as the end of "as quoted in ..."; empty if the
    sentence, and the objects it is about, were read in the paper itself. unseen: the parts of the paper that were not
    available. statement: the numbered statement that the sentence is or belongs to, such as "Theorem 7"; empty if
    `where` is exactly that, and for steps of proofs and other sentences.
    """

    paper: str
    where: str
    quote: str
    seen_in: str = ""
    unseen: str = ""
    statement: str = ""

    @property
    def numbered(self) -> Numbered | None:
        """The numbered statement; None for any other sentence.
        Raises ValueError if `statement` is no kind with a number."""
        found = numbered_statement(self.statement or self.where)
        if self.statement and found is None:
            kinds = ", ".join(StatementKind)
            raise ValueError(
                f"{self.paper}, {self.where}: statement is {self.statement!r}; write one of {kinds}, and its "
                "number, such as 'Theorem 7'"
            )
        return found


def numbered_statement(label: str) -> Numbered | None:
    """The kind and the number in a label such as "Theorem 7" or "Lemma A.1"; None for any other label."""
    kind, _, number = label.partition(" ")
    plain = number.replace(".", "")
    if kind not in list(StatementKind) or not plain.isalnum() or plain.isalpha():
        return None
    return Numbered(StatementKind(kind), number)


# -- the domains that a mathematical statement ranges over -------------------------------------------------------


class Real(NamedTuple):
    """A real variable; low and high may be infinite. closed: the ends that belong to the range: both, neither, or the
    named one."""

    low: float
    high: float
    closed: bool | Literal["left", "right"] = False

    @property
    def low_closed(self) -> bool:
        """Whether the lower end belongs to the range."""
        return self.closed in (True, "left")

    @property
    def high_closed(self) -> bool:
        """Whether the upper end belongs to the range."""
        return self.closed in (True, "right")


class Whole(NamedTuple):
    """An integer variable from low to high inclusive; high=None if unbounded."""

    low: int
    high: int | None = None


class OneOf(NamedTuple):
    """A variable with finitely many values."""

    values: tuple[Any, ...]


Domain = Mapping[str, Real | Whole | OneOf]
# formula(m, **variables): written once against a context m (doubles, arbitrary precision, intervals, text).
Formula = Callable[..., Any]
# A precondition `left <= right`, as two formulas.
Condition = tuple[Formula, Formula]


# -- the closed set of statement kinds ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Private:
    """The subject's trade-off function on `view`, over all neighbours under `relation`, is at least the curve.

    relation: "pull" (one entry of a pull-indexed table), "round" (one round of a time-indexed stream), with contexts
    "reward" (the rewards of one round) and "user" (the context and the rewards of one round), "history" (one reward of
    a fixed history), "query" (one query's value), "queries" (every query's value). view: "arms" (the released arms),
    "others" (those of all rounds except the changed one: joint differential privacy) or "samples" (all noisy values
    that are drawn, the subject of many proofs). curve: subject -> a curve of `reference.curves`. pairs: subject -> a
    few pairs of neighbours that are likely to violate the claim most, which an audit tries first; None for no hint.
    They may change the finding, but not the claim. contexts: those of the claim, except for a changed user's; None for
    all contexts that the policy accepts.
    """

    relation: str
    view: str
    curve: Callable[[Any], Any]
    pairs: Callable[[Any], Sequence[Pair]] | None = None
    contexts: Contexts | None = None


@dataclass(frozen=True)
class Inequality:
    """left <= right (strictly: left < right) over a domain, wherever all of `given` hold."""

    left: Formula
    right: Formula
    over: Domain
    given: tuple[Condition, ...] = ()
    strict: bool = False
    within: ClassVar[float] = 0.0

    @property
    def sign(self) -> str:
        """The sign of the inequality: "<" if it is strict, otherwise "<="."""
        return "<" if self.strict else "<="


@dataclass(frozen=True)
class Identity:
    """left = right over a domain, up to `within` (the half unit of the last printed digit; 0 for exact)."""

    left: Formula
    right: Formula
    over: Domain
    within: float = 0.0
    given: tuple[Condition, ...] = ()
    strict: ClassVar[bool] = False
    sign: ClassVar[str] = "=="


@dataclass(frozen=True)
class AtMost:
    """The expectation of a quantity (see `reference.bandits.quantities`) is at most bound(subject, environment).

    A bound of None means that a precondition is false there.
    """

    quantity: Quantity
    bound: Callable[[Any, Any], float | None]
    sign: ClassVar[str] = "<="

    def __post_init__(self) -> None:
        """Raises TypeError if `quantity` is not a Quantity."""
        demand_quantity(self.quantity)


@dataclass(frozen=True)
class AtLeast:
    """The expectation of a quantity is at least bound(subject, environment); quantities and None as in AtMost."""

    quantity: Quantity
    bound: Callable[[Any, Any], float | None]
    sign: ClassVar[str] = ">="

    def __post_init__(self) -> None:
        """Raises TypeError if `quantity` is not a Quantity."""
        demand_quantity(self.quantity)


class Parameter(NamedTuple):
    """A part of a setting's label: a parameter and its value. text: both, as in the label."""

    name: str
    value: float
    text: str


class Phrase(NamedTuple):
    """A part of a setting's label that is no parameter. text: in the label; printed: in sentences and tables."""

    text: str
    printed: str


class SettingLabel(str):
    """The label of an experiment's setting, such as "DP-SE, eps=0.5, T=3000", with its parts: parameters, and texts
    such as a policy's name."""

    parts: tuple[str | Parameter | Phrase, ...]

    def __new__(cls, parts: Sequence[str | Parameter | Phrase]) -> SettingLabel:
        """The label whose text consists of these parts, separated by commas; the parts are stored with it."""
        made = super().__new__(cls, ", ".join(each if isinstance(each, str) else each.text for each in parts))
        made.parts = tuple(parts)
        return made

    def __reduce__(self) -> tuple[type[SettingLabel], tuple[tuple[str | Parameter | Phrase, ...]]]:
        """The label's parts, from which pickle restores it."""
        return SettingLabel, (self.parts,)


class DifferenceLabel(str):
    """The label of a difference of two settings, the first minus the second: "(eta=1) minus (eta=5)", or `text`."""

    settings: tuple[str, str]

    def __new__(cls, settings: tuple[str, str], text: str = "") -> DifferenceLabel:
        """The label of the difference of two settings, by default "(one) minus (other)"; it stores both settings."""
        made = super().__new__(cls, text or "({}) minus ({})".format(*settings))
        made.settings = settings
        return made

    def __reduce__(self) -> tuple[type[DifferenceLabel], tuple[tuple[str, str], str]]:
        """The label's settings and text, from which pickle restores it."""
        return DifferenceLabel, (self.settings, str(self))


def setting_label(policy: str = "", equals: str = "=", **parameters: float) -> SettingLabel:
    """The label of a setting: the policy's name, if several are played, and its parameters.
    equals: the text between a parameter and its value."""
    texts = [Parameter(name, value, f"{name}{equals}{value}") for name, value in parameters.items()]
    return SettingLabel([*([policy] if policy else []), *texts])


@dataclass(frozen=True)
class Ordering:
    """In most repetitions of this experiment, a quantity is smaller in the first setting of each pair than in the
    second: the opposite order occurs in at most half of all repetitions.

    A repetition plays `averaged` fresh, independent runs of every setting, and compares their averages; 1 compares
    single runs. It is no statement about expectations, because a figure shows none. settings: label -> (policy,
    environment); a `SettingLabel` contains its parameters, from which figures are drawn, and a `DifferenceLabel` its
    two settings. pairs: (label of the smaller, label of the larger). figure: the paper's figure, or section, in which
    such results are plotted; empty for none.
    """

    quantity: Quantity
    settings: Mapping[str, tuple[Any, Any]]
    pairs: tuple[tuple[str, str], ...]
    averaged: int = 1
    figure: str = ""

    def __post_init__(self) -> None:
        """Raises TypeError or ValueError for an invalid quantity or number of runs in a repetition."""
        demand_quantity(self.quantity)
        if self.averaged < 1:
            raise ValueError(f"averaged is {self.averaged}; a repetition must average at least 1 run")
        # The pairs get the labels of the settings, which know their parts; equal texts do not.
        labels = {label: label for label in self.settings}
        pairs = tuple((labels.get(smaller, smaller), labels.get(larger, larger)) for smaller, larger in self.pairs)
        object.__setattr__(self, "pairs", pairs)


@dataclass(frozen=True)
class Unjudged:
    """A statement that no method here can check (asymptotic constants, history); `because` states the reason."""

    because: str


@dataclass(frozen=True)
class Consequence:
    """A statement that is decided only by its premises; `words` state how it follows."""

    words: str


@dataclass(frozen=True)
class Stated:
    """A statement in words that its own proof decides (in the page's `proofs`, under the claim's name)."""

    words: str


@dataclass(frozen=True)
class Side:
    """One side of a statement function: f(m, **variables)[place]. It is called like a formula."""

    function: Callable[..., Sides]
    place: int

    def __call__(self, m: Any, **variables: Any) -> Number:
        """The value of this side, computed in the vocabulary m."""
        return self.function(m, **variables)[self.place]

    @property
    def __name__(self) -> str:
        """The name of the function that computes the side."""
        return self.function.__name__


Statement = Private | Inequality | Identity | AtMost | AtLeast | Ordering | Unjudged | Consequence | Stated
# One verdict, or one for each profile where a profile cannot see as far as another.
Expectation = Verdict | Mapping[str, Verdict]


@dataclass(frozen=True)
class Claim:
    """One statement of one paper in one reading.

    id: "page/statement" or "page/statement/reading", unique. says: the statement. expect: the expected verdict (see
    `expected`), and `note`: the reason. reading: how the sentence was read, and `scope`: what the reading is about.
    subject: a factory; subject(**instance) is called for every instance in `params` (statements about policies and
    mechanisms only). more_params: instances of a privacy claim that are like these, and that only larger profiles than
    "quick" audit. given: the preconditions in words. follows: ids of claims that imply this one, or that its own
    proof uses. by: how they imply it, as the end of "by ..." (a noun phrase) or a clause that begins with "because";
    empty if one of them states the same more generally. cites: the theorem of another text that is used and not proved
    here. A claim whose premises are all PROVED, with neither `by` nor `cites`, is PROVED as well; with `cites` alone it
    is PROVED and depends on the cited theorem; otherwise it is ARGUED. fault, harm: for an expected refutation, the
    kind of error and its consequences; None for all others. same_error_as: the id of another expected refutation with
    the same error, so that readers count the error once; that claim has no `same_error_as` itself. repaired_by: ids of
    the claims that state what holds in place of a refuted statement; repair: the same in words, as far as no claim
    states it. related: ids of the other claims that its texts name. formula_only: whether this reading of the sentence,
    printed or repaired, covers only a formula in it. section: the chapter that contains it, for readers.

    In all texts, backticks enclose code and ids of claims. The sentences of a long note are on lines of their own.
    """

    id: str
    source: Source
    says: Statement
    expect: Expectation
    reading: Reading = Reading.PRINTED
    scope: str = ""
    subject: Callable[..., Any] | None = None
    params: tuple[Mapping[str, Any], ...] = ()
    more_params: tuple[Mapping[str, Any], ...] = ()
    given: str = ""
    follows: tuple[str, ...] = ()
    by: str = ""
    cites: str = ""
    fault: Fault | None = None
    harm: Harm | None = None
    same_error_as: str = ""
    repaired_by: tuple[str, ...] = ()
    repair: str = ""
    related: tuple[str, ...] = ()
    formula_only: bool = False
    note: str = ""
    section: str = ""

    @property
    def instances(self) -> tuple[Mapping[str, Any], ...]:
        """The parameters of all instances; one instance without parameters if none is given."""
        return (*self.params, *self.more_params) or ({},)


def expected(claim: Claim, profile: str) -> Verdict:
    """The verdict that a claim expects in this profile. Only code that reports findings may use it."""
    return claim.expect if isinstance(claim.expect, Verdict) else claim.expect[profile]


def accepted_verdicts(wanted: Verdict, finding: Finding) -> tuple[Verdict, ...]:
    """The verdicts of a finding that count as expected, given the expected verdict `wanted`.
    The expected one, and also PROVED if ARGUED is expected and a kernel has checked the argument, which is possible
    only on some machines."""
    taken_over = wanted is Verdict.ARGUED and Basis.KERNEL in finding.rests_on
    return (wanted, Verdict.PROVED) if taken_over else (wanted,)


def expectations(claim: Claim) -> frozenset[Verdict]:
    """The set of the verdicts that a claim expects in any profile."""
    return frozenset([claim.expect] if isinstance(claim.expect, Verdict) else claim.expect.values())


def per_profile(quick: Verdict, ci: Verdict, deep: Verdict) -> Mapping[str, Verdict]:
    """The expected verdict of each profile, {"quick": ..., "ci": ..., "deep": ...}."""
    return {"quick": quick, "ci": ci, "deep": deep}


@dataclass(frozen=True)
class Finding:
    """The result of checking a claim; all of its data can be written as JSON.

    claim: its id. verdict: see `Verdict`. summary: the result, in one or two sentences. evidence: a list of items with
    a "kind" (see the findings schema). resolution: the smallest violation that this run would have detected, in words;
    empty if the check is exact. repro: the command line that repeats the check. seconds: the processor time of the
    check. rests_on: the basis of the verdict, including its premises; empty if nothing was decided. uncertified: a
    point at which interval arithmetic shows that the statement is violated, although no certificate could be made (so
    the claim is not refuted). The point maps each variable to an exact fraction; None if there is no such point. No
    argument and no theorem overrules such a point. body: the result as data, from which `text` makes sentences; None if
    there are only words. needs: the effort that a test would need, if nothing was tested; None if no larger run would
    help.
    """

    claim: str
    verdict: Verdict
    summary: str
    evidence: tuple[Item, ...] = ()
    resolution: str = ""
    repro: str = ""
    seconds: float = field(default=0.0, compare=False)
    rests_on: tuple[Basis, ...] = ()
    uncertified: Mapping[str, str] | None = None
    body: Found | None = None
    needs: Needs | None = None


def established(
    claim: str,
    summary: str,
    evidence: tuple[Item, ...],
    *rests_on: Basis,
    body: Found | None = None,
) -> Finding:
    """The finding that a claim is true: PROVED by a machine-checked proof, or ARGUED by an argument in words."""
    verdict = Verdict.ARGUED if Basis.WORDS in rests_on else Verdict.PROVED
    return Finding(claim, verdict, summary, evidence, rests_on=distinct_bases(*rests_on), body=body)


def distinct_bases(*rests_on: Basis) -> tuple[Basis, ...]:
    """distinct_bases(basis, ...): the bases of a proof, each once, in the order of the enum `Basis`."""
    return tuple(basis for basis in Basis if basis in rests_on)
