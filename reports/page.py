"""Templates, their filters, and the parts that all pages share. No side effects."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from dpbandits.reference.claims.findings import Column
from dpbandits.reference.claims.model import Reading
from dpbandits.reference.claims.records import (
    Cell,
    Certificate,
    CertificateItem,
    ColumnRecord,
    Document,
    Entry,
    FormulaCertificate,
    PicturedItem,
    of_formula,
)
from dpbandits.reference.claims.text import named, note_in_full
from dpbandits.reports import glossary, lines, mathml, words
from dpbandits.reports.refutations import HELD, Counterexample, counterexample, holding_there, how_far
from dpbandits.reports.tally import (
    CONCERNED,
    HARM_TAGS,
    HARMS,
    Again,
    RefutationGroup,
    Tally,
    changed_since,
    meant_by_authors,
    summed,
    verdict_counts,
)
from dpbandits.reports.words import prose

if TYPE_CHECKING:
    from dpbandits.registry import ReportPage
    from dpbandits.reports.plotting import Picture

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
LINE = 96  # a certificate's lines are at most about this long
WRAPPING_COLUMN_CHARACTERS = 36  # a table's column with more characters than this may wrap, but not to a sliver
SHORT_COLUMN_CHARACTERS = 16  # and one with no more does not
# A table with so many columns and rows leaves a column whose cells are all the same to its caption
WIDE_TABLE_COLUMNS, MIN_SHARING_ROWS = 8, 3
CERTIFICATE_LINES = 100  # a longer certificate is shown in part; all of it stands in its own file
BRIEF = 150  # characters of a folded claim's finding
IMPLIED_ELEMENTS = {"html", "head", "body", "tbody"}  # a browser adds them where a page leaves out their tags
Options = Sequence[tuple[str, str, Sequence[tuple[str, str, int]]]]  # filters: (name, legend, (value, label, number))
INEQUALITY = "the sentence's own inequality, both sides as the code of its page has them"


def rendered_page(template: str | Path, scripts: Sequence[Path] = (), **variables: object) -> str:
    """The HTML of a page, made from a template and these variables.
    Superfluous blank lines, indents and style rules are left out. template: the name of a built-in template, or the
    path of an extension's template, which may import built-in ones by name. scripts: that run on this page before the
    script that all pages have."""
    script = "\n".join(each.read_text(encoding="utf-8") for each in (*scripts, HERE / "script.js"))
    path = TEMPLATES / template
    made = (
        environment(path.parent)
        .get_template(path.name)
        .render(
            script=Markup(script),
            script_hash="sha256-" + b64encode(sha256(script.encode()).digest()).decode(),
            verdicts=glossary.VERDICTS,
            terms=glossary.GLOSSARY_TERMS,
            **variables,
        )
    )
    # The page without style rules that match nothing on it
    page = made.lstrip()
    before, opening, rest = page.partition("<style>\n")
    rules, closing, after = rest.partition("</style>")
    classes = {name for each in set(re.findall(r'class="([^"]*)"', after)) for name in each.split()}
    return before + opening + used_rules(rules, classes, set(re.findall(r"<([a-z][a-z0-9]*)", after))) + closing + after


def fragment(template: Path, **variables: object) -> Markup:
    """The HTML of a part of a page, from an extension's template; keyword arguments are its variables."""
    known = {"verdicts": glossary.VERDICTS, "terms": glossary.GLOSSARY_TERMS}
    return Markup(environment(template.parent).get_template(template.name).render(**known, **variables))


def start_page(**variables: object) -> str:
    """Returns the HTML of the first page of a web site that contains a report."""
    return environment(TEMPLATES).get_template("start.html").render(**variables)


class Paper(NamedTuple):
    """One paper for the templates. short: its short title. sections: (name, findings); section_numbers: as the filters
    count them; page: its file; whole: whether all statements fit on it."""

    key: str
    short: str
    title: str
    authors: str
    venue: str
    link: str
    read: str
    findings: tuple[Entry, ...]
    tally: Tally
    sections: tuple[tuple[str, tuple[Entry, ...]], ...]
    section_numbers: Mapping[str, int]
    options: Options
    page: str
    whole: bool


