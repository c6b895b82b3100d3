"""Laws of selections: against 50 digits in every tail, and never further off than they say."""

from __future__ import annotations

import pickle

import mpmath
import numpy as np
import pytest
from scipy.special import log_ndtr
from selection_twins import DIGITS, between, far, selected

from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.arithmetic.elementary import UNIT_ROUNDOFF
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, argmax, integrals, laws, survivors, top
from dpbandits.reference.bandits.release_laws.selections.integrals import (
    GaussRule,
    log_integrals,
    panels,
    region,
    trapezoid,
)
from dpbandits.reference.bandits.release_laws.selections.noises import laplace_log_window, normal_log_window
from dpbandits.reference.papers.chen24.algorithms.fans import combined

FIRST_TWO = np.array([[True, True, False]])
both = pytest.mark.parametrize("kind", [NORMAL, LAPLACE], ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(DIGITS):
        yield


def off(log, exact):
    """How far a logarithm lies from that of an exact number."""
    return abs(float(mpmath.mpf(float(log)) - mpmath.log(exact)))


# -- what the error bounds take for granted --------------------------------------------------------------------------


def test_the_logarithm_of_the_normal_distribution_is_as_exact_as_believed():
    for x in np.concatenate([-np.geomspace(1e-3, 300, 40), np.geomspace(1e-3, 38, 20)]):
        exact = mpmath.log(mpmath.erfc(-mpmath.mpf(float(x)) / mpmath.sqrt(2)) / 2)
        assert abs(mpmath.mpf(float(log_ndtr(x))) - exact) <= 8 * UNIT_ROUNDOFF * (1 + abs(exact))


@pytest.mark.parametrize(("kind", "window"), [(NORMAL, normal_log_window), (LAPLACE, laplace_log_window)])
def test_windows_of_every_width_at_every_place(kind, window):
    for place in (-90.0, -7.5, -0.3, 0.0, 0.2, 3.0, 60.0):
        for width in (1e-9, 1e-3, 0.4, 2.0, 30.0):
            exact = between(kind, mpmath.mpf(place) - mpmath.mpf(width), mpmath.mpf(place))
            slope = kind.slope(np.array(place), np.array(width))
            allowed = UNIT_ROUNDOFF * (40 * (1 + abs(float(mpmath.log(exact)))) + slope * (abs(place) + width))
            assert off(window(np.array([place]), np.array([width]))[0], exact) <= allowed


def test_how_fast_a_window_may_change_with_its_ends():
    """Between normals six times 1 + the distance of the window's lower half from 0; between Laplace numbers twice 1."""
    y, v = np.array([-3.0, 5.0, 1.0, 0.25, 9.0]), np.array([np.inf, 2.0, np.inf, 1.0, 18.0])
    assert NORMAL.slope(y, v) == pytest.approx([24.0, 24.0, 6.0, 6.0, 6.0], rel=1e-15, abs=0)
    assert LAPLACE.slope(y, v).tolist() == 5 * [2.0]
    for place, width in ((-3.0, 2.0), (-0.4, 1.5), (2.0, 2.5), (7.0, 2.0)):
        inside = between(NORMAL, mpmath.mpf(place - width), mpmath.mpf(place))
        ends = max(mpmath.npdf(place - width), mpmath.npdf(place)) / inside
        assert ends < NORMAL.slope(np.array(place), np.array(width))


# -- where an integrand lives, and how exact a panel is --------------------------------------------------------------


@both
@pytest.mark.parametrize("window", [np.inf, 0.3, 20.0])
def test_an_integrand_is_cut_where_it_has_fallen_far_enough_and_not_much_beyond(kind, window):
    """By e^-45 on either side, from a point between that is within e^-1/2 of the peak."""
    rng = np.random.default_rng(4)
    lead = np.array([[0.0, 0.0], [300.0, -2.0], [-80.0, 1.0], [-3.0, 40.0], [5.0, -600.0]])
    ratio = rng.choice([-1.0, 1.0], (5, 2)) * 10.0 ** rng.uniform(-1.5, 1.5, (5, 2))
    products = integrals.Products(lead, ratio, np.full((5, 2), window), np.abs(lead))
    low, high = integrals.region(kind, products)
    for row in range(5):
        mine = integrals.Products(*(np.repeat(part[[row]], 4001, axis=0) for part in products))
        curve = integrals.log_integrand(kind, mine, np.linspace(low[row], high[row], 4001))
        for end in (curve[0], curve[-1]):
            assert integrals.DROP - 0.01 <= curve.max() - end < 1.15 * integrals.DROP + 1


def panel_s_bound(lead, ratio, window, left, right):
    """The bound of `log_bound` for one panel, factor by factor: what is an exponential counts by its rate, and what is
    not by its largest value in the ellipse over its least one, at an end of the panel."""
    middle, half = (left + right) / 2, (right - left) / 2
    q = integrals.ELLIPSE
    axis = (q + 1 / q) / 2
    rate, rest = -np.sign(middle), 0.0
    for a, r, v in zip(lead, ratio, window, strict=True):
        y, reach = a + r * middle, abs(r) * half

        def modulus(h, reach=reach):  # of 1 - e^-h
            decay = np.exp(axis * reach - h)
            return min(1 + decay, (h + axis * reach) * max(1, decay))

        if y <= 0:
            rate += r  # the window ends below 0: e^y
        elif y >= v:
            rate -= r  # it begins above 0: e^-y
        elif v == np.inf:
            rest += np.log(1 + np.exp(axis * reach - y) / 2)
            rest -= np.log(min(1 - np.exp(-max(y + way * reach, 0)) / 2 for way in (-1, 1)))
        else:
            rest += np.log((modulus(y) + modulus(v - y)) / 2)
            rest -= np.log(
                min((2 - np.exp(-(y + way * reach)) - np.exp(-(v - y - way * reach))) / 2 for way in (-1, 1))
            )
    return np.log(4 / (q - 1)) - (2 * len(integrals.PANEL_NODES) - 1) * np.log(q) + axis * abs(rate) * half + rest


@pytest.mark.parametrize(("left", "right"), [(0.5, 0.9), (-1.1, -1.0), (2.0, 2.01), (-0.6, 0.0)])
def test_the_bound_of_a_panel_is_that_of_its_factors(left, right):
    """No panel crosses a kink: neither 0 nor the end of a window lies inside, though one may begin there."""
    lead = np.array([[0.1, -4.0, 30.0, 3.0, 12.0, -0.5], [4.0, 2.0, -9.0, 1.5, -20.0, -0.5]])
    ratio = np.array([[0.05, -1.5, 3.0, -0.25, 0.5, 1.0], [-0.5, 0.5, 0.7, -0.6, -2.0, 1.0]])
    window = np.array([[np.inf, np.inf, 2.0, np.inf, 40.0, np.inf], [9.0, 6.0, 2.0, np.inf, 3.0, 2.5]])
    found = integrals.log_bound(
        integrals.Products(lead, ratio, window, np.abs(lead)), np.full(2, left), np.full(2, right)
    )
    for row in range(2):
        wanted = panel_s_bound(lead[row], ratio[row], window[row], left, right)
        assert found[row] == pytest.approx(wanted, rel=1e-12, abs=0)


# -- two numbers, in closed form -------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("scales", [(1.0, 1.0), (0.25, 2.0), (1.0, 0.01)])
def test_two_numbers_at_all_gaps(kind, scales):
    gaps = np.array([0.0, 0.5, 3.0, 20.0, 100.0]) * max(scales)
    centres = np.column_stack([np.zeros(len(gaps)), gaps])
    width = 0.75
    first, kept = argmax(kind, centres, scales), survivors(kind, centres, scales, width)
    assert kept.sets.tolist() == [[True, False], [False, True], [True, True]]
    for row, gap in enumerate(gaps):
        one, other = (far(kind, gap, *scales), far(kind, -gap, *scales))
        for outcome, exact in enumerate((one, other)):
            assert off(first.log[row, outcome], exact) <= first.error[row, outcome]
        alone, apart = far(kind, gap + width, *scales), far(kind, gap - width, *scales)
        for outcome, exact in enumerate((alone, 1 - apart, apart - alone)):
            assert off(kept.log[row, outcome], exact) <= kept.error[row, outcome]
    assert first.error.max() < 1e-10
    assert kept.error.max() < 1e-10


# -- more, by quadrature ---------------------------------------------------------------------------------------------

POINTS = [
    ((0.0, 1.0, 0.3), (1.0, 0.5, 2.0), (1, 0, 0), None),
    ((0.0, 90.0, 40.0), (1.0, 1.5, 0.8), (1, 0, 1), None),  # the two that lie low
    ((0.0, 60.0, 61.0), (1.0, 1.5, 0.8), (1, 0, 0), 2.5),
    ((0.0, 0.4, -30.0, 0.1), (1.0, 1.0, 1.0, 1.0), (1, 1, 1, 0), 1.25),
]


@both
@pytest.mark.parametrize(("centres", "scales", "chosen", "width"), POINTS)
@pytest.mark.first(3)
def test_against_fifty_digits(kind, centres, scales, chosen, width):
    sets = np.array([chosen], dtype=bool)
    if width is None:
        law = top(kind, [centres], scales, int(sets.sum()), sets)
    else:
        law = survivors(kind, [centres], scales, width, sets)
    exact = selected(kind, centres, scales, chosen, width)
    assert off(law.log[0, 0], exact) <= law.error[0, 0] < 1e-10


@both
@pytest.mark.parametrize("gap", [0.0, 12.0, -100.0])
@pytest.mark.first(3)
def test_twenty_numbers(kind, gap):
    centres = np.zeros((1, 20))
    centres[0, 0] = gap
    law = argmax(kind, centres, 1.0)
    for arm in (0, 7):
        exact = selected(kind, centres[0], np.ones(20), np.arange(20) == arm)
        assert off(law.log[0, arm], exact) <= law.error[0, arm] < 1e-8


# -- what holds of every law -----------------------------------------------------------------------------------------


@both
def test_the_chances_of_all_outcomes_add_up_to_one(kind):
    generator = np.random.default_rng(0)
    for arms in (2, 3, 4):
        centres = generator.uniform(0, 10, (6, arms))
        scales = generator.uniform(0.2, 3, (6, arms))
        laws_ = [top(kind, centres, scales, size) for size in range(1, arms)]
        for law in [*laws_, survivors(kind, centres, scales, 1.5)]:
            assert np.abs(law.chance.sum(axis=1) - 1).max() <= law.error.max()
            assert np.isfinite(law.error).all()


@both
def test_narrow_survivors_are_the_argmax_and_wide_ones_are_all(kind):
    centres, scales = np.array([[0.0, 0.5, 2.0]]), np.array([[1.0, 2.0, 0.7]])
    alone = survivors(kind, centres, scales, 1e-12).chance[0, :3]
    assert np.allclose(alone, argmax(kind, centres, scales).chance[0], rtol=1e-11, atol=0)
    assert survivors(kind, centres, scales, 500.0).chance[0, -1] == pytest.approx(1.0, abs=1e-12)


@both
def test_order_shift_and_unit_do_not_matter(kind):
    centres, scales, width = np.array([[0.0, 4.0, 2.5]]), np.array([[1.0, 2.0, 0.7]]), 1.5
    law = survivors(kind, centres, scales, width)
    turned = survivors(kind, centres[:, ::-1], scales[:, ::-1], width, law.sets[:, ::-1])
    moved = survivors(kind, 8 * centres + 64, 8 * scales, 8 * width)
    for other in (turned, moved):
        assert (np.abs(law.log - other.log) <= law.error + other.error).all()


@both
def test_the_law_of_a_batch_is_that_of_its_rows(kind):
    """Of few rows, which are integrated together, and of so many that they are divided; at small and large gaps."""
    centres = np.random.default_rng(1).uniform(0, 30, (300, 3)) * np.array([1.0, 0.01, 20.0]).repeat(100)[:, None]
    width = np.arange(300) % 5 + 1.0
    for rows in (range(5), range(95, 105), range(300)):
        many = survivors(kind, centres[rows], 1.0, width[rows])
        for place in {*range(5), len(rows) // 2, len(rows) - 2, len(rows) - 1}:
            row = rows[place]
            alone = survivors(kind, centres[row : row + 1], 1.0, width[row])
            assert alone.log.tobytes() == many.log[place].tobytes()
            assert alone.error.tobytes() == many.error[place].tobytes()


def test_it_agrees_with_the_absolute_law_of_an_argmax_of_normals():
    generator = np.random.default_rng(2)
    centres, scales = generator.uniform(0, 3, (50, 4)), generator.uniform(0.1, 1, (50, 4))
    assert np.abs(argmax(NORMAL, centres, scales).chance - argmax_law(centres, scales)).max() < 1e-13


# -- the bounds bound the rules --------------------------------------------------------------------------------------


def random_products() -> integrals.Products:
    """300 products of two probabilities, of half lines and of windows, far away and near."""
    generator = np.random.default_rng(1)
    lead, ratio = generator.normal(size=(300, 2)) * 3, np.exp(generator.normal(size=(300, 2)))
    window = np.where(generator.random((300, 2)) < 0.5, np.inf, np.exp(generator.normal(size=(300, 2))))
    return integrals.Products(lead, ratio, window, np.abs(lead))


@both
def test_integrals_with_the_same_factors_in_another_order_are_computed_once(kind, monkeypatch):
    once = random_products()
    alone = log_integrals(kind, once)
    rule, rows = "panels" if kind is LAPLACE else "trapezoid", []
    integrate = getattr(integrals, rule)
    monkeypatch.setattr(integrals, rule, lambda kind, given, *ends: rows.append(given) or integrate(kind, given, *ends))
    twice = log_integrals(kind, integrals.Products(*(np.concatenate([part, part[:, ::-1]]) for part in once)))
    assert [len(given.lead) for given in rows] == [300]
    for found, known in zip(twice, alone, strict=True):
        assert found.tobytes() == np.tile(known, 2).tobytes()


def test_a_coarse_trapezoidal_rule_errs_within_its_bound_and_nearly_so():
    products = random_products()
    fine, ends = log_integrals(NORMAL, products), region(NORMAL, products)
    for coarse in (1e-1, 1e-3, 1e-6):
        rough = trapezoid(NORMAL, products, *ends, coarse)
        missed = np.abs(np.expm1(rough.log - fine.log))
        assert (missed <= coarse + fine.error).all()
        assert missed.max() > 0.4 * coarse
        assert rough.error == pytest.approx(np.full(300, coarse), abs=1e-10)


def test_a_coarse_gauss_rule_errs_within_its_bound():
    products = random_products()
    fine, ends = log_integrals(LAPLACE, products), region(LAPLACE, products)
    for nodes, coarse in ((2, 0.9), (3, 0.3), (5, 1e-3), (8, 1e-6)):
        rough = panels(LAPLACE, products, *ends, GaussRule(*np.polynomial.legendre.leggauss(nodes), coarse))
        missed = np.abs(np.expm1(rough.log - fine.log))
        assert (missed <= coarse + fine.error).all()
        assert missed.max() > 1e-3 * coarse
        assert rough.error == pytest.approx(np.full(300, coarse), abs=1e-10)


def test_the_bound_of_gauss_s_rule_holds_on_narrow_windows():
    """Two and three nodes on panels inside of windows, whose sides are then far from flat: against the integral."""
    for nodes in (2, 3):
        points, weights = np.polynomial.legendre.leggauss(nodes)
        for width in (0.01, 0.5, 4.0):
            for left, right in ((0.0, 0.2), (0.3, 0.7), (0.9, 1.0)):
                a, b = left * width, right * width
                lead, ratio, window = np.zeros((1, 3)), np.ones((1, 3)), np.full((1, 3), width)
                products = integrals.Products(lead, ratio, window, lead)

                def factor(z, width=width):
                    inside = (1 - mpmath.exp(-z)) / 2 + (1 - mpmath.exp(z - width)) / 2
                    return mpmath.exp(-z) * inside**3

                exact = mpmath.quad(factor, [a, b])
                middle, half = mpmath.mpf(a + b) / 2, mpmath.mpf(b - a) / 2
                at = [factor(middle + half * x) for x in points.tolist()]
                rule = half * sum(w * each for w, each in zip(weights.tolist(), at, strict=True))
                bound = float(integrals.log_bound(products, np.array([a]), np.array([b]), nodes)[0])
                assert mpmath.log(abs(rule / exact - 1)) <= bound, (nodes, width, left, right)


# -- what comes in ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: argmax(NORMAL, [[0.0, np.inf]], 1.0), "a centre is inf; every centre must be finite"),
        (lambda: argmax(NORMAL, [[0.0, 1.0]], [1.0, 0.0]), "a scale is 0.0; every scale must be positive"),
        (lambda: argmax(LAPLACE, [[0.0, 1.0]], [1.0, 1e-6]), "the largest scale is 1e\\+06 times the smallest"),
        (lambda: argmax(LAPLACE, [[0.0, 1e200]], 1.0), "two centres are 1e\\+200 scales apart"),
        (lambda: survivors(LAPLACE, [[0.0, 1.0]], 1.0, 1e9), "the width is 1e\\+09"),
        (lambda: argmax(NORMAL, [0.0, 1.0], 1.0), "must have shape \\(m, K\\)"),
        (lambda: top(NORMAL, [[0.0, 1.0]], 1.0, 2), "size is 2, but K = 2; the size must be smaller than K"),
        (lambda: top(NORMAL, np.zeros((1, 20)), 1.0, 9), "in 167960 ways"),
        (lambda: top(NORMAL, np.zeros((1, 3)), 1.0, 2, np.eye(3, dtype=bool)), "the size of every set must be 2"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 0.0), "width is 0.0; it must be positive"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 1.0, np.zeros((1, 2), dtype=bool)), "empty set"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 1.0, [[1, 0]]), "must be booleans"),
        (lambda: survivors(NORMAL, np.zeros((1, 20)), 1.0, 1.0), "1048575 possible sets"),
        (lambda: top(NORMAL, [[0.0, 1.0]], 1.0, 0), "size"),
        (lambda: argmax(NORMAL, np.zeros((0, 2)), 1.0), "must have shape \\(m, K\\)"),
        (lambda: argmax(NORMAL, np.zeros((2, 0)), 1.0), "must have shape \\(m, K\\)"),
        (lambda: argmax(NORMAL, [[0.0, np.nan]], 1.0), "a centre is nan; every centre must be finite"),
        (
            lambda: argmax(NORMAL, [[0.0, 1.0]], [1.0, np.inf]),
            "a scale is inf; every scale must be positive and finite",
        ),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 1.0, np.ones((1, 3), dtype=bool)), "must be booleans"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 1.0, np.ones(2, dtype=bool)), "must be booleans"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, 1.0, np.ones((0, 2), dtype=bool)), "must be booleans"),
        # Both that take part are selected, and a single one is never what is.
        (
            lambda: top(NORMAL, np.zeros((1, 3)), 1.0, 2, np.eye(3, dtype=bool), FIRST_TWO),
            "the size of every set must be 2",
        ),
        (lambda: argmax(NORMAL, [["0", "1"]], 1.0), "centres: .* not an array of real numbers"),
        (lambda: argmax(NORMAL, [[0.0, 1.0]], "1"), "scales: '1' is not an array of real numbers"),
        (lambda: argmax(NORMAL, np.array([[0.0, 1j]]), 1.0), "centres: .* not an array of real numbers"),
        (lambda: argmax(NORMAL, np.ma.array([[0.0, 1.0]], mask=[[0, 1]]), 1.0), "centres is a masked array"),
        (lambda: argmax(NORMAL, np.ma.array(np.zeros((1, 3)), mask=~FIRST_TWO), 1.0, FIRST_TWO), "a masked array"),
        (lambda: survivors(NORMAL, [[0.0, 1.0]], 1.0, "2"), "width: '2' is not an array of real numbers"),
        (lambda: survivors(NORMAL, np.zeros((1, 3)), 1.0, "2", among=FIRST_TWO), "width: '2' is not an array"),
        (lambda: combined(LAPLACE, np.eye(2), np.array([[0.0, 1j]]), 1), "centres: .* not an array of real numbers"),
        (lambda: argmax("normal", [[0.0, 1.0]], 1.0), "kind is 'normal'; give NORMAL or LAPLACE"),
        (lambda: survivors("normal", np.zeros((1, 3)), 1.0, 1.0, among=FIRST_TWO), "kind is 'normal'; give"),
        (lambda: combined("Laplace", np.eye(2), np.zeros((1, 2)), 1), "kind is 'Laplace'; give"),
        (lambda: top(NORMAL, np.zeros((1, 3)), 1.0, 1.0, among=FIRST_TWO), "size\\) is 1.0; it must be an integer"),
    ],
)
def test_what_is_no_law_is_said(ask, words):
    with pytest.raises(ValueError, match=words):
        ask()


