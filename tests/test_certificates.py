"""Certificates: what is valid passes, and no field can be changed without the checker saying what is wrong."""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vacuity import nonvacuous_if

from dpbandits import Verdict
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.checker import agreement as checker_agreement
from dpbandits.proofs_checks.checker import expressions as checker_expressions
from dpbandits.proofs_checks.checker import intervals as checker_intervals
from dpbandits.proofs_checks.checker import noisy_maximum as checker_noisy_maximum
from dpbandits.proofs_checks.checker import normal as checker_normal
from dpbandits.proofs_checks.checker import releases as checker_releases
from dpbandits.proofs_checks.checker import selections as checker_selections
from dpbandits.proofs_checks.checker import untrusted as checker_untrusted
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.proofs_checks.formulas import release_certificates
from dpbandits.proofs_checks.formulas.certificates import (
    event_probability,
    formula_certificate,
    probability_of_many_options,
    step_certificate,
)
from dpbandits.proofs_checks.vocabularies.decimals import decimal_text
from dpbandits.proofs_checks.vocabularies.exact_points import as_interval, is_certainly_at_most, rational_vocabulary
from dpbandits.proofs_checks.vocabularies.intervals import iv
from dpbandits.reference.bandits.release_laws.argmax_law import ERROR, argmax_law
from dpbandits.reference.bandits.release_laws.selections import LAPLACE, NORMAL, survivors, top
from dpbandits.reference.claims.model import Claim, Identity, Inequality, Real, Source
from dpbandits.reference.papers.chen24.algorithms.fans import combined


def claim(says: Any) -> Claim:
    return Claim("test/claim", Source("test", "here", "quoted"), says, expect=Verdict.CONSISTENT)


def formula() -> dict[str, Any]:
    """x (1 - x) <= 0.2 is false at 1/2, where x >= 0.1 holds."""
    says = Inequality(
        lambda m, x: x * (1 - x),
        lambda m, x: m.number("0.2"),
        {"x": Real(0, 1)},
        given=((lambda m, x: m.number("0.1"), lambda m, x: x),),
    )
    return formula_certificate(claim(says), {"x": "0.5"})


def identity() -> dict[str, Any]:
    """e^11 is 59874.14, not 59874.15."""
    says = Identity(lambda m: m.exp(11), lambda m: m.number("59874.15"), {}, within=0.005)
    return formula_certificate(claim(says), {})


def gaussian() -> dict[str, Any]:
    """One unit apart at scales 1: Phi(1/sqrt 2) = 0.76 against 1/2."""
    return step_certificate(
        "test/claim", "gaussian", [1, 1], [1, 0], [0, 0], [1, 1], [0], "e0", "0.1", variables={"e0": "0.2"}
    )


def laplace() -> dict[str, Any]:
    """Both queries move in opposite directions, far in the tail: a factor near e^2 against e^1."""
    return step_certificate("test/claim", "laplace", [1, 1], [-8, 0], [-9, 1], [1, 1], [0], 1, 0, changed="all")


def three() -> dict[str, Any]:
    return step_certificate("test/claim", "gaussian", [1, "0.5", 1], [2, 0, 0], [0, 0, 0], [2, 1, 1], [0], "0.1", "0")


def run() -> dict[str, Any]:
    """Twelve rounds; arm 0 pays nothing, and first 0 instead of 1: it is pulled less."""
    return {
        "type": "run",
        "claim": "test/claim",
        "policy": {"name": "gaussian-thompson", "prepulls": 0, "variance": "1"},
        "relation": "pull",
        "horizon": 12,
        "rewards": [[[12, "0"]], [[5, "0.5"], [7, "3/8"]]],
        "changed": [0, 0],
        "becomes": "1",
        "pulls": 12,
        "step": "1/8",
        "eps": "log(s)",
        "delta": "0.02",
        "variables": {"s": "6"},
    }


def selected() -> dict[str, Any]:
    """Three arms, then those that were kept: means of windows with Laplace noise, within a width of the best."""

    def step(options: list[int], begin: int, kept: list[list[int]], after: int) -> dict[str, Any]:
        many = len(options)
        return {
            "noise": "laplace",
            "rule": "within",
            "size": "1/2",
            "options": options,
            "windows": [[place, arm, str(begin), str(begin + 4)] for place, arm in enumerate(options)],
            "divisors": ["4"] * many,
            "bounds": ["inf"] * many,
            "scales": ["1/8"] * many,  # 1/4 would be enough for eps = 1
            "releases": [{"kept": each, "next": after} for each in kept],
        }

    found = {
        "type": "release",
        "claim": "sajed19/privacy",
        "parameters": {"arms": "3"},
        "relation": "pull",
        "range": ["0", "1"],
        "lengths": ["1", "3", "1000000"],
        "left": [["1", "0", "0"], ["1", "1", "0"], ["1", "1", "1"]],
        "right": [["0", "0", "0"], ["1", "1", "0"], ["1", "1", "1"]],
        "steps": [step([0, 1, 2], 0, [[0, 1, 2]], 1), step([0, 1, 2], 4, [[1, 2], [2]], -1)],
        "eps": "1",
        "delta": "0",
        "variables": {},
    }
    return filled(found)


def selected_normal() -> dict[str, Any]:
    """The two best of three arms with normal noise: the first one, which needs its reward, is among them."""
    found = selected()
    first = found["steps"][0] | {"noise": "gaussian", "rule": "top", "size": "2"}
    first["releases"] = [{"kept": [0, 1], "next": -1}]
    return filled(found | {"steps": [first]})


