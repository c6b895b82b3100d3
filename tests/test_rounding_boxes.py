"""Enclosures in doubles are as wide as is stated beside them: no narrower, and not much wider."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import inf, nextafter
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from dpbandits.proofs_checks.formulas import certificates
from dpbandits.proofs_checks.formulas.certificates import distribution_bounds, probability_of_many_options
from dpbandits.proofs_checks.vocabularies.boxes import Span, boxes, span_hull, whole_exponent
from dpbandits.proofs_checks.vocabularies.decimals import exact_fraction
from dpbandits.proofs_checks.vocabularies.rounded_doubles import (
    ABSOLUTE,
    LARGEST_DOUBLE,
    RELATIVE,
    ULPS,
    UNDERFLOW,
    double_above,
    double_below,
    ncdf_ends,
    product_below,
    product_ends,
    quotient_below,
    sum_below,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

UNIT = 2.0**-52
PLACES = (
    5e-324, 1e-310, 2.0**-1022, 1e-300, 2.0**-600, 1e-8, 0.1, 1 / 3, 0.5, 1.0, 1 + UNIT, 1.7, 2.0, 3.0, 1e8 + 0.1,
    2.0**53 + 2, 1e154, 2.0**1000, 1.7976931348623157e308,
)  # fmt: skip


def span(values: Any) -> Span:
    values = np.asarray(values, dtype=np.float64)
    closed = np.zeros(values.shape, dtype=bool)
    return Span(values, values, closed, closed, np.full(values.shape, 2, dtype=np.int8))


def below(exact: Fraction) -> float:
    """The largest double that is not above."""
    try:
        near = float(exact)
    except OverflowError:
        return LARGEST_DOUBLE if exact > 0 else -inf
    return near if Fraction(near) <= exact else nextafter(near, -inf)


# -- the four operations and the root --------------------------------------------------------------------------------

OPERATIONS = {
    "sum": (sum_below, lambda x, y: x + y),
    "product": (product_below, lambda x, y: x * y),
    "quotient": (lambda x, y: quotient_below(y) + 0 * x, lambda x, y: 1 / y),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_rounded_down_is_the_next_double_below_or_one_more(name: str) -> None:
    """Never above; exact where it is exact by a power of two or Knuth's error term, else one double further at most."""
    ours, exact = OPERATIONS[name]
    values = [sign * value for value in PLACES for sign in (1, -1)]
    pairs = list(product(values, values if name != "quotient" else [1.0]))
    if name == "quotient":
        pairs = [(1.0, value) for value in values]
    found = ours(*(np.array(side) for side in zip(*pairs, strict=True)))
    for (x, y), low in zip(pairs, found.tolist(), strict=True):
        true = exact(Fraction(x), Fraction(y))
        best = below(true)
        assert low <= best, (x, y)
        assert low >= nextafter(best, -inf), (x, y)
        whole = name == "sum" or {abs(x), abs(y)} & {0.5, 1.0, 2.0}
        if whole and best not in (inf, -inf, LARGEST_DOUBLE) and Fraction(best) == true and abs(best) > 1e-290:
            assert low == best, (x, y)


def test_products_of_moderate_numbers_are_rounded_once_and_by_powers_of_two_not_at_all() -> None:
    values = [sign * value for value in (0.25, 1 / 3, 1.0, 1.7, 2.0, 3.0, 1e8 + 0.1) for sign in (1, -1)]
    x, y = (np.array(side) for side in zip(*product(values, values), strict=True))
    lows, highs = product_ends(x, y)
    assert (product_below(x, y) == lows).all()
    for a, b, low, high in zip(x.tolist(), y.tolist(), lows.tolist(), highs.tolist(), strict=True):
        true = Fraction(a) * Fraction(b)
        if {abs(a), abs(b)} & {0.25, 1.0, 2.0}:
            assert low == high == true
        else:
            assert (low, high) == (nextafter(a * b, -inf), nextafter(a * b, inf))
            assert low < true < high


