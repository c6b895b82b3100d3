"""The audit of a one-shot mechanism: where it looks, what it spends of its level, and which trials choose its tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from audit_targets import audit_as

from dpbandits import (
    QUICK,
    Approximate,
    Gaussian,
    GaussianNoisyMax,
    ReportNoisyMax,
    Seeded,
    Step,
    Verdict,
    audit_policy,
)
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.instances import audit_target_of
from dpbandits.audit.privacy.pipeline import AuditedInstance, LawBounds
from dpbandits.audit.privacy.scores.values import GRAIN, round_scores
from dpbandits.audit.privacy.steps import errors, indices, log_ratio, moved_steps, unlawful_release, worst_places
from dpbandits.audit.statistics.events import Event, ScoredTrials, plan_tests, scored_by_search
from dpbandits.audit.statistics.region import excess_at_errors, excess_over_region, planned_region
from dpbandits.proofs_checks.exact.engine import step_profile
from dpbandits.reference.bandits.noise import Array, address
from dpbandits.reference.bandits.release_laws.checked import Accuracy
from dpbandits.reference.claims.model import Private
from dpbandits.reference.curves import Curve

RUN = Run(replace(QUICK, trials=4_000), seed=3, level=1e-3)
SITE = ("page/claim", "a step")


def says(view: Any = "arms", relation: Any = "query") -> Private:
    return Private(relation, view, lambda step: Gaussian(1.0))


# -- where ---------------------------------------------------------------------------------------------------------


def test_a_step_is_tried_with_its_other_queries_shifted_on_both_sides() -> None:
    """By -6 to 6 of the largest scale, in halves; the query that moves most stays."""
    step = Step(GaussianNoisyMax((1.0, 2.0, 0.5)), (0.0, 0.5, 3.0), (0.25, -0.5, 3.0), (1.0, 1.0, 1.0))
    found = moved_steps(step, "query")
    assert len(found) == 26
    assert found[0] is step
    for place, shift in zip(found[1:], np.arange(-12.0, 13), strict=True):
        assert place.left == (0.0 + shift, 0.5, 3.0 + shift)
        assert place.right == (0.25 + shift, -0.5, 3.0 + shift)
        assert place.mechanism is step.mechanism


@dataclass(frozen=True)
class Fixed:
    """Releases 1 with a chance that falls with the difference of its two values."""

    flip: float = 0.1

    def law(self, values: Any) -> Array:
        first = 1 / (1 + np.exp(values[1] - values[0])) * (1 - 2 * self.flip) + self.flip
        return np.array([first, 1 - first])

    def release(self, values: Any, noise: Any) -> Any:
        return (noise.uniform("u", 0) >= self.law(values)[0]).astype(np.int64)


def test_where_no_scale_is_known_the_largest_move_is_the_unit() -> None:
    found = moved_steps(Step(Fixed(), (0.0, 1.0), (0.5, 3.0), (1.0, 2.0)), "query")
    assert [place.left for place in found[1:]] == [(shift, 1.0) for shift in np.arange(-12.0, 13)]
    assert [place.right for place in found[1:]] == [(0.5 + shift, 3.0) for shift in np.arange(-12.0, 13)]


def test_in_a_history_the_others_running_means_stand_at_shares_of_what_rewards_allow() -> None:
    """s = 1/(n + 1) of n rewards, whose running mean is at most n/(n + 1); who differs by less than the most moves
    stays where it is."""
    step = Step(GaussianNoisyMax((1.0,) * 3), (0.5, 0.3, 0.1), (0.25, 0.3, 0.2), (0.5, 0.25, 0.1))
    found = moved_steps(step, "history")
    assert found[0] is step
    assert [place.left for place in found[1:]] == [(0.5, 0.75 * share, 0.1) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert [place.right for place in found[1:]] == [(0.25, 0.75 * share, 0.2) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]


STEPS = [
    (Step(GaussianNoisyMax((1.0,) * 3), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), Approximate(0.5, 1e-3)),
    (Step(ReportNoisyMax(1.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 1.0)), Approximate(1.0)),
    (Step(GaussianNoisyMax((0.5, 2.0)), (0.0, 0.4), (0.3, 0.0), (1.0, 1.0)), Gaussian(0.4)),
]  # fmt: skip


def by_hand(place: Any) -> tuple[list[float], list[float]]:
    """The errors of all tests of a step that say "right" from some likelihood ratio on, but the test that always
    does."""
    laws = [place.mechanism.law(values) for values in (place.left, place.right)]
    order = np.argsort(laws[1] / laws[0])
    ends = [k for k in range(1, len(order)) if (laws[1] / laws[0])[order[k]] > (laws[1] / laws[0])[order[k - 1]]]
    return [float(laws[0][order[k:]].sum()) for k in ends], [float(laws[1][order[:k]].sum()) for k in ends]


@pytest.mark.parametrize(
    ("step", "curve", "trials"), [(*STEPS[0], 1_000), (*STEPS[1], 1_000_000), (*STEPS[2], 1_000)], ids=str
)
@pytest.mark.first(1)
def test_a_step_is_audited_where_its_law_and_where_trials_say_most(step: Any, curve: Curve, trials: int) -> None:
    every = moved_steps(step, "query")
    exactly, likely = [], []
    for place in every:
        alpha, beta = (np.array(error) for error in by_hand(place))
        exactly.append(float(np.max(excess_at_errors(curve, alpha, beta).amount)) if len(alpha) else -np.inf)
        region = planned_region(trials * alpha, trials * beta, trials, 1e-6)
        likely.append(float(np.max(excess_over_region(curve, region).amount)) if len(alpha) else -np.inf)
    worst, sampled = worst_places(step, "query", curve, trials, 1e-6)
    best, most = every.index(worst.step), every.index(sampled.step)
    assert exactly[best] == pytest.approx(max(exactly), abs=1e-9)
    assert likely[most] == pytest.approx(max(likely), abs=1e-9)
    assert max(exactly) > exactly[0] or max(likely) > likely[0]
    for law, values in zip(sampled.laws, (sampled.step.left, sampled.step.right), strict=True):
        assert law.tolist() == step.mechanism.law(values).tolist()


def test_the_errors_of_a_release_are_sums_over_outputs() -> None:
    laws = [np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])]
    score = log_ratio(laws)
    alpha, beta = errors(laws, score, np.unique(score)[1:])
    assert alpha == pytest.approx([0.5, 0.2])
    assert beta == pytest.approx([0.1, 0.4])


# -- what it spends --------------------------------------------------------------------------------------------------


def test_a_lawful_step_spends_four_fifths_of_its_level_on_its_points() -> None:
    """No trial chose the tests, for the law did."""
    step, curve = STEPS[2]
    found = audit_as(step, says(), curve, RUN, SITE)
    assert found.sampled is not None
    assert found.sampled.level == pytest.approx(0.8e-3)
    assert found.sampled.trials == 4_000
    worst, where = worst_places(step, "query", curve, 4_000, 0.96 * 0.8e-3)
    score = log_ratio(where.laws)
    cuts = np.unique(score)[1:]
    events = plan_tests(cuts, *errors(where.laws, score, cuts), curve, 4_000, 0.8e-3)
    released = [
        where.step.mechanism.release(values, Seeded(address(3, *SITE, side, "audit"), 4_000))
        for side, values in (("left", where.step.left), ("right", where.step.right))
    ]
    left, right = (score[each] for each in released)
    shares = [((left >= event.cut).mean(), (right < event.cut).mean()) for event in events]
    assert [(point.alpha, point.beta) for point in found.sampled.points] == shares
    exact = step_profile(worst.step)
    assert found.bounds == curve.bounds(exact)
    assert found.bounds is not None
    assert (found.certificate is not None) == found.bounds.refutes


@dataclass(frozen=True)
class Counted:
    """Says that it releases 0 and 1 equally often, and releases 1 so many times on either side, (left, right)."""

    ones: tuple[int, int]
    error: float = 1e-11

    def law(self, values: Any) -> Array:
        return np.array([0.5, 0.5])

    def accuracy(self, values: Any) -> Accuracy:
        return Accuracy(self.error, 0.0)

    def release(self, values: Any, noise: Any) -> Any:
        return (np.arange(noise.trials) < self.ones[int(values[0])]).astype(np.int64)


@pytest.mark.parametrize("error", [1e-11, 0.01])
def test_a_lawful_step_spends_a_tenth_of_its_level_on_the_fit_of_its_law_on_each_side(error: float) -> None:
    """Within the accuracy that the mechanism states for its law."""
    within = Accuracy(error, 0.0)
    most = next(
        many
        for many in range(2_000, 4_000)
        if unlawful_release(np.array([3_999 - many, many + 1]), np.array([0.5, 0.5]), within, 0.1e-3)
    )
    for ones, fits in (((most, 2_000), True), ((most + 1, 2_000), False), ((2_000, most + 1), False)):
        found = audit_as(Step(Counted(ones, error), (0.0,), (1.0,), (1.0,)), says(), Gaussian(1.0), RUN, SITE)
        assert (found.wrong == "") == fits


def test_a_step_with_the_same_law_on_either_side_tells_nothing() -> None:
    @dataclass(frozen=True)
    class Even:
        def law(self, values: Any) -> Array:
            return np.array([0.5, 0.5])

        def release(self, values: Any, noise: Any) -> Any:
            return noise.uniform("coin", 0) < 0.5

    found = audit_as(Step(Even(), (0.0, 0.0), (0.5, 0.0), (1.0, 0.0)), says(), Gaussian(1.0), RUN, SITE)
    assert found.same == "the release has the same law on either side"
    assert found.verdict is Verdict.CONSISTENT
    assert found.sampled is None
    assert not found.wrong


def test_a_step_whose_law_says_the_same_of_both_sides_must_still_do_as_it_says() -> None:
    @dataclass(frozen=True)
    class Leaks:
        def law(self, values: Any) -> Array:
            return np.array([0.5, 0.5])

        def release(self, values: Any, noise: Any) -> Any:
            return np.full(noise.trials, int(values[0]))

    found = audit_as(Step(Leaks(), (0.0,), (1.0,), (1.0,)), says(), Gaussian(1.0), RUN, SITE)
    assert found.verdict == Verdict.REFUTED
    assert "index 0 was released with frequency 1 where the law says 0.5" in found.wrong


def test_an_index_beyond_the_law_is_not_what_it_says() -> None:
    @dataclass(frozen=True)
    class Beyond(Fixed):
        def release(self, values: Any, noise: Any) -> Any:
            return super().release(values, noise) + 1

    found = audit_as(Step(Beyond(), (0.0, 0.0), (0.5, 0.0), (1.0, 0.0)), says(), Gaussian(9.0), RUN, SITE)
    assert found.verdict == Verdict.REFUTED
    assert "index 2 was released, and the law has 2 outcomes" in found.wrong


@pytest.mark.parametrize(
    ("release", "reason"),
    [
        (
            lambda draw: draw,
            r"type float64; it must return the released index of each trial, integers of shape \(4000,\)",
        ),
        (lambda draw: (draw > 0)[:, None], r"shape \(4000, 1\)"),
        (lambda draw: 1, r"shape \(\)"),
        (lambda draw: -1 * (draw > 0), "released the index -1; indices must be at least 0 and below"),
        (lambda draw: 10**12 * (draw > 0), "released the index 1000000000000; indices must be .* below"),
    ],
)
def test_what_is_no_index_is_said_to_be_none(release: Any, reason: str) -> None:
    class Odd:
        def release(self, values: Any, noise: Any) -> Any:
            return release(noise.normal("x", 0))

    class Lawful(Odd):
        def law(self, values: Any) -> Array:
            return np.array([0.5, 0.5])

    for mechanism in (Odd(), Lawful()):
        with pytest.raises(ValueError, match=reason):
            audit_as(Step(mechanism, (0.0,), (1.0,), (1.0,)), says(), Gaussian(1.0), RUN, SITE)


def test_indices_may_be_truths_and_come_in_a_list() -> None:
    """A truth is an index, and not a mask."""
    noise = Seeded(0, 50)

    class Listed:
        def release(self, values: Any, noise: Any) -> Any:
            return (noise.normal("x", 0) > 0).tolist()

    np.testing.assert_array_equal(indices(Listed(), (0.0,), noise), (noise.normal("x", 0) > 0).astype(int))


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_side_that_does_not_follow_the_law_is_enough(side: str) -> None:
    @dataclass(frozen=True)
    class Half(Fixed):
        def release(self, values: Any, noise: Any) -> Any:
            bad = values[0] == getattr(step, side)[0]
            return np.zeros(noise.trials, dtype=np.int64) if bad else super().release(values, noise)

    step = Step(Half(), (0.0, 0.0), (0.5, 0.0), (1.0, 0.0))
    found = audit_as(step, says(relation="history"), Gaussian(9.0), RUN, SITE)
    assert "index 0 was released with frequency 1 where" in found.wrong
    fine = Step(Fixed(), (0.0, 0.0), (0.5, 0.0), (1.0, 0.0))
    assert not audit_as(fine, says(relation="history"), Gaussian(9.0), RUN, SITE).wrong


@pytest.mark.parametrize("trials", [1, 7, 8])
def test_so_few_trials_that_none_is_left_to_choose_by_are_told_so(trials: int) -> None:
    class Coins:
        def release(self, values: Any, noise: Any) -> Any:
            return np.arange(noise.trials) % 2 ^ (values[0] > 0)

    step = Step(Coins(), (0.0, 0.0), (1.0, 0.0), (1.0, 0.0))
    run = replace(RUN, profile=replace(QUICK, trials=trials))
    found = audit_as(step, says(relation="history"), Gaussian(9.0), run, SITE)
    assert ("too few to choose a test by: give at least 8" in found.idle) == (trials < 8)


def scored_trials(step: Step, claim: Private, curve: Curve) -> ScoredTrials:
    """The trials that the audit of a step scores, and the tests that it certifies."""
    target = audit_target_of(step, claim, AuditedInstance(*SITE, curve, RUN))
    choice = target.choose()
    scored: ScoredTrials = target.score(choice, target.draw(choice), LawBounds()).scored
    return scored


def assert_same_trials(found: ScoredTrials, wanted: ScoredTrials, off: float) -> None:
    """Scores, and cuts between them, may be off by so much."""
    assert found.left == pytest.approx(wanted.left, abs=off)
    assert found.right == pytest.approx(wanted.right, abs=off)
    assert [event.level for event in found.events] == [event.level for event in wanted.events]
    assert [event.cut for event in found.events] == pytest.approx([event.cut for event in wanted.events], abs=off)


def test_without_a_law_an_eighth_of_the_trials_teaches_and_another_one_chooses() -> None:
    class Black:
        def release(self, values: Any, noise: Any) -> Any:
            return GaussianNoisyMax((1.0,) * 60).release(values, noise)

    step = Step(Black(), (0.0,) * 60, (1.0, *(0.0,) * 59), (1.0,) * 60)
    found, scored = audit_as(step, says(), Gaussian(1.0), RUN, SITE), scored_trials(step, says(), Gaussian(1.0))
    released = [
        step.mechanism.release(np.array(values), Seeded(address(3, *SITE, side, "audit"), 4_000))
        for side, values in (("left", step.left), ("right", step.right))
    ]
    ratio = np.array(
        [np.log((released[1][:500] == k).sum() + 0.5) - np.log((released[0][:500] == k).sum() + 0.5) for k in range(60)]
    )
    wanted, otherwise = (
        scored_by_search(ratio[released[0]], ratio[released[1]], 1_000, Gaussian(1.0), 1e-3, taught=taught)
        for taught in (500, 0)
    )
    assert_same_trials(scored, wanted, 1e-12)
    assert wanted.events != otherwise.events
    assert found.sampled is not None
    assert (found.sampled.trials, found.sampled.level) == (3_000, 1e-3)
    assert found.learnt


@pytest.mark.parametrize("turned", [False, True])
def test_what_one_side_alone_releases_counts_whichever_side_it_is(turned: bool) -> None:
    class Odd:
        def release(self, values: Any, noise: Any) -> Any:
            return np.where(noise.uniform("u", 1) < 0.5, 1, 5 if values[0] > 0 else 0)

    sides = ((1.0,), (0.0,)) if turned else ((0.0,), (1.0,))
    found = audit_as(Step(Odd(), *sides, (1.0,)), says(), Gaussian(1.0), RUN, SITE)
    assert found.verdict == Verdict.REFUTED


def test_what_releases_the_same_on_either_side_exercises_nothing() -> None:
    class Always:
        def release(self, values: Any, noise: Any) -> Any:
            return np.full(noise.trials, 1 if values[0] > 5 else 0)

    for left, right, idle in (
        ((0.0, 0.0), (0.0, 0.0), "both inputs are equal"),
        ((0.0, 0.0), (1.0, 0.0), "every trial released the same"),
        ((0.0, 0.0), (9.0, 0.0), ""),
    ):
        found = audit_as(Step(Always(), left, right, (1.0, 1.0)), says(), Gaussian(1.0), RUN, SITE)
        assert found.idle.startswith(idle)
        assert bool(found.idle) == bool(idle)


@pytest.mark.parametrize(
    ("mechanism", "kind"), [(GaussianNoisyMax((1.0, 2.0)), "normal"), (ReportNoisyMax(2.0), "laplace")]
)
@pytest.mark.first(1)
def test_of_the_noisy_values_as_many_trials_again_choose_the_tests(mechanism: Any, kind: str) -> None:
    step = Step(mechanism, (0.0, 0.5), (1.0, 0.0), (1.0, 1.0))
    found = audit_as(step, says("samples"), Gaussian(0.5), RUN, SITE)
    assert found.sampled is not None
    assert (found.sampled.trials, found.sampled.level) == (4_000, 1e-3)
    scales = np.array([1.0, 2.0]) if kind == "normal" else np.array([2.0, 2.0])

    def log_density(values: Array, centre: tuple[float, ...]) -> Array:
        z = (values - np.array(centre)) / scales
        return np.asarray((-0.5 * z**2 if kind == "normal" else -np.abs(z)).sum(axis=1))

    def losses(side: str, centre: tuple[float, ...], purpose: str) -> Array:
        noise = Seeded(address(3, *SITE, side, purpose), 4_000)
        draw = noise.normal("X", 0, (2,)) if kind == "normal" else noise.laplace("Z", 0, (2,))
        values = np.array(centre) + scales * draw
        return log_density(values, step.right) - log_density(values, step.left)

    left, right = (
        np.concatenate([losses(side, centre, purpose) for purpose in ("search", "audit")])
        for side, centre in (("left", step.left), ("right", step.right))
    )
    wanted = scored_by_search(round_scores(left), round_scores(right), 4_000, Gaussian(0.5), 1e-3)
    assert_same_trials(scored_trials(step, says("samples"), Gaussian(0.5)), wanted, GRAIN)


def test_a_noisy_maximum_releases_the_argmax_of_what_it_says() -> None:
    class Second(ReportNoisyMax):
        def release(self, values: Any, noise: Any, index: int = 0) -> Any:
            released = super().release(values, noise, index)
            released[-1] = 1 - released[-1]
            return released

    step = Step(Second(1.0), (0.0, 0.5), (1.0, 0.0), (1.0, 1.0))
    with pytest.raises(ValueError, match="a step: the index that `release` returned is not the argmax of values"):
        audit_as(step, says("samples"), Gaussian(0.5), RUN, SITE)


# -- the tests of an audit -------------------------------------------------------------------------------------------


def test_the_search_trials_that_taught_a_score_choose_nothing() -> None:
    generator = np.random.default_rng(1)
    left, right = generator.normal(size=900), generator.normal(size=900) + 1
    found = scored_by_search(left, right, 500, Gaussian(0.5), 1e-3, taught=200)
    assert found.left.tolist() == left[500:].tolist()
    assert found.right.tolist() == right[500:].tolist()
    spoilt = [side.copy() for side in (left, right)]
    for side in spoilt:
        side[:200], side[500:] = 100.0, -100.0
    again = scored_by_search(*spoilt, 500, Gaussian(0.5), 1e-3, taught=200)
    assert again.events == found.events
    assert all(isinstance(event, Event) for event in found.events)
    fewer = scored_by_search(left[:520], right[:520], 500, Gaussian(0.5), 1e-3, taught=200)
    assert fewer.events[0] != found.events[0]


def test_the_largest_index_is_one_less_than_as_many_as_there_may_be() -> None:
    class Released(NamedTuple):
        one: int

        def release(self, values: Any, noise: Any) -> Array:
            return np.array([0, self.one, 3])

    assert indices(Released(2**24 - 1), (0.0,), Seeded(0, 3)).tolist() == [0, 2**24 - 1, 3]
    for index in (2**24, -1):
        with pytest.raises(
            ValueError, match=f"^Released.release released the index {index}; indices must be at least 0 and below"
        ):
            indices(Released(index), (0.0,), Seeded(0, 3))


class Releases:
    def release(self, values: Any) -> Any: ...


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (GaussianNoisyMax, "GaussianNoisyMax is a class; give an instance of it"),
        (len, "is not a one-shot mechanism; it needs a method release(values, noise)"),
        (None, "None is not a one-shot mechanism"),
        (Releases(), "is not a one-shot mechanism"),
    ],
)
def test_what_is_no_mechanism_is_refused_with_what_one_has(mechanism: Any, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        audit_policy(Step(mechanism, (0.0,), (1.0,), (1.0,)), eps=1.0)
