"""Writes the formula, domain and preconditions of a claim as a theorem of Rocq. Rocq then derives this
theorem from the theorem in the paper's own `.v` file.

Both sides of the comparison are written by the translator of certificates. The theorem states that the comparison holds
wherever both sides are defined and the conditions of the domain and the preconditions hold.
"""

from __future__ import annotations

from fractions import Fraction
from math import isinf
from pathlib import Path
from zlib import crc32

from dpbandits.extensions.rocq.compiled_files import files_to_compile, module_name
from dpbandits.extensions.rocq.point_theorems import (
    ATOM,
    CALL,
    NotTranslated,
    PointSpeller,
    Spelled,
    primed,
    spelled_number,
)
from dpbandits.extensions.rocq.statement_texts import sentences_needed_for
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.claims.model import Claim, Inequality, OneOf, Real, Whole

HEADER = """From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Dpbandits Require Import normal formulas.
{requires}
Open Scope R_scope.
Lemma between l l' r r' : l' <= r' -> l = l' -> r' = r -> l <= r. Proof. intros H -> <-. exact H. Qed.
Lemma strictly_between l l' r r' : l' < r' -> l = l' -> r' = r -> l < r. Proof. intros H -> <-. exact H. Qed.
Lemma not_zero x : 0 <= x -> x * x <> 0 -> 0 < x.
Proof. intros [H|<-] N; [exact H|exfalso; apply N; ring]. Qed.
"""
# The page's theorem is taken at the claim's own variables, its premises follow from the claim's, and both sides are the
# same once its words are unfolded, but for how numbers are written.
PROOF = """Ltac same_side := {unfold}cbv beta zeta; rewrite ?plus_INR; try reflexivity;
  repeat first [reflexivity | lra | progress f_equal].
Ltac premise := first [assumption | lia | lra | apply not_zero; assumption | split; premise].
{stated}
Proof.
intros. assert (H' := {theorem}); cbv zeta in H'.
repeat match type of H' with ?P -> _ => specialize (H' ltac:(premise)) end. try (destruct H' as [H' _]).
first [eapply between | eapply strictly_between]; [exact H'|same_side|same_side].
Qed.
"""


def ledger_statement(claim: Claim) -> str:
    """Returns a claim, for all values of its variables, as a proposition in Rocq's syntax. Raises NotTranslated."""
    says = claim.says
    if not isinstance(says, Inequality):
        raise NotTranslated(f"{claim.id} is not an inequality, and only inequalities are translated to Rocq")
    names, domain, types = {}, list[str](), list[str]()
    for name, over in says.over.items():
        word = primed(name)
        names[name] = Spelled(word, ATOM) if isinstance(over, Real) else Spelled(f"INR {word}", CALL)
        types.append(f"({word} : {'R' if isinstance(over, Real) else 'nat'})")
        domain += conditions(word, over)
    speller = PointSpeller({}, names)
    terms = {name: text.variable(name) for name in says.over}

    def side(formula: object) -> str:
        """One side of the claim's comparison in Rocq's syntax."""
        return speller.side(text.source(formula(text, **terms)))  # type: ignore[operator]

    given = [f"{side(left)} <= {side(right)}" for left, right in says.given]
    compared = f"{side(says.left)} {says.sign} {side(says.right)}"
    premises = [*domain, *speller.conditions, *given]
    return "forall " + " ".join(types) + ",\n  " + " ->\n  ".join([*premises, compared])


def translated(claim: Claim) -> bool:
    """Whether the claim can be translated to Rocq: an inequality in real and nonnegative integer variables."""
    try:
        return bool(ledger_statement(claim))
    except (NotTranslated, TypeError):  # a formula that counts with a variable cannot be spelled
        return False


def conditions(word: str, over: Real | Whole | OneOf) -> list[str]:
    """Returns the conditions that the variable `word` lies in its domain, in Rocq's syntax. Raises NotTranslated."""
    if isinstance(over, OneOf) or (isinstance(over, Whole) and over.low < 0):
        raise NotTranslated(f"the domain {over} cannot be translated to Rocq")
    if isinstance(over, Whole):
        high = [f"({word} <= {over.high})%nat"] if over.high is not None else []
        return [f"({over.low} <= {word})%nat", *high]
    low = [] if isinf(over.low) else [f"{number(over.low)} {'<=' if over.low_closed else '<'} {word}"]
    return [*low, *([] if isinf(over.high) else [f"{word} {'<=' if over.high_closed else '<'} {number(over.high)}"])]


def number(end: float) -> str:
    """A finite end of a variable's domain as Rocq text."""
    return spelled_number(Fraction(exact_as_printed(end))).text


def write_ledger_theorem(claim: Claim, file: Path, theorem: str, folder: Path) -> Path:
    """Writes a file with the theorem `from_the_ledger`, which states the claim, into this folder and returns the file.
    theorem: the page's theorem in `file` that proves it; its variables have the names of the claim's. Raises
    NotTranslated."""
    found = list(sentences_needed_for(file, theorem))
    words = [
        f"{module_name(at)}.{name}"
        for at, each in found
        if each.kind == "Definition" and at.stem != "normal"
        for name in each.names
    ]
    binders = found[0][1].text.partition(" : ")[0].split()[2:]
    places = [module_name(each).rpartition(".") for each in files_to_compile(file)]
    whole = HEADER.format(requires="\n".join(f"From {place} Require Import {name}." for place, _, name in places))
    whole += PROOF.format(
        unfold=f"unfold {', '.join(words)}; " if words else "",
        stated=f"Theorem from_the_ledger : {ledger_statement(claim)}.",
        theorem=" ".join([f"{module_name(file)}.{theorem}", *map(primed, binders)]),
    )
    written = folder / f"{file.stem}_{theorem}_{crc32(whole.encode()):08x}.v"
    written.write_text(whole, encoding="utf-8")
    return written
