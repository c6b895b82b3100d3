"""Policies without a law: every candidate pair is looked at, what leaks is found, what does not leak is left alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from elimination import Elimination
from leaks import LEAKS, DoublingUCB, Leaky, Seen, nothing
from mutants import Broken, Memory, Silent
from pace import paced

from dpbandits import (
    QUICK,
    Approximate,
    Gaussian,
    Pair,
    Pulls,
    Seeded,
    Stream,
    Table,
    Verdict,
    audit_policy,
    flipped,
    play,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.many import TableBatch, both_tables
from dpbandits.audit.play.transcripts import simulate_transcripts
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.contexts import cells, symbols
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio, scores_of_pairs
from dpbandits.audit.privacy.scores.learning import best_learnt, expected_excess, separation
from dpbandits.audit.privacy.search import pairs
from dpbandits.audit.privacy.search.pairs import MAX_CANDIDATES, candidates
from dpbandits.audit.privacy.search.players import Player, every_nth, play_tables
from dpbandits.audit.privacy.search.proposals import batch_of_pairs, hints_in, joined_batches, propose, space_of
from dpbandits.audit.privacy.search.search import ReleasedView
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.sajed19 import DPSE

SMALL = replace(QUICK, trials=4_000, steps=100_000)
RUN = Run(SMALL, seed=0, level=1e-6)
ONE = Approximate(1.0)


def judged(policy, curve=ONE, relation="pull", run=RUN):
    says = Private(relation, "arms", lambda subject: curve)
    return judge_private(
        Claim("test/claim", Source("test", "here", "text"), says, expect=Verdict.CONSISTENT), run, subject=policy
    )


# -- what leaks, and what does not -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("horizon", [6, 20])
@pytest.mark.first(1)
def test_a_first_reward_without_noise_is_found_whatever_the_seed(horizon, seed):
    finding = judged(DoublingUCB(2, horizon, noised_first=False), run=replace(RUN, seed=seed))
    assert finding.verdict == Verdict.REFUTED
    assert "pairs had different outputs on their two inputs" in finding.resolution


@pytest.mark.planted
@pytest.mark.parametrize("horizon", [6, 20])
@pytest.mark.parametrize("relation", ["pull", "round"])
def test_with_noise_it_stands(horizon, relation):
    finding = judged(DoublingUCB(3, horizon), relation=relation)
    assert finding.verdict == Verdict.CONSISTENT
    assert "pairs had different outputs on their two inputs" in finding.resolution


@pytest.mark.planted
@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_in_one_place_is_found(name):
    arms, rule = LEAKS[name]
    # One run in twenty tells: that takes more trials.
    run = replace(RUN, profile=replace(SMALL, trials=10_000)) if name == "one in twenty" else RUN
    assert judged(Leaky(arms, 8, rule), run=run).verdict == Verdict.REFUTED


def test_a_leak_on_a_stream_is_found():
    assert judged(DoublingUCB(2, 12, noised_first=False), relation="round").verdict == Verdict.REFUTED


@pytest.mark.planted
def test_a_leak_by_the_size_of_a_set_of_arms_is_found():
    @dataclass(frozen=True)
    class Sets(Elimination):
        """Drops arms by their means without noise."""

        deterministic = True

        def learn(self, t, state, pulls, sums, noise):
            stays = state.active & (sums >= sums.max(axis=1, keepdims=True))
            return state._replace(epoch=state.epoch + 1, active=stays)

    finding = judged(Sets(3, 30, first=1))
    assert finding.verdict == Verdict.REFUTED
    assert judged(Elimination(3, 40, first=2)).verdict == Verdict.CONSISTENT


def test_a_policy_that_ignores_rewards_exercises_nothing():
    finding = judged(Leaky(2, 10, nothing))
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "with the same noise, the same was released" in finding.summary


@pytest.mark.thorough
def test_findings_repeat():
    first, again = (judged(DoublingUCB(2, 4)) for _ in range(2))
    assert first == again


# -- hostile policies --------------------------------------------------------------------------------------------


class Odd(Leaky):
    """Its rule is a method: rule(t, state, uniform)."""

    def __init__(self, horizon: int, rule: Any):
        super().__init__(2, horizon, rule)


def test_a_policy_that_leaks_in_small_batches_only_is_not_judged():
    def small(t, state, uniform):
        leak = len(uniform) < 500
        return np.where((state.arm >= 0) & leak, (state.reward > 0.5).astype(int), -1)

    finding = judged(Odd(10, small))
    assert finding.verdict == Verdict.NOT_APPLICABLE
    assert "not independent" in finding.summary


def test_whether_the_batch_matters():
    def small(t, state, uniform):
        return np.where((state.arm >= 0) & (len(uniform) == 1), 1, 0)

    def idle(t, state, uniform):
        return np.where(state.arm >= 0, (uniform < 0.5).astype(int), 0)

    for rule, matters in ((small, True), (idle, False)):
        policy = Odd(5, rule)
        player, every = Player(policy, 1), batch_of_pairs(candidates(policy, "pull"))
        assert player.batch_matters(every, player.play(every, 8, "first")) is matters


@pytest.mark.planted
def test_randomness_of_its_own_is_mentioned():
    generator = np.random.default_rng(0)

    def own(t, state, uniform):
        return np.where(generator.random(len(uniform)) < 0.5, (generator.random(len(uniform)) < 0.5).astype(int), -1)

    finding = judged(Odd(3, own))  # every run is played alone
    assert finding.verdict == Verdict.CONSISTENT
    assert "randomness of its own" in finding.resolution


def test_a_policys_own_error_names_the_step_and_the_pair():
    def rare(t, state, uniform):
        if t > 2 and (state.total[:, 1] >= 2).any():
            raise FloatingPointError("the mean of arm 1 is not what it should be")
        return np.full(len(uniform), -1)

    with pytest.raises(FloatingPointError, match="arm 1") as raised:
        judged(Odd(6, rare))
    notes = " ".join(raised.value.__notes__)
    assert "step 3" in notes
    assert "table of this pair: arm 0:" in notes


def test_where_nothing_could_be_certified_nothing_is_played():
    class Never(DoublingUCB):
        def learn(self, t, state, pulls, sums, noise):
            assert len(sums) == 1, "more than the one run that counts the steps"
            return super().learn(t, state, pulls, sums, noise)

    finding = judged(Never(10, 5_000), Gaussian(50.0))
    assert finding.verdict == Verdict.NOT_EXERCISED
    assert "no violation could be certified" in finding.summary
    assert "smaller horizon" in finding.summary


# -- the parts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize("policy", [Elimination(3, 40), DoublingUCB(2, 12), Silent(ThompsonSampling(3, 7))], ids=str)
def test_many_tables_pay_what_each_pays_alone(policy, relation):
    tables = np.random.default_rng(1).random((3, policy.arms, policy.horizon))
    which = np.array([0, 1, 2, 1, 0, 2, 2, 1])
    noise = Seeded(5, len(which))
    together = play(policy, TableBatch(relation, tables, which), noise, len(which))
    kind = Table if relation == "pull" else Stream
    for place, table in enumerate(tables):
        alone = play(policy, kind(table), noise, len(which))
        mine, steps = which == place, alone.released.shape[1]
        rows = min(steps, together.released.shape[1])
        assert (together.released[mine, :rows] == alone.released[mine, :rows]).all()
        assert together.sums[mine] == pytest.approx(alone.sums[mine], abs=0)


@pytest.mark.parametrize("lengths", [None, np.array([2, 1, 4])])
@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize("bound", [None, 1.5, 3.0, np.array([[0.5], [3.0], [1.5], [0.0]]), np.array([[3.0, 0.5]])])
def test_every_trial_is_paid_what_its_own_table_pays(relation, lengths, bound):
    """Blocks, single pulls and none, up to the last reward; the size of a reward is held against the bound, which is
    one for all, or each trial's or arm's own."""
    rng = np.random.default_rng(2)
    columns = 7 if lengths is None else 3
    tables, which = rng.uniform(-2, 3, (3, 2, columns)).round(1), np.array([2, 0, 1, 0])
    tables[:, 0, 1], tables[:, 1, -1] = 1.5, -1.5
    kind, noise = Table if relation == "pull" else Stream, Seeded(0, 4)
    every = [kind(table, lengths, -2.0, 3.0) for table in tables]
    many = TableBatch(relation, tables, which, lengths)
    for made, counts in (
        ([[0, 1], [2, 0], [0, 0], [1, 3]], [[3, 2], [1, 4], [0, 7], [1, 1]]),
        ([[0, 1], [2, 0], [6, 0], [1, 3]], [[1, 0], [0, 1], [0, 1], [1, 1]]),
        ([[7, 0], [0, 7], [3, 4], [5, 1]], [[0, 0], [0, 0], [0, 0], [1, 0]]),
    ):
        paid = many.draw(1, np.array(made), np.array(counts), bound, noise)
        for trial, table in enumerate(which):
            own = every[table].draw(1, np.array(made), np.array(counts), bound, noise)
            assert paid[trial] == pytest.approx(own[trial], rel=1e-12, abs=1e-15)


def written_out(pair: Pair) -> Pair:
    """The same pair without runs."""
    return Pair(pair.relation, *(np.repeat(side, pair.lengths, axis=1) for side in (pair.left, pair.right)))


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(
    "policy", [DoublingUCB(2, pairs.WRITTEN_OUT + 50), Elimination(3, pairs.WRITTEN_OUT + 60)], ids=str
)
@pytest.mark.first(2)
def test_tables_in_runs_are_the_tables(policy, relation):
    """Candidates and their changes, played one by one and many at once, described, with bounds."""
    rounding = policy.horizon * 2.0**-53  # of a sum of so many rewards
    found = pairs.candidates(policy, relation)
    generators = [np.random.Generator(np.random.Philox(7)) for _ in range(2)]
    for pair in found[::5]:
        assert len(pair.lengths) <= 16
        whole = written_out(pair)
        assert pairs.pair_in_words(pair) == pairs.pair_in_words(whole)
        assert pair.spot == whole.spot
        changed, same = (pairs.mutated(*each) for each in zip((pair, whole), generators, strict=True))
        assert (changed is None) == (same is None)
        if changed is not None:
            assert (written_out(changed).left == same.left).all()
            assert (written_out(changed).right == same.right).all()
            found.append(changed)
    which = np.arange(2 * len(found)) % len(found)
    short, long = (both_tables(each)[0].playing(which) for each in (found, [written_out(pair) for pair in found]))
    noise = Seeded(5, len(which))
    runs = [play(policy, each, noise, len(which)) for each in (short, long)]
    assert (runs[0].released == runs[1].released).all()
    np.testing.assert_allclose(runs[0].sums, runs[1].sums, rtol=rounding)
    made = np.array([[0, 3, 20], [5, 0, 1], [1, 1, 1]])[:, : policy.arms]
    counts = np.array([[1, 7, 3], [20, 1, 0], [0, 0, 0]])[:, : policy.arms]
    for pair in found[::9]:
        for one, other in zip(pair.environments(), written_out(pair).environments(), strict=True):
            for bound in (None, 0.5, np.array([[0.2], [1.0], [0.7]])):
                sums = [side.draw(1, made, counts, bound, noise) for side in (one, other)]
                np.testing.assert_allclose(*sums, rtol=rounding)
        with pytest.raises(ValueError, match="give a longer"):
            pair.environments()[0].draw(1, made + policy.horizon, counts, None, noise)


def test_candidates_of_a_long_run_of_many_arms_are_made_at_once():
    """T = 1e8 and K = 20: tables of a few runs, where a table that is written out takes 16 GB."""
    took, found = paced(lambda: pairs.candidates(DPSE(20, 10**8), "pull"), 22)
    assert took < 22  # half a second
    assert len(found) <= pairs.MAX_CANDIDATES + 60
    assert all(pair.length == 10**8 and pair.left.size <= 400 for pair in found)
    assert {pair.spot[1] for pair in found} == {0, 1, 2, 3, (10**8 - 1) // 2, 10**8 - 2}


def test_the_first_runs_of_many_tables_are_those_of_fewer():
    tables = np.random.default_rng(1).random((5, 2, 12))
    many = TableBatch("pull", tables, np.arange(5))
    few, more = (play_tables(DoublingUCB(2, 12), many, each, seed=3) for each in (4, 9))
    steps = min(few.arms.shape[1], more.arms.shape[1])
    assert (more.arms[:20, :steps] == few.arms[:, :steps]).all()


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.parametrize(("arms", "horizon"), [(1, 1), (2, 2), (2, 20), (3, 20), (10, 200)])
def test_candidates_are_not_too_many_and_change_early_pulls_of_some_arms(relation, arms, horizon):
    pairs = candidates(DoublingUCB(arms, horizon), relation)
    assert len(pairs) <= MAX_CANDIDATES + MAX_CANDIDATES // 3
    places = {tuple(int(i) for i in np.argwhere(pair.left != pair.right)[0]) for pair in pairs}
    assert {(0, n) for n in range(min(horizon, 4))} <= {(0 if relation == "round" else a, n) for a, n in places}
    if relation == "pull":
        assert {arm for arm, _ in places} >= {0, arms - 1}
    values = {float(value) for pair in pairs for value in np.unique(pair.left)}
    assert 0.5 in values


def test_symbols_tell_every_release_apart_and_add_up_to_counts():
    seen = simulate_transcripts(
        Elimination(3, 40, first=1), Table(np.random.default_rng(0).random((3, 40))), 300, seed=0
    )
    words, counts = symbols(seen), seen.counts
    assert counts.shape[1]  # several arms in a step
    flat = {tuple(row): word for row, word in zip(counts.reshape(-1, 3), words.reshape(-1), strict=True)}
    assert len(set(map(int, flat.values()))) == len(flat) > 3
    steps = counts.reshape(-1, 3)[:500]
    assert all(flat[tuple(row)] == word for row, word in zip(steps, words.reshape(-1)[:500], strict=True))


@pytest.mark.thorough
def test_a_leak_in_one_late_round_is_found():
    """No candidate changes round 19 of 24, which the next step tells."""

    def one_round(t, state, uniform):
        return (state.reward > 0.5).astype(int) if t == 20 else np.full(len(uniform), -1)

    finding = judged(Leaky(2, 24, one_round), relation="round")
    assert finding.verdict == Verdict.REFUTED


@pytest.mark.parametrize(("relation", "rewards"), [("pull", (0.0, 1.0)), ("round", {0.0, 1.0})])
@pytest.mark.thorough
def test_raw_means_that_are_compared_are_found(relation, rewards):
    """By 0.3, once, after four pulls of either arm: no candidate's means are so far apart but for one reward."""

    def compared(t, state, uniform):
        apart = (state.total[:, 0] - state.total[:, 1]) / 4 > 0.3
        return np.where((state.pulls == 4).all(axis=1), apart.astype(int), -1)

    policy = Leaky(2, 10, compared)
    vars(policy)["reward_range"] = rewards
    finding = judged(policy, relation=relation)
    assert finding.verdict == Verdict.REFUTED


