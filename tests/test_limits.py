"""Limits of numbers, on both sides: a value exactly at a limit is accepted, and the next one is refused in words."""

from __future__ import annotations

import operator
from argparse import ArgumentTypeError
from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click import BadParameter

from dpbandits import Seeded, Stream, Table, flipped, trials_needed
from dpbandits.audit.cli_shared.options import FILE
from dpbandits.audit.judges.effort import demand_trials
from dpbandits.audit.privacy.own_claims import claimed_curve
from dpbandits.audit.privacy.scores.values import demand_fine
from dpbandits.audit.pytest_plugin.plugin import seed
from dpbandits.audit.statistics.region import log_edge
from dpbandits.proofs_checks.alignment.generators import checked_probabilities
from dpbandits.proofs_checks.alignment.prescribed_draws import Unreachable, bits_of, geometric_bits
from dpbandits.proofs_checks.checker.finite import power_of_e_below
from dpbandits.proofs_checks.checker.untrusted import Rejected, limited_effort, read_decimal
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.proofs_checks.formulas.algebra.polynomials import polynomial_product
from dpbandits.proofs_checks.formulas.evaluation_cost import OperationCount, TooLong
from dpbandits.proofs_checks.formulas.integer_operands import integer_result
from dpbandits.reference.arithmetic import checks
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.bandits.passing import checked_pulls
from dpbandits.reference.bandits.policy import Law, Pulls
from dpbandits.reference.bandits.propensities import same_shape
from dpbandits.reference.bandits.recommendations import one_hot_rows
from dpbandits.reference.bandits.release_laws import selections
from dpbandits.reference.bandits.release_laws.checked import checked_outcomes
from dpbandits.reference.bandits.release_laws.explorations import checked_exploration_probability, inverse_gap_weighting
from dpbandits.reference.bandits.reward_ranges import checked_range, reward_values
from dpbandits.reference.bandits.reward_rows import checked_lengths
from dpbandits.reference.curves import Approximate
from dpbandits.reference.curves.curve import ExactPrivacy

REFUSED = BadParameter, ValueError, TypeError, ArgumentTypeError, Unreachable, TooLong
TINY = 5e-324  # the smallest double above 0
ABOVE_1, BELOW_1 = nextafter(1, 2), nextafter(1, 0)
THREE = Table(np.zeros((2, 3)))
NOISE = Seeded(0, 1)


def played(environment: Any) -> Callable[[int], object]:
    """Draws one more reward of arm 0, after so many pulls less one."""
    one = np.array([[1, 0]])
    return lambda last: environment.draw(1, one * (last - 1), one, None, NOISE)


def law(error: float, absolute_error: float) -> object:
    certain = Law(np.eye(2, dtype=np.int64)[None], np.array([[1.0, 0.0]]), None, error, absolute_error)
    return checked_outcomes(certain, 1, 2, "law")


def profile() -> ExactPrivacy:
    found = shifted_noise_profile("laplace", [1.0])
    assert found is not None
    return found


def terms(count: int) -> dict[Any, Fraction]:
    return {((f"x{k}", 1),): Fraction(1) for k in range(count)}


