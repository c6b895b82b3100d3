"""The checker's chance of a wedge of two noisy values, one-sided ones too, against an integral by others."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import mpmath
import pytest
from scipy import stats
from scipy.integrate import quad

from dpbandits.proofs_checks.checker.intervals import high, low
from dpbandits.proofs_checks.checker.wedges import read_wedge, wedge_probability

LAWS: Any = {"gaussian": stats.norm, "laplace": stats.laplace}
SLOPES = [
    (None, None),
    (0, None),
    (None, 0),
    (None, Fraction(1, 2)),
    (Fraction(-1, 3), None),
    (-1, 2),
    (1, None),
    (1, 3),
]


@pytest.mark.parametrize("noise", LAWS)
@pytest.mark.parametrize("slopes", SLOPES)
@pytest.mark.first(8)
def test_the_chance_of_a_wedge(noise: str, slopes: Any) -> None:
    """P(X > 0 and least X <= Y <= most X), X about 1/3 with scale 1/2, Y about -1/4 with scale 2."""
    x, y = (Fraction(1, 3), Fraction(1, 2)), (Fraction(-1, 4), Fraction(2))
    law = LAWS[noise]
    first, second = (law(float(centre), float(scale)) for centre, scale in (x, y))
    edges = [None if slope is None else float(slope) for slope in slopes]

    def strip(at: float) -> float:
        low, high = (
            missing if edge is None else second.cdf(edge * at) for edge, missing in zip(edges, (0, 1), strict=True)
        )
        return float(first.pdf(at) * (high - low))

    true = quad(strip, 0, 1 / 3)[0] + quad(strip, 1 / 3, inf)[0]
    found = wedge_probability(noise, x, [y], tuple(None if slope is None else Fraction(slope) for slope in slopes))
    ends = float(low(found)), float(high(found))
    assert ends[0] <= true * (1 + 1e-9)
    assert ends[1] >= true * (1 - 1e-9)
    assert ends[1] - ends[0] < 0.05 * true


@pytest.mark.parametrize(
    "slopes", [(1, None), (-1, None), (None, 1), (None, -1), (1, 3), (-1, 1), (-3, -1), (0, 1), (-1, 0)]
)
@pytest.mark.first(4)
def test_a_wedge_of_normal_values_is_enclosed_by_few_cells_too(slopes: Any) -> None:
    """Whether its edges rise or fall: from cells that are not halved, whose bounds are far apart."""
    first, second = stats.norm(1 / 3, 0.5), stats.norm(-1 / 4, 2)

    def strip(at: float) -> float:
        low, high = (
            missing if slope is None else second.cdf(slope * at) for slope, missing in zip(slopes, (0, 1), strict=True)
        )
        return float(first.pdf(at) * (high - low))

    true = quad(strip, 0, 1 / 3)[0] + quad(strip, 1 / 3, inf)[0]
    lines = (Fraction(1, 3), Fraction(1, 2)), [(Fraction(-1, 4), Fraction(2))]
    edges = tuple(None if slope is None else Fraction(slope) for slope in slopes)
    found = wedge_probability("gaussian", *lines, edges, cells=1)
    cuts = [0, *(1 / 3 + k / 2 for k in range(0, 13)), 16]
    least = most = 0.0
    for a, b in pairwise(cuts):
        ends = [
            [missing] * 2 if slope is None else [second.cdf(slope * x) for x in (a, b)]
            for slope, missing in zip(slopes, (0, 1), strict=True)
        ]
        mass = first.cdf(b) - first.cdf(a)
        least += mass * max(min(ends[1]) - max(ends[0]), 0)
        most += mass * max(max(ends[1]) - min(ends[0]), 0)
    assert float(low(found)) == pytest.approx(least, rel=1e-6)
    assert float(high(found)) == pytest.approx(most, rel=1e-6)
    assert least < true < most


@pytest.mark.parametrize("noise", LAWS)
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(-41)])
@pytest.mark.parametrize("y", [Fraction(1, 3), Fraction(-2, 7)])
def test_a_quadrant_is_enclosed_to_the_last_digits(noise: str, x: Fraction, y: Fraction) -> None:
    """P(X > 0) P(Y >= 0): all that its ends are apart by is rounding, and it is outward; also far out."""
    found = wedge_probability(noise, (x, Fraction(1)), [(y, Fraction(2))], (Fraction(0), None))
    with mpmath.workdps(60):
        parts = [mpmath.mpf(x.numerator) / x.denominator, mpmath.mpf(y.numerator) / y.denominator / 2]
        normal = noise == "gaussian"
        chances = [mpmath.ncdf(x) if normal else 1 - mpmath.exp(-x) / 2 if x > 0 else mpmath.exp(x) / 2 for x in parts]
        true = chances[0] * chances[1]
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in map(Fraction, (low(found), high(found)))]
        assert ends[0] <= true <= ends[1]
        assert ends[1] - ends[0] < 1e-12 * true


def test_where_half_planes_meet_right_of_zero() -> None:
    """y >= 2x, y <= 3x and y >= -x leave the slopes from 2 to 3; a wedge without width is none."""
    above, below, loose = (-2, 1), (3, -1), (1, 1)
    exact = [tuple(map(Fraction, each)) for each in (above, below, loose)]
    assert read_wedge(exact) == (2, 3)
    assert read_wedge(exact[:1]) == (2, None)
    assert read_wedge(exact[1:2]) == (None, 3)
    assert read_wedge([*exact[:2], (Fraction(0), Fraction(-1))]) is None
    assert read_wedge([(Fraction(1),)]) == (None, None)
    assert read_wedge([(Fraction(-1),)]) is None
    assert read_wedge([(Fraction(2), Fraction(-1)), exact[0]]) is None
