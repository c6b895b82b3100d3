"""What a busy reader needs first: counts per verdict, refutations, surprises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dpbandits.reference.ledger import Harm, Verdict
from dpbandits.reports.words import VERDICTS

Finding = Mapping[str, Any]


class Tally(NamedTuple):
    """counts: (verdict, how many), in the glossary's order, without the verdicts that nothing received.

    refuted_as_expected: the positive controls that did their work; refuted_unexpected: the other refutations.
    by_harm: the former by what breaks, (harm, findings), the worst first; without a harm last.
    missing: positive controls (refutation expected, and nothing else) that were not refuted.
    """

    total: int
    counts: tuple[tuple[str, int], ...]
    refuted_as_expected: tuple[Finding, ...]
    refuted_unexpected: tuple[Finding, ...]
    by_harm: tuple[tuple[str, tuple[Finding, ...]], ...]
    surprises: tuple[Finding, ...]
    missing: tuple[Finding, ...]


def tally(findings: Sequence[Finding]) -> Tally:
    counts = Counter(finding["verdict"] for finding in findings)
    refuted = [finding for finding in findings if finding["verdict"] == Verdict.REFUTED]
    controls = tuple(finding for finding in refuted if not finding["surprise"])
    harms = [(str(harm), str(harm)) for harm in Harm] + [("others", "")]
    sorted_out = [(name, tuple(finding for finding in controls if finding["harm"] == harm)) for name, harm in harms]
    return Tally(
        total=len(findings),
        counts=tuple((verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]),
        refuted_as_expected=controls,
        by_harm=tuple((name, group) for name, group in sorted_out if group),
        refuted_unexpected=tuple(finding for finding in refuted if finding["surprise"]),
        surprises=tuple(finding for finding in findings if finding["surprise"]),
        missing=tuple(
            finding
            for finding in findings
            if finding["expect"] == [Verdict.REFUTED] and finding["verdict"] != Verdict.REFUTED
        ),
    )


def papers(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    """The findings of each paper, papers and findings in the document's order."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding["paper"], []).append(finding)
    return groups
