"""The checker's conditions at their edges: what is just allowed passes, and what is just not is said."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import pytest
from test_certificates import VALID, formula, gaussian, run, selected, three

from dpbandits.extensions.thompson.run_checker import runs as checker_runs
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.checker import agreement as checker_agreement
from dpbandits.proofs_checks.checker import expressions as checker_expressions
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import noisy_maximum as checker_noisy_maximum
from dpbandits.proofs_checks.checker import quadrature as checker_quadrature
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.checker.intervals import high, low, work
from dpbandits.proofs_checks.checker.untrusted import Rejected


def exact(x: Any) -> Any:
    return mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator


# -- what comes from anybody -------------------------------------------------------------------------------------------


def nested(depth: int) -> Any:
    found: Any = 1
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("fine", "wrong", "says"),
    [
        (10**9, 10**9 + 1, "numbers must be integers up to 10"),
        (-(10**9), -(10**9) - 1, "numbers must be integers up to 10"),
        ([True, None], [1.0], "numbers must be integers up to 10"),
        (nested(6), nested(7), "items in total, or is nested more than 6 levels"),
        ("a" * 199_999, "a" * 200_000, "more than 200000"),  # the text, and one for itself
        ([0] * 99_999, [0] * 100_000, "more than 200000"),  # each item, and each of them for itself
        ({"a" * 199_995: 0}, {"a" * 199_996: 0}, "more than 200000"),  # names as well
        ("plain", "li\nes", "cannot be printed"),
        ({"plain": 0}, {"\x07": 0}, "cannot be printed"),
    ],
)
def test_how_large_and_deep_a_certificate_may_be(fine: Any, wrong: Any, says: str) -> None:
    checker_untrusted.require_moderate_size(fine)
    with pytest.raises(Rejected, match=says):
        checker_untrusted.require_moderate_size(wrong)


def test_only_a_run_is_paid_from_the_larger_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [VALID[name]() for name in ("formula", "gaussian", "three")]
    for name, kind in checker_verification.KINDS.items():
        monkeypatch.setitem(checker_verification.KINDS, name, kind._replace(effort=10))
    assert verify(run()).ok
    for each in others:
        assert "checking this certificate would take too much computation" in verify(each).lines[0]
        assert checker_untrusted.Effort.left == math.inf


def test_a_budget_is_used_up_to_its_last_unit() -> None:
    with checker_untrusted.limited_effort(3):
        checker_untrusted.spend_effort(3)
        with pytest.raises(Rejected, match="checking this certificate would take too much computation"):
            checker_untrusted.spend_effort(Fraction(1, 1000))
    assert checker_untrusted.Effort.left == math.inf


# -- expressions -------------------------------------------------------------------------------------------------------


def value(source: str) -> tuple[Any, Any]:
    found = checker_expressions.Evaluator({}).value(source, "here")
    return low(found), high(found)


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("sqrt(2 - 2)**0", 1),
        ("sqrt(2 - 2)**0.25", 0),
        ("(0 - sqrt(1))**5000", 1),
        ("(0 - sqrt(1))**4999", -1),
        ("(0 - sqrt(1))**-5000", 1),
        ("0**0", 1),
        ("sqrt(4)**-3", Fraction(1, 8)),
        ("maximum(1/3, 2/7)", Fraction(1, 3)),
        ("minimum(sqrt(9), 4)", 3),
    ],
)
def test_values_that_are_exact(source: str, result: Any) -> None:
    assert value(source) == (result, result)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("sqrt(2 - 2)**(0 - 0.25)", "logarithm"),
        ("0**-1", "divides"),
        ("sqrt(2 - 2)**-1", "divides"),
        ("(0 - sqrt(1))**5001", "logarithm"),  # a whole number, but too large to be seen as one
        ("(0 - sqrt(1))**-5001", "logarithm"),
        ("(0 - sqrt(1))**0.5", "square root"),
        ("exp(1, 2)", "exp: the number of arguments is 2; it must be 1"),
        ("exp()", "exp: the number of arguments is 0; it must be 1"),
        ("maximum()", "maximum: the number of arguments is 0; it must be at least one"),
        ("True", "the name 'True'|is not a decimal number"),
        ("1 @ 1", "is not arithmetic|MatMult"),
        ("1/0", "divides"),
        ("sqrt", "the name 'sqrt' is not listed in the field variables"),
    ],
)
def test_expressions_without_a_value(source: str, says: str) -> None:
    with pytest.raises(Rejected, match=f"^here: .*({says})"):
        value(source)


def test_a_power_by_an_interval_holds_the_powers_by_both_ends() -> None:
    least, most = (
        checker_intervals.exact_end(end) for end in checker_intervals.real_power(work.mpf(2), work.mpf([1, 2]))._mpi_
    )
    assert 2 * (1 - Fraction(1, 10**50)) < least <= 2
    assert 4 <= most < 4 * (1 + Fraction(1, 10**50))


@pytest.mark.parametrize("x", [Fraction(1), Fraction(-7, 3), Fraction(1, 10**30)])
def test_exponentials_and_logarithms_are_padded_by_ten_units(x: Fraction) -> None:
    """In the last place on either side, and by no more than forty."""
    around = checker_intervals.interval(x)
    found, unit = checker_intervals.widen_by_units(around), abs(x) / 2**work.prec
    assert 10 * unit <= low(around) - low(found) <= 40 * unit
    assert 10 * unit <= high(found) - high(around) <= 40 * unit


def test_an_expression_may_be_nested_to_a_depth() -> None:
    deepest = "-" * checker_expressions.NESTED + "1"
    assert value(deepest) == (1, 1)
    with pytest.raises(Rejected, match="nested more than 500 levels"):
        value("-" + deepest)


@pytest.mark.parametrize(
    "grown",
    [
        lambda tree: ast.BinOp(tree, ast.Sub(), ast.Name("x")),
        lambda tree: ast.BinOp(ast.Name("x"), ast.Sub(), tree),
        lambda tree: ast.UnaryOp(ast.USub(), tree),
    ],
)
def test_every_kind_of_nesting_counts(grown: Callable[[ast.expr], ast.expr]) -> None:
    """On the left and on the right of a sign, and under one; brackets nest no deeper than Python's 200."""
    tree: ast.expr = ast.Name("x")
    for _ in range(checker_expressions.NESTED):
        tree = grown(tree)
    checker_expressions.Evaluator({"x": Fraction(1)}).node(tree, "x")
    with pytest.raises(Rejected, match="nested more than 500 levels"):
        checker_expressions.Evaluator({"x": Fraction(1)}).node(grown(tree), "x")


