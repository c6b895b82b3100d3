"""Conformance: e-values that are e-values, power that is what the resolution says, and no cry of wolf."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pytest
from elimination import Elimination
from lottery import Lottery
from mutants import Silent
from scipy import stats
from scipy.special import logsumexp

from dpbandits import (
    Bernoulli,
    Log,
    Played,
    Pulls,
    Seeded,
    Stream,
    Table,
    Verdict,
    fits_law,
    flipped,
    follows_law,
    play,
    replay,
)
from dpbandits.audit.play.transcripts import compact_transcripts, simulate_transcripts
from dpbandits.audit.privacy.goodness import misfit
from dpbandits.audit.statistics import e_values as evidence
from dpbandits.audit.statistics.along import (
    ReferenceStep,
    pull_sequence,
    reference_steps,
    releases_in_turn,
    steps_along,
)
from dpbandits.audit.statistics.e_values import (
    GROUPINGS,
    TILTS,
    EvidenceGroup,
    caught_shifts,
    evidence_groups,
    log_mean_evidence,
    log_weights,
    min_caught_shift,
    strongest_rows,
)
from dpbandits.audit.statistics.learned import ALL_SHARE
from dpbandits.audit.statistics.pasts import Pasts
from dpbandits.audit.statistics.resolution import RESOLUTION_POWER
from dpbandits.extensions.conformance import law as law_module
from dpbandits.extensions.conformance.draws import Followed
from dpbandits.extensions.conformance.games import all_pulls_and_answers, probes, runs
from dpbandits.proofs_checks.exact.follow_transcripts import EXCLUDED_RISK_SHARE
from dpbandits.reference.bandits.policy import HasLaw, Law, one_arm
from dpbandits.reference.bandits.tapes import Recorder
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling


def every_group(reference, environment, pulled):
    beside = Pasts(reference.arms, reference.horizon, "", -np.log(GROUPINGS))
    steps = steps_along(reference, environment, releases_in_turn(pulled, reference.arms), see=beside.add)
    return [*evidence_groups(steps, "", 0.0), *beside.groups]


def weights(groups):
    return sum(np.exp(group.log_weight) * group.log_evidence.size for group in groups)


def log_evidence(reference, environment, pulled):
    groups = every_group(reference, environment, pulled)
    return logsumexp([logsumexp(group.log_evidence) + group.log_weight for group in groups])


def probability(reference, environment, arms):
    """The law of one run's pulls, step by step."""
    state, made, chance, done, t = reference.init(1), np.zeros((1, reference.arms), int), 1.0, 0, 0
    while done < reference.horizon:
        t += 1
        law = reference.law(t, state)
        size = int(law.counts[0, 0].sum())
        if len(set(arms[done : done + size])) > 1:
            return 0.0
        chance *= law.chance[0, arms[done]]
        pulls = Pulls(size * Pulls.one(np.array([arms[done]]), reference.arms).counts)
        sums = environment.draw(t, made, pulls.counts, None, Seeded(0, 1))
        state = reference.learn(t, state, pulls, sums, Seeded(0, 1))
        made, done = made + pulls.counts, done + size
    return chance


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("reference", "trials"),
    [
        (ThompsonSampling(2, 3), 2),
        (ThompsonSampling(3, 3), 1),
        (ModifiedThompsonSampling(2, 5, prepulls=1, variance=2.0), 1),
    ],
)
def test_the_evidence_against_a_policy_that_conforms_has_expectation_one(reference, trials):
    """By enumeration of everything that can be released, with its exact probability. The allowance for the law's
    numerical error, 1e-12 of a chance under a factor e^8, only lowers it, by at most 1e-8 for each draw."""
    rewards = np.random.default_rng(3).random((reference.arms, reference.horizon))
    for environment in (Table(rewards), Stream(rewards)):
        sequences = list(itertools.product(range(reference.arms), repeat=reference.horizon))
        chances = {arms: probability(reference, environment, arms) for arms in sequences}
        possible = [arms for arms in sequences if chances[arms] > 0]
        assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
        mean = sum(
            np.prod([chances[arms] for arms in runs]) * np.exp(log_evidence(reference, environment, np.array(runs)))
            for runs in itertools.product(possible, repeat=trials)
        )
        kept = weights(every_group(reference, environment, np.array([possible[0]])))
        assert kept > 0.9
        assert 1 - 1e-6 <= mean / kept <= 1 + 1e-9


