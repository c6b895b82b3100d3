"""Products of matrices, linear equations, triangular factors and Gauss's rule, with sums in a fixed order: the same
bits on every processor, as in `elementary`. The functions of numpy and scipy for these call BLAS and LAPACK, whose sums
depend on the processor and on the number of threads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.elementary import cos

Array = NDArray[np.float64]
MAX_LOOPED_TERMS = 8  # a sum over so few is made term by term, and so few columns one by one
NODE_NEWTON_STEPS = 6  # of Newton's method, which begins 1e-3 away or nearer


def matrix_product(left: Array, right: Array) -> Array:
    """left @ right. right: (n,) or (n, m)."""
    if right.ndim == 1 and len(right) > MAX_LOOPED_TERMS:
        return np.asarray((left * right).sum(axis=-1))
    if right.ndim == 1:
        return np.asarray(matrix_product(left, right[:, None])[..., 0])
    if right.shape[1] < MAX_LOOPED_TERMS < len(right):
        return np.stack([matrix_product(left, column) for column in right.T], axis=-1)
    total: Array = left[..., 0, None] * right[0]
    for place in range(1, len(right)):
        total += left[..., place, None] * right[place]
    return total


def solve_linear_system(matrix: Array, right: Array) -> Array:
    """The x with matrix @ x = right, (n,) or (n, m), by Gaussian elimination with partial pivoting.
    Raises LinAlgError for a singular matrix."""
    rows: Array = np.concatenate([matrix, right.reshape(len(right), -1)], axis=1, dtype=np.float64)
    size = len(rows)
    for step in range(size):
        best = step + int(np.abs(rows[step:, step]).argmax())
        if rows[best, step] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
        rows[[step, best]] = rows[[best, step]]
        rows[step, step:] /= rows[step, step]
        others = np.arange(size) != step
        rows[others, step:] -= rows[others, step, None] * rows[step, step:]
    return np.asarray(rows[:, size:].reshape(right.shape))


def cholesky_factor(matrix: Array) -> Array:
    """The lower triangular R with R R' = matrix, for many matrices together, (..., d, d).
    If a matrix is not positive definite, some entry on the diagonal of its R is nan."""
    factor = np.zeros(matrix.shape)
    for row in range(matrix.shape[-1]):
        for column in range(row + 1):
            left = np.array(matrix[..., row, column])
            for k in range(column):
                left -= factor[..., row, k] * factor[..., column, k]
            if row > column:
                factor[..., row, column] = left / factor[..., column, column]
            else:
                factor[..., row, row] = np.sqrt(np.where(left > 0, left, np.nan))
    return factor


def solve_lower_triangle(factor: Array, right: Array, transposed: bool = False) -> Array:
    """The x with R x = right, or R' x = right, for many lower triangular R together.
    factor: (..., d, d); right: broadcast to (..., d)."""
    size = factor.shape[-1]
    x = np.array(np.broadcast_to(right, np.broadcast_shapes(right.shape, factor.shape[:-1])), dtype=np.float64)
    for k in range(size)[:: -1 if transposed else 1]:
        x[..., k] /= factor[..., k, k]
        for row in range(k) if transposed else range(k + 1, size):
            x[..., row] -= (factor[..., k, row] if transposed else factor[..., row, k]) * x[..., k]
    return x


def convolved(values: Array, others: Array) -> Array:
    """The sums of values[i] others[k - i], (n + m - 1,), like numpy's convolve."""
    longer, shorter = (values, others) if len(values) >= len(others) else (others, values)
    total = np.zeros(len(values) + len(others) - 1)
    for place, each in enumerate(shorter.tolist()):
        total[place : place + len(longer)] += each * longer
    return total


@lru_cache(maxsize=128)
def legendre(order: int) -> tuple[Array, Array]:
    """The nodes in (-1, 1) and the weights of Gauss-Legendre quadrature, (order,) each.
    They are computed by Newton's method from Tricomi's nodes.

    Computed in extended precision, whose + - * / are also determined, so that the rounded result is right to a unit in
    the last place.
    """
    n, place = order, np.arange(order, 0, -1)
    x: Any = np.longdouble(cos(np.pi * (4 * place - 1) / (4 * n + 2))) * (1 - (n - 1) / (8 * n**3))
    slope = x
    for _ in range(NODE_NEWTON_STEPS):
        before, value = np.ones_like(x), x
        for k in range(2, n + 1):
            before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
        slope = n * (x * value - before) / (x * x - 1)
        x = x - value / slope
    x = (x - x[::-1]) / 2
    found = x.astype(np.float64), (2 / ((1 - x * x) * slope * slope)).astype(np.float64)
    for each in found:
        each.flags.writeable = False
    return found
