"""Certified error probabilities of chen24's DP-BAI: against runs, naive sums, and wrong bounds."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import binom

from dpbandits import Verdict
from dpbandits.audit.judges.effort import PROFILES
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.papers.chen24 import errors, section_4, sizes, spaces
from dpbandits.proofs_checks.papers.chen24.errors import Chain, in_wedges, merged, selected
from dpbandits.proofs_checks.papers.chen24.noisy_sums import cells, noisy
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, top
from dpbandits.reference.papers.chen24 import dp_bai
from dpbandits.reference.papers.chen24.algorithms.fans import combined
from dpbandits.reference.papers.chen24.claims import CLAIMS

RUNS = 10_000
LEDGER = {claim.id: claim for claim in CLAIMS}
PLANE = np.array([(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-0.5, 1.0), (1.0, -0.3)])
FLAT = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.5, 0.6, 0.0), (0.3, 0.6, 0.0), (0.7, 0.1, 0.0)])
CASES = {
    "plane": (PLANE, (0.3, 0.5), 20, 0.3),
    "plane, then all": (FLAT, (0.8, 0.3, 0.0), 40, 0.5),
    "a line": (np.array([(1.0, 0.0), (0.5, 0.0)]), (0.8, 0.0), 12, 0.3),
    "independent": (np.eye(5), (0.9, 0.2, 0.5, 0.1, 0.3), 60, 0.7),
}


def chain(name, fine=32):
    vectors, theta, horizon, eps = CASES[name]
    return Chain(dp_bai(vectors.tolist(), horizon, eps), tuple((vectors @ np.array(theta)).tolist()), fine)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.first(1)
def test_runs_agree(name):
    """Clopper and Pearson's limits at a level of 1e-6 meet the certified ones (theorem-4.2/runs: a million in deep)."""
    low, high = np.exp(chain(name).error())
    assert high / low < 1.1
    wrong = errors.simulated(chain(name), RUNS, seed=1)
    least, most = errors.clopper_pearson(wrong, RUNS, 1e-6)
    assert least <= high
    assert low <= most


@pytest.mark.parametrize(("profile", "many"), [("quick", 40_000), ("ci", 160_000), ("deep", 1_000_000)])
def test_larger_profiles_play_more_runs(profile, many):
    """And see smaller errors: a share that is off by the resolution is refuted, the right one is not."""
    claim, effort = LEDGER["chen24/theorem-4.2/runs"], PROFILES[profile].effort
    cases = section_4.SEEN[:1]
    played = []

    def playing(off):
        def simulated(found, runs, seed):
            played.append(runs)
            return round(runs * (np.exp(found.error().low) + off))

        return simulated

    finding = section_4.runs(claim, effort, 0, cases=cases, count_errors=playing(0.0))
    assert finding.verdict is Verdict.CONSISTENT
    assert set(played) == {many}
    off = max(row[-1] - row[-2] for row in finding.evidence[0]["rows"])
    assert off < 20 / np.sqrt(many)
    wrong = section_4.runs(claim, effort, 0, cases=cases, count_errors=playing(off + 0.05))
    assert wrong.verdict is Verdict.REFUTED


def test_clopper_and_pearson_by_their_definition():
    for wrong, runs in ((0, 50), (7, 50), (50, 50)):
        low, high = errors.clopper_pearson(wrong, runs, 0.01)
        if wrong:
            assert binom.sf(wrong - 1, runs, low) == pytest.approx(0.005)
        if wrong < runs:
            assert binom.cdf(wrong, runs, high) == pytest.approx(0.005)
        assert (low == 0) == (wrong == 0)
        assert (high == 1) == (wrong == runs)


def test_finer_cells_are_nested():
    found = [chain("plane", fine).error() for fine in (2, 8, 32)]
    assert all(a.low <= b.low <= b.high <= a.high for a, b in pairwise(found))


@pytest.mark.parametrize("eps", [0.2, 3.0])
def test_noisy_sums_by_hand(eps):
    n, mean = 7, 0.3
    found = noisy(n, mean, eps)
    for x in (-30.0, -1.5, -0.2, 0.0, 0.4, 3.0, 6.999, 7.0, 7.3, 40.0):
        weights = binom.pmf(np.arange(n + 1), n, mean)
        z = eps * (x - np.arange(n + 1))
        under = weights @ np.where(z < 0, np.exp(z) / 2, 1 - np.exp(-np.abs(z)) / 2)
        over = weights @ np.where(z > 0, np.exp(-z) / 2, 1 - np.exp(-np.abs(z)) / 2)
        logs = [float(each) for each in found.logs(np.array(x))]
        assert np.allclose(np.exp(logs), [under, over], rtol=1e-9)
    assert [float(each) for each in found.logs(np.array(np.inf))] == pytest.approx([0.0, -np.inf], abs=1e-15)
    assert [float(each) for each in found.logs(np.array(-np.inf))] == pytest.approx([-np.inf, 0.0], abs=1e-15)


