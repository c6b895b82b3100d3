"""All messages of Algorithm 4 and all noisy means of Algorithm 3 as a view: twins, likelihood ratios, and mutants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from heavy_tails import Fixed, FrozenS, QuietBest, elimination_twin, mutated
from scipy import stats

from dpbandits import QUICK, Approximate, Seeded, Verdict, flipped, play
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.moves import made_of, worst_shifts
from dpbandits.audit.privacy.scores.samples import scores_of_many
from dpbandits.audit.privacy.scores.values import GRAIN
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.reference.bandits.noisy_values import Shifts, Undeclared
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.claims.model import Basis
from dpbandits.reference.papers.tao22 import DPRSE, LDPRSE, Elimination, Messages, Randomizer, repaired_ldprse
from dpbandits.reference.papers.tao22.claims import CLAIMS
from dpbandits.reference.papers.tao22.shared import at_the_bounds

PRIVATE = {
    claim.id: claim for claim in CLAIMS if claim.id.startswith(("tao22/theorem-6/messages", "tao22/theorem-3/m"))
}
EPS = 2.0
LOCAL = LDPRSE(2, 80, EPS, 1.0, 5e-4, beta=0.9)  # the claim's own: an epoch of 32 rounds
ROOT = repaired_ldprse(arms=2, horizon=30, eps=EPS, v=1.0, u=1e-5, beta=0.9)  # two epochs
CENTRAL = DPRSE(3, 500, EPS, 1.0, 5e-3, beta=0.9)
TRIALS = 400


def losses(policy, pair, trials=TRIALS):
    """The log-likelihood ratios of all declared values on either side."""
    return [scores_of_many(policy, [pair], side, trials, 1)[0] for side in (0, 1)]


def near_the_cut(policy, gap):
    """Arm 0 lies `gap` cuts of the first epoch above the others; its first reward goes from one bound to the other."""
    epoch = policy.epochs()[0]
    bound, cut = float(epoch.bound[0, 0]), policy.cut * float(epoch.err[0, 0])
    table = np.full((policy.arms, policy.horizon), -bound)
    table[0] = gap * cut - bound
    table[0, 0] = bound
    return flipped("pull", table, 0, 0, -bound, None, *policy.reward_range)


# -- Algorithm 4 user by user ----------------------------------------------------------------------------------------


def reported(recorder, trial):
    """The twin's noise of an epoch: the draws of its messages, each made in the step after its round."""
    lengths = {}

    def noise(epoch, arm, rounds):
        lengths[epoch] = rounds
        begin = sum(many for which, many in lengths.items() if which < epoch)
        steps = range(begin + 2, begin + rounds + 2)
        return sum(recorder.values["report", step][trial, arm] for step in steps)

    return noise


@pytest.mark.parametrize(("root", "arms", "u"), [(False, 3, 1e-3), (True, 3, 1e-3), (False, 4, 1e-4)])
def test_the_messages_make_the_runs_of_the_twin(root, arms, u):
    """With the small u, runs of different numbers of arms end their second epochs at different times."""
    policy = (repaired_ldprse if root else LDPRSE)(arms=arms, horizon=150, eps=20.0, v=1.0, u=u, beta=0.9)
    epoch = policy.epochs()[0]
    rng = np.random.default_rng(2)
    rewards = rng.uniform(-1.2, 1.2, (arms, 150)) * float(epoch.bound[0, 0])  # some are truncated
    rewards[0] = 0.6 * float(epoch.bound[0, 0])
    recorder = Recorder(Seeded(4, 8))
    pulls = play(Messages(policy), Fixed(rewards), recorder, 8).pulls.tolist()
    given = policy.arms, policy.horizon, policy.eps, policy.v, policy.u, policy.risk, rewards
    twins = [np.sum(elimination_twin(*given, reported(recorder, trial), True, root), axis=0) for trial in range(8)]
    assert pulls == np.array(twins).tolist()
    assert max(map(max, pulls)) > 50  # some arm went
    assert root or len({str(run) for run in pulls}) > 1
    ends = [float(policy.numbers(np.array([2]), np.arange(arms)[None] < several).length[0, 0]) for several in (2, arms)]
    seen = {int(each + epoch.length[0, 0]) for each in ends} & {pulled for run in pulls for pulled in run}
    assert u > 1e-4 or len(seen) == 2


