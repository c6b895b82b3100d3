"""Numbers of a certificate that are known up to their rounding: the chances of all of them are enclosed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from test_certificates import shared

from dpbandits import flipped
from dpbandits.audit.privacy.certificates import policy_refutation
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import selections as checker_selections
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.exact.engine import exact_profile
from dpbandits.reference.papers.chen24.algorithms.max_det import coordinates, rounding
from dpbandits.reference.papers.chen24.algorithms.od_linbai import dp_od, planned
from dpbandits.reference.papers.chen24.claims import CLAIMS

OFF = Fraction(1, 10**4)
TABLES = checker_selections.Tables([Fraction(3)], [[Fraction(k)] for k in (1, 0, -2)])


def step(noise: str, seed: int) -> dict[str, Any]:
    """Three options that share two noisy values, of random numbers."""
    draw = np.random.default_rng(seed)
    numbers = [[str(Fraction(int(k), 16)) for k in row] for row in draw.integers(-32, 32, (5, 2))]
    scales = [str(Fraction(int(k), 8)) for k in draw.integers(1, 24, 2)]
    return shared()["steps"][0] | {
        "noise": noise,
        "windows": [[0, 0, "0", "3"], [0, 2, "1", "2"], [1, 1, "0", "2"], [1, 2, "0", "2"]],
        "factors": [*numbers[0], *numbers[1]],
        "scales": scales,
        "weights": numbers[2:],
    }


def moved(given: dict[str, Any], draw: Any) -> dict[str, Any]:
    """All numbers off by as much as they may be, one way or the other; weights that are equal stay so."""
    off = {name: OFF * max(abs(Fraction(x)) for x in np.ravel(given[name])) for name in ("factors", "weights")}

    def sign() -> int:
        return int(draw.choice([-1, 1]))

    rows = {tuple(row): [str(Fraction(x) + sign() * off["weights"]) for x in row] for row in given["weights"]}
    return given | {
        "factors": [str(Fraction(x) + sign() * off["factors"]) for x in given["factors"]],
        "weights": [rows[tuple(row)] for row in given["weights"]],
        "scales": [str(Fraction(x) * (1 + sign() * OFF)) for x in given["scales"]],
    }


def chance(given: dict[str, Any], kept: set[int]) -> tuple[float, float]:
    found = checker_releases.selection_step_probability(
        checker_selections.read_selection(given, TABLES, "here"), frozenset(kept)
    )
    return float(checker_intervals.low(found)), float(checker_intervals.high(found))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.first(2)
def test_the_chance_of_every_mechanism_within_is_enclosed(seed: int) -> None:
    given, draw = step("laplace", seed), np.random.default_rng(seed)
    for kept in ({0}, {1}, {2}):
        low, high = chance(given | {"within": str(OFF)}, kept)
        middle = sum(chance(given, kept)) / 2
        assert low <= middle <= high
        assert high - low < 0.02
        others = [sum(chance(moved(given, draw), kept)) / 2 for _ in range(6)]
        assert low <= min(others)
        assert max(others) <= high


def test_what_a_centre_may_be_off_by_is_attained_in_a_tail() -> None:
    """One value, whose sign alone counts: a factor and a scale that are off move its centre by twice their share."""
    given = step("laplace", 0) | {"windows": [[0, 0, "0", "3"]], "factors": ["-1/2"], "divisors": ["1"]}
    given |= {"bounds": ["inf"], "scales": ["1/4"], "weights": [["1"], ["-1"]]}  # centred 6 scales below 0
    low, high = chance(given | {"within": str(OFF)}, {0})
    ends = []
    for off in (OFF, -OFF):
        other = {"factors": [str(Fraction(-1, 2) * (1 + off))], "scales": [str(Fraction(1, 4) * (1 - off))]}
        ends.append(sum(chance(given | other, {0})) / 2)
    least, most = ends
    assert low <= least < most <= high
    assert high - low < 1.001 * (most - least)


def test_normal_values_are_enclosed_as_well() -> None:
    given, draw = step("gaussian", 4), np.random.default_rng(4)
    low, high = chance(given | {"within": str(OFF)}, {0})
    plain = chance(given, {0})
    assert low < plain[0] < plain[1] < high
    for _ in range(2):
        one = chance(moved(given, draw), {0})
        assert low <= one[1]
        assert one[0] <= high


def exactly(matrix: Any) -> Any:
    return mpmath.matrix([[mpmath.mpf(float(x)) for x in row] for row in matrix])


def furthest(a: Any, b: Any) -> float:
    most = max(abs(a[i, j] - b[i, j]) for i in range(a.rows) for j in range(a.cols))
    return float(most / max(abs(b[i, j]) for i in range(b.rows) for j in range(b.cols)))


@pytest.mark.parametrize("seed", range(8))
def test_coordinates_and_estimates_are_as_exact_as_they_say(seed: int) -> None:
    """Beside the nearest orthonormal coordinates, in 50 digits: U V^T of what the page computes."""
    draw = np.random.default_rng(seed)
    features = draw.normal(size=(4 + seed % 3, 2 + seed % 2)) * 10.0 ** (seed % 4)
    features[1] = features[0] + 10.0 ** -(seed % 5) * features[1]  # nearly alike, some of them
    if seed == 7:
        features[:, 1] = 0.5 * features[:, 0]  # all on a line
    given = tuple(map(tuple, features.tolist()))
    plan = planned(given, tuple(range(len(given))), 40.0)
    with mpmath.workdps(50):
        exact = exactly(features)
        right = np.linalg.svd(features, full_matrices=False)[2]
        basis = exactly(right[: plan.small.shape[1]])
        for _ in range(4):  # Newton's iteration for the orthonormal factor; of the span's rows alone
            basis = mpmath.mpf(1) / 2 * (3 * basis - basis * basis.T * basis)
        small = exact * basis.T
        counts = mpmath.diag([mpmath.mpf(int(n)) for n in plan.counts])
        solve = ((small.T * counts * small) ** -1 * small.T).T
        assert furthest(exactly(plan.small), small) <= plan.rounding / 4
        assert furthest(exactly(plan.solve), solve) <= plan.rounding / 4
        chosen = [0, 2, 3][: small.cols]  # of these coordinates, alpha is made whatever the basis is
        alpha = small * mpmath.matrix([[small[i, j] for j in range(small.cols)] for i in chosen]) ** -1
        off = rounding(plan.small[chosen])
        assert furthest(exactly(coordinates(plan.small, tuple(chosen))), alpha) <= off / 4
    assert 0 < plan.rounding < 1e-5


@pytest.mark.parametrize(("name", "place", "arm"), [("euclidean", 0, 0), ("as-given", 0, 1), ("as-given", 1, 2)])
def test_dp_od_s_refutations_hold_for_exact_coordinates(name: str, place: int, arm: int) -> None:
    claim = next(each for each in CLAIMS if each.id == f"chen24/dp-od/arms/{name}")
    given = claim.params[place]
    policy = claim.subject(**given)
    says = policy.selecting(2, policy.init(1))
    assert 0 < says.within < 1e-11
    assert dp_od(**given).selecting(2, policy.init(1)).within == says.within
    curve = claim.says.curve(policy)
    pair = flipped("pull", np.zeros((3, policy.horizon)), arm, 0, 1.0)
    exact = exact_profile(policy, pair)
    made = policy_refutation(claim.id, policy, pair, curve, exact, curve.bounds(exact).at)
    assert made is not None
    assert verify(made).ok
    assert "within" in made["steps"][0]
