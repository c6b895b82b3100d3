"""All pages of a findings document: an index, the papers, and a page for every refuted statement and every claim.

The first part of this module determines file names and links; the second part writes the pages. The same document gives
the same bytes. Each page is self-contained and can be opened as a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from posixpath import dirname, relpath
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from dpbandits import registry
from dpbandits.reference.claims.file_names import certificate_names, stem
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.claims.records import (
    PICTURED_KINDS,
    CertificateItem,
    Document,
    Entry,
    Item,
    PaperRecord,
    is_pictured,
)
from dpbandits.reference.claims.text import note_in_full
from dpbandits.reports import remember, words
from dpbandits.reports.document import validate_document
from dpbandits.reports.drawn_once import crossing_picture, excess_picture, picture
from dpbandits.reports.glossary import READINGS, VERDICTS
from dpbandits.reports.own import is_own, own_page
from dpbandits.reports.page import (
    HERE,
    HeadlineBlock,
    Options,
    PageLinks,
    PageVariables,
    Paper,
    anchor,
    by_hand,
    certified,
    filter_options,
    filter_rules,
    rendered_page,
    search_index,
    style,
    worst_first,
)
from dpbandits.reports.tally import (
    Again,
    PlayedElsewhere,
    RefutationGroup,
    Tally,
    featured,
    featured_parts,
    gravity,
    groups_by_place,
    holding_instead,
    meant_by_authors,
    papers,
    tally,
)
from dpbandits.reports.words import shorten_text

INDEX = "index.html"
MAX_SHORT_TITLE = 28  # characters of a paper's title where many stand side by side
ADDRESS = re.compile(r"\w[\w.=-]*(/\w[\w.=-]*)+", re.ASCII)  # an id whose page is called after it, everywhere
BIBTEX_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "&%$#_"})
MAX_PAGE_SIZE = 480_000  # of a page, in the units of `html_size`: about three quarters of it are characters
SEARCH_SCRIPT = HERE / "search.js"  # makes the rows of the search page
MARKED = 70  # characters of an index or an exponent


class Site(NamedTuple):
    """The pages of a document, and the place of everything on them. start: the overview's file. places: claim -> (file,
    id there) of its full statement. addresses: claim -> the file of its own page, named after its id. letters: (paper,
    where) -> file. certificates: (claim, place) -> file. titles: claim -> its place and verdict, as text. search: the
    file with the search of all claims. alone: whether there is one page and no other file."""

    start: str
    data: Document
    papers: tuple[Paper, ...]
    tally: Tally
    places: Mapping[str, tuple[str, str]]
    letters: Mapping[tuple[str, str], str]
    addresses: Mapping[str, str]
    certificates: Mapping[tuple[str, int], str]
    titles: Mapping[str, str]
    alone: bool
    search: str = ""
    experiments: str = ""  # the page of the printed experiments; "" for none
    beside: Mapping[str, str] = MappingProxyType({})  # the files of pages that extensions add, by their names
    again: Mapping[str, Again] | None = None  # what stands there, by claim
    date: str = ""  # of the report, as a reader writes it; "" for none

    def played_elsewhere(self) -> PlayedElsewhere:
        """The experiments that this run did not play, with their results from the longer run."""
        unplayed = [each for each in self.data["findings"] if each["verdict"] == Verdict.NOT_EXERCISED]
        known = self.again or {}
        return PlayedElsewhere(tuple((each, known[each["id"]]) for each in unplayed if each["id"] in known))


def lay_out_site(data: Document, start: str, single: bool) -> Site:
    """Plans a report: its papers, and the file of every page and certificate. single: everything on one page."""
    findings = data["findings"]
    taken: set[str] = set()
    made = [lay_out_paper(data, key, group, taken, start, single) for key, group in papers(findings).items()]
    letters: dict[tuple[str, str], str] = {}
    for paper in made if not single else ():
        for group in letters_of(paper):
            letters[group.paper, group.where] = file_name(
                folder("refuted", start), f"{paper.key}-{group.where or 'unnumbered'}", taken
            )
    shelf = folder("claims", start)
    addresses = {
        each: f"{shelf}/{stem(each)}.html" if ADDRESS.fullmatch(each) else file_name(shelf, each, taken)
        for each in (() if single else (finding["id"] for paper in made for finding in paper.findings))
    }
    where = {
        each["id"]: (paper.page, anchor(each["id"])) if paper.whole else (addresses[each["id"]], "")
        for paper in made
        for each in paper.findings
    }
    carried = {} if single else {finding["id"]: len(certificates(finding)) for finding in findings}
    files = {
        which: f"{folder('certificates', start)}/{name}.json" for which, name in certificate_names(carried).items()
    }
    made_on = words.readable_date(str(data.get("date", "")))
    search = "" if single or not findings else file_name(folder("papers", start), "search", taken)
    titles = {each["id"]: f"{each['where'] or 'Unnumbered'}: {VERDICTS[each['verdict']].name}" for each in findings}
    return Site(
        start,
        data,
        papers=tuple(made),
        tally=tally(findings),
        places=where,
        letters=letters,
        addresses=addresses,
        certificates=files,
        titles=titles,
        alone=single,
        search=search,
        date=made_on,
    )


def certificates(finding: Entry) -> list[CertificateItem]:
    """The items of the finding's evidence that are certificates."""
    return [item for item in finding["evidence"] if item["kind"] == "certificate"]


