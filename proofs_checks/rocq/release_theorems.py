"""Certificates of kind "release" as theorems of Rocq: steps one after another tell two neighbouring tables apart.

`releases.v` has the words, for steps that release the larger of two independent normal values: their chances are values
of Phi. Others are not translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpbandits.proofs_checks.rocq.point_theorems import (
    SECONDS_AT_POINT,
    NotTranslated,
    PointSpeller,
    read_number,
    spelled_number,
)
from dpbandits.proofs_checks.rocq.step_theorems import HEADER_OF_STEP, spelled_list

HEADER_OF_RELEASE = f"""{HEADER_OF_STEP}From Coq Require Import ZArith.
From Dpbandits Require Import releases.
"""


def theorem_of_release(certificate: Mapping[str, Any], name: str, opposite: bool = False) -> str:
    """The theorem that says what a certificate of kind "release" says, of the form that the schema asks for, with its
    proof: eps and delta are defined and at least 0, the tables are neighbours with rewards in their range, and the
    event tells them apart. It stands below HEADER_OF_RELEASE. opposite: that it does not tell them apart. Raises
    NotTranslated."""
    speller = PointSpeller({name: read_number(text) for name, text in certificate["variables"].items()})
    eps, delta = speller.side(certificate["eps"]), speller.side(certificate["delta"])
    lengths = [read_number(text) for text in certificate["lengths"]]
    left, right = ([[read_number(text) for text in row] for row in certificate[side]] for side in ("left", "right"))
    least, most = (spelled_number(read_number(text)).text for text in certificate["range"])
    for _, row, _, last in (window for step in certificate["steps"] for window in step["windows"]):
        if row >= len(left) or read_number(last) > sum(lengths):
            raise NotTranslated("a window is of no row, or ends after the last reward")
    steps = ";\n    ".join(spelled_step(step, number) for number, step in enumerate(certificate["steps"]))
    lets = [
        *speller.lets(),
        f"let lengths := [{'; '.join(whole(n) for n in lengths)}]%Z in",
        f"let left := {spelled_table(left)} in",
        f"let right := {spelled_table(right)} in",
        f"let steps := [\n    {steps}] in",
    ]
    compared = f"release_chance lengths steps left <= exp ({eps}) * release_chance lengths steps right + ({delta})"
    asked = [
        f"{least} < {most}",
        "List.Forall (fun n => (1 <= n)%Z) lengths",
        *(f"table_of lengths {len(left)} ({least}) ({most}) {side}" for side in ("left", "right")),
        f"neighbouring_tables {certificate['relation']} lengths left right",
        "sound steps",
    ]
    defined = [*speller.conditions, f"0 <= {eps}", f"0 <= {delta}"]
    concluded = [*defined, *([compared] if opposite else [*asked, f"~ {compared}"])]
    stated = "\n".join([f"Theorem {name} :", *(f"  {line}" for line in lets), "  " + " /\\\n  ".join(concluded) + "."])
    decide = f"Timeout {SECONDS_AT_POINT} decide_release {moved(left, right)}%nat."
    return f"{stated}\nProof.\nintros.\n{decide}\nQed.\n"


def spelled_step(step: Mapping[str, Any], number: int) -> str:
    """A step as a record of `releases.v`. Where it leads to is said in steps after the next one."""
    kept = [release["kept"] for release in step["releases"]]
    if step["noise"] != "gaussian" or len(step["scales"]) != 2 or "weights" in step or "cuts" in step:
        raise NotTranslated(f"steps/{number}: only two independent normal values are")
    if (step["rule"], step["size"]) != ("top", "1") or "factors" in step or set(step["bounds"]) != {"inf"}:
        raise NotTranslated(f"steps/{number}: only the larger one of two sums is")
    if any(len(each) != 1 for each in kept):
        raise NotTranslated(f"steps/{number}: only one option at a time is")
    windows = (f"({i}%nat, {row}%nat, ({whole(a)}%Z, {whole(b)}%Z))" for i, row, a, b in read_windows(step, number))
    released = (
        f"({each}%nat, {'None' if release['next'] == -1 else f'Some {later(release, number)}%nat'})"
        for release in step["releases"]
        for each in release["kept"]
    )
    scales, divisors = (spelled_list([read_number(text) for text in step[field]]) for field in ("scales", "divisors"))
    return (
        f"{{| noise_of := gaussian; scales := [{scales}]; divisors := [{divisors}]; "
        f"windows := [{'; '.join(windows)}]; released := [{'; '.join(released)}] |}}"
    )


def later(release: Mapping[str, Any], number: int) -> int:
    if release["next"] <= number:
        raise NotTranslated(f"steps/{number}: the next step is none, or one further down the list")
    return int(release["next"]) - number - 1


def read_windows(step: Mapping[str, Any], number: int) -> list[tuple[int, int, Fraction, Fraction]]:
    """(option, row, first, last) for each window."""
    windows = [(i, row, read_number(a), read_number(b)) for i, row, a, b in step["windows"]]
    if any(i > 1 or not 0 <= a <= b for i, _, a, b in windows):
        raise NotTranslated(f"steps/{number}: a window is of no option, or ends before it begins")
    return windows


def whole(number: Fraction) -> str:
    if number.denominator != 1:
        raise NotTranslated(f"{number} is no whole number")
    return f"{number}"


def spelled_table(rows: Sequence[Sequence[Fraction]]) -> str:
    return f"[{'; '.join(f'[{spelled_list(row)}]' for row in rows)}]"


def moved(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[Fraction]]) -> int:
    """The first run in which the tables differ."""
    places = [
        n for x, y in zip(left, right, strict=False) for n, (a, b) in enumerate(zip(x, y, strict=False)) if a != b
    ]
    if not places:
        raise NotTranslated("the tables do not differ")
    return min(places)
