"""DP-SE: the batch against its naive twin, its law, its privacy exactly, and every mutant."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import ceil, exp, log, sqrt

import mpmath
import numpy as np
import pytest
from fits import LEVEL, chi_square
from mutants_sajed19 import MUTANTS, SETTING, SMALL, BareMaximum, HalfNoise, Reused
from scipy import stats

from dpbandits import QUICK, Approximate, Bernoulli, Seeded, Table, Verdict, flipped, play, replay
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.matching.binding import binding_of
from dpbandits.audit.privacy.certificates import policy_refutation
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.phases import chains, tables_of_phase, worst_phase
from dpbandits.proofs_checks.papers.sajed19.privacy import private
from dpbandits.reference.bandits.release_laws.checked import checked_law, in_doubles
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.sajed19 import DPSE, State
from dpbandits.reference.papers.sajed19.claims import CLAIMS

RIGHT = DPSE(**SETTING)
CLAIM = next(claim for claim in CLAIMS if isinstance(claim.says, Private))
every = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.policy.__name__)


def rewards(seed=0, horizon=600):
    """Dyadic rewards, whose sums are exact. Means near 0.65, 0.45 and 0.15 at first: after epoch 1 the noise decides
    whether the last arm goes, and after epoch 2 whether the second does."""
    base = np.array([[0.6], [0.4], [0.1]])
    return np.floor(256 * (base + np.random.default_rng(seed).random((3, horizon)) / 10)) / 256


CLOSE = {"close": Table(rewards()), "other": Table(rewards(4)[::-1])}


# -- the algorithm ---------------------------------------------------------------------------------------------------


def twin(policy, table, noise):
    """One run, one pull at a time, as it is written: the pulls of each step. noise(t, arm)."""
    active, e, used, steps = list(range(policy.arms)), 0, 0, []
    place = [0] * policy.arms
    while len(active) > 1 and used < policy.horizon:
        e += 1
        gap, k = 2.0**-e, policy.constants
        first, second = (log(factor * len(active) * e * e / policy.risk) for factor in (k.log_mean, k.log_noise))
        rounds = ceil(max(k.rounds_mean * first / gap**2, k.rounds_noise * second / (policy.eps * gap)) + 1)
        sums, block = dict.fromkeys(active, 0.0), [0] * policy.arms
        for _ in range(rounds):
            for arm in active:
                if used < policy.horizon:
                    sums[arm] += table[arm, place[arm]]
                    place[arm] += 1
                    block[arm] += 1
                    used += 1
        steps.append(block)
        if used == policy.horizon:
            return steps
        noisy = {arm: sums[arm] / rounds + noise(e + 1, arm) / (policy.eps * rounds) for arm in active}
        width = k.widths * (sqrt(first / (2 * rounds)) + second / (rounds * policy.eps))
        active = [arm for arm in active if not max(noisy.values()) - noisy[arm] > width]
    if used < policy.horizon:
        steps.append([(policy.horizon - used) * (arm == active[0]) for arm in range(policy.arms)])
    return steps


@pytest.mark.parametrize(("arms", "horizon", "eps"), [(3, 600, 1.0), (3, 601, 0.3), (2, 50, 5.0), (1, 7, 1.0)])
def test_every_trial_is_what_the_twin_does(arms, horizon, eps):
    policy = DPSE(arms, horizon, eps, 0.5, SMALL)
    table = rewards(horizon=horizon)[:arms]
    recorder = Recorder(Seeded(1, 20))
    played = play(policy, Table(table), recorder, 20)
    for trial in range(20):
        steps = twin(policy, table, lambda t, arm, trial=trial: recorder.values["mean", t][trial, arm])
        padding = [[0] * arms] * (played.released.shape[1] - len(steps))
        assert played.released[trial].tolist() == steps + padding


def test_the_runs_above_differ_and_some_are_cut_in_turns():
    played = play(RIGHT, Table(rewards()), Seeded(1, 200), 200)
    steps = (played.released.sum(axis=2) > 0).sum(axis=1)
    assert len(np.unique(steps)) > 1
    short = DPSE(3, 20, 1.0, 0.5, SMALL)  # R is 17, so T ends in the seventh round of turns
    assert play(short, Table(rewards()), Seeded(1, 1), 1).released.tolist() == [[[7, 7, 6]]]
    assert (played.pulls.sum(axis=1) == 600).all()


def test_the_numbers_of_an_epoch_are_the_described_ones():
    policy = DPSE(5, 10**5, eps=0.02)
    with mpmath.workdps(30):
        for e, size in ((1, 5), (2, 3), (6, 2)):
            found = policy.numbers(e, size)
            first, second = (mpmath.log(factor * size * e**2 * 10**5) for factor in (8, 4))
            gap, eps = mpmath.mpf(2) ** -e, mpmath.mpf(0.02)
            rounds = mpmath.ceil(max(32 * first / gap**2, 8 * second / (eps * gap)) + 1)
            width = 2 * mpmath.sqrt(first / (2 * rounds)) + 2 * second / (rounds * eps)
            assert found.rounds == rounds
            assert found.scale == pytest.approx(float(1 / (eps * rounds)), rel=1e-15, abs=0)
            assert found.width == pytest.approx(float(width), rel=1e-15, abs=0)


def test_a_hundred_million_pulls_are_a_few_steps():
    environment = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
    played = play(DPSE(5, 10**8), environment, Seeded(0, 500), 500)
    assert (played.pulls.sum(axis=1) == 10**8).all()
    assert played.released.shape[1] <= 6
    # beta is 1e-8: no run of so few loses the best arm.
    assert (played.released[:, -1].argmax(axis=1)[played.released[:, -1].any(axis=1)] == 0).all()


def test_regret_where_others_measured_it():
    """T = 1e5, eps = 1, five arms: others report about 3200 over 40 runs."""
    environment = Bernoulli((0.75, 0.625, 0.5, 0.375, 0.25))
    played = play(DPSE(5, 10**5), environment, Seeded(0, 400), 400)
    assert 2900 < (played.pulls @ (0.75 - np.array(environment.means))).mean() < 3500


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"arms": 0}, "K \\(arms\\) is 0"),
        ({"eps": 0.0}, "eps is 0.0; it must be positive"),
        ({"beta": 1.0}, "beta is 1.0"),
        ({"horizon": 10**16}, "T .horizon. is 10000000000000000; .* larger counts are not exact as doubles"),
    ],
)
def test_wrong_numbers_are_said(wrong, words):
    with pytest.raises(ValueError, match=words):
        DPSE(**{"arms": 2, "horizon": 100, **wrong})


# -- its law ---------------------------------------------------------------------------------------------------------


def test_the_sets_that_are_kept_have_the_stated_law():
    trials, totals = 100_000, np.array([12.0, 4.0, 3.0])
    state = State(
        np.ones(trials, dtype=int), np.ones((trials, 3), dtype=bool), np.full(trials, 51), np.tile(totals, (trials, 1))
    )
    kept = RIGHT.kept(2, state, Seeded(5, trials))
    law = RIGHT.survival(1, totals[None] / 17)
    counts = (kept[:, None] == law.sets).all(axis=2).sum(axis=0)
    assert counts.sum() == trials
    assert (counts > 1000).sum() >= 3
    assert chi_square(counts, trials * law.chance[0]) > LEVEL


def fit(policy, trials=10_000):
    """The p-value of whole releases under the reference's chain."""
    table = rewards(2)
    found = chains(RIGHT, flipped("pull", table, 0, 0, 1.0))
    played = play(policy, Table(table), Seeded(7, trials), trials)
    both = played.released, found.released
    steps = max(each.shape[1] for each in both)
    seen, expected = (np.pad(each, ((0, 0), (0, steps - each.shape[1]), (0, 0))) for each in both)
    same = (seen[:, None] == expected).all(axis=(2, 3))
    counts = same.sum(axis=0)
    return 0.0 if counts.sum() < trials else chi_square(counts, trials * np.exp(found.left))


