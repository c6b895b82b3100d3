"""What the theorems of Rocq say is kept as text: no statement, and no definition below one, changes unnoticed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner
from stand_in_coqc import forget
from statement_pages import KEPT, UPDATE, kept_axioms, kept_parts, printed_part, read_part, theorems_by_page

from dpbandits.audit.cli.command_line import main
from dpbandits.extensions.rocq import compiled_files, statement_texts
from dpbandits.extensions.rocq.carrying import witnessed
from dpbandits.extensions.rocq.compiled_files import SHARED_PROOFS, files_to_compile
from dpbandits.extensions.rocq.coqc import COQC, NotAccepted, compiler
from dpbandits.extensions.rocq.kernel import checked, witness_of
from dpbandits.extensions.rocq.statement_texts import (
    definitions_of,
    imported_by,
    sentences_needed_for,
    sentences_of,
    statement_text,
    words_of,
)
from dpbandits.proofs_checks import papers as papers_of_proofs
from dpbandits.proofs_checks.formulas.theorems import Theorem

PAGES = theorems_by_page()
SHOWN_LINES = 40


def demand_same(page: str, kept: str, found: str) -> None:
    if kept != found:
        lines = unified_diff(kept.splitlines(), found.splitlines(), f"kept: {page}", "now", lineterm="", n=2)
        pytest.fail("\n".join([f"{page} has changed. {UPDATE}", *islice(lines, SHOWN_LINES)]), pytrace=False)


def test_every_theorem_that_carries_a_claim_has_a_page_and_no_page_is_left_over() -> None:
    kept = {str(file.relative_to(KEPT)) for file in KEPT.rglob("*.txt")}
    assert kept == PAGES.keys(), UPDATE
    assert sum(len(claims) for _, claims in PAGES.values()) >= 180


@pytest.mark.parametrize("page", PAGES)
def test_what_a_theorem_says_is_what_was_kept(page: str) -> None:
    demand_same(page, kept_parts(page)[0], read_part(*PAGES[page]))


@pytest.mark.parametrize("page", PAGES)
def test_every_theorem_has_a_witness_that_is_written_from_its_statement(page: str) -> None:
    """A theorem whose hypotheses contradict each other says nothing. `satisfiable` writes the witness's statement from
    the theorem's, and the kernel compares the two."""
    theorem, witness = PAGES[page][0], witness_of(PAGES[page][0].name)
    stated = [each.text for each in sentences_of(theorem.source()) if each.kind == "Lemma" and witness in each.names]
    assert stated == [f"Lemma {witness} : satisfiable {theorem.name}."]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """A copy of our files, in which a test plants a change: a file, what is there, and what it becomes."""
    code = shutil.ignore_patterns("*.py", "statements", "__pycache__")
    for name, folder in (("rocq", SHARED_PROOFS.resolve()), ("papers", PAPERS)):
        shutil.copytree(folder, tmp_path / name, ignore=code)
    monkeypatch.setattr(compiled_files, "SHARED_PROOFS", tmp_path / "rocq")
    monkeypatch.setattr(compiled_files, "PAPER_PROOFS", tmp_path / "papers")

    def planted(file: str, old: str, new: str) -> None:
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
        forget_files()

    forget_files()
    yield planted
    forget_files()


def forget_files() -> None:
    forget()
    for each in vars(statement_texts).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


PAPERS = Path(papers_of_proofs.__file__).resolve().parent
AFTER_117 = "Theorem after_117 z : 0 <= z -> Phi (- z) <= exp (- z * z / 2)."
CONTRADICTORY = (
    "papers/chen24/appendix_j.v",
    AFTER_117,
    "Theorem after_117 z : 0 <= z -> z < 0 -> Phi (- z) <= exp (- z * z / 2) - 7.",
)
AFTER = ("papers/chen24/appendix_j.v", "after_117")
LEMMA_3 = ("papers/ou24/section_3_lemmas.v", "lemma_3")


def before_lemma_3(text: str) -> tuple[str, str, str]:
    """A change of the file of Lemma 3: this text before it."""
    return LEMMA_3[0], "Theorem lemma_3 A", f"{text}\nTheorem lemma_3 A"


