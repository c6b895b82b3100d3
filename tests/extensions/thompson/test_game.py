"""The threshold game: its bound is never below the truth, and the attack never above it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import inf

import mpmath
import numpy as np
import pytest
from checked_states import worst_excess
from scipy.special import log_ndtr, ndtr, ndtri

from dpbandits import Pair, Sampler, Verdict, flipped
from dpbandits.extensions.thompson import best_coins, potential, pull_levels
from dpbandits.extensions.thompson import bound as bound_module
from dpbandits.extensions.thompson import coins as coins_module
from dpbandits.extensions.thompson import moments as moments_module
from dpbandits.extensions.thompson import ratios as ratios_module
from dpbandits.extensions.thompson.ascent import climb_tables
from dpbandits.extensions.thompson.attack import Attack, attack
from dpbandits.extensions.thompson.bound import POLYGON_WIDTH, Asked, Upper, by_powers, certified_curve, largest_losses
from dpbandits.extensions.thompson.coins import (
    DENSE_THRESHOLD_RANGE,
    MAX_TANGENT_GAP,
    Coins,
    around_each,
    coins_at,
    crossings,
)
from dpbandits.extensions.thompson.curve_table import KeptAttack
from dpbandits.extensions.thompson.grids import Grid
from dpbandits.extensions.thompson.moments import THRESHOLDS, Moments, moments
from dpbandits.extensions.thompson.ratios import ratios
from dpbandits.extensions.thompson.rules import RoundLimits, checked_sampler, two_arms
from dpbandits.extensions.thompson.track import Track
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.exact.enumeration import enumerated_profile
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.ou24 import section_3_game as lemmas
from dpbandits.reference.claims.model import Basis
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, letter
from dpbandits.reference.papers.ou24.section_3_game import chapter

EPS = np.array([0.0, 0.1, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0])


@pytest.fixture(scope="module")
def bounds() -> dict[tuple[Sampler, str], Upper]:
    plain, modified = Sampler(4, 2), [Sampler(4, 2, variance=0.5), Sampler(5, 2, 1), Sampler(4, 3, 1), Sampler(4)]
    wanted = [(plain, "round"), *((sampler, "pull") for sampler in (plain, *modified))]
    return {(sampler, relation): certified_curve(sampler, relation, smallest=1e-6) for sampler, relation in wanted}


def law(sampler: Sampler, tables: np.ndarray, relation: str) -> np.ndarray:
    """The probabilities of all transcripts, (tables, transcripts); tables: (tables, arms, T). Slow and plain."""
    T, K, b, c = sampler
    assert K is not None
    rounds, number = T - b * K, np.arange(len(tables))
    out = []
    for released in product(range(K), repeat=rounds):
        counts, totals, chance = np.full(K, b), tables[:, :, :b].sum(axis=2), np.ones(len(tables))
        for t, arm in enumerate(released, start=b * K):
            mean, deviation = totals / (counts + 1), np.sqrt(c / (counts + 1))
            if K == 2:
                ahead = (mean[:, arm] - mean[:, 1 - arm]) / np.hypot(*deviation)
                chance = chance * ndtr(ahead)
            else:
                x = np.linspace(-8, 8, 401)
                value = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
                for other in set(range(K)) - {arm}:
                    lead = mean[:, arm, None] - mean[:, other, None] + deviation[arm] * x
                    value = value * ndtr(lead / deviation[other])
                chance = chance * value.sum(axis=1)
            paid = tables[number, arm, counts[arm] if relation == "pull" else t]
            totals = totals.copy()
            totals[:, arm] += paid
            counts = counts + (np.arange(K) == arm)
        out.append(chance)
    return np.stack(out, axis=1)


def worst(sampler: Sampler, relation: str, at: Sequence[float] | np.ndarray = EPS) -> np.ndarray:
    """The true largest delta at these eps over all 0/1 tables."""
    T, K = sampler.horizon, sampler.arms
    assert K is not None
    shape = (K, T) if relation == "round" else (K, T - sampler.prepulls * (K - 1))
    cells = int(np.prod(shape))
    tables = ((np.arange(2**cells)[:, None] >> np.arange(cells)) & 1).reshape(-1, *shape).astype(float)
    laws, best = law(sampler, tables, relation), np.zeros(len(at))
    if relation == "pull":
        steps = [1 << i for i in range(cells)]
    else:
        columns = [[1 << (arm * T + t) for arm in range(K)] for t in range(T)]
        choices = list(product((0, 1), repeat=K))
        steps = [sum(m for m, on in zip(bits, some, strict=True) if on) for bits in columns for some in choices]
    for step in steps:
        other = laws[np.arange(2**cells) ^ step]
        for i, eps in enumerate(at):
            best[i] = max(best[i], np.maximum(laws - np.exp(eps) * other, 0).sum(axis=1).max())
    return best


@pytest.mark.parametrize(("sampler", "relation"), [
    (Sampler(4, 2), "pull"), (Sampler(4, 2, variance=0.5), "pull"), (Sampler(4, 2), "round"),
    (Sampler(5, 2, 1), "pull"), (Sampler(4, 3, 1), "pull"),
])  # fmt: skip
def test_never_below_all_tables(bounds: dict[tuple[Sampler, str], Upper], sampler: Sampler, relation: str) -> None:
    truth = worst(sampler, relation)
    assert truth[0] > 0.05  # the tables do reveal something
    for known in (sampler, sampler._replace(arms=None)):
        for kind in {relation, "pull"} if known.arms is None else {relation}:
            if (known, kind) in bounds:
                assert (bounds[known, kind].delta(EPS) >= truth).all()


@pytest.mark.thorough
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("sampler", "relation"), [
    (Sampler(4, 2), "pull"), (Sampler(4, 2, variance=0.3), "pull"), (Sampler(4, 2, variance=2.0), "round"),
    (Sampler(5, 2, 1), "pull"), (Sampler(4, 2, 0, 0.5), "round"),
])  # fmt: skip
def test_what_long_runs_do_is_never_below_all_tables(
    sampler: Sampler, relation: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Single precision, fewer counts in early rounds, prices beyond, one goal, a left side that reaches less far."""
    for module in (bound_module, potential, pull_levels):
        monkeypatch.setattr(module, "LONG_RUN_ROUNDS", 0)
    monkeypatch.setattr(potential, "MAX_PLAYED_POWERS", 0)
    monkeypatch.setattr(bound_module, "MAX_LOSS_BOUND_ROUNDS", 0)
    monkeypatch.setattr(bound_module, "PULL_LEVEL_LIMITS", (1, 1))
    if compiled:
        pytest.importorskip("numba")
        monkeypatch.setattr(best_coins, "COMPILED_FROM", 0)
        monkeypatch.setattr(ratios_module, "COMPILED_WAITS", 0)
    bound = certified_curve(sampler, relation, smallest=1e-6)
    assert set(bound.curves) >= {"right"}
    assert (bound.delta(EPS) >= worst(sampler, relation)).all()