def test_whole_runs_have_the_law_of_the_chain():
    assert fit(RIGHT) > LEVEL


def test_the_chances_of_all_transcripts_add_up_to_one():
    found = chains(RIGHT, flipped("pull", rewards(), 1, 20, 1.0))
    for side in (found.left, found.right):
        assert abs(np.exp(side).sum() - 1) <= 2 * found.error.max()
    assert len(found.left) > 10


# -- its privacy -----------------------------------------------------------------------------------------------------


@cache
def worst():
    """The worst first phase of the small policy."""
    return worst_phase(RIGHT, 1, 3)


@pytest.mark.thorough
def test_the_worst_phase_is_the_worst_of_whole_runs_on_real_tables():
    phase = worst()
    loss = chains(RIGHT, tables_of_phase(RIGHT, phase)).loss
    assert loss.low <= phase.loss.high
    assert loss.high >= phase.loss.low
    assert loss.low > 0.99
    with pytest.raises(
        ValueError, match="the number of arms left in phase 2 is 3; tables can be made only for the first phase"
    ):
        tables_of_phase(RIGHT, phase._replace(epoch=2))


def test_the_walk_over_states_says_what_the_chain_says():
    """Another code, on chances instead of logarithms, and on the law that the policy declares. Of 250 pulls some runs
    are over in the second epoch, which then decides nothing, and others go on."""
    short = replace(RIGHT, horizon=250)
    pairs = [(RIGHT, flipped("pull", rewards(), 1, 20, 1.0)), (RIGHT, tables_of_phase(RIGHT, worst()))]
    for policy, pair in [*pairs, (short, flipped("pull", rewards(horizon=250), 1, 20, 1.0))]:
        low, high = enumerated_profile(policy, pair).eps(0.0)
        loss = chains(policy, pair).loss
        assert low <= loss.high
        assert loss.low <= high
        assert high - low < 1e-9


