"""All pages of a findings document: an index, the papers, and a page to send on for every refuted statement.

Pure: the same document gives the same bytes. Each page needs nothing else and can be read from a file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from posixpath import dirname, relpath
from typing import Any, NamedTuple
from urllib.parse import quote

from joblib import Parallel, delayed
from markupsafe import Markup

from dpbandits.reference.files import certificate_names, stem
from dpbandits.reports import experiments, figures, libraries
from dpbandits.reports.document import checked
from dpbandits.reports.own import is_own, own_page
from dpbandits.reports.packing import each_section, packed, within
from dpbandits.reports.page import Options, anchor, by_hand, filled, filter_options, filter_rules, picture, style
from dpbandits.reports.tally import HARMS, Finding, Group, Tally, featured, instead, papers, places, tally

INDEX = "index.html"
ADDRESS = re.compile(r"\w[\w.=-]*(/\w[\w.=-]*)+", re.ASCII)  # an id whose page is called after it, everywhere
FALSE = {  # what a letter says first, by the reading: nobody is told to be wrong who may have meant something else
    "printed": "False",
    "to the letter": "False to the letter, although something else may be meant",
    "repaired": "This repair of ours is false",
    "ours": "This statement of ours is false",
}
MANY = 20  # pages from which on it is worth while to ask several processes,
SHARES = 3  # for so many times more shares than there are processes: pages differ in size


class Paper(NamedTuple):
    """One paper for the templates. sections: (name, findings); section_numbers: as the filters count them; page: its
    file; parts: the files of its statements, which is the page itself where all fit on it."""

    key: str
    title: str
    authors: str
    venue: str
    link: str
    read: str
    findings: tuple[Finding, ...]
    tally: Tally
    sections: tuple[tuple[str, tuple[Finding, ...]], ...]
    section_numbers: Mapping[str, int]
    options: Options
    page: str
    parts: tuple[Part, ...]


class Part(NamedTuple):
    """A page of a paper's statements, whole. page: its file."""

    page: str
    sections: tuple[tuple[str, tuple[Finding, ...]], ...]

    @property
    def title(self) -> str:
        names = [name for name, _ in self.sections]
        return names[0] if len(set(names)) == 1 else f"{names[0]} to {names[-1]}"


class Site(NamedTuple):
    """A document's pages and where everything stands. start: the overview's file. places: claim -> file. letters:
    (paper, where) -> file. addresses: claim -> the file that is the same in every report. certificates: (claim, place)
    -> file. alone: one page, without any file beside it."""

    start: str
    data: Mapping[str, Any]
    papers: tuple[Paper, ...]
    tally: Tally
    places: Mapping[str, str]
    letters: Mapping[tuple[str, str], str]
    addresses: Mapping[str, str]
    certificates: Mapping[tuple[str, int], str]
    alone: bool
    libraries: str = ""  # the page of implementations; "" for none
    experiments: str = ""  # the page of the printed experiments; "" for none
    again: Mapping[str, experiments.Again] | None = None  # what stands there, by claim


def render(document: dict[str, Any], sources: str = "") -> str:
    """The report as one page, whatever its size. document: as in findings.schema.json. sources: the folder that a
    user's files are named in, as seen from the page.

    About a user's own policies, where there are any, and about the ledger's statements. Raises ValueError for a
    document that breaks the schema; the message names the finding and the field.
    """
    site = planned(checked(document), INDEX, single=True)
    if any(is_own(finding) for finding in site.data["findings"]):
        return own_page(site.data, variables(site, INDEX), sources)
    return index(site, single=True)


