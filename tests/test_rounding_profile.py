"""What a certified profile says beyond its masses: each allowance against the worst law that it allows.

Where no law comes near an allowance (roundings are counted at their worst, and happen at random), it is held against a
second derivation, in the test's own words.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from dpbandits.proofs_checks.exact.gaussian_profile import (
    GAUSSIAN_DELTA_ROUNDING,
    below_some_tangent,
    log_gaussian_delta,
    log_gaussian_tangent,
)
from dpbandits.proofs_checks.exact.privacy_profile import (
    ExactProfile,
    MeasurePair,
    SortedAtoms,
    TailBound,
    eps_grid_size,
    tradeoff_positions,
)
from dpbandits.proofs_checks.exact.shifted_noise import NormalShift

U = 2.0**-53
EXACT = {"rel": 1e-12, "abs": 0}  # two ways of adding up the same allowance
LEFT, RIGHT = np.array([0.5, 0.3, 0.2 - 1e-5, 1e-5]), np.array([0.25, 0.35, 0.4 - 1e-9, 1e-9])
NOTHING = MeasurePair(np.zeros(1), np.zeros(1))


def profile(left: Any = LEFT, right: Any = RIGHT, **more: Any) -> ExactProfile:
    masses = MeasurePair(np.asarray(left), np.asarray(right))
    return ExactProfile(masses, masses, **more)


def blunt(left: Any = LEFT, right: Any = RIGHT) -> float:
    """A logarithm of numpy's is good to 2 units in the last place, 4 U of its size, and two are subtracted: 5 U of both
    sizes together; 8 are allowed."""
    return 8 * U * float((np.abs(np.log(left)) + np.abs(np.log(right))).max())


def delta(left: Any, right: Any, eps: Any) -> Any:
    """sum max(0, left - e^eps right), in 40 digits."""
    return mpmath.fsum(max(mpf(0), mpf(p) - mpmath.exp(eps) * mpf(q)) for p, q in zip(left, right, strict=True))


def gaussian(mu: Any, eps: Any) -> Any:
    """The profile of mu-GDP, in as many digits as mpmath now works with."""
    m, e = mpf(mu), mpf(eps)
    return mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)


# -- sums over atoms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5000])
def test_a_sum_over_atoms_counts_every_addition(n: int) -> None:
    """n - 1 additions on either side, the exponential's 8 at most, the product, the difference: below n + 8 roundings
    of each side; 2 are allowed for each. And what the places of the atoms are off by."""
    left = np.linspace(1, 2, n) / n / 2
    atoms = SortedAtoms(MeasurePair(left, left[::-1] / 2))
    assert atoms.loss_error == pytest.approx(blunt(left, left[::-1] / 2), **EXACT)
    assert atoms.error == pytest.approx(U * (2 * n + 16) + atoms.loss_error, **EXACT)
    value, error = atoms.delta(np.asarray(0.25))
    above = left > np.exp(0.25) * left[::-1] / 2
    assert float(error) == pytest.approx(2 * atoms.error * left[above].sum(), **EXACT)
    with mpmath.workdps(40):
        assert abs(mpf(float(value)) - delta(left, left[::-1] / 2, mpf(0.25))) <= float(error)


def test_what_is_alike_on_both_sides_has_an_exact_loss() -> None:
    assert SortedAtoms(MeasurePair(LEFT, LEFT)).loss_error == 0
    assert SortedAtoms(MeasurePair(np.append(LEFT, 0.0), np.append(LEFT, 0.25))).loss_error == 0
    assert profile(LEFT, LEFT).eps(0.0) == (0.0, 0.0)


def test_long_sums_of_numbers_that_all_round_the_same_way() -> None:
    """1 and then 4000 times a little more than half a unit: each addition rounds up, by nearly half of its unit."""
    left = np.append(1.0, np.full(4000, U * (1 + 2.0**-20))) / 2
    right = left * np.append(2.0**-30, np.full(4000, 2.0**-31))
    atoms = SortedAtoms(MeasurePair(left, right))
    with mpmath.workdps(40):
        exact = mpmath.fsum(mpf(p) for p in left)
        lost = abs(mpf(float(atoms.mass_before[0][-1])) - exact) / exact
        assert 1000 * U < lost <= atoms.error
        low, high = profile(left, right).delta_one_way(0.0)
        assert mpf(float(low)) <= delta(left, right, 0) <= mpf(float(high))


# -- delta(eps) ------------------------------------------------------------------------------------------------------


def worst(drift: float, absolute_error: float, eps: Any, up: bool) -> Any:
    """The largest or the smallest delta of laws with masses within exp(+-drift) of LEFT and RIGHT, and then events
    within blur: of an event with P > e^eps Q it is moved by blur (1 + e^eps)."""
    grow = mpmath.exp(drift if up else -drift)
    moved = delta([mpf(p) * grow for p in LEFT], [mpf(q) / grow for q in RIGHT], eps)
    return moved + (1 if up else -1) * mpf(absolute_error) * (1 + mpmath.exp(eps))


CASES = [(r, b, e) for r in (0.0, 1e-9, 1e-2) for b in (0.0, 1e-7, 1e-3) for e in (0.0, 0.4, 0.69, 2.5)]


@pytest.mark.parametrize(("drift", "absolute_error", "eps"), CASES)
def test_delta_lies_between_the_two_worst_laws_and_these_are_its_ends(
    drift: float, absolute_error: float, eps: float
) -> None:
    low, high = (float(end) for end in profile(log_error=drift, absolute_error=absolute_error).delta_one_way(eps))
    with mpmath.workdps(40):
        least = max(worst(drift, absolute_error, mpf(eps), False), mpf(0))
        most = min(worst(drift + blunt(), absolute_error, mpf(eps), True), mpf(1))
        # Beside it, only the roundings of the sum, twice the bound of `SortedAtoms`. Those of an absolute
        # error are not counted: it is a bound on what a law may have lost, and no measured number.
        atoms = SortedAtoms(MeasurePair(LEFT, RIGHT))
        off = 4 * U * absolute_error * (1 + np.exp(eps))
        under, over = (float(atoms.delta(np.asarray(eps + 2 * sign * drift))[1]) for sign in (1, -1))
        assert 0.4 * under - off <= least - mpf(low) <= 2 * under + off or low == least == 0
        assert 0.4 * over - off <= mpf(high) - most <= 2 * over + off or high == most == 1


def test_without_a_blur_the_largest_loss_ends_delta() -> None:
    """From there on it is 0, or what the blur leaves; just below, it is not."""
    most = float(np.log(1e4))
    for drift in (0.0, 1e-2):
        for absolute_error in (0.0, 1e-7):
            one = profile(log_error=drift, absolute_error=absolute_error)
            assert one.largest_loss == pytest.approx(most + 2 * (drift + blunt()), rel=1e-15, abs=0)
            assert one.largest_loss >= most + 2 * drift
            at = [float(one.delta_one_way(one.largest_loss - before)[1]) for before in (0.0, 1e-6)]
            left = [absolute_error * (1 + np.exp(one.largest_loss - before)) for before in (0.0, 1e-6)]
            assert at[0] == pytest.approx(left[0], **EXACT)
            assert at[1] > left[1] * (1 + 1e-9)
    assert profile(lost=(0.0, 1e-9)).largest_loss == profile(lost=(1e-9, 0.0)).largest_loss == np.inf
    assert profile([0.0], [0.0]).largest_loss == 0
    assert float(profile(absolute_error=1e-3).delta_one_way(1e3)[1]) == 1
    assert float(profile(LEFT[:3], RIGHT[:3]).delta_one_way(800.0)[1]) == 0


@pytest.mark.parametrize("part", [3e-301, 1e-200, 1e-17, 0.3])
@pytest.mark.first(2)
def test_the_place_of_an_atom_is_known_as_far_as_its_logarithms(part: float) -> None:
    """Two atoms in a ratio that is a double: whether computed losses lie above or below the true one, delta does not,
    and neither does the smallest eps at delta 0."""
    for k in range(12):
        right = part * (1 + k * 2.0**-50) / 7
        masses = [part, 1 - part], [right, 1 - right]
        one = profile(*masses)
        with mpmath.workdps(40):
            loss = mpmath.log(mpf(part)) - mpmath.log(mpf(right))
            assert loss <= mpf(one.largest_loss) <= loss + 3 * mpf(blunt(*masses)) + 4 * U
            just_below = float(loss) * (1 - 2.0**-50)
            low, high = (mpf(float(end)) for end in one.delta_one_way(just_below))
            assert low <= delta(*masses, mpf(just_below)) <= high
            low, high = one.eps(0.0)
            assert low <= loss <= high <= float(loss) * (1 + 2e-12) + 3 * blunt(*masses)


# -- what was pruned -------------------------------------------------------------------------------------------------


def tail(orders: Any, lost: Any, total: Any = None, log_error: float = 0.0, **more: Any) -> TailBound:
    total = lost if total is None else total
    ends = {"low": -900.0, "high": 900.0} | more
    return TailBound(
        np.asarray(orders, float), np.asarray(lost, float), np.asarray(total, float), log_error=log_error, **ends
    )


def test_pruned_mass_counts_with_the_drift_and_in_full() -> None:
    for drift in (0.0, 1e-2):
        one = ExactProfile(NOTHING, NOTHING, lost=(1e-5, 1e-3), log_error=drift)
        assert float(one.delta_one_way(1.0)[1]) == pytest.approx(1e-5 * np.exp(drift), **EXACT)
        assert float(one.swapped.delta_one_way(1.0)[1]) == pytest.approx(1e-3 * np.exp(drift), **EXACT)
        beside = profile(lost=(1e-5, 0.0), log_error=drift), profile(log_error=drift)
        gap = [float(each.delta_one_way(0.5)[1]) for each in beside]
        assert gap[0] - gap[1] == pytest.approx(1e-5 * np.exp(drift), rel=1e-9)


@pytest.mark.parametrize(("alpha", "eps"), [(1.0, 300.0), (2.0, 650.0), (40.0, 690.0), (900.0, 690.0), (3.0, 0.0)])
@pytest.mark.parametrize("drift", [0.0, 1e-6])
def test_what_is_pruned_beyond_a_moment_is_rounded_up(alpha: float, eps: float, drift: float) -> None:
    """One transcript at whose loss the moment's bound is attained: the numbers that cancel are thousands of times
    larger than the logarithm that is left."""
    with mpmath.workdps(60):
        c = mpf(alpha - 1) ** (alpha - 1) / mpf(alpha) ** alpha if alpha > 1 else mpf(1)
        moment = float(eps * (alpha - 1) - 20)  # of order alpha
        exact = mpmath.log(c) + moment - (mpf(alpha) - 1) * mpf(eps) + (2 * mpf(alpha) - 1) * drift
        one = ExactProfile(
            NOTHING, NOTHING, lost=(1e-3, 1e-3), tail=tail([0.5, alpha], [-99.0, moment], log_error=drift)
        )
        over = mpf(float(one.log_pruned_delta(np.asarray(eps)))) - exact
        # Beyond it, 1e-12 of what is subtracted; and a few roundings of the numbers that are added, all far smaller.
        sizes = abs(moment) + (alpha - 1) * eps + alpha * np.log(alpha + 1) + 20
        assert -4 * U * sizes <= over - mpf(1e-12) * (alpha - 1) * mpf(eps) <= 4 * U * sizes
        assert over >= 0 or (alpha - 1) * eps < 10


def test_the_best_of_several_moments_counts_and_no_more_than_the_mass() -> None:
    two = ExactProfile(
        NOTHING, NOTHING, lost=(1e-3, 1.0), log_error=1e-2, tail=tail([1.0, 2.0, 3.0], [-9.0, -7.0, -2.0])
    )
    ends = [float(two.log_pruned_delta(np.asarray(eps))) for eps in (0.0, 1.0, 5.0, 12.0)]
    lines = [(-9.0, 0.0), (-7.0 - np.log(4), 1.0), (-2.0 + np.log(4 / 27), 2.0), (np.log(1e-3) + 1e-2, 0.0)]
    for eps, found in zip((0.0, 1.0, 5.0, 12.0), ends, strict=True):
        assert found == pytest.approx(min(a - b * eps for a, b in lines), rel=1e-10)


def test_a_tail_knows_the_largest_loss_and_that_some_transcript_has_it() -> None:
    for drift in (0.0, 1e-3):
        one = profile(lost=(1e-3, 1e-3), tail=tail([1.0], [-9.0], log_error=drift, high=12.5, low=-7.5))
        assert (one.largest_loss, one.known_large_loss) == (12.5 + 2 * drift, 12.5 - 2 * drift)
        assert (one.swapped.largest_loss, one.swapped.known_large_loss) == (7.5 + 2 * drift, 7.5 - 2 * drift)
        assert one.eps(0.0)[0] == 12.5 - 2 * drift
    for known in ({"sharp": False}, {"log_error": np.inf}, {"high": -3.0}):
        assert profile(tail=tail([1.0], [-9.0], **known)).known_large_loss == 0
    assert profile().known_large_loss == 0
    mirrored = replace(one, tail=tail([0.25, 1.5], [-1.0, -2.0], [-3.0, -4.0])).swapped.tail
    assert mirrored is not None
    assert mirrored.orders.tolist() == [0.75, -0.5]
    assert [mirrored.lost.tolist(), mirrored.total.tolist()] == [[-1.0, -2.0], [-3.0, -4.0]]


def test_the_swapped_pair_has_everything_the_other_way_round() -> None:
    one = profile(lost=(1e-3, 2e-3), missing=(3e-3, 4e-3), log_error=1e-4, absolute_error=1e-5).swapped
    assert (one.lost, one.missing, one.log_error, one.absolute_error) == ((2e-3, 1e-3), (4e-3, 3e-3), 1e-4, 1e-5)
    assert one.upper.left is RIGHT
    assert one.lower.right is LEFT
    assert (ExactProfile(NOTHING, NOTHING).lost, ExactProfile(NOTHING, NOTHING).missing) == ((0.0, 0.0), (0.0, 0.0))
    assert ExactProfile(NOTHING, NOTHING).log_error == ExactProfile(NOTHING, NOTHING).absolute_error == 0


# -- eps, mu, Renyi --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [0.2, 1e-3, 1e-6])
def test_crossings_enclose_and_are_a_trillionth_wide(wanted: float) -> None:
    one = profile()
    low, high = one.eps(wanted)
    for which, end in ((0, low), (1, high)):
        beside = [float(one.delta(end * (1 + sign * 3e-12))[which]) for sign in (-1, 1)]
        assert beside[0] > wanted >= beside[1]
        assert (float(one.delta(end)[which]) > wanted) == (which == 0)
    assert high - low <= 1e-11 * high


@pytest.mark.parametrize("alpha", [1.5, 20.0, 300.0])
@pytest.mark.parametrize("drift", [0.0, 1e-7])
def test_moments_show_a_mu_that_is_rounded_down(alpha: float, drift: float) -> None:
    """At mu^2 alpha (alpha - 1)/2, within what the drift allows: P up and Q down by it moves the log by 2 alpha - 1."""
    for mu in (0.1, 1.0, 20.0):
        log = mu**2 * alpha * (alpha - 1) / 2
        shown = profile(tail=tail([0.5, 1.0, alpha], [9.0, 9.0, log], log_error=drift)).mu_low_from_moments()
        less = log - (2 * alpha - 1) * drift
        # a trillionth of 1 and of the logarithm: some thousand roundings
        most, least = (np.sqrt(max(2 * (less - k * 1e-12 * (1 + log)) / alpha / (alpha - 1), 0)) for k in (0.9, 1.1))
        assert least <= shown <= most
    infinite = tail([2.0, 3.0], [np.inf, 3.0])
    assert profile(tail=infinite).mu_low_from_moments() == pytest.approx(1.0, rel=1e-9)
    assert profile().mu_low_from_moments() == 0


def known(logs: Any, losses: Any, orders: Any) -> TailBound:
    """The tail of atoms that were all pruned: the logs of what they weigh on the left, and their losses."""
    logs, losses, orders = (np.asarray(each, float) for each in (logs, losses, orders))
    moments = np.logaddexp.reduce(logs + (orders[:, None] - 1) * losses, axis=1)
    return tail(orders, moments, moments, low=float(losses.min()), high=float(losses.max()))


ORDERS = 1 + np.append(0.0, np.geomspace(0.1, 3000, 40))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [1.0, 30.0, 500.0])
@pytest.mark.first(6)
def test_moments_show_no_more_delta_than_there_is_and_at_the_end_almost_all(seed: int, size: float) -> None:
    noise = np.random.default_rng(seed)
    losses, logs = noise.uniform(-size, size, 40), -noise.uniform(0, 2 * size, 40)
    one, largest = known(logs, losses, ORDERS[:: seed + 1]), float(losses.max())
    eps = np.append(np.linspace(0, largest, 60, endpoint=False), largest - np.geomspace(1, 1e-4, 20) * size / 100)
    with np.errstate(divide="ignore"):
        above = np.log(np.maximum(-np.expm1(np.minimum(eps[:, None] - losses, 0)), 0))
    exact = np.logaddexp.reduce(logs + above, axis=1)
    shown = one.log_delta_low(eps, largest)
    assert (shown <= exact).all()
    assert (
        one.log_delta_low(eps, largest + size / 50) <= exact
    ).all()  # also where the largest loss is known from above
    assert shown[-1] > exact[-1] - 0.02


@pytest.mark.parametrize("log", [-3.0, -700.0, -2000.0])
@pytest.mark.parametrize("drift", [0.0, 1e-7])
def test_of_one_telling_atom_moments_show_all_but_what_they_are_off_by(log: float, drift: float) -> None:
    """All moments are its own, so that the two exponentials' quotient cancels: what is left is the upper moment too
    small, and its distance from the lower one as well."""
    eps, largest = np.linspace(0, 9.5, 20), 10.0
    one = known([log, -1e5], [largest, -1.0], [1.0, 2.0, 3.0])._replace(log_error=drift)
    off = [(2 * a - 1) * drift + 1e-12 * (1 + abs(log + (a - 1) * 10) + (a - 1) * eps) for a in (1, 2, 3)]
    apart = 1 / np.expm1(largest - eps)
    counted = np.minimum(*(off[k + 1] + (off[k] + off[k + 1]) * apart for k in (0, 1)))
    less = log + np.log(-np.expm1(eps - largest)) - one.log_delta_low(eps, largest)
    assert (0.9 * counted < less).all()
    assert (less < 1.1 * counted + 3e-11).all()  # and a trillionth of the factors' logarithms


def test_a_tail_too_faint_for_doubles_counts_in_mu() -> None:
    """One transcript of probability e^-900 with a loss of 890: its delta at 889 is that of mu = 17.9 or so."""
    faint = known([-900.0, 0.0], [890.0, 0.0], ORDERS)
    one = profile([1.0], [1.0], lost=(1e-300, 1e-300), tail=faint._replace(total=faint.total))
    low, high = one.mu_low(), one.mu_high()
    eps = np.array([889.0])
    exact = -900 + np.log(-np.expm1(-1.0))
    assert log_gaussian_delta(eps, high)[0] >= exact >= log_gaussian_delta(eps, low * (1 - 1e-3))[0]
    assert low <= high <= 1.003 * low


@pytest.mark.parametrize(("mu", "eps"), [(1e-4, 1e-5), (1e-2, 0.0), (0.3, 0.2), (2.0, 30.0), (9.0, 4.0)])
@pytest.mark.parametrize("way", [0.0, 0.5, 1.0])
def test_a_tangent_is_as_exact_as_counted_and_no_more_is_granted(mu: float, eps: float, way: float) -> None:
    """One stretch whose upper ends lie on the tangent, moved down by what is counted, and a hundredth more or less."""
    ends = np.array([eps, eps + 0.05 * mu])
    touch = ends[0] + way * (ends[1] - ends[0])
    log, share = log_gaussian_tangent(touch, ends, mu)
    size = 1 + ends + (mu / 2 + touch / mu) ** 2
    counted = 32 * U * size / (1 - share)
    with mpmath.workdps(50):
        m, c = mpf(mu), mpf(touch)
        for end, found, off in zip(ends, log, counted, strict=True):
            exact = mpmath.ncdf(m / 2 - c / m) - mpmath.exp(mpf(float(end))) * mpmath.ncdf(-m / 2 - c / m)
            if share[0] < 0.5 or way == 0.0:
                assert abs(mpmath.log(exact) - mpf(float(found))) <= off
    for more, good in ((1.02, True), (0.98, False)):
        asked = log - more * counted
        if np.isfinite(asked).all() and (counted > 1e3 * U * np.abs(log)).all():
            others = [below_some_tangent(np.array([[e], [f], [x], [y]]), mu).all() for e, f, x, y in [(*ends, *asked)]]
            assert others == [good] or way != 0.5  # a tangent elsewhere may do better


@pytest.mark.parametrize("mu", [1e-6, 1e-4, 1e-3, 0.3, 5.0])
def test_a_shift_s_delta_and_eps_are_enclosed_however_much_cancels(mu: float) -> None:
    """delta is about mu/sqrt(2 pi) at eps = 0; at 1e-6 all but a few of its digits cancel."""
    one = NormalShift(mu)
    with mpmath.workdps(50):
        for eps in (mu * mu / 9, mu / 100, 0.3 * mu, 2 * mu, 5 * mu):
            exact = gaussian(mu, eps)
            low, high = (mpf(float(end)) for end in one.delta(eps))
            assert low < exact < high
            assert high - low <= max(mpf(1e-12), 1e-13 / mpf(mu)) * exact * 100
            low, high = one.eps(float(exact))
            assert low < eps < high
            assert gaussian(mu, low) > float(exact) > gaussian(mu, high)
            assert high - low <= 1e-4 * high + 1e-8 * mu
    assert one.eps(0.0) == (np.inf, np.inf)
    assert one.eps(0.999 if mu < 1 else 1.0) == (0.0, 0.0)


def test_a_large_shift_has_an_eps_beyond_the_range_of_exponentials() -> None:
    low, high = NormalShift(40.0).eps(1e-6)
    with mpmath.workdps(400):
        assert gaussian(40.0, low) > 1e-6 > gaussian(40.0, high)
    assert high - low < 1e-8 * high
    assert float(NormalShift(1e-6).delta(1e4)[1]) == 0  # all cancels, and nothing is left to cancel


def test_a_touching_tangent_decides_at_its_own_point() -> None:
    """At a stretch of no length all three tangents are one, the Gaussian's curve itself."""
    for mu, eps in ((1e-3, 1e-3), (0.5, 0.7), (3.0, 2.0)):
        at = np.array([eps])
        log, share = log_gaussian_tangent(at, at, mu)
        counted = 32 * U * (1 + at + (mu / 2 + at / mu) ** 2) / (1 - share)
        for times, good in ((1.01, True), (0.99, False), (-0.5, False)):
            asked = log - times * counted
            assert below_some_tangent(np.stack([at, at, asked, asked]), mu).tolist() == [good]
        nothing = np.array([-np.inf])
        assert below_some_tangent(np.stack([at, at, nothing, nothing]), mu).tolist() == [True]


