"""The policies that are compared: the policies that the papers' modules offer for comparison, and the user's own
policy, with the verdicts on their guarantees.

Checking claims takes minutes, so a comparison reads verdicts from a findings document, or those stored with the
package. A stored verdict counts only if the claim has not changed since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from dpbandits import registry
from dpbandits.audit.claims.proofs import PROOFS
from dpbandits.audit.claims.statements import statement
from dpbandits.audit.privacy.own_claims import audit_policy
from dpbandits.extensions.comparison import document as d
from dpbandits.reference.arithmetic.checks import is_number
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.claims.findings import Side, rounded
from dpbandits.reference.claims.ledger import PAPERS_PACKAGE, ledger, paper_keys
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Claim, Finding, Private, Reading, Verdict
from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted, promised_eps_at
from dpbandits.reference.claims.paper import Page
from dpbandits.reference.claims.records import Document
from dpbandits.reference.curves import Approximate, Curve, derived
from dpbandits.reference.curves.approximate import delta_text

KEPT_FILE = Path(__file__).with_name("kept_verdicts.json")
UNTOLD = "NOT_JUDGED"  # no verdict: nothing is known of the claim, or of what it said when it was judged
RELATION = "pull"  # the neighbours of every offer: one reward of the table of pulls is changed
PROMISE_SLACK = 1e-9  # relative: what rounding may add to an eps
PLAIN = "Played as it is, whatever its privacy: what privacy costs is seen beside it."
SMALL = {"arms": 2, "horizon": 8}  # the shape that is audited
AUDIT_TRIALS = 2000


class KeptVerdict(NamedTuple):
    """A stored verdict. verdict: as in findings, or UNTOLD. rests_on: as in findings. judged: where it was stored."""

    verdict: str
    rests_on: tuple[str, ...]
    judged: str


def stored_document() -> Document:
    """The findings document stored with the package."""
    return json.loads(KEPT_FILE.read_text("utf-8"))  # type: ignore[no-any-return]


def verdict_of(claim: Claim, document: Document) -> KeptVerdict:
    """Returns the claim's verdict in a findings document."""
    judged = f"findings of {document['version']}"
    found = next((each for each in document["findings"] if each["id"] == claim.id), None)
    if found is None:
        return KeptVerdict(UNTOLD, (), judged)
    if found["statement"] != statement(claim):
        return KeptVerdict(UNTOLD, (), f"{judged}, where it said something else")
    return KeptVerdict(found["verdict"], tuple(found["rests_on"]), judged)


class Entrant(NamedTuple):
    """A candidate, and the policy that is played; None for one that is not played."""

    candidate: d.Candidate
    policy: Policy | None = None


def offered() -> list[tuple[Page, Offer]]:
    """All policies that the papers' modules offer for comparison, in the order in which the papers were registered."""
    pages = [import_module(f"{PAPERS_PACKAGE}.{key}.page").page for key in paper_keys()]
    return [(page, offer) for page in sorted(pages, key=lambda each: each.place or 0) for offer in offers_of(page.key)]


def offers_of(key: str) -> Iterator[Offer]:
    """Yields the policies that a paper's modules offer for comparison, from `reference` and from `proofs_checks`.
    An offer that needs an extension that is not installed is left out."""
    for package in (PAPERS_PACKAGE, PROOFS):
        if find_spec(f"{package}.{key}") and find_spec(f"{package}.{key}.offers"):
            try:
                offers = import_module(f"{package}.{key}.offers").OFFERS
            except ModuleNotFoundError as error:
                if registry.names_extension(error):
                    continue
                raise
            yield from offers


def numbered_entrant(number: int, wanted: Wanted, findings: Document) -> Entrant:
    """Makes the policy of the offer with this number in `offered`, with the verdict on its guarantee.
    Unlike an offer, a number can be sent to another process."""
    return entrant(*offered()[number], wanted, findings)


def entrant(page: Page, offer: Offer, wanted: Wanted, findings: Document) -> Entrant:
    """Makes the policy of an offer, and returns it with the verdict on its guarantee.
    findings: the document with the stored verdicts."""
    about = {
        "name": offer.name,
        "short": offer.short,
        "paper": page.key,
        "title": page.short or page.title,
        "paper_read": read_in(page, offer),
    }
    try:
        policy = offer.make(wanted)
    except (OutOfReach, ValueError) as error:
        return Entrant(d.Candidate(**about, standing=d.UNREACHABLE, why=sentence(error), parameters={}, promise=None))
    about["algorithm"] = f"{type(policy).__module__}.{type(policy).__qualname__}"
    told = {name: float(getattr(policy, name)) for name in offer.told}
    if not offer.claim:
        standing, why = (d.APART, "Not private; answers for the best arm.") if offer.best_arm else (d.BASELINE, PLAIN)
        return Entrant(d.Candidate(**about, standing=standing, why=why, parameters=told, promise=None), policy)
    # The guarantee that the claim gives for this policy
    claim: Claim = ledger().by_id[offer.claim]
    curve = offer.curve(policy, wanted.delta) if offer.curve else curve_of(claim, policy)
    eps = promised_eps_at(curve, wanted.delta)
    known = verdict_of(claim, findings)
    promise = d.Promise(
        claim=claim.id,
        words=guarantee_words(curve),
        relation=RELATION,
        reading=str(claim.reading),
        eps=eps if eps < float("inf") else None,
        verdict=known.verdict,
        rests_on=known.rests_on,
        judged=known.judged,
    )
    standing, why = standing_of(promise, offer, wanted)
    found = d.Candidate(**about, standing=standing, why=why, parameters=told, promise=promise)
    return Entrant(found, None if standing in (d.REFUTED, d.UNREACHABLE) else policy)