def pages(
    document: dict[str, Any],
    start: str = INDEX,
    results: Any = None,
    replayed: Any = None,
    jobs: int = 1,
    first: Callable[[], Any] = lambda: None,
) -> dict[str, str]:
    """All pages by the names of their files: the overview `start`, papers/..., refuted/..., in folders of its own
    where it is no index.html; raises ValueError as `render`. results: of implementations that people use, as
    implementations/results.json has them, for a page of their own. replayed: the printed experiments with more
    repetitions, as experiments/results.json has them, for another. jobs: processes, on which no page depends. first: is
    called by each of them before it draws."""
    site = planned(checked(document), start, single=False)
    taken = {start, *(part.page for paper in site.papers for part in paper.parts), *site.letters.values()}
    if results is not None:
        site = site._replace(libraries=file_name(folder("papers", start), "libraries", taken))
    if replayed is not None:
        again = experiments.outcomes(experiments.known(replayed))
        site = site._replace(experiments=file_name(folder("papers", start), "experiments", taken), again=again)
    names = list(makers(site, results, replayed))
    if jobs == 1 or len(names) < MANY:
        return some(site, results, replayed, names)
    many = SHARES * jobs
    shares = [names[k::many] for k in range(min(many, len(names)))]
    parts = Parallel(n_jobs=jobs)(delayed(some)(site, results, replayed, share, first) for share in shares)
    made = {name: text for part in parts for name, text in part.items()}
    return {name: made[name] for name in names}


def some(
    site: Site, results: Any, replayed: Any, names: Sequence[str], first: Callable[[], Any] = lambda: None
) -> dict[str, str]:
    """These pages."""
    first()
    every = makers(site, results, replayed)
    return {name: every[name]() for name in names}


def makers(site: Site, results: Any, replayed: Any) -> dict[str, Callable[[], str]]:
    """What makes each page, by its file."""
    found: dict[str, Callable[[], str]] = {site.start: partial(index, site, single=False)}
    for paper in site.papers:
        found[paper.page] = partial(paper_page, site, paper)
        if len(paper.parts) > 1:
            found |= {part.page: partial(part_page, site, paper, part) for part in paper.parts}
    for paper in site.papers:
        for group in letters_of(paper):
            found[site.letters[group.paper, group.where]] = partial(letter_page, site, paper, group)
    for paper in site.papers:
        for finding in paper.findings:
            if finding["id"] in site.addresses:
                found[site.addresses[finding["id"]]] = partial(claim_page, site, paper, finding)
    if site.libraries:
        found[site.libraries] = partial(libraries_page, site, results)
    if site.experiments:
        found[site.experiments] = partial(experiments_page, site, replayed)
    return found


# -- the plan ----------------------------------------------------------------------------------------------------


def planned(data: Mapping[str, Any], start: str, single: bool) -> Site:
    """Which page everything stands on. single: all on one."""
    findings = data["findings"]
    taken: set[str] = set()
    made = [shelved(data, key, group, taken, start, single) for key, group in papers(findings).items()]
    where = {finding["id"]: part.page for paper in made for part in paper.parts for finding in within(part.sections)}
    letters: dict[tuple[str, str], str] = {}
    for paper in made if not single else ():
        for group in letters_of(paper):
            letters[group.paper, group.where] = file_name(
                folder("refuted", start), f"{paper.key}-{group.where or 'unnumbered'}", taken
            )
    shelf = folder("claims", start)
    addresses = {} if single else {each: f"{shelf}/{stem(each)}.html" for each in where if ADDRESS.fullmatch(each)}
    carried = {} if single else {finding["id"]: len(certificates(finding)) for finding in findings}
    files = {which: f"certificates/{name}.json" for which, name in certificate_names(carried).items()}
    return Site(start, data, tuple(made), tally(findings), where, letters, addresses, files, single)


def certificates(finding: Finding) -> list[Mapping[str, Any]]:
    return [item for item in finding["evidence"] if item["kind"] == "certificate"]


