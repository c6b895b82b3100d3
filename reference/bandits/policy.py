"""The protocol of a policy, and of the law that it may declare; and `Step`, a one-shot mechanism on two inputs. The
first axis of every array is the trial."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from dpbandits.reference.arithmetic import elementary as el
from dpbandits.reference.arithmetic.checks import precise
from dpbandits.reference.bandits.noise import Array, Flags, Ints, Noise
from dpbandits.reference.bandits.passing import Pulls, State
from dpbandits.reference.bandits.recommendations import unit
from dpbandits.reference.bandits.release_laws import argmax_law

RELATIVE = 1e-11  # the default relative error of a law

__all__ = [
    "RELATIVE",
    "HasLaw",
    "Ints",
    "Law",
    "LawfulMechanism",
    "OfSameShape",
    "Policy",
    "Pulls",
    "Step",
    "Subject",
    "by_logarithms",
    "certain",
    "one_answer",
    "one_arm",
]


Given = TypeVar("Given", float, float | None)


class LawFields(NamedTuple):
    """The fields of `Law`."""

    counts: Ints
    chance: Array
    bound: Array | None = None
    error: float = RELATIVE
    absolute_error: float = 0.0
    log: Array | None = None
    open: Flags | None = None
    scores: Array | None = None


class Law(LawFields):
    """The exact law of the next release from m states: state s releases counts[s, o] with probability chance[s, o].

    counts: (m, outcomes, arms), non-negative integers: the pulls of each outcome; zeros where nothing is pulled any
    more, and -1 at an arm that is the final answer, as in `Pulls`. chance: (m, outcomes), probabilities; an outcome of
    probability 0 never occurs, so states may have different numbers of outcomes. bound: None, or the truncation of
    these pulls as in `Pulls`, broadcastable to the shape of counts. error: a bound on the relative error of every
    probability. absolute_error: an additional bound on the absolute error of every probability; if it is not 0,
    probabilities below it are unknown. log: None, or the logarithms of the probabilities, (m, outcomes), for
    probabilities too small for doubles: see `by_logarithms`. open: None, or the arms among which the law leaves the
    choice open, (m, arms), because their scores tie. Outcome o then pulls only arm o, and the law states only the sum
    of the probabilities of these arms. scores: None, or the scores that decide, (m, arms), for margins and messages.
    `laws.largest` and similar functions set open and scores.
    """

    __slots__ = ()

    def __new__(
        cls,
        counts: Ints,
        chance: Array,
        bound: Array | None = None,
        error: float = RELATIVE,
        absolute_error: float = 0.0,
        log: Array | None = None,
        open: Flags | None = None,
        scores: Array | None = None,
        *,
        blur: float | None = None,
    ) -> Law:
        """A law with these fields. blur: the former name of `absolute_error`."""
        absolute_error = renamed_blur("Law", absolute_error, blur)
        return super().__new__(cls, counts, chance, bound, error, absolute_error, log, open, scores)

    def rows(self, index: Ints | Flags | slice) -> Law:
        """The law restricted to the states with these indices."""
        return Law(
            self.counts[index],
            self.chance[index],
            None if self.bound is None else self.bound[index],
            self.error,
            self.absolute_error,
            None if self.log is None else self.log[index],
            None if self.open is None else self.open[index],
            None if self.scores is None else self.scores[index],
        )

    @property
    def blur(self) -> float:
        """The former name of `absolute_error`."""
        return renamed_blur("Law", 0.0, self.absolute_error)


def renamed_blur(function: str, absolute_error: Given, blur: float | None) -> Given | float:
    """Returns `absolute_error`, or the value that was given under its deprecated name `blur`."""
    if blur is None:
        return absolute_error
    warnings.warn(f"{function}: the argument blur is deprecated; use absolute_error=", DeprecationWarning, 3)
    return blur


def by_logarithms(counts: Ints, log: ArrayLike, bound: Array | None = None, error: float = RELATIVE) -> Law:
    """A law whose outcomes have these logarithms of probabilities, (m, outcomes), -inf for impossible ones.

    counts, bound: see `Law`; error: a bound on the absolute error of the logarithms. Probabilities may be as small as
    e^-2500, far below the range of doubles.
    """
    precise("by_logarithms", log, error)
    logs = np.asarray(log, dtype=np.float64)
    with np.errstate(over="ignore"):  # the check of laws rejects logarithms above 0
        return Law(counts, el.exp(logs), bound, error, 0.0, logs)


def certain(pulls: Pulls) -> Law:
    """The law of a policy without randomness, which releases these pulls, or this answer, with probability 1."""
    return Law(pulls.counts[:, None], np.ones((len(pulls.counts), 1)), None, 0.0, 0.0)


def one_answer(
    chance: ArrayLike, error: float = RELATIVE, absolute_error: float | None = None, *, blur: float | None = None
) -> Law:
    """The law of a final answer: chance[s, arm] is its probability in state s, (m, arms); errors as in `one_arm`."""
    law = one_arm(chance, 1, error, renamed_blur("one_answer", absolute_error, blur))
    return law._replace(counts=-law.counts)


def one_arm(
    chance: ArrayLike,
    size: Ints | int = 1,
    error: float = RELATIVE,
    absolute_error: float | None = None,
    *,
    blur: float | None = None,
) -> Law:
    """The law of a release that pulls one arm, `size` times: chance[s, arm] is its probability in state s, (m, arms).

    size: an integer of at least 1, or one for each state, (m,). error, absolute_error: see `Law`; the default None is
    the accuracy of `argmax_law`, which is 0 for two arms. Raises ValueError for another shape or size.
    """
    absolute_error = renamed_blur("one_arm", absolute_error, blur)
    precise("one_arm", chance, error, absolute_error)
    chance, many = np.asarray(chance, dtype=np.float64), np.asarray(size)
    if chance.ndim != 2 or many.dtype.kind not in "iu" or (many < 1).any() or many.shape not in ((), chance.shape[:1]):
        raise ValueError(
            f"one_arm: probabilities have shape {chance.shape}, and size is {size!r}; give probabilities of shape "
            "(states, arms). size must be an integer of at least 1, or one such integer for each state"
        )
    arms = chance.shape[1]
    counts = np.broadcast_to(many.reshape(-1, 1, 1) * unit(arms), (len(chance), arms, arms))
    return Law(
        counts, chance, None, error, argmax_law.absolute_error(arms) if absolute_error is None else absolute_error
    )


@runtime_checkable
class Policy(Protocol):
    """The protocol of a bandit policy, which plays any number of trials at once. No inheritance is needed.

    arms: the number of arms. horizon: the number of pulls in a run. `init(trials)` is the state before the first step;
    `act(t, state, noise)` the pulls of step t, (trials, arms); `learn(t, state, pulls, sums, noise)` the state after
    it, sums (trials, arms) what each arm paid in this step. State is a NamedTuple of arrays whose first axis is the
    trial. `learn` accepts any pulls, also pulls that the policy would not have made, so that a test can put a policy
    into any state.

    A policy with `answers = True` ends every run with a recommended arm (`Pulls.answer`), possibly before its horizon
    is used up. If the horizon is used up, `act` is called once more. The recommendation is the last release, and
    `learn` receives no pull for it. For rewards outside [0, 1], a policy sets `reward_range = (low, high)`, or the set
    of all possible rewards, such as `reward_range = {0.0, 1.0}`. Audits then use only reward tables with these rewards.
    A policy with `side_by_side = True` accepts a column of shape (trials, 1) for each of its numeric parameters, so
    that many settings of an experiment are played at once. A policy that uses no randomness on purpose sets
    `deterministic = True`. Without this field, equal runs without draws are treated as a mistake, and certify nothing.
    A policy that sees a context before it decides is a `ContextualPolicy`.
    """

    @property
    def arms(self) -> int:
        """The number of arms."""

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""

    def init(self, trials: int) -> State:
        """The policy's state before the first step, for `trials` runs."""

    def act(self, t: int, state: State, noise: Noise) -> Pulls:
        """The pulls, or the answer, that each trial releases in step t."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise) -> State:
        """The policy's state after the pulls of step t, given the sum of the rewards of each arm."""


