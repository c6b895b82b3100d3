"""The exact law of linear Thompson sampling's arm, against quadrature at 30 digits; ties; and where it has none."""

from __future__ import annotations

import flint
import mpmath
import numpy as np
import pytest

from dpbandits.reference.arithmetic.checks import NoLaw
from dpbandits.reference.arithmetic.linear import cholesky_factor, solve_lower_triangle
from dpbandits.reference.bandits.release_laws.linear_winner import linear_winner


def posterior(gram, moments, scale):
    """The mean B^-1 f and the covariance v^2 B^-1, to 40 digits."""
    inverse = mpmath.matrix(gram.tolist()) ** -1
    return inverse * mpmath.matrix(moments.tolist()), inverse * mpmath.mpf(scale) ** 2


def ball(number):
    return flint.acb(flint.arb(mpmath.nstr(number, 40)))


def chance_in_the_plane(contexts, mean, covariance, arm):
    """P(x_arm . theta is the largest), theta in two dimensions: given the second coordinate y, the first one lies
    between two lines through the origin, which are others for y < 0 than for y > 0."""
    slope, spread = covariance[0, 1] / covariance[1, 1], mpmath.sqrt(covariance[1, 1])
    width = mpmath.sqrt(covariance[0, 0] - slope * covariance[0, 1])
    apart = [[contexts[arm][k] - other[k] for k in (0, 1)] for place, other in enumerate(contexts) if place != arm]
    total = flint.acb(0)
    for side in (1, -1):
        low = max([-b * side / a for a, b in apart if a > 0], default=-mpmath.inf)
        high = min([-b * side / a for a, b in apart if a < 0], default=mpmath.inf)
        if low >= high or any(a == 0 and b * side < 0 for a, b in apart):
            continue

        def below(line, y, side=side):
            if abs(line) == mpmath.inf:
                return flint.acb(int(line > 0))
            away = (ball(line) * y - ball(mean[0]) - ball(slope) * (side * y - ball(mean[1]))) / ball(width)
            return (-away / flint.acb(2).sqrt()).erfc() / 2

        def inner(y, _, side=side, low=low, high=high, below=below):
            away = (side * y - ball(mean[1])) / ball(spread)
            return (-away * away / 2).exp() * (below(high, y) - below(low, y))

        total += flint.acb.integral(inner, 0, ball(abs(mean[1]) + 14 * spread), rel_tol=1e-28, abs_tol=1e-28)
    return mpmath.mpf((total / ball(spread) / (2 * flint.acb.pi()).sqrt()).real.mid().str(35, radius=False))


def instances(arms, d, states, seed):
    rng = np.random.default_rng(seed)
    past = rng.normal(size=(states, 6, d))
    return (
        rng.normal(size=(arms, d)),
        np.eye(d) + np.einsum("sti,stj->sij", past, past),
        3 * rng.normal(size=(states, d)),
    )


@pytest.mark.parametrize(("arms", "d"), [(2, 4), (3, 2), (3, 5), (6, 2)])
def test_against_quadrature_within_the_error_that_it_states(arms, d):
    contexts, gram, moments = instances(arms, d, 1, arms * d)
    law = linear_winner(contexts, gram, moments, 0.7)
    assert law.error < 1e-9
    assert law.absolute_error == 0
    with mpmath.workdps(40), flint.ctx.workprec(140):
        mean, covariance = posterior(gram[0], moments[0], 0.7)
        seen = mpmath.matrix(contexts.tolist())
        if d > 2:  # what the arms are worth beyond the first, as coordinates: contexts 0 and the unit vectors
            apart = mpmath.matrix([[seen[arm, k] - seen[0, k] for k in range(d)] for arm in range(1, arms)])
            mean, covariance = apart * mean, apart * covariance * apart.T
            seen = mpmath.matrix([[0] * (arms - 1), *np.eye(arms - 1).tolist()])
        if arms == 2:
            share = mpmath.ncdf(mean[0] / mpmath.sqrt(covariance[0, 0]))
            wanted = [1 - share, share]
        else:
            rows = [[seen[arm, k] for k in range(2)] for arm in range(arms)]
            wanted = [chance_in_the_plane(rows, mean, covariance, arm) for arm in range(arms)]
    for chance, true in zip(law.chance[0], wanted, strict=True):
        assert abs(chance - true) <= law.error * true + 1e-20, (float(chance), float(true))
    assert min(wanted) == 0 or arms < 6  # some of six contexts lie inside of the others' hull


def test_faint_chances_have_all_their_digits():
    """Contexts in opposite directions, far on one side: Phi(-40), of which a sum of doubles keeps nothing."""
    law = linear_winner([[1.0], [-1.0]], [[[1.0]]], [[40.0]], 1.0)
    assert law.log[0, 1] == pytest.approx(float(mpmath.log(mpmath.ncdf(-40))), rel=1e-13)
    law = linear_winner([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]], np.eye(2)[None], [[40.0, 0.0]], 1.0)
    with mpmath.workdps(30):  # theta_1 > 0 and theta_0 < theta_1/2; quadrature stops by what is left absolutely
        lost = mpmath.quad(lambda y: mpmath.exp(644) * mpmath.npdf(y) * mpmath.ncdf(y / 2 - 40), [0, 12, 16, 20, 40])
    for arm in (1, 2):
        assert law.log[0, arm] == pytest.approx(float(mpmath.log(lost)) - 644, rel=1e-13)


