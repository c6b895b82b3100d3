"""What the checker makes of a release: centres and limits, sums of exponentials, and numbers that are a share off."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest
from test_certificate_edges import many
from test_certificate_values import exactly
from test_certificates import shared

from dpbandits.extensions.thompson.run_checker import runs as checker_runs
from dpbandits.proofs_checks.checker import integrals as checker_integrals
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import selections as checker_selections
from dpbandits.proofs_checks.checker import wedges as checker_wedges
from dpbandits.proofs_checks.checker.intervals import high, low, work
from dpbandits.proofs_checks.checker.untrusted import Rejected

Made = Callable[[], dict[str, Any]]
TABLES = checker_selections.Tables(
    [Fraction(1), Fraction(4)], [[Fraction(1), Fraction(-1, 2)], [Fraction(0), Fraction(2)], [Fraction(3), Fraction(1)]]
)


def test_centres_and_what_they_may_be_off_by() -> None:
    """Of value 0: 3/2 (1 - 1/2 - 1/2) - 1/2 (2 + 2), over 2; of value 1: -3 (3 + 1), over 5, where the bound leaves out
    nothing. Off by within times the largest factor, 3, times the sum of the windows' sizes, over the divisor."""
    step = shared()["steps"][0] | {
        "windows": [[0, 0, "0", "3"], [0, 1, "1", "3"], [1, 2, "0", "2"], [0, 1, "4", "4"]],
        "factors": ["3/2", "-1/2", "-3", "1"],
        "divisors": ["2", "5"],
        "bounds": ["2", "inf"],
        "within": "1e-3",
    }
    chosen = checker_selections.read_selection(step, TABLES, "here")
    assert chosen.centres == [Fraction(-1), Fraction(-12, 5)]
    assert chosen.reach == [3 * Fraction(0 + 4, 2), 3 * Fraction(4, 5)]
    assert chosen.within == Fraction(1, 1000)
    assert chosen.weights == [[1, 0], [Fraction(-1, 2), 1], [Fraction(1, 3), Fraction(1, 3)]]


