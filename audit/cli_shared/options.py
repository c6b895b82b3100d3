"""Types of click options, each with a remedy in its error, and commands whose help lists the options in groups."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

import click

DEFAULT_OUT = Path("dpbandits-report")  # where `audit` writes, unless it is told otherwise

MAX_NAME_BYTES = 255  # of a file or folder, on all common file systems
REST = "Other options"  # the heading of options that belong to no group


class NamedPath(click.Path):
    """A path to a file. The empty path is refused, because it would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the option's value as a path. Fails for an empty, invalid or too long name."""
        if not str(value).strip() or "\0" in str(value):
            self.fail("the name is empty or is not a valid file name; name a file or folder", param, ctx)
        if long := next((part for part in Path(str(value)).parts if len(os.fsencode(part)) > MAX_NAME_BYTES), None):
            self.fail(
                f"{long[:40]}...: this name has {len(os.fsencode(long))} bytes; use at most {MAX_NAME_BYTES}",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


FILE = NamedPath(path_type=Path)


class WholeOption(click.IntRange):
    """An integer in a range, written in digits."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the option's value as an integer. Fails for other text, with a suggestion."""
        try:
            int(value)
        except ValueError:
            self.fail(f"{str(value)[:60]!r} is not an integer of at most 4300 digits{remedy(value)}", param, ctx)
        return super().convert(value, param, ctx)


def remedy(value: Any) -> str:
    """Returns advice for a text that is no integer: ": write 1000" for "1e3", otherwise ", such as 1000"."""
    try:
        meant = float(value)
    except ValueError:
        meant = 0.5
    return f": write {meant:.0f}" if meant.is_integer() and abs(meant) < 2**53 else ", such as 1000"


class NumberOption(click.FloatRange):
    """A number in a range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns the option's value as a float. Fails for other text and for nan."""
        try:
            known = not isnan(float(value))
        except ValueError:
            known = False
        if not known:
            self.fail(f"{str(value)[:60]!r} is not a number; write, for example, 1e-6 or 0.5", param, ctx)
        return super().convert(value, param, ctx)


class GroupedCommand(click.Command):
    """A command whose help lists its options under headings.

    groups: the options of each heading, as they are typed. Options that belong to no group are listed last.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
        """Makes a command whose options are listed in groups."""
        super().__init__(*arguments, **settings)
        self.groups = dict(groups)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one section for each group."""
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*self.groups, REST)}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)) is not None:
                rows[self.heading(parameter)].append(record)
        for heading, records in rows.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def heading(self, parameter: click.Parameter) -> str:
        """Returns the heading of the help text under which an option is listed."""
        return next((heading for heading, names in self.groups.items() if {*names} & {*parameter.opts}), REST)
