"""The bound on eps or mu that randomness alignment proves of a policy, for all reward tables at its horizon."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import exp, inf, isfinite, isinf, nextafter, sqrt
from typing import Any

import numpy as np

from dpbandits.proofs_checks.alignment.branches import Numbers, SymbolTable
from dpbandits.proofs_checks.alignment.finite_runs import FiniteTree
from dpbandits.proofs_checks.alignment.forms import MOVABLE, OWN_FILES, WHOLE, NotLinear, Symbol, code_line, rational
from dpbandits.proofs_checks.alignment.hidden_state import Notes, kept_values, what_changed
from dpbandits.proofs_checks.alignment.merged_states import MergedStates
from dpbandits.proofs_checks.alignment.other_randomness import OtherRandomness
from dpbandits.proofs_checks.alignment.single_runs import PlaysOneRun, SingleRuns
from dpbandits.proofs_checks.alignment.traced_runs import (
    KINDS,
    NoBound,
    TooLong,
    Tracer,
    Tree,
    Worst,
    asked,
    seen_in,
    symbols_drawn,
)
from dpbandits.reference.bandits.contexts import Contexts, context_dimension
from dpbandits.reference.bandits.noise import Array, ByKind, Once
from dpbandits.reference.bandits.reward_ranges import reward_values

EFFORT = 500_000  # after which a search gives up, unless told otherwise: two or three CPU seconds
LEAVES = 400  # paths of a tree that is written down as a certificate
REPLAYS = 40  # runs on drawn numbers that have to go as the traced ones do
SIZES = (1.0, 10.0, 0.1, 100.0)  # by which draws are multiplied, run by run: what is rare happens as well
NO_BOUND = "a reward is compared with no noise that could make up for its change"

Thresholds = Mapping[Symbol, Collection[Fraction]]


class Outcome(StrEnum):
    """How the search for a bound ended."""

    BOUND = "bound"
    NO_BOUND = "no bound"  # a reward is compared with no noise that could make up for its change
    NOT_LINEAR = "not linear"  # the policy does something with noise or rewards that is not followed
    TOO_LONG = "too long"  # there are more runs than the effort allows
    NO_NOISE = "no noise"  # the policy draws no noise that moves


@dataclass(frozen=True)
class Alignment:
    """What the search found.

    outcome: see `Outcome`. noise: "normal", or "laplace" for all noise with a cost in eps (Laplace, exponential, Gumbel
    and geometric). cost: the largest cost of a move: eps, or mu squared for normal noise; for an outcome other than
    BOUND only the largest so far. reason: for the other outcomes, in words, with the policy's line. worst: the change
    that costs most, or for which there is no move. paths, steps: how many were followed. tree: the search itself, for
    a certificate. noise is "finite", and finite the search, where rewards were followed value by value. merged: the
    search over merged states, whose paths are the ways of all steps.
    """

    outcome: Outcome
    noise: str = ""
    cost: Fraction = Fraction(0)
    reason: str = ""
    worst: Worst | None = None
    paths: int = 0
    steps: int = 0
    tree: Tree | None = field(default=None, repr=False)  # whose forms must not become strings
    merged: MergedStates | None = field(default=None, repr=False)
    finite: FiniteTree | None = field(default=None, repr=False)

    @property
    def eps(self) -> float:
        """The bound on eps, rounded up; inf without a bound, and for normal noise."""
        return rounded_up(self.cost) if self.outcome is Outcome.BOUND and self.noise != "normal" else inf

    @property
    def mu(self) -> float:
        """The bound on mu, rounded up; inf without a bound, and for other noise than normal."""
        return root_rounded_up(self.cost) if self.outcome is Outcome.BOUND and self.noise == "normal" else inf

    @property
    def parameter(self) -> tuple[str, float]:
        """What is bounded, "mu" for normal noise and "eps" for other noise, and the bound."""
        return ("mu", self.mu) if self.noise == "normal" else ("eps", self.eps)


def rounded_up(value: Fraction) -> float:
    """The least double that is not below a fraction."""
    near = float(value)
    return near if Fraction(near) >= value else nextafter(near, inf)


def root_rounded_up(value: Fraction) -> float:
    """A double that is not below the square root of a fraction."""
    near = sqrt(rounded_up(value))
    while Fraction(near) ** 2 < value:
        near = nextafter(near, inf)
    return near


def alignment_bound(policy: Any, effort: int = EFFORT, seed: int = 0, contexts: Contexts | None = None) -> Alignment:
    """The bound for the released arms under one changed reward of the table, at the policy's horizon and range.

    policy: one that passes its state and draws all randomness from its noise, or code that plays one run and draws all
    randomness from the generator that it is given. contexts: the features of all rounds, for a policy that sees some;
    the bound is about these. effort: when to give up, in units of some five microseconds; the count does not depend on
    the machine. seed: of the runs on drawn numbers that have to agree with the traced ones.

    Relations "pull" and "round" have the same bound: either changes one reward that is pulled.
    """
    if context_dimension(policy) and contexts is None:
        return Alignment(Outcome.NOT_LINEAR, reason="the features that the policy sees are not known")
    if isinstance(policy, PlaysOneRun):
        policy = SingleRuns(policy)
    found = moved_bound(policy, effort, seed, contexts)
    values = reward_values(policy)
    if found.outcome in (Outcome.BOUND, Outcome.TOO_LONG) or values is None:
        return found
    tried = value_by_value(FiniteTree(policy, tuple(rational(float(each)) for each in values), effort, contexts), seed)
    return tried if tried.outcome is Outcome.BOUND else found


def moved_bound(policy: Any, effort: int, seed: int, contexts: Contexts | None) -> Alignment:
    """The bound by moving noise."""
    found = Alignment(Outcome.NO_NOISE, reason="the policy draws no Laplace, exponential, Gumbel or normal noise")
    for noise in KINDS:
        tree = Tree(policy, noise, effort, LEAVES, contexts)
        tried = searched(tree)
        if any(symbol.kind in MOVABLE[noise] for symbol in tree.table.symbols) or tried.outcome is Outcome.NOT_LINEAR:
            found = tried
        if found.outcome is Outcome.BOUND:
            return agreeing(found, policy, seed, contexts)
        if found.outcome in (Outcome.NOT_LINEAR, Outcome.TOO_LONG):
            return found
    return found


def value_by_value(tree: FiniteTree, seed: int) -> Alignment:
    """The bound by finite draws alone, of rewards with finitely many values."""
    outcome, reason = how_it_ended(tree)
    found = Alignment(outcome, "finite", tree.cost, reason, tree.worst, tree.paths, tree.steps, finite=tree)
    return agreeing(found, tree.policy, seed, tree.contexts, tree.values) if outcome is Outcome.BOUND else found


def agreeing(
    found: Alignment, policy: Any, seed: int, contexts: Contexts | None, values: tuple[Fraction, ...] = ()
) -> Alignment:
    """The bound, if runs on numbers go as the traced ones."""
    objection = objection_on_numbers(
        policy, lambda: first_disagreement(policy, seed, thresholds_of(found), contexts=contexts, rewards=values)
    )
    return found if not objection else Alignment(Outcome.NOT_LINEAR, found.noise, reason=objection)


def objection_on_numbers(policy: Any, play: Callable[[], str]) -> str:
    """Why runs on numbers do not bear out what was traced: what `play`, which plays them, says, or that the policy has
    randomness of its own, or values outside of its state that these runs change; "" for nothing."""
    before, other = kept_values(policy), OtherRandomness()
    try:
        with other:
            objection = play()
    except Exception as error:  # of the policy
        return f"on numbers the policy raises {raised(error)}"
    if not objection and other.found:
        objection = f"the code has randomness of its own: {other.found}"
    return objection or objection_to_memory(before, kept_values(policy))


def objection_to_memory(before: Notes, after: Notes) -> str:
    """That a policy has changed what it keeps; "" where it has not."""
    changed = what_changed(before, after)
    return f"the policy keeps values outside of its state: {changed}" if changed else ""


def raised(error: Exception) -> str:
    """An exception of a policy's code, with its line."""
    return f"{type(error).__name__}{': ' * bool(str(error))}{error} at {line_of(error)}"