def test_messages_are_those_of_the_randomizer():
    policy, epoch = Messages(LOCAL), LOCAL.epochs()[0]
    state = policy.init(1)._replace(rounds=np.array([1]), rewards=np.full((1, 2), 0.01))
    said = policy.noisy(2, state)
    right = Randomizer(float(epoch.bound[0, 0]), EPS)
    assert said.scale == pytest.approx(right.scale)
    draw = Seeded(3, 1).laplace("report", 2, (2,))
    assert policy.heard(2, state, LOCAL.numbers(state.epoch, state.active), Seeded(3, 1)) == pytest.approx(
        0.01 + right.scale * draw
    )
    assert protocol_faults(policy) == ()


def test_messages_belong_to_algorithm_4():
    with pytest.raises(ValueError, match="it must be an LDPRSE"):
        Messages(CENTRAL)
    with pytest.raises(ValueError, match="audit `Messages` of this policy"):
        LOCAL.noisy(1, LOCAL.init(1))


# -- the views -------------------------------------------------------------------------------------------------------

RIGHT = [
    *((Messages(LOCAL), pair) for pair in (*at_the_bounds(LOCAL)[:1], near_the_cut(LOCAL, 1.0))),
    *((Messages(ROOT), pair) for pair in at_the_bounds(ROOT)[:2]),
    *((CENTRAL, pair) for pair in (*at_the_bounds(CENTRAL)[:2], near_the_cut(CENTRAL, 1.0))),
]


@pytest.mark.parametrize(("policy", "pair"), RIGHT)
@pytest.mark.first(1)
def test_no_run_tells_more_than_eps_and_some_tell_as_much(policy, pair):
    left, right = losses(policy, pair)
    assert np.abs(np.concatenate([left, right])).max() <= EPS + GRAIN
    assert np.isclose(left, -EPS, atol=GRAIN).any()


@dataclass(frozen=True)
class HalfSpread(Elimination):
    """Sensitivity B for 2 B, in a mean as in a message."""

    def spread(self, now):
        return super().spread(now) / 2


@pytest.mark.parametrize("policy", [LOCAL, CENTRAL], ids=["messages", "means"])
@pytest.mark.thorough
def test_half_the_noise_tells_twice_eps(policy):
    half = mutated(HalfSpread, policy)
    left, _ = losses(Messages(half) if half.local else half, at_the_bounds(policy)[0])
    assert np.isclose(left, -2 * EPS, atol=GRAIN).mean() > 0.3


@dataclass(frozen=True)
class NoSpread(Elimination):
    """No noise at all."""

    def spread(self, now):
        return 0 * super().spread(now)


class MeanOnly(Messages):
    """What users send has no noise; a draw is added to each mean, large enough for central privacy."""

    def reports(self, state, now):
        return super().reports(state, now)._replace(scale=np.zeros(state.rewards.shape))

    def heard(self, t, state, now, noise):
        ended = state.rounds[:, None] >= now.length
        return super().heard(t, state, now, noise) + ended * self.policy.spread(now) * noise.laplace(
            "mean", t, (self.arms,)
        )


class Boasting(Messages):
    """It has half the noise that it declares."""

    def heard(self, t, state, now, noise):
        report = super().heard(t, state, now, noise)
        plain = state.messages + np.where(self.sent(state), state.rewards, 0.0)
        return plain + (report - plain) / 2


@pytest.mark.parametrize(
    ("policy", "gap"),
    [
        (Messages(mutated(NoSpread, LOCAL)), 1.02),
        (MeanOnly(LOCAL), 1.0),
        (Boasting(LOCAL), 1.0),
        (mutated(NoSpread, CENTRAL), 1.02),
        (mutated(QuietBest, CENTRAL), 1.0),
    ],
    ids=["no noise", "noise in the mean only", "half of what is declared", "means without noise", "a quiet best"],
)
@pytest.mark.first(1)
def test_pulls_that_tell_more_than_the_noisy_values_do(policy, gap):
    inner = getattr(policy, "policy", policy)
    with pytest.raises(Undeclared, match="the same values were drawn on both reward tables, but"):
        losses(policy, near_the_cut(inner, gap))


