"""Asks Rocq's kernel about a theorem: its statement, the full names of the axioms that it uses, and whether its
hypotheses are satisfiable.

A paper's proofs in Rocq are next to its other proofs; their logical names in Coq are Dpbandits.PAGE.FILE. Files that
several papers share are in this folder, with logical names Dpbandits.FILE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from dpbandits.extensions.rocq.compiled_files import (
    LIBRARY,
    OPTIONS,
    SHARED_PROOFS,
    compiled,
    compiled_folder,
    demand_libraries,
    digest_of_text,
    files_to_compile,
    libraries_of,
    load_options,
    made_once,
    module_name,
    required_files,
)
from dpbandits.extensions.rocq.coqc import FILE_SECONDS, NotAccepted, output_of, version
from dpbandits.proofs_checks.formulas.theorems import Checked

HEADER = re.compile(r"^(?:From .* Require Import .*|Import .*|(?:Local )?Open Scope .*)\.$", re.MULTILINE)
THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)
WITNESS = re.compile(r"^Lemma (\w+)_witness\b", re.MULTILINE)
SATISFIABLE = SHARED_PROOFS / "satisfiable.v"
# All theorems and witnesses of a file, as one definition. Coq is asked once about its axioms, because Coq then goes
# through all proofs below it: one second for those of real numbers, and five for those of Interval.
TOGETHER = "together"
AXIOMS = "axioms.txt"
COQ_FAILED = re.compile(r'^File "[^"]*", line (\d+), characters [-\d]+:$', re.MULTILINE)
LOCATED = re.compile(r"^(?:Constant|Inductive) (\S+)")
NO_AXIOMS = "Closed under the global context"
# The axioms of the standard library's real numbers, by their names within the library. A theorem may rest on these, and
# on nothing else. Version 9 calls the library Stdlib; earlier versions call it Coq.
REAL_AXIOMS = (
    "Logic.Classical_Prop.classic",
    "Logic.FunctionalExtensionality.functional_extensionality_dep",
    "Reals.ClassicalDedekindReals.sig_forall_dec",
    "Reals.ClassicalDedekindReals.sig_not_dec",
)
ALLOWED_AXIOMS = frozenset(f"{library}.{axiom}" for library in ("Coq", "Stdlib") for axiom in REAL_AXIOMS)
# Coq's own 63-bit integers, which its arithmetic of large numbers is made of; the last two in version 9.
ALLOWED_LIBRARIES = (
    "Coq.Numbers.Cyclic.Int63.PrimInt63.",
    "Coq.Numbers.Cyclic.Int63.Uint63.",
    "Corelib.Numbers.Cyclic.Int63.PrimInt63.",
    "Corelib.Numbers.Cyclic.Int63.Uint63Axioms.",
)
# The names that Coq prints of these integers' axioms. What they refer to is asked at once; of other names, in a second
# run of coqc.
INTEGERS = """
PrimInt63.int PrimInt63.add PrimInt63.addc PrimInt63.addcarryc PrimInt63.addmuldiv PrimInt63.compare PrimInt63.div
PrimInt63.diveucl PrimInt63.diveucl_21 PrimInt63.eqb PrimInt63.head0 PrimInt63.land PrimInt63.leb PrimInt63.lor
PrimInt63.lsl PrimInt63.lsr PrimInt63.ltb PrimInt63.lxor PrimInt63.mod PrimInt63.mul PrimInt63.mulc PrimInt63.sub
PrimInt63.subc PrimInt63.subcarryc PrimInt63.tail0
Uint63.add_spec Uint63.addc_def_spec Uint63.addcarryc_def_spec Uint63.addmuldiv_def_spec Uint63.compare_def_spec
Uint63.div_spec Uint63.diveucl_21_spec Uint63.diveucl_def_spec Uint63.eqb_correct Uint63.eqb_refl Uint63.head0_spec
Uint63.land_spec Uint63.leb_spec Uint63.lor_spec Uint63.lsl_spec Uint63.lsr_spec Uint63.ltb_spec Uint63.lxor_spec
Uint63.mod_spec Uint63.mul_spec Uint63.mulc_spec Uint63.of_to_Z Uint63.sub_spec Uint63.subc_def_spec
Uint63.subcarryc_def_spec Uint63.tail0_spec
"""


class Batch(NamedTuple):
    """The kernel's answers to theorems that were compiled together.
    file: with those that it accepts; None if there are none. refused: the error of coqc for each other theorem, by
    name. header: the text before the theorems."""

    file: Path | None
    refused: Mapping[str, str]
    header: str


@cache
def checked(file: Path, theorem: str, seconds: float = FILE_SECONDS) -> Checked:
    """Lets the kernel check a theorem and everything that it needs, and returns its statement and axioms.
    The axioms are those that the theorems of the file and their witnesses use together. If the file has a lemma
    NAME_witness, the kernel also checks that this lemma is the proposition that `satisfiable.v` writes from the
    theorem's statement. seconds: the time limit of coqc for each file. Raises NotInstalled, TookTooLong and
    NotAccepted."""
    compiled(file, seconds)
    text = file.read_text(encoding="utf-8")
    together, witnesses = THEOREM.findall(text), WITNESS.findall(text)
    asked = together if theorem in together else [theorem]
    said = run_queries(file, asked, [each for each in asked if each in witnesses], seconds)
    witness = said / f"{witness_of(theorem)}.out"
    return Checked(
        text_on_one_line(said / f"{theorem}.out"),
        allowed_axioms(said / AXIOMS, f"{file.name}: {theorem}, or another theorem or witness there,"),
        version(),
        text_on_one_line(witness) if witness.exists() else "",
    )


@cache
def own_axioms(file: Path, theorem: str, seconds: float = FILE_SECONDS) -> tuple[str, ...]:
    """Returns the full names of the axioms that one theorem uses, without other theorems and witnesses of its file.
    Takes seconds of the processor for each theorem. Raises the same errors as `checked`."""
    compiled(file, seconds)
    return allowed_axioms(run_queries(file, [theorem], [], seconds) / AXIOMS, f"{file.name}: {theorem}")


def witness_of(theorem: str) -> str:
    """The name of the lemma which states that this theorem's hypotheses are satisfiable."""
    return f"{theorem}_witness"


