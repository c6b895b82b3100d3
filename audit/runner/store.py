"""Files of a run: which files dpbandits may overwrite, how files are written, and a lock so that only one run writes at
a time.

Files of dpbandits are recognised by their content. Other files are never deleted, and overwritten only with --force.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from secrets import randbits
from tempfile import TemporaryFile

from dpbandits import registry

MAX_INSPECTED_BYTES = 64_000_000  # bytes of a file that is looked at
REPORT_HEAD = b'<meta name="generator" content="dpbandits '  # in the head of every report
MARKS = (  # one of these is near the beginning of each file of ours that is not recognised by its JSON fields
    REPORT_HEAD,
    b"<metadata>dpbandits</metadata>",  # drawings
    b'<testsuites name="dpbandits"',  # JUnit's XML
)
HEAD_BYTES = 4096
DRAFT = re.compile(r".+\.(json|html)\.\d+\.part")
MADE = ("certificates", "claims", "papers", "refuted")  # folders whose files every run makes anew
FOLDERS = ("cases", *MADE)
BESIDE = ("-certificates", "-claims", "-papers", "-refuted")  # how the folders of a report end that is no index.html
# Fields of our files, or of the files in our folders
FIELDS_BY_KIND = {
    "findings.json": ("schema", "version", "profile", "findings"),
    "timings.json": ("seconds",),
    "cases": ("fingerprint", "finding", "seconds"),
    "certificates": ("type", "claim"),
}
# What is asked for by name, as one of FIELDS_BY_KIND; kinds that extensions add are called what they are.
JSON = {"certificate": "certificates", "findings": "findings.json"}


class Refused(OSError):
    """A place to which dpbandits does not write; the message gives the reason and a remedy."""

    def __str__(self) -> str:
        """The reason for the refusal, as a text for users."""
        return str(self.args[0])


def is_own_file(path: Path) -> bool:
    """Whether dpbandits wrote the file, judged by its content. A link never counts."""
    folder = "certificates" if path.parent.name.endswith("-certificates") else path.parent.name
    kind = folder if folder in FOLDERS else path.name
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_INSPECTED_BYTES:
            return False
    except OSError:
        return False
    return is_marked(path) or (path.suffix == ".json" and kind in FIELDS_BY_KIND and has_content_of(path, kind))


def has_content_of(path: Path, kind: str) -> bool:
    """Whether the file is a JSON object with the fields of this kind, one of FIELDS_BY_KIND or of an extension.
    A link never counts."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_INSPECTED_BYTES:
            return False
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(content, dict):
        return False
    if kind in FIELDS_BY_KIND:
        return all(field in content for field in FIELDS_BY_KIND[kind])
    added = registry.added().file_kinds[kind]
    has_fields = all(field in content for field in added.fields)
    return has_fields and all(content[field] == value for field, value in added.values.items())


def is_marked(path: Path, mark: bytes = b"") -> bool:
    """Whether the first HEAD_BYTES of the file contain the given mark, whatever the file's name.
    The mark is one of MARKS, or a mark of an extension. A link never counts."""
    try:
        if path.is_symlink() or not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        return any(each in head for each in (*MARKS, *registry.added().file_marks, *((mark,) if mark else ())))
    except OSError:
        return False


