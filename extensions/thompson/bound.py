"""The certified upper bound on delta(eps) of a Thompson sampler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from math import ceil, inf, log
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri

from dpbandits.extensions.thompson.best_coins import LEAST_SINGLE
from dpbandits.extensions.thompson.grids import GOALS, MAX_SHOWN, Grid, stored_eps
from dpbandits.extensions.thompson.moments import MOMENT_ORDERS, POWER_ROUNDING, Moments, moments
from dpbandits.extensions.thompson.potential import (
    LONG_RUN_ROUNDS,
    are_growing,
    are_priced,
    last_counts,
    priced_moments,
    static_moments,
)
from dpbandits.extensions.thompson.potential_arms import arm_moments
from dpbandits.extensions.thompson.ratios import Curves, ratios
from dpbandits.extensions.thompson.rules import HasArmsAndHorizon, Sampler, checked_sampler, two_arms
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.bisection import crossing_bracket
from dpbandits.reference.bandits.noise import Array

SMALLEST_DELTA = 1e-12  # the ratios of a grid reach down to where delta is this small
MAX_RATIO_ROUNDS = 20_000  # rounds; beyond, the ratios would take hours, and the static potential bounds
ARM_CURVE_POINTS = 2000
MIN_GRID_STEPS = 600  # at least so many steps from ratio 0 to the last
CHORDS = 0.7  # all chords together cost about an eighth of it, in log delta
LEAST_STEP = 0.04  # closer ratios cost more than they bring; but in long runs of two arms chords add up:
LONG_RUN_STEPS, LEFT_LONG_RUN_STEP = 6500, 0.02  # so many at most on the right side, and none closer on the left one
PULL_LEVEL_LIMITS = 26, 250  # pull counts with values on the grid: at least and, unless more are asked for, at most
COUNTS = 2.5  # times sqrt(T) of them with two arms;
LATE_COUNTS_SHARE = 2.5  # so many times as many in the last rounds, where they are fewer in the first ones;
FREE_COUNTS_SHARE = 0.8  # so much of it where thresholds are free: what matters there happens at few pulls
FOLLOWED = 6.0  # so many times sqrt(T) pull counts have powers of their own
POLYGON_WIDTH = 0.1  # of the polygons around coins
DELTA_FLOOR_SHARE = 0.01  # of the smallest delta, all that is lost where values are not told apart
MAX_GRID_RATIO = 8.0  # the largest ratio: a relative error of exp(-8) in delta
ALPHAS = 2000  # at which a test's first error is looked at; what lies between costs 2 ndtri(error)/ALPHAS in mu
LEFT_DELTA_SHARE = 1e-3  # of the smallest delta at which the left side may count: down to there its grid reaches
LOUDEST = 1e100  # a larger variance, and not a smaller one, is what leaves the range of doubles
LEFT_GRID_COARSENING = 1.5  # so much the grid of that side is at first, and most often that is enough
MAX_LOSS_BOUND_ROUNDS = 1000  # rounds; in longer runs the largest loss is far beyond what any delta of doubles asks for
LOSS_ROUNDING = 1e-12  # of a round: log_ndtr and the squares of its arguments are good to a few units, relatively
LARGE_DELTAS = (0.9, 0.7, 0.5, 0.3, 0.2)  # what mu hangs on; at these, and
TARGETS = (1e-1, 1e-3, 1e-6, 1e-9)  # where the side that seldom counts must stay below the other one


class Upper:
    """An upper bound on the privacy profile delta(eps) of a sampler, over all neighbours of a relation.

    sampler: the Thompson sampler. relation: "pull" or "round"; the two relations give different bounds only for two
    arms. curves: pairs (eps, delta) of arrays with increasing eps, each of which is an upper bound for one direction of
    the change; powers: such pairs, computed from moments. Between two points of a curve, the chord over e^eps is a
    bound, because delta is convex in e^eps. losses: for one direction, an upper bound on the privacy loss of every run,
    if one is known: delta is 0 for every eps above it. any_number: for a given number of arms above two, the bound for
    any number of arms; the smaller of both bounds counts.
    """

    def __init__(
        self,
        sampler: HasArmsAndHorizon,
        relation: str,
        powers: dict[str, Moments],
        curves: dict[str, tuple[Array, Array]],
        losses: Mapping[str, float] = MappingProxyType({}),
        any_number: Upper | None = None,
    ) -> None:
        """Stores upper bounds on delta(eps), which the methods combine; all but `powers` and `curves` are optional."""
        self.sampler, self.relation, self.powers, self.curves, self.losses = sampler, relation, powers, curves, losses
        self.any_number = any_number

    def delta(self, eps: Any) -> Array:
        """An upper bound on delta at eps >= 0, an array or a number."""
        eps = np.asarray(eps, dtype=np.float64)
        return np.asarray(np.max([self.side(name, eps) for name in self.powers], axis=0))

    def side(self, name: str, eps: Array) -> Array:
        """An upper bound on delta at eps for the case that the changed arm pays more on the side `name`.
        The smallest of the known bounds. name: "left" or "right"."""
        bound = el.exp(self.powers[name].log_curve(self.powers[name].start, eps))
        if name in self.curves:
            at, delta = self.curves[name]
            place = np.clip(np.searchsorted(at, eps, side="right") - 1, 0, at.size - 2)
            step = at[place + 1] - at[place]
            share = np.clip(el.expm1(eps - at[place]) / el.expm1(step), 0.0, 1.0)
            chord = (1 - share) * delta[place] + share * delta[place + 1]
            bound = np.minimum(bound, np.where(eps >= at[-1], delta[-1], chord) * (1 + 1e-12))
        if self.any_number is not None:
            bound = np.minimum(bound, self.any_number.side(name, eps))
        return np.asarray(np.where(eps >= self.losses.get(name, inf), 0.0, np.minimum(bound, 1.0)))

    def eps(self, delta: float) -> float:
        """An eps for which the sampler is certainly (eps, delta)-private; inf if no bound reaches down to delta."""
        if not 0 < delta <= 1:
            raise ValueError(f"delta is {delta}; it must lie in (0, 1]")
        return crossing_bracket(self.delta, delta, 1e-9)[1]

    def mu(self, error: float) -> float:
        """A certified upper bound on mu, valid for all tests whose errors are at least `error`.
        Among tests whose errors of either kind are at least `error`, none is better than the best test under mu-GDP.

        The errors (alpha, beta) of every test satisfy 1 - delta(eps) - e^eps alpha <= beta, and the same with alpha and
        beta exchanged. Between two alphas of the grid, beta is at least its value at the larger one. inf if no bound
        reaches down to such errors.
        """
        if not 0 < error <= 0.5:
            raise ValueError(f"error is {error}; it must lie in (0, 1/2]")
        last = self.eps(error / 10)
        if last == inf:
            return last
        alpha = ndtr(np.linspace(1, -1, ALPHAS) * ndtri(error))  # from `error` up to 1 - error
        eps = np.concatenate([np.linspace(0, 2, 81), el.geometric(2.05, max(last, 3.0), 200)])
        kept, odds = 1 - self.delta(eps), el.exp(eps)
        beta = np.maximum(kept[:, None] - np.multiply.outer(odds, alpha), (kept[:, None] - alpha) / odds[:, None])
        beta = np.maximum(beta.max(axis=0) - 1e-12, error)
        return max(float((-ndtri(alpha[:-1]) - ndtri(beta[1:])).max()), 0.0)

    def arms_told(self, delta: float) -> int | None:
        """The number of arms for which eps at this delta was certified; None if the bound holds for any number.
        The sampler's number, or None if it allows any number."""
        one = self.any_number
        return self.sampler.arms if one is None or one.eps(delta) > self.eps(delta) * (1 + 1e-8) + 1e-12 else None

    @cached_property
    def method(self) -> str:
        """The method by which the curve was computed: "ratios" (a grid of likelihood ratios) or "potential"."""
        return "ratios" if self.curves and self.sampler.horizon <= MAX_RATIO_ROUNDS else "potential"


