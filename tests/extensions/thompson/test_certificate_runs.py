"""Certificates of whole runs: the checker's whole numbers bound the law of all transcripts, and Phi."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import ndtr
from test_certificates import run

from dpbandits.extensions.thompson.checking import RUN
from dpbandits.extensions.thompson.run_checker import pull_chances
from dpbandits.extensions.thompson.run_checker.pull_chances import (
    CHANCE,
    PHI_CUTOFF,
    POINT,
    phi_bounds,
    scaled_quotient,
)
from dpbandits.extensions.thompson.run_checker.runs import Heaps, RunTables
from dpbandits.proofs_checks.certificates import verify_any as verify
from dpbandits.proofs_checks.checker import verification as checker_verification
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law


def exact_delta(certificate: dict[str, Any], eps: float) -> float:
    """The largest P_left(S) - e^eps P_right(S), transcript by transcript."""
    c, b, T = (float(Fraction(certificate["policy"]["variance"])), certificate["policy"]["prepulls"],
               certificate["horizon"])  # fmt: skip
    left = [[float(Fraction(value)) for many, value in row for _ in range(many)] for row in certificate["rewards"]]
    right = [list(row) for row in left]
    arm, place = certificate["changed"]
    right[arm][place] = float(Fraction(certificate["becomes"]))
    K, by_round = len(left), certificate["relation"] == "round"
    chances = {}
    for arms in product(range(K), repeat=T - K * b):
        chances[arms] = []
        for table in (left, right):
            chance, pulls, sums = 1.0, [0] * K, [0.0] * K
            for t, arm in enumerate([a for a in range(K) for _ in range(b)] + list(arms)):
                if t >= K * b:
                    chance *= law(tuple(pulls), tuple(sums), c)[arm]
                sums[arm] += table[arm][t if by_round else pulls[arm]]
                pulls[arm] += 1
            chances[arms].append(chance)
    assert sum(p for p, _ in chances.values()) == pytest.approx(1, rel=1e-10)
    return sum(max(p - math.exp(eps) * q, 0) for p, q in chances.values())


@cache
def law(pulls: tuple[int, ...], sums: tuple[float, ...], c: float) -> list[float]:
    """The chance of each arm: for two of them in one line, else by the project's own law of maxima."""
    if len(pulls) == 2:
        lead = sums[0] / (pulls[0] + 1) - sums[1] / (pulls[1] + 1)
        spread = math.sqrt(c * (1 / (pulls[0] + 1) + 1 / (pulls[1] + 1)))
        return [math.erfc(sign * lead / spread / math.sqrt(2)) / 2 for sign in (-1, 1)]
    counts = np.array([pulls]) + 1
    return [float(x) for x in argmax_law(np.array([sums]) / counts, np.sqrt(c / counts))[0]]


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
    assert found.lines[0].startswith("(eps, delta)-DP is not violated")