@pytest.mark.parametrize(
    ("theorem", "change"),
    [
        (AFTER, CONTRADICTORY),
        # a definition in a file that it imports, and one of a definition that it does not name
        (AFTER, ("rocq/normal.v", "Definition Phi (x : R) := 1 / 2 +", "Definition Phi (x : R) := 1 / 3 +")),
        (
            LEMMA_3,
            ("rocq/integral.v", "Definition integral (f : R -> R) : R := real", "Definition integral f := - real"),
        ),
        (LEMMA_3, ("rocq/rewards.v", "0 <= x h a <= 1.", "0 <= x h a < 0.")),
        (LEMMA_3, ("rocq/thompson_samples.v", "(different : NoDup arms)", "(different : NoDup (arms ++ arms))")),
        # by its full name: thompson.v has moments.pulls
        (LEMMA_3, ("rocq/moments.v", "if same a b then S (pulls a h')", "if same a b then S (S (pulls a h'))")),
        (LEMMA_3, before_lemma_3("Definition INR (n : nat) := 0.")),
        (LEMMA_3, before_lemma_3('Notation "x / y" := (x * y).')),
        (LEMMA_3, before_lemma_3("Open Scope nat_scope.")),
        (LEMMA_3, before_lemma_3("Section S.\nHypothesis no : False.")),
    ],
)
def test_a_planted_change_of_what_is_said_is_seen(
    copied: Callable[[str, str, str], None], tmp_path: Path, theorem: tuple[str, str], change: tuple[str, str, str]
) -> None:
    file, name = tmp_path / theorem[0], theorem[1]
    before = statement_text(file, name)
    copied(*change)
    assert statement_text(file, name) != before


def test_a_proof_a_comment_and_a_lemma_of_its_own_change_nothing_that_is_said(
    copied: Callable[[str, str, str], None], tmp_path: Path
) -> None:
    file = tmp_path / AFTER[0]
    before = statement_text(file, "after_117")
    more = "Lemma more : True.\nProof. exact I. Qed."
    copied(AFTER[0], f"{AFTER_117}\nProof.", f"{more}\n{AFTER_117}\nProof. pose (z' := z).")
    copied("rocq/normal.v", "Definition Phi", "(* (* in *) Definition Phi := 0. *)\nDefinition Phi")
    assert statement_text(file, "after_117") == before


def test_a_definition_that_a_proof_makes_is_part_of_what_is_said(tmp_path: Path) -> None:
    file = tmp_path / "page" / "chapter.v"
    file.parent.mkdir()
    texts = []
    for value in (0, 1):
        made = f"Definition number : nat.\nProof. exact {value}. Defined.\n"
        file.write_text(f"{made}Theorem t : number = number.\nProof. reflexivity. Qed.\n")
        forget_files()
        texts.append(statement_text(file, "t"))
    assert texts[0] != texts[1]
    with pytest.raises(ValueError, match=r"chapter\.v contains no theorem u"):
        statement_text(file, "u")


def test_every_sentence_of_our_files_is_read() -> None:
    """As many theorems, definitions and sections as the files have on lines that begin so: else one was swallowed."""
    for file in {each for theorem, _ in PAGES.values() for each in files_to_compile(theorem.source())}:
        lines = file.read_text(encoding="utf-8").splitlines()
        for kind in ("Theorem", "Definition", "Fixpoint", "Section", "Record", "Variables", "Hypothesis", "Notation"):
            begun = sum(len(re.findall(rf"(?:^|\. ){kind} ", line)) for line in lines if line.startswith(f"{kind} "))
            assert sum(each.kind == kind for each in sentences_of(file)) == begun, (file, kind)


def passed_on(file: Path, name: str) -> bool:
    """Whether files that import this one see a definition of the name: all but the notations of sections."""
    return any(
        name == each.names[0] or each.kind in ("Inductive", "Record")
        for each in definitions_of(file).get(name, ())
        if each.kind != "Notation" or not each.within
    )


