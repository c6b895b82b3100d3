"""What chen24's notes say of privacy in numbers, and that the exact losses see noise of the wrong size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpbandits import Approximate, Verdict, flipped
from dpbandits.audit.matching.privacy_claims import release_difference
from dpbandits.audit.privacy.certificates import policy_refutation
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import appendix_d, losses, section_4
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.release_laws.selections import Chances
from dpbandits.reference.claims.model import Basis
from dpbandits.reference.curves import gaussian_delta
from dpbandits.reference.papers.chen24.algorithms.dp_bai import Elimination, dp_bai_gauss
from dpbandits.reference.papers.chen24.algorithms.od_linbai import (
    OptimalDesign,
    dp_od,
    dp_od_as_given,
    in_the_round,
    one_norm,
    two_norm,
)
from dpbandits.reference.papers.chen24.algorithms.spreads import LaplaceNoise, NormalNoise
from dpbandits.reference.papers.chen24.claims import CLAIMS
from dpbandits.reference.papers.chen24.instances import FLAT, FLAT_AND_LONG, LINE, PLANE, SKEW, UNITS

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
@pytest.mark.first(1)
def test_exact_losses_see_a_thousandth_of_noise(share, verdict):
    def phase(name, eps):
        return losses.private_phase(name, eps, lambda f, T, eps: Elimination(f, T, Scaled(eps, share)))

    claim = LEDGER["chen24/proposition-4.1/attained"]
    finding = section_4.attained(claim, Effort(), 0, phase=phase, shapes=("two on a line", "five in the plane"))
    assert finding.verdict is verdict
    if verdict is Verdict.PROVED:
        assert finding.rests_on == (Basis.EXACT_LAW,)


def laws(chances, errors):
    return Chances(np.eye(3, dtype=bool), np.log(np.array(chances)), np.array(errors))


LEFT = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]
RIGHT = [[0.2, 0.25, 0.55], [0.05, 0.55, 0.4]]


def test_what_is_told_is_the_largest_loss_of_a_set_and_its_error():
    """The set that is named has the largest loss; another one may have the highest lower end, where less is off."""
    one, other = np.array([[1e-3, 0.2, 0.3], [0.1, 0.2, 1e-3]]), np.array([[2e-3, 0.4, 0.5], [0.7, 0.3, 2e-3]])
    low, high, which = losses.told(laws(LEFT, one), laws(RIGHT, other), None)
    assert low == pytest.approx([np.log(2.5) - 3e-3, np.log(4 / 3) - 3e-3], rel=1e-12, abs=0)
    assert high == pytest.approx([np.log(2.75) + 0.8, np.log(2) + 0.8], rel=1e-12, abs=0)
    assert which.tolist() == [2, 0]


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("eps", [0.0, 0.3])
def test_what_is_told_at_eps_is_the_sum_over_sets_in_the_worse_direction(eps, swapped):
    """At least and at most: each chance may be off by its error, a share of itself, as far as small errors are linear;
    the difference is off by four units more, which are large here."""
    errors = np.array([[1e-3, 2e-3, 3e-3], [4e-3, 1e-3, 2e-3]]), np.array([[2e-3, 1e-3, 5e-3], [3e-3, 1e-3, 1e-3]])
    sides = (LEFT, RIGHT) if not swapped else (RIGHT, LEFT)
    for share in (1.0, 0.0):
        found = losses.told(*(laws(side, share * each) for side, each in zip(sides, errors, strict=True)), eps, 1e-7)
        for row in range(2):
            ends = []
            for first, second in ((0, 1), (1, 0)):
                p, q = (np.array(sides[k][row]) * np.exp(eps * each) for k, each in ((first, 0), (second, 1)))
                off = share * (p * errors[first][row] + q * errors[second][row]) + 4e-7 * p
                ends.append((np.maximum(p - q - off, 0).sum(), np.maximum(p - q + off, 0).sum(), (p - q).argmax()))
            low, high, which = max(ends)
            assert [each[row] for each in found] == pytest.approx([low, high, which], rel=1e-12, abs=0)
            assert found[0][row] < found[1][row]


def test_means_are_tried_on_a_grid_as_far_as_rewards_reach():
    assert losses.tables(3.0, 2, (0.0, 1.0, 5.0, 40.0)).tolist() == [[a, b] for a in (0, 1, 3) for b in (0, 1, 3)]
    for pulled in (3, 7):  # too many are thinned out evenly
        found = losses.tables(9.0, pulled, (0.0, 1.0, 2.0, 3.0, 4.0))
        every = 5**pulled
        assert len(found) == len(range(0, every, max(1, every // losses.MANY)))
        assert found[0].tolist() == [0.0] * pulled
        assert found[-1].max() <= 4


@dataclass(frozen=True)
class Ends:
    """What `private_phase` and `normal_phase` return, with ends of one's own: shares of eps, or of delta."""

    low: float
    high: float

    def __call__(self, name, eps, delta=None):
        unit = eps if delta is None else delta
        loud = (eps, delta) in appendix_d.BROKEN
        low, high = (2.0, 2.0) if loud else (self.low, self.high)
        return Elimination(LINE, 40, LaplaceNoise(1.0)), losses.Told(low * unit, high * unit, (0.0,), 0, 1.0, (0,))


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        (Ends(1.0, 1.0), Verdict.PROVED),
        (Ends(1.0, 1.001), Verdict.CONSISTENT),
        (Ends(1.0, float("inf")), Verdict.CONSISTENT),
        (Ends(1.001, 1.001), Verdict.REFUTED),
    ],
)
def test_a_loss_is_below_eps_where_its_upper_end_is(ends, verdict):
    claim = LEDGER["chen24/proposition-4.1/attained"]
    assert section_4.attained(claim, Effort(), 0, phase=ends).verdict is verdict


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        (Ends(0.5, 1.0), Verdict.PROVED),
        (Ends(0.5, 1 + 1e-7), Verdict.CONSISTENT),
        (Ends(1 + 1e-7, 1 + 1e-7), Verdict.REFUTED),
    ],
)
def test_no_delta_is_exceeded_where_no_upper_end_is_above_it(ends, verdict):
    assert appendix_d.told(LEDGER["chen24/proposition-d.2/told"], Effort(), 0, phase=ends).verdict is verdict


