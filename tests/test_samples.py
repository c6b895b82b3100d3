"""All sampled theta: what is declared must be what is done, and what is not sampled must follow from what was."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from mutants import Broken
from scipy.stats import norm

from dpbandits import QUICK, Gaussian, Pulls, Seeded, Verdict, again, audit_policy, flipped
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.play.many import TableBatch
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.samples import (
    Account,
    heard_of,
    is_rounding_apart,
    one_block,
    ratio,
    same_samples,
    scores_of_many,
)
from dpbandits.audit.privacy.scores.values import RecordedNoise
from dpbandits.reference.bandits.adjacency import SIDES
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.noisy_values import Undeclared, Unheard
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.hu25 import DPTSUCB

RUN = run_over(ledger().claims, QUICK, seed=0)
LEDGER = ledger().by_id
both = pytest.mark.parametrize("claim", ["hu25/theorem-4.4/sharp", "hu25/theorem-4.4/samples"])


@dataclass(frozen=True)
class Greedy(DPTSUCB):
    """Noise in the first free round, and the bare means afterwards."""

    def posterior(self, t, state):
        drawn = super().posterior(t, state)
        return drawn if drawn is None or t == self.arms + 1 else (state.mean, 0 * drawn[1])


@dataclass(frozen=True)
class Flattered(Greedy):
    """Never more than one round without noise, and then only for the last arm."""

    def posterior(self, t, state):
        drawn = DPTSUCB.posterior(self, t, state)
        if drawn is None or t != 9:
            return drawn
        bare = np.arange(self.arms) == self.arms - 1
        return np.where(bare, state.mean, drawn[0]), np.where(bare, 0.0, drawn[1])


@dataclass(frozen=True)
class Favoured(DPTSUCB):
    """The last arm gets 0.2 in step 9, and `posterior` says nothing of it."""

    def act(self, t, state, noise):
        if t != 9:
            return super().act(t, state, noise)
        return Pulls.one((self.theta(t, state, noise) + 0.2 * np.arange(self.arms)).argmax(axis=1), self.arms)


@dataclass(frozen=True)
class Elsewhere(DPTSUCB):
    """Draws at a noise site of another name."""

    def theta(self, t, state, noise):
        centre, scale = self.posterior(t, state)
        return centre + scale * noise.normal("z", t, (self.arms,))


@dataclass(frozen=True)
class Bought(DPTSUCB):
    """An arm whose mean is good enough is not sampled."""

    def posterior(self, t, state):
        drawn = super().posterior(t, state)
        return drawn if drawn is None else (drawn[0], np.where(state.mean > 0.9, 0.0, drawn[1]))


@dataclass(frozen=True)
class Constant(DPTSUCB):
    """Nothing is repeated: an arm whose budget is used up counts as 0.3 ever after."""

    floor: float = 0.3

    def posterior(self, t, state):
        drawn = super().posterior(t, state)
        return drawn if drawn is None else (np.where(drawn[1] > 0, drawn[0], 0.3), drawn[1])


class Held(NamedTuple):
    """What `Choosy` remembers: its first two samples of every arm, and the first reward."""

    samples: Array  # (trials, 2, arms)
    first: Array  # (trials,)


@dataclass(frozen=True)
class Choosy:
    """Samples both arms twice, and then repeats a sample of each: the first one where the first reward was large. A
    repeated sample is accounted for whichever it is; which one it is hangs on a reward, and that is what tells."""

    honest: bool = False
    arms: int = 2
    horizon: int = 4

    def init(self, trials):
        return Held(np.zeros((trials, 2, 2)), np.zeros(trials))

    def posterior(self, t, state):
        ones = np.ones((len(state.first), 2))
        if t <= 2:
            return 0 * ones, ones
        earlier = (state.first > 0.5) & (not self.honest)
        return np.where(earlier[:, None], state.samples[:, 0], state.samples[:, 1]), 0 * ones

    def theta(self, t, state, noise):
        centre, scale = self.posterior(t, state)
        return centre + scale * noise.normal("theta", t, (2,))

    def act(self, t, state, noise):
        return Pulls.one(self.theta(t, state, noise).argmax(axis=1), 2)

    def learn(self, t, state, pulls, sums, noise):
        samples = state.samples.copy()
        if t <= 2:
            samples[:, t - 1] = self.theta(t, state, again(noise))
        return Held(samples, sums.sum(axis=1) if t == 1 else state.first)


def test_which_sample_is_repeated_may_not_hang_on_a_reward():
    says = Private("pull", "samples", lambda _: Gaussian(1.0))
    claim = Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT)
    finding = judge_private(claim, RUN, subject=Choosy())
    assert finding.verdict is Verdict.REFUTED
    assert re.search(r"in step 3 arm [01] .* is not sampled \(scale 0\), and its value is", finding.summary)
    finding = judge_private(claim, RUN, subject=Choosy(honest=True))
    assert finding.verdict is Verdict.NOT_EXERCISED
    assert "the same law on either side" in finding.summary


def judged(claim, policy):
    return judge_private(LEDGER[claim], RUN, subject=policy(2, 20, 1.0))


@both
@pytest.mark.parametrize("policy", [DPTSUCB, Constant])
@pytest.mark.thorough
def test_repeated_samples_and_constants_are_welcome(claim, policy):
    assert judged(claim, policy).verdict == Verdict.CONSISTENT


@both
@pytest.mark.parametrize("policy", [Greedy, Flattered])
@pytest.mark.first(2)
def test_bare_means_are_no_repeated_samples(claim, policy):
    """Refuted where the changed reward moves the mean; at least not accounted for where it is another arm's."""
    finding = judged(claim, policy)
    assert finding.verdict in (Verdict.REFUTED, Verdict.NOT_EXERCISED)
    step, arm = ("4", "[01]") if policy is Greedy else ("9", "1")
    assert re.search(rf"in step {step} arm {arm} .* is not sampled \(scale 0\), and its value", finding.summary)


