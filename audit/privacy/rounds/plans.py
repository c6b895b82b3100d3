"""What guided runs walk towards: how often the arm is pulled whose reward changes, and what all are paid; and with
which policy: one with a longer horizon, where nothing else about it changes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.privacy.rounds.single import History, are_same_states, states_after, takes
from dpbandits.reference.bandits.noise import Seeded, address
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.reward_ranges import nearest_payable

MEANS = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the others' rewards: where the threshold stands
BETWEEN = (0.5, 0.25)  # what a changed reward may be besides 1: a leak may tell it from 0 where it does not tell 1
MAX_CHANGED_ARMS = 10  # so many arms take the changed reward in turn; of more, a spread
PULLS = 10  # so many numbers of pulls of the changed arm, one after another, and some larger ones
MAX_WALKED_STEPS = 1_000  # steps that are walked, at most


class Plan(NamedTuple):
    """Where a guided run wants to go: first n pulls of the arm whose reward changes, then pulls of the others."""

    arm: int
    n: int
    ones: int  # how many of its other rewards are 1; they come first
    mean: float  # of the others' rewards, all the time
    late: bool = False  # the changed reward is the n-th; else it comes right after the ones
    main: int = -1  # the only other arm that is wanted; -1 for all alike
    to: float = 1.0  # what the changed reward is on the right; 0 on the left

    @property
    def place(self) -> int:
        """Which of the arm's pulls pays the changed reward, counted from 0."""
        return self.n - 1 if self.late else self.ones


def plans_of(policy: Policy, far: bool) -> list[Plan]:
    """All that may be walked towards, the most telling first."""
    room = min(policy.horizon, MAX_WALKED_STEPS) - 1
    larger = (20, 50) if far else (5, 20, 50, 200, (1 + room) // 2, room)
    base: list[Plan] = []
    more: list[Plan] = []
    late = not order_is_idle(policy)
    for n in sorted(n for n in {*range(1, PULLS + 1), *larger} if n <= room):
        for arm in changed_arms(policy):
            extreme = n in (1, 20 if far else room)
            (base if extreme else more).extend(Plan(arm, n, 0, mean) for mean in MEANS)
            if n > 1:
                more += [Plan(arm, n, n - 1, mean) for mean in (0.5, 1.0)]
            if n > 2:
                more.append(Plan(arm, n, (n - 1) // 2, 0.5))
            more += [Plan(arm, n, 0, 0.5, to=value) for value in BETWEEN if takes(policy, value)]
            if n > 1 and late:
                more += [Plan(arm, n, 0, mean, late=True) for mean in (0.25, 0.5, 1.0)]
            if policy.arms > 2:
                more += [Plan(arm, n, 0, mean, main=(arm + 1) % policy.arms) for mean in (0.25, 0.5, 1.0)]
                more.append(Plan(arm, n, 0, 0.5, main=(arm - 1) % policy.arms))
    return base + more


def thin_plans(plans: list[Plan], many: int) -> list[Plan]:
    """So many of the plans: the first ones half, the others spread over all that is left."""
    if len(plans) <= many:
        return plans
    first, rest = plans[: many // 2], plans[many // 2 :]
    order = np.random.default_rng(address("plans", len(plans))).permutation(len(rest))
    return first + [rest[k] for k in sorted(order[: many - len(first)])]


def order_is_idle(policy: Policy) -> bool:
    """Whether the state after a few pulls does not depend on their order, as far as this can be seen."""
    if policy.arms < 2 or policy.horizon < 4:
        return True
    low, middle, high = nearest_payable(policy, (0.0, 0.5, 1.0)).tolist()
    orders = [((0, 1, 0), (low, middle, high)), ((1, 0, 0), (middle, high, low))]
    try:
        states = [states_after(policy, [History(arms, (1, 1, 1), paid, paid)], 0) for arms, paid in orders]
    except Exception:  # out of turn for this policy, whatever it dies of
        return False
    return states[0] is not None and are_same_states(*states)


def changed_arms(policy: Policy) -> list[int]:
    """The arms that take the changed reward in turn."""
    return sorted({*np.linspace(0, policy.arms - 1, min(policy.arms, MAX_CHANGED_ARMS)).round().astype(int).tolist()})


def run_on(policy: Policy, horizon: int) -> Policy | None:
    """The policy with a longer horizon, for a claim that speaks of a step and of no horizon; None where it is
    no dataclass that has one, cannot be made so, or does anything else within its own horizon."""
    try:
        longer = with_horizon(policy, policy.horizon, horizon)
        same = longer is not None and longer.horizon == horizon and has_same_releases(policy, longer)
        return longer if same else None
    except Exception:  # whatever a longer run of somebody's policy dies of, it was not asked for
        return None


def with_horizon(value: Any, now: int, then: int) -> Any:
    """A dataclass with another horizon, in its own field or in that of a dataclass that it holds; None for others."""
    if not is_dataclass(value) or isinstance(value, type):
        return None
    names = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
    if "horizon" in names:
        return replace(value, horizon=then) if names["horizon"] == now else None
    inner = {name: changed for name, part in names.items() if (changed := with_horizon(part, now, then)) is not None}
    return replace(value, **inner) if inner else None


def has_same_releases(one: Policy, other: Policy, trials: int = 64) -> bool:
    """Whether both release the same with the same noise, up to the horizon of the first."""
    states, noise = [each.init(trials) for each in (one, other)], Seeded(address(0, "same"), trials)
    paid = nearest_payable(one, np.linspace(0, 1, one.arms))
    left = np.full(trials, one.horizon)
    for step in range(1, one.horizon + 1):
        pulls = [each.act(step, state, noise) for each, state in zip((one, other), states, strict=True)]
        if not np.array_equal(pulls[0].counts, pulls[1].counts):
            return False
        left -= pulls[0].counts.sum(axis=1)
        if (left <= 0).any():
            break
        sums = pulls[0].counts * paid
        states = [
            each.learn(step, state, pull, sums, noise)
            for each, state, pull in zip((one, other), states, pulls, strict=True)
        ]
    return True
