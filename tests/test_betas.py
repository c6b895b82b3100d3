"""The largest of several Beta samples is the one that looking them all up finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv
from vacuity import nonvacuous_if

from dpbandits.reference.bandits.release_laws import betas


def samples(seed: int, rows: int, columns: int, size: float) -> tuple[np.ndarray, ...]:
    """Means of any kind, the ends among them; a + b up to `size` + 2; quantiles, some of them next to 0 and 1."""
    rng = np.random.default_rng(seed)
    mean = np.clip(rng.uniform(-0.2, 1.2, (rows, columns)), 0, 1)
    many = size ** rng.random((rows, columns))
    quantile = rng.random((rows, columns)) ** rng.choice([0.01, 1, 1, 20], (rows, columns))
    return mean * many + 1, (1 - mean) * many + 1, quantile


@given(st.integers(0, 2**32), st.integers(1, 7), st.sampled_from([2.0, 50.0, 1e4, 1e7]))
@pytest.mark.nonvacuous(10)
def test_the_largest_sample_is_the_one_that_all_of_them_show(seed: int, columns: int, size: float) -> None:
    a, b, quantile = samples(seed, 60, columns, size)
    nonvacuous_if(columns > 1)
    assert (betas.largest_sample(a, b, quantile) == betaincinv(a, b, quantile).argmax(axis=1)).all()


@given(st.integers(0, 2**32), st.sampled_from([2.0, 50.0, 1e4, 1e7]))
@pytest.mark.nonvacuous(20)
def test_a_sample_lies_above_its_lower_end_and_below_what_is_plain(seed: int, size: float) -> None:
    a, b, quantile = samples(seed, 60, 3, size)
    sample = betaincinv(a, b, quantile)
    assert (betas.lower_end(a, b, betas.depth(quantile)) <= sample).all()
    with np.errstate(divide="ignore"):
        assert (betas.rough_depth(quantile) >= betas.depth(quantile)).all()
    for bar in (0.5, sample[:, :1], sample + 1e-9, sample - 1e-9, sample - 0.01):
        bar = np.minimum(bar, 1 - 1e-12)
        exponent = betas.exponent(a, b, bar)
        assert (sample < bar)[exponent > betas.depth_of_rest(quantile)].all()
        assert (betas.rough_exponent(a, b, bar) <= np.maximum(exponent, 0) + 3e-12 * (a + b + 1)).all()


@pytest.mark.parametrize("mean", [0.05, 0.5, 0.9])
def test_near_the_mean_the_rough_exponent_is_the_exact_one(mean: float) -> None:
    """(a + b) gap^2/(2 y (1 - y)) at the y between where this is least: for a small gap, KL is not more."""
    a, b, bar = 1e6 * mean, 1e6 * (1 - mean), mean + 0.01
    assert 0.9 < betas.rough_exponent(a, b, bar) / betas.exponent(a, b, bar) <= 1


def test_equal_samples_and_the_ends_of_quantiles() -> None:
    """The lowest place of equal ones; a quantile of 0 is the number 0, and one of 1 the number 1."""
    even, half = np.full((1, 3), 4.0), np.full((1, 3), 0.5)
    assert betas.largest_sample(even, even, half).tolist() == [0]
    assert betas.largest_sample(even, even, np.array([[0.0, 0.3, 0.3]])).tolist() == [1]
    assert betas.largest_sample(even, even, np.array([[0.3, 1.0, 0.99]])).tolist() == [1]


def test_what_is_no_number_is_not_passed_over() -> None:
    """numpy's argmax finds it first, as if all samples had been looked up."""
    even = np.full((1, 3), 4.0)
    assert betas.largest_sample(even, np.array([[4.0, np.nan, 4.0]]), np.full((1, 3), 0.9)).tolist() == [1]
