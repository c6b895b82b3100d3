"""The law in T: what its arguments say of coins, of late pulls and of tables, against numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr, ndtri

from dpbandits import Sampler, Verdict
from dpbandits.extensions.thompson import potential
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.ou24 import section_3_game_law as law
from dpbandits.proofs_checks.papers.ou24 import section_3_game_law_two_arms as two_arms
from dpbandits.reference.papers.ou24.section_3_game_law import chapter

X = np.linspace(-6, 8, 1401)


def powers(x, s, lam, order):
    """Logs of the two powers, and both chances."""
    p, q, none_p, none_q = log_ndtr(-x), log_ndtr(s - x), log_ndtr(x), log_ndtr(x - s)
    if order == "L":
        return (1 + lam) * q - lam * p, (1 + lam) * none_q - lam * none_p, np.exp(p), np.exp(q)
    return (1 + lam) * p - lam * q, (1 + lam) * none_p - lam * none_q, np.exp(p), np.exp(q)


@given(st.floats(-5, 6), st.floats(1e-3, 0.7071), st.floats(0.01, 1.0), st.floats(0, 2))
@pytest.mark.nonvacuous(20)
def test_a_coin_is_bounded_as_the_facts_say(x, s, lam, b):
    y = log_ndtr(s - x) - log_ndtr(-x)
    near, far = (exp(-z * z / 2) / sqrt(2 * np.pi) / ndtr(-z) for z in (x - s, x))
    assert s * near * (1 - 1e-9) <= y <= s * far * (1 + 1e-9)
    assert far <= sqrt(-2 * log_ndtr(-x)) * (1 + 1e-12)
    assert far <= near + s
    for order in "RL":
        pulled, other, p, q = powers(x, s, lam, order)
        least = np.exp(pulled - b) + np.expm1(other)
        if order == "R":
            most = p * (exp(-lam * y - b) - 1 + lam * np.expm1(y)) + lam * (q - p) ** 2 / ndtr(x - s)
        else:
            most = q * (exp(lam * y - b) - 1 + lam * np.expm1(-y)) + lam * (q - p) ** 2 / ndtr(x)
        assert least <= most + 1e-12
        assert np.exp(pulled) + np.exp(other) <= exp(lam * (1 + lam) * s * s / 2) * (1 + 1e-12)


@pytest.mark.parametrize("order", ["R", "L"])
def test_late_pulls_are_worth_no_more_than_the_closed_form(order):
    n = np.unique(np.geomspace(99, 1e8, 60).astype(int))[:, None]
    s = 1 / np.sqrt(n + 1.0)
    for lam, c in ((0.05, 1e-7), (0.5, 1e-5), (0.2, 1e-9)):
        Y = np.sqrt(4 * log(1 / c) / (n + 1))
        fits = (lam * np.expm1(Y) * np.exp(Y) <= 0.5) & (c * np.exp(2 * Y) * np.maximum(1, Y) <= 0.25)
        A = np.exp(Y) + lam * np.exp(4 * Y) / (1 - lam * np.expm1(Y) * np.exp(Y))
        b = lam * s**2 * (A * np.maximum(0, np.log(A / (c * (n + 1))) - 1 + 2 * lam * Y) + 1.5 * np.exp(4 * Y))
        b = np.where(n + 1 > 3 * np.exp(4 * Y + 2 * lam * Y) / c, 0.0, b)
        pulled, other, _, _ = powers(X, s, lam, order)
        gained = np.exp(pulled) * np.exp(-b) + np.expm1(other) - np.expm1(lam * c)
        assert fits.sum() > 20
        assert gained[fits[:, 0]].max() <= 1e-15
        assert ((np.exp(pulled - b / 9) + np.expm1(other) - np.expm1(lam * c))[fits[:, 0]]).max() > 0


@pytest.mark.parametrize("order", ["R", "L"])
@pytest.mark.parametrize("horizon", [9, 100, 1e5, 1e12])
def test_the_explicit_numbers_for_any_arms_serve(horizon, order):
    root = sqrt(log(horizon))
    n = np.unique(np.geomspace(1, min(horizon, 1e7) - 1, 60).astype(int))[:, None]
    lam, c, y = 1 / (4 * np.expm1(root)), 2 * exp(root) / horizon, root * np.sqrt(2 / (n + 1))
    b = lam * (np.expm1(y) - y + 4 * lam * np.expm1(y) ** 2 + 19.5 / (n + 1))
    pulled, other, _, _ = powers(X, 1 / np.sqrt(n + 1.0), lam, order)
    assert (np.exp(pulled - b) + np.expm1(other) - np.expm1(lam * c)).max() <= 1e-15


def test_the_tables_from_below_are_rewards():
    """Totals rise by what lies in [0, 1], up to T/ln^5 T, at T = e^100; k is about 2 ln T."""
    length = 100.0
    n = np.exp(np.linspace(log(200), length - 5 * log(length), 2000))
    x = -ndtri(4 * length * n * exp(-length))
    rise = x / (2 * np.sqrt(n + 1)) - np.sqrt(n + 1) * 4 * length * exp(-length) / (
        np.exp(-x * x / 2) / sqrt(2 * np.pi)
    )
    assert (rise >= 0).all()
    assert (rise <= 1).all()
    k = next(k for k in range(1, 400) if sqrt(k + 1) >= -ndtri(4 * length * k * exp(-length)))
    assert 1.6 * length < k < 2 * length


def test_the_explicit_bound_is_computed_cell_by_cell():
    """Cells follow one another up to the last T; a bound that is too small is not shown."""
    found = law.cells("right", 3, 60)
    assert found[0][0] == 3
    assert found[-1][1] == 60
    assert all(before[1] + 1 == after[0] for before, after in pairwise(found))
    assert all(share <= 1 for _, _, share in found)
    claim = next(claim for claim in chapter.claims if claim.id.endswith("explicit"))

    def small(horizon, side):
        return log(horizon) ** 2 * (0.3 if horizon < 30 else 0.6)

    assert law.computed(claim, Effort(), 0, most=60).verdict is Verdict.ARGUED
    assert law.cells("right", 3, 60, small)[-1][2] > 1
    assert law.computed(claim, Effort(), 0, most=60, divergence=small).verdict is Verdict.UNSUPPORTED
    assert law.computed(claim, Effort(), 0, most=60, least_gain=2.1).verdict is Verdict.UNSUPPORTED


def test_a_longer_run_is_worth_more():
    own = [law.worth(horizon, "right") for horizon in (3, 4, 10, 40)]
    assert own == sorted(own)
    assert potential.static_moments(Sampler(4, 2), "right").eps(0.3) > 0


def closed_prices(horizon, lam, n):
    """What a pull costs in the closed form for two arms, over lam, after n pulls of the changed arm."""
    N, r = n + 1.0, 2 * log(11 * horizon / 3)
    A = 1 + lam + 4 / 3 * np.sqrt(r / N)
    late = (A * np.log(horizon / N) + 15 / 4) / N
    return np.where(N <= 6, 27 / 4, np.where(r > N, 7 / 4 + 15 / 4 / N, late))


@pytest.mark.parametrize("order", ["R", "L"])
@pytest.mark.parametrize("lam", [1e-3, 0.1, 0.2])
@pytest.mark.parametrize("horizon", [2, 7, 8, 40, 1000, 1e6, 1e12])
def test_prices_in_closed_form_pay_for_every_coin_of_two_arms(horizon, lam, order):
    """For all thresholds and shifts of two arms. In long runs a quarter of these prices does not pay."""
    n = np.unique(np.geomspace(1, horizon - 1, 80).astype(int))[:, None, None]
    root = np.sqrt(n + 1.0)
    s = np.linspace(0.2, 1, 5)[None, :, None] / root
    x = s - root + (2 * root - s) * np.linspace(0, 1, 401)[None, None, :]
    pulled, other, _, _ = powers(x, s, lam, order)
    b = lam * closed_prices(horizon, lam, n)
    assert (np.exp(pulled - b) + np.expm1(other) - np.expm1(lam / horizon)).max() <= 1e-15
    if order == "R" and horizon >= 1000:
        assert (np.exp(pulled - b / 4) + np.expm1(other) - np.expm1(lam / horizon)).max() > 0


@pytest.mark.parametrize("lam", [1e-3, 0.1, 0.2])
def test_prices_in_closed_form_cost_no_more_than_the_bound_for_every_horizon(lam):
    horizons = {*range(1, 60), 100, 1000, 10**4, 10**6}
    for horizon in horizons:
        prices = closed_prices(horizon, lam, np.arange(1, horizon))
        gain = log(lam) - (1 + 1 / lam) * log(1 + lam)
        eps = (horizon - 1) / horizon + prices.sum() + log(1e6) / lam + gain
        assert eps <= two_arms.every_horizon_eps(log(horizon), 1e-6, lam), horizon


def test_the_theorem_for_every_horizon_has_the_numbers_of_the_claim():
    text = Path(two_arms.__file__).with_suffix(".v").read_text(encoding="utf-8")
    (formula,) = re.findall(r"^Definition every_T_loss := (.*)\.$", text, re.MULTILINE)
    assert formula == (
        f"(1 + lam) / 2 * (ln (INR T) * ln (INR T)) + {two_arms.PER_LOG} * ln (INR T) + ln (1 / delta) / lam + "
        f"{two_arms.ALWAYS}"
    )