def lay_out_paper(data: Document, key: str, group: Sequence[Entry], taken: set[str], start: str, single: bool) -> Paper:
    """Plans one paper's part of a report, with the file of its page. single: everything on the overview, `start`."""
    unknown: PaperRecord = {"title": key, "authors": "", "venue": "", "link": ""}
    known = data.get("papers", {}).get(key, unknown)
    sections: dict[str, list[Entry]] = {}
    for finding in group:
        sections.setdefault(finding["section"], []).append(finding)
    numbers = {name: place for place, name in enumerate(sections)}
    shelf = folder("papers", start)
    page = start if single else file_name(shelf, key, taken)
    return Paper(
        key=key,
        short=known.get("short") or shorten_text(known["title"], MAX_SHORT_TITLE),
        title=known["title"],
        authors=known["authors"],
        venue=known["venue"],
        link=known["link"],
        read=known.get("read", ""),
        findings=tuple(group),
        tally=tally(group),
        sections=tuple((name, tuple(own)) for name, own in sections.items()),
        section_numbers=numbers,
        options=filter_options(group, numbers),
        page=page,
        whole=single or sum(map(html_size, group)) <= MAX_PAGE_SIZE,
    )


def folder(name: str, start: str) -> str:
    """Returns the name of the folder for these pages of an overview. Two reports in one folder get different names."""
    return name if start == INDEX else f"{start.removesuffix('.html')}-{name}"


def file_name(folder: str, name: str, taken: set[str]) -> str:
    """Returns an unused file name in the folder, made from the text `name`, and adds it to `taken`."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "page"
    numbered = (f"{folder}/{stem}{f'-{number}' if number > 1 else ''}.html" for number in count(1))
    made = next(name for name in numbered if name not in taken)
    taken.add(made)
    return made


def letters_of(paper: Paper) -> list[RefutationGroup]:
    """The refuted findings of a paper, grouped by place: one letter for each."""
    return groups_by_place([finding for finding in paper.findings if finding["verdict"] == "REFUTED"])


def html_size(finding: Entry) -> int:
    """Estimates the number of characters of a finding's HTML."""
    said = [part for part in finding.values() if isinstance(part, str)]
    size = 1800 + 2 * sum(map(len, said)) + MARKED * sum(map(count_markup, said))
    size += 7 * sum(len(str(text)) for part in finding["parts"] for text in part.values())
    for item in finding["evidence"]:
        if is_pictured(item):
            size += 15_000 + 8 * points_of(item) + 250 * (len(item["rows"]) if item["kind"] == "regret" else 0)
        elif item["kind"] == "table":
            size += 600 + sum(
                20 + len(str(cell)) + MARKED * count_markup(str(cell)) for row in item["rows"] for cell in row
            )
        else:
            size += 2500 + len(str(item)) + MARKED * count_markup(item["text"] if item["kind"] == "text" else "")
    return size


