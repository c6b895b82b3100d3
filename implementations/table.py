"""Compares policies and mechanisms of public libraries with reference policies and exact laws.

python implementations/table.py                   all libraries; writes results.json and a page of the docs
python implementations/table.py --only NAME ...   these libraries; the rows of the others are kept
python implementations/table.py --repro FOLDER    no comparison: scripts and issue texts of all refuted rows
python implementations/table.py --page            no comparison: the page again, after texts of rows were changed

NAME: of a module in `adapters`. Each library is installed into an environment of its own. Exit status 1 if a verdict is
unexpected: a known difference that is gone, an unknown one, or an exception. A library that cannot be installed is
reported in its rows, and changes nothing else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import adapters
from environments import CannotInstall, pinned_version, python_of
from issue_texts import write_issues
from page import counted_minutes, minutes_of, page, words
from rows import NOT_INSTALLED, is_unexpected, not_run, validate_row

HERE = Path(__file__).parent

LIMIT_SECONDS = 3600  # for the comparisons of one library
INSTALL_SECONDS = 15  # for one library, roughly, where packages are downloaded quickly
TEXTS = ("claims", "reference", "differs", "departs_from", "cost", "undecided", "script", "upstream")
Rows = list[Any]


class Places(NamedTuple):
    """The table, and the page of the docs that shows it."""

    results: Path = HERE / "results.json"
    page: Path = HERE.parent / "docs" / "contributing" / "libraries.md"


def stored_rows(results: Path) -> Rows:
    """The rows of the last run; none if there was none."""
    if not results.exists():
        return []
    return list(json.loads(results.read_text(encoding="utf-8"))["implementations"])


def rows_of(name: str) -> Rows:
    """The rows of one library, compared again in its environment."""
    module = adapters.module(name)
    version = pinned_version(name, module.LIBRARY)
    try:
        python = python_of(name)
    except CannotInstall as reason:
        print(f"  cannot be installed: {reason}", flush=True)
        return [not_run(module.LIBRARY, version, row, str(reason), NOT_INSTALLED) for row in module.ROWS]
    with tempfile.TemporaryDirectory() as folder:
        file, why = Path(folder) / "rows.json", ""
        command = [str(python), str(HERE / "compare.py"), name, str(file)]
        try:
            ended = subprocess.run(command, check=False, timeout=LIMIT_SECONDS, stdout=subprocess.DEVNULL)
            why = f"the comparison ended with status {ended.returncode}" if ended.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"the comparisons took more than {LIMIT_SECONDS} seconds"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
    made = [json.loads(line) for line in text.splitlines()]
    return made + [not_run(module.LIBRARY, version, row, why) for row in module.ROWS[len(made) :]]


def with_texts(rows: Rows) -> Rows:
    """The rows in the order of the adapters, with their present texts. Rows without an adapter are dropped."""
    found = {(row["library"], row["policy"]): row for row in rows}
    made = []
    for module in map(adapters.module, adapters.NAMES):
        for row in module.ROWS:
            if (module.LIBRARY, row.policy) in found:
                made.append(found[module.LIBRARY, row.policy] | {name: getattr(row, name) for name in TEXTS})
    return made


def estimate(names: Sequence[str], known: Rows) -> str:
    """How long a run takes, from the seconds of the last one."""
    libraries = {adapters.module(name).LIBRARY for name in names}
    minutes = minutes_of([row for row in known if row["library"] in libraries])
    many = "a library" if len(names) == 1 else f"{len(names)} libraries, one after the other"
    install = counted_minutes(max(1, round(INSTALL_SECONDS * len(names) / 60)))
    return f"comparing {many}: about {minutes}, and about {install} to install the first time"


def write(rows: Rows, places: Places) -> None:
    """Writes the table and the page of the docs."""
    for row in rows:
        validate_row(row)
    written = {"words": words(rows), "implementations": rows}
    places.results.write_text(json.dumps(written, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    places.page.write_text(page(rows), encoding="utf-8")


def main(arguments: Sequence[str] | None = None, places: Places | None = None) -> int:
    places = places or Places()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=adapters.NAMES, metavar="NAME", default=list(adapters.NAMES))
    parser.add_argument("--repro", type=Path, metavar="FOLDER")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args(arguments)
    known = stored_rows(places.results)
    if given.page:
        write(with_texts(known), places)
        return 0
    if given.repro is not None:
        print("\n".join(write_issues(known, given.repro)))
        return 0
    print(estimate(given.only, known), flush=True)
    kept = {name: [row for row in known if row["library"] == adapters.module(name).LIBRARY] for name in adapters.NAMES}
    for name in given.only:
        print(adapters.module(name).LIBRARY, flush=True)
        kept[name] = rows_of(name)
        write([row for each in kept.values() for row in each], places)
    unexpected = [row for name in given.only for row in kept[name] if is_unexpected(row)]
    for row in unexpected:
        print(f"unexpected: {row['library']}, {row['policy']}: {row['verdict']}. {row['evidence']}")
    return int(bool(unexpected))


if __name__ == "__main__":
    sys.exit(main())
