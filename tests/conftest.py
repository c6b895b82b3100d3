"""What all tests share: hypothesis without clocks, and pytest's own tester for the plugin."""

from __future__ import annotations

import gc

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester"]

# No time limits: a slow machine is no failed test. Examples are derived from the test's own name, so that two runs
# of the same code try the same ones.
settings.register_profile(
    "dpbandits",
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("dpbandits")

# Syntax trees and exact numbers are many small objects, hardly any of them in cycles: looking for cycles after every
# 700 of them costs a good part of the time.
gc.set_threshold(100_000, 20, 10)


def pytest_collection_finish() -> None:
    """What is imported and collected by now stays to the end: nobody looks for cycles in it any more."""
    gc.freeze()
