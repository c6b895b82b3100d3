"""Which of the rounds that were looked at are certified: those that look worst for the claim.

With a law the look is exact. Without one it is a few trials of each round, then more trials of the fewer that looked
worst, and so on, until few are left and the trials are nearly those of the audit: the larger the profile, the rarer
the events that decide.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.rounds.plans import MAX_CHANGED_ARMS
from dpbandits.audit.privacy.rounds.single import arms_after, taught
from dpbandits.audit.privacy.rounds.spots import Tried, looks_exactly
from dpbandits.audit.statistics.region import excess_at_errors, probability_upper_limit
from dpbandits.proofs_checks.exact.state_graph import ForbiddenNoise
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array, Seeded, address
from dpbandits.reference.bandits.policy import HasLaw, Ints, Policy
from dpbandits.reference.bandits.release_laws.checked import arm_chances, checked_law
from dpbandits.reference.bandits.release_laws.mechanisms import Step
from dpbandits.reference.curves import Curve

FIRST_LOOK_SHARE = 3 / 200  # the share of an audit's trials that a round's first look takes; 300 of 20 000
# Each further look is at so many times fewer rounds, with so many times more trials
ROUNDS_DIVISOR, TRIALS_FACTOR = 8, 6
DRAWS = 160  # draws that the first looks may take, in trials of the audit: some tenths of a second for 20 000
# Rounds certified: those that looked worst; with a law, also a spread, to test behaviour
CERTIFIED_ROUNDS, SPREAD_ROUNDS = 4, 6
BLUR = 1e-10  # added to errors from a law before rounds are ranked: what is less may be rounding
ROWS = 200_000  # trials drawn at once


def worst_rounds(policy: Policy, tried: Tried, curve: Curve, run: Run, site: str) -> dict[str, Step]:
    """The rounds that look worst for the claim, the worst one first; with a law, a spread of the others as well."""
    names, every = list(tried.rounds), list(tried.rounds.values())
    if looks_exactly(policy):
        laws = [exact_laws(every, side, policy.arms) for side in (0, 1)]
        alpha, beta = best_errors(laws[0], laws[1], laws[0], laws[1])
        ranked = np.argsort(-pressures(curve, alpha + BLUR, beta + BLUR), kind="stable")
        spread = (
            np.linspace(0, len(every) - 1, SPREAD_ROUNDS if policy.arms <= MAX_CHANGED_ARMS else SPREAD_ROUNDS // 2)
            .round()
            .astype(int)
        )
        chosen = list(dict.fromkeys([*ranked[:CERTIFIED_ROUNDS].tolist(), *spread.tolist()]))
    else:
        kept = [k for k, name in enumerate(names) if name in tried.extreme]
        chosen = halve_rounds(every, kept, curve, run, address(run.seed, site, "rounds"))
    return {names[k]: every[k] for k in chosen}


def halve_rounds(every: list[Step], extreme: list[int], curve: Curve, run: Run, seed: int) -> list[int]:
    """The CERTIFIED_ROUNDS rounds after a few looks, each at fewer rounds with more trials. The extreme ones stay until
    last."""
    trials = max(300, int(run.profile.trials * FIRST_LOOK_SHARE))
    arms = len(every[0].left)
    afford = int(DRAWS * run.profile.trials / (2 * trials * arms))
    order = np.random.default_rng(seed).permutation(len(every))
    some = sorted({*extreme, *order[: max(afford, CERTIFIED_ROUNDS)].tolist()})
    look = 0
    while True:
        look += 1
        looks = look_at_rounds([every[k] for k in some], curve, trials, address(seed, look))
        ranked = [some[k] for k in np.argsort(-looks, kind="stable")]
        if len(some) <= CERTIFIED_ROUNDS or trials * TRIALS_FACTOR > run.profile.trials:
            return ranked[:CERTIFIED_ROUNDS]
        some = sorted({*ranked[: max(CERTIFIED_ROUNDS, len(some) // ROUNDS_DIVISOR)], *extreme})
        trials *= TRIALS_FACTOR


def look_at_rounds(rounds: list[Step], curve: Curve, trials: int, seed: int) -> Array:
    """How bad every round looks for the claim in so many trials a side, (rounds,): for choosing, not for verdicts."""
    counts = [sampled_counts(rounds, side, trials, address(seed, side)) for side in (0, 1)]
    rough = [(count + 0.5) / (trials + count.shape[1] / 2) for count in counts]
    wrong = best_errors(rough[0], rough[1], *counts)
    return pressures(curve, *(probability_upper_limit(each, trials, 0.05) for each in wrong))


def pressures(curve: Curve, alpha: Array, beta: Array) -> Array:
    """The excess of the best of these tests over the claim, (rounds,)."""
    if not alpha.shape[1]:
        return np.zeros(len(alpha))
    return np.asarray(excess_at_errors(curve, alpha, beta).amount.max(axis=1))


def best_errors(left: Array, right: Array, left_mass: Array, right_mass: Array) -> tuple[Array, Array]:
    """The errors (alpha, beta) of all likelihood-ratio tests between left and right, by these masses;
    everything (rounds, arms), the answer (rounds, arms - 1)."""
    ratio = el.log(np.maximum(right, 1e-300)) - el.log(np.maximum(left, 1e-300))
    order = np.argsort(ratio, axis=1, kind="stable")
    below = np.cumsum(np.take_along_axis(right_mass, order, axis=1), axis=1)[:, :-1]
    beyond = np.cumsum(np.take_along_axis(left_mass, order, axis=1)[:, ::-1], axis=1)[:, ::-1][:, 1:]
    return np.clip(beyond, 0, None), np.clip(below, 0, None)


def by_step(rounds: list[Step]) -> Iterator[tuple[Policy, int, Ints]]:
    """The rounds of every step: their policy, the step, and where they stand in the list."""
    steps = np.array([each.mechanism.t for each in rounds])
    for t in np.unique(steps):
        yield rounds[0].mechanism.policy, int(t), np.flatnonzero(steps == t)


def exact_laws(rounds: list[Step], side: int, arms: int) -> Array:
    """The laws of the released arms on one side, (rounds, arms). ValueError where the policy draws while it learns."""
    laws = np.empty((len(rounds), arms))
    for policy, t, where in by_step(rounds):
        assert isinstance(policy, HasLaw)
        state = taught(policy, [rounds[k].mechanism.history for k in where], side, ForbiddenNoise())
        laws[where] = arm_chances(checked_law(policy, t, state, len(where)), type(policy).__name__)
    return laws


def sampled_counts(rounds: list[Step], side: int, trials: int, seed: int) -> Array:
    """How often every arm was released on one side, (rounds, arms); many rounds are played as one batch."""
    arms = len(rounds[0].left)
    counts = np.zeros((len(rounds), arms))
    at_once = max(1, ROWS // trials)
    for policy, t, places in by_step(rounds):
        for start in range(0, len(places), at_once):
            where = places[start : start + at_once]
            histories = [rounds[k].mechanism.history for k in where]
            noise = Seeded(address(seed, policy.horizon, t), len(where) * trials, start)
            released = arms_after(policy, t, histories, side, noise)
            row = np.repeat(np.arange(len(where)), trials)
            counts[where] = np.bincount(row * arms + released, minlength=counts[where].size).reshape(-1, arms)
    return counts
