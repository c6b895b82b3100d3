"""Turns the probabilities with which options are selected into the law of a release: for any selection, and for the
argmax of independent normals."""

from __future__ import annotations

import numpy as np

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array, Ints
from dpbandits.reference.bandits.policy import RELATIVE, Law, by_logarithms, one_arm
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR, argmax_law
from dpbandits.reference.bandits.release_laws.checked import MIN_LOG_CHANCE, in_doubles
from dpbandits.reference.bandits.release_laws.selections import NORMAL, Chances, top
from dpbandits.reference.bandits.release_laws.selections.laws import MAX_SELECTION_RATIO

FAINT_CHANCE = 1e-3  # of a chance above it, the error of `argmax_law` is at most 1e-10; others are integrated anew
ROUGH = 1e-7  # so much of all logarithms may be lost to those of the smallest chances
# Arms: with more, an integral for each faint chance takes too long, and the law is blurred instead
MAX_INTEGRATED_ARMS = 6


def winner(means: Array, scales: Array, size: Ints | int = 1) -> Law:
    """The law of pulling, `size` times, the arm with the largest normal draw.

    means, scales: (states, arms), of the draws. size: an integer of at least 1, or one for each state.

    For up to six arms with scales in a ratio of at most 1e4, probabilities have only a relative error, unless some are
    too small for doubles; otherwise there is also an absolute error, which the law states. Raises ValueError for means
    that are not finite, and for scales that are not positive and finite; NoLaw for a ratio of scales above 1e5 and, for
    three to six arms, for means that are more than 1e8 scales apart.
    """
    chance = argmax_law(means, scales)
    arms = chance.shape[1]
    if (
        not 2 < arms <= MAX_INTEGRATED_ARMS
        or (np.max(scales, axis=-1) / np.min(scales, axis=-1)).max(initial=1.0) > MAX_SELECTION_RATIO
    ):
        return blur_faint_chances(one_arm(chance, size))
    faint = chance < FAINT_CHANCE
    error = max(RELATIVE, ERROR / (float(chance.min(initial=1.0, where=~faint)) - ERROR))
    state, arm = np.nonzero(faint)
    if state.size:
        order = (arm[:, None] + np.arange(arms)) % arms  # the faint arm first, which alone is asked for
        means, scales = (np.broadcast_to(part, chance.shape)[state[:, None], order] for part in (means, scales))
        found = top(NORMAL, means, scales, 1, sets=np.arange(arms)[None] == 0)
        chance[state, arm] = found.chance[:, 0]
        error = max(error, float(found.error[found.chance > 0].max(initial=0.0)))
    return blur_faint_chances(one_arm(chance, size, error, 0.0))


def blur_faint_chances(law: Law) -> Law:
    """Returns the law with all probabilities below e^MIN_LOG_CHANCE stated as 0.
    Doubles represent them with fewer digits or not at all. The absolute error is raised accordingly, so every outcome
    counts as possible."""
    least = float(el.exp(MIN_LOG_CHANCE))
    if law.chance.min(initial=1.0) >= least:
        return law
    return law._replace(
        chance=np.where(law.chance < least, 0.0, law.chance), absolute_error=max(law.absolute_error, least)
    )


def released(selection: Chances, counts: Ints) -> Law:
    """The law of a step that selects a set by noise and then releases the counts that belong to the set.

    selection: the result of `argmax`, `survivors` or `top`. counts: (outcomes, arms), the same in every state, or
    (states, outcomes, arms): `selection.sets * times` pulls the selected arms, `selection.sets * -1` answers the
    selected arm. If a probability is known only to few digits, small probabilities are stated as 0, and the absolute
    error is increased accordingly. Raises ValueError for counts of another shape, or that are no integers.
    """
    states, outcomes = selection.log.shape
    values = np.asarray(counts)
    if values.dtype.kind not in "biu":
        raise ValueError(f"released: counts have type {values.dtype}; they must be integers")
    if values.ndim not in (2, 3) or values.shape[-2] != outcomes or values.shape[:-2] not in ((), (states,)):
        raise ValueError(
            f"released: counts have shape {values.shape}; they must have shape ({outcomes}, arms), the pulls "
            f"of every arm for each outcome, or ({states}, {outcomes}, arms), the same for each state"
        )
    return law_from_logarithms(values.astype(np.int64), selection.log, selection.error)


def law_from_logarithms(counts: Ints, log: Array, error: Array) -> Law:
    """The law of releases with these logarithms of probabilities, each with a bound on its error.
    counts: of every state, or the same for all, (outcomes, arms).

    The law contains the logarithms, so no probability is too small for it, unless some are known to fewer digits than
    ROUGH: then probabilities below e^MIN_LOG_CHANCE are stated as 0, and the absolute error is raised accordingly.
    """

    def worst(mask: np.ndarray) -> float:
        """The largest error of the logarithms that the mask selects, including the rounding by exp."""
        # exp rounds an exponent of at most 700 once more; what is impossible is so exactly.
        return float(np.broadcast_to(error, log.shape)[mask].max(initial=0.0)) + 700 * 2.0**-53

    counts = np.broadcast_to(counts, (*log.shape, np.shape(counts)[-1]))
    if (off := worst(log > -np.inf)) <= ROUGH:
        return by_logarithms(counts, log, None, off)
    return in_doubles(by_logarithms(counts, log, None, worst(log >= MIN_LOG_CHANCE)))
