"""Failed audits as a CI shows them beside the code: a line each, with the file and line of the test."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

ASKED_BY = "GITHUB_ACTIONS"  # this environment variable is "true" where a CI reads such lines
ROOT_OF = "GITHUB_WORKSPACE"  # and this one names the folder from which it counts files


def is_asked_for(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a CI reads annotations in what is printed here."""
    return environment.get(ASKED_BY) == "true"


def annotation(
    title: str, message: str, file: Path, line: int | None, environment: Mapping[str, str] = os.environ
) -> str:
    """The line that a CI shows beside the code. file: absolute; line: from 1, None for no line of it."""
    root = environment.get(ROOT_OF, "")
    place = file.relative_to(root) if root and file.is_relative_to(root) else file
    fields = {"file": place.as_posix(), **({} if line is None else {"line": str(line)}), "title": title}
    told = ",".join(f"{name}={in_a_field(value)}" for name, value in fields.items())
    return f"::error {told}::{on_one_line(message)}"


def on_one_line(text: str) -> str:
    """The text, with the escapes that the CI undoes."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def in_a_field(text: str) -> str:
    return on_one_line(text).replace(":", "%3A").replace(",", "%2C")
