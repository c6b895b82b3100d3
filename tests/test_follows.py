"""What a theorem may do to verdicts, and what it may not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpbandits import Finding, Verdict
from dpbandits.audit.claims.deduction import apply_theorems, name_suggestion, premises_first
from dpbandits.proofs_checks.formulas.conclusions import Investigation, conclude_search
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.search_or_prove import NOT_TRIED
from dpbandits.proofs_checks.formulas.statement import ExactEvaluation
from dpbandits.reference.claims.model import (
    Basis,
    Claim,
    Consequence,
    Inequality,
    Real,
    Source,
    Stated,
    Unjudged,
    established,
)


def claim(name: str, *follows: str, by: str = "", cites: str = "") -> Claim:
    source = Source("toy", name, "so it is")
    return Claim(name, source, Unjudged("a toy"), follows=follows, by=by, cites=cites, expect=Verdict.CONSISTENT)


def found(name: str, verdict: Verdict) -> Finding:
    return Finding(name, verdict, f"{name} was looked at", resolution="0.1")


ARGUED, PROVED = Verdict.ARGUED, Verdict.PROVED
A, B = claim("toy/a"), claim("toy/b", "toy/a", cites="Theorem 1 of Toy (1999)")
C, D = claim("toy/c", "toy/b"), claim("toy/d", "toy/a", "toy/e")
E = claim("toy/e")


def verdicts(claims: tuple[Claim, ...], *given: Verdict) -> tuple[dict[str, Verdict], dict[str, str]]:
    own = {claim.id: found(claim.id, verdict) for claim, verdict in zip(claims, given, strict=True)}
    findings, contradictions = apply_theorems(premises_first(claims, {}), own)
    return {name: finding.verdict for name, finding in findings.items()}, contradictions


def test_premises_come_first_and_from_the_ledger() -> None:
    ledger = {each.id: each for each in (A, B, C, D, E)}
    assert premises_first([C], ledger) == (A, B, C)


def test_the_given_claim_shadows_the_ledgers() -> None:
    mine = replace(A, note="mine")
    assert premises_first([mine, B], {A.id: A, B.id: B}) == (mine, B)


def test_a_missing_premise_is_an_error_that_names_the_likely_one() -> None:
    with pytest.raises(
        ValueError, match=r"toy/x: the field `follows` names the claim 'toy/aa', which is not .* did you mean toy/a\?$"
    ):
        premises_first([claim("toy/x", "toy/aa")], {A.id: A})


def test_no_claim_is_suggested_as_its_own_premise() -> None:
    with pytest.raises(ValueError, match=r"names the claim 'toy/xy', which is not in the ledger$"):
        premises_first([claim("toy/xx", "toy/xy")], {"other/x": A})


def test_a_circle_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"circular dependency between claims: toy/[pq] <- toy/[pq] <- toy/[pq]"):
        premises_first([claim("toy/p", "toy/q"), claim("toy/q", "toy/p")], {})


@pytest.mark.parametrize("own", [Verdict.CONSISTENT, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED])
def test_proofs_travel_along_theorems(own: Verdict) -> None:
    after, contradictions = verdicts((A, B, C), Verdict.PROVED, own, own)
    assert after == dict.fromkeys(("toy/a", "toy/b", "toy/c"), Verdict.PROVED)
    assert not contradictions


def test_a_consequence_in_words_is_argued_whatever_it_follows_from() -> None:
    spoken = replace(B, says=Consequence("it is plain"))
    own = {"toy/a": established("toy/a", "", (), Basis.ALGEBRA), "toy/b": found("toy/b", Verdict.UNSUPPORTED)}
    findings, _ = apply_theorems((A, spoken), own)
    assert findings["toy/b"].verdict is Verdict.ARGUED
    assert findings["toy/b"].rests_on == (Basis.ALGEBRA, Basis.CITED, Basis.WORDS)
    assert apply_theorems((A, B), own)[0]["toy/b"].verdict is Verdict.PROVED


def test_what_follows_for_a_reason_is_argued_and_cites_nothing() -> None:
    """A reason is a step in words. A theorem is cited only where it is named."""
    reasoned = replace(B, by="monotonicity", cites="")
    own = {"toy/a": established("toy/a", "", (), Basis.ALGEBRA), "toy/b": found("toy/b", Verdict.UNSUPPORTED)}
    argued = apply_theorems((A, reasoned), own)[0]["toy/b"]
    assert (argued.verdict, argued.rests_on) == (Verdict.ARGUED, (Basis.ALGEBRA, Basis.WORDS))
    same = apply_theorems((A, replace(B, cites="")), own)[0]["toy/b"]
    assert (same.verdict, same.rests_on) == (Verdict.PROVED, (Basis.ALGEBRA,))


def test_a_theorem_that_a_kernel_has_checked_needs_no_premise() -> None:
    conclusion = claim("toy/d", "toy/a", "toy/e")
    own = {"toy/a": found("toy/a", Verdict.CONSISTENT), "toy/e": established("toy/e", "", (), Basis.WORDS)}
    for bases, verdict in (((Basis.KERNEL,), PROVED), ((Basis.ALGEBRA,), Verdict.CONSISTENT)):
        mine = {**own, "toy/d": established("toy/d", "", (), *bases)}
        assert apply_theorems((A, E, conclusion), mine)[0]["toy/d"].verdict is verdict
    both = {**own, "toy/a": established("toy/a", "", (), Basis.ALGEBRA)}
    argued = apply_theorems((A, E, conclusion), {**both, "toy/d": established("toy/d", "", (), Basis.ALGEBRA)})[0]
    assert (argued["toy/d"].verdict, argued["toy/d"].rests_on) == (ARGUED, (Basis.ALGEBRA, Basis.WORDS))


def test_premises_of_a_proof_do_not_replace_it() -> None:
    """Where a step of its own proof was not shown, a statement in words does not follow from what the proof uses."""
    stated = replace(B, says=Stated("it is so"))
    own = {"toy/a": established("toy/a", "", (), Basis.ALGEBRA), "toy/b": found("toy/b", Verdict.CONSISTENT)}
    assert apply_theorems((A, stated), own)[0]["toy/b"].verdict is Verdict.CONSISTENT


def test_names_below_are_suggested_first() -> None:
    known = ["p/theorem-8", "p/theorem-5/b", "p/theorem-5/a", "p/theorem-50", "p/theorem-7"]
    assert name_suggestion("p/theorem-5", known) == "; did you mean p/theorem-5/a, p/theorem-5/b?"
    assert name_suggestion("p/theorem-5/", known) == name_suggestion("p/theorem-5", known)
    assert "p/theorem-8" in name_suggestion("p/theorem-9", known)
    assert name_suggestion("p", known).startswith(
        "; did you mean p/theorem-5/a, p/theorem-5/b, p/theorem-50 (5 begin so)?"
    )
    assert name_suggestion("quite another", known) == name_suggestion("", known) == ""


def test_no_name_of_another_paper_is_suggested() -> None:
    """A claim of one's own, or of a page that has not joined, is no misspelt one of the ledger."""
    known = ["chen24/eq-17", "chen24/eq-51", "ou24/lemma-3", "ou24/theorem-7", "hu25/theorem-4.4/round"]
    for name in ("skeleton/eq-1", "own/theorem-7", "own/round", "smith26/lemma-3"):
        assert name_suggestion(name, known) == "", name
    for name in ("ou24/lemma-2", "uo24/lemma-3", "ou24/lemma3", "lemma-3"):
        assert "ou24/lemma-3" in name_suggestion(name, known), name


