"""The overview: the number of claims with each verdict, the false statements by paper, and unexpected verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dpbandits.reference.claims.model import HOLDS, Harm, Reading, Verdict
from dpbandits.reference.claims.records import Cell, Entry, PicturedItem, StageRecord, is_pictured
from dpbandits.reports.glossary import VERDICTS

HARMS = {
    str(Harm.GUARANTEE): "Guarantees that fail for those who rely on them",
    str(Harm.STATEMENT): "Statements that are false as printed; each comes with a repair",
    str(Harm.NUMBER): "Numbers that are off",
    str(Harm.OPEN): "Steps of proofs that fail; whether the theorems hold is open",
    str(Harm.PROOF): "Steps of proofs that fail; the theorems hold",
    str(Harm.NONE): "Misprints and corner cases; nothing breaks",
    "": "Refuted, and not yet sorted",
}
HEADS = dict(  # the same in two words, over a column
    zip(
        HARMS,
        ("guarantees fail", "false as printed", "numbers off", "open gaps", "gaps in proofs", "misprints", "unsorted"),
        strict=True,
    )
)
HARM_TAGS = dict(
    zip(
        HARMS,
        (
            "guarantee fails",
            "false as printed",
            "number off",
            "open gap",
            "gap in a proof",
            "nothing breaks",
            "unsorted",
        ),
        strict=True,
    )
)
ONE_ERROR = {**HARM_TAGS, str(Harm.NONE): "misprint"}  # after the number 1
CONCERNED = dict(  # whom an error concerns
    zip(
        HARMS,
        (
            "whoever sets parameters or draws conclusions by this statement, which promises more than holds",
            "whoever quotes the statement or builds on it as printed; its repair holds",
            "whoever uses this number",
            "whoever relies on the statement: whether it holds is open",
            "readers of the proof; nobody who only uses the statement",
            "nobody who reads it as it is meant",
            "possibly anyone: it is not yet sorted by what breaks",
        ),
        strict=True,
    )
)
AUTHORS_READINGS = frozenset((Reading.PRINTED, Reading.QUOTED, Reading.STEP))  # of what the authors say
FOLDED = (str(Harm.PROOF), str(Harm.NONE))
UNDECIDED = (Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE)


class RefutationGroup(NamedTuple):
    """The refuted findings about one place of one paper, with one kind of harm or all. fault, quote, repair: if
    given."""

    paper: str
    where: str
    findings: tuple[Entry, ...]

    @property
    def quote(self) -> str:
        """The first sentence of the paper that these findings quote."""
        return next((str(finding["quote"]) for finding in self.findings if finding["quote"]), "")

    @property
    def fault(self) -> str:
        """The kinds of fault of these findings, each named once, as text."""
        return ", ".join(dict.fromkeys(finding["fault"] for finding in self.findings if finding["fault"]))

    @property
    def recorded_by(self) -> str:
        """Returns the id of the claim in another place that records the one error of all these findings.
        "" if there is none."""
        told = {error_of(finding) for finding in self.findings}
        own = {finding["id"] for finding in self.findings}
        return told.pop() if len(told) == 1 and not told & own else ""

    def same_error(self, groups: Sequence[RefutationGroup]) -> list[RefutationGroup]:
        """Returns the groups, among the given ones, whose error is recorded by a finding of this group."""
        own = {finding["id"] for finding in self.findings}
        return [group for group in groups if group.recorded_by in own]

    @property
    def why(self) -> str:
        """Returns the error and its consequences, in the words of the first finding with a note; "" without notes."""
        return next((str(finding["note"]) for finding in self.findings if finding["note"]), "")

    @property
    def repair(self) -> str:
        """Returns the statement that holds instead, in the ledger's words; "" if there is none."""
        return next((str(finding["repair"]) for finding in self.findings if finding.get("repair")), "")


