"""What curves are made of: points, profiles and bounds, against the definitions, with exact engines that are known."""

from __future__ import annotations

from math import exp, inf, isnan, log, nan
from typing import Any

import numpy as np
import pytest
from mpmath import exp as mpexp
from mpmath import log as mplog
from mpmath import mpf, ncdf, workdps

from dpbandits import Approximate, Gaussian
from dpbandits.proofs_checks.vocabularies.precise import mp
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.curves import Concentrated, Family, Renyi, derived, gaussian_delta
from dpbandits.reference.curves import approximate as approximate_module
from dpbandits.reference.curves import renyi as concentrated_module
from dpbandits.reference.curves import renyi as renyi_module
from dpbandits.reference.curves.conversions import (
    delta_lower,
    eps_lower,
    log_renyi_term,
    mu_lower,
    renyi_delta,
    renyi_lower,
)
from dpbandits.reference.curves.curve import NoGuarantee
from dpbandits.reference.curves.family import DELTA_COUNT, PLOT_POINTS


class Known:
    """An exact engine that has these numbers, certified with a gap."""

    def __init__(self, delta: Any = None, renyi: Any = None, other: Any = None) -> None:
        self.of_delta, self.of_order, self.of_other = delta, renyi, other or renyi

    def delta(self, eps: Any) -> Any:
        value = np.asarray([self.of_delta(float(x)) for x in np.ravel(eps)]).reshape(np.shape(eps))
        return value, value * 1.01

    def eps(self, delta: float) -> tuple[float, float]:
        """Where the curve comes down to delta, on a fine grid."""
        grid = np.linspace(0, 20, 4001)
        return tuple(float(grid[np.flatnonzero(side <= delta)[0]]) for side in self.delta(grid))  # type: ignore[return-value]

    def eps_low(self, delta: float) -> float:
        return self.eps(delta)[0]

    def renyi(self, alpha: float) -> tuple[float, float]:
        return self.of_order(alpha), self.of_order(alpha) + 0.1

    @property
    def swapped(self) -> Known:
        return Known(self.of_delta, self.of_other, self.of_order)


# -- families ----------------------------------------------------------------------------------------------------------


def logarithmic(m: Any, delta: Any) -> Any:
    return m.log(1 / delta)


def test_a_family_is_looked_at_all_over_its_range_and_closely_at_its_ends() -> None:
    curve = Family(logarithmic, 1e-3, 0.5)
    eps, deltas = curve.claimed_parameters()
    assert (deltas[0], deltas[-1]) == (1e-3, 0.5)
    assert (np.diff(deltas) > 0).all()
    assert len(deltas) == pytest.approx(DELTA_COUNT + 2, abs=3)
    assert eps == pytest.approx(np.log(1 / deltas), rel=1e-12)
    assert deltas[1] - deltas[0] < 1e-11
    assert deltas[-1] - deltas[-2] < 1e-11
    assert np.diff(deltas).max() < 0.08


def test_only_where_a_family_promises_a_number_that_is_not_negative() -> None:
    """eps = log(1/(4 delta)): below 0 from delta = 1/4 on, and infinite at 0."""
    eps, deltas = Family(lambda m, delta: m.log(1 / (4 * delta)), 0.0, 1.0).claimed_parameters()
    assert (eps >= 0).all()
    assert np.isfinite(eps).all()
    assert 0 < deltas[0] < deltas[-1] <= 0.25
    for eps, deltas in (
        Family(lambda m, delta: m.sqrt(delta - 2), 0.0, 1.0).claimed_parameters(),
        Family(lambda m, delta: 1 / (delta - delta), 0.0, 1.0).claimed_parameters(),
    ):
        assert len(eps) == len(deltas) == 0
    nothing = Family(lambda m, delta: m.sqrt(delta - 2), 0.0, 1.0)
    assert nothing.bounds(Known(lambda eps: 0.5))[:3] == (0, 0, 0)
    assert isnan(nothing.bounds(Known(lambda eps: 0.5)).at)
    assert nothing.delta_at(np.array([0.0, 3.0])).tolist() == [1, 1]
    assert nothing.beta_at(np.array([0.0, 0.3])).tolist() == [0, 0]


