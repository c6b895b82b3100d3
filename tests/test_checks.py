"""Bad input never becomes a number: what the constructors refuse, by name, with the value and what would be right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbandits import (
    Approximate,
    Bernoulli,
    Gaussian,
    GaussianNoisyMax,
    Pulls,
    ReportNoisyMax,
    Seeded,
    Stream,
    Table,
    flipped,
)
from dpbandits.reference.arithmetic.checks import (
    at_least,
    checked_integer,
    is_number,
    not_negative,
    positive,
    reals,
    require_in_closed_interval,
    require_in_open_interval,
)
from dpbandits.reference.bandits.environments import TruncatedExponential
from dpbandits.reference.bandits.heavy_tails import Pareto, TwoPoint
from dpbandits.reference.bandits.noisy_values import Moving
from dpbandits.reference.curves import Concentrated, Family, Renyi
from dpbandits.reference.papers.chen24.arms import Uniform
from dpbandits.reference.papers.hu25 import DPTSUCB, QuotedThompsonSampling
from dpbandits.reference.papers.karnin13 import SequentialHalving
from dpbandits.reference.papers.ou24 import ModifiedThompsonSampling, ThompsonSampling, single_step
from dpbandits.reference.papers.sajed19 import DPSE
from dpbandits.reference.papers.tao22.algorithms.elimination import DPRSE

NAN, INF = float("nan"), float("inf")
NOT_POSITIVE = [0.0, -1, NAN, INF, "x", None, (1.0,), True]
NO_COUNT = [0, -3, 3.5, 1.0, NAN, "3", None, True]

NUMBERS = {
    r"N \(arms\)": (lambda value: ThompsonSampling(value, 3), NO_COUNT),
    r"T \(horizon\)": (lambda value: ThompsonSampling(2, value), NO_COUNT),
    r"spread": (lambda value: ThompsonSampling(2, 3, value), [None, 1.0]),
    r"b \(prepulls\)": (lambda value: ModifiedThompsonSampling(2, 9, value), [-1, 1.5, NAN, "x", None, True]),
    r"c \(variance\)": (lambda value: ModifiedThompsonSampling(2, 9, 1, value), NOT_POSITIVE),
    r"warm": (lambda value: ModifiedThompsonSampling(2, 9, 1, 1.0, value), [None, 1.0]),
    r"s/eps \(scale\)": (ReportNoisyMax, NOT_POSITIVE),
    r"sigma_1 \(scales\)": (lambda value: GaussianNoisyMax((1.0, value)), NOT_POSITIVE),
    r"sigma \(scales\)": (GaussianNoisyMax, [(), 1.0, None, "x"]),
    r"n_0 \(pulls\)": (lambda value: single_step((value, 1), (0.0, 0.0), (0.0, 0.0)), [1.5, -1, NAN, "x", None, True]),
    r"left history: arm 1 cannot have": (
        lambda value: single_step((1, 1), (0.0, value), (0.0, 0.0)),
        [1.5, -1, NAN, "x", None],
    ),
    r"c \(variance\) ": (lambda value: single_step((1,), (0.0,), (1.0,), value), NOT_POSITIVE),
    r"K \(arms\)": (lambda value: DPTSUCB(value, 10, 0.5), NO_COUNT),
    r"T \(horizon\) ": (lambda value: DPTSUCB(2, value, 0.5), NO_COUNT),
    r"alpha": (lambda value: DPTSUCB(2, 10, value), [-0.1, 1.1, NAN, INF, "x", None, True]),
    r"floor \(the initial value of MAX\) is": (lambda value: DPTSUCB(2, 10, 0.5, floor=value), [NAN, INF, "x", None]),
    r"budget": (lambda value: DPTSUCB(2, 10, 0.5, budget=value), [None, 3.0]),
    r"alpha = 0.5 gives the budget phi =": (
        lambda value: DPTSUCB(2, 10, 0.5, budget=lambda *_: value),
        [NAN, -1.0, None, "x"],
    ),
    r"b \(first": (lambda value: QuotedThompsonSampling(2, 10, first=value), [0, -1, 1.5, NAN, "x", None, True]),
    r"c \(variance\)  ": (lambda value: QuotedThompsonSampling(2, 10, variance=value), NOT_POSITIVE),
    r"mu-GDP: mu": (Gaussian, [-1, NAN, INF, "1", None, True]),
    r"DP: eps": (lambda value: Approximate(value, 0.5), [-1, NAN, INF, "1", None]),
    r"DP: delta": (lambda value: Approximate(1.0, value), [-0.1, 2, NAN, "1", None]),
    r"delta\)-DP: eps": (lambda value: Family(value, 0.1, 0.5), [1.0, None]),
    r"delta\)-DP: low": (lambda value: Family(lambda m, delta: 1.0, value, 0.5), [-0.1, 1.1, NAN, "x", None]),
    r"delta\)-DP: high": (lambda value: Family(lambda m, delta: 1.0, 0.1, value), [0.05, 1.1, NAN, "x", None]),
    r"RDP: gamma": (Renyi, [1.0, None]),
    r"RDP: low": (lambda value: Renyi(lambda m, alpha: alpha, value), [0.5, NAN, INF, "x", None]),
    r"RDP: high": (lambda value: Renyi(lambda m, alpha: alpha, 2.0, value), [2.0, 1.0, NAN, INF, "x", None]),
    r"noise: trials": (lambda value: Seeded(0, value), [-1, 1.5, NAN, "x", None, 2**70]),
    r"arms": (lambda value: Pulls.one(np.array([0]), value), [0, 2**70]),
    r"spread must map pull counts": (
        lambda value: ThompsonSampling(2, 3, spread=value),
        [lambda n: np.ones(3), lambda n: "x", lambda n, m: 1.0, lambda n: -1.0 / (n + 1), lambda n: np.nan * n],
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_make_no_sense_are_refused_by_name(name):
    make, values = NUMBERS[name]
    for value in values:
        with pytest.raises(ValueError, match=f"^{name.strip()}|{name.strip()} is"):
            make(value)


def test_what_a_number_is():
    assert [is_number(value) for value in (1, 0.5, np.float32(1), np.int64(1), INF, -INF)] == [True] * 6
    assert [is_number(value) for value in (NAN, np.float64(NAN), True, "1", None, (1,), 1j, np.ones(2))] == [False] * 8
    assert [is_number(value) for value in (10**400, -(10**400), Fraction(10**400, 3))] == [False] * 3


OTHERS = {  # numbers that numpy has, and Fractions, beside Python's own
    "curves": (lambda x: (Gaussian(x), Approximate(x, x), Concentrated(x)), Fraction(1, 3), 1 / 3),
    "curves, in single precision": (
        lambda x: (Gaussian(x), Approximate(x, x)),
        np.float32(0.1),
        float(np.float32(0.1)),
    ),
    "a range of delta": (lambda x: Family(abs, 0.0, x).high, np.float64(0.1), 0.1),
    "a variance": (lambda x: ModifiedThompsonSampling(2, 9, 1, x), Fraction(1, 2), 0.5),
    "a risk": (lambda x: DPSE(2, 100, x, x), Fraction(1, 2), 0.5),
    "half precision": (lambda x: DPRSE(2, 10**6, x, x, x).numbers([1], np.ones((1, 2))), np.float16(0.5), 0.5),
    "random arms": (
        lambda x: (Pareto(x, (x,)), TwoPoint((x,), (1 / x,)), TruncatedExponential((x,)).means),
        Fraction(3, 2),
        1.5,
    ),
    "random arms that pay 0 or 1": (lambda x: Bernoulli((x, 0.75)).means, np.float16(0.1), float(np.float16(0.1))),
    "random arms, in a list": (lambda x: Uniform(x), [np.float16(0.1)], (float(np.float16(0.1)),)),
    "arms": (lambda x: SequentialHalving(x, 20).phases, np.int64(5), 5),
}


@pytest.mark.parametrize("name", OTHERS)
def test_numbers_of_other_types_count_as_pythons_own(name):
    make, given, own = OTHERS[name]
    assert repr(make(given)) == repr(make(own))


@pytest.mark.parametrize("make", [Gaussian, Approximate, Concentrated, lambda x: DPSE(2, 100, x)])
def test_numbers_that_no_double_holds_are_refused(make):
    for value in (10**400, Fraction(10**400, 3)):
        with pytest.raises(ValueError, match="it must be"):
            make(value)


def test_reals_are_copies_as_doubles():
    given = np.array([1.0, 2.0])
    copy = reals("values", given)
    copy[0] = 5.0
    assert given[0] == 1.0
    assert reals("values", [Fraction(1, 2), 2**70]).tolist() == [0.5, 2.0**70]
    assert reals("values", [True, np.float32(0.5)]).dtype == np.float64
    for wrong in (1j, ["0.5"], [0.5, None], [[1.0], [1.0, 2.0]], [Fraction(1, 2), 1j], b"1", "1"):
        with pytest.raises(ValueError, match=r"^values: .* is not an array of real numbers"):
            reals("values", wrong)


def test_what_makes_sense_passes():
    assert DPTSUCB(2, 10, 0, floor=-INF).floor == -INF
    assert ModifiedThompsonSampling(np.int64(2), 9, 0, np.float32(0.5)).variance == 0.5
    assert (Gaussian(0).mu, Approximate(0, 1).delta, Seeded(0, 0).trials) == (0, 1, 0)
    assert Family(lambda m, delta: 1.0, 0.0, 1.0).high == 1.0
    assert replace(Renyi(lambda m, alpha: alpha), high=1.5).low == 1.0


ROWS: dict[str, tuple[Any, list[Any]]] = {
    "Bernoulli means": (Bernoulli, [((0.5, 0.5), (0.1, 0.1)), 0.5, None, (), (0.5, NAN), (0.5, 1.5), "half", ("x",)]),
    "truncated exponential: rates": (TruncatedExponential, [((1.0,), (2.0,)), 1.0, None, (), (1.0, NAN), "x", ("x",)]),
    "reward table": (Table, [None, 0.5, (0.5,), [[]], [["x"]], [[0.5], [0.5, 0.5]], [[NAN]], [[[0.5]]], [[1j]]]),
    "reward stream": (Stream, [None, 0.5, (0.5,), [[]], [["x"]], [[0.5], [0.5, 0.5]], [[NAN]], [[[0.5]]]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_rewards_that_are_none_are_refused_by_name(name):
    make, values = ROWS[name]
    for value in values:
        with pytest.raises(ValueError, match=f"^{name}"):
            make(value)


@pytest.mark.parametrize(("arm", "index"), [(-1, 0), (2, 0), (0, -1), (0, 3)])
def test_a_reward_that_is_not_in_the_table_cannot_be_changed(arm, index):
    with pytest.raises(
        ValueError, match=rf"no reward at \[{arm}, {index}\]; the reward table has arms 0 to 1 and rewards 0 to 2"
    ):
        flipped("pull", np.zeros((2, 3)), arm, index, 1.0)


LIMITS = {  # what each check is asked, what passes, and what is refused
    "at least": (lambda value: at_least("n", value, 3), [3, np.int64(4), 10**30], [2, -3, 3.0, np.float64(4), True]),
    "whole": (lambda value: checked_integer(value, "n", 3, 7), [3, 7, np.int64(5)], [2, 8, 5.0, "5", True, None]),
    "inside": (
        lambda value: require_in_closed_interval("x", value, -1, 2),
        [-1, 2, 0.5, Fraction(2)],
        [-1.0000001, 2.0000001, NAN, "0"],
    ),
    "within": (
        lambda value: require_in_open_interval("x", value, -1, 2),
        [-0.9999999, 1.9999999],
        [-1, 2, NAN, INF, "0"],
    ),
    "positive": (lambda value: positive("x", value), [1e-300, 1e300], [0, -1e-300, INF, NAN, True]),
    "not negative": (lambda value: not_negative("x", value), [0, 0.0, 1e300], [-1e-300, INF, NAN, True, "0"]),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_meant_to_the_letter(name):
    check, right, wrong = LIMITS[name]
    for value in right:
        assert check(value) in (None, value)
    for value in wrong:
        with pytest.raises(ValueError, match=r"^(n|x)( is | = )"):
            check(value)


def test_what_lies_under_a_mask_is_no_value():
    with pytest.raises(ValueError, match=r"^rewards is a masked array; replace the masked entries"):
        reals("rewards", np.ma.array([1.0, 2.0], mask=[False, True]))


@pytest.mark.parametrize(
    "changed", [{"arm": -1}, {"arm": 2}, {"first": -1}, {"first": 4}, {"divisor": 0.0}, {"scale": 0.0}]
)
def test_a_noisy_value_is_made_of_rewards_that_there_are(changed):
    made, table = Moving(1, 1, 3, 4.0, 0.5), Table(np.array([[0.0, 0.0, 0.0], [1.0, 0.25, 0.5]]))
    assert made.centre(table) == 0.75 / 4
    assert made._replace(bound=0.25).centre(table) == 0.25 / 4
    assert made._replace(first=3).centre(table) == 0
    with pytest.raises(
        ValueError,
        match="does not fit a reward table with arms = 2: arm must be from 0 to 1, first and last must",
    ):
        made._replace(**changed).centre(table)