def count_markup(text: str) -> int:
    """Counts the indices, exponents and roots in a text, approximately; each of them needs additional mark-up."""
    return text.count("^") + text.count("_") + text.count("sqrt")


def points_of(item: Item) -> int:
    """Returns the number of points in the curves and series of an item of evidence."""
    if item["kind"] == "lines":
        return sum(len(series["points"]) for series in item["series"])
    if item["kind"] != "tradeoff" and item["kind"] != "profile":
        return 0
    curves = item["claimed"], item["exact_low"], item["exact_high"], item.get("resolved", ())
    return sum(map(len, curves)) + len(item["points"])


def variables(site: Site, here: str, options: Options = ()) -> PageVariables:
    """Returns the variables of every template: the document, its pictures, and links from the page `here` to others.
    options: the page's filters."""
    numbering = count(1)
    return {
        "document": site.data,
        "alone": site.alone,
        "tally": site.tally,
        "papers": site.papers,
        "present": site.titles,
        **links(site, here),
        "again": lambda finding: (site.again or {}).get(finding["id"]),
        "made_on": site.date,
        "picture": lambda item: picture(item, f"figure-{next(numbering)}"),
        "crossing_picture": lambda finding, item: crossing_picture(finding, item, f"figure-{next(numbering)}"),
        "excess_picture": lambda finding, item: excess_picture(finding, item, f"figure-{next(numbering)}"),
        "style": Markup(style() + filter_rules(options)),  # our own file and our own rules, so safe
    }


def links(site: Site, here: str) -> PageLinks:
    """Returns the functions with which templates make addresses of claims, letters and papers, and the addresses of
    all other pages. Addresses are relative to the page `here`, and "" if there is no such page."""
    paper_files = {paper.key: paper.page for paper in site.papers}

    def to(page: str, fragment: str = "") -> str:
        """Returns the address of a page, relative to the page `here`, with a fragment."""
        path = "" if page == here else relative_address(page, dirname(here))
        return path + (f"#{quote(fragment)}" if fragment or not path else "")

    def href(claim: str) -> str:
        """Returns the address of a claim's page; that of the overview if the claim has no page."""
        return to(*site.places[claim]) if claim in site.places else to(site.start)

    def claim_href(finding: Entry) -> str:
        """Returns the address of a claim's own page; "" if the claim has none."""
        page = site.addresses.get(finding["id"])
        return to(page) if page else ""

    def group_href(group: RefutationGroup) -> str:
        """Returns the address of the letter about a group of refuted findings, or that of its first claim.
        The claim's address is used if there is no letter."""
        page = site.letters.get((group.paper, group.where))
        return to(page) if page else href(group.findings[0]["id"])

    def letter(finding: Entry) -> str:
        """Returns the address of the letter about a refuted finding; "" if there is none."""
        page = site.letters.get((finding["paper"], finding["where"])) if finding["verdict"] == "REFUTED" else None
        return to(page) if page else ""

    def certificate_file(finding: Entry, item: CertificateItem) -> str:
        """Returns the file name of a certificate; "" if the item has none."""
        place = next(place for place, other in enumerate(certificates(finding)) if other is item)
        return site.certificates.get((finding["id"], place), "")

    return {
        "href": href,
        "claim_href": claim_href,
        "group_href": group_href,
        "letter": letter,
        "certificate_file": certificate_file,
        "short_title": lambda key: next((paper.short for paper in site.papers if paper.key == key), key),
        "paper_href": lambda key: to(paper_files[key]),
        "row_href": lambda finding: to(paper_files[finding["paper"]], anchor(finding["id"])),
        "search_href": to(site.search) if site.search and here != site.search else "",
        "index_href": to(site.start) if here != site.start else "",
        "added_pages": [(registry.added().pages[name], to(file)) for name, file in site.beside.items()],
        "experiments_href": to(site.experiments) if site.experiments else "",
        "again_href": lambda finding: to(site.experiments, anchor(finding["id"])),
        "menu": [("", "Overview", to(site.start)), *((p.key, p.short, to(p.page)) for p in site.papers)],
    }


