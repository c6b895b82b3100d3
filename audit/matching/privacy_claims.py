"""Decides whether a privacy certificate is about a claim, by rebuilding the claim's guarantee from the certificate's
data.

The claim's own factory creates its subject with the certificate's numbers. The certificate must refute the guarantee
that the claim states for this subject, and the subject must release the certificate's event with the stated
probabilities: by the same steps, or by the shifts of its noisy values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np

from dpbandits import registry
from dpbandits.audit.matching import NotAbout
from dpbandits.audit.privacy.certificates import NOISE_NAMES
from dpbandits.proofs_checks.checker.expressions import evaluator
from dpbandits.proofs_checks.checker.intervals import low
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.proofs_checks.formulas.noisy_value_certificates import difference_in_words
from dpbandits.proofs_checks.formulas.release_certificates import NotCertifiable, selection_tree
from dpbandits.proofs_checks.vocabularies.decimals import exact_as_printed
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.environments import Stream, Table
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.passing import State, cut_to_horizon
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Policy, Pulls, Step
from dpbandits.reference.bandits.recommendations import answered, answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.release_laws.declared_steps import Selects
from dpbandits.reference.bandits.release_laws.mechanisms import NoisyMax
from dpbandits.reference.bandits.reward_ranges import reward_range, reward_values, unpayable
from dpbandits.reference.claims.model import Claim, Private
from dpbandits.reference.claims.records import Certificate
from dpbandits.reference.curves import Curve
from dpbandits.reference.curves.curve import NoGuarantee

# Relative, of a guarantee: the ledger's parameters and scales are doubles, with an error of 1e-16; a tail at 40
# standard deviations multiplies it by 40^2. A violation that such an error could cause does not count.
GUARANTEE_ROUNDING = Fraction(1, 10**9)
DOUBLE_TOLERANCE = Fraction(1, 10**12)  # relative: numbers that went through a few operations on doubles
LAW_TOLERANCE = 1e-6  # relative: by so much a law in doubles may lie outside of the checker's enclosure
NEIGHBOURS_IN_WORDS = {"query": "one query", "history": "one reward of one arm", "queries": "every query"}
# What a factory raises for parameters that make no sense.
REFUSALS = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError)


def require_same_guarantee(certificate: Certificate, claim: Claim) -> None:
    """Raises NotAbout unless the certificate refutes the guarantee that the claim states for its subject."""
    says = claim.says
    if not isinstance(says, Private):
        raise NotAbout(f"the certificate is about privacy, but the claim has a statement of type {type(says).__name__}")
    if claim.subject is None:
        raise NotAbout("the claim has no subject (policy or mechanism)")
    subject = (
        step_of_certificate(certificate, claim, says)
        if certificate["type"] == "step"
        else policy_of_certificate(certificate, claim)
    )
    try:
        curve = says.curve(subject)
    except REFUSALS as error:
        raise NotAbout(f"the claim guarantees nothing at the delta of the certificate ({error})") from None
    require_broken_guarantee(certificate, curve)


def require_broken_guarantee(certificate: Certificate, curve: Curve | None) -> None:
    """Raises NotAbout unless the certificate's probabilities violate the claimed guarantee.
    The certificate's eps and delta must be at least those of the curve, and the violation must exceed the rounding of
    the ledger's numbers."""
    walker = evaluator(certificate)
    eps, delta = (Fraction(low(walker.value(certificate[field], field))) for field in ("eps", "delta"))
    if curve is None:
        raise NotAbout(
            "the claim guarantees nothing for the numbers in the certificate, because a precondition of the claim is "
            "false"
        )
    try:
        promised, loose = (
            curve.implied_approximate_dp(mp, mp.number(eps), mp.number(delta), slack)
            for slack in (0, GUARANTEE_ROUNDING)
        )
    except NoGuarantee as nothing:
        raise NotAbout(str(nothing)) from None
    for name, own, least in zip(("eps", "delta"), (eps, delta), promised, strict=True):
        least = rational(least)
        if own < least * (1 - GUARANTEE_ROUNDING):
            raise NotAbout(
                f"for the parameters in the certificate, the claim states {name} = {float(least):.6g}, but the "
                f"certificate refutes only {name} = {float(own):.6g}"
            )
    left, right = certificate["left_probability"][0], certificate["right_probability"][1]
    bound = mp.exp(loose[0]) * mp.number(right) + loose[1]
    if not mp.number(left) > bound:
        raise NotAbout(
            "the certified violation is so small that the rounding of the claim's numbers in the ledger could explain "
            "the violation"
        )