def test_mu_of_a_gaussian_curve_is_shown_up_to_its_margin() -> None:
    """A lower curve through one point of the Gaussian's: mu_low is that mu, less MARGIN."""
    for mu, eps in ((0.05, 0.001), (1.0, 0.5), (4.0, 3.0)):
        wanted = float(np.exp(log_gaussian_delta(np.array([eps]), mu)[0]))
        one = SimpleNamespace(
            atoms=(SimpleNamespace(loss=np.array([eps])),),
            delta_low=lambda at, wanted=wanted, eps=eps: np.where(at == eps, wanted, 0.0),
        )
        shown = ExactProfile.mu_low_from_delta(one)  # type: ignore[arg-type]
        assert 0.5 * GAUSSIAN_DELTA_ROUNDING * mu <= mu - shown <= 2 * GAUSSIAN_DELTA_ROUNDING * mu
    assert [eps_grid_size(top) for top in (0.0, 4.001, 5.0, 1e4)] == [401, 402, 501, 20_001]


@pytest.mark.parametrize("alpha", [1.001, 2.0, 30.0, 400.0])
@pytest.mark.parametrize("right", [[0.25, 0.75], [0.5, 0.5], [1e-100, 1.0]])
def test_a_renyi_divergence_lies_within_its_slack_and_the_drift_is_needed(alpha: float, right: list[float]) -> None:
    """Numbers of several hundred cancel where the mass is 1e-100."""
    left = [right[0] * 3 / 2, 1 - right[0] * 3 / 2]
    for drift in (0.0, 1e-6):
        low, high = profile(left, right, log_error=drift).renyi(alpha)
        with mpmath.workdps(60):
            a = mpf(alpha)
            parts = [a * mpmath.log(mpf(p)) + (1 - a) * mpmath.log(mpf(q)) for p, q in zip(left, right, strict=True)]
            true = mpmath.log(mpmath.fsum(mpmath.exp(part) for part in parts))
            moved = (2 * a - 1) * drift  # P up and Q down by the drift
            size = max(
                a * abs(mpmath.log(mpf(p))) + (a - 1) * abs(mpmath.log(mpf(q)))
                for p, q in zip(left, right, strict=True)
            )
            rounded = U * (8 * size + 8 * (1 + abs(true)))  # 8 of the logarithms; 4 for each step of the sum, of two
            for end, sign in ((low, -1), (high, 1)):
                room = sign * (mpf(end) * (a - 1) - true)
                if end > 0:
                    assert room == pytest.approx(moved + rounded, rel=1e-3, abs=float(rounded) * 0.3)
                    assert room >= moved
    for unknown in ({"absolute_error": 1e-9}, {"absolute_error": 1e-9, "log_error": 1e-3}):
        assert profile(left, right, **unknown).renyi(alpha) == (0.0, np.inf)
    low, high = profile(left, right, lost=(1e-9, 0.0)).renyi(alpha)
    assert (low, high) == (profile(left, right).renyi(alpha)[0], np.inf)


