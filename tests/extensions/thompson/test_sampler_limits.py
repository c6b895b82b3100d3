"""Limits of what is asked about Thompson sampling, on both sides: a value at a limit is accepted, the next one not."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest

from dpbandits import Sampler
from dpbandits.extensions.thompson.answers import checked_question
from dpbandits.extensions.thompson.bound import Upper, certified_curve
from dpbandits.extensions.thompson.calibrating import check_wanted
from dpbandits.extensions.thompson.coins import node_counts
from dpbandits.extensions.thompson.least_noise import potential_eps
from dpbandits.extensions.thompson.potential import static_coins, static_moments
from dpbandits.extensions.thompson.rules import checked_sampler

TINY, BELOW_1 = 5e-324, nextafter(1, 0)
ONE = np.ones(1)


@cache
def bound() -> Upper:
    return certified_curve(Sampler(2))


def wanted(eps: float = 1.0, delta: float = 0.1, within: float = 1.01) -> None:
    check_wanted(Sampler(9, 2), eps, delta, within, False)


# name: what takes the value, values that it accepts, values that it refuses, a part of the message
LIMITS: dict[str, tuple[Callable[[Any], object], list[Any], list[Any], str]] = {
    "delta": (lambda x: checked_question(Sampler(9), "pull", x), [1e-300, BELOW_1], [0.0, 1.0], "strictly between 0"),
    "small delta": (lambda x: checked_question(Sampler(9), "pull", x), [1e-300], [0.99e-300], "at least 1e-300"),
    "horizon": (lambda x: checked_sampler(Sampler(x)), [1], [0], "horizon must be an integer of at least 1"),
    "arms": (lambda x: checked_sampler(Sampler(9, x)), [2, None], [1], "arms None or an integer of at least 2"),
    "prepulls": (lambda x: checked_sampler(Sampler(9, 2, x)), [0, 4], [-1], "prepulls an integer of at least 0"),
    "all prepulls": (lambda x: checked_sampler(Sampler(8, 2, x)), [4], [5], "pre-pulls exceed T = 8"),
    "variance": (lambda x: checked_sampler(Sampler(9, 2, 0, x)), [TINY], [0.0, inf], "variance positive and finite"),
    "eps wanted": (lambda x: wanted(eps=x), [0.0], [-TINY, inf], "a finite number, 0 or more"),
    "delta wanted": (lambda x: wanted(delta=x), [TINY], [0.0], "delta is 0, but"),
    "within": (lambda x: wanted(within=x), [1.0001], [nextafter(1.0001, 1), inf], "of at least 1.0001"),
    "prepulls, searched for": (lambda x: check_wanted(Sampler(9, 2, x), 1.0, 0.1, 1.01, True), [0], [1], "both given"),
    "shift of a coin": (lambda x: node_counts(x * ONE, -ONE, ONE), [700.0], [nextafter(700, inf)], "at most 700 are"),
    "shift of a reward": (
        lambda x: static_coins(Sampler(2, None, 0, x), "right"),
        [1.0001 / (2 * 8.5**2)],
        [0.9999 / (2 * 8.5**2)],
        "at most 8.5 are supported",
    ),
    "delta of a bound": (
        lambda x: bound().eps(x),
        [1.0, 1e-9],
        [0.0, nextafter(1, 2)],
        r"it must lie in \(0, 1\]",
    ),
    "error of a bound": (
        lambda x: bound().mu(x),
        [0.5, 1e-9],
        [0.0, nextafter(0.5, 1)],
        r"it must lie in \(0, 1/2\]",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_value_at_a_limit_is_accepted_and_the_next_one_refused(name: str) -> None:
    take, accepted, refused, words = LIMITS[name]
    for value in accepted:
        take(value)
    for value in refused:
        with pytest.raises(ValueError, match=words):
            take(value)


@pytest.mark.parametrize("sampler", [Sampler(1), Sampler(1, 2), Sampler(2, 2, 1), Sampler(6, 3, 2)])
def test_where_no_round_follows_the_changed_reward_nothing_is_lost(sampler: Sampler) -> None:
    """And with one more round, something is."""
    for higher in ("right", "left"):
        found = static_moments(sampler, higher)
        assert (found.prices == 0).all()
        assert (found.start == 0).all()
        assert (static_moments(sampler._replace(horizon=sampler.horizon + 1), higher).start > 0).all()
    assert potential_eps(sampler, 1e-6) == 0
    assert potential_eps(sampler._replace(horizon=sampler.horizon + 1), 1e-6) > 0
    assert certified_curve(sampler).eps(1e-6) <= 1e-9
