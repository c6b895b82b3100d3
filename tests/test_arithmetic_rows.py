"""Rows of arrays: distinct ones, and their sums, as numpy has them."""

from __future__ import annotations

import numpy as np
import pytest

from dpbandits.reference.arithmetic.rows import distinct_rows, row_sums


@pytest.mark.parametrize("columns", range(1, 12))
def test_sums_of_rows_have_the_bits_of_numpy(columns):
    rng = np.random.default_rng(columns)
    values = rng.standard_normal((500, columns)) * 10 ** rng.uniform(-8, 8, (500, columns))
    for rows in (values, values[:1], values[:0], values[::2]):
        assert row_sums(rows).tobytes() == rows.sum(axis=1).tobytes()


def test_distinct_rows_are_those_of_numpy():
    """Of flags in the same order; of numbers in another one."""
    rng = np.random.default_rng(0)
    flags = rng.random((300, 5)) < 0.4
    some, place = distinct_rows(flags)
    expected, numbers = np.unique(flags, axis=0, return_inverse=True)
    assert some.tolist() == expected.tolist()
    assert place.tolist() == numbers.ravel().tolist()
    values = rng.integers(0, 3, (300, 3)) - 1.5
    some, place = distinct_rows(values)
    assert (some[place] == values).all()
    assert len(some) == len({*map(tuple, some.tolist())}) == len({*map(tuple, values.tolist())})
