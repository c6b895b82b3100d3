"""One finding as text for a terminal: the statement, the result, what is false, what holds instead, and how to check
it.

HTML pages are made in `site`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from dpbandits.reference.claims.records import Entry, Item, PaperRecord, of_formula
from dpbandits.reports.glossary import hedged_harm, reading_in_full, theorem_note, theorem_page
from dpbandits.reports.page import by_hand
from dpbandits.reports.refutations import counterexample
from dpbandits.reports.tally import RefutationGroup, holding_instead

TERMINAL_COLUMNS = 100  # columns
MARGIN_COLUMNS = 14  # columns of the words that lead a paragraph
THOUSANDS_SEPARATOR = "\u202f"  # as `refutations` writes numbers: a narrow space that does not break


def finding_text(finding: Entry, findings: Sequence[Entry], papers: Mapping[str, PaperRecord]) -> str:
    """Returns the finding as text for a terminal, in paragraphs with a heading word each.
    findings: all findings of its document, among which are those that hold in place of a refuted claim. papers: those
    of the document, by key."""
    lines = [f"{finding['id']}: {finding['verdict']}{'' if finding['surprise'] else ', as expected'}"]
    for word, text in paragraphs(finding, findings, papers):
        lines += paragraph(word, text)
    return "\n".join(lines)


def paragraphs(
    finding: Entry, findings: Sequence[Entry], papers: Mapping[str, PaperRecord]
) -> Iterator[tuple[str, str]]:
    """Yields (heading word, text) for each paragraph of the finding's text, including empty ones."""
    paper = papers.get(finding["paper"])
    title = f"{paper['authors']}, {paper['title']}, {paper['venue']}" if paper else finding["paper"]
    yield "paper", f"{title}; {finding['where'] or finding['section']}"
    yield "sentence", f'"{finding["quote"]}"' if finding["quote"] else ""
    yield "reading", ": ".join(filter(None, (reading_in_full(finding), finding["scope"])))
    yield "given", finding["given"]
    yield "checked", finding["statement"]
    yield "result", "" if by_hand(finding) else finding["summary"]  # a formula's point says the same, and is below
    for item in finding["evidence"]:
        yield from of_evidence(item)
    yield "harm", ": ".join(filter(None, (finding["fault"], hedged_harm(finding))))
    yield "note", finding["note"]
    if finding["verdict"] == "REFUTED":
        group = RefutationGroup(finding["paper"], finding["where"], (finding,))
        yield "repair", group.repair
        for other in holding_instead(group, findings):
            yield "holds", f"{other['id']} ({other['verdict']}): {other['scope'] or other['summary']}"
    yield "same error", finding.get("same_error_as", "")  # the claim that tells the same error
    yield "power", finding["resolution"]
    yield "rests on", ", ".join(finding["rests_on"])
    yield "theorem", theorem_note(finding)
    yield "statement", f"dpbandits show --theorem {finding['id']}" if theorem_page(finding) else ""
    yield "repeat", finding["repro"]


def of_evidence(item: Item) -> Iterator[tuple[str, str]]:
    """Yields (heading word, text) for evidence that a terminal can show.
    Words, and counterexamples that can be typed in."""
    if item["kind"] == "text":
        yield "because", " ".join(item["text"].split())
    elif item["kind"] == "certificate" and (example := counterexample(item["certificate"])):
        made = item["certificate"]
        if of_formula(made):
            point = ", ".join(f"{name} = {value}" for name, value in made["variables"].items())
            yield "point", f"{point}: {made['left']} = {example.left_value}, {made['right']} = {example.right_value}"
        yield "by hand", example.command


def paragraph(word: str, text: str) -> list[str]:
    """Returns the lines of a paragraph, with the heading word in the margin.
    A command is on its own line, so that it can be copied. The thousands separator becomes a space that every terminal
    can show, and lines are not broken at it."""
    if word in ("by hand", "repeat", "statement") and text:
        return [f"  {word}", f"    {text}"]
    wrapped = wrap(text, TERMINAL_COLUMNS - MARGIN_COLUMNS, break_long_words=False, break_on_hyphens=False)
    lines = [line.replace(THOUSANDS_SEPARATOR, " ") for line in wrapped]
    return [f"{'  ' + word if not place else '':<{MARGIN_COLUMNS}}{line}" for place, line in enumerate(lines)]
