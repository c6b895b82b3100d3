"""A cluster of several processes, one of which dies at work: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpbandits.audit.effort import QUICK
from dpbandits.audit.play import pieces
from dpbandits.audit.privacy import samples
from dpbandits.audit.run import cases, divided
from dpbandits.audit.run.dispatch import judge
from dpbandits.audit.run.documents import serialised
from dpbandits.audit.run.plan import Plan
from dpbandits.audit.run.selection import selected
from dpbandits.audit.run.workers import Unavailable, Workers
from dpbandits.reference.ledger import Claim, Finding
from dpbandits.reference.library import ledger

pytestmark = pytest.mark.cluster
CLAIMS = selected(ledger(), ["ou24/5.1/316*", "ou24/lemma-1*", "ou24/algorithm-3", "hu25/figure-3a/trend/T=1000"])
VICTIM = "ou24/algorithm-3"
SMALL = 4e5  # of a block of trials


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="make cluster installs it")
    place = str(tmp_path_factory.mktemp("cluster"))
    of = {"n_workers": 3, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(local_directory=place, **of) as cluster:
        yield cluster.scheduler_address


def logging(log: Path, victim: str) -> Any:
    """The judge, which writes down whom it was asked about; whoever is first asked about the victim dies of it."""

    def judged(claim: Claim, run: Any, subject: Any = None) -> Finding:
        first = not log.exists() or claim.id not in log.read_text().split()
        with log.open("a") as file:
            file.write(f"{claim.id}\n")
        if claim.id == victim and first:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(claim, run, subject)

    return judged


def test_a_worker_dies_and_the_findings_are_those_of_one_process(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = cases.audit(CLAIMS, QUICK, out=tmp_path / "alone")
    monkeypatch.setattr(cases, "judge", logging(tmp_path / "log", VICTIM))
    together = cases.audit(CLAIMS, QUICK, out=tmp_path / "together", workers=Workers(1, "dask", scheduler))
    asked = Counter((tmp_path / "log").read_text().split())
    assert asked[VICTIM] == 2
    assert {claim.id for claim in CLAIMS} <= set(asked)  # and their premises
    assert serialised(together) == serialised(alone)
    for name in ("findings.json", "index.html"):
        assert (tmp_path / "together" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    # What came back is kept here: nobody is asked again.
    again = cases.audit(CLAIMS, QUICK, out=tmp_path / "together", workers=Workers(1, "dask", scheduler))
    assert again == together
    assert Counter((tmp_path / "log").read_text().split()) == asked


def in_blocks(log: Path, victim: int) -> Any:
    """The judge on workers where few trials are many blocks; whoever is first asked for this piece dies of it."""

    def judged(claim: Claim, run: Any, subject: Any = None) -> Finding:
        samples.BLOCK = SMALL
        asked = pieces.ASKED.get()
        if isinstance(asked, int):
            first = not log.exists() or f"{asked}" not in log.read_text().split()
            with log.open("a") as file:
                file.write(f"{asked}\n")
            if asked == victim and first:
                os.kill(os.getpid(), signal.SIGKILL)
        return judge(claim, run, subject)

    return judged


@pytest.mark.parametrize("victim", [0, 4])  # a search, and a block
def test_a_worker_dies_in_a_piece_and_another_one_does_it(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: int
) -> None:
    claims = selected(ledger(), ["hu25/theorem-4.4/samples"])
    alone = cases.audit(claims, QUICK)
    monkeypatch.setattr(samples, "BLOCK", SMALL)
    monkeypatch.setattr(divided, "LONG", 0.0)
    monkeypatch.setattr(cases, "judge", in_blocks(tmp_path / "log", victim))
    many = len(divided.counted({"it": claims}, Plan(ledger(), QUICK, 0), cases.judge)["it"])
    assert many > 2 + 8
    assert cases.audit(claims, QUICK, out=tmp_path / "out", workers=Workers(1, "dask", scheduler)) == alone
    asked = Counter(map(int, (tmp_path / "log").read_text().split()))
    assert asked == {number: 1 + (number == victim) for number in range(many)}


def test_a_claim_that_kills_every_worker_ends_the_run_with_a_sentence(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deadly(claim: Claim, run: Any, subject: Any = None) -> Finding:
        if claim.id == VICTIM:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(claim, run, subject)

    monkeypatch.setattr(cases, "judge", deadly)
    with pytest.raises(cases.WorkerKilled, match="what is finished is kept"):
        cases.audit([ledger().by_id[VICTIM]], QUICK, out=tmp_path, workers=Workers(1, "dask", scheduler))


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="make cluster installs it")
    monkeypatch.setattr("dpbandits.audit.run.workers.PATIENCE", 0.2)
    with pytest.raises(Unavailable, match=r"tcp://127\.0\.0\.1:1: no dask scheduler answers there"):
        cases.audit(CLAIMS[:1], QUICK, workers=Workers(1, "dask", "tcp://127.0.0.1:1"))
