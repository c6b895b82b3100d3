"""Checks before a release, and the project's address in all files: see RELEASING.md.

python release/release.py check [--tag v1.0.0]
python release/release.py address https://HOST/OWNER/dpbandits
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "https://example.org/dpbandits"
ACTION = "example/dpbandits@"  # how workflows name the action, in the same docs
PINNED = "docs/how-to/pytest_in_ci.md"  # workflows to copy, which pin a version
EXPLAINING = ("RELEASING.md", "release/release.py", "tests/test_release.py")  # they speak of the placeholder


def text(name: str) -> str:
    """The text of a file of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


def with_placeholder() -> list[str]:
    """The files of the checkout that name the placeholder as the project's address."""
    listed = subprocess.run(
        ["git", "grep", "--files-with-matches", "--fixed-strings", PLACEHOLDER],
        cwd=ROOT,
        text=True,
        capture_output=True,
    )
    if listed.returncode > 1:
        sys.exit(listed.stderr)
    return [name for name in listed.stdout.splitlines() if name not in EXPLAINING]


def version() -> str:
    """The version in the package, by which all other files are judged."""
    found = re.search(r'^__version__ = "([^"]+)"$', text("src/dpbandits/__init__.py"), re.MULTILINE)
    if found is None:
        sys.exit('src/dpbandits/__init__.py: no line __version__ = "..."')
    return found[1]


def citation(field: str) -> str:
    """A plain field of CITATION.cff, "" if it is missing."""
    found = re.search(rf'^{field}: "?([^"\n]+)"?$', text("CITATION.cff"), re.MULTILINE)
    return found[1] if found else ""


def is_date(said: str) -> bool:
    """Whether a text is a date as YYYY-MM-DD."""
    try:
        return date.fromisoformat(said).isoformat() == said
    except ValueError:
        return False


def faults(tag: str | None) -> Iterator[str]:
    """What keeps this checkout from being released, a sentence for each fault. tag: its git tag, if there is one."""
    current = version()
    if tag is not None and tag != f"v{current}":
        yield f"the tag is {tag}, and src/dpbandits/__init__.py says {current}: the tag must be v{current}"
    if citation("version") != current:
        yield f"CITATION.cff: version is {citation('version')!r}, not {current!r}"
    if not is_date(citation("date-released")):
        yield "CITATION.cff: a line date-released: YYYY-MM-DD is missing"
    for name in ("codemeta.json", ".zenodo.json"):
        said = json.loads(text(name)).get("version")
        if said != current:
            yield f"{name}: version is {said!r}, not {current!r}"
    heading = re.search(rf"^## {re.escape(current)}(?: \((.*)\))?$", text("CHANGELOG.md"), re.MULTILINE)
    dated = heading[1] if heading else None
    if dated and is_date(dated) and is_date(citation("date-released")) and dated != citation("date-released"):
        yield f"CITATION.cff: date-released is not {dated}, the date of the changelog"
    if heading is None:
        yield f"CHANGELOG.md: there is no section ## {current} (YYYY-MM-DD)"
    elif not is_date(heading[1] or ""):
        yield f"CHANGELOG.md: the section of {current} has no date: write ## {current} (YYYY-MM-DD)"
    if not (ROOT / "docs" / "ledger" / f"{current}.json").exists():
        yield f"docs/ledger/{current}.json is missing: run make ledger"
    recipe = re.search(r'^  version: "([^"]+)"$', text("release/conda/recipe.yaml"), re.MULTILINE)
    if recipe is None or recipe[1] != current:
        yield f"release/conda/recipe.yaml: version is not {current}"
    for other in dict.fromkeys(re.findall(r"dpbandits@v([\w.]+)|\$DPBANDITS@v([\w.]+)", text(PINNED))):
        if "".join(other) != current:
            yield f"{PINNED}: a workflow pins v{''.join(other)}, not v{current}"
    if "License :: " in str(tomllib.loads(text("pyproject.toml"))["project"]["classifiers"]):
        yield "pyproject.toml: the licence is an expression, and a classifier repeats it"
    for name in with_placeholder():
        yield f"{name}: still names {PLACEHOLDER}: python release/release.py address https://HOST/OWNER/dpbandits"


def write_address(address: str) -> None:
    """Put the project's address in place of the placeholder, and say where."""
    if not re.fullmatch(r"https://[\w.-]+(/[\w.~-]+)+", address):
        sys.exit(f"error: {address!r} is no address of a repository, such as https://HOST/OWNER/dpbandits")
    names = with_placeholder()
    if not names:
        sys.exit(f"error: no file names {PLACEHOLDER}: the address has been written before, see [project.urls]")
    repository = address.removeprefix("https://").partition("/")[2]
    for name in names:
        written = text(name).replace(PLACEHOLDER, address).replace(ACTION, f"{repository}@")
        (ROOT / name).write_text(written, encoding="utf-8")
        print(name)


def main() -> None:
    parser = argparse.ArgumentParser(description="Checks before a release: see RELEASING.md.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="list what keeps this checkout from being released")
    checking.add_argument("--tag", help="the git tag of the release, such as v1.0.0")
    addressing = commands.add_parser("address", help="write the project's address into all files that need it")
    addressing.add_argument("address", help="such as https://HOST/OWNER/dpbandits")
    options = parser.parse_args()
    if options.command == "address":
        write_address(options.address)
        return
    found = list(faults(options.tag))
    print("\n".join(found) or f"dpbandits {version()} can be released")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
