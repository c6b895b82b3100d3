"""A cache of finished findings, with one file for each. A finding is reused only if its key is equal: a hash of
everything on which the finding may depend.

The key covers the engine's files, those of the claim's paper and of the modules that it imports, the settings of the
run, and the versions of the libraries used for computing. Changing a comment changes the key, because checking a claim
again is cheaper than finer tracking. For a module outside the ledger, the key covers all files of its package; for a
single file, that file and the files next to it that it names; and all other code of the user that is loaded. Other
inputs of a module, such as environment variables, are not covered.
"""

from __future__ import annotations

import json
import math
import re
import site
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import dpbandits
from dpbandits import registry
from dpbandits.audit.claims.proofs import proof_of
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.runner import store
from dpbandits.reference.claims.codec import as_data, from_data
from dpbandits.reference.claims.ledger import Ledger
from dpbandits.reference.claims.model import Claim, Finding

# What reading a foreign file may raise: the last one where a number is none that a double could hold.
UNREADABLE = (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError)
TEXT_FIELDS = ("summary", "resolution", "repro")  # what a finding says in words
NUMERICS = ("numpy", "scipy", "mpmath", "python-flint")  # a finding may depend on their versions
HOME = Path(dpbandits.__file__).parent
JUDGES = ("reference", "proofs_checks", "audit", "extensions")  # folders of code that findings depend on
REGISTRY = "registry.py"  # and the module by which extensions are found
PAGE_PATH = re.compile(r"(?:reference|proofs_checks)/papers/(?!__init__)(\w+)")  # a page's folder, or its file
IMPORTED = re.compile(r"\bdpbandits\.(?:reference|proofs_checks)\.papers(?:\.| import )(\w+)")
NONE = "none"  # of a part of the environment that is missing
NO_DATA = frozenset({".pyc", ".md"})  # endings of files that no code reads


class Case(NamedTuple):
    """The outcome of one claim: a finding, or the text of the exception that its check raised. seconds: processor time
    in this process, which does not depend on other work of the machine."""

    claim: str
    finding: Finding | None
    error: str
    seconds: float


class CasePlace(NamedTuple):
    """The file of a case, and the key for which it is valid. settings: a digest of the run's settings. environment: the
    versions of the computing libraries by name. Both are stored with the case, to explain why it cannot be reused."""

    path: Path
    key: str
    settings: str = ""
    environment: Mapping[str, str] = {}


def store_case(case: Case, place: CasePlace) -> None:
    """Writes a case, with its finding, seconds and key, to its file."""
    assert case.finding is not None
    found = as_data(case.finding)
    content = {"finding": found, "seconds": case.seconds, "fingerprint": place.key}
    content |= {"settings": place.settings, "environment": dict(place.environment)}
    store.write_whole(place.path, json.dumps(content | {"digest": digest_of(found, place.key)}, sort_keys=True))


def read_back(claim: str, place: CasePlace) -> Case | None:
    """Returns the stored case; None if it is missing or damaged, or belongs to another claim.

    A digest detects damage; certificates are checked again, so that no invalid certificate is published.
    """
    try:
        if not place.path.is_file():  # a pipe would keep us waiting
            return None
        content = json.loads(place.path.read_text(encoding="utf-8"))
        found, seconds = content["finding"], float(content["seconds"])
        if (content["fingerprint"], content["digest"]) != (place.key, digest_of(found, place.key)):
            return None
        finding = from_data(Finding, found)
        good = math.isfinite(seconds) and not finding_fault(claim, finding)
        return Case(claim, finding, "", seconds) if good else None
    except UNREADABLE:
        return None


def environment_differences(place: CasePlace) -> str:
    """Describes why a stored result cannot be reused: how its environment differs from this one.
    The result has the same settings. "" if there is no such result."""
    try:
        content = json.loads(place.path.read_text(encoding="utf-8"))
        if content["fingerprint"] == place.key or content["settings"] != place.settings:
            return ""
        theirs = {str(name): str(value) for name, value in content["environment"].items()}
    except (*UNREADABLE, AttributeError):
        return ""
    here = place.environment
    names = [name for name in sorted({*theirs, *here}) if theirs.get(name) != here.get(name)]
    return ", ".join(f"{name} {theirs.get(name) or NONE} (here {here.get(name) or NONE})" for name in names)


def finding_fault(claim: str, finding: Finding) -> str:
    """The reason why a finding cannot be about this claim or cannot be read back; "" if there is none.
    Each of its certificates must hold, and be about the claim or about the statement of which it is a variant: if the
    printed formula is false, a state of the mechanism may show this as well. Raises one of UNREADABLE if the data is no
    finding."""
    if finding.claim != claim:
        return f"the finding is about claim {finding.claim!a}, and the claim is {claim!a}"
    for name in TEXT_FIELDS:
        if not isinstance(said := getattr(finding, name), str):
            return f"its {name} is {said!a:.80}, and no text"
    carried = [item["certificate"] for item in finding.evidence if item["kind"] == "certificate"]
    for number, one in enumerate(carried, start=1):
        from dpbandits.proofs_checks.certificates import verify_any

        if not is_variant_of(claim, one["claim"]):
            return (
                f"certificate {number} of {len(carried)} names the claim {one['claim']!a}; it has to name {claim!a}, "
                "or the statement of which that is a variant"
            )
        if not (checking := verify_any(one)).ok:
            return f"certificate {number} of {len(carried)} does not hold: {'; '.join(checking.lines)}"
    return ""


def is_variant_of(claim: str, statement: object) -> bool:
    """Whether the claim is the statement itself or a variant of it.
    ou24/theorem-7/formula is a variant of ou24/theorem-7. The key of a paper alone is no statement."""
    return claim == statement or ("/" in str(statement) and claim.startswith(f"{statement}/"))