def guarantee_words(curve: Curve) -> str:
    """The guarantee in words, with numbers that are rounded up as everywhere in a comparison."""
    return derived.guarantee_name(curve, partial(rounded, side=Side.ABOVE, digits=d.EPS_DIGITS))


def read_in(page: Page, offer: Offer) -> str:
    """The secondary source from which the offer's claim was read; "" if the paper itself was read."""
    if not offer.claim:
        return ""
    seen_in = ledger().by_id[offer.claim].source.seen_in
    return f"as quoted in {seen_in}" if seen_in else page.read


def sentence(error: Exception) -> str:
    """The exception's message as a sentence, with a capital letter and a full stop."""
    text = str(error).strip()
    return text if text.endswith(".") else f"{text[:1].upper()}{text[1:]}."


def curve_of(claim: Claim, policy: Policy) -> Any:
    """The privacy curve that the claim states for the policy.
    Raises TypeError if the claim states none for reward tables that differ in one pull."""
    if not isinstance(claim.says, Private) or claim.says.relation != RELATION:
        raise TypeError(
            f"{claim.id} has no privacy guarantee for relation 'pull' (reward tables that differ in one pull); give "
            "curve= to its Offer"
        )
    return claim.says.curve(policy)


def standing_of(promise: d.Promise, offer: Offer, wanted: Wanted) -> tuple[str, str]:
    """Returns the policy's standing in the comparison, such as "ranked" or "refuted", and a sentence that says why.
    promise: the policy's guarantee."""
    about = f"{promise.claim} ({promise.reading}) is {promise.verdict}"
    if promise.verdict == Verdict.REFUTED:
        as_quoted = ", as quoted," if promise.reading == Reading.QUOTED else ""
        return d.REFUTED, f"Its promise{as_quoted} is false: {about}."
    if promise.eps is None or promise.eps > wanted.eps * (1 + PROMISE_SLACK):
        least = "no eps at all" if promise.eps is None else f"eps = {rounded(promise.eps, Side.ABOVE, d.EPS_DIGITS):g}"
        place = f"delta = {delta_text(wanted.delta)} and T = {wanted.horizon}"
        return d.UNREACHABLE, f"{promise.words}: at {place} that is {least}, above {wanted.eps:g}, by {promise.claim}."
    if promise.verdict not in ESTABLISHED_VERDICTS:
        return d.OPEN, f"Its promise is not established: {about}."
    return d.APART if offer.best_arm else d.RANKED, f"{promise.words}: {about}."


def own_entrant(name: str, make: Callable[..., Policy], wanted: Wanted, seed: int) -> Entrant:
    """Makes the user's policy by make(arms=, horizon=), audits it, and returns it with the result.
    The audited instance is small. The policy's attributes eps, and delta unless it is 0, state its guarantee.

    Raises ValueError if it states none, or an invalid one.
    """
    policy, small = make(arms=wanted.arms, horizon=wanted.horizon), make(**SMALL)
    curve, claim = claimed_curve(name, policy), claimed_curve(name, small)
    found = audit_policy(small, curve=claim, relation=RELATION, trials=AUDIT_TRIALS, seed=seed)
    return audited_entrant(name, policy, curve, wanted, found)


def audited_entrant(name: str, policy: Policy, curve: Approximate, wanted: Wanted, finding: Finding) -> Entrant:
    """Returns a user's own policy, which claims this privacy curve, with its standing in the comparison.
    finding: the finding of an audit with few arms and a short horizon."""
    audit = f"{finding.verdict} with {SMALL['arms']} arms and T = {SMALL['horizon']}: {finding.summary}"
    eps = promised_eps_at(curve, wanted.delta)
    promise = d.Promise(
        claim="",
        words=guarantee_words(curve),
        relation=RELATION,
        reading="own",
        eps=eps if eps < float("inf") else None,
        verdict=str(finding.verdict),
        rests_on=tuple(str(each) for each in finding.rests_on),
        judged="in this run",
    )
    standing, why = d.OPEN, f"It claims {promise.words}, which a small audit has not refuted; that is no proof."
    if finding.verdict is Verdict.REFUTED:
        standing, why = d.REFUTED, f"It claims {promise.words}, which a small audit refutes."
    elif promise.eps is None or promise.eps > wanted.eps * (1 + PROMISE_SLACK):
        standing, why = (
            d.UNREACHABLE,
            f"It claims {promise.words}, which is more than ({wanted.eps:g}, {delta_text(wanted.delta)})-DP.",
        )
    told = d.Candidate(f"{name} (yours)", "", "your own", standing, sentence(ValueError(why)), {}, promise, audit)
    return Entrant(told, policy if standing == d.OPEN else None)


def claimed_curve(name: str, policy: Policy) -> Approximate:
    """Returns the privacy curve that a user's policy claims by its attributes eps and delta (0 if missing).
    Raises ValueError for an eps that is no number."""
    eps, delta = getattr(policy, "eps", None), getattr(policy, "delta", 0.0)
    if not is_number(eps):
        raise ValueError(
            f"the attribute eps of the policy {name} is missing or not a number; set the attributes eps and delta of "
            "the policy to the guarantee that you claim (without delta, the claim is pure DP)"
        )
    return Approximate(float(eps), float(delta))