class HasShape(Protocol):
    """What has a number of arms, and of pulls in a run: a policy of any kind."""

    @property
    def arms(self) -> int:
        """The number of arms."""

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""


class OfSameShape:
    """A policy built from another one, `policy`, with the same number of arms and the same horizon."""

    policy: HasShape

    @property
    def arms(self) -> int:
        """The number of arms."""
        return self.policy.arms

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""
        return self.policy.horizon


@runtime_checkable
class ContextualPolicy(Protocol):
    """A policy that sees `contexts` features of every arm before each of its pulls.

    A contextual policy is a `Policy` whose methods `act`, `learn` and (if it has one) `law` take one more argument at
    the end. This argument, seen, contains the features of this round, (trials, arms, contexts), read-only; in `law` the
    first axis is the state. A contextual policy pulls one arm once in every step, so that step t is round t, and
    recommends no arm at the end. It is played on environments with `Contexts`. Privacy is audited for features of
    Euclidean norm at most 1, or at most the attribute `context_norm`.
    """

    @property
    def arms(self) -> int:
        """The number of arms."""

    @property
    def horizon(self) -> int:
        """The horizon: the number of pulls of one run."""

    @property
    def contexts(self) -> int:
        """The number d of features in the context of a round."""

    def init(self, trials: int) -> State:
        """The policy's state before the first step, for `trials` runs."""

    def act(self, t: int, state: State, noise: Noise, seen: Array) -> Pulls:
        """The pulls, or the answer, that each trial releases in step t."""

    def learn(self, t: int, state: State, pulls: Pulls, sums: Array, noise: Noise, seen: Array) -> State:
        """The policy's state after the pulls of step t, given the sum of the rewards of each arm."""


