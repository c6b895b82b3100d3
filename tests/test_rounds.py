"""One round of a policy as a mechanism: the same law and the same draws as the policy itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from elimination import Elimination
from fits import LEVEL, chi_square
from hypothesis import given
from mutants import Silent, round_after
from own_policies import BROKEN, RIGHT, Own, asserting, policy_of
from strategies import states

from dpbandits import QUICK, Pulls, Seeded, Verdict
from dpbandits.audit.judges.effort import run_over
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.rounds import (
    BETWEEN,
    TALL,
    Plan,
    candidate_rounds,
    guided_runs,
    plans_of,
    probe_rounds,
    releases,
    rounds_of_longer_runs,
    rounds_tried,
    run_on,
)
from dpbandits.audit.privacy.single_rounds import History, NoRounds, state_after_histories, takes_blocks
from dpbandits.proofs_checks.exact.engine import step_profile
from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.papers.hu25 import QuotedThompsonSampling
from dpbandits.reference.papers.ou24 import ARXIV_27, ModifiedThompsonSampling, ThompsonSampling, single_step


class OnlyTheLaw(NamedTuple):
    """Thompson sampling whose law, and nothing else, is another one after a block: act never shows it."""

    arms: int = 2
    horizon: int = 9

    def init(self, trials: int) -> tuple[Any, Any]:
        return ThompsonSampling(2, 9).init(trials), np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return ThompsonSampling(2, 9).act(t, state[0], noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> tuple[Any, Any]:
        blocks = np.maximum(state[1], pulls.counts.max(axis=1) > 1)
        return ThompsonSampling(2, 9).learn(t, state[0], pulls, sums, noise), blocks

    def law(self, t: int, state: Any) -> Any:
        law = ThompsonSampling(2, 9).law(t, state[0])
        return law._replace(chance=np.where(state[1][:, None] > 0, 0.5, law.chance))


class Shared(Silent):
    """All trials pull alike in the first step, and each for itself from then on."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        arm = noise.uniform("arm", t) < 0.5
        return Pulls.one((np.full_like(arm, arm[0]) if t == 1 else arm).astype(int), self.arms)


def test_trials_that_share_a_draw_are_seen_in_the_runs():
    assert "not independent" in " ".join(probe_rounds(Shared(ThompsonSampling(2, 9)), [], 0))
    assert probe_rounds(Silent(ThompsonSampling(2, 9)), [], 0) == ()


def test_a_law_that_knows_blocks_is_no_law_of_single_pulls():
    assert not takes_blocks(OnlyTheLaw(), 3)
    assert takes_blocks(ThompsonSampling(2, 9), 3)


@pytest.mark.parametrize("error", [RuntimeError, IndexError, NotImplementedError, AssertionError])
def test_a_policy_may_die_of_blocks_as_it_likes(error):
    class Single(ThompsonSampling):
        def learn(self, t, state, pulls, sums, noise):
            if (pulls.counts > 1).any():
                raise error
            return super().learn(t, state, pulls, sums, noise)

    assert not takes_blocks(Single(2, 9), 3)


@given(state=states(arms=3))
@pytest.mark.nonvacuous(20)
def test_the_round_of_algorithm_1_is_its_single_step(state):
    pulls, totals = tuple(state.pulls[0].tolist()), tuple(state.total[0].tolist())
    ours = round_after(ThompsonSampling(3, 9), pulls, totals, totals)
    page = single_step(pulls, totals, totals)
    assert ours.left == page.left
    assert ours.sensitivities == page.sensitivities
    # Means are divided and multiplied back: a unit of 1e-16, in deviations of at least 1e-3.
    assert np.abs(ours.mechanism.law(ours.left) - page.mechanism.law(page.left)).max() <= 1e-12