def test_as_much_as_there_may_be_and_no_more():
    """Ratios of scales, gaps and widths, these in units of the smallest scale; and numbers of sets."""
    scales, far = [[0.5, 1.0], [1.0, 1.0]], laws.MAX_GAP_SCALES
    argmax(NORMAL, [[0.0, 0.0]], [[1.0, laws.MAX_SELECTION_RATIO]])
    argmax(NORMAL, [[0.0, far / 2], [far, 0.0]], scales)
    survivors(NORMAL, [[0.0, far / 2], [far, 0.0]], scales, [far / 2, far])
    for ask, words in (
        (lambda: argmax(NORMAL, [[0.0, 0.0]], [[1.0, 1.001e4]]), r"the largest scale is 1e\+04 times the smallest"),
        (lambda: argmax(NORMAL, [[0.0, 0.51 * far], [0.0, 0.0]], scales), r"two centres are 1.02e\+08 scales apart"),
        (lambda: survivors(NORMAL, [[0.0, 2.0], [0.0, 0.0]], scales, [0.51 * far, far]), r"the width is 1e\+08"),
        (lambda: argmax(NORMAL, np.zeros((1, 4097)), 1.0), "1 of 4097 numbers can be selected in 4097 ways"),
        (lambda: survivors(NORMAL, np.zeros((1, 13)), 1.0, 1.0), "survivors: 13 numbers have 8191 possible sets"),
        (
            lambda: top(NORMAL, np.zeros((1, 15)), 1.0, 6, among=np.ones((1, 15), dtype=bool)),
            "15 numbers have 5005 possible outcomes, too many to list",
        ),
    ):
        with pytest.raises(NoLaw, match=words):
            ask()
    assert len(argmax(NORMAL, np.zeros((1, 4)), 1.0).sets) == 4
    assert len(survivors(NORMAL, np.zeros((1, 2)), 1.0, 1.0).sets) == 3
    assert len(top(NORMAL, np.zeros((1, 4)), 1.0, 1, among=np.ones((1, 4), dtype=bool)).sets) == 4


@both
def test_a_copy_of_the_noise_is_the_same_noise(kind):
    """As a policy is copied on its way to another process."""
    copied = pickle.loads(pickle.dumps(kind))
    for ask in (
        lambda kind: argmax(kind, [[0.0, 3.0, 1.0]], 1.0),
        lambda kind: survivors(kind, [[0.0, 3.0, 1.0]], 1.0, 2.0),
        lambda kind: combined(kind, np.eye(2), [[3.0, 0.0]], 1),
    ):
        assert ask(copied).log.tolist() == ask(kind).log.tolist()


def test_one_number_is_always_the_largest():
    assert argmax(NORMAL, [[3.0], [4.0]], 1.0).log.tolist() == [[0.0], [0.0]]
    assert survivors(LAPLACE, [[3.0]], 1.0, 1.0).log.tolist() == [[0.0]]
    assert laws.MAX_LISTED_SETS >= 2**11
