"""What the audit of a policy spends: its level, its trials and its pairs, against what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pytest
from audit_targets import audit_as
from lottery import Lottery
from mutants import Silent
from scipy.optimize import brentq
from scipy.special import ndtri

from dpbandits import QUICK, Approximate, Gaussian, Pair, Profile, Pulls, Verdict, audit_policy, flipped, follows_law
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.judges.shared_answers import content_key, remembered_answer
from dpbandits.audit.play.transcripts import simulate_transcripts, transcripts_of_arms
from dpbandits.audit.privacy import exact_pairs, goodness, lawful_runs
from dpbandits.audit.privacy import rounds as judging
from dpbandits.audit.privacy.exact_pairs import (
    ALL_CLAIMS,
    ONE_CLAIM,
    few_states,
    likely_excess,
    number_of_states,
    profiled_pairs,
    worst_pairs,
)
from dpbandits.audit.privacy.goodness import misfit
from dpbandits.audit.privacy.instances import combine_results
from dpbandits.audit.privacy.pipeline import (
    AuditedInstance,
    Choice,
    DrawnTrials,
    affordable_by_law,
    affordable_singly,
    affordable_trials,
)
from dpbandits.audit.privacy.released_runs import uncertifiable
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.rounds import rounds_of_longer_runs, rounds_tried
from dpbandits.audit.privacy.samples import NoisyRuns
from dpbandits.audit.privacy.search.pairs import candidates, tables_of_pair
from dpbandits.audit.privacy.steps import SampledStep
from dpbandits.audit.statistics.events import Event, certify_tests
from dpbandits.audit.statistics.region import excess_over_region, planned_region
from dpbandits.audit.statistics.resolution import Resolution
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.bandits.policy import Law, one_arm
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Basis, Claim, Private
from dpbandits.reference.curves import Curve, derived
from dpbandits.reference.papers.ou24 import ThompsonSampling, single_step

SMALL = replace(QUICK, trials=2_500, steps=10**6, pair_tries=4)
RUN = Run(SMALL, seed=2, level=1e-3)
SITE = ("page/claim", "a policy")
CURVE = Gaussian(1.0)
LAWFUL = ThompsonSampling(2, 5)


def says(view: Any = "arms", relation: Any = "pull") -> Private:
    return Private(relation, view, lambda policy: CURVE)


class Calls(list[Any]):
    """The arguments of every call of a function, which does what it did."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str, module: Any = lawful_runs) -> None:
        asked = getattr(module, name)

        def call(*given: Any, **named: Any) -> Any:
            self.append(given)
            return asked(*given, **named)

        monkeypatch.setattr(module, name, call)


# -- the level and the trials -----------------------------------------------------------------------------------------