def test_what_is_possible_on_one_side_alone_diverges() -> None:
    one = profile([0.5, 0.5, 0.0], [0.5, 0.499, 0.001])
    assert one.swapped.renyi(2.0) == (np.inf, np.inf)
    assert 0 < one.renyi(2.0)[0] <= one.renyi(2.0)[1] < 0.01


@pytest.mark.parametrize("known", [{"absolute_error": 1e-9}, {"lost": (1e-9, 1e-9)}])
def test_where_the_tail_is_unknown_no_mu_is_claimed(known: dict[str, Any]) -> None:
    assert profile(**known).mu_high() == np.inf
    assert profile().mu_high() < np.inf
    assert profile(LEFT, LEFT).mu_high() == 0


# -- trade-off curves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("drift", "absolute_error", "missing"), list(product((0.0, 1e-3), (0.0, 1e-4), (0.0, 1e-2))))
def test_the_upper_curve_joins_the_worst_of_its_tests(drift: float, absolute_error: float, missing: float) -> None:
    """Rejecting the first k atoms, sorted by loss: alpha is what is rejected on the left, with all that is missing,
    beta what is accepted on the right; each by the drift and the blur too large."""
    curve = profile(log_error=drift, absolute_error=absolute_error, missing=(missing, 0.5)).tradeoff_high(50)
    order = np.argsort(LEFT / RIGHT)
    tests = [(LEFT[order][:k].sum(), RIGHT[order][k:].sum()) for k in range(5)]
    want = [
        (min(np.exp(drift) * (a + missing) + absolute_error, 1), min(np.exp(drift) * b + absolute_error, 1))
        for a, b in tests
    ]
    assert curve[0] == (0.0, 1.0)
    assert curve[-1] == (1.0, 0.0)
    room = SortedAtoms(MeasurePair(LEFT, RIGHT)).error
    for (alpha, beta), (a, b), (rejected, accepted) in zip(curve[1:-1], want, tests, strict=True):
        for found, known, summed in ((alpha, a, rejected), (beta, b, accepted)):
            most = known + 2 * summed * room + 2 * U
            assert found <= most
            assert found >= min(known + 0.5 * summed * room - 2 * U * known, 1.0)


