"""The report page of a comparison: advice, pictures, and the basis of each guarantee. No side effects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from markupsafe import Markup

from dpbandits.extensions.comparison.document import EPS_DIGITS
from dpbandits.extensions.comparison.figures import COMPARED, Drawn, Question, drawn_comparisons
from dpbandits.extensions.comparison.words import source_words
from dpbandits.reference.claims.findings import Column, Side, above, below, columns_of
from dpbandits.reports.alone import svg_file
from dpbandits.reports.document import by_schema, non_finite_numbers, place_name, raise_problems, schema, visible
from dpbandits.reports.glossary import VERDICTS
from dpbandits.reports.page import PageVariables, rendered_page, style
from dpbandits.reports.words import format_number, rounded_safely, symbols

Comparison = Mapping[str, Any]  # a comparison as JSON, in the form of comparison.schema.json
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


class Shelf(NamedTuple):
    """All questions with the same number of arms. advised, kept: the results of the functions `questions_by_advice` and
    `guarantees_by_policy`."""

    arms: int
    questions: Sequence[Question]
    advised: list[tuple[Question, list[tuple[str, str]]]]
    kept: list[tuple[str, list[str]]]
    pictures: list[Drawn]


class Algorithm(NamedTuple):
    """A pseudo-code with the policies that are played by it. number: on the page, from 1. names: of the classes.
    policies: by name, the claim of its privacy and the claim's verdict, both "" for none. advised: whether the advice
    names one of them. papers: the papers of the policies, by key, with short titles."""

    number: int
    text: str
    names: tuple[str, ...]
    policies: Mapping[str, tuple[str, str]]
    papers: Mapping[str, str]
    advised: bool


def validate_comparison(document: object) -> Comparison:
    """Checks a document of comparisons, and returns it as plain JSON data.
    Raises ValueError, with a list of faults and their places, if the document breaks the schema, contains a number that
    is not finite, or refers to an unknown policy, algorithm or family."""
    try:
        numbers = [
            f"{place_name(document, place)}: {value} is no JSON number"
            for place, value in non_finite_numbers(document, ())
        ]
        raise_problems(numbers, "comparison")
        plain: Comparison = visible(json.loads(json.dumps(document)))
    except TypeError as error:
        raise ValueError(f"the comparison is not JSON data ({error})") from None
    raise_problems(list(by_schema(plain, schema(SCHEMA_FILE))), "comparison")
    for number, one in enumerate(plain["comparisons"]):
        policies, families = ({each["name"] for each in one[part]} for part in ("candidates", "families"))
        used = {row["policy"] for row in one["measured"]}
        used |= {row[side] for row in one["orders"] for side in ("better", "worse")} | {
            *one["advice"]["ties"],
            one["advice"]["policy"],
        } - {""}
        named = {row["family"] for part in ("measured", "orders") for row in one[part]}
        algorithms = {each["name"] for each in plain["algorithms"]} | {""}
        unknown = {each["algorithm"] for each in one["candidates"]} - algorithms
        raise_problems(
            [f"comparisons[{number}]: {name!r} is not in the list of candidates" for name in sorted(used - policies)]
            + [f"comparisons[{number}]: {name!r} is not in the list of families" for name in sorted(named - families)]
            + [f"comparisons[{number}]: {name!r} is not in the list of algorithms" for name in sorted(unknown)],
            "comparison",
        )
    return plain


def comparison_page(
    document: object,
    addresses: Mapping[str, str] = MappingProxyType({}),
    home: str = "",
    shared: Mapping[str, object] = MappingProxyType({}),
    papers_at: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Returns the HTML page of one comparison or several.
    The page is self-contained, and the same document gives the same bytes.

    document: as in comparison.schema.json. addresses: links to the report's pages of claims, relative to this page, by
    claim; other claims are named without a link. home: a link to that report; "" for none. papers_at: links to the
    report's papers, by key. shared: variables of all templates of that report. Raises ValueError for a document that
    breaks the schema; the message names the place.
    """
    data = validate_comparison(document)
    questions, order = data["comparisons"], list(STANDINGS)  # who may be recommended stands first
    shelves, algorithms = shelves_of(questions), algorithms_of(data)
    own = {"document": data, "style": Markup(style() + shelf_rules(shelves))}
    return rendered_page(
        TEMPLATE,
        (),
        **{**shared, **own},
        questions=questions,
        shelves=shelves,
        algorithms=algorithms,
        place_of={name: each.number for each in algorithms for name in each.policies},
        asked=question_in_words,
        answered=questions_in_one_line,
        command=command,
        digits=EPS_DIGITS,
        standings=STANDINGS,
        relations=RELATIONS,
        by_standing=lambda question: sorted(question["candidates"], key=lambda each: order.index(each["standing"])),
        addresses=addresses,
        home=home,
        papers_at=papers_at,
        known_verdict=lambda verdict: verdict in VERDICTS,
        conditions=shared_conditions(questions),
        wrong_answers=wrong_answers,
        differences=certified_differences,
    )