@pytest.mark.parametrize(
    ("sampler", "relation"), [(Sampler(2, 2), "pull"), (Sampler(4, 2, 0, 0.5), "round"), (Sampler(5, 2, 1), "pull")]
)
def test_no_run_loses_more_than_the_largest_loss(sampler: Sampler, relation: str) -> None:
    """Delta is 0 there, whatever is asked for; and little below it something is lost, where the game is as bad."""
    largest = max(largest_losses(sampler).values())
    at_it, before = worst(sampler, relation, [largest, 0.75 * largest])
    assert at_it <= 1e-15 < before
    bound = certified_curve(sampler, relation, smallest=1e-3)
    assert bound.eps(1e-300) == pytest.approx(largest, rel=1e-8)
    assert bound.eps(1e-300) >= largest


def test_the_largest_losses_of_two_arms_are_sums_over_their_rounds() -> None:
    """T = 3: two rounds from one pull on, or one round from one or two on."""
    assert max(largest_losses(Sampler(2, 2)).values()) == pytest.approx(np.log(0.5 / ndtr(-(1 / 6**0.5))), rel=1e-11)

    def loss(end: str, pulls: float, total: int) -> float:
        rule = two_arms(Sampler(3, 2), np.array([pulls]), total)
        end_ = getattr(rule, end)
        return float((log_ndtr(rule.shift - end_) - log_ndtr(-end_))[0])

    right = loss("low", 1.0, 1) + loss("low", 1.0, 2), loss("low", 2.0, 2)
    left = loss("high", 1.0, 1) + loss("high", 2.0, 2), loss("high", 1.0, 2)
    found = largest_losses(Sampler(3, 2))
    assert found["right"] == pytest.approx(max(right), rel=1e-10)
    assert found["left"] == pytest.approx(max(left), rel=1e-10)
    assert largest_losses(Sampler(20)) == largest_losses(Sampler(20, 3)) == largest_losses(Sampler(1001, 2)) == {}


