"""What `dpbandits check` prints about power: the range over mechanisms, and what no samples can detect."""

from __future__ import annotations

import pytest

from dpbandits import Finding, Verdict
from dpbandits.extensions.conformance.battery import Judged
from dpbandits.extensions.conformance.results_text import advice_line, check_lines, counts_line, power_line
from dpbandits.reference.claims.findings import Bound, Instance, Power, PrivacyFound, Promise, Sampled, Side


def found(*powers: tuple[float, str]) -> PrivacyFound:
    promise = Promise("1-DP", "eps", 1.0)
    sampled = Sampled(Bound(0.5, Side.BELOW, "eps"), 1.0, False, 1500)
    made = tuple(Power(Bound(value, Side.ABOVE, "eps", 0.1, "delta"), "", kind, 0.9) for value, kind in powers)
    return PrivacyFound((Instance("x", Verdict.CONSISTENT, promise, sampled=sampled, power=made),))


@pytest.mark.parametrize(
    ("powers", "wanted"),
    [
        ((), "Power: none; no violation could have been certified from samples (1500 runs per side)"),
        (
            ((2.5, "Laplace"),),
            "Power: a true eps at delta = 0.1 of about 2.5 would be detected with probability 0.9 (1500 runs per side)",
        ),
        (
            ((5.0, "Gaussian"), (3.112, "randomized response")),
            "Power: a true eps at delta = 0.1 of about 3.11 (randomized response) to 5 (Gaussian) would be detected "
            "with probability 0.9 (1500 runs per side)",
        ),
    ],
)
def test_the_power_is_stated_for_the_mechanisms_that_differ_most(powers, wanted):
    assert power_line(found(*powers)) == wanted


def test_details_are_shown_for_unexpected_results_or_on_request():
    held = Judged("held", Finding("x", Verdict.CONSISTENT, "fine", resolution="small"), "")
    failed = Judged("failed", Finding("x", Verdict.REFUTED, "bad", resolution=""), "")
    known = Judged("known", Finding("x", Verdict.REFUTED, "old", resolution=""), "a known bug")
    lines = [*check_lines([held, failed, known], verbose=False)]
    assert lines == [
        "CONSISTENT  held",
        "REFUTED     failed  (unexpected)",
        "    bad",
        "REFUTED     known  (expected to fail: a known bug)",
    ]
    assert [*check_lines([held], verbose=True)] == ["CONSISTENT  held", "    fine", "    Power: small"]
    assert counts_line([held, failed, known], 4, 10, True) == (
        "3 of 4 checks ran, with at most 10 trials in each game: 1 CONSISTENT, 2 REFUTED; 1 unexpected"
    )
    assert advice_line(200_000, verbose=True) == ""
    assert "-v" in advice_line(200_000, verbose=False)
