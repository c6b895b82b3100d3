"""A user's policy as the README alone teaches it: it selects by noise, in two phases, and ends with an answer.

Its law is a few lines on top of `act`; the calls that audit it are those of every other policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest

from dpbandits.audit.conformance import follows_law
from dpbandits.audit.effort import QUICK
from dpbandits.audit.own import audit_own
from dpbandits.proofs_checks.exact.laws import exact_profile
from dpbandits.reference.ledger import Basis, Verdict
from dpbandits.reference.neighbours import flipped
from dpbandits.reference.policy import Law, Pulls
from dpbandits.reference.selections import LAPLACE, argmax, subsets, top
from dpbandits.reference.winners import SMALLEST, released

FEW = replace(QUICK, trials=2_000, pair_tries=1)


class State(NamedTuple):
    active: np.ndarray  # (trials, arms)
    total: np.ndarray  # (trials, arms): of this phase alone


@dataclass(frozen=True)
class Shortlist:
    """Pulls all arms, keeps the two with the largest noisy sums, pulls these, and recommends the better one. For
    rewards in [-1, 1]: one of them moves one sum of one phase by 2."""

    scale: float
    arms: int = 3
    each: int = 2
    horizon: int = 12  # two pulls stay unused
    answers: bool = True
    reward_range: tuple[float, float] = (-1.0, 1.0)
    shrunk: float = 1.0  # a bug: act draws less noise than the law says

    def init(self, trials):
        return State(np.ones((trials, self.arms), dtype=bool), np.zeros((trials, self.arms)))

    def act(self, t, state, noise):
        if t == 1:
            return Pulls(np.full(state.active.shape, self.each))
        noisy = state.total + self.shrunk * self.scale * noise.laplace("sum", t, (self.arms,))
        order = np.argsort(np.where(state.active, -noisy, np.inf), axis=1)
        if t == 3:
            return Pulls.answer(order[:, 0], self.arms)
        kept = np.zeros_like(state.active)
        np.put_along_axis(kept, order[:, :2], True, axis=1)
        return Pulls(kept * self.each)

    def learn(self, t, state, pulls, sums, noise):
        return State(pulls.counts > 0, sums)

    def law(self, t, state):
        if t == 1:
            return Law(np.full((len(state.total), 1, self.arms), self.each), np.ones((len(state.total), 1)))
        if t == 2:
            found = top(LAPLACE, state.total, self.scale, 2)
            return released(found, found.sets * self.each)
        two = np.argsort(~state.active, axis=1, kind="stable")[:, :2]  # the active arms, in order
        found = argmax(LAPLACE, np.take_along_axis(state.total, two, axis=1), self.scale)
        return released(found, -np.eye(self.arms, dtype=int)[two])


def test_the_exact_law_judges_it():
    """A reward moves its sum by 2, where the noise has scale 2/eps: the first phase alone decides, and a reward of the
    second phase is in the second sum. So it is eps-DP, and by no more than the selection hides."""
    right = audit_own(Shortlist(2.0), eps=1.0, profile=FEW)
    assert right.verdict is Verdict.CONSISTENT, right.summary
    assert Basis.EXACT_LAW in right.rests_on
    wrong = audit_own(Shortlist(1.0), eps=1.0, profile=FEW)  # noise for rewards in [0, 1]
    assert wrong.verdict is Verdict.REFUTED
    assert Basis.EXACT_LAW in wrong.rests_on
    beyond = audit_own(replace(Shortlist(1.0), reward_range=(0.0, 1.0)), eps=1.0, profile=FEW)
    assert beyond.verdict is Verdict.CONSISTENT, beyond.summary


def test_a_law_that_it_does_not_follow():
    lying = Shortlist(2.0, shrunk=0.5)
    finding = audit_own(lying, eps=1.0, profile=FEW)
    assert finding.verdict is Verdict.REFUTED
    assert "behaviour does not follow its declared law" in finding.summary
    assert follows_law(lying, Shortlist(2.0), trials=3_000).verdict is Verdict.REFUTED
    assert follows_law(Shortlist(2.0), Shortlist(2.0), trials=3_000).verdict is Verdict.CONSISTENT


@pytest.mark.parametrize("eps", [0.25, 4.0])
def test_the_loss_is_known_to_the_last_digits(eps):
    """Three equal arms, one reward moved by 1, half of its range: the shortlist tells it, and the second phase, whose
    sums are all 0, adds nothing."""
    policy = Shortlist(2 / eps)
    pair = flipped("pull", np.zeros((3, 12)), 0, 0, 1.0, None, -1.0, 1.0)
    moved = top(LAPLACE, np.array([[1.0, 0.0, 0.0]]), 2 / eps, 2).log[0]
    truth = float(np.abs(moved - np.log(1 / 3)).max())
    low, high = exact_profile(policy, pair).eps(0.0)
    assert low <= truth * (1 + 1e-12)
    assert truth <= high * (1 + 1e-12)
    assert high - low < 1e-9
    assert 0 < truth < eps / 2


def test_a_selection_as_the_law_of_a_step():
    found = top(LAPLACE, np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 0.0]]), 1.0, 2)
    law = released(found, found.sets * 4)
    assert law.counts.shape == (2, 3, 3)
    assert law.blur == 0
    np.testing.assert_allclose(law.chance, np.exp(found.log), rtol=1e-14)
    np.testing.assert_allclose(law.chance[1], 1 / 3, rtol=1e-12)
    far = released(argmax(LAPLACE, np.array([[0.0, 1000.0]]), 1.0), subsets(2, 1, 1) * -1)
    assert far.chance[0, 0] == 0
    assert far.blur == pytest.approx(np.exp(SMALLEST))
    with pytest.raises(ValueError, match=r"released: counts of shape \(2, 2\); give \(3, arms\)"):
        released(found, np.zeros((2, 2), dtype=int))
