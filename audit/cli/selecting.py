"""Command-line options that select claims, and that add papers in other files to the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from dpbandits.audit.cli_shared.endings import as_trouble
from dpbandits.audit.cli_shared.options import NamedPath

if TYPE_CHECKING:
    from dpbandits.reference.claims.ledger import Ledger
    from dpbandits.reference.claims.model import Claim


def paged(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the option `--page FILE`, which may be repeated."""
    return click.option(
        "--page",
        "pages",
        multiple=True,
        type=NamedPath(),
        metavar="FILE",
        help="Add a page outside the ledger: a .py file or a package folder. May be repeated.",
    )(command)


def selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the option `--claims GLOB` and GLOB arguments to a command, which select claims.
    The option may be repeated. Claims of a `--page FILE` can be selected, too."""
    command = click.argument("more", nargs=-1, metavar="[GLOB]...")(paged(command))
    return click.option(
        "--claims", "globs", multiple=True, metavar="GLOB", help="The same as the argument GLOB. May be repeated."
    )(command)


def ledger_with(pages: tuple[str, ...]) -> Ledger:
    """Returns the ledger of a command: the registered papers and the modules given by --page."""
    from dpbandits.reference.claims import ledger as library

    with as_trouble():
        return library.open_ledger(pages) if pages else library.ledger()


def selected_claims(ledger: Ledger, globs: tuple[str, ...]) -> tuple[Claim, ...]:
    """The claims of the ledger that match the globs, as `selection.selected` finds them.
    A glob without a match ends the command."""
    from dpbandits.audit.runner.selection import selected

    with as_trouble():
        return selected(ledger, globs)