@pytest.mark.parametrize(("drift", "absolute_error"), list(product((0.0, 1e-3), (0.0, 1e-4))))
def test_the_lower_curve_touches_the_best_of_all_tests_moved_down(drift: float, absolute_error: float) -> None:
    """At the corners of the true curve it lies below by the drift, the blur (1 + slope), and roundings alone: the
    corners of the curve that is moved down so."""
    curve = np.array(profile(log_error=drift, absolute_error=absolute_error).tradeoff_low(50)).T
    order = np.argsort(LEFT / RIGHT)
    slope = RIGHT[order] / LEFT[order]
    shrink = np.exp(-(drift + blunt())) * (1 - SortedAtoms(MeasurePair(LEFT, RIGHT)).error)
    for alpha in np.linspace(0, 1, 41):
        lines = [
            max(shrink * np.minimum(c * LEFT, RIGHT).sum() - absolute_error * (1 + c), 0.0) - c * alpha
            for c in slope.tolist()
        ]
        assert np.interp(alpha, *curve) == pytest.approx(max(*lines, 0.0), rel=1e-13, abs=1e-16)


@pytest.mark.parametrize("kept", [1.0, 0.95, 0.6, 0.05])
def test_where_mass_is_missing_the_lower_curve_is_that_of_what_is_left(kept: float) -> None:
    """All supporting lines of what is left, and nothing below 0: also where all of them have ended."""
    left, right = kept * LEFT, kept * RIGHT
    curve = np.array(profile(left, right).tradeoff_low(50)).T
    assert (np.diff(curve[0]) >= 0).all()
    for alpha in np.linspace(0, 1, 81):
        lines = [np.minimum(c * left, right).sum() - c * alpha for c in (right / left).tolist()]
        assert 0 <= max(*lines, 0.0) - np.interp(alpha, *curve) + 2 * U <= 1e-12


