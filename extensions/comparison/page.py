"""The report page of a comparison: advice, pictures, and the basis of each guarantee. No side effects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from dpbandits.extensions.comparison.figures import COMPARED, Question, drawn_comparisons
from dpbandits.extensions.comparison.words import source_words
from dpbandits.reference.claims.findings import Column, Document, Side, above, below, columns_of
from dpbandits.reports.alone import svg_file
from dpbandits.reports.document import by_schema, complain, infinite, schema, spot, visible
from dpbandits.reports.glossary import VERDICTS
from dpbandits.reports.page import filled, style
from dpbandits.reports.words import format_number, symbols, toward

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
KEPT = {  # whether a policy keeps the wanted privacy, by its standing
    "ranked": "yes",
    "open": "not established",
    "baseline": "baseline",
    "apart": "yes",
    "unreachable": "no",
    "refuted": "claim is false",
}
RELATIONS = {"pull": "one reward of the table of pulls changes", "round": "one round of the stream changes"}


def validate_comparison(document: object) -> Document:
    """The document as plain JSON data. Raises ValueError with a list of faults and their places. Beyond the schema:
    every number is finite, and all rows refer to existing policies and families."""
    try:
        numbers = [f"{spot(document, place)}: {value} is no JSON number" for place, value in infinite(document, ())]
        complain(numbers, "comparison")
        plain: Document = visible(json.loads(json.dumps(document)))
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


def comparison_page(
    document: object,
    addresses: Mapping[str, str] = MappingProxyType({}),
    home: str = "",
    shared: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """The page of a comparison, or of several: the same document gives the same bytes, and it needs nothing else.

    document: as in comparison.schema.json. addresses: of claims that a report has pages of, as seen from this page; the
    others are named without a link. home: of that report, too; "" for none. shared: what all templates of that report
    may use. Raises ValueError for a document that breaks the schema; the message names the place.
    """
    data = validate_comparison(document)
    questions, order = data["comparisons"], list(STANDINGS)  # who may be recommended stands first
    own = {"document": data, "style": Markup(style())}
    return filled(
        TEMPLATE,
        **{**shared, **own},
        questions=questions,
        pictures=drawn_comparisons(questions),
        asked=asked,
        answered=answered,
        command=command,
        kept=kept_privacy(questions),
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


def belongs_in_report(document: Document, papers: Set[str]) -> bool:
    """Whether all compared papers are in the report. papers: the keys of the report's papers."""
    return {each["paper"] for one in document["comparisons"] for each in one["candidates"]} - {""} <= papers


def report_page(document: Document, variables: Mapping[str, Any]) -> str:
    """The page as a part of a report: its guarantees link to the statements of that report. variables: those of every
    template."""
    addresses = {claim: variables["href"](claim) for claim in variables["present"]}
    return comparison_page(document, addresses, variables["index_href"](), variables)


def comparison_picture(document: object) -> str:
    """The first picture of the page as an SVG file, light or dark like the reader's screen. Raises ValueError as the
    page does, and for a document without a family."""
    made = drawn_comparisons(validate_comparison(document)["comparisons"])
    if not made:
        raise ValueError("the comparison contains no family of arms, so no picture can be drawn")
    return svg_file(made[0].picture, symbols(f"{made[0].instance}: {made[0].title}"))


def asked(question: Question) -> str:
    """The question in words: the wanted privacy, the number of arms and of rounds."""
    eps, delta = format_number(question["eps"]), question["delta"]
    privacy = f"eps = {eps} at delta = {format_number(delta)}" if delta else f"eps = {eps}, pure"
    return f"{question['arms']} arms, T = {format_number(question['horizon'])}, {privacy}"


def answered(questions: Sequence[Question]) -> str:
    """The questions in words, without repetition: what they have in common, and each horizon with its eps."""
    first, horizons = questions[0], dict.fromkeys(one["horizon"] for one in questions)
    if len({(one["arms"], one["delta"]) for one in questions}) > 1:
        return "; ".join(map(asked, questions))
    each = [
        f"T = {format_number(horizon)} with eps = "
        + ", ".join(format_number(one["eps"]) for one in questions if one["horizon"] == horizon)
        for horizon in horizons
    ]
    delta = f"delta = {format_number(first['delta'])}" if first["delta"] else "pure privacy"
    return f"{first['arms']} arms, {delta}; {'; '.join(each)}"


