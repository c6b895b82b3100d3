"""The judge of formulas has power (false statements are refuted) and honesty (it proves only what is true)."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import count, product, repeat
from math import inf, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Finding, Verdict
from dpbandits.proofs_checks.checker.verification import verify
from dpbandits.proofs_checks.formulas.branch_and_bound import Proof, prove_by_subdivision
from dpbandits.proofs_checks.formulas.conclusions import WRITABLE
from dpbandits.proofs_checks.formulas.domains import axes_of
from dpbandits.proofs_checks.formulas.effort import Effort
from dpbandits.proofs_checks.formulas.methods import judge_by_methods
from dpbandits.proofs_checks.formulas.search_or_prove import search_or_prove
from dpbandits.proofs_checks.formulas.statement import counting_values
from dpbandits.reference.claims.model import Claim, Identity, Inequality, OneOf, Private, Real, Source, Whole

QUICK = Effort(points=2000, rounds=20, boxes=2000, exact=12)


def judged(says: Any, effort: Effort = QUICK, seed: int = 0) -> Finding:
    return search_or_prove(
        Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT), effort, seed
    )


def point(finding: Finding) -> dict[str, Fraction]:
    """The counterexample of a refutation, after the checker has agreed."""
    (certificate,) = [e["certificate"] for e in finding.evidence if e["kind"] == "certificate"]
    assert verify(certificate).ok
    return {name: Fraction(value) for name, value in certificate["variables"].items()}


UNIT = {"x": Real(0, 1, closed=True)}
HALF_OPEN = {"x": Real(0, 1, closed="right")}
LINE = {"x": Real(-inf, inf)}
HALF_LINE = {"x": Real(0, inf)}


def hump(m: Any, x: Any) -> Any:
    return x * (1 - x)  # at most 1/4, attained at 1/2


# -- proofs ------------------------------------------------------------------------------------------------------

TRUE = {
    "with room": Inequality(hump, lambda m, x: m.number("0.26"), UNIT),
    "tight inside": Inequality(hump, lambda m, x: m.number("0.25"), UNIT),
    "tight at an excluded end": Inequality(lambda m, x: 1 + x, lambda m, x: m.exp(x), HALF_LINE, strict=True),
    "tight at 0 on the whole line": Inequality(lambda m, x: 1 + x, lambda m, x: m.exp(x), LINE),
    "tight at infinity": Inequality(lambda m, x: m.number(0), lambda m, x: 1 / (1 + x), HALF_LINE, strict=True),
    "whole powers of a negative number": Inequality(
        lambda m, n: (-2) ** n, lambda m, n: m.number(2) ** n, {"n": Whole(1, 40)}
    ),
    "whole powers of numbers of either sign": Inequality(
        lambda m, n, x: (-x) ** -n + m.number(-1) ** n, lambda m, n, x: m.number(5), {"n": Whole(0, 6), "x": Real(1, 2)}
    ),
    "three variables": Inequality(
        lambda m, x, y, z: x * y + y * z + z * x,
        lambda m, x, y, z: x * x + y * y + z * z + m.number("0.1"),
        {"x": Real(0, 1), "y": Real(0, 1), "z": Real(0, 1)},
    ),
    "a normal tail": Inequality(lambda m, x: m.ncdf(-x), lambda m, x: m.number("0.16"), {"x": Real(1, inf)}),
    "whole numbers": Inequality(lambda m, n: n, lambda m, n: 2**n, {"n": Whole(0, 60)}, strict=True),
    "only under its precondition": Inequality(
        lambda m, x: m.number("0.9"), lambda m, x: x, {"x": Real(0, 5)},
        given=((lambda m, x: m.number(1), lambda m, x: x),),
    ),
    "a quotient next to an excluded end": Inequality(lambda m, x: m.number(1), lambda m, x: 1 / x, HALF_OPEN),
    "strictly, up to an excluded end": Inequality(
        lambda m, x: x, lambda m, x: m.number(1), {"x": Real(0, 1, closed="left")}, strict=True
    ),
    "a power with a moving exponent": Inequality(
        lambda m, x: m.power(m.number(8), -1 / x) + m.power(m.number(12), -1 / x), lambda m, x: m.number(1), HALF_OPEN
    ),
    "listed values": Inequality(lambda m, x: x * x, lambda m, x: m.number("0.01"), {"x": OneOf((0, 0.1, -0.1))}),
    "a printed number": Identity(lambda m: m.exp(11), lambda m: m.number("59874.14"), {}, within=0.005),
    "a printed curve": Identity(
        lambda m, x: m.sqrt(x), lambda m, x: 1 + (x - 1) / 2, {"x": Real(0.9, 1.1)}, within=0.01
    ),
    "the same expression": Identity(lambda m, x: m.exp(x) / 2, lambda m, x: m.exp(x) / 2, LINE),
    "sums over plain integers": Inequality(
        lambda m, n, x: sum((x**k for k in range(n)), m.number(0)), lambda m, n, x: 2 - 1 / (n + 1) + x,
        {"n": Whole(1, 5), "x": Real(0, 0.4)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_proved(name: str) -> None:
    finding = judged(TRUE[name])
    assert finding.verdict == Verdict.PROVED, finding.summary
    assert finding.resolution == ""


# -- refutations -------------------------------------------------------------------------------------------------

FALSE = {
    "in the middle": Inequality(hump, lambda m, x: m.number("0.2499"), UNIT),
    "only in a sliver": Inequality(hump, lambda m, x: m.number("0.24999999"), UNIT),
    "strictly, at one point": Inequality(lambda m, x: x, lambda m, x: m.number(1), UNIT, strict=True),
    "at the far end": Inequality(lambda m, x: x, lambda m, x: m.number("1e90"), HALF_LINE),
    "next to an open end": Inequality(lambda m, x: 1 / x, lambda m, x: m.number("1e11"), {"x": Real(0, 1)}),
    "at the end that belongs to it": Inequality(lambda m, x: x, lambda m, x: m.number(1), HALF_OPEN, strict=True),
    "a power next to an excluded end": Inequality(
        lambda m, x: m.power(m.number(2), 1 / x), lambda m, x: m.number(1000), HALF_OPEN
    ),
    "in the tail of a tail": Inequality(
        lambda m, x: m.exp(-x * x / 2) / 4, lambda m, x: m.ncdf(-x), {"x": Real(0, 30)}
    ),
    "one listed value": Inequality(lambda m, x: x, lambda m, x: m.number(2), {"x": OneOf((1, 2, 2.5))}),
    "a whole number": Inequality(lambda m, n: 2**n, lambda m, n: 100 * n * n, {"n": Whole(1)}),
    "a printed digit": Identity(lambda m: m.exp(11), lambda m: m.number("59874.15"), {}, within=0.005),
    "an identity": Identity(lambda m, x: (x + 1) ** 2, lambda m, x: x**2 + 1, LINE),
    "an off-by-one sum": Inequality(
        lambda m, n: m.number(sum(range(n + 1))), lambda m, n: m.number(n) ** 2 / 2, {"n": Whole(1, 8)}
    ),
    "two variables": Inequality(lambda m, x, y: x * y, lambda m, x, y: x * x, {"x": Real(0, 1), "y": Real(0, 1)}),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted_with_a_valid_certificate(name: str) -> None:
    finding = judged(FALSE[name])
    assert finding.verdict == Verdict.REFUTED, finding.summary
    point(finding)
    json.dumps(finding.evidence, allow_nan=False)


def test_a_counterexample_is_easy_to_read() -> None:
    assert point(judged(FALSE["in the middle"])) == {"x": Fraction(1, 2)}
    two = point(judged(FALSE["two variables"]))
    assert all(len(str(float(value))) <= 4 for value in two.values())


def test_a_counterexample_respects_preconditions() -> None:
    says = Inequality(
        lambda m, x: x * x,
        lambda m, x: m.number(1),
        {"x": Real(-10, 10)},
        given=((lambda m, x: x, lambda m, x: m.number(-3)),),
    )
    assert point(judged(says))["x"] <= -3


def test_open_ends_do_not_belong_to_the_domain() -> None:
    says = Inequality(lambda m, x: x, lambda m, x: m.number(1), {"x": Real(0, 1)}, strict=True)
    assert judged(says).verdict == Verdict.PROVED


def test_a_decimal_end_means_the_decimal() -> None:
    # The double next to 0.1 lies above one tenth: x = 1/10 must belong to the domain.
    says = Inequality(lambda m, x: m.number("0.1"), lambda m, x: x, {"x": Real(0.1, 1, closed=True)}, strict=True)
    assert point(judged(says)) == {"x": Fraction(1, 10)}


@given(st.floats(0.3, 0.7), st.floats(1e-4, 0.2))
@pytest.mark.nonvacuous(20)
def test_any_dip_is_found(centre: float, depth: float) -> None:
    """(x - centre)^2 >= depth is false for |x - centre| < sqrt(depth)."""
    says = Inequality(lambda m, x: m.number(depth), lambda m, x: (x - m.number(centre)) ** 2, UNIT)
    finding = judged(says, Effort(points=400, rounds=10, boxes=100, exact=4))
    assert finding.verdict == Verdict.REFUTED
    assert abs(point(finding)["x"] - Fraction(centre)) ** 2 < Fraction(depth)


@given(st.floats(0.25, 0.5), st.booleans())
@pytest.mark.nonvacuous(20)
def test_nothing_true_is_refuted(bound: float, strict: bool) -> None:
    strict = strict and bound > 0.25
    finding = judged(Inequality(hump, lambda m, x: m.number(bound), UNIT, strict=strict), Effort(400, 10, 100, 4))
    assert finding.verdict in (Verdict.PROVED, Verdict.CONSISTENT)


small = st.fractions(-3, 3, max_denominator=20)


@settings(max_examples=16)
@given(small, small, small, st.booleans(), st.booleans())
@pytest.mark.nonvacuous(5)
def test_only_what_is_true_is_proved(a: Fraction, b: Fraction, c: Fraction, strict: bool, closed: bool) -> None:
    """The largest value of a x^2 + b x + c on [0, 1] is known exactly: at an end, or at the vertex."""
    axes, _ = axes_of({"x": Real(0, 1, closed=closed)})
    vertex = [-b / (2 * a)] if a < 0 and 0 < -b / (2 * a) < 1 else []
    ends = [c, a + b + c]
    peaks = [a * x * x + b * x + c for x in vertex]
    attained = peaks + (ends if closed or a == b == 0 else [])
    true = all(top < 0 for top in attained) if strict else all(top <= 0 for top in attained)
    true = true and all(top <= 0 for top in ends)

    def demands(m: Any, v: Any) -> list[tuple[Any, Any]]:
        x = v["x"]
        return [(m.number(a) * x * x + m.number(b) * x + m.number(c), m.number(0))]

    proof = prove_by_subdivision(demands, lambda m, v: [], strict, axes, 500)
    clear = max([*peaks, *ends]) < Fraction(-1, 20)  # a gap that 500 boxes of width 1/256 must resolve
    nonvacuous_if(clear or not true)
    assert true or not proof.complete
    assert proof.complete or not clear


def test_a_violation_whose_numbers_are_too_large_for_a_certificate_is_replaced_by_another() -> None:
    """4^(1/v) exceeds 1 by most at the smallest v, where none can be certified; a long search sees only such."""
    domain = {"v": Real(1e-12, 1)}
    says = Inequality(lambda m, v: m.power(m.number(4), 1 / v), lambda m, v: m.number(1), domain)
    for points in (500, 50_000):
        finding = judged(says, Effort(points=points, rounds=30, boxes=100, exact=8))
        assert finding.verdict is Verdict.REFUTED, finding.summary
        assert point(finding)["v"] > Fraction(1, 10**5)


# -- what is neither ---------------------------------------------------------------------------------------------


def test_a_true_identity_is_only_consistent() -> None:
    finding = judged(Identity(lambda m, x: m.log(x * x), lambda m, x: 2 * m.log(x), HALF_LINE))
    assert finding.verdict == Verdict.CONSISTENT
    assert "relative difference" in finding.resolution


def test_what_is_too_hard_is_consistent_and_says_how_far_it_came() -> None:
    says = Inequality(lambda m, x: m.ncdf(-x), lambda m, x: m.exp(-x * x / 2) / 2, {"x": Real(0, inf, closed=True)})
    finding = judged(says)
    assert finding.verdict == Verdict.CONSISTENT
    assert "% of the domain" in finding.summary
    assert finding.resolution


def test_of_what_is_not_subdivided_nothing_is_proved() -> None:
    """x <= 2 on [0, 1], for which a single box is enough, with an effort for hardly any."""
    says = Inequality(lambda m, x: x, lambda m, x: m.number(2), UNIT)
    assert judged(says, Effort(points=100, rounds=1, boxes=32, exact=2)).verdict is Verdict.PROVED
    found = judged(says, Effort(points=100, rounds=1, boxes=31, exact=2))
    assert found.verdict is Verdict.CONSISTENT
    assert "; 0 % of the domain proved" in found.summary
    assert "; 100 % of the domain is open" in found.resolution
    assert {"kind": "text", "text": "Limited search: the formula is too long for a proof by subdivision."} in list(
        found.evidence
    )


def test_undefined_points_are_reported_not_refuted() -> None:
    finding = judged(Inequality(lambda m, x: m.log(x), lambda m, x: x, {"x": Real(-1, 1)}))
    assert finding.verdict == Verdict.CONSISTENT
    assert any("undefined" in e.get("text", "") for e in finding.evidence)


def test_powers_of_a_negative_number_are_undefined_but_for_whole_exponents() -> None:
    """And where the exponents are whole, no share of the domain is called undefined."""
    says = Inequality(lambda m, x: (-2) ** x, lambda m, x: m.number(9), {"x": Real(1, 3, closed=True)})
    assert judged(says).verdict == Verdict.CONSISTENT
    many = Inequality(lambda m, n: (-1) ** n, lambda m, n: m.number(1), {"n": Whole(1)})
    finding = judged(many)
    assert finding.verdict == Verdict.CONSISTENT
    assert "undefined" not in finding.summary


def test_undefined_everywhere_is_not_exercised() -> None:
    finding = judged(Inequality(lambda m, x: m.log(-1 - x), lambda m, x: x, UNIT))
    assert finding.verdict == Verdict.NOT_EXERCISED


@pytest.mark.parametrize(
    ("under_the_root", "given", "verdict"),
    [
        (lambda x: -1 - x * x, (), Verdict.NOT_EXERCISED),
        (lambda x: 1 + x * x, ((lambda m, x: m.number(2), lambda m, x: x),), Verdict.NOT_APPLICABLE),
    ],
    ids=["undefined everywhere", "preconditions that never hold"],
)
def test_algebra_alone_proves_nothing_of_no_points(under_the_root: Any, given: Any, verdict: Any) -> None:
    says = Identity(
        lambda m, x: 2 * m.sqrt(under_the_root(x)), lambda m, x: m.sqrt(4 * under_the_root(x)), UNIT, 0.0, given
    )
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.PROVED)
    assert judge_by_methods(claim, QUICK).verdict == verdict
    thin = (lambda m, x: m.number("0.999"), lambda m, x: x)
    seen = replace(claim, says=Identity(lambda m, x: 2 * x, lambda m, x: x + x, UNIT, 0.0, (thin,)))
    assert judge_by_methods(seen, QUICK).verdict == Verdict.PROVED


@pytest.mark.parametrize("function", [lambda m, x: x, lambda m, x: m.exp(x)], ids=["polynomials", "powers"])
def test_algebra_takes_no_side_of_a_branch(function: Any) -> None:
    """Of two branches it would see one, and prove it for both."""
    says = Identity(
        lambda m, x, flag: function(m, x) if flag else function(m, -x), lambda m, x, flag: function(m, x),
        {"x": Real(1, 2), "flag": OneOf((True, False))},
    )  # fmt: skip
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.REFUTED)
    assert judge_by_methods(claim, QUICK).verdict == Verdict.REFUTED
    missing = Identity(
        lambda m, x, flag: function(m, -x) if flag is None else function(m, x), says.right,
        {"x": Real(1, 2), "flag": OneOf((1, None))},
    )  # fmt: skip
    assert judge_by_methods(replace(claim, says=missing), QUICK).verdict == Verdict.REFUTED


@pytest.mark.parametrize("over", [Real(1, 1), Real(2, 1, closed=True), Whole(3, 2), OneOf(())])
def test_an_empty_domain_is_not_exercised(over: Any) -> None:
    assert judged(Inequality(lambda m, x: x, lambda m, x: x, {"x": over})).verdict == Verdict.NOT_EXERCISED


def test_preconditions_that_never_hold_are_not_applicable() -> None:
    says = Inequality(lambda m, x: x + 1, lambda m, x: x, UNIT, given=((lambda m, x: m.number(2), lambda m, x: x),))
    assert judged(says).verdict == Verdict.NOT_APPLICABLE


def test_formulas_that_cannot_be_evaluated_are_unsupported() -> None:
    finding = judged(Inequality(lambda m, y: y, lambda m, x: x, UNIT))
    assert finding.verdict == Verdict.UNSUPPORTED
    assert "keyword" in finding.summary


@pytest.mark.parametrize("counts", [(10**5,), (500, 10**5), (10**5, 500)])
def test_endless_formulas_are_unsupported_rather_than_endless(counts: tuple[int, ...]) -> None:
    """Also if another choice of the counting variable, which is long but not endless, could be evaluated."""
    says = Inequality(
        lambda m, n: sum((m.ncdf(m.number(k)) for k in range(n)), m.number(0)), lambda m, n: m.number(n),
        {"n": OneOf(counts)},
    )  # fmt: skip
    assert judged(says).verdict == Verdict.UNSUPPORTED


def test_what_is_counted_with_is_divided_by_exactly() -> None:
    """The double next to 1/5 is larger than 1/5: a float above what is counted with must not make doubles of it."""
    says = Inequality(lambda m, n: 1.0 / n * len(range(n)), lambda m, n: n / n, {"n": Whole(1, 40)})
    assert judged(says).verdict == Verdict.PROVED
    says = Inequality(lambda m, n: 1.0 / n * (len(range(n)) / n), lambda m, n: 1 / n, {"n": Whole(1, 40)})
    assert judged(says).verdict == Verdict.PROVED


ASKING: dict[str, Any] = {
    "a real number": (lambda m, x: 5 if x == 0 else 1 - x, UNIT, Verdict.UNSUPPORTED),
    "a real number, the other way round": (lambda m, x: 1 - x if x != 0 else 5, UNIT, Verdict.UNSUPPORTED),
    "one of a list": (lambda m, x: 5 if x in (0, 1) else 1 - x, UNIT, Verdict.UNSUPPORTED),
    "what is computed": (lambda m, x: 5 if m.floor(x) == x else 1, UNIT, Verdict.UNSUPPORTED),
    "a listed value": (lambda m, x: 5 if x == 0.5 else x, {"x": OneOf((0.5, 1))}, Verdict.UNSUPPORTED),
    "a set": (lambda m, x: 5 if x in {0, 1} else 1 - x, UNIT, Verdict.UNSUPPORTED),
    "a table": (lambda m, x: {0: 5}.get(x, 0), UNIT, Verdict.UNSUPPORTED),
    "a table of whole numbers": (lambda m, x: {3: 5}.get(x, 0), {"x": Whole(1, 10)}, Verdict.REFUTED),
    "a whole number": (lambda m, x: 5 if x == 3 else 1 / x, {"x": Whole(1, 10)}, Verdict.REFUTED),
}


@pytest.mark.parametrize("name", ASKING)
def test_a_formula_that_asks_for_one_value_is_not_proved_by_all_others(name: str) -> None:
    """Its case x == 0 is false; a box is never equal to 0."""
    left, over, verdict = ASKING[name]
    says = Inequality(left, lambda m, x: m.number(1), over)
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT)
    for finding in (judged(says), judge_by_methods(claim, QUICK)):
        assert finding.verdict == verdict
        assert verdict is Verdict.REFUTED or "state each case as a claim of its own" in finding.summary


def summed(m: Any, n: Any) -> Any:
    return sum(1 / (k * (k + 1)) for k in range(1, n + 1))


ROUNDED: dict[str, Any] = {
    "a true sum over whole numbers": Identity(summed, lambda m, n: 1 - 1 / (n + 1), {"n": Whole(1, 20)}),
    "a false one": Inequality(summed, lambda m, n: 1 - 1 / (n + 1), {"n": OneOf((3, 6))}, strict=True),
    "a quotient of listed numbers": Identity(
        lambda m, x, w: x * (w[0] / w[1]), lambda m, x, w: x / 3, HALF_LINE | {"w": OneOf(((1, 3), (2, 6)))}
    ),
    "a constant": Identity(lambda m, x: math.pi * x, lambda m, x: m.pi * x, UNIT),
    "a decimal": Identity(lambda m, x: m.maximum(0.1, x), lambda m, x: m.maximum(x, m.number("0.1")), UNIT),
    "less by algebra": Inequality(lambda m, x: 1 / 3, lambda m, x: (1 + x) / 3, {"x": Real(0, inf)}, strict=True),
    "a side": Inequality(lambda m, x: 1 / 3 + 0 * x, lambda m, x: 1 / m.number(3), UNIT, strict=True),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_what_python_rounded_decides_nothing(name: str) -> None:
    """The double 1/3 is less than one third, the double 0.1 more than one tenth."""
    claim = Claim("test/claim", Source("test", "here", "quoted"), ROUNDED[name], expect=Verdict.CONSISTENT)
    for finding in (search_or_prove(claim, QUICK), judge_by_methods(claim, QUICK)):
        assert finding.verdict is Verdict.UNSUPPORTED
        assert "m.number(1) / k instead of 1 / k" in finding.summary


def test_doubles_that_nothing_was_rounded_to_are_numbers() -> None:
    says = Inequality(lambda m, x: 0.25 * x * 3.0 + 0.5**40 * x, lambda m, x: 1e15 + x, UNIT)
    assert judged(says).verdict is Verdict.PROVED
    says = Inequality(lambda m, x: np.float32(0.5) * x, lambda m, x: x, UNIT)
    assert judged(says).verdict is Verdict.PROVED


@pytest.mark.parametrize("over", [Real(0.1, 1), Real(0.1, 1, closed=True), OneOf((0.1, 1)), Real(0.1, inf)])
def test_the_ends_of_a_range_are_decimals_for_every_rung(over: Any) -> None:
    """The double 0.1 is more than one tenth plus 1e-18, so that what holds from there on is no proof."""
    says = Inequality(lambda m, x: m.number(Fraction(1, 10) + Fraction(1, 10**18)), lambda m, x: x, {"x": over})
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT)
    assert judge_by_methods(claim, QUICK).verdict in (Verdict.REFUTED, Verdict.CONSISTENT)


@pytest.mark.parametrize("values", [Real(1, 0), Real(1, 1), Whole(5, 2), OneOf(())])
def test_of_no_values_nothing_is_proved(values: Any) -> None:
    says = Inequality(lambda m, x: 0 * x, lambda m, x: x + 2, {"x": values})
    claim = Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT)
    assert judge_by_methods(claim, QUICK).verdict == judged(says).verdict == Verdict.NOT_EXERCISED


def test_a_variable_that_no_expression_can_name_is_no_crash() -> None:
    says = Inequality(lambda m, **v: v["lambda"], lambda m, **v: m.number("0.5"), {"lambda": Real(0, 1)})
    found = judged(says)
    assert found.verdict is Verdict.CONSISTENT
    assert found.summary.startswith("violated at lambda = ")


def test_powers_too_long_to_count_with_are_left_out() -> None:
    """At n = 2000, one of the values tried, 2^(n^3) has a gigabyte."""
    left, over = lambda m, n: m.number(len(range(n))) / 2 ** (n**3), {"n": OneOf((1, 2, 2000))}
    says = Inequality(left, lambda m, n: 2 / (n + 3), over)
    assert judged(says).verdict is Verdict.CONSISTENT


def test_unbounded_whole_numbers_to_count_with_are_never_proved() -> None:
    says = Inequality(lambda m, n: m.number(len(range(n))), lambda m, n: m.number(n) + 1, {"n": Whole(0)})
    assert judged(says).verdict == Verdict.CONSISTENT


@pytest.mark.parametrize(
    "over",
    [
        {"n": Whole(1, 5), "k": Whole(0, 3)},
        {"n": Whole(0, 40)},
        {"n": Whole(0, 41)},
        {"n": Whole(3)},
        {"n": Whole(1, 20), "k": Whole(1, 20)},
        {"n": Whole(1, 150)},
        {"n": Whole(1, 15), "k": Whole(1, 10)},
        {"n": OneOf((1, 5, 9)), "k": Whole(1, 2)},
        {"n": OneOf((1, 5, 9)), "k": Whole(1, 500)},
    ],
)
def test_values_to_count_with_are_complete_when_all_of_them_are_there(over: Any) -> None:
    axes, _ = axes_of(over)
    found, complete = counting_values(axes, np.random.default_rng(0))
    points = {tuple(one.values()) for one in found}
    assert len(points) == len(found)
    inside = [
        kind.values if isinstance(kind, OneOf) else range(kind.low, (kind.high or 10**9) + 1) for kind in over.values()
    ]
    assert all(n in values for point in points for n, values in zip(point, inside, strict=True))
    assert complete == (len(points) == prod(map(len, inside)))


def test_what_fails_at_counts_that_were_not_tried_is_not_proved() -> None:
    """False at one of 400 pairs, of which 150 are tried: whichever it is, nothing is proved."""
    over = {"n": Whole(1, 20), "k": Whole(1, 20)}
    axes, _ = axes_of(over)
    tried = {tuple(one.values()) for one in counting_values(axes, np.random.default_rng(0))[0]}
    n0, k0 = next(pair for pair in product(range(20, 0, -1), repeat=2) if pair not in tried)
    says = Inequality(
        lambda m, n, k: m.number(int(len(range(n)) == n0 and len(range(k)) == k0)), lambda m, n, k: m.number(0), over
    )
    assert judged(says).verdict in (Verdict.CONSISTENT, Verdict.REFUTED)


@pytest.mark.parametrize(
    ("name", "additions", "reason"),
    [
        ("x", 0, ""),
        (
            "exp",
            0,
            "is not certified: the checker of certificates does not follow: variables/exp: this name has",
        ),
        ("x", WRITABLE + 1, "with 4001 operations the formula is too long to be written down"),
        ("lambda", 0, "no certificate can be written down (SyntaxError: "),
    ],
)
def test_a_violation_that_the_checker_does_not_follow_is_no_refutation(name: str, additions: int, reason: str) -> None:
    """As of a variable whose name means something else in the certificate or in Python, or of a very long sum."""

    def value(m: Any, **given: Any) -> Any:
        return sum(repeat(given[name], additions), start=given[name])

    found = judged(Inequality(value, lambda m, **given: m.number("0.5"), {name: Real(0, 1)}))
    assert found.verdict is (Verdict.CONSISTENT if reason else Verdict.REFUTED)
    if reason:
        told = found.evidence[0]["text"]
        assert told.startswith(f"Limited search: a violation at {name} = ")
        assert reason in told


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ((), Verdict.CONSISTENT),  # equal, which no enclosure shows
        (((lambda m: m.number(2), lambda m: m.number(1)),), Verdict.NOT_APPLICABLE),
        (((lambda m: m.exp(m.log(m.number(2))), lambda m: m.number(2)),), Verdict.CONSISTENT),  # perhaps it applies
    ],
)
def test_without_variables_only_what_certainly_holds_is_proved(given: Any, verdict: Verdict) -> None:
    says = Inequality(lambda m: m.exp(m.log(m.number(3))), lambda m: m.number(3), {}, given)
    assert judged(says).verdict is verdict
    assert judged(Inequality(lambda m: m.exp(m.number(1)), lambda m: m.number(3), {})).verdict is Verdict.PROVED


def refusing(*_: Any) -> Any:
    raise ValueError("no")


@pytest.mark.parametrize("time", [1, 2])
def test_what_cannot_be_evaluated_is_no_verdict(time: int) -> None:
    """At once, or when it is asked again."""
    asked = count(1)

    def sometimes(m: Any, x: Any) -> Any:
        return refusing() if next(asked) == time else x

    found = judged(Inequality(sometimes, lambda m, x: x + 1, {"x": Real(0, 1)}))
    assert (found.verdict, found.summary) == (Verdict.UNSUPPORTED, "the formula cannot be evaluated: ValueError: no")


def test_nothing_is_proved_over_boxes_on_which_the_formula_fails() -> None:
    axes, _ = axes_of({"x": Real(0, 1)})
    found = prove_by_subdivision(lambda m, values: [], refusing, False, axes, 100)
    assert found == Proof(0, 0, 0, complete=False, but_points=False, because=found.because)
    assert "cannot be evaluated over boxes (ValueError: no)" in found.because


def test_counts_that_take_too_long_are_left_out_and_nothing_is_proved() -> None:
    """A sum of n terms, for n up to 30 or 10^5: the long one is not looked at, so that nothing is proved."""
    says = Inequality(
        lambda m, n: sum((m.number(1) for _ in range(n)), m.number(0)), lambda m, n: n, {"n": OneOf((1, 30, 10**5))}
    )
    found = judged(says)
    assert found.verdict is Verdict.CONSISTENT
    short = Inequality(says.left, says.right, {"n": OneOf((1, 30))})
    assert judged(short).verdict is Verdict.PROVED


def test_variables_that_are_no_numbers_are_tried_one_by_one() -> None:
    doubled = {"a": 2, "b": 3}
    says = Inequality(
        lambda m, kind, x: doubled[kind] * x, lambda m, kind, x: m.number(2), {"kind": OneOf(("a", "b")), **UNIT}
    )
    assert point(judged(says)) == {"x": Fraction(1)}


def test_other_statements_are_refused() -> None:
    with pytest.raises(TypeError, match="Private"):
        judged(Private("pull", "arms", lambda subject: None))


def test_the_same_seed_finds_the_same() -> None:
    says = FALSE["two variables"]
    assert judged(says, seed=3) == judged(says, seed=3)
