"""The pages of the documentation, taken apart: blocks of code in their order, links, headings, paragraphs.

Conventions, for whoever writes a page:

- A `pycon` block is a doctest; those of a page share their names, in order.
- A `console` block has lines `$ dpbandits ...`, which must parse. With a line `% run` (MyST) or `<!-- run -->` above
  it, its commands are run, and each line below a command must be printed: "..." stands for anything.
- A `python` block must compile, and find what it imports. One whose first line is a comment with a file's name,
  `# test_mine.py`, is written to that file, for the commands that are run.
- A `yaml` block parses.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RUN = re.compile(r"^(?:% run|<!-- run -->)\s*$")
FILE = re.compile(r"# ([\w./-]+\.\w+)\s*\n")


class Block(NamedTuple):
    """A fenced block: its language, its text, the line of the page on which the text begins, and whether it is run."""

    language: str
    text: str
    line: int
    run: bool

    @property
    def file(self) -> str:
        """The name of the file that a python block is to be written to; "" for none."""
        named = FILE.match(self.text)
        return named[1] if named and self.language == "python" else ""


class Command(NamedTuple):
    """A line behind `$ `, and the lines that it is said to print."""

    line: str
    shown: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """The first program's words: what follows a pipe, or where the output goes, is the shell's."""
        lexer = shlex.shlex(self.line, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, "#"
        taken: list[str] = []
        for word in lexer:
            if set(word) <= set("|&;<>()"):
                break
            taken.append(word)
        return taken


def pages() -> list[Path]:
    """All pages: those of docs, those at the root of the tree, and one that is installed with the package."""
    written = (path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
    return sorted((*written, *ROOT.glob("*.md"), ROOT / "examples" / "wire_protocol.md"))


def notebooks() -> list[Path]:
    return sorted(path for path in DOCS.rglob("*.ipynb") if not {"_build", ".ipynb_checkpoints"} & {*path.parts})


def tokens(path: Path) -> list[Token]:
    reader = MarkdownIt("commonmark").enable("table").use(front_matter_plugin).use(anchors_plugin, max_level=6)
    return reader.parse(path.read_text(encoding="utf-8"))


def blocks(path: Path) -> Iterator[Block]:
    lines = path.read_text(encoding="utf-8").splitlines()
    for token in tokens(path):
        if token.type == "fence" and token.map:
            above = next((line for line in reversed(lines[: token.map[0]]) if line.strip()), "")
            language = token.info.split()[0] if token.info.split() else ""
            yield Block(language, token.content, token.map[0] + 2, RUN.match(above.strip()) is not None)


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block, lines that a backslash continues put together."""
    text = re.sub(r"\\\n(?:> |\s*)", "", block.text)
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *shown = part.splitlines()
        yield Command(first.strip(), tuple(line.strip() for line in shown if line.strip()))


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Each paragraph with its line; no tables, no code, no items of MyST such as `(target)=`."""
    within = 0
    for token in tokens(path):
        within += {"table_open": 1, "table_close": -1}.get(token.type, 0)
        if token.type == "inline" and not within and token.map:
            yield token.map[0] + 1, re.sub(r"^(?:% .*|\([\w-]+\)=)$", "", token.content, flags=re.MULTILINE)


def links(path: Path) -> Iterator[tuple[int, str]]:
    """Where each link and each picture leads."""
    for token in tokens(path):
        for child in token.children or ():
            where = child.attrGet("href") or child.attrGet("src")
            if where:
                yield (token.map[0] + 1 if token.map else 0), str(where)


def table(path: Path, heading: str) -> list[list[str]]:
    """The rows of the first table below a heading, each its cells, without the marks of code."""
    text = path.read_text(encoding="utf-8")
    below = re.split(rf"^#+ {re.escape(heading)}\n", text, maxsplit=1, flags=re.MULTILINE)[1]
    rows = [line for line in below.splitlines()[: below[: below.find("\n#")].count("\n") + 1] if line.startswith("|")]
    return [[cell.strip().replace("`", "") for cell in row.strip("| ").split(" | ")] for row in rows[2:]]


def anchors(path: Path) -> set[str]:
    """The names of a page's places: its headings, as a forge names them, and MyST's own targets."""
    own = re.findall(r"^\(([\w-]+)\)=$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {*own, *(str(token.attrGet("id")) for token in tokens(path) if token.type == "heading_open")}
