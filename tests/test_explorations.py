"""Closed laws of exploration, against their formulas in rationals and 30 digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpbandits.reference.bandits.release_laws.explorations import epsilon_greedy, inverse_gap_weighting, softmax

SCORES = np.array([[0.3, -0.2, 0.3, 0.1], [5.0, 1.0, 0.0, 5.25]])


def close(law, wanted):
    for row, true in zip(law.chance.tolist(), wanted, strict=True):
        assert all(abs(chance - each) <= law.error * each for chance, each in zip(row, true, strict=True))
    assert law.absolute_error == 0


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_epsilon_greedy_takes_the_first_of_equal_ones(epsilon):
    share = Fraction(epsilon) / 4
    close(
        epsilon_greedy(SCORES, epsilon),
        [[1 - Fraction(epsilon) + share if arm == best else share for arm in range(4)] for best in (0, 3)],
    )


@pytest.mark.parametrize("uniform", [0.0, 0.05])
@pytest.mark.parametrize("temperature", [0.07, 3.0])
def test_softmax_is_relative_at_any_depth(temperature, uniform):
    law = softmax(SCORES, temperature, uniform)
    with mpmath.workdps(30):
        weights = [[mpmath.exp(mpmath.mpf(s) / mpmath.mpf(temperature)) for s in row] for row in SCORES.tolist()]
        share = mpmath.mpf(uniform)
        close(law, [[(1 - share) * w / sum(row) + share / 4 for w in row] for row in weights])
    deep = softmax([[0.0, -3000.0]], 1.0)
    assert deep.log[0, 1] == -3000
    assert softmax([[0.0, -3000.0]], 1.0, 0.5).chance[0, 1] == 0.25
    assert softmax([[0.0, -3000.0]], 1.0, 1.0).chance[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("gamma", [0.0, 2.5, 1e9])
def test_inverse_gap_weighting(gamma):
    wanted = []
    for row, best in zip(SCORES.tolist(), (0, 3), strict=True):
        gaps = [Fraction(row[best]) - Fraction(score) for score in row]
        others = [Fraction(0) if arm == best else 1 / (4 + Fraction(gamma) * gap) for arm, gap in enumerate(gaps)]
        wanted.append([1 - sum(others) if arm == best else other for arm, other in enumerate(others)])
    close(inverse_gap_weighting(SCORES, gamma), wanted)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: epsilon_greedy(SCORES, 1.5), "exploration probability"),
        (lambda: softmax([[np.inf, 0.0]], 1.0), "finite"),
        (lambda: softmax(SCORES, 0.0), "temperature"),
        (lambda: inverse_gap_weighting(SCORES, -1.0), "gamma"),
        (lambda: epsilon_greedy([[0.0, np.inf]], 0.1), "score of arm 1 in state 0 is inf; give finite"),
        (
            lambda: softmax([[0.0, 1.0], [-1e308, 1e308]], 1.0),
            r"in state 1, the score -1e\+308 of arm 0 is too far below",
        ),
        (
            lambda: softmax([[1e300, 0.0]], 1e-10),
            "in state 0, the score 0 of arm 1 is too far below the largest score, 1e",
        ),
        (lambda: inverse_gap_weighting([[1e308, -1e308]], 0.0), "for doubles; rescale the scores"),
    ],
)
def test_what_is_none_is_refused(made, words):
    with pytest.raises(ValueError, match=words):
        made()
