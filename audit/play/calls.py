"""Tests whether the trials of a call depend on each other, for trials that are drawn by many calls of one function.

Each call has its own seed, so trials of different calls are independent whatever the function does. If trials of a call
share something (say, one draw), the fraction of trials in an event varies more between calls than independent trials
allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb, exp, expm1, inf, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array

MAX_CALLS = 64  # calls a side; twice as many would see little more, and every call takes its time
MIN_CALL_TRIALS = 25  # trials of a call
UNEVEN_CALLS = (
    "the trials of one call are not independent: outputs differ more from call to call than inside of a call, so that "
    "error counts are not binomial and nothing can be certified; draw noise of its own for every trial"
)

REPEATED_CALLS = (
    "different seeds give the same outputs, so that trials come twice and error counts are not binomial, and nothing "
    "can be certified; draw from the whole seed, and from nothing else"
)


def calls_for(trials: int) -> int:
    """The number of calls from which this many trials are drawn."""
    return max(1, min(MAX_CALLS, trials // MIN_CALL_TRIALS))


def interleaved(parts: Sequence[Array]) -> Array:
    """Returns the trials of all calls as one array, (trials, d), in which trial i is from call i % calls.
    So any stretch contains equally many trials of every call. parts: for each call k, its trials, namely those with i %
    calls == k."""
    outputs = np.empty((sum(map(len, parts)), parts[0].shape[1]))
    for k, part in enumerate(parts):
        outputs[k :: len(parts)] = part
    return outputs


def repeated_calls_p_value(outputs: Array, calls: int) -> float:
    """Bounds the probability that independent calls have as many equal outputs as observed.
    outputs: (trials, d). 1 if no two calls have equal outputs. Calls whose trials are all equal are not counted here:
    `chance_of` detects them."""
    least = len(outputs) // calls
    parts = [outputs[k::calls][:least] for k in range(calls)]
    repeated = Counter(part.tobytes() for part in parts if len({row.tobytes() for row in part}) > 1)
    same = max(repeated.values(), default=1)
    if same == 1:
        return 1.0
    counts = np.array(list(Counter(row.tobytes() for row in outputs).values()))
    return min(1.0, (calls - 1) * exp(min(0.0, log_repeated_calls_p_value(counts / len(outputs), least, same, calls))))


def log_repeated_calls_p_value(chances: Array, trials: int, same: int, calls: int) -> float:
    """Returns the log of a bound on the probability that `same` of the calls have equal outputs in every trial.
    Calls that always give the likeliest output are not counted. chances: the probabilities of the outputs, (n,), n >=
    2."""
    log_chances = same * el.log(np.sort(chances))
    others = float(el.exp(log_chances[:-1] - log_chances[-1]).sum())  # alike in another output, by the likeliest one's
    grown = trials * log1p(others)
    return log(comb(calls, same)) + trials * float(log_chances[-1]) + grown + (log(-expm1(-grown)) if grown else -inf)


def uneven_calls_p_value(events: Iterable[NDArray[np.bool_]], first: int, calls: int) -> float:
    """Bounds the probability that independent trials are spread as unevenly over the calls as observed.
    The most unevenly spread of these events counts. The events must have been chosen without using these trials.

    events: which trials lie inside, (trials,) each. first: the number of the first of these trials.
    """
    found = [uneven_event_p_value(inside, (first + np.arange(len(inside))) % calls, calls) for inside in events]
    return min(1.0, len(found) * min(found, default=1.0))


def uneven_event_p_value(inside: NDArray[np.bool_], call: NDArray[np.int64], calls: int) -> float:
    """An upper bound on the probability that an event is spread as unevenly over the calls as observed.
    Twice the smaller of two bounds. inside: the trials in the event; call: the call of each trial."""
    sizes = np.bincount(call, minlength=calls)
    counts = np.bincount(call[inside], minlength=calls)
    some = sizes > 0
    return min(1.0, 2 * min(hoeffding_p_value(counts[some], sizes[some]), chernoff_p_value(counts[some], sizes[some])))


def hoeffding_p_value(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """Bounds by Hoeffding's inequality how probable it is that an event is spread so unevenly over the calls.
    counts: the number of trials of each call in the event. sizes: the number of trials of each call. Each (count - n
    p)/sqrt(n/4) is sub-Gaussian, so E exp(s z^2) <= (1 - 2s)^(-1/2). Replacing p by the overall fraction is a
    projection of z, which reduces the sum of squares. s is optimised."""
    many, share = len(sizes), counts.sum() / sizes.sum()
    squares = float(((counts - sizes * share) ** 2 / (sizes / 4)).sum())
    if squares <= many:
        return 1.0
    return exp((many - squares) / 2 + many / 2 * log(squares / many))


def chernoff_p_value(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> float:
    """Bounds by Chernoff's inequality how probable it is that a rare event is spread so unevenly over the calls.
    counts, sizes: as in `hoeffding_p_value`. P(n KL(count/n, p) >= x) is at most min(1, 2 e^-x), so E exp(s n KL) <=
    2^s/(1 - s). The sum of n KL is smallest if p is the overall fraction. s is optimised."""
    many, share = len(sizes), counts.sum() / sizes.sum()
    apart = rel_entr(counts, sizes * share) + rel_entr(sizes - counts, sizes * (1 - share))
    beyond = float(apart.sum()) / many - log(2)
    return exp(many * (1 - beyond + log(beyond))) if beyond > 1 else 1.0
