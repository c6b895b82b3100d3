"""The registry of what extensions add to the core: commands, players of runs, report pages, kinds of files.

An extension is a package in the folder `extensions`, or a package of another distribution that names it in the entry
point group `dpbandits.extensions`. Its module `registration` has one constant, `EXTENSION`. The core imports no
extension; it asks this registry. An added object is named as "package.module:name" and imported when it is first used,
so that `dpbandits --help` and a test run without audits stay quick. This module needs the standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

PACKAGE = "dpbandits.extensions"  # where the extensions of this distribution are
ENTRY_POINTS = "dpbandits.extensions"  # the group in which other distributions name theirs


@dataclass(frozen=True)
class ReportPage:
    """A page of the report besides those of the papers.

    data: the name of the JSON file in `dpbandits/shipped` that it shows. link: the text of the link on the overview,
    and sentence, the text after the link. wanted: names a function of the data and of the keys of the report's papers
    that decides whether the page belongs in this report. make: names a function of the data and of the variables of
    every template that returns the page as HTML.
    """

    data: str
    link: str
    sentence: str
    wanted: str
    make: str


@dataclass(frozen=True)
class Player:
    """A player of policies that is faster than numpy step by step, with the same numbers.

    steps: names a function of policy, environment and noise. It returns a function that advances a `Batch` by one or
    several steps, and raises `audit.play.fastest.NotPlayed` for runs that it does not play. worth: the player is used
    for runs of at least this many numbers, which are trials times arms times steps.
    """

    steps: str
    worth: int


@dataclass(frozen=True)
class Kernel:
    """How the kernel of a proof assistant is asked; every field names a function.

    evidence: of a `proofs_checks.formulas.theorems.Theorem` and the claim that it carries: the evidence of the finding,
    once the kernel has accepted it; raises KernelError.
    demand: of theorems; raises NotInstalled where they cannot be asked about.
    program: what is asked, such as "coqc 8.16.1", or None.
    installation: what a cached answer depends on, as text.
    install_words: of a NotInstalled: what to install.
    demand_compiler: ends a command where nothing can be asked.
    statement_page: of a claim's id: what the theorem says that carries it, as it was kept, or "".
    second_opinions: of certificates, what checks one, and `strict`: the outcomes, and a line that counts them.
    """

    evidence: str
    demand: str
    program: str
    installation: str
    install_words: str
    demand_compiler: str
    statement_page: str
    second_opinions: str


@dataclass(frozen=True)
class FileKind:
    """How a JSON file of dpbandits is recognised. fields: those at its top level. values: required values of some
    fields. or_marked: whether a file may also be a marked file that is no JSON, such as a drawing."""

    fields: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    or_marked: bool = False


@dataclass(frozen=True)
class Extension:
    """What one extension adds. Commands, functions and the like are named as
    "package.module:name".

    name: of its folder, or what another distribution calls it.
    uses: the other extensions that it imports.
    commands: click commands, by what is typed.
    pages: of the report, by their names, which are those of their files without the ending.
    headlines: functions of the variables of the overview's templates, which return a `reports.page.HeadlineBlock`, by
    the claim with which the overview begins.
    players: of runs.
    own_policy_looks: functions of a claim about a user's own policy, the policy and the seed, called before the policy
    is audited. Each returns a remark, "" for none, and pairs of tables that the audit tests first.
    refutations_in_context: functions of a claim's id, a policy with contexts, a pair, the curve, the exact profile,
    where it is broken, and the view. Each returns a checked certificate, or None.
    differences: functions of a certificate about a claim on privacy, a policy and what the claim says, by the type of
    certificate. Each says how the policy or the inputs differ; "" where they do not.
    checkers: each a `proofs_checks.checker.verification.Kind`, by the type of certificate that it checks.
    outcomes: functions of a certificate and `strict`, which return `audit.cli.verifying.Outcome`, by the type of
    certificate, which is about no claim.
    durations: functions of a certificate that return about how many seconds its check takes, 0 where it is rejected at
    once, by the type of certificate.
    opinions: like outcomes, of what a proof assistant's kernel says about the certificate.
    kernel: how the kernel of a proof assistant is asked; at most one extension says so.
    file_kinds: how its files are recognised before they are overwritten, by what messages call the file.
    file_marks: how its files begin that are no JSON.
    """

    name: str
    uses: tuple[str, ...] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, ReportPage] = field(default_factory=dict)
    headlines: Mapping[str, str] = field(default_factory=dict)
    players: tuple[Player, ...] = ()
    own_policy_looks: tuple[str, ...] = ()
    refutations_in_context: tuple[str, ...] = ()
    differences: Mapping[str, str] = field(default_factory=dict)
    checkers: Mapping[str, str] = field(default_factory=dict)
    outcomes: Mapping[str, str] = field(default_factory=dict)
    durations: Mapping[str, str] = field(default_factory=dict)
    opinions: Mapping[str, str] = field(default_factory=dict)
    kernel: Kernel | None = None
    file_kinds: Mapping[str, FileKind] = field(default_factory=dict)
    file_marks: tuple[bytes, ...] = ()


@cache
def extensions() -> tuple[Extension, ...]:
    """All installed extensions, by name in alphabetical order. Raises ValueError if two have the same name."""
    found = list[Extension]()
    for name in sorted(own_names()):
        found.append(import_module(f"{PACKAGE}.{name}.registration").EXTENSION)
    for point in metadata.entry_points(group=ENTRY_POINTS):
        found.append(point.load())
    by_name = {each.name: each for each in found}
    if len(by_name) < len(found):
        raise ValueError(f"two extensions have the same name: {', '.join(sorted(each.name for each in found))}")
    return tuple(by_name[name] for name in sorted(by_name))


def own_names() -> Iterator[str]:
    """The names of the packages in the folder `extensions`."""
    spec = find_spec(PACKAGE)
    for each in iter_modules(spec.submodule_search_locations or () if spec else ()):
        if each.ispkg:
            yield each.name


def foreign_versions() -> list[str]:
    """Describes each extension of another distribution by its name and the distribution's name and version."""
    points = metadata.entry_points(group=ENTRY_POINTS)
    return sorted(f"{each.name} {each.dist.name} {each.dist.version}" for each in points if each.dist)