class Asked(NamedTuple):
    """A question about a sampler: the arguments of `certified_curve`."""

    sampler: Sampler
    relation: str = "pull"
    smallest: float = SMALLEST_DELTA
    fineness: float = 1.0
    counts: float = COUNTS

    @property
    def followed(self) -> dict[str, int]:
        """The number of pull counts that have their own values on the grid, for each side of the change."""
        least, most = PULL_LEVEL_LIMITS
        share = 1.0 if self.sampler.arms == 2 else FREE_COUNTS_SHARE
        wanted = int(share * self.counts * self.sampler.horizon**0.5)
        levels = max(least, min(wanted, int(share * most * max(self.counts / COUNTS, 1.0))))
        levels, fewest = (min(max(self.sampler.rounds, 1), many) for many in (levels, least))
        many = int(LATE_COUNTS_SHARE * levels) if are_growing(self.sampler, "right") else levels
        return {"right": many, "left": max(fewest, levels // 2)}


SideCurve = tuple[Array, Array]  # pairs (eps, delta), as `Upper` has them


def certified_curve(
    sampler: Sampler,
    relation: str = "pull",
    smallest: float = SMALLEST_DELTA,
    fineness: float = 1.0,
    counts: float = COUNTS,
) -> Upper:
    """A certified upper bound on delta as a function of eps, for a Thompson sampler.

    relation: what differs between neighbouring inputs, "pull" or "round". smallest: the delta down to which the curve
    should be sharp. fineness: of the grid, and of the polygons around coins; with a larger fineness the computation
    takes longer and the bound is slightly smaller. counts: the number of pull counts with values on the grid, in units
    of sqrt(T). Raises ValueError for an invalid sampler, and if numbers leave the range of doubles, because the noise
    is too small for so many rounds or the variance itself is out of range.
    """
    asked = Asked(sampler, relation, smallest, fineness, counts)
    return with_left_side(with_right_side(asked), asked)


def with_right_side(question: Asked, free: Upper | None = None) -> Upper:
    """Returns a certified upper bound on delta(eps) whose right side is computed on a grid, its left side by powers.
    On the grid is the case that the changed arm pays more on the right; the other case is bounded by powers. free: the
    curve for any number of arms, if it is known."""
    checked_sampler(question.sampler)
    if question.relation not in Curves._fields:
        raise ValueError(f"relation is {question.relation!r}; choose 'pull' or 'round'")
    if not (0 < question.smallest < 1 and 0 < question.fineness < inf and 0 < question.counts < inf):
        raise ValueError(
            f"smallest = {question.smallest}, fineness = {question.fineness}, counts = {question.counts}; "
            "smallest must lie "
            "strictly between 0 and 1, and fineness and counts must be positive and finite"
        )
    with within_doubles(question.sampler):
        bound = by_powers(question)
        if (question.sampler.arms or 2) > 2:
            bound.any_number = free or certified_curve(*question._replace(sampler=question.sampler._replace(arms=None)))
        if question.sampler.horizon <= MAX_RATIO_ROUNDS:
            bound.curves["right"] = side_on_grid(bound, question, "right", question.smallest, 1.0)
        elif (question.sampler.arms or 2) > 2 and question.sampler.rounds > 0:
            bound.curves["right"] = for_given_arms(question.sampler, bound, question.smallest)
        return bound


def with_left_side(bound: Upper, question: Asked, ahead: SideCurve | None = None) -> Upper:
    """Returns the bound `bound` with a sharper left side, if the left side may determine the result.
    It is computed on a coarse grid, and if this is not enough, on a fine one. ahead: the result of `left_side_ahead`,
    if it is known."""
    if question.sampler.horizon > MAX_RATIO_ROUNDS:
        return bound
    with within_doubles(question.sampler):
        for coarser, deltas in ((LEFT_GRID_COARSENING, LARGE_DELTAS + TARGETS), (1.0, TARGETS)):
            counts_at = [d for d in deltas if one_sided(bound, "left", d) > one_sided(bound, "right", d)]
            if not counts_at:
                break
            reach = left_reach(question, min(counts_at))
            is_known = coarser == LEFT_GRID_COARSENING and reach == left_reach(question, 1.0)
            bound.curves["left"] = (is_known and ahead) or side_on_grid(bound, question, "left", reach, coarser)
        return bound


def left_side_ahead(question: Asked) -> SideCurve:
    """Computes the left side's curve on the coarse grid, before the right side is known; see `with_left_side`.
    For the case that the left side matters only at LARGE_DELTAS, as with two arms in long runs. A second process can do
    this at the same time."""
    with within_doubles(question.sampler):
        return side_on_grid(by_powers(question), question, "left", left_reach(question, 1.0), LEFT_GRID_COARSENING)


def left_reach(question: Asked, counts_at: float) -> float:
    """Returns the smallest delta at which the left side's curve has to be computed sharply.
    The left side may determine the bound at the delta `counts_at` and at LARGE_DELTAS."""
    is_cut = question.sampler.horizon > LONG_RUN_ROUNDS
    return max(question.smallest, LEFT_DELTA_SHARE * min(counts_at, *LARGE_DELTAS)) if is_cut else question.smallest


@contextmanager
def within_doubles(sampler: Sampler) -> Iterator[None]:
    """A context manager that raises ValueError, with a remedy, if numbers leave the range of doubles."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except (FloatingPointError, ValueError) as error:
        remedy = "lower the variance" if sampler.variance > LOUDEST else "raise the variance or lower the horizon"
        raise ValueError(
            f"with variance {sampler.variance} and horizon {sampler.horizon}, the effect of a single reward "
            f"is outside the range of doubles; {remedy}"
        ) from error


def by_powers(question: Asked) -> Upper:
    """Returns a bound that needs no grid: by powers of the likelihood ratio, and by the largest losses."""
    powers = {side: powers_bound(question.sampler, side, many) for side, many in question.followed.items()}
    return Upper(question.sampler, question.relation, powers, {}, largest_losses(question.sampler))


def side_on_grid(bound: Upper, question: Asked, side: str, smallest: float, coarsening: float) -> SideCurve:
    """Returns the curve delta(eps) of one side, computed on a grid of likelihood ratios down to `smallest`.
    coarsening: the factor by which the grid is coarser than requested."""
    sampler = question.sampler
    grid = ratio_grid(bound, side, smallest, question.fineness / coarsening)
    if sampler.arms == 2 and sampler.horizon > MAX_LOSS_BOUND_ROUNDS:
        # As measured: lower at every goal; in short runs, not at all of them. What is not asked for has no coins.
        grid = grid._replace(goal=0, goals=tuple(each for each in GOALS if each > smallest) or GOALS[:1])
    width = POLYGON_WIDTH * coarsening / question.fineness
    found = ratios(sampler, side, grid, question.followed[side], width, bound.powers[side])
    return stored_eps(grid), getattr(found, question.relation)


def for_given_arms(sampler: Sampler, bound: Upper, smallest: float) -> tuple[Array, Array]:
    """Returns points (eps, delta) of an upper bound for the right side and the sampler's own number of arms.
    The static potential computes them. smallest: the smallest delta of interest."""
    known = arm_moments(sampler, smallest)
    eps = np.linspace(0.0, 1.2 * min(known.eps(smallest), one_sided(bound, "right", smallest)), ARM_CURVE_POINTS)
    found = [known.lost + float(el.exp(min(float(known.log_bounds(at).min()), 0.0))) for at in eps.tolist()]
    return eps, np.minimum(found, 1.0)


def largest_losses(sampler: Sampler) -> dict[str, float]:
    """Returns, for each side of the change, an upper bound on the privacy loss log(P/Q) of every run.
    With two arms the means bound the thresholds, and therefore the loss of each round.

    If the changed arm pays more on the right, a pull has no more mass on the left, and a pull of the other arm has the
    ratio Phi(u)/Phi(v) <= Phi(v + s)/Phi(v), largest at v = -low. If it pays more on the left, a pull has
    Phi(-v)/Phi(-u) <= Phi(s - u)/Phi(-u), largest at u = high. The change may come in any state. Empty for more arms,
    and long runs.
    """
    if sampler.arms != 2 or sampler.horizon > MAX_LOSS_BOUND_ROUNDS:
        return {}
    right, left = np.zeros((2, sampler.horizon + 2))  # from a state on, by pulls of the changed arm
    best_right = best_left = 0.0
    for total in range(sampler.horizon - 1, sampler.horizon - sampler.rounds - 1, -1):
        pulls = np.arange(sampler.first, total - sampler.prepulls + 1)
        shift, low, high = two_arms(sampler, pulls.astype(np.float64), total)
        waited, pulled = (log_ndtr(shift - end) - log_ndtr(-end) * (1 + LOSS_ROUNDING) for end in (low, high))
        right[pulls] = np.maximum(right[pulls] + waited, right[pulls + 1]) + LOSS_ROUNDING
        left[pulls] = np.maximum(left[pulls + 1] + pulled, left[pulls]) + LOSS_ROUNDING
        best_right, best_left = max(best_right, right[pulls].max()), max(best_left, left[pulls].max())
    return {"right": float(best_right), "left": float(best_left)}


def ratio_grid(bound: Upper, side: str, smallest: float, fineness: float) -> Grid:
    """Returns a grid of likelihood ratios that reaches up to the eps at which the bound by powers falls to `smallest`.
    It ends where the bound by powers of one side falls to this delta."""
    last = max(one_sided(bound, side, smallest), 0.1)
    # A round's chords cost at most a factor 1 + step^2/8 k (k+1) where delta falls like exp(-k eps).
    fall = log(1e6) / max(one_sided(bound, side, 1e-9) - one_sided(bound, side, 1e-3), 1e-3)
    chords = (CHORDS / (bound.sampler.horizon * fall * (fall + 1))) ** 0.5
    is_long = bound.sampler.horizon > LONG_RUN_ROUNDS
    wanted = max(chords, LEAST_STEP)
    if is_long and bound.sampler.arms == 2:
        wanted = max(chords / 2, last / LONG_RUN_STEPS) if side == "right" else max(chords, LEFT_LONG_RUN_STEP)
    step = min(last / MIN_GRID_STEPS, wanted) / fineness
    # Half as many add 6e-5 of eps, and save a tenth of the time.
    shown = MAX_SHOWN // 2 if is_long and bound.sampler.arms == 2 else MAX_SHOWN
    floor = smallest * DELTA_FLOOR_SHARE
    # On the left side mu hangs on deltas near 1, where a little of delta is much of eps.
    single = is_long and side == "right" and bound.sampler.arms in (2, None) and floor > LEAST_SINGLE
    return Grid(step, ceil(last / step) + 2, ceil(MAX_GRID_RATIO / step), floor, shown=shown, single=single)


def powers_bound(sampler: Sampler, side: str, levels: int) -> Moments:
    """Returns the bound by powers of the likelihood ratio for one side; it is coarser for the left side.
    In long runs it is the bound by the static potential.

    From `many` pulls on, further pulls count as much as this one for all remaining rounds, which over T rounds would be
    expensive: sqrt(T) times the loss of one.
    """
    if sampler.horizon > MAX_RATIO_ROUNDS:
        return static_powers(sampler, side)
    if are_priced(sampler):
        return priced_moments(sampler, side, last_counts(sampler, side, levels))
    more = FOLLOWED if side == "right" else 1.5
    many = max(int(min(sampler.rounds + 1, 60 + more * sampler.rounds**0.5)), levels + 1)
    return moments(sampler, side, many, sampler.first + levels)


def static_powers(sampler: Sampler, side: str) -> Moments:
    """The bound of one side by the static potential as `Moments`, computed in seconds for any horizon."""
    found = static_moments(sampler, side)
    return Moments(1 + found.orders, found.start, np.zeros((1, found.orders.size)))


def static_bound(sampler: Sampler, relation: str = "pull") -> Upper:
    """Returns the upper bound on delta(eps) by the static potential, for any number of arms, within seconds.
    Within seconds for any horizon, and larger than that of `certified_curve`. sampler, relation: as there. Raises
    ValueError as there."""
    with within_doubles(sampler):
        asked = sampler._replace(arms=None) if (sampler.arms or 2) > 2 else sampler
        powers = {side: static_powers(asked, side) for side in ("right", "left")}
        return Upper(sampler, relation, powers, {}, largest_losses(asked))


def theorem_curve(sampler: Sampler, relation: str = "pull") -> Upper:
    """Returns the curve of the paper's theorem as an upper bound.
    It is computed from powers (moments) of a Gaussian, which are finite for any variance."""
    log = MOMENT_ORDERS * (MOMENT_ORDERS - 1) * (sampler.theorem_mu**2 / 2) * (1 + POWER_ROUNDING)
    powers = Moments(MOMENT_ORDERS, log, np.zeros((1, MOMENT_ORDERS.size)))
    return Upper(sampler, relation, {"right": powers}, {})


def one_sided(bound: Upper, side: str, delta: float) -> float:
    """The eps at which the upper bound on delta(eps) of one side falls to delta."""
    curves = {k: v for k, v in bound.curves.items() if k == side}
    only = Upper(bound.sampler, bound.relation, {side: bound.powers[side]}, curves, any_number=bound.any_number)
    return only.eps(delta)