@dataclass(frozen=True)
class InBlocks:
    """Pulls arm 0, then an arm at random, or arm 1 if that paid 0.37, and then arm 0 to the end, in a step."""

    horizon: int
    arms: int = 2

    def init(self, trials: int) -> Seen:
        return Leaky(2, 3, nothing).init(trials)

    def act(self, t: int, state: Seen, noise: Any) -> Pulls:
        second = np.where(state.reward == 0.37, 1, noise.uniform("arm", t) < 0.5)
        sizes = (1, 1, self.horizon - 2)
        return Pulls(sizes[t - 1] * Pulls.one(second if t == 2 else 0 * state.arm, 2).counts)

    def learn(self, t: int, state: Seen, pulls: Pulls, sums: Any, noise: Any) -> Seen:
        return state._replace(reward=sums.sum(axis=1) if t == 1 else state.reward)


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.thorough
def test_long_tables_have_rewards_between_the_ends_too(relation):
    finding = judged(InBlocks(10**6), relation=relation)
    assert finding.verdict == Verdict.REFUTED


@dataclass(frozen=True)
class Late(Broken):
    """Thompson sampling, whose step `when` tells the last reward."""

    when: int = 0

    def act(self, t: int, memory: Memory, noise: Any) -> Pulls:
        pulls = super().act(t, memory, noise)
        return Pulls.one(memory.last.any(axis=1).astype(int), 2) if t == self.when else pulls

    def learn(self, t: int, memory: Memory, pulls: Pulls, sums: Any, noise: Any) -> Memory:
        return super().learn(t, memory, pulls, sums, noise)._replace(last=(sums > 0.5).astype(np.int64))