def test_the_delta_of_a_family_is_the_least_that_it_promises() -> None:
    curve = Family(logarithmic, 1e-3, 0.5)
    eps, deltas = curve.claimed_parameters()
    for at in (0.0, 0.5, log(2.0) + 1e-12, 1.0, 3.0, log(1e3), 20.0):
        fine = [delta for own, delta in zip(eps, deltas, strict=True) if own <= at]
        assert curve.delta_at([at])[0] == min([1.0, *fine])
        beta = max([0.0, *(1 - d - exp(e) * 0.1 for e, d in zip(eps, deltas, strict=True))])
        other = max([0.0, *(exp(-e) * (0.9 - d) for e, d in zip(eps, deltas, strict=True))])
        assert derived.beta_at(curve, [0.1])[0] == pytest.approx(max(beta, other), rel=1e-12)


@pytest.mark.parametrize("last", [3.0, log(1e3), 9.0])
def test_a_falling_family_is_drawn_at_its_own_points(last: float) -> None:
    curve = Family(logarithmic, 1e-3, 0.5)
    eps, deltas = derived.profile(curve, np.linspace(0, last, 50))
    on = deltas[deltas > 1e-3]
    assert eps[: len(on)] == pytest.approx(np.log(1 / on), rel=1e-12)
    assert eps[0] == pytest.approx(log(2))
    assert (np.diff(eps) >= 0).all()
    assert (np.diff(deltas) <= 0).all()
    assert 20 < len(eps) <= PLOT_POINTS + 1
    if last > log(1e3):
        assert (eps[-1], deltas[-1], deltas[-2]) == (9.0, 1e-3, 1e-3)
    else:
        assert last * 0.9 < eps[-1] <= last * (1 + 1e-12)


@pytest.mark.parametrize(
    "family",
    [
        Family(lambda m, delta: delta, 0.01, 0.5),  # rises
        Family(logarithmic, 1e-9, 1e-8),  # falls, but beyond what is drawn
        Family(lambda m, delta: 4 * (delta - 0.2) * (delta - 0.2), 0.01, 0.6),  # falls and rises
        Family(lambda m, delta: 1 - 4 * (delta - 0.2) * (delta - 0.2), 0.01, 0.6),  # rises and falls
    ],
)
def test_another_family_is_drawn_as_stairs(family: Family) -> None:
    """Just before and just after each corner the drawing is what the family promises there."""
    grid = np.linspace(0.1, 1.5, 20)
    eps, deltas = family.profile(grid)
    assert (eps[0], eps[-1]) == (grid[0], grid[-1])
    assert (np.diff(eps) >= 0).all()
    assert (np.diff(deltas) <= 0).all()
    for left, right, level in zip(eps[::2], eps[1::2], deltas[::2], strict=True):
        middle = (left + right) / 2
        assert level == family.delta_at([middle])[0]
    assert (deltas[::2] == deltas[1::2]).all()
    assert (np.diff(deltas[::2]) < 0).all()


def test_a_family_of_one_eps_is_drawn_as_its_best_delta() -> None:
    eps, deltas = Family(lambda m, delta: 1 + 0 * delta, 0.01, 0.5).profile(np.linspace(0.1, 1.5, 20))
    assert (eps.tolist(), deltas.tolist()) == ([1.0, 1.5], [0.01, 0.01])


def test_a_family_is_held_against_a_pair_where_it_is_broken_most() -> None:
    """delta(eps) = e^-eps/2 where log(1/delta) is promised: half of what is allowed; twice of it is broken, by a factor
    of two everywhere, so that what is chosen is broken there."""
    curve = Family(logarithmic, 1e-3, 0.5)
    kept = curve.bounds(Known(lambda eps: exp(-eps) / 2))
    assert not kept.refutes
    assert kept.low <= kept.high <= kept.claimed
    broken = curve.bounds(Known(lambda eps: 2 * exp(-eps) if eps > 2 else 0.3 * exp(-eps)))
    assert broken.refutes
    assert broken.claimed == pytest.approx(log(1 / broken.at), rel=1e-12)
    assert broken.claimed > 2
    assert broken.low == pytest.approx(log(2 / broken.at), abs=0.01)
    assert derived.certified_lower_bound(curve, Known(lambda eps: exp(-eps) / 2)) == kept.low
    # One place is broken by a little, and elsewhere the upper end comes nearer, unbroken: the broken one counts.
    little = curve.bounds(Known(lambda eps: exp(-eps) * (1.001 if 1 < eps < 1.1 else 0.995)))
    assert 1 < little.claimed < 1.1


