"""Validation of laws: checks that the law declared by a policy or mechanism is a probability law; an error states what
is wrong."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import describe_given, precise, reals
from dpbandits.reference.bandits.noise import Array, Flags, frozen
from dpbandits.reference.bandits.passing import State, explain_refused_write, read_only_state
from dpbandits.reference.bandits.policy import RELATIVE, HasLaw, Ints, Law, one_arm
from dpbandits.reference.bandits.recommendations import answers, checked_answers
from dpbandits.reference.bandits.release_laws import argmax_law

# A row may miss the sum 1 by as much as its entries may miss the truth, as the exact engine takes it for granted:
# together by the law's error, since they add up to 1, and by its absolute error for every outcome. Whoever states
# neither claims policy.RELATIVE, and for more than two arms argmax_law.ERROR.
LAW_SUM_ROUNDING = 2.0**-52  # of a sum, for every outcome
# The logarithm of the smallest chance that a double holds to all of its digits; they end near e^-708
MIN_LOG_CHANCE = -700.0
# A plain array is as exact as a difference of doubles: written as [1 - p, p] or [p, 1 - p], its small entries are what
# rounding left of them, perhaps 0. So below this they have an absolute error; who knows better says so, by `one_arm` or
# `Law`.
MIN_UNBLURRED_CHANCE = LAW_SUM_ROUNDING / RELATIVE

Said = TypeVar("Said")


def checked_law(policy: HasLaw, t: int, state: State, rows: int | None = None, *seen: Array) -> Law:
    """The policy's law of the release of step t, after checks, as read-only copies.

    rows: the number of states, if the caller knows it. seen: their contexts, for a policy with contexts. A plain array
    (rows, arms) is the law of one pull of one arm; if it has probabilities below MIN_UNBLURRED_CHANCE, or 0, its
    absolute error is LAW_SUM_ROUNDING. Raises ValueError for an invalid law: another shape, counts that are negative or
    no integers, probabilities that are negative or not finite, a row whose sum differs from 1 by more than the declared
    error, or an invalid error. Nothing is normalised.
    """
    who = f"{type(policy).__name__}.law, step {t}"
    try:
        said = policy.law(t, read_only_state(state), *seen)
    except ValueError as error:
        explain_refused_write(who, error)
        raise
    rows = rows if rows is not None else state_count(state)
    if isinstance(said, Law):
        return checked_outcomes(said, rows, policy.arms, who, answers(policy))
    arms = policy.arms
    absolute_error = argmax_law.absolute_error(arms)
    chance = checked_chances(said, (rows, arms), who, tolerance(RELATIVE, absolute_error, arms))
    return one_arm(
        chance,
        absolute_error=max(absolute_error, LAW_SUM_ROUNDING if chance.min(initial=1.0) < MIN_UNBLURRED_CHANCE else 0.0),
    )


def arm_chances(law: Law, error_prefix: str) -> Array:
    """The probability of each arm, (states, arms), by a law whose outcomes each pull a single arm.
    Raises ValueError for other laws."""
    arms = law.counts.shape[2]
    one = (law.counts > 0).sum(axis=2)
    if (one[possible(law)] != 1).any():
        raise ValueError(
            f"{error_prefix}: the law releases several arms or none, but here it must release exactly one arm"
        )
    chance = np.zeros((len(law.chance), arms))
    for arm in range(arms):
        chance[:, arm] = np.where(law.counts[:, :, arm] > 0, law.chance, 0.0).sum(axis=1)
    return frozen(chance)


def possible(law: Law) -> NDArray[np.bool_]:
    """Whether each outcome of a law has a positive probability, however small, (states, outcomes)."""
    return np.asarray(law.chance > 0 if law.log is None else law.log > -np.inf)


class Accuracy(NamedTuple):
    """Bounds on the errors of a law's probabilities: error is relative, absolute_error absolute."""

    error: float
    absolute_error: float


@runtime_checkable
class SaysAccuracy(Protocol):
    """A one-shot mechanism that declares the error of its law."""

    def accuracy(self, values: ArrayLike) -> Accuracy:
        """Bounds on the errors of the law at these answers to the queries."""


def accuracy(mechanism: Any, values: ArrayLike) -> Accuracy:
    """Bounds on the errors of a one-shot mechanism's law at these answers to its queries.
    If the mechanism declares none, the defaults of `one_arm` are assumed."""
    given = frozen(np.array(values, dtype=np.float64))
    if isinstance(mechanism, SaysAccuracy):
        return Accuracy(*mechanism.accuracy(given))
    return Accuracy(RELATIVE, argmax_law.absolute_error(given.size))


