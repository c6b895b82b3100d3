"""The estimated violation that ranks pairs is a z-score of the claim, by counted errors and by likelihood ratios."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from dpbandits.audit.play.transcripts import transcripts_of_arms
from dpbandits.audit.privacy.scores import contexts
from dpbandits.audit.privacy.scores.violation import Scores, cells_of_pairs, separations, violations
from dpbandits.reference.curves import Approximate, Gaussian

RUNS = 4000


def normal_scores(mu: float, exact: bool, pairs: int = 40) -> Scores:
    """Log-likelihood ratios of N(0, 1) against N(mu, 1), from either side."""
    draw = np.random.default_rng(7)
    left, right = draw.standard_normal((2, pairs, RUNS))
    return Scores(mu * left - mu * mu / 2, mu * (right + mu) - mu * mu / 2, exact)


def largest_z(mu: float, claimed: float, exact: bool) -> float:
    """The largest z over thresholds, by integrals: what the estimates estimate, of the ranking's own definition."""
    threshold = np.linspace(-4, 4 + mu, 4001)
    alpha, beta = norm.sf(threshold), norm.cdf(threshold - mu)
    promised = norm.cdf(norm.isf(alpha) - claimed)
    slope = -np.exp(claimed * norm.isf(alpha) - claimed**2 / 2)
    if not exact:
        return float(((promised - beta) / np.sqrt((slope**2 * alpha * (1 - alpha) + beta * (1 - beta)) / RUNS)).max())
    x = np.linspace(-9, 9 + mu, 20001)
    step, mixed = x[1] - x[0], (norm.pdf(x) + norm.pdf(x - mu)) / 2
    right, left = norm.pdf(x - mu) / mixed, norm.pdf(x) / mixed
    beta_squares = np.interp(threshold, x, np.cumsum(right**2 * mixed) * step)
    alpha_squares = np.interp(threshold, x, (np.sum(left**2 * mixed) - np.cumsum(left**2 * mixed)) * step)
    mean = beta - slope * alpha
    variance = (beta_squares + slope**2 * alpha_squares - mean**2) / (2 * RUNS)
    return float(((promised - beta) / np.sqrt(variance)).max())


@pytest.mark.parametrize("exact", [True, False], ids=["by ratios", "by counts"])
@pytest.mark.parametrize("claimed", [0.8, 0.9, 0.95])
def test_the_estimate_is_the_z_score_of_the_claim(claimed: float, exact: bool) -> None:
    """In the mean of 40 pairs: a z-score has a standard deviation of about 1, its mean one of 1/sqrt(40).

    Counted errors are noisy at each threshold, so that their largest z-score exceeds the one at the best threshold: by
    less than 2, about the mean of the largest of 24 independent standard normal variables."""
    expected = largest_z(1.0, claimed, exact)
    found = float(np.mean(violations(Gaussian(claimed), normal_scores(1.0, exact))))
    if exact:
        assert abs(found - expected) <= min(0.03 * expected, 4 / np.sqrt(40))
    else:
        assert expected <= found <= expected + 2


@pytest.mark.parametrize("exact", [True, False], ids=["by ratios", "by counts"])
def test_larger_violations_rank_first(exact: bool) -> None:
    means = [float(np.mean(violations(Gaussian(1.0), normal_scores(mu, exact)))) for mu in (0.5, 1.0, 1.1, 1.3)]
    assert means == sorted(means)
    assert means[1] < 3 < means[3]


def test_ratios_weigh_every_run_of_both_sides() -> None:
    """Where 200 of 2000 runs on the right are impossible on the left, and the others say nothing: 3800 runs of weight 1
    estimate beta, 0.95, and alpha is 0. A claim of (0, 0) promises 1 - alpha."""
    left, right = np.zeros((1, 2000)), np.where(np.arange(2000) < 200, np.inf, 0.0)[None, :]
    (found,) = violations(Approximate(0.0, 0.0), Scores(left, right, exact=True))
    variance, floor = (0.95 - 0.95**2) / 4000, 2 / 4000**2
    assert found == pytest.approx(0.05 / np.sqrt(variance + floor), rel=1e-3)


def test_separation_is_a_difference_of_probabilities_and_ties_count_for_neither() -> None:
    left, right = np.random.default_rng(2).integers(0, 5, (2, 3, 30)).astype(float)
    right[1] += 2
    right[2] += 9
    order = np.sign(right[:, :, None] - left[:, None, :])
    found = separations(Scores(left, right, exact=False))
    np.testing.assert_allclose(found, order.mean(axis=(1, 2)), rtol=0, atol=1e-12)
    assert found[2] == 1


@pytest.mark.parametrize("relation", ["pull", "round", "user"])
def test_the_cells_of_many_pairs_are_those_of_each(relation: str) -> None:
    """Run i belongs to pair i modulo three: which steps may depend on its change, and what was released there."""
    arms = np.random.default_rng(3).integers(0, 2, (12, 6)).astype(np.int16)
    seen = transcripts_of_arms(arms, 2)
    spots = [(0, 0), (1, 2), (0, 3)]
    many = cells_of_pairs(seen, relation, *map(np.array, zip(*spots, strict=True)))
    assert 0 < many.row.size < arms.size
    for which, (arm, place) in enumerate(spots):
        pair = SimpleNamespace(relation=relation, spot=(arm, place))
        alone = contexts.cells(transcripts_of_arms(arms[which::3], 2), pair)  # type: ignore[arg-type]
        own = many.row % 3 == which
        assert (many.row[own] // 3).tolist() == alone.row.tolist()
        assert many.symbol[own].tolist() == alone.symbol.tolist()
