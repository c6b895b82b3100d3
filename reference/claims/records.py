"""A findings document as JSON, field by field: the types of what findings.json contains.

The schema `reports/findings.schema.json` has the same fields, and checks every document before a report is made of it;
a test compares the two. Whoever reads a field that does not exist gets an error from mypy. The data of a finding
(`found`, `ranges`) is read by `codec` as the dataclasses of `findings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, TypeGuard

if TYPE_CHECKING:
    from dpbandits.reference.curves.curve import StatementPart

# -- evidence --------------------------------------------------------------------------------------------------------

Certificate = Mapping[str, Any]  # a certificate, as a checker of `proofs_checks.checker` or of an extension reads it
Cell = str | float | None  # of a table: a text, a number, a truth value or nothing
CurvePoints = Sequence[Sequence[float | None]]  # [[x, y], ...]; None for a number that is not finite


class FormulaCertificate(TypedDict):
    """The certificate of a refuted formula, as far as reports read it. variables: the point at which it fails.
    left_enclosure, right_enclosure: bounds on the two sides there."""

    type: str
    relation: str
    left: str
    right: str
    within: str
    given: Sequence[Sequence[str]]
    variables: Mapping[str, str]
    left_enclosure: Sequence[str]
    right_enclosure: Sequence[str]


class EventCertificate(TypedDict):
    """The certificate of an event that eps and delta exclude, as far as reports read it. left_probability,
    right_probability: bounds on its probability on each input."""

    type: str
    eps: str
    delta: str
    variables: Mapping[str, str]
    left_probability: Sequence[str]
    right_probability: Sequence[str]


class StepCertificate(EventCertificate):
    """The certificate of a single step: noisy answers, of which the event names the released ones."""

    noise: str
    scales: Sequence[str]
    left: Sequence[str]
    right: Sequence[str]
    event: Sequence[int]


def of_formula(certificate: Certificate) -> TypeGuard[FormulaCertificate]:
    """Whether the certificate is about a formula. It may come from an untrusted source, with faults that only its
    checker finds."""
    return bool(certificate.get("type") == "formula")


def of_step(certificate: Certificate) -> TypeGuard[StepCertificate]:
    """Whether the certificate is about a single step; as in `of_formula`."""
    return bool(certificate.get("type") == "step")


def of_event(certificate: Certificate) -> TypeGuard[EventCertificate]:
    """Whether the certificate is about an event that eps and delta exclude; as in `of_formula`."""
    return {"eps", "delta", "left_probability", "right_probability"} <= certificate.keys()


class TextItem(TypedDict):
    """Words."""

    kind: Literal["text"]
    text: str


class ColumnRecord(TypedDict):
    """A column of a table. side: the side of the truth on which its numbers lie, as in `findings.Side`."""

    name: str
    side: str


class FailsRecord(TypedDict):
    """The columns that state where a claim fails, as in `findings.FailingRange`."""

    variable: str
    low: int
    high: int


class Table(TypedDict):
    """A table. rows: a cell for each column. fails: the columns that state for which values a claim fails."""

    kind: Literal["table"]
    title: str
    columns: Sequence[ColumnRecord]
    rows: Sequence[Sequence[Cell]]
    fails: NotRequired[FailsRecord]


class Matrix(TypedDict):
    """A matrix of checks. of: what a row stands for. names: of the rows. cells: for each row and column, where the
    statement fails, in words; empty if it holds."""

    kind: Literal["matrix"]
    title: str
    of: str
    names: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[str]]


class SeriesRecord(TypedDict):
    """A series of points. style: "claimed", "exact", "certified" or "other". low, high: bounds, one y for each point.
    side: the side of the truth on which the points lie."""

    label: str
    style: str
    points: CurvePoints
    low: NotRequired[Sequence[float | None]]
    high: NotRequired[Sequence[float | None]]
    side: NotRequired[str]


class Lines(TypedDict):
    """Series of points on common axes. x, y: the names of the axes."""

    kind: Literal["lines"]
    title: str
    x: str
    y: str
    log_x: bool
    log_y: bool
    series: Sequence[SeriesRecord]


class TestErrors(TypedDict):
    """The measured errors of a test; with the suffix upper: the point of their joint confidence region that is closest
    to the claim."""

    alpha: float | None
    beta: float | None
    alpha_upper: float | None
    beta_upper: float | None


class PrivacyCurves(TypedDict):
    """The claimed curve of an instance, and bounds on its exact curve. resolved: the smallest violation that would have
    been detected. instance: the instance that is shown."""

    title: str
    instance: NotRequired[str]
    claimed: CurvePoints
    exact_low: CurvePoints
    exact_high: CurvePoints
    resolved: NotRequired[CurvePoints]


class Tradeoff(PrivacyCurves):
    """Curves of type II error against type I error."""

    kind: Literal["tradeoff"]
    points: Sequence[TestErrors]


class CertifiedDelta(TypedDict):
    """A certified lower bound on delta at eps."""

    eps: float | None
    delta_lower: float | None


class PrivacyProfile(PrivacyCurves):
    """Curves of delta against eps."""

    kind: Literal["profile"]
    points: Sequence[CertifiedDelta]


class RegretRow(TypedDict):
    """The mean of a quantity in a setting, with the certified limits of its expectation and its claimed bound."""

    label: str
    mean: float | None
    low: float | None
    high: float | None
    bound: float | None
    ratio: float | None
    trials: int | None


class Regret(TypedDict):
    """Means of a quantity and their claimed bounds, setting by setting."""

    kind: Literal["regret"]
    title: str
    rows: Sequence[RegretRow]


class CertificateItem(TypedDict):
    """A certificate, which `dpbandits verify` checks."""

    kind: Literal["certificate"]
    certificate: Certificate


# A piece of the evidence of a finding.
Item = TextItem | Table | Matrix | Lines | Tradeoff | PrivacyProfile | Regret | CertificateItem


PicturedItem = Tradeoff | PrivacyProfile | Lines | Matrix | Regret  # the kinds that pages show as pictures
PICTURED_KINDS = ("tradeoff", "profile", "lines", "matrix", "regret")


def is_pictured(item: Item) -> TypeGuard[PicturedItem]:
    """Whether pages show the item as a picture."""
    return item["kind"] in PICTURED_KINDS


def text_item(text: str) -> TextItem:
    """A text as evidence of a finding."""
    return {"kind": "text", "text": text}


def certificate_item(certificate: Certificate) -> CertificateItem:
    """A certificate as evidence of a finding."""
    return {"kind": "certificate", "certificate": certificate}


# -- a claim and its finding -----------------------------------------------------------------------------------------


class NumberedRecord(TypedDict):
    """The number of a statement in its paper, such as Theorem 7."""

    kind: str
    number: str


class OwnRecord(TypedDict):
    """A test of a user's own policy or mechanism. line: in its file; None if unknown. promise: the claimed guarantee.
    check: whether the test is a named check, and not a privacy claim."""

    test: str
    subject: str
    file: str
    line: int | None
    seconds: float | None
    promise: NotRequired[str]
    check: NotRequired[bool]


class StageRecord(TypedDict):
    """A claim in one document of its history. source: the document's name. kinds, why, reasons, settings: as in
    `audit.runner.changes.Change`, compared with the previous document that has the claim; empty if nothing differs, and
    in the first document."""

    source: str
    version: str
    profile: str
    seed: int | None
    verdict: str
    summary: str
    kinds: Sequence[str]
    why: str
    reasons: NotRequired[Sequence[str]]
    settings: NotRequired[Sequence[str]]


class TheoremRecord(TypedDict):
    """A Rocq theorem that proves a claim. checked: whether the kernel checked it for this finding."""

    name: str
    file: str
    checked: bool


class ClaimRecord(TypedDict):
    """A claim: its statement, its source, and what is expected of it."""

    id: str
    paper: str
    section: str
    where: str
    numbered: NotRequired[NumberedRecord | None]
    quote: str
    kind: NotRequired[str]
    relation: NotRequired[str]
    view: NotRequired[str]
    seen_in: NotRequired[str]
    unseen: NotRequired[str]
    reading: str
    scope: str
    formula_only: NotRequired[bool]
    statement: str
    parts: Sequence[StatementPart]
    ranges: NotRequired[Sequence[Mapping[str, object]]]  # each a `findings.VariableRange`
    given: str
    expect: Sequence[str]
    fault: str
    harm: str
    same_error_as: NotRequired[str]
    repaired_by: NotRequired[Sequence[str]]
    repair: NotRequired[str]
    related: NotRequired[Sequence[str]]
    note: str
    follows: Sequence[str]
    by: str
    cites: NotRequired[str]


class OwnExpectation(TypedDict):
    """What is expected of a claim in a run. surprise: whether the verdict is not among the expected ones."""

    expect: Sequence[str]
    surprise: bool


class StatementFields(TypedDict):
    """The statement of a claim as one line of text, and in parts, so that its formulas can be typeset."""

    statement: str
    parts: Sequence[StatementPart]


class FurtherFields(TypedDict, total=False):
    """Fields that only some entries have. page_file: the file of the claim's page, if the page is not in the ledger."""

    page_file: str
    theorem: TheoremRecord
    own: OwnRecord
    history: Sequence[StageRecord]


