"""Makes a policy from code that runs its own loop and calls a function whenever it pulls an arm.

>>> from dpbandits.extensions.conformance.loops import from_loop
>>> def explore_then_commit(pull, rng):
...     paid = [pull(0) + rng.normal(), pull(1) + rng.normal()]
...     while True:
...         pull(paid.index(max(paid)))
>>> policy = from_loop(explore_then_commit, arms=2, horizon=10)

The state of such code cannot be set from outside. To learn what it pulls in step t, it is run again from the start,
with its own seed and the rewards that it was paid, and stopped at its t-th pull: a run of T pulls costs T(T + 1)/2. So
whole runs can be audited, but single rounds cannot, because they need chosen states.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from dpbandits.audit.privacy.single_rounds import NoRounds
from dpbandits.audit.statistics.copies import WatchedGenerators
from dpbandits.extensions.conformance.objects import seeds
from dpbandits.extensions.conformance.watch import Watch
from dpbandits.proofs_checks.alignment import single_runs as alignment
from dpbandits.proofs_checks.alignment.forms import NotLinear
from dpbandits.reference.arithmetic.checks import at_least, positive, require_callable, require_flag
from dpbandits.reference.bandits.contexts import context_dimension
from dpbandits.reference.bandits.contexts import context_norm as norm_of_contexts
from dpbandits.reference.bandits.noise import Array, Noise, frozen
from dpbandits.reference.bandits.policy import ContextualPolicy, Ints, Policy, Pulls
from dpbandits.reference.bandits.protocol import accepts_arguments

DEAF = 3  # pulls after the end of a run, each of which is told so, before it is given up
CAUGHT = "the loop catches the exception that ends it, and continues; let it catch Exception, not BaseException"
LAZY = "; it returned a generator or a coroutine, but it must call pull(arm) itself, without yield or await"


class Past(NamedTuple):
    """The pulls and rewards of the runs so far."""

    arms: Ints  # (trials, steps)
    rewards: Array  # (trials, steps). SECRET
    seen: Array  # (trials, steps, arms, contexts). SECRET where contexts are


class Enough(BaseException):
    """Ends a run at the requested pull. It is no Exception, so that `except Exception` does not catch it."""


@dataclass(frozen=True)
class Loop:
    """A policy that a user's loop plays; made by `from_loop`, which describes its fields."""

    run: Callable[..., object]
    arms: int
    horizon: int
    seed: Callable[[int], object] | None = None
    patience: float = 60.0
    contexts: int | None = None
    context_norm: float = 1.0
    deterministic: bool = False
    given_randomness: ClassVar[str] = "the generator that is handed to run(pull, rng) was never drawn from"

    def watched(self, generators: WatchedGenerators) -> Loop:
        """Returns the same loop, with its random generators registered in `generators`."""
        return replace(self, run=lambda pull, rng, *see: self.run(pull, generators.add(rng), *see))

    def init(self, trials: int) -> Past:
        """Returns the pasts of `trials` runs before the first step: no pulls, rewards or features."""
        features = np.zeros((trials, 0, self.arms, self.contexts or 0))
        return Past(np.zeros((trials, 0), dtype=np.int64), np.zeros((trials, 0)), features)

    def act(self, t: int, state: Past, noise: Noise, *seen: Array) -> Pulls:
        """Returns the arm that the user's loop pulls in step t of every run, found by replaying the run."""
        numbers, watch, told = seeds(noise, "loop"), Watch(), frozen(append_features(state.seen, *seen))
        arms = watch.run(
            lambda: [self.next_arm(state, told[trial], trial, number, watch) for trial, number in enumerate(numbers)],
            self.patience,
            lambda: ValueError(
                f"step {t}: the loop did not call pull for {self.patience} s; it must call pull(arm) at "
                f"least {self.horizon} times"
            ),
        )
        return Pulls.one(np.array(arms, dtype=np.int64), self.arms)

    def learn(self, t: int, state: Past, pulls: Pulls, sums: Array, noise: Noise, *seen: Array) -> Past:
        """Returns the pasts, extended by the pull and the reward of step t."""
        if (pulls.counts.sum(axis=1) > 1).any():
            raise ValueError(
                f"step {t}: a policy of from_loop makes one pull in each step, but `learn` was called with several "
                "pulls in this step"
            )
        arm = pulls.counts.argmax(axis=1)
        paid = np.take_along_axis(sums, arm[:, None], axis=1)
        arms, rewards = np.hstack([state.arms, arm[:, None]]), np.hstack([state.rewards, paid])
        return Past(arms, rewards, append_features(state.seen, *seen))

    def next_arm(self, past: Past, contexts: Array, trial: int, number: int, watch: Watch) -> int:
        """Replays one run up to its present and returns the arm that it pulls next.
        contexts: the features of all rounds so far."""
        replay = ReplayedRun(self.arms, past.arms[trial].tolist(), past.rewards[trial].tolist(), watch, contexts)
        if self.seed is not None:
            self.seed(number)
        return self.arm_of_replay(replay, np.random.default_rng(number))

    def arm_after(self, past: alignment.Past, rng: np.random.Generator, within: AbstractContextManager[None]) -> int:
        """Replays a run with a new generator and returns the arm that it pulls after this past.
        For a proof by alignment (see `proofs_checks.alignment.single_runs`)."""
        if self.seed is not None:
            raise NotLinear("the argument seed= is given, so the code may draw from a global generator")
        watch = Watch()
        replay = ReplayedRun(self.arms, past.arms, past.rewards, watch, past.seen)

        def play() -> int:
            """Returns the next arm of the replayed run."""
            with within:
                return self.arm_of_replay(replay, rng)

        return int(watch.run(play, self.patience, lambda: ValueError(f"no pull for {self.patience:g} s")))

    def arm_of_replay(self, replay: ReplayedRun, rng: np.random.Generator) -> int:
        """Calls the user's loop with recorded rewards, and returns the arm that it pulls after them."""
        sees = () if self.contexts is None else (replay.see,)
        try:
            returned = self.run(replay.pull, rng, *sees)
        except Enough:
            returned = None
        except SystemExit as error:
            raise ValueError(
                f"after pull {len(replay.chosen)} of {self.horizon} the loop tried to end the process ({error!r}); "
                "change the loop so that it returns instead"
            ) from None
        if replay.faults:
            raise replay.faults[0]
        if replay.ends:
            return replay.chosen[-1]
        lazy = ""
        if inspect.isgenerator(returned) or inspect.iscoroutine(returned):
            returned.close()
            lazy = LAZY
        raise ValueError(
            f"the loop ended after pull {len(replay.chosen)}, but must call pull {self.horizon} times (the horizon)"
            f"{lazy}"
        )


