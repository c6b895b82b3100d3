"""Curves in the report: on the screen they run where their formulas run, within a pixel."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import exp, log, log1p, nan
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpbandits import Approximate, Gaussian
from dpbandits.audit.privacy.evidence import result_figures as pictures_of
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.statistics.events import CertifiedTrials
from dpbandits.audit.statistics.region import Excess
from dpbandits.audit.statistics.resolution import Resolution
from dpbandits.reference.curves import Family
from dpbandits.reference.curves.curve import Curve
from dpbandits.reference.curves.derived import adaptive_abscissae
from dpbandits.reports import figures

PIXEL = 0.75  # of a point


class Kinked:
    """An exact engine that knows three losses: log 8 and log 2 on the left, less on the right."""

    @staticmethod
    def delta(eps: Any) -> tuple[Any, Any]:
        left, right = np.array([[0.4, 0.5, 0.1], [0.05, 0.25, 0.7]])
        value = np.maximum(left[:, None] - np.exp(eps) * right[:, None], 0.0).sum(axis=0)
        return value, value


def drawn(item: dict[str, Any], variable: str) -> np.ndarray:
    """The corners of the item's curve in this colour, in pixels: (n, 2)."""
    drawing = figures.draw(item, "x").svg
    path = next(
        found[1]
        for found in re.finditer(r'<path d="([^"]+)"[^>]*>', drawing)
        if "clip-path" in found[0] and f"stroke: var(--{variable})" in found[0]
    )
    return np.array(re.findall(r"-?[\d.]+", path), float).reshape(-1, 2) / PIXEL


def off(corners: np.ndarray, curve: np.ndarray) -> float:
    """How far the curve gets from the line with these corners: both (n, 2), in pixels."""
    first, step = corners[:-1], np.diff(corners, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-12)
    share = np.clip(((curve[:, None] - first) * step).sum(axis=2) / length, 0, 1)
    return float(np.linalg.norm(curve[:, None] - first - share[..., None] * step, axis=2).min(axis=1).max())


