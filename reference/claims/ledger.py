"""The ledger: all papers in reference/papers, and papers in other files that a run adds. The module of a paper is
called a page."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from keyword import iskeyword
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from dpbandits.reference.claims.model import Claim
from dpbandits.reference.claims.paper import Page

PAPERS_PACKAGE = "dpbandits.reference.papers"


@cache
def paper_keys() -> tuple[str, ...]:
    """The keys of the registered papers, in alphabetical order: the folders of `papers`.
    Their order in the ledger is that of their places."""
    folders = import_module(PAPERS_PACKAGE).__path__
    return tuple(sorted(found.name for found in iter_modules(folders) if found.ispkg))


@dataclass(frozen=True)
class Volume:
    """A page and its claims. file: of the page, if it is not registered."""

    page: Page
    claims: tuple[Claim, ...]
    file: str = ""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The index of each claim within the page, {id: index}."""
        return {claim.id: place for place, claim in enumerate(self.claims)}


@dataclass(frozen=True)
class Ledger:
    """All claims, by page. own: pages that are already loaded. files: of unregistered pages; None if this ledger was
    not opened from files, so that `opened` cannot open it again. joined: keys of registered pages, which come first, in
    the order of their places, and are loaded when one of their claims is needed.

    Raises ValueError if two pages have the same key or place, or two claims the same id; for registered pages, when
    they are loaded.
    """

    own: tuple[Volume, ...]
    files: tuple[str, ...] | None = None
    joined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError if two pages have one key or place, or two claims have one id."""
        require_unique("pages", "key", [*self.joined, *(volume.page.key for volume in self.own)])
        require_unique("claims", "id", [claim.id for volume in self.own for claim in volume.claims])
        demand_places(self.own)

    @classmethod
    def of(cls, claims: Iterable[Claim], name: str = "own") -> Ledger:
        """A ledger that contains only these claims; they share the whole error probability."""
        return cls((Volume(Page(name, "", "", ""), tuple(claims)),))

    @cached_property
    def volumes(self) -> tuple[Volume, ...]:
        """All pages with their claims."""
        return self.under([""])

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """All claims of the ledger, in the order of their pages and within each page."""
        return tuple(claim for volume in self.volumes for claim in volume.claims)

    @cached_property
    def by_id(self) -> Mapping[str, Claim]:
        """The claims by id. Looking up a claim loads its page; iterating loads all pages."""
        return ClaimsById(self)

    def under(self, beginnings: Sequence[str]) -> tuple[Volume, ...]:
        """The pages, in order, that may contain claims whose ids start with one of the texts `beginnings`.
        Other registered pages are not loaded."""
        wanted = [key for key in self.joined if any(share_a_beginning(f"{key}/", each) for each in beginnings)]
        every = (*sorted(map(load_volume, wanted), key=lambda volume: volume.page.place or 0), *self.own)
        demand_places(every)
        return every

    def named(self, key: str) -> Volume | None:
        """The volume (a page with its claims) of the paper with this key; None if there is none."""
        if key in self.joined:
            return load_volume(key)
        return next((volume for volume in self.own if volume.page.key == key), None)

    def holding(self, name: str) -> Volume | None:
        """The volume (a page with its claims) that contains a claim with this id; None if there is none."""
        key = name.partition("/")[0]
        several = (load_volume(key),) if key in self.joined else self.own
        return next((volume for volume in several if name in volume.places), None)

    def volume(self, claim: Claim) -> Volume | None:
        """The volume that contains this claim object; None if no volume does, as for a copy."""
        found = self.holding(claim.id)
        return found if found and found.claims[found.places[claim.id]] is claim else None

    def rank(self, name: str) -> tuple[int, int, int]:
        """A sort key that puts ids into the ledger's order; unknown ids come last."""
        volume = self.holding(name)
        if volume is None:
            return 2, 0, 0
        if volume.page.key in self.joined:
            return 0, volume.page.place or 0, volume.places[name]
        return 1, next(place for place, each in enumerate(self.own) if each is volume), volume.places[name]


@dataclass(frozen=True, eq=False)
class ClaimsById(Mapping[str, Claim]):
    """A ledger's claims by id, in its order."""

    ledger: Ledger

    def __getitem__(self, name: str) -> Claim:
        """The claim with this id. Raises KeyError if there is none."""
        volume = self.ledger.holding(name)
        if volume is None:
            raise KeyError(name)
        return volume.claims[volume.places[name]]

    def __iter__(self) -> Iterator[str]:
        """The ids of the claims, in the order of the ledger."""
        return (claim.id for claim in self.ledger.claims)

    def __len__(self) -> int:
        """The number of claims in the ledger."""
        return len(self.ledger.claims)


def share_a_beginning(a: str, b: str) -> bool:
    """Whether one of the two texts begins with the other."""
    return a.startswith(b) or b.startswith(a)


def demand_places(volumes: Iterable[Volume]) -> None:
    """Raises ValueError if two pages have the same place in the ledger."""
    require_unique("pages", "place", [volume.page.place for volume in volumes if volume.page.place is not None])


def require_unique(things: str, what: str, names: Iterable[object]) -> None:
    """Raises ValueError if a name occurs twice. things, what: words for the message, such as "pages" and "key"."""
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"two {things} have the {what} {name!r}; change one of them, because each {what} must be unique"
            )
        seen.add(name)


@cache
def ledger() -> Ledger:
    """The ledger of the registered pages."""
    return open_ledger(())


@cache
def open_ledger(files: tuple[str, ...]) -> Ledger:
    """The ledger of all registered pages and of the pages in these files, cached for the process.
    Raises what `load_page_file` raises."""
    return Ledger(tuple(map(load_page_file, files)), files, paper_keys())


