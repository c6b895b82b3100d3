"""All transcripts of a short run with their exact probabilities; nothing is merged or pruned."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.privacy_profile import ExactProfile, MeasurePair, relative_to_log_error
from dpbandits.proofs_checks.exact.state_graph import state_graph
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import HasLaw, Ints
from dpbandits.reference.bandits.release_laws.checked import in_doubles

MAX_TRANSCRIPTS = 2**18  # transcripts: T = 18 for two arms, T = 11 for three


class Transcripts(NamedTuple):
    """Every transcript that is possible on some side, with its probabilities.

    released: (transcripts, steps, arms), the pulls of each step. left, right: (transcripts,), probabilities. error: a
    bound on the error of their logarithms, summed over the steps. absolute_error: the largest absolute error of a
    step's law. outcomes: the largest number of outcomes of a step.
    """

    released: Ints
    left: Array
    right: Array
    error: float
    absolute_error: float
    outcomes: int

    @property
    def arms(self) -> Ints:
        """The arm that each step pulls, or gives as the answer, (transcripts, steps).
        Every step must release exactly one arm."""
        return np.asarray((self.released != 0).argmax(axis=2))


def enumerate_transcripts(policy: HasLaw, pair: Pair, max_transcripts: int = MAX_TRANSCRIPTS) -> Transcripts:
    """All transcripts (sequences of releases) of a policy on a pair, with their probabilities on both sides.
    Raises ValueError if there are more than `max_transcripts`."""
    graph = state_graph(policy, pair)
    layer, error, absolute_error, t, outcomes = graph.first_layer(), 0.0, 0.0, 0, 0
    released: Ints = np.zeros((1, 0, policy.arms), dtype=np.int64)
    probability = np.ones((2, 1))
    while graph.has_steps_left(layer):
        t += 1
        offers = in_doubles(graph.transitions(t, layer))
        offers = offers.chosen(np.flatnonzero(offers.chance.max(axis=0)))
        source = offers.source
        if len(source) > max_transcripts:
            raise ValueError(f"{policy}: more than {max_transcripts} transcripts at step {t}; shorten the horizon")
        outcomes = max(outcomes, len(offers.outcomes))
        _, layer = graph.next_layer(t, layer, offers, np.arange(len(source)))
        probability = probability[:, source] * offers.chance
        released = np.concatenate([released[source], offers.counts[:, None]], axis=1)
        error, absolute_error = error + offers.log_error, max(absolute_error, offers.absolute_error)
    return Transcripts(released, probability[0], probability[1], error, absolute_error, outcomes)


def enumerated_profile(policy: HasLaw, pair: Pair) -> ExactProfile:
    """The exact privacy profile of a short run, from all transcripts.

    The absolute error of a law counts as a relative error of the known probabilities. For probabilities that are no
    larger than this error, or 0 on one side, it counts as an absolute error of every event: once for each outcome of
    each step.
    """
    found = enumerate_transcripts(policy, pair)
    laws = np.concatenate([found.left, found.right])
    steps = found.released.shape[1]
    drift, absolute_error = (
        relative_to_log_error(found.absolute_error, float(laws.min())),
        0.0,
    )  # no step's chance is below that of the transcript
    if drift == np.inf:
        drift, absolute_error = 0.0, steps * found.outcomes * found.absolute_error
    masses = MeasurePair(found.left, found.right)
    return ExactProfile(
        masses,
        masses,
        log_error=found.error + steps * (drift + 4 * UNIT_ROUNDOFF),
        absolute_error=absolute_error,
        step_absolute_error=found.absolute_error,
    )