def test_what_overflows_is_large_and_what_is_infinite_stays_so() -> None:
    """A sum or product of finite numbers is at least the largest double; only a limit is infinite itself."""
    big = np.array([1e308, inf, 1e308])
    assert sum_below(big, np.array([1e308, 1e308, 1.0])).tolist() == [LARGEST_DOUBLE, inf, 1e308 - 2**970]
    assert sum_below(-big, -np.array([1e308, 1e308, 1e308])).tolist() == [-inf] * 3
    assert product_below(big, np.array([10.0, 10.0, 0.0])).tolist() == [LARGEST_DOUBLE, inf, 0]
    assert product_below(big, np.array([-10.0, -10.0, 0.0])).tolist() == [-inf, -inf, 0]
    far = 10**400
    assert [double_below(Fraction(x)) for x in (far, -far)] == [LARGEST_DOUBLE, -inf]
    assert [double_above(Fraction(x)) for x in (far, -far)] == [inf, -LARGEST_DOUBLE]


TWO_BOXES: tuple[Any, ...] = (
    lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a / b, lambda a, b: a**3 - b**2,
    lambda a, b: a**2 * b, lambda a, b: a * b**2,
)  # fmt: skip


def test_boxes_of_a_batch_do_not_lean_on_each_other() -> None:
    """One after the other gives what all at once give, whatever their signs, and also beside the limit infinity."""
    lows, highs = np.array([1.0, -3.0, 0.0, -5.0, 1e300, inf]), np.array([2.0, 4.0, 0.5, -1.5, inf, inf])
    opened = np.array([True, False, False, True, False, False])

    def boxed(which: Any, order: Any) -> Any:
        part = np.arange(6)[order][which]
        limit, sure = np.isinf(lows[part]), np.full(len(part), 2, dtype=np.int8)
        return Span(lows[part], highs[part], opened[part], ~opened[part] & ~limit, sure, limit)

    for order in (np.arange(6), np.array([3, 0, 4, 5, 2, 1])):
        for operation in TWO_BOXES:
            both = operation(boxed(slice(None), slice(None)), boxed(slice(None), order))
            for k in range(6):
                alone = operation(boxed([k], slice(None)), boxed([k], order))
                for field in ("low", "high", "low_open", "high_open", "defined", "limit"):
                    assert np.ravel(getattr(both, field))[k] == np.ravel(getattr(alone, field))[0], (k, field)
    unknown = boxed(slice(None), slice(None)) * boxed(slice(None), np.array([0, 5, 5, 5, 5, 2]))
    assert unknown.defined.tolist() == [2, 1, 1, 2, 2, 1]  # 0 times the limit infinity is anything


def test_a_hull_attains_the_end_that_one_of_both_attains() -> None:
    def side(opened: tuple[bool, ...], defined: int) -> Span:
        flags = np.array([opened[0]]), np.array([opened[1]])
        return Span(np.array([1.0]), np.array([3.0]), *flags, np.array([defined], dtype=np.int8))

    for one, two in product(product((False, True), repeat=2), repeat=2):
        found = span_hull(side(one, 2), side(two, 1))
        assert (found.low[0], found.high[0], found.defined[0]) == (1, 3, 1)
        assert (found.low_open[0], found.high_open[0]) == (one[0] and two[0], one[1] and two[1])
    apart = span_hull(span([-2.0]), span([5.0]))
    assert (apart.low[0], apart.high[0]) == (-2, 5)


def test_where_nothing_is_defined_nothing_is_known() -> None:
    line = (-inf, inf, 0)
    for found in (boxes.sqrt(span([-2.0])), boxes.log(span([-2.0])), boxes.log(span([0.0])), 1 / span([0.0])):
        assert (found.low[0], found.high[0], found.defined[0]) == line


