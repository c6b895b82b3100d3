"""The exact laws of chen24's policies: they are what the policies do, and their mutants do something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dpbandits.audit.conformance import follows_law
from dpbandits.proofs_checks.exact.laws import exact_profile
from dpbandits.reference.environments import Table
from dpbandits.reference.ledger import Verdict
from dpbandits.reference.neighbours import flipped
from dpbandits.reference.papers.chen24 import baseline, dp_bai, dp_bai_gauss, dp_od
from dpbandits.reference.papers.chen24.spreads import LaplaceNoise

PLANE = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.6), (0.9, 0.9), (1.0, 0.0)]
FLAT = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.6, 0.0), (0.9, 0.9, 0.0), (1.0, 0.2, 0.0)]
SPACE = np.round(np.random.default_rng(1).normal(size=(10, 3)), 2).tolist()

POLICIES = {
    "independent": dp_bai(np.eye(3), 30, 1.0),
    "Max-Det, plane": dp_bai(PLANE, 14, 0.7),
    "Max-Det, then all": dp_bai(FLAT[:5], 30, 3.0),
    "Gauss": dp_bai_gauss(PLANE, 14, 2.0, 0.1),
    "Baseline": baseline(PLANE, 20, 1.0),
    "DP-OD": dp_od(PLANE, 14, 5.0),
    "DP-OD, two rounds": dp_od(np.eye(3) + 0.1, 20, 4.0),
}


@pytest.mark.parametrize("name", POLICIES)
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
    assert max(exact.largest, exact.swapped.largest) == pytest.approx(np.log(tail[1] / tail[0]), rel=1e-9)


def test_what_pulls_do_not_tell():
    """Six arms on a line, one of which is pulled in each phase: its pulls do not tell which five are active."""
    policy = dp_bai(np.outer(np.arange(1, 7), [1.0, 2.0, 0.0]), 400, 1.0)
    state = policy.init(1)
    pulls = policy.act(1, state, None)
    state = policy.learn(1, state, pulls, pulls.counts * 0.5, None)
    with pytest.raises(ValueError, match="does not tell which arms are active"):
        policy.law(2, state)
