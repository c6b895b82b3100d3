"""The law of the top of linear combinations: against independent numbers, sums over slices, and simulated noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import mpmath
import numpy as np
import pytest
from scipy.special import wofz

from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, top
from dpbandits.reference.bandits.release_laws.selections.wedges import log_k, refine_angle_panels
from dpbandits.reference.papers.chen24.algorithms import cones, fans
from dpbandits.reference.papers.chen24.algorithms.fans import combined, fan, mean_decay, split_cone
from dpbandits.reference.papers.chen24.algorithms.wedges import wedges
from dpbandits.reference.papers.chen24.algorithms.whole_numbers import determinant, dot, log_quotient, reduced

ARMS = np.array([(0.0, 1.0), (0.0, 0.9), (10.0, 0.0), (1.0, 0.4), (1.0, 0.4), (1.0, 0.75), (-2.0, -1.0)])
KINDS = [LAPLACE, NORMAL]


@pytest.mark.parametrize(("kind", "d"), [(LAPLACE, 2), (LAPLACE, 3), (NORMAL, 2), (NORMAL, 3)])
@pytest.mark.first(3)
def test_units_are_independent_numbers(kind, d):
    """Up to 500 scales apart, in every tail: the selection's own law."""
    shape = np.random.default_rng(d).normal(size=(1, d))
    means = shape * np.array([0.1, 1, 7, 60, 500])[:, None]
    for size in range(1, d):
        found, wanted = combined(kind, np.eye(d), means, size), top(kind, means, 1.0, size)
        places = [int((found.sets == each).all(axis=1).argmax()) for each in wanted.sets]
        off = np.abs(found.log[:, places] - wanted.log)
        assert (off <= found.error[:, places] + wanted.error).all()
        assert found.error.max() < 1e-8
        assert found.log.min() < -300


@pytest.mark.parametrize("gap", [0.0, 3.0, -40.0, 2e4, -1e6])
def test_wedges_far_away_take_few_panels(gap):
    """Two arms, both a million scales from 0 or one of them: hardly any angle matters, and no other is looked at."""
    means = np.array([[6e5 + gap, 6e5]]) if abs(gap) < 1e5 else np.array([[0.0, -gap]])
    found, wanted = combined(NORMAL, np.eye(2), means, 1), top(NORMAL, means, 1.0, 1)
    places = [int((found.sets == each).all(axis=1).argmax()) for each in wanted.sets]
    assert (np.abs(found.log[:, places] - wanted.log) <= found.error[:, places] + wanted.error).all()
    assert len(refine_angle_panels(wedges(fan(((1.0, 0.0), (0.0, 1.0)), 1), means[:1])).row) < 400


def by_slices(kind, weights, centre, chosen):
    """P(exactly the chosen are on top) in two dimensions, by another way: for every first coordinate, the stretches of
    the second one where they are, and Gauss's rule on hundreds of panels between all kinks."""
    pairs = [(a, b) for a, b in combinations(weights, 2) if (a != b).any()]
    kinks = [0.0, centre[0], *(-centre[1] * (a[1] - b[1]) / (a[0] - b[0]) for a, b in pairs if a[0] != b[0])]
    inside = [k for k in kinks if abs(k - centre[0]) < 60]
    edges = np.unique(np.concatenate([np.linspace(-60, 60, 600) + centre[0], inside]))
    nodes, shares = np.polynomial.legendre.leggauss(12)
    half = np.diff(edges)[:, None] / 2
    x, weight = (edges[:-1, None] + half * (1 + nodes)).ravel(), (half * shares).ravel()
    cuts = np.sort([-x * (a[0] - b[0]) / (a[1] - b[1]) for a, b in pairs if a[1] != b[1]], axis=0)
    ends = np.concatenate([cuts[:1] - 200, cuts, cuts[-1:] + 200])
    total = np.zeros(len(x))
    for low, high in pairwise(ends):
        worth = np.stack([x, (low + high) / 2], axis=1) @ weights.T
        order = np.argsort(-worth, axis=1, kind="stable")[:, : len(chosen)]
        mine = (np.sort(order, axis=1) == chosen).all(axis=1) & (high > low)
        total[mine] += np.exp(kind.log_window(high - centre[1], np.maximum(high - low, 1e-300)))[mine]
    return float(weight @ (np.exp(kind.log_density(x - centre[0])) * total))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rows", "size"), [([0, 2, 3], 1), ([0, 1, 3, 6], 2)])