def shelved(
    data: Mapping[str, Any], key: str, group: Sequence[Finding], taken: set[str], start: str, single: bool
) -> Paper:
    """The paper with its pages. single: everything stands on the overview, `start`."""
    known = {"title": key, "authors": "", "venue": "", "link": "", "read": ""} | data.get("papers", {}).get(key, {})
    sections: dict[str, list[Finding]] = {}
    for finding in group:
        sections.setdefault(finding["section"], []).append(finding)
    numbers = {name: place for place, name in enumerate(sections)}
    shelf = folder("papers", start)
    page = start if single else file_name(shelf, key, taken)
    packs = [list(each_section(sections))] if single else packed(sections)
    pages = [page] if len(packs) == 1 else [file_name(shelf, f"{key}-{i}", taken) for i in range(1, len(packs) + 1)]
    return Paper(
        key=key,
        **known,
        findings=tuple(group),
        tally=tally(group),
        sections=tuple(each_section(sections)),
        section_numbers=numbers,
        options=filter_options(group, numbers),
        page=page,
        parts=tuple(Part(name, tuple(pack)) for name, pack in zip(pages, packs, strict=True)),
    )


def folder(name: str, start: str) -> str:
    """The folder of an overview's pages: reports side by side in one folder share none."""
    return name if start == INDEX else f"{start.removesuffix('.html')}-{name}"


def file_name(folder: str, name: str, taken: set[str]) -> str:
    """A file of its own below the folder, whatever is in the name."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "page"
    for number in count(1):
        made = f"{folder}/{stem}{f'-{number}' if number > 1 else ''}.html"
        if made not in taken:
            taken.add(made)
            return made
    raise AssertionError("counting never ends")


def letters_of(paper: Paper) -> list[Group]:
    return places([finding for finding in paper.findings if finding["verdict"] == "REFUTED"])


# -- pages -------------------------------------------------------------------------------------------------------


def variables(site: Site, here: str, options: Options = ()) -> dict[str, Any]:  # type: ignore[assignment]
    """What every template may use: the document, and links from this page to everything else."""
    numbering = count(1)
    paper_files = {paper.key: paper.page for paper in site.papers}

    def to(page: str, fragment: str = "") -> str:
        path = "" if page == here else quote(relpath(page, dirname(here) or "."))
        return path + (f"#{quote(fragment)}" if fragment or not path else "")

    def href(claim: str, _: str = "") -> str:
        return to(site.places[claim], anchor(claim)) if claim in site.places else to(site.start)

    def group_href(group: Group, _: str = "") -> str:
        page = site.letters.get((group.paper, group.where))
        return to(page) if page else href(group.findings[0]["id"])

    def letter(finding: Finding, _: str = "") -> str:
        page = site.letters.get((finding["paper"], finding["where"])) if finding["verdict"] == "REFUTED" else None
        return to(page) if page else ""

    def certificate_file(finding: Finding, item: Mapping[str, Any]) -> str:
        place = next(place for place, other in enumerate(certificates(finding)) if other is item)
        return site.certificates.get((finding["id"], place), "")

    return {
        "here": here,
        "document": site.data,
        "alone": site.alone,
        "tally": site.tally,
        "papers": site.papers,
        "present": set(site.places),
        "href": href,
        "group_href": group_href,
        "letter": letter,
        "certificate_file": certificate_file,
        "paper_href": lambda key, _="": to(paper_files[key]),
        "index_href": lambda _="": to(site.start) if here != site.start else "",
        "libraries_href": lambda _="": to(site.libraries) if site.libraries else "",
        "experiments_href": lambda _="": to(site.experiments) if site.experiments else "",
        "again": lambda finding: (site.again or {}).get(finding["id"]),
        "again_href": lambda finding, _="": to(site.experiments, anchor(finding["id"])),
        "menu": lambda _="": [("Overview", to(site.start)), *((key, to(page)) for key, page in paper_files.items())],
        "picture": lambda item: picture(item, f"figure-{next(numbering)}"),
        "style": Markup(style() + filter_rules(list(options))),  # our own file and our own rules, so safe
    }


def index(site: Site, single: bool) -> str:
    """The overview; single: with all statements below it."""
    every = filter_options(site.data["findings"], {}) if single else []
    options = [each for each in every if each[0] != "s"]
    first = featured(site.data["findings"], site.data.get("headlines", []), tuple(figures.DRAWN))
    shown = [paper._replace(options=options) for paper in site.papers] if single else list(site.papers)
    unplayed = [finding["id"] for finding in site.data["findings"] if finding["verdict"] == "NOT_EXERCISED"]
    played = {name: site.again[name].verdict for name in unplayed if name in site.again} if site.again else {}
    given = variables(site, site.start, options) | {"papers": shown, "featured": first, "single": single}
    given |= {"elsewhere": Counter(played.values()), "unplayed": len(played)}
    given |= {"reversed_ids": [name for name, verdict in played.items() if verdict == "REFUTED"]}
    if single:
        given["menu"] = lambda _="": [("Overview", "#main")]
        given["paper_href"] = lambda key, _="": f"#paper-{[paper.key for paper in site.papers].index(key) + 1}"
    return filled("index.html", **given)


def paper_page(site: Site, paper: Paper) -> str:
    """The paper's page: with all its statements, where they fit on one."""
    one = len(paper.parts) == 1
    given = variables(site, paper.page, paper.options)
    return filled(
        "paper.html", **given, paper=paper, part="", sections=paper.sections, whole=one, options=paper.options
    )


