"""Scores for an adversary who sees all noisy values that a policy declares: exact likelihood ratios. The declaration is
checked in every run.

How values are declared: `reference.bandits.noisy_values`. Both sides of a pair are followed together. One side is run;
the other, on its own rewards, gets the draws that give it the same values. Then both sides must have the same release:
a different release shows that it depends on rewards in a way that the policy does not declare.

Scores are rounded. The loss of a Laplace value is +- its shift in both tails, and the last bits of a double would
reveal the side; this floating-point effect is not part of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.statistics.binomial import binomial_tail
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import reals
from dpbandits.reference.arithmetic.rows import row_sums
from dpbandits.reference.bandits.contexts import seen_by
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Noise, Once, Seeded, again, draw_of_kind, frozen
from dpbandits.reference.bandits.noisy_values import NOISE_KINDS, HasNoisy, Noisy, Undeclared, Unheard
from dpbandits.reference.bandits.passing import (
    State,
    checked_pulls,
    checked_sums,
    copy_state,
    cut_to_horizon,
    read_only_state,
)
from dpbandits.reference.bandits.policy import Ints, Policy, Pulls
from dpbandits.reference.bandits.recommendations import answers, pulls_without_answers

# What scores are rounded to: they only order events, so a coarse grain costs nothing. No simple fraction lies half way
# between two multiples, where rounding errors would decide.
GRAIN = 1e-4 / 3**0.5
MAX_CENTRE_DISTANCE = 2.0**27  # scales between a centre and 0: the score is then off by 2^-25, 5e-4 of the grain
SURE = 1e-12  # so improbable that rounding explains it
BROKEN_VALUES = "the policy does not follow its declared noisy values: "


@dataclass(frozen=True)
class RecordedNoise(ByKind):
    """Noise that records the draws of one step, by kind and site."""

    noise: Seeded
    draws: dict[tuple[str, str], list[Array]] = field(default_factory=dict)

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """Returns the draw, which is also recorded under its kind and site."""
        draw = draw_of_kind(self.noise, kind, site, index, shape, where)
        self.draws.setdefault((kind, site), []).append(draw)
        return draw

    def standard(self, said: Noisy, step: int) -> Array:
        """Returns the standard draws from which the declared noisy values are computed, as one array.
        Zeros if nothing was drawn or declared as random. Raises Unheard if the draws were made in several calls, or
        none was made."""
        found = self.draws.get((said.kind, said.site), [])
        shape = said.centre.shape
        call = f"noise.{said.kind}({said.site!r}, t, {shape[1:]})"
        if not found and not (said.scale > 0).any():
            return np.zeros(shape)
        if len(found) != 1 or found[0].shape != shape:
            shapes = ", ".join(str(each.shape) for each in found)
            what = f"values of shape {shapes} were" if found else "nothing was"
            raise Unheard(
                f"step {step}: {what} drawn as {said.kind} noise at site {said.site!r}, but `noisy` "
                f"declares values of shape {shape}; draw all of them at once with {call}"
            )
        return found[0]


def declared(policy: HasNoisy, step: int, state: State, *seen: Array) -> Noisy | None:
    """Returns a copy of the policy's declaration for a step.
    Raises ValueError if it is not a Noisy of finite numbers."""
    said = policy.noisy(step, read_only_state(state), *seen)
    if said is None:
        return None
    who = f"{type(policy).__name__}.noisy, step {step}"
    if not isinstance(said, Noisy) or said.kind not in NOISE_KINDS:
        raise ValueError(
            f"{who} returned {said!r}; it must return None, or a Noisy whose kind is one of {', '.join(NOISE_KINDS)}"
        )
    centre, scale = reals(f"{who}: the centre", said.centre), reals(f"{who}: the scale", said.scale)
    if centre.shape != scale.shape or centre.ndim != 2:
        raise ValueError(
            f"{who} returned a centre of shape {centre.shape} and a scale of shape {scale.shape}; both must "
            "have shape (trials, values)"
        )
    demand_fine(centre, scale, step)
    if not (np.isfinite(scale).all() and (scale >= 0).all() and np.isfinite(centre[scale > 0]).all()):
        raise ValueError(
            f"{who} returned an invalid centre or scale; centres of drawn values must be finite, and scales must be "
            "finite and at least 0"
        )
    return Noisy(said.kind, said.site, centre, scale)


def demand_fine(centre: Array, scale: Array, step: int) -> None:
    """Raises Unheard if a value is so far from 0 that its noise is lost in the rounding of doubles."""
    used = scale > 0
    far = float((np.abs(centre[used]) / scale[used]).max(initial=0.0))
    if far > MAX_CENTRE_DISTANCE:
        raise Unheard(
            f"step {step}: the centre of a declared value is {far:.2g} scales from 0, so that rounding hides "
            "the noise; subtract a public number from the value, and declare the difference"
        )


class Watch(Protocol):
    """A check of both sides' values, step by step, which may raise Undeclared."""

    def enter(self, one: Noisy, other: Noisy, live: NDArray[np.bool_], step: int) -> None:
        """Checks one more step's values on both sides. live: the runs that have not ended."""

    def end(self) -> None:
        """Checks, after the last step, that every declared value has occurred."""