@pytest.mark.parametrize("absolute_error", [0.0, 1e-3])
def test_the_lower_curve_of_very_unlike_atoms_is_the_best_of_the_lines_that_are_picked(absolute_error: float) -> None:
    """Also where a blur takes more from the steep ones than from others."""
    draw = np.random.default_rng(0)
    for _ in range(60):
        n, kept = int(draw.integers(2, 12)), float(draw.choice([1.0, 0.999, 0.8]))
        left, right = (kept * np.maximum(draw.dirichlet(np.full(n, 0.1)), 1e-12) for _ in range(2))
        curve = np.array(profile(left, right, absolute_error=absolute_error).tradeoff_low(200)).T
        atoms = SortedAtoms(MeasurePair(left, right))
        slopes = np.exp(-atoms.loss[np.minimum(tradeoff_positions(atoms, 200), n - 1)])
        for alpha in np.linspace(0, 1, 21):
            lines = [np.minimum(c * left, right).sum() - absolute_error * (1 + c) - c * alpha for c in slopes.tolist()]
            assert -1e-12 <= max(*lines, 0.0) - np.interp(alpha, *curve) <= 1e-9


def test_lower_ends_are_those_of_the_lower_pair_and_upper_ends_of_the_upper_one() -> None:
    """The lower pair is the upper one with two atoms merged: whatever is certified is one or the other's."""
    merged = [np.append(side[0] + side[1], side[2:]) for side in (LEFT, RIGHT)]
    both = ExactProfile(MeasurePair(LEFT, RIGHT), MeasurePair(*merged))
    upper, lower = profile(), profile(*merged)
    for eps in (0.1, 0.5):
        assert both.delta_one_way(eps) == (lower.delta_one_way(eps)[0], upper.delta_one_way(eps)[1])
        assert lower.delta_one_way(eps)[0] < upper.delta_one_way(eps)[0]
    assert both.renyi(2.0)[0] == pytest.approx(lower.renyi(2.0)[0], rel=1e-12, abs=0)
    assert both.renyi(2.0)[1] == upper.renyi(2.0)[1]
    assert both.tradeoff() == (upper.tradeoff_low(), lower.tradeoff_high())
    assert (both.largest_loss, both.upper_log_error) == (upper.largest_loss, upper.upper_log_error)
    assert both.renyi(2.0)[1] < np.inf == replace(both, lost=(0.5, 0.0)).renyi(2.0)[1]
    assert replace(both, lost=(0.0, 0.5)).renyi(2.0)[1] == upper.renyi(2.0)[1]


def test_where_all_mass_is_lost_nothing_is_known() -> None:
    gone = ExactProfile(
        MeasurePair(*np.zeros((2, 0))), MeasurePair(*np.zeros((2, 0))), lost=(1.0, 1.0), missing=(1.0, 1.0)
    )
    assert [end.tolist() for end in gone.delta(np.array([0.0, 50.0]))] == [[0, 0], [1, 1]]
    assert gone.eps(0.5) == gone.mu() == gone.renyi(2.0) == (0, np.inf)
    low, high = gone.tradeoff()
    assert low == [(0, 0), (1, 0)]
    assert {alpha + beta for alpha, beta in high} == {1}