def test_the_smallest_delta_has_finite_noise():
    """1.25/delta is beyond the doubles there, and its logarithm is not."""
    assert NormalNoise(1.0, 2.0**-1074).scale(1) == pytest.approx(np.sqrt(2 * (np.log(1.25) + 1074 * np.log(2))))


def test_the_repaired_calibration_leaves_no_delta_out():
    """delta < 1 is s > sqrt(2 log 1.25)."""
    for name in ("proposition-d.2/repaired", "eq-113/repaired"):
        assert LEDGER[f"chen24/{name}"].says.over["s"].low <= np.sqrt(2 * np.log(1.25))


LOUD = {  # twice the noise's eps, and what is promised
    "all are pulled": (Elimination(UNITS, 12, LaplaceNoise(2.0)), Approximate(1.0, 0.0)),
    "two of five are pulled": (Elimination(PLANE, 13, LaplaceNoise(2.0)), Approximate(1.0, 0.0)),
    "two of five, normal noise": (Elimination(PLANE, 13, NormalNoise(2.0, 0.1)), Approximate(0.8, 0.01)),
    "one of two, normal noise": (Elimination(LINE, 13, NormalNoise(2.0, 0.1)), Approximate(0.8, 0.01)),
    "moments": (dp_od(SKEW, 20, 2.0), Approximate(1.0, 0.0)),
}


ROUNDS = ("all are pulled", "two of five are pulled", "moments")


DEAR = "two of five, normal noise"  # its checker takes a while


@pytest.mark.parametrize(
    ("name", "relation"),
    [(name, "pull") for name in LOUD if name != DEAR]
    + [(name, "round") for name in ROUNDS]
    + [pytest.param(DEAR, "pull", marks=pytest.mark.thorough)],
)
@pytest.mark.first(3)
def test_a_refutation_by_the_law_carries_a_certificate(name, relation):
    """Of whole runs, up to the recommendation, whose estimates may share their noise; about no other noise."""
    policy, curve = LOUD[name]
    table = np.zeros((policy.arms, policy.horizon))
    pair = flipped(relation, table, 0, 0, 1.0)
    exact = exact_profile(policy, pair)
    bounds = curve.bounds(exact)
    assert bounds.refutes
    certificate = policy_refutation("test/claim", policy, pair, curve, exact, bounds.at)
    assert certificate is not None
    assert verify(certificate).ok
    assert release_difference(certificate, policy) == ""
    field = "eps" if name == "moments" else "spread"
    louder = replace(policy, **{field: 3.0 if name == "moments" else replace(policy.spread, eps=3.0)})
    assert "the steps of the certificate differ from those of" in release_difference(certificate, louder)


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


def first_round(policy: OptimalDesign) -> losses.Told:
    """What a release of the first round of DP-OD tells, on rewards that are 0, 1 or half of each."""
    plan = policy.groups(policy.init(1).active)[0][1]
    pulled = np.flatnonzero(plan.counts > 0)
    share = np.array(list(product((0.0, 0.5, 1.0), repeat=len(pulled))))
    sums = np.zeros((len(share), policy.arms))
    sums[:, pulled] = np.floor(share * plan.counts[pulled])
    one = np.repeat(sums, len(pulled), axis=0)
    where = np.tile(pulled, len(sums))
    by = np.where(one[np.arange(len(one)), where] < plan.counts[where], 1.0, -1.0)
    other = one.copy()
    other[np.arange(len(one)), where] += by
    moments = np.zeros((2, len(one), policy.dimension))
    moments[:, :, : plan.small.shape[1]] = np.stack([one, other]) @ plan.small
    left, right = (policy.retained(plan, side, policy.stay(2, policy.arms)) for side in moments)
    low, high, which = losses.told(left, right, None)
    # Moments are good to a few units for each arm; the loss moves by at most 1 for each scale and coordinate.
    slack = 64 * losses.UNIT * float(np.abs(moments).max()) / policy.scale(plan) * policy.arms * policy.dimension
    best = int(low.argmax())
    kept = tuple(np.flatnonzero(left.sets[which[best]]).tolist())
    found = tuple((one[best, pulled] / plan.counts[pulled]).tolist())
    return losses.Told(
        max(0.0, float(low[best]) - slack), float(high.max()) + slack, found, int(where[best]), float(by[best]), kept
    )


