"""Certificates for privacy violations that the exact engine found: an event that anybody can check again.

Made only where the checker's language can express the subject: noisy maxima with normal or Laplace noise, and
Gaussian Thompson sampling with two arms and a few rounds. Every certificate has passed the independent checker.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpbandits.proofs_checks.certificates import verify
from dpbandits.proofs_checks.exact.enumeration import transcripts
from dpbandits.proofs_checks.exact.laws import worst_event
from dpbandits.proofs_checks.judge.refutations import step_certificate, transcript_certificate
from dpbandits.proofs_checks.vocabulary.contexts import text
from dpbandits.reference.curves import Curve
from dpbandits.reference.neighbours import Pair

ROUNDS = 10  # 2^10 transcripts at most
AGREE = 1e-9  # the law in doubles against the checker's enclosure


def step_refutation(claim: str, step: Any, curve: Curve, exact: Any, at: float) -> dict[str, Any] | None:
    """A checked certificate that the step violates the claim; None where none can be made."""
    promise = curve.broken(text, exact, at)
    mechanism = step.mechanism
    if promise is None or not (hasattr(mechanism, "scales") or hasattr(mechanism, "scale")):
        return None
    normal = hasattr(mechanism, "scales")
    event = worst_event(exact, promise.number)
    sides = (step.right, step.left) if event.swapped else (step.left, step.right)
    moved = sum(a != b for a, b in zip(*sides, strict=True))
    return checked(
        step_certificate(
            claim,
            "gaussian" if normal else "laplace",
            mechanism.scales if normal else [mechanism.scale] * len(step.left),
            *sides,
            step.sensitivities,
            event.indices,
            promise.eps,
            promise.delta,
            "one" if moved <= 1 else "all",
            promise.variables,
        )
    )


def policy_refutation(
    claim: str, policy: Any, pair: Pair, curve: Curve, exact: Any, at: float
) -> dict[str, Any] | None:
    """A checked certificate that a Gaussian Thompson sampling violates the claim; None where none can be made.

    The event: the transcripts whose probability ratio exceeds e^eps. Other policies are told apart by their law.
    """
    prepulls, variance = getattr(policy, "prepulls", 0), getattr(policy, "variance", 1.0)
    rounds = policy.horizon - 2 * prepulls
    promise = curve.broken(text, exact, at)
    if promise is None or policy.arms != 2 or not 1 <= rounds <= ROUNDS:
        return None
    start = 2 if prepulls else 0  # the steps that pull in advance
    found = transcripts(policy, pair)
    if found.released.shape[1] != start + rounds or ((found.released > 0).sum(axis=2) != 1).any():
        return None
    chances = found.left, found.right
    deltas = [np.maximum(0.0, p - np.exp(promise.number) * q).sum() for p, q in (chances, chances[::-1])]
    swapped = bool(deltas[1] > deltas[0])
    left, right = chances[::-1] if swapped else chances
    tables = (pair.right, pair.left) if swapped else (pair.left, pair.right)
    inside = left > np.exp(promise.number) * right
    certificate = transcript_certificate(
        claim,
        prepulls,
        variance,
        pair.relation,
        tables[0].tolist(),
        tables[1].tolist(),
        found.arms[inside, start:].tolist(),
        promise.eps,
        promise.delta,
        promise.variables,
    )
    for side, true in (("left_probability", left), ("right_probability", right)):
        if abs(float(Fraction(certificate[side][0])) - float(true[inside].sum())) > AGREE:
            return None  # another policy than the one that the checker knows
    return checked(certificate)


def checked(certificate: dict[str, Any]) -> dict[str, Any] | None:
    return certificate if verify(certificate).ok else None
