"""A policy of one's own in a comparison: what it claims, and a small audit of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpbandits.audit.comparison import document as d
from dpbandits.audit.comparison.candidates import PROMISE_SLACK, RELATION, Entrant, sentence
from dpbandits.audit.implementations.own_claims import audit_policy
from dpbandits.reference.arithmetic.checks import is_number
from dpbandits.reference.claims.model import Verdict
from dpbandits.reference.claims.offers import Wanted, promised_eps_at
from dpbandits.reference.curves import Approximate, derived
from dpbandits.reference.curves.approximate import delta_text

SMALL = {"arms": 2, "horizon": 8}  # the shape that is audited
AUDIT_TRIALS = 2000


def own_entrant(name: str, make: Callable[..., Any], wanted: Wanted, seed: int) -> Entrant:
    """The policy of make(arms=, horizon=), whose attributes eps, and delta unless it is 0, say what it claims.

    Raises ValueError where it claims nothing, or nothing that makes sense.
    """
    policy, small = make(arms=wanted.arms, horizon=wanted.horizon), make(**SMALL)
    curve, claim = claimed_curve(name, policy), claimed_curve(name, small)
    found = audit_policy(small, curve=claim, relation=RELATION, trials=AUDIT_TRIALS, seed=seed)
    audit = f"{found.verdict} with {SMALL['arms']} arms and T = {SMALL['horizon']}: {found.summary}"
    eps = promised_eps_at(curve, wanted.delta)
    promise = d.Promise(
        claim="",
        words=derived.name(curve),
        relation=RELATION,
        reading="own",
        eps=eps if eps < float("inf") else None,
        verdict=str(found.verdict),
        rests_on=tuple(str(each) for each in found.rests_on),
        judged="in this run",
    )
    standing, why = d.OPEN, f"It claims {promise.words}, which a small audit has not refuted; that is no proof."
    if found.verdict is Verdict.REFUTED:
        standing, why = d.REFUTED, f"It claims {promise.words}, which a small audit refutes."
    elif promise.eps is None or promise.eps > wanted.eps * (1 + PROMISE_SLACK):
        standing, why = (
            d.UNREACHABLE,
            f"It claims {promise.words}, which is more than ({wanted.eps:g}, {delta_text(wanted.delta)})-DP.",
        )
    told = d.Candidate(f"{name} (yours)", "", "your own", standing, sentence(ValueError(why)), {}, promise, audit)
    return Entrant(told, policy if standing == d.OPEN else None)


def claimed_curve(name: str, policy: Any) -> Approximate:
    eps: Any = getattr(policy, "eps", None)
    delta: Any = getattr(policy, "delta", 0.0)
    if not is_number(eps):
        raise ValueError(
            f"{name} has no number as its attribute eps: set eps, and delta unless that is 0, to its claim"
        )
    return Approximate(float(eps), float(delta))
