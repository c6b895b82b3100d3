"""Reads JSON files that a user names; errors name the file and a remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from dpbandits.audit.cli_shared.endings import Trouble, printable

MAX_JSON_BYTES = 16_000_000  # bytes of a file that is read


def load_json(path: Path) -> Any:
    """Reads a JSON file and returns its content. If there is none, raises an error that names the file and a remedy."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would keep us waiting, /dev/zero never end
            raise Trouble(f"{printable(path)} is not a regular file; save its content to a file, and give that file")
        with path.open("rb") as file:
            content = file.read(MAX_JSON_BYTES + 1)
        if len(content) > MAX_JSON_BYTES:
            raise Trouble(
                f"{printable(path)}: the file is larger than {MAX_JSON_BYTES // 10**6} MB, the limit for JSON files; "
                "pass a file that dpbandits wrote"
            )
        return json.loads(content.decode("utf-8"), object_pairs_hook=reject_repeated_keys, parse_constant=no_number)
    except OSError as error:
        remedy = "pass a file in this folder, such as findings.json" if path.is_dir() else "check the path"
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


def reject_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Returns a JSON object with these keys and values as a dict; raises ValueError if a key occurs twice.
    A reader and a program might otherwise see different contents."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise ValueError(f"the key {twice!a} occurs twice in an object")
    return made


def no_number(name: str) -> NoReturn:
    """Raises ValueError for a name such as NaN or Infinity, which is no JSON number."""
    raise ValueError(f"{name} is not a JSON number")
