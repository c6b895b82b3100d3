"""The final answer as the last release: played, walked, certified, compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from mutants import Silent
from tournament import Stopping, Tournament

from dpbandits import QUICK, Approximate, Pair, Pulls, Seeded, Table, Verdict, flipped, follows_law, play, replay
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.play.transcripts import simulate_transcripts, stacked
from dpbandits.audit.privacy.goodness import misfit
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.privacy.scores.distinguishers import log_likelihood_ratio
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerate_transcripts as enumerated
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.reference.bandits.policy import one_answer
from dpbandits.reference.bandits.protocol import protocol_faults
from dpbandits.reference.bandits.recommendations import MANY_ROWS, answers, row_argmax
from dpbandits.reference.claims.model import Claim, Private, Source
from dpbandits.reference.papers.ou24 import ALGORITHM_1

SMALL = Tournament(arms=2, horizon=10)
SMALL_6 = replace(SMALL, horizon=6)
RUN = Run(replace(QUICK, trials=2_000, pair_tries=1), seed=1, level=1e-6)


def rewards(arms: int, length: int) -> np.ndarray:
    return np.tile([[0.5, 1.0, 0.0, 0.25]], (arms, length))[:, :length] * np.linspace(0.5, 1, arms)[:, None]


def told(relation: str, policy, arm: int = 0, index: int = 0, value: float = 1.0) -> Pair:
    return flipped(relation, rewards(policy.arms, policy.horizon), arm, index, value)


def test_a_run_ends_with_its_answer_and_pulls_stay_unused():
    played = play(Tournament(), Table(rewards(4, 100)), Seeded(1, 50), 50)
    assert played.released.shape == (50, 3, 4)
    assert (played.released[:, 0] == 3).all()
    assert (np.sort(played.released[:, 1], axis=1) == [0, 0, 3, 3]).all()
    assert (played.released[:, 2].sum(axis=1) == -1).all()
    assert np.array_equal(played.released[:, 2].argmin(axis=1), played.answers)
    assert (played.pulls.sum(axis=1) == 18).all()
    assert (np.take_along_axis(played.released[:, 1], played.answers[:, None], axis=1) == 3).all()


def test_the_first_trials_are_those_of_a_smaller_batch_wherever_runs_end():
    policy, table = Stopping(), Table(rewards(2, 6))
    many = play(policy, table, Seeded(3, 40), 40)
    for few in (1, 7):
        one = play(policy, table, Seeded(3, few), few)
        steps = one.released.shape[1]
        assert np.array_equal(one.released, many.released[:few, :steps])
        assert not many.released[:few, steps:].any()
        assert np.array_equal(one.answers, many.answers[:few])
    ended = (many.released < 0).any(axis=2)
    assert (ended.sum(axis=1) == 1).all()
    assert set(ended.argmax(axis=1)) == {0, 1, 2, 3}
    assert (many.pulls.sum(axis=1) == 2 * ended.argmax(axis=1)).all()


def test_policies_without_answers_give_none():
    played = play(ALGORITHM_1(2, 3), Table(rewards(2, 3)), Seeded(1, 5), 5)
    assert played.answers.tolist() == [-1] * 5


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_every_transcript_of_a_run_that_stops_by_itself(relation):
    """Enumerated by hand: at every step, either arm is answered or both are pulled."""
    policy = Stopping(horizon=4)
    pair = told(relation, policy)
    found = enumerated(policy, pair)
    assert found.released.shape == (6, 3, 2)
    for released, *chances in zip(found.released, found.left, found.right, strict=True):
        for table, chance in zip((pair.left, pair.right), chances, strict=True):
            steps = int((released > 0).all(axis=1).sum())
            answer = released[steps].argmin()
            # On a stream, round 2s + 1 pays arm 0 and round 2s + 2 arm 1.
            paid = [table[:, s] if relation == "pull" else (table[0, 2 * s], table[1, 2 * s + 1]) for s in range(steps)]
            d, expected = 0.0, 1.0
            for one, other in paid:
                expected *= 3 / (3 + np.exp(d) + np.exp(-d))
                d += one - other
            mine = np.exp(d if answer == 0 else -d)
            expected *= mine / ((3 if steps < 2 else 0) + np.exp(d) + np.exp(-d))
            assert chance == pytest.approx(expected, rel=1e-13, abs=0)
    profile, listed = exact_profile(policy, pair), enumerated_profile(policy, pair)
    truth = float(np.abs(np.log(found.left / found.right)).max())
    for each in (profile, listed):
        low, high = each.eps(0.0)
        assert low <= truth * (1 + 1e-12)
        assert truth <= high * (1 + 1e-12)
        assert high - low < 1e-9


def test_the_profile_of_a_recommendation_in_closed_form():
    """Two arms, one phase: the answer is a noisy argmax of sums 1 and 0 against 0 and 0, at delta 0 and above."""
    table = np.zeros((2, 10))
    pair = flipped("pull", table, 0, 0, 1.0)
    profile = exact_profile(SMALL, pair)

    def upper(gap: float) -> float:  # P(X - Y > gap), X and Y standard Laplace, gap >= 0
        return float(np.exp(-gap) * (2 + gap) / 4)

    losses = [np.log(0.5 / upper(1.0)), np.log((1 - upper(1.0)) / 0.5)]
    low, high = profile.eps(0.0)
    assert low <= max(losses) <= high * (1 + 1e-12)
    assert high - low < 1e-9
    assert max(losses) == pytest.approx(losses[0])


def test_behaviour_is_held_against_the_law_of_answers():
    pair = told("pull", Stopping())
    right = simulate_transcripts(Stopping(), pair.environments()[0], 20_000, 5)
    assert misfit(Stopping(), pair, right, 1e-6) is None
    wrong = misfit(Stopping(), pair, simulate_transcripts(Stopping(bias=0.04), pair.environments()[0], 20_000, 5), 1e-6)
    assert wrong is not None
    assert wrong.release.startswith("the answer arm")


def test_scores_are_likelihood_ratios_of_the_answers_as_well():
    policy = Stopping(horizon=4)
    pair = told("pull", policy)
    seen = simulate_transcripts(policy, pair.environments()[1], 200, 4)
    scores = log_likelihood_ratio(policy, pair, seen)
    found = enumerated(policy, pair)
    for trial in range(200):
        steps = seen.arms.shape[1]
        counts = np.array([seen.released(t + 1).kinds[seen.released(t + 1).kind[trial]] for t in range(steps)])
        (match,) = np.flatnonzero((found.released[:, :steps] == counts).all(axis=(1, 2)))
        assert scores[trial] == pytest.approx(np.log(found.right[match] / found.left[match]), abs=2**-31)
    both = stacked([seen, simulate_transcripts(policy, pair.environments()[0], 10, 4)])
    assert both.trials == 210


def claim(eps: float, view: str = "arms") -> Claim:
    private = Private("pull", view, lambda policy: Approximate(eps, 0.0))
    return Claim("toy/answers", Source("toy", "here", ""), private, Verdict.CONSISTENT)


@dataclass(frozen=True)
class Unsaid(Silent):
    """An answering policy that says nothing of its law."""

    answers: bool = True


@pytest.mark.planted
@pytest.mark.parametrize("policy", [Tournament(horizon=18)], ids=["four"])
def test_a_tournament_is_as_private_as_its_noise(policy):
    """A reward is in one sum of each phase that its arm survives... and in none but the first: one eps."""
    kept = judge_private(claim(1.0), RUN, policy)
    assert kept.verdict is Verdict.CONSISTENT, kept.summary
    broken = judge_private(claim(0.3), RUN, policy)
    assert broken.verdict is Verdict.REFUTED
    wrong = judge_private(claim(1.0), RUN, replace(policy, shrunk=0.5))
    assert wrong.verdict is Verdict.REFUTED
    assert "behaviour does not follow its declared law" in wrong.summary


@pytest.mark.thorough
def test_a_recommendation_alone_is_certified_from_samples():
    leaky = Unsaid(Tournament(arms=2, horizon=6, shrunk=0.1))
    assert not hasattr(leaky, "law")
    found = judge_private(claim(1.0), RUN, leaky)
    assert found.verdict is Verdict.REFUTED, found.summary


def test_conformance_sees_a_wrong_answer():
    right = follows_law(Stopping(), Stopping(), trials=2000)
    assert right.verdict is Verdict.CONSISTENT, right.summary
    wrong = follows_law(Stopping(bias=0.1), Stopping(), trials=2000)
    assert wrong.verdict is Verdict.REFUTED

    stopped = follows_law(Tournament(arms=2, horizon=6, each=2), SMALL_6, trials=20)
    assert stopped.verdict is Verdict.REFUTED
    assert "from pull 1 on, the pulls differ from those of the reference, which pulls [3, 3]" in stopped.summary
    silent = follows_law(Stopping(), SMALL_6, trials=20)
    assert silent.verdict is Verdict.REFUTED
    assert replay(SMALL, SMALL).verdict is Verdict.CONSISTENT
    other = replay(replace(SMALL, shrunk=5.0), SMALL)
    assert other.verdict is Verdict.REFUTED
    assert "the answer is of arm" in other.summary


class Scripted(Tournament):
    """Releases what the script says."""

    script: tuple = ()

    def act(self, t, state, noise):
        return Pulls(np.array([self.script[t - 1]]))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (([5, 5], [0, 0]), "the horizon is used up, but the policy gave no final recommendation: return Pulls.answer"),
        (([5, 5], [1, 0]), "the horizon is used up, but the policy gave no final recommendation"),
        (([0, 0],), "pulled no arm"),
        (([-1, -1],), r"a row of counts is \[-1, -1\]"),
        (([-2, 0],), r"a row of counts is \[-2, 0\]"),
        (([-1, 3],), r"a row of counts is \[-1, 3\]"),
    ],
)
def test_what_is_no_answer_is_said(script, message):
    policy = Scripted(arms=2, horizon=10)
    object.__setattr__(policy, "script", script)
    with pytest.raises(ValueError, match=message):
        play(policy, Table(rewards(2, 10)), Seeded(1, 1), 1)


def test_only_who_says_so_answers():
    quiet = replace(SMALL, answers=False)
    with pytest.raises(ValueError, match="policy with answers = True"):
        play(quiet, Table(rewards(2, 10)), Seeded(1, 1), 1)
    with pytest.raises(ValueError, match="policy with answers = True"):
        exact_profile(quiet, told("pull", quiet))
    with pytest.raises(TypeError, match="answers is 1; set it to True"):
        answers(replace(SMALL, answers=1))
    assert protocol_faults(SMALL) == ()
    assert protocol_faults(Stopping()) == ()
    with pytest.raises(ValueError, match=r"Pulls.answer: the arms lie between 0 and 2"):
        Pulls.answer(np.array([0, 2]), 2)
    assert np.array_equal(one_answer(np.array([[0.25, 0.75]])).counts[0], [[-1, 0], [0, -1]])


@pytest.mark.parametrize("way_on", [1.0, 0.5])  # also where it gives an answer now and then
def test_a_law_without_the_promised_answer_is_refused(way_on):
    class Endless(Stopping):
        def chance(self, t, state):
            return np.tile([way_on, 1 - way_on, 0.0], (len(state.total), 1))

    with pytest.raises(ValueError, match="step 4: the horizon is used up, but the law gives no final recommendation"):
        enumerated(Endless(), told("pull", Stopping()))


def test_horizons_that_are_used_up_exactly_or_cut():
    """Both arms are pulled to the end, T odd: the last block is cut, and then comes the answer."""
    for horizon, steps in ((5, 3), (6, 3)):
        seen = enumerated(Stopping(horizon), told("pull", Stopping(horizon)))
        assert seen.released.shape[1] == steps + 1
        whole = seen.released[(seen.released > 0).any(axis=2).all(axis=1) | (seen.released[:, steps] < 0).any(axis=1)]
        assert np.maximum(whole, 0).sum(axis=(1, 2)).tolist() == [horizon] * len(whole)
        assert seen.left.sum() == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 3, 5, 10, 11])
@pytest.mark.parametrize("kind", [float, int])
def test_the_first_of_the_largest_in_each_row(columns: int, kind: type) -> None:
    values = np.random.default_rng(columns).integers(-2, 2, (MANY_ROWS, columns)).astype(kind)  # with many ties
    assert np.array_equal(row_argmax(values), values.argmax(axis=1))
    if kind is float:
        values[::3, -1], values[1::3, 0], values[::5, columns // 2] = np.inf, -np.inf, np.nan
        assert np.array_equal(row_argmax(values), values.argmax(axis=1))