def rational(value: float | str) -> Fraction:
    """Returns the exact fraction that a number in a certificate denotes, as `exact_as_printed` reads it."""
    return Fraction(exact_as_printed(value))


def are_nearly_equal(a: Sequence[float | str], b: Sequence[float | str]) -> bool:
    """Whether two sequences of numbers are equal up to the rounding of doubles."""
    pairs = [(Fraction(exact_as_printed(x)), Fraction(exact_as_printed(y))) for x, y in zip(a, b, strict=False)]
    return len(a) == len(b) and all(agree_as_doubles(x, y) for x, y in pairs)


def agree_as_doubles(a: Fraction, b: Fraction) -> bool:
    """Whether two numbers are equal up to the rounding of doubles."""
    return abs(a - b) <= DOUBLE_TOLERANCE * max(abs(a), abs(b))


# -- a single step -----------------------------------------------------------------------------------------------


def step_of_certificate(certificate: Certificate, claim: Claim, statement: Private) -> Step:
    """Returns the claim's step with the certificate's numbers. Raises NotAbout if the claim has no such step."""
    if statement.relation not in NEIGHBOURS_IN_WORDS:
        raise NotAbout("the certificate is about a single noisy maximum, but the claim is about whole runs of a policy")
    if certificate["changed"] == "all" and statement.relation != "queries":
        raise NotAbout(
            "the certificate changes the answers of all queries, but neighbours under the relation of the claim differ "
            f"only in {NEIGHBOURS_IN_WORDS[statement.relation]}"
        )
    why = f"no instance of the claim has {len(certificate['left'])} options"
    for instance in claim.instances:
        try:
            for made in candidate_steps(certificate, claim, statement, instance):
                reason = step_difference(certificate, made)
                if not reason:
                    return made
                why = reason
        except REFUSALS as error:
            why = f"the subject of the claim does not accept these numbers ({error})"
    raise NotAbout(why)


def candidate_steps(
    certificate: Certificate, claim: Claim, statement: Private, instance: Mapping[str, object]
) -> Iterator[Step]:
    """Yields the steps that the certificate may be about.
    The instance with the certificate's answers, if the claim is about any answers; and the claim's subject with the
    certificate's numbers for the parameters that vary between instances."""
    assert claim.subject is not None
    plain = claim.subject(**instance)
    if not isinstance(plain, Step) or len(plain.left) != len(certificate["left"]):
        return
    sides = {side: tuple(float(Fraction(value)) for value in certificate[side]) for side in ("left", "right")}
    if statement.relation != "history":
        yield plain._replace(**sides)
    read: dict[str, tuple[float, ...]] = sides
    if "pulls" in instance:
        read = histories_of_certificate(certificate)
    elif "scales" in instance:
        read = sides | {
            field: tuple(float(Fraction(value)) for value in certificate[field])
            for field in ("scales", "sensitivities")
        }
    yield claim.subject(**{name: read.get(name, value) for name, value in instance.items()})


def histories_of_certificate(certificate: Certificate) -> dict[str, tuple[float, ...]]:
    """Returns the pull counts and the reward totals of the two histories in a certificate.
    They are computed from the running means, which one reward changes by 1/(n + 1)."""
    pulls = tuple(
        round(1 / Fraction(value)) - 1 if Fraction(value) > 0 else 0 for value in certificate["sensitivities"]
    )
    read: dict[str, tuple[float, ...]] = {"pulls": pulls}
    for side in ("left", "right"):
        read[side] = tuple(
            rounded_total(Fraction(mean) * (n + 1)) for n, mean in zip(pulls, certificate[side], strict=True)
        )
    return read


