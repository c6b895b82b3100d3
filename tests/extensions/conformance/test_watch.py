"""Work in a thread that is used again: everything is as in a thread of its own, and nobody waits for a lost one."""

from __future__ import annotations

import sys
import threading
from contextvars import ContextVar
from time import monotonic, sleep
from types import FrameType
from typing import ClassVar

import pytest

from dpbandits.extensions.conformance.watch import (
    MAX_SHARED_DEPTH,
    MAX_SHARED_VALUES,
    Watch,
    containers_within,
    shared_by,
)

KEPT = ContextVar("kept", default="nothing")
LONG = 300.0


def silent() -> Exception:
    return TimeoutError("silent")


def thread_of_work(patience: float = LONG) -> int:
    return Watch().run(threading.get_ident, patience, silent)


def test_one_thread_does_one_work_after_another() -> None:
    first = thread_of_work()
    assert first != threading.get_ident()
    assert thread_of_work() == first


def test_work_within_work_has_another_thread() -> None:
    outer, inner = Watch().run(lambda: (threading.get_ident(), thread_of_work()), LONG, silent)
    assert outer != inner


def test_exceptions_are_those_of_the_work() -> None:
    def fails() -> None:
        raise KeyError("the work's own")

    with pytest.raises(KeyError, match="the work's own"):
        Watch().run(fails, LONG, silent)
    assert thread_of_work()


def test_no_context_variable_is_kept() -> None:
    Watch().run(lambda: KEPT.set("something"), LONG, silent)
    assert Watch().run(KEPT.get, LONG, silent) == "nothing"


def test_work_is_traced_as_in_a_new_thread() -> None:
    """Otherwise the record of what a policy executes would be empty, and agree with any other."""
    thread_of_work()  # there is a thread that was started without a trace
    entered: list[str] = []

    def trace(frame: FrameType, event: str, arg: object) -> None:
        entered.append(frame.f_code.co_name)

    def work() -> None:
        return None

    before = threading.gettrace()
    threading.settrace(trace)
    try:
        Watch().run(work, LONG, silent)
    finally:
        threading.settrace(before)  # type: ignore[arg-type]
    assert "work" in entered
    entered.clear()
    Watch().run(work, LONG, silent)
    assert not entered


def test_a_lost_thread_does_no_other_work() -> None:
    released, lost = threading.Event(), []

    def hangs() -> None:
        lost.append(threading.get_ident())
        released.wait()

    with pytest.raises(TimeoutError, match="silent"):
        Watch().run(hangs, 0.01, silent)
    assert thread_of_work() not in lost
    released.set()
    until = monotonic() + LONG
    while any(each.ident in lost for each in threading.enumerate()) and monotonic() < until and sys.gettrace() is None:
        sleep(0.001)
    assert sys.gettrace() is not None or not any(each.ident in lost for each in threading.enumerate())


def test_a_thread_that_nothing_ends_sleeps() -> None:
    watch, left = Watch(), []

    def deaf() -> None:
        left.append(threading.get_ident())
        watch.leave(ValueError("nothing ends it"))

    with pytest.raises(ValueError, match="nothing ends it"):
        watch.run(deaf, LONG, silent)
    assert thread_of_work() not in left


class Owner:
    """Has what it is given, and a list that all of its kind share."""

    shared: ClassVar[list[int]] = [1]

    def __init__(self, own: object) -> None:
        self.own = own


def names_within(own: object) -> list[str]:
    return [name for _, (name, _) in containers_within(Owner(own)) if name.startswith(".own")]


def test_containers_are_found_in_containers_down_to_a_depth() -> None:
    nested: list[object] = []
    for _ in range(MAX_SHARED_DEPTH + 3):
        nested = [nested]
    assert names_within(nested) == [f".own{'[0]' * depth}" for depth in range(MAX_SHARED_DEPTH)]
    assert names_within({"a": [1], "b": Owner({})}) == [".own", ".own['a']", ".own['b'].own"]


def test_what_contains_itself_and_what_is_large_is_searched_in_part() -> None:
    loop: list[object] = []
    loop.extend([loop, loop])
    assert 1 < len(names_within(loop)) < 2 * MAX_SHARED_VALUES
    wide = [[[k] for k in range(10)] for _ in range(MAX_SHARED_VALUES)]
    assert MAX_SHARED_VALUES <= len(names_within(wide)) < MAX_SHARED_VALUES + 20


def test_what_two_objects_share_is_named_and_its_changes_are_seen() -> None:
    held = {"a": [1]}
    shared = shared_by([Owner([held]), Owner([held])])
    assert [each.name for each in shared] == ["Owner.shared", ".own[0]", ".own[0]['a']"]
    held["b"] = [2]  # a dict may grow
    assert not any(each.changed() for each in shared)
    held["a"].append(2)
    assert [each.name for each in shared if each.changed()] == [".own[0]", ".own[0]['a']"]
    assert shared_by([Owner([held])]) == []