class Broken(NamedTuple):
    """One kind of harm. number: of its heading. words: a full description; head: in two words; singular: for one error.
    counts: errors per paper; errors: in total, each only under the worst of its harms, so that the kinds add up to all
    errors; total: the number of findings with this harm. folded: whether it is folded on the overview."""

    number: int
    words: str
    head: str
    singular: str
    counts: Mapping[str, int]
    groups: tuple[RefutationGroup, ...]
    errors: int
    total: int
    folded: bool

    @property
    def recorded(self) -> list[RefutationGroup]:
        """The groups that record an error of their own."""
        return [group for group in self.groups if not group.recorded_by]

    @property
    def recorded_elsewhere(self) -> dict[str, list[RefutationGroup]]:
        """The groups whose error is recorded by a claim outside of this list, by the id of that claim."""
        here = {finding["id"] for group in self.recorded for finding in group.findings}
        made: dict[str, list[RefutationGroup]] = {}
        for group in self.groups:
            if group.recorded_by and group.recorded_by not in here:
                made.setdefault(group.recorded_by, []).append(group)
        return dict(sorted(made.items()))

    @property
    def entries(self) -> int:
        """Returns the number of entries in a list of these errors.
        There is one entry for each group with an error of its own, and one for each error that another list records."""
        return len(self.recorded) + len(self.recorded_elsewhere)


class Tally(NamedTuple):
    """The counts of the overview. counts: (verdict, number), in the glossary's order, without verdicts that no claim
    received.

    refuted_as_expected: positive controls that were refuted. errors: the number of distinct errors among the
    refutations. harms: all refutations by harm, the worst first. missing: positive controls (refutation expected, and
    nothing else) that were not refuted. needing_larger_profile: the number of claims that a larger profile would test.
    unchecked_theorems: the number of claims with a machine-checked proof that this run did not check again.
    """

    total: int
    counts: tuple[tuple[str, int], ...]
    refuted_as_expected: tuple[Entry, ...]
    errors: int
    harms: tuple[Broken, ...]
    surprises: tuple[Entry, ...]
    missing: tuple[Entry, ...]
    needing_larger_profile: int = 0
    unchecked_theorems: int = 0

    def number(self, *verdicts: str) -> int:
        """Returns the number of claims with one of these verdicts."""
        return sum(count for verdict, count in self.counts if verdict in verdicts)

    @property
    def holding(self) -> int:
        """The number of claims that are proved or argued."""
        return self.number(Verdict.PROVED, Verdict.ARGUED)

    @property
    def undecided(self) -> int:
        """The number of claims that were not decided, including experiments that this run left out."""
        return self.number(*UNDECIDED)

    @property
    def worst(self) -> Broken | None:
        """The worst kind of harm, if the overview lists its errors unfolded."""
        return next((harm for harm in self.harms[:1] if harm.errors and not harm.folded), None)

    @property
    def harmless(self) -> int:
        """The number of harmless refuted statements: steps of proofs, misprints."""
        return sum(harm.total for harm in self.harms if harm.folded)


def tally(findings: Sequence[Entry]) -> Tally:
    """Counts claims by verdict, and refuted statements by harm, for the overview."""
    refuted = [finding for finding in findings if finding["verdict"] == Verdict.REFUTED]
    return Tally(
        total=len(findings),
        counts=tuple(verdict_counts(findings)),
        refuted_as_expected=tuple(finding for finding in refuted if not finding["surprise"]),
        errors=len(errors(refuted)),
        harms=tuple(refutations_by_harm(refuted)),
        surprises=tuple(finding for finding in findings if finding["surprise"]),
        missing=tuple(
            finding
            for finding in findings
            if finding["expect"] == [Verdict.REFUTED] and finding["verdict"] != Verdict.REFUTED
        ),
        needing_larger_profile=sum(
            finding["verdict"] == Verdict.NOT_EXERCISED and bool(finding.get("needs")) for finding in findings
        ),
        unchecked_theorems=sum("theorem" in finding and not finding["theorem"]["checked"] for finding in findings),
    )


