"""Every number of a finding is what the inputs give that the finding names: of one-shot mechanisms here, of all that
an audit refuted once there is one (make audited)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbandits import QUICK, Pair, Verdict
from dpbandits.audit.judges.effort import PROFILES, Run
from dpbandits.audit.privacy.evidence import STEPS_TITLE, table_of_steps
from dpbandits.audit.privacy.instances import audit_one
from dpbandits.audit.privacy.result import judged_in_ways
from dpbandits.audit.runner.printed import PRINTED_DIGITS
from dpbandits.proofs_checks.exact.engine import exact_profile, step_profile
from dpbandits.proofs_checks.exact.shifted_noise import shifted_noise_profile
from dpbandits.proofs_checks.formulas.conclusions import short_number
from dpbandits.proofs_checks.vocabularies.intervals import Intervals
from dpbandits.reference.bandits.policy import Step
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim, Identity, Inequality, Private, expectations
from dpbandits.reference.claims.text import (
    NEIGHBOURS_TITLE,
    input_text,
    instance_in_words,
    instance_name,
    instance_parameters,
    instance_row,
    instance_summary,
    instance_text,
    printed_name,
    value_text,
)

FINDINGS = Path(__file__).parents[1] / "reports" / "out" / "findings.json"
FEW = Run(replace(QUICK, trials=400), seed=0, level=1e-6)


# -- one-shot mechanisms -------------------------------------------------------------------------------------------

WRITTEN = 10.0 ** (1 - PRINTED_DIGITS)  # of a number that is rounded down or up: its last digit


def about_a_step(claim: Claim) -> bool:
    return isinstance(claim.says, Private) and isinstance(claim.subject(**dict((claim.params or ({},))[0])), Step)  # type: ignore[misc]


def typed(values: str) -> tuple[float, ...]:
    """The values, from their text: "(1.0, 4 times 0.5)"."""
    found: list[float] = []
    for each in values.strip("()").split(", "):
        many, _, value = each.rpartition(" times ")
        found += [float(value)] * int(many or 1)
    return tuple(found)


def check_steps(claim: Claim, every: list[list[Any]], inputs: list[list[str]]) -> None:
    """every: the rows of the table of all instances. inputs: those of the inputs that were judged."""
    says, instances = claim.says, {instance_in_words(instance): instance for instance in claim.params}
    assert isinstance(says, Private)
    assert claim.subject is not None
    numbers = {each[0]: each for each in every}
    assert {name for name, *_ in inputs} == set(instances)
    for name, by, *sides in inputs:
        own = claim.subject(**dict(instances[name]))
        left, right = map(typed, sides)
        if not by.startswith("law"):
            continue
        step, told = own._replace(left=left, right=right), f"{value_text(left)} and {value_text(right)}"
        same = sides == [input_text(tuple(map(float, side))) for side in (own.left, own.right)]
        found = numbers[name] if same else numbers[f"{name}, with query values {told}"]
        if says.view == "arms":
            exact: Any = step_profile(step)
        else:
            noisy = step.mechanism.noisy(left)
            exact = shifted_noise_profile(
                noisy.kind, abs(noisy.centre - step.mechanism.noisy(right).centre)[0] / noisy.scale[0]
            )
        curve = says.curve(step)
        assert curve is not None
        bounds = curve.bounds(exact)
        assert [found[2], found[4]] == pytest.approx([bounds.claimed, bounds.low], rel=WRITTEN, abs=1e-12)
        assert (found[5] is None) == (bounds.high == np.inf)
        assert bounds.refutes <= (found[-1] == Verdict.REFUTED)


def pairs(claim: Claim) -> tuple[Any, ...]:
    """The instances with two queries: those with more take a second each."""
    return tuple(one for one in claim.params if len(claim.subject(**dict(one)).left) == 2)  # type: ignore[misc]


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(each, id=each.id, marks=[pytest.mark.thorough] if each.id == "ou24/theorem-7" else [])
        for each in ledger().claims
        if about_a_step(each) and Verdict.REFUTED in expectations(each) and pairs(each)
    ],
)
@pytest.mark.thorough
def test_a_refuted_mechanism_has_the_number_that_is_named_where_it_is_said_to_be_judged(claim: Claim) -> None:
    assert claim.subject is not None
    some = replace(claim, params=pairs(claim))
    results = [
        audit_one(claim, claim.says, claim.subject(**dict(one)), FEW, instance_text(one))._replace(  # type: ignore[arg-type]
            parameters=instance_parameters(one)
        )
        for one in some.params
    ]
    every = [instance_row(each.instance) for each in results]
    check_steps(some, every, [one.row(printed_name(each.instance)) for each in results for one in each.judged])
    for each, line in zip(results, every, strict=True):
        assert instance_summary(each.instance).startswith(f"{line[0]}: ")


def test_a_step_that_was_moved_says_where_to() -> None:
    """Theorem 7 at two arms: the other arm at 1/4, as the page has it, obeys the theorem; at 1 it does not."""
    claim = ledger().by_id["ou24/theorem-7"]
    assert claim.subject is not None
    (one,) = (
        dict(each) for each in claim.params if instance_text(each).startswith("pulls=(1, 100000000), left=(1, 2.5e+07)")
    )
    found = audit_one(claim, claim.says, claim.subject(**one), FEW, instance_text(one))  # type: ignore[arg-type]
    assert instance_name(found.instance) == f"{found.label}, with query values (0.5, 1) and (0, 1)"
    law, samples = found.judged
    assert law.left == pytest.approx((0.5, 1 - 1e-8), rel=1e-12)
    assert samples.left != law.left
    assert f"samples (query values {samples.place}) certify" in instance_summary(found.instance)


def test_the_inputs_of_a_step_are_told_to_twelve_digits() -> None:
    step = (
        ledger()
        .by_id["ou24/theorem-6"]
        .subject(  # type: ignore[misc]
            scales=(1.0,) * 5, left=(0.1, *(1 / 3,) * 4), right=(0.0, *(1 / 3,) * 4), sensitivities=(1.0,) * 5
        )
    )
    (told,) = judged_in_ways(step, step, "law")
    made = table_of_steps([told.row("a")])
    assert made["title"] == STEPS_TITLE
    both = table_of_steps([told.row("a"), told._replace(by="samples").row("a"), told.row("b")])
    assert [row[:2] for row in both["rows"]] == [["a", "law and samples"], ["b", "law"]]
    assert both["rows"][0][2:] == made["rows"][0][2:]
    assert made["rows"] == [["a", "law", "(0.1, 4 times 0.333333333333)", "(0, 4 times 0.333333333333)"]]
    for side in made["rows"][0][2:]:
        assert input_text(typed(side)) == side


# -- everything that was refuted, after an audit -----------------------------------------------------------------


def tables(finding: dict[str, Any], title: str) -> list[list[list[Any]]]:
    return [item["rows"] for item in finding["evidence"] if item["kind"] == "table" and item["title"] == title]


def check_formula(claim: Claim, finding: dict[str, Any]) -> None:
    """The page's own formulas, at the point of the certificate, are the two numbers of the summary."""
    says, m = claim.says, Intervals(60)
    assert isinstance(says, Inequality | Identity)
    every = [item["certificate"] for item in finding["evidence"] if item["kind"] == "certificate"]
    (certificate,) = (each for each in every if each["type"] == "formula" and each["claim"] == claim.id)
    point = {name: m.number(str(Fraction(value))) for name, value in certificate["variables"].items()}
    named = dict(re.findall(r"(\w+) = ([^,:\s]+)", finding["summary"].partition(": left = ")[0]))
    # A certificate's formulas are written out for a number that says how many terms they have.
    point |= {name: int(named[name]) for name in says.over if name not in point}
    for name, value in certificate["variables"].items():
        assert float(named[name]) == pytest.approx(float(Fraction(value)), rel=1e-6, abs=0)
    for side, formula in (("left", says.left), ("right", says.right)):
        enclosure = m.enclosure(m.of(formula(m, **point)), 25)
        assert f"{side} = {short_number(enclosure)}" in finding["summary"], enclosure