def test_the_declared_law_is_one_and_has_logarithms_where_doubles_end():
    states = play_states(RIGHT)
    law = checked_law(RIGHT, 2, states)
    assert law.absolute_error == 0.0
    assert law.error < 1e-10
    far = DPSE(3, 10**6)
    rounds = float(far.numbers(1, 3).rounds)
    totals = np.array([[rounds, 0.0, 0.0]])
    state = State(np.array([1]), np.ones((1, 3), dtype=bool), np.array([int(3 * rounds)]), totals)
    law = checked_law(far, 2, state)
    assert law.absolute_error == 0
    assert (law.log > -np.inf).all()
    assert law.log.min() < -2000
    assert law.error < 1e-10
    assert in_doubles(law).absolute_error > 0


def play_states(policy):
    """States after the first epoch, of all three arms, one of them with a sole survivor."""
    totals = np.array([[12.0, 4.0, 3.0], [9.0, 9.0, 2.0], [0.0, 5.0, 0.0]])
    active = np.array([[1, 1, 1], [1, 1, 0], [0, 1, 0]], dtype=bool)
    return State(np.ones(3, dtype=int), active, np.full(3, 51), totals)


def test_a_change_after_the_first_epoch_shows_in_the_second():
    table = np.zeros((3, 600))
    table[1:] = 1
    late = chains(RIGHT, flipped("pull", table, 0, 30, 1.0)).loss
    assert 0.5 < late.low <= late.high < 1 + 1e-8


@pytest.mark.parametrize(("horizon", "eps"), [(10**5, 1.0), (10**8, 0.1)])
def test_two_arms_lose_exactly_this(horizon, eps):
    """P(X - Y > d) = (1/2 + d/4) e^-d in units of the noise: at the largest d, (1 + width)/scale - eps."""
    policy = DPSE(2, horizon, eps)
    _, scale, width = policy.numbers(1, 2)
    d = float((1 + width) / scale) - eps
    phase = worst_phase(policy, 1, 2)
    assert phase.loss.low <= eps - log(1 + eps / (2 + d)) <= phase.loss.high
    assert phase.loss.high < eps


@pytest.mark.thorough
def test_three_arms_lose_all_of_eps_and_never_more():
    phase = worst_phase(DPSE(3, 10**8, 4.0), 1, 3)
    assert 4 * (1 - 1e-6) < phase.loss.low <= 4
    assert phase.loss.high < 4 * (1 + 1e-8)


# -- mutants ---------------------------------------------------------------------------------------------------------


def test_replay_and_the_chain_pass_the_right_policy():
    assert replay(DPSE(**SETTING), RIGHT, CLOSE, trials=200).verdict == Verdict.CONSISTENT


@pytest.mark.planted
@every
def test_replay_catches(mutant):
    assert replay(mutant.policy(**SETTING), RIGHT, CLOSE, trials=200).verdict == Verdict.REFUTED


@pytest.mark.planted
@every
def test_the_law_of_whole_runs_catches(mutant):
    assert fit(mutant.policy(**SETTING)) < LEVEL


@pytest.mark.planted
@every
def test_the_exact_judge_refutes_what_breaks_privacy_and_nothing_else(mutant):
    if not mutant.law:
        return
    claim = replace(CLAIM, subject=mutant.policy, params=({**SETTING, "arms": 2},))
    verdict = private(claim, Effort(), 0).verdict
    assert verdict == (Verdict.REFUTED if mutant.privacy.startswith("broken") else Verdict.ARGUED)


@pytest.mark.planted
def test_a_refutation_carries_a_certificate_of_this_very_policy():
    """Half the noise, T = 1e8: a transcript of a whole run, its steps written down; about nobody else's policy."""
    setting = {"arms": 3, "horizon": 10**8, "eps": 0.5}
    claim = replace(CLAIM, subject=HalfNoise, params=(setting,))
    found = private(claim, Effort(), 0)
    assert found.verdict is Verdict.REFUTED
    (item,) = [each for each in found.evidence if each["kind"] == "certificate"]
    certificate = item["certificate"]
    assert verify(certificate).ok
    assert binding_of(certificate, {claim.id: claim}).about
    right = binding_of(certificate, {CLAIM.id: replace(CLAIM, params=(setting,))})
    assert not right.about
    assert "the steps of the certificate differ from those of DPSE" in right.why
    one_eps = replace(claim, params=({"arms": 3, "horizon": 10**8},))  # for which eps is 1
    assert not binding_of(certificate, {claim.id: one_eps}).about


