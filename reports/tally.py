"""The overview: counts for each verdict, what is false and where, and unexpected verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dpbandits.reference.claims.model import HOLDS, Harm, Reading, Verdict
from dpbandits.reports.glossary import VERDICTS

Finding = Mapping[str, Any]
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
AUTHORS_READINGS = frozenset((Reading.PRINTED, Reading.QUOTED, Reading.STEP))  # of what the authors say
FOLDED = (str(Harm.PROOF), str(Harm.NONE))


class RefutationGroup(NamedTuple):
    """The refuted findings about one place of one paper, of one harm or of all. fault, quote, repair: where given."""

    paper: str
    where: str
    findings: tuple[Finding, ...]

    @property
    def quote(self) -> str:
        return next((str(finding["quote"]) for finding in self.findings if finding["quote"]), "")

    @property
    def fault(self) -> str:
        return ", ".join(dict.fromkeys(finding["fault"] for finding in self.findings if finding["fault"]))

    @property
    def twin(self) -> str:
        """The claim elsewhere that tells the error of all of these; empty where there is none."""
        told = {error_of(finding) for finding in self.findings}
        own = {finding["id"] for finding in self.findings}
        return told.pop() if len(told) == 1 and not told & own else ""

    @property
    def why(self) -> str:
        """What goes wrong and whom it costs, in the ledger's words."""
        return next((str(finding["note"]) for finding in self.findings if finding["note"]), "")

    @property
    def repair(self) -> str:
        """What holds instead, in the ledger's words."""
        return next((str(finding["repair"]) for finding in self.findings if finding.get("repair")), "")


class Broken(NamedTuple):
    """One harm. number: of its heading. words: for a stranger; head: in two words; singular: of one. counts: errors per
    paper; errors: of all; total: the findings that tell them. folded: on the overview."""

    number: int
    words: str
    head: str
    singular: str
    counts: Mapping[str, int]
    groups: tuple[RefutationGroup, ...]
    errors: int
    total: int
    folded: bool


class Tally(NamedTuple):
    """counts: (verdict, how many), in the glossary's order, without the verdicts that nothing received.

    refuted_as_expected: the positive controls that were refuted. errors: how many distinct ones are among the
    refutations. harms: all refutations by what breaks, the worst first. missing: positive controls (refutation
    expected, and nothing else) that were not refuted.
    """

    total: int
    counts: tuple[tuple[str, int], ...]
    refuted_as_expected: tuple[Finding, ...]
    errors: int
    harms: tuple[Broken, ...]
    surprises: tuple[Finding, ...]
    missing: tuple[Finding, ...]
    needing_larger_profile: int = 0  # of what was not exercised: how many a larger profile would

    @property
    def harmless(self) -> int:
        """How many refuted statements are harmless: steps of proofs, misprints."""
        return sum(harm.total for harm in self.harms if harm.folded)


def tally(findings: Sequence[Finding]) -> Tally:
    counts = Counter(finding["verdict"] for finding in findings)
    refuted = [finding for finding in findings if finding["verdict"] == Verdict.REFUTED]
    return Tally(
        total=len(findings),
        counts=tuple((verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]),
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
    )


def refutations_by_harm(refuted: Sequence[Finding]) -> list[Broken]:
    """The harms that came up, the worst first."""
    made = []
    for number, (harm, words) in enumerate(HARMS.items()):
        own = [finding for finding in refuted if finding["harm"] == harm]
        if own:
            told = errors(own)
            counts = Counter(paper for paper, _ in told)
            made.append(
                Broken(
                    number,
                    words,
                    HEADS[harm],
                    HARM_TAGS[harm],
                    counts,
                    tuple(groups_by_place(own)),
                    len(told),
                    len(own),
                    harm in FOLDED,
                )
            )
    return made


def errors(refuted: Sequence[Finding]) -> set[tuple[str, str]]:
    """The errors that these findings tell: (paper, the claim that it is told as), one of several twins."""
    return {(finding["paper"], error_of(finding)) for finding in refuted}


def error_of(finding: Finding) -> str:
    """The claim that the finding's error is told as: another one, or itself."""
    return str(finding.get("same_error_as") or finding["id"])