@lru_cache(maxsize=2**14)  # the menu of each page has the same addresses
def relative_address(page: str, folder: str) -> str:
    """Returns the address of a page, relative to pages in this folder."""
    return quote(relpath(page, folder or "."))


# -- the pages -----------------------------------------------------------------------------------------------


FOLDED_FROM = 40  # statements of a paper: with more of them its sections are folded
MANY = 20  # pages from which on it is worth while to ask several processes,
SHARES = 3  # for so many times more shares than there are processes: pages differ in size


def render(document: Document, sources: str = "") -> str:
    """Returns the report as one HTML page, whatever its size.
    document: as in findings.schema.json. sources: the folder to which file names of a user refer, relative to the page.

    It shows the user's own policies, if there are any, and the ledger's statements. Raises ValueError for a document
    that violates the schema; the message names the finding and the field.
    """
    site = lay_out_site(validate_document(document), INDEX, single=True)
    if site.data.get("judgements") or any(is_own(finding) for finding in site.data["findings"]):
        return own_page(site.data, variables(site, INDEX), sources)
    return index(site, single=True)


def pages(
    document: Document,
    start: str = INDEX,
    replayed: object = None,
    beside: Mapping[str, object] = MappingProxyType({}),
    jobs: int = 1,
    first: Callable[[], object] = lambda: None,
    date: str = "",
    told: Callable[[Sequence[str]], Iterable[str]] = iter,
    many: int = MANY,
) -> dict[str, str]:
    """Returns all pages of a report, {file name: HTML}.
    The overview `start`, papers/..., refuted/..., in separate folders if the overview is not index.html. Raises
    ValueError as `render` does. replayed: the printed experiments with more repetitions, in the form of
    experiments/results.json, for a page of their own. beside: the data of pages that extensions add, by the names of
    these pages. jobs: the number of processes, on which no page depends. first: called by each process before it draws.
    date: the day to print on every page, such as 2026-11-26, instead of the document's own, if it has one; it is not
    part of the findings. told: receives the names of the pages and yields them one by one as they are drawn, to show
    the progress of a single process."""
    kept = replayed, dict(beside)
    site = with_other_pages(lay_out_site(validate_document(document), start, single=False), *kept)
    if date:
        site = site._replace(date=words.readable_date(date))
    names = list(page_makers(site, *kept))
    if jobs == 1 or len(names) < many:
        return make_pages(site, kept, told(names))
    from joblib import Parallel, delayed

    shares = [names[k :: SHARES * jobs] for k in range(min(SHARES * jobs, len(names)))]
    parts = Parallel(n_jobs=jobs)(delayed(make_pages)(site, kept, share, first) for share in shares)
    made = {name: text for part in parts for name, text in part.items()}
    return {name: made[name] for name in names}


def with_other_pages(site: Site, replayed: object, beside: Iterable[str]) -> Site:
    """Returns the plan of a report with file names for the pages about experiments and those that extensions add.
    replayed, beside: as in `pages`."""
    taken = {site.start, site.search, *(paper.page for paper in site.papers), *site.letters.values()}
    named = partial(file_name, folder("papers", site.start), taken=taken)
    if replayed is not None:
        from dpbandits.reports import experiments

        again = experiments.outcomes(experiments.validate_results(replayed))
        site = site._replace(experiments=named("experiments"), again=again)
    return site._replace(beside={name: named(name) for name in beside})


