"""One round of any policy as a one-shot mechanism, so that a claim about a single step can be judged on it.

A bound composed over many rounds may be so loose that no bug shows against it; a single round, in the state where
its sensitivity is attained, shows it. A policy that is given to `judge_private` as the subject of a claim about one
step is judged in its `telling_rounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.reference.noise import Array, Tape
from dpbandits.reference.policy import HasLaw, Pulls

MANY = 10**4  # pulls of an arm that is nearly certain: its deviation is a hundredth of an arm's that was pulled once


@dataclass(frozen=True)
class NextArm:
    """The arm that a policy releases in step t, as a function of its arms' running means total_i/(pulls_i + 1)."""

    policy: HasLaw
    pulls: tuple[int, ...]
    t: int

    def state(self, values: Any, trials: int) -> Any:
        counts = np.tile(np.array(self.pulls, dtype=np.int64), (trials, 1))
        totals = np.asarray(values, dtype=np.float64) * (counts + 1)
        return self.policy.learn(self.t, self.policy.init(trials), Pulls(counts), totals, Tape({}))

    def release(self, values: Any, noise: Any) -> NDArray[np.int64]:
        """values: the running means (arms,). noise: with `trials`. Returns the released arms (trials,)."""
        return np.asarray(self.policy.act(self.t, self.state(values, noise.trials), noise).counts.argmax(axis=1))

    def law(self, values: Any) -> Array:
        """The law of the released arm, (arms,)."""
        return np.asarray(self.policy.law(self.t, self.state(values, 1))[0])


class Round(NamedTuple):
    """One round on two neighbouring histories: running means on either side, and how far each may move."""

    mechanism: NextArm
    left: tuple[float, ...]
    right: tuple[float, ...]
    sensitivities: tuple[float, ...]


def next_round(
    policy: HasLaw, pulls: tuple[int, ...], left: tuple[float, ...], right: tuple[float, ...], t: int | None = None
) -> Round:
    """The policy's next round after these pulls, for two histories whose reward totals are left and right.

    t: the step; by default the first after one step per arm, when pre-pulling is over. Raises ValueError for totals
    that rewards in [0, 1] cannot have, or that differ by more than one reward; TypeError for a policy without law.
    """
    if not isinstance(policy, HasLaw):
        raise TypeError(f"{type(policy).__name__} has no law(t, state): audit its runs instead of its rounds")
    if not policy.arms == len(pulls) == len(left) == len(right):
        raise ValueError(
            f"{len(pulls)} pull counts, {len(left)} and {len(right)} totals for {policy.arms} arms; give one per arm"
        )
    for side, totals in (("left", left), ("right", right)):
        for arm, (n, total) in enumerate(zip(pulls, totals, strict=True)):
            if not 0 <= total <= n:
                raise ValueError(f"{side} history: arm {arm} cannot have total {total} after {n} pulls")
    moved = [abs(a - b) for a, b in zip(left, right, strict=True) if a != b]
    if len(moved) > 1 or any(move > 1 for move in moved):
        raise ValueError(f"histories {left} and {right} differ by more than one reward in one arm")
    divisors = np.array(pulls) + 1
    return Round(
        NextArm(policy, tuple(pulls), policy.arms + 1 if t is None else t),
        tuple((np.array(left) / divisors).tolist()),
        tuple((np.array(right) / divisors).tolist()),
        tuple((1 / divisors).tolist()),
    )


def telling_rounds(policy: HasLaw) -> dict[str, Round]:
    """Rounds in which a policy's privacy is at stake, by name: one arm was pulled as rarely as it can be and has one
    reward changed from 0 to 1; the others are nearly certain, just as uncertain, or were never pulled.

    With others nearly certain at some mean, the released arm is a threshold test of the changed arm's sample, and as
    telling as the sample itself. A single arm has no telling round: its only round stands for it.
    """
    few = max(1, getattr(policy, "prepulls", 0))
    places = {"first": 0, "last": policy.arms - 1}
    states = {f"others {MANY} times, mean {mean}": (few, MANY, mean * MANY) for mean in (0.1, 0.25, 0.5, 0.75)}
    states[f"others {few} times, mean 1/2"] = (few, few, few / 2)
    states[f"others {MANY} times, mean 1/2; itself 5 times as often"] = (5 * few, MANY, MANY / 2)
    if few == 1:
        states["others never"] = (1, 0, 0.0)
    found = {}
    for place, arm in places.items():
        for name, (own, pulls, total) in states.items():
            sides = [tuple(float(side) if i == arm else total for i in range(policy.arms)) for side in (0, 1)]
            counts = tuple(own if i == arm else pulls for i in range(policy.arms))
            found[f"{place} arm pulled {own} times, {name}"] = next_round(policy, counts, sides[0], sides[1])
    return found
