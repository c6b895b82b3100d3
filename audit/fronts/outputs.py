"""The files that commands write where an option names one: a row an option, with what its file is made of.

Whose maker takes a findings document is an option of `check`, and of `audit` unless a run's folder has it already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from dpbandits.audit.fronts.endings import Trouble, printable
from dpbandits.audit.fronts.files import FILE, write_trouble


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


OUTPUTS = {  # every option that writes a file, as it is typed; those of `compare` are its own
    "--html": Output("report", "report", html_text, "Also write a report, one page.", of_folder=True),
    "--json": Output("findings", "findings", json_text, "Also write a findings.json.", of_folder=True),
    "--junit": Output("junit", "file", junit_text, "Also write JUnit's XML, for a CI's display."),
    "--badge": Output("badge", "badge"),
    "--picture": Output("picture"),
    "--certificate": Output("certificate", "certificate"),
    "--ceiling": Output("ceiling", "certificate"),
}


def output_options(beside_folder: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds the options that write a findings document to a file; beside a run's folder, only what is not in that."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option, output in reversed(OUTPUTS.items()):
            if output.text is not None and not (beside_folder and output.of_folder):
                command = click.option(option, type=FILE, metavar="FILE", help=output.help)(command)
        return command

    return add


def asked_outputs(given: Mapping[str, Any]) -> dict[str, Path]:
    """The files that are asked for, by their options. given: values of a command's parameters, others among them."""
    named = {f"--{name}": file for name, file in given.items()}
    return {option: file for option, file in named.items() if option in OUTPUTS and file is not None}


def claim_outputs(files: Mapping[str, Path], outputs: Mapping[str, Output] = OUTPUTS) -> None:
    """Refuses files that are none of ours or cannot be made, and one file for two options, before anything is computed.
    files: by their options. outputs: what these options write."""
    from dpbandits.audit.runner import store

    if len({path.absolute() for path in files.values()}) < len(files):
        raise click.UsageError(f"{', '.join(files)}: one file cannot hold two of them; name others")
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
