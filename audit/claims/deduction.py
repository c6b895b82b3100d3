"""Implications between claims: a claim that follows from other claims inherits their proofs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter

from dpbandits.audit.judges.effort import Run
from dpbandits.proofs_checks.formulas.theorems import BY_PREMISES_ALONE
from dpbandits.reference.claims.findings import PrivacyFound
from dpbandits.reference.claims.model import (
    ESTABLISHED_VERDICTS,
    Basis,
    Claim,
    Consequence,
    Finding,
    Stated,
    Verdict,
    distinct_bases,
    established,
)
from dpbandits.reference.claims.text import list_in_words

SHOWN_NAMES = 3  # that are suggested
MAX_PREMISES_IN_SENTENCE = 4  # more premises get a sentence of their own
# A direct judgement that a theorem may overrule: nothing was refuted, nothing was proved.
UNSETTLED_VERDICTS = frozenset({Verdict.CONSISTENT, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED})


def premises_first(claims: Iterable[Claim], ledger: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """Returns the claims and their direct and indirect premises, each once; every claim comes after its premises.

    A premise is looked up among the claims first, then in the ledger, by id. Raises ValueError for a premise that is in
    neither, and for circular dependencies between claims.
    """
    claims = tuple(claims)
    known = {claim.id: claim for claim in claims}
    graph: dict[str, tuple[str, ...]] = {}
    waiting = deque(claim.id for claim in claims)
    while waiting:
        name = waiting.popleft()
        if name in graph:
            continue
        graph[name] = known[name].follows
        for premise in known[name].follows:
            if premise not in known:
                if premise not in ledger:
                    like = name_suggestion(premise, {*ledger, *known} - {name})
                    raise ValueError(
                        f"claim {name}: the field `follows` names the claim {premise!r}, which is not in the "
                        f"ledger{like}"
                    )
                known[premise] = ledger[premise]
            waiting.append(premise)
    try:
        order = tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise ValueError(
            f"circular dependency between claims: {' <- '.join(error.args[1])}; remove one of these claims from the "
            "field `follows` of another"
        ) from None
    return tuple(known[name] for name in order)


def name_suggestion(name: str, known: Iterable[str]) -> str:
    """Returns advice on a misspelt name, "; did you mean a, b?"; "" if no known name is similar.
    The suggestions are the known names that begin with this one; otherwise similar names, of the same paper if it is
    known."""
    names = sorted(known)
    below = [each for each in names if each.startswith(f"{name.rstrip('/')}/")] if name else []
    paper, slash, _ = name.partition("/")
    alike = get_close_matches(paper, {each.partition("/")[0] for each in names}, cutoff=0.6) if slash else []
    near = [each for each in names if not slash or each.partition("/")[0] in alike]
    likely = below[:SHOWN_NAMES] or get_close_matches(name, near, n=SHOWN_NAMES, cutoff=0.5)
    more = f" ({len(below)} begin so)" if len(below) > SHOWN_NAMES else ""
    return f"; did you mean {', '.join(likely)}{more}?" if likely else ""


def apply_theorems(claims: Sequence[Claim], own: Mapping[str, Finding]) -> tuple[dict[str, Finding], dict[str, str]]:
    """Applies all theorems to the findings; returns the findings afterwards, and the contradictions, by claim id.

    claims: premises first. own: the direct finding of each claim; a claim without one (its check failed) proves
    nothing. A contradiction is a claim that was refuted, or whose violation was found without a certificate, although
    all its premises are proved or argued: one of the findings or the theorem is wrong, which is no verdict about the
    claim. A claim that its own proof decides (`Stated`) does not follow from its premises alone, because the proof uses
    them. Returns (id -> finding, id -> contradiction).
    """
    findings: dict[str, Finding] = {}
    contradictions: dict[str, str] = {}
    for claim in claims:
        if claim.id not in own:
            continue
        finding = own[claim.id]
        premises = [findings.get(premise) for premise in claim.follows]
        known = [premise for premise in premises if premise is not None and premise.verdict in ESTABLISHED_VERDICTS]
        if premises and finding.verdict in ESTABLISHED_VERDICTS:
            finding = finding_on_premises(claim, finding, known)
        elif premises and len(known) == len(premises):
            if finding.verdict == Verdict.REFUTED or finding.uncertified is not None:
                contradictions[claim.id] = (
                    f"{claim.id} is {'refuted' if finding.uncertified is None else 'violated'}, but follows from "
                    f"{follows_from(claim.follows, [each.verdict for each in known])}{reason_in_words(claim)}: "
                    "a finding or the theorem is wrong"
                )
            elif finding.verdict in UNSETTLED_VERDICTS and not isinstance(claim.says, Stated):
                finding = with_premises(claim, finding, known)
        findings[claim.id] = finding
    return findings, contradictions


def reason_in_words(claim: Claim) -> str:
    """Returns why the claim follows, as the end of "Follows from ...", with the theorem that the paper cites."""
    reason = f", {claim.by}" if claim.by.startswith("because ") else f", by {claim.by}" if claim.by else ""
    if not claim.cites:
        return reason
    return f"{reason}, using {claim.cites}, which is cited and not proved here"


def follows_from(names: Sequence[str], known: Sequence[Verdict]) -> str:
    """Returns the names of premises with their verdicts, as text: "`a` (PROVED) and `b` (ARGUED)".
    known: the verdict of each premise."""
    return list_in_words([f"`{name}` ({verdict})" for name, verdict in zip(names, known, strict=True)])


def with_premises(claim: Claim, finding: Finding, premises: Sequence[Finding]) -> Finding:
    """Returns a copy of the finding with the verdict that its premises establish.
    The copy depends on everything on which the premises depend. The summary still contains the result of the direct
    check, whose power is the finding's resolution. The step from the premises to the claim is an argument in words,
    which no program checks; it may be missing only if a premise states the same more generally. A theorem is cited only
    if the claim names it."""
    body = finding.body
    several = isinstance(body, PrivacyFound) and len(body.instances) > 1  # then the summary begins with the verdict
    verdict = () if several else (f"{finding.verdict}:",)
    direct = " ".join((*verdict, finding.summary))
    known = follows_from(claim.follows, [each.verdict for each in premises])
    directly = "" if isinstance(claim.says, Consequence) else f" Direct check: {direct}"
    words = (Basis.WORDS,) if claim.by or isinstance(claim.says, Consequence) else ()
    proved = all(each.verdict is Verdict.PROVED for each in premises)
    unchecked = " The step from the premises to the claim is argued in words and not checked by a machine."
    step = unchecked if words and proved else ""
    reason = reason_in_words(claim)
    follows = f"Follows from {known}{reason}."
    if len(premises) > MAX_PREMISES_IN_SENTENCE:
        follows = f"Follows from {len(premises)} other claims{reason}. These claims are {known}."
    summary = f"{follows}{step}{directly}"
    cited = (Basis.CITED,) if claim.cites else ()
    rests_on = (*words, *cited, *(basis for premise in premises for basis in premise.rests_on))
    found = established(claim.id, summary, finding.evidence, *rests_on)
    return replace(finding, verdict=found.verdict, summary=summary, rests_on=found.rests_on)


def finding_on_premises(claim: Claim, finding: Finding, premises: Sequence[Finding]) -> Finding:
    """Returns the finding of a claim whose own argument or proof uses the premises.
    The finding depends on everything that the premises depend on, and establishes nothing if a premise is missing. A
    theorem that a kernel has checked proves the whole claim and needs no premise. premises: those that are proved or
    argued."""
    if Basis.KERNEL in finding.rests_on and Basis.WORDS not in finding.rests_on:
        return finding
    lost = sorted(set(claim.follows) - {premise.claim for premise in premises})
    if lost:
        way = "argument" if finding.verdict is Verdict.ARGUED else "proof"
        summary = f"The {way} uses {', '.join(lost)}, which was not shown. {finding.summary}"
        return replace(finding, verdict=Verdict.CONSISTENT, summary=summary, rests_on=())
    rests_on = distinct_bases(*finding.rests_on, *(basis for premise in premises for basis in premise.rests_on))
    verdict = Verdict.ARGUED if Basis.WORDS in rests_on else finding.verdict
    return replace(finding, verdict=verdict, rests_on=rests_on)


# -- statements in words, which no judge decides ---------------------------------------------------------------------


def judge_unjudged(claim: Claim, run: Run) -> Finding:
    """Returns the finding UNSUPPORTED, with the reason that the claim itself gives."""
    return Finding(claim.id, Verdict.UNSUPPORTED, claim.says.because)  # type: ignore[union-attr]


def judge_consequence(claim: Claim, run: Run) -> Finding:
    """Returns the verdict UNSUPPORTED: the claim holds only if all premises from which it follows are established."""
    return Finding(claim.id, Verdict.UNSUPPORTED, BY_PREMISES_ALONE)


def judge_stated(claim: Claim, run: Run) -> Finding:
    """Raises LookupError: only a proof of its own can decide the claim, and it has none."""
    page = claim.source.paper
    raise LookupError(
        f"{claim.id}: the expected verdict (field `expect`) needs a proof, but there is no proof of this claim in "
        f"dpbandits.proofs_checks.papers.{page} or in a module {page}.proofs; write a proof, and decorate it with "
        f"@proves({claim.id.partition('/')[2]!r})"
    )
