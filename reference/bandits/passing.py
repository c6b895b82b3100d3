"""Checks of the data that a policy and its player exchange: pulls, sums of rewards, and states.

The player keeps its own copies and passes read-only arrays, so a policy that later modifies its buffers can change
neither its releases nor its rewards.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbandits.reference.arithmetic.checks import reals, unmasked
from dpbandits.reference.bandits.environments import per_trial
from dpbandits.reference.bandits.noise import Array, Flags, Ints, Reals, frozen
from dpbandits.reference.bandits.recommendations import answered, checked_answers, one_hot_rows, pulls_without_answers

State = Any  # of a policy: arrays whose first axis is the trial, tuples of them, or whatever it keeps for one trial

MAX_STEP_PULLS = 2**63 - 1  # pulls of all arms in one step: their sum is an integer of 64 bits, whatever the horizon


class Pulls(NamedTuple):
    """The number of pulls of each arm before the policy sees rewards again, or the recommendation that ends a run.

    counts: (trials, arms), non-negative integers; a row of zeros means that this trial has nothing left to do. A row
    with -1 at one arm and 0 elsewhere is the final recommendation of this trial: see `Pulls.answer`. bound: rewards
    with |x| > bound count as 0 in the sums that the policy receives (truncation, not clipping); None for no truncation,
    otherwise a number or an array that broadcasts to (trials, arms).

    A row does not contain the order of its pulls, because this order must be a function of the row alone. This
    condition holds for all papers: pulls alternate in sajed19 and tao22, are made arm after arm in the initial pulls of
    ou24 and hu25, and have an unspecified order in chen24. (On a stream, the pulls of a row are paid arm after arm.) If
    the order depends on rewards or noise, the order is released as well. In this case, use several rows one after
    another, and use no rewards in between.
    """

    counts: Ints
    bound: Reals | None = None

    @staticmethod
    def one(arm: NDArray[np.integer], arms: int) -> Pulls:
        """Pulls that pull one arm once in each trial. arm: (trials,), integers from 0 to arms - 1.
        Raises ValueError for others."""
        return Pulls(one_hot_rows("Pulls.one", arm, arms))

    @staticmethod
    def answer(arm: NDArray[np.integer], arms: int) -> Pulls:
        """The final answer of every trial, after which a policy pulls no arm; arm as in `Pulls.one`.

        For policies with `answers = True`. If some trials answer and others continue, mix the counts: np.where(done[:,
        None], Pulls.answer(best, arms).counts, counts).
        """
        return Pulls(frozen(-one_hot_rows("Pulls.answer", arm, arms)))


def checked_pulls(step: int, pulls: object, shape: tuple[int, ...], may_answer: bool = False) -> Pulls:
    """Returns a read-only copy of the pulls that a policy's `act` returned, after checks.
    Raises ValueError unless they are counts (trials, arms) with a bound that is a number >= 0, and TypeError for an
    object that is no Pulls. may_answer: whether rows may be answers."""
    if not isinstance(pulls, tuple) or len(pulls) != 2:
        what = f"an array of shape {pulls.shape}" if isinstance(pulls, np.ndarray) else f"{type(pulls).__name__}"
        raise TypeError(
            f"step {step}: act returned {what}; it must return Pulls.one(arm, {shape[1]}), where arm has "
            f"shape ({shape[0]},) and holds the pulled arm of each trial, or Pulls(counts), where counts has "
            f"shape {shape}"
        )
    unmasked(f"step {step}: pulls", pulls[0])
    counts, bound = np.asarray(pulls[0]), pulls[1]
    if counts.shape != shape or counts.dtype.kind not in "iu":
        raise ValueError(
            f"step {step}: act returned pull counts of shape {counts.shape} and type {counts.dtype}; "
            f"expected integers of shape {shape} = (trials, arms). Draw noise for every trial"
        )
    # A copy: whoever owns a read-only array can make it writable again.
    own = counts.astype(np.int64)
    if int(own.view(np.uint64).max(initial=0)) > MAX_STEP_PULLS // shape[1]:  # or negative
        if int(counts.max()) > MAX_STEP_PULLS // shape[1]:
            raise ValueError(
                f"step {step}: act returned a pull count of {counts.max()}; with arms = {shape[1]}, counts "
                f"must be at most {MAX_STEP_PULLS // shape[1]:.2g}"
            )
        checked_answers(f"step {step}", counts, may_answer)
    if bound is not None:
        bound = reals(f"step {step}: the truncation bound", bound)
        if not (bound >= 0).all():
            raise ValueError(
                f"step {step}: the truncation bound is {bound[~(bound >= 0)].flat[0]}; it must be at least "
                "0, or None if rewards are not truncated"
            )
        if np.broadcast_shapes(bound.shape, shape) != shape:
            raise ValueError(
                f"step {step}: the truncation bound has shape {bound.shape}; it must be a number, or "
                f"broadcast to {shape} = (trials, arms)"
            )
        bound = frozen(bound)
    return Pulls(frozen(own), bound)


def explain_refused_write(error_prefix: str, error: ValueError) -> bool:
    """Replaces numpy's message about a write to a read-only argument by one with a remedy.
    Returns whether the error is such a refusal; other errors are unchanged."""
    if "read-only" not in str(error):
        return False
    error.args = (
        f"{error_prefix} modifies an array that it received ({error}); pulls, sums, draws and contexts are read-only, "
        "and so is the state inside law, because they are shared. Modify a copy, such as sums.copy()",
    )
    return True


def checked_sums(step: int, sums: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Returns a read-only copy of the environment's reward sums. Raises ValueError for another shape than `shape`."""
    if np.shape(sums) != shape:
        raise ValueError(
            f"step {step}: the environment returned sums of rewards of shape {np.shape(sums)}; expected {shape} "
            "= (trials, arms)"
        )
    return frozen(reals(f"step {step}: what the environment pays", sums))


