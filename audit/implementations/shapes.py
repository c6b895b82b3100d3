"""Which numbers of arms and pulls a battery asks about.

Some bugs are none with two arms; and a bound on privacy that is composed over many rounds has room for a bug, where few
transcripts leave none. So unless somebody wants otherwise the battery is run with two and with three arms, and the
promises of privacy are asked about again in short runs.

    >>> from dpbandits import check_policies
    >>> from dpbandits.papers.ou24 import ThompsonSampling
    >>> checks = check_policies(ThompsonSampling, ThompsonSampling, horizon=5)
    >>> [check.name for check in checks if "lemma-2" in check.name]
    ['ou24/lemma-2', 'ou24/lemma-2 (3 arms)', 'ou24/lemma-2 (2 arms, T = 3)', 'ou24/lemma-2 (3 arms, T = 3)']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, NamedTuple

from dpbandits.audit.implementations.battery import Check, check_policy
from dpbandits.audit.judges.effort import QUICK, Profile
from dpbandits.reference.arithmetic.checks import at_least, require_callable
from dpbandits.reference.bandits.policy import Policy

DEFAULT_ARM_COUNTS = (2, 3)
TELLING = 3  # pulls: so few transcripts that each counts


class BatteryShape(NamedTuple):
    """Arms and pulls. label: what is said of them behind a check's name; "" for those that go without saying. privacy:
    whether the promises of privacy alone are asked about."""

    arms: int
    horizon: int
    label: str = ""
    privacy: bool = False


def shapes(arms: Sequence[int] = DEFAULT_ARM_COUNTS, horizon: int = 8) -> list[BatteryShape]:
    """The whole battery for each number of arms, then privacy in short runs."""
    whole = [BatteryShape(k, horizon, f"{k} arms" if place else "") for place, k in enumerate(arms)]
    short = [BatteryShape(k, TELLING, f"{k} arm{'s' if k > 1 else ''}, T = {TELLING}", True) for k in arms]
    return whole + (short if horizon > TELLING else [])


def checks_of(
    shape: BatteryShape,
    policy: Any,
    reference: Policy,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """The checks of a policy of this shape against a page's."""
    checks = check_policy(policy, reference, profile, seed, sequential)
    if shape.privacy:
        checks = [check for check in checks if "/" in check.name]
    return [replace(check, name=f"{check.name} ({shape.label})" if shape.label else check.name) for check in checks]


def require_callable_with(name: str, make: Callable[..., Any], **arguments: Any) -> None:
    """TypeError unless the function can be called with these arguments, as far as its signature can be seen."""
    try:
        signature(make).bind(**arguments)
    except TypeError as error:
        words = ", ".join(f"{each}=" for each in arguments)
        raise TypeError(f"{name} is called with {words}: {error}; give a class or a function that takes them") from None
    except ValueError:  # of what is built in, no signature is known
        return


def check_policies(
    make: Callable[..., Any],
    reference: Callable[..., Policy],
    arms: Sequence[int] = DEFAULT_ARM_COUNTS,
    horizon: int = 8,
    profile: Profile = QUICK,
    seed: int = 0,
    sequential: bool = False,
) -> list[Check]:
    """The checks of the policies `make(arms=, horizon=)` against those of `reference(arms=, horizon=)`: the battery for
    each number of arms, and the promises of privacy in short runs as well. sequential: as of `check_policy`. Raises
    ValueError for numbers below 1, and for no number of arms, of which nothing would be checked."""
    require_callable("check_policies: make", make)
    require_callable("check_policies: reference", reference)
    if not isinstance(arms, Iterable):
        raise ValueError(f"check_policies: arms is {arms!r}; give the numbers of arms, such as (2, 3)")
    arms = tuple(arms)
    at_least("check_policies: numbers of arms, len(arms)", len(arms), 1)
    at_least("check_policies: horizon", horizon, 1)
    for each in arms:
        at_least("check_policies: arms", each, 1)
    for name, what in (("make", make), ("reference", reference)):
        require_callable_with(f"check_policies: {name}", what, arms=arms[0], horizon=horizon)
    checks = []
    for shape in shapes(arms, horizon):
        mine, page = (what(arms=shape.arms, horizon=shape.horizon) for what in (make, reference))
        checks += checks_of(shape, mine, page, profile, seed, sequential)
    return checks