def test_a_lawful_policy_spends_its_level_on_its_points_and_on_the_fit_of_its_law(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four fifths on what is certified, a twentieth on the behaviour on either side, and as much for other pairs; a
    fourth of the trials chooses."""
    fits, scored = Calls(monkeypatch, "misfit", goodness), Calls(monkeypatch, "scored_by_search")
    found = audit_as(LAWFUL, says(), CURVE, RUN, SITE)
    assert found.sampled is not None
    assert found.sampled.level == pytest.approx(0.8e-3)
    assert [level for *_, level in fits] == pytest.approx([0.05e-3, 0.05e-3])
    assert [(search, level) for _, _, search, _, level in scored] == [(625, pytest.approx(0.8e-3))]
    assert found.sampled.trials == 2_500 - 625
    assert not found.learnt
    assert [seen.trials for _, _, seen, _ in fits] == [2_500, 2_500]


@pytest.mark.thorough
def test_a_law_is_asked_on_other_pairs_too_where_trials_are_left_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """On four that stand out, by an eighth of the trials; they share a tenth of the level on either side."""
    fits = Calls(monkeypatch, "misfit", goodness)
    audit_as(LAWFUL, says(), CURVE, replace(RUN, profile=replace(SMALL, trials=8_000)), SITE)
    assert [seen.trials for _, _, seen, _ in fits] == [8_000] * 2 + [250] * 8
    assert [level for *_, level in fits[2:]] == pytest.approx([0.1e-3 / 8] * 8)


def test_claims_about_one_policy_share_the_check_of_its_law_on_other_pairs() -> None:
    """Whatever their curves; a given subject has its own check, for it may be changed between two audits. Nobody's
    answer depends on who asked first."""
    run, cached = replace(RUN, profile=replace(SMALL, trials=6_400)), remembered_answer
    asked = [
        AuditedInstance(name, "a policy", curve, run, True) for name, curve in (("a/b", CURVE), ("a/c", Gaussian(3.0)))
    ]
    exhibits = [lawful_runs.LawfulRuns(ThompsonSampling(2, 4), says(), each) for each in asked]
    before = cached.cache_info()
    for order in (exhibits, exhibits[::-1]):
        assert [each.unlawful_elsewhere(6_400) for each in order] == [None, None]
    assert cached.cache_info().misses == before.misses + 1
    alone = lawful_runs.LawfulRuns(ThompsonSampling(2, 4), says(), asked[0]._replace(shared=False))
    assert alone.unlawful_elsewhere(6_400) is None
    assert cached.cache_info()[:2] == (before.hits + 3, before.misses + 1)


@pytest.mark.thorough
def test_claims_about_one_policy_share_the_search_by_law() -> None:
    """Whatever their curves: every pair is followed once. What is chosen does not depend on who asked first, and agrees
    with a search for one claim alone. A given subject has its own search."""
    policy, run = ThompsonSampling(2, 4), replace(RUN, profile=replace(SMALL, pair_tries=4, pair_effort=10**4))
    claims = [("a/b", CURVE), ("c/d", Gaussian(3.0)), ("e/f", Gaussian(0.01))]
    asked = [AuditedInstance(name, "a policy", curve, run, True) for name, curve in claims]
    targets = [lawful_runs.LawfulRuns(policy, says(), each) for each in asked]

    def chosen(target: lawful_runs.LawfulRuns) -> tuple[Hashable, Hashable]:
        found = target.choose()
        assert isinstance(found, Choice)
        assert found.law is not None
        assert found.law.pair is not None
        return tables_of_pair(found.sampled), tables_of_pair(found.law.pair)

    def pairs_of_search(order: Sequence[lawful_runs.LawfulRuns]) -> tuple[dict[str, Any], int]:
        remembered_answer.cache_clear()
        found = {each.instance.claim: chosen(each) for each in order}
        return found, remembered_answer.cache_info().misses

    together, once = pairs_of_search(targets)
    assert pairs_of_search(targets[::-1]) == (together, once)
    for each in targets:
        assert pairs_of_search([each]) == ({each.instance.claim: together[each.instance.claim]}, once)
    given = [lawful_runs.LawfulRuns(policy, says(), each._replace(shared=False)) for each in asked]
    assert pairs_of_search(given)[1] == 0 < once
    for effort, others in ((ALL_CLAIMS, 2), (ONE_CLAIM, 1)):  # of either kind with rewards between the ends
        assert len(profiled_pairs(policy, (), 4, 1, SMALL.exact_states, effort).pairs) == 4 + 2 * others


@dataclass(frozen=True)
class Weighed(ThompsonSampling):
    """Has weights that are not compared, as arrays are no hash."""

    weights: Any = field(default=None, compare=False)


def test_only_policies_that_nothing_tells_apart_share_a_check() -> None:
    told = [content_key(Weighed(2, 4, weights=np.full(2, weight))) for weight in (0.0, 1.0, 1.0)]
    assert told[0] != told[1] == told[2]
    later = Weighed(2, 4)
    object.__setattr__(later, "more", 1)
    assert len({*told, content_key(later), content_key(ThompsonSampling(2, 4))}) == 4
    assert content_key(ThompsonSampling(2, 4)) == content_key(ThompsonSampling(2, 4))
    for closed in ({"w": 1.0}, lambda n: later.weights + n, object()):
        assert content_key(Weighed(2, 4, weights=closed)) is None


def test_how_many_trials_a_run_can_pay() -> None:
    for trials, steps, horizon, found in (
        (20_000, 500_000, 10, 20_000),
        (20_000, 500_000, 50, 10_000),
        (20_000, 500_000, 10_000, 2_000),  # but 2000 at least
    ):
        run = replace(RUN, profile=replace(QUICK, trials=trials, steps=steps))
        assert affordable_trials(run, horizon) == found


def test_one_by_one_fewer_trials_are_played() -> None:
    """Sixty thousand steps in the quick profile, as many times more as the profile has more trials."""
    from dpbandits.audit.play.probes import MAX_SINGLE_STEPS

    for factor in (1, 10):
        run = replace(RUN, profile=replace(QUICK, trials=20_000 * factor))
        assert affordable_singly(run, 7, 10**9) == MAX_SINGLE_STEPS * factor // 7
        assert affordable_singly(run, 7, 5_000) == 5_000
        assert affordable_singly(run, 10**6, 5_000) == 2_000


@pytest.mark.parametrize("factor", [1, 10])
def test_a_law_of_many_arms_is_held_against_fewer_trials(factor: int) -> None:
    run = replace(RUN, profile=replace(QUICK, trials=20_000 * factor))
    assert affordable_by_law(ThompsonSampling(3, 9), 10**9, 9, run) == 10**9
    assert affordable_by_law(ThompsonSampling(4, 9), 10**9, 9, run) == 1_250_000 * factor // (9 * 16)
    assert affordable_by_law(ThompsonSampling(4, 9), 700, 9, run) == 700
    assert affordable_by_law(ThompsonSampling(100, 9), 700, 900, run) == 100


# -- what could be seen -----------------------------------------------------------------------------------------------


def test_a_claim_is_searched_if_any_mechanism_that_breaks_it_would_be_caught() -> None:
    """At the fresh trials and the level of the main test."""
    asked: list[tuple[Any, ...]] = []
    for values, searched in (((2.0, inf), True), ((inf, 2.0), True), ((2.0, 3.0), True), ((inf, inf), False)):
        told = tuple(Resolution(value, 1e-3, "some") for value in values)

        def caught(*given: Any, told: tuple[Resolution, ...] = told) -> tuple[Resolution, ...]:
            asked.append(given)
            return told

        assert (uncertifiable(LAWFUL, Approximate(0.5, 1e-3), 1_500, 1e-3, caught) == "") == searched
    assert set(asked) == {(Approximate(0.5, 1e-3), 1_500, 0.96 * 1e-3)}


def test_why_nothing_could_be_certified_tells_the_most_that_could_be_shown() -> None:
    """With no error at all among ten trials a side, both may be 1 - u^(1/20) with u (1 - log u) = level."""
    product = brentq(lambda u: u * (1 - np.log(u)) - 0.96e-3, 1e-9, 1e-3, xtol=1e-15)
    most = -2 * ndtri(1 - product ** (1 / 20))
    words = uncertifiable(LAWFUL, Gaussian(9.0), 10, 1e-3)
    told = re.search(r"10 fresh trials of T = 5 show at most mu (0\.\d+);", words)
    assert told is not None
    assert 0.98 * most < float(told[1]) <= most  # the region's corners lie a little beyond its edge


@dataclass(frozen=True)
class Coin:
    """Pulls arm 1 with this chance, whatever is paid, and says that it does so with another."""

    chance: float
    said: float
    arms: int = 2
    horizon: int = 6

    def init(self, trials: int) -> Any:
        return np.zeros((trials, 1))

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        return Pulls.one(noise.uniform("arm", t) < self.chance, 2)

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return state

    def law(self, t: int, state: Any) -> Law:
        return one_arm(np.tile([1 - self.said, self.said], (len(state), 1)))


@pytest.mark.parametrize("relation", ["pull", "round"])
@pytest.mark.first(1)
def test_a_policy_that_takes_no_notice_of_rewards_must_follow_its_law_all_the_same(relation: str) -> None:
    lying = audit_as(Coin(0.7, 0.5), says(relation=relation), CURVE, RUN, SITE)
    assert "does not follow its declared law" in lying.wrong
    assert lying.verdict is Verdict.REFUTED
    honest = audit_as(Coin(0.7, 0.7), says(relation=relation), CURVE, RUN, SITE)
    assert not honest.wrong
    assert honest.verdict is Verdict.CONSISTENT
    assert "by its law, all that was released is as likely on either side" in honest.same


@dataclass(frozen=True)
class Rare(ThompsonSampling):
    """Algorithm 1, and its law; but after a first reward of 0.37 it pulls arm 1."""

    def act(self, t: int, state: Any, noise: Any) -> Pulls:
        pulls = super().act(t, state, noise)
        told = (t == 2) & (np.abs(state.total.sum(axis=1) - 0.37) < 1e-9)
        return Pulls(np.where(told[:, None], [[0, 1]], pulls.counts))


@pytest.mark.thorough
def test_a_law_that_is_false_on_a_few_pairs_alone_is_false() -> None:
    """They stand out by what is released; by the law they are as all others."""
    run = replace(RUN, profile=replace(SMALL, trials=12_000))
    found = audit_as(Rare(2, 5), says(relation="round"), CURVE, run, SITE)
    assert "does not follow its declared law: in step 2" in found.wrong
    assert not audit_as(LAWFUL, says(relation="round"), CURVE, run, SITE).wrong


@pytest.mark.parametrize("relation", ["pull", "round", "history"])
@pytest.mark.first(2)
def test_one_pull_tells_nothing(relation: str) -> None:
    """With a law or without, it comes before any reward; of a whole run that is proved."""
    right = Verdict.CONSISTENT if relation == "history" else Verdict.PROVED
    for policy in (ThompsonSampling(2, 1), Silent(ThompsonSampling(2, 1))):
        assert audit_policy(policy, eps=0.1, relation=relation, trials=2_500).verdict is right


@pytest.mark.parametrize("policy", [Lottery(4), Silent(Lottery(4))], ids=["with a law", "without"])
def test_no_round_can_be_left_out_where_a_step_makes_several_pulls(policy: Any) -> None:
    with pytest.raises(ValueError, match="requires exactly one pull in every step"):
        audit_policy(policy, eps=1.0, view="others", trials=300)


@pytest.mark.thorough
def test_a_search_that_asks_no_law_goes_on_where_the_law_tells_nothing() -> None:
    """Its law is right: a coin, turned round by the first reward. What is released tells nothing without the coin."""

    class Turned(Coin):
        def act(self, t: int, state: Any, noise: Any) -> Pulls:
            return Pulls.one((noise.uniform("arm", t) < 0.5) ^ (state[:, 0] > 0.5), 2)

        def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
            return state + sums.sum(axis=1, keepdims=True) * (t == 1)

    found = audit_as(Turned(0.5, 0.5), says(), CURVE, RUN, SITE)
    assert found.verdict is Verdict.CONSISTENT
    assert found.learnt
    assert found.same.endswith("a search that asks no law chose the pair, and trials taught the score")


# -- pairs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", [Gaussian(0.6), Approximate(0.5, 1e-2)], ids=str)
@pytest.mark.thorough
def test_the_worst_pair_and_the_one_that_samples_tell_best(curve: Curve) -> None:
    """Of as many candidates as the profile tries, and of some of either kind with rewards between the ends."""
    run = replace(RUN, profile=replace(SMALL, pair_tries=12))
    some = profiled_pairs(LAWFUL, (), 12, 1, SMALL.exact_states, ONE_CLAIM).pairs
    assert len(some) == 12 + 2 * 3
    low, likely = [], []
    for pair in some:
        profile = exact_profile(LAWFUL, pair, 0.05)
        low.append(derived.certified_lower_bound(curve, profile))
        alpha, beta = np.clip(np.array(profile.tradeoff()[1]).T, 0, 1)
        told = excess_over_region(curve, planned_region(alpha * 1_875, beta * 1_875, 1_875, 0.96e-3))
        likely.append(float(np.max(told.amount)))
        assert likely_excess(profile, curve, 1_875, 0.96e-3) == likely[-1]
    worst, best = worst_pairs(LAWFUL, curve, 2_500, run, 1, 10**6, [])
    assert tables_of_pair(worst) != tables_of_pair(best)
    assert tables_of_pair(worst) == tables_of_pair(some[int(np.argmax(low))])
    assert tables_of_pair(best) == tables_of_pair(some[int(np.argmax(likely))])
    assert len(set(low)) > 1 < len(set(likely))


def test_hints_are_tried_besides() -> None:
    """Of one candidate alone the worst pair is not found, unless it is a hint."""
    few = replace(RUN, profile=replace(SMALL, pair_tries=1))
    worst = worst_pairs(LAWFUL, CURVE, 2_500, RUN, 1, 10**6, [])[0]
    alone, hinted = (worst_pairs(LAWFUL, CURVE, 2_500, few, 1, 10**6, hints)[0] for hints in ([], [worst]))
    assert tables_of_pair(alone) != tables_of_pair(worst)
    assert tables_of_pair(hinted) == tables_of_pair(worst)


def test_states_are_counted_up_to_what_may_be_asked() -> None:
    states = number_of_states(LAWFUL, 10**6)
    assert 1 < states < inf
    assert number_of_states(LAWFUL, int(states)) == states
    assert number_of_states(LAWFUL, int(states) - 1) == inf
    assert number_of_states(Silent(LAWFUL), 10**6) == inf


def test_of_many_arms_fewer_states_are_followed() -> None:
    """As many for two arms as the profile says, 4/9 of them for three."""

    def profile(states: int) -> Profile:
        return replace(SMALL, exact_states=states)

    for arms, share in ((2, 1.0), (3, 4 / 9)):
        policy = ThompsonSampling(arms, 4)
        pair = candidates(policy, "round")[0]
        states = exact_pairs.unfold_states(exact_pairs.state_graph(policy, pair), 10**6)[0]
        enough = int(np.ceil(states / share - 1e-9))
        for many, follows in ((enough, True), (enough - 1, False)):
            assert few_states(policy, pair, replace(RUN, profile=profile(many))) == follows


def test_the_worst_pair_nearby_is_no_better_for_the_claim_than_the_first() -> None:
    """Of those whose profile is known: where that is the first one alone, it is the first one."""
    policy, run = ThompsonSampling(2, 4), replace(RUN, profile=replace(SMALL, pair_tries=3))
    start = candidates(policy, "pull")[5]
    exact = {start: exact_profile(policy, start, 0.05)}

    def known(pair: Pair) -> Any:
        return exact.setdefault(pair, exact_profile(policy, pair, 0.05))

    found = exact_pairs.worst_nearby(policy, CURVE, start, known, run, 1, True)
    worth = {pair: derived.certified_lower_bound(CURVE, profile) for pair, profile in exact.items()}
    assert worth[found] == max(worth.values()) > worth[start]
    first_alone = {start: exact[start]}.get
    assert exact_pairs.worst_nearby(policy, CURVE, start, first_alone, run, 1, True) is start
    assert exact_pairs.worst_nearby(policy, CURVE, start, lambda pair: None, run, 1, True) is start


# -- both sides ------------------------------------------------------------------------------------------------------


def test_the_sides_of_a_pair_draw_noise_of_their_own() -> None:
    """Errors on either side are bounded as those of independent trials. The tables are equal: the same noise would give
    the same runs. For another purpose the noise is new as well, so what chose a test does not certify it."""
    table = np.full((2, 5), 0.5)
    pair, asked = Pair("pull", table, table), AuditedInstance(*SITE, CURVE, RUN)
    runs = lawful_runs.LawfulRuns(LAWFUL, says(), asked)
    seen = [*runs.play(pair, 300, "audit"), *runs.play(pair, 300, "pilot")]
    assert len({each.arms.tobytes() for each in seen}) == 4
    nearly = flipped("pull", table, arm=0, index=0, value=0.51)
    (sides,) = NoisyRuns(LAWFUL, says("samples"), asked).play([nearly], 300, "audit")
    assert abs(np.corrcoef(*sides)[0, 1]) < 0.5  # log p_right/p_left, all but a constant of the noise
    step = SampledStep(single_step((1, 1), (0.0, 0.0), (1e-9, 0.0)), asked)  # as good as equal
    drawn = step.draw(step.choose())
    assert isinstance(drawn, DrawnTrials)
    assert not np.array_equal(*drawn.sides)


# -- behaviour against the law ----------------------------------------------------------------------------------------


def released(rows: list[tuple[tuple[int, ...], int]]) -> Any:
    """So many runs of each kind, by the arms that they pull."""
    return transcripts_of_arms(np.concatenate([np.tile(arms, (many, 1)) for arms, many in rows]), 2)


@pytest.mark.parametrize(
    ("rows", "step", "state"),
    [
        # Forty runs, all of whose first pulls are arm 0; afterwards all is even.
        ([((0, 0, 0), 10), ((0, 0, 1), 10), ((0, 1, 0), 10), ((0, 1, 1), 10)], 1, 40),
        # The twenty that begin with arm 0 all stay with it; the others do not.
        ([((0, 0, 0), 10), ((0, 0, 1), 10), ((1, 0, 0), 5), ((1, 0, 1), 5), ((1, 1, 0), 5), ((1, 1, 1), 5)], 2, 20),
    ],
)
def test_how_much_of_the_level_a_step_spends(rows: Any, step: int, state: int) -> None:
    """Without rewards each release is a fair coin, so that all of n alike has the chance 2^-n. Of the level a
    hundredth is for what the law excludes, and half of the rest for all states together; half of what is left goes to
    all steps evenly, half as 1/(t (t + 1)); and a step
    spreads its share over two sides of two releases in eight states."""
    policy, pair = ThompsonSampling(2, 3), flipped("pull", np.zeros((2, 3)), 0, 0, 1.0)
    share = 0.5 * 0.99 * (1 / 3 + 1 / (step * (step + 1))) / 2
    least = 2.0**-state * 32 / share
    found = misfit(policy, pair, released(rows), least * 1.001)
    assert found is not None
    assert found.where == f"step {step}, in the same state"
    assert (found.visits, found.observed, found.declared) == (state, 1.0, 0.5)
    assert found.chance == pytest.approx(2.0**-state, rel=1e-6, abs=0)
    assert misfit(policy, pair, released(rows), least * 0.999) is None


@dataclass(frozen=True)
class InFour(Coin):
    """Pulls either arm, once or twice, each of the four with the same chance; and then either arm once."""

    horizon: int = 2

    def law(self, t: int, state: Any) -> Law:
        counts = np.array([[1, 0], [0, 1], [2, 0], [0, 2]] if t == 1 else [[1, 0], [0, 1]])
        every = np.broadcast_to(counts, (len(state), *counts.shape))
        return Law(every, np.full((len(state), len(counts)), 1 / len(counts)))


def test_a_step_s_share_is_spread_over_all_that_a_state_may_release() -> None:
    """Four releases of two arms: 64 tests."""
    pair, seen = (
        flipped("pull", np.zeros((2, 2)), 0, 0, 1.0),
        transcripts_of_arms([[0, -2]] * 30, 2, np.array([[2, 0]] * 30)),
    )
    least = 0.25**30 * 64 / (0.5 * 0.99 * (1 / 2 + 1 / 2) / 2)
    found = misfit(InFour(0.5, 0.5), pair, seen, least * 1.001)
    assert found is not None
    assert (found.visits, found.release, found.declared) == (30, "the pulls [2, 0]", 0.25)
    assert misfit(InFour(0.5, 0.5), pair, seen, least * 0.999) is None


@dataclass(frozen=True)
class Rough(Coin):
    """States what its law may be wrong by."""

    horizon: int = 1
    error: float = 0.0
    absolute_error: float = 0.0

    def law(self, t: int, state: Any) -> Law:
        return one_arm(
            np.tile([1 - self.said, self.said], (len(state), 1)), error=self.error, absolute_error=self.absolute_error
        )


@pytest.mark.parametrize(("error", "absolute_error", "true"), [(0.2, 0.0, 0.3), (0.1, 0.05, 0.325)])
def test_a_policy_may_behave_as_otherwise_as_its_law_says_of_itself(
    error: float, absolute_error: float, true: float
) -> None:
    """Thirty pulls of arm 1, where the law says 1/4."""
    policy, pair = (
        Rough(true, 0.25, error=error, absolute_error=absolute_error),
        flipped("pull", np.zeros((2, 1)), 0, 0, 1.0),
    )
    least = true**30 * 32 / (0.5 * 0.99 * (1 + 1 / 2) / 2)
    assert misfit(policy, pair, released([((1,), 30)]), least * 1.001) is not None
    assert misfit(policy, pair, released([((1,), 30)]), least * 0.999) is None


@pytest.mark.parametrize("stated", [{"error": 0.4}, {"absolute_error": 0.1}], ids=str)
def test_a_policy_conforms_to_a_law_that_is_right_up_to_what_it_states(stated: dict[str, float]) -> None:
    """0.34 instead of 0.25 is some nine standard deviations of 2000 runs."""
    assert follows_law(Rough(0.34, 0.25, **stated), Rough(0.34, 0.25, **stated), trials=2_000).verdict == "CONSISTENT"
    assert follows_law(Rough(0.34, 0.25), Rough(0.34, 0.25), trials=2_000).verdict == "REFUTED"


@dataclass(frozen=True)
class Faithful(Coin):
    """Pulls either arm; and stays with arm 0 where that was the first one, as far as a blurred law knows."""

    horizon: int = 2
    absolute_error: float = 1e-6

    def learn(self, t: int, state: Any, pulls: Pulls, sums: Any, noise: Any) -> Any:
        return pulls.counts[:, :1]

    def law(self, t: int, state: Any) -> Law:
        return one_arm(np.where(state > 0, [[1.0, 0.0]], [[0.5, 0.5]]), absolute_error=self.absolute_error)


@pytest.mark.parametrize("often", [1, 2])
def test_what_a_blurred_law_excludes_may_happen_as_seldom_as_its_level_says(often: int) -> None:
    """Of eight runs k leave arm 0: at most (8 * 2 blurs)^k, for a hundredth of the level, spread over two steps and an
    answer. What happens more often than that is excluded; else, a binomial chance is told that is not 0."""
    pair, stay = flipped("pull", np.zeros((2, 2)), 0, 0, 1.0), 4 - often
    seen = released([((0, 0), stay), ((0, 1), often), ((1, 0), 2), ((1, 1), 2)])
    least = (8 * 2 * 1e-6) ** often / 0.01 * 3
    found = misfit(Faithful(0.5, 0.5), pair, seen, least * 1.001)
    assert found is not None
    assert found.where == "step 2, in the same state"
    assert (found.release, found.visits, found.chance) == ("arm 1", 4, 0.0)
    assert (found.observed, found.declared) == (often / 4, 0.0)
    found = misfit(Faithful(0.5, 0.5), pair, seen, least * 0.999)
    assert found is None or found.chance > 0


def test_the_most_striking_step_is_told() -> None:
    policy, pair = ThompsonSampling(2, 3), flipped("pull", np.zeros((2, 3)), 0, 0, 1.0)
    rows = [((0, 0, 0), 38), ((0, 0, 1), 1), ((0, 1, 1), 1)]
    found = misfit(policy, pair, released(rows), 1e-3)
    assert found is not None
    assert (found.where, found.release) == ("step 1, in the same state", "arm 0")
    rows = [((0, 0, 0), 40), ((1, 1, 0), 5), ((1, 0, 1), 5)]
    found = misfit(policy, pair, released(rows), 1e-3)
    assert found is not None
    assert (found.where, found.visits) == ("step 2, in the same state", 40)


class Past(NamedTuple):
    arms: Any  # (trials, steps), -1 for steps to come
    rewards: Any


@dataclass(frozen=True)
class Telling(Coin):
    """Says that it pulls either arm, whatever is paid; but tells(t, past) is the arm that it pulls, where that is one.
    It remembers everything."""

    tells: Callable[[int, Past], Any] = lambda t, past: -1

    def init(self, trials: int) -> Past:
        return Past(np.full((trials, self.horizon), -1), np.zeros((trials, self.horizon)))

    def act(self, t: int, state: Past, noise: Any) -> Pulls:
        told = self.tells(t, state)
        return Pulls.one(np.where(told < 0, noise.uniform("arm", t) < self.chance, told).astype(np.int64), 2)

    def learn(self, t: int, state: Past, pulls: Pulls, sums: Any, noise: Any) -> Past:
        now = np.arange(self.horizon) == t - 1
        arm = pulls.counts.argmax(axis=1)[:, None]
        return Past(np.where(now, arm, state.arms), np.where(now, sums.sum(axis=1)[:, None], state.rewards))

    def law(self, t: int, state: Past) -> Law:
        return one_arm(np.tile([1 - self.said, self.said], (len(state.arms), 1)))


def first_reward(t: int, past: Past) -> Any:
    return (past.rewards[:, 0] > 0.5) * 1 if t > 12 else np.array(-1)


def parity(t: int, past: Past) -> Any:
    return (past.rewards > 0.5).sum(axis=1) % 2 if t == past.arms.shape[1] else np.array(-1)


def exclusive_or(t: int, past: Past) -> Any:
    """The last pull: whether one of the first reward and the third pull is 1."""
    return (past.rewards[:, 0] > 0.5) ^ (past.arms[:, 2] == 1) if t == past.arms.shape[1] else np.array(-1)


@pytest.mark.parametrize("tells", [first_reward, parity, exclusive_or])
@pytest.mark.thorough
def test_a_law_that_is_false_in_states_that_are_hardly_visited_is_false(tells: Any) -> None:
    """Each of sixteen pulls: hardly two runs are in the same state."""
    pair = flipped("pull", np.ones((2, 16)), 0, 0, 0.0)
    for policy, follows in ((Telling(0.5, 0.5, horizon=16, tells=tells), False), (Telling(0.5, 0.5, horizon=16), True)):
        seen = simulate_transcripts(policy, pair.environments()[0], 800, 1)
        assert (misfit(policy, pair, seen, 1e-6) is None) == follows
        found = follows_law(policy, policy, {"ones": pair.environments()[0]}, trials=800)
        assert (found.verdict is Verdict.CONSISTENT) == follows


# -- rounds -----------------------------------------------------------------------------------------------------------


def test_the_rounds_of_a_policy_share_its_level_with_two_beyond_its_horizon(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []

    def one(claim: Claim, says: Private, step: Any, run: Run, label: str) -> Result:
        asked.append((label, run.level))
        return Result(label, Gaussian(1.0), idle="not played")

    monkeypatch.setattr(judging, "audit_one", one)
    lemma = ledger().by_id["ou24/lemma-2"]
    assert isinstance(lemma.says, Private)
    policy = ThompsonSampling(2, 5)
    judging.judge_rounds(lemma, lemma.says, policy, RUN)
    chosen = judging.rounds_to_certify(lemma, lemma.says, rounds_tried(policy), RUN)
    beyond = judging.rounds_to_certify(lemma, lemma.says, rounds_of_longer_runs(policy), RUN)
    assert [label for label, _ in asked] == [*chosen, *list(beyond)[:2]]
    samples = judging.rounds_to_certify(lemma, says("samples"), rounds_tried(policy), RUN)
    assert [*samples] == [*rounds_tried(policy).rounds][:1]  # of what has no method to choose, the first round
    assert sum(level for _, level in asked) == pytest.approx(RUN.level)
    assert len({level for _, level in asked}) == 1


def test_the_instance_that_presses_hardest_is_shown() -> None:
    """Of those with the claim's verdict, by how much of the claimed number is certified, or exact."""
    certified = certify_tests(np.arange(900) % 5 == 0, np.arange(900) % 5 > 0, (Event(0.5, 1e-3),), Gaussian(2.0), 1e-3)
    strong = Result("strong", Gaussian(2.0), sampled=certified)
    exact = exact_profile(LAWFUL, candidates(LAWFUL, "pull")[0])
    weak = Result("weak", Gaussian(2.0), bounds=Gaussian(2.0).bounds(exact))
    idle = Result("idle", Gaussian(1.0), idle="nothing varies")
    shown = float(certified.excess.shown)
    assert strong.pressure == pytest.approx(shown / 2)
    assert weak.bounds is not None
    assert weak.pressure == pytest.approx(weak.bounds.low / 2)
    assert 0 < weak.pressure < strong.pressure
    assert idle.pressure == 0
    claim = ledger().by_id["ou24/lemma-2"]
    for outcomes in ([idle, weak, strong], [strong, weak, idle]):
        found = combine_results(claim, outcomes)
        assert found.verdict is Verdict.CONSISTENT
        assert found.summary.startswith("CONSISTENT for 2 of 3 instances. Hardest instance: strong:")
        assert found.rests_on == (Basis.SAMPLES,)
    wrong = Result("wrong", Gaussian(9.0), wrong="it does not follow its law")
    found = combine_results(claim, [strong, wrong, idle])
    assert found.verdict is Verdict.REFUTED
    assert "Hardest instance: wrong:" in found.summary
    assert combine_results(claim, [idle, Result("none", None)]).verdict is Verdict.NOT_EXERCISED
    alone, two = combine_results(claim, [strong]), combine_results(claim, [weak, strong])
    assert alone.summary.startswith("strong:")
    assert two.summary.startswith("CONSISTENT for all 2 instances. Hardest instance: strong:")
    assert two.resolution == f"{alone.resolution} The table lists every instance."


def test_the_first_certificate_that_can_be_made_is_shown() -> None:
    """Four instances are asked, the hardest first."""
    asked: list[int] = []

    def maker(number: int, made: bool) -> Any:
        return lambda: (asked.append(number), {"made by": number} if made else None)[1]

    for makes, told in ((0, [0]), (1, [0, 1]), (3, [0, 1, 2, 3]), (4, [0, 1, 2, 3])):
        asked.clear()
        outcomes = [Result(f"{k}", Gaussian(9.0), wrong="no law", certificate=maker(k, k >= makes)) for k in range(6)]
        evidence = combine_results(ledger().by_id["ou24/lemma-2"], outcomes).evidence
        assert asked == told
        shown = [item["certificate"]["made by"] for item in evidence if item["kind"] == "certificate"]
        assert shown == [makes] * (makes < 4)
