"""Which findings stand on which page of their paper: as few pages as there can be, each below a size. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpbandits.reports.drawn_once import PICTURED_KINDS
from dpbandits.reports.tally import Finding

MAX_PAGE_SIZE = 480_000  # of a page, in the units of `room`: about three quarters of it are characters
MARKED = 70  # characters of an index or an exponent


def each_section(sections: Mapping[str, Sequence[Finding]]) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    return ((name, tuple(group)) for name, group in sections.items())


def findings_in(sections: Sequence[tuple[str, Sequence[Finding]]]) -> Iterator[Finding]:
    return (finding for _, group in sections for finding in group)


def packed(sections: Mapping[str, Sequence[Finding]]) -> list[list[tuple[str, tuple[Finding, ...]]]]:
    """The findings in order, on as few pages as they need; a section is cut only where it is larger than a page."""
    packs: list[list[tuple[str, tuple[Finding, ...]]]] = [[]]
    used = 0
    for name, group in sections.items():
        size = sum(map(room, group))
        if used + size > MAX_PAGE_SIZE and packs[-1]:
            packs.append([])
            used = 0
        own: list[Finding] = []
        for finding in group:
            if used + room(finding) > MAX_PAGE_SIZE and (own or packs[-1]):
                packs[-1] += [(name, tuple(own))] if own else []
                packs.append([])
                own, used = [], 0
            own.append(finding)
            used += room(finding)
        packs[-1].append((name, tuple(own)))
    return packs


def room(finding: Finding) -> int:
    """About how many characters a finding takes on its page."""
    said = [part for part in finding.values() if isinstance(part, str)]
    size = 1800 + 2 * sum(map(len, said)) + MARKED * sum(map(marks, said))
    size += 7 * sum(len(text) for part in finding["parts"] for text in part.values())
    for item in finding["evidence"]:
        if item["kind"] in PICTURED_KINDS:
            size += 15_000 + 8 * points_of(item) + 250 * len(item.get("rows", ()))
        elif item["kind"] == "table":
            size += 600 + sum(20 + len(str(cell)) + MARKED * marks(str(cell)) for row in item["rows"] for cell in row)
        else:
            size += 2500 + len(str(item)) + MARKED * marks(str(item.get("text", "")))
    return size


def marks(text: str) -> int:
    """How many indices, exponents and roots there may be in a text: each is set with some mark-up."""
    return text.count("^") + text.count("_") + text.count("sqrt")


def points_of(item: Mapping[str, Any]) -> int:
    curves = [item.get(name, ()) for name in ("claimed", "exact_low", "exact_high", "resolved", "points")]
    return sum(map(len, [*curves, *(series["points"] for series in item.get("series", ()))]))
