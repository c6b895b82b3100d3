"""The policies that hold noisy means in secret and forget, broken on purpose: one bug each, of the kinds that real code
has. A mutant says what its bug does to privacy, and `law`: whether its means still have the noise that it states, so
that the exact judge may be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits import again
from dpbandits.reference.bandits import lazy_doubling
from dpbandits.reference.papers.azize22 import AdaPUCB
from dpbandits.reference.papers.hu21 import AnytimeLazyUCB
from dpbandits.reference.papers.hu22 import LazyDPTS


class Mutant(NamedTuple):
    """privacy: "broken" or "stands", and why."""

    policy: Any
    privacy: str
    law: bool = True


def halved(drawn):
    return drawn._replace(scale=drawn.scale / 2)


def raw(drawn, t, arms):
    """No noise where every arm has one reward."""
    return drawn._replace(scale=np.where(t == arms + 1, 1e-300, drawn.scale))


def once(noise):
    """The draws of the first step, whatever step it is."""

    class First:
        def laplace(self, site, index, shape=()):
            return noise.laplace(site, 1, shape)

        def uniform(self, site, index, shape=()):
            return noise.uniform(site, index, shape)

    return First()


# -- AdaP-UCB --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RawFirstAdaP(AdaPUCB):
    """Line 2 adds no noise."""

    def noisy(self, t, state):
        return raw(super().noisy(t, state), t, self.arms)


@dataclass(frozen=True)
class HalfNoiseAdaP(AdaPUCB):
    """Noise for a sensitivity of 1/(2 n)."""

    def noisy(self, t, state):
        return halved(super().noisy(t, state))


@dataclass(frozen=True)
class OverlappingAdaP(AdaPUCB):
    """Line 6 forgets nothing: episodes overlap, the mean is of all N_A rewards."""

    def learn(self, t, state, pulls, sums, noise):
        after = super().learn(t, state, pulls, sums, noise)
        played = pulls.counts > 0
        total = np.where(played, state.total + sums, state.total)
        return after._replace(total=total, length=np.where(played, after.pulls, state.length))


@dataclass(frozen=True)
class CountNotResetAdaP(AdaPUCB):
    """The count is not reset: the last episode's sum over all N_A pulls."""

    def learn(self, t, state, pulls, sums, noise):
        after = super().learn(t, state, pulls, sums, noise)
        return after._replace(length=np.where(pulls.counts > 0, after.pulls, state.length))


@dataclass(frozen=True)
class ReusedAdaP(AdaPUCB):
    """Every episode adds the noise of the first."""

    def means(self, t, state, noise):
        return super().means(t, state, once(noise))


@dataclass(frozen=True)
class LateAdaP(AdaPUCB):
    """The bonus is that of the last round."""

    def bonus(self, state):
        return super().bonus(state._replace(pulls=np.full_like(state.pulls, self.horizon // self.arms)))


ADAP = (
    Mutant(RawFirstAdaP, "broken: one reward decides who comes next", law=False),
    Mutant(HalfNoiseAdaP, "broken: half the noise is 2 eps"),
    Mutant(OverlappingAdaP, "broken: a reward counts in every later mean"),
    Mutant(CountNotResetAdaP, "stands: sensitivity and noise are both half of what they should be"),
    Mutant(ReusedAdaP, "broken: two means bound the same noise", law=False),
    Mutant(LateAdaP, "stands: the round is no secret"),
)


# -- lazy doubling ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RawFirstLazy(AnytimeLazyUCB):
    """Line 1 adds no noise."""

    def noisy(self, t, state):
        return raw(super().noisy(t, state), t, self.arms)


@dataclass(frozen=True)
class HalfNoiseLazy(AnytimeLazyUCB):
    """Noise for a sensitivity of 1/(2 O)."""

    def noisy(self, t, state):
        return halved(super().noisy(t, state))


def kept(state, after):
    """The forgetting forgotten: a new batch comes on top of the old one, and O counts both."""
    whole = after.used > state.used
    return after._replace(
        total=np.where(whole, after.total + state.total, after.total),
        used=np.where(whole, after.used + state.used, after.used),
    )


@dataclass(frozen=True)
class RememberingLazy(AnytimeLazyUCB):
    """Line 6 forgets nothing."""

    def learn(self, t, state, pulls, sums, noise):
        return kept(state, super().learn(t, state, pulls, sums, noise))


@dataclass(frozen=True)
class EarlyLazy(AnytimeLazyUCB):
    """Line 5 takes a batch for whole that has not doubled."""

    def act(self, t, state, noise):
        pulls = super().act(t, state, noise)
        return pulls._replace(counts=np.minimum(pulls.counts, np.maximum(state.used - state.waiting, 1)))

    def learn(self, t, state, pulls, sums, noise):
        mean = state.mean if t <= self.arms else lazy_doubling.means(t, state, self.noisy(t, state), again(noise))
        after = super().learn(t, state, pulls, sums, noise)
        early = (after.waiting >= np.maximum(after.used, 1)) & (pulls.counts > 0)
        return after._replace(
            used=np.where(early, after.waiting, after.used),
            total=np.where(early, after.pending, after.total),
            fresh=np.where(early, 1, after.fresh),
            mean=mean,
            waiting=np.where(early, 0, after.waiting),
            pending=np.where(early, 0.0, after.pending),
        )


@dataclass(frozen=True)
class NoNoiseBonusLazy(AnytimeLazyUCB):
    """Line 3 is forgotten."""

    def bonus(self, round, state):
        return super().bonus(round, state) - self.for_noise * np.log(round) / (self.eps * state.used)


LAZY = (
    Mutant(RawFirstLazy, "broken: one reward decides who comes next", law=False),
    Mutant(HalfNoiseLazy, "broken: half the noise is 2 eps"),
    Mutant(RememberingLazy, "broken: a reward counts in every later mean"),
    Mutant(EarlyLazy, "stands: a batch of another length is a batch", law=False),
    Mutant(NoNoiseBonusLazy, "stands: the round is no secret"),
)


@dataclass(frozen=True)
class HalfNoiseTS(LazyDPTS):
    """Line 9 adds half the noise."""

    def noisy(self, t, state):
        return halved(super().noisy(t, state))


@dataclass(frozen=True)
class RememberingTS(LazyDPTS):
    """Line 8 forgets nothing."""

    def learn(self, t, state, pulls, sums, noise):
        return kept(state, super().learn(t, state, pulls, sums, noise))


@dataclass(frozen=True)
class NoBonusTS(LazyDPTS):
    """Line 3 is forgotten."""

    def beta_posterior(self, log_t, state):
        optimistic = np.clip(state.mean, 0, 1)
        return optimistic * state.used + 1, (1 - optimistic) * state.used + 1


@dataclass(frozen=True)
class FlatTS(LazyDPTS):
    """Line 5 draws from all pulls, not from those of the mean."""

    def beta_posterior(self, log_t, state):
        return super().beta_posterior(log_t, state._replace(used=state.pulls))


TS = (
    Mutant(HalfNoiseTS, "broken: half the noise is 2 eps"),
    Mutant(RememberingTS, "broken: a reward counts in every later mean"),
    Mutant(NoBonusTS, "stands: it explores less"),
    Mutant(FlatTS, "stands: how often an arm was pulled is no secret"),
)
