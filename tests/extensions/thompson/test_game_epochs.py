"""The threshold game of DP-TS-UCB: never below the truth on all 0/1 tables, nor an attack above it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Pulls, Seeded, Verdict
from dpbandits.extensions.thompson import epochs as module
from dpbandits.extensions.thompson.epochs import (
    Epochs,
    WorstMeans,
    certified_attack,
    epochs_curve,
    serving_epoch,
    worst_means,
)
from dpbandits.extensions.thompson.moments import MOMENT_ORDERS, THRESHOLDS, moment_factors
from dpbandits.extensions.thompson.rules import RoundLimits
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.hu25 import section_4_3_game as lemmas
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.claims.model import Basis
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.hu25.section_4_3_game import chapter

EPS = np.array([0.0, 0.2, 0.5, 1.0, 2.0, 3.0])


def law(policy: DPTSUCB, tables: Array, relation: str) -> Array:
    """The chances of all transcripts, (tables, transcripts), by the centres and scales of the reference itself."""
    T, K, number = policy.horizon, policy.arms, np.arange(len(tables))
    noise = Seeded(trials=len(tables), seed=0)
    found = []
    for released in product(range(K), repeat=T - K):
        state, chance, pulled = policy.init(len(tables)), np.ones(len(tables)), np.zeros(K, dtype=int)
        for t, arm in enumerate((*range(K), *released), start=1):
            drawn = policy.posterior(t, state)
            if drawn is not None:
                centre, scale = drawn
                assert (scale > 0).all()  # every score is fresh
                if K == 2:
                    lead = (centre[:, arm] - centre[:, 1 - arm]) / np.hypot(scale[:, 0], scale[:, 1])
                    chance = chance * ndtr(lead)
                else:
                    chance = chance * argmax_law(centre, scale)[:, arm]
            sums = np.zeros((len(tables), K))
            sums[:, arm] = tables[number, arm, pulled[arm] if relation == "pull" else t - 1]
            pulled[arm] += 1
            state = policy.learn(t, state, Pulls.one(np.full(len(tables), arm), K), sums, noise)
        found.append(chance)
    return np.stack(found, axis=1)


def worst(arms: int, horizon: int, relation: str) -> Array:
    """The true largest delta at EPS over all 0/1 tables."""
    length = horizon if relation == "round" else horizon - arms + 1
    cells = arms * length
    tables = ((np.arange(2**cells)[:, None] >> np.arange(cells)) & 1).reshape(-1, arms, length).astype(float)
    laws = law(DPTSUCB(arms, horizon, 0.0), tables, relation)
    if relation == "pull":
        steps = [1 << cell for cell in range(cells)]
    else:
        steps = [(1 << t) + (1 << length + t) for t in range(length)]  # both entries of a round, and either of them
        steps += [1 << cell for cell in range(cells)]
    best = np.zeros(EPS.size)
    for step in steps:
        other = laws[np.arange(2**cells) ^ step]
        truth = [np.maximum(laws - np.exp(eps) * other, 0).sum(axis=1).max() for eps in EPS]
        best = np.maximum(best, truth)
    return best


@pytest.mark.parametrize(
    ("arms", "horizon", "relation"), [(2, 6, "pull"), (2, 5, "round"), (3, 5, "pull")], ids=lambda one: str(one)
)
@pytest.mark.first(1)
def test_never_below_all_tables(arms: int, horizon: int, relation: str) -> None:
    truth = worst(arms, horizon, relation)
    game = Epochs(horizon, 1.0, arms)
    found = epochs_curve(game, 1e-4).delta(EPS)
    assert (found >= truth).all()
    assert found[2] < 1.8 * truth[2]
    assert (epochs_curve(game._replace(arms=None), 1e-4).delta(EPS) >= truth).all()


class Longer(Epochs):
    """Means over twice as many observations as the game has."""

    def rule(self, epoch: int, *place: Any) -> RoundLimits:
        return RoundLimits(*(part / 2**0.5 for part in super().rule(epoch, *place)))


class Ended(Epochs):
    """Ends a pull too early."""

    def rounds(self, epoch: int) -> int:
        return self.horizon - 3 if epoch == 0 else 0


@pytest.mark.parametrize("wrong", [Longer, Ended])
def test_the_tables_see_a_shift_that_is_too_small(wrong: type[Epochs]) -> None:
    assert (epochs_curve(wrong(6, 1.0, 2), 1e-4).delta(EPS) < worst(2, 6, "pull")).any()


@pytest.mark.parametrize("own", [(), (0.75,)])
def test_an_attack_is_the_exact_law(own: tuple[float, ...]) -> None:
    """Of the first epoch, and of the second one, whose mean of two observations serves for four pulls."""
    T, game, other = 8, Epochs(8, 1.0, 2), (0.5, 0.25)
    low = np.zeros((2, T))
    low[0, : 2 ** len(own) - 1] = own
    low[1] = [other[min(int(np.log2(i + 1)), 1)] for i in range(T)]
    high = low.copy()
    high[0, 2 ** len(own) - 1] = 1.0
    left, right = law(DPTSUCB(2, T, 0.0), np.stack([low, high]), "pull")
    found = certified_attack(game, own, other, 0.004, reach=(-6.0, 8.0))
    for eps in EPS[:4]:
        truth = np.maximum(left - np.exp(eps) * right, 0).sum()
        assert truth > 0.01
        assert 0.995 * truth - 1e-6 <= found.delta(eps) <= truth


@pytest.mark.thorough
def test_who_asks_about_a_tiny_delta_sees_fainter_transcripts() -> None:
    """That arm 0 is not pulled again for some rounds shows more than all transcripts of the usual size, and no more
    than all: its chances are products of Phi((0.2 - reward)/sqrt(1 + 1/n)), n the observations of the other mean."""
    game, reach, delta = Epochs(200, 1.0, 2), (-12.0, 200.0), 1e-40
    usual, faint = (certified_attack(game, (), (0.2,), 0.05, reach, smallest).eps(delta) for smallest in (1.0, delta))
    pulls = np.arange(1, 199)
    deviation = np.sqrt(1 + 2.0 ** (1 - np.floor(np.log2(pulls + 1))))
    left, right = (np.cumprod(ndtr((0.2 - reward) / deviation)) for reward in (0, 1))
    alone = np.log((left - delta)[left > delta] / right[left > delta]).max()
    assert usual < alone <= faint <= epochs_curve(game, 1e-43).eps(delta)


def test_means_serve_as_in_the_algorithm_itself() -> None:
    assert lemmas.serves(DPTSUCB(2, 40, 0.0)) == [(1, 2, True), (2, 4, True), (4, 8, True), (8, 16, True)]
    assert serving_epoch(np.arange(1, 16)).tolist() == [0, 0, 1, 1, 1, 1, *8 * [2], 3]
    limited = DPTSUCB(2, 40, 1.0, budget=lambda *_: 7.0)
    assert not all(fresh for _, _, fresh in lemmas.serves(limited))
    assert [lemmas.as_played(policy) for policy in (DPTSUCB(2, 40, 0.0), limited)] == [True, False]
    with pytest.raises(ValueError, match=r"the budget of .* draws may be used up in 40 rounds"):
        lemmas.game_of(DPTSUCB(2, 40, 1.0), 2)
    assert lemmas.game_of(DPTSUCB(2, 15_000, 0.0), None) == Epochs(15_000, 1.0)


def test_the_rounds_of_two_arms() -> None:
    """After 20 pulls, 3 of arm 0 with a mean of two observations: the other one was pulled 14 times, so its mean is
    made of 4; and the variances add up."""
    shift, low, high = (float(part[0]) for part in Epochs(50, 0.7, 2).rule(1, 3, 20))
    deviation = (0.7 / 2 + 0.7 / 4) ** 0.5
    assert (shift, low, high) == pytest.approx((0.5 / deviation, 1 / deviation, 1 / deviation))
    assert Epochs(50, 0.7, 2).rounds(1) == 50 - 2 - 2
    shift, low, high = (float(part[0]) for part in Epochs(50, 0.7).rule(2, 3, 20))
    assert (shift, low, high) == (pytest.approx((4 * 0.7) ** -0.5), np.inf, np.inf)


def test_the_rounds_of_an_epoch() -> None:
    """Epoch r of an arm begins to serve after 2^(r+1) - 1 pulls of it; one of them is among the first K."""
    for epoch, before in ((0, 0), (1, 2), (2, 6), (3, 14)):
        assert Epochs(50, 0.7, 3).rounds(epoch) == 50 - 3 - before
        assert Epochs(50, 0.7).rounds(epoch) == 50 - 2 - before
    few = [float(part[0]) for part in Epochs(9, 0.7, 2).rule(1, 1, 4)]  # no run gets there: one pull of the other arm
    deviation = (0.7 / 2 + 0.7) ** 0.5
    assert few == pytest.approx([0.5 / deviation, 1 / deviation, 1 / deviation], rel=1e-12)
    many = [float(part[0]) for part in Epochs(60, 0.7, 2).rule(1, 2, 12)]  # 7 pulls: its third epoch, of four, is over
    assert many[1] == pytest.approx((0.7 / 2 + 0.7 / 4) ** -0.5, rel=1e-12)


def test_samples_composed_have_gaussian_powers() -> None:
    """log E_P (dP/dQ)^(a-1) between normals mu apart is a (a - 1) mu^2/2; mu^2 is 1/(v n) for every round."""
    game = Epochs(60, 0.7)
    for epoch in (0, 2):
        found = module.gaussian(game, epoch)
        square = (60 - 2 - (2 ** (epoch + 1) - 2)) / (0.7 * 2**epoch)
        for a, start in zip(found.orders, found.start, strict=True):
            # int phi(x) e^(a (mu x - mu^2/2)) dx, with the largest exponent taken out.
            mu, step = square**0.5, 1 / 64
            x = np.arange(-9, 9, step) + a * mu
            logs = a * (mu * x - square / 2) - x * x / 2 - np.log(2 * np.pi) / 2
            wanted = logs.max() + np.log(np.exp(logs - logs.max()).sum() * step)
            assert start == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert (found.start >= found.orders * (found.orders - 1) * square / 2).all()


@pytest.mark.parametrize("higher", ["right", "left"])
@pytest.mark.parametrize("epoch", [0, 1])
def test_the_game_for_powers_pull_by_pull(higher: str, epoch: int) -> None:
    """A mean of 2^r observations serves for twice as many pulls, and then says no more; the worst start counts."""
    game = Epochs(7, 0.9)
    found = module.epoch_moments(game, epoch, higher)
    shift = (0.9 * 2**epoch) ** -0.5
    orders = [a for a in MOMENT_ORDERS if (a - 1) * shift <= 8 and a * shift <= 9.5]
    assert found.orders.tolist() == orders
    pulled, stays = (part[:, 0] for part in moment_factors(np.array([shift]), higher, found.orders, THRESHOLDS))
    value = [np.ones(len(orders))] * (2 ** (epoch + 1) + 1)
    for _ in range(7 - 2 - (0, 2)[epoch]):
        value = [(pulled * value[k + 1] + stays * value[k]).max(axis=0) for k in range(len(value) - 1)] + [value[-1]]
    assert found.start == pytest.approx(np.log(value[0]), rel=1e-8, abs=1e-9)  # it grows with the rounds to go
    assert (found.start >= np.log(value[0])).all()


def test_means_that_are_searched_for_are_those_that_serve() -> None:
    """Of arm 0 those before the changed one; of arm 1, which is pulled T - 1 times at most: after 14 pulls it has ended
    three epochs, after 15 four. All start at 1, as multiples of 1/REWARDS."""
    for T, epoch, others in ((15, 0, 3), (16, 0, 4), (15, 1, 3)):
        found = worst_means(Epochs(T, 1.0, 2), epoch, 1e-3, 5.0, 1)
        assert (found.own, found.other) == (epoch * (1.0,), others * (1.0,))


@pytest.mark.thorough
def test_a_search_stays_below_the_bound_and_gets_near() -> None:
    game = Epochs(24, 1.0, 2)
    bound = epochs_curve(game, 1e-7).eps(1e-6)
    first, found = (worst_means(game, 0, 1e-6, bound, proposals) for proposals in (1, 40))
    assert isinstance(found, WorstMeans)
    assert first.attack.eps(1e-6) < found.attack.eps(1e-6) <= bound < 1.05 * found.attack.eps(1e-6)
    assert all(mean * module.MEAN_RESOLUTION == round(mean * module.MEAN_RESOLUTION) for mean in found.other)


def test_sides_are_made_sharper_while_they_count() -> None:
    """The powers of a side are never below the grid's values, and what was left coarse says no more than the rest."""
    game = Epochs(40, 1.0)
    bound = epochs_curve(game, 1e-7)
    assert set(bound.curves) < set(bound.powers)
    last = bound.eps(1e-6)
    for name in bound.powers:
        assert module.one_sided(bound, name, 1e-6) <= last
        if name in bound.curves:
            assert last < module.one_sided(module.Upper(game, "pull", bound.powers, {}), name, 1e-6)
    assert last < 0.7 * lemmas.gaussian_eps(38.0**0.5)  # of all samples


