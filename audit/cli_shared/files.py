"""What a command is given, and what it leaves: names of files that one can have, the JSON in them, numbers; and the
files that options name, a row an option, with what each is made of.

Whose maker takes a findings document is an option of `check`, and of `audit` unless a run's folder has it already.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from errno import EDQUOT, EFBIG, ENOSPC
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import click

from dpbandits.audit.cli_shared.endings import Trouble, printable

MAX_JSON_BYTES = 16_000_000  # bytes of a file that is read
WRITE_REMEDIES = {  # the remedy, where another place on the same disk is none
    ENOSPC: "make room, or choose a place on another disk",
    EDQUOT: "make room, or choose a place on another disk",
    EFBIG: "this process may write no file so large: raise that limit (ulimit -f)",
}
DEFAULT_OUT = Path("dpbandits-report")  # where `audit` writes, unless it is told otherwise


class NamedPath(click.Path):
    """A path that is not empty: Path('') would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip() or "\0" in str(value):
            self.fail("the name is empty or is not a valid file name; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


FILE = NamedPath(path_type=Path)


def write_trouble(path: Path, what: str, error: OSError, remedy: str) -> Trouble:
    """Why something could not be written there, with the remedy."""
    place = printable(error.filename2 or error.filename or path)
    return Trouble(
        f"{place}: cannot write {what} ({error.strerror or error}); {WRITE_REMEDIES.get(error.errno or 0, remedy)}"
    )


def loaded(path: Path) -> Any:
    """The JSON in a file; every way in which there is none is an error that names the file and a remedy."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would keep us waiting, /dev/zero never end
            raise Trouble(f"{printable(path)}: is not a regular file; save its content to a file and give that file")
        with path.open("rb") as file:
            content = file.read(MAX_JSON_BYTES + 1)
        if len(content) > MAX_JSON_BYTES:
            raise Trouble(
                f"{printable(path)}: more than {MAX_JSON_BYTES // 10**6} MB; pass a file that dpbandits wrote"
            )
        return json.loads(content.decode("utf-8"), object_pairs_hook=reject_repeated_keys, parse_constant=no_number)
    except OSError as error:
        remedy = "pass a file of it, such as its findings.json" if path.is_dir() else "check the path"
        raise Trouble(f"{printable(path)}: cannot be read ({error.strerror}); {remedy}") from None
    except UnicodeDecodeError as error:
        raise Trouble(
            f"{printable(path)}: not UTF-8 at byte {error.start}; pass the file that dpbandits wrote"
        ) from None
    except json.JSONDecodeError as error:
        raise Trouble(
            f"{printable(path)}: invalid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "correct it there, or let dpbandits write the file again"
        ) from None
    except ValueError as error:
        raise Trouble(
            f"{printable(path)}: invalid JSON ({str(error)[:200]}); pass the file that dpbandits wrote"
        ) from None
    except RecursionError:
        raise Trouble(
            f"{printable(path)}: JSON nested too deeply to be read; pass the file that dpbandits wrote"
        ) from None


def reject_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, none of whose keys stands twice: else a reader and a program see two different files."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise ValueError(f"the key {twice!a} occurs twice in an object")
    return made


def no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


class WholeOption(click.IntRange):
    """A whole number in a range, written in digits."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            int(value)
        except ValueError:
            self.fail(f"{str(value)[:60]!r} is not an integer of at most 4300 digits{remedy(value)}", param, ctx)
        return super().convert(value, param, ctx)


def remedy(value: Any) -> str:
    """How to write what was meant, where that can be told."""
    try:
        meant = float(value)
    except ValueError:
        meant = 0.5
    return f": write {meant:.0f}" if meant.is_integer() and abs(meant) < 2**53 else ", such as 1000"


class NumberOption(click.FloatRange):
    """A number in a range."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            known = not isnan(float(value))
        except ValueError:
            known = False
        if not known:
            self.fail(f"{str(value)[:60]!r} is not a number; write, for example, 1e-6 or 0.5", param, ctx)
        return super().convert(value, param, ctx)


def html_text(document: dict[str, Any], about: str) -> str:
    from dpbandits.audit.runner import documents

    return documents.page(document)


def json_text(document: dict[str, Any], about: str) -> str:
    from dpbandits.audit.runner import documents

    return documents.serialised(document)


def junit_text(document: dict[str, Any], about: str) -> str:
    from dpbandits.audit.runner.junit import as_junit

    return as_junit(document, about)


class Output(NamedTuple):
    """What an option writes. word: for messages. kind: what a file that is there already has to be, as of
    `store.claim_file`. text: its content, of a findings document and of what that is about, with help for the option;
    None where a command makes it of something else. of_folder: whether `audit --out` writes it as well."""

    word: str
    kind: str = "file"
    text: Callable[[dict[str, Any], str], str] | None = None
    help: str = ""
    of_folder: bool = False


OUTPUTS = {  # options that write a file, as they are typed; an extension's command may have others
    "--html": Output("report", "report", html_text, "Write a report as one HTML page.", of_folder=True),
    "--json": Output("findings", "findings", json_text, "Write the findings as JSON.", of_folder=True),
    "--junit": Output("junit", "file", junit_text, "Write JUnit XML, for the display of a CI."),
    "--picture": Output("picture"),
}


def output_options(beside_folder: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options that write a findings document to a file; beside a run's folder, only what is not in that."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option, output in reversed(OUTPUTS.items()):
            if output.text is not None and not (beside_folder and output.of_folder):
                command = click.option(option, type=FILE, metavar="FILE", help=output.help)(command)
        return command

    return add


def asked_outputs(given: Mapping[str, Any], outputs: Mapping[str, Output] = OUTPUTS) -> dict[str, Path]:
    """The files that are asked for, by their options. given: values of a command's parameters, others among them.
    outputs: what these options write."""
    named = {f"--{name}": file for name, file in given.items()}
    return {option: file for option, file in named.items() if option in outputs and file is not None}


def claim_outputs(files: Mapping[str, Path], outputs: Mapping[str, Output] = OUTPUTS) -> None:
    """Refuses files that are none of ours or cannot be made, and one file for two options, before anything is computed.
    files: by their options. outputs: what these options write."""
    from dpbandits.audit.runner import store

    if len({path.absolute() for path in files.values()}) < len(files):
        raise click.UsageError(f"{', '.join(files)}: two options name the same file; name different files")
    for option, path in files.items():
        try:
            store.claim_file(path, kind=outputs[option].kind)
            store.probe_folder(path)
        except store.Refused as refused:
            raise Trouble(f"{option}: {refused}") from None
        except OSError as error:
            raise unwritten_output(option, path, error, outputs) from None


def unwritten_output(option: str, path: Path, error: OSError, outputs: Mapping[str, Output]) -> Trouble:
    """Why the file of an option could not be written."""
    return write_trouble(path, f"the {outputs[option].word}", error, f"choose another file with {option}")


def write_output(
    option: str, path: Path, text: str, aside: bool = False, outputs: Mapping[str, Output] = OUTPUTS
) -> None:
    """Writes a file and says so; aside, on the standard error, where the standard output is data. outputs: what options
    write."""
    from dpbandits.audit.runner import store

    try:
        store.write_whole(path, text)
    except OSError as error:
        raise unwritten_output(option, path, error, outputs) from None
    click.echo(f"{outputs[option].word}: {printable(path)}", err=aside)


def document_texts(document: dict[str, Any], about: str) -> dict[str, Callable[[], str]]:
    """What each option that writes a findings document would write. about: what was looked at."""
    return {option: partial(output.text, document, about) for option, output in OUTPUTS.items() if output.text}


def write_outputs(
    files: Mapping[str, Path],
    texts: Mapping[str, Callable[[], str]],
    aside: bool = False,
    outputs: Mapping[str, Output] = OUTPUTS,
) -> None:
    """Writes all files that can be written, before an error tells of one that cannot. files, texts, outputs: by
    options."""
    troubles = list[Trouble]()
    for option, path in files.items():
        try:
            write_output(option, path, texts[option](), aside, outputs)
        except Trouble as trouble:
            troubles.append(trouble)
    if troubles:
        raise troubles[0]
