"""A user's policy as the documentation alone teaches it: it selects by noise, in two phases, and ends with an answer.

Its law is a few lines on top of `act`; the calls that audit it are those of every other policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from runpy import run_path
from typing import NamedTuple

import numpy as np
import pytest

from dpbandits import QUICK, Pulls, Verdict, audit_policy, flipped, follows_law
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.bandits.policy import Law
from dpbandits.reference.bandits.release_laws.checked import in_doubles
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, argmax, subsets, survivors, top
from dpbandits.reference.bandits.release_laws.winners import MIN_LOG_CHANCE, released
from dpbandits.reference.claims.model import Basis

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


@pytest.mark.planted
def test_the_exact_law_judges_it():
    """A reward moves its sum by 2, where the noise has scale 2/eps: the first phase alone decides, and a reward of the
    second phase is in the second sum. So it is eps-DP, and by no more than the selection hides."""
    right = audit_policy(Shortlist(2.0), eps=1.0, profile=FEW)
    assert right.verdict is Verdict.CONSISTENT, right.summary
    assert Basis.EXACT_LAW in right.rests_on
    wrong = audit_policy(Shortlist(1.0), eps=1.0, profile=FEW)  # noise for rewards in [0, 1]
    assert wrong.verdict is Verdict.REFUTED
    assert Basis.EXACT_LAW in wrong.rests_on
    beyond = audit_policy(replace(Shortlist(1.0), reward_range=(0.0, 1.0)), eps=1.0, profile=FEW)
    assert beyond.verdict is Verdict.CONSISTENT, beyond.summary


@pytest.mark.thorough
def test_a_law_that_it_does_not_follow():
    lying = Shortlist(2.0, shrunk=0.5)
    finding = audit_policy(lying, eps=1.0, profile=FEW)
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


HALVING = run_path(str(Path(__file__).parents[1] / "examples" / "halving.py"))["Halving"]


@pytest.mark.planted
def test_the_example_of_a_selection_keeps_its_promise_and_no_more():
    """It selects among the arms that are left. A third arm that is back in the second phase is another law."""
    right = audit_policy(HALVING(1.0), eps=1.0, profile=FEW)
    assert right.verdict is Verdict.CONSISTENT, right.summary
    assert Basis.EXACT_LAW in right.rests_on
    assert audit_policy(HALVING(1.0), eps=0.7, profile=FEW).verdict is Verdict.REFUTED
    assert follows_law(HALVING(1.0), HALVING(1.0), trials=2_000).verdict is Verdict.CONSISTENT
    assert follows_law(HALVING(1.5), HALVING(1.0), trials=2_000).verdict is Verdict.REFUTED

    class Forgetful(HALVING):
        def act(self, t, state, noise):
            return super().act(t, state._replace(left=np.ones_like(state.left)), noise)

    finding = follows_law(Forgetful(1.0), HALVING(1.0), trials=2_000)
    assert finding.verdict is Verdict.REFUTED


@pytest.mark.parametrize("select", [partial(top, size=1), partial(top, size=2), partial(survivors, width=1.5)])
@pytest.mark.parametrize("kind", [LAPLACE, NORMAL], ids=["laplace", "normal"])
def test_among_is_the_law_of_those_that_take_part(kind, select):
    """Row by row as if the others were not there, whatever they are; sets with others are impossible, exactly."""
    centres, scales = np.array([[0.0, 1.0, np.nan, 2.0], [0.5, np.inf, 1.0, 0.0], [3.0, 1.0, 0.0, 2.0]]), 1.5
    among = np.array([[True, True, False, True], [True, False, True, False], [True] * 4])
    found = select(kind, centres, scales, among=among)
    np.testing.assert_allclose(found.chance.sum(axis=1), 1, rtol=1e-12)
    for row, mask in enumerate(among):
        fit = ~(found.sets & ~mask).any(axis=1)
        assert (found.log[row, ~fit] == -np.inf).all()
        if select.keywords.get("size") == mask.sum():
            assert found.log[row, fit].tolist() == [0.0]
            assert not found.error[row].any()
            continue
        alone = select(kind, centres[[row]][:, mask], scales)
        assert {tuple(each) for each in alone.sets} == {tuple(each[mask]) for each in found.sets[fit]}
        where = [(alone.sets == each[mask]).all(axis=1).argmax() for each in found.sets[fit]]
        assert found.log[row, fit].tolist() == alone.log[0, where].tolist()
        assert found.error[row, fit].tolist() == alone.error[0, where].tolist()
        assert not found.error[row, ~fit].any()
    assert released(found, found.sets * 1).absolute_error == 0
    with pytest.raises(ValueError, match=r"in row 1 `size` is \d, which exceeds the number of options in `among`: 0"):
        select(kind, centres, scales, among=among & [[True], [False], [True]])
    with pytest.raises(ValueError, match="`among` must be booleans"):
        select(kind, centres, scales, among=among.astype(int))
    with pytest.raises(ValueError, match=r"possible outcomes, too many to list|of 20 numbers can be selected"):
        (top if "size" in select.keywords else survivors)(kind, np.zeros((1, 20)), 1.0, 7, among=np.ones((1, 20), bool))
    some = found.sets[found.sets.sum(axis=1) == found.sets.sum(axis=1).max()]
    if "width" in select.keywords:
        assert select(kind, centres, scales, sets=some, among=among).log[0].tolist() == [-np.inf]


def test_a_selection_as_the_law_of_a_step():
    found = top(LAPLACE, np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 0.0]]), 1.0, 2)
    law = released(found, found.sets * 4)
    assert law.counts.shape == (2, 3, 3)
    assert law.absolute_error == 0
    np.testing.assert_allclose(law.chance, np.exp(found.log), rtol=1e-14)
    np.testing.assert_allclose(law.chance[1], 1 / 3, rtol=1e-12)
    far = released(argmax(LAPLACE, np.array([[0.0, 1000.0]]), 1.0), subsets(2, 1, 1) * -1)
    assert far.chance[0, 0] == 0
    assert far.absolute_error == 0
    assert far.log[0, 0] == pytest.approx(np.log(501 / 2) - 1000, rel=1e-12)  # (1 + 1000/2) e^-1000/2
    assert in_doubles(far).absolute_error == pytest.approx(np.exp(MIN_LOG_CHANCE), rel=1e-12, abs=0)
    with pytest.raises(ValueError, match=r"released: counts have shape \(2, 2\); they must have shape \(3, arms\)"):
        released(found, np.zeros((2, 2), dtype=int))
    with pytest.raises(
        ValueError,
        match=r"released: counts have shape \(1, 3, 3\); .* or \(2, 3, arms\), the same for each state",
    ):
        released(found, np.zeros((1, 3, 3), dtype=int))
