"""Certificates for privacy violations that the exact engine found: an event whose probabilities anybody can recompute.

Certificates exist only for subjects that the checker can express: noisy maxima with normal or Laplace noise, policies
that declare how noise selects their release, and noisy values whose shifts a policy declares. Every certificate has
passed the independent checker.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpbandits import registry
from dpbandits.proofs_checks.checker.expressions import evaluator
from dpbandits.proofs_checks.checker.intervals import low
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import ExactProfile, worst_event
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts
from dpbandits.proofs_checks.formulas.certificates import formula_expression, step_certificate
from dpbandits.proofs_checks.formulas.noisy_value_certificates import shifted_steps
from dpbandits.proofs_checks.formulas.release_certificates import (
    NotCertifiable,
    certificate_of_steps,
    numeric_fields,
    release_certificate,
)
from dpbandits.proofs_checks.vocabularies.decimals import exact_text
from dpbandits.proofs_checks.vocabularies.expressions import text
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.policy import HasLaw, Policy, Step
from dpbandits.reference.bandits.release_laws.declared_steps import Selects
from dpbandits.reference.bandits.release_laws.mechanisms import NoisyMax
from dpbandits.reference.claims.records import Certificate
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.curves.curve import Violation

LOSS_PIECES = (32, 12, 5, 2, 1)  # into which a Laplace value's loss is cut
PATHS = 256  # transcripts of a certificate about noisy selections, at most; the checker's effort seldom allows more
ENOUGH = 1.01  # so many times delta is to be exceeded by
CLEAR = 1e-8  # share of an event's probability that a violation takes
LIKELY = 1e-6  # relative: the law in doubles, beyond the ends of the checker's enclosure
NOISE_NAMES = {"normal": "gaussian", "laplace": "laplace"}  # what certificates call the kinds of noise


def step_refutation(claim: str, step: Step, curve: Curve, exact: ExactProfile, at: float) -> Certificate | None:
    """Makes and checks a certificate that the step violates the claim; None if none can be made."""
    promise = derived.violation(curve, text, exact, at)
    mechanism = step.mechanism
    if promise is None or not isinstance(mechanism, NoisyMax):
        return None
    said = mechanism.noisy(step.left)
    event = worst_event(exact, promise.number)
    sides = (step.right, step.left) if event.swapped else (step.left, step.right)
    moved = sum(a != b for a, b in zip(*sides, strict=True))
    return verified_or_none(
        step_certificate(
            claim,
            NOISE_NAMES[said.kind],
            said.scale[0].tolist(),
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
    claim: str, policy: HasLaw, pair: Pair, curve: Curve, exact: ExactProfile, at: float
) -> Certificate | None:
    """Makes and checks a certificate that a policy violates the claim; None if none can be made."""
    if pair.contexts is not None:
        return refutation_in_context(claim, policy, pair, curve, exact, at, "arms")
    promise = derived.violation(curve, text, exact, at)
    if promise is None or not isinstance(policy, Selects):
        return None
    # The event: the transcripts with the largest probability ratios, as many as the violation requires
    try:
        found = enumerate_transcripts(policy, pair)
    except ValueError:  # too many
        return None
    for swapped, some, chances in violating_events(found.left, found.right, promise):
        sides = pair.swapped() if swapped else pair
        if made := certify_event(claim, policy, sides, found.released[some], chances, promise):
            return made
    return None


def refutation_in_context(
    claim: str, policy: Policy, pair: Pair, curve: Curve, exact: ExactProfile, at: float, view: str
) -> Certificate | None:
    """Returns a checked certificate that a policy with contexts violates the claim.
    The adversary sees all arms ("arms") or all other users' outputs ("others"). An extension writes the certificate.
    None if none can be made."""
    makers = map(registry.loaded, registry.added().refutations_in_context)
    made = (make(claim, policy, pair, curve, exact, at, view) for make in makers)
    return next(filter(None, made), None)


def violating_events(
    left: Array, right: Array, guarantee: Violation
) -> Iterator[tuple[bool, NDArray[np.intp], tuple[float, float]]]:
    """Yields events that violate the guarantee, small events first.
    left, right: the probabilities of all transcripts on either side. Each event is given by whether the sides are
    exchanged, the indices of its transcripts (those with the largest ratios), and its two probabilities."""
    factor = el.exp(guarantee.number)
    gains = [mine - factor * theirs for mine, theirs in ((left, right), (right, left))]
    swapped = bool(np.maximum(gains[1], 0).sum() > np.maximum(gains[0], 0).sum())
    left, right = (right, left) if swapped else (left, right)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(left > 0, el.log(left) - el.log(right), -np.inf), kind="stable")[:PATHS]
    gained = np.cumsum(left[order] - factor * right[order])
    variables = {name: exact_text(value) for name, value in guarantee.variables.items()}
    delta = float(low(evaluator({"variables": variables}).value(formula_expression(guarantee.delta), "delta")))
    # More than delta, and than what the rounding of the policy's numbers could make of its chances.
    wanted = np.maximum(ENOUGH * delta, CLEAR * np.cumsum(left[order]))
    if not (gained > wanted).any():
        return
    # As few as will do; else all that gain something, for the checker's enclosures may be wide.
    for many in dict.fromkeys((int((gained > wanted).argmax()) + 1, int(gained.argmax()) + 1)):
        some = order[:many]
        yield swapped, some, (float(left[some].sum()), float(right[some].sum()))


def values_refutation(
    claim: str, policy: HasShifts, pair: Pair, curve: Curve, exact: ExactProfile, at: float
) -> Certificate | None:
    """Makes a certificate that noisy values with shifted centres violate the claim, and checks it; None if impossible.

    The event: approximately the set on which the privacy loss exceeds eps, simplified step by step until it can be
    written down.
    """
    promise, said = derived.violation(curve, text, exact, at), policy.shifts(pair)
    if promise is None or said is None:
        return None
    for pieces in LOSS_PIECES:
        try:
            steps = shifted_steps(said, pair, promise.number, pieces)
            found = certificate_of_steps(claim, numeric_fields(policy), pair, steps, *promise[1:])
        except NotCertifiable:
            continue
        if is_clear_violation(found) and (made := verified_or_none(found)):
            return made
    return None


def is_clear_violation(certificate: Certificate) -> bool:
    """Whether the event's excess over the claimed guarantee is more than the fraction CLEAR of its probability."""
    walker = evaluator(certificate)
    eps, delta = (float(low(walker.value(certificate[name], name))) for name in ("eps", "delta"))
    left, right = (
        float(Fraction(certificate[f"{side}_probability"][end])) for side, end in (("left", 0), ("right", 1))
    )
    return bool(left - el.exp(eps) * right - delta > CLEAR * left)


def certify_event(
    claim: str, policy: Policy, pair: Pair, event: NDArray[np.int64], chances: tuple[float, float], promise: Violation
) -> Certificate | None:
    """Makes a certificate about this event, and checks it; None if this is impossible.
    It is impossible if the event cannot be written down, or if its recomputed probabilities differ from the given ones.
    """
    try:
        certificate = release_certificate(claim, policy, numeric_fields(policy), pair, list(event), *promise[1:])
    except NotCertifiable:
        return None
    return verified_or_none(certificate) if has_chances(certificate, chances) else None


def has_chances(certificate: Certificate, chances: tuple[float, float]) -> bool:
    """Whether the policy's own law gives the event the probabilities of the certificate.
    If not, the policy's description of itself is wrong."""
    for side, own in zip(("left", "right"), chances, strict=True):
        ends = [float(Fraction(end)) for end in certificate[f"{side}_probability"]]
        if not ends[0] - LIKELY * own <= own <= ends[1] + LIKELY * own:
            return False
    return True


def verified_or_none(certificate: Certificate) -> Certificate | None:
    """The certificate if the checker accepts it, otherwise None."""
    return certificate if verify(certificate).ok else None