def test_phases_by_all_sums_of_rewards():
    """Every outcome of the rewards, with the exact law of the selection."""
    n, eps, means = 4, 0.8, (0.7, 0.4, 0.2)
    sums = [noisy(n, mean, eps) for mean in means]
    weights = [binom.pmf(np.arange(n + 1), n, mean) for mean in means]
    every = np.array(list(product(range(n + 1), repeat=3)))
    chance = np.prod([w[column] for w, column in zip(weights, every.T, strict=True)], axis=0)
    law = top(LAPLACE, eps * every, 1.0, 2)
    for chosen, wanted in zip(law.sets, chance @ law.chance, strict=True):
        found = np.exp(selected(sums, tuple(np.flatnonzero(chosen).tolist()), 64))
        assert found[0] <= wanted <= found[1]
        assert found[1] / found[0] < 1.1
    pairs = np.array(list(product(range(n + 1), repeat=2)))
    chance = weights[0][pairs[:, 0]] * weights[1][pairs[:, 1]]
    law = combined(LAPLACE, PLANE, eps * pairs, 2)
    space = errors.fan(tuple(map(tuple, PLANE.tolist())), 2)
    for cones, wanted in zip(space.cones, chance @ law.chance, strict=True):
        found = np.exp(in_wedges(sums[:2], merged(cones), 64))
        assert found[0] <= wanted <= found[1]
        assert found[1] / found[0] < 1.2


def test_cells_cover_the_line():
    ends = cells([noisy(5, 0.5, 0.5)], 4)
    assert ends[0] == -np.inf
    assert ends[-1] == np.inf
    assert (np.diff(ends[1:-1]) > 0).all()


def test_a_wrong_bound_is_refuted():
    claim, few = LEDGER["chen24/theorem-4.2/instances"], {"cases": section_4.CASES[:2], "budgets": (20, 1000)}

    def claimed(found):
        return tuple(800 * each for each in section_4.bounds(found))

    assert section_4.instances(claim, Effort(), 0, **few).verdict is Verdict.PROVED
    wrong = section_4.instances(claim, Effort(), 0, **few, claimed=claimed)
    assert wrong.verdict is Verdict.REFUTED


def test_steps_of_the_argument_can_fail():
    claim = LEDGER["chen24/theorem-4.2/explicit"]
    assert section_4.explicit(claim, Effort(), 0).verdict is Verdict.ARGUED
    faster = sizes.phases(100, 8)._replace(sizes=(100, 2, 1))
    assert sizes.wrong_index((100, 8), plan_of=lambda *_: faster) == "K = 100, d = 8: 100 to 2"


# -- three arms of ten are pulled -------------------------------------------------------------------------------------


def ten(horizon, fine, eps=1.0):
    means = tuple((np.array(section_4.TEN) @ np.array([0.9, 0.3, 0.2])).tolist())
    return Chain(dp_bai(section_4.TEN, horizon, eps), means, fine)


@pytest.mark.thorough
def test_runs_agree_in_space():
    """T = 20: one pull of three arms, then of the four that are left, and so on."""
    low, high = np.exp(ten(20, 32).error())
    assert high / low < 1.05
    least, most = errors.clopper_pearson(errors.simulated(ten(20, 32), RUNS, seed=1), RUNS, 1e-6)
    assert least <= high
    assert low <= most


@pytest.mark.thorough
def test_rectangles_hold_what_outcomes_say():
    """The two ways of a phase in space: one is exact, the other one between its bounds, nearer for more rectangles."""
    sums = [noisy(2, mean, 0.8) for mean in (0.7, 0.4, 0.2)]
    weights = np.array([*np.eye(3), (0.0, 0.5, 0.4)])
    sets, exact = spaces.by_outcomes(sums, weights, 2)
    wide = []
    for many in (20, 80):
        found = [spaces.by_rectangles(sums, weights, chosen, many) for chosen in sets]
        assert all(rough.low <= each.low <= each.high <= rough.high for rough, each in zip(found, exact, strict=True))
        wide.append(sum(np.exp(each.high) - np.exp(each.low) for each in found))
    assert 3 * wide[1] < wide[0] < 1
    assert sum(np.exp(each.low) for each in exact) == pytest.approx(1, abs=1e-6)


@pytest.mark.thorough
def test_runs_agree_by_rectangles():
    """T = 120: nine pulls of each, too many for all their outcomes."""
    low, high = np.exp(ten(120, 4).error())
    assert high / low < 3
    least, most = errors.clopper_pearson(errors.simulated(ten(120, 4), RUNS, seed=1), RUNS, 1e-6)
    assert least <= high
    assert low <= most


def test_four_dimensions_are_not_followed():
    vectors = np.random.default_rng(0).normal(size=(17, 4))
    found = Chain(dp_bai(vectors.tolist(), 200, 1.0), (0.9, *[0.1] * 16))
    with pytest.raises(ValueError, match="pulls 4 of its arms"):
        found.error()
