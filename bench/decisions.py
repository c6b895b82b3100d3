"""How many decisions of Thompson sampling a second: dpbandits, also compiled, beside a plain numba loop and two bandit
libraries.

Run as `python bench/decisions.py [--long]`; it takes about a minute. What is not installed is left out.
See docs/contributing/benchmarks.md for how to read the table.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

from dpbandits import Pulls, from_object, from_program
from dpbandits.extensions.compiled import compiled
from dpbandits.reference.bandits.environments import Bernoulli
from dpbandits.reference.bandits.noise import Seeded
from dpbandits.reference.bandits.play import play
from dpbandits.reference.bandits.release_laws.argmax_law import argmax_law
from dpbandits.reference.papers.hu25 import DPTSUCB
from dpbandits.reference.papers.ou24 import ThompsonSampling
from dpbandits.reference.papers.ou24.algorithms import State

MEANS = (0.75, 0.625, 0.5, 0.375, 0.25)  # Section 5.1 of ou24
ARMS = len(MEANS)
RUNS = 5
EXAMPLE = Path(__file__).parents[1] / "examples" / "thompson.py"
# A contestant plays trials runs of `horizon` rounds and returns how often each arm was pulled in all.
Contestant = Callable[[int, int, int], Any]


def ours(trials: int, horizon: int, seed: int) -> Any:
    played = play(ThompsonSampling(ARMS, horizon), Bernoulli(MEANS), Seeded(seed, trials), trials, keep=False)
    return played.pulls.sum(axis=0)


def ours_compiled(trials: int, horizon: int, seed: int) -> Any:
    played = compiled.play_compiled(ThompsonSampling(ARMS, horizon), Bernoulli(MEANS), Seeded(seed, trials), trials)
    return played.pulls.sum(axis=0)


def numba_loops() -> tuple[Contestant, Contestant]:
    """The plain loop, one trial after another: with numba's own generator, and with one of numpy's passed in."""
    import numba

    @numba.njit
    def own(trials: int, horizon: int, seed: int, means: Any) -> Any:
        np.random.seed(seed)  # noqa: NPY002  numba's own generator has no other interface
        made = np.zeros(means.size)
        for _ in range(trials):
            pulls, total = np.zeros(means.size), np.zeros(means.size)
            for _ in range(horizon):
                best, arm = -np.inf, 0
                for i in range(means.size):
                    theta = total[i] / (pulls[i] + 1) + np.sqrt(1 / (pulls[i] + 1)) * np.random.standard_normal()  # noqa: NPY002
                    if theta > best:
                        best, arm = theta, i
                total[arm] += np.random.random() < means[arm]  # noqa: NPY002
                pulls[arm] += 1
            made += pulls
        return made

    @numba.njit
    def passed(trials: int, horizon: int, random: Any, means: Any) -> Any:
        made = np.zeros(means.size)
        for _ in range(trials):
            pulls, total = np.zeros(means.size), np.zeros(means.size)
            for _ in range(horizon):
                best, arm = -np.inf, 0
                for i in range(means.size):
                    theta = total[i] / (pulls[i] + 1) + np.sqrt(1 / (pulls[i] + 1)) * random.standard_normal()
                    if theta > best:
                        best, arm = theta, i
                total[arm] += random.random() < means[arm]
                pulls[arm] += 1
            made += pulls
        return made

    means = np.array(MEANS)
    return (
        lambda trials, horizon, seed: own(trials, horizon, seed, means),
        lambda trials, horizon, seed: passed(trials, horizon, np.random.default_rng(seed), means),
    )


def smpybandits(trials: int, horizon: int, seed: int) -> Any:
    """Its Thompson sampling with a Gaussian posterior, which is its own and not ou24's."""
    import scipy.special

    # Version 0.9.7 imports a name that scipy has since removed; betaincinv is the same function.
    scipy.special.btdtri = scipy.special.betaincinv
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        thompson = importlib.import_module("SMPyBandits.Policies").Thompson
        gauss = importlib.import_module("SMPyBandits.Policies.Posterior").Gauss
    random, made = np.random.default_rng(seed), np.zeros(ARMS)
    for _ in range(trials):
        policy = thompson(ARMS, posterior=gauss)
        policy.startGame()
        for _ in range(horizon):
            arm = policy.choice()
            policy.getReward(arm, float(random.random() < MEANS[arm]))
            made[arm] += 1
    return made


def mabwiser(trials: int, horizon: int, seed: int) -> Any:
    """Its Thompson sampling, which has a beta posterior."""
    mab = importlib.import_module("mabwiser.mab")
    random, made = np.random.default_rng(seed), np.zeros(ARMS)
    for trial in range(trials):
        policy = mab.MAB(list(range(ARMS)), mab.LearningPolicy.ThompsonSampling(), seed=seed + trial)
        policy.fit([0], [int(random.random() < MEANS[0])])
        for _ in range(horizon):
            arm = policy.predict()
            policy.partial_fit([arm], [int(random.random() < MEANS[arm])])
            made[arm] += 1
    return made


