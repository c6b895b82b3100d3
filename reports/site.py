"""All pages of a findings document: an index, the papers, and a page to send on for every refuted statement.

Pure: the same document gives the same bytes. Each page needs nothing else and can be read from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from dpbandits import registry
from dpbandits.reference.claims.model import Reading
from dpbandits.reference.claims.text import note_in_full
from dpbandits.reports import plan, remember, words
from dpbandits.reports.document import validate_document
from dpbandits.reports.drawn_once import PICTURED_KINDS
from dpbandits.reports.filters import filter_options
from dpbandits.reports.own import is_own, own_page
from dpbandits.reports.page import by_hand, filled
from dpbandits.reports.tally import Finding, RefutationGroup, featured, gravity, holding_instead, meant_by_authors

FALSE = {  # what a letter says first, by the reading: nobody is told to be wrong who may have meant something else
    Reading.PRINTED: "False",
    Reading.QUOTED: "False as quoted",
    Reading.STEP: "A step of it is false",
    Reading.LETTER: "False to the letter, although something else may be meant",
    Reading.REPAIRED: "This repair is false",
    Reading.OURS: "This statement, which the paper does not make, is false",
}
FOLDED_FROM = 40  # statements of a paper: with more of them its sections are folded
MANY = 20  # pages from which on it is worth while to ask several processes,
SHARES = 3  # for so many times more shares than there are processes: pages differ in size


def render(document: dict[str, Any], sources: str = "") -> str:
    """The report as one page, whatever its size. document: as in findings.schema.json. sources: the folder that a
    user's files are named in, as seen from the page.

    About a user's own policies, where there are any, and about the ledger's statements. Raises ValueError for a
    document that breaks the schema; the message names the finding and the field.
    """
    site = plan.lay_out_site(validate_document(document), plan.INDEX, single=True)
    if site.data.get("judgements") or any(is_own(finding) for finding in site.data["findings"]):
        return own_page(site.data, plan.variables(site, plan.INDEX), sources)
    return index(site, single=True)


def pages(
    document: dict[str, Any],
    start: str = plan.INDEX,
    replayed: Any = None,
    beside: Mapping[str, Any] = MappingProxyType({}),
    jobs: int = 1,
    first: Callable[[], Any] = lambda: None,
    date: str = "",
    told: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> dict[str, str]:
    """All pages by the names of their files: the overview `start`, papers/..., refuted/..., in folders of its own
    where it is no index.html; raises ValueError as `render`. replayed: the printed experiments with more repetitions,
    as experiments/results.json has them, for a page of their own. beside: the data of pages that extensions add, by the
    names of these pages. jobs: processes, on which no page depends. first: is called by each of them before it
    draws. date: the day to print on every page, such as 2026-11-26, in the place of the document's own, if it has one;
    it is no part of the findings. told: gives the names of the pages back one by one as they are asked for, so that it
    knows how far a single process is."""
    kept = replayed, dict(beside)
    site = with_other_pages(plan.lay_out_site(validate_document(document), start, single=False), *kept)
    if date:
        site = site._replace(date=words.readable_date(date))
    names = list(makers(site, *kept))
    if jobs == 1 or len(names) < MANY:
        return make_pages(site, kept, told(names))
    from joblib import Parallel, delayed

    many = SHARES * jobs
    shares = [names[k::many] for k in range(min(many, len(names)))]
    parts = Parallel(n_jobs=jobs)(delayed(make_pages)(site, kept, share, first) for share in shares)
    made = {name: text for part in parts for name, text in part.items()}
    return {name: made[name] for name in names}


def with_other_pages(site: plan.Site, replayed: Any, beside: Iterable[str]) -> plan.Site:
    """The site with places for what is kept beside the findings, as in `pages`."""
    taken = {site.start, *(part.page for paper in site.papers for part in paper.parts), *site.letters.values()}
    named = partial(plan.file_name, plan.folder("papers", site.start), taken=taken)
    if replayed is not None:
        from dpbandits.reports import experiments

        again = experiments.outcomes(experiments.validate_results(replayed))
        site = site._replace(experiments=named("experiments"), again=again)
    return site._replace(beside={name: named(name) for name in beside})


def make_pages(
    site: plan.Site,
    kept: tuple[Any, Mapping[str, Any]],
    names: Iterable[str],
    first: Callable[[], Any] = lambda: None,
) -> dict[str, str]:
    """These pages. kept: replayed and beside of `pages`."""
    first()
    every = makers(site, *kept)
    return {name: every[name]() for name in names}


def makers(site: plan.Site, replayed: Any, beside: Mapping[str, Any]) -> dict[str, Callable[[], str]]:
    """What makes each page, by its file."""
    found: dict[str, Callable[[], str]] = {site.start: partial(index, site, single=False)}
    for paper in site.papers:
        found[paper.page] = partial(paper_page, site, paper)
        if len(paper.parts) > 1:
            found |= {part.page: partial(part_page, site, paper, part) for part in paper.parts}
    for paper in site.papers:
        for group in plan.letters_of(paper):
            found[site.letters[group.paper, group.where]] = partial(letter_page, site, paper, group)
    for paper in site.papers:
        for finding in paper.findings:
            if finding["id"] in site.addresses:
                found[site.addresses[finding["id"]]] = partial(claim_page, site, paper, finding)
    if site.experiments:
        found[site.experiments] = partial(experiments_page, site, replayed)
    for name, file in site.beside.items():
        found[file] = partial(added_page, site, name, beside[name])
    return found


# -- pages -------------------------------------------------------------------------------------------------------


def index(site: plan.Site, single: bool) -> str:
    """The overview; single: with all statements below it."""
    every = filter_options(site.data["findings"], {}) if single else []
    options = [each for each in every if each[0] != "s"]
    first = featured(site.data["findings"], site.data.get("headlines", []), PICTURED_KINDS)
    shown = [paper._replace(options=options) for paper in site.papers] if single else list(site.papers)
    given = plan.variables(site, site.start, options) | {"papers": shown, "featured": first, "single": single}
    given |= {"elsewhere": site.played_elsewhere(), "efforts": words.effort_words(site.data["profile"])}
    if single:
        given["menu"] = lambda _="": [("", "Overview", "#main")]
        given["paper_href"] = lambda key, _="": f"#paper-{[paper.key for paper in site.papers].index(key) + 1}"
    return filled("index.html", **given)


def paper_page(site: plan.Site, paper: plan.Paper) -> str:
    """The paper's page: with all its statements, where they fit on one."""
    given = plan.variables(site, paper.page, paper.options) | {"options": paper.options, "sections": paper.sections}
    memory = remember.memory(paper.findings)
    fallen = [finding for row in memory.rows if row.outcome == "falls" for finding in row.statements[0].group.findings]
    return filled(
        "paper.html",
        **given,
        paper=paper,
        part="",
        whole=len(paper.parts) == 1,
        memory=memory,
        featured=featured(paper.findings, site.data.get("headlines", []), PICTURED_KINDS),
        example=next(filter(by_hand, fallen), None),
        folding=len(paper.findings) > FOLDED_FROM,
    )


