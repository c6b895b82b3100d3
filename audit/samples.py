"""The richer view that proofs argue about: all sampled theta. Scores are exact Gaussian likelihood ratios.

A policy offers this view through `posterior(t, state) -> (means, scales)`, both (trials, arms): what it draws theta
from in step t (None while nothing is drawn). The draws themselves are read off the noise site "theta".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dpbandits.audit.transcripts import BLOCK
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Once, Seeded, frozen
from dpbandits.reference.policy import Ints, Pulls, checked_pulls, checked_sums, guarded, owned

SITE = "theta"
CHECKED = 256  # trials of every batch in which each value that is not sampled is looked up


@runtime_checkable
class HasPosterior(Protocol):
    """A policy that says what it draws theta from."""

    arms: int
    horizon: int

    def init(self, trials: int) -> Any: ...

    def act(self, t: int, state: Any, noise: Any) -> Pulls: ...

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Array, noise: Any) -> Any: ...

    def posterior(self, t: int, state: Any) -> tuple[Array, Array] | None: ...


@dataclass(frozen=True)
class Overheard:
    """Noise that remembers the standard normal draws at one site."""

    noise: Seeded
    site: str
    heard: list[Array] = field(default_factory=list)

    def normal(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        draw = self.noise.normal(site, index, shape)
        if site == self.site:
            self.heard.append(draw)
        return draw

    def laplace(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.noise.laplace(site, index, shape)

    def uniform(self, site: str, index: int, shape: tuple[int, ...] = ()) -> Array:
        return self.noise.uniform(site, index, shape)


class Undeclared(ValueError):
    """What a policy does otherwise than its `posterior` says, in a sentence: the declaration is refuted."""


class Unheard(ValueError):
    """Why the samples cannot be read off the noise, in a sentence."""


def dubbed(here: Once, draw: Array) -> Once:
    """The step's noise with another draw of theta: that with which this side samples what the other one sampled."""
    return replace(
        here,
        drawn={
            (site, index): (kind, shape, frozen(draw) if site == SITE else values)
            for (site, index), (kind, shape, values) in here.drawn.items()
        },
    )


