"""Who is compared: the offers of all pages at the wanted privacy, and whether what they promise is established."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from dpbandits.audit.claims.proofs import PROOFS
from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.kept_verdicts import verdict_of
from dpbandits.reference.claims.ledger import PAPERS_PACKAGE, ledger, paper_keys
from dpbandits.reference.claims.model import ESTABLISHED_VERDICTS, Claim, Private, Reading, Verdict
from dpbandits.reference.claims.offers import Offer, OutOfReach, Wanted, promised_eps_at
from dpbandits.reference.claims.paper import Page
from dpbandits.reference.curves import derived
from dpbandits.reference.curves.approximate import delta_text

RELATION = "pull"  # the neighbours of every offer: one reward of the table of pulls is changed
PROMISE_SLACK = 1e-9  # relative: what rounding may add to an eps


class Entrant(NamedTuple):
    """A candidate, and the policy that is played; None for who is not."""

    candidate: d.Candidate
    policy: Any = None


def offered() -> list[tuple[Page, Offer]]:
    """The offers of all pages, in the order in which these joined."""
    pages = [import_module(f"{PAPERS_PACKAGE}.{key}.page").page for key in paper_keys()]
    return [(page, offer) for page in sorted(pages, key=lambda each: each.place or 0) for offer in offers_of(page.key)]


def offers_of(key: str) -> Iterator[Offer]:
    """The page's own, and those that its proofs add."""
    for package in (PAPERS_PACKAGE, PROOFS):
        if find_spec(f"{package}.{key}") and find_spec(f"{package}.{key}.offers"):
            yield from import_module(f"{package}.{key}.offers").OFFERS


@dataclass(frozen=True)
class Entering:
    """Makes the entrant of an offer, by its number among `offered`: what can be sent to another process."""

    number: int
    wanted: Wanted
    findings: Mapping[str, Any]

    def __call__(self) -> Entrant:
        return entrant(*offered()[self.number], self.wanted, self.findings)


def entrant(page: Page, offer: Offer, wanted: Wanted, findings: Mapping[str, Any]) -> Entrant:
    """What comes of an offer. findings: what is known of claims (`kept_verdicts`)."""
    about = {
        "name": offer.name,
        "paper": page.key,
        "title": page.short or page.title,
        "paper_read": page.read if offer.claim else "",
    }
    try:
        policy = offer.make(wanted)
    except (OutOfReach, ValueError) as error:
        return Entrant(d.Candidate(**about, standing=d.UNREACHABLE, why=sentence(error), parameters={}, promise=None))
    told = {name: float(getattr(policy, name)) for name in offer.told}
    if not offer.claim:
        standing, why = (d.APART, "Not private; answers for the best arm.") if offer.best_arm else (d.BASELINE, PLAIN)
        return Entrant(d.Candidate(**about, standing=standing, why=why, parameters=told, promise=None), policy)
    promise = promise_of(offer, policy, wanted, findings)
    standing, why = standing_of(promise, offer, wanted)
    found = d.Candidate(**about, standing=standing, why=why, parameters=told, promise=promise)
    return Entrant(found, None if standing in (d.REFUTED, d.UNREACHABLE) else policy)


PLAIN = "Played as it is, whatever its privacy: what privacy costs is seen beside it."


def sentence(error: Exception) -> str:
    text = str(error).strip()
    return text if text.endswith(".") else f"{text[:1].upper()}{text[1:]}."


def promise_of(offer: Offer, policy: Any, wanted: Wanted, findings: Mapping[str, Any]) -> d.Promise:
    """What the claim promises of this policy."""
    claim: Claim = ledger().by_id[offer.claim]
    curve: Any = offer.curve(policy, wanted.delta) if offer.curve else curve_of(claim, policy)
    eps = promised_eps_at(curve, wanted.delta)
    known = verdict_of(claim, findings)
    reading = claim.reading.name.lower() if claim.reading is not Reading.LETTER else "to the letter"
    return d.Promise(
        claim=claim.id,
        words=derived.name(curve),
        relation=RELATION,
        reading=reading,
        eps=eps if eps < float("inf") else None,
        verdict=known.verdict,
        rests_on=known.rests_on,
        judged=known.judged,
    )


def curve_of(claim: Claim, policy: Any) -> Any:
    """The curve that the claim states of the policy. Raises TypeError for a claim that states none, or of other
    neighbours."""
    if not isinstance(claim.says, Private) or claim.says.relation != RELATION:
        raise TypeError(f"{claim.id} states no curve for neighbours that differ in one pull: give its Offer a curve")
    return claim.says.curve(policy)


def standing_of(promise: d.Promise, offer: Offer, wanted: Wanted) -> tuple[str, str]:
    """Where the policy stands by its promise, and why."""
    about = f"{promise.claim} ({promise.reading}) is {promise.verdict}"
    if promise.verdict == Verdict.REFUTED:
        return d.REFUTED, f"Its promise is false: {about}."
    if promise.eps is None or promise.eps > wanted.eps * (1 + PROMISE_SLACK):
        least = "no eps at all" if promise.eps is None else f"eps = {promise.eps:.4g}"
        place = f"delta = {delta_text(wanted.delta)} and T = {wanted.horizon}"
        return d.UNREACHABLE, f"{promise.words}: at {place} that is {least}, above {wanted.eps:g}, by {promise.claim}."
    if promise.verdict not in ESTABLISHED_VERDICTS:
        return d.OPEN, f"Its promise is not established: {about}."
    return d.APART if offer.best_arm else d.RANKED, f"{promise.words}: {about}."