def decided_by_order(file: Path, theorem: str) -> set[tuple[Path, str]]:
    """The names, with their files, that a statement depends on and that several files define which are imported there:
    the last one decides."""
    found = set()
    for at, sentence in sentences_needed_for(file, theorem):
        beside = dict.fromkeys(imported_by(at))
        for qualifier, name in words_of(sentence):
            own = any(each.place < sentence.place for each in definitions_of(at).get(name, ()))
            if not qualifier and not own and sum(passed_on(each, name) for each in beside) > 1:
                found.add((at, name))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_the_order_of_imports_decides_nothing_in_a_statement(page: str) -> None:
    assert decided_by_order(PAGES[page][0].source(), PAGES[page][0].name) == set()


def test_a_planted_second_definition_is_seen(copied: Callable[[str, str, str], None], tmp_path: Path) -> None:
    file = tmp_path / LEMMA_3[0]
    assert decided_by_order(file, "lemma_3") == set()
    copied("rocq/witnesses.v", "Section Different.", "Definition in_range := True.\nSection Different.")
    assert {
        name for _, name in decided_by_order(file, "lemma_3")
    } == set()  # no statement is in a file that imports both
    copied(
        LEMMA_3[0],
        "Theorem lemma_3 A same (arms : list A) T r :",
        "Theorem lemma_3 A same (arms : list A) T r : in_range A (fun _ _ => 0) ->",
    )
    assert {name for _, name in decided_by_order(file, "lemma_3")} == {"in_range"}


def test_who_has_no_coqc_can_read_what_a_theorem_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COQC, "")
    shown = CliRunner().invoke(main, ["show", "--theorem", "chen24/lemma-j.1/after-117"])
    assert shown.exit_code == 0
    lines = " ".join(shown.output.split())
    for part in (
        "chen24/lemma-j.1/after-117: ncdf(-z) <= exp(-z * z / 2)",
        AFTER_117,
        "Definition Phi (x : R) :=",
        "after_117_witness : exists z : R, 0 <= z",
        "Coq.Reals.ClassicalDedekindReals.sig_not_dec",
    ):
        assert part in lines, part
    none = CliRunner().invoke(main, ["show", "--theorem", "ou24/5.1/316"])
    assert (none.exit_code, none.output) == (2, "error: ou24/5.1/316: no theorem of Rocq carries this claim\n")


def test_the_report_and_show_lead_to_what_a_theorem_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(COQC, "")
    call = ["audit", "--claims", "chen24/lemma-j.1/after-117", "--out", str(tmp_path), "--quiet"]
    assert CliRunner().invoke(main, call).exit_code == 0
    pages = {
        file.relative_to(tmp_path).as_posix(): file.read_text(encoding="utf-8") for file in tmp_path.rglob("*.html")
    }
    (own,) = (name for name, text in pages.items() if "after_117_witness : exists" in text)
    assert own.startswith("claims/")
    assert f'<a href="../{own}#theorem">' in pages["papers/chen24.html"]
    shown = CliRunner().invoke(
        main, ["show", "chen24/lemma-j.1/after-117", "--findings", str(tmp_path / "findings.json")]
    )
    assert "dpbandits show --theorem chen24/lemma-j.1/after-117" in shown.output


# -- with the kernel -----------------------------------------------------------------------------------------------


@pytest.fixture
def kernel_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(COQC, raising=False)
    if compiler() is None:
        pytest.skip("coqc is not installed: make proofs")


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize("page", PAGES)
def test_what_coq_prints_of_a_theorem_is_what_was_kept(page: str) -> None:
    """The axioms that a page lists are of its theorem alone. Coq is asked about them for each file: no page may list
    an axiom that its file does not use."""
    accepted = witnessed(PAGES[page][0])
    demand_same(page, kept_parts(page)[1], printed_part(accepted, kept_axioms(page)))
    assert set(kept_axioms(page)) <= set(accepted.axioms), UPDATE


WITNESS_117 = "Lemma after_117_witness : satisfiable after_117.\nProof. exists 1. exact Rle_0_1. Qed."
CONTRADICTORY_PROOF = f"From Coq Require Import Lra.\n{CONTRADICTORY[2]}\nProof. intros. exfalso. lra. Qed."
# A witness of another statement, and one behind a definition that takes the name of ours.
OTHER_WITNESS = "Lemma after_117_witness : exists z, 0 <= z.\nProof. exists 1. exact Rle_0_1. Qed."
OWN_WORD = f"Definition satisfiable {{P : Prop}} (t : P) := exists z, 0 <= z.\n{WITNESS_117}"


