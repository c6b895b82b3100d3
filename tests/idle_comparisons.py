"""Private policies that compare more noisy values than their pulls depend on, and broken twins with less noise.

A reward is a part of every noisy sum after it, and most comparisons of these sums are idle: no pull depends on them. A
method that counts them says that the noise of a reward costs more than it does. All private policies are (1, 0)-DP, by
the argument in their docstring; a twin has a `scale` of less than 1, by which all noise is multiplied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits import Noise, Pulls
from dpbandits.reference.bandits.noise import Array


class Watched(NamedTuple):
    """left: whether the first arm was left. sum: of its rewards. log: what was stored and is not used. (trials,)"""

    left: NDArray[np.bool_]
    sum: Array
    log: Any


class Step(NamedTuple):
    """What a rule sees in a step, (trials,) each: a fresh noisy sum and the noisy threshold; whether the arm was left;
    and the sum itself. SECRET."""

    t: int
    noisy: Any
    bar: Any
    left: NDArray[np.bool_]
    sum: Array
    noise: Noise
    scale: float

    def fresh(self, site: str) -> Any:
        """The sum with noise of its own."""
        return self.sum + self.scale * self.noise.laplace(site, self.t)


Rule = Callable[[Step], tuple[Any, Any]]  # whether the first arm is left now, and what is stored


@dataclass(frozen=True)
class Watching:
    """The first arm until a rule says that it is left, then the second."""

    rule: Rule
    horizon: int = 8
    scale: float = 1.0
    level: float = 2.0
    arms: int = 2

    def init(self, trials: int) -> Watched:
        return Watched(np.zeros(trials, dtype=bool), np.zeros(trials), np.zeros(trials))

    def act(self, t: int, state: Watched, noise: Noise) -> Pulls:
        return Pulls.one(state.left.astype(np.int64), self.arms)

    def learn(self, t: int, state: Watched, pulls: Pulls, sums: Array, noise: Noise) -> Watched:
        total = state.sum + sums[:, 0]
        noisy = total + self.scale * noise.laplace("query", t)
        bar = self.level + self.scale * noise.laplace("bar", 0)
        left, log = self.rule(Step(t, noisy, bar, state.left, total, noise, self.scale))
        return Watched(state.left | left, total, np.zeros(len(total)) + log)


# -- the sparse vector technique ---------------------------------------------------------------------------------------
#
# A changed reward moves all later sums alike. If they grow, the threshold moves by 1; if they fall, the one sum that is
# above it does.


def asks_twice(now: Step) -> tuple[Any, Any]:
    return (now.noisy > now.bar) & (now.noisy > now.bar), 0.0


def asks_the_opposite(now: Step) -> tuple[Any, Any]:
    return (now.noisy > now.bar) & (now.bar < now.noisy), 0.0


def asks_multiples(now: Step) -> tuple[Any, Any]:
    return (now.noisy > now.bar) & (3 * now.noisy > 3 * now.bar) & (now.noisy - now.bar > 0), 0.0


def asks_what_follows(now: Step) -> tuple[Any, Any]:
    """Whether the sum is above a lower threshold follows."""
    return (now.noisy > now.bar) & (now.noisy > now.bar - 4), 0.0


def stores_near_misses(now: Step) -> tuple[Any, Any]:
    return now.noisy > now.bar, np.where(now.noisy > now.bar - 1, 1.0, 0.0)


def counts_near_misses(now: Step) -> tuple[Any, Any]:
    """A loop over trials, with branches on lines of their own."""
    near = np.zeros(len(now.left))
    for k in range(len(near)):
        if now.noisy[k] > now.bar[k] - 1:
            near[k] = 1.0
            if now.noisy[k] > now.bar[k] - 0.5:
                near[k] = 2.0
    return now.noisy > now.bar, near


def goes_on_elsewhere(now: Step) -> tuple[Any, Any]:
    """After the answer, it asks on another line."""
    seen = np.zeros(len(now.left), dtype=bool)
    log = np.zeros(len(now.left))
    for k in range(len(seen)):
        if now.left[k]:
            log[k] = 1.0 if now.noisy[k] > now.bar[k] + 1 else 0.0
        else:
            seen[k] = now.noisy[k] > now.bar[k]
    return seen, log


def goes_on_with_fresh_noise(now: Step) -> tuple[Any, Any]:
    seen = now.noisy > now.bar
    return seen, np.where(now.left & (now.fresh("after") > 3), 1.0, 0.0)


def at_least_zero(now: Step) -> tuple[Any, Any]:
    """A noisy sum below 0 counts as 0: after the first step the threshold is above 0, or the arm was left."""
    return np.maximum(now.noisy, 0.0) > now.bar, 0.0


def later_alone(now: Step) -> tuple[Any, Any]:
    """Answers of the first steps are thrown away."""
    return (now.noisy > now.bar) & (now.t > 3), 0.0


def distance_of_both(now: Step) -> tuple[Any, Any]:
    """Stores the distance from the threshold, whose sign is a comparison."""
    return now.noisy > now.bar, np.abs(now.noisy - now.bar)


def larger_of_both(now: Step) -> tuple[Any, Any]:
    return now.noisy > now.bar, np.maximum(now.noisy, now.bar - 2) - np.minimum(now.noisy, 1.0)


# -- one fresh sum, with noise for the whole budget, and idle ones -----------------------------------------------------

DECISIVE = 4  # the step whose noisy sum decides


def one_of_many(now: Step) -> tuple[Any, Any]:
    """Every sum is compared; one of the answers is used."""
    return (now.fresh("own") > 2.0) & (now.t == DECISIVE), 0.0


def never(now: Step) -> tuple[Any, Any]:
    """Above and below at once: the pulls never depend on a reward."""
    fresh = now.fresh("own")
    return (fresh > 2.0) & (-fresh > -2.0), 0.0


def a_loop_besides(now: Step) -> tuple[Any, Any]:
    """A loop with an early exit, of which nothing is used."""
    found, own = np.zeros(len(now.left)), now.fresh("own")
    for k in range(len(found)):
        for level in range(4):
            if own[k] > level:
                found[k] = level
            else:
                break
    return (now.fresh("other") > 2.0) & (now.t == DECISIVE), found


def levels_with_an_early_exit(now: Step) -> tuple[Any, Any]:
    """The number of thresholds that one noisy sum exceeds: odd or even."""
    odd = np.zeros(len(now.left), dtype=bool)
    fresh = now.fresh("own")
    for k in range(len(odd)):
        for level in range(4):
            if fresh[k] <= level:
                break
            odd[k] = not odd[k]
    return odd & (now.t == DECISIVE), 0.0


def shared_noise(now: Step) -> tuple[Any, Any]:
    """The same draw is also added to minus the sum, and that is not used: it would have to move both ways."""
    drawn = now.scale * now.noise.laplace("both", now.t)
    there = np.where(drawn - now.sum > -1.0, 1.0, 0.0)
    return (now.sum + drawn > 2.0) & (now.t == DECISIVE), there


def two_of_three_lead_to_one_arm(now: Step) -> tuple[Any, Any]:
    """The largest of sum, minus sum and 0, each with noise: which of the first two is the largest is not used. The
    noise of the third moves by 1, whichever way the reward changes."""
    drawn = now.scale * now.noise.laplace("three", now.t, (3,))
    sums = np.stack([now.sum, 4 - now.sum, 0 * now.sum + 2], axis=-1)
    return ((sums + drawn).argmax(axis=-1) == 2) & (now.t == DECISIVE), 0.0


def absolute_value(now: Step) -> tuple[Any, Any]:
    """Whether the noisy sum is within 1 of 2; at the middle its sign does not matter."""
    return (np.abs(now.fresh("own") - 2) > 1) & (now.t == DECISIVE), 0.0


def sign_drawn_apart(now: Step) -> tuple[Any, Any]:
    """Laplace noise made of a sign and a size."""
    size = np.abs(now.noise.laplace("size", now.t))
    drawn = now.scale * np.where(now.noise.laplace("sign", now.t) > 0, size, -size)
    return (now.sum + drawn > 2.0) & (now.t == DECISIVE), 0.0


def rejected_draws(now: Step) -> tuple[Any, Any]:
    """The first of three draws that is accepted, by draws that are independent of them."""
    drawn, accepted = (now.noise.laplace(site, now.t, (3,)) for site in ("drawn", "accepted"))
    taken = np.where(accepted[:, 0] > 1, drawn[:, 0], np.where(accepted[:, 1] > 1, drawn[:, 1], drawn[:, 2]))
    return (now.sum + now.scale * taken > 2.0) & (now.t == DECISIVE), 0.0


def clipped_afterwards(now: Step) -> tuple[Any, Any]:
    """A noisy sum is clipped, which is as private; sums of other steps are clipped and not used."""
    return (np.clip(now.fresh("own"), 0.0, 3.0) > 2.0) & (now.t == DECISIVE), 0.0


def best_of_fresh_sums(now: Step) -> tuple[Any, Any]:
    """The largest of three levels below one noisy sum, in a list that is put in order by hand."""
    fresh = now.fresh("own")
    order = [fresh, fresh - 1.0, 2.0 + 0 * fresh]
    for _ in range(2):
        for k in range(2):
            first, second = order[k], order[k + 1]
            order[k], order[k + 1] = np.maximum(first, second), np.minimum(first, second)
    return (order[0] > 2.0) & (now.t == DECISIVE), order[2]


def two_of_three(now: Step) -> tuple[Any, Any]:
    """Two of three sums with twice the noise say yes: 1/2 for each of two."""
    drawn = 2 * now.scale * now.noise.laplace("votes", now.t, (3,))
    votes = (now.sum[:, None] + drawn > 2.0).sum(axis=1)
    return (votes >= 2) & (now.t == DECISIVE), 0.0


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        asks_twice, asks_the_opposite, asks_multiples, asks_what_follows, stores_near_misses, counts_near_misses,
        goes_on_elsewhere, goes_on_with_fresh_noise, at_least_zero, later_alone, distance_of_both, larger_of_both,
        one_of_many, never, a_loop_besides, levels_with_an_early_exit, shared_noise, two_of_three_lead_to_one_arm,
        absolute_value, sign_drawn_apart, rejected_draws, clipped_afterwards, best_of_fresh_sums, two_of_three,
    )
}  # fmt: skip