def test_ties_and_contexts_between_others_are_decided_exactly():
    gram, moments = np.array([[[3.0, 0.1], [0.1, 1.7]]]), np.array([[0.3, -0.2]])
    same = linear_winner([[0.1, 0.3]] * 3, gram, moments, 1.0)
    assert same.chance.tolist() == [[1, 0, 0]]
    corners = [[0.1, 0.0], [0.7, 0.0], [0.1, 0.9]]
    law = linear_winner(corners, gram, moments, 1.0)
    more = [[0.1, 0.0], [0.1, 0.0], [0.3, 0.3], [0.7, 0.0], [0.375, 0.0], [0.1, 0.9], [0.7, 0.0]]  # twins, inside, edge
    assert linear_winner(more, gram, moments, 1.0).chance[0, [0, 3, 5]].tolist() == law.chance[0].tolist()
    assert not linear_winner(more, gram, moments, 1.0).chance[0, [1, 2, 4, 6]].any()
    line = linear_winner([[0.25, 0.5], [0.5, 1.0], [0.375, 0.75], [0.5, 1.0]], gram, moments, 1.0)
    assert line.chance[0, 2:].tolist() == [0, 0]
    assert line.chance[0, :2].sum() == pytest.approx(1, abs=1e-15)


def test_a_feature_that_all_arms_share_costs_no_dimension_and_states_may_differ_in_contexts():
    contexts, gram, moments = instances(5, 3, 2, 3)
    contexts[:, 0] = 1.0
    law = linear_winner(contexts, gram, moments, 1.0)
    apart = linear_winner(np.stack([contexts[::-1], contexts]), gram, moments, 1.0)
    assert apart.log[1].tolist() == law.log[1].tolist()
    np.testing.assert_allclose(apart.chance[0, ::-1], law.chance[0], rtol=apart.error + law.error)


@pytest.mark.parametrize(
    ("contexts", "moments", "words"),
    [
        (np.eye(4), np.zeros((1, 4)), "more than a plane"),
        ([[0, 0], [1, 0], [0.5, 1e-17]], np.zeros((1, 2)), "so close to a line"),
        (np.eye(2), [[1e7, 0.0]], "standard deviations from 0"),
        (
            [[0.75], [0.75 + 2**-50]],
            np.zeros((1, 1)),
            "differ by only 1.2e-15 of their length, .* with probability 0.4",
        ),
        ([[5e-324], [0.0], [1.0]], np.zeros((1, 1)), "rounding errors .* may decide between them"),
        (
            [[1, 0], [0, 1], [0, 0], [0.25, 0.25], [0.25, 0.25 + 2**-50]],
            np.zeros((1, 2)),
            "rounding errors .* may decide between them",
        ),
    ],
)
def test_where_there_is_no_law_it_says_why(contexts, moments, words):
    with pytest.raises(NoLaw, match=words):
        linear_winner(contexts, np.eye(len(contexts[0]))[None], moments, 1.0)


def test_a_matrix_that_doubles_hardly_tell_from_a_singular_one_has_no_law():
    gram = np.eye(2) + 1e13 * np.ones((2, 2))
    with pytest.raises(NoLaw, match="ill-conditioned"):
        linear_winner(np.eye(2), gram[None], [[1.0, 0.0]], 1.0)


SHAPES = r"contexts must have shape \(arms, d\) or \(states"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"gram": [[[1.0, 2.0], [2.0, 1.0]]]}, "positive definite"),
        ({"contexts": np.eye(3)}, SHAPES),
        ({"contexts": np.ones(2)}, SHAPES),
        ({"contexts": np.ones((2, 3, 2))}, SHAPES),
        ({"contexts": np.ones((1, 1, 3, 2))}, SHAPES),
        ({"gram": np.eye(2)}, SHAPES),
        ({"gram": np.eye(3)[None]}, SHAPES),
        ({"moments": np.zeros(2)}, SHAPES),
        ({"moments": np.zeros((2, 2))}, SHAPES),
        ({"moments": np.zeros((1, 1, 2))}, SHAPES),
        ({"contexts": [[1.0, np.inf], [0.0, 1.0]]}, "must be finite"),
        ({"gram": [[[np.nan, 0.0], [0.0, 1.0]]]}, "must be finite"),
        ({"moments": [[0.0, -np.inf]]}, "must be finite"),
    ],
)
def test_what_is_no_posterior_is_refused(changed, words):
    fine = {"contexts": np.eye(2), "gram": np.eye(2)[None], "moments": np.zeros((1, 2))}
    linear_winner(**fine, scale=1.0)
    with pytest.raises(ValueError, match=words):
        linear_winner(**fine | changed, scale=1.0)


def test_triangles_are_solved_either_way():
    _, gram, right = instances(1, 4, 3, 7)
    factor = cholesky_factor(gram)
    np.testing.assert_allclose(np.einsum("sij,skj->sik", factor, factor), gram, rtol=1e-13)
    found = solve_lower_triangle(factor, solve_lower_triangle(factor, right), transposed=True)
    np.testing.assert_allclose(np.einsum("sij,sj->si", gram, found), right, rtol=1e-12)
