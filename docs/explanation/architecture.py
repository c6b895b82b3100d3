"""The picture of architecture.md: which folder imports which. Writes architecture.svg beside this file.

A test holds its arrows against those that are allowed, and the file against this script. The picture stands on light
and on dark pages: boxes with a ground of their own, arrows in a grey that is seen on both.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_suffix(".svg")
WIDTH, HEIGHT = 360, 484
ARROW, WHITE = "#8a8f98", "#ffffff"


class Box(NamedTuple):
    """A folder, or a part of one. x, y, width, height: in the picture's units. lines: what it holds, below its name."""

    name: str
    x: int
    y: int
    width: int
    height: int
    ground: str
    lines: tuple[str, ...]


BOXES = (
    Box("extensions", 8, 8, 344, 48, "#6b4f1d", ("may import all of the core, which never imports them",)),
    Box("audit", 8, 68, 216, 112, "#7a3b69", ("command line, pytest plugin", "the loop over claims, workers",
        "judges of samples, search", "a user's own policies")),
    Box("reports", 252, 68, 100, 112, "#4a5568", ("findings.json", "in, pages out")),
    Box("proofs_checks", 8, 214, 216, 124, "#2f5d8a", ("judge of formulas, exact laws", "proofs of single lemmas")),
    Box("checker of certificates", 18, 304, 196, 26, "#1d3d5c", ()),
    Box("reference", 8, 378, 344, 98, "#2e6b4f", ("the ledger, and a page for each paper",
        "policies, curves, neighbours", "noise and elementary functions")),
)  # fmt: skip


class Arrow(NamedTuple):
    """Who imports whom, as a line through these points. last: not at the top level, by the fronts alone."""

    who: str
    whom: str
    points: tuple[tuple[int, int], ...]
    last: bool = False


ARROWS = (
    Arrow("extensions", "audit", ((116, 56), (116, 66))),
    Arrow("extensions", "reports", ((302, 56), (302, 66))),
    Arrow("audit", "proofs_checks", ((92, 180), (92, 212))),
    Arrow("audit", "reference", ((212, 180), (212, 197), (238, 197), (238, 376))),
    Arrow("proofs_checks", "reference", ((92, 338), (92, 376))),
    Arrow("reports", "reference", ((302, 180), (302, 376))),
    Arrow("audit", "reports", ((224, 120), (250, 120)), last=True),
)


def drawn() -> str:
    """The picture."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="system-ui, sans-serif">',
        "<title>Five folders, and which of them imports which</title>",
        f'<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0L8 4L0 8Z" fill="{ARROW}"/></marker></defs>',
    ]
    for arrow in ARROWS:
        line = " ".join(f"{x},{y}" for x, y in arrow.points)
        dashes = ' stroke-dasharray="4 3"' if arrow.last else ""
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{ARROW}" stroke-width="2"{dashes} marker-end="url(#head)"/>'
        )
    for box in BOXES:
        parts.append(
            f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="8" fill="{box.ground}"/>'
        )
        size, first = (15, 24) if box.lines else (13, 18)
        parts.append(text(box, first, box.name, size, "600"))
        parts += [text(box, first + 20 + 18 * place, line, 13, "400") for place, line in enumerate(box.lines)]
    return "\n".join([*parts, "</svg>", ""])


def text(box: Box, down: int, words: str, size: int, weight: str) -> str:
    return (
        f'<text x="{box.x + 10}" y="{box.y + down}" font-size="{size}" font-weight="{weight}" fill="{WHITE}">'
        f"{escape(words)}</text>"
    )


if __name__ == "__main__":
    FILE.write_text(drawn(), encoding="utf-8")
