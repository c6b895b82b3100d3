"""Whether a log can be of a policy at all: its arms, its length, its contexts."""

from __future__ import annotations

import numpy as np

from dpbandits.extensions.conformance.records import Log
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Array, frozen
from dpbandits.reference.bandits.policy import Ints, Policy

MAX_LOG_CELLS = 4_000_000  # pulls times arms of a log: about half a gigabyte


def require_fitting_log(log: Log, reference: Policy) -> None:
    """ValueError where the log has other arms than the reference, or longer runs."""
    arms, horizon = reference.arms, reference.horizon
    if log.arms.size and log.arms.max() >= arms:
        run, pull = (int(k) for k in np.argwhere(log.arms >= arms)[0])
        raise ValueError(
            f"run {run}, pull {pull + 1}: arm {log.arms[run, pull]}; the arms are 0 to {arms - 1}: {arms_advice(log)}"
        )
    if log.arms.shape[1] > horizon:
        raise ValueError(
            f"a run of {log.arms.shape[1]} pulls is longer than the horizon {horizon}; give the horizon of the policy "
            "that wrote the log"
        )
    require_fitting_contexts(log, reference)


def require_fitting_contexts(log: Log, reference: Policy) -> None:
    """ValueError where the log does not have the contexts that the reference sees."""
    d, name = context_dimension(reference), type(reference).__name__
    if log.contexts is None:
        if d and log.arms.size:
            raise ValueError(
                f"{name} uses {d} features of each arm, but the log has none; write one line of JSON for each run with "
                '"contexts" (the features of each arm before each pull), or use the format of Vowpal Wabbit'
            )
        return
    arms, features = log.contexts.shape[2:]
    if not d:
        raise ValueError(
            f"the log contains features, but {name} is not contextual; choose a contextual policy, or remove the "
            "features from the log"
        )
    if features != d:
        raise ValueError(
            f"the log has {features} features of each arm, but {name} uses {d}; give contexts = {features} "
            f"(--parameter contexts={features})"
        )
    if arms not in (1, reference.arms):
        raise ValueError(
            f"the log has features of {arms} arms, but {name} has {reference.arms}; give {arms} arms (--arms {arms})"
        )


def seen_in(log: Log, runs: Ints, pull: int, reference: Policy) -> tuple[Array, ...]:
    """The features that these runs of a log show before a pull that counts from 0, (runs, arms, d); nothing without
    contexts."""
    if log.contexts is None:
        return ()
    features = log.contexts[runs, pull]
    return (frozen(np.repeat(features, reference.arms // features.shape[1], axis=1)),)


def arms_advice(log: Log) -> str:
    """How many arms the log is likely to have, as advice."""
    pulled = np.unique(log.arms[log.arms >= 0]).tolist()
    told, many = f"the log pulls arms {pulled[0]} to {pulled[-1]}", f"{pulled[-1] + 1} arms (--arms {pulled[-1] + 1})"
    if pulled[0] == 1:
        return f"{told}, but arms are numbered from 0; subtract 1 from each, or give {many} if there is an arm 0"
    return f"{told}: give {many}, or more if some were never pulled"


def require_small_log(log: Log, reference: Policy) -> None:
    """ValueError for more pulls than are judged at once."""
    if log.arms.size * reference.arms > MAX_LOG_CELLS:
        pulls = MAX_LOG_CELLS // reference.arms
        if not pulls:
            raise ValueError(
                f"{reference.arms} arms are too many; at most {MAX_LOG_CELLS} can be checked: {arms_advice(log)}"
            )
        raise ValueError(
            f"{log.arms.size} pulls of {reference.arms} arms are too many; at most {pulls} can be checked: give "
            "fewer runs, or check fewer pulls of each run (--first)"
        )