class PageLinks(TypedDict):
    """The functions with which templates make addresses, and the addresses of other pages, relative to one page; ""
    for a page that does not exist. menu: (key of a paper or "", name, address). added_pages: those of extensions."""

    href: Callable[[str], str]
    claim_href: Callable[[Entry], str]
    group_href: Callable[[RefutationGroup], str]
    letter: Callable[[Entry], str]
    certificate_file: Callable[[Entry, CertificateItem], str]
    short_title: Callable[[str], str]
    paper_href: Callable[[str], str]
    row_href: Callable[[Entry], str]
    search_href: str
    index_href: str
    added_pages: Sequence[tuple[ReportPage, str]]
    experiments_href: str
    again_href: Callable[[Entry], str]
    menu: Sequence[tuple[str, str, str]]


class PageVariables(PageLinks):
    """The variables of every template. present: the place and the verdict of each claim of the document. again: the
    result of an experiment in the longer run; picture, crossing_picture, excess_picture: draw evidence, with a number
    of its own on the page. made_on: the day to print."""

    document: Document
    alone: bool
    tally: Tally
    papers: Sequence[Paper]
    present: Mapping[str, str]
    again: Callable[[Entry], Again | None]
    made_on: str
    picture: Callable[[PicturedItem], Picture]
    crossing_picture: Callable[[Entry, CertificateItem], Picture | None]
    excess_picture: Callable[[Entry, CertificateItem], Picture | None]
    style: Markup


class HeadlineBlock(NamedTuple):
    """What an extension shows in the place of the picture with which an overview begins. controls: above the numbers;
    figure: beside them; script: runs on the overview."""

    controls: Markup
    figure: Markup
    script: Path


def used_rules(css: str, classes: set[str], tags: set[str]) -> str:
    """The rules of a style sheet that apply to these classes and elements, one line each.
    Rules within @media and @supports are selected in the same way."""
    made: list[str] = []
    for head, body in rules_of(css):
        if head.startswith("@"):
            inner = used_rules(body, classes, tags)
            made += [f"{head} {{\n{inner}}}\n"] if inner else []
        elif used := [each for each in split_selectors(head) if chooses(each, classes, tags)]:
            made.append(f"{', '.join(used)} {{ {compact(body)} }}\n")
    return "".join(made)


@lru_cache(maxsize=4096)
def compact(body: str) -> str:
    """The declarations of a style rule without superfluous spaces."""
    return " ".join(body.split()).replace(": ", ":").replace("; ", ";")


@lru_cache(maxsize=64)
def rules_of(css: str) -> tuple[tuple[str, str], ...]:
    """Returns the rules of a style sheet as (selectors, declarations), without comments.
    Cached, because most pages have the same style sheet."""
    css, made, at = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL), list[tuple[str, str]](), 0
    while (begin := css.find("{", at)) >= 0:
        end, depth = begin + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        made.append((" ".join(css[at:begin].split()), css[begin + 1 : end - 1]))
        at = end
    return tuple(made)


@lru_cache(maxsize=4096)
def split_selectors(head: str) -> tuple[str, ...]:
    """Splits a selector list at its commas, except commas in parentheses, and returns the selectors."""
    return tuple(each.strip() for each in re.split(r",(?![^()]*\))", head))


def chooses(selector: str, classes: set[str], tags: set[str]) -> bool:
    """Whether the selector may match something on the page: all classes and elements that it names occur there."""
    named, elements = named_in(selector)
    return named <= classes and elements <= tags


@lru_cache(maxsize=4096)
def named_in(selector: str) -> tuple[frozenset[str], frozenset[str]]:
    """The classes and the elements that a selector names, outside parentheses and brackets."""
    while (shorter := re.sub(r"\([^()]*\)|\[[^\]]*\]", "", selector)) != selector:
        selector = shorter
    plain = re.sub(r"::?[\w-]+|#[\w-]+", "", selector)
    elements = re.findall(r"(?:^|[\s>+~])([a-z][a-z0-9]*)", plain)
    return frozenset(re.findall(r"\.([\w-]+)", plain)), frozenset(elements) - IMPLIED_ELEMENTS


