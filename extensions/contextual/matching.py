"""Decides whether a certificate about a linear bandit refutes a given claim: the policy must be that of the claim, and
the users must be among those that the claim is about."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpbandits.audit.matching.privacy_claims import LAW_TOLERANCE, as_doubles, reward_objection
from dpbandits.audit.play.transcripts import transcripts_of_arms
from dpbandits.audit.privacy.scores.distinguishers import probabilities
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import Contexts, context_dimension, why_contexts_do_not_fit
from dpbandits.reference.bandits.policy import HasLaw, Policy
from dpbandits.reference.bandits.release_laws.declared_steps import SaysLinearRule
from dpbandits.reference.claims.model import Private
from dpbandits.reference.claims.records import Certificate


def linear_bandit_difference(certificate: Certificate, policy: Policy, statement: Private) -> str:
    """Says how the certificate's policy or users differ from those of a claim; "" if they do not.
    The answer is a sentence."""
    if not (isinstance(policy, SaysLinearRule) and isinstance(policy, HasLaw) and context_dimension(policy)):
        return f"{policy!r} declares no law and no linear rule to compare with"
    said, own = certificate["policy"], policy.linear_rule
    given = said["rule"], float(Fraction(said["width"])), float(Fraction(said["ridge"])), said["shared"]
    if given != (own.rule, own.width, own.ridge, own.shared):
        return f"its policy is {given}, and {policy!r} says {tuple(own)}"
    pair = certificate_users(certificate)
    if pair.length != policy.horizon:
        return f"it has {pair.length} rounds, and T is {policy.horizon}"
    if unfit := why_contexts_do_not_fit(policy, pair.both_contexts):
        return unfit
    if unpaid := reward_objection(policy, np.stack([pair.left, pair.right])):
        return unpaid
    if statement.contexts is not None and not same_contexts_but_one(statement.contexts, pair):
        return "its contexts differ from those of the claim"
    event = np.array(certificate["event"])
    hidden = np.flatnonzero(event[0] == -1)
    # Whatever was pulled in the changed round: every arm in turn.
    every = [np.where(event < 0, arm, event) for arm in (range(policy.arms) if hidden.size else (0,))]
    laws = probabilities(policy, pair, transcripts_of_arms(np.concatenate(every), policy.arms))
    for name, chances in zip(("left", "right"), laws, strict=True):
        mine = float(chances.sum())
        low, high = (float(Fraction(end)) for end in certificate[f"{name}_probability"])
        if not low - LAW_TOLERANCE * mine <= mine <= high + LAW_TOLERANCE * mine:
            return f"{policy!r} releases this event with probability {mine:.9g} on the {name} side"
    return ""


def certificate_users(certificate: Certificate) -> Pair:
    """Returns the certificate's two lists of users as a pair, converted to doubles."""
    left, right = (as_doubles(certificate[side]) for side in ("left", "right"))
    before = Contexts(as_doubles(certificate["contexts"]))
    after = before.changed(certificate["changed"], as_doubles(certificate["becomes"]))
    contexts = (before, after) if certificate["relation"] == "user" else before
    low, high = (float(Fraction(end)) for end in certificate["range"])
    return Pair(certificate["relation"], left, right, None, low, high, contexts)


def same_contexts_but_one(known: Contexts, pair: Pair) -> bool:
    """Whether the pair has these contexts in all rounds except the changed one."""
    place = None if pair.spot is None else pair.spot[1]
    before = pair.both_contexts[0]
    return all(k == place or (known.features_of(k) == before.features_of(k)).all() for k in range(pair.length))
