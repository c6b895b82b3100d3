"""What stands beside the code: licence, citation, changelog, metadata, and the files that a wheel has besides modules.

That a wheel works by itself, `.ci/versions` holds: it takes minutes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from setuptools import Distribution

import dpbandits
from dpbandits import Verdict
from dpbandits.audit.cli.new_files import shipped
from dpbandits.audit.runner import documents

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEDGER = ROOT / "docs" / "ledger"
RECORDING = run_path(str(LEDGER / "record.py"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_licence_is_the_apache_licence_to_the_letter() -> None:
    """By the digest of the text that the Apache foundation publishes."""
    canonical = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    assert sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == canonical
    assert (PROJECT["license"], PROJECT["license-files"]) == ("Apache-2.0", ["LICENSE"])


def cited() -> Mapping[str, str]:
    """The plain fields at the top of CITATION.cff; that all of it is valid, cffconvert says in `.ci/versions`."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    return dict(re.findall(r'^([a-z-]+): "?([^">\n]+)"?$', text, re.M))


def test_the_citation_is_of_this_version() -> None:
    found = cited()
    assert {"cff-version", "message", "title", "version", "license", "type"} <= set(found)
    assert (found["version"], found["license"]) == (dpbandits.__version__, PROJECT["license"])
    (author,) = PROJECT["authors"]
    assert f"authors:\n  - name: {author['name']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_nothing_is_claimed_that_is_not_there() -> None:
    """No DOI, and no person's address. The project's own address: tests/test_release.py."""
    assert not set(cited()) & {"doi", "identifiers"}
    assert "@" not in json.dumps(PROJECT["authors"])


# -- the changelog, and what the ledger came to ------------------------------------------------------------------------


def entry(version: str) -> str:
    """The changelog's part about a version."""
    (found,) = re.findall(rf"^## {re.escape(version)}(?: \([\d-]+\))?\n(.*?)(?=^## |\Z)", CHANGELOG, re.M | re.S)
    return str(found)


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (\S+)(?: \([\d-]+\))?$", CHANGELOG, re.M)
    assert versions[0] == dpbandits.__version__
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize("path", sorted(LEDGER.glob("*.json")), ids=lambda path: path.stem)
def test_the_changelogs_numbers_are_those_of_the_record(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    kept = json.loads(text)
    assert kept["version"] == path.stem
    assert RECORDING["written"](kept) == text
    assert RECORDING["table"](kept) in entry(path.stem)
    assert {found["verdict"] for found in kept["findings"]} <= set(Verdict)
    assert kept["errors"] == []


def test_this_version_has_a_record() -> None:
    assert (LEDGER / f"{dpbandits.__version__}.json").is_file()


def test_a_record_keeps_what_a_diff_needs() -> None:
    from dpbandits.audit.runner.changes import compare_documents

    document = json.loads((ROOT / "reports" / "example" / "findings.json").read_text(encoding="utf-8"))
    kept = json.loads(RECORDING["written"](RECORDING["record"](document)))
    assert compare_documents(kept, document).changes == ()
    document["findings"][0]["summary"] += "!"
    (one,) = compare_documents(kept, document).changes
    assert (one.id, one.kinds) == (document["findings"][0]["id"], ("wording",))


# -- the wheel ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed() -> set[str]:
    """The files that setuptools installs besides modules, as pyproject.toml says, from the top of the tree."""
    found = set()
    with chdir(ROOT):
        distribution: Any = Distribution()
        distribution.parse_config_files(["pyproject.toml"])
        command = distribution.get_command_obj("build_py")
        command.ensure_finalized()
        command.manifest_files = {}  # nothing beyond the patterns
        for package in command.packages:
            folder = command.get_package_dir(package)
            found |= {Path(name).relative_to("src").as_posix() for name in command.find_data_files(package, folder)}
    return found


def test_whatever_is_copied_or_shown_is_in_the_wheel(installed: set[str]) -> None:
    folder = "dpbandits/shipped/examples/"
    assert {name.removeprefix(folder) for name in installed if name.startswith(folder)} == set(shipped())
    records = [f"shipped/records/{path.name}" for path in LEDGER.glob("*.json")]
    beside = [
        "shipped/experiments.json",
        "__init__.pyi",
    ]
    named = [*records, *beside]
    assert {f"dpbandits/{name}" for name in named} <= installed
    assert not [name for name in installed if "/out/" in name or "__pycache__" in name]


def test_what_stands_beside_modules_is_in_the_wheel(installed: set[str]) -> None:
    """Theorems and their statements, schemas, templates, vectors, and what explains an extension."""
    beside = [
        path.relative_to(ROOT)
        for folder in ("audit", "extensions", "proofs_checks", "reference", "reports")
        for path in (ROOT / folder).rglob("*.*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    ]
    made = [path for path in beside if path.parts[:2] in (("reports", "example"), ("reports", "out"))]
    needed = {f"dpbandits/{path.as_posix()}" for path in beside if path not in made}
    assert {Path(name).suffix for name in needed} >= {".v", ".txt", ".json", ".html", ".css", ".js", ".md"}
    assert needed <= installed, sorted(needed - installed)
    assert not {f"dpbandits/{path.as_posix()}" for path in made} & installed


def test_what_a_report_shows_of_experiments_is_what_the_checkout_has() -> None:
    found = documents.report_extras({"findings": [{"paper": "ou24"}]})
    assert found["replayed"] == json.loads((ROOT / "experiments" / "results.json").read_text(encoding="utf-8"))
    assert documents.report_extras({"findings": [{"paper": "chen24"}]}) == {"replayed": found["replayed"]}
    assert documents.report_extras({"findings": [{"paper": "skeleton"}]}) == {}  # of others there is nothing to say
