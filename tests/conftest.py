"""What all tests share: hypothesis without clocks, and pytest's own tester for the plugin."""

from __future__ import annotations

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