# -- how far stored numbers may be off ---------------------------------------------------------------------------------


def many(values: int, **fields: Any) -> dict[str, Any]:
    return selected()["steps"][0] | {
        "windows": [],
        **{name: [text] * values for name, text in (("divisors", "1"), ("bounds", "inf"), ("scales", "1"))},
        "releases": [{"kept": [values - 1], "next": -1}],
        **fields,
    }


def off_by(made: dict[str, Any], share: Fraction) -> bool:
    """Whether a chance may be stored that is so far above 1/2, which is what all chances are."""
    stored = str(Fraction(1, 2) * (1 + share))
    made = made | {"eps": "0", "delta": "0", "variables": {}, "left_probability": ["1/2", stored]}
    found = verify(made | {"right_probability": ["1/2", "1/2"]})
    assert found.lines[0].startswith(("left_probability: the high end", "(eps, delta)-DP is not violated"))
    return found.lines[0].startswith("(eps, delta)-DP is not violated")


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_the_winner_among_three_may_be_stored_loosely(noise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a hundredth; of two options to 18 digits."""
    half = checker_intervals.interval(Fraction(1, 2))
    monkeypatch.setattr(checker_noisy_maximum, "winning_probability", lambda *_: half)
    monkeypatch.setattr(checker_noisy_maximum, "two_option_probability", lambda *_: half)
    for values, event, most in (
        (3, [0], Fraction(1, 100)),
        (2, [0], checker_agreement.AGREE),
        (3, [], checker_agreement.AGREE),
    ):
        texts = {name: ["1"] * values for name in ("scales", "left", "right", "sensitivities")}
        made = gaussian() | texts | {"noise": noise, "event": event}
        assert off_by(made, most * Fraction(99, 100))
        assert not off_by(made, most * Fraction(101, 100))


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({"noise": "gaussian", "size": "1"}, Fraction(1, 20)),
        ({"noise": "laplace", "size": "1"}, checker_agreement.AGREE),
        ({"noise": "gaussian", "size": "0"}, checker_agreement.AGREE),  # two normals, whose difference is one
    ],
)
def test_only_selections_among_normals_may_be_stored_loosely(
    fields: dict[str, Any], most: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To a twentieth, where any of the steps is one; all others to 18 digits."""
    made = selected()
    monkeypatch.setattr(
        checker_releases, "selection_step_probability", lambda *_: checker_intervals.interval(Fraction(1, 2))
    )
    steps = [many(2, releases=[{"kept": [0], "next": 1}, {"kept": [1], "next": 1}]), many(2) | fields]
    assert off_by(made | {"steps": steps}, most * Fraction(99, 100))
    assert not off_by(made | {"steps": steps}, most * Fraction(101, 100))


# -- integrals by cells ------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    x: Fraction


def square(a: Place, b: Place) -> Any:
    """What lies below x^2 between two points to the right of 0."""
    least, most = ((b.x - a.x) * end.x**2 for end in (a, b))
    return checker_quadrature.Cell(a, b, checker_intervals.interval(least), checker_intervals.interval(most))


@pytest.mark.parametrize(("cells", "fine"), [(3000, Fraction(1, 40)), (100, Fraction(1, 1000)), (9, Fraction(1, 10))])
def test_an_integral_is_refined_until_it_is_close_or_has_all_its_cells(cells: int, fine: Fraction) -> None:
    asked = []

    def at(x: Fraction) -> Place:
        asked.append(x)
        return Place(x)

    found = checker_quadrature.refine_integral([Place(Fraction(k, 8)) for k in range(9)], at, square, fine, cells)
    assert low(found) <= Fraction(1, 3) <= high(found)
    assert len(set(asked)) == len(asked)
    parts = 8 + len(asked)
    if cells == 3000:
        assert high(found) <= low(found) * (1 + fine)
        assert parts < 200  # x^2 in n equal parts is off by 3/n of itself: 120 of them would do
    else:
        assert cells <= parts <= cells + 1 + cells // 8
        assert high(found) > low(found) * (1 + fine)


def test_the_worst_cells_are_halved_first() -> None:
    """All that is not known lies in the first of 64 cells: it takes few others to halve it ten times."""

    def part(a: Place, b: Place) -> Any:
        width = checker_intervals.interval(b.x - a.x)
        return checker_quadrature.Cell(a, b, width, 2 * width if a.x == 0 else width)

    found = checker_quadrature.refine_integral(
        [Place(Fraction(k, 64)) for k in range(65)], Place, part, Fraction(1, 5000), 300
    )
    assert high(found) <= low(found) * (1 + Fraction(1, 5000))


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.first(1)
def test_rivals_that_are_alike_count_each(noise: str) -> None:
    """One option against three that are alike and one that is not: against the integral of the product."""
    cells = 80 if noise == "gaussian" else 410  # few, so that it is quick
    means, scales = [Fraction(1, 2), *[Fraction(0)] * 3, Fraction(1)], [Fraction(3, 2), *[Fraction(1)] * 3, Fraction(2)]
    found = checker_noisy_maximum.winning_probability(noise, means, scales, 0, cells)
    with mpmath.workdps(15):
        if noise == "gaussian":
            density, below = mpmath.npdf, mpmath.ncdf
        else:
            density = lambda x: mpmath.exp(-abs(x)) / 2  # noqa: E731
            below = lambda x: mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2  # noqa: E731
        knots = [-40, -8, -4, -2, -mpmath.mpf(1) / 3, 0, mpmath.mpf(1) / 3, 2, 4, 8, 40]
        true = mpmath.quad(lambda x: density(x) * below(0.5 + 1.5 * x) ** 3 * below((1.5 * x - 0.5) / 2), knots)
    assert exact(low(found)) <= true <= exact(high(found))
    assert exact(high(found)) - exact(low(found)) < (0.1 if noise == "gaussian" else 0.9) * true
    alike = [
        checker_noisy_maximum.winning_probability(noise, [Fraction(0)] * 4, [Fraction(2)] * 4, arm, cells)
        for arm in (0, 3)
    ]
    assert all(low(each) <= Fraction(1, 4) <= high(each) for each in alike)


def test_of_three_options_all_together_win_and_none_never_do() -> None:
    """Known exactly, so that nothing is violated, or stored loosely."""
    for event, chance in (([0, 1, 2], "1"), ([], "0")):
        made = three() | {"event": event} | {f"{side}_probability": [chance] * 2 for side in ("left", "right")}
        assert verify(made).lines[0].startswith("(eps, delta)-DP is not violated")
        assert "end in the certificate is" in verify(made | {"left_probability": [chance, "1.001"]}).lines[0]


# -- whole runs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fine", "wrong", "says"),
    [
        ({"step": "10"}, {"step": "10.001"}, "variance and delta must be positive, eps at least 0, and step from 0"),
        ({"eps": "0"}, {"eps": "-1e-9"}, "variance and delta must be positive, eps at least 0, and step from 0"),
        ({"delta": "1e-9"}, {"delta": "0"}, "delta must be positive"),
        ({"policy": {"prepulls": 6}}, {"policy": {"prepulls": 7}}, "prepulls = 7 for each of 2 arms is too large"),
        ({"policy": {"prepulls": 2}, "pulls": 2}, {"policy": {"prepulls": 2}, "pulls": 1}, "pulls = 1"),
        ({"policy": {"variance": "1e-9"}}, {"policy": {"variance": "-1"}}, "variance and delta must be positive"),
        ({"becomes": "1/18446744073709551616"}, {"becomes": "1/18446744073709551617"}, "must be at most 2"),
        ({"becomes": "0"}, {"becomes": "-1e-9"}, "must be in [0, 1]"),
        ({"becomes": "1"}, {"becomes": "1.000000001"}, "must be in [0, 1]"),
        ({"changed": [1, 11]}, {"changed": [1, 12]}, "and contain the changed reward"),
        ({"changed": [1, 0]}, {"changed": [2, 0]}, "and contain the changed reward"),
        ({"rewards": [[[12, "0"]], [[12, "1"]]]}, {"rewards": [[[12, "0"]], [[12, "1.01"]]]}, "must be in [0, 1]"),
        ({"rewards": [[[12, "0"]], [[12, "0"]]]}, {"rewards": [[[12, "0"]], [[13, "0"]]]}, "must have length 12"),
    ],
)
def test_which_runs_may_be_asked_about(fine: dict[str, Any], wrong: dict[str, Any], says: str) -> None:
    def found(fields: dict[str, Any]) -> str:
        made = run() | {"variables": {}, "eps": "1.8"} | fields
        made["policy"] = run()["policy"] | fields.get("policy", {})
        return verify(made).lines[0]

    assert says not in found(fine)
    assert found(fine).startswith(("(eps, delta)-DP is not violated", "Gaussian Thompson sampling"))
    assert says in found(wrong)