def rounded_total(rewards: Fraction) -> float:
    """Returns the sum of rewards; the nearest integer if the sum differs from it only by rounding of the mean."""
    whole = round(rewards)
    return float(whole if abs(rewards - whole) <= DOUBLE_TOLERANCE * max(abs(whole), 1) * 10 else rewards)


def step_difference(certificate: Certificate, step: Step) -> str:
    """Returns in words how the certificate's mechanism and inputs differ from the step's; "" if they are equal."""
    mechanism = step.mechanism
    if not isinstance(mechanism, NoisyMax):
        return f"the mechanism of the claim is {mechanism}, which is not a noisy maximum"
    said = mechanism.noisy(step.left)
    noise = NOISE_NAMES[said.kind]
    if certificate["noise"] != noise:
        return f"the noise of the certificate is {certificate['noise']}, that of the claim is {noise}"
    own = {
        "scales": said.scale[0].tolist(),
        "sensitivities": step.sensitivities,
        "left": step.left,
        "right": step.right,
    }
    for field, values in own.items():
        if not are_nearly_equal(certificate[field], values):
            told = ", ".join(f"{float(value):.6g}" for value in values)
            return f"the {field} of the certificate are {', '.join(certificate[field])}, those of the claim are {told}"
    return ""


# -- a policy ----------------------------------------------------------------------------------------------------


def policy_of_certificate(certificate: Certificate, claim: Claim) -> Policy:
    """Returns the claim's policy with the certificate's parameters, if its law agrees with the certificate.
    Raises NotAbout if the claim has no such policy."""
    says = claim.says
    assert isinstance(says, Private)
    if certificate["relation"] != says.relation:
        raise NotAbout(
            f"the certificate uses the relation {certificate['relation']!r}, but the claim uses {says.relation!r}"
        )
    if (difference := registry.added().differences.get(certificate["type"])) is not None:
        return policy_of_extension(certificate, claim, says, registry.loaded(difference))
    if says.view == "others":
        raise NotAbout(
            "the certificate uses all releases, but the claim is about the releases that all other users see"
        )
    if any("cuts" in step for step in certificate["steps"]) and says.view != "samples":
        raise NotAbout(
            "the certificate uses the noisy values themselves, but the claim is about the released pulls only"
        )
    given = {name: Fraction(value) for name, value in certificate["parameters"].items()}
    read = {name: int(value) if value.denominator == 1 else float(value) for name, value in given.items()}
    return policy_of_instances(claim, read, lambda policy: release_difference(certificate, policy))


def policy_of_instances(claim: Claim, read: Mapping[str, Any], difference: Callable[[Policy], str]) -> Policy:
    """Returns the claim's policy at the first instance for which the policy agrees with the certificate.
    read: the certificate's values of parameters, which replace those of the instance. difference: a function that
    describes how a policy differs from the certificate's, "" if it does not. Raises NotAbout, with the difference of
    the last instance, if no instance agrees."""
    assert claim.subject is not None
    why = ""
    for instance in claim.instances:
        try:
            policy: Policy = claim.subject(**{name: read.get(name, value) for name, value in instance.items()})
            why = difference(policy)
        except REFUSALS as error:
            why = f"the subject of the claim does not accept these numbers ({error})"
        if not why:
            return policy
    raise NotAbout(why)


def policy_of_extension(
    certificate: Certificate,
    claim: Claim,
    statement: Private,
    difference: Callable[[Certificate, Policy, Private], str],
) -> Policy:
    """Returns the claim's policy at the first instance that agrees with a certificate of an extension's kind.
    difference: how the certificate differs from a policy, as the extension computes it."""
    if certificate["view"] != statement.view:
        raise NotAbout(
            f"the view of the certificate is {certificate['view']!r}, but the view of the claim is {statement.view!r}"
        )
    return policy_of_instances(claim, {}, lambda policy: difference(certificate, policy, statement))