@pytest.mark.parametrize(("relation", "rows", "prepulls", "changed", "T"), [
    ("round", [[[8, "1/2"]], [[3, "0.5"], [5, "3/8"]]], 0, [0, 0], 8),
    ("round", [[[8, "0"]], [[3, "0.5"], [5, "1"]]], 1, [1, 1], 8),
    ("pull", [[[5, "1/2"]], [[5, "0"]], [[2, "0.5"], [3, "0"]]], 0, [1, 0], 5),
    ("pull", [[[5, "0"]], [[5, "3/4"]], [[5, "3/4"]]], 0, [0, 0], 5),
    ("round", [[[5, "3/4"]], [[5, "0"]], [[5, "3/4"]]], 0, [1, 0], 5),
    ("round", [[[9, "3/4"]], [[9, "0"]], [[9, "3/4"]]], 2, [2, 5], 9),
    ("pull", [[[4, "0"]], [[4, "3/4"]], [[4, "3/4"]], [[4, "3/4"]]], 0, [0, 0], 4),
])  # fmt: skip
@pytest.mark.first(1)
def test_the_law_of_all_transcripts_with_any_arms(
    relation: str, rows: list[Any], prepulls: int, changed: list[int], T: int
) -> None:
    """Both relations; three arms and four, those that pay alike thrown together; pre-pulls that lie in the rounds."""
    certificate = run() | {
        "policy": {"name": "gaussian-thompson", "prepulls": prepulls, "variance": "0.7"},
        "relation": relation,
        "horizon": T,
        "rewards": rows,
        "changed": changed,
        "becomes": "1",
        "pulls": T,
        "step": "1/100",
        "eps": "1/10",
        "variables": {},
    }
    truth = exact_delta(certificate, 0.1)
    assert truth > 0.002
    assert verify(certificate | {"delta": f"{0.995 * truth:.12f}"}).ok
    found = verify(certificate | {"delta": f"{truth + 1e-9:.12f}"})
    assert not found.ok
    assert found.lines[0].startswith("(eps, delta)-DP is not violated")


@pytest.mark.parametrize(
    "arms", [((0, 0), (1, 8), (2, 3)), ((1, 0), (40, 300), (3, 3), (3, 20)), ((30, 100), (0, 0), (1, 0))]
)
@pytest.mark.thorough
def test_the_largest_of_some_normals_in_whole_numbers(arms: tuple[tuple[int, int], ...]) -> None:
    """Pulls and totals in eighths: enclosed, and closely; Gauss's rule in 30 digits knows the integral as well."""
    run = RunTables([], [], "pull", 8, Fraction(7, 10), 9, False)
    found = run.chances(list(arms))
    assert sum(low for low, _ in found) <= 1 << CHANCE <= sum(high for _, high in found)
    assert all(high - low <= 2 for low, high in found)
    with mpmath.workdps(30):
        means = [mpmath.mpf(total) / 8 / (n + 1) for n, total in arms]
        scales = [mpmath.sqrt(mpmath.mpf("0.7") / (n + 1)) for n, _ in arms]

        def density(x: Any) -> Any:
            at = means[0] + scales[0] * x
            others = (mpmath.ncdf((at - m) / s) for m, s in zip(means[1:], scales[1:], strict=True))
            return mpmath.npdf(x) * mpmath.fprod(others)

        exact = mpmath.quad(density, range(-12, 13)) * 2**CHANCE
    assert found[0][0] - 1 <= exact <= found[0][1] + 1