def earlier_text(path: Path) -> str:
    """Returns the content of a file that an earlier run of dpbandits wrote; "" if there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if is_own_file(path) else ""
    except OSError:
        return ""


def marked_or_holding(path: Path, kind: str) -> bool:
    """Whether the file has a mark of dpbandits near its beginning, or is JSON of this kind. A link never counts."""
    return is_marked(path) or has_content_of(path, kind)


def foreign_files(out: Path) -> list[Path]:
    """Returns the files in the folder of a run that dpbandits did not write.
    Drafts and damaged cases next to files that it wrote do not count."""
    found: list[Path] = []
    doubtful: list[Path] = []
    own = False
    for path in sorted(out.iterdir()) if out.exists() else ():
        inside = (path.name in FOLDERS or path.name.endswith(BESIDE)) and path.is_dir() and not path.is_symlink()
        for each in sorted(path.iterdir()) if inside else (path,):
            if is_own_file(each):
                own = True
            elif DRAFT.fullmatch(each.name) or (each.parent.name == "cases" and each.suffix == ".json"):
                doubtful.append(each)
            else:
                found.append(each)
    return found if own else found + doubtful


def claim_folder(out: Path, force: bool = False) -> None:
    """Creates the folder of a run, or checks that an existing folder may be written to.
    Raises Refused if it contains other people's files, unless forced; always if one of the subfolders is a link, or the
    path is no folder."""
    if out.exists() and not out.is_dir():
        raise Refused(f"{out} is not a folder; choose another one with --out")
    for name in FOLDERS:
        if (out / name).is_symlink():
            raise Refused(
                f"{out / name} is a link, and dpbandits never writes to a file through a link; choose another folder "
                "with --out"
            )
    others = [] if force else foreign_files(out)
    if others:
        names = ", ".join(str(path.relative_to(out)) for path in others[:3]) + (", ..." if len(others) > 3 else "")
        raise Refused(
            f"{out} contains files that dpbandits did not write ({names}); choose another folder with --out, "
            "or use --force, which overwrites only findings.json, timings.json, index.html and certificates "
            "of the same name"
        )
    make_folder(out)


def make_folder(folder: Path) -> None:
    """Creates the folder and its parents. Raises Refused if the path has too many levels."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except RecursionError:
        raise Refused(
            f"{str(folder)[:60]}...: a path of {len(folder.parts)} nested folders is too long for this "
            "system; choose a shorter path"
        ) from None


def claim_file(path: Path, force: bool = False, kind: str = "report", mark: bytes = b"") -> None:
    """Checks that a file may be written, and creates its folder.
    The arguments and errors are those of `check_file`."""
    check_file(path, force, kind, mark)
    make_folder(path.parent)


def probe_folder(path: Path) -> None:
    """Raises OSError if no file can be created in the folder of this one."""
    try:
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        error.filename = str(path)
        raise


def check_file(path: Path, force: bool = False, kind: str = "report", mark: bytes = b"") -> None:
    """Raises Refused for a folder, and (unless forced) for a file that dpbandits did not write.
    kind: "report" or "file" for any file with a mark; or a kind of JSON file. mark: of such files, in addition to those
    that `is_marked` knows."""
    if path.is_dir():
        raise Refused(f"{path} is a folder; add the name of a file in it")
    if kind in ("report", "file"):
        ours_already = partial(is_marked, mark=mark)
    elif (added := registry.added().file_kinds.get(kind)) is not None and added.or_marked:
        ours_already = partial(marked_or_holding, kind=kind)
    else:
        ours_already = partial(has_content_of, kind=JSON.get(kind, kind))
    if not force and (path.exists() or path.is_symlink()) and not ours_already(path):
        forced = " (`dpbandits report` has --force)" if kind == "report" else ""
        raise Refused(
            f"{path} exists already, and this command did not write it; choose another name, or remove it{forced}"
        )


@contextmanager
def lock_folder(out: Path, among_shards: bool = False) -> Iterator[None]:
    """A context manager that locks the folder: no other process writes to it.
    Among shards, no process other than shards. Raises Refused if another process holds the lock.

    The lock belongs to the process and ends with it, however the process ends. On file systems without locks there is
    none.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if among_shards else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"another run is writing to {out}; wait until it ends, or choose another folder") from None
        except OSError:
            pass
        yield
    finally:
        os.close(handle)


def write_whole(path: Path, text: str) -> None:
    """Writes the text to a file by one rename, so that nobody can read an incomplete file."""
    make_folder(path.parent)
    write_all_or_none({path: text})


def write_all_or_none(files: Mapping[Path, str]) -> None:
    """Writes all files, each by one rename, after all their content is on disk; otherwise the older files remain."""
    # Shards on other machines may have processes of the same number, and write the same piece.
    drafts = {path: path.with_name(f"{path.name}.{randbits(32)}.part") for path in files}
    try:
        for path, text in files.items():
            drafts[path].write_text(text, encoding="utf-8")
        for path, draft in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def remove_own_files(folder: Path, keep: set[str]) -> None:
    """Removes dpbandits' own files and abandoned drafts in the folder, except those to keep."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in keep and (is_own_file(path) or DRAFT.fullmatch(path.name)):
            path.unlink()


def printable(text: object) -> str:
    """Returns the text on one line; characters that would move a cursor or are invisible are written as escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in str(text)
    )
