"""The pytest plugin: the `audit` fixture, one test item per claim, an HTML report of all audits of a session.

pytest imports this in every project of the environment, so it imports nothing heavy: the work is in `auditor`, imported
by the first audit.

    def test_mine(audit):
        audit("ou24/lemma-3", MyPolicy(arms=2, horizon=20))

    pytest --audit-claims 'ou24/*' --audit-html report.html
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dpbandits.audit.pytest_plugin.session import FOLDER, OWNER, ledger_of, plan_of, read_entries, session_folder

REPORT_MESSAGE = pytest.StashKey[list[str]]()  # the last words: about each subject, and about the report
ASKED_BY = "GITHUB_ACTIONS"  # this environment variable is "true" where a CI reads such lines
ROOT_OF = "GITHUB_WORKSPACE"  # and this one names the folder from which it counts files


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin to pytest's command line."""
    group = parser.getgroup("dpbandits", "claims about private bandits")
    group.addoption("--audit-html", metavar="FILE", help="write the report of all audits of this session")
    group.addoption("--audit-json", metavar="FILE", help="write all findings as JSON, for `dpbandits diff`")
    group.addoption("--audit-sarif", metavar="FILE", help="write failed audits as SARIF, for code scanning")
    group.addoption(
        "--audit-claims",
        metavar="GLOB",
        action="append",
        default=[],
        help="also collect a test per claim of the ledger that matches, e.g. 'ou24/*' (may be repeated)",
    )
    group.addoption(
        "--audit-page",
        dest="audit_pages",
        metavar="FILE",
        action="append",
        default=[],
        help="add a page outside the ledger: a .py file or a package folder (may be repeated)",
    )
    group.addoption(
        "--audit-profile",
        choices=["quick", "ci", "deep"],
        default="quick",
        help="how hard audits look (default: quick)",
    )
    group.addoption("--audit-seed", type=seed, default=0, metavar="N", help="the audits' seed (default: 0)")


def seed(text: str) -> int:
    """Converts the text of an option to a seed. Raises ArgumentTypeError unless it is an integer in [0, 2^64)."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed; give an integer from 0 to 2**64 - 1")
    return number


def pytest_configure(config: pytest.Config) -> None:
    """Loads the pages outside the ledger; checks the files to write and the claims to collect before any test runs."""
    if config.option.audit_pages:
        try:
            ledger_of(config)
        except ValueError as error:
            raise pytest.UsageError(f"--audit-page: {error}") from None
    shared = getattr(config, "workerinput", {}).get("dpbandits_folder")
    if shared:
        config.stash[FOLDER] = Path(shared)
        return
    for option, name in files_to_write(config).items():
        from dpbandits.audit.cli_shared.outputs import OUTPUTS
        from dpbandits.audit.runner import store

        output = OUTPUTS[option.replace("audit-", "")]
        try:
            store.check_file(
                config.invocation_params.dir / name, kind=output.kind, mark=output.mark
            )  # before the tests take hours
        except store.Refused as refused:
            raise pytest.UsageError(f"{option}: {refused}") from None
    if config.option.audit_claims:
        from dpbandits.audit.pytest_plugin.ledger_claims import selected

        try:
            selected(config)  # a misspelt glob stops the session before it starts
        except ValueError as error:
            raise pytest.UsageError(f"--audit-claims: {error}") from None


def files_to_write(config: pytest.Config) -> dict[str, str]:
    """The files that the session writes at its end, as they were typed, by option."""
    given = {f"--audit-{name}": config.getoption(f"--audit-{name}") for name in ("html", "json", "sarif")}
    return {option: name for option, name in given.items() if name}


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells workers of pytest-xdist in which folder the main process looks for their findings."""
    if files_to_write(node.config) or node.config.option.audit_claims:
        node.workerinput["dpbandits_folder"] = str(session_folder(node.config))


@pytest.hookimpl(tryfirst=True)  # before -k and -m, so that these select among our items as well
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test item for every claim that --audit-claims selects."""
    if config.option.audit_claims:
        from dpbandits.audit.pytest_plugin.ledger_claims import claim_items

        items.extend(claim_items(session))


@pytest.fixture
def audit(request: pytest.FixtureRequest) -> Any:
    """Checks a claim of the ledger, or your policy against a claim; fails the test if the claim does not hold.

    audit(claim_id) checks the claim about the paper's own policy, and requires the verdict that the ledger expects.
    audit(claim_id, policy) checks whether your policy (see `dpbandits.Policy`) satisfies the guarantee of the claim,
    and requires that it holds. Returns the finding's entry, as in findings.json.

    audit(policy, eps=..., delta=..., mu=..., relation=..., view=...) checks a guarantee of your own (`audit_policy`),
    and audit(policy, curve=...) any other curve. audit.mechanism(function, left, right, eps=...) checks a plain
    mechanism on two inputs (`audit_mechanism`), and audit.counter(function, length, eps=...) a counter by its noisy
    sums on the most revealing streams (`audit_counter`).
    """
    from dpbandits.audit.pytest_plugin.auditor import Auditor

    file, line, _ = request.node.location
    return Auditor(request.config, request.node.nodeid, (file, None if line is None else line + 1))


@pytest.hookimpl(trylast=True)  # after xdist's workers have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes the requested files."""
    config = session.config
    if files_to_write(config) and not hasattr(config, "workerinput"):
        config.stash[REPORT_MESSAGE], written = write_files(config)
        if not written:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR


def write_files(config: pytest.Config) -> tuple[list[str], bool]:
    """Writes all audits, in the ledger's order, to the files that options name.
    Returns the lines for the end of the session (a sentence about each subject, then the location of each file, or the
    reason why it is missing), and whether all requested files were written."""
    from dpbandits.audit.cli_shared.outcomes import judgements
    from dpbandits.audit.cli_shared.outputs import OUTPUTS
    from dpbandits.audit.runner import documents, sarif, store
    from dpbandits.reports import render
    from dpbandits.reports.own import with_earlier

    files, (entries, errors), written = files_to_write(config), read_entries(config), True
    many = len(entries) + len(errors)
    if not many:
        return [f"no test audited anything, so {name} was not written" for name in files.values()], True

    for audited in (entries, errors):
        audited.sort(key=lambda one: (ledger_of(config).rank(one["id"].split("@")[0]), one["id"]))
    lines = judgements(entries)
    document = documents.assemble_document(entries, errors, plan_of(config))
    if lines:
        document["judgements"] = lines
    audits = f"{many} {'audit' if many == 1 else 'audits'}"
    for option, name in files.items():
        target = config.invocation_params.dir / name
        output = OUTPUTS[option.replace("audit-", "")]
        try:
            store.claim_file(target, kind=output.kind, mark=output.mark)
            if option == "--audit-html":
                sources = Path(os.path.relpath(config.rootpath, target.parent)).as_posix()
                store.write_whole(target, render(with_earlier(document, store.earlier_text(target)), sources))
                lines = [*lines, f"report of {audits}: {target}"]
            elif option == "--audit-json":
                store.write_whole(target, documents.serialised(document))
                lines = [*lines, f"findings of {audits}: {target}"]
            else:
                store.write_whole(target, sarif.as_sarif(document, "pytest"))
                lines = [*lines, f"SARIF of {audits}: {target}"]
        except OSError as error:
            lines, written = [*lines, f"cannot write {name} ({error.strerror or error})"], False
    return lines, written


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Adds an annotation to a failed audit if a CI service reads annotations.
    The workers of xdist send it to the main process."""
    outcome = yield
    report = outcome.get_result()
    if report.failed and is_asked_for() and "audit" in getattr(item, "fixturenames", ()):
        file, line, _ = item.location
        where = absolute(item.config, file), None if line is None else line + 1
        report.dpbandits_annotation = annotation(f"audit failed: {item.name}", report.longreprtext, *where)


def absolute(config: pytest.Config, file: str) -> Path:
    """Returns a file that pytest names, as an absolute path."""
    return Path(os.path.normpath(config.rootpath / file))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Prints a sentence for each subject, the files, and annotations for a CI service."""
    for said in config.stash.get(REPORT_MESSAGE, []):
        terminalreporter.write_line(f"dpbandits: {said}")
    failed = [report for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, [])]
    for said in (getattr(report, "dpbandits_annotation", "") for report in failed):
        if said:
            terminalreporter.write_line(said)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the session's folder."""
    if OWNER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


def is_asked_for(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a CI service reads annotations in the printed output."""
    return environment.get(ASKED_BY) == "true"


def annotation(
    title: str, message: str, file: Path, line: int | None, environment: Mapping[str, str] = os.environ
) -> str:
    """The line that a CI service shows next to the code. file: absolute; line: from 1, None for no particular line."""
    root = environment.get(ROOT_OF, "")
    place = file.relative_to(root) if root and file.is_relative_to(root) else file
    fields = {"file": place.as_posix(), **({} if line is None else {"line": str(line)}), "title": title}
    told = ",".join(f"{name}={escaped_field(value)}" for name, value in fields.items())
    return f"::error {told}::{on_one_line(message)}"


def on_one_line(text: str) -> str:
    """Returns the text on one line, with the escapes that the CI service decodes."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_field(text: str) -> str:
    """The text with the escapes of a field of an annotation."""
    return on_one_line(text).replace(":", "%3A").replace(",", "%2C")
