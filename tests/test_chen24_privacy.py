"""What chen24's notes say of privacy in numbers, and that the exact losses see noise of the wrong size."""

from __future__ import annotations

import numpy as np
import pytest

from dpbandits.proofs_checks.judge.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import section_4
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.ledger import Basis, Verdict
from dpbandits.reference.papers.chen24.claims import CLAIMS
from dpbandits.reference.vocabulary import doubles

CLAIM = next(claim for claim in CLAIMS if claim.id == "chen24/proposition-4.1/attained")


@pytest.mark.parametrize(
    ("scale", "verdict"), [(1.0, Verdict.PROVED), (0.99, Verdict.REFUTED), (1.01, Verdict.CONSISTENT)]
)
def test_exact_losses_see_one_per_cent_of_noise(monkeypatch, scale, verdict):
    monkeypatch.setattr(section_4, "SCALE", scale)
    monkeypatch.setattr(section_4, "LEVELS", (1.0,))
    monkeypatch.setattr(section_4, "PHASES", section_4.ATTAINED)
    monkeypatch.setattr(section_4, "GAPS", (0.0, 40.0))
    finding = section_4.attained(CLAIM, Effort(), 0)
    assert finding.verdict is verdict
    if verdict is Verdict.PROVED:
        assert finding.rests_on == (Basis.EXACT_LAW,)


def test_two_arms_by_the_formula():
    """eps - log((2 + u + eps)/(2 + u)), u scales away: the note of proposition-4.1/two-arms."""
    for eps in section_4.LEVELS:
        found, gap = section_4.phase_loss(2, 1, eps), 40.0
        by_formula = eps - np.log((2 + gap) / (2 + gap - eps))
        assert found.low <= by_formula / eps <= found.high
        assert found.high - found.low < 1e-9


@pytest.mark.parametrize(
    ("delta", "divisor", "fails", "holds"),
    [(0.01, 2, 20, 19.5), (1e-5, 2, 38, 37), (0.01, 2**0.5, 6.8, 6.7), (1e-5, 2**0.5, 8.5, 8.4)],
)
def test_where_the_gaussian_calibration_ends(delta, divisor, fails, holds):
    """The note of proposition-d.2: the recommendation of few arms, and one noisy mean."""
    for eps, wrong in ((fails, True), (holds, False)):
        mu = eps / (divisor * np.sqrt(np.log(1.25 / delta)))
        assert bool(gaussian_delta(doubles, eps, mu) > delta) is wrong
