"""The runs and output files of `dpbandits check`: the policy, its checks for all requested numbers of arms and
horizons, and their findings, or the reason why a check did not finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import click

from dpbandits.audit.cli_shared.endings import Trouble
from dpbandits.audit.cli_shared.given import load_from_file, make_policy
from dpbandits.audit.cli_shared.outputs import document_texts, write_outputs
from dpbandits.audit.runner.store import earlier_text
from dpbandits.extensions.conformance.given import CHECK_OUTPUTS, repeating

if TYPE_CHECKING:
    from dpbandits.audit.judges.effort import Profile
    from dpbandits.extensions.conformance.battery import BatteryShape, Check, Judged
    from dpbandits.extensions.conformance.judgement import Badge
    from dpbandits.reference.bandits.policy import Policy
    from dpbandits.reference.claims.findings import Document

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


def program(command: tuple[str, ...], parameters: Mapping[str, float], patience: float) -> Subject:
    from dpbandits.extensions.conformance.process import from_program
    from dpbandits.reference.bandits.contexts import context_dimension, context_norm
    from dpbandits.reference.bandits.recommendations import answers
    from dpbandits.reference.bandits.reward_ranges import UNIT_RANGE

    def make(page: Policy) -> Policy:
        """The program as a policy. It is told of answers, a range of rewards and contexts if the reference has them."""
        rewards, seen = getattr(page, "reward_range", UNIT_RANGE), context_dimension(page) or None
        policy = from_program(
            command, page.arms, page.horizon, parameters, patience, answers(page), rewards, seen, context_norm(page)
        )
        return cast("Policy", policy)  # which checks ask for contexts where the reference has some

    return Subject(" ".join(command), make)


def in_python(attribute: str) -> Subject:
    """A policy in a file; a class or function is called with arms and horizon."""
    what = load_from_file(attribute)
    if callable(what):
        return Subject(attribute, lambda page: make_policy(what, attribute, arms=page.arms, horizon=page.horizon))
    shape = getattr(what, "arms", None), getattr(what, "horizon", None)
    fixed = cast("tuple[int, int]", shape) if all(hasattr(n, "__index__") for n in shape) else None
    return Subject(attribute, lambda page: what, fixed)


def composed(
    subject: Subject, page: Callable[..., Policy], arms: int | None, horizon: int | None, profile: str, seed: int,
    seconds: float | None, trials: int | None, sequential: bool,
) -> Battery:  # fmt: skip
    """The checks of all shapes; prints the number of trials that a time budget allows."""
    from dpbandits.audit.judges.effort import PROFILES, with_trials
    from dpbandits.extensions.conformance.battery import checks_of

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
    """Only the checks with these names or of these kinds; and whether the policy follows the protocol, without which no
    other check can run."""
    known = {name for check in battery.checks for name in (check.name, check.kind)}
    if unknown := [name for name in only if name not in known]:
        kinds = ", ".join(dict.fromkeys(check.kind for check in battery.checks))
        raise click.UsageError(f"--only {unknown[0]!r}: unknown check; known checks: {kinds}")
    asked = {*only, "protocol"} if only else known
    return battery._replace(checks=[check for check in battery.checks if {check.name, check.kind} & asked])


def wanted(subject: Subject, arms: int | None, horizon: int | None) -> list[BatteryShape]:
    from dpbandits.extensions.conformance.battery import DEFAULT_ARM_COUNTS, BatteryShape, shapes

    if subject.fixed is not None:
        for name, value, own in zip(("arms", "horizon"), (arms, horizon), subject.fixed, strict=True):
            if value not in (None, own):
                raise click.UsageError(f"{subject.name} already has {name} = {own}; omit --{name} {value}")
        return [BatteryShape(*subject.fixed)]
    return shapes(DEFAULT_ARM_COUNTS if arms is None else (arms,), horizon or HORIZON)


def afforded(seconds: float, asked: list[BatteryShape], pairs: list[tuple[Policy, Policy]], profile: Profile) -> int:
    """The number of trials that fit into this many seconds; prints it."""
    from dpbandits.extensions.conformance.battery import checks_of
    from dpbandits.extensions.conformance.games import uneven_probe
    from dpbandits.extensions.conformance.time_budget import profile_for_budget
    from dpbandits.reference.bandits.protocol import demand_policy

    policy, page = pairs[0]
    demand_policy(policy)
    pulls = sum(len(checks_of(shape, *each)) * shape.horizon for shape, each in zip(asked, pairs, strict=True))
    bought = profile_for_budget(seconds, policy, uneven_probe(page), pulls / asked[0].horizon, profile).trials
    click.echo(f"{bought} trials in each game, for about {seconds:g} s (to repeat: --trials {bought})")
    return bought


# -- the files ------------------------------------------------------------------------------------------------------


def write_files(files: Mapping[str, Path], content: Document, about: str, drawn: Badge) -> None:
    """Writes the findings document, and the badge, to the files that were asked for, by their options. A report that is
    overwritten hands on what earlier runs found."""
    from dpbandits.extensions.conformance.judgement import FORMS
    from dpbandits.reports.own import with_earlier

    texts = {**document_texts(content, about), "--badge": lambda: FORMS[files["--badge"].suffix](drawn)}
    if "--html" in files:
        known = with_earlier(content, earlier_text(files["--html"]))
        texts["--html"] = document_texts(known, about)["--html"]
    write_outputs(files, texts, outputs=CHECK_OUTPUTS)


def document_of(
    about: str, battery: Battery, found: Sequence[Judged], seconds: Sequence[float], repeat: str, seed: int
) -> Document:
    """The battery as a findings document. about: the subject's name. seconds: of each check. repeat: the command that
    was run."""
    from dpbandits.audit.judges.effort import Plan
    from dpbandits.extensions.conformance.document import document
    from dpbandits.reference.claims.ledger import ledger

    sees = {check.name: check.sees for check in battery.checks}
    checks = [(each, sees[each.name], round(took, 2)) for each, took in zip(found, seconds, strict=True)]
    return document(about, checks, Plan(ledger(), battery.profile, seed), repeat)


@contextmanager
def errors_in_files(files: Mapping[str, Path], about: str, page: str, profile: Profile, seed: int) -> Iterator[None]:
    """A context manager: if an exception or an interrupt ends the battery, it is written to the output files, so that
    none of them contains the result of an earlier run."""
    try:
        yield
    except BaseException as error:
        if files:
            from dpbandits.audit.judges.effort import Plan
            from dpbandits.extensions.conformance.document import document_of_error
            from dpbandits.extensions.conformance.judgement import FAILED
            from dpbandits.reference.claims.ledger import ledger

            words = "interrupted" if isinstance(error, KeyboardInterrupt) else f"{type(error).__name__}: {error}"
            if isinstance(error, click.ClickException):
                words = error.format_message()
            repeat = repeating(click.get_current_context())
            content = document_of_error(about, page, words, repeat, Plan(ledger(), profile, seed))
            try:
                write_files(files, content, about, FAILED)
            except Trouble as trouble:
                trouble.show()
        raise