@cache
def load_volume(key: str) -> Volume:
    """Loads the page with this key, and its claims, from its folder.
    Raises ValueError if the page does not state its place, on which its share of the risk depends, or if two of its
    claims have one id."""
    page: Page = import_module(f"{PAPERS_PACKAGE}.{key}.page").page
    claims: tuple[Claim, ...] = import_module(f"{PAPERS_PACKAGE}.{key}.claims").CLAIMS
    if page.place is None:
        raise ValueError(
            f"the module of the paper {key} is in reference/papers but has no place; pass place= with "
            "the next free number to Page(...)"
        )
    require_unique("claims", "id", [claim.id for claim in claims])
    return Volume(page, claims)


# -- a page that lives elsewhere ---------------------------------------------------------------------------------


def load_page_file(file: str) -> Volume:
    """Loads the page and claims from a Python file, or from a package folder, whose name is the page's key.
    A file defines `page` and `CLAIMS`; a package has them in its files `page` and `claims`, as registered pages do, and
    proofs in `proofs`.

    Raises ValueError, naming the file, if it cannot be loaded.
    """
    source, name = source_of(file)
    page, claims = import_page_file(file, source, name)
    if not isinstance(page, Page):
        raise ValueError(
            f"{file}: this module must define `page`, or be a package with a file page.py that defines it; add "
            f"page = Page({name!r}, title, authors, venue)"
        )
    if not isinstance(claims, tuple | list) or not all(isinstance(claim, Claim) for claim in claims):
        raise ValueError(
            f"{file}: this module must define `CLAIMS`, or be a package with a file claims.py that defines it; add "
            "CLAIMS = chapter.claims, or (*first.claims, *second.claims)"
        )
    if not claims:
        raise ValueError(f"{file}: CLAIMS is empty; add at least one claim")
    if page.key != name:
        raise ValueError(
            f"{file}: the key of Page(...) is {page.key!r}, but must equal the name of the file, {name!r}; change the "
            "key, or rename the file"
        )
    if page.key in paper_keys():
        raise ValueError(f"{file}: the ledger already has a paper {page.key!r}; choose another key and file name")
    for claim in claims:
        if not claim.id.startswith(f"{name}/") or claim.source.paper != name:
            raise ValueError(
                f"{file}: the claim {claim.id!r} belongs to the paper {claim.source.paper!r}; create it with "
                f"a chapter of {name!r}, and its source with page.source"
            )
    return Volume(page, tuple(claims), file)


def source_of(file: str) -> tuple[Path, str]:
    """The Python file of a page, and the name under which it is imported."""
    path = Path(file).resolve()
    source = path / "__init__.py" if path.is_dir() else path
    if not path.exists():
        raise ValueError(f"{file}: there is no such file; give a .py file, or the folder of a package")
    if not source.is_file() or source.suffix != ".py":
        raise ValueError(
            f"{file}: this is not the module of a paper; give a .py file, or a folder that contains __init__.py"
        )
    name = path.name.removesuffix(".py")
    if not name.isidentifier():
        raise ValueError(f"{file}: {NO_MODULE.format(name)}; rename it")
    return source, name


NO_MODULE = "{!r} is not a valid module name; use letters, digits and _, and begin with a letter"


def key_fault(key: str) -> str:
    """The reason why a new page cannot have the key `key`, with a remedy; "" if it can."""
    if not key.isidentifier() or not key.isascii() or iskeyword(key):
        return f"{NO_MODULE.format(key)}, as in smith26"
    if key in paper_keys():
        return "the ledger already has a paper with this key; choose another key"
    if hidden_by(key):
        return "another module has this name, and the module of the paper would hide it; choose another key"
    return ""


def hidden_by(name: str, source: Path | None = None) -> bool:
    """Whether a page file with this name would hide another module."""
    if name in sys.modules or name in sys.stdlib_module_names:
        return True
    found = find_spec(name)  # may be the page itself: the current folder is on the path of `python -m dpbandits`
    return found is not None and (source is None or found.origin != str(source))


def import_page_file(file: str, source: Path, name: str) -> tuple[Any, Any]:
    """Imports a page file and returns its `page` and its `CLAIMS`, each None if the file does not define it.
    Raises ValueError, with the line, for exceptions of the file's own code."""
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(source):
        return page_and_claims(known)
    if hidden_by(name, source):
        raise ValueError(f"{file}: another module is called {name!r}, and this file would hide it; rename this file")
    inside = [str(source.parent)] if source.name == "__init__.py" else None
    spec = spec_from_file_location(name, source, submodule_search_locations=inside)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        return page_and_claims(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also what is no Exception, such as pytest.fail's
        for each in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[each]
        where = error_location(error, source)
        raise ValueError(f"{where or file}: {type(error).__name__}: {error}") from error


def page_and_claims(module: ModuleType) -> tuple[Any, Any]:
    """The values `page` and `CLAIMS` of a module, or of a package's modules `page` and `claims`; None if missing."""
    if not hasattr(module, "__path__"):
        return getattr(module, "page", None), getattr(module, "CLAIMS", None)
    names = [f"{module.__name__}.{each}" for each in ("page", "claims")]
    page, claims = (import_module(each) if find_spec(each) else None for each in names)
    return getattr(page, "page", None), getattr(claims, "CLAIMS", None)


def error_location(error: BaseException, source: Path) -> str:
    """The last line of the page in the error's traceback, as file:line; "" if there is none."""
    inside = source.parent if source.name == "__init__.py" else source
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    place, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path == inside or inside in path.parents:
            place = f"{path}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