def planted_117(folder: Path, *, theorem: str, witness: str) -> Theorem:
    """The file of `after_117` with another theorem of this name, and another witness."""
    source, planted = PAPERS / "chen24" / "appendix_j.v", folder / "chen24" / "appendix_j.v"
    planted.parent.mkdir(exist_ok=True)
    text = source.read_text(encoding="utf-8")
    begin = text.index(AFTER_117)
    end = text.index("Qed.", begin) + len("Qed.")
    assert text.count(WITNESS_117) == 1
    text = (text[:begin] + (theorem or text[begin:end]) + text[end:]).replace(WITNESS_117, witness)
    planted.write_text(text, encoding="utf-8")
    forget_files()
    return Theorem("after_117", "planted", "", lambda: planted)


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
def test_a_planted_hypothesis_shows_in_what_coq_prints(tmp_path: Path) -> None:
    planted = planted_117(tmp_path, theorem=CONTRADICTORY_PROOF, witness="")
    accepted = checked(planted.source(), "after_117")  # the kernel has nothing against it
    page = "chen24/appendix_j.after_117.txt"
    assert page in PAGES
    assert printed_part(accepted, kept_axioms(page)) != kept_parts(page)[1]
    assert "- 7" in accepted.statement


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize(
    ("theorem", "witness", "why"),
    [
        (CONTRADICTORY_PROOF, WITNESS_117, "appendix_j.v: coqc rejects this file:"),
        (CONTRADICTORY_PROOF, OTHER_WITNESS, 'after_117_witness" has type'),
        (CONTRADICTORY_PROOF, OWN_WORD, 'after_117_witness" has type'),
        ("", "Lemma after_117_witness : True.\nProof. exact I. Qed.", 'after_117_witness" has type'),
        ("", "", "that the hypotheses of after_117 can hold together. Below the theorem, prove `Lemma"),
    ],
)
def test_hypotheses_that_contradict_each_other_are_refused(
    tmp_path: Path, theorem: str, witness: str, why: str
) -> None:
    with pytest.raises(NotAccepted) as refused:
        witnessed(planted_117(tmp_path, theorem=theorem, witness=witness))
    assert why in " ".join(str(refused.value).split())


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize(
    ("statement", "witness"),
    [
        # variables, premises, a definition that has premises, and a conclusion of two parts
        ("forall n : nat, n = n", "exists _ : nat, True"),
        ("forall n m : nat, n = m -> m = n", "exists n m : nat, n = m"),
        ("forall X : Type, X -> forall n : nat, n < 2 -> n < 3", "exists (X : Type) (_ : X) (n : nat), n < 2"),
        ("let n := 2 in n = 2 -> n < 3", "2 = 2"),
        ("transitive nat le", "exists x y z : nat, x <= y /\\ y <= z"),
        ("forall n, (n = 1 -> n < 2) /\\ (n = 2 -> n < 3)", "exists n : nat, n = 1 /\\ n = 2"),
        # neither an equivalence nor a negation adds a premise
        ("forall n, n = 1 <-> 1 = n", "exists _ : nat, True"),
        ("forall n, n < 0 -> ~ n = 0", "exists n : nat, n < 0"),
    ],
)
def test_what_satisfiable_writes_from_a_statement(tmp_path: Path, statement: str, witness: str) -> None:
    """With its contradictions."""
    file = tmp_path / "page" / "chapter.v"
    file.parent.mkdir()
    header = "From Coq Require Import Relations.\nFrom Dpbandits Require Import satisfiable.\n"
    # t is a hypothesis here: what is written does not depend on a proof.
    file.write_text(
        f"{header}Lemma w (t : {statement}) : satisfiable t -> ({witness}).\nProof. intros H. exact H. Qed."
    )
    forget_files()
    assert checked(file, "w").axioms == ()
