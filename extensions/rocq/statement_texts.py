"""The text of a Rocq theorem: its statement with all definitions of this project on which it depends, read from the
`.v` files.

A copy of these texts is stored in the folder `statements` here, one file for each theorem, and tests compare them.
Reading needs no compiler: a file is split into sentences, and names are looked up in the order that Coq uses, first in
the file itself, then in the files that it imports, the last one first. A name that is bound within a sentence may lead
to an unrelated definition: then the text contains more than needed, never less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dpbandits.extensions.rocq.compiled_files import files_to_compile, imported, path_in_library

STATED = ("Theorem", "Lemma", "Corollary", "Proposition", "Fact", "Remark")
DEFINING = ("Definition", "Fixpoint", "CoFixpoint", "Inductive", "Record", "Structure", "Class", "Instance", "Let")
ASSUMING = ("Variable", "Variables", "Hypothesis", "Hypotheses", "Context")
# What decides how the sentences of a file are read: names, notations, scopes and options.
SETTING: tuple[str, ...] = ("From", "Require", "Import", "Export", "Open", "Close", "Notation", "Infix", "Reserved")
SETTING += ("Arguments", "Coercion", "Canonical", "Set", "Unset", "Implicit", "Generalizable", "Bind", "Delimit")
SETTING += ("Existing",)
DECLARED = re.compile(r"(?:(?:Local|Global|Program|Polymorphic|#\[[^\]]*\])\s+)*(\w+)\s*([\w']*)")
SENTENCE_END = re.compile(r"\.(?=\s|$)")
PROVED = re.compile(r"\b(Qed|Defined|Admitted|Abort|Save)\s*\.(?=\s|$)")
WORD = re.compile(r"(?:\b([A-Za-z_]\w*)\.)?(?<![\w'])([A-Za-z_][\w']*)")  # the file, where it is named, and the name
TEXT = re.compile(r'"[^"]*"')


class Sentence(NamedTuple):
    """A sentence of a file without its comments. kind: its first word. names: that it defines. text: without a proof,
    unless the proof makes the definition. place: its index in the file. within: the indices of the sections that are
    open there, and of their variables and hypotheses so far; for the end of a section, the index of its beginning."""

    kind: str
    names: tuple[str, ...]
    text: str
    place: int
    within: tuple[int, ...]


def statement_text(file: Path, theorem: str) -> str:
    """Returns the statement of a theorem and all definitions of this project on which it depends.
    They are ordered file by file, each after the files that it depends on. Raises ValueError if the file has no such
    theorem."""
    found = list(sentences_needed_for(file, theorem))
    files = list(dict.fromkeys(each for each, _ in found))
    order = sorted(files, key=lambda each: (each == file, str(path_in_library(each))))
    return "\n\n".join(file_text(each, [sentence for at, sentence in found if at == each]) for each in order) + "\n"


def file_text(file: Path, sentences: Sequence[Sentence]) -> str:
    """Returns the text of these sentences of a file, in order, with the commands that affect how they are parsed."""
    last, chosen = max(sentence.place for sentence in sentences), {sentence.place for sentence in sentences}
    lines = {sentence.place: sentence.text for sentence in sentences}
    for each in sentences_of(file):
        setting = each.kind in SETTING and not each.names and each.place < last and chosen.issuperset(each.within)
        if setting or (each.kind == "End" and each.within and each.within[-1] in chosen):
            lines[each.place] = each.text
    return "\n".join([f"(* {path_in_library(file)} *)", *(lines[place] for place in sorted(lines))])


def sentences_needed_for(file: Path, theorem: str) -> Iterator[tuple[Path, Sentence]]:
    """Yields the theorem's sentence and all sentences of this project on which its meaning depends, with their files.
    Each occurs once, with its file."""
    stated = [each for each in sentences_of(file) if each.kind in STATED and theorem in each.names]
    if not stated:
        raise ValueError(f"{file.name} contains no theorem {theorem}")
    waiting, met = [(file, each) for each in stated], set[tuple[Path, int]]()
    while waiting:
        at, sentence = waiting.pop()
        if (at, sentence.place) in met:
            continue
        met.add((at, sentence.place))
        yield at, sentence
        every = sentences_of(at)
        waiting += [(at, every[place]) for place in sentence.within]
        for qualifier, word in words_of(sentence):
            waiting += sentences_defining(at, word, sentence.place)
            for beside in files_to_compile(at) if qualifier else ():
                named = definitions_of(beside).get(word, ()) if beside.stem == qualifier else ()
                waiting += [(beside, each) for each in named]


def words_of(sentence: Sentence) -> list[tuple[str, str]]:
    """Lists all names in a sentence, each once, as (file that qualifies it or "", name).
    Names in strings are left out."""
    return list(dict.fromkeys(WORD.findall(TEXT.sub(" ", sentence.text))))


def sentences_defining(file: Path, name: str, before: int) -> list[tuple[Path, Sentence]]:
    """Returns the sentences that define the name, as the file uses it in its sentence number `before`.
    A name may have a notation in the file and a definition in another one."""
    own = [each for each in definitions_of(file).get(name, ()) if each.place < before]
    found = [(file, each) for each in own]
    if not any(each.kind != "Notation" for each in own):
        for beside in reversed(imported_by(file)):  # which do not pass on what they import
            if there := definitions_of(beside).get(name):
                return [*found, *((beside, each) for each in there)]
    return found


@cache
def imported_by(file: Path) -> list[Path]:
    """The files of this project that a file imports, in order."""
    return imported(file.read_text(encoding="utf-8"), file.parent)


@cache
def definitions_of(file: Path) -> dict[str, list[Sentence]]:
    """The sentences of a file that define each name, {name: sentences}."""
    found: dict[str, list[Sentence]] = {}
    for each in sentences_of(file):
        for name in each.names if each.kind not in STATED else ():
            found.setdefault(name, []).append(each)
    return found


@cache
def sentences_of(file: Path) -> tuple[Sentence, ...]:
    """The sentences of a file, without proofs and tactics."""
    found: list[Sentence] = []
    sections: list[list[int]] = []
    for text in split(without_comments(file.read_text(encoding="utf-8"))):
        declared = DECLARED.match(text)
        if declared is None:
            continue
        kind, name = declared.groups()
        within = tuple(place for section in sections for place in section)
        if kind == "Section":
            sections.append([len(found)])
        elif kind == "End" and sections:
            within = (sections.pop()[0],)
        elif kind in ASSUMING and sections:
            sections[-1].append(len(found))
        found.append(Sentence(kind, names_in(kind, name, text), text, len(found), within))
    return tuple(found)


def names_in(kind: str, name: str, text: str) -> tuple[str, ...]:
    """The names that a sentence defines, including constructors and fields."""
    if kind in STATED:
        return (name,)
    if kind == "Notation":
        return (name,) if name else ()
    if kind not in DEFINING:
        return ()
    more = re.findall(r"\bwith\s+([\w']+)", text) if kind in ("Fixpoint", "CoFixpoint", "Inductive") else []
    if kind in ("Inductive", "Record", "Structure", "Class"):
        body = text.partition(":=")[2]
        more += re.findall(r"(?:\||^\s*)\s*([\w']+)", body) + re.findall(r"[{;]\s*([\w']+)\s*:", body)
    return (name, *more)


def split(text: str) -> Iterator[str]:
    """Yields the sentences of a Rocq text without comments, each with its full stop.
    Proofs are left out, unless a proof makes a definition and so belongs to the sentence."""
    place, held = 0, ""
    while (end := SENTENCE_END.search(text, place)) is not None:
        while text.count('"', place, end.end()) % 2:  # the point is in a string
            end = SENTENCE_END.search(text, end.end())
            if end is None:
                return
        sentence = text[place : end.end()].strip()
        place = end.end()
        if sentence.startswith("Proof"):
            closed = PROVED.search(text, place)
            if closed is None:
                raise ValueError(f"the end (Qed) of a proof is missing: {text[place : place + 80]!a}")
            if closed[1] == "Defined":
                held += f"\n{sentence} {text[place : closed.end()].strip()}"
            place = closed.end()
            continue
        if held:
            yield held
        held = sentence
    if held:
        yield held


def without_comments(text: str) -> str:
    """The text without its comments, which may be nested."""
    kept, depth = [], 0
    for part in re.split(r'(\(\*|\*\)|"[^"]*")', text):
        depth += (part == "(*") - (part == "*)")
        if depth == 0 and part != "*)":
            kept.append(part)
    return re.sub(r"[ \t]+(?=\n)", "", "".join(kept))