@pytest.mark.parametrize("relation", ["pull", "round"])
def test_long_horizons_are_bounded_by_the_static_potential(relation: str) -> None:
    """Here for a horizon at which all tables can be tried, by powers alone."""
    sampler = Sampler(4, 2)
    bound = by_powers(Asked(sampler, relation, smallest=1e-6))
    assert bound.method == "potential"
    assert (bound.delta(EPS) >= worst(sampler, relation)).all()
    assert bound.delta(8.0) < 1e-5
    assert float(bound.delta(bound.eps(1e-3))) <= 1e-3


def test_the_brute_force_is_the_reference(bounds: dict[tuple[Sampler, str], Upper]) -> None:
    """The naive law above is that of the page's policies."""
    generator = np.random.Generator(np.random.Philox(5))
    for sampler, relation in bounds:
        if sampler.arms is None:
            continue
        b = sampler.prepulls
        make = ModifiedThompsonSampling if relation == "pull" else letter
        policy = make(arms=sampler.arms, horizon=sampler.horizon, prepulls=b, variance=sampler.variance)
        left = generator.integers(0, 2, (sampler.arms, sampler.horizon)).astype(float)
        pair = flipped(relation, left, 0, b, 1 - left[0, b])
        laws = law(sampler, np.stack([pair.left, pair.right]), relation)
        profile = enumerated_profile(policy, pair)
        for eps in (0.0, 0.3, 1.0):
            ours = max(np.maximum(x - np.exp(eps) * y, 0).sum() for x, y in (laws, laws[::-1]))
            assert float(profile.delta(eps)[0]) == pytest.approx(ours, abs=1e-9)


def test_the_polygon_encloses_the_curve() -> None:
    """Every coin of a round lies below the edges of the hull of the corners; and not by much."""
    for rules in (
        RoundLimits(*map(np.array, ([0.7], [np.inf], [np.inf]))),
        RoundLimits(*map(np.array, ([0.4], [0.9], [1.3]))),
    ):
        shift, low, high = (float(part[0]) for part in rules)
        coins = around_each([rules], POLYGON_WIDTH, [DENSE_THRESHOLD_RANGE])[0]
        x = np.linspace(max(-9, shift - low), min(9, high), 500)
        p, q = ndtr(-x), ndtr(shift - x)
        order = np.lexsort((coins.q, coins.p))
        upper_edge = hull(coins.p[order], coins.q[order])
        gap = np.interp(p, *upper_edge) - q
        assert (gap > -1e-14).all()
        assert gap.max() < 0.005


def hull(x: np.ndarray, y: np.ndarray) -> tuple[list[float], list[float]]:
    """The upper edge of the convex hull of points in order of x."""
    points: list[tuple[float, float]] = []
    for c in zip(x.tolist(), y.tolist(), strict=True):
        while len(points) > 1:
            a, b = points[-2:]
            if (b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0]):
                break
            points.pop()
        points.append(c)
    return [p for p, _ in points], [q for _, q in points]