def append_features(past: Array, *seen: Array) -> Array:
    """Appends the features of one round, if any, to those of the rounds so far, (trials, rounds, arms, d)."""
    return np.concatenate([past, *(features[:, None] for features in seen)], axis=1)


class ReplayedRun:
    """A run that is started again, given its earlier rewards, and ended at the first pull after them.

    taken, paid: its past, pull by pull. told: its features, round by round, and those of one more round. chosen: the
    arms that it pulls. ends: how often it was told to end. faults: raised when the run has ended, because its code may
    catch any exception.
    """

    def __init__(
        self, arms: int, taken: Sequence[int], paid: Sequence[float], watch: Watch, told: Sequence[Array] | Array
    ) -> None:
        """Prepares the replay of a run whose pulls `taken` and rewards `paid` are known."""
        self.arms, self.taken, self.paid, self.watch, self.told = arms, taken, paid, watch, told
        self.chosen, self.faults, self.ends = list[int](), list[Exception](), 0

    def see(self) -> Array:
        """Returns the features of every arm in the coming round, (arms, d).
        Calling it again gives the same features."""
        self.end_again()
        features: Array = self.told[len(self.chosen)]
        return features

    def end_again(self) -> None:
        """Stops the run once more by raising Enough if the user's code has caught the first Enough."""
        if not self.ends:
            return
        self.ends += 1
        if self.ends > DEAF:
            self.watch.leave(ValueError(f"pull {len(self.chosen)}: {CAUGHT}"))
        raise Enough

    def pull(self, arm: object) -> float:
        """The reward of the run's next pull.
        Raises Enough at the requested pull, for an invalid arm, and for an arm other than in its past."""
        self.watch.beat()
        self.end_again()
        step = len(self.chosen)
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer) or not 0 <= arm < self.arms:
            self.ends += 1
            self.faults.append(
                ValueError(f"pull {step + 1}: the arm is {arm!r}; it must be an integer from 0 to {self.arms - 1}")
            )
            raise Enough
        self.chosen.append(int(arm))
        if step < len(self.taken) and arm != self.taken[step]:
            self.faults.append(
                NoRounds(
                    f"step {step + 1}: the loop pulls arm {arm}, but the audit needs arm {self.taken[step]} "
                    "here. The state of a loop cannot be set from outside, so single rounds cannot be "
                    "audited. (Or the loop uses randomness of its own; it must draw from `rng`, or use "
                    "`seed`)"
                )
            )
        if step == len(self.taken) or self.faults:
            self.ends += 1
            raise Enough
        return self.paid[step]


def from_loop(
    run: Callable[..., object],
    arms: int,
    horizon: int,
    seed: Callable[[int], object] | None = None,
    patience: float = 60.0,
    contexts: int | None = None,
    context_norm: float = 1.0,
    deterministic: bool = False,
) -> Policy | ContextualPolicy:
    """Makes a policy from code that runs its own loop.

    run(pull, rng): plays one run. It calls reward = pull(arm), with arms counted from 0, at least `horizon` times, and
    must draw only from this generator. It is started again for every step, and ended by an exception in `pull`.
    seed(number): for code that draws from a generator of the whole process, as in `from_object`. patience: the time
    limit in seconds until the next pull; the loop runs in a thread of its own. contexts: None, or the number of
    features of every arm; the signature is then run(pull, rng, see), and features = see() are those of all arms in the
    round that the next pull decides, (arms, contexts), read-only. context_norm: the largest Euclidean norm of an arm's
    features for which the loop is designed. deterministic: True for a loop that uses no randomness on purpose, as in
    `from_object`. Raises ValueError for arms or a horizon below 1 or a patience that is not positive, TypeError for a
    run that does not take these arguments, and in play ValueError for an arm that does not exist, a loop that ends
    early, and one that cannot be ended.
    """
    at_least("from_loop: arms", arms, 1)
    at_least("from_loop: horizon", horizon, 1)
    positive("from_loop: patience", patience)
    require_callable("from_loop: run", run)
    if seed is not None:
        require_callable("from_loop: seed", seed)
    require_flag("from_loop: deterministic", deterministic)
    policy = Loop(run, arms, horizon, seed, patience, contexts, context_norm, deterministic)
    call = ("pull", "rng", "see")[: 3 if context_dimension(policy) else 2]
    norm_of_contexts(policy)
    if not accepts_arguments(run, len(call)):
        raise TypeError(f"from_loop: run{inspect.signature(run)} cannot be called as run({', '.join(call)})")
    return policy
