"""Scores for an adversary who sees all sampled theta, as many proofs assume, instead of the released arms. The scores
are exact Gaussian likelihood ratios.

A policy supports this view by `posterior(t, state) -> (means, scales)`, both (trials, arms): the distribution of theta
in step t (None if nothing is drawn); with contexts, `posterior(t, state, seen)`. The draws are those at the noise site
"theta". Alternatively a policy declares all its noisy values by `noisy` (`reference.bandits.noisy_values`), see
`values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.many import TableBatch, both_tables
from dpbandits.audit.privacy.scores.moves import DeclaredShifts
from dpbandits.audit.privacy.scores.values import (
    RecordedNoise,
    demand_fine,
    learn_on_both,
    noisy_block,
    privacy_losses,
    rounding_chance,
    same_values,
    too_many,
    with_draws_at,
)
from dpbandits.reference.bandits.adjacency import Pair
from dpbandits.reference.bandits.contexts import seen_by
from dpbandits.reference.bandits.noise import Array, Flags, Once, Seeded
from dpbandits.reference.bandits.noisy_values import HasNoisy, HasShifts, Noisy, Undeclared, Unheard
from dpbandits.reference.bandits.passing import State, checked_pulls, copy_state, cut_to_horizon, read_only_state
from dpbandits.reference.bandits.policy import HasFloor, Ints, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answers, row_argmax

SITE = "theta"
MAX_PLAYED_NUMBERS = 16_384  # trials times arms that are played at once: they stay in a processor's cache
LOOKUP_STEPS = 32  # steps whose samples are looked up at once
CHECKED = 1024  # trials of every batch in which each value that is not sampled is looked up
BROKEN_POSTERIOR = "the policy does not follow its declared posterior: "
ANSWERED = (
    "the runs of this policy end with a final recommendation, which `posterior` does not describe; declare "
    "all drawn values with `noisy` instead"
)
ONE_SIDED = BROKEN_POSTERIOR + (
    "{where} is sampled on only one of the two reward tables; whether an arm is sampled must not depend on rewards"
)


@runtime_checkable
class HasPosterior(Policy, Protocol):
    """A policy that states the distribution from which it draws theta."""

    def posterior(self, t: int, state: State) -> tuple[Array, Array] | None:
        """Returns the means and scales of the samples theta in step t, (trials, arms) each; None without samples."""


Declares = HasPosterior | HasNoisy


def scores_of_many(
    policy: Declares, pairs: Sequence[Pair], side: int, each: int, seed: int, most: int = MAX_PLAYED_NUMBERS
) -> Array:
    """Returns the scores log p_right/p_left of all sampled theta, (pairs, each), for several pairs of tables.
    Each pair has `each` runs on its left (side 0) or right (side 1) table. All pairs are played in one batch, because
    the cost of a step hardly depends on their number. A trial's pair is its number modulo the number of pairs. most:
    the largest number of trials times arms in a batch.

    If the policy has `noisy`, the scores are those of all declared values, which are compared with the declared
    `shifts`. Raises Undeclared if the policy does not behave as it declares, because the scores would then belong to
    another mechanism; and Unheard if it does not draw at the site.
    """
    tables, total = both_tables(pairs), len(pairs) * each
    shifts = [policy.shifts(pair) for pair in pairs] if isinstance(policy, HasShifts) else None
    found, together = [], max(1, most // policy.arms)
    for block in range(-(-total // together)):
        size = min(together, total - block * together)
        which = (np.arange(size) + block * together) % len(pairs)
        sides = [one.playing(which) for one in tables]
        noise = Seeded(seed, size, block)
        if isinstance(policy, HasNoisy):
            found.append(
                noisy_block(policy, sides, side, noise, DeclaredShifts(shifts, which, pairs) if shifts else None)
            )
        else:
            found.append(one_block(policy, sides, side, noise))
    return np.ascontiguousarray(np.concatenate(found).reshape(each, len(pairs)).T)


def one_block(policy: HasPosterior, tables: Sequence[TableBatch], side: int, noise: Seeded) -> Array:
    """Plays one batch of runs, and returns the runs' scores log p_right/p_left.
    The run on one side is followed on the other side's rewards as well, with the same pulls and samples, so that only
    the rewards differ."""
    if answers(policy):
        raise Unheard(ANSWERED)
    trials = noise.trials
    states = [copy_state(policy.init(trials)) for _ in tables]
    made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
    left: Ints = np.full(trials, policy.horizon)
    score, step = np.zeros(trials), 0
    account = Account(min(trials, CHECKED), policy.arms, float(policy.floor) if isinstance(policy, HasFloor) else 0.0)
    while left.any():
        step += 1
        live = left > 0
        overheard = RecordedNoise(noise)
        here = Once(overheard, trials, step)
        seen = [seen_by(policy, table, step, trials) for table in tables]
        drawn = [
            copy_state(policy.posterior(step, read_only_state(state), *features))
            for state, features in zip(states, seen, strict=True)
        ]
        pulls = checked_pulls(step, policy.act(step, states[side], here, *seen[side]), made.shape)
        noises = [here.fork(), here.fork()]
        if (drawn[0] is None) != (drawn[1] is None):
            raise Undeclared(ONE_SIDED.format(where=f"in step {step} theta"))
        if drawn[0] is not None and drawn[1] is not None:
            for means, scales in drawn:
                demand_fine(means, scales, step)
            draw = heard_of(overheard.draws.get(("normal", SITE)), step, drawn[side])
            score += np.where(live, ratio(drawn[0], drawn[1], side, draw, pulls, step, live), 0.0)
            own, other = (drawn[0], drawn[1]) if side == 0 else (drawn[1], drawn[0])
            account.enter(own, draw, step, live)
            noises[1 - side] = with_draws_at(here, SITE, same_samples(own, other, draw))
        pulls, used = cut_to_horizon(pulls, left)
        if not used.any():
            raise ValueError(
                f"step {step}: the policy pulled no arm, although its horizon is not used up (pulls left: "
                f"{left.max()}); act must pull at least one arm in every step"
            )
        sums = [table.draw(step, made, pulls.counts, None, noise) for table in tables]
        states = learn_on_both(policy, step, states, pulls, sums, noises, seen)
        made, left = made + pulls.counts, left - used
    return score  # of normal values: none has an atom but 0, so that last bits order nothing


def heard_of(heard: list[Array] | None, step: int, drawn: Array) -> Array:
    """Returns the recorded draw from which the policy computes its samples theta in this step.
    Zeros if the policy states that no arm is sampled, and none is. drawn: the declared means and scales."""
    means, scales = drawn
    if heard:
        if heard[0].shape != np.shape(means):
            raise Unheard(
                f"step {step}: the draw at the noise site {SITE!r} has shape {heard[0].shape}, but the "
                f"declared posterior has shape {np.shape(means)}; draw all arms at once with "
                f"noise.normal({SITE!r}, t, (arms,))"
            )
        return heard[0]
    if (np.asarray(scales) > 0).any():
        raise Unheard(
            f"step {step}: no draw was made at the noise site {SITE!r}, although `posterior` declares that "
            f"theta is drawn; draw it with noise.normal({SITE!r}, t, (arms,))"
        )
    return np.zeros(np.shape(means))


def same_samples(here: tuple[Array, Array], there: tuple[Array, Array], draw: Array) -> Array:
    """The draws for the other side (there) that give the same samples of theta as `draw` gives on this side (here)."""
    return same_values(Noisy("normal", SITE, *here), Noisy("normal", SITE, *there), draw)


class Account:
    """The samples in the first trials of a batch. Every value that is not sampled must be explained by them: it repeats
    an earlier sample of its arm, or it is the declared constant.

    Usually the value equals the arm's value in the previous step, which has been explained already; only the others are
    looked up.
    """

    def __init__(self, trials: int, arms: int, constant: float) -> None:
        """Starts the record of a policy's samples.
        constant: the declared value that an arm may have instead of a sample."""
        self.constant = constant
        self.samples: list[Array] = []  # of every step, (trials, arms); nan where nothing was drawn
        self.before = np.full((trials, arms), np.nan)  # the values of the last step, as they were accounted for

    def enter(self, own: tuple[Array, Array], draw: Array, step: int, live: Flags | np.bool_ = np.True_) -> None:
        """Adds one more step's samples.
        Raises Unheard if a value is neither sampled, nor an earlier sample or constant. live: (trials,), the runs that
        have not ended."""
        checked = len(self.before)
        means, scales = own[0][:checked], own[1][:checked]
        fresh = scales > 0
        same = ~fresh & is_rounding_apart(means, self.before)
        asked = np.broadcast_to(live, len(own[0]))[:checked, None]
        if (unknown := asked & ~(fresh | same | (means == self.constant))).any():
            rows, arms = np.nonzero(unknown)
            self.look_up(rows, arms, means, step)
        with np.errstate(invalid="ignore"):
            values = np.where(fresh, means + scales * draw[:checked], means)
        self.samples.append(np.where(fresh, values, np.nan))
        self.before = np.where(same, self.before, values)  # the value itself, so that nothing can drift away

    def look_up(self, rows: Ints, arms: Ints, means: Array, step: int) -> None:
        """Raises Unheard unless each of the values `means` is an earlier sample of its arm. rows: the trials."""
        wanted = means[rows, arms]
        known = np.zeros(len(wanted), dtype=bool)
        for end in range(len(self.samples), 0, -LOOKUP_STEPS):  # the last ones first, of which it mostly is one
            samples = np.array([each[rows, arms] for each in self.samples[max(end - LOOKUP_STEPS, 0) : end]])
            known |= is_rounding_apart(wanted, samples).any(axis=0)
            if known.all():
                return
        odd = int(known.argmin())
        raise Unheard(
            f"in step {step} arm {arms[odd]} (counted from 0) is not sampled (scale 0), and its value "
            f"{wanted[odd]:.6g} is neither an earlier sample of this arm nor the constant {self.constant:g}; "
            "sample the arm, repeat an earlier sample, or declare the constant as attribute `floor` of the "
            "policy"
        )


def is_rounding_apart(values: Array, others: Array) -> NDArray[np.bool_]:
    """Whether two values are equal up to rounding, as np.isclose defines it; nan is not close to anything."""
    with np.errstate(invalid="ignore"):
        close = np.abs(values - others) <= 1e-12 + 1e-9 * np.abs(others)
    return np.asarray((values == others) | (close & np.isfinite(others)))


def ratio(
    left: tuple[Array, Array],
    right: tuple[Array, Array],
    side: int,
    draw: Array,
    pulls: Pulls,
    step: int,
    live: Flags | np.bool_ = np.True_,
) -> Array:
    """Returns how much one step adds to the score log p_right/p_left of each trial, (trials,).
    live: (trials,), the runs that have not ended; nothing is required of the others.

    An arm with scale 0 draws nothing: its value must follow from earlier samples, or be a constant. The samples were
    the same on both sides, so the value has to be the same as well.
    """
    means, scales = (left, right)[side]
    with np.errstate(invalid="ignore"):
        theta = np.where(scales > 0, means + scales * draw, means)
    live = np.broadcast_to(live, len(theta))
    wrong = np.flatnonzero(live & (row_argmax(theta) != row_argmax(pulls.counts)))
    if len(wrong) and too_many(
        len(wrong), len(theta), rounding_chance(*(Noisy("normal", SITE, *each) for each in (left, right)))
    ):
        row = wrong[0]
        raise Undeclared(
            f"{BROKEN_POSTERIOR}in step {step} arm {pulls.counts[row].argmax()} was released, but the "
            f"largest sample, computed from `posterior` and the draws at site {SITE!r}, is theta = "
            f"{theta[row].max():.4g} of arm {theta[row].argmax()} (arms counted from 0; in {len(wrong)} of "
            f"{len(theta)} runs)"
        )
    fresh = scales > 0
    if (one_sided := live[:, None] & (fresh != ((left, right)[1 - side][1] > 0))).any():
        arm = np.argwhere(one_sided)[0][1]
        raise Undeclared(ONE_SIDED.format(where=f"in step {step} arm {arm} (counted from 0)"))
    if (moved := live[:, None] & ~fresh & ~is_rounding_apart(left[0], right[0])).any():
        row, arm = np.argwhere(moved)[0]
        raise Undeclared(
            f"{BROKEN_POSTERIOR}in step {step} arm {arm} (counted from 0) is not sampled (scale 0), and its value is "
            f"{left[0][row, arm]:.6g} on the left and {right[0][row, arm]:.6g} on the right table "
            "after the same samples. A value that is not sampled must be an earlier sample of this arm or a constant; "
            "it must not depend on rewards"
        )
    return privacy_losses("normal", left, right, side, draw)