def text_on_one_line(file: Path) -> str:
    """The text in a file that Coq wrote, on one line."""
    return " ".join(file.read_text(encoding="utf-8").split())


def run_queries(file: Path, theorems: Sequence[str], witnessed: Sequence[str], seconds: float) -> Path:
    """Runs Coq's queries about the statements and axioms of these theorems; returns the folder with the output.
    For each theorem and witness its statement, in NAME.out, and in AXIOMS the full names of the axioms that they use
    together. witnessed: the theorems whose witnesses are checked."""
    module, text = module_name(file), file.read_text(encoding="utf-8")
    asked = [*theorems, *map(witness_of, witnessed)]
    # The file's own notations may print anything: it is imported after all other questions, and then nothing but the
    # statements is asked.
    page, _, name = module.rpartition(".")
    printing = [*HEADER.findall(text), f"From {page} Require Import {name}.", "Set Printing Width 110."]
    printing += [f'Redirect "{each}" Check @{module}.{each}.' for each in asked]
    accepted = [*(f"@{module}.{each}" for each in theorems), *map(witness_check, witnessed)]
    lines = [
        f"Require {module}.",
        *witness_lines(module, witnessed),
        f"Definition {TOGETHER} := ({', '.join(accepted)}).",
        *axiom_lines(),
        *printing,
    ]

    def make(draft: Path) -> None:
        """Runs Coq's queries in the folder `draft`."""
        options = load_options(files_to_compile(file))
        run_query("theorems", lines, options, draft, seconds)
        write_axioms([module], options, draft, seconds)

    digest = blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
    return made_once(compiled(file, seconds) / f"said-{digest}", make)