@pytest.mark.parametrize(
    "game",
    [Epochs(2, 1.0), Epochs(9, 0.0), Epochs(9, np.inf), Epochs(9, np.nan), Epochs(9, 1.0, 1), Epochs(9, 1.0, 10)],
)
def test_no_such_game(game: Epochs) -> None:
    with pytest.raises(ValueError, match="T must be at least 3, v positive"):
        epochs_curve(game)
    assert epochs_curve(Epochs(4, 1.0, 4)).eps(1e-3) == 0  # all pulls are the first of their arms
    assert epochs_curve(Epochs(4, 1.0, 4)).delta(0.0) == 0
    assert epochs_curve(Epochs(3, 1.0, 3)).eps(1e-3) == 0
    assert epochs_curve(Epochs(3, 1.0, 2), 0.01).delta(0.0) > 0.1


@pytest.mark.parametrize(
    ("smallest", "fineness"), [(0.0, 1.0), (1.0, 1.0), (1e-3, 0.0), (1e-3, -1.0), (1e-3, np.nan), (1e-3, np.inf)]
)
def test_no_such_question(smallest: float, fineness: float) -> None:
    asked = f"^smallest = {smallest}, fineness = {fineness}; smallest must lie strictly between 0 and 1, and fineness"
    with pytest.raises(ValueError, match=asked):
        epochs_curve(Epochs(9, 1.0), smallest, fineness)


def test_deltas_may_come_one_by_one() -> None:
    game, deltas = Epochs(9, 1.0, 2), [1e-2, 1e-3]
    assert epochs_curve(game, deltas=iter(deltas)).eps(1e-3) == epochs_curve(game, deltas=deltas).eps(1e-3)


@pytest.mark.thorough
def test_the_ledgers_claims_say_less_where_the_numbers_are_less() -> None:
    """Each judge says what the ledger expects, here at a shorter horizon."""
    first, second = ((claim, Effort(), 0) for claim in chapter.claims)
    sharper = lemmas.sharper(*first, shares={30: 0.71})
    found = sharper, lemmas.attained(*second, horizon=30, at_most=23.2, at_least=22.8)
    for finding, claim in zip(found, chapter.claims, strict=True):
        assert finding.verdict is claim.expect
        assert set(finding.rests_on) == {Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW}
    assert lemmas.sharper(*first, shares={30: 0.69}).verdict is Verdict.UNSUPPORTED
    for most, least in ((23.0, 22.8), (23.2, 22.9)):
        found = lemmas.attained(*second, horizon=30, at_most=most, at_least=least)
        assert found.verdict is Verdict.UNSUPPORTED