def make_pages(
    site: Site,
    kept: tuple[object, Mapping[str, object]],
    names: Iterable[str],
    first: Callable[[], object] = lambda: None,
) -> dict[str, str]:
    """Returns the HTML of the named pages, {file name: HTML}.
    kept: the arguments `replayed` and `beside` of `pages`. first: called before."""
    first()
    every = page_makers(site, *kept)
    return {name: every[name]() for name in names}


def page_makers(site: Site, replayed: object, beside: Mapping[str, object]) -> dict[str, Callable[[], str]]:
    """Returns the function that makes each page, {file name: function}. replayed, beside: as in `pages`."""
    found: dict[str, Callable[[], str]] = {site.start: partial(index, site, single=False)}
    for paper in site.papers:
        found[paper.page] = partial(paper_page, site, paper)
    for paper in site.papers:
        for group in letters_of(paper):
            found[site.letters[group.paper, group.where]] = partial(letter_page, site, paper, group)
    for paper in site.papers:
        for finding in paper.findings:
            found[site.addresses[finding["id"]]] = partial(claim_page, site, paper, finding)
    if site.search:
        found[site.search] = partial(search_page, site)
    if site.experiments:
        found[site.experiments] = partial(experiments_page, site, replayed)
    for name, file in site.beside.items():
        found[file] = partial(added_page, site, name, beside[name])
    return found


# -- pages ---------------------------------------------------------------------------------------------------


def index(site: Site, single: bool) -> str:
    """Returns the HTML of the overview. single: whether all statements follow on the same page."""
    every = filter_options(site.data["findings"], {}) if single else ()
    options = [each for each in every if each[0] != "s"]
    first = featured(site.data["findings"], site.data.get("headlines", []), PICTURED_KINDS)
    shown = [paper._replace(options=options) for paper in site.papers] if single else list(site.papers)
    given = variables(site, site.start, options)
    given["papers"] = shown
    if single:
        given["menu"] = [("", "Overview", "#main")]
        given["paper_href"] = lambda key: f"#paper-{[paper.key for paper in site.papers].index(key) + 1}"
    made = registry.added().headlines.get(first["id"]) if first and not single else None
    block: HeadlineBlock | None = registry.loaded(made)(given) if made else None
    return rendered_page(
        "index.html",
        (block.script,) if block else (),
        **given,
        single=single,
        featured=featured_parts(first) if first else None,
        worst=worst_first(shown, site.tally),
        elsewhere=site.played_elsewhere(),
        efforts=words.effort_words(site.data["profile"]),
        block=block,
    )


def paper_page(site: Site, paper: Paper) -> str:
    """Returns the HTML of a paper's page, with all its statements if they fit on one page."""
    memory = remember.memory(paper.findings)
    first = featured(paper.findings, site.data.get("headlines", []), PICTURED_KINDS)
    fallen = [finding for row in memory.rows if row.outcome == "falls" for finding in row.statements[0].group.findings]
    return rendered_page(
        "paper.html",
        **variables(site, paper.page, paper.options),
        options=paper.options,
        sections=paper.sections,
        paper=paper,
        whole=paper.whole,
        memory=memory,
        featured=featured_parts(first) if first else None,
        example=next(filter(by_hand, fallen), None),
        folding=len(paper.findings) > FOLDED_FROM,
    )


def search_page(site: Site) -> str:
    """Returns the HTML of the page that lists all claims in short form, with search and filters."""
    options = filter_options(site.data["findings"], {})
    given = variables(site, site.search, options)
    addresses = {each["id"]: given["claim_href"](each) for each in site.data["findings"]}
    others = {claim: to for claim, to in addresses.items() if to != f"../claims/{claim.replace('/', '__')}.html"}
    index = search_index(site.papers, others)
    # Its rows are made by a script, so the page has the rules for them although it has no such elements.
    return rendered_page("search.html", (SEARCH_SCRIPT,), **given, options=options, index=index)


