"""Laws of selections at 50 digits and more, by the plainest means: what the quadrature in doubles is held against.

Between Laplace noises the integrand is a sum of exponentials on each piece between kinks: multiplied out, which costs
digits, of which there are enough. Between normals it is a trapezoidal rule that must agree with its own midpoints.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import mpmath
import numpy as np

from dpbandits.reference.bandits.release_laws.selections import NORMAL

DIGITS = 50


def below(kind, z):
    """P(Z <= z)."""
    if kind.name == "normal":
        return mpmath.erfc(-z / mpmath.sqrt(2)) / 2
    return mpmath.exp(z) / 2 if z < 0 else 1 - mpmath.exp(-z) / 2


def between(kind, low, high):
    """P(low < Z <= high), without a difference of numbers near 1."""
    if low + high > 0:
        low, high = -high, -low
    return below(kind, high) - below(kind, low)


def far(kind, gap, a, b):
    """P(a Z - b Z' > gap) for independent Z and Z', at any gap: in closed form."""
    gap, a, b = (mpmath.mpf(float(x)) for x in (gap, a, b))
    if kind.name == "normal":
        return below(kind, -gap / mpmath.sqrt(a * a + b * b))
    if gap < 0:
        return 1 - far(kind, -gap, a, b)
    if a == b:
        return mpmath.exp(-gap / a) * (2 + gap / a) / 4
    return (a * a * mpmath.exp(-gap / a) - b * b * mpmath.exp(-gap / b)) / (2 * (a * a - b * b))


def selected(kind, centres, scales, chosen, width=None):
    """P(exactly the chosen are kept); width None: as the top ones."""
    return (normal if kind.name == "normal" else laplace)(centres, scales, chosen, width)


# -- Laplace ---------------------------------------------------------------------------------------------------------


def laplace(centres, scales, chosen, width):
    """All numbers are exact fractions, but for the exponentials."""
    c, s = ([Fraction(float(x)) for x in each] for each in (centres, scales))
    w = Fraction(0 if width is None else float(width))
    kinks = sorted({*c, *(x + w for x in c)})
    with mpmath.workdps(150):
        total = mpmath.mpf(0)
        for low, high in zip([None, *kinks], [*kinks, None], strict=True):
            middle = high - 1 if low is None else low + 1 if high is None else (low + high) / 2
            for own in np.flatnonzero(chosen):
                sign = 1 if middle < c[own] else -1
                terms = {sign / s[own]: mpmath.exp(real(-sign * c[own] / s[own])) / (2 * real(s[own]))}
                for j in range(len(c)):
                    if j != own:
                        terms = product(terms, factor(c[j], s[j], w, middle, chosen[j], width is None))
                total += sum((integral(rate, much, low, high) for rate, much in terms.items()), mpmath.mpf(0))
        return total


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def cdf(centre, scale, middle):
    """F on the piece around `middle`, as {rate: coefficient}."""
    if middle < centre:
        return {1 / scale: mpmath.exp(real(-centre / scale)) / 2}
    return {Fraction(0): mpmath.mpf(1), -1 / scale: -mpmath.exp(real(centre / scale)) / 2}


def factor(centre, scale, width, middle, kept, is_top):
    if not kept:
        return cdf(centre + width, scale, middle)
    if is_top:
        return added({Fraction(0): mpmath.mpf(1)}, cdf(centre, scale, middle), -1)
    return added(cdf(centre, scale, middle), cdf(centre + width, scale, middle), -1)


def added(one, other, sign):
    out = defaultdict(mpmath.mpf, one)
    for rate, much in other.items():
        out[rate] += sign * much
    return out


def product(one, other):
    out = defaultdict(mpmath.mpf)
    for rate, much in one.items():
        for more, by in other.items():
            out[rate + more] += much * by
    return out


def integral(rate, much, low, high):
    """int much e^(rate x) dx; what does not vanish at an infinite end has cancelled to nothing."""
    if low is None or high is None:
        end, sign = (high, 1) if low is None else (low, -1)
        return sign * much * mpmath.exp(real(rate * end)) / real(rate) if rate * sign > 0 else mpmath.mpf(0)
    if rate == 0:
        return much * real(high - low)
    return much * (mpmath.exp(real(rate * high)) - mpmath.exp(real(rate * low))) / real(rate)


# -- normal ----------------------------------------------------------------------------------------------------------


def normal(centres, scales, chosen, width):
    with mpmath.workdps(30):
        c, s = ([mpmath.mpf(float(x)) for x in each] for each in (centres, scales))
        w = mpmath.mpf(0 if width is None else float(width))
        return mpmath.fsum(one_normal(c, s, w, chosen, width is None, int(own)) for own in np.flatnonzero(chosen))


def one_normal(c, s, w, chosen, is_top, own, kind=NORMAL):
    alike = Counter((c[j], s[j], bool(chosen[j])) for j in range(len(c)) if j != own)

    def value(x):
        out = mpmath.npdf((x - c[own]) / s[own]) / s[own]
        for (centre, scale, kept), many in alike.items():
            y = (x - centre) / scale
            if is_top:
                out *= below(kind, -y if kept else y) ** many
            else:
                out *= (between(kind, y - w / scale, y) if kept else below(kind, y - w / scale)) ** many
        return out

    step = min(s) / (3 + mpmath.sqrt(2 * len(c)))
    # The integrand has one peak: uphill from the middle of the centres, in strides that shrink.
    peak, stride = sum(c) / len(c), 64 * max(s)
    here = value(peak)
    while stride > step:
        there, x = max((value(x), x) for x in (peak - stride, peak + stride))
        if there > here:
            here, peak = there, x
        else:
            stride /= 2
    sums = []
    for offset in (0, step / 2):
        total, floor = mpmath.mpf(0), here * mpmath.mpf(10) ** -22
        for direction in (-1, 1):
            x = peak + offset + (step if direction > 0 else 0)
            while (height := value(x)) > floor:
                total += height
                x += direction * step
        sums.append(step * total)
    assert abs(sums[0] - sums[1]) < sums[0] * mpmath.mpf(10) ** -18
    return (sums[0] + sums[1]) / 2