@runtime_checkable
class HasLaw(Policy, Protocol):
    """A policy that knows the exact law of its next release: law(t, state) -> Law, or for one pull of one arm the
    probabilities (trials, arms), whose errors are then assumed to be the defaults of `one_arm`; beside probabilities
    below 2e-5, the absolute error is at least 2^-52.

    `learn` draws nothing, and is a function of the state, the pulls and the sums of their rewards: noise belongs in
    `act`, and in the law. The exact engine rebuilds every state with `learn`, from pulls that the law offers.
    """

    def law(self, t: int, state: State) -> Law | Array:
        """The law of the release of step t, for each state (row) of `state`."""


@runtime_checkable
class PullsInAdvance(Protocol):
    """A policy that pulls every arm `prepulls` times, 0 or more, before its first decision."""

    @property
    def prepulls(self) -> int:
        """The number of pulls of every arm before the first decision."""


@runtime_checkable
class HasFloor(Protocol):
    """A policy whose samples are never below the constant `floor`."""

    @property
    def floor(self) -> float:
        """The constant below which no sample of the policy lies."""


@runtime_checkable
class LawfulMechanism(Protocol):
    """A mechanism of any kind that knows the law of its released index: law(values) -> (n,)."""

    def law(self, values: ArrayLike) -> ArrayLike:
        """The probability of each index, (n,). values: the queries' answers."""


class Step(NamedTuple):
    """A one-shot mechanism on two neighbouring inputs.

    mechanism: such as `ReportNoisyMax`, or your own object with a method `release(values, noise)` that returns the
    released index of each trial, and optionally `law(values)` that returns the probability of each index. left, right:
    the values of the n queries on each side. sensitivities: the largest change of each value between neighbours.
    """

    mechanism: Any
    left: tuple[float, ...]
    right: tuple[float, ...]
    sensitivities: tuple[float, ...]


# Of a privacy claim: a policy, or a one-shot mechanism on two inputs, such as a round of a policy
Subject = Policy | Step
