"""`dpbandits report`: the HTML report of a findings.json, or its first picture."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import click

from dpbandits.audit.cli_shared.endings import Trouble, as_trouble, example_lines, printable
from dpbandits.audit.cli_shared.json_files import load_json
from dpbandits.audit.cli_shared.options import FILE, GroupedCommand
from dpbandits.audit.cli_shared.outputs import claim_outputs, write_output, write_trouble


def draw(findings: Path, content: object, picture: Path) -> None:
    """Writes the first picture of a findings document's overview to the file `picture`.
    Its colours follow the light or dark setting of the reader's screen."""
    from dpbandits.reports.alone import headline

    claim_outputs({"--picture": picture})
    with as_trouble(findings):
        drawn = headline(content)
    write_output("--picture", picture, drawn)


def make_site(findings: Path, content: object, site: Path, docs: Path | None) -> None:
    """Writes the static site; if it cannot be written, the command ends with an error."""
    from dpbandits.audit.runner.site_files import write_site
    from dpbandits.audit.runner.store import Refused
    from dpbandits.reports.document import validate_document

    with as_trouble(findings):
        document = validate_document(content)
    try:
        write_site(document, site, docs)
    except Refused as refused:
        raise Trouble(printable(refused)) from None
    except OSError as error:
        raise write_trouble(site, "the site", error, "choose another folder with --site") from None
    click.echo(f"site: {printable(site / 'index.html')}")


@click.command(
    cls=GroupedCommand,
    groups={
        "What to write": ("--out", "--picture", "--site", "--docs", "--force"),
        "Content": ("--history", "--date"),
    },
    epilog=example_lines(
        "dpbandits report dpbandits-report/findings.json --out index.html",
        "dpbandits report dpbandits-report/findings.json --site site",
    ),
)
@click.argument("findings", type=FILE, metavar="FINDINGS.json")
@click.option("--out", type=FILE, help="The HTML file. Default: index.html next to FINDINGS.json.")
@click.option("--picture", type=FILE, help="Write only the picture of the overview, as an SVG file.")
@click.option("--site", type=FILE, metavar="FOLDER", help="Write a static site: start page, report, claims.json.")
@click.option("--docs", type=FILE, metavar="FOLDER", help="Built documentation, to become a part of --site.")
@click.option("--history/--no-history", default=True, help="Show changes since earlier releases (default), or not.")
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), help="Print this date on every page.")
@click.option("--force", is_flag=True, help="Overwrite a file that is not a report.")
def report(
    findings: Path,
    out: Path | None,
    picture: Path | None,
    site: Path | None,
    docs: Path | None,
    history: bool,
    date: datetime | None,
    force: bool,
) -> None:
    """Write the HTML report of a findings.json.

    The report is an HTML file. Its further pages and the certificates are written into folders next to it."""
    from dpbandits.audit.runner import documents
    from dpbandits.audit.runner.changes import with_histories
    from dpbandits.audit.runner.progress import one_by_one
    from dpbandits.reports import pages
    from dpbandits.reports.document import validate_document
    from dpbandits.reports.site import folder

    content = load_json(findings)
    if picture is not None:
        if out is not None:
            raise click.UsageError("--out cannot be combined with --picture, which writes only the picture")
        draw(findings, content, picture)
        return
    if docs is not None and site is None:
        raise click.UsageError("--docs can only be used with --site")
    if docs is not None and not (docs / "index.html").is_file():
        raise click.UsageError(f"--docs {docs}: this folder has no index.html; give a folder with built documentation")
    if site is not None:
        if out is not None:
            raise click.UsageError("--out cannot be combined with --site, which names a folder")
        make_site(findings, content, site, docs)
        return
    target = out or findings.with_name("index.html")
    try:
        day = f"{date:%Y-%m-%d}" if date else ""
        document = validate_document(content)
        shown = with_histories(document) if history else document
        named = pages(
            shown, target.name, date=day, told=partial(one_by_one, unit="page"), **documents.report_extras(document)
        )
        made = {target.parent / name: page for name, page in named.items()}
        shelf = target.parent / folder("certificates", target.name)
        data = {shelf / f"{name}.json": each for name, each in documents.certificates(document).items()}
    except UnicodeEncodeError:
        raise Trouble(
            f"{printable(target)}: the file name is not valid UTF-8, so the pages of the report could not link to each "
            "other; choose another file with --out"
        ) from None
    except ValueError as error:
        raise Trouble(f"{printable(findings)}: {error}") from None
    publish(target, made, {path: documents.serialised(each) for path, each in data.items()}, force)
    click.echo(f"report: {printable(target)}")


def publish(target: Path, made: Mapping[Path, str], certificates: Mapping[Path, str], force: bool) -> None:
    """Writes the pages and the certificates, all or none.
    Ends the command if another person's file would be overwritten."""
    from dpbandits.audit.runner import store

    try:
        for path in made:
            store.claim_file(path, force)
        for path in certificates:
            store.claim_file(path, force, "certificate")
        store.write_all_or_none({**made, **certificates})
    except store.Refused as refused:
        raise Trouble(printable(refused)) from None
    except OSError as error:
        raise write_trouble(target, "the report", error, "choose another file with --out") from None
