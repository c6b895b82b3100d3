"""Whether a privacy certificate is about a claim: the claim's promise, rebuilt from the certificate's own data.

The claim's subject is made again with the certificate's numbers, by the claim's own factory; what the claim promises
about it must be what the certificate says it breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, cast

import numpy as np

from dpbandits.audit.matching.elsewhere import Elsewhere
from dpbandits.audit.matching.releases import (
    DOUBLE_TOLERANCE,
    doubles_of,
    other_linear_bandit,
    other_release,
    reward_objection,
)
from dpbandits.audit.play.transcripts import of_arms
from dpbandits.audit.privacy.certificates import AGREE, NOISE_NAMES
from dpbandits.audit.privacy.scores.distinguishers import probabilities
from dpbandits.proofs_checks.checker.expressions import evaluator
from dpbandits.proofs_checks.checker.intervals import low
from dpbandits.proofs_checks.vocabularies.contexts import mp
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.policy import sampling_parameters
from dpbandits.reference.bandits.release_laws.mechanisms import NoisyMax, is_step
from dpbandits.reference.claims.model import Claim, Private
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import NoGuarantee

# Relative, of a promise: the ledger's parameters and scales are doubles, 1e-16 off what is meant; a tail at 40
# standard deviations multiplies this by 40^2. A violation that such an error could make is none.
PROMISE_ROUNDING = Fraction(1, 10**9)
MOVING = {"query": "one query", "history": "one reward of one arm", "queries": "every query"}
# How a factory refuses parameters that it cannot make sense of.
REFUSALS = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError)


def same_promise(certificate: Mapping[str, Any], claim: Claim) -> None:
    """Raises Elsewhere unless the certificate breaks what the claim promises about this mechanism or policy."""
    says = claim.says
    if not isinstance(says, Private):
        raise Elsewhere(f"the certificate is about privacy, and the claim of the kind {type(says).__name__}")
    if claim.subject is None:
        raise Elsewhere("the claim names no subject")
    subject = the_step(certificate, claim, says) if certificate["type"] == "step" else the_policy(certificate, claim)
    try:
        curve = says.curve(subject)
    except REFUSALS as error:
        raise Elsewhere(f"the claim promises nothing here ({error})") from None
    require_broken_promise(certificate, curve)


def require_broken_promise(certificate: Mapping[str, Any], curve: Curve | None) -> None:
    """Raises Elsewhere unless eps and delta are what the curve promises, or more, and the stored probabilities break
    the promise itself by more than the rounding of the ledger's numbers."""
    walker = evaluator(certificate)
    eps, delta = (Fraction(low(walker.value(certificate[field], field))) for field in ("eps", "delta"))
    if curve is None:
        raise Elsewhere("the claim promises nothing (a precondition is false)")
    try:
        promised, loose = (
            curve.implied_approximate_dp(mp, mp.number(eps), mp.number(delta), slack) for slack in (0, PROMISE_ROUNDING)
        )
    except NoGuarantee as nothing:
        raise Elsewhere(str(nothing)) from None
    for name, own, least in zip(("eps", "delta"), (eps, delta), promised, strict=True):
        least = rational(least)
        if own < least * (1 - PROMISE_ROUNDING):
            raise Elsewhere(
                f"the claim promises {name} = {float(least):.6g} here, and the certificate says {float(own):.6g}"
            )
    left, right = certificate["left_probability"][0], certificate["right_probability"][1]
    bound = mp.exp(loose[0]) * mp.number(right) + loose[1]
    if not mp.number(left) > bound:
        raise Elsewhere("it breaks the promise by no more than the rounding of the ledger's numbers")


def rational(value: Any) -> Fraction:
    return Fraction(exact_as_printed(value))


def are_nearly_equal(a: Any, b: Any) -> bool:
    """Whether two sequences hold the same numbers, up to the rounding of doubles."""
    pairs = [(Fraction(exact_as_printed(x)), Fraction(exact_as_printed(y))) for x, y in zip(a, b, strict=False)]
    return len(a) == len(b) and all(abs(x - y) <= DOUBLE_TOLERANCE * max(abs(x), abs(y)) for x, y in pairs)


# -- a single step -----------------------------------------------------------------------------------------------


