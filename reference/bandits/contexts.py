"""Contexts: the features of every arm that are known before a round is decided, and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, describe_given, positive, reals
from dpbandits.reference.bandits.noise import Array, Flags, Ints, frozen
from dpbandits.reference.bandits.recommendations import answers
from dpbandits.reference.bandits.reward_rows import checked_lengths, columns_of

LARGEST_FEATURE = 1e100  # in size: squares of it, and their sums, are finite
REMEDY = "give Table(rewards, contexts=Contexts(features)), or a Stream"


@dataclass(frozen=True, eq=False)
class Contexts:
    """The features of every arm in every round, known before the decision, and equal in all trials.

    features: (rounds, arms, d), numbers of at most 1e100 in size; rounds beyond them are an error. lengths: None, or
    that of each run, (runs,), and features is (runs, arms, d). Raises ValueError for other shapes or numbers.
    """

    features: Array
    lengths: Ints | None = None

    def __post_init__(self) -> None:
        """Replaces the features by a checked read-only copy. Raises ValueError for a wrong shape."""
        features = reals("contexts", self.features)
        if features.ndim != 3 or 0 in features.shape:
            raise ValueError(
                f"contexts: features have shape {features.shape}; they must have shape (rounds, arms, d) with d >= 1"
            )
        if not (usable := np.abs(features) <= LARGEST_FEATURE).all():
            where = tuple(int(k) for k in np.argwhere(~usable)[0])
            raise ValueError(
                f"contexts: the feature at {where} is {features[where]}; features must be finite, with "
                f"absolute values of at most {LARGEST_FEATURE:g}"
            )
        object.__setattr__(self, "features", frozen(features))
        object.__setattr__(self, "lengths", checked_lengths(self.lengths, len(features), "contexts"))

    @property
    def rounds(self) -> int:
        """The number of rounds for which there are contexts."""
        return len(self.features) if self.lengths is None else int(self.lengths.sum())

    def seen(self, t: int, trials: int) -> Array:
        """The features that every trial sees in round t, counted from 1: read-only, (trials, arms, d)."""
        if not 1 <= t <= self.rounds:
            raise ValueError(
                f"round {t}: there are contexts only up to round {self.rounds}; give features for more rounds"
            )
        here = self.features[int(columns_of(self.lengths, t - 1))]
        return np.broadcast_to(here, (trials, *here.shape))

    def features_of(self, place: int) -> Array:
        """A copy of the features in one round, (arms, d). place: the round, counted from 0."""
        return np.array(self.features[int(columns_of(self.lengths, place))])

    def parted(self, *places: int) -> Contexts:
        """parted(place, ...): these contexts, run-length encoded so that each round `place` has its own column."""
        if self.lengths is None:
            return self
        inside = np.array([end for place in places for end in (place, place + 1)], dtype=np.int64)
        ends = np.union1d(np.cumsum(self.lengths), inside[(inside > 0) & (inside < self.rounds)])
        return Contexts(self.features[columns_of(self.lengths, ends - 1)], np.diff(ends, prepend=0))

    def changed(self, place: int, features: Array) -> Contexts:
        """A copy of the contexts with other features, (arms, d), in one round, counted from 0.
        Raises ValueError if there is no such round, or for features of another shape."""
        if not 0 <= place < self.rounds:
            raise ValueError(f"contexts: there is no round {place}; rounds are counted from 0 to {self.rounds - 1}")
        if np.shape(features) != self.features.shape[1:]:
            raise ValueError(
                f"contexts: the features for round {place} have shape {np.shape(features)}; they must have "
                f"shape (arms, d) = {self.features.shape[1:]}"
            )
        return self.changed_from(place, place + 1, slice(None), features)

    def changed_from(self, begin: int, end: int, arms: int | slice, features: Array) -> Contexts:
        """Returns a copy of the contexts in which these arms have other features in some rounds.
        The rounds are those from `begin` (included) to `end` (excluded)."""
        here = self.parted(begin, end - 1)
        changed = np.array(here.features)
        last = int(columns_of(here.lengths, end - 1))
        changed[int(columns_of(here.lengths, begin)) : last + 1, arms] = features
        return Contexts(changed, here.lengths)

    def place_apart(self, other: Contexts) -> int | None:
        """The round, counted from 0, in which these contexts differ from `other`; None if they are equal.
        Raises ValueError if several rounds differ, or if the rounds do not correspond."""
        if self.features.shape != other.features.shape or not same_lengths(self.lengths, other.lengths):
            raise ValueError(
                f"contexts: the two sides have features of shapes {self.features.shape} and "
                f"{other.features.shape}; both must have the same number of rounds, arms and features (d), and "
                "the same `lengths`"
            )
        differ = np.flatnonzero((self.features != other.features).any(axis=(1, 2)))
        if not differ.size:
            return None
        length = 1 if self.lengths is None else int(self.lengths[differ[0]])
        if differ.size > 1 or length > 1:
            many = differ.size if length == 1 else length
            raise ValueError(f"contexts: the two sides differ in {many} rounds; neighbours differ in at most one")
        return int(differ[0]) if self.lengths is None else int(self.lengths[: differ[0]].sum())


def demand_seen(error_prefix: str, contexts: object) -> None:
    """Raises TypeError if the contexts of an environment are not `Contexts`."""
    if contexts is not None and not callable(getattr(contexts, "seen", None)):
        raise TypeError(
            f"{error_prefix}: contexts is {describe_given(contexts):.80}; give Contexts(features), where features has "
            "shape (rounds, arms, d)"
        )


def same_lengths(a: Ints | None, b: Ints | None) -> bool:
    """Whether two arrays of run lengths are equal, or both are None."""
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def context_dimension(policy: object) -> int:
    """The number of features of every arm that a policy sees, its `contexts`; 0 if the policy declares none.
    Raises ValueError for an invalid number of features, and for a policy with contexts that ends with an answer."""
    said = getattr(policy, "contexts", None)
    if said is None:
        return 0
    at_least(f"{type(policy).__name__}.contexts", said, 1)
    if answers(policy):
        raise ValueError(
            "contexts cannot be combined with answers = True (answer= of from_object): a final "
            "recommendation is made after the last round, for which there is no context; omit contexts or answers"
        )
    return int(said)


def context_norm(policy: object) -> float:
    """The largest Euclidean norm of an arm's features that a policy accepts: its `context_norm`, or 1."""
    said = getattr(policy, "context_norm", 1.0)
    positive(f"{type(policy).__name__}.context_norm", said)
    return float(said)