# -- (eps, delta) ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("eps", "delta"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.1), (0.0, 0.3), (3.0, 1e-6)])
def test_what_approximate_privacy_promises_elsewhere_is_what_its_worst_mechanism_has(eps: float, delta: float) -> None:
    """With chance delta the input itself, else randomized response with odds e^eps: nothing is worse."""
    curve = Approximate(eps, delta)
    left = np.array([delta, 0.0, (1 - delta) * exp(eps) / (1 + exp(eps)), (1 - delta) / (1 + exp(eps))])
    right = left[[1, 0, 3, 2]]
    for at in (0.0, eps / 2, eps, eps + 1):
        true = np.maximum(left - exp(at) * right, 0).sum()
        assert curve.delta_at(at) == pytest.approx(true, abs=1e-15)
    for alpha in (0.0, delta / 2, 0.05, 0.3, 0.7, 1.0):
        best, order = 1.0, np.argsort(-np.where(left > 0, right / np.maximum(left, 1e-300), inf))
        spent, best = 0.0, 1.0
        for k in order:  # reject left where right is likelier: Neyman and Pearson
            share = 1.0 if left[k] == 0 else min(1.0, max(0.0, alpha - spent) / left[k])
            spent, best = spent + share * left[k], best - share * right[k]
        found = approximate_module.beta_from_approximate_dp([alpha], np.array([eps]), np.array([delta]))[0]
        assert found == pytest.approx(max(best, 0), abs=1e-12)


@pytest.mark.parametrize(("eps", "delta"), [(1.0, 0.01), (0.5, 0.0), (5.0, 1e-5), (9.0, 0.1)])
def test_the_bend_of_approximate_privacy_is_drawn(eps: float, delta: float) -> None:
    grid = np.linspace(0.25, 6, 12)
    places, deltas = Approximate(eps, delta).profile(grid)
    assert set(grid) <= set(places)
    assert (places[0], places[-1]) == (0.25, 6)
    assert (np.diff(places) > 0).all()
    assert deltas.tolist() == Approximate(eps, delta).delta_at(places).tolist()
    assert (eps in places) == (eps <= 6)
    if eps <= 6:  # from below, so close that a line to the bend hides nothing
        before = Approximate(eps, delta).delta_at(places[places < eps][-1])
        assert delta < before <= max(1.2 * delta, 2e-3)


# -- Renyi -------------------------------------------------------------------------------------------------------------


def test_orders_are_looked_at_from_the_least_to_the_largest() -> None:
    for low, high, least, most in ((1.0, 100.0, 1.001, 100.0), (2.0, 8.0, 2.0, 8.0), (1.0, 1e6, 1.001, 10_001.0)):
        gamma, orders = Renyi(lambda m, alpha: alpha / 2, low, high).claimed_parameters()
        assert len(orders) == renyi_module.RENYI_ORDER_COUNT
        assert orders[0] == pytest.approx(least, rel=1e-8)
        assert orders[0] > low
        assert orders[-1] == pytest.approx(most, rel=1e-12)
        assert orders[-1] <= high
        assert gamma.tolist() == (orders / 2).tolist()
        assert np.diff(np.log(orders - 1)) == pytest.approx(np.log((most - 1) / (least - 1)) / 60, rel=1e-6)
    some, orders = Renyi(lambda m, alpha: m.sqrt(alpha - 3) - 1, 1.0, 100.0).claimed_parameters()
    assert orders.min() >= 4
    assert some.min() >= 0
    nothing = Renyi(lambda m, alpha: m.log(-alpha), 1.0, 9.0)
    assert nothing.bounds(Known(renyi=lambda alpha: 1.0))[:3] == (0, 0, 0)
    assert nothing.beta_at([0.25]).tolist() == [0.0]