def witness_lines(module: str, theorems: Sequence[str]) -> list[str]:
    """Returns lines of Rocq that check the witness lemmas of these theorems.
    A copy of `satisfiable.v` takes the theorems' hypotheses from their statements."""
    lines = [SATISFIABLE.read_text(encoding="utf-8")] if theorems else []
    for name in theorems:
        statement = f"let P := type of {module}.{name} in let H := hypotheses_of P in exact H"
        lines.append(f"Definition {witness_check(name)} : ltac:({statement}) := {module}.{witness_of(name)}.")
    return lines


def witness_check(theorem: str) -> str:
    """The name under which `witness_lines` checks the witness lemma of a theorem."""
    return f"{theorem}_can_hold"


def axiom_lines() -> list[str]:
    """Returns lines of Rocq that print the axioms of the definition TOGETHER.
    The modules with the theorems are required and not imported, so that none of their notations changes the output of
    Coq's own commands. Coq prints the shortest unambiguous names. A file of this project could have the name of a
    standard one, so the lines also print what the names of the allowed axioms refer to."""
    short = [name.split(".", count)[-1] for name in REAL_AXIOMS for count in (1, 2)]
    asked = f'Redirect "{TOGETHER}.assumptions" Print Assumptions {TOGETHER}.'
    return [asked, *place_lines([*short, *INTEGERS.split()])]


def place_lines(names: Iterable[str]) -> list[str]:
    """Returns lines of Rocq that print what each of these names refers to."""
    return [f'Redirect "{name}.place" Locate Term {name}.' for name in names]


def write_axioms(modules: Sequence[str], options: list[str], folder: Path, seconds: float) -> None:
    """Writes the file AXIOMS with the full names of the axioms of the definition TOGETHER, one on each line.
    The folder contains the output of the lines from `axiom_lines`. modules: which were required there."""
    names = axioms_in_output((folder / f"{TOGETHER}.assumptions.out").read_text(encoding="utf-8"))
    unasked = sorted(name for name in names if not (folder / f"{name}.place.out").exists())
    if unasked:
        run_query("places", [f"Require {' '.join(modules)}.", *place_lines(unasked)], options, folder, seconds)
    lines = []
    for name in names:
        found = LOCATED.match((folder / f"{name}.place.out").read_text(encoding="utf-8"))
        lines.append(found[1] if found else f"{name}, of which Coq does not say where it is")
    (folder / AXIOMS).write_text("\n".join([*(lines or [NO_AXIOMS]), ""]), encoding="utf-8")


def axioms_in_output(output: str) -> tuple[str, ...]:
    """Returns the names of the axioms that are listed in the output of `Print Assumptions`.
    Raises NotAccepted if the output is neither a list nor the message that there are none."""
    if output.strip() == NO_AXIOMS:
        return ()
    first, _, below = output.partition("\n")
    names = tuple(re.findall(r"^(\S+)", below, re.MULTILINE))
    if first != "Axioms:" or not names:
        raise NotAccepted(f"the output of Print Assumptions could not be read: {output!a}")
    return names


def allowed_axioms(file: Path, description: str) -> tuple[str, ...]:
    """Returns the axioms listed in a file of `write_axioms`. Raises NotAccepted if one of them is not allowed."""
    names = file.read_text(encoding="utf-8").splitlines()
    axioms = () if names == [NO_AXIOMS] else tuple(names)
    refused = [axiom for axiom in axioms if axiom not in ALLOWED_AXIOMS and not axiom.startswith(ALLOWED_LIBRARIES)]
    if refused or not names:
        raise NotAccepted(
            f"{description} uses {', '.join(refused) or 'assumptions that Coq does not name'}, which is not among the "
            "allowed axioms"
        )
    return axioms


def run_query(name: str, lines: Sequence[str], options: list[str], folder: Path, seconds: float) -> None:
    """Lets coqc run these lines, which write their output into files; NotAccepted if coqc prints anything else."""
    file = folder / f"query_{name}.v"
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    complaint = output_of([*OPTIONS, *options, file.name], folder, seconds)
    if complaint:
        raise NotAccepted(f"coqc could not be run: {complaint.strip()[-1000:]}")