def check_tables(claim: Claim, finding: dict[str, Any], rows: list[list[str]], grid: float) -> None:
    """The exact law of the policy on the two tables of rewards, by the run's own grid, has the number of the instance
    that was refuted."""
    sides: dict[str, list[list[float]]] = {"left": [], "right": []}
    for place, *rewards in rows:
        where, _, side = place.partition(", ")
        first, _, last = where.partition(" to ")
        for each in [side] if side else list(sides):
            sides[each] += [[float(reward) for reward in rewards]] * (int(last or first) - int(first) + 1)
    assert isinstance(claim.says, Private)
    assert claim.subject is not None
    pair = Pair(claim.says.relation, np.array(sides["left"]).T, np.array(sides["right"]).T)
    (every,) = tables(finding, "Every instance")
    refuted = [each for each in every if each[-1] == Verdict.REFUTED and each[4] is not None]
    matched = []
    for instance in claim.params:
        policy = claim.subject(**dict(instance))
        for each in refuted:
            if each[0] == instance_in_words(instance) and policy.horizon >= pair.left.shape[1]:
                curve = claim.says.curve(policy)
                assert curve is not None
                bounds = curve.bounds(exact_profile(policy, pair, grid))
                wanted = [bounds.claimed, bounds.low]
                matched.append([each[2], each[4]] == pytest.approx(wanted, rel=WRITTEN, abs=1e-12))
    assert any(matched), matched


