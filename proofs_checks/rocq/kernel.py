"""What Rocq's kernel says about a theorem: it is asked anew in every process, and no answer is kept in a file.

A page's proofs in Rocq stand beside its others, and are Dpbandits.PAGE.FILE to Coq; what they share stands beside this
file, as Dpbandits.FILE.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

SHARED_PROOFS = Path(__file__).parent
LIBRARY = "Dpbandits"  # the name under which files require each other
OPTIONS = ["-w", "none", "-Q", ".", LIBRARY]
COQC = "DPBANDITS_COQC"  # the environment's word for the compiler; empty: none
REQUIRES = re.compile(rf"^From {LIBRARY}(\.\w+)? Require Import ([\w ]+)\.", re.MULTILINE)
HEADER = re.compile(r"^(?:From .* Require Import .*|Import .*|(?:Local )?Open Scope .*)\.$", re.MULTILINE)
COQ_FAILED = re.compile(r'^File "[^"]*", line (\d+), characters [-\d]+:$', re.MULTILINE)
NO_LIBRARY = re.compile(r"Cannot find a physical path|Unable to locate library|Cannot load")
# What the standard library's real numbers stand on. A theorem may rest on these, and on nothing else.
ALLOWED_AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "Classical_Prop.classic",
        "FunctionalExtensionality.functional_extensionality_dep",
    }
)
# Coq's own 63-bit integers, which its arithmetic of large numbers is made of.
ALLOWED_LIBRARIES = ("PrimInt63.", "Uint63.")


class Checked(NamedTuple):
    """A theorem that the kernel has accepted: its statement and the axioms below it, as Coq prints them; the
    compiler's version."""

    statement: str
    axioms: tuple[str, ...]
    version: str


class Answers(NamedTuple):
    """What the kernel says to theorems that were put to it together. refused: what coqc complained of, by name, for
    each whose proof it did not accept. axioms: below all others; version: the compiler's."""

    refused: Mapping[str, str]
    axioms: tuple[str, ...]
    version: str


class NotAccepted(RuntimeError):
    """A file that does not compile, or a theorem that rests on more than it may."""


def compiler() -> str | None:
    """The path of coqc, or of what the environment names in its place; None where there is none."""
    return shutil.which(os.environ.get(COQC, "coqc"))


@cache
def installation() -> str:
    """The compiler's version and the libraries beside it: what an answer depends on. Empty where there is none."""
    coqc = compiler()
    if coqc is None:
        return ""
    libraries = Path(run(coqc, ["-where"], SHARED_PROOFS).strip()) / "user-contrib"
    names = sorted(each.name for each in libraries.iterdir()) if libraries.is_dir() else []
    return " ".join([run(coqc, ["--print-version"], SHARED_PROOFS).split()[0], *names])


@cache
def checked(file: Path, theorem: str) -> Checked | None:
    """The theorem of this file once the kernel has accepted it, and all that it needs; None where coqc or a library
    that the file needs is not installed. Raises NotAccepted."""
    coqc = compiler()
    if coqc is None or not at_hand(coqc, needed(file)):
        return None
    asked = workshop() / f"query_{file.stem}_{theorem}.v"
    asked.write_text(query(file, theorem), encoding="utf-8")
    said = run(coqc, [*OPTIONS, asked.name], workshop())
    statement, axioms = allowed(said, f"{file.name}: {theorem}")
    return Checked(statement, axioms, installation().split()[0])


def answers(header: str, theorems: Mapping[str, str], batch: str) -> Answers | None:
    """What the kernel says to these theorems (each with its proof, in lines of its own, by its name) below the header,
    which requires shared files alone; None where coqc or a library is not installed. batch: a name of its own for
    each call that may run beside others. Raises NotAccepted where an axiom is not allowed."""
    coqc = compiler()
    if coqc is None or not at_hand(coqc, required(header, SHARED_PROOFS)):
        return None
    left, refused = dict(theorems), dict[str, str]()
    asked = workshop() / f"query_{batch}.v"
    while left:
        together = f"Definition together := ({', '.join(left)}).\nPrint Assumptions together.\n"
        asked.write_text("\n".join([header, *left.values(), together]), encoding="utf-8")
        said = run(coqc, [*OPTIONS, asked.name], workshop())
        failed = COQ_FAILED.search(said)
        if failed is None:
            return Answers(refused, allowed(said, batch)[1], installation().split()[0])
        name = theorem_at(int(failed[1]), header, left)
        refused[name] = " ".join(said[failed.end() :].split())
        del left[name]
    return Answers(refused, (), installation().split()[0])


