"""The report page of a comparison: advice, pictures, and the basis of each guarantee. No side effects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from dpbandits.extensions.comparison.figures import COMPARED, Question, drawn_comparisons
from dpbandits.reference.claims.findings import Column, above, below, columns_of
from dpbandits.reports.alone import svg_file
from dpbandits.reports.document import by_schema, complain, infinite, schema, spot, visible
from dpbandits.reports.glossary import VERDICTS
from dpbandits.reports.page import filled, style
from dpbandits.reports.words import format_number, symbols

SCHEMA_FILE = Path(__file__).with_name("comparison.schema.json")
TEMPLATE = Path(__file__).parent / "templates" / "comparison.html"
STANDINGS = {  # in the order of the page: the word, and what it means
    "ranked": ("ranked", "keeps the wanted privacy on a promise that holds, and may be recommended"),
    "open": ("open", "nothing was found for or against its promise: played, never recommended"),
    "baseline": ("baseline", "played beside them, to show what privacy costs or what it costs to read no reward"),
    "apart": ("best arm", "answers for the best arm, and is measured by how often its answer is wrong"),
    "unreachable": (
        "out of reach",
        "by its claim no parameters of it reach the wanted privacy, or none that are allowed",
    ),
    "refuted": ("refuted", "its promise is false: neither played nor recommended"),
}
RELATIONS = {"pull": "one reward of the table of pulls changes", "round": "one round of the stream changes"}


def validate_comparison(document: Any) -> dict[str, Any]:
    """The document as plain JSON data; ValueError lists what is wrong with it, and where. Beyond the schema: every
    number is finite, and what was measured, ordered and advised is of policies and families that there are."""
    try:
        numbers = [f"{spot(document, place)}: {value} is no JSON number" for place, value in infinite(document, ())]
        complain(numbers, "comparison")
        plain: dict[str, Any] = visible(json.loads(json.dumps(document)))
    except TypeError as error:
        raise ValueError(f"the comparison is not JSON data ({error})") from None
    complain(list(by_schema(plain, schema(SCHEMA_FILE))), "comparison")
    for number, one in enumerate(plain["comparisons"]):
        policies, families = ({each["name"] for each in one[part]} for part in ("candidates", "families"))
        used = {row["policy"] for row in one["measured"]}
        used |= {row[side] for row in one["orders"] for side in ("better", "worse")} | {
            *one["advice"]["ties"],
            one["advice"]["policy"],
        } - {""}
        named = {row["family"] for part in ("measured", "orders") for row in one[part]}
        complain(
            [f"comparisons[{number}]: {name!r} is not in the list of candidates" for name in sorted(used - policies)]
            + [f"comparisons[{number}]: {name!r} is not in the list of families" for name in sorted(named - families)],
            "comparison",
        )
    return plain


def comparison_page(document: Any, addresses: Mapping[str, str] = MappingProxyType({}), home: str = "") -> str:
    """The page of a comparison, or of several: the same document gives the same bytes, and it needs nothing else.

    document: as in comparison.schema.json. addresses: of claims that a report has pages of, as seen from this page; the
    others are named without a link. home: of that report, too; "" for none. Raises ValueError for a document that
    breaks the schema; the message names the place.
    """
    data = validate_comparison(document)
    questions, order = data["comparisons"], list(STANDINGS)  # who may be recommended stands first
    return filled(
        TEMPLATE,
        document=data,
        style=Markup(style()),
        questions=questions,
        pictures=drawn_comparisons(questions),
        asked=asked,
        standings=STANDINGS,
        relations=RELATIONS,
        by_standing=lambda question: sorted(question["candidates"], key=lambda each: order.index(each["standing"])),
        addresses=addresses,
        home=home,
        known_verdict=lambda verdict: verdict in VERDICTS,
        advised=advised(questions),
        conditions=shared_conditions(questions),
        numbers=numbers,
    )


def belongs_in_report(document: Mapping[str, Any], papers: Set[str]) -> bool:
    """Whether all papers that are compared are in the report. papers: the keys of those that are."""
    return {each["paper"] for one in document["comparisons"] for each in one["candidates"]} - {""} <= papers


def report_page(document: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
    """The page as one of a report: its promises lead to the statements of that report. variables: what every template
    may use."""
    addresses = {claim: variables["href"](claim) for claim in variables["present"]}
    return comparison_page(document, addresses, variables["index_href"]())


def comparison_picture(document: Any) -> str:
    """The first picture of the page as an SVG file, light or dark as its reader's screen. ValueError as the page's, and
    for a document without a family."""
    made = drawn_comparisons(validate_comparison(document)["comparisons"])
    if not made:
        raise ValueError("the comparison contains no family of arms, so no picture can be drawn")
    return svg_file(made[0].picture, symbols(f"{made[0].instance}: {made[0].title}"))


def asked(question: Question) -> str:
    """The question in words: what is wanted, of how many arms and rounds."""
    eps, delta = format_number(question["eps"]), question["delta"]
    privacy = f"eps = {eps} at delta = {format_number(delta)}" if delta else f"eps = {eps}, pure"
    return f"{question['arms']} arms, T = {format_number(question['horizon'])}, {privacy}"


def advised(questions: Sequence[Question]) -> list[tuple[Mapping[str, Any], list[tuple[str, str]]]]:
    """Each advice with the questions that it answers, for those that end alike are told once, and with what has to be
    true for each of these alone."""
    alike: dict[str, tuple[Mapping[str, Any], list[tuple[str, str]]]] = {}
    shared = shared_conditions(questions)
    for one in questions:
        said = json.dumps([one["advice"][part] for part in ("sentence", "policy", "ties")])
        own = " ".join(each for each in one["advice"]["conditions"] if each not in shared)
        alike.setdefault(said, (one["advice"], []))[1].append((asked(one), own))
    return list(alike.values())


def shared_conditions(questions: Sequence[Question]) -> list[str]:
    first, *others = (one["advice"]["conditions"] for one in questions)
    return [each for each in first if all(each in other for other in others)]


def numbers(question: Question) -> tuple[Sequence[Column], Sequence[Sequence[Any]]]:
    """Columns and rows of all that was measured; the quantity where it is not the regret."""
    rows = [
        (row["family"], row["policy"], row["mean"], row["low"], row["high"], row["most"], row["quantity"])
        for row in question["measured"]
    ]
    columns = columns_of(("family", "policy", "mean", below("low"), above("high"), above("at most"), "quantity"))
    return (columns, rows) if any(row[-1] != COMPARED for row in rows) else (columns[:-1], [row[:-1] for row in rows])
