"""Randomised policies as Section 2 defines them, small and exact: every probability is a Fraction.

A policy is its conditional laws: what it does after each history (a_1, x_1, ..., a_t, x_t). Arms have labels (1,
..., K, and 0 for the auxiliary arm of Section 4.3). A transcript is (A_1, ..., A_T, recommendation), as in equation
(1). So a law here is a finite table, and whatever the paper says about *every* policy can be enumerated on this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

Reward = Fraction | int  # equal numbers of both types are one key, and that of an int is found much faster
History = tuple[tuple[int, Reward], ...]
Rewards = Mapping[Reward, Fraction]  # a law: reward -> its chance
Table = Mapping[tuple[int, int], Reward]  # (arm, place) -> reward; arms and places count from 1
Transcript = tuple[int, ...]
Arms = Mapping[int, Rewards]  # of an instance: arm -> the law of its rewards

AUXILIARY = 0  # Section 4.3: an arm that pays 0 each time it is pulled


@dataclass(frozen=True)
class Tiny:
    """A policy. arms: the labels that it pulls or recommends. horizon: T >= 1. after: history -> the law of the next
    arm, and for a whole history of T pulls the law of the recommendation; labels that it leaves out have chance 0."""

    arms: tuple[int, ...]
    horizon: int
    after: Callable[[History], Mapping[int, Fraction]]


Pays = Callable[[int, int, int], Reward]  # (arm, how many pulls of it with this one, time) -> reward


def by_pull(table: Table) -> Pays:
    """Section 2: the n-th pull of arm i pays x_{i,n}, whenever it happens."""
    return lambda arm, nth, time: 0 if arm == AUXILIARY else table[arm, nth]


def by_time(table: Table) -> Pays:
    """Appendix C, the dual decision maker of D(pi): a pull of arm i at time t pays x_{i,t}."""
    return lambda arm, nth, time: 0 if arm == AUXILIARY else table[arm, time]


def law(policy: Tiny, pays: Pays) -> dict[Transcript, Fraction]:
    """The chance of every transcript that can happen, on fixed rewards."""
    found: dict[Transcript, Fraction] = {}

    def walk(history: History, chance: Fraction) -> None:
        arms = tuple(arm for arm, _ in history)
        for arm, share in policy.after(history).items():
            if not share:
                continue
            if len(history) == policy.horizon:
                found[(*arms, arm)] = found.get((*arms, arm), Fraction(0)) + chance * share
            else:
                reward = pays(arm, arms.count(arm) + 1, len(history) + 1)
                walk((*history, (arm, reward)), chance * share)

    walk((), Fraction(1))
    return found


def law_on_instance(policy: Tiny, instance: Arms) -> dict[Transcript, Fraction]:
    """The chance of every transcript where arm i pays independent rewards of its own law; the auxiliary arm pays 0."""
    found: dict[Transcript, Fraction] = {}
    nothing: Rewards = {0: Fraction(1)}

    def walk(history: History, chance: Fraction) -> None:
        arms = tuple(arm for arm, _ in history)
        for arm, share in policy.after(history).items():
            if not share:
                continue
            if len(history) == policy.horizon:
                found[(*arms, arm)] = found.get((*arms, arm), Fraction(0)) + chance * share
                continue
            for reward, paid in (nothing if arm == AUXILIARY else instance[arm]).items():
                walk((*history, (arm, reward)), chance * share * paid)

    walk((), Fraction(1))
    return found


def early_stopping(policy: Tiny, n: int, iota: int) -> Tiny:
    """ES(pi, n, iota) of Section 4.3: pi while arm iota has been pulled fewer than n times, then arm 0 for ever. It
    recommends as pi does where arm 0 was never pulled, and arm 0 otherwise.

    n: an integer of at least 0. The sentence "pulls arm iota with certainty" below (18) is a slip: (18) itself says
    arm 0, and with arm iota the inputs X^(n, iota) would not hold the rewards that are looked at.
    """
    if n < 0 or iota not in policy.arms or iota == AUXILIARY:
        raise ValueError(
            f"ES: n = {n}, iota = {iota}; n must be at least 0, and iota must be one of {policy.arms}, not {AUXILIARY}"
        )

    def after(history: History) -> Mapping[int, Fraction]:
        pulled = [arm for arm, _ in history]
        stopped = AUXILIARY in pulled if len(history) == policy.horizon else pulled.count(iota) >= n
        return {AUXILIARY: Fraction(1)} if stopped else policy.after(history)

    return Tiny((AUXILIARY, *policy.arms), policy.horizon, after)


def tables(policy: Tiny, rewards: tuple[Reward, ...]) -> list[dict[tuple[int, int], Reward]]:
    """All tables (x_{i,t}) whose entries are among the rewards: len(rewards)^(K T) of them."""
    places = [(arm, t) for arm in policy.arms if arm != AUXILIARY for t in range(1, policy.horizon + 1)]
    return [dict(zip(places, filled, strict=True)) for filled in product(rewards, repeat=len(places))]
