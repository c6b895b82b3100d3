"""The help of every command fits 80 columns, uncut, and groups the options that it has."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.options import REST, GroupedCommand

GROUPED = 6  # commands have that many options


def every_command(group: click.Group, *path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, name
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from every_command(command, *path, name)


COMMANDS = [("", main), *every_command(main)]


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name or "dpbandits" for name, _ in COMMANDS])
def test_help_fits_80_columns_and_is_not_cut(name: str, command: click.Command) -> None:
    shown = CliRunner().invoke(main, [*name.split(), "--help"], env={"COLUMNS": "80"}).output
    options = [each for each in command.params if isinstance(each, click.Option)]
    for option in options:
        assert not option.expose_value or option.help, f"{name} {option.opts[0]}"
    assert all(each.opts[0] in shown for each in options)
    assert max(map(len, shown.splitlines())) <= 80
    if isinstance(command, click.Group):
        listed = shown.partition("Commands:")[2].partition("Examples:")[0]
        assert len(listed.split("\n\n")[0].strip().splitlines()) == len(command.list_commands(click.Context(command)))
        assert "..." not in listed


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name or "dpbandits" for name, _ in COMMANDS])
def test_options_are_grouped_and_listed_once(name: str, command: click.Command) -> None:
    options = [each for each in command.params if isinstance(each, click.Option)]
    if not isinstance(command, GroupedCommand):
        assert len(options) < GROUPED
        return
    known = {one for each in options for one in each.opts}
    grouped = [one for names in command.groups.values() for one in names]
    assert {*grouped} <= known
    assert len({*grouped}) == len(grouped)
    shown = CliRunner().invoke(main, [*name.split(), "--help"], env={"COLUMNS": "80"}).output
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [f"{heading}:" for heading in (*command.groups, REST)]
    assert shown.count("-h, --help") == 1