class Entry(ClaimRecord, FurtherFields):
    """The entry of a findings document about one claim: the claim and its finding."""

    verdict: str
    surprise: bool
    summary: str
    evidence: Sequence[Item]
    found: NotRequired[Mapping[str, object] | None]  # the data of the finding; `codec.found_in` reads it
    uncertified: NotRequired[Mapping[str, str] | None]
    needs: NotRequired[Mapping[str, object] | None]  # a `findings.Needs`
    resolution: str
    rests_on: Sequence[str]
    repro: str


# -- the document ----------------------------------------------------------------------------------------------------


class PaperRecord(TypedDict):
    """A paper. short: its title in a few words. read: what was read in its place, if it was not at hand."""

    title: str
    authors: str
    venue: str
    link: str
    short: NotRequired[str]
    read: NotRequired[str]


class ErrorRecord(TypedDict):
    """A claim whose check raised an exception, so that there is no finding."""

    id: str
    error: str
    repro: NotRequired[str]


class ProfileRecord(TypedDict):
    """The amount of computation of a run: the name of the profile. Its further fields are numbers by name."""

    name: str


class Document(TypedDict):
    """The whole content of a findings.json."""

    schema: int
    version: str
    profile: ProfileRecord
    seed: int
    risk: float
    kernel: NotRequired[str | None]
    date: NotRequired[str]
    errors: NotRequired[Sequence[ErrorRecord]]
    judgements: NotRequired[Sequence[str]]
    papers: NotRequired[Mapping[str, PaperRecord]]
    headlines: NotRequired[Sequence[str]]
    findings: Sequence[Entry]