@pytest.mark.audited
def test_whatever_was_refuted_is_so_at_the_inputs_that_are_named() -> None:
    """Formulas at their points, one-shot mechanisms on their inputs, policies on their tables where their law decided
    and the table is whole. Orders and averages name settings: who recomputes these plays the experiment again."""
    if not FINDINGS.is_file():
        pytest.fail(f"{FINDINGS} is missing: `make audit` writes it")
    checked = {"formulas": 0, "steps": 0, "tables": 0}
    document = json.loads(FINDINGS.read_text("utf-8"))
    grid = PROFILES[document["profile"]["name"]].grid
    for finding in document["findings"]:
        claim = ledger().by_id[finding["id"]]
        for rows in tables(finding, STEPS_TITLE):
            checked["steps"] += 1
            check_steps(claim, *tables(finding, "Every instance"), rows)
        if finding["verdict"] != Verdict.REFUTED:
            continue
        if finding["summary"].startswith("violated at "):
            checked["formulas"] += 1
            check_formula(claim, finding)
        for rows in tables(finding, NEIGHBOURS_TITLE):
            if rows[-1][0].endswith(" more") or "exact law" not in finding["rests_on"]:
                continue
            checked["tables"] += 1
            check_tables(claim, finding, rows, grid)
    assert min(checked["formulas"], checked["steps"]) > 0, checked


@pytest.mark.audited
def test_every_refuted_promise_of_privacy_has_its_errors_drawn() -> None:
    """Claimed against exact or certified: something that is certified lies below the claimed curve."""
    if not FINDINGS.is_file():
        pytest.fail(f"{FINDINGS} is missing: `make audit` writes it")
    refuted = [
        finding
        for finding in json.loads(FINDINGS.read_text("utf-8"))["findings"]
        if finding["verdict"] == Verdict.REFUTED and finding["kind"] == "Private"
    ]
    assert refuted
    for finding in refuted:
        (drawn,) = [item for item in finding["evidence"] if item["kind"] == "tradeoff"]
        claimed = np.array(drawn["claimed"])
        certified = [[each["alpha_upper"], each["beta_upper"]] for each in drawn["points"]] + drawn["exact_high"]
        gaps = [np.interp(alpha, *claimed.T) - beta for alpha, beta in certified]
        assert max(gaps) > 0, finding["id"]
