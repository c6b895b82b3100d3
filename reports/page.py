"""The page: a findings document poured into the template. Pure; the same document gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from dpbandits.reports import figures, words
from dpbandits.reports.document import checked
from dpbandits.reports.plotting import Picture
from dpbandits.reports.tally import papers, tally

HERE = Path(__file__).parent
LINE = 96  # a certificate's lines are at most about this long
LONG = 36  # a table's column with more characters than this may wrap, but not to a sliver
CERTIFICATE_LINES = 400  # a longer certificate is shown in part; all of it stands in its own file


def render(document: dict[str, Any]) -> str:
    """The report as one HTML page that needs nothing else. document: as in findings.schema.json.

    Raises ValueError for a document that breaks the schema; the message names the finding and the field.
    """
    data = checked(document)
    findings = data["findings"]
    numbering = count(1)
    return (
        environment()
        .get_template("template.html")
        .render(
            document=data,
            tally=tally(findings),
            papers={name: (group, tally(group)) for name, group in papers(findings).items()},
            present={finding["id"] for finding in findings},
            verdicts=words.VERDICTS,
            terms=words.TERMS,
            style=Markup((HERE / "style.css").read_text(encoding="utf-8")),  # our own file, so safe
            picture=lambda item: picture(item, f"figure-{next(numbering)}"),
        )
    )


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        number=words.number,
        shortened=words.shortened,
        anchor=anchor,
        laid_out=laid_out,
        file=certificate_file,
        flush=flush,
        paragraphs=lambda text: [part.strip("\n") for part in text.split("\n\n") if part.strip()],
        name=lambda verdict: words.VERDICTS[verdict].name,
        read_as=words.read_as,
    )
    made.globals.update(counted=words.counted)
    return made


def picture(item: dict[str, Any], name: str) -> Picture:
    drawn = figures.draw(item, name)
    return drawn._replace(svg=Markup(drawn.svg))  # made by our own drawing, so safe


def anchor(claim: str) -> str:
    """The id of a claim's section."""
    return f"claim-{claim}"


def certificate_file(finding: dict[str, Any], item: dict[str, Any]) -> str:
    """Where the audit writes this certificate: named by the claim, and numbered from the second one on."""
    carried = [other for other in finding["evidence"] if other["kind"] == "certificate"]
    place = next(place for place, other in enumerate(carried, 1) if other is item)
    return f"certificates/{finding['id'].replace('/', '__')}{f'-{place}' if place > 1 else ''}.json"


def flush(rows: Sequence[Sequence[Any]], column: int) -> Markup:
    """The class of a column's cells: numbers (and gaps) are set flush right, long text gets some room."""
    cells = [row[column] for row in rows if row[column] is not None]
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
        return Markup(' class="n"')
    return Markup(' class="long"' if any(len(str(cell)) > LONG for cell in cells) else "")


def laid_out(certificate: dict[str, Any]) -> tuple[str, int]:
    """A certificate as JSON for reading, and how many of its lines were left out."""
    lines = "\n".join(json_lines(certificate, "")).split("\n")
    return "\n".join(lines[:CERTIFICATE_LINES]), max(0, len(lines) - CERTIFICATE_LINES)


def json_lines(node: Any, indent: str) -> list[str]:
    """JSON that breaks a list or an object only where it does not fit on a line."""
    short = json.dumps(node, ensure_ascii=False)
    if not isinstance(node, list | dict) or not node or (indent and len(indent) + len(short) <= LINE):
        return [short]
    inner = indent + "  "
    if isinstance(node, dict):
        heads, values, ends = (
            [json.dumps(k, ensure_ascii=False) + ": " for k in node],
            list(node.values()),
            "{}",
        )
    else:
        heads, values, ends = [""] * len(node), node, "[]"
    out = [ends[0]]
    for position, (head, value) in enumerate(zip(heads, values, strict=True)):
        first, *rest = json_lines(value, inner)
        part = [inner + head + first, *rest]
        if position < len(values) - 1:
            part[-1] += ","
        out += part
    return [*out, indent + ends[1]]
