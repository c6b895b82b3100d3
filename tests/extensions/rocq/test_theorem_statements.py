"""What the theorems of Rocq say is kept as text: no statement, and no definition below one, changes unnoticed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import pytest
from stand_in_coqc import forget
from statement_pages import KEPT, UPDATE, kept_parts, printed_part, read_part, theorems_by_page

from dpbandits.extensions.rocq import compiled_files, statement_texts
from dpbandits.extensions.rocq.compiled_files import SHARED_PROOFS, needed
from dpbandits.extensions.rocq.coqc import COQC, compiler
from dpbandits.extensions.rocq.kernel import checked
from dpbandits.extensions.rocq.ledger_theorems import translated
from dpbandits.extensions.rocq.statement_texts import STATED, sentences_of, statement_text
from dpbandits.proofs_checks import papers as papers_of_proofs
from dpbandits.reference.claims.ledger import ledger

PAGES = theorems_by_page()
# Of these, no lemma shows that the hypotheses can hold together; who adds one takes its theorem off the list.
WITHOUT_WITNESS = {
    "azize22/privacy.adap_ucb_private.txt",
    "chen24/appendix_c.corollary_c_3_repaired.txt",
    "chen24/appendix_c.proposition_c_4.txt",
    "chen24/appendix_c.proposition_c_5.txt",
    "chen24/appendix_e.dp_od_private.txt",
    "chen24/appendix_f.proposition_d_2_policy.txt",
    "chen24/appendix_g_1.lemma_g_1.txt",
    "chen24/appendix_g_1.lemma_g_1_local.txt",
    "chen24/section_4.proposition_4_1.txt",
    "chen24/section_4_3.corollary_4_4.txt",
    "chen24/section_4_3.lemma_4_3.txt",
    "chen24/section_4_3.lemma_4_5.txt",
    "hu21/privacy.lazy_ucb_private.txt",
    "hu22/privacy.lazy_ts_private.txt",
    "hu25/section_2.theorem_2_4_equivalence.txt",
    "hu25/section_3_m_ts_gaussian.quoted_round.txt",
    "hu25/section_3_m_ts_gaussian.quoted_run.txt",
    "hu25/section_4_3_theorem_4_4.samples_private.txt",
    "hu25/section_4_3_theorem_4_4.theorem_4_4.txt",
    "hu25/section_4_3_theorem_4_6.theorem_4_6.txt",
    "ou24/appendix_b_lemma_5.lemma_5.txt",
    "ou24/appendix_c_1_standard_dp.corollary_1.txt",
    "ou24/appendix_c_1_theorem_6.theorem_6_repaired.txt",
    "ou24/appendix_c_2.theorem_8.txt",
    "ou24/section_2.definition_2_equivalence.txt",
    "ou24/section_3_lemmas.all_samples_private.txt",
    "ou24/section_3_lemmas.lemma_2.txt",
    "ou24/section_3_lemmas.lemma_3.txt",
    "ou24/section_3_lemmas.sharp_pulls_private.txt",
    "ou24/section_3_theorem_3.theorem_3.txt",
    "ou24/section_4_1_lemma_4.lemma_4.txt",
    "ou24/section_4_1_lemma_4.lemma_4_step.txt",
    "ou24/section_4_1_lemma_4.theorem_4.txt",
    "sajed19/privacy.dp_se_private.txt",
    "shariff18/abstract.abstract_joint.txt",
    "shariff18/calibration.calibration_gaussian.txt",
    "tao22/section_3.definition_3.txt",
    "tao22/section_3.lemma_1.txt",
    "tao22/section_3.lemma_1_any.txt",
    "tao22/section_4_lemma_2.lemma_2_repaired.txt",
    "tao22/section_4_theorem_1.theorem_1_repaired.txt",
    "tao22/section_5_theorem_6.theorem_6.txt",
    "written/thompson_1000_ff9e3274.thompson_private_here.txt",
    "written/thompson_100_00f07139.thompson_private_here.txt",
}
SHOWN_LINES = 40


def demand_same(page: str, kept: str, found: str) -> None:
    if kept != found:
        lines = unified_diff(kept.splitlines(), found.splitlines(), f"kept: {page}", "now", lineterm="", n=2)
        pytest.fail("\n".join([f"{page} has changed. {UPDATE}", *islice(lines, SHOWN_LINES)]), pytrace=False)


def test_every_theorem_that_carries_a_claim_has_a_page_and_no_page_is_left_over() -> None:
    kept = {str(file.relative_to(KEPT)) for file in KEPT.rglob("*.txt")}
    assert kept == PAGES.keys(), UPDATE
    assert sum(len(claims) for _, claims in PAGES.values()) >= 76


@pytest.mark.parametrize("page", PAGES)
def test_what_a_theorem_says_is_what_was_kept(page: str) -> None:
    demand_same(page, kept_parts(page)[0], read_part(*PAGES[page]))


def witnesses() -> Mapping[str, str]:
    """For each page whose theorem has one, the lemma of its file which says that the hypotheses can hold together."""
    found = {}
    for page, (theorem, _) in PAGES.items():
        stated = {name for each in sentences_of(theorem.source()) if each.kind in STATED for name in each.names}
        if (name := f"{theorem.name}_witness") in stated:
            found[page] = name
    return found


def test_a_theorem_is_written_from_the_ledger_or_its_hypotheses_have_a_witness_or_it_is_listed() -> None:
    """A theorem whose hypotheses contradict each other says nothing."""
    from_ledger = {page for page, (_, ids) in PAGES.items() if all(translated(ledger().by_id[each]) for each in ids)}
    assert PAGES.keys() - from_ledger - witnesses().keys() == WITHOUT_WITNESS


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
    with pytest.raises(ValueError, match=r"chapter\.v has no theorem u"):
        statement_text(file, "u")


def test_every_sentence_of_our_files_is_read() -> None:
    """As many theorems, definitions and sections as the files have lines that begin so: else one was swallowed."""
    for file in {each for theorem, _ in PAGES.values() for each in needed(theorem.source())}:
        lines = file.read_text(encoding="utf-8").splitlines()
        for kind in ("Theorem", "Definition", "Fixpoint", "Section", "Record", "Variables", "Hypothesis", "Notation"):
            begun = sum(line.startswith(f"{kind} ") for line in lines)
            assert sum(each.kind == kind for each in sentences_of(file)) == begun, (file, kind)


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
    demand_same(page, kept_parts(page)[1], printed_part(checked(PAGES[page][0].source(), PAGES[page][0].name)))


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
@pytest.mark.parametrize("page", witnesses())
def test_the_kernel_accepts_a_witness(page: str) -> None:
    name = witnesses()[page]
    assert checked(PAGES[page][0].source(), name).statement.startswith(f"{name} :")


@pytest.mark.rocq
@pytest.mark.usefixtures("kernel_at_hand")
def test_a_planted_hypothesis_shows_in_what_coq_prints(tmp_path: Path) -> None:
    source = PAPERS / "chen24" / "appendix_j.v"
    planted = tmp_path / "chen24" / "appendix_j.v"
    planted.parent.mkdir()
    text = source.read_text(encoding="utf-8")
    begin = text.index(AFTER_117)
    end = text.index("Qed.", begin) + len("Qed.")
    false = f"From Coq Require Import Lra.\n{CONTRADICTORY[2]}\nProof. intros. exfalso. lra. Qed."
    planted.write_text(text[:begin] + false + text[end:], encoding="utf-8")
    accepted = checked(planted, "after_117")  # the kernel has nothing against it
    page = "chen24/appendix_j.after_117.txt"
    assert page in PAGES
    assert printed_part(accepted) != kept_parts(page)[1]
    assert "- 7" in accepted.statement
