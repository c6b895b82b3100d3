"""The parts of the checker one by one: enclosures of other formulas at 80 digits, and its limits at their edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from test_certificates import VALID, changed, formula, gaussian, identity, selected

from dpbandits.proofs_checks.checker import agreement as checker_agreement
from dpbandits.proofs_checks.checker import integrals as checker_integrals
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import noisy_maximum as checker_noisy_maximum
from dpbandits.proofs_checks.checker import normal as checker_normal
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import selections as checker_selections
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker.intervals import high, low, work
from dpbandits.proofs_checks.checker.untrusted import Rejected
from dpbandits.proofs_checks.checker.verification import verify

DIGITS = 80


def mpf(x: Any) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction | int) else mpmath.mpf(x)


def span(a: Fraction, b: Fraction) -> Any:
    """An interval of the checker's from about a to about b, whose ends are in it."""
    return checker_intervals.from_ends(checker_intervals.interval(a), checker_intervals.interval(b))


def ends(x: Any) -> tuple[Any, Any]:
    """The ends of an interval as numbers of mpmath's, without rounding."""
    return tuple(mpf(Fraction(end)) for end in (low(x), high(x)))  # type: ignore[return-value]


# -- functions of intervals --------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], list[int]]] = {
    "exp": (checker_intervals.interval_exp, mpmath.exp, [-30, -3, 0, 2, 25]),
    "log": (checker_intervals.interval_log, mpmath.log, [1, 2, 3, 50]),
    "sqrt": (checker_intervals.interval_sqrt, mpmath.sqrt, [0, 1, 2, 9]),
    "ncdf": (checker_normal.normal_distribution, mpmath.ncdf, [-40, -17, -16, -1, 0, 1, 3]),
    "floor": (checker_intervals.rounded_down, mpmath.floor, [-2, -1, 0, 1, 2]),
    "ceil": (checker_intervals.rounded_up, mpmath.ceil, [-2, -1, 0, 1, 2]),
    "square": (lambda x: checker_intervals.whole_power(x, 2), lambda x: x**2, [-3, -1, 0, 2, 5]),
    "cube": (lambda x: checker_intervals.whole_power(x, 3), lambda x: x**3, [-3, -1, 0, 2, 5]),
    "sixth power": (lambda x: checker_intervals.whole_power(x, 6), lambda x: x**6, [-3, -1, 0, 2]),
    "power 3/2": (lambda x: checker_intervals.real_power(x, work.mpf(1.5)), lambda x: x ** mpmath.mpf(1.5), [0, 1, 4]),
    "power -2": (lambda x: checker_intervals.real_power(x, work.mpf(-2)), lambda x: x**-2, [1, 3, 4]),
    "power 1/4": (lambda x: checker_intervals.real_power(x, work.mpf(0.25)), lambda x: x**0.25, [1, 3, 16]),
    "reciprocal": (lambda x: checker_intervals.checked_quotient(work.mpf(1), x), lambda x: 1 / x, [1, 3, 4]),
    "reciprocal below 0": (lambda x: checker_intervals.checked_quotient(work.mpf(1), x), lambda x: 1 / x, [-5, -2, -1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_intervals_enclose_and_add_nothing(name: str) -> None:
    """From the least to the most of the function on the interval, which lie at its ends or at 0, and no further."""
    function, true, knots = FUNCTIONS[name]
    with mpmath.workdps(DIGITS):
        for i, left in enumerate(knots):
            for right in knots[i:]:
                for a, b in ((Fraction(left), Fraction(right)), (left + Fraction(1, 7), right + Fraction(1, 3))):
                    places = [a, b, *([Fraction(0)] if a <= 0 <= b else [])]
                    values = [true(mpf(x)) for x in places]
                    least, most = ends(function(span(a, b)))
                    slack = mpmath.mpf(10) ** -45
                    assert least <= min(values) <= least + slack * abs(min(values))
                    assert most - slack * abs(max(values)) <= max(values) <= most


def inverted(x: Any) -> Any:
    return checker_intervals.checked_quotient(work.mpf(1), x)


TINY = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("function", "fine", "wrong", "says"),
    [
        (checker_intervals.interval_log, (TINY, 1), (0, 1), "logarithm"),
        (checker_intervals.interval_sqrt, (0, 1), (-TINY, 1), "square root"),
        (inverted, (TINY, 1), (0, 1), "divides"),
        (inverted, (-1, -TINY), (-1, 0), "divides"),
        (inverted, (1, 2), (-1, 2), "divides"),
        (checker_intervals.interval_exp, (0, 160_000), (0, 160_001), "above exp"),
        (
            lambda x: checker_intervals.real_power(x, x),
            (Fraction(1, 9), 1),
            (Fraction(-1, 9), Fraction(1, 3)),
            "logarithm",
        ),
    ],
)
def test_where_functions_end(function: Any, fine: Any, wrong: Any, says: str) -> None:
    function(span(*map(Fraction, fine)))
    with pytest.raises(Rejected, match=says):
        function(span(*map(Fraction, wrong)))


def test_what_is_exact_stays_exact() -> None:
    """An enclosure wider than a point would not lie inside of one that was stored exactly."""
    for found, value in (
        (checker_intervals.interval_exp(work.mpf(0)), 1),
        (checker_intervals.interval_log(work.mpf(1)), 0),
        (checker_intervals.interval_sqrt(work.mpf(16)), 4),
        (checker_normal.normal_distribution(work.mpf(0)), Fraction(1, 2)),
        (checker_intervals.real_power(work.mpf(4), work.mpf(1.5)), 8),
        (checker_intervals.real_power(work.mpf(4), work.mpf(-0.5)), Fraction(1, 2)),
        (checker_intervals.real_power(work.mpf(0), work.mpf(0.25)), 0),
        (checker_intervals.real_power(work.mpf(-2), work.mpf(3)), -8),
        (checker_intervals.real_power(work.mpf(7), work.mpf(0)), 1),
    ):
        assert low(found) == high(found) == value


@pytest.mark.parametrize("bits", [1, 60, 4000])
def test_an_end_is_written_out_up_to_a_size(bits: int) -> None:
    """Of 2^bits - 1 times 2^exponent, which lies below 2^(exponent + bits): how long the mantissa is counts."""
    most = 2 * checker_intervals.MAX_BINARY_EXPONENT
    value = checker_intervals.exact_end((0, 2**bits - 1, most - bits, bits))
    assert value == (2**bits - 1) * Fraction(2) ** (most - bits)
    for exponent in (most - bits + 1, -most - bits - 1):
        with pytest.raises(Rejected, match="the absolute value of a number is above 2"):
            checker_intervals.exact_end((0, 2**bits - 1, exponent, bits))
    assert checker_intervals.exact_end((1, 2**bits - 1, -most - bits, bits)) < 0


def test_far_out_an_exponential_lies_between_nothing_and_the_last_that_is_written() -> None:
    least = checker_intervals.interval_exp(span(Fraction(-160_001), Fraction(-160_001)))
    assert low(least) == 0
    with mpmath.workdps(DIGITS):
        edge = mpmath.exp(-160_000)
        assert edge <= ends(least)[1] <= edge * (1 + mpmath.mpf(10) ** -50)
        wide = checker_intervals.interval_exp(span(Fraction(-160_001), Fraction(-2)))
        assert low(wide) == 0
        assert mpmath.exp(-2) <= ends(wide)[1] <= mpmath.exp(-2) * (1 + mpmath.mpf(10) ** -50)
        inside = checker_intervals.interval_exp(span(Fraction(-160_000), Fraction(-160_000)))
        assert 0 < ends(inside)[0] <= edge <= ends(inside)[1]


@pytest.mark.parametrize("x", [Fraction(k, 3) for k in (1, 2, 10, 50, 51, 52, 53, 120, 1199, 1200)])
def test_tails_of_the_normal_law_are_as_exact_as_they_are_small(x: Fraction) -> None:
    """On either side of 17, where another series begins, up to 400 deviations."""
    with mpmath.workdps(DIGITS + 30):
        true = mpmath.erfc(mpf(x) / mpmath.sqrt(2)) / 2
        least, most = ends(checker_normal.normal_distribution_at(-x))
        assert least <= true <= most
        assert most - least <= true * mpmath.mpf(10) ** -50
        below, above = ends(checker_normal.normal_distribution_at(x))
        assert below <= 1 - true <= above
        assert above - below <= mpmath.mpf(10) ** -50


def test_beyond_400_deviations_a_tail_is_less_than_there() -> None:
    at, beyond = (
        checker_normal.normal_distribution_at(Fraction(-400)),
        checker_normal.normal_distribution_at(Fraction(-401)),
    )
    assert low(at) > 0 == low(beyond)
    assert high(beyond) >= low(at)
    with mpmath.workdps(DIGITS):
        assert ends(beyond)[1] <= mpmath.ncdf(-400) * (1 + mpmath.mpf(10) ** -40)
    assert low(checker_noisy_maximum.laplace_distribution_at(Fraction(-3))) > 0


@pytest.mark.parametrize("x", [Fraction(-90), Fraction(-1, 3), Fraction(0), Fraction(1, 3), Fraction(90)])
def test_the_laplace_distribution_function(x: Fraction) -> None:
    with mpmath.workdps(DIGITS):
        true = mpmath.exp(mpf(x)) / 2 if x < 0 else 1 - mpmath.exp(-mpf(x)) / 2
        least, most = ends(checker_noisy_maximum.laplace_distribution_at(x))
        assert least <= true <= most <= least + true * mpmath.mpf(10) ** -55
        least, most = ends(checker_noisy_maximum.laplace_distribution(span(x - 1, x)))
        assert ends(checker_noisy_maximum.laplace_distribution_at(x - 1))[0] >= least
        assert least < most


# -- numbers, expressions, relations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["1e5000", "-1e-5000", "2/3", "-7", "0.25e+3"])
def test_numbers_are_read_exactly(text: str) -> None:
    assert checker_untrusted.read_decimal(text, "here") == Fraction(text)


@pytest.mark.parametrize("text", ["1e5001", "1e-5001", "1/0", "1/00", ".5", "5.", "1 ", "+1", "1/-2", "1/2e3", "", "-"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(Rejected, match=r"^here: "):
        checker_untrusted.read_decimal(text, "here")


def test_ends_may_be_infinite_and_numbers_may_not() -> None:
    assert (checker_untrusted.read_end("inf", "x"), checker_untrusted.read_end("-inf", "x")) == (math.inf, -math.inf)
    assert checker_untrusted.read_end("1/3", "x") == Fraction(1, 3)
    with pytest.raises(Rejected):
        checker_untrusted.read_end("nan", "x")


def same(relation: str, left: str, right: str, within: str = "0") -> tuple[str, ...]:
    """What the checker says of one exact relation between numbers, whose enclosures are stored as they are."""
    certificate = {
        "relation": relation, "left": left, "right": right, "within": within, "given": [], "variables": {},
        "left_enclosure": [left, left], "right_enclosure": [right, right],
    }  # fmt: skip
    found = verify(formula() | certificate)
    return ("ok",) if found.ok else found.lines


@pytest.mark.parametrize(
    ("relation", "right", "within", "false"),
    [
        ("<=", "0.2499", "0", True),
        ("<=", "0.25", "0", False),
        ("<=", "0.2501", "0", False),
        ("<", "0.2499", "0", True),
        ("<", "0.25", "0", True),
        ("<", "0.2501", "0", False),
        ("==", "0.2499", "0", True),
        ("==", "0.2501", "0", True),
        ("==", "0.25", "0", False),
        ("==", "0.35", "0.1", False),
        ("==", "0.15", "0.1", False),
        ("==", "0.3501", "0.1", True),
        ("==", "0.1499", "0.1", True),
    ],
)
def test_a_relation_is_false_exactly_where_it_is(relation: str, right: str, within: str, false: bool) -> None:
    (line, *_) = same(relation, "0.25", right, within)
    assert line == "ok" if false else "not violated" in line


@pytest.mark.parametrize(("relation", "within"), [("<=", "0.1"), ("<", "0.1"), ("==", "-0.1"), ("<=", "-0.1")])
def test_only_an_equation_holds_within_something(relation: str, within: str) -> None:
    assert "is not allowed for the relation" in same(relation, "1", "0", within)[0]


@pytest.mark.parametrize(("right", "holds"), [("x", True), ("0.5", True), ("0.5000001", True), ("0.4999999", False)])
def test_a_precondition_may_hold_with_equality(right: str, holds: bool) -> None:
    found = verify(formula() | {"given": [["x", right]]})
    assert found.ok == holds
    assert holds or found.lines[0].startswith("given/0")


def test_every_precondition_counts_and_every_expression_uses_a_variable() -> None:
    assert verify(formula() | {"given": [["x", "1"], ["1", "x"]]}).lines[0].startswith("given/1")
    only = formula() | {"variables": {"x": "0.5", "y": "3"}}
    assert "variables/y: no expression uses" in verify(only).lines[0]
    assert verify(only | {"given": [["0", "y"]]}).ok


@pytest.mark.parametrize("name", ["exp", "log", "pi", "maximum", "ceil"])
def test_names_that_are_taken(name: str) -> None:
    assert (
        "this name has another meaning in expressions; choose another name"
        in verify(formula() | {"variables": {name: "1"}}).lines[0]
    )


def test_an_event_as_likely_as_the_bound_is_no_violation() -> None:
    """P_left = e^eps P_right + delta exactly: with exact numbers there is nothing between them."""
    halves = [checker_intervals.interval(Fraction(1, n)) for n in (2, 4)]
    stored = {"left_probability": ["1/2", "1/2"], "right_probability": ["1/4", "1/4"], "variables": {}, "eps": "0"}
    for delta, fine in (("1/4", False), ("0.2499999", True), ("0.2500001", False), ("0", True)):
        certificate = stored | {"delta": delta}
        if fine:
            assert checker_agreement.require_violation(certificate, *halves, checker_agreement.AGREE)
        else:
            with pytest.raises(Rejected, match="not violated"):
                checker_agreement.require_violation(certificate, *halves, checker_agreement.AGREE)
    for wrong in ({"eps": "-1", "delta": "0"}, {"eps": "0", "delta": "-1/100"}):
        with pytest.raises(Rejected, match="must not be negative"):
            checker_agreement.require_violation(stored | wrong, *halves, checker_agreement.AGREE)


@pytest.mark.parametrize(
    ("name", "path", "value", "says"),
    [
        ("gaussian", "scales/0", "0", "scales must be positive"),
        ("gaussian", "sensitivities/1", "-1/100", "scales must be positive, and sensitivities at least 0"),
        ("gaussian", "event/0", 2, "not a set of options 0 to 1"),
        ("three", "scales", ["1", "1"], "has length 2, but left has length 3; they must be equal"),
        ("three", "right", ["0", "0"], "has length 2, but left has length 3; they must be equal"),
        ("three", "sensitivities", ["2", "1", "1", "1"], "has length 4, but left has length 3; they must be equal"),
        ("three", "right", ["0", "1", "0"], "neighbour of left, because 2 options change, but only"),
        ("three", "sensitivities/0", "1.99", "not a neighbour of left, because option"),
    ],
)
def test_what_no_step_may_be(name: str, path: str, value: Any, says: str) -> None:
    found = verify(changed(VALID[name](), path, value))
    assert not found.ok
    assert any(word in found.lines[0] for word in says.split("|")), found.lines


def test_an_option_of_sensitivity_0_may_stand_still() -> None:
    assert verify(changed(gaussian(), "sensitivities/1", "0")).ok
    assert identity()["relation"] == "=="


# -- cells -------------------------------------------------------------------------------------------------------------


def mass(low_end: Fraction, high_end: Fraction) -> Any:
    """The mass of the standard normal law between two points, as exact as it is small."""
    if low_end >= high_end:
        return mpmath.mpf(0)
    if low_end > 0:
        return mpmath.ncdf(-mpf(low_end)) - mpmath.ncdf(-mpf(high_end))
    return mpmath.ncdf(mpf(high_end)) - mpmath.ncdf(mpf(low_end))


@pytest.mark.parametrize("seed", range(8))
def test_a_strip_contributes_no_less_and_no_more(seed: int) -> None:
    """All that its two bounds are wrong by is rounding, and that is outward: each against 80 digits."""
    draw = np.random.default_rng(seed)

    def number() -> Fraction:
        return Fraction(int(draw.integers(-60, 60)), 16)

    a = number()
    b = a + Fraction(int(draw.integers(1, 20)), 8)
    far, wide = Fraction(int(draw.integers(1, 30)), 8), Fraction(int(draw.integers(1, 9)), 3)
    close, behind, ahead = ([number() for _ in range(int(n))] for n in draw.integers(0, 3, 3))

    def at(x: Fraction) -> Any:
        return checker_integrals.TailPoint(
            x,
            checker_integrals.tails_at(x),
            [(checker_integrals.tails_at(wide * x - m), checker_integrals.tails_at(wide * x - m - far)) for m in close],
            [checker_normal.normal_distribution_at(wide * x - m - far) for m in behind],
            [checker_normal.normal_distribution_at(m - wide * x) for m in ahead],
        )

    before, work.prec = work.prec, 60
    try:
        found = checker_integrals.selection_cell(at(a), at(b))
        plain = [
            checker_noisy_maximum.RivalsAt(
                x, checker_normal.normal_distribution_at(x), checker_normal.normal_distribution_at(wide * x - far)
            )
            for x in (a, b)
        ]
        part = checker_noisy_maximum.winning_cell(*plain)
    finally:
        work.prec = before
    with mpmath.workdps(DIGITS):
        least = mass(a, b)
        most = mass(a, b)
        for m in close:
            least *= mass(wide * b - m - far, wide * a - m)
            most *= mass(wide * a - m - far, wide * b - m)
        for m in behind:
            least, most = (
                least * mass(Fraction(-99), wide * a - m - far),
                most * mass(Fraction(-99), wide * b - m - far),
            )
        for m in ahead:
            least, most = least * mass(wide * b - m, Fraction(99)), most * mass(wide * a - m, Fraction(99))
        tight = mpmath.mpf(10) ** -14
        assert least * (1 - tight) <= ends(found.least)[0] <= ends(found.least)[1] <= least
        assert most <= ends(found.most)[0] <= ends(found.most)[1] <= most * (1 + tight)
        inside = [mass(a, b) * mass(Fraction(-99), wide * x - far) for x in (a, b)]
        assert inside[0] * (1 - 1000 * tight) - tight <= ends(part.least)[1] <= inside[0]
        assert inside[1] <= ends(part.most)[0] <= inside[1] * (1 + 1000 * tight) + tight


def test_tails_are_both_small_where_they_are() -> None:
    for x in (Fraction(-30), Fraction(-1, 2), Fraction(0), Fraction(1, 2), Fraction(30)):
        left, right = checker_integrals.tails_at(x)
        with mpmath.workdps(DIGITS):
            for found, true in ((left, mpmath.ncdf(mpf(x))), (right, mpmath.ncdf(-mpf(x)))):
                least, most = ends(found)
                assert least <= true <= most <= least + true * mpmath.mpf(10) ** -45


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("lead", [Fraction(-300), Fraction(5, 2), Fraction(300)])
def test_the_winner_is_enclosed_however_far_ahead_or_behind(noise: str, lead: Fraction) -> None:
    """Of two options in closed form, though by cells: also where all of the chance lies beyond the last of them."""
    means, scales = [lead, Fraction(0)], [Fraction(1), Fraction(2)]
    by_cells = checker_noisy_maximum.winning_probability(noise, means, scales, 0, cells=60)
    closed = checker_noisy_maximum.two_option_probability(noise, means, scales, [0])
    assert low(by_cells) <= low(closed) <= high(closed) <= high(by_cells)
    other = checker_noisy_maximum.two_option_probability(noise, means, scales, [1])
    assert low(closed) + low(other) <= 1 <= high(closed) + high(other)
    assert low(checker_noisy_maximum.two_option_probability(noise, means, scales, [0, 1])) == 1
    assert high(checker_noisy_maximum.two_option_probability(noise, means, scales, [])) == 0


def between_normals(chosen: Any, kept: frozenset[int]) -> Any:
    """The chance that exactly these are kept: over where the largest lies, or what separates the two sets."""
    every = range(len(chosen.centres))
    lines = [(mpf(m), mpf(s)) for m, s in zip(chosen.centres, chosen.scales, strict=True)]
    size = mpf(chosen.size) if chosen.rule == "within" else mpmath.mpf(0)

    def below(j: int, x: Any) -> Any:
        return mpmath.ncdf((x - lines[j][0]) / lines[j][1])

    def density(i: int, x: Any) -> Any:
        return mpmath.npdf((x - lines[i][0]) / lines[i][1]) / lines[i][1]

    def at(x: Any) -> Any:
        if chosen.rule == "within":
            return mpmath.fsum(
                density(i, x)
                * mpmath.fprod(below(j, x) - below(j, x - size) for j in kept if j != i)
                * mpmath.fprod(below(j, x - size) for j in every if j not in kept)
                for i in kept
            )
        rest = [j for j in every if j not in kept]
        return mpmath.fsum(
            density(i, x)
            * mpmath.fprod(below(j, x) for j in rest if j != i)
            * mpmath.fprod(1 - below(j, x) for j in kept)
            for i in rest
        )

    return mpmath.quad(at, range(-12, 13, 3))


@pytest.mark.parametrize(
    ("rule", "size", "kept"),
    [
        ("within", Fraction(1, 2), [1]),
        ("within", Fraction(1, 2), [0, 2]),
        ("within", Fraction(3), [0, 1, 2]),
        ("within", Fraction(0), [1]),
        ("top", Fraction(1), [0]),
        ("top", Fraction(2), [0, 2]),
    ],
)
@pytest.mark.first(1)
def test_sets_kept_among_normals_are_enclosed(rule: str, size: Fraction, kept: list[int]) -> None:
    """Against Gauss's rule on the definition, with centres and scales that differ; with few cells."""
    chosen = checker_selections.Selection(
        "gaussian",
        rule,
        size,
        [Fraction(0), Fraction(2, 3), Fraction(1)],
        [Fraction(1), Fraction(1, 2), Fraction(3, 2)],
    )
    with mpmath.workdps(15):
        true = between_normals(chosen, frozenset(kept))
        least, most = ends(checker_releases.selection_step_probability(chosen, frozenset(kept), cells=150))
        assert least <= true <= most
        assert most - least <= true / 4


def test_sets_that_are_never_kept_and_sets_that_always_are() -> None:
    def chance(kept: list[int], rule: str, size: int, centres: int = 3, weights: Any = None) -> Any:
        chosen = checker_selections.Selection(
            "laplace", rule, Fraction(size), [Fraction(0)] * centres, [Fraction(1)] * centres
        )
        found = checker_releases.selection_step_probability(chosen._replace(weights=weights), frozenset(kept))
        return low(found), high(found)

    assert chance([], "within", 1) == chance([0, 1], "within", 0) == chance([0, 1], "top", 1) == (0, 0)
    assert chance([0], "top", 2) == chance([], "top", 1) == (0, 0)
    assert chance([0, 1, 2], "top", 3) == chance([0], "within", 1, 1) == chance([0], "within", 0, 1) == (1, 1)
    third = chance([0], "within", 0)
    assert third[0] <= Fraction(1, 3) <= third[1] < Fraction(1, 3) + Fraction(1, 10**50)


# -- tables and neighbours ---------------------------------------------------------------------------------------------


def test_what_windows_pay_is_what_their_rewards_add_up_to() -> None:
    """Against the rewards one by one; a reward at the bound counts, one beyond it does not."""
    lengths, rows = (
        [2, 1, 3],
        [[Fraction(1, 2), Fraction(-2), Fraction(3)], [Fraction(-3), Fraction(0), Fraction(1, 3)]],
    )
    tables = checker_selections.Tables([Fraction(n) for n in np.cumsum(lengths).tolist()], rows)
    singles = [[value for n, value in zip(lengths, row, strict=True) for _ in range(n)] for row in rows]
    bounds: list[Any] = [math.inf, Fraction(3), Fraction(2), Fraction(1, 3), Fraction(0)]
    for row, first, last, bound in product(range(2), range(7), range(7), bounds):
        true = sum((x for x in singles[row][first:last] if abs(x) <= bound), Fraction(0))
        assert tables.paid(row, Fraction(first), Fraction(last), bound) == true


def sides(relation: str, left: list[list[int]], right: list[list[int]], lengths: tuple[int, ...] = (1, 1, 4)) -> Any:
    text = {side: [[str(x) for x in row] for row in rows] for side, rows in (("left", left), ("right", right))}
    return checker_releases.require_neighbouring_tables(
        {"relation": relation, "lengths": [str(n) for n in lengths], "range": ["0", "1"], **text}
    )


ROWS = [[1, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    ("relation", "right", "says"),
    [
        ("pull", [[1, 0, 1], [0, 0, 1]], ""),
        ("pull", [[0, 0, 1], [0, 0, 1]], ""),
        ("pull", [[1, 0, 1], [0, 1, 1]], ""),
        ("pull", [[0, 0, 1], [1, 0, 1]], "differ in 2 entries"),
        ("pull", [[0, 1, 1], [0, 0, 1]], "differ in 2 entries"),
        ("round", [[0, 0, 1], [1, 0, 1]], ""),
        ("round", [[0, 1, 1], [0, 0, 1]], "in several rounds"),
        ("round", [[0, 0, 1], [0, 1, 1]], "in several rounds"),
        (
            "pull",
            [[1, 0, 0], [0, 0, 1]],
            "right: not a neighbour of left, because the reward tables differ in an entry",
        ),
        (
            "round",
            [[1, 0, 0], [0, 0, 0]],
            "right: not a neighbour of left, because the reward tables differ in an entry",
        ),
        ("pull", [[1, 0, 2], [0, 0, 1]], "right/0/2: the reward 2 is outside the range"),
        ("pull", [[1, 0, 1], [0, -1, 1]], "right/1/1: the reward -1 is outside the range"),
        (
            "pull",
            [[1, 0, 1]],
            "both sides must have the same number of rows, and every row must have one reward",
        ),
        (
            "pull",
            [[1, 0, 1], [0, 0, 1], [0, 0, 0]],
            "both sides must have the same number of rows, and every row must have one reward",
        ),
        (
            "pull",
            [[1, 0], [0, 0]],
            "both sides must have the same number of rows, and every row must have one reward",
        ),
    ],
)
def test_which_tables_are_neighbours(relation: str, right: list[list[int]], says: str) -> None:
    if not says:
        first, second = sides(relation, ROWS, right)
        assert (first.rows, second.rows) == (ROWS, right)
        assert first.ends == second.ends == [1, 2, 6]
        return
    with pytest.raises(Rejected, match=says):
        sides(relation, ROWS, right)


@pytest.mark.parametrize(
    "field", [{"range": ["1", "1"]}, {"lengths": ["1", "3/2", "4"]}, {"lengths": ["1", "1/2", "4"]}]
)
def test_what_no_table_says(field: dict[str, Any]) -> None:
    (line,) = verify(selected() | field).lines
    assert line.startswith((next(iter(field)), "schema"))


def test_a_number_that_is_not_known_to_twelve_digits_is_shown_with_both_ends() -> None:
    assert checker_agreement.format_enclosure(Fraction(1, 3)) == "0.333333333333"
    assert checker_agreement.format_enclosure(checker_intervals.work.mpf(["0.25", "0.5"])) == "0.25 to 0.5"