def test_a_frozen_number_of_arms_is_as_private():
    """|S| enters lengths and bounds, which are public, and the noise follows them."""
    frozen = mutated(FrozenS, CENTRAL)
    pairs = at_the_bounds(frozen)[1], near_the_cut(frozen, 1.0)  # the second one: arms go, and |S| changes
    for pair in pairs:
        left, right = losses(frozen, pair)
        assert 0.5 < np.abs(np.concatenate([left, right])).max() <= EPS + GRAIN
    assert (play(frozen, pairs[1].environments()[0], Seeded(1, 50), 50).released[:, 1] > 0).sum(axis=1).tolist().count(
        2
    ) > 5


@pytest.mark.parametrize(("kind", "broken"), [(Elimination, False), (QuietBest, True)])
def test_a_best_arm_without_noise_tells_of_every_arm_that_it_removes(kind, broken):
    """How often arm 0 is left alone, its mean `above` scales over the others or eps more; certified at 1e-6."""
    trials, above = 100_000, 1.0
    policy = mutated(kind, replace(CENTRAL, cut=3.0))  # a low cut, so that it is often
    state = policy.init(trials)._replace(epoch=np.ones(trials, dtype=np.int64))
    now = policy.numbers(state.epoch, state.active)
    alone = []
    for more in (0.0, EPS):
        sums = np.zeros((trials, 3))
        sums[:, 0] = (above + more) * (policy.spread(now) * now.length)[:, 0]
        left = policy.survivors(2, state._replace(sums=sums), Seeded(int(more), trials))
        alone.append(int((left == [True, False, False]).all(axis=1).sum()))
    least = stats.beta.ppf(1e-6, alone[1], trials - alone[1] + 1)
    most = stats.beta.isf(1e-6, alone[0] + 1, trials - alone[0])
    assert alone[0] > 40
    assert (np.log(least / most) > EPS) == broken


# -- how far they move, exactly --------------------------------------------------------------------------------------


def later(policy):
    """The first reward of the second epoch of ROOT goes from one bound to the other."""
    return at_the_bounds(policy)[1]


@pytest.mark.parametrize("policy", [LOCAL, ROOT, CENTRAL], ids=["messages", "two epochs", "means"])
@pytest.mark.first(1)
def test_a_value_of_the_first_epoch_moves_by_eps_exactly_and_is_held_against_every_run(policy):
    view = Messages(policy) if policy.local else policy
    first = policy.epochs()[0]
    bound, last = float(first.bound[0, 0]), int(first.length[0, 0]) - 1
    whole = at_the_bounds(policy)[0]
    half = flipped("pull", np.zeros((policy.arms, policy.horizon)), 1, last, bound, None, *policy.reward_range)
    beyond = flipped("pull", np.zeros((policy.arms, policy.horizon)), 1, 0, bound * 1.01, None, -2 * bound, 2 * bound)
    assert [view.shifts(pair)[:2] for pair in (whole, beyond)] == [("laplace", (pytest.approx(EPS),)), ("laplace", ())]
    assert view.shifts(half).sizes == pytest.approx((EPS / 2,))  # from 0 to B
    place, exact = worst_shifts(view, Approximate(EPS, 0.0), [beyond, half, whole])
    assert place == 2
    assert exact.eps(0.0) == pytest.approx((EPS, EPS), rel=1e-9)
    for pair in (whole, half, beyond):
        scores_of_many(view, [pair], 0, 50, 1)


@pytest.mark.parametrize("policy", [LOCAL, CENTRAL], ids=["messages", "means"])
def test_one_arm_alone_sends_nothing(policy):
    alone = replace(policy, arms=1)
    view, pair = Messages(alone) if policy.local else alone, at_the_bounds(alone)[0]
    assert view.shifts(pair) == Shifts("laplace", (), ())
    scores_of_many(view, [pair], 0, 50, 1)


def test_of_a_later_reward_and_of_an_epoch_that_is_cut_nothing_is_known_beforehand():
    assert Messages(ROOT).shifts(later(ROOT)) is None
    assert CENTRAL.shifts(later(CENTRAL)) is None
    cut = replace(LOCAL, horizon=LOCAL.arms * int(LOCAL.epochs()[0].length[0, 0]))
    assert Messages(LOCAL).shifts(at_the_bounds(LOCAL)[0]) is not None
    assert Messages(cut).shifts(at_the_bounds(cut)[0]) is None
    assert worst_shifts(CENTRAL, Approximate(EPS, 0.0), [later(CENTRAL)]) is None