def letter_page(site: Site, paper: Paper, group: RefutationGroup) -> str:
    """Returns the HTML of the page about one refuted statement, written for its authors."""
    quotes = list(dict.fromkeys(finding["quote"] for finding in group.findings if finding["quote"]))
    every = letters_of(paper)  # in the paper's order
    place = [each.where for each in every].index(group.where)
    # It begins with what its authors are shown to have said, where that is false, and only else with what stands there
    # to the letter; the worst harm of that first, and of one harm what its page says first.
    short = group._replace(findings=tuple(sorted(meant_by_authors(group.findings), key=gravity)))
    worst_first = sorted(group.findings, key=lambda finding: (gravity(finding), not by_hand(finding)))
    group = group._replace(findings=tuple(worst_first))  # of one harm, what can be checked by hand comes first
    given = variables(site, site.letters[group.paper, group.where])
    given["menu"] = [each for each in given["menu"] if each[0] in ("", paper.key)]
    return rendered_page(
        "letter.html",
        **given,
        previous=every[place - 1] if place else None,
        next=every[place + 1] if every[place + 1 :] else None,
        paper=paper,
        group=group,
        short=short,
        said={note_in_full(finding) for finding in short.findings if letter_covers_note(finding, short)},
        carried=sum(map(certified, group.findings)),
        headword=READINGS[short.findings[0]["reading"]].refuted,
        quotes=quotes,
        instead=holding_instead(group, paper.findings),
    )


def claim_page(site: Site, paper: Paper, finding: Entry) -> str:
    """Returns the HTML of the page about one claim, whose address is the same in every report."""
    place = paper.findings.index(finding)
    every = site.data["findings"]
    return rendered_page(
        "claim.html",
        **variables(site, site.addresses[finding["id"]]),
        paper=paper,
        finding=finding,
        alone_on_page=True,
        previous=paper.findings[place - 1] if place else None,
        next=paper.findings[place + 1] if paper.findings[place + 1 :] else None,
        premises=[each for name in finding["follows"] for each in every if each["id"] == name],
        consequences=[each for each in every if finding["id"] in each["follows"]],
        citation=citation(paper, finding, site.data["version"]),
    )


def citation(paper: Paper, finding: Entry, version: str) -> str:
    """Returns the claim's verdict as a BibTeX entry."""
    where = f"{finding['where']} of " if finding["where"] else ""
    title = f"{where}``{paper.title}'': {VERDICTS[finding['verdict']].name}"
    key = re.sub(r"[^A-Za-z0-9]+", "-", finding["id"]).strip("-")
    fields = {
        "title": title,
        "author": "{the dpbandits authors}",
        "howpublished": f"dpbandits {version}, claim {finding['id']}",
    }
    rows = ",\n".join(f"  {name} = {{{value.translate(BIBTEX_ESCAPES)}}}" for name, value in fields.items())
    return f"@misc{{dpbandits-{key},\n{rows}\n}}"


def letter_covers_note(finding: Entry, short: RefutationGroup) -> bool:
    """Whether the beginning of a letter already states the consequences and the repair in the finding's note.
    short: the group of findings at the beginning of the letter."""
    alone = short._replace(findings=(finding,))
    return (alone.why, alone.repair) == (short.why, short.repair)


def experiments_page(site: Site, replayed: object) -> str:
    """The HTML of the page about the repeated experiments."""
    from dpbandits.reports import experiments

    return experiments.experiments_page(experiments.validate_results(replayed), variables(site, site.experiments))


def added_page(site: Site, name: str, data: object) -> str:
    """The HTML of a page that an extension adds."""
    page: str = registry.loaded(registry.added().pages[name].make)(data, variables(site, site.beside[name]))
    return page