@pytest.mark.thorough
def test_the_judge_of_own_policies_certifies_by_selections_too():
    policy = HalfNoise(3, 10**8, 0.5)
    pair = tables_of_phase(policy, worst_phase(policy, 1, 3))
    exact = exact_profile(policy, pair, deep=True)
    for sides in (pair, pair.swapped()):  # whichever side shows it
        certificate = policy_refutation(CLAIM.id, policy, sides, Approximate(0.5, 0.0), exact, 0.0)
        assert certificate is not None
        assert verify(certificate).ok
    # What the policy really promises is broken by rounding at most, and that is no violation.
    assert policy_refutation(CLAIM.id, policy, pair, Approximate(1.0, 0.0), exact, 0.0) is None
    # A policy whose selections are not its law gets none.
    assert policy_refutation(CLAIM.id, BareMaximum(3, 10**5, 0.5), pair, Approximate(0.1, 0.0), exact, 0.0) is None


@pytest.mark.thorough
def test_a_long_run_whose_worst_tables_tell_too_seldom_is_exercised_on_others():
    """T = 1e8: the tables that tell most do so with a chance below e^-700, which the law knows; samples look at other
    tables, on which both sides differ, and the finding may not say that none do."""
    finding = judge_private(CLAIM, Run(QUICK, 1, 1e-7), DPSE(2, 10**8, 1.0))
    assert finding.verdict is Verdict.CONSISTENT, finding.summary
    assert "the same law" not in finding.summary
    assert "exact computation: eps at delta 0 is 0.99869" in finding.summary
    assert "samples certify eps" in finding.summary


@pytest.mark.planted
def test_more_arms_than_a_law_lists_sets_of_are_judged_by_samples():
    """The law is not asked for what it cannot say; the finding says so, and what is broken is refuted nevertheless."""
    few, many = DPSE(arms=12, horizon=40), HalfNoise(arms=13, horizon=30_000)
    assert checked_law(few, 1, few.init(1)).chance.shape == (1, 4095)
    found = judge_private(CLAIM, Run(replace(QUICK, trials=1_500), 0, 1e-2), many)
    assert found.verdict is Verdict.REFUTED
    assert "with arms = 13, 8191 sets of arms may be kept; at most 4096 can be listed" in found.summary
    assert "so only samples decide" in found.summary
    assert "The score of an output was learnt" in found.resolution  # of samples that no law leads


def test_half_the_noise_is_twice_eps_and_a_bare_maximum_is_no_privacy():
    loss = worst_phase(HalfNoise(**SETTING), 1, 3).loss
    assert 1.98 < loss.low <= loss.high < 2 + 1e-6
    assert worst_phase(BareMaximum(**SETTING), 1, 2).loss.low == np.inf


@pytest.mark.parametrize("policy", [DPSE, Reused])
def test_noise_that_is_reused_tells_a_reward_for_certain(policy):
    """Two arms. Both are kept in epoch 1 if the noise's difference D <= 0.9 (the reward is 1) or D <= -0.1 (it is 0),
    in units of its scale; and in epoch 2 if D >= 0. With fresh noise both happen on both sides."""
    two = policy(**{**SETTING, "arms": 2, "eps": 1.0})
    one, other = two.numbers(1, 2), two.numbers(2, 2)
    r = int(one.rounds)
    table = np.zeros((2, 600))
    table[1, 1:r] = table[1, 0] = 0.2
    table[1, 0] = 0.0
    mean = table[1, :r].sum() / r
    table[0, :r] = mean + one.width + 0.1 * one.scale
    table[0, r:], table[1, r:] = 0.1, 0.1 + other.width
    trials, kept = 4_000, []
    for side in flipped("pull", table, 1, 0, 1.0).environments():
        played = play(two, side, Seeded(len(kept), trials), trials)
        kept.append(int((played.released[:, 2] > 0).all(axis=1).sum()))
    if policy is DPSE:
        assert min(kept) > 500
        assert kept[1] < exp(1) * kept[0] * 1.2
    else:
        assert kept[0] == 0
        low = stats.beta.ppf(LEVEL, kept[1], trials - kept[1] + 1)
        high = 1 - LEVEL ** (1 / trials)
        assert log(low / high) > 3
