"""Mechanisms on which other tools for differential privacy were measured, checked by this library.

The mechanisms are from the benchmarks of CheckDP (Wang, Ding, Kifer, Zhang, CCS 2020), StatDP (Ding et al., CCS
2018) and DP-Sniper (Bichsel et al., S&P 2021): noisy maximum, sparse vector, sums, histograms.

First table: mechanisms that answer by choices. Each is a policy that is paid the answers of `QUERIES` queries, one
reward each, and one more reward that moves all of them, each in its own direction; its later pulls are what the
mechanism outputs. The bound of randomness alignment holds for all answers. It is computed for all directions: the cost
of a shift is convex in the change of the answers, so that no change between them costs more. What has no bound up to
the claim is audited by samples.

Second table: mechanisms that output numbers, by `audit_mechanism`, on two given inputs, as DP-Sniper's best inputs.

Run with: python bench/anchors.py [--trials 1000000] [--only NAME]; two minutes of one processor.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any, NamedTuple

import numpy as np

from dpbandits import Noise, Pulls, audit_mechanism, audit_policy
from dpbandits.proofs_checks.alignment.bounds import Outcome, alignment_bound
from dpbandits.reference.bandits.noise import Array

EPS = 1.0
QUERIES = 5


# -- mechanisms that answer by choices -------------------------------------------------------------------------------


class Answers(NamedTuple):
    """values: the answers of the queries so far, (trials, queries). SECRET. noisy: the noisy ones that are compared.
    bar: the noisy threshold, (trials,). above: how many queries were above it."""

    values: Array
    noisy: Array
    bar: Array
    above: Any


@dataclass(frozen=True)
class Choosing:
    """A mechanism as a policy. The first pulls, one of each arm, pay the answers: of the queries, and of the reward
    that is added to them in these directions. Later pulls are the outputs: the arm with the largest noisy answer; or,
    where there is a threshold, arm 1 for each query above it and arm 0 for the others, and arm 2 after the last.

    scale: of the noise of an answer. threshold: whether there is one; bar: the scale of its noise. most: queries above
    it before the end.
    """

    directions: tuple[int, ...]
    scale: float
    threshold: bool = False
    bar: float = 0.0
    most: int = 1

    @property
    def queries(self) -> int:
        return len(self.directions)

    @property
    def arms(self) -> int:
        return self.queries + 1

    @property
    def horizon(self) -> int:
        return self.arms + (self.queries if self.threshold else 1)

    def init(self, trials: int) -> Answers:
        none = np.zeros((trials, self.queries))
        return Answers(none, none, none[:, 0], np.zeros(trials, dtype=np.int64))

    def act(self, t: int, state: Answers, noise: Noise) -> Pulls:
        trials = len(state.values)
        if t <= self.arms:
            return Pulls.one(np.full(trials, t - 1), self.arms)
        if not self.threshold:
            return Pulls.one(state.noisy.argmax(axis=1), self.arms)
        ended = state.above >= self.most
        over = np.where(ended, -1.0, state.noisy[:, t - self.arms - 1] - state.bar) >= 0
        return Pulls.one(np.where(ended, 2, np.where(over, 1, 0)), self.arms)

    def learn(self, t: int, state: Answers, pulls: Pulls, sums: Array, noise: Noise) -> Answers:
        if t < self.arms:
            return state._replace(values=state.values + sums[:, : self.queries])
        if t == self.arms:
            values = state.values + sums[:, -1:] * np.array(self.directions)
            bar = 1.0 + self.bar * noise.laplace("bar", 0)
            drawn = 0.0
            if self.scale:
                drawn = self.scale * noise.laplace("answer", t, (self.queries,))
            return state._replace(values=values, noisy=values + drawn, bar=bar + 0 * state.bar)
        over = (pulls.counts[:, 1] > 0) & (state.above < self.most)
        return state._replace(above=state.above + over)


class Row(NamedTuple):
    """A mechanism: how it is made for given directions, the true answer, and what other tools report, as cells of the
    table: the source of each is in docs/contributing/benchmarks.md."""

    make: Callable[[tuple[int, ...]], Choosing]
    true: str
    reported: str


def sparse_vector(bar: float, scale: float, most: int = 1) -> Callable[..., Choosing]:
    return lambda directions: Choosing(directions, scale, True, bar, most)


CHOICES: dict[str, Row] = {
    "noisy maximum, Laplace": Row(lambda way: Choosing(way, 2 / EPS), "eps", "0.092, 62 | 0.092, 460"),
    "sparse vector": Row(sparse_vector(2 / EPS, 4 / EPS), "eps", "0.086, 126 | 0.030, 749"),
    "sparse vector, a third of the noise of the answers": Row(
        sparse_vector(4 / EPS, 4 / (3 * EPS)), "more", "0.169, 130 | 0.171, 1016"
    ),
    "sparse vector without noise of the answers": Row(
        sparse_vector(2 / EPS, 0.0, QUERIES + 1), "infinite", "1.76, 59 | 14.3, 725"
    ),
    "sparse vector without a largest count": Row(
        sparse_vector(2 / EPS, 2 / EPS, QUERIES + 1), "more", "0.272, 96 | 0.322, 1378"
    ),
}


def largest_bound(make: Callable[..., Choosing]) -> tuple[str, float, Choosing]:
    """The largest bound over all directions as text and as a number, and the mechanism that has it; inf for none."""
    worst = make((1,) * QUERIES)
    largest = 0.0
    for directions in product((1, -1), repeat=QUERIES - 1):
        found = alignment_bound(made := make((1, *directions)))
        if found.outcome is not Outcome.BOUND:
            return "none" if found.outcome is Outcome.NO_BOUND else "-", inf, made
        if found.eps > largest:
            largest, worst = found.eps, made
    return f"eps <= {largest:.4g}", largest, worst


def print_choices(only: str) -> None:
    print("| mechanism, eps = 1 | true | bound | s | verdict | s | DP-Sniper, s | StatDP, s |")
    print("|---|--:|---|--:|---|--:|--:|--:|", flush=True)
    for name, row in CHOICES.items():
        if only not in name:
            continue
        start = time.process_time()
        bound, value, worst = largest_bound(row.make)
        middle = time.process_time()
        verdict = "PROVED"
        if value > EPS:
            found = audit_policy(worst, eps=EPS)
            verdict = f"{found.verdict.value}{certified_text(found)}"
        seconds = f"{middle - start:.1f} | {verdict} | {time.process_time() - middle:.1f}"
        print(f"| {name} | {row.true} | {bound} | {seconds} | {row.reported} |", flush=True)


def certified_text(finding: Any) -> str:
    """What samples certify of the first instance of a finding, as ", 1.23"; "" where there is nothing."""
    instances = getattr(finding.body, "instances", None)
    sampled = instances[0].sampled if instances else None
    value = None if sampled is None else sampled.certified.value
    return "" if value is None else f", {value:.4g}"


# -- mechanisms that output numbers ------------------------------------------------------------------------------------


def with_noise(scale: float) -> Callable[[Any, int, int], Array]:
    """Every number of a row with Laplace noise."""

    def mechanism(row: Any, trials: int, seed: int) -> Array:
        return np.asarray(row) + np.random.default_rng(seed).laplace(scale=scale, size=(trials, len(row)))

    return mechanism


def largest_value(scale: float, exponential: bool = False) -> Callable[[Any, int, int], Array]:
    """The largest of all numbers with noise, and not its place."""

    def mechanism(row: Any, trials: int, seed: int) -> Array:
        generator = np.random.default_rng(seed)
        draw = generator.exponential if exponential else generator.laplace
        return np.asarray((np.asarray(row) + draw(scale=scale, size=(trials, len(row)))).max(axis=1))

    return mechanism


def prefix_sums(scale: float) -> Callable[[Any, int, int], Array]:
    noisy = with_noise(scale)
    return lambda row, trials, seed: np.cumsum(noisy(row, trials, seed), axis=1)


def sums(scale: float) -> Callable[[Any, int, int], Array]:
    noisy = with_noise(scale)
    return lambda row, trials, seed: noisy([sum(row)], trials, seed)[:, 0]


def block_sums(scale: float, of_blocks: float, length: int = 2) -> Callable[[Any, int, int], Array]:
    """Running sums: numbers have noise, and where a block of so many ends, its sum with noise of the other scale is
    what later sums begin with."""

    def mechanism(row: Any, trials: int, seed: int) -> Array:
        generator = np.random.default_rng(seed)
        running, block, found = np.zeros(trials), 0.0, []
        start = np.zeros(trials)
        for place, number in enumerate(row, 1):
            block += number
            if place % length == 0:
                start = start + block + of_blocks * generator.laplace(size=trials)
                running, block = start, 0.0
            else:
                running = running + number + scale * generator.laplace(size=trials)
            found.append(running)
        return np.stack(found, axis=1)

    return mechanism


def one_time_rappor(user: Any, trials: int, seed: int, bits: int = 20, hashes: int = 4, f: float = 0.95) -> Array:
    """Every bit of a Bloom filter is replaced by a fair coin with probability f. Users 0 and 1 share no bit."""
    generator = np.random.default_rng(seed)
    own = np.zeros(bits)
    own[user * hashes : (user + 1) * hashes] = 1
    kept = generator.random((trials, bits)) >= f
    return np.where(kept, own, generator.random((trials, bits)) < 0.5).astype(np.float64)


class Numbers(NamedTuple):
    """A mechanism with two inputs. claim: eps. true: of these inputs, as text. reported: as in `Row`."""

    mechanism: Callable[[Any, int, int], Array]
    left: Any
    right: Any
    claim: float
    true: str
    reported: str = "| |"


ONES, ZEROS = [1.0] * 10, [0.0] * 10
ONE_OTHER = [0.0, 1.0, 1.0, 1.0, 1.0]
NUMBERS: dict[str, Numbers] = {
    "Laplace": Numbers(with_noise(10), [1.0], [2.0], 0.1, "0.1", "0.097, 21 | 0.100, 409"),
    "histogram": Numbers(with_noise(10), ONE_OTHER, [1.0] * 5, 0.1, "0.1", "0.098, 38 | 0.083, 934"),
    "histogram, scale eps": Numbers(with_noise(0.1), ONE_OTHER, [1.0] * 5, 0.1, "10", "4.602, 41 | 9.717, 1244"),
    "largest value, Laplace": Numbers(largest_value(20), [0.0] * 5, [1.0] * 5, 0.1, "0.25", "0.248, 62 | 0.199, 567"),
    "largest value, exponential": Numbers(
        largest_value(20, True), [1.0] * 5, [2.0] * 5, 0.1, "infinite", "0.346, 63 | 0.196, 563"
    ),
    "prefix sums": Numbers(prefix_sums(10), ONES, ZEROS, 0.1, "1", "0.504, 97 | 0.352, 3989"),
    "one-time RAPPOR": Numbers(one_time_rappor, 0, 1, 0.5, "0.801", "0.598, 89 | 0.471, 1877"),
    "sum": Numbers(sums(1), ONE_OTHER, [1.0] * 5, 1.0, "1"),
    "sum, half of the noise": Numbers(sums(0.5), ONE_OTHER, [1.0] * 5, 1.0, "2"),
    "block sums": Numbers(block_sums(1, 1), ONE_OTHER, [1.0] * 5, 2.0, "2"),
    "block sums, blocks without noise": Numbers(block_sums(1, 0), ONE_OTHER, [1.0] * 5, 2.0, "infinite"),
}


def print_numbers(only: str, trials: int) -> None:
    print("\n| mechanism | claim | true eps | verdict, certified eps | s | DP-Sniper, s | StatDP, s |")
    print("|---|--:|--:|---|--:|--:|--:|", flush=True)
    for name, row in NUMBERS.items():
        if only not in name:
            continue
        start = time.process_time()
        found = audit_mechanism(
            row.mechanism, row.left, row.right, eps=row.claim, trials=trials, floating_point="ignore"
        )
        said = f"{found.verdict.value}{certified_text(found)}"
        seconds = time.process_time() - start
        print(f"| {name} | {row.claim} | {row.true} | {said} | {seconds:.1f} | {row.reported} |", flush=True)


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--trials", type=int, default=1_000_000, help="of every mechanism that outputs numbers")
    parser.add_argument("--only", default="", help="a part of the names of the mechanisms")
    asked = parser.parse_args(arguments)
    print_choices(asked.only)
    print_numbers(asked.only, asked.trials)


if __name__ == "__main__":
    main(sys.argv[1:])