def raised_on_symbols(error: Exception) -> str:
    """Why a policy that raises an exception, once it is handed forms in the place of numbers, is not followed."""
    return f"with symbols for numbers the policy raises {raised(error)}"


def thresholds_of(found: Alignment) -> Thresholds:
    """The thresholds with which the traced runs compare single draws."""
    search = found.tree or found.finite
    return search.run.thresholds if search is not None else {}


def searched(tree: Tree) -> Alignment:
    """The search, and how it ended."""
    outcome, reason = how_it_ended(tree)
    return Alignment(outcome, tree.noise, tree.cost, reason, tree.worst, tree.paths, tree.steps, tree)


def how_it_ended(
    tree: Tree | FiniteTree | MergedStates, no_bound: str = NO_BOUND, many: str = "runs"
) -> tuple[Outcome, str]:
    """How a search ends, and why it finds no bound. no_bound: the reason that is given for NO_BOUND. many: what is
    followed, "runs" or "states", of which there may be too many."""
    try:
        tree.search()
    except NoBound:
        return Outcome.NO_BOUND, no_bound
    except NotLinear as error:
        return Outcome.NOT_LINEAR, str(error)
    except (TooLong, RecursionError):
        return Outcome.TOO_LONG, f"there are more {many} than the effort of {tree.most_effort} allows"
    except Exception as error:  # of the policy, which was handed forms in the place of numbers
        return Outcome.NOT_LINEAR, raised_on_symbols(error)
    return Outcome.BOUND, ""