def test_the_weights_of_all_evidence_add_up_to_one_at_most():
    reference = ThompsonSampling(3, 4)
    table = probes(reference)["uneven rewards"]
    pulled = pull_sequence(play(reference, table, Seeded(1, 50), 50))
    groups = every_group(reference, table, pulled)
    own = [group for group in groups if group.log_most.max() > -np.inf]
    assert weights(own) == pytest.approx(5 / 6, rel=1e-12)
    assert 0.9 < weights(groups) <= 1


@dataclass(frozen=True)
class AllOrOne:
    """Pulls arm 0 once, or arm 1 as often as pulls are left, with a chance of p: its runs end when they like."""

    p: float
    horizon: int
    arms: int = 2

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1), dtype=np.int64)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        made = state[:, 0]
        ends = noise.uniform("end", t) < self.p
        return Pulls(np.stack([(made < self.horizon) & ~ends, ends * (self.horizon - made)], axis=1).astype(np.int64))

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state + pulls.counts.sum(axis=1, keepdims=True)

    def law(self, t: int, state: Any) -> Law:
        left = self.horizon - state[:, 0]
        counts = np.stack([np.stack([left > 0, 0 * left], axis=1), np.stack([0 * left, left], axis=1)], axis=1)
        return Law(counts.astype(np.int64), np.tile([1 - self.p, self.p], (len(left), 1)), None, 0.0)


@pytest.mark.parametrize(("horizon", "p"), [(1, 0.5), (2, 0.3), (9, 0.2), (9, 0.9), (25, 0.05)])
@pytest.mark.first(3)
def test_evidence_has_no_higher_expectation_where_the_number_of_steps_is_random(horizon: int, p: float) -> None:
    """A run of AllOrOne that ends in each of the steps, with its exact probability. Weights that are shared out when
    all runs have ended are not known beforehand: with them it was 1.09 for T = 100, p = 0.02."""

    def step(t: int, ended: bool) -> ReferenceStep:
        released, law = np.array([[1 - ended, int(ended)]]), np.array([[1 - p, p]])
        return ReferenceStep(
            t, [""], np.array([0 if t > 1 else -1]), np.ones(1, int), released, law, horizon + 1 - t, t == horizon
        )

    going = [step(t, False) for t in range(1, horizon + 1)]
    mean = (1 - p) ** horizon * np.exp(log_mean_evidence(evidence_groups(going, "x", 0.0)))
    for end in range(1, horizon + 1):
        mean += (
            (1 - p) ** (end - 1)
            * p
            * np.exp(log_mean_evidence(evidence_groups([*going[: end - 1], step(end, True)], "x", 0.0)))
        )
    assert 0.5 < mean <= 1 + 1e-12
    if horizon == 9:  # these are its steps
        released = np.concatenate([np.tile([1, 0], (5, 1)), [[0, 4]]])[None]
        steps = steps_along(AllOrOne(p, 9), Table(np.zeros((2, 9))), compact_transcripts(played_as(released)).released)
        assert [(each.left, each.even) for each in steps] == [(9 - t, False) for t in range(6)]


def played_as(released: Any) -> Played:
    """Runs with these releases, (trials, steps, arms)."""
    counts = released.sum(axis=1)
    return Played(released, 0.0 * counts, counts, np.full(len(counts), -1))


