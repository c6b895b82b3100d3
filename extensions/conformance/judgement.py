"""The overall result of all checks of an implementation: in one sentence, and as a badge."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from dpbandits.audit.cli_shared.outcomes import Outcomes, in_a_row, in_words, outcomes_of
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.reference.claims.findings import CheckFound

LAW = "page law"
LABEL = "dpbandits"
COLOURS = {"brightgreen": "#2d7d32", "orange": "#a85000", "red": "#b3261e", "lightgrey": "#5f6368"}
GLYPH_WIDTH, TEXT_MARGIN, BADGE_HEIGHT = 6.8, 8, 20  # pixels: of a letter on average, beside a text, of the whole


def judgement(found: Sequence[Judged], subject: str, page: str) -> str:
    """A sentence about the subject, compared with a reference policy. Each check counts by its worst result over all
    numbers of arms and pulls. An expected failure is a failure."""
    outcomes = outcomes_of((each.kind, each.finding.verdict) for each in found)
    if LAW in outcomes.broken:
        law = f"does not have the distribution of {page}"
    elif LAW in outcomes.held:
        bodies = [each.finding.body for each in found if each.kind == LAW]
        shifts = [each.every_step for each in bodies if isinstance(each, CheckFound) and each.every_step is not None]
        near = f" (a deviation of {max(shifts):.2g} in every step would be detected)" if shifts else ""
        law = f"agrees with the distribution of {page}{near}"
    else:
        law = f"was not compared with the distribution of {page}"
    checks = [name for name in outcomes.broken if "/" not in name and name != LAW]
    kept, broken, untested = ([name for name in names if "/" in name] for names in (*outcomes[1::-1], outcomes[2]))
    promises = in_words(Outcomes(tuple(broken), tuple(kept), tuple(untested)))
    return "; ".join([f"{subject} {law}", *promises, *([f"fails {in_a_row(checks)}"] if checks else [])])


class Badge(NamedTuple):
    """A badge. colour: a key of COLOURS, whose names badge services know."""

    message: str
    colour: str


FAILED = Badge("error", "red")  # of a battery that came to no end


def badge(found: Sequence[Judged], page: str, trials: int) -> Badge:
    """The badge of a battery: the result of the check of the law first, because it detects more than any guarantee.
    trials: in each game. Green means that nothing was found, with the number of runs; it is no proof."""
    outcomes = outcomes_of((each.kind, each.finding.verdict) for each in found)
    bad = "red" if any(each.surprise for each in found) else "orange"  # failures that somebody expects stay in sight
    if LAW in outcomes.broken:
        return Badge(f"another law than {page}", bad)
    if outcomes.broken:
        more = f" and {len(outcomes.broken) - 1} more" if len(outcomes.broken) > 1 else ""
        return Badge(f"fails {outcomes.broken[0]}{more}", bad)
    if bad == "red":
        return Badge("passes what was expected to fail", bad)
    if LAW not in outcomes.held:
        return Badge(f"not compared with {page}", "lightgrey")
    return Badge(f"fits {page}, {trials} runs", "brightgreen")


def as_endpoint(drawn: Badge) -> str:
    """The badge as endpoint JSON for shields.io."""
    fields = {"schemaVersion": 1, "label": LABEL, "message": drawn.message, "color": drawn.colour}
    return json.dumps(fields, indent=1, ensure_ascii=False) + "\n"


def as_svg(drawn: Badge) -> str:
    """The badge as a self-contained SVG drawing."""
    ends = [round(len(text) * GLYPH_WIDTH + 2 * TEXT_MARGIN) for text in (LABEL, drawn.message)]
    whole, said, size = sum(ends), escape(f"{LABEL}: {drawn.message}"), f'height="{BADGE_HEIGHT}"'
    texts = [
        f'<text x="{start + width / 2:g}" y="14" textLength="{width - 2 * TEXT_MARGIN}">{escape(text)}</text>'
        for start, width, text in ((0, ends[0], LABEL), (ends[0], ends[1], drawn.message))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" {size} role="img" aria-label="{said}">',
            f"<metadata>dpbandits</metadata><title>{said}</title>",
            f'<clipPath id="r"><rect width="{whole}" {size} rx="3"/></clipPath>',
            f'<g clip-path="url(#r)"><rect width="{ends[0]}" {size} fill="#3c4043"/>',
            f'<rect x="{ends[0]}" width="{ends[1]}" {size} fill="{COLOURS[drawn.colour]}"/></g>',
            '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
            *texts,
            "</g></svg>\n",
        ]
    )


FORMS: dict[str, Callable[[Badge], str]] = {".svg": as_svg, ".json": as_endpoint}  # by how the file's name ends
