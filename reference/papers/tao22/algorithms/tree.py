"""Algorithm 2: the adaptive tree mechanism, for any number of streams at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.arithmetic.checks import at_least, is_number, positive, require_callable
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.bandits.policy import Ints


def natural_log(horizon: int) -> float:
    """log T to the base e."""
    return float(np.log(horizon))


def binary_log(horizon: int) -> float:
    """log T to the base 2."""
    return float(np.log2(horizon))


def whole_levels(horizon: int) -> float:
    """floor(log2 T) + 1: in how many noisy p-sums the first item of a stream of length T comes up."""
    return float(int(horizon).bit_length())


class Sums(NamedTuple):
    """The state of a tree for each stream; the leading axes are those of the streams."""

    items: Ints  # (...): how many items have been inserted
    exact: Array  # (..., levels): alpha_j, the p-sums. SECRET
    noisy: Array  # (..., levels): alpha-hat_j, what has been released of them


@dataclass(frozen=True)
class Tree:
    """Algorithm 2. horizon: T >= 2. eps > 0.

    levels: what line 4 divides eps by, log T in print, whose base is open: `natural_log` (chosen), `binary_log`, or
    `whole_levels`, with which every stream is eps-DP.
    """

    horizon: int  # line 1
    eps: float  # line 1
    levels: Callable[[int], float] = field(default=natural_log, repr=False)  # line 4

    def __post_init__(self) -> None:
        at_least("T (horizon)", self.horizon, 2)
        if not isinstance(self.eps, np.ndarray):  # a column of the eps of several policies, each checked by its own
            positive("eps", self.eps)
        require_callable("levels", self.levels)
        if not (is_number(self.levels(self.horizon)) and 0 < self.levels(self.horizon) < np.inf):
            raise ValueError(f"levels({self.horizon}) is {self.levels(self.horizon)!r}; it must be positive and finite")

    @property
    def share(self) -> float:
        """eps' = eps/log T: what one noisy p-sum may cost. Line 4."""
        return self.eps / self.levels(self.horizon)

    @property
    def cells(self) -> int:
        """How many p-sums exist at once: 0, ..., floor(log2 T)."""
        return int(self.horizon).bit_length()

    def empty(self, *shape: int) -> Sums:
        """Streams without items. Line 3."""
        cells = (*shape, self.cells)
        return Sums(np.zeros(shape, dtype=np.int64), np.zeros(cells), np.zeros(cells))

    def insert(self, sums: Sums, item: Any, bound: Any, laplace: Any, where: Any = True) -> Sums:
        """One more item in every stream, or in those of `where`. Lines 6 to 12.

        item: |item| <= bound. bound: B_t, non-decreasing. laplace: a fresh standard Laplace draw for each stream.
        All broadcast to the streams' shape. Raises ValueError for an item beyond its bound, and beyond the horizon.
        """
        where = np.broadcast_to(where, sums.items.shape)
        item, bound, laplace = (np.broadcast_to(each, sums.items.shape) for each in (item, bound, laplace))
        if (where & ~(np.abs(item) <= bound)).any():
            worst = item[where & ~(np.abs(item) <= bound)].flat[0]
            raise ValueError(f"tree: an item is {worst}, which exceeds its bound; truncate the item first")
        items = sums.items + where
        if items.max(initial=0) > self.horizon:
            raise ValueError(
                f"tree: item number {items.max()} does not exist, because the horizon is T = {self.horizon}"
            )
        noise = (2 * bound / self.share * laplace)[where]  # line 12; a column of eps has one row per trial
        old, cell = Sums._make(each[where] for each in sums), np.arange(self.cells)
        level = trailing_zeros(old.items + 1)[:, None]  # lines 6 and 7
        below, here = cell < level, cell == level
        total = np.where(below, old.exact, 0.0).sum(axis=-1) + item[where]  # line 8
        exact, noisy = np.array(sums.exact), np.array(sums.noisy)
        exact[where] = np.where(here, total[:, None], np.where(below, 0.0, old.exact))  # lines 8 and 10
        noisy[where] = np.where(here, (total + noise)[:, None], np.where(below, 0.0, old.noisy))  # lines 10 and 12
        return Sums(items, exact, noisy)

    def query(self, sums: Sums) -> Array:
        """S-hat: the noisy p-sums of the binary digits. Line 13. (A cell without a digit has been set to 0.)"""
        return np.asarray(sums.noisy.sum(axis=-1))


def trailing_zeros(n: NDArray[np.int64]) -> Ints:
    """The place of the lowest 1 in the binary form of n >= 1: frexp is exact for powers of two."""
    return np.asarray(np.frexp((n & -n).astype(np.float64))[1] - 1, dtype=np.int64)
