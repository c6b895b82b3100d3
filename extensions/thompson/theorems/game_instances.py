"""Writes Rocq theorems with privacy bounds from the threshold game, for two arms or any number of them.

The kernel checks the corners, and computes all values of the game (`game_run.v`, `section_3_game_value.v` of ou24).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from pathlib import Path
from zlib import crc32

from mpmath import exp, floor, mpf, workprec

from dpbandits.extensions.thompson.theorems.game_corners import (
    CHANCE_UNIT,
    VALUE_UNIT,
    GameSide,
    Shape,
    normal_entries,
    reach_of,
)
from dpbandits.extensions.thompson.theorems.game_values import GameTheorem
from dpbandits.extensions.thompson.theorems.instances import PROPOSED_BITS, number

REQUIRED_BY_GAME = (
    "From Coq Require Import Reals Lra Lia List ZArith Bool.",
    "Require Import Coq.Numbers.Cyclic.Int63.Uint63.",  # no header: so that axioms are printed as Uint63's
    "From Bignums Require Import BigZ.",
    "From Interval Require Import Tactic.",
    "From Dpbandits Require Import normal moments coins rewards thompson thompson_samples drawn_thompson.",
    "From Dpbandits Require Import game game_rows game_numbers game_polygon game_table game_run.",
    "From Dpbandits Require Import drawn_witnesses satisfiable.",
)
REQUIRED_BY_ANY = "From Dpbandits.ou24 Require Import section_3_game_value."


def shape_text(shape: Shape) -> str:
    """The polygon of one round as a term in Rocq's syntax."""
    first, *others = (f"({x},{p},{q})" for x, p, q in shape.corners)
    return f"Build_shape {shape.shift} {shape.high} {shape.low} {shape.drift} {first} [{';'.join(others)}]"


def side_text(name: str, side: GameSide) -> str:
    """The threshold game for one side of the change as a definition in Rocq's syntax.
    Each round's corners once, under a name, then the rounds."""
    lines: list[str] = []
    names: dict[int, str] = {}
    spans = []
    for shapes, rounds in groupby(side.rounds, key=lambda each: tuple(map(id, each))):
        found = list(rounds)
        for shape in found[0]:
            if id(shape) not in names:
                names[id(shape)] = f"{name}_{len(names)}"
                lines.append(f"Definition {names[id(shape)]} : shape := ({shape_text(shape)})%bigZ.")
        spans.append(f"({len(found)}, [{'; '.join(names[each] for each in shapes)}])")
    sizes = f"{side.ratio}%bigZ {side.below} {side.above} {side.growth} {side.cut}%uint63"
    lines.append(f"Definition {name} := Build_choices {sizes} [{'; '.join(spans)}]%nat.")
    return "\n".join(lines)


def entries_text() -> str:
    """Rocq text with the table of Phi and the normal density, and a proof of its bounds by computation."""
    entries = ";\n".join(f"({low}, {high}, {least}, {most})" for low, high, least, most in normal_entries())
    return "\n".join(
        [
            "From Coq Require Import List ZArith.",
            "From Bignums Require Import BigZ.",
            "From Dpbandits Require Import game_numbers normal_series normal_table.",
            "Import ListNotations.",
            "Definition normal_entries : list entry := [",
            entries,
            "]%bigZ.",
            "Lemma entries_good : tabled 0 normal_entries.",
            "Proof. apply entries_ok. vm_cast_no_check (eq_refl true). Qed.",
            "",
        ]
    )


def below_exp(eps: Fraction) -> int:
    """A lower bound on e^eps, in units of 1/CHANCE_UNIT."""
    with workprec(PROPOSED_BITS):
        return int(floor(exp(mpf(eps.numerator) / eps.denominator) * CHANCE_UNIT * (1 - mpf(2) ** -60)))


def first_highs(theorem: GameTheorem) -> list[int]:
    """Returns, for each total of pulls from the largest to the smallest, the largest threshold of an unpulled arm.
    The largest threshold of an arm that was never pulled, or 0 if all arms have initial pulls."""
    totals = range(theorem.horizon - 1, max(2 * theorem.prepulls, 1) - 1, -1)
    return [0 if theorem.prepulls else reach_of(total, 0, theorem.variance).high for total in totals]


def statement_and_beginning(theorem: GameTheorem, variance: str) -> tuple[str, str]:
    """Returns the statement of the theorem and the first line of its proof, as Rocq text.
    The statement is about the rounds after the initial pulls, if there are any, otherwise about all rounds."""
    about = f"{theorem.relation} %s {number(theorem.eps)} {number(theorem.delta)}"
    says = f"pulls_private bool_dec both_arms %s {variance} {theorem.horizon} {about}"
    prepulled = f"prepulled bool_dec {theorem.horizon} {theorem.prepulls} %s"
    if theorem.prepulls:
        return f"forall kept first, {prepulled % 'first'} -> {says % ('first', 'kept')}", "intros kept first before."
    begin = f"assert (before : {prepulled % '[]'}) by (split; [apply le_0_n|reflexivity])."
    return says % ("[]", "true"), begin


def game_text(theorem: GameTheorem, entries: str) -> str:
    """Returns the Rocq text of the theorem `thompson_private_here`. entries: the line that loads the table's file."""
    return two_arms_text(theorem, entries) if theorem.two else any_arms_text(theorem, entries)


def variance_text(theorem: GameTheorem) -> str:
    """The variance of the samples in Rocq's syntax."""
    numerator, denominator = theorem.variance.as_integer_ratio()
    return str(numerator) if denominator == 1 else number(theorem.variance)