def test_the_summary_names_premises_and_theorem_and_keeps_the_direct_judgement() -> None:
    findings, _ = apply_theorems(
        (A, B), {"toy/a": found("toy/a", Verdict.PROVED), "toy/b": found("toy/b", Verdict.CONSISTENT)}
    )
    summary = findings["toy/b"].summary
    assert summary.startswith(
        "Follows from `toy/a` (PROVED), using Theorem 1 of Toy (1999), which is cited and not proved here. "
    )
    assert summary.endswith("Direct check: CONSISTENT: toy/b was looked at")
    assert findings["toy/b"].resolution == "0.1"


@pytest.mark.parametrize(
    ("known", "by", "said"),
    [
        ((ARGUED,), "", "Follows from `a` (ARGUED)."),
        ((PROVED, PROVED), "", "Follows from `a` (PROVED) and `b` (PROVED)."),
        ((PROVED, ARGUED), "a union bound", "Follows from `a` (PROVED) and `b` (ARGUED), by a union bound."),
        ((ARGUED, ARGUED, ARGUED), "", "Follows from `a` (ARGUED), `b` (ARGUED) and `c` (ARGUED)."),
        (
            (ARGUED, PROVED, ARGUED),
            "because a < b",
            "Follows from `a` (ARGUED), `b` (PROVED) and `c` (ARGUED), because a < b.",
        ),
    ],
)
def test_the_summary_is_a_sentence_for_one_two_and_many_premises(
    known: tuple[Verdict, ...], by: str, said: str
) -> None:
    premises = [claim(name) for name in "abc"[: len(known)]]
    conclusion = claim("toy/z", *(each.id for each in premises), by=by)
    own = {each.id: found(each.id, verdict) for each, verdict in zip(premises, known, strict=True)}
    findings, _ = apply_theorems((*premises, conclusion), own | {"toy/z": found("toy/z", Verdict.UNSUPPORTED)})
    assert findings["toy/z"].summary.startswith(f"{said} Direct check: UNSUPPORTED: ")


