"""The policy with a longer horizon, where nothing else about it changes."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from dpbandits.reference.bandits.noise import Seeded, address
from dpbandits.reference.bandits.policy import Policy
from dpbandits.reference.bandits.reward_ranges import nearest_payable


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
