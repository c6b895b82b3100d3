"""`dpbandits ... | head -1`: whoever has read enough closes the pipe, and the command ends without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits.audit.cli_shared import endings
from dpbandits.audit.cli_shared.endings import UNREAD

EXAMPLE = Path(__file__).parents[1] / "reports" / "example"
CERTIFICATE = sorted((EXAMPLE / "certificates").glob("*.json"))[0]


def unread(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command, with an output that nobody reads from the start."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "dpbandits", *map(str, arguments)]
    try:
        return subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)


COMMANDS = (
    ("--help",),
    ("--version",),
    ("claims",),
    ("claims", "--json", "ou24/*"),
    ("audit", "--plan", "ou24/eq-*"),
    ("check", "--help"),
    ("diff", EXAMPLE / "findings.json", EXAMPLE / "findings.json"),
    ("privacy", "thompson", "--horizon", 3, "--delta", 0.1, "--arms", 2),
    ("verify", CERTIFICATE),
)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(str, arguments[:2]))[:20])
@pytest.mark.first(1)
def test_a_closed_pipe_ends_a_command_quietly(arguments: tuple[object, ...]) -> None:
    done = unread(*arguments)
    assert (done.returncode, done.stderr) == (UNREAD, "")


@pytest.mark.thorough
def test_commands_that_write_files_have_written_them(tmp_path: Path) -> None:
    """What a command does is done before it speaks."""
    report = unread("report", EXAMPLE / "findings.json", "--out", tmp_path / "index.html")
    begun, shown = unread("new", "doe26", "--folder", tmp_path), unread("examples", tmp_path / "examples")
    assert [each.returncode for each in (report, begun, shown)] == [UNREAD] * 3
    assert {path.name for path in tmp_path.iterdir()} >= {"index.html", "doe26", "examples"}


def test_another_pipe_that_breaks_is_an_error() -> None:
    """A program that went away, say: that is no reader of ours, and must not pass for one."""
    with pytest.raises(endings.Trouble, match="internal error"), endings.convert_to_trouble():
        raise BrokenPipeError(32, "Broken pipe")
