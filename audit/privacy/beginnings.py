"""The beginnings of transcripts that tell two inputs apart: where a debugger looks first."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.transcripts import NO_ARM, SEVERAL_ARMS, Transcripts, stacked
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import Beginning, Beginnings, Side, rounded

MAX_ROWS = 5
MAX_RUN = 3  # a release that comes again and again is written out so often
MIN_SCORE = 20.0  # two equal chances differ by so much once in a hundred thousand beginnings


def beginnings(left: Transcripts, right: Transcripts) -> Beginnings | None:
    """Those that tell most, all of one length, and how often each came among as many runs on either
    side. Frequencies, for an eye: nothing is certified by them. None where none stands out from chance."""
    both = stacked([left, right])
    begun, best, length = np.zeros(both.trials, dtype=np.int64), MIN_SCORE, 0
    for t in range(both.arms.shape[1]):
        begun = np.unique(begun * both.trials + released(both, t), return_inverse=True)[1].ravel()
        counts = np.stack([np.bincount(each, minlength=begun.max() + 1) for each in np.split(begun, [left.trials])])
        score = scores(*counts)
        if score.max() > best:
            best, length, chosen = float(score.max()), t + 1, (begun, counts / left.trials, score)
        if counts.sum(axis=0).max() <= best:  # a score is at most a count, and longer ones come no more often
            break
    if not length:
        return None
    begun, chances, score = chosen
    ranks = [int(k) for k in np.argsort(-score, kind="stable")[:MAX_ROWS] if score[k] > MIN_SCORE]
    shown = [
        Beginning(
            spelt(both, int(np.argmax(begun == k)), length),
            *(rounded(share, Side.NEAREST) for share in chances[:, k].tolist()),
        )
        for k in ranks
    ]
    return Beginnings(length, left.trials, tuple(shown))


def released(seen: Transcripts, t: int) -> NDArray[np.int64]:
    """What each trial released in a step, as a number below the number of trials."""
    parts: list[NDArray[Any]] = [seen.arms[:, t : t + 1], seen.sizes[:, t : t + 1]]
    parts += [seen.counts[:, t]] if seen.counts.shape[1] else []
    rows = np.concatenate([part.astype(np.int64) for part in parts], axis=1)
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].ravel())


def scores(left: Array, right: Array) -> Array:
    """By how much each pair of counts differs, in squared standard deviations of chance."""
    return np.asarray((left - right) ** 2 / np.maximum(left + right, 1))


def spelt(seen: Transcripts, trial: int, length: int) -> str:
    """What a trial released at first: an arm for each step, and how often it was pulled where not once."""
    said: list[str] = []
    for release, run in groupby(step_in_words(seen, trial, t) for t in range(length)):
        many = len(list(run))
        said += [release] * many if many <= MAX_RUN else [f"{release} in {many} steps"]
    return ", ".join(said)


def step_in_words(seen: Transcripts, trial: int, t: int) -> str:
    arm, size = int(seen.arms[trial, t]), int(seen.sizes[trial, t])
    if arm == SEVERAL_ARMS:
        return f"pulls {seen.counts[trial, t].tolist()}"
    if arm == NO_ARM:
        return "nothing"
    if size < 0:
        return f"the answer {arm}"
    return f"{arm}" if size == 1 else f"{arm} ({size} times)"
