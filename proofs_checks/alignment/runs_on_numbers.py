"""Runs a policy on random numbers, and compares each run with the symbolic run that has the same outcomes of
comparisons."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import exp, isfinite, isinf

import numpy as np

from dpbandits.proofs_checks.alignment.branches import Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.forms import WHOLE, Form, Symbol
from dpbandits.proofs_checks.alignment.traced_runs import Tracer, released_in_step, seen_in, symbols_drawn
from dpbandits.reference.bandits.contexts import Contexts
from dpbandits.reference.bandits.noise import Array, ByKind, Flags, Once, frozen
from dpbandits.reference.bandits.passing import State, mapped_state
from dpbandits.reference.bandits.policy import Policy

REPLAYS = 16  # runs on drawn numbers that have to go as the traced ones do; every path is replayed by itself
SIZES = (1.0, 10.0, 0.1, 100.0)  # by which draws are multiplied, run by run: what is rare happens as well

ROUNDING = 1e-9  # of numbers that a policy computes in doubles, and traced runs in fractions; relative above 1

Thresholds = Mapping[Symbol, Collection[Fraction]]

DRAWN_BY = {
    "laplace": "laplace",
    "normal": "standard_normal",
    "uniform": "random",
    "exponential": "standard_exponential",
    "gumbel": "gumbel",
}


class Drawn(dict[int, float]):
    """Random numbers for symbols, drawn when they are first needed. Rare outcomes have to occur as well: all outcomes
    of a finite draw are equally likely here, and so are the intervals between thresholds.

    size: the factor of Laplace and normal draws. thresholds: those with which the traced runs compare single draws.
    """

    def __init__(
        self, table: SymbolTable, generator: np.random.Generator, size: float, thresholds: Thresholds | None = None
    ) -> None:
        """Prepares random draws and rewards, each of which is drawn when it is first read."""
        super().__init__()
        self.table, self.generator, self.size, self.thresholds = table, generator, size, thresholds or {}

    def between_thresholds(self, symbol: Symbol) -> float | None:
        """A number in a random interval between the thresholds with which this draw is compared.
        None if there are none, and (except for uniform draws) in half of the calls."""
        inside = [float(each) for each in sorted(self.thresholds.get(symbol, ())) if symbol.low < each < symbol.high]
        if not inside or (symbol.kind != "uniform" and self.generator.random() < 0.5):
            return None
        ends = [float(symbol.low), *inside, float(symbol.high)]
        place = int(self.generator.integers(len(ends) - 1))
        low, high, share = ends[place], ends[place + 1], float(self.generator.random())
        if isinf(low):
            return high - self.size * share if isfinite(high) else None
        return low + share * (self.size if isinf(high) else high - low)

    def in_range(self, low: float, high: float) -> float:
        """A random number between `low` and `high`; either end may be infinite."""
        if isfinite(low) and isfinite(high):
            return float(self.generator.uniform(low, high))
        drawn = float(self.size * self.generator.standard_normal())
        return low + abs(drawn) if isfinite(low) else high - abs(drawn) if isfinite(high) else drawn

    def __missing__(self, number: int) -> float:
        """Draws the number of a symbol at its first use, and stores it."""
        symbol = self.table.symbols[number]
        if symbol.kind == "reward":
            low, high = float(symbol.low), float(symbol.high)
            value = self.generator.choice([low, high, self.generator.uniform(low, high)])
        elif symbol.kind in ("finite", "paid"):
            value = self.generator.choice(np.flatnonzero(symbol.weights))
        elif symbol.kind == "unknown":
            value = self.in_range(float(symbol.low), float(symbol.high))
        elif (near := self.between_thresholds(symbol)) is not None:
            value = max(1, round(near)) if symbol.kind in WHOLE else near
        elif symbol.kind == "geometric":
            value = self.generator.geometric(1 - exp(-float(symbol.rate))) * max(1, int(self.size))
        else:
            value = getattr(self.generator, DRAWN_BY[symbol.kind])() * (1 if symbol.kind == "uniform" else self.size)
        self[number] = float(value)
        return self[number]


class SameDraws(ByKind):
    """Noise that draws the numbers of the traced run, the same in each of `trials` trials."""

    def __init__(self, table: SymbolTable, values: Mapping[int, float], trials: int = 1) -> None:
        """Noise that gives every trial the prescribed values."""
        self.table, self.values, self.trials = table, values, trials

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: bool | Flags = True) -> Array:
        """The prescribed draw, the same in all trials, (trials, *shape); 0 where no number is needed."""
        drawn, needed = np.zeros((1, *shape)), np.asarray(where, dtype=bool)
        of_one = needed[:1] if needed.ndim > len(shape) else needed
        for place, symbol in symbols_drawn(kind, site, index, shape, of_one).items():
            drawn[place] = self.values[self.table.number_of(symbol)]
        return frozen(np.repeat(drawn, self.trials, axis=0))

    def single(self, symbol: Symbol) -> float | int:
        """The prescribed value of this symbol, for code that draws from a numpy generator."""
        value = self.values[self.table.number_of(symbol)]
        return int(value) if symbol.kind in ("finite", *WHOLE) else value


def first_disagreement(
    policy: Policy,
    seed: int,
    thresholds: Thresholds,
    contexts: Contexts | None = None,
    rewards: tuple[Fraction, ...] = (),
) -> str:
    """A sentence that names the first step whose release or state on numbers differs from the traced run.
    "" if none does. The numbers are random, and choose the traced run. This detects policies with hidden state, or with
    other randomness."""
    generator = np.random.default_rng(seed)
    for run in range(REPLAYS):
        table = SymbolTable()
        values = Drawn(table, generator, SIZES[run % len(SIZES)], thresholds)
        numbers = Numbers(table, values)
        tracer = Tracer(policy, numbers, contexts, rewards)
        traced, real, used, step = tracer.first_state(), policy.init(1), 0, 0
        while used < tracer.end:
            step += 1
            once = Once(SameDraws(table, values), 1, step)
            features = seen_in(contexts, step)
            released, pulls, _ = released_in_step(policy, step, real, used, once, *features)
            seen = tracer.step(step, traced, used)
            if seen.released != released:
                return f"step {step} releases {list(released)} on numbers, {list(seen.released)} when it is traced"
            sums = frozen(np.array([[numbers.value_of(form) for form in seen.sums.ravel()]]))
            real, traced, used = policy.learn(step, real, pulls, sums, once, *features), seen.state, used + seen.used
            if not are_close(real_numbers(real, numbers), real_numbers(traced, numbers)):
                return f"after step {step} the state on numbers is another one than when it is traced"
    return ""


def real_numbers(state: State, numbers: Numbers) -> list[float]:
    """The real numbers in the arrays of a state, and among its parts. numbers: the values of forms."""
    parts, found = list[State](), list[float]()
    mapped_state(state, parts.append)
    for part in parts:
        if isinstance(part, np.ndarray):
            each = part.ravel().tolist() if part.dtype in (np.float64, object) else []
        else:
            each = [part] if isinstance(part, float) else []
        found += [numbers.value_of(value) if type(value) is Form else float(value) for value in each]
    return found


def are_close(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two lists of doubles have the same length and are equal up to rounding."""
    return len(a) == len(b) and np.allclose(a, b, ROUNDING, ROUNDING, equal_nan=True)