# -- a policy's releases ----------------------------------------------------------------------------------------------


def release_difference(certificate: Certificate, policy: Policy) -> str:
    """Returns in words how the certificate's steps differ from the policy's behaviour on the certificate's tables.
    "" if they do not."""
    if any("cuts" in step for step in certificate["steps"]):
        return noisy_value_difference(certificate, policy)
    if not (isinstance(policy, Selects) and isinstance(policy, HasLaw)):
        return f"{policy!r} declares no law and no selections to compare with"
    if wrong := table_difference(certificate, policy):
        return wrong
    pair = certificate_tables(certificate)
    try:
        event = event_transcripts(policy, certificate["steps"])
        if not steps_agree(selection_tree(policy, pair, event), certificate["steps"]):
            return f"the steps of the certificate differ from those of {policy}"
    except (NotCertifiable, ValueError) as error:
        return str(error)
    for name, side in zip(("left", "right"), pair.environments(), strict=True):
        own = float(sum([transcript_probability(policy, side, path) for path in event]))
        low, high = (float(Fraction(end)) for end in certificate[f"{name}_probability"])
        if not low - LAW_TOLERANCE * own <= own <= high + LAW_TOLERANCE * own:
            return f"{policy!r} releases this event with probability {own:.9g} on the {name} table"
    return ""


def noisy_value_difference(certificate: Certificate, policy: Policy) -> str:
    """Returns in words how the certificate's intervals of noisy values differ from the shifts that the policy declares.
    "" if they do not."""
    if not isinstance(policy, HasShifts):
        return f"{policy!r} does not say how far its noisy values move"
    if wrong := table_difference(certificate, policy):
        return wrong
    pair = certificate_tables(certificate)
    said = policy.shifts(pair)
    if said is None:
        return f"{policy!r} does not say how far its noisy values move on these tables"
    try:
        return difference_in_words(certificate["steps"], said, pair, steps_agree)
    except NotCertifiable as error:
        return str(error)


def table_difference(certificate: Certificate, policy: Policy) -> str:
    """Returns the reason why the policy cannot be played on the certificate's tables; "" if it can be."""
    if len(certificate["left"]) != policy.arms:
        return (
            f"the tables of the certificate have {len(certificate['left'])} arms, but the policy of the claim "
            f"has {policy.arms}"
        )
    pair = certificate_tables(certificate)
    if pair.range != reward_range(policy):
        return (
            f"the rewards of the certificate lie in {tuple(pair.range)}, those of the claim in "
            f"{tuple(reward_range(policy))}"
        )
    if pair.length < policy.horizon:
        return (
            f"the tables of the certificate have {pair.length} rewards for each arm, but T = {policy.horizon} in "
            "the claim"
        )
    return reward_objection(policy, np.stack([pair.left, pair.right]))


def reward_objection(policy: Policy, rewards: Array) -> str:
    """The reason why this policy does not accept these rewards; "" if it accepts all of them."""
    wrong, known = unpayable(policy, rewards), reward_values(policy)
    if not wrong.size:
        return ""
    takes = tuple(reward_range(policy)) if known is None else set(known.tolist())
    return f"a reward of the certificate is {wrong[0]:g}, but the policy of the claim takes {takes}"


def certificate_tables(certificate: Certificate) -> Pair:
    """Returns the certificate's two reward tables as a pair, converted to doubles."""
    left, right = (as_doubles(certificate[side]) for side in ("left", "right"))
    lengths = np.array([int(Fraction(each)) for each in certificate["lengths"]])
    low, high = (float(Fraction(end)) for end in certificate["range"])
    return Pair(certificate["relation"], left, right, lengths, low, high)