def noisy_block(
    policy: HasNoisy, tables: Sequence[TableBatch], side: int, noise: Seeded, watch: Watch | None = None
) -> Array:
    """log p_right/p_left of all declared values, (trials,), in one batch of runs on the left (0) or right (1) tables.

    Raises Undeclared and Unheard as their docstrings say, and ValueError for invalid declarations.
    """
    trials = noise.trials
    states = [copy_state(policy.init(trials)) for _ in tables]
    made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
    left: Ints = np.full(trials, policy.horizon + answers(policy))
    score, step = np.zeros(trials), 0
    while left.any():
        step += 1
        heard = RecordedNoise(noise)
        here = Once(heard, trials, step)
        seen = [seen_by(policy, table, step, trials) for table in tables]
        said = [declared(policy, step, state, *features) for state, features in zip(states, seen, strict=True)]
        pulls, used = release_of_step(policy, step, states[side], here, left, *seen[side])
        if not used.any():
            raise ValueError(
                f"step {step}: the policy pulled no arm, although its horizon is not used up (pulls left: "
                f"{left.max()}); act must pull at least one arm in every step"
            )
        there, live = here.fork(), left > 0
        one, other = said[side], said[1 - side]
        if (one is None) != (other is None):
            raise Undeclared(f"{BROKEN_VALUES}in step {step}, values are drawn on only one of the two reward tables")
        if one is not None and other is not None:
            require_same_values(one, other, live, step)
            if watch is not None:
                watch.enter(one, other, live, step)
            draw = heard.standard(one, step)
            left_values, right_values = (each[2:] for each in ((one, other) if side == 0 else (other, one)))
            score += np.where(live, privacy_losses(one.kind, left_values, right_values, side, draw), 0.0)
            there = with_draws_at(here, one.site, same_values(one, other, draw))
        repeated, _ = release_of_step(policy, step, states[1 - side], again(there), left, *seen[1 - side])
        same_release(pulls, repeated, step, rounding_chance(one, other))
        paid = pulls._replace(counts=pulls_without_answers(pulls.counts))
        sums = [table.draw(step, made, paid.counts, paid.bound, noise) for table in tables]
        states = learn_on_both(policy, step, states, paid, sums, (here, there) if side == 0 else (there, here), seen)
        made, left = made + paid.counts, left - used
    if watch is not None:
        watch.end()
    return round_scores(score)


def release_of_step(
    policy: Policy, step: int, state: State, noise: Noise, left: Ints, *seen: Array
) -> tuple[Pulls, Ints]:
    """Returns the pulls that a policy releases in a step, and the number of pulls in each run, (trials,).
    The pulls are cut to the remaining horizon `left`."""
    last = answers(policy)
    pulls = checked_pulls(step, policy.act(step, state, noise, *seen), (len(left), policy.arms), last)
    return cut_to_horizon(pulls, left, last)


def learn_on_both(
    policy: Policy,
    step: int,
    states: Sequence[State],
    pulls: Pulls,
    sums: Sequence[Array],
    noises: Sequence[Noise],
    seen: Sequence[tuple[Array, ...]],
) -> list[State]:
    """Returns the states of both sides after the same pulls, each with its own rewards.
    noises: the noise of either side. seen: the features that each side saw, if any."""
    every = zip(states, sums, noises, seen, strict=True)
    return [
        copy_state(policy.learn(step, state, pulls, checked_sums(step, paid, pulls.counts.shape), noise, *features))
        for state, paid, noise, features in every
    ]


def require_same_values(one: Noisy, other: Noisy, live: NDArray[np.bool_], step: int) -> None:
    """Raises Undeclared unless both sides draw values of the same kind and number at the same site.
    Only the runs that have not ended count."""
    if one[:2] != other[:2] or one.centre.shape != other.centre.shape:
        raise Undeclared(
            f"{BROKEN_VALUES}in step {step} the noisy values on the two reward tables differ in kind, site or shape"
        )
    odd = np.argwhere(live[:, None] & ((one.scale > 0) != (other.scale > 0)))
    if len(odd):
        raise Undeclared(
            f"{BROKEN_VALUES}in step {step} value {odd[0][1]} (counted from 0) is drawn on one of the two "
            "reward tables only; whether a value is drawn must not depend on rewards"
        )