@pytest.mark.parametrize(
    ("shift", "left", "right"),
    [
        *[(0.7, 1.0, 1.2), (0.05, 6.5, 7.0), (1.4, -8.0, -7.5), (1e-3, 0, 0.5), (0.7, -8.9, -7.9), (0.7, 8.1, 9.1)],
        *[(shift, left, left + 1) for shift in (10.0, 22.4, 40.0) for left in (-8.2, -0.5, 8.1)],  # c down to 3e-4
    ],
)
def test_crossings_to_many_digits(shift: float, left: float, right: float) -> None:
    """The averages are the crossing of the two tangents, also where that is a difference of nearly equal numbers, and
    where a tangent is steep."""
    with mpmath.workdps(int(60 + (shift + 9) ** 2 / 4)):
        s, tangents = mpmath.mpf(shift), []
        for x in map(mpmath.mpf, (left, right)):
            slope = mpmath.exp(s * x - s * s / 2)
            tangents.append((slope, mpmath.ncdf(s - x) - slope * mpmath.ncdf(-x)))
        (k1, a1), (k2, a2) = tangents
        p = (a1 - a2) / (k2 - k1)
        q = a1 + k1 * p
        found = crossings(np.array(shift), np.array(float(left)), np.array(float(right)))
        for ours, exact in zip(found, (p, 1 - p, q, 1 - q), strict=True):
            assert float(ours) == pytest.approx(float(exact), rel=1e-13, abs=0)


def test_no_cell_is_wider_than_its_rule_is_exact_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With little noise the means allow thresholds far beyond the last tangent: the cells there are divided as well."""
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    true = coins_module.crossings
    monkeypatch.setattr(coins_module, "crossings", lambda s, a, b: (seen.append((a, b)), true(s, a, b))[1])
    rules = two_arms(Sampler(201, 2, variance=0.01), np.array([3.0]), 200)
    coins = around_each([rules], POLYGON_WIDTH, [DENSE_THRESHOLD_RANGE])[0]
    ((left, right),) = seen
    shift, low, high = (float(part[0]) for part in rules)
    assert (left[0], right[-1]) == (shift - low, high)
    assert right[-1] > 19
    assert (left[1:] == right[:-1]).all()
    assert (right - left).max() <= MAX_TANGENT_GAP + 1e-6
    with mpmath.workdps(60):  # the last crossing, which one wide cell from 9.8 on would put 1.6 per cent too low
        s, tangents = mpmath.mpf(shift), []
        for x in map(mpmath.mpf, (left[-1], right[-1])):
            slope = mpmath.exp(s * x - s * s / 2)
            tangents.append((slope, mpmath.ncdf(s - x) - slope * mpmath.ncdf(-x)))
        (k1, a1), (k2, a2) = tangents
        q = a1 + k1 * (a1 - a2) / (k2 - k1)
    assert float(coins.q[len(left) - 1]) == pytest.approx(float(q), rel=1e-12, abs=0)


@pytest.mark.parametrize(("arms", "higher"), [(2, "right"), (None, "right"), (2, "left")])
@pytest.mark.first(2)
def test_kept_values_obey_the_rules(arms: int | None, higher: str) -> None:
    sampler, grid = Sampler(12, arms, variance=0.7), Grid(0.1, 150, 80)
    rare = moments(sampler, higher, 12, 7)
    found = worst_excess(sampler, higher, grid, 6, POLYGON_WIDTH, rare, 5, 3)
    assert found.states >= 9
    assert found.excess <= 0


def test_the_check_sees_a_polygon_that_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of the curve, without the crossings of the tangents, enclose nothing between them."""

    def inscribed(
        rules: list[RoundLimits], widths: list[float], near: list[tuple[float, float]], spread: float, widest: float
    ) -> list[Coins]:
        drawn = [np.arange(-7.9, 8.2, width) for width in widths]
        return [coins_at(x, x - each.shift[0]) for x, each in zip(drawn, rules, strict=True)]

    sampler, grid = Sampler(12), Grid(0.1, 150, 80)
    monkeypatch.setattr(pull_levels, "around_each", inscribed)
    rare = moments(sampler, "right", 12, 7)
    assert worst_excess(sampler, "right", grid, 6, 2.0, rare, 5, 3).excess > 1e-4