def shared() -> dict[str, Any]:
    """Three arms whose estimates are made of two noisy sums, each of two arms: the first one is the best of them."""
    found = selected()
    step = {
        "noise": "laplace",
        "rule": "top",
        "size": "1",
        "options": [0, 1, 2],
        "windows": [[0, 0, "0", "2"], [0, 1, "0", "2"], [1, 1, "0", "2"], [1, 2, "0", "2"]],
        "factors": ["1", "-1/2", "3/2", "1/4"],
        "divisors": ["2", "2"],
        "bounds": ["inf", "inf"],
        "scales": ["1/8", "1/4"],
        "weights": [["1", "0"], ["-1/2", "1"], ["1/3", "1/3"]],
        "releases": [{"kept": [0], "next": -1}],
    }
    return filled(found | {"steps": [step]})


def rounded() -> dict[str, Any]:
    """The same, for all factors, weights and scales that are a millionth off."""
    found = shared()
    return filled(found | {"steps": [found["steps"][0] | {"within": "1e-6"}]})


def shared_normal() -> dict[str, Any]:
    found = shared()
    return filled(found | {"steps": [found["steps"][0] | {"noise": "gaussian", "scales": ["1/4", "1/2"]}]})


def valued() -> dict[str, Any]:
    """Two Laplace values that both move: the first one's interval decides what is asked of the second."""
    found = selected()
    first = {
        "noise": "laplace",
        "rule": "between",
        "size": "0",
        "options": [0],
        "windows": [[0, 0, "0", "4"]],
        "divisors": ["4"],
        "bounds": ["1"],
        "scales": ["1/4"],
        "cuts": ["0.05", "1/8", "0.25"],
        "releases": [{"kept": [3], "next": 1}, {"kept": [2], "next": 2}],
    }
    more = first | {"windows": [[0, 0, "0", "1"]], "divisors": ["1"], "scales": ["1"]}
    second = more | {"cuts": ["-1"], "releases": [{"kept": [1], "next": -1}]}
    third = more | {"cuts": ["1/2", "3/4", "9"], "releases": [{"kept": [1], "next": -1}, {"kept": [3], "next": -1}]}
    return filled(found | {"steps": [first, second, third]})


def valued_normal() -> dict[str, Any]:
    """Normal values, of which a weighted sum is asked for: the loss of all of them."""
    found = valued()
    step = found["steps"][0] | {"noise": "gaussian", "weights": [["2", "-1/3", "1"]], "cuts": ["2.6", "3.9"]}
    step |= {"divisors": ["1"] * 3, "bounds": ["inf"] * 3, "scales": ["1/4", "1", "1/8"], "options": [0, 0, 1]}
    step |= {"windows": [[0, 0, "0", "4"], [1, 0, "2", "3"], [1, 2, "0", "1"], [2, 1, "0", "1"]]}
    return filled(found | {"steps": [step | {"releases": [{"kept": [1], "next": -1}]}]})


def nearly(step: dict[str, Any]) -> None:
    """Two weights that differ by less than they are known to."""
    step["weights"][1] = ["1.0000001", "0.0000001"]


def filled(found: dict[str, Any]) -> dict[str, Any]:
    """With the probabilities that it has, which are computed once for each text: many tests begin with the same one."""
    return found | json.loads(probabilities(json.dumps(found)))


@cache
def probabilities(text: str) -> str:
    found: dict[str, Any] = json.loads(text)
    with checker_untrusted.limited_effort(checker_verification.EFFORT):
        stored = {
            f"{side}_probability": release_certificates.stored_enclosure(
                checker_releases.event_probability(found["steps"], tables)
            )
            for side, tables in zip(("left", "right"), checker_releases.require_neighbouring_tables(found), strict=True)
        }
    return json.dumps(stored)


FORMULAS_AND_STEPS = (formula, identity, gaussian, laplace, three)
RUNS = (run, selected, shared, rounded, valued, valued_normal)
VALID = {f.__name__: f for f in (*FORMULAS_AND_STEPS, *RUNS)}


@pytest.mark.parametrize("name", VALID)
def test_valid_certificates_pass(name: str) -> None:
    found = verify(VALID[name]())
    assert found.ok, found.lines
    assert len(found.lines) > 1


@pytest.mark.parametrize("made", [selected_normal, shared_normal])
@pytest.mark.thorough
def test_a_selection_among_normals_is_certified(made: Any) -> None:
    found = verify(made())
    assert found.ok, found.lines


def numbers_in(node: Any, path: str = "") -> Iterator[tuple[str, str]]:
    for key, part in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(part, dict | list):
            yield from numbers_in(part, f"{path}{key}/")
        elif isinstance(part, str) and checker_untrusted.DECIMAL_PATTERN.fullmatch(part):
            yield f"{path}{key}", part