def names_extension(error: ModuleNotFoundError) -> bool:
    """Whether an import failed because an extension is not installed."""
    return (error.name or "").startswith(f"{PACKAGE}.")


def loaded(name: str) -> Any:
    """The object named by "package.module:name". Raises ImportError if it does not exist."""
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except AttributeError:
        raise ImportError(f"the registered name {name} does not exist: {module} has no {attribute}") from None


@cache
def added() -> Extension:
    """The contributions of all extensions together: `added().commands` are the commands of all of them.
    Raises ValueError if two contribute something with the same key, or two kernels."""
    whole = Extension("all extensions")
    for extension in extensions():
        whole = replace(whole, **{each.name: joined(whole, extension, each.name) for each in fields(Extension)[1:]})
    return whole


def joined(whole: Extension, extension: Extension, name: str) -> Any:
    """Joins the field `name` of one more extension to that of `whole`, which stands for several extensions.
    Raises ValueError as `added` does."""
    known, own = getattr(whole, name), getattr(extension, name)
    if isinstance(known, tuple):
        return known + own
    if isinstance(known, Mapping):
        if twice := sorted(known.keys() & own.keys()):
            raise ValueError(
                f"extension {extension.name}: the names {', '.join(twice)} of its {name} are already used by "
                "another extension"
            )
        return {**known, **own}
    if known is not None and own is not None:
        raise ValueError(
            f"extension {extension.name} registers a way to run Rocq's kernel, but another extension already does; "
            "only one extension may do so"
        )
    return own if known is None else known