@cache
def environment(folder: Path) -> Environment:
    """The Jinja environment with the templates of this folder and the built-in ones."""
    made = Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(counted=words.count_phrase)
    made.filters.update(
        number=words.format_number,
        toward=words.rounded_safely,
        shortened=words.shorten_text,
        sentences=words.sentences,
        symbols=words.symbols,
        prose=linked_prose,
        unlinked=prose,  # where no link may be: in what unfolds something
        changed_since=changed_since,
        summed=summed,
        anchor=anchor,
        laid_out=readable_certificate,
        verify_line=verify_line,
        certified=certified,
        verdict_counts=verdict_counts,
        made_by=lambda finding: "; ".join(glossary.MADE_BY[basis] for basis in finding["rests_on"]),
        flush=alignment_class,
        arranged=reordered_table,
        examples_first=lambda evidence: sorted(evidence, key=lambda item: item["kind"] != "certificate"),
        paragraphs=lambda text: [part.strip("\n") for part in text.split("\n\n") if part.strip()],
        name=lambda verdict: glossary.VERDICTS[verdict].name,
        read_as=glossary.read_as,
        theorem_note=glossary.theorem_note,
        theorem_page=glossary.theorem_page,
        seen_in=glossary.seen_in,
        reading_in_full=glossary.reading_in_full,
        hedged_harm=glossary.hedged_harm,
        capitalize_first=lambda text: text[:1].upper() + text[1:],
        reading_name=lambda finding: glossary.READINGS[finding["reading"]].label,
        typeset=typeset,
        brief=finding_in_brief,
        what_breaks=what_breaks,
        tag=harm_tag,
        harm_name=lambda harm: HARM_TAGS[harm],
        concerned=lambda finding: CONCERNED[finding["harm"]],
        told=lambda group: in_numbers(group.findings) or finding_in_brief(meant_by_authors(group.findings)[0]),
        captioned=captioned,
        full_title=lambda item: named(item.get("instance", ""), item["title"]),
        full_note=note_in_full,
        in_a_line=statement_in_a_line,
        in_formulas=lambda finding: finding["statement"],
        in_paragraphs=words_of_statement,
        classes=classes,
        counterexample=counterexample,
        by_hand=by_hand,
        unfolded=unfolded,
        removeprefix=lambda text, prefix: str(text).removeprefix(prefix),
        number_word=words.number_word,
        in_numbers=lambda group: in_numbers(group.findings),
        how_far=lambda group: prose(how_far(group.findings)),
        holding_there=lambda group, others: prose(holding_there(group.findings, others)),
    )
    return made


@pass_context
def linked_prose(context: Context, text: object) -> Markup:
    """Returns the text as HTML for a page, in which ids of this report's claims are links.
    Code in the text that is the id of a claim of this report becomes a link, titled with the claim's place and verdict.
    Names in the page's variable `verbatim`, of users' code, become code."""
    present, href = context.get("present", {}), context.get("href")

    def linked(code: str) -> Markup:
        """Returns a piece of code as HTML; a link if the code is the id of a claim in this report."""
        if code not in present:
            return Markup("<code>{}</code>").format(code)
        return Markup('<a href="{}" title="{}">{}</a>').format(href(code), present[code], code)

    parts = words.code_parts(with_code_marks(str(text), context.get("verbatim", ())))
    return Markup("").join(linked(part) if place % 2 else prose(part) for place, part in enumerate(parts))


def with_code_marks(text: str, names: Sequence[str]) -> str:
    """The text with these names of a user's code put in backticks, longer names first; existing code is unchanged.
    A name within a longer word is not marked."""
    for name in sorted(names, key=len, reverse=True):
        parts = words.code_parts(text)
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        parts[::2] = [pattern.sub(lambda found: f"`{found[0]}`", part) for part in parts[::2]]
        text = "".join(f"`{part}`" if place % 2 else part for place, part in enumerate(parts))
    return text


@cache
def style() -> str:
    """The text of the style sheet."""
    return (HERE / "style.css").read_text(encoding="utf-8")


def anchor(claim: str) -> str:
    """The id of a claim's section on a page."""
    return f"claim-{claim}"


# -- a finding -----------------------------------------------------------------------------------------------


