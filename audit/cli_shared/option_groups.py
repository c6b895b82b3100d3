"""Commands whose `--help` lists the options in groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

REST = "Other options"


class GroupedCommand(click.Command):
    """A command whose help lists its options under headings.

    groups: the options of each heading, as they are typed. Options that belong to no group are listed last.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **settings: Any) -> None:
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
        """The heading under which an option is listed."""
        return next((heading for heading, names in self.groups.items() if {*names} & {*parameter.opts}), REST)