class Again(NamedTuple):
    """The result of an experiment in the long run, for readers of a run with fewer repetitions, or none."""

    verdict: str
    words: str


class PlayedElsewhere(NamedTuple):
    """The experiments that this run left out, each with its result in the longer run."""

    played: tuple[tuple[Entry, Again], ...]

    @property
    def against(self) -> list[tuple[Entry, Again]]:
        """The experiments whose longer run disagrees with their paper."""
        return [each for each in self.played if each[1].verdict == Verdict.REFUTED]

    @property
    def agreeing(self) -> int:
        """The number of experiments whose longer run agrees with their paper."""
        return len(self.played) - len(self.against)


def verdict_counts(findings: Sequence[Entry]) -> list[tuple[str, int]]:
    """The number of findings with each verdict, as (verdict, number) in the glossary's order.
    Verdicts that no claim received are left out."""
    counts = Counter(finding["verdict"] for finding in findings)
    return [(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]]


class SumRow(NamedTuple):
    """A row of the table of all statements. verdicts: (number, verdict); parts: another division of the same total into
    (number, words); empty for none."""

    total: int
    words: str
    verdicts: tuple[tuple[int, str], ...]
    parts: tuple[tuple[int, str], ...] = ()


def summed(tally: Tally, left_out: int = 0) -> list[SumRow]:
    """Returns the rows of a table in which the numbers of statements by verdict add up to all statements.
    left_out: the number of experiments that this run did not play."""
    counts = dict(tally.counts)
    rows = (
        ("hold", (Verdict.PROVED, Verdict.ARGUED), ()),
        ("tested and not refuted", (Verdict.CONSISTENT,), ()),
        (
            "false",
            (Verdict.REFUTED,),
            tuple((harm.total, harm.singular if harm.total == 1 else harm.head) for harm in tally.harms),
        ),
        (
            "not decided in this run",
            UNDECIDED,
            (
                (left_out, "long experiments that it left out"),
                (tally.undecided - left_out, "that could not be decided"),
            ),
        ),
    )
    made = [
        SumRow(
            tally.number(*verdicts),
            words,
            tuple((counts[verdict], str(verdict)) for verdict in verdicts if verdict in counts),
            tuple(part for part in parts if part[0]) if len([part for part in parts if part[0]]) > 1 else (),
        )
        for words, verdicts, parts in rows
    ]
    return [row for row in made if row.total]


def refutations_by_harm(refuted: Sequence[Entry]) -> list[Broken]:
    """The refuted findings by kind of harm, the worst first; only kinds that occurred."""
    made, counted = [], set[tuple[str, str]]()
    for number, (harm, words) in enumerate(HARMS.items()):
        own = [finding for finding in refuted if finding["harm"] == harm]
        if own:
            first = errors(own) - counted
            counted |= first
            counts = Counter(paper for paper, _ in first)
            made.append(
                Broken(
                    number,
                    words,
                    HEADS[harm],
                    ONE_ERROR[harm],
                    counts,
                    tuple(groups_by_place(own)),
                    len(first),
                    len(own),
                    harm in FOLDED,
                )
            )
    return made


def errors(refuted: Sequence[Entry]) -> set[tuple[str, str]]:
    """The distinct errors of these findings, as (paper, id of the claim that records the error).
    Several claims with the same error count once."""
    return {(finding["paper"], error_of(finding)) for finding in refuted}


def error_of(finding: Entry) -> str:
    """The id of the claim that records the finding's error: another claim, or the finding's own."""
    return str(finding.get("same_error_as") or finding["id"])


def errors_that_matter(tally: Tally) -> int:
    """The number of distinct errors that change a guarantee, a statement or a number.
    Gaps in proofs of what holds and misprints are not counted."""
    return sum(harm.errors for harm in tally.harms if not harm.folded)