def kept_privacy(questions: Sequence[Question]) -> list[tuple[str, list[str]]]:
    """For each policy, whether it keeps the privacy that each question wants, in a word or with the eps that its claim
    gives instead; policies that keep it for more questions first."""
    names = dict.fromkeys(each["name"] for one in questions for each in one["candidates"])
    rows = [(name, [kept_word(one, name) for one in questions]) for name in names]
    return sorted(rows, key=lambda row: -row[1].count(KEPT["ranked"]))


def kept_word(question: Question, name: str) -> str:
    """Whether a policy keeps the privacy that a question wants, in a word or with its eps; "" if it was not asked."""
    found = next((each for each in question["candidates"] if each["name"] == name), None)
    if found is None:
        return ""
    promise = found["promise"]
    if found["standing"] == "apart" and not promise:
        return "not private"
    if found["standing"] == "unreachable" and promise and promise["eps"] is not None:
        return f"no: eps = {format_number(toward(promise['eps'], Side.ABOVE, 3), 3)}"
    return KEPT[found["standing"]]


def command(question: Question) -> str:
    """The command line that answers the question."""
    privacy = f"--delta {question['delta']:g}" if question["delta"] else "--pure"
    asked_for = f"--arms {question['arms']} --horizon {question['horizon']} --eps {question['eps']:g} {privacy}"
    return f"dpbandits compare {asked_for} --html which-bandit.html"


def advised(questions: Sequence[Question]) -> list[tuple[Question, list[tuple[str, str]]]]:
    """Each advice with the questions that it answers; questions with the same advice are listed together, each with its
    own conditions."""
    alike: dict[str, tuple[Question, list[tuple[str, str]]]] = {}
    shared = shared_conditions(questions)
    for one in questions:
        said = json.dumps([one["advice"][part] for part in ("sentence", "policy", "ties")])
        own = " ".join(each for each in conditions(one, len(questions) > 1) if each not in shared)
        alike.setdefault(said, ({**one["advice"], "caveat": caveat(one)}, []))[1].append((asked(one), own))
    return list(alike.values())


def caveat(question: Question) -> str:
    """A sentence on the guarantee of the recommended policy: its verdict, what it rests on, and where it was read;
    empty without a recommendation."""
    chosen = next((each for each in question["candidates"] if each["name"] == question["advice"]["policy"]), None)
    if chosen is None or not chosen.get("promise"):
        return ""
    promise = chosen["promise"]
    rests_on = f" ({', '.join(promise['rests_on'])})" if promise["rests_on"] else ""
    verdict = VERDICTS[promise["verdict"]].name if promise["verdict"] in VERDICTS else promise["verdict"].lower()
    return f"Its privacy guarantee is {verdict}{rests_on}{source_words(chosen['paper_read'])}."


def conditions(question: Question, in_general: bool) -> list[str]:
    """The conditions of a question's advice. in_general: without the numbers that the question itself has."""
    told: list[str] = question["advice"]["conditions"]
    if not in_general:
        return told
    own = f"({question['eps']:g}, {question['delta']:g})-DP", f", T = {question['horizon']};"
    return [each.replace(own[0], "(eps, delta)-DP").replace(own[1], ";") for each in told]


def shared_conditions(questions: Sequence[Question]) -> list[str]:
    """The conditions that all questions have, but for their own numbers."""
    first, *others = (conditions(one, len(questions) > 1) for one in questions)
    return [each for each in first if all(each in other for other in others)]


def numbers(question: Question) -> tuple[Sequence[Column], Sequence[Sequence[object]]]:
    """Columns and rows of all measurements, with the quantity if it is not the regret."""
    rows = [
        (row["family"], row["policy"], row["mean"], row["low"], row["high"], row["most"], row["quantity"])
        for row in question["measured"]
    ]
    columns = columns_of(("family", "policy", "mean", below("low"), above("high"), above("at most"), "quantity"))
    return (columns, rows) if any(row[-1] != COMPARED for row in rows) else (columns[:-1], [row[:-1] for row in rows])