def on_screen(corners: np.ndarray, ends: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """The curve in pixels, where its first and its last point, `ends`, are the first and last corner."""
    scale = (corners[-1] - corners[0]) / (ends[1] - ends[0])
    return corners[0] + (curve - ends[0]) * scale


def worst(item: dict[str, Any], part: str, formula: Callable[[np.ndarray], Any], low: float, high: float) -> float:
    """How far the picture's curve is from delta = formula(eps), anywhere between the two eps."""
    corners = drawn(item, "claimed" if part == "claimed" else "exact")
    ends = np.array([item[part][0], item[part][-1]], float)
    eps = np.linspace(low, high, 1000)
    scaled = [np.column_stack([x, np.log(y)]) for x, y in ((ends[:, 0], ends[:, 1]), (eps, formula(eps)))]
    return off(corners, on_screen(corners, *scaled))


def theorem_7(m: Any, delta: Any) -> Any:
    return m.sqrt(m.log(m.number(1) / (2 * delta))) / (2 * m.sqrt(m.number(2)))


def test_a_family_is_drawn_as_its_formula() -> None:
    """Theorem 7 of ou24 for two arms: delta = exp(-8 eps^2)/2."""
    item = pictures_of(Result("", Family(theorem_7, 1e-4, 0.5)))[0]
    last = float(item["claimed"][-1][0])
    assert 0.99 < last < 1
    assert worst(item, "claimed", lambda eps: np.exp(-8 * eps**2) / 2, 0, last) < 1
    item["claimed"] = item["claimed"][::12] + item["claimed"][-1:]  # too few of them would be seen
    assert worst(item, "claimed", lambda eps: np.exp(-8 * eps**2) / 2, 0, last) > 1


@pytest.mark.parametrize("mu", [0.5, 3.0])
@pytest.mark.first(1)
def test_a_gaussian_is_drawn_as_its_formula(mu: float) -> None:
    item = pictures_of(Result("", Gaussian(mu)))[0]
    alpha = np.linspace(0, 1, 2000)
    ends = np.array([item["claimed"][0], item["claimed"][-1]])
    curve = np.column_stack([alpha, ndtr(-ndtri(alpha) - mu)])
    corners = drawn(item, "claimed")
    assert off(corners, on_screen(corners, ends, curve)) < 1
    item["claimed"] = item["claimed"][::16] + item["claimed"][-1:]
    corners = drawn(item, "claimed")
    assert off(corners, on_screen(corners, ends, curve)) > 1


def test_a_gaussian_is_drawn_as_its_formula_on_logarithmic_axes() -> None:
    """There it hugs both axes; two certified points say where on the screen numbers are."""
    mu, known = 9.0, np.array([[1e-7, 0.1], [0.01, 1e-7]])
    item = pictures_of(Result("", Gaussian(mu)))[0]
    item["points"] = [{"alpha": a, "beta": b, "alpha_upper": a, "beta_upper": b} for a, b in known]
    found = re.findall(r'<use href="[^"]+" x="([^"]+)" y="([^"]+)"', figures.draw(item, "x").svg)
    ends = np.array(found[-2:], float) / PIXEL
    alpha = ndtr(np.linspace(-5.3, 5.3 - mu, 1000))  # all of it in the frame
    curve = np.log(np.column_stack([alpha, ndtr(-ndtri(alpha) - mu)]))
    corners = drawn(item, "claimed")
    assert off(corners, on_screen(ends, np.log(known), curve)) < 1


def seeing(curve: Curve, *found: Resolution) -> dict[str, Any]:
    """The picture of an audit of this claim that certified nothing, and would have seen these violations."""
    nothing = CertifiedTrials((), None, Excess(-1.0, 0.0, 0.0), found, 1000, 1e-6)  # type: ignore[arg-type]
    return pictures_of(Result("", curve, sampled=nothing))[0]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("curve", "found", "formula"),
    [
        (Gaussian(1.0), Resolution(1.4, nan, "Gaussian"), lambda alpha: ndtr(-ndtri(alpha) - 1.4)),
        (Gaussian(6.0), Resolution(7.5, nan, "Gaussian"), lambda alpha: ndtr(-ndtri(alpha) - 7.5)),
    ],
)
@pytest.mark.first(2)
def test_what_would_be_seen_is_drawn_as_its_formula(
    curve: Curve, found: Resolution, formula: Callable[[np.ndarray], Any], log: bool
) -> None:
    """The edge of the band is the trade-off curve of the mechanism that the resolution names, on either axes."""
    item = seeing(curve, found)
    resolved = np.array(item["resolved"])
    ends = np.array([1e-6, 1 - 1e-6]) if log else np.array([0.0, 1.0])
    alpha = np.exp(np.linspace(*np.log(ends), 3000)) if log else np.linspace(*ends, 3000)
    beta = formula(alpha)
    shown = beta > 1e-6 if log else beta >= 0

    def screen(curve: np.ndarray) -> np.ndarray:
        """In pixels of a square of 280."""
        return 280 / np.log(1e6) * np.log(np.maximum(curve, 1e-15)) if log else 280 * curve

    true = screen(np.column_stack([alpha, beta])[shown])
    assert off(screen(resolved), true) < 1
    few = np.stack(curve.extremal_mechanisms[found.mechanism](np.array([found.value]), np.array([found.at])), axis=2)[0]
    if log and found.value < 2:  # those that a resolution is made of stop at four standard deviations
        assert off(screen(few[np.argsort(few[:, 0])]), true) > 1


@pytest.mark.parametrize(
    ("found", "shift"),
    [(Resolution(1.5, 0.0, "Laplace"), 1.5), (Resolution(1.2, 0.01, "Laplace"), 1.2 - 2 * log1p(-0.01))],
)
def test_what_would_be_seen_of_laplace_noise(found: Resolution, shift: float) -> None:
    """It is drawn as its profile, 1 - exp((eps - shift)/2)."""
    item = seeing(Approximate(1.0, found.at), found)
    eps, delta = np.array(item["resolved"]).T
    fine = np.linspace(0, shift - 0.05, 1000)
    true = 1 - np.exp((fine - shift) / 2)
    scale = 280 / log(1e4)
    corners = np.column_stack([eps * 400 / eps[-1], scale * np.log(np.maximum(delta, 1e-4))])
    assert off(corners, np.column_stack([fine * 400 / eps[-1], scale * np.log(true)])) < 1


@pytest.mark.thorough
def test_bends_stand_where_they_are() -> None:
    """Pure DP bends at its eps, and an exact profile wherever a loss is passed; on its way to zero it is followed."""
    item = pictures_of(Result("", Approximate(1.0, 0.01), exact=Kinked()))[0]  # type: ignore[arg-type]
    promised = Approximate(1.0, 0.01)
    assert worst(item, "claimed", lambda eps: promised.delta_at(eps), 0, 1.5) < 1
    shown = [eps for eps, delta in item["exact_low"] if delta > 0]
    item |= {part: [point for point in item[part] if point[1] > 0] for part in ("exact_low", "exact_high")}
    assert worst(item, "exact_low", lambda eps: Kinked.delta(eps)[0], 0, shown[-1]) < 1
    few = item | {part: item[part][::20] + item[part][-1:] for part in ("exact_low", "exact_high")}
    assert worst(few, "exact_low", lambda eps: Kinked.delta(eps)[0], 0, shown[-1]) > 1