@pytest.mark.parametrize(
    ("name", "idle"),
    [
        ("selected", {"steps/1/divisors/0", "steps/1/divisors/1"}),  # what divides 0 says nothing
        ("shared", set()),
        ("rounded", set()),
        (
            "valued",
            {"steps/0/bounds/0", "steps/1/bounds/0", "steps/2/bounds/0", "steps/0/cuts/0"},
        ),  # none of these tells
        ("valued_normal", set()),
    ],
)
@pytest.mark.first(1)
def test_no_number_of_a_step_can_be_nudged(name: str, idle: set[str]) -> None:
    """Not by one part in 10^15: the stored chances would no longer be those of the steps."""
    certificate = VALID[name]()
    found = dict(numbers_in(certificate["steps"], "steps/"))
    assert len(found) > 15
    tiny = Fraction(1, 10**15)
    nudged = {path: str(Fraction(text) * (1 + tiny) or tiny) for path, text in found.items()}
    assert {path for path, text in nudged.items() if verify(changed(certificate, path, text)).ok} == idle


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c["steps"][0].update(scales=["1/4"] * 3), "not violated|end in the certificate is"),
        (lambda c: c["right"][1].__setitem__(0, "0"), "differ in 2 entries"),
        (lambda c: c["left"][0].__setitem__(1, "1"), "because the reward tables differ in an entry"),
        (lambda c: c["steps"][0]["releases"][0].update(next=0), "or the number of a later step"),
        (lambda c: c["steps"][0].update(cuts=["1/2"]), 'the rule "between" needs a list of cuts and size 0'),
        (lambda c: c["steps"][0].update(rule="between"), 'the rule "between" needs a list of cuts and size 0'),
        (lambda c: c["steps"][1]["releases"][0].update(next=2), "or the number of a later step"),
        (lambda c: c["steps"][1]["releases"][0].update(kept=[2]), "`releases` contains the same set twice"),
        (lambda c: c["steps"][1]["releases"][0].update(kept=[2, 3]), "a set of different options"),
        (lambda c: c["steps"][1]["releases"][0].update(kept=[2, 2]), "a set of different options"),
        (lambda c: c["steps"][0]["windows"][0].__setitem__(3, "1000005"), "a noisy value, a row or a range"),
        (lambda c: c["steps"][0]["windows"][0].__setitem__(2, "-1"), "a noisy value, a row or a range"),
        (lambda c: c["steps"][0]["windows"][0].__setitem__(2, "1/2"), "the window must begin and end at integers"),
        (lambda c: c["steps"][0].update(divisors=["4", "4", "0"]), "a positive divisor"),
        (lambda c: c["steps"][0].update(bounds=["inf", "-1/8", "inf"]), "positive divisor, and a bound of at least 0"),
        (lambda c: c["steps"][0].update(scales=["1/8", "0", "1/8"]), "a positive scale"),
        (lambda c: c["steps"][0].update(size="-1"), "the width is -1; it must be at least 0"),
        (lambda c: c["steps"][0].update(rule="top"), "integer from 1 to 3"),
        (lambda c: c["steps"][0].update(bounds=["1/2", "inf", "inf"]), "not violated|end in the certificate is"),
        (lambda c: c.update(lengths=["1", "0", "1000000"]), "lengths: every entry must be an integer of at least 1"),
        (lambda c: c.update(lengths=["1", "1000000"]), "both sides must have the same number of rows, and every"),
        (lambda c: c["right"][2].__setitem__(0, "2"), "outside"),
        (lambda c: c.update(range=["0", "1/2"]), "outside"),
        (lambda c: c.update(range=["1", "0"]), "the smaller one first"),
        (lambda c: c["steps"][0].update(factors=["1", "1"]), "/factors: the length is 2, but windows has length 3"),
        (lambda c: c["steps"][0].update(weights=[["1", "0"]]), 'the rule "between"'),
        (lambda c: c.update(steps=shared()["steps"]) or c["steps"][0].update(rule="within"), 'the rule "between"'),
        (lambda c: c.update(steps=shared()["steps"]) or c["steps"][0]["weights"][0].pop(), "must have length 2"),
        (lambda c: c.update(steps=shared()["steps"]) or c["steps"][0]["weights"].pop(), "end in the certificate is"),
        (lambda c: c.update(steps=shared()["steps"]) or c["steps"][0].update(size="2"), "recomputation gives 0.0"),
        (lambda c: c["steps"][0].update(within="1e-9"), "from 0 to 1/1000. It is allowed only for options"),
        (lambda c: c.update(steps=rounded()["steps"]) or c["steps"][0].update(within="0.002"), "from 0 to 1/1000"),
        (lambda c: c.update(steps=rounded()["steps"]) or c["steps"][0].update(within="-1e-9"), "from 0 to 1/1000"),
        (lambda c: c.update(steps=rounded()["steps"]) or c["steps"][0].update(within="1e-3"),
         "not violated|end in the certificate is"),
        (lambda c: c.update(steps=rounded()["steps"]) or nearly(c["steps"][0]), "close to linear dependence"),
        (lambda c: c.update(steps=shared()["steps"]) or c["steps"][0].update(size="4"), "integer from 1 to 3"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_release_is_said(change: Any, why: str) -> None:
    found = selected()
    change(found)
    checked = verify(found)
    assert not checked.ok
    assert re.search(why, checked.lines[0]), checked.lines


@given(st.sampled_from(["laplace", "gaussian"]), st.integers(1, 2), st.data())
@settings(max_examples=10)
@pytest.mark.nonvacuous(4)
def test_options_that_share_values_meet_the_other_engine(noise: str, many: int, data: st.DataObject) -> None:
    """Slices of a cone here, cones cut from orthants and Gauss's rule there; equal and opposite options included."""
    whole = st.lists(st.integers(-3, 3), min_size=many, max_size=many)
    weights = data.draw(st.lists(whole, min_size=2, max_size=4))
    centres, size = data.draw(whole), data.draw(st.integers(1, len(weights) - 1))
    chosen = checker_selections.Selection(
        noise,
        "top",
        Fraction(size),
        [Fraction(x) for x in centres],
        [Fraction(1)] * many,
        [[Fraction(x) for x in row] for row in weights],
    )
    kind = LAPLACE if noise == "laplace" else NORMAL
    found = combined(kind, np.array(weights, dtype=float), np.array([centres], dtype=float), size)
    nonvacuous_if(len(found.sets) > 1)
    for kept, log in zip(found.sets, found.log[0], strict=True):
        chance = checker_releases.selection_step_probability(chosen, frozenset(np.flatnonzero(kept).tolist()))
        low, high = float(checker_intervals.low(chance)), float(checker_intervals.high(chance))
        assert low * (1 - 1e-9) <= np.exp(log) <= high * (1 + 1e-9)
        assert high <= low * (1.02 if noise == "gaussian" and many == 2 else 1 + 1e-9)
    others = frozenset(np.flatnonzero(~found.sets[0]).tolist())
    if len(others) == size and not (found.sets == ~found.sets[0]).all(axis=1).any():
        assert checker_intervals.high(checker_releases.selection_step_probability(chosen, others)) == 0


@given(st.lists(st.integers(-8, 8), min_size=2, max_size=4), st.data())
@settings(max_examples=10)
@pytest.mark.nonvacuous(5)
def test_kept_sets_are_a_law_and_meet_the_other_engine(centres: list[int], data: st.DataObject) -> None:
    """The chances of all sets add up to 1, and are those of the laws of selections."""
    scales = data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=len(centres), max_size=len(centres)))
    rule = data.draw(st.sampled_from(["within", "top"]))
    size = data.draw(st.sampled_from([0.25, 1.0, 3.0]) if rule == "within" else st.integers(1, len(centres) - 1))
    chosen = checker_selections.Selection(
        "laplace", rule, Fraction(size), *([Fraction(x) for x in each] for each in (centres, scales))
    )
    law = survivors if rule == "within" else top
    found = law(LAPLACE, np.array([centres], dtype=float), np.array(scales, dtype=float), size)
    nonvacuous_if(len(found.sets) > 1 and len(set(centres)) > 1)
    chances = [
        checker_releases.selection_step_probability(chosen, frozenset(np.flatnonzero(kept).tolist()))
        for kept in found.sets
    ]
    total = checker_intervals.sum_of_intervals(chances)
    assert checker_intervals.low(total) <= 1 <= checker_intervals.high(total)
    for chance, log, error in zip(chances, found.log[0], found.error[0], strict=True):
        assert abs(float(mpmath.log(checker_intervals.low_mpf(chance))) - log) < 1e-9 + error