def test_the_changed_arms_bare_mean_refutes():
    scale = np.array([[1.0, 0.0]])
    left, right = ((np.array([[5.0, mean]]), scale) for mean in (0.0, 1.0))
    pulls = Pulls.one(np.array([0]), 2)
    with pytest.raises(
        Undeclared, match=r"in step 3 arm 1 .* is 0 on the left and 1 on the right table after the same"
    ):
        ratio(left, right, 0, np.zeros((1, 2)), pulls, 3)


@pytest.mark.parametrize(
    ("centre", "odd", "explained"), [(0.0, 1, True), (0.0, 2, False), (2.0**26, 3, True), (2.0**26, 5, False)]
)
def test_no_more_runs_than_rounding_explains_release_another_arm(centre, odd, explained):
    """Two samples that are equal to the last bit: another order of additions makes the other one the larger."""
    means = np.full((2_000, 2), centre)
    side = means, np.ones_like(means)
    pulls = Pulls.one((np.arange(2_000) < odd).astype(int), 2)
    if explained:
        assert not ratio(side, side, 0, np.zeros((2_000, 2)), pulls, 3).any()
    else:
        with pytest.raises(Undeclared, match=f"in step 3 arm 1 was released.*in {odd} of 2000 runs"):
            ratio(side, side, 0, np.zeros((2_000, 2)), pulls, 3)


@dataclass(frozen=True)
class Afar(Broken):
    """Algorithm 1 on rewards that count from a public number, which its declaration alone adds."""

    public: float = 0.0

    def posterior(self, t, memory):
        return self.public + self.mean(self, memory), self.deviation(self, memory)


@pytest.mark.planted
@pytest.mark.parametrize(
    ("public", "verdict"), [(0.0, Verdict.CONSISTENT), (1e6, Verdict.CONSISTENT), (1e12, Verdict.NOT_EXERCISED)]
)
def test_where_doubles_are_too_coarse_nobody_is_refuted(public, verdict):
    says = Private("pull", "samples", lambda subject: Gaussian(2.0))
    claim = Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT)
    finding = judge_private(claim, RUN, subject=Afar(2, 8, public=public))
    assert finding.verdict == verdict
    assert ("subtract a public number from the value, and declare the difference" in finding.summary) == (
        public == 1e12
    )


def test_an_undeclared_constant_is_not_accounted_for():
    finding = judge_private(LEDGER["hu25/theorem-4.4/sharp"], RUN, subject=Constant(2, 20, 1.0, floor=0.2))
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "its value 0.3 is neither an earlier sample of this arm nor the constant 0.2" in finding.summary


def test_a_release_that_is_not_the_largest_sample_refutes_the_declaration():
    finding = judged("hu25/theorem-4.4/sharp", Favoured)
    assert finding.verdict == Verdict.REFUTED
    assert "does not follow its declared posterior: in step 9 arm 1 was released" in finding.summary


def test_rewards_may_not_decide_whether_an_arm_is_sampled():
    finding = judged("hu25/theorem-4.4/sharp", Bought)
    assert finding.verdict == Verdict.REFUTED
    assert "sampled on only one of the two reward tables" in finding.summary


class Mean(NamedTuple):
    pulls: Array
    total: Array