def gravity(finding: Entry) -> int:
    """A sort key by harm: the most serious refutations first, findings that are not refuted last."""
    harms = list(HARMS)
    return harms.index(finding["harm"]) if finding["verdict"] == Verdict.REFUTED else len(harms)


def groups_by_place(findings: Sequence[Entry]) -> list[RefutationGroup]:
    """The findings grouped by paper and place, in the order in which the places first occur."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for finding in findings:
        groups.setdefault((finding["paper"], finding["where"]), []).append(finding)
    return [RefutationGroup(paper, where, tuple(own)) for (paper, where), own in groups.items()]


def meant_by_authors(findings: Sequence[Entry]) -> list[Entry]:
    """Returns the findings about the authors' intended statements.
    If there are none, all findings (literal readings, or statements of this project)."""
    return [finding for finding in findings if finding["reading"] in AUTHORS_READINGS] or list(findings)


def holding_instead(group: RefutationGroup, findings: Sequence[Entry]) -> list[Entry]:
    """Returns the findings that show what holds in place of a refuted statement.
    Its declared repairs, the claims that its texts name, and its repaired readings."""
    stems = {"/".join(finding["id"].split("/")[:2]) for finding in group.findings}
    named = {name for each in group.findings for name in (*each.get("repaired_by", ()), *each.get("related", ()))}
    return [
        finding
        for finding in findings
        if finding["verdict"] in HOLDS
        and (
            finding["id"] in named
            or (finding["reading"] == Reading.REPAIRED and "/".join(finding["id"].split("/")[:2]) in stems)
        )
    ]


def papers(findings: Sequence[Entry]) -> dict[str, list[Entry]]:
    """The findings of each paper, {paper: findings}, in the document's order."""
    groups: dict[str, list[Entry]] = {}
    for finding in findings:
        groups.setdefault(finding["paper"], []).append(finding)
    return groups


REASONS = {  # why a claim changed, by the words of its history; "code" alone says that nothing else did
    "theorem": "a theorem is machine-checked now",
    "reading": "the sentence is read differently",
    "statement": "another statement is checked",
    "premises": "a claim that it follows from has another verdict",
    "method": "the verdict rests on another basis",
    "run": "the run has another profile, seed or risk",
    "code": "the code that checks it, or a library, was changed",
}


class ChangedVerdict(NamedTuple):
    """A claim with another verdict than in the last release. before: the verdict there. why: the reasons, in words."""

    finding: Entry
    before: str
    why: str


class ChangedGroup(NamedTuple):
    """The claims with one verdict before, one verdict now, and one reason."""

    before: str
    after: str
    why: str
    findings: tuple[Entry, ...]


class Changed(NamedTuple):
    """What differs from the last release that the findings' histories know. version: its version. new: the claims that
    it did not have. verdicts: the claims with another verdict now. expected: (finding, why) of each claim of which
    another verdict is expected now, but whose verdict is the same."""

    version: str
    new: tuple[Entry, ...]
    verdicts: tuple[ChangedVerdict, ...]
    expected: tuple[tuple[Entry, str], ...] = ()

    @property
    def refuted_now(self) -> tuple[ChangedVerdict, ...]:
        """The claims that are refuted now and were not in the last release.
        Claims with another verdict come first, then new claims."""
        fresh = (ChangedVerdict(finding, "", "a new claim") for finding in self.new)
        return tuple(each for each in (*self.verdicts, *fresh) if each.finding["verdict"] == Verdict.REFUTED)

    @property
    def refuted_no_longer(self) -> tuple[ChangedVerdict, ...]:
        """The claims that were refuted in the last release and have another verdict now."""
        return tuple(each for each in self.verdicts if each.before == Verdict.REFUTED)

    @property
    def new_and_refuted(self) -> int:
        """The number of new claims that are refuted."""
        return sum(finding["verdict"] == Verdict.REFUTED for finding in self.new)

    @property
    def groups(self) -> list[ChangedGroup]:
        """The claims with another verdict, grouped by (verdict then, verdict now, reason).
        Refutations and large groups first."""
        made: dict[tuple[str, str, str], list[Entry]] = {}
        for finding, before, why in self.verdicts:
            made.setdefault((before, finding["verdict"], why), []).append(finding)
        order = sorted(made, key=lambda group: (Verdict.REFUTED not in group[:2], -len(made[group])))
        return [ChangedGroup(*group, tuple(made[group])) for group in order]

    @property
    def new_by_verdict(self) -> list[tuple[str, list[Entry]]]:
        """The new claims grouped by verdict, in the glossary's order."""
        by = {verdict: [each for each in self.new if each["verdict"] == verdict] for verdict in VERDICTS}
        return [(verdict, own) for verdict, own in by.items() if own]