def line_of(error: Exception) -> str:
    """The innermost line of the policy's code in a traceback, "mine.py:12"."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(OWN_FILES)]
    return code_line(frames[-1].filename, frames[-1].lineno or 0) if frames else "an unknown line"


# -- on numbers ------------------------------------------------------------------------------------------------------


DRAWN_BY = {
    "laplace": "laplace",
    "normal": "standard_normal",
    "uniform": "random",
    "exponential": "standard_exponential",
    "gumbel": "gumbel",
}


class Drawn(dict[int, float]):
    """Numbers for symbols, drawn when they are first asked for. What is rare has to happen as well: outcomes of finite
    draws are equally likely here, and so are the intervals between thresholds.

    size: by which Laplace and normal draws are multiplied. thresholds: with which the traced runs compare single draws.
    """

    def __init__(
        self, table: SymbolTable, generator: np.random.Generator, size: float, thresholds: Thresholds | None = None
    ) -> None:
        super().__init__()
        self.table, self.generator, self.size, self.thresholds = table, generator, size, thresholds or {}

    def between_thresholds(self, symbol: Symbol) -> float | None:
        """A number in one of the intervals into which the thresholds cut the range of a draw; None where that is not
        asked for."""
        inside = [float(each) for each in sorted(self.thresholds.get(symbol, ())) if symbol.low < each < symbol.high]
        if not inside or (symbol.kind != "uniform" and self.generator.random() < 0.5):
            return None
        ends = [float(symbol.low), *inside, float(symbol.high)]
        place = int(self.generator.integers(len(ends) - 1))
        low, high, share = ends[place], ends[place + 1], float(self.generator.random())
        if isinf(low):
            return high - self.size * share if isfinite(high) else None
        return low + share * (self.size if isinf(high) else high - low)

    def __missing__(self, number: int) -> float:
        symbol = self.table.symbols[number]
        if symbol.kind == "reward":
            low, high = float(symbol.low), float(symbol.high)
            value = self.generator.choice([low, high, self.generator.uniform(low, high)])
        elif symbol.kind in ("finite", "paid"):
            value = self.generator.choice(np.flatnonzero(symbol.weights))
        elif (near := self.between_thresholds(symbol)) is not None:
            value = max(1, round(near)) if symbol.kind in WHOLE else near
        elif symbol.kind == "geometric":
            value = self.generator.geometric(1 - exp(-float(symbol.rate))) * max(1, int(self.size))
        else:
            value = getattr(self.generator, DRAWN_BY[symbol.kind])() * (1 if symbol.kind == "uniform" else self.size)
        self[number] = float(value)
        return self[number]


class SameDraws(ByKind):
    """Noise that draws the numbers of the traced run."""

    def __init__(self, table: SymbolTable, values: Mapping[int, float]) -> None:
        self.table, self.values = table, values

    def draw(self, kind: str, site: str, index: int, shape: tuple[int, ...], where: Any = True) -> Array:
        drawn = np.zeros((1, *shape))
        for place, symbol in symbols_drawn(kind, site, index, shape, where).items():
            drawn[place] = self.values[self.table.number_of(symbol)]
        return drawn

    def single(self, symbol: Symbol) -> float | int:
        """A draw of code that has a generator."""
        value = self.values[self.table.number_of(symbol)]
        return int(value) if symbol.kind in ("finite", *WHOLE) else value


def first_disagreement(
    policy: Any,
    seed: int,
    thresholds: Thresholds,
    runs: int = REPLAYS,
    contexts: Contexts | None = None,
    rewards: tuple[Fraction, ...] = (),
) -> str:
    """Where the policy on drawn numbers releases something else than the traced run that these numbers choose; "" where
    it never does. A policy with a state of its own, or with randomness of its own, is noticed here."""
    generator = np.random.default_rng(seed)
    for run in range(runs):
        table = SymbolTable()
        values = Drawn(table, generator, SIZES[run % len(SIZES)], thresholds)
        numbers = Numbers(table, values)
        tracer = Tracer(policy, numbers, contexts, rewards)
        traced, real, used, step = tracer.first_state(), policy.init(1), 0, 0
        while used < tracer.end:
            step += 1
            once = Once(SameDraws(table, values), 1, step)
            features = seen_in(contexts, step)
            released, pulls, _ = asked(policy, step, real, used, once, *features)
            seen = tracer.step(step, traced, used)
            if seen.released != released:
                return f"step {step} releases {list(released)} on numbers, {list(seen.released)} when it is traced"
            sums = np.array([[numbers.value_of(form) for form in seen.sums.ravel()]])
            real, traced, used = policy.learn(step, real, pulls, sums, once, *features), seen.state, used + seen.used
    return ""