@dataclass(frozen=True)
class Sampling:
    """Thompson sampling; the coin `size` says how often an arm is pulled in a step."""

    sizes: tuple[int, int] = (1, 1)
    answers: bool = False
    arms: int = 2
    horizon: int = 4

    def init(self, trials):
        return Mean(np.zeros((trials, 2), dtype=np.int64), np.zeros((trials, 2)))

    def posterior(self, t, state):
        return state.total / (state.pulls + 1), 1 / np.sqrt(state.pulls + 1)

    def act(self, t, state, noise):
        if t > self.horizon:
            return Pulls.answer((state.total.sum(axis=1) > 0).astype(np.int64), 2)
        centre, scale = self.posterior(t, state)
        arm = (centre + scale * noise.normal("theta", t, (2,))).argmax(axis=1)
        sizes = np.where(noise.uniform("size", t) < 0.5, *self.sizes)
        return Pulls(Pulls.one(arm, 2).counts * sizes[:, None])

    def learn(self, t, state, pulls, sums, noise):
        return Mean(state.pulls + pulls.counts, state.total + sums)


def test_an_answer_is_no_sample_and_does_not_pass_unseen():
    """The answer shows whether any reward was paid; `posterior` says nothing of it, and the samples are fine."""
    for answers, verdict in ((True, Verdict.NOT_EXERCISED), (False, Verdict.CONSISTENT)):
        finding = audit_policy(Sampling(answers=answers), mu=1.5, view="samples", trials=2_000)
        assert finding.verdict == verdict
        assert ("declare all drawn values with `noisy`" in finding.summary) == answers


def test_runs_may_have_different_numbers_of_steps():
    """One pull at a time, or three: the last step is cut where the horizon is, and a run that has ended has no share
    in the score."""
    pair = flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)
    for sizes in ((1, 3), (3, 1), (3, 3)):
        for side in (0, 1):
            (scores,) = scores_of_many(Sampling(sizes), [pair], side, 2_000, 5)
            assert np.exp(scores if side == 0 else -scores).mean() == pytest.approx(1, abs=0.2)
            assert np.abs(scores).max() > 0


def test_what_is_drawn_elsewhere_is_not_heard():
    finding = judged("hu25/theorem-4.4/sharp", Elsewhere)
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "step 3: no draw was made at the noise site 'theta'" in finding.summary
    assert "draw it with noise.normal" in finding.summary


def test_the_score_of_samples_is_their_likelihood_ratio():
    """Where means and widths differ, of the arms that are sampled; the others have no share."""
    left = np.array([[0.5, -1.0, 0.2]]), np.array([[0.25, 3.0, 0.0]])
    right = np.array([[0.0, 4.0, 0.2]]), np.array([[2.0, 0.5, 0.0]])
    draw = np.array([[1.5, 2.0, 0.75]])
    for side, (means, widths) in enumerate((left, right)):
        theta = (means + widths * draw)[:, :2]
        there, here = (norm.logpdf(theta, centre[:, :2], width[:, :2]) for centre, width in (right, left))
        pulls = Pulls.one(np.array([1]), 3)
        np.testing.assert_allclose(ratio(left, right, side, draw, pulls, 1), (there - here).sum(axis=1), rtol=1e-13)


def test_the_same_samples_come_from_another_draw_on_the_other_side():
    """Where both sides sample: there + width * draw is the sample here. Where one does not, the draw stays."""
    here = np.array([[0.5, -1.0, 2.0]]), np.array([[0.25, 3.0, 0.0]])
    there = np.array([[0.0, 4.0, 1.0]]), np.array([[2.0, 0.5, 1.0]])
    draw = np.array([[1.5, -0.5, 0.75]])
    found = same_samples(here, there, draw)
    samples = here[0] + here[1] * draw
    np.testing.assert_allclose((there[0] + there[1] * found)[0, :2], samples[0, :2], rtol=1e-15)
    assert found[0, 2] == draw[0, 2]
    assert same_samples(there, here, draw)[0, 2] == draw[0, 2]


def test_values_are_near_up_to_rounding():
    """1e-12, and 1e-9 of the other one; what is infinite is near itself, and what is no number near nothing."""
    others = np.array([0.0, 0.0, 1e6, -1e6, 1e6, np.inf, np.inf, np.nan, 2.0])
    values = np.array([1e-12, -1.1e-12, 1e6 + 0.9e-3, -1e6 - 0.9e-3, 1e6 - 1.1e-3, np.inf, 1e300, np.nan, np.nan])
    assert is_rounding_apart(values, others).tolist() == [True, False, True, True, False, True, False, False, False]
    assert not is_rounding_apart(np.array([np.inf]), np.array([-np.inf])).any()