def rounding_chance(one: Noisy | None, other: Noisy | None) -> float:
    """An upper bound on the probability that the release of a run depends on the last bits of its values.
    Values that are recomputed differ by a few roundings, and a comparison of two values falls between them with about
    this difference as probability, in units of the scale."""
    if one is None or other is None:
        return 0.0
    fresh = (one.scale > 0) & (other.scale > 0)
    if not fresh.any():
        return 0.0
    sizes = [float((np.abs(each.centre[fresh]) / each.scale[fresh]).max()) for each in (one, other)]
    return float(min(1.0, 2.0**-49 * (40 + max(sizes)) * one.centre.shape[1] ** 2))


def same_release(pulls: Pulls, repeated: Pulls, step: int, chance: float) -> None:
    """Raises Undeclared if the releases differ, although the values are the same, in more runs than rounding explains.
    pulls, repeated: the releases for the rewards of either side. chance: the probability of such an effect of rounding
    in one run."""
    bounds = [np.inf if each.bound is None else each.bound for each in (pulls, repeated)]
    differ = (pulls.counts != repeated.counts) | ((pulls.counts > 0) & (bounds[0] != bounds[1]))
    odd = np.flatnonzero(differ.any(axis=1))
    if too_many(len(odd), len(differ), chance):
        row = odd[0]
        raise Undeclared(
            f"{BROKEN_VALUES}in step {step} the same values were drawn on both reward tables, but "
            f"{pulls.counts[row].tolist()} was released on one and {repeated.counts[row].tolist()} on the "
            f"other (in {len(odd)} of {len(differ)} runs)"
        )


def too_many(odd: int, runs: int, chance: float) -> bool:
    """Whether rounding cannot explain that so many runs are odd.
    Rounding makes each run odd with probability `chance` at most."""
    return odd > 0 and bool(binomial_tail(odd, runs, chance) < SURE)


def same_values(here: Noisy, there: Noisy, draw: Array) -> Array:
    """The draws for the other side (there) that give the same values as `draw` gives on this side (here).
    Unchanged draws where no value is drawn."""
    values, fresh = here.centre + here.scale * draw, (here.scale > 0) & (there.scale > 0)
    if fresh.all():
        return np.asarray((values - there.centre) / there.scale)
    with np.errstate(invalid="ignore"):
        moved = (np.where(fresh, values, 0.0) - np.where(fresh, there.centre, 0.0)) / np.where(fresh, there.scale, 1.0)
    return np.asarray(np.where(fresh, moved, draw))


def with_draws_at(here: Once, site: str, draw: Array) -> Once:
    """Returns a copy of the step's noise with other draws at the site.
    With these draws, this side has the values of the other side."""
    return replace(
        here,
        drawn={
            (name, index): (kind, shape, frozen(draw) if name == site else values)
            for (name, index), (kind, shape, values) in here.drawn.items()
        },
    )


def round_scores(score: Array) -> Array:
    """Rounds the scores to multiples of GRAIN."""
    return np.asarray(GRAIN * np.round(score / GRAIN))


def privacy_losses(kind: str, left: tuple[Array, Array], right: tuple[Array, Array], side: int, draw: Array) -> Array:
    """Returns the privacy losses log p_right/p_left, (trials,), summed over the drawn values.
    left, right: the declarations on either side. The values are those that the draws give on the side `side`.

    left, right: centre and scale, (trials, values).
    """
    fresh = (left[1] > 0) & (right[1] > 0)
    all_drawn = bool(fresh.all())
    if not all_drawn:
        left, right = ((np.where(fresh, middle, 0.0), np.where(fresh, wide, 1.0)) for middle, wide in (left, right))
    centre, scale = (left, right)[side]
    values = centre + scale * draw
    logs = [el.log(left[1])]
    logs.append(logs[0] if np.array_equal(left[1], right[1]) else el.log(right[1]))  # mostly the pulls fix the scales
    gains = []
    for (middle, wide), log in zip((left, right), logs, strict=True):
        z = (values - middle) / wide
        gains.append((-np.abs(z) if kind == "laplace" else -0.5 * z**2) - log)
    gain = gains[1] - gains[0]
    return row_sums(gain if all_drawn else np.where(fresh, gain, 0.0))