def test_the_least_second_error_is_where_the_divergence_of_the_errors_is_all_that_is_promised() -> None:
    orders = np.array([1.5, 2.0, 8.0])
    gamma = orders / 2
    for alpha in (0.01, 0.2, 0.5, 0.9):
        (beta,) = renyi_module.beta_from_renyi([alpha], gamma, orders)
        assert 0 < beta < 1 - alpha
        assert (renyi_lower(alpha, beta * (1 + 1e-9), orders) <= gamma).all()
        assert (renyi_lower(alpha, beta * (1 - 1e-9), orders) > gamma).any()


def test_a_divergence_is_held_against_the_order_at_which_it_breaks_most() -> None:
    """Either way round counts."""
    curve = Renyi(lambda m, alpha: alpha / 2, 1.0, 64.0)
    for one, other in (
        ((lambda a: 0.6 * a if a > 8 else 0.1), lambda a: 0.0),
        (lambda a: 0.0, lambda a: 0.6 * a if a > 8 else 0.1),
    ):
        found = curve.bounds(Known(renyi=one, other=other))
        assert found.refutes
        assert found.at > 8
        assert found.claimed == found.at / 2
        assert found.low == pytest.approx(0.6 * found.at)
        assert found.high == pytest.approx(0.6 * found.at + 0.1)
    near = curve.bounds(Known(renyi=lambda a: 0.499 * a if 2 < a < 2.5 else 0.1 * a))
    assert not near.refutes
    assert 2 < near.at < 2.5
    touched = curve.bounds(Known(renyi=lambda a: 0.5001 * a if 2 < a < 2.5 else 0.49 * a))
    assert 2 < touched.at < 2.5


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.0, 50.0])
def test_the_conversion_of_a_divergence_is_the_best_of_its_kind(order: float) -> None:
    """(1 - e^-y) <= c e^((order - 1) y) for all y >= 0, with equality somewhere: that c is the factor."""
    y = np.linspace(0, 60 / order, 400_001)
    c = np.max(-np.expm1(-y) * np.exp(-(order - 1) * y))
    for eps, gamma in ((0.0, 0.3), (2.0, 0.7)):
        assert renyi_delta(doubles, eps, order, gamma) == pytest.approx(
            c * exp((order - 1) * (gamma - eps)), rel=1e-4, abs=0
        )


def test_where_a_pair_breaks_a_curve_its_profile_stands_out_most() -> None:
    gamma, orders = np.array([1.0, 4.0]), np.array([2.0, 8.0])
    for peak in (0.0, 3.0, 7.25, 20.0):
        known = Known(lambda eps, peak=peak: 1.0 if abs(eps - peak) < 0.01 else 0.0)
        at, which = renyi_module.largest_violation(known, gamma, orders)
        assert at == pytest.approx(peak)
        follows = [
            renyi_delta(doubles, peak, float(order), float(own)) for order, own in zip(orders, gamma, strict=True)
        ]
        assert follows[which] == min(follows)

        class Text:
            def variable(self, name: str) -> float:
                return {"eps": 1.5, "mu": 0.75}[name]

            def source(self, value: Any) -> str:
                return f"{value:.12g}"

            ncdf, exp = staticmethod(doubles.ncdf), staticmethod(doubles.exp)

        told = Gaussian(0.75).violation(Text(), known, nan)  # type: ignore[arg-type]
        assert told is not None
        assert told[0] == pytest.approx(peak)
        assert told[2] == f"{gaussian_delta(doubles, 1.5, 0.75):.12g}"
        assert Gaussian(0.0).violation(Text(), known, nan) is None  # type: ignore[arg-type]


def test_what_is_impossible_under_the_first_law_counts_nothing() -> None:
    p, q = np.array([-inf, -1.0, -2.0, -inf]), np.array([-3.0, -4.0, -2.0, -inf])
    with np.errstate(invalid="ignore"):  # as who calls it does
        assert log_renyi_term(p, q, 3.0).tolist() == [-inf, 5.0, -2.0, -inf]