def test_which_exponents_are_whole_numbers() -> None:
    """A box of exponents is one only where it is a single one, that is certainly defined."""
    numbers = map(exact_fraction, (7, -2, 2.0, "3", Fraction(1, 2), 0.5))
    assert [whole_exponent(x) for x in numbers] == [7, -2, 2, 3, None, None]
    assert [whole_exponent(boxes.number(x)) for x in (3, -1, "1/3", "1/2")] == [3, -1, None, None]
    shut = np.False_
    two, three, far = np.float64(2), np.float64(3), np.float64(inf)
    for low, high, defined, whole in (
        (two, two, 2, 2),
        (two, three, 2, None),
        (far, far, 2, None),
        (two, two, 1, None),
    ):
        assert whole_exponent(Span(low, high, shut, shut, np.int8(defined))) == whole
    assert whole_exponent(span([2.0, 2.0])) is None
    base = Span(np.array([-2.0]), np.array([3.0]), *(np.array([False]),) * 2, np.array([2], dtype=np.int8))
    for n in (0, 1, 2, 3, 5, 6):
        plain, written = base**n, base ** boxes.number(n)
        for field in ("low", "high", "low_open", "high_open", "defined"):
            assert (getattr(plain, field) == getattr(written, field)).all()


@pytest.mark.parametrize("power", [2, 3, 5, 6, 7])
def test_whole_powers_of_a_range_are_rounded_outwards_at_either_end(power: int) -> None:
    low, high = np.array([-1.7, -1 / 3, 0.1, -2.3]), np.array([1 / 3, 1.7, 2.3, -0.1])
    shut = np.zeros(4, dtype=bool)
    found = Span(low, high, shut, shut, np.full(4, 2, dtype=np.int8)) ** power
    for a, b, least, most in zip(low.tolist(), high.tolist(), found.low.tolist(), found.high.tolist(), strict=True):
        ends = sorted([Fraction(a) ** power, Fraction(b) ** power])
        if power % 2 == 0 and a < 0 < b:
            ends[0] = Fraction(0)
        assert Fraction(least) <= ends[0]
        assert ends[1] <= Fraction(most)
        assert float(least) == pytest.approx(float(ends[0]), rel=1e-14, abs=0)
        assert float(most) == pytest.approx(float(ends[1]), rel=1e-14, abs=0)


@pytest.mark.parametrize("low", [-1.0, 0.0, 1.0])
def test_a_power_is_defined_nowhere_that_its_parts_are_not(low: float) -> None:
    def known(least: float, most: float, defined: int) -> Span:
        shut = np.array([False])
        return Span(np.array([least]), np.array([most]), shut, shut, np.array([defined], dtype=np.int8))

    for one, two in product((0, 1, 2), (0, 1, 2)):
        found = (known(low, 4.0, one) ** known(0.5, 1.5, two)).defined[0]
        assert found == min(one, two, 1 if low < 0 else 2)
        assert (known(low, 4.0, one) ** known(-1.0, 1.5, two)).defined[0] == min(one, two, 2 if low > 0 else 1)


def test_sums_and_inverses_of_ranges_are_no_wider_than_their_ends() -> None:
    """Of either sign, and next to 0: what a range of that sign can be, rounded outwards once."""
    low, high = np.array([2.0, -3.0, 0.0, -4.0, -1.0]), np.array([3.0, -2.0, 4.0, 0.0, 2.0])
    closed = np.zeros(5, dtype=bool)
    one = Span(low, high, closed, closed, np.full(5, 2, dtype=np.int8))
    third = nextafter(1 / 3, 0)
    inverse, total = 1 / one, one + one
    assert inverse.low.tolist() == [third, -0.5, 0.25, -inf, -inf]
    assert inverse.high.tolist() == [0.5, -third, inf, -0.25, inf]
    assert (total.low.tolist(), total.high.tolist()) == ((2 * low).tolist(), (2 * high).tolist())


def test_a_root_is_enclosed_by_its_neighbours() -> None:
    values = np.array([value for value in PLACES if value < 1e300])
    root = boxes.sqrt(span(values))
    with mpmath.workdps(60):
        for x, low, high in zip(values.tolist(), root.low.tolist(), root.high.tolist(), strict=True):
            true = mpmath.sqrt(mpf(x))
            assert mpf(low) <= true <= mpf(high)
            assert (low, high) == (1.0, 1.0) if x == 1 else low < true < high or mpf(np.sqrt(x)) == true
            assert high <= nextafter(nextafter(low, inf), inf)


