"""Scripts and issue texts for the maintainers of libraries: `table.py --repro FOLDER` writes them."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from page import item, wrapped
from rows import REFUTED

SCRIPTS = Path(__file__).parent / "repro"
FENCE = "```"
TEXT = """# {title}

## Expected

{expected}

## What happens

{happens}
{known}
{fence}text
{output}
{fence}

## Who is affected

{cost}

## Versions

{version}, and what `pip install {requirement} numpy` installs with it.

## Script

It needs the library and numpy only, and ends with status 1 as long as the difference is there:

{fence}python
{script}{fence}
"""


def title_of(script: str) -> str:
    """The title of an issue: the first line of the script's docstring, without the full stop."""
    return (ast.get_docstring(ast.parse(script)) or "").splitlines()[0].rstrip(".")


def issue_text(row: Mapping[str, Any], script: str) -> str:
    """The text of an issue, as Markdown. row: of `results.json`. script: its text."""
    fence = FENCE
    while fence in script or fence in row["script_output"]:
        fence += "`"
    expected = f"`{row['policy']}` is specified as: {row['claims']}. Source: {row['departs_from']}."
    cost = f"{row['cost'][:1].upper()}{row['cost'][1:]}."
    known = f"\nThis may be the same as <{row['upstream']}>.\n" if row["upstream"] else ""
    return TEXT.format(
        title=f"{row['library']}: {title_of(script)}", expected=wrapped(expected),
        happens=wrapped(f"{row['differs'][:1].upper()}{row['differs'][1:]}."), known=known, fence=fence,
        cost=wrapped(cost),
        output=row["script_output"], version=f"{row['library']} {row['version']}",
        requirement=f"{row['library']}=={row['version']}", script=script,
    )  # fmt: skip


def write_issues(rows: Sequence[Mapping[str, Any]], folder: Path) -> list[str]:
    """Writes a script and an issue text for each refuted row that has a script. Returns the lines of a list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = []
    for row in rows:
        if row["verdict"] != REFUTED or not row["script"]:
            continue
        source = SCRIPTS / row["script"]
        text = folder / source.with_suffix(".md").name
        shutil.copyfile(source, folder / source.name)
        text.write_text(issue_text(row, source.read_text(encoding="utf-8")), encoding="utf-8")
        listed.append(item(f"{row['library']}, {row['policy']}: {text}"))
    return listed
