"""Checks whether a log fits a policy in its arms, length and contexts."""

from __future__ import annotations

import numpy as np

from dpbandits.extensions.conformance.records import Log
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.noise import Array, frozen
from dpbandits.reference.bandits.policy import Ints, Policy

MAX_LOG_CELLS = 4_000_000  # pulls times arms of a log: about half a gigabyte


def require_fitting_log(log: Log, reference: Policy) -> None:
    """Raises ValueError if the log has other arms than the reference, or longer runs."""
    arms, horizon = reference.arms, reference.horizon
    if log.arms.size and log.arms.max() >= arms:
        run, pull = (int(k) for k in np.argwhere(log.arms >= arms)[0])
        raise ValueError(
            f"run {run}, pull {pull + 1}: the arm is {log.arms[run, pull]}, but the policy has the arms 0 to "
            f"{arms - 1}; {arms_advice(log)}"
        )
    if log.arms.shape[1] > horizon:
        raise ValueError(
            f"a run of the log has length {log.arms.shape[1]}, which exceeds the horizon {horizon}; give the horizon "
            "of the policy that wrote the log"
        )
    require_fitting_contexts(log, reference)


def require_fitting_contexts(log: Log, reference: Policy) -> None:
    """Raises ValueError if the log lacks contexts that the reference needs, or has contexts that do not fit it."""
    d, name = context_dimension(reference), type(reference).__name__
    if log.contexts is None:
        if d and log.arms.size:
            raise ValueError(
                f"{name} has contexts = {d}, but the log has no features; write one line of JSON for each "
                'run, with the features of each arm before each pull under "contexts", or use the format of '
                "Vowpal Wabbit"
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
            f"the log has features of dimension {features}, but {name} has contexts = {d}; give contexts = "
            f"{features} (--parameter contexts={features})"
        )
    if arms not in (1, reference.arms):
        raise ValueError(
            f"the features in the log are for arms = {arms}, but {name} has arms = {reference.arms}; give "
            f"arms = {arms} (--arms {arms})"
        )


def seen_in(log: Log, runs: Ints, pull: int, reference: Policy) -> tuple[Array, ...]:
    """Returns the features that these runs of a log had before a pull, in a tuple: (runs, arms, d).
    An empty tuple if the log has no contexts. pull: counted from 0."""
    if log.contexts is None:
        return ()
    features = log.contexts[runs, pull]
    return (frozen(np.repeat(features, reference.arms // features.shape[1], axis=1)),)


def arms_advice(log: Log) -> str:
    """A sentence with the number of arms that the log probably has."""
    pulled = np.unique(log.arms[log.arms >= 0]).tolist()
    told, many = (
        f"the arms in the log are {pulled[0]} to {pulled[-1]}",
        f"{pulled[-1] + 1} arms (--arms {pulled[-1] + 1})",
    )
    if pulled[0] == 1:
        return f"{told}, but arms are counted from 0; subtract 1 from each, or give {many} if there is an arm 0"
    return f"{told}: give {many}, or more if some were never pulled"


def require_small_log(log: Log, reference: Policy) -> None:
    """Raises ValueError for more pulls than can be checked together."""
    if log.arms.size * reference.arms > MAX_LOG_CELLS:
        pulls = MAX_LOG_CELLS // reference.arms
        if not pulls:
            raise ValueError(
                f"with arms = {reference.arms} the log cannot be checked (at most {MAX_LOG_CELLS} arms); "
                f"{arms_advice(log)}"
            )
        raise ValueError(
            f"{log.arms.size} pulls with arms = {reference.arms} are too many to check; at most {pulls} "
            "pulls are possible. Give fewer runs, or check fewer pulls of each run (--first)"
        )
