"""Laws by the logarithms of their chances: relative at any depth, and what the engine makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from mutants_sajed19 import SETTING, HalfNoise
from one_block import OneBlock

from dpbandits import QUICK, Pulls, Verdict, audit_policy, flipped
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.exact_pairs import pairs_with_few_states
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.distinguishers import DEEPEST, logarithms
from dpbandits.audit.privacy.search import between
from dpbandits.proofs_checks.exact.engine import DEEP_STATES, TooManyStates, exact_profile, unfold_states
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.state_graph import state_graph
from dpbandits.reference.bandits.policy import Law, by_logarithms
from dpbandits.reference.bandits.release_laws.checked import checked_law, in_doubles
from dpbandits.reference.claims.model import Private
from dpbandits.reference.papers.sajed19 import DPSE
from dpbandits.reference.papers.sajed19.claims import CLAIMS
from dpbandits.reference.papers.sajed19.privacy import at_the_width

CLAIM = next(claim for claim in CLAIMS if isinstance(claim.says, Private))
LONG = 10**8


class Heard(NamedTuple):
    paid: np.ndarray  # (trials, arms): by the last step alone


@dataclass(frozen=True)
class Faint:
    """Arm 1 is pulled with a chance of e^-(depth - leak r), r what arm 0 paid in the last step; else arm 0."""

    depth: float = 900.0
    leak: float = 0.3
    arms: int = 2
    horizon: int = 3

    def init(self, trials):
        return Heard(np.zeros((trials, self.arms)))

    def act(self, t, state, noise):
        beyond = noise.uniform("faint", t) < np.exp(self.logs(state)[:, 1])
        return Pulls.one(beyond.astype(int), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        return Heard(np.array(sums))

    def logs(self, state):
        seldom = self.leak * state.paid[:, 0] - self.depth
        return np.stack([np.log1p(-np.exp(seldom)), seldom], axis=1)

    def law(self, t, state):
        return by_logarithms(np.broadcast_to(np.eye(2, dtype=int), (len(state.paid), 2, 2)), self.logs(state))


@dataclass(frozen=True)
class Never(Faint):
    """Arm 1 is pulled only if the last reward was above 1/2, and then with a chance of e^-depth."""

    def logs(self, state):
        logs = super().logs(state)
        return np.where((state.paid[:, :1] > 0.5) | (np.arange(2) == 0), logs, -np.inf)


@dataclass(frozen=True)
class Flips(Faint):
    """Arm 1 is pulled but for a chance of e^-depth, if the last reward was above 1/2; arm 0, if it was not."""

    def logs(self, state):
        seldom = np.array([-self.depth, np.log1p(-np.exp(-self.depth))])
        return np.where(state.paid[:, :1] > 0.5, seldom, seldom[::-1])


def first_reward(policy):
    return flipped("pull", np.zeros((policy.arms, policy.horizon)), 0, 0, 1.0)


# -- the gate --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Says(Faint):
    what: Law | None = None

    def law(self, t, state):
        return self.what


COUNTS = np.eye(2, dtype=int)[None]
LOGS = np.array([[np.log1p(-np.exp(-800.0)), -800.0]])


def test_a_law_by_logarithms_passes_the_gate_as_it_is():
    law = checked_law(Says(what=by_logarithms(COUNTS, LOGS)), 1, Heard(np.zeros((1, 2))))
    assert law.log.tolist() == LOGS.tolist()
    assert law.chance.tolist() == [[1.0, 0.0]]
    assert not law.log.flags.writeable
    assert law.absolute_error == 0
    doubles = in_doubles(law)
    assert (doubles.log, doubles.absolute_error) == (None, np.exp(-700.0))
    impossible = by_logarithms(COUNTS, [[0.0, -np.inf]])
    assert in_doubles(impossible).absolute_error == 0  # it is impossible exactly
    assert in_doubles(doubles) is doubles


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (by_logarithms(COUNTS, [[np.nan, -1.0]]), "must be finite"),
        (by_logarithms(COUNTS, [[0.0, np.inf]]), "must be finite"),
        (by_logarithms(COUNTS, [[0.0, -1.0]]), "the sum of the probabilities is 1.36"),
        (by_logarithms(COUNTS, [[-800.0, -801.0]]), r"the sum of the probabilities is 0\.0"),
        (by_logarithms(COUNTS, LOGS)._replace(absolute_error=1e-9), "log is combined with absolute_error=1e-09"),
        (by_logarithms(COUNTS, LOGS)._replace(log=LOGS[:, :1]), r"log has shape \(1, 1\); expected \(1, 2\)"),
        (by_logarithms(COUNTS, LOGS)._replace(log="deep"), "not an array of real numbers"),
        (
            by_logarithms(COUNTS, LOGS)._replace(log=LOGS + np.array([[0.0, 780.0]])),
            "the probability must be its exponential",
        ),
        (
            Law(COUNTS, [[0.75, 0.25]], log=np.log([[0.25, 0.75]])),
            "the logarithm of the probability of outcome 0 is -1.38",
        ),
        (
            Law(COUNTS, [[1.0, 0.0]], log=np.array([[np.nan, -800.0]])),
            "the logarithm of the probability of outcome 0 is nan",
        ),
    ],
)
def test_what_is_no_law_by_logarithms_is_said(law, words):
    with pytest.raises(ValueError, match=words):
        checked_law(Says(what=law), 1, Heard(np.zeros((1, 2))))


# -- the exact engine ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [5.0, 650.0, 705.0, 744.0, 900.0, 1e5])
def test_a_leak_is_what_it_is_at_any_depth(depth):
    """Once in every run, since nothing is remembered for longer than a step."""
    policy = Faint(depth)
    low, high = exact_profile(policy, first_reward(policy)).eps(0.0)
    assert low == pytest.approx(0.3, abs=1e-9 + 1e-14 * depth)
    assert 0 <= high - low < 1e-9 + 1e-13 * depth


def test_what_is_impossible_on_one_side_is_told_from_what_is_faint():
    assert exact_profile(Never(), first_reward(Never())).eps(0.0) == (np.inf, np.inf)


@pytest.mark.parametrize("depth", [680.0, 705.0, 900.0])
@pytest.mark.first(1)
def test_what_is_faint_on_one_side_and_likely_on_the_other_is_a_violation(depth):
    """The sides have no release in common that a double holds to all of its digits: of such losses, it shows 667."""
    policy = Flips(depth, horizon=2)
    profile = exact_profile(policy, first_reward(policy))
    assert profile.delta(1.0)[0] == pytest.approx(1, rel=1e-9)
    assert profile.eps(0.5)[0] > 600
    finding = audit_policy(policy, eps=1.0, trials=200)
    assert finding.verdict is Verdict.REFUTED
    assert "above the claimed 1" in finding.summary


@pytest.mark.parametrize("deep", [True, False])
def test_the_high_end_is_above_what_no_double_holds(deep):
    """Each delta is at least the difference of chances e^-900, which rounds up to a double above 0."""
    profile = exact_profile(Faint(), first_reward(Faint()), deep=deep)
    assert (np.array(profile.delta([0.0, 0.1, 0.29])[1]) > 0).all()
    assert profile.eps(0.0)[1] >= 0.3


def test_transcripts_one_by_one_know_chances_alone():
    found = enumerated_profile(Faint(), first_reward(Faint()))
    assert found.step_absolute_error == np.exp(-700.0)
    assert found.eps(0.0)[0] == 0
    near = enumerated_profile(Faint(depth=5.0), first_reward(Faint()))
    assert near.step_absolute_error == 0
    assert near.eps(0.0)[0] == pytest.approx(0.3, abs=1e-9)


def test_scores_have_a_number_for_every_way():
    layer = state_graph(Never(), first_reward(Never())).first_layer()
    offers = state_graph(Never(), first_reward(Never())).transitions(1, layer)
    assert logarithms(offers).tolist() == [[0.0], [0.0]]  # nothing was paid yet: arm 0 for certain
    assert logarithms(offers._replace(log=np.array([[-np.inf], [-900.0]]))).tolist() == [[DEEPEST], [-900.0]]


# -- what tells nothing any more is not followed ---------------------------------------------------------------------

FORGETS = DPSE(**SETTING)
TABLE = np.random.default_rng(1).integers(0, 2, (3, 600)).astype(float)


@pytest.mark.parametrize(("arm", "place"), [(0, 0), (1, 16), (2, 17), (0, 60)])
@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.first(2)
def test_the_profile_is_that_of_all_transcripts(arm, place, relation):
    """One by one, to the end of every run."""
    pair = flipped(relation, TABLE, arm, place, 1 - TABLE[arm, place])
    assert (
        unfold_states(state_graph(FORGETS, pair), 10**6)[0]
        < unfold_states(state_graph(FORGETS, pair)._replace(equal_rewards_after=None), 10**6)[0]
    )
    short, whole = exact_profile(FORGETS, pair, 0.001), enumerated_profile(FORGETS, pair)
    for eps in (0.0, 0.1, 0.5, 0.9):
        (low, high), (least, most) = short.delta(eps), whole.delta(eps)
        assert low <= most
        assert least <= high
        assert high == pytest.approx(most, rel=1e-2, abs=1e-11)
    (low, high), (least, most) = short.eps(0.0), whole.eps(0.0)
    assert max(low, least) <= min(high, most)
    assert high - low < 1e-10


def test_a_reward_that_is_still_to_come_is_waited_for():
    """Both sides are alike until then: the last pull of the arm that is pulled throughout."""
    policy = Faint(depth=1.0, leak=0.5, horizon=4)
    for place, eps in product(range(4), (0.5,)):
        pair = flipped("pull", np.zeros((2, 4)), 0, place, 1.0)
        low, high = exact_profile(policy, pair).eps(0.0)
        # The last reward is heard by no step; of the others, the rarer arm or the more frequent one tells.
        want = 0.0 if place == 3 else max(eps, float(np.log1p(-np.exp(-1)) - np.log1p(-np.exp(eps - 1))))
        assert low <= want + 1e-9
        assert high >= want - 1e-9
        assert high - low < 1e-8


# -- DP-SE -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
def test_two_arms_in_a_long_run_against_50_digits(eps):
    """The difference of two Laplace draws exceeds x >= 0 with chance (1/2 + x/4) e^-x: eps is the largest change of any
    outcome's logarithm, some of them near -3000."""
    policy = DPSE(2, LONG, eps)
    with mpmath.workdps(50):

        def log_tail(x):
            if x >= 0:
                return mpmath.log(mpmath.mpf(1) / 2 + x / 4) - x
            return mpmath.log(1 - (mpmath.mpf(1) / 2 - x / 4) * mpmath.exp(x))

        numbers = policy.numbers(1, 2)
        rounds, width = (mpmath.mpf(float(part)) for part in (numbers.rounds, numbers.width))
        unit = mpmath.mpf(eps) * rounds
        for pair in at_the_width(policy)[:2]:
            logs = []
            for side in (pair.left, pair.right):
                ones = mpmath.mpf(
                    float(side[0] @ np.where(np.arange(side.shape[1]) < side.shape[1] - 1, pair.lengths, 0))
                )
                gap, far = unit * ones / rounds, unit * width
                goes = [log_tail(far - gap), log_tail(far + gap)]
                logs.append([*goes, mpmath.log1p(-mpmath.exp(goes[0]) - mpmath.exp(goes[1]))])
            exact = max(abs(a - b) for a, b in zip(*logs, strict=True))
            low, high = exact_profile(policy, pair).eps(0.0)
            assert low <= exact <= high
            assert high - low < 1e-9


