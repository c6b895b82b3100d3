"""What a piece of code depends on: the modules that it may import, as syntax trees, and the data files that they read.

A digest is the same as long as nothing changes that could change what the code does. Comments never count. Docstrings
count where some module reads any. An import counts wherever it stands, inside a function as well, and so do the
packages around an imported module. Of what is installed (numpy, say) the version counts. Where code can reach what no
import shows (by a module's name, by running a text, from the environment) there is no digest: such a thing is never
taken for unchanged.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import dpbandits
from dpbandits.audit.run.trees import Parsed, digest_of, parsed

OURS = "dpbandits"
CODE = frozenset({".py", ".pyc", ".md"})  # no data: Markdown is for people


class Module(NamedTuple):
    """A module of which the source counts. package: what relative imports of it start from."""

    name: str
    path: Path
    package: str


class Sources:
    """What modules depend on, as it stands on disk when it is first asked for. places: where the trees stand of
    top-level packages that are not to be looked up. alone: modules that import by name, and of which whoever asks names
    what they import."""

    def __init__(self, places: Mapping[str, Path] | None = None, alone: Iterable[str] = ()):
        self.places = {OURS: Path(dpbandits.__file__).parent} | dict(places or {})
        self.alone = frozenset(alone)
        self.found: dict[str, Module | str | None] = {}
        self.read: dict[Module, Parsed] = {}
        self.wanted: dict[Module, tuple[frozenset[str], bool]] = {}
        self.held: dict[Module, list[str]] = {}
        self.digests: dict[frozenset[str], str | None] = {}

    def digest(self, roots: Iterable[str]) -> str | None:
        """A digest of the modules and of all that they depend on; None where that cannot be said."""
        names = frozenset(roots)
        if names not in self.digests:
            self.digests[names] = self.made(names)
        return self.digests[names]

    def made(self, roots: frozenset[str]) -> str | None:
        modules, libraries = self.closure(roots)
        if modules is None:
            return None
        # `reference.page` makes a docstring the scope of a claim, which counts as part of the claim.
        words = any(self.text(module).words for module in modules if module.name != f"{OURS}.reference.page")
        lines = [f"python {sys.version}", *sorted(map(versioned, libraries))]
        for module in sorted(modules):
            tree = self.text(module).whole if words else self.text(module).bare
            lines.append(f"{module.name} {tree.hex()}")
            lines += self.files(module)
        return digest_of("\n".join(lines).encode()).hex()

    def closure(self, roots: Iterable[str]) -> tuple[frozenset[Module] | None, frozenset[str]]:
        """The modules that the roots may import, themselves included, and the installed packages. None for the modules
        where one of them is unknown, or reaches what no import shows."""
        modules: set[Module] = set()
        libraries: set[str] = set()
        waiting, seen = list(roots), set(roots)
        known = all(self.place(name) is not None for name in waiting)
        while waiting:
            name = waiting.pop()
            place = self.place(name)
            if isinstance(place, str):
                libraries.add(place)
            elif place is not None:
                modules.add(place)
                known &= not self.text(place).unseen or name in self.alone
                names, found = self.imports(place)
                known &= found
                waiting += names - seen
                seen |= names
        return (frozenset(modules) if known else None), frozenset(libraries)

    def text(self, module: Module) -> Parsed:
        if module not in self.read:
            self.read[module] = parsed(module.path.read_bytes())
        return self.read[module]

    def imports(self, module: Module) -> tuple[frozenset[str], bool]:
        """The names of all modules that its imports may load, and of the packages around them; and whether every module
        that is imported was found."""
        if module not in self.wanted:
            names, whole = set(around(module.name)), True
            for level, name, taken in self.text(module).imports:
                if level:
                    parts = module.package.split(".")
                    name = ".".join([*parts[: len(parts) - level + 1], *([name] if name else [])])
                place = self.place(name)
                whole &= place is not None
                names |= {name, *around(name)}
                if isinstance(place, Module):  # of an installed package the version counts, whatever is taken
                    lazy = taken_lazily(place)
                    for each in taken:
                        names |= set(self.below(place)) if each == "*" else {lazy.get(each, f"{name}.{each}")}
                    if "*" in taken or not (taken or ours(module)):  # then whatever is taken as an attribute
                        names |= set(lazy.values())
            self.wanted[module] = frozenset(names), whole
        return self.wanted[module]

    def below(self, package: Module) -> Iterator[str]:
        """The modules of a package, which `import *` may load."""
        if package.path.name == "__init__.py":
            for path in package.path.parent.iterdir():
                yield f"{package.name}.{path.stem}"

    def place(self, name: str) -> Module | str | None:
        """The module, or the name of the installed package that it belongs to ("" for Python's own); None for what is
        no module, such as a class that is taken from one."""
        if name not in self.found:
            self.found[name] = self.looked_up(name)
        return self.found[name]

    def looked_up(self, name: str) -> Module | str | None:
        top, *rest = name.split(".")
        if top not in self.places:
            if top in sys.stdlib_module_names:
                return ""
            tree = top_level(top)
            if not isinstance(tree, Path):
                return tree
            self.places[top] = tree
        path = self.places[top].joinpath(*rest)
        if (path / "__init__.py").is_file():
            return Module(name, path / "__init__.py", name)
        source = path.with_name(f"{path.name}.py")
        return Module(name, source, name.rpartition(".")[0]) if source.is_file() else None

    def files(self, module: Module) -> list[str]:
        """The data files of the module, by what is in them."""
        if module not in self.held:
            self.held[module] = [f"{path.name} {digest_of(path.read_bytes()).hex()}" for path in self.data(module)]
        return self.held[module]

    def data(self, module: Module) -> list[Path]:
        """The files that the module may read: all in its folder, or in the whole package where it is none of ours, and
        those that its constants name; none where it reads no files."""
        text, folder = self.text(module), module.path.parent
        if not text.reads:
            return []
        top = module.name.partition(".")[0]
        tree = folder if top == OURS else self.places[top]
        found = {path for path in (tree.rglob("*") if tree.is_dir() else folder.iterdir()) if is_data(path)}
        for name in text.texts:
            named = folder / name if 0 < len(name) < 500 and name.isprintable() else folder
            if named.is_file():
                found.add(named)
            elif named != folder and named.is_dir() and folder in named.parents:
                found |= {path for path in named.rglob("*") if is_data(path)}
        return sorted(found)


def ours(module: Module) -> bool:
    return module.name.partition(".")[0] == OURS


def taken_lazily(package: Module) -> Mapping[str, str]:
    """The modules from which a package takes, when they are asked for, the names that its stub imports."""
    stub = package.path.with_suffix(".pyi")
    found = parsed(stub.read_bytes()).imports if stub.is_file() else ()
    return {each: ".".join(filter(None, (package.name, name or each))) for _, name, taken in found for each in taken}


def around(name: str) -> Iterator[str]:
    """The packages around a module."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def top_level(name: str) -> Path | str | None:
    """Where the tree of a top-level module stands, its name where it is installed, None where there is none."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    if module is None:
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            return None
        file = spec.origin if spec else None
    if file is None or not Path(file).is_file():
        return None
    path = Path(file).resolve()
    if any(path.is_relative_to(folder) for folder in installed()):
        return name
    return path.parent if path.name == "__init__.py" else path.with_suffix("")


@cache
def installed() -> tuple[Path, ...]:
    return tuple({Path(sysconfig.get_path(kind)).resolve() for kind in ("purelib", "platlib", "stdlib", "platstdlib")})


@cache
def versioned(library: str) -> str:
    """An installed package, by its version."""
    if not library:
        return ""
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:  # it is imported by another name than it is installed by
        names = distributions().get(library, [library])
        return " ".join(f"{name} {metadata.version(name)}" for name in sorted(set(names)))


@cache
def distributions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def is_data(path: Path) -> bool:
    return path.is_file() and path.suffix not in CODE and "__pycache__" not in path.parts