def typeset(finding: Entry) -> Markup:
    """The checked statement as HTML with its formulas as mathematics; empty if it has no formulas."""
    parts = finding["parts"]
    if all(part["kind"] in ("words", "claim", "or") for part in parts):
        return Markup("")
    out: list[Markup] = []
    for place, part in enumerate(parts):
        before = parts[place - 1]["kind"] if place else ""
        if part["kind"] == "words" or part["kind"] == "claim":
            out.append(Markup("<p>{}</p>").format(prose(part["text"])))
        elif part["kind"] == "or":
            continue
        elif part["kind"] == "expression":
            out.append(Markup('<p class="eq">{}</p>').format(mathml.inline(part["text"])))
        elif part["kind"] == "range":
            joint = Markup(", ") if before == "range" else Markup('<p class="for">for ')
            end = "" if any(after["kind"] == "range" for after in parts[place + 1 : place + 2]) else "</p>"
            out.append(joint + mathml.typeset_range(part["text"]) + Markup(end))
        else:
            sides = part["left"], part["sign"], part["right"]
            if part["kind"] == "code":
                out.append(Markup("<p>{}</p>").format(INEQUALITY))
                continue
            shown = lines.display(*sides) or Markup("<p><code>{}</code></p>").format(" ".join(sides))
            lead = Markup('<p class="for">{}</p>').format("wherever" if before != "where" else "and")
            out.append((lead if part["kind"] == "where" else Markup("")) + shown)
    return Markup("").join(out)


def words_of_statement(finding: Entry) -> list[str]:
    """The parts of the checked statement that are words."""
    return [part["text"] for part in finding["parts"] if part["kind"] == "words" or part["kind"] == "claim"]


def statement_in_a_line(finding: Entry) -> str:
    """Returns the checked statement as one line of text.
    If its sides cannot be written down, the line says that they are code."""
    line = str(finding["statement"])
    for part in finding["parts"]:
        if part["kind"] == "code":
            line = line.replace(f"{part['left']} {part['sign']} {part['right']}", f"{INEQUALITY},")
    return line


def unfolded(formula: Markup) -> Markup:
    """Returns the typeset formula with nothing folded, because a counterexample must show both sides."""
    return Markup(str(formula).replace('<details class="folded', '<details open class="folded'))


def captioned(title: str, instance: str = "") -> Markup:
    """Returns a picture's title, preceded in smaller print by the instance that the picture shows, such as "T = 50"."""
    if not instance:
        return prose(title)
    return Markup('<span class="instance">{}</span> {}').format(prose(f"{instance}:"), prose(title))


def finding_in_brief(finding: Entry) -> Markup:
    """Returns the finding in half a line of HTML: where the claim fails, or the result."""
    if numbers := in_numbers((finding,)):
        return numbers
    if finding["verdict"] == "REFUTED" or finding["surprise"]:
        return prose(words.shorten_text(finding["summary"] or finding["quote"], BRIEF))
    said = finding["scope"] if finding["reading"] == Reading.OURS else finding["quote"]
    return prose(words.shorten_text(said or finding["scope"] or finding["summary"], BRIEF))


def what_breaks(finding: Entry) -> Markup:
    """Returns the text of a finding in a list: for a refuted claim its consequences, otherwise the finding in brief.
    The consequences are the first sentence of the finding's note."""
    why = RefutationGroup("", "", (finding,)).why if finding["verdict"] == "REFUTED" else ""
    return prose(words.sentences(why, BRIEF)) if why else finding_in_brief(finding)


def harm_tag(finding: Entry) -> str:
    """Returns the consequences of a refuted claim in two or three words; "" for other findings."""
    if finding["verdict"] != "REFUTED":
        return ""
    return HARM_TAGS[finding["harm"]] + (" if quoted correctly" if finding.get("seen_in") else "")


def failure_in_brief(certificate: FormulaCertificate, counterexample: Counterexample) -> Markup:
    """Returns the point at which a formula fails, and its two sides with their values there, as HTML.
    counterexample: the counterexample."""
    point = ", ".join(f"{name} = {value}" for name, value in certificate["variables"].items())
    at = prose(words.shorten_text(f"fails{' at ' if point else ''}{point}: ", BRIEF))
    sides, relation = (counterexample.left_value, counterexample.right_value), str(certificate["relation"])
    formula = lines.formula_in_sentence(str(certificate["left"]), relation, str(certificate["right"]))
    within = f" up to {certificate['within']}" if str(certificate["within"]) != "0" else ""
    held = prose(f"{f' {HELD[relation]} '.join(sides)}{within}, which is false")
    return at + (formula or Markup("its formula")) + Markup(" says ") + held


