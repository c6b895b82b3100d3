"""The command `dpbandits`, whose subcommands are loaded when they are used.

Exit status: 0 if everything is as expected; 1 for an unexpected verdict, or a certificate that is rejected or not about
its claim; 2 for errors, also if there is an unexpected verdict. Ctrl-C gives 130, SIGTERM 143, and a closed output pipe
141. For `diff`, 1 means that something changed.
"""

from __future__ import annotations

from importlib import import_module

import click

from dpbandits import registry
from dpbandits.audit.cli_shared import endings

COMMANDS = {  # each is loaded when somebody asks for it: its module here, and its name there
    "audit": ("auditing", "audit"),
    "claims": ("showing", "claims"),
    "diff": ("history", "diff"),
    "examples": ("new_files", "examples"),
    "history": ("history", "history"),
    "new": ("new_files", "new"),
    "report": ("reporting", "report"),
    "show": ("showing", "show"),
    "verify": ("verifying", "verify"),
}


class Commands(endings.Guarded):
    """The commands in `COMMANDS`, and those of extensions."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, including those of extensions, in alphabetical order."""
        return sorted({*COMMANDS, *registry.added().commands})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of this name, imported now; None if there is none."""
        if name in COMMANDS:
            file, function = COMMANDS[name]
            command: click.Command = getattr(import_module(f"dpbandits.audit.cli.{file}"), function)
            return command
        if (added := registry.added().commands.get(name)) is not None:
            command = registry.loaded(added)
            return command
        return None


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=endings.example_lines(
        "dpbandits audit 'ou24/theorem-7*'",
        "dpbandits check --reference ou24.ThompsonSampling -- ./my_policy",
        "dpbandits privacy thompson --horizon 100 --delta 1e-6 --arms 2",
    ),
)
@click.version_option(package_name="dpbandits")
def main() -> None:
    """Check claims about differentially private bandits.

    `dpbandits COMMAND --help` describes a command, with examples."""
