"""What Rocq's kernel says about a theorem: its statement, and the axioms that it rests on by their full names.

A page's proofs in Rocq are beside its other proofs, and are Dpbandits.PAGE.FILE to Coq; files that several pages share
are beside this file, as Dpbandits.FILE.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from dpbandits.extensions.rocq.compiled_files import (
    LIBRARY,
    OPTIONS,
    SHARED_PROOFS,
    compiled,
    libraries_of,
    load_options,
    made_once,
    module_name,
    needed,
    required,
    workshop,
)
from dpbandits.extensions.rocq.coqc import FILE_SECONDS, NotAccepted, demand_libraries, output_of, version
from dpbandits.proofs_checks.formulas.theorems import Checked

HEADER = re.compile(r"^(?:From .* Require Import .*|Import .*|(?:Local )?Open Scope .*)\.$", re.MULTILINE)
THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
COQ_FAILED = re.compile(r'^File "[^"]*", line (\d+), characters [-\d]+:$', re.MULTILINE)
LOCATED = re.compile(r"^(?:Constant|Inductive) (\S+)")
NO_AXIOMS = "Closed under the global context"
# The axioms of the standard library's real numbers, by their full names. A theorem may rest on these, and on nothing
# else.
ALLOWED_AXIOMS = frozenset(
    {
        "Coq.Reals.ClassicalDedekindReals.sig_forall_dec",
        "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
        "Coq.Logic.Classical_Prop.classic",
        "Coq.Logic.FunctionalExtensionality.functional_extensionality_dep",
    }
)
# Coq's own 63-bit integers, which its arithmetic of large numbers is made of.
ALLOWED_LIBRARIES = ("Coq.Numbers.Cyclic.Int63.PrimInt63.", "Coq.Numbers.Cyclic.Int63.Uint63.")


class Answers(NamedTuple):
    """What the kernel says to theorems that were put to it together. refused: what coqc complained of, by name, for
    each whose proof it did not accept. axioms: below all others; version: the compiler's."""

    refused: Mapping[str, str]
    axioms: tuple[str, ...]
    version: str


@cache
def checked(file: Path, theorem: str, seconds: float = FILE_SECONDS) -> Checked:
    """The theorem of this file once the kernel has accepted it, and all that it needs. seconds: that coqc may take for
    each file. Raises NotInstalled, TookTooLong and NotAccepted."""
    compiled(file, seconds)
    together = THEOREM.findall(file.read_text(encoding="utf-8"))
    said = said_about(file, tuple(together) if theorem in together else (theorem,), seconds)
    axioms = allowed(said / f"{theorem}.axioms", f"{file.name}: {theorem}")
    statement = (said / f"{theorem}.out").read_text(encoding="utf-8")
    return Checked(" ".join(statement.split()), axioms, version())


def said_about(file: Path, theorems: Sequence[str], seconds: float) -> Path:
    """A folder with what Coq prints about these theorems of the file: for each its statement, in NAME.out, and in
    NAME.axioms the full names of the axioms below it, or that there are none."""

    def make(draft: Path) -> None:
        module, options = module_name(file), load_options(needed(file))
        header = HEADER.findall(file.read_text(encoding="utf-8"))
        page, _, name = module.rpartition(".")
        # In the file's own notations, which may print anything: nothing but the statement is read from this run.
        lines = [*header, f"From {page} Require Import {name}.", "Set Printing Width 110."]
        lines += [f'Redirect "{each}" Check @{module}.{each}.' for each in theorems]
        run_query("statements", lines, options, draft, seconds)
        write_axioms(module, theorems, options, draft, seconds)

    digest = blake2b(" ".join(theorems).encode(), digest_size=8).hexdigest()
    return made_once(compiled(file, seconds) / f"said-{digest}", make)