def in_numbers(findings: Sequence[Entry]) -> Markup:
    """Returns a sentence with the certified excess over a guarantee, or with a point at which a formula fails.
    "" if the findings contain neither."""
    if said := how_far(findings):
        return prose(said)
    items = (item for finding in meant_by_authors(findings) for item in finding["evidence"])
    carried = (item["certificate"] for item in items if item["kind"] == "certificate")
    told = (failure_in_brief(each, shown) for each in carried if of_formula(each) and (shown := counterexample(each)))
    return next(told, Markup(""))


def certified(finding: Entry) -> bool:
    """Whether the finding has a certificate, which a reader can check with `dpbandits verify`."""
    return any(item["kind"] == "certificate" for item in finding["evidence"])


def by_hand(finding: Entry) -> bool:
    """Whether the finding has a counterexample that a reader can type in."""
    return any(item["kind"] == "certificate" and of_formula(item["certificate"]) for item in finding["evidence"])


def worst_first(papers: Sequence[Paper], tally: Tally) -> list[Paper]:
    """The papers that contain an error, the one with the most errors of the worst kind first."""
    counts = {paper.key: [-harm.counts.get(paper.key, 0) for harm in tally.harms] for paper in papers}
    return sorted((paper for paper in papers if any(counts[paper.key])), key=lambda paper: counts[paper.key])


# -- tables and certificates ---------------------------------------------------------------------------------


class ArrangedTable(NamedTuple):
    """A table as it is shown. shared: the columns, with their one value, that are left to the caption."""

    columns: list[ColumnRecord | Column]
    rows: list[list[Cell]]
    shared: list[tuple[ColumnRecord | Column, Cell]]


def reordered_table(columns: Sequence[ColumnRecord | Column], rows: Sequence[Sequence[Cell]]) -> ArrangedTable:
    """Returns the table with the verdicts in front, where narrow screens show them.
    It has no empty columns and, if it is wide, no columns whose cells are all the same. columns: each with a name and a
    side, from `Column` or from a document."""
    names = [column.name if isinstance(column, Column) else column["name"] for column in columns]
    told = [place for place in range(len(columns)) if not rows or any(row[place] is not None for row in rows)]
    wide = len(told) >= WIDE_TABLE_COLUMNS and len(rows) >= MIN_SHARING_ROWS
    alike = [place for place in told if wide and all(row[place] == rows[0][place] for row in rows)]
    shared = [place for place in alike if names[place] != "verdict"]
    order = sorted((place for place in told if place not in shared), key=lambda place: names[place] != "verdict")
    return ArrangedTable(
        [columns[place] for place in order],
        [[row[place] for place in order] for row in rows],
        [(columns[place], rows[0][place]) for place in shared],
    )


def alignment_class(rows: Sequence[Sequence[object]], column: int) -> Markup:
    """Returns the class attribute of a column's cells: numbers and gaps are aligned right, long text gets more room."""
    cells = [row[column] for row in rows if row[column] is not None]
    if all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells):
        return Markup(' class="n"')
    longest = max((len(str(cell)) for cell in cells), default=0)
    if longest > WRAPPING_COLUMN_CHARACTERS:
        return Markup(' class="long"')
    return Markup(' class="short"' if longest <= SHORT_COLUMN_CHARACTERS else "")


def verify_line(finding: Entry, file: str) -> str:
    """The shell command that checks one of the finding's certificates, including the module of its claim."""
    page = f"--page {shlex.quote(finding['page_file'])} " if finding.get("page_file") else ""
    return f"dpbandits verify {page}{shlex.quote(file) if file else 'FILE'}"


def readable_certificate(certificate: Certificate, whole: bool = False) -> tuple[str, int]:
    """Returns a certificate as readable JSON, and the number of lines left out. whole: whether to leave out none."""
    lines = "\n".join(json_lines(certificate, "")).split("\n")
    shown = lines if whole else lines[:CERTIFICATE_LINES]
    return "\n".join(shown), len(lines) - len(shown)


def json_lines(node: object, indent: str) -> list[str]:
    """The lines of a JSON text that breaks a list or an object only where it does not fit on a line."""
    short = json.dumps(node, ensure_ascii=False)
    if not isinstance(node, list | dict) or not node or (indent and len(indent) + len(short) <= LINE):
        return [short]
    inner = indent + "  "
    if isinstance(node, dict):
        heads, values, ends = ([json.dumps(k, ensure_ascii=False) + ": " for k in node], list(node.values()), "{}")
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


