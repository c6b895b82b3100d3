"""Code that behaves otherwise on symbols than on numbers is not proved, however improbable the runs that show it; code
that asks the same questions and is private is proved."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest
from noticing_policies import (
    COUNTS,
    IN_DATA,
    OBJECTS,
    PROTOCOL,
    Agent,
    Noticing,
    leaks_by,
    leaks_in_some_run,
    leaks_where,
)
from test_alignment_draws import Code

from dpbandits import from_object
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound


@pytest.mark.parametrize("asks", OBJECTS.values(), ids=OBJECTS)
def test_code_that_notices_symbols_is_refused(asks: Any) -> None:
    assert alignment_bound(Code(leaks_where(asks))).outcome is Outcome.NOT_LINEAR


@pytest.mark.parametrize("data", IN_DATA.values(), ids=IN_DATA)
def test_code_that_computes_with_a_type_is_refused(data: Any) -> None:
    found = alignment_bound(Code(leaks_by(data)))
    assert found.outcome is Outcome.NOT_LINEAR
    assert "noticing_policies.py:" in found.reason


@pytest.mark.parametrize("count", COUNTS.values(), ids=COUNTS)
def test_code_that_counts_its_runs_or_reads_clocks_is_refused(count: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("DPBANDITS_CALLS", "0")
    assert alignment_bound(Code(leaks_in_some_run(count))).outcome is Outcome.NOT_LINEAR


@pytest.mark.parametrize("asks", PROTOCOL.values(), ids=PROTOCOL)
def test_policies_that_notice_symbols_are_refused(asks: Any) -> None:
    assert alignment_bound(Noticing(2, 3, asks=asks)).outcome is Outcome.NOT_LINEAR


def no(*given: Any) -> bool:
    return False


@pytest.mark.parametrize(
    "policy",
    [
        Code(leaks_where(no)),
        Code(leaks_by(lambda reward, rng: 0 * reward)),
        Code(leaks_in_some_run(lambda: 0)),
        Noticing(2, 3),
        from_object(Agent, Agent.select, Agent.update, arms=2, horizon=4),
    ],
    ids=["of an object", "in data", "of runs", "of a policy", "that only branches"],
)
def test_code_that_asks_and_does_not_leak_is_proved(policy: Any) -> None:
    found = alignment_bound(policy)
    assert (found.outcome, found.cost, found.reason) == (Outcome.BOUND, 1, "")


def test_a_clock_that_is_read_when_garbage_is_collected_is_not_the_codes() -> None:
    """Hypothesis and other packages read one whenever garbage is collected, which may be in the middle of a step."""
    called, usual = [], gc.get_threshold()

    def read_a_clock(phase: str, info: Any) -> None:
        called.append(time.perf_counter())

    gc.callbacks.append(read_a_clock)
    gc.set_threshold(1)
    try:
        found = alignment_bound(Code(leaks_where(no)))
    finally:
        gc.set_threshold(*usual)
        gc.callbacks.remove(read_a_clock)
    assert called
    assert (found.outcome, found.reason) == (Outcome.BOUND, "")
