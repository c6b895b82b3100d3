"""The auditors' table: does the audit accuse the innocent, does it catch what it says, and how much does it certify?

- False alarms: mechanisms that attain their claims, audited at a level of 20 %, so that alarms can be counted.
- Detection: mechanisms at the stated resolution, at the ledger's level, where 90 % are promised.
- Both in both orders of the inputs, with learnt scores: mechanisms that attain their claims.
- Certified eps at 95 %, 200 000 samples a side: Laplace noise (eps = 1.25, claimed 1), Gaussian noise (mu = 1, at
  delta = 1e-3), report noisy max on two queries that move against each other, and Thompson sampling, T = 20.
- Samples a side until all of 8 seeds alarm, for the Laplace noise.
- Samples until an audit that stops by itself does so, beside fixed sizes; and its false alarms, in any look.
- Bits: what the numbers of attained claims certify, and what their bits do; when an audit stops that looks at both;
  and how often exact samplers alarm.
- The same cases by public auditors, in an environment of their own; and what the bits of public samplers tell.
- Divergences: rho of a Gaussian mechanism (mu = 1, 0.5-zCDP), by two errors alone and by a witness of many cells.

Everything goes through the public audit; the number of samples holds those that choose score and threshold.

Run with: python bench/auditors.py, or with the names of some parts: python bench/auditors.py both_orders
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from os import environ
from pathlib import Path
from sys import argv, executable
from tempfile import TemporaryDirectory, gettempdir
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import beta, binom

from dpbandits.audit.privacy.mechanism import MIN_MECHANISM_TRIALS, audit_mechanism, mechanism_audit
from dpbandits.audit.privacy.mechanism_scores import SEARCH, score_bits
from dpbandits.audit.privacy.result import Result
from dpbandits.audit.privacy.sequential import (
    FIRST_BATCH,
    BatchLook,
    FreshBatch,
    Taught,
    audit_in_batches,
    resolution_in_batches,
)
from dpbandits.audit.statistics.events import DIVERGENCE_SHARE, MAIN_SHARE, certify_tests, plan_tests_by_scores
from dpbandits.audit.statistics.resolution import min_caught_violations
from dpbandits.reference.arithmetic.vocabulary import doubles
from dpbandits.reference.bandits.noise import Array, Seeded
from dpbandits.reference.bandits.whole_noise import discrete_laplace
from dpbandits.reference.claims.model import Finding, Verdict
from dpbandits.reference.curves import Approximate, Concentrated, Curve, Family, Gaussian, gaussian_delta
from dpbandits.reference.curves.extremal_mechanisms import gaussian_mu

# numpy's noise is floating-point: its bits have rows of their own
numbers_of = partial(audit_mechanism, floating_point="ignore")
TWO_RESULTS = "floating-point implementation"  # in the title of a table
LEVEL, AUDITS, FEW = 0.2, 300, 2_000  # of the false alarms
STRICT, TRIES, SOME = 1e-9, 60, 20_000  # of the detection rate
MANY, SEEDS = 200_000, 8
DELTA = 1e-3

Sides = Callable[[np.random.Generator, int], tuple[Array, Array]]


def normal(mu: float, fold: int = 1) -> Sides:
    """N(0, 1) against N(mu, 1), as the sum of `fold` releases."""

    def sides(random: np.random.Generator, trials: int) -> tuple[Array, Array]:
        shift = mu / np.sqrt(fold)
        return tuple(random.normal(side * shift, size=(trials, fold)).sum(axis=1) for side in (0, 1))  # type: ignore

    return sides


def laplace(eps: float) -> Sides:
    return lambda random, trials: (random.laplace(size=trials), random.laplace(size=trials) + eps)


def response(eps: float, delta: float = 0.0, fold: int = 1) -> Sides:
    """The (eps, delta) randomized response, its log likelihood ratio summed over `fold` answers."""

    def sides(random: np.random.Generator, trials: int) -> tuple[Array, Array]:
        told = []
        for own in (-1.0, 1.0):
            u = random.random((trials, fold))
            truthful = delta + (1 - delta) * expit(eps)
            told.append(np.where(u < delta, own * 1e3, np.where(u < truthful, own, -own)).sum(axis=1))
        return told[0], told[1]

    return sides


def family(mu: float) -> Family:
    """The whole curve of a mu-GDP mechanism as eps(delta), by bisection."""

    def eps(m: Any, delta: Any) -> Any:
        low, high = 0.0, 40.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if gaussian_delta(doubles, middle, mu) > delta else (low, middle)
        return high

    return Family(eps, 1e-6, 0.3)


def gaussian_eps(mu: float, delta: float) -> float:
    return float(family(mu).eps(doubles, delta))


def responses_eps(eps: float, fold: int, delta: float) -> float:
    """eps at delta of `fold` randomized responses, from the binomial law of the right answers."""
    wins = np.arange(fold + 1)
    right, left = binom.pmf(wins, fold, expit(eps)), binom.pmf(wins, fold, expit(-eps))
    low, high = 0.0, eps * fold
    for _ in range(60):
        middle = (low + high) / 2
        over = np.maximum(0, right - np.exp(middle) * left).sum() > delta
        low, high = (middle, high) if over else (low, middle)
    return high


ATTAINED: dict[str, tuple[Sides, Curve]] = {
    "Gaussian, mu = 0.3": (normal(0.3), Gaussian(0.3)),
    "Gaussian, mu = 1": (normal(1.0), Gaussian(1.0)),
    "Gaussian, mu = 3": (normal(3.0), Gaussian(3.0)),
    "Gaussian, (eps, 1e-3)": (normal(1.0), Approximate(gaussian_eps(1.0, 1e-3), 1e-3)),
    "Gaussian, (eps, 0.1)": (normal(1.0), Approximate(gaussian_eps(1.0, 0.1), 0.1)),
    "Gaussian, (eps(delta), delta)": (normal(1.0), family(1.0)),
    "Laplace, eps = 1": (laplace(1.0), Approximate(1.0)),
    "Laplace, eps = 3": (laplace(3.0), Approximate(3.0)),
    "randomized response, (1, 0)": (response(1.0), Approximate(1.0)),
    "randomized response, (1, 0.05)": (response(1.0, 0.05), Approximate(1.0, 0.05)),
    "randomized response, (2, 1e-3)": (response(2.0, 1e-3), Approximate(2.0, 1e-3)),
    "10 Gaussian releases, mu = 1": (normal(1.0, 10), Gaussian(1.0)),
    "20 randomized responses, (eps, 0.01)": (response(0.2, fold=20), Approximate(responses_eps(0.2, 20, 0.01), 0.01)),
}


def alarm(sides: Sides, curve: Curve, trials: int, seed: int, level: float) -> bool:
    left, right = sides(np.random.default_rng(seed), trials)
    search = int(trials * SEARCH)
    events = plan_tests_by_scores(left[:search], right[:search], curve, trials - search, level)
    return float(certify_tests(left[search:], right[search:], events, curve, level).excess.amount) > 0


def false_alarms() -> None:
    print(f"false alarms at a level of {LEVEL:.0%}, {FEW} samples a side, {AUDITS} audits each")
    for name, (sides, curve) in ATTAINED.items():
        share = sum(alarm(sides, curve, FEW, seed, LEVEL) for seed in range(AUDITS)) / AUDITS
        print(f"  {name:38} {share:.3f}")


def sides_of(mechanism: str, value: float, delta: float) -> Sides:
    """The mechanism that a resolution names, at the resolution."""
    if mechanism == "Gaussian":
        return normal(value if np.isnan(delta) else float(gaussian_mu(np.array([value]), np.array([delta]))[0]))
    if mechanism == "Laplace":
        return laplace(float(value - 2 * np.log1p(-delta)))
    return response(value, delta)


CLAIMED = (
    Gaussian(0.3), Gaussian(1.0), Gaussian(3.0), Approximate(1.0), Approximate(3.0), Approximate(2.0, DELTA)
)  # fmt: skip


def detection() -> None:
    print(f"caught at the stated resolution, risk {STRICT:.0e}, {SOME} samples a side, of {TRIES}")
    for curve in CLAIMED:
        for found in min_caught_violations(curve, SOME - int(SOME * SEARCH), STRICT * MAIN_SHARE):
            sides = sides_of(found.mechanism, found.value, found.at)
            caught = sum(alarm(sides, curve, SOME, seed, STRICT) for seed in range(TRIES))
            print(f"  {curve!s:34} {found.mechanism:20} {found.value:7.4f}   {caught}")


# -- both orders, learnt scores ----------------------------------------------------------------------------------


class Tight(NamedTuple):
    """A family of mechanisms on inputs 0 and 1, of which the one with a number attains the claim with that number."""

    of: Callable[[float], Callable[[Any, int, int], Any]]
    claim: str  # "eps" or "mu"
    number: float
    shape: str  # whose resolution it is held against; its own, but for the last three


def moved(kind: str) -> Callable[[float], Callable[[Any, int, int], Any]]:
    return lambda size: lambda value, n, seed: value * size + getattr(np.random.default_rng(seed), kind)(size=n)


def geometric(eps: float) -> Callable[[Any, int, int], Any]:
    def release(value: Any, n: int, seed: int) -> Any:
        random, ends = np.random.default_rng(seed), 1 - np.exp(-eps)
        return value + random.geometric(ends, n) - random.geometric(ends, n)

    return release


def answer(eps: float) -> Callable[[Any, int, int], Any]:
    return lambda value, n, seed: np.where(np.random.default_rng(seed).random(n) < expit(eps), value, 1 - value)


def exponential(eps: float) -> Callable[[Any, int, int], Any]:
    """Of three outputs with the utilities (1, 0, 0) and (0, 1, 0), so that both sums are the same."""

    def release(value: Any, n: int, seed: int) -> Any:
        weights = np.exp(eps * np.array([1 - value, value, 0]))
        return np.random.default_rng(seed).choice(3, size=n, p=weights / weights.sum())

    return release


def maximum(eps: float) -> Callable[[Any, int, int], Any]:
    gap = brentq(lambda gap: opposite(gap) - eps, 0, 50)
    return lambda value, n, seed: noisy_max((-gap * value, gap * value), n, seed)


TIGHT = {
    "Laplace": Tight(moved("laplace"), "eps", 1.0, "Laplace"),
    "Gaussian, mu = 1": Tight(moved("normal"), "mu", 1.0, "Gaussian"),
    "Gaussian, mu = 0.3": Tight(moved("normal"), "mu", 0.3, "Gaussian"),
    "randomized response": Tight(answer, "eps", 1.0, "randomized response"),
    "geometric": Tight(geometric, "eps", 1.0, "Laplace"),
    "exponential mechanism": Tight(exponential, "eps", 1.0, "Laplace"),
    "noisy max": Tight(maximum, "eps", 1.0, "Laplace"),
}


def both_orders(runs: int = 300, tries: int = TRIES) -> None:
    print(f"learnt scores, inputs (0, 1) and (1, 0): of {runs} audits at a level of {LEVEL:.0%}, {FEW} trials, false")
    print(f"alarms with exact limits of 95 %; of {tries} at the resolution, risk {STRICT:.0e}, {SOME} trials, caught")
    for name, tight in TIGHT.items():
        curve: Curve = Gaussian(tight.number) if tight.claim == "mu" else Approximate(tight.number)
        some = min_caught_violations(curve, SOME - int(SOME * SEARCH), STRICT * MAIN_SHARE)
        broken = next(each.value for each in some if each.mechanism == tight.shape)
        told = []
        for left, right in ((0, 1), (1, 0)):
            alarms, caught = (
                sum(
                    numbers_of(
                        tight.of(number), left, right, **{tight.claim: tight.number}, trials=n, seed=seed, risk=risk
                    ).verdict
                    is Verdict.REFUTED
                    for seed in range(many)
                )
                for number, n, many, risk in ((tight.number, FEW, runs, LEVEL), (broken, SOME, tries, STRICT))
            )
            low = beta.ppf(0.025, alarms, runs - alarms + 1) if alarms else 0.0
            high = beta.ppf(0.975, alarms + 1, runs - alarms) if alarms < runs else 1.0
            told.append(f"{alarms / runs:.3f} [{low:.3f}, {high:.3f}], {caught} of {tries}")
        of = "" if name.startswith(tight.shape) else f" (a {tight.shape} mechanism's)"
        print(f"  {name:22} {tight.number:g} -> {broken:.4f}{of:24} {'   '.join(told)}", flush=True)


class Mechanism(NamedTuple):
    """One of the rows about certified eps."""

    run: Callable[[Any, int, int], Any]
    left: Any
    right: Any
    eps: float  # claimed
    delta: float
    truth: float


def noisy(kind: str) -> Callable[[Any, int, int], Any]:
    def release(value: Any, trials: int, seed: int) -> Any:
        value = np.asarray(value, dtype=float)
        return value + getattr(np.random.default_rng(seed), kind)(size=(trials, *value.shape))

    return release


def noisy_max(values: Any, trials: int, seed: int) -> Any:
    return noisy("laplace")(values, trials, seed).argmax(axis=1)


def opposite(gap: float) -> float:
    """eps of noisy max on (0, 0) against (-gap, gap): the ratio of 1/2 to the tail of two Laplace variables."""
    return float(np.log(0.5 / (np.exp(-2 * gap) * (0.5 + gap / 2))))


CERTIFIED = {
    "Laplace": Mechanism(noisy("laplace"), 0.0, 1.25, 1.0, 0.0, 1.25),
    "Gaussian, mu = 1": Mechanism(noisy("normal"), 0.0, 1.0, 2.5, DELTA, gaussian_eps(1.0, DELTA)),
    "noisy max": Mechanism(noisy_max, (0.0, 0.0), (-1.0, 1.0), 1.0, 0.0, opposite(1.0)),
}


def certified() -> None:
    print(f"certified eps, 95 %, {MANY} samples a side, {SEEDS} seeds: median, least, most")
    for name, (run, left, right, eps, delta, truth) in CERTIFIED.items():
        start, shown = process_time(), []
        for seed in range(SEEDS):
            found = numbers_of(run, left, right, eps=eps, delta=delta, trials=MANY, seed=seed, risk=0.05)
            shown.append(next(item for item in found.evidence if item["kind"] == "table")["rows"][0][5])
        seconds = (process_time() - start) / SEEDS
        row = f"{np.median(shown):.3f} {min(shown):.3f} {max(shown):.3f}"
        print(f"  {name:20} delta {delta:g}: {row}   truth {truth:.4f}   ({seconds:.2f} s an audit)")
    print("  (Thompson sampling, T = 20: auditor.py)")


def until_all_alarm() -> None:
    run, left, right, eps, delta, _ = CERTIFIED["Laplace"]
    for risk in (0.05, 1e-9):
        for trials in (500, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000):
            verdicts = [
                numbers_of(run, left, right, eps=eps, delta=delta, trials=trials, seed=seed, risk=risk).verdict
                for seed in range(SEEDS)
            ]
            if all(verdict == Verdict.REFUTED for verdict in verdicts):
                break
        print(f"samples a side until all of {SEEDS} seeds alarm, Laplace 1.25 for 1, risk {risk:g}: {trials}")


STOPPED = {
    "Laplace, 1.25 for 1": (moved("laplace"), "eps", 1.0, 1.25),
    "Laplace, 2 for 1": (moved("laplace"), "eps", 1.0, 2.0),
    "Laplace, half the noise": (moved("laplace"), "eps", 0.1, 0.2),
    "Gaussian, 1.25 for 1": (moved("normal"), "mu", 1.0, 1.25),
    "no noise in a tenth": (lambda size: seldom_noisy, "eps", 1.0, 1.0),
}
FIXED = (100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000, 30_000, 50_000)


def seldom_noisy(value: Any, trials: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    return value + random.laplace(size=trials) * (random.random(trials) >= 0.1)


@dataclass(frozen=True)
class KnownScores:
    """Scores that nobody has to learn, as an audit that stops by itself draws them."""

    sides: Sides
    seed: int
    level: float

    def draw(self, number: int, before: int, trials: int) -> FreshBatch:
        return FreshBatch(*self.sides(np.random.default_rng((self.seed, number)), trials))

    @property
    def looks(self) -> tuple[BatchLook]:
        return (BatchLook(lambda past: Taught("known", lambda side: side, past.left, past.right)),)

    def join(self, one: FreshBatch, other: FreshBatch) -> FreshBatch:
        return FreshBatch(np.append(one.left, other.left), np.append(one.right, other.right))

    def uneven(self, past: FreshBatch, fresh: FreshBatch, inside: Sequence[Any]) -> float:
        return 1.0

    def completed(self, result: Result, past: FreshBatch) -> Result:
        return result


def refuted_in_batches(sides: Sides, curve: Curve, budget: int, seed: int, risk: float) -> bool:
    (found,) = audit_in_batches("", curve, KnownScores(sides, seed, risk), budget)
    return found.verdict is Verdict.REFUTED


def seen_in_batches(tries: int = 30) -> None:
    """Whether a budget catches what `what_bets_show` says that it would."""
    print(f"caught at the stated resolution of an audit that stops by itself, of {tries}")
    for budget, risk in ((FEW, 1e-6), (SOME, STRICT)):
        for curve in CLAIMED:
            for found in resolution_in_batches(curve, budget - FIRST_BATCH, risk):
                if np.isfinite(found.value):
                    sides = sides_of(found.mechanism, found.value, found.at)
                    caught = sum(refuted_in_batches(sides, curve, budget, seed, risk) for seed in range(tries))
                    of = f"{budget} {curve!s:34} {found.mechanism:20} {found.value:7.4f}"
                    print(f"  {of}   {caught}", flush=True)


def stopping() -> None:
    print(f"samples a side until an alarm, {SEEDS} seeds: an audit that stops by itself, median and most; and the")
    print("least of some fixed sizes at which half of the seeds alarm, and all")
    for risk in (0.05, 1e-6):
        for name, (of, unit, number, truth) in STOPPED.items():
            start, took = process_time(), []
            for seed in range(SEEDS):
                found = numbers_of(
                    of(truth), 0, 1, **{unit: number}, seed=seed, risk=risk, sequential=True, trials=100_000
                )
                rows = next(item for item in found.evidence if item["kind"] == "table")["rows"]
                took.append(rows[0][7] + FIRST_BATCH if found.verdict is Verdict.REFUTED else np.inf)
            seconds, fixed = (process_time() - start) / SEEDS, []
            for trials in (each for each in FIXED if each >= MIN_MECHANISM_TRIALS):
                alarms = sum(
                    numbers_of(of(truth), 0, 1, **{unit: number}, seed=seed, risk=risk, trials=trials).verdict
                    is Verdict.REFUTED
                    for seed in range(SEEDS)
                )
                fixed += [trials] * (alarms >= SEEDS / 2 and not fixed)
                if alarms == SEEDS:
                    break
            print(
                f"  risk {risk:g}, {name:24} {np.median(took):8.0f} {max(took):8.0f}   fixed {fixed[:1]} {trials}"
                f"   ({seconds:.2f} s an audit)"
            )


def false_alarms_at_every_look(audits: int = 100) -> None:
    print(
        f"false alarms at a level of {LEVEL:.0%} in any look of a budget of {FEW} samples a side, {audits} audits each"
    )
    for name, (sides, curve) in ATTAINED.items():
        if len(curve.claimed_parameters()[0]) == 1:
            alarms = sum(refuted_in_batches(sides, curve, FEW, seed, LEVEL) for seed in range(audits))
            print(f"  {name:38} {alarms / audits:.3f}", flush=True)
    print("with learnt scores")
    for name, tight in TIGHT.items():
        run = tight.of(tight.number)
        share = np.mean(
            [
                numbers_of(
                    run, 0, 1, **{tight.claim: tight.number}, trials=FEW, seed=seed, risk=LEVEL, sequential=True
                ).verdict
                is Verdict.REFUTED
                for seed in range(audits)
            ]
        )
        print(f"  {name:38} {share:.3f}", flush=True)


# -- bits --------------------------------------------------------------------------------------------------------


def by_inversion(value: Any, trials: int, seed: int) -> Any:
    half = np.random.default_rng(seed).random(trials) - 0.5
    return value - np.sign(half) * np.log(1 - 2 * np.abs(half))


def on_a_grid(value: Any, trials: int, seed: int) -> Any:
    """Whole multiples of 2^-10, whose noise is geometric."""
    return geometric(1.0)(round(value * 1024), trials, seed) / 1024


def exact(value: Any, trials: int, seed: int) -> Any:
    return value + discrete_laplace(Seeded(seed, trials), "z", 0, (), Fraction(1))


def usual_normal(value: Any, trials: int, seed: int) -> Any:
    """Of the deviation that is usual for (1, 1e-5)."""
    return value + np.random.default_rng(seed).normal(scale=np.sqrt(2 * np.log(1.25 / 1e-5)), size=trials)


BITS: dict[str, tuple[Callable[[Any, int, int], Any], float, float, dict[str, float]]] = {
    "numpy's Laplace, 0 and 1": (noisy("laplace"), 0.0, 1.0, {"eps": 1.0}),
    "numpy's Laplace, 8.3 and 9.3": (noisy("laplace"), 8.3, 9.3, {"eps": 1.0}),
    "numpy's Laplace, 100 and 101": (noisy("laplace"), 100.0, 101.0, {"eps": 1.0}),
    "inversion, 0 and 1": (by_inversion, 0.0, 1.0, {"eps": 1.0}),
    "numpy's normal, 0 and 1": (noisy("normal"), 0.0, 1.0, {"mu": 1.0}),
    "numpy's normal, 5 and 6": (noisy("normal"), 5.0, 6.0, {"mu": 1.0}),
    "numpy's normal for delta, 10 and 11": (usual_normal, 10.0, 11.0, {"eps": 1.0, "delta": 1e-5}),
    "geometric noise": (geometric(1.0), 0, 1, {"eps": 1.0}),
    "geometric noise, grid of 2^-10": (on_a_grid, 0.0, 1 / 1024, {"eps": 1.0}),
    "discrete Laplace, exact": (exact, 0, 1, {"eps": 1.0}),
}


def rows_of_both(found: Finding) -> list[Any]:
    """The row of the mechanism and that of its floating-point implementation; none where bits were not tested."""
    tables = [each for each in found.evidence if TWO_RESULTS in str(each.get("title", ""))]
    return list(tables[0]["rows"]) if tables else []


def bits() -> None:
    print(f"certified, risk 1e-6, {MANY} trials a side, one seed: by numbers, by bits, verdict of both, seconds")
    for name, (run, left, right, claim) in BITS.items():
        start = process_time()
        found = audit_mechanism(run, left, right, **claim, trials=MANY)  # type: ignore[arg-type]
        numbers, of_bits = (row[5] for row in rows_of_both(found))
        print(f"  {name:32} {numbers:.3f} {of_bits:.3f}   {found.verdict}   {process_time() - start:.1f}", flush=True)
    print(f"alarms of bits alone, level {LEVEL:.0%}, {FEW} trials, of {AUDITS}")
    for name in ("geometric noise", "geometric noise, grid of 2^-10", "discrete Laplace, exact"):
        run, left, right, claim = BITS[name]
        alarms = 0
        for seed in range(AUDITS):
            asked = mechanism_audit(run, left, right, **claim, trials=FEW, seed=seed, risk=LEVEL)  # type: ignore[arg-type]
            sides = [np.asarray(run(side, FEW, 2 * seed + k), float)[:, None] for k, side in enumerate((left, right))]
            scored = score_bits(asked, sides[0], sides[1], 1).scored
            assert scored is not None
            alarms += float(certify_tests(*scored, asked.curve, LEVEL).excess.amount) > 0
        print(f"  {name:32} {alarms / AUDITS:.3f}", flush=True)


def stopping_by_bits() -> None:
    print(f"trials a side until an audit stops that looks at bits as well, risk 1e-6, {SEEDS} seeds: median, most")
    for name in list(BITS)[:7]:
        run, left, right, claim = BITS[name]
        took = []
        for seed in range(SEEDS):
            found = audit_mechanism(
                run, left, right, **claim, seed=seed, trials=100_000, sequential=True, floating_point="error"
            )  # type: ignore[arg-type]
            took.append(rows_of_both(found)[1][7] + FIRST_BATCH if found.verdict is Verdict.REFUTED else np.inf)
        print(f"  {name:36} {np.median(took):.0f} {max(took):.0f}", flush=True)


# -- divergences -------------------------------------------------------------------------------------------------


def divergences() -> None:
    print(f"certified rho of a Gaussian mechanism that is 0.5-zCDP, risk 1e-6, {SEEDS} seeds: median by two errors, by")
    print(f"many cells; and alarms where 0.5 is claimed, at a level of {LEVEL:.0%}, of {AUDITS // 3}")
    for trials in (2_000, 20_000, 200_000):
        shown = [rho_shown(trials, seed, 1e-6) for seed in range(SEEDS)]
        one, other = np.median(shown, axis=0)
        alarms = sum(rho_shown(trials, 100 + seed, LEVEL)[1] > 0.5 for seed in range(AUDITS // 3))
        print(f"  {trials:7} a side: {one:.3f} {other:.3f}   {alarms / (AUDITS // 3):.3f}", flush=True)


def rho_shown(trials: int, seed: int, level: float) -> tuple[float, float]:
    """By two errors with all of the level, and by the audit, which divides it."""
    left, right = normal(1.0)(np.random.default_rng(seed), trials)
    search, curve = int(trials * SEARCH), Concentrated(0.5)
    tests = plan_tests_by_scores(left[:search], right[:search], curve, trials - search, level)
    whole = [each._replace(level=each.level / (1 - DIVERGENCE_SHARE)) for each in tests[:-1]]
    both = (certify_tests(left[search:], right[search:], tuple(some), curve, level) for some in (whole, tests))
    two, many = (float(each.excess.shown) for each in both)
    return two, many


# -- public auditors ---------------------------------------------------------------------------------------------

PUBLIC = Path(gettempdir()) / "dpbandits-public-auditors"
# The first ones need no more than the others bring; whole, one of them would bring jax.
ALONE = ("jax-privacy==2.0.0", "privacy-estimates==0.1.0.post1", "diffprivlib==0.6.6", "opendp==0.16.0")
NEEDED = ("dp-accounting==0.6.0", "multimethod", "pydantic-cli", "statsmodels", "scikit-learn==1.5.2", "deprecated")
DRAWS = 20_000


def public_python() -> Path | None:
    """The interpreter of an environment with the public auditors, which is made where it misses; None where they do not
    install, which is said."""
    python = PUBLIC / "bin" / "python"
    done = PUBLIC / "installed"
    try:
        if not done.exists():
            subprocess.run([executable, "-m", "venv", "--clear", str(PUBLIC)], check=True, capture_output=True)
            for packages in (NEEDED, ("--no-deps", *ALONE)):
                subprocess.run(
                    [str(python), "-m", "pip", "install", "-q", "--no-compile", *packages],
                    check=True,
                    capture_output=True,
                )
            done.touch()
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        print(f"  left out: the public auditors do not install here ({said.decode(errors='replace').strip()[-200:]})")
        return None
    return python


def lines_of(python: Path, *arguments: str) -> list[dict[str, Any]]:
    script = str(Path(__file__).with_name("public_auditors.py"))
    environment = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    said = subprocess.run(
        [str(python), script, *arguments], check=True, capture_output=True, text=True, env=environment
    )
    return [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]


def public() -> None:
    print(f"the same cases by public auditors, 95 %, {MANY} samples a side, one seed: certified eps, seconds")
    python = public_python()
    if python is None:
        return
    with TemporaryDirectory() as folder:
        scores: dict[str, Any] = {}
        for name, case in CERTIFIED.items():
            start = process_time()
            found = numbers_of(
                case.run, case.left, case.right, eps=case.eps, delta=case.delta, trials=MANY, seed=0, risk=0.05
            )
            shown = next(item for item in found.evidence if item["kind"] == "table")["rows"][0][5]
            print(f"  {name:20} truth {case.truth:.4f}: dpbandits {shown:.3f} ({process_time() - start:.1f} s)")
            sides = [case.run(value, MANY, k) for k, value in enumerate((case.left, case.right))]
            scores |= {f"{name}/{side}": each for side, each in zip(("left", "right"), sides, strict=True)}
            scores[f"{name}/delta"] = np.array(case.delta)
        file = str(Path(folder) / "scores.npz")
        np.savez(file, **scores)
        for each in lines_of(python, "estimate", file):
            eps = f"{each['eps']:.3f}" if isinstance(each["eps"], float) else each["eps"]
            print(f"  {each['case']:20} {each['auditor']:38} {eps} ({each['seconds']:.1f} s)", flush=True)
        print(f"public samplers, with bits, {DRAWS} trials a side, risk 1e-6: verdict, by numbers, by bits")
        for each in lines_of(python, "draw", folder, str(2 * DRAWS)):
            print(f"  {each['sampler']:40} {audited_draws(each)}", flush=True)


class Recorded:
    """Draws that somebody else made, handed out one after another."""

    def __init__(self, file: str, left: float):
        drawn, self.left = np.load(file), left
        self.drawn = {side: iter(drawn[side].astype(float)) for side in ("left", "right")}

    def __call__(self, value: float, trials: int, seed: int) -> Array:
        side = "left" if value == self.left else "right"
        return np.fromiter(self.drawn[side], dtype=float, count=trials)


def audited_draws(drawn: dict[str, Any]) -> str:
    """Verdict of draws that are made for eps = 1, or normal ones of deviation 1 for mu = 1; why there are none."""
    if not drawn["file"].endswith(".npz"):
        return str(drawn["file"])
    mechanism = Recorded(drawn["file"], drawn["left"])
    claim = {"mu": 1.0} if "Gaussian" in drawn["sampler"] else {"eps": 1.0}
    found = audit_mechanism(mechanism, drawn["left"], drawn["right"], **claim, trials=DRAWS)  # type: ignore[arg-type]
    numbers = ", ".join(f"{row[5]:.3f}" for row in rows_of_both(found))
    return f"{found.verdict} {numbers}"


def main() -> None:
    parts = (
        false_alarms,
        detection,
        both_orders,
        certified,
        until_all_alarm,
        stopping,
        seen_in_batches,
        false_alarms_at_every_look,
        bits,
        stopping_by_bits,
        divergences,
        public,
    )
    for part in parts:
        if part.__name__ in argv[1:] or not argv[1:]:
            part()


if __name__ == "__main__":
    main()