@pytest.mark.parametrize(
    ("fine", "wrong", "says"),
    [
        (partial(many, 16), partial(many, 17), "may have at most 16"),
        (partial(many, 3, rule="top", size="3"), partial(many, 3, rule="top", size="4"), "integer from 1 to 3"),
        (partial(many, 3, rule="top", size="1"), partial(many, 3, rule="top", size="0"), "integer from 1 to 3"),
        (partial(many, 3, rule="top", size="2"), partial(many, 3, rule="top", size="3/2"), "integer from 1 to 3"),
        (partial(many, 3, size="0"), partial(many, 3, size="-1e-9"), "the width is -1e-9; it must be at least 0"),
        (
            partial(many, 3),
            partial(many, 3, releases=[{"kept": [3], "next": -1}]),
            "a set of different options from 0 to 2",
        ),
        (
            partial(many, 3, bounds=["0", "inf", "0"]),
            partial(many, 3, bounds=["0", "-1e-9", "0"]),
            "every noisy value needs a positive scale, a positive divisor, and a bound of at least 0",
        ),
        (
            partial(many, 2),
            partial(many, 2, divisors=["1"] * 3),
            "every noisy value needs a positive scale, a positive divisor, and a bound of at least 0",
        ),
        (
            partial(many, 2),
            partial(many, 2, bounds=["1"]),
            "every noisy value needs a positive scale, a positive divisor, and a bound of at least 0",
        ),
        (
            partial(many, 2, windows=[[1, 2, "0", "4"]]),
            partial(many, 2, windows=[[1, 2, "0", "5"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[1, 2, "3", "3"]]),
            partial(many, 2, windows=[[1, 2, "3", "2"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[0, 0, "0", "1"]]),
            partial(many, 2, windows=[[2, 0, "0", "1"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[0, 0, "0", "1"]]),
            partial(many, 2, windows=[[0, 3, "0", "1"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[0, 0, "0", "1"]]),
            partial(many, 2, windows=[[-1, 0, "0", "1"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[0, 0, "0", "1"]]),
            partial(many, 2, windows=[[0, -1, "0", "1"]]),
            "refers to a noisy value, a row or a range of rewards",
        ),
        (
            partial(many, 2, windows=[[0, 0, "0", "1"]]),
            partial(many, 2, windows=[[0, 0, "0", "1/2"]]),
            "the window must begin and end at integers",
        ),
    ],
)
def test_which_selections_there_are(fine: Made, wrong: Made, says: str) -> None:
    checker_selections.read_selection(fine(), TABLES, "here")
    with pytest.raises(Rejected, match=f"^here.*{says}"):
        checker_selections.read_selection(wrong(), TABLES, "here")


@pytest.mark.parametrize(
    ("fields", "is_closed"),
    [
        ({"cuts": ["1"], "scales": ["1"] * 3, "weights": [["1"] * 3]}, True),
        ({"weights": [["1"], ["2"]], "scales": ["1"]}, True),
        ({"weights": [["1", "0"], ["2", "1"]], "scales": ["1", "1"]}, False),
        ({"rule": "within", "size": "0", "scales": ["1", "2"]}, True),
        ({"rule": "within", "size": "1", "scales": ["1", "2"]}, False),
        ({"rule": "top", "size": "1", "scales": ["1", "2"]}, True),
        ({"rule": "top", "size": "0", "scales": ["1", "2"]}, False),
        ({"rule": "top", "size": "1", "scales": ["1", "2", "3"]}, False),
        ({"rule": "within", "size": "0", "scales": ["1", "2", "3"]}, False),
    ],
)
def test_where_a_normal_distribution_function_says_it_all(fields: dict[str, Any], is_closed: bool) -> None:
    assert checker_releases.has_closed_form(fields) == is_closed


def test_chances_of_ways_are_products_and_add_up() -> None:
    """Three of two steps: {0} at once, or {1} or {2}, and then the larger one of two that are alike."""
    first = many(3, size="0", releases=[{"kept": [k], "next": n} for k, n in ((0, -1), (1, 1), (2, 1))])
    second = many(2, size="0", releases=[{"kept": [1], "next": -1}])
    found = checker_releases.event_probability([first, second], TABLES)
    whole = Fraction(1, 3) + Fraction(1, 2) * Fraction(2, 3)
    assert low(found) <= whole <= high(found) < whole + Fraction(1, 10**50)
    with pytest.raises(Rejected, match="`next` must be -1"):
        checker_releases.event_probability([first], TABLES)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(1, 10**6)])
def test_what_numbers_within_a_share_may_change(noise: str, chance: Fraction) -> None:
    """As it is derived beside `loosened`, in other words: centres and scales first, then each half plane's slope."""
    off = Fraction(1, 1000)
    weights = [[Fraction(2), Fraction(-1)], [Fraction(1, 2), Fraction(-3)]]
    centres, scales, reach = (
        [Fraction(1, 4), Fraction(-3)], [Fraction(1, 2), Fraction(2)], [Fraction(5), Fraction(7, 3)],
    )  # fmt: skip
    planes = [[Fraction(3, 2), Fraction(2)], [Fraction(4), Fraction(1, 2)]]
    chosen = checker_selections.Selection(noise, "top", Fraction(1), centres, scales, weights, within=off, reach=reach)
    given = checker_intervals.interval(chance)
    found = checker_wedges.widen_parameters(chosen, weights, planes, given)
    # A centre m/s, with m off by off * reach and s by its share.
    moved = sum(
        max(abs((m + x * off * r) / (s * (1 + y * off)) - m / s) for x in (1, -1) for y in (1, -1))
        for m, s, r in zip(centres, scales, reach, strict=True)
    )
    slopes = Fraction(0)
    for plane in planes:
        pairs = sorted(
            (abs(w) * s, 4 * off * (1 + off) * 3 * s, abs(m) / s)
            for w, s, m in zip(plane, scales, centres, strict=True)
        )  # the largest weight is 3
        (a, f, centre), (b, g, _) = pairs
        slopes += (f + g * (a + f) / (b - g)) / b * (1 + centre)
    with mpmath.workdps(50):
        if noise == "laplace":
            factor, spread = mpmath.exp(exactly(moved)), exactly(slopes)
        else:
            factor, spread = mpmath.mpf(1), exactly(slopes + moved / 2)
        least = max(exactly(chance) - spread, mpmath.mpf(0)) / factor
        most = (exactly(chance) + spread) * factor
        assert abs(exactly(low(found)) - least) <= mpmath.mpf(10) ** -40
        assert abs(exactly(high(found)) - most) <= mpmath.mpf(10) ** -40
        assert exactly(low(found)) <= least <= most <= exactly(high(found))


# -- sums of exponentials ----------------------------------------------------------------------------------------------


def at_point(terms: Any, start: Fraction, x: Fraction) -> Any:
    return mpmath.fsum(exactly(low(factor)) * mpmath.exp(exactly(rate * (x - start))) for rate, factor in terms.items())


def laplace_below(m: Any, s: Any, x: Any) -> Any:
    x = (exactly(x) - exactly(m)) / exactly(s)
    return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2


@pytest.mark.parametrize(("left", "right"), [(Fraction(-2), Fraction(-1)), (Fraction(1, 3), Fraction(4)), (2, 5)])
def test_laplace_values_are_sums_of_exponentials_between_their_peaks(left: Any, right: Any) -> None:
    """A density, and the chances to lie below x, x - 2/3 or a line through 0, and above x; on pieces without a kink."""
    m, s, far = Fraction(1, 3), Fraction(1, 2), Fraction(-2, 3)
    start, inside = Fraction(left), Fraction(left + right) / 2
    chosen = checker_selections.Selection("laplace", "top", Fraction(1), [Fraction(9), m], [Fraction(7), s])

    def density(x: Fraction) -> Any:
        return mpmath.exp(-abs(exactly(x - m)) / exactly(s)) / (2 * exactly(s))

    with mpmath.workdps(60):
        for x in (start, inside, Fraction(right)):
            below = laplace_below(m, s, x)
            for terms, true in (
                (checker_integrals.laplace_density_terms((m, s), start, inside), density(x)),
                (checker_integrals.probability_above(chosen, 1, start, inside), 1 - below),
                (checker_integrals.probability_below(chosen, 1, Fraction(0), start, inside), below),
                (checker_integrals.probability_below(chosen, 1, far, start, inside), laplace_below(m, s, x - far)),
                (
                    checker_integrals.distribution_of_multiple(m, s, Fraction(3), start, inside),
                    laplace_below(m, s, 3 * x),
                ),
                (
                    checker_integrals.distribution_of_multiple(m, s, Fraction(-2), start, inside),
                    laplace_below(m, s, -2 * x),
                ),
            ):
                assert abs(at_point(terms, start, x) - true) < mpmath.mpf(10) ** -50


def test_exponentials_are_integrated_and_multiplied() -> None:
    """Of 3 e^(rate (x - start)), also without an end; and term by term, where nothing is kept of what cancels."""
    three, left, right = work.mpf(3), Fraction(1, 2), Fraction(5, 2)
    with mpmath.workdps(60):
        for rate in (Fraction(2, 3), Fraction(-2, 3)):
            whole = 3 * (mpmath.exp(exactly(rate * 2)) - 1) / exactly(rate)
            assert (
                abs(exactly(low(checker_integrals.integral_of_exponential(rate, three, left, right))) - whole)
                < mpmath.mpf(10) ** -50
            )
    assert low(checker_integrals.integral_of_exponential(Fraction(0), three, left, right)) == 6
    for rate, sides in ((Fraction(1, 2), (None, right)), (Fraction(-1, 2), (left, None))):
        assert low(checker_integrals.integral_of_exponential(rate, three, *sides)) == 6
    one, other = ({Fraction(1): three, Fraction(0): work.mpf(2)}, {Fraction(1): -three, Fraction(-1): work.mpf(5)})
    assert {rate: low(x) for rate, x in checker_integrals.sum_of_exponentials(one, other).items()} == {0: 2, -1: 5}
    product = {rate: low(x) for rate, x in checker_integrals.product_of_exponentials(one, other).items()}
    assert product == {2: -9, 0: 15, 1: -6, -1: 10}


def test_weights_must_be_known_better_than_they_differ() -> None:
    """A difference of weights is off by 4 within (1 + within) of the largest; times the scale, for two values."""
    off, most = Fraction(1, 1000), Fraction(3)
    edge = 4 * off * (1 + off) * most
    for values, planes in ((1, lambda x: [[x]]), (2, lambda x: [[x, Fraction(1, 10**9)]])):
        chosen = checker_selections.Selection(
            "laplace", "top", Fraction(1), [Fraction(1)] * values, [Fraction(2)] * values, [[-most] * values],
            within=off, reach=[Fraction(0)] * values,
        )  # fmt: skip
        half = checker_intervals.interval(Fraction(1, 2))
        for x in (edge, -edge, Fraction(0)):
            with pytest.raises(Rejected, match="steps: the weights are so close to linear dependence"):
                checker_wedges.widen_parameters(chosen, [[-most] * values], planes(x), half)
        for x in (edge * Fraction(1001, 1000), -edge * Fraction(1001, 1000)):
            found = checker_wedges.widen_parameters(chosen, [[-most] * values], planes(x), half)
            assert low(found) < Fraction(1, 2) < high(found)


def test_logarithms_to_the_base_2() -> None:
    found = checker_runs.log_2(checker_intervals.interval(Fraction(1, 1024)))
    assert low(found) <= -10 <= high(found) < -10 + Fraction(1, 10**50)