def event_transcripts(policy: HasLaw, steps: Sequence[Certificate]) -> list[Ints]:
    """Returns the transcripts of a certificate's event, (steps, arms) pull counts each.
    They follow from the sets of options in the certificate's steps."""
    silence, last, found = cast(Any, ForbiddenNoise()), answers(policy), []

    def follow(t: int, state: State, made: Ints, place: int, path: list[Ints]) -> None:
        """Adds to `found` the transcripts of all runs that continue from this state with the steps from `place` on."""
        left = np.array([policy.horizon - made.sum() + last])
        ended = not left[0] or (path and answered(path[-1]))
        says = None if ended else cast(Any, policy).selecting(t + 1, state)
        if ended or (says is not None and place == -1):
            found.append(np.array(path))
            return
        law = checked_law(policy, t + 1, state, 1)
        for kept, after in next_releases(says, law, steps, place, left, last):
            pulls = pulls_without_answers(kept)
            later = policy.learn(t + 1, state, Pulls(pulls[None]), np.zeros((1, policy.arms)), silence)
            follow(t + 1, later, made + pulls, after, [*path, kept])

    follow(0, policy.init(1), np.zeros(policy.arms, dtype=np.int64), 0, [])
    return found


def next_releases(
    selection: Any, law: Law, steps: Sequence[Certificate], place: int, remaining: Ints, may_answer: bool
) -> list[tuple[Ints, int]]:
    """Returns the releases with which a transcript of the event may continue after a step of the policy.
    A release is pulls or an answer, (arms,). Each comes with the index of the certificate's step that follows."""
    offered = cut_to_horizon(Pulls(law.counts[0]), np.repeat(remaining, len(law.counts[0])), may_answer)[0].counts
    if selection is None:
        return [(offered[int(law.chance[0].argmax())], place)]
    found = []
    for release in steps[place]["releases"]:
        arms = {selection.arms[option] for option in release["kept"]}
        fits = [counts for counts in offered if set(np.flatnonzero(counts).tolist()) == arms]
        if len(fits) != 1:
            raise NotCertifiable(
                f"{len(fits)} outcomes of the policy pull exactly the arms {sorted(arms)}, but a certificate needs "
                "exactly one such outcome"
            )
        found.append((fits[0], release["next"]))
    return found


def steps_agree(a: Any, b: Any) -> bool:  # of any JSON
    """Whether two lists of a certificate's steps are equal, with numbers compared up to the rounding of doubles."""
    if isinstance(a, dict):
        return set(a) == set(b) and all(steps_agree(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(steps_agree(*each) for each in zip(a, b, strict=True))
    if isinstance(a, str) and a not in ("laplace", "gaussian", "within", "top", "between", "inf"):
        return agree_as_doubles(Fraction(a), Fraction(b))
    return bool(a == b)


def transcript_probability(policy: HasLaw, side: Table | Stream, path: Ints) -> float:
    """Returns the probability of one transcript on one side, by the policy's law."""
    silence, made, last = cast(Any, ForbiddenNoise()), np.zeros((1, policy.arms), dtype=np.int64), answers(policy)
    state, total = policy.init(1), 1.0
    for t, counts in enumerate(path, start=1):
        law = checked_law(policy, t, state, 1)
        left = np.repeat(policy.horizon - made.sum(axis=1) + last, len(law.counts[0]))
        offered = cut_to_horizon(Pulls(law.counts[0]), left, last)[0].counts
        at = np.flatnonzero((offered == counts).all(axis=1))
        total *= float(law.chance[0, at].sum())
        if not at.size or answered(counts):
            break
        bound = None if law.bound is None else np.broadcast_to(law.bound, law.counts.shape)[0, at[:1]]
        paid = side.draw(t, made, counts[None], bound, silence)
        state, made = policy.learn(t, state, Pulls(counts[None], bound), paid, silence), made + counts
    return total


def as_doubles(given: Any) -> Any:
    """Converts numbers in lists of lists to an array of doubles."""
    if isinstance(given, str):
        return float(Fraction(given))
    return np.array([as_doubles(each) for each in given], dtype=np.float64)