# -- the numbers against independent ones ------------------------------------------------------------------------


def test_enclosures_are_right() -> None:
    low, high = map(Fraction, gaussian()["left_probability"])
    truth = mpmath.MPContext()
    truth.dps = 40
    value = truth.ncdf(1 / truth.sqrt(2))
    assert truth.mpf(low.numerator) / low.denominator <= value <= truth.mpf(high.numerator) / high.denominator
    assert high - low < Fraction(1, 10**24)  # 25 digits are written


@given(st.fractions(-50, 50, max_denominator=10**6))
@pytest.mark.nonvacuous(20)
def test_the_checkers_normal_tail_meets_the_other_one(x: Fraction) -> None:
    """Two enclosures of the same number by different series overlap, and both are tight."""
    mine, theirs = checker_normal.normal_distribution(checker_intervals.interval(x)), iv.ncdf(iv.number(x))
    assert checker_intervals.low(mine) <= theirs.high
    assert theirs.low <= checker_intervals.high(mine)
    width = Fraction(checker_intervals.high(mine)) - Fraction(checker_intervals.low(mine))
    assert width <= Fraction(checker_intervals.low(mine)) / 10**45


def test_one_of_three_laplace_options_is_certified() -> None:
    """Its chance, an integral by cells: 1/3 among equals, and by quadrature two ahead of both others."""
    given = step_certificate("test/claim", "laplace", [1, 1, 1], [2, 0, 0], [0, 0, 0], [2, 1, 1], [0], "0.5", "0.1")
    assert verify(given).ok, verify(given)
    with mpmath.workdps(20):
        ahead = mpmath.quad(
            lambda x: mpmath.exp(-abs(x)) / 2 * (1 - mpmath.exp(-(2 + x)) / 2) ** 2, [-2, 0, mpmath.inf]
        ) + mpmath.quad(lambda x: mpmath.exp(-abs(x)) / 2 * mpmath.exp(2 * (2 + x)) / 4, [-mpmath.inf, -2])
    low, high = map(Fraction, given["left_probability"])
    assert low <= Fraction(float(ahead)) <= high
    assert not verify(given | {"delta": "0.9"}).ok


def test_integrals_agree_with_the_reference() -> None:
    low, high = map(Fraction, three()["left_probability"])
    law = argmax_law(np.array([[2.0, 0.0, 0.0]]), np.array([[1.0, 0.5, 1.0]]))[0, 0]
    assert low - Fraction(ERROR) <= Fraction(float(law)) <= high + Fraction(ERROR)
    assert high - low < Fraction(1, 1000)


