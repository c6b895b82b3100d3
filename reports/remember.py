"""The summary of a paper: which of its theorems are false, true, or true after a repair. It is computed from the
findings, their readings, verdicts and harms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Harm, Reading, StatementKind, Verdict
from dpbandits.reference.claims.records import Entry
from dpbandits.reports.tally import AUTHORS_READINGS, HARMS, RefutationGroup, error_of, gravity

STATEMENT_KINDS = tuple(StatementKind)  # the weightiest first
# By them a statement falls; by a gap of its proof it does not
GRAVE_HARMS = (Harm.GUARANTEE, Harm.STATEMENT, Harm.NUMBER)
MAX_FALLEN = 3  # rows of their own


class PaperStatement(NamedTuple):
    """A statement with all findings about the paper's own sentence, or about its repair."""

    name: str
    kind: int
    group: RefutationGroup

    @property
    def main(self) -> Entry:
        """The finding that shows best that the statement holds, as printed or in its repaired form.
        If there is none, the worst finding."""

        def order(finding: Entry) -> tuple[bool, bool]:
            """A sort key: whole sentences before formulas and steps."""
            part = finding["reading"] == Reading.STEP or is_formula_only(finding)
            return part, not is_whole_sentence(finding)

        holding = [each for each in self.group.findings if each["verdict"] in ESTABLISHED_VERDICTS]
        return min(holding, key=order, default=self.group.findings[0])


class MemoryRow(NamedTuple):
    """A row of the summary. outcome: "falls", "letter", "stands", "repaired". statements: the statements that it is
    about; behind a false one, those that are false by the same error. instead: what holds in place of the first."""

    outcome: str
    statements: tuple[PaperStatement, ...]
    instead: Entry | None = None


class Memory(NamedTuple):
    """The summary. more: the number of false statements without a row of their own. undecided: statements that were not
    decided, or only agreed with every experiment. lemmas: (how many hold, of how many) of all others."""

    rows: tuple[MemoryRow, ...]
    more: int
    undecided: tuple[PaperStatement, ...]
    lemmas: tuple[int, int]


def memory(findings: Sequence[Entry]) -> Memory:
    """The summary of a paper: which of its theorems are false, true, or true after a repair."""
    made = statements(findings)
    ended = [(outcome(each), each) for each in made]
    weighty = [(how, each) for how, each in ended if each.kind <= STATEMENT_KINDS.index(StatementKind.COROLLARY)]
    fallen = sorted((each for how, each in ended if how == "falls" and not recorded_elsewhere(each)), key=severity_key)
    rows = [MemoryRow("falls", (each, *by_same_error(each, ended)), repair(each)) for each in fallen[:MAX_FALLEN]]
    for name in ("letter", "repaired", "stands"):
        if some := tuple(each for how, each in weighty if how == name):
            rows.append(MemoryRow(name, some))
    lesser = [
        how for how, each in ended if STATEMENT_KINDS.index(StatementKind.COROLLARY) < each.kind < len(STATEMENT_KINDS)
    ]
    undecided = tuple(each for how, each in weighty if how in ("consistent", "open"))
    holding = sum(how in ("stands", "repaired") for how in lesser)
    return Memory(tuple(rows), len(fallen) - min(len(fallen), MAX_FALLEN), undecided, (holding, len(lesser)))


def statements(findings: Sequence[Entry]) -> list[PaperStatement]:
    """The paper's statements in its order, each with its findings.
    A numbered theorem has all findings about it, wherever they are; a statement without a number has those of its
    place."""
    groups: dict[tuple[int, str], list[Entry]] = {}
    for finding in findings:
        if finding["reading"] != Reading.OURS:
            groups.setdefault(statement_name(finding), []).append(finding)
    return [
        PaperStatement(name, kind, RefutationGroup(own[0]["paper"], own[0]["where"], tuple(sorted(own, key=gravity))))
        for (kind, name), own in groups.items()
    ]


def statement_name(finding: Entry) -> tuple[int, str]:
    """The kind and the name of the statement that the finding is about.
    The steps of a proof are not numbered; they have the name of their place."""
    numbered = finding.get("numbered")
    if numbered:
        return STATEMENT_KINDS.index(numbered["kind"]), f"{numbered['kind']} {numbered['number']}"
    return len(STATEMENT_KINDS), finding["where"] or "Unnumbered"


def outcome(statement: PaperStatement) -> str:
    """Returns the outcome of a paper's statement: "falls", "letter", "stands", "repaired", "consistent" or "open".
    The most serious outcome counts, and the intended reading comes before the literal one."""
    findings = statement.group.findings
    grave = {finding["reading"] for finding in findings if finding["verdict"] == Verdict.REFUTED and is_grave(finding)}
    if grave & AUTHORS_READINGS:
        return "falls"
    if Reading.LETTER in grave:
        return "letter"
    whole = [each for each in findings if is_whole_sentence(each)]
    if any(each["verdict"] in ESTABLISHED_VERDICTS for each in whole):
        return "stands"
    if repair(statement) is not None:
        return "repaired"
    if any(each["verdict"] in ESTABLISHED_VERDICTS for each in findings if each["reading"] == Reading.PRINTED):
        return "stands"
    return "consistent" if any(each["verdict"] == Verdict.CONSISTENT for each in whole) else "open"


def is_whole_sentence(finding: Entry) -> bool:
    """Whether the finding is about the authors' whole sentence, and not about a formula or a step of it."""
    return finding["reading"] in (Reading.PRINTED, Reading.QUOTED) and not is_formula_only(finding)


def is_formula_only(finding: Entry) -> bool:
    """Whether only a formula of a longer sentence was checked."""
    return bool(finding.get("formula_only"))


def is_grave(finding: Entry) -> bool:
    """Whether the finding's error changes a guarantee, a statement or a number."""
    return finding["harm"] in GRAVE_HARMS


def recorded_elsewhere(statement: PaperStatement) -> bool:
    """Whether the statement is false only because of an error in another statement, where the error is counted."""
    own = {finding["id"] for finding in statement.group.findings}
    return not own & errors_of(statement)


def by_same_error(statement: PaperStatement, ended: Sequence[tuple[str, PaperStatement]]) -> list[PaperStatement]:
    """Returns the other numbered statements that are false because of an error in this statement.
    ended: all statements with their outcomes."""
    own = {finding["id"] for finding in statement.group.findings}
    numbered = [each for how, each in ended if how == "falls" and each.kind < len(STATEMENT_KINDS)]
    return [each for each in numbered if recorded_elsewhere(each) and own & errors_of(each)]


def errors_of(statement: PaperStatement) -> set[str]:
    """Returns the ids of the claims that record the errors because of which the statement is false."""
    refuted = (each for each in statement.group.findings if each["verdict"] == Verdict.REFUTED and is_grave(each))
    return {error_of(each) for each in refuted}


def repair(statement: PaperStatement) -> Entry | None:
    """Returns the finding that proves a repaired reading of the statement; None if there is none.
    A finding about the whole statement comes before one about a formula."""
    readings = (each for each in statement.group.findings if each["reading"] == Reading.REPAIRED)
    held = [each for each in readings if each["verdict"] in ESTABLISHED_VERDICTS]
    return min(held, key=is_formula_only, default=None)


def severity_key(statement: PaperStatement) -> tuple[int, int]:
    """A sort key of false statements: first by their consequences, then by the kind of statement."""
    harms = [each["harm"] for each in statement.group.findings if each["verdict"] == Verdict.REFUTED]
    return min(list(HARMS).index(harm) for harm in harms), statement.kind