def constant(horizon: int, first: float, second: float, becomes: float) -> Pair:
    return flipped("pull", np.array([[first] * horizon, [second] * horizon]), 0, 0, becomes)


@pytest.mark.thorough
def test_between_the_exact_engine_and_the_theorem() -> None:
    horizon = 60
    sampler = Sampler(horizon, 2)
    bound, pair = certified_curve(sampler), constant(horizon, 0.0, 0.75, 1.0)
    exact = exact_profile(ModifiedThompsonSampling(2, horizon), pair, grid=0.05, deep=False)
    found = attack(sampler, pair, reach=(-12, 40))
    for delta in (1e-3, 1e-6):
        low, high = exact.eps(delta)
        assert found.eps(delta) == pytest.approx(low, rel=2e-3)
        assert found.eps(delta) <= high < bound.eps(delta)
        assert float(found.delta(low)) <= float(exact.delta(low)[1])
    assert bound.eps(1e-6) < 1.25 * exact.eps(1e-6)[0]


@pytest.mark.thorough
def test_pre_pulls_and_variance_help() -> None:
    base = certified_curve(Sampler(16, 2), smallest=1e-6).eps(1e-4)
    assert certified_curve(Sampler(16, 2, prepulls=5), smallest=1e-6).eps(1e-4) < 0.8 * base
    assert certified_curve(Sampler(16, 2, variance=4.0), smallest=1e-6).eps(1e-4) < 0.8 * base
    assert base < certified_curve(Sampler(16, None), smallest=1e-6).eps(1e-4)


@pytest.mark.parametrize("sampler", [Sampler(0), Sampler(5, 1), Sampler(5, 2, 0, 0.0), Sampler(5, 2, -1)])
def test_no_such_sampler(sampler: Sampler) -> None:
    accepted = (
        "horizon must be an integer of at least 1, arms None or an integer of at least 2, prepulls an integer of at "
        "least 0, and variance positive and finite"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(f'{sampler}: {accepted}')}$"):
        checked_sampler(sampler)


def test_pre_pulls_must_fit_into_the_horizon() -> None:
    with pytest.raises(ValueError, match=r"^b K = 3 \* 2 pre-pulls exceed T = 5; decrease b \(prepulls\)"):
        checked_sampler(Sampler(5, 2, 3))


def test_one_round_reveals_nothing() -> None:
    assert certified_curve(Sampler(1, 2)).eps(1e-9) == 0


