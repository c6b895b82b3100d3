"""The files that a command is given: a name that one can have, and the JSON in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any, NamedTuple

import click

from dpbandits.audit.fronts.endings import Trouble, printable

MAX_JSON_BYTES = 16_000_000  # bytes of a file that is read
WRITE_REMEDIES = {  # the remedy, where another place on the same disk is none
    ENOSPC: "make room, or choose a place on another disk",
    EDQUOT: "make room, or choose a place on another disk",
    EFBIG: "this process may write no file so large: raise that limit (ulimit -f)",
}


class NamedPath(click.Path):
    """A path that is not empty: Path('') would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value).strip() or "\0" in str(value):
            self.fail("the name is empty, or none that a file can have; name a file or folder", param, ctx)
        return super().convert(value, param, ctx)


FILE = NamedPath(path_type=Path)


def write_trouble(path: Path, what: str, error: OSError, remedy: str) -> Trouble:
    """Why something could not be written there, with the remedy."""
    place = printable(error.filename2 or error.filename or path)
    return Trouble(
        f"{place}: cannot write {what} ({error.strerror or error}); {WRITE_REMEDIES.get(error.errno or 0, remedy)}"
    )


class Output(NamedTuple):
    """What an option writes. word: for messages. kind: what a file that is there already has to be, as of
    `store.claim_file`."""

    word: str
    kind: str = "report"


OUTPUTS = {  # every option that writes a file, as it is typed
    "--html": Output("report"),
    "--json": Output("findings", "findings"),
    "--junit": Output("junit"),
    "--badge": Output("badge", "badge"),
    "--picture": Output("picture"),
    "--certificate": Output("certificate", "certificate"),
    "--ceiling": Output("ceiling", "certificate"),
}


def claim_outputs(files: Mapping[str, Path]) -> None:
    """Refuses files that are none of ours, and one file for two options, before anything is computed. files: by their
    options, of OUTPUTS."""
    from dpbandits.audit.runner import store

    if len({path.absolute() for path in files.values()}) < len(files):
        raise click.UsageError(f"{', '.join(files)}: one file cannot hold two of them; name others")
    for option, path in files.items():
        try:
            store.claim_file(path, kind=OUTPUTS[option].kind)
        except store.Refused as refused:
            raise Trouble(f"{option}: {refused}") from None
        except OSError as error:
            raise unwritten_output(option, path, error) from None


def unwritten_output(option: str, path: Path, error: OSError) -> Trouble:
    """Why the file of an option could not be written."""
    return write_trouble(path, f"the {OUTPUTS[option].word}", error, f"choose another file with {option}")


def write_output(option: str, path: Path, text: str, aside: bool = False) -> None:
    """Writes a file and says so; aside, on the standard error, where the standard output is data."""
    from dpbandits.audit.runner import store

    try:
        store.write_whole(path, text)
    except OSError as error:
        raise unwritten_output(option, path, error) from None
    click.echo(f"{OUTPUTS[option].word}: {printable(path)}", err=aside)


def loaded(path: Path) -> Any:
    """The JSON in a file; every way in which there is none is an error that names the file and a remedy."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would keep us waiting, /dev/zero never end
            raise Trouble(f"{printable(path)}: no regular file; save what it says to one, and pass that")
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
            f"{printable(path)}: no valid JSON at line {error.lineno}, column {error.colno} ({error.msg}); "
            "mend it there, or make the file again with `dpbandits audit`"
        ) from None
    except ValueError as error:
        raise Trouble(
            f"{printable(path)}: no JSON that can be read ({str(error)[:200]}); pass the file that dpbandits wrote"
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
        raise ValueError(f"the key {twice!a} stands twice in an object")
    return made


def no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