@pytest.mark.planted
@pytest.mark.parametrize(("when", "found"), [(20, Verdict.REFUTED), (0, Verdict.CONSISTENT)])
def test_a_leak_in_a_late_round_is_found_where_every_round_tells_something(when, found):
    """The runs part sooner after an early reward than step 20, but not at once."""
    assert judged(Late(2, 24, when=when), Approximate(4.0, 1e-3), "round").verdict == found


@pytest.mark.thorough
def test_a_policy_that_tells_one_reward_alone_is_no_idle_one():
    """What it does after any other reward does not hang on rewards, so no candidate differs at all."""
    finding = judged(Leaky(2, 3, LEAKS["hundredth"][1]))
    assert finding.verdict == Verdict.REFUTED


def test_only_steps_after_the_changed_reward_are_scored():
    policy, pair = Leaky(2, 8, nothing), flipped("pull", np.zeros((2, 8)), 1, 2, 1.0)
    seen = simulate_transcripts(policy, pair.environments()[0], 50, seed=0)
    made = np.cumsum(seen.arms == 1, axis=1)
    assert len(cells(seen, pair).row) == int((made[:, :-1] >= 3).sum())
    streams = flipped("round", np.zeros((2, 8)), 1, 2, 1.0)
    assert len(cells(seen, streams).row) == 50 * 5


