"""Certificates for linear bandits with contexts: transcripts, and the users that they tell apart, written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpbandits.proofs_checks.checker import linear_bandits as checker_linear
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.checker.intervals import sum_of_intervals
from dpbandits.proofs_checks.formulas.refutations import exact_text, promise_as_data
from dpbandits.proofs_checks.formulas.releases import Unwritable, stored
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.release_laws.linear_rules import LinearRule


def linear_certificate(
    claim: str,
    rule: LinearRule,
    norm: float,
    pair: Pair,
    view: str,
    event: Sequence[Sequence[int]],
    eps: Any,
    delta: Any,
    variables: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A linear bandit violates (eps, delta)-DP on two neighbouring lists of users.

    norm: the largest of an arm's features that the claim is about. view: "arms" or "others". event: transcripts of
    equal length, each the arms of the first rounds; for "others" -1 in the changed one. claim: the claim's id. Raises
    Unwritable where this cannot be written down.
    """
    if pair.relation not in ("reward", "user") or pair.spot is None or pair.lengths is not None:
        raise Unwritable("a changed pull has no round, and long tables are not written")
    place = pair.spot[1]
    before, after = pair.both_contexts
    found: dict[str, Any] = {
        "type": "linear",
        "claim": claim,
        "policy": written_rule(rule),
        "relation": pair.relation,
        "view": view,
        "range": [exact_text(pair.low), exact_text(pair.high)],
        "norm": exact_text(norm),
        "left": written(pair.left),
        "right": written(pair.right),
        "contexts": [features(before, t) for t in range(pair.length)],
        "changed": place,
        "becomes": features(after, place),
        "event": [[int(arm) for arm in transcript] for transcript in event],
        **promise_as_data(eps, delta, variables),
    }
    return found | event_probabilities(found)


def event_probabilities(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """The event's chance on either side, enclosed by the checker, as a certificate has it."""
    with checker_untrusted.budget(checker_verification.EFFORT):
        try:
            sides = checker_linear.read_sides(found)
            policy = checker_linear.LinearPolicy.read(found["policy"], sides[0])
            every = {
                side: sum_of_intervals(law.probability(tuple(each)) for each in found["event"])
                for side, law in zip(("left", "right"), map(policy.on, sides), strict=True)
            }
        except checker_untrusted.Rejected as wrong:
            raise Unwritable(f"the checker would reject it: {wrong}") from None
    return {f"{side}_probability": stored(chance) for side, chance in every.items()}


def written_rule(rule: LinearRule) -> dict[str, Any]:
    ridge, width = exact_text(rule.ridge), exact_text(rule.width)
    return {"rule": rule.rule, "shared": bool(rule.shared), "ridge": ridge, "width": width}


def features(contexts: Contexts, place: int) -> list[list[str]]:
    """The features of every arm in a round."""
    return written(contexts.features_of(place))


def written(rows: Any) -> list[list[str]]:
    return [[exact_text(value) for value in row] for row in rows.tolist()]
