"""What a release needs besides the package: one address, consistent versions, workflows of make targets, a site."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import dpbandits
from dpbandits.audit.cli.command_line import main
from dpbandits.reference.claims.ledger import ledger, paper_keys
from dpbandits.reports.words import number_word

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXAMPLE = ROOT / "reports" / "example" / "findings.json"
RELEASE = run_path(str(ROOT / "release" / "release.py"))
SITE = run_path(str(ROOT / "release" / "make_site.py"))
FILES = (
    "CITATION.cff",
    "codemeta.json",
    ".zenodo.json",
    "CHANGELOG.md",
    "pyproject.toml",
    "docs/how-to/pytest_in_ci.md",
    "release/release.py",
    "release/conda/recipe.yaml",
    "src/dpbandits/__init__.py",
    f"docs/ledger/{dpbandits.__version__}.json",
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small repository of the files that the release's checks read."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
    return tmp_path


def run(checkout: Path, *arguments: str) -> tuple[int, str]:
    call = [sys.executable, "release/release.py", *arguments]
    done = subprocess.run(call, cwd=checkout, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def edit(file: Path, pattern: str, new: str) -> None:
    changed, times = re.subn(pattern, new, file.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    assert times == 1
    file.write_text(changed, encoding="utf-8")


def ready(checkout: Path) -> None:
    """Makes the checkout one that can be released."""
    assert run(checkout, "address", "https://host.test/x/dpbandits")[0] == 0
    edit(checkout / "CITATION.cff", "^version: .*$", r"\g<0>\ndate-released: 2026-12-01")
    edit(checkout / "CHANGELOG.md", f"^## {re.escape(dpbandits.__version__)}$", r"\g<0> (2026-12-01)")


def test_a_checkout_is_ready_once_address_and_dates_are_written(checkout: Path) -> None:
    ready(checkout)
    version = dpbandits.__version__
    assert run(checkout, "check", "--tag", f"v{version}") == (0, f"dpbandits {version} can be released\n")
    texts = {name: (checkout / name).read_text(encoding="utf-8") for name in FILES[:6]}
    assert not [name for name, text in texts.items() if "example.org" in text]
    assert f"uses: x/dpbandits@v{version}" in texts["docs/how-to/pytest_in_ci.md"]
    status, said = run(checkout, "check", "--tag", "v9.9.9")
    assert status == 1
    assert said.startswith("the tag is v9.9.9")


FAULTS = (
    ("CITATION.cff", "^version: .*$", "version: 0.0.1", "CITATION.cff: version is '0.0.1'"),
    ("CITATION.cff", "^date-released: .*$", "date-released: soon", "CITATION.cff: a line date-released"),
    ("codemeta.json", r'^  "version": .*$', '  "version": "0.0.1",', "codemeta.json: version is '0.0.1'"),
    (".zenodo.json", r'^  "version": .*$', '  "version": "0.0.1",', ".zenodo.json: version is '0.0.1'"),
    ("CHANGELOG.md", r" \(2026-12-01\)$", "", "CHANGELOG.md: the section of"),
    ("CHANGELOG.md", r" \(2026-12-01\)$", " (soon)", "CHANGELOG.md: the section of"),
    ("CHANGELOG.md", r"^## \S+ \(2026-12-01\)$", "## 0.0.1 (2026-12-01)", "CHANGELOG.md: there is no section"),
    ("release/conda/recipe.yaml", '^  version: "', '  version: "9', "release/conda/recipe.yaml: version"),
    (
        "codemeta.json",
        "https://host.test/x/dpbandits",
        "https://example.org/dpbandits",
        "codemeta.json: still names",
    ),
    (
        "CITATION.cff",
        "^date-released: .*$",
        "date-released: 2026-12-02",
        "CITATION.cff: date-released is not 2026-12-01, the date of the changelog",
    ),
    (
        "docs/how-to/pytest_in_ci.md",
        "uses: x/dpbandits@v.*$",
        "uses: x/dpbandits@v0.0.1",
        "docs/how-to/pytest_in_ci.md: a workflow pins v0.0.1",
    ),
    (
        "docs/how-to/pytest_in_ci.md",
        r"\$DPBANDITS@v[\d.]+",
        "$DPBANDITS@v0.0.2",
        "docs/how-to/pytest_in_ci.md: a workflow pins v0.0.2",
    ),
)


@pytest.mark.parametrize(("name", "pattern", "new", "fault"), FAULTS, ids=[fault for *_, fault in FAULTS])
def test_each_fault_keeps_it_from_being_released(checkout: Path, name: str, pattern: str, new: str, fault: str) -> None:
    ready(checkout)
    edit(checkout / name, pattern, new)
    status, said = run(checkout, "check")
    assert status == 1
    (line,) = said.splitlines()
    assert line.startswith(fault)


def test_a_missing_record_of_the_ledger_is_named(checkout: Path) -> None:
    ready(checkout)
    (checkout / FILES[-1]).unlink()
    assert run(checkout, "check") == (1, f"{FILES[-1]} is missing: run make ledger\n")


@pytest.mark.parametrize(
    "address", ["host.test/dpbandits", "http://host.test/a", "https://host.test/a/", "https://host.test"]
)
def test_what_is_no_address_changes_nothing(checkout: Path, address: str) -> None:
    status, said = run(checkout, "address", address)
    assert status == 1
    assert repr(address) in said
    assert run(checkout, "check")[1].count("still names") == 6


def test_an_address_is_written_once(checkout: Path) -> None:
    ready(checkout)
    status, said = run(checkout, "address", "https://host.test/other/dpbandits")
    assert (status, said.startswith("error: no file names")) == (1, True)


def test_all_files_have_one_address() -> None:
    """The placeholder, or one that was written in its place."""
    (address,) = {PROJECT["urls"]["Repository"], PROJECT["urls"]["Homepage"]}
    assert all(each.startswith(address) for each in PROJECT["urls"].values())
    assert json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))["codeRepository"] == address
    assert f"repository-code: {address}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"homepage: {address}\n" in (ROOT / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8")


def test_the_placeholder_is_where_releasing_says_and_no_other_is_used() -> None:
    releasing = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    (step,) = re.findall(r"^1\. .*?(?=^2\. )", releasing[: releasing.index("## Each time")], re.MULTILINE | re.DOTALL)
    named = {name for name in re.findall(r"`([^`\s]+)`", step) if (ROOT / name).is_file()}
    assert len(named) == 6
    if PROJECT["urls"]["Homepage"] == RELEASE["PLACEHOLDER"]:  # it goes once the address is written
        assert {*RELEASE["with_placeholder"]()} == named
    for name in named:
        for found in re.findall(r"\bexample\.(?:org|com|net)[^\s\"'<>)]*", (ROOT / name).read_text(encoding="utf-8")):
            assert f"https://{found}".startswith(RELEASE["PLACEHOLDER"]), f"{name}: {found}"


# -- what is said of the project in several files ----------------------------------------------------------------------


class Said(NamedTuple):
    """What a file says of the project; None for what it has no place for."""

    authors: list[str]
    keywords: list[str]
    version: str | None = None
    description: str | None = None
    title: str | None = None
    licence: str | None = None


def of_citation() -> Said:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (folded,) = re.findall(r"^abstract: >-\n((?:  .*\n)+)", text, re.MULTILINE)
    lists = {
        key: re.findall(r"^  - (?:name: )?(.*)$", lines, re.MULTILINE)
        for key, lines in re.findall(r"^(authors|keywords):\n((?:  .*(?:\n|$))+)", text, re.MULTILINE)
    }
    plain = dict(re.findall(r'^([a-z-]+): "?([^">\n]+)"?$', text, re.MULTILINE))
    return Said(
        lists["authors"],
        lists["keywords"],
        plain["version"],
        " ".join(folded.split()),
        plain["title"],
        plain["license"],
    )


def of_codemeta() -> Said:
    said = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    return Said(
        [each["name"] for each in said["author"]],
        said["keywords"],
        said["version"],
        said["description"],
        licence=said["license"].removeprefix("https://spdx.org/licenses/"),
    )


def of_zenodo() -> Said:
    said = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    creators = [each["name"] for each in said["creators"]]
    return Said(creators, said["keywords"], said["version"], said["description"], said["title"], said["license"])


def of_pyproject() -> Said:
    authors = [each["name"] for each in PROJECT["authors"]]
    return Said(authors, PROJECT["keywords"], dpbandits.__version__, licence=PROJECT["license"])


def of_article() -> Said:
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    (tags,) = re.findall(r"^tags:\n((?:  - .*\n)+)", text, re.MULTILINE)
    return Said(re.findall(r"^  - name: (.*)\n    affiliation", text, re.MULTILINE), re.findall(r"- (.*)", tags))


def test_all_files_say_the_same_of_the_project() -> None:
    files = [of_citation(), of_codemeta(), of_zenodo(), of_pyproject()]
    for field in Said._fields:
        said = [getattr(each, field) for each in files if getattr(each, field) is not None]
        assert len(said) >= 2
        assert all(each == said[0] for each in said), (field, said)
    article = of_article()
    assert article.authors == files[0].authors
    assert {*article.keywords} - {"Python"} < {*files[0].keywords}


def test_the_article_has_the_sections_and_references_that_its_journal_asks_for() -> None:
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert re.findall(r"^# (.*)$", text, re.MULTILINE) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "References",
    ]
    assert 750 <= len(text.split("# Summary")[1].split()) <= 1750
    references = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    assert {*re.findall(r"@(\w+)", text)} == {*re.findall(r"^@\w+\{(\w+),", references, re.MULTILINE)}


def test_the_articles_numbers_are_those_of_ledger_and_table() -> None:
    text = " ".join((ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split())
    assert f"contains {number_word(len(paper_keys()))} papers" in text
    (claims,) = re.findall(r"some (\d+) of their claims", text)
    assert abs(int(claims) - len(ledger().by_id)) < 20
    rows = json.loads((ROOT / "implementations" / "results.json").read_text(encoding="utf-8"))["implementations"]
    counted = (len(rows), len({row["library"] for row in rows}), sum(row["verdict"] == "REFUTED" for row in rows))
    said = re.findall(r"comparison of (\d+) policies and mechanisms of (\d+) public .*? found (\d+) that", text)
    assert [tuple(map(int, numbers)) for numbers in said] == [counted]


def test_the_recipe_and_codemeta_ask_for_what_the_package_asks_for() -> None:
    recipe = (ROOT / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    run_part = recipe[recipe.index("  run:\n") : recipe.index("  run_constraints:")]
    asked = {re.sub(r"\s", "", line.removeprefix("    - ")) for line in run_part.splitlines()[1:]}
    assert asked == {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    meta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert meta["softwareRequirements"] == PROJECT["dependencies"]


def test_the_authors_of_each_paper_can_answer() -> None:
    """A row for each paper, in which the ledger's name of it can be found, and no file of a paper that is not there."""
    text = (ROOT / "authors" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| .+ \|$", text.split("## Papers")[1], re.MULTILINE)
    assert rows == ["name", *sorted(paper_keys())]
    assert {path.stem for path in (ROOT / "authors").glob("*.md")} <= {"README", *paper_keys()}


# -- workflows ---------------------------------------------------------------------------------------------------------


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def called(text: str) -> Iterator[str]:
    """The targets that a workflow makes, those of its matrix included."""
    for line in re.findall(r"(?:run|command): (.*)$", text, re.MULTILINE):
        yield from re.findall(r"make ([a-z-]+)", line)
    for row in re.findall(r"^ *target: \[(.*)\]$", text, re.MULTILINE):
        yield from row.split(", ")


def test_workflows_make_what_the_makefile_has() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
    assert set(texts) == {"test.yml", "nightly.yml", "release.yml"}
    for name, text in texts.items():
        made = set(called(text))
        assert made, name
        assert made <= targets(), name
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (jobs,) = re.findall(r'^jobs="(.*)"$', run, re.MULTILINE)
    ci = {*jobs.split(), *re.findall(r"^make ([a-z-]+)$", run, re.MULTILINE)}
    assert {"test", "planted", "audit", "site"} <= ci
    assert ci <= set(called(texts["test.yml"]))


def test_the_container_installs_what_make_proofs_installs() -> None:
    (packages,) = re.findall(r"^COQ := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert f" {packages} " in (ROOT / "Containerfile").read_text(encoding="utf-8")


# -- the site ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of the example's findings, with documentation of one page."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("index", "tutorials/audit_a_policy", "how-to/thompson", "how-to/compare", "contributing/libraries"):
        page = folder / "docs" / f"{name}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("<p id='here'>documentation</p>", encoding="utf-8")
    SITE["build"](folder / "docs", EXAMPLE, folder / "site")
    return folder / "site"


def test_a_site_has_a_page_for_each_claim_and_no_broken_link(site: Path) -> None:
    kept: dict[str, Any] = json.loads((site / "claims.json").read_text(encoding="utf-8"))
    findings = json.loads(EXAMPLE.read_text(encoding="utf-8"))["findings"]
    assert [(each["id"], each["verdict"]) for each in kept["claims"]] == [
        (each["id"], each["verdict"]) for each in findings
    ]
    assert len(kept["claims"]) > 10
    for each in kept["claims"]:
        assert (site / each["page"]).is_file()
    assert list(SITE["broken_links"](site)) == []
    assert (site / "badges" / "hu25.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_command_writes_the_same_site_without_documentation_and_badges(site: Path, tmp_path: Path) -> None:
    """claims.json and all pages of the report are the same, and no link leads nowhere. It writes over a former site,
    here one of fewer files, an old page and one that is no longer made, and not over other files."""
    out = Path(shutil.copytree(site, tmp_path / "site", ignore=shutil.ignore_patterns("docs", "badges", "papers")))
    for name in ("index.html", "former.html"):
        (out / "report" / name).write_text("old", encoding="utf-8")
    done = CliRunner().invoke(main, ["report", str(EXAMPLE), "--site", str(out)])
    assert done.exit_code == 0, done.output
    assert (out / "claims.json").read_bytes() == (site / "claims.json").read_bytes()
    files = {path.relative_to(site / "report"): path.read_bytes() for path in sorted((site / "report").rglob("*.*"))}
    assert {
        path.relative_to(out / "report"): path.read_bytes() for path in sorted((out / "report").rglob("*.*"))
    } == files
    assert list(SITE["broken_links"](out)) == []
    assert not (out / "docs").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.txt").write_text("mine", encoding="utf-8")
    for arguments, said in (
        (("--site", str(tmp_path / "mine")), "is not a site that dpbandits wrote"),
        (("--site", str(out), "--out", "x.html"), "--out cannot be combined with --site"),
        (("--docs", str(tmp_path)), "--docs can only be used with --site"),
    ):
        refused = CliRunner().invoke(main, ["report", str(EXAMPLE), *arguments])
        assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    assert (tmp_path / "mine" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_a_badge_counts_distinct_errors_without_gaps_in_proofs_and_misprints(site: Path) -> None:
    findings = json.loads(EXAMPLE.read_text(encoding="utf-8"))["findings"]
    own = [each for each in findings if each["paper"] == "ou24"]
    refuted = [each for each in own if each["verdict"] == "REFUTED"]
    grave = [each for each in refuted if each["harm"] == "the guarantee that a user relies on fails"]
    errors = {each["same_error_as"] or each["id"] for each in grave}
    assert 1 < len(errors) < len(grave) < len(refuted)
    badge = json.loads((site / "badges" / "ou24.json").read_text(encoding="utf-8"))
    assert badge["message"] == f"{len(own)} claims checked, {len(errors)} errors"


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("report/nowhere.html", "is no file of the site"),
        ("docs/index.html#nowhere", "names no place of that page"),
        ("#nowhere", "names no place of that page"),
        ("/report/index.html", "is not relative"),
    ],
)
def test_a_broken_link_is_found(site: Path, link: str, fault: str) -> None:
    page = site / "planted.html"
    page.write_text(f'<a href="{link}">x</a><a href="docs/index.html#here">y</a>', encoding="utf-8")
    try:
        assert list(SITE["broken_links"](site)) == [f"planted.html: {link} {fault}"]
    finally:
        page.unlink()


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit, match="is not a site that dpbandits wrote"):
        SITE["build"](tmp_path, EXAMPLE, tmp_path)
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