@pytest.mark.thorough
def test_a_learnt_score_is_nearly_as_good_as_the_law():
    """On few possible transcripts, the estimated likelihood ratio comes within a few percent of the exact one."""
    policy, pair = ThompsonSampling(2, 4), flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)
    left, right = (simulate_transcripts(policy, table, 20_000, seed=s) for s, table in enumerate(pair.environments()))
    search = 8_000
    chosen = best_learnt(
        left.part(0, search), right.part(0, search), pair, expected_excess(Gaussian(0.1), 12_000, 1e-6)
    )
    fresh = [side.part(search, 20_000) for side in (left, right)]
    learnt = separation(*(chosen.score(side) for side in fresh))
    exact = separation(*(log_likelihood_ratio(policy, pair, side) for side in fresh))
    assert 0.95 * exact <= learnt <= exact + 0.02  # its own sampling error: 1/sqrt(12 000), doubled


def test_the_gap_of_scores():
    assert separation(np.zeros(4), np.ones(9)) == 1
    assert separation(np.ones(4), np.zeros(9)) == -1
    assert separation(np.arange(5.0), np.arange(5.0)) == 0
    assert separation(np.array([0.0, 1.0]), np.array([1.0])) == 0.5


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_the_scores_of_many_pairs_are_those_of_each(relation):
    """One walk over all pairs, with the law asked once where states are the same, against a walk for each."""
    policy = ThompsonSampling(3, 6)
    some = candidates(policy, relation)[:7]
    for side in Player(policy, 5).play(batch_of_pairs(some), 40, "test"):
        every = scores_of_pairs(policy, some, side).reshape(40, 7)
        for place, pair in enumerate(some):
            alone = log_likelihood_ratio(policy, pair, every_nth(side, place, 7))
            assert every[:, place] == pytest.approx(alone, rel=1e-9, abs=1e-12)
        assert np.unique(every).size > 50