@pytest.mark.first(2)
def test_wedges_by_slices(kind, rows, size):
    for centre in ([0.25, -0.5], [-9.0, 2.0]):
        found = combined(kind, ARMS[rows], np.array([centre]), size)
        for chosen, log, error in zip(found.sets, found.log[0], found.error[0], strict=True):
            wanted = np.log(by_slices(kind, ARMS[rows], centre, np.flatnonzero(chosen)))
            assert abs(log - wanted) < 1e-10
            assert error < 1e-10


@pytest.mark.parametrize("kind", KINDS)
def test_the_error_covers_what_rounding_must_cost(kind):
    """A logarithm of that size is a double: half its last place is lost, and so is what went into it, which is the
    distance of the centre from a wedge, squared."""
    found = combined(kind, ARMS[[0, 1, 3, 6]], np.array([[-9.0, 2.0], [90.0, -20.0]]), 2)
    assert found.log.min() < -500 or kind is LAPLACE
    assert (found.error >= 2.0**-51 * np.abs(found.log)).all()


@pytest.mark.parametrize(
    ("kind", "weights", "size"), [(LAPLACE, 3, 2), (NORMAL, 3, 2), (LAPLACE, ARMS, 3), (NORMAL, ARMS, 2)]
)
@pytest.mark.first(2)
def test_as_often_as_they_come(kind, weights, size):
    """Duplicates: the first one goes first. Within five standard errors, and nothing else comes up."""
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(6, 3)) if isinstance(weights, int) else weights
    d, runs = weights.shape[1], 20_000
    centre = rng.normal(size=d)
    found = combined(kind, weights, centre[None], size)
    assert abs(found.chance.sum() - 1) < 1e-12
    noise = rng.laplace(size=(runs, d)) if kind is LAPLACE else rng.normal(size=(runs, d))
    worth = (noise + centre) @ weights.T
    if weights is ARMS:
        worth[:, 4] = worth[:, 3]
        assert not (found.sets[:, 4] & ~found.sets[:, 3]).any()
    order = np.argsort(-worth, axis=1, kind="stable")[:, :size]
    kept = np.zeros(worth.shape, dtype=bool)
    np.put_along_axis(kept, order, True, axis=1)
    seen = [(kept == each).all(axis=1).mean() for each in found.sets]
    assert sum(seen) == pytest.approx(1)
    assert (np.abs(seen - found.chance[0]) < 5 * np.sqrt(found.chance[0] / runs) + 1e-6).all()


def test_a_cone_thinner_than_a_double_is_there():
    """Two arms that differ by 2^-52 change places in a wedge of that angle."""
    near = np.array([(1.0, 1.0), (1.0 + 2**-52, 1.0), (1.0, 1.0 + 2**-52)])
    found = combined(LAPLACE, near, np.zeros((1, 2)), 1)
    assert len(found.sets) == 3
    assert found.chance.sum() == pytest.approx(1, abs=1e-12)
    thin = np.array([(0.0, 0.0), (1.0, -1.0), (1.0 + 2**-52, -1.0)])  # the last but one only between two lines
    chance = combined(NORMAL, thin, np.zeros((1, 2)), 1)
    assert chance.error.max() < 1e-10
    assert 0 < chance.chance.min() < 1
    blunt = np.array([(1.0, 0.0, 0.0), (0.0, 2.0**-52, 0.0), (-1.0, 0.0, 0.0)])  # the second one where |x| < 2^-52 y
    for weights in (blunt, blunt[:, :2]):
        chance = combined(NORMAL, weights, np.zeros((1, weights.shape[1])), 1)
        assert chance.log.min() == pytest.approx(np.log(2.0**-52 / np.pi), abs=chance.error.max())
        assert chance.error.max() < 1e-10