def test_releases_follow_the_law():
    step = round_after(ModifiedThompsonSampling(2, 9, prepulls=1, variance=2.0), (1, 4), (1.0, 2.0), (0.0, 2.0))
    trials = 100_000
    for values in (step.left, step.right):
        released = step.mechanism.release(values, Seeded(1, trials))
        assert chi_square(np.bincount(released, minlength=2), trials * step.mechanism.law(values)) > LEVEL


def test_a_policy_that_releases_several_arms_at_once_has_no_single_step():
    step = round_after(Elimination(2, 9), (1, 1), (0.0, 0.0), (1.0, 0.0))
    with pytest.raises(
        NoRounds, match=r"Elimination does not release exactly one arm in step 3, so single rounds cannot be audited"
    ):
        step.mechanism.release(step.left, Seeded(1, 10))


def test_walks_of_a_policy_that_releases_several_arms_are_refused():
    """In the two walks that go on: a walk that has ended is not looked at."""

    class Both(NamedTuple):
        arms: int = 2
        horizon: int = 9

        def act(self, t, state, noise):
            counts = np.zeros((noise.trials, 2), dtype=np.int64)
            counts[:, 0] = 1
            counts[noise.trials // 2 :, 1] = state
            return Pulls(counts)

    alive = np.array([True, True, False])
    single = releases(Both(), 3, 0, Seeded(1, 12), alive)
    assert single.tolist() == [[1, 0]] * 3
    with pytest.raises(NoRounds, match="Both does not release exactly one arm in step 3"):
        releases(Both(), 3, 1, Seeded(1, 12), alive)


def step_arm(step):
    """The arm whose reward changed."""
    return next(arm for arm in range(len(step.left)) if step.left[arm] != step.right[arm])


@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.thorough
def test_the_telling_rounds_come_near_to_what_one_reward_may_do(arms):
    """mu of a threshold test of theta_j: 1/2 against noise of variance 1/2 and, from the others, 1/(pulls + 1)."""
    own = rounds_tried(ThompsonSampling(arms, 9)).rounds.values()
    beyond = rounds_of_longer_runs(ThompsonSampling(arms, 9)).rounds.values()
    late = [step for step in beyond if step.mechanism.t == TALL + 2 and step_arm(step) == arms - 1]
    expected = 0.5 / np.sqrt(0.5 + 1 / (TALL // (arms - 1) + 1))
    found = max(step_profile(step).mu()[0] for step in late if step.mechanism.pulls[arms - 1] == 1)
    # Every arm, and as many pulls and steps as there are rounds after them: n + 1 <= t <= 9.
    states = {(step.mechanism.pulls[step_arm(step)], step.mechanism.t, step_arm(step)) for step in own}
    assert states == {(n, t, arm) for n in range(1, 9) for t in range(n + 1, 10) for arm in range(arms)}
    # More arms are less certain together, so that the test is a little blunter than with one.
    assert expected - 3e-3 <= found <= np.sqrt(0.5)


def pulls_of(policy, t):
    return int(policy.law(t, policy.init(1)._replace(pulls=np.ones((1, policy.arms)))).counts[0, 0].sum())


@pytest.mark.parametrize(
    "policy",
    [
        ThompsonSampling(3, 9),
        ModifiedThompsonSampling(2, 12, prepulls=2),
        ModifiedThompsonSampling(3, 8),
        QuotedThompsonSampling(3, 9, first=2),
        Own(2, 6, learning=asserting),
    ],
    ids=["algorithm 1", "pre-pulls", "no pre-pulls", "quoted", "one pull a call"],
)
@pytest.mark.thorough
def test_every_round_that_is_tried_is_one_of_a_run(policy):
    """The pulls are those that so many steps make, each of them possible; and the sides differ in one reward."""
    assert all(step.mechanism.policy is policy for step in rounds_tried(policy).rounds.values())
    beyond = list(rounds_of_longer_runs(policy).rounds.values())
    for step in [*rounds_tried(policy).rounds.values(), *beyond[:: 1 + len(beyond) // 20]]:
        run, history = step.mechanism.policy, step.mechanism.history
        assert 2 <= step.mechanism.t == len(history.arms) + 1
        assert sum(step.mechanism.pulls) == sum(history.sizes) < run.horizon
        assert step.mechanism.pulls == history.counts(run.arms)
        if hasattr(run, "law"):
            assert list(history.sizes) == [pulls_of(run, t) for t in range(1, step.mechanism.t)]
        differ = [k for k in range(len(history.arms)) if history.left[k] != history.right[k]]
        assert len(differ) == 1
        assert history.right[differ[0]] - history.left[differ[0]] in (1.0, *BETWEEN)
        assert all(0 <= paid <= size for paid, size in zip(history.right, history.sizes, strict=True))


def test_an_arm_out_of_turn_is_not_pulled():
    """Round robin at the start: every history begins with it, though the plans would rather pull one arm only."""
    for step in rounds_tried(QuotedThompsonSampling(3, 9, first=1)).rounds.values():
        assert set(step.mechanism.history.arms[:3]) == set(range(min(3, step.mechanism.t - 1)))


@pytest.mark.thorough
def test_a_claim_about_one_step_can_be_asked_of_a_policy():
    claim = ledger().by_id["ou24/lemma-2"]
    run = run_over(ledger().claims, QUICK, seed=0)
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9)).verdict == Verdict.CONSISTENT
    assert judge_private(claim, run, subject=ThompsonSampling(2, 9, ARXIV_27)).verdict == Verdict.REFUTED
    assert judge_private(claim, run, subject=ThompsonSampling(1, 9)).verdict == Verdict.CONSISTENT


@pytest.mark.thorough
def test_what_was_tried_is_said():
    claim = ledger().by_id["ou24/lemma-2"]
    run = run_over(ledger().claims, QUICK, seed=0)
    finding = judge_private(claim, run, subject=ThompsonSampling(3, 6))
    assert "(arm 0-2, n 1-5, t 2-6; taught pull by pull), 10 of them audited in full" in finding.summary
    own, beyond = finding.evidence[0]["text"], finding.evidence[1]["text"]
    assert "of arm 0-2 (counted from 0), pulled n = 1-5 times. Steps: t = 2-6." in own
    assert beyond.startswith("Beyond its own horizon, for a remark alone")
    assert f"{TALL + 2}." in beyond
    assert finding.resolution.endswith(" This holds in the rounds tried, not in others.")
    wide = rounds_tried(ThompsonSampling(40, 9))
    assert "a spread of 40" in wide.description
    assert "that were reached, always the same" in wide.description


@pytest.mark.parametrize("policy", [ThompsonSampling(2, 1), ThompsonSampling(1, 9)])
@pytest.mark.parametrize("claim_id", ["ou24/lemma-2", "ou24/lemma-3"])
@pytest.mark.first(2)
def test_what_tells_nothing_is_a_pass_that_says_why(policy, claim_id):
    claim = ledger().by_id[claim_id]
    finding = judge_private(claim, run_over(ledger().claims, QUICK, seed=0), subject=policy)
    assert finding.verdict is Verdict.CONSISTENT
    assert any(why in finding.summary for why in ("as likely on either side", "the same law", "no round of T = 1"))


# -- policies of one's own -------------------------------------------------------------------------------------------

LEMMA_2 = ledger().by_id["ou24/lemma-2"]
RUN = run_over(ledger().claims, QUICK, seed=0)
ONLY_LATE = ("deviation from another arm's count",)  # private in all rounds of a run of 8
FAINT = ("leak of 1 in 100 in the last arm", "noise dropped 1 in 50")  # below what 20 000 trials can certify


@pytest.mark.planted
@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry[0].replace(" ", "-"))
def test_a_right_policy_that_takes_one_pull_at_a_time_stands(entry):
    assert judge_private(LEMMA_2, RUN, subject=policy_of(entry, 8)).verdict == Verdict.CONSISTENT


@pytest.mark.planted
@pytest.mark.parametrize(
    "entry", [e for e in BROKEN if e[0] not in FAINT], ids=lambda entry: entry[0].replace(" ", "-")
)
def test_a_broken_policy_that_takes_one_pull_at_a_time_is_refuted(entry):
    horizon = 60 if entry[0] in ONLY_LATE else 8
    assert judge_private(LEMMA_2, RUN, subject=policy_of(entry, horizon)).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_what_only_a_longer_run_would_break_is_a_remark_and_no_refutation():
    """Deviations 1/sqrt(others' pulls + 1): with the other arm pulled often, the changed arm is too certain."""
    entry = next(entry for entry in BROKEN if entry[0] in ONLY_LATE)
    finding = judge_private(LEMMA_2, RUN, subject=policy_of(entry, 8))
    assert finding.verdict == Verdict.CONSISTENT
    assert "A remark, and no part of the verdict: with the horizon 202 it releases the same up to step 8" in (
        finding.summary
    )
    right = judge_private(LEMMA_2, RUN, subject=policy_of(RIGHT[0], 8))
    assert "remark, and no part" not in right.summary


@dataclass(frozen=True)
class Listed:
    """A policy as an object per trial, with randomness of its own."""

    arms: int
    horizon: int

    def init(self, trials):
        return [{"n": np.zeros(self.arms), "sum": np.zeros(self.arms)} for _ in range(trials)]

    def act(self, t, state, noise):
        own = np.random.default_rng()
        arms = [
            int((one["sum"] / (one["n"] + 1) + own.standard_normal(self.arms) / np.sqrt(one["n"] + 1)).argmax())
            for one in state
        ]
        return Pulls.one(np.array(arms), self.arms)

    def learn(self, t, state, pulls, sums, noise):
        for one, counts, paid in zip(state, pulls.counts, sums, strict=True):
            one["n"] += counts
            one["sum"] += paid
        return state


@pytest.mark.planted
def test_objects_with_randomness_of_their_own_are_judged_and_it_is_said():
    small = replace(RUN, profile=replace(QUICK, trials=2_000))
    finding = judge_private(LEMMA_2, small, subject=Listed(2, 3))
    assert finding.verdict == Verdict.CONSISTENT
    assert "The policy has randomness of its own" in finding.summary


def common(seen, noise):
    return 1 + 0.1 * noise.normal("common", seen.t)[:1, None]


def test_dependent_trials_are_not_judged():
    finding = judge_private(LEMMA_2, RUN, subject=Own(2, 6, factor=common))
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "not binomial" in finding.summary


def test_what_releases_several_arms_has_no_rounds():
    finding = judge_private(LEMMA_2, RUN, subject=Elimination(2, 9))
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "truncates rewards" in finding.summary


@pytest.mark.thorough
def test_the_choice_keeps_what_only_many_trials_show():
    """A leak that one of a hundred trials shows: three of the first look's 300."""
    for tried, last in ((rounds_tried(Own(2, 24)), 24), (rounds_of_longer_runs(Own(2, 20)), TALL + 2)):
        kept = [tried.rounds[name].mechanism for name in tried.extreme]
        assert any(arm.t == last and arm.pulls[1] >= 20 for arm in kept)
        assert any(arm.t == last and arm.pulls[1] == 1 for arm in kept)


def test_a_policy_is_run_on_only_if_it_does_the_same_up_to_its_horizon():
    assert run_on(Own(2, 8), 50).horizon == 50
    assert run_on(Silent(Own(2, 8)), 50).horizon == 50
    assert run_on(Own(2, 8, factor=lambda seen, noise: 8 / seen.horizon), 50) is None
    assert run_on(Own(2, 8, factor=lambda seen, noise: (1,) * 9 and (1.0,) * seen.horizon), 50) is None
    assert run_on(Listed(2, 4), 9) is None  # never the same twice


@pytest.mark.parametrize(("step", "runs"), [(1, False), (2, False), (8, False), (9, True)])
def test_any_step_of_its_own_may_tell_that_a_longer_run_is_another(step, runs):
    def choose(theta, seen, noise):
        return (-theta if seen.t == step and seen.horizon > 8 else theta).argmax(axis=1)

    assert (run_on(Own(2, 8, choose=choose), 50) is not None) == runs


class LawEnds(ThompsonSampling):
    """Its law has a table of three steps."""

    def law(self, t, state):
        if t > 3:
            raise NoLaw("beyond the table")
        return super().law(t, state)


@pytest.mark.thorough
def test_a_policy_whose_tables_end_at_its_horizon_is_not_run_on():
    """Nobody promised a longer run; its own rounds are looked at all the same."""
    policy = Own(2, 3, factor=lambda seen, noise: (((1.0, 1.0),) * 3)[seen.t - 1])
    for each, error, how in ((policy, "IndexError", "by trials"), (LawEnds(2, 3), "NoLaw: beyond", "by the law")):
        assert run_on(each, TALL + 2) is not None
        finding = judge_private(LEMMA_2, RUN, subject=each)
        assert finding.verdict == Verdict.CONSISTENT
        own, beyond = (text["text"] for text in finding.evidence[:2])
        assert own.startswith(f"Rounds tried, {how}")
        assert f"releases the same. A longer run ended with {error}" in beyond


def test_the_steps_of_a_guided_run_are_those_of_the_policy():
    walk = guided_runs(QuotedThompsonSampling(2, 6, first=2), [Plan(1, 1, 0, 0.5)], 6, 0)
    assert walk.arms[0, :2].tolist() in ([0, 0], [0, 1], [1, 0], [1, 1])
    assert walk.history(0, 3).totals(2, 1)[1] - walk.history(0, 3).totals(2, 0)[1] in (0.0, 1.0)


def test_every_pull_of_a_history_is_possible_on_either_side():
    """A policy that stays with arm 0 while it pays leaves no choice, and another one on either table: whatever was
    pulled is what it releases there, so that its histories end where the tables part."""
    loyal = Own(2, 6, choose=lambda theta, seen, noise: 1 * ((seen.pulls[:, 0] > 0) & (seen.mean[:, 0] < 0.2)))
    assert rounds_tried(loyal).rounds
    for step in rounds_tried(loyal).rounds.values():
        policy, history = step.mechanism.policy, step.mechanism.history
        for side in (0, 1):
            for t, arm in enumerate(history.arms, start=1):
                before = History(*(each[: t - 1] for each in history))
                state = state_after_histories(policy, [before], side, Seeded(0, 1))
                assert policy.act(t, state, Seeded(1, 1)).counts[0, arm] == 1


class Batches(NamedTuple):
    """Pulls at random, an arm as often as it was pulled, and once more; nothing when the horizon is used up."""

    arms: int = 2
    horizon: int = 8

    def init(self, trials):
        return np.zeros((trials, 2), dtype=np.int64)

    def act(self, t, state, noise):
        arm = (noise.uniform("arm", t) < 0.5).astype(int)
        size = np.where(state.sum(axis=1) < self.horizon, np.take_along_axis(state, arm[:, None], 1)[:, 0] + 1, 0)
        return Pulls(Pulls.one(arm, 2).counts * size[:, None])

    def learn(self, t, state, pulls, sums, noise):
        assert ((state + pulls.counts).sum(axis=1) <= self.horizon).all(), "a pull after the horizon"
        return state + pulls.counts


def test_no_history_goes_on_after_the_horizon():
    """Batches use it up in more steps or in fewer."""
    assert len({step.mechanism.t for step in rounds_tried(Batches()).rounds.values()}) > 2


def test_rounds_that_differ_have_different_names():
    """Also where a batch of two brings more pulls of the arm than a plan asks for."""

    class Twos(Moody):
        def act(self, t, state, noise):
            return Pulls(2 * super().act(t, state, noise).counts)

    every = candidate_rounds(Twos(2, 12), False)
    assert any(spot.plan.late and spot.counts[spot.plan.arm] > spot.plan.n for spot in every)
    assert len({spot.name(Twos(2, 12)) for spot in every}) == len(every)


class Drawing(ThompsonSampling):
    """Has a law, and draws while it learns."""

    def learn(self, t, state, pulls, sums, noise):
        return super().learn(t, state, pulls, sums + noise.uniform("blur", t)[:, None], noise)


def test_what_a_law_cannot_know_is_said():
    with pytest.raises(ValueError, match="but a law covers only the draws made in `act`"):
        judge_private(LEMMA_2, RUN, subject=Drawing(2, 4))


class Moody(ThompsonSampling):
    """Forgets what an arm paid but for its last reward."""

    def learn(self, t, state, pulls, sums, noise):
        learnt = super().learn(t, state, pulls, sums, noise)
        return learnt._replace(total=np.where(pulls.counts > 0, sums, state.total))


def test_a_reward_that_comes_late_is_tried_where_the_order_matters():
    for policy, matters in ((ThompsonSampling(2, 12), False), (Moody(2, 12), True)):
        assert any(plan.late for plan in plans_of(policy, False)) == matters


class Half(NamedTuple):
    """Pulls at random, but arm 1 after a reward of exactly one half."""

    arms: int = 2
    horizon: int = 3

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        return Pulls.one((noise.uniform("arm", t) < 0.5) | (state == 0.5), 2)

    def learn(self, t, state, pulls, sums, noise):
        return sums.sum(axis=1)


class Halved(Half):
    reward_range = frozenset({0.0, 1.0})


def test_rewards_that_a_policy_does_not_take_are_not_paid():
    finding = judge_private(LEMMA_2, RUN, subject=Halved())
    assert finding.verdict == Verdict.CONSISTENT
    assert "and on the other 1. A bug" in finding.evidence[0]["text"]


class Counting(NamedTuple):
    """Pulls at random; how often says what was paid. more: of all trials; else of one in a thousand."""

    more: bool
    arms: int = 2
    horizon: int = 4

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        counts = Pulls.one((noise.uniform("arm", t) < 0.5).astype(int), 2).counts
        size = 1 + (state > 0) if self.more else 1 + (noise.uniform("size", t) < 1e-3) * (t == 4) * (state == 3)
        return Pulls(counts * size[:, None])

    def learn(self, t, state, pulls, sums, noise):
        return state + sums.sum(axis=1)


@pytest.mark.parametrize("more", [True, False])
def test_how_often_an_arm_is_pulled_is_no_part_of_a_round(more):
    """So rounds where this is not certain are not looked at, whenever it is noticed."""
    finding = judge_private(LEMMA_2, RUN, subject=Counting(more))
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "a varying number of times" in finding.summary


def test_a_reward_between_the_ends_may_be_what_leaks():
    finding = judge_private(LEMMA_2, RUN, subject=Half())
    assert finding.verdict == Verdict.REFUTED
    assert "the changed reward 0.5" in finding.summary


class Told:
    """Counts how often it is told of pulls, and has no law. knows: whether its pulls show this number."""

    arms, horizon = 2, 9

    def __init__(self, knows):
        self.knows = knows

    def init(self, trials):
        return np.zeros(trials)

    def act(self, t, state, noise):
        return Pulls.one(np.where(self.knows & (state % 2 == 0), 1, 0), 2)

    def learn(self, t, state, pulls, sums, noise):
        return state + 1


@pytest.mark.parametrize("knows", [True, False])
def test_blocks_are_taken_if_no_pull_shows_that_they_were_blocks(knows):
    assert takes_blocks(Told(knows), 3) is not knows
