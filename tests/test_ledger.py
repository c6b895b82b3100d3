"""The house's rules for claims: closed words, expectations, and what a proof may rest on."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits import Verdict
from dpbandits.audit.claims.proofs import proof_of, proofs_of
from dpbandits.audit.claims.statements import statement
from dpbandits.audit.judges.effort import PROFILES, Run
from dpbandits.audit.runner.dispatch import judge
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.formulas.theorems import CheckedStep
from dpbandits.reference.claims import paper as page_module
from dpbandits.reference.claims.ledger import ledger, paper_keys
from dpbandits.reference.claims.model import (
    ESTABLISHED_VERDICTS,
    HOLDS,
    AtLeast,
    AtMost,
    Basis,
    Claim,
    Consequence,
    Fault,
    Harm,
    Identity,
    Inequality,
    Private,
    Reading,
    Stated,
    Unjudged,
    established,
    expectations,
    expected,
)
from dpbandits.reference.papers.ou24.page import page
from dpbandits.reports.words import code_parts


def test_every_refutation_has_a_fault_and_a_harm_and_nothing_else_has() -> None:
    for claim in ledger().claims:
        refuted = Verdict.REFUTED in expectations(claim)
        assert refuted == isinstance(claim.fault, Fault) == isinstance(claim.harm, Harm), claim.id
        assert claim.reading is not Reading.OURS or not refuted, f"{claim.id}: a statement of ours is no refutation"


def test_profiles_differ_only_where_one_cannot_see_as_far() -> None:
    for claim in ledger().claims:
        verdicts = [expected(claim, profile) for profile in ("quick", "ci", "deep")]
        seen = [verdict for verdict in verdicts if verdict is not Verdict.NOT_EXERCISED]
        assert len(set(seen)) <= 1, claim.id
        assert verdicts == [Verdict.NOT_EXERCISED] * (3 - len(seen)) + seen, f"{claim.id}: more effort sees less"


def test_what_words_carry_is_argued() -> None:
    assert established("a", "", (), Basis.WORDS, Basis.INTERVALS).verdict is Verdict.ARGUED
    assert established("a", "", (), Basis.ALGEBRA, Basis.ALGEBRA).rests_on == (Basis.ALGEBRA,)
    assert established("a", "", (), Basis.ALGEBRA).verdict is Verdict.PROVED


def test_words_are_decided_by_the_judge_that_their_kind_names() -> None:
    for claim in ledger().claims:
        proved = claim.id in proofs_of(claim.source.paper)
        if isinstance(claim.says, Stated):
            assert proved, f"{claim.id}: stated, and no proof of its own"
        elif isinstance(claim.says, Consequence):
            assert claim.follows, f"{claim.id}: a consequence of nothing"
            assert not proved or isinstance(proof_of(claim), CheckedStep), claim.id
        elif isinstance(claim.says, Unjudged):
            assert claim.expect is Verdict.UNSUPPORTED, claim.id
            assert not proved, claim.id


def test_a_premise_is_shown_wherever_its_conclusion_is() -> None:
    claims = ledger().by_id
    for claim in ledger().claims:
        for profile in ("quick", "ci", "deep"):
            if expected(claim, profile) in ESTABLISHED_VERDICTS:
                premises = [expected(claims[name], profile) for name in claim.follows]
                assert all(expect in ESTABLISHED_VERDICTS for expect in premises), claim.id
                assert expected(claim, profile) is Verdict.ARGUED or Verdict.ARGUED not in premises, claim.id


# What a sentence is about that no formula shows by itself.
BEYOND_FORMULAS = re.compile(
    r"-[GRzC]?C?DP\b|[Dd]ifferential(ly)? priva|[Pp]rivacy\b|\bprivate\b|\b[Rr]egret\b|\b[Pp]robab|\b(Pr|P|E)[\[({]"
)


def sentence(claim: Claim) -> str:
    """What is claimed, in words: the printed sentence, or our own."""
    return claim.scope if claim.reading is Reading.OURS else claim.source.quote


def test_a_formula_that_a_sentence_is_read_as_is_said_to_be_one() -> None:
    """A judge of formulas sees no mechanism, no run and no chance. So where the sentence speaks of these, the claim
    rests on what carries the formula over, or says that it is about the formula or about one step. What we say
    ourselves is the formula and nothing else."""
    formulas = [claim for claim in ledger().claims if isinstance(claim.says, Inequality | Identity)]
    shown = [claim for claim in formulas if ESTABLISHED_VERDICTS & expectations(claim)]
    silent = [
        claim.id
        for claim in shown
        if BEYOND_FORMULAS.search(sentence(claim))
        and (not claim.follows or Verdict.PROVED in expectations(claim))
        and not re.search("as (a )?formula|the formula", claim.scope, re.I)
        and claim.reading not in (Reading.STEP, Reading.OURS)
    ]
    assert silent == []


def test_what_is_said_of_a_mechanism_or_in_words_is_not_proved_by_formulas() -> None:
    """A theorem that carries formulas over to all runs of a policy is an argument, or rests on one."""
    proved = [claim for claim in ledger().claims if Verdict.PROVED in expectations(claim)]
    assert [each.id for each in proved if isinstance(each.says, Private | AtMost | AtLeast | Consequence)] == []


def test_what_is_stated_in_words_is_stated() -> None:
    stated = [claim for claim in ledger().claims if isinstance(claim.says, Stated)]
    assert [claim.id for claim in stated if "argument" in claim.says.words] == []  # type: ignore[union-attr]


def test_a_proof_whose_statement_is_refuted_has_no_statement_that_stands() -> None:
    refuted = [claim for claim in ledger().claims if Verdict.REFUTED in expectations(claim)]
    broken = [claim.id for claim in refuted if claim.harm is Harm.GUARANTEE]
    gaps = [claim.id for claim in refuted if claim.harm is Harm.PROOF]
    assert [gap for gap in gaps if gap.startswith(tuple(f"{each}{end}" for each in broken for end in "/-"))] == []


def test_what_is_printed_is_quoted() -> None:
    chapter = page.chapter("toy")
    with pytest.raises(
        ValueError,
        match=r"ou24/a has the reading 'as printed', .*, but its source quotes none; quote .*page.source\('1', '...'\)",
    ):
        chapter.add("a", page.source("1"), Unjudged("a toy"), expect=Verdict.UNSUPPORTED)
    chapter.add("a", page.source("1"), Unjudged("a toy"), expect=Verdict.UNSUPPORTED, reading=Reading.OURS)


def test_a_misprint_is_false_to_the_letter_alone() -> None:
    """Whoever misprints means something else."""
    misprints = [claim for claim in ledger().claims if claim.fault is Fault.MISPRINT]
    assert misprints
    assert [claim.id for claim in misprints if claim.reading is not Reading.LETTER] == []


def test_a_formula_undefined_at_a_harmless_end_of_its_range_is_false_to_the_letter_alone() -> None:
    """Such as a theorem at N = 1 that divides by N - 1. Nobody means this case, and the same rule is for all papers."""
    refuted = [claim for claim in ledger().claims if Verdict.REFUTED in expectations(claim) and claim.harm is Harm.NONE]
    undefined = [claim for claim in refuted if statement(claim).startswith("0 < ")]
    assert len({claim.id.split("/")[0] for claim in undefined}) >= 3
    assert [claim.id for claim in undefined if claim.reading is not Reading.LETTER] == []


def test_an_error_that_is_told_again_is_one_that_a_claim_tells_first() -> None:
    claims = ledger().by_id
    for claim in ledger().claims:
        if claim.same_error_as:
            first = claims[claim.same_error_as]
            assert claim.fault is not None, claim.id
            assert first.fault is not None, claim.id
            assert first.same_error_as == "", f"{claim.id}: {first.id} tells it of another one"
            assert first.source.paper == claim.source.paper, claim.id


def test_a_page_has_no_two_claims_of_one_name() -> None:
    chapter = page.chapter("toy")
    beats: dict[str, Any] = {"expect": Verdict.UNSUPPORTED, "reading": Reading.OURS}
    chapter.add("a", page.source("1"), Unjudged("a toy"), **beats)
    with pytest.raises(ValueError, match="names must consist of printable characters"):
        chapter.add("\x1b[2J", page.source("2"), Unjudged("a toy"), **beats)
    schema = json.loads(Path(checker_verification.__file__).with_name("certificate.schema.json").read_text("utf-8"))
    longest = "n" * (schema["$defs"]["claim"]["maxLength"] - len("ou24/"))
    chapter.add(longest, page.source("2"), Unjudged("a toy"), **beats)
    with pytest.raises(ValueError, match=r"ou24/n{40}\.\.\.: this id has 201 characters; use at most 200"):
        chapter.add(f"{longest}n", page.source("2"), Unjudged("a toy"), **beats)
    with pytest.raises(ValueError, match="ou24/many has 10001 instances; give at most 10000"):
        chapter.add("many", page.source("2"), Unjudged("a toy"), params=({},) * 10_001, **beats)
    with pytest.raises(ValueError, match="two claims of ou24 have the name 'a'"):
        chapter.add("a", page.source("2"), Unjudged("another"), **beats)
    assert [claim.id for claim in chapter.claims] == ["ou24/a", f"ou24/{longest}"]


def test_scopes_that_python_leaves_out_are_not_taken_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def formula() -> None:
        """For every eps > 0,
        and T >= 2."""

    monkeypatch.setattr(sys, "flags", SimpleNamespace(optimize=1))
    assert page_module.scope_of(formula) == "For every eps > 0, and T >= 2."
    monkeypatch.setattr(sys, "flags", SimpleNamespace(optimize=2))
    with pytest.raises(RuntimeError, match="unset PYTHONOPTIMIZE=2"):
        page_module.scope_of(formula)


# Chapters that long pages are known to have at least: there would be fewer if they were not found. Others have some.
CHAPTERS = {"ou24": 6, "hu25": 6, "chen24": 6, "tao22": 6, "sajed19": 3}
CHAPTERS |= {"agrawal13": 2, "azize22": 2, "hu21": 2, "hu22": 2, "shariff18": 2, "tossou18": 2}
WITHOUT_PROOFS = frozenset[str]()  # pages whose claims need no proofs of their own: else a lost folder would go unseen


@pytest.mark.parametrize("page", paper_keys())
def test_a_proof_stands_in_the_file_of_its_statement(page: str) -> None:
    """The proof of a statement in reference/papers/<page>/<chapter> is in proofs_checks/papers/<page>/<chapter>."""
    chapters = {
        path.stem: import_module(f"dpbandits.reference.papers.{page}.{path.stem}").chapter.claims
        for path in Path(import_module(f"dpbandits.reference.papers.{page}").__path__[0]).glob("*.py")
        if "\nchapter = " in path.read_text(encoding="utf-8")
    }
    stated = {claim.id for claims in chapters.values() for claim in claims}
    assert stated == {claim.id for claim in ledger().claims if claim.source.paper == page}
    assert len(chapters) >= CHAPTERS.get(page, 1)
    proved = set()
    has_proofs = find_spec(f"dpbandits.proofs_checks.papers.{page}") is not None
    for name, claims in chapters.items() if has_proofs else ():
        if find_spec(f"dpbandits.proofs_checks.papers.{page}.{name}") is not None:
            own = import_module(f"dpbandits.proofs_checks.papers.{page}.{name}").proves.by_claim
            assert set(own) <= {claim.id for claim in claims}, name
            proved |= set(own)
    assert proved == set(proofs_of(page))
    assert bool(proved) == has_proofs, f"{page} has a folder of proofs, and no proof in the file of a chapter"
    assert has_proofs == (page not in WITHOUT_PROOFS), f"proofs of {page}: put its folder back, or name it above"


def test_a_claim_that_is_named_a_repair_is_read_as_one() -> None:
    named = [claim for claim in ledger().claims if "repaired" in claim.id.split("/")]
    assert len(named) > 20
    assert [claim.id for claim in named if claim.reading not in (Reading.REPAIRED, Reading.OURS)] == []


def test_what_is_said_to_be_repaired_here_has_a_repair() -> None:
    claims = ledger().by_id
    repairs = [claim.source for claim in claims.values() if claim.reading is Reading.REPAIRED]
    repaired = {(source.paper, source.where) for source in repairs}
    promised = [claim for claim in ledger().claims if claim.harm is Harm.STATEMENT]
    assert promised
    for claim in promised:
        assert claim.repaired_by or (claim.source.paper, claim.source.where) in repaired, claim.id
    for claim in claims.values():
        for name in claim.repaired_by:
            assert claims[name].reading is Reading.REPAIRED, f"{claim.id} names {name}, which is no repair"
            assert expectations(claims[name]) <= HOLDS, f"{claim.id} names {name}, which is not expected to hold"
        assert not claim.repaired_by or claim.fault is not None, claim.id


CLAIM_ID = re.compile(r"\b[a-z]+[0-9]{2}/[\w./^=-]*\w")
ID_WITHOUT_PAGE = re.compile(r"(?<![\w/.'`-])[a-z][\w.]*[/-][\w./=-]*\w")


def test_every_claim_that_a_text_names_is_in_a_typed_field() -> None:
    """And in backticks: reports link marked ids and search no sentence for them."""
    claims, named = ledger().by_id, 0
    for claim in claims.values():
        fields = (*claim.follows, *claim.repaired_by, *claim.related, *filter(None, [claim.same_error_as]))
        assert len(set(claim.related)) == len(claim.related), claim.id
        assert not set(claim.related) & {claim.id, *claim.follows, *claim.repaired_by, claim.same_error_as}, claim.id
        assert set(fields) <= set(claims), f"{claim.id} names {set(fields) - set(claims)}, which is not in the ledger"
        spoken = (getattr(claim.says, "words", ""), getattr(claim.says, "because", ""))
        found = CLAIM_ID.findall(
            " ".join((claim.scope, claim.given, claim.note, claim.repair, claim.by, claim.cites, *spoken))
        )
        assert set(found) <= {claim.id, *fields}, f"{claim.id} names {set(found) - {claim.id, *fields}} in its texts"
        marked = code_parts(" ".join((claim.scope, claim.given, claim.note, claim.repair, claim.by, *spoken)))
        bare = [name for text in marked[::2] for name in CLAIM_ID.findall(text) if name in claims]
        assert not bare, f"{claim.id}: put {bare} in backticks"
        short = {f"{claim.source.paper}/{name}" for name in ID_WITHOUT_PAGE.findall(claim.note + " " + claim.scope)}
        assert not short & set(claims), f"{claim.id}: write {short & set(claims)} with the page"
        named += len(found)
    assert named > 100


ORDER = re.compile(r"\b(O|Omega|Theta)~?\(")  # an order, which leaves a constant open


def test_a_refuted_number_was_no_order_in_the_sentence() -> None:
    """A sentence with an O leaves the constant open. A number without it is a stronger statement, and ours."""
    numbers = Private | AtMost | AtLeast
    refuted = [claim for claim in ledger().claims if Verdict.REFUTED in expectations(claim)]
    judged = [claim for claim in refuted if isinstance(claim.says, numbers)]
    assert len(judged) > 8
    assert [claim.id for claim in judged if ORDER.search(claim.source.quote) or "without the O" in claim.scope] == []


CLAUSE = re.compile(
    r"(it|its|this|that|there|for|if|where|as|since|when|who|one)\b|\S+ (is|are|has|have|grows?|falls?|tends?)\b", re.I
)


def test_how_a_claim_follows_is_a_noun_phrase_or_a_because() -> None:
    """It is the end of "by ..." in every summary."""
    reasons = {claim.id: claim.by for claim in ledger().claims if claim.by}
    assert len(reasons) > 30
    phrases = {name: by for name, by in reasons.items() if not by.startswith("because ")}
    assert {name: by for name, by in phrases.items() if CLAUSE.match(by) or by.endswith(".")} == {}


def test_a_theorem_is_cited_by_who_uses_it_in_a_proof() -> None:
    cited = [claim for claim in ledger().claims if claim.cites]
    assert [claim.id for claim in cited if not claim.follows] == []


@pytest.mark.thorough
@pytest.mark.parametrize("profile", ["ci", "deep"])
def test_every_profile_refutes_the_formulas_that_are_false(profile: str) -> None:
    """A longer search finds larger violations, and must still find one that a certificate can show."""
    claims = [claim for claim in ledger().claims if isinstance(claim.says, Identity | Inequality)]
    false = [claim for claim in claims if expectations(claim) == {Verdict.REFUTED}]
    assert len(false) > 100
    found = {claim.id: judge(claim, Run(PROFILES[profile], 0, 1e-9)) for claim in false}
    assert {name: each.summary for name, each in found.items() if each.verdict is not Verdict.REFUTED} == {}