def the_step(certificate: Mapping[str, Any], claim: Claim, says: Private) -> Any:
    """The claim's subject with the certificate's numbers. Raises Elsewhere where the claim has no such subject."""
    if says.relation not in MOVING:
        raise Elsewhere("the certificate is about a single noisy maximum, and the claim about a policy's whole run")
    if certificate["changed"] == "all" and says.relation != "queries":
        raise Elsewhere(f"it moves all queries, and between the claim's neighbours {MOVING[says.relation]} moves")
    why = f"no instance of the claim has {len(certificate['left'])} options"
    for instance in claim.params or ({},):
        try:
            for made in candidate_steps(certificate, claim, says, instance):
                reason = other_step(certificate, made)
                if not reason:
                    return made
                why = reason
        except REFUSALS as error:
            why = f"the claim's subject refuses these numbers ({error})"
    raise Elsewhere(why)


def candidate_steps(
    certificate: Mapping[str, Any], claim: Claim, says: Private, instance: Mapping[str, Any]
) -> Iterator[Any]:
    """The steps that the certificate may mean: an instance with other answers, where the claim is about any answers;
    and the claim's factory with the certificate's numbers for those parameters that the instances vary."""
    assert claim.subject is not None
    plain = claim.subject(**instance)
    if not is_step(plain) or len(plain.left) != len(certificate["left"]):
        return
    sides = {side: tuple(float(Fraction(value)) for value in certificate[side]) for side in ("left", "right")}
    if says.relation != "history":
        yield plain._replace(**sides)
    read: dict[str, Any] = sides
    if "pulls" in instance:
        read = histories(certificate)
    elif "scales" in instance:
        read = sides | {
            field: tuple(float(Fraction(value)) for value in certificate[field])
            for field in ("scales", "sensitivities")
        }
    yield claim.subject(**{name: read.get(name, value) for name, value in instance.items()})