# name: what takes the value, values that it accepts, values that it refuses, a part of the message
LIMITS: dict[str, tuple[Callable[[Any], object], list[Any], list[Any], str]] = {
    "at_least": (lambda x: checks.at_least("n", x, 2), [2], [1], "an integer of at least 2"),
    "checked_integer": (lambda x: checks.checked_integer(x, "n", 1, 5), [1, 5], [0, 6], "from 1 to 5"),
    "positive": (lambda x: checks.positive("x", x), [TINY * 2**52], [0.0], "must be positive and finite"),
    "positive, in all digits": (lambda x: checks.positive("x", x), [2.0**-1022], [TINY], "smaller doubles have fewer"),
    "not_negative": (lambda x: checks.not_negative("x", x), [0.0, 1e308], [-TINY, inf], "finite number of at least 0"),
    "closed": (lambda x: checks.require_in_closed_interval("x", x, 0, 1), [0, 1], [-TINY, ABOVE_1], r"lie in \[0, 1\]"),
    "open": (lambda x: checks.require_in_open_interval("x", x, 0, 1), [TINY, BELOW_1], [0, 1], "between 0 and 1"),
    "shape of Pareto": (lambda x: Pareto(x, (1.0,)), [ABOVE_1], [1.0, inf], "greater than 1"),
    "scales of Pareto": (lambda x: Pareto(2.0, (1.0, x)), [TINY], [0.0, inf], "positive and finite"),
    "chances of TwoPoint": (lambda x: TwoPoint((1.0,), (x,)), [0.0, 1.0], [-TINY, ABOVE_1], "a probability in"),
    "low < high": (lambda x: checked_range("r", (0.0, x)), [TINY], [0.0, -1.0], "with low < high"),
    "size of rewards": (
        lambda x: checked_range("r", (min(0.0, x), max(0.0, x))),
        [1e140, -1e140],
        [nextafter(1e140, inf), -nextafter(1e140, inf)],
        "sums would overflow",
    ),
    "numbers of rewards": (
        lambda x: reward_values(SimpleNamespace(reward_range=set(range(x)))),
        [2],
        [1, 0],
        "at least two numbers",
    ),
    "lengths of runs": (lambda x: checked_lengths([x, 1], 2, "table"), [1], [0], "integers of at least 1"),
    "one long run": (lambda x: checked_lengths([x], 1, "table"), [2**63 - 1], [2**63], "each length must be at most"),
    "two long runs": (lambda x: checked_lengths([1, x], 2, "table"), [2**62 - 1], [2**62], "must be at most 4.6e"),
    "gamma of inverse_gap_weighting": (lambda x: inverse_gap_weighting([[0.0, 1.0]], x), [0.0], [-TINY], "at least 0"),
    "probability of exploring": (
        lambda x: checked_exploration_probability("e", x),
        [0, 1],
        [-TINY, ABOVE_1],
        r"must lie in \[0, 1\]",
    ),
    "ratio of scales": (
        lambda x: selections.laws.checked_centres([[0.0, 0.0]], [[1.0, x]]),
        [1e4],
        [nextafter(1e4, inf)],
        "at most 10000 times",
    ),
    "gap of centres": (
        lambda x: selections.laws.checked_centres([[0.0, x]], [[1.0, 1.0]]),
        [1e8, -1e8],
        [nextafter(1e8, inf)],
        "at most 1e.08 is supported",
    ),
    "width of survivors": (
        lambda x: selections.survivors(selections.LAPLACE, [[0.0, 0.0]], [[1.0, 1.0]], x, [[True, True]]),
        [1e8],
        [nextafter(1e8, inf)],
        "at most 1e.08 times",
    ),
    "size of top": (
        lambda x: selections.top(selections.LAPLACE, [[0.0] * 3], [[1.0] * 3], x),
        [1, 2],
        [3],
        "must be smaller than K",
    ),
    "pulls of a step": (
        lambda x: checked_pulls(1, Pulls(np.array([[0, x]])), (1, 2)),
        [0, (2**63 - 1) // 2],
        [(2**63 - 1) // 2 + 1],
        "counts must be at most 4.6e",
    ),
    "bound of rewards": (
        lambda x: checked_pulls(1, Pulls(np.array([[0, 1]]), x), (1, 2)),
        [0.0, inf],
        [-TINY, np.nan],
        "it must be at least 0",
    ),
    "error of a law": (lambda x: law(x, 0.0), [0.0, BELOW_1], [-TINY, 1.0], r"law: error is .*in \[0, 1\)"),
    "absolute error of a law": (lambda x: law(0.0, x), [0.0, BELOW_1], [-TINY, 1.0], "law: absolute_error is"),
    "arm of a changed reward": (lambda x: flipped("pull", THREE.rewards, x, 0, 1.0), [0, 1], [-1, 2], "no reward at"),
    "place of a changed reward": (lambda x: flipped("pull", THREE.rewards, 0, x, 1.0), [0, 2], [-1, 3], "no reward at"),
    "round of contexts": (lambda x: Contexts(np.ones((3, 2, 1))).seen(x, 1), [1, 3], [0, 4], "only up to round 3"),
    "changed contexts": (
        lambda x: Contexts(np.ones((3, 2, 1))).changed(x, np.zeros((2, 1))),
        [0, 2],
        [-1, 3],
        "counted from 0 to 2",
    ),
    "size of features": (
        lambda x: Contexts(np.full((1, 1, 1), x)),
        [1e100, -1e100],
        [nextafter(1e100, inf), -nextafter(1e100, inf)],
        "absolute values of at most",
    ),
    "pulls of a table": (played(THREE), [1, 3], [4], "has length 3; give a longer table"),
    "rounds of a stream": (played(Stream(np.zeros((2, 3)))), [1, 3], [4], "has length 3; give a longer stream"),
    "arms of propensities": (
        lambda x: same_shape("p", means=np.zeros(x), scales=np.ones(x)),
        [2, 1000],
        [1, 1001],
        "there may be 2 to 1000",
    ),
    "released arm": (lambda x: one_hot_rows("p", np.array([x]), 3), [0, 2], [-1, 3], "between 0 and 2"),
    "weights of a choice": (
        lambda x: checked_probabilities((0.5, 0.5, x), 3),
        [0.0, 2.0**-26, -0.0],
        [2.0**-26 + 2.0**-52, -TINY],
        "non-negative and sum to 1",
    ),
    "laplace draws": (lambda x: bits_of("laplace", x), [-36.0, 36.0], [-36.1, 36.1], "^$"),
    "normal draws": (lambda x: bits_of("normal", x), [-8.0, 8.0], [-8.1, 8.1], "^$"),
    "exponential draws": (lambda x: bits_of("exponential", x), [0.0, 36.0], [-TINY, 36.1], "^$"),
    "gumbel draws": (lambda x: bits_of("gumbel", x), [-3.5, 36.0], [-3.6, 36.1], "^$"),
    "uniform draws": (lambda x: bits_of("uniform", x), [0.0, 1.0], [-TINY, ABOVE_1], "^$"),
    "geometric draws": (
        lambda x: geometric_bits(0.5, x),
        [1, 36],
        [37],
        "^$",
    ),  # 37 log 2 > 25; Unreachable says nothing
    "shifts of noise": (lambda x: shifted_noise_profile("normal", [x]), [0.0, 1.0], [-TINY, inf], "at least 0"),
    "delta of a profile": (lambda x: profile().eps(x), [0.0, 1.0], [-TINY, ABOVE_1], r"a number in \[0, 1\]"),
    "order of Renyi": (lambda x: profile().renyi(x), [1.01], [1.0, np.nan], "a Renyi order above 1"),
    "bits of a power": (lambda x: integer_result(operator.pow, 1, x), [10**7], [10**7 + 1], "has more than 10000000"),
    "operations of a formula": (lambda x: OperationCount(5).spend(x), [5], [6], "needs more than 5 operations"),
    "terms of a product": (lambda x: polynomial_product(terms(100), terms(x)), [100], [101], "too long for exact"),
    "name of a file": (
        lambda x: FILE.convert(x, None, None),
        ["a" * 255, "é" * 127 + "a", f"{'a' * 255}/{'b' * 255}"],
        ["a" * 256, "é" * 128, f"a/{'b' * 256}/c"],
        "has 256 bytes; use at most 255",
    ),
    "trials": (lambda x: demand_trials("trials", x, 2), [2, 10**8], [1, 10**8 + 1], "must be a"),
    "seed": (seed, ["0", str(2**64 - 1)], ["-1", str(2**64)], "from 0 to 2"),
    "level of a region": (lambda x: log_edge(x, 0.5), [1e-9, 0.999], [0, 1], "strictly between 0 and 1"),
    "weight of a region": (lambda x: log_edge(0.05, x), [0.01, 0.99], [0, 1], "strictly between 0 and 1"),
    "claimed eps": (lambda x: claimed_curve(x, None, None), [0], [-TINY, inf], "eps is .* of at least 0"),
    "claimed delta": (lambda x: claimed_curve(1, x, None), [0, BELOW_1], [-TINY, 1], r"delta is .* in \[0, 1\)"),
    "claimed mu": (lambda x: claimed_curve(None, None, x), [0], [-TINY, inf], "mu is .* of at least 0"),
    "centre of a declared value": (
        lambda x: demand_fine(np.array([[1.0, x]]), np.array([[0.0, 2.0]]), 1),
        [2.0**28, -(2.0**28)],
        [nextafter(2.0**28, inf), -nextafter(2.0**28, inf)],
        "scales from 0, so that rounding hides",
    ),
    "violation": (
        lambda x: trials_needed(Approximate(1.0, 0.0), x, 0.05),
        [1.5],
        [1.0, inf],
        "larger than the claimed 1",
    ),
    "risk": (lambda x: trials_needed(Approximate(1.0, 0.0), 2.0, risk=x), [0.05], [0, 1], "risk is .* between 0 and 1"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_at_a_limit_is_accepted_and_the_next_one_refused(name: str) -> None:
    take, accepted, refused, words = LIMITS[name]
    for value in accepted:
        take(value)
    for value in refused:
        with pytest.raises(REFUSED, match=words):
            take(value)


@pytest.mark.parametrize(
    ("work", "least"),
    [(lambda: read_decimal("7" * 4000, "here"), 15), (lambda: power_of_e_below(Fraction(900)), 900)],
    ids=["digits", "terms"],
)
def test_what_is_long_in_a_certificate_costs_effort(work: Callable[[], Fraction], least: int) -> None:
    with limited_effort(20 * least):
        work()
    with limited_effort(least), pytest.raises(Rejected, match="too much computation"):
        work()