def sides_text(theorem: GameTheorem) -> list[str]:
    """Rocq text with both sides of the game, and the lower bound on e^eps at which their values are computed."""
    e = below_exp(theorem.eps)
    return [
        side_text("right", theorem.right),
        side_text("left", theorem.left),
        f"Definition most_likely : bigZ := {e}%bigZ.",
        f"Lemma below_exp : in58 most_likely <= exp {number(theorem.eps)}.",
        f"Proof. unfold in58. change (real most_likely) with {e}. interval with (i_prec 120). Qed.",
    ]


def any_arms_text(theorem: GameTheorem, entries: str) -> str:
    """Returns the Rocq text of the theorem `thompson_private_here` for any number of arms."""
    b, fraction, variance = theorem.prepulls, theorem.variance.as_integer_ratio(), variance_text(theorem)
    eps, delta, limit = number(theorem.eps), number(theorem.delta), int(theorem.delta * VALUE_UNIT)
    sizes = f"{theorem.horizon} {theorem.last} {b} {fraction[0]}%bigZ {fraction[1]}%bigZ"
    data = f"normal_entries {sizes} most_likely right left {limit}%uint63"
    changes = " ".join(f"change (real {each}) with {each}." for each in fraction)
    says = "any_arms_private_after" if b else "any_arms_private"
    about = f"{variance} {eps} {delta} {theorem.horizon}" + (f" {b}" if b else "")
    close = f"apply (any_arms_game normal_entries {sizes} {variance} {eps} {delta} most_likely right left"
    return "\n".join(
        [
            *REQUIRED_BY_GAME,
            REQUIRED_BY_ANY,
            entries,
            "Import ListNotations.",
            "Open Scope R_scope.",
            *sides_text(theorem),
            f"Lemma computed : any_arms_within {data} = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
            f"Theorem thompson_private_here : {says} {about}.",
            "Proof.",
            "intros A same arms different two all r" + (" kept first before." if b else "."),
            f"{close} {limit}%uint63 entries_good);",
            "  [|lra|exact below_exp| |exact computed|exact different|exact two|exact all|].",
            f"- unfold variance_of. {changes} lra.",
            f"- unfold val. change (Uint63.to_Z {limit}) with {limit}%Z. lra.",
            "- exact before." if b else "- split; [apply le_0_n|reflexivity].",
            "Qed.",
            "Lemma thompson_private_here_witness : satisfiable thompson_private_here.",
            "Proof. apply any_arms_after_witness; lia. Qed." if b else "Proof. exact any_arms_witness. Qed.",
            "",
        ]
    )


def two_arms_text(theorem: GameTheorem, entries: str) -> str:
    """Returns the Rocq text of the theorem `thompson_private_here` for two arms."""
    b, pull = theorem.prepulls, theorem.relation == "pull"
    highs, eps, delta = first_highs(theorem), number(theorem.eps), number(theorem.delta)
    fraction, variance = theorem.variance.as_integer_ratio(), variance_text(theorem)
    limit = int(theorem.delta * VALUE_UNIT)
    units = (limit, VALUE_UNIT) if pull else (VALUE_UNIT, limit)
    deltas = f"{delta} 1" if pull else f"1 {delta}"
    changes = " ".join(f"change (real {each}) with {each}." for each in fraction)
    limits = " ".join(f"{each}%uint63" for each in units)
    sizes = f"{theorem.horizon} {theorem.last} {b} {fraction[0]}%bigZ {fraction[1]}%bigZ"
    data = f"most_likely highs right left {limits}"
    theirs, begin = statement_and_beginning(theorem, variance)
    witness = (
        f"apply prepulled_witness with (r := {theorem.relation}); lia"
        if b
        else f"exact (neighbours_exist {theorem.relation})"
    )
    return "\n".join(
        [
            *REQUIRED_BY_GAME,
            entries,
            "Import ListNotations.",
            "Open Scope R_scope.",
            *sides_text(theorem),
            f"Definition highs : list bigZ := ({' :: '.join(map(str, highs))} :: nil)%bigZ.",
            f"Lemma computed : game_within normal_entries {sizes} {data} = true.",
            "Proof. vm_cast_no_check (eq_refl true). Qed.",
            f"Theorem thompson_private_here : {theirs}.",
            "Proof.",
            begin,
            f"apply (two_arms_game normal_entries {sizes} {variance} {eps} {deltas} {data});",
            "  [exact entries_good| |lra|exact below_exp| | |exact computed|exact before].",
            f"- unfold variance_of. {changes} lra.",
            *(f"- unfold val. change (Uint63.to_Z {each}) with {each}%Z. lra." for each in units),
            "Qed.",
            "Lemma thompson_private_here_witness : satisfiable thompson_private_here.",
            f"Proof. {witness}. Qed.",
            "",
        ]
    )


def write_game(theorem: GameTheorem, folder: Path) -> Path:
    """Writes the Rocq file of a theorem about the game, and the table that it needs; returns the file."""
    required = f"From Dpbandits.{folder.name} Require Import"
    if not (folder / "normal_entries.v").exists():
        (folder / "normal_entries.v").write_text(entries_text(), encoding="utf-8")
    written = game_text(theorem, f"{required} normal_entries.")
    file = folder / f"game_{theorem.horizon}_{crc32(written.encode()):08x}.v"
    file.write_text(written, encoding="utf-8")
    return file