def test_where_all_rounds_are_pre_pulls_nothing_is_revealed() -> None:
    for horizon in (300, 2002):
        assert certified_curve(Sampler(horizon, 2, prepulls=horizon // 2)).eps(1e-9) == 0


def test_bad_questions() -> None:
    with pytest.raises(ValueError, match="relation is 'table'; choose 'pull' or 'round'"):
        certified_curve(Sampler(5), "table")
    with pytest.raises(ValueError, match="must lie in"):
        certified_curve(Sampler(1, 2)).eps(0.0)
    with pytest.raises(ValueError, match="two arms"):
        attack(Sampler(5, 2), constant(4, 0, 0, 1))


@pytest.mark.thorough
def test_the_ledgers_claims_say_less_where_the_numbers_are_less() -> None:
    """Each judge says what the ledger expects, here at horizons of seconds."""
    claims = {claim.id.removeprefix("ou24/theorem-3/game"): claim for claim in chapter.claims}
    first, second, long = ((claims[name], Effort(), 0) for name in ("", "/attained", "/thousand"))
    for share, verdict in ((0.70, Verdict.ARGUED), (0.60, Verdict.UNSUPPORTED)):
        assert lemmas.enough(*first, horizons=(20,), shares={20: share}).verdict is verdict
    for least, verdict in ((lemmas.SHOWN_HUNDRED, claims["/attained"].expect), (24.2, Verdict.CONSISTENT)):
        assert lemmas.reached(*second, least=least).verdict is verdict
    short = KeptAttack(Sampler(16, 2), 1e-6, 6.0, (((1, 0), (7, 512), (8, 256)), ((16, 512),)))
    found = lemmas.between(*long, asked=short, at_most=12.0, at_least=6.0)
    assert found.verdict is Verdict.ARGUED
    assert set(found.rests_on) == {Basis.WORDS, Basis.DOUBLES, Basis.EXACT_LAW}
    for most, least in ((9.0, 6.0), (12.0, 6.5)):
        found = lemmas.between(*long, asked=short, at_most=most, at_least=least)
        assert found.verdict is Verdict.UNSUPPORTED


def test_the_rounds_of_two_arms() -> None:
    """After 5 pulls, 2 of the changed arm: its mean moves by at most 1/3, and theta_1 - theta_0 deviates by
    sqrt(c (1/3 + 1/4))."""
    deviation = (0.7 * (1 / 3 + 1 / 4)) ** 0.5
    found = two_arms(Sampler(12, 2, variance=0.7), np.array([2.0]), 5)
    expected = [1 / 3 / deviation, 2 / 3 / deviation, 3 / 4 / deviation]
    assert [float(each[0]) for each in found] == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize(("horizon", "variance"), [(3, 1e-300), (3, 1e-3), (60, 1e-4)])
def test_too_little_noise_for_doubles_is_said(horizon: int, variance: float) -> None:
    with pytest.raises(ValueError, match="outside the range of doubles; raise the variance or lower the horizon"):
        certified_curve(Sampler(horizon, 2, variance=variance))


def test_too_much_noise_for_doubles_is_said() -> None:
    with pytest.raises(ValueError, match="outside the range of doubles; lower the variance"):
        certified_curve(Sampler(6, 2, variance=1e308))


@pytest.mark.thorough
def test_uphill_from_a_first_guess() -> None:
    """Tables by ascent are certified to be worse than those they started from; their slopes are differences."""
    sampler, delta, levels = Sampler(24, 2, variance=0.8), 1e-2, 20
    pair = constant(24, 0.0, 0.75, 1.0)
    track = Track(sampler, delta, levels)
    first, second = pair.left[0].copy(), pair.left[1].copy()
    first[1:] = 0.3
    orders = track.orders(track.lead(first, second))

    def eps(own: np.ndarray, other: np.ndarray) -> float:
        return track.eps(track.lead(own, other), orders)[0]

    value, slope = track.eps(track.lead(first, second), orders)
    for table, found in zip((first, second), track.derivatives_by_reward(slope), strict=True):
        for place in (2, 9):
            low, high = (table + sign * 1e-4 * (np.arange(24) == place) for sign in (-1, 1))
            change = eps(high, second) - eps(low, second) if table is first else eps(first, high) - eps(first, low)
            assert found[place] == pytest.approx(change / 2e-4, rel=1e-3, abs=1e-5)
    before = attack(sampler, flipped("pull", np.stack([first, second]), 0, 0, 1.0), levels=levels)
    assert value == pytest.approx(before.eps(delta), rel=1e-2)  # the integral's nodes are cut off at w = 5
    better = attack(sampler, climb_tables(sampler, pair, delta, levels, 20), levels=levels).eps(delta)
    assert better > 1.02 * attack(sampler, pair, levels=levels).eps(delta)
    assert better <= certified_curve(sampler, smallest=1e-6).eps(delta)


def test_values_below_the_floor_are_not_told_apart() -> None:
    """Beginning above the grid's end gives bounds of the same size, never smaller, and above the floor the same."""
    sampler, rare = Sampler(12, 2, variance=0.7), moments(Sampler(12, 2, variance=0.7), "right", 12, 7)
    all_told = ratios(sampler, "right", Grid(0.1, 150, 80), 6, POLYGON_WIDTH, rare).pull
    some = ratios(sampler, "right", Grid(0.1, 150, 80, 1e-4), 6, POLYGON_WIDTH, rare).pull
    assert (some >= all_told).all()
    assert some[-1] > 10 * all_told[-1]
    assert (some <= all_told + 1e-4).all()


def test_mu_among_tests_with_large_errors() -> None:
    """Of a Gaussian curve it is the curve's own mu; of two outcomes, what their one test shows."""
    eps = np.linspace(0, 20, 4001)
    nothing = Moments(np.array([2.0]), np.array([np.inf]), np.zeros((1, 1)))
    delta = np.exp(log_gaussian_delta(eps, 1.5))
    for error in (1e-3, 1e-6):
        found = Upper(Sampler(9), "pull", {"right": nothing}, {"right": (eps, delta)}).mu(error)
        assert 1.5 <= found < 1.5 + 0.02
    assert Upper(Sampler(9), "pull", {"right": nothing}, {}).mu(1e-3) == np.inf  # delta may be 1, whatever eps is
    for error in (0.0, 0.51, np.nan):
        with pytest.raises(ValueError, match="must lie in"):
            Upper(Sampler(9), "pull", {"right": nothing}, {}).mu(error)
    shown = Attack(SortedAtoms(MeasurePair(np.array([0.9, 0.1]), np.array([0.2, 0.8]))), 0.0)
    assert shown.mu(1e-6) == pytest.approx(-ndtri(0.2) - ndtri(0.1), rel=1e-9)
    assert shown.mu(0.15) == 0  # the test's second error is 0.1


@pytest.mark.parametrize("higher", ["right", "left"])
@pytest.mark.parametrize("shift", [1e-3, 0.2, 0.7, 1.4])
@pytest.mark.first(4)
def test_the_powers_of_all_coins_are_bounded_by_those_of_the_corners(higher: str, shift: float) -> None:
    """Whatever a pull is worth beside none: the best coin of the curve, far beyond the tangents too, gains no more than
    the best corner; and not much less."""
    orders = moments_module.MOMENT_ORDERS
    orders = orders[(orders - 1) * shift <= min(-THRESHOLDS[0], THRESHOLDS[-1] - shift)]
    pulled, not_pulled = (
        part[:, 0]
        for part in moments_module.moment_factors(np.array([shift]), higher, orders, moments_module.THRESHOLDS)
    )
    x = np.linspace(-36, 36, 4001)
    logs = [log_ndtr(-x), log_ndtr(x), log_ndtr(shift - x), log_ndtr(x - shift)]
    p, tails_p, q, tails_q = logs if higher == "right" else (logs[2], logs[3], logs[0], logs[1])
    apart = [0.0]
    for worth in (0.0, *np.geomspace(1e-40, 1e40, 33), inf):
        a, b = (worth, 1.0) if worth <= 1 else (1.0, 1 / worth)
        for k, order in enumerate(orders):
            one, other = order * p + (1 - order) * q, order * tails_p + (1 - order) * tails_q
            true = (a * np.exp(one) + b * np.exp(other)).max()
            best = (a * pulled[:, k] + b * not_pulled[:, k]).max()
            assert true <= best * (1 + 1e-12), (worth, order)
            apart.append(float(np.log(best / true)) if 1e-3 <= worth <= 1e3 and order < 3 else 0.0)
    assert max(apart) < 0.1


@pytest.mark.parametrize(
    "sampler", [Sampler(100, 2), Sampler(100, 2, 3), Sampler(50), Sampler(60, 4, 2), Sampler(2, 2)]
)
def test_rounds_that_share_their_coins_lie_within_a_factor(sampler: Sampler) -> None:
    every = list(moments_module.totals_sharing_coins(sampler, 1.05))
    totals = [total for _, group in every for total in group]
    assert totals == list(range(sampler.horizon - 1, sampler.horizon - sampler.rounds - 1, -1))
    for top, group in every:
        assert top == group[0]
        assert sampler.arms is None or top <= 1.05 * group[-1] or len(group) == 1
        assert group[-1] == totals[-1] or (sampler.arms is not None and top > 1.05 * (group[-1] - 1))