def test_pieces_tile():
    """A cone cut by a plane: as much as before, on either side."""
    cone = ((1, 0, 0, 0), (1, 2, 0, 0), (1, 0, 3, 1), (1, 1, 1, 5))
    pieces = split_cone(cone, [3, -1, 2, -2])
    assert len(pieces) == 6

    def volume(points):
        rows = [[Fraction(x, p[0]) for x in p[1:]] for p in points]
        edges = np.array([[float(x - y) for x, y in zip(row, rows[0], strict=True)] for row in rows[1:]])
        return abs(np.linalg.det(edges))

    assert sum(map(volume, pieces)) == pytest.approx(volume(cone), rel=1e-12)


def test_divided_differences_at_50_digits():
    rng = np.random.default_rng(0)
    for points in (2, 3, 4):
        gaps = np.sort(rng.random((40, points)) * 10.0 ** rng.integers(-8, 3, (40, 1)), axis=1)
        gaps[:, 0] = 0
        gaps[::5, 1] = 0
        for row, found in zip(gaps, mean_decay(gaps), strict=True):
            with mpmath.workdps(80):
                apart = [mpmath.mpf(x) + mpmath.mpf(10) ** -20 * k for k, x in enumerate(row.tolist())]
                wanted = sum(mpmath.exp(-x) / mpmath.fprod(y - x for y in apart if y is not x) for x in apart)
                assert abs(found / float(wanted) - 1) < 200 * 2.0**-53


def test_normal_radii():
    for a in (-200.0, -50.1, -49.9, *np.linspace(-4, -1, 151), -1e-9, 0.0, 2.0, 40.0):
        with mpmath.workdps(60):
            x = mpmath.mpf(a)
            wanted = mpmath.log(
                mpmath.exp(-x * x / 2) + x * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(-x / mpmath.sqrt(2))
            )
            assert abs(float(log_k(np.array([a]))[0] - wanted)) < 3e-12 + 1e-15 * a * a
            wanted = mpmath.log(
                (1 + x * x) * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(-x / mpmath.sqrt(2)) + x * mpmath.exp(-x * x / 2)
            )
            units = cones.LOST + abs(float(wanted))
            assert abs(float(cones.log_k(np.array([a]))[0] - wanted)) < units * 2.0**-53


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((NORMAL, np.eye(4), np.zeros((1, 4)), 1), "4 dimensions; at most 3 are supported"),
        ((NORMAL, np.eye(3), np.full((1, 3), 1e5), 1), "a centre is 1.73e\\+05 scales from 0; .* at most 10000"),
        (
            (NORMAL, np.eye(2), np.full((1, 2), 1e6), 1),
            "a centre from 0 is 1.41e\\+06 times the scale of .* distance is 1e\\+06 times",
        ),
        ((LAPLACE, np.eye(2), np.zeros((1, 3)), 1), r"they must have shapes \(arms, d\) and \(m"),
        ((LAPLACE, np.eye(2), np.zeros((1, 2)), 2), "the size must be smaller"),
        ((LAPLACE, np.eye(2), np.full((1, 2), 1e9), 1), "at most 1e\\+08 are supported"),
        ((LAPLACE, np.eye(2), np.full((1, 2), np.nan), 1), "a centre is nan scales"),
        ((LAPLACE, np.eye(2), np.zeros((1, 2)), 0), "size"),
        ((LAPLACE, np.eye(2), np.zeros(2), 1), r"they must have shapes \(arms, d\) and \(m"),
        ((LAPLACE, np.ones(2), np.zeros((1, 2)), 1), r"they must have shapes \(arms, d\) and \(m"),
        ((LAPLACE, np.diag([1.0, np.inf]), np.zeros((1, 2)), 1), "a weight is nan or infinite; every weight must be"),
    ],
)
def test_what_cannot_be_followed(arguments, message):
    with pytest.raises(ValueError, match=message):
        combined(*arguments)