ROOT = np.sqrt(2)
HALVES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.5, 0.0))


@pytest.mark.parametrize(
    ("features", "horizon", "longest", "wanted"),
    [
        (SKEW, 20, two_norm, ROOT),
        (SKEW, 20, one_norm, 1.0),  # the singular vectors are the axes
        (SKEW, 20, in_the_round, 1.0),
        (HALVES, 30, one_norm, ROOT),
        (HALVES, 30, two_norm, ROOT),
        (HALVES, 30, in_the_round, 1.0),
        (FLAT, 30, one_norm, 1.4),
        (FLAT_AND_LONG, 30, one_norm, 1.29482332384),
        (FLAT_AND_LONG, 30, in_the_round, 1.0),
    ],
)
@pytest.mark.first(3)
def test_which_longest_feature_keeps_a_round_of_dp_od_private(features, horizon, longest, wanted):
    """The 1-norm in the round's coordinates does; that of the given ones, and any 2-norm, need not."""
    found = first_round(OptimalDesign(features, horizon, 1.0, longest))
    assert abs(found.low - wanted) < 1e-9
    assert found.high >= wanted - 1e-9


def test_a_change_of_coordinates_makes_one_norms_longer_and_leaves_two_norms():
    """By hand: (-16, 0, 1) has the 1-norm 17, and 22.012 in the round; its 2-norm is sqrt(257)."""
    policy = dp_od_as_given(FLAT_AND_LONG, 30, 1.0)
    (_, plan), *_ = policy.groups(policy.init(1).active)
    assert policy.scale(plan) == 17.0
    assert plan.small.shape == (3, 2)
    assert np.abs(plan.small[2]).sum() == pytest.approx(22.011996505298605)
    assert np.linalg.norm(plan.small, axis=1) == pytest.approx(np.linalg.norm(FLAT_AND_LONG, axis=1))
    assert in_the_round(np.array(FLAT_AND_LONG), plan.small) == pytest.approx(22.011996505298605)
    assert two_norm(np.array(FLAT_AND_LONG), plan.small) == pytest.approx(np.sqrt(257))


def test_estimates_of_arms_that_are_not_pulled_hang_on_the_changed_reward():
    """The note of eq-112, with Laplace noise: reward 0 or 1 of one pull, eps = 1, and twice an estimate in [0, 1/2]."""
    noise, normal = stats.laplace, LEDGER["chen24/eq-112"].says
    chances = [float(noise.cdf(0.5 - reward) - noise.cdf(-reward)) for reward in (0, 1)]
    assert chances == pytest.approx([0.196735, 0.119326], abs=1e-6)
    s = np.sqrt(2 * np.log(1.25 / 0.01))  # delta = 0.01
    where = {"w": 0.5 / s, "move": 1 / s}
    found = [float(side(doubles, **where)) for side in (normal.left, normal.right)]
    assert found == pytest.approx([0.06391, 0.06228], abs=1e-5)


def shown(eps, delta, means):
    """The left side of proposition-d.2, at its largest."""
    return LEDGER["chen24/proposition-d.2"].says.left(doubles, eps=eps, delta=delta, mean=means).max()


def test_where_the_gaussian_calibration_ends():
    """The note of proposition-d.2."""
    for delta, fails, holds in ((0.1, 5.8, 5.7), (0.01, 6.8, 6.7), (1e-5, 8.5, 8.4)):
        for eps, wrong in ((fails, True), (holds, False)):
            assert bool(shown(eps, delta, np.linspace(0, 8, 8001)) > delta) is wrong
    deltas = np.concatenate([np.geomspace(1e-12, 0.5, 200), 1 - np.geomspace(1e-9, 0.5, 200)])
    mu = 3.7 / np.sqrt(2 * np.log(1.25 / deltas))
    assert all(gaussian_delta(doubles, 3.7, each) < delta for each, delta in zip(mu, deltas, strict=True))


@pytest.mark.parametrize(("eps", "delta"), [(7.0, 0.2), (20.0, 0.01), (7.5, 0.9)])
def test_two_arms_on_a_line_show_what_the_formula_says(eps, delta):
    """No table has a negative mean: with much delta they show less than a noisy mean by itself, 1/2 at most."""
    policy = losses.lasting(LINE, lambda f, T: dp_bai_gauss(f, T, eps, delta), 200)
    more = eps / np.sqrt(2 * np.log(1.25 / delta))
    means = more * np.arange(20.0)
    found = losses.first_phase(policy, eps, tuple(means))
    assert found.low == pytest.approx(shown(eps, delta, means), rel=1e-9)
    assert found.high < min(0.5 + 1e-9, gaussian_delta(doubles, eps, more))