def sample_scores(policy: HasPosterior, pair: Pair, side: int, trials: int, seed: int) -> Array:
    """log p_right/p_left of all sampled theta, (trials,), in runs on the pair's left (0) or right (1) table.

    Raises Undeclared where the policy does otherwise than it says, for then the scores would be about another
    mechanism; and Unheard where it does not draw at the site.
    """
    blocks = range(-(-trials // BLOCK))
    sizes = [min(BLOCK, trials - block * BLOCK) for block in blocks]
    return np.concatenate(
        [one_block(policy, pair, side, Seeded(seed, size, b)) for b, size in zip(blocks, sizes, strict=True)]
    )


def one_block(policy: HasPosterior, pair: Pair, side: int, noise: Seeded) -> Array:
    """The scores of one batch. Beside the side that is run, the other one is followed on its own rewards: it makes
    the same pulls and draws the same samples, so that only the rewards can tell the two apart."""
    tables, trials = pair.environments(), noise.trials
    states = [owned(policy.init(trials)) for _ in tables]
    made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
    score, step, earlier = np.zeros(trials), 0, list[Array]()
    while int(made[0].sum()) < policy.horizon:
        step += 1
        overheard = Overheard(noise, SITE)
        here = Once(overheard, trials, step)
        drawn = [owned(policy.posterior(step, guarded(state))) for state in states]
        pulls = checked_pulls(step, policy.act(step, states[side], here), made.shape)
        noises = [here.fork(), here.fork()]
        if (drawn[0] is None) != (drawn[1] is None):
            raise Undeclared(ONE_SIDED.format(where=f"in step {step} theta"))
        if drawn[0] is not None and drawn[1] is not None:
            draw = heard_of(overheard, step, drawn[side])
            score += ratio(drawn[0], drawn[1], side, draw, pulls, step)
            own, other = (drawn[0], drawn[1]) if side == 0 else (drawn[1], drawn[0])
            earlier.append(explained(own, draw, earlier, step, float(getattr(policy, "floor", 0.0))))
            noises[1 - side] = dubbed(here, same_samples(own, other, draw))
        sums = [checked_sums(step, table.draw(step, made, pulls.counts, None, noise), made.shape) for table in tables]
        states = [
            owned(policy.learn(step, state, pulls, paid, own))
            for state, paid, own in zip(states, sums, noises, strict=True)
        ]
        made = made + pulls.counts
    return score


def heard_of(overheard: Overheard, step: int, drawn: Any) -> Array:
    """The step's draw of theta; zeros where the policy says that no arm is sampled, and none is."""
    means, scales = drawn
    if overheard.heard:
        if overheard.heard[0].shape != np.shape(means):
            raise Unheard(
                f"step {step}: the draw at the noise site {SITE!r} has shape {overheard.heard[0].shape}, and the "
                f"declared posterior {np.shape(means)}: draw all arms at once, noise.normal({SITE!r}, t, (arms,))"
            )
        return overheard.heard[0]
    if (np.asarray(scales) > 0).any():
        raise Unheard(
            f"nothing was heard at the noise site {SITE!r} in step {step}, where `posterior` says that theta is drawn: "
            f"the samples are read off noise.normal({SITE!r}, t, (arms,)), so draw them there"
        )
    return np.zeros(np.shape(means))


def same_samples(here: tuple[Array, Array], there: tuple[Array, Array], draw: Array) -> Array:
    """The draw that gives there the samples that `draw` gives here."""
    theta, fresh = here[0] + here[1] * draw, (here[1] > 0) & (there[1] > 0)
    width = np.where(fresh, there[1], 1.0)
    return np.asarray(np.where(fresh, (np.where(fresh, theta - there[0], 0.0)) / width, draw))


def explained(own: tuple[Array, Array], draw: Array, earlier: list[Array], step: int, constant: float) -> Array:
    """The step's samples in the first trials, nan where none is drawn; Unheard where a value that is not sampled is
    neither an earlier sample of its arm nor the declared constant."""
    means, scales = (each[:CHECKED] for each in own)
    fresh = scales > 0
    known = fresh | (means == constant)
    for samples in earlier:
        if known.all():
            break
        known = known | np.isclose(means, samples, rtol=1e-9, atol=1e-12)
    odd = np.argwhere(~known)
    if len(odd):
        row, arm = odd[0]
        raise Unheard(
            f"in step {step} arm {arm} (counted from 0) is not sampled (scale 0), and its value {means[row, arm]:.6g} "
            f"is neither an earlier sample of this arm nor the constant {constant:g}: it is not accounted for. Sample "
            "it, repeat a sample, or declare the constant as the policy's `floor`"
        )
    return np.where(fresh, means + np.where(fresh, scales, 0.0) * draw[:CHECKED], np.nan)


BROKEN = "behaviour does not follow its declared posterior: "
ONE_SIDED = BROKEN + "{where} is sampled on one side only; the rewards may not decide whether it is"


def ratio(
    left: tuple[Array, Array], right: tuple[Array, Array], side: int, draw: Array, pulls: Pulls, step: int
) -> Array:
    """The step's share of the score, (trials,). An arm with scale 0 draws nothing: its value must follow from what
    was sampled before, or be a constant. On both sides the samples were the same, so the value has to be."""
    means, scales = (left, right)[side]
    with np.errstate(invalid="ignore"):
        theta = np.where(scales > 0, means + scales * draw, means)
    wrong = np.flatnonzero(theta.argmax(axis=1) != pulls.counts.argmax(axis=1))
    if len(wrong):
        row = wrong[0]
        raise Undeclared(
            f"{BROKEN}in step {step} arm {pulls.counts[row].argmax()} was released, and the largest of what "
            f"`posterior` and the noise site {SITE!r} give is theta = {theta[row].max():.4g} of arm "
            f"{theta[row].argmax()} (counted from 0; in {len(wrong)} of {len(theta)} runs)"
        )
    fresh = scales > 0
    odd = np.argwhere(fresh != ((left, right)[1 - side][1] > 0))
    if len(odd):
        raise Undeclared(ONE_SIDED.format(where=f"in step {step} arm {odd[0][1]} (counted from 0)"))
    kept = np.argwhere(~fresh & ~np.isclose(left[0], right[0], rtol=1e-9, atol=1e-12))
    if len(kept):
        row, arm = kept[0]
        raise Undeclared(
            f"{BROKEN}in step {step} arm {arm} (counted from 0) is not sampled (scale 0), and its value is "
            f"{left[0][row, arm]:.6g} on the left and {right[0][row, arm]:.6g} on the right after the same samples. "
            "A value that is not sampled must be an earlier sample of this arm or a constant; this one is made of "
            "rewards"
        )
    gains = []  # each (trials, arms)
    for centre, scale in (left, right):
        width = np.where(fresh, scale, 1.0)
        gap = np.where(fresh, theta - centre, 0.0)
        gains.append(-0.5 * (gap / width) ** 2 - np.log(width))
    return np.asarray(np.where(fresh, gains[1] - gains[0], 0.0).sum(axis=1))