@pytest.mark.planted
@pytest.mark.parametrize(("kind", "eps"), [(Elimination, EPS), (HalfSpread, 2 * EPS)])
def test_half_the_noise_is_refuted_exactly(kind, eps):
    claimed = Approximate(EPS, 0.0)
    _, exact = worst_shifts(Messages(mutated(kind, LOCAL)), claimed, at_the_bounds(LOCAL))
    assert claimed.bounds(exact).low == pytest.approx(eps, rel=1e-9)
    assert claimed.bounds(exact).refutes == (kind is HalfSpread)
    small = mutated(kind, DPRSE(2, 60, EPS, 1.0, 5e-3, beta=0.9))
    finding = judge_private(PRIVATE["tao22/theorem-3/means"], Run(QUICK, 1, 1e-6), small)
    assert finding.verdict is (Verdict.REFUTED if kind is HalfSpread else Verdict.CONSISTENT), finding.summary
    assert f"exact computation: eps at delta 0 is {eps:g}" in finding.summary
    shown = [each["certificate"] for each in finding.evidence if each["kind"] == "certificate"]
    assert [verify(each).ok for each in shown] == [True] * (kind is HalfSpread)
    assert Basis.EXACT_LAW in finding.rests_on


class Understating(Messages):
    """It says that values move half as far, or not at all, or twice, or of another kind."""

    factor, times, kind = 0.5, 1, "laplace"

    def shifts(self, pair):
        (size,) = super().shifts(pair).sizes
        return Shifts(self.kind, (self.factor * size,) * self.times)


class Misplaced(Messages):
    """It says that its values move as they do, and are made of other numbers."""

    wrong: dict[str, Any]

    def shifts(self, pair):
        said = super().shifts(pair)
        return said._replace(made=tuple(each._replace(**self.wrong) for each in said.made))


@pytest.mark.parametrize(
    "wrong", [{"arm": 1}, {"scale": 1.0}, {"divisor": 2.0}, {"first": 2, "last": 3}, {"last": 2}, {"bound": 0.0}]
)
@pytest.mark.first(1)
def test_values_that_are_made_otherwise_than_declared_are_noticed(wrong):
    pair = flipped("pull", np.full((2, LOCAL.horizon), 0.01), 0, 0, 0.02, None, *LOCAL.reward_range)
    losses(Messages(LOCAL), pair, 20)
    with pytest.raises(
        Undeclared,
        match=r"centres .* on the two reward tables and the scale .*, but according to `shifts`",
    ):
        losses(type("Wrong", (Misplaced,), {"wrong": wrong})(LOCAL), pair, 20)


def test_what_values_are_made_of_is_said_of_all_or_of_none():
    pair = at_the_bounds(LOCAL)[0]
    said = Messages(LOCAL).shifts(pair)
    with pytest.raises(ValueError, match="`made` of length 0 and `sizes` of length 1"):
        made_of(said._replace(made=()), pair)
    with pytest.raises(ValueError, match="divisor and scale must be positive"):
        made_of(said._replace(made=(said.made[0]._replace(scale=0.0),)), pair)


class Silent(Understating):
    times = 0


class Twice(Understating):
    factor, times = 1.0, 2


class Normal(Understating):
    factor, kind = 1.0, "normal"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            Understating,
            "value differs by 2 times its scale between the two reward tables, but `shifts` declares laplace 1",
        ),
        (
            Silent,
            "value differs by 2 times its scale between the two reward tables, but `shifts` declares nothing more",
        ),
        (Twice, r"runs the number of noisy values whose centre moves is 1, but `shifts` declares 2"),
        (
            Normal,
            "the centre of a laplace value differs by 2 times its scale between the two reward tables, but `shifts` "
            "declares normal 2",
        ),
    ],
)
def test_values_that_move_otherwise_than_declared_are_noticed(kind, words):
    with pytest.raises(Undeclared, match=words):
        losses(kind(LOCAL), at_the_bounds(LOCAL)[0], 20)


def test_other_scales_on_either_side_are_no_shift():
    class Wider(Messages):
        def reports(self, state, now):
            said = super().reports(state, now)
            return said._replace(scale=said.scale * (1 + 0.1 * (state.rewards > 0)))

    with pytest.raises(Undeclared, match="different scales on the two reward tables"):
        losses(Wider(LOCAL), at_the_bounds(LOCAL)[0], 20)