def write_axioms(module: str, theorems: Sequence[str], options: list[str], folder: Path, seconds: float) -> None:
    """Writes NAME.axioms for each theorem of a compiled module: full names, one a line.

    The module is required and not imported, so that Coq's own commands print what the module cannot have changed by a
    notation. The names that Coq prints are the shortest that are not ambiguous there; where they lead is asked in a
    second run, for a file of ours could have the name of a standard one.
    """
    lines = [f"Require {module}."]
    lines += [f'Redirect "{each}.assumptions" Print Assumptions {module}.{each}.' for each in theorems]
    run_query("assumptions", lines, options, folder, seconds)
    short = {each: assumed((folder / f"{each}.assumptions.out").read_text(encoding="utf-8")) for each in theorems}
    names = sorted({name for every in short.values() for name in every})
    lines = [f"Require {module}."]
    lines += [f'Redirect "place{number}" Locate Term {name}.' for number, name in enumerate(names)]
    run_query("places", lines, options, folder, seconds)
    full = {}
    for number, name in enumerate(names):
        found = LOCATED.match((folder / f"place{number}.out").read_text(encoding="utf-8"))
        full[name] = found[1] if found else f"{name}, of which Coq does not say where it is"
    for each, every in short.items():
        text = "\n".join(full[name] for name in every) if every else NO_AXIOMS
        (folder / f"{each}.axioms").write_text(f"{text}\n", encoding="utf-8")


def assumed(said: str) -> tuple[str, ...]:
    """The names in what `Print Assumptions` printed. Raises NotAccepted where that is neither a list nor that there are
    none."""
    if said.strip() == NO_AXIOMS:
        return ()
    first, _, below = said.partition("\n")
    names = tuple(re.findall(r"^(\S+)", below, re.MULTILINE))
    if first != "Axioms:" or not names:
        raise NotAccepted(f"Print Assumptions says neither which axioms there are nor that there are none: {said!a}")
    return names


def allowed(file: Path, what: str) -> tuple[str, ...]:
    """The axioms that `write_axioms` wrote. Raises NotAccepted where one is not allowed."""
    names = file.read_text(encoding="utf-8").splitlines()
    axioms = () if names == [NO_AXIOMS] else tuple(names)
    refused = [axiom for axiom in axioms if axiom not in ALLOWED_AXIOMS and not axiom.startswith(ALLOWED_LIBRARIES)]
    if refused or not names:
        raise NotAccepted(f"{what} rests on {', '.join(refused) or 'nothing that Coq names'}: no axiom allowed here")
    return axioms


def run_query(name: str, lines: Sequence[str], options: list[str], folder: Path, seconds: float) -> None:
    """Runs these lines, whose output goes into files. Raises NotAccepted where coqc prints anything else."""
    file = folder / f"query_{name}.v"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    complaint = output_of([*OPTIONS, *options, file.name], folder, seconds)
    if complaint:
        raise NotAccepted(f"coqc does not answer: {complaint.strip()[-1000:]}")


def answers(header: str, theorems: Mapping[str, str], batch: str, seconds: float = FILE_SECONDS) -> Answers:
    """What the kernel says to these theorems (each with its proof, in lines of its own, by its name) below the header,
    which requires shared files alone. batch: a name of its own for each call that may run beside others. seconds: that
    coqc may take for what none of the proofs limits itself, and for each part that does. Raises NotInstalled,
    TookTooLong, and NotAccepted where an axiom is not allowed."""
    files = required(header, SHARED_PROOFS)
    demand_libraries(name for file in files for name in libraries_of(file))
    options = [*load_options(files), "-Q", ".", LIBRARY]
    left, refused = dict(theorems), dict[str, str]()
    folder = workshop() / batch
    folder.mkdir(exist_ok=True)
    asked = folder / f"query_{batch}.v"
    while left:
        together = f"Definition together := ({', '.join(left)}).\n"
        asked.write_text("\n".join([header, *left.values(), together]), encoding="utf-8")
        limits = sum(text.count("imeout ") for text in left.values())
        said = output_of([*OPTIONS, *options, asked.name], folder, seconds * (1 + limits))
        failed = COQ_FAILED.search(said)
        if failed is None:
            if said:
                raise NotAccepted(f"{batch}: coqc does not accept it: {said.strip()[-1000:]}")
            write_axioms(f"{LIBRARY}.{asked.stem}", ["together"], options, folder, seconds)
            return Answers(refused, allowed(folder / "together.axioms", batch), version())
        name = theorem_at(int(failed[1]), header, left)
        refused[name] = " ".join(said[failed.end() :].split())
        del left[name]
    return Answers(refused, (), version())


def theorem_at(line: int, header: str, theorems: Mapping[str, str]) -> str:
    """The theorem at this line, counted from 1. Raises NotAccepted where there is none."""
    end = header.count("\n") + 1
    for name, text in theorems.items():
        end += text.count("\n") + 1
        if line <= end:
            return name
    raise NotAccepted(f"line {line} belongs to no theorem")
