"""A cluster of several processes, one of which dies at work: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpbandits import QUICK, Finding
from dpbandits.audit.runner import run_claims, workers
from dpbandits.audit.runner.dispatch import judge
from dpbandits.audit.runner.documents import serialised
from dpbandits.audit.runner.selection import selected
from dpbandits.audit.runner.workers import Unavailable, Workers
from dpbandits.reference.claims.ledger import ledger
from dpbandits.reference.claims.model import Claim

pytestmark = pytest.mark.cluster
CLAIMS = selected(ledger(), ["ou24/5.1/316*", "ou24/lemma-1*", "ou24/algorithm-3", "hu25/figure-3a/trend/T=1000"])
VICTIM = "ou24/algorithm-3"
DIVIDED = "ou24/corollary-1"


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="make cluster installs it")
    place = str(tmp_path_factory.mktemp("cluster"))
    of = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(local_directory=place, **of) as cluster:
        yield cluster.scheduler_address


def logging(log: Path, victim: str) -> Any:
    """The judge, which writes down whom it was asked about; whoever is first asked about the victim dies of it."""

    def judged(claim: Claim, run: Any) -> Finding:
        first = not log.exists() or claim.id not in log.read_text().split()
        with log.open("a") as file:
            file.write(f"{claim.id}\n")
        if claim.id == victim and first:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(claim, run)

    return judged


def test_a_worker_dies_and_the_findings_are_those_of_one_process(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run_claims.audit(CLAIMS, QUICK, out=tmp_path / "alone")
    monkeypatch.setattr(run_claims, "judge", logging(tmp_path / "log", VICTIM))
    together = run_claims.audit(CLAIMS, QUICK, out=tmp_path / "together", workers=Workers(1, "dask", scheduler))
    asked = Counter((tmp_path / "log").read_text().split())
    assert asked[VICTIM] == 2
    assert {claim.id for claim in CLAIMS} <= set(asked)  # and their premises
    assert serialised(together) == serialised(alone)
    for name in ("findings.json", "index.html"):
        assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    # What came back is kept here: nobody is asked again.
    again = run_claims.audit(CLAIMS, QUICK, out=tmp_path / "together", workers=Workers(1, "dask", scheduler))
    assert again == together
    assert Counter((tmp_path / "log").read_text().split()) == asked


def test_a_worker_dies_of_a_task_and_another_one_does_it(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = selected(ledger(), [DIVIDED])
    monkeypatch.setattr(workers, "do_task", dying(tmp_path / "log"))
    alone = run_claims.audit(claims, QUICK)
    assert run_claims.audit(claims, QUICK, out=tmp_path / "out", workers=Workers(1, "dask", scheduler, 0.0)) == alone
    asked = Counter(map(int, (tmp_path / "log").read_text().split()))
    # The task that killed a worker was asked for twice; so may be another, whose result the dead one had not handed on.
    assert asked.pop(1) == 2
    assert set(asked) == set(range(len(claims[0].params))) - {1}
    assert max(asked.values()) <= 2


def dying(log: Path) -> Any:
    """What does a task, and writes down which of DIVIDED; whoever is first asked for its task 1 dies of it.
    In a worker `workers.do_task` is the real one."""

    def noted(job: Any, number: int, home: Any) -> Any:
        if job.claim != DIVIDED:  # a premise
            return workers.do_task(job, number, home)
        first = not log.exists() or f"{number}" not in log.read_text().split()
        with log.open("a") as file:
            file.write(f"{number}\n")
        if number == 1 and first:
            os.kill(os.getpid(), signal.SIGKILL)
        return workers.do_task(job, number, home)

    return noted


def test_a_claim_that_kills_every_worker_ends_the_run_with_a_sentence(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(claim: Claim, run: Any) -> Finding:
        if claim.id == VICTIM:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(claim, run)

    monkeypatch.setattr(run_claims, "judge", deadly)
    with pytest.raises(run_claims.WorkerKilled, match="The findings of finished claims are stored"):
        run_claims.audit([ledger().by_id[VICTIM]], QUICK, out=tmp_path, workers=Workers(1, "dask", scheduler))


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    pytest.importorskip("distributed", reason="make cluster installs it")
    with pytest.raises(Unavailable, match=r"tcp://127\.0\.0\.1:1: no dask scheduler answers at this address"):
        run_claims.audit(CLAIMS[:1], QUICK, workers=Workers(1, "dask", "tcp://127.0.0.1:1", patience=0.2))
