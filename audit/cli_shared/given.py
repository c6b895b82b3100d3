"""The policy that a command line names: loaded from a file, and created with arms, horizon and parameters."""

from __future__ import annotations

import sys
from dataclasses import is_dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from runpy import run_path
from typing import Any

import click

from dpbandits.audit.cli_shared.endings import Trouble, traceback_frames
from dpbandits.reference.bandits.protocol import accepts_keywords

SHAPE = ("arms", "horizon")  # parameters that have options of their own


def make_policy(factory: Any, name: str, **arguments: Any) -> Any:
    """Calls a class or function with these arguments, and returns the object that it makes.
    Raises UsageError, with the name, for parameters that are missing, unknown or refused."""
    try:
        taken = signature(factory).parameters if isinstance(factory, type) and is_dataclass(factory) else {}
        free = [key for key, each in taken.items() if each.default is each.empty and key not in arguments]
        numbers = [key for key, each in taken.items() if key not in SHAPE and is_number_annotation(each.annotation)]
        said = [
            f"it needs {key}: give --parameter {key}=NUMBER"
            if key in numbers
            else f"it needs {key}, which is not a number, so it cannot be created on the command line"
            for key in free
        ]
        known = {*numbers, *SHAPE} & {*taken}
        if wrong := [key for key in arguments if taken and key not in known]:
            beside = (
                f"its parameters are {', '.join(numbers)}"
                if numbers
                else "it has no numeric parameters except arms and horizon"
            )
            said.append(f"it has no parameter {' or '.join(wrong)}; {beside}")
        if not said and not accepts_keywords(factory, *arguments):
            shown = ", ".join(f"{key}={value}" for key, value in arguments.items())
            said.append(
                f"it cannot be called with {shown}. For a class that plays one run, name a function such as "
                "def mine(arms, horizon): return from_object(..., arms=arms, horizon=horizon)"
            )
        if said:
            raise ValueError("; ".join(said))
        return factory(**arguments)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{name}: {error}") from None


def is_number_annotation(annotation: object) -> bool:
    """Whether a field's annotation, a name or a type, is that of a number."""
    return str(getattr(annotation, "__name__", annotation)).removesuffix(" | None") in ("int", "float")


def load_from_file(attribute: str, option: str = "--python") -> Any:
    """Loads the object that is named "FILE.py:NAME".
    A policy, or a function that makes one from arms and horizon. As long as the command runs, the file can import
    modules of its own folder. An exception in the file's code becomes an error that names the line. option: names it in
    errors."""
    file, _, name = attribute.rpartition(":")
    if not file or not Path(file).is_file():
        raise click.UsageError(f"{option} {attribute!r}: there is no file {file!r}; write FILE.py:NAME")
    if (folder := str(Path(file).resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
        click.get_current_context().call_on_close(partial(sys.path.remove, folder))
    try:
        module = run_path(file)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what is no Exception, such as SystemExit or pytest.fail's
        raise raised_in(file, error) or error from None
    if name not in module:
        raise click.UsageError(
            f"{option} {attribute!r}: {file} defines no {name!r}; write another NAME of FILE.py:NAME"
        )
    return module[name]


def raised_in(file: str, error: BaseException) -> Trouble | None:
    """Returns the error as a sentence with the line of the file that raised it; None if no line of this file did."""
    lines = [
        each.tb_lineno for each in traceback_frames(error.__traceback__) if each.tb_frame.f_code.co_filename == file
    ]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines = [error.lineno or 0]
    return Trouble(f"{file}:{lines[-1]}: {type(error).__name__}: {error}") if lines else None