def demand_contexts(policy: object, environment: object) -> None:
    """Raises ValueError if a policy needs features that the environment does not have."""
    d = context_dimension(policy)
    if not d:
        return
    contexts = getattr(environment, "contexts", None)
    if contexts is None:
        raise ValueError(
            f"the policy uses contexts of dimension {d}, but this {type(environment).__name__} has no "
            f"contexts; {REMEDY}"
        )


def seen_by(policy: Any, environment: Any, t: int, trials: int) -> tuple[Array, ...]:
    """The arguments that a policy's methods receive in addition in round t: () without contexts, else the features.
    The features have shape (trials, arms, d). Raises ValueError if the environment's features have another shape or are
    not finite.
    """
    d = context_dimension(policy)
    if not d:
        return ()
    demand_contexts(policy, environment)
    features, due = environment.contexts.seen(t, trials), (trials, policy.arms, d)
    if np.shape(features) != due:
        raise ValueError(
            f"step {t}: contexts have shape {np.shape(features)}; expected {due} = (trials, arms, d), "
            f"because the policy has arms = {policy.arms} and contexts = {d}"
        )
    if isinstance(environment.contexts, Contexts):
        return (features,)
    values = reals(f"step {t}: contexts", features)
    if not np.isfinite(values).all():
        raise ValueError(f"step {t}: a context contains {values[~np.isfinite(values)][0]}; features must be finite")
    return (frozen(values),)


def why_contexts_do_not_fit(policy: Any, contexts: Sequence[Contexts]) -> str:
    """The reason why the contexts do not fit the policy; "" if they do."""
    d, norm = context_dimension(policy), context_norm(policy)
    for each in contexts:
        if each.features.shape[1:] != (policy.arms, d) or each.rounds < policy.horizon:
            return (
                f"features have shape {each.features.shape} = (rounds, arms, d), but the policy has T = "
                f"{policy.horizon}, arms = {policy.arms} and contexts = {d}; give Contexts(features) with "
                f"features of shape {(policy.horizon, policy.arms, d)}"
            )
        with np.errstate(over="ignore"):
            longest = float(np.sqrt((each.features**2).sum(axis=2)).max())
        if longest > norm * (1 + 1e-9):
            return (
                f"features have norm {longest:.6g}, but the policy is designed for norms of at most {norm:.6g} "
                "(its attribute `context_norm`)"
            )
    return ""


def demand_one_pull(t: int, counts: Ints, live: Flags | np.bool_) -> None:
    """Raises ValueError unless each live row of `counts`, (rows, arms), pulls a single arm once.
    Every round has its own context."""
    wrong = live & (counts.sum(axis=1) != 1)
    if wrong.any():
        raise ValueError(
            f"step {t}: act returned the pull counts {counts[int(wrong.argmax())].tolist()}; a policy with "
            "contexts must pull exactly one arm in every step, Pulls.one(arm, arms), because every round "
            "has its own context"
        )