def part_page(site: Site, paper: Paper, part: Part) -> str:
    """One of several pages of a paper's statements."""
    options = filter_options(list(within(part.sections)), paper.section_numbers)
    given = variables(site, part.page, options)
    return filled(
        "paper.html", **given, paper=paper, part=part.title, sections=part.sections, whole=True, options=options
    )


def letter_page(site: Site, paper: Paper, group: Group) -> str:
    """All about one refuted statement, for those who wrote it."""
    quotes = list(dict.fromkeys(finding["quote"] for finding in group.findings if finding["quote"]))
    group, short = group._replace(findings=tuple(sorted(group.findings, key=urgency))), in_short(group)
    given = variables(site, site.letters[group.paper, group.where])
    everywhere = given["menu"]
    given["menu"] = lambda _="": [each for each in everywhere() if each[0] in ("Overview", paper.key)]
    return filled(
        "letter.html",
        **given,
        paper=paper,
        group=group,
        short=short,
        said={finding["note"] for finding in short.findings if tells(finding, short)},
        headword=FALSE[short.findings[0]["reading"]],
        quotes=quotes,
        instead=instead(group, paper.findings),
    )


def claim_page(site: Site, paper: Paper, finding: Finding) -> str:
    """The address of a claim that lasts, however a paper's statements are divided into pages: small, for all of them
    are in every report."""
    return filled("claim.html", **variables(site, site.addresses[finding["id"]]), paper=paper, finding=finding)


def in_short(group: Group) -> Group:
    """What a letter begins with: what its authors are shown to have said, where that is false, and only else what
    stands there to the letter; the worst harm of that first, and of one harm what its page says first."""
    printed = [finding for finding in group.findings if finding["reading"] == "printed"]
    return group._replace(findings=tuple(sorted(printed or group.findings, key=lambda finding: urgency(finding)[0])))


def tells(finding: Finding, short: Group) -> bool:
    """Whether a letter's beginning says all of the finding's note: what follows, and the repair."""
    alone = short._replace(findings=(finding,))
    return (alone.why, alone.repair) == (short.why, short.repair)


def urgency(finding: Finding) -> tuple[int, bool]:
    """The order in a letter: the worst harm first, then what somebody can check by hand."""
    return list(HARMS).index(finding["harm"]), not by_hand(finding)


def libraries_page(site: Site, results: Any) -> str:
    return libraries.libraries_page(libraries.known(results), variables(site, site.libraries))


def experiments_page(site: Site, replayed: Any) -> str:
    return experiments.experiments_page(experiments.known(replayed), variables(site, site.experiments))
