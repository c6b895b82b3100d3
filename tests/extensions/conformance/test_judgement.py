"""The sentence that closes a battery, and a battery of a few checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dpbandits import Finding, Verdict
from dpbandits.audit.cli.command_line import main
from dpbandits.audit.cli_shared.outcomes import judgements, outcomes_of
from dpbandits.audit.statistics.e_values import caught_shifts
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.results_text import judgement
from dpbandits.reference.claims.model import HOLDS, UNTESTED

THOMPSON = str(Path(__file__).parents[3] / "examples" / "thompson.py")


def said(*outcomes: tuple[str, Verdict]) -> str:
    return judgement([Judged(name, Finding("x", verdict, ""), "") for name, verdict in outcomes], "mine", "theirs")


@pytest.mark.parametrize(
    ("outcomes", "wanted"),
    [
        ([("page law", Verdict.CONSISTENT)], "mine agrees with the distribution of theirs"),
        ([("page law", Verdict.NOT_APPLICABLE)], "mine was not compared with the distribution of theirs"),
        ([("protocol", Verdict.REFUTED)], "mine was not compared with the distribution of theirs; fails protocol"),
        (
            [("page law (2 arms)", Verdict.CONSISTENT), ("page law (3 arms)", Verdict.REFUTED)],
            "mine does not have the distribution of theirs",
        ),
        (
            [
                ("page law", Verdict.CONSISTENT),
                ("a/1 (2 arms)", Verdict.NOT_EXERCISED),
                ("a/1 (3 arms)", Verdict.CONSISTENT),
                ("a/2", Verdict.PROVED),
                ("a/3 (2 arms)", Verdict.CONSISTENT),
                ("a/3 (3 arms)", Verdict.REFUTED),
                ("a/4", Verdict.NOT_EXERCISED),
                ("regret", Verdict.REFUTED),
            ],
            "mine agrees with the distribution of theirs; violates a/3; no violation found of a/1 and a/2; "
            "not tested: a/4; fails regret",
        ),
    ],
)
def test_the_sentence_says_the_worst_of_each_check(outcomes, wanted):
    assert said(*outcomes) == wanted


def test_the_sentence_names_the_largest_shift_that_may_have_been_missed():
    shifts = [caught_shifts(trials, 5, 8, arms, 1e-9, 0.0, trials * 8) for arms, trials in ((2, 20_000), (3, 2_000))]
    words = "by 9 in all 8 steps"  # which decide nothing
    seen = [
        Judged("page law", Finding("x", Verdict.CONSISTENT, "", resolution=words, body=body), "") for body in shifts
    ]
    assert shifts[0].every_step < shifts[1].every_step
    near = f"a deviation of {shifts[1].every_step:.2g} in every step would be detected"
    told = f"mine agrees with the distribution of theirs ({near})"
    assert judgement(seen, "mine", "theirs") == told


def test_own_subjects_are_judged_by_promise_and_the_papers_are_left_out():
    def entry(name: str, verdict: Verdict, subject: str, promise: str = "") -> dict[str, Any]:
        own = {"own": {"subject": subject, "promise": promise}} if subject else {}
        return {"id": name, "verdict": str(verdict), **own}

    entries = [
        entry("own/Mine@test.py::a", Verdict.REFUTED, "Mine(3)", "(1, 0)-DP"),
        entry("own/Mine@test.py::b", Verdict.CONSISTENT, "Mine(3)", "2-GDP"),
        entry("ou24/lemma-3@test.py::b", Verdict.NOT_EXERCISED, "Mine(3)", "ou24/lemma-3"),
        entry("ou24/lemma-3", Verdict.REFUTED, ""),
        entry("own/Mine@test.py::c", Verdict.CONSISTENT, "x" * 100, "2-GDP"),
    ]
    assert judgements(entries) == [
        "Mine(3): violates (1, 0)-DP; no violation found of 2-GDP; not tested: ou24/lemma-3",
        f"{'x' * 80}...: no violation found of 2-GDP",
    ]


def test_every_verdict_is_a_refutation_or_holds_or_tested_nothing():
    outcomes = outcomes_of((verdict, verdict) for verdict in Verdict)
    assert outcomes.broken == (Verdict.REFUTED,)
    assert set(outcomes.held) == HOLDS
    assert set(outcomes.untested) == UNTESTED


def check(*options: str) -> str:
    line = ["check", "--page", "ou24", "--arms", "2", "--horizon", "3", "--trials", "2000", *options]
    result = CliRunner().invoke(main, line)
    assert result.exit_code in (0, 1, 2)
    return f"{result.exit_code} {result.output}"


@pytest.mark.thorough
def test_only_some_checks_are_made_and_the_sentence_closes_them():
    right, wrong = (check("--only", "page law", "--", "python", THOMPSON, *bug) for bug in ((), ("--bug",)))
    assert right.startswith(f"0 python {THOMPSON} agrees with the distribution of ou24")
    assert wrong.startswith(f"1 python {THOMPSON} --bug does not have the distribution of ou24")
    for text in (right, wrong):
        assert "2 of 2 checks ran" in text
        assert "regret" not in text


def test_a_check_that_is_none_is_named_with_those_that_are():
    text = check("--only", "page", "--", "python", THOMPSON)
    assert text.startswith("2 ")
    assert "--only 'page': unknown check; known checks: protocol, repeats, blocks, page law" in " ".join(text.split())