def belongs_in_report(document: Comparison, papers: Set[str]) -> bool:
    """Whether all papers whose policies are compared are in the report. papers: the keys of the report's papers."""
    return {each["paper"] for one in document["comparisons"] for each in one["candidates"]} - {""} <= papers


def report_page(document: Comparison, variables: PageVariables) -> str:
    """The page as a part of a report: its guarantees link to the statements of that report.
    variables: those of every template."""
    addresses = {claim: variables["href"](claim) for claim in variables["present"]}
    papers_at = {paper.key: variables["paper_href"](paper.key) for paper in variables["papers"]}
    return comparison_page(document, addresses, variables["index_href"], variables, papers_at)


def comparison_picture(document: object) -> str:
    """Returns the page's first picture as an SVG file, light or dark like the reader's screen.
    Raises ValueError for a document that breaks the schema, or that has no family of arms."""
    made = drawn_comparisons(validate_comparison(document)["comparisons"])
    if not made:
        raise ValueError("the comparison contains no family of arms, so no picture can be drawn")
    return svg_file(made[0].picture, symbols(f"{made[0].instance}: {made[0].title}"))


def question_in_words(question: Question) -> str:
    """Returns the question in words: the wanted privacy, the number of arms and of rounds."""
    eps, delta = format_number(question["eps"]), question["delta"]
    privacy = f"eps = {eps} at delta = {format_number(delta)}" if delta else f"eps = {eps}, pure"
    return f"{question['arms']} arms, T = {format_number(question['horizon'])}, {privacy}"


def questions_in_one_line(questions: Sequence[Question]) -> str:
    """Describes all questions in one line.
    The parameters that they share once, then each horizon with its values of eps."""
    groups = by_arms(questions)
    first, *others = groups.values()
    if len({one["delta"] for one in questions}) > 1 or any(wanted(each) != wanted(first) for each in others):
        return "; ".join(map(question_in_words, questions))
    each = [
        f"T = {format_number(horizon)} with eps = "
        + ", ".join(format_number(one["eps"]) for one in first if one["horizon"] == horizon)
        for horizon in dict.fromkeys(one["horizon"] for one in first)
    ]
    delta = f"delta = {format_number(first[0]['delta'])}" if first[0]["delta"] else "pure privacy"
    return f"{' or '.join(map(str, groups))} arms, {delta}; {'; '.join(each)}"


def by_arms(questions: Sequence[Question]) -> dict[int, list[Question]]:
    """The questions by number of arms, in the document's order."""
    groups: dict[int, list[Question]] = {}
    for one in questions:
        groups.setdefault(one["arms"], []).append(one)
    return groups


def wanted(questions: Sequence[Question]) -> list[tuple[int, float]]:
    """Returns the horizon and eps that each question asks for."""
    return [(one["horizon"], one["eps"]) for one in questions]


def shelves_of(questions: Sequence[Question]) -> list[Shelf]:
    """The questions by number of arms, each group with its advice, verdicts and pictures."""
    drawn, shared = drawn_comparisons(questions), shared_conditions(questions)
    return [
        Shelf(
            arms,
            own,
            questions_by_advice(own, shared),
            guarantees_by_policy(own),
            [each for each in drawn if each.arms == arms],
        )
        for arms, own in by_arms(questions).items()
    ]


def shelf_rules(shelves: Sequence[Shelf]) -> str:
    """CSS rules that show only the chosen number of arms; "" if all questions have the same number."""
    if len(shelves) == 1:
        return ""
    rule = "body:has(#arms-{0}:checked) .of-arms:not(.arms-{0}){{display:none}}\n"
    return "".join(rule.format(each.arms) for each in shelves)


def algorithms_of(document: Comparison) -> list[Algorithm]:
    """Returns the pseudo-codes of all policies; those of recommended policies come first."""
    questions = document["comparisons"]
    advice = {name for one in questions for name in (one["advice"]["policy"], *one["advice"]["ties"])}
    texts: dict[str, list[str]] = {}
    for each in document["algorithms"]:
        texts.setdefault(each["text"], []).append(each["name"])
    made = []
    for text, names in texts.items():
        own = [each for one in questions for each in one["candidates"] if each["algorithm"] in names]
        promises = {each["name"]: each["promise"] for each in own}
        policies = {name: (said["claim"], said["verdict"]) if said else ("", "") for name, said in promises.items()}
        papers = {each["paper"]: each["title"] for each in own if each["paper"]}
        made.append(Algorithm(0, text, tuple(names), policies, papers, bool(advice & policies.keys())))
    made.sort(key=lambda each: not each.advised)
    return [each._replace(number=number) for number, each in enumerate(made, 1)]