def contestants() -> dict[str, tuple[Contestant, int]]:
    """Who takes part, and what share of the decisions each can be asked for: the slow ones get few."""
    found: dict[str, tuple[Contestant, int]] = {"dpbandits": (ours, 1)}
    try:
        own, passed = numba_loops()
        found["dpbandits, compiled"] = (ours_compiled, 1)
        found |= {"numba, its own generator": (own, 1), "numba, a numpy generator": (passed, 1)}
    except ImportError:
        print("left out: numba is not installed")
    for name, play_it, share in (("SMPyBandits", smpybandits, 500), ("mabwiser", mabwiser, 5000)):
        try:
            play_it(1, 2, 0)
            found[name] = (play_it, share)
        except Exception as error:
            print(f"left out: {name}: {type(error).__name__}: {error}")
    return found


def compare(trials: int, horizon: int, players: dict[str, tuple[Contestant, int]]) -> None:
    """Every contestant RUNS times in turn; medians, and medians of the ratios within a turn."""
    seconds: dict[str, list[float]] = {name: [] for name in players}
    best: dict[str, float] = {}
    for run in range(RUNS):
        for name, (play_it, share) in players.items():
            many = max(1, trials // share)
            rounds = max(1, trials * horizon // (share * many))
            start = time.process_time()
            made = play_it(many, rounds, run)
            seconds[name].append((time.process_time() - start) / (many * rounds))
            best[name] = float(made[0] / made.sum())
    measure = next((name for name in players if name.endswith("numpy generator")), "dpbandits")
    print(f"\n{trials} trials, T = {horizon}, {ARMS} arms; median of {RUNS} runs (smallest to largest)")
    print(f"{'':26} {'ns/decision':>12} {'':>17} {'decisions/s':>12} {'times ' + measure:>32}  best arm")
    for name, each in seconds.items():
        nano = [1e9 * value for value in each]
        ratio = statistics.median(a / b for a, b in zip(each, seconds[measure], strict=True))
        spread = f"({min(nano):.0f} to {max(nano):.0f})"
        rate = 1e9 / statistics.median(nano)
        print(f"{name:26} {statistics.median(nano):12.0f} {spread:>17} {rate:12.3g} {ratio:32.2f}  {best[name]:.3f}")


def law() -> None:
    """What one exact law of the next arm costs."""
    print("\nexact laws of the next arm; median of", RUNS, "runs")
    random = np.random.default_rng(0)
    for arms, most in ((2, 100), (3, 100), (5, 100), (10, 100), (5, 10**4)):
        states = 5000 if most == 100 else 500
        pulls = random.integers(0, most + 1, (states, arms))
        means, deviations = random.random((states, arms)), np.sqrt(1 / (pulls + 1))
        each = []
        for _ in range(RUNS):
            start = time.process_time()
            argmax_law(means, deviations)
            each.append((time.process_time() - start) / states)
        print(f"{arms:3} arms, up to {most:6} pulls: {1e6 * statistics.median(each):9.2f} us a state")


def lazy_loop() -> Contestant:
    """DP-TS-UCB as a plain loop, alpha in its last two arguments: it draws where a sample is due, and nowhere else."""
    import numba

    @numba.njit
    def passed(trials: int, horizon: int, random: Any, means: Any, budget: float, variance: float) -> Any:
        arms = means.size
        made = np.zeros(arms)
        for _ in range(trials):
            mean, used, waiting, pending = np.zeros(arms), np.zeros(arms), np.zeros(arms), np.zeros(arms)
            left, best, goal = np.full(arms, budget), np.zeros(arms), np.ones(arms)
            for t in range(horizon):
                top, arm = -np.inf, t
                for i in range(arms if t >= arms else 0):
                    theta = best[i]
                    if left[i] >= 1:
                        theta = mean[i] + np.sqrt(variance / used[i]) * random.standard_normal()
                        left[i] -= 1
                        best[i] = max(best[i], theta)
                    if theta > top:
                        top, arm = theta, i
                made[arm] += 1
                waiting[arm] += 1
                pending[arm] += random.random() < means[arm]
                if waiting[arm] >= goal[arm]:
                    mean[arm], used[arm] = pending[arm] / waiting[arm], waiting[arm]
                    left[arm], best[arm] = budget, 0.0
                    goal[arm], waiting[arm], pending[arm] = 2 * goal[arm], 0.0, 0.0
        return made

    return passed  # type: ignore[no-any-return]


def dp_ts_ucb(trials: int = 1000, horizon: int = 10_000) -> None:
    """What a decision of DP-TS-UCB costs beside one of Thompson sampling, and beside a plain loop of its own; all take
    turns."""
    print(f"\nDP-TS-UCB, {trials} trials, T = {horizon}, {ARMS} arms; medians of {RUNS} ratios")
    try:
        loop: Any = lazy_loop()
    except ImportError:
        loop = None
    policies = [DPTSUCB(ARMS, horizon, alpha) for alpha in (0.0, 0.5, 1.0)]
    for policy in policies if loop else []:
        compiled.play_compiled(policy, Bernoulli(MEANS), Seeded(0, 2), 2)
    means, best = np.array(MEANS), {}
    ratios: dict[tuple[float, str], list[float]] = {}
    for policy in policies if loop else []:
        loop(1, 10, np.random.default_rng(0), means, float(policy.phi), float(policy.variance))
    for run in range(RUNS):
        _, plain = timed(lambda run=run: ours(trials, horizon, run))
        for policy in policies:
            played, seconds = timed(
                lambda policy=policy, run=run: play(policy, Bernoulli(MEANS), Seeded(run, trials), trials, keep=False)
            )
            ratios.setdefault((policy.alpha, "Thompson sampling"), []).append(seconds / plain)
            if not loop:
                continue
            numbers = np.random.default_rng(run), means, float(policy.phi), float(policy.variance)
            made, alone = timed(lambda numbers=numbers: loop(trials, horizon, *numbers))
            ratios.setdefault((policy.alpha, "its own numba loop"), []).append(seconds / alone)
            _, machine = timed(
                lambda policy=policy, run=run: compiled.play_compiled(
                    policy, Bernoulli(MEANS), Seeded(run, trials), trials
                )
            )
            ratios.setdefault((policy.alpha, "compiled, its own loop"), []).append(machine / alone)
            best[policy.alpha] = float((played.pulls[:, 0] / horizon).mean()), float(made[0] / made.sum())
    for (alpha, beside), each in ratios.items():
        print(f"alpha = {alpha:3}, to {beside:22}: {statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})")
    for alpha, (page, plain) in best.items():
        print(f"alpha = {alpha:3}, share of the best arm: {page:.3f}, in the loop {plain:.3f}")


@dataclass(frozen=True)
class Optimist:
    """A policy of one's own, in the style of the pages: samples about a bonus that falls with the pulls."""

    arms: int
    horizon: int
    bonus: float = 0.25

    def init(self, trials: int) -> State:
        return State(np.zeros((trials, self.arms), dtype=np.int64), np.zeros((trials, self.arms)))

    def posterior(self, t: int, state: State) -> Any:
        seen = state.pulls + 1.0
        return (state.total + self.bonus) / seen, 0.5 / np.sqrt(seen)

    def act(self, t: int, state: State, noise: Any) -> Pulls:
        mean, deviation = self.posterior(t, state)
        return Pulls.one((mean + deviation * noise.normal("theta", t, (self.arms,))).argmax(axis=1), self.arms)

    def learn(self, t: int, state: State, pulls: Pulls, sums: Any, noise: Any) -> State:
        return State(state.pulls + pulls.counts, state.total + sums)


def ways(trials: int = 1000, horizon: int = 2000) -> None:
    """What a decision costs in each way in which a policy can be given; all take turns."""
    example = run_path(str(EXAMPLE))["Run"]

    def one(rng: Any) -> Any:
        return example(int(rng.integers(2**32)), ARMS)

    page, own = ThompsonSampling(ARMS, horizon), Optimist(ARMS, horizon)
    found: dict[str, tuple[Callable[..., Any], Any, int]] = {
        "a page, numpy": (play, page, trials),
        "a page, compiled": (compiled.play_compiled, page, trials),
        "a policy of one's own, numpy": (play, own, trials),
        "a policy of one's own, compiled": (compiled.play_compiled, own, trials),
        "objects": (play, from_object(one, example.select, example.update, ARMS, horizon), 2),
        "a program": (play, from_program([sys.executable, str(EXAMPLE)], ARMS, horizon), 2),
    }
    print(f"\nways to give a policy, {trials} trials, T = {horizon}, {ARMS} arms; medians of {RUNS}, by the clock")
    taken: dict[str, list[float]] = {}
    for run in range(-1, RUNS):  # the first one compiles, and starts the program
        for name, (played, policy, many) in found.items():
            start = time.perf_counter()
            played(policy, Bernoulli(MEANS), Seeded(run, many), many)
            if run >= 0:
                taken.setdefault(name, []).append((time.perf_counter() - start) / (many * horizon))
    for name, each in taken.items():
        ratio = statistics.median(a / b for a, b in zip(each, taken["a page, numpy"], strict=True))
        print(f"{name:32} {1e9 * statistics.median(each):10.0f} ns a decision, times a page in numpy {ratio:9.2f}")


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What the call returns, and its processor seconds."""
    start = time.process_time()
    found = call()
    return found, time.process_time() - start


def main() -> None:
    warnings.simplefilter("ignore")
    players = contestants()
    for play_it, _ in players.values():
        play_it(1, 2, 0)  # compile, import
    compare(1000, 10_000, players)
    compare(10_000, 10_000 if "--long" in sys.argv else 1000, players)
    dp_ts_ucb()
    ways()
    law()


if __name__ == "__main__":
    main()