@pytest.mark.parametrize("premise", [verdict for verdict in Verdict if verdict not in (Verdict.PROVED, Verdict.ARGUED)])
def test_only_proofs_travel(premise: Verdict) -> None:
    after, _ = verdicts((A, E, D), Verdict.PROVED, premise, Verdict.CONSISTENT)
    assert after["toy/d"] == Verdict.CONSISTENT


@pytest.mark.parametrize("own", [Verdict.REFUTED, Verdict.NOT_APPLICABLE, Verdict.PROVED])
def test_a_verdict_that_decides_stays(own: Verdict) -> None:
    after, contradictions = verdicts((A, B), Verdict.PROVED, own)
    assert after["toy/b"] == own
    assert set(contradictions) == ({"toy/b"} if own == Verdict.REFUTED else set())


@pytest.mark.parametrize("premise", [verdict for verdict in Verdict if verdict not in (Verdict.PROVED, Verdict.ARGUED)])
def test_an_argument_falls_with_the_premises_that_it_uses(premise: Verdict) -> None:
    after, contradictions = verdicts((A, E, D), Verdict.PROVED, premise, Verdict.ARGUED)
    assert after["toy/d"] == Verdict.CONSISTENT
    assert not contradictions


def test_an_argument_rests_on_what_its_premises_rest_on() -> None:
    own = {
        "toy/a": established("toy/a", "by intervals", (), Basis.INTERVALS),
        "toy/b": established("toy/b", "in words", (), Basis.WORDS, Basis.ALGEBRA),
    }
    finding = apply_theorems((A, B), own)[0]["toy/b"]
    assert (finding.verdict, finding.summary) == (Verdict.ARGUED, "in words")
    assert set(finding.rests_on) == {Basis.WORDS, Basis.ALGEBRA, Basis.INTERVALS}
    alone = apply_theorems((A, B), {"toy/b": own["toy/b"]})[0]["toy/b"]
    assert alone.summary == "The argument uses toy/a, which was not shown. in words"


def test_a_machine_that_decides_a_step_leaves_the_lemma_that_it_is_a_step_from() -> None:
    """What is proved of a formula is no more than argued of a claim whose words use an argument."""
    own = {
        "toy/a": established("toy/a", "in words", (), Basis.WORDS),
        "toy/b": established("toy/b", "by intervals", (), Basis.INTERVALS),
    }
    finding = apply_theorems((A, B), own)[0]["toy/b"]
    assert (finding.verdict, finding.summary) == (Verdict.ARGUED, "by intervals")
    assert set(finding.rests_on) == {Basis.WORDS, Basis.INTERVALS}
    alone = apply_theorems((A, B), {"toy/b": own["toy/b"]})[0]["toy/b"]
    assert (alone.verdict, alone.summary) == (
        Verdict.CONSISTENT,
        "The proof uses toy/a, which was not shown. by intervals",
    )


def test_a_violation_that_is_not_certified_contradicts_a_theorem_too() -> None:
    """The judge of formulas has seen it in intervals: that the claim follows from others is no answer to that."""
    bad = ExactEvaluation({"x": Fraction(1, 4)}, True, True, False, False, -0.5)
    run = Investigation((bad,), NOT_TRIED, bad, None, (), False, "why")
    formula = replace(B, says=Inequality(lambda m, x: x, lambda m, x: x, {"x": Real(0, 1)}))
    seen = conclude_search(formula, [run], Effort(), True)
    findings, contradictions = apply_theorems((A, formula), {"toy/a": found("toy/a", Verdict.PROVED), "toy/b": seen})
    assert findings["toy/b"] == seen
    assert seen.verdict == Verdict.CONSISTENT
    assert contradictions["toy/b"].startswith("toy/b is violated, but follows from `toy/a` (PROVED), using Th")


def test_the_words_of_a_summary_decide_nothing() -> None:
    """Whoever rewords a summary, or quotes another one in it, changes no verdict."""
    words = "violated at x = 1 in intervals, but not certified, so not refuted"
    own = {"toy/a": found("toy/a", Verdict.PROVED), "toy/b": replace(found("toy/b", Verdict.CONSISTENT), summary=words)}
    findings, contradictions = apply_theorems((A, B), own)
    assert (findings["toy/b"].verdict, contradictions) == (Verdict.PROVED, {})
    seen = replace(own["toy/b"], summary="in other words", uncertified={"x": "1"})
    findings, contradictions = apply_theorems((A, B), {**own, "toy/b": seen})
    assert findings["toy/b"].verdict is Verdict.CONSISTENT
    assert contradictions["toy/b"].startswith("toy/b is violated, but follows from")


def test_a_premise_without_a_finding_proves_nothing() -> None:
    findings, _ = apply_theorems((A, B), {"toy/b": found("toy/b", Verdict.CONSISTENT)})
    assert findings["toy/b"].verdict == Verdict.CONSISTENT


def test_claims_without_premises_are_never_upgraded() -> None:
    assert verdicts((A,), Verdict.CONSISTENT)[0] == {"toy/a": Verdict.CONSISTENT}
