"""The gate for laws: whatever a policy or a mechanism declares is one, or an error says why it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbandits.reference.checks import brief, reals
from dpbandits.reference.noise import Array, frozen
from dpbandits.reference.policy import HasLaw, guarded

# A row may miss the sum 1 by as much as its entries may miss the truth, as the exact engine takes it for granted:
# together RELATIVE, since they add up to 1, and ABSOLUTE for every arm.
RELATIVE = 1e-11
ABSOLUTE = 1e-13  # argmax_law.ERROR


def checked_law(policy: HasLaw, t: int, state: Any, rows: int | None = None) -> Array:
    """The law of step t's arm, a read-only copy (rows, arms), from a state that the policy cannot write to.

    rows: how many states there are, where the caller knows. Raises ValueError where it is no law: another shape,
    entries that are not finite or negative, or a row that does not add up to 1 within `tolerance`. Nothing is
    normalised.
    """
    who = f"{type(policy).__name__}.law, step {t}"
    return checked(policy.law(t, guarded(state)), (rows if rows is not None else height(state), policy.arms), who)


def checked_release(mechanism: Any, values: Any) -> Array:
    """The law of a one-shot mechanism's index, a read-only copy (n,), for the queries' answers; see `checked_law`."""
    law = mechanism.law(frozen(np.array(values, dtype=np.float64)))
    return np.asarray(checked([law], (1, len(law) if np.ndim(law) == 1 else -1), f"{type(mechanism).__name__}.law")[0])


def checked_size(policy: Any, t: int) -> int:
    """How many pulls step t makes; ValueError for what is no integer of at least 1."""
    size = policy.size(t)
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise ValueError(f"{type(policy).__name__}.size({t}) is {size!r}; it must be an integer of at least 1")
    return int(size)


def tolerance(arms: int) -> float:
    return RELATIVE + arms * ABSOLUTE


def checked(law: Any, shape: tuple[int | None, int], who: str) -> Array:
    """A read-only copy of the law, if it is one; who: what the error calls it."""
    try:
        values = reals(who, law)
    except ValueError:
        raise ValueError(f"{who}: returned {brief(law)}; it must be an array of probabilities (states, arms)") from None
    rows, arms = shape
    if values.ndim != 2 or values.shape[1] != arms or rows not in (None, len(values)):
        wanted = f"({'states' if rows is None else rows}, {arms})"
        raise ValueError(f"{who}: shape {values.shape}, expected {wanted}, a row of probabilities for every state")
    total = values.sum(axis=1)
    wrong = ~((values >= 0).all(axis=1) & (np.abs(total - 1) <= tolerance(arms)))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{who}, state {row}: {fault(values[row], float(total[row]))}; the law is {values[row].tolist()}"
        )
    return frozen(values)


def fault(row: Array, total: float) -> str:
    """What keeps a row from being a law, and what would be right."""
    if not np.isfinite(row).all():
        return f"the probability of arm {int((~np.isfinite(row)).argmax())} is no number; every one must be finite"
    if (row < 0).any():
        return f"the probability of arm {int((row < 0).argmax())} is negative; every one must be at least 0"
    return (
        f"the probabilities add up to {total!r}, off by {total - 1:.2g}; they must add up to 1 within "
        f"{tolerance(len(row)):.2g}"
    )


def height(state: Any) -> int | None:
    """The number of rows of a state; None where it has no array that tells."""
    for part in state if isinstance(state, tuple) else (state,):
        found = height(part) if isinstance(part, tuple) else len(part) if np.ndim(part) else None
        if found is not None:
            return found
    return None
