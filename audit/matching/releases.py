"""Whether a certificate about noisy selections, noisy values or a linear bandit is about a claim's policy: the same
steps, or what it says of itself, and the same chances by its law."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

import numpy as np

from dpbandits.audit.play.transcripts import of_arms
from dpbandits.audit.privacy.scores.distinguishers import probabilities
from dpbandits.audit.privacy.search.in_context import out_of_reach
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.proofs_checks.formulas.releases import Unwritable, selections
from dpbandits.proofs_checks.formulas.values import made_otherwise
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.environments import Stream, Table
from dpbandits.reference.bandits.noisy_values import HasShifts
from dpbandits.reference.bandits.passing import cut_to_horizon
from dpbandits.reference.bandits.policy import HasLaw, Ints, Law, Pulls
from dpbandits.reference.bandits.recommendations import answered, answers, pulls_without_answers
from dpbandits.reference.bandits.release_laws.checked import checked_law
from dpbandits.reference.bandits.release_laws.declared_steps import SaysLinearRule, Selects
from dpbandits.reference.bandits.reward_ranges import reward_range, reward_values
from dpbandits.reference.claims.model import Private

DOUBLE_TOLERANCE = Fraction(1, 10**12)  # relative: numbers that went through a few operations on doubles
LIKELY = 1e-6  # relative: the law in doubles, beyond the ends of the checker's enclosure


def other_release(certificate: Mapping[str, Any], policy: Any) -> str:
    """How the certificate's steps differ from what this policy does on these tables; empty where they do not."""
    if any("cuts" in step for step in certificate["steps"]):
        return other_values(certificate, policy)
    if not (isinstance(policy, Selects) and isinstance(policy, HasLaw)):
        return f"{policy!r} declares no law and no selections to compare with"
    if wrong := other_tables(certificate, policy):
        return wrong
    pair = certificate_tables(certificate)
    try:
        event = event_transcripts(policy, certificate["steps"])
        if not steps_agree(selections(policy, pair, event), certificate["steps"]):
            return f"its steps are not those of {policy!r}"
    except (Unwritable, ValueError) as error:
        return str(error)
    for name, side in zip(("left", "right"), pair.environments(), strict=True):
        own = float(sum([chance(policy, side, path) for path in event]))
        low, high = (float(Fraction(end)) for end in certificate[f"{name}_probability"])
        if not low - LIKELY * own <= own <= high + LIKELY * own:
            return f"{policy!r} releases this event with probability {own:.9g} on the {name} table"
    return ""


def other_values(certificate: Mapping[str, Any], policy: Any) -> str:
    """How the values that are released between cuts differ from those that move by this policy's own word."""
    if not isinstance(policy, HasShifts):
        return f"{policy!r} does not say how far its noisy values move"
    if wrong := other_tables(certificate, policy):
        return wrong
    pair = certificate_tables(certificate)
    said = policy.shifts(pair)
    if said is None:
        return f"{policy!r} does not say how far its noisy values move on these tables"
    try:
        return made_otherwise(certificate["steps"], said, pair, steps_agree)
    except Unwritable as error:
        return str(error)


def other_tables(certificate: Mapping[str, Any], policy: Any) -> str:
    """Why this policy does not play on the certificate's tables; empty where it does."""
    if len(certificate["left"]) != policy.arms:
        return f"its tables have {len(certificate['left'])} arms, the claim's policy {policy.arms}"
    pair = certificate_tables(certificate)
    if pair.range != reward_range(policy):
        return f"its rewards lie in {tuple(pair.range)}, and the claim's policy is for {tuple(reward_range(policy))}"
    if pair.length < policy.horizon:
        return f"its tables have {pair.length} rewards an arm, and T is {policy.horizon}"
    return reward_objection(policy, np.stack([pair.left, pair.right]))


def reward_objection(policy: Any, rewards: Any) -> str:
    """Why this policy is not for such rewards; empty where it is for all of them."""
    given, known, (low, high) = np.asarray(rewards), reward_values(policy), reward_range(policy)
    wrong = given[~((given >= low) & (given <= high) if known is None else np.isin(given, known))]
    if not wrong.size:
        return ""
    takes = (low, high) if known is None else set(known.tolist())
    return f"a reward is {wrong[0]:g}, and the claim's policy is for {takes}"


def certificate_tables(certificate: Mapping[str, Any]) -> Pair:
    """The certificate's tables, in doubles."""
    left, right = (doubles_of(certificate[side]) for side in ("left", "right"))
    lengths = np.array([int(Fraction(each)) for each in certificate["lengths"]])
    return Pair(certificate["relation"], left, right, lengths, *(float(Fraction(end)) for end in certificate["range"]))


