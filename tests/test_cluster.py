"""A cluster of several processes, one of which dies at work: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from toy_page import LEDGER, toys

from dpbandits import QUICK
from dpbandits.audit.runner import run_claims, workers
from dpbandits.audit.runner.documents import serialised
from dpbandits.audit.runner.selection import selected
from dpbandits.audit.runner.workers import MIN_DIVIDED_SECONDS, Unavailable, Workers

pytestmark = pytest.mark.cluster
PAPERS = selected(LEDGER, ["ou24/5.1/316*", "ou24/lemma-1*", "ou24/algorithm-3", "hu25/figure-3a/trend/T=1000"])
DIVIDED = "ou24/corollary-1"


@contextmanager
def cluster(place: Path, min_divided_seconds: float = MIN_DIVIDED_SECONDS) -> Iterator[Workers]:
    """A context manager that provides the workers of a new cluster of three processes."""
    distributed = pytest.importorskip("distributed", reason="make cluster installs it")
    of = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(local_directory=str(place), **of) as made:
        yield Workers(1, "dask", made.scheduler_address, min_divided_seconds)


def test_a_worker_dies_and_the_findings_are_those_of_one_process(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [*PAPERS, *toys("proved", "kills", "refuted")]
    with monkeypatch.context() as harmless:
        harmless.delenv("TOY_LOG")
        harmless.setenv("TOY_FAULTS", "0")
        alone = run_claims.audit(claims, QUICK, out=tmp_path / "alone", ledger=LEDGER)
    monkeypatch.setenv("TOY_FAULTS", "1")
    with cluster(tmp_path / "cluster") as three:
        together = run_claims.audit(claims, QUICK, out=tmp_path / "together", ledger=LEDGER, workers=three)
        checked = Counter(asked())
        assert checked["toy/kills"] == 2
        assert set(checked) == {"toy/proved", "toy/kills", "toy/refuted"}
        assert serialised(together) == serialised(alone)
        for name in ("findings.json", "index.html"):
            assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
        # What came back is kept here: nobody is asked again.
        again = run_claims.audit(claims, QUICK, out=tmp_path / "together", ledger=LEDGER, workers=three)
    assert again == together
    assert asked() == []


def test_a_worker_dies_of_a_task_and_another_one_does_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = selected(LEDGER, [DIVIDED])
    monkeypatch.setattr(workers, "do_task", dying(tmp_path / "log"))
    alone = run_claims.audit(claims, QUICK)
    with cluster(tmp_path / "cluster", 0.0) as three:
        assert run_claims.audit(claims, QUICK, out=tmp_path / "out", workers=three) == alone
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


def test_a_claim_that_kills_every_worker_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    words = "The findings of finished claims are stored"
    with cluster(tmp_path / "cluster") as three, pytest.raises(run_claims.WorkerKilled, match=words):
        run_claims.audit(toys("kills"), QUICK, out=tmp_path / "out", ledger=LEDGER, workers=three)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    pytest.importorskip("distributed", reason="make cluster installs it")
    with pytest.raises(Unavailable, match=r"tcp://127\.0\.0\.1:1: no dask scheduler answers at this address"):
        run_claims.audit(PAPERS[:1], QUICK, workers=Workers(1, "dask", "tcp://127.0.0.1:1", patience=0.2))