# -- functions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exp", "log"])
def test_exp_and_log_are_widened_by_so_many_units(name: str) -> None:
    """numpy's own are off by less than one unit, so that of ULPS all but one are seen at either end."""
    places = np.concatenate([np.linspace(-660, 700, 41), [1e-9, -1e-9, 0.3]])
    values = np.exp(places) if name == "log" else places
    found = getattr(boxes, name)(span(values))
    with mpmath.workdps(60):
        for x, low, high in zip(values.tolist(), found.low.tolist(), found.high.tolist(), strict=True):
            true = getattr(mpmath, name)(mpf(x))
            for room in ((true - mpf(low)) / abs(true), (mpf(high) - true) / abs(true)):
                assert ULPS - 1.5 <= room / UNIT <= ULPS + 1.5, x
    assert ULPS == 8  # twice what numpy's own tests allow
    one = getattr(boxes, name)(span([1.0 if name == "log" else 0.0]))
    assert one.low == one.high == (0.0 if name == "log" else 1.0)


def test_exp_beyond_the_range_of_doubles() -> None:
    found = boxes.exp(span([-745.2, -800.0, -668.0, -667.0, 709.782712893384, 710.0, 1e308]))
    assert found.low[:3].tolist() == [0, 0, 0]
    assert found.low[3] > 1e-290
    assert (found.high[:2] == 1e-290).all() or (found.high[:2] <= 2e-290).all()
    assert (found.high[:3] >= 1e-290).all()
    assert (found.low[5:] == LARGEST_DOUBLE * (1 - ULPS * UNIT)).all()
    assert (found.high[5:] == inf).all()
    assert found.low_open[:3].all()


def convergent(y: Any, levels: int) -> Any:
    """1/(y + 1/(y + 2/(y + ...))), so many fractions."""
    return 1 / (y + tail_of(y, 1, levels))


def tail_of(y: Any, k: int, levels: int) -> Any:
    return mpf(0) if k == levels else k / (y + tail_of(y, k + 1, levels))


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.first(1)
def test_the_normal_distribution_is_widened_as_derived(sign: int) -> None:
    """Below 2 by ABSOLUTE, above by RELATIVE of the tail, and by what lies between the convergents of 40 and 41 levels;
    of 1 minus a tail, a rounding comes on top."""
    sizes = np.concatenate([np.linspace(0.05, 2, 14), [nextafter(2, 3), 2.01], np.linspace(2.1, 36.4, 30)])
    low, high = ncdf_ends(sign * sizes)
    with mpmath.workdps(400):
        for y, *ends in zip(sizes.tolist(), low.tolist(), high.tolist(), strict=True):
            tail = mpmath.ncdf(-mpf(y))
            true = 1 - tail if sign > 0 else tail
            widened = mpf(ABSOLUTE) if y <= 2 else RELATIVE * tail
            apart = 0 if y <= 2 else (convergent(mpf(y), 41) - convergent(mpf(y), 40)) * mpmath.npdf(mpf(y))
            assert apart >= 0
            for room in (true - mpf(ends[0]), mpf(ends[1]) - true):
                assert room >= 0.5 * widened
                assert room <= 1.5 * widened + apart + (2 * UNIT if sign > 0 else 0) or ends[1] == 1
    assert (RELATIVE, ABSOLUTE) == (3e-13, 4e-14)


def test_the_normal_distribution_at_its_ends() -> None:
    low, high = ncdf_ends(np.array([-inf, -1e9, -37.6, -37.4, 0.0, 9.0, 37.6, inf]))
    assert low[:3].tolist() == [0, 0, 0]
    assert high[0] == 0
    assert (high[1:3] == UNDERFLOW).all()
    assert low[3] == 0  # below UNDERFLOW
    assert (low[4], high[4]) == (0.5, 0.5)
    assert 1 - 1e-15 < low[5] < 1
    assert low[6] == nextafter(1, 0)
    assert (high[5:] == 1).all()
    assert low[7] == 1
    open_ends = boxes.ncdf(span([-38.0, 38.0]))
    assert open_ends.low_open.tolist() == [True, False]
    assert open_ends.high_open.tolist() == [False, True]