def histories(certificate: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Pull counts and reward totals, from running means that a reward moves by 1/(n + 1)."""
    pulls = tuple(
        round(1 / Fraction(value)) - 1 if Fraction(value) > 0 else 0 for value in certificate["sensitivities"]
    )
    read: dict[str, tuple[Any, ...]] = {"pulls": pulls}
    for side in ("left", "right"):
        read[side] = tuple(
            whole_reward_total(Fraction(mean) * (n + 1)) for n, mean in zip(pulls, certificate[side], strict=True)
        )
    return read


def whole_reward_total(rewards: Fraction) -> float:
    """The sum of rewards, a whole one where only the rounding of the mean keeps it from being whole."""
    whole = round(rewards)
    return float(whole if abs(rewards - whole) <= DOUBLE_TOLERANCE * max(abs(whole), 1) * 10 else rewards)


def other_step(certificate: Mapping[str, Any], step: Any) -> str:
    """How the certificate's mechanism and inputs differ from the step's; empty where they do not."""
    mechanism = step.mechanism
    if not isinstance(mechanism, NoisyMax):
        return f"the claim's mechanism is {mechanism!r}, and no noisy maximum"
    said = mechanism.noisy(step.left)
    noise = NOISE_NAMES[said.kind]
    if certificate["noise"] != noise:
        return f"its noise is {certificate['noise']}, the claim's {noise}"
    own = {
        "scales": said.scale[0].tolist(),
        "sensitivities": step.sensitivities,
        "left": step.left,
        "right": step.right,
    }
    for field, values in own.items():
        if not are_nearly_equal(certificate[field], values):
            told = ", ".join(f"{float(value):.6g}" for value in values)
            return f"its {field} are {', '.join(certificate[field])}, and the claim's are {told}"
    return ""


# -- a policy ----------------------------------------------------------------------------------------------------


def the_policy(certificate: Mapping[str, Any], claim: Claim) -> Any:
    """The claim's policy with the certificate's parameters, checked to follow the law that the checker knows. Raises
    Elsewhere where the claim has no such policy."""
    says = claim.says
    assert isinstance(says, Private)
    if certificate["relation"] != says.relation:
        raise Elsewhere(
            f'its neighbours differ in one "{certificate["relation"]}", the claim\'s in one "{says.relation}"'
        )
    if certificate["type"] == "linear":
        return the_linear_bandit(certificate, claim, says)
    if says.view == "others":
        raise Elsewhere("it looks at all that is released, and the claim is about what all others see")
    if certificate["type"] == "release":
        return the_selecting_policy(certificate, claim)
    prepulls, variance = certificate["policy"]["prepulls"], float(Fraction(certificate["policy"]["variance"]))
    rounds = len(certificate["event"][0]) if certificate["event"] else 0
    read = {"arms": 2, "horizon": rounds + 2 * prepulls, "prepulls": prepulls, "variance": variance}
    two = [instance for instance in claim.params if instance.get("arms") == 2]
    why = "no instance of the claim has two arms"
    return policy_like(claim, two, read, lambda policy: other_policy(certificate, policy, read), why)


def policy_like(
    claim: Claim,
    instances: Iterable[Mapping[str, Any]],
    read: Mapping[str, Any],
    other: Callable[[Any], str],
    why: str = "the claim has no instance",
) -> Any:
    """The claim's policy of one of its instances, with the numbers that were read for those that instances vary, from
    which nothing differs. other: what does. Raises Elsewhere, with why the last one is not it, where there is none."""
    assert claim.subject is not None
    for instance in instances:
        try:
            policy = claim.subject(**{name: read.get(name, value) for name, value in instance.items()})
            why = other(policy)
        except REFUSALS as error:
            why = f"the claim's subject refuses these numbers ({error})"
        if not why:
            return policy
    raise Elsewhere(why)


def the_linear_bandit(certificate: Mapping[str, Any], claim: Claim, says: Private) -> Any:
    """The policy that a certificate about a linear bandit is of: an instance of the claim."""
    if certificate["view"] != says.view:
        raise Elsewhere(f"its view is {certificate['view']!r}, and the claim's {says.view!r}")
    return policy_like(claim, claim.params or ({},), {}, lambda policy: other_linear_bandit(certificate, policy, says))


def the_selecting_policy(certificate: Mapping[str, Any], claim: Claim) -> Any:
    """The policy that a certificate about noisy selections is of: an instance of the claim with its own parameters."""
    if any("cuts" in step for step in certificate["steps"]) and cast(Private, claim.says).view != "samples":
        raise Elsewhere("it looks at noisy values themselves, and the claim is about what is released alone")
    given = {name: Fraction(value) for name, value in certificate["parameters"].items()}
    read = {name: int(value) if value.denominator == 1 else float(value) for name, value in given.items()}
    return policy_like(claim, claim.params or ({},), read, lambda policy: other_release(certificate, policy))


def other_policy(certificate: Mapping[str, Any], policy: Any, read: Mapping[str, Any]) -> str:
    """How the certificate's policy differs from this one, in parameters or in law; empty where it does not."""
    if not hasattr(policy, "law"):
        return f"{policy!r} declares no law to compare with"
    prepulls, variance = sampling_parameters(policy)
    own_values = {"arms": policy.arms, "horizon": policy.horizon, "prepulls": prepulls, "variance": variance}
    for name, own in own_values.items():
        if own != read[name]:
            return f"its {name} is {read[name]}, the claim's {own}"
    for side in ("left", "right"):
        if wrong := reward_objection(policy, doubles_of(certificate[side])):
            return wrong
    start = [0, 1] if read["prepulls"] else []
    arms = [[*start, *transcript] for transcript in certificate["event"]]
    sizes = [read["prepulls"]] * len(start) + [1] * (len(arms[0]) - len(start))
    tables = [widened(certificate[side], read["horizon"]) for side in ("left", "right")]
    laws = probabilities(policy, Pair(certificate["relation"], *tables), of_arms(arms, 2, sizes))
    for side, chances in zip(("left", "right"), laws, strict=True):
        own = float(chances.sum())  # held against as a share of itself: a rare event has its own law in every policy
        if abs(float(Fraction(certificate[f"{side}_probability"][0])) - own) > AGREE * own:
            return f"{policy!r} releases this event with probability {own:.9g} on the {side} table"
    return ""


def widened(table: Any, columns: int) -> Any:
    """The table as doubles, with as many columns as the policy may ask for; the event needs none of the new ones."""
    values = doubles_of(table)
    return np.pad(values, ((0, 0), (0, max(0, columns - values.shape[1]))))
