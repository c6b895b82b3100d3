"""The richer view that proofs argue about: all sampled theta. Scores are exact Gaussian likelihood ratios.

A policy offers this view through `posterior(t, state) -> (means, scales)`, both (trials, arms): what it draws theta
from in step t (None while nothing is drawn). The draws themselves are read off the noise site "theta".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dpbandits.audit.transcripts import BLOCK
from dpbandits.reference.neighbours import Pair
from dpbandits.reference.noise import Array, Once, Seeded
from dpbandits.reference.policy import Ints, Pulls, checked_pulls, checked_sums, guarded, owned

SITE = "theta"


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


def sample_scores(policy: HasPosterior, pair: Pair, side: int, trials: int, seed: int) -> Array:
    """log p_right/p_left of all sampled theta, (trials,), in runs on the pair's left (0) or right (1) table.

    Raises ValueError where the released arm is not the argmax of what the policy says it draws: then the scores
    would be about another mechanism.
    """
    blocks = range(-(-trials // BLOCK))
    sizes = [min(BLOCK, trials - block * BLOCK) for block in blocks]
    return np.concatenate(
        [one_block(policy, pair, side, Seeded(seed, size, b)) for b, size in zip(blocks, sizes, strict=True)]
    )


def one_block(policy: HasPosterior, pair: Pair, side: int, noise: Seeded) -> Array:
    tables, trials = pair.environments(), noise.trials
    states = [owned(policy.init(trials)) for _ in tables]
    made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
    score, step = np.zeros(trials), 0
    while int(made[0].sum()) < policy.horizon:
        step += 1
        overheard = Overheard(noise, SITE)
        here = Once(overheard, trials, step)
        drawn = [owned(policy.posterior(step, guarded(state))) for state in states]
        pulls = checked_pulls(step, policy.act(step, states[side], here), made.shape)
        if drawn[0] is not None and drawn[1] is not None and overheard.heard:
            score += ratio(drawn[0], drawn[1], side, overheard.heard[0], pulls, step)
        sums = [checked_sums(step, table.draw(step, made, pulls.counts, None, noise), made.shape) for table in tables]
        states = [
            owned(policy.learn(step, state, pulls, paid, here.fork())) for state, paid in zip(states, sums, strict=True)
        ]
        made = made + pulls.counts
    return score


def ratio(
    left: tuple[Array, Array], right: tuple[Array, Array], side: int, draw: Array, pulls: Pulls, step: int
) -> Array:
    """The step's share of the score, (trials,). An arm with scale 0 repeats an earlier sample, which counts once."""
    means, scales = (left, right)[side]
    theta = means + scales * draw
    if (theta.argmax(axis=1) != pulls.counts.argmax(axis=1)).any():
        raise ValueError(f"step {step}: the released arm is not the argmax of the declared posterior's draw")
    fresh = scales > 0
    if (fresh != ((left, right)[1 - side][1] > 0)).any():
        raise ValueError(f"step {step}: an arm is sampled on one side only; the rewards may not decide whether it is")
    gains = []  # each (trials, arms)
    for centre, scale in (left, right):
        width = np.where(fresh, scale, 1.0)
        gains.append(-0.5 * ((theta - centre) / width) ** 2 - np.log(width))
    return np.asarray(np.where(fresh, gains[1] - gains[0], 0.0).sum(axis=1))