def event_transcripts(policy: HasLaw, steps: Any) -> list[Ints]:
    """The event's transcripts, (steps, arms) each, by what the policy's law releases for the sets that are kept."""
    silence, last, found = cast(Any, ForbiddenNoise()), answers(policy), []

    def follow(t: int, state: Any, made: Ints, place: int, path: list[Ints]) -> None:
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


def next_releases(says: Any, law: Law, steps: Any, place: int, left: Ints, last: bool) -> list[tuple[Ints, int]]:
    """The pulls, or answers, that may come next on the event, and the certificate's step that then follows."""
    offered = cut_to_horizon(Pulls(law.counts[0]), np.repeat(left, len(law.counts[0])), last)[0].counts
    if says is None:
        return [(offered[int(law.chance[0].argmax())], place)]
    found = []
    for release in steps[place]["releases"]:
        arms = {says.arms[option] for option in release["kept"]}
        fits = [counts for counts in offered if set(np.flatnonzero(counts).tolist()) == arms]
        if len(fits) != 1:
            raise Unwritable(f"the policy releases no set {sorted(arms)} there, or several")
        found.append((fits[0], release["next"]))
    return found


def steps_agree(one: Any, other: Any) -> bool:
    """Whether two lists of steps say the same, numbers up to the rounding of doubles."""
    if isinstance(one, dict):
        return set(one) == set(other) and all(steps_agree(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(steps_agree(*each) for each in zip(one, other, strict=True))
    if isinstance(one, str) and one not in ("laplace", "gaussian", "within", "top", "between", "inf"):
        a, b = Fraction(one), Fraction(other)
        return abs(a - b) <= DOUBLE_TOLERANCE * max(abs(a), abs(b))
    return bool(one == other)


def chance(policy: HasLaw, side: Table | Stream, path: Ints) -> float:
    """The probability of one transcript, by the policy's law."""
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


def other_linear_bandit(certificate: Mapping[str, Any], policy: Any, says: Private) -> str:
    """How the certificate's policy and users differ from this policy and from those that a claim is about; empty where
    they do not."""
    if not (isinstance(policy, SaysLinearRule) and isinstance(policy, HasLaw) and context_dimension(policy)):
        return f"{policy!r} declares no law and no linear rule to compare with"
    said, own = certificate["policy"], policy.linear_rule
    given = said["rule"], float(Fraction(said["width"])), float(Fraction(said["ridge"])), said["shared"]
    if given != (own.rule, own.width, own.ridge, own.shared):
        return f"its policy is {given}, and {policy!r} says {tuple(own)}"
    pair = certificate_users(certificate)
    if pair.length != policy.horizon:
        return f"it has {pair.length} rounds, and T is {policy.horizon}"
    if wrong := out_of_reach(policy, pair.both_contexts) or reward_objection(policy, np.stack([pair.left, pair.right])):
        return wrong
    if says.contexts is not None and not same_but_one(says.contexts, pair):
        return "its contexts are others than the claim's"
    event = np.array(certificate["event"])
    hidden = np.flatnonzero(event[0] == -1)
    # Whatever was pulled in the changed round: every arm in turn.
    every = [np.where(event < 0, arm, event) for arm in (range(policy.arms) if hidden.size else (0,))]
    laws = probabilities(policy, pair, of_arms(np.concatenate(every), policy.arms))
    for name, chances in zip(("left", "right"), laws, strict=True):
        mine = float(chances.sum())
        low, high = (float(Fraction(end)) for end in certificate[f"{name}_probability"])
        if not low - LIKELY * mine <= mine <= high + LIKELY * mine:
            return f"{policy!r} releases this event with probability {mine:.9g} on the {name} side"
    return ""


def certificate_users(certificate: Mapping[str, Any]) -> Pair:
    """The certificate's neighbours, in doubles."""
    left, right = (doubles_of(certificate[side]) for side in ("left", "right"))
    before = Contexts(doubles_of(certificate["contexts"]))
    after = before.changed(certificate["changed"], doubles_of(certificate["becomes"]))
    contexts = (before, after) if certificate["relation"] == "user" else before
    low, high = (float(Fraction(end)) for end in certificate["range"])
    return Pair(certificate["relation"], left, right, None, low, high, contexts)


def doubles_of(given: Any) -> Any:
    """Numbers in lists of lists, as an array."""
    if isinstance(given, str):
        return float(Fraction(given))
    return np.array([doubles_of(each) for each in given], dtype=np.float64)


def same_but_one(known: Contexts, pair: Pair) -> bool:
    """Whether a pair stands in these contexts, but for the changed round."""
    place = None if pair.spot is None else pair.spot[1]
    before = pair.both_contexts[0]
    return all(k == place or (known.features_of(k) == before.features_of(k)).all() for k in range(pair.length))
