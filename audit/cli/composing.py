"""What `dpbandits check` runs: the subject, and the checks of it in all shapes that are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dpbandits.audit.implementations.given import load_from_file, make_policy

if TYPE_CHECKING:
    from dpbandits.audit.implementations.battery import Check
    from dpbandits.audit.implementations.shapes import BatteryShape
    from dpbandits.audit.judges.effort import Profile

HORIZON = 8


class Subject(NamedTuple):
    """What is checked. make: of the page's policy that it is held against, whose arms and horizon it has. fixed: arms
    and horizon, where there is only one of it."""

    name: str
    make: Callable[[Any], Any]
    fixed: tuple[int, int] | None = None


class Battery(NamedTuple):
    """The checks of all shapes, one after another, and the profile of the first. sequential: whether its trials are a
    budget."""

    checks: list[Check]
    profile: Profile
    sequential: bool = False


def program(command: tuple[str, ...], parameters: dict[str, Any], patience: float) -> Subject:
    from dpbandits.audit.implementations.process import from_program
    from dpbandits.reference.bandits.contexts import context_dimension, context_norm
    from dpbandits.reference.bandits.recommendations import answers
    from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE

    def make(page: Any) -> Any:
        """It is told of answers, other rewards and contexts where the page has them."""
        rewards, seen = getattr(page, "reward_range", UNIT_RANGE), context_dimension(page) or None
        return from_program(
            command, page.arms, page.horizon, parameters, patience, answers(page), rewards, seen, context_norm(page)
        )

    return Subject(" ".join(command), make)


def in_python(attribute: str) -> Subject:
    """A policy in a file; a class or function is called with arms and horizon."""
    what = load_from_file(attribute)
    if callable(what):
        return Subject(attribute, lambda page: make_policy(what, attribute, arms=page.arms, horizon=page.horizon))
    shape: Any = getattr(what, "arms", None), getattr(what, "horizon", None)
    return Subject(attribute, lambda page: what, shape if all(hasattr(n, "__index__") for n in shape) else None)


def composed(
    subject: Subject, page: Callable[..., Any], arms: int | None, horizon: int | None, profile: str, seed: int,
    seconds: float | None, trials: int | None, sequential: bool,
) -> Battery:  # fmt: skip
    """The checks of all shapes; says what a time budget buys."""
    from dpbandits.audit.implementations.budget import with_trials
    from dpbandits.audit.implementations.shapes import checks_of
    from dpbandits.audit.judges.effort import PROFILES

    settings, asked = PROFILES[profile], wanted(subject, arms, horizon)
    pages = [page(arms=each.arms, horizon=each.horizon) for each in asked]
    pairs = [(subject.make(each), each) for each in pages]
    if seconds is not None:
        trials = afforded(seconds, asked, pairs, settings)
    checks, profiles = [], []
    for shape, (policy, reference) in zip(asked, pairs, strict=True):
        profiles.append(with_trials(settings, policy, trials))
        checks += checks_of(shape, policy, reference, profiles[-1], seed, sequential)
    return Battery(checks, profiles[0], sequential)


def narrowed(battery: Battery, only: tuple[str, ...]) -> Battery:
    """These checks alone, with their names or of these kinds; and whether the policy speaks the protocol, without which
    nothing can be asked of it."""
    known = {name for check in battery.checks for name in (check.name, check.kind)}
    if unknown := [name for name in only if name not in known]:
        kinds = ", ".join(dict.fromkeys(check.kind for check in battery.checks))
        raise click.UsageError(f"--only {unknown[0]!r}: there is no such check; there are {kinds}")
    asked = {*only, "protocol"} if only else known
    return battery._replace(checks=[check for check in battery.checks if {check.name, check.kind} & asked])


def wanted(subject: Subject, arms: int | None, horizon: int | None) -> list[BatteryShape]:
    from dpbandits.audit.implementations.shapes import DEFAULT_ARM_COUNTS, BatteryShape, shapes

    if subject.fixed is not None:
        for name, value, own in zip(("arms", "horizon"), (arms, horizon), subject.fixed, strict=True):
            if value not in (None, own):
                raise click.UsageError(f"{subject.name} is a policy with {name} = {own}: leave --{name} {value} away")
        return [BatteryShape(*subject.fixed)]
    return shapes(DEFAULT_ARM_COUNTS if arms is None else (arms,), horizon or HORIZON)


def afforded(seconds: float, asked: list[BatteryShape], pairs: list[tuple[Any, Any]], profile: Profile) -> int:
    """The trials that so many seconds buy; says how many."""
    from dpbandits.audit.conformance.games import uneven_probe
    from dpbandits.audit.implementations.budget import profile_for_budget
    from dpbandits.audit.implementations.shapes import checks_of
    from dpbandits.reference.bandits.protocol import demand_policy

    policy, page = pairs[0]
    demand_policy(policy)
    pulls = sum(len(checks_of(shape, *each)) * shape.horizon for shape, each in zip(asked, pairs, strict=True))
    bought = profile_for_budget(seconds, policy, uneven_probe(page), pulls / asked[0].horizon, profile).trials
    click.echo(f"{bought} trials in each game for about {seconds:g} s; --trials {bought} repeats this")
    return bought