def checked_release(mechanism: Any, values: ArrayLike) -> Array:
    """The checked law (n,) of the index that a one-shot mechanism releases if the queries' answers are `values`."""
    law = mechanism.law(frozen(np.array(values, dtype=np.float64)))
    outcomes = len(law) if np.ndim(law) == 1 else -1
    who, within = f"{type(mechanism).__name__}.law", tolerance(*accuracy(mechanism, values), outcomes)
    return np.asarray(checked_chances([law], (1, outcomes), who, within)[0])


def tolerance(error: float, absolute_error: float, outcomes: int) -> float:
    """The largest allowed difference between the sum of a law's row of probabilities and 1."""
    return error + outcomes * (absolute_error + LAW_SUM_ROUNDING)


def checked_outcomes(law: Law, rows: int | None, arms: int, error_prefix: str, may_answer: bool = False) -> Law:
    """A read-only copy of the law, if it is a law of this many states and arms.
    may_answer: whether outcomes may be answers."""
    for name, value in (("error", law.error), ("absolute_error", law.absolute_error)):
        if not (isinstance(value, float | int | np.integer | np.floating) and 0 <= value < 1):
            raise ValueError(f"{error_prefix}: {name} is {value!r}; it must be a number in [0, 1)")
    counts = checked_counts(law.counts, (rows, arms), error_prefix, may_answer)
    within = tolerance(law.error, law.absolute_error, counts.shape[1])
    chance = checked_chances(law.chance, counts.shape[:2], error_prefix, within)
    log = None if law.log is None else checked_logarithms(law, chance, error_prefix)
    bound, shape = checked_bound(law.bound, counts.shape, error_prefix), (len(counts), arms)
    return Law(
        counts, chance, bound, float(law.error), float(law.absolute_error), log,
        checked_open(law, counts, error_prefix),
        None if law.scores is None else checked_arm_values(law.scores, np.float64, shape, f"{error_prefix}: scores"),
    )  # fmt: skip


def checked_open(law: Law, counts: Ints, error_prefix: str) -> Flags | None:
    """A read-only copy of `open`, the arms between which the law leaves the choice open; None if not given."""
    if law.open is None:
        return None
    arms = counts.shape[2]
    if counts.shape[1] != arms or not ((counts > 0) == np.eye(arms, dtype=np.bool_)).all():
        raise ValueError(
            f"{error_prefix}: if the field `open` is given, outcome o must pull exactly arm o; make the law "
            "with laws.largest"
        )
    return checked_arm_values(law.open, np.bool_, (len(counts), arms), f"{error_prefix}: open")


def checked_arm_values(values: ArrayLike, kind: DTypeLike, shape: tuple[int, ...], error_prefix: str) -> np.ndarray:
    """A read-only copy of an array that has one entry for every arm in every state, (states, arms)."""
    found = np.array(values, dtype=kind)
    if found.shape != shape:
        raise ValueError(
            f"{error_prefix} has shape {found.shape}; expected {shape}, a number for every arm in every state"
        )
    return frozen(found)


def checked_logarithms(law: Law, probabilities: Array, error_prefix: str) -> Array:
    """A read-only copy of a law's logarithms, if they agree with its probabilities.
    Finite or -inf, and up to the error equal to those of `by_logarithms`. Raises ValueError otherwise, and for a law
    with an absolute error."""
    if law.absolute_error:
        raise ValueError(
            f"{error_prefix}: log is combined with absolute_error={law.absolute_error:g}, but logarithms have a "
            "relative error only; give absolute_error=0 with log, or omit log"
        )
    values = reals(f"{error_prefix}: log", law.log)
    if values.shape != probabilities.shape:
        raise ValueError(
            f"{error_prefix}: log has shape {values.shape}; expected {probabilities.shape}, the shape of the "
            "probabilities"
        )
    with np.errstate(over="ignore"):
        off = np.abs(el.exp(values) - probabilities) > (law.error + 2 * LAW_SUM_ROUNDING) * probabilities + el.exp(
            MIN_LOG_CHANCE
        )
    if (bad := np.isnan(values) | (values == np.inf) | off).any():
        row, place = np.argwhere(bad)[0]
        raise ValueError(
            f"{error_prefix}, state {row}: the logarithm of the probability of outcome {place} is "
            f"{values[row, place]}, but the probability is {probabilities[row, place]}; a logarithm must be finite "
            "or -inf, and the probability must be its exponential, as in by_logarithms(counts, log)"
        )
    return frozen(values)


