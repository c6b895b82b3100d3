"""The files that a command is given: a name that one can have, and the JSON in it."""

from __future__ import annotations

import json
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import Any

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
DEFAULT_OUT = Path("dpbandits-report")  # where `audit` writes, unless it is told otherwise


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
