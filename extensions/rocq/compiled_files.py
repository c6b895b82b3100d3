"""A cache of compiled `.v` files, which all runs and processes of a user share. The folder of a compiled file is named
by a digest of its text, of the files that it requires, and of the installed Coq.

The folder `dpbandits/rocq` of the user's cache may be deleted at any time. Its content is trusted, like the installed
program itself. If it is not writable, each process compiles for itself.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from multiprocessing.util import Finalize
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, mkdtemp
from time import time

from dpbandits.extensions.rocq.coqc import (
    FILE_SECONDS,
    LIBRARIES,
    NO_LIBRARY,
    NotAccepted,
    installed_files,
    output_of,
    required_compiler,
)
from dpbandits.proofs_checks import papers
from dpbandits.proofs_checks.formulas.theorems import NotInstalled

SHARED_PROOFS = Path(__file__).parent
PAPER_PROOFS = Path(papers.__file__).parent
LIBRARY = "Dpbandits"  # the name under which files require each other
OPTIONS = ("-w", "none", "-noglob")
REQUIRES = re.compile(rf"^From {LIBRARY}(\.\w+)? Require Import ([\w ]+)\.", re.MULTILINE)
FOREIGN = re.compile(r"^From (\w+)[\w.]* Require ", re.MULTILINE)
UNUSED_SECONDS = 60 * 24 * 3600.0  # a compiled file that no run has used for 60 days belongs to an older version


def demand_libraries(names: Iterable[str]) -> None:
    """Raises NotInstalled if coqc or one of these libraries is missing. Names that are not in LIBRARIES are ignored."""
    required_compiler()
    missing = [name for name in sorted({*names} & LIBRARIES.keys()) if not has_library(name)]
    if missing:
        raise NotInstalled(f"coqc is installed, but these libraries are missing: {', '.join(missing)}")


@cache
def has_library(name: str) -> bool:
    """Whether coqc can load a library, tested by compiling a file of one line, which is stored if it compiles.
    Raises NotAccepted for any error other than that the library is missing."""

    def make(draft: Path) -> None:
        """Compiles a file that loads the library, in the folder `draft`."""
        file = draft / "library.v"
        file.write_text(f"From {name} Require {LIBRARIES[name]}.\n", encoding="utf-8")
        complaint = output_of(["-w", "none", file.name], draft)
        if complaint:
            raise NotAccepted(complaint.strip()[-1000:])

    try:
        made_once(compiled_folder() / f"{name}-{installed_files()}", make)
    except NotAccepted as error:
        if NO_LIBRARY.search(str(error)):
            return False
        raise NotAccepted(f"coqc cannot load the library {name}: {error}") from None
    return True


def load_options(files: list[Path]) -> list[str]:
    """The options with which coqc finds the compiled versions of these files. Raises KernelError as `compiled` does."""
    return [word for file in files for word in ("-Q", str(compiled(file)), LIBRARY)]


@cache
def compiled(file: Path, seconds: float = FILE_SECONDS) -> Path:
    """Compiles a file, after all files of this project that it requires, and returns the folder with the result.
    Raises NotInstalled, TookTooLong, and NotAccepted if coqc does not accept one of them."""
    demand_libraries(libraries_of(file))
    beside = load_options(files_to_compile(file)[:-1])

    def make(draft: Path) -> None:
        """Compiles a copy of the file in the folder `draft`."""
        copy = draft / path_in_library(file)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, copy)
        complaint = output_of([*OPTIONS, *beside, "-Q", ".", LIBRARY, str(path_in_library(file))], draft, seconds)
        if complaint:
            raise NotAccepted(f"{file.name}: coqc rejects this file: {complaint.strip()[-1000:]}")

    return made_once(compiled_folder() / f"{file.stem}-{digest_of(file)}", make)


def made_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Fills a folder by calling `make`, unless the folder exists, and returns it.
    Only one process fills it at a time, and a failure leaves no folder. Raises what `make` raises."""
    with only_process(folder):
        if folder.is_dir():
            with suppress(OSError):
                os.utime(folder)  # it is in use: `remove_unused` leaves it
            return folder
        if folder.parent == compiled_folder():
            remove_unused(folder.parent)
        # Its name has a point, which no folder that is finished has.
        with TemporaryDirectory(prefix="draft.", dir=folder.parent, ignore_cleanup_errors=True) as draft:
            make(Path(draft))
            Path(draft).rename(folder)
    return folder


