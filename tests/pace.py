"""How long work takes here, in units of a fixed piece of work: a limit on this means the same on a slow machine, and on
one that others keep busy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import process_time
from typing import TypeVar

Found = TypeVar("Found")
TRIES = 3  # a machine may stumble; what is slow is slow each time


def unit() -> float:
    """Processor seconds of the fixed work: some 0.022 on the machine whose seconds the limits were."""
    start = process_time()
    rest = 1
    for number in range(200_000):
        rest = (rest * 48_271 + number) % 2_147_483_647
    assert rest
    return process_time() - start


@cache
def quiet() -> float:
    """A unit when nothing was to be doubted: measured once."""
    return unit()


def paced(work: Callable[[], Found], limit: float) -> tuple[float, Found]:
    """What the work takes, in units, and what it returns. Where that is above the limit it is measured again, between
    two units, and the least counts."""
    start = process_time()
    found = work()
    least = (process_time() - start) / quiet()
    for _ in range(TRIES):
        if least < limit:
            break
        before, start = unit(), process_time()
        work()
        took = process_time() - start
        least = min(least, took / max(before, unit()))
    return least, found
