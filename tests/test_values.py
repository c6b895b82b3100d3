"""The noisy values that a policy declares: Laplace and normal, likelihood ratios, and releases that betray more."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats
from tournament import State, Tournament

from dpbandits import QUICK, Approximate, Gaussian, Pair, Pulls, Verdict, again, flipped
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.samples import scores_of_many
from dpbandits.audit.privacy.scores.values import (
    GRAIN,
    Undeclared,
    Unheard,
    demand_fine,
    privacy_losses,
    require_same_values,
    rounding_chance,
    same_values,
    too_many,
)
from dpbandits.reference.bandits.noisy_values import Noisy
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.ou24 import ALGORITHM_1
from dpbandits.reference.papers.sajed19 import DPSE

RUN = Run(replace(QUICK, trials=4_000), seed=1, level=1e-6)


@dataclass(frozen=True)
class Said(Tournament):
    """The tournament, which says what it draws. told: what it says of its noise, as a multiple."""

    arms: int = 2
    horizon: int = 6
    told: float = 1.0

    def noisy(self, t: int, state: State) -> Noisy | None:
        if t == 1:
            return None
        scale = np.where(state.active, self.told * self.shrunk * self.scale, 0.0)
        return Noisy("laplace", "sum", state.total, scale)


class Betrays(Said):
    """When its noisy sums are close, the larger sum wins."""

    def act(self, t, state, noise):
        if t != 2:
            return super().act(t, state, noise)
        noisy = state.total + self.scale * noise.laplace("sum", t, (self.arms,))
        near = np.abs(noisy[:, 0] - noisy[:, 1]) < 0.5
        return Pulls.answer(np.where(near, state.total.argmax(axis=1), noisy.argmax(axis=1)), self.arms)


class Elsewhere(Said):
    """Draws at a site of another name."""

    def noisy(self, t, state):
        said = super().noisy(t, state)
        return said and said._replace(site="sums")


class Bought(Said):
    """A large sum is not noised."""

    def noisy(self, t, state):
        said = super().noisy(t, state)
        return said and said._replace(scale=np.where(state.total > 2.5, 0.0, said.scale))


class Told(Said):
    """Nothing is said of sums of nothing, and then nothing is drawn."""

    def noisy(self, t, state):
        return super().noisy(t, state) if (state.total > 0).any() else None


@dataclass(frozen=True)
class Sampler:
    """Algorithm 1, which says what it draws through `noisy`, and not through `posterior`."""

    arms: int = 2
    horizon: int = 12

    @property
    def right(self):
        return ALGORITHM_1(self.arms, self.horizon)

    def init(self, trials):
        return self.right.init(trials)

    def act(self, t, state, noise):
        return self.right.act(t, state, noise)

    def learn(self, t, state, pulls, sums, noise):
        return self.right.learn(t, state, pulls, sums, noise)

    def noisy(self, t, state):
        return Noisy("normal", "theta", *self.right.posterior(t, state))


def claim(curve) -> Claim:
    private = Private("pull", "samples", lambda policy: curve)
    return Claim("toy/values", Source("toy", "here", ""), private, Verdict.CONSISTENT)


def sample_scores(policy, pair, side, trials, seed):
    return scores_of_many(policy, [pair], side, trials, seed)[0]


def pair_of(policy) -> Pair:
    return flipped("pull", np.zeros((policy.arms, policy.horizon)), 0, 0, 1.0)


@pytest.mark.parametrize("kind", ["normal", "laplace"])
def test_scores_are_likelihood_ratios_of_what_is_drawn(kind):
    law = {"normal": stats.norm, "laplace": stats.laplace}[kind]
    left = np.array([[0.5, -1.0, 0.2]]), np.array([[0.25, 3.0, 0.0]])
    right = np.array([[0.0, 4.0, 9.0]]), np.array([[2.0, 0.5, 0.0]])
    draw = np.array([[1.5, 2.0, 0.75]])
    for side, (centre, scale) in enumerate((left, right)):
        values = (centre + scale * draw)[:, :2]
        there, here = (law.logpdf(values, c[:, :2], s[:, :2]) for c, s in (right, left))
        np.testing.assert_allclose(
            privacy_losses(kind, left, right, side, draw), (there - here).sum(axis=1), rtol=1e-13
        )


def test_the_same_values_come_from_other_draws():
    one = Noisy("laplace", "z", np.array([[0.5, -1.0, 2.0]]), np.array([[0.25, 3.0, 0.0]]))
    other = Noisy("laplace", "z", np.array([[0.0, 4.0, 1.0]]), np.array([[2.0, 0.5, 0.0]]))
    draw = np.array([[1.5, -0.5, 0.75]])
    found = same_values(one, other, draw)
    np.testing.assert_allclose((other.centre + other.scale * found)[0, :2], (one.centre + one.scale * draw)[0, :2])
    assert found[0, 2] == draw[0, 2]


def test_the_samples_of_algorithm_1_by_either_declaration():
    """The same draws, so the same scores."""
    pair = pair_of(Sampler())
    for side in (0, 1):
        by_posterior = sample_scores(ALGORITHM_1(2, 12), pair, side, 500, 3)
        by_noisy = sample_scores(Sampler(), pair, side, 500, 3)
        np.testing.assert_allclose(by_noisy, by_posterior, rtol=1e-12, atol=GRAIN)
        assert by_noisy.any()


def test_the_loss_of_one_laplace_value_is_bounded_by_its_shift():
    """One changed reward moves one sum by 1, the noise has scale 1: no loss exceeds 1, and half of them attain it."""
    scores = sample_scores(Said(), pair_of(Said()), 1, 4_000, 0)
    assert np.abs(scores).max() <= 1 + GRAIN
    assert 0.4 < np.isclose(scores, 1.0, atol=GRAIN).mean() < 0.6


def test_the_last_bits_of_a_value_tell_nothing():
    """Both atoms of the loss are one number each, on whichever side the values were made."""
    ends = [np.unique(sample_scores(Said(), pair_of(Said()), side, 4_000, 0))[[0, -1]] for side in (0, 1)]
    assert np.array_equal(*ends)
    for side in (0, 1):
        scores = sample_scores(Said(), pair_of(Said()), side, 4_000, 0)
        assert min((scores == ends[0][0]).mean(), (scores == ends[0][1]).mean()) > 0.15


@pytest.mark.planted
@pytest.mark.parametrize("policy", [Said(), Said(arms=4, horizon=18), DPSE(2, 3_000, eps=1.0)], ids=["2", "4", "DP-SE"])
def test_noisy_sums_are_as_private_as_claimed(policy):
    """In DP-SE an epoch may be long and the horizon ends runs at different steps."""
    right = judge_private(claim(Approximate(1.0, 0.0)), RUN, policy)
    assert right.verdict is Verdict.CONSISTENT, right.summary
    wrong = judge_private(claim(Approximate(0.7, 0.0)), RUN, policy)
    assert wrong.verdict is Verdict.REFUTED


@pytest.mark.thorough
def test_half_the_noise_is_caught():
    half = judge_private(claim(Approximate(1.0, 0.0)), RUN, Said(shrunk=0.5))
    assert half.verdict is Verdict.REFUTED
    certified = float(re.search(r"certify eps >= (\S+) at delta 0", half.summary)[1])
    assert 1.5 < certified <= 2
    normal = judge_private(claim(Gaussian(0.5)), RUN, Sampler())
    assert normal.verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("policy", "verdict", "words"),
    [
        (Betrays(), Verdict.REFUTED, "the same values were drawn on both reward tables, but"),
        (Said(told=2.0), Verdict.REFUTED, "the same values were drawn on both reward tables, but"),
        (Bought(), Verdict.REFUTED, "is drawn on one of the two reward tables only"),
        (Elsewhere(), Verdict.NOT_EXERCISED, "nothing was drawn as laplace noise at site 'sums'"),
    ],
)
def test_declarations_that_are_not_kept(policy, verdict, words):
    """Who says twice the noise that it has: the values that are declared do not make its releases."""
    finding = judge_private(claim(Approximate(1.0, 0.0)), RUN, policy)
    assert finding.verdict is verdict, finding.summary
    assert words in finding.summary


@pytest.mark.parametrize("side", [0, 1])
def test_values_of_one_side_only(side):
    with pytest.raises(Undeclared, match="in step 2, values are drawn on only one of the two reward tables"):
        sample_scores(Told(), pair_of(Told()), side, 10, 0)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (Noisy("cauchy", "sum", np.zeros((1, 2)), np.ones((1, 2))), "whose kind is one of normal, laplace"),
        ((np.zeros((1, 2)), np.ones((1, 2))), "it must return None, or a Noisy"),
        (Noisy("laplace", "sum", np.zeros((1, 2)), np.ones(2)), r"both must have shape \(trials, values\)"),
        (Noisy("laplace", "sum", np.zeros((1, 2)), -np.ones((1, 2))), "scales must be finite and at least 0"),
        (Noisy("laplace", "sum", np.full((1, 2), np.nan), np.ones((1, 2))), "centres of drawn values must be finite"),
        (Noisy("laplace", "sum", np.full((1, 2), 1e9), np.ones((1, 2))), r"is 1e\+09 scales from 0"),
    ],
)
def test_what_is_no_declaration_is_an_error(said, message):
    class Wrong(Said):
        def noisy(self, t, state):
            return said

    with pytest.raises(ValueError, match=message):
        sample_scores(Wrong(), pair_of(Said()), 0, 1, 0)


def test_rounding_is_no_betrayal_but_little_more_is():
    near = Noisy("laplace", "z", np.array([[1e6, 0.0]]), np.array([[1e-3, 1.0]]))
    assert 1e-7 < rounding_chance(near, near) < 1e-4
    assert rounding_chance(None, near) == 0
    plain = near._replace(centre=np.zeros((1, 2)))
    assert rounding_chance(plain, plain) < 1e-12


@pytest.mark.parametrize("scale", [1.0, 3.0, 2.0**-40])
def test_doubles_are_fine_enough_up_to_so_many_scales_from_zero(scale):
    """2^27, on either side; what is not drawn lies where it likes."""
    for centre in (2.0**27, -(2.0**27)):
        demand_fine(np.array([[np.inf, 0.0], [0.0, centre * scale]]), np.array([[0.0, scale], [scale, scale]]), 4)
        with pytest.raises(Unheard, match=r"step 4: the centre of a declared value is 1\.3e\+08 scales from 0"):
            demand_fine(np.array([[0.0, np.nextafter(centre * scale, 2 * centre * scale)]]), np.full((1, 2), scale), 4)
    demand_fine(np.zeros((0, 2)), np.zeros((0, 2)), 4)


@pytest.mark.parametrize("chance", [1e-9, 1e-4, 0.2])
def test_so_many_odd_runs_are_too_many_as_a_binomial_says(chance):
    """A trillionth; without any rounding one is too many."""
    fewest = next(odd for odd in range(2_001) if stats.binom.sf(odd - 1, 2_000, chance) < 1e-12)
    assert [too_many(odd, 2_000, chance) for odd in (0, fewest - 1, fewest, 2_000)] == [False, False, True, True]
    assert (too_many(0, 2_000, 0.0), too_many(1, 2_000, 0.0), too_many(2_000, 2_000, 1.0)) == (False, True, False)


class Keeps:
    """Notes by how much its noisy sums differ, and pulls by its notes from then on."""

    arms = 2
    horizon = 4

    def init(self, trials):
        return np.zeros((trials, 3))

    def noisy(self, t, state):
        return Noisy("laplace", "sum", state[:, :2], np.ones((len(state), 2))) if t == 2 else None

    def apart(self, state, noise):
        values = state[:, :2] + noise.laplace("sum", 2, (2,))
        return values[:, 1] - values[:, 0]

    def act(self, t, state, noise):
        return Pulls.one(((self.apart(state, noise) if t == 2 else state[:, 2]) > 0).astype(int), 2)

    def learn(self, t, state, pulls, sums, noise):
        noted = self.apart(state, again(noise)) if t == 2 else state[:, 2]
        return np.column_stack([state[:, :2] + sums, noted])


class Idle(Keeps):
    """Gives up in the second step."""

    def act(self, t, state, noise):
        return super().act(t, state, noise) if t == 1 else Pulls(np.zeros((len(state), 2), dtype=np.int64))


def test_a_policy_that_pulls_no_arm_is_an_error():
    with pytest.raises(
        ValueError, match=r"step 2: the policy pulled no arm, although its horizon is not used up \(pulls left: 3\)"
    ):
        sample_scores(Idle(), pair_of(Idle()), 0, 3, 0)


@pytest.mark.parametrize("side", [0, 1])
def test_what_a_policy_learns_of_its_values_is_the_same_on_either_side(side):
    """The draws with which either side makes these values, in `learn` as well; of one sum that a reward moves by 1."""
    scores = sample_scores(Keeps(), pair_of(Keeps()), side, 500, 0)
    assert np.abs(scores).max() == pytest.approx(1, abs=GRAIN)
    assert np.sign(scores.mean()) == (-1, 1)[side]


def test_the_same_values_are_drawn_on_either_side():
    """Of one kind, at one site, as many, and each of them, in every run that goes on."""
    live = np.array([True, False])
    one = Noisy("laplace", "z", np.zeros((2, 3)), np.ones((2, 3)))
    require_same_values(one, one._replace(centre=one.centre + 1, scale=2 * one.scale), live, 4)
    few = one._replace(centre=one.centre[:, :2], scale=one.scale[:, :2])
    for other in (one._replace(kind="normal"), one._replace(site="y"), few):
        for two in ((one, other), (other, one)):
            with pytest.raises(Undeclared, match="in step 4 the noisy values on the two reward tables differ in kind"):
                require_same_values(*two, live, 4)
    for row, value in ((0, 2), (1, 1)):
        scale = one.scale.copy()
        scale[row, value] = 0
        for two in ((one, one._replace(scale=scale)), (one._replace(scale=scale), one)):
            if live[row]:
                with pytest.raises(
                    Undeclared,
                    match=rf"in step 4 value {value} \(counted from 0\) is drawn on one of the two reward tables only",
                ):
                    require_same_values(*two, live, 4)
            else:
                require_same_values(*two, live, 4)


class Ends(Keeps):
    """Every other run pulls so often in the first step that it is over; all draw in the second one."""

    def act(self, t, state, noise):
        if t > 1:
            return super().act(t, state, noise)
        return Pulls(np.outer(np.where(np.arange(len(state)) % 2, 3, 4), [1, 0]))


@pytest.mark.parametrize("side", [0, 1])
def test_values_that_are_drawn_after_a_run_s_end_are_none_of_it(side):
    scores = sample_scores(Ends(), pair_of(Ends()), side, 40, 0)
    assert not scores[::2].any()
    assert (np.abs(scores[1::2]) > GRAIN).any()
    assert np.abs(scores).max() <= 1 + GRAIN