def digest_of(found: object, key: str) -> str:
    """Returns a hash of a finding, as plain data, together with the key under which it is stored."""
    text = json.dumps([key, found], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def cache_key(claim: Claim, run: Run, ledger: Ledger) -> str:
    """The hash for a claim of the ledger, or for one that belongs to no paper.
    A claim that cannot be hashed gets a new key in every call."""
    volume = ledger.volume(claim) if ledger.files is not None else None
    if volume is not None and not volume.file:
        parts = [claim.id, *(file_hash(path) for path in files_of_page(volume.page.key))]
    else:
        parts = [claim.id if volume else pickled(claim), package_hash(), *map(file_hash, own_files())]
    return digest([repr(run), *environment(asks_kernel(claim, run)).values(), engine_hash(), *parts])


def asks_kernel(claim: Claim, run: Run) -> bool:
    """Whether Rocq's kernel may be used for the claim: the claim has its own proof, and the run uses the kernel."""
    return run.profile.effort.kernel and proof_of(claim) is not None


def digest(parts: Iterable[str]) -> str:
    """Returns a hash of these texts, as 32 hexadecimal digits."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def pickled(claim: Claim) -> str:
    """Returns a claim that belongs to no paper as text for a hash; a new random text if it cannot be pickled."""
    import cloudpickle

    try:
        return str(cloudpickle.dumps(claim).hex())
    except Exception:  # of code that the claim brings along: it is judged afresh each time, slow but never wrong
        return str(uuid4())


@cache
def environment(kernel: bool) -> Mapping[str, str]:
    """The versions of Python and of the libraries used for computing, by name, and of Rocq if it is used."""
    versions = {name: metadata.version(name) for name in NUMERICS}
    foreign = (text.partition(" ")[::2] for text in registry.foreign_versions())
    return {"Python": sys.version, **versions, **dict(foreign), **({"coqc": installation()} if kernel else {})}


def installation() -> str:
    """Returns a text that identifies the installed programs and files on which a kernel's answers depend.
    "" if there is none."""
    known = registry.added().kernel
    return "" if known is None else str(registry.loaded(known.installation)())


# -- files -------------------------------------------------------------------------------------------------------


@cache
def file_hash(path: Path) -> str:
    """Returns the file's name and a hash of its content.
    A process reads the content once, at its first call, because it has imported this version, whatever is edited later.
    """
    return f"{path.name} {blake2b(path.read_bytes(), digest_size=16).hexdigest()}"


def files_below(folder: Path) -> list[Path]:
    """Returns all files in the folder that code may read, in order.
    Those in __pycache__ are left out: they are Python's, and another process may be writing one, under a name that soon
    goes away."""
    below = (path for path in folder.rglob("*") if path.suffix not in NO_DATA and path.parent.name != "__pycache__")
    return sorted(path for path in below if path.is_file())


@cache
def files_by_page() -> dict[str, list[Path]]:
    """The files on which findings depend, by the key of the paper that they belong to; "" for the engine."""
    found: dict[str, list[Path]] = {"": []}
    for name in JUDGES:
        folder = (HOME / name).resolve()
        for path in files_below(folder):
            page = PAGE_PATH.match(path.relative_to(folder.parent).as_posix())
            found.setdefault(page[1] if page else "", []).append(path)
    found[""] += [path for path in (HOME / REGISTRY,) if path.is_file()]
    return found


@cache
def engine_hash() -> str:
    """A hash of all files that belong to no page."""
    return digest(map(file_hash, files_by_page()[""]))


@cache
def package_hash() -> str:
    """The hash of the engine and of the modules of all registered papers."""
    return digest(file_hash(path) for paths in files_by_page().values() for path in paths)


@cache
def files_of_page(key: str) -> list[Path]:
    """The files of a registered paper, and of all papers that it imports, directly or indirectly."""
    known, pages, waiting = files_by_page(), set[str](), [key]
    while waiting:
        if (page := waiting.pop()) not in pages and page in known:
            pages.add(page)
            code = (path.read_text(encoding="utf-8") for path in known[page] if path.suffix == ".py")
            waiting += [name for text in code for name in IMPORTED.findall(text)]
    return [path for page in sorted(pages) for path in known[page]]


# -- somebody's own code -----------------------------------------------------------------------------------------


def own_files() -> list[Path]:
    """The files of the user's own code that is loaded, and the data files of this code.
    Code of this package and of installed packages is left out."""
    names = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return sorted({path for name in names if isinstance(name, str) for path in files_of_module(name)})


@cache
def files_of_module(name: str) -> tuple[Path, ...]:
    """Returns the files of a module: its own, those of its package, and data files next to it that it names.
    No files for an installed module."""
    if is_installed_module(name):
        return ()
    path = Path(name).resolve()
    if path.suffix != ".py" or not path.is_file() or is_installed_module(str(path)):
        return ()
    if path.name == "__init__.py":
        return tuple(files_below(path.parent))
    text = path.read_text(encoding="utf-8", errors="replace")
    beside = (each for each in path.parent.iterdir() if each.suffix not in (".py", *NO_DATA))
    return (path, *(each for each in beside if each.name in text and each.is_file()))


def is_installed_module(name: str) -> bool:
    """Whether this file belongs to Python, to an installed package or to this package."""
    return name.startswith(installed_folders())


@cache
def installed_folders() -> tuple[str, ...]:
    """The folders of the standard library, of installed packages and of this package."""
    places = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")}
    places |= {*site.getsitepackages(), site.getusersitepackages(), str(HOME)}
    places |= {str((HOME / name).resolve()) for name in (*JUDGES, "reports")}
    return tuple(f"{place}/" for place in places)