@pytest.mark.parametrize("order", [1.01, 2.0, 40.0])
def test_two_errors_show_the_divergence_of_their_two_laws_and_none_where_guessing_does_as_well(order: float) -> None:
    """Of "right": 1 - beta against alpha; the larger one of both directions. Also where hardly anything is shown."""
    for alpha, beta in ((0.1, 0.2), (0.3, 1e-3), (1e-6, 0.5), (0.4999, 0.5), (0.2, 0.799_999), (0.5, 0.25)):
        right, left = (mpf(1) - mpf(beta), mpf(beta)), (mpf(alpha), mpf(1) - mpf(alpha))
        ways = [sum(p**order * q ** (1 - mpf(order)) for p, q in zip(*pair, strict=True)) for pair in
                ((right, left), (left, right))]  # fmt: skip
        exact = float(max(map(mplog, ways)) / (order - 1))
        assert 0 < float(renyi_lower(alpha, beta, order)) == pytest.approx(exact, rel=1e-9, abs=1e-13)
    for alpha, beta in ((0.5, 0.5), (0.25, 0.75), (0.7, 0.7), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
        assert renyi_lower(alpha, beta, order) == eps_lower(alpha, beta, 0.0) == mu_lower(alpha, beta) == 0
        assert delta_lower(alpha, beta, 0.0) == eps_lower(alpha, beta, 0.1) == 0


@pytest.mark.parametrize("share", [0.0, 0.125])
def test_a_larger_promise_is_the_promise_of_a_number_that_is_larger_by_this_share(share: float) -> None:
    eps = mp.number("1.5")
    as_printed = mp.number("0.01") * (1 + share)  # and not the double next to it
    assert Approximate(0.5, 0.01).implied_approximate_dp(mp, eps, mp.number(1), share) == (
        0.5 * (1 + share),
        as_printed,
    )
    with workdps(40):
        for mu in (0.1, 0.75, 3.0):
            a, b = 1.5 / (mpf(mu) * (1 + share)), mpf(mu) * (1 + share) / 2
            wanted = ncdf(b - a) - mpexp(1.5) * ncdf(-b - a)
            at, delta = Gaussian(mu).implied_approximate_dp(mp, eps, mp.number(1), share)
            assert at == eps
            assert float(delta) == pytest.approx(float(wanted), rel=1e-9 if mu > 0.1 else 1e-6, abs=0)
        assert Gaussian(0.0).implied_approximate_dp(mp, eps, mp.number(1), share) == (eps, 0)
    for curve, gamma in ((Renyi(lambda m, alpha: m.number("0.3") * alpha), 0.3), (Concentrated(0.3), 0.3)):
        orders = curve.claimed_parameters()[1] if isinstance(curve, Renyi) else concentrated_module.RENYI_ORDERS
        with np.errstate(over="ignore"):
            order = float(orders[np.argmin(renyi_delta(doubles, 1.5, orders, gamma * orders))])
        at, delta = curve.implied_approximate_dp(mp, eps, mp.number(1), share)
        assert at == eps
        known = (1 - 1 / order) ** order / (order - 1)
        wanted = known * exp((order - 1) * (gamma * order * (1 + share) - 1.5))
        assert float(delta) == pytest.approx(wanted, rel=1e-9, abs=0)


def test_where_a_curve_promises_nothing_it_says_so() -> None:
    with pytest.raises(NoGuarantee, match="gives no finite gamma at any order"):
        Renyi(lambda m, alpha: -alpha).implied_approximate_dp(mp, mp.number(1), mp.number(1), 0)
    family = Family(logarithmic, 0.01, 0.5)
    for delta in ("0.01", "0.2", "0.5"):
        assert float(family.implied_approximate_dp(mp, mp.number(0), mp.number(delta), 0)[0]) == pytest.approx(
            -log(float(delta))
        )
    for delta in ("0.0099", "0.5001"):
        with pytest.raises(NoGuarantee, match=f"delta = {delta}; it is stated for 0.01 <= delta <= 0.5"):
            family.implied_approximate_dp(mp, mp.number(0), mp.number(delta), 0)


def test_a_larger_promise_of_a_family_is_larger_in_eps_and_in_delta() -> None:
    family = Family(lambda m, delta: m.log(1 / delta), 0.01, 0.5)
    eps, delta = family.implied_approximate_dp(doubles, 0.0, 0.125, 0.25)
    assert (eps, delta) == pytest.approx((1.25 * log(8), 1.25 * 0.125))
