"""Playing a policy: many runs together, step by step, until their horizon is used up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dpbandits.reference.arithmetic.checks import at_least, checked_integer
from dpbandits.reference.bandits.contexts import context_dimension, demand_contexts, demand_one_pull, seen_by
from dpbandits.reference.bandits.environments import Environment
from dpbandits.reference.bandits.noise import Array, Ints, Noise, Once, Seeded, separate_noise
from dpbandits.reference.bandits.passing import (
    MAX_STEP_PULLS,
    Pulls,
    checked_pulls,
    checked_state,
    checked_sums,
    cut_to_horizon,
    explain_refused_write,
    state_rows,
)
from dpbandits.reference.bandits.policy import ContextualPolicy, Policy
from dpbandits.reference.bandits.recommendations import ANSWER, answered, answers, pulls_without_answers

FEWER = 0.95  # once so small a share of the trials is left, those that have ended are played no more, where they may


class Played(NamedTuple):
    """The result of playing one batch of runs.

    released: (trials, steps, arms), the released pull counts of every step: the adversary's view. sums: (trials, arms),
    the total reward of each arm; SECRET. pulls: (trials, arms), the number of pulls of each arm. answers: (trials,),
    the recommended arm; -1 for policies without recommendations.
    """

    released: Ints
    sums: Array
    pulls: Ints
    answers: Ints


def released_arms(played: Played) -> Ints:
    """The pulled arms, (trials, steps), of runs that pull a single arm in each step.
    Raises ValueError for other runs."""
    if ((played.released > 0).sum(axis=2) != 1).any():
        raise ValueError(
            "released_arms: some step pulled several arms; use Played.released, which contains the pull counts"
        )
    return np.asarray(played.released.argmax(axis=2))


def play(
    policy: Policy | ContextualPolicy, environment: Environment, noise: Noise, trials: int, keep: bool = True
) -> Played:
    """Run a policy against an environment until its horizon is used up.

    policy, environment: with the same number of arms; a policy with contexts needs an environment with contexts. noise:
    such as `Seeded(seed, trials)`. trials: the batch size, the same as the noise's. keep: whether the release is
    recorded; False for long regret runs (its array is empty).

    A block that would overrun the horizon is cut in arm order, so that the total number of pulls is exactly the
    horizon; a trial that has used up its horizon, or has recommended an arm, releases rows of zeros while others
    continue. This is fastest with about 10 000 numbers (trials times arms) at once, which fit into a processor's cache:
    play many trials as several blocks of the noise. If nothing is recorded, a policy may define `fewer(left)`, the
    number of its first trials that are still running, and `first(many)`, a policy for these; they get the same draws.

    The policy and the environment have separate noise, and a policy may use each address once in a step. All arrays
    that the policy receives are read-only, and the pulls that it returns are copied.

    Raises ValueError if policy and environment differ in arms, or noise in trials; if the horizon is not an integer; if
    pulls are not an array of counts; if a policy pulls nothing although its horizon is not used up; or if it ends
    without the recommendation that it declares.
    """
    demand_playable(policy, environment, noise, trials, keep)
    batch = Batch(policy, environment, noise, trials, keep)
    while batch.unfinished():
        batch.retire()
        batch.advance()
    return batch.played()


def demand_playable(policy: Any, environment: Environment, noise: Noise, trials: int, keep: bool) -> None:
    """Raises TypeError and ValueError, with the remedy, if these arguments cannot be played together."""
    for name, what in (("policy", policy), ("environment", environment)):
        if isinstance(what, type) or not hasattr(what, "arms"):
            example = "a policy, such as ThompsonSampling(2, 20)"
            if name == "environment":
                example = "an environment, such as Table(rewards)"
            raise TypeError(f"play: {name} is {what!r}, which has no attribute `arms`; give {example}")
    if environment.arms != policy.arms:
        raise ValueError(
            f"the policy has arms = {policy.arms}, but the environment has arms = {environment.arms}; these "
            "must be equal"
        )
    demand_contexts(policy, environment)
    at_least("play: trials", trials, 0)
    if not isinstance(keep, bool):
        raise TypeError(f"play: keep is {keep!r:.80}; give True, or False if the released pulls need not be recorded")
    if not hasattr(noise, "uniform"):
        raise TypeError(
            f"play: noise is {noise!r}; give a noise with the same number of trials, such as Seeded(seed, {trials})"
        )
    if (given := getattr(noise, "trials", trials)) != trials:
        raise ValueError(f"the run has trials = {trials}, but the noise has trials = {given}; these must be equal")


class Batch:
    """Runs in progress: the policy's state, the pulls and rewards so far, and the remaining horizon."""

    def __init__(self, policy: Any, environment: Environment, noise: Noise, trials: int, keep: bool) -> None:
        """Starts the runs: the policy's state before the first step, and no pulls."""
        self.policy, self.environment, self.noise, self.trials, self.keep = policy, environment, noise, trials, keep
        self.state = checked_state(policy.init(trials), trials, "init")
        self.outside = separate_noise(noise, "environment")
        self.single = getattr(environment, "single", environment.draw)
        self.made: Ints = np.zeros((trials, policy.arms), dtype=np.int64)
        self.total: Array = np.zeros((trials, policy.arms))
        self.said: Ints = np.full(trials, -1, dtype=np.int64)
        self.last = answers(policy)
        horizon = checked_integer(policy.horizon, "the policy's horizon", 0, MAX_STEP_PULLS - 1)
        # What is left of it, and one more step for the answer; at least so much of it is left in every trial.
        self.left: Ints = np.full(trials, horizon + self.last, dtype=np.int64)
        self.least = int(self.left.min(initial=0))
        self.step, self.contexts = 0, context_dimension(policy)
        self.record: list[Ints] = []
        self.gone: list[tuple[Array, Ints, Ints]] = []  # totals, pulls and answers of trials that are played no more
        self.shrinks = not keep and hasattr(policy, "fewer") and isinstance(noise, Seeded)

    def unfinished(self) -> bool:
        """Whether some trial has not used up its horizon."""
        return self.least > 0 or bool(self.left.any())

    def retire(self) -> None:
        """Stops playing trials that have ended, if the policy states how many of the first trials must go on."""
        some: Any = self.policy
        if not self.shrinks or self.left[-1] or (live := some.fewer(self.left)) > FEWER * self.trials:
            return
        self.gone.append((self.total[live:], self.made[live:], self.said[live:]))
        self.keep_first(live, some.first(live))

    def keep_first(self, many: int, policy: Any) -> None:
        """Continues with the first `many` trials only, played by `policy`; their draws stay the same."""
        first = slice(many)
        self.state, self.total, self.made = (state_rows(part, first) for part in (self.state, self.total, self.made))
        self.said, self.left = self.said[first], self.left[first]
        self.policy, self.trials, self.least = policy, many, int(self.left.min())
        self.noise = replace(self.noise, trials=many)  # type: ignore[type-var]
        self.outside = separate_noise(self.noise, "environment")

    def advance(self) -> None:
        """Plays one step of all runs: the policy pulls, the environment pays, and the policy learns."""
        self.step += 1
        here = Once(self.noise, self.trials, self.step)
        seen = seen_by(self.policy, self.environment, self.step, self.trials) if self.contexts else ()
        released, pulls, used = self.ask(here, *seen)
        most = int(used.max(initial=0))
        pays = self.environment.draw if most > 1 or self.last else self.single
        paid = pays(self.step, self.made, pulls.counts, pulls.bound, self.outside)
        sums = checked_sums(self.step, paid, self.made.shape)
        try:
            state = self.policy.learn(self.step, self.state, pulls, sums, here, *seen)
        except ValueError as error:
            explain_refused_write(f"step {self.step}: learn", error)
            raise
        self.state = checked_state(state, self.trials, f"step {self.step}: learn")
        self.made = self.made + pulls.counts
        self.total += sums
        self.left = self.left - used
        self.least = self.least - most if self.least > most else int(self.left.min(initial=0))
        if self.keep:
            self.record.append(released)

    def ask(self, noise: Once, *seen: Array) -> tuple[Ints, Pulls, Ints]:
        """The policy's releases in this step, the pulls among them, and how much of the horizon each trial uses."""
        try:
            asked = self.policy.act(self.step, self.state, noise, *seen)
        except ValueError as error:
            explain_refused_write(f"step {self.step}: act", error)
            raise
        checked = checked_pulls(self.step, asked, self.made.shape, self.last)
        if self.contexts:
            demand_one_pull(self.step, checked.counts, self.left > 0)
        pulls, used = cut_to_horizon(checked, self.left, self.last, self.least)
        if self.last:
            self.said = np.where(answered(pulls.counts), pulls.counts.argmin(axis=1), self.said)
            if ((used == 0) & (self.left == 1)).any():
                raise ValueError(
                    f"step {self.step}: the horizon is used up, but the policy gave no final recommendation: {ANSWER}"
                )
        if not used.any():
            left = self.left.max()
            raise ValueError(
                f"step {self.step}: the policy pulled no arm, although its horizon is not used up (pulls left: "
                f"{left}); act must pull at least one arm in every step"
            )
        return pulls.counts, pulls._replace(counts=pulls_without_answers(pulls.counts)) if self.last else pulls, used

    def played(self) -> Played:
        """The results of all runs as `Played`; runs that ended early come last."""
        ended = zip((self.total, self.made, self.said), *reversed(self.gone), strict=True)
        total, made, said = (np.concatenate(parts) for parts in ended)
        if not np.isfinite(total).all():
            bad = total[~np.isfinite(total)][0]
            raise ValueError(f"{type(self.environment).__name__} paid {bad}; rewards must be finite")
        every: Ints = np.stack(self.record) if self.record else np.zeros((0, len(made), made.shape[1]), dtype=np.int64)
        return Played(every.swapaxes(0, 1), total, made, said)
