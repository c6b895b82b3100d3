"""What laws, walks and judges are made of, part by part: against slow definitions, or the refusals that they state."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from dpbandits import Pair, Pulls
from dpbandits.audit.play import transcripts
from dpbandits.audit.privacy import certificates as made_certificates
from dpbandits.audit.privacy.pipeline import how_many_steps
from dpbandits.audit.privacy.scores import values
from dpbandits.audit.statistics import expectation
from dpbandits.proofs_checks.exact import shifted_noise, state_graph
from dpbandits.proofs_checks.exact.gaussian_profile import log_gaussian_delta, mu_lower_bound
from dpbandits.proofs_checks.exact.privacy_profile import MeasurePair, SortedAtoms, tradeoff_positions
from dpbandits.proofs_checks.formulas.release_certificates import compress_to_runs
from dpbandits.proofs_checks.papers.phases import near_ends
from dpbandits.proofs_checks.vocabularies import intervals
from dpbandits.proofs_checks.vocabularies.decimals import decimal_exponent, place_decimal_point
from dpbandits.proofs_checks.vocabularies.exact_points import MAX_RATIONAL_BITS, rational_root, rational_vocabulary
from dpbandits.proofs_checks.vocabularies.intervals import iv
from dpbandits.reference.arithmetic.bisection import crossing_bracket
from dpbandits.reference.bandits.noisy_values import Undeclared
from dpbandits.reference.bandits.passing import cut_to_horizon
from dpbandits.reference.bandits.release_laws.selections import integrals
from dpbandits.reference.bandits.release_laws.selections.laws import checked_sets
from dpbandits.reference.papers.chen24.algorithms import cones
from dpbandits.reference.papers.ou24 import ThompsonSampling

EXAMPLE = Path(__file__).parents[1] / "reports" / "example" / "certificates"

# -- numbers -----------------------------------------------------------------------------------------------------------


SIZES = [1, 10, "0.999", "0.1", "1/7", "1e300", "1e-300", 10**40 - 1, "3e-41"]


@pytest.mark.parametrize("size", list(map(Fraction, SIZES)), ids=str)
def test_the_leading_digit_of_a_number(size: Fraction) -> None:
    assert Fraction(10) ** decimal_exponent(size) <= size < Fraction(10) ** (decimal_exponent(size) + 1)


@pytest.mark.parametrize(
    ("digits", "power", "text"),
    [
        ("7", 0, "7"), ("7", 6, "7000000"), ("7", 7, "7e7"), ("123", -2, "1.23"), ("123", -3, "0.123"),
        ("123", -9, "0.000000123"), ("123", -10, "1.23e-8"), ("5", -1, "0.5"), ("12", 7, "1.2e8"),
        ("12", 6, "12000000"),
    ],
)  # fmt: skip
def test_digits_are_written_as_people_do(digits: str, power: int, text: str) -> None:
    assert place_decimal_point(digits, power) == text
    assert Fraction(text) == int(digits) * Fraction(10) ** power


def test_roots_and_sizes_of_exact_numbers() -> None:
    assert [rational_root(Fraction(x)) for x in (0, 1, 4, Fraction(9, 16))] == [0, 1, 2, Fraction(3, 4)]
    assert [rational_root(Fraction(x)) for x in (-1, 2, Fraction(4, 3), Fraction(3, 4))] == [None] * 4
    long = rational_vocabulary.number(Fraction(1, 3)) ** (MAX_RATIONAL_BITS // 4)
    assert hasattr(long, "value")
    assert not hasattr(rational_vocabulary.number(Fraction(1, 3)) ** MAX_RATIONAL_BITS, "value")
    assert not hasattr(long * long * long * long, "value")
    assert (rational_vocabulary.number(2) ** -3).value == Fraction(1, 8)
    assert (-(rational_vocabulary.number(2) - 5)).value == 3
    assert abs(rational_vocabulary.number(-2)).value == 2
    assert int((rational_vocabulary.number(0) ** -1).defined) < 2
    assert int((rational_vocabulary.number(1) / 0).defined) == 0


@pytest.mark.parametrize("most", [8, 30])
def test_an_end_is_rounded_down_where_it_is_too_long_to_write(most: int) -> None:
    one = iv.number(1).ends[0]
    for power in (-40, -31, -30, -29, -9, -8, -7, 0, 7, 8, 9, 29, 30, 31, 40):
        for sign, odd in product((1, -1), (1, 3, 5)):
            exact = sign * odd * Fraction(2) ** power
            found = intervals.rational_below(
                one * sign * odd * 2**power if power >= 0 else one * sign * odd / 2**-power, most
            )
            assert found <= exact
            if 2 ** -(most - 4) < abs(exact) < 2 ** (most - 4):
                assert found == exact
            if exact > 0:
                assert found >= min(exact, Fraction(2) ** most) / 2 or (
                    found == 0 and exact < Fraction(2) ** (3 - most)
                )
            elif exact > -(Fraction(2) ** (most - 3)):
                assert found >= min(2 * exact, -Fraction(1, 2**most))
    assert intervals.rational_below(one * 0) == 0
    assert (intervals.rational_below(intervals.INF), intervals.rational_below(intervals.NEG_INF)) == (
        math.inf,
        -math.inf,
    )


# -- selections --------------------------------------------------------------------------------------------------------


def test_a_factor_in_an_ellipse_is_bounded() -> None:
    """|1 - e^-h| for complex h of the ellipse around a middle, with half axes that are AXIS and less."""
    angle = np.linspace(0, 2 * np.pi, 721)
    minor = (integrals.ELLIPSE - 1 / integrals.ELLIPSE) / 2
    for middle, reach in product((1e-6, 0.1, 1.0, 5.0, 40.0), (0.0, 1e-7, 0.05, 0.5, 3.0)):
        if reach > middle:
            continue
        h = middle + reach * (integrals.AXIS * np.cos(angle) + 1j * minor * np.sin(angle))
        true = np.abs(-np.expm1(-h)).max()
        bound = float(integrals.modulus(np.array(middle), np.array(reach)))
        assert true <= bound * (1 + 1e-12)
        assert bound <= 2.5 * true


@pytest.mark.parametrize("q", [0.25, 1.0, 7.0])
@pytest.mark.parametrize("along", [-30.0, -1.0, 0.0, 2.5])
@pytest.mark.first(4)
def test_the_radial_integral_of_a_direction(q: float, along: float) -> None:
    """int_0^inf r^2 e^(-q r^2/2 + r along) dr, which F is up to nothing."""
    with mpmath.workdps(30):
        peak = max(along / q, 0)
        knots = [0, *(peak + k for k in (0.1, 0.5, 1, 4, 12, 60) if peak + k > 0)]
        true = mpmath.log(mpmath.quad(lambda r: r * r * mpmath.exp(-q * r * r / 2 + r * along), sorted({*knots, peak})))
    assert float(cones.log_f(np.array([q]), np.array([along]))[0]) == pytest.approx(float(true), rel=1e-11, abs=1e-11)
    assert cones.log_f(np.array([0.0, -1.0]), np.array([1.0, 1.0])).tolist() == [math.inf, math.inf]


@pytest.mark.parametrize(
    "sets",
    [
        [[True, False]],
        [[True, False, True], [False] * 3],
        [[1, 0, 1]],
        [True, False, True],
        np.zeros((0, 3), dtype=bool),
    ],
)
def test_sets_that_are_none_are_refused(sets: Any) -> None:
    with pytest.raises(ValueError, match=r"sets have shape|an empty set"):
        checked_sets(sets, 3)
    assert checked_sets([[True, False, False]], 3).tolist() == [[True, False, False]]


# -- laws and releases -------------------------------------------------------------------------------------------------


def test_releases_are_cut_in_arm_order_and_nothing_follows_an_answer() -> None:
    counts = np.array([[3, 0, 2], [3, 0, 2], [3, 0, 2], [0, -1, 0], [0, -1, 0], [2, 0, 0]])
    kept, used = cut_to_horizon(Pulls(counts), np.array([6, 5, 1, 4, 0, 1]), may_answer=True)
    assert kept.counts.tolist() == [[3, 0, 2], [3, 0, 1], [0, 0, 0], [0, -1, 0], [0, 0, 0], [0, 0, 0]]
    assert used.tolist() == [5, 4, 0, 4, 0, 0]
    plain, used = cut_to_horizon(Pulls(counts[:3]), np.array([5, 4, 0]))
    assert plain.counts.tolist() == [[3, 0, 2], [3, 0, 1], [0, 0, 0]]
    assert used.tolist() == [5, 4, 0]


@pytest.mark.parametrize("several", [False, True])
def test_transcripts_hold_what_was_released(several: bool) -> None:
    released = np.array(
        [[[0, 2, 0], [1, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 3], [0, -1, 0]], [[0, 2, 0], [1, 0, 0], [0, 0, 1]]]
    )
    if several:
        released[1, 1] = [2, 0, 3]

    class Played:
        def __init__(self) -> None:
            self.released = released

    seen = transcripts.compact_transcripts(Played())  # type: ignore[arg-type]
    assert transcripts.step_counts(seen, 3).tolist() == released.tolist()
    assert (seen.counts.shape[1] > 0) == several
    for t in (1, 2, 3):
        step = seen.released(t)
        assert step is not None
        assert (
            step.kinds[step.kind].tolist() == released[:, t - 1].tolist()
            or (step.kinds[step.kind] == np.abs(released[:, t - 1])).all()
        )
    assert seen.released(4) is None
    assert not seen.constant()
    assert seen.part(0, 1).constant()


def test_the_same_values_make_the_same_release_but_for_rounding() -> None:
    same = Pulls(np.array([[1, 0]] * 500))
    other = Pulls(np.array([[0, 1]] + [[1, 0]] * 499))
    values.same_release(same, same, 3, 0.0)
    values.same_release(same, other, 3, 0.01)  # one in 500 is what rounding explains
    for chance in (0.0, 1e-15):
        with pytest.raises(
            Undeclared, match=r"in step 3 the same values were drawn on both reward tables, but \[1, 0\]"
        ):
            values.same_release(same, other, 3, chance)
    bounds = [same._replace(bound=np.full((500, 2), x)) for x in (1.0, 2.0)]
    with pytest.raises(Undeclared, match="in 500 of 500 runs"):
        values.same_release(*bounds, 3, 0.0)
    values.same_release(
        bounds[0], bounds[0]._replace(bound=np.array([[1.0, 2.0]] * 500)), 3, 0.0
    )  # of an arm not pulled


def test_a_run_of_a_policy_has_so_many_steps() -> None:
    assert how_many_steps(ThompsonSampling(2, 7), "pull") == 7


def test_a_certificate_that_does_not_verify_is_none() -> None:
    right = json.loads((EXAMPLE / "ou24__lemma-12.json").read_text("utf-8"))
    assert made_certificates.verified_or_none(right) is right
    assert made_certificates.verified_or_none(right | {"claim": 1}) is None
    assert made_certificates.verified_or_none({"type": "formula"}) is None


# -- exact engines -----------------------------------------------------------------------------------------------------


def test_rows_of_pull_counts_have_numbers_of_their_own() -> None:
    for arms, horizon in ((2, 5), (3, 3), (1, 9)):
        made = np.array([row for row in product(range(horizon + 1), repeat=arms) if sum(row) <= horizon])
        numbers = state_graph.number_pull_counts(made, horizon)
        assert numbers is not None
        by_total = {}
        for row, number in zip(made.tolist(), numbers.tolist(), strict=True):
            assert by_total.setdefault((sum(row), number), row) == row
    assert state_graph.number_pull_counts(np.zeros((1, 2), dtype=int), 2**31 - 1) is not None
    assert state_graph.number_pull_counts(np.zeros((1, 2), dtype=int), 2**31) is None


def test_means_worth_trying_lie_at_both_ends_and_near_them() -> None:
    assert near_ends(0.0, 1.0, 0.2).tolist() == pytest.approx([0, 0.1, 0.2, 0.4, 1, 0.9, 0.8, 0.6])
    assert near_ends(-1.0, 1.0, 3.0).tolist() == pytest.approx([-1, 0.5, 1, 1, 1, -0.5, -1, -1])


def test_a_falling_curve_is_followed_to_where_it_has_come_down() -> None:
    assert crossing_bracket(lambda x: 1 - x, 1.0) == crossing_bracket(lambda x: 0.5, 0.5) == (0, 0)
    for place in (1e-9, 0.3, 1.0, 7.7, 1e8):
        inside, outside = crossing_bracket(lambda x, place=place: float(x < place), 0.5)
        assert inside < place <= outside <= inside * (1 + 3e-12) + (inside == 0)
    assert crossing_bracket(lambda x: 1.0, 0.5)[1] == math.inf
    assert 2.5e8 <= crossing_bracket(lambda x: 1.0, 0.5)[0] <= 1e9
    coarse = crossing_bracket(lambda x: float(x < 3.3), 0.5, 0.1)
    assert coarse[0] < 3.3 <= coarse[1] <= 1.2 * coarse[0]


def test_points_of_a_curve_are_spread_over_it_and_close_at_its_ends() -> None:
    x = np.linspace(-6, 6, 3001)
    atoms = SortedAtoms(MeasurePair(np.diff(ndtr(x - 0.5)), np.diff(ndtr(x + 0.5))))
    picked = tradeoff_positions(atoms, 60)
    assert (np.diff(picked) > 0).all()
    assert 0 <= picked[0] <= picked[-1] <= atoms.loss.size
    assert 30 < len(picked) <= 62
    alpha, beta = atoms.mass_before[0][picked], atoms.mass_from[1][picked]
    assert alpha.min() < 1e-7
    assert beta.min() < 1e-7
    assert np.diff(alpha + (1 - beta)).max() < 0.12
    assert ((alpha > 1e-6) & (alpha < 0.05)).sum() >= 8
    assert ((beta > 1e-6) & (beta < 0.05)).sum() >= 8
    few = SortedAtoms(MeasurePair(np.array([0.5, 0.5]), np.array([0.25, 0.75])))
    assert set(tradeoff_positions(few, 60).tolist()) <= {0, 1, 2}


@pytest.mark.parametrize("size", [0.3, 1.0, 2.4])
@pytest.mark.parametrize("grid", [0.05, 0.3, 0.7, 5.0])
def test_one_laplace_value_keeps_its_masses_and_lies_between_two_pairs(size: float, grid: float) -> None:
    """Of the dominating pair p = m e^(l/2), q = m e^(-l/2) at the losses size, size - grid, ...: both are 1 in all, as
    in the dominated pair; and delta lies between theirs."""
    root, left, right = shifted_noise.shifted_laplace_cells(size, grid)
    losses = size - grid * np.arange(len(root))
    p, q = root * np.exp(losses / 2), root * np.exp(-losses / 2)
    for mass in (p, q, left, right):
        assert (mass >= 0).all()
        assert mass.sum() == pytest.approx(1, rel=1e-12)
    assert losses[-1] >= -size - grid
    for eps in (0.0, size / 3, 0.9 * size):
        true = 1 - math.exp((eps - size) / 2)
        above = np.maximum(p - math.exp(eps) * q, 0).sum()
        below = np.maximum(left - math.exp(eps) * right, 0).sum()
        assert below <= true * (1 + 1e-12)
        assert true <= above * (1 + 1e-12)
        assert above - below < grid * grid / 8  # by a sixteenth of its square on either side


def test_atoms_on_the_grid_stay_and_others_are_split_with_both_masses_kept() -> None:
    place, root, grid = np.array([0.0, 1.0, 1.5, 2.25, 4.0]), np.array([0.1, 0.2, 0.3, 0.25, 0.15]), 0.4
    cells = shifted_noise.split_onto_grid(place, root, grid)
    at = np.arange(len(cells))
    for sign in (0.5, -0.5):
        assert (cells * np.exp(sign * grid * at)).sum() == pytest.approx(
            (root * np.exp(sign * grid * place)).sum(), rel=1e-13
        )
    assert cells[0] == 0.1
    assert cells[4] == 0.15
    assert len(cells) == 5


def test_tables_in_runs_of_equal_columns() -> None:
    left, right = np.array([[0, 0, 1, 1, 1], [0, 0, 0, 0, 0.5]]), np.array([[0, 0, 1, 0, 1], [0, 0, 0, 0, 0.5]])
    one, other, lengths = compress_to_runs(Pair("pull", left, right))
    assert one.tolist() == [[0, 1, 1, 1], [0, 0, 0, 0.5]]
    assert other.tolist() == [[0, 1, 0, 1], [0, 0, 0, 0.5]]
    assert lengths.tolist() == [2, 1, 1, 1]
    assert np.repeat(one, lengths, axis=1).tolist() == left.tolist()


# -- words with numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("upper", [True, False])
def test_so_many_runs_at_the_end_refute_a_bound(upper: bool) -> None:
    n, level, low, high = 40, 1e-3, -1.0, 3.0
    for bound in (0.5, 1.5):
        count = expectation.refuting_count(n, bound, low, high, level, upper)
        assert count is not None
        limit = expectation.probability_lower_limit if upper else expectation.probability_upper_limit
        means = [low + (high - low) * float(limit(k, n, level)) for k in (count - 1, count, count + 1)]
        assert (means[0] <= bound < means[1]) if upper else (means[1] < bound <= means[2])
        assert (
            expectation.refuting_mean_by_clopper_pearson(n, bound, low, high, level, upper)
            == low + (high - low) * count / n
        )
    beyond = (high, -2.0)[not upper]
    assert expectation.refuting_mean_by_clopper_pearson(n, beyond, low, high, level, upper) == math.inf


@pytest.mark.parametrize("mu", [0.01, 0.7, 3.0, 40.0, 3000.0])
def test_the_least_mu_touches_the_highest_point(mu: float) -> None:
    eps = np.array([0.0, 0.5 * mu, mu * mu / 2, 2 * mu * mu])
    low = log_gaussian_delta(eps, mu)
    below = low - np.array([1.0, 0.0, 2.0, 1.0])
    assert mu_lower_bound(eps, low) == pytest.approx(mu, rel=1e-7)
    assert mu_lower_bound(eps, below) == pytest.approx(mu, rel=1e-7)
    assert mu_lower_bound(eps, below) <= mu
    assert mu_lower_bound(eps[:0], low[:0]) == 0
    assert mu_lower_bound(np.array([0.0]), np.array([-50.0])) == 0
