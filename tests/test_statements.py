"""A claim's statement in one line: what the reports and the command line print."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import pytest

from dpbandits import Approximate, Bernoulli, Gaussian, Verdict
from dpbandits.audit.claims.statements import statement, variable_ranges
from dpbandits.reference.bandits.quantities import PSEUDO_REGRET, REGRET
from dpbandits.reference.claims.findings import VariableRange
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import (
    AtMost,
    Claim,
    DifferenceLabel,
    Identity,
    Inequality,
    OneOf,
    Ordering,
    Parameter,
    Phrase,
    Private,
    Real,
    SettingLabel,
    Source,
    Statement,
    Unjudged,
    Whole,
    setting_label,
)
from dpbandits.reference.claims.text import instance_text
from dpbandits.reference.curves import Family, Renyi


@dataclass(frozen=True)
class Toy:
    size: int


def told(says: Statement, subject: Any = None, **fields: Any) -> str:
    return statement(Claim("toy/a", Source("toy", "1", "q"), says, Verdict.CONSISTENT, **fields), subject)


def test_formulas_are_traced_with_domain_and_conditions() -> None:
    says = Inequality(
        lambda m, x, n, c: m.exp(-x),
        lambda m, x, n, c: n / c,
        {"x": Real(0, inf, closed=True), "n": Whole(1), "c": OneOf((1, 2))},
        given=((lambda m, x, n, c: x, lambda m, x, n, c: n),),
    )
    assert told(says) == "exp(-x) <= n / c for x >= 0, integer n >= 1, c in {1, 2}, where x <= n"


def test_strictness_and_tolerance_are_told() -> None:
    over = {"x": Real(0, 1)}
    assert told(Inequality(lambda m, x: x, lambda m, x: 1, over, strict=True)) == "x < 1 for 0 < x < 1"
    assert told(Identity(lambda m, x: x, lambda m, x: x, over, within=0.005)) == "x = x up to 0.005 for 0 < x < 1"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (Real(-inf, inf), "real x"),
        (Real(-inf, 2), "x < 2"),
        (Real(0, 1, closed=True), "0 <= x <= 1"),
        (Whole(2, 5), "integer 2 <= x <= 5"),
        (Real(0, 1, closed="right"), "0 < x <= 1"),
        (Real(0, 1, closed="left"), "0 <= x < 1"),
        (Real(2, float("inf"), closed="right"), "x > 2"),
    ],
)
def test_ranges(values: Any, expected: str) -> None:
    assert told(Identity(lambda m, x: x, lambda m, x: x, {"x": values})) == f"x = x for {expected}"


def test_a_formula_that_needs_values_shows_its_name() -> None:
    def harmonic(m: Any, n: Any) -> Any:
        return sum(1 / k for k in range(1, n + 1))

    says = Inequality(harmonic, lambda m, n: 1 + m.log(n), {"n": Whole(1)})
    assert told(says) == "harmonic(n) <= 1 + log(n) for integer n >= 1"
    says = Inequality(lambda m, n: harmonic(m, n), lambda m, n: n, {"n": Whole(1)})
    assert told(says) == "left(n) <= n for integer n >= 1"


def test_privacy_is_told_for_every_instance() -> None:
    says = Private("pull", "arms", lambda toy: Gaussian(toy.size / 2))
    claim = Claim(
        "toy/a",
        Source("toy", "1", "q"),
        says,
        subject=Toy,
        params=({"size": 1}, {"size": 3}),
        expect=Verdict.CONSISTENT,
    )
    assert statement(claim) == (
        "If one reward of the table changes, the released arms are 0.5-GDP for size = 1, and 1.5-GDP for size = 3"
    )
    assert statement(claim, Toy(4)).endswith("the released arms are 2-GDP [Toy(size=4)]")


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        (Approximate(0.5, 1e-6), "(0.5, 1e-06)-DP"),
        (Family(lambda m, d: m.sqrt(m.log(1 / d)), 0.0, 0.5), "(eps, delta)-DP with eps = sqrt(log(1 / delta))"),
        (Renyi(lambda m, a: a / 4), "(alpha, alpha / 4)-RDP for 1 < alpha <= 100"),
        (None, "not covered by the claim (a precondition is false)"),
    ],
)
def test_curves(curve: Any, expected: str) -> None:
    assert expected in told(Private("history", "samples", lambda step: curve))


def test_an_instance_outside_of_the_claim_is_told_so() -> None:
    def curve(toy: Any) -> Any:
        raise ValueError("size is 0;\n it must be positive")

    assert told(Private("round", "arms", curve)).endswith("not covered by the claim (size is 0; it must be positive)")


def test_regret_orderings_and_prose() -> None:
    arms = Bernoulli((0.5, 0.25))
    claim = Claim(
        "toy/a",
        Source("toy", "1", "q"),
        AtMost(PSEUDO_REGRET, lambda toy, environment: toy.size * environment.arms),
        subject=Toy,
        params=({"size": 3, "environment": arms},),
        expect=Verdict.CONSISTENT,
    )
    assert statement(claim) == (
        "The expected pseudo-regret is at most 6 for size = 3, Bernoulli rewards with means (0.5, 0.25)"
    )
    single, figure = (told(Ordering(REGRET, {}, (("b=1", "b=0"),), averaged=runs)) for runs in (1, 10))
    assert single == "Let R(setting) be the regret of one run in this setting. In most repetitions, R(b=1) < R(b=0)"
    assert figure == (
        "Let R(setting) be the regret in this setting, averaged over 10 runs. In most repetitions, R(b=1) < R(b=0)"
    )
    eta_1, eta_5, b_0 = setting_label(eta=1), setting_label(eta=5), setting_label(b=0)
    gap = told(Ordering(REGRET, {}, ((DifferenceLabel((eta_1, eta_5)), b_0),)))
    assert gap.endswith("R(eta = 1) - R(eta = 5) < R(b = 0)")
    algorithm_1 = SettingLabel([Parameter("b", 0, "b=0"), Phrase("c=1: Algorithm 1", "c = 1: Algorithm 1")])
    settings = dict.fromkeys((algorithm_1, b_0), (None, None))
    named = told(Ordering(REGRET, settings, (("b=0, c=1: Algorithm 1", "b=0"),)))  # the settings know their parts
    assert named.endswith("R(b = 0, c = 1: Algorithm 1) < R(b = 0)")
    assert told(Unjudged("asymptotic,\nso not decided")) == "Not checked: asymptotic, so not decided"


def test_what_all_settings_share_is_written_once() -> None:
    first, second, third = (setting_label("M-TS", b=b, T=100) for b in (0, 1, 2))
    said = told(Ordering(REGRET, {}, ((second, DifferenceLabel((first, second))), (third, first))))
    assert said.endswith(
        "All settings have M-TS, T = 100. In most repetitions, R(b = 1) < R(b = 0) - R(b = 1) and R(b = 2) < R(b = 0)"
    )
    alone = told(Ordering(REGRET, {}, ((setting_label("M-TS"), setting_label("M-TS", b=1)),)))  # one has nothing else
    assert alone.endswith("this setting. In most repetitions, R(M-TS) < R(M-TS, b = 1)")


def test_of_many_instances_three_are_written_out_and_the_others_are_counted() -> None:
    says = Private("pull", "arms", lambda toy: Gaussian(toy.size // 2))
    sizes = tuple({"size": size} for size in (2, 3, 4, 6, 8, 10, 12))

    def one(params: Any) -> str:
        claim = Claim("toy/a", Source("toy", "1", "q"), says, subject=Toy, params=params, expect=Verdict.CONSISTENT)
        return statement(claim).partition("arms are ")[2]

    assert one(sizes) == ("1-GDP for size = 2 and size = 3, 2-GDP for size = 4, 3-GDP for size = 6, and 3 more claims")
    assert one(sizes[:4]).endswith(", 2-GDP for size = 4, and 3-GDP for size = 6")
    alike = tuple({"size": size} for size in (2, 3, 2.1, 2.2, 2.3, 2.4, 4))
    assert one(alike) == ("1-GDP for size = 2, size = 3, size = 2.1 and 3 more instances, and 2-GDP for size = 4")
    pairs = tuple((f"b={k}", "b=0") for k in range(1, 8))
    assert told(Ordering(REGRET, {}, pairs)).endswith(
        "R(b=1) < R(b=0), R(b=2) < R(b=0), R(b=3) < R(b=0) and 4 more comparisons"
    )
    assert told(Ordering(REGRET, {}, pairs[:3])).endswith("R(b=2) < R(b=0) and R(b=3) < R(b=0)")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1 / 3, "0.333333"),
        (12, "12"),
        ((0.5, 1 / 3), "(0.5, 0.333333)"),
        ([1, 1, 1], "(1, 1, 1)"),
        ((1,) * 4, "(4 times 1)"),
        ((2, *(1,) * 5, 2, 2, 3), "(2, 5 times 1, 2, 2, 3)"),
        (((0.1,) * 4, (0.1,) * 4), "((4 times 0.1), (4 times 0.1))"),
    ],
)
def test_how_an_instance_is_spelt(value: Any, written: str) -> None:
    assert instance_text({"x": value, "n": 1}) == f"x={written}, n=1"
    assert instance_text({}) == "the subject"


def test_every_claim_of_the_ledger_has_a_statement_of_one_line() -> None:
    for claim in ledger().claims:
        assert statement(claim), claim.id
        assert "\n" not in statement(claim), claim.id


def test_the_ranges_of_a_formula_are_data() -> None:
    """In findings.json: no end where a variable has none, and no variable whose values are no numbers."""
    over = {
        "x": Real(0.5, inf),
        "n": Whole(2, 9),
        "c": OneOf((1, 2.5)),
        "name": OneOf(("right", "left")),
    }
    says = Inequality(lambda m, **given: m.number(1), lambda m, **given: m.number(2), over)
    found = variable_ranges(Claim("toy/a", Source("toy", "1", "q"), says, Verdict.PROVED))
    assert found == (
        VariableRange("x", 0.5, None),
        VariableRange("n", 2.0, 9.0, whole=True),
        VariableRange("c", values=(1.0, 2.5)),
    )
    assert variable_ranges(Claim("toy/b", Source("toy", "1", "q"), Unjudged("because"), Verdict.UNSUPPORTED)) == ()
