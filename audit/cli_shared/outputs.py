"""The output files of commands. Each row of the table OUTPUTS describes one format and the option that requests it.

Each format is made from a findings document. Its option exists for `check`, and for `audit` unless `audit` writes this
file anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from errno import EDQUOT, EFBIG, ENOSPC
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from dpbandits import registry
from dpbandits.audit.cli_shared.endings import Trouble, printable
from dpbandits.audit.cli_shared.options import FILE
from dpbandits.reference.claims.records import Document

WRITE_REMEDIES = {  # the remedy, where another place on the same disk is none
    ENOSPC: "make room, or choose a place on another disk",
    EDQUOT: "make room, or choose a place on another disk",
    EFBIG: "this process may write no file so large: raise that limit (ulimit -f)",
}


def write_trouble(path: Path, description: str, error: OSError, remedy: str) -> Trouble:
    """Returns the reason why a file could not be written there, with a remedy."""
    place = printable(error.filename2 or error.filename or path)
    return Trouble(
        f"{place}: cannot write {description} ({error.strerror or error}); "
        f"{WRITE_REMEDIES.get(error.errno or 0, remedy)}"
    )


class Output(NamedTuple):
    """One output format and its option.

    word: names the file in messages. kind: of a file that may be overwritten, as in `store.check_file`. text: names the
    function, "package.module:name", that makes the content from a findings document; "" if a command makes the content
    from other data. named: whether this function also gets the name of the run. help: of the option. of_folder: whether
    `audit --out` also writes the file. mark: bytes near the beginning of every such file, by which a later run knows
    that it may overwrite it; not needed for the kinds that `store` knows.
    """

    word: str
    kind: str = "file"
    text: str = ""
    help: str = ""
    named: bool = False
    of_folder: bool = False
    mark: bytes = b""


OUTPUTS = {  # options that write a file, as they are typed; an extension's command may have others
    "--html": Output(
        "report", "report", "dpbandits.reports:render", "Write a report as one HTML page.", of_folder=True
    ),
    "--json": Output(
        "findings",
        "findings",
        "dpbandits.audit.runner.documents:serialised",
        "Write the findings as JSON.",
        of_folder=True,
    ),
    "--junit": Output(
        "junit",
        "file",
        "dpbandits.audit.runner.junit:as_junit",
        "Write JUnit XML, for the display of a CI.",
        named=True,
    ),
    "--sarif": Output(
        "sarif",
        "file",
        "dpbandits.audit.runner.sarif:as_sarif",
        "Write unexpected verdicts as SARIF, for code scanning.",
        named=True,
        mark=b'"driver": {\n     "name": "dpbandits"',
    ),
    "--picture": Output("picture"),
}


def document_options(beside_folder: bool) -> list[str]:
    """Returns the names of the options that write a findings document to a file.
    beside_folder: for a command that also writes a run's folder, only options for formats that the folder does not
    contain."""
    return [option for option, each in OUTPUTS.items() if each.text and not (beside_folder and each.of_folder)]


def output_options(beside_folder: bool) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Adds the options of `document_options` to a command."""

    def add(command: Callable[..., object]) -> Callable[..., object]:
        """Adds to a click command the options that write a findings document to a file."""
        for option in reversed(document_options(beside_folder)):
            command = click.option(option, type=FILE, metavar="FILE", help=OUTPUTS[option].help)(command)
        return command

    return add


def asked_outputs(given: Mapping[str, Path | None], outputs: Mapping[str, Output] = OUTPUTS) -> dict[str, Path]:
    """Returns the files that the user requested, by option.
    given: the values of all parameters of a command. outputs: the formats that its options write."""
    named = {f"--{name}": file for name, file in given.items()}
    return {option: file for option, file in named.items() if option in outputs and file is not None}


def claim_outputs(files: Mapping[str, Path], outputs: Mapping[str, Output] = OUTPUTS) -> None:
    """Checks the requested files before anything is computed.
    Refuses files that were not written by dpbandits, files that cannot be created, and one file for two options. files:
    by option. outputs: the formats that the options write.
    """
    from dpbandits.audit.runner import store

    if len({path.absolute() for path in files.values()}) < len(files):
        raise click.UsageError(f"two of the options {', '.join(files)} name the same file; name different files")
    for option, path in files.items():
        try:
            store.claim_file(path, kind=outputs[option].kind, mark=outputs[option].mark)
            store.probe_folder(path)
        except store.Refused as refused:
            raise Trouble(f"{option}: {refused}") from None
        except OSError as error:
            raise unwritten_output(option, path, error, outputs) from None


def unwritten_output(option: str, path: Path, error: OSError, outputs: Mapping[str, Output]) -> Trouble:
    """Returns the reason why the file of an option could not be written."""
    return write_trouble(path, f"the {outputs[option].word}", error, f"choose another file with {option}")


def write_output(
    option: str, path: Path, text: str, aside: bool = False, outputs: Mapping[str, Output] = OUTPUTS
) -> None:
    """Writes a file and reports it; on standard error (aside) if standard output contains data.
    outputs: the formats that options write."""
    from dpbandits.audit.runner import store

    try:
        store.write_whole(path, text)
    except OSError as error:
        raise unwritten_output(option, path, error, outputs) from None
    click.echo(f"{outputs[option].word}: {printable(path)}", err=aside)


def document_texts(document: Document, about: str) -> dict[str, Callable[[], str]]:
    """Returns, for each option that writes a findings document, a function that makes the content of its file.
    about: names the run, such as "dpbandits audit"."""

    def content(output: Output) -> str:
        """Returns the text of a file in this output format, made from the findings document."""
        text: str = registry.loaded(output.text)(document, *([about] if output.named else []))
        return text

    return {option: partial(content, output) for option, output in OUTPUTS.items() if output.text}


def write_outputs(
    files: Mapping[str, Path],
    texts: Mapping[str, Callable[[], str]],
    aside: bool = False,
    outputs: Mapping[str, Output] = OUTPUTS,
) -> None:
    """Writes all files that can be written, and only then raises an error about one that cannot.
    files, texts, outputs: by option."""
    troubles = list[Trouble]()
    for option, path in files.items():
        try:
            write_output(option, path, texts[option](), aside, outputs)
        except Trouble as trouble:
            troubles.append(trouble)
    if troubles:
        raise troubles[0]
