"""What findings hold as data: types, schema and codec; and the sentences that are made from it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest
import schema_of_found

from dpbandits import QUICK, Bernoulli, Verdict
from dpbandits.audit.judges.effort import Run
from dpbandits.audit.privacy.judge import judge_private
from dpbandits.audit.regret.orderings import judge_ordering
from dpbandits.audit.runner.dispatch import judge as judged
from dpbandits.audit.runner.dispatch import rounded_finding
from dpbandits.reference.claims import text
from dpbandits.reference.claims.codec import as_data, found_in, from_data
from dpbandits.reference.claims.findings import (
    ArgumentFound,
    ArgumentStep,
    Assigned,
    Bound,
    BoundedMean,
    CheckFound,
    Enclosure,
    FormulaFound,
    FormulaProof,
    Found,
    Instance,
    InstanceParameter,
    Order,
    OrderFound,
    Power,
    PrivacyFound,
    Promise,
    Refuting,
    RegretFound,
    Sampled,
    Setting,
    Side,
    Tightest,
    Violated,
    rounded,
)
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Finding
from dpbandits.reports.document import by_schema, schema

ROOT = Path(__file__).parents[1]
EXAMPLE = json.loads((ROOT / "reports" / "example" / "findings.json").read_text(encoding="utf-8"))["findings"]
FEW = Run(replace(QUICK, trials=1_000, pair_tries=2, pair_effort=200), 0, 1e-6)
CLAIMS = ("ou24/algorithm-3", "chen24/proposition-4.1/observed", "azize22/privacy/means")


def bound(value: float | None, side: Side, at: float | None = 1e-6, risk: float = 0.0) -> Bound:
    return Bound(value, side, "eps", at, "delta", "samples", risk)


def instance(verdict: str = "CONSISTENT", **parts: Any) -> Instance:
    return replace(Instance("K=2", verdict, Promise("(1, 1e-06)-DP", "eps", 1.0, 1e-6)), **parts)


def sampled(value: float, claimed: float = 1.0, **parts: Any) -> Sampled:
    return Sampled(bound(value, Side.BELOW, risk=1e-9), claimed, value > claimed, 1, **parts)


POWER = Power(bound(1.5, Side.ABOVE), "(1.5, 1e-06)-DP", "Laplace", 0.9)
AWKWARD: tuple[Found, ...] = (
    PrivacyFound((replace(instance("NOT_APPLICABLE"), promise=None),)),
    PrivacyFound((instance("NOT_EXERCISED", idle="nothing varies"),)),
    PrivacyFound((instance(law=Enclosure(bound(0.0, Side.BELOW), bound(None, Side.ABOVE), 1.0, False)),)),
    PrivacyFound((instance(sampled=sampled(0.95), power=(POWER,)), instance(sampled=sampled(0.5))), 0),
    PrivacyFound((instance("REFUTED", sampled=sampled(1.14999, learnt=True), judged_at="0 and 1"),)),
    PrivacyFound((instance("REFUTED", wrong="it does not follow its law", sampled=sampled(0.0, by_law=True)),)),
    OrderFound("regret", 1, 1, 1, 1e-9, 0.999, 0.9, (Setting("a", 1.0, 0.0, 1),) * 2, ()),
    OrderFound(
        "regret", 3, 9, 9, 1e-9, 0.999, 0.9, (Setting("a", 2.0, 0.0, 9), Setting("b", 1.0, 0.1, 9)),
        (Order("a", "b", 0, 9, 0, -1.0, text.REVERSED),),
    ),
    FormulaFound("<="),
    FormulaFound("<=", applies=False),
    FormulaFound("==", "0.005", violated=Violated((Assigned("n", "1"),), True, "0", "[0.1, 0.2]")),
    FormulaFound("<", violated=Violated((), False), limited="the formula is too long for a proof by subdivision"),
    FormulaFound("<=", proof=FormulaProof.SUBDIVISION, boxes=1, closed=1.0, open=0.0),
    FormulaFound("==", difference=0.0, tried=7, undefined_at=(Assigned("x", "0"),), combinations=1),
    FormulaFound("<=", tightest=Tightest((Assigned("x", "0.5"),), 1e-09), tried=7, closed=0.999999, open=1e-06),
    *(FormulaFound("<=", proof=each, closed=1.0, open=0.0) for each in FormulaProof),
    RegretFound("regret", True, (BoundedMean("K=2", "NOT_APPLICABLE", None, 0.0, 9.0),), None, 1e-9),
    RegretFound("regret", True, (BoundedMean("K=2", "NOT_EXERCISED", None, 0.0, 9.0),), None, 1e-9),
    RegretFound("error", False, (BoundedMean("K=2", "NOT_EXERCISED", 0.0, 0.1, 1.0),) * 2, None, 1e-9),
    RegretFound(
        "regret", True,
        (
            BoundedMean("T=5", "REFUTED", 4.0, 0.0, 9.0, 6.0, 5.1, 6.9, 1.5, 1, Refuting(4.5)),
            BoundedMean("T=6", "NOT_EXERCISED", 4.0, 0.0, 9.0, 6.0, 0.0, 6.9, 1.5, 1),
            BoundedMean("T=7", "CONSISTENT", 0.5, 0.0, 1.0, 0.1, 0.0, 0.2, 0.2, 9, Refuting(None, 7, 0.9, 0.9)),
        ),
        0, 1e-9,
    ),
    ArgumentFound("Both are the same, line by line.", ()),
    ArgumentFound("Both are the same.", (ArgumentStep("0 <= 1", "exact algebra", True),), True, theorem="same"),
    ArgumentFound("Both are the same.", (ArgumentStep("1 <= 0", "exact algebra", False),), None, True),
    ArgumentFound("Both are the same.", (), False),
    CheckFound(),
    CheckFound(7.5, 20),
    CheckFound(None, 20, 7, None, 0.0123456, 0.9),
)  # fmt: skip


def numbers(node: Any) -> Iterator[float]:
    """All doubles of data."""
    if isinstance(node, float):
        yield node
    elif isinstance(node, dict):
        for part in node.values():
            yield from numbers(part)
    elif isinstance(node, list):
        for part in node:
            yield from numbers(part)


# -- data ----------------------------------------------------------------------------------------------------


def test_the_schema_is_that_of_the_types() -> None:
    """python tests/schema_of_found.py writes it."""
    definitions = schema()["$defs"]
    for name, wanted in schema_of_found.definitions().items():
        assert definitions[name] == wanted, name


@pytest.mark.parametrize("found", AWKWARD)
def test_what_was_found_passes_through_json_unchanged(found: Found) -> None:
    data = json.loads(json.dumps(as_data(found), allow_nan=False))
    assert found_in({"found": data}) == found
    one = {**EXAMPLE[0], "found": data}
    finding = {"$ref": "#/$defs/finding", "$defs": schema()["$defs"]}
    assert list(by_schema(one, finding)) == []
    assert list(by_schema({**one, "found": {**data, "more": 1}}, finding)) != []


@pytest.mark.parametrize("change", [{"kind": "other"}, {"instances": [{}]}, {"more": 1}])
def test_what_is_no_such_data_is_refused(change: dict[str, Any]) -> None:
    data = as_data(AWKWARD[0]) | change
    with pytest.raises((KeyError, TypeError, ValueError)):
        found_in({"found": data})


def test_a_finding_passes_through_json_unchanged() -> None:
    finding = Finding("a", Verdict.CONSISTENT, "", uncertified={"x": "1/3"}, body=AWKWARD[3])
    assert from_data(Finding, json.loads(json.dumps(as_data(finding)))) == finding


# -- words ---------------------------------------------------------------------------------------------------


def check_words(finding: Finding) -> None:
    """The words and tables of a finding are those that its data give, after they were stored as well."""
    body = found_in({"found": json.loads(json.dumps(as_data(finding.body)))})
    assert body is not None
    summary, resolution = text.summary_of(body), text.resolution_of(body)
    assert summary in finding.summary
    assert finding.resolution in (resolution, "") or resolution in finding.resolution
    for made in text.items_of(body):
        assert as_data(made) in [as_data(item) for item in finding.evidence]
    assert all(number == rounded(number, Side.NEAREST) for number in numbers(as_data(body))), (
        "more digits than are shown"
    )


@pytest.mark.parametrize("name", CLAIMS)
def test_words_and_tables_about_privacy_follow_from_the_data(name: str) -> None:
    claim = ledger().by_id[name]
    few = replace(claim, params=claim.params[:2])
    check_words(rounded_finding(judge_private(few, FEW)))


JUDGED = {
    "ou24/lemma-12": FormulaFound,
    "ou24/update": FormulaFound,
    "hu25/fact-a.1": FormulaFound,
    "hu25/theorem-2.4": ArgumentFound,
    "tao22/lemma-6": ArgumentFound,
    "auer02/theorem-1": RegretFound,
}


@pytest.mark.parametrize("name", JUDGED)
def test_words_and_tables_of_every_kind_follow_from_the_data(name: str) -> None:
    claim = ledger().by_id[name]
    run = Run(replace(QUICK, regret_runs=20), 0, 1e-6)
    finding = judged(replace(claim, params=claim.params[:2]), run)
    assert isinstance(finding.body, JUDGED[name])
    check_words(finding)


def test_words_and_tables_about_orders_follow_from_the_data() -> None:
    claim = ledger().by_id["chen24/figure-1/baseline"]
    run = Run(replace(QUICK, experiment_runs=64, experiment_horizon=4_000), 0, 1e-3)
    finding = judge_ordering(claim, run)
    assert isinstance(finding.body, OrderFound)
    check_words(rounded_finding(finding))


@pytest.mark.parametrize(
    ("instance", "printed"),
    [
        ({"arms": 2, "horizon": 50, "prepulls": 1, "variance": 0.25}, "K = 2, T = 50, b = 1, c = 0.25"),
        (
            {"pulls": (1, 100_000_000), "left": (1.0, 2.5e7), "right": (0.0, 2.5e7)},
            "pull counts (1, 1e+08), reward totals (1, 2.5e+07) and (0, 2.5e+07)",
        ),
        ({"left": (0, 4), "right": (-1, 5)}, "inputs (0, 4) and (-1, 5)"),
        ({"eps": 1, "environment": Bernoulli((1.0, 0.0))}, "eps = 1, Bernoulli rewards with means (1, 0)"),
        ({"features": ((1, 0), (0.5, 0))}, "features ((1, 0), (0.5, 0))"),
        ({"horizon": 12_345_678, "arms": 10**400, "for_mean": None}, f"T = 12345678, K = {10**400}, c_H = None"),
        ({"left": (100 * (0,)), "beta": inf}, "inputs (100 zeros), beta = inf"),
        (
            {"pulls": (1, 3, 3, 3, 3), "left": (1, 3, 3, 3, 3), "right": (0, *7 * (0.5,))},
            "pull counts (1, 3, 3, 3, 3), reward totals (1, 3, 3, 3, 3) and (0, then 7 times 0.5)",
        ),
    ],
)
def test_parameters_are_written_as_in_the_papers(instance: dict[str, object], printed: str) -> None:
    held = text.instance_parameters(instance)
    assert text.parameters_in_words(held) == text.instance_in_words(instance) == printed
    stored = json.loads(json.dumps(as_data(held), allow_nan=False))
    assert tuple(from_data(InstanceParameter, each) for each in stored) == held


def test_the_example_s_words_follow_from_its_data() -> None:
    held = [each for each in EXAMPLE if each["found"]]
    assert len(held) >= 8
    for each in held:
        found = found_in(each)
        assert found is not None
        assert text.summary_of(found) in each["summary"], each["id"]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (AWKWARD[0], "K=2: a precondition is false."),
        (AWKWARD[1], "K=2: (1, 1e-06)-DP is claimed; nothing varies."),
        (AWKWARD[2], "K=2: (1, 1e-06)-DP is claimed; exact computation: eps at delta 1e-06 is at least 0."),
        (
            AWKWARD[3],
            "CONSISTENT for all 2 instances. Hardest instance: K=2: (1, 1e-06)-DP is claimed; samples certify eps >= "
            "0.95 at delta 1e-06.",
        ),
        (
            AWKWARD[4],
            "K=2, with query values 0 and 1: (1, 1e-06)-DP is claimed; samples certify eps >= 1.149 at delta 1e-06, "
            "more than the claimed 1.",
        ),
    ],
)  # fmt: skip
def test_awkward_data_make_whole_sentences(found: Found, said: str) -> None:
    """A lower bound of 1.14999 is told as 1.149, and never as 1.15."""
    assert text.summary_of(found) == said


def test_only_a_test_that_was_made_has_power() -> None:
    judged = instance(sampled=sampled(0.95), power=(POWER,))
    assert text.resolution_of(PrivacyFound((judged,))).startswith("Power for K=2: this test would refute")
    idle = replace(judged, verdict="NOT_EXERCISED", idle="nothing varies")
    assert text.resolution_of(PrivacyFound((idle,))) == ""


WRONG = re.compile(
    r"  | [,.;:]|\(\s|\s\)|\.\.(?!\.)|;;|,,|: [.;,]|\bNone\b|\bnan\b|\b([a-z]+) \1\b"
    r"|(?<![\d.])1 (?:instances|comparisons|repetitions|runs|points|boxes|steps|are|stay|fresh trials)\b"
    r"|\ba (?:eps|event|instance|upper|(?:8|11|18)\b)|\ban (?:mu|lower|promise|policy)\b"
)


@pytest.mark.parametrize("found", AWKWARD)
def test_the_words_of_awkward_data_are_grammatical(found: Found) -> None:
    for said in (text.summary_of(found), text.resolution_of(found)):
        assert not WRONG.search(said), said


def test_the_words_of_the_example_are_grammatical() -> None:
    for each in EXAMPLE:
        for field in ("summary", "resolution"):
            assert not (wrong := WRONG.search(each[field])), (each["id"], field, wrong)
            assert each[field].count("(") == each[field].count(")"), each["id"]


# -- sides ---------------------------------------------------------------------------------------------------

LOWER = re.compile(r"\bat least\b|\bno (?:less|smaller)\b|certified from samples|\battack\b(?!:? at most)")
UPPER = re.compile(r"\bat most\b|\benough\b|\bat best\b")


def fault_of_side(column: dict[str, str]) -> str:
    """What is wrong with the side of a column, by what its heading says; "" for nothing."""
    if column["side"] == "above" and LOWER.search(column["name"]):
        return "a lower bound is rounded up"
    if column["side"] == "below" and UPPER.search(column["name"]):
        return "an upper bound is rounded down"
    return ""


@pytest.mark.parametrize(("side", "bad"), [("above", True), ("below", False)])
def test_a_planted_side_is_noticed(side: str, bad: bool) -> None:
    assert bool(fault_of_side({"name": "eps, at least", "side": side})) is bad
    assert bool(fault_of_side({"name": "enough for two arms", "side": side})) is not bad


def test_headings_and_sides_agree() -> None:
    """In the example's tables, and in all that proofs write, as their sources have them."""
    for each in EXAMPLE:
        for item in each["evidence"]:
            for column in item["columns"] if item["kind"] == "table" else ():
                assert not fault_of_side(column), (each["id"], column)
    written = re.compile(r"\b(below|above)\(\s*f?\"([^\"]*)\"")
    found = [
        (path, {"side": side, "name": name})
        for folder in ("proofs_checks", "audit", "reference/claims")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for side, name in written.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(found) > 60
    for path, column in found:
        assert not fault_of_side(column), (path, column)


@pytest.mark.parametrize("side", Side)
def test_no_rounded_number_is_minus_zero(side: Side) -> None:
    """A report would print it as -0."""
    for value in (-0.0, 0.0):
        assert math.copysign(1, rounded(value, side)) == 1
