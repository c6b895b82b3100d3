"""What chen24's notes say of privacy in numbers, and that the exact losses see noise of the wrong size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import losses, section_4
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.ledger import Basis, Verdict
from dpbandits.reference.papers.chen24.algorithms import Elimination
from dpbandits.reference.papers.chen24.claims import CLAIMS
from dpbandits.reference.papers.chen24.instances import SKEW
from dpbandits.reference.papers.chen24.od_linbai import one_norm, two_norm
from dpbandits.reference.papers.chen24.spreads import LaplaceNoise
from dpbandits.reference.vocabulary import doubles

LEDGER = {claim.id: claim for claim in CLAIMS}


@dataclass(frozen=True)
class Scaled(LaplaceNoise):
    """Noise of the wrong size."""

    share: float = 1.0

    def scale(self, each):
        return self.share * super().scale(each)


@pytest.mark.parametrize(
    ("share", "verdict"), [(1.0, Verdict.PROVED), (0.999, Verdict.REFUTED), (1.001, Verdict.CONSISTENT)]
)
def test_exact_losses_see_a_thousandth_of_noise(monkeypatch, share, verdict):
    monkeypatch.setattr(losses, "dp_bai", lambda f, T, eps: Elimination(f, T, Scaled(eps, share)))
    monkeypatch.setattr(section_4, "SHAPES", ("two on a line", "five in the plane"))
    monkeypatch.setattr(section_4, "ATTAINED", ("two on a line", "five in the plane"))
    finding = section_4.attained(LEDGER["chen24/proposition-4.1/attained"], Effort(), 0)
    assert finding.verdict is verdict
    if verdict is Verdict.PROVED:
        assert finding.rests_on == (Basis.EXACT_LAW,)


def test_two_arms_by_the_formula():
    """eps - log((2 + u)/(2 + u - eps)), u scales away: the note of proposition-4.1/two-arms."""
    for eps in (0.01, 1.0, 30.0):
        found = losses.private_phase("two unit vectors", eps)[1]
        gaps = [abs(found.means[0] + moved - found.means[1]) for moved in (0.0, found.moved)]
        far, near = max(gaps), min(gaps)
        assert far - near == pytest.approx(eps)
        assert found.low == pytest.approx(eps - np.log((2 + far) / (2 + near)), rel=1e-6)
        assert found.low <= found.high <= eps


def test_one_noisy_mean_decides():
    """Two arms on a line tell what a Gaussian mechanism tells, up to the grid of a mean."""
    for eps, delta in ((1.0, 0.01), (10.0, 1e-5), (30.0, 1e-9)):
        s = np.sqrt(2 * np.log(1.25 / delta))
        wanted = float(gaussian_delta(doubles, eps, eps / s))
        found = losses.normal_phase("two on a line", eps, delta)[1]
        assert found.low <= wanted * (1 + 1e-6)


def test_the_euclidean_norm_tells_the_root_of_two():
    for norm, wanted in ((two_norm, np.sqrt(2)), (one_norm, 1.0)):
        found = losses.design_round(SKEW, 1.0, norm, 20)
        assert abs(found.low - wanted) < 1e-9
        assert found.high >= wanted - 1e-9


def test_where_the_gaussian_calibration_ends():
    """The note of proposition-d.2."""
    for delta, fails, holds in ((0.01, 6.8, 6.7), (1e-5, 8.5, 8.4), (0.9, 3.8, 3.7)):
        for eps, wrong in ((fails, True), (holds, False)):
            mu = eps / np.sqrt(2 * np.log(1.25 / delta))
            assert bool(gaussian_delta(doubles, eps, mu) > delta) is wrong
    deltas = np.concatenate([np.geomspace(1e-12, 0.5, 200), 1 - np.geomspace(1e-9, 0.5, 200)])
    mu = 3.7 / np.sqrt(2 * np.log(1.25 / deltas))
    assert all(gaussian_delta(doubles, 3.7, each) < delta for each, delta in zip(mu, deltas, strict=True))