def gravity(finding: Finding) -> int:
    """The order of findings by what breaks: the worst first, what is not refuted last."""
    harms = list(HARMS)
    return harms.index(finding["harm"]) if finding["verdict"] == Verdict.REFUTED else len(harms)


def groups_by_place(findings: Sequence[Finding]) -> list[RefutationGroup]:
    """The findings by the place that they are about, in their order."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding["paper"], finding["where"]), []).append(finding)
    return [RefutationGroup(paper, where, tuple(own)) for (paper, where), own in groups.items()]


def meant_by_authors(findings: Sequence[Finding]) -> list[Finding]:
    """The findings about what the authors say; only where there is none, all of them, which are literal readings or
    sentences of ours."""
    return [finding for finding in findings if finding["reading"] in AUTHORS_READINGS] or list(findings)


def holding_instead(group: RefutationGroup, findings: Sequence[Finding]) -> list[Finding]:
    """What is shown to hold in the place of a refuted statement: the claims that it is repaired by, those that its
    texts name, and its repaired readings."""
    stems = {"/".join(finding["id"].split("/")[:2]) for finding in group.findings}
    fields = ("repaired_by", "related")
    named = {name for finding in group.findings for key in fields for name in finding.get(key, ())}
    return [
        finding
        for finding in findings
        if finding["verdict"] in HOLDS
        and (
            finding["id"] in named
            or (finding["reading"] == Reading.REPAIRED and "/".join(finding["id"].split("/")[:2]) in stems)
        )
    ]


def papers(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """The findings of each paper, papers and findings in the document's order."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding["paper"], []).append(finding)
    return groups


class Changed(NamedTuple):
    """What differs from the last release that the findings' histories know. version: its version. new: the claims that
    it did not have. verdicts: (finding, the verdict there) of each claim with another verdict now."""

    version: str
    new: tuple[Finding, ...]
    verdicts: tuple[tuple[Finding, str], ...]

    @property
    def refuted_now(self) -> tuple[Finding, ...]:
        """The refuted claims that were not refuted in that release: other verdicts, then new claims."""
        changed = (finding for finding, _ in self.verdicts)
        return tuple(finding for finding in (*changed, *self.new) if finding["verdict"] == Verdict.REFUTED)

    @property
    def refuted_no_longer(self) -> tuple[Finding, ...]:
        return tuple(finding for finding, before in self.verdicts if before == Verdict.REFUTED)

    @property
    def groups(self) -> dict[tuple[str, str], list[Finding]]:
        """The claims with another verdict, by (verdict there, verdict now); refutations and large groups first."""
        made: dict[tuple[str, str], list[Finding]] = {}
        for finding, before in self.verdicts:
            made.setdefault((before, finding["verdict"]), []).append(finding)
        order = sorted(made, key=lambda group: (Verdict.REFUTED not in group, -len(made[group])))
        return {group: made[group] for group in order}


def changed_since(findings: Sequence[Finding]) -> Changed | None:
    """What changed since the last release; None where no finding has a history that begins with a release."""
    known = [(finding, finding["history"]) for finding in findings if len(finding.get("history", ())) > 1]
    if not known:
        return None
    version = str(known[0][1][-2]["version"])
    former = {finding["id"] for finding, _ in known}
    new = tuple(finding for finding in findings if finding["id"] not in former)
    verdicts = tuple(
        (finding, str(stages[-2]["verdict"]))
        for finding, stages in known
        if stages[-2]["verdict"] != finding["verdict"]
    )
    return Changed(version, new, verdicts)


def featured(findings: Sequence[Finding], wanted: Sequence[str], pictured: Sequence[str]) -> Finding | None:
    """The finding to begin with: the first wanted one that has a picture, or else the worst refutation that has one."""

    def seen(finding: Finding) -> bool:
        return any(item["kind"] in pictured for item in finding["evidence"])

    known = {finding["id"]: finding for finding in findings}
    first = [known[name] for name in wanted if name in known]
    worst = [
        finding
        for harm in (Harm.GUARANTEE, Harm.STATEMENT)
        for finding in findings
        if finding["harm"] == harm and finding["verdict"] == Verdict.REFUTED
    ]
    return next(filter(seen, [*first, *worst]), None)