@pytest.mark.parametrize("at", [0.3, 1.234, 4.99])
def test_a_fall_is_found(at: float) -> None:
    """Where a curve falls at once, the line that draws the fall is no wider than a pixel."""
    x = adaptive_abscissae(lambda eps: np.where(eps < at, 0.5, 0.01), np.linspace(0, 5, 81), log_y=True)
    around = x[np.searchsorted(x, at) - 1], x[np.searchsorted(x, at)]
    assert around[1] - around[0] < 5 / 400


def test_straight_lines_need_no_more_points() -> None:
    x = np.linspace(0, 5, 11)
    assert adaptive_abscissae(lambda eps: np.exp(-eps), x, log_y=True).tolist() == x.tolist()
    assert adaptive_abscissae(lambda eps: 1 - eps / 5, x).tolist() == x.tolist()
    assert adaptive_abscissae(lambda eps: 3.0 + 0 * eps, x).tolist() == x.tolist()
    assert len(adaptive_abscissae(lambda eps: np.stack([1 - eps / 5, np.exp(-exp(1) * eps)]), x)) > 20
    x = np.geomspace(0.01, 100, 11)
    assert adaptive_abscissae(np.log, x, log_x=True).tolist() == x.tolist()
    assert adaptive_abscissae(lambda at: at**-0.5, x, log_x=True, log_y=True).tolist() == x.tolist()
    assert len(adaptive_abscissae(lambda at: np.log(at) ** 2, x, log_x=True)) > 20


CURVES = {
    "a root": (np.sqrt, np.linspace(0, 1, 4), False, False),
    "a normal curve": (lambda x: ndtr(-3 - ndtri(x)), np.linspace(0, 1, 3), False, False),
    "a narrow bell": (lambda x: np.exp(-(((x - 0.3) / 0.02) ** 2)), np.linspace(0, 1, 21), False, False),
    "a power on logarithmic axes": (lambda x: x**2 / (1 + 1e6 * x**3), np.geomspace(1e-6, 1, 5), True, True),
    "two at once": (lambda x: np.stack([x**3, np.cos(5 * x)]), np.linspace(0, 2, 5), False, False),
}


@pytest.mark.parametrize("name", CURVES)
def test_lines_between_the_places_are_the_curve_on_a_screen(name: str) -> None:
    """To half a pixel, at many points between; and not by very many places."""
    curve, x, log_x, log_y = CURVES[name]
    found = adaptive_abscissae(curve, x, log_x, log_y)
    assert set(x) <= set(found)
    assert len(found) < 300
    across, up = ((np.log if log else np.asarray) for log in (log_x, log_y))
    fine = (np.geomspace if log_x else np.linspace)(x[0], x[-1], 20_001)
    for line, exact in zip(np.atleast_2d(up(curve(found))), np.atleast_2d(up(curve(fine))), strict=True):
        scale = np.ptp(up(curve(x))) / 280
        steep = 1 + np.abs(np.gradient(exact, across(fine))) * np.ptp(across(fine)) / 400 / scale
        assert (np.abs(np.interp(across(fine), across(found), line) - exact) <= 0.5 * scale * steep).all()


def test_a_violation_is_said_also_where_axes_cannot_show_it() -> None:
    """The place where the exact curve lies farthest below the claimed one; nothing where it does not."""
    alphas = np.array([0.0, 0.5, 1.0])

    def words_of(claimed: list[float], exact: list[float]) -> str:
        curves = {"claimed": claimed, "exact_low": exact, "exact_high": exact}
        item = {name: np.column_stack([alphas, betas]).tolist() for name, betas in curves.items()}
        return figures.tradeoff({**item, "points": []}, "a").words

    assert "At α = 0.5 the exact curve has β = 0.2, and the claimed curve 0.4." in words_of([1, 0.4, 0], [1, 0.2, 0])
    small = words_of([1, 0.201, 0], [1, 0.2, 0])
    assert "and the claimed curve 0.201, which is too small a difference for these axes." in small
    for exact in ([1, 0.4, 0], [1, 0.45, 0]):
        assert "and the claimed curve" not in words_of([1, 0.4, 0], exact)
