"""The exact laws of chen24's policies: they are what the policies do, and their mutants do something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpbandits import Pair, Table, Verdict, flipped, follows_law
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.policy import RELATIVE
from dpbandits.reference.bandits.release_laws.selections import Chances
from dpbandits.reference.papers.chen24 import EarlyStopping, baseline, dp_bai, dp_bai_gauss, dp_od
from dpbandits.reference.papers.chen24.algorithms.releases import assembled
from dpbandits.reference.papers.chen24.algorithms.spreads import LaplaceNoise
from dpbandits.reference.papers.chen24.instances import FOUR_PHASES
from dpbandits.reference.papers.chen24.observed import Observed, sets_of

PLANE = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.6), (0.9, 0.9), (1.0, 0.0)]
FLAT = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.6, 0.0), (0.9, 0.9, 0.0), (1.0, 0.2, 0.0)]
SPACE = np.round(np.random.default_rng(1).normal(size=(10, 3)), 2).tolist()

POLICIES = {
    "independent": dp_bai(np.eye(3), 30, 1.0),
    "Max-Det, plane": dp_bai(PLANE, 14, 0.7),
    "Max-Det, then all": dp_bai(FLAT[:5], 30, 3.0),
    "Gauss": dp_bai_gauss(PLANE, 14, 2.0, 0.1),
    "Gauss in space, then all": dp_bai_gauss(SPACE, 40, 2.0, 0.1),
    "Baseline": baseline(PLANE, 20, 1.0),
    "DP-OD": dp_od(PLANE, 14, 5.0),
    "DP-OD, two rounds": dp_od(np.eye(3) + 0.1, 20, 4.0),
    "ES, within the second phase": EarlyStopping(dp_bai(np.eye(3), 30, 1.0), 7, 1),
    "ES, at the end": EarlyStopping(dp_bai(np.eye(3), 30, 1.0), 12, 2),
    "ES of Max-Det": EarlyStopping(dp_bai(FLAT, 30, 3.0), 9, 0),
}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.first(1)
def test_policies_follow_their_laws(name):
    policy = POLICIES[name]
    rewards = Table(np.random.default_rng(0).random((policy.arms, policy.horizon)).round(1))
    finding = follows_law(policy, policy, {"some table": rewards}, trials=4_000)
    assert finding.verdict is Verdict.CONSISTENT, finding.summary


@dataclass(frozen=True)
class Louder(LaplaceNoise):
    """The policy draws a quarter more noise than its law says."""

    def draw(self, noise, p, each, arms):
        return 1.25 * super().draw(noise, p, each, arms)


def test_a_quarter_of_noise_is_seen():
    policy = POLICIES["Max-Det, plane"]
    one = {"one arm pays": Table(np.eye(5)[:1].T * np.ones(14))}
    finding = follows_law(replace(policy, spread=Louder(0.7)), policy, one, trials=20_000)
    assert finding.verdict is Verdict.REFUTED, finding.summary


def test_two_arms_by_hand():
    """P(arm 0) is the tail of a difference of two Laplace variables: e^-u (2 + u)/4 at u scales."""
    policy = dp_bai([(1.0, 0.0), (0.0, 1.0)], 12, 1.0)
    each = policy.each(2)
    left = np.zeros((2, 12))
    left[1] = 1  # eps n scales behind
    pair = flipped("pull", left, 0, 0, 1.0)
    tail = [(2 + each - k) * np.exp(-(each - k)) / 4 for k in (0, 1)]
    exact = exact_profile(policy, pair)
    assert exact.delta(0.0)[0] == pytest.approx(tail[1] - tail[0], rel=1e-6)
    assert max(exact.largest_loss, exact.swapped.largest_loss) == pytest.approx(np.log(tail[1] / tail[0]), rel=1e-9)


# -- phases in a row that pull a few of their arms ---------------------------------------------------------------------

# Arms 0 and 1 are pulled as long as both are active, whoever else is.
SEVEN = [(*arm, 0.0, 0.0) for arm in ((1, 0), (0, 1), (0.5, 0.1), (0.1, 0.5), (0.3, 0.3), (0.6, -0.2), (-0.2, 0.6))]
HIDDEN = {"a line, four phases": (FOUR_PHASES, 40), "a plane, two phases": (SEVEN, 40)}


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.thorough
def test_an_observer_holds_the_right_belief(name):
    """The policy knows its active arms, the observer believes: what they release has one law."""
    features, horizon = HIDDEN[name]
    rewards = {"some table": Table(np.random.default_rng(0).random((len(features), horizon)).round(1))}
    policy = dp_bai(features, horizon, 1.0)
    observer = Observed(policy)
    unsaid = follows_law(policy, policy, rewards, trials=100)
    assert unsaid.verdict is Verdict.NOT_APPLICABLE
    assert "so its release does not determine the active arms, and no law is available" in unsaid.summary
    for who in (policy, observer):
        finding = follows_law(who, observer, rewards, trials=500)
        assert finding.verdict is Verdict.CONSISTENT, finding.summary


@pytest.mark.planted
def test_a_forgetful_observer_is_found_out():
    """Who takes all sets for equally likely after every phase is wrong about the third one."""

    @dataclass(frozen=True)
    class Forgetful(Observed):
        def learn(self, t, state, pulls, sums, noise):
            after = super().learn(t, state, pulls, sums, noise)
            possible = after.log > -np.inf
            many = possible.sum(axis=1, keepdims=True)
            return after._replace(log=np.where(possible, -np.log(many), -np.inf))

    policy = dp_bai(SEVEN, 40, 1.0)
    rewards = {"two arms pay": Table((np.arange(7) < 2)[:, None] * np.ones(40))}
    assert follows_law(policy, Observed(policy), rewards, trials=20_000).verdict is Verdict.CONSISTENT
    assert follows_law(policy, Forgetful(policy), rewards, trials=20_000).verdict is Verdict.REFUTED


def test_an_observer_of_few_arms_knows_as_much_as_the_policy():
    for name in ("independent", "Max-Det, then all", "Gauss"):
        policy = POLICIES[name]
        bits = np.random.default_rng(0).integers(0, 2, (policy.arms, policy.horizon)).astype(float)
        pair = flipped("pull", bits, 0, 1, 1 - bits[0, 1])
        mine, theirs = exact_profile(Observed(policy), pair), exact_profile(policy, pair)
        assert mine.largest_loss == pytest.approx(theirs.largest_loss, abs=1e-9)
        assert mine.delta(0.3)[0] == pytest.approx(theirs.delta(0.3)[0], rel=1e-6)


def test_beliefs_are_held_of_so_many_sets():
    with pytest.raises(NoLaw, match="167960 sets of 9 of 20 arms"):
        sets_of(20, 9)


# -- ES(pi, n, iota), and D(pi) ---------------------------------------------------------------------------------------


def most_told(policy, pair):
    exact = exact_profile(policy, pair)
    return max(exact.largest_loss, exact.swapped.largest_loss)


def test_an_early_stopping_policy_tells_of_n_rewards_and_no_more():
    """One reward of arm 1, which is pulled 5 times in the first phase and may be 6 times in the second."""
    inner = dp_bai(np.eye(3), 30, 1.0)
    bits = np.random.default_rng(0).integers(0, 2, (4, 30)).astype(float)
    bits[3] = 0
    found = []
    for n in (0, 7, 30):
        policy = EarlyStopping(inner, n, 1)
        pairs = [flipped("pull", bits, 1, place, 1 - bits[1, place]) for place in (0, 6, 7)]
        found.append([most_told(policy, pair) for pair in pairs])
    free = [most_told(inner, flipped("pull", bits[:3], 1, place, 1 - bits[1, place])) for place in (0, 6, 7)]
    assert max(found[0]) < 1e-9
    assert found[1][0] == pytest.approx(free[0], abs=1e-9)  # decided in the first phase
    assert found[1][1] < 1e-9 < free[1]  # its 7th pull is its last: what the phase made of it is never released
    assert found[1][2] < 1e-9 < free[2]  # X^(n, iota) does not hold this one
    assert found[2] == pytest.approx(free, abs=1e-9)


def test_the_dual_policy_tells_of_a_column_what_the_policy_tells_of_one_entry():
    """Propositions C.4 and C.5 for one phase, whose times are known: arm 0 at the first nine, then arm 1."""
    policy = dp_bai([(1.0, 0.0), (0.0, 1.0)], 20, 1.0)
    bits = np.random.default_rng(1).integers(0, 2, (2, 20)).astype(float)
    by_pull = np.zeros((2, 20))
    by_pull[0, :9], by_pull[1, :9] = bits[0, :9], bits[1, 9:18]
    for time, arm in ((2, 0), (12, 1)):
        other = bits.copy()
        other[:, time] = 1 - other[:, time]
        entry = flipped("pull", by_pull, arm, time - 9 * arm, other[arm, time])
        assert most_told(policy, Pair("round", bits, other)) == most_told(policy, entry) > 0.1
    other = bits.copy()
    other[:, 18] = 1 - other[:, 18]
    assert most_told(policy, Pair("round", bits, other)) < 1e-9  # nobody pulls any more


def test_the_law_of_a_batch_keeps_what_every_run_says():
    """Its outcomes in their places, the largest error, and a blur where some chance is lost in a double."""

    def said(chances, error):
        return Chances(
            np.eye(len(chances[0]), dtype=bool), np.log(np.array(chances)), np.full((len(chances), 2), error)
        )

    first = (np.array([2, 0]), np.array([[1, 0], [0, 1]]), said([[0.25, 0.75], [0.5, 0.5]], 1e-9))
    second = (np.array([1]), np.array([[3, 0], [0, 2]]), said([[1.0, 1e-299]], 1e-8))
    law = assembled(3, 2, [first, second])
    assert law.counts.tolist() == [[[1, 0], [0, 1]], [[3, 0], [0, 2]], [[1, 0], [0, 1]]]
    assert law.chance == pytest.approx(np.array([[0.5, 0.5], [1.0, 1e-299], [0.25, 0.75]]), rel=1e-12, abs=0)
    assert (law.error, law.absolute_error) == (1e-8, 0.0)
    faint = (np.array([1]), second[1], said([[1.0, 9e-301]], 0.0))
    for parts in ([first, faint], [faint, first]):
        law = assembled(3, 2, parts)
        assert (law.error, law.absolute_error) == (1e-9, 1e-300)
    assert assembled(1, 2, [(np.array([0]), second[1], said([[1.0, 1e-20]], 0.0))]).error == RELATIVE