def in_doubles(law_or_transitions: Said) -> Said:
    """A copy of a law (or of transitions with a law's probabilities) without logarithms.
    Probabilities below e^MIN_LOG_CHANCE are stated as 0, and if they are possible, the absolute error of all
    probabilities is raised accordingly."""
    law: Any = law_or_transitions
    if law.log is None:
        return law_or_transitions
    faint, least = law.log < MIN_LOG_CHANCE, float(el.exp(MIN_LOG_CHANCE))
    absolute_error = least if (faint & (law.log > -np.inf)).any() else 0.0
    same: Said = law._replace(chance=np.where(faint, 0.0, law.chance), absolute_error=absolute_error, log=None)
    return same


def checked_counts(counts: ArrayLike, shape: tuple[int | None, int], error_prefix: str, may_answer: bool) -> Ints:
    """A read-only copy of the counts, (states, outcomes, arms); stored only once if all states share them."""
    values, (rows, arms) = np.asarray(counts), shape
    if values.ndim != 3 or values.shape[2] != arms or rows not in (None, len(values)) or values.dtype.kind not in "iu":
        wanted = f"({'states' if rows is None else rows}, outcomes, {arms})"
        raise ValueError(
            f"{error_prefix}: counts have shape {values.shape} and type {values.dtype}; expected integers of shape "
            f"{wanted}, the pulls of every arm for every outcome in every state"
        )
    shared = values.strides[0] == 0
    base = np.array(values[:1] if shared else values, dtype=np.int64)
    if base.min(initial=0) < 0:
        checked_answers(error_prefix, base, may_answer)
    return frozen(np.broadcast_to(base, values.shape) if shared else base)


def checked_bound(bound: ArrayLike | None, shape: tuple[int, ...], error_prefix: str) -> Array | None:
    """A read-only copy of the truncation bound, broadcast to the shape of the counts; None if there is no bound."""
    if bound is None:
        return None
    values = np.array(bound, dtype=np.float64)
    if not (values >= 0).all():
        raise ValueError(
            f"{error_prefix}: the truncation bound is {values[~(values >= 0)].flat[0]}; it must be at least 0"
        )
    try:
        return np.broadcast_to(frozen(values), shape)
    except ValueError:
        raise ValueError(
            f"{error_prefix}: the truncation bound has shape {values.shape}; it must be a number, or broadcast "
            f"to {shape}"
        ) from None


def checked_chances(law: ArrayLike, shape: tuple[int | None, int], error_prefix: str, within: float) -> Array:
    """A read-only copy of the probabilities, if they are a law in every row. error_prefix: their name in errors.
    within: the allowed difference between a sum and 1."""
    try:
        values = reals(error_prefix, law)
    except ValueError:
        raise ValueError(
            f"{error_prefix}: returned {describe_given(law)}; it must return an array of probabilities of "
            "shape (states, arms)"
        ) from None
    precise(error_prefix, law, within)
    rows, outcomes = shape
    if values.ndim != 2 or values.shape[1] != outcomes or rows not in (None, len(values)):
        wanted = f"({'states' if rows is None else rows}, {outcomes})"
        raise ValueError(
            f"{error_prefix}: probabilities have shape {values.shape}; expected {wanted}, a row of "
            "probabilities for every state"
        )
    total = np.einsum("ij->i", values)  # values.sum(axis=1), which numpy does slowly for few outcomes
    good = np.abs(total - 1) <= within
    if not (values.min(initial=0.0) >= 0 and good.all()):
        row = int((good & (values >= 0).all(axis=1)).argmin())
        raise ValueError(
            f"{error_prefix}, state {row}: {law_fault(values[row], float(total[row]), within)}; the law is "
            f"{values[row].tolist()}"
        )
    return frozen(values)


def law_fault(row: Array, total: float, within: float) -> str:
    """The reason why a row of probabilities is not a law, and which rows are laws."""
    if not np.isfinite(row).all():
        return (
            f"the probability of arm {int((~np.isfinite(row)).argmax())} is {row[~np.isfinite(row)][0]}; every "
            "probability must be finite"
        )
    if (row < 0).any():
        return f"the probability of arm {int((row < 0).argmax())} is negative; every probability must be at least 0"
    return (
        f"the sum of the probabilities is {total!r}, which differs from 1 by {total - 1:.2g}; at most "
        f"{within:.2g} is allowed"
    )


def state_count(state: State) -> int | None:
    """The number of rows of a state; None if it contains no array that determines it."""
    for part in state if isinstance(state, tuple) else (state,):
        found = state_count(part) if isinstance(part, tuple) else len(part) if np.ndim(part) else None
        if found is not None:
            return found
    return None