def compiled_together(header: str, theorems: Mapping[str, str], batch: str, seconds: float = FILE_SECONDS) -> Batch:
    """Lets the kernel check several theorems together, given as Rocq text with their proofs.
    header: the text before them, which requires only shared files. batch: a different name for each call. seconds: the
    time limit of coqc for everything without a limit in its proof, and for each part. Raises NotInstalled and
    TookTooLong. Which axioms the theorems use is another question: `axioms_of`."""
    files = required_files(header, SHARED_PROOFS)
    demand_libraries(name for file in files for name in libraries_of(file))
    options = [*OPTIONS, *load_options(files), "-Q", ".", LIBRARY]
    name = f"query_{batch}.v"
    left, refused = dict(theorems), dict[str, str]()
    while left:
        together = f"Definition {TOGETHER} := ({', '.join(left)}).\n"
        text = "\n".join([header, *left.values(), together])
        limits = sum(text.count("imeout ") for text in left.values())
        folder, said = compiled_text(name, text, files, options, seconds * (1 + limits))
        failed = COQ_FAILED.search(said)
        if failed is None:
            if said:
                raise NotAccepted(f"{batch}: coqc rejects this file: {said.strip()[-1000:]}")
            return Batch(folder / name, refused, header)
        first = theorem_at(int(failed[1]), header, left)
        refused[first] = " ".join(said[failed.end() :].split())
        del left[first]
    return Batch(None, refused, header)


def compiled_text(name: str, text: str, files: Sequence[Path], options: list[str], seconds: float) -> tuple[Path, str]:
    """Compiles a file with this name and text; returns the folder with the result, and what coqc complains of.
    If coqc accepts the file, the result is stored, and the same text is not compiled again. files: this project's files
    that the text requires. Raises NotInstalled and TookTooLong."""

    def make(draft: Path) -> None:
        """Compiles the file in the folder `draft`."""
        (draft / name).write_text(text, encoding="utf-8")
        if said := output_of([*options, name], draft, seconds):
            raise NotAccepted(said)

    folder = compiled_folder() / f"{Path(name).stem}-{digest_of_text(text, files)}"
    try:
        return made_once(folder, make), ""
    except NotAccepted as error:
        return folder, str(error)


def axioms_of(batches: Iterable[Batch], seconds: float = FILE_SECONDS) -> tuple[str, ...]:
    """Returns the full names of the axioms that all accepted theorems of these batches use together.
    Raises TookTooLong, and NotAccepted if an axiom is not allowed."""
    accepted = [(batch.file, batch.header) for batch in batches if batch.file is not None]
    if not accepted:
        return ()
    shared = dict.fromkeys(file for _, header in accepted for file in required_files(header, SHARED_PROOFS))
    options = [
        *load_options(list(shared)),
        *(word for file, _ in accepted for word in ("-Q", str(file.parent), LIBRARY)),
    ]
    modules = [f"{LIBRARY}.{file.stem}" for file, _ in accepted]
    every = f"Definition {TOGETHER} := ({', '.join(f'{each}.{TOGETHER}' for each in modules)})."
    lines = [f"Require {' '.join(modules)}.", every, *axiom_lines()]

    def make(draft: Path) -> None:
        """Asks Coq about the axioms in the folder `draft`."""
        run_query("axioms", lines, options, draft, seconds)
        write_axioms(modules, options, draft, seconds)

    # The names of the batches' folders contain digests of their texts.
    asked = "\n".join([*lines, *(file.parent.name for file, _ in accepted)])
    folder = made_once(compiled_folder() / f"axioms-{digest_of_text(asked, list(shared))}", make)
    return allowed_axioms(folder / AXIOMS, "a theorem that was written from a certificate")


def theorem_at(line: int, header: str, theorems: Mapping[str, str]) -> str:
    """The name of the theorem at this line (from 1) of a file. Raises NotAccepted if there is none."""
    end = header.count("\n") + 1
    for name, text in theorems.items():
        end += text.count("\n") + 1
        if line <= end:
            return name
    raise NotAccepted(f"coqc reports an error at line {line}, but this line does not belong to any of the theorems")