@pytest.mark.parametrize(("noise", "lead"), [("gaussian", -9), ("gaussian", 1), ("laplace", -20), ("laplace", 1)])
@pytest.mark.first(2)
def test_the_maker_encloses_the_chance_of_one_among_three(noise: str, lead: int) -> None:
    """Against the integral at 20 digits, also where the chance is tiny, or nearly 1."""
    found = probability_of_many_options(
        noise, [Fraction(lead), Fraction(0), Fraction(1, 2)], [Fraction(1), Fraction(1), Fraction(2)], 0
    )
    with mpmath.workdps(20):
        if noise == "gaussian":
            density, below = mpmath.npdf, mpmath.ncdf
        else:
            density = lambda x: mpmath.exp(-abs(x)) / 2  # noqa: E731
            below = lambda x: mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2  # noqa: E731
        knots = sorted({-60, 0, -lead, mpmath.mpf(1) / 2 - lead, 60, *range(-20, 21, 10)})
        truth = mpmath.quad(lambda x: density(x) * below(x + lead) * below((x + lead - mpmath.mpf(1) / 2) / 2), knots)
        assert found.low <= Fraction(str(truth * (1 + mpmath.mpf(10) ** -15)))
        assert Fraction(str(truth * (1 - mpmath.mpf(10) ** -15))) <= found.high
        assert found.high - found.low < 1e-3


def test_laplace_tail_in_closed_form() -> None:
    # P(A - B > t) = e^-t (2 + t)/4 for scales 1: the density of A - B is e^-|t| (1 + |t|)/4
    low, high = laplace()["left_probability"]
    assert Fraction(low) <= Fraction(str(mpmath.exp(-8) * 10 / 4)) + Fraction(1, 10**15)
    assert Fraction(high) >= Fraction(str(mpmath.exp(-8) * 10 / 4)) - Fraction(1, 10**15)


# -- two engines that share nothing ------------------------------------------------------------------------------

EXAMPLES = sorted((Path(__file__).parents[1] / "reports" / "example" / "certificates").glob("*.json"))


class Exactly(ast.NodeTransformer):
    """Literals as m.number("0.1")."""

    def __init__(self, source: str):
        self.source = source

    def visit_Constant(self, node: ast.Constant) -> Any:
        written = ast.Constant(ast.get_source_segment(self.source, node))
        return ast.copy_location(ast.Call(ast.Name("number", ast.Load()), [written], []), node)


def by_us(source: str, variables: dict[str, str]) -> Any:
    """The value of a certificate's expression in the judge's own arithmetic."""
    tree = ast.fix_missing_locations(Exactly(source).visit(ast.parse(source, mode="eval")))
    words = ["exp", "log", "sqrt", "ncdf", "floor", "ceil", "maximum", "minimum", "number", "pi"]
    names = {word: getattr(rational_vocabulary, word) for word in words}
    names |= {name: rational_vocabulary.number(value) for name, value in variables.items()}
    return eval(compile(tree, "certificate", "eval"), {"__builtins__": {}}, names)


def inside(found: Any, stored: list[str]) -> bool:
    value = as_interval(found)
    return Fraction(stored[0]) <= value.low <= value.high <= Fraction(stored[1])


def certainly_false(certificate: dict[str, Any], left: Any, right: Any) -> bool:
    match certificate["relation"]:
        case "<=":
            return is_certainly_at_most(right, left, strictly=True)
        case "<":
            return is_certainly_at_most(right, left)
    within = rational_vocabulary.number(certificate["within"])
    return any(is_certainly_at_most(within, gap, strictly=True) for gap in (left - right, right - left))


def test_there_are_certificates_of_both_kinds() -> None:
    kinds = [json.loads(path.read_text(encoding="utf-8"))["type"] for path in EXAMPLES]
    assert {"formula", "step"} <= set(kinds)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.first(3)
def test_the_judges_arithmetic_and_the_checkers_agree_on_every_certificate(path: Path) -> None:
    """mpmath's intervals in the checker, Arb's balls in the judge: the stored numbers enclose the results of both, and
    either shows the violation without the other."""
    certificate = json.loads(path.read_text(encoding="utf-8"))
    found = verify(certificate)
    assert found.ok, found.lines
    variables = certificate["variables"]
    if certificate["type"] == "formula":
        left, right = (by_us(certificate[side], variables) for side in ("left", "right"))
        assert inside(left, certificate["left_enclosure"])
        assert inside(right, certificate["right_enclosure"])
        assert certainly_false(certificate, left, right)
        assert all(is_certainly_at_most(by_us(p, variables), by_us(q, variables)) for p, q in certificate["given"])
        return
    assert certificate["type"] == "step"
    left, right, scales = ([Fraction(x) for x in certificate[field]] for field in ("left", "right", "scales"))
    event, noise = certificate["event"], certificate["noise"]
    p, q = (event_probability(noise, means, scales, event) for means in (left, right))
    for value, stored in ((p, certificate["left_probability"]), (q, certificate["right_probability"])):
        assert Fraction(stored[0]) <= value.high
        assert value.low <= Fraction(stored[1])
    eps, delta = (by_us(certificate[field], variables) for field in ("eps", "delta"))
    assert is_certainly_at_most(rational_vocabulary.exp(eps) * q + delta, p, strictly=True)