@contextmanager
def only_process(folder: Path) -> Iterator[None]:
    """Returns a context manager in which no other process or thread creates this folder.
    On file systems without locks several may create it, with the same result."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder.parent / f"{folder.name}.lock").open("w") as handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def remove_unused(folder: Path) -> None:
    """Removes compiled files, locks and abandoned drafts that no run has used for UNUSED_SECONDS."""
    for each in folder.iterdir():
        with suppress(OSError):
            if time() - each.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(each) if each.is_dir() else each.unlink()


@cache
def compiled_folder() -> Path:
    """The folder of compiled files: in the user's cache, or of this process if the cache is not writable."""
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(home) if home else Path.home() / ".cache") / "dpbandits" / "rocq"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except (OSError, RuntimeError):
        own = workshop() / "compiled"
        own.mkdir(exist_ok=True)
        return own


@cache
def workshop() -> Path:
    """Creates a folder of this process for theorems that are written for one question.
    It is deleted when the process ends."""
    folder = Path(mkdtemp(prefix="dpbandits-rocq-"))
    # Workers end without what atexit keeps; this runs there as well, and in no process that was forked from this one.
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
    return folder


@cache
def digest_of(file: Path) -> str:
    """A digest of the installed Coq, the file's name and text, and the project's files that the file requires.
    Only files of this project count among the latter."""
    return digest_of_text("", files_to_compile(file))


def digest_of_text(text: str, files: Iterable[Path]) -> str:
    """A digest of the installed Coq, of a text, and of the names and texts of the project's files that it requires."""
    parts = [
        installed_files(),
        *(f"{path_in_library(each)}\n{each.read_text(encoding='utf-8')}" for each in files),
        *([text] if text else []),
    ]
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def libraries_of(file: Path) -> set[str]:
    """The libraries, such as Coquelicot, that a file and the files required by it load."""
    return {name for each in files_to_compile(file) for name in FOREIGN.findall(each.read_text(encoding="utf-8"))}


def path_in_library(file: Path) -> Path:
    """The path of a Rocq file within its Coq library, such as ou24/section_2.v."""
    return Path(file.name) if file.parent == SHARED_PROOFS else Path(file.parent.name, file.name)


def module_name(file: Path) -> str:
    """The file's full name for Coq, such as Dpbandits.ou24.section_2."""
    return ".".join([LIBRARY, *path_in_library(file).with_suffix("").parts])


@cache
def files_to_compile(file: Path) -> list[Path]:
    """Returns all files of this project that a file requires, in the order of compilation.
    The file itself is the last."""
    return [*required_files(file.read_text(encoding="utf-8"), file.parent), file]


def required_files(text: str, folder: Path) -> list[Path]:
    """Returns all files of this project that a text requires, directly or not, in the order of compilation.
    folder: the folder of the text."""
    return list(dict.fromkeys(each for file in imported(text, folder) for each in files_to_compile(file)))


def imported(text: str, folder: Path) -> list[Path]:
    """Returns the files of this project that a text requires directly, in order.
    Shared files, files of the same folder, and files of a paper."""
    found: list[Path] = []
    for page, names in REQUIRES.findall(text):
        own = folder if page == f".{folder.name}" else PAPER_PROOFS / page[1:]
        found += [(own if page else SHARED_PROOFS) / f"{name}.v" for name in names.split()]
    return found
