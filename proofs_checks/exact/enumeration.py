"""All transcripts of a short run, one by one: the exact law of the release, with nothing merged."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.moments import UNIT_ROUNDOFF, relative
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.proofs_checks.exact.rows import Masses
from dpbandits.proofs_checks.exact.walk import walk
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Ints
from dpbandits.reference.bandits.release_laws.checked import in_doubles

MAX_TRANSCRIPTS = 2**18  # transcripts: T = 18 for two arms, T = 11 for three


class Transcripts(NamedTuple):
    """Every transcript that is possible on some side, with its probabilities.

    released: (transcripts, steps, arms), the pulls of each step. left, right: (transcripts,). error: what their
    logarithms may be off by, the sum over the steps; blur: the largest that a law is wrong by, absolutely.
    outcomes: of a step, at most.
    """

    released: Ints
    left: Array
    right: Array
    error: float
    blur: float
    outcomes: int

    @property
    def arms(self) -> Ints:
        """The released arm of each step, (transcripts, steps), where every step pulls one, or answers one."""
        return np.asarray((self.released != 0).argmax(axis=2))


def enumerate_transcripts(policy: HasLaw, pair: Pair) -> Transcripts:
    """Enumerate; ValueError where there are more than MAX_TRANSCRIPTS transcripts."""
    along = walk(policy, pair)
    layer, error, blur, t, outcomes = along.start(), 0.0, 0.0, 0, 0
    released: Ints = np.zeros((1, 0, policy.arms), dtype=np.int64)
    probability = np.ones((2, 1))
    while along.steps(layer):
        t += 1
        offers = in_doubles(along.offers(t, layer))
        offers = offers.chosen(np.flatnonzero(offers.chance.max(axis=0)))
        source = offers.source
        if len(source) > MAX_TRANSCRIPTS:
            raise ValueError(f"{policy}: more than {MAX_TRANSCRIPTS} transcripts at step {t}; shorten the horizon")
        outcomes = max(outcomes, len(offers.outcomes))
        _, layer = along.arrive(t, layer, offers, np.arange(len(source)))
        probability = probability[:, source] * offers.chance
        released = np.concatenate([released[source], offers.counts[:, None]], axis=1)
        error, blur = error + offers.drift, max(blur, offers.blur)
    return Transcripts(released, probability[0], probability[1], error, blur, outcomes)


def enumerated_profile(policy: HasLaw, pair: Pair) -> ExactProfile:
    """The exact privacy profile of a short run.

    A law's blur is a relative error of the chances that are known. Where one is not, for it is no larger, or 0 on one
    side, it is an absolute error of every event: the blur of each outcome of each step.
    """
    found = enumerate_transcripts(policy, pair)
    laws = np.concatenate([found.left, found.right])
    steps = found.released.shape[1]
    drift, blur = relative(found.blur, float(laws.min())), 0.0  # no step's chance is below that of the transcript
    if drift == np.inf:
        drift, blur = 0.0, steps * found.outcomes * found.blur
    masses = Masses(found.left, found.right)
    return ExactProfile(
        masses, masses, drift=found.error + steps * (drift + 4 * UNIT_ROUNDOFF), blur=blur, faint=found.blur
    )
