"""The picture of a result: the claimed curve, the exact one, what samples certified and what they would have caught."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from dpbandits.audit.privacy.result import Result, bound_of
from dpbandits.audit.statistics.region import excess_over_region, weakest_corner
from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.bandits.noise import Array
from dpbandits.reference.claims.findings import Event, Side, rounded
from dpbandits.reference.claims.model import Basis, Verdict
from dpbandits.reference.claims.text import instance_name
from dpbandits.reference.curves import derived
from dpbandits.reference.curves.extremal_mechanisms import DRAWN_TESTS, Errors
from dpbandits.reference.curves.plot_points import adaptive_abscissae
from dpbandits.reference.curves.test_errors import delta_lower

EPSILONS = 81  # at which a profile is looked at first: where it bends in between, more follow
# Type I errors that draw a trade-off curve, on linear axes and on logarithmic ones: even in normal deviates, so that
# they lie as close where beta falls steeply as where alpha is small.
ALPHAS = np.concatenate([[0.0], ndtr(np.linspace(-8.0, 8.0, 161)), [1.0]])

Points = list[list[float]]


def figure(result: Result) -> dict[str, Any]:
    """The picture as one evidence item."""
    assert result.curve is not None
    draw = tradeoff_figure if derived.plot_kind(result.curve) == "tradeoff" else profile_figure
    return {
        "kind": derived.plot_kind(result.curve),
        "title": f"{derived.guarantee_name(result.curve)} claimed",
        "instance": instance_name(result.instance),
        **draw(result),
    }


def tradeoff_figure(result: Result) -> dict[str, Any]:
    """Beta against alpha."""
    assert result.curve is not None
    points = certified_errors(result)
    # 0.05 and the certified points, since words name the claimed value there: no chord stands for it.
    alphas = np.unique([*ALPHAS, 0.05, *(point["alpha_upper"] for point in points)])
    for log in (False, True):  # which axes it is drawn on is the report's to say
        alphas = adaptive_abscissae(partial(derived.beta_at, result.curve), alphas, log_x=log, log_y=log)
    low, high = ((), ()) if result.exact is None else result.exact.tradeoff()
    return {
        "claimed": as_points(alphas, derived.beta_at(result.curve, alphas)),
        "exact_low": [[float(alpha), float(beta)] for alpha, beta in low],
        "exact_high": [[float(alpha), float(beta)] for alpha, beta in high],
        "resolved": resolved_tradeoff(result, alphas),
        "points": points,
    }


def profile_figure(result: Result) -> dict[str, Any]:
    """Delta against eps."""
    assert result.curve is not None
    epsilons = np.linspace(0.0, largest_eps(result), EPSILONS)
    below, above = Points(), Points()
    if result.exact is not None:
        bends = adaptive_abscissae(result.exact.delta, epsilons, log_y=True)
        below, above = (as_points(bends, values) for values in result.exact.delta(bends))
    claimed = derived.profile(result.curve, adaptive_abscissae(result.curve.delta_at, epsilons, log_y=True))
    return {
        "claimed": as_points(*claimed),
        "exact_low": below,
        "exact_high": above,
        "resolved": resolved_profile(result, np.union1d(epsilons, claimed[0])),
        "points": [
            {"eps": float(eps), "delta_lower": float(certified)}
            for eps in epsilons[::4]
            if (certified := certified_delta(result, eps)) > 0
        ],
    }


def certified_errors(result: Result) -> list[dict[str, float]]:
    """The certified points from left to right: what was measured, and the errors of the region that come nearest to
    the claim, as `alpha_upper` and `beta_upper`."""
    if result.sampled is None or result.curve is None:
        return []
    found = []
    for point in sorted(result.sampled.points, key=lambda point: point.alpha):
        alpha, beta = weakest_corner(result.curve, point.region)
        found.append({"alpha": point.alpha, "beta": point.beta, "alpha_upper": alpha, "beta_upper": beta})
    return found


def resolved_errors(result: Result) -> Errors:
    """The trade-off curve of the mildest violation that would have been seen, by many of its points: that of the first
    mechanism that the resolution names; empty where there is none, and where a violation was found, which lies in no
    blind spot."""
    if not result.caught or result.curve is None or result.verdict is Verdict.REFUTED:
        return np.empty(0), np.empty(0)
    value, at, mechanism = result.caught[0]
    alpha, beta = result.curve.extremal_mechanisms[mechanism](np.array([value]), np.array([at]), DRAWN_TESTS)
    order = np.argsort(alpha[0], kind="stable")
    return np.concatenate([[0.0], alpha[0][order], [1.0]]), np.concatenate([[1.0], beta[0][order], [0.0]])


def resolved_tradeoff(result: Result, alphas: Array) -> Points:
    """Beta against alpha of the mildest violation that would have been seen: at these alphas, and where it bends."""
    alpha, beta = resolved_errors(result)
    if not alpha.size:
        return []

    def least_beta(at: Array) -> Array:
        return np.interp(at, alpha, beta)

    for log in (False, True):
        alphas = adaptive_abscissae(least_beta, alphas, log_x=log, log_y=log)
    return as_points(alphas, least_beta(alphas))


def resolved_profile(result: Result, epsilons: Array) -> Points:
    """Delta against eps of the mildest violation that would have been seen: the most that one of its tests shows."""
    alpha, beta = resolved_errors(result)
    if not alpha.size:
        return []

    def largest_delta(at: Array) -> Array:
        deltas = 1 - beta[:, None] - el.exp(at) * alpha[:, None]
        return np.asarray(np.maximum(deltas.max(axis=0), 0.0))

    epsilons = adaptive_abscissae(largest_delta, epsilons, log_y=True)
    return as_points(epsilons, largest_delta(epsilons))


def refuting_event(result: Result) -> Event | None:
    """The event by which samples refute the claim, or its complement, whichever the sides differ in by the larger
    factor; None where they do not refute it, or are of other inputs than those that are shown."""
    if result.sampled is None or result.curve is None or not result.refuted_by_samples:
        return None
    if result.pair is not result.sampled_pair:
        return None
    region = result.sampled.best.region
    # Bets, which stop by themselves, have no region: what they show is what was certified.
    shown = excess_over_region(result.curve, region) if region.alpha.size else result.sampled.excess
    amount, certified, at = map(float, shown)
    if amount <= 0:  # a divergence refutes it, and no event does by itself
        return None
    alpha, beta = result.sampled.best.alpha, result.sampled.best.beta
    chances = (alpha, 1 - beta) if beta * (1 - beta) >= alpha * (1 - alpha) else (1 - alpha, beta)
    shown_by = bound_of(result.curve, certified, Side.BELOW, at, Basis.SAMPLES, result.sampled.level)
    return Event(rounded(chances[0], Side.NEAREST), rounded(chances[1], Side.NEAREST), result.sampled.trials, shown_by)


def largest_eps(result: Result) -> float:
    """How far to the right a profile is worth drawing."""
    assert result.curve is not None
    claimed, _ = result.curve.claimed_parameters()
    ends = [1.0, *(1.5 * float(value) for value in claimed if len(claimed) == 1)]
    if result.bounds is not None:
        ends += [1.5 * value for value in (result.bounds.low, result.bounds.claimed) if np.isfinite(value)]
    if result.sampled is not None and np.isfinite(result.sampled.excess.shown):
        ends.append(1.5 * result.sampled.excess.shown)
    return float(min(50.0, max(ends)))


def certified_delta(result: Result, eps: float) -> float:
    """The largest delta at eps that the sampled points certify; 0 for none."""
    points = result.sampled.points if result.sampled is not None else ()
    return max((float(delta_lower(*point.region, eps).min()) for point in points), default=0.0)


def as_points(xs: Any, ys: Any) -> Points:
    return [[float(x), float(y)] for x, y in zip(xs, ys, strict=True)]