@pytest.mark.parametrize("rivals", [[0, 0], [3, 4], [8, 0], [8, 8], [29, 29], [9, 9, 9], [400, 1]])
@pytest.mark.parametrize("own", [0, 1, 7, 60])
def test_the_trapezoidal_rule_is_as_fine_as_its_bound_asks_for(
    own: int, rivals: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """h^2 B <= 7/16 for its step h = 2^-m, B = 1 + the sum of the squared slopes; and no finer than that."""
    asked = []
    monkeypatch.setattr(pull_chances, "densities", lambda halvings: asked.append(halvings) or [])
    pull_chances.chance_of_largest([(own, 0), *((n, 0) for n in rivals)], 0, 64 * Fraction(7, 10))
    size = 1 + sum(Fraction(n + 1, own + 1) for n in rivals)
    (halvings,) = asked
    assert size / 4**halvings <= Fraction(7, 16)
    assert halvings == 0 or size / 4 ** (halvings - 1) > Fraction(7, 16)


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
    assert PHI_CUTOFF == 12


@pytest.mark.parametrize("lead", [0, 1, -1, 2, -2, 10**9 + 7, -(10**9) - 7, 3 * 2**70, -3 * 2**70])
@pytest.mark.parametrize("spread", [Fraction(1), Fraction(7, 3), Fraction(5, 2**90), Fraction(3**50)])
def test_an_argument_is_rounded_down(lead: int, spread: Fraction) -> None:
    """x <= lead/sqrt(spread) <= x + 1, squared, in units of 2^-POINT; exactly so where the root is a whole number."""
    x = scaled_quotient(lead, spread)

    def signed_square(value: int | Fraction) -> int | Fraction:
        return value * abs(value)

    assert signed_square(x) <= Fraction(signed_square(lead << POINT)) / spread <= signed_square(x + 1)


def test_masses_are_rounded_against_the_attack() -> None:
    """Chances that no whole number of units can hold: left masses fall below the product, right ones rise above it."""
    heap = Heaps(bits=70, heaps=9, step=1.0, negligible=0)
    heap.begin(0, 4)
    chance = (1 << CHANCE) // 3
    for n in range(5):
        heap.move(n, lambda n=n: [(n + 1, chance, chance + 1), (n, 2 * chance, 2 * chance + 2)])
    left, right = (sum((row[side] >> k * heap.wide) & ((1 << heap.wide) - 1) for k in range(9))
                   for row in [heap.rows[5]] for side in (0, 1))  # fmt: skip
    assert left < (1 << 70) / Fraction(3) ** 5 < right
    assert right - left < 2000


def test_every_mass_of_every_heap_is_rounded_its_way() -> None:
    """Heap by heap against exact products: left ones by less than a unit down, right ones up, by two at most."""
    draw = np.random.default_rng(0)
    heap = Heaps(bits=70, heaps=6, step=1.0, negligible=0)
    for _ in range(40):
        masses = [[int(x) << 20 | int(y) for x, y in draw.integers(0, 2**40, (6, 2))] for _ in range(2)]
        row = [sum(mass << k * heap.wide for k, mass in enumerate(side)) for side in masses]
        low, high = sorted(int(x) for x in draw.integers(2**55, 2**60, 2))
        heap.rows = {0: (row[0], row[1], 0.0)}
        heap.move(0, lambda low=low, high=high: [(1, low, high)])
        found = [[(side >> k * heap.wide) & ((1 << heap.wide) - 1) for k in range(6)] for side in heap.rows[1][:2]]
        offset = round((math.log(low) - math.log(high) - heap.rows[1][2]) / heap.step)
        for k in range(6):
            if not 0 <= k + offset < 6:
                continue
            left, right = Fraction(masses[0][k] * low, 1 << CHANCE), Fraction(masses[1][k] * high, 1 << CHANCE)
            assert left - 1 < found[0][k + offset] <= left
            assert right <= found[1][k + offset] <= right + 2


def test_what_leaves_the_window_is_in_no_heap() -> None:
    heap = Heaps(bits=70, heaps=4, step=1.0, negligible=0)
    assert heap.moved(1 << 3 * heap.wide, 1) == 0
    assert heap.moved(1 << heap.wide, -2) == 0
    assert heap.moved(1 << heap.wide, 2) == 1 << 3 * heap.wide


def test_a_long_run_ends_with_its_budget() -> None:
    long = run() | {"horizon": 100_000, "rewards": [[[100_000, "0"]], [[100_000, "1"]]], "pulls": 1000, "step": "0.01"}
    found = checker_verification.verify(long, {"run": RUN._replace(effort=20_000)})
    assert not found.ok
    assert "checking this certificate would take too much computation" in found.lines[0]


@pytest.mark.parametrize("halvings", [0, 2])
def test_the_nodes_of_the_trapezoidal_rule(halvings: int) -> None:
    """phi at the multiples of 2^-halvings, 9.5 deviations far, rounded down to units of 2^-POINT."""
    found = pull_chances.densities(halvings)
    reach = int(9.5 * 2**halvings)
    assert len(found) == 2 * reach + 1
    with mpmath.workdps(60):
        for k, value in enumerate(found, start=-reach):
            assert value <= mpmath.npdf(mpmath.mpf(k) / 2**halvings) * 2**POINT < mpmath.mpf(value) + 1.001


@pytest.mark.parametrize("loss", [-2.75, -0.25, 0.0, 0.25, 1.0, 2.75])
def test_a_row_is_thrown_upon_the_heaps_of_its_loss(loss: float) -> None:
    """A first row as many whole steps higher as its loss has, what is left is kept; another one to the nearest step."""
    step = 0.5
    heap = Heaps(bits=70, heaps=20, step=step, negligible=0)
    heap.add_masses(0, 5 << 9 * heap.wide, 7 << 9 * heap.wide, loss)
    p, q, offset = heap.rows[0]
    place = 9 + round((loss - offset) / step)
    assert (p, q) == (5 << place * heap.wide, 7 << place * heap.wide)
    assert abs(offset) < step
    assert offset + (place - 9) * step == loss
    heap.add_masses(0, 1 << 9 * heap.wide, 0, loss + 0.7)
    more = heap.rows[0][0] - p
    (second,) = (k for k in range(20) if more == 1 << k * heap.wide)
    assert abs(offset + (second - 9) * step - (loss + 0.7)) <= step / 2
    assert heap.rows[0][1:] == (q, offset)


def test_phi_between_the_grid_s_points_is_as_exact_as_it_says() -> None:
    """To eight bits of the last of its 128, also half way between two points, and at the ends of the expansion."""
    sixteenth = 1 << POINT - 4
    for x in (0, 1, -1, sixteenth // 2, sixteenth // 2 - 1, -sixteenth // 2, 5 * sixteenth + sixteenth // 3, 77 << 123,
              (PHI_CUTOFF << POINT) - 1, 1 - (PHI_CUTOFF << POINT),
              PHI_CUTOFF << POINT, 41 << POINT, -(41 << POINT)):  # fmt: skip
        value, wrong = pull_chances.phi_near(x)
        with mpmath.workdps(60):
            true = [mpmath.ncdf(mpmath.mpf(x + more) / 2**POINT) * 2**POINT for more in (0, 1)]
            assert value - wrong <= true[0] <= true[1] <= value + wrong
        assert wrong == 256 or (abs(x) >= PHI_CUTOFF << POINT and wrong < 1 << POINT - 100)


@pytest.mark.parametrize(
    "arms", [((0, 0), (0, 0), (0, 0)), ((3, 9), (1, 8), (0, 2)), ((0, 1), (7, 40), (2, 2), (2, 9))]
)
def test_what_the_trapezoidal_rule_may_be_off_by_goes_outward(
    arms: tuple[tuple[int, int], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made large enough to be seen. Against the integral of the product of all others' distribution functions."""
    monkeypatch.setattr(pull_chances, "OFF", 1 << POINT - 20)
    found = RunTables([], [], "pull", 8, Fraction(7, 10), 9, False).chances(list(arms))
    means = [total / 8 / (n + 1) for n, total in arms]
    scales = [math.sqrt(0.7 / (n + 1)) for n, _ in arms]
    x = np.linspace(-9, 9, 3001)  # 9 deviations are enough for 1e-11, and so is Simpson's rule on so many points
    for arm, (low, high) in enumerate(found):
        others = [ndtr((means[arm] + scales[arm] * x - means[k]) / scales[k]) for k in range(len(arms)) if k != arm]
        exact = simpson(np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * np.prod(others, axis=0), x=x)
        assert low / 2**CHANCE == pytest.approx(exact - 2**-20, rel=0, abs=1e-11)
        assert high / 2**CHANCE == pytest.approx(exact + 2**-20, rel=0, abs=1e-11)


def test_no_chance_is_below_0_or_above_1() -> None:
    found = RunTables([], [], "pull", 1, Fraction(1, 10), 9, False).chances([(1000, 0), (1000, 0), (1000, 1001)])
    assert found == [(0, 1), (0, 1), ((1 << CHANCE) - 1, 1 << CHANCE)]