@pytest.mark.parametrize("made", [identity, gaussian, laplace])
def test_the_oldest_mpmath_serves_the_checker(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """mpmath 1.3, which sympy and torch ask for, compares its numbers with no Fraction."""
    number = mpmath.mp.mpf
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        newer = getattr(number, name)

        def older(self: Any, other: Any, newer: Any = newer) -> Any:
            return NotImplemented if isinstance(other, Fraction) else newer(self, other)

        monkeypatch.setattr(number, name, older)
    assert verify(made()).ok, verify(made()).lines


@pytest.mark.parametrize("exponent", ["0.5", "1.5", "-0.5", "-2.5", "0.25"])
def test_powers_that_the_judge_knows_exactly_pass_the_checker(exponent: str) -> None:
    """4^1.5 is 8; an enclosure of 8 that is wider than a point is not inside of what is stored."""
    says = Inequality(lambda m, x: x ** m.number(exponent), lambda m, x: m.number("0.01"), {"x": Real(0, 9)})
    found = verify(formula_certificate(claim(says), {"x": 4}))
    assert found.ok, found.lines


def test_an_exponent_next_to_a_half_is_no_half() -> None:
    source = f"16**{decimal_text(Fraction(1, 2) + Fraction(1, 2**100), 200)}"
    found = checker_expressions.Evaluator({}).value(source, "here")
    assert checker_intervals.low(found) > 4


# -- tampering ---------------------------------------------------------------------------------------------------


def changed(certificate: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one field replaced; path: keys and indices with slashes."""
    out = copy.deepcopy(certificate)
    *parents, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    place: Any = out
    for key in parents:
        place = place[key]
    place[last] = value
    return out


TAMPERED = [
    ("formula", "type", "step", "schema"),
    ("formula", "left", "x * (1 + x)", "left_enclosure"),
    ("formula", "right", "0.3", "right_enclosure"),
    ("formula", "within", "0.1", "within"),
    ("formula", "given/0/0", "0.9", "given/0"),
    ("formula", "given/0/1", "-x", "given/0"),
    ("formula", "variables/x", "0.4", "left_enclosure"),
    ("formula", "left_enclosure/0", "0.2499999", "left_enclosure"),
    ("formula", "left_enclosure/1", "0.26", "left_enclosure"),
    ("formula", "left_enclosure/0", "0.25000000000000000001", "left_enclosure"),
    ("formula", "right_enclosure/0", "0.1", "right_enclosure"),
    ("formula", "right_enclosure/1", "inf", "right_enclosure"),
    ("identity", "relation", "<=", "within"),
    ("identity", "within", "0.5", "not violated"),
    ("identity", "left", "exp(12)", "left_enclosure"),
    ("identity", "right", "59874.1417151978", "right_enclosure"),
    ("gaussian", "noise", "laplace", "left_probability"),
    ("gaussian", "scales/0", "2", "left_probability"),
    ("gaussian", "scales/1", "-1", "scales"),
    ("gaussian", "left/0", "0.9", "left_probability"),
    ("gaussian", "right/0", "0.5", "right_probability"),
    ("gaussian", "right/0", "-0.5", "not a neighbour"),
    ("gaussian", "right/1", "0.1", "not a neighbour"),
    ("gaussian", "sensitivities/0", "0.5", "not a neighbour"),
    ("gaussian", "sensitivities", ["1"], "schema"),
    ("gaussian", "event/0", 1, "left_probability"),
    ("gaussian", "event/0", 2, "event"),
    ("gaussian", "event", [0, 0], "event"),
    ("gaussian", "event", [], "left_probability"),
    ("gaussian", "eps", "e0 + 5", "not violated"),
    ("gaussian", "eps", "-e0", "negative"),
    ("gaussian", "delta", "0.3", "not violated"),
    ("gaussian", "variables/e0", "2", "not violated"),
    ("gaussian", "variables", {"e0": "0.2", "more": "1"}, "more"),
    ("gaussian", "variables", {}, "not listed in the field variables"),
    ("gaussian", "left_probability/0", "0.7", "left_probability"),
    ("gaussian", "left_probability/1", "0.8", "left_probability"),
    ("gaussian", "right_probability/0", "0.4", "right_probability"),
    ("gaussian", "right_probability/1", "0.4999", "right_probability"),
    ("laplace", "changed", "one", "not a neighbour"),
    ("laplace", "noise", "gaussian", "left_probability"),
    ("laplace", "left/1", "-0.5", "not a neighbour"),
    ("three", "left/1", "0.5", "not a neighbour|left_probability"),
    ("three", "scales/1", "2", "probability"),
    ("three", "left_probability/0", "0.7", "left_probability"),
    ("three", "event", [0, 1], "probability|computation"),
    ("run", "policy/name", "ucb", "schema"),
    ("run", "relation", "history", "schema"),
    ("run", "changed/0", 2, "and contain the changed reward"),
    ("run", "policy/prepulls", 7, "prepulls = 7 for each of 2 arms is too large"),
    ("run", "policy/variance", "0", "positive"),
    ("run", "policy/variance", "4", "not violated"),
    ("run", "horizon", 11, "every row must have length 11, and contain"),
    ("run", "rewards/1/0/1", "1.5", "every reward must be in [0, 1]"),
    ("run", "rewards/1/1/0", 8, "every row must have length 12, and contain"),
    ("run", "rewards/1/0/1", "1/36893488147419103233", "denominator"),
    ("run", "becomes", "0.25", "not violated"),
    ("run", "becomes", "2", "every reward must be in [0, 1]"),
    ("run", "becomes", "0", "not violated"),
    ("run", "changed/1", 12, "and contain the changed reward"),
    ("run", "pulls", 0, "not violated"),
    ("run", "step", "0", "step"),
    ("run", "step", "1/1000", "is too small"),
    ("run", "eps", "log(s) + 2", "not violated"),
    ("run", "delta", "0", "positive"),
    ("run", "delta", "0.2", "not violated"),
]


@pytest.mark.parametrize(("name", "path", "value", "says"), TAMPERED)
def test_tampering_is_rejected_and_named(name: str, path: str, value: Any, says: str) -> None:
    found = verify(changed(VALID[name](), path, value))
    assert not found.ok
    assert any(word in found.lines[0] for word in says.split("|")), found.lines


@pytest.mark.parametrize(
    ("ends", "tolerance", "says"),
    [
        (("0.5", "0.5"), checker_agreement.AGREE, ""),
        (("0.4999999999999999999", "0.5"), checker_agreement.AGREE, ""),
        (
            ("0.5000000000000000000001", "0.500000000000000000001"),
            checker_agreement.AGREE,
            "does not contain the recomputed value",
        ),
        (
            ("0.499999999999999999999", "0.4999999999999999999999"),
            checker_agreement.AGREE,
            "does not contain the recomputed value",
        ),
        (("0.49999", "0.5"), checker_agreement.AGREE, "the low end in the certificate is 0.49999"),
        (("0.5", "0.50001"), checker_agreement.AGREE, "the high end in the certificate is 0.50001"),
        (("-inf", "0.5"), checker_agreement.AGREE, "the low end"),
        (("0.51", "0.5"), checker_agreement.ROUGHLY, "is above the upper end"),
        (("0.49999", "0.50001"), checker_agreement.ROUGHLY, ""),
        (("0.500001", "0.50001"), checker_agreement.ROUGHLY, "does not contain the recomputed value"),
        (("0.49999", "0.499999"), checker_agreement.ROUGHLY, "does not contain the recomputed value"),
        (("0.2", "0.5"), checker_agreement.ROUGHLY, "the low end"),
        (("0.4951", "0.5049"), checker_agreement.ROUGHLY, ""),
        (("0.4949", "0.5"), checker_agreement.ROUGHLY, "the low end"),
        (("0.5", "0.5051"), checker_agreement.ROUGHLY, "the high end"),
    ],
)
def test_stored_ends_enclose_what_is_recomputed(ends: tuple[str, str], tolerance: Fraction, says: str) -> None:
    if not says:
        checker_agreement.enclosures_agree(ends, Fraction(1, 2), "here", tolerance)
        return
    with pytest.raises(checker_untrusted.Rejected, match=f"^here: .*{says}"):
        checker_agreement.enclosures_agree(ends, Fraction(1, 2), "here", tolerance)


def test_the_stored_numbers_show_the_violation_by_themselves() -> None:
    """0.6 > 0.5 + 0.09999, but a stored 0.59995, though near enough to 0.6, does not exceed it."""
    stored = {"eps": "0", "delta": "0.09999", "variables": {}, "right_probability": ["0.5", "0.5"]}
    left, right = (checker_intervals.interval(Fraction(x, 10)) for x in (6, 5))
    assert checker_agreement.require_violation(
        stored | {"left_probability": ["0.599995", "0.6"]}, left, right, checker_agreement.ROUGHLY
    )
    for wrong in ({"left_probability": ["0.59995", "0.6"]}, {"right_probability": ["0.5", "0.50002"]}):
        certificate = stored | {"left_probability": ["0.599995", "0.6"]} | wrong
        with pytest.raises(
            checker_untrusted.Rejected, match="the numbers in the certificate do not violate the inequality"
        ):
            checker_agreement.require_violation(certificate, left, right, checker_agreement.ROUGHLY)


@pytest.mark.parametrize(
    ("source", "says"),
    [("1/0", "contains a division by 0"), ("7/000", "contains a division by 0"), ("seven", "is not a number such as"),
     ("1e5001", "exponent"), ("0x10", "not a number"), ("1_000", "not a number"), ("inf", "not a number")],
)  # fmt: skip
def test_numbers_that_are_none_are_not_read(source: str, says: str) -> None:
    with pytest.raises(checker_untrusted.Rejected, match=says):
        checker_untrusted.read_decimal(source, "here")


def test_expressions_have_limits_of_depth_and_length() -> None:
    with pytest.raises(checker_untrusted.Rejected, match=r"more than \d+ characters"):
        checker_expressions.parse_expression("1" * (checker_expressions.MAX_EXPRESSION_SIZE + 1))
    checker_expressions.parse_expression("1" * 4_000)
    deep = ast.UnaryOp(ast.USub(), ast.Name("x"))
    for _ in range(checker_expressions.NESTED):
        deep = ast.UnaryOp(ast.USub(), deep)
    with pytest.raises(checker_untrusted.Rejected, match="nested more than"):
        checker_expressions.Evaluator({"x": Fraction(1)}).node(deep, "x")


@pytest.mark.parametrize("scales", [("1", "1"), ("1", "3"), ("2", "1/2")])
@pytest.mark.parametrize("lead", ["-3", "0", "1/3", "2"])
def test_maker_and_checker_agree_about_two_options(scales: tuple[str, str], lead: str) -> None:
    """By their own closed forms, for either option and either noise; the two options share the whole."""
    means, exact = [Fraction(lead), Fraction(0)], [Fraction(s) for s in scales]
    for noise in ("laplace", "gaussian"):
        mine = [event_probability(noise, means, exact, [option]) for option in (0, 1)]
        theirs = [checker_noisy_maximum.two_option_probability(noise, means, exact, [option]) for option in (0, 1)]
        for one, other in zip(mine, theirs, strict=True):
            assert one.low <= checker_intervals.high(other)
            assert checker_intervals.low(other) <= one.high
            assert one.high - one.low < 1e-40
        assert mine[0].low + mine[1].low <= 1 <= mine[0].high + mine[1].high
    assert [event_probability("laplace", means, exact, event).low for event in ([], [0, 1])] == [0, 1]


@pytest.mark.parametrize("name", VALID)
@pytest.mark.first(4)
def test_no_field_is_optional_or_unknown(name: str) -> None:
    certificate = VALID[name]()
    for field in certificate:
        found = verify({key: value for key, value in certificate.items() if key != field})
        assert not found.ok
        assert found.lines[0].startswith("schema")
    assert not verify({**certificate, "comment": "hello"}).ok


# -- expressions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os').system('true')",
        "().__class__",
        "x.real",
        "[x for x in (1, 2)]",
        "lambda: 1",
        "x if x else 1",
        "x < 1",
        "x @ x",
        "x // 2",
        "x % 2",
        "exp(*[x])",
        "exp(x=x)",
        "exp(x, x)",
        "maximum()",
        "open('f')",
        "eval('1')",
        "'text'",
        "True",
        "None",
        "1j",
        "0x10",
        "1_000",
        "x; x",
        "(x := 1)",
        "f'{x}'",
        "y",
        "",
        "9**9**9**9",
        "exp(exp(exp(x * 100)))",
        "1e99999",
        "x / (x - x)",
        "log(x - 1)",
        "sqrt(-x)",
        "(-x)**0.5",
        "(" * 500 + "x" + ")" * 500,
        "x" + " + x" * 30000,
    ],
)
def test_nothing_but_arithmetic_is_evaluated(source: str) -> None:
    found = verify(changed(formula(), "left", source))
    assert not found.ok


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("0.1 + 0.2", Fraction(3, 10)),  # decimals are read exactly
        ("-2**2", Fraction(-4)),
        ("(-2)**3", Fraction(-8)),
        ("2**-1", Fraction(1, 2)),
        ("2**3**2", Fraction(512)),
        ("1 - (2 - 3)", Fraction(2)),
        ("maximum(1, 3, 2) - minimum(4, 5)", Fraction(-1)),
        ("floor(2.5) + ceil(2.5) + floor(-0.5)", Fraction(4)),
        ("sqrt(16) + exp(0) + log(1) + ncdf(0)", Fraction(11, 2)),
        ("sqrt(3 - 3)", Fraction(0)),
        ("1.5e2", Fraction(150)),
        ("exp(-200000) + 1", Fraction(1)),  # beyond what is written out: between 0 and exp(-160000)
    ],
)
def test_expressions_mean_what_python_means(source: str, value: Fraction) -> None:
    found = checker_expressions.Evaluator({}).value(source, "here")
    assert checker_intervals.low(found) <= value <= checker_intervals.high(found)
    assert Fraction(checker_intervals.high(found)) - Fraction(checker_intervals.low(found)) <= Fraction(1, 10**50)


@pytest.mark.parametrize("junk", [{}, {"type": "formula"}, {"type": "else"}, {"type": None}, [], "text", None])
def test_junk_is_rejected_not_raised(junk: Any) -> None:
    assert not verify(junk).ok


CHECKER = Path(checker_verification.__file__).parent


def test_it_never_executes_a_string() -> None:
    sources = [path.read_text(encoding="utf-8") for path in CHECKER.rglob("*.py")]
    calls = {
        node.func.id
        for source in sources
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"eval", "exec", "compile", "__import__"}


def test_where_rewards_have_come_from() -> None:
    """On a stream rounds 1 and 2 were arm 0's, round 3 arm 1's, 4 and 5 arm 0's, and round 6 arm 1's."""
    paid = (((0, 2), (3, 5)), ((2, 3), (5, 6)))
    for counts, found in (
        ([1, 2], (((0, 2), (3, 5), (6, 7)), ((2, 3), (5, 6), (7, 9)))),
        ([0, 1], (((0, 2), (3, 5)), ((2, 3), (5, 7)))),
        ([2, 0], (((0, 2), (3, 5), (6, 8)), ((2, 3), (5, 6)))),
    ):
        assert release_certificates.reward_sources_after("round", paid, np.array(counts)) == found
    assert release_certificates.reward_sources_after("pull", (((0, 2),), ()), np.array([1, 3])) == (
        ((0, 3),),
        ((0, 3),),
    )
    assert release_certificates.latest_rewards(paid[0], 3) == [(1, 2), (3, 5)]
    assert release_certificates.latest_rewards(paid[0], 2) == [(3, 5)]
    assert release_certificates.latest_rewards(paid[0], 0) == []
    with pytest.raises(
        release_certificates.NotCertifiable, match="declares selections that use 1 more rewards than it"
    ):
        release_certificates.latest_rewards(paid[0], 5)