def rose(t: int, seen: Any) -> Any:
    return (np.diff(seen[:, :3], axis=1) > 0).all(axis=1) & (t > 3)


def all_differ(t: int, seen: Any) -> Any:
    return (np.diff(np.sort(seen[:, :3], axis=1), axis=1) > 0).all(axis=1) & (t > 3)


def two_together(t: int, seen: Any) -> Any:
    first, second = seen[:, 0], seen[:, 1]
    return (first > 0.6) & (first < 0.7) & (second > 0.1) & (second < 0.2) & (t > 2)


@dataclass(frozen=True)
class Reacting:
    """Pulls either arm, but arm 1 alone once the rewards so far were such."""

    horizon: int
    to: Any
    arms: int = 2

    def init(self, trials: int) -> Any:
        return np.zeros((trials, self.horizon))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one(np.where(self.to(t, state), 1, noise.uniform("arm", t) < 0.5).astype(np.int64), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return np.where(np.arange(self.horizon) == t - 1, sums.sum(axis=1)[:, None], state)


@pytest.mark.parametrize("to", [rose, all_differ, two_together])
@pytest.mark.thorough
def test_a_reaction_to_several_rewards_together_is_found(to: Any) -> None:
    profile = replace(QUICK, trials=8_500)
    found = audit_policy(Reacting(5, to), eps=0.5, relation="round", profile=profile)
    assert found.verdict is Verdict.REFUTED


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_rewards_between_the_ends_are_proposed_and_none_beyond_them(relation):
    """A quarter of the proposals go through all hundredths, and values next to the ends and to the middle."""
    policy = DoublingUCB(2, 8)
    batch = propose(space_of(policy, relation), np.random.default_rng(0), 1_000)
    seen = np.unique(np.concatenate([batch.left, batch.right]))
    assert seen[0] == 0
    assert seen[-1] == 1
    inside = {*(np.arange(1, 100) / 100), 1e-9, 1 - 1e-9, 1 / 3, 2 / 3, 0.5 - 2.0**-53, 0.5 + 2.0**-52}
    assert inside <= {*seen.tolist()}
    assert (np.abs(batch.left - batch.right).max(axis=(1, 2)) > 0).all()
    assert len(batch.pair(len(batch) - 1).spot) == 2


def test_hints_about_long_runs_stand_in_the_columns_of_the_proposals():
    """A change inside of a long run of equal rewards has a column of its own, and so have all ends of the others."""
    table = np.array([[0.0, 1.0], [1.0, 0.25], [0.5, 0.5]])
    hint = flipped("pull", table, 1, 39_998, 1.0, lengths=np.array([1, 39_999]))
    space = space_of(Elimination(3, 40_000), "pull", None, [hint])
    (batch,) = hints_in(space, [hint])
    assert space.columns < 50
    assert batch.left.shape == (1, 3, space.columns)
    assert batch.place.tolist() == [39_998]
    together = joined_batches([batch, propose(space, np.random.default_rng(0), 8)])
    again = together.pair(0)
    for side in ("left", "right"):
        assert np.array_equal(getattr(written_out(again), side), getattr(written_out(hint), side))


@pytest.mark.parametrize(("arms", "horizon", "by_law"), [(3, 60, True), (4, 60, False), (3, 61, False), (2, 2, True)])
def test_a_law_scores_runs_where_it_is_worth_its_time(arms: int, horizon: int, by_law: bool) -> None:
    player: Any = SimpleNamespace(policy=ThompsonSampling(arms, horizon))
    view = ReleasedView(player, "pull", 1000)
    assert view.by_law == by_law
    assert view.most_pairs == (96 if by_law else 10**9)
