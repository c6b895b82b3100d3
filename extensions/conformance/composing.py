"""Prepares the checks of `dpbandits check`: makes the policy that the command line names, and lists its checks for
every requested number of arms and every horizon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from dpbandits.audit.cli_shared.given import load_from_file, make_policy

if TYPE_CHECKING:
    from dpbandits.audit.judges.effort import Profile
    from dpbandits.extensions.conformance.battery import BatteryShape, Check
    from dpbandits.reference.bandits.policy import Policy

HORIZON = 8


class Subject(NamedTuple):
    """The subject of the checks. make: makes it for a reference policy with the same arms and horizon. fixed: its arms
    and horizon, if it exists only for these."""

    name: str
    make: Callable[[Policy], Policy]
    fixed: tuple[int, int] | None = None


class Battery(NamedTuple):
    """The checks of all shapes, one after another, and the profile of the first. sequential: whether its trials are a
    budget."""

    checks: list[Check]
    profile: Profile
    sequential: bool = False


def program_subject(command: tuple[str, ...], parameters: Mapping[str, float], patience: float) -> Subject:
    """Returns a program in any language as the subject of checks; it is started when it first plays."""
    from dpbandits.extensions.conformance.process import from_program
    from dpbandits.reference.bandits.contexts import context_dimension, context_norm
    from dpbandits.reference.bandits.recommendations import answers
    from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE

    def make(page: Policy) -> Policy:
        """Makes the policy that is played by the program, with the arms and horizon of a reference policy (`page`).
        If the reference has answers, a range of rewards or contexts, they are part of the first message to the program.
        """
        rewards, seen = getattr(page, "reward_range", UNIT_RANGE), context_dimension(page) or None
        policy = from_program(
            command, page.arms, page.horizon, parameters, patience, answers(page), rewards, seen, context_norm(page)
        )
        return cast("Policy", policy)  # which checks ask for contexts where the reference has some

    return Subject(" ".join(command), make)


def python_subject(attribute: str) -> Subject:
    """Loads a policy from a Python file.
    A class or a function is called with the reference's numbers of arms and pulls."""
    what = load_from_file(attribute)
    if callable(what):
        return Subject(attribute, lambda page: make_policy(what, attribute, arms=page.arms, horizon=page.horizon))
    shape = getattr(what, "arms", None), getattr(what, "horizon", None)
    fixed = cast("tuple[int, int]", shape) if all(hasattr(n, "__index__") for n in shape) else None
    return Subject(attribute, lambda page: what, fixed)


def compose_battery(
    subject: Subject, page: Callable[..., Policy], arms: int | None, horizon: int | None, profile: str, seed: int,
    seconds: float | None, trials: int | None, sequential: bool,
) -> Battery:  # fmt: skip
    """Returns the checks for all requested numbers of arms and pulls.
    Prints the number of trials if a time budget determines it."""
    from dpbandits.audit.judges.effort import PROFILES, with_trials
    from dpbandits.extensions.conformance.battery import checks_of

    settings, asked = PROFILES[profile], wanted_shapes(subject, arms, horizon)
    pages = [page(arms=each.arms, horizon=each.horizon) for each in asked]
    pairs = [(subject.make(each), each) for each in pages]
    if seconds is not None:
        trials = trials_for_seconds(seconds, asked, pairs, settings)
    checks, profiles = [], []
    for shape, (policy, reference) in zip(asked, pairs, strict=True):
        profiles.append(with_trials(settings, policy, trials))
        checks += checks_of(shape, policy, reference, profiles[-1], seed, sequential)
    return Battery(checks, profiles[0], sequential)


def selected_checks(battery: Battery, only: tuple[str, ...]) -> Battery:
    """Returns the battery with only those checks whose name or kind is in `only`.
    The check "protocol" is kept, because no other check can run without it. Raises UsageError for an unknown check."""
    known = {name for check in battery.checks for name in (check.name, check.kind)}
    if unknown := [name for name in only if name not in known]:
        kinds = ", ".join(dict.fromkeys(check.kind for check in battery.checks))
        raise click.UsageError(f"--only {unknown[0]!r}: unknown check; known checks: {kinds}")
    asked = {*only, "protocol"} if only else known
    return battery._replace(checks=[check for check in battery.checks if {check.name, check.kind} & asked])


def wanted_shapes(subject: Subject, arms: int | None, horizon: int | None) -> list[BatteryShape]:
    """Returns the numbers of arms and pulls for which the checks run.
    Raises UsageError if the policy has other numbers than the requested ones."""
    from dpbandits.extensions.conformance.battery import DEFAULT_ARM_COUNTS, BatteryShape, shapes

    if subject.fixed is not None:
        for name, value, own in zip(("arms", "horizon"), (arms, horizon), subject.fixed, strict=True):
            if value not in (None, own):
                raise click.UsageError(f"{subject.name} already has {name} = {own}; omit --{name} {value}")
        return [BatteryShape(*subject.fixed)]
    return shapes(DEFAULT_ARM_COUNTS if arms is None else (arms,), horizon or HORIZON)


def trials_for_seconds(
    seconds: float, shapes: list[BatteryShape], pairs: list[tuple[Policy, Policy]], profile: Profile
) -> int:
    """Returns the number of trials that fit into this many seconds, and prints it."""
    from dpbandits.extensions.conformance.battery import checks_of
    from dpbandits.extensions.conformance.games import uneven_probe
    from dpbandits.extensions.conformance.time_budget import profile_for_budget
    from dpbandits.reference.bandits.protocol import demand_policy

    policy, page = pairs[0]
    demand_policy(policy)
    pulls = sum(len(checks_of(shape, *each)) * shape.horizon for shape, each in zip(shapes, pairs, strict=True))
    bought = profile_for_budget(seconds, policy, uneven_probe(page), pulls / shapes[0].horizon, profile).trials
    click.echo(f"{bought} trials in each game, for about {seconds:g} s (to repeat: --trials {bought})")
    return bought
