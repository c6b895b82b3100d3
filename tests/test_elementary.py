"""exp, log, sin and their kin against mpmath, one number against many; sums against numpy's."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import mpmath
import numpy as np
import pytest

from dpbandits.reference.arithmetic import elementary, linear

DRAWN = np.random.default_rng(3)
WIDE = DRAWN.uniform(-745, 709.7, 300)
NEAR_ZERO = np.concatenate([DRAWN.normal(size=300), DRAWN.normal(size=300) * 1e-4, 10.0 ** DRAWN.uniform(-300, 0, 100)])
NEAR_ONE = 1 + np.concatenate(
    [DRAWN.uniform(-0.5, 1, 300), DRAWN.normal(size=300) * 1e-3, DRAWN.normal(size=99) * 1e-9]
)
ENDS = [5e-324, 1e-310, 2.0**-1022, 0.75, np.nextafter(1.5, 0), 1.5, np.nextafter(1, 0), 1.0, np.nextafter(1, 2), 1e308]


def units(found: Any, function: Callable[..., Any], *at: Any) -> float:
    """How many units in the last place the results are off at most."""
    with mpmath.workprec(200):
        right = [function(*map(mpmath.mpf, each)) for each in zip(*(part.tolist() for part in at), strict=True)]
        off = [
            abs((mpmath.mpf(one) - true) / max(float(np.spacing(abs(float(true)))), 5e-324))
            for one, true in zip(found.tolist(), right, strict=True)
        ]
        return float(max(off))


@pytest.mark.parametrize(
    ("name", "at", "bound"),
    [
        ("exp", np.concatenate([WIDE, NEAR_ZERO]), 0.6),
        ("expm1", np.concatenate([WIDE, NEAR_ZERO, -NEAR_ZERO]), 1.5),
        ("log", np.concatenate([NEAR_ONE, np.abs(NEAR_ZERO), ENDS]), 0.8),
        ("log1p", np.concatenate([NEAR_ZERO[NEAR_ZERO > -1], NEAR_ONE - 1, ENDS, [-1 + 2.0**-53, -1e-16]]), 1.5),
    ],
)
def test_errors_are_as_stated_and_a_number_is_an_array_of_one(name: str, at: Any, bound: float) -> None:
    function = getattr(elementary, name)
    found = function(at)
    assert units(found, getattr(mpmath, name), at) <= bound
    np.testing.assert_array_equal(found, [function(each) for each in at.tolist()])
    assert function(at.reshape(-1, 1)).shape == (len(at), 1)


@pytest.mark.parametrize("name", ["exp", "expm1", "log", "log1p"])
def test_beyond_the_range_they_are_numpys(name: str) -> None:
    odd = np.array([0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, 800.0, -800.0, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        want = getattr(np, name)(odd)
    for found in (getattr(elementary, name)(odd), np.array([getattr(elementary, name)(each) for each in odd.tolist()])):
        np.testing.assert_allclose(found, want, rtol=1e-15)


def test_angles() -> None:
    turns = np.concatenate([DRAWN.uniform(-100, 100, 500), NEAR_ZERO, np.pi / 2 * np.arange(-9, 10)])
    assert units(elementary.sin(turns), mpmath.sin, turns) <= 1.1
    assert units(elementary.cos(turns), mpmath.cos, turns) <= 1.1
    y, x = DRAWN.normal(size=(2, 500)) * 10.0 ** DRAWN.uniform(-5, 5, (2, 500))
    assert units(elementary.arctan2(y, x), mpmath.atan2, y, x) <= 2
    for corner in ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)):
        assert elementary.arctan2(*corner) == np.arctan2(*corner)
        assert elementary.arctan2_one(*corner) == np.arctan2(*corner)


def test_what_is_made_of_them() -> None:
    at = np.abs(DRAWN.normal(size=50)) + 0.01
    np.testing.assert_allclose(elementary.power(at, -0.3), at**-0.3, rtol=1e-14)
    np.testing.assert_allclose(elementary.sinh(at), np.sinh(at), rtol=1e-14)
    np.testing.assert_allclose(elementary.cosh(at), np.cosh(at), rtol=1e-14)
    np.testing.assert_allclose(elementary.arcsinh(at), np.arcsinh(at), rtol=1e-13)
    np.testing.assert_allclose(elementary.geometric(0.1, 30.0, 12), np.geomspace(0.1, 30.0, 12), rtol=1e-14)
    exact = np.array([0.5, 1.0, 7.999, 8.0, 2.0**40, np.nextafter(8.0, 0)])
    np.testing.assert_array_equal(elementary.whole_log2(exact), [-1, 0, 2, 3, 40, 2])


def test_sums_of_products() -> None:
    for rows, inner, columns in ((3, 4, 5), (40, 9, 2), (2, 70, 70)):
        left, right = DRAWN.normal(size=(rows, inner)), DRAWN.normal(size=(inner, columns))
        np.testing.assert_allclose(linear.matrix_product(left, right), left @ right, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(linear.matrix_product(left, right[:, 0]), left @ right[:, 0], rtol=1e-9, atol=1e-12)
    matrix, right = DRAWN.normal(size=(12, 12)), DRAWN.normal(size=(12, 3))
    np.testing.assert_allclose(matrix @ linear.solve_linear_system(matrix, right), right, atol=1e-10)
    with pytest.raises(np.linalg.LinAlgError):
        linear.solve_linear_system(np.ones((2, 2)), np.ones(2))
    one, other = DRAWN.normal(size=(2, 30))
    np.testing.assert_allclose(linear.convolved(one, other[:7]), np.convolve(one, other[:7]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2, 12, 24, 90])
def test_nodes_and_weights(order: int) -> None:
    nodes, weights = linear.legendre(order)
    with mpmath.workdps(30):
        for node, weight in zip(nodes[: order // 2 + 1].tolist(), weights.tolist(), strict=False):
            true = mpmath.findroot(lambda x: mpmath.legendre(order, x), node)
            slope = order * (true * mpmath.legendre(order, true) - mpmath.legendre(order - 1, true)) / (true**2 - 1)
            assert abs(node - true) <= 2.0**-53
            assert abs(weight * (1 - true**2) * slope**2 / 2 - 1) <= 2.0**-51


def test_they_are_these_bits() -> None:
    """Made of + - * / alone, so that these are the bits on every processor; a machine that finds others is news."""
    at = np.random.default_rng(5).random(20_000)
    made = [elementary.exp(at * 1400 - 700), elementary.expm1(at - 0.5), elementary.log(at), elementary.log1p(at)]
    made += [
        elementary.sin(at * 9),
        elementary.cos(at * 9),
        elementary.arctan2(at - 0.5, at[::-1] - 0.5),
        *linear.legendre(24),
    ]
    assert blake2b(b"".join(each.tobytes() for each in made), digest_size=8).hexdigest() == "398e09346b534d48"


@pytest.mark.parametrize("size", [1, 2, elementary.MAX_LOOPED_ANGLES, elementary.MAX_LOOPED_ANGLES + 1])
def test_few_angles_have_the_bytes_that_they_have_among_many(size: int) -> None:
    """Whole quarters of a turn and what lies beside them, where signs change; and points in all four quadrants."""
    most = elementary.MAX_ANGLE
    quarters = np.pi / 2 * np.arange(-9, 10)
    turns = np.concatenate([DRAWN.uniform(-100, 100, 60), NEAR_ZERO[:20], quarters, np.nextafter(quarters, 9)])
    turns = np.concatenate([turns, [0.0, -0.0, most, -most], DRAWN.uniform(-most, most, 20)])
    y, x = DRAWN.normal(size=(2, 60)) * 10.0 ** DRAWN.uniform(-5, 5, (2, 60))
    y[:9], x[:9] = np.repeat([0.0, 1.0, -1.0], 3), np.tile([0.0, 1.0, -1.0], 3)
    for function, given in ((elementary.sin, [turns]), (elementary.cos, [turns]), (elementary.arctan2, [y, x])):
        many = function(*given)
        for start in range(0, len(many), size):
            few = function(*(each[start : start + size] for each in given))
            assert few.tobytes() == many[start : start + size].tobytes()
            if size == 1:
                one = function(*(each[start] for each in given))
                assert np.float64(one).tobytes() == few.tobytes()