def test_which_sampler_was_told_apart_is_said() -> None:
    """What is true of one with little noise is not true of Algorithm 1."""
    policy = {"name": "gaussian-thompson", "prepulls": 1, "variance": "1/2"}
    louder = run() | {"policy": policy, "variables": {}, "eps": "1/2"}
    assert "two arms, 12 rounds, b = 1, c = 1/2; a reward of arm 0 changed" in verify(louder).lines[0]


def test_a_run_has_so_many_heaps_and_no_more() -> None:
    """Losses from -10 to eps + 10, rounded up: eps = log 6 makes 22, so that steps of 0.0055 are 4000."""
    assert verify(run() | {"step": "0.0055"}).ok
    assert "the check would need more than 4000 cells" in verify(run() | {"step": "0.005499"}).lines[0]


def test_tables_of_a_run_are_written_out() -> None:
    """In units of the common denominator, the changed arm first; the right one differs in one place."""
    made = run() | {"rewards": [[[2, "1/2"], [1, "0"]], [[1, "1/3"], [2, "1"]], [[3, "1/4"]]], "changed": [1, 2]}
    found = checker_runs.read_run_tables(made | {"becomes": "1/6"}, 3, Fraction(7, 10), 5)
    assert found.unit == 12
    assert found.left == [[4, 12, 12], [6, 6, 0], [3, 3, 3]]
    assert found.right == [[4, 12, 2], [6, 6, 0], [3, 3, 3]]
    assert (found.relation, found.variance, found.pulls, found.alike) == ("pull", Fraction(7, 10), 5, False)
    same = run() | {"rewards": [[[3, "0"]], [[3, "1/4"]], [[1, "1/4"], [2, "1/4"]]], "changed": [0, 0]}
    assert checker_runs.read_run_tables(same, 3, Fraction(1), 5).alike
    for others in ("001", "010", "100"):  # all of the others must be alike, and the changed arm is none of them
        rows = [[[3, "0"]], *([[3, text]] for text in others)]
        assert not checker_runs.read_run_tables(same | {"rewards": rows}, 3, Fraction(1), 5).alike
    assert checker_runs.read_run_tables(same | {"rewards": [[[3, "1"]]] * 2}, 3, Fraction(1), 5).alike


