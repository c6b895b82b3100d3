"""What all tests share: hypothesis without clocks, and pytest's own tester for the plugin."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester", "vacuity"]

# No time limits: a slow machine is no failed test. Examples are derived from the test's own name, so that two runs
# of the same code try the same ones.
settings.register_profile(
    "dpbandits", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("dpbandits")

# Syntax trees and exact numbers are many small objects, hardly any of them in cycles: looking for cycles after every
# 700 of them costs a good part of the time.
gc.set_threshold(100_000, 20, 10)


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays to the end: nobody looks for cycles in it any more."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test with the mark `first(n)`, the cases after the first n are `thorough`: `make test` leaves them out."""
    met = Counter[str]()
    for item in items:
        mark, name = item.get_closest_marker("first"), item.nodeid.partition("[")[0]
        if mark is not None:
            met[name] += 1
            if met[name] > mark.args[0]:
                item.add_marker("thorough")


plain_approx = pytest.approx
LOOSER = 100.0  # so many times a default may be looser than what is asked for


def approx(expected: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> Any:
    """pytest's approx, which holds any two numbers below 1e-12 equal unless it is told otherwise: it must be told."""
    if abs is None:
        values = np.abs(np.asarray(list(expected.values()) if isinstance(expected, dict) else expected) * 1.0)
        smallest = values[values > 0].min(initial=np.inf)
        if (1e-6 if rel is None else rel) * smallest * LOOSER < 1e-12:
            raise ValueError(f"approx({expected!r}): its default abs=1e-12 is no small part of {smallest}; give abs=")
    return plain_approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)


pytest.approx = approx


@pytest.fixture
def toy_log(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which checks of the toy claims (`tests/toy`) add a line each, with the claim and the process.
    Checks in another process do so if it starts during the test."""
    log = tmp_path_factory.mktemp("toy") / "log"
    log.touch()
    monkeypatch.setenv("TOY_LOG", str(log))
    return log


@pytest.fixture
def asked(toy_log: Path) -> Callable[[], list[str]]:
    """A function that returns the ids of the toy claims that were checked since its last call, in order."""
    seen = 0

    def new() -> list[str]:
        nonlocal seen
        lines = toy_log.read_text().splitlines()
        ids, seen = [line.split()[0] for line in lines[seen:]], len(lines)
        return ids

    return new


@pytest.fixture(scope="session")
def loaded_pictures() -> None:
    """What draws the report's pictures is loaded."""
    import_module("dpbandits.reports.vector")


@pytest.fixture
def pytester(loaded_pictures: None, pytester: pytest.Pytester) -> pytest.Pytester:
    """pytest's own. Its sessions forget the modules that they import first; matplotlib, half of it loaded for a second
    time, would draw nothing in the tests that follow."""
    return pytester