# -- certificates of one among many options --------------------------------------------------------------------------


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_distribution_is_rounded_by_so_many_units(noise: str) -> None:
    """Laplace: an exponential of at most 4 units, a half, a difference; 16 are allowed."""
    x = np.concatenate([-np.geomspace(1e-3, 30, 12), [0.0], np.geomspace(1e-3, 30, 12)])
    low, high = distribution_bounds(noise, x, x)
    with mpmath.workdps(40):
        for at, *ends in zip(x.tolist(), low.tolist(), high.tolist(), strict=True):
            e = mpmath.exp(-abs(mpf(at))) / 2
            true = mpmath.ncdf(mpf(at)) if noise == "gaussian" else e if at <= 0 else 1 - e
            assert mpf(ends[0]) <= true <= mpf(ends[1])
            if noise == "laplace":
                assert 14 * UNIT <= 1 - mpf(ends[0]) / true <= 18 * UNIT
                assert 14 * UNIT <= mpf(ends[1]) / true - 1 <= 18 * UNIT
    apart = distribution_bounds(noise, np.array([-1.0]), np.array([1.0]))
    assert apart[0] < 0.4 < 0.6 < apart[1]


def test_sums_of_cells_are_rounded_outwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """With distributions that are known: the sum of masses times products at the near end or the far one of each cell;
    below the first point, and above the last, only the upper sum has something. 20 000 additions and a few factors
    are 2.3e-12 at most; 1e-10 is allowed."""
    asked: list[tuple[Any, Any]] = []

    def known(noise: str, one: Any, other: Any) -> tuple[Any, Any]:
        asked.append((one, other))
        step = np.linspace(0, 1, len(one))
        if len(asked) == 1:
            return 0.01 + 0.96 * step, 0.02 + 0.96 * step
        return (0.5 + 0.25 * step, 0.6 + 0.25 * step)

    monkeypatch.setattr(certificates, "distribution_bounds", known)
    centres, scales = [Fraction(1, 3), Fraction(-7), Fraction(1, 10)], [Fraction(1), Fraction(3), Fraction(1, 7)]
    found = probability_of_many_options("gaussian", centres, scales, 0, 4)
    steps = [Fraction(k, 4) for k in range(5)]
    near, far = ([(Fraction(start) + k / 4) ** 2 for k in steps] for start in (Fraction(1, 2), Fraction(3, 5)))
    mass = Fraction(24, 100)
    least = sum((mass - Fraction(1, 100)) * value for value in near[:-1])
    most = sum((mass + Fraction(1, 100)) * value for value in far[1:]) + Fraction(2, 100) * far[0] + Fraction(3, 100)
    coarse = 2.0 ** (1 - certificates.INTEGRAL_END_BITS)  # what is written has so many bits
    for outward in (float(1 - found.low / least), float(found.high / most - 1)):
        assert 0.999e-10 <= outward <= 1.001e-10 + coarse
    grid = np.sign(np.linspace(-1, 1, 5)) * np.linspace(-1, 1, 5) ** 2 * 38
    assert (asked[0][0] == grid).all()
    for (one, other), mean, scale in zip(asked[1:], centres[1:], scales[1:], strict=True):
        for x, below_, above_ in zip(grid.tolist(), one.tolist(), other.tolist(), strict=True):
            part, lead = Fraction(x) / scale, (Fraction(1, 3) - mean) / scale
            # Both quotients, the product and the sum are rounded: three half units of the parts, four units allowed.
            room = 4 * UNIT * float(abs(part) + abs(lead))
            for end in (part + lead - Fraction(below_), Fraction(above_) - part - lead):
                assert 0.6 * room <= float(end) <= 1.4 * room


def test_laplace_noise_reaches_as_far_as_an_exponential() -> None:
    """At 700 scales e^-700 is left, of which nothing is lost; the normal tail ends at 38."""
    half = probability_of_many_options("laplace", [Fraction(0)] * 3, [Fraction(1)] * 3, 1)
    assert half.low < Fraction(1, 3) < half.high
    assert half.high - half.low < Fraction(1, 500)