def changed_since(findings: Sequence[Entry]) -> Changed | None:
    """The changes since the latest release that the findings' histories know.
    None if no finding has an earlier stage."""
    known = [(finding, finding["history"]) for finding in findings if len(finding.get("history", ())) > 1]
    if not known:
        return None
    version = str(known[0][1][-2]["version"])
    former = {finding["id"] for finding, _ in known}
    new = tuple(finding for finding in findings if finding["id"] not in former)
    verdicts = tuple(
        ChangedVerdict(finding, str(stages[-2]["verdict"]), reasons_in_words(stages[-1]))
        for finding, stages in known
        if stages[-2]["verdict"] != finding["verdict"]
    )
    expected = tuple(
        (finding, reasons_in_words(stages[-1]))
        for finding, stages in known
        if stages[-2]["verdict"] == finding["verdict"] and "expectation" in stages[-1]["kinds"]
    )
    return Changed(version, new, verdicts, expected)


def reasons_in_words(stage: StageRecord) -> str:
    """Returns the reasons why a claim changed since the stage before, as text.
    A change of the run names the settings that differ, if the stage has them."""
    settings = ", ".join(stage.get("settings", ()))
    words = {**REASONS, "run": settings or REASONS["run"]}
    return ", ".join(words[reason] for reason in stage.get("reasons", ()))


class Featured(NamedTuple):
    """The finding with which an overview begins, and its first picture. numbers: (words, number, side) of each column
    of its first table but the leftmost, if that table has one row of at most five columns. numbers_title: of that
    table."""

    finding: Entry
    item: PicturedItem
    numbers: tuple[tuple[str, Cell, str], ...] = ()
    numbers_title: str = ""


MAX_FEATURED_COLUMNS = 5


def featured_parts(finding: Entry) -> Featured:
    """Returns the parts of a finding that an overview shows: its first picture, and its first table of one row."""
    item = next(filter(is_pictured, finding["evidence"]))
    table = next((item for item in finding["evidence"] if item["kind"] == "table"), None)
    if table is None or len(table["rows"]) != 1 or len(table["columns"]) > MAX_FEATURED_COLUMNS:
        return Featured(finding, item)
    cells = zip(table["columns"][1:], table["rows"][0][1:], strict=True)
    numbers = tuple((column["name"], cell, column["side"]) for column, cell in cells)
    return Featured(finding, item, numbers, table["title"])


def featured(findings: Sequence[Entry], candidate_ids: Sequence[str], pictured: Sequence[str]) -> Entry | None:
    """Returns the finding with which the overview begins: the first of `candidate_ids` that has a picture, if any.
    Otherwise the worst refutation with a picture; None if there is none. pictured: the kinds of evidence with pictures.
    """

    def seen(finding: Entry) -> bool:
        """Whether the finding has a picture."""
        return any(item["kind"] in pictured for item in finding["evidence"])

    known = {finding["id"]: finding for finding in findings}
    first = [known[name] for name in candidate_ids if name in known]
    worst = [
        finding
        for harm in (Harm.GUARANTEE, Harm.STATEMENT)
        for finding in findings
        if finding["harm"] == harm and finding["verdict"] == Verdict.REFUTED
    ]
    return next(filter(seen, [*first, *worst]), None)
