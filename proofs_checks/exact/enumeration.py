"""All transcripts of a short run, one by one: the exact law of the release for any relation and any small
policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.proofs_checks.exact.lattice import rows, sizes
from dpbandits.proofs_checks.exact.laws import law_blur, law_error
from dpbandits.proofs_checks.exact.moments import UNIT, relative
from dpbandits.proofs_checks.exact.profile import ExactProfile
from dpbandits.proofs_checks.exact.spectrum import Masses
from dpbandits.reference.environments import Stream, Table
from dpbandits.reference.laws import checked_law
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Seeded, frozen
from dpbandits.reference.policy import HasLaw, Ints, Pulls, owned

MOST = 2**18  # transcripts: T = 18 for two arms, T = 11 for three


class Transcripts(NamedTuple):
    """Every transcript that is possible on some side, with its probabilities.

    arms: (transcripts, steps), the released arm of each step. left, right: (transcripts,).
    """

    arms: Ints
    left: Array
    right: Array


def transcripts(policy: HasLaw, pair: Pair) -> Transcripts:
    """Enumerate; ValueError where there are more than MOST transcripts."""
    released: Ints = np.zeros((1, 0), dtype=np.int64)
    made: Ints = np.zeros((1, policy.arms), dtype=np.int64)
    sides = [(environment, owned(policy.init(1))) for environment in pair.environments()]
    probability = np.ones((2, 1))
    for t, size in sizes(policy):
        laws = np.stack([checked_law(policy, t, state).chance for _, state in sides])
        source, arm = np.nonzero((laws > 0).any(axis=0))
        if len(source) > MOST:
            raise ValueError(f"{policy}: more than {MOST} transcripts at step {t}; shorten the horizon")
        pulls = Pulls(frozen(size * Pulls.one(arm, policy.arms).counts))
        noise = Seeded(0, len(source))
        sides = [(side, after(policy, t, side, state, source, made, pulls, noise)) for side, state in sides]
        probability = probability[:, source] * laws[:, source, arm]
        released = np.column_stack([released[source], arm])
        made = made[source] + pulls.counts
    return Transcripts(released, probability[0], probability[1])


def after(
    policy: HasLaw,
    t: int,
    side: Table | Stream,
    state: object,
    source: Ints,
    made: Ints,
    pulls: Pulls,
    noise: Seeded,
) -> object:
    """The states that the given pulls lead to."""
    sums = frozen(side.draw(t, made[source], pulls.counts, None, noise))
    return owned(policy.learn(t, rows(state, source), pulls, sums, noise))


def enumerated_profile(policy: HasLaw, pair: Pair) -> ExactProfile:
    """The exact privacy profile of a short run; the only exact judge of time-indexed streams ("round")."""
    found = transcripts(policy, pair)
    laws = np.concatenate([found.left, found.right])
    steps = found.arms.shape[1]
    least = float(laws[laws > 0].min())  # a step's probability is at least that of the whole transcript
    drift = steps * (law_error(policy, pair) + relative(law_blur(policy.arms), least) + 4 * UNIT)
    masses = Masses(found.left, found.right)
    return ExactProfile(masses, masses, drift=drift)
