"""Compiled runs are the page's runs, number by number; what cannot be compiled says so; a bug does not go unseen."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import pytest

from dpbandits import Bernoulli, Pulls, Seeded, Table, play
from dpbandits.audit.play import compiled, kernels
from dpbandits.audit.play.compiled import Disagreement, NotCompiled
from dpbandits.reference.bandits.noise import frozen
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State

ARMS = Bernoulli((0.75, 0.5, 0.25))


@pytest.mark.parametrize(
    ("policy", "environment", "noise", "why"),
    [
        (UCB1(3, 10), ARMS, Seeded(0, 4), "says no `posterior`"),
        (ThompsonSampling(2, 10), ARMS, Seeded(0, 4), "as many as the policy has"),
        (ThompsonSampling(3, 10), Table(np.zeros((3, 9))), Seeded(0, 4), "9 rewards an arm, and a horizon of 10"),
        (ThompsonSampling(3, 10), ARMS, Seeded(0, 5), "of as many trials"),
        (ThompsonSampling(3, 10), ARMS, Recorder(Seeded(0, 4)), "only the draws of Seeded"),
    ],
)
def test_what_is_not_of_this_kind_says_so(policy, environment, noise, why):
    with pytest.raises(NotCompiled, match=why):
        compiled.play_compiled(policy, environment, noise, 4)


def test_without_numba_it_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(NotCompiled, match="numba is not installed: python -m pip install numba"):
        compiled.play_compiled(ThompsonSampling(3, 10), ARMS, Seeded(0, 4), 4)


@dataclass(frozen=True)
class Twofold:
    """Learns every reward twice, which its `posterior` speaks of, and `act` draws from; a policy of no page."""

    arms: int
    horizon: int

    def init(self, trials):
        return ThompsonSampling(self.arms, self.horizon).init(trials)

    def posterior(self, t, state):
        return 2 * state.total / (state.pulls + t), 2 / np.sqrt(state.pulls + 0.5)

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return State(state.pulls + pulls.counts, state.total + 2 * sums)


class Shrunk(Twofold):
    """Draws otherwise than it says."""

    def act(self, t, state, noise):
        return Twofold.act(self, t, state, Half(noise))


class Half:
    """Draws that are half as large."""

    def __init__(self, noise):
        self.noise = noise

    def normal(self, site, index, shape=()):
        return frozen(self.noise.normal(site, index, shape) / 2)


class Late(Twofold):
    """Draws at other addresses than it should, long after the beginning."""

    def act(self, t, state, noise):
        mean, deviation = self.posterior(t, state)
        drawn = noise.normal("theta", t if t < 300 else t + 1, (self.arms,))
        return Pulls.one((mean + deviation * drawn).argmax(axis=1), self.arms)


class Twice(Twofold):
    """Pulls an arm twice in every step."""

    def act(self, t, state, noise):
        return Pulls(2 * Twofold.act(self, t, state, noise).counts)


@dataclass(frozen=True)
class Small(Twofold):
    """Begins with bytes; what it learns is 64 bits wide, as numpy adds."""

    def init(self, trials):
        return State(
            *(part.astype(kind) for part, kind in zip(super().init(trials), (np.int8, np.float32), strict=True))
        )


class Sorted(Twofold):
    """Speaks of all arms at once."""

    def posterior(self, t, state):
        return np.sort(2 * state.total / (state.pulls + t), axis=1), 2 / np.sqrt(state.pulls + 0.5)


class TestWithNumba:
    @pytest.fixture(autouse=True)
    def installed(self):
        pytest.importorskip("numba", reason="optional: make bench installs it")

    @pytest.mark.parametrize("trials", [1, 33, 700])
    @pytest.mark.parametrize(
        "policy",
        [
            ThompsonSampling(3, 300),  # more than one call of the kernel
            pytest.param(Twofold(3, 120), marks=pytest.mark.thorough),
            DPTSUCB(3, 300, 0.5),
        ],
    )
    def test_the_runs_are_the_same(self, policy, trials):
        noise = Seeded(7, trials, block=2)
        once, page = compiled.play_compiled(policy, ARMS, noise, trials), play(policy, ARMS, noise, trials, keep=False)
        for mine, theirs in zip(once, page, strict=True):
            assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
            assert np.array_equal(mine, theirs)
        assert len(np.unique(once.pulls)) > 1

    def test_the_draws_are_numpys_to_the_last_bit_in_the_tails_as_well(self):
        import numba

        started, normal, uniform = kernels.streams()

        @numba.njit
        def filled(words, out, paid):
            stream = started(words)
            for i in range(len(out)):
                out[i], stream = normal(stream)
            for i in range(len(paid)):
                paid[i], stream = uniform(stream)

        noise, out, paid = Seeded(1, 500_000), np.empty(500_000), np.empty(10)
        generator = noise.stream("normal", "x", 3)
        filled(noise.start("normal", "x", 3).generate_state(3, np.uint64), out, paid)
        assert np.array_equal(out, generator.standard_normal(500_000))
        assert np.array_equal(paid, generator.random(10))
        assert (np.abs(out) > 3.6542).sum() > 50  # where the ziggurat ends, and the tail has code of its own

    @pytest.mark.parametrize("policy", [Shrunk, Late])
    def test_a_run_that_is_not_the_pages_is_an_error(self, policy):
        with pytest.raises(Disagreement, match=r"pulls arm \d in step \d+ of trial \d+, and the page arm"):
            compiled.play_compiled(policy(3, 520), Bernoulli((0.5, 0.5, 0.5)), Seeded(0, 40), 40)

    def test_other_releases_than_one_pull_are_not_played(self):
        with pytest.raises(NotCompiled, match="other releases than one pull"):
            compiled.play_compiled(Twice(3, 20), ARMS, Seeded(0, 4), 4)

    def test_a_state_whose_numbers_grow_wider_is_not_played(self):
        with pytest.raises(
            NotCompiled, match="learns is int64, float64, and its init says int8, float32: make them eq"
        ):
            compiled.play_compiled(Small(3, 20), ARMS, Seeded(0, 4), 4)

    def test_what_numba_does_not_understand_is_said(self):
        with pytest.raises(NotCompiled, match="cannot compile posterior or learn of Sorted"):
            compiled.play_compiled(Sorted(3, 50), ARMS, Seeded(0, 4), 4)