def test_as_many_dimensions_cones_and_scales_as_there_may_be():
    weights = tuple(map(tuple, np.random.default_rng(11).normal(size=(5, 3)).tolist()))
    many = sum(map(len, fan(weights, 2).cones))
    assert len(fan(weights, 2).sets) < many
    assert sum(map(len, fan(weights, 2, most=many).cones)) == many
    with pytest.raises(NoLaw, match=f"arms = 5 and d = 3 give more than {many - 1} cones"):
        fan(weights, 2, most=many - 1)
    combined(NORMAL, np.eye(3), [[0.0, 0.0, 0.0], [0.0, -cones.MAX_CONE_CENTRE, 0.0]], 1)
    with pytest.raises(NoLaw, match=r"a centre is 1\.01e\+04 scales from 0"):
        combined(NORMAL, np.eye(3), [[0.0, 0.0, 0.0], [0.0, -1.01 * cones.MAX_CONE_CENTRE, 0.0]], 1)
    combined(LAPLACE, np.eye(2), [[-fans.MAX_GAP_SCALES, fans.MAX_GAP_SCALES]], 1)
    with pytest.raises(NoLaw, match=r"combined: a centre is 1\.01e\+08 scales from 0; at most"):
        combined(LAPLACE, np.eye(2), [[-1.01 * fans.MAX_GAP_SCALES, 1.0]], 1)


def test_determinants_and_quotients_of_integers():
    """With their sign, against Gauss's elimination in fractions; and of numbers far beyond the largest double."""
    rng = np.random.default_rng(7)
    for size in (1, 2, 3, 4):
        for _ in range(6):
            rows = [tuple(int(x) for x in row) for row in rng.integers(-9, 10, (size, size))]
            assert determinant(tuple(rows)) == round(float(np.linalg.det(np.array(rows, dtype=float))))
    assert determinant(((0, 1), (1, 0))) == -1
    with mpmath.workdps(30):
        for above, below in ((3**2000, 2**900 + 1), (5**11, 3**1999), (7, 7), (10**400 + 1, 10**400), (1, 3), (9, 4)):
            exact = mpmath.log(mpmath.mpf(above) / mpmath.mpf(below))
            assert log_quotient(above, below) == pytest.approx(float(exact), rel=1e-14, abs=1e-16)
    assert reduced((6, -9, 0)) == (2, -3, 0)
    assert reduced((0, 0)) == (0, 0)
    assert dot((2, -3), (5, 7)) == -11


def test_fans_cover_the_plane():
    found = fan(tuple(map(tuple, ARMS.tolist())), 2)
    angles = [
        abs(np.arctan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])) for cones in found.cones for a, b in cones
    ]
    assert sum(angles) == pytest.approx(2 * np.pi, abs=1e-12)


@pytest.mark.thorough
def test_three_dimensions_by_two(monkeypatch):
    """Where the third coordinate counts for nothing, the wedge's chance; with few nodes, errors within the bound."""
    weights = np.random.default_rng(5).normal(size=(4, 2))
    flat = np.c_[weights, np.zeros(4)]
    for centre in ([0.3, -0.7], [12.0, -5.0]):
        wanted = combined(NORMAL, weights, np.array([centre]), 2)
        found = combined(NORMAL, flat, np.array([[*centre, 1.7]]), 2)
        assert (found.sets == wanted.sets).all()
        assert (np.abs(found.log - wanted.log) <= found.error + wanted.error).all()
    fine, worst = found, 0.0
    for nodes, coarse in ((3, 0.1), (5, 1e-3)):
        points, shares = np.polynomial.legendre.leggauss(nodes)
        for name, value in (("CONE_NODES", points), ("CONE_WEIGHTS", shares), ("GAUSS", coarse)):
            monkeypatch.setattr(cones, name, value)
        rough = combined(NORMAL, flat, np.array([[*centre, 1.7]]), 2)
        missed = np.abs(np.expm1(rough.log - fine.log))
        assert (missed <= coarse + fine.error).all()
        worst = max(worst, float(missed.max()))
    assert worst > 1e-9  # the error was there to be seen


