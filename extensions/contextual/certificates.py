"""Writes certificates that a linear bandit violates a privacy guarantee.

The checker computes the probabilities of an event; this module compares them with the policy's own law.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.audit.privacy.certificates import has_chances, violating_events
from dpbandits.extensions.contextual.linear_checker import linear as checker_linear
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker.verification import EFFORT, Kind, Verification, verify
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.formulas.certificates import guarantee_as_data
from dpbandits.proofs_checks.formulas.release_certificates import NotCertifiable, stored_enclosure
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_norm
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw
from dpbandits.reference.bandits.release_laws.declared_steps import LinearRule, SaysLinearRule
from dpbandits.reference.claims.records import Certificate
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.curves.curve import ExactPrivacy

LINEAR = Kind(checker_linear.check_linear, schema=Path(checker_linear.__file__).with_name("linear.schema.json"))


def verify_linear(certificate: Certificate) -> Verification:
    """Check a certificate of the kind "linear", or of a kind that dpbandits checks without this extension."""
    return verify(certificate, {"linear": LINEAR})


def linear_refutation(
    claim: str, policy: HasLaw, pair: Pair, curve: Curve, exact: ExactPrivacy, at: float, view: str
) -> Certificate | None:
    """Returns a checked certificate that a linear bandit violates the claim; None if none can be made.
    view: whether the adversary sees everything, or the outputs of all users except the changed one."""
    promise = derived.violation(curve, text, exact, at)
    rule = policy.linear_rule if isinstance(policy, SaysLinearRule) else None
    if promise is None or rule is None:
        return None
    try:
        found = enumerate_transcripts(policy, pair)
    except ValueError:  # too many
        return None
    arms, masses = found.arms, np.stack([found.left, found.right])
    if view == "others":
        hidden = arms.copy()
        hidden[:, pair.changed_round - 1] = -1
        arms, kind = np.unique(hidden, axis=0, return_inverse=True)
        masses = np.stack([np.bincount(kind.reshape(-1), side) for side in masses])
    for swapped, some, chances in violating_events(masses[0], masses[1], promise):
        sides, norm = pair.swapped() if swapped else pair, context_norm(policy)
        try:
            made = linear_certificate(claim, rule, norm, sides, view, arms[some].tolist(), *promise[1:])
        except NotCertifiable:
            continue
        if has_chances(made, chances) and verify_linear(made).ok:
            return made
    return None


def linear_certificate(
    claim: str,
    rule: LinearRule,
    norm: float,
    pair: Pair,
    view: str,
    event: Sequence[Sequence[int]],
    eps: object,
    delta: object,
    variables: Mapping[str, Any] | None = None,
) -> Certificate:
    """A certificate that a linear bandit violates (eps, delta)-DP on two neighbouring lists of users.

    norm: the largest norm of an arm's features that the claim covers. view: "arms" or "others". event: transcripts of
    equal length, each the arms of the first rounds; for "others" -1 in the changed one. claim: the claim's id. Raises
    NotCertifiable if this cannot be written down.
    """
    if pair.relation not in ("reward", "user") or pair.spot is None or pair.lengths is not None:
        raise NotCertifiable(
            "a certificate can be written only for a pair of reward tables that differ in a round (relation 'reward' "
            "or 'user'), and that have no `lengths`"
        )
    place = pair.spot[1]
    before, after = pair.both_contexts
    ridge, width = exact_text(rule.ridge), exact_text(rule.width)
    found: dict[str, Any] = {
        "type": "linear",
        "claim": claim,
        "policy": {"rule": rule.rule, "shared": bool(rule.shared), "ridge": ridge, "width": width},
        "relation": pair.relation,
        "view": view,
        "range": [exact_text(pair.low), exact_text(pair.high)],
        "norm": exact_text(norm),
        "left": exact_rows(pair.left),
        "right": exact_rows(pair.right),
        "contexts": [features(before, t) for t in range(pair.length)],
        "changed": place,
        "becomes": features(after, place),
        "event": [[int(arm) for arm in transcript] for transcript in event],
        **guarantee_as_data(eps, delta, variables),
    }
    with checker_untrusted.limited_effort(EFFORT):
        try:
            sides = checker_linear.read_sides(found)
            policy = checker_linear.LinearPolicy.read(found["policy"], sides[0])
            every = {
                side: checker_intervals.sum_of_intervals(law.probability(tuple(each)) for each in found["event"])
                for side, law in zip(("left", "right"), map(policy.law_for, sides), strict=True)
            }
        except checker_untrusted.Rejected as wrong:
            raise NotCertifiable(
                f"no certificate was written, because the checker would reject this certificate: {wrong}"
            ) from None
    return found | {f"{side}_probability": stored_enclosure(chance) for side, chance in every.items()}


def features(contexts: Contexts, place: int) -> list[list[str]]:
    """Returns the features of every arm in a round as exact numbers in text. place: the round, from 0."""
    return exact_rows(contexts.features_of(place))


def exact_rows(rows: Array) -> list[list[str]]:
    """Returns a table of doubles, (rows, columns), as exact numbers in text."""
    return [[exact_text(value) for value in row] for row in rows.tolist()]
