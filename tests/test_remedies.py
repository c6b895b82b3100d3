"""What a remedy costs, and how it is told: numbers that can be worked out by hand."""

from __future__ import annotations

from math import sqrt

import pytest

from dpbandits import Sampler
from dpbandits.audit.cli import remedies
from dpbandits.audit.cli.remedies import MEANS, REGRET_RUNS, Remedy
from dpbandits.proofs_checks.thompson import told

GAP = MEANS[0] - MEANS[1]


def test_the_regret_of_pulls_that_are_certain() -> None:
    """Nine rounds that are all pre-pulls, of three arms: two worse ones, three pulls each."""
    mean, error = remedies.regret(Sampler(9, 3, 3), 5)
    assert mean == pytest.approx(2 * 3 * GAP, rel=1e-12)
    assert error == 0
    assert remedies.regret(Sampler(20, 2, 10), 0)[1] == 0


def test_the_regret_of_a_first_pull_is_a_coin() -> None:
    """One round: each of K arms with the same chance, and the error is that of so many coins."""
    for arms in (2, 4):
        mean, error = remedies.regret(Sampler(1, arms), 5)
        wrong, share = mean / GAP, 1 - 1 / arms
        assert error == pytest.approx(GAP * sqrt(wrong * (1 - wrong) / REGRET_RUNS), rel=1e-9)
        assert abs(wrong - share) < 5.2 * sqrt(share * (1 - share) / REGRET_RUNS)
    assert remedies.regret(Sampler(1, 2), 5) == remedies.regret(Sampler(1, 2), 5) != remedies.regret(Sampler(1, 2), 6)


@pytest.mark.parametrize(
    ("variance", "words"),
    [(12.883922655594036, "12.89"), (1.0, "1"), (1.0001, "1.001"), (99.9951, "100"), (1e6, "1e+06")],
)
def test_a_variance_that_is_told_is_enough(variance: float, words: str) -> None:
    assert told.four_digits_up(variance) == words
    assert float(words) >= variance


def test_how_remedies_are_told() -> None:
    base = Sampler(9, 2)
    found = (
        Remedy("variance", base._replace(variance=12.3456), None, ((1.234, 0.05), (2.5, 0.012), None)),
        Remedy("prepulls", None, base._replace(prepulls=3), ((1.234, 0.05), None, (0.75, 0.0))),
    )
    assert remedies.remedy_table(found, 0.5).splitlines() == [
        f"to reach eps = 0.5; regret: mean over {REGRET_RUNS} runs, arms that pay 1 with probability {MEANS}",
        "     theorem  variance =   12.35   regret 2.5 +- 0.01 instead of 1.23",
        "   certified  no variance does",
        "     theorem  no prepulls does",
        "   certified  prepulls =       3   regret 0.75 in every run instead of 1.23",
    ]
    told = remedies.remedies_as_json(found)["reach"]
    assert [one["what"] for one in told] == ["variance", "prepulls"]
    assert told[0]["theorem"] == base._replace(variance=12.3456)._asdict()
    assert told[0]["certified"] is None
    assert remedies.remedies_as_json(()) == {}


@pytest.mark.parametrize(("arms", "eps"), [(None, 1.0), (2, 0.0), (2, -1.0), (2, float("nan"))])
def test_what_has_no_remedy_is_refused(arms: int | None, eps: float) -> None:
    with pytest.raises(ValueError, match=r"want eps > 0 and a number of arms$"):
        remedies.remedies(Sampler(9, arms), 1e-3, eps)
