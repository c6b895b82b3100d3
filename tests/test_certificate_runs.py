"""Certificates of whole runs: the checker's whole numbers bound the law of all transcripts, and Phi."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from test_certificates import run

from dpbandits.proofs_checks import certificates
from dpbandits.proofs_checks.certificates import CHANCE, FAR, Heaps, phi_bounds, verify


def exact_delta(certificate: dict[str, Any], eps: float) -> float:
    """The largest P_left(S) - e^eps P_right(S), transcript by transcript."""
    c, b, T = (float(Fraction(certificate["policy"]["variance"])), certificate["policy"]["prepulls"],
               certificate["horizon"])  # fmt: skip
    left = [[float(Fraction(value)) for many, value in row for _ in range(many)] for row in certificate["rewards"]]
    right = [list(row) for row in left]
    arm, place = certificate["changed"]
    right[arm][place] = float(Fraction(certificate["becomes"]))
    chances = {}
    for arms in product((0, 1), repeat=T - 2 * b):
        chances[arms] = []
        for table in (left, right):
            chance, pulls, sums = 1.0, [b, b], [sum(row[:b]) for row in table]
            for arm in arms:
                lead = sums[arm] / (pulls[arm] + 1) - sums[1 - arm] / (pulls[1 - arm] + 1)
                spread = math.sqrt(c * (1 / (pulls[0] + 1) + 1 / (pulls[1] + 1)))
                chance *= math.erfc(-lead / spread / math.sqrt(2)) / 2
                sums[arm] += table[arm][pulls[arm]]
                pulls[arm] += 1
            chances[arms].append(chance)
    assert sum(p for p, _ in chances.values()) == pytest.approx(1, rel=1e-12)
    return sum(max(p - math.exp(eps) * q, 0) for p, q in chances.values())


@pytest.mark.parametrize(("prepulls", "variance", "place"), [(0, "1", 0), (0, "0.7", 1), (1, "3/2", 0), (2, "1", 3)])
def test_the_law_of_all_transcripts(prepulls: int, variance: str, place: int) -> None:
    """What is told is at most the truth, and nearly all of it."""
    certificate = run() | {
        "policy": {"name": "gaussian-thompson", "prepulls": prepulls, "variance": variance},
        "horizon": 8,
        "rewards": [[[8, "0"]], [[3, "0.5"], [5, "3/8"]]],
        "changed": [0, place],
        "pulls": 8,
        "step": "1/100",
        "eps": "1/4",
        "variables": {},
    }
    truth = exact_delta(certificate, 0.25)
    assert truth > 0.002
    assert verify(certificate | {"delta": f"{0.995 * truth:.12f}"}).ok
    found = verify(certificate | {"delta": f"{truth + 1e-9:.12f}"})
    assert not found.ok
    assert found.lines[0].startswith("not violated")


@pytest.mark.parametrize("x", [0.0, 1e-9, 0.03125, 0.7, -0.7, 3.3, -5.9, 6.0, -6.0, 11.99, 12.5, -12.5, 40.0, -300.0])
def test_phi_in_whole_numbers(x: float) -> None:
    """The bounds enclose Phi and are as close as their last bits allow."""
    spread = Fraction(7, 3)
    lead = round(x * math.sqrt(spread) * 2**40)
    low, high = phi_bounds(lead, spread * 2**80)
    with mpmath.workdps(60):
        exact = mpmath.ncdf(mpmath.mpf(lead) / mpmath.sqrt(mpmath.mpf(7) / 3 * mpmath.mpf(2) ** 80)) * 2**CHANCE
        assert low <= exact <= high
    assert high - low <= 2
    assert FAR == 12


def test_masses_are_rounded_against_the_attack() -> None:
    """Chances that no whole number of units can hold: left masses fall below the product, right ones rise above it."""
    heap = Heaps(bits=70, heaps=9, step=1.0, negligible=0)
    heap.begin(0, 4)
    chance = (1 << CHANCE) // 3
    for n in range(5):
        heap.move(n, (chance, chance + 1), (chance, chance + 1), 9)
    left, right = (sum((row[side] >> k * heap.wide) & ((1 << heap.wide) - 1) for k in range(9))
                   for row in [heap.rows[5]] for side in (0, 1))  # fmt: skip
    assert left < (1 << 70) / Fraction(3) ** 5 < right
    assert right - left < 2000


def test_what_leaves_the_window_is_in_no_heap() -> None:
    heap = Heaps(bits=70, heaps=4, step=1.0, negligible=0)
    assert heap.moved(1 << 3 * heap.wide, 1) == 0
    assert heap.moved(1 << heap.wide, -2) == 0
    assert heap.moved(1 << heap.wide, 2) == 1 << 3 * heap.wide


def test_a_long_run_ends_with_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "RUN_EFFORT", 20_000)
    long = run() | {"horizon": 100_000, "rewards": [[[100_000, "0"]], [[100_000, "1"]]], "pulls": 1000, "step": "0.01"}
    found = verify(long)
    assert not found.ok
    assert "units of work" in found.lines[0]