def test_a_panel_is_worth_what_its_bounds_say():
    """Against Gauss's rule itself on small panels of random cones: no more and no less, and not far from either."""
    rng = np.random.default_rng(0)
    space = fan(tuple(map(tuple, rng.normal(size=(4, 3)).tolist())), 1)
    rays = cones.rays_of(space)
    for size in (0.0, 2.0, 15.0):
        mean = size * np.array([0.6, -0.64, 0.48])
        many = len(rays.row)
        s, t = rng.uniform(0.2, 0.8, (2, many))
        panels = cones.SquarePanels(np.arange(many), s, t, np.full(many, 0.02), np.full(many, 0.02))
        low, high, *_ = cones.bounds(rays, mean, panels)
        alone = rays._replace(row=np.arange(many))
        value = cones.log_outcome_chances(alone, mean, panels, many)[0] + size * size / 2 + 1.5 * np.log(2 * np.pi)
        assert (low <= value).all()
        assert (value <= high).all()
        assert (high - low < 0.2 + 3 + size).all()


@pytest.mark.parametrize("ellipse", [2.0, 4.0, 8.0])
@pytest.mark.first(1)
def test_the_integrand_is_bounded_in_the_ellipses_around_a_panel(ellipse, monkeypatch):
    """For complex s, and for complex t, of the ellipse: |s F| by functions of a complex argument, at many points."""
    monkeypatch.setattr(cones, "ELLIPSES", (ellipse,))
    rng = np.random.default_rng(0)
    rays = cones.rays_of(fan(tuple(map(tuple, rng.normal(size=(5, 3)).tolist())), 1))
    many = 40
    which = rng.integers(0, len(rays.row), many)
    half_s, half_t = 0.45 * 4.0 ** -rng.integers(0, 4, (2, many))
    s, t = (half + (1 - 2 * half) * rng.random(many) for half in (half_s, half_t))
    circle = np.exp(1j * np.linspace(0, 2 * np.pi, 97))
    edge = (ellipse * circle + 1 / (ellipse * circle)) / 2
    rate = np.log(4 / (ellipse - 1)) - (2 * len(cones.CONE_NODES) - 1) * np.log(ellipse)
    apart: tuple[list[float], list[float]] = ([], [])  # in s, and in t
    for mean in (np.array([0.0, 0.0, 0.0]), np.array([1.5, -1.0, 0.5]), np.array([-6.0, 3.0, 8.0])):
        panels = cones.SquarePanels(which, s, t, half_s, half_t)
        low, _, in_s, in_t = cones.bounds(rays, mean, panels)
        least = low - np.log(4 * half_s * half_t) - rays.log_det[which]
        for k in range(many):
            first, second, third = rays.unit[which[k]]
            across = np.linspace(-1, 1, 9)
            for found, bound, at_s, at_t in (
                (apart[0], in_s[k], (s[k] + half_s[k] * edge)[:, None], (t[k] + half_t[k] * across)[None]),
                (apart[1], in_t[k], (s[k] + half_s[k] * across)[None], (t[k] + half_t[k] * edge)[:, None]),
            ):
                if not np.isfinite(bound):
                    continue
                x = first + at_s[..., None] * (second + at_t[..., None] * (third - second) - first)
                q = (x * x).sum(axis=-1)
                a = (x @ mean) / np.sqrt(q)
                value = (1 + a * a) * np.sqrt(np.pi / 2) * wofz(-1j * a / np.sqrt(2)) + a
                true = np.log(np.abs(at_s * value / q**1.5)).max()
                most = bound - rate + least[k]
                assert true <= most + 1e-9
                found.append(most - true)
    for found in apart:
        assert len(found) > 0.9 * 3 * many  # few panels are so wide that nothing bounds it
        assert min(found) < 1.5


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (NORMAL, "combined: the weights differ so much in size that"),
        (LAPLACE, "combined: the weights differ so much in size that"),
    ],
)
def test_cones_that_doubles_do_not_hold_have_no_law(kind, words):
    """The third arm is on top in a wedge of width 2e-600 alone; with 1e-150 and 1e150 there is a law."""
    for size, is_law in ((150, True), (300, False)):
        weights = [[10.0**size, 0.0], [-(10.0**size), 0.0], [0.0, 10.0**-size]]
        if is_law:
            assert combined(kind, weights, [[0.5, 0.25]], 1).log[0, 2] == pytest.approx(-691.7, abs=0.1)
        else:
            with pytest.raises(NoLaw, match=words):
                combined(kind, weights, [[0.5, 0.25]], 1)
