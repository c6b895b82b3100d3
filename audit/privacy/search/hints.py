"""Pairs that a paper's module suggests because its claim is likely to be violated there; they are tried before all
others.

A claim is about all pairs of neighbours, so any pair may be tried. Hints only extend the search, so they can reveal a
violation but cannot hide one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.audit.privacy.search.pairs import WRITTEN_OUT
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import context_dimension, why_contexts_do_not_fit
from dpbandits.reference.bandits.protocol import name_of
from dpbandits.reference.bandits.reward_ranges import reward_range
from dpbandits.reference.claims.model import Private

MAX_HINTS = 8  # hints, or the search would be theirs


def checked_hints(policy: Any, says: Private) -> list[Pair]:
    """The claim's hints for this policy, in the form of the candidates: as tables, or as runs of equal rewards for long
    horizons.

    Raises TypeError for an object that is not a Pair, and ValueError for more than MAX_HINTS hints, for a pair with
    another relation, number of arms or horizon than the policy's, and for rewards that the policy does not accept.
    """
    if says.pairs is None:
        return []
    every = list(says.pairs(policy))
    if len(every) > MAX_HINTS:
        raise ValueError(
            f"pairs has length {len(every)}; give at most {MAX_HINTS}, namely the pairs that you expect to violate the "
            "claim most"
        )
    return [checked_hint(policy, says.relation, pair, place) for place, pair in enumerate(every)]


def checked_hint(policy: Any, relation: str, pair: Any, place: int) -> Pair:
    """One hint, checked."""
    who = f"hint {place} for {name_of(policy)}"
    if not isinstance(pair, Pair):
        raise TypeError(f"{who} has type {type(pair).__name__}; give a Pair of dpbandits")
    given = pair.relation, len(pair.left), pair.length
    if given != (relation, policy.arms, policy.horizon):
        raise ValueError(
            f"{who} has relation {given[0]!r}, arms = {given[1]} and length {given[2]}; the claim needs "
            f"relation {relation!r}, arms = {policy.arms} and length T = {policy.horizon}"
        )
    if objection := context_objection(policy, pair):
        raise ValueError(f"{who}: {objection}")
    long, lengths = policy.horizon > WRITTEN_OUT, pair.lengths
    column = np.arange(pair.left.shape[1])
    if lengths is not None and not long:
        column, lengths = np.repeat(column, lengths), None
    elif lengths is None and long:
        sides = np.concatenate([pair.left, pair.right])
        column = np.flatnonzero(np.concatenate([[True], (sides[:, 1:] != sides[:, :-1]).any(axis=0)]))
        lengths = np.diff(column, append=pair.length)
    left, right = pair.left[:, column], pair.right[:, column]
    return Pair(relation, left, right, lengths, *reward_range(policy), pair.contexts)


def context_objection(policy: Any, pair: Pair) -> str:
    """The reason why a pair's contexts do not fit this policy; "" if they do."""
    if not (d := context_dimension(policy)):
        return (
            ""
            if pair.contexts is None
            else "it has contexts, but the policy uses none; set the attribute contexts = d of the policy"
        )
    if pair.contexts is None:
        return f"it has no contexts, but the policy has contexts = {d}; give contexts=Contexts(features)"
    return why_contexts_do_not_fit(policy, pair.both_contexts)
