"""The key under which a finding is kept: one hash of all that may have led to it.

It covers the engine's files, those of the claim's page and of the pages that it imports, the settings of the run, and
the versions of what computes. A comment that changes is a change: to judge anew costs less than to look closer. Of
somebody's own page count all files of its package; of a single file that file, and those beside it that it names; and
whatever other code of theirs is loaded. What a page reads elsewhere, such as the environment, is not seen.
"""

from __future__ import annotations

import re
import site
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from uuid import uuid4

import dpbandits
from dpbandits.audit.judges.effort import Run
from dpbandits.proofs_checks.rocq.kernel import installation
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim

NUMERICS = ("numpy", "scipy", "mpmath", "python-flint")  # a finding may depend on their versions
HOME = Path(dpbandits.__file__).parent
JUDGES = ("reference", "proofs_checks", "audit")  # folders of code that findings depend on
PAGE_PATH = re.compile(r"(?:reference|proofs_checks)/papers/(?!__init__)(\w+)")  # a page's folder, or its file
IMPORTED = re.compile(r"\bdpbandits\.(?:reference|proofs_checks)\.papers(?:\.| import )(\w+)")
NO_DATA = frozenset({".pyc", ".md"})  # endings of files that no code reads


def cache_key(claim: Claim, run: Run, ledger: Ledger) -> str:
    """The hash for a claim of the ledger, or for one that is on no page; another one each time for what cannot be
    hashed."""
    volume = ledger.volume(claim) if ledger.files is not None else None
    if volume is not None and not volume.file:
        parts = [claim.id, *(file_hash(path) for path in files_of_page(volume.page.key))]
    else:
        parts = [claim.id if volume else pickled(claim), package_hash(), *map(file_hash, own_files())]
    return digest([repr(run), libraries(), engine_hash(), *parts])


def digest(parts: Iterable[str]) -> str:
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def pickled(claim: Claim) -> str:
    """The content of a claim that is on no page."""
    import cloudpickle

    try:
        return str(cloudpickle.dumps(claim).hex())
    except Exception:  # of code that the claim brings along: it is judged afresh each time, slow but never wrong
        return str(uuid4())


@cache
def libraries() -> str:
    versions = (f"{name} {metadata.version(name)}" for name in NUMERICS)
    return "\n".join([sys.version, *versions, installation()])


# -- files -------------------------------------------------------------------------------------------------------


@cache
def file_hash(path: Path) -> str:
    """Of the file's name and content, as it stood when this process first looked: not as somebody edits it while the
    process runs what it imported."""
    return f"{path.name} {blake2b(path.read_bytes(), digest_size=16).hexdigest()}"


def files_below(folder: Path) -> list[Path]:
    """All files that code may read, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in NO_DATA)


@cache
def files_by_page() -> dict[str, list[Path]]:
    """The files that findings depend on, by the page that they belong to; "" for the engine."""
    found: dict[str, list[Path]] = {"": []}
    for name in JUDGES:
        folder = (HOME / name).resolve()
        for path in files_below(folder):
            page = PAGE_PATH.match(path.relative_to(folder.parent).as_posix())
            found.setdefault(page[1] if page else "", []).append(path)
    return found


@cache
def engine_hash() -> str:
    return digest(map(file_hash, files_by_page()[""]))


@cache
def package_hash() -> str:
    """Of the engine and of all pages that joined."""
    return digest(file_hash(path) for paths in files_by_page().values() for path in paths)


@cache
def files_of_page(key: str) -> list[Path]:
    """The files of a page that joined, and of all pages that it imports, through others as well."""
    known, pages, waiting = files_by_page(), set[str](), [key]
    while waiting:
        if (page := waiting.pop()) not in pages and page in known:
            pages.add(page)
            waiting += [name for path in known[page] for name in imported_pages(path)]
    return [path for page in sorted(pages) for path in known[page]]


def imported_pages(path: Path) -> list[str]:
    return IMPORTED.findall(path.read_text(encoding="utf-8")) if path.suffix == ".py" else []


# -- somebody's own code -----------------------------------------------------------------------------------------


def own_files() -> list[Path]:
    """The files of all loaded code that is neither this package's nor installed, and of the data that belongs to it."""
    names = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return sorted({path for name in names if isinstance(name, str) for path in files_of_module(name)})


@cache
def files_of_module(name: str) -> tuple[Path, ...]:
    """The module's file, with all that stands in its package, or the data beside it that it names; none of an installed
    one."""
    path = Path(name).resolve()
    if path.suffix != ".py" or not path.is_file() or installed(name) or installed(str(path)):
        return ()
    if path.name == "__init__.py":
        return tuple(files_below(path.parent))
    text = path.read_text(encoding="utf-8", errors="replace")
    beside = (each for each in path.parent.iterdir() if each.suffix not in (".py", *NO_DATA))
    return (path, *(each for each in beside if each.name in text and each.is_file()))


def installed(name: str) -> bool:
    return name.startswith(installed_folders())


@cache
def installed_folders() -> tuple[str, ...]:
    """Where the standard library, installed packages and our own one stand."""
    places = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")}
    places |= {*site.getsitepackages(), site.getusersitepackages(), str(HOME)}
    places |= {str((HOME / name).resolve()) for name in (*JUDGES, "reports")}
    return tuple(f"{place}/" for place in places)