# -- what the search page knows of each claim -----------------------------------------------------------------


def search_index(papers: Sequence[Paper], addresses: Mapping[str, str]) -> Markup:
    """Returns all claims in short form, as JSON for search.js: for each paper its rows.
    Each sentence of a paper is stored once. papers: with their findings. addresses: of claims, as seen from the page,
    where they are not ../claims/PAPER__CLAIM.html."""
    quotes = list(dict.fromkeys(finding["quote"] for paper in papers for finding in paper.findings))
    places = {quote: place for place, quote in enumerate(quotes)}

    def row(finding: Entry) -> list[str | int]:
        """Returns the row of a finding in the search index, as search.js reads it."""
        reading = glossary.READINGS[finding["reading"]].label if finding["reading"] != Reading.PRINTED else ""
        why = RefutationGroup("", "", (finding,)).why if finding["verdict"] == "REFUTED" else ""
        said = [words.sentences(why, BRIEF), words.shorten_text(finding["scope"], BRIEF)]
        if finding["verdict"] == "REFUTED" and finding.get("seen_in"):
            said[0] = f"As quoted in {finding['seen_in']}, if the quotation is right: {said[0]}"
        if not finding["quote"] and not any(said):
            said[1] = words.shorten_text(statement_in_a_line(finding) or finding["summary"], BRIEF)
        breaks, scope = map(words.symbols, said)
        named = finding["id"], addresses.get(finding["id"], ""), classes(finding, {}), finding["verdict"]
        where = words.symbols(finding["where"] or "Unnumbered")
        return [*named, where, reading, harm_tag(finding), breaks, places[finding["quote"]], scope]

    data = {
        "verdicts": {verdict: word.name for verdict, word in glossary.VERDICTS.items()},
        "quotes": list(map(words.symbols, quotes)),
        "papers": [list(map(row, paper.findings)) for paper in papers],
    }
    return Markup(json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


# -- what the claims of a page can be chosen by --------------------------------------------------------------


BASES = (
    "machine-checked proof",
    "interval arithmetic",
    "doubles rounded outward",
    "exact algebra",
    "randomness alignment",
    "exact law",
    "samples",
    "cited theorem",
    "argument in words",
)


def classes(finding: Entry, sections: Mapping[str, int]) -> str:
    """The class names of a claim, by which a page's filters select it."""
    chosen = [
        f"v-{finding['verdict']}",
        f"s-{sections.get(finding['section'], 0)}",
        f"r-{list(Reading).index(Reading(finding['reading']))}",
    ]
    if finding["verdict"] == "REFUTED":
        chosen.append(f"h-{list(HARMS).index(finding['harm'])}")
    return " ".join(chosen + [f"b-{BASES.index(basis)}" for basis in finding["rests_on"]])


def filter_options(findings: Sequence[Entry], sections: Mapping[str, int]) -> Options:
    """The filters of a page's claims: (name, legend, [(value, label, number of claims)]).
    sections: the number of each section."""

    def counts(name: str, labels: Sequence[tuple[str, str]]) -> list[tuple[str, str, int]]:
        """Returns the options of one filter, each as (value, label, number of claims).
        Options that no claim has are left out."""
        carried = [set(classes(finding, sections).split()) for finding in findings]
        made = [(value, label, sum(f"{name}-{value}" in each for each in carried)) for value, label in labels]
        return [option for option in made if option[2]]

    return [
        ("v", "verdict", counts("v", [(verdict, word.name) for verdict, word in glossary.VERDICTS.items()])),
        ("h", "what breaks", counts("h", [(str(i), text) for i, text in enumerate(HARMS.values())])),
        ("s", "section", counts("s", [(str(i), name or "elsewhere") for name, i in sections.items()])),
        ("b", "rests on", counts("b", [(str(i), basis) for i, basis in enumerate(BASES)])),
        ("r", "reading", counts("r", [(str(i), glossary.READINGS[each].label) for i, each in enumerate(Reading)])),
    ]


def filter_rules(options: Options) -> str:
    """The style rules by which a chosen filter option hides all other claims."""
    return "".join(
        f"body:has(#{name}-{value}:checked) .claim:not(.{name}-{value}){{display:none}}\n"
        for name, _, each in options
        for value, _, _ in each
    )
