"""Estimates the seconds that a smaller bound and an attack will take. The estimate is printed before a long
computation."""

from __future__ import annotations

from dpbandits.extensions.thompson.bound import MAX_RATIO_ROUNDS
from dpbandits.extensions.thompson.rules import Sampler

# Processor seconds of one core of 2024, by whether numba is there: at T = 1000, and the powers of T below and above.
MEASURED = {
    False: {"two or any": 30.0, "given": 100.0},
    True: {"two or any": 25.0, "given": 60.0},
}
SHORT_POWER, LONG_POWER = 1.1, 1.8
CURVES_OF_A_SEARCH = (
    6  # bounds, each of which takes about as long as a bound and an attack, that a calibration computes
)
STATIC_SECONDS = 5.0  # beyond MAX_RATIO_ROUNDS


def expected_seconds(sampler: Sampler, compiled: bool) -> float:
    """Processor seconds, within a factor of about three. compiled: whether numba is installed."""
    if sampler.horizon > MAX_RATIO_ROUNDS:
        return STATIC_SECONDS
    kind = "two or any" if sampler.arms in (2, None) else "given"
    power = SHORT_POWER if sampler.horizon <= 1000 else LONG_POWER
    return MEASURED[compiled][kind] * float((sampler.horizon / 1000) ** power)