def theorem_at(line: int, header: str, theorems: Mapping[str, str]) -> str:
    """The theorem that stands at this line, counted from 1."""
    end = header.count("\n") + 1
    for name, text in theorems.items():
        end += text.count("\n") + 1
        if line <= end:
            return name
    raise NotAccepted(f"line {line} is no theorem's")


def at_hand(coqc: str, files: list[Path]) -> bool:
    """Whether these files are compiled now, in this order; False where a library is missing. Raises NotAccepted."""
    for each in files:
        complaint = compiled(coqc, each)
        if NO_LIBRARY.search(complaint):
            return False
        if complaint:
            raise NotAccepted(f"{each.name}: coqc does not accept it: {complaint.strip()[-1000:]}")
    return True


def allowed(said: str, what: str) -> tuple[str, tuple[str, ...]]:
    """What Coq printed before its axioms, and these. Raises NotAccepted where one is not allowed, or none are told."""
    statement, closed, _ = said.partition("Closed under the global context")
    statement, open_, below = statement.partition("Axioms:")
    axioms = tuple(re.findall(r"^(\S+)", below, re.MULTILINE))
    refused = [axiom for axiom in axioms if axiom not in ALLOWED_AXIOMS and not axiom.startswith(ALLOWED_LIBRARIES)]
    if refused or not (closed or open_):
        raise NotAccepted(f"{what} rests on {', '.join(refused) or said[-300:]}: no axiom allowed here")
    return " ".join(statement.split()), axioms


@cache
def workshop() -> Path:
    """This process's own folder, in which files are compiled; it goes with the process."""
    folder = Path(mkdtemp(prefix="dpbandits-rocq-"))
    # Workers end without what atexit keeps; this runs there as well, and in no process that was forked from this one.
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
    return folder


@cache
def compiled(coqc: str, file: Path) -> str:
    """What coqc complains of; nothing where the file is compiled now, beside those that it needs."""
    copy = workshop() / logical(file)
    copy.parent.mkdir(exist_ok=True)
    shutil.copyfile(file, copy)
    return run(coqc, [*OPTIONS, str(logical(file))], workshop())


def query(file: Path, theorem: str) -> str:
    """The lines that print a theorem, in the file's own notations, and what it rests on."""
    place = ".".join([LIBRARY, *logical(file).with_suffix("").parts[:-1]])
    header = HEADER.findall(file.read_text(encoding="utf-8"))
    required = f"From {place} Require Import {file.stem}."
    return "\n".join([*header, required, f"Check {theorem}.", f"Print Assumptions {theorem}.", ""])


def logical(file: Path) -> Path:
    """Where Coq finds the file, below the folder of its library."""
    return Path(file.name) if file.parent == SHARED_PROOFS else Path(file.parent.name, file.name)


def needed(file: Path) -> list[Path]:
    """The file, and all files of ours that it requires, those first."""
    return [*required(file.read_text(encoding="utf-8"), file.parent), file]


def required(text: str, folder: Path) -> list[Path]:
    """All files of ours that a text in this folder requires, each after those that it needs."""
    found: list[Path] = []
    for page, names in REQUIRES.findall(text):
        beside = folder if page else SHARED_PROOFS
        found += [each for name in names.split() for each in needed(beside / f"{name}.v")]
    return list(dict.fromkeys(found))


def run(coqc: str, options: list[str], folder: Path) -> str:
    """What it says, on either end; a file that compiles in silence says nothing."""
    done = subprocess.run([coqc, *options], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