def test_a_run_starts_after_its_prepulls_in_the_order_of_the_arms() -> None:
    """Two of each: arms 0, 0, 1, 1, 2, 2; the changed arm's state comes first. By rounds and by pulls."""
    rewards = [[[5, "1/2"], [1, "1"]], [[3, "0"], [3, "1"]], [[1, "1"], [5, "0"]]]
    made = run() | {"rewards": rewards, "changed": [1, 0], "becomes": "1/2"}
    starts = []
    for relation, place in (("pull", 0), ("round", 2)):
        made |= {"relation": relation, "changed": [1, place]}
        starts.append(checker_runs.read_run_tables(made, 6, Fraction(1), 6).start(2, 1))
    assert starts[0] == ((2, 0, 1), (2, 2, 2), (2, 2, 2))
    assert starts[1] == ((2, 2, 3), (2, 2, 2), (2, 0, 0))  # arms that pay otherwise keep their places
    alike = made | {"rewards": [[[6, "1"]], [[6, "0"]], [[6, "1"]]]}
    assert checker_runs.read_run_tables(alike, 6, Fraction(1), 6).start(1, 1) == ((1, 0, 0), (1, 2, 2), (1, 2, 2))


def test_a_run_goes_on_to_as_many_pulls_of_the_changed_arm_as_it_says() -> None:
    state = ((1, 0, 1), (2, 0, 0))
    for pulls, ways in ((2, [((2, 0, 1), (2, 0, 0)), ((1, 0, 1), (3, 0, 0))]), (1, [((1, 0, 1), (3, 0, 0))])):
        found = checker_runs.RunTables([[0] * 5] * 2, [[1, 0, 0, 0, 0], [0] * 5], "pull", 1, Fraction(1), pulls, True)
        assert [way[0] for way in found.outcomes_of_round(state, 3)] == ways


def test_a_formula_s_own_name_is_no_variable() -> None:
    assert verify(formula()).ok
    assert (
        "this name has another meaning in expressions; choose another name"
        in verify(formula() | {"variables": {"floor": "1", "x": "0.5"}}).lines[0]
    )