@pytest.mark.parametrize("horizon", [1, 7, 1000])
@pytest.mark.parametrize("first", [0, 1, 5, 2000])
def test_the_weights_of_steps_are_known_beforehand_and_at_most_one_in_all(horizon: int, first: int) -> None:
    """Whenever runs begin not to be even, and however long they go on: longer runs change no earlier weight."""

    def step(t: int) -> ReferenceStep:
        none = np.zeros((1, 2))
        return ReferenceStep(t, [""], np.array([-1]), np.zeros(1, int), none, none, horizon + 1 - t, t - 1 != first)

    steps = [step(t) for t in range(1, horizon + 1)]
    weights = np.exp(log_weights(steps))
    assert weights.sum() <= 1 + 1e-12
    for many in (1, (horizon + 1) // 2):
        assert np.array_equal(np.exp(log_weights(steps[:many])), weights[:many])
    if first >= horizon:
        assert weights == pytest.approx(np.full(horizon, 1 / horizon), rel=1e-12, abs=0)
    else:
        assert weights[:first] == pytest.approx(np.full(first, 1 / horizon), rel=1e-12, abs=0)
        assert weights[first] >= (1 - first / horizon) / 4
        assert weights[-1] >= 1 / (2 * horizon) - 1e-15
    groups = evidence_groups(steps, "", 0.0) if horizon < 10 else []
    assert sum(np.exp(each.log_weight) * each.log_evidence.size for each in groups) <= 1 + 1e-12


def test_blocks_are_weighed_by_their_number_and_the_resolution_says_so() -> None:
    """A few blocks of 10^8 pulls lose little, and what is promised of one step is true of the lightest one."""
    visit, chances = np.zeros(1, int), np.zeros((1, 2))
    blocks = [ReferenceStep(t, [""], visit, visit, chances, chances, left, False)
              for t, left in enumerate([10**8 - 2**t + 1 for t in range(26)], start=1)]  # fmt: skip
    assert log_weights(blocks)[-1] > -np.log(26) - 4
    found = follows_law(Lottery(9), Lottery(9), {"a": Table(np.zeros((2, 9)))}, trials=2_000, level=1e-6)
    steps = int(re.search(r"in all (\d+) steps", found.resolution).group(1))
    lightest = np.log((1 / 9 + 1 / (steps * (steps + 1))) / 2)
    plain = (
        (1 - EXCLUDED_RISK_SHARE) * (1 - ALL_SHARE) * 1e-6
    )  # of the level, for one of two arms in one of the groupings
    wanted = min_caught_shift(2_000, lightest - np.log(2 * GROUPINGS), plain)
    assert f"off by about {wanted:.2g} in one step of all 2000 runs" in found.resolution


@dataclass(frozen=True)
class Biased:
    """A policy of one round that pulls arm 0 with a given chance."""

    chance: float
    arms: int = 2
    horizon: int = 1

    def init(self, trials: int) -> Any:
        return np.zeros(trials)

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one((noise.uniform("choice", t) >= self.chance).astype(int), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state


@pytest.mark.planted
def test_a_bias_of_the_stated_resolution_is_caught_as_often_as_stated():
    """100 seeds; with probability 0.9 each, fewer than 72 are caught with a chance below 1e-6."""
    reference = ThompsonSampling(2, 1)
    table = {"zeros": Table(np.zeros((2, 1)))}
    honest = follows_law(Biased(0.5), reference, table, trials=3000)
    assert honest.verdict == Verdict.CONSISTENT
    shift = float(re.search(r"off by about ([\d.]+) in one step", honest.resolution).group(1))
    assert 0 < shift < 0.2
    found = [follows_law(Biased(0.5 + shift), reference, table, trials=3000, seed=s).verdict for s in range(100)]
    assert stats.binom.cdf(71, 100, 0.9) < 1e-6
    assert found.count(Verdict.REFUTED) >= 72
    tiny = [follows_law(Biased(0.5), reference, table, trials=3000, seed=s, level=0.01).verdict for s in range(100)]
    # Markov's bound: 1 of 100 expected at most; 9 or more have a chance below 1e-6.
    assert stats.binom.sf(8, 100, 0.01) < 1e-6
    assert tiny.count(Verdict.REFUTED) <= 8


def test_runs_that_are_played_one_by_one_are_padded_to_the_longest():
    """Each with noise of its own, and as if it were alone; what blocks release ends in different steps."""
    policy, table = Lottery(8), Table(np.tile([0.0, 1.0], (2, 4)))
    every = runs(policy, table, 5, 30, True)
    lengths = set()
    for k in range(30):
        alone = play(policy, table, Seeded(5, 1, k), 1)
        lengths.add(steps := alone.released.shape[1])
        assert every.released[k, :steps].tolist() == alone.released[0].tolist()
        assert not every.released[k, steps:].any()
        assert every.pulls[k].tolist() == alone.pulls[0].tolist()
    assert every.released.shape[1] == max(lengths) > min(lengths)
    assert pull_sequence(every).shape == (30, 8)


def test_what_is_not_pulled_is_no_arm():
    """Of five pulls one run makes three, two of them in a block, and answers; the other one makes a single pull."""
    released = np.array([[[1, 0], [0, 2]], [[0, 1], [0, 0]]])
    played = Played(released, np.zeros((2, 2)), released.sum(axis=1), np.array([0, -1]))
    assert all_pulls_and_answers(played, 5).tolist() == [[0, 1, 1, -1, -1, 0], [1, -1, -1, -1, -1, -1]]


@pytest.mark.parametrize("arms", [2, 12])
@pytest.mark.first(1)
def test_the_resolution_counts_the_evidence_that_there_is(arms):
    """With the weights of the e-values of one step and of all steps, in each of three environments: with probability
    0.9 the evidence of the best tilt passes the bar."""
    steps, trials, level = 7, 50_000, 1e-9
    tables = {name: Table(np.zeros((arms, steps))) for name in ("a", "b", "c")}
    reference = ThompsonSampling(arms, steps)
    found = follows_law(reference, reference, tables, trials=20, level=level)
    assert re.search(r"in one step of all 20 runs, or by [\d.]+ in all 7 steps$", found.resolution)
    played = play(reference, tables["a"], Seeded(1, 20), 20)
    groups = evidence_groups(
        steps_along(reference, tables["a"], releases_in_turn(pull_sequence(played), arms)), "a", -np.log(3)
    )
    weight = {group.name(0): group.log_weight for group in groups[steps:]}
    told = caught_shifts(trials, 3, steps, arms, level, -np.log(steps), trials * steps)
    for off, name, visits in (
        (told.one_step, "a: step 1", trials),
        (told.every_step, "a: all steps", trials * steps),
    ):
        bar = -np.log(level) - weight[name] + np.log(len(TILTS))
        assert off is not None
        few = stats.binom.ppf(0.1, visits, 0.5 + off * np.array([0.95, 1.05]))
        least, most = (np.outer(few, TILTS) - visits * np.log1p(np.expm1(TILTS) / 2)).max(axis=1)
        assert least < bar < most


@dataclass(frozen=True)
class OneByOne(Silent):
    """Algorithm 2 whose pre-pulls are released one at a time instead of in blocks."""

    policy: ModifiedThompsonSampling

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        b, k = self.policy.prepulls, self.arms
        if t <= b * k:
            return Pulls.one(np.full(len(state.pulls), (t - 1) // b), k)
        return self.policy.act(t - b * k + k, state, noise)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return self.policy.learn(self.horizon, state, pulls, sums, noise)


@pytest.mark.thorough
def test_how_pulls_are_cut_into_steps_does_not_matter():
    reference = ModifiedThompsonSampling(2, 9, prepulls=3)
    assert follows_law(OneByOne(reference), reference, trials=4000).verdict == Verdict.CONSISTENT
    assert replay(OneByOne(reference), reference).verdict == Verdict.CONSISTENT


def test_pulls_that_the_reference_never_makes_are_named():
    reference = ModifiedThompsonSampling(2, 9, prepulls=3)
    finding = follows_law(ThompsonSampling(2, 9), reference, trials=100)
    assert finding.verdict == Verdict.REFUTED
    assert "which pulls one arm 3 times" in finding.summary


@pytest.mark.thorough
def test_longer_runs_are_told_apart_by_state():
    """Beyond a few hundred different pasts, runs are pooled by state: nothing is lost, nothing is refuted."""
    reference = ThompsonSampling(3, 12)
    assert follows_law(reference, reference, trials=1500).verdict == Verdict.CONSISTENT
    loud = ThompsonSampling(3, 12, spread=lambda n: 1.3 / (n + 1))
    finding = follows_law(loud, reference, trials=1500)
    assert finding.verdict == Verdict.REFUTED
    rows = finding.evidence[0]["rows"]
    assert all(visits >= released for _, _, visits, released, _, _ in rows)


def test_streams_can_be_played_on():
    reference = ThompsonSampling(2, 6)
    stream = {"stream": Stream(np.random.default_rng(0).random((2, 6)))}
    assert follows_law(reference, reference, stream, trials=4000).verdict == Verdict.CONSISTENT
    assert replay(reference, reference, stream).verdict == Verdict.CONSISTENT


def test_one_arm_exercises_nothing():
    one = ThompsonSampling(1, 4)
    assert follows_law(one, one, trials=50).verdict == Verdict.NOT_EXERCISED


def test_findings_are_reproducible_and_say_how():
    reference = ThompsonSampling(2, 4)
    first, again = (follows_law(reference, reference, trials=500, seed=3) for _ in range(2))
    assert first == again
    assert first.repro.endswith("follows_law(policy, reference, trials=500, seed=3)")
    assert first != follows_law(reference, reference, trials=500, seed=4)


def test_replay_says_where_a_policy_leaves_the_reference():
    finding = replay(ThompsonSampling(2, 6, spread=lambda n: 1.0 + 0 * n), ThompsonSampling(2, 6))
    assert finding.verdict == Verdict.REFUTED
    told = re.search(r"run \d+: pull \d is of arm ([01]), the reference makes it of arm ([01])", finding.summary)
    assert told is not None
    assert told[1] != told[2]
    other_site = replay(Biased(0.5), ThompsonSampling(2, 1))
    assert other_site.verdict == Verdict.NOT_APPLICABLE
    assert "draws at site 'choice', index 1, the reference at site 'theta', index 1:" in other_site.summary


@pytest.mark.parametrize("check", [follows_law, replay])
def test_only_equals_are_compared(check):
    with pytest.raises(
        ValueError, match="policy has arms = 3 and horizon = 5, but the reference has arms = 2 and horizon = 5"
    ):
        check(ThompsonSampling(3, 5), ThompsonSampling(2, 5))


@pytest.mark.parametrize("check", [follows_law, replay])
@pytest.mark.parametrize("seed", [-1, 1.5, "x", 2**64, True, None])
def test_a_seed_that_is_none_is_refused(check, seed):
    with pytest.raises(ValueError, match=r"seed = .*; it must be an integer from 0 to"):
        check(ThompsonSampling(2, 3), ThompsonSampling(2, 3), trials=10, seed=seed)


def test_replay_of_a_policy_that_pulls_blocks():
    """A reference needs no law to be replayed, and blocks are compared pull by pull."""
    policy = Elimination(3, 60, first=3)
    assert not isinstance(policy, HasLaw)
    assert replay(policy, policy).verdict == Verdict.CONSISTENT
    assert replay(Elimination(3, 60, eps=0.9, first=3), policy).verdict == Verdict.REFUTED


@pytest.mark.thorough
def test_releases_of_different_size_are_compared_step_by_step():
    """A reference that may pull one, three or four times in a step; the bias is in the law of the block's kind."""
    finding = follows_law(Lottery(6), Lottery(6), trials=500)
    assert finding.verdict == Verdict.CONSISTENT
    finding = follows_law(Lottery(6, bias=0.1), Lottery(6), trials=500)
    assert finding.verdict == Verdict.REFUTED
    assert "an e-value of 10^" in finding.summary
    other = follows_law(ThompsonSampling(2, 6), Lottery(6), trials=500)
    assert other.verdict == Verdict.REFUTED  # it never pulls both arms
    late = follows_law(Lottery(6, since=1), Lottery(6), trials=200)
    assert late.verdict == Verdict.REFUTED
    assert (
        "from pull 1 on, the pulls differ from those of the reference, which pulls [2, 2], or [1, 0], or [0, 1]"
        in late.summary
    )


def test_random_rewards_cannot_be_led_along():
    """The state of the reference must be known: rewards that are drawn anew in every run are refused."""
    reference = ThompsonSampling(2, 3)
    with pytest.raises(ValueError, match="fixed rewards"):
        follows_law(reference, reference, {"random": Bernoulli((0.5, 0.5))})


def test_the_rows_that_speak_loudest_are_shown_first() -> None:
    """By their own evidence and the weight of their group, eight in all."""
    made = [
        EvidenceGroup(
            lambda k, name=name: f"{name} {k}", np.full(6, 40.0), np.full((6, 2), 30.0), np.full((6, 2), 20.0),
            evidence, evidence, weight,
        )
        for name, evidence, weight in (
            ("light", np.arange(12.0).reshape(6, 2), -4.0),
            ("heavy", np.arange(12.0).reshape(6, 2)[::-1] / 2, 0.0),
        )
    ]  # fmt: skip
    shown = strongest_rows(made)
    wanted = [("light 5", 1, 7.0), ("light 5", 0, 6.0), ("heavy 0", 1, 5.5), ("light 4", 1, 5.0), ("heavy 0", 0, 5.0)]
    assert [row[:2] for row in shown[:3]] == [list(each[:2]) for each in wanted[:3]]
    assert {tuple(row[:2]) for row in shown[3:5]} == {each[:2] for each in wanted[3:]}
    assert [row[-1] * np.log(10) for row in shown[:5]] == pytest.approx([each[2] for each in wanted])
    assert shown[0][2:5] == [40, 30, 20.0]
    assert len(shown) == 8


@pytest.mark.thorough
def test_a_resolution_promises_nothing_where_not_even_a_certain_release_is_caught():
    """A certain release is at most twice as probable as its law has it, a visit: few visits never pass the bar."""
    assert min_caught_shift(1, -2.0, 1e-6) == np.inf
    assert min_caught_shift(200, -2.0, 1e-6) < 0.5
    reference = ThompsonSampling(2, 20)
    found = follows_law(reference, reference, trials=3)
    assert "off by more than 0.5 (which none is: too few runs) in one step of all 3 runs" in found.resolution


@dataclass(frozen=True)
class Always(Biased):
    """Pulls the same arm in every step."""

    horizon: int = 3

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        noise.uniform("not used", t)  # which makes its runs independent draws, if all of one value
        return Pulls.one(np.full(len(state), int(self.chance < 1)), 2)


@pytest.mark.parametrize("level", [1e-6, 1e-2])
@pytest.mark.first(1)
def test_runs_that_could_not_have_refuted_anything_are_not_exercised(level: float) -> None:
    """Whoever refutes a policy of so many runs calls as many that conform CONSISTENT, and some number is too small."""
    reference, table = ThompsonSampling(2, 3), {"turns": Table([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])}
    verdicts = []
    for trials in range(1, 13):
        constant = [follows_law(Always(arm), reference, table, trials, level=level).verdict for arm in (0.0, 1.0)]
        honest = follows_law(reference, reference, table, trials, level=level)
        verdicts.append(honest.verdict)
        assert Verdict.REFUTED not in constant or honest.verdict == Verdict.CONSISTENT
        assert bool(honest.resolution) == (honest.verdict == Verdict.CONSISTENT)
        few = re.fullmatch(rf"{trials} runs .* are too few: even the releases .* give more runs", honest.summary)
        assert bool(few) == (honest.verdict == Verdict.NOT_EXERCISED)
    assert verdicts == sorted(verdicts, reverse=True)
    assert {Verdict.REFUTED, *verdicts} == {*constant, *verdicts} == {"CONSISTENT", "NOT_EXERCISED", "REFUTED"}


def test_the_most_telling_releases_are_the_evidence_that_they_would_be() -> None:
    """By trying out everything that three runs may release where they are; what is certain adds nothing."""
    law = np.array([[0.9, 0.1], [0.2, 0.8], [1.0, 0.0]])
    visits, last = np.array([2, 1, 4]), np.array([-1, -1, -1])

    def groups(first: int, second: int) -> list[EvidenceGroup]:
        released = np.array([[first, 2 - first], [second, 1 - second], [4, 0]])
        return evidence_groups([ReferenceStep(1, ["", "", ""], last, visits, released, law, 1, True)], "", 0.0)

    every = [groups(first, second) for first in range(3) for second in range(2)]
    best = max(float((each.log_evidence + each.log_weight).max()) for found in every for each in found)
    for found in every:
        most, telling = evidence.max_log_evidence(found)
        assert most == pytest.approx(best, abs=1e-9)
        assert telling.endswith("expected in 7")


@dataclass(frozen=True)
class Committed:
    """Pulls either of two arms by a coin in its first rounds, and arm 0 ever after."""

    coins: int
    arms: int = 2
    horizon: int = 30

    def init(self, trials: int) -> Any:
        return np.zeros(trials)

    def law(self, t: int, state: Any) -> Law:
        return one_arm(np.tile([0.5, 0.5] if t <= self.coins else [1.0, 0.0], (len(state), 1)))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        second = noise.uniform("coin", t) < 0.5 if t <= self.coins else np.zeros(len(state))
        return Pulls.one(np.asarray(second, dtype=int), 2)

    def learn(self, t: int, state: Any, pulls: Any, sums: Any, noise: Any) -> Any:
        return state


@pytest.mark.parametrize("coins", [2, 30])
@pytest.mark.first(1)
def test_a_resolution_counts_the_rounds_that_are_left_to_chance(coins: int) -> None:
    """Rounds that are certain show nothing of a coin that is off; of runs that were played as of recorded ones."""
    policy, trials = Committed(coins), 300
    table = {"zeros": Table(np.zeros((2, 30)))}
    found = follows_law(policy, policy, table, trials, level=1e-6)
    told = float(re.search(r"or by ([\d.]+) in all 30 steps", found.resolution).group(1))
    assert told == pytest.approx(min_caught_shift(coins * trials, -np.log(10), 0.99e-6), rel=0.05)
    pulled = pull_sequence(play(policy, table["zeros"], Seeded(1, trials), trials))
    logged = fits_law(Log(pulled, np.zeros(pulled.shape)), policy, level=1e-6)
    told = float(re.search(r"all off by about ([\d.]+)", logged.resolution).group(1))
    assert told == pytest.approx(min_caught_shift(coins * trials, -np.log(8), 1e-6), rel=0.05)


@pytest.mark.parametrize("tables", [1, 3])
def test_what_a_law_excludes_and_what_it_gives_chances_share_the_level(tables, monkeypatch):
    """A small part of it is for releases that a blurred law leaves out, in equal parts for the environments; the
    evidence of all together has the rest."""
    asked = []

    def noted(reference, environment, played, by_steps, level, see):
        asked.append(level)
        return reference_steps(reference, environment, played, by_steps, level, see)

    def concluded(*args):
        asked.append(args[-1])  # level
        return given(*args)

    given = law_module.conformance_finding
    monkeypatch.setattr(law_module, "reference_steps", noted)
    monkeypatch.setattr(law_module, "conformance_finding", concluded)
    reference = ThompsonSampling(2, 3)
    every = {str(k): Table(np.full((2, 3), k / 4)) for k in range(tables)}
    follows_law(reference, reference, every, trials=20, level=1e-3)
    *rare, rest = asked
    assert len(rare) == tables
    assert len(set(rare)) == 1
    assert 0 < sum(rare) <= 1e-4
    assert sum(asked) == pytest.approx(1e-3, rel=1e-9)
    assert rest < 1e-3


def test_there_must_be_something_to_play_on():
    reference = ThompsonSampling(2, 1)
    for compare in (follows_law, replay):
        with pytest.raises(ValueError, match="environments is empty; give a dict of"):
            compare(reference, reference, {}, trials=3)


@pytest.mark.parametrize("visits", [200, 5_000, 1_000_000])
@pytest.mark.parametrize(("log_weight", "level"), [(-2.0, 1e-3), (-8.0, 1e-9), (-15.0, 1e-6)])
@pytest.mark.first(1)
def test_a_chance_that_is_off_by_its_resolution_is_caught_as_often_as_it_says(
    visits: int, log_weight: float, level: float
) -> None:
    """Exactly, over all counts of releases; also of so many visits that the least tilt is too much for them."""
    released = np.arange(visits + 1)
    tilted = (released * each - visits * np.log1p(np.expm1(each) / 2) for each in TILTS)
    caught = reduce(np.logaddexp, tilted) - np.log(len(TILTS)) + log_weight >= -np.log(level)
    off = min_caught_shift(visits, log_weight, level)
    power, less = (stats.binom.pmf(released, visits, 0.5 + each)[caught].sum() for each in (off, 0.85 * off))
    assert power > RESOLUTION_POWER - 0.005  # the binomial is not quite a normal
    assert less < 0.75


@dataclass(frozen=True)
class Seldom:
    """Pulls arm 1 with a chance that its law leaves out, in every state, because it does not know chances so small."""

    chance: float
    absolute_error: float
    arms: int = 2
    horizon: int = 4

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one((noise.uniform("seldom", t) < self.chance).astype(np.int64), 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state

    def law(self, t: int, state: Any) -> Law:
        return one_arm(np.tile([1.0, 0.0], (len(state), 1)), absolute_error=self.absolute_error)


@pytest.mark.parametrize(("absolute_error", "verdict"), [(0.0, "REFUTED"), (1e-7, "REFUTED"), (1e-3, "CONSISTENT")])
def test_what_a_blurred_law_leaves_out_may_happen_as_often_as_it_is_blurred(absolute_error, verdict):
    """Some 16 of 8000 pulls; what is not known of them is no reason to refute a policy."""
    policy = Seldom(5e-4, absolute_error)
    table = {"a": Table(np.zeros((2, 4)))}
    found = follows_law(policy, policy, table, trials=8_000)
    assert found.verdict in (Verdict[verdict], Verdict.NOT_EXERCISED)
    assert (found.verdict is Verdict.REFUTED) == (verdict == "REFUTED")
    pair = flipped("pull", np.zeros((2, 4)), 0, 0, 1.0)
    seen = simulate_transcripts(policy, pair.environments()[0], 8_000, seed=1)
    assert (misfit(policy, pair, seen, 1e-6) is None) == (verdict != "REFUTED")


def test_a_run_that_leaves_a_blurred_law_is_followed_no_further():
    """Of five runs one pulls arm 1 in step 2, which is a visit without a pull, and none of step 3."""
    pulled = np.zeros((5, 4), dtype=np.int64)
    pulled[3, 1] = 1
    table, reference = Table(np.zeros((2, 4))), Seldom(0.0, 1e-3)
    chance = 5 * 2 * 1e-3 * 5  # of one such run or more, in any of five steps, one of them an answer
    steps = steps_along(reference, table, releases_in_turn(pulled, 2), chance * 0.99)
    assert [step.visits.sum() for step in steps] == [5, 5, 4, 4]
    assert [step.released.tolist() for step in steps] == [[[5, 0]], [[4, 0]], [[4, 0]], [[4, 0]]]
    told = steps_along(reference, table, releases_in_turn(pulled, 2), chance * 1.01)
    assert isinstance(told, str)
    assert told.startswith("run 3: from pull 2 on, the pulls differ from those of the reference")
    pulled[4, 2] = 1
    assert steps_along(reference, table, releases_in_turn(pulled, 2), chance * 1.01).startswith("run 3")


KINDS = {"normal": stats.norm, "laplace": stats.laplace, "uniform": stats.uniform}


@pytest.mark.parametrize("by_order", [False, True], ids=["by address", "by order"])
@pytest.mark.parametrize(("recorded", "asked"), list(itertools.product(KINDS, KINDS)))
def test_a_draw_of_another_kind_is_the_recorded_quantile(recorded: str, asked: str, by_order: bool) -> None:
    """Who makes normal noise of uniform noise conforms; what the tape does not have is drawn afresh."""
    recorder, fresh = Recorder(Seeded(1, 50)), Seeded(2, 50)
    known = getattr(recorder, recorded)("site", 1, (3,))
    noise = Followed(recorder.tape(), fresh, by_order)
    made = getattr(noise, asked)("site", 1, (3,))
    assert made == pytest.approx(KINDS[asked].ppf(KINDS[recorded].cdf(known)), rel=1e-9, abs=1e-12)
    beyond = getattr(noise, asked)("site", 2, (3,))
    assert beyond.shape == (50, 3)
    assert not np.isin(beyond, made).any()