def part_page(site: plan.Site, paper: plan.Paper, part: plan.PaperPart) -> str:
    """One of several pages of a paper's statements."""
    options = filter_options(list(plan.findings_in(part.sections)), paper.section_numbers)
    given = plan.variables(site, part.page, options) | {"options": options, "sections": part.sections}
    return filled("paper.html", **given, paper=paper, part=part.title, whole=True, folding=False)


def letter_page(site: plan.Site, paper: plan.Paper, group: RefutationGroup) -> str:
    """All about one refuted statement, for those who wrote it."""
    quotes = list(dict.fromkeys(finding["quote"] for finding in group.findings if finding["quote"]))
    every = plan.letters_of(paper)  # in the paper's order
    place = [each.where for each in every].index(group.where)
    # It begins with what its authors are shown to have said, where that is false, and only else with what stands there
    # to the letter; the worst harm of that first, and of one harm what its page says first.
    short = group._replace(findings=tuple(sorted(meant_by_authors(group.findings), key=gravity)))
    group = group._replace(findings=tuple(sorted(group.findings, key=urgency)))
    given = plan.variables(site, site.letters[group.paper, group.where])
    everywhere = given["menu"]
    given["menu"] = lambda _="": [each for each in everywhere() if each[0] in ("", paper.key)]
    return filled(
        "letter.html",
        **given,
        previous=every[place - 1] if place else None,
        next=every[place + 1] if every[place + 1 :] else None,
        paper=paper,
        group=group,
        short=short,
        said={note_in_full(finding) for finding in short.findings if tells(finding, short)},
        headword=FALSE[short.findings[0]["reading"]],
        quotes=quotes,
        instead=holding_instead(group, paper.findings),
    )


def claim_page(site: plan.Site, paper: plan.Paper, finding: Finding) -> str:
    """The address of a claim that lasts, however a paper's statements are divided into pages: small, for all of them
    are in every report."""
    return filled("claim.html", **plan.variables(site, site.addresses[finding["id"]]), paper=paper, finding=finding)


def tells(finding: Finding, short: RefutationGroup) -> bool:
    """Whether a letter's beginning says all of the finding's note: what follows, and the repair."""
    alone = short._replace(findings=(finding,))
    return (alone.why, alone.repair) == (short.why, short.repair)


def urgency(finding: Finding) -> tuple[int, bool]:
    """The order in a letter: the worst harm first, then what somebody can check by hand."""
    return gravity(finding), not by_hand(finding)


def experiments_page(site: plan.Site, replayed: Any) -> str:
    from dpbandits.reports import experiments

    return experiments.experiments_page(experiments.validate_results(replayed), plan.variables(site, site.experiments))


def added_page(site: plan.Site, name: str, data: Any) -> str:
    """A page that an extension adds."""
    page: str = registry.loaded(registry.pages()[name].make)(data, plan.variables(site, site.beside[name]))
    return page