def test_the_draw_of_a_step_is_the_first_at_its_site():
    drawn = np.zeros((2, 3)), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    noise, at = RecordedNoise(Seeded(3, 2)), ("normal", "theta")
    with pytest.raises(
        Unheard,
        match="step 4: no draw was made at the noise site 'theta'",
    ):
        heard_of(noise.draws.get(at), 4, drawn)
    assert heard_of(noise.draws.get(at), 4, (drawn[0], 0 * drawn[1])).tolist() == np.zeros((2, 3)).tolist()
    for site, shape in (("other", (3,)), ("theta", (3,)), ("theta", (2,))):
        noise.normal(site, 4, shape)
    assert heard_of(noise.draws.get(at), 4, drawn).tolist() == Seeded(3, 2).normal("theta", 4, (3,)).tolist()
    for kind in ("laplace", "uniform"):
        assert np.array_equal(getattr(noise, kind)("theta", 5, (2,)), getattr(Seeded(3, 2), kind)("theta", 5, (2,)))
    single = RecordedNoise(Seeded(3, 2))
    single.normal("theta", 4)
    with pytest.raises(Unheard, match=r"has shape \(2,\), but the declared posterior has shape \(2, 3\)"):
        heard_of(single.draws[at], 4, drawn)


def test_every_value_that_is_not_sampled_is_accounted_for():
    """Of two trials and two arms: by an arm's own sample, however long ago, or the constant; the third trial is not
    looked at."""
    means, draw = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([[0.5, -1.0], [0.25, 0.0], [0.0, 0.0]])
    wide, still = np.full((3, 2), 2.0), np.zeros((3, 2))
    samples = means + 2 * draw

    def account():
        found = Account(2, 2, -7.0)
        found.enter((means, wide), draw, 1)
        found.enter((means + 10, wide), draw, 2)
        return found

    for fine in (samples, samples + 10, np.full((3, 2), -7.0), samples + np.array([[0], [0], [9]])):
        known = account()
        known.enter((fine, still), draw, 3)
        known.enter((fine, still), draw, 4)  # as in the step before
    half = account()
    half.enter((samples, np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0]])), draw, 3)
    half.enter((samples + 2 * draw * np.array([[0, 1], [1, 0], [0, 0]]), still), draw, 4)
    for row, arm, value in ((0, 1, samples[0, 0]), (1, 0, samples[0, 0]), (1, 1, -7.001), (0, 0, means[0, 0])):
        odd = samples.copy()
        odd[row, arm] = value
        with pytest.raises(
            Unheard, match=rf"in step 3 arm {arm} \(counted from 0\) is not sampled .* {value:g} is neither"
        ):
            account().enter((odd, still), draw, 3)
    with pytest.raises(Unheard, match="nor the constant -7; sample the arm"):
        Account(2, 2, -7.0).enter((samples, still), draw, 1)


@pytest.mark.parametrize("step", [1, 2, 33, 69, 70])
def test_a_sample_is_looked_up_however_many_steps_ago_it_was(step):
    """After 70 steps, which are looked through some at a time; and what no step has sampled is found nowhere."""
    account, wide, still = Account(2, 1, -7.0), np.ones((2, 1)), np.zeros((2, 1))
    for number in range(1, 71):
        account.enter((np.array([[number], [100.0 + number]]), wide), still, number)
    account.enter((np.array([[step], [171.0 - step]]), still), still, 71)
    with pytest.raises(Unheard, match="its value 171 is neither"):
        account.enter((np.array([[step], [171.0]]), still), still, 72)


def test_what_is_repeated_may_not_drift():
    """Each step's value is near that of the step before, and the last one is no sample any more."""
    account = Account(1, 1, 0.0)
    account.enter((np.array([[1.0]]), np.array([[1.0]])), np.array([[0.0]]), 1)
    still, draw = np.zeros((1, 1)), np.zeros((1, 1))
    account.enter((np.array([[1 + 0.9e-9]]), still), draw, 2)
    with pytest.raises(Unheard, match="in step 3"):
        account.enter((np.array([[1 + 1.8e-9]]), still), draw, 3)


@pytest.mark.parametrize("side", [0, 1])
def test_the_runs_of_a_pair_are_those_of_its_number_in_every_batch(side):
    """Batches of five runs of two arms; run i plays pair i modulo three, on either table, with its batch's noise."""
    policy, pairs = DPTSUCB(2, 4, 1.0), [flipped("pull", np.full((2, 4), k / 4), 0, 0, 1.0) for k in range(3)]
    scores = []
    for block, runs in enumerate((range(5), range(5, 10), range(10, 15), range(15, 18))):
        which = np.array([run % 3 for run in runs])
        tables = [TableBatch("pull", np.stack([getattr(pair, name) for pair in pairs]), which) for name in SIDES]
        scores += one_block(policy, tables, side, Seeded(8, len(which), block)).tolist()
    assert len(set(scores)) > 9
    assert scores_of_many(policy, pairs, side, 6, 8, most=11).tolist() == [scores[k::3] for k in range(3)]
