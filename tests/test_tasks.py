"""A claim whose tasks several workers share comes out as one that one process judges, byte for byte."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

from dpbandits import QUICK, Bernoulli, Verdict
from dpbandits.audit.judges.effort import Plan
from dpbandits.audit.runner import dispatch, run_claims, workers
from dpbandits.audit.runner.documents import serialised
from dpbandits.audit.runner.workers import Calls, Parallel, Results, Workers
from dpbandits.reference.bandits.quantities import REGRET
from dpbandits.reference.claims.ledger import Ledger, ledger
from dpbandits.reference.claims.model import Claim, Fault, Harm, Ordering, Reading, Source
from dpbandits.reference.papers.auer02 import UCB1
from dpbandits.reference.papers.ou24 import ThompsonSampling

TINY = replace(QUICK, name="tiny", trials=2_000, steps=20_000, pair_effort=4, pair_tries=2, regret_runs=40)
SETTINGS = {
    "two arms": (ThompsonSampling(2, 20), Bernoulli((0.75, 0.25))),
    "three arms": (ThompsonSampling(3, 20), Bernoulli((0.75, 0.5, 0.25))),
    "three arms, longer": (ThompsonSampling(3, 30), Bernoulli((0.75, 0.5, 0.25))),
}
WRONG = {"reading": Reading.OURS, "expect": Verdict.REFUTED, "fault": Fault.FALSE, "harm": Harm.NONE}


def claim(name: str, says: Any, **fields: Any) -> Claim:
    return Claim(f"toy/{name}", Source("toy", name, ""), says, **{"expect": Verdict.CONSISTENT, **fields})


LEMMA_3, THEOREM_1 = ledger().by_id["ou24/lemma-3"].says, ledger().by_id["auer02/theorem-1"].says
HORIZONS = tuple({"arms": 2, "horizon": horizon} for horizon in (2, 3))
PLAYED = tuple({"arms": 2, "horizon": horizon, "environment": Bernoulli((0.9, 0.1))} for horizon in (150, 170, 190))
TOO_MANY = {**PLAYED[1], "environment": Bernoulli((0.9, 0.1, 0.1))}
SHRUNK = partial(ThompsonSampling, spread=partial(np.power, 1e-3))
NOT_PRIVATE = claim("not-private", LEMMA_3, subject=SHRUNK, params=HORIZONS, **WRONG)
REGRETS = claim("regret", THEOREM_1, subject=UCB1, params=PLAYED)
TOYS = (
    NOT_PRIVATE,
    REGRETS,
    claim("order", Ordering(REGRET, SETTINGS, (("three arms", "three arms, longer"),), 1)),
    claim("same-order", Ordering(REGRET, SETTINGS, (("three arms, longer", "three arms"),), 1), **WRONG),
    claim("few-repetitions", Ordering(REGRET, SETTINGS, (("three arms", "two arms"),), 100)),
)
EVERY = Ledger.of(TOYS)
TASKS = {"toy/not-private": 2, "toy/regret": 3, "toy/order": 3}  # the experiment is played once


@pytest.fixture
def done() -> list[tuple[str, int]]:
    """The tasks that `shared` workers have done, by claim and number."""
    return []


@pytest.fixture
def shared(done: list[tuple[str, int]]) -> Workers:
    """Two workers that are this process: they make the calls in another order."""

    def swapped(calls: Calls) -> Results:
        for number in sorted(range(len(calls)), key=lambda number: (number % 2, -number)):
            if calls[number].func is workers.do_task:
                job, task, _ = calls[number].args
                done.append((job.claim.id, task))
            yield number, calls[number]()

    class Swapped(Workers):
        @contextmanager
        def parallel(self) -> Iterator[tuple[Parallel, int]]:
            yield swapped, 2

    return Swapped(2)


@pytest.fixture(scope="module")
def one() -> Iterator[dict[str, Any]]:
    """What one process finds."""
    return run_claims.audit(TOYS, TINY, ledger=EVERY)


def test_these_claims_have_verdicts_pictures_and_certificates(one: dict[str, Any]) -> None:
    """Else the tests below would compare little."""
    assert one["errors"] == []
    assert {found["verdict"] for found in one["findings"]} >= {"CONSISTENT", "REFUTED", "NOT_EXERCISED"}
    kinds = {item["kind"] for found in one["findings"] for item in found["evidence"]}
    assert kinds >= {"regret", "lines", "certificate", "tradeoff", "table"}


def test_with_shared_tasks_the_findings_are_the_same(
    shared: Workers, done: list[tuple[str, int]], one: dict[str, Any], tmp_path: Path
) -> None:
    assert run_claims.audit(TOYS, TINY, ledger=EVERY, out=tmp_path, workers=shared) == one
    assert sorted(done) == sorted((name, number) for name, many in TASKS.items() for number in range(many))
    assert (tmp_path / "findings.json").read_text() == serialised(one)
    assert {path.stem for path in (tmp_path / "cases").iterdir()} == {each.id.replace("/", "__") for each in TOYS}
    done.clear()
    assert run_claims.audit(TOYS, TINY, ledger=EVERY, out=tmp_path, workers=shared) == one  # all is read back
    assert done == []


@pytest.mark.thorough
def test_two_processes_find_what_one_does(one: dict[str, Any]) -> None:
    assert run_claims.audit(TOYS, TINY, ledger=EVERY, jobs=2) == one


def test_a_task_that_fails_is_an_error_of_its_claim_alone(shared: Workers, tmp_path: Path) -> None:
    """Also one that cannot even be asked for; no part of it is kept."""
    broken = replace(REGRETS, id="toy/broken", params=(PLAYED[0], TOO_MANY, PLAYED[2]))
    nowhere = replace(REGRETS, id="toy/nowhere", params=(PLAYED[0], {"arms": 2, "horizon": 150}))
    order = replace(TOYS[2], says=replace(TOYS[2].says, pairs=(("three arms", "none"),)), id="toy/no-setting")
    every = Ledger.of((REGRETS, TOYS[2], broken, nowhere, order))
    found = run_claims.audit(every.claims, TINY, ledger=every, out=tmp_path, workers=shared)
    errors = {error["id"]: error["error"] for error in found["errors"]}
    assert set(errors) == {"toy/broken", "toy/nowhere", "toy/no-setting"}
    assert "the policy has arms = 2, but the environment has arms = 3" in errors["toy/broken"]
    assert 'has no "environment"; give it one' in errors["toy/nowhere"]
    assert "pairs contains 'none', but there is no setting with this name" in errors["toy/no-setting"]
    assert {each["id"] for each in found["findings"]} == {"toy/regret", "toy/order"}
    assert {path.stem for path in (tmp_path / "cases").iterdir()} == {"toy__regret", "toy__order"}


def test_what_cannot_be_sent_is_done_at_home() -> None:
    assert workers.pickled(Lock()) is None
    run = Plan(EVERY, TINY, 0).run(REGRETS)
    group = workers.JobGroup([REGRETS], [workers.Job(REGRETS, run, None)])
    assert group.divide() == []
    calls = group.calls(workers.Origin(None, os.getpid()))
    assert len(calls) == len(PLAYED)
    (case,) = (case for call in calls for case in call.take(workers.TaskResult(None, "", 0.0)))
    assert case.finding == dispatch.rounded_finding(dispatch.judge(REGRETS, run))


def test_results_of_tasks_are_small() -> None:
    """They pass between processes, and between machines."""
    run = Plan(EVERY, TINY, 0).run(NOT_PRIVATE)
    for each in (NOT_PRIVATE, REGRETS):
        found = dispatch.split_claim(each, run)
        assert found is not None
        sent = workers.pickled(found.tasks[0]())
        assert sent is not None
        assert len(sent) < 200_000
        assert pickle.loads(sent)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_who_interrupts_a_division_is_heard_and_a_claim_that_fails_at_it_fails_alone(
    error: type[BaseException],
) -> None:
    def broken(**_: Any) -> Any:
        raise error("while it divides")

    odd = replace(NOT_PRIVATE, subject=broken)
    every = [odd, claim("private", LEMMA_3, subject=ThompsonSampling, params=HORIZONS)]
    plan = Plan(EVERY, TINY, 0)
    group = workers.JobGroup(every, [workers.Job(each, plan.run(each), None) for each in every])
    if error is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            group.divide()
    else:
        (failed,) = group.divide()
        assert failed.claim == NOT_PRIVATE.id
        assert "ZeroDivisionError: while it divides" in failed.error