@pytest.mark.parametrize("arms", [3, 6])
def test_eps_is_attained_in_long_runs_by_the_law(arms):
    policy = DPSE(arms, LONG, 1.0)
    low, high = exact_profile(policy, at_the_width(policy)[0]).eps(0.0)
    assert low < 1 + 1e-12
    assert 1 - 1e-9 < low <= high < 1 + 1e-9


@pytest.mark.planted
def test_half_the_noise_is_refuted_by_the_law_of_a_long_run():
    run = Run(replace(QUICK, trials=500), 0, 1e-3)
    found = judge_private(CLAIM, run, HalfNoise(3, LONG, 1.0))
    assert found.verdict is Verdict.REFUTED
    assert "above the claimed 1" in found.summary


@pytest.mark.thorough
def test_a_leak_far_below_what_doubles_hold_is_found():
    assert audit_policy(Faint(horizon=2), eps=0.25, trials=200).verdict is Verdict.REFUTED
    right = audit_policy(Faint(horizon=2), eps=0.31, trials=200)
    assert right.verdict is not Verdict.REFUTED
    assert "exact computation: eps at delta 0 is 0.3" in right.summary


# -- what is too dear ------------------------------------------------------------------------------------------------


def test_pairs_with_too_many_states_are_left_to_others():
    late = flipped("pull", TABLE, 1, 150, 1 - TABLE[1, 150])
    early = flipped("pull", TABLE, 1, 0, 1 - TABLE[1, 0])
    with pytest.raises(TooManyStates, match="more than 2 states"):
        exact_profile(FORGETS, late, most=2)
    kept, profiles = pairs_with_few_states(FORGETS, [late, early], 2)
    assert [*kept] == [early]
    assert profiles[0] is not None
    first, profiles = pairs_with_few_states(FORGETS, [late], 2)
    assert first[0].spot[1] == 0
    assert profiles[0] is not None


def test_a_pass_over_very_many_states_is_shallow_and_not_refused() -> None:
    """Unless fewer are asked for: who asks for a profile gets one, however wide the walk."""
    policy = OneBlock(DEEP_STATES + 1)
    wide, shallow = (exact_profile(policy, policy.pair, deep=deep) for deep in (None, False))
    assert wide.mu_high() == shallow.mu_high() == np.inf
    assert [*wide.delta(1.0)] == [*shallow.delta(1.0)]
    with pytest.raises(TooManyStates, match="more than 60000 states"):
        exact_profile(policy, policy.pair, most=60_000)


def test_a_dear_law_is_asked_about_fewer_pairs():
    assert between.affordable_pairs(Faint()) == np.inf
    assert between.affordable_pairs(DPSE(5, LONG)) == 4096 / 31
    rows = [list(range(64))] * 4 + [list(range(127))]
    assert between.thin_rows(rows, np.inf) == rows
    few = between.thin_rows(rows, 40.0)
    assert len(few) == 5
    assert [row[:2] for row in few] == [[0, 10]] * 5
    assert sum(map(len, few)) <= 45