def checked_state(state: State, trials: int, whence: str) -> State:
    """Returns the state unchanged. Raises ValueError if the first axis of an array is not the number of trials."""
    for part in state if isinstance(state, tuple) else (state,):
        if isinstance(part, np.ndarray) and part.ndim and len(part) != trials:
            raise ValueError(
                f"{whence} returned a state that contains an array of shape {part.shape}, but trials = "
                f"{trials}; the first axis of every array of a state must be the trial"
            )
    return state


def copy_state(state: State) -> State:
    """Returns a deep copy of a policy's state, for callers that keep several states of one policy.
    The policy may write to the arrays that it returned. What occurs twice in the state is one object in the copy as
    well, and read-only arrays stay read-only."""
    copied: dict[int, Any] = {}  # by the identity of the original, as `deepcopy` expects it

    def copy(part: State) -> State:
        """A deep copy of one part of the state; an array that occurs twice is copied once."""
        if isinstance(part, np.ndarray) and id(part) not in copied:
            copied[id(part)] = part.copy()
            copied[id(part)].flags.writeable = part.flags.writeable
        return deepcopy(part, copied)

    return mapped_state(state, copy)


def read_only_state(state: State) -> State:
    """A policy's state with read-only views of its arrays, for calls that must not change it."""
    return mapped_state(state, lambda part: frozen(part.view()) if isinstance(part, np.ndarray) else part)


def mapped_state(state: State, change: Callable[[State], State]) -> State:
    """A policy's state with the function `change` applied to each of its parts.
    A part that occurs twice is changed once: a policy that writes to one of its places writes to both."""
    changed: dict[int, State] = {}

    def mapped(part: State) -> State:
        """The changed part of the state; a part that occurs twice is changed once."""
        if isinstance(part, tuple):
            parts = [mapped(each) for each in part]
            return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
        if id(part) not in changed:
            changed[id(part)] = change(part)
        return changed[id(part)]

    return mapped(state)


def state_rows(state: State, index: Ints | Flags | slice) -> State:
    """The rows `index` of all arrays of a policy's state. Raises TypeError if a part is no array."""
    by_number = getattr(index, "dtype", None) == np.int64

    def rows(part: State) -> State:
        """The rows `index` of one part of the state."""
        try:
            return part.take(index, axis=0) if by_number else part[index]
        except (AttributeError, TypeError):
            raise TypeError(
                f"the state contains an object of type {type(part).__name__}; to follow single trials, a "
                "state must be a NamedTuple of arrays whose first axis is the trial"
            ) from None

    return mapped_state(state, rows)


def cut_to_horizon(
    pulls: Pulls, remaining: Ints, may_answer: bool = False, min_remaining: int = 0
) -> tuple[Pulls, Ints]:
    """The pulls, cut to each trial's remaining horizon `remaining`, and how many pulls of it they use, (trials,).
    Counts are cut in the order of arms so that no trial exceeds its horizon.

    may_answer: whether rows may be answers; then `remaining` counts one more than the pulls, for the answer, which uses
    up everything. min_remaining: a lower bound on what is left in every trial, if the caller knows one.
    """
    if may_answer:
        return cut_or_ended(pulls, remaining)
    used = per_trial(pulls.counts)
    if used.max(initial=0) <= min_remaining or (used <= remaining).all():
        return pulls, used
    before = np.cumsum(pulls.counts, axis=1) - pulls.counts
    fitting = pulls._replace(counts=frozen(np.clip(remaining[:, None] - before, 0, pulls.counts)))
    return fitting, per_trial(fitting.counts)


def cut_or_ended(pulls: Pulls, remaining: Ints) -> tuple[Pulls, Ints]:
    """The releases of a policy that ends with an answer, cut to each trial's remaining horizon, and what they use.
    They are cut as in `cut_to_horizon`; an answer uses up the rest of the horizon."""
    ends = answered(pulls.counts) & (remaining > 0)
    room = np.where(ends, 0, np.maximum(remaining - 1, 0))
    kept, used = cut_to_horizon(pulls._replace(counts=pulls_without_answers(pulls.counts)), room)
    counts = np.where(ends[:, None], pulls.counts, kept.counts)
    return pulls._replace(counts=frozen(counts)), np.where(ends, remaining, used)