def guarantees_by_policy(questions: Sequence[Question]) -> list[tuple[str, list[str]]]:
    """Returns each policy's name with a text for each question: whether the policy satisfies its (eps, delta).
    If not, the text is the eps that the policy's claim gives instead. Policies that satisfy more questions come first.
    """
    names = dict.fromkeys(each["name"] for one in questions for each in one["candidates"])
    rows = [(name, [guarantee_in_words(one, name) for one in questions]) for name in names]
    return sorted(rows, key=lambda row: -row[1].count(KEPT["ranked"]))


def guarantee_in_words(question: Question, name: str) -> str:
    """Returns a text: the policy satisfies the question's (eps, delta), or the eps that its claim gives instead.
    "" if the policy is not a candidate."""
    found = next((each for each in question["candidates"] if each["name"] == name), None)
    if found is None:
        return ""
    promise = found["promise"]
    if found["standing"] == "apart" and not promise:
        return "not private"
    if found["standing"] == "unreachable" and promise and promise["eps"] is not None:
        return f"no: eps = {format_number(rounded_safely(promise['eps'], Side.ABOVE, EPS_DIGITS), EPS_DIGITS)}"
    return KEPT[found["standing"]]


def command(question: Question) -> str:
    """The command line that answers the question."""
    privacy = f"--delta {question['delta']:g}" if question["delta"] else "--pure"
    asked_for = f"--arms {question['arms']} --horizon {question['horizon']} --eps {question['eps']:g} {privacy}"
    return f"dpbandits compare {asked_for} --html which-bandit.html"


def questions_by_advice(
    questions: Sequence[Question], shared: Sequence[str]
) -> list[tuple[Question, list[tuple[str, str]]]]:
    """Returns each different advice, with the questions that it answers and the conditions of each question.
    shared: conditions to leave out, because the page states them once for all questions."""
    alike: dict[str, tuple[Question, list[tuple[str, str]]]] = {}
    for one in questions:
        said = json.dumps([one["advice"][part] for part in ("sentence", "policy", "ties")])
        own = " ".join(each for each in one["advice"]["conditions"] if each not in shared)
        alike.setdefault(said, ({**one["advice"], "caveat": caveat(one)}, []))[1].append((question_in_words(one), own))
    return list(alike.values())


def caveat(question: Question) -> str:
    """A sentence on the recommended policy's guarantee.
    Its verdict, what the verdict rests on, and where the claim was read; "" if no policy is recommended."""
    chosen = next((each for each in question["candidates"] if each["name"] == question["advice"]["policy"]), None)
    if chosen is None or not chosen.get("promise"):
        return ""
    promise = chosen["promise"]
    rests_on = f" ({', '.join(promise['rests_on'])})" if promise["rests_on"] else ""
    verdict = VERDICTS[promise["verdict"]].name if promise["verdict"] in VERDICTS else promise["verdict"].lower()
    return f"Its privacy guarantee is {verdict}{rests_on}{source_words(chosen['paper_read'])}."


def shared_conditions(questions: Sequence[Question]) -> list[str]:
    """The conditions that all questions have."""
    first, *others = (one["advice"]["conditions"] for one in questions)
    return [each for each in first if all(each in other for other in others)]


def wrong_answers(question: Question) -> tuple[Sequence[Column], Sequence[Sequence[object]]]:
    """Returns the columns and rows of a table of wrong recommendations.
    For policies that recommend the best arm at the end of a run."""
    rows = [
        (row["family"], row["policy"], row["mean"], row["low"], row["high"])
        for row in question["measured"]
        if row["quantity"] != COMPARED
    ]
    return columns_of(("family", "policy", "wrong answers", below("low"), above("high"))), rows


def certified_differences(question: Question) -> list[tuple[str, str, list[tuple[str, float]]]]:
    """Lists the policies with certifiably more regret than another policy, in the document's order.
    Each entry is (family, policy, [(policy with more regret, certified lower bound on the difference)])."""
    made: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for row in question["orders"]:
        made.setdefault((row["family"], row["better"]), []).append((row["worse"], row["at_least"]))
    return [(*key, others) for key, others in made.items()]
